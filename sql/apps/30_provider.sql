-- What the facade's OAuth provider stores and finds (api-facade/lib/oauth.ts). Only the facade uses these functions.

create function api.find_app(p_id uuid) returns json
language plpgsql stable security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  return (select (private.app_card(a)::jsonb || jsonb_build_object('secretHash', encode(a.secret_hash, 'hex')))::json
          from app.apps a join app.users u on u.id = a.owner_id
          where a.id = p_id and a.ended_at is null and u.banned_at is null and u.erased_at is null);
end $$;
comment on function api.find_app is
  'For the facade alone: an app with the hash of its secret, or null if there is none.';

create function api.store_oauth_record(
  p_model text, p_key bytea, p_payload jsonb, p_seconds integer, p_user_code bytea default null
) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  insert into private.oauth_records as r (model, key, payload, user_code, consent_id, expires_at)
  values (p_model, p_key, p_payload, p_user_code, (p_payload ->> 'grantId')::uuid,
          clock_timestamp() + p_seconds * interval '1 second')
  on conflict (model, key) do update
    set payload = excluded.payload, consent_id = excluded.consent_id, expires_at = excluded.expires_at;
  return null;
end $$;
comment on function api.store_oauth_record is
  'For the facade alone: stores a request or a code for this many seconds.';

create function api.find_oauth_record(p_model text, p_key bytea default null, p_user_code bytea default null)
returns json
language plpgsql stable security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  return (select (r.payload || jsonb_strip_nulls(jsonb_build_object(
                    'consumed', floor(extract(epoch from r.consumed_at)))))::json
          from private.oauth_records r
          where r.model = p_model and r.expires_at > clock_timestamp()
            and (r.key = p_key or r.user_code = p_user_code));
end $$;
comment on function api.find_oauth_record is
  'For the facade alone: what is stored under this key or user code, with the time of its use; null if there is '
  'nothing.';

create function api.answer_device(p_user_code bytea, p_payload jsonb) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have asked the person
set search_path = ''
as $$
begin
  -- only the first answer to a device is accepted
  update private.oauth_records set payload = p_payload, consent_id = (p_payload ->> 'grantId')::uuid
  where user_code = p_user_code and expires_at > clock_timestamp() and consumed_at is null
    and not payload ?| '{accountId,error}';
  if not found then
    perform private.raise_error('consent_over');
  end if;
  return null;
end $$;
comment on function api.answer_device is 'For the facade alone: stores a person''s answer to a device.';

create function api.consume_oauth_record(p_model text, p_key bytea) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
declare
  v_consent uuid;
begin
  update private.oauth_records set consumed_at = clock_timestamp()
  where model = p_model and key = p_key and consumed_at is null and expires_at > clock_timestamp();
  if not found then
    select consent_id into v_consent from private.oauth_records where model = p_model and key = p_key;
    perform private.end_consent(v_consent);
    return private.error_response('consent_over');   -- an error would roll back the end of the consent
  end if;
  return null;
end $$;
comment on function api.consume_oauth_record is
  'For the facade alone: uses up a code. If it was used before, its consent ends.';

create function api.delete_oauth_record(p_model text, p_key bytea) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  if p_model = 'AccessToken' then
    perform private.end_access_token(id) from app.access_tokens where token_hash = p_key;
  end if;
  delete from private.oauth_records where model = p_model and key = p_key;
  return null;
end $$;
comment on function api.delete_oauth_record is 'For the facade alone: deletes a request or a code, or ends a token.';

create function api.give_consent(p_id uuid, p_user uuid, p_app uuid, p_scopes text[]) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have asked the person
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  if p_user <> v_caller then
    perform private.raise_error('role_required');
  end if;
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again, because the token may have ended during the wait
  perform private.require_proof();
  perform private.check_lock_order('app', p_app::text);
  perform from app.apps where id = p_app and ended_at is null for share;
  if not found then
    perform private.raise_error('app_unknown');
  end if;
  insert into app.app_consents (id, user_id, app_id, scopes)
  values (p_id, v_caller, p_app, private.require_scopes(v_caller, p_scopes));
  perform private.end_consent(c.id)
  from (select id from app.app_consents where user_id = v_caller and ended_at is null and expires_at > now()
        order by id = p_id desc, last_used_at desc, id offset 50) c;
  return null;
