-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.get_statement(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return private.own_statement(p_id); end $function$;

ALTER FUNCTION "api"."get_statement"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.audit_proof(p_entry bigint)
 RETURNS json
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
  v_entry      app.audit_log;
  v_detail     app.audit_details;
  v_checkpoint private.audit_checkpoints;
  v_after      bigint;
begin
  select * into v_entry from app.audit_log where id = p_entry;
  select * into v_detail from app.audit_details where audit_id = p_entry;
  select * into v_checkpoint from private.audit_checkpoints where entries >= p_entry order by entries limit 1;
  if not found or v_entry.detail_hash is null then   -- the content of an entry of 1.0.0 has the id of the actor
    return null;
  end if;
  v_after := coalesce((select entries from private.audit_checkpoints where number = v_checkpoint.number - 1), 0);
  return json_build_object(
    'previous', encode(v_entry.previous, 'hex'),
    'content', private.audit_content(v_entry)::text,
    'detail', case when v_detail.detail_salt is not null then v_detail.detail::text end,
    'salt', encode(v_detail.detail_salt, 'hex'),
    'place', v_entry.id - v_after - 1,
    'size', v_checkpoint.entries - v_after,
    'path', array(
      select encode(p.node, 'hex')
      from unnest(private.merkle_path(private.merkle_leaves(v_after, v_checkpoint.entries), v_entry.id - v_after))
           with ordinality p (node, place) order by p.place),
    'checkpoint', private.checkpoint_card(v_checkpoint));
end $function$;

ALTER FUNCTION "private"."audit_proof"(bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.own_statement(p_decision uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_statement json;
begin
  select json_build_object(
    'id', d.id,
    'action', d.action,
    'targetType', d.target_type,
    'targetId', case when d.target_type <> 'user' then d.target_id end,
    'category', d.category,
    'categoryText', c.text,
    'rule', d.rule,
    'reason', d.reason,
    'automated', d.decided_by is null,
    'endsAt', private.utc(d.ends_at),
    'liftedAt', private.utc(d.lifted_at),
    'overturnedAt', private.utc(d.overturned_at),
    'createdAt', private.utc(d.decided_at),
    'proof', private.audit_proof(d.audit_id)) into v_statement
  from app.decisions d join private.case_categories c on c.category = d.category
  where d.id = p_decision and d.person_id = private.require_caller();
  if not found then
    perform private.raise_error('statement_unknown');
  end if;
  return v_statement;
end $function$;

ALTER FUNCTION "private"."own_statement"(uuid) OWNER TO "postgres";

CREATE UNIQUE INDEX audit_checkpoints_entries_idx ON private.audit_checkpoints USING btree (entries);

COMMENT ON FUNCTION "api"."get_statement"(uuid) IS 'The statement of reasons for a decision about the caller, never with who decided: {id, action, targetType, targetId, category, categoryText, rule, reason, automated, endsAt, liftedAt, overturnedAt, createdAt, proof}.';

COMMENT ON FUNCTION "private"."audit_proof"(bigint) IS 'The proof that an entry stands in the audit log: {previous, content, detail, salt, place, size, path, checkpoint}. Null until a checkpoint covers it. Detail and salt are null after an erasure.';

COMMENT ON FUNCTION "private"."own_statement"(uuid) IS 'The statement of reasons for a decision about the caller.';

REVOKE ALL ON FUNCTION "api"."get_statement"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."get_statement"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."get_statement"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_statement"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."audit_proof"(bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."audit_proof"(bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."audit_proof"(bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_statement"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_statement"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_statement"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_statement"(uuid) TO "postgres";

insert into private.errors ("code", "status", "text")
values ('statement_unknown', '404', 'There is no such decision about you.');
