-- What every feature writes: domain events, idempotent answers, the audit chain; and how a page is answered.
-- Specification: Events; Other › Audit log entry; Pagination. Decisions: Idempotency, Lists, Roles.

create table app.domain_events (
  id         bigint generated always as identity primary key,
  name       text not null check (name ~ '^[a-z_]+(\.[a-z_]+)+$'),
  payload    jsonb not null,
  created_at timestamptz not null default now()
);
create index domain_events_created_at_idx on app.domain_events (created_at);
comment on table app.domain_events is
  'The outbox: what happened, written by the transaction that caused it. Higher features hang their triggers on it.';

create function private.emit(p_name text, p_payload json) returns void
language plpgsql volatile security definer   -- the outbox is written through here alone
set search_path = ''
as $$
begin
  insert into app.domain_events (name, payload) values (p_name, p_payload::jsonb);
end $$;
comment on function private.emit is 'Records a domain event. Names and payloads: specification, Events.';

create table app.idempotency_keys (
  user_id    uuid not null references app.users on delete cascade,
  operation  text not null,
  key        text not null check (length(key) between 1 and 200),
  request    bytea not null,
  answer     text,
  created_at timestamptz not null default now(),
  primary key (user_id, operation, key)
);
create index idempotency_keys_created_at_idx on app.idempotency_keys (created_at);
comment on table app.idempotency_keys is
  'Answers kept for 24 hours by caller, operation and Idempotency-Key. request is the hash of the parameters.';

insert into private.errors (word, status, text) values
  ('idempotency_key_invalid', 422, 'Idempotency-Key must have 1 to 200 characters.'),
  ('idempotency_key_reused', 422, 'This Idempotency-Key was used with another request.'),
  ('idempotency_key_busy', 409, 'The first request with this Idempotency-Key is still running.'),
  ('idempotency_answer_gone', 410, 'The first request with this Idempotency-Key succeeded. Its answer told of somebody who is gone.');

create function private.idempotency_key() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (select nullif(current_setting('request.headers', true), '')::json ->> 'idempotency-key');
end $$;
comment on function private.idempotency_key is 'The request''s Idempotency-Key, or null.';

create function private.replayed(p_operation text, p_request json) returns json
language plpgsql volatile security definer   -- answers are read and written through here alone
set search_path = ''
as $$
declare
  v_key     text := private.idempotency_key();
  v_request bytea := sha256(convert_to(p_request::text, 'UTF8'));
  v_wait    text := current_setting('lock_timeout');
  v_kept    app.idempotency_keys;
begin
  if v_key is null then
    return null;
  end if;
  if length(v_key) not between 1 and 200 then
    perform private.fail('idempotency_key_invalid');
  end if;

  begin
    perform set_config('lock_timeout', '5s', true);
    -- waits here while a first request with this key runs
    insert into app.idempotency_keys as k (user_id, operation, key, request)
    values (private.caller(), p_operation, v_key, v_request)
    on conflict (user_id, operation, key) do update
      set request = excluded.request, answer = null, created_at = now()
      where k.created_at < now() - interval '24 hours';
    perform set_config('lock_timeout', v_wait, true);
  exception when lock_not_available then
    perform private.fail('idempotency_key_busy');
  end;

  select * into v_kept from app.idempotency_keys
  where user_id = app.uid() and operation = p_operation and key = v_key;
  if v_kept.request <> v_request then
    perform private.fail('idempotency_key_reused');
  end if;
  if v_kept.answer = '' then
    perform private.fail('idempotency_answer_gone');   -- an erasure emptied it: sql/base/90_erasure.sql
  elsif v_kept.answer is not null then
    perform set_config('response.headers', '[{"Idempotency-Replayed": "true"}]', true);
  end if;
  return v_kept.answer::json;
end $$;
comment on function private.replayed is
  'The kept answer of an earlier request with the same Idempotency-Key; null when this is the first, or there is no key. Fails: idempotency_key_invalid, idempotency_key_reused, idempotency_key_busy, idempotency_answer_gone.';

create function private.keep(p_operation text, p_answer json) returns json
language plpgsql volatile security definer   -- answers are read and written through here alone
set search_path = ''
as $$
declare
  v_key text := private.idempotency_key();
begin
  if v_key is not null then
    update app.idempotency_keys set answer = p_answer::text
    where user_id = app.uid() and operation = p_operation and key = v_key;
  end if;
  return p_answer;
end $$;
comment on function private.keep is 'Keeps an answer for private.replayed, and gives it back. A failure is undone with its key.';

