-- Consents say what people allowed apps to do. Each consent has a refresh token, HMAC-SHA256(key, consent ‖
-- generation), which the facade makes in the same way as the refresh tokens of sessions. docs/decisions.md, Apps.

create table app.app_consents (
  id           uuid primary key,
  user_id      uuid not null references app.users on delete cascade,
  app_id       uuid not null references app.apps on delete cascade,
  scopes       text[] not null,
  generation   integer not null default 0 check (generation >= 0),
  refresh      jsonb,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at   timestamptz not null default now() + interval '60 days',
  ended_at     timestamptz
);
create index app_consents_user_id_idx on app.app_consents (user_id, created_at);
create index app_consents_app_id_idx on app.app_consents (app_id, id) where ended_at is null;
create index app_consents_of_app_idx on app.app_consents (app_id, id);
create index app_consents_over_idx on app.app_consents (least(ended_at, expires_at));
comment on table app.app_consents is
  'Consents: what a person allowed an app to do. There is a row for each time that the app asked. A consent ends when '
  'its refresh token was not used for 60 days. It keeps its row for a day after its end, so that a stolen token is '
  'still recognized.';
comment on column app.app_consents.scopes is 'The scopes that the person allowed.';
comment on column app.app_consents.generation is
  'The generation of the current refresh token, which is the number of times that it was replaced.';
comment on column app.app_consents.refresh is
  'What the facade stores about the refresh token, because the token does not contain it; null before the first '
  'token.';
comment on column app.app_consents.last_used_at is 'When the app last got an access token with this consent.';
comment on column app.app_consents.expires_at is '60 days after the last use of the refresh token.';
comment on column app.app_consents.ended_at is 'When the consent was revoked; null otherwise.';
insert into private.retention (relation, counts_from, keep) values
  ('app.app_consents', 'LEAST(ended_at, expires_at)', '1 day');

create table private.oauth_records (
  model       text not null check (model in ('AccessToken', 'AuthorizationCode', 'DeviceCode', 'Interaction')),
  key         bytea not null check (length(key) = 32),
  payload     jsonb not null check (pg_column_size(payload) <= 65536),
  user_code   bytea check (length(user_code) = 32),
  consent_id  uuid references app.app_consents on delete cascade,
  expires_at  timestamptz not null,
  consumed_at timestamptz,
  primary key (model, key)
);
create unique index oauth_records_user_code_idx on private.oauth_records (user_code);
create index oauth_records_consent_id_idx on private.oauth_records (consent_id, expires_at);
create index oauth_records_expires_at_idx on private.oauth_records (expires_at);
comment on table private.oauth_records is
  'What the OAuth provider stores for some minutes: requests of apps, codes and access tokens.';
comment on column private.oauth_records.key is 'SHA-256 of the code or the token, or of the id of the request.';
comment on column private.oauth_records.user_code is 'SHA-256 of the code that a person enters for a device.';
comment on column private.oauth_records.expires_at is 'When it expires.';
comment on column private.oauth_records.consumed_at is
  'When the code was used. If a client uses it again, its consent ends.';
insert into private.retention (relation, counts_from, keep) values ('private.oauth_records', 'expires_at', '0');

