-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "private"."ledger_findings" ("ledger" text NOT NULL, "place" integer NOT NULL, "rule" text NOT NULL, "subject" uuid, "expected" bigint, "found" bigint, CONSTRAINT "ledger_findings_pkey" PRIMARY KEY (ledger, place), CONSTRAINT "ledger_findings_place_check" CHECK (((place >= 1) AND (place <= 100))));

ALTER TABLE "private"."ledger_findings" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."ledger_findings" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.end_user_sessions(p_id text, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason text;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  return json_build_object('ended', private.end_sessions_of(
    private.lock_account(private.require_any_person(p_id)), v_reason));
end $function$;

ALTER FUNCTION "api"."end_user_sessions"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_books()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_books();
end $function$;

ALTER FUNCTION "api"."get_books"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_failed_jobs(p_queue text DEFAULT NULL::text, p_status text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page('failed_jobs', json_build_object('queue', p_queue, 'status', p_status), array['queue'],
                            p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_stuck_effects(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return private.staff_page('stuck_effects', '{}', '{}', null, null, null, p_limit, p_cursor); end $function$;

ALTER FUNCTION "api"."list_stuck_effects"(integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_user_sessions(p_id text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page('sessions', json_build_object('user_id', private.find_staff_person(p_id)),
                            array['user_id'], null, null, null, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_user_sessions"(text, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.preview_broadcast(p_title text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts;
begin
  perform private.require_role('admin');
  begin
    -- the row is written and undone: so a preview refuses and changes texts as a broadcast does
    v_broadcast := private.add_broadcast(p_title, p_body);
    raise exception using errcode = 'KP001';
  exception when sqlstate 'KP001' then
    null;
  end;
  return json_build_object('title', v_broadcast.title, 'body', v_broadcast.body,
                           'recipients', private.count_recipients('admin.broadcast'));
end $function$;

ALTER FUNCTION "api"."preview_broadcast"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.retry_failed_job(p_queue text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_retried boolean;
begin
  perform private.require_role('admin');
  v_retried := private.retry_failed_job(p_queue, p_id);
  if v_retried then
    perform private.audit('jobs.retried', 'queue', p_queue, json_build_object('job', p_id, 'retried', 1));
  end if;
  return json_build_object('retried', v_retried);
end $function$;

ALTER FUNCTION "api"."retry_failed_job"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.retry_stuck_effects(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_retried boolean;
begin
  perform private.require_role('admin');
  v_retried := private.retry_stuck(p_id);
  if v_retried then
    perform private.audit('effects.retried', 'user', p_id::text);
  end if;
  return json_build_object('retried', v_retried);
end $function$;

ALTER FUNCTION "api"."retry_stuck_effects"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_broadcast(p_title text, p_body text)
 RETURNS app.broadcasts
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts;
begin
  insert into app.broadcasts (actor_id, title, body)
  values (private.require_caller(), private.require_name(p_title), private.require_text(p_body))
  returning * into v_broadcast;
  return v_broadcast;
end $function$;

ALTER FUNCTION "private"."add_broadcast"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.begin_broadcast(p_title text, p_body text)
 RETURNS app.broadcasts
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts := private.add_broadcast(p_title, p_body);
begin
  perform private.enqueue('broadcasts', json_build_object('broadcastId', v_broadcast.id));
  perform private.emit('admin.broadcast.sent', json_build_object('broadcastId', v_broadcast.id));
  return v_broadcast;
end $function$;

CREATE OR REPLACE FUNCTION private.count_recipients(p_kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- whoever has no row wants the default of the kind
  return (select count(*) from app.users u where u.banned_at is null and u.erased_at is null)
       - (select count(*)
          from app.notification_preferences p
          join app.users u on u.id = p.user_id and u.banned_at is null and u.erased_at is null
          where p.kind = p_kind and not private.is_wanted(p.user_id, p.kind));
end $function$;

ALTER FUNCTION "private"."count_recipients"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_sessions_of(p_person app.users, p_reason text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_ended integer := (select count(*) from private.staff_sessions where user_id = p_person.id);
begin
  perform private.end_tokens(p_person.id);
  perform private.audit('user.sessions_ended', 'user', p_person.id::text,
                        case when p_reason is not null then json_build_object('reason', p_reason) end, p_person.id);
  return v_ended;
end $function$;

ALTER FUNCTION "private"."end_sessions_of"(app.users, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.job_audit_mana()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'mana';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_mana() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'mana', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker does the same
  )
  select count(*) into v_found from found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.job_audit_treasuries()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'treasuries';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_treasuries() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'treasuries', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker does the same
  )
  select count(*) into v_found from found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.retry_dead_letter(p_job pgboss.job)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue((p_job).source_name, (p_job).data::json);
  update pgboss.job j set state = 'completed', completed_on = now()
  where j.name = 'dead-letters' and j.id = (p_job).id;
  return true;
exception when unique_violation then
  return false;   -- a job of the same schedule is already waiting or running, so this one is not retried
end $function$;

ALTER FUNCTION "private"."retry_dead_letter"(pgboss.job) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.retry_failed(p_queue text, p_since timestamp with time zone, p_most integer DEFAULT NULL::integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job  pgboss.job;
  v_sent integer := 0;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    raise exception 'there is no queue %', p_queue;
  end if;
  for v_job in
    select j.* from pgboss.job j
    where j.name = 'dead-letters' and j.completed_on is null and j.source_name = p_queue and j.created_on >= p_since
    order by j.created_on, j.id
    limit p_most
    for update   -- a second caller waits here, and then finds that it was retried
  loop
    v_sent := v_sent + private.retry_dead_letter(v_job)::integer;
  end loop;
  return v_sent;
end $function$;

CREATE OR REPLACE FUNCTION private.retry_failed_job(p_queue text, p_id uuid)
 RETURNS boolean
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
  v_job pgboss.job;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    perform private.raise_error('queue_unknown');
  end if;
  select j.* into v_job from pgboss.job j
  where j.name = 'dead-letters' and j.source_id = p_id and j.source_name = p_queue
  order by j.created_on desc limit 1
  for update;   -- a second caller waits here, and then finds that it was retried
  if not found then
    perform private.raise_error('job_unknown');
  end if;
  return v_job.completed_on is null and private.retry_dead_letter(v_job);
end $function$;

ALTER FUNCTION "private"."retry_failed_job"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.retry_stuck(p_person uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.stuck_effects s set retry_at = now() where s.user_id = p_person and s.retry_at > now();
  if found then
    return true;
  elsif not exists (select from private.stuck_effects s where s.user_id = p_person) then
    perform private.raise_error('effects_not_stuck');
  end if;
  return false;
end $function$;

ALTER FUNCTION "private"."retry_stuck"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.safe_message(p_message text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- ids help to find the cause, so a UUID is no token
  return left(
    regexp_replace(
      regexp_replace(left(p_message, 2000), '[^[:space:]<>"''(),;:]+@[^[:space:]<>"''(),;:]+', '…', 'g'),
      '\m(?![0-9a-f]{8}-[0-9a-f]{4}-)(?=[A-Za-z+/_=.-]*[0-9])[A-Za-z0-9+/_=.-]{32,}', '…', 'g'), 200);
end $function$;

ALTER FUNCTION "private"."safe_message"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.staff_books()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'sound', case when bool_or(r.last_changed <> 0) then false when count(r.job) = count(*) then true end,
      'ledgers', json_agg(json_build_object(
        'ledger', l.ledger,
        'auditedAt', private.utc(r.last_ended_at),
        'violations', r.last_changed,
        'findings', coalesce((
          select json_agg(json_build_object('rule', f.rule, 'subjectId', f.subject, 'expected', f.expected,
                                            'found', f.found) order by f.place)
          from private.ledger_findings f where f.ledger = l.ledger), '[]')) order by l.place))
    from (values ('mana', 'audit-mana', 1), ('treasuries', 'audit-treasuries', 2)) l (ledger, job, place)
    left join private.job_runs r on r.job = l.job and r.last_ended_at is not null);
end $function$;

ALTER FUNCTION "private"."staff_books"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.staff_jobs(p_queue text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'jobs', (select json_agg(json_build_object(
                      'name', j.name,
                      'cron', j.cron,
                      'runs', coalesce(r.runs, 0),
                      'failures', coalesce(r.failures, 0),
                      'lastChanged', coalesce(r.last_changed, 0),
                      'lastRunAt', private.utc(r.last_run_at),
                      'lastFailedAt', private.utc(r.last_failed_at)) order by j.name)
             from private.jobs j left join private.job_runs r on r.job = j.name),
    'deadLetters', coalesce((
      select json_agg(json_build_object('queue', f.queue, 'id', f.id, 'message', private.safe_message(f.message),
                                        'retries', f.retries, 'createdAt', private.utc(f.created_at),
                                        'failedAt', private.utc(f.failed_at)) order by f.failed_at desc, f.id)
      from (select newest.*
            from pgboss.queue q
            cross join lateral (select * from private.failed_jobs j
                                where j.queue = q.name and j.retried_at is null limit 50) newest
            where p_queue is null or q.name = p_queue
            order by newest.failed_at desc, newest.id limit 50) f), '[]'::json),
    'queues', (
      select json_agg(json_build_object(
               'queue', q.name,
               'waiting', (select count(*) from (select from pgboss.job j where j.name = q.name and j.state < 'active'
                                                   and not j.blocked limit 1000) w),
               'active', (select count(*) from (select from pgboss.job j where j.name = q.name and j.state = 'active'
                                                limit 1000) a),
               'failed', (select count(*) from (select from pgboss.job j
                                                where j.name = 'dead-letters' and j.completed_on is null
                                                  and j.source_name = q.name limit 1000) f)) order by q.name)
      from pgboss.queue q where q.name !~ '^__pgboss' and q.name <> 'dead-letters'),
    'effects', (
      select json_build_object(
        'depth', count(*),
        'lagSeconds', round(coalesce(extract(epoch from clock_timestamp() - min(e.caused_at)), 0), 3),
        'stuckPeople', (select count(*) from private.stuck_effects))
      from (select caused_at from private.effects limit 100000) e));
end $function$;

CREATE VIEW "private"."staff_failed_jobs" WITH (security_invoker=true) AS  SELECT created_on AS at,
    source_id AS id,
    source_name AS queue,
        CASE
            WHEN (completed_on IS NULL) THEN 'open'::text
            ELSE 'retried'::text
        END AS status,
    concat_ws(' '::text, source_name, private.safe_message((source_output ->> 'message'::text))) AS said,
    json_build_object('id', source_id, 'queue', source_name, 'message', private.safe_message((source_output ->> 'message'::text)), 'retries', source_retry_count, 'createdAt', private.utc(source_created_on), 'failedAt', private.utc(created_on), 'retriedAt', private.utc(completed_on)) AS card
   FROM pgboss.job j
  WHERE (name = 'dead-letters'::text);

ALTER VIEW "private"."staff_failed_jobs" OWNER TO "postgres";

CREATE VIEW "private"."staff_sessions" WITH (security_invoker=true) AS  SELECT created_at AS at,
    id,
    user_id,
    json_build_object('id', id, 'userAgent', user_agent, 'createdAt', private.utc(created_at), 'lastUsedAt', private.utc(last_used_at), 'expiresAt', private.utc(expires_at)) AS card
   FROM app.sessions s
  WHERE ((ended_at IS NULL) AND (expires_at > now()));

ALTER VIEW "private"."staff_sessions" OWNER TO "postgres";

CREATE VIEW "private"."staff_stuck_effects" WITH (security_invoker=true) AS  SELECT s.failed_at AS at,
    s.user_id AS id,
    json_build_object('id', s.user_id, 'personId', s.user_id, 'person', p.card, 'event', s.event, 'eventId', s.event_id, 'listener', s.listener, 'attempts', s.attempts, 'code', "left"(s.message, 5), 'since', private.utc(e.caused_at), 'failedAt', private.utc(s.failed_at), 'retryAt', private.utc(s.retry_at)) AS card
   FROM ((private.stuck_effects s
     JOIN app.person_card p ON ((p.id = s.user_id)))
     LEFT JOIN private.effects e ON (((e.user_id = s.user_id) AND (e.id = s.effect_id))));

ALTER VIEW "private"."staff_stuck_effects" OWNER TO "postgres";

CREATE INDEX job_dead_source_idx ON pgboss.job USING btree (source_id) WHERE (name = 'dead-letters'::text);

CREATE INDEX job_failed_at_idx ON pgboss.job USING btree (created_on DESC, source_id DESC) WHERE (name = 'dead-letters'::text);

CREATE INDEX job_failed_in_idx ON pgboss.job USING btree (source_name, created_on DESC, source_id DESC) WHERE (name = 'dead-letters'::text);

CREATE INDEX stuck_effects_failed_at_idx ON private.stuck_effects USING btree (failed_at DESC, user_id DESC);

COMMENT ON COLUMN "private"."ledger_findings"."ledger" IS 'mana or treasuries.';

COMMENT ON COLUMN "private"."ledger_findings"."subject" IS 'The transaction, account, payment or row that breaks the rule.';

COMMENT ON FUNCTION "api"."end_user_sessions"(text, text) IS 'Ends all tokens and sessions of a person, who can log in again: {ended} is the number of rotating sessions. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."get_books"() IS 'What the latest nightly audits of the books found: {sound, ledgers: [{ledger, auditedAt, violations, findings: [{rule, subjectId, expected, found}]}]}, up to 100 findings of each.';

COMMENT ON FUNCTION "api"."get_jobs"(text) IS 'The state of the worker: {jobs: [{name, cron, runs, failures, lastChanged, lastRunAt, lastFailedAt}], deadLetters (of p_queue, or of all queues): [{queue, id, message, retries, createdAt, failedAt}], queues: [{queue, waiting, active, failed}], effects: {depth, lagSeconds, stuckPeople}}.';

COMMENT ON FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Jobs that failed for good in the last 30 days, newest first: {id, queue, message, retries, createdAt, failedAt, retriedAt}.';

COMMENT ON FUNCTION "api"."list_stuck_effects"(integer, text) IS 'Effects that fail, the last failure first: {id, personId, person, event, eventId, listener, attempts, code, since, failedAt, retryAt}.';

COMMENT ON FUNCTION "api"."list_user_sessions"(text, integer, text) IS 'The rotating sessions of a person that are not over, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt}.';

COMMENT ON FUNCTION "api"."preview_broadcast"(text, text) IS 'What a broadcast would be: {title, body, recipients}. Sends and keeps nothing.';

COMMENT ON FUNCTION "api"."retry_failed_job"(text, uuid) IS 'Puts one job that failed for good back on its queue, once: {retried}, which is false for a repeat. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."retry_stuck_effects"(uuid) IS 'Lets the worker try the failing effects of a person now: {retried}, which is false if it is about to do so anyway. An effect is applied once, because applying it deletes its row. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."add_broadcast"(text, text) IS 'Writes a message to everybody, which is not sent yet. Fails: broadcast_title, broadcast_body.';

COMMENT ON FUNCTION "private"."count_recipients"(text) IS 'How many people would be notified if everybody were told something of this kind, whose default is to notify.';

COMMENT ON FUNCTION "private"."end_sessions_of"(app.users, text) IS 'Ends all tokens and sessions of a person whose row private.lock_account locked, and returns how many rotating sessions these were. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."job_audit_mana"() IS 'Job: counts the violations that private.audit_mana finds, and keeps the first 100 for staff. If the count is not 0, look at them: select * from private.audit_mana(). May run twice: it replaces what it kept.';

COMMENT ON FUNCTION "private"."job_audit_treasuries"() IS 'Job: counts the rows that private.audit_treasuries returns, and keeps the first 100 for staff. Any row is an error in the books: select * from private.audit_treasuries(). May run twice: it replaces what it kept.';

COMMENT ON FUNCTION "private"."retry_dead_letter"(pgboss.job) IS 'Retries a job that failed for good; false if its schedule has another one already. The caller must have locked the row and found that it was not retried.';

COMMENT ON FUNCTION "private"."retry_failed_job"(text, uuid) IS 'Retries one job that failed for good; false if it was retried before, or its schedule has another one already.';

COMMENT ON FUNCTION "private"."retry_stuck"(uuid) IS 'Lets the worker try the failing effects of a person now; false if it is about to do so anyway.';

COMMENT ON FUNCTION "private"."safe_message"(text) IS 'The message of an error for staff: its first 200 characters, without email addresses and without what looks like a token.';

COMMENT ON FUNCTION "private"."staff_books"() IS 'What the latest nightly audits of the ledgers of mana and of the treasuries found: {sound, ledgers: [{ledger, auditedAt, violations, findings}]}. sound is null until both have run, if nothing was found.';

COMMENT ON FUNCTION "private"."staff_jobs"(text) IS 'The state of the worker: its jobs, the newest 50 that failed permanently, of one queue or of all, the queues, each counted up to 1000, and the pending effects, counted up to 100,000.';

COMMENT ON TABLE "private"."ledger_findings" IS 'What the latest nightly audit of each ledger found, up to 100 violations, so that staff sees more than a number.';

COMMENT ON VIEW "private"."staff_failed_jobs" IS 'Jobs that failed for good as staff sees them: without their data, and without addresses and tokens.';

COMMENT ON VIEW "private"."staff_sessions" IS 'Rotating sessions that are not over as staff sees them: what the person sees of them, without tokens.';

COMMENT ON VIEW "private"."staff_stuck_effects" IS 'The effects that fail as staff sees them, one for each person: with the SQLSTATE of the error, whose message could have data.';

REVOKE ALL ON FUNCTION "api"."end_user_sessions"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."end_user_sessions"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_user_sessions"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_user_sessions"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."get_books"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."get_books"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_books"() TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_books"() TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_stuck_effects"(integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_stuck_effects"(integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_stuck_effects"(integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_stuck_effects"(integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_user_sessions"(text, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_user_sessions"(text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_user_sessions"(text, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_user_sessions"(text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."preview_broadcast"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."preview_broadcast"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."preview_broadcast"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."preview_broadcast"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."retry_failed_job"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."retry_failed_job"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."retry_failed_job"(text, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."retry_failed_job"(text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."retry_stuck_effects"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."retry_stuck_effects"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."retry_stuck_effects"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."retry_stuck_effects"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."add_broadcast"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_broadcast"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_broadcast"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_broadcast"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."count_recipients"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_recipients"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_recipients"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_recipients"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_sessions_of"(app.users, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_sessions_of"(app.users, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_sessions_of"(app.users, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_sessions_of"(app.users, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."retry_dead_letter"(pgboss.job) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."retry_dead_letter"(pgboss.job) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."retry_dead_letter"(pgboss.job) TO "postgres";

REVOKE ALL ON FUNCTION "private"."retry_failed_job"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."retry_failed_job"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."retry_failed_job"(text, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."retry_failed_job"(text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."retry_stuck"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."retry_stuck"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."retry_stuck"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."retry_stuck"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."safe_message"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."safe_message"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."safe_message"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."staff_books"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."staff_books"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."staff_books"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."staff_books"() TO "service_role";

insert into private.errors ("code", "status", "text")
values ('effects_not_stuck', '404', 'This person has no effects that fail.');

insert into private.errors ("code", "status", "text")
values ('job_unknown', '404', 'There is no such failed job.');
