-- A login begins a session. In a fixed session, the access token is valid for seven days. In a rotating session, an
-- access token is valid for 15 minutes, and a refresh token can be used once. The facade makes refresh tokens:
-- HMAC-SHA256(key, family ‖ generation). The rules for their validity are here. docs/decisions.md, Tokens and
-- sessions.

create table app.sessions (
  id           uuid primary key,
  user_id      uuid not null references app.users on delete cascade,
  issued_at    bigint not null,
  generation   integer not null default 0 check (generation >= 0),
  token_hash   bytea check (length(token_hash) = 32),
  live_tokens  jsonb not null default '[]',
  user_agent   text check (length(user_agent) <= 300),
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at   timestamptz not null default now() + interval '60 days',
  ended_at     timestamptz,
  kind         text not null default 'rotating' check (kind in ('rotating', 'fixed')),
  device       text check (device ~ '^[^./:]{1,80}$'),
  network      cidr,
  last_seen_at timestamptz not null default now(),
  alert_hash   bytea check (length(alert_hash) = 32),
  check ((kind = 'rotating') = (token_hash is not null))
);
create index sessions_user_id_idx on app.sessions (user_id, created_at desc, id desc) where ended_at is null;
create index sessions_of_user_idx on app.sessions (user_id, created_at);
create index sessions_expires_at_idx on app.sessions (expires_at);
comment on table app.sessions is
  'The sessions that logins began. A rotating session is a family of refresh tokens: generation and token_hash are '
  'the current generation and the SHA-256 of its refresh token. A fixed session is one access token without a refresh '
  'token. An ended session keeps its row until it expires, so that it stays ended.';
comment on column app.sessions.device is
  'The name that the client gave the device, otherwise a name from its User-Agent, such as Firefox on Windows. It '
  'has no dots, slashes or colons, because a mail shows the name and must not contain a link of a stranger.';
comment on column app.sessions.network is
  'The network from which the session began: the /24 of an IPv4 address, or the /48 of an IPv6 address.';
comment on column app.sessions.last_seen_at is
  'When a token of the session was last used, accurate to five minutes (api.note_presence).';
comment on column app.sessions.alert_hash is
  'The SHA-256 of the token by which a mailed link ends the session; null if no mail reported the session.';
comment on column app.sessions.live_tokens is
  'The access tokens that the session issued and that have not expired: [[iat, exp], …] in unix seconds. They end '
  'with the session.';
comment on column app.sessions.expires_at is
  'When the session expires: 60 days after the last refresh. A fixed session expires with its token.';
comment on column app.sessions.ended_at is 'When the session was ended before it expired; null otherwise.';
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

create function private.own_token() returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_claims jsonb := current_setting('request.jwt.claims')::jsonb;
begin
  return jsonb_build_array(jsonb_build_array(v_claims -> 'iat', v_claims -> 'exp'));
end $$;
comment on function private.own_token is
  'The token of this request, in the form of app.sessions.live_tokens: [[iat, exp]].';

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
  update app.sessions set ended_at = now(), user_agent = null, device = null, network = null
  where id = p_family and user_id = p_user and ended_at is null
  returning live_tokens into v_tokens;
  insert into private.revoked_tokens (user_id, issued_at, expires_at)
  select p_user, (t ->> 0)::bigint, (t ->> 1)::bigint from jsonb_array_elements(v_tokens) as t
  on conflict do nothing;
end $$;
comment on function private.end_session is
  'Ends a session of a person, and revokes its refresh token and its access tokens immediately. Does nothing if the '
  'session has ended.';

create function private.end_own_session(p_family uuid) returns void
language plpgsql volatile security definer   -- callers may not write the denylist
set search_path = ''
as $$
begin
  perform private.end_session(private.require_caller(), p_family);
end $$;
comment on function private.end_own_session is 'Ends a session if it is the caller''s.';

