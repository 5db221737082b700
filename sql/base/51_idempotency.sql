-- A request that is repeated with the same Idempotency-Key gets the first answer again.

create table app.idempotency_keys (
  user_id    uuid not null references app.users on delete cascade,
  operation  text not null,
  key        text not null check (length(key) between 1 and 200),
  request    bytea not null,
  answer     text,
  status     text,
  named      uuid[],
  created_at timestamptz not null default now(),
  primary key (user_id, operation, key)
);
create index idempotency_keys_created_at_idx on app.idempotency_keys (created_at);
-- without fastupdate, because every erasure would otherwise read the whole list of pending entries
create index idempotency_keys_named_idx on app.idempotency_keys using gin (named) with (fastupdate = off)
  where named is not null;
comment on table app.idempotency_keys is
  'Answers kept for 24 hours, by caller, operation and Idempotency-Key. request is the hash of the parameters.';
comment on column app.idempotency_keys.status is
  'The HTTP status of the answer if the operation chose one; null for the usual status of its route.';
comment on column app.idempotency_keys.named is
  'The people other than the caller whom the answer names; null if there are none. An erasure uses this column to '
  'find the answer.';

insert into private.errors (code, status, text) values
  ('idempotency_key_invalid', 422, 'Idempotency-Key must have 1 to 200 characters.'),
  ('idempotency_key_reused', 422, 'This Idempotency-Key was used for another request. Use a new key for each '
   'request.'),
  ('idempotency_key_busy', 409, 'The first request with this Idempotency-Key is still running. Try again when it has '
   'ended.'),
  ('idempotency_answer_gone', 410, 'The first request with this Idempotency-Key succeeded, but its answer is no '
   'longer available, because it is about a person who was erased.');

insert into private.lock_kinds (kind, position) values ('kept answer', 100);

create function private.find_idempotency_key() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (select nullif(current_setting('request.headers', true), '')::json ->> 'idempotency-key');
end $$;
comment on function private.find_idempotency_key is 'The request''s Idempotency-Key, or null.';

create function private.begin_idempotent(p_operation text, p_request json) returns json
language plpgsql volatile security definer   -- callers may not read or write answers
set search_path = ''
as $$
declare
  v_key     text := private.find_idempotency_key();
  v_request bytea;
  v_wait    text;
  v_kept    app.idempotency_keys;
begin
  if v_key is null then
    return null;
  end if;
  v_request := sha256(convert_to(p_request::text, 'UTF8'));
  v_wait := current_setting('lock_timeout');
  if length(v_key) not between 1 and 200 then
    perform private.raise_error('idempotency_key_invalid');
  end if;

  begin
    perform set_config('lock_timeout', '5s', true);
    perform private.check_lock_order('kept answer');
    -- this insert waits while the first request with this key runs
    insert into app.idempotency_keys as k (user_id, operation, key, request)
    values (private.require_caller(), p_operation, v_key, v_request)
    on conflict (user_id, operation, key) do update
      set request = excluded.request, answer = null, status = null, named = null, created_at = now()
      where k.created_at < now() - interval '24 hours';
    perform set_config('lock_timeout', v_wait, true);
  exception when lock_not_available then
    perform private.raise_error('idempotency_key_busy');
  end;

  select * into v_kept from app.idempotency_keys
  where user_id = app.uid() and operation = p_operation and key = v_key;
  if v_kept.request <> v_request then
    perform private.raise_error('idempotency_key_reused');
  end if;
  if v_kept.answer = '' then
    perform private.raise_error('idempotency_answer_gone');   -- an erasure emptied the answer: sql/base/90_erasure.sql
  elsif v_kept.answer is not null then
    perform set_config('response.headers', '[{"Idempotency-Replayed": "true"}]', true),
            set_config('response.status', coalesce(v_kept.status, ''), true);
  end if;
  return v_kept.answer::json;
end $$;
comment on function private.begin_idempotent is
  'Finds the kept answer of an earlier request with the same Idempotency-Key; null if this is the first request, or '
  'if there is no key.';

create function private.people_in_answer(p_answer text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select n.user_id
    -- only whole strings that begin with acct: match; within a text, quotation marks are escaped, so nothing there
    -- matches
    from (select distinct split_part(left(part, 31), '@', 1)
          from string_to_table(replace(p_answer, '\"', ''), '"acct:') with ordinality as s (part, place)
          where place > 1) as a (username)
    join app.usernames n on n.hash = private.username_hash(a.username)
    where n.user_id <> app.uid());
end $$;
comment on function private.people_in_answer is
  'Returns the people other than the caller whose actor ids are in an answer.';

create function private.finish_idempotent(p_operation text, p_answer json) returns json
language plpgsql volatile security definer   -- callers may not read or write answers
set search_path = ''
as $$
declare
  v_key text := private.find_idempotency_key();
begin
  if v_key is not null then
    update app.idempotency_keys
    set answer = p_answer::text, status = nullif(current_setting('response.status', true), ''),
        named = nullif(private.people_in_answer(p_answer::text), '{}')
    where user_id = app.uid() and operation = p_operation and key = v_key;
  end if;
  return p_answer;
end $$;
comment on function private.finish_idempotent is
  'Keeps an answer for private.begin_idempotent, and returns it. If an operation fails, its key is not kept either.';
