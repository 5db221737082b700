-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

ALTER TABLE "app"."audit_details" ADD COLUMN "detail_salt" bytea;

ALTER TABLE "app"."audit_details" ADD COLUMN "ip_salt" bytea;

ALTER TABLE "app"."audit_log" ADD COLUMN "detail_hash" bytea;

ALTER TABLE "app"."audit_log" ADD COLUMN "ip_hash" bytea;

ALTER TABLE "app"."audit_log" ADD COLUMN "actor_salt" bytea;

CREATE OR REPLACE FUNCTION private.audit(p_action text, p_target_type text, p_target_id text, p_detail json DEFAULT NULL::json, p_subject uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_entry  app.audit_log;
  v_detail app.audit_details;
begin
  v_detail.ip := nullif(current_setting('request.headers', true), '')::json ->> 'x-forwarded-for';
  v_detail.detail := p_detail::jsonb;
  v_detail.subject_id := p_subject;
  v_detail.detail_salt := extensions.gen_random_bytes(16);
  v_detail.ip_salt := extensions.gen_random_bytes(16);
  v_entry.actor_salt := extensions.gen_random_bytes(16);
  v_entry.detail_hash := private.salted_hash(v_detail.detail_salt, v_detail.detail::text);
  v_entry.ip_hash := private.salted_hash(v_detail.ip_salt, v_detail.ip);
  -- locks first and reads in a later statement: otherwise two entries could follow the same entry and fork the chain
  perform private.lock('audit');
  select id + 1, hash into v_entry.id, v_entry.previous from app.audit_log order by id desc limit 1;
  v_entry.id := coalesce(v_entry.id, 1);
  v_entry.action := p_action;
  v_entry.actor_id := app.uid();
  v_entry.target_type := p_target_type;
  v_entry.target_id := p_target_id;
  v_entry.created_at := clock_timestamp();
  v_entry.hash := private.audit_hash(v_entry);
  insert into app.audit_log values (v_entry.*);
  insert into private.audit_head as h (entries, hash) values (1, v_entry.hash)
  on conflict ((true)) do update set entries = h.entries + 1, hash = excluded.hash;
  v_detail.audit_id := v_entry.id;
  insert into app.audit_details values (v_detail.*);
end $function$;

CREATE OR REPLACE FUNCTION private.audit_content(p_entry app.audit_log)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if p_entry.detail_hash is null then   -- an entry of 1.0.0
    return json_build_array(p_entry.id, p_entry.action, p_entry.actor_id, p_entry.target_type, p_entry.target_id,
                            extract(epoch from p_entry.created_at));
  end if;
  return json_build_array(
    p_entry.id, p_entry.action, encode(private.salted_hash(p_entry.actor_salt, p_entry.actor_id::text), 'hex'),
    p_entry.target_type, p_entry.target_id, (extract(epoch from p_entry.created_at) * 1000000)::bigint,
    encode(p_entry.ip_hash, 'hex'), encode(p_entry.detail_hash, 'hex'));
end $function$;

ALTER FUNCTION "private"."audit_content"(app.audit_log) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.audit_hash(p_entry app.audit_log)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return sha256(coalesce(p_entry.previous, ''::bytea)
                || convert_to(private.audit_content(p_entry)::text, 'UTF8'));
end $function$;

CREATE OR REPLACE FUNCTION private.forget_audit_salts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.detail is null and old.detail is not null then
    new.detail_salt := null;
  end if;
  if new.ip is null and old.ip is not null then
    new.ip_salt := null;
  end if;
  return new;
end $function$;

ALTER FUNCTION "private"."forget_audit_salts"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_audit_detail_changed(p_entry app.audit_log, p_detail app.audit_details)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_entry.detail_hash <> private.salted_hash(p_detail.detail_salt, p_detail.detail::text), false)
      or coalesce(p_entry.ip_hash <> private.salted_hash(p_detail.ip_salt, p_detail.ip), false)
      or p_entry.detail_hash is not null
         and (p_detail.detail is not null and p_detail.detail_salt is null
              or p_detail.ip is not null and p_detail.ip_salt is null);
end $function$;

ALTER FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.salted_hash(p_salt bytea, p_text text)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$ begin return sha256(p_salt || convert_to(coalesce(p_text, ''), 'UTF8')); end $function$;

