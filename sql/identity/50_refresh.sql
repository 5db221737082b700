-- Rotating sessions: an access token is valid for 15 minutes, and a refresh token for one use. The facade makes
-- refresh tokens, HMAC-SHA256(key, family ‖ generation). The rules that say which refresh tokens are valid are here.
-- docs/decisions.md, Tokens and sessions.

create table app.sessions (
  id           uuid primary key,
  user_id      uuid not null references app.users on delete cascade,
  issued_at    bigint not null,
  generation   integer not null default 0 check (generation >= 0),
  token_hash   bytea not null check (length(token_hash) = 32),
  live_tokens  jsonb not null default '[]',
  user_agent   text check (length(user_agent) <= 300),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at   timestamptz not null default now() + interval '60 days',
  ended_at     timestamptz
);
create index sessions_user_id_idx on app.sessions (user_id, created_at desc, id desc) where ended_at is null;
create index sessions_of_user_idx on app.sessions (user_id, created_at);
create index sessions_expires_at_idx on app.sessions (expires_at);
comment on table app.sessions is
  'Families of refresh tokens, one per login. generation and token_hash are the current generation and the SHA-256 of '
  'its refresh token. An ended session keeps its row until it expires, so that it stays ended.';
comment on column app.sessions.live_tokens is
  'The access tokens that the session issued and that have not expired: [[iat, exp], …] in unix seconds. They end '
  'with the session.';
comment on column app.sessions.expires_at is '60 days after the last refresh.';
comment on column app.sessions.ended_at is 'When it was ended before it expired; null otherwise.';
comment on column app.sessions.issued_at is
  'iat of the first access token in unix seconds. A session older than the person''s tokens_valid_from is no longer '
  'valid.';
comment on column app.sessions.last_used_at is
  'When the refresh token of the previous generation was first used; when the session began, if there is no previous '
  'one.';
insert into private.retention (relation, counts_from, keep) values ('app.sessions', 'expires_at', '0');

insert into private.errors (code, status, text) values
  ('refresh_token_invalid', 401, 'This refresh token is not valid. Log in again.'),
  ('refresh_token_reused', 401, 'This refresh token was already used, so its session was ended. Log in again.'),
  ('session_unknown', 404, 'There is no such session.');

create function private.note_token(p_family uuid, p_claims json) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.sessions
  set live_tokens = (select coalesce(jsonb_agg(t), '[]') from jsonb_array_elements(live_tokens) as t
                     where (t ->> 1)::bigint > extract(epoch from clock_timestamp()))
                    || jsonb_build_array(json_build_array(p_claims -> 'iat', p_claims -> 'exp'))
  where id = p_family;
end $$;
comment on function private.note_token is 'Records an access token that a session issued, until the token expires.';

