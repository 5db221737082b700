-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "app"."circle_card";

DROP VIEW "app"."circle_invitation_card";

DROP VIEW "app"."circle_member_card";

DROP VIEW "app"."invite_card";

DROP VIEW "app"."notification_card";

DROP VIEW "app"."payment_card";

DROP VIEW "app"."profile_card";

DROP VIEW "app"."reply_card";

DROP VIEW "app"."reputation_vote_card";

DROP VIEW "app"."series_card";

DROP VIEW "app"."staff_payment_card";

DROP VIEW "app"."video_comment_card";

DROP VIEW "app"."wiki_version_card";

DROP VIEW "private"."content_heads";

DROP VIEW "private"."message_heads";

DROP VIEW "private"."own_profiles";

DROP VIEW "private"."reachable_accounts";

DROP VIEW "private"."staff_ai_sessions";

DROP VIEW "private"."staff_appeals";

DROP VIEW "private"."staff_audit_log";

DROP VIEW "private"."staff_case_reports";

DROP VIEW "private"."staff_cases";

DROP VIEW "private"."staff_circles";

DROP VIEW "private"."staff_decision_appeals";

DROP VIEW "private"."staff_intents";

DROP VIEW "private"."staff_invite_codes";

DROP VIEW "private"."staff_invitees";

DROP VIEW "private"."staff_media";

DROP VIEW "private"."staff_posts";

DROP VIEW "private"."staff_replies";

DROP VIEW "private"."staff_reports";

DROP VIEW "private"."staff_reputation_entries";

DROP VIEW "private"."staff_reputation_votes";

DROP VIEW "private"."staff_rule_hits";

DROP VIEW "private"."staff_series";

DROP VIEW "private"."staff_spaces";

DROP VIEW "private"."staff_stuck_effects";

DROP VIEW "private"."staff_users";

DROP VIEW "private"."staff_wallets";

DROP VIEW "private"."written_heads";

DROP VIEW "app"."person_card";

ALTER TABLE "app"."post_counters" DROP CONSTRAINT "post_counters_rules";

ALTER TABLE "app"."users" DROP CONSTRAINT "users_rules";

DROP FUNCTION "api"."ban_person"(text, text, timestamp with time zone);

DROP FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric);

DROP FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone);

CREATE TABLE "private"."operations_of_people" ("operation" text NOT NULL, CONSTRAINT "operations_of_people_operation_check" CHECK ((operation ~ '^[a-z_]+$'::text)), CONSTRAINT "operations_of_people_pkey" PRIMARY KEY (operation));

ALTER TABLE "private"."operations_of_people" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."operations_of_people" OWNER TO "postgres";

ALTER TABLE "app"."post_counters" ADD COLUMN "bot_replies" integer NOT NULL DEFAULT 0;

ALTER TABLE "app"."users" ADD COLUMN "bot_owner_id" uuid;