ALTER FUNCTION "private"."salted_hash"(bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.verify_audit(p_after bigint)
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
  c_most     constant integer := 10000;
  v_head     private.audit_head;
  v_entry    app.audit_log;
  v_row      record;
  v_last     bigint := p_after;
  v_previous bytea;
  v_broken   bigint;
begin
  select * into v_head from private.audit_head;
  if p_after > 0 then
    select hash into v_previous from app.audit_log where id = p_after;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  for v_row in
    select l as entry, d as detail from app.audit_log l left join app.audit_details d on d.audit_id = l.id
    where l.id > p_after order by l.id limit c_most
  loop
    v_entry := v_row.entry;
    if v_entry.id <> v_last + 1 then
      v_broken := v_last + 1;
    elsif v_entry.previous is distinct from v_previous or v_entry.hash <> private.audit_hash(v_entry)
       or private.is_audit_detail_changed(v_entry, v_row.detail) then
      v_broken := v_entry.id;
    end if;
    exit when v_broken is not null;
    v_last := v_entry.id;
    v_previous := v_entry.hash;
  end loop;
  if v_broken is null and v_last < p_after + c_most then
    -- the end of the log: only the head reveals that entries are missing there
    v_broken := case when v_last <> coalesce(v_head.entries, 0) then least(v_last, coalesce(v_head.entries, 0)) + 1
                     when v_previous is distinct from v_head.hash then v_last end;
  end if;
  return json_build_object(
    'ok', v_broken is null,
    'entries', coalesce(v_head.entries, 0),
    'firstBroken', v_broken,
    'verifiedTo', v_last,
    'next', case when v_broken is null and v_last = p_after + c_most then v_last end);
end $function$;

CREATE TRIGGER _050_forget_salts BEFORE UPDATE ON app.audit_details FOR EACH ROW EXECUTE FUNCTION private.forget_audit_salts();

COMMENT ON COLUMN "app"."audit_details"."detail_salt" IS 'The salt of audit_log.detail_hash. It is emptied with the detail: with it, a text could be guessed from its hash.';

COMMENT ON COLUMN "app"."audit_details"."ip_salt" IS 'The same for the address.';

COMMENT ON COLUMN "app"."audit_log"."actor_salt" IS 'The salt of the hash of actor_id. It stays, as the actor does: whoever got it could find the actor by trial.';

COMMENT ON COLUMN "app"."audit_log"."detail_hash" IS 'private.salted_hash of the detail as text, empty if there is none. Null in an entry of 1.0.0, as the next two are: its hash covers neither detail nor address.';

COMMENT ON COLUMN "app"."audit_log"."ip_hash" IS 'The same of the address.';

COMMENT ON FUNCTION "private"."audit_content"(app.audit_log) IS 'What the hash of an entry covers besides the hash before it: [id, action, hash of the actor, target type, target id, microseconds since 1970, hash of the address, hash of the detail]. Its text has one space after each comma.';

COMMENT ON FUNCTION "private"."audit_hash"(app.audit_log) IS 'SHA-256 of the hash before the entry and, after it, of its content as text.';

COMMENT ON FUNCTION "private"."forget_audit_salts"() IS 'Trigger: whoever empties a detail or an address empties its salt. Then the audit log still verifies.';

COMMENT ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) IS 'Whether the detail or the address of an entry is another than when it was written. What an erasure emptied, with its salt, is not. Of an entry of 1.0.0 nobody can tell.';

COMMENT ON FUNCTION "private"."salted_hash"(bytea, text) IS 'SHA-256 of the salt and, after it, the text in UTF-8.';

COMMENT ON FUNCTION "private"."verify_audit"(bigint) IS 'Verifies the next 10,000 entries after p_after, and at the end the head: {ok, entries, firstBroken, verifiedTo, next}. firstBroken is the first entry that was changed, has a changed detail, or is missing.';

COMMENT ON TABLE "app"."audit_log" IS 'Every write by staff, chained by hash to the one before it. It has only ids and numbers; texts and addresses are in app.audit_details. So that one entry can be shown without the person who wrote it, its hash covers salted hashes of the actor, the address and the detail.';

REVOKE ALL ON FUNCTION "private"."audit_content"(app.audit_log) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."audit_content"(app.audit_log) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."audit_content"(app.audit_log) TO "postgres";

REVOKE ALL ON FUNCTION "private"."forget_audit_salts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_audit_salts"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."forget_audit_salts"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) TO "postgres";

REVOKE ALL ON FUNCTION "private"."salted_hash"(bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."salted_hash"(bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."salted_hash"(bytea, text) TO "postgres";

update private.personal_data set "omits" = '{detail,subject_id,detail_salt,ip_salt}'
where "relation"::text = 'app.audit_details' and "person_column"::text = 'audit_id'
  and "omits"::text = '{detail,subject_id}';

update private.personal_data set "omits" = '{target_id,previous,hash,detail_hash,ip_hash,actor_salt}'
where "relation"::text = 'app.audit_log' and "person_column"::text = 'actor_id'
  and "omits"::text = '{target_id,previous,hash}';

update private.personal_data set "omits" = '{actor_id,previous,hash,detail_hash,ip_hash,actor_salt}'
where "relation"::text = 'app.audit_log' and "person_column"::text = 'target_id'
  and "omits"::text = '{actor_id,previous,hash}';
