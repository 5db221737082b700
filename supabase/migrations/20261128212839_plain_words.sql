-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.accept_solution(p_id uuid, p_solution_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('accept_solution', json_build_array(p_id, p_solution_id));
  v_card json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.take_solution(p_id, p_solution_id);
  v_card := private.problem_cards(array[p_id]) -> 0;
  if v_card is null then   -- the caller has left the space of the problem: it has changed, but is not shown
    return private.error_response('problem_unknown');
  end if;
  return private.finish_idempotent('accept_solution', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.add_circle_member(p_id uuid, p_member_id text, p_bond_level text DEFAULT 'acquaintance'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept   json := private.begin_idempotent('add_circle_member', json_build_array(p_id, p_member_id, p_bond_level));
  v_member uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('follows');   -- count before any lock: ARCHITECTURE.md, Locks
  v_member := private.lock_person(p_member_id);
  perform private.require_own_circle(p_id);
  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
  select p_id, app.uid(), u.id, p_bond_level from app.users u where u.id = v_member;
  if not found then
    perform private.raise_error('person_unknown');
  end if;
  return private.finish_idempotent('add_circle_member', (
    select card from app.circle_member_card where circle_id = p_id and member_id = v_member));
end $function$;

CREATE OR REPLACE FUNCTION api.add_conversation_members(p_id uuid, p_user_ids text[])
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept   json := private.begin_idempotent('add_conversation_members', json_build_array(p_id, p_user_ids));
  v_people uuid[];
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.require_own_group(p_id);   -- check this first, so that others don't learn who exists
  perform private.count_writes('conversations', greatest(1, least(49, cardinality(p_user_ids))));
  v_people := private.require_others(p_user_ids);
  perform private.lock_available(v_people);
  perform private.add_members(p_id, v_people);
  return private.finish_idempotent('add_conversation_members', private.require_conversation_card(p_id));
end $function$;

CREATE OR REPLACE FUNCTION api.add_passkey(p_credential_id bytea, p_public_key bytea, p_counter bigint, p_transports text[], p_name text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller  uuid := private.require_caller();
  v_first   boolean;
  v_passkey private.passkeys;
  v_claims  json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  perform private.require_proof_of_all();
  if (select count(*) >= 10 from private.passkeys where user_id = v_caller) then
    perform private.raise_error('passkeys_full');
  end if;
  insert into private.passkeys (user_id, credential_id, public_key, counter, transports, name)
  values (v_caller, p_credential_id, p_public_key, p_counter, p_transports, private.require_name(p_name))
  on conflict (credential_id) do nothing
  returning * into v_passkey;
  if v_passkey.id is null then
    perform private.raise_error('passkey_wrong');   -- the same error as for every other fault
  end if;
  insert into private.people_with_factor (user_id) values (v_caller) on conflict do nothing;
  v_first := found;
  perform private.mail_about_factor(v_caller, 'passkeyAdded');
  if not v_first then
    return json_build_object('passkey', private.passkey_card(v_passkey));
  end if;
  -- other sessions began with only the password
  perform private.end_tokens(v_caller);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('passkey', private.passkey_card(v_passkey),
                                'recoveryCodes', private.renew_recovery_codes(v_caller)))::json;
end $function$;

CREATE OR REPLACE FUNCTION api.add_series_item(p_id uuid, p_post_id uuid, p_position integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept   json := private.begin_idempotent('add_series_item', json_build_array(p_id, p_post_id, p_position));
  v_series app.series;
  v_post   app.posts;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_series := private.require_series(p_id);
  perform private.count_writes('edits');
  if v_series.author_id <> private.require_caller() then
    perform private.raise_error('series_not_yours');
  end if;
  v_post := private.lock_own_post(p_post_id);   -- while the post is locked, it cannot be deleted or published
  if v_post.format = 'repost' then
    perform private.raise_error('series_repost');
  end if;
  if private.place_item(p_id, p_post_id, p_position) and v_post.published_at is not null then
    perform private.emit('posts.series.extended', json_build_object('seriesId', p_id, 'postId', p_post_id));
  end if;
  return private.finish_idempotent('add_series_item', (
    select json_build_object('seriesId', i.series_id, 'position', i.position, 'post', private.post_card(p_post_id))
    from app.series_items i where i.series_id = p_id and i.post_id = p_post_id));
end $function$;

CREATE OR REPLACE FUNCTION api.adjust_reputation(p_user_id text, p_interest_id uuid, p_delta numeric, p_note text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_note text;
  v_user uuid;
  v_id   uuid;
begin
  perform private.require_role('admin');
  v_note := private.require_text(p_note);
  perform private.require_delta(p_delta, -1000);
  if v_note is null or length(v_note) not between 1 and 1000 then
    perform private.raise_error('note_length');
  end if;
  v_user := private.require_any_person(p_user_id);
  v_id := private.add_reputation(v_user, private.require_interest(p_interest_id), 'admin.adjusted', p_delta);
  -- only app.audit_details keeps the note, with this person as its subject, so that their erasure deletes it
  perform private.audit('reputation.adjusted', 'user', v_user::text,
                        json_build_object('interestId', p_interest_id, 'delta', p_delta, 'note', v_note));
  return (
    select json_build_object('id', v_id, 'userId', v_user, 'user', p.card, 'interestId', p_interest_id,
                             'delta', p_delta, 'value', r.value, 'level', private.reputation_level(r.value))
    from app.person_card p join app.reputation r on r.user_id = p.id
    where p.id = v_user and r.interest_id = p_interest_id);
end $function$;

CREATE OR REPLACE FUNCTION api.appeal_by_password(p_user_id uuid, p_password_hash text, p_decision_id uuid, p_text text, p_code text DEFAULT NULL::text, p_passkey uuid DEFAULT NULL::uuid, p_counter bigint DEFAULT NULL::bigint, p_oidc_login uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  perform private.add_decision_appeal(p_user_id, p_decision_id, p_text);
  return private.standing(p_user_id, true);
end $function$;

CREATE OR REPLACE FUNCTION api.apply_ai_suggestions(p_session_id uuid, p_ids uuid[])
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_new jsonb;
begin
  perform private.require_ai_session(p_session_id);
  if cardinality(p_ids) > 50 then
    perform private.raise_error('value_invalid');
  end if;
  -- as in api.select_interests, interests that the caller has chosen meanwhile keep their depth
  perform private.lock('choices', app.uid()::text);
  v_new := (select jsonb_agg(jsonb_build_object('interestId', p.id, 'depth', 1, 'expertise', 1) order by p.place)
            from unnest(p_ids) with ordinality as p (id, place)
            where not exists (select from app.user_interests u where u.user_id = app.uid() and u.interest_id = p.id));
  if v_new is null then
    return api.list_my_interests();
  end if;
  return api.select_interests(v_new);
end $function$;

CREATE OR REPLACE FUNCTION api.approve_wiki_proposal(p_id uuid, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.settle_wiki_by_staff(p_id, true, p_reason) then
    return private.error_response('wiki_base_stale');   -- not raised, because a rollback would leave the proposal open
  end if;
  return private.staff_wiki_proposals(array[p_id]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION api.begin_ai_answer(p_session_id uuid, p_answer text, p_budget integer, p_position integer DEFAULT NULL::integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_session  app.ai_sessions := private.give_ai_answer(p_session_id, p_answer, p_position);
  v_turns    json;
  v_count    bigint;
  v_reserved integer;
  v_day      date;
begin
  select json_agg(json_build_object('question', question, 'answer', answer) order by position), count(*)
  into v_turns, v_count
  from app.ai_turns where session_id = p_session_id;
  -- A token has at least one byte. The 1200 tokens are for the topic, the instructions to the model, and the question
  -- that it returns.
  v_reserved := 1200 + octet_length(v_turns::text);
  if v_count < 5 then
    v_day := private.reserve_tokens(v_reserved, p_budget);
  end if;
  if v_day is null then
    perform private.put_ai_question(v_session, p_fallback => true);
  else
    update app.ai_sessions set asking_until = clock_timestamp() + interval '1 minute' where id = p_session_id
    returning * into v_session;
  end if;
  return json_build_object(
    'session', (select card from app.ai_session_card where id = p_session_id),
    'ask', case when v_day is not null then json_build_object('topic', v_session.topic, 'turns', v_turns) end,
    'lease', json_build_object('p_until', v_session.asking_until, 'p_day', v_day, 'p_reserved', v_reserved));
end $function$;

CREATE OR REPLACE FUNCTION api.change_password(p_password_hash text, p_new_hash text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_claims json;
begin
  perform from private.credentials where user_id = v_caller and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.require_proof();
  perform private.replace_password(v_caller, p_new_hash);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_caller, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.close_problem(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('close_problem', json_build_array(p_id));
  v_card json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.end_problem(p_id);
  v_card := private.problem_cards(array[p_id]) -> 0;
  if v_card is null then   -- the caller has left the space of the problem: it has changed, but is not shown
    return private.error_response('problem_unknown');
  end if;
  return private.finish_idempotent('close_problem', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.commit_asset(p_asset_id uuid, p_mime_type text, p_width integer DEFAULT NULL::integer, p_height integer DEFAULT NULL::integer, p_sha256 text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sha256 bytea := decode(p_sha256, 'hex');
begin
  update app.media_assets
  set status = 'committed', committed_at = now(), mime_type = p_mime_type, expires_at = null,
      width = coalesce(p_width, width), height = coalesce(p_height, height), sha256 = v_sha256
  where id = p_asset_id and owner_id = private.require_caller() and status = 'pending';
  if not found then
    -- two commits have published two files, and it is unknown which of them the storage serves
    delete from app.media_assets where id = p_asset_id and owner_id = private.require_caller() and sha256 <> v_sha256;
    if found then
      return private.error_response('asset_unfit');
    end if;
  end if;
  return api.get_asset(p_asset_id);   -- a second commit returns the same result as the first
end $function$;

CREATE OR REPLACE FUNCTION api.confirm_totp(p_code text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_claims json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  perform private.require_proof_of_all();
  perform from private.totp where user_id = v_caller and confirmed_at is null for update;
  if not found then
    perform private.raise_error('factor_unknown');
  elsif not private.use_totp(v_caller, p_code) then
    perform private.raise_error('code_wrong');
  end if;
  update private.totp set confirmed_at = now() where user_id = v_caller;
  insert into private.people_with_factor (user_id) values (v_caller) on conflict do nothing;
  -- other sessions began with only the password
  perform private.end_tokens(v_caller);
  perform private.mail_about_factor(v_caller, 'factorAdded');
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('recoveryCodes', private.first_recovery_codes(v_caller)))::json;
end $function$;

CREATE OR REPLACE FUNCTION api.consume_oauth_record(p_model text, p_key bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.consume_refresh(p_id uuid, p_generation integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.count_views(p_posts uuid[], p_viewers uuid[])
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_counters(p_posts);   -- prevents deadlocks between two batches of the same posts
  update app.post_counters c set views = c.views + v.opened
  from (select p.id, count(*) as opened
        from unnest(p_posts, p_viewers) as o (post, viewer) join app.posts p on p.id = o.post
        where o.viewer <> p.author_id group by p.id) v
  where c.post_id = v.id;
  return null;
end $function$;

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
end $function$;

CREATE OR REPLACE FUNCTION api.create_argument(p_id uuid, p_side text, p_body text, p_parent_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('create_argument', json_build_array(p_id, p_side, p_body, p_parent_id));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('replies');
  perform private.lock_open_content('debate', p_id);
  v_id := private.add_argument(p_id, p_side, p_body, p_parent_id);
  perform private.require_content('debate', p_id);   -- one of the two people may have blocked the other meanwhile
  return private.finish_idempotent('create_argument', private.argument_cards(array[v_id]) -> 0);
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
  perform private.check_caller();   -- check again, because the caller may have been banned during the wait
  perform private.issue_access_token(v_bot, 'personal', private.require_name(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => false);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_bot_token', v_answer);
end $function$;

CREATE OR REPLACE FUNCTION api.create_course(p_title text, p_summary text, p_depth integer, p_price_mana integer DEFAULT 0, p_interest_id uuid DEFAULT NULL::uuid, p_group_id text DEFAULT NULL::text, p_guild_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept   json := private.begin_idempotent('create_course', json_build_array(
    p_title, p_summary, p_depth, p_price_mana, p_interest_id, p_group_id, p_guild_id));
  v_course app.courses;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if (p_depth between 0 and 5) is not true then   -- check this here, because a smallint might overflow
    perform private.raise_error('course_depth');
  end if;
  v_course.summary := private.require_body(p_summary);
  v_course.depth := p_depth;
  v_course.price_mana := coalesce(p_price_mana, 0);
  v_course.id := private.add_course(v_course, p_title, p_interest_id, p_group_id, p_guild_id);
  return private.finish_idempotent('create_course', private.course_cards(array[v_course.id]) -> 0);
end $function$;

CREATE OR REPLACE FUNCTION api.create_offering(p_title text, p_description text, p_price_mana integer, p_delivery_days integer, p_stock integer DEFAULT NULL::integer, p_interest_id uuid DEFAULT NULL::uuid, p_group_id text DEFAULT NULL::text, p_guild_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept     json := private.begin_idempotent('create_offering', json_build_array(
    p_title, p_description, p_price_mana, p_delivery_days, p_stock, p_interest_id, p_group_id, p_guild_id));
  v_offering app.offerings;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_offering.description := private.require_body(p_description);
  v_offering.price_mana := p_price_mana;
  v_offering.stock := p_stock;
  -- the column is a smallint; 61 represents all larger numbers
  v_offering.delivery_days := least(p_delivery_days, 61);
  v_offering.id := private.add_content('offering', p_interest_id, p_title, array[v_offering.description],
                                       p_group_id, p_guild_id);
  perform private.write_offering(v_offering);
  return private.finish_idempotent('create_offering', private.offering_cards(array[v_offering.id]) -> 0);
end $function$;

CREATE OR REPLACE FUNCTION api.create_post(p_body text DEFAULT ''::text, p_format text DEFAULT 'note'::text, p_title text DEFAULT NULL::text, p_visibility text DEFAULT 'public'::text, p_depth integer DEFAULT 0, p_interest_id uuid DEFAULT NULL::uuid, p_interest_ids uuid[] DEFAULT '{}'::uuid[], p_persona_id uuid DEFAULT NULL::uuid, p_media jsonb DEFAULT '[]'::jsonb, p_poll jsonb DEFAULT NULL::jsonb, p_quoted_post_id uuid DEFAULT NULL::uuid, p_publish_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_is_journalism boolean DEFAULT false, p_group_id text DEFAULT NULL::text, p_guild_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_me      uuid := private.require_caller();
  v_request json := json_build_array(
    p_body, p_format, p_title, p_visibility, p_depth, p_interest_id, p_interest_ids, p_persona_id,
    p_media, p_poll, p_quoted_post_id, p_publish_at, p_is_journalism, p_group_id, p_guild_id);
  v_answer  json := private.begin_idempotent('create_post', v_request);
  v_space   uuid;
  v_more    uuid[];
  v_post    uuid;
begin
  if v_answer is not null then
    return v_answer;
  end if;
  perform private.count_writes('posts');
  if p_group_id is not null or p_guild_id is not null then
    v_space := private.find_named_space(p_group_id, p_guild_id);
    perform private.write_in_space(v_space);
  end if;
  if (p_format in ('quote', 'repost')) <> (p_quoted_post_id is not null) then
    perform private.raise_error('post_quoted');
  end if;
  if p_format = 'repost' and (p_poll is not null or p_publish_at is not null
                              or p_interest_id is not null or p_interest_ids <> '{}' or p_depth <> 0
                              or v_space is not null) then
    perform private.raise_error('repost_bare');
  end if;
  if p_publish_at is not null then
    perform private.require_future(p_publish_at);
  end if;
  v_more := private.require_further_interests(p_interest_id, p_interest_ids);

  while v_post is null loop
    insert into app.posts (author_id, persona_id, format, title, body, media, quoted_post_id, visibility, depth,
                           interest_id, space_id, is_journalism, publish_at, published_at)
    values (v_me,
            case when p_persona_id is not null then private.require_own_persona(p_persona_id) end,
            p_format, private.require_name(p_title), private.require_text(p_body),
            private.require_media(p_media, p_format),
            -- check in the same statement as the insert, so that a post that is hidden concurrently results in
            -- post_unknown
            case when p_quoted_post_id is not null then private.require_quotable(p_quoted_post_id) end,
            p_visibility, p_depth, p_interest_id, v_space, p_is_journalism, p_publish_at,
            case when p_publish_at is null then now() end)
    on conflict (author_id, quoted_post_id) where format = 'repost' and deleted_at is null do nothing
    returning id into v_post;
    if v_post is null then
      select id into v_post from app.posts
      where author_id = v_me and quoted_post_id = private.require_quotable(p_quoted_post_id)
        and format = 'repost' and deleted_at is null;
      v_answer := private.post_card(v_post);
    end if;
  end loop;
  if v_answer is not null then
    return private.finish_idempotent('create_post', v_answer);   -- the repost already exists
  end if;

  if v_more <> '{}' then
    insert into app.post_interests (post_id, interest_id) select v_post, i from unnest(v_more) i;
  end if;
  if p_poll is not null then
    perform private.add_poll(v_post, p_poll, p_publish_at);
  end if;
  if p_publish_at is null then
    perform private.emit('posts.post.published', json_build_object('postId', v_post, 'authorId', v_me), array[v_me]);
  end if;
  return private.finish_idempotent('create_post', private.post_card(v_post));
end $function$;

CREATE OR REPLACE FUNCTION api.create_reply(p_id uuid, p_body text, p_kind text DEFAULT 'reply'::text, p_parent_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept  json := private.begin_idempotent('create_reply', json_build_array(p_id, p_body, p_kind, p_parent_id));
  v_post  uuid;
  v_reply uuid;
  v_card  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_post := private.require_published_original(p_id);
  perform private.count_writes('replies');
  perform private.lock_open_post_space(v_post);
  -- read and write in one statement, so that a concurrent block can cause no error but post_unknown
  insert into app.replies (post_id, author_id, parent_id, kind, body)
  select p.id, private.require_caller(), p_parent_id, p_kind, private.require_text(p_body)
  from app.posts p where p.id = v_post
  returning id into v_reply;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  perform private.emit('posts.reply.created', json_build_object(
    'replyId', v_reply, 'postId', v_post, 'authorId', app.uid()), private.people_of_reply(v_reply));
  v_card := private.reply_cards(array[v_reply]) -> 0;
  if v_card is null then   -- somebody made a block during the wait for the counters
    perform private.raise_error('post_unknown');
  end if;
  return private.finish_idempotent('create_reply', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.create_solution(p_id uuid, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('create_solution', json_build_array(p_id, p_body));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('replies');
  perform private.lock_open_content('problem', p_id);
  v_id := private.add_solution(p_id, p_body);
  perform private.require_content('problem', p_id);   -- somebody may have made a block meanwhile
  return private.finish_idempotent('create_solution', private.solution_cards(array[v_id]) -> 0);
end $function$;

CREATE OR REPLACE FUNCTION api.create_video_comment(p_id uuid, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept    json := private.begin_idempotent('create_video_comment', json_build_array(p_id, p_body));
  v_video   uuid;
  v_comment uuid;
  v_card    json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('comments');
  v_video := private.require_open_video(p_id);
  -- read and write in one statement, so that a concurrent block can cause no error but video_unknown
  insert into app.video_comments (video_id, author_id, body)
  select c.id, private.require_caller(), private.require_text(p_body)
  from app.contents c where c.id = v_video and c.required_level = 0
  returning id into v_comment;
  v_card := (select card from app.video_comment_card where id = v_comment);
  if v_card is null then   -- a block or a deletion happened during the wait for the counters
    perform private.raise_error('video_unknown');
  end if;
  return private.finish_idempotent('create_video_comment', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.create_wiki_proposal(p_slug text, p_body text, p_summary text, p_base_version integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept     json := private.begin_idempotent('create_wiki_proposal', json_build_array(
    p_slug, p_body, p_summary, p_base_version));
  v_interest uuid;
  v_id       uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_interest := (private.require_wiki(p_slug)).id;
  perform private.count_writes('wiki');
  v_id := private.add_wiki_proposal(v_interest, p_body, p_summary, p_base_version);
  -- check this after the checks of the row, so that a caller who may not propose gets the error that says so. An
  -- approval checks the version again
  if p_base_version <> private.wiki_version(v_interest) then
    perform private.raise_error('wiki_base_stale');
  end if;
  return private.finish_idempotent('create_wiki_proposal', private.wiki_proposal_cards(array[v_id]) -> 0);
end $function$;

CREATE OR REPLACE FUNCTION api.delete_post(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- works even if callers cannot see their own post, such as a repost of a hidden post, or a post in a space that they
  -- left
  if private.delete_own_post(p_id) is not true then
    perform private.lock_own_post(p_id);
    perform private.raise_error('post_unknown');   -- a concurrent call has deleted the post
  end if;
  return null;   -- null becomes a 204 response
end $function$;

CREATE OR REPLACE FUNCTION api.end_alerted_session(p_id uuid, p_alert_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_alerted_session(p_id, p_alert_hash);
begin
  -- lock the person and check again, so that only one of two concurrent calls with the same link succeeds
  perform private.check_lock_order('credentials', v_person::text);
  perform from private.credentials where user_id = v_person for update;
  v_person := private.find_alerted_session(p_id, p_alert_hash);
  if v_person is null then
    perform private.raise_error('session_over');
  end if;
  perform private.check_lock_order('person', v_person::text);
  -- the stranger also has a device token, with which their next login would count as a login on a known device
  update app.users set credentials_version = credentials_version + 1 where id = v_person;
  perform private.end_session(v_person, p_id);
  return json_build_object('ok', true);
end $function$;

CREATE OR REPLACE FUNCTION api.enrol_course(p_id uuid, p_expected_price integer DEFAULT 0)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('enrol_course', json_build_array(p_id, p_expected_price));
  v_head app.contents;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if exists (select from app.contents where id = p_id and kind = 'course' and author_id = app.uid()) then
    perform private.raise_error('enrol_oneself');
  elsif exists (select from app.course_enrolments where course_id = p_id and user_id = private.require_caller()) then
    perform private.require_course(p_id);
    perform private.raise_error('enrolled_already');   -- this also works if the course is archived
  end if;
  v_head := private.require_content('course', p_id);
  -- the locks make a concurrent ban, block or change of price wait, or show it here: ARCHITECTURE.md, Locks
  perform private.share_lock_person(app.uid());
  perform private.write_in_space(v_head.space_id);
  perform private.lock_pairs(array[v_head.author_id], array[app.uid()]);
  perform private.lock_courses(array[p_id]);
  perform private.enrol(private.lock_open_content('course', p_id), p_expected_price);
  return private.finish_idempotent('enrol_course', private.require_course_card(p_id));
end $function$;

CREATE OR REPLACE FUNCTION api.erase_me(p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from app.users where id = private.require_caller() and role = 'admin') then
    perform private.lock_roles();
  end if;
  perform private.check_lock_order('credentials', app.uid()::text);
  perform from private.credentials where user_id = app.uid() and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.check_caller();   -- check again, because the caller may have become an admin
  perform private.require_proof();
  perform private.keep_an_admin(app.uid());
  perform private.erase_person(app.uid());
  return json_build_object('erased', true);
end $function$;

CREATE OR REPLACE FUNCTION api.exchange_access_token(p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.export_user(p_id text, p_section text DEFAULT NULL::text, p_after text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id   uuid;
  v_part json;
begin
  perform private.require_role('admin');
  -- as in api.export_me, an export may take 15 minutes after its first page
  perform private.require_proof(case when p_section is null then interval '10 minutes' else '30 minutes' end);
  v_id := private.require_banned(p_id);
  v_part := private.export_banned(v_id, p_section, p_after);
  if p_section is null then
    perform private.audit('user.exported', 'user', v_id::text);
  end if;
  return v_part;
end $function$;

CREATE OR REPLACE FUNCTION api.find_standing(p_user_id uuid, p_password_hash text, p_code text DEFAULT NULL::text, p_passkey uuid DEFAULT NULL::uuid, p_counter bigint DEFAULT NULL::bigint, p_oidc_login uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  return private.standing(p_user_id, true);
end $function$;

CREATE OR REPLACE FUNCTION api.find_statement(p_user_id uuid, p_password_hash text, p_decision_id uuid, p_code text DEFAULT NULL::text, p_passkey uuid DEFAULT NULL::uuid, p_counter bigint DEFAULT NULL::bigint, p_oidc_login uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  return private.statement(p_user_id, p_decision_id, true);
end $function$;

CREATE OR REPLACE FUNCTION api.finish_ai_answer(p_session_id uuid, p_until timestamp with time zone, p_day date, p_reserved integer, p_question text DEFAULT NULL::text, p_used integer DEFAULT NULL::integer, p_gone boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_session app.ai_sessions := private.lock_open_ai_session(p_session_id);
begin
  perform private.settle_tokens(p_day, p_reserved, p_used);
  -- otherwise the person has answered again, and another call asks the model
  if v_session.asking_until = p_until then
    if p_gone then
      update app.ai_sessions set asking_until = null where id = p_session_id;
    else
      perform private.put_ai_question(v_session, p_question, p_question is null);
    end if;
  end if;
  return (select card from app.ai_session_card where id = p_session_id);
end $function$;

CREATE OR REPLACE FUNCTION api.follow_person(p_person text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_person uuid;
begin
  perform private.count_writes('follows');
  v_person := private.lock_person(p_person);
  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.follows (follower_id, following_id) select app.uid(), u.id from app.users u where u.id = v_person
  on conflict do nothing;
  if found then
    perform private.emit('social.user.followed',
      json_build_object('followerId', app.uid(), 'followingId', v_person), array[v_person]);
  else
    perform private.require_person(p_person);
  end if;
  return private.follow_counts(v_person);
end $function$;

CREATE OR REPLACE FUNCTION api.follow_series(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_series app.series := private.require_series(p_id);
begin
  perform private.count_writes('follows');
  if v_series.author_id = private.require_caller() then
    perform private.raise_error('series_follow_own');
  end if;
  -- read and write in one statement, so that a concurrent block can cause no error but series_unknown
  insert into app.series_follows (series_id, user_id) select s.id, app.uid() from app.series s where s.id = p_id
  on conflict do nothing;
  return json_build_object('following', true);
end $function$;

CREATE OR REPLACE FUNCTION api.get_catalog(p_level integer DEFAULT NULL::integer, p_parent_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_items json;
begin
  if p_parent_id is not null then
    perform private.require_interest(p_parent_id);
  end if;
  -- The version is the sum of the rows' hashes, so the rows need not be sorted. Hashing sorted text would take four
  -- times as long, and hashing is nearly the whole cost of a 304. Each hash is hashed again, because otherwise the sum
  -- could remain the same if two rows exchange their counts.
  if private.not_modified((select coalesce(sum(hashint8extended(hash_record_extended(i, 0), 0)), 0)
                           from app.interests i)::text) then
    return null;
  end if;
  if p_level is null and p_parent_id is null then
    v_items := private.interest_tree();
  elsif p_parent_id is null then
    select json_agg(c order by c.name) into v_items from app.interest_card c where c.level = p_level;
  else
    select json_agg(c order by c.name) into v_items from app.interest_card c
    where c."parentId" = p_parent_id and c.level = coalesce(p_level, c.level);
  end if;
  return json_build_object('items', coalesce(v_items, '[]'::json));
end $function$;

CREATE OR REPLACE FUNCTION api.give_consent(p_id uuid, p_user uuid, p_app uuid, p_scopes text[])
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.invite_co_author(p_id uuid, p_user_id text, p_split_share integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept   json := private.begin_idempotent('invite_co_author', json_build_array(p_id, p_user_id, p_split_share));
  v_person uuid;
  v_post   app.posts;
  v_row    app.post_co_authors;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('invitations');
  v_person := private.lock_person(p_user_id);
  v_post := private.lock_own_post(p_id);
  if v_post.format = 'repost' then
    perform private.raise_error('co_author_repost');
  elsif v_post.published_at is null then
    perform private.raise_error('post_not_out');   -- the invited person could not see the post
  elsif v_person = app.uid() then
    perform private.raise_error('co_author_oneself');
  elsif (p_split_share between 0 and 100) is not true then
    perform private.raise_error('split_share');
  elsif exists (select from app.post_co_authors where post_id = p_id and user_id = v_person) then
    perform private.raise_error('co_author_already');
  elsif (select count(*) from app.post_co_authors where post_id = p_id) >= 4 then
    perform private.raise_error('co_authors_exhausted');
  elsif private.post_visible_to(p_id, v_person) is not true then
    perform private.raise_error('co_author_outside');
  end if;
  perform private.require_split(p_id, p_split_share);

  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.post_co_authors (post_id, user_id, split_share)
  select p_id, u.id, p_split_share from app.users u where u.id = v_person
  returning * into v_row;
  if not found then
    perform private.raise_error('person_unknown');
  end if;
  perform private.emit('posts.co_author.invited', json_build_object(
    'inviteId', v_row.id, 'postId', p_id, 'inviterId', app.uid(), 'inviteeId', v_person),
    array[v_person]);
  return private.finish_idempotent('invite_co_author', private.co_author(v_row));
end $function$;

CREATE OR REPLACE FUNCTION api.invite_to_circle(p_id uuid, p_invitee_id text, p_bond_level text DEFAULT 'acquaintance'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept       json := private.begin_idempotent('invite_to_circle', json_build_array(
    p_id, p_invitee_id, p_bond_level));
  v_invitee    uuid;
  v_invitation uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('invitations');
  v_invitee := private.lock_person(p_invitee_id);
  perform private.require_own_circle(p_id);
  if exists (select from app.circle_members where circle_id = p_id and member_id = v_invitee) then
    perform private.raise_error('member_already');
  end if;
  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.circle_invitations (circle_id, inviter_id, invitee_id, bond_level)
  select p_id, app.uid(), u.id, p_bond_level from app.users u where u.id = v_invitee
  on conflict (circle_id, invitee_id) where status = 'pending' do nothing
  returning id into v_invitation;
  if not found then
    perform private.require_person(p_invitee_id);
    perform private.raise_error('invitation_pending');
  end if;
  perform private.emit('social.invitation.sent', json_build_object(
    'invitationId', v_invitation, 'circleId', p_id, 'inviterId', app.uid(), 'inviteeId', v_invitee),
    array[v_invitee]);
  return private.finish_idempotent('invite_to_circle', private.invitation_cards(array[v_invitation]) -> 0);
end $function$;

CREATE OR REPLACE FUNCTION api.issue_app_token(p_consent uuid, p_token_hash bytea, p_scopes text[], p_payload jsonb, p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.like_video(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_video uuid;
begin
  perform private.count_writes('likes');
  v_video := private.require_open_video(p_id);
  -- read and write in one statement, so that a concurrent block can cause no error but video_unknown
  insert into app.video_likes (video_id, user_id)
  select c.id, private.require_caller() from app.contents c where c.id = v_video and c.required_level = 0
  on conflict do nothing;
  return private.require_video_card(v_video);
end $function$;

CREATE OR REPLACE FUNCTION api.list_bookmarks(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('bookmarks', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_bookmark_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_bookmarks(v_from);
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_conversations(p_kind text DEFAULT NULL::text, p_unread boolean DEFAULT NULL::boolean, p_q text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
  v_last  app.place;
begin
  if p_cursor is not null then
    v_from := private.require_place('conversations', p_cursor);
    if v_from.at is null then
      v_from := private.conversation_place(v_from.id);
    end if;
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_conversations(p_kind, coalesce(p_unread, false), nullif(p_q, ''), v_from);
  -- the cursor is a place, because each message moves its conversation up
  v_last := private.conversation_place(v_found.ids[p_limit]);
  return private.page(private.conversation_cards(v_found.ids[:p_limit]),
                      array_fill(private.place_cursor('conversations', v_last.at, v_last.id),
                                 array[cardinality(v_found.ids)]), p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_feed(p_tab text DEFAULT NULL::text, p_journalism boolean DEFAULT false, p_min_depth integer DEFAULT 0, p_interest_id uuid DEFAULT NULL::uuid, p_format text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_since timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_cursor  app.feed_cursor := private.require_feed_cursor(p_tab, p_cursor);
  v_cursors text[];
  v_choice  app.feed_choice := (
    p_tab, private.interest_subtree(p_interest_id), coalesce(p_journalism, false), p_format, coalesce(p_min_depth, 0),
    private.muted_people(), private.muted_posts(), private.find_muted_words(), 4000, 200000, p_since
  )::app.feed_choice;
  v_page    app.feed_page;
begin
  perform private.require_limit(p_limit);   -- reject a wrong limit before reading posts
  if p_tab is null then
    v_page := private.feed_ranked(v_choice, v_cursor, p_limit);
  elsif p_tab in ('following', 'trending', 'circles') then
    v_page := private.feed_in_time(v_choice, v_cursor, p_limit);
  else
    perform private.raise_error('tab_unknown');
  end if;
  p_limit := v_page.size;
  v_cursors := v_page.ids::text[];
  if v_page.opened is not null then
    v_cursors[p_limit] := v_cursors[p_limit] || '.' || v_page.opened;
  end if;
  return private.page_of_texts(
    private.post_cards(v_page.ids[:p_limit], v_page.parts), v_cursors, p_limit, v_page.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_my_appeals(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
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
declare
  v_me   uuid := private.require_caller();
  v_id   uuid := private.require_cursor(p_cursor);
  v_from timestamptz;
  v_ids  uuid[];
begin
  select created_at into v_from from app.reputation_appeals where id = v_id;   -- appeals are never deleted
  if v_id is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 'infinity');
  v_id := coalesce(v_id, v_me);   -- no row has this time, so any id works
  v_ids := array(select id from app.reputation_appeals
                 where user_id = v_me and (created_at, id) < (v_from, v_id)
                 order by created_at desc, id desc limit 51);
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_ids[:p_limit]) with ordinality as p (id, place)
                       join app.reputation_appeal_card c on c.id = p.id), v_ids::text[], p_limit);
end $function$;

CREATE OR REPLACE FUNCTION api.list_my_series(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_from   app.series;
  v_ids    uuid[];
begin
  select * into v_from from app.series where id = private.require_cursor(p_cursor) and author_id = v_caller;
  if p_cursor is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  -- plain variables, so that the planner can use the index
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);
  v_ids := array(select id from app.series
                 where author_id = v_caller and (created_at, id) < (v_from.created_at, v_from.id)
                 order by created_at desc, id desc limit 51);
  return private.page(private.series_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $function$;

CREATE OR REPLACE FUNCTION api.list_notifications(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_since timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_from   app.notifications;
  v_ids    uuid[];
begin
  perform private.catch_up(v_caller);
  if p_since is not null then
    return private.list_changed(p_limit, p_cursor, p_since);
  end if;
  select * into v_from from app.notifications where id = private.require_cursor(p_cursor);
  if p_cursor is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  -- plain variables, so that the planner can use the index
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);
  v_ids := array(select id from app.notifications
                 where user_id = v_caller and in_app and (created_at, id) < (v_from.created_at, v_from.id)
                 order by created_at desc, id desc limit 51);
  return private.page(private.notification_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $function$;

CREATE OR REPLACE FUNCTION api.list_orders(p_role text DEFAULT NULL::text, p_state text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_role not in ('buyer', 'seller') then
    perform private.raise_error('order_role');
  end if;
  if p_cursor is not null then
    v_from := private.require_place('orders', p_cursor);
    v_from.at := coalesce(v_from.at, (select o.created_at from app.orders o where o.id = v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_orders(p_role, p_state, v_from);
  return private.page(private.order_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_posts_by(p_username text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_author uuid := private.require_person(p_username);
  v_before uuid;
  v_pinned timestamptz;
  v_from   timestamptz;
  v_pins   uuid[];
  v_found  app.found;
begin
  select post_id, pinned_at, published_at into v_before, v_pinned, v_from
  from private.require_profile_place(p_cursor, v_author);
  if v_before is null then
    v_before := v_author;   -- no row has this time, so any id works
    v_pinned := 'infinity';
  end if;
  if v_pinned is not null then
    -- there are at most 50 pinned posts, of which their author sees three: private.pin
    v_pins := array(select id from app.posts
                    where author_id = v_author and pinned_at is not null and deleted_at is null
                      and published_at is not null
                      and (pinned_at, id) < (v_pinned, v_before)
                    order by pinned_at desc, id desc);
    v_from := 'infinity';
  end if;
  v_found := private.find_posts_by(v_author, (v_from, v_before)::app.place);
  v_found.ids := v_pins || v_found.ids;
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_received_votes(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
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
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('received votes', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_vote_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_votes(v_from);
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_found.ids[:p_limit]) with ordinality as p (id, place)
                       join app.reputation_vote_card c on c.id = p.id), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_replies(p_id uuid, p_kind text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_parent_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_post  uuid := (private.require_original(p_id)).id;
  v_from  app.place := ('-infinity', v_post)::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('replies ' || v_post, p_cursor);
    v_from.at := coalesce(v_from.at, private.find_reply_time(v_from.id, v_post));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  if p_parent_id is not null then
    perform from app.replies where id = p_parent_id and post_id = v_post;
    if not found then
      perform private.raise_error('reply_unknown');
    end if;
  end if;
  v_found := private.find_replies(v_post, p_parent_id, p_kind, v_from);
  return private.page(private.reply_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_reviews(p_id uuid, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_offering uuid := (private.require_content('offering', p_id)).id;
  v_from     app.place := ('infinity', p_id)::app.place;   -- no row has this time, so any id works
  v_found    app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('reviews ' || v_offering, p_cursor);
    v_from.at := coalesce(v_from.at, private.find_review_time(v_from.id, v_offering));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_reviews(v_offering, v_from);
  return private.page(private.review_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_scheduled_posts(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_me    uuid := private.require_caller();
  v_from  app.place := ('-infinity', v_me)::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('scheduled', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_scheduled_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_scheduled(v_from.at, v_from.id);
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.list_series_items(p_series_id uuid, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_cursor uuid := private.require_cursor(p_cursor);
  v_place  integer := coalesce(private.find_item_place(p_series_id, v_cursor), 0);
  v_before integer;
  v_ids    uuid[];
begin
  perform private.require_series(p_series_id);
  if v_cursor is not null and private.find_item_place(p_series_id, v_cursor) is null then
    perform private.raise_error('cursor_unknown');
  end if;
  -- all items that the caller sees, at most 200. position counts only these items, so that it reveals nothing about
  -- others
  select array_agg(post_id order by position) filter (where position > v_place),
         count(*) filter (where position <= v_place)
  into v_ids, v_before
  from app.series_items where series_id = p_series_id;
  p_limit := private.count_fitting_posts(v_ids, p_limit);
  return private.merge_objects(
    json_build_object('series', private.series_cards(array[p_series_id]) -> 0),
    private.page(
      (select json_agg(json_build_object('position', v_before + c.place, 'post', c.card) order by c.place)
       from json_array_elements(private.post_cards(v_ids[:p_limit])::json) with ordinality as c (card, place)),
      coalesce(v_ids::text[], '{}'), p_limit));
end $function$;

CREATE OR REPLACE FUNCTION api.list_sessions(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
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
end $function$;

CREATE OR REPLACE FUNCTION api.list_suggested(p_limit integer DEFAULT 20)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_limit(p_limit);   -- reject a wrong limit before the search
  return private.match_page(private.find_suggested(p_limit), null, p_limit);
end $function$;

CREATE OR REPLACE FUNCTION api.list_video_comments(p_id uuid, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  c_most constant integer := 200;   -- the page size of this list; the pages of other lists are smaller
  v_video uuid := (private.require_video(p_id)).id;
  v_from  app.place := ('-infinity', p_id)::app.place;   -- no row has this time, so any id works
  v_found app.found;
  v_next  text;
begin
  if p_cursor is not null then
    v_from := private.require_place('comments ' || v_video, p_cursor);
    v_from.at := coalesce(v_from.at, private.find_comment_time(v_from.id, v_video));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_comments(v_video, v_from);
  v_next := case when cardinality(v_found.ids) > c_most then v_found.ids[c_most]::text else v_found.next end;
  return json_build_object('items', coalesce(private.comment_cards(v_found.ids[:c_most]), '[]'),
                           'nextCursor', v_next, 'hasMore', v_next is not null);
end $function$;

CREATE OR REPLACE FUNCTION api.list_videos(p_interest_id uuid DEFAULT NULL::uuid, p_author_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_group_id text DEFAULT NULL::text, p_guild_id text DEFAULT NULL::text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  c_deepest constant integer := 1000;   -- a request that skips more would take too long
  v_counts boolean := p_cursor is null or p_cursor ~ '^[0-9]{1,4}$';
  v_past   integer := case when v_counts then coalesce(p_cursor, '0') else '0' end;
  v_found  app.listing;
  v_next   text;
begin
  if v_past > c_deepest then
    perform private.raise_error('cursor_unknown');
  end if;
  v_found := private.search_contents('video', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id,
                                     case when not v_counts then p_cursor end, p_past => v_past);
  v_next := case when v_counts and p_limit <= c_deepest - v_past then (v_past + p_limit)::text
                 else v_found.cursors[p_limit] end;
  return private.page(private.video_cards(v_found.ids[:p_limit]),
                      array_fill(v_next, array[cardinality(v_found.ids)]), p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea, p_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform from private.credentials
  where user_id = p_user_id and password_hash = p_password_hash
  for update;
  if not found then
    perform private.raise_error('credentials_wrong');   -- the password changed while the facade checked it
  end if;
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  return private.open_login(p_user_id, p_seconds, p_family, p_refresh_hash, p_user_agent, p_device, p_address,
                            p_alert_hash, p_code);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in_with_oidc(p_id uuid, p_code_hash bytea, p_challenge text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea, p_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_login    private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_identity private.identities := private.find_identity(v_login);
  v_answer   json;
begin
  v_answer := private.open_login(v_identity.user_id, p_seconds, p_family, p_refresh_hash, p_user_agent, p_device,
                                 p_address, p_alert_hash, p_code);
  update private.identities set last_used_at = now() where id = v_identity.id;
  if not found then
    perform private.raise_error('identity_unlinked');   -- the login may have been unlinked during the wait
  end if;
  return v_answer;
end $function$;

CREATE OR REPLACE FUNCTION api.log_in_with_passkey(p_passkey uuid, p_user_id uuid, p_counter bigint, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims json;
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  perform from private.credentials where user_id = p_user_id for update;
  perform private.check_not_banned(p_user_id);
  if not private.use_passkey(p_passkey, p_user_id, p_counter) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address, p_alert_hash);
  perform private.note_proof(v_claims::jsonb, p_family);
  return private.login_answer(p_user_id, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.log_out(p_scope text DEFAULT 'local'::text, p_family uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- write the session before the denylist, as every function does that ends a session
  perform private.end_own_session(p_family);
  perform private.end_own_token(p_scope = 'global');
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.mark_read(p_ids uuid[] DEFAULT NULL::uuid[], p_group_key text DEFAULT NULL::text, p_before timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if num_nonnulls(p_ids, p_group_key, p_before) <> 1 or cardinality(p_ids) > 100 then
    perform private.raise_error('read_selection');
  end if;
  perform private.catch_up(private.require_caller());
  -- lock, so that of two concurrent calls the second returns the count after the first
  perform private.lock('reads', private.require_caller()::text);
  if p_ids is null then
    perform private.mark_own_read(p_group_key, coalesce(p_before, clock_timestamp()));
  else
    update app.notifications set read_at = now() where id = any (array(
      select id from app.notifications
      where user_id = private.require_caller() and read_at is null and in_app and id = any (p_ids)
      for no key update skip locked));   -- see private.mark_earlier_read
  end if;
  return private.unread_count();   -- don't catch up again, because this could cause a deadlock
end $function$;

CREATE OR REPLACE FUNCTION api.mute_keyword(p_keyword text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept    json := private.begin_idempotent('mute_keyword', json_build_array(p_keyword, p_until));
  v_keyword text;
  v_folded  text;
  v_id      uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  -- 100 characters in NFC have at most 400 before normalization; check this first, because folding a megabyte takes
  -- half a second
  if length(btrim(p_keyword)) > 400 then
    perform private.raise_error('value_invalid');
  end if;
  v_keyword := private.require_name(p_keyword);
  v_folded := private.fold_keyword(v_keyword);
  if p_until is not null and not private.is_ahead(p_until) then
    perform private.raise_error('keyword_until');
  end if;
  delete from app.muted_keywords where user_id = app.uid() and until <= now();   -- ended keywords must not count
  insert into app.muted_keywords (id, user_id, keyword, folded, until)
  values (private.timed_id(), private.require_caller(), v_keyword, v_folded, p_until)
  on conflict (user_id, folded) do update set keyword = excluded.keyword, until = excluded.until
  returning id into v_id;
  return private.finish_idempotent('mute_keyword', (select card from app.muted_keyword_card where id = v_id));
end $function$;

CREATE OR REPLACE FUNCTION api.note_presence()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if private.note_access_token_used() then
    return null;   -- a program is active, but the person may not be
  end if;
  update app.accounts set last_seen_at = now()
  where user_id = private.require_caller() and coalesce(last_seen_at, '-infinity') < now() - interval '5 minutes';
  perform private.note_session_seen();
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.place_order(p_id uuid, p_expected_price integer, p_note text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept     json := private.begin_idempotent('place_order', json_build_array(p_id, p_expected_price, p_note));
  v_offering app.contents;
  v_order    uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('orders');
  v_offering := private.require_content('offering', p_id);
  if v_offering.author_id = private.require_caller() then
    perform private.raise_error('order_oneself');
  end if;
  -- lock in this order: people, the space, the pair of people, the offering
  perform private.lock_order_parties(v_offering.author_id);
  perform private.write_in_space(v_offering.space_id);
  perform private.lock_pairs(array[private.require_caller()], array[v_offering.author_id]);
  v_offering := private.lock_open_content('offering', p_id);
  v_order := private.place_order(v_offering, nullif(private.require_text(p_note), ''), p_expected_price);
  return private.finish_idempotent('place_order', json_build_object(
    'order', private.order_cards(array[v_order]) -> 0,
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
end $function$;

CREATE OR REPLACE FUNCTION api.preview_broadcast(p_title text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts;
begin
  perform private.require_role('admin');
  begin
    -- write the row and roll it back, so that a preview rejects and changes texts in the same way as a broadcast
    v_broadcast := private.add_broadcast(p_title, p_body);
    raise exception using errcode = 'KP001';
  exception when sqlstate 'KP001' then
    null;
  end;
  return json_build_object('title', v_broadcast.title, 'body', v_broadcast.body,
                           'recipients', private.count_recipients('admin.broadcast'));
end $function$;

CREATE OR REPLACE FUNCTION api.prove(p_password_hash text DEFAULT NULL::text, p_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials
  where user_id = v_caller and (p_password_hash is null or password_hash = p_password_hash)
  for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  perform private.require_code(v_caller, p_code);
  if not private.has_factor(v_caller) and p_password_hash is null then
    perform private.raise_error('code_wrong');
  end if;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $function$;

CREATE OR REPLACE FUNCTION api.prove_with_passkey(p_passkey uuid, p_counter bigint)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  if not private.use_passkey(p_passkey, v_caller, p_counter) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $function$;

CREATE OR REPLACE FUNCTION api.refresh_session(p_family uuid, p_generation integer, p_refresh_hash bytea, p_next_hash bytea, p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.register_with_oidc(p_id uuid, p_code_hash bytea, p_challenge text, p_session_id uuid, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_person uuid;
  v_claims json;
begin
  v_person := private.redeem_invite(p_session_id, v_login.email, null, p_first_name, p_last_name,
                                    p_date_of_birth, p_country, p_city);
  update app.accounts set email_verified_at = now() where user_id = v_person;   -- the provider verified the address
  perform private.add_identity(v_person, v_login);
  v_claims := private.issue_claims(v_person, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_person, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.remove_circle(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_owner uuid;
begin
  perform private.require_role('admin');
  select owner_id into v_owner from app.circles where id = p_id;
  if not found then
    perform private.raise_error('circle_unknown');
  end if;
  if not private.drop_circle(p_id, v_owner) then
    perform private.raise_error('circle_unknown');   -- the owner has already deleted the circle
  end if;
  perform private.emit_moderation('circle', p_id, 'deleted', v_owner);
  perform private.audit('circle.deleted', 'circle', p_id::text);
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.replay_rule(p_id uuid, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_rule   app.moderation_rules;
  v_answer json;
begin
  perform private.require_role('admin');
  v_rule := private.require_rule(p_id);
  v_answer := private.replay(v_rule.compiled, v_rule.applies_to, p_cursor);
  perform private.lock('rules');   -- lock after the replay, because it may take seconds
  perform private.note_replay(p_id);
  return v_answer;
end $function$;

CREATE OR REPLACE FUNCTION api.repost_video(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_video uuid;
begin
  perform private.count_writes('likes');
  v_video := private.require_open_video(p_id);
  insert into app.video_reposts (video_id, user_id)   -- see api.like_video
  select c.id, private.require_caller() from app.contents c where c.id = v_video and c.required_level = 0
  on conflict do nothing;
  return private.require_video_card(v_video);
end $function$;

CREATE OR REPLACE FUNCTION api.request_email_change(p_password_hash text, p_email text, p_id uuid, p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_email  text := btrim(p_email);
  v_own    text;
begin
  perform from private.credentials where user_id = v_caller and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.require_proof();
  select a.email into v_own from app.accounts a where a.user_id = v_caller;
  perform private.end_email_changes(v_caller);
  -- don't check whether somebody has the address, so that neither the response nor its duration reveals this
  if v_email <> v_own then
    perform private.require_link_left(v_caller);
    perform private.mail_verification(v_caller, v_email, v_own, p_id, p_token_hash);
    perform private.enqueue('mail', json_build_object('verificationId', p_id, 'letter', 'asked'));
  end if;
  return json_build_object('ok', true);
end $function$;

CREATE OR REPLACE FUNCTION api.request_password_reset(p_email text, p_id uuid, p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid;
begin
  -- lock the person, because a concurrent change of the address must also end this link
  select a.user_id into v_person
  from private.reachable_accounts a join private.credentials c on c.user_id = a.user_id
  where lower(a.email) = lower(btrim(p_email))
  for share of c;
  -- limit the requests, so that nobody can flood another person's mailbox
  if (select count(*) >= 5 from private.password_resets r
      where r.user_id = v_person and r.created_at > now() - interval '1 hour') then
    v_person := null;
  end if;
  insert into private.password_resets (id, user_id, token_hash) values (p_id, v_person, p_token_hash);
  perform private.enqueue('mail', json_build_object('resetId', p_id));
  return json_build_object('ok', true);
end $function$;

CREATE OR REPLACE FUNCTION api.reserve_invite(p_code text, p_candidate_session_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_code app.invite_codes;
begin
  perform private.release_reservations();
  if p_candidate_session_id is not null then
    -- lock, so that a candidate has one reservation after two concurrent requests
    perform private.lock('candidate', p_candidate_session_id::text);
  end if;

  perform private.check_lock_order('invite code');
  select * into v_code from app.invite_codes where code = upper(btrim(p_code)) for update;
  if not found then
    perform private.raise_error('invite_unknown');
  elsif v_code.status in ('used', 'expired', 'revoked') or v_code.expires_at <= now()
     or exists (select from app.users u where u.id = v_code.generated_by
                and (u.banned_at is not null or u.erased_at is not null)) then
    perform private.raise_error('invite_dead');
  elsif v_code.status = 'reserved' and v_code.reserved_until > now()
    and v_code.candidate_session_id is distinct from p_candidate_session_id then
    perform private.raise_error('invite_reserved');
  elsif v_code.status = 'reserved' and v_code.reserved_until > now() and p_candidate_session_id is null then
    perform private.raise_error('invite_reserved');
  end if;

  update app.invite_codes
  set status = 'active', reservation_id = null, candidate_session_id = null, reserved_until = null
  where candidate_session_id = p_candidate_session_id and status = 'reserved' and id <> v_code.id;

  update app.invite_codes
  set status = 'reserved', reservation_id = gen_random_uuid(),
      candidate_session_id = p_candidate_session_id, reserved_until = now() + interval '30 minutes'
  where id = v_code.id
  returning * into v_code;
  return json_build_object('sessionId', v_code.reservation_id, 'expiresAt', private.utc(v_code.reserved_until));
end $function$;

CREATE OR REPLACE FUNCTION api.reset_password(p_id uuid, p_token_hash bytea, p_new_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_running_reset(p_id, p_token_hash);
begin
  -- lock the person and check again, so that only one of two concurrent calls with the same link succeeds
  perform from private.credentials where user_id = v_person for update;
  v_person := private.find_running_reset(p_id, p_token_hash);
  if v_person is null then
    perform private.raise_error('reset_over');
  end if;
  perform private.replace_password(v_person, p_new_hash);
  -- the person got the link at this address, so the address is verified
  update app.accounts set email_verified_at = coalesce(email_verified_at, now()), email_bounced_at = null
  where user_id = v_person and (email_verified_at is null or email_bounced_at is not null);
  return (select json_build_object('userId', id, 'credentialsVersion', credentials_version)
          from app.users where id = v_person);
end $function$;

CREATE OR REPLACE FUNCTION api.respond_co_author(p_id uuid, p_invite_id uuid, p_accept boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_accept is null then
    perform private.raise_error('value_invalid');   -- null would count as declining, which is final
  end if;
  -- check this before locking the post
  if p_accept is not false or not exists (
       select from app.post_co_authors
       where id = p_invite_id and post_id = p_id and user_id = app.uid() and status = 'accepted') then
    perform private.require_post(p_id);
  end if;
  return private.co_author(private.settle_co_author(p_id, p_invite_id, p_accept));
end $function$;

CREATE OR REPLACE FUNCTION api.respond_invitation(p_id uuid, p_accept boolean)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_accept is null then
    perform private.raise_error('value_invalid');   -- null would count as declining, which is final
  elsif not exists (select from app.circle_invitation_card where id = p_id) then
    perform private.raise_error('invitation_unknown');
  elsif not exists (select from app.circle_invitations where id = p_id and invitee_id = app.uid()) then
    perform private.raise_error('invitation_not_yours');
  end if;
  perform private.settle_invitation(p_id, case when p_accept then 'accepted' else 'declined' end);
  return private.invitation_cards(array[p_id]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION api.revoke_invitation(p_circle_id uuid, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from app.circle_invitation_card
             where id = p_id and circle_id = p_circle_id and invitee_id = app.uid()) then
    perform private.raise_error('circle_not_yours');   -- the invitee sees the invitation, but not the circle
  end if;
  perform private.require_own_circle(p_circle_id);
  if not exists (select from app.circle_invitations
                 where id = p_id and circle_id = p_circle_id and inviter_id = app.uid()) then
    perform private.raise_error('invitation_unknown');
  end if;
  perform private.settle_invitation(p_id, 'revoked');
  return null;   -- null becomes a 204 response
end $function$;

CREATE OR REPLACE FUNCTION api.rsvp_event(p_id uuid, p_status text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_head app.contents;
begin
  if (p_status in ('going', 'interested')) is not true then
    perform private.raise_error('event_rsvp');
  end if;
  perform private.count_writes('rsvps');
  v_head := private.require_content('event', p_id);
  -- locks in the order of ARCHITECTURE.md, Locks. A concurrent ban or block either waits for this call and deletes the
  -- reply, or this call sees it
  perform private.share_lock_person(private.require_caller());
  perform private.write_in_space(v_head.space_id);
  perform private.lock_pairs(array[v_head.author_id], array[app.uid()]);
  perform private.lock_events(array[p_id]);
  perform private.rsvp(private.lock_open_content('event', p_id), p_status);
  return private.require_event_card(p_id);
end $function$;

CREATE OR REPLACE FUNCTION api.search(p_q text, p_type text DEFAULT NULL::text, p_interest_id uuid DEFAULT NULL::uuid, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_query private.search_query := private.read_query(p_q, private.interest_subtree(p_interest_id));
begin
  perform private.require_limit(p_limit);   -- reject a wrong limit before the search
  perform private.take_search_turn();
  return private.search_items(private.find_by_words(v_query, p_type, p_cursor), v_query.highlight, p_limit);
end $function$;

CREATE OR REPLACE FUNCTION api.select_interests(p_interests jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_chosen uuid[];
begin
  -- lock, so that a person makes one choice at a time and created_at follows the order of the choices
  perform private.lock('choices', private.require_caller()::text);

  with named as (
    select distinct on (r.id) r.id, r.depth, r.expertise, r.place
    from rows from (jsonb_to_recordset(p_interests) as ("interestId" uuid, depth integer, expertise integer))
         with ordinality as r (id, depth, expertise, place)
    order by r.id, r.place desc
  ), chosen as (
    insert into app.user_interests (user_id, interest_id, depth, expertise)
    select app.uid(), private.require_interest(n.id), n.depth, n.expertise from named n order by n.place
    on conflict (user_id, interest_id) do update
      set depth = excluded.depth, expertise = excluded.expertise
    returning interest_id
  )
  select array_agg(interest_id) into v_chosen from chosen;

  perform private.emit('interests.user_selected',
    json_build_object('userId', app.uid(), 'interestIds', coalesce(to_json(v_chosen), '[]'::json)),
    array[app.uid()]);
  return api.list_my_interests();
end $function$;

CREATE OR REPLACE FUNCTION api.send_message(p_id uuid, p_body text DEFAULT ''::text, p_client_id uuid DEFAULT NULL::uuid, p_reply_to_id uuid DEFAULT NULL::uuid, p_asset_id uuid DEFAULT NULL::uuid, p_alt text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_body text := private.require_text(p_body);
  v_alt  text := private.require_text(p_alt);
  v_card json;
begin
  if p_client_id is null then
    perform private.raise_error('value_invalid');   -- without an id a retry would send the message twice
  end if;
  perform private.require_member(p_id);
  v_card := private.find_sent(p_id, p_client_id);
  if v_card is not null then
    return v_card;
  end if;
  -- a retry returns the current message, so there is no need to store a response
  if private.begin_idempotent('send_message', json_build_array(p_id, p_client_id)) is not null then
    return private.find_sent(p_id, p_client_id);
  end if;
  perform private.count_writes('messages');
  if p_asset_id is not null then
    perform private.use_asset(p_asset_id, array['image', 'video', 'audio', 'attachment']);
  elsif v_alt <> '' then
    perform private.raise_error('alt_text');
  elsif v_body = '' then
    perform private.raise_error('message_body');
  end if;
  v_card := private.send_message(p_id, v_body, p_client_id, p_reply_to_id, p_asset_id, v_alt);
  perform private.finish_idempotent('send_message', json_build_object('sent', true));
  return v_card;
end $function$;

CREATE OR REPLACE FUNCTION api.set_role(p_id text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.require_role('admin');
  perform private.require_proof();
  if p_role is null or p_role not in ('user', 'moderator', 'admin') then
    perform private.raise_error('role_unknown');
  end if;
  v_id := private.require_any_person(p_id);
  -- only one change of roles runs at a time: if two admins demote each other concurrently, the second is no longer an
  -- admin
  perform private.lock_roles();
  perform private.check_caller();
  v_person := private.lock_account(v_id);
  if v_person.role <> p_role then
    if v_person.bot_owner_id is not null then
      perform private.raise_error('bot_role');
    end if;
    if v_id = app.uid() then
      perform private.keep_an_admin(v_id);
      perform private.raise_error('role_own');
    end if;
    perform private.change_account(v_id, p_role, v_person.banned_at, v_person.banned_until);
    perform private.audit('user.role_changed', 'user', v_id::text,
                          json_build_object('from', v_person.role, 'to', p_role));
  end if;
  return private.staff_account(v_id);
end $function$;

CREATE OR REPLACE FUNCTION api.take_passkey_challenge(p_challenge_hash bytea, p_purpose text, p_credential_id bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- the transaction ends before the facade checks the signature, so a wrong signature uses up the challenge, too
  delete from private.passkey_challenges
  where challenge_hash = p_challenge_hash and purpose = p_purpose and user_id is not distinct from app.uid()
    and created_at > now() - interval '5 minutes';
  return (
    select json_build_object(
      'isOpen', found,
      'passkey', (select json_build_object('id', p.id, 'userId', p.user_id,
                                           'publicKey', encode(p.public_key, 'hex'),
                                           'credentialsVersion', u.credentials_version)
                  from private.passkeys p join app.users u on u.id = p.user_id
                  where p.credential_id = p_credential_id and p_purpose <> 'add'
                    and (app.uid() is null or p.user_id = app.uid()))));
end $function$;

CREATE OR REPLACE FUNCTION api.unrepost_video(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from app.video_reposts where video_id = p_id and user_id = private.require_caller();
  if found and not exists (select from app.contents where id = p_id) then
    return private.error_response('video_unknown');   -- see api.unlike_video
  end if;
  return private.require_video_card(p_id);
end $function$;

CREATE OR REPLACE FUNCTION api.unvote_argument(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_seen boolean := exists (select from app.debate_arguments where id = p_id and deleted_at is null);
begin
  perform private.remove_argument_vote(p_id, v_seen);
  if not v_seen then
    return private.error_response('argument_unknown');   -- the same as in api.leave_position
  end if;
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.unvote_poll(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post uuid := private.withdrawal_target(p_id);
begin
  if not private.withdraw_vote(v_post) then
    perform private.lock_running_poll(v_post);   -- this fails if the caller could not vote
  elsif not exists (select from app.posts where id = v_post) then
    return private.error_response('post_unknown');   -- the vote is taken back, but nothing of the poll is shown
  end if;
  return private.require_poll_card(v_post);
end $function$;

CREATE OR REPLACE FUNCTION api.update_post(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post     app.posts;
  v_time     timestamptz := (p_changes ->> 'publishAt')::timestamptz;
  v_interest uuid;
  v_others   uuid[];
  v_more     uuid[];
  v_now      app.posts;
begin
  -- count before the post is locked (ARCHITECTURE.md, Locks); authors may save a scheduled post as often as they like
  if exists (select from app.posts p
             where p.id = p_id and p.author_id = private.require_caller() and p.published_at is not null) then
    perform private.count_writes('edits');
  end if;
  v_post := private.lock_own_post(p_id);
  v_interest := v_post.interest_id;
  v_others := array(select interest_id from app.post_interests
                    where post_id = p_id and not is_primary order by interest_id);
  v_more := v_others;
  if p_changes ?| '{format,poll,quotedPostId,groupId,guildId}' then
    perform private.raise_error('post_fixed');
  end if;
  if v_post.format = 'repost'
     and p_changes ?| '{title,body,media,depth,interestId,interestIds,personaId,isJournalism,publishAt}' then
    perform private.raise_error('repost_bare');
  end if;
  if p_changes ? 'publishAt' then
    if v_post.published_at is not null then
      perform private.raise_error('post_is_published');
    end if;
    perform private.require_future(v_time);
  end if;
  if p_changes ? 'interestId' then
    v_interest := (p_changes ->> 'interestId')::uuid;
  end if;
  if p_changes ? 'interestIds' then
    v_more := array(select i::uuid from jsonb_array_elements_text(nullif(p_changes -> 'interestIds', 'null')) i);
  end if;
  if p_changes ?| '{interestId,interestIds}' then
    v_more := private.require_further_interests(v_interest, v_more);
  end if;

  update app.posts set
    title = case when p_changes ? 'title' then private.require_name(p_changes ->> 'title') else title end,
    body = case when p_changes ? 'body' then private.require_text(p_changes ->> 'body') else body end,
    media = case when p_changes ? 'media'
                 then private.require_media(nullif(p_changes -> 'media', 'null'), format) else media end,
    visibility = case when p_changes ? 'visibility' then p_changes ->> 'visibility' else visibility end,
    depth = case when p_changes ? 'depth' then (p_changes ->> 'depth')::smallint else depth end,
    interest_id = v_interest,
    persona_id = case when p_changes ->> 'personaId' is not null
                      then private.require_own_persona((p_changes ->> 'personaId')::uuid)
                      when p_changes ? 'personaId' then null else persona_id end,
    is_journalism = case when p_changes ? 'isJournalism' then (p_changes ->> 'isJournalism')::boolean
                         else is_journalism end,
    publish_at = coalesce(v_time, publish_at)
  where id = p_id
  returning * into v_now;
  if p_changes ?| '{interestId,interestIds}' then
    delete from app.post_interests where post_id = p_id and not is_primary and interest_id <> all (v_more);
    insert into app.post_interests (post_id, interest_id) select p_id, i from unnest(v_more) i on conflict do nothing;
  end if;
  if v_post.published_at is not null and (v_post, v_others) is distinct from (v_now, v_more) then
    perform private.emit('posts.post.edited', json_build_object('postId', p_id), array[v_post.author_id]);
  elsif p_changes -> 'publishAt' = 'null' then
    perform private.publish_now(p_id);
  end if;
  return private.post_card(p_id);
end $function$;

CREATE OR REPLACE FUNCTION api.verify_email(p_id uuid, p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_link private.email_verifications := private.find_running_verification(p_id);
begin
  -- lock the person and check again, so that only one of two concurrent calls with the same link succeeds
  perform from private.credentials where user_id = v_link.user_id for update;
  v_link := private.find_running_verification(p_id);
  if v_link.token_hash is distinct from p_token_hash or v_link.id is null then
    perform private.raise_error('verification_over');
  end if;
  if v_link.replaces is null then
    update private.email_verifications set expires_at = now()
    where user_id = v_link.user_id and replaces is null and expires_at > now();
    update app.accounts set email_verified_at = now(), email_bounced_at = null where user_id = v_link.user_id;
    return json_build_object('ok', true);
  end if;

  perform private.lock_address(v_link.email);
  if private.find_email_owner(v_link.email) <> v_link.user_id then
    perform private.raise_error('email_taken');
  end if;
  -- links mailed to the old address are no longer valid
  update private.email_verifications set expires_at = now() where user_id = v_link.user_id and expires_at > now();
  update private.password_resets set used_at = now() where user_id = v_link.user_id and used_at is null;
  update app.accounts set email = v_link.email, email_verified_at = now(), email_bounced_at = null
  where user_id = v_link.user_id;
  perform private.enqueue('mail', json_build_object('verificationId', p_id, 'letter', 'changed'));
  return json_build_object('ok', true);
end $function$;

CREATE OR REPLACE FUNCTION api.vote_poll(p_id uuid, p_option_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post uuid := (private.require_original(p_id)).id;
  v_poll app.polls;
begin
  perform private.lock_open_post_space(v_post);
  v_poll := private.lock_running_poll(v_post);
  insert into app.poll_votes (poll_id, user_id, option_id)
  select o.poll_id, private.require_caller(), o.id
  from app.poll_options o where o.id = p_option_id and o.poll_id = v_poll.id
  on conflict (poll_id, user_id) do update set option_id = excluded.option_id;
  if not found then
    perform private.require_post(v_post);   -- somebody may have made a block since the check above
    perform private.raise_error('option_unknown');
  end if;
  return private.require_poll_card(v_post);
end $function$;

CREATE OR REPLACE FUNCTION api.vote_wiki_proposal(p_id uuid, p_value integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_flag('wiki');
  if p_value is null or p_value not between -1 and 1 then
    perform private.raise_error('wiki_vote_value');
  end if;
  perform private.count_writes('votes');
  if not private.vote_on_wiki_proposal(p_id, p_value) then
    return private.error_response('wiki_base_stale');   -- an error would roll back the new status
  end if;
  return private.wiki_proposal_cards(array[p_id]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION app.uid()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- json is faster than jsonb for a value that is read once
  return coalesce(
    nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub',
    nullif(current_setting('request.jwt.claim.sub', true), ''))::uuid;
end $function$;

CREATE OR REPLACE FUNCTION private.access_of(p_person uuid, p_type text, p_id uuid)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller text := current_setting('request.jwt.claims', true);
  v_access private.access;
begin
  perform set_config('request.jwt.claims', json_build_object('sub', p_person)::text, true);
  v_access := private.find_access(p_type, p_id);
  perform set_config('request.jwt.claims', coalesce(v_caller, ''), true);
  -- banned people have no token
  if exists (select from app.hidden_people where user_id = p_person) then
    v_access.can_see := false;
    v_access.is_shown := case when v_access.is_shown is not null then false end;
  end if;
  return v_access;
end $function$;

CREATE OR REPLACE FUNCTION private.act_for_space(p_kind text, p_id text, p_case uuid, p_action text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_space     uuid := (private.require_space(p_kind, p_id)).id;
  v_reason    text := private.find_reason(p_reason);
  v_case      app.cases;
  v_statement text;
begin
  perform private.count_writes('decisions');
  perform private.require_space_case(v_space, p_case, p_action);
  perform private.lock('case work', p_case::text);
  perform private.lock_visible_space(p_kind, p_id);
  -- check again, because the case may have changed meanwhile
  v_case := private.require_space_case(v_space, p_case, p_action);
  if p_action is distinct from 'dismiss' then
    select by_space into v_statement from private.case_handlers
    where target_type = v_case.target_type and action = p_action;
    if v_statement is null then
      perform private.raise_error('case_action');
    end if;
    perform set_config('kith.case', json_build_object(
      'caseId', v_case.id, 'category', v_case.category, 'rule', v_case.rule, 'spaceId', v_space)::text, true);
    execute v_statement using v_case.target_id, v_reason;   -- safe: the statement comes from the registry
    perform set_config('kith.case', '', true);
    perform private.restart_lock_order();
  end if;
  perform private.check_lock_order('case', p_case::text);
  update app.cases set updated_at = clock_timestamp() where id = p_case;
  perform private.add_case_event(p_case, 'space', null, json_build_object('spaceId', v_space, 'action', p_action));
  if p_action <> 'unhide' and v_case.staff_from > now() then
    perform private.end_case(p_case, case p_action when 'dismiss' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.space-' || p_action, 'case', p_case::text, json_build_object('spaceId', v_space));
  return private.space_report_cards(array[p_case]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.act_in_case(p_case app.cases, p_actions text[], p_reason text, p_category text, p_rule text, p_until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
begin
  perform set_config('kith.case', json_build_object(
    'caseId', (p_case).id, 'category', coalesce(p_category, (p_case).category),
    'rule', coalesce(p_rule, (p_case).rule))::text, true);
  if exists (select from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
             where h.target_type = 'user') then
    -- lock the person before the thing, in the same order as a ban and an erasure
    perform private.lock_account((p_case).person_id);
  end if;
  for v_handler in
    select h.* from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
    where a <> 'dismiss' order by h.place, h.action
  loop
    perform private.restart_lock_order();
    -- safe: the statement comes from the registry
    execute v_handler.statement
    using case when v_handler.target_type = 'user' then (p_case).person_id else (p_case).target_id end,
          p_reason, p_until;
  end loop;
  if 'dismiss' = any (p_actions) then
    perform private.release_held((p_case).target_type, (p_case).target_id);
  end if;
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
end $function$;

CREATE OR REPLACE FUNCTION private.add_argument(p_debate uuid, p_side text, p_body text, p_parent uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_depth integer := 1;
  v_id    uuid;
begin
  perform private.require_open_debate(p_debate);
  if p_parent is not null then
    -- a concurrent deletion waits for this transaction, or this transaction waits for the deletion
    perform from app.debate_arguments where id = p_parent for no key update;
    select a.depth + 1 into v_depth from private.visible_arguments a
    where a.id = p_parent and a.debate_id = p_debate and a.required_level = 0 and a.deleted_at is null;
    if not found then
      perform private.raise_error('argument_unknown');
    end if;
  end if;
  insert into app.debate_arguments (debate_id, author_id, parent_id, side, body, depth)
  values (p_debate, private.require_caller(), p_parent, p_side, coalesce(private.require_text(p_body), ''), v_depth)
  returning id into v_id;
  update app.debate_arguments set answered = true where id = p_parent and not answered;
  perform private.emit('debates.argument.created', json_build_object(
    'argumentId', v_id, 'debateId', p_debate, 'authorId', app.uid()), array[app.uid()]);
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.add_bounty(p_id uuid, p_amount integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.count_writes('edits');
  -- A concurrent ban or erasure waits, and then gives back the mana that this call holds. After an earlier ban or
  -- erasure, this lock fails.
  perform private.share_lock_person(private.require_caller());
  -- look up the space only for the caller's own problem, so that others learn nothing about it
  perform private.write_in_space((select space_id from private.visible_contents
                                  where id = p_id and kind = 'problem' and author_id = private.require_caller()));
  perform private.require_shown(private.lock_own_content('problem', p_id, false));
  if not exists (select from private.visible_contents where id = p_id) then
    perform private.raise_error('problem_unknown');
  end if;
  perform private.require_open_problem(p_id);
  perform private.raise_bounty(p_id, p_amount);
end $function$;

CREATE OR REPLACE FUNCTION private.add_feed_block(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_start timestamptz := coalesce((select max(starts_at) from app.feed_blocks), '-infinity');
  v_at    timestamptz := (select published_at from app.posts
                          where id = (p_event ->> 'postId')::uuid and within_id is null);
begin
  if (select count(*) from (
        (select from app.posts
         where required_level = 0 and closer_id is null and within_id is null and published_at >= v_start limit 51)
        union all (select from app.posts
                   where required_level <= 2 and closer_id is not null and within_id is null
                     and published_at >= v_start limit 51)) p) > 50
     and v_at > v_start   -- a slow transaction may publish with an earlier time, and existing blocks must not change
     -- only one of two concurrent calls adds the boundary
     and pg_try_advisory_xact_lock(hashtextextended('feed blocks', 0)) then
    insert into app.feed_blocks (starts_at) values (v_at) on conflict do nothing;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.add_message(p_message app.messages)
 RETURNS app.messages
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_message app.messages := p_message;
  v_people  uuid[];
begin
  -- this update locks the row of the conversation, so that its messages have one order
  update app.conversations set last_number = last_number + 1, last_message_at = clock_timestamp()
  where id = p_message.conversation_id
  returning last_number, last_message_at into v_message.number, v_message.created_at;
  insert into app.messages (conversation_id, number, sender_id, kind, body, client_id, reply_to_id, asset_id,
                            alt, created_at)
  values (v_message.conversation_id, v_message.number, v_message.sender_id, v_message.kind, v_message.body,
          v_message.client_id, v_message.reply_to_id, v_message.asset_id, v_message.alt,
          v_message.created_at)
  returning * into v_message;
  perform from app.conversation_members where conversation_id = v_message.conversation_id
  order by user_id for no key update;   -- sort, to prevent deadlocks
  update app.conversation_members set latest_at = v_message.created_at
  where conversation_id = v_message.conversation_id and private.receives_from(user_id, v_message.sender_id);
  v_people := array(select user_id from app.conversation_members where conversation_id = v_message.conversation_id);
  perform private.emit('messaging.message.sent',
    json_build_object('messageId', v_message.id, 'conversationId', v_message.conversation_id), v_people);
  perform private.broadcast('conversation:' || v_message.conversation_id, 'message',
                            jsonb_build_object('id', v_message.id));
  return v_message;
end $function$;

CREATE OR REPLACE FUNCTION private.add_message_reaction(p_id uuid, p_emoji text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_message app.messages := private.lock_message(p_id);   -- lock, so that concurrent calls don't exceed the limit
  v_talk    app.conversations := private.require_member(v_message.conversation_id);
  v_seen    text[];
begin
  perform private.check_open(v_talk);
  if private.is_tombstone(v_message) then
    perform private.raise_error('message_deleted');
  end if;
  -- count only reactions that the caller sees, because an error must not reveal hidden ones
  v_seen := array(select distinct r.emoji from app.message_reactions r
                  where r.message_id = p_id and private.sees_in(v_talk.kind = 'direct', app.uid(), r.user_id));
  if p_emoji <> all (v_seen) and cardinality(v_seen) >= 20 then
    perform private.raise_error('message_emojis_exhausted');
  end if;
  insert into app.message_reactions (message_id, emoji, user_id) values (p_id, p_emoji, app.uid())
  on conflict do nothing;
  if found then
    update app.messages set changed_at = clock_timestamp() where id = p_id;
    perform private.broadcast('conversation:' || v_message.conversation_id, 'reaction',
                              jsonb_build_object('id', p_id));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.add_own_bot(p_username text, p_first_name text, p_last_name text, p_about text, p_profile_pic_url text, p_invite_code text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_id     uuid := gen_random_uuid();
  v_code   uuid;
begin
  if num_nulls(p_username, p_first_name, p_last_name) > 0 then
    perform private.raise_error('value_invalid');
  end if;
  if p_invite_code is not null then
    v_code := private.spend_invite(p_invite_code);   -- lock the code before the person: ARCHITECTURE.md, Locks
  end if;
  perform private.share_lock_person(v_caller);
  -- lock, so that concurrent calls don't exceed the limit
  perform private.lock('bots', v_caller::text);
  if cardinality(private.find_own_bots()) >= 5 then
    perform private.raise_error('bots_exhausted');
  elsif not private.is_free(lower(btrim(p_username))) then
    perform private.raise_error('username_taken');
  end if;
  v_code := coalesce(v_code, private.spend_invite(null));

  insert into app.users (id, username, first_name, last_name, about, profile_pic_url, bot_owner_id)
  values (v_id, lower(btrim(p_username)), private.require_name(p_first_name), private.require_name(p_last_name),
          nullif(private.require_text(p_about), ''), private.use_picture(p_profile_pic_url), v_caller);
  -- .invalid is reserved (RFC 2606), so this address gets no mail
  insert into app.accounts (user_id, email) values (v_id, 'bot-' || v_id || '@bots.invalid');
  insert into private.credentials (user_id, password_hash) values (v_id, '!bot');
  insert into app.personas (user_id, name, is_default) values (v_id, 'Main', true);
  update app.invite_codes set status = 'used', used_by = v_id, used_at = now() where id = v_code;
  insert into app.invite_tree (invitee_id, inviter_id, code_id) values (v_id, v_caller, v_code);
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.add_review(p_order uuid, p_stars integer, p_body text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_order app.orders;
  v_id    uuid;
begin
  perform private.check_lock_order('person', private.require_caller()::text);
  -- lock the person before the order: ARCHITECTURE.md, Locks
  perform from app.users where id = private.require_caller() for share;
  select * into v_order from app.orders where id = p_order and app.uid() in (buyer_id, seller_id) for share;
  if not found then
    perform private.raise_error('order_unknown');
  elsif v_order.buyer_id <> app.uid() then
    perform private.raise_error('order_party');
  elsif v_order.state <> 'completed' then
    perform private.raise_error('order_state');
  end if;
  insert into app.offering_reviews (order_id, offering_id, author_id, stars, body)
  values (p_order, v_order.offering_id, v_order.buyer_id, greatest(0, least(p_stars, 6)), p_body)
  on conflict (order_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('order_reviewed');
  end if;
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.add_webhook(p_url text, p_events text[], p_description text, p_active boolean)
 RETURNS private.webhooks
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_webhook private.webhooks;
begin
  perform private.lock('webhooks');   -- lock, so that concurrent calls don't exceed the limit
  if (select count(*) from private.webhooks w where w.deleted_at is null) >= 20 then
    perform private.raise_error('webhooks_full');
  end if;
  insert into private.webhooks (url, events, description, is_active, queued_to)
  values (private.require_webhook_url(p_url), private.require_webhook_events(p_events),
          btrim(coalesce(p_description, '')), coalesce(p_active, true),
          coalesce((select l.sequence from private.event_log l order by l.sequence desc limit 1), 0))
  returning * into v_webhook;
  return v_webhook;
end $function$;

CREATE OR REPLACE FUNCTION private.add_webhook_test(p_webhook uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject  constant text := 'webhook:' || p_webhook;
  v_delivery private.webhook_deliveries;
begin
  -- at most one test waits; send it now
  select * into v_delivery from private.webhook_deliveries d
  where d.webhook_id = p_webhook and d.subject_key = v_subject and d.status = 'pending' order by d.id limit 1;
  if not found then
    insert into private.webhook_deliveries (webhook_id, event, event_id, subject_key)
    values (p_webhook, 'webhooks.webhook.tested', gen_random_uuid(), v_subject)
    returning * into v_delivery;
  end if;
  perform private.take_turn(p_webhook, v_subject);
  return private.delivery_card(v_delivery);
end $function$;

CREATE OR REPLACE FUNCTION private.add_wiki_proposal(p_interest uuid, p_body text, p_summary text, p_base_version integer)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  -- store an empty text instead of null, because null means that the author is erased
  insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary)
  values (p_interest, private.require_caller(), p_base_version, coalesce(private.require_markdown(p_body), ''),
          coalesce(private.require_name(p_summary), ''))
  returning id into v_id;
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.alert_of_session(p_id uuid, p_user uuid, p_alert_hash bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- limit the mails, so that somebody who knows the password can't flood the mailbox
  if p_alert_hash is null
     or (select count(*) >= 5 from app.sessions
         where user_id = p_user and created_at > now() - interval '1 hour' and alert_hash is not null) then
    return;
  end if;
  update app.sessions set alert_hash = p_alert_hash where id = p_id;
  perform private.enqueue('mail', json_build_object('sessionId', p_id));
end $function$;

CREATE OR REPLACE FUNCTION private.all_posts(p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_open   app.feed_run;
  v_closer app.feed_run;
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
begin
  select array_agg(o.id), array_agg(o.published_at) into v_ids, v_times
  from (select id, published_at from app.posts
        where required_level = 0 and closer_id is null and within_id is null
          and (published_at, id) < (v_from, v_before)
        order by published_at desc, id desc limit 101) o;
  v_open := private.run_of(v_ids, v_times, null, 101);
  v_cut := v_open.next;
  -- the run ends at v_cut, so it needs no older posts
  v_closer := private.closer_posts(p_place, coalesce(v_cut.at, '-infinity'), p_muted);
  if (v_closer.next).at is not null and (v_cut.at is null
                                         or ((v_closer.next).at, (v_closer.next).id) > (v_cut.at, v_cut.id)) then
    v_cut := v_closer.next;
  elsif v_closer.ids is null then
    return v_open;
  end if;
  select array_agg(m.id), array_agg(m.at) into v_ids, v_times
  from (select u.id, u.at from unnest(v_open.ids || v_closer.ids, v_open.times || v_closer.times) as u (id, at)
        where v_cut.at is null or (u.at, u.id) >= (v_cut.at, v_cut.id)
        order by u.at desc, u.id desc limit 101) m;
  return private.run_of(v_ids, v_times, v_cut, v_open.looked + v_closer.looked);
end $function$;

CREATE OR REPLACE FUNCTION private.announce_asset(p_asset app.media_assets, p_in_parts boolean)
 RETURNS app.media_assets
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_kind   private.media_kinds;
  v_asset  app.media_assets;
  v_most   bigint := private.media_setting('media_quota')::bigint;
  v_many   integer;
  v_bytes  numeric;
begin
  select * into v_kind from private.media_kinds
  where kind = p_asset.kind and p_asset.content_type = any (types);
  if not found then
    perform private.raise_error('media_type');
  elsif (p_asset.size between 1 and v_kind.max_size) is not true then
    perform private.raise_error('media_size');
  end if;
  if p_asset.poster_id is not null and not exists (
    select from app.media_assets a
    where a.id = p_asset.poster_id and a.owner_id = v_caller and a.status = 'committed' and a.kind = 'image') then
    perform private.raise_error('asset_poster');
  end if;
  perform private.count_writes('megabytes', (p_asset.size / 1000000 + 1)::integer);
  perform private.count_writes('uploads');
  perform private.lock('assets', v_caller::text);   -- lock, so that concurrent calls don't exceed the limits
  loop
    -- count both in one statement, because a concurrent commit turns pending bytes into committed ones
    select count(*), coalesce(sum(a.size), 0) + coalesce((
             select u.bytes from private.media_usage u where u.owner_id = v_caller), 0)
    into v_many, v_bytes
    from app.media_assets a where a.owner_id = v_caller and a.status = 'pending';
    exit when v_many < 50 and v_bytes + p_asset.size <= v_most;
    -- delete the oldest asset whose upload URL has expired, but skip assets that are being committed
    delete from app.media_assets where id = (
      select a.id from app.media_assets a
      where a.owner_id = v_caller and a.status = 'pending' and a.created_at < now() - interval '15 minutes'
      order by a.created_at limit 1 for update skip locked);
    continue when found;
    if v_many < 50 then
      perform private.raise_error('media_quota_exceeded');
    end if;
    perform private.raise_error('assets_exhausted');
  end loop;
  insert into app.media_assets (id, key, owner_id, kind, content_type, size, part_size, alt, width, height, blurhash,
                                poster_id, bucket)
  select id, id, v_caller, p_asset.kind, p_asset.content_type, p_asset.size,
         case when p_in_parts then private.part_size(p_asset.size) end,
         p_asset.alt, p_asset.width, p_asset.height, p_asset.blurhash, p_asset.poster_id,
         private.media_setting('media_bucket')
  from gen_random_uuid() id
  returning * into v_asset;
  return v_asset;
end $function$;

CREATE OR REPLACE FUNCTION private.announce_members()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.emit(
    case tg_op when 'INSERT' then 'social.member.added' else 'social.member.removed' end,
    json_build_object('circleId', c.circle_id, 'memberId', c.member_id),
    -- notify nobody if the caller joined by accepting an invitation
    case when c.member_id is distinct from app.uid() then array[c.member_id] else '{}' end)
  from changed c;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.announce_quote(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post     app.posts;
  v_original uuid[];
begin
  select * into v_post from app.posts where id = (p_event ->> 'postId')::uuid;
  if v_post.quoted_post_id is null then
    return;
  end if;
  v_original := array(select o.author_id from app.posts o where o.id = v_post.quoted_post_id);
  if v_post.format = 'repost' then
    if private.post_visible_to(v_post.quoted_post_id, v_post.author_id) is not true then
      perform private.raise_error('post_unknown');   -- the original was deleted while the repost waited for its lock
    end if;
    perform private.emit('posts.post.reposted', json_build_object(
      'postId', v_post.quoted_post_id, 'repostId', v_post.id, 'userId', v_post.author_id), v_original);
  elsif v_post.format = 'quote' then
    perform private.emit('posts.post.quoted', json_build_object(
      'postId', v_post.quoted_post_id, 'quoteId', v_post.id, 'userId', v_post.author_id), v_original);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.answer_space_invitation(p_kind text, p_invitation uuid, p_accept boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me         uuid := private.require_caller();
  v_invitation app.space_invitations;
  v_space      app.spaces;
begin
  perform private.count_writes('memberships');
  select i.* into v_invitation
  from app.space_invitations i
  join app.spaces s on s.id = i.space_id and s.kind = p_kind
  join private.visible_people inviter on inviter.id = i.inviter_id
  join private.visible_people invitee on invitee.id = i.invitee_id
  where i.id = p_invitation
    and (v_me in (i.inviter_id, i.invitee_id) or private.find_role(i.space_id, v_me) in ('owner', 'moderator'));
  if not found then
    perform private.raise_error('invitation_unknown');
  elsif v_invitation.invitee_id <> v_me then
    perform private.raise_error('invitation_not_yours');
  end if;
  v_space := private.lock_space(v_invitation.space_id, array[v_me]);
  if p_accept then
    perform private.require_open(v_space);
  end if;
  -- check under the lock of the space, because the invitation ends with the inviter's right to invite
  update app.space_invitations set status = case when p_accept then 'accepted' else 'declined' end
  where id = p_invitation and status = 'pending' and private.may_invite(space_id, inviter_id);
  if not found then
    perform private.raise_error('invitation_settled');
  end if;
  if p_accept then
    perform private.add_member(v_space, v_me);
  end if;
  return private.space_invitation_cards(array[p_invitation]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.apply_effects(p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_after   uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_people  uuid[];
  v_person  uuid;
  v_full    boolean;
  v_next    uuid;
  v_failed  uuid[] := '{}';
  v_applied integer := 0;
  v_until   timestamptz := clock_timestamp() + interval '20 seconds';
begin
  -- wait only briefly, because other transactions wait for the locks of this transaction meanwhile
  perform set_config('lock_timeout', '1s', true);
  delete from private.stuck_effects s
  where s.retry_at <= now() and not exists (select from private.effects e where e.user_id = s.user_id);
  -- the people of the next 500 effects, after the people of the previous call, so that everybody gets their turn
  select array_agg(distinct w.user_id), count(*) = 500 into v_people, v_full
  from (select e.user_id from private.effects e
        where e.user_id > v_after
          and not exists (select from private.stuck_effects s where s.user_id = e.user_id and s.retry_at > now())
        order by e.user_id, e.id limit 500) w;
  if v_people is null then
    return json_build_object('applied', 0, 'failed', 0, 'next', null, 'stuck', '[]'::json);
  end if;
  if v_full then
    v_next := v_people[cardinality(v_people)];
  end if;
  -- skips people whose lock another transaction has. Their effects are read again, under the lock
  v_people := array(select p.id from unnest(v_people) as p (id)
                    where pg_try_advisory_xact_lock(private.effects_key(p.id)));
  begin
    v_applied := private.apply_effects_of(v_people);
    delete from private.stuck_effects s where s.user_id = any (v_people);
  exception when others or query_canceled then
    foreach v_person in array v_people loop
      exit when clock_timestamp() > v_until;
      begin
        v_applied := v_applied + private.apply_effects_of(array[v_person]);
        delete from private.stuck_effects s where s.user_id = v_person;
      exception when others then
        v_applied := v_applied + private.apply_one_by_one(v_person, v_until);
        if private.is_stuck(v_person) then
          v_failed := v_failed || v_person;
        end if;
      end;
    end loop;
  end;
  return json_build_object(
    'applied', v_applied, 'failed', cardinality(v_failed), 'next', v_next,
    'stuck', coalesce((
      select json_agg(json_build_object(
               'person', s.user_id, 'event', s.event, 'eventId', s.event_id, 'effectId', s.effect_id,
               'listener', s.listener, 'sqlstate', left(s.message, 5), 'context', s.context,
               'trace_id', replace(e.trace_id::text, '-', '')))
      from private.stuck_effects s
      left join private.effects e on e.user_id = s.user_id and e.id = s.effect_id
      where s.user_id = any (v_failed) and s.attempts = 1), '[]'));
end $function$;

CREATE OR REPLACE FUNCTION private.apply_one_by_one(p_person uuid, p_until timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_effect   private.effects;
  v_listener text;
  v_context  text;
  v_applied  integer := 0;
begin
  while clock_timestamp() < p_until loop
    begin
      v_listener := null;
      delete from private.effects e
      where e.user_id = p_person
        and e.id = (select o.id from private.effects o where o.user_id = p_person order by o.id limit 1)
      returning e.* into v_effect;
      if not found then
        delete from private.stuck_effects s where s.user_id = p_person;
        return v_applied;
      end if;
      for v_listener in
        select l.listener from private.event_listeners l
        where l.event = v_effect.event and l.timing = 'soon' order by l.position
      loop
        execute format('select %s($1)', v_listener) using array[v_effect];   -- the name is from the registry
      end loop;
      v_applied := v_applied + 1;
    exception when others then
      get stacked diagnostics v_context = pg_exception_context;
      insert into private.stuck_effects as s
        (user_id, effect_id, event, event_id, listener, attempts, retry_at, failed_at, message, context)
      values
        (p_person, v_effect.id, v_effect.event, v_effect.event_id, v_listener, 1,
         clock_timestamp() + interval '5 seconds', clock_timestamp(), sqlstate || ' ' || sqlerrm,
         -- keep only these lines, because the others contain SQL with its literals, or invalid data
         array_to_string(array(select f.line[1] from regexp_matches(
           v_context, '^((?:PL/pgSQL|SQL) function .*)$', 'gn') f (line)), e'\n'))
      on conflict (user_id) do update
        set effect_id = excluded.effect_id, event = excluded.event, event_id = excluded.event_id,
            listener = excluded.listener, failed_at = excluded.failed_at, message = excluded.message,
            context = excluded.context,
            attempts = case when s.effect_id = excluded.effect_id then s.attempts + 1 else 1 end,
            retry_at = clock_timestamp() + case when s.effect_id = excluded.effect_id
              then least(interval '5 seconds' * 2 ^ least(s.attempts, 10), interval '1 hour')
              else interval '5 seconds' end;
      return v_applied;
    end;
  end loop;
  return v_applied;
end $function$;

CREATE OR REPLACE FUNCTION private.audit(p_action text, p_target_type text, p_target_id text, p_detail json DEFAULT NULL::json, p_subject uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_entry  app.audit_log;
  v_detail app.audit_details;
begin
  v_detail.ip := nullif(current_setting('request.headers', true), '')::json ->> 'x-forwarded-for';
  v_detail.detail := p_detail::jsonb;
  v_detail.subject_id := p_subject;
  v_detail.detail_salt := extensions.gen_random_bytes(16);
  v_detail.ip_salt := extensions.gen_random_bytes(16);
  v_entry.actor_salt := extensions.gen_random_bytes(16);
  v_entry.detail_hash := private.salted_hash(v_detail.detail_salt, v_detail.detail::text);
  v_entry.ip_hash := private.salted_hash(v_detail.ip_salt, v_detail.ip);
  -- lock first and read in a later statement, because otherwise two entries could follow the same entry and fork the
  -- chain
  perform private.lock('audit');
  select id + 1, hash into v_entry.id, v_entry.previous from app.audit_log order by id desc limit 1;
  v_entry.id := coalesce(v_entry.id, 1);
  v_entry.action := p_action;
  v_entry.actor_id := app.uid();
  v_entry.target_type := p_target_type;
  v_entry.target_id := p_target_id;
  v_entry.created_at := clock_timestamp();
  v_entry.hash := private.audit_hash(v_entry);
  insert into app.audit_log values (v_entry.*);
  insert into private.audit_head as h (entries, hash) values (1, v_entry.hash)
  on conflict ((true)) do update set entries = h.entries + 1, hash = excluded.hash;
  v_detail.audit_id := v_entry.id;
  insert into app.audit_details values (v_detail.*);
end $function$;

CREATE OR REPLACE FUNCTION private.begin_idempotent(p_operation text, p_request json)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.begin_import()
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_caller uuid := private.require_caller();
  v_last   app.imports;
  v_id     uuid;
begin
  perform private.count_writes('imports');
  -- lock the import, so that only one of several concurrent calls finishes it
  perform private.lock('import', v_caller::text);
  delete from app.imports where user_id = v_caller and state = 'receiving';
  select * into v_last from app.imports
  where user_id = v_caller and created_at > now() - interval '24 hours' order by created_at desc limit 1;
  if v_last.state in ('waiting', 'running') then
    perform private.raise_error('import_running');
  elsif found then
    perform private.raise_error('import_daily', json_build_object(
      'Retry-After', ceil(extract(epoch from v_last.created_at + interval '24 hours' - now()))::text));
  end if;
  insert into app.imports (user_id) values (v_caller) returning id into v_id;
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.boost(p_post uuid, p_tier integer)
 RETURNS app.post_boosts
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_tier  record := private.boost_tier(p_tier);
  v_boost app.post_boosts;
begin
  -- lock before reading, so that the second of two concurrent calls sees the boost of the first
  perform private.lock_counters(array[p_post]);
  if exists (select from app.post_counters where post_id = p_post and boost_expires_at > now()) then
    perform private.raise_error('boost_active');
  end if;
  insert into app.post_boosts (post_id, user_id, tier, cost, multiplier, expires_at)
  values (p_post, private.require_caller(), p_tier, v_tier.cost, v_tier.multiplier, now() + v_tier.lasts)
  returning * into v_boost;
  update app.post_counters set boost = v_boost.multiplier, boost_expires_at = v_boost.expires_at
  where post_id = p_post;
  perform private.move('boost', array[v_boost.user_id, private.burn()], array[-v_boost.cost, v_boost.cost],
                       v_boost.id);
  return v_boost;
end $function$;

CREATE OR REPLACE FUNCTION private.card_texts(p_ids uuid[])
 RETURNS app.card_text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
  return array(
    -- look up the rare parts once for all posts. A separate function reads each of these parts, because a statement
    -- prepares all of its joins, even joins that it does not run
    with rare as materialized (
      select array(select l.post_id from app.polls l where l.post_id = any (p_ids)) as poll,
             array(select i.post_id from app.post_interests i where i.post_id = any (p_ids) and not i.is_primary)
               as interests,
             array(select si.post_id from app.series_items si where si.post_id = any (p_ids)) as series,
             array(select ca.post_id from app.post_co_authors ca where ca.post_id = any (p_ids)) as co_authors
    )
    select (t.text, t.quoted_post_id)::app.card_text
    from rare
    cross join unnest(p_ids) with ordinality as w (id, place)
    left join lateral (
      select p.quoted_post_id,
        (p.card_start || ',"body":' || to_json(p.body)::text
         || ',"groupId":' || coalesce(case when space.kind = 'group' then '"' || space.id || '"' end, 'null')
         || ',"guildId":' || coalesce(case when space.kind = 'guild' then '"' || space.id || '"' end, 'null')
         || ',"spaceName":' || coalesce(to_json(space.name)::text, 'null'))
        || (',"authorId":"' || author.actor_id || '","author":' || author.text
            || ',"personaId":' || coalesce('"' || persona.id || '"', 'null') || ',"persona":'
            || coalesce(persona.card_text, '{"id":null,"name":null,"accent":null,"profilePicUrl":null}')
            || ',"coAuthors":' || case when p.id = any (rare.co_authors)
                 then private.co_author_list(p.id)::text else '[]' end)
        || (',"interests":' || coalesce(case when p.id = any (rare.interests) then private.interest_list(p.id)
                 else '[' || interest.card_start || ',"isPrimary":true}]' end, '[]')
            || ',"series":' || coalesce(case when p.id = any (rare.series) then private.series_list(p.id) end, '[]')
            || ',"poll":' || coalesce(case when p.id = any (rare.poll) then private.poll_text(p.id) end, 'null')
            -- use an array, because the index returns its elements in order, and string_agg would sort
            || ',"emojiBreakdown":{' || array_to_string(array(
                 select '"' || e.emotion || '":{"count":' || e.payments || ',"total":' || e.mana || '}'
                 from app.post_emotions e where e.post_id = p.id and e.payments > 0 order by e.emotion), ',') || '}')
        || (',' || g.fields || ',"boostScore":' || g.boost
            || ',"boostExpiresAt":' || coalesce('"' || private.utc(g.boost_expires_at) || '"', 'null')
            || ',"scheduledEmittedAt":'
            || coalesce('"' || private.utc(p.scheduled_emitted_at) || '"', 'null')) as text
      from private.visible_posts p
      join private.engagement_fields g on g.post_id = p.id
      join app.person_card author on author.id = p.author_id
      left join app.interests interest on interest.id = p.interest_id
      left join app.spaces space on space.id = p.space_id
      left join app.personas persona on persona.user_id = p.author_id
        and case when p.persona_id is null then persona.is_default else persona.id = p.persona_id end
      where p.id = w.id) t on true
  order by w.place);
end $function$;

CREATE OR REPLACE FUNCTION private.cast_vote(p_user uuid, p_interest uuid, p_value integer, p_comment text, OUT vote app.reputation_votes, OUT weight numeric)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_before app.reputation_votes;
begin
  -- as in private.check_author, banned and erased people can't vote, not even while the ban is in progress
  perform private.check_lock_order('person', private.require_caller()::text);
  perform from app.users u
  where u.id = private.require_caller() and u.banned_at is null and u.erased_at is null for share;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  -- lock before reading, so that two concurrent votes of one voter see each other
  perform private.lock_effects(p_user, app.uid());
  select * into v_before from app.reputation_votes v
  where v.voter_id = app.uid() and v.user_id = p_user and v.interest_id = p_interest;
  weight := private.vote_weight(private.reputation_value(app.uid(), p_interest));

  insert into app.reputation_votes as v (voter_id, user_id, interest_id, value, comment, impact)
  values (app.uid(), p_user, p_interest, p_value, p_comment, round(weight * p_value, 2))
  on conflict (voter_id, user_id, interest_id) do update
    set value = excluded.value, comment = excluded.comment, impact = excluded.impact
  returning v.* into vote;
  perform private.add_reputation(p_user, p_interest, 'vote.received', vote.impact, vote.id, app.uid(),
                                    coalesce(v_before.impact, 0));
  if vote.value <> coalesce(v_before.value, 0) then
    perform private.emit('reputation.vote.cast', json_build_object(
      'voteId', vote.id, 'voterId', app.uid(), 'userId', p_user, 'interestId', p_interest, 'value', vote.value),
      array[p_user]);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.change_account(p_user uuid, p_role text, p_banned_at timestamp with time zone, p_banned_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_from bigint := private.close_sessions(p_user);   -- otherwise the sessions would work again after the ban
begin
  -- make one update, because Realtime is notified of each change of the valid tokens
  update app.users
  set role = p_role, banned_at = p_banned_at, banned_until = p_banned_until, tokens_valid_from = v_from
  where id = p_user;
end $function$;

CREATE OR REPLACE FUNCTION private.change_role(p_kind text, p_id text, p_person text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  perform private.require_space_role(v_space.id, 'owner');
  perform private.require_visible_person(p_person);   -- check again, because the person may have been banned meanwhile
  perform private.set_space_role(v_space, v_user, p_role);
  return private.member_cards(v_space.id, array[v_user]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.changed_engagement(p_effects private.effects[])
 RETURNS TABLE(post_id uuid, user_id uuid, action text, stands boolean, caused_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- the events posts.reaction.… and posts.bookmark.… name the action; posts.post.reposted and …unreposted are about a
  -- repost
  return query
  select c.post_id, c.user_id, c.action,
         exists (select from private.post_engagement m
                 where m.post_id = c.post_id and m.user_id = c.user_id and m.action = c.action),
         c.caused_at
  from (select (e.payload ->> 'postId')::uuid as post_id, (e.payload ->> 'userId')::uuid as user_id,
               replace(split_part(e.event, '.', 2), 'post', 'repost') as action, min(e.caused_at) as caused_at
        from unnest(p_effects) e
        group by 1, 2, 3) c;
end $function$;

CREATE OR REPLACE FUNCTION private.check_not_banned(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_person app.users;
begin
  select * into v_person from app.users where id = p_user;
  if v_person.banned_at is not null and v_person.banned_until is null then
    perform private.raise_error('person_banned');
  elsif v_person.banned_at is not null then
    perform private.raise_error('person_suspended');
  end if;
exception when sqlstate 'PT403' then
  if sqlerrm = 'person_suspended' then   -- tell the person when they can log in again
    raise exception using errcode = 'PT403', message = sqlerrm,
      detail = format('This account is suspended until %s.', private.utc(v_person.banned_until));
  end if;
  raise;
end $function$;

CREATE OR REPLACE FUNCTION private.check_scopes(p_scopes text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_operation text := substring(current_setting('request.path', true) from '^/rpc/(.+)$');
begin
  perform private.require_scope(p_scopes, v_operation);
  perform private.refuse_bots(v_operation);   -- all tokens of bots have scopes
end $function$;

CREATE OR REPLACE FUNCTION private.check_text(p_text text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- NFC shortens a text to no less than a quarter, and the highest limit is 100,000 characters, so the length check
  -- rejects this text anyway
  if length(p_text) > 400000 then
    return;
  end if;
  -- rejects control characters except tab and line ends, and the characters that embed, override or isolate a
  -- direction. The marks U+200E, U+200F and U+061C are harmless: they do not change the direction of the text around
  -- them
  if p_text ~ '[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]' then
    perform private.raise_error('text_unfit');
  end if;
  if octet_length(p_text) = length(p_text) then
    return;   -- all other ASCII characters, except blanks, are visible
  end if;
  -- rejects a text that has only spaces, joiners, marks, fillers, variation selectors and tags; beside a visible
  -- character they are allowed
  if p_text !~ ('[^\s\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f'
                || '\u2028\u2029\u202f\u205f-\u2065\u206a-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff'
                || '\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]') then
    perform private.raise_error('text_unfit');
  end if;
  -- Postgres sorts a letter's combining marks in quadratic time, so thousands would block the database. No script
  -- has 250 characters without a blank, an ASCII character, or a letter, symbol or emoji of these ranges
  if length(p_text) > 250 and exists (
       select from regexp_split_to_table(p_text,
         '[\u0001-\u007e\u00a1-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u060f\u0620-\u064a'
         || '\u0e01-\u0e30\u0e81-\u0eb0\u0f0b\u1000-\u1020'
         || '\u1100-\u115e\u1780-\u17b3\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2cee'
         || '\u3000-\u3029\u3030-\u3098\u309b-\u9fff\uac00-\ud7a3\uff01-\uff9d'
         || '\U0001f000-\U0001faff\U00020000-\U0003ffff]+') w (word)
       where length(w.word) > 250) then
    perform private.raise_error('text_unfit');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.check_token()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.claim_username()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- a person who has or had such a name keeps it
  if private.is_reserved(new.username) and not exists (
       select from app.usernames where hash = private.username_hash(new.username) and user_id = new.id) then
    perform private.raise_error('username_reserved');
  end if;
  insert into app.usernames (hash, username, user_id)
  values (private.username_hash(new.username), new.username, new.id)
  on conflict (hash) do nothing;
  if not exists (select from app.usernames where hash = private.username_hash(new.username) and user_id = new.id) then
    perform private.raise_error('username_taken');   -- somebody else has or had this name
  end if;
  -- otherwise one person could reserve all the good names
  if new.erased_at is null and (select count(*) from app.usernames where user_id = new.id) > 11 then
    perform private.raise_error('usernames_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.clear_before_purge()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.clear_content(jsonb_build_object('contentId', old.id)) ->> 'next' is not null then
    return null;   -- keep the head until the next purge
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION private.clear_content(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_content app.contents;
  v_left    private.content_cascades;
  v_deleted integer;
  v_missed  boolean;
  v_changed integer := 0;
  v_more    boolean := false;
begin
  select * into v_content from app.contents where id = (p_job ->> 'contentId')::uuid and deleted_at is not null;
  for v_left in
    select * from private.content_cascades where kind = v_content.kind order by position, relation::text
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where %2$s limit 500))',
                   v_left.relation, v_left.whose) using v_content.id;
    get diagnostics v_deleted = row_count;
    v_changed := v_changed + v_deleted;
    -- rows that somebody changed meanwhile are skipped, so there may be more rows even if fewer than 500 were deleted
    execute format('select exists (select from %s where %s)', v_left.relation, v_left.whose) into v_missed
      using v_content.id;
    v_more := v_more or v_missed or v_deleted = 500;
  end loop;
  return json_build_object('changed', v_changed, 'next', case when v_more then v_content.id end);
end $function$;

CREATE OR REPLACE FUNCTION private.close_sessions(p_user uuid, p_by_password boolean DEFAULT false)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock the credentials, then the user, then sessions: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials where user_id = p_user for update;
  perform private.check_lock_order('person', p_user::text);
  perform from app.users where id = p_user for no key update;
  update app.sessions set ended_at = now(), user_agent = null, device = null, network = null
  where user_id = p_user and ended_at is null;
  perform private.end_access_token(id) from app.access_tokens
  where user_id = p_user and ended_at is null and (ends_with_password or not p_by_password);
  return greatest(
    floor(extract(epoch from clock_timestamp()))::bigint + 1,
    -- the last token may already have an iat in the next second, because iat is never before tokens_valid_from
    (select last_issued_at + 1 from private.credentials where user_id = p_user));
end $function$;

CREATE OR REPLACE FUNCTION private.closer_posts(p_place app.place, p_until timestamp with time zone, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from    timestamptz := p_place.at;   -- plain variables, so that the planner can use the index
  v_before  uuid := p_place.id;
  v_until   timestamptz := p_until;
  v_authors uuid[] := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 101);
  v_each    integer;
  v_most    integer;
  v_cut     app.place;
  v_ids     uuid[];
  v_times   timestamptz[];
  v_places  integer[];
begin
  if cardinality(v_authors) = 101 then
    -- if there are many authors, read by time
    select array_agg(c.id order by c.published_at desc, c.id desc),
           array_agg(c.published_at order by c.published_at desc, c.id desc)
    into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where required_level <= 2 and closer_id is not null and within_id is null
                  and (published_at, id) < (v_from, v_before)
                  and published_at >= v_until
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) c;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where required_level <= 2 and closer_id is not null and within_id is null
        and (published_at, id) < (v_from, v_before)
        and published_at >= v_until
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    if v_cut.at is null then   -- all posts down to v_until were read
      return private.run_of(v_ids, v_times, case when v_until > '-infinity' then
        (v_until, '00000000-0000-0000-0000-000000000000')::app.place end, 400);
    end if;
    v_authors := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 1001);
    if cardinality(v_authors) = 1001 then
      return private.run_of(v_ids, v_times, v_cut, 400);
    end if;
  end if;

  -- Read by author. First read a few posts of each author, enough for a page, to find the time at which the page ends.
  -- Then read all posts of each author since that time.
  v_each := 101 / greatest(cardinality(v_authors), 1) + 2;
  v_most := least(101, 4000 / greatest(cardinality(v_authors), 1));
  if v_until = '-infinity' then
    select c.published_at into v_until
    from unnest(v_authors) a (author_id)
    cross join lateral (
      select published_at from app.posts
      where closer_id = a.author_id and required_level <= 2 and within_id is null
        and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc limit v_each) c
    order by c.published_at desc offset 100 limit 1;
    v_until := coalesce(v_until, '-infinity');
  end if;
  select array_agg(c.id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(v_authors) a (author_id)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts
    where closer_id = a.author_id and required_level <= 2 and within_id is null
      and (published_at, id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, id desc limit v_most) c;
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.content_reasons(p_content app.contents, p_person uuid, p_access private.access)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rule    record;
  v_student boolean;
  v_effect  text;
begin
  select * into v_rule from private.visibility((p_content).author_id, 0, (p_content).space_id, p_viewer => p_person);
  v_student := (p_content).is_draft and p_access.can_see and v_rule.level < 3;   -- private.visible_courses
  -- cases in which only the author sees the thing
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;
  return array_remove(
    array[case when (p_content).deleted_at is not null then
            private.reason('deleted', 'denies') end]
    || private.author_reasons((p_content).author_id, p_person, v_rule.level, (p_content).author_hidden)
    || array[
      case when (p_content).removed_at is not null then
        private.reason(private.hider((p_content).kind, (p_content).id, 'removed'), v_effect) end,
      case when v_student then private.reason('student', 'allows')
           when (p_content).is_draft then private.reason('draft', v_effect) end,
      case when v_rule.level between 0 and 2 and (p_content).space_id is null and not (p_content).is_draft then
        private.reason('public', 'allows') end,
      case when (p_content).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_content).space_id),
                                (p_content).space_id) end,
      case when p_access.can_see and not v_student and not p_access.is_listed then
        private.reason('limited_author', 'leaves_out') end], null);
end $function$;

CREATE OR REPLACE FUNCTION private.count_calls(p_keys text[], p_limits integer[], p_seconds integer[])
 RETURNS TABLE(used integer, reset_ms integer, over boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_now   timestamptz := clock_timestamp();
  v_used  integer[];
  v_reset integer[];
  v_over  boolean[];
begin
  -- sort the buckets, so that two calls with the same buckets do not deadlock: ARCHITECTURE.md, Locks
  with counted as (
    insert into private.rates as r (key, used, ends_at)
    select b.key, 1, v_now + b.seconds * interval '1 second'
    from unnest(p_keys, p_seconds) as b (key, seconds)
    order by b.key
    on conflict (key) do update
      set used = case when r.ends_at > v_now then r.used + 1 else 1 end,
          ends_at = case when r.ends_at > v_now then r.ends_at else excluded.ends_at end
    returning r.key, r.used, r.ends_at
  )
  select array_agg(c.used order by b.place),
         array_agg(greatest(1, ceil(extract(epoch from c.ends_at - v_now) * 1000)::integer) order by b.place),
         array_agg(c.used > b.most order by b.place)
  into v_used, v_reset, v_over
  from unnest(p_keys, p_limits) with ordinality as b (key, most, place)
  join counted c on c.key = b.key;

  if true = any (v_over) then
    -- a rejected call counts in no bucket. No other call has read the higher counts, because the rows are locked until
    -- the end
    update private.rates r set used = r.used - 1 where r.key = any (p_keys);
    v_used := array(select u - 1 from unnest(v_used) with ordinality as n (u, place) order by place);
  end if;
  return query select * from unnest(v_used, v_reset, v_over);
end $function$;

CREATE OR REPLACE FUNCTION private.count_choices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- sort the interests, so that two bulk choices don't deadlock: ARCHITECTURE.md, Locks
  perform from app.interests i
  where i.id in (select c.interest_id from changed c)
  order by i.id for no key update;

  update app.interests i
  set user_count = i.user_count + case tg_op when 'INSERT' then c.people else -c.people end
  from (select interest_id, count(*)::int as people from changed group by interest_id) c
  where i.id = c.interest_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_replies()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts    uuid[];
  v_authors  uuid[];
  v_ones     integer[];
  v_machines uuid[];
  v_post     uuid;
  v_more     integer;
  v_bots     integer;
begin
  select array_agg(w.post_id), array_agg(w.author_id), array_agg(1) into v_posts, v_authors, v_ones
  from written w where w.required_level = 0;
  if tg_op = 'UPDATE' then
    select v_posts || array_agg(o.post_id), v_authors || array_agg(o.author_id), v_ones || array_agg(-1)
    into v_posts, v_authors, v_ones
    from overwritten o where o.required_level = 0;
  end if;
  v_machines := private.bots_among(v_authors);
  -- update each post once, because a ban or an erasure may change thousands of replies under the same post
  for v_post, v_more, v_bots in
    select c.post_id, sum(c.one), sum(case when c.author_id = any (v_machines) then c.one else 0 end)
    from unnest(v_posts, v_authors, v_ones) c (post_id, author_id, one)
    group by c.post_id
    order by c.post_id
  loop
    if v_more <> 0 or v_bots <> 0 then
      update app.post_counters set replies = replies + v_more, bot_replies = bot_replies + v_bots
      where post_id = v_post;
    end if;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_unread_conversations()
 RETURNS integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_caller uuid := private.require_caller();
  v_weight integer := 20000;   -- the number of messages that this call may read
  v_count  integer := 0;
  v_member record;
begin
  for v_member in
    select m.conversation_id as id, c.last_number - m.last_read_number as unread
    from (select w.conversation_id, w.last_read_number, w.muted_until from app.conversation_members w
          where w.user_id = v_caller order by w.latest_at desc, w.conversation_id desc limit 1000) m
    join app.conversations c on c.id = m.conversation_id
    where (m.muted_until > now()) is not true
  loop
    continue when v_member.unread = 0;
    v_weight := v_weight - least(500, v_member.unread);
    v_count := v_count + private.count_unread_messages(v_member.id, 1);
    exit when v_count = 99 or v_weight <= 0;
  end loop;
  return v_count;
end $function$;

CREATE OR REPLACE FUNCTION private.count_votes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- sort the options, because a changed vote and an erasure lock several of them: ARCHITECTURE.md, Locks
  perform from app.poll_options where id in (old.option_id, new.option_id) order by id for no key update;
  update app.poll_options set votes = votes + case id when new.option_id then 1 else -1 end
  where id in (old.option_id, new.option_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.cursor_place(p_list text, p_cursor text)
 RETURNS app.place
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_place app.rank_place := private.open_cursor(p_list, p_cursor);
begin
  -- add seconds and microseconds separately, because Postgres multiplies an interval by a float
  return (timestamptz 'epoch' + v_place.rank / 1000000 * interval '1 second'
                              + v_place.rank % 1000000 * interval '1 microsecond', v_place.id)::app.place;
end $function$;

CREATE OR REPLACE FUNCTION private.cursor_signature(p_key bytea, p_list text, p_hidden bytea)
 RETURNS bytea
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- the first two parts have a fixed length, so no other caller and list result in the same bytes
  return substr(extensions.hmac(
    p_hidden || uuid_send(coalesce(app.uid(), '00000000-0000-0000-0000-000000000000')) || convert_to(p_list, 'UTF8'),
    p_key, 'sha256'), 1, 18);
end $function$;

CREATE OR REPLACE FUNCTION private.delete_content(p_kind text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_job json := json_build_object('contentId', p_id);
begin
  update app.contents set deleted_at = now(), title = null, interest_id = null, words = ''
  where id = p_id and kind = p_kind and author_id = private.require_caller() and deleted_at is null;
  if not found then
    return false;
  end if;
  -- lock children before details: ARCHITECTURE.md, Locks
  if private.clear_content(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('deleted-contents', v_job);
  end if;
  execute format('delete from %s where id = $1', (select relation from private.content_kinds where kind = p_kind))
    using p_id;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.delete_course(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_courses(array[p_id]);   -- lock the course before the head: ARCHITECTURE.md, Locks
  if exists (select from app.course_enrolments where course_id = p_id and price_mana > 0)
     and exists (select from app.contents where id = p_id and author_id = private.require_caller()) then
    perform private.raise_error('course_sold');
  end if;
  return private.delete_content('course', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.delete_event(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_events(array[p_id]);   -- lock the seats before the head: ARCHITECTURE.md, Locks
  return private.delete_content('event', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.delete_offering(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  perform private.lock_own_content('offering', p_id, false);
  -- a concurrent order waits for this lock and then fails, or this call waits for the order and then finds it
  perform from app.offerings where id = p_id for no key update;
  -- look up each running state separately, because thousands of other orders may have ended
  if exists (select from (select distinct t.state from private.order_transitions t) r
             cross join lateral (select from app.orders o
                                 where o.offering_id = p_id and o.state = r.state limit 1) running) then
    perform private.raise_error('offering_ordered');
  end if;
  perform private.delete_content('offering', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.delete_video(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_video_counters(array(   -- lock the counters before the head: ARCHITECTURE.md, Locks
    select id from app.contents where id = p_id and author_id = private.require_caller()));
  return private.delete_content('video', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.deliver_broadcast(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts;
  v_ids       uuid[];
  v_next      uuid;
begin
  -- if two workers run the same job, the second continues where the first ended
  select * into v_broadcast from app.broadcasts where id = (p_job ->> 'broadcastId')::uuid for update;
  if v_broadcast.finished_at is not null or not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  v_broadcast.told_to := coalesce(v_broadcast.told_to, '00000000-0000-0000-0000-000000000000');
  v_ids := array(select id from app.users
                 where id > v_broadcast.told_to and created_at <= v_broadcast.created_at order by id limit 500);
  -- these notifications are never rolled up, so they need no lock of effects
  perform private.notify(array(
    select (u.id, 'admin.broadcast', null, 'broadcast', v_broadcast.id::text,
            jsonb_build_object('title', v_broadcast.title, 'body', v_broadcast.body), null, null,
            v_broadcast.created_at)::private.notice
    from unnest(v_ids) as u (id)));
  v_next := v_ids[500];
  update app.broadcasts
  set told = told + cardinality(v_ids), told_to = v_ids[cardinality(v_ids)],
      finished_at = case when v_next is null then now() end
  where id = v_broadcast.id
  returning told into v_broadcast.told;
  if v_next is not null and v_broadcast.told % 25000 = 0 then
    -- begin a new job, so that no job exceeds its time limit, and the queue soon notices a killed job
    perform private.enqueue('broadcasts', p_job::json);
    v_next := null;
  end if;
  return json_build_object('changed', cardinality(v_ids), 'next', v_next);
end $function$;

CREATE OR REPLACE FUNCTION private.disburse(p_guild text, p_person text, p_amount integer, p_note text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note  text := private.require_text(p_note);
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
  v_id    uuid;
begin
  perform private.count_writes('movements');
  perform private.require_amount(p_amount);
  if coalesce(v_note, '') = '' then
    perform private.raise_error('treasury_note_missing');
  end if;
  v_space := private.lock_treasury(p_guild, array[v_user], 'owner', 'moderator');
  if v_user = app.uid() then
    perform private.raise_error('disburse_oneself');
  end if;
  perform private.require_visible_person(p_person);   -- check again, because the person may have been banned meanwhile
  v_id := private.move_treasury(v_space.id, 'disbursement', app.uid(), array[v_user], array[-p_amount], v_note);
  return json_build_object(
    'entry', private.treasury_cards(array(select id from app.treasury_entries where transaction_id = v_id)) -> 0,
    'treasuryBalance', private.treasury_balance(v_space.id));
end $function$;

CREATE OR REPLACE FUNCTION private.drop_circle(p_id uuid, p_owner uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock pairs before rows, so that an acceptance or a block waits and does not deadlock: ARCHITECTURE.md, Locks
  perform private.lock_pairs(array_agg(p.person), array_agg(p_owner))
  from (select member_id as person from app.circle_members where circle_id = p_id
        union select invitee_id from app.circle_invitations where circle_id = p_id and status = 'pending') p;
  delete from app.circles where id = p_id;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.drop_project_member(p_project uuid, p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_role uuid;
begin
  select role_id into v_role from app.project_members where project_id = p_project and user_id = p_user;
  -- lock the role before the member: ARCHITECTURE.md, Locks
  perform from app.project_roles where id = v_role for no key update;
  delete from app.project_members where project_id = p_project and user_id = p_user and role_id = v_role;
  if not found then
    return false;
  end if;
  update app.project_roles set filled = filled - 1 where id = v_role;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.end_case(p_case uuid, p_outcome text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set status = 'closed', outcome = p_outcome, closed_by = app.uid(), closed_at = now(), claimed_by = null,
      claimed_until = null, updated_at = clock_timestamp()
  where id = p_case and status = 'open';
  if not found then
    return;
  end if;
  perform private.settle_case_proposal(p_case, null, 'declined');
  perform private.add_case_event(p_case, 'closed', null, json_build_object('outcome', p_outcome));
  -- settle reports after locking the row, so that a concurrent report belongs either to this case or to the next one
  if private.settle_case_reports(jsonb_build_object('caseId', p_case)) ->> 'next' is not null then
    perform private.enqueue('settled-reports', json_build_object('caseId', p_case));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_case_without_reports(p_case uuid, p_outcome text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  perform private.check_lock_order('case', p_case::text);
  -- lock the row first, so that a concurrent report counts
  perform from app.cases where id = p_case and status = 'open' for no key update;
  if found and not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                           where c.case_id = p_case and r.status = 'open') then
    perform private.end_case(p_case, p_outcome);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_factor(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from private.totp where user_id = p_user and confirmed_at is not null)
     or exists (select from private.passkeys where user_id = p_user) then
    -- another session may have its proof from the removed factor
    delete from private.proofs where user_id = p_user and session_id is distinct from private.own_session();
  elsif private.needs_factor((select role from app.users where id = p_user)) then
    perform private.raise_error('factor_needed');
  else
    perform private.forget_factors(p_user);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_follows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  delete from app.follows f using made m
  -- this form matches both directions, because nobody follows themselves, and it can use the index
  where f.follower_id = any (array[m.blocker_id, m.blocked_id])
    and f.following_id = any (array[m.blocker_id, m.blocked_id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.end_membership(p_id uuid, p_person uuid, p_what text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_number bigint := (select last_number from app.conversations where id = p_id);
  v_role   text;
  v_next   uuid;
begin
  perform from app.conversation_members where conversation_id = p_id order by user_id for no key update;
  delete from app.conversation_members where conversation_id = p_id and user_id = p_person returning role into v_role;
  update app.conversation_spans set last_number = v_number
  where conversation_id = p_id and user_id = p_person and last_number > v_number;
  if p_what is not null then
    perform private.add_system_message(p_id, p_person, p_what);
  end if;
  if v_role = 'owner' then
    -- prefer somebody who is not banned
    select m.user_id into v_next from app.conversation_members m
    where m.conversation_id = p_id
    order by (select true from app.hidden_people s where s.user_id = m.user_id) nulls first, m.joined_at, m.user_id
    limit 1;
    if found then
      perform private.hand_over(p_id, p_person, v_next);
    end if;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_other_own_sessions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.end_role_applications(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_role  uuid := (p_job ->> 'roleId')::uuid;
  v_ids   uuid[] := array(select id from app.project_applications where role_id = v_role and status = 'pending'
                          limit 500);
  v_ended integer;
begin
  update app.project_applications set status = 'ended', decided_at = now()
  where status = 'pending' and id = any (v_ids);
  get diagnostics v_ended = row_count;
  -- don't test v_ended, because an applicant may have withdrawn an application meanwhile
  return json_build_object('changed', v_ended, 'next', case when cardinality(v_ids) = 500 then v_role end);
end $function$;

CREATE OR REPLACE FUNCTION private.end_series_follows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  -- find the follows by series, because an author has at most 100 series
  delete from app.series_follows f
  using (select m.blocked_id as follower_id, s.id
         from made m, app.series s where s.author_id = m.blocker_id
         union all
         select m.blocker_id, s.id
         from made m, app.series s where s.author_id = m.blocked_id
         offset 0) g
  where f.series_id = g.id and f.user_id = g.follower_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.end_space_invitations()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  update app.space_invitations i set status = 'revoked'
  from changed c
  where i.status = 'pending'
    -- this form matches both directions, because nobody invites themselves, and it can use the index
    and i.inviter_id = any (array[c.blocker_id, c.blocked_id])
    and i.invitee_id = any (array[c.blocker_id, c.blocked_id]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue(p_queue text, p_data json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_trace text := private.traceparent();
begin
  insert into pgboss.job (name, data, policy, dead_letter, retry_limit, retry_delay, retry_backoff, retry_delay_max,
                          expire_seconds, deletion_seconds, heartbeat_seconds, keep_until)
  select q.name,
         -- a job that is queued again keeps its traceparent
         case when v_trace is null then '{}' else jsonb_build_object('traceparent', v_trace) end || p_data::jsonb,
         q.policy, q.dead_letter, q.retry_limit, q.retry_delay, q.retry_backoff,
         q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds,
         now() + q.retention_seconds * interval '1 second'
  from pgboss.queue q
  where q.name = p_queue;
  if not found then
    raise exception 'there is no queue %', p_queue;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.enqueue_recounts(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- use batches, because there may be a thousand guilds
  if exists (select from app.space_members m join app.guilds g on g.space_id = m.space_id
             where m.user_id = p_user.id) then
    perform private.enqueue('recounted-proposals', json_build_object('userId', p_user.id));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.ensure_first_admin(p_email text, p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_admin uuid;
begin
  perform private.lock('first admin');   -- several facades may boot concurrently
  if exists (select from app.users where role = 'admin') then
    return null;
  end if;
  v_admin := private.create_person(p_email, p_password_hash, 'Admin', 'Admin', null, null, null, 'admin');
  update app.accounts set email_verified_at = now() where user_id = v_admin;   -- the operator configured the address
  -- people cannot choose this username, but an erased admin may have had it
  insert into app.usernames (hash, username, user_id) values (private.username_hash('admin'), 'admin', v_admin)
  on conflict (hash) do nothing;
  if found then
    update app.users set username = 'admin' where id = v_admin;
  end if;
  return (select json_agg((private.make_invite_code(v_admin)).code) from generate_series(1, 3));
end $function$;

CREATE OR REPLACE FUNCTION private.enter(p_caller text, p_headers text DEFAULT NULL::text, p_operation text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
  -- keep the rows, because posts may refer to them
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
  -- update this row last, because a transaction that writes the person's ledger also locks it after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_conversations(p_user app.users)
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
declare
  v_ids uuid[] := array(select conversation_id from app.conversation_members where user_id = p_user.id
                        order by conversation_id limit 500);
  v_id  uuid;
begin
  foreach v_id in array v_ids loop
    -- lock conversations in order of id: ARCHITECTURE.md, Locks
    perform from app.conversations where id = v_id for no key update;
    perform private.end_membership(v_id, p_user.id, null);
  end loop;
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
  perform private.erase_rows(p_user.id, 'app.conversation_spans', 'user_id = $1');
  perform private.erase_messages(p_user.id);
end $function$;

CREATE OR REPLACE FUNCTION private.erase_debates(p_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock heads before details: ARCHITECTURE.md, Locks
  perform from app.contents where id = any (p_ids) and kind = 'debate' order by id for no key update;
  -- sort the ids, because counting arguments locks debates too
  perform from app.debates where id = any (p_ids) order by id for update;
  delete from app.debates where id = any (p_ids);
end $function$;

CREATE OR REPLACE FUNCTION private.erase_enrolments(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_ids uuid[] := array(select course_id from app.course_enrolments where user_id = p_user.id
                        order by created_at desc, course_id desc limit 500);
begin
  -- includes enrolments in the person's own courses, which the erasure deletes later
  perform private.lock_courses(v_ids || private.next_contents(p_user.id, null));
  delete from app.course_enrolments where user_id = p_user.id and course_id = any (v_ids);
  update app.courses set enrolled_count = enrolled_count - 1 where id = any (v_ids);
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_next_posts(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_ids     uuid[];
  v_changed integer;
begin
  perform from app.users where id = v_user and erased_at is not null for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('erasure');   -- see private.leave_spaces
  v_ids := private.next_posts(v_user, p_after);
  perform private.lock_written(v_ids, '{}');
  update app.posts set title = null, body = '', media = '[]', deleted_at = coalesce(deleted_at, now())
  where id = any (v_ids) and (deleted_at is null or title is not null or body <> '' or media <> '[]');
  get diagnostics v_changed = row_count;
  delete from app.post_versions where post_id = any (v_ids);
  update app.poll_options set text = ''
  where id in (select o.id
               from app.polls l join app.poll_options o on o.poll_id = l.id
               where l.post_id = any (v_ids) and o.text <> ''
               order by o.id for no key update of o);   -- lock by id: ARCHITECTURE.md, Locks
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.erase_next_replies(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_ids     uuid[];
  v_changed integer;
begin
  perform from app.users where id = v_user and erased_at is not null for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('erasure');   -- see private.leave_spaces
  v_ids := private.next_replies(v_user, p_after);
  perform private.lock_written('{}', v_ids);
  update app.replies set body = '', deleted_at = coalesce(deleted_at, now())
  where id = any (v_ids) and (deleted_at is null or body <> '');
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.erase_person(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid;
begin
  perform private.end_tokens(p_user);   -- call this first, because it locks the credentials before the person
  update app.users set
    person_id = gen_random_uuid(),
    username = 'deleted_' || left(replace(gen_random_uuid()::text, '-', ''), 20),
    first_name = 'Deleted', last_name = 'Account',
    country = null, city = null, about = null, profile_pic_url = null,
    role = 'user', erased_at = now()
  where id = p_user and erased_at is null;
  for v_bot in select id from app.users where bot_owner_id = p_user and erased_at is null order by id loop
    perform private.restart_lock_order();
    perform private.erase_person(v_bot);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_posts(p_user app.users)
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
declare
  v_job    json := json_build_object('userId', p_user.id);
  v_series uuid[] := array(select id from app.series where author_id = p_user.id limit 10);
begin
  if private.erase_next_posts(v_job::jsonb) ->> 'next' is not null then
    perform private.erase_later('erased-posts', v_job);
  end if;
  perform private.erase_rows(p_user.id, 'app.post_co_authors', 'user_id = $1');
  if (select count(*) from (select from app.series_follows where series_id = any (v_series) limit 500) f) = 500 then
    perform private.erase_rows(p_user.id, 'app.series_follows',
                               'series_id in (select id from app.series where author_id = $1)');
  else
    -- each series has at most 200 items, and nothing else refers to a series
    delete from app.series where id = any (v_series);
    if cardinality(v_series) = 10 then
      perform private.erase_rest(p_user.id);
    end if;
  end if;
  perform private.erase_rows(p_user.id, 'app.series_follows', 'user_id = $1');
  perform private.erase_rows(p_user.id, 'app.post_mutes', 'user_id = $1');
  perform private.erase_rows(p_user.id, 'private.removed_bookmarks', 'user_id = $1');
  if private.erase_next_replies(v_job::jsonb) ->> 'next' is not null then
    perform private.erase_later('erased-replies', v_job);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_problems(p_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock heads before details: ARCHITECTURE.md, Locks. A hold stores its holder, so the worker can still give the mana
  -- back
  perform from app.contents where id = any (p_ids) and kind = 'problem' order by id for no key update;
  -- sort the ids, because private.count_children also locks these rows
  perform from app.problems where id = any (p_ids) order by id for update;
  delete from app.problems where id = any (p_ids);
end $function$;

CREATE OR REPLACE FUNCTION private.erase_records(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_changed integer;
  v_is_rest boolean;
begin
  perform private.erase_rows(p_user.id, 'app.domain_events',
                             $q$payload ? 'email' and payload ->> 'userId' = $1::text$q$);
  perform private.erase_rows(p_user.id, 'private.event_log', 'people @> array[$1]');

  -- skip the key of a running request, because its lock comes earlier in the order; job_finish_erasures deletes the
  -- key later
  delete from app.idempotency_keys where ctid in (
    select ctid from app.idempotency_keys where user_id = p_user.id limit 500 for update skip locked);
  get diagnostics v_changed = row_count;
  v_is_rest := v_changed = 500;
  -- An answer stored for another person may name the erased person. A repeated request then fails with 410 and does
  -- nothing.
  update app.idempotency_keys set answer = '', named = null where ctid in (
    select ctid from app.idempotency_keys where named @> array[p_user.id]
    limit 500 for update skip locked);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;

  update app.audit_details set ip = null where audit_id in (
    select d.audit_id from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where l.actor_id = p_user.id and d.ip is not null limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.audit_details set detail = null where audit_id in (
    select d.audit_id from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where l.target_type = 'user' and l.target_id = p_user.id::text and d.detail is not null limit 500);
  get diagnostics v_changed = row_count;
  if v_is_rest or v_changed = 500 then
    perform private.erase_rest(p_user.id);
  end if;

  update app.usernames set username = null, user_id = null where user_id = p_user.id and username <> p_user.username;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_rest(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- queue one job per person and transaction, however many steps leave rows
  if current_setting('kith.unerased', true) is distinct from p_user::text then
    perform private.erase_later('erasures', json_build_object('userId', p_user));
    perform set_config('kith.unerased', p_user::text, true);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_ties(p_user app.users)
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
declare
  v_people uuid[];
  v_same   uuid[];
  v_most   bigint;
  v_words  integer;
begin
  select array_agg(p.person), array_agg(p_user.id), max(p.of_kind) into v_people, v_same, v_most
  from (select w.person, count(*) over (partition by w.kind) as of_kind
        from ((select 1 as kind, owner_id as person from app.circle_members where member_id = p_user.id limit 500)
              union all
              (select 2, invitee_id from app.circle_invitations where inviter_id = p_user.id limit 500)
              union all
              (select 3, inviter_id from app.circle_invitations where invitee_id = p_user.id limit 500)
              union all
              (select 4, blocked_id from app.blocks where blocker_id = p_user.id limit 500)
              union all
              (select 5, blocker_id from app.blocks where blocked_id = p_user.id limit 500)
              union all
              -- at most 10 people per circle
              select 6, member_id from app.circle_members where owner_id = p_user.id) w) p;
  -- lock pairs before rows, so that an acceptance or a block waits and does not deadlock: ARCHITECTURE.md, Locks
  perform private.lock_pairs(v_people, v_same);
  perform from app.circles where owner_id = p_user.id order by id for update;
  delete from app.circle_invitations where inviter_id = p_user.id and invitee_id = any (v_people);
  delete from app.circle_invitations where invitee_id = p_user.id and inviter_id = any (v_people);
  delete from app.circle_members where member_id = p_user.id and owner_id = any (v_people);
  delete from app.blocks where blocker_id = p_user.id and blocked_id = any (v_people);
  delete from app.blocks where blocked_id = p_user.id and blocker_id = any (v_people);
  if v_most >= 500 then
    perform private.erase_rest(p_user.id);   -- this deletes the circles, with their invitations
  else
    delete from app.circles where owner_id = p_user.id;
  end if;
  perform private.erase_rows(p_user.id, 'app.follows', 'follower_id = $1');
  perform private.erase_rows(p_user.id, 'app.follows', 'following_id = $1');
  perform private.erase_rows(p_user.id, 'private.removed_follows', 'follower_id = $1');
  perform private.erase_rows(p_user.id, 'private.removed_follows', 'following_id = $1');
  perform private.erase_rows(p_user.id, 'app.mutes', 'muter_id = $1');
  perform private.erase_rows(p_user.id, 'app.mutes', 'muted_id = $1');
  delete from app.muted_keywords where user_id = p_user.id;
  update app.reports set reason = ''   -- the row of the report remains
  where id in (select id from app.reports where reporter_id = p_user.id and reason <> '' limit 500);
  get diagnostics v_words = row_count;
  if v_words = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_videos(p_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_video_counters(p_ids);   -- this also deletes the counters
  delete from app.videos where id = any (p_ids);
end $function$;

CREATE OR REPLACE FUNCTION private.excerpt(p_body text, p_highlight tsquery)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_body    text := coalesce(left(p_body, 5000), '');
  v_from    integer := 1;
  v_part    text;
  v_excerpt text;
  v_first   text;
begin
  -- the time of ts_headline grows with the square of the length, so it gets one piece of the text at a time until
  -- there is a hit
  loop
    v_part := private.parsable(substr(v_body, v_from, 600));
    if v_from > 1 then
      v_part := regexp_replace(v_part, '^\S+\s', '');
    end if;
    if v_from + 600 <= length(v_body) then
      v_part := regexp_replace(v_part, '\s\S+$', '');
    end if;
    -- mark hits by characters that no text contains, because the text around them is not yet HTML
    v_excerpt := ts_headline('private.search', v_part, p_highlight,
      e'StartSel=\u0002, StopSel=\u0003, MaxFragments=2, MaxWords=30, MinWords=10, ShortWord=0, '
      'FragmentDelimiter=" … "');
    v_first := coalesce(v_first, v_excerpt);
    exit when strpos(v_excerpt, e'\u0002') > 0;
    v_excerpt := v_first;
    v_from := v_from + 500;   -- pieces overlap, because a phrase may cross a border
    exit when v_from + 100 > length(v_body);
  end loop;
  return replace(replace(replace(replace(replace(private.swap_punctuation(v_excerpt, true),
    '&', '&amp;'), e'\u0004', '&lt;'), e'\u0005', '&gt;'), e'\u0002', '<mark>'), e'\u0003', '</mark>');
end $function$;

CREATE OR REPLACE FUNCTION private.explain_visibility(p_viewer uuid, p_post uuid)
 RETURNS TABLE(part text, finding text, passes boolean)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_post     app.posts;
  v_required integer;
  v_rule     record;
begin
  select * into v_post from app.posts where id = p_post;
  if not found then
    return query values ('post', 'There is no such post.', false);
    return;
  end if;
  v_required := private.visibility_level(v_post.visibility);
  select * into v_rule from private.visibility(v_post.author_id, v_required, v_post.space_id, p_viewer => p_viewer);
  return query values
    ('deleted', coalesce('deleted at ' || v_post.deleted_at, 'not deleted'), v_post.deleted_at is null),
    ('ban', case when v_rule.is_silenced then 'the author is banned or erased'
                 when v_post.author_banned then 'the ban of the author has ended, but the worker has not updated the '
                   'post yet'
                 else 'the author is not banned' end,
     not v_rule.is_silenced and not v_post.author_banned),
    ('hidden', coalesce('hidden at ' || v_post.hidden_at || ', from all but the author', 'not hidden'),
     v_post.hidden_at is null or v_rule.level = 3),
    ('published', coalesce('published at ' || v_post.published_at, 'not published yet: only the author sees it'),
     v_post.published_at is not null or v_rule.level = 3),
    ('audience', format('the post requires level %s, and the viewer has %s', v_required, v_rule.level),
     v_rule.level >= v_required),
    ('space', case when v_post.space_id is null then 'in no space' else 'for members of ' || v_post.space_id end,
     v_rule.is_inside),
    ('original',
     case when v_post.format = 'repost' then 'a repost of ' || v_post.quoted_post_id else 'not a repost' end,
     v_post.format <> 'repost' or private.post_visible_to(v_post.quoted_post_id, p_viewer) is true);
end $function$;

CREATE OR REPLACE FUNCTION private.export_order(p_source private.personal_data)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_keys  text[] := array(select k.name from private.key_columns(p_source.relation) k order by k.place);
  v_order text[];
begin
  -- the shortest index that begins with the person's column and has one direction; a partial index must have exactly
  -- the rows of the section
  select o.names[2:] into v_order
  from pg_catalog.pg_index i
  cross join lateral (
    select array_agg(a.attname::text order by k.place) as names,
           coalesce(bool_and(a.attnotnull) filter (where k.place > 1), true) as full,
           count(distinct i.indoption[k.place - 1] & 1) filter (where k.place > 1) as ways
    from unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where k.place <= i.indnkeyatts) o
  where i.indrelid = p_source.relation and i.indisvalid and i.indexprs is null
    and (i.indpred is null or p_source.whose = 't.' || btrim(pg_catalog.pg_get_expr(i.indpred, i.indrelid), '()'))
    and o.names[1] = p_source.person_column and o.full and o.ways <= 1
  order by o.names @> v_keys desc, cardinality(o.names), i.indexrelid limit 1;
  return coalesce(v_order, '{}') || array(
    select k.name from unnest(v_keys) with ordinality as k (name, place)
    where k.name <> all (coalesce(v_order, '{}')) and (k.name <> p_source.person_column or cardinality(v_keys) = 1)
    order by k.place);
end $function$;

CREATE OR REPLACE FUNCTION private.export_row(p_user uuid, p_row json, p_source private.personal_data)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
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
declare
  v_times text[] := array(select attname::text from pg_catalog.pg_attribute
                          where attrelid = p_source.relation and atttypid = 'timestamptz'::regtype);
begin
  -- check all values, whatever their column, so that no column can reveal the internal id of another person
  return (
    select json_object_agg(
             private.camel_case(f.key),
             case when f.key = any (v_times) then to_json(private.utc((f.value #>> '{}')::timestamptz))
                  when u.id is null or u.id = p_user then f.value
                  when u.banned_at is null and u.erased_at is null
                   and (p_source.across_blocks or private.may_meet(private.find_level(p_user, u.id)))
                  then to_json(private.actor_id(u.username, (select domain from private.instance))) else 'null' end
             order by f.place)
    from json_each(p_row) with ordinality as f (key, value, place)
    left join app.users u
      on u.id = case when pg_input_is_valid(f.value #>> '{}', 'uuid') then (f.value #>> '{}')::uuid end
    where f.key <> all (p_source.omits));
end $function$;

CREATE OR REPLACE FUNCTION private.export_within(p_user uuid, p_source private.personal_data, p_after jsonb)
 RETURNS private.export_rows
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'on'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_section integer := coalesce((p_after ->> 'section')::integer, 1);
  v_outer   private.personal_data;
  v_names   text;
  v_places  text;
  v_keys    text;
  v_done    text;
  v_rows    json[];
  v_count   integer;
  v_last    json;
begin
  select * into v_outer from private.personal_data where section = p_source.within[v_section];
  select k.names, k.places into v_names, v_places
  from private.export_keys(v_outer.relation, 'p', private.export_order(v_outer), '($2 -> ''outer'')') k;
  select k.names, k.places into v_keys, v_done
  from private.export_keys(p_source.relation, 't', array(select c.name from private.key_columns(p_source.relation) c
                                                         order by c.place), '($2 -> ''row'')') k;
  execute format($q$
      with outer_rows as materialized (
        select p.* from %1$s p
        where p.%2$I = $1 and ($2 -> 'outer' is null
                               or case when $2 -> 'row' is null then (%3$s) > (%4$s) else (%3$s) >= (%4$s) end)
        order by %3$s limit 50
      )
      select array(
               select json_build_object('row', %11$s, 'outer', json_build_array(%3$s),
                                        'key', json_build_array(%6$s))
               from outer_rows p
               cross join lateral (
                 select t.* from (select t.* from %5$s t where %8$s %10$s) t
                 where $2 -> 'row' is null or (%3$s) <> (%4$s) or (%6$s) > (%7$s)
                 order by %6$s limit 201) t
               order by %3$s, %6$s limit 201),
             (select count(*) from outer_rows),
             (select json_build_array(%3$s) from outer_rows p order by %9$s limit 1)
      $q$,
      v_outer.relation, v_outer.person_column, v_names, v_places, p_source.relation, v_keys, v_done,
      coalesce(p_source.whose, format('t.%I = p.id', p_source.person_column)),
      replace(v_names, ',', ' desc,') || ' desc',
      -- `offset 0` makes Postgres find the rows of one outer row by an index; otherwise it might scan the rows of all
      -- people in the order of their keys. A section whose key begins with person_column does not need it.
      case when not exists (select from private.key_columns(p_source.relation) c
                            where c.place = 1 and c.name = p_source.person_column) then 'offset 0' end,
      private.export_json(p_source))
    into v_rows, v_count, v_last using p_user, p_after;
  return (
    array(select r.item -> 'row' from unnest(v_rows[:200]) with ordinality as r (item, place) order by r.place),
    case when cardinality(v_rows) > 200
         then jsonb_build_object('section', v_section, 'outer', v_rows[200] -> 'outer', 'row', v_rows[200] -> 'key')
         when v_count = 50 then jsonb_build_object('section', v_section, 'outer', v_last)
         when v_section < cardinality(p_source.within) then jsonb_build_object('section', v_section + 1)
    end)::private.export_rows;
end $function$;

CREATE OR REPLACE FUNCTION private.feed_in_time(p_choice app.feed_choice, p_cursor app.feed_cursor, p_limit integer)
 RETURNS app.feed_page
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_trending boolean := p_choice.tab = 'trending';
  v_place    app.place := ('infinity', '00000000-0000-0000-0000-000000000000')::app.place;
  v_looked   integer := 0;
  v_run      app.feed_run;
  v_sieve    app.feed_sieve := ('{}', null, p_choice.characters)::app.feed_sieve;
  v_stopped  integer;
  v_page     app.feed_page := ('{}', '{}', null, null, null)::app.feed_page;
begin
  if p_cursor.id is not null then
    v_place := (p_cursor.at, p_cursor.id)::app.place;
    if v_place.at is null then
      select case when v_trending then private.trending_at(private.find_post_time(p.id), p.trending_boost)
                  else private.find_post_time(p.id) end,
             p.id
      into v_place.at, v_place.id
      from app.posts p where p.id = p_cursor.id;
    end if;
    if v_place.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, v_place);
    v_place := v_run.next;
    v_looked := v_looked + v_run.looked;
    v_sieve := private.without_phrases(p_choice.muted_words, private.feed_chosen(p_choice, v_run.ids, false), null,
                                       v_sieve.budget);
    v_page.ids := v_page.ids || v_sieve.ids;
    if v_sieve.stopped_at is not null then   -- without_phrases never stops at the first post
      v_stopped := array_position(v_run.ids, v_sieve.stopped_at);
      v_place := (v_run.times[v_stopped - 1], v_run.ids[v_stopped - 1])::app.place;
    end if;
    if v_place.at <= p_choice.since then   -- all later places have earlier times, also for the tab trending
      v_place := null;
    end if;
    exit when v_place.at is null or cardinality(v_page.ids) > p_limit or v_looked > p_choice.entries
              or v_sieve.budget <= 0;
  end loop;
  p_limit := private.count_fitting_posts(v_page.ids, p_limit);
  v_page.size := p_limit;
  if v_place.at is not null and cardinality(v_page.ids) <= p_limit then
    v_page.next := private.place_cursor(private.feed_list(p_choice.tab), v_place.at, v_place.id);
  end if;
  v_page.parts := private.feed_why('{recency,engagement}', (
    select array_agg(array[round(extract(epoch from p.published_at) / 0.36),
                           case when v_trending then p.trending_boost * 40000 else 0 end]::bigint[] order by w.place)
    from unnest(v_page.ids[:p_limit]) with ordinality as w (id, place) join app.posts p on p.id = w.id));
  return v_page;
end $function$;

CREATE OR REPLACE FUNCTION private.feed_ranked(p_choice app.feed_choice, p_cursor app.feed_cursor, p_limit integer)
 RETURNS app.feed_page
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_until  timestamptz := 'infinity';   -- blocks from here on have been read
  v_lowest timestamptz;
  v_start  timestamptz := 'infinity';   -- the start of the cursor's block, and the score of its post
  v_score  integer;
  v_at     timestamptz;
  v_looked integer := 0;
  v_bounds timestamptz[];
  v_run    app.feed_run;
  v_more   app.feed_run;
  v_whole  integer;
  v_sieve  app.feed_sieve := ('{}', null, p_choice.characters)::app.feed_sieve;
  v_found  uuid[];
  v_last   uuid;
  v_spaces uuid[] := array(select space_id from app.space_members where user_id = app.uid() limit 1000);
  v_within app.feed_run;
  v_moves  boolean := p_cursor.opened is not null or private.has_centroid();
  v_opened text[];      -- the fingerprints of the posts at the front of the cursor's block
  v_passed integer;     -- the place of the cursor's post among them
  v_front  uuid[];      -- the posts at the front of their blocks, their nearness, and their times
  v_near   integer[];
  v_times  timestamptz[];
  v_fronts uuid[] := '{}';
  v_outs   timestamptz[] := '{}';
  v_part   integer[];   -- one row of weights per post
  v_parts  integer[] := '{}';
  v_page   app.feed_page := ('{}', '{}', null, null, null)::app.feed_page;
begin
  if p_cursor.id is not null then
    v_until := p_cursor.at;
    if v_until is null then
      v_at := private.find_post_time(p_cursor.id);
      if v_at is null then
        perform private.raise_error('cursor_unknown');
      end if;
      v_start := private.block_start(v_at);
      v_until := private.block_end(v_at);
      select s.score into v_score from private.feed_scores(array[p_cursor.id]) s;
      v_opened := array(select m[1] from regexp_matches(p_cursor.opened, '.{12}', 'g') m);
      v_passed := array_position(v_opened, private.post_fingerprint(p_cursor.id));
    end if;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, (v_until, '00000000-0000-0000-0000-000000000000')::app.place);
    v_looked := v_looked + v_run.looked;
    v_lowest := '-infinity';
    v_more := v_run;
    while (v_more.next).at is not null loop
      -- use only whole blocks: if all these posts are in one block, continue to its end
      v_lowest := private.block_end((v_more.next).at);
      exit when v_lowest < v_until;
      v_lowest := '-infinity';
      v_more := private.feed_source(p_choice, v_more.next);
      v_looked := v_looked + v_more.looked;
      v_run := (v_run.ids || v_more.ids, v_run.times || v_more.times, null, 0)::app.feed_run;
    end loop;
    if v_spaces <> '{}' then
      v_within := private.posts_within(v_spaces, v_until, v_lowest, p_choice.muted_people);
      v_looked := v_looked + v_within.looked;
      v_lowest := (v_within.next).at;
      select array_agg(m.id order by m.at desc, m.id desc), array_agg(m.at order by m.at desc, m.id desc)
      into v_run.ids, v_run.times
      from unnest(v_run.ids || v_within.ids, v_run.times || v_within.times) as m (id, at);
    end if;
    v_bounds := array(select starts_at from app.feed_blocks
                      where starts_at > v_lowest and starts_at < v_until order by starts_at);
    v_whole := (select count(*) from unnest(v_run.times) t where t >= v_lowest);
    -- feed_scores checks visibility, but texts and nearness may be read only for posts whose visibility was checked
    -- before
    v_found := private.feed_chosen(
      p_choice, v_run.ids[:v_whole], v_moves or (p_choice.muted_words).pattern is not null);
    if (p_choice.muted_words).pattern is not null then
      v_sieve := private.without_phrases(
        p_choice.muted_words, v_found,
        array(select width_bucket(w.at, v_bounds) from unnest(v_found) with ordinality as f (id, place)
              join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = f.id order by f.place),
        v_sieve.budget);
      v_found := v_sieve.ids;
      if v_sieve.stopped_at is not null then
        v_lowest := private.block_end(v_run.times[array_position(v_run.ids, v_sieve.stopped_at)]);
      end if;
    end if;
    -- the page usually ends in the block of this post; older posts get a score only if the page is not full at its end
    v_last := v_found[p_limit + 1 + (select count(*) from unnest(v_run.times) t where t >= v_start)];
    if v_last is not null then
      v_at := v_run.times[array_position(v_run.ids, v_last)];
      v_at := coalesce(v_bounds[width_bucket(v_at, v_bounds)], v_lowest);
      v_lowest := v_at;
      v_found := array(select f.id from unnest(v_found) f (id)
                       join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = f.id
                       where w.at >= v_at);
    end if;

    if not v_moves then
      select array_agg(f.id), array_agg(f.weights) into v_found, v_part
      from (select s.id, s.weights
            from private.feed_scores(v_found) s
            where s.is_listed
              and (v_score is null or s.at < v_start or (s.score, s.id) < (v_score, p_cursor.id))
            order by width_bucket(s.at, v_bounds) desc, s.score desc, s.id desc
            limit p_limit + 1) f;
    else
      select array_agg(n.id order by n.place), array_agg(n.nearness order by n.place), array_agg(n.at order by n.place)
      into v_front, v_near, v_times
      from (select r.id, r.nearness, w.at,
                   row_number() over (partition by width_bucket(w.at, v_bounds)
                                      order by r.nearness desc, r.id desc) as place
            from private.nearness(v_found) r
            join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = r.id) n
      where case when n.at < v_start then n.place <= ceil(p_limit * 0.4)
                 else private.post_fingerprint(n.id) = any (v_opened) end;
      select array_agg(f.id), array_agg(f.weights) into v_found, v_part
      from (select s.id, s.weights || coalesce(n.nearness, 0) as weights
            from private.feed_scores(v_found) s
            left join unnest(v_front, v_near) with ordinality as n (id, nearness, place) on n.id = s.id
            left join lateral (select array_position(v_opened, private.post_fingerprint(s.id)) as place
                               where s.at >= v_start and v_opened <> '{}') o on true
            where v_score is null or s.at < v_start
               or case when o.place is not null then o.place > v_passed
                       else v_passed is not null or (s.score, s.id) < (v_score, p_cursor.id) end
            order by width_bucket(s.at, v_bounds) desc, o.place, n.place, s.score desc, s.id desc
            limit p_limit + 1) f;
      v_fronts := v_fronts || v_front;
      v_outs := v_outs || v_times;
    end if;
    v_page.ids := v_page.ids || v_found;
    v_parts := v_parts || v_part;
    if v_lowest <= p_choice.since then
      v_lowest := '-infinity';
    end if;
    exit when v_lowest = '-infinity' or cardinality(v_page.ids) > p_limit or v_looked > p_choice.entries
              or v_sieve.budget <= 0;
    v_until := v_lowest;
  end loop;
  p_limit := private.count_fitting_posts(v_page.ids, p_limit);
  v_page.size := p_limit;
  if v_lowest > '-infinity' and cardinality(v_page.ids) <= p_limit then
    v_page.next := private.place_cursor(private.feed_list(null), v_lowest,
                                        '00000000-0000-0000-0000-000000000000');
  end if;
  if v_moves and cardinality(v_page.ids) > p_limit then
    v_at := private.find_post_time(v_page.ids[p_limit]);
    v_lowest := private.block_start(v_at);
    v_until := private.block_end(v_at);
    v_page.opened := case when v_lowest = v_start then p_cursor.opened else (
      select string_agg(private.post_fingerprint(u.id), '' order by u.place)
      from unnest(v_fronts, v_outs) with ordinality as u (id, at, place)
      where u.at >= v_lowest and u.at < v_until) end;
  end if;
  v_page.parts := private.feed_why(
    case when v_moves then '{engagement,depth,interest,following,circle,boost,semantic}'
         else '{engagement,depth,interest,following,circle,boost}' end::text[],
    v_parts[:p_limit][:]);
  return v_page;
end $function$;

CREATE OR REPLACE FUNCTION private.feed_scores(p_ids uuid[])
 RETURNS TABLE(id uuid, at timestamp with time zone, is_listed boolean, score integer, weights integer[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me uuid := app.uid();
begin
  return query
    select f.id, f.published_at, f.is_listed, s.plain + b.more,
           array[f.engagement, f.depth, f.interest, f.following, f.circle, b.more]
    from (
      select p.id, p.published_at,
             p.is_visible and not l.is_limited as is_listed,
             (ln(1::float8 + c.reactions + c.replies * 2 + c.shares * 3 + c.bookmarks * 2) * 10000)::integer
               as engagement,
             coalesce(10000 - 2000 * abs(coalesce(o.depth, p.depth) - i.depth), 0) as depth,
             case when i.depth is null then 0 else 10000 end as interest,
             case when f.following_id is null then 0 else 10000 end as following,
             case p.viewer_level when 1 then 5000 when 2 then 10000 else 0 end as circle,
             case when p.format <> 'repost' then c.boost else 0 end as multiplier
      from unnest(p_ids) as w (id)
      join private.posts_with_visibility p on p.id = w.id
      cross join lateral private.limited_post_for(p.author_id, p.format, p.quoted_post_id) l
      left join app.posts o on o.id = case p.format when 'repost' then p.quoted_post_id end
      join app.post_counters c on c.post_id = coalesce(o.id, p.id)
      left join app.user_interests i on i.user_id = v_me
        and i.interest_id = coalesce(o.interest_id, p.interest_id)   -- a repost has no interest
      left join app.follows f on f.follower_id = v_me and f.following_id = p.author_id) f
    cross join lateral (select f.engagement + f.depth + f.interest + f.following + f.circle as plain) s
    cross join lateral (select (s.plain * greatest(f.multiplier - 1, 0))::integer as more) b;
end $function$;

CREATE OR REPLACE FUNCTION private.feed_source(p_choice app.feed_choice, p_place app.place)
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- choose the source that returns the fewest posts that other filters drop; private.feed_chosen applies these filters
  case
    when p_choice.tab = 'trending' then return private.trending_posts(p_place, p_choice.muted_people);
    when p_choice.tab = 'following' then return private.followed_posts(p_place, p_choice.muted_people);
    when p_choice.tab = 'circles' then return private.closer_posts(p_place, '-infinity', p_choice.muted_people);
    when p_choice.interests is not null then
      return private.posts_about(p_choice.interests, p_place, p_choice.muted_people);
    when p_choice.journalism or p_choice.format <> 'note' or p_choice.min_depth > 0 then
      return private.filtered_posts(p_choice.journalism, p_choice.format,
        array(select generate_series(p_choice.min_depth, 5))::smallint[], p_place, p_choice.muted_people);
    else return private.all_posts(p_place, p_choice.muted_people);
  end case;
end $function$;

CREATE OR REPLACE FUNCTION private.fill_seats(p_event uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_free  integer;
  v_users uuid[];
begin
  -- without a capacity everybody who waits gets a seat; at most 500 people wait
  select greatest(0, coalesce(e.capacity - p.going, 500)) into v_free
  from app.events e join app.event_seats p on p.event_id = e.id
  where e.id = p_event and e.cancelled_at is null and e.ends_at > now() and p.waitlisted > 0;
  if not found or v_free = 0 then
    return;
  end if;
  v_users := array(select r.user_id from app.event_rsvps r
                   where r.event_id = p_event and r.status = 'waitlisted'
                     -- the replies of hidden people are about to be deleted
                     and not exists (select from app.hidden_people s where s.user_id = r.user_id)
                   order by r.since limit v_free);
  perform private.put_rsvp(p_event, u.id, 'going')
  from (select id from unnest(v_users) with ordinality as w (id, place) order by place) u;
  if v_users <> '{}' then
    perform private.emit('events.place.given', json_build_object('eventId', p_event, 'event', 'promoted'), v_users);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.find_access(p_type text, p_id uuid)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_access private.access := (p_type, p_id, null, false, null, null, null)::private.access;
  v_choice app.feed_choice := (
    null, null, false, null, 0, private.muted_people(), private.muted_posts(), private.find_muted_words(), 1, 200000,
    null)::app.feed_choice;
begin
  if p_type = 'post' then
    v_access.can_see := exists (select from private.visible_posts where id = p_id);
    v_access.is_listed := exists (select from private.listed_posts where id = p_id);
    v_access.is_muted := v_access.is_listed and cardinality((private.without_phrases(
      v_choice.muted_words, private.feed_chosen(v_choice, array[p_id], true), null, v_choice.characters)).ids) = 0;
    -- no feed contains things that only their author sees
    v_access.is_shown := v_access.is_listed and not v_access.is_muted
      and exists (select from app.posts where id = p_id and required_level <= 2);
  elsif p_type = 'reply' then
    v_access.can_see := exists (select from private.visible_replies where id = p_id);
  elsif p_type = 'content' then
    v_access.can_see := exists (select from private.visible_contents where id = p_id)
                     or exists (select from private.visible_courses where id = p_id);
    v_access.is_listed := exists (select from private.listed_contents where id = p_id);
    v_access.is_shown := v_access.is_listed
      and exists (select from app.contents where id = p_id and not is_draft and removed_at is null);
  elsif p_type = 'conversation' then
    v_access.can_see := exists (select from app.conversation_members
                                where conversation_id = p_id and user_id = app.uid());
  else
    v_access.can_see := (select v.is_inside from private.visibility(app.uid(), 0, p_id) v);
  end if;
  return v_access;
end $function$;

CREATE OR REPLACE FUNCTION private.find_active_contribution(p_user uuid, p_kind text, p_source uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- read only the newest entry, as private.find_active_reputation does
  return (select case when e.undoes_id is null then e.id end
          from app.contribution_entries e
          where e.user_id = p_user and e.source_id = p_source and e.kind = p_kind and e.level = 0
          order by e.position desc limit 1);
end $function$;

CREATE OR REPLACE FUNCTION private.find_active_reputation(p_user uuid, p_kind text, p_source uuid, p_from uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- read only the newest entry, so that repeated liking and unliking doesn't make this slower
  return (select case when e.undoes_id is null then e.id end
          from app.reputation_entries e
          where e.user_id = p_user and e.source_id = p_source
            and coalesce(e.earned_from, e.user_id) = coalesce(p_from, p_user)
            and e.kind = p_kind and e.roll_up_level = 0
          order by e.position desc limit 1);
end $function$;

CREATE OR REPLACE FUNCTION private.find_arguments(p_debate uuid, p_parent uuid, p_side text, p_top boolean, p_from app.rank_place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_votes  integer := p_from.rank;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  -- exactly one of the first four branches applies; the last two find the caller's own removed arguments. Each branch
  -- repeats required_level, so that its index matches. The branches that sort by time first sort by the debate or the
  -- parent; otherwise Postgres might scan the primary key, with the arguments of all debates
  with looked as materialized (
    select w.votes, w.id from (
      (select votes, id from app.debate_arguments
       where p_parent is null and p_top
         and debate_id = p_debate and required_level = 0 and (votes, id) < (v_votes, v_before)
       order by votes desc, id desc limit 400)
      union all
      (select 0, id from app.debate_arguments
       where p_parent is null and not p_top
         and debate_id >= p_debate and required_level = 0 and (debate_id, id) < (p_debate, v_before)
       order by debate_id desc, id desc limit 400)
      union all
      (select votes, id from app.debate_arguments
       where p_parent is not null and p_top
         and parent_id = p_parent and required_level = 0 and (votes, id) < (v_votes, v_before)
       order by votes desc, id desc limit 400)
      union all
      (select 0, id from app.debate_arguments
       where p_parent is not null and not p_top
         and parent_id >= p_parent and required_level = 0 and (parent_id, id) < (p_parent, v_before)
       order by parent_id desc, id desc limit 400)
      union all
      (select votes, id from app.debate_arguments
       where p_top and debate_id = p_debate and author_id = v_me and required_level = 3
         and (p_parent is null or parent_id = p_parent) and (votes, id) < (v_votes, v_before)
       order by votes desc, id desc limit 400)
      union all
      (select 0, id from app.debate_arguments
       where not p_top and debate_id = p_debate and author_id = v_me and required_level = 3
         and (p_parent is null or parent_id = p_parent) and id < v_before
       order by debate_id desc, author_id desc, id desc limit 400)) w
    order by w.votes desc, w.id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from private.visible_arguments v where v.id = l.id offset 0) a
      where p_side is null or a.side = p_side
      order by l.votes desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.seal_cursor(private.argument_list(p_debate, p_parent, p_top), l.votes, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_attendees(p_event uuid, p_status text, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_list   text := concat_ws(' ', 'attendees', p_event, p_status);
  v_place  app.place := private.page_start(v_list, p_cursor, true);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_after  uuid := v_place.id;
  v_found  app.found;
begin
  with looked as materialized (
    select since as at, user_id as id from app.event_rsvps
    where event_id = p_event and status = p_status and (since, user_id) > (v_from, v_after)
    order by since, user_id limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people v on v.id = l.id
                 order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_by_words(p_query private.search_query, p_type text, p_cursor text)
 RETURNS private.search_page
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_before   bigint := 9223372036854775000;
  v_low      bigint;
  v_each     integer;
  v_cursor   private.search_documents;
  v_rank     real := 'infinity';
  v_types    text[] := array(select t.type from private.search_types t
                             where t.type <> 'person' and (p_type is null or t.type = p_type));
  v_leads    private.search_lead[];
  v_people   private.search_run;
  v_looked   integer := 0;
  v_run      private.search_run;
  v_page     private.search_page;
begin
  if strpos(p_cursor, ':') = 0 then
    v_before := (private.open_cursor('search', p_cursor)).rank;
    if v_before is null then
      perform private.raise_error('cursor_unknown');
    end if;
  elsif p_cursor is not null then
    v_cursor := private.require_search_cursor(
      split_part(p_cursor, ':', 1), substr(p_cursor, strpos(p_cursor, ':') + 1));
    v_before := (v_cursor.number / 500 + 1) * 500;
  end if;
  if p_query.query is null then
    return v_page;   -- without a word nothing is found
  end if;
  if coalesce(p_type, 'person') = 'person' and p_query.interests is null then
    select array_agg(d.type), array_agg(d.id), array_agg(d.number), array_agg(n.likeness)
    into v_people.types, v_people.ids, v_people.numbers, v_people.ranks
    from private.find_names(p_query.said) n
    cross join lateral (select o.* from private.search_documents o
                        where o.type = 'person' and o.id = n.id offset 0) d
    where d.number < v_before and d.gone_at is null
      -- a search over all types finds only very similar names
      and (p_type = 'person' or n.likeness >= 0.5)
      and (p_query.without is null or not d.words @@ p_query.without);
  end if;
  -- otherwise the page begins with the whole block again
  if v_cursor.number is not null and v_cursor.gone_at is null then
    v_rank := case v_cursor.type
      when 'person' then (select u.rank from unnest(v_people.ids, v_people.ranks) as u (id, rank)
                          where u.id = v_cursor.id)
      else ts_rank(coalesce(v_cursor.ranked, v_cursor.words), p_query.ranking) end;
    v_rank := coalesce(v_rank, 'infinity');
  end if;
  v_leads := private.search_leads(private.search_scopes(v_types), p_query.words, v_before);
  v_each := greatest(2, least(100, 400 / greatest(cardinality(v_leads), 1)));
  loop
    -- read whole blocks, down to the position at which the longest list has v_each entries
    select max(n.number) into v_low
    from unnest(v_leads) l
    cross join lateral (
      select s.number from private.search_words s
      where s.scope = l.scope and s.word = l.word and s.number < v_before
      order by s.number desc offset v_each - 1 limit 1) n;
    v_looked := v_looked + v_each * cardinality(v_leads);
    if v_low is null then
      v_low := 0;
    else
      v_low := (v_low / 500 + 1) * 500;
      if v_low >= v_before then
        v_low := (v_before - 1) / 500 * 500;
        v_looked := v_looked + 500;
      end if;
    end if;
    v_run := private.search_blocks(p_query, v_types, v_leads, v_people, v_low, v_before);
    if v_rank < 'infinity' then
      select array_agg(u.type), array_agg(u.id), array_agg(u.number), array_agg(u.rank)
      into v_run.types, v_run.ids, v_run.numbers, v_run.ranks
      from unnest(v_run.types, v_run.ids, v_run.numbers, v_run.ranks) with ordinality
        as u (type, id, number, rank, place)
      where u.number / 500 < v_cursor.number / 500 or (u.rank, u.number) < (v_rank, v_cursor.number);
    end if;
    v_page.run := ((v_page.run).types || (v_run.types)[:51], (v_page.run).ids || (v_run.ids)[:51],
                    null, null)::private.search_run;
    v_before := v_low;
    exit when v_low = 0 or cardinality((v_page.run).ids) > 50 or v_looked >= 1200;
  end loop;
  if v_low > 0 and coalesce(cardinality((v_page.run).ids), 0) < 51 then
    v_page.next := private.seal_cursor('search', v_low, '00000000-0000-0000-0000-000000000000');
  end if;
  return v_page;
end $function$;

CREATE OR REPLACE FUNCTION private.find_candidates(p_intent text, p_interest uuid, p_country text, p_city text, p_min_shared integer, p_after app.connection_intents)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := app.uid();
  v_mine   uuid[] := private.chosen_interests();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city   text := private.fold_query(p_city);
  v_after  uuid := (p_after).user_id;
  v_shared integer := private.count_shared(v_mine, v_after);
  v_at     timestamptz := (p_after).created_at;
begin
  return array(
    select s.id
    from (
      select b.id, b.placed_at, private.count_shared(v_mine, b.id) as shared
      from (
        select m.id, m.placed_at
        from (select t.user_id as id, t.placed_at, count(t.interest_id) as found
              from (select * from private.match_by_interest(
                      p_intent, case when p_interest is null then v_mine
                                     when p_interest = any (v_mine) then array[p_interest] else '{}' end)
                    union all
                    (select user_id, null, created_at from app.connection_intents
                     where p_min_shared < 1 and p_interest is null and intent = p_intent
                       and is_active and not hidden
                     order by created_at, user_id limit 4000)) t
              where t.user_id <> v_me
              group by t.user_id, t.placed_at
              -- sort here, so that only the best people are looked up
              order by count(t.interest_id) desc, t.placed_at, t.user_id offset 0) m
        join private.listed_people p on p.id = m.id
        cross join lateral (select * from app.users where id = m.id offset 0) u   -- look up by id, without a scan
        where (v_country is null or u.country = v_country)
          and (v_city is null or private.fold(u.city) = v_city)
        order by m.found desc, m.placed_at, m.id limit 400) b) s
    where s.shared >= p_min_shared
      and (v_after is null or (-s.shared, s.placed_at, s.id) > (-v_shared, v_at, v_after))
    order by s.shared desc, s.placed_at, s.id limit 51);
end $function$;

CREATE OR REPLACE FUNCTION private.find_changed_messages(p_conversation uuid, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_caller uuid := private.require_caller();
  v_direct boolean := private.is_direct(p_conversation);
  v_found  app.found;
begin
  with looked as materialized (
    select m.changed_at as at, m.id, m.number, m.sender_id from app.messages m
    where m.conversation_id = p_conversation and m.changed_at is not null and (m.changed_at, m.id) > (v_from, v_before)
    order by m.changed_at, m.id limit 400
  ), seen as materialized (
    select array(select l.id from looked l
                 where private.may_read_of(v_direct, v_caller, l.sender_id)
                   and private.in_span(p_conversation, l.number)
                 order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('changed messages ' || p_conversation, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_changes(p_after text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from    app.place := private.page_start('changes', p_after);
  v_at      timestamptz := v_from.at;   -- plain variables, so that the planner can use the index
  v_id      uuid := v_from.id;
  -- a change that was noted earlier may not be committed yet
  v_settled timestamptz := clock_timestamp() - interval '10 seconds';
  v_sources text[];
  v_ids     uuid[];
  v_levels  smallint[];
  v_times   timestamptz[];
  v_next    app.place;
  v_finder  record;
  v_some    app.change[];
  v_found   app.change[] := '{}';
begin
  if v_at < now() - interval '30 days' then
    perform private.raise_error('sync_too_old');
  end if;
  select array_agg(c.source), array_agg(c.thing_id), array_agg(c.level), array_agg(c.changed_at)
  into v_sources, v_ids, v_levels, v_times
  from (select source, thing_id, level, changed_at from private.changes
        where (changed_at, thing_id) > (v_at, v_id)
        order by changed_at, thing_id limit 400) c;
  v_next := case when v_times[400] < v_settled then (v_times[400], v_ids[400])::app.place
                 else greatest((v_settled, '00000000-0000-0000-0000-000000000000')::app.place, v_from) end;
  for v_finder in
    select s.finder, c.ids, c.levels
    from private.change_sources s
    cross join lateral (
      select array_agg(u.id order by u.place) as ids, array_agg(u.level order by u.place) as levels
      from unnest(v_sources, v_ids, v_levels) with ordinality as u (source, id, level, place)
      where u.source = s.source) c
    where c.ids is not null
    order by s.source
  loop
    execute format('select array_agg(f) from %s($1, $2) f', v_finder.finder) into v_some
      using v_finder.ids, v_finder.levels;
    v_found := v_found || v_some;
  end loop;
  return json_build_object(
    'items', coalesce((
      select json_agg(json_build_object('type', f.type, 'id', f.id, 'gone', f.gone) order by f.place)
      from (select u.type, u.id, u.gone, max(array_position(v_ids, u.id)) as place
            from unnest(v_found) u group by u.type, u.id, u.gone) f), '[]'),
    'nextCursor', private.place_cursor('changes', v_next.at, v_next.id),
    'hasMore', coalesce(v_times[400] < v_settled, false));
end $function$;

CREATE OR REPLACE FUNCTION private.find_contents(p_kind text, p_from app.place, p_space uuid, p_author uuid, p_interests uuid[], p_words text[], p_filters jsonb DEFAULT NULL::jsonb, p_sort text DEFAULT NULL::text, p_up boolean DEFAULT false, p_past integer DEFAULT 0, p_end timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me    uuid := private.require_caller();
  v_most  integer := 400 + p_past;
  v_each  integer := greatest(4, least(v_most, 4000 / greatest(1, cardinality(p_interests))));
  v_way   text := case when p_up then 'asc' else 'desc' end;
  v_walk  text;   -- the read of an index, with a placeholder for the condition of the index
  v_open  text;   -- what everybody sees, or every member of the space
  v_own   text;   -- what only the caller sees
  v_taken boolean := p_sort is null and num_nonnulls(p_space, p_author) = 0 and p_interests is not null;
  v_list  text := private.content_list(p_kind, p_sort, p_space);
  v_end   timestamptz := coalesce(p_end, case when p_up then 'infinity' else '-infinity' end::timestamptz);
  v_found app.found;
begin
  if p_sort is null then
    v_walk := '(select created_at as at, id from app.contents
                where kind = $1 and (created_at, id) < ($2, $3) and %s
                order by created_at desc, id desc limit $4)';
  else
    v_walk := format('(select at, content_id as id from private.content_places
                       where sort = $13 and (at, content_id) %1$s ($2, $3) and at %3$s $15 and %%s
                       order by at %2$s, content_id %2$s limit $4)',
                     case when p_up then '>' else '<' end, v_way, case when p_up then '<=' else '>=' end);
  end if;
  v_open := case
    when v_taken then '(select at, id from taken)'
    when p_space is not null then format(v_walk, 'space_id = $5 and space_id is not null and required_level = 0')
    when p_author is not null then format(v_walk, 'author_id = $6 and space_id is null and required_level = 0')
    else format(v_walk, 'space_id is null and required_level = 0') end;
  v_own := case when coalesce(p_author, v_me) = v_me
                then 'union all ' || format(v_walk, 'author_id = $12 and required_level = 3') end;
  -- Take the next contents of each interest. If an interest has more, these may be newer than some contents of the
  -- other interests, so the page ends at the last content taken from this interest.
  execute format($q$
    with taken as materialized (
      select e.at, e.id, e.place
      from unnest($7) n (interest_id)
      cross join lateral (
        select w.at, w.id, row_number() over () as place
        from (select created_at as at, id from app.contents
              where interest_id = n.interest_id and kind = $1 and required_level = 0 and space_id is null
                and (created_at, id) < ($2, $3)
              order by created_at desc, id desc limit $10) w) e
    ), cut as materialized (
      select at, id from taken where place = $10 order by at desc, id desc limit 1
    ), looked as materialized (
      select w.at, w.id from (%1$s %2$s) w %3$s order by w.at %4$s, w.id %4$s limit $4
    ), seen as materialized (
      select array(select l.id from looked l
                   -- look up by id, because the plan might otherwise start with all contents of the author or of the
                   -- interest
                   cross join lateral (select * from private.%7$I v where v.id = l.id offset 0) c
                   where c.space_id is not distinct from $5 %5$s
                   order by l.at %4$s, l.id %4$s offset $11 limit 51) as ids
    )
    select s.ids, case when cardinality(s.ids) < 51
                       then coalesce((select private.place_cursor($14, l.at, l.id)
                                      from (select * from looked offset $4 - 1 limit 1) l) %6$s) end
    from seen s $q$,
    v_open, v_own,
    case when v_taken then 'left join cut c on true where c.at is null or (w.at, w.id) >= (c.at, c.id)' end,
    v_way,
    concat(
      case when p_author is not null then ' and c.author_id = $6' end,
      case when p_interests is not null then ' and c.interest_id = any ($7)' end,
      case when p_words is not null then ' and $8 <@ tsvector_to_array(c.words)' end,
      case when p_filters is not null then format(' and %s(c.id, $9)', (
        select filter from private.content_kinds where kind = p_kind)) end),
    case when v_taken then ', (select private.place_cursor($14, c.at, c.id) from cut c)' end,
    -- a limit does not apply to an author or a space that the caller named
    case when num_nonnulls(p_space, p_author) = 0 then 'listed_contents' else 'visible_contents' end)
  into v_found
  using p_kind, p_from.at, p_from.id, v_most, p_space, p_author, p_interests, p_words, p_filters, v_each, p_past,
        v_me, p_sort, v_list, v_end;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_conversations(p_kind text, p_unread boolean, p_q text, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_caller uuid := private.require_caller();
  v_words  text := private.fold_query(p_q);
  v_looks  integer := 400;
  v_weight integer := 10000;   -- the number of messages and members that this call may read
  v_ids    uuid[] := '{}';
  v_member record;
  v_one    app.conversations;
  v_fits   boolean;
begin
  for v_member in
    select m.conversation_id as id, m.latest_at as at, m.last_read_number as read
    from app.conversation_members m
    where m.user_id = v_caller and (m.latest_at, m.conversation_id) < (v_from, v_before)
    order by m.latest_at desc, m.conversation_id desc limit 400
  loop
    v_looks := v_looks - 1;
    select * into v_one from app.conversations c where c.id = v_member.id;
    v_fits := p_kind is null or v_one.kind = p_kind;
    if v_fits and p_unread then
      v_weight := v_weight - least(500, v_one.last_number - v_member.read);
      v_fits := v_one.last_number > v_member.read and private.count_unread_messages(v_one.id, 1) > 0;
    end if;
    if v_fits and v_words is not null then
      v_weight := v_weight - 50;
      v_fits := private.is_conversation_named(v_one, v_words);
    end if;
    if v_fits then
      v_ids := v_ids || v_one.id;
      exit when cardinality(v_ids) = 51;
    end if;
    if v_looks = 0 or v_weight <= 0 then
      return (v_ids, private.place_cursor('conversations', v_member.at, v_member.id))::app.found;
    end if;
  end loop;
  return (v_ids, null)::app.found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_invitations(p_circle uuid, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := app.uid();
  v_list   text := concat_ws(' ', 'circle invitations', p_circle);
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, id into v_from, v_before
    from app.circle_invitations where id = v_place.id and v_me in (inviter_id, invitee_id);
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  -- exactly one of these two branches applies
  with looked as materialized (
    select * from (
      (select created_at as at, id, invitee_id as other from app.circle_invitations
       where p_circle is not null and circle_id = p_circle and inviter_id = v_me and status = 'pending'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, inviter_id from app.circle_invitations
       where p_circle is null and invitee_id = v_me and status = 'pending' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people o on o.id = l.other
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_invited(p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.require_place('invited', p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, code_id into v_from, v_before
    from app.invite_tree where code_id = v_place.id and inviter_id = v_me;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    select t.created_at as at, t.code_id as id, t.invitee_id
    from app.invite_tree t
    where t.inviter_id = v_me and (t.created_at, t.code_id) < (v_from, v_before)
    order by t.created_at desc, t.code_id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.invitee_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('invited', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_mentors(p_interests uuid[], p_gap integer, p_after app.connection_intents)
 RETURNS TABLE(id uuid, gap integer, interest_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me    uuid := app.uid();
  v_after uuid := (p_after).user_id;
  v_at    timestamptz := (p_after).created_at;
  -- The gap is 5 if the person of the cursor no longer qualifies. Then people may be listed twice, but nobody is left
  -- out.
  v_gap   integer := (select coalesce(max(t.expertise - m.expertise), 5)
                      from app.user_interests m
                      join app.user_interests t on t.user_id = v_after and t.interest_id = m.interest_id
                      where m.user_id = v_me and m.interest_id = any (p_interests)
                        and t.expertise - m.expertise >= p_gap);
begin
  return query
  select b.id, b.gap, b.interest_id
  from (select m.user_id as id, m.placed_at, max(t.expertise - c.expertise)::integer as gap,
               (array_agg(m.interest_id order by t.expertise - c.expertise desc, m.interest_id))[1] as interest_id
        from private.match_by_interest('mentor', p_interests) m
        join app.user_interests c on c.user_id = v_me and c.interest_id = m.interest_id
        join app.user_interests t on t.user_id = m.user_id and t.interest_id = m.interest_id
        where m.user_id <> v_me and t.expertise - c.expertise >= p_gap
        group by m.user_id, m.placed_at) b
  join private.listed_people p on p.id = b.id
  where v_after is null or (-b.gap, b.placed_at, b.id) > (-v_gap, v_at, v_after)
  order by b.gap desc, b.placed_at, b.id limit 51;
end $function$;

CREATE OR REPLACE FUNCTION private.find_my_courses(p_role text, p_cursor text)
 RETURNS app.listing
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.page_start('my courses', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.listing;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.contents
       where p_role is distinct from 'student' and author_id = v_me and kind = 'course'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, course_id from app.course_enrolments
       where p_role is distinct from 'author' and user_id = v_me and (created_at, course_id) < (v_from, v_before)
       order by created_at desc, course_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l
    cross join lateral (select from private.visible_courses where id = l.id offset 0) c   -- looks up one id at a time
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc),
         array(select private.place_cursor('my courses', at, id) from seen order by at desc, id desc),
         case when (select count(*) from seen) < 51
              then (select private.place_cursor('my courses', l.at, l.id)
                    from (select * from looked offset 399 limit 1) l) end
  into v_found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_my_events(p_role text, p_cursor text)
 RETURNS app.listing
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.page_start('my events', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.listing;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.contents
       where p_role is distinct from 'going' and author_id = v_me and kind = 'event'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select since, event_id from app.event_rsvps
       where p_role is distinct from 'hosting' and user_id = v_me and status = 'going'
         and (p_role = 'going' or host_id <> v_me) and (since, event_id) < (v_from, v_before)
       order by since desc, event_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l join private.visible_contents c on c.id = l.id
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc),
         array(select private.place_cursor('my events', at, id) from seen order by at desc, id desc),
         case when (select count(*) from seen) < 51
              then (select private.place_cursor('my events', l.at, l.id)
                    from (select * from looked offset 399 limit 1) l) end
  into v_found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_my_projects(p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.require_place('my projects', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    v_place := private.content_place(v_place.id, 'project');
    v_from := v_place.at;
    v_before := v_place.id;
    if v_from is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.contents
       where author_id = v_me and kind = 'project' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select made_at, project_id from app.project_members
       where user_id = v_me and (made_at, project_id) < (v_from, v_before)
       order by made_at desc, project_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l
                 cross join lateral (select * from private.visible_contents v where v.id = l.id offset 0) c
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('my projects', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_names(p_q text)
 RETURNS TABLE(id uuid, at timestamp with time zone, likeness real)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_q        text := private.fold(left(p_q, 100));
  v_trigrams text[] := extensions.show_trgm(v_q);
  v_each     integer := greatest(40, 4000 / greatest(cardinality(v_trigrams), 1));
begin
  return query
  select l.id, l.at, l.likeness
  from (select f.user_id as id, f.joined_at as at,
               extensions.word_similarity(v_q, private.full_name(u.first_name, u.last_name, u.username)) as likeness
        from (select t.user_id, t.joined_at
              from unnest(v_trigrams) g (trigram)
              cross join lateral (
                select n.user_id, n.joined_at from private.name_trigrams n
                where n.trigram = g.trigram
                order by n.joined_at desc, n.user_id desc limit v_each) t
              group by t.user_id, t.joined_at
              having count(*) >= least(2, cardinality(v_trigrams))) f
        join private.listed_people p on p.id = f.user_id
        -- look up by id, without a scan
        cross join lateral (select o.* from app.users o where o.id = f.user_id offset 0) u) l
  where l.likeness >= 0.32;   -- the similarity of "crala" and "carla", which share two of six trigrams
end $function$;

CREATE OR REPLACE FUNCTION private.find_orders(p_role text, p_state text, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE
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
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select l.at, l.id, l.state
    from ((select created_at as at, id, state from app.orders
           where buyer_id = v_me and p_role is distinct from 'seller' and (created_at, id) < (v_from, v_before)
           order by created_at desc, id desc limit 400)
          union all
          (select created_at, id, state from app.orders
           where seller_id = v_me and p_role is distinct from 'buyer' and (created_at, id) < (v_from, v_before)
           order by created_at desc, id desc limit 400)) l
    order by l.at desc, l.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l where p_state is null or l.state = p_state
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('orders', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_own_requests(p_kind text, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.require_place('own requests', p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.space_requests where id = v_place.id and user_id = v_me;
  end if;
  if v_from is null then
    perform private.raise_error('cursor_unknown');
  end if;
  with looked as materialized (
    select created_at as at, id, space_id from app.space_requests
    where user_id = v_me and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join app.spaces s on s.id = l.space_id and s.kind = p_kind
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('own requests', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_pending(p_kind text, p_space uuid, p_requests boolean, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_list   text := concat_ws(' ', case when p_requests then 'requests' else 'invitations' end, p_space);
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null and p_requests then
    select created_at, id into v_from, v_before from app.space_requests where id = v_place.id and space_id = p_space;
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.space_invitations
    where id = v_place.id and case when p_space is null then invitee_id = v_me else space_id = p_space end;
  end if;
  if v_from is null then
    perform private.raise_error('cursor_unknown');
  end if;
  -- exactly one of these three branches applies
  with looked as materialized (
    select * from (
      (select created_at as at, id, user_id as other, user_id as another from app.space_requests
       where p_requests and space_id = p_space and status = 'pending' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, invitee_id, inviter_id from app.space_invitations
       where not p_requests and p_space is not null and space_id = p_space and status = 'pending'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, inviter_id, inviter_id from app.space_invitations
       where not p_requests and p_space is null and invitee_id = v_me and status = 'pending'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l
                 join private.visible_people o on o.id = l.other join private.visible_people a on a.id = l.another
                 where p_requests
                    or (select private.may_invite(s.id, i.inviter_id) and s.kind = p_kind
                        from app.space_invitations i join app.spaces s on s.id = i.space_id
                        where i.id = l.id)
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_people(p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select created_at as at, id from app.users
    where banned_at is null and erased_at is null and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.listed_people p on p.id = l.id
                 where l.id <> v_me order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('people', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_person_place(p_cursor text)
 RETURNS app.place
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_person(p_cursor);
  v_place  app.place := private.cursor_place('people', p_cursor);
begin
  if p_cursor is null then
    return ('infinity', app.uid())::app.place;   -- no row has this time, so any id works
  elsif v_place.at is null and private.may_meet(private.find_level(app.uid(), v_person)) then
    select created_at, id into v_place from app.users where id = v_person;
  end if;
  if v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $function$;

CREATE OR REPLACE FUNCTION private.find_posts_by(p_author uuid, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_near   boolean := exists (select from app.audience where viewer_id = v_me and author_id = p_author and level > 0)
    -- includes spaces that the author has left
    or exists (select from app.space_members m
               cross join lateral (select from app.posts p
                                   where p.space_id = m.space_id and p.author_id = p_author
                                     and p.required_level = 0 and p.space_id is not null limit 1) o
               where m.user_id = v_me);
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  -- exactly one of these two branches applies. The branch for strangers need not scan posts that are for circles, in
  -- groups, hidden or deleted, so that these never make a profile look empty
  with looked as materialized (
    select * from (
      (select p.published_at as at, p.id
       from app.posts p
       where v_near and p.author_id = p_author and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)
      union all
      (select p.published_at, p.id
       from app.posts p
       where not v_near and p.author_id = p_author and p.required_level = 0 and p.space_id is null
         and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_posts p on p.id = l.id
                 where p.pinned_at is null
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('posts by ' || p_author, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_project_applications(p_project uuid, p_status text, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_list   text := 'project applications ' || p_project;
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := p_project;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.project_applications
    where id = v_place.id and project_id = p_project;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    -- exactly one of the two branches, with or without a status, returns rows
    select * from (
      (select created_at as at, id, user_id from app.project_applications
       where p_status is null and project_id = p_project and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, user_id from app.project_applications
       where p_status is not null and project_id = p_project and status = p_status
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.user_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_project_updates(p_project uuid, p_cursor uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := 'infinity';   -- plain variables, so that the planner can use the index
  v_before uuid := p_project;   -- no row has this time, so any id works
begin
  if p_cursor is not null then
    select created_at, id into v_from, v_before from app.project_updates
    where id = p_cursor and project_id = p_project;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  return array(select id from app.project_updates
               where project_id = p_project and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 51);
end $function$;

CREATE OR REPLACE FUNCTION private.find_proposals(p_guild uuid, p_status text, p_from app.place)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
begin
  if p_status is null then
    return array(select id from app.guild_proposals
                 where guild_id = p_guild and (created_at, id) < (v_from, v_before)
                 order by created_at desc, id desc limit 51);
  end if;
  return array(select id from app.guild_proposals
               where guild_id = p_guild and status = p_status and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 51);
end $function$;

CREATE OR REPLACE FUNCTION private.find_received_message(p_id uuid)
 RETURNS app.messages
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_message app.messages;
begin
  select m.* into v_message from app.messages m
  where m.id = p_id and private.in_span(m.conversation_id, m.number)
    -- a block hides a message in a group from the caller only if the block existed when the message was sent
    and (private.is_direct(m.conversation_id)
         or not exists (select from app.blocks b
                        where (b.blocker_id, b.blocked_id) in ((app.uid(), m.sender_id), (m.sender_id, app.uid()))
                          and b.created_at < m.created_at));
  return v_message;
end $function$;

CREATE OR REPLACE FUNCTION private.find_replies(p_post uuid, p_parent uuid, p_kind text, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me    uuid := app.uid();
  v_from  timestamptz := p_from.at;
  v_after uuid := p_from.id;
  v_found app.found;
begin
  -- exactly one of the first four branches applies; the last branch finds the caller's own hidden replies. Each branch
  -- repeats required_level, so that it can use its index
  with looked as materialized (
    select w.at, w.id, w.author_id, w.required_level from (
      (select created_at as at, id, author_id, required_level from app.replies
       where p_parent is null and p_kind is null
         and post_id = p_post and required_level = 0 and (created_at, id) > (v_from, v_after)
       order by created_at, id limit 400)
      union all
      (select created_at, id, author_id, required_level from app.replies
       where p_parent is null and p_kind is not null
         and post_id = p_post and kind = p_kind and required_level = 0 and (created_at, id) > (v_from, v_after)
       order by created_at, id limit 400)
      union all
      (select created_at, id, author_id, required_level from app.replies
       where p_parent is not null and p_kind is null
         and parent_id = p_parent and required_level = 0 and (created_at, id) > (v_from, v_after)
       order by created_at, id limit 400)
      union all
      (select created_at, id, author_id, required_level from app.replies
       where p_parent is not null and p_kind is not null
         and parent_id = p_parent and kind = p_kind and required_level = 0
         and (created_at, id) > (v_from, v_after)
       order by created_at, id limit 400)
      union all
      (select created_at, id, author_id, required_level from app.replies
       where post_id = p_post and author_id = v_me and required_level = 3 and (created_at, id) > (v_from, v_after)
         and (p_parent is null or parent_id = p_parent) and (p_kind is null or kind = p_kind)
       order by created_at, id limit 400)) w
    order by w.at, w.id limit 400
  ), seen as materialized (
    select array(
      select l.id
      from looked l
      cross join lateral private.visibility(l.author_id, l.required_level) v
      where v.is_visible
      order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('replies ' || p_post, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_reviews(p_offering uuid, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.offering_reviews
       where offering_id = p_offering and removed_at is null and not author_hidden
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id from app.offering_reviews
       where offering_id = p_offering and author_id = v_me and removed_at is not null
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_reviews r on r.id = l.id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('reviews ' || p_offering, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_solutions(p_problem uuid, p_from app.rank_place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_rank   integer := p_from.rank;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select w.rank, w.id from (
      (select rank, id from app.problem_solutions
       where problem_id = p_problem and required_level = 0 and (rank, id) < (v_rank, v_before)
       order by rank desc, id desc limit 400)
      union all
      (select rank, id from app.problem_solutions
       where problem_id = p_problem and author_id = v_me and required_level = 3 and (rank, id) < (v_rank, v_before)
       order by rank desc, id desc limit 400)) w
    order by w.rank desc, w.id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from private.visible_solutions v where v.id = l.id offset 0) s
      order by l.rank desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.seal_cursor('solutions ' || p_problem, l.rank, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_space_posts(p_space uuid, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := private.require_caller();
  v_list   text := 'space posts ' || p_space;
  v_place  app.place := ('infinity', p_space)::app.place;   -- no row has this time, so any id works
  v_from   timestamptz;
  v_before uuid;
  v_found  app.found;
begin
  if private.find_role(p_space, v_me) is null then
    perform private.raise_error('space_not_member');
  end if;
  if p_cursor is not null then
    v_place := private.require_place(v_list, p_cursor);
    v_place.at := coalesce(v_place.at, (select private.find_post_time(p.id) from app.posts p
                                        where p.id = v_place.id and p.space_id = p_space));
    if v_place.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_from := v_place.at;   -- plain variables, so that the planner can use the index
  v_before := v_place.id;
  with looked as materialized (
    select w.at, w.id from (
      (select p.published_at as at, p.id from app.posts p
       where p.space_id = p_space and p.space_id is not null and p.required_level = 0
         and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)
      union all
      (select p.published_at, p.id from app.posts p
       where p.space_id = p_space and p.space_id is not null and p.author_id = v_me and p.required_level = 3
         and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_posts p on p.id = l.id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_spaces(p_kind text, p_mine boolean, p_words text[], p_interests uuid[], p_policy text, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.spaces
       where not p_mine and kind = p_kind and visibility = 'public' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union
      (select made_at, space_id from app.space_members
       where user_id = v_me and (made_at, space_id) < (v_from, v_before)
       order by made_at desc, space_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from app.spaces where id = l.id offset 0) s   -- look up by id, not by kind
      where s.kind = p_kind
        and (p_words is null or p_words <@ tsvector_to_array(s.words))
        and (p_interests is null or s.interest_id = any (p_interests))
        and (p_policy is null or s.join_policy = p_policy)
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(case when p_mine then 'my spaces' else 'spaces' end, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_staff_conversations(p_kind text, p_since timestamp with time zone, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_found  app.found;
begin
  with looked as materialized (
    select c.created_at as at, c.id, c.kind from app.conversations c
    where c.created_at >= v_since and (c.created_at, c.id) < (v_from, v_before)
    order by c.created_at desc, c.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l where p_kind is null or l.kind = p_kind
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('all conversations', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_staff_orders(p_state text, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select o.created_at as at, o.id, o.state from app.orders o
    where (o.created_at, o.id) < (v_from, v_before)
    order by o.created_at desc, o.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l where p_state is null or l.state = p_state
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('all orders', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_staff_payments(p_user uuid, p_q text, p_since timestamp with time zone, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_q      text := lower(p_q);
  v_found  app.found;
begin
  -- either the first of the three branches runs, or the other two
  with looked as materialized (
    select * from (
      (select created_at as at, id from app.payments
       where p_user is null and created_at >= v_since and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id from app.payments
       where sender_id = p_user and created_at >= v_since and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, payment_id from app.payment_splits
       where receiver_id = p_user and created_at >= v_since and (created_at, payment_id) < (v_from, v_before)
       order by created_at desc, payment_id desc limit 400)) w
    order by at desc, id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      where v_q is null or (
        select strpos(lower(concat_ws(' ', sender.username, receiver.username, p.emotion)), v_q)
        from app.payments p
        join app.users sender on sender.id = p.sender_id
        join app.users receiver on receiver.id = p.receiver_id
        where p.id = l.id) > 0
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select l.id from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_staff_wiki_proposals(p_status text, p_q text, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_place  app.place := private.require_place('all proposals', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_q      text := private.fold_query(p_q);
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := coalesce(p_until, 'infinity');
    v_before := '00000000-0000-0000-0000-000000000000';
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.wiki_proposals where id = v_place.id;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  -- exactly one of the two branches runs
  with looked as materialized (
    select * from (
      (select created_at as at, id, author_id, interest_id, summary from app.wiki_proposals
       where p_status is null and created_at >= v_since and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, author_id, interest_id, summary from app.wiki_proposals
       where p_status is not null and status = p_status and created_at >= v_since
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(
      select l.id from looked l
      join app.users u on u.id = l.author_id and u.erased_at is null
      join app.interests i on i.id = l.interest_id
      where v_q is null or strpos(private.fold(concat_ws(' ', i.slug, i.name, u.username, l.summary)), v_q) > 0
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('all proposals', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_stream(p_choice app.feed_choice, p_type text, p_country text, p_city text, p_trending boolean, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_country text := upper(left(p_country, 3));   -- a code has two letters
  v_city   text := private.fold_query(p_city);
  v_posts  uuid[] := '{}';
  v_outs   timestamptz[];
  v_others uuid[] := '{}';
  v_ats    timestamptz[];
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_sieve  app.feed_sieve;
  v_stop   integer;
begin
  if coalesce(p_type, 'post') = 'post' then
    select array_agg(l.id), array_agg(l.at) into v_posts, v_outs
    from (select id, published_at as at from app.posts
          where required_level = 0 and closer_id is null and within_id is null
            and (published_at, id) < (v_from, v_before)
          order by published_at desc, id desc limit 400) l;
    v_cut := (v_outs[400], v_posts[400])::app.place;
  end if;
  if p_type is null then
    select array_agg(l.id), array_agg(l.at) into v_others, v_ats
    from (select id, created_at as at from app.contents
          where required_level = 0 and space_id is null and (created_at, id) < (v_from, v_before)
          order by created_at desc, id desc limit 400) l;
  elsif p_type <> 'post' then
    select array_agg(l.id), array_agg(l.at) into v_others, v_ats
    from (select id, created_at as at from app.contents
          where kind = p_type and required_level = 0 and space_id is null and (created_at, id) < (v_from, v_before)
          order by created_at desc, id desc limit 400) l;
  end if;
  -- if a list was cut off at 400, the page must not go past the last entry of this list, because later entries may be
  -- missing
  if v_ats[400] is not null and (v_cut.at is null or (v_ats[400], v_others[400]) > (v_cut.at, v_cut.id)) then
    v_cut := (v_ats[400], v_others[400])::app.place;
  end if;

  v_posts := private.feed_chosen(p_choice, array(
    select v.id from unnest(v_posts, v_outs) as l (id, at) join private.listed_posts v on v.id = l.id
    where (not p_trending or v.trending_boost > 0)
      and (v_cut.at is null or (l.at, l.id) >= (v_cut.at, v_cut.id))
    order by l.at desc, l.id desc), false);
  select array_agg(m.id), array_agg(m.at) into v_ids, v_times
  from (
    select f.id, f.at
    from (select p.id, p.published_at as at, p.author_id from unnest(v_posts) w (id) join app.posts p on p.id = w.id
          union all
          select c.id, c.created_at, c.author_id
          from unnest(v_others, v_ats) as l (id, at) join private.listed_contents c on c.id = l.id
          where c.required_level = 0 and c.space_id is null and c.author_id <> all (p_choice.muted_people)
            and (p_choice.interests is null or c.interest_id = any (p_choice.interests))
            and (not p_trending or (select n.likes + n.reposts + n.comments > 0 from app.video_counters n
                                    where n.video_id = c.id))
            and (v_cut.at is null or (l.at, l.id) >= (v_cut.at, v_cut.id))) f
    where p_country is null and v_city is null
       or (select (v_country is null or u.country = v_country)
              and (v_city is null or private.fold(u.city) = v_city)
           from app.users u where u.id = f.author_id)
    order by f.at desc, f.id desc limit 51) m;

  v_sieve := private.without_phrases(p_choice.muted_words, array(
    select u.id from unnest(v_ids) with ordinality as u (id, place) where u.id = any (v_posts) order by u.place),
    null, p_choice.characters);
  if v_sieve.stopped_at is not null then   -- without_phrases never stops at the first post
    v_stop := array_position(v_ids, v_sieve.stopped_at);
    v_ids := v_ids[:v_stop - 1];
    v_cut := (v_times[v_stop - 1], v_ids[v_stop - 1])::app.place;
  elsif cardinality(v_ids) = 51 then
    v_cut := (v_times[51], v_ids[51])::app.place;
  end if;
  v_ids := array(
    select u.id from unnest(v_ids) with ordinality as u (id, place)
    where u.id <> all (v_posts) or u.id = any (v_sieve.ids) order by u.place);
  return (v_ids, case when cardinality(v_ids) < 51 and v_cut.at is not null
                      then private.place_cursor('stream', v_cut.at, v_cut.id) end)::app.found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_students(p_course uuid, p_cursor text)
 RETURNS app.listing
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_list   text := 'students ' || p_course;
  v_place  app.place := private.page_start(v_list, p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.listing;
begin
  with looked as materialized (
    select created_at as at, user_id as id from app.course_enrolments
    where course_id = p_course and (created_at, user_id) < (v_from, v_before)
    order by created_at desc, user_id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l join private.visible_people v on v.id = l.id
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc),
         array(select private.place_cursor(v_list, at, id) from seen order by at desc, id desc),
         case when (select count(*) from seen) < 51
              then (select private.place_cursor(v_list, l.at, l.id)
                    from (select * from looked offset 399 limit 1) l) end
  into v_found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_talent(p_interests uuid[], p_country text, p_city text, p_after uuid)
 RETURNS TABLE(id uuid, interest_id uuid, value numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me    uuid := app.uid();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city  text := private.fold_query(p_city);
  v_each  integer := greatest(20, 4000 / greatest(cardinality(p_interests), 1));
  v_value numeric := coalesce((select max(r.value) from app.reputation r
                               where r.user_id = p_after and r.interest_id = any (p_interests)), 'infinity');
begin
  return query
  select b.id, b.interest_id, b.value
  from (select t.id, max(t.value) as value,
               (array_agg(t.interest_id order by t.value desc, t.interest_id))[1] as interest_id
        from (select w.id, n.id as interest_id, w.value
              from unnest(p_interests) n (id)
              cross join lateral (
                select r.user_id as id, r.value from app.reputation r
                where r.interest_id = n.id and r.band >= 0
                order by r.band desc, r.user_id limit v_each) w) t
        where t.id <> v_me
        group by t.id) b
  join private.listed_people p on p.id = b.id
  cross join lateral (select o.* from app.users o where o.id = b.id offset 0) u   -- look up by id, without a scan
  where (v_country is null or u.country = v_country)
    and (v_city is null or private.fold(u.city) = v_city)
    and (p_after is null or (-b.value, b.id) > (-v_value, p_after))
  order by b.value desc, b.id limit 51;
end $function$;

CREATE OR REPLACE FUNCTION private.find_verification_mail(p_id uuid, p_letter text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_link private.email_verifications;
begin
  if p_letter <> 'link' then
    return coalesce((select json_build_object('to', v.replaces, 'letter', p_letter)
                     from private.email_verifications v where v.id = p_id), '{"ended": true}');
  end if;
  v_link := private.find_running_verification(p_id);
  if v_link.id is null then
    return '{"ended": true}';
  end if;
  -- limit the mail to a new address, so that nobody can flood another person's mailbox; mail to the person's own
  -- address has another limit
  if v_link.replaces is not null
    and (select count(*) >= 5 from private.email_verifications v
         where lower(v.email) = lower(v_link.email) and v.replaces is not null
           and v.created_at > v_link.created_at - interval '1 hour'
           and (v.created_at, v.id) < (v_link.created_at, v_link.id)) then
    return null;
  end if;
  return json_build_object(
    'to', v_link.email,
    'letter', case when v_link.replaces is null then 'verify'
                   when private.find_email_owner(v_link.email) <> v_link.user_id then 'taken'
                   else 'change' end,
    'tokenHash', encode(v_link.token_hash, 'hex'),
    'endsAt', private.utc(v_link.expires_at));
end $function$;

CREATE OR REPLACE FUNCTION private.find_wiki_proposals(p_interest uuid, p_status text, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_list   text := 'proposals ' || p_interest;
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := p_interest;   -- no row has this time, so any id works
  elsif v_from is null then
    -- accept a cursor whose author has since been banned or erased
    select created_at, id into v_from, v_before from app.wiki_proposals
    where id = v_place.id and interest_id = p_interest and private.may_meet(private.find_level(app.uid(), author_id));
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  -- only one of the two branches finds rows
  with looked as materialized (
    select * from (
      (select created_at as at, id, author_id from app.wiki_proposals
       where p_status is null and interest_id = p_interest and not author_hidden
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, author_id from app.wiki_proposals
       where p_status is not null and interest_id = p_interest and status = p_status and not author_hidden
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.author_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.fold(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if octet_length(p_text) = length(p_text) then
    return lower(p_text);   -- for ASCII, this form takes a tenth of the time
  end if;
  -- removes case and accents, but keeps й and и different; Hebrew points and Arabic vowel signs are rarely written
  return translate(
    extensions.unaccent(lower(normalize(
      regexp_replace(p_text, '[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]', '', 'g'),
      nfkc) collate pg_catalog.pg_c_utf8)),
    'ς', 'σ');
end $function$;

CREATE OR REPLACE FUNCTION private.follow_blocks()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
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
  perform private.recompute_audience(
    array_agg(blocker_id) || array_agg(blocked_id), array_agg(blocked_id) || array_agg(blocker_id)) from changed;
  if tg_op = 'INSERT' then
    update app.circle_invitations i set status = 'revoked'
    from changed c
    where i.status = 'pending'
      -- this form matches both directions, because nobody invites themselves, and it can use the index
      and i.inviter_id = any (array[c.blocker_id, c.blocked_id])
      and i.invitee_id = any (array[c.blocker_id, c.blocked_id]);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.followed_posts(p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me      uuid := app.uid();
  v_place   app.place := p_place;
  -- private.all_posts leaves out the posts in the caller's spaces
  v_by_all  boolean := not exists (select from app.space_members where user_id = app.uid());
  v_authors uuid[] := array(select following_id from app.follows where follower_id = app.uid() limit 301);
  v_looked  integer := 0;
  v_all     app.feed_run;
  v_ids     uuid[];
  v_times   timestamptz[];
begin
  if cardinality(v_authors) <= 300 then
    return private.posts_by(v_authors, p_place, p_muted);
  elsif not v_by_all then
    v_authors := array(select following_id from app.follows where follower_id = app.uid() limit 2001);
    if cardinality(v_authors) <= 2000 then
      return private.posts_by(v_authors, p_place, p_muted);
    end if;
  end if;
  -- if there are many authors, first look for their posts among all posts; if there are too few, because the authors
  -- write little, read by author
  for v_look in 1 .. 8 loop
    v_all := private.all_posts(v_place, p_muted);
    v_looked := v_looked + v_all.looked;
    select v_ids || array_agg(f.id order by f.place), v_times || array_agg(f.at order by f.place)
    into v_ids, v_times
    from (select a.id, a.at, a.place
          from unnest(v_all.ids, v_all.times) with ordinality as a (id, at, place)
          join private.listed_posts p on p.id = a.id
          where (select true from app.follows where follower_id = v_me and following_id = p.author_id)
            and p.author_id <> all (p_muted)) f;
    v_place := v_all.next;
    if cardinality(v_ids) >= 101 or v_place.at is null then
      return private.run_of(v_ids[:101], v_times[:101], v_place, v_looked);
    end if;
  end loop;
  v_authors := array(select following_id from app.follows where follower_id = app.uid() limit 2001);
  if cardinality(v_authors) = 2001 then
    return private.run_of(v_ids, v_times, v_place, v_looked);
  end if;
  return private.posts_by(v_authors, p_place, p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.free_username(p_first_name text, p_last_name text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_name text := btrim(left(regexp_replace(
    lower(extensions.unaccent(p_first_name || '_' || p_last_name)), '[^a-z0-9]+', '_', 'g'), 24), '_');
begin
  if length(v_name) < 3 then
    v_name := btrim('member_' || v_name, '_');   -- a name in another script may leave nothing
  end if;
  while private.is_reserved(v_name) or not private.is_free(v_name) loop
    v_name := regexp_replace(v_name, '_?\d*$', '') || '_' || (2 + floor(random() * 9998))::int;
  end loop;
  return v_name;
end $function$;

CREATE OR REPLACE FUNCTION private.give_ai_answer(p_session uuid, p_answer text, p_position integer)
 RETURNS app.ai_sessions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller  uuid := private.require_caller();
  v_seen    smallint := (select max(t.position) from app.ai_turns t join app.ai_sessions s on s.id = t.session_id
                         where s.id = p_session and s.user_id = v_caller);
  v_session app.ai_sessions;
  v_turn    app.ai_turns;
begin
  if (length(p_answer) <= 10000) is not true then
    perform private.raise_error('ai_answer');   -- the answer is too long even in NFC, as above for a topic
  end if;
  perform private.count_writes('reflections');
  v_session := private.lock_open_ai_session(p_session);
  if v_session.completed_at is not null then
    perform private.raise_error('ai_session_over');
  end if;

  select * into strict v_turn from app.ai_turns where session_id = p_session order by position desc limit 1;
  -- while this call waited for the lock, another answer may have been stored; then this answer is for an earlier
  -- question
  if v_turn.position is distinct from coalesce(p_position, v_seen) then
    perform private.raise_error('ai_question_answered');
  end if;
  if v_turn.answer is not null and v_turn.position = 5 then
    perform private.raise_error('ai_session_answered');
  end if;
  if v_session.asking_until > now() then
    perform private.raise_error('ai_question_pending');
  end if;

  -- if the last question has an answer but no question followed, the new answer replaces the old one
  update app.ai_turns set answer = private.require_text(p_answer), answered_at = now()
  where session_id = p_session and position = v_turn.position;
  update app.ai_sessions set answered_at = now() where id = p_session returning * into v_session;
  return v_session;
end $function$;

CREATE OR REPLACE FUNCTION private.hide_contents(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job json := json_build_object('userId', p_user.id);
begin
  if private.hide_or_show_contents(v_job::jsonb) ->> 'next' is null then
    return;
  elsif p_user.erased_at is not null then
    perform private.erase_later('hidden-contents', v_job);
  else
    -- every ban or unban starts its own batches from the beginning, so that the last one reaches all contents
    perform private.enqueue('hidden-contents', v_job);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.hide_documents_later(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- each start or end of a ban queues its own pass over all documents, so that the last pass reaches all of them
  perform private.enqueue('hidden-documents', json_build_object('userId', p_user.id));
end $function$;

CREATE OR REPLACE FUNCTION private.hide_or_show_children(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_child   private.content_child_tables;
  v_hidden  boolean;
  v_erased  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- see private.hide_or_show_contents
  select banned_at is not null or erased_at is not null, erased_at is not null into v_hidden, v_erased
  from app.users where id = v_user for share;
  select * into v_child from private.content_child_tables where relation = (p_job ->> 'relation')::regclass;
  execute format('select array(select %1$I from %2$s where %3$I = $1 and %1$I > $2 order by %1$I limit 500)',
                 v_child.key, v_child.relation, v_child.person)
    into v_ids using v_user, coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  execute case
    when v_erased and v_child.words is null and not v_child.stays then
      format('delete from %2$s where %3$I = $1 and %1$I = any ($2)', v_child.key, v_child.relation, v_child.person)
    when v_erased and v_child.words is not null then
      format('update %2$s set author_hidden = true, %4$I = %5$L
              where %3$I = $1 and %1$I = any ($2) and (not author_hidden or %4$I <> %5$L)',
             v_child.key, v_child.relation, v_child.person, v_child.words, '')
    else
      format('update %2$s set author_hidden = $3 where %3$I = $1 and %1$I = any ($2) and author_hidden <> $3',
             v_child.key, v_child.relation, v_child.person) end
    using v_user, v_ids, v_hidden;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.hide_or_show_comments(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_hidden  boolean;
  v_erased  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- see private.hide_or_show_contents
  select banned_at is not null or erased_at is not null, erased_at is not null into v_hidden, v_erased
  from app.users where id = v_user for share;
  v_ids := private.next_comments(v_user, p_after);
  perform private.lock_video_counters(array(select video_id from app.video_comments where id = any (v_ids)));
  update app.video_comments
  set author_hidden = v_hidden,
      body = case when v_erased then '' else body end,
      removed_at = case when v_erased then coalesce(removed_at, now()) else removed_at end
  where id = any (v_ids) and (author_hidden <> v_hidden or (v_erased and body <> ''));
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.hide_or_show_contents(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_hidden  boolean;
  v_erased  boolean;
  v_ids     uuid[];
  v_eraser  text;
  v_changed integer;
begin
  -- lock the person, so that a concurrent ban or unban happens before or after this batch, and the batch commits the
  -- correct state
  select banned_at is not null or erased_at is not null, erased_at is not null into v_hidden, v_erased
  from app.users where id = v_user for share;
  v_ids := private.next_contents(v_user, p_after);
  -- lock details before heads: ARCHITECTURE.md, Locks
  if v_erased then
    for v_eraser in select k.eraser from private.content_kinds k order by k.kind loop
      execute format('select %s($1)', v_eraser) using v_ids;
    end loop;
    update app.contents set author_hidden = true, title = null, words = ''
    where id = any (v_ids) and (not author_hidden or title is not null or words <> '');
  else
    -- change only this column, so that triggers on the texts don't run
    update app.contents set author_hidden = v_hidden where id = any (v_ids) and author_hidden <> v_hidden;
  end if;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.hide_or_show_documents(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_hidden  boolean;
  v_ids     uuid[];
  v_types   text[];
  v_changed integer;
begin
  -- lock the person, so that no ban can begin or end before this batch commits
  select banned_at is not null into v_hidden from app.users where id = v_user for share;
  select array_agg(d.id), array_agg(d.type) into v_ids, v_types
  from (select id, type from private.search_documents
        where author_id = v_user and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
        order by id limit 50 for update) d;
  update private.search_documents set hidden = v_hidden where author_id = v_user and id = any (v_ids)
    and hidden <> v_hidden;
  get diagnostics v_changed = row_count;
  perform private.index_for_search(u.type, array[u.id]) from unnest(v_ids, v_types) as u (id, type);
  return json_build_object('changed', v_changed, 'next', v_ids[50]);
end $function$;

CREATE OR REPLACE FUNCTION private.hide_or_show_posts(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_banned  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- either a change of the ban waits for this batch, or this batch waits for the change, so that it never writes an
  -- old state
  select banned_at is not null into v_banned from app.users where id = v_user for share;
  v_ids := private.next_posts(v_user, p_after);
  perform private.lock_written(v_ids, '{}');
  update app.posts set author_banned = v_banned where id = any (v_ids) and author_banned <> v_banned;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.hide_or_show_replies(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_banned  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- see private.hide_or_show_posts
  select banned_at is not null into v_banned from app.users where id = v_user for share;
  v_ids := private.next_replies(v_user, p_after);
  perform private.lock_written('{}', v_ids);
  update app.replies set author_banned = v_banned where id = any (v_ids) and author_banned <> v_banned;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.ids_in(p_url text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_text text := p_url;
begin
  -- decode repeatedly, because a proxy may decode a URL before the storage decodes it again
  for n in 1..3 loop
    exit when v_text !~ '%';
    v_text := private.percent_decoded(v_text);
  end loop;
  return array(select i[1]::uuid
               from regexp_matches(v_text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') i);
end $function$;

CREATE OR REPLACE FUNCTION private.import_batch(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_id       uuid := (p_job ->> 'importId')::uuid;
  v_user     uuid := (select user_id from app.imports where id = v_id);
  v_import   app.imports;
  v_position smallint;
  v_importer text;
  v_rows     private.import_rows[];
  v_row      private.import_rows;
  v_problems jsonb := '[]';
  v_changed  integer;
begin
  perform private.check_lock_order('person', v_user::text);
  perform from app.users where id = v_user and banned_at is null and erased_at is null for share;
  if not found then
    update app.imports set state = 'stopped', ended_at = now() where id = v_id and ended_at is null;
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('import', v_user::text);   -- a second worker waits here, and then imports other rows
  select * into v_import from app.imports where id = v_id and state in ('waiting', 'running');
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;

  select r.position into v_position from private.import_rows r
  where r.import_id = v_id and r.position is not null order by r.position limit 1;
  if v_position is null then
    -- the remaining rows belonged to other rows
    delete from private.import_rows where ctid = any (array(
      select ctid from private.import_rows where import_id = v_id limit 5000));
    get diagnostics v_changed = row_count;
    if v_changed < 5000 then
      update app.imports set state = 'done', ended_at = now() where id = v_id;
    end if;
    return json_build_object('changed', v_changed, 'next', case when v_changed = 5000 then v_id end);
  end if;

  -- set the caller, because importers call functions of operations, which need a caller
  perform set_config('request.jwt.claims', json_build_object('sub', v_user)::text, true);
  select s.importer into strict v_importer from private.import_sections s where s.position = v_position;
  v_rows := array(
    select r from private.import_rows r
    where r.import_id = v_id and r.position = v_position order by r.sort_at, r.place limit 200);
  foreach v_row in array v_rows loop
    v_problems := v_problems || private.import_row(v_import, v_row, v_importer);
  end loop;
  delete from private.import_rows
  where import_id = v_id and section = v_rows[1].section
    and place = any (array(select (r).place from unnest(v_rows) r));
  update app.imports
  set state = 'running', done = done + cardinality(v_rows),
      problems = (select coalesce(jsonb_agg(p.problem order by p.place), '[]')
                  from jsonb_array_elements(problems || v_problems) with ordinality as p (problem, place)
                  where p.place <= 200),
      problem_count = problem_count + jsonb_array_length(v_problems)
  where id = v_id;
  return json_build_object('changed', cardinality(v_rows), 'next', v_id);
end $function$;

CREATE OR REPLACE FUNCTION private.import_persona(p_import app.imports, p_row private.import_rows)
 RETURNS private.import_result
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_item    jsonb := p_row.item;
  v_name    text := private.require_name(v_item ->> 'name');
  v_about   text := private.require_text(v_item ->> 'about');
  v_made    timestamptz := private.import_time(v_item ->> 'createdAt');
  v_picture record;
  v_default app.personas;
  v_same    uuid;
  v_id      uuid;
begin
  select * into v_picture from private.import_picture(v_item ->> 'profilePicUrl');
  perform private.lock('personas', p_import.user_id::text);
  select * into strict v_default from app.personas where user_id = p_import.user_id and is_default;
  select id into v_same from app.personas where user_id = p_import.user_id and name = v_name;
  if v_same is not null and ((v_item ->> 'isDefault')::boolean and v_same = v_default.id) is not true then
    return (v_same, null)::private.import_result;   -- the persona of this name does not change
  end if;
  if (v_item ->> 'isDefault')::boolean
     and not exists (select from private.imported where user_id = p_import.user_id and section = p_row.section
                       and here = v_default.id) then
    update app.personas
    set name = v_name, about = v_about, accent = v_item ->> 'accent', profile_pic_url = v_picture.url,
        created_at = v_made
    where id = v_default.id;
    return (v_default.id, v_picture.notes)::private.import_result;
  end if;
  insert into app.personas (user_id, name, about, accent, profile_pic_url, created_at)
  values (p_import.user_id, v_name, v_about, v_item ->> 'accent', v_picture.url, v_made)
  returning id into v_id;
  if (v_item ->> 'isDefault')::boolean then
    perform private.make_default_persona(v_id);
  end if;
  return (v_id, v_picture.notes)::private.import_result;
end $function$;

CREATE OR REPLACE FUNCTION private.import_row(p_import app.imports, p_row private.import_rows, p_importer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_result private.import_result;
  v_state  text;
  v_name   text;
begin
  if exists (select from private.imported
             where user_id = p_import.user_id and origin = p_import.origin and section = p_row.section
               and row_key = p_row.row_key)
     or private.is_already_here(p_import, p_row.section, p_row.row_key) then
    return '[]';
  end if;
  execute format('select * from %s($1, $2)', p_importer) into v_result using p_import, p_row;
  insert into private.imported (user_id, origin, section, row_key, here)
  values (p_import.user_id, p_import.origin, p_row.section, p_row.row_key, v_result.here);
  return (select coalesce(jsonb_agg(private.import_problem(p_row, n.code, n.field)), '[]')
          from jsonb_to_recordset(coalesce(v_result.notes, '[]')) as n (field text, code text));
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_name = constraint_name;
  if v_state !~ '^(PT|PGRST|22|23)' then
    raise;   -- after any other error, such as a deadlock, the batch is retried
  end if;
  return jsonb_build_array(private.import_problem(
    p_row, case when v_state ~ '^(PT|PGRST)' then sqlerrm else nullif(v_name, '') end));
end $function$;

CREATE OR REPLACE FUNCTION private.import_series(p_import app.imports, p_row private.import_rows)
 RETURNS private.import_result
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts uuid[];
  v_id    uuid;
begin
  insert into app.series (author_id, title, description, created_at)
  values (p_import.user_id, private.require_name(p_row.item ->> 'title'),
          private.require_text(p_row.item ->> 'description'),
          private.import_time(p_row.item ->> 'createdAt'))
  returning id into v_id;
  v_posts := array(select private.find_imported(p_import, 'posts', d ->> 'postId')
                   from private.import_details(p_import, 'seriesItems', p_row.row_key) d
                   order by (d ->> 'position')::integer);
  -- this lock is outside the order of locks, because no transaction that locks one of these rows waits for another
  -- lock of this transaction
  perform from app.posts where id = any (v_posts) order by id for share;
  insert into app.series_items (series_id, post_id, position)
  select v_id, p.id, row_number() over (order by min(w.place))
  from unnest(v_posts) with ordinality as w (id, place)
  join app.posts p on p.id = w.id and p.author_id = p_import.user_id and p.deleted_at is null
  where (select count(*) from app.series_items si where si.post_id = p.id) < 5
  group by p.id;
  return (v_id, null)::private.import_result;
end $function$;

CREATE OR REPLACE FUNCTION private.index_published(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- a concurrent change or deletion of a post locks the same document. If it came first, it has already indexed the
  -- post, and this statement inserts nothing; otherwise it waits for this insert
  with made as (
    insert into private.search_documents (type, id, author_id, scope, interests, words, ranked)
    select 'post', t.id, t.author, t.scope, t.interests, v.words, private.ranked_words(v.words)
    from private.post_texts(array(select (e.payload ->> 'postId')::uuid from unnest(p_effects) e)) t
    cross join lateral (select private.search_vector(t.title, t.body) as words offset 0) v   -- computed once
    order by t.id
    on conflict (type, id) do nothing
    returning number, scope, words
  )
  insert into private.search_words (scope, word, number)
  select m.scope, w.word, m.number from made m cross join lateral unnest(tsvector_to_array(m.words)) w (word);
end $function$;

CREATE OR REPLACE FUNCTION private.interrupt_orders(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user  uuid := (p_job ->> 'userId')::uuid;
  v_order app.orders;
begin
  -- a concurrent end of the ban waits for this transaction, or this statement sees the end
  perform from app.users where id = v_user and (banned_at is not null or erased_at is not null) for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  -- one order per batch, so that it locks no more than a step by a person
  select * into v_order from app.orders o
  where o.state in ('held', 'accepted', 'delivered') and (o.buyer_id = v_user or o.seller_id = v_user)
    and (o.due_at <= now()) is not true
  limit 1 for no key update;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.step_order(v_order, case when v_order.state <> 'held' then 'dispute'
                                           when v_order.seller_id = v_user then 'decline' else 'cancel' end, 'worker');
  return json_build_object('changed', 1, 'next', v_order.id);
end $function$;

CREATE OR REPLACE FUNCTION private.invite_to_space(p_kind text, p_id text, p_person text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me         uuid := private.require_caller();
  v_user       uuid := private.require_visible_person(p_person);
  v_space      app.spaces;
  v_invitation uuid;
begin
  perform private.count_writes('invitations');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  if not private.may_invite(v_space.id, v_me) then
    perform private.require_space_role(v_space.id, 'owner', 'moderator');
  end if;
  perform private.lock_pairs(array[v_user], array[v_me]);
  -- check again, because somebody may have made a block during the wait
  perform private.require_visible_person(p_person);
  perform private.require_open(v_space);
  if v_user = v_me then
    perform private.raise_error('invite_oneself');
  elsif private.find_role(v_space.id, v_user) is not null then
    perform private.raise_error('space_member_already');
  elsif exists (select from app.space_bans where space_id = v_space.id and user_id = v_user) then
    perform private.raise_error('space_invitee_banned');
  end if;
  -- End the invitations of people who are banned from the instance or may no longer invite. Nobody sees these
  -- invitations, so nobody could answer or revoke them.
  update app.space_invitations i set status = 'revoked'
  where i.space_id = v_space.id and i.invitee_id = v_user and i.status = 'pending'
    and (not private.may_invite(v_space.id, i.inviter_id)
         or exists (select from app.hidden_people s where s.user_id = i.inviter_id));
  insert into app.space_invitations (space_id, inviter_id, invitee_id) values (v_space.id, v_me, v_user)
  on conflict (space_id, invitee_id) where status = 'pending' do nothing returning id into v_invitation;
  if not found then
    perform private.raise_error('space_invitation_pending');
  end if;
  perform private.emit_membership_decision(v_space, 'invited', v_user, v_me, v_invitation);
  return private.space_invitation_cards(array[v_invitation]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.issue_claims(p_user uuid, p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now     bigint := floor(extract(epoch from clock_timestamp()));
  v_issued  bigint;
  v_others  bigint[];
  v_expires bigint;
begin
  -- iat never decreases under the row lock, and tokens with the same iat differ in exp, so (sub, iat, exp) is unique
  select greatest(v_now, u.tokens_valid_from, c.last_issued_at),
         case when c.last_issued_at >= greatest(v_now, u.tokens_valid_from) then c.expiries else '{}' end
  into strict v_issued, v_others
  from private.credentials c join app.users u on u.id = c.user_id
  where c.user_id = p_user for no key update of c;
  v_expires := v_issued + p_seconds;
  while v_expires = any (v_others) loop
    v_expires := v_expires + 1;
  end loop;
  update private.credentials set last_issued_at = v_issued, expiries = v_others || v_expires where user_id = p_user;

  return (select json_build_object('sub', u.id, 'email', a.email, 'role', u.role, 'iat', v_issued, 'exp', v_expires)
          from app.users u join app.accounts a on a.user_id = u.id
          where u.id = p_user);
end $function$;

CREATE OR REPLACE FUNCTION private.job_audit_mana()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'mana';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_mana() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'mana', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker stores the same findings
  )
  select count(*) into v_found from found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.job_audit_treasuries()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'treasuries';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_treasuries() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'treasuries', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker stores the same findings
  )
  select count(*) into v_found from found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.job_check_audience()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_viewers uuid[];
  v_authors uuid[];
begin
  -- use one statement, because its snapshot has either both a membership and the rows of its trigger, or neither
  select array_agg(viewer_id), array_agg(author_id) into v_viewers, v_authors
  from app.audience a full join private.audience_rebuilt r using (viewer_id, author_id)
  where a.level is distinct from r.level;
  if v_viewers is null then
    return 0;
  end if;
  perform private.recompute_audience(v_viewers, v_authors);
  return cardinality(v_viewers);
end $function$;

CREATE OR REPLACE FUNCTION private.job_close_polls()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_poll app.polls;
begin
  -- Close one poll per transaction, regardless of the number of votes. Don't lock for update, because a vote in
  -- progress would wait for that lock while this job waits for the vote.
  select * into v_poll from app.polls
  where closes_at is not null and closed_emitted_at is null and greatest(closes_at, close_again_at) <= now()
  order by greatest(closes_at, close_again_at) limit 1
  for no key update skip locked;
  if not found then
    return 0;
  end if;
  perform private.lock('poll', v_poll.id::text);
  begin
    update app.polls set closed_emitted_at = now() where id = v_poll.id;
    perform private.emit('posts.poll.closed', json_build_object('postId', v_poll.post_id, 'pollId', v_poll.id));
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the end of the poll % could not be announced: % %', v_poll.id, sqlstate, sqlerrm;
    update app.polls set close_again_at = clock_timestamp() + interval '5 seconds' where id = v_poll.id;
    return -1;
  end;
  -- call this last, because it locks other polls
  perform private.yield_turn('app.polls', 'author_id', v_poll.author_id,
                           'closes_at is not null and closed_emitted_at is null',
                           'greatest(closes_at, close_again_at)', 'close_again_at');
  return 1;
end $function$;

CREATE OR REPLACE FUNCTION private.job_end_suspensions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user   uuid;
  v_person app.users;
begin
  -- End one suspension per transaction, because the end of a ban takes locks of many ranks. Lock the credentials
  -- first, as private.lock_account does, so that the job does not wait for a login while it holds the lock of the
  -- person
  select u.id into v_user
  from app.users u join private.credentials c on c.user_id = u.id
  where u.banned_until <= now() and u.erased_at is null and not private.is_owner_banned(u)
  order by u.banned_until limit 1
  for update of c skip locked;
  if not found then
    return 0;
  end if;
  v_person := private.lock_account(v_user);
  if v_person.banned_until is null or v_person.banned_until > now() then
    return 1;   -- an admin has already ended the suspension
  end if;
  begin
    perform private.set_banned(v_person, false, null);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the suspension of % did not end: % %', v_user, sqlstate, sqlerrm;
    update app.users set banned_until = clock_timestamp() + interval '5 seconds' where id = v_user;
    return -1;
  end;
  return 1;
end $function$;

CREATE OR REPLACE FUNCTION private.job_inherit_contributions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c_shares constant numeric[] := array[0.50, 0.25, 0.10];
  v_taken  uuid[];
begin
  -- an entry that undoes another waits until the shares of the other are written, even by another worker, because it
  -- takes those shares back
  v_taken := array(
    select q.entry_id
    from private.contribution_inheritance q
    where (select true from private.contribution_inheritance u where u.entry_id = q.undoes_id) is null
    limit 1000
    for update of q skip locked);
  v_taken := array(
    select e.id from app.contribution_entries e
    where e.id = any (v_taken)
      and (select coalesce(bool_and(pg_try_advisory_xact_lock(private.effects_key(i.id))), true)
           from unnest(private.inviters(e.user_id)) as i (id)));
  insert into app.contribution_entries (user_id, kind, delta, origin_id, level, undoes_id, source_id)
  select i.id, e.kind, round(e.delta * c_shares[i.level], 2), e.id, i.level, null::uuid, e.source_id
  from app.contribution_entries e, unnest(private.inviters(e.user_id)) with ordinality as i (id, level)
  where e.id = any (v_taken) and e.undoes_id is null
  union all
  select s.user_id, s.kind, -s.delta, e.id, s.level, s.id, s.source_id
  from app.contribution_entries e join app.contribution_entries s on s.origin_id = e.undoes_id
  where e.id = any (v_taken);
  delete from private.contribution_inheritance where entry_id = any (v_taken);
  return cardinality(v_taken);
end $function$;

CREATE OR REPLACE FUNCTION private.job_publish_scheduled()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c_waits constant text := 'published_at is null and deleted_at is null and not author_banned';
  v_post   uuid;
  v_author uuid;
  v_space  uuid;
  v_may    boolean;
begin
  -- publish one post per transaction, so that the job locks no more than an author who publishes
  select p.id, p.author_id, p.space_id, private.may_publish_in(p.space_id, p.author_id)
  into v_post, v_author, v_space, v_may
  from app.posts p join app.users u on u.id = p.author_id
  where p.published_at is null and p.deleted_at is null and greatest(p.publish_at, p.publish_again_at) <= now()
    and not p.author_banned and u.banned_at is null and u.erased_at is null
  order by greatest(p.publish_at, p.publish_again_at) limit 1
  for update of p skip locked;
  if not found then
    return 0;
  elsif not v_may then
    -- Postpone the post, so that later calls need not check posts whose author has left the space. Also postpone up to
    -- 500 other due posts of the author in that space; otherwise each call would postpone only one of thousands.
    update app.posts set publish_again_at = clock_timestamp() + interval '15 minutes'
    where id = v_post or ctid = any (array(
      select ctid from app.posts
      where author_id = v_author and published_at is null and deleted_at is null and not author_banned
        and greatest(publish_at, publish_again_at) <= now() and space_id = v_space
      order by greatest(publish_at, publish_again_at) limit 500 for update skip locked));
    return 1;
  end if;
  begin
    perform private.publish_post(v_post);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the scheduled post % could not be published: % %', v_post, sqlstate, sqlerrm;
    update app.posts set publish_again_at = clock_timestamp() + interval '5 seconds' where id = v_post;
    return -1;
  end;
  -- call this last, because it locks other posts
  perform private.yield_turn('app.posts', 'author_id', v_author, c_waits, 'greatest(publish_at, publish_again_at)',
                           'publish_again_at');
  return 1;
end $function$;

CREATE OR REPLACE FUNCTION private.job_purge()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rule    private.retention;
  v_deleted integer;
  v_changed integer := 0;
begin
  for v_rule in select * from private.retention order by relation::text loop
    -- a locked row is in use; the next run deletes it
    execute format('delete from %1$s where ctid in (
                      select ctid from %1$s where %2$s < now() - $1 limit $2 for update skip locked)',
                   v_rule.relation, v_rule.counts_from) using v_rule.keep, v_rule.batch;
    get diagnostics v_deleted = row_count;
    v_changed := v_changed + v_deleted;
  end loop;
  return v_changed;
end $function$;

CREATE OR REPLACE FUNCTION private.job_queue_digests()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  c_to     constant timestamptz := now() - interval '3 seconds';   -- see private.list_changed
  c_back   constant interval := '7 days';
  v_people uuid[];
  v_days   date[];
  v_ids    uuid[];
begin
  with due as (
    select user_id, (next_digest_at at time zone private.known_timezone(timezone))::date as day
    from app.notification_settings
    where next_digest_at <= now()
    order by next_digest_at limit 500
    for no key update skip locked),
  moved as (
    update app.notification_settings s
    set next_digest_at = private.next_digest(s.timezone, s.digest_hour, now())
    from due where s.user_id = due.user_id)
  select array_agg(user_id), array_agg(day) into v_people, v_days from due;

  -- drop a digest that nobody tried to send or that no server accepted; the new one covers its period
  delete from private.digests where user_id = any (v_people) and sent_at is null and claimed_until = '-infinity';
  with made as (
    insert into private.digests (user_id, day, told_from, told_to)
    select p.id, p.day, f.told_from, c_to
    from unnest(v_people, v_days) as p (id, day)
    join private.reachable_accounts a on a.user_id = p.id and a.email_bounced_at is null
    join app.users u on u.id = p.id and u.banned_at is null
    cross join lateral (
      select coalesce(max(d.told_to), now() - c_back) from private.digests d where d.user_id = p.id) as f (told_from)
    where private.has_digest_items(p.id, f.told_from, c_to)
    on conflict (user_id, day) do nothing
    returning id)
  select array_agg(id) into v_ids from made;
  perform private.enqueue('digests', json_build_object('digestId', d.id)) from unnest(v_ids) as d (id);
  return coalesce(cardinality(v_people), 0);
end $function$;

CREATE OR REPLACE FUNCTION private.job_settle_proposals()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  -- don't lock the proposal here, because people and the guild are locked first (ARCHITECTURE.md, Locks)
  select id into v_id from app.guild_proposals where due_at <= clock_timestamp() order by due_at limit 1;
  if not found then
    return 0;
  end if;
  begin
    perform private.settle_proposal(v_id);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the proposal % was not settled: % %', v_id, sqlstate, sqlerrm;
    update app.guild_proposals set due_at = clock_timestamp() + interval '5 seconds' where id = v_id;
    return -1;
  end;
  return 1;
end $function$;

CREATE OR REPLACE FUNCTION private.join_or_ask(p_space app.spaces, p_message text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me      uuid := private.require_caller();
  v_request uuid;
begin
  perform private.require_open(p_space);
  if exists (select from app.space_bans where space_id = p_space.id and user_id = v_me) then
    perform private.raise_error('space_banned');
  end if;
  if p_space.join_policy = 'open' or private.is_invited(p_space.id, v_me) then
    -- the same limit as the check of app.space_requests, because nothing is stored here
    if length(p_message) > 500 then
      perform private.raise_error('space_message');
    end if;
    perform private.add_member(p_space, v_me);
    return null;
  elsif p_space.join_policy = 'invite' then
    perform private.raise_error('invitation_required');
  end if;
  v_request := private.find_own_request(p_space.id);
  if v_request is null then
    insert into app.space_requests (space_id, user_id, message) values (p_space.id, v_me, p_message)
    returning id into v_request;
  end if;
  return v_request;
end $function$;

CREATE OR REPLACE FUNCTION private.judge(p_type text, p_id uuid, p_judged text[], p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_versions private.judged[];
  v_author   uuid;
  v_rule     record;
  v_live     uuid[] := '{}';
  v_hides    boolean := false;
  v_hidden   boolean;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = any (p_judged) and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_author is null then
      v_versions := private.find_versions(p_type, p_id, p_since);
      exit when v_versions is null;
      v_author := v_versions[1].author_id;
    end if;
    continue when (private.find_fitting(v_rule.compiled, v_versions)).id is null;
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_author, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = '{at a report}' then
      perform private.lock_judged(p_type, p_id);   -- the thing is older, so others may have locked it
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    if v_hidden then
      update app.rule_hits set hid = true where target_id = p_id and rule_id = any (v_live) and action = 'hide';
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'hidden', v_hidden), array[v_author]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'ruleIds', to_json(v_live), 'hidden', v_hidden));
  end if;
  return coalesce(v_hidden, false);
end $function$;

CREATE OR REPLACE FUNCTION private.keep_default_persona()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- the delete has locked the row, so old has the latest value of is_default
  if old.is_default then
    perform private.raise_error('persona_is_default');
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION private.keyword_text(p_texts text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- the separator is not a space, so that no keyword can match across two texts. The length is limited, so that a long
  -- text does not slow down everyone who has muted a word
  return left(private.fold(left(array_to_string(p_texts, e'\x1f'), 5000)), 10000);
end $function$;

CREATE OR REPLACE FUNCTION private.leave_spaces(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_spaces uuid[];
  v_space  app.spaces;
  v_role   text;
  v_heir   uuid;
begin
  -- from here on one erasure runs at a time, because rows of two erased people may refer to each other
  perform private.lock('erasure');
  v_spaces := array(select space_id from app.space_members where user_id = p_user.id order by space_id limit 500);
  perform private.check_lock_order('space');
  perform from app.spaces where id = any (v_spaces) order by id for no key update;
  for v_space in select * from app.spaces where id = any (v_spaces) order by id loop
    v_role := private.find_role(v_space.id, p_user.id);
    perform private.drop_member(v_space.id, p_user.id);
    continue when v_role is distinct from 'owner';
    select user_id into v_heir from app.space_members
    where space_id = v_space.id and not hidden order by placed_at, user_id limit 1;
    if found then
      update app.space_members set role = 'owner' where space_id = v_space.id and user_id = v_heir;
      perform private.emit_membership_decision(v_space, 'role_changed', v_heir, p_role => 'owner');
    else
      perform private.set_archived(v_space, true);
    end if;
  end loop;
  if cardinality(v_spaces) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
  perform private.erase_rows(p_user.id, 'app.space_bans', 'user_id = $1');
end $function$;

CREATE OR REPLACE FUNCTION private.level_rank(p_value numeric)
 RETURNS smallint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return greatest(width_bucket(p_value, private.level_minimums()) - 1, 0);   -- a value below 0 is also Curious
end $function$;

CREATE OR REPLACE FUNCTION private.limit_blocks()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('blocks', new.blocker_id::text);
  if not exists (select from app.blocks where blocker_id = new.blocker_id and blocked_id = new.blocked_id)
     and (select count(*) from app.blocks where blocker_id = new.blocker_id) >= 5000 then
    perform private.raise_error('blocks_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_circle_members()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock the circle, so that concurrent calls cannot exceed the limit
  select created_at into new.made_at from app.circles where id = new.circle_id for update;
  if not found then
    perform private.raise_error('circle_unknown');   -- the circle was deleted in the meantime
  end if;
  if exists (select from app.circle_members where circle_id = new.circle_id and member_id = new.member_id) then
    -- check this before the count, because it is the more helpful error if the circle is full
    perform private.raise_error('member_already');
  end if;
  if (select count(*) from app.circle_members where circle_id = new.circle_id) >= 10 then
    perform private.raise_error('circle_full');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_circles()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('circles', new.owner_id::text);
  if (select count(*) from app.circles where owner_id = new.owner_id and kind = new.kind) >= 10 then
    perform private.raise_error('circles_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_invitations()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform from app.circles where id = new.circle_id for update;
  if not exists (select from app.circle_invitations
                 where circle_id = new.circle_id and invitee_id = new.invitee_id and status = 'pending')
     and (select count(*) from app.circle_invitations
          where circle_id = new.circle_id and status = 'pending') >= 100 then
    perform private.raise_error('invitations_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_keywords()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('keywords', new.user_id::text);
  if (select count(*) >= 100 or sum(length(folded)) + length(new.folded) > 2000
      from app.muted_keywords where user_id = new.user_id and folded <> new.folded) then
    perform private.raise_error('keywords_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_memberships(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('memberships', p_user::text);
  if (select count(*) from app.space_members where user_id = p_user) > 1000 then
    perform private.raise_error('memberships_exhausted');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_mutes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit, because the feed checks all mutes for every post
  perform private.lock('mutes', new.muter_id::text);
  if (select count(*) from app.mutes where muter_id = new.muter_id and muted_id <> new.muted_id) >= 5000 then
    perform private.raise_error('mutes_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_owned(p_kind text, p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('spaces of', p_user::text);
  if (select count(*) from app.space_members m join app.spaces s on s.id = m.space_id
      where m.user_id = p_user and m.role = 'owner' and s.kind = p_kind and s.archived_at is null) >= 20 then
    perform private.raise_error('spaces_exhausted');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_personas()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls don't exceed the limit
  perform private.lock('personas', new.user_id::text);
  if (select count(*) from app.personas where user_id = new.user_id) >= 5 then
    perform private.raise_error('personas_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_post_mutes()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- see private.limit_mutes
  perform private.lock('post mutes', new.user_id::text);
  if (select count(*) from app.post_mutes where user_id = new.user_id and post_id <> new.post_id) >= 5000 then
    perform private.raise_error('post_mutes_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_project_slots(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock, so that two concurrent calls can't both pass the limit
  perform private.lock('project slots', p_user::text);
  if (select count(*) from app.project_members where user_id = p_user) > 500 then
    perform private.raise_error('project_places_exhausted');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.limit_series()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('series of', new.author_id::text);
  if (select count(*) from app.series where author_id = new.author_id) >= 100 then
    perform private.raise_error('series_exhausted');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.list_active_reputation(p_user uuid, p_source uuid, p_from uuid, OUT entries uuid[], OUT next uuid)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  -- Only the newest entry of each person and kind counts, as in private.find_active_reputation. The query jumps from
  -- one such entry to the next, because there may be many others between them if somebody has liked and unliked
  -- repeatedly.
  with recursive newest as (
    (select coalesce(e.earned_from, e.user_id) as person, e.kind, e.id, e.undoes_id, 1 as place
     from app.reputation_entries e
     where e.user_id = p_user and e.source_id = p_source and e.roll_up_level = 0
       and coalesce(e.earned_from, e.user_id) >= p_from
     order by coalesce(e.earned_from, e.user_id), e.kind, e.position desc limit 1)
    union all
    select e.person, e.kind, e.id, e.undoes_id, n.place + 1
    from newest n
    cross join lateral (
      select coalesce(m.earned_from, m.user_id) as person, m.kind, m.id, m.undoes_id
      from app.reputation_entries m
      where m.user_id = p_user and m.source_id = p_source and m.roll_up_level = 0
        and (coalesce(m.earned_from, m.user_id), m.kind) > (n.person, n.kind)
      order by coalesce(m.earned_from, m.user_id), m.kind, m.position desc limit 1) e
    where n.place < 500
  )
  select coalesce(array_agg(n.id) filter (where n.undoes_id is null), '{}'),
         case when count(*) = 500 then (array_agg(n.person order by n.place desc))[1] end
  into entries, next from newest n;
end $function$;

CREATE OR REPLACE FUNCTION private.list_attendees(p_event uuid, p_status text, p_limit integer, p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_found app.found := private.find_attendees(p_event, p_status, p_cursor);
begin
  return (
    select private.page(
      json_agg(json_build_object('userId', p.actor_id, 'user', p.card, 'status', r.status,
                                 'since', private.utc(r.since)) order by i.place)
        filter (where i.place <= p_limit),
      coalesce(array_agg(private.place_cursor(concat_ws(' ', 'attendees', p_event, p_status), r.since, r.user_id)
                         order by i.place), '{}'), p_limit,
      v_found.next)
    from unnest(v_found.ids) with ordinality as i (id, place)
    cross join lateral (select * from app.event_rsvps
                        -- look up by key, to avoid a scan of all replies
                        where event_id = p_event and user_id = i.id offset 0) r
    join app.person_card p on p.id = i.id);
end $function$;

CREATE OR REPLACE FUNCTION private.list_proposals(p_guild text, p_status text, p_limit integer, p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_guild  uuid := (private.require_space('guild', p_guild)).id;
  v_cursor uuid := private.require_cursor(p_cursor);
  v_from   app.place := ('infinity', v_guild)::app.place;   -- no row has this time, so any id works
  v_ids    uuid[];
begin
  perform private.require_space_role(v_guild, 'owner', 'moderator', 'member');
  if v_cursor is not null then
    select created_at, id into v_from.at, v_from.id from app.guild_proposals
    where id = v_cursor and guild_id = v_guild;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_ids := private.find_proposals(v_guild, p_status, v_from);
  return private.page((select json_agg(c) from private.proposal_cards(v_ids[:p_limit]) c), v_ids::text[], p_limit);
end $function$;

CREATE OR REPLACE FUNCTION private.list_space_reports(p_kind text, p_id text, p_limit integer, p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_from  app.place := ('infinity', v_space)::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  if p_cursor is not null then
    v_from := private.require_place('space reports ' || v_space, p_cursor);
    v_from.at := coalesce(v_from.at, (select c.opened_at from app.cases c
                                      where c.id = v_from.id and c.space_id = v_space
                                        and not private.is_own_thing(c.target_type, c.target_id, c.person_id)));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_space_cases(v_space, v_from);
  return private.page(private.space_report_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION private.list_spaces(p_kind text, p_mine boolean, p_q text, p_interest uuid, p_policy text, p_cursor text)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_words text[];
begin
  if p_cursor is not null then
    v_from := private.require_place(case when p_mine then 'my spaces' else 'spaces' end, p_cursor);
    v_from.at := coalesce(v_from.at, (private.find_space(p_kind, v_from.id::text)).created_at);
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  if p_q is not null then
    v_words := tsvector_to_array(private.keyword_words(private.keyword_text(array[p_q])));
    if v_words = '{}' then
      return ('{}', null)::app.found;   -- a query without words finds nothing
    end if;
  end if;
  return private.find_spaces(p_kind, coalesce(p_mine, false), v_words, private.interest_subtree(p_interest), p_policy,
                             v_from);
end $function$;

CREATE OR REPLACE FUNCTION private.lock(p_kind text, VARIADIC p_keys text[] DEFAULT NULL::text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order(p_kind, variadic p_keys);
  if p_keys is null then
    perform pg_advisory_xact_lock(hashtextextended(p_kind, 0));
  else
    -- sort the keys, so that two transactions that take the same locks do not deadlock
    perform pg_advisory_xact_lock(k.key)
    from (select distinct hashtextextended(p_kind || ' ' || u.key, 0) as key from unnest(p_keys) u (key)
          order by key) k;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_account(p_user uuid)
 RETURNS app.users
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person app.users;
begin
  -- lock the credentials first: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials where user_id = p_user for update;
  perform private.check_lock_order('person', p_user::text);
  select * into v_person from app.users where id = p_user and erased_at is null for no key update;
  if not found then
    perform private.raise_error('person_unknown');   -- erased meanwhile
  end if;
  return v_person;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_accounts(p_people uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- lock all credentials first, then all people, each by id: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', variadic p_people::text[]);
  perform from private.credentials where user_id = any (p_people) order by user_id for update;
  perform private.check_lock_order('person', variadic p_people::text[]);
  perform from app.users where id = any (p_people) order by id for no key update;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_available(p_people uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.lock_pairs(array_fill(v_caller, array[cardinality(p_people)]), p_people);
  -- check again in a later statement, because one of two people may have blocked the other during the wait
  if (select count(*) from app.users where id = any (p_people)) < cardinality(p_people) then
    perform private.raise_error('person_unknown');
  elsif exists (select from unnest(p_people) as p (id) where not private.is_available(v_caller, p.id)) then
    perform private.raise_error('no_shared_circle');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_case_work(p_case uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.lock('case work', p_case::text);
  perform private.check_caller();   -- check again, because the caller may have been banned or demoted during the wait
end $function$;

CREATE OR REPLACE FUNCTION private.lock_effects(VARIADIC p_people uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid;
begin
  perform private.lock('effects', variadic p_people::text[]);
  -- apply the effects of one person at a time, because an error with one person must not affect the others
  foreach v_person in array p_people loop
    begin
      for v_round in 1..4 loop
        exit when private.is_stuck(v_person) or private.apply_effects_of(array[v_person]) = 0;
      end loop;
    exception when others then
      -- the worker will get the same error, and will record it in private.stuck_effects
      raise warning 'effects could not be applied: % %', sqlstate, sqlerrm;
    end;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_open_content(p_kind text, p_id uuid)
 RETURNS app.contents
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_content app.contents := private.require_content(p_kind, p_id);
begin
  -- lock the person before the head, even for the caller's own content: ARCHITECTURE.md, Locks
  perform private.share_lock_person(private.require_caller());
  perform private.write_in_space(v_content.space_id);
  perform private.share_lock_content(p_id);
  -- check again, because the content may have changed during the wait
  v_content := private.require_content(p_kind, p_id);
  perform private.require_shown(v_content);
  return v_content;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_order_parties(p_seller uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- a concurrent ban or erasure of one of the two waits for this lock, or this call fails; otherwise it would miss the
  -- new order
  perform private.check_lock_order('person', private.require_caller()::text, p_seller::text);
  perform from app.users u where u.id in (private.require_caller(), p_seller) order by u.id for share;
  if exists (select from app.users u where u.id in (app.uid(), p_seller)
             and (u.banned_at is not null or u.erased_at is not null)) then
    perform private.raise_error('offering_unknown');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_own_content(p_kind text, p_id uuid, p_seen boolean DEFAULT true)
 RETURNS app.contents
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_content app.contents;
begin
  if p_seen then
    perform private.count_writes('edits');   -- count before any lock: ARCHITECTURE.md, Locks
  end if;
  perform private.check_lock_order('content');
  select * into v_content from app.contents
  where id = p_id and kind = p_kind and author_id = private.require_caller() and deleted_at is null for no key update;
  if found and (not p_seen or exists (select from private.visible_contents where id = p_id)) then
    return v_content;
  elsif exists (select from private.visible_contents where id = p_id and kind = p_kind and author_id <> app.uid()) then
    perform private.raise_error('content_not_yours');
  end if;
  perform private.raise_error(p_kind || '_unknown');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_own_course(p_id uuid)
 RETURNS app.contents
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_head app.contents;
begin
  perform private.lock_courses(array[p_id]);   -- lock the course before the head: ARCHITECTURE.md, Locks
  v_head := private.lock_own_content('course', p_id, false);
  perform private.require_course(p_id);
  if exists (select from app.courses where id = p_id and archived_at is not null) then
    perform private.raise_error('course_archived');
  end if;
  return v_head;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_own_credentials()
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the token may have ended during the wait
  return v_caller;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_own_event(p_id uuid)
 RETURNS app.contents
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_head  app.contents;
  v_event app.events;
begin
  perform private.count_writes('edits');
  perform private.lock_events(array[p_id]);   -- lock the seats before the head: ARCHITECTURE.md, Locks
  v_head := private.lock_own_content('event', p_id, false);
  perform from private.visible_contents where id = p_id;
  if not found then
    perform private.raise_error('event_unknown');
  end if;
  select * into v_event from app.events where id = p_id;
  if v_event.cancelled_at is not null then
    perform private.raise_error('event_cancelled');
  elsif v_event.ends_at <= now() then
    perform private.raise_error('event_over');
  end if;
  return v_head;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_own_solution(p_id uuid)
 RETURNS app.problem_solutions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_solution app.problem_solutions;
begin
  -- lock heads before solutions: ARCHITECTURE.md, Locks
  perform private.share_lock_content((select problem_id from app.problem_solutions
                                 where id = p_id and author_id = private.require_caller()));
  select * into v_solution from app.problem_solutions
  where id = p_id and author_id = private.require_caller() and deleted_at is null for no key update;
  return v_solution;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_person(p_person text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.require_person(p_person);
begin
  perform private.lock_pairs(array[v_person], array[private.require_caller()]);
  return private.require_person(p_person);   -- check again, because somebody may have made a block during the wait
end $function$;

CREATE OR REPLACE FUNCTION private.lock_running_poll(p_post uuid)
 RETURNS app.polls
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_poll app.polls;
begin
  select * into v_poll from app.polls where post_id = p_post;
  perform private.require_published_post(p_post);
  if v_poll.id is null then
    perform private.raise_error('poll_unknown');
  end if;
  -- the end of a poll waits for votes in progress, so that these voters are also notified; don't lock a closed poll
  perform private.lock('poll', v_poll.id::text)
  where v_poll.closes_at is null or v_poll.closes_at > clock_timestamp();
  if v_poll.closes_at <= clock_timestamp() then   -- the poll may have closed during the wait
    perform private.raise_error('poll_closed');
  end if;
  return v_poll;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_space(p_space uuid, p_people uuid[])
 RETURNS app.spaces
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_space app.spaces;
begin
  -- lock people before spaces: ARCHITECTURE.md, Locks. A concurrent ban or erasure waits; the result of an earlier one
  -- is visible here
  perform private.check_lock_order('person', variadic p_people::text[]);
  perform from app.users where id = any (p_people) order by id for share;
  perform private.check_lock_order('space', p_space::text);
  select * into v_space from app.spaces where id = p_space for no key update;
  return v_space;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_visible_space(p_kind text, p_id text, p_people uuid[] DEFAULT '{}'::uuid[])
 RETURNS app.spaces
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_space((private.require_space(p_kind, p_id)).id, p_people || private.require_caller());
  return private.require_space(p_kind, p_id);   -- check again, because the caller may have lost access during the wait
end $function$;

CREATE OR REPLACE FUNCTION private.lock_wiki_proposal(p_id uuid)
 RETURNS app.wiki_proposals
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_proposal app.wiki_proposals;
begin
  perform private.check_lock_order('wiki proposal');
  select * into v_proposal from app.wiki_proposals where id = p_id for no key update;
  -- lock the entry before reading its version. If two proposals have the same base version, the second one then sees
  -- the version that the first one became
  perform private.lock('wiki entry', v_proposal.interest_id::text) where v_proposal.id is not null;
  return v_proposal;
end $function$;

CREATE OR REPLACE FUNCTION private.log_events()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_ids bigint[];
begin
  if not exists (select from private.unlogged_events)
     or not pg_try_advisory_xact_lock(hashtextextended('event log', 0)) then
    return 0;
  end if;
  -- Read the lowest ids that are visible: if an event depends on another, the other was committed before, with a lower
  -- id.
  v_ids := array(select u.event_id from private.unlogged_events u order by u.event_id limit 500);
  insert into private.event_log (event, subject, subject_key, payload, people, happened_at)
  select e.name,
         json_build_object('type', o.subject_type, 'id', p.payload -> o.subject_field),
         o.subject_type || ':' || (e.payload ->> o.subject_field),
         p.payload, w.people, e.created_at
  from app.domain_events e
  join private.outbound_events o on o.event = e.name
  cross join lateral (
    select array(select (e.payload ->> f.name)::uuid from unnest(o.people) f (name)
                 where e.payload ->> f.name is not null) as people
  ) w
  cross join lateral (
    select coalesce(json_object_agg(f.name, case
             when f.name = any (o.people) then to_json(private.actor_id(u.username, private.domain()))
             else (e.payload -> f.name)::json end order by f.place), '{}') as payload
    from unnest(o.fields || o.people) with ordinality f (name, place)
    -- the case keeps other fields, such as a level, from being read as ids
    left join app.users u on u.id = case when f.name = any (o.people) then (e.payload ->> f.name)::uuid end
  ) p
  where e.id = any (v_ids)
    -- nothing is written about an erased person
    and not exists (select from app.users u where u.id = any (w.people) and u.erased_at is not null)
  order by e.id;
  delete from private.unlogged_events u where u.event_id = any (v_ids);
  return cardinality(v_ids);
end $function$;

CREATE OR REPLACE FUNCTION private.make_admin(p_email text, p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.lock_roles();
  v_id := private.find_account(p_email);
  if v_id is null then
    v_id := private.create_person(p_email, p_password_hash, 'Admin', 'Admin', null, null, null, 'admin');
    update app.accounts set email_verified_at = now() where user_id = v_id;   -- the operator confirms the address
    perform private.audit('user.role_changed', 'user', v_id::text, json_build_object('from', null, 'to', 'admin'));
    return json_build_object('result', 'created');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.role = 'admin' then
    return json_build_object('result', 'unchanged');
  elsif v_person.banned_at is not null then
    return json_build_object('result', 'banned');
  elsif exists (select from app.accounts where user_id = v_id and email_verified_at is null) then
    return json_build_object('result', 'unverified');   -- somebody else may have registered with this address
  end if;
  perform private.change_account(v_id, 'admin', null);
  perform private.audit('user.role_changed', 'user', v_id::text,
                        json_build_object('from', v_person.role, 'to', 'admin'));
  return json_build_object('result', 'appointed');
end $function$;

CREATE OR REPLACE FUNCTION private.make_default_persona(p_persona uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock('personas', private.require_caller()::text);
  -- use two statements, because the index never allows a second default, not even during a statement
  update app.personas set is_default = false where user_id = app.uid() and is_default and id <> p_persona;
  update app.personas set is_default = true where user_id = app.uid() and id = p_persona;
  if not found then
    perform private.raise_error('persona_unknown');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.make_own_invite()
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me uuid := private.require_caller();
begin
  perform private.lock_effects(v_me);   -- the allotment depends on reputation
  -- lock, so that concurrent calls don't exceed the allotment
  perform private.lock('invites', v_me::text);
  if private.count_invites(v_me) >= private.invite_allotment(v_me) then
    perform private.raise_error('invites_exhausted');
  end if;
  return (private.make_invite_code(v_me)).id;
end $function$;

CREATE OR REPLACE FUNCTION private.mark_earlier_read(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_user   uuid := (p_job ->> 'userId')::uuid;
  v_group  text := p_job ->> 'groupKey';
  v_before timestamptz := p_job ->> 'before';
  v_ids    uuid[];
begin
  -- Skip locked rows to prevent deadlocks: the transaction that adds an item may hold one row and wait for another. A
  -- notification that an item is just joining becomes unread again anyway.
  if v_group is null then
    v_ids := array(select id from app.notifications
                   where user_id = v_user and read_at is null and in_app and created_at < v_before
                   order by created_at desc limit 500 for no key update skip locked);
  else
    v_ids := array(select id from app.notifications
                   where user_id = v_user and read_at is null and in_app and group_key = v_group
                     and created_at < v_before
                   order by created_at desc limit 500 for no key update skip locked);
  end if;
  update app.notifications set read_at = now() where id = any (v_ids);
  -- rows that were marked as read are not found again, so each batch starts from the beginning and needs no p_after
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.match_interests(p_session uuid)
 RETURNS TABLE(interest_id uuid, confidence numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_words tsvector;
  v_said  jsonb;
  v_query tsquery;
begin
  -- a word of the topic counts twice; a tsvector has one position for each occurrence of a word
  v_words := (select to_tsvector('pg_catalog.english', private.parsable(s.topic || ' ' || s.topic))
                     || to_tsvector('pg_catalog.english', private.parsable(
                          (select string_agg(t.answer, ' ') from app.ai_turns t where t.session_id = s.id)))
              from app.ai_sessions s where s.id = p_session);
  v_query := (select string_agg(quote_literal(w.lexeme), ' | ')
              from (select u.lexeme from unnest(v_words) u
                    order by cardinality(u.positions) desc, u.lexeme limit 300) w);
  -- a lookup by key in an object is faster than a join, which would compare every pair of words
  v_said := (select jsonb_object_agg(u.lexeme, 1 - 0.5 ^ cardinality(u.positions)) from unnest(v_words) u);
  return query
    select m.id, round(avg(coalesce((v_said -> n.lexeme)::numeric, 0)), 2)
    from (select i.id, to_tsvector('pg_catalog.english', private.parsable(i.name)) as words from app.interests i
          where to_tsvector('pg_catalog.english', private.parsable(i.name)) @@ v_query limit 200) m
    cross join lateral unnest(m.words) n (lexeme)
    group by m.id;
end $function$;

CREATE OR REPLACE FUNCTION private.mention_people(p_text text, p_writer uuid, p_post uuid, p_reply uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_names text[] := private.names_in(p_text);
  v_most  integer := least(20, cardinality(v_names));
begin
  if v_most = 0 then
    return;
  end if;
  -- Count the written names, because a count of notified people would reveal who exists and who blocks the writer. The
  -- publication of a scheduled post can return no error to its author, so it notifies as many people as the limit
  -- allows.
  v_most := private.count_writes('mentions', v_most, case when p_writer is distinct from app.uid() then p_writer end);
  perform private.emit('posts.person.mentioned', json_build_object(
    'userId', m.id, 'byId', p_writer, 'postId', p_post, 'replyId', p_reply), array[m.id])
  from (select n.id
        from unnest(private.people_named(v_names)) with ordinality as n (id, place)
        join app.users u on u.id = n.id and u.banned_at is null and u.erased_at is null
        where n.id <> p_writer
          and private.may_meet(private.find_level(n.id, p_writer))
          and private.post_visible_to(p_post, n.id)
          and not (select l.is_limited from private.limited_for(p_writer, n.id) l)
        order by n.place limit v_most) m;
end $function$;

CREATE OR REPLACE FUNCTION private.merge_objects(p_card json, p_more json)
 RETURNS json
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- join them as text, because parsing both into jsonb and printing them takes ten times as long
  return left(p_card::text, -1) || ',' || substr(p_more::text, 2);
end $function$;

CREATE OR REPLACE FUNCTION private.move(p_kind text, p_accounts uuid[], p_amounts integer[], p_id uuid DEFAULT gen_random_uuid(), p_reversal_of uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('mana account');
  perform private.ledger_points('mana', p_kind);
  insert into app.mana_transactions (id, kind, reversal_of) values (p_id, p_kind, p_reversal_of);
  -- sort the entries, because the trigger locks the wallets in this order: ARCHITECTURE.md, Locks
  insert into app.mana_entries (transaction_id, account_id, amount)
  select p_id, m.account, m.amount
  from unnest(p_accounts, p_amounts) as m (account, amount)
  order by m.account;
end $function$;

CREATE OR REPLACE FUNCTION private.names_in(p_text text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if strpos(p_text, '@') = 0 then
    return '{}';
  end if;
  -- A mention is not part of a word, an address (a@b.example) or a link (…/@name), and its name ends where the word
  -- ends. A name that is cut off at 10,000 characters does not count, because an X, which no name contains, replaces
  -- the rest.
  return array(
    select m.part[1]
    from regexp_matches(
           case when length(p_text) <= 10000 then lower(p_text)
                else lower(rtrim(left(p_text, 10000), '.-')) || 'X' end collate pg_catalog.pg_c_utf8,
           '(?<![[:alnum:]_@./+-])@([a-z0-9_]{3,30})(?:@([a-z0-9]+(?:[.-]+[a-z0-9]+)*))?(?![[:alnum:]_@])', 'g')
         with ordinality as m (part, place)
    where m.place <= 200 and coalesce(m.part[2] = (select domain from private.instance), true)
    group by m.part[1]
    order by min(m.place));
end $function$;

CREATE OR REPLACE FUNCTION private.next_comments(p_author uuid, p_after uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := coalesce((select created_at from app.video_comments where id = p_after), 'infinity');
  v_before uuid := coalesce(p_after, p_author);   -- no row has this time, so any id works
begin
  return array(select id from app.video_comments
               where author_id = p_author and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 500);
end $function$;

CREATE OR REPLACE FUNCTION private.next_contents(p_author uuid, p_after uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_kind   text := (select max(kind) || 'z' from private.content_kinds);   -- sorts after every kind
  v_from   timestamptz := 'infinity';
  v_before uuid := p_author;   -- no content has this time, so any id works
begin
  if p_after is not null then
    select kind, created_at, id into v_kind, v_from, v_before from app.contents where id = p_after;
    if not found then
      -- the content was purged meanwhile, so start again, which skips no content
      return private.next_contents(p_author, null);
    end if;
  end if;
  return array(select id from app.contents
               where author_id = p_author and (kind, created_at, id) < (v_kind, v_from, v_before)
               order by kind desc, created_at desc, id desc limit 500);
end $function$;

CREATE OR REPLACE FUNCTION private.next_replies(p_author uuid, p_after uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := coalesce((select created_at from app.replies where id = p_after), 'infinity');
  v_before uuid := coalesce(p_after, p_author);   -- no row has this time, so any id works
begin
  return array(select id from app.replies
               where author_id = p_author and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 500);
end $function$;

CREATE OR REPLACE FUNCTION private.note_changed_content()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- only its author can see a draft
  perform private.note_changed('content', new.id, case when old.is_draft then 3
                                                       else least(old.required_level, new.required_level) end);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_changed_post()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Only its author can see a post until it is published. Publishing also clears publish_at.
  perform private.note_changed('post', new.id, case
    when old.published_at is null or old.publish_at is distinct from new.publish_at then 3
    else least(old.required_level, new.required_level) end);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_changed_reply()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- only the author of a hidden or deleted post and the author of the reply could see the reply
  perform private.note_changed('reply', new.id, case
    when (select p.required_level from app.posts p where p.id = new.post_id) > 2 then 3
    else least(old.required_level, new.required_level) end);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_engagement(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now boolean;
begin
  with due as (
    insert into private.centroids as c (person_id, due_at)
    select u.id, now()
    from (select distinct e.user_id as id from unnest(p_effects) e
          where e.user_id = (e.payload ->> 'userId')::uuid) p
    join app.users u on u.id = p.id and u.erased_at is null
    order by u.id
    -- wait longer for more posts, because a recomputation is expensive and one more post moves a mean of n by only 1/n
    on conflict (person_id) do update
      set due_at = greatest(now() + c.posts * interval '12 seconds', c.refreshed_at + interval '1 minute')
      where c.due_at is null
    returning due_at
  )
  select bool_or(due_at <= now()) into v_now from due;
  if v_now and private.embedding_model() is not null then
    perform private.enqueue('centroids', '{}');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.note_late_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.updated_at < clock_timestamp() - interval '1 second' then
    -- check again, because the row may have changed once more in the same transaction
    update app.notifications set updated_at = default
    where id = new.id and updated_at < clock_timestamp() - interval '1 second';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_late_message()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.changed_at < clock_timestamp() - interval '1 second' then
    -- check again, because the row may have changed again in the same transaction
    update app.messages set changed_at = clock_timestamp()
    where id = new.id and changed_at < clock_timestamp() - interval '1 second';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_webhook_attempt(p_outcome json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_webhook  uuid := (p_outcome ->> 'webhookId')::uuid;
  v_arrived  boolean := coalesce((p_outcome ->> 'status')::integer between 200 and 299, false);
  v_delivery private.webhook_deliveries;
  v_turn     private.webhook_turns;
begin
  update private.webhook_turns t set claim = null, due_at = now()
  where t.webhook_id = v_webhook and t.claim = (p_outcome ->> 'claim')::uuid
  returning * into v_turn;
  if not found then
    return;   -- the lease has ended, and another attempt follows or was made
  end if;
  update private.webhook_deliveries d
  set status = case when v_arrived then 'delivered' when d.gives_up_at <= now() then 'failed' else 'pending' end,
      ended_at = case when v_arrived or d.gives_up_at <= now() then now() end,
      response_status = (p_outcome ->> 'status')::smallint,
      failure = p_outcome ->> 'failure',
      excerpt = case when not v_arrived then left(p_outcome ->> 'excerpt', 200) end
  where d.id = (p_outcome ->> 'deliveryId')::bigint
  returning * into v_delivery;
  if v_delivery.status = 'pending' then
    update private.webhook_turns t
    set due_at = now() + least(interval '5 seconds' * 2 ^ least(v_delivery.attempts - 1, 20), interval '6 hours')
                         * (0.8 + 0.4 * random())
    where t.webhook_id = v_webhook and t.subject_key = v_turn.subject_key;
  else
    update private.webhooks w set failing_since = case when not v_arrived then now() end
    where w.id = v_webhook and (w.failing_since is null) = (not v_arrived);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.notification_cards(p_ids uuid[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
AS $function$
declare
  v_keys  text[];
  v_words text[];
begin
  select keys, words into v_keys, v_words from private.words_of_targets(p_ids);
  -- use text, which is parsed once
  return (
    select ('[' || string_agg(left(c.card::text, -1)
                              || coalesce(v_words[array_position(v_keys, c.target)], ',"title":null,"excerpt":null}'),
                              ',' order by i.place) || ']')::json
    from unnest(p_ids) with ordinality as i (id, place) join app.notification_card c on c.id = i.id);
end $function$;

CREATE OR REPLACE FUNCTION private.notify_decided(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- the notification has no actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, 'decision', e.payload ->> 'decisionId',
            jsonb_build_object('targetType', 'decision', 'targetId', e.payload ->> 'decisionId',
                               'action', e.payload ->> 'action', 'appealPath', private.appeal_path(d, false)),
            null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.decisions d on d.id = (e.payload ->> 'decisionId')::uuid));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_event_guests(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.notify(array(
    select (e.user_id, 'event.reminder', null, 'event', v.id::text, n.payload, n.key, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.contents c on c.id = (e.payload ->> 'eventId')::uuid and c.required_level = 0
    join app.events v on v.id = c.id
    join app.event_rsvps r on r.event_id = c.id and r.user_id = e.user_id
    cross join lateral (
      select jsonb_strip_nulls(jsonb_build_object(
               'eventId', v.id, 'event', e.payload -> 'event', 'startsAt', private.utc(v.starts_at),
               'sequence', e.payload -> 'sequence')) as payload,
             -- each given seat has its own key, so that no notification of a seat replaces another
             concat_ws(':', 'event.reminder', v.id, e.payload ->> 'event',
                       case when e.event = 'events.place.given' then e.id end) as key) n
    cross join lateral private.visibility(c.author_id, c.required_level, c.space_id, p_viewer => e.user_id) seen
    where r.status in ('going', case when e.event = 'events.event.changed' then 'waitlisted' end)
      and (e.event <> 'events.event.changed' or c.author_id <> e.user_id)
      and (v.cancelled_at is not null) = (e.payload ->> 'event' = 'cancelled')
      and (e.event <> 'events.event.reminded' or private.utc(v.starts_at) = e.payload ->> 'startsAt')
      and seen.is_visible
      -- a batch may run twice, so skip a change of which the person has already been notified
      and not exists (select from (select o.payload from app.notifications o
                                   where o.user_id = e.user_id and o.group_key = n.key
                                   order by o.created_at desc limit 1) o
                      where (o.payload ->> 'sequence')::integer >= (e.payload ->> 'sequence')::integer)
    order by e.id));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_moderated(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- the notification has no actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            e.payload - 'authorId', null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_order(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- the notification has no actor, because it is about the mana of both parties, and a mute or a block must not drop
  -- it
  perform private.notify(array(
    select (e.user_id, 'order.updated', null, 'order', n.id::text,
            jsonb_build_object('orderId', n.id, 'state', n.state),
            -- a buyer can place and cancel any number of orders before the seller accepts one, so all orders for one
            -- offering share a group key. The key has a hash, because nobody may see the internal id of the buyer
            case when u.untaken then concat_ws(':', 'order.updated', o.offering_id,
                                               md5(concat_ws(':', o.offering_id, o.buyer_id))) end,
            null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.orders o on o.id = (e.payload ->> 'orderId')::uuid
    cross join lateral (
      select e.user_id = o.seller_id and (e.payload ->> 'state' = 'held' or o.deadline_at is null) as untaken) u
    -- the shared notification must not be about an ended order while another order waits for the seller
    cross join lateral (
      select case when u.untaken and e.payload ->> 'state' <> 'held' then private.find_waiting_order(o) end as id) w
    cross join lateral (
      select coalesce(w.id, o.id) as id, case when w.id is null then e.payload ->> 'state' else 'held' end as state) n
    order by e.id));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_paid(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.notify(array(
    select (e.user_id, 'payment.received', p.sender_id, 'payment', p.id::text,
            jsonb_build_object('paymentId', p.id, 'emotion', p.emotion, 'tier', p.tier, 'amount', s.amount,
                               -- a co-author is paid even for a post that they can no longer see
                               'postId', case when private.post_visible_to(p.post_id, e.user_id) then p.post_id end,
                               'replyId', p.reply_id), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.payments p on p.id = (e.payload ->> 'paymentId')::uuid
    join app.payment_splits s on s.payment_id = p.id and s.receiver_id = e.user_id));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_project_update(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- leave out people who have left the project meanwhile, and everybody if the update is deleted
  perform private.notify(array(
    select (e.user_id, 'series.updated', (e.payload ->> 'authorId')::uuid, 'project', e.payload ->> 'projectId',
            jsonb_build_object('projectId', e.payload -> 'projectId', 'updateId', e.payload -> 'updateId'),
            concat_ws(':', 'series.updated', e.payload ->> 'projectId'), null,
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.project_updates w on w.id = (e.payload ->> 'updateId')::uuid
    join app.project_members m on m.project_id = w.project_id and m.user_id = e.user_id
    join app.contents c on c.id = w.project_id and c.required_level = 0
    cross join lateral private.visibility(c.author_id, c.required_level, c.space_id, p_viewer => e.user_id) v
    where v.is_visible
    order by e.id));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_series_extended(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.notify(array(
    select (e.user_id, 'series.updated', p.author_id, 'post', p.id::text, e.payload, k.key, array[p.id],
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.posts p on p.id = (e.payload ->> 'postId')::uuid
    cross join lateral (select 'series.updated:' || (e.payload ->> 'seriesId') as key) k
    -- A batch may run twice, so skip an item if the person has already been notified of it or of a later one.
    where not exists (
      select from (select o.payload from app.notifications o
                   where o.user_id = e.user_id and o.group_key = k.key order by o.created_at desc limit 1) o
      where o.payload = e.payload or private.item_time(o.payload) > private.item_time(e.payload))
    order by e.id));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_wiki_resolved(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- the notification has no actor, because the community or staff decided
  perform private.notify(array(
    select (e.user_id, 'wiki.resolved', null, 'wiki-proposal', e.payload ->> 'proposalId',
            e.payload || jsonb_build_object('slug', i.slug), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.interests i on i.id = (e.payload ->> 'interestId')::uuid));
end $function$;

CREATE OR REPLACE FUNCTION private.open_ai_session(p_topic text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_topic   text;
  v_session app.ai_sessions;
begin
  -- NFC combines up to four characters into one, so a topic of more than 400 characters is too long even in NFC.
  -- Reject it before normalizing.
  if (length(p_topic) <= 400) is not true then
    perform private.raise_error('ai_topic');
  end if;
  v_topic := private.require_name(p_topic);
  if length(v_topic) > 60 and not exists (select from app.interests where name = v_topic) then
    perform private.raise_error('ai_topic');
  end if;
  perform private.count_writes('reflections');
  insert into app.ai_sessions (user_id, topic) values (private.require_caller(), v_topic) returning * into v_session;
  perform private.put_ai_question(v_session);
  return v_session.id;
end $function$;

CREATE OR REPLACE FUNCTION private.open_direct(p_other uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_id     uuid;
begin
  -- the pair is locked, so no concurrent call can create the conversation
  insert into app.conversations (kind, one_id, other_id)
  values ('direct', least(v_caller, p_other), greatest(v_caller, p_other))
  returning id into v_id;
  perform private.start_membership(v_id, array[v_caller, p_other], 1);
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.open_hold(p_id uuid, p_purpose text, p_holder uuid, p_amount integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into app.mana_accounts (id, kind) values (p_id, 'hold');
  insert into app.mana_holds (id, holder_id, purpose) values (p_id, p_holder, p_purpose);
  perform private.lock_wallets(array[p_holder]);   -- regenerate the wallet before the hold has a balance
  perform private.move('hold', array[p_holder, p_id], array[-p_amount, p_amount], p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.open_rule_cases(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type     text := p_job ->> 'targetType';
  v_target   uuid := (p_job ->> 'targetId')::uuid;
  v_hidden   boolean := (p_job ->> 'hidden')::boolean and private.is_hidden(v_type, v_target)
                        and not private.people_hid(v_type, v_target);
  v_hit      record;
  v_case     uuid;
  v_category text;
  v_cases    integer := 0;
begin
  for v_hit in
    select h.id, r.name, coalesce(r.category, 'other') as category
    from app.rule_hits h left join app.moderation_rules r on r.id = h.rule_id
    where h.target_id = v_target and h.case_id is null
      and h.rule_id in (select i::uuid from jsonb_array_elements_text(p_job -> 'ruleIds') i)
    order by h.action desc, h.rule_id
    for update of h   -- a second run of the job waits here, and then finds no hits
  loop
    v_case := private.open_case(v_type, v_target, v_hit.category, 'rule', v_hit.name);
    update app.rule_hits set case_id = v_case where id = v_hit.id;
    v_category := coalesce(v_category, v_hit.category);   -- the category of a rule that hides, if there is one
    v_cases := v_cases + 1;
  end loop;
  if v_hidden and v_cases > 0 then
    perform private.record_hold(v_type, v_target, (p_job ->> 'authorId')::uuid, v_case, v_category);
  end if;
  return json_build_object('changed', v_cases, 'next', null);
end $function$;

CREATE OR REPLACE FUNCTION private.overturn(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
  v_undo    text;
begin
  update app.decisions set overturned_at = now() where id = (p_decision).id;
  select u.* into v_handler
  from private.case_handlers h
  join private.case_handlers u on u.target_type = h.target_type and u.action = h.undo
  where h.target_type = (p_decision).target_type and h.action = (p_decision).action;
  if not found or (p_decision).lifted_at is not null or exists (
       -- another decision has the same effect, so the effect stays
       select from app.decisions d
       join private.case_handlers h on h.target_type = d.target_type and h.action = d.action
       where d.target_type = (p_decision).target_type and d.target_id = (p_decision).target_id
         and d.id <> (p_decision).id and d.lifted_at is null and d.overturned_at is null
         and h.undo = v_handler.action) then
    return false;
  end if;
  perform set_config('kith.case', json_build_object('caseId', (p_decision).case_id)::text, true);
  -- safe: the statement comes from the registry
  execute v_handler.statement using (p_decision).target_id, null::text, null::timestamptz;
  perform set_config('kith.case', '', true);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.pin(p_post uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_pinned integer;
  v_all    integer;
begin
  -- lock first and count in a later statement, so that each call sees the pins of earlier calls
  perform private.lock('pins', private.require_caller()::text);
  -- don't count reposts that their author cannot see, because the author does not find them on the profile to unpin
  -- them
  select count(*) filter (where private.post_visible_to(id, author_id)), count(*) into v_pinned, v_all
  from app.posts
  where author_id = app.uid() and pinned_at is not null and deleted_at is null and id <> p_post;
  if v_pinned >= 3 or v_all >= 50 then
    perform private.raise_error('pins_exhausted');
  end if;
  update app.posts set pinned_at = now() where id = p_post and author_id = app.uid() and pinned_at is null;
end $function$;

CREATE OR REPLACE FUNCTION private.place_item(p_series uuid, p_post uuid, p_position integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_others integer;
  v_from   integer;
  v_to     integer;
  v_new    boolean;
begin
  -- lock the post first: ARCHITECTURE.md, Locks. This also prevents two series from adding the post at the same time
  perform private.check_lock_order('post');
  perform from app.posts where id = p_post and author_id = private.require_caller() for update;
  perform private.lock_series(p_series);
  perform from app.series s join app.posts p on p.author_id = s.author_id
  where s.id = p_series and p.id = p_post and s.author_id = private.require_caller() and p.deleted_at is null;
  if not found then
    perform private.raise_error('series_unknown');
  end if;

  select count(*) filter (where post_id <> p_post), max(position) filter (where post_id = p_post)
  into v_others, v_from
  from app.series_items where series_id = p_series;
  v_to := coalesce(p_position, v_others + 1);
  v_new := v_from is null;
  if v_new and v_others >= 200 then
    perform private.raise_error('series_full');
  elsif v_new and (select count(*) from app.series_items where post_id = p_post) >= 5 then
    perform private.raise_error('series_of_post_exceeded');
  elsif v_to not between 1 and v_others + 1 then
    perform private.raise_error('series_position');
  end if;

  if v_new then
    v_from := v_others + 1;
    insert into app.series_items (series_id, post_id, position) values (p_series, p_post, v_from);
  end if;
  update app.series_items
  set position = case when post_id = p_post then v_to else position + sign(v_from - v_to)::integer end
  where series_id = p_series and position between least(v_from, v_to) and greatest(v_from, v_to) and v_from <> v_to;
  -- as if the item were removed and then inserted at its new position
  update private.deleted_series_items l
  set position = m.position + (m.position > v_to)::integer
  from (select post_id, position - (position > v_from)::integer as position
        from private.deleted_series_items where series_id = p_series) m
  where l.series_id = p_series and l.post_id = m.post_id;
  return v_new;
end $function$;

CREATE OR REPLACE FUNCTION private.place_order(p_offering app.contents, p_note text, p_expected integer)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me       uuid := private.require_caller();
  v_order    app.orders;
  v_offering app.offerings;
begin
  select o.* into v_offering from app.offerings o where o.id = p_offering.id for no key update;
  if not found then
    perform private.raise_error('offering_unknown');   -- the offering was deleted while this call waited
  elsif v_offering.paused then
    perform private.raise_error('offering_paused');
  end if;
  perform private.require_price(v_offering.price_mana, p_expected);
  if v_offering.stock = 0 then
    perform private.raise_error('sold_out');
  end if;
  update app.offerings set stock = stock - 1 where id = v_offering.id;
  insert into app.orders (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock,
                          note, due_at)
  values (v_offering.id, v_me, p_offering.author_id, p_offering.title, v_offering.description, v_offering.price_mana,
          v_offering.delivery_days, v_offering.stock is not null, p_note,
          (select now() + t.after from private.order_transitions t where t.state = 'held' and t.after is not null))
  returning * into v_order;
  perform private.note_order(v_order, 'buyer');
  perform private.open_hold(v_order.id, 'order', v_me, v_order.price_mana);
  return v_order.id;
end $function$;

CREATE OR REPLACE FUNCTION private.post_cards(p_ids uuid[], p_more text[] DEFAULT NULL::text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_cards  app.card_text[] := private.card_texts(p_ids);
  v_ids    uuid[] := array(select c.quoted_id from unnest(v_cards) c where c.quoted_id is not null);
  v_quoted app.card_text[];
begin
  if v_ids <> '{}' then
    v_quoted := private.card_texts(v_ids);
  end if;
  return (
    select coalesce('[' || string_agg(o.text, ',') || ']', '[]')
    -- order here, because string_agg would sort the texts
    from (select c.text
                 || coalesce(',"quotedPostId":"' || c.quoted_id || '","quotedPost":'
                             || (v_quoted[array_position(v_ids, c.quoted_id)]).text || '}',
                             ',"quotedPostId":null,"quotedPost":null')
                 || coalesce(p_more[c.place], '') || '}' as text
          from unnest(v_cards) with ordinality as c (text, quoted_id, place)
          where c.text is not null
          order by c.place) o);
end $function$;

CREATE OR REPLACE FUNCTION private.post_reasons(p_post app.posts, p_person uuid, p_access private.access)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_wanted smallint := private.visibility_level((p_post).visibility);
  v_rule   record;
  v_effect text;
begin
  select * into v_rule
  from private.visibility((p_post).author_id, v_wanted, (p_post).space_id, p_viewer => p_person);
  -- cases in which only the author sees the thing
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;
  return array_remove(
    array[case when (p_post).deleted_at is not null then private.reason('deleted', 'denies') end]
    || private.author_reasons((p_post).author_id, p_person, v_rule.level, (p_post).author_banned)
    || array[
      case when (p_post).hidden_at is not null then
        private.reason(private.hider('post', (p_post).id, 'hidden'), v_effect) end,
      case when (p_post).published_at is null then
        private.reason('scheduled', v_effect) end,
      case when v_rule.level between 0 and 2 and (v_wanted > 0 or (p_post).space_id is null) then
        private.reason(case v_wanted when 0 then 'public' when 1 then 'circle' else 'inner_circle' end,
                       case when v_rule.level >= v_wanted then 'allows' else 'denies' end) end,
      case when (p_post).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_post).space_id),
                                (p_post).space_id) end,
      case when (p_post).format = 'repost'
                and private.post_visible_to((p_post).quoted_post_id, p_person) is not true then
        private.reason('original_unseen', 'denies', 'post', (p_post).quoted_post_id) end,
      case when p_access.can_see and not p_access.is_listed then private.reason('limited_author', 'leaves_out') end,
      case when p_access.is_muted then private.reason('muted', 'leaves_out') end], null);
end $function$;

CREATE OR REPLACE FUNCTION private.posts_about(p_interests uuid[], p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_each   integer := 101 / greatest(cardinality(p_interests), 1) + 2;
  v_most   integer := greatest(4, least(101, 4000 / greatest(cardinality(p_interests), 1)));
  v_until  timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_places integer[];
begin
  -- the same as in private.posts_by; a post that is about several of these interests counts once
  select c.published_at into v_until
  from (select distinct c.published_at, c.post_id
        from unnest(p_interests) n (interest_id)
        cross join lateral (
          select published_at, post_id from app.post_interests
          where interest_id = n.interest_id and (published_at, post_id) < (v_from, v_before)
          order by published_at desc, post_id desc limit v_each) c) c
  order by c.published_at desc offset 100 limit 1;
  v_until := coalesce(v_until, '-infinity');
  select array_agg(c.post_id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(p_interests) n (interest_id)
  cross join lateral (
    select post_id, published_at, row_number() over (order by published_at desc, post_id desc) as place
    from app.post_interests
    where interest_id = n.interest_id and (published_at, post_id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, post_id desc limit v_most) c;
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.posts_by(p_authors uuid[], p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_each   integer := 101 / greatest(cardinality(p_authors), 1) + 2;
  v_most   integer := least(101, 4000 / greatest(cardinality(p_authors), 1));
  v_until  timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_places integer[];
begin
  -- first read a few posts of each author, enough for a page, to find the time at which the page ends; then read all
  -- posts since that time
  select c.published_at into v_until
  from unnest(p_authors) a (author_id)
  cross join lateral (
    select published_at from app.posts
    where author_id = a.author_id and (published_at, id) < (v_from, v_before)
    order by published_at desc, id desc limit v_each) c
  where a.author_id <> all (p_muted)
  order by c.published_at desc offset 100 limit 1;
  v_until := coalesce(v_until, '-infinity');
  select array_agg(c.id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(p_authors) a (author_id)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts
    where author_id = a.author_id and (published_at, id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, id desc limit v_most) c
  where a.author_id <> all (p_muted);
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.posts_within(p_spaces uuid[], p_before timestamp with time zone, p_until timestamp with time zone, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_before timestamptz := p_before;   -- plain variables, so that the planner can use the index
  v_until  timestamptz := p_until;
  v_start  timestamptz := p_until;
  v_each   integer := 51 / greatest(cardinality(p_spaces), 1) + 2;
  v_from   timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_looked integer;
begin
  -- first read a few posts of each space, enough for 51, to find the time of the 51st; then read all posts since that
  -- time
  select c.published_at into v_from
  from unnest(p_spaces) s (id)
  cross join lateral (
    select published_at from app.posts
    where within_id = s.id and required_level <= 2 and published_at < v_before and published_at >= v_until
    order by published_at desc, id desc limit v_each) c
  order by c.published_at desc offset 50 limit 1;
  v_from := coalesce(v_from, v_until);
  select array_agg(w.id), array_agg(w.published_at) into v_ids, v_times
  from (select c.id, c.published_at
        from unnest(p_spaces) s (id)
        cross join lateral (
          select id, published_at from app.posts
          where within_id = s.id and required_level <= 2 and published_at < v_before and published_at >= v_from
          order by published_at desc, id desc limit 51) c
        order by c.published_at desc, c.id desc limit 51) w;
  v_looked := 2 * cardinality(p_spaces) + coalesce(cardinality(v_ids), 0);
  if cardinality(v_ids) = 51 then
    v_start := private.block_end(v_times[51]);
    if v_start > v_times[1] then   -- all 51 posts are in one block; show only the newest 50
      v_start := private.block_start(v_times[51]);
      v_ids := v_ids[:50];
      v_times := v_times[:50];
    end if;
  end if;
  select array_agg(w.id), array_agg(w.at) into v_ids, v_times
  from unnest(v_ids, v_times) as w (id, at) join private.listed_posts v on v.id = w.id
  where w.at >= v_start and v.required_level <= 2 and v.author_id <> all (p_muted);
  return (v_ids, v_times, (v_start, '00000000-0000-0000-0000-000000000000')::app.place, v_looked)::app.feed_run;
end $function$;

CREATE OR REPLACE FUNCTION private.prepare_post()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' and new.format = 'repost' then
    -- take the same lock as the foreign key: either this statement waits for an edit of the original, or the edit
    -- finds the repost (private.sync_repost_audience)
    select p.closer_id, p.space_id into new.original_author_id, new.original_space_id
    from app.posts p where p.id = new.quoted_post_id for key share;
  end if;
  new.keyword_words := private.keyword_words(private.keyword_text(array[new.title, new.body]));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.propose(p_guild text, p_kind text, p_title text, p_body text, p_payload jsonb, p_closes_at timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_title   text := private.require_name(p_title);
  v_body    text := coalesce(private.require_markdown(p_body), '');
  v_closes  timestamptz := coalesce(p_closes_at, now() + interval '72 hours');
  v_kind    private.proposal_kinds;
  v_subject uuid;
  v_space   app.spaces;
  v_payload jsonb;
  v_id      uuid;
begin
  perform private.count_writes('proposals');
  select * into v_kind from private.proposal_kinds where kind = p_kind;
  if not found then
    perform private.raise_error('proposal_kind');
  elsif coalesce(v_title, '') = '' then
    perform private.raise_error('proposal_title');
  elsif v_closes not between now() + interval '1 hour' and now() + interval '30 days' then
    perform private.raise_error('proposal_closes_at');
  end if;
  if v_kind.person_key is not null then
    if jsonb_typeof(p_payload -> v_kind.person_key) is distinct from 'string' then
      perform private.raise_error('proposal_payload');
    end if;
    v_subject := private.require_visible_person(p_payload ->> v_kind.person_key);
  end if;
  v_space := private.lock_visible_space('guild', p_guild, array_remove(array[v_subject], null));
  perform private.require_space_role(v_space.id, 'owner', 'moderator', 'member');
  perform private.require_open(v_space);
  if v_subject is not null then
    -- check again, because this call may have waited for the lock
    perform private.require_visible_person(p_payload ->> v_kind.person_key);
  end if;
  if (select count(*) from app.guild_proposals where guild_id = v_space.id and status = 'open') >= 50 then
    perform private.raise_error('proposals_exhausted');
  end if;
  execute format('select %s($1, $2, $3)', v_kind.checker) into v_payload
    using v_space, v_subject, coalesce(p_payload, '{}');
  insert into app.guild_proposals (guild_id, proposer_id, kind, title, body, subject_id, payload, closes_at, due_at)
  values (v_space.id, app.uid(), p_kind, v_title, v_body, v_subject, v_payload, v_closes, v_closes)
  returning id into v_id;
  return private.proposal_detail(v_id);
end $function$;

CREATE OR REPLACE FUNCTION private.publish_now(p_post uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from app.posts where id = p_post and author_id = app.uid()) then
    if not private.may_publish_in((select space_id from app.posts where id = p_post), app.uid()) then
      perform private.raise_error('space_archived');   -- for people who are no longer members, the post is unknown
    end if;
    perform private.publish_post(p_post);
    update app.posts set publish_at = null where id = p_post;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.put_rsvp(p_event uuid, p_user uuid, p_status text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_old   text;
  v_since timestamptz;
  v_going integer;
begin
  select status into v_old from app.event_rsvps where event_id = p_event and user_id = p_user;
  -- the clock may show the same time as for the previous reply, or an earlier one
  v_since := greatest(clock_timestamp(), (
    select since from app.event_rsvps where event_id = p_event and status = p_status
    order by since desc limit 1) + interval '1 microsecond');
  if p_status is null then
    delete from app.event_rsvps where event_id = p_event and user_id = p_user;
  else
    insert into app.event_rsvps as r (event_id, user_id, host_id, space_id, status, since)
    select c.id, p_user, c.author_id, c.space_id, p_status, v_since from app.contents c where c.id = p_event
    on conflict (event_id, user_id) do update set status = excluded.status, since = excluded.since;
  end if;
  update app.event_seats
  set going = going + (p_status is not distinct from 'going')::integer
                    - (v_old is not distinct from 'going')::integer,
      interested = interested + (p_status is not distinct from 'interested')::integer
                              - (v_old is not distinct from 'interested')::integer,
      waitlisted = waitlisted + (p_status is not distinct from 'waitlisted')::integer
                              - (v_old is not distinct from 'waitlisted')::integer
  where event_id = p_event returning going into v_going;
  if v_going <= 1 then
    perform private.plan_reminder(p_event);   -- the first guest replied, or the last guest took their reply back
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.raise_trending()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- count only whole doublings, so that the row of the post and its indexes rarely change
  v_engagement integer := new.reactions + new.replies - new.bot_replies + new.shares + new.bookmarks;
  -- log(2, …) would take twenty times as long
  v_boost smallint := length(ltrim((1 + v_engagement)::bit(32)::text, '0')) - 1;
begin
  update app.posts set trending_boost = v_boost where id = new.post_id and trending_boost <> v_boost;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.random_code()
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c_alphabet constant text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';
  v_code text := '';
  v_byte integer;
begin
  while length(v_code) < 6 loop
    v_byte := get_byte(extensions.gen_random_bytes(1), 0);
    -- 204 is the largest multiple of 34 in a byte; higher values would favour the first letters
    if v_byte < 204 then
      v_code := v_code || substr(c_alphabet, v_byte % 34 + 1, 1);
    end if;
  end loop;
  return 'INV-' || v_code;
end $function$;

CREATE OR REPLACE FUNCTION private.read_query(p_q text, p_interests uuid[])
 RETURNS private.search_query
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_query private.search_query;
  v_part  text[];
  v_text  text;
  v_one   tsquery;
  v_many  integer;
  v_all   integer := 0;
  v_highlight integer := 0;
begin
  v_query.interests := p_interests;
  for v_part in select regexp_matches(left(p_q, 200), '(-?)(?:"([^"]*)"|(\S+))', 'g') loop
    v_text := coalesce(v_part[2], v_part[3]);
    v_one := phraseto_tsquery('private.search', private.parsable(v_text));
    v_many := (numnode(v_one) + 1) / 2;   -- numnode also counts operators, and there is one between every two words
    continue when v_many = 0;
    v_all := v_all + v_many;
    if v_part[1] = '-' then
      v_query.without := case when v_query.without is null then v_one else v_query.without || v_one end;
    else
      v_query.query := case when v_query.query is null then v_one else v_query.query && v_one end;
      v_query.words := v_query.words || tsvector_to_array(to_tsvector('private.search', private.parsable(v_text)));
      v_query.said := concat_ws(' ', v_query.said, v_text);
      if v_highlight + v_many <= 8 then
        v_highlight := v_highlight + v_many;
        v_query.highlight := case when v_query.highlight is null then v_one else v_query.highlight || v_one end;
      end if;
    end if;
  end loop;
  if v_all > 32 then
    perform private.raise_error('search_words');
  end if;
  -- the longest words are usually the rarest
  v_query.words := array(select w.word from (select distinct unnest(v_query.words) as word) w
                         order by length(w.word) desc, w.word limit 4);
  v_query.ranking := (select string_agg(private.quoted_word(w), ' & ') from unnest(v_query.words) w)::tsquery;
  v_query.highlight := coalesce(v_query.highlight, v_query.ranking);
  return v_query;
end $function$;

CREATE OR REPLACE FUNCTION private.readiness()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c_within constant text := '3 minutes';
begin
  return json_build_object(
    -- the CLI splits a migration into statements and drops the last semicolon, so a migration that was split has no
    -- comparable hash
    'migrations', (select coalesce(json_object_agg(m.version, case when cardinality(m.statements) = 1 then encode(
                            sha256(convert_to(regexp_replace(btrim(m.statements[1], E' \t\r\n'), ';$', ''), 'UTF8')),
                            'hex') end), '{}')
                   from supabase_migrations.schema_migrations m),
    'functions', private.functions_fingerprint(),
    'worker', exists (select from pgboss.version v where v.cron_on > now() - c_within::interval)
           or exists (select from private.job_runs r where r.last_run_at > now() - c_within::interval),
    'within', c_within);
end $function$;

CREATE OR REPLACE FUNCTION private.record_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_entry  app.audit_log;
  v_kind   private.decision_kinds;
  v_work   json := nullif(current_setting('kith.case', true), '')::json;
  v_case   app.cases;
  v_action text;
  v_id     uuid;
  v_first  uuid;
begin
  select * into v_entry from app.audit_log where id = new.audit_id;
  select * into v_kind from private.decision_kinds where verb = split_part(v_entry.action, '.', 2);
  if not found then
    return null;
  end if;
  select * into v_case from app.cases
  where id = (v_work ->> 'caseId')::uuid
     or v_work is null and target_type = v_entry.target_type and target_id = v_entry.target_id::uuid
    and status = 'open';
  if v_kind.lifts then
    update app.decisions set lifted_at = now()
    where target_type = v_entry.target_type and target_id = v_entry.target_id::uuid and lifted_at is null
      and (action = v_kind.action or v_kind.action = 'ban' and action = 'suspend');
    v_action := 'un' || v_kind.action;
  else
    v_action := v_kind.action;
    if v_action in ('hide', 'remove') and v_entry.actor_id is not null and v_work ->> 'spaceId' is null then
      -- staff takes over what a rule or a space has hidden
      update app.decisions set lifted_at = now()
      where target_type = v_entry.target_type and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('hide', 'remove') and (decided_by is null or space_id is not null);
    elsif v_action in ('ban', 'suspend') then
      if v_action = 'suspend' and v_case.id is null then
        select coalesce(d.continues, d.id) into v_first from app.decisions d
        where d.target_type = 'user' and d.target_id = v_entry.target_id::uuid and d.lifted_at is null
          and d.action = 'suspend'
        order by d.decided_at desc limit 1;
      end if;
      -- a ban has one end, which the newest decision sets
      update app.decisions set lifted_at = now()
      where target_type = 'user' and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('ban', 'suspend');
    end if;
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id, space_id, continues)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id, (v_work ->> 'spaceId')::uuid, v_first)
    returning id into v_id;
    if v_entry.target_type = 'user' then
      -- the event admin.content.moderated notifies the author of what was hidden or removed
      perform private.emit('moderation.decided', json_build_object(
        'decisionId', v_id, 'personId', new.subject_id, 'action', v_action), array[new.subject_id]);
    end if;
  end if;
  if v_case.id is not null then
    perform private.add_case_event(v_case.id, v_action, null, json_build_object('decisionId', v_id));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.recount_proposals(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user  uuid := (p_job ->> 'userId')::uuid;
  v_guild uuid;
begin
  select m.space_id into v_guild from app.space_members m
  where m.user_id = v_user and m.hidden and (p_after is null or m.space_id > p_after)
    and exists (select from app.guild_proposals p where p.guild_id = m.space_id and p.status = 'open')
  order by m.space_id limit 1;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock_space(v_guild, '{}');   -- lock the guild before its proposals: ARCHITECTURE.md, Locks
  update app.guild_proposals set due_at = least(due_at, clock_timestamp())
  where guild_id = v_guild and status = 'open';
  return json_build_object('changed', 1, 'next', v_guild);
end $function$;

CREATE OR REPLACE FUNCTION private.release_bounties(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user uuid := (p_job ->> 'userId')::uuid;
  v_ids  uuid[];
  v_id   uuid;
begin
  perform from app.users where id = v_user and (banned_at is not null or erased_at is not null) for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  v_ids := array(select id from app.mana_holds
                 where holder_id = v_user and purpose = 'bounty' and settled_at is null
                   and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
                 order by id limit 100);
  -- lock heads, then details, then wallets. Problems of erased people are deleted, and nothing else settles their
  -- holds
  perform from app.contents
  where id in (select p.id from app.problems p where p.hold_id = any (v_ids)) order by id for no key update;
  perform from app.problems where hold_id = any (v_ids) order by id for no key update;
  update app.problems set hold_id = null, bounty = 0 where hold_id = any (v_ids);
  perform private.lock_wallets(v_ids || v_user);
  foreach v_id in array v_ids loop
    if exists (select from app.mana_holds where id = v_id and settled_at is null) then
      perform private.settle_hold(v_id);
    end if;
  end loop;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[100]);
end $function$;

CREATE OR REPLACE FUNCTION private.release_held(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_author uuid;
begin
  if v_type.type is null then
    return;
  elsif not private.only_rules_hid(p_type, p_id) then
    -- a thing that a space hid, too, stays hidden, now only by the decision of the space
    update app.decisions set lifted_at = now()
    where target_type = p_type and target_id = p_id and lifted_at is null and action in ('hide', 'remove')
      and decided_by is null;
    return;
  end if;
  perform private.lock_judged(p_type, p_id);
  -- safe: the names and the condition come from the registry
  execute format('select author_id from %s where id = $1 and %I is not null and %s for no key update',
                 v_type.relation, v_type.hidden_at, v_type.present) into v_author using p_id;
  if v_author is null or not private.only_rules_hid(p_type, p_id) then
    return;   -- staff has decided during the wait
  end if;
  execute format('update %s set %I = null where id = $1', v_type.relation, v_type.hidden_at) using p_id;
  perform private.record_moderation(
    p_type, p_id,
    (select l.verb from private.decision_kinds k join private.decision_kinds l on l.action = k.action and l.lifts
     where k.verb = v_type.verb), v_author, null);
end $function$;

CREATE OR REPLACE FUNCTION private.release_hidden_seats(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job json := json_build_object('userId', p_user.id);
begin
  -- an erasure releases these seats later, together with those of the person's own events, which it deletes
  perform private.lock_events(array(select event_id from app.event_rsvps where user_id = p_user.id
                                    order by event_id limit 500)
                              || case when p_user.erased_at is not null
                                      then private.next_contents(p_user.id, null) end);
  if private.release_seats(v_job::jsonb) ->> 'next' is null then
    return;
  elsif p_user.erased_at is not null then
    perform private.erase_later('released-seats', v_job);
  else
    perform private.enqueue('released-seats', v_job);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.release_left_seats()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- an erasure releases all seats later: ARCHITECTURE.md, Locks
  if not exists (select from app.users where id = old.user_id and erased_at is not null) then
    perform private.release_seats_soon(json_build_object('userId', old.user_id, 'spaceId', old.space_id));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.release_seats(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_user   uuid := (p_job ->> 'userId')::uuid;
  v_host   uuid := (p_job ->> 'hostId')::uuid;
  v_space  uuid := (p_job ->> 'spaceId')::uuid;
  v_after  uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_erased boolean := exists (select from app.users where id = v_user and erased_at is not null);
  v_ids    uuid[];
  v_id     uuid;
begin
  -- check the reason again, because a block, for example, may have ended before the batch runs
  if v_host is not null then
    if not private.may_meet(private.find_level(v_user, v_host)) then
      v_ids := array(select event_id from app.event_rsvps
                     where host_id = v_host and user_id = v_user and event_id > v_after order by event_id limit 500);
    end if;
  elsif v_space is not null then
    if private.find_role(v_space, v_user) is null then
      v_ids := array(select event_id from app.event_rsvps
                     where space_id = v_space and user_id = v_user and event_id > v_after order by event_id limit 500);
    end if;
  elsif exists (select from app.hidden_people where user_id = v_user) then
    v_ids := array(select event_id from app.event_rsvps
                   where user_id = v_user and event_id > v_after order by event_id limit 500);
  end if;
  if v_ids is null then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock_events(v_ids);
  for v_id in
    select i.id from unnest(v_ids) i (id)
    where v_erased or exists (select from app.events e where e.id = i.id and e.ends_at > now())
    order by i.id
  loop
    perform private.put_rsvp(v_id, v_user, null);
    perform private.fill_seats(v_id);
  end loop;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.release_settled(p_case uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_case app.cases;
begin
  select * into v_case from app.cases where id = p_case;
  perform private.lock_held(v_case.target_type, v_case.target_id);
  perform private.check_lock_order('case', p_case::text);
  -- lock the row before looking, so that a concurrent report counts
  perform from app.cases where id = p_case for no key update;
  if not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                 where c.case_id = p_case and r.status = 'open') then
    perform private.restart_lock_order();   -- this transaction already holds the locks that hiding the thing takes
    perform private.release_held(v_case.target_type, v_case.target_id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_argument(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_debate uuid;
begin
  select debate_id into v_debate from app.debate_arguments
  where id = p_id and author_id = private.require_caller() and deleted_at is null;
  if not found then
    return false;
  end if;
  perform private.share_lock_content(v_debate);   -- lock heads before arguments: ARCHITECTURE.md, Locks
  if exists (select from app.debates where id = v_debate) then   -- the details of an erased author's debate are gone
    perform private.require_open_debate(v_debate);
  end if;
  update app.debate_arguments set deleted_at = now(), body = '' where id = p_id and deleted_at is null;
  if found then
    perform private.emit('debates.argument.deleted', json_build_object(
      'argumentId', p_id, 'debateId', v_debate, 'authorId', app.uid()), array[app.uid()]);
  end if;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_debate(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me uuid := private.require_caller();
begin
  perform private.lock_own_content('debate', p_id, false);
  -- make two index lookups, which skip the caller's own arguments
  if exists (select from app.debate_arguments where debate_id = p_id and author_id < v_me and body <> '')
     or exists (select from app.debate_arguments where debate_id = p_id and author_id > v_me and body <> '') then
    perform private.raise_error('debate_answered');
  end if;
  perform private.delete_content('debate', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.remove_message_reaction(p_id uuid, p_emoji text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_conversation uuid;
begin
  -- works even if the caller can no longer see the message but is still in the conversation
  select m.conversation_id into v_conversation
  from app.messages m
  join app.conversation_members c on c.conversation_id = m.conversation_id and c.user_id = app.uid()
  where m.id = p_id for no key update of m;
  delete from app.message_reactions
  where message_id = p_id and emoji = p_emoji and user_id = app.uid() and v_conversation is not null;
  if found then
    update app.messages set changed_at = clock_timestamp() where id = p_id;
    perform private.broadcast('conversation:' || v_conversation, 'reaction', jsonb_build_object('id', p_id));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_own_passkey(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the caller's role may have changed during the wait
  perform private.require_proof();
  delete from private.passkeys where id = p_id and user_id = v_caller;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.require_way_in(v_caller);
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'passkeyRemoved');
end $function$;

CREATE OR REPLACE FUNCTION private.remove_own_totp()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- check again, because the caller's role may have changed during the wait
  perform private.require_proof();
  delete from private.totp where user_id = v_caller and confirmed_at is not null;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'factorRemoved');
end $function$;

CREATE OR REPLACE FUNCTION private.remove_problem(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me   uuid := private.require_caller();
  v_hold uuid;
begin
  perform private.lock_own_content('problem', p_id, false);
  -- make two index lookups, which skip the caller's own solutions
  if exists (select from app.problem_solutions where problem_id = p_id and author_id < v_me and body <> '')
     or exists (select from app.problem_solutions where problem_id = p_id and author_id > v_me and body <> '') then
    perform private.raise_error('problem_answered');
  end if;
  select hold_id into v_hold from app.problems where id = p_id;
  perform private.delete_content('problem', p_id);
  if v_hold is not null then
    perform private.settle_hold(v_hold);   -- this must come last: ARCHITECTURE.md, Locks
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.replace_unread(p_notice private.notice)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  select n.id into v_id from app.notifications n
  where n.user_id = p_notice.user_id and n.group_key = p_notice.group_key and n.read_at is null
  order by n.created_at desc limit 1
  for no key update;   -- lock, because an erasure of an actor may be deleting the row
  if not found then
    return false;
  end if;
  delete from app.notification_actors where notification_id = v_id and actor_id is distinct from p_notice.actor_id;
  insert into app.notification_actors (notification_id, actor_id, created_at)
  select v_id, p_notice.actor_id, p_notice.caused_at where p_notice.actor_id is not null
  on conflict do nothing;
  update app.notifications
  set target_type = p_notice.target_type, target_id = p_notice.target_id, payload = p_notice.payload,
      created_at = greatest(created_at, p_notice.caused_at)
  where id = v_id;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.replay(p_conditions private.condition[], p_applies_to text[], p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  c_most constant integer := 20000;
  v_from     app.place := private.page_start('replay', p_cursor);
  v_at       timestamptz := v_from.at;   -- plain variables, so that the planner can use the index
  v_id       uuid := v_from.id;
  v_oldest   timestamptz := now() - interval '30 days';
  v_types    text[];
  v_ids      uuid[];
  v_times    timestamptz[];
  v_looked   integer;
  v_hits     integer := 0;
  v_removed  boolean;
  v_removals integer := 0;
  v_fits     private.judged;
  v_sample   json[] := '{}';
begin
  perform private.require_role('admin');
  select array_agg(w.type order by w.at desc, w.id desc), array_agg(w.id order by w.at desc, w.id desc),
         array_agg(w.at order by w.at desc, w.id desc)
  into v_types, v_ids, v_times
  from (
    (select 'post' as type, p.id, p.created_at as at from app.posts p
     where 'post' = any (p_applies_to) and (p.created_at, p.id) < (v_at, v_id) and p.created_at >= v_oldest
     order by p.created_at desc, p.id desc limit c_most)
    union all
    (select 'reply', r.id, r.created_at from app.replies r
     where 'reply' = any (p_applies_to) and (r.created_at, r.id) < (v_at, v_id) and r.created_at >= v_oldest
     order by r.created_at desc, r.id desc limit c_most)
    union all
    (select c.kind, c.id, c.created_at from app.contents c
     where p_applies_to && array(select kind from private.content_kinds)
       and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'argument', c.id, c.created_at from app.debate_arguments c
     where 'argument' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
       and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'solution', c.id, c.created_at from app.problem_solutions c
     where 'solution' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
       and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'review', c.id, c.created_at from app.offering_reviews c
     where 'review' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'video-comment', c.id, c.created_at from app.video_comments c
     where 'video-comment' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
     order by c.created_at desc, c.id desc limit c_most)
    order by at desc, id desc limit c_most) w;
  v_looked := coalesce(cardinality(v_ids), 0);
  for v_place in 1 .. v_looked loop
    continue when v_types[v_place] <> all (p_applies_to);   -- a content of another kind
    v_fits := private.find_fitting(p_conditions, private.find_versions(v_types[v_place], v_ids[v_place]));
    continue when v_fits.id is null;
    v_removed := private.was_removed(v_fits.type, v_fits.id);
    v_hits := v_hits + 1;
    v_removals := v_removals + v_removed::integer;
    if v_hits <= 20 then
      v_sample := v_sample || json_build_object(
        'targetType', v_fits.type,
        'targetId', v_fits.id,
        'authorId', v_fits.author_id,
        'author', (select author.card from app.person_card author where author.id = v_fits.author_id),
        'excerpt', left(array_to_string(v_fits.texts, e'\n'), 200),
        'removed', v_removed,
        'createdAt', private.utc(v_times[v_place]));
    end if;
  end loop;
  return json_build_object(
    'looked', v_looked,
    'wouldHit', v_hits,
    'ofWhichStaffRemoved', v_removals,
    'sample', to_json(v_sample),
    'lookedUntil', private.utc(v_times[v_looked]),
    'nextCursor', case when v_looked = c_most
                       then private.place_cursor('replay', v_times[v_looked], v_ids[v_looked]) end);
end $function$;

CREATE OR REPLACE FUNCTION private.reputation_events(p_user uuid, p_limit integer, p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
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
declare
  v_from bigint;
  v_ids  uuid[];
begin
  select e.position into v_from from app.reputation_entries e
  where e.id = private.require_cursor(p_cursor) and e.user_id = p_user;
  if p_cursor is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 9223372036854775807);   -- plain variables, so that the planner can use the index
  v_ids := array(select e.id from app.reputation_entries e
                 where e.user_id = p_user and e.position < v_from
                 order by e.position desc limit 51);
  return private.page(
    (select json_agg(json_build_object(
              'id', e.id,
              'interestId', e.interest_id,
              'kind', e.kind,
              'delta', e.delta,
              'createdAt', private.utc(e.created_at),
              'rolledUp', e.roll_up_level > 0) order by p.place)
     from unnest(v_ids[:p_limit]) with ordinality as p (id, place) join app.reputation_entries e on e.id = p.id),
    v_ids::text[], p_limit);
end $function$;

CREATE OR REPLACE FUNCTION private.require_circle_place(p_cursor text, p_own boolean DEFAULT true)
 RETURNS app.place
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_place app.place := private.require_place(case when p_own then 'circles' else 'memberships' end, p_cursor);
begin
  if p_cursor is null then
    return ('infinity', app.uid())::app.place;   -- no row has this time, so any id works
  elsif v_place.at is null then
    select created_at, id into v_place from app.circles
    where id = v_place.id and (p_own or owner_id <> app.uid());
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  return v_place;
end $function$;

CREATE OR REPLACE FUNCTION private.require_emoji(p_emoji text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rest  text := translate(private.trimmed(p_emoji), U&'\FE0F', '');
  v_emoji text := '';
  v_next  private.emoji;
begin
  for v_n in 1..8 loop
    -- take the longest match, because a thumb with a skin tone is one emoji
    select e.* into v_next
    from generate_series(least(9, length(v_rest)), 1, -1) as l (length)
    join private.emoji e on e.bare = left(v_rest, l.length)
    order by l.length desc limit 1;
    exit when not found;
    v_emoji := v_emoji || v_next.emoji;
    v_rest := substr(v_rest, length(v_next.bare) + 1);
    if v_rest = '' then
      return v_emoji;
    end if;
  end loop;
  perform private.raise_error('message_emoji');
end $function$;

CREATE OR REPLACE FUNCTION private.require_follow_place(p_cursor text, p_follower uuid DEFAULT NULL::uuid, p_following uuid DEFAULT NULL::uuid)
 RETURNS app.place
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_named uuid := private.find_person(p_cursor);
  v_place app.place := private.cursor_place(private.follow_list(p_follower, p_following), p_cursor);
begin
  if p_cursor is null then
    return ('infinity', app.uid())::app.place;   -- no row has this time, so any id works
  elsif v_place.at is null and private.may_meet(private.find_level(app.uid(), v_named)) then
    select created_at, v_named into v_place from app.follows
    where follower_id = coalesce(p_follower, v_named) and following_id = coalesce(p_following, v_named);
    if not found then
      select created_at, v_named into v_place from private.removed_follows
      where follower_id = coalesce(p_follower, v_named) and following_id = coalesce(p_following, v_named);
    end if;
  end if;
  if v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $function$;

CREATE OR REPLACE FUNCTION private.require_name(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_text text := private.trimmed(p_text);
begin
  -- null needs no check, nor does a text of more than 4000 characters: the check of its column rejects it, because no
  -- name or title can exceed 1000 characters
  if v_text is null or length(v_text) > 4000 then
    return v_text;
  end if;
  v_text := private.require_text(v_text);
  if v_text ~ '[\t\r\n\u2028\u2029]' then
    perform private.raise_error('text_unfit');
  end if;
  return v_text;
end $function$;

CREATE OR REPLACE FUNCTION private.require_open_problem(p_id uuid)
 RETURNS app.problems
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_problem app.problems;
begin
  select * into v_problem from app.problems where id = p_id;
  if not found then   -- the author was erased meanwhile
    perform private.raise_error('problem_unknown');
  elsif v_problem.solved_at is not null then
    perform private.raise_error('problem_solved');
  elsif v_problem.closed_at is not null then
    perform private.raise_error('problem_closed');
  end if;
  return v_problem;
end $function$;

CREATE OR REPLACE FUNCTION private.require_open_video(p_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- don't call private.lock_open_content, because the counters of a video are locked before its head (ARCHITECTURE.md,
  -- Locks)
  perform private.write_in_space((private.require_video(p_id)).space_id);
  perform private.require_shown(private.require_video(p_id));
  return p_id;
end $function$;

CREATE OR REPLACE FUNCTION private.require_others(p_people text[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_people uuid[];
begin
  if cardinality(p_people) > 49 then
    perform private.raise_error('conversation_full');   -- raise the error before looking up anybody
  end if;
  v_people := array(select distinct private.require_person(p.person) as id from unnest(p_people) as p (person)
                    order by id);
  if private.require_caller() = any (v_people) then
    perform private.raise_error('conversation_oneself');
  end if;
  return v_people;
end $function$;

CREATE OR REPLACE FUNCTION private.require_password(p_user_id uuid, p_password_hash text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from private.credentials
                 where user_id = p_user_id and password_hash = p_password_hash) then
    perform private.raise_error('credentials_wrong');   -- the password changed while the facade checked it
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_scope(p_scopes text[], p_operation text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_needed text[] := array(select scope from private.operation_scopes where operation = p_operation order by scope);
begin
  if cardinality(v_needed) = 0 then
    perform private.raise_error('session_required');
  elsif not (v_needed && p_scopes or array_position(v_needed, null) is not null) then
    -- the form in which PostgREST accepts headers (private.raise_error); RFC 6750 defines the header
    raise exception using
      errcode = 'PGRST',
      message = json_build_object(
        'code', 'PT403', 'message', 'scope_missing', 'hint', null,
        'details', format('This needs the scope %s, which this access token does not have.',
                          array_to_string(v_needed, ' or '))),
      detail = json_build_object(
        'status', 403,
        'headers', json_build_object('WWW-Authenticate',
                                     format('Bearer error="insufficient_scope", scope="%s"', v_needed[1])));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_scopes(p_user uuid, p_scopes text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.require_stream_place(p_cursor text)
 RETURNS app.place
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_place app.place := private.require_place('stream', p_cursor);
begin
  if p_cursor is null then
    return ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  end if;
  v_place.at := coalesce(v_place.at, private.find_post_time(v_place.id));
  if v_place.at is null then
    select (private.content_place(c.id, c.kind)).* into v_place from app.contents c where c.id = v_place.id;
  end if;
  if v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $function$;

CREATE OR REPLACE FUNCTION private.retry_dead_letter(p_job pgboss.job)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue((p_job).source_name, (p_job).data::json);
  update pgboss.job j set state = 'completed', completed_on = now()
  where j.name = 'dead-letters' and j.id = (p_job).id;
  return true;
exception when unique_violation then
  return false;   -- a job of the same schedule is already waiting or running, so this job is not retried
end $function$;

CREATE OR REPLACE FUNCTION private.retry_failed(p_queue text, p_since timestamp with time zone, p_most integer DEFAULT NULL::integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_job  pgboss.job;
  v_sent integer := 0;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    raise exception 'there is no queue %', p_queue;
  end if;
  for v_job in
    select j.* from pgboss.job j
    where j.name = 'dead-letters' and j.completed_on is null and j.source_name = p_queue and j.created_on >= p_since
    order by j.created_on, j.id
    limit p_most
    for update   -- a second caller waits here, and then finds that the job was retried
  loop
    v_sent := v_sent + private.retry_dead_letter(v_job)::integer;
  end loop;
  return v_sent;
end $function$;

CREATE OR REPLACE FUNCTION private.retry_failed_job(p_queue text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_job pgboss.job;
begin
  if not exists (select from pgboss.queue q where q.name = p_queue) then
    perform private.raise_error('queue_unknown');
  end if;
  select j.* into v_job from pgboss.job j
  where j.name = 'dead-letters' and j.source_id = p_id and j.source_name = p_queue
  order by j.created_on desc limit 1
  for update;   -- a second caller waits here, and then finds that the job was retried
  if not found then
    perform private.raise_error('job_unknown');
  end if;
  return v_job.completed_on is null and private.retry_dead_letter(v_job);
end $function$;

CREATE OR REPLACE FUNCTION private.roll_up(p_notices private.notice[], p_counts_each boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c_hour    constant interval := '1 hour';
  c_day     constant interval := '1 day';
  v_rest    private.notice[] := array(
    -- a reaction that is removed and added again an hour later doesn't notify again
    select n from unnest(p_notices) n
    where p_counts_each or not exists (
      select from (select o.id from app.notifications o
                   where o.user_id = n.user_id and o.group_key = n.group_key
                     and o.created_at <= n.caused_at - c_hour and o.created_at > n.caused_at - c_day
                   order by o.created_at desc limit 24) o
      join app.notification_actors a on a.notification_id = o.id and a.actor_id = n.actor_id));
  v_open    app.notifications;
  v_joining private.notice[];
  v_more    integer;
begin
  while v_rest <> '{}' loop
    select * into v_open from app.notifications n
    where n.user_id = v_rest[1].user_id and n.group_key = v_rest[1].group_key
      and n.created_at > v_rest[1].caused_at - c_hour and n.created_at < v_rest[1].caused_at + c_hour
    order by n.created_at desc limit 1
    for no key update;   -- lock, because an erasure of an actor may be deleting the row
    if not found then
      v_open.id := (private.add_notifications(v_rest[:1]))[1];
      v_open.created_at := v_rest[1].caused_at;
      v_rest := v_rest[2:];
    end if;
    v_joining := array(select n from unnest(v_rest) n where n.caused_at < v_open.created_at + c_hour);
    v_rest := array(select n from unnest(v_rest) n where n.caused_at >= v_open.created_at + c_hour);
    continue when v_joining = '{}';
    insert into app.notification_actors (notification_id, actor_id, created_at)
    select v_open.id, n.actor_id, min(n.caused_at) from unnest(v_joining) n group by n.actor_id
    on conflict do nothing;
    get diagnostics v_more = row_count;
    -- a reaction that is removed and added again neither counts nor notifies twice
    if p_counts_each or v_more > 0 then
      update app.notifications
      set count = count + case when p_counts_each then cardinality(v_joining) else v_more end,
          payload = v_joining[cardinality(v_joining)].payload, read_at = null
      where id = v_open.id;
    else
      -- replace the payload, because the old one may name something that no longer exists
      update app.notifications set payload = v_joining[cardinality(v_joining)].payload
      where id = v_open.id and payload <> v_joining[cardinality(v_joining)].payload;
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.run_of(p_ids uuid[], p_times timestamp with time zone[], p_cut app.place, p_looked integer)
 RETURNS app.feed_run
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- the scan stopped after 101 posts, usually long before it had read p_looked entries
  if cardinality(p_ids) = 101 then
    return (p_ids, p_times, (p_times[101], p_ids[101])::app.place, least(p_looked, 101))::app.feed_run;
  end if;
  return (p_ids, p_times, p_cut, p_looked)::app.feed_run;
end $function$;

CREATE OR REPLACE FUNCTION private.scripted_question(p_session app.ai_sessions)
 RETURNS private.ai_questions
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_asked  text[] := array(select family from app.ai_turns where session_id = p_session.id and family is not null);
  v_count  bigint;
  v_answer text;
  v_word   text;
  v_next   private.ai_questions;
begin
  select count(*), (array_agg(answer order by position desc))[1] into v_count, v_answer
  from app.ai_turns where session_id = p_session.id;
  v_word := private.distinctive_word(v_answer, p_session.topic);
  select * into strict v_next from private.ai_questions q
  where case v_count when 0 then q.family = 'beginning' when 4 then q.family = 'ahead'
        else q.family not in ('beginning', 'ahead') and q.family <> all (v_asked) end
  order by coalesce(lower(v_answer) ~ ('\m' || q.cues), false) desc, q.place limit 1;
  -- replace {word} before {topic}, because a word cannot contain a placeholder, but a topic can
  if v_word is not null and v_next.quoting is not null then
    v_next.plain := replace(v_next.quoting, '{word}', v_word);
  end if;
  v_next.plain := replace(v_next.plain, '{topic}', p_session.topic);
  return v_next;
end $function$;

CREATE OR REPLACE FUNCTION private.search_blocks(p_query private.search_query, p_types text[], p_leads private.search_lead[], p_people private.search_run, p_low bigint, p_before bigint)
 RETURNS private.search_run
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'on'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'on'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_types  text[];
  v_ids    uuid[];
  v_nums   bigint[];
  v_seen   uuid[];
  v_run    private.search_run;
  v_single boolean := cardinality(p_query.words) = 1;
begin
  select array_agg(d.type), array_agg(d.id), array_agg(d.number) into v_types, v_ids, v_nums
  from unnest(p_leads) l
  cross join lateral (
    select s.number from private.search_words s
    where s.scope = l.scope and s.word = l.word and s.number >= p_low and s.number < p_before
    order by s.number desc) n
  cross join lateral (select o.number, o.type, o.id, o.interests, o.words from private.search_documents o
                      where o.number = n.number offset 0) d
  where d.type = any (p_types) and (p_query.interests is null or d.interests && p_query.interests)
    -- first check whether the document contains the other words, because this is cheaper than checking whether it is
    -- visible
    and (v_single or d.words @@ p_query.ranking);
  v_seen := private.visible_documents(v_types, v_ids);
  -- search only documents that the caller may see for phrases, and rank only these
  select array_agg(f.type), array_agg(f.id), array_agg(f.number), array_agg(f.rank)
  into v_run.types, v_run.ids, v_run.numbers, v_run.ranks
  from (select m.* from (
    select u.type, u.id, u.number, ts_rank(coalesce(d.ranked, d.words), p_query.ranking) as rank
    from unnest(v_types, v_ids, v_nums) as u (type, id, number)
    join unnest(v_seen) s (id) on s.id = u.id
    cross join lateral (select o.words, o.ranked from private.search_documents o
                        where o.number = u.number offset 0) d
    where d.words @@ p_query.query and (p_query.without is null or not d.words @@ p_query.without)
    union all
    select p.type, p.id, p.number, p.rank
    from unnest(p_people.types, p_people.ids, p_people.numbers, p_people.ranks) as p (type, id, number, rank)
    where p.number >= p_low and p.number < p_before) m
    order by m.number / 500 desc, m.rank desc, m.number desc) f;
  return v_run;
end $function$;

CREATE OR REPLACE FUNCTION private.search_contents(p_kind text, p_interest_id uuid, p_author_id text, p_q text, p_group_id text, p_guild_id text, p_cursor text, p_filters jsonb DEFAULT NULL::jsonb, p_sort text DEFAULT NULL::text, p_up boolean DEFAULT false, p_start timestamp with time zone DEFAULT NULL::timestamp with time zone, p_past integer DEFAULT 0, p_end timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app.listing
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- no content has this start, so any id works
  v_from   app.place := (coalesce(p_start, case when p_up then '-infinity' else 'infinity' end::timestamptz),
                         private.require_caller())::app.place;
  v_space  uuid := private.find_named_space(p_group_id, p_guild_id);
  v_author uuid := case when p_author_id is not null then private.require_person(p_author_id) end;
  v_words  text[];
  v_found  app.found := ('{}', null)::app.found;
begin
  if p_sort is not null and p_up and p_start is not null then
    v_from.id := '00000000-0000-0000-0000-000000000000';
  end if;
  if p_cursor is not null then
    v_from := private.require_place(private.content_list(p_kind, p_sort, v_space), p_cursor);
    if v_from.at is null and p_sort is null then
      v_from := private.content_place(v_from.id, p_kind);
    end if;
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_words := tsvector_to_array(private.words_in(array[p_q]));
  if (p_q is null or v_words <> '{}')   -- a search without words finds nothing
     and (v_space is null
          or exists (select from app.space_members where space_id = v_space and user_id = app.uid())) then
    v_found := private.find_contents(
      p_kind, v_from, v_space, v_author,
      case when p_interest_id is not null then private.interests_below(p_interest_id) end,
      nullif(v_words, '{}'), p_filters, p_sort, p_up, p_past, p_end);
  end if;
  return (v_found.ids, private.content_cursors(p_kind, v_found.ids, p_sort, v_space), v_found.next)::app.listing;
end $function$;

CREATE OR REPLACE FUNCTION private.search_leads(p_scopes text[], p_words text[], p_before bigint)
 RETURNS private.search_lead[]
 LANGUAGE plpgsql
 STABLE
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
declare
  -- if there is only one word, it only matters whether the word occurs in the scope
  v_most integer := case when cardinality(p_words) = 1 then 1 else
    greatest(2, least(100, 5000 / greatest(1, cardinality(p_scopes) * cardinality(p_words)))) end;
begin
  return array(
    select (c.scope, r.word)::private.search_lead
    from unnest(p_scopes) c (scope)
    cross join lateral (
      select w.word, (select count(*) from (select from private.search_words s
                                            where s.scope = c.scope and s.word = w.word and s.number < p_before
                                            order by s.number desc limit v_most) n) as many
      from unnest(p_words) with ordinality as w (word, place)
      order by many, w.place limit 1) r
    where r.many > 0);
end $function$;

CREATE OR REPLACE FUNCTION private.search_scopes(p_types text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
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
declare
  v_me     uuid := app.uid();
  v_scopes text[] := p_types;
  v_kinds  text[] := array(select distinct k from private.search_types t, unnest(t.scopes) k
                           where t.type = any (p_types));
begin
  if 'space' = any (v_kinds) then
    v_scopes := v_scopes || array(
      select 'space ' || m.space_id from app.space_members m where m.user_id = v_me limit 1000);
  end if;
  if 'private' = any (v_kinds) then
    v_scopes := v_scopes || array(
      select 'private ' || m.space_id
      from (select space_id from app.space_members where user_id = v_me limit 1000) m
      join app.spaces s on s.id = m.space_id
      where s.visibility = 'private'
      union   -- removes duplicates, because a member may also have an invitation
      select 'private ' || i.space_id
      from (select space_id from app.space_invitations where invitee_id = v_me and status = 'pending'
            order by created_at desc, id desc limit 100) i);
  end if;
  if 'level' = any (v_kinds) then
    v_scopes := v_scopes || array(
      select 'level ' || n || ' ' || a.author_id
      from (select v_me as author_id, 3 as level
            union all
            (select author_id, level from app.audience
             where viewer_id = v_me and level > 0 and author_id <> v_me order by author_id limit 1000)) a
      cross join lateral generate_series(1, a.level) n);
  end if;
  return v_scopes;
end $function$;

CREATE OR REPLACE FUNCTION private.searchable(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- a word in a tsvector can have at most 2046 bytes, and unaccent turns one character into up to 5 bytes ("½" becomes
  -- " 1/2"). Postgres does not check the result, and a server that reads a longer word crashes
  return regexp_replace(private.parsable(p_text), '(\S{200})', '\1 ', 'g');
end $function$;

CREATE OR REPLACE FUNCTION private.send_message(p_conversation uuid, p_body text, p_client_id uuid, p_reply_to uuid, p_asset uuid, p_alt text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_conversation app.conversations;
  v_message      app.messages;
  v_card         json;
begin
  -- lock for share, as private.check_author does, to wait for a running ban or erasure before this function takes a
  -- lock that it needs
  perform private.check_lock_order('person', private.require_caller()::text);
  perform from app.users u
  where u.id = private.require_caller() and u.banned_at is null and u.erased_at is null for share;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  v_conversation := private.lock_conversation(p_conversation);
  -- check again, because a concurrent call may have sent it
  v_card := private.find_sent(p_conversation, p_client_id);
  if v_card is not null then
    return v_card;
  end if;
  perform private.check_open(v_conversation);
  if p_reply_to is not null
     and (private.require_message(p_reply_to)).conversation_id <> p_conversation then
    perform private.raise_error('message_unknown');
  end if;
  v_message.conversation_id := p_conversation;
  v_message.sender_id := app.uid();
  v_message.kind := 'text';
  v_message.body := p_body;
  v_message.client_id := p_client_id;
  v_message.reply_to_id := p_reply_to;
  v_message.asset_id := p_asset;
  v_message.alt := nullif(coalesce(p_alt, (select a.alt from app.media_assets a where a.id = p_asset)), '');
  v_message := private.add_message(v_message);
  return private.message_cards(array[v_message.id]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.set_any_space_role(p_kind text, p_id text, p_user text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_role   text := private.role_of_name(p_kind, p_role);
  v_user   uuid;
  v_space  app.spaces;
  v_opened app.spaces;
begin
  perform private.require_role('admin');
  if v_role is null then
    perform private.raise_error('value_invalid');
  end if;
  v_user := private.require_any_person(p_user);
  v_space := private.lock_any_space(p_kind, p_id, array[v_user]);
  if private.find_role(v_space.id, v_user) is distinct from v_role then
    -- check this for members, too: if the only founder of a guild is banned, the guild can get no other founder
    if v_role = 'owner' and exists (select from app.hidden_people s where s.user_id = v_user) then
      perform private.raise_error('person_unknown');
    end if;
    if p_kind = 'guild' and v_role = 'owner'
       and not exists (select from app.space_members where space_id = v_space.id and role = 'owner') then
      -- otherwise the treasury of a guild without members could never be emptied
      v_opened := v_space;
      v_opened.archived_at := null;
      perform private.add_member(v_opened, v_user);
    end if;
    perform private.set_space_role(v_space, v_user, v_role);
    perform private.record_about_space(v_space, 'role_changed', v_user,
                                       json_build_object('userId', v_user, 'role', p_role));
  end if;
  return private.staff_members(v_space, array[v_user]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.set_banned(p_person app.users, p_banned boolean, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id  uuid;
  v_bot app.users;
begin
  perform private.change_account(p_person.id, p_person.role,
                                 case when p_banned then coalesce(p_person.banned_at, now()) end,
                                 case when p_banned then p_until end);
  -- only app.audit_details keeps the reason, with this person as its subject, so that their erasure deletes it
  perform private.audit(
    case when not p_banned then 'user.unbanned' when p_until is null then 'user.banned' else 'user.suspended' end,
    'user', p_person.id::text,
    case when coalesce(p_reason, p_until::text) is not null then
      json_strip_nulls(json_build_object('reason', p_reason, 'until', private.utc(p_until))) end,
    p_person.id);
  for v_id in
    select u.id from app.users u where u.bot_owner_id = p_person.id and u.erased_at is null order by u.id
  loop
    perform private.restart_lock_order();
    v_bot := private.lock_account(v_id);
    -- decide under the lock, because a ban of the bot alone may have ended meanwhile
    if p_banned and v_bot.banned_at is null or v_bot.banned_at = p_person.banned_at then
      perform private.set_banned(v_bot, p_banned, p_reason, p_until);
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.settle(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_wallet  app.wallets;
  v_periods integer;
  v_mana    integer;
begin
  -- don't lock a wallet that has no whole period to settle
  select * into v_wallet from app.wallets
  where user_id = p_user and last_regen_at <= now() - interval '24 hours'
  for no key update;
  if not found or exists (select from app.users u where u.id = p_user
                               and (u.erased_at is not null or u.bot_owner_id is not null)) then
    return;
  end if;
  v_periods := floor(extract(epoch from now() - v_wallet.last_regen_at) / 86400);
  -- update before private.move, because its trigger calls this function again, which must then find nothing to settle
  update app.wallets set last_regen_at = last_regen_at + v_periods * interval '24 hours' where user_id = p_user;

  v_mana := least(5 * v_periods, 50 - v_wallet.balance - private.held_of(p_user));
  if v_mana > 0 then
    perform private.move('regeneration', array[private.mint(), p_user], array[-v_mana, v_mana]);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.settle_co_author(p_post uuid, p_invite uuid, p_accept boolean)
 RETURNS app.post_co_authors
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_row app.post_co_authors;
begin
  perform private.check_lock_order('post');
  perform from app.posts where id = p_post for no key update;
  -- read after the lock, because only then the row is final
  select * into v_row from app.post_co_authors
  where id = p_invite and post_id = p_post and user_id = private.require_caller() for update;
  if (p_accept is not false or v_row.status is distinct from 'accepted')
     and private.post_visible_to(p_post, app.uid()) is not true then
    perform private.raise_error('post_unknown');
  elsif v_row.id is null then
    -- if the card of the post shows the caller this invitation, it is another person's
    perform from json_array_elements(private.co_author_list(p_post)) i (item)
    where i.item ->> 'id' = p_invite::text;
    if found then
      perform private.raise_error('invitation_not_yours');
    end if;
    perform private.raise_error('co_author_invitation_unknown');
  elsif v_row.status = 'accepted' and p_accept is not false then
    perform private.raise_error('co_author_resolved');
  end if;

  if p_accept then
    perform private.require_split(p_post, v_row.split_share);
    update app.post_co_authors set status = 'accepted' where id = p_invite returning * into v_row;
    perform private.emit('posts.co_author.accepted', json_build_object(
      'inviteId', p_invite, 'postId', p_post, 'userId', v_row.user_id),
      array(select p.author_id from app.posts p where p.id = p_post));
  else
    delete from app.post_co_authors where id = p_invite;
    v_row.status := 'declined';
  end if;
  return v_row;
end $function$;

CREATE OR REPLACE FUNCTION private.settle_decision_appeal(p_id uuid, p_verdict text, p_answer text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status   text := case p_verdict when 'uphold' then 'upheld' else 'overturned' end;
  v_appeal   app.decision_appeals;
  v_decision app.decisions;
  v_undone   boolean;
begin
  select * into v_appeal from app.decision_appeals where id = p_id;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  if not found or private.is_own_thing(v_decision.target_type, v_decision.target_id, v_decision.person_id) then
    perform private.raise_error('appeal_unknown');
  end if;
  perform private.lock_case_work(coalesce(v_decision.case_id, v_decision.id));
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.require_role(variadic private.appeal_roles(v_decision));
  if not private.may_resolve(v_decision) then
    perform private.raise_error('appeal_own_decision');
  elsif not exists (select from app.decision_appeals where id = p_id and status = 'pending') then
    -- the second of two concurrent members of staff waits for the first and then fails here
    perform private.raise_error('appeal_resolved');
  end if;
  if v_status = 'overturned' then
    v_undone := private.overturn(v_decision);
    perform private.restart_lock_order();
  end if;
  update app.decision_appeals
  set status = v_status, undone = v_undone, answer = p_answer, resolved_by = app.uid(), resolved_at = now()
  where id = p_id;
  perform private.emit('moderation.appeal.resolved', json_build_object(
    'decisionId', v_decision.id, 'personId', v_decision.person_id, 'action', v_status), array[v_decision.person_id]);
  if v_decision.case_id is not null then
    perform private.add_case_event(v_decision.case_id, v_status, null, json_build_object(
      'decisionId', v_decision.id, 'appealId', p_id, 'undone', v_undone));
  end if;
  perform private.audit('appeal.' || v_status, 'decision', v_decision.id::text);
end $function$;

CREATE OR REPLACE FUNCTION private.settle_hold(p_id uuid, p_receivers uuid[] DEFAULT '{}'::uuid[], p_amounts integer[] DEFAULT '{}'::integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_holder  uuid := (select h.holder_id from app.mana_holds h where h.id = p_id);
  v_paid    uuid[];
  v_amounts integer[];
  v_refund  integer;
begin
  select coalesce(array_agg(r.id), '{}'), coalesce(array_agg(r.amount), '{}')
  into v_paid, v_amounts
  from (select t.id, sum(t.amount)::integer as amount
        from unnest(p_receivers, p_amounts) as t (id, amount)
        where t.id <> v_holder and t.amount <> 0
        group by t.id) r;
  -- lock before reading, so that the second of two concurrent calls finds the hold settled
  perform private.lock_wallets(v_paid || p_id || v_holder);
  update app.mana_holds set settled_at = now() where id = p_id and settled_at is null;
  if not found then
    raise exception using
      errcode = 'object_not_in_prerequisite_state', message = 'there is no open hold', detail = 'hold ' || p_id;
  end if;
  select a.balance - coalesce((select sum(m.amount) from unnest(v_amounts) as m (amount)), 0)
  into v_refund
  from app.mana_accounts a where a.id = p_id;
  if v_paid <> '{}' then
    perform private.move('settlement', v_paid || p_id,
                         v_amounts || (select -sum(m.amount)::integer from unnest(v_amounts) as m (amount)));
  end if;
  if v_refund <> 0 then
    perform private.move('refund', array[p_id, v_holder], array[-v_refund, v_refund], p_reversal_of => p_id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.settle_invitation(p_invitation uuid, p_status text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_invitation app.circle_invitations;
begin
  select * into v_invitation from app.circle_invitations
  where id = p_invitation and app.uid() = case p_status when 'revoked' then inviter_id else invitee_id end;
  if not found then
    perform private.raise_error('invitation_unknown');
  end if;
  -- lock the pair before the rows: ARCHITECTURE.md, Locks. The row must be read again after the lock
  perform private.lock_pairs(array[v_invitation.invitee_id], array[v_invitation.inviter_id]);
  update app.circle_invitations set status = p_status where id = p_invitation and status = 'pending';
  if not found then
    perform private.raise_error('invitation_settled');
  end if;
  if p_status = 'accepted' then
    insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
    values (v_invitation.circle_id, v_invitation.inviter_id, v_invitation.invitee_id, v_invitation.bond_level);
    perform private.emit('social.invitation.accepted', json_build_object(
      'invitationId', p_invitation, 'circleId', v_invitation.circle_id, 'memberId', v_invitation.invitee_id),
      array[v_invitation.inviter_id]);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.settle_proposal(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_proposal app.guild_proposals;
  v_space    app.spaces;
  v_tally    app.tally;
  v_executor text;
  v_erased   boolean;
begin
  select * into v_proposal from app.guild_proposals where id = p_id;
  v_space := private.lock_space(v_proposal.guild_id, array[v_proposal.proposer_id, v_proposal.subject_id]);
  select * into v_proposal from app.guild_proposals where id = p_id and due_at <= clock_timestamp();
  if not found then
    return;   -- another worker has settled the proposal
  end if;
  if v_proposal.status = 'open' then
    v_tally := private.tally(v_proposal);
    if v_proposal.closes_at > clock_timestamp() then
      if not private.pass_early(v_proposal, v_tally) then
        update app.guild_proposals set due_at = closes_at where id = p_id;
        return;
      end if;
    else
      perform private.decide_proposal(v_proposal, case
        when v_tally.yes + v_tally.no + v_tally.abstain < greatest(v_tally.quorum, 1) then 'expired'
        when v_tally.yes > v_tally.no then 'passed'
        else 'failed' end);
    end if;
    select * into v_proposal from app.guild_proposals where id = p_id;
  end if;
  if v_proposal.status = 'passed' then
    begin
      perform private.require_open(v_space);
      select executor into v_executor from private.proposal_kinds where kind = v_proposal.kind;
      execute format('select %s($1, $2)', v_executor) using v_space, v_proposal;
      v_proposal.status := 'executed';
    exception when others then
      if sqlstate !~ '^PT' then
        raise;
      end if;
      v_proposal.status := 'execution_failed';
      v_proposal.reason := sqlerrm;
    end;
    v_proposal.executed_at := clock_timestamp();
  end if;
  v_erased := exists (select from app.users where id = v_proposal.proposer_id and erased_at is not null);
  update app.guild_proposals set
    status = v_proposal.status, reason = v_proposal.reason, executed_at = v_proposal.executed_at, due_at = null,
    payload = case when v_erased and v_proposal.status <> 'executed' then payload - 'charter' else payload end
  where id = p_id;
  if not v_erased then
    perform private.emit_membership_decision(v_space, 'proposal_decided', v_proposal.proposer_id, p_proposal => p_id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.settle_report(p_id uuid, p_status text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_case     uuid;
  v_reporter uuid;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.reports r
                 where r.id = p_id and not private.is_own_thing(r.target_type, r.target_id, r.author_id)) then
    perform private.raise_error('report_unknown');
  end if;
  v_case := (select case_id from app.case_reports where report_id = p_id);
  perform private.lock_case_work(v_case);
  if exists (select from app.cases c where c.id = v_case and private.is_claimed_by_another(c)) then
    perform private.raise_error('case_claimed');
  end if;
  update app.reports set status = p_status, reviewed_by = app.uid(), reviewed_at = now()
  where id = p_id and status = 'open'
  returning reporter_id into v_reporter;
  if not found then
    -- the second of two concurrent moderators waits for the first and then fails here
    perform private.raise_error('report_settled');
  end if;
  perform private.emit_moderation('report', p_id, p_status, v_reporter);
  if p_status = 'dismissed' then
    perform private.restart_lock_order();
    perform private.release_settled(v_case);
    perform private.restart_lock_order();
  end if;
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.share_lock_person(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Lock `for share`, to wait for a running ban or erasure, which would miss the rows that this transaction writes.
  -- `for key share`, which foreign keys use, would not wait.
  perform private.check_lock_order('person', p_user::text);
  perform from app.users u where u.id = p_user and u.banned_at is null and u.erased_at is null for share;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.space_heads(p_ids uuid[])
 RETURNS TABLE(place bigint, space app.spaces, members integer, viewer json)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_me     uuid := app.uid();
  v_hidden uuid[] := array(select author_id from app.audience where viewer_id = v_me and level < 0 limit 1001);
begin
  return query
  select i.place, s as space,
         s.member_count
         - (select count(*) from app.space_members m where m.space_id = s.id and m.hidden)::integer
         - case when cardinality(v_hidden) <= 1000
                then (select count(*) from unnest(v_hidden) h (id)
                      join app.space_members m on m.space_id = s.id and m.user_id = h.id and not m.hidden)
                else (select count(*) from app.space_members m
                      where m.space_id = s.id and not m.hidden
                        -- use no join, which could start with the people whom the caller can't see
                        and (select a.level from app.audience a
                             where a.viewer_id = v_me and a.author_id = m.user_id) < 0) end::integer,
         json_build_object(
           'role', private.role_name(s.kind, m.role),
           'status', case when m.role is not null then 'member'
                          when b.space_id is not null then 'banned'
                          when private.is_let_in(s.id, v_me) then 'invited'
                          when r.id is not null then 'pending'
                          else 'none' end,
           'requestId', r.id)
  from unnest(p_ids) with ordinality as i (id, place)
  join app.spaces s on s.id = i.id and (s.visibility = 'public' or private.is_let_in(s.id, v_me))
  left join app.space_members m on m.space_id = s.id and m.user_id = v_me
  left join app.space_bans b on b.space_id = s.id and b.user_id = v_me
  left join app.space_requests r on r.space_id = s.id and r.user_id = v_me and r.status = 'pending';
end $function$;

CREATE OR REPLACE FUNCTION private.split_feed_block(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post  uuid := p_event ->> 'postId';
  v_at    timestamptz;
  v_start timestamptz;
  v_end   timestamptz;
begin
  -- count the block for only one of 25 posts, chosen by its random id, because counting takes a millisecond
  if get_byte(uuid_send(v_post), 0) % 25 <> 0 then
    return;
  end if;
  select published_at into v_at from app.posts where id = v_post;
  v_start := private.block_start(v_at);
  v_end := private.block_end(v_at);
  if v_at > v_start and (select count(*) from (
        (select from app.posts
         where required_level = 0 and closer_id is null and within_id is null and published_at >= v_start
           and published_at < v_end limit 101)
        union all (select from app.posts
                   where required_level <= 2 and closer_id is not null and within_id is null
                     and published_at >= v_start and published_at < v_end limit 101)) p) > 100 then
    insert into app.feed_blocks (starts_at) values (v_at) on conflict do nothing;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.staff_page(p_list text, p_filters json, p_by text[], p_q text, p_since timestamp with time zone, p_until timestamp with time zone, p_limit integer, p_cursor text, p_key text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_view   text := format('private.%I', 'staff_' || p_list);   -- the prefix keeps p_list from naming another relation
  v_cursor uuid := private.require_cursor(p_cursor);
  v_times  text := format('l.at < %L and l.at >= %L', coalesce(p_until, 'infinity'), coalesce(p_since, '-infinity'));
  v_behind text := 'true';
  v_walk   text;
  v_first  text;
  v_fits   text;
  v_ids    uuid[];
  v_next   uuid;
  v_items  json;
begin
  perform private.require_role('moderator', 'admin');
  -- use literals and not parameters, so that the planner can use a partial index
  if v_cursor is not null then
    if p_key is null then
      execute format($q$ select format('(l.at, l.id) < (%%L, %%L)', l.at, l.id) from %s l where l.id = %L $q$,
                     v_view, v_cursor) into v_behind;
    else
      execute format($q$ select format('l.%%I < %%L', %2$L, l.%2$I) from %1$s l where l.id = %3$L $q$,
                     v_view, p_key, v_cursor) into v_behind;
    end if;
    if v_behind is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  select coalesce(string_agg(format('l.%I = %L', f.key, f.value), ' and '), 'true') into v_fits
  from json_each_text(p_filters) f where f.value is not null;

  if pg_input_is_valid(p_q, 'uuid') then
    execute format('select array(select l.id from %s l where l.id = %L and %s and %s and %s)',
                   v_view, p_q, v_behind, v_times, v_fits)
      into v_ids;
  else
    -- Order by the filter first, and write = any instead of =. With =, the planner could scan the index of the whole
    -- list, and read all of it if the rows that match are at its end. A filter that is true or false has a partial
    -- index.
    select case when f.is_flag then format('l.%I = %L', f.name, f.value)
                else format('l.%I = any (%L)', f.name, array[f.value]) end,
           case when not f.is_flag then format('l.%I, ', f.name) end
    into v_walk, v_first
    from (select b.name, b.place, p_filters ->> b.name as value,
                 json_typeof(p_filters -> b.name) = 'boolean' as is_flag
          from unnest(p_by) with ordinality b (name, place)) f
    where f.value is not null order by f.place limit 1;
    v_walk := coalesce(v_walk, 'true');
    if p_key is null then
      v_walk := v_walk || ' and ' || v_times;
    else
      v_fits := v_fits || ' and ' || v_times;   -- if the list has another order, no index has these rows side by side
    end if;
    if p_q is not null then
      v_fits := v_fits || format(' and strpos(lower(l.said), lower(%L)) > 0', p_q);
    end if;
    execute format($q$
      with looked as materialized (
        select l.id, %s as fits from %s l where %s and %s order by %s limit 400
      ), seen as materialized (
        select array(select id from looked where fits limit 51) as ids
      )
      select ids, case when cardinality(ids) < 51 then (select id from looked offset 399 limit 1) end from seen
      $q$, v_fits, v_view, v_behind, v_walk,
                   concat(v_first, case when p_key is null then 'l.at desc, l.id desc'
                                        else format('l.%I desc', p_key) end))
      into v_ids, v_next;
  end if;
  execute format('select json_agg(l.card order by p.place) from unnest($1) with ordinality p (id, place)
                  join %s l on l.id = p.id', v_view)
    into v_items using v_ids[:p_limit];
  return private.page(v_items, v_ids::text[], p_limit, v_next::text);
end $function$;

CREATE OR REPLACE FUNCTION private.start_session(p_id uuid, p_claims json, p_refresh_hash bytea, p_user_agent text, p_device text, p_address text, p_alert_hash bytea DEFAULT NULL::bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.step_order(p_order app.orders, p_action text, p_actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_step private.order_transitions;
begin
  select * into v_step from private.order_transitions t
  where t.state = p_order.state and t.action = p_action and t.actor = p_actor;
  -- when the worker's step is due, no other step is possible, so a late worker makes no difference
  if not found or (v_step.late and p_order.deadline_at > now()) or (p_order.due_at <= now() and v_step.after is null)
  then
    perform private.raise_error('order_state');
  end if;
  p_order.state := v_step.next;
  update app.orders
  set state = p_order.state,
      delivery_note = p_order.delivery_note,
      asset_id = p_order.asset_id,
      dispute_reason = p_order.dispute_reason,
      refund_mana = p_order.refund_mana,
      deadline_at = case when p_order.state = 'accepted' then now() + delivery_days * interval '1 day'
                         else deadline_at end,
      due_at = (select now() + t.after from private.order_transitions t
                where t.state = p_order.state and t.after is not null)
  where id = p_order.id;
  if v_step.restocks and p_order.took_stock then
    -- stock remains null if the seller has removed the limit meanwhile
    update app.offerings set stock = stock + 1 where id = p_order.offering_id and stock < 1000000;
  end if;
  perform private.note_order(p_order, p_actor);
  if v_step.settles = 'buyer' then
    perform private.settle_hold(p_order.id);
  elsif v_step.settles is not null then
    perform private.settle_hold(p_order.id, array[p_order.seller_id],
                                array[p_order.price_mana - coalesce(p_order.refund_mana, 0)]);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.store_embeddings(p_model text, p_made json)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_stored integer;
begin
  if p_model is distinct from private.embedding_model() then
    return 0;
  end if;
  -- a concurrent deletion or edit of one of these posts commits before this lock or after this transaction
  perform from app.posts where id in (select (m ->> 'id')::uuid from json_array_elements(p_made) m)
  order by id for share;
  insert into private.post_embeddings as e (post_id, model, digest, vector, signature)
  select p.id, p_model, m.digest, m.vector, private.signature(m.vector)
  from json_to_recordset(p_made) as m (id uuid, digest text, vector real[])
  join app.posts p on p.id = m.id
  where p.deleted_at is null and md5(private.embedded_text(p.title, p.body)) = m.digest
  order by p.id
  on conflict (post_id) do update
    set model = excluded.model, digest = excluded.digest, vector = excluded.vector, signature = excluded.signature;
  get diagnostics v_stored = row_count;
  return v_stored;
end $function$;

CREATE OR REPLACE FUNCTION private.stream_cards(p_ids uuid[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
AS $function$
begin
  return (
    select json_agg(s.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join (
      select p.id, json_build_object(
               'type', 'post',
               'id', p.id,
               'actorId', author.actor_id,
               'actor', author.card,
               'interestId', p.interest_id,
               'interest', (interest.card_start || '}')::json,
               'spaceName', space.name,
               'title', p.title,
               'text', private.beginning(p.body),
               'subBadge', case when p.is_journalism then 'journalism' else p.format end,
               'mediaUrl', p.media #>> '{0,url}',
               'engagement', json_build_object(
                 'reactCount', n.reactions,
                 'commentCount', n.replies,
                 'repostCount', n.shares,
                 'viewerHasReacted', (select true from app.reactions r
                                      where r.post_id = p.id and r.user_id = (select app.uid()) limit 1) is true,
                 'viewerHasReposted', (select true from app.posts r
                                       where r.author_id = (select app.uid()) and r.quoted_post_id = p.id
                                         and r.format = 'repost' and r.deleted_at is null) is true),
               'createdAt', private.utc(p.published_at)) as card
      from private.visible_posts p
      join app.post_counters n on n.post_id = p.id
      join app.person_card author on author.id = p.author_id
      left join app.interests interest on interest.id = p.interest_id
      left join app.spaces space on space.id = p.space_id
      where p.id = any (p_ids)
      union all
      select c.id, json_build_object(
               'type', c.kind,
               'id', c.id,
               'actorId', author.actor_id,
               'actor', author.card,
               'interestId', c.interest_id,
               'interest', (interest.card_start || '}')::json,
               'spaceName', space.name,
               'title', c.title,
               'text', private.beginning(coalesce(d.detail ->> 'body', d.detail ->> 'summary',
                                                  d.detail ->> 'description', d.detail ->> 'caption')),
               'subBadge', coalesce(d.detail ->> 'status', c.kind),
               'mediaUrl', d.detail ->> 'mediaUrl',
               'engagement', case when n.video_id is not null then json_build_object(
                 'reactCount', n.likes,
                 'commentCount', n.comments,
                 'repostCount', n.reposts,
                 'viewerHasReacted', (select true from app.video_likes l
                                      where l.video_id = c.id and l.user_id = (select app.uid())) is true,
                 'viewerHasReposted', (select true from app.video_reposts r
                                       where r.video_id = c.id and r.user_id = (select app.uid())) is true) end,
               'createdAt', private.utc(c.created_at))
      from private.visible_contents c
      -- always join from the content to its author, even if there are few people
      cross join lateral (select a.actor_id, a.card from app.person_card a where a.id = c.author_id offset 0) author
      left join private.content_fields(p_ids) d on d.id = c.id
      left join app.video_counters n on n.video_id = c.id
      left join app.interests interest on interest.id = c.interest_id
      left join app.spaces space on space.id = c.space_id
      where c.id = any (p_ids)) s on s.id = i.id);
end $function$;

CREATE OR REPLACE FUNCTION private.sum_contribution()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- sort, to prevent deadlocks between two writers of the same scores: ARCHITECTURE.md, Locks
  insert into app.contribution_scores as s (user_id, score)
  select w.user_id, sum(w.delta) from written w group by w.user_id order by w.user_id
  on conflict (user_id) do update set score = s.score + excluded.score;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.sum_reputation()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- sort, to prevent deadlocks between two writers of the same sums: ARCHITECTURE.md, Locks
  insert into app.reputation as r (user_id, interest_id, value, direct_value)
  select w.user_id, w.interest_id, sum(w.delta), coalesce(sum(w.delta) filter (where w.roll_up_level = 0), 0)
  from written w
  group by w.user_id, w.interest_id
  order by w.user_id, w.interest_id
  on conflict (user_id, interest_id) do update
    set value = r.value + excluded.value, direct_value = r.direct_value + excluded.direct_value;
  insert into app.reputation_kinds as k (user_id, interest_id, kind, points)
  select w.user_id, w.interest_id, w.kind, sum(w.delta)
  from written w
  where w.roll_up_level = 0
  group by w.user_id, w.interest_id, w.kind
  order by w.user_id, w.interest_id, w.kind
  on conflict (user_id, interest_id, kind) do update set points = k.points + excluded.points;
  -- every writer of these people's entries holds private.lock_effects, so two writers can't conflict here
  update app.accounts a set total_reputation = a.total_reputation + w.earned
  from (select user_id, sum(delta) as earned from written where roll_up_level = 0 group by user_id) w
  where a.user_id = w.user_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.suspicious_flows(p_since timestamp with time zone DEFAULT (now() - '30 days'::interval), p_limit integer DEFAULT 100, p_reach integer DEFAULT 3)
 RETURNS TABLE(kind text, giver_id uuid, receiver_id uuid, distance integer, younger_age interval, flows bigint, total numeric, given_share numeric, neighbour_share numeric, first_at timestamp with time zone, last_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  return query
  with recursive flow as (
    -- read only the newest 20,000 rows of each kind, so that the cost of a long period is limited
    (select 'mana' as kind, s.sender_id as giver, s.receiver_id as receiver, s.amount::numeric as amount,
            s.created_at as at
     from app.payment_splits s
     where s.created_at >= p_since
       -- look up each row, here and below, because a join would read the whole table
       and (select not p.reversed from app.payments p where p.id = s.payment_id)
       and (select true from app.payments r where r.reversal_of = s.payment_id) is null
     order by s.created_at desc limit 20000)
    union all
    (select 'votes', v.voter_id, v.user_id, v.impact, v.updated_at
     from app.reputation_votes v
     where v.updated_at >= p_since and v.value = 1
     order by v.updated_at desc limit 20000)
  ), pair as materialized (
    select f.kind, f.giver, f.receiver, count(*) as flows, sum(f.amount) as total,
           min(f.at) as first_at, max(f.at) as last_at,
           sum(sum(f.amount)) over (partition by f.kind, f.giver) as given,
           sum(sum(f.amount)) over (partition by f.kind, f.receiver) as got
    from flow f group by f.kind, f.giver, f.receiver
  ), above as (
    select people.id as person, people.id as ancestor, 0 as steps
    from (select p.giver as id from pair p union select p.receiver from pair p) people
    union all
    -- staff invites strangers: people invited by the same admin are not neighbours
    select a.person, t.inviter_id, a.steps + 1
    from above a
    cross join lateral (select i.inviter_id from app.invite_tree i where i.invitee_id = a.ancestor offset 0) t
    where a.steps < p_reach
      and (a.steps = 0 or (select u.role = 'user' from app.users u where u.id = a.ancestor))
  ), near as (
    select p.kind, p.giver, p.receiver, min(g.steps + r.steps) as distance
    from pair p
    join above g on g.person = p.giver
    join above r on r.person = p.receiver and r.ancestor = g.ancestor
    where g.steps + r.steps <= p_reach
      and (g.steps = 0 or r.steps = 0 or (select u.role = 'user' from app.users u where u.id = g.ancestor))
    group by p.kind, p.giver, p.receiver
  ), signal as (
    select p.*, n.distance, p.first_at - greatest(giver.created_at, receiver.created_at) as younger_age,
           sum(p.total) over (partition by p.kind, p.receiver) as from_neighbours,
           row_number() over (partition by p.kind order by p.total desc, p.giver, p.receiver) as place
    from near n
    join pair p on (p.kind, p.giver, p.receiver) = (n.kind, n.giver, n.receiver)
    cross join lateral (select u.created_at from app.users u where u.id = p.giver offset 0) giver
    cross join lateral (select u.created_at from app.users u where u.id = p.receiver offset 0) receiver
  )
  select s.kind, s.giver, s.receiver, s.distance, s.younger_age, s.flows, s.total,
         round(s.total / nullif(s.given, 0), 3), round(s.from_neighbours / nullif(s.got, 0), 3), s.first_at, s.last_at
  from signal s
  where s.place <= least(p_limit, 1000)
  order by s.kind, s.place;
end $function$;

CREATE OR REPLACE FUNCTION private.sync_repost_audience()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  v_ids uuid[];
begin
  -- skip locked reposts, because a ban or an erasure that has locked one may be waiting for this post
  v_ids := array(select r.id from app.posts r
                 where r.quoted_post_id = new.id and r.format = 'repost' and r.deleted_at is null
                 order by r.id limit 500 for no key update skip locked);
  update app.posts set original_author_id = new.closer_id where id = any (v_ids);
  if cardinality(v_ids) = 500 or exists (
       select from app.posts r
       where r.quoted_post_id = new.id and r.format = 'repost' and r.deleted_at is null
         and r.original_author_id is distinct from new.closer_id) then
    perform private.enqueue('moved-reposts', json_build_object('postId', new.id));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.sync_repost_audience_batch(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_ids uuid[];
begin
  -- either this batch waits for an edit of the audience, or the edit waits for this batch, so that it never writes an
  -- old audience
  perform from app.posts where id = (p_job ->> 'postId')::uuid for key share;
  v_ids := array(
    select r.id from app.posts r
    where r.quoted_post_id = (p_job ->> 'postId')::uuid and r.format = 'repost' and r.deleted_at is null
      and r.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by r.id limit 500 for no key update);
  update app.posts r set original_author_id = o.closer_id
  from app.posts o
  where r.id = any (v_ids) and o.id = r.quoted_post_id and r.original_author_id is distinct from o.closer_id;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $function$;

CREATE OR REPLACE FUNCTION private.take_order_step(p_id uuid, p_action text, p_delivery_note text DEFAULT NULL::text, p_asset uuid DEFAULT NULL::uuid, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent(p_action || '_order', json_build_array(
    p_id, p_delivery_note, p_asset, p_reason));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if p_asset is not null then   -- a repeated request does not check the asset again
    perform private.use_asset(p_asset, array['image', 'video', 'audio', 'attachment']);
  end if;
  perform private.act_on_order(p_id, p_action, p_delivery_note, p_asset, p_reason);
  return private.finish_idempotent(p_action || '_order', private.require_order_card(p_id));
end $function$;

CREATE OR REPLACE FUNCTION private.take_push_token(p_token text, p_platform text, p_p256dh text, p_auth text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  -- lock, so that concurrent calls don't exceed the limit
  perform private.lock('push tokens', v_caller::text);
  insert into app.push_tokens as t (user_id, platform, token, p256dh, auth)
  values (v_caller, p_platform, p_token, p_p256dh, p_auth)
  on conflict (token) do update
    set user_id = excluded.user_id, platform = excluded.platform, p256dh = excluded.p256dh, auth = excluded.auth,
        last_seen_at = now();
  delete from app.push_tokens where id in (
    select id from app.push_tokens where user_id = v_caller and token <> p_token
    order by last_seen_at desc, id offset 19);
  return now();
end $function$;

CREATE OR REPLACE FUNCTION private.take_search_turn()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me text := private.require_caller();
begin
  -- a try-lock never waits, and a turn ends with its transaction, even if the transaction fails
  if not (pg_try_advisory_xact_lock(hashtextextended('search 1 ' || v_me, 0))
          or pg_try_advisory_xact_lock(hashtextextended('search 2 ' || v_me, 0))) then
    perform private.raise_error('searches_running', '{"Retry-After": "1"}');
  end if;
  for v_turn in 1..(select value::integer from app.settings where key = 'searches_at_once') loop
    if pg_try_advisory_xact_lock(hashtextextended('searches ' || v_turn, 0)) then
      return;
    end if;
  end loop;
  perform private.raise_error('search_busy');
end $function$;

CREATE OR REPLACE FUNCTION private.take_solution(p_problem uuid, p_solution uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me     uuid := private.require_caller();
  v_solver uuid := (select author_id from app.problem_solutions where id = p_solution and problem_id = p_problem);
begin
  -- lock people before heads: ARCHITECTURE.md, Locks. A concurrent ban of the solution's author waits; after an
  -- earlier ban, the solution can't be accepted
  perform private.check_lock_order('person', v_me::text, v_solver::text);
  perform from app.users where id in (v_me, v_solver) order by id for share;
  perform private.share_lock_person(v_me);   -- fails for a caller who was banned meanwhile
  perform private.require_shown(private.lock_own_content('problem', p_problem, false));
  perform private.require_open_problem(p_problem);
  perform from private.visible_solutions
  where id = p_solution and problem_id = p_problem and required_level = 0;
  if not found then
    perform private.raise_error('solution_unknown');
  end if;
  update app.problem_solutions set accepted_at = now() where id = p_solution and required_level = 0;
  if not found then   -- the solution was hidden or deleted during the wait
    perform private.raise_error('solution_unknown');
  end if;
  update app.problems set solved_at = now(), accepted_solution_id = p_solution where id = p_problem;
  perform private.emit('problems.solution.accepted', json_build_object(
    'solutionId', p_solution, 'problemId', p_problem, 'authorId', v_solver), array[v_solver]);
  perform private.release_bounty(p_problem, case when v_solver <> v_me then v_solver end);
end $function$;

CREATE OR REPLACE FUNCTION private.take_webhook_deliveries(p_webhook private.webhooks, p_most integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
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
declare
  c_lease constant interval := '1 minute';
  v_taken json;
begin
  -- delete the row of a subject without pending deliveries; the lock of the webhook prevents new ones meanwhile
  with due as materialized (
    select t.subject_key,
           (select d.id from private.webhook_deliveries d
            where d.webhook_id = p_webhook.id and d.subject_key = t.subject_key and d.status = 'pending'
              and (d.sequence is null or exists (select from private.event_log l where l.sequence = d.sequence))
            order by d.id limit 1) as delivery_id
    from private.webhook_turns t
    where t.webhook_id = p_webhook.id and t.due_at <= now()
    order by t.due_at limit p_most
  ), idle as (
    delete from private.webhook_turns t using due
    where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is null
  ), claimed as (
    update private.webhook_turns t set claim = gen_random_uuid(), due_at = now() + c_lease
    from due where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is not null
    returning t.claim, due.delivery_id
  ), attempted as (
    update private.webhook_deliveries d set attempts = d.attempts + 1, attempted_at = now()
    from claimed c where d.id = c.delivery_id
    returning d.*, c.claim
  )
  select json_agg(json_build_object(
           'webhookId', p_webhook.id,
           'deliveryId', a.id,
           'claim', a.claim,
           'url', p_webhook.url,
           'secrets', array[private.webhook_secret(p_webhook.secret)]
             || case when p_webhook.previous_until > now()
                     then array[private.webhook_secret(p_webhook.previous_secret)] else '{}'::text[] end,
           'id', a.event_id,
           'body', private.webhook_body(d)))
    into v_taken
  from attempted a join private.webhook_deliveries d on d.id = a.id;
  return coalesce(v_taken, '[]');
end $function$;

CREATE OR REPLACE FUNCTION private.tally(p_proposal app.guild_proposals)
 RETURNS app.tally
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  v_tally  app.tally;
  v_hidden uuid[];
begin
  if p_proposal.eligible is not null then
    v_tally := (p_proposal.yes, p_proposal.no, p_proposal.abstain, p_proposal.eligible, null)::app.tally;
  else
    v_hidden := array(select m.user_id from app.space_members m where m.space_id = p_proposal.guild_id and m.hidden);
    v_tally.eligible := (select count(*) from private.proposal_voters v where v.proposal_id = p_proposal.id);
    -- the votes of members who left are deleted, so only those of hidden members must be excluded. A join with the
    -- members would look up the vote of each member separately
    select count(*) filter (where v.value = 'yes'), count(*) filter (where v.value = 'no'),
           count(*) filter (where v.value = 'abstain')
    into v_tally.yes, v_tally.no, v_tally.abstain
    from app.guild_votes v
    where v.proposal_id = p_proposal.id and v.user_id <> all (v_hidden);
  end if;
  v_tally.quorum := (v_tally.eligible + 3) / 4;
  return v_tally;
end $function$;

CREATE OR REPLACE FUNCTION private.timed_id()
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_ms bytea := substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
begin
  -- a UUID of version 7 has the time, then random bits
  return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing v_ms from 1 for 6), 52, 1), 53, 1),
                'hex')::uuid;
end $function$;

CREATE OR REPLACE FUNCTION private.try_writing()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '100ms'
 SET work_mem TO '64kB'
AS $function$
declare
  v_relation regclass;
  v_locked   text[] := '{}';
begin
  perform pg_current_xact_id();   -- assigns a transaction id, so that the commit is written, too
  perform count(*)
  from (select t from unnest(array_fill(repeat('x', 8000), array[128])) t order by t offset 0) s;
  for v_relation in select relation from private.vital_tables order by relation::text loop
    begin
      execute format('lock table %s in row exclusive mode', v_relation);
    exception when lock_not_available then
      v_locked := v_locked || v_relation::text;
    end;
  end loop;
  return to_json(v_locked);
end $function$;

CREATE OR REPLACE FUNCTION private.uncount_calls(p_keys text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- sort them as private.count_calls does: ARCHITECTURE.md, Locks
  update private.rates r set used = r.used - 1
  from (select key from private.rates where key = any (p_keys) and used > 0 and ends_at > clock_timestamp()
        order by key for update) as b
  where r.key = b.key;
end $function$;

CREATE OR REPLACE FUNCTION private.unread_between(p_user uuid, p_from timestamp with time zone, p_to timestamp with time zone)
 RETURNS SETOF app.notifications
 LANGUAGE plpgsql
 STABLE
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
  return query
    select n.* from app.notifications n
    where n.user_id = p_user and n.in_app = any ('{true,false}')   -- to use notifications_updated_at_idx
      and n.read_at is null and n.updated_at > p_from and n.updated_at <= p_to
    order by n.updated_at desc limit 500;
end $function$;

CREATE OR REPLACE FUNCTION private.use_code(p_user uuid, p_code text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_code text := lower(regexp_replace(p_code, '[\s-]', '', 'g'));
begin
  if v_code ~ '^\d{6}$' then
    return exists (select from private.totp where user_id = p_user and confirmed_at is not null)
      and private.use_totp(p_user, v_code);
  end if;
  -- the update locks the row, so that only one of two concurrent requests with the same code succeeds
  update private.recovery_codes set used_at = now()
  where user_id = p_user and used_at is null and code_hash = sha256(convert_to(v_code, 'UTF8'));
  if not found then
    return false;
  end if;
  perform private.mail_about_factor(p_user, 'recoveryUsed');
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.use_media_url(p_url text, p_kinds text[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_own    text[] := private.url_place(private.media_setting('media_url'));
  v_place  text[];
  v_key    text;
  v_fits   boolean;
begin
  -- reject \, % and non-ASCII characters in a host. A browser reads \ as / and normalizes the others, so it would load
  -- from a host that was not checked
  if (p_url ~* '^https?://([^\s\\/?#]*@)?[][a-z0-9._:-]+([/?#][^\s\\]*)?$' and length(p_url) <= 2000) is not true then
    perform private.raise_error('media_url');
  end if;
  -- the key of an asset is its id, so every address of the asset, in any storage, contains this id
  select min(a.key), bool_and(a.owner_id = v_caller and a.status = 'committed' and a.kind = any (p_kinds))
  into v_key, v_fits
  from app.media_assets a where a.id = any (private.ids_in(p_url));
  if v_fits then
    return private.asset_url(v_key);
  end if;
  v_place := private.url_place(p_url);
  -- other spellings of a path in the storage of this instance match no asset and are rejected, too
  if v_fits is not null
     or v_place[1] = v_own[1] and (starts_with(lower(v_place[2]), lower(v_own[2]) || '/') or v_place[2] ~ '%|//|/\.')
     or v_place[1] <> v_own[1] and not private.is_media_host(v_place[1]) then
    perform private.raise_error('media_url');
  end if;
  return p_url;
end $function$;

CREATE OR REPLACE FUNCTION private.use_oidc_login(p_id uuid, p_code_hash bytea, p_challenge text)
 RETURNS private.oidc_logins
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_login private.oidc_logins := private.find_oidc_login(p_id, p_code_hash, p_challenge);
begin
  -- the update locks the row, so that only one of two concurrent requests with the same code succeeds
  update private.oidc_logins set used_at = now() where id = p_id and used_at is null;
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return v_login;
end $function$;

CREATE OR REPLACE FUNCTION private.use_passkey(p_id uuid, p_user uuid, p_counter bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_counter bigint;
begin
  select counter into v_counter from private.passkeys where id = p_id and user_id = p_user for update;
  if not found then
    perform private.raise_error('passkey_wrong');   -- the passkey was removed meanwhile
  elsif (p_counter > 0 or v_counter > 0) and p_counter <= v_counter then
    -- somebody has a copy of the key, and perhaps a session; the other factors and the recovery codes remain valid
    delete from private.passkeys where id = p_id;
    perform private.end_tokens(p_user);
    delete from private.proofs where user_id = p_user;
    perform private.mail_about_factor(p_user, 'passkeyEnded');
    return false;
  end if;
  update private.passkeys set counter = p_counter, last_used_at = now() where id = p_id;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.use_totp(p_user uuid, p_code text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now  bigint := floor(extract(epoch from clock_timestamp()) / 30);
  v_totp private.totp;
  v_step bigint;
begin
  -- lock the row, so that only one of two concurrent requests with the same code succeeds
  select * into v_totp from private.totp where user_id = p_user for update;
  select s into v_step from generate_series(v_now - 1, v_now + 1) s
  -- compare keyed hashes, so that the duration reveals nothing about the code
  where s > v_totp.last_step
    and extensions.hmac(convert_to(private.totp_code(v_totp.secret, s), 'UTF8'), v_totp.secret, 'sha256')
      = extensions.hmac(convert_to(p_code, 'UTF8'), v_totp.secret, 'sha256')
  order by s limit 1;
  update private.totp set last_step = v_step, last_used_at = now() where user_id = p_user and v_step is not null;
  return v_step is not null;
end $function$;

CREATE OR REPLACE FUNCTION private.username_of(p_person text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_handle text := regexp_replace(lower(btrim(p_person)), '^(acct:|@)', '');
  v_domain text := nullif(substr(v_handle, strpos(v_handle, '@') + 1), v_handle);
begin
  if v_domain is not null and v_domain <> private.domain() then
    return null;   -- a person of another instance is unknown here
  end if;
  return split_part(v_handle, '@', 1);
end $function$;

CREATE OR REPLACE FUNCTION private.verify_audit(p_after bigint)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
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
declare
  c_most     constant integer := 10000;
  v_head     private.audit_head;
  v_entry    app.audit_log;
  v_row      record;
  v_last     bigint := p_after;
  v_previous bytea;
  v_broken   bigint;
begin
  select * into v_head from private.audit_head;
  if p_after > 0 then
    select hash into v_previous from app.audit_log where id = p_after;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  for v_row in
    select l as entry, d as detail from app.audit_log l left join app.audit_details d on d.audit_id = l.id
    where l.id > p_after order by l.id limit c_most
  loop
    v_entry := v_row.entry;
    if v_entry.id <> v_last + 1 then
      v_broken := v_last + 1;
    elsif v_entry.previous is distinct from v_previous or v_entry.hash <> private.audit_hash(v_entry)
       or private.is_audit_detail_changed(v_entry, v_row.detail) then
      v_broken := v_entry.id;
    end if;
    exit when v_broken is not null;
    v_last := v_entry.id;
    v_previous := v_entry.hash;
  end loop;
  if v_broken is null and v_last < p_after + c_most then
    -- at the end of the log, only the head reveals that entries are missing
    v_broken := case when v_last <> coalesce(v_head.entries, 0) then least(v_last, coalesce(v_head.entries, 0)) + 1
                     when v_previous is distinct from v_head.hash then v_last end;
  end if;
  return json_build_object(
    'ok', v_broken is null,
    'entries', coalesce(v_head.entries, 0),
    'firstBroken', v_broken,
    'verifiedTo', v_last,
    'next', case when v_broken is null and v_last = p_after + c_most then v_last end);
end $function$;

CREATE OR REPLACE FUNCTION private.was_removed(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove')
                   -- if only a rule hid the thing, staff decided about it only by closing the case as acted
                   and (d.decided_by is not null
                        or exists (select from app.cases c where c.id = d.case_id and c.outcome = 'acted')))
    -- also find things that were hidden before the table of decisions existed
    or coalesce((private.find_reported_place(p_type, p_id)).hidden, false)
    -- for things that only a rule hid, the first condition decides
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $function$;

CREATE OR REPLACE FUNCTION private.withdraw_project_application(p_project uuid, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user uuid := (select user_id from app.project_applications where id = p_id and project_id = p_project);
begin
  if v_user is distinct from private.require_caller() then
    -- the author may see the application
    if exists (select from app.contents where id = p_project and author_id = app.uid())
       and exists (select from private.visible_people where id = v_user) then
      perform private.raise_error('project_application_not_yours');
    end if;
    perform private.raise_error('project_application_unknown');
  end if;
  update app.project_applications set status = 'withdrawn', decided_at = now() where id = p_id and status = 'pending';
  if not found then
    perform private.raise_error('project_application_settled');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.withdraw_request(p_kind text, p_request uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_request app.space_requests;
begin
  select r.* into v_request from app.space_requests r join app.spaces s on s.id = r.space_id
  where r.id = p_request and s.kind = p_kind;
  if v_request.user_id is distinct from private.require_caller() then
    if private.find_role(v_request.space_id, app.uid()) in ('owner', 'moderator')   -- the caller may see the request
       and exists (select from private.visible_people where id = v_request.user_id) then
      perform private.raise_error('request_not_yours');
    end if;
    perform private.raise_error('request_unknown');
  end if;
  perform private.lock_space(v_request.space_id, array[v_request.user_id]);
  update app.space_requests set status = 'withdrawn', decided_at = now() where id = p_request and status = 'pending';
  if not found then
    perform private.raise_error('request_settled');
  end if;
  return private.request_cards(array[p_request]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.withdraw_vote(p_post uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_poll app.polls;
begin
  select l.* into v_poll
  from app.polls l join app.poll_votes v on v.poll_id = l.id
  where l.post_id = p_post and v.user_id = private.require_caller();
  if not found or v_poll.closes_at <= clock_timestamp() then
    return false;
  end if;
  perform private.lock('poll', v_poll.id::text);   -- see private.lock_running_poll
  delete from app.poll_votes
  where poll_id = v_poll.id and user_id = private.require_caller()
    and (v_poll.closes_at is null or v_poll.closes_at > clock_timestamp());
  return found;
end $function$;

CREATE OR REPLACE FUNCTION private.write_in_space(p_space uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me       uuid := private.require_caller();
  v_archived timestamptz;
begin
  if p_space is null then
    return;
  end if;
  -- Lock the person before the space: ARCHITECTURE.md, Locks. A concurrent removal or archiving waits for this
  -- transaction. After an earlier one, this call fails.
  perform private.check_lock_order('person', v_me::text);
  perform from app.users where id = v_me for share;
  perform private.check_lock_order('space', p_space::text);
  select archived_at into v_archived from app.spaces where id = p_space for share;
  if private.find_role(p_space, v_me) is null then
    perform private.raise_error('space_not_member');
  elsif v_archived is not null then
    perform private.raise_error('space_archived');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.write_reply_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reply app.replies;
begin
  -- lock the counters before the reply: ARCHITECTURE.md, Locks
  perform private.lock_counters(array(select post_id from app.replies where id = p_id));
  perform private.check_lock_order('post');
  select * into v_reply from app.replies where id = p_id and deleted_at is null for update;
  if not found then
    perform private.raise_error('reply_unknown');
  end if;
  if (v_reply.hidden_at is not null) <> p_hidden then
    update app.replies set hidden_at = case when p_hidden then now() end
    where id = p_id
    returning hidden_at into v_reply.hidden_at;
    perform private.record_moderation('reply', p_id, case when p_hidden then 'hidden' else 'unhidden' end,
                                      v_reply.author_id, p_reason);
  elsif private.takes_over('reply', p_id, p_hidden) then
    perform private.record_moderation('reply', p_id, 'hidden', v_reply.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_reply.hidden_at));
end $function$;

CREATE OR REPLACE FUNCTION private.write_reputation(p_changes private.reputation_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with recursive line as (
    select i.id as leaf, i.id, i.parent_id, 0 as level from app.interests i
    where i.id in (select c.interest_id from unnest(p_changes) c)
    union all
    select l.leaf, i.id, i.parent_id, l.level + 1 from line l join app.interests i on i.id = l.parent_id
  ), share as (
    -- round the points before and after for each level, because rounded differences would not add up to zero again
    select c.*, l.id as shared_id, l.level,
           round(c.points * private.roll_up_fraction(l.level), 2)
             - round(c.before * private.roll_up_fraction(l.level), 2) as delta
    from unnest(p_changes) with ordinality
           as c (id, user_id, interest_id, kind, points, before, source_id, earned_from, caused_at, place)
    join line l on l.leaf = c.interest_id
  )
  insert into app.reputation_entries
    (id, user_id, interest_id, kind, delta, origin_id, roll_up_level, source_id, earned_from, created_at)
  select case s.level when 0 then s.id else gen_random_uuid() end, s.user_id, s.shared_id, s.kind, s.delta,
         case when s.level > 0 then s.id end, s.level, s.source_id, s.earned_from, s.caused_at
  from share s
  where s.delta <> 0
  order by s.place, s.level;
end $function$;

CREATE OR REPLACE PROCEDURE private.force_index_scans(IN p_function regproc)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
begin
  -- otherwise the planner reads and sorts all rows of a person if it underestimates their number
  execute format('alter function %s set enable_seqscan = off', p_function);
  execute format('alter function %s set enable_bitmapscan = off', p_function);
  execute format('alter function %s set enable_hashjoin = off', p_function);
  execute format('alter function %s set enable_mergejoin = off', p_function);
  execute format('alter function %s set enable_sort = off', p_function);
  execute format('alter function %s set enable_incremental_sort = off', p_function);
  -- otherwise the planner would, for the order of an aggregate, read a whole table that happens to be in that order
  execute format('alter function %s set enable_presorted_aggregate = off', p_function);
  -- with these settings only one plan is possible, and planning each call would take as long as running it
  execute format('alter function %s set plan_cache_mode = force_generic_plan', p_function);
end $procedure$;

COMMENT ON COLUMN "app"."access_tokens"."ended_at" IS 'When the token was ended before it expired; null otherwise.';

COMMENT ON COLUMN "app"."access_tokens"."last_used_at" IS 'When the token was last used, accurate to five minutes; null if never.';

COMMENT ON COLUMN "app"."access_tokens"."live_tokens" IS 'The JWTs for which the token was exchanged and that have not expired: [[iat, exp], …] in unix seconds. They end with the token.';

COMMENT ON COLUMN "app"."access_tokens"."name" IS 'The name that the person gave the token, or the name of the app.';

COMMENT ON COLUMN "app"."accounts"."email_bounced_at" IS 'When a mail server reported that the mailbox does not exist. The column becomes null when the person uses a link that was mailed to the address, or changes the address.';

COMMENT ON COLUMN "app"."accounts"."email_verified_at" IS 'When the person verified their address; null until then. The address of the first admin is verified from the beginning.';

COMMENT ON COLUMN "app"."accounts"."has_public_page" IS 'Whether the person and their public posts have public pages, if the instance has such pages (sql/posts/56_public_pages.sql).';

COMMENT ON COLUMN "app"."accounts"."last_seen_at" IS 'When the person last used Kith, accurate to five minutes (api.note_presence).';

COMMENT ON COLUMN "app"."accounts"."total_reputation" IS 'The sum of the person''s direct reputation entries. It determines the number of invite codes that they may make. A trigger in sql/reputation maintains it.';

COMMENT ON COLUMN "app"."ai_sessions"."asking_until" IS 'The time by which the facade that asks the model for the next question must be done. After this time its attempt counts as failed. Null while no facade asks.';

COMMENT ON COLUMN "app"."ai_sessions"."completed_at" IS 'When its owner completed the session; null until then.';

COMMENT ON COLUMN "app"."app_consents"."ended_at" IS 'When the consent was revoked; null otherwise.';

COMMENT ON COLUMN "app"."app_consents"."generation" IS 'The generation of the current refresh token, which is the number of times that it was replaced.';

COMMENT ON COLUMN "app"."app_consents"."refresh" IS 'What the facade stores about the refresh token, because the token does not contain it; null before the first token.';

COMMENT ON COLUMN "app"."apps"."ended_at" IS 'When the app was deleted; null if it was not.';

COMMENT ON COLUMN "app"."apps"."secret_hash" IS 'SHA-256 of the secret, which has 256 random bits. Null until the first secret was made, and for apps that are not confidential.';

COMMENT ON COLUMN "app"."audit_details"."detail_salt" IS 'The salt of audit_log.detail_hash. It is emptied together with the detail, because somebody who has the salt could guess a text from its hash.';

COMMENT ON COLUMN "app"."audit_details"."ip_salt" IS 'The same as detail_salt, for the address.';

COMMENT ON COLUMN "app"."audit_log"."actor_salt" IS 'The salt of the hash of actor_id. The salt is kept, because the actor is kept. It is secret, because somebody who has it could find the actor by trial.';

COMMENT ON COLUMN "app"."audit_log"."ip_hash" IS 'The same as detail_hash, for the address.';

COMMENT ON COLUMN "app"."broadcasts"."told" IS 'The number of people handled so far, in the order of their ids.';

COMMENT ON COLUMN "app"."case_events"."actor_id" IS 'The member of staff who caused the entry; null for reports and rules.';

COMMENT ON COLUMN "app"."case_events"."detail" IS 'Ids, codes and numbers, but nothing that people wrote.';

COMMENT ON COLUMN "app"."case_proposals"."proposed_at" IS 'When the moderator proposed the action.';

COMMENT ON COLUMN "app"."case_proposals"."settled_at" IS 'When the proposal was accepted or declined; null while it is open.';

COMMENT ON COLUMN "app"."case_proposals"."status" IS 'open, then accepted or declined by an admin. Closing the case also declines the proposal.';

COMMENT ON COLUMN "app"."cases"."claimed_by" IS 'The member of staff who works on the case until claimed_until. After that time the case counts as unclaimed, and the column has the last person who claimed it.';

COMMENT ON COLUMN "app"."cases"."closed_at" IS 'When the case was closed; null while it is open.';

COMMENT ON COLUMN "app"."cases"."opened_at" IS 'When the case was opened.';

COMMENT ON COLUMN "app"."cases"."person_id" IS 'The person who is responsible for the thing: its author, or the owner of a space.';

COMMENT ON COLUMN "app"."cases"."place" IS 'The place in the queue, highest first: urgent cases first, then the oldest.';

COMMENT ON COLUMN "app"."cases"."priority" IS 'The priority, 1 (first) to 4. A report of a more urgent category raises it; no report lowers it.';

COMMENT ON COLUMN "app"."cases"."reports" IS 'The number of reports of the case.';

COMMENT ON COLUMN "app"."cases"."source" IS 'What opened the case: a report, a rule, a member of staff, or a space that passed it on.';

COMMENT ON COLUMN "app"."cases"."space_id" IS 'The group or guild of the reported thing, whose owner and moderators see the case; null if the thing is in none, or if a rule or staff opened the case.';

COMMENT ON COLUMN "app"."cases"."staff_from" IS 'When an open case enters the queue of staff. Before that time it is in the queue of the space. Staff can list such cases with waiting=true, and may decide them.';

COMMENT ON COLUMN "app"."cases"."status" IS 'open, then closed permanently, with an outcome.';

COMMENT ON COLUMN "app"."cases"."target_id" IS 'The thing. The column has no foreign key, because targets are in many tables.';

COMMENT ON COLUMN "app"."circle_invitations"."status" IS 'pending, then accepted or declined by the invitee, or revoked by the inviter or by a block. Only a pending invitation changes.';

COMMENT ON COLUMN "app"."connection_intents"."created_at" IS 'When the person first set an intent. Among people who share equally many interests, the one who has waited longest comes first.';

COMMENT ON COLUMN "app"."connection_intents"."hidden" IS 'Whether the person is banned. private.hide_intent sets it.';

COMMENT ON COLUMN "app"."contents"."author_hidden" IS 'Whether the author is banned or erased. A ban or an erasure sets it immediately for the newest 500 contents, and the worker for the others (private.hide_or_show_contents). Until then app.hidden_people hides them.';

COMMENT ON COLUMN "app"."contents"."deleted_at" IS 'When its author deleted it permanently. The detail is deleted immediately, and the head 31 days later, so that cursors stay valid and clients learn of the deletion (private.changes).';

COMMENT ON COLUMN "app"."contents"."interest_id" IS 'The column has no foreign key, because a video may have any id as its interest. A list of an interest also has the contents of the interests below it.';

COMMENT ON COLUMN "app"."contents"."is_draft" IS 'Whether the content is still a draft, which only its author sees.';

COMMENT ON COLUMN "app"."contribution_entries"."delta" IS 'Points with two decimals: positive, or negative if the entry undoes another one.';

COMMENT ON COLUMN "app"."contribution_entries"."origin_id" IS 'For a share, the entry of which it is a share.';

COMMENT ON COLUMN "app"."contribution_entries"."position" IS 'The order of a person''s own entries, also within a transaction. It is assigned under the lock of private.lock_effects. Shares are added later.';

COMMENT ON COLUMN "app"."contribution_entries"."undoes_id" IS 'The entry that this entry undoes.';

COMMENT ON COLUMN "app"."conversation_members"."latest_at" IS 'The conversation''s position in the person''s list: the time when they joined or, if later, the time of the latest message that they receive. A message from somebody whom they blocked or who blocked them does not change it.';

COMMENT ON COLUMN "app"."conversation_members"."muted_until" IS 'The time until which the person gets no notifications of the conversation; infinity if the mute has no end, null if they have not muted it.';

COMMENT ON COLUMN "app"."conversations"."last_message_at" IS 'When the latest message was sent; null before the first.';

COMMENT ON COLUMN "app"."conversations"."last_number" IS 'The number of the latest message, 0 before the first.';

COMMENT ON COLUMN "app"."course_lessons"."first_done_at" IS 'When a student first completed the lesson; null before. After this time, the lesson can''t be deleted from a published course.';

COMMENT ON COLUMN "app"."courses"."archived_at" IS 'When the course was closed to new students; null if it is open. The head of an archived course is a draft again, but its students still see it (private.visible_courses).';

COMMENT ON COLUMN "app"."courses"."published_at" IS 'When the course was published; null for a draft, which only its author sees.';

COMMENT ON COLUMN "app"."daily_figures"."active" IS 'People who were active, by the last count of that day; null for days before these figures existed. The number can''t be computed later, because only the time of each person''s last activity is stored.';

COMMENT ON COLUMN "app"."daily_figures"."counted_at" IS 'When the figures were counted. They are final if this time is after the end of the day.';

COMMENT ON COLUMN "app"."daily_figures"."mana" IS 'Whole mana that the payments of the day moved.';

COMMENT ON COLUMN "app"."debate_arguments"."answered" IS 'Whether the argument was ever answered. The transaction of an answer sets the column.';

COMMENT ON COLUMN "app"."debate_arguments"."deleted_at" IS 'When its author deleted the argument, which is final; null otherwise.';

COMMENT ON COLUMN "app"."debate_arguments"."parent_id" IS 'The column has no foreign key, because rows are deleted only with their debate, 500 at a time, in any order.';

COMMENT ON COLUMN "app"."debate_arguments"."removed_at" IS 'When staff hid the argument from everybody but its author; null otherwise.';

COMMENT ON COLUMN "app"."debate_arguments"."required_level" IS 'The same as app.contents.required_level. The required level of the debate applies, too.';

COMMENT ON COLUMN "app"."debate_arguments"."votes" IS 'The number of people who find the argument helpful, including those whom the viewer cannot see. A trigger maintains it.';

COMMENT ON COLUMN "app"."debate_arguments"."words" IS 'The words of the body, for the search by staff. A trigger maintains them.';

COMMENT ON COLUMN "app"."debate_positions"."author_hidden" IS 'Whether the person is banned, and therefore not counted (private.hide_children). An erasure deletes the row.';

COMMENT ON COLUMN "app"."debates"."argument_count" IS 'The number of arguments that everyone can see.';

COMMENT ON COLUMN "app"."debates"."closed_at" IS 'When the author closed the debate before closes_at; null otherwise.';

COMMENT ON COLUMN "app"."debates"."closes_at" IS 'When the debate closes by itself.';

COMMENT ON COLUMN "app"."debates"."for_count" IS 'The number of people on this side, including people whom the viewer cannot see, but not banned people. Triggers maintain the four counts.';

COMMENT ON COLUMN "app"."decision_appeals"."resolved_at" IS 'When staff resolved the appeal; null while it is pending.';

COMMENT ON COLUMN "app"."decision_appeals"."resolved_by" IS 'The member of staff. The person never learns who it was.';

COMMENT ON COLUMN "app"."decision_appeals"."undone" IS 'Whether overturning the decision undid its action. A deleted post, for example, stays deleted. Null if the decision was not overturned.';

COMMENT ON COLUMN "app"."decisions"."continues" IS 'If staff moved the end of a suspension without a case, this decision has the new end, and the column has the first decision, which began the suspension. Null for any other decision.';

COMMENT ON COLUMN "app"."decisions"."decided_at" IS 'When the decision was made. Its strikes count from this time on.';

COMMENT ON COLUMN "app"."decisions"."decided_by" IS 'The member of staff; null for a rule. The person never learns who it was.';

COMMENT ON COLUMN "app"."decisions"."ends_at" IS 'When the decision ends by itself; null if it does not.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When the effect ended, because staff ended it, it expired, staff hid what a rule or a space had hidden, or another ban or suspension replaced it. The strikes remain.';

COMMENT ON COLUMN "app"."decisions"."overturned_at" IS 'When an appeal overturned the decision; null if none did. An overturned decision counts no strikes.';

COMMENT ON COLUMN "app"."decisions"."target_type" IS 'The type of the person''s thing that the decision is about, or `user`.';

COMMENT ON COLUMN "app"."event_rsvps"."since" IS 'When the reply got this status. The times of replies to one event with the same status all differ, so they give the order in which people wait.';

COMMENT ON COLUMN "app"."event_rsvps"."status" IS 'going: the person has a seat. waitlisted: the person waits for a seat. interested: the person wants no seat.';

COMMENT ON COLUMN "app"."event_seats"."host_id" IS 'The host of the event, who never changes. The job that reminds guests takes turns between hosts.';

COMMENT ON COLUMN "app"."events"."cancelled_at" IS 'When the host cancelled the event, which is final; null otherwise.';

COMMENT ON COLUMN "app"."events"."capacity" IS 'The number of seats; null for any number. People who have a seat keep it when the capacity is lowered.';

COMMENT ON COLUMN "app"."events"."ends_at" IS 'When the event ends. From then on nobody can reply to the event or change it.';

COMMENT ON COLUMN "app"."events"."sequence" IS 'The number of changes of the event. Calendars recognize the latest version by this number (RFC 5545).';

COMMENT ON COLUMN "app"."guild_proposals"."created_at" IS 'When the proposal opened, by the clock, under the lock of the guild. Members who joined before this time may vote.';

COMMENT ON COLUMN "app"."guild_proposals"."decided_at" IS 'When the proposal was decided; null while it is open.';

COMMENT ON COLUMN "app"."guild_proposals"."due_at" IS 'When the worker next closes the proposal, or executes it and notifies its proposer; null when nothing remains to do.';

COMMENT ON COLUMN "app"."guild_proposals"."eligible" IS 'The number of members who could vote when the proposal was decided; yes, no and abstain are the votes at that time. All are null while it is open.';

COMMENT ON COLUMN "app"."guild_proposals"."executed_at" IS 'When the proposal was executed, or its execution failed; null otherwise.';

COMMENT ON COLUMN "app"."imports"."done" IS 'The number of the `total` rows that have been imported or left out so far.';

COMMENT ON COLUMN "app"."imports"."ended_at" IS 'When the import was done or stopped; null until then.';

COMMENT ON COLUMN "app"."imports"."staged" IS 'The number of rows of the file, including rows that belong to other rows.';

COMMENT ON COLUMN "app"."imports"."state" IS 'receiving: the file is not complete. waiting: the worker has not begun to import the file. running: the worker imports the file. done: the worker has imported the file. stopped: the person was banned meanwhile.';

COMMENT ON COLUMN "app"."interests"."user_count" IS 'The number of people who chose this interest itself. A trigger maintains it.';

COMMENT ON COLUMN "app"."invite_codes"."reserved_until" IS 'When the reservation ends; null if the code is not reserved.';

COMMENT ON COLUMN "app"."invite_codes"."used_at" IS 'When somebody registered with the code; null until then.';

COMMENT ON COLUMN "app"."mana_accounts"."balance" IS 'The balance in whole mana, never below 0, for the kinds that store it here; a trigger on the entries writes it. Null for all other kinds.';

COMMENT ON COLUMN "app"."mana_holds"."settled_at" IS 'When all mana of the hold was paid out or refunded; null while it is held.';

COMMENT ON COLUMN "app"."mana_transactions"."reversal_of" IS 'The movement that this movement undoes. The mana that this movement takes counts as never earned, and the mana that it gives as never spent.';

COMMENT ON COLUMN "app"."media_assets"."alt" IS 'The alt text of the asset where it is used without another alt text; null if it has none.';

COMMENT ON COLUMN "app"."media_assets"."blurhash" IS 'The BlurHash that the client computed; null if it announced none.';

COMMENT ON COLUMN "app"."media_assets"."committed_at" IS 'When the facade found the file in the storage as announced; null while the asset is pending.';

COMMENT ON COLUMN "app"."media_assets"."content_type" IS 'The announced type, with which the storage serves the file.';

COMMENT ON COLUMN "app"."media_assets"."expires_at" IS 'When a pending asset is deleted; null after its commit.';

COMMENT ON COLUMN "app"."media_assets"."part_size" IS 'The size of each part except the last, in bytes, if the file is uploaded in parts; null otherwise.';

COMMENT ON COLUMN "app"."media_assets"."poster_id" IS 'The picture to show until a video plays, a committed asset of the same person, of the kind image. Null if the video has none.';

COMMENT ON COLUMN "app"."media_assets"."sha256" IS 'The hash of the file, for the rules of staff; nobody else sees it. Null while the asset is pending, for a file above 25 MiB, and for assets from before hashes were stored.';

COMMENT ON COLUMN "app"."media_assets"."status" IS '`pending` until the owner commits the asset, then `committed`.';

COMMENT ON COLUMN "app"."media_assets"."upload_id" IS 'The storage''s id of the upload in parts; null before the upload has begun.';

COMMENT ON COLUMN "app"."media_assets"."width" IS 'The width in pixels, as the picture is shown; null if unknown. The client announces it, and for most pictures the commit replaces it by the width in the file.';

COMMENT ON COLUMN "app"."messages"."changed_at" IS 'When the message was last edited, deleted or reacted to, for clients that were offline; null if never.';

COMMENT ON COLUMN "app"."messages"."deleted_at" IS 'When the sender deleted the message or was erased; null otherwise.';

COMMENT ON COLUMN "app"."messages"."edited_at" IS 'When the words of the message last changed; null if never.';

COMMENT ON COLUMN "app"."messages"."number" IS 'The message''s position in the conversation. It is assigned under the lock of the conversation, so that smaller numbers never appear later.';

COMMENT ON COLUMN "app"."moderation_rules"."at_report" IS 'Whether one of the conditions needs a report (private.rule_conditions.moment).';

COMMENT ON COLUMN "app"."moderation_rules"."category" IS 'The category of the cases that the rule opens.';

COMMENT ON COLUMN "app"."moderation_rules"."mode" IS 'shadow: the rule only records what it would do. live: the rule acts. off: the rule is not applied.';

COMMENT ON COLUMN "app"."moderation_rules"."mode_since" IS 'When the rule got this mode.';

COMMENT ON COLUMN "app"."moderation_rules"."replayed_at" IS 'When the rule was last replayed; null if never.';

COMMENT ON COLUMN "app"."muted_keywords"."folded" IS 'private.fold of the keyword. Comparisons use it, so that different spellings of a word are equal.';

COMMENT ON COLUMN "app"."muted_keywords"."until" IS 'When the mute ends; null if it has no end.';

COMMENT ON COLUMN "app"."notification_settings"."timezone" IS 'The name of the person''s time zone, in a form that private.require_timezone accepts.';

COMMENT ON COLUMN "app"."notifications"."in_app" IS 'Whether the notification is in the person''s inbox. If not, it exists only for push or a digest.';

COMMENT ON COLUMN "app"."notifications"."kind" IS 'One of private.notification_kinds, because private.notify joins that table. The column has no foreign key, because then every insert would lock the same row of that table.';

COMMENT ON COLUMN "app"."notifications"."read_at" IS 'When the person marked the notification as read; null while it is unread, and again when an item joins it.';

COMMENT ON COLUMN "app"."notifications"."round" IS 'The number of times that the notification was new to the person. It increases when the notification becomes unread again or a later item replaces it.';

COMMENT ON COLUMN "app"."offering_reviews"."author_hidden" IS 'Whether the author is banned or erased, as in app.contents.author_hidden. The stars of hidden authors still count in the rating, as their likes do.';

COMMENT ON COLUMN "app"."offering_reviews"."offering_id" IS 'The column has no foreign key, because a review remains, and still names its offering, when the offering is deleted.';

COMMENT ON COLUMN "app"."offering_reviews"."removed_at" IS 'When staff hid the review from everybody except its author; null if it is not removed.';

COMMENT ON COLUMN "app"."offering_reviews"."words" IS 'The words of the body, for the search of staff. A trigger writes them.';

COMMENT ON COLUMN "app"."offerings"."rating_sum" IS 'The sum of the stars of all reviews that staff has not removed. A trigger updates it.';

COMMENT ON COLUMN "app"."offerings"."stock" IS 'The number of times that the offering can still be ordered; null if there is no limit.';

COMMENT ON COLUMN "app"."orders"."offering_id" IS 'The offering, which may have been deleted since. The column has no foreign key, because then the purge of deleted offerings would look up orders while it holds the lock of the offering. All other code locks an order before its offering.';

COMMENT ON COLUMN "app"."orders"."took_stock" IS 'Whether the order took a unit from a limited stock; some steps return it.';

COMMENT ON COLUMN "app"."payments"."reversal_of" IS 'The payment that this row reverses. A payment is reversed at most once.';

COMMENT ON COLUMN "app"."personas"."card_text" IS 'The persona in cards of posts, which private.persona_text computes when the row changes.';

COMMENT ON COLUMN "app"."polls"."author_id" IS 'The author of the post. Jobs use the column to alternate between authors.';

COMMENT ON COLUMN "app"."polls"."close_again_at" IS 'When the job tries again to close the poll, after closing failed, or while the poll yields to polls of other authors. Until then other polls come first.';

COMMENT ON COLUMN "app"."polls"."closed_emitted_at" IS 'When the author and the voters were notified of the end of the poll, which happens only once.';

COMMENT ON COLUMN "app"."polls"."closes_at" IS 'The time after which the poll accepts no votes; null if it never closes.';

COMMENT ON COLUMN "app"."post_co_authors"."author_id" IS 'The post''s author, who invites and never changes. A trigger writes the column, so that a block finds the invitations between two people.';

COMMENT ON COLUMN "app"."post_counters"."boost" IS 'The factor of the post''s score in the feed; 0 if the post is not boosted. sql/economy writes it, and a job resets it.';

COMMENT ON COLUMN "app"."post_counters"."bot_replies" IS 'The number of replies by bots. These do not count for trending.';

COMMENT ON COLUMN "app"."post_counters"."milestone" IS 'The highest number of reactions of which the author was notified (5, 15, 50).';

COMMENT ON COLUMN "app"."posts"."author_banned" IS 'Whether the author is banned. A ban updates the newest 500 posts immediately, and the worker updates the others (private.hide_or_show_posts). Until then app.hidden_people hides them.';

COMMENT ON COLUMN "app"."posts"."card_start" IS 'The start of the card, which private.post_start computes when the row changes.';

COMMENT ON COLUMN "app"."posts"."closer_id" IS 'The person to whom a viewer must be closer than a stranger: the author of a post for circles or, for a repost of such a post, the author of the original. The feed finds posts by this column.';

COMMENT ON COLUMN "app"."posts"."deleted_at" IS 'When the post was deleted, for everyone and permanently; null if it was not.';

COMMENT ON COLUMN "app"."posts"."edited_at" IS 'When the words or media of the post last changed after publication; null if never.';

COMMENT ON COLUMN "app"."posts"."hidden_at" IS 'When staff, a space or a rule hid the post from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."posts"."imported_at" IS 'When the author imported the post from a dossier; null for a post that was written here.';

COMMENT ON COLUMN "app"."posts"."keyword_words" IS 'The words of title and body, in which muted keywords are searched (private.keyword_words). A trigger writes them.';

COMMENT ON COLUMN "app"."posts"."media" IS 'Pictures and other media, in order: [{url, alt, width, height, blurhash, posterUrl}]. All fields but url can be null.';

COMMENT ON COLUMN "app"."posts"."original_author_id" IS 'The author of the original, for a repost of a post for circles. Triggers write it.';

COMMENT ON COLUMN "app"."posts"."original_space_id" IS 'The space of the original, for a repost of a post in a space. A trigger writes it.';

COMMENT ON COLUMN "app"."posts"."persona_id" IS 'The persona under which the post was published; null means the author''s default persona.';

COMMENT ON COLUMN "app"."posts"."pinned_at" IS 'When the author pinned the post. A deleted post keeps the value as its place on the profile.';

COMMENT ON COLUMN "app"."posts"."publish_again_at" IS 'When the job tries again to publish the post, after publishing failed, while the author may not publish in its space, or while the post yields to posts of other authors. Until then other posts come first.';

COMMENT ON COLUMN "app"."posts"."published_at" IS 'When the post was published, which decides its place in lists; null while it is scheduled.';

COMMENT ON COLUMN "app"."posts"."scheduled_emitted_at" IS 'When the job or the author published a scheduled post; null for other posts.';

COMMENT ON COLUMN "app"."posts"."space_id" IS 'The group or guild whose members may see the post; null if it is in none. It never changes.';

COMMENT ON COLUMN "app"."posts"."trending_at" IS 'The place in the trending order (private.trending_at).';

COMMENT ON COLUMN "app"."posts"."trending_boost" IS 'The number of times that the sum of reactions, replies, reposts and bookmarks has doubled. See private.raise_trending.';

COMMENT ON COLUMN "app"."posts"."within_id" IS 'The space whose members alone may see the post: its own space or, for a repost, the space of the original. The feed finds posts by this column, so that it need not scan posts of other spaces.';

COMMENT ON COLUMN "app"."problem_solutions"."accepted_at" IS 'When the author of the problem accepted the solution; null otherwise.';

COMMENT ON COLUMN "app"."problem_solutions"."author_hidden" IS 'Whether the author is banned or erased, as set by private.hide_children. Until then app.hidden_people hides the solution.';

COMMENT ON COLUMN "app"."problem_solutions"."deleted_at" IS 'When its author deleted the solution, which is final; null otherwise.';

COMMENT ON COLUMN "app"."problem_solutions"."edited_at" IS 'When the words of the solution last changed; null if never.';

COMMENT ON COLUMN "app"."problem_solutions"."removed_at" IS 'When staff hid the solution from everybody but its author; null otherwise.';

COMMENT ON COLUMN "app"."problem_solutions"."required_level" IS 'The same as app.contents.required_level. The required level of the problem applies, too.';

COMMENT ON COLUMN "app"."problem_solutions"."words" IS 'The words of the body, for the search by staff. A trigger maintains them.';

COMMENT ON COLUMN "app"."problems"."closed_at" IS 'When the author closed the problem without a solution; null otherwise.';

COMMENT ON COLUMN "app"."problems"."solution_count" IS 'The number of solutions that everyone can see. A trigger maintains it.';

COMMENT ON COLUMN "app"."problems"."solved_at" IS 'When the author accepted a solution; null otherwise.';

COMMENT ON COLUMN "app"."project_applications"."decided_at" IS 'When the application was settled; null while it is pending.';

COMMENT ON COLUMN "app"."project_applications"."role_id" IS 'The column has no foreign key, because the applications for a deleted role end in batches. No operation shows the id of a deleted role.';

COMMENT ON COLUMN "app"."project_roles"."filled" IS 'The number of people who hold the role, including hidden people. It is updated together with the row of the member, while this row is locked.';

COMMENT ON COLUMN "app"."project_roles"."words" IS 'The words of the name, for the search. A trigger writes them.';

COMMENT ON COLUMN "app"."replies"."deleted_at" IS 'When the reply was deleted, for everyone and permanently; null if it was not.';

COMMENT ON COLUMN "app"."replies"."hidden_at" IS 'When staff, a space or a rule hid the reply from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."replies"."parent_id" IS 'The reply under the same post that this reply answers; null if it answers the post.';

COMMENT ON COLUMN "app"."replies"."required_level" IS 'The same as app.posts.required_level. A viewer also needs the required level of the post.';

COMMENT ON COLUMN "app"."reports"."author_id" IS 'The person who was responsible for the target when it was reported. A trigger writes it.';

COMMENT ON COLUMN "app"."reports"."copy" IS 'A copy of the reported thing, as the reporter saw it, if staff cannot see the thing elsewhere; otherwise null. A trigger of the feature writes it. senderId is the person who wrote the words, and body has the words; an erasure of that person empties body.';

COMMENT ON COLUMN "app"."reports"."reviewed_at" IS 'When staff settled the report; null while it is open.';

COMMENT ON COLUMN "app"."reputation"."band" IS 'The band of value: 0 below 1, 1 below 3, 2 below 7, and so on, one more with each doubling of value plus one; -1 if value is not above 0. It changes rarely, so an index can contain it.';

COMMENT ON COLUMN "app"."reputation"."direct_value" IS 'The value without roll-ups. The sum over all interests is the person''s total.';

COMMENT ON COLUMN "app"."reputation"."highest_level" IS 'The highest level that value ever reached (private.level_rank), so that nobody is notified of a level twice. A trigger keeps it up to date.';

COMMENT ON COLUMN "app"."reputation_appeals"."entry_id" IS 'The entry that the appeal is about; null if it is about the whole interest.';

COMMENT ON COLUMN "app"."reputation_appeals"."resolved_at" IS 'When an admin resolved the appeal; null while it is pending.';

COMMENT ON COLUMN "app"."reputation_appeals"."restore_delta" IS 'The points that staff gave back because of the appeal.';

COMMENT ON COLUMN "app"."reputation_appeals"."status" IS 'pending, then accepted or rejected by an admin, once.';

COMMENT ON COLUMN "app"."reputation_entries"."earned_from" IS 'The person from whom the entry is earned: the person who reacted, the author of the post with the reply, or the person who used the code. Null if nobody else is involved.';

COMMENT ON COLUMN "app"."reputation_entries"."interest_id" IS 'The id of a row of the table `interests`. The column has no foreign key, because app.reputation has one, and a row for each interest with entries.';

COMMENT ON COLUMN "app"."reputation_entries"."origin_id" IS 'For a roll-up, the direct entry from which it is derived.';

COMMENT ON COLUMN "app"."reputation_entries"."position" IS 'The order of a person''s entries, also within a transaction. It is assigned under the lock of private.lock_effects.';

COMMENT ON COLUMN "app"."reputation_entries"."roll_up_level" IS '0 for the direct entry, 1 for its share in the parent of the interest, 2 in the parent''s parent.';

COMMENT ON COLUMN "app"."reputation_entries"."undoes_id" IS 'The entry that this entry undoes.';

COMMENT ON COLUMN "app"."reputation_kinds"."interest_id" IS 'The id of a row of the table `interests`. The column has no foreign key, because app.reputation has one, and a row for each person and interest here.';

COMMENT ON COLUMN "app"."reputation_votes"."impact" IS 'The weight times the value when the vote was last cast, which is the sum of the direct entries whose source is this vote.';

COMMENT ON COLUMN "app"."rule_hits"."held" IS 'Whether the thing was hidden before anybody else saw it, and staff has not shown it since. When staff shows the thing, the people whom it mentions or answers are notified.';

COMMENT ON COLUMN "app"."rule_hits"."hid" IS 'Whether the rule has hidden the thing; false if the thing was already hidden, or the rule only opens a case.';

COMMENT ON COLUMN "app"."rule_hits"."mode" IS 'The mode of the rule at that time. In shadow it only recorded the hit.';

COMMENT ON COLUMN "app"."sessions"."device" IS 'The name that the client gave the device, otherwise a name from its User-Agent, such as Firefox on Windows. It has no dots, slashes or colons, because a mail shows the name and must not contain a link of a stranger.';

COMMENT ON COLUMN "app"."sessions"."ended_at" IS 'When the session was ended before it expired; null otherwise.';

COMMENT ON COLUMN "app"."sessions"."last_seen_at" IS 'When a token of the session was last used, accurate to five minutes (api.note_presence).';

COMMENT ON COLUMN "app"."space_invitations"."status" IS 'pending, then accepted (also by joining in another way) or declined by the invitee, or revoked: by the inviter, the owner or a moderator, by a block between inviter and invitee, by a ban, or because the inviter lost the right to invite.';

COMMENT ON COLUMN "app"."space_members"."created_at" IS 'When the member joined. It is the clock time under the lock of the space, so that the order of joining is exact.';

COMMENT ON COLUMN "app"."space_members"."placed_at" IS 'The place in the list of members (private.member_place).';

COMMENT ON COLUMN "app"."space_requests"."decided_at" IS 'When the request was settled; null while it is pending.';

COMMENT ON COLUMN "app"."space_requests"."status" IS 'pending, then approved or rejected by the owner or a moderator, withdrawn by its author, or ended because the author joined by other means or was banned.';

COMMENT ON COLUMN "app"."spaces"."archived_at" IS 'When the space was archived; null while it is open. An archived space accepts nothing new, but its members can still read it.';

COMMENT ON COLUMN "app"."spaces"."archived_by_staff" IS 'Whether staff has archived the space, so that only staff can restore it.';

COMMENT ON COLUMN "app"."spaces"."member_count" IS 'The number of members, including those that a caller can''t see. It changes together with the row of a member, under the lock of the space.';

COMMENT ON COLUMN "app"."treasury_entries"."actor_id" IS 'The person who moved the mana; null if a proposal did.';

COMMENT ON COLUMN "app"."treasury_entries"."amount" IS 'Whole mana: above 0 for mana that enters the treasury, below 0 for mana that leaves it.';

COMMENT ON COLUMN "app"."users"."banned_at" IS 'When the person was banned; null if they are not banned. Setting or clearing the column runs the steps of private.account_steps.';

COMMENT ON COLUMN "app"."users"."banned_until" IS 'When the ban ends by itself; such a ban is a suspension. Null for a ban without an end, and for people who are not banned.';

COMMENT ON COLUMN "app"."users"."bot_owner_id" IS 'The person who runs this account and is responsible for it, if it is a bot (sql/identity/57_bots.sql). Null for people.';

COMMENT ON COLUMN "app"."users"."card_rest" IS 'The end of the card, which private.person_rest computes when the row changes.';

COMMENT ON COLUMN "app"."users"."credentials_version" IS 'A number that increases with every new password and every ban. A device token and a count of wrong passwords are for one version, so they end when the version increases.';

COMMENT ON COLUMN "app"."users"."erased_at" IS 'When the person was erased, which is final; null if they were not. Setting the column runs the steps of private.account_steps.';

COMMENT ON COLUMN "app"."users"."limited_at" IS 'When staff limited the person; null if they are not limited. A trigger keeps app.limited_people in sync.';

COMMENT ON COLUMN "app"."users"."tokens_valid_from" IS 'Tokens issued before this time are not valid. In Unix seconds.';

COMMENT ON COLUMN "app"."video_comments"."author_hidden" IS 'Whether the author is banned or erased. A ban or an erasure sets it immediately for the newest 500 comments, and the worker for the others (private.hide_or_show_comments). Until then app.hidden_people hides them.';

COMMENT ON COLUMN "app"."video_comments"."removed_at" IS 'When the author removed the comment, which hides it from everybody; null otherwise.';

COMMENT ON COLUMN "app"."video_comments"."required_level" IS 'The same as app.contents.required_level. The required level of the video applies, too.';

COMMENT ON COLUMN "app"."wiki_proposals"."author_hidden" IS 'Whether the author is banned or erased, as set by private.hide_children. Until then app.hidden_people hides the proposal.';

COMMENT ON COLUMN "app"."wiki_proposals"."base_version" IS 'The version on which the proposal is based.';

COMMENT ON COLUMN "app"."wiki_proposals"."body" IS 'The whole proposed entry, as Markdown source. Null if the author is erased, like summary.';

COMMENT ON COLUMN "app"."wiki_proposals"."net_votes" IS 'The sum of the votes. Each vote updates it, under the lock of this row.';

COMMENT ON COLUMN "app"."wiki_proposals"."resolved_at" IS 'When the proposal was settled; null while it is open.';

COMMENT ON COLUMN "app"."wiki_proposals"."status" IS 'open; then approved (by votes or staff), rejected (by staff), withdrawn (by its author or their erasure), or superseded (when it was about to be approved, the entry already had a newer version).';

COMMENT ON COLUMN "app"."wiki_proposals"."version" IS 'The version that the proposal became; null if it is not approved.';

COMMENT ON COLUMN "app"."wiki_versions"."version" IS 'The number of the version, from 1 without gaps. An interest without an entry is at 0.';

COMMENT ON COLUMN "app"."wiki_votes"."value" IS '1 for the proposal, -1 against it. A person without a vote has no row.';

COMMENT ON COLUMN "private"."account_steps"."step" IS 'A function that takes (person app.users) and returns void. It gets the row after the change, and runs with the rights of the owner. Running it again must change nothing: private.erase_more and private.job_finish_erasures repeat the steps of an erasure.';

COMMENT ON COLUMN "private"."audit_checkpoints"."entries" IS 'The number of the last entry that the checkpoint covers.';

COMMENT ON COLUMN "private"."audit_checkpoints"."head" IS 'The hash of the last entry that the checkpoint covers.';

COMMENT ON COLUMN "private"."audit_checkpoints"."previous" IS 'SHA-256 of the text of the previous checkpoint.';

COMMENT ON COLUMN "private"."audit_checkpoints"."root" IS 'The root of the Merkle tree (RFC 9162, 2.1) over the hashes of the covered entries.';

COMMENT ON COLUMN "private"."batch_queues"."batch" IS 'A function that takes (job jsonb, after uuid) and returns json. It processes about the next 500 rows after `after`, which is null at the beginning, and returns {changed, next}; next is null at the end. Each batch is one transaction, and may run twice.';

COMMENT ON COLUMN "private"."case_categories"."at_once" IS 'Whether staff sees such a case immediately, even if a space has its own moderators.';

COMMENT ON COLUMN "private"."case_categories"."priority" IS 'The priority of a case of this category, 1 (first) to 4.';

COMMENT ON COLUMN "private"."case_categories"."strikes" IS 'The number of strikes that a decision in this category counts.';

COMMENT ON COLUMN "private"."case_handlers"."by_space" IS 'The statement for the owner and moderators of the group or guild of the thing; null if only staff can take the action.';

COMMENT ON COLUMN "private"."case_handlers"."place" IS 'The order of several actions. Actions on the thing come before actions on the person.';

COMMENT ON COLUMN "private"."case_handlers"."undo" IS 'The action that undoes this action; null if none does.';

COMMENT ON COLUMN "private"."case_transitions"."needs" IS 'What the action requires. claim: nobody else has a claim. reason: a reason. until: a time in the future, which no other action takes. person: somebody who is responsible for the thing.';

COMMENT ON COLUMN "private"."case_transitions"."status" IS 'The state of the case before the action.';

COMMENT ON COLUMN "private"."centroids"."posts" IS 'The number of posts that the mean covers, at most 50.';

COMMENT ON COLUMN "private"."change_sources"."finder" IS 'A function that takes (uuid[], smallint[]) and returns setof app.change. It takes changed things of this source, each with the level of its change, and returns those of which the caller may learn.';

COMMENT ON COLUMN "private"."changes"."changed_at" IS 'When the change was recorded, at the end of its transaction.';

COMMENT ON COLUMN "private"."content_kinds"."titled" IS 'Whether contents of this kind have a title, and an interest that must be in the catalog. Videos and audio have neither.';

COMMENT ON COLUMN "private"."content_places"."author_id" IS 'A copy from the head, like space_id. Neither column ever changes.';

COMMENT ON COLUMN "private"."content_places"."content_id" IS 'The column has no foreign key. A trigger of the kind deletes places together with the detail, which is deleted before the head.';

COMMENT ON COLUMN "private"."contribution_inheritance"."undoes_id" IS 'The same as in the entry, so that the job processes an entry before the one that undoes it.';

COMMENT ON COLUMN "private"."decision_kinds"."lifts" IS 'Whether the entry ends earlier decisions with this action; otherwise it is a decision.';

COMMENT ON COLUMN "private"."devices"."credentials_version" IS 'The version of the person''s credentials at the last login on the device. If the version has changed, the device counts as new.';

COMMENT ON COLUMN "private"."devices"."seen_at" IS 'When the person last logged in on the device.';

COMMENT ON COLUMN "private"."digests"."claimed_until" IS 'Until this time only the worker that claimed the digest may send it. After this time the worker is assumed dead, and another worker may send the digest. -infinity before the first attempt, and again if the mail was not accepted.';

COMMENT ON COLUMN "private"."digests"."sent_at" IS 'When the mail was accepted, nothing remained to send, or the mailbox was found not to exist; null until then.';

COMMENT ON COLUMN "private"."digests"."told_from" IS 'The digest covers the notifications that are new, or unread again, between told_from and told_to. The next digest starts where this digest ends.';

COMMENT ON COLUMN "private"."effects"."trace_id" IS 'The trace of the request that caused the effect, so that the log can name it.';

COMMENT ON COLUMN "private"."email_verifications"."expires_at" IS 'When the link expires: a week after the request, or a day if it changes the address. If the link is used or becomes unnecessary, the column is set to the current time.';

COMMENT ON COLUMN "private"."embedding_walk"."finished_at" IS 'When, after walked_at, all centroids had been recomputed, too; null until then.';

COMMENT ON COLUMN "private"."embedding_walk"."walked_at" IS 'When the job had checked every post; null until then.';

COMMENT ON COLUMN "private"."event_listeners"."timing" IS '"at once" means in the transaction that emits the event, which fails if the listener fails; the function takes the payload (jsonb) and returns void. "soon" means within a second, as an effect (56_effects.sql); the function takes many effects (private.effects[]) and returns void.';

COMMENT ON COLUMN "private"."event_log"."id" IS 'Identifies the event permanently. A number can''t, because numbers are assigned again after a backup was restored.';

COMMENT ON COLUMN "private"."event_log"."people" IS 'The people whom the event names. An erasure uses this column to find the event.';

COMMENT ON COLUMN "private"."event_types"."happens" IS 'When the event is emitted, as the end of a sentence that begins with "Emitted when".';

COMMENT ON COLUMN "private"."identities"."email" IS 'The email address of the account when it was linked. Only the person sees it.';

COMMENT ON COLUMN "private"."identities"."last_used_at" IS 'When the account was last used for a login or a proof, or linked.';

COMMENT ON COLUMN "private"."import_rows"."of_key" IS 'The key of the row to which this row belongs; null if it belongs to none.';

COMMENT ON COLUMN "private"."import_rows"."position" IS 'The position of the section; null if the row belongs to another row.';

COMMENT ON COLUMN "private"."import_sections"."importer" IS 'A function that takes (app.imports, private.import_rows) and returns private.import_result. It imports one row for the person, who is the caller while it runs. It raises a code if the row cannot be imported, and may report what it left out of the row. The value is null if the rows of this section belong to rows of another section, whose importer then reads them (private.import_details).';

COMMENT ON COLUMN "private"."imported"."here" IS 'The id of the imported thing in this instance; null if it has no id.';

COMMENT ON COLUMN "private"."job_runs"."last_changed" IS 'The number of rows that the job changed when it last ran to its end. For a job with an alarm, the number of errors that it found.';

COMMENT ON COLUMN "private"."job_runs"."last_ended_at" IS 'When the job last ran to its end, even if it raised its alarm; null if never.';

COMMENT ON COLUMN "private"."job_runs"."last_failed_at" IS 'When the job last failed; null if never.';

COMMENT ON COLUMN "private"."job_runs"."last_run_at" IS 'When the job last ran, even if it failed.';

COMMENT ON COLUMN "private"."jobs"."expires" IS 'After this number of seconds a run counts as lost, and the next one may begin. If the worker of a run was killed, the next run may begin after 10 seconds.';

COMMENT ON COLUMN "private"."jobs"."repeats" IS 'Whether the worker calls the function again until nothing is due, for at most half of expires. A call that returns less than 0 has failed: the other calls still run, and the run fails at its end.';

COMMENT ON COLUMN "private"."judged_types"."finder" IS 'A function that takes (text, uuid, timestamptz) and returns private.judged[]: the versions of a thing since a time, the newest first; null if there is none. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON COLUMN "private"."judged_types"."hidden_at" IS 'The column of the table that says since when only the author sees the thing.';

COMMENT ON COLUMN "private"."ledger_findings"."ledger" IS 'The ledger: mana or treasuries.';

COMMENT ON COLUMN "private"."links"."path" IS 'The path below PUBLIC_URL. {id} is the id of the thing, {username} and {slug} are its names. A thing without its own page has the page of a list.';

COMMENT ON COLUMN "private"."lock_kinds"."position" IS 'The order of the kinds, 100 to 899. The hundreds are the rank. Two kinds have the same position only if transactions never wait for each other because of them.';

COMMENT ON COLUMN "private"."mana_account_kinds"."balance_in" IS 'Where the running balance is stored: in app.wallets, in the account itself, or nowhere. The system''s accounts store no balance, because otherwise every transaction would wait for the row of the mint. Their balance is the sum of their entries.';

COMMENT ON COLUMN "private"."notification_kinds"."always_in_app" IS 'Whether notifications of this kind always appear in the inbox, so that people can''t turn them off there.';

COMMENT ON COLUMN "private"."notification_kinds"."counts_each" IS 'Whether, for kinds that roll up, another item by an actor of the notification counts and makes it unread again.';

COMMENT ON COLUMN "private"."notification_kinds"."outlives_actor" IS 'Whether notifications of this kind remain, without a name, after the erasure of their only actor.';

COMMENT ON COLUMN "private"."notification_kinds"."replaces_unread" IS 'Whether a group has at most one unread notification, which the latest item replaces. It is true for actions that somebody else can repeat at no cost. Notifications of such a kind are pushed at most once an hour for one actor or group (private.begin_push_hour).';

COMMENT ON COLUMN "private"."notification_targets"."words" IS 'The query for (id, title, text) of the targets ($1) that the caller sees now. It runs with the caller''s rights and looks up each target by its key. Title and text may be null.';

COMMENT ON COLUMN "private"."oauth_records"."consumed_at" IS 'When the code was used. If a client uses it again, its consent ends.';

COMMENT ON COLUMN "private"."oidc_logins"."is_fresh" IS 'Whether the provider asked for the password again within the last 5 minutes.';

COMMENT ON COLUMN "private"."order_transitions"."after" IS 'The time after which the worker takes the step, counted from when the order got into this state; null for all other steps.';

COMMENT ON COLUMN "private"."order_transitions"."restocks" IS 'Whether the step returns to the stock what the order took from it.';

COMMENT ON COLUMN "private"."order_transitions"."settles" IS 'Who gets the held mana: the buyer, the seller, or both if an admin divides it. Null if it remains held.';

COMMENT ON COLUMN "private"."passkey_challenges"."user_id" IS 'The person who requested the challenge; null for a login.';

COMMENT ON COLUMN "private"."passkeys"."counter" IS 'The number of uses that the device reports; 0 if it does not count. If the number does not rise, somebody may have a copy of the key.';

COMMENT ON COLUMN "private"."passkeys"."last_used_at" IS 'When the passkey was last used; null if never.';

COMMENT ON COLUMN "private"."passkeys"."name" IS 'The name that the person gave the passkey.';

COMMENT ON COLUMN "private"."passkeys"."transports" IS 'The ways in which browsers reach the device: usb, nfc, ble, internal, hybrid and others.';

COMMENT ON COLUMN "private"."pending_object_deletions"."upload_id" IS 'The upload in parts that the storage may still have open; null if the asset had none.';

COMMENT ON COLUMN "private"."pending_object_deletions"."upload_only" IS 'Whether the asset still exists. If so, the worker deletes only a file that was uploaded again through the asset''s upload URL.';

COMMENT ON COLUMN "private"."personal_data"."across_blocks" IS 'Whether the section names people whom the person has blocked, or who have blocked the person, because people may see whom they have blocked.';

COMMENT ON COLUMN "private"."personal_data"."adds" IS 'SQL of further columns of the section, where t is the row: (select …) as name. The columns are texts, such as the name of a thing whose id differs between instances.';

COMMENT ON COLUMN "private"."personal_data"."within" IS 'The outer sections, to whose rows person_column refers. Null if person_column has the person. Then an index must begin with person_column and continue with the columns that order a person''s rows; otherwise each page would sort all of them.';

COMMENT ON COLUMN "private"."post_embeddings"."digest" IS 'The hash of the words from which the vector was computed.';

COMMENT ON COLUMN "private"."post_embeddings"."signature" IS 'The signs of the vector''s numbers. The number of equal bits of two signatures estimates the angle between the vectors, at a thousandth of the cost.';

COMMENT ON COLUMN "private"."proofs"."proved_at" IS 'When the user of the session last proved their identity.';

COMMENT ON COLUMN "private"."pushed_subjects"."pushed_at" IS 'When the latest push of this subject was queued.';

COMMENT ON COLUMN "private"."pushed_subjects"."subject" IS 'The subject of the push: the kind, the actor (or the group if there is no actor), and the event or state in the payload.';

COMMENT ON COLUMN "private"."pushes"."claimed_until" IS 'Until this time only the worker that claimed the push may send it, or nobody if the provider asked to wait. After this time any worker may send the push.';

COMMENT ON COLUMN "private"."pushes"."receipt_asked_at" IS 'When the worker asked Expo for the receipt of the push; null until then.';

COMMENT ON COLUMN "private"."pushes"."sent_at" IS 'When the provider accepted the push, or rejected it permanently; null until then.';

COMMENT ON COLUMN "private"."rates"."ends_at" IS 'When the window ends; after that, its count is ignored.';

COMMENT ON COLUMN "private"."realtime_topics"."audience" IS 'A function that takes (rest text) and returns whether the caller may listen to this channel.';

COMMENT ON COLUMN "private"."realtime_topics"."events" IS 'A description of the events and their payloads.';

COMMENT ON COLUMN "private"."realtime_topics"."scopes" IS 'The scopes that a token with scopes needs to listen to these channels; it needs all of them. If the column is null, no such token may listen.';

COMMENT ON COLUMN "private"."report_targets"."author" IS 'The query for the person who is responsible for a target ($1): its author, or the owner of a space. It must use an index.';

COMMENT ON COLUMN "private"."report_targets"."co_authors" IS 'The query for the people who wrote a target ($1) with its author; null if targets of this type have only one author. It must use an index.';

COMMENT ON COLUMN "private"."retention"."batch" IS 'The number of rows that one transaction deletes.';

COMMENT ON COLUMN "private"."rule_conditions"."judge" IS 'A function that takes (private.judged, jsonb) and returns whether the version fits these parameters. It uses the state at the time of the version, so that it returns the same 30 days later. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON COLUMN "private"."rule_conditions"."moment" IS 'When a rule with such a condition can first hit a thing: at the creation of the thing, or at a report.';

COMMENT ON COLUMN "private"."search_documents"."author_id" IS 'Who wrote the thing; null for people, spaces and the wiki.';

COMMENT ON COLUMN "private"."search_documents"."gone_at" IS 'When the thing was deleted; null until then. Its words are deleted with it. The row stays for a day, for cursors that name the thing.';

COMMENT ON COLUMN "private"."search_documents"."hidden" IS 'Whether the author is banned. If so, the document is in no list (private.hide_or_show_documents).';

COMMENT ON COLUMN "private"."search_documents"."ranked" IS 'For ranking: the words with at most 16 positions each; null if no word has more than 16 positions. See private.ranked_words.';

COMMENT ON COLUMN "private"."search_documents"."scope" IS 'The scope whose lists contain the document (private.search_scopes). Null if it is in no list.';

COMMENT ON COLUMN "private"."stuck_effects"."attempts" IS 'The number of times that this effect was tried.';

COMMENT ON COLUMN "private"."stuck_effects"."context" IS 'The functions that were running, innermost first, each with its line. SQL text and data are left out, because they could contain what people wrote.';

COMMENT ON COLUMN "private"."stuck_effects"."failed_at" IS 'When the effect last failed.';

COMMENT ON COLUMN "private"."stuck_effects"."listener" IS 'The listener that failed; null if the failure came before the first listener.';

COMMENT ON COLUMN "private"."totp"."confirmed_at" IS 'When a code of the app proved that it has the secret; null until then.';

COMMENT ON COLUMN "private"."verified_backups"."reaches_until" IS 'The time of the newest data in the restored backup.';

COMMENT ON COLUMN "private"."webhook_deliveries"."ended_at" IS 'When the event was delivered or given up; null until then.';

COMMENT ON COLUMN "private"."webhook_deliveries"."failure" IS 'The reason for a missing response: not_public, timeout or unreachable; null if there was a response.';

COMMENT ON COLUMN "private"."webhook_deliveries"."gives_up_at" IS 'The time after which a failed attempt is the last one.';

COMMENT ON COLUMN "private"."webhook_deliveries"."sequence" IS 'The number of the event in private.event_log; null for a test. The column has no foreign key, because then the worker and an erasure could deadlock.';

COMMENT ON COLUMN "private"."webhook_deliveries"."status" IS 'pending until the delivery has arrived (delivered) or is given up (failed).';

COMMENT ON COLUMN "private"."webhook_turns"."due_at" IS 'When the next attempt may begin. While an attempt runs, the time is the end of its lease, after which another worker takes over.';

COMMENT ON COLUMN "private"."webhooks"."deleted_at" IS 'When the webhook was deleted. The worker then deletes its deliveries and, at the end, this row.';

COMMENT ON COLUMN "private"."webhooks"."failing_since" IS 'When the worker gave a delivery up; null again after the next success.';

COMMENT ON COLUMN "private"."webhooks"."previous_secret" IS 'The previous secret. For a day after the change, the worker signs requests with it, too.';

COMMENT ON COLUMN "private"."webhooks"."previous_until" IS 'Until when requests are also signed with the previous secret.';

COMMENT ON COLUMN "private"."webhooks"."queued_to" IS 'The number of the last event of the log that was considered for this webhook. It does not change while the webhook is inactive. A webhook that becomes active again therefore gets the events of the inactive time that are still in the log.';

COMMENT ON COLUMN "private"."write_counts"."ends_at" IS 'When the period ends; after that, its count is ignored.';

COMMENT ON COLUMN "private"."write_limits"."lock_kind" IS 'The kind of lock that counting takes. It is `writes`, which comes before all rows, unless the number of writes becomes known only later.';

COMMENT ON FUNCTION "api"."accept_case_proposal"(uuid, uuid) IS 'Accepts a proposal in a case: takes the action, with the reason of the proposal. Returns the case. Leaves an audit entry for each action.';

COMMENT ON FUNCTION "api"."accept_order"(uuid) IS 'The seller accepts an order. The days until the delivery count from then on.';

COMMENT ON FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) IS 'Limits, suspends or bans up to 50 people whom one person invited, all or none: {items: [{id, user, role, bannedAt, suspendedUntil, limitedAt}]}. Each person gets a separate decision. Leaves an audit entry for each.';

COMMENT ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) IS 'For the owner and moderators of a group or guild: hides a reported thing (hide), shows it again (unhide), or closes its case without hiding it (dismiss). Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."add_import_rows"(uuid, text, integer, jsonb) IS 'For the facade alone: adds rows of a section to an unfinished import of the caller. If a row is invalid, it adds none and returns {problems: ["path: what"]}. p_from is the place of the first row in its section.';

COMMENT ON FUNCTION "api"."add_push_token"(text, text, text, text) IS 'Registers a device for push: {platform, lastSeenAt}. Clients call it again at each start.';

COMMENT ON FUNCTION "api"."answer_ai_session"(uuid, text, integer) IS 'Answers the current question of a session, and returns the session with the next question of the script; after the fifth answer there is no question. With p_position, the answer is accepted only if the question at this position is still the current one.';

COMMENT ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) IS 'For the facade alone, after it has checked the person''s identity as for api.find_standing: appeals a decision about a person who may be banned. Returns the standing.';

COMMENT ON FUNCTION "api"."archive_course"(uuid) IS 'Closes the caller''s own course to new students permanently; its students keep access. Returns the card.';

COMMENT ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) IS 'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban ends. With p_until the ban ends by itself at that time, at most 366 days from now. If the person is already banned, a different p_until changes the end of the ban, and a call without p_until removes the end. Otherwise repeating the call changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. The bots of a person are banned with them; with p_also_owner a bot''s owner is banned, with all their bots. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."begin_ai_answer"(uuid, text, integer, integer) IS 'For the facade alone: answers a question as api.answer_ai_session does, but leaves the next question to the model. Returns {session, ask: {topic, turns}, lease}. lease is for api.finish_ai_answer, which the facade should call within a minute. ask is null after the fifth answer, and if the budget is spent; then the next question is from the script.';

COMMENT ON FUNCTION "api"."block_person"(text) IS 'Blocks a person, which immediately hides the two people from each other. Repeating it changes nothing. Fails: person_unknown (also when they block the caller), block_oneself, blocks_exhausted.';

COMMENT ON FUNCTION "api"."boost_post"(uuid, integer) IS 'Boosts a post of the caller (the original of a repost), which can have one boost at a time: {boost {id, postId, tier, cost, multiplier, createdAt, expiresAt}, senderBalance}. Takes an Idempotency-Key.';

COMMENT ON FUNCTION "api"."cancel_event"(uuid, text) IS 'Cancels the caller''s own event permanently. Returns the card.';

COMMENT ON FUNCTION "api"."cancel_import"(uuid) IS 'For the facade alone: ends an unfinished import of the caller, and deletes its rows.';

COMMENT ON FUNCTION "api"."cancel_order"(uuid) IS 'Cancels an order before it is delivered. All of its mana goes back to the buyer.';

COMMENT ON FUNCTION "api"."check_availability"(text) IS 'Returns whether the caller may open a direct conversation with a person: {available, reason}.';

COMMENT ON FUNCTION "api"."check_circles"(text) IS 'Returns whether the caller and a person share a circle, and whether each of them is in a circle of the other: {sharesCircle, inMyCircle, inTheirCircle}.';

COMMENT ON FUNCTION "api"."claim_case"(uuid) IS 'Claims an open case for 30 minutes. Whenever the caller works on the case, the 30 minutes begin again. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) IS 'For the facade alone, after it has found that the storage has the file as announced: commits the caller''s asset. p_width and p_height are those in the file, or null. p_sha256 is the hash of the file in hex, or null. If another commit found another file meanwhile, the asset is deleted (asset_unfit). Returns the same as api.get_asset. Fails: asset_unknown (also if it is another person''s).';

COMMENT ON FUNCTION "api"."complete_order"(uuid) IS 'The buyer confirms the delivery. The seller gets the held mana.';

COMMENT ON FUNCTION "api"."continue_upload"(uuid, text, text) IS 'For the facade alone: {uploadId}, the storage''s id of the caller''s upload in parts, or null. If the id is still p_ended, an upload that the storage has dropped, p_begun replaces it, so that only one of several concurrent calls succeeds. Fails: asset_unknown (also if it is another person''s).';

COMMENT ON FUNCTION "api"."count_unread_conversations"() IS 'The number of conversations with unread messages, without conversations that the caller muted: {count}.';

COMMENT ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) IS 'For the facade alone: makes an access token of the caller with this hash. Returns it in the form of api.list_access_tokens, with tokenHash (hex) and the nonce from which the facade made the token. Without p_expires_at it expires after 365 days. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) IS 'Registers an app: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}. Only admins can register apps, unless the instance lets everybody register them. A person can have 20. Fails: app_name, app_website.';

COMMENT ON FUNCTION "api"."create_argument"(uuid, text, text, uuid) IS 'Posts an argument in a debate, or an answer to one. Fails: debate_unknown (also if it is removed).';

COMMENT ON FUNCTION "api"."create_asset"(text, text, bigint, text, integer, integer, text, uuid, boolean) IS 'Announces an upload, in parts if p_in_parts is true, and returns it as api.get_asset does. The facade then gets signed upload URLs. Fails: alt_text, asset_dimensions, blurhash.';

COMMENT ON FUNCTION "api"."create_audio"(text, text, numeric, uuid, text, text) IS 'Publishes an audio recording, optionally in a group or guild. Fails: audio_caption. Never: content_title, interest_unknown (any id is allowed).';

COMMENT ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, who is responsible for it, and returns its card, as in api.list_bots. It uses up the given active invite code of the caller, or one of their allotment. A person can have 5. Fails: username_reserved.';

COMMENT ON FUNCTION "api"."create_case"(text, text, text, text) IS 'Opens a case about a thing that nobody reported, or adds a note to its open case. Nobody can open a case about themselves or what they wrote. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."create_conversation"(text, text[], text) IS 'Opens a conversation with people who share a circle or have a direct conversation with the caller. If the direct conversation already exists, it is returned with status 200.';

COMMENT ON FUNCTION "api"."create_video"(text, text, text, numeric, uuid, text, text) IS 'Publishes a video, optionally in a group or guild. Its default thumbnail is the poster of its asset. Fails: video_caption. Never: content_title, interest_unknown (any id is allowed).';

COMMENT ON FUNCTION "api"."create_webhook"(text, text[], text, boolean) IS 'Adds a webhook: {webhook, secret}. The secret is shown only once. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."decline_order"(uuid) IS 'The seller declines an order. All of its mana goes back to the buyer.';

COMMENT ON FUNCTION "api"."delete_audio"(uuid) IS 'Deletes the caller''s audio recording permanently.';

COMMENT ON FUNCTION "api"."delete_bot"(text) IS 'Erases a bot of the caller permanently, as api.erase_me erases a person. The caller doesn''t get the invite back.';

COMMENT ON FUNCTION "api"."delete_course"(uuid) IS 'Deletes the caller''s own course permanently, unless somebody paid for it.';

COMMENT ON FUNCTION "api"."delete_debate"(uuid) IS 'Deletes the caller''s debate permanently.';

COMMENT ON FUNCTION "api"."delete_event"(uuid) IS 'Deletes the caller''s event permanently, including the replies to it.';

COMMENT ON FUNCTION "api"."delete_message"(uuid) IS 'Deletes the caller''s message for everyone. A tombstone without words remains. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."delete_offering"(uuid) IS 'Deletes the caller''s own offering permanently.';

COMMENT ON FUNCTION "api"."delete_post"(uuid) IS 'Deletes the caller''s post. It may be hidden or scheduled, be a repost whose original the caller can no longer see, or be in a group or guild that the caller has left.';

COMMENT ON FUNCTION "api"."delete_problem"(uuid) IS 'Deletes the caller''s problem permanently.';

COMMENT ON FUNCTION "api"."delete_project"(uuid) IS 'Deletes the caller''s own project permanently, if nobody has applied to it.';

COMMENT ON FUNCTION "api"."delete_rule"(uuid) IS 'Deletes a rule. Things that it hid stay hidden. A job deletes its hits when they are old. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."delete_solution"(uuid) IS 'Deletes the caller''s solution for everyone, even if the problem is no longer open or the caller can no longer see it.';

COMMENT ON FUNCTION "api"."delete_video"(uuid) IS 'Deletes the caller''s video permanently, with everything that people left on it.';

COMMENT ON FUNCTION "api"."delete_video_comment"(uuid) IS 'Takes the caller''s comment back, so that nobody can see it.';

COMMENT ON FUNCTION "api"."deliver_order"(uuid, text, uuid) IS 'The seller delivers, with a text and optionally one of their assets. Fails: order_delivery_note.';

COMMENT ON FUNCTION "api"."dispute_order"(uuid, text) IS 'The buyer disputes an order. An admin then decides. Fails: order_reason.';

COMMENT ON FUNCTION "api"."end_session"(uuid) IS 'Ends a session of the caller, and revokes its refresh token and its access tokens immediately. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."enrol_course"(uuid, integer) IS 'Enrols the caller in a course permanently, and pays its price to the author. Fails if the price is not the expected one. Returns the card. Takes an Idempotency-Key.';

COMMENT ON FUNCTION "api"."erase_me"(text) IS 'For the facade alone, after it has checked the password: erases the caller permanently, {erased}.';

COMMENT ON FUNCTION "api"."erase_user"(text) IS 'Erases a banned person, which is final: {erased}. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."exchange_access_token"(integer) IS 'For the facade alone: the claims of a JWT with the scopes of this request''s access token, valid for this many seconds, {sub, email, role, iat, exp}. The JWT ends with the access token. Without the scope profile:read the email is not the person''s.';

COMMENT ON FUNCTION "api"."explain_access"(text, text, text) IS 'Returns whether a person sees a post, a reply, a content or a conversation, or what is in a group or guild, and why: {personId, person, targetType, targetId, authorId, author, canSee, shown, reasons: [{code, effect, text, about}]}.';

COMMENT ON FUNCTION "api"."find_access_token"(bytea) IS 'For the facade alone: the claims of the access token with this hash, {sub, email, role, iat, exp}; null if there is none or it was ended. The role is that of the holder when the token was made, because a change of role ends all tokens.';

COMMENT ON FUNCTION "api"."find_identity"(uuid, bytea, text) IS 'For the facade alone: the person who linked the login of this one-time code, {userId, credentialsVersion, email}.';

COMMENT ON FUNCTION "api"."find_login"(text) IS 'For the facade alone: the person with this address and the password hash to check at login, {userId, passwordHash, credentialsVersion}, or null if nobody has the address. The hash is null if the person has no password.';

COMMENT ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) IS 'For the facade alone: what is stored under this key or user code, with the time of its use; null if there is nothing.';

COMMENT ON FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) IS 'For the facade alone, after it has checked the person''s identity as for api.find_standing: the statement of reasons for a decision about a person who may be banned.';

COMMENT ON FUNCTION "api"."finish_ai_answer"(uuid, timestamp with time zone, date, integer, text, integer, boolean) IS 'For the facade alone, when the model has answered: records the tokens that the model used, and asks the model''s question, or one from the script if the model gave none. If p_gone is true, the client has disconnected: then no question is asked, and the person can answer again.';

COMMENT ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) IS 'For the facade alone, after it has checked the provider''s answer: records a login at the provider, {ok}. Its one-time code can be used for 30 minutes. Each login can be recorded once.';

COMMENT ON FUNCTION "api"."follow_stats"(text) IS 'The number of people who follow a person, and of people whom they follow, each counted up to 10,000, and whether the caller follows them: {followers, following, isFollowing}.';

COMMENT ON FUNCTION "api"."get_books"() IS 'The findings of the latest nightly audits of the ledgers: {sound, ledgers: [{ledger, auditedAt, violations, findings: [{rule, subjectId, expected, found}]}]}, up to 100 findings of each.';

COMMENT ON FUNCTION "api"."get_catalog"(integer, uuid) IS 'The whole catalog as a tree, {items: [{id, slug, name, level, parentId, accentColor, userCount, children}]}. If filtered by level, parent or both, it is a flat list without children. It is sorted by name, and the response has an ETag.';

COMMENT ON FUNCTION "api"."get_daily_figures"(date, date) IS 'The figures of at most 366 days, in UTC: {days: [{day, joined, active, posts, replies, payments, mana, reports, casesClosed}], countedAt}. Figures that have not been counted yet are null.';

COMMENT ON FUNCTION "api"."get_public_post"(uuid) IS 'A post of private.posts_with_page (without a caller) for its public page, {id, title, body, media, publishedAt, editedAt, author, persona, quotedPostId}; null if there is no such post. quotedPostId is null if the quoted post has no page.';

COMMENT ON FUNCTION "api"."get_public_profile"(text) IS 'A person of private.people_with_page (without a caller) for their public page, {person, about, posts}; null if there is no such person. The field posts has those of the newest 40 posts that have a page.';

COMMENT ON FUNCTION "api"."hand_over_guild"(text, text, text) IS 'The founder transfers a guild to a member, and becomes a steward.';

COMMENT ON FUNCTION "api"."join_group"(text, text) IS 'The caller joins a group, or requests to join it: {status: joined | pending, requestId}.';

COMMENT ON FUNCTION "api"."leave_conversation"(uuid) IS 'The caller leaves a group. If they owned it, the longest-standing member becomes the owner. Returns {left: true}.';

COMMENT ON FUNCTION "api"."leave_position"(uuid) IS 'Takes the caller''s position back; repeating it changes nothing. It also works in a debate that the caller can no longer see, but then the response is the same as for a debate that does not exist.';

COMMENT ON FUNCTION "api"."limit_person"(text, text) IS 'Limits a person. In feeds, searches and suggestions, only the person and their followers find the person and what the person published. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."link_identity"(uuid, bytea, text) IS 'For the facade alone: links a login at the provider to the caller, who has given a fresh proof. Returns what api.list_identities returns. The address at the provider may differ from the caller''s.';

COMMENT ON FUNCTION "api"."list_all_conversations"(text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Conversations as numbers and times, newest first. Filters: one kind, a period, one id. It reads no messages.';

COMMENT ON FUNCTION "api"."list_arguments"(uuid, text, uuid, text, integer, text) IS 'The arguments of a debate on all levels, or the answers to one argument, of one side or both; those with the most votes first, or the newest.';

COMMENT ON FUNCTION "api"."list_audio"(uuid, text, text, text, text, integer, text) IS 'Audio recordings, newest first (private.search_contents).';

COMMENT ON FUNCTION "api"."list_audio_by"(text, text) IS 'A person''s audio recordings, newest first, 30 on a page (private.search_contents).';

COMMENT ON FUNCTION "api"."list_blocks"(integer, text) IS 'The people whom the caller has blocked, by username. No other list names these people, or people who blocked the caller.';

COMMENT ON FUNCTION "api"."list_bookmarks"(integer, text) IS 'The caller''s bookmarks, newest first, without posts that they can no longer see.';

COMMENT ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Cases, the most urgent first, then the oldest. Filters: state, category, priority, claimed by the caller or by nobody, type of the target, person, rule or username, a period, an id. With p_waiting it lists only cases that still belong to a group or guild, otherwise only the others. Nobody sees cases about themselves.';

COMMENT ON FUNCTION "api"."list_changes"(text) IS 'Which of the things that the caller may have stored have changed since a cursor of this list: {items [{type, id, gone}], nextCursor, hasMore}. Without a cursor it has no items, only the cursor to begin with.';

COMMENT ON FUNCTION "api"."list_events"(text, timestamp with time zone, timestamp with time zone, text, text, uuid, text, text, text, text, integer, text) IS 'Events, newest first. With `when` or dates, events are ordered by start: the soonest first, or with `when` = past the latest first. `upcoming` events have not begun and are not cancelled; `past` events have begun.';

COMMENT ON FUNCTION "api"."list_failed_jobs"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Jobs that failed permanently in the last 30 days, newest first: {id, queue, message, retries, createdAt, failedAt, retriedAt}.';

COMMENT ON FUNCTION "api"."list_group_bans"(text, integer, text) IS 'The people who are banned from a group.';

COMMENT ON FUNCTION "api"."list_links"() IS 'Where the web shows things: {base, paths: {type: path}}. An address consists of the base and the path.';

COMMENT ON FUNCTION "api"."list_memberships"(integer, text) IS 'The circles of others in which the caller is a member, newest first.';

COMMENT ON FUNCTION "api"."list_messages"(uuid, uuid, timestamp with time zone, integer, text) IS 'The messages of a conversation that the caller sees, newest first. With p_after it lists the messages after that message, oldest first. With p_changed_since it lists messages that were edited, deleted or reacted to since that time, or up to 3 seconds before it, oldest change first.';

COMMENT ON FUNCTION "api"."list_mutes"(integer, text) IS 'The people whom the caller has muted, by username, without people with a block between them and the caller.';

COMMENT ON FUNCTION "api"."list_my_events"(text, integer, text) IS 'The events that the caller hosts, goes to, or both. They are ordered by the time at which the caller published the event or got a seat, latest first.';

COMMENT ON FUNCTION "api"."list_my_invites"() IS 'The caller''s invite codes, {codes, allotment, used, remaining}: the newest 200 codes, newest first; the number of codes that they may make in all; the number that counts as used, up to 1000; and the number that they can still make.';

COMMENT ON FUNCTION "api"."list_notifications"(integer, text, timestamp with time zone) IS 'The caller''s notifications, by the time of their event, newest first. With p_since it lists notifications that are new or changed since that time, as private.list_changed does.';

COMMENT ON FUNCTION "api"."list_offerings"(uuid, text, text, text, text, text, integer, integer, text, integer, text) IS 'Offerings, newest first, cheapest first or best rated first. Filters: a price range, a seller (actor id or username), and those of every list of contents.';

COMMENT ON FUNCTION "api"."list_pending_invitations"(text) IS 'The caller''s pending invitations to a person, newest first, on one page, because nobody has more than 50 circles.';

COMMENT ON FUNCTION "api"."list_posts_by"(text, integer, text) IS 'A person''s posts that the caller sees, the pinned posts first, then the newest. Only the author sees hidden posts. The list has no scheduled posts.';

COMMENT ON FUNCTION "api"."list_problems"(uuid, text, text, text, text, text, integer, boolean, integer, text) IS 'Problems, newest first, filtered by status, minimum depth and bounty (private.search_contents).';

COMMENT ON FUNCTION "api"."list_project_members"(uuid, integer, text) IS 'The members of a project: its author first, then the others by the time of joining.';

COMMENT ON FUNCTION "api"."list_received_votes"(integer, text) IS 'The votes for the caller that were not taken back, newest first by the time when each was first cast, without votes of people that the caller can''t see.';

COMMENT ON FUNCTION "api"."list_replies"(uuid, text, integer, text, uuid) IS 'The replies to a post (to the original of a repost), oldest first: all replies, the replies of one kind, or the direct answers to one reply.';

COMMENT ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Reports, newest first. An id in p_q is the id of a report or of its target. With p_waiting it lists only open reports whose case still belongs to a group or guild, otherwise only the others. Nobody sees reports about themselves.';

COMMENT ON FUNCTION "api"."list_solutions"(uuid, integer, text) IS 'The solutions of a problem: the accepted one first, then by score; among equal scores, the newest first.';

COMMENT ON FUNCTION "api"."list_videos"(uuid, text, text, text, text, integer, text) IS 'Videos, newest first (private.search_contents). A cursor is the number of videos before the page, up to 1000. Beyond that, and after a short page, the cursor is a place.';

COMMENT ON FUNCTION "api"."list_videos_by"(text, text) IS 'A person''s videos, newest first, 30 on a page (private.search_contents).';

COMMENT ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone, after it has checked the password: logs the person in, {claims, user, credentialsVersion}. p_new_hash replaces a hash whose parameters have become too weak. p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_alert_hash, the person gets a mail about a login on a new device, unless it is their first login. For a person with a second factor, p_code is a code of the app or a recovery code, and counts as a fresh proof.';

COMMENT ON FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone: logs in the person who linked this login, like api.log_in, {claims, user, credentialsVersion}. People with a second factor also give p_code.';

COMMENT ON FUNCTION "api"."log_out"(text, uuid) IS 'Revokes the token of this request or, with scope global, every token of the caller. Ends the session of the token if that session is fixed. With p_family it also ends the rotating session with this id, if that session is the caller''s.';

COMMENT ON FUNCTION "api"."map_ai_interests"(uuid, jsonb, boolean) IS 'Returns up to 10 interests that a session suggests, {backend, fallback, suggestions: [{id, slug, name, confidence}]}, highest confidence first. They are found by words and by a model (p_found: [{slug, confidence}]); slugs that are not in the catalog are ignored. p_fallback says whether a model was asked but failed.';

COMMENT ON FUNCTION "api"."mark_read"(uuid[], text, timestamp with time zone) IS 'Marks the caller''s notifications as read: up to 100 ids, a group, or all before a time. It marks the newest 500 at once, and the others soon after. It skips other people''s notifications. Returns the number of unread notifications, as api.count_unread does.';

COMMENT ON FUNCTION "api"."mute_conversation"(uuid, timestamp with time zone) IS 'Mutes a conversation for the caller, who then gets no notifications or pushes until p_until, or forever if it is null. Returns the card.';

COMMENT ON FUNCTION "api"."mute_keyword"(text, timestamp with time zone) IS 'Mutes a keyword, permanently or until a time. Muting it again changes the time. Fails: keyword_empty, keywords_exhausted, value_invalid (more than 100 characters).';

COMMENT ON FUNCTION "api"."preview_broadcast"(text, text) IS 'Shows what a broadcast would be: {title, body, recipients}. It sends and stores nothing.';

COMMENT ON FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) IS 'Proposes an action in a case that only an admin may take. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) IS 'For the facade alone: records a fresh proof of this session by a login at the provider that asked for the password, {provedUntil}. People with a second factor give a proof of that factor instead.';

COMMENT ON FUNCTION "api"."refresh_session"(uuid, integer, bytea, bytea, integer) IS 'For the facade alone, after it has checked the token''s seal: returns the {claims} of a new access token. The refresh token of p_generation is used up; the token with p_next_hash replaces it and is valid for 60 days. A token that is used again ends the session and its access tokens permanently, except the previous token within 10 seconds of its first use.';

COMMENT ON FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) IS 'For the facade alone: does the same as api.register, with a login at the provider instead of a password. The address is the one that the provider verified.';

COMMENT ON FUNCTION "api"."remove_passkey"(uuid) IS 'Removes a passkey of the caller. If it is the last factor, also removes the recovery codes, and fails if the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."remove_totp"() IS 'Removes the caller''s authenticator app. If it is the last factor, also removes the recovery codes, and fails if the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."rename_conversation"(uuid, text) IS 'Gives the caller''s group another title. The same title changes nothing. Returns the card. Fails: conversation_title.';

COMMENT ON FUNCTION "api"."replay_draft"(jsonb, text[], text) IS 'Replays a rule that does not exist yet (private.replay).';

COMMENT ON FUNCTION "api"."replay_rule"(uuid, text) IS 'Replays a rule (private.replay). After that the rule can go live.';

COMMENT ON FUNCTION "api"."report"(text, text, text, text) IS 'Reports something that the caller sees to the staff: {id, targetType, targetId, reason, category, status, createdAt}. The category is `other` by default. Fails: report_oneself, private.report_targets.';

COMMENT ON FUNCTION "api"."request_password_reset"(text, uuid, bytea) IS 'For the facade alone: stores a request for a new password and mails a link, at most 5 per person and hour. Returns {ok} after the same work, even if nobody has the address or it was not verified within a day.';

COMMENT ON FUNCTION "api"."resend_verification"(uuid, bytea) IS 'For the facade alone: mails another link, {ok}, for the address to which the caller is changing, otherwise for their current one. Earlier links remain valid.';

COMMENT ON FUNCTION "api"."reset_password"(uuid, bytea, text) IS 'For the facade alone: sets the password of the person to whom this token was mailed, {userId, credentialsVersion}. All links for a password or a change of address end, and so do the person''s access tokens, sessions and device tokens. Their address is then verified.';

COMMENT ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that a person appealed, with an answer that the person reads. Overturning undoes the action, if that is possible, and cancels the strikes. The member of staff who made the decision can''t resolve the appeal while somebody else could. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."retry_failed_job"(text, uuid) IS 'Puts one permanently failed job back on its queue, once: {retried}, which is false for a repeat. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."retry_failed_jobs"(text, timestamp with time zone) IS 'Puts up to 500 permanently failed jobs back on their queue, the oldest first, each of them once: {retried, more}. more says whether any are left. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."retry_stuck_effects"(uuid) IS 'Makes the worker retry the failing effects of a person now: {retried}, which is false if it is about to do so anyway. An effect is applied once, because applying it deletes its row. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."revoke_invitation"(uuid, uuid) IS 'The inviter revokes a pending invitation. Never: circle_full, member_already.';

COMMENT ON FUNCTION "api"."revoke_my_app"(uuid) IS 'Ends the caller''s consents to an app. The app''s tokens end immediately.';

COMMENT ON FUNCTION "api"."rotate_webhook_secret"(uuid) IS 'Gives a webhook another secret: {webhook, secret}. The secret is shown only once. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."rsvp_event"(uuid, text) IS 'Records that the caller goes to an event, or is interested; repeating it changes nothing. If they want to go and no seat is free, they get a place on the waiting list of up to 500 people. Returns the card.';

COMMENT ON FUNCTION "api"."select_interest"(uuid, integer, integer) IS 'Chooses an interest, or changes the depth and expertise of a chosen interest. Fails: interest_depth_out_of_range, interest_expertise_out_of_range.';

COMMENT ON FUNCTION "api"."select_interests"(jsonb) IS 'Confirms a choice of interests, [{interestId, depth, expertise}], all or none. It adds or changes these interests, and keeps the caller''s other interests. If an interest is named twice, the last entry counts. Returns all chosen interests, {items}. Fails: interest_depth_out_of_range, interest_expertise_out_of_range.';

COMMENT ON FUNCTION "api"."send_message"(uuid, text, uuid, uuid, uuid, text) IS 'Sends a message in a conversation of the caller, once per p_client_id: a retry returns the same message. Without p_alt the message has the alt text of the asset. Fails: value_invalid (no p_client_id), message_unknown (of p_reply_to_id), message_body (longer than 4000).';

COMMENT ON FUNCTION "api"."set_group_role"(text, text, text) IS 'The owner gives a member another role, or transfers the group to them.';

COMMENT ON FUNCTION "api"."settle_ai_tokens"(date, integer, integer) IS 'For the facade alone, after a call of the model: replaces the reserved number of tokens by the number that the model used (p_used).';

COMMENT ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) IS 'For the facade alone: stores the facade''s data about the refresh token of this generation, if it is the current one.';

COMMENT ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) IS 'For the facade alone: uses up a challenge. Returns {isOpen: whether the challenge was valid for this purpose and caller, passkey: {id, userId, publicKey (hex), credentialsVersion}, or null if the caller may use no such passkey}.';

COMMENT ON FUNCTION "api"."unban_person"(text, text) IS 'Ends a ban or a suspension. What the person published is visible again, and they can log in, but older tokens remain invalid. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."unblock_person"(text) IS 'Lifts a block. The memberships in circles apply again. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."unbookmark"(uuid) IS 'Takes a bookmark back, even of a post that the caller can no longer see; repeating it changes nothing.';

COMMENT ON FUNCTION "api"."unfollow_series"(uuid) IS 'Ends the caller''s follow of a series, even of one that they can no longer see; repeating it changes nothing.';

COMMENT ON FUNCTION "api"."unlike_video"(uuid) IS 'Takes the caller''s like back; repeating it changes nothing. It also works on a video that the caller can no longer see, but then it returns video_unknown. Returns the card.';

COMMENT ON FUNCTION "api"."unlink_identity"(uuid) IS 'Removes a linked login of the caller, who has given a fresh proof. Fails with identity_needed if it is their only way to log in.';

COMMENT ON FUNCTION "api"."unmute_post"(uuid) IS 'Unmutes a post, even one that the caller can no longer see; repeating it changes nothing.';

COMMENT ON FUNCTION "api"."unpin_post"(uuid) IS 'Unpins the caller''s post, even a repost whose original they can no longer see; repeating it changes nothing.';

COMMENT ON FUNCTION "api"."unreact"(uuid, text) IS 'Takes the caller''s reaction of one kind back, or both; repeating it changes nothing. It also works on a post that the caller can no longer see, but then the answer is post_unknown. Returns {counters, viewer}.';

COMMENT ON FUNCTION "api"."unreact_to_message"(uuid, text) IS 'Takes the caller''s reaction back; repeating it changes nothing. It also works on a message that the caller can no longer see, but then the response is the same as for a message that does not exist.';

COMMENT ON FUNCTION "api"."unrepost"(uuid) IS 'Takes the caller''s repost of a post back, by the id of the post or of a repost of it, even if the caller can no longer see the post; repeating it changes nothing.';

COMMENT ON FUNCTION "api"."unrepost_video"(uuid) IS 'Takes the caller''s repost back; repeating it changes nothing. It also works on a video that the caller can no longer see, but then it returns video_unknown. Returns the card.';

COMMENT ON FUNCTION "api"."unrsvp_event"(uuid) IS 'Takes the caller''s reply back; repeating it changes nothing. The seat goes to the person who has waited longest. It also works on an event that the caller can no longer see, but then the response is the same as for an event that does not exist.';

COMMENT ON FUNCTION "api"."unsubscribe"(uuid) IS 'For the facade alone, after it has checked the token: turns off the digest of the person who got the mail, {ok}. Repeating it changes nothing. The person can turn the digest on again by api.update_preferences with a digestHour.';

COMMENT ON FUNCTION "api"."unvote_argument"(uuid) IS 'Takes the caller''s vote back; repeating it changes nothing. It also works on an argument that the caller can no longer see, but then the response is the same as for an argument that does not exist.';

COMMENT ON FUNCTION "api"."unvote_poll"(uuid) IS 'Takes the caller''s vote back; repeating it changes nothing. It also works on the poll of a post that the caller can no longer see, but then the answer is post_unknown. Returns the poll.';

COMMENT ON FUNCTION "api"."unvote_solution"(uuid) IS 'Takes the caller''s vote back; repeating it changes nothing. It also works on a solution that the caller can no longer see, but then the response is the same as for a solution that does not exist.';

COMMENT ON FUNCTION "api"."update_debate"(uuid, jsonb) IS 'Changes the caller''s own debate: {title?, body?, interestId?, closesAt?}.';

COMMENT ON FUNCTION "api"."update_problem"(uuid, jsonb) IS 'Changes the caller''s own problem: {title?, body?, interestId?, depth?}.';

COMMENT ON FUNCTION "api"."update_project"(uuid, jsonb) IS 'Changes the caller''s own project: {title?, summary?, interestId?}.';

COMMENT ON FUNCTION "api"."update_project_role"(uuid, uuid, jsonb) IS 'Changes a role of the caller''s own project. p_changes is {name?, about?, slots?}.';

COMMENT ON FUNCTION "api"."update_rule"(uuid, jsonb) IS 'Changes a rule, {name, action, mode}, and returns it. Its conditions never change. A rule can go live only after a day in shadow or a replay. Repeating it changes nothing. Leaves an audit entry. Fails: value_invalid.';

COMMENT ON FUNCTION "api"."vote_reputation"(text, uuid, integer, text) IS 'Sets the caller''s vote on a person in an interest that the caller has chosen. The value 0 takes back the vote and its comment. Returns {userId, interestId, value, comment, weight, impact, createdAt, updatedAt}.';

COMMENT ON FUNCTION "api"."vote_wiki_proposal"(uuid, integer) IS 'Votes on a proposal. A new vote replaces the caller''s earlier one. Returns null if the caller can no longer see the proposal.';

COMMENT ON FUNCTION "api"."withdraw_project_application"(uuid, uuid) IS 'Withdraws the caller''s own application, even if they can no longer see the project.';

COMMENT ON FUNCTION "private"."access_of"(uuid, text, uuid) IS 'Runs private.find_access for staff as if this person were the caller.';

COMMENT ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) IS 'Takes an action in a case for the owner or a moderator of its space. Dismissing and hiding close the case. If staff already has the case, the case stays open until staff decides. Fails: post_unknown, reply_unknown.';

COMMENT ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) IS 'Takes these actions in a case whose work is locked, and returns the new state of the case. Fails: private.set_post_hidden, private.set_reply_hidden, api.remove_post, private.set_content_removed, private.warn_person, api.limit_person, api.ban_person. Never: limit_oneself, ban_oneself, content_kind, reason_length, text_unfit.';

COMMENT ON FUNCTION "private"."add_broadcast"(text, text) IS 'Stores a message to everybody, but does not send it yet. Fails: broadcast_title, broadcast_body.';

COMMENT ON FUNCTION "private"."add_checkpoint"(json, text) IS 'For the worker alone: adds a signed checkpoint. Returns false if another worker has already added it.';

COMMENT ON FUNCTION "private"."add_content"(text, uuid, text, text[], text, text) IS 'Writes the head of a new content of the caller, optionally in a group or guild. Searches find the content by the words of its title and of these texts. The function of its kind writes the detail. Fails: content_title.';

COMMENT ON FUNCTION "private"."add_member"(app.spaces, uuid) IS 'Makes a person a member of a space, and ends their pending request and invitations. Returns false if they were already a member. The caller must hold the locks of the space and of the person.';

COMMENT ON FUNCTION "private"."add_message"(app.messages) IS 'Appends a message to its conversation, moves the conversation up in the lists of the members who receive from the sender, announces the message on the conversation''s channel, and emits an event.';

COMMENT ON FUNCTION "private"."add_own_audience"() IS 'Trigger: adds the row of a new person as their own viewer, with level 3.';

COMMENT ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, which uses up an invite, as described at api.create_bot. The password hash of the bot matches no password.';

COMMENT ON FUNCTION "private"."add_project_role"(uuid, jsonb) IS 'Adds a role {name, about?, slots?} to a project that is new or that the calling function has locked. Fails: project_role_name, project_role_about, project_role_slots.';

COMMENT ON FUNCTION "private"."add_reputation"(uuid, uuid, text, numeric, uuid, uuid, numeric) IS 'Writes an entry for a decision, such as a vote, and returns the id of the direct entry. With p_before, the points that the same cause gave before, it writes only the differences. The function is for definer functions. 20_earning.sql has what people earn by their actions.';

COMMENT ON FUNCTION "private"."add_review"(uuid, integer, text) IS 'Adds the caller''s review of one of their completed orders, once. Fails: review_stars, review_text.';

COMMENT ON FUNCTION "private"."add_to_hold"(uuid, integer) IS 'Takes more mana from the same wallet into an open hold. The feature must check under its own lock that the hold is open. A settled hold raises object_not_in_prerequisite_state, which only a bug in SQL can cause.';

COMMENT ON FUNCTION "private"."ai_deadline"() IS '24 hours ago. A session whose latest answer is older than this time is abandoned.';

COMMENT ON FUNCTION "private"."ai_status"(app.ai_sessions) IS 'The status of a session: in_progress, completed or abandoned. This function computes the status; the job only records it.';

COMMENT ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) IS 'Queues a mail to a person about a session on a new device, with a link that ends it; at most 5 in an hour. Does nothing without p_alert_hash.';

COMMENT ON FUNCTION "private"."all_posts"(app.place, uuid[]) IS 'All posts that the caller may see, except those in spaces. It also returns public posts that the caller may not see because of their author or of the post that they repost. The calling function must check the visibility of the posts that it uses.';

COMMENT ON FUNCTION "private"."announce_level"() IS 'Trigger: emits an event when a person reaches a higher level in an interest than ever before. If the person rises several levels at once, the event names the highest.';

COMMENT ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) IS 'Returns whether a person is responsible for a thing, because they are p_author or one of its co-authors.';

COMMENT ON FUNCTION "private"."appeal_path"(app.decisions, boolean) IS 'The route by which the person concerned appeals a decision: one for people who are logged in, another for people who give their password. Null if they have already appealed it, or if it was overturned. An appeal has no deadline.';

COMMENT ON FUNCTION "private"."appeal_roles"(app.decisions) IS 'The roles that may resolve an appeal against a decision. They are the roles that may make such a decision.';

COMMENT ON FUNCTION "private"."apply_effects"(uuid) IS 'For the worker alone: in one transaction, applies the pending effects of the people who have the next 500 effects after p_after, and the effects that follow from them. Several workers may call it at once: it skips people whose effects another worker applies. Returns {applied, failed, next, stuck: [{person, event, eventId, effectId, listener, sqlstate, context, trace_id}]}: failed is the number of people, stuck has the effects that failed for the first time, and next is the p_after of the next call, or null at the end.';

COMMENT ON FUNCTION "private"."apply_effects_of"(uuid[], integer) IS 'Applies the pending effects of these people, up to p_most per round, and the effects that follow from them. Returns the number of applied effects. The caller must take the locks first (private.effects_key).';

COMMENT ON FUNCTION "private"."apply_one_by_one"(uuid, timestamp with time zone) IS 'Applies the pending effects of a person one by one, until one fails or the time is over. Returns the number of applied effects. It records the effect that fails in private.stuck_effects. The caller must take the lock first (private.effects_key).';

COMMENT ON FUNCTION "private"."apply_to_guild"(text, text) IS 'The caller applies to a guild. They must have the reputation that the guild requires, and can have one application at a time. The function checks both under the lock of the guild.';

COMMENT ON FUNCTION "private"."approve_wiki_proposal"(app.wiki_proposals) IS 'Makes an open, locked proposal the next version of its entry. If the entry already has a newer version, the proposal becomes superseded and the function returns false.';

COMMENT ON FUNCTION "private"."archive_space"(text, text, boolean) IS 'Archives a space or restores it, for its owner, who can''t restore a space that staff has archived. Repeating it changes nothing.';

COMMENT ON FUNCTION "private"."argument_cards"(uuid[]) IS 'The cards of the given arguments that the caller sees, in order. Calling functions check the debate. Shape: {id, debateId, side, body, parentId, authorId, author, votes, viewer: {voted}, removedAt, deletedAt, createdAt}. A deleted argument has neither body nor author.';

COMMENT ON FUNCTION "private"."attachment_card"(app.media_assets, text) IS 'An asset in the form for people who may see the place where it is used: {assetId, url, contentType, alt, width, height, blurhash, posterUrl}.';

COMMENT ON FUNCTION "private"."audit_page"(json, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'A page of the audit log, in the form of private.staff_page; p_by names the filter that has an index.';

COMMENT ON FUNCTION "private"."audit_treasuries"() IS 'Every row of a treasury that does not match the ledger of mana, {rule, subject, expected, found}, as in private.audit_mana.';

COMMENT ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) IS 'The reasons that depend on the author of a thing, and on the relation between the person and the author. They do not reveal which of the two blocked the other.';

COMMENT ON FUNCTION "private"."base32"(bytea) IS 'A secret in base32 (RFC 4648), the form that apps read. The number of bits must be a multiple of 5.';

COMMENT ON FUNCTION "private"."begin_import"() IS 'Begins an import of the caller, and returns its id. It ends an unfinished earlier import of the caller.';

COMMENT ON FUNCTION "private"."begin_push_hour"(app.notifications) IS 'Returns true, and starts a new hour, if nothing with the same subject was pushed within the last hour. An action that somebody repeats is therefore pushed once an hour, even if its notification was read or withdrawn meanwhile. A cancellation and a change have different subjects, so a cancellation is pushed immediately.';

COMMENT ON FUNCTION "private"."begin_vote"(text, uuid, text, uuid) IS 'Checks that the caller may vote on a child, such as an argument, of a content of this kind, and locks the content with private.lock_open_content. The caller must then read the child again. If the child is the caller''s own, it fails with a code of the kind of child.';

COMMENT ON FUNCTION "private"."boost"(uuid, integer) IS 'Boosts a post of the caller and burns the mana; api.boost_post checks whether the caller may boost it.';

COMMENT ON FUNCTION "private"."boost_tier"(integer) IS 'The cost of a boost, its multiplier of the score, and its duration. All are null if there is no such tier.';

COMMENT ON FUNCTION "private"."bots_among"(uuid[]) IS 'Returns those of these accounts that are bots. Lists use it because it needs only one look-up; private.is_bot would need one for each account.';

COMMENT ON FUNCTION "private"."broadcast"(text, text, jsonb) IS 'Sends a message to a private channel when the transaction commits. A message may be lost, and a failure is only a warning. The payload has only ids of rows, which the client reads with its own rights.';

COMMENT ON FUNCTION "private"."broadcast_messages"(private.effects[]) IS 'Listener: announces on each member''s own channel that a conversation has a new message, once per message, but only if the member receives messages from the sender.';

COMMENT ON FUNCTION "private"."broadcast_notification"() IS 'Trigger: sends {id, kind} to the person''s own channel. If only read_at or payload changes, it sends nothing.';

COMMENT ON FUNCTION "private"."broadcast_posts"(private.effects[]) IS 'Listener: announces a public post when it is published, which for a scheduled post is later than its insert. It does not announce posts of limited people, or reposts of them, because strangers also listen.';

COMMENT ON FUNCTION "private"."calendar_end"() IS 'Times that people plan must be before this time. A later time would have a year of five digits in some time zone, or be invalid.';

COMMENT ON FUNCTION "private"."can_hold_project_role"(app.contents, uuid) IS 'Returns whether the author of a project may see this person, and the person is in the space of the project, if any.';

COMMENT ON FUNCTION "private"."case_file"(app.cases) IS 'The details of a case: {target, media, reports, earlierCases, proposals, history, strikes, decisions}. strikes and decisions are those of the person who is responsible for the thing, and null if there is none.';

COMMENT ON FUNCTION "private"."case_media"(text, uuid) IS 'The files of all versions of a thing that rules judge, with their hashes, at most 50: [{url, sha256}].';

COMMENT ON FUNCTION "private"."catch_up"(uuid[]) IS 'For functions that show reputation or notifications: applies the pending effects of these people, so that what is shown is up to date. It never fails and never delays a request for long. It applies up to 300 effects and the effects that follow from them, and waits up to a second for a lock that another transaction has.';

COMMENT ON FUNCTION "private"."change_offering"(uuid, jsonb) IS 'Changes the caller''s own offering, as described at api.update_offering. Only changes of title, description or interest count as edits. Fails: offering_price, offering_stock, offering_delivery.';

COMMENT ON FUNCTION "private"."change_own_app"(uuid, jsonb) IS 'Changes an app of the caller, as described at api.update_app.';

COMMENT ON FUNCTION "private"."change_role"(text, text, text, text) IS 'Gives a member another role, for the owner of a space. The role owner transfers the ownership.';

COMMENT ON FUNCTION "private"."change_webhook_secret"(uuid) IS 'Gives another secret to a webhook that the caller has locked. For 24 hours, requests are also signed with the previous secret.';

COMMENT ON FUNCTION "private"."changed_engagement"(private.effects[]) IS 'The engagement that these effects are about, each once, and whether each exists now. Only the present state counts, so adding, removing and adding again has the right result however the effects are batched. If a heart and a spark are removed at the same time, the later effect finds neither.';

COMMENT ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) IS 'Checks that these actions can be taken together in this case.';

COMMENT ON FUNCTION "private"."check_balanced"() IS 'Trigger: the entries that a statement adds to a movement must add up to zero, so one statement must insert all entries of a movement. It runs once per statement; a check per entry would sum a movement with 5000 entries 5000 times. It raises no error code because only a bug in SQL can cause this.';

COMMENT ON FUNCTION "private"."check_caller"() IS 'Returns true, or raises token_revoked if the token is not valid, or scope_missing or session_required if it has scopes that do not include what the operation of the request needs. PostgREST calls it before each request (db_pre_request). private.enter makes the same checks, and the Realtime policy calls private.check_token.';

COMMENT ON FUNCTION "private"."check_general_proposal"(app.spaces, uuid, jsonb) IS 'Checks nothing, and returns the empty payload of a general proposal.';

COMMENT ON FUNCTION "private"."check_journalism"() IS 'Trigger: rejects journalism if the author of the post may not publish it at that time. A post remains journalism even if the author''s reputation falls later.';

COMMENT ON FUNCTION "private"."check_lock_order"(text, text[]) IS 'For tests, whose sessions set kith.lock_order to "checked": raises an error if this transaction already holds a lock of a later kind, unless it already holds these locks. Every function that locks rows calls it first.';

COMMENT ON FUNCTION "private"."check_not_banned"(uuid) IS 'Rejects a banned person with person_banned, and a suspended one with person_suspended, whose text says when the suspension ends.';

COMMENT ON FUNCTION "private"."check_open"(app.conversations) IS 'Passes for a group. Passes for a direct conversation if the other person is neither banned nor erased, and neither of the two has blocked the other.';

COMMENT ON FUNCTION "private"."check_parent"() IS 'Trigger: rejects an answer to a reply that is not under the same post, or not visible to the author of the new reply.';

COMMENT ON FUNCTION "private"."check_poll_time"() IS 'Trigger: rejects a publication time of a scheduled post that is not before its poll closes.';

COMMENT ON FUNCTION "private"."check_text"(text) IS 'Passes if a text has a visible character, and no character that changes the direction of the text around it.';

COMMENT ON FUNCTION "private"."check_token"() IS 'Returns the scopes of the token. Null if the token has no scopes; then it has all rights of its holder. Raises token_revoked if the token''s holder was erased or banned or has another role, or if the token was ended.';

COMMENT ON FUNCTION "private"."check_wiki_author"() IS 'Trigger: rejects a proposal if its author lacks the reputation for it.';

COMMENT ON FUNCTION "private"."checkpoint_card"(private.audit_checkpoints) IS 'The public form of a checkpoint: {number, text, signature}.';

COMMENT ON FUNCTION "private"."checkpoint_text"(private.audit_checkpoints) IS 'The signed text: a line for each field, with hashes in hex.';

COMMENT ON FUNCTION "private"."circle_name"(uuid) IS 'The name of a circle, also for invited people.';

COMMENT ON FUNCTION "private"."claim_digest"(uuid) IS 'For the worker alone: claims a digest for two minutes and returns the mail to send, as private.digest_mail does. Null if there is nothing to send or the digest was sent; {busy: true} if another worker is sending it.';

COMMENT ON FUNCTION "private"."claim_pushes"(jsonb) IS 'For the worker alone: claims the pushes of these jobs, [{notificationId, round}], that must still be sent, for a minute, and returns {messages: [{notificationId, round, tokenId, platform, token, p256dh, auth, kind, count, groupKey, badge, target, path}], busy: [notificationId]}. badge is the number of unread notifications. busy has the notifications that another worker is sending, or for which a provider asked to wait.';

COMMENT ON FUNCTION "private"."clear_before_purge"() IS 'Trigger: keeps the head of a deleted content until no rows refer to it. The job that deletes these rows is kept for only a day: if the worker was off for longer, the foreign keys would otherwise delete all of them in one statement.';

COMMENT ON FUNCTION "private"."clear_content"(jsonb, uuid) IS 'For the worker and private.delete_content: deletes 500 rows from each table with what people left on a deleted content {contentId}. Returns {changed, next}; next is null when no rows remain.';

COMMENT ON FUNCTION "private"."close_proposals"() IS 'Trigger: closes the open proposals of a guild that is archived.';

COMMENT ON FUNCTION "private"."close_sessions"(uuid, boolean) IS 'Locks a person, and ends their sessions and access tokens. Returns the next whole second, the value of tokens_valid_from that revokes every other token issued so far. With p_by_password, after a change of the password, it keeps the access tokens that do not end with the password.';

COMMENT ON FUNCTION "private"."closed_by_space"(app.cases) IS 'Returns whether the owner or a moderator of a group or guild closed a case, by hiding the thing or dismissing the case before staff got it.';

COMMENT ON FUNCTION "private"."closer_posts"(app.place, timestamp with time zone, uuid[]) IS 'The posts for circles that the caller may see, including the caller''s own posts, and reposts of such posts, down to the time p_until. If the caller is in the circles of more than 1000 people, the function reads by time only.';

COMMENT ON FUNCTION "private"."content_cursors"(text, uuid[], text, uuid) IS 'The cursors of found contents. They are the ids if the list is newest first, and the places in any other order, because a deleted content has no place.';

COMMENT ON FUNCTION "private"."content_reasons"(app.contents, uuid, private.access) IS 'The reasons why a person sees a content or does not, in the order of the rule, as for posts but without circles.';

COMMENT ON FUNCTION "private"."conversation_words"(uuid[]) IS 'The titles of the conversations in which the caller takes part, each with the latest message that the caller sees.';

COMMENT ON FUNCTION "private"."count_asset_bytes"() IS 'Trigger: maintains the sum of a person''s committed assets. The deletion of pending assets locks no sum.';

COMMENT ON FUNCTION "private"."count_calls"(text[], integer[], integer[]) IS 'Counts a call in every bucket, or in none if one of them is full. Returns a row per bucket, in the given order: the number of counted calls, the milliseconds until the window ends, and whether the bucket was full.';

COMMENT ON FUNCTION "private"."count_comments"() IS 'Trigger: counts the comments that everybody may see, like replies to posts. It leaves out comments that were taken back, and comments of banned or erased people.';

COMMENT ON FUNCTION "private"."count_fitting"(integer[], integer) IS 'The number of items of these sizes in bytes that fit on a page of p_limit. The page ends with the item that reaches half a megabyte. Otherwise a page of the 50 longest texts would have 40 MB, and the database would need a second to make it.';

COMMENT ON FUNCTION "private"."count_fitting_posts"(uuid[], integer) IS 'The number of these posts that fit on a page of p_limit, including quoted posts (private.count_fitting).';

COMMENT ON FUNCTION "private"."count_fitting_wiki_proposals"(uuid[], integer) IS 'Returns the number of these proposals that fit on a page of p_limit: private.count_fitting over the texts to compare.';

COMMENT ON FUNCTION "private"."count_follows"(uuid, uuid, uuid[]) IS 'The number of people whom a person (p_follower) follows, or who follow a person (p_following), up to 10,000. It leaves out the people in p_hidden. If p_hidden has too many people to check one by one, it leaves out everyone whom the caller does not see, so callers need not pass more than 5001.';

COMMENT ON FUNCTION "private"."count_metrics"() IS 'Counts everything, at most once per 30 seconds in the whole instance; concurrent callers get the previous figures. It audits no ledgers: manaAudit is the latest result of the job audit-mana.';

COMMENT ON FUNCTION "private"."count_reactions"() IS 'Trigger: counts hearts, but no sparks.';

COMMENT ON FUNCTION "private"."count_recipients"(text) IS 'The number of people who would get a notification of this kind that goes to everybody. People get it unless they turned the kind off.';

COMMENT ON FUNCTION "private"."count_replies"() IS 'Trigger: counts the replies that everyone can see, without replies that are hidden, deleted or by banned people. It also counts the replies of bots separately.';

COMMENT ON FUNCTION "private"."count_review"() IS 'Trigger: updates the rating of an offering. Reviews that staff removed don''t count.';

COMMENT ON FUNCTION "private"."count_shared"(uuid[], uuid) IS 'Returns how many of these interests the person has also chosen.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed. Each case counts the strikes of its category once, however many actions were taken in it (private.counts_strikes). A suspension also counts its strikes once, however often its end was moved. Strikes have no effect; they only inform staff. The function reads the newest 400 decisions.';

COMMENT ON FUNCTION "private"."count_unread_conversations"() IS 'The number of conversations with a message that the caller has not read, without muted conversations, up to 99. It reads the first 1000 conversations of the caller''s list, and in them at most 20,000 messages.';

COMMENT ON FUNCTION "private"."count_unread_messages"(uuid, integer) IS 'The number of messages in a conversation that the caller has not read, up to p_most, among the latest 500. It excludes the caller''s own messages, system messages, deleted messages, and messages of people from whom the caller does not receive any (private.receives_from).';

COMMENT ON FUNCTION "private"."count_video_engagement"() IS 'Trigger: counts likes and reposts. Likes and reposts of people that the viewer can''t see also count, as hearts of posts do.';

COMMENT ON FUNCTION "private"."count_writes"(text, integer, uuid) IS 'Counts this many writes of the caller in their current hour. A bot may write as much in 24 hours as a person in one hour. If that exceeds the limit it raises an error, which rolls the count back. For another person (p_user) it raises no error: it counts all writes, and returns how many of them were within the limit. The row of the person is locked until the transaction ends: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."counterpart"(text) IS 'Returns the intent that matches this intent. Mentor and mentee match each other, and every other intent matches itself.';

COMMENT ON FUNCTION "private"."counts_strikes"(app.decisions) IS 'Returns whether a decision counts strikes. A decision that was overturned, or that a space or a rule made, counts none.';

COMMENT ON FUNCTION "private"."course_cards"(uuid[]) IS 'The cards of the courses that the caller may see, in the given order: the head, the detail, and {viewer: {enrolledAt, completedLessons, completedAt}}.';

COMMENT ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) IS 'Registers an app of the caller, as described at api.create_app.';

COMMENT ON FUNCTION "private"."date_interest"() IS 'Trigger: copies the time of the post to a new interest, as private.date_interests does.';

COMMENT ON FUNCTION "private"."decision_maker"(app.decisions) IS 'Who made a decision: a rule, the owner or a moderator of a group or guild (space), or staff.';

COMMENT ON FUNCTION "private"."delete_asset"(uuid) IS 'Deletes a pending asset of the caller, and thereby its object.';

COMMENT ON FUNCTION "private"."delete_content"(text, uuid) IS 'Deletes the caller''s own content of this kind with its detail, even if they can no longer see it; returns false if there is none. The head is kept for 31 days, and the worker deletes what exceeds 500 rows of a table.';

COMMENT ON FUNCTION "private"."delete_course"(uuid) IS 'Deletes the caller''s own course with its lessons; returns false if there is no such course.';

COMMENT ON FUNCTION "private"."delete_lesson"(uuid, uuid) IS 'Deletes a lesson of the caller''s own course. In a published course, nobody can delete a lesson that somebody completed, or the last lesson.';

COMMENT ON FUNCTION "private"."delete_offering"(uuid) IS 'Deletes the caller''s own offering. Fails if an order for it is running. Orders keep their copy of the offering. Never: writes_exceeded (it is not an edit).';

COMMENT ON FUNCTION "private"."delete_own_post"(uuid) IS 'Deletes the caller''s own post. Returns false if it was already deleted, null if it is not the caller''s.';

COMMENT ON FUNCTION "private"."delete_post"(uuid) IS 'Deletes a post for everyone and returns its author; the row and its words remain for the staff. Returns null if the post was already deleted. The function is for definer functions and staff operations.';

COMMENT ON FUNCTION "private"."delete_repost"(uuid) IS 'Deletes the caller''s repost of a post, even if they can no longer see the post. Returns false if there never was a repost.';

COMMENT ON FUNCTION "private"."delete_video"(uuid) IS 'Deletes the caller''s own video; returns false if there is none.';

COMMENT ON FUNCTION "private"."delivery_card"(private.webhook_deliveries) IS 'A delivery as admins see it. nextAttemptAt is null if the delivery has ended, or waits for an earlier delivery of its subject.';

COMMENT ON FUNCTION "private"."drop_circle"(uuid, uuid) IS 'Deletes a circle of this owner with its memberships and invitations. Returns false if the circle no longer exists.';

COMMENT ON FUNCTION "private"."drop_member"(uuid, uuid) IS 'Removes a person from a locked space and updates its count. Returns false if they are not a member.';

COMMENT ON FUNCTION "private"."drop_project_member"(uuid, uuid) IS 'Takes the role from a person and frees the slot; returns false if they hold none.';

COMMENT ON FUNCTION "private"."drop_rsvp"(uuid) IS 'Takes the caller''s reply to an event back, even if they can''t see the event, and gives the seat to the person who has waited longest. Returns false if there is no reply.';

COMMENT ON FUNCTION "private"."drop_votes"() IS 'Trigger: when a member leaves a guild, deletes their votes on its open proposals, and makes the worker count these again.';

COMMENT ON FUNCTION "private"."drop_webhook"(uuid) IS 'Deletes a webhook that the caller has locked. The worker deletes its deliveries.';

COMMENT ON FUNCTION "private"."earn_contribution"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone, and later a share of them to the inviters. Bots get none. Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."earn_reputation"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone. It adds nothing without an interest. Nobody earns from themselves or from bots, and bots do not earn. Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."earn_reputation_from_invites"(private.effects[]) IS 'Listener: the owner of a used invite code earns invite.used in their strongest interest, or nothing if they have no interest.';

COMMENT ON FUNCTION "private"."edit_content"(app.contents, jsonb, text[]) IS 'Changes the title and the interest of a content to those in p_changes, {title?, interestId?}, and its words to the words of these texts. Call private.lock_own_content first. Fails: content_title.';

COMMENT ON FUNCTION "private"."effects_key"(uuid) IS 'The key of a person''s lock of the kind effects, for callers that try to take the lock without waiting.';

COMMENT ON FUNCTION "private"."embedded_text"(text, text) IS 'The words from which a post''s vector is computed: title and body, up to 400 characters, because the work of a model grows with the square of the length. Null if there are fewer than 10 characters, which say too little about a topic.';

COMMENT ON FUNCTION "private"."emit_membership_decision"(app.spaces, text, uuid, uuid, uuid, text, uuid) IS 'Emits a decision about a person in a space: approved, rejected, invited, removed, role_changed, or proposal_decided for their proposal. Only an invitation names the actor.';

COMMENT ON FUNCTION "private"."end_access_token"(uuid) IS 'Ends an access token, and the JWTs for which it was exchanged. Does nothing if the token has ended.';

COMMENT ON FUNCTION "private"."end_app"(uuid) IS 'Ends an app, so that it gets no new tokens. Ends its first 500 consents immediately, and leaves the others to the worker.';

COMMENT ON FUNCTION "private"."end_case"(uuid, text) IS 'Closes an open case as acted or dismissed, and settles 500 of its open reports. The worker settles the others.';

COMMENT ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) IS 'Ends a step of work on a case: writes an audit entry and an entry in the history, and extends a claim of the caller to 30 minutes from now. Returns the case.';

COMMENT ON FUNCTION "private"."end_co_author_invitations"() IS 'Trigger: after a block, ends pending invitations between the two people, in both directions. Accepted co-authors keep their share.';

COMMENT ON FUNCTION "private"."end_consent"(uuid) IS 'Ends a consent, with its refresh token and its access tokens. A consent has at most 10 valid access tokens.';

COMMENT ON FUNCTION "private"."end_consents_of"(uuid) IS 'Ends all consents of a person, who has at most 50 valid ones.';

COMMENT ON FUNCTION "private"."end_consents_with_tokens"() IS 'Trigger: ends the consents of a person when all their tokens end, for example because of a new password.';

COMMENT ON FUNCTION "private"."end_devices_of_banned"(app.users) IS 'Step: at a ban, ends the device tokens of the person permanently.';

COMMENT ON FUNCTION "private"."end_follows"() IS 'Trigger: after a block, ends the follows between the two people, in both directions. They stay ended when the block is lifted.';

COMMENT ON FUNCTION "private"."end_invitations"(jsonb, uuid) IS 'For the worker and private.end_invitations_soon: checks the next 500 pending invitations into a space, by all members or by one person, and ends those whose inviter may no longer invite. p_job is {spaceId, userId}. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."end_invitations_soon"(uuid, uuid) IS 'Does the same as private.end_invitations, for all invitations: it checks the first 500 at once, and the worker checks the others soon after. Meanwhile nobody can accept an invitation whose inviter may no longer invite.';

COMMENT ON FUNCTION "private"."end_lost_invitations"() IS 'Trigger: when a member loses the right to invite by leaving, by removal or by another role, ends the invitations that they made. The invitations stay ended if the member gets the right back.';

COMMENT ON FUNCTION "private"."end_other_own_sessions"() IS 'Ends the caller''s sessions except the session of this request. Returns the number of ended sessions.';

COMMENT ON FUNCTION "private"."end_role_applications"(jsonb, uuid) IS 'For the worker and private.remove_project_role: ends the next 500 pending applications for a deleted role {roleId}. Returns {changed, next}; next is null if there are no more.';

COMMENT ON FUNCTION "private"."end_series_follows"() IS 'Trigger: after a block, ends the two people''s follows of each other''s series. They stay ended when the block is lifted.';

COMMENT ON FUNCTION "private"."end_session"(uuid, uuid) IS 'Ends a session of a person, and revokes its refresh token and its access tokens immediately. Does nothing if the session has ended.';

COMMENT ON FUNCTION "private"."end_sessions_of"(app.users, text) IS 'Ends all tokens and sessions of a person whose row private.lock_account locked, and returns the number of ended sessions. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."end_space_invitations"() IS 'Trigger: after a block, ends pending invitations into spaces between the two people. Memberships remain.';

COMMENT ON FUNCTION "private"."end_tokens"(uuid, boolean) IS 'Revokes every token issued so far, and ends the sessions. With p_by_password, after a change of the password, it keeps the access tokens that do not end with the password.';

COMMENT ON FUNCTION "private"."enqueue"(text, json) IS 'Adds a job to a queue in this transaction. The worker reads the data, and a failed job keeps it, so it may contain only ids, but no secrets and nothing that people wrote. The job also gets the trace of the request, as `traceparent`.';

COMMENT ON FUNCTION "private"."ensure_first_admin"(text, text) IS 'At boot: if there is no admin, creates the first admin and returns their first invite codes; otherwise returns null.';

COMMENT ON FUNCTION "private"."erase_cases"(app.users) IS 'Step: deletes what staff wrote about an erased person in notes, rules, proposals and reasons, and the person''s texts of appeals. The cases and decisions remain.';

COMMENT ON FUNCTION "private"."erase_conversations"(app.users) IS 'Step: removes an erased person from every conversation and makes their messages tombstones, 500 conversations and 500 messages at a time. The longest-standing member becomes the owner of each group that the person owned.';

COMMENT ON FUNCTION "private"."erase_next_posts"(jsonb, uuid) IS 'For the worker and private.erase_posts: deletes the next 500 posts of an erased person {userId} after p_after, with their words, including those of earlier versions and of polls. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."erase_next_replies"(jsonb, uuid) IS 'For the worker and private.erase_posts: does the same as private.erase_next_posts, for the replies of a person {userId}.';

COMMENT ON FUNCTION "private"."erase_person"(uuid) IS 'Erases a person and their bots in this transaction; the steps in private.account_steps erase the rest of their data. Repeating it changes nothing. The function is for definer functions and staff operations.';

COMMENT ON FUNCTION "private"."erase_posts"(app.users) IS 'Step: deletes an erased person''s posts and replies, and permanently deletes their words, including those of earlier versions, polls and series; the newest 500 of each immediately. It removes the person''s name from what they wrote with others. Their reactions, bookmarks and votes remain in the counts, without a name, so that others keep what they earned from them.';

COMMENT ON FUNCTION "private"."erase_reasons"(jsonb, uuid) IS 'For the worker and private.erase_moderation: deletes the reasons that staff gave about the next 500 posts, replies, contents or children of one kind (type) of an erased person {userId, type} after an id. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."erase_records"(app.users) IS 'Step: deletes the erased person''s stored answers, their events that contain an address, and the entries of the event log that name them. It empties the stored answers of others that name the person, and removes addresses and texts from the audit details. It keeps only the hashes of the person''s former names.';

COMMENT ON FUNCTION "private"."erase_rest"(uuid) IS 'For steps of an erasure that leave rows: makes the worker repeat all steps.';

COMMENT ON FUNCTION "private"."error_response"(text) IS 'Returns an error as the response without raising it, so that what the operation wrote is kept. The caller gets an error, but the transaction commits.';

COMMENT ON FUNCTION "private"."explain_access"(uuid, text, text) IS 'Returns whether a person sees a thing, and the reasons, in the order of the rule. The result contains none of the thing''s text.';

COMMENT ON FUNCTION "private"."export_keys"(regclass, text, text[], text) IS 'Two lists for the text of a query. names has these columns of the relation, qualified with the alias; places has expressions that read the values of the columns from the JSON array p_after.';

COMMENT ON FUNCTION "private"."extend_series"(jsonb) IS 'Listener: when a post is published, emits an event for each series of which it is an item. A scheduled post can be an item before it is published.';

COMMENT ON FUNCTION "private"."fan_out_event"(jsonb) IS 'Listener: adds an effect for each person who replied to an event. If there are more than 100 people, the worker adds the effects.';

COMMENT ON FUNCTION "private"."fan_out_event_batch"(jsonb, uuid) IS 'For the worker and private.fan_out_event: adds an effect for each of the next 500 people who replied to an event. p_job is {eventId, event, sequence}. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."fan_out_poll_end"(jsonb) IS 'Listener: adds an effect for the author of a poll and each voter. If more than 100 people voted, the worker adds the effects.';

COMMENT ON FUNCTION "private"."fan_out_poll_end_batch"(jsonb, uuid) IS 'For the worker and private.fan_out_poll_end: adds an effect for each of the next 500 people after p_after: the author and the voters of a poll that has ended. p_job is {postId, pollId}. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."fan_out_series_item"(jsonb) IS 'Listener: adds an effect for each follower of a series. If there are more than 100 followers, the worker adds the effects.';

COMMENT ON FUNCTION "private"."fan_out_series_item_batch"(jsonb, uuid) IS 'For the worker and private.fan_out_series_item: adds an effect for each of the next 500 followers of a series after p_after. p_job is {seriesId, postId}. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."feed_chosen"(app.feed_choice, uuid[], boolean) IS 'Keeps the posts that match the filters and are not muted. A post is muted if its author or the post itself is muted, if it reposts such a post, or if it or the post that it quotes contains a muted word. private.without_phrases checks the other muted keywords. If p_check is true, it drops posts that the caller may not see; otherwise the calling function must check that before or after.';

COMMENT ON FUNCTION "private"."feed_in_time"(app.feed_choice, app.feed_cursor, integer) IS 'A page of the feed by time, or by trending_at for the tab trending. The score is the place in hours since 1970. Its parts are recency and, for trending, engagement.';

COMMENT ON FUNCTION "private"."feed_scores"(uuid[]) IS 'Returns whether the caller''s feed may have these posts, and their score for the caller, in ten-thousandths. The score is the sum of the weights, in this order: engagement, ln(1 + hearts + 2 replies + 3 reposts + 2 bookmarks); depth, 0 to 1, for the nearness of the post''s depth to the depth that the caller chose for its primary interest; interest, 1 if the caller has chosen that interest; following, 1 if the caller follows the author; circle, 0.5 or 1 if the caller is in the author''s circle or inner circle; and boost, the amount that the boost''s multiplier adds to the sum of the others. A repost has the first three weights of its original, and no boost.';

COMMENT ON FUNCTION "private"."fill_path"(text, jsonb) IS 'A path with the values of its fields, or null if a field is missing. Values are ids, slugs and usernames, which need no escapes in a URL.';

COMMENT ON FUNCTION "private"."find_access"(text, uuid) IS 'Returns whether the caller sees this post, reply, content or conversation, or what is in this group or guild. It uses the same views and functions as the caller''s own requests.';

COMMENT ON FUNCTION "private"."find_active_contribution"(uuid, text, uuid) IS 'The entry that a cause gave a person, or null if it gave none or the entry was undone. Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."find_active_reputation"(uuid, text, uuid, uuid) IS 'The direct entry that a cause gave a person, or null if it gave none or the entry was undone. Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."find_any_space"(text, text) IS 'Returns the space of this kind with this id or slug, whatever its visibility.';

COMMENT ON FUNCTION "private"."find_arguments"(uuid, uuid, text, boolean, app.rank_place) IS 'The next arguments of one side or both that the caller may see in a debate that they see, or the next answers to one argument; by votes or newest first. Reads the next 400 arguments that everybody may see or that are the caller''s own.';

COMMENT ON FUNCTION "private"."find_attendees"(uuid, text, text) IS 'The next people with this reply to an event whom the caller sees, among the next 400.';

COMMENT ON FUNCTION "private"."find_bookmark_time"(uuid) IS 'Returns when the caller bookmarked a cursor''s post, even if they took the bookmark back within the last day.';

COMMENT ON FUNCTION "private"."find_by_words"(private.search_query, text, text) IS 'Returns the next things of a type (null for all types) that match the query and that the caller may see. It searches whole blocks until it has 51 results or has read 1200 entries of lists.';

COMMENT ON FUNCTION "private"."find_candidates"(text, uuid, text, text, integer, app.connection_intents) IS 'Returns the next people with this intent who share at least this many interests with the caller, and this interest if it is given. People who share most come first, then people who have waited longest. It chooses from the best 400 of the people that private.match_by_interest returns; if no shared interest is required, also from the 4000 people who have waited longest.';

COMMENT ON FUNCTION "private"."find_changed_contents"(uuid[], smallint[]) IS 'Returns the changed contents for which the caller has the level of the change: {id, type, gone}.';

COMMENT ON FUNCTION "private"."find_changed_messages"(uuid, app.place) IS 'The next messages of a conversation that the caller sees and that were edited, deleted or reacted to after a place, among the next 400, oldest change first.';

COMMENT ON FUNCTION "private"."find_changed_people"(uuid[], smallint[]) IS 'Does the same as private.find_changed_posts, for people, by personId. Everybody learns that an erased person is gone, because no data about blocks remains.';

COMMENT ON FUNCTION "private"."find_changed_posts"(uuid[], smallint[]) IS 'Returns the changed posts for which the caller has the level of the change: {id, type, gone}.';

COMMENT ON FUNCTION "private"."find_changed_replies"(uuid[], smallint[]) IS 'Does the same as private.find_changed_posts, for replies to posts that the caller can see. It leaves out other replies, which the client has discarded with their post.';

COMMENT ON FUNCTION "private"."find_changes"(text) IS 'The next 400 changes after a cursor, the oldest first, except those of which the caller may not learn: {items [{type, id, gone}], nextCursor, hasMore}. The next call lists changes of the last ten seconds again, because earlier changes may be committed after these.';

COMMENT ON FUNCTION "private"."find_circles"(boolean, app.place) IS 'The next circles of others in which the caller is a member, and with p_own also the caller''s own, among the next 400. It leaves out circles whose owner is hidden.';

COMMENT ON FUNCTION "private"."find_comment_time"(uuid, uuid) IS 'Returns the time when a comment on this video was written; null if there is no such comment, or if the caller and its author may not see each other.';

COMMENT ON FUNCTION "private"."find_comments"(uuid, app.place) IS 'The next 201 comments on a video that the caller can see, one more than an answer has, among the next 400, oldest first.';

COMMENT ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) IS 'The current version of a content, with its title, its text and the files of a video or an audio; earlier versions are not stored. A draft has none.';

COMMENT ON FUNCTION "private"."find_contents"(text, app.place, uuid, uuid, uuid[], text[], jsonb, text, boolean, integer, timestamp with time zone) IS 'The next contents of a kind, in a space or in none, that the caller may see, without the first p_past. Optional filters: an author, these interests, all these words, and the filter of the kind. Newest first, or in an order of private.content_places. It reads the next 400 + p_past entries of the narrowest index of contents that others see, and as many of the caller''s own contents that others don''t see; for several interests, 4000 entries in all.';

COMMENT ON FUNCTION "private"."find_conversation_time"(uuid) IS 'Returns the time when a conversation began; null if there is no such conversation.';

COMMENT ON FUNCTION "private"."find_conversations"(text, boolean, text, app.place) IS 'The next conversations of the caller. Filters: a kind, a name, only conversations with unread messages. It reads the next 400 conversations, and in them at most 10,000 messages and members.';

COMMENT ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) IS 'The current version of a course and, as further versions, its lessons (at most 200), whose times are not stored. A draft has none.';

COMMENT ON FUNCTION "private"."find_follows"(uuid, uuid, app.place) IS 'The next people that the caller sees whom a person (p_follower) follows, or who follow a person (p_following), among the next 400.';

COMMENT ON FUNCTION "private"."find_handler"(app.cases, text) IS 'Returns the handler of an action in this case; null if the action is not possible.';

COMMENT ON FUNCTION "private"."find_imported"(app.imports, text, text) IS 'The id in this instance of the thing that the person imported under this key. If the dossier is of this instance, the thing can also be one that the person already has. Null if there is none.';

COMMENT ON FUNCTION "private"."find_invitations"(uuid, text) IS 'The next pending invitations to a circle of the caller or, if no circle is given, to the caller, among the next 400. It leaves out invitations of hidden people.';

COMMENT ON FUNCTION "private"."find_invited"(text) IS 'Returns the codes of the next people whom the caller has invited and can see, among the next 400.';

COMMENT ON FUNCTION "private"."find_level"(uuid, uuid) IS 'The audience level of any viewer to any author, for definer functions, to which policies do not apply. Null means a stranger.';

COMMENT ON FUNCTION "private"."find_mentors"(uuid[], integer, app.connection_intents) IS 'Returns the next mentors whose expertise in one of these interests exceeds the caller''s by at least this gap, each with the widest gap and its interest. People with the widest gap come first, then people who have waited longest. It chooses from the people that private.match_by_interest returns.';

COMMENT ON FUNCTION "private"."find_message"(uuid) IS 'Returns a message if the caller may see it, otherwise null. The caller must be a member of its conversation and have been one when it was sent. The sender must not be banned and, in a group, neither of the two may have blocked the other.';

COMMENT ON FUNCTION "private"."find_messages"(uuid, bigint, boolean) IS 'The next messages of a conversation that the caller sees, within the spans in which they took part: messages after the number p_from if p_up is true, otherwise before it. It reads at most 400 messages and spans together.';

COMMENT ON FUNCTION "private"."find_my_events"(text, text) IS 'The next events that the caller hosts or goes to, among the next 400. They are ordered by the time at which the caller published the event or got a seat.';

COMMENT ON FUNCTION "private"."find_order_time"(uuid) IS 'Returns the time when an order was placed; null if there is no such order.';

COMMENT ON FUNCTION "private"."find_orders"(text, text, app.place) IS 'The next orders of the caller as buyer, as seller or both, among the next 400; if p_state is given, only those in this state.';

COMMENT ON FUNCTION "private"."find_own_requests"(text, text) IS 'The next requests of the caller to spaces of a kind, among the next 400, including settled ones.';

COMMENT ON FUNCTION "private"."find_payments"(uuid, text, app.place) IS 'The next 51 payments that the caller may see, after a place: those that a person sent or received, or both if p_direction is null.';

COMMENT ON FUNCTION "private"."find_pending"(text, uuid, boolean, text) IS 'The next pending requests or invitations of a space, among the next 400; without a space, the invitations of the caller. It leaves out hidden people, and inviters who may no longer invite.';

COMMENT ON FUNCTION "private"."find_people"(app.place) IS 'Returns the people among the next 400 whom the caller may see, newest first.';

COMMENT ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) IS 'The last 20 versions of a published post, except an imported version.';

COMMENT ON FUNCTION "private"."find_posts_by"(uuid, app.place) IS 'The next posts of a person that the caller may see, without pinned posts. It reads the next 400 posts that are for everyone, or the next 400 of all kinds if the caller is in one of the person''s circles or in a space where the person has posted.';

COMMENT ON FUNCTION "private"."find_received_message"(uuid) IS 'A message that was sent to the caller, otherwise null. The caller may have left the conversation since, one of the two people may have blocked the other, and the sender may be banned.';

COMMENT ON FUNCTION "private"."find_replies"(uuid, uuid, text, app.place) IS 'The next replies that the caller may see under a post that they see, or under one of its replies, of all kinds or of one kind. It reads the next 400 of the replies that everyone sees and of the caller''s own.';

COMMENT ON FUNCTION "private"."find_reply_time"(uuid, uuid) IS 'The time of a cursor''s reply under this post, even if the reply is deleted. Null if the caller and its author have a block between them.';

COMMENT ON FUNCTION "private"."find_reply_versions"(text, uuid, timestamp with time zone) IS 'The only version of a reply, because replies can''t be edited.';

COMMENT ON FUNCTION "private"."find_reposted"(uuid) IS 'The original of the caller''s own repost, even if the repost is deleted or the caller can no longer see the original. Null for any other id.';

COMMENT ON FUNCTION "private"."find_review_time"(uuid, uuid) IS 'Returns the time when a review of this offering was written, even if it was removed; null for other reviews.';

COMMENT ON FUNCTION "private"."find_reviews"(uuid, app.place) IS 'The next reviews of an offering that the caller may see, among the next 400, including the caller''s own removed reviews.';

COMMENT ON FUNCTION "private"."find_running_verification"(uuid) IS 'The link if it is valid, otherwise null. A link is valid until it expires, if its person is neither banned nor erased and still has the address that the link verifies or replaces.';

COMMENT ON FUNCTION "private"."find_scheduled"(timestamp with time zone, uuid) IS 'The caller''s next scheduled posts that they see, among the next 400.';

COMMENT ON FUNCTION "private"."find_scheduled_time"(uuid) IS 'The time of a cursor''s post among the caller''s scheduled posts, even if it has been published or deleted, but never of another person''s post. For a post that was published early, it is the time of publication.';

COMMENT ON FUNCTION "private"."find_space_posts"(uuid, text) IS 'The next posts of a space that a member may see, among the next 400 posts that all members see or that are the caller''s own.';

COMMENT ON FUNCTION "private"."find_spaces"(text, boolean, text[], uuid[], text, app.place) IS 'The next spaces of a kind, among the next 400: public spaces and those of the caller, or only those of the caller. Filters: these words, these interests, this join policy.';

COMMENT ON FUNCTION "private"."find_staff_child"(text, uuid) IS 'Returns the place of a child of this kind; null if there is no such child.';

COMMENT ON FUNCTION "private"."find_staff_person"(text) IS 'Returns the id of the person by whom staff filters a list; null if p_person is null.';

COMMENT ON FUNCTION "private"."find_suggested"(integer) IS 'Returns the authors whose posts, among the newest 400 for everybody, are nearest to what the caller likes, except those whom the caller follows or has muted. Returns nobody if the caller has no centroid, or if no model computes vectors.';

COMMENT ON FUNCTION "private"."find_talent"(uuid[], text, text, uuid) IS 'Returns the next people with reputation in one of these interests, highest first, each with the interest where their reputation is highest. For each interest it considers the people with the highest reputation: about 4000 in total, but at least 20 per interest.';

COMMENT ON FUNCTION "private"."find_thing"(text, text) IS 'The id and the author of a thing that staff names, even if nobody sees it.';

COMMENT ON FUNCTION "private"."find_unembedded"(uuid[]) IS 'Returns the published posts, in the same order, whose vector is missing, was computed by another model or from other words, or must be deleted because the post now has too few words.';

COMMENT ON FUNCTION "private"."find_verification_mail"(uuid, text) IS 'For the worker alone: the mail for a link, {to, letter, tokenHash (hex), endsAt}; {ended: true} if the link is no longer valid. If p_letter is `link`, the letter is verify, change or, if somebody else has the new address, taken. A new address gets at most 5 of these mails in an hour; for further mails the function returns null. If p_letter is `asked` or `changed`, the mail goes to the replaced address, even if the link has ended, until its row is deleted.';

COMMENT ON FUNCTION "private"."find_vote_time"(uuid) IS 'The time of the vote in a cursor, if the vote is for the caller, even if they can no longer see it.';

COMMENT ON FUNCTION "private"."find_votes"(app.place) IS 'The next votes for the caller by people that the caller can see, among the next 400 votes that were not taken back.';

COMMENT ON FUNCTION "private"."find_waiting_order"(app.orders) IS 'Returns the latest order for the same offering by the same buyer that the seller has neither accepted nor declined, or null.';

COMMENT ON FUNCTION "private"."find_webhook_deliveries"(uuid, text, integer, text) IS 'A page of the deliveries of a webhook, newest first. p_cursor is the id of the last delivery of the previous page.';

COMMENT ON FUNCTION "private"."find_wiki_proposals"(uuid, text, text) IS 'Returns the next proposals about an interest, all or those with a status, whose authors the caller can see, among the next 400.';

COMMENT ON FUNCTION "private"."first_recovery_codes"(uuid) IS 'The new recovery codes of a person who adds a factor, or null if they have unused codes, which stay.';

COMMENT ON FUNCTION "private"."fits_all"(private.condition[], private.judged) IS 'Returns whether a version of a thing fits all of these conditions.';

COMMENT ON FUNCTION "private"."fold_keyword"(text) IS 'A keyword in folded form, with single spaces.';

COMMENT ON FUNCTION "private"."fold_query"(text) IS 'A search text, folded once for all comparisons. Only the first 1000 characters count, because folding a megabyte takes half a second; no name, title or city is longer. Null stays null.';

COMMENT ON FUNCTION "private"."follow_blocks"() IS 'Trigger: after a block, hides the two people from each other and ends the pending invitations between them. When the block is lifted, their memberships in circles apply again.';

COMMENT ON FUNCTION "private"."follow_counts"(uuid) IS 'The numbers of private.follow_numbers, up to 10,000 each, and whether the caller follows the person: {followers, following, isFollowing}.';

COMMENT ON FUNCTION "private"."follow_list"(uuid, uuid) IS 'The name for cursors of a list of the people whom a person (p_follower) follows, or of the followers of a person (p_following).';

COMMENT ON FUNCTION "private"."follow_numbers"(uuid) IS 'The number of people who follow a person, and of people whom the person follows, as the caller sees them: {followers, following}.';

COMMENT ON FUNCTION "private"."followed_posts"(app.place, uuid[]) IS 'Posts by the people whom the caller follows. If the caller follows more than 2000 people, the function reads by time only, and leaves out posts in spaces.';

COMMENT ON FUNCTION "private"."forfeit_next"(uuid, uuid, uuid) IS 'Undoes up to 500 entries that a post earned its author from p_from and the people after them. Returns the number of undone entries, and the person from whom to continue (null at the end). Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."forfeit_posts"(private.effects[]) IS 'Listener: when anybody deletes a post, its author loses what the post earned in both ledgers (in batches if there are more than 500 entries). Publishing and deleting repeatedly therefore earns nothing. An erasure deletes posts without this event, so their earnings are kept.';

COMMENT ON FUNCTION "private"."forget_deliveries"() IS 'Trigger: deletes the deliveries of events that are deleted from the log, by age or by an erasure.';

COMMENT ON FUNCTION "private"."forget_ended_devices"() IS 'Trigger: removes the devices of a person whose tokens are all revoked by a new password, a logout everywhere or a change of role. A device registers again after the next login.';

COMMENT ON FUNCTION "private"."free_blocked_project_slots"() IS 'Trigger: ends the membership when the author of a project and a member have a block between them, because neither may see the other there.';

COMMENT ON FUNCTION "private"."functions_fingerprint"() IS 'A SHA-256 of the names, arguments, settings and texts of all functions of the schema. Servers with the same functions have the same hash.';

COMMENT ON FUNCTION "private"."get_checkpoint"(bigint) IS 'For the facade: a checkpoint, and the present hashes of the entries that it covers, up to 10,000.';

COMMENT ON FUNCTION "private"."give_ai_answer"(uuid, text, integer) IS 'Stores the caller''s answer to the current question of their session, and locks the session. Of several concurrent answers, exactly one is accepted. If no question followed the last answer, the person can answer again.';

COMMENT ON FUNCTION "private"."has_centroid"() IS 'Returns whether the caller has a centroid of the current model.';

COMMENT ON FUNCTION "private"."has_digest_items"(uuid, timestamp with time zone, timestamp with time zone) IS 'Returns whether private.unread_between finds notifications of a kind that the person wants by mail. The function doesn''t check whether these notifications may still be sent.';

COMMENT ON FUNCTION "private"."has_factor"(uuid) IS 'Returns whether a person has a second factor.';

COMMENT ON FUNCTION "private"."has_journalism_reputation"(uuid) IS 'Returns whether a person has at least 20 in any one interest, which is the rule for canPostJournalism.';

COMMENT ON FUNCTION "private"."has_link"(private.judged, jsonb) IS 'Condition: a text has a link, which begins with http://, https:// or www., also in Markdown.';

COMMENT ON FUNCTION "private"."has_media"(private.judged, jsonb) IS 'Condition: one of the media of the thing, or the poster of one of them, is a file with one of these hashes. A file without a hash and a file at another host never fit.';

COMMENT ON FUNCTION "private"."has_needed_factor"(uuid) IS 'Returns whether a person, by default the caller, has a second factor, or a role that needs none. Every check for staff calls it.';

COMMENT ON FUNCTION "private"."has_other_resolver"(app.decisions) IS 'Returns whether somebody other than the member of staff who decided may resolve an appeal, and was active in the last 30 days.';

COMMENT ON FUNCTION "private"."has_phrase"(text[], text) IS 'Returns whether these texts contain a keyword of a pattern (private.keyword_pattern).';

COMMENT ON FUNCTION "private"."has_words"(private.judged, jsonb) IS 'Condition: a text has one of these words or phrases, which are compared in the same way as muted keywords (private.muted_words).';

COMMENT ON FUNCTION "private"."hashed_media"(text[]) IS 'Returns the addresses of assets whose hash is known, each once, with the hash. Only the present address of an asset counts.';

COMMENT ON FUNCTION "private"."have_common_circle"(uuid, uuid) IS 'Returns whether two people belong to the same circle, as its owner or as members. A circle does not count if its owner is banned or erased, or if there is a block between its owner and one of the two. Among the circles of others, the function checks the 1000 newest in which the first person is a member.';

COMMENT ON FUNCTION "private"."held_of"(uuid) IS 'The mana of a person in open holds, which may come back to them: the exact sum if it is below 50, otherwise some number from 50 up. Callers need to know only whether the sum reaches 50. The function reads at most 50 holds, because each open hold has at least 1 mana. The caller must lock the holder''s wallet first, as every function does that opens, raises or settles a hold.';

COMMENT ON FUNCTION "private"."hide_banned_posts"(app.users) IS 'Step: at a ban, hides a person''s newest 500 posts and replies; at its end, shows them again. The worker updates the others.';

COMMENT ON FUNCTION "private"."hide_children"(app.users) IS 'Step: does the same as private.hide_contents, for 500 rows of each table of children.';

COMMENT ON FUNCTION "private"."hide_contents"(app.users) IS 'Step: at a ban, hides a person''s newest 500 contents; at its end, shows them again; at an erasure, hides and empties them. The worker does this for the other contents.';

COMMENT ON FUNCTION "private"."hide_intent"(app.users) IS 'Step: hides the intents of banned people, so that searches need not skip them. When the ban ends, people get their old places back.';

COMMENT ON FUNCTION "private"."hide_memberships"(app.users) IS 'Step: hides the memberships of a banned or erased person and stops counting them. A person has at most 1000 memberships.';

COMMENT ON FUNCTION "private"."hide_or_show_children"(jsonb, uuid) IS 'For the worker alone: does the same as private.hide_or_show_contents, for the children in one table. p_job is {userId, relation}. private.hide_children calls this function for the first 500.';

COMMENT ON FUNCTION "private"."hide_or_show_comments"(jsonb, uuid) IS 'For the worker and private.hide_comments: does the same as private.hide_or_show_contents, for the comments of a person {userId} on videos.';

COMMENT ON FUNCTION "private"."hide_or_show_contents"(jsonb, uuid) IS 'For the worker alone: if the person {userId} is banned or erased now, hides their next 500 contents after p_after; otherwise shows these contents again. Deletes the words of an erased person, too. Returns {changed, next}; next is null at the end. private.hide_contents calls it for the first 500.';

COMMENT ON FUNCTION "private"."hide_or_show_posts"(jsonb, uuid) IS 'For the worker and private.hide_banned_posts: hides the next 500 posts of a person {userId} after p_after if the person is banned now, or shows them again if not. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."hide_or_show_replies"(jsonb, uuid) IS 'For the worker and private.hide_banned_posts: does the same as private.hide_or_show_posts, for the replies of a person {userId}.';

COMMENT ON FUNCTION "private"."hide_person"(app.users) IS 'Step: adds banned and erased people to app.hidden_people, and removes people whose ban has ended.';

COMMENT ON FUNCTION "private"."identify"(uuid, text, text, uuid, bigint, uuid) IS 'Passes for a password or a login at the OpenID provider, with a code if the person has a second factor, or for a passkey. The facade has checked the proof. Returns false if the counter of the passkey did not rise; then the calling function must return passkey_wrong, and not raise it.';

COMMENT ON FUNCTION "private"."import_batch"(jsonb, uuid) IS 'For the worker alone: imports the next 200 rows of a finished import {importId}, of one section, and returns {changed, next}; next is null at the end. May run twice: it deletes the rows that it imports.';

COMMENT ON FUNCTION "private"."import_choice"(app.imports, private.import_rows) IS 'Importer: chooses the interest with the slug in the dossier, unless the person has already chosen it.';

COMMENT ON FUNCTION "private"."import_keyword"(app.imports, private.import_rows) IS 'Importer: adds a muted keyword whose mute has not ended, unless the person has already muted it.';

COMMENT ON FUNCTION "private"."import_media"(jsonb, text) IS 'For importers: the media of a post that this instance accepts, and the problems of the other media.';

COMMENT ON FUNCTION "private"."import_persona"(app.imports, private.import_rows) IS 'Importer: the default persona of the dossier replaces the default one of the person. If another persona of the dossier has the same name as a persona of the person, it counts as imported, and the person''s persona does not change.';

COMMENT ON FUNCTION "private"."import_series"(app.imports, private.import_rows) IS 'Importer: adds a series with its imported posts.';

COMMENT ON FUNCTION "private"."in_span"(uuid, bigint) IS 'Returns whether the message with this number was sent while the caller took part.';

COMMENT ON FUNCTION "private"."index_edited"(jsonb) IS 'Listener: indexes the new words of an edited post.';

COMMENT ON FUNCTION "private"."index_for_search"(text, uuid[]) IS 'Updates the index for these things. From then on a search finds them by their current words, for the people who may find them now. It removes things that no longer exist, and writes no row of a thing that is unchanged.';

COMMENT ON FUNCTION "private"."index_new_person_names"() IS 'Trigger: indexes the current names of new people, and of people who change a name.';

COMMENT ON FUNCTION "private"."index_person_names"(app.users) IS 'Step: indexes the current names of a person, and removes banned and erased people from the lists, so that searches need not skip them.';

COMMENT ON FUNCTION "private"."index_published"(private.effects[]) IS 'Listener: indexes a post soon after it is published. If the post was edited meanwhile, it is already in the index.';

COMMENT ON FUNCTION "private"."index_renamed"() IS 'Trigger: indexes a wiki entry by the current name of its interest.';

COMMENT ON FUNCTION "private"."index_wiki"() IS 'Trigger: indexes the latest version of a wiki entry.';

COMMENT ON FUNCTION "private"."interests_below"(uuid) IS 'Returns this interest, and then the interests below it. The catalog need not contain the interest.';

COMMENT ON FUNCTION "private"."interrupt_orders"(jsonb, uuid) IS 'For the worker alone: ends the next running order of a banned or erased person {userId}, or leaves the decision to an admin. A held order is cancelled or declined, and the mana goes back to the buyer; an accepted or delivered order becomes disputed. Due orders are left to the job end-orders. Returns {changed, next}; next is null if there are no more.';

COMMENT ON FUNCTION "private"."interrupt_person"(app.users) IS 'Step: makes the worker end the running orders of a banned or erased person. At an erasure, it also deletes the person''s texts from all orders. It runs before private.hide_contents, because orders are locked before their offerings.';

COMMENT ON FUNCTION "private"."invite_allotment"(uuid) IS 'The number of codes that a person may make in all: clamp(5 + floor(totalRep / 50) + floor(ageDays / 14), 5, 30).';

COMMENT ON FUNCTION "private"."is_ahead"(timestamp with time zone) IS 'Returns whether a time can be planned: in the future, and before private.calendar_end.';

COMMENT ON FUNCTION "private"."is_already_here"(app.imports, text, text) IS 'Returns whether the thing in this row of a dossier of this instance belongs to the importing person and still exists.';

COMMENT ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) IS 'Returns whether the detail or the address of an entry has changed since it was written. A detail or an address that an erasure emptied together with its salt counts as unchanged. For an entry that 1.0.0 wrote, this can''t be determined.';

COMMENT ON FUNCTION "private"."is_available"(uuid, uuid) IS 'Returns whether two people may open a direct conversation or add each other to a group. They may if they share a circle or already have a direct conversation.';

COMMENT ON FUNCTION "private"."is_bot"(uuid) IS 'Returns whether an account is a bot: sql/identity/57_bots.sql.';

COMMENT ON FUNCTION "private"."is_child_kind"(text) IS 'Returns whether this is a kind of children, and not of contents.';

COMMENT ON FUNCTION "private"."is_claimed_by_another"(app.cases) IS 'Returns whether somebody other than the caller has a claim on a case now.';

COMMENT ON FUNCTION "private"."is_conversation_named"(app.conversations, text) IS 'Returns whether these folded words are in the title of a conversation, or in the name of another member whom the caller sees.';

COMMENT ON FUNCTION "private"."is_direct"(uuid) IS 'Returns whether a conversation is direct.';

COMMENT ON FUNCTION "private"."is_free"(text) IS 'Returns whether nobody has or had this name.';

COMMENT ON FUNCTION "private"."is_hidden"(text, uuid) IS 'Returns whether a thing is hidden. Locks the thing until the transaction ends, so that nobody shows it meanwhile.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Returns whether only this space hid the thing of a case. If staff hides the thing afterwards, the decision of the space is lifted (private.record_decision). If a rule also hid the thing, only staff can show it.';

COMMENT ON FUNCTION "private"."is_invited"(uuid, uuid) IS 'Returns whether a person has an invitation into a space from somebody whom they can see and who may still invite.';

COMMENT ON FUNCTION "private"."is_let_in"(uuid, uuid) IS 'Returns whether a person may see a private space: members and invited people may.';

COMMENT ON FUNCTION "private"."is_media_host"(text) IS 'Returns whether media may be at this host, which must be spelt as private.url_place returns it. media_hosts lists hosts, *.host for the subdomains of a host, and * for all hosts.';

COMMENT ON FUNCTION "private"."is_near_ban"(private.judged, jsonb) IS 'Condition: somebody within this number of steps from the author in the invite tree was banned or suspended at the time, and still is. It reads the last 20 invitees of each person, and up to 200 people at each step.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Returns whether the caller is responsible for a thing. Members of staff do not work on cases about their own things.';

COMMENT ON FUNCTION "private"."is_owner_banned"(app.users) IS 'Returns whether an account is a bot whose owner is banned.';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: at some time, reports of the thing by at least `people` trusted people were open. It reads the last 50 reports of the thing. A reporter must have been trusted at the time of the report.';

COMMENT ON FUNCTION "private"."is_reserved"(text) IS 'Returns whether a name, without its underscores, would make people believe that its holder is staff.';

COMMENT ON FUNCTION "private"."is_single"(private.personal_data) IS 'Returns whether a section of the export has at most one row, because the column with the person is the key.';

COMMENT ON FUNCTION "private"."is_still_deliverable"(app.notifications) IS 'Returns whether a notification may still be sent: its person is neither banned nor erased, its target is still visible, and, if it has actors, at least one of the first 50 is not muted, blocked, banned or erased.';

COMMENT ON FUNCTION "private"."is_stuck"(uuid) IS 'Returns whether effects of a person failed and are not yet due for a retry.';

COMMENT ON FUNCTION "private"."is_target_visible"(app.notifications) IS 'Returns whether the target of a notification still allows sending it. If the target is a post, the person must see the post and must not have muted it, unless the kind ignores muted posts; kinds that are always in the inbox need neither. If the notification has one item, the repost, quote or reply in its payload must be neither deleted nor hidden.';

COMMENT ON FUNCTION "private"."is_tombstone"(app.messages) IS 'Returns whether a message was deleted or its sender was erased, so that nobody may see its words. An erasure deletes the words in batches, so the row may still have them.';

COMMENT ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) IS 'Condition: including this thing, its author had published more than `count` posts and replies within `minutes` minutes.';

COMMENT ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) IS 'Returns whether the person is a trusted reporter. By that time staff must have settled at least three of their reports, and dismissed fewer than half of the last 100 settled ones. People who have this much reputation now are trusted, too.';

COMMENT ON FUNCTION "private"."is_wanted"(uuid, text) IS 'Returns whether a person wants notifications of a kind on any channel.';

COMMENT ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) IS 'Makes an access token of the kind personal or app (then p_client is the app), and returns its claims. p_token_hash is the SHA-256 of the token. A person can have 50 personal tokens.';

COMMENT ON FUNCTION "private"."item_time"(jsonb) IS 'Returns the later of two times of an item {seriesId, postId}: when it was added to the series, and when its post was published. Null if the item no longer exists.';

COMMENT ON FUNCTION "private"."job_ask_push_receipts"() IS 'Job: asks Expo for the receipts of pushes that it accepted at least 15 minutes ago, 300 at a time. May run twice: each receipt is requested once. The worker repeats it until no receipt is due.';

COMMENT ON FUNCTION "private"."job_audit_treasuries"() IS 'Job: counts the rows that private.audit_treasuries returns, and keeps the first 100 for staff. Any row is an error in the ledger: select * from private.audit_treasuries(). May run twice: it replaces what it kept.';

COMMENT ON FUNCTION "private"."job_metrics"() IS 'For /metrics: {runs: [{job, runs, failures, changed, lastChanged, lastRun, lastFailure}], queues: [{queue, state, depth}], effects: {depth, lag, stuck}, verifiedBackup}; times in unix seconds. depth is the number of waiting effects, up to 100,000; lag is the age of the oldest of them in seconds; stuck is the number of people with effects that failed; verifiedBackup is the time of the newest data in the last verified backup, or null.';

COMMENT ON FUNCTION "private"."job_refresh_centroids"() IS 'Job: recomputes the centroids of people who added or removed hearts, sparks or bookmarks, 20 at a time. May run twice: a recomputed centroid is no longer due. The worker repeats it until none are due.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) IS 'Judges the versions of a thing since p_since by the rules whose app.moderation_rules.judged is in p_judged. Records a hit once for each rule, and hides the thing if a live rule says so. The worker then opens a case for the hits of live rules. Returns whether the thing was hidden by this call.';

COMMENT ON FUNCTION "private"."judge_condition"(private.condition, private.judged) IS 'Returns whether a thing fits a condition. `npm run gen` writes its body from private.rule_conditions (sql/generated/30_conditions.sql), because a call by a name from a table would be planned each time.';

COMMENT ON FUNCTION "private"."judge_edited"(private.effects[]) IS 'Listener: does the same as private.judge_published, for edits of posts.';

COMMENT ON FUNCTION "private"."judge_edited_post"(jsonb) IS 'Listener: judges a post after an edit, if the edit made a new version by changing the text or the media. It also applies the rules about reports, because after an edit such a rule can hit a post that was reported earlier.';

COMMENT ON FUNCTION "private"."judge_post"(jsonb) IS 'Listener: judges a post by the live rules that hide, before anybody else sees it. Only the listener for mentions runs later, because hiding locks documents of the search (ARCHITECTURE.md, Locks). Earlier listeners only leave effects, which will find the post hidden.';

COMMENT ON FUNCTION "private"."judge_published"(private.effects[]) IS 'Listener: judges posts and replies by the rules that are in shadow or only open a case.';

COMMENT ON FUNCTION "private"."judge_reply"(jsonb) IS 'Listener: does the same as private.judge_post, for a reply.';

COMMENT ON FUNCTION "private"."judge_written"(private.effects[]) IS 'Listener: does the same as private.judge_published, for contents and what people write within them.';

COMMENT ON FUNCTION "private"."keep_version"() IS 'Trigger: stores the text of a post before an edit of its words, and sets edited_at. It stores nothing for a scheduled post, which nobody has read, or during an erasure.';

COMMENT ON FUNCTION "private"."keyword_pattern"(text[]) IS 'One pattern that matches any of these folded keywords; null if there are none. A keyword must match whole words, with one exception. If its first or last character belongs to a script without spaces, or is neither a letter nor a digit (#tag, c++), the keyword may match within a word on that side.';

COMMENT ON FUNCTION "private"."known_timezone"(text) IS 'Returns the time zone, or UTC if the server doesn''t have it, for example because the person chose it when the server had another release of the time zones.';

COMMENT ON FUNCTION "private"."leave_project"(uuid) IS 'Takes the caller''s role from them, even if they can no longer see the project. If they have none, nothing changes.';

COMMENT ON FUNCTION "private"."leave_series"() IS 'Trigger: removes a deleted post from its series. The items after it move up.';

COMMENT ON FUNCTION "private"."leave_space"(text, text) IS 'The caller leaves a space: {status: left}. An owner must first transfer the ownership. If nobody else is in the space, it is archived instead.';

COMMENT ON FUNCTION "private"."leave_spaces"(app.users) IS 'Step: removes an erased person from their spaces. A space that they owned goes to the moderator who joined first, otherwise to the member who joined first. A space without other members is archived.';

COMMENT ON FUNCTION "private"."lesson_with"(app.course_lessons, jsonb) IS 'Returns a lesson with the given changes applied, any of {title, body, assetId, minutes, preview}.';

COMMENT ON FUNCTION "private"."level_name"(integer) IS 'The name of a level; null above the last level.';

COMMENT ON FUNCTION "private"."limit_blocks"() IS 'Trigger: rejects a block if the person has blocked 5000 people. The limit exists because their list is sorted by name when it is read.';

COMMENT ON FUNCTION "private"."limit_circle_members"() IS 'Trigger: rejects a member if the circle has 10 members, not counting the owner. Copies the circle''s creation time to made_at.';

COMMENT ON FUNCTION "private"."limit_circles"() IS 'Trigger: rejects a circle if the person has 10 circles of its kind.';

COMMENT ON FUNCTION "private"."limit_invitations"() IS 'Trigger: rejects an invitation if the circle has 100 pending ones, because deleting the circle locks a pair for each.';

COMMENT ON FUNCTION "private"."limit_keywords"() IS 'Trigger: rejects a keyword if the person would have more than 100, or more than 2000 characters in total.';

COMMENT ON FUNCTION "private"."limit_mutes"() IS 'Trigger: rejects a mute if the person has muted 5000 others.';

COMMENT ON FUNCTION "private"."limit_personas"() IS 'Trigger: rejects a sixth persona of a person.';

COMMENT ON FUNCTION "private"."limit_post_mutes"() IS 'Trigger: rejects a mute if the person has muted 5000 posts.';

COMMENT ON FUNCTION "private"."limit_series"() IS 'Trigger: rejects a series if the person has 100 series.';

COMMENT ON FUNCTION "private"."limit_to_scopes"(json, text[]) IS 'Stores the scopes of the token with these claims. From now on the token may do only what these scopes allow.';

COMMENT ON FUNCTION "private"."limited_for"(uuid, uuid) IS 'The only rule of limited people: whether this person is limited, and the viewer is neither a follower nor the person. Feeds, searches and suggestions then leave out what the person wrote. Returns one row. For each person it reads a small table, and reads the follows only if it finds the person there. If p_viewer is null, the viewer is the caller; without a caller the viewer follows nobody.';

COMMENT ON FUNCTION "private"."limited_post_for"(uuid, text, uuid) IS 'Returns whether feeds, searches and suggestions leave out a post for the caller, in one row. They do if its author is limited for the caller (private.limited_for) or, for a repost, the author of the original.';

COMMENT ON FUNCTION "private"."list_active_reputation"(uuid, uuid, uuid) IS 'Up to 500 direct entries that a cause gave a person and that were not undone, earned from p_from and the people after them; next is the person from whom to continue, or null. Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."list_bot_access_tokens"(uuid) IS 'The access tokens of a bot of the caller, as described at api.list_bot_tokens.';

COMMENT ON FUNCTION "private"."list_limited"() IS 'Trigger: keeps app.limited_people in sync with app.users.limited_at.';

COMMENT ON FUNCTION "private"."list_own_access_tokens"() IS 'The caller''s access tokens, as described at api.list_access_tokens.';

COMMENT ON FUNCTION "private"."list_own_apps"() IS 'The apps of the caller, as described at api.list_apps.';

COMMENT ON FUNCTION "private"."list_own_consents"() IS 'The apps that the caller allowed, as described at api.list_my_apps.';

COMMENT ON FUNCTION "private"."list_spaces"(text, boolean, text, uuid, text, text) IS 'Does the same as private.find_spaces, beginning at a cursor.';

COMMENT ON FUNCTION "private"."lock"(text, text[]) IS 'Takes the advisory locks of a kind with these keys until the transaction ends. Without keys it takes the only lock of the kind.';

COMMENT ON FUNCTION "private"."lock_account"(uuid) IS 'Locks a person against a concurrent login, ban or change of role, and returns their locked row.';

COMMENT ON FUNCTION "private"."lock_address"(text) IS 'Lets only one transaction at a time give an address to an account. Otherwise a second transaction would wait for the unique index while it holds the lock of its account, and the first may need that lock: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_counters"(uuid[]) IS 'Locks the counters of these posts, sorted by post. Call it before you lock posts or replies, because the triggers that count lock the counters first, and then write to posts (private.raise_trending). ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_effects"(uuid[]) IS 'For functions that decide by ledgers or notifications: locks the ledgers and notifications of these people, and applies their pending effects, up to four times as many as private.apply_effects_of. Until the transaction ends, no other transaction can write these ledgers and notifications. Entries that the calling function writes come after those of the effects. ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_open_post_space"(uuid) IS 'Fails if a post is in an archived space, and prevents the archiving of its space until the transaction ends. In an archived space nobody can reply, react, vote or pay.';

COMMENT ON FUNCTION "private"."lock_original"(uuid) IS 'Locks the counters of a repost''s original, which change when the repost is deleted. Call it before locking the repost (ARCHITECTURE.md, Locks). Does nothing for other posts.';

COMMENT ON FUNCTION "private"."lock_own_content"(text, uuid, boolean) IS 'Returns the head of the caller''s own content of this kind, locked until the transaction ends. It may be removed or a draft. If p_seen is false, for deleting or settling, the call also works in a space that the caller has left, and doesn''t count as an edit.';

COMMENT ON FUNCTION "private"."lock_pairs"(uuid[], uuid[]) IS 'Locks pairs of people until the transaction ends. The caller must compute levels in a later statement, because only the snapshot of a later statement has everything that other transactions committed. All pairs share 1024 locks, because an erasure has a pair for everybody who blocks the person, and Postgres limits the number of locks in the whole database.';

COMMENT ON FUNCTION "private"."lock_roles"() IS 'Lets only one transaction at a time change roles of admins, so that two admins can''t take the role from each other concurrently.';

COMMENT ON FUNCTION "private"."lock_running_poll"(uuid) IS 'Returns the poll of a published post if the caller may see it and it accepts votes. Until the transaction ends, nobody else can vote in it.';

COMMENT ON FUNCTION "private"."lock_series"(uuid) IS 'Lets only one transaction at a time move items of a series. Count items in a later statement. Lock the rows of posts first, and several series in the order of their ids: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_wallets"(uuid[]) IS 'Locks these wallets and other accounts with a balance, in order, and regenerates the wallets. The function is for callers that must know the balances before they call private.move: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_webhook"(uuid) IS 'Finds a webhook, and prevents queuing and taking its deliveries until the transaction ends.';

COMMENT ON FUNCTION "private"."lock_written"(uuid[], uuid[]) IS 'Call this function before a ban or an erasure changes these posts and replies of a person. It locks the counters that will change: of the posts, of reposted posts, and of posts with the replies (ARCHITECTURE.md, Locks). Concurrent reactions, counts of views, actions of staff, bans and erasures wait without holding a lock that is needed here.';

COMMENT ON FUNCTION "private"."mail_about_factor"(uuid, text) IS 'Queues a mail to a person about a change of their factors: factorAdded, factorRemoved, recoveryUsed, recoveryRenewed, passkeyAdded, passkeyRemoved or passkeyEnded.';

COMMENT ON FUNCTION "private"."make_admin"(text, text) IS 'For npm run admin: makes the person with this address an admin. If nobody has the address, it creates a person with this password. {result}: created, appointed, unchanged (an admin already), banned or unverified (it changes nothing for these two).';

COMMENT ON FUNCTION "private"."make_space"(app.spaces) IS 'Creates a space, whose owner is the caller. Without p_slug, the slug is made from the name. Fails: space_slug, space_name, space_about.';

COMMENT ON FUNCTION "private"."mark_earlier_read"(jsonb, uuid) IS 'For the worker and private.mark_own_read: marks as read the newest 500 of a person''s unread notifications from before a time. p_job is {userId, groupKey, before}. If groupKey is not null, the function marks only notifications of this group. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."mark_own_read"(text, timestamp with time zone) IS 'Marks as read the caller''s notifications from before a time or, if p_group_key is given, only those of this group. It marks the newest 500 at once, and the others soon after.';

COMMENT ON FUNCTION "private"."match_by_interest"(text, uuid[]) IS 'Returns the people with this intent who chose one of these interests: for each interest the people who have waited longest, about 4000 in total, but at least 20 per interest.';

COMMENT ON FUNCTION "private"."match_interests"(uuid) IS 'Returns interests whose names share words with a session of the caller, each with a confidence from 0 to 1. The confidence depends on how many words of the name occur in the session, and how often. At most 300 words and 200 interests are considered.';

COMMENT ON FUNCTION "private"."match_page"(uuid[], json[], integer, text) IS 'Returns a page of these people, in order: their cards with {isFollowing, sharedInterests} and the fields of p_more, one object per person. If there are further people, p_ids has one person more than the page. The cursor is an actor id, or p_next if the page is not full.';

COMMENT ON FUNCTION "private"."matches_event_filter"(uuid, jsonb) IS 'Returns whether an event begins within {from, to}, and is in this {country} and {city}, which private.fold_query has folded.';

COMMENT ON FUNCTION "private"."matches_offering_filter"(uuid, jsonb) IS 'Returns whether the price of an offering is from minPrice to maxPrice, both included: {minPrice?, maxPrice?}.';

COMMENT ON FUNCTION "private"."matches_problem_filter"(uuid, jsonb) IS 'Returns whether a problem matches {status, minDepth, hasBounty}; missing filters match every problem.';

COMMENT ON FUNCTION "private"."matches_project_filter"(uuid, jsonb) IS 'Returns whether a project matches the filter of the list of projects. Its status must be {status}, and the name of one of its roles must have all words of the array {role}.';

COMMENT ON FUNCTION "private"."may_invite"(uuid, uuid) IS 'Returns whether a person may invite into a space: its owner and moderators may, and in an open space every member.';

COMMENT ON FUNCTION "private"."may_listen"(text) IS 'Returns whether the caller may listen to a channel.';

COMMENT ON FUNCTION "private"."may_listen_to_conversation"(text) IS 'Returns whether the caller may listen to conversation:{conversationId}, which only its members may.';

COMMENT ON FUNCTION "private"."may_listen_to_feed"(text) IS 'Returns whether the caller may listen to feed:public, which everyone with a valid token may.';

COMMENT ON FUNCTION "private"."may_listen_to_person"(text) IS 'Returns whether the caller may listen to user:{userId}, which only that person may.';

COMMENT ON FUNCTION "private"."may_meet"(smallint) IS 'Returns whether two people may see each other: neither has blocked the other.';

COMMENT ON FUNCTION "private"."may_post_journalism"(uuid) IS 'Returns whether a person''s posts may be journalism, because of their reputation or because they are an admin. For an admin this is true even if canPostJournalism is false. An admin needs the second factor that the role needs.';

COMMENT ON FUNCTION "private"."may_propose_guild"() IS 'The rule for canProposeGuild. Nobody may propose a guild in the first release.';

COMMENT ON FUNCTION "private"."may_publish_in"(uuid, uuid) IS 'Returns whether a person''s scheduled post may be published in a space: the person is a member, and the space is not archived.';

COMMENT ON FUNCTION "private"."may_read_of"(boolean, uuid, uuid) IS 'Returns whether a viewer sees the messages of a sender in a conversation. Viewers see messages of people whom they see (private.sees_in), and the tombstones of erased people.';

COMMENT ON FUNCTION "private"."may_resolve"(app.decisions) IS 'Returns whether the caller may resolve an appeal against a decision. They may not resolve one against their own decision while somebody else could.';

COMMENT ON FUNCTION "private"."media_setting"(text) IS 'Returns a setting: media_url (the address before the key of every object), media_bucket (the bucket of new objects), media_quota (the number of bytes that one person may have) or media_hosts (the other hosts allowed for media).';

COMMENT ON FUNCTION "private"."mention_in_post"(jsonb) IS 'Listener: emits the mentions of a post when it is published, which for a scheduled post is later than its insert. It is the last listener, and skips a post that another listener has hidden.';

COMMENT ON FUNCTION "private"."mention_released"(jsonb, uuid) IS 'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had hidden since its creation, and notifies the people whom a reply answers, once. If staff has hidden it again meanwhile, this happens when staff next shows it.';

COMMENT ON FUNCTION "private"."merge_objects"(json, json) IS 'Merges two objects that have no field in common. Neither may be empty. The first must end without a blank, as json_build_object writes it.';

COMMENT ON FUNCTION "private"."merged_streams"(uuid[], timestamp with time zone[], integer[], integer, timestamp with time zone, uuid[]) IS 'The newest 101 posts that the caller may see in several streams, for example the posts of each author. p_ids, p_times and p_places are the next entries of all streams: the post, its time, and its place in its stream, from 1. Each stream has at most p_most entries, none before p_until. Posts by the people in p_muted are left out.';

COMMENT ON FUNCTION "private"."merkle_leaves"(bigint, bigint) IS 'The leaves of the Merkle tree over the entries after p_after, up to p_to.';

COMMENT ON FUNCTION "private"."merkle_parents"(bytea[]) IS 'The next level of a Merkle tree. A last node without a neighbour moves up unchanged.';

COMMENT ON FUNCTION "private"."move"(text, uuid[], integer[], uuid, uuid) IS 'Moves mana between accounts. p_amounts are as in app.mana_entries; p_reversal_of is the movement that the new movement undoes, if any. An operation calls this function last, because it locks wallets (ARCHITECTURE.md, Locks). Raises no_data_found for a kind that is not registered. Fails: insufficient_mana.';

COMMENT ON FUNCTION "private"."move_treasury"(uuid, text, uuid, uuid[], integer[], text, uuid) IS 'Moves mana between a treasury and people. Amounts above 0 enter the treasury. The calling function must lock the guild first. Fails: treasury_note.';

COMMENT ON FUNCTION "private"."mute_conversation"(uuid, timestamp with time zone) IS 'Sets the time until which the caller gets no notifications of a conversation.';

COMMENT ON FUNCTION "private"."name_case_person"() IS 'Trigger: stores in a case the person who is responsible for its target.';

COMMENT ON FUNCTION "private"."name_reported_author"() IS 'Trigger: stores in a report the person who is responsible for its target.';

COMMENT ON FUNCTION "private"."names_in"(text) IS 'The distinct names that a text mentions, in the order of their first mention, even if such people do not exist. The function checks the first 200 mentions in the first 10,000 characters, because publishing waits for it.';

COMMENT ON FUNCTION "private"."nearness"(uuid[]) IS 'The similarity of posts to the caller''s centroid, from 0 to 10000. It is the cosine of the vectors, estimated from their signs. Returns only posts with a value above 0, and none if the caller has no centroid or there is no model.';

COMMENT ON FUNCTION "private"."needs_factor"(text) IS 'Returns whether this instance requires a second factor of people with this role: REQUIRE_FACTOR.';

COMMENT ON FUNCTION "private"."needs_reason"(text[]) IS 'Returns whether one of these actions needs a reason.';

COMMENT ON FUNCTION "private"."next_children"(uuid, text, uuid) IS 'The next 500 children of this kind by a person, in the order of their ids, after the child p_after.';

COMMENT ON FUNCTION "private"."next_contents"(uuid, uuid) IS 'The next 500 contents of a person after the content p_after, by kind, newest first.';

COMMENT ON FUNCTION "private"."next_digest"(text, integer, timestamp with time zone) IS 'Returns the first time after p_after at which it is p_hour in a time zone, once a day. If the clocks skip that hour, returns the moment when they go forward. If the hour occurs twice, returns the second time. Null if p_hour is null.';

COMMENT ON FUNCTION "private"."next_milestone"(smallint) IS 'The next milestone after this milestone; null after the last.';

COMMENT ON FUNCTION "private"."next_posts"(uuid, uuid) IS 'The next 500 posts of a person after p_after: first the published posts, newest first, then the others. If the post p_after has been published in the meantime, it begins again with the newest, so that none is left out.';

COMMENT ON FUNCTION "private"."not_modified"(text) IS 'Sets the ETag of this version on the response. Returns true if If-None-Match has this version; the operation must then return null (304). An operation calls this function before it makes the response.';

COMMENT ON FUNCTION "private"."note_access_token_used"() IS 'Records that the access token of this request was used now. Returns whether the request has an access token.';

COMMENT ON FUNCTION "private"."note_changed"(text, uuid, integer) IS 'Records that a thing changed for viewers who have this audience level. Call it late in a transaction, from a deferred trigger. The transaction must then commit within ten seconds, because readers look back no further.';

COMMENT ON FUNCTION "private"."note_deleted_objects"(text, text[], text[]) IS 'For the worker alone: removes from private.pending_object_deletions the objects of a bucket that the storage has deleted (p_keys), and those of which it has deleted later uploads (p_uploads). Returns their number.';

COMMENT ON FUNCTION "private"."note_device"(uuid, text, cidr) IS 'Records a login on a device, and returns whether it was the first on this device since the person''s credentials changed. The calling function must have locked the person''s credentials.';

COMMENT ON FUNCTION "private"."note_engagement"(private.effects[]) IS 'Listener: schedules a person''s centroid after they add or remove a heart, a spark or a bookmark. A first centroid is due at once. Otherwise, the more posts the centroid covers, the later it is due (after ten minutes for 50), so that one recomputation covers several reactions. It is never due within a minute of the last recomputation.';

COMMENT ON FUNCTION "private"."note_job_run"(text, integer, boolean) IS 'Records that a job ran. The worker calls it in a separate transaction, because the record of a failed job must not be rolled back with the job.';

COMMENT ON FUNCTION "private"."note_late_change"() IS 'Trigger, at commit: if a row changed more than a second ago, sets its updated_at to the current time. Otherwise a client that has caught up meanwhile would never see the change, because its time would be before the last change that the client has seen.';

COMMENT ON FUNCTION "private"."note_push_receipts"(text[]) IS 'For the worker alone: removes the devices that these receipts report as gone, and returns their number.';

COMMENT ON FUNCTION "private"."note_pushes"(jsonb) IS 'For the worker alone: records the results of the pushes that it claimed, [{notificationId, round, tokenId, outcome, receipt, retryAfter}]. The outcome is sent, refused (permanently), failed (the push is tried again, but not before retryAfter seconds), or gone (the device is removed). Returns the number of sent pushes.';

COMMENT ON FUNCTION "private"."note_released"(jsonb) IS 'Listener: queues the notifications of people whom a held post or reply mentions or answers. The worker sends them, because the transaction of staff has already locked documents of the search (ARCHITECTURE.md, Locks).';

COMMENT ON FUNCTION "private"."note_webhook_attempt"(json) IS 'Records an attempt, {webhookId, deliveryId, claim, status, failure, excerpt}. A delivery that did not arrive is due again after 5 seconds, then after twice as long each time, up to 6 hours, each time varied by up to a fifth. After three days it is given up, and the next delivery of its subject is due. An attempt whose lease has ended is not recorded.';

COMMENT ON FUNCTION "private"."notify"(private.notice[]) IS 'Writes notifications, each group in order. Notifications without a group key are grouped by kind and target. It skips notifications whose recipient is the actor, has muted the actor, or is separated from the actor by a block; whose actor is banned or erased (unless the kind outlives its actor); about a post that the recipient muted or can''t see; of a kind for which the recipient turned off every channel; and for banned or erased recipients. The calling function must first call private.lock_effects.';

COMMENT ON FUNCTION "private"."notify_circle_accepted"(private.effects[]) IS 'Listener: notifies a person that their invitation was accepted.';

COMMENT ON FUNCTION "private"."notify_circle_added"(private.effects[]) IS 'Listener: notifies a person that the owner has added them to a circle, if they are still in it.';

COMMENT ON FUNCTION "private"."notify_circle_invited"(private.effects[]) IS 'Listener: notifies a person that they are invited into a circle, unless they have answered or the invitation was withdrawn.';

COMMENT ON FUNCTION "private"."notify_co_author_accepted"(private.effects[]) IS 'Listener: notifies the author that a person has accepted to be a co-author.';

COMMENT ON FUNCTION "private"."notify_co_author_invited"(private.effects[]) IS 'Listener: notifies a person that they are invited to be a co-author.';

COMMENT ON FUNCTION "private"."notify_event_guests"(private.effects[]) IS 'Listener: notifies people who go to an event, or wait for a seat, of what happened to it, if they still go or wait and can see it. After several changes there is one unread notification, about the latest. Notifications have no actor, so that muting a host does not hide a cancellation. The host is not notified of their own changes.';

COMMENT ON FUNCTION "private"."notify_followed"(private.effects[]) IS 'Listener: notifies a person that somebody follows them.';

COMMENT ON FUNCTION "private"."notify_held"(private.effects[]) IS 'Listener: notifies a person that something that they wrote is hidden until staff has seen it. The notification never names the rule.';

COMMENT ON FUNCTION "private"."notify_invite_used"(private.effects[]) IS 'Listener: notifies the owner of an invite code that somebody has joined with it.';

COMMENT ON FUNCTION "private"."notify_membership"(private.effects[]) IS 'Listener: notifies a person of a decision about them in a group or guild. Only the notification of an invitation names the person who decided. It skips an invitation that is no longer pending.';

COMMENT ON FUNCTION "private"."notify_mentioned"(private.effects[]) IS 'Listener: notifies a person that they are mentioned in a post, or in a reply that is still visible.';

COMMENT ON FUNCTION "private"."notify_message"(private.effects[]) IS 'Listener: notifies members of a message that still exists, unless they have muted or left the conversation, or have already read the message.';

COMMENT ON FUNCTION "private"."notify_milestone"(private.effects[]) IS 'Listener: notifies the author of a post of a number of reactions that it has reached.';

COMMENT ON FUNCTION "private"."notify_moderated"(private.effects[]) IS 'Listener: notifies a person of what staff did: hid, showed again or deleted their post or reply, removed or restored their content, deleted their circle, revoked their invite code, settled their report, archived or restored their group or guild, or decided about their membership of one.';

COMMENT ON FUNCTION "private"."notify_order"(private.effects[]) IS 'Listener: notifies the parties of an order that another party placed it or changed its state. For orders that the seller has not accepted, the seller has one unread notification for each offering and buyer. When one of these orders ends, the notification is about the latest order that still waits, if there is one.';

COMMENT ON FUNCTION "private"."notify_poll_closed"(private.effects[]) IS 'Listener: notifies the author or a voter of a poll that it has ended, once, if they can see it.';

COMMENT ON FUNCTION "private"."notify_quoted"(private.effects[]) IS 'Listener: notifies the author of a post of a quote, if they can see both posts. A scheduled quote may be published after the quoted post is deleted.';

COMMENT ON FUNCTION "private"."notify_reacted"(private.effects[]) IS 'Listener: notifies the author of a post of a heart or a spark.';

COMMENT ON FUNCTION "private"."notify_reposted"(private.effects[]) IS 'Listener: notifies the author of a post of a repost, if they can see the repost.';

COMMENT ON FUNCTION "private"."notify_series_extended"(private.effects[]) IS 'Listener: notifies a follower of a series of a new item, once, if they can see it. A series has one unread notification, about the latest item.';

COMMENT ON FUNCTION "private"."only_rules_hid"(text, uuid) IS 'Returns whether only rules hid a hidden thing.';

COMMENT ON FUNCTION "private"."open_hold"(uuid, text, uuid, integer) IS 'Takes mana from a person''s wallet into a new hold with the id p_id. Definer functions call it as their last step, like private.move.';

COMMENT ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) IS 'Begins a session of a person who has proved their identity, as described at api.log_in. Checks the second factor.';

COMMENT ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) IS 'For the worker alone: adds the hits of live rules, {targetType, targetId, authorId, ruleIds, hidden}, to the open case of their target, each hit once, and opens a case if there is none. It writes the decision if the rules have hidden the thing and nobody has decided since. This is a separate job, because the case and the audit log come late in the order of locks, and in the author''s transaction the audit entry would name the author as its actor.';

COMMENT ON FUNCTION "private"."order_cards"(uuid[]) IS 'The cards of the caller''s orders among these, in order: {id, offering {id, title, description, priceMana, deliveryDays}, buyerId, buyer, sellerId, seller, quantity, priceMana, state, note, deliveryNote, attachment, disputeReason, refundMana, deadlineAt, createdAt, history [{state, by, at}]}. A hidden party is null, and so is the id of an offering that the caller can no longer see.';

COMMENT ON FUNCTION "private"."others_hid"(text, uuid) IS 'Returns whether a rule hid a hidden thing, or a space did and the caller does not act for a space. The decision of a space is added to that of the rule; the decision of staff replaces both (private.record_decision).';

COMMENT ON FUNCTION "private"."overturn"(app.decisions) IS 'Undoes the action of a decision, and cancels its strikes. Returns whether the action could be undone. Fails: private.set_post_hidden, private.set_reply_hidden, private.set_content_removed, api.unban_person. Never: content_kind.';

COMMENT ON FUNCTION "private"."own_blocks"(text) IS 'The next 51 people whom the caller has blocked, by username, after the name p_after. It shows only the names of these people: {id, actorId, personId, username, createdAt}.';

COMMENT ON FUNCTION "private"."own_review_words"(uuid[]) IS 'The words of the reviews that the caller wrote; only the author of a review is notified about it.';

COMMENT ON FUNCTION "private"."page"(json, text[], integer, text) IS 'Makes a page, {items, nextCursor, hasMore}, from its items and from the cursors, in order, of these items and of one further item. If the page is not full but p_next is given, there is a next page, which begins at p_next.';

COMMENT ON FUNCTION "private"."page_of_texts"(text, text[], integer, text) IS 'Does the same as private.page for items in the form of a JSON array as text, which Postgres then parses only once, with the page.';

COMMENT ON FUNCTION "private"."part_size"(bigint) IS 'The size of the parts of a file of this size, in bytes: 8 MiB, or more if there would be more than 100 parts. S3 accepts only a last part below 5 MiB.';

COMMENT ON FUNCTION "private"."pay"(uuid, app.emotion, integer, uuid, uuid) IS 'Adds a payment by the caller and moves its mana; api.pay checks whether the caller may pay. Fails: emotion_unknown.';

COMMENT ON FUNCTION "private"."people_hid"(text, uuid) IS 'Returns whether staff or a space hides a thing or has removed it.';

COMMENT ON FUNCTION "private"."person_page"(uuid[], integer, text) IS 'A page of these people, in order. If another page exists, p_ids has one person more than p_limit. The cursor is an actor id, or p_next if the page is not full.';

COMMENT ON FUNCTION "private"."persona_text"(uuid, text, text, text) IS 'A persona in the form that the cards of posts have: {id, name, accent, profilePicUrl}, as the text of JSON. After changing this function, rewrite the column app.personas.card_text.';

COMMENT ON FUNCTION "private"."place_choices"() IS 'Trigger: updates the index when people with an active intent change the interests that they have chosen.';

COMMENT ON FUNCTION "private"."place_content"(uuid, text, timestamp with time zone) IS 'Sets the place of a content in an order, or deletes it if p_at is null. The function is for triggers on the kind''s detail table.';

COMMENT ON FUNCTION "private"."place_intent"() IS 'Trigger: after a change of an intent, updates the index, so that others find the person by the new intent if it is active.';

COMMENT ON FUNCTION "private"."place_item"(uuid, uuid, integer) IS 'Puts the caller''s post into the caller''s series at this position, or at the end. If the post is already an item, it moves there. Items after it shift. Returns true if the item is new.';

COMMENT ON FUNCTION "private"."place_notification"() IS 'Trigger: puts a notification into the inbox if the person wants notifications of its kind there. It checks this again when an item joins or replaces the notification.';

COMMENT ON FUNCTION "private"."place_order"(app.contents, text, integer) IS 'Orders an offering for the caller: takes a unit from its stock and holds the price. The calling function must have taken the locks that api.place_order takes. Fails: order_note.';

COMMENT ON FUNCTION "private"."plan_moved_reminder"() IS 'Trigger: recalculates the next reminder of an event when its start changes or it is cancelled. The operation has locked the event''s seats.';

COMMENT ON FUNCTION "private"."poll_text"(uuid) IS 'The poll of a post, as the text of its card; null if the post has none.';

COMMENT ON FUNCTION "private"."post_card"(uuid, text) IS 'The card of one post (private.post_cards); null if the caller does not see the post.';

COMMENT ON FUNCTION "private"."post_cards"(uuid[], text[]) IS 'The cards of these posts that the caller sees, in order, as the text of a JSON array. Each card contains the quoted post as {quotedPostId, quotedPost}, null if the caller may not see it. p_more has further fields for each post, as text that begins with a comma.';

COMMENT ON FUNCTION "private"."post_fingerprint"(uuid) IS 'Twelve digits that identify a post within its block, in a cursor.';

COMMENT ON FUNCTION "private"."post_reasons"(app.posts, uuid, private.access) IS 'The reasons why a person sees a post or does not, in the order of the rule: private.visibility with the states of a post that app.posts.required_level combines.';

COMMENT ON FUNCTION "private"."post_visible_to"(uuid, uuid) IS 'Returns whether a person may see a post, for definer functions that notify others of it. Null if there is no such post.';

COMMENT ON FUNCTION "private"."post_words"(uuid[]) IS 'The words of the posts that the caller sees.';

COMMENT ON FUNCTION "private"."posts_within"(uuid[], timestamp with time zone, timestamp with time zone, uuid[]) IS 'The newest posts in these spaces that the caller may see, between two boundaries of blocks. It returns at most 50 posts. It stops at p_until or, if there are more posts, at a later boundary. From a block with more than 50 posts in these spaces it returns only the newest 50. One call is therefore enough, however many posts a space has.';

COMMENT ON FUNCTION "private"."proposal_detail"(uuid, app.tally) IS 'The card of a proposal with its tally: {…, tally {yes, no, abstain, eligible, quorum}, viewer {vote}}. If p_tally is given, the function doesn''t count the votes again.';

COMMENT ON FUNCTION "private"."proved_at"() IS 'When the user of this request''s session last proved their identity; null if never.';

COMMENT ON FUNCTION "private"."public_author"(uuid) IS 'The fields of a person on a public page, {username, firstName, lastName, profilePicUrl}.';

COMMENT ON FUNCTION "private"."publish_post"(uuid) IS 'Publishes a scheduled post and emits posts.post.published. Does nothing if it is already published. The function is for definer functions.';

COMMENT ON FUNCTION "private"."push_notification"() IS 'Trigger: queues the push of a notification that is new, unread again, or replaced by a later item, if the person wants pushes of its kind. For kinds that replace the unread notification, it does so at most once an hour. An item that joins an unread notification sends no push.';

COMMENT ON FUNCTION "private"."put_ai_question"(app.ai_sessions, text, boolean) IS 'Asks the next question of a session that its caller has locked: p_text, which is from the model, or the next question of the script if p_text is null. After the fifth question it asks nothing.';

COMMENT ON FUNCTION "private"."queue_object_deletions"() IS 'Trigger: queues the objects of deleted assets for deletion. These are assets that expired, made room for a new one, belonged to an erased person, or were deleted by the database''s owner. For an asset that is committed, it queues only files that are uploaded later.';

COMMENT ON FUNCTION "private"."queue_webhooks"() IS 'For the worker alone: queues deliveries of the next 500 events of the log for each active webhook. Returns the number of webhooks that had events to consider. May run twice: each webhook records the last considered event, under its lock.';

COMMENT ON FUNCTION "private"."raise_bounty"(uuid, integer) IS 'Holds more of the caller''s mana, by this amount, for their problem, which must be new or locked.';

COMMENT ON FUNCTION "private"."raise_check_violation"(text) IS 'Every check of the schema app calls this function for a value that violates the check (sql/generated/10_checks.sql, generated). It raises the code that has the name of the check, or value_invalid if no such code is registered, as private.raise_error does. The error of Postgres itself would show the row to callers of `.rpc()`.';

COMMENT ON FUNCTION "private"."raise_error"(text, json) IS 'Raises a registered code: SQLSTATE PT<status>, with the code as the message and its text as the detail. With p_headers for the response it raises SQLSTATE PGRST, the form in which PostgREST accepts headers. The transaction is rolled back.';

COMMENT ON FUNCTION "private"."raise_trending"() IS 'Trigger: moves a post up in the trending order by four hours for every doubling of its reactions, reposts, bookmarks, and replies by people. The order does not depend on the current time, so it changes only when somebody does something.';

COMMENT ON FUNCTION "private"."rank_start"(text, text) IS 'Does the same as private.page_start, for a list that is ordered by a number, highest first.';

COMMENT ON FUNCTION "private"."ranked_words"(tsvector) IS 'Returns these words with the first 16 positions of each, or null if none has more than 16. The reason for the limit is that ranking multiplies the numbers of positions of every two words. A search for a phrase still uses all positions.';

COMMENT ON FUNCTION "private"."reach_milestone"() IS 'Trigger: emits an event when a post reaches a milestone for the first time. If people take hearts back and give them again, there is no second event.';

COMMENT ON FUNCTION "private"."read_days"(date, date) IS 'The figures of the days from p_from to p_to, both included. The current day is counted again if its last count is more than 30 seconds old; concurrent callers get the previous figures.';

COMMENT ON FUNCTION "private"."read_query"(text, uuid[]) IS 'Parses a query: words, "phrases", and -exclusions, at most 32 words. Other punctuation has no meaning. To limit the work, results are ranked by the 4 longest words only, and an excerpt highlights only the first words and phrases, up to 8 words.';

COMMENT ON FUNCTION "private"."readiness"() IS 'For /ready and at a start: {migrations: {version: SHA-256 of its text without its last semicolon, or null}, functions: private.functions_fingerprint, worker: whether a worker was active recently, within: the period that counts as recent, such as 3 minutes}.';

COMMENT ON FUNCTION "private"."receives_from"(uuid, uuid) IS 'Returns whether the viewer receives messages of the sender: if neither has blocked the other, and the sender is neither banned nor erased.';

COMMENT ON FUNCTION "private"."record_about_space"(app.spaces, text, uuid, json) IS 'Records what staff did about a space: it notifies the person concerned, and writes an audit entry that says who did it.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of a case. This is the case in the setting kith.case, {caseId, category, rule, spaceId}. If the setting is empty, it is the open case of the entry''s target. If staff hides or removes a thing, the decisions of rules and spaces about it are lifted. A new ban or suspension lifts the earlier ban or suspension, so only the new end applies.';

COMMENT ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) IS 'Writes the audit entry of a rule that has hidden a thing, and thereby the decision. The author reads the category and that the decision was automatic, but never the rule.';

COMMENT ON FUNCTION "private"."record_moderation"(text, uuid, text, uuid, text) IS 'Records what staff did about content: it notifies the author, and writes an audit entry that says who did it and why.';

COMMENT ON FUNCTION "private"."recount_proposals"(jsonb, uuid) IS 'For the worker alone: takes the next guild of a banned person {userId} and makes its open proposals due. Then private.job_settle_proposals counts their votes again. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."refresh_centroids"() IS 'Recomputes the next 20 centroids that are due, each from up to 50 posts, and returns their number.';

COMMENT ON FUNCTION "private"."refuse_bots"(text) IS 'Passes unless the caller is a bot and the operation is only for people.';

COMMENT ON FUNCTION "private"."refuse_own"(text, uuid, uuid) IS 'Passes unless the caller is responsible for this thing (private.is_own_thing). Nobody, not even an admin, may undo a decision of staff about their own things.';

COMMENT ON FUNCTION "private"."release_bounty"(uuid, uuid) IS 'Pays the bounty of a problem to the person who solved it, or gives it back. The caller must lock the head first, so that this happens once. It must be the last step, because it locks wallets (ARCHITECTURE.md, Locks). Never: insufficient_mana (the hold has the mana).';

COMMENT ON FUNCTION "private"."release_held"(text, uuid) IS 'Shows a thing again that only a rule has hidden, in the same way as staff does, which lifts the decision of the rule. Does nothing with any other thing. Calling functions check the right to do so.';

COMMENT ON FUNCTION "private"."release_reservations"() IS 'Ends up to 500 reservations whose half hour is over: their codes become active again, or expired. Returns the number of ended reservations.';

COMMENT ON FUNCTION "private"."release_seats"(jsonb, uuid) IS 'For the worker and triggers: takes back the next 500 replies of a person {userId}: all of them, or those to events of a host {hostId} or in a space {spaceId}. Replies to events that are over remain, unless the person is erased. Seats go to the people who have waited longest. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."remove_argument"(uuid) IS 'Deletes the caller''s own argument, even if they can no longer see the debate or its author is erased; returns false if there is none.';

COMMENT ON FUNCTION "private"."remove_argument_vote"(uuid, boolean) IS 'Takes the caller''s vote in an open debate back, even if they can no longer see the argument; then the caller does not learn whether the debate is open.';

COMMENT ON FUNCTION "private"."remove_comment"(uuid) IS 'Takes the caller''s own comment back, even on a video that they can no longer see. Returns false if there is none.';

COMMENT ON FUNCTION "private"."remove_debate"(uuid) IS 'Deletes the caller''s own debate if nobody else has posted arguments in it. Never: writes_exceeded (it is not an edit).';

COMMENT ON FUNCTION "private"."remove_factors"(text) IS 'For npm run admin: removes all second factors of the person with this address, ends their tokens and sessions, and notifies them by mail. Returns false if nobody has the address, or if they have no factor.';

COMMENT ON FUNCTION "private"."remove_own_passkey"(uuid) IS 'Removes a passkey of the caller, as described at api.remove_passkey.';

COMMENT ON FUNCTION "private"."remove_own_totp"() IS 'Removes the caller''s authenticator app, as described at api.remove_totp.';

COMMENT ON FUNCTION "private"."remove_position"(uuid, boolean) IS 'Takes the caller''s position in an open debate back, even if they can no longer see the debate. In that case the caller does not learn whether the debate is open.';

COMMENT ON FUNCTION "private"."remove_problem"(uuid) IS 'Deletes the caller''s own problem if nobody else has offered a solution, and gives its bounty back. Never: insufficient_mana, writes_exceeded (it is not an edit).';

COMMENT ON FUNCTION "private"."remove_solution_vote"(uuid, boolean) IS 'Takes the caller''s vote on a solution of an open problem back, even if they can no longer see the solution; then the caller does not learn whether the problem is open.';

COMMENT ON FUNCTION "private"."remove_space_member"(text, text, text, boolean) IS 'Removes a member with a lower role than the caller''s from a space. With p_ban it also bans the person, who need not be a member; repeating this changes nothing.';

COMMENT ON FUNCTION "private"."rename_own_passkey"(uuid, text) IS 'Renames a passkey of the caller, as described at api.rename_passkey.';

COMMENT ON FUNCTION "private"."replace_password"(uuid, text) IS 'Sets a password, and ends everything that depended on the old one: sessions, tokens (except access tokens that do not end with the password), device tokens, mailed links and a pending change of address.';

COMMENT ON FUNCTION "private"."replace_unread"(private.notice) IS 'Replaces the target, the payload and the actor of the unread notification of a group by those of a later item. Returns false if the group has no unread notification. An action that somebody repeats, such as sending and withdrawing an invitation, therefore leaves one notification.';

COMMENT ON FUNCTION "private"."replay"(private.condition[], text[], text) IS 'Judges the next 20,000 things of these types of the last 30 days, newest first: {looked, wouldHit, ofWhichStaffRemoved, sample (the first 20 hits), lookedUntil, nextCursor}. `looked` includes contents of other kinds. Contents are judged by their current version.';

COMMENT ON FUNCTION "private"."replay_delivery"(uuid, bigint) IS 'Makes a delivery of a webhook pending and due now. The caller has locked the webhook.';

COMMENT ON FUNCTION "private"."reply_reasons"(app.replies, uuid) IS 'The reasons why a person sees a reply or does not, from its author, from actions of staff, and from its post.';

COMMENT ON FUNCTION "private"."report_file"(app.reports) IS 'The details of a report: {target, author, reportsOfTarget, history: {reports, decisions, bans}}. Each list has the newest 50. author and history are null if the author is unknown.';

COMMENT ON FUNCTION "private"."require_card"(text, json) IS 'Returns a card that the caller may see. Fails with this code if there is no card, because the caller may not see it or it was deleted meanwhile.';

COMMENT ON FUNCTION "private"."require_category"(text) IS 'Returns a category. Fails if there is none with this name.';

COMMENT ON FUNCTION "private"."require_circle_place"(text, boolean) IS 'The place of a cursor''s circle. The caller must be a member or, with p_own, the owner.';

COMMENT ON FUNCTION "private"."require_code"(uuid, text) IS 'Passes if the person has no second factor, or if this is one of their codes, which is then used up.';

COMMENT ON FUNCTION "private"."require_emoji"(text) IS 'Returns a reaction as it is stored, with each emoji in the form that Unicode recommends. Fails if it is not 1 to 8 emoji.';

COMMENT ON FUNCTION "private"."require_factor"() IS 'Passes if the caller has the second factor that their role needs. For staff, the facade calls it before it reports errors in their input.';

COMMENT ON FUNCTION "private"."require_follow_place"(text, uuid, uuid) IS 'The place of a cursor in a list of follows: the place of the follow between the person in the cursor and the person of the list, even if the follow has ended. Without a cursor, the start of the list. Fails if there is a block between the caller and the person.';

COMMENT ON FUNCTION "private"."require_guild_founder"() IS 'Passes if the caller has canProposeGuild, or is an admin with the second factor that the role needs.';

COMMENT ON FUNCTION "private"."require_lower"(uuid, uuid) IS 'Passes if the person is a member and not the founder.';

COMMENT ON FUNCTION "private"."require_markdown"(text) IS 'The form in which Markdown is stored: unchanged except for line ends, which become line feeds. Blanks and tabs stay, because they have a meaning in Markdown. A text of blanks becomes empty, as in private.require_text.';

COMMENT ON FUNCTION "private"."require_media"(jsonb, text) IS 'Media as a post of this format stores them: [{url, alt, width, height, blurhash, posterUrl}] without other fields, with alt null if it is empty. Each item names a url or an asset of the caller. The last four fields are those of the asset, and so is alt if the item has none. The format decides how many items are allowed.';

COMMENT ON FUNCTION "private"."require_name"(text) IS 'Does the same as private.require_text, for a name or a title, which must be one line.';

COMMENT ON FUNCTION "private"."require_oidc_login"(uuid, uuid) IS 'Passes if this login at the provider is the person''s and is unused. The function does not use it up, so that the person can read several decisions and appeal them until the login expires.';

COMMENT ON FUNCTION "private"."require_open_debate"(uuid) IS 'Passes if the debate is open.';

COMMENT ON FUNCTION "private"."require_original"(uuid) IS 'Returns the post to which an action on this post applies: the original of a repost, or the post itself.';

COMMENT ON FUNCTION "private"."require_own_group"(uuid) IS 'Passes if the caller owns the group.';

COMMENT ON FUNCTION "private"."require_price"(integer, integer) IS 'Passes if a price that somebody else sets is the one that the payer expects. A function that takes mana for such a price first locks the row with the price, and then calls this function.';

COMMENT ON FUNCTION "private"."require_profile_place"(text, uuid) IS 'The place of a cursor''s post on its author''s profile: among the pinned posts if pinned_at is set (a deleted post keeps this value), otherwise by time. A cursor can also contain a time instead of a post. Fails with cursor_unknown if the post is not by this author, or if the caller is not in its audience.';

COMMENT ON FUNCTION "private"."require_proof_of_all"() IS 'Does the same as private.require_proof, but also requires a proof from people without a second factor, who give their password.';

COMMENT ON FUNCTION "private"."require_proof_of_payment"(integer) IS 'Passes if payments of this tier need no fresh proof (PROOF_TIER), or if the caller has one (private.require_proof).';

COMMENT ON FUNCTION "private"."require_published_original"(uuid) IS 'Does the same as private.require_original, for published posts. Nobody can act on a scheduled post.';

COMMENT ON FUNCTION "private"."require_published_post"(uuid) IS 'Returns the post if the caller may see it and it is published. Nobody can act on a scheduled post, not even its author.';

COMMENT ON FUNCTION "private"."require_quotable"(uuid) IS 'Returns the post to which a repost or a quote of this post refers: the original if this post is a repost, otherwise the post itself.';

COMMENT ON FUNCTION "private"."require_reason"(text) IS 'Returns the normalized reason of staff. Fails if there is none.';

COMMENT ON FUNCTION "private"."require_redirects"(text[], boolean) IS 'Returns these redirect URIs. Fails if an app may not have them.';

COMMENT ON FUNCTION "private"."require_registration"() IS 'Passes if the caller may register apps, which REGISTER_APPS decides. An admin needs the second factor that the role requires.';

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS 'Passes if these scopes of the caller''s token include one that the operation needs. Fails: scope_missing.';

COMMENT ON FUNCTION "private"."require_shown"(app.contents) IS 'Passes if people other than the author can see the content. The author can still read, change, end and delete a content that staff removed. But nobody can add anything to the content, and the author can''t fill a role, publish an update, add a bounty or accept a solution. Fails with the code of its kind.';

COMMENT ON FUNCTION "private"."require_space"(text, text) IS 'Does the same as private.find_space, but fails if there is no such space.';

COMMENT ON FUNCTION "private"."require_visible_person"(text) IS 'Does the same as private.require_person, for definer functions.';

COMMENT ON FUNCTION "private"."require_way_in"(uuid) IS 'Passes if a person can log in with a password, a linked login or a passkey.';

COMMENT ON FUNCTION "private"."require_wiki_reputation"(uuid, uuid) IS 'Passes if the person has a reputation of 5 in the interest or of 20 in total. The function is for definer functions.';

COMMENT ON FUNCTION "private"."require_wiki_voter"(text) IS 'Passes if the caller may vote on a proposal. A person who takes a vote back needs no reputation (private.vote_on_wiki_proposal).';

COMMENT ON FUNCTION "private"."resolve_order"(uuid, integer) IS 'Divides the mana that a disputed order holds, once: p_refund goes back to the buyer, the rest goes to the seller.';

COMMENT ON FUNCTION "private"."restart_lock_order"() IS 'Begins the order of locks again, for operations that do several things in one transaction, each with all its locks. Such a transaction can deadlock; then the facade retries it. ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."retry_dead_letter"(pgboss.job) IS 'Retries a permanently failed job; returns false if its schedule already has another one. The caller must lock the row first and check that it was not retried.';

COMMENT ON FUNCTION "private"."retry_failed"(text, timestamp with time zone, integer) IS 'For DBAs: retries the jobs of a queue that failed permanently since p_since, all or the oldest p_most, and returns their number. Each failure is retried once, however often the function is called. If a job fails permanently again, that is a new failure. A job that is no longer needed does nothing, because it determines from rows what is due.';

COMMENT ON FUNCTION "private"."retry_failed_job"(text, uuid) IS 'Retries one permanently failed job; returns false if it was retried before, or if its schedule has already queued another one.';

COMMENT ON FUNCTION "private"."retry_stuck"(uuid) IS 'Makes the worker retry the failing effects of a person now; returns false if it is about to do so anyway.';

COMMENT ON FUNCTION "private"."reverse_contribution"(uuid[]) IS 'Writes the opposite of these entries, and later of their shares. Call private.lock_effects first, so that an entry is undone only once.';

COMMENT ON FUNCTION "private"."reverse_payment"(uuid, boolean) IS 'Reverses a payment, once. The receivers give back to the mint what they still have of the mana, and the mint pays the full amount back to the sender. If receivers no longer have all of it, p_force is required, and the missing mana is newly minted. The calling operation checks whether the caller may do this. Never: insufficient_mana.';

COMMENT ON FUNCTION "private"."reverse_reputation"(uuid[]) IS 'Writes the opposite of these direct entries and of their roll-ups. Call private.lock_effects first, so that an entry is undone only once.';

COMMENT ON FUNCTION "private"."role_of_name"(text, text) IS 'Returns the role with this name in spaces of this kind; null if there is no such role.';

COMMENT ON FUNCTION "private"."roll_up"(private.notice[], boolean) IS 'Writes items of one group. Each item joins the notification whose first item is less than an hour older; that notification becomes unread and takes the latest payload. If there is none, the item starts a new notification. Unless each item counts, the function skips items whose actor is in an earlier notification of the group from the last day.';

COMMENT ON FUNCTION "private"."roll_up_fraction"(integer) IS 'The share of an entry that goes to the interest p_level levels up: 100 % at 0, then 50, 25 and 12 %, and half of the previous share for each further level.';

COMMENT ON FUNCTION "private"."rsvp"(app.contents, text) IS 'Sets the caller''s reply to an event to going or interested. If they want to go and no seat is free, they get a place on the waiting list. The calling function has locked the event''s seats and its head (private.lock_open_content). Repeating it changes nothing.';

COMMENT ON FUNCTION "private"."run_of"(uuid[], timestamp with time zone[], app.place, integer) IS 'Makes a run of up to 101 posts. A full run continues after its last post, any other run from p_cut.';

COMMENT ON FUNCTION "private"."search_blocks"(private.search_query, text[], private.search_lead[], private.search_run, bigint, bigint) IS 'Searches whole blocks, from number p_low to before p_before. Returns the documents that have the words of p_leads, match the query and are visible to the caller, and those of p_people whose numbers are in these blocks. The calling function has checked that p_people are visible. Documents that the caller may not see, for example because one of two people has blocked the other, are neither searched for phrases nor ranked.';

COMMENT ON FUNCTION "private"."search_contents"(text, uuid, text, text, text, text, text, jsonb, text, boolean, timestamp with time zone, integer, timestamp with time zone) IS 'One read of the list of a kind, with the parameters of every GET of such a list: an interest (with the interests below it), an author, words, a group or guild (nothing if the caller is not a member), and the kind''s own filters (private.content_kinds). Newest first; or in the kind''s own order, between a start and an end, with places as cursors. It skips the first p_past.';

COMMENT ON FUNCTION "private"."search_scopes"(text[]) IS 'Returns the scopes in which the caller may find things of these types. These are the scope for everybody of each type; the caller''s groups and guilds, up to 1000; the private groups and guilds themselves in which the caller is a member, or into which one of their newest 100 invitations leads; the levels of up to 1000 people who have the caller in a circle; and the caller''s own levels.';

COMMENT ON FUNCTION "private"."sees_in"(boolean, uuid, uuid) IS 'Returns whether a viewer sees a person in one of the viewer''s conversations. Nobody sees banned or erased people. In a group, two people do not see each other if one has blocked the other; in a direct conversation they still do.';

COMMENT ON FUNCTION "private"."send_conversation_access"() IS 'Trigger: notifies Realtime when a person loses or regains access to a conversation, on the channel that also announces revoked tokens.';

COMMENT ON FUNCTION "private"."send_live_tokens"() IS 'Trigger: notifies Realtime which tokens of a person are still valid: those with this role (no token at all if the role is null) that were issued at `from` or later. private.check_caller has the same rule.';

COMMENT ON FUNCTION "private"."send_message"(uuid, text, uuid, uuid, uuid, text) IS 'Sends the caller''s message, unless their client has sent it before. The calling function must have checked the fields.';

COMMENT ON FUNCTION "private"."send_revoked_token"() IS 'Trigger: notifies Realtime that a token was revoked.';

COMMENT ON FUNCTION "private"."set_any_space_archived"(text, text, boolean, text) IS 'Archives a space or restores it, for an admin. Nobody can restore their own space if another member of staff archived it. Repeating it changes nothing and leaves no audit entry.';

COMMENT ON FUNCTION "private"."set_archived"(app.spaces, boolean, boolean) IS 'Archives a locked space, for its owner or for staff, or restores it. Returns false if nothing changes. If the owner has archived the space, staff can take over.';

COMMENT ON FUNCTION "private"."set_case"(uuid, text, text, integer) IS 'Sets category, rule and priority of a case; null leaves a value as it is. A new category also sets its priority.';

COMMENT ON FUNCTION "private"."set_child_removed"(text, uuid, boolean, text) IS 'Does the same as private.set_content_removed, for a child.';

COMMENT ON FUNCTION "private"."set_password"(text, text) IS 'For npm run admin: sets the password of the person with this address, ends their tokens and sessions, and marks the address as verified. Returns false if nobody has the address.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'Does the same as private.write_post_hidden, for staff. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_progress"(uuid, uuid, boolean) IS 'Records whether the caller, a student, has completed a lesson. Once the student has completed all lessons, the course counts as completed permanently.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'Does the same as private.write_reply_hidden, for staff. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."settle"(uuid) IS 'Regenerates a wallet: 5 mana for every whole 24 hours since last_regen_at, until the wallet and the person''s holds together have 50. At 50 or more, a period adds nothing. Holds count, because a person could otherwise put 50 mana into a bounty, regenerate 50 mana, and then get the refund, too. The function runs before any change of a balance or a hold, so that periods that added nothing stay lost when the person spends mana later. The wallets of erased people and of bots don''t regenerate. Never: insufficient_mana.';

COMMENT ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) IS 'Accepts or declines an open proposal of a case: the one with this id or, without an id, the open one, if any.';

COMMENT ON FUNCTION "private"."settle_case_reports"(jsonb, uuid) IS 'For the worker and private.end_case: settles the next 500 open reports of a closed case {caseId} and notifies their reporters. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."settle_co_author"(uuid, uuid, boolean) IS 'Accepts the caller''s invitation, or declines it, which deletes it. An accepted co-author can also decline, even for a post that they can no longer see; this removes them.';

COMMENT ON FUNCTION "private"."settle_engagement_contribution"(private.effects[]) IS 'Listener: a person''s reactions to another''s post are together one contribution of the person, as long as one reaction exists. So is a bookmark.';

COMMENT ON FUNCTION "private"."settle_engagement_reputation"(private.effects[]) IS 'Listener: a person''s reactions to a post together earn its author reaction.received once, in the post''s primary interest, as long as one reaction exists. A bookmark earns bookmark.received and a repost repost.received in the same way. People earn nothing from themselves, and a deleted post earns nothing more. A quote earns nothing.';

COMMENT ON FUNCTION "private"."settle_hold"(uuid, uuid[], integer[]) IS 'Pays the held mana to these receivers and refunds the remaining mana to the holder, even if one of these people is erased or banned. Without receivers it refunds everything. A refund counts as never spent. Definer functions call it as their last step. To settle several holds in one transaction, first lock all their accounts with private.lock_wallets. The feature must check under its own lock that the hold is open. The function raises object_not_in_prerequisite_state if the hold is settled already, and fails with insufficient_mana if the hold has too little mana.';

COMMENT ON FUNCTION "private"."settle_proposal"(uuid) IS 'Takes the due step of a proposal: closes it by the votes that count, executes it if it passed, and notifies its proposer. All this is one transaction, so each step happens once. If the execution fails with a code, the proposal becomes execution_failed with that code as its reason.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. When the last report is dismissed, a thing that only a rule has hidden is shown again. The reporter is notified, but does not learn who settled the report; the reported person is not notified. A report about the caller is unknown to the caller.';

COMMENT ON FUNCTION "private"."settle_reputation_of_arguments"(private.effects[]) IS 'Listener: an argument in another person''s debate earns its author reply.criticism or, with more than 300 characters, reply.contribution, in the debate''s interest. If the author deletes the argument, the entry is reversed.';

COMMENT ON FUNCTION "private"."settle_tokens"(date, integer, integer) IS 'Replaces the reserved number of tokens by the number spent. If the number spent is unknown (null), the reservation stays.';

COMMENT ON FUNCTION "private"."share_lock_content"(uuid) IS 'Locks a head until the transaction ends. Transactions that change or delete the content wait.';

COMMENT ON FUNCTION "private"."slug_of"(text, text) IS 'Makes a slug of at most 50 characters from a name. The slug may already be taken.';

COMMENT ON FUNCTION "private"."solution_cards"(uuid[]) IS 'The cards of the given solutions that the caller sees, in order: {id, problemId, body, authorId, author, score, accepted, viewer: {vote}, removedAt, createdAt, editedAt}. Calling functions check whether the caller sees the problem.';

COMMENT ON FUNCTION "private"."space_cards"(text, uuid[]) IS 'The cards of these spaces of a kind (private.space_kinds), in order, if the caller can see them.';

COMMENT ON FUNCTION "private"."space_report_cards"(uuid[]) IS 'These cases in this order, as the owner and moderators of the space see them: {id, targetType, targetId, author, title, excerpt, hidden, category, reportCount, reports [{category, reason}], withStaff, status, outcome, createdAt}. Calling functions check who may see the cases. A card never contains the reporter. The author is null if the caller can''t see that person.';

COMMENT ON FUNCTION "private"."space_texts"(uuid[]) IS 'Returns the names and descriptions of these groups and guilds. A private group or guild has its own scope, "private id", because invited people may find it, but not its posts and contents.';

COMMENT ON FUNCTION "private"."split_feed_block"(jsonb) IS 'Listener: an imported post begins a new block if its block already has 100 posts, so that no import makes a block long. Only one of 25 imported posts checks this. A client that reads the block at that time may get a post twice, or miss one.';

COMMENT ON FUNCTION "private"."split_payment"(app.payments) IS 'Returns who gets how much of a payment. Each accepted co-author of a post gets their split, rounded down, and the author gets the rest. The split of a co-author who is the payer, banned or erased goes to the author.';

COMMENT ON FUNCTION "private"."staff_books"() IS 'The findings of the latest nightly audits of the ledgers of mana and of the treasuries: {sound, ledgers: [{ledger, auditedAt, violations, findings}]}. If nothing was found, sound is null until both audits have run.';

COMMENT ON FUNCTION "private"."staff_card"(text, uuid) IS 'One row of a list as staff sees it; null if there is no such row.';

COMMENT ON FUNCTION "private"."staff_page"(text, json, text[], text, timestamp with time zone, timestamp with time zone, integer, text, text) IS 'A page of private.staff_<list>, a view with at, id, said (the text that p_q searches), card and a column for each filter. It reads the next 400 rows that match the first filter of p_by that is not null; this filter must have an index in the order of the list. Of these rows it returns those between the two times that match all other filters that are not null and contain p_q in their text. If p_q is a UUID, it looks only at the row with this id. p_key is the column that orders the list, if that is not the time. The cursor of a short page is the last row that was read, because nothing is hidden from staff.';

COMMENT ON FUNCTION "private"."standing"(uuid, boolean) IS 'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}, with the newest 100 decisions. It never says who decided. Several decisions of one case count strikes once. With p_by_password the person is not logged in, so the result names another route for appeals.';

COMMENT ON FUNCTION "private"."start_membership"(uuid, uuid[], bigint) IS 'Makes people members of a conversation. They may read messages from the number p_number on.';

COMMENT ON FUNCTION "private"."start_own_totp"() IS 'Begins adding an authenticator app, as described at api.start_totp.';

COMMENT ON FUNCTION "private"."statement"(uuid, uuid, boolean) IS 'The statement of reasons for a decision about a person. It never says who decided. With p_by_password the person is not logged in, so the statement names another route for an appeal.';

COMMENT ON FUNCTION "private"."step_order"(app.orders, text, text) IS 'Takes a step of an order, and updates its history, the stock, the notifications and finally the hold. The calling function must have locked the order, and may set notes and the refund in p_order. Definer functions call it as their last step. Never: insufficient_mana (the hold has the mana).';

COMMENT ON FUNCTION "private"."store_embeddings"(text, json) IS 'For the worker alone: stores vectors [{id, digest, vector}] and returns the number of stored vectors. It does not store the vector of a post that was deleted or whose words have changed meanwhile.';

COMMENT ON FUNCTION "private"."strikes_since"() IS 'The time before which decisions count no strikes. The setting strike_days is the number of days.';

COMMENT ON FUNCTION "private"."sum_reputation"() IS 'Trigger: updates app.reputation, app.reputation_kinds, and app.accounts.total_reputation, the sum of direct entries.';

COMMENT ON FUNCTION "private"."suspicious_flows"(timestamp with time zone, integer, integer) IS 'Who paid or upvoted whom, at most three steps away in the invite tree: 1 means inviter and invitee, 2 two people invited by the same person, 3 anything further. Orders each kind by the sum, largest first, among the newest 20,000 payments and votes since p_since. younger_age is the age of the younger account at the first flow. given_share is the pair''s share of all that the giver gave, neighbour_share the neighbours'' share of all that the receiver got; each is null if its total is 0. Excludes reversed payments, downvotes, removed votes, and paths through staff, who invite strangers.';

COMMENT ON FUNCTION "private"."sync_repost_audience"() IS 'Trigger: when a post is opened to everyone or restricted to circles, updates the audience for which the feed finds its reposts: 500 reposts at once, the others soon after. The visibility of a repost does not depend on this.';

COMMENT ON FUNCTION "private"."take_back_notice"(uuid, text, jsonb) IS 'Deletes the latest notification of a group if its payload contains p_payload. The function is for notifications of things that no longer exist, such as a withdrawn invitation. The calling function must first call private.lock_effects.';

COMMENT ON FUNCTION "private"."take_push_token"(text, text, text, text) IS 'Assigns a device to the caller, even if it belonged to somebody else. If the caller then has more than 20 devices, removes the ones that were registered longest ago. Fails: push_token.';

COMMENT ON FUNCTION "private"."take_solution"(uuid, uuid) IS 'Accepts a solution of the caller''s own problem, and pays its author the bounty. If the caller wrote the solution, the bounty goes back. Never: writes_exceeded (it is not an edit).';

COMMENT ON FUNCTION "private"."take_turn"(uuid, text) IS 'Makes a subject of a webhook due now, unless an attempt is running. The caller has locked the webhook.';

COMMENT ON FUNCTION "private"."take_unembedded"(text, uuid[]) IS 'For the worker alone: [{id, text, digest}] of the posts that need a vector. Returns null if p_model is no longer the current model.';

COMMENT ON FUNCTION "private"."takes_over"(text, uuid, boolean) IS 'Returns whether staff takes over a hidden thing from a rule or a space by hiding it, too: private.other_hiders.';

COMMENT ON FUNCTION "private"."tally"(app.guild_proposals) IS 'The votes on a proposal that count now or, if it is decided, that counted when it was decided. A quorum is a quarter of the eligible members, rounded up.';

COMMENT ON FUNCTION "private"."ties_to"(uuid) IS 'The relation between the caller and a person: {follows, followedBy, inMyCircle, bondLevel, inTheirCircle, muted}. bondLevel is the highest level of the person in the caller''s circles. Null for the caller.';

COMMENT ON FUNCTION "private"."timed_id"() IS 'An id that contains the time of its creation, so that later ids are greater. It works as a cursor even if its row is deleted.';

COMMENT ON FUNCTION "private"."try_writing"() IS 'For /ready: writes a megabyte of temporary data, and returns the vital tables to which nobody can write because of a lock. Fails if it can''t write, for example because the disk is full.';

COMMENT ON FUNCTION "private"."uncount_calls"(text[]) IS 'Removes a call from the count, for limits that count only failures: every attempt counts until it has succeeded.';

COMMENT ON FUNCTION "private"."unindex_person"(app.users) IS 'Step: removes an erased person from the index.';

COMMENT ON FUNCTION "private"."unpin"(uuid) IS 'Unpins the caller''s post; returns false if it was not pinned.';

COMMENT ON FUNCTION "private"."update_own_bot"(uuid, jsonb) IS 'Changes a bot of the caller, as described at api.update_bot.';

COMMENT ON FUNCTION "private"."use_embedding_model"(text) IS 'For the worker alone, when it starts: stores which model computes vectors from now on, null for none. If the model has changed, the worker then checks all posts again.';

COMMENT ON FUNCTION "private"."use_media_url"(text, text[]) IS 'Returns an address as it is stored. The address of an asset, in any spelling, becomes its public address; the asset must be the caller''s own, committed and of one of these kinds. Any other address must be an http(s) URL of up to 2000 characters at an allowed host. The function sends no request to the host.';

COMMENT ON FUNCTION "private"."username_hash"(text) IS 'The hash under which app.usernames stores a name.';

COMMENT ON FUNCTION "private"."visibility"(uuid, integer, uuid, text, uuid, uuid) IS 'The only rule of visibility. The row has this author and required level; it may be in a space, and it may be a repost. level: the viewer''s audience level to the author (app.audience, 0 for a stranger). is_inside: the row is in no space, or the viewer is a member of the space. is_silenced: the author is banned or erased. is_addressed: is_inside, and the level is high enough. is_visible: is_addressed and not is_silenced, and for a repost the original is visible, too. If p_viewer is null, the viewer is the caller. Runs with the caller''s rights.';

COMMENT ON FUNCTION "private"."visible_among"(uuid[]) IS 'The posts that the caller sees, each once, in the order of their first mention.';

COMMENT ON FUNCTION "private"."visible_documents"(text[], uuid[]) IS 'Returns the ids of the things that the caller may see, according to the view of their type.';

COMMENT ON FUNCTION "private"."vote_on_wiki_proposal"(uuid, integer) IS 'Sets the caller''s vote on an open proposal, or takes it back with 0. When the sum of the votes reaches 3, the proposal is approved; returns false if it was superseded instead.';

COMMENT ON FUNCTION "private"."warn_person"(uuid, text) IS 'Warns a person, who reads the reason at /me/standing. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."was_removed"(text, uuid) IS 'Returns whether staff has hidden or removed a thing.';

COMMENT ON FUNCTION "private"."webhook_body"(private.webhook_deliveries) IS 'The body of a delivery, the same in each attempt: {type, timestamp, sequence, subject, data}; null if the event was deleted.';

COMMENT ON FUNCTION "private"."weigh_shares"(integer, uuid[], numeric[]) IS 'Splits an amount into whole shares by scores; the shares add up to the amount exactly. Each share is rounded down. The rest goes to the people with the largest remainders, one mana each; among equal remainders, to the earlier person. People without a score above 0 get no row.';

COMMENT ON FUNCTION "private"."wiki_proposal_cards"(uuid[]) IS 'Returns the cards of these proposals that the caller can see, in order: {id, interestId, slug, proposerId, proposer, status, baseVersion, summary, body, baseBody (the text on which it is based), netVotes, version, viewer {vote}, createdAt, resolvedAt}.';

COMMENT ON FUNCTION "private"."withdraw_vote"(uuid) IS 'Takes the caller''s vote back from a poll that is not closed, even if they can no longer see its post. Returns false if there was no vote.';

COMMENT ON FUNCTION "private"."withdrawal_target"(uuid) IS 'The post from which the caller takes something back: the post of private.require_original or, if the caller can no longer see the post, p_id itself (for the caller''s own repost, the id of its original). People can take back what is theirs even then. It never fails.';

COMMENT ON FUNCTION "private"."without_phrases"(app.muted_words, uuid[], integer[], integer) IS 'Keeps the posts that contain no muted phrase, and whose quoted post contains none. Phrases are the muted keywords that must be searched for in the text: several words, a symbol, or a word of a script without spaces. When the budget of characters has run out, the function stops, but only before a post of another block.';

COMMENT ON FUNCTION "private"."work_on_webhooks"(json, json, integer) IS 'For the worker alone: records attempts (private.note_webhook_attempt) and takes due deliveries of each active webhook (private.take_webhook_deliveries), as many as are needed for p_at_once running attempts per webhook in this worker. p_busy has the number of attempts that already run, by webhook. Several workers may call it at once.';

COMMENT ON FUNCTION "private"."write_in_space"(uuid) IS 'Passes if the caller is a member of the space and the space is not archived; neither can change until the transaction ends. Always passes without a space.';

COMMENT ON FUNCTION "private"."write_offering"(app.offerings) IS 'Writes the detail of a new offering. The calling function must have written the head with private.add_content. Fails: offering_price, offering_stock, offering_delivery.';

COMMENT ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) IS 'Hides a post or shows it again: {id, hiddenAt}. Repeating it changes nothing and leaves no audit entry, unless staff hides what others have hidden (private.takes_over); a deleted post is unknown. Its callers check the right to do so.';

COMMENT ON FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) IS 'Does the same as private.write_post_hidden, for a reply.';

COMMENT ON FUNCTION "private"."write_reputation"(private.reputation_change[]) IS 'Writes these entries with their roll-ups, in order, without checking for existing entries. A change of 0 writes nothing. Call private.lock_effects first.';

COMMENT ON FUNCTION "private"."yield_turn"(regclass, name, uuid, text, text, name) IS 'This function is for jobs that take, at every call, the row that has been due the longest. After a job has taken a row of a person, this function delays the person''s other due rows: the next 100 keep their turn, and the 500 after them are postponed by up to 50 s, one every 100 ms. Therefore, a person with thousands of due rows delays others only briefly. p_person names the column with the person, p_waits is the condition for waiting rows, and p_due is the time at which a row is due: an expression of p_again, indexed after the person.';

COMMENT ON INDEX "app"."notifications_updated_at_idx" IS 'private.list_changed reads the changes in a person''s inbox by this index, and digests read all changes.';

COMMENT ON INDEX "app"."posts_by_author_idx" IS 'Used by api.list_all_posts for the posts of an author.';

COMMENT ON INDEX "app"."posts_created_at_idx" IS 'Used by api.list_all_posts without a filter.';

COMMENT ON INDEX "app"."posts_depth_idx" IS 'private.filtered_posts: the feed of some depths. It leaves out posts without a depth, because most posts have none.';

COMMENT ON INDEX "app"."posts_format_idx" IS 'private.filtered_posts: the feed of a format. It leaves out notes, because most posts are notes, and these have no such feed.';

COMMENT ON INDEX "app"."posts_hidden_idx" IS 'Used by api.list_all_posts for the posts that staff hid, and by api.get_metrics, which counts them.';

COMMENT ON INDEX "app"."posts_interest_id_idx" IS 'Used by the foreign key when an interest is deleted.';

COMMENT ON INDEX "app"."posts_persona_id_idx" IS 'Used by the foreign key in api.delete_persona.';

COMMENT ON INDEX "app"."posts_scheduled_idx" IS 'The scheduled posts, by the time when they are due: private.job_publish_scheduled.';

COMMENT ON INDEX "app"."posts_space_id_idx" IS 'The posts that every member of a space sees: private.find_space_posts, which then need not scan deleted or hidden posts. The foreign key also uses the index.';

COMMENT ON INDEX "app"."users_banned_until_idx" IS 'Used by private.job_end_suspensions.';

COMMENT ON POLICY "insert_own" ON "app"."circles" IS 'People create their own circles.';

COMMENT ON POLICY "select_own" ON "app"."connection_intents" IS 'People read their own intent. Others see active intents through definer functions.';

COMMENT ON POLICY "select_audience" ON "app"."contents" IS 'Everybody sees a content, unless its author is banned or erased, has blocked them, or is blocked by them (private.visibility). Only its author sees a content while it is removed or a draft. Only members see what is in a space. The policies of each kind use this policy.';

COMMENT ON POLICY "select_with_content" ON "app"."debate_arguments" IS 'Everybody who sees the debate sees its arguments. Exceptions are arguments by banned or erased people, and arguments by people whom the viewer blocked or who blocked the viewer. Only its author sees an argument that staff removed. A deleted argument that was answered remains as a tombstone.';

COMMENT ON POLICY "update_own" ON "app"."muted_keywords" IS 'People mute a keyword again to change the end of the mute.';

COMMENT ON POLICY "select_party" ON "app"."orders" IS 'The buyer and the seller see their order, even if one has blocked the other, because it moves mana between them. Definer functions write orders.';

COMMENT ON POLICY "insert_own" ON "app"."personas" IS 'People create their own personas.';

COMMENT ON POLICY "delete_author" ON "app"."post_interests" IS 'Only the author removes interests. Nobody removes the primary interest: a trigger changes it when the post changes.';

COMMENT ON POLICY "select_audience" ON "app"."posts" IS 'Viewers see a post if they have its required level, and its author is neither banned nor erased. Only members see a post in a space. Viewers see a repost only if they may see its original. The rule is private.visibility. The policies of the tables that belong to posts use this policy.';

COMMENT ON POLICY "select_with_content" ON "app"."problem_solutions" IS 'Everybody who sees the problem sees its solutions. Exceptions are deleted solutions, solutions by banned or erased people, and solutions by people whom the viewer blocked or who blocked the viewer. Only its author sees a solution that staff removed.';

COMMENT ON POLICY "select_with_post" ON "app"."replies" IS 'Everyone who sees the post sees its replies. Exceptions are replies by banned or erased people, and replies by people whom the viewer blocked or who blocked the viewer.';

COMMENT ON POLICY "insert_own" ON "app"."video_comments" IS 'People comment on videos in their own name, and only on videos that they see and that are not removed.';

COMMENT ON POLICY "select_with_content" ON "app"."video_comments" IS 'Everybody who sees the video sees its comments. Exceptions are comments that were taken back, comments by banned or erased people, and comments by people whom the viewer blocked or who blocked the viewer.';

COMMENT ON POLICY "insert_own" ON "app"."video_likes" IS 'People like videos in their own name, and only videos that they see and that are not removed.';

COMMENT ON POLICY "insert_own" ON "app"."video_reposts" IS 'People repost videos in their own name, and only videos that they see and that are not removed.';

COMMENT ON POLICY "select_visible" ON "app"."wiki_proposals" IS 'Everybody sees proposals, except those by banned or erased people, and those by people whom the viewer blocked or who blocked the viewer.';

COMMENT ON POLICY "select_all" ON "app"."wiki_versions" IS 'Everybody may read approved text.';

COMMENT ON POLICY "select_audience" ON "realtime"."messages" IS 'Only the people for whom a channel is meant may listen to it (private.realtime_topics). Only the database sends, so there is no policy for insert.';

COMMENT ON PROCEDURE "private"."force_index_scans"(regproc) IS 'For migrations: from then on, whatever the planner expects, the function reads its rows in the order of an index or by id, and stops when it has enough. Its query is planned once per session.';

COMMENT ON PROCEDURE "private"."make_append_only"(regclass) IS 'For migrations: makes a table append-only. From then on nobody can change or delete its rows (append_only).';

COMMENT ON PROCEDURE "private"."make_batch_queue"(text, text) IS 'For migrations: registers a queue in private.batch_queues and creates it with its retries, so that jobs can be added before the first worker starts.';

COMMENT ON PROCEDURE "private"."make_nulls_raise_codes"(regclass) IS 'For migrations: from then on, a null in a required column raises value_invalid. Use it for tables into which only definer functions write values from the caller, because the error of Postgres itself would show the row to callers of `.rpc()`. Tables that people write under row-level security do not need it, because there Postgres does not show the row.';

COMMENT ON TABLE "app"."ai_turns" IS 'The questions of a session in order, each with its answer (null until it is given). family is the question''s family in the script; it is null for a question from the model. fallback says whether a question of the script replaced one from the model.';

COMMENT ON TABLE "app"."apps" IS 'Registered apps. The id is the client_id of OAuth. A deleted app keeps its row for two days. On the first day, the worker ends the remaining consents of the app. Later it deletes the consents in batches, and finally the app.';

COMMENT ON TABLE "app"."audio" IS 'The columns of an audio recording that its head in app.contents does not have.';

COMMENT ON TABLE "app"."blocks" IS 'The blocks between people. A block in either direction hides both people from each other.';

COMMENT ON TABLE "app"."bookmarks" IS 'The posts that people bookmarked. Others see only a count.';

COMMENT ON TABLE "app"."broadcasts" IS 'Messages of admins to everybody. The instance is the sender, so the messages remain when the admin is erased.';

COMMENT ON TABLE "app"."case_proposals" IS 'Actions that a moderator proposes in a case because only an admin may take them, at most one open proposal in each case. The person concerned will read the reason; their erasure empties it.';

COMMENT ON TABLE "app"."case_reports" IS 'The reports of a case. Reports that were settled before the instance had cases have no case.';

COMMENT ON TABLE "app"."cases" IS 'What staff has to decide. A thing has at most one open case. If it is reported again after its case was closed, it gets a new case.';

COMMENT ON TABLE "app"."circle_members" IS 'The members of circles. owner_id repeats the circle''s owner, so that policies and the audience need no join.';

COMMENT ON TABLE "app"."connection_intents" IS 'What a person looks for, one intent per person. Nobody finds a person by an intent that is not active.';

COMMENT ON TABLE "app"."contribution_entries" IS 'The ledger. It has only ids and numbers, and rows never change. To undo an entry, an opposite entry is added.';

COMMENT ON TABLE "app"."conversation_members" IS 'The members of conversations. A person who leaves has no row.';

COMMENT ON TABLE "app"."conversation_spans" IS 'The messages of a conversation that each person may read, by number: from the first after they joined to the last before they left. Each membership has a span; the last span is open while the person is a member.';

COMMENT ON TABLE "app"."daily_figures" IS 'The figures of each day, in UTC.';

COMMENT ON TABLE "app"."debate_arguments" IS 'Arguments. A deleted argument keeps its row and, if it was answered, its place in lists. Ids follow the order of time.';

COMMENT ON TABLE "app"."event_rsvps" IS 'The replies of people to events. host_id and space_id are copies from the event and never change. With them, the triggers of a block and of leaving a space find the replies that they delete.';

COMMENT ON TABLE "app"."event_seats" IS 'The number of people who replied to an event, including those whom a viewer cannot see. Seats are given and freed only under the lock of this row.';

COMMENT ON TABLE "app"."follows" IS 'The follows of people, one row per direction.';

COMMENT ON TABLE "app"."guild_charters" IS 'Every charter that a guild has had. Version 1 is the charter with which the guild was created; the latest one is in force.';

COMMENT ON TABLE "app"."guild_votes" IS 'Votes on proposals. Members who leave a guild lose their votes on open proposals. The counts of decided proposals are stored in app.guild_proposals.';

COMMENT ON TABLE "app"."guilds" IS 'The columns of a guild that its space does not have. The treasury of a guild is the mana account with the id of the guild.';

COMMENT ON TABLE "app"."interests" IS 'The catalog, which staff maintain. The parent of an interest is always one level up, because the foreign key also checks the level.';

COMMENT ON TABLE "app"."mana_accounts" IS 'The accounts that hold mana, of the kinds in private.mana_account_kinds. Two accounts are the system''s. The mint is the source of all mana, so its balance is zero or less. The account burn receives the mana that nobody gets. A wallet''s account has the id of its person.';

COMMENT ON TABLE "app"."mana_entries" IS 'The mana that a movement adds to an account or takes from it. The entries of a movement add up to zero.';

COMMENT ON TABLE "app"."message_reactions" IS 'The emoji with which people reacted to messages. Members of the conversation see only counts of the people whom they see.';

COMMENT ON TABLE "app"."messages" IS 'Messages. A deleted message remains as a tombstone without words. The body of a system message says what happened: joined, left, removed, owner, or title followed by a space and the new title. Its sender is the person to whom this happened or who did it. The body of a message that has only an asset is empty.';

COMMENT ON TABLE "app"."muted_keywords" IS 'Keywords that a person''s feed leaves out, permanently or until a time. id contains the time of creation, so that it is also the place in the list.';

COMMENT ON TABLE "app"."mutes" IS 'The mutes of people. The muter''s feed leaves out the muted person''s posts, and the muter gets no notifications that the muted person causes.';

COMMENT ON TABLE "app"."notification_actors" IS 'The actors of a notification: everybody who caused it, each once. All are stored, so that another actor can be shown if one becomes hidden.';

COMMENT ON TABLE "app"."notification_settings" IS 'The times of people''s digests. Everybody has a row until their erasure.';

COMMENT ON TABLE "app"."notifications" IS 'A person''s notifications. Clients get target and payload unchanged, so these have ids of posts, circles, payments and the like, and never the internal id of a person. created_at is the time of the event: of the first item in a roll-up, of the latest item in a kind that replaces the unread notification.';

COMMENT ON TABLE "app"."offering_reviews" IS 'The reviews that buyers wrote about their orders. When an offering is deleted, its reviews remain with their orders.';

COMMENT ON TABLE "app"."payments" IS 'Emoji payments, append-only. A payment has the id of its movement. receiver_id is the author of the post or reply, or the person who was paid directly; app.payment_splits says who got how much. A reversal is a separate row with the same values and splits; its movement gives the mana back to the sender.';

COMMENT ON TABLE "app"."poll_votes" IS 'The votes of people, one per person and poll. Others see only the totals.';

COMMENT ON TABLE "app"."polls" IS 'The poll of a post. It accepts votes until closes_at, or forever if closes_at is null.';

COMMENT ON TABLE "app"."post_mutes" IS 'The posts that people muted. A person''s feed leaves out muted posts and their reposts, and these cause the person no notifications.';

COMMENT ON TABLE "app"."post_versions" IS 'The text of a post before each edit of its words, oldest first; created_at is the time of that edit.';

COMMENT ON TABLE "app"."posts" IS 'What people publish. Deleted, hidden and scheduled posts also have rows.';

COMMENT ON TABLE "app"."problem_solutions" IS 'Solutions. A deleted solution keeps its row. Ids follow the order of time.';

COMMENT ON TABLE "app"."project_applications" IS 'The applications of people for roles. A settled application never changes again.';

COMMENT ON TABLE "app"."project_members" IS 'The people who hold roles. The author of a project is a member but has no row.';

COMMENT ON TABLE "app"."project_roles" IS 'The roles that a project wants to fill. A function that gives or takes a role locks the role''s row first, so that only one call at a time changes it.';

COMMENT ON TABLE "app"."reputation_entries" IS 'The ledger. It has only ids and numbers, and rows never change. To undo an entry, an opposite entry is added.';

COMMENT ON TABLE "app"."reputation_votes" IS 'The votes, one row per voter, person and interest, which is changed in place. A vote with value 0 was taken back. The ledger has the effects of votes.';

COMMENT ON TABLE "app"."rule_hits" IS 'The things that rules have hit, one row for each rule and thing. rule_id has no foreign key, because a rule can have more hits than one transaction should delete. A retention job deletes them.';

COMMENT ON TABLE "app"."space_members" IS 'The members of spaces. A space that is not archived has exactly one owner.';

COMMENT ON TABLE "app"."treasury_entries" IS 'The movements into a treasury and out of it, one row per person, append-only. The rows of a movement add up to its entry in the account of the guild.';

COMMENT ON TABLE "app"."treasury_notes" IS 'The notes of people about movements. They have their own table, so that an erasure deletes them without changing the ledger.';

COMMENT ON TABLE "app"."user_interests" IS 'The interests that people chose. depth and expertise go from 1 (Curious) to 5. created_at also gives the order of interests that were chosen in one bulk choice.';

COMMENT ON TABLE "app"."video_counters" IS 'The counts of a video, in a separate table so that counting doesn''t rewrite the video. Triggers maintain them.';

COMMENT ON TABLE "app"."video_likes" IS 'The likes of people. Others see only a count.';

COMMENT ON TABLE "app"."video_reposts" IS 'The reposts of people. Others see only a count.';

COMMENT ON TABLE "app"."videos" IS 'The columns of a video that its head in app.contents does not have.';

COMMENT ON TABLE "app"."wiki_versions" IS 'Every version of every entry; rows are only added. The entry is the latest version. The text remains when its author is banned or erased, and then has no author.';

COMMENT ON TABLE "private"."account_steps" IS 'Registry: the functions that each feature runs in the transaction of a ban, the end of a ban or an erasure.';

COMMENT ON TABLE "private"."ai_questions" IS 'The script. cues is a pattern of words; a family comes first if the last answer contains one of these words. plain is the question. quoting is the same question, for a last answer with a word that the question can quote. {topic} and {word} are placeholders.';

COMMENT ON TABLE "private"."ai_usage" IS 'The number of the model''s tokens that a person has spent on a day (UTC), including tokens reserved for running calls.';

COMMENT ON TABLE "private"."audit_checkpoints" IS 'Signed checkpoints. Each covers up to 10,000 entries of the audit log that follow the entries of the previous checkpoint.';

COMMENT ON TABLE "private"."audit_head" IS 'The number of entries and the hash of the last one, in one row that exists from the first entry on. Without this row nobody could notice that the last entry was deleted.';

COMMENT ON TABLE "private"."batch_queues" IS 'Registry: queues for work that exceeds the transaction that causes it. private.make_batch_queue adds a row.';

COMMENT ON TABLE "private"."case_categories" IS 'Registry: the categories of reports and cases, each of which has one. Operators may add rows and change the numbers.';

COMMENT ON TABLE "private"."case_handlers" IS 'Registry: how an action changes a thing of a type. Actions of the type `user` change the person who is responsible for a thing.';

COMMENT ON TABLE "private"."case_transitions" IS 'Registry: the actions that staff may take in each state of a case, and the state after each action.';

COMMENT ON TABLE "private"."changes" IS 'The latest change of each thing. A thing has a row for each level, so that an edit that few people see reveals nothing to people who could see the thing only earlier.';

COMMENT ON TABLE "private"."content_child_tables" IS 'Registry: tables of what people leave within contents. Their column author_hidden says whether the author is banned or erased. person and key are the columns that identify a person''s rows; an index covers both. An erasure empties the column words. If words is null, an erasure deletes the rows, unless stays is true; then the feature erases them itself.';

COMMENT ON TABLE "private"."content_kinds" IS 'Registry: the kinds of contents. relation is the kind''s detail table, whose key is the head''s id. details is a view (id, detail) of what a card shows for this kind only. eraser(uuid[]) empties the texts of these contents when their author is erased. test/model/contents.test.ts checks that each kind is complete.';

COMMENT ON TABLE "private"."content_places" IS 'The places of contents in lists that are not ordered by time of publication. The functions of each kind write them with private.place_content.';

COMMENT ON TABLE "private"."credentials" IS 'Password hashes (argon2id). The other columns have the iat of the person''s last token, and the exp of all tokens that were issued with this iat. They ensure that no two tokens of a person have the same iat and exp.';

COMMENT ON TABLE "private"."cursor_keys" IS 'The key that encrypts cursors and the key that signs them, in one row that is created with the schema.';

COMMENT ON TABLE "private"."decision_kinds" IS 'Registry: the audit entries about a person (action = <type>.<verb>) that are decisions, or that end decisions.';

COMMENT ON TABLE "private"."deleted_series_items" IS 'The places of deleted posts in their series, so that a cursor at such a post stays valid; position is that of the item after the post. A series keeps its 200 latest deleted posts, because every change of its items updates all these rows.';

COMMENT ON TABLE "private"."effects" IS 'Effects that are not applied yet, one row per event and person. A row is deleted only when it is applied. There is no foreign key, because it would lock each person who is notified.';

COMMENT ON TABLE "private"."email_verifications" IS 'Links that verify an address, with the SHA-256 of the mailed token. A link with `replaces` changes the person''s address to `email`.';

COMMENT ON TABLE "private"."embedding_walk" IS 'The progress of private.job_embed_missing since the model changed, in one row. The job checks posts in order of id.';

COMMENT ON TABLE "private"."emoji" IS 'The emoji that reactions can contain: those of Unicode, which sql/messaging/25_emoji.sql inserts. bare is the emoji without its variation selectors, because many keyboards omit them.';

COMMENT ON TABLE "private"."import_rows" IS 'The rows of a dossier that are not imported yet. The transaction that imports a row deletes it, so that the import continues with the next row if a worker was killed.';

COMMENT ON TABLE "private"."imported" IS 'The things that a person has imported, by their keys in the instance of the dossier, so that a second import changes nothing.';

COMMENT ON TABLE "private"."intent_interests" IS 'The people with an active intent, by the interests that they chose. People who have waited longest come first. Triggers maintain it.';

COMMENT ON TABLE "private"."job_runs" IS 'For /metrics, one row per job: how often the job ran and failed in all workers, and how many rows it changed.';

COMMENT ON TABLE "private"."jwt_fingerprint" IS 'An HMAC made with JWT_SECRET, in one row that is written at boot. A facade or a worker whose secret results in another fingerprint is rejected.';

COMMENT ON TABLE "private"."ledger_findings" IS 'The violations that the latest nightly audit of each ledger found, up to 100, so that staff sees more than a number.';

COMMENT ON TABLE "private"."lock_ranks" IS 'The order of locks. A transaction takes the locks of a lower rank first.';

COMMENT ON TABLE "private"."login_secret" IS 'The secret from which facades and workers derive the passwords of their login roles, in one row that is written at boot.';

COMMENT ON TABLE "private"."media_kinds" IS 'The kinds of media that may be uploaded, each with its content types and its maximum size. Browsers execute none of these types. The function `media` recognizes each type by its first bytes.';

COMMENT ON TABLE "private"."media_usage" IS 'The number of bytes of a person''s committed assets: a sum over app.media_assets, which triggers maintain.';

COMMENT ON TABLE "private"."name_trigrams" IS 'The sequences of three letters in the names of each person, so that a search finds people even if a letter is wrong. Triggers and steps maintain it.';

COMMENT ON TABLE "private"."oidc_logins" IS 'Logins from which the provider has sent the browser back, by their id, so that each can be completed only once. code_hash is the SHA-256 of the one-time code.';

COMMENT ON TABLE "private"."operation_scopes" IS 'Registry: the scopes of each operation. A token with scopes needs one of them, and may not call an operation without a row.';

COMMENT ON TABLE "private"."operations_of_people" IS 'Registry: the operations that bots may not call. They are those by which people judge, stand for election, own or move mana, and invite.';

COMMENT ON TABLE "private"."order_transitions" IS 'Every step of an order. In this state this actor may take this action, and the order is then in the next state. A state without steps is final, and every step to a final state settles the hold.';

COMMENT ON TABLE "private"."other_hiders" IS 'Registry: queries that return whether a hidden thing (type $1, id $2) was hidden by somebody other than staff. If staff then hides it, too, that is a decision of staff, although the thing does not change.';

COMMENT ON TABLE "private"."outbound_events" IS 'Registry: the domain events that are written into the event log and sent to webhooks. It contains only public events, so it leaves out messages and invitations into circles.';

COMMENT ON TABLE "private"."passkey_challenges" IS 'SHA-256 of the challenges that wait for the signature of a passkey. Each can be used once, within five minutes. A new challenge takes a random slot and replaces the challenge in it, so that strangers can''t fill the table.';

COMMENT ON TABLE "private"."password_resets" IS 'Requests for a new password, with the SHA-256 of the mailed token. user_id is null if nobody has the address. Such a request is stored and queued like any other, so that the sender can''t find out whether anybody has the address.';

COMMENT ON TABLE "private"."post_embeddings" IS 'The vector of each post, with the model that computed it. Vectors of two models are never compared. A repost uses the vector of its original.';

COMMENT ON TABLE "private"."proofs" IS 'Fresh proofs: when the user of a session last proved their identity. The key is the access token (iat, exp) of that request.';

COMMENT ON TABLE "private"."pushes" IS 'The pushes of notifications to devices, one for each round (app.notifications.round).';

COMMENT ON TABLE "private"."rates" IS 'The number of calls that a client made in the current window of a limit; the key names limit, window and client. The table is unlogged: after a crash of the database all windows start again.';

COMMENT ON TABLE "private"."recovery_codes" IS 'SHA-256 of recovery codes. Each code can be used once instead of a code of the app. It has 80 random bits, so a fast hash is enough.';

COMMENT ON TABLE "private"."removed_bookmarks" IS 'The positions of removed bookmarks, kept for a day, so that a cursor at a removed bookmark stays valid. The ids have no foreign keys, because nothing depends on them.';

COMMENT ON TABLE "private"."removed_follows" IS 'The positions of removed follows in lists, kept for a day, so that a cursor at a removed follow stays valid. The ids have no foreign keys, because nothing depends on them.';

COMMENT ON TABLE "private"."revoked_tokens" IS 'The denylist, keyed by a token''s (sub, iat, exp) in unix seconds, because PostgREST and Realtime see only claims. It also contains the tokens with scopes, which have only some of the rights of their holder.';

COMMENT ON TABLE "private"."staff_metrics" IS 'The latest counts, in one row, which all staff and facades share.';

COMMENT ON TABLE "private"."stuck_effects" IS 'The first effect of each person that could not be applied, which only a bug can cause. Later effects of that person wait for it; those of other people do not.';

COMMENT ON TABLE "private"."verified_backups" IS 'The last verified backup, for /metrics. The table is empty before the first one.';

COMMENT ON TABLE "private"."webhook_deliveries" IS 'The deliveries to webhooks, one for each event of the log and each webhook with this event, and deliveries of tests.';

COMMENT ON TABLE "private"."webhook_turns" IS 'One row for each webhook and subject with pending deliveries. The worker sends the first of these deliveries when the row is due, and the others wait. Rows are written only under the lock of the webhook.';

COMMENT ON TABLE "private"."webhooks" IS 'The addresses to which events are sent, at most 20. The secrets are stored unhashed, because the worker signs each request with them.';

COMMENT ON TABLE "private"."write_counts" IS 'The number of writes of a person in their current hour, or of a bot in its current 24 hours. The period begins with the first write. The table is unlogged and has no foreign keys, because every write waits for it. After a crash of the database, all counts start again.';

COMMENT ON TYPE "app"."change" IS 'A thing that changed: its public id, its type in responses, and whether the caller can no longer see it.';

COMMENT ON TYPE "app"."feed_choice" IS 'The filters of the request, the mutes of the caller, the number of index entries and text characters that one request may read, and the time after which posts must have been published, if any.';

COMMENT ON TYPE "app"."feed_page" IS 'ids: the posts, up to one more than a page. parts: the fields score and why of each post. next: the cursor from which the next page continues if the search ended before the page was full. opened: the fingerprints (private.post_fingerprint) of the posts at the front of the block of the page''s last post, if any. size: the number of posts of the page.';

COMMENT ON TYPE "app"."feed_run" IS 'A run of at most 101 posts of a feed, in the feed''s order. times has the time that determines the place of each post. next is the place after which the feed continues, null at its end. looked is the number of index entries that were read.';

COMMENT ON TYPE "app"."feed_sieve" IS 'The posts that were kept; the post at which the budget had run out, null if it was enough; and the remaining budget, in characters.';

COMMENT ON TYPE "app"."found" IS 'The result of one read of a list: up to 51 ids, one more than the largest page has. If the 400 rows that were read did not fill the page, it also has a cursor for the place of the last row, after which the next page continues.';

COMMENT ON TYPE "app"."listing" IS 'The same as app.found, with the cursor of each id. Both are inputs of private.page.';

COMMENT ON TYPE "app"."muted_words" IS 'Keywords in the form that searches use. words: the keywords of one word each, which are matched only against a text''s words. pattern: all other keywords; null if there are none. hint: a query that a text''s words must match before the pattern is tried; null means that the pattern is always tried.';

COMMENT ON TYPE "app"."place" IS 'A place in a list that is ordered by time, then by id. The list may have no row at this place.';

COMMENT ON TYPE "app"."tally" IS 'The votes on a proposal, the number of eligible members, and the number of votes that make a quorum.';

COMMENT ON TYPE "private"."access" IS 'What the rules say about a thing and a person: whether they see it, whether limits on authors keep it in their feeds and searches, whether their mutes leave it out, and whether feeds and searches may show it to them in the end. The last three are null for a thing that feeds and searches never contain.';

COMMENT ON TYPE "private"."access_reason" IS 'A row of private.access_reasons that applies, and the thing on which it depends if it is a different thing.';

COMMENT ON TYPE "private"."case_target" IS 'A thing that a case can be about, and the person who is responsible for it.';

COMMENT ON TYPE "private"."earning" IS 'What a person earns from a cause: a kind of private.ledger_kinds, the cause, the person from whom it is earned (null if nobody else is involved), and the time. Only reputation has an interest.';

COMMENT ON TYPE "private"."import_result" IS 'The result for a row: its id in this instance, and the parts that were left out, [{field, code}], null if nothing was left out.';

COMMENT ON TYPE "private"."judged" IS 'A version of a thing as rules judge it: its texts when it was published or edited, the time of this publication or edit, the words of these texts (private.keyword_words), and the addresses of its media; null or empty without media.';

COMMENT ON TYPE "private"."notice" IS 'A notification to be written: its kind, its actor (null if there is none), its target, and the time of the event. If group_key is null, the kind and the target make up the group. The field sees has the posts that the person must still be able to see.';

COMMENT ON TYPE "private"."reputation_change" IS 'A direct entry to write, with its roll-ups. points are its points, before the points that the same cause gave earlier.';

COMMENT ON TYPE "private"."search_query" IS 'A parsed query. words: up to 4 words that must all occur; in each scope the search reads the list of the rarest. query: the whole query, with phrases. without: words and phrases that must not occur, null for none. ranking: the words by which results are ranked. highlight: the words and phrases that an excerpt highlights. said: the text of the query, for the search of names. interests: results are about one of these; null for any.';

COMMENT ON TYPE "private"."search_run" IS 'The documents that were found, in order: their types, ids, numbers and ranks.';

COMMENT ON TYPE "private"."search_text" IS 'A thing as the index needs it. author is null if the thing has none; scope is null if no search by words finds the thing.';

COMMENT ON VIEW "app"."ai_session_card" IS 'A session as its owner sees it: {id, topic, status, question {position, text}, turns [{position, question, backend, fallback, answer, answeredAt}], createdAt, completedAt}. question is the next one to answer, or null.';

COMMENT ON VIEW "app"."circle_card" IS 'A circle as its owner and members see it: {id, ownerId, owner, kind, name, accent, isOwner, createdAt}. A member does not see the circle while there is a block between the member and the owner.';

COMMENT ON VIEW "app"."circle_member_card" IS 'A membership: {circleId, memberId, member, bondLevel, createdAt}. The view hides it while there is a block between the member and the viewer.';

COMMENT ON VIEW "app"."notification_card" IS 'A notification: {id, kind, groupKey, count, actors, target, path, payload, createdAt, updatedAt, readAt}. Of the first 50 actors, the notification has the first three whom the caller can see.';

COMMENT ON VIEW "app"."person_card" IS 'The form of a person in every public response: {id, actorId, isBot, personId, username, firstName, lastName, profilePicUrl}, as json (card) and as its text (text). actor_id has only the actor id.';

COMMENT ON VIEW "app"."profile_card" IS 'A public profile: the person''s card with {about, country, city, createdAt, owner}. owner is the person who runs a bot; null for people, and if the caller cannot see the owner. It never includes the email address, phone, birthday, role or presence.';

COMMENT ON VIEW "app"."reputation_vote_card" IS 'A vote as its receiver sees it: {id, voterId, voter, interestId, slug, value, comment, impact, createdAt}. The view leaves out votes of hidden voters.';

COMMENT ON VIEW "private"."audience_rebuilt" IS 'The rows that app.audience must contain, computed from circles, blocks and people. This view is the rule; the table is a copy that triggers maintain.';

COMMENT ON VIEW "private"."audio_details" IS 'The fields that only the card of a recording has: {mediaUrl, caption, durationSec}.';

COMMENT ON VIEW "private"."content_heads" IS 'The heads of the contents that the caller may see, with which the card of every kind begins: {id, kind, authorId, author, interestId, interest, title, groupId, guildId, createdAt, editedAt, removedAt}. The view is for definer functions.';

COMMENT ON VIEW "private"."engagement_fields" IS 'The parts of a post''s card that engagement changes. fields has the fields counters and viewer of a JSON object. The view is for definer functions, which must check that the caller sees the post.';

COMMENT ON VIEW "private"."failed_jobs" IS 'For DBAs: jobs whose retries all failed, newest first: {queue, id, data (ids), message, retries, created_at, failed_at, retried_at}. The view has the last 30 days. private.retry_failed retries each job once.';

COMMENT ON VIEW "private"."instance" IS 'INSTANCE_DOMAIN, for queries: (select domain from private.instance). It takes 1 microsecond, while private.domain() takes 6.';

COMMENT ON VIEW "private"."listed_contents" IS 'The contents that the caller may find in searches, and in lists that name neither author nor space: visible contents whose author is not limited for the caller (private.limited_for). The view is for definer functions.';

COMMENT ON VIEW "private"."listed_people" IS 'The people whom searches and suggestions may show to the caller: people whom the caller may see and who are not limited for the caller. The view is for definer functions.';

COMMENT ON VIEW "private"."listed_posts" IS 'The posts that feeds, searches and suggestions may have for the caller: visible posts, without those that private.limited_post_for leaves out. The view is for definer functions.';

COMMENT ON VIEW "private"."message_heads" IS 'Messages as the caller sees them: {id, conversationId, sender, kind, body, replyTo, attachment, reactions, createdAt, editedAt, deletedAt}. The view is for definer functions, which must first check that the caller sees the message.';

COMMENT ON VIEW "private"."people_with_page" IS 'The people who have a public page: private.listed_people without people who turned it off. The view is for definer functions.';

COMMENT ON VIEW "private"."post_engagement" IS 'What people leave on posts and may take back: reactions, a bookmark, a repost. The view is for definer functions.';

COMMENT ON VIEW "private"."posts_with_page" IS 'The posts that have a public page: posts of private.listed_posts, except reposts, by people who have a public page. The view is for definer functions.';

COMMENT ON VIEW "private"."posts_with_visibility" IS 'All posts, with two columns of private.visibility: viewer_level, the caller''s audience level to the author, and is_visible, whether the caller may see the post.';

COMMENT ON VIEW "private"."project_details" IS 'The fields that only the card of a project has: {summary, status, roles [{id, name, about, slots, filled}], memberCount (the author and the people who hold a role)}.';

COMMENT ON VIEW "private"."proposal_voters" IS 'Who may vote on an open proposal: members who joined before it opened, except hidden people and the person whom the proposal would expel. It is a view, because each vote counts all members, and there may be thousands.';

COMMENT ON VIEW "private"."reachable_accounts" IS 'The accounts to which digests and links for a new password may be mailed. An address that is not verified within a day of the registration may belong to a stranger. Bots have no address. The view includes addresses with email_bounced_at. These get no digests, but they get requested mail; otherwise their owners could never recover their accounts.';

COMMENT ON VIEW "private"."solution_details" IS 'The details of a solution that staff see: {problemId, body, accepted}.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them. Two columns say whether a report still belongs to a group or guild, and whether it is about the caller.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve the appeal. own says whether the appeal is the caller''s, or about what they wrote with others.';

COMMENT ON VIEW "private"."staff_failed_jobs" IS 'Permanently failed jobs as staff sees them: without their data, and without addresses and tokens.';

COMMENT ON VIEW "private"."staff_invitees" IS 'The people whom a person invited, as staff sees them, with the number of people that they invited (up to 1000) and their strikes.';

COMMENT ON VIEW "private"."staff_media" IS 'Uploads as staff sees them. in_messages says whether the upload, or the video whose poster it is, was sent in a message, or the upload is meant for a message.';

COMMENT ON VIEW "private"."staff_stuck_effects" IS 'The effects that fail, one for each person, as staff sees them. They show only the SQLSTATE of the error, because its message could contain data.';

COMMENT ON VIEW "private"."video_details" IS 'The fields that only the card of a video has: {mediaUrl, thumbnailUrl, caption, durationSec}.';

COMMENT ON VIEW "private"."visible_arguments" IS 'The arguments that the caller may see, in debates that they see. The view is for definer functions, to which policies do not apply.';

COMMENT ON VIEW "private"."visible_contents" IS 'The contents that the caller may see, for definer functions, to which policies do not apply.';

COMMENT ON VIEW "private"."visible_people" IS 'The people whom the caller may see, by the same rule as the policy of app.users. The view is for definer functions, to which policies do not apply.';

COMMENT ON VIEW "private"."visible_posts" IS 'The posts that the caller may see, for definer functions, to which policies do not apply. The view checks a post once, whereas the policy of each table that belongs to posts would check it again.';

COMMENT ON VIEW "private"."visible_replies" IS 'The replies that the caller may see, for definer functions, to which policies do not apply.';

COMMENT ON VIEW "private"."visible_reviews" IS 'The reviews that the caller may see, if the caller sees the offering or is a party of the order. The view leaves out reviews by people who have blocked the caller or whom the caller has blocked, reviews by banned or erased people, and removed reviews of others. The view is for definer functions.';

COMMENT ON VIEW "private"."visible_solutions" IS 'The solutions that the caller may see, of problems that they see. The view is for definer functions, to which policies do not apply.';

COMMENT ON VIEW "private"."visible_spaces" IS 'The groups and guilds that the caller may see, by the same rule as in private.find_space. The view is for definer functions.';

COMMENT ON VIEW "private"."visible_wiki" IS 'The entries of the wiki. They are visible to everybody while its flag is on, and to nobody otherwise, by the same rule as in private.require_wiki. The view is for definer functions.';

COMMENT ON VIEW "private"."written_heads" IS 'The heads of contents, whoever may see them. The view is for kinds whose contents some people may see even if they can''t see the head.';

update private.errors set "text" = 'An app must have 1 to 10 redirect URIs, each of at most 500 characters and without a fragment. Each begins with https:// and a host, or with http:// and localhost, 127.0.0.1 or [::1]. An app without a secret can also use a custom scheme that contains a dot, such as org.example.app:/done.'
where "code"::text = 'app_redirect'
  and "text"::text = 'An app must have 1 to 10 redirect URIs, each of at most 500 characters and without a fragment: https:// with a host, http:// with localhost, 127.0.0.1 or [::1], or, for an app without a secret, a scheme of its own with a dot, such as org.example.app:/done.';

update private.errors set "text" = 'There must be 1 to 5 different actions. Dismiss must be the only action, and at most one action can change the state of the person.'
where "code"::text = 'case_actions'
  and "text"::text = 'There must be 1 to 5 different actions. Dismiss stands alone, and at most one changes the state of the person.';

update private.errors set "text" = 'The case is closed. This is only possible in an open case.'
where "code"::text = 'case_closed'
  and "text"::text = 'The case is closed, and this can be done in an open case only.';

update private.errors set "text" = 'Nobody is responsible for this thing any more.'
where "code"::text = 'case_person'
  and "text"::text = 'Nobody answers for this thing any more.';

update private.errors set "text" = 'Content can be in a group or in a guild. Name only one of them.'
where "code"::text = 'content_space'
  and "text"::text = 'Content belongs to a group or to a guild. Name only one of them.';

update private.errors set "text" = 'This return address is not allowed. OIDC_RETURN lists the allowed addresses.'
where "code"::text = 'oidc_address'
  and "text"::text = 'This return address is not allowed. OIDC_RETURN lists those that are.';

update private.errors set "text" = 'Propose only actions that need an admin, and take the others yourself.'
where "code"::text = 'proposal_actions'
  and "text"::text = 'Propose only what needs an admin. Do the rest yourself.';

update private.errors set "text" = 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, inviting, reporting, moving mana or mentioning people. For a bot the limit is for 24 hours. Try again after the number of seconds in Retry-After.'
where "code"::text = 'writes_exceeded'
  and "text"::text = 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, inviting, reporting, moving mana or mentioning people. For a bot it counts 24 hours. Try again after the number of seconds in Retry-After.';

update private.personal_data set "reason" = 'auditEntriesAboutMe has the bans; notifications tell authors what staff did.'
where "relation"::text = 'app.audit_details' and "person_column"::text = 'subject_id'
  and "reason"::text = 'auditEntriesAboutMe has bans; notices tell authors what staff did.';

update private.personal_data set "reason" = 'The work of staff: it assigns reports to cases.'
where "relation"::text = 'app.case_reports' and "person_column"::text = 'report_id'
  and "reason"::text = 'Which case a report belongs to is the work of staff.';

update private.personal_data set "reason" = 'The work of staff; the section decisions has the outcome.'
where "relation"::text = 'app.cases' and "person_column"::text = 'person_id'
  and "reason"::text = 'The work of staff; what was decided is in the section decisions.';

update private.personal_data set "reason" = 'The work of staff; the section decisions has the outcome.'
where "relation"::text = 'app.cases' and "person_column"::text = 'target_id'
  and "reason"::text = 'The work of staff; what was decided is in the section decisions.';

update private.personal_data set "reason" = 'The section decisions has the appeals, and names the person.'
where "relation"::text = 'app.decision_appeals' and "person_column"::text = 'person_id'
  and "reason"::text = 'The section of the decision has its appeals, and names the person.';

update private.personal_data set "reason" = 'The section decisions has the decision about a person.'
where "relation"::text = 'app.decisions' and "person_column"::text = 'target_id'
  and "reason"::text = 'A decision about a person is in the section decisions.';

update private.personal_data set "reason" = 'The notification belongs to somebody else; the person''s action has its own section.'
where "relation"::text = 'app.notification_actors' and "person_column"::text = 'actor_id'
  and "reason"::text = 'The notification belongs to somebody else; what the person did for it has a section of its own.';

update private.personal_data set "reason" = 'A copy of a reported message; the sender''s export has the message.'
where "relation"::text = 'app.reports' and "person_column"::text = 'copy'
  and "reason"::text = 'A copy of a reported message; the sender''s export has the message itself.';

update private.personal_data set "reason" = 'The entry belongs to somebody else; the person''s action is in reactions, replies and invitedBy.'
where "relation"::text = 'app.reputation_entries' and "person_column"::text = 'earned_from'
  and "reason"::text = 'The entry belongs to somebody else; what the person did for it is in reactions, replies and invitedBy.';

update private.personal_data set "reason" = 'Hints to staff, which are deleted after 90 days. The export has the decisions of staff.'
where "relation"::text = 'app.rule_hits' and "person_column"::text = 'author_id'
  and "reason"::text = 'Hints to staff, which are deleted after 90 days. What staff decides is exported.';

update private.personal_data set "reason" = 'The part of a day''s budget that the person used, kept for 2 days.'
where "relation"::text = 'private.ai_usage' and "person_column"::text = 'user_id'
  and "reason"::text = 'How much of a day''s budget the person used, kept for 2 days.';

update private.personal_data set "reason" = 'Copies data of the sections of contents.'
where "relation"::text = 'private.content_places' and "person_column"::text = 'author_id'
  and "reason"::text = 'A copy of data that the sections of contents have.';

update private.personal_data set "reason" = 'Entries whose shares the inviters have not received yet, kept for a minute or two.'
where "relation"::text = 'private.contribution_inheritance' and "person_column"::text = 'entry_id'
  and "reason"::text = 'Entries whose shares the inviters have not received yet. They are kept for a minute or two.';

update private.personal_data set "reason" = 'The times of mailed digests, for eight days; the notifications have the content.'
where "relation"::text = 'private.digests' and "person_column"::text = 'user_id'
  and "reason"::text = 'That a digest was mailed, for eight days; the notifications have its content.';

update private.personal_data set "reason" = 'The row says only which thing was imported; the thing is in its own section.'
where "relation"::text = 'private.imported' and "person_column"::text = 'user_id'
  and "reason"::text = 'It says only which things were imported; the things themselves are in their own sections.';

update private.personal_data set "reason" = 'The row says only that the person has a factor.'
where "relation"::text = 'private.people_with_factor' and "person_column"::text = 'user_id'
  and "reason"::text = 'It says only that the person has a factor.';

update private.personal_data set "reason" = 'The subjects of pushes within the last hour; deleted after the hour.'
where "relation"::text = 'private.pushed_subjects' and "person_column"::text = 'user_id'
  and "reason"::text = 'What was pushed within the hour; deleted after it.';

update private.personal_data set "reason" = 'The pushes of notifications to devices, for two days; both have sections.'
where "relation"::text = 'private.pushes' and "person_column"::text = 'notification_id'
  and "reason"::text = 'Which device got which notification, for two days; both have sections.';

update private.personal_data set "reason" = 'The row says only that an effect is waiting.'
where "relation"::text = 'private.stuck_effects' and "person_column"::text = 'user_id'
  and "reason"::text = 'Says only that an effect is waiting.';

update private.personal_data set "reason" = 'The number of the person''s writes in the current hour; deleted after this hour.'
where "relation"::text = 'private.write_counts' and "person_column"::text = 'user_id'
  and "reason"::text = 'How often the person wrote in the current hour; deleted after this hour.';

update private.access_reasons set "text" = 'Staff, or the moderators of its space, hid it from everybody but its author.'
where "code"::text = 'hidden' and "effect"::text = 'denies'
  and "text"::text = 'Staff, or those who moderate its space, hid it from everybody but its author.';

update private.access_reasons set "text" = 'Staff, or the moderators of its space, hid it. Its author still sees it.'
where "code"::text = 'hidden' and "effect"::text = 'leaves_out'
  and "text"::text = 'Staff, or those who moderate its space, hid it. Its author still sees it.';

update private.access_reasons set "text" = 'The ban of its author has ended. It becomes visible again within seconds.'
where "code"::text = 'returning' and "effect"::text = 'denies'
  and "text"::text = 'The ban of its author has ended. It comes back within seconds.';

comment on text search dictionary private.search_stem is
  'Reduces English words to their stems. The dictionary has no stop words, because English stop words can be '
  'important words in other languages.';
comment on text search configuration private.search is
  'Splits texts and queries into words. Case, accents and word forms make no difference.';