create function private.end_consent(p_id uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.app_consents set ended_at = now(), refresh = null where id = p_id and ended_at is null;
  perform private.end_access_token(t.id)
  from app.access_tokens t join private.oauth_records r on r.model = 'AccessToken' and r.key = t.token_hash
  where r.consent_id = p_id;
end $$;
comment on function private.end_consent is
  'Ends a consent, with its refresh token and its access tokens. A consent has at most 10 valid access tokens.';

create function private.end_consents_of(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.end_consent(id)
  from (select id from app.app_consents where user_id = p_user and ended_at is null order by id for update) c;
end $$;
comment on function private.end_consents_of is 'Ends all consents of a person, who has at most 50 valid ones.';

create function private.end_consents_with_tokens() returns trigger
language plpgsql security definer   -- callers that end tokens may not write consents
set search_path = ''
as $$
begin
  perform private.end_consents_of(new.id);
  return null;
end $$;
comment on function private.end_consents_with_tokens is
  'Trigger: ends the consents of a person when all their tokens end, for example because of a new password.';
create trigger _070_end_consents_with_tokens after update of tokens_valid_from on app.users
  for each row when (old.tokens_valid_from <> new.tokens_valid_from)
  execute function private.end_consents_with_tokens();

create function private.end_app(p_app uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.apps set ended_at = now(), secret_hash = null where id = p_app and ended_at is null;
  perform private.end_consent(id)
  from (select id from app.app_consents where app_id = p_app and ended_at is null order by id limit 500 for update) c;
  if exists (select from app.app_consents where app_id = p_app and ended_at is null) then
    perform private.enqueue('ended-apps', json_build_object('appId', p_app));
  end if;
end $$;
comment on function private.end_app is
  'Ends an app, so that it gets no new tokens. Ends its first 500 consents immediately, and leaves the others to '
  'the worker.';

create function private.end_more_consents(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_app uuid := (p_job ->> 'appId')::uuid;
  v_ids uuid[] := array(select id from app.app_consents
                        where app_id = v_app and ended_at is null order by id limit 500 for update);
begin
  perform private.end_consent(id) from unnest(v_ids) id;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.end_more_consents is
  'For the worker alone: ends the next 500 consents of a deleted app {appId}. Returns {changed, next}.';
call private.make_batch_queue('ended-apps', 'private.end_more_consents');

create function private.delete_own_app(p_id uuid) returns void
language plpgsql volatile security definer   -- people may not write apps
set search_path = ''
as $$
begin
  perform private.lock_own_app(p_id);
  perform private.end_app(p_id);
end $$;
comment on function private.delete_own_app is 'Deletes an app of the caller.';

create function api.delete_app(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.delete_own_app(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_app is
  'Deletes an app of the caller, with all consents and tokens. The app gets no new token, and its existing tokens '
  'end.';

create function private.list_own_consents() returns json
language plpgsql stable security definer   -- people may not read the apps of others
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(json_build_object(
              'id', a.id, 'name', a.name, 'website', a.website, 'scopes', c.scopes,
              'since', private.utc(c.since), 'lastUsedAt', private.utc(c.used))
              order by c.since desc, a.id desc)
     from (select app_id, min(created_at) as since, max(last_used_at) as used,
                  (select array_agg(s.scope order by s.position) from private.scopes s
                   where exists (select from app.app_consents o
                                 where o.user_id = private.require_caller() and o.app_id = g.app_id
                                   and o.ended_at is null and o.expires_at > now() and s.scope = any (o.scopes)))
                  as scopes
           from app.app_consents g
           where user_id = private.require_caller() and ended_at is null and expires_at > now()
           group by app_id) c
     join app.apps a on a.id = c.app_id and a.ended_at is null),
    '{}', 50);
end $$;
comment on function private.list_own_consents is 'The apps that the caller allowed, as described at api.list_my_apps.';

create function api.list_my_apps() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_own_consents();
end $$;
comment on function api.list_my_apps is
  'The apps that the caller allowed to use the API, {id, name, website, scopes, since, lastUsedAt}. A person has at '
  'most 50 consents, so all are on one page.';

create function private.end_own_consents(p_app uuid) returns boolean
language plpgsql volatile security definer   -- people may not write consents
set search_path = ''
as $$
declare
  v_ids uuid[] := array(select id from app.app_consents
                        where user_id = private.require_caller() and app_id = p_app and ended_at is null
                        order by id for update);
begin
  perform private.end_consent(id) from unnest(v_ids) id;
  return v_ids <> '{}';
end $$;
comment on function private.end_own_consents is
  'Ends the caller''s consents to an app. Returns whether there were any.';

create function api.revoke_my_app(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.end_own_consents(p_id) then
    perform private.raise_error('app_unknown');
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.revoke_my_app is 'Ends the caller''s consents to an app. The app''s tokens end immediately.';

create function private.end_consents_of_person(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.end_consents_of(p_user.id);
  perform private.end_app(id)
  from (select id from app.apps where owner_id = p_user.id and ended_at is null order by id for update) a;
end $$;
comment on function private.end_consents_of_person is
  'Step: a ban or an erasure ends the person''s consents to apps, and the apps that the person registered.';
insert into private.account_steps (step, events, position) values
  ('private.end_consents_of_person', '{ban,erasure}', 62);

create function private.erase_apps(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_rows(p_user.id, 'app.app_consents', 'user_id = $1');
  update app.apps set name = 'erased', website = null, redirect_uris = '{}'
  where owner_id = p_user.id and name <> 'erased';
end $$;
comment on function private.erase_apps is
  'Step: deletes the consents of the erased person, and empties the apps that they registered.';
insert into private.account_steps (step, events, position) values ('private.erase_apps', '{erasure}', 63);

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.apps', 'owner_id', 'apps', '{secret_hash}'),
  ('app.app_consents', 'user_id', 'appConsents', '{refresh}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.oauth_records', 'consent_id', 'Requests and codes of apps, stored for some minutes.');
