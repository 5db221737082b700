-- The core of a person, and the caller of a request. docs/decisions.md, People.

create table app.users (
  id                uuid primary key default gen_random_uuid(),
  person_id         uuid not null default gen_random_uuid(),
  username          text not null check (username ~ '^[a-z0-9_]{3,30}$'),
  role              text not null default 'user' check (role in ('user', 'moderator', 'admin')),
  banned_at         timestamptz,
  erased_at         timestamptz,
  tokens_valid_from bigint not null default 0,
  created_at        timestamptz not null default now()
);
-- The index is partial, although it contains every row, because a foreign key cannot refer to a partial index.
-- Postgres therefore lets inserts that refer to a person run while the person is renamed or erased. Otherwise they
-- would wait while they hold locks that an erasure needs.
create unique index username_taken on app.users (username) where username is not null;
create unique index users_person_id_idx on app.users (person_id) where person_id is not null;   -- partial as above
comment on table app.users is
  'A person. id is internal and never public. The public identifiers are the actor id, which is made of the username, '
  'and person_id, which survives a rename.';
comment on column app.users.person_id is 'A public id that survives every rename. Only an erasure replaces it.';
comment on column app.users.erased_at is
  'When the person was erased, which is final; null if they were not. Setting the column runs the steps of '
  'private.account_steps.';
comment on column app.users.banned_at is
  'When the person was banned; null if they are not banned. Setting or clearing the column runs the steps of '
  'private.account_steps.';
comment on column app.users.tokens_valid_from is 'Tokens issued before this time are not valid. In Unix seconds.';
-- nobody may delete people. An erased person is anonymised, so that the ledgers and the audit log keep their rows

create table private.revoked_tokens (
  user_id    uuid not null references app.users on delete cascade,
  issued_at  bigint not null,
  expires_at bigint not null,
  scopes     text[],
  primary key (user_id, issued_at, expires_at)
);
comment on table private.revoked_tokens is
  'The denylist, keyed by a token''s (sub, iat, exp) in unix seconds, because PostgREST and Realtime see only '
  'claims. It also contains the tokens with scopes, which have only some of the rights of their holder.';
comment on column private.revoked_tokens.scopes is
  'The scopes of the token, by private.scopes; null if the token was revoked.';
comment on column private.revoked_tokens.issued_at is 'iat of the token, in unix seconds.';
comment on column private.revoked_tokens.expires_at is 'exp of the token, in unix seconds.';
create index revoked_tokens_expires_at_idx on private.revoked_tokens (to_timestamp(expires_at));

create table private.people_with_factor (
  user_id uuid primary key references app.users on delete cascade
);
comment on table private.people_with_factor is
  'People who have a second factor. sql/identity adds and removes them.';

create table app.settings (
  key   text primary key,
  value text not null
);
comment on table app.settings is
  'Settings that SQL needs. Written at boot: instance_domain, rate_limit_scale, public_url, media_url, media_bucket, '
  'media_quota, media_hosts, webhook_exempt, backups (on or off), register_apps (admins or everyone), require_factor '
  '(roles, separated by commas), proof_tier. Written by the worker: embedding_model. Written by operators: '
  'searches_at_once. None is secret.';
comment on column app.settings.value is 'The value as text.';
insert into app.settings (key, value) values
  ('instance_domain', 'localhost'), ('require_factor', ''), ('proof_tier', '');

create table private.jwt_fingerprint (
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$')
);
comment on table private.jwt_fingerprint is
  'An HMAC made with JWT_SECRET, in one row that is written at boot. A facade or a worker whose secret results in '
  'another fingerprint is rejected.';
create unique index jwt_fingerprint_one_row_idx on private.jwt_fingerprint ((true));

create table private.login_secret (
  secret text not null default encode(extensions.gen_random_bytes(32), 'hex') check (secret ~ '^[0-9a-f]{64}$')
);
comment on table private.login_secret is
  'The secret from which facades and workers derive the passwords of their login roles, in one row that is written '
  'at boot.';
create unique index login_secret_one_row_idx on private.login_secret ((true));

create table app.feature_flags (
  key         text primary key check (key ~ '^[a-z][a-z0-9-]{1,49}$'),
  enabled     boolean not null,
  description text not null
);
comment on table app.feature_flags is 'Features that can be switched off without a release.';

insert into private.errors (code, status, text) values
  ('person_unknown', 404, 'There is no such person.'),
  ('username_taken', 409, 'This username is taken.'),
  ('bot_refused', 403, 'Bots cannot do this. Only people can.'),
  ('role_required', 403, 'Your role does not allow this.'),
  ('factor_missing', 403, 'Your role requires a second factor. '
   'Add one first: POST /me/factors/totp or /me/factors/passkeys/options.'),
  ('feature_disabled', 403, 'This feature is currently switched off.');

