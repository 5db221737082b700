-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP INDEX "app"."notifications_digest_idx";

DROP INDEX "app"."notifications_updated_at_idx";

DROP INDEX "app"."reputation_entries_earned_from_idx";

DROP INDEX "app"."reputation_entries_interest_id_idx";

DROP INDEX "app"."reputation_interest_id_idx";

DROP INDEX "app"."reputation_kinds_interest_id_idx";

ALTER TABLE "app"."reputation_entries" DROP CONSTRAINT "reputation_entries_interest_id_fkey";

ALTER TABLE "app"."reputation_kinds" DROP CONSTRAINT "reputation_kinds_interest_id_fkey";

ALTER TABLE "app"."reputation_kinds" SET (fillfactor=80);

ALTER TABLE "app"."reputation" SET (fillfactor=80);

CREATE OR REPLACE FUNCTION private.find_talent(p_interests uuid[], p_country text, p_city text, p_after uuid)
 RETURNS TABLE(id uuid, interest_id uuid, value numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
  v_me    uuid := app.uid();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city  text := private.fold_query(p_city);
  v_each  integer := greatest(20, 4000 / greatest(cardinality(p_interests), 1));
  v_value numeric := coalesce((select max(r.value) from app.reputation r
                               where r.user_id = p_after and r.interest_id = any (p_interests)), 'infinity');
begin
  return query
  select b.id, b.interest_id, b.value
  from (select t.id, max(t.value) as value,
               (array_agg(t.interest_id order by t.value desc, t.interest_id))[1] as interest_id
        from (select w.id, n.id as interest_id, w.value
              from unnest(p_interests) n (id)
              cross join lateral (
                select r.user_id as id, r.value from app.reputation r
                where r.interest_id = n.id and r.band >= 0
                order by r.band desc, r.user_id limit v_each) w) t
        where t.id <> v_me
        group by t.id) b
  join private.listed_people p on p.id = b.id
  cross join lateral (select o.* from app.users o where o.id = b.id offset 0) u   -- by id, without a scan
  where (v_country is null or u.country = v_country)
    and (v_city is null or private.fold(u.city) = v_city)
    and (p_after is null or (-b.value, b.id) > (-v_value, p_after))
  order by b.value desc, b.id limit 51;
end $function$;

CREATE OR REPLACE FUNCTION private.reputation_band(p_value numeric)
 RETURNS smallint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_value > 0 then floor(ln(1 + p_value::float8) / ln(2::float8)) else -1 end;
end $function$;

ALTER FUNCTION "private"."reputation_band"(numeric) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.unread_between(p_user uuid, p_from timestamp with time zone, p_to timestamp with time zone)
 RETURNS SETOF app.notifications
 LANGUAGE plpgsql
 STABLE
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
begin
  return query
    select n.* from app.notifications n
    where n.user_id = p_user and n.in_app = any ('{true,false}')   -- for notifications_updated_at_idx
      and n.read_at is null and n.updated_at > p_from and n.updated_at <= p_to
    order by n.updated_at desc limit 500;
end $function$;

CREATE INDEX notifications_updated_at_idx ON app.notifications USING btree (user_id, in_app, updated_at, id);

COMMENT ON COLUMN "app"."reputation_entries"."interest_id" IS 'The id of a row of the table `interests`. It has no foreign key, because app.reputation has one and a row for each interest with entries.';

COMMENT ON COLUMN "app"."reputation_kinds"."interest_id" IS 'The id of a row of the table `interests`. It has no foreign key, because app.reputation has one and a row for each person and interest here.';

COMMENT ON FUNCTION "private"."find_talent"(uuid[], text, text, uuid) IS 'Returns the next people with reputation in one of these interests, highest first, each with the interest where their reputation is highest. For each interest it considers the people of the highest bands of reputation, about 4000 in total, but at least 20 per interest.';

COMMENT ON FUNCTION "private"."reputation_band"(numeric) IS 'The band of a value of reputation: 0 below 1, 1 below 3, 2 below 7, one more with each doubling of the value plus one, and -1 for a value that is not above 0.';

COMMENT ON INDEX "app"."notifications_updated_at_idx" IS 'What changed in a person''s inbox, for private.list_changed, and everything that changed, for digests.';

REVOKE ALL ON FUNCTION "private"."reputation_band"(numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reputation_band"(numeric) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reputation_band"(numeric) TO "postgres";

ALTER TABLE "app"."reputation" ADD COLUMN "band" smallint GENERATED ALWAYS AS (private.reputation_band(value)) STORED NOT NULL;

COMMENT ON COLUMN "app"."reputation"."band" IS 'private.reputation_band of value. It changes rarely, so that an index can have it.';

CREATE INDEX reputation_interest_id_idx ON app.reputation USING btree (interest_id, band DESC, user_id);

update private.personal_data set "omits" = '{band}'
where "relation"::text = 'app.reputation' and "person_column"::text = 'user_id'
  and "omits"::text = '{}';
