-- Access tokens with scopes, which programs use instead of a login. A person makes a personal token, or allows an app
-- to get a token. The facade makes the tokens and passes on their hashes. Each token has claims, and
-- private.revoked_tokens stores its scopes under these claims. docs/decisions.md, Access tokens.

create table app.access_tokens (
  id                 uuid primary key default gen_random_uuid(),
  user_id            uuid not null references app.users on delete cascade,
  kind               text not null check (kind in ('personal', 'app')),
  name               text not null constraint access_token_name
                       check (name = btrim(name) and length(name) between 1 and 60),
  token_hash         bytea not null unique check (length(token_hash) = 32),
  scopes             text[] not null,
  ends_with_password boolean not null default true,
  issued_at          bigint not null,
  expires_at         bigint not null,
  live_tokens        jsonb not null default '[]',
  created_at         timestamptz not null default now(),
  last_used_at       timestamptz,
  ended_at           timestamptz,
  client_id          text,
  check ((kind = 'app') = (client_id is not null))
);
create index access_tokens_user_id_idx on app.access_tokens (user_id, created_at desc, id desc);
create index access_tokens_over_idx on app.access_tokens
  (least(ended_at, to_timestamp((expires_at)::double precision)));
comment on table app.access_tokens is
  'Tokens with scopes, for programs: personal ones, and those of apps. Only the SHA-256 of a token is stored. A token '
  'keeps its row for a day after it has ended.';
comment on column app.access_tokens.name is 'The name that the person gave the token, or the name of the app.';
comment on column app.access_tokens.scopes is 'What the token may do.';
comment on column app.access_tokens.ends_with_password is 'Whether a new password ends the token.';
comment on column app.access_tokens.issued_at is 'The claim iat, in unix seconds.';
comment on column app.access_tokens.expires_at is 'The claim exp, in unix seconds: when it expires.';
comment on column app.access_tokens.live_tokens is
  'The JWTs for which the token was exchanged and that have not expired: [[iat, exp], …] in unix seconds. They end '
  'with the token.';
comment on column app.access_tokens.last_used_at is
  'When the token was last used, accurate to five minutes; null if never.';
comment on column app.access_tokens.ended_at is 'When the token was ended before it expired; null otherwise.';
comment on column app.access_tokens.client_id is 'The app that has the token; null for a personal one.';
insert into private.retention (relation, counts_from, keep) values
  ('app.access_tokens', 'LEAST(ended_at, to_timestamp((expires_at)::double precision))', '1 day');
insert into private.write_limits (kind, per_hour) values ('tokens', 60);

insert into private.errors (code, status, text) values
  ('access_token_required', 403, 'Only an access token from POST /me/tokens or of an app can be exchanged.'),
  ('access_token_unknown', 404, 'There is no such access token.'),
  ('access_tokens_full', 409, 'You can have at most 50 access tokens. End one first.'),
  ('access_token_name', 422, 'A name must have 1 to 60 characters.'),
  ('access_token_expiry', 422, 'An access token must expire within the next 366 days.');

create function private.require_scopes(p_user uuid, p_scopes text[]) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_scopes text[] := array(select s.scope from private.scopes s where s.scope = any (p_scopes) order by s.position);
begin
  -- there must be at least one name, and every name must exist
  if cardinality(v_scopes) = 0 or not (p_scopes <@ v_scopes) then
    perform private.raise_error('scope_unknown');
  elsif exists (select from private.scopes where scope = any (v_scopes) and staff)
        and not exists (select from app.users where id = p_user and role in ('moderator', 'admin')) then
    perform private.raise_error('role_required');
  end if;
  return v_scopes;
end $$;
comment on function private.require_scopes is
  'Returns these scopes without duplicates, in the order of private.scopes, if they exist and the person may have '
  'them.';

