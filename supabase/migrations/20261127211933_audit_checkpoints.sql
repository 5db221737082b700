-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "private"."audit_checkpoints" ("number" bigint NOT NULL, "entries" bigint NOT NULL, "head" bytea NOT NULL, "root" bytea NOT NULL, "previous" bytea, "created_at" timestamp with time zone NOT NULL, "key" text NOT NULL, "signature" text NOT NULL, CONSTRAINT "audit_checkpoints_number_check" CHECK ((number > 0)), CONSTRAINT "audit_checkpoints_pkey" PRIMARY KEY (number));

ALTER TABLE "private"."audit_checkpoints" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."audit_checkpoints" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_checkpoint(p_checkpoint json, p_signature text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_new private.audit_checkpoints := json_populate_record(null::private.audit_checkpoints, p_checkpoint);
begin
  v_new.signature := p_signature;
  insert into private.audit_checkpoints values (v_new.*) on conflict (number) do nothing;
  return found;
end $function$;

ALTER FUNCTION "private"."add_checkpoint"(json, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.checkpoint_card(p_checkpoint private.audit_checkpoints)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('number', p_checkpoint.number, 'text', private.checkpoint_text(p_checkpoint),
                           'signature', p_checkpoint.signature);
end $function$;

ALTER FUNCTION "private"."checkpoint_card"(private.audit_checkpoints) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.checkpoint_text(p_checkpoint private.audit_checkpoints)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_checkpoint.number is null then
    return null;
  end if;
  return format(E'kith audit checkpoint\nnumber: %s\nentries: %s\nhead: %s\nroot: %s\nprevious: %s\ncreated: %s\n'
                'key: %s\n',
                p_checkpoint.number, p_checkpoint.entries, encode(p_checkpoint.head, 'hex'),
                encode(p_checkpoint.root, 'hex'), coalesce(encode(p_checkpoint.previous, 'hex'), 'none'),
                private.utc(p_checkpoint.created_at), p_checkpoint.key);
end $function$;

ALTER FUNCTION "private"."checkpoint_text"(private.audit_checkpoints) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.get_checkpoint(p_number bigint)
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
  v_checkpoint private.audit_checkpoints;
  v_after      bigint;
begin
  select * into v_checkpoint from private.audit_checkpoints where number = p_number;
  if not found then
    perform private.raise_error('checkpoint_unknown');
  end if;
  v_after := coalesce((select entries from private.audit_checkpoints where number = p_number - 1), 0);
  return json_build_object(
    'checkpoint', private.checkpoint_card(v_checkpoint),
    'hashes', array(select encode(l.hash, 'hex') from app.audit_log l
                    where l.id > v_after and l.id <= v_checkpoint.entries order by l.id));
end $function$;

ALTER FUNCTION "private"."get_checkpoint"(bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.job_checkpoint_audit()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if coalesce((private.last_checkpoint()).entries, 0) >= coalesce((select entries from private.audit_head), 0)
     or exists (select from pgboss.job j where j.name = 'audit-checkpoints' and j.state <= 'active') then
    return 0;
  end if;
  perform private.enqueue('audit-checkpoints', '{}');
  return 1;
end $function$;

ALTER FUNCTION "private"."job_checkpoint_audit"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.last_checkpoint()
 RETURNS private.audit_checkpoints
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select c from private.audit_checkpoints c order by number desc limit 1);
end $function$;

ALTER FUNCTION "private"."last_checkpoint"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_checkpoints(p_from bigint)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c_most constant integer := 100;
begin
  return json_build_object(
    'checkpoints', (select coalesce(json_agg(private.checkpoint_card(c) order by c.number), '[]')
                    from private.audit_checkpoints c where c.number >= p_from and c.number - p_from < c_most),
    'next', (select p_from + c_most where exists (
               select from private.audit_checkpoints c where c.number >= p_from + c_most)));
end $function$;

ALTER FUNCTION "private"."list_checkpoints"(bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.merkle_leaves(p_after bigint, p_to bigint)
 RETURNS bytea[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(select sha256('\x00'::bytea || l.hash) from app.audit_log l
               where l.id > p_after and l.id <= p_to order by l.id);
end $function$;

ALTER FUNCTION "private"."merkle_leaves"(bigint, bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.merkle_parents(p_nodes bytea[])
 RETURNS bytea[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select case when p.next is null then p.node else sha256('\x01'::bytea || p.node || p.next) end
    from (select n.node, n.place, lead(n.node) over (order by n.place) as next
          from unnest(p_nodes) with ordinality n (node, place)) p
    where p.place % 2 = 1 order by p.place);
end $function$;

ALTER FUNCTION "private"."merkle_parents"(bytea[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.merkle_path(p_leaves bytea[], p_place bigint)
 RETURNS bytea[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_nodes   bytea[] := p_leaves;
  v_at      bigint := p_place - 1;
  v_beside  bigint;
  v_path    bytea[] := '{}';
begin
  while cardinality(v_nodes) > 1 loop
    v_beside := v_at # 1;
    if v_beside < cardinality(v_nodes) then
      v_path := v_path || v_nodes[v_beside + 1];
    end if;
    v_nodes := private.merkle_parents(v_nodes);
    v_at := v_at / 2;
  end loop;
  return v_path;
end $function$;

ALTER FUNCTION "private"."merkle_path"(bytea[], bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.merkle_root(p_leaves bytea[])
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_nodes bytea[] := p_leaves;
begin
  while cardinality(v_nodes) > 1 loop
    v_nodes := private.merkle_parents(v_nodes);
  end loop;
  return v_nodes[1];
end $function$;

ALTER FUNCTION "private"."merkle_root"(bytea[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.next_checkpoint(p_key text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c_most   constant integer := 10000;
  v_last   private.audit_checkpoints := private.last_checkpoint();
  v_after  bigint := coalesce(v_last.entries, 0);
  v_next   private.audit_checkpoints;
begin
  v_next.entries := (select least(h.entries, v_after + c_most) from private.audit_head h);
  if coalesce(v_next.entries, 0) <= v_after then
    return null;
  end if;
  v_next.number := coalesce(v_last.number, 0) + 1;
  v_next.head := (select hash from app.audit_log where id = v_next.entries);
  v_next.root := private.merkle_root(private.merkle_leaves(v_after, v_next.entries));
  v_next.previous := sha256(convert_to(private.checkpoint_text(v_last), 'UTF8'));
  v_next.created_at := date_trunc('milliseconds', clock_timestamp());
  v_next.key := p_key;
  return json_build_object('checkpoint', v_next, 'text', private.checkpoint_text(v_next));
end $function$;

ALTER FUNCTION "private"."next_checkpoint"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.verify_checkpoints(p_after bigint)
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
  c_most   constant integer := 10;
  v_one    private.audit_checkpoints;
  v_before private.audit_checkpoints;
  v_last   bigint := p_after;
  v_broken bigint;
begin
  select * into v_before from private.audit_checkpoints where number = p_after;
  for v_one in
    select * from private.audit_checkpoints where number > p_after order by number limit c_most
  loop
    if v_one.number <> v_last + 1
       or v_one.entries <= coalesce(v_before.entries, 0)
       or v_one.previous is distinct from sha256(convert_to(private.checkpoint_text(v_before), 'UTF8'))
       or v_one.head is distinct from (select hash from app.audit_log where id = v_one.entries)
       or v_one.root is distinct from private.merkle_root(
            private.merkle_leaves(coalesce(v_before.entries, 0), v_one.entries)) then
      v_broken := v_one.number;
    end if;
    exit when v_broken is not null;
    v_last := v_one.number;
    v_before := v_one;
  end loop;
  return json_build_object('firstBroken', v_broken,
                           'next', case when v_broken is null and v_last = p_after + c_most then v_last end);
end $function$;

ALTER FUNCTION "private"."verify_checkpoints"(bigint) OWNER TO "postgres";

CREATE TRIGGER reject_change BEFORE DELETE OR UPDATE ON private.audit_checkpoints FOR EACH ROW EXECUTE FUNCTION private.reject_change();

CREATE TRIGGER reject_truncate BEFORE TRUNCATE ON private.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION private.reject_change();

COMMENT ON COLUMN "private"."audit_checkpoints"."entries" IS 'The number of the last entry that it covers.';

COMMENT ON COLUMN "private"."audit_checkpoints"."head" IS 'The hash of that entry.';

COMMENT ON COLUMN "private"."audit_checkpoints"."key" IS 'The public Ed25519 key that verifies the signature, in base64url.';

COMMENT ON COLUMN "private"."audit_checkpoints"."previous" IS 'SHA-256 of the text of the checkpoint before it.';

COMMENT ON COLUMN "private"."audit_checkpoints"."root" IS 'The root of the Merkle tree (RFC 9162, 2.1) over the hashes of the entries that it covers.';

COMMENT ON COLUMN "private"."audit_checkpoints"."signature" IS 'Of private.checkpoint_text, in base64url.';

COMMENT ON FUNCTION "private"."add_checkpoint"(json, text) IS 'For the worker alone: adds a signed checkpoint. False if another worker was first.';

COMMENT ON FUNCTION "private"."checkpoint_card"(private.audit_checkpoints) IS 'A checkpoint as it is published: {number, text, signature}.';

COMMENT ON FUNCTION "private"."checkpoint_text"(private.audit_checkpoints) IS 'What is signed: a line for each field, hashes in hex.';

COMMENT ON FUNCTION "private"."get_checkpoint"(bigint) IS 'For the facade: a checkpoint, and the hashes that the entries it covers have now, up to 10,000.';

COMMENT ON FUNCTION "private"."job_checkpoint_audit"() IS 'Job: queues a checkpoint of the audit log if there are entries without one. The worker signs it. May run twice: while one is queued or running, it adds none.';

COMMENT ON FUNCTION "private"."last_checkpoint"() IS 'The newest checkpoint, or null.';

COMMENT ON FUNCTION "private"."list_checkpoints"(bigint) IS 'For the facade: 100 checkpoints from a number on, {checkpoints, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."merkle_leaves"(bigint, bigint) IS 'The leaves of the Merkle tree over the entries after one, up to another.';

COMMENT ON FUNCTION "private"."merkle_parents"(bytea[]) IS 'The next level of a Merkle tree. A last node without a neighbour moves up as it is.';

COMMENT ON FUNCTION "private"."merkle_path"(bytea[], bigint) IS 'The inclusion path (RFC 9162, 2.1.3) of the leaf at this place, counted from 1: the neighbours up to the root.';

COMMENT ON FUNCTION "private"."merkle_root"(bytea[]) IS 'The root of the Merkle tree over these leaves; null if there are none.';

COMMENT ON FUNCTION "private"."next_checkpoint"(text) IS 'For the worker alone: the checkpoint over the next 10,000 entries, to be signed with the key of p_key: {checkpoint, text}, or null if every entry has one.';

COMMENT ON FUNCTION "private"."verify_checkpoints"(bigint) IS 'Compares the next 10 checkpoints after p_after with the audit log: {firstBroken, next}. It can''t verify the signatures.';

COMMENT ON TABLE "private"."audit_checkpoints" IS 'Each covers up to 10,000 entries of the audit log, after those of the checkpoint before it.';

REVOKE ALL ON FUNCTION "private"."add_checkpoint"(json, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_checkpoint"(json, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_checkpoint"(json, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_checkpoint"(json, text) TO "worker";

REVOKE ALL ON FUNCTION "private"."checkpoint_card"(private.audit_checkpoints) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."checkpoint_card"(private.audit_checkpoints) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."checkpoint_card"(private.audit_checkpoints) TO "postgres";

REVOKE ALL ON FUNCTION "private"."checkpoint_text"(private.audit_checkpoints) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."checkpoint_text"(private.audit_checkpoints) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."checkpoint_text"(private.audit_checkpoints) TO "postgres";

REVOKE ALL ON FUNCTION "private"."get_checkpoint"(bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."get_checkpoint"(bigint) TO "gate";

REVOKE ALL ON FUNCTION "private"."get_checkpoint"(bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."get_checkpoint"(bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_checkpoint_audit"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."job_checkpoint_audit"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_checkpoint_audit"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_checkpoint_audit"() TO "worker";

REVOKE ALL ON FUNCTION "private"."last_checkpoint"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."last_checkpoint"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."last_checkpoint"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_checkpoints"(bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_checkpoints"(bigint) TO "gate";

REVOKE ALL ON FUNCTION "private"."list_checkpoints"(bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_checkpoints"(bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."merkle_leaves"(bigint, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."merkle_leaves"(bigint, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."merkle_leaves"(bigint, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."merkle_parents"(bytea[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."merkle_parents"(bytea[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."merkle_parents"(bytea[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."merkle_path"(bytea[], bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."merkle_path"(bytea[], bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."merkle_path"(bytea[], bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."merkle_root"(bytea[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."merkle_root"(bytea[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."merkle_root"(bytea[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_checkpoint"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."next_checkpoint"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."next_checkpoint"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."next_checkpoint"(text) TO "worker";

REVOKE ALL ON FUNCTION "private"."verify_checkpoints"(bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."verify_checkpoints"(bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."verify_checkpoints"(bigint) TO "postgres";

insert into private.errors ("code", "status", "text")
values ('checkpoint_unknown', '404', 'There is no such checkpoint.');

insert into private.jobs ("name", "cron", "expires", "repeats", "alarm")
values ('checkpoint-audit', '30 2 * * *', '60', 'false', null);

insert into pgboss.queue ("name", "policy", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max", "expire_seconds", "retention_seconds", "deletion_seconds", "dead_letter", "partition", "table_name", "deferred_count", "queued_count", "ready_count", "warning_queued", "active_count", "failed_count", "total_count", "created_delta", "completed_delta", "failed_delta", "delta_on", "delta_seconds", "ready_history", "heartbeat_seconds", "notify", "singletons_active", "monitor_claim_on", "monitor_on", "maintain_on")
values ('audit-checkpoints', 'standard', '2', '0', 'false', null, '900', '1209600', '604800', null, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', null, null, '{}', null, 'false', null, null, null, null);