CREATE OR REPLACE FUNCTION api.ban_person(p_id text, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone, p_also_owner boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_whom   uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  perform private.check_until(p_until);
  v_id := private.require_any_person(p_id);
  v_whom := private.find_banned_with(v_id, p_also_owner);
  if v_whom = app.uid() then
    perform private.raise_error('ban_oneself');
  end if;
  v_person := private.lock_account(v_whom);
  if v_person.banned_at is null or v_person.banned_until is distinct from p_until then
    if v_person.role = 'admin' then
      perform private.raise_error('ban_admin');
    end if;
    perform private.set_banned(v_person, true, v_reason, p_until);
  end if;
  return private.staff_account(v_id);
end $function$;

ALTER FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_bot(p_username text, p_first_name text, p_last_name text DEFAULT 'Bot'::text, p_about text DEFAULT NULL::text, p_profile_pic_url text DEFAULT NULL::text, p_invite_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('create_bot', json_build_array(
    p_username, p_first_name, p_last_name, p_about, p_profile_pic_url, p_invite_code));
  v_bot  uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_bot := private.add_own_bot(p_username, p_first_name, p_last_name, p_about, p_profile_pic_url, p_invite_code);
  return private.finish_idempotent('create_bot', private.own_bot_card(v_bot));
end $function$;

ALTER FUNCTION "api"."create_bot"(text, text, text, text, text, text) OWNER TO "postgres";

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
  perform private.issue_access_token(v_bot, 'personal', btrim(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => false);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_bot_token', v_answer);
end $function$;

ALTER FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.delete_bot(p_id text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.erase_own_bot(private.require_own_bot(p_id));
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."delete_bot"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.end_bot_token(p_id text, p_token_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.end_bot_access_token(private.require_own_bot(p_id), p_token_id);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."end_bot_token"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_bot_tokens(p_id text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_bot_access_tokens(private.require_own_bot(p_id));
end $function$;

ALTER FUNCTION "api"."list_bot_tokens"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_bots()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('items', coalesce(
    (select json_agg(private.own_bot_card(b.id) order by b.place)
     from unnest(private.find_own_bots()) with ordinality as b (id, place)), '[]'));
end $function$;

ALTER FUNCTION "api"."list_bots"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.pay(p_emotion text, p_tier integer, p_post_id uuid DEFAULT NULL::uuid, p_reply_id uuid DEFAULT NULL::uuid, p_receiver_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept     json := private.begin_idempotent('pay', json_build_array(
    p_emotion, p_tier, p_post_id, p_reply_id, p_receiver_id));
  v_needed   integer := (private.payment_tier(p_tier)).reputation;
  v_emotion  app.emotion := p_emotion;
  v_post     app.posts;
  v_reply    app.replies;
  v_receiver uuid;
  v_payment  uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.require_flag('emoji-pay');
  if num_nonnulls(p_post_id, p_reply_id, p_receiver_id) <> 1 then
    perform private.raise_error('payment_target');
  elsif v_needed is null then
    perform private.raise_error('tier_unknown');
  end if;
  perform private.require_proof_of_payment(p_tier);

  if p_post_id is not null then
    v_post := private.require_original(p_post_id);
    v_receiver := v_post.author_id;
  elsif p_reply_id is not null then
    v_reply := private.require_reply(p_reply_id);
    v_receiver := v_reply.author_id;
  else
    v_receiver := private.require_person(p_receiver_id);
  end if;
  if v_receiver = private.require_caller() then
    perform private.raise_error('pay_oneself');
  elsif private.is_bot(v_receiver) then
    perform private.raise_error('pay_bot');
  end if;
  perform private.lock_open_post_space(coalesce(v_post.id, v_reply.post_id));
  perform private.require_reputation(v_post.interest_id, v_needed);   -- only a post has an interest

  v_payment := private.pay(v_receiver, v_emotion, p_tier, v_post.id, p_reply_id);
  return private.finish_idempotent('pay', json_build_object(
    'payment', private.payment_cards(array[v_payment]) -> 0,
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
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
  -- one change of roles at a time: if two admins demote each other concurrently, the second is no longer an admin
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

CREATE OR REPLACE FUNCTION api.unban_person(p_id text, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_person := private.lock_account(private.require_any_person(p_id));
  if v_person.banned_at is not null then
    if private.is_owner_banned(v_person) then
      perform private.raise_error('owner_banned');
    end if;
    perform private.set_banned(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $function$;

CREATE OR REPLACE FUNCTION api.update_bot(p_id text, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid := private.require_own_bot(p_id);
begin
  perform private.update_own_bot(v_bot, p_changes);
  return private.own_bot_card(v_bot);
end $function$;

ALTER FUNCTION "api"."update_bot"(text, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.vote_reputation(p_user_id text, p_interest_id uuid, p_value integer, p_comment text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_comment text := nullif(private.require_text(p_comment), '');
  v_user    uuid;
  v_cast    record;
begin
  if p_value is null or p_value not in (-1, 0, 1) then
    perform private.raise_error('vote_value');
  elsif length(v_comment) > 280 then
    perform private.raise_error('vote_comment');
  end if;
  v_user := private.require_person(p_user_id);
  if v_user = private.require_caller() then
    perform private.raise_error('vote_oneself');
  elsif private.is_bot(v_user) then
    perform private.raise_error('vote_bot');
  end if;
  perform private.require_interest(p_interest_id);
  if not exists (select from app.user_interests u where u.user_id = app.uid() and u.interest_id = p_interest_id) then
    perform private.raise_error('interest_not_held');
  end if;

  perform private.count_writes('votes');
  v_cast := private.cast_vote(v_user, p_interest_id, p_value, case when p_value <> 0 then v_comment end);
  return json_build_object(
    'userId', (select actor_id from app.person_card where id = v_user),
    'interestId', (v_cast.vote).interest_id,
    'value', (v_cast.vote).value,
    'comment', (v_cast.vote).comment,
    'weight', v_cast.weight,
    'impact', (v_cast.vote).impact,
    'createdAt', private.utc((v_cast.vote).created_at),
    'updatedAt', private.utc((v_cast.vote).updated_at));
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
  if p_invite_code is not null then
    v_code := private.spend_invite(p_invite_code);   -- locked before the person: ARCHITECTURE.md, Locks
  end if;
  perform private.share_lock_person(v_caller);
  -- so that concurrent calls don't exceed the limit
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
  -- .invalid is reserved (RFC 2606): nothing can be sent there
  insert into app.accounts (user_id, email) values (v_id, 'bot-' || v_id || '@bots.invalid');
  insert into private.credentials (user_id, password_hash) values (v_id, '!bot');
  insert into app.personas (user_id, name, is_default) values (v_id, 'Main', true);
  update app.invite_codes set status = 'used', used_by = v_id, used_at = now() where id = v_code;
  insert into app.invite_tree (invitee_id, inviter_id, code_id) values (v_id, v_caller, v_code);
  return v_id;
end $function$;

ALTER FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_caller()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := private.check_token();
begin
  if v_scopes is not null then
    perform private.require_scope(v_scopes, substring(current_setting('request.path', true) from '^/rpc/(.+)$'));
    perform private.refuse_bots(substring(current_setting('request.path', true) from '^/rpc/(.+)$'));
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.count_replies()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts   uuid[];
  v_authors uuid[];
  v_ones    integer[];
  v_post    uuid;
  v_more    integer;
  v_bots    integer;
begin
  select array_agg(w.post_id), array_agg(w.author_id), array_agg(1) into v_posts, v_authors, v_ones
  from written w where w.required_level = 0;
  if tg_op = 'UPDATE' then
    select v_posts || array_agg(o.post_id), v_authors || array_agg(o.author_id), v_ones || array_agg(-1)
    into v_posts, v_authors, v_ones
    from overwritten o where o.required_level = 0;
  end if;
  -- each post once, because a ban or an erasure may change thousands of replies under the same post
  for v_post, v_more, v_bots in
    select c.post_id, sum(c.one), coalesce(sum(c.one) filter (where u.bot_owner_id is not null), 0)
    from unnest(v_posts, v_authors, v_ones) c (post_id, author_id, one)
    join app.users u on u.id = c.author_id
    group by c.post_id having sum(c.one) <> 0
    order by c.post_id
  loop
    update app.post_counters set replies = replies + v_more, bot_replies = bot_replies + v_bots where post_id = v_post;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_writes(p_kind text, p_many integer DEFAULT 1, p_user uuid DEFAULT NULL::uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user uuid := coalesce(p_user, private.require_caller());
  v_hour interval := case when private.is_bot(v_user) then '24 hours' else '1 hour' end;
  v_most integer;
  v_lock text;
  v_used integer;
  v_ends timestamptz;
begin
  select greatest(1, least(2147483647, floor(l.per_hour * coalesce(s.value::float8, 1))))::integer, l.lock_kind
  into v_most, v_lock
  from private.write_limits l left join app.settings s on s.key = 'rate_limit_scale'
  where l.kind = p_kind;
  if not found then
    raise no_data_found using message = format('nobody has registered writes of the kind %s', p_kind);
  end if;
  perform private.check_lock_order(v_lock, v_user || p_kind);
  insert into private.write_counts as w (user_id, kind, used, ends_at)
  values (v_user, p_kind, p_many, now() + v_hour)
  on conflict (user_id, kind) do update
    set used = case when w.ends_at > now() then w.used + p_many else p_many end,
        ends_at = case when w.ends_at > now() then w.ends_at else excluded.ends_at end
  returning w.used, w.ends_at
  into v_used, v_ends;
  if v_used <= v_most then
    return p_many;
  elsif p_user is null then
    perform private.raise_error('writes_exceeded', json_build_object(
      'Retry-After', ceil(extract(epoch from v_ends - now()))::text,
      'RateLimit-Limit', v_most::text,
      'RateLimit-Remaining', '0',
      'RateLimit-Reset', ceil(extract(epoch from v_ends - now()))::text,
      'RateLimit-Policy', v_most || ';w=' || extract(epoch from v_hour)::integer));
  end if;
  return greatest(0, p_many - (v_used - v_most));
end $function$;

CREATE OR REPLACE FUNCTION private.create_wallet()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into app.mana_accounts (id, kind) values (new.id, 'wallet');
  insert into app.wallets (user_id) values (new.id);
  if new.bot_owner_id is null then
    perform private.move('starter', array[private.mint(), new.id], array[-50, 50]);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.earn_contribution(p_earnings private.earning[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with given as (
    insert into app.contribution_entries (user_id, kind, delta, source_id, created_at)
    select e.user_id, e.kind, private.ledger_points('contribution', e.kind), e.source_id, min(e.caused_at)
    from unnest(p_earnings) with ordinality
           as e (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
    where private.find_active_contribution(e.user_id, e.kind, e.source_id) is null
      and not private.is_bot(e.user_id)
    group by e.user_id, e.kind, e.source_id
    order by min(e.place)
    returning id
  )
  insert into private.contribution_inheritance (entry_id) select id from given;
end $function$;

CREATE OR REPLACE FUNCTION private.earn_reputation(p_earnings private.earning[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.write_reputation(array(
    select (gen_random_uuid(), e.user_id, e.interest_id, e.kind, e.points, 0, e.source_id, e.earned_from,
            e.caused_at)::private.reputation_change
    from (select distinct on (l.user_id, l.kind, l.source_id, l.earned_from)
                 l.*, private.ledger_points('reputation', l.kind) as points
          from unnest(p_earnings) with ordinality
                 as l (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
          where l.interest_id is not null and l.earned_from is distinct from l.user_id
            and not private.is_bot(l.user_id) and not private.is_bot(l.earned_from)
          order by l.user_id, l.kind, l.source_id, l.earned_from, l.place) e
    where e.points <> 0
      and private.find_active_reputation(e.user_id, e.kind, e.source_id, e.earned_from) is null
    order by e.place));
end $function$;

CREATE OR REPLACE FUNCTION private.end_bot_access_token(p_bot uuid, p_token uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform from app.access_tokens t join app.users u on u.id = t.user_id
  where t.id = p_token and t.user_id = p_bot and u.bot_owner_id = private.require_caller();
  if not found then
    perform private.raise_error('access_token_unknown');
  end if;
  perform private.end_access_token(p_token);
end $function$;

ALTER FUNCTION "private"."end_bot_access_token"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.erase_own_bot(p_bot uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_proof();
  perform private.erase_person(id) from app.users where id = p_bot and bot_owner_id = private.require_caller();
end $function$;

ALTER FUNCTION "private"."erase_own_bot"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.erase_person(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid;
begin
  perform private.end_tokens(p_user);   -- runs first, because it locks the credentials before the person
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

CREATE OR REPLACE FUNCTION private.find_banned_with(p_user uuid, p_also_owner boolean)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_owner uuid := (select bot_owner_id from app.users where id = p_user);
begin
  if not coalesce(p_also_owner, false) then
    return p_user;
  elsif v_owner is null then
    perform private.raise_error('owner_unknown');
  end if;
  return v_owner;
end $function$;

ALTER FUNCTION "private"."find_banned_with"(uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_own_bots()
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(select u.id from app.users u
               where u.bot_owner_id = private.require_caller() and u.erased_at is null
               order by u.created_at, u.id);
end $function$;

ALTER FUNCTION "private"."find_own_bots"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_bot(p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.users where id = p_user and bot_owner_id is not null);
end $function$;

ALTER FUNCTION "private"."is_bot"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_owner_banned(p_bot app.users)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.users where id = p_bot.bot_owner_id and banned_at is not null);
end $function$;

ALTER FUNCTION "private"."is_owner_banned"(app.users) OWNER TO "postgres";

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
  -- one person per transaction, because the end of a ban takes locks of many ranks. It locks the credentials too, as
  -- private.lock_account does first, so that it does not wait for a login while it holds the person
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
    return 1;   -- an admin ended it first
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

CREATE OR REPLACE FUNCTION private.list_bot_access_tokens(p_bot uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.page(
    (select json_agg(private.access_token_card(t) order by t.created_at desc, t.id desc)
     from app.access_tokens t join app.users u on u.id = t.user_id
     where t.user_id = p_bot and u.bot_owner_id = private.require_caller() and t.ended_at is null
       and t.expires_at > extract(epoch from now())),
    '{}', 50);
end $function$;

ALTER FUNCTION "private"."list_bot_access_tokens"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.own_bot_card(p_bot uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select private.merge_objects(b.card, json_build_object('bannedAt', private.utc(u.banned_at)))
          from app.bot_card b join app.users u on u.id = b.id
          where b.id = p_bot and b.owner_id = app.uid() and u.erased_at is null);
end $function$;

ALTER FUNCTION "private"."own_bot_card"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.post_counters_rules(reactions integer, replies integer, shares integer, bookmarks integer, views bigint, boost numeric, bot_replies integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (bookmarks >= 0) is false then perform private.raise_check_violation('post_counters_bookmarks_check'); end if;
  if (boost >= (0)::numeric) is false then perform private.raise_check_violation('post_counters_boost_check'); end if;
  if (bot_replies >= 0) is false then perform private.raise_check_violation('post_counters_bot_replies_check'); end if;
  if (reactions >= 0) is false then perform private.raise_check_violation('post_counters_reactions_check'); end if;
  if (replies >= 0) is false then perform private.raise_check_violation('post_counters_replies_check'); end if;
  if (shares >= 0) is false then perform private.raise_check_violation('post_counters_shares_check'); end if;
  if (views >= 0) is false then perform private.raise_check_violation('post_counters_views_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.raise_trending()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- counts only whole doublings, so that the row of the post and its indexes rarely change, not at every heart
  v_engagement integer := new.reactions + new.replies - new.bot_replies + new.shares + new.bookmarks;
  -- log(2, …) takes twenty times as long
  v_boost smallint := length(ltrim((1 + v_engagement)::bit(32)::text, '0')) - 1;
begin
  update app.posts set trending_boost = v_boost where id = new.post_id and trending_boost <> v_boost;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.refuse_bots(p_operation text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from private.operations_of_people where operation = p_operation) and private.is_bot(app.uid()) then
    perform private.raise_error('bot_refused');
  end if;
end $function$;

ALTER FUNCTION "private"."refuse_bots"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_own_bot(p_person text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_bot uuid := private.find_person(p_person);
begin
  if v_bot is null or v_bot <> all (private.find_own_bots()) then
    perform private.raise_error('bot_unknown');
  end if;
  return v_bot;
end $function$;

ALTER FUNCTION "private"."require_own_bot"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_banned(p_person app.users, p_banned boolean, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid;
begin
  perform private.change_account(p_person.id, p_person.role,
                                 case when p_banned then coalesce(p_person.banned_at, now()) end,
                                 case when p_banned then p_until end);
  -- only app.audit_details keeps the reason; it belongs to this person there, so their erasure deletes it
  perform private.audit(
    case when not p_banned then 'user.unbanned' when p_until is null then 'user.banned' else 'user.suspended' end,
    'user', p_person.id::text,
    case when coalesce(p_reason, p_until::text) is not null then
      json_strip_nulls(json_build_object('reason', p_reason, 'until', private.utc(p_until))) end,
    p_person.id);
  for v_bot in
    select u.id from app.users u
    where u.bot_owner_id = p_person.id and u.erased_at is null
      and (p_banned and u.banned_at is null or u.banned_at = p_person.banned_at)
    order by u.id
  loop
    perform private.restart_lock_order();
    perform private.set_banned(private.lock_account(v_bot), p_banned, p_reason, p_until);
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
  -- doesn't lock a wallet that has no whole period to settle
  select * into v_wallet from app.wallets
  where user_id = p_user and last_regen_at <= now() - interval '24 hours'
  for no key update;
  if not found or exists (select from app.users u where u.id = p_user
                               and (u.erased_at is not null or u.bot_owner_id is not null)) then
    return;
  end if;
  v_periods := floor(extract(epoch from now() - v_wallet.last_regen_at) / 86400);
  -- comes before private.move, whose trigger calls this function again: it must then find nothing to settle
  update app.wallets set last_regen_at = last_regen_at + v_periods * interval '24 hours' where user_id = p_user;

  v_mana := least(5 * v_periods, 50 - v_wallet.balance - private.held_of(p_user));
  if v_mana > 0 then
    perform private.move('regeneration', array[private.mint(), p_user], array[-v_mana, v_mana]);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.spend_invite(p_code text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_code app.invite_codes;
begin
  if p_code is null then
    return private.make_own_invite();
  end if;
  perform private.check_lock_order('invite code');
  select * into v_code from app.invite_codes
  where code = upper(btrim(p_code)) and generated_by = app.uid() for update;
  if not found then
    perform private.raise_error('invite_unknown');
  elsif private.invite_status(v_code) <> 'active' then
    perform private.raise_error('invite_dead');
  end if;
  return v_code.id;
end $function$;

ALTER FUNCTION "private"."spend_invite"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.staff_user_details(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'about', u.about,
      'country', u.country,
      'city', u.city,
      'invitedById', t.inviter_id,
      'invitedBy', inviter.card,
      'reputation', a.total_reputation,
      'owner', owner.card,
      'bots', coalesce((select json_agg(p.card order by b.created_at, b.id)
                        from app.users b join app.person_card p on p.id = b.id
                        where b.bot_owner_id = p_user and b.erased_at is null), '[]'),
      'contribution', coalesce((select score from app.contribution_scores where user_id = p_user), 0),
      'balance', coalesce((select balance from app.wallets where user_id = p_user), 0),
      'openReports', (select count(*) from (select from app.reports r
                                            where r.target_type = 'user' and r.target_id = p_user and r.status = 'open'
                                            limit 1000) o))
    from app.users u
    join app.accounts a on a.user_id = u.id
    left join app.invite_tree t on t.invitee_id = u.id
    left join app.person_card inviter on inviter.id = t.inviter_id
    left join app.person_card owner on owner.id = u.bot_owner_id
    where u.id = p_user);
end $function$;

CREATE OR REPLACE FUNCTION private.update_own_bot(p_bot uuid, p_changes jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('person', p_bot::text);
  update app.users set
    username = case when p_changes ? 'username' then lower(btrim(p_changes ->> 'username')) else username end,
    first_name = case when p_changes ? 'firstName' then private.require_name(p_changes ->> 'firstName')
                      else first_name end,
    last_name = case when p_changes ? 'lastName' then private.require_name(p_changes ->> 'lastName')
                     else last_name end,
    about = case when p_changes ? 'about' then nullif(private.require_text(p_changes ->> 'about'), '') else about end,
    profile_pic_url = case when p_changes ? 'profilePicUrl' then private.use_picture(p_changes ->> 'profilePicUrl')
                           else profile_pic_url end
  where id = p_bot and bot_owner_id = private.require_caller() and erased_at is null;
end $function$;

ALTER FUNCTION "private"."update_own_bot"(uuid, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.users_rules(username text, role text, banned_at timestamp with time zone, first_name text, last_name text, country text, city text, about text, profile_pic_url text, banned_until timestamp with time zone, bot_owner_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (length(about) <= 1000) is false then perform private.raise_check_violation('users_about_check'); end if;
  if ((bot_owner_id IS NULL) OR (role = 'user'::text)) is false then perform private.raise_check_violation('users_bot_role'); end if;
  if ((banned_until IS NULL) OR (banned_at IS NOT NULL)) is false then perform private.raise_check_violation('users_check'); end if;
  if ((length(city) >= 1) AND (length(city) <= 120)) is false then perform private.raise_check_violation('users_city_check'); end if;
  if (country ~ '^[A-Z]{2}$'::text) is false then perform private.raise_check_violation('users_country_check'); end if;
  if ((length(first_name) >= 1) AND (length(first_name) <= 80)) is false then perform private.raise_check_violation('users_first_name_check'); end if;
  if ((length(last_name) >= 1) AND (length(last_name) <= 80)) is false then perform private.raise_check_violation('users_last_name_check'); end if;
  if ((profile_pic_url ~* '^https?://'::text) AND (length(profile_pic_url) <= 2000)) is false then perform private.raise_check_violation('users_profile_pic_url_check'); end if;
  if (role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text])) is false then perform private.raise_check_violation('users_role_check'); end if;
  if (username ~ '^[a-z0-9_]{3,30}$'::text) is false then perform private.raise_check_violation('users_username_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) OWNER TO "postgres";

ALTER TABLE "app"."users" ADD CONSTRAINT "users_bot_owner_id_fkey" FOREIGN KEY (bot_owner_id) REFERENCES app.users(id) ON DELETE RESTRICT;

CREATE VIEW "app"."person_card" WITH (security_invoker=true) AS  SELECT u.id,
    (c.text)::json AS card,
    c.text,
    n.actor_id
   FROM ((app.users u
     CROSS JOIN LATERAL ( SELECT private.actor_id(u.username, ( SELECT instance.domain
                   FROM private.instance)) AS actor_id
         OFFSET 0) n)
     CROSS JOIN LATERAL ( SELECT (((((('{"id":"'::text || n.actor_id) || '","actorId":"'::text) || n.actor_id) || '","isBot":'::text) ||
                CASE
                    WHEN (u.bot_owner_id IS NULL) THEN 'false'::text
                    ELSE 'true'::text
                END) || u.card_rest) AS text) c);

CREATE VIEW "app"."bot_card" WITH (security_invoker=true) AS  SELECT u.id,
    u.bot_owner_id AS owner_id,
    u.created_at,
    private.merge_objects(c.card, json_build_object('about', u.about, 'createdAt', private.utc(u.created_at))) AS card
   FROM (app.users u
     JOIN app.person_card c ON ((c.id = u.id)))
  WHERE (u.bot_owner_id IS NOT NULL);

ALTER VIEW "app"."bot_card" OWNER TO "postgres";

CREATE VIEW "app"."circle_card" WITH (security_invoker=true) AS  SELECT c.id,
    c.owner_id,
    c.created_at,
    json_build_object('id', c.id, 'ownerId', o.actor_id, 'owner', o.card, 'kind', c.kind, 'name', c.name, 'accent', c.accent, 'isOwner', (c.owner_id = ( SELECT app.uid() AS uid)), 'createdAt', private.utc(c.created_at)) AS card
   FROM (app.circles c
     JOIN app.person_card o ON ((o.id = c.owner_id)));

ALTER VIEW "app"."circle_card" OWNER TO "postgres";

CREATE VIEW "app"."circle_invitation_card" WITH (security_invoker=true) AS  SELECT i.id,
    i.circle_id,
    i.inviter_id,
    i.invitee_id,
    i.status,
    i.created_at,
    json_build_object('id', i.id, 'circleId', i.circle_id, 'circleName', private.circle_name(i.circle_id), 'inviterId', inviter.actor_id, 'inviter', inviter.card, 'inviteeId', invitee.actor_id, 'invitee', invitee.card, 'bondLevel', i.bond_level, 'status', i.status, 'createdAt', private.utc(i.created_at)) AS card
   FROM ((app.circle_invitations i
     JOIN app.person_card inviter ON ((inviter.id = i.inviter_id)))
     JOIN app.person_card invitee ON ((invitee.id = i.invitee_id)));

ALTER VIEW "app"."circle_invitation_card" OWNER TO "postgres";

CREATE VIEW "app"."circle_member_card" WITH (security_invoker=true) AS  SELECT m.circle_id,
    m.member_id,
    m.created_at,
    json_build_object('circleId', m.circle_id, 'memberId', p.actor_id, 'member', p.card, 'bondLevel', m.bond_level, 'createdAt', private.utc(m.created_at)) AS card
   FROM (app.circle_members m
     JOIN app.person_card p ON ((p.id = m.member_id)));

ALTER VIEW "app"."circle_member_card" OWNER TO "postgres";

CREATE VIEW "app"."invite_card" WITH (security_invoker=true) AS  SELECT id,
    generated_by,
    created_at,
    json_build_object('id', id, 'code', code, 'status', private.invite_status(c.*), 'reservedUntil',
        CASE
            WHEN (private.invite_status(c.*) = 'reserved'::text) THEN private.utc(reserved_until)
            ELSE NULL::text
        END, 'usedBy', ( SELECT p.card
           FROM app.person_card p
          WHERE (p.id = c.used_by)), 'usedAt', private.utc(used_at), 'expiresAt', private.utc(expires_at), 'createdAt', private.utc(created_at)) AS card
   FROM app.invite_codes c;

ALTER VIEW "app"."invite_card" OWNER TO "postgres";

CREATE VIEW "app"."notification_card" WITH (security_invoker=true) AS  SELECT id,
    concat_ws(' '::text, target_type, target_id) AS target,
    json_build_object('id', id, 'kind', kind, 'groupKey', group_key, 'count', count, 'actors', COALESCE(( SELECT json_agg(a.card ORDER BY a.created_at, a.id) AS json_agg
           FROM ( SELECT p.card,
                    a_1.created_at,
                    p.id
                   FROM (( SELECT notification_actors.actor_id,
                            notification_actors.created_at
                           FROM app.notification_actors
                          WHERE (notification_actors.notification_id = n.id)
                          ORDER BY notification_actors.created_at, notification_actors.actor_id
                         LIMIT 50) a_1
                     JOIN app.person_card p ON ((p.id = a_1.actor_id)))
                  ORDER BY a_1.created_at, p.id
                 LIMIT 3) a), '[]'::json), 'target',
        CASE
            WHEN (target_id IS NOT NULL) THEN json_build_object('type', target_type, 'id', target_id)
            ELSE NULL::json
        END, 'path', private.notification_path(kind, count, target_type, target_id, payload), 'payload', payload, 'createdAt', private.utc(created_at), 'updatedAt', private.utc(updated_at), 'readAt', private.utc(read_at)) AS card
   FROM app.notifications n;

ALTER VIEW "app"."notification_card" OWNER TO "postgres";

CREATE VIEW "app"."payment_card" WITH (security_invoker=true) AS  SELECT p.id,
    json_build_object('id', p.id, 'senderId', sender.actor_id, 'sender', sender.card, 'receiverId', receiver.actor_id, 'receiver', receiver.card, 'emotion', p.emotion, 'tier', p.tier, 'amount',
        CASE
            WHEN (p.sender_id = ( SELECT app.uid() AS uid)) THEN p.amount
            ELSE ( SELECT s.amount
               FROM app.payment_splits s
              WHERE ((s.payment_id = p.id) AND (s.receiver_id = ( SELECT app.uid() AS uid))))
        END, 'total', p.amount, 'splits', ( SELECT json_agg(json_build_object('receiverId', r.name, 'amount', r.amount) ORDER BY (r.id <> p.receiver_id), r.id) AS json_agg
           FROM ( SELECT COALESCE(c.id, p.receiver_id) AS id,
                    max(c.actor_id) AS name,
                    sum(s.amount) AS amount
                   FROM (app.payment_splits s
                     LEFT JOIN app.person_card c ON ((c.id = s.receiver_id)))
                  WHERE (s.payment_id = p.id)
                  GROUP BY COALESCE(c.id, p.receiver_id)) r), 'postId', ( SELECT post.id
           FROM app.posts post
          WHERE (post.id = p.post_id)), 'replyId', p.reply_id, 'reversed', p.reversed, 'reversalOf', p.reversal_of, 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.payments p
     LEFT JOIN app.person_card sender ON ((sender.id = p.sender_id)))
     LEFT JOIN app.person_card receiver ON ((receiver.id = p.receiver_id)));

ALTER VIEW "app"."payment_card" OWNER TO "postgres";

ALTER VIEW "app"."person_card" OWNER TO "postgres";

CREATE VIEW "app"."profile_card" WITH (security_invoker=true) AS  SELECT u.id,
    private.merge_objects(c.card, json_build_object('about', u.about, 'country', u.country, 'city', u.city, 'createdAt', private.utc(u.created_at), 'owner', ( SELECT o.card
           FROM app.person_card o
          WHERE (o.id = u.bot_owner_id)))) AS card
   FROM (app.users u
     JOIN app.person_card c ON ((c.id = u.id)));

ALTER VIEW "app"."profile_card" OWNER TO "postgres";

CREATE VIEW "app"."reply_card" WITH (security_invoker=true) AS  SELECT r.id,
    row_to_json(c.*) AS card
   FROM ((private.visible_replies r
     JOIN app.person_card author ON ((author.id = r.author_id)))
     CROSS JOIN LATERAL ( SELECT r.id,
            r.post_id AS "postId",
            ( SELECT parent.id
                   FROM private.visible_replies parent
                  WHERE (parent.id = r.parent_id)) AS "parentId",
            author.actor_id AS "authorId",
            author.card AS author,
            r.kind,
            r.body,
            private.utc(r.hidden_at) AS "hiddenAt",
            private.utc(r.created_at) AS "createdAt") c);

ALTER VIEW "app"."reply_card" OWNER TO "postgres";

CREATE VIEW "app"."reputation_vote_card" WITH (security_invoker=true) AS  SELECT v.id,
    json_build_object('id', v.id, 'voterId', voter.actor_id, 'voter', voter.card, 'interestId', i.id, 'slug', i.slug, 'value', v.value, 'comment', v.comment, 'impact', v.impact, 'createdAt', private.utc(v.created_at)) AS card
   FROM ((app.reputation_votes v
     JOIN app.person_card voter ON ((voter.id = v.voter_id)))
     JOIN app.interests i ON ((i.id = v.interest_id)));

ALTER VIEW "app"."reputation_vote_card" OWNER TO "postgres";

CREATE VIEW "app"."series_card" WITH (security_invoker=true) AS  SELECT s.id,
    s.author_id,
    json_build_object('id', s.id, 'authorId', author.actor_id, 'author', author.card, 'title', s.title, 'description', s.description, 'partCount', ( SELECT count(*) AS count
           FROM app.series_items i
          WHERE (i.series_id = s.id)), 'followed', (( SELECT true
           FROM app.series_follows f
          WHERE ((f.series_id = s.id) AND (f.user_id = ( SELECT app.uid() AS uid)))) IS TRUE), 'createdAt', private.utc(s.created_at)) AS card
   FROM (app.series s
     JOIN app.person_card author ON ((author.id = s.author_id)));

ALTER VIEW "app"."series_card" OWNER TO "postgres";

CREATE VIEW "app"."staff_payment_card" WITH (security_invoker=true) AS  SELECT p.id,
    json_build_object('id', p.id, 'senderId', p.sender_id, 'sender', sender.card, 'receiverId', p.receiver_id, 'receiver', receiver.card, 'emotion', p.emotion, 'tier', p.tier, 'amount', p.amount, 'splits', ( SELECT json_agg(json_build_object('receiverId', s.receiver_id, 'amount', s.amount) ORDER BY (s.receiver_id <> p.receiver_id), s.receiver_id) AS json_agg
           FROM app.payment_splits s
          WHERE (s.payment_id = p.id)), 'postId', p.post_id, 'replyId', p.reply_id, 'reversed', p.reversed, 'reversalOf', p.reversal_of, 'reversedBy', ( SELECT r.id
           FROM app.payments r
          WHERE (r.reversal_of = p.id)), 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.payments p
     JOIN app.person_card sender ON ((sender.id = p.sender_id)))
     JOIN app.person_card receiver ON ((receiver.id = p.receiver_id)));

ALTER VIEW "app"."staff_payment_card" OWNER TO "postgres";

CREATE VIEW "app"."video_comment_card" WITH (security_invoker=true) AS  SELECT c.id,
    json_build_object('id', c.id, 'videoId', c.video_id, 'authorId', author.actor_id, 'author', author.card, 'body', c.body, 'removedAt', private.utc(c.removed_at), 'createdAt', private.utc(c.created_at)) AS card
   FROM (app.video_comments c
     JOIN app.person_card author ON ((author.id = c.author_id)));

ALTER VIEW "app"."video_comment_card" OWNER TO "postgres";

CREATE VIEW "app"."wiki_version_card" WITH (security_invoker=true) AS  SELECT v.id,
    v.interest_id,
    v.version,
    json_build_object('id', v.id, 'version', v.version, 'summary', v.summary, 'authorId', p.actor_id, 'author', p.card, 'createdAt', private.utc(v.created_at)) AS card
   FROM (app.wiki_versions v
     LEFT JOIN app.person_card p ON ((p.id = v.author_id)));

ALTER VIEW "app"."wiki_version_card" OWNER TO "postgres";

CREATE VIEW "private"."message_heads" WITH (security_invoker=true) AS  SELECT m.id,
    json_build_object('id', m.id, 'conversationId', m.conversation_id, 'sender',
        CASE
            WHEN (s.erased_at IS NULL) THEN sender.card
            ELSE NULL::json
        END, 'kind', m.kind, 'body',
        CASE
            WHEN (s.erased_at IS NULL) THEN m.body
            ELSE NULL::text
        END, 'replyTo', ( SELECT json_build_object('id', r.id, 'sender',
                CASE
                    WHEN (rs.erased_at IS NULL) THEN rp.card
                    ELSE NULL::json
                END, 'excerpt',
                CASE
                    WHEN (rs.erased_at IS NULL) THEN "left"(r.body, 140)
                    ELSE NULL::text
                END) AS json_build_object
           FROM ((private.find_message(m.reply_to_id) r(id, conversation_id, number, sender_id, kind, body, client_id, reply_to_id, asset_id, alt, edited_at, deleted_at, changed_at, created_at)
             JOIN app.users rs ON ((rs.id = r.sender_id)))
             JOIN app.person_card rp ON ((rp.id = r.sender_id)))
          WHERE ((m.deleted_at IS NULL) AND (s.erased_at IS NULL))), 'attachment', ( SELECT private.attachment_card(a.*, (m.alt)::text) AS attachment_card
           FROM app.media_assets a
          WHERE ((a.id = m.asset_id) AND (s.erased_at IS NULL))), 'reactions', COALESCE(( SELECT json_agg(json_build_object('emoji', e.emoji, 'count', e.count, 'mine', e.mine) ORDER BY e.first_at, e.emoji) AS json_agg
           FROM ( SELECT x.emoji,
                    count(*) AS count,
                    bool_or((x.user_id = ( SELECT app.uid() AS uid))) AS mine,
                    min(x.created_at) AS first_at
                   FROM (app.message_reactions x
                     JOIN ( SELECT r.user_id
                           FROM ( SELECT DISTINCT message_reactions.user_id
                                   FROM app.message_reactions
                                  WHERE (message_reactions.message_id = m.id)
                                 OFFSET 0) r
                          WHERE private.sees_in((c.kind = 'direct'::text), ( SELECT app.uid() AS uid), r.user_id)) seen ON ((seen.user_id = x.user_id)))
                  WHERE ((x.message_id = m.id) AND (m.deleted_at IS NULL) AND (s.erased_at IS NULL))
                  GROUP BY x.emoji) e), '[]'::json), 'createdAt', private.utc(m.created_at), 'editedAt', private.utc(m.edited_at), 'deletedAt', private.utc(COALESCE(m.deleted_at, s.erased_at))) AS card
   FROM (((app.messages m
     JOIN app.conversations c ON ((c.id = m.conversation_id)))
     JOIN app.users s ON ((s.id = m.sender_id)))
     JOIN app.person_card sender ON ((sender.id = m.sender_id)));

ALTER VIEW "private"."message_heads" OWNER TO "postgres";

CREATE VIEW "private"."own_profiles" WITH (security_invoker=true) AS  SELECT u.id,
    json_build_object('id', u.id, 'actorId', private.actor_id(u.username, ( SELECT instance.domain
           FROM private.instance)), 'personId', u.person_id, 'username', u.username, 'email', a.email, 'emailVerifiedAt', private.utc(a.email_verified_at), 'emailBouncedAt', private.utc(a.email_bounced_at), 'role', u.role, 'isBot', (u.bot_owner_id IS NOT NULL), 'firstName', u.first_name, 'lastName', u.last_name, 'dateOfBirth', a.date_of_birth, 'country', u.country, 'city', u.city, 'phone', a.phone, 'about', u.about, 'profilePicUrl', u.profile_pic_url, 'createdAt', private.utc(u.created_at), 'lastSeenAt', private.utc(a.last_seen_at)) AS card
   FROM (app.users u
     JOIN app.accounts a ON ((a.user_id = u.id)));

ALTER VIEW "private"."own_profiles" OWNER TO "postgres";

CREATE VIEW "private"."reachable_accounts" WITH (security_invoker=true) AS  SELECT a.user_id,
    a.email,
    a.email_bounced_at
   FROM (app.accounts a
     JOIN app.users u ON ((u.id = a.user_id)))
  WHERE ((u.erased_at IS NULL) AND (u.bot_owner_id IS NULL) AND ((a.email_verified_at IS NOT NULL) OR (u.created_at > (now() - '24:00:00'::interval))));

ALTER VIEW "private"."reachable_accounts" OWNER TO "postgres";

CREATE VIEW "private"."staff_ai_sessions" WITH (security_invoker=true) AS  SELECT s.created_at AS at,
    s.id,
    s.user_id,
    private.ai_status(s.*) AS status,
    u.username AS said,
    json_build_object('id', s.id, 'userId', s.user_id, 'user', person.card, 'status', private.ai_status(s.*), 'questionCount', t.questions, 'answerCount', t.answers, 'fallbackCount', t.fallbacks, 'answeredAt', private.utc(s.answered_at), 'completedAt', private.utc(s.completed_at), 'createdAt', private.utc(s.created_at)) AS card
   FROM (((app.ai_sessions s
     JOIN app.users u ON ((u.id = s.user_id)))
     JOIN app.person_card person ON ((person.id = s.user_id)))
     CROSS JOIN LATERAL ( SELECT count(*) AS questions,
            count(t_1.answered_at) AS answers,
            count(*) FILTER (WHERE t_1.fallback) AS fallbacks
           FROM app.ai_turns t_1
          WHERE (t_1.session_id = s.id)) t);

ALTER VIEW "private"."staff_ai_sessions" OWNER TO "postgres";

CREATE VIEW "private"."staff_appeals" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.status,
    a.user_id,
    a.interest_id,
    concat_ws(' '::text, u.username, i.slug, a.text, a.note) AS said,
    json_build_object('id', a.id, 'userId', a.user_id, 'user', person.card, 'interestId', i.id, 'slug', i.slug, 'eventId', a.entry_id, 'text', a.text, 'status', a.status, 'restoreDelta', a.restore_delta, 'note', a.note, 'resolvedAt', private.utc(a.resolved_at), 'createdAt', private.utc(a.created_at)) AS card
   FROM (((app.reputation_appeals a
     JOIN app.users u ON ((u.id = a.user_id)))
     JOIN app.interests i ON ((i.id = a.interest_id)))
     JOIN app.person_card person ON ((person.id = a.user_id)));

ALTER VIEW "private"."staff_appeals" OWNER TO "postgres";

CREATE VIEW "private"."staff_audit_log" WITH (security_invoker=true) AS  SELECT l.id,
    l.action,
    l.actor_id,
    l.target_type,
    l.target_id,
    l.created_at AS at,
    concat_ws(' '::text, l.action, actor.username, l.target_id, d.ip, d.detail) AS said,
    json_build_object('id', l.id, 'action', l.action, 'actorId', l.actor_id, 'actor', person.card, 'targetType', l.target_type, 'targetId', l.target_id, 'ip', d.ip, 'detail', d.detail, 'createdAt', private.utc(l.created_at)) AS card
   FROM (((app.audit_log l
     LEFT JOIN app.audit_details d ON ((d.audit_id = l.id)))
     LEFT JOIN app.users actor ON ((actor.id = l.actor_id)))
     LEFT JOIN app.person_card person ON ((person.id = l.actor_id)));

ALTER VIEW "private"."staff_audit_log" OWNER TO "postgres";

CREATE VIEW "private"."staff_cases" WITH (security_invoker=true) AS  SELECT c.opened_at AS at,
    c.id,
    c.place,
    c.status,
    c.category,
    c.priority,
    c.target_type,
    c.target_id,
    c.person_id,
    c.source,
    concat_ws(' '::text, c.rule, u.username) AS said,
    c.claimed_by,
    (
        CASE
            WHEN (c.claimed_until > now()) THEN c.claimed_by
            ELSE NULL::uuid
        END IS NOT NULL) AS claimed,
    ((c.status = 'open'::text) AND (c.staff_from > now())) AS waiting,
    json_build_object('id', c.id, 'targetType', c.target_type, 'targetId', c.target_id, 'personId', c.person_id, 'person', person.card, 'category', c.category, 'rule', c.rule, 'priority', c.priority, 'source', c.source, 'status', c.status, 'outcome', c.outcome, 'reportCount', c.reports, 'claimedById',
        CASE
            WHEN (c.claimed_until > now()) THEN c.claimed_by
            ELSE NULL::uuid
        END, 'claimedBy',
        CASE
            WHEN (c.claimed_until > now()) THEN claimer.card
            ELSE NULL::json
        END, 'claimedUntil',
        CASE
            WHEN (c.claimed_until > now()) THEN private.utc(c.claimed_until)
            ELSE NULL::text
        END, 'closedById', c.closed_by, 'closedAt', private.utc(c.closed_at), 'spaceId', c.space_id, 'staffFrom', private.utc(c.staff_from), 'updatedAt', private.utc(c.updated_at), 'createdAt', private.utc(c.opened_at)) AS card,
    private.is_own_thing(c.target_type, c.target_id, c.person_id) AS own
   FROM (((app.cases c
     LEFT JOIN app.users u ON ((u.id = c.person_id)))
     LEFT JOIN app.person_card person ON ((person.id = c.person_id)))
     LEFT JOIN app.person_card claimer ON ((claimer.id = c.claimed_by)));

ALTER VIEW "private"."staff_cases" OWNER TO "postgres";

CREATE VIEW "private"."staff_circles" WITH (security_invoker=true) AS  SELECT c.created_at AS at,
    c.id,
    c.kind,
    c.owner_id,
    concat_ws(' '::text, c.name, u.username) AS said,
    json_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'accent', c.accent, 'ownerId', c.owner_id, 'owner', owner.card, 'memberCount', ( SELECT count(*) AS count
           FROM app.circle_members m
          WHERE (m.circle_id = c.id)), 'createdAt', private.utc(c.created_at)) AS card
   FROM ((app.circles c
     JOIN app.users u ON ((u.id = c.owner_id)))
     JOIN app.person_card owner ON ((owner.id = c.owner_id)));

ALTER VIEW "private"."staff_circles" OWNER TO "postgres";

CREATE VIEW "private"."staff_decision_appeals" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.status,
    a.person_id,
    concat_ws(' '::text, u.username, a.text, a.answer) AS said,
    json_build_object('id', a.id, 'personId', a.person_id, 'person', person.card, 'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer, 'mayResolve', ((a.status = 'pending'::text) AND private.may_resolve(d.*)), 'resolvedById', a.resolved_by, 'resolvedAt', private.utc(a.resolved_at), 'createdAt', private.utc(a.created_at), 'decision', private.decision_card(d.*)) AS card,
    (a.person_id = app.uid()) AS own
   FROM (((app.decision_appeals a
     JOIN app.decisions d ON ((d.id = a.decision_id)))
     JOIN app.users u ON ((u.id = a.person_id)))
     JOIN app.person_card person ON ((person.id = a.person_id)));

ALTER VIEW "private"."staff_decision_appeals" OWNER TO "postgres";

CREATE VIEW "private"."staff_intents" WITH (security_invoker=true) AS  SELECT i.created_at AS at,
    i.user_id AS id,
    i.intent,
    i.is_active AS active,
    concat_ws(' '::text, u.username, i.note) AS said,
    json_build_object('id', i.user_id, 'user', person.card, 'intent', i.intent, 'note', i.note, 'isActive', i.is_active, 'createdAt', private.utc(i.created_at), 'updatedAt', private.utc(i.updated_at)) AS card
   FROM ((app.connection_intents i
     JOIN app.users u ON ((u.id = i.user_id)))
     JOIN app.person_card person ON ((person.id = i.user_id)));

ALTER VIEW "private"."staff_intents" OWNER TO "postgres";

CREATE VIEW "private"."staff_invite_codes" WITH (security_invoker=true) AS  SELECT c.created_at AS at,
    c.id,
    private.invite_status(c.*) AS status,
    c.generated_by,
    concat_ws(' '::text, c.code, u.username) AS said,
    json_build_object('id', c.id, 'code', c.code, 'status', private.invite_status(c.*), 'ownerId', c.generated_by, 'owner', owner.card, 'usedById', c.used_by, 'usedBy', redeemer.card, 'usedAt', private.utc(c.used_at), 'expiresAt', private.utc(c.expires_at), 'createdAt', private.utc(c.created_at)) AS card
   FROM (((app.invite_codes c
     JOIN app.users u ON ((u.id = c.generated_by)))
     JOIN app.person_card owner ON ((owner.id = c.generated_by)))
     LEFT JOIN app.person_card redeemer ON ((redeemer.id = c.used_by)));

ALTER VIEW "private"."staff_invite_codes" OWNER TO "postgres";

CREATE VIEW "private"."staff_media" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.kind,
    a.status,
    a.owner_id,
    ((a.kind = 'attachment'::text) OR (EXISTS ( SELECT
           FROM app.messages m
          WHERE (m.asset_id = a.id))) OR (EXISTS ( SELECT
           FROM (app.media_assets v
             JOIN app.messages m ON ((m.asset_id = v.id)))
          WHERE (v.poster_id = a.id)))) AS in_messages,
    concat_ws(' '::text, a.key, a.content_type, u.username) AS said,
    json_build_object('id', a.id, 'ownerId', a.owner_id, 'owner', owner.card, 'kind', a.kind, 'contentType', a.content_type, 'mimeType', a.mime_type, 'size', a.size, 'alt', a.alt, 'width', a.width, 'height', a.height, 'blurhash', a.blurhash, 'posterUrl', private.asset_url((a.poster_id)::text), 'status', a.status, 'url',
        CASE
            WHEN (a.status = 'committed'::text) THEN private.asset_url(a.key)
            ELSE NULL::text
        END, 'committedAt', private.utc(a.committed_at), 'createdAt', private.utc(a.created_at)) AS card
   FROM ((app.media_assets a
     JOIN app.users u ON ((u.id = a.owner_id)))
     JOIN app.person_card owner ON ((owner.id = a.owner_id)));

ALTER VIEW "private"."staff_media" OWNER TO "postgres";

CREATE VIEW "private"."staff_posts" WITH (security_invoker=true) AS  SELECT p.created_at AS at,
    p.id,
    p.author_id,
    p.format,
    p.interest_id,
    p.visibility,
    p.is_journalism AS journalism,
    (p.hidden_at IS NOT NULL) AS hidden,
    concat_ws(' '::text, p.title, "left"(p.body, 5000)) AS said,
    json_build_object('id', p.id, 'authorId', p.author_id, 'author', author.card, 'format', p.format, 'title', p.title, 'body', p.body, 'media', p.media, 'quotedPostId', p.quoted_post_id, 'visibility', p.visibility, 'depth', p.depth, 'interestId', p.interest_id, 'isJournalism', p.is_journalism, 'groupId',
        CASE space.kind
            WHEN 'group'::text THEN space.id
            ELSE NULL::uuid
        END, 'guildId',
        CASE space.kind
            WHEN 'guild'::text THEN space.id
            ELSE NULL::uuid
        END, 'publishAt', private.utc(p.publish_at), 'publishedAt', private.utc(p.published_at), 'editedAt', private.utc(p.edited_at), 'hiddenAt', private.utc(p.hidden_at), 'deletedAt', private.utc(p.deleted_at), 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.posts p
     JOIN app.person_card author ON ((author.id = p.author_id)))
     LEFT JOIN app.spaces space ON ((space.id = p.space_id)));

ALTER VIEW "private"."staff_posts" OWNER TO "postgres";

CREATE VIEW "private"."staff_replies" WITH (security_invoker=true) AS  SELECT r.created_at AS at,
    r.id,
    r.author_id,
    r.post_id,
    r.kind,
    (r.hidden_at IS NOT NULL) AS hidden,
    r.body AS said,
    json_build_object('id', r.id, 'postId', r.post_id, 'parentId', r.parent_id, 'authorId', r.author_id, 'author', author.card, 'kind', r.kind, 'body', r.body, 'hiddenAt', private.utc(r.hidden_at), 'deletedAt', private.utc(r.deleted_at), 'createdAt', private.utc(r.created_at)) AS card
   FROM (app.replies r
     JOIN app.person_card author ON ((author.id = r.author_id)));

ALTER VIEW "private"."staff_replies" OWNER TO "postgres";

CREATE VIEW "private"."staff_reports" WITH (security_invoker=true) AS  SELECT r.created_at AS at,
    r.id,
    r.status,
    r.target_type,
    r.target_id,
    r.reporter_id,
    r.reason AS said,
    json_build_object('id', r.id, 'reporterId', r.reporter_id, 'reporter', reporter.card, 'targetType', r.target_type, 'targetId', r.target_id, 'reason', r.reason, 'category', r.category, 'copy', r.copy, 'status', r.status, 'reviewedById', r.reviewed_by, 'reviewedAt', private.utc(r.reviewed_at), 'createdAt', private.utc(r.created_at)) AS card
   FROM (app.reports r
     JOIN app.person_card reporter ON ((reporter.id = r.reporter_id)));

CREATE VIEW "private"."staff_case_reports" WITH (security_invoker=true) AS  SELECT r.at,
    r.id,
    r.status,
    r.target_type,
    r.target_id,
    r.reporter_id,
    r.said,
    r.card,
    ((r.status = 'open'::text) AND COALESCE(((c.status = 'open'::text) AND (c.staff_from > now())), false)) AS waiting,
    private.is_own_thing(o.target_type, o.target_id, o.author_id) AS own
   FROM (((private.staff_reports r
     JOIN app.reports o ON ((o.id = r.id)))
     LEFT JOIN app.case_reports b ON ((b.report_id = r.id)))
     LEFT JOIN app.cases c ON ((c.id = b.case_id)));

ALTER VIEW "private"."staff_case_reports" OWNER TO "postgres";

ALTER VIEW "private"."staff_reports" OWNER TO "postgres";

CREATE VIEW "private"."staff_reputation_entries" WITH (security_invoker=true) AS  SELECT e.created_at AS at,
    e.id,
    e."position",
    e.user_id,
    e.interest_id,
    e.kind,
    (e.roll_up_level > 0) AS rolled_up,
    concat_ws(' '::text, u.username, i.slug, i.name) AS said,
    json_build_object('id', e.id, 'userId', e.user_id, 'user', person.card, 'interestId', e.interest_id, 'slug', i.slug, 'kind', e.kind, 'delta', e.delta, 'rollUpLevel', e.roll_up_level, 'originId', e.origin_id, 'undoesId', e.undoes_id, 'sourceId', e.source_id, 'earnedFromId', e.earned_from, 'createdAt', private.utc(e.created_at)) AS card
   FROM (((app.reputation_entries e
     JOIN app.users u ON ((u.id = e.user_id)))
     JOIN app.interests i ON ((i.id = e.interest_id)))
     JOIN app.person_card person ON ((person.id = e.user_id)));

ALTER VIEW "private"."staff_reputation_entries" OWNER TO "postgres";

CREATE VIEW "private"."staff_reputation_votes" WITH (security_invoker=true) AS  SELECT v.created_at AS at,
    v.id,
    v.user_id,
    v.voter_id,
    v.interest_id,
    v.value,
    concat_ws(' '::text, voter.username, u.username, v.comment) AS said,
    json_build_object('id', v.id, 'voterId', v.voter_id, 'voter', voter_card.card, 'userId', v.user_id, 'user', person.card, 'interestId', v.interest_id, 'value', v.value, 'comment', v.comment, 'impact', v.impact, 'createdAt', private.utc(v.created_at), 'updatedAt', private.utc(v.updated_at)) AS card
   FROM ((((app.reputation_votes v
     JOIN app.users voter ON ((voter.id = v.voter_id)))
     JOIN app.users u ON ((u.id = v.user_id)))
     JOIN app.person_card voter_card ON ((voter_card.id = v.voter_id)))
     JOIN app.person_card person ON ((person.id = v.user_id)));

ALTER VIEW "private"."staff_reputation_votes" OWNER TO "postgres";

CREATE VIEW "private"."staff_rule_hits" WITH (security_invoker=true) AS  SELECT h.created_at AS at,
    h.id,
    h.rule_id,
    h.mode,
    (h.target_id)::text AS said,
    json_build_object('id', h.id, 'targetType', h.target_type, 'targetId', h.target_id, 'authorId', h.author_id, 'author', author.card, 'mode', h.mode, 'action', h.action, 'caseId', h.case_id, 'createdAt', private.utc(h.created_at)) AS card,
    private.is_own_thing(h.target_type, h.target_id, h.author_id) AS own
   FROM (app.rule_hits h
     JOIN app.person_card author ON ((author.id = h.author_id)));

ALTER VIEW "private"."staff_rule_hits" OWNER TO "postgres";

CREATE VIEW "private"."staff_series" WITH (security_invoker=true) AS  SELECT s.created_at AS at,
    s.id,
    s.author_id,
    concat_ws(' '::text, s.title, s.description) AS said,
    json_build_object('id', s.id, 'authorId', s.author_id, 'author', author.card, 'title', s.title, 'description', s.description, 'partCount', ( SELECT count(*) AS count
           FROM app.series_items i
          WHERE (i.series_id = s.id)), 'createdAt', private.utc(s.created_at)) AS card
   FROM (app.series s
     JOIN app.person_card author ON ((author.id = s.author_id)));

ALTER VIEW "private"."staff_series" OWNER TO "postgres";

CREATE VIEW "private"."staff_spaces" WITH (security_invoker=true) AS  SELECT s.created_at AS at,
    s.id,
    s.kind,
    s.visibility,
        CASE
            WHEN (s.archived_at IS NULL) THEN 'active'::text
            ELSE 'archived'::text
        END AS status,
    concat_ws(' '::text, s.slug, s.name, s.about) AS said,
    private.merge_objects(json_build_object('id', s.id, 'slug', s.slug, 'name', s.name, 'about', s.about, 'interestId', s.interest_id, 'accent', s.accent, 'status',
        CASE
            WHEN (s.archived_at IS NULL) THEN 'active'::text
            ELSE 'archived'::text
        END, 'memberCount', s.member_count, 'archivedAt', private.utc(s.archived_at), 'createdAt', private.utc(s.created_at)),
        CASE
            WHEN (s.kind = 'group'::text) THEN json_build_object('visibility', s.visibility, 'joinPolicy', s.join_policy, 'ownerId', head.id, 'owner', head.card)
            ELSE json_build_object('minRep', g.min_rep, 'treasuryBalance', a.balance, 'founderId', head.id, 'founder', head.card, 'stewardCount', ( SELECT count(*) AS count
               FROM app.space_members m
              WHERE ((m.space_id = s.id) AND (m.role = 'moderator'::text))))
        END) AS card
   FROM ((((app.spaces s
     LEFT JOIN app.space_members owner ON (((owner.space_id = s.id) AND (owner.role = 'owner'::text))))
     LEFT JOIN app.person_card head ON ((head.id = owner.user_id)))
     LEFT JOIN app.guilds g ON ((g.space_id = s.id)))
     LEFT JOIN app.mana_accounts a ON ((a.id = g.space_id)));

ALTER VIEW "private"."staff_spaces" OWNER TO "postgres";

CREATE VIEW "private"."staff_stuck_effects" WITH (security_invoker=true) AS  SELECT s.failed_at AS at,
    s.user_id AS id,
    json_build_object('id', s.user_id, 'personId', s.user_id, 'person', p.card, 'event', s.event, 'eventId', s.event_id, 'listener', s.listener, 'attempts', s.attempts, 'code', "left"(s.message, 5), 'since', private.utc(e.caused_at), 'failedAt', private.utc(s.failed_at), 'retryAt', private.utc(s.retry_at)) AS card
   FROM ((private.stuck_effects s
     JOIN app.person_card p ON ((p.id = s.user_id)))
     LEFT JOIN private.effects e ON (((e.user_id = s.user_id) AND (e.id = s.effect_id))));

ALTER VIEW "private"."staff_stuck_effects" OWNER TO "postgres";

CREATE VIEW "private"."staff_users" WITH (security_invoker=true) AS  SELECT u.created_at AS at,
    u.id,
    u.role,
    (u.banned_at IS NOT NULL) AS banned,
    (u.erased_at IS NOT NULL) AS erased,
    (u.banned_until IS NOT NULL) AS suspended,
    (u.limited_at IS NOT NULL) AS limited,
    concat_ws(' '::text, u.username, u.first_name, u.last_name, a.email) AS said,
    json_build_object('id', u.id, 'user', person.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at), 'suspendedUntil', private.utc(u.banned_until), 'limitedAt', private.utc(u.limited_at), 'erasedAt', private.utc(u.erased_at), 'email', a.email, 'emailVerifiedAt', private.utc(a.email_verified_at), 'lastSeenAt', private.utc(a.last_seen_at), 'createdAt', private.utc(u.created_at)) AS card
   FROM ((app.users u
     LEFT JOIN app.accounts a ON ((a.user_id = u.id)))
     JOIN app.person_card person ON ((person.id = u.id)));

CREATE VIEW "private"."staff_invitees" WITH (security_invoker=true) AS  SELECT t.created_at AS at,
    t.invitee_id AS id,
    t.inviter_id,
    u.username AS said,
    private.merge_objects(s.card, json_build_object('joinedAt', private.utc(t.created_at), 'inviteeCount', ( SELECT count(*) AS count
           FROM ( SELECT
                   FROM app.invite_tree o_1
                  WHERE (o_1.inviter_id = t.invitee_id)
                 LIMIT 1000) o), 'strikes', private.count_strikes(t.invitee_id))) AS card
   FROM ((app.invite_tree t
     JOIN app.users u ON ((u.id = t.invitee_id)))
     JOIN private.staff_users s ON ((s.id = t.invitee_id)));

ALTER VIEW "private"."staff_invitees" OWNER TO "postgres";

ALTER VIEW "private"."staff_users" OWNER TO "postgres";

CREATE VIEW "private"."staff_wallets" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    concat_ws(' '::text, u.username, u.first_name, u.last_name) AS said,
    json_build_object('id', a.id, 'user', person.card, 'balance', w.balance, 'lifetimeEarned', w.lifetime_earned, 'lifetimeSpent', w.lifetime_spent, 'lastRegenAt', private.utc(w.last_regen_at), 'createdAt', private.utc(a.created_at)) AS card
   FROM (((app.mana_accounts a
     JOIN app.wallets w ON ((w.user_id = a.id)))
     JOIN app.users u ON ((u.id = a.id)))
     JOIN app.person_card person ON ((person.id = a.id)))
  WHERE (a.kind = 'wallet'::text);

ALTER VIEW "private"."staff_wallets" OWNER TO "postgres";

CREATE VIEW "private"."written_heads" WITH (security_invoker=true) AS  SELECT c.id,
    c.kind,
    json_build_object('id', c.id, 'kind', c.kind, 'authorId', author.actor_id, 'author', author.card, 'interestId', c.interest_id, 'interest', ( SELECT json_build_object('id', i.id, 'slug', i.slug, 'name', i.name, 'accentColor', i.accent_color) AS json_build_object
           FROM app.interests i
          WHERE (i.id = c.interest_id)), 'title', c.title, 'groupId', s.group_id, 'guildId', s.guild_id, 'createdAt', private.utc(c.created_at), 'editedAt', private.utc(c.edited_at), 'removedAt', private.utc(c.removed_at)) AS head
   FROM ((app.contents c
     JOIN app.person_card author ON ((author.id = c.author_id)))
     LEFT JOIN LATERAL ( SELECT
                CASE p.kind
                    WHEN 'group'::text THEN p.id
                    ELSE NULL::uuid
                END AS group_id,
                CASE p.kind
                    WHEN 'guild'::text THEN p.id
                    ELSE NULL::uuid
                END AS guild_id
           FROM app.spaces p
          WHERE (p.id = c.space_id)) s ON (true));

CREATE VIEW "private"."content_heads" WITH (security_invoker=true) AS  SELECT h.id,
    h.kind,
    h.head
   FROM (private.visible_contents c
     JOIN private.written_heads h ON ((h.id = c.id)));

ALTER VIEW "private"."content_heads" OWNER TO "postgres";

ALTER VIEW "private"."written_heads" OWNER TO "postgres";

CREATE INDEX users_bot_owner_id_idx ON app.users USING btree (bot_owner_id, created_at, id) WHERE (bot_owner_id IS NOT NULL);

COMMENT ON COLUMN "app"."post_counters"."bot_replies" IS 'How many of the replies are by bots. These do not count for trending.';

COMMENT ON COLUMN "app"."users"."bot_owner_id" IS 'The person who runs this account and answers for it, if it is a bot: sql/identity/57_bots.sql. Null for people.';

COMMENT ON COLUMN "app"."users"."country" IS 'The ISO 3166-1 alpha-2 code. Only the first admin and bots have no country.';

COMMENT ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) IS 'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban ends. With p_until it ends by itself at that time, at most 366 days from now. Banning a banned person with another p_until, or without one, moves or removes the end; otherwise repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. The bots of a person are banned with them; with p_also_owner a bot''s owner is banned, with all their bots. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, who answers for it: its card, as in api.list_bots. It spends the given active invite code of the caller, or one of their allotment. At most 5 a person. Fails: username_reserved.';

COMMENT ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) IS 'For the facade alone: makes an access token of a bot of the caller, as api.create_access_token makes one of the caller. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."delete_bot"(text) IS 'Erases a bot of the caller for good, as api.erase_me erases a person. The invite is not given back.';

COMMENT ON FUNCTION "api"."end_bot_token"(text, uuid) IS 'Ends an access token of a bot of the caller. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."list_bot_tokens"(text) IS 'The access tokens of a bot of the caller that have not ended, newest first, as in api.list_access_tokens.';

COMMENT ON FUNCTION "api"."list_bots"() IS 'The caller''s bots, {items}, oldest first: cards of people with {about, createdAt, bannedAt}.';

COMMENT ON FUNCTION "api"."update_bot"(text, jsonb) IS 'Changes a bot of the caller, {username, firstName, lastName, about, profilePicUrl}: absent fields remain unchanged, null clears about and profilePicUrl. Fails: username_taken, username_reserved, usernames_exhausted.';

COMMENT ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, who spends an invite on it, as api.create_bot says. Its hash matches no password.';

COMMENT ON FUNCTION "private"."count_replies"() IS 'Trigger: counts the replies that everyone can see, without those that are hidden, deleted or by banned people; those of bots are also counted apart.';

COMMENT ON FUNCTION "private"."count_writes"(text, integer, uuid) IS 'Counts this many writes of the caller in their hour; a bot may write in 24 hours as much as a person in one. If that exceeds the limit it raises an error, and nothing is counted, because the transaction is undone. For another person (p_user) it raises no error: it counts all writes, and returns how many of them were within the limit. The row of the person is locked until the transaction ends: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."create_wallet"() IS 'Trigger: gives every new person a wallet with 50 mana, and every new bot an empty one.';

COMMENT ON FUNCTION "private"."earn_contribution"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone, and later a share of them to the inviters. Bots get none. Lock first (private.lock_effects).';

COMMENT ON FUNCTION "private"."earn_reputation"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone. It adds nothing without an interest, and nothing that people would earn from themselves, that bots would earn, or that people would earn from bots. Lock first (private.lock_effects).';

COMMENT ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) IS 'Ends an access token of a bot of the caller.';

COMMENT ON FUNCTION "private"."erase_own_bot"(uuid) IS 'Erases a bot of the caller.';

COMMENT ON FUNCTION "private"."erase_person"(uuid) IS 'Erases a person and their bots in this transaction; the steps in private.account_steps erase the rest of their data. Repeating it changes nothing. For definer functions and staff operations.';

COMMENT ON FUNCTION "private"."find_banned_with"(uuid, boolean) IS 'Whom a ban of this account is against: the account, or with p_also_owner the owner of the bot, whose bots are banned with them.';

COMMENT ON FUNCTION "private"."find_own_bots"() IS 'The caller''s bots, oldest first; at most 5.';

COMMENT ON FUNCTION "private"."is_bot"(uuid) IS 'Whether an account is a bot: sql/identity/57_bots.sql.';

COMMENT ON FUNCTION "private"."is_owner_banned"(app.users) IS 'Whether an account is a bot whose owner is banned.';

COMMENT ON FUNCTION "private"."list_bot_access_tokens"(uuid) IS 'The access tokens of a bot of the caller, as api.list_bot_tokens says.';

COMMENT ON FUNCTION "private"."own_bot_card"(uuid) IS 'A bot of the caller as they see it: the card of a person with {about, createdAt, bannedAt}; null if the caller has no such bot.';

COMMENT ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) IS 'The checks of app.post_counters. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."raise_trending"() IS 'Trigger: reactions, reposts, bookmarks, and replies by people move a post up in the trending order, by four hours for every doubling. The order does not depend on the current time, so it changes only when somebody does something.';

COMMENT ON FUNCTION "private"."refuse_bots"(text) IS 'Passes unless the caller is a bot and the operation is for people only.';

COMMENT ON FUNCTION "private"."require_own_bot"(text) IS 'Finds a bot of the caller by personId, actor id or username. Fails: bot_unknown.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. Their bots are banned with them, and the same bots come back: those with the same time of the ban. With p_until the ban ends by itself at that time: a suspension. A banned person gets this end, or none.';

COMMENT ON FUNCTION "private"."settle"(uuid) IS 'Regenerates a wallet: 5 mana for every whole 24 hours since last_regen_at, until the wallet and the person''s holds together have 50. At 50 or more, a period adds nothing. Holds count because their mana may come back. Otherwise, when a person puts 50 mana into a bounty, the wallet would regenerate 50 mana and then also get the refund. It runs before any change of a balance or a hold, so spending mana doesn''t make up for periods that added nothing. The wallets of erased people and of bots don''t regenerate. Never: insufficient_mana.';

COMMENT ON FUNCTION "private"."spend_invite"(text) IS 'An active invite code of the caller: this one, or a new one within their allotment.';

COMMENT ON FUNCTION "private"."staff_user_details"(uuid) IS 'The fields that the list of people leaves out: {about, country, city, invitedById, invitedBy, owner (of a bot), bots (of a person), reputation, contribution, balance, openReports}. Reports are counted up to 1000.';

COMMENT ON FUNCTION "private"."update_own_bot"(uuid, jsonb) IS 'Changes a bot of the caller, as api.update_bot says.';

COMMENT ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) IS 'The checks of app.users. Raises the code of the one that a row breaks.';

COMMENT ON TABLE "app"."accounts" IS 'Private data of a person. Only the first admin and bots have no date_of_birth.';

COMMENT ON TABLE "private"."operations_of_people" IS 'Registry: the operations that bots may not call. They are those by which people judge, are elected, own or move mana, and invite.';

COMMENT ON TABLE "private"."write_counts" IS 'How much a person has written in their current hour, or a bot in its 24 hours; they begin with the first write. Unlogged and without foreign keys, because every write waits for it: after a crash of the database all hours start again.';

COMMENT ON VIEW "app"."bot_card" IS 'A bot: the card of a person with {about, createdAt}.';

COMMENT ON VIEW "app"."circle_card" IS 'A circle as its owner and members see it: {id, ownerId, owner, kind, name, accent, isOwner, createdAt}. A member does not see it while there is a block between the member and the owner.';

COMMENT ON VIEW "app"."circle_invitation_card" IS 'An invitation as the inviter and the invitee see it: {id, circleId, circleName, inviterId, inviter, inviteeId, invitee, bondLevel, status, createdAt}.';

COMMENT ON VIEW "app"."circle_member_card" IS 'A membership: {circleId, memberId, member, bondLevel, createdAt}. It is not shown while there is a block between the member and the viewer.';

COMMENT ON VIEW "app"."invite_card" IS 'A person''s own invite code: {id, code, status, reservedUntil, usedBy, usedAt, expiresAt, createdAt}. usedBy is null if nobody has used the code, or if the person who did is hidden.';

COMMENT ON VIEW "app"."notification_card" IS 'A notification: {id, kind, groupKey, count, actors, target, path, payload, createdAt, updatedAt, readAt}. actors are the first three that the caller can see, among the first 50.';

COMMENT ON VIEW "app"."payment_card" IS 'A payment as its sender or a receiver sees it: amount is the mana that the caller paid or got, total the mana that was paid. The payment remains visible if the other person is hidden (by a block, a ban or an erasure), but that person is null. A hidden co-author''s split is added to the author''s. The post is null if the caller can''t see it.';

COMMENT ON VIEW "app"."person_card" IS 'How a person appears in every public response: {id, actorId, isBot, personId, username, firstName, lastName, profilePicUrl}, as json (card) and as its text (text); actor_id has the actor id alone.';

COMMENT ON VIEW "app"."profile_card" IS 'A public profile: the person''s card with {about, country, city, createdAt, owner}. owner is the person who runs a bot; null for people, and if the caller cannot see the owner. It never includes the address, phone, birthday, role or presence.';

COMMENT ON VIEW "app"."reply_card" IS 'A reply as its viewer sees it: {id, postId, parentId, authorId, author, kind, body, hiddenAt, createdAt}. Only private.reply_cards reads this view.';

COMMENT ON VIEW "app"."reputation_vote_card" IS 'A vote as its receiver sees it: {id, voterId, voter, interestId, slug, value, comment, impact, createdAt}. It is missing while its voter is hidden.';

COMMENT ON VIEW "app"."series_card" IS 'A series as its viewer sees it: {id, authorId, author, title, description, partCount, followed, createdAt}. partCount counts the items that the viewer sees.';

COMMENT ON VIEW "app"."staff_payment_card" IS 'A whole payment as staff sees it; ids of people are UUIDs. reversedBy is the payment that reversed it.';

COMMENT ON VIEW "app"."video_comment_card" IS 'A comment as the viewer sees it: {id, videoId, authorId, author, body, removedAt, createdAt}.';

COMMENT ON VIEW "app"."wiki_version_card" IS 'A version in the history, {id, version, summary, authorId, author, createdAt}; authorId and author are null if the reader can''t see the author.';

COMMENT ON VIEW "private"."content_heads" IS 'The heads of the contents that the caller may see, with which the card of every kind begins: {id, kind, authorId, author, interestId, interest, title, groupId, guildId, createdAt, editedAt, removedAt}. For definer functions.';

COMMENT ON VIEW "private"."message_heads" IS 'Messages as the caller reads them: {id, conversationId, sender, kind, body, replyTo, attachment, reactions, createdAt, editedAt, deletedAt}. For definer functions, which first check that the caller sees the message.';

COMMENT ON VIEW "private"."own_profiles" IS 'People as they see themselves. This is the only shape with the internal id. Only private.own_profile and private.login_answer read this view.';

COMMENT ON VIEW "private"."reachable_accounts" IS 'The accounts to which digests and links for a new password may be mailed. An address that is not verified within a day of the registration may belong to a stranger. Bots have no address of their own. The view includes addresses with email_bounced_at. These get no digests, but still the mail that somebody requests; otherwise their owners could never recover their accounts.';

COMMENT ON VIEW "private"."staff_ai_sessions" IS 'Reflections as staff sees them: their progress, but no topic, question or answer.';

COMMENT ON VIEW "private"."staff_appeals" IS 'Appeals as staff sees them, each with its author; userId is the author''s UUID.';

COMMENT ON VIEW "private"."staff_audit_log" IS 'Audit entries as admins see them; an erasure empties ip and detail.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them, whether they still belong to a group or guild, and whether they are about the caller.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended is left out. own says whether a case is about the caller.';

COMMENT ON VIEW "private"."staff_circles" IS 'Circles as staff sees them, without their members.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs.';

COMMENT ON VIEW "private"."staff_intents" IS 'Intents as staff sees them; id is the UUID of the person.';

COMMENT ON VIEW "private"."staff_invite_codes" IS 'Invite codes as staff sees them, with their owners and the people who used them.';

COMMENT ON VIEW "private"."staff_invitees" IS 'The people whom a person invited, as staff sees them, with how many people they invited (up to 1000) and their strikes.';

COMMENT ON VIEW "private"."staff_media" IS 'Uploads as staff sees them. in_messages: whether the upload, or a video whose poster it is, was sent in a message, or the upload is meant for one.';

COMMENT ON VIEW "private"."staff_posts" IS 'Posts as staff sees them, including hidden, scheduled and deleted ones.';

COMMENT ON VIEW "private"."staff_replies" IS 'Replies as staff sees them, including hidden and deleted ones.';

COMMENT ON VIEW "private"."staff_reports" IS 'Reports as staff sees them. Of a reported message, staff sees only the copy, as its reporter saw it.';

COMMENT ON VIEW "private"."staff_reputation_entries" IS 'The ledger of reputation as staff sees it.';

COMMENT ON VIEW "private"."staff_reputation_votes" IS 'Peer votes as staff sees them; a vote with value 0 was removed.';

COMMENT ON VIEW "private"."staff_rule_hits" IS 'Hits of rules as staff sees them. own says whether one is of what the caller wrote.';

COMMENT ON VIEW "private"."staff_series" IS 'Series as staff sees them; partCount includes hidden posts.';

COMMENT ON VIEW "private"."staff_spaces" IS 'All groups and guilds as staff sees them. Counts also include hidden members; ids of people are UUIDs.';

COMMENT ON VIEW "private"."staff_stuck_effects" IS 'The effects that fail, one for each person, as staff sees them: with only the SQLSTATE of the error, because its message could contain data.';

COMMENT ON VIEW "private"."staff_users" IS 'People as staff sees them, including banned and erased people.';

COMMENT ON VIEW "private"."staff_wallets" IS 'Wallets as staff sees them, each with its person; id is the person''s UUID. Balances are those last settled: reading a wallet regenerates no mana.';

COMMENT ON VIEW "private"."written_heads" IS 'The heads of contents, without a check of who may see them: for kinds whose contents some people may see even if they can''t see the head.';

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) TO "gate";

REVOKE ALL ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "api"."delete_bot"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."delete_bot"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."delete_bot"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_bot"(text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_bot_token"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_bot_token"(text, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_bot_token"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_bot_token"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_bot_tokens"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_bot_tokens"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_bot_tokens"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_bot_tokens"(text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_bots"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_bots"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_bots"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_bots"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."update_bot"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."update_bot"(text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_bot"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."erase_own_bot"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."erase_own_bot"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."erase_own_bot"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_own_bot"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_banned_with"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_banned_with"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_banned_with"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_own_bots"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_own_bots"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."find_own_bots"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_own_bots"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_bot"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_bot"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_bot"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_owner_banned"(app.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_owner_banned"(app.users) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_owner_banned"(app.users) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_bot_access_tokens"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_bot_access_tokens"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_bot_access_tokens"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_bot_access_tokens"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_bot_card"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_bot_card"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_bot_card"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_bot_card"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_bots"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_bots"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_bots"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_own_bot"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_own_bot"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_own_bot"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_own_bot"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."spend_invite"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."spend_invite"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."spend_invite"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."update_own_bot"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_own_bot"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."update_own_bot"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."update_own_bot"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) TO "service_role";

REVOKE ALL ("bot_owner_id") ON TABLE "app"."users" FROM "authenticated";

GRANT SELECT ("bot_owner_id") ON TABLE "app"."users" TO "authenticated";

GRANT SELECT ON TABLE "app"."bot_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."bot_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."bot_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."bot_card" TO "service_role";

GRANT SELECT ON TABLE "app"."circle_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."circle_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."circle_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."circle_card" TO "service_role";

GRANT SELECT ON TABLE "app"."circle_invitation_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."circle_invitation_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."circle_invitation_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."circle_invitation_card" TO "service_role";

GRANT SELECT ON TABLE "app"."circle_member_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."circle_member_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."circle_member_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."circle_member_card" TO "service_role";

GRANT SELECT ON TABLE "app"."invite_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."invite_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."invite_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."invite_card" TO "service_role";

GRANT SELECT ON TABLE "app"."notification_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."notification_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."notification_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."notification_card" TO "service_role";

GRANT SELECT ON TABLE "app"."payment_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."payment_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."payment_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."payment_card" TO "service_role";

GRANT SELECT ON TABLE "app"."person_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."person_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."person_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."person_card" TO "service_role";

GRANT SELECT ON TABLE "app"."profile_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."profile_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."profile_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."profile_card" TO "service_role";

REVOKE ALL ON TABLE "app"."reply_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."reply_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."reply_card" TO "service_role";

GRANT SELECT ON TABLE "app"."reputation_vote_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."reputation_vote_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."reputation_vote_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."reputation_vote_card" TO "service_role";

GRANT SELECT ON TABLE "app"."series_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."series_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."series_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."series_card" TO "service_role";

REVOKE ALL ON TABLE "app"."staff_payment_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."staff_payment_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."staff_payment_card" TO "service_role";

GRANT SELECT ON TABLE "app"."video_comment_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."video_comment_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."video_comment_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."video_comment_card" TO "service_role";

GRANT SELECT ON TABLE "app"."wiki_version_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."wiki_version_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."wiki_version_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."wiki_version_card" TO "service_role";

ALTER TABLE "app"."post_counters" ADD CONSTRAINT "post_counters_rules" CHECK (private.post_counters_rules(reactions, replies, shares, bookmarks, views, boost, bot_replies));

ALTER TABLE "app"."users" ADD CONSTRAINT "users_rules" CHECK (private.users_rules(username, role, banned_at, first_name, last_name, country, city, about, profile_pic_url, banned_until, bot_owner_id));

insert into private.errors ("code", "status", "text")
values ('bot_refused', '403', 'A bot cannot do this, because only people can.');

insert into private.errors ("code", "status", "text")
values ('bot_role', '409', 'A bot can have no other role than user.');

insert into private.errors ("code", "status", "text")
values ('bot_unknown', '404', 'You have no such bot.');

insert into private.errors ("code", "status", "text")
values ('bots_exhausted', '409', 'You can have at most 5 bots. Delete one first.');

insert into private.errors ("code", "status", "text")
values ('owner_banned', '409', 'The owner of this bot is banned. End that ban first.');

insert into private.errors ("code", "status", "text")
values ('owner_unknown', '422', 'alsoOwner is for bots: this account has no owner.');

insert into private.errors ("code", "status", "text")
values ('pay_bot', '409', 'Bots have no mana, so they cannot be paid.');

insert into private.errors ("code", "status", "text")
values ('vote_bot', '409', 'Bots have no reputation, so nobody can vote on them.');

update private.errors set "text" = 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, inviting, reporting, moving mana or mentioning people. For a bot it counts 24 hours. Try again after the number of seconds in Retry-After.'
where "code"::text = 'writes_exceeded'
  and "text"::text = 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, inviting, reporting, moving mana or mentioning people. Try again after the number of seconds in Retry-After.';

insert into private.lock_kinds ("kind", "position")
values ('bots', '250');

insert into private.operations_of_people ("operation")
values ('add_bounty');

insert into private.operations_of_people ("operation")
values ('appeal_decision');

insert into private.operations_of_people ("operation")
values ('apply_to_guild');

insert into private.operations_of_people ("operation")
values ('apply_to_project');

insert into private.operations_of_people ("operation")
values ('begin_import');

insert into private.operations_of_people ("operation")
values ('bookmark');

insert into private.operations_of_people ("operation")
values ('boost_post');

insert into private.operations_of_people ("operation")
values ('contribute');

insert into private.operations_of_people ("operation")
values ('create_appeal');

insert into private.operations_of_people ("operation")
values ('create_course');

insert into private.operations_of_people ("operation")
values ('create_group');

insert into private.operations_of_people ("operation")
values ('create_guild');

insert into private.operations_of_people ("operation")
values ('create_invite');

insert into private.operations_of_people ("operation")
values ('create_offering');

insert into private.operations_of_people ("operation")
values ('create_proposal');

insert into private.operations_of_people ("operation")
values ('create_solution');

insert into private.operations_of_people ("operation")
values ('disburse');

insert into private.operations_of_people ("operation")
values ('distribute');

insert into private.operations_of_people ("operation")
values ('enrol_course');

insert into private.operations_of_people ("operation")
values ('invite_co_author');

insert into private.operations_of_people ("operation")
values ('like_video');

insert into private.operations_of_people ("operation")
values ('pay');

insert into private.operations_of_people ("operation")
values ('place_order');

insert into private.operations_of_people ("operation")
values ('react');

insert into private.operations_of_people ("operation")
values ('report');

insert into private.operations_of_people ("operation")
values ('repost');

insert into private.operations_of_people ("operation")
values ('repost_video');

insert into private.operations_of_people ("operation")
values ('respond_co_author');

insert into private.operations_of_people ("operation")
values ('rsvp_event');

insert into private.operations_of_people ("operation")
values ('set_intent');

insert into private.operations_of_people ("operation")
values ('start_ai_session');

insert into private.operations_of_people ("operation")
values ('take_position');

insert into private.operations_of_people ("operation")
values ('vote_argument');

insert into private.operations_of_people ("operation")
values ('vote_on_proposal');

insert into private.operations_of_people ("operation")
values ('vote_poll');

insert into private.operations_of_people ("operation")
values ('vote_reputation');

insert into private.operations_of_people ("operation")
values ('vote_solution');

insert into private.operations_of_people ("operation")
values ('vote_wiki_proposal');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.users', 'bot_owner_id', 'bots', null, null, '{card_rest}', null, 'false', null);

GRANT EXECUTE ON FUNCTION "api"."update_bot"(text, jsonb) TO "authenticated";

GRANT EXECUTE ON FUNCTION "private"."find_banned_with"(uuid, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "private"."is_owner_banned"(app.users) TO "service_role";