create table app.audit_log (
  id          bigint primary key,
  action      text not null,
  actor_id    uuid references app.users on delete restrict,
  target_type text not null,
  target_id   text not null,
  created_at  timestamptz not null,
  previous    bytea,
  hash        bytea not null
);
create index audit_log_actor_id_idx on app.audit_log (actor_id);
comment on table app.audit_log is
  'Every write of staff, chained by hash to the one before it. Ids and numbers only; words and addresses are in app.audit_details.';
create trigger refuse_change before update or delete on app.audit_log
  for each row execute function private.refuse_change();
create trigger refuse_truncate before truncate on app.audit_log
  for each statement execute function private.refuse_change();

create table app.audit_details (
  audit_id bigint primary key references app.audit_log on delete restrict,
  ip       text,
  detail   jsonb
);
comment on table app.audit_details is 'The erasable side of an audit entry: the caller''s address, reasons, free text.';

create function private.audit_hash(p_entry app.audit_log) returns bytea
language sql immutable
set search_path = ''
as $$
  select sha256(coalesce(p_entry.previous, ''::bytea) || convert_to(
    json_build_array(p_entry.id, p_entry.action, p_entry.actor_id, p_entry.target_type, p_entry.target_id,
                     extract(epoch from p_entry.created_at))::text, 'UTF8'))
$$;
comment on function private.audit_hash is 'SHA-256 over the entry and the hash before it.';

create function private.audit(p_action text, p_target_type text, p_target_id text, p_detail json default null) returns void
language plpgsql volatile security definer   -- the chain is written through here alone
set search_path = ''
as $$
declare
  v_entry app.audit_log;
begin
  -- the lock first, then the read in a later statement: reading the last row first forks the chain
  perform pg_advisory_xact_lock(hashtextextended('app.audit_log', 0));
  select id + 1, hash into v_entry.id, v_entry.previous from app.audit_log order by id desc limit 1;
  v_entry.id := coalesce(v_entry.id, 1);
  v_entry.action := p_action;
  v_entry.actor_id := app.uid();
  v_entry.target_type := p_target_type;
  v_entry.target_id := p_target_id;
  v_entry.created_at := clock_timestamp();
  v_entry.hash := private.audit_hash(v_entry);
  insert into app.audit_log values (v_entry.*);
  insert into app.audit_details (audit_id, ip, detail)
  values (v_entry.id, nullif(current_setting('request.headers', true), '')::json ->> 'x-forwarded-for', p_detail::jsonb);
end $$;
comment on function private.audit is 'Appends an audit entry of the caller. The last step of an operation: it lets one writer through at a time.';

create function private.cursor_uuid(p_cursor text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if not pg_input_is_valid(p_cursor, 'uuid') then
    perform private.fail('cursor_unknown');
  end if;
  return p_cursor::uuid;
end $$;
comment on function private.cursor_uuid is 'A cursor that is a UUID; null stays null. Fails: cursor_unknown.';

create function private.page(p_items json, p_cursors text[], p_limit integer) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  if p_limit is null or p_limit not between 1 and 50 then   -- null would be a list without end
    perform private.fail('limit_out_of_range');
  end if;
  return json_build_object(
    'items', coalesce(p_items, '[]'::json),
    'nextCursor', case when cardinality(p_cursors) > p_limit then p_cursors[p_limit] end,
    'hasMore', cardinality(p_cursors) > p_limit);
end $$;
comment on function private.page is
  '{items, nextCursor, hasMore}: the items of a page, and the cursors of one item more than the page, in order. Fails: limit_out_of_range.';

create function private.merged(p_card json, p_more json) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  -- as text: parsing both into jsonb and printing them takes ten times as long
  return left(p_card::text, -1) || ',' || substr(p_more::text, 2);
end $$;
comment on function private.merged is
  'Two objects as one, neither of them empty and without a field in common. The first has no blank at its end, as what json_build_object makes.';

create function private.not_modified(p_version text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_tag   text := '"' || encode(sha256(convert_to(p_version, 'UTF8')), 'hex') || '"';
  v_known text := nullif(current_setting('request.headers', true), '')::json ->> 'if-none-match';
begin
  perform set_config('response.headers', json_build_array(
    json_build_object('ETag', v_tag), json_build_object('Cache-Control', 'private, no-cache'))::text, true);
  if v_known is null or strpos(v_known, v_tag) = 0 then
    return false;
  end if;
  perform set_config('response.status', '304', true);
  return true;
end $$;
comment on function private.not_modified is
  'Puts the ETag of this version on the answer; true when If-None-Match names it, and then the operation answers null (304). Ask before the answer is made.';