create function private.end_session(p_user uuid, p_family uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_tokens jsonb;
begin
  update app.sessions set ended_at = now(), user_agent = null
  where id = p_family and user_id = p_user and ended_at is null
  returning live_tokens into v_tokens;
  insert into private.revoked_tokens (user_id, issued_at, expires_at)
  select p_user, (t ->> 0)::bigint, (t ->> 1)::bigint from jsonb_array_elements(v_tokens) as t
  on conflict do nothing;
end $$;
comment on function private.end_session is
  'Ends a session of a person: its refresh token and the access tokens that it issued are revoked at once.';

create function private.end_own_session(p_family uuid) returns void
language plpgsql volatile security definer   -- nobody may write the denylist
set search_path = ''
as $$
begin
  perform private.end_session(private.require_caller(), p_family);
end $$;
comment on function private.end_own_session is 'Ends a session if it is the caller''s.';

create function private.start_session(p_family uuid, p_claims json, p_refresh_hash bytea, p_user_agent text)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person uuid := p_claims ->> 'sub';
begin
  if p_family is not null then
    insert into app.sessions (id, user_id, issued_at, token_hash, user_agent)
    values (p_family, v_person, (p_claims ->> 'iat')::bigint, p_refresh_hash, p_user_agent);
    perform private.note_token(p_family, p_claims);
    perform private.end_session(v_person, s.id)
    from (select id from app.sessions where user_id = v_person and ended_at is null
          order by id = p_family desc, last_used_at desc, id offset 100) s;
  end if;
end $$;
comment on function private.start_session is
  'Starts a rotating session with the claims of its first access token, and ends the least recently used session if '
  'there are more than 100. Does nothing if p_family is null. The calling function must have locked the person''s '
  'credentials.';

create function api.refresh_session(
  p_family uuid, p_generation integer, p_refresh_hash bytea, p_next_hash bytea, p_seconds integer
) returns json
language plpgsql volatile security definer   -- only for gate: with a refresh token alone, policies show no rows
set search_path = ''
as $$
declare
  v_session app.sessions;
  v_claims  json;
begin
  -- the person before the session: ARCHITECTURE.md, Locks
  perform from private.credentials c join app.sessions s using (user_id) where s.id = p_family for update of c;
  select s.* into v_session
  from app.sessions s join app.users u on u.id = s.user_id
  where s.id = p_family and s.ended_at is null and s.expires_at > clock_timestamp()
    and u.banned_at is null and u.erased_at is null and u.tokens_valid_from <= s.issued_at
  for update of s;
  if not found or p_generation > v_session.generation then
    perform private.raise_error('refresh_token_invalid');
  end if;

  if p_generation = v_session.generation and p_refresh_hash = v_session.token_hash then
    update app.sessions
    set generation = generation + 1, token_hash = p_next_hash,
        last_used_at = clock_timestamp(), expires_at = clock_timestamp() + interval '60 days'
    where id = p_family;
  elsif p_generation = v_session.generation - 1
    and v_session.last_used_at > clock_timestamp() - interval '10 seconds' then
    -- the response was lost, or two requests ran concurrently: both get the same next token, unless this facade's key
    -- differs
    if p_next_hash <> v_session.token_hash then
      perform private.raise_error('refresh_token_invalid');
    end if;
  else
    perform private.end_session(v_session.user_id, p_family);
    return private.error_response('refresh_token_reused');   -- raising an error would undo the end of the session
  end if;
  v_claims := private.issue_claims(v_session.user_id, p_seconds);
  perform private.note_token(p_family, v_claims);
  return json_build_object('claims', v_claims);
end $$;
comment on function api.refresh_session is
  'For the facade alone, after it has checked the token''s seal: returns the {claims} of a new access token. The '
  'refresh token of p_generation is used up; the one with p_next_hash replaces it and is valid for 60 days. Using a '
  'token again ends the session and its access tokens for good. Only the previous token may be used again, within 10 '
  'seconds of its first use.';

create function api.list_sessions(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_before timestamptz := 'infinity';
  v_id     uuid := private.require_cursor(p_cursor);
  v_ids    uuid[];
  v_items  json;
begin
  if p_cursor is not null then
    select created_at into v_before from app.sessions where id = v_id and user_id = v_caller;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_id := coalesce(v_id, v_caller);   -- any id works with infinity
  v_ids := array(select id from app.sessions
                 where user_id = v_caller and ended_at is null and expires_at > now()
                   and (created_at, id) < (v_before, v_id)
                 order by created_at desc, id desc limit 51);
  select json_agg(json_build_object(
           'id', s.id, 'userAgent', s.user_agent, 'createdAt', private.utc(s.created_at),
           'lastUsedAt', private.utc(s.last_used_at), 'expiresAt', private.utc(s.expires_at))
           order by s.created_at desc, s.id desc)
  into v_items
  from app.sessions s where s.id = any (v_ids[:p_limit]);
  return private.page(v_items, v_ids::text[], p_limit);
end $$;
comment on function api.list_sessions is
  'The caller''s rotating sessions that are not over, newest first: {id, userAgent, createdAt, lastUsedAt, '
  'expiresAt}.';
call private.force_index_scans('api.list_sessions');

create function api.end_session(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (select from app.sessions where id = p_id and user_id = private.require_caller()) then
    perform private.raise_error('session_unknown');
  end if;
  perform private.end_own_session(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.end_session is
  'Ends a rotating session of the caller: its refresh token and its access tokens are revoked at once. Repeating it '
  'changes nothing.';