create function private.start_session(
  p_id uuid, p_claims json, p_refresh_hash bytea, p_user_agent text, p_device text, p_address text,
  p_alert_hash bytea default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id      uuid := coalesce(p_id, gen_random_uuid());   -- the facade of 1.0.0 gives fixed sessions no id
  v_person  uuid := p_claims ->> 'sub';
  v_kind    text := case when p_refresh_hash is null then 'fixed' else 'rotating' end;
  v_network cidr := private.network_of(p_address);
begin
  insert into app.sessions (id, user_id, issued_at, token_hash, kind, user_agent, device, network, expires_at)
  values (v_id, v_person, (p_claims ->> 'iat')::bigint, p_refresh_hash, v_kind, p_user_agent, p_device, v_network,
          case v_kind when 'fixed' then to_timestamp((p_claims ->> 'exp')::double precision)
                      else now() + interval '60 days' end);
  perform private.note_token(v_id, p_claims);
  perform private.end_session(v_person, s.id)
  from (select id from app.sessions
        where user_id = v_person and ended_at is null and kind = v_kind and expires_at > now()
        order by id = v_id desc, greatest(last_used_at, last_seen_at) desc, id
        offset case v_kind when 'fixed' then 1000 else 100 end) s;
  if private.note_device(v_person, p_device, v_network) then
    perform private.alert_of_session(v_id, v_person, p_alert_hash);
  end if;
end $$;
comment on function private.start_session is
  'Starts a session with the claims of its first access token: a rotating one if there is a hash of a refresh token, '
  'otherwise a fixed one. Ends the least recently used session of its kind if there are more than 100 rotating or '
  '1000 fixed ones. With p_alert_hash it mails the person if the device is new. The calling function must have '
  'locked the person''s credentials.';

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
  -- lock the person before the session: ARCHITECTURE.md, Locks
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
    -- the response was lost, or two requests ran concurrently. Both get the same next token, unless this facade has
    -- another key
    if p_next_hash <> v_session.token_hash then
      perform private.raise_error('refresh_token_invalid');
    end if;
  else
    perform private.end_session(v_session.user_id, p_family);
    return private.error_response('refresh_token_reused');   -- an error would roll back the end of the session
  end if;
  v_claims := private.issue_claims(v_session.user_id, p_seconds);
  perform private.note_token(p_family, v_claims);
  return json_build_object('claims', v_claims);
end $$;
comment on function api.refresh_session is
  'For the facade alone, after it has checked the token''s seal: returns the {claims} of a new access token. The '
  'refresh token of p_generation is used up; the token with p_next_hash replaces it and is valid for 60 days. A '
  'token that is used again ends the session and its access tokens permanently, except the previous token within 10 '
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
  v_id := coalesce(v_id, v_caller);   -- no row has this time, so any id works
  v_ids := array(select id from app.sessions
                 where user_id = v_caller and ended_at is null and expires_at > now()
                   and (created_at, id) < (v_before, v_id)
                 order by created_at desc, id desc limit 51);
  select json_agg(json_build_object(
           'id', s.id, 'userAgent', s.user_agent, 'createdAt', private.utc(s.created_at),
           'lastUsedAt', private.utc(s.last_used_at), 'expiresAt', private.utc(s.expires_at),
           'kind', s.kind, 'device', s.device, 'network', s.network,
           'lastSeenAt', private.utc(greatest(s.last_seen_at, s.last_used_at)),
           'isCurrent', s.live_tokens @> private.own_token())
           order by s.created_at desc, s.id desc)
  into v_items
  from app.sessions s where s.id = any (v_ids[:p_limit]);
  return private.page(v_items, v_ids::text[], p_limit);
end $$;
comment on function api.list_sessions is
  'The caller''s sessions that have not ended, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, '
  'device, network, lastSeenAt, isCurrent}.';
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
  'Ends a session of the caller, and revokes its refresh token and its access tokens immediately. Repeating it '
  'changes nothing.';

create function private.end_other_own_sessions() returns integer
language plpgsql volatile security definer   -- callers may not write the denylist
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_ids    uuid[];
begin
  -- lock the credentials before the sessions, so that no login of the caller begins a session meanwhile
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  v_ids := array(select id from app.sessions
                 where user_id = v_caller and ended_at is null and expires_at > now()
                   and not live_tokens @> private.own_token()
                 order by id);
  perform private.end_session(v_caller, id) from unnest(v_ids) id;
  return cardinality(v_ids);
end $$;
comment on function private.end_other_own_sessions is
  'Ends the caller''s sessions except the session of this request. Returns the number of ended sessions.';

create function api.end_other_sessions() returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return json_build_object('ended', private.end_other_own_sessions());
end $$;
comment on function api.end_other_sessions is
  'Ends all sessions of the caller except the one of this request, whose tokens remain valid: {ended}, the number of '
  'sessions.';