insert into private.lock_kinds (kind, position) values ('person', 230);

create function app.uid() returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  -- json is faster than jsonb for a value that is read once
  return coalesce(
    nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub',
    nullif(current_setting('request.jwt.claim.sub', true), ''))::uuid;
end $$;
comment on function app.uid is
  'The id of the caller: the sub of the token, or null. It reads both forms in which PostgREST has passed claims.';

create function private.check_token() returns text[]
language plpgsql stable security definer   -- callers may not read the denylist, nor all columns of users
set search_path = ''
as $$
declare
  v_claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  v_scopes text[];
begin
  if v_claims ->> 'sub' is null then
    -- checks the role setting, because current_user is the owner inside a definer function
    if current_setting('role') in ('authenticated', 'user', 'moderator', 'admin') then
      perform private.raise_error('token_missing');
    end if;
    return null;
  end if;

  select r.scopes into v_scopes
  from app.users u
  left join private.revoked_tokens r on r.user_id = u.id
                                    and r.issued_at = (v_claims ->> 'iat')::bigint
                                    and r.expires_at = (v_claims ->> 'exp')::bigint
  where u.id = (v_claims ->> 'sub')::uuid
    and u.banned_at is null
    and u.erased_at is null
    and u.role = v_claims ->> 'role'
    and v_claims ->> 'exp' is not null   -- without exp, the denylist could not identify the token
    -- tokens_valid_from does not end tokens with scopes: they end one by one, because some survive a new password
    and (r.scopes is not null or r.user_id is null and u.tokens_valid_from <= (v_claims ->> 'iat')::bigint);
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  return v_scopes;
end $$;
comment on function private.check_token is
  'Returns the scopes of the token. Null if the token has no scopes; then it has all rights of its holder. Raises '
  'token_revoked if the token''s holder was erased or banned or has another role, or if the token was ended.';

create function private.check_scopes(p_scopes text[]) returns void
language plpgsql stable security definer   -- callers may not read the registries
set search_path = ''
as $$
declare
  v_operation text := substring(current_setting('request.path', true) from '^/rpc/(.+)$');
begin
  perform private.require_scope(p_scopes, v_operation);
  perform private.refuse_bots(v_operation);   -- all tokens of bots have scopes
end $$;
comment on function private.check_scopes is
  'Passes if a token with these scopes may call the operation of the request.';

create function private.check_caller() returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_scopes text[] := private.check_token();
begin
  if v_scopes is not null then
    perform private.check_scopes(v_scopes);
  end if;
  return true;
end $$;
comment on function private.check_caller is
  'Returns true, or raises token_revoked if the token is not valid, or scope_missing or session_required if it has '
  'scopes that do not include what the operation of the request needs. PostgREST calls it before each request '
  '(db_pre_request). private.enter makes the same checks, and the Realtime policy calls private.check_token.';

create function private.enter(p_caller text, p_headers text default null, p_operation text default null)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_scopes text[];
begin
  perform set_config('request.jwt.claims', coalesce(p_caller, ''), true),
          set_config('request.headers', coalesce(p_headers, ''), true);
  -- these are the checks of private.check_caller, without another call in each request
  v_scopes := private.check_token();
  if v_scopes is not null then
    perform set_config('request.path', coalesce('/rpc/' || p_operation, ''), true);
    perform private.check_scopes(v_scopes);
  end if;
  return true;
end $$;
comment on function private.enter is
  'The entry point of the facade: sets the caller''s claims and the request''s headers (both JSON texts or null) for '
  'this transaction. For a token with scopes it also sets the path that a request of the operation has in PostgREST. '
  'Then it checks the caller. It returns one row or raises an error.';

create function private.traceparent() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return substring(nullif(current_setting('request.headers', true), '')::json ->> 'traceparent'
                   from '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');
end $$;
comment on function private.traceparent is
  'The trace of the request, as its header traceparent says (W3C Trace Context); null if there is none.';

create function private.require_caller() returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := app.uid();
begin
  if v_caller is null then
    perform private.raise_error('token_missing');
  end if;
  return v_caller;
end $$;
comment on function private.require_caller is 'Returns app.uid(), or raises token_missing.';

create view private.instance with (security_invoker) as
select value as domain from app.settings where key = 'instance_domain';
comment on view private.instance is
  'INSTANCE_DOMAIN, for queries: (select domain from private.instance). It takes 1 microsecond, while '
  'private.domain() takes 6.';

create function private.domain() returns text
language plpgsql stable security definer   -- row-level security would make each role plan the query again
set search_path = ''
as $$
begin
  return (select domain from private.instance);
end $$;
comment on function private.domain is 'INSTANCE_DOMAIN, for functions. In a query use private.instance.';

