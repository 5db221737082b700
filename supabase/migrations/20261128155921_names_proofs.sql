-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.create_access_token(p_name text, p_scopes text[], p_token_hash bytea, p_nonce text, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_ends_with_password boolean DEFAULT true)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  perform private.check_caller();   -- checks again: the caller's role may have changed while this waited
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
end $function$;

CREATE OR REPLACE FUNCTION api.create_bot_token(p_id text, p_name text, p_scopes text[], p_token_hash bytea, p_nonce text, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller  uuid := private.require_caller();
  v_kept    json := private.begin_idempotent('create_bot_token', json_build_array(
    p_id, p_name, p_scopes, p_expires_at));
  v_seconds numeric := coalesce(extract(epoch from p_expires_at - clock_timestamp()), 365 * 86400);
  v_bot     uuid;
  v_answer  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('tokens');
  v_bot := private.require_own_bot(p_id);
  perform private.require_proof();
  if v_seconds not between 1 and 366 * 86400 then
    perform private.raise_error('access_token_expiry');
  end if;
  perform private.check_lock_order('credentials', v_caller::text, v_bot::text);
  perform from private.credentials where user_id in (v_caller, v_bot) order by user_id for update;
  perform private.check_caller();   -- checks again: the caller may have been banned while this waited
  perform private.issue_access_token(v_bot, 'personal', private.require_name(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => false);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_bot_token', v_answer);
end $function$;

CREATE OR REPLACE FUNCTION api.renew_app_secret(p_id uuid, p_secret_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.change_own_app(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.create_own_app(p_name text, p_redirect_uris text[], p_scopes text[], p_is_confidential boolean, p_website text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.erase_account(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
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
begin
  update private.credentials set password_hash = '!erased' where user_id = p_user.id;
  -- the rows remain, because posts may refer to them
  update app.personas set name = id::text, about = null, accent = 'ink', profile_pic_url = null
  where user_id = p_user.id;
  update app.invite_codes set status = 'revoked', candidate_session_id = null where generated_by = p_user.id;
  delete from app.sessions where user_id = p_user.id;
  delete from app.access_tokens where user_id = p_user.id;
  delete from private.devices where user_id = p_user.id;
  perform private.forget_factors(p_user.id);
  delete from private.oidc_logins l using private.identities i
  where i.user_id = p_user.id and l.issuer = i.issuer and l.subject = i.subject;
  delete from private.identities where user_id = p_user.id;
  delete from private.password_resets where user_id = p_user.id;
  delete from private.email_verifications where user_id = p_user.id;
  -- comes last, because a transaction that writes the person's ledger also locks this row after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
end $function$;
