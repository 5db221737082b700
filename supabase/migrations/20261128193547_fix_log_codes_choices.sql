-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_invite_codes";

ALTER TABLE "app"."user_interests" ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();

CREATE OR REPLACE FUNCTION private.log_events()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_ids bigint[];
begin
  if not exists (select from private.unlogged_events)
     or not pg_try_advisory_xact_lock(hashtextextended('event log', 0)) then
    return 0;
  end if;
  -- The lowest ids that are visible: if an event depends on another, the other was committed before, with a lower id.
  v_ids := array(select u.event_id from private.unlogged_events u order by u.event_id limit 500);
  insert into private.event_log (event, subject, subject_key, payload, people, happened_at)
  select e.name,
         json_build_object('type', o.subject_type, 'id', p.payload -> o.subject_field),
         o.subject_type || ':' || (e.payload ->> o.subject_field),
         p.payload, w.people, e.created_at
  from app.domain_events e
  join private.outbound_events o on o.event = e.name
  cross join lateral (
    select array(select (e.payload ->> f.name)::uuid from unnest(o.people) f (name)
                 where e.payload ->> f.name is not null) as people
  ) w
  cross join lateral (
    select coalesce(json_object_agg(f.name, case
             when f.name = any (o.people) then to_json(private.actor_id(u.username, private.domain()))
             else (e.payload -> f.name)::json end order by f.place), '{}') as payload
    from unnest(o.fields || o.people) with ordinality f (name, place)
    -- the case keeps other fields, such as a level, from being read as ids
    left join app.users u on u.id = case when f.name = any (o.people) then (e.payload ->> f.name)::uuid end
  ) p
  where e.id = any (v_ids)
    -- nothing is written about an erased person
    and not exists (select from app.users u where u.id = any (w.people) and u.erased_at is not null)
  order by e.id;
  delete from private.unlogged_events u where u.event_id = any (v_ids);
  return cardinality(v_ids);
end $function$;

CREATE VIEW "private"."staff_invite_codes" WITH (security_invoker=true) AS  SELECT c.created_at AS at,
    c.id,
    private.invite_status(c.*) AS status,
    c.generated_by,
    concat_ws(' '::text, c.code, u.username) AS said,
    json_build_object('id', c.id, 'code', c.code, 'status', private.invite_status(c.*), 'ownerId', c.generated_by, 'owner', owner.card, 'reservedUntil',
        CASE
            WHEN (private.invite_status(c.*) = 'reserved'::text) THEN private.utc(c.reserved_until)
            ELSE NULL::text
        END, 'usedById', c.used_by, 'usedBy', redeemer.card, 'usedAt', private.utc(c.used_at), 'expiresAt', private.utc(c.expires_at), 'createdAt', private.utc(c.created_at)) AS card
   FROM (((app.invite_codes c
     JOIN app.users u ON ((u.id = c.generated_by)))
     JOIN app.person_card owner ON ((owner.id = c.generated_by)))
     LEFT JOIN app.person_card redeemer ON ((redeemer.id = c.used_by)));

ALTER VIEW "private"."staff_invite_codes" OWNER TO "postgres";

COMMENT ON VIEW "private"."staff_invite_codes" IS 'Invite codes as staff sees them, with their owners and the people who used them.';