create function private.actor_id(p_username text, p_domain text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return 'acct:' || p_username || '@' || p_domain;
end $$;
comment on function private.actor_id is 'The public identifier of a person.';

create function private.username_of(p_person text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_handle text := regexp_replace(lower(btrim(p_person)), '^(acct:|@)', '');
  v_domain text := nullif(substr(v_handle, strpos(v_handle, '@') + 1), v_handle);
begin
  if v_domain is not null and v_domain <> private.domain() then
    return null;   -- a person of another instance is unknown here
  end if;
  return split_part(v_handle, '@', 1);
end $$;
comment on function private.username_of is
  'The username in acct:name@domain, @name@domain, @name or name; null if the domain is not this instance''s.';

create function private.require_person(p_person text) returns uuid
language plpgsql stable   -- runs as the invoker, so that a person whom row-level security hides is unknown
set search_path = ''
as $$
declare
  v_id uuid;
begin
  select id into v_id from app.users where id = private.find_person(p_person);
  if v_id is null then
    perform private.raise_error('person_unknown');
  end if;
  return v_id;
end $$;
comment on function private.require_person is
  'Finds a person by actor id or by a present or former username. Fails: person_unknown (also when blocked either '
  'way, banned or erased).';

create function private.is_bot(p_user uuid) returns boolean
language plpgsql stable security definer   -- callers may not read people whom they cannot see
set search_path = ''
as $$
begin
  return exists (select from app.users where id = p_user and bot_owner_id is not null);
end $$;
comment on function private.is_bot is 'Returns whether an account is a bot: sql/identity/57_bots.sql.';

create function private.bots_among(p_people uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(select id from app.users where id = any (p_people) and bot_owner_id is not null);
end $$;
comment on function private.bots_among is
  'Returns those of these accounts that are bots. Lists use it because it needs only one look-up; private.is_bot '
  'would need one for each account.';

create table private.operations_of_people (
  operation text primary key check (operation ~ '^[a-z_]+$')
);
comment on table private.operations_of_people is
  'Registry: the operations that bots may not call. They are those by which people judge, stand for election, own '
  'or move mana, and invite.';

create function private.refuse_bots(p_operation text) returns void
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  if exists (select from private.operations_of_people where operation = p_operation) and private.is_bot(app.uid()) then
    perform private.raise_error('bot_refused');
  end if;
end $$;
comment on function private.refuse_bots is 'Passes unless the caller is a bot and the operation is only for people.';

create function private.require_flag(p_key text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not coalesce((select enabled from app.feature_flags where key = p_key), false) then
    perform private.raise_error('feature_disabled');
  end if;
end $$;
comment on function private.require_flag is 'Passes if the flag is on.';

create function private.needs_factor(p_role text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_role = any (string_to_array((select value from app.settings where key = 'require_factor'), ','));
end $$;
comment on function private.needs_factor is
  'Returns whether this instance requires a second factor of people with this role: REQUIRE_FACTOR.';

create function private.has_needed_factor(p_user uuid default app.uid()) returns boolean
language plpgsql stable security definer   -- people may not read who has a factor
set search_path = ''
as $$
begin
  return not exists (select from app.users where id = p_user and private.needs_factor(role))
      or exists (select from private.people_with_factor where user_id = p_user);
end $$;
comment on function private.has_needed_factor is
  'Returns whether a person, by default the caller, has a second factor, or a role that needs none. Every check for '
  'staff calls it.';

create function private.require_factor() returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not private.has_needed_factor() then
    perform private.raise_error('factor_missing');
  end if;
end $$;
comment on function private.require_factor is
  'Passes if the caller has the second factor that their role needs. For staff, the facade calls it before it '
  'reports errors in their input.';

create function private.require_role(variadic p_roles text[]) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from app.users where id = app.uid() and role = any (p_roles)) then
    perform private.raise_error('role_required');
  end if;
  perform private.require_factor();
end $$;
comment on function private.require_role is
  'Passes if the caller''s stored role is one of these, and the caller has the second factor that the role needs. '
  'Every staff operation calls it.';

create function private.share_lock_person(p_user uuid) returns void
language plpgsql volatile security definer   -- people may not read bans and erasures
set search_path = ''
as $$
begin
  -- Lock `for share`, to wait for a running ban or erasure, which would miss the rows that this transaction writes.
  -- `for key share`, which foreign keys use, would not wait.
  perform private.check_lock_order('person', p_user::text);
  perform from app.users u where u.id = p_user and u.banned_at is null and u.erased_at is null for share;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
end $$;
comment on function private.share_lock_person is
  'Keeps a person from being banned or erased until the transaction ends.';

create function private.check_author() returns trigger
language plpgsql security definer   -- works for every writer, including staff and jobs
set search_path = ''
as $$
begin
  perform private.share_lock_person(new.author_id);
  return new;
end $$;
comment on function private.check_author is
  'Trigger: banned and erased people cannot publish, not even while the transaction that bans them is running.';