end $$;
comment on function api.give_consent is
  'For the facade alone: the caller allows an app these scopes, with a fresh proof as for a token. If the caller has '
  'more than 50 consents, the least recently used one ends.';

create function api.find_consent(p_id uuid) returns json
language plpgsql stable security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  return (select json_build_object('userId', c.user_id, 'appId', c.app_id, 'scopes', c.scopes,
                                   'generation', c.generation, 'refresh', c.refresh,
                                   'wasJustUsed', c.last_used_at > clock_timestamp() - interval '10 seconds',
                                   'iat', floor(extract(epoch from c.created_at)),
                                   'exp', floor(extract(epoch from c.expires_at)))
          from app.app_consents c where c.id = p_id and c.ended_at is null and c.expires_at > clock_timestamp());
end $$;
comment on function api.find_consent is
  'For the facade alone: a consent that is valid, {userId, appId, scopes, generation, refresh, wasJustUsed, iat, '
  'exp}, or null.';

create function api.store_refresh(p_id uuid, p_generation integer, p_payload jsonb) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  update app.app_consents set refresh = p_payload
  where id = p_id and ended_at is null and generation = p_generation;
  if not found then
    perform private.raise_error('consent_over');
  end if;
  return null;
end $$;
comment on function api.store_refresh is
  'For the facade alone: stores the facade''s data about the refresh token of this generation, if it is the current '
  'one.';

create function api.consume_refresh(p_id uuid, p_generation integer) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
declare
  v_consent app.app_consents;
begin
  select * into v_consent from app.app_consents where id = p_id and ended_at is null for update;
  if not found then
    perform private.raise_error('consent_over');
  elsif v_consent.generation = p_generation then
    update app.app_consents
    set generation = generation + 1, last_used_at = clock_timestamp(),
        expires_at = clock_timestamp() + interval '60 days'
    where id = p_id;
  elsif v_consent.generation = p_generation + 1
        and v_consent.last_used_at > clock_timestamp() - interval '10 seconds' then
    -- the answer was lost, or two requests ran at the same time; both get the same next token
    return null;
  else
    perform private.end_consent(p_id);
    return private.error_response('consent_over');   -- an error would roll back the end of the consent
  end if;
  return null;
end $$;
comment on function api.consume_refresh is
  'For the facade alone: uses up the refresh token of a generation. If the token was used before, the consent ends. '
  'There is one exception: the token before the current one can be used again within 10 seconds of its use.';

create function api.end_consent(p_id uuid) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
begin
  perform private.end_consent(p_id);
  return null;
end $$;
comment on function api.end_consent is 'For the facade alone: ends a consent with its tokens.';

create function api.issue_app_token(
  p_consent uuid, p_token_hash bytea, p_scopes text[], p_payload jsonb, p_seconds integer
) returns json
language plpgsql volatile security definer   -- only for gate: apps ask without a token
set search_path = ''
as $$
declare
  v_consent app.app_consents;
  v_name    text;
  v_old     bytea[];
begin
  select c.* into v_consent from app.app_consents c where c.id = p_consent and c.ended_at is null;
  if not found or not (p_scopes <@ v_consent.scopes) then
    perform private.raise_error('consent_over');
  end if;
  select name into v_name from app.apps where id = v_consent.app_id;
  perform private.issue_access_token(v_consent.user_id, 'app', v_name, p_token_hash, p_scopes, p_seconds,
                                     v_consent.app_id::text);
  -- lock the consent after the person, in the same order as functions that end consents
  update app.app_consents set last_used_at = clock_timestamp() where id = p_consent and ended_at is null;
  if not found then
    perform private.raise_error('consent_over');
  end if;
  insert into private.oauth_records (model, key, payload, consent_id, expires_at)
  values ('AccessToken', p_token_hash, p_payload, p_consent, clock_timestamp() + p_seconds * interval '1 second');
  with old as (
    delete from private.oauth_records
    where model = 'AccessToken'
      and key in (select key from private.oauth_records
                  where consent_id = p_consent and model = 'AccessToken'
                  order by expires_at desc, key = p_token_hash desc, key offset 10)
    returning key)
  select array_agg(key) into v_old from old;
  perform private.end_access_token(id) from app.access_tokens where token_hash = any (v_old);
  return null;
end $$;
comment on function api.issue_app_token is
  'For the facade alone: gives an app an access token with this hash for a consent. The newest 10 tokens of a consent '
  'are valid.';
