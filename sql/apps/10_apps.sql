-- Third-party apps that people may allow to use the API in their name (OAuth 2.1). The facade implements the protocol
-- (api-facade/lib/oauth.ts); the rules are here.
-- docs/decisions.md, Apps.

create table app.apps (
  id              uuid primary key default gen_random_uuid(),
  owner_id        uuid not null references app.users on delete cascade,
  name            text not null constraint app_name check (name = btrim(name) and length(name) between 1 and 60),
  website         text constraint app_website
                    check (length(website) <= 300 and website ~ '^https://[^\s/?#@]+([/?#]\S*)?$'),
  redirect_uris   text[] not null,
  scopes          text[] not null,
  is_confidential boolean not null default false,
  secret_hash     bytea check (length(secret_hash) = 32),
  created_at      timestamptz not null default now(),
  ended_at        timestamptz
);
create index apps_owner_id_idx on app.apps (owner_id, created_at desc, id desc);
create index apps_ended_at_idx on app.apps (ended_at);
comment on table app.apps is
  'Registered apps. The id is the client_id of OAuth. A deleted app keeps its row for two days. On the first day, '
  'the worker ends the remaining consents of the app. Later it deletes the consents in batches, and finally the app.';
comment on column app.apps.website is 'A page about the app; null if there is none.';
comment on column app.apps.redirect_uris is
  'The addresses to which an authorization may return. They are compared exactly, except for the port of a loopback '
  'address.';
comment on column app.apps.scopes is 'The scopes for which the app may ask.';
comment on column app.apps.is_confidential is
  'Whether the app authenticates with a secret, because it runs on its own server.';
comment on column app.apps.secret_hash is
  'SHA-256 of the secret, which has 256 random bits. Null until the first secret was made, and for apps that are '
  'not confidential.';
comment on column app.apps.ended_at is 'When the app was deleted; null if it was not.';
insert into private.retention (relation, counts_from, keep) values ('app.apps', 'ended_at', '2 days');
insert into private.write_limits (kind, per_hour) values ('apps', 30);
insert into app.settings (key, value) values ('register_apps', 'admins');

insert into private.errors (code, status, text) values
  ('app_unknown', 404, 'There is no such app.'),
  ('apps_full', 409, 'You can have at most 20 apps. Delete one first.'),
  ('apps_closed', 403, 'On this instance only admins register apps.'),
  ('app_name', 422, 'The name of an app must have 1 to 60 characters.'),
  ('app_website', 422, 'The website of an app must begin with https:// and have at most 300 characters.'),
  ('app_redirect', 422, 'An app must have 1 to 10 redirect URIs, each of at most 500 characters and without a '
    'fragment. Each begins with https:// and a host, or with http:// and localhost, 127.0.0.1 or [::1]. An app '
    'without a secret can also use a custom scheme that contains a dot, such as org.example.app:/done.'),
  ('app_public', 409, 'This app has no secret, because it is not confidential.'),
  ('consent_over', 410, 'This request of an app has ended. Start again in the app.');

insert into private.lock_kinds (kind, position) values ('app', 296);

create function private.require_redirects(p_uris text[], p_is_confidential boolean) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  if (cardinality(p_uris) between 1 and 10
      and not exists (
        select from unnest(p_uris) u (uri)
        where (length(u.uri) <= 500 and u.uri ~ '^[!-~]+$' and u.uri !~ '[#\\*"<>^`{|}]'
               and (u.uri ~ '^https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(/\S*)?$'
                 or u.uri ~ '^http://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(/\S*)?$'
                 or (not p_is_confidential and u.uri ~ '^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:/[^/]\S*$'))) is not true)
     ) is not true then
    perform private.raise_error('app_redirect');
  end if;
  return p_uris;
end $$;
comment on function private.require_redirects is 'Returns these redirect URIs. Fails if an app may not have them.';

create function private.app_card(p_app app.apps) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', p_app.id, 'name', p_app.name, 'website', p_app.website, 'redirectUris', p_app.redirect_uris,
    'scopes', p_app.scopes, 'isConfidential', p_app.is_confidential, 'hasSecret', p_app.secret_hash is not null,
    'createdAt', private.utc(p_app.created_at));
end $$;
comment on function private.app_card is
  'An app as its owner sees it: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}.';

create function private.lock_own_app(p_id uuid) returns app.apps
language plpgsql volatile
set search_path = ''
as $$
declare
  v_app app.apps;
begin
  perform private.check_lock_order('app', p_id::text);
  select * into v_app from app.apps
  where id = p_id and owner_id = private.require_caller() and ended_at is null for update;
  if not found then
    perform private.raise_error('app_unknown');
  end if;
  return v_app;
end $$;
comment on function private.lock_own_app is 'Finds an app of the caller, and locks it.';

create function private.require_registration() returns void
language plpgsql stable security definer   -- people may not read the settings
set search_path = ''
as $$
begin
  if (select value from app.settings where key = 'register_apps') <> 'everyone'
     and not exists (select from app.users where id = private.require_caller() and role = 'admin'
                     and private.has_needed_factor()) then
    perform private.raise_error('apps_closed');
  end if;
