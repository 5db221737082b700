-- Bots are accounts that a person owns and is responsible for. A bot has no password, no login and no email address;
-- programs use it with its access tokens. private.operations_of_people lists what bots may not do. docs/decisions.md,
-- Bots.

insert into private.errors (code, status, text) values
  ('bot_unknown', 404, 'You have no such bot.'),
  ('bots_exhausted', 409, 'You can have at most 5 bots. Delete one first.');

insert into private.lock_kinds (kind, position) values ('bots', 250);

create view app.bot_card with (security_invoker) as
select u.id, u.bot_owner_id as owner_id, u.created_at,
       private.merge_objects(c.card, json_build_object(
         'about', u.about, 'createdAt', private.utc(u.created_at))) as card
from app.users u join app.person_card c on c.id = u.id
where u.bot_owner_id is not null;
comment on view app.bot_card is 'A bot: the card of a person with {about, createdAt}.';

create function private.own_bot_card(p_bot uuid) returns json
language plpgsql stable security definer   -- owners also see bots that are banned or that they have blocked
set search_path = ''
as $$
begin
  return (select private.merge_objects(b.card, json_build_object('bannedAt', private.utc(u.banned_at)))
          from app.bot_card b join app.users u on u.id = b.id
          where b.id = p_bot and b.owner_id = app.uid() and u.erased_at is null);
end $$;
comment on function private.own_bot_card is
  'A bot of the caller as they see it: the card of a person with {about, createdAt, bannedAt}; null if the caller '
  'has no such bot.';

create function private.find_own_bots() returns uuid[]
language plpgsql stable security definer   -- owners also see bots that are banned or that they have blocked
set search_path = ''
as $$
begin
  return array(select u.id from app.users u
               where u.bot_owner_id = private.require_caller() and u.erased_at is null
               order by u.created_at, u.id);
end $$;
comment on function private.find_own_bots is 'The caller''s bots, oldest first; at most 5.';

create function api.list_bots() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('items', coalesce(
    (select json_agg(private.own_bot_card(b.id) order by b.place)
     from unnest(private.find_own_bots()) with ordinality as b (id, place)), '[]'));
end $$;
comment on function api.list_bots is
  'The caller''s bots, {items}, oldest first: cards of people with {about, createdAt, bannedAt}.';

create function private.require_own_bot(p_person text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_bot uuid := private.find_person(p_person);
begin
  if v_bot is null or v_bot <> all (private.find_own_bots()) then
    perform private.raise_error('bot_unknown');
  end if;
  return v_bot;
end $$;
comment on function private.require_own_bot is
  'Finds a bot of the caller by personId, actor id or username.';

create function private.spend_invite(p_code text) returns uuid
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function private.spend_invite is
  'Returns an active invite code of the caller: the given one, or a new one within their allotment.';

create function private.add_own_bot(
  p_username text, p_first_name text, p_last_name text, p_about text, p_profile_pic_url text, p_invite_code text
) returns uuid
language plpgsql volatile security definer   -- people may not write accounts or invite codes
set search_path = ''
as $$
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
end $$;
comment on function private.add_own_bot is
  'Creates a bot of the caller, which uses up an invite, as described at api.create_bot. The password hash of the '
  'bot matches no password.';

create function api.create_bot(
  p_username text, p_first_name text, p_last_name text default 'Bot', p_about text default null,
  p_profile_pic_url text default null, p_invite_code text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function api.create_bot is
  'Creates a bot of the caller, who is responsible for it, and returns its card, as in api.list_bots. It uses up '
  'the given active invite code of the caller, or one of their allotment. A person can have 5. Fails: '
  'username_reserved.';

create function private.update_own_bot(p_bot uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- people may not write accounts of others
set search_path = ''
as $$
begin
  if 'null' in (p_changes -> 'username', p_changes -> 'firstName', p_changes -> 'lastName') then
    perform private.raise_error('value_invalid');
  end if;
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
end $$;
comment on function private.update_own_bot is 'Changes a bot of the caller, as described at api.update_bot.';

create function api.update_bot(p_id text, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bot uuid := private.require_own_bot(p_id);
begin
  perform private.update_own_bot(v_bot, p_changes);
  return private.own_bot_card(v_bot);
end $$;
comment on function api.update_bot is
  'Changes a bot of the caller, {username, firstName, lastName, about, profilePicUrl}: absent fields do not change, '
  'and null clears about and profilePicUrl. Fails: username_taken, username_reserved, usernames_exhausted.';

create function private.erase_own_bot(p_bot uuid) returns void
language plpgsql volatile security definer   -- people may not erase accounts
set search_path = ''
as $$
begin
  perform private.require_proof();
  perform private.erase_person(id) from app.users where id = p_bot and bot_owner_id = private.require_caller();
end $$;
comment on function private.erase_own_bot is 'Erases a bot of the caller.';

create function api.delete_bot(p_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_own_bot(private.require_own_bot(p_id));
  return null;   -- the response is 204
end $$;
comment on function api.delete_bot is
  'Erases a bot of the caller permanently, as api.erase_me erases a person. The caller doesn''t get the invite back.';