create function private.limit_to_scopes(p_claims json, p_scopes text[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.revoked_tokens (user_id, issued_at, expires_at, scopes)
  values ((p_claims ->> 'sub')::uuid, (p_claims ->> 'iat')::bigint, (p_claims ->> 'exp')::bigint, p_scopes);
end $$;
comment on function private.limit_to_scopes is
  'Stores the scopes of the token with these claims. From now on the token may do only what these scopes allow.';

create function private.issue_access_token(
  p_user uuid, p_kind text, p_name text, p_token_hash bytea, p_scopes text[], p_seconds integer,
  p_client text default null, p_ends_with_password boolean default true
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_scopes text[];
  v_claims json;
begin
  -- waits for a transaction that ends all tokens of the person
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials c join app.users u on u.id = c.user_id
  where c.user_id = p_user and u.banned_at is null and u.erased_at is null for update of c;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  v_scopes := private.require_scopes(p_user, p_scopes);
  if p_kind = 'personal'
     and (select count(*) >= 50 from app.access_tokens
          where user_id = p_user and kind = 'personal' and ended_at is null
            and expires_at > extract(epoch from clock_timestamp())) then
    perform private.raise_error('access_tokens_full');
  end if;
  v_claims := private.issue_claims(p_user, p_seconds);
  insert into app.access_tokens
    (user_id, kind, name, token_hash, scopes, ends_with_password, issued_at, expires_at, client_id)
  values (p_user, p_kind, p_name, p_token_hash, v_scopes, p_ends_with_password,
          (v_claims ->> 'iat')::bigint, (v_claims ->> 'exp')::bigint, p_client);
  perform private.limit_to_scopes(v_claims, v_scopes);
  return v_claims;
end $$;
comment on function private.issue_access_token is
  'Makes an access token of the kind personal or app (then p_client is the app), and returns its claims. '
  'p_token_hash is the SHA-256 of the token. A person can have 50 personal tokens.';

create function private.end_access_token(p_id uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_token app.access_tokens;
begin
  update app.access_tokens set ended_at = now()
  where id = p_id and ended_at is null
  returning * into v_token;
  update private.revoked_tokens r set scopes = null
  from (select v_token.issued_at, v_token.expires_at
        union all
        select (t ->> 0)::bigint, (t ->> 1)::bigint from jsonb_array_elements(v_token.live_tokens) as t) as dead
  where r.user_id = v_token.user_id and (r.issued_at, r.expires_at) = (dead.issued_at, dead.expires_at);
end $$;
comment on function private.end_access_token is
  'Ends an access token, and the JWTs for which it was exchanged. Does nothing if the token has ended.';

create function private.access_token_card(p_token app.access_tokens) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', p_token.id, 'name', p_token.name, 'scopes', p_token.scopes,
    'endsWithPassword', p_token.ends_with_password,
    'createdAt', private.utc(p_token.created_at), 'lastUsedAt', private.utc(p_token.last_used_at),
    'expiresAt', private.utc(to_timestamp(p_token.expires_at)));
end $$;
comment on function private.access_token_card is
  'An access token as its person sees it: {id, name, scopes, endsWithPassword, createdAt, lastUsedAt, expiresAt}.';

create function api.create_access_token(
  p_name text, p_scopes text[], p_token_hash bytea, p_nonce text,
  p_expires_at timestamptz default null, p_ends_with_password boolean default true
) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have made the token
set search_path = ''
as $$
declare
  v_caller  uuid := private.require_caller();
  v_request json := json_build_object('name', p_name, 'scopes', p_scopes, 'expiresAt', p_expires_at,
                                      'endsWithPassword', p_ends_with_password);
  v_kept    json := private.begin_idempotent('create_access_token', v_request);
  v_seconds numeric := coalesce(extract(epoch from p_expires_at - clock_timestamp()), 365 * 86400);
  v_answer  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('tokens');
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the caller's role may have changed during the wait
  perform private.require_proof();
  if v_seconds not between 1 and 366 * 86400 then
    perform private.raise_error('access_token_expiry');
  end if;
  perform private.issue_access_token(v_caller, 'personal', private.require_name(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => p_ends_with_password);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_access_token', v_answer);
end $$;
comment on function api.create_access_token is
  'For the facade alone: makes an access token of the caller with this hash. Returns it in the form of '
  'api.list_access_tokens, with tokenHash (hex) and the nonce from which the facade made the token. Without '
  'p_expires_at it expires after 365 days. Fails: access_token_name.';

create function private.list_own_access_tokens() returns json
language plpgsql stable security definer   -- the card takes whole rows, and people may not read hashes
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(private.access_token_card(t) order by t.created_at desc, t.id desc)
     from app.access_tokens t
     where t.user_id = private.require_caller() and t.kind = 'personal' and t.ended_at is null
       and t.expires_at > extract(epoch from now())),
    '{}', 50);
end $$;
comment on function private.list_own_access_tokens is
  'The caller''s access tokens, as described at api.list_access_tokens.';

create function api.list_access_tokens() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_own_access_tokens();
end $$;
comment on function api.list_access_tokens is
  'The caller''s personal access tokens that have not ended, newest first: {id, name, scopes, endsWithPassword, '
  'createdAt, lastUsedAt, expiresAt}. There are at most 50, so all are on one page.';

create function private.end_own_access_token(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write access tokens or the denylist
set search_path = ''
as $$
begin
  perform private.end_access_token(id) from app.access_tokens where id = p_id and user_id = private.require_caller();
end $$;
comment on function private.end_own_access_token is 'Ends an access token if it is the caller''s.';

create function api.end_access_token(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (select from app.access_tokens
                 where id = p_id and user_id = private.require_caller() and kind = 'personal') then
    perform private.raise_error('access_token_unknown');
  end if;
  perform private.end_own_access_token(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.end_access_token is
  'Ends a personal access token of the caller, with the JWTs for which it was exchanged. Repeating it changes '
  'nothing.';

create function api.find_access_token(p_token_hash bytea) returns json
language plpgsql stable security definer   -- only for gate: without claims, policies show no rows
set search_path = ''
as $$
begin
  return (select json_build_object('sub', u.id, 'email', a.email, 'role', u.role,
                                   'iat', t.issued_at, 'exp', t.expires_at)
          from app.access_tokens t
          join app.users u on u.id = t.user_id
          join app.accounts a on a.user_id = t.user_id
          where t.token_hash = p_token_hash and t.ended_at is null);
end $$;
comment on function api.find_access_token is
  'For the facade alone: the claims of the access token with this hash, {sub, email, role, iat, exp}; null if there '
  'is none or it was ended. The role is that of the holder when the token was made, because a change of role ends '
  'all tokens.';

create function api.exchange_access_token(p_seconds integer) returns json
language plpgsql volatile security definer   -- only for gate: people may not issue claims
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_token  jsonb := private.own_token();
  v_found  app.access_tokens;
  v_claims json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  select * into v_found from app.access_tokens
  where user_id = v_caller and ended_at is null
    and jsonb_build_array(jsonb_build_array(issued_at, expires_at)) = v_token
  for update;
  if not found then
    perform private.check_caller();   -- the token may have ended during the wait
    perform private.raise_error('access_token_required');
  end if;
  v_claims := private.issue_claims(
    v_caller, least(p_seconds, v_found.expires_at - extract(epoch from clock_timestamp()))::integer);
  perform private.limit_to_scopes(v_claims, v_found.scopes);
  update app.access_tokens
  set live_tokens = (select coalesce(jsonb_agg(t), '[]') from jsonb_array_elements(live_tokens) as t
                     where (t ->> 1)::bigint > extract(epoch from clock_timestamp()))
                    || jsonb_build_array(json_build_array(v_claims -> 'iat', v_claims -> 'exp'))
  where id = v_found.id;
  if not 'profile:read' = any (v_found.scopes) then
    -- anybody can read the content of a JWT, and only this scope reveals the address; .invalid is reserved (RFC 2606)
    v_claims := (v_claims::jsonb || jsonb_build_object('email', 'hidden@people.invalid'))::json;
  end if;
  return v_claims;
end $$;
comment on function api.exchange_access_token is
  'For the facade alone: the claims of a JWT with the scopes of this request''s access token, valid for this many '
  'seconds, {sub, email, role, iat, exp}. The JWT ends with the access token. Without the scope profile:read the '
  'email is not the person''s.';

create function private.note_access_token_used() returns boolean
language plpgsql volatile security definer   -- people may not write access tokens
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_token  jsonb := private.own_token();
begin
  if private.check_token() is null then
    return false;
  end if;
  update app.access_tokens set last_used_at = now()
  where user_id = v_caller and coalesce(last_used_at, '-infinity') < now() - interval '5 minutes'
    and (jsonb_build_array(jsonb_build_array(issued_at, expires_at)) = v_token or live_tokens @> v_token);
  return true;
end $$;
comment on function private.note_access_token_used is
  'Records that the access token of this request was used now. Returns whether the request has an access token.';

create function api.list_scopes() returns json
language plpgsql stable security definer   -- only for gate: callers may not read the registry
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(json_build_object('scope', scope, 'description', says, 'isForStaff', staff) order by position)
     from private.scopes),
    '{}', 50);
end $$;
comment on function api.list_scopes is
  'The scopes that an access token can have, {scope, description, isForStaff}, all on one page.';