end $$;
comment on function private.require_registration is
  'Passes if the caller may register apps, which REGISTER_APPS decides. An admin needs the second factor that the '
  'role requires.';

create function private.create_own_app(
  p_name text, p_redirect_uris text[], p_scopes text[], p_is_confidential boolean, p_website text
) returns json
language plpgsql volatile security definer   -- people may not write apps
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_app    app.apps;
begin
  perform private.require_registration();
  perform private.count_writes('apps');
  perform private.check_lock_order('person', v_caller::text);
  perform from app.users where id = v_caller for no key update;
  if (select count(*) >= 20 from app.apps where owner_id = v_caller and ended_at is null) then
    perform private.raise_error('apps_full');
  end if;
  insert into app.apps (owner_id, name, website, redirect_uris, scopes, is_confidential)
  values (v_caller, private.require_name(p_name), p_website,
          private.require_redirects(p_redirect_uris, p_is_confidential),
          private.known_scopes(p_scopes), p_is_confidential)
  returning * into v_app;
  return private.app_card(v_app);
end $$;
comment on function private.create_own_app is 'Registers an app of the caller, as described at api.create_app.';

create function private.known_scopes(p_scopes text[]) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_scopes text[] := array(select s.scope from private.scopes s where s.scope = any (p_scopes) order by s.position);
begin
  if cardinality(v_scopes) = 0 or not (p_scopes <@ v_scopes) then
    perform private.raise_error('scope_unknown');
  end if;
  return v_scopes;
end $$;
comment on function private.known_scopes is
  'Returns these scopes without duplicates, in the order of private.scopes. An app may ask for scopes that its owner '
  'may not have.';

create function api.create_app(
  p_name text, p_redirect_uris text[], p_scopes text[], p_is_confidential boolean default false,
  p_website text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_request json := json_build_object('name', p_name, 'redirectUris', p_redirect_uris, 'scopes', p_scopes,
                                      'isConfidential', p_is_confidential, 'website', p_website);
  v_kept    json := private.begin_idempotent('create_app', v_request);
begin
  if v_kept is not null then
    return v_kept;
  end if;
  return private.finish_idempotent(
    'create_app', private.create_own_app(p_name, p_redirect_uris, p_scopes, p_is_confidential, p_website));
end $$;
comment on function api.create_app is
  'Registers an app: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}. Only admins '
  'can register apps, unless the instance lets everybody register them. A person can have 20. Fails: app_name, '
  'app_website.';

create function private.list_own_apps() returns json
language plpgsql stable security definer   -- the card takes whole rows, and people may not read hashes
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(private.app_card(a) order by a.created_at desc, a.id desc)
     from app.apps a where a.owner_id = private.require_caller() and a.ended_at is null),
    '{}', 50);
end $$;
comment on function private.list_own_apps is 'The apps of the caller, as described at api.list_apps.';

create function api.list_apps() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_own_apps();
end $$;
comment on function api.list_apps is
  'The apps that the caller registered, newest first. There are at most 20, so all are on one page.';

create function private.change_own_app(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile security definer   -- people may not write apps
set search_path = ''
as $$
declare
  v_app app.apps := private.lock_own_app(p_id);
begin
  if p_changes ? 'redirectUris' then
    perform private.require_proof();
  end if;
  update app.apps a set
    name = case when p_changes ? 'name' then private.require_name(p_changes ->> 'name')
           else a.name end,
    website = case when p_changes ? 'website' then p_changes ->> 'website' else a.website end,
    redirect_uris = case when p_changes ? 'redirectUris'
                         then private.require_redirects(
                           array(select jsonb_array_elements_text(p_changes -> 'redirectUris')), a.is_confidential)
                         else a.redirect_uris end,
    scopes = case when p_changes ? 'scopes'
                  then private.known_scopes(array(select jsonb_array_elements_text(p_changes -> 'scopes')))
                  else a.scopes end
  where a.id = p_id
  returning * into v_app;
  return private.app_card(v_app);
end $$;
comment on function private.change_own_app is 'Changes an app of the caller, as described at api.update_app.';

create function api.update_app(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.change_own_app(p_id, p_changes);
end $$;
comment on function api.update_app is
  'Changes an app of the caller, {name, website, redirectUris, scopes}: absent fields do not change, and null clears '
  'website. Consents that people gave keep their scopes. Fails: app_name, app_website.';

create function api.renew_app_secret(p_id uuid, p_secret_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have made the secret
set search_path = ''
as $$
declare
  v_app app.apps;
begin
  perform private.require_proof();
  perform private.count_writes('apps');
  v_app := private.lock_own_app(p_id);
  if not v_app.is_confidential then
    perform private.raise_error('app_public');
  end if;
  update app.apps set secret_hash = p_secret_hash where id = p_id returning * into v_app;
  return private.app_card(v_app);
end $$;
comment on function api.renew_app_secret is
  'For the facade alone: gives a confidential app of the caller a new secret with this hash. The previous secret '
  'stops working immediately.';
call private.make_nulls_raise_codes('app.apps');

insert into private.links (type, path) values ('app', '/apps');
