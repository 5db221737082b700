-- The operations on conversations: opening and renaming them, changing their members, muting and reading.
-- docs/decisions.md, Messaging.

create function private.require_others(p_people text[]) returns uuid[]
language plpgsql stable   -- runs as the invoker, so a hidden person is unknown
set search_path = ''
as $$
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
end $$;
comment on function private.require_others is
  'Returns the people whom a request names, each once, up to 49. The caller may not be among them.';

create function private.lock_available(p_people uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function private.lock_available is
  'Locks the relations between the caller and these people. Passes if the caller may write to each of them.';

create function private.start_membership(p_conversation uuid, p_people uuid[], p_number bigint) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  insert into app.conversation_members (conversation_id, user_id, last_read_number)
  select p_conversation, p.id, p_number - 1 from unnest(p_people) as p (id) order by p.id;
  insert into app.conversation_spans (conversation_id, user_id, first_number)
  select p_conversation, p.id, p_number from unnest(p_people) as p (id);
end $$;
comment on function private.start_membership is
  'Makes people members of a conversation. They may read messages from the number p_number on.';

create function private.open_direct(p_other uuid) returns uuid
language plpgsql volatile security definer   -- callers may not write conversations
set search_path = ''
as $$
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
end $$;
comment on function private.open_direct is 'Creates the direct conversation of the caller and another person.';

create function private.open_group(p_people uuid[], p_title text) returns uuid
language plpgsql volatile security definer   -- callers may not write conversations
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_id     uuid;
begin
  insert into app.conversations (kind, title) values ('group', p_title) returning id into v_id;
  perform private.start_membership(v_id, v_caller || p_people, 1);
  update app.conversation_members set role = 'owner' where conversation_id = v_id and user_id = v_caller;
  return v_id;
end $$;
comment on function private.open_group is 'Creates a group that the caller owns, with these people.';

create function api.create_conversation(p_kind text, p_member_ids text[], p_title text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('create_conversation', json_build_array(p_kind, p_member_ids, p_title));
  v_people uuid[];
  v_id     uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if p_kind is null or p_kind not in ('direct', 'group') then
    perform private.raise_error('value_invalid');
  elsif p_kind = 'direct' and cardinality(p_member_ids) <> 1 then
    perform private.raise_error('conversation_people');
  elsif p_kind = 'direct' and p_title is not null then
    perform private.raise_error('conversation_title');
  end if;
  perform private.count_writes('conversations', greatest(1, least(49, cardinality(p_member_ids))));
  v_people := private.require_others(p_member_ids);
  perform private.lock_available(v_people);
  if p_kind = 'direct' then
    v_id := private.find_direct(private.require_caller(), v_people[1]);
    if v_id is not null then
      perform set_config('response.status', '200', true);
    else
      v_id := private.open_direct(v_people[1]);
    end if;
  else
    v_id := private.open_group(v_people, private.require_name(p_title));
  end if;
  return private.finish_idempotent('create_conversation', private.require_conversation_card(v_id));
end $$;
comment on function api.create_conversation is
  'Opens a conversation with people who share a circle or have a direct conversation with the caller. If the direct '
  'conversation already exists, it is returned with status 200.';

create function api.check_availability(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person    uuid := (private.require_others(array[p_person]))[1];
  v_available boolean := private.is_available(private.require_caller(), v_person);
begin
  return json_build_object('available', v_available,
                           'reason', case when not v_available then 'no_shared_circle' end);
end $$;
comment on function api.check_availability is
  'Returns whether the caller may open a direct conversation with a person: {available, reason}.';

create function private.rename_conversation(p_id uuid, p_title text) returns void
language plpgsql volatile security definer   -- callers may not write conversations
set search_path = ''
as $$
begin
  perform private.lock_own_group(p_id);
  update app.conversations set title = p_title where id = p_id and title is distinct from p_title;
  if found then
    perform private.add_system_message(p_id, app.uid(), 'title ' || p_title);
  end if;
end $$;
comment on function private.rename_conversation is
  'Gives the caller''s group another title, and adds a system message.';

create function api.rename_conversation(p_id uuid, p_title text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('messages');
  perform private.rename_conversation(p_id, private.require_name(p_title));
  return private.require_conversation_card(p_id);
end $$;
comment on function api.rename_conversation is
  'Gives the caller''s group another title. The same title changes nothing. Returns the card. Fails: '
  'conversation_title.';

create function private.add_members(p_id uuid, p_people uuid[]) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
declare
  v_group app.conversations := private.lock_own_group(p_id);
begin
  if exists (select from app.conversation_members where conversation_id = p_id and user_id = any (p_people)) then
    perform private.raise_error('conversation_member_already');
  elsif (select count(*) from app.conversation_members where conversation_id = p_id) + cardinality(p_people) > 50 then
    perform private.raise_error('conversation_full');
  end if;
  perform private.start_membership(p_id, p_people, v_group.last_number + 1);
  perform private.add_system_message(p_id, p.id, 'joined') from unnest(p_people) as p (id);
end $$;
comment on function private.add_members is 'Adds people to the caller''s group, with a system message for each.';

create function api.add_conversation_members(p_id uuid, p_user_ids text[]) returns json
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function api.add_conversation_members is
  'Adds people to the caller''s group, all of them or none. Each must share a circle or have a direct conversation '
  'with the caller. Returns the card.';

create function private.hand_over(p_id uuid, p_from uuid, p_to uuid) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  perform from app.conversation_members where conversation_id = p_id and user_id in (p_from, p_to)
  order by user_id for no key update;
  update app.conversation_members set role = case user_id when p_to then 'owner' else 'member' end
  where conversation_id = p_id and user_id in (p_from, p_to);
  perform private.add_system_message(p_id, p_to, 'owner');
end $$;
comment on function private.hand_over is 'Makes another member the owner of a group, and adds a system message.';

create function private.end_membership(p_id uuid, p_person uuid, p_what text) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
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
end $$;
comment on function private.end_membership is
  'Removes a person from a conversation, and adds a system message if p_what is given. If the person owned the '
  'conversation, the longest-standing member becomes the owner. The calling function has locked the conversation.';

create function private.leave_group(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  perform private.lock_group(p_id);
  perform private.end_membership(p_id, app.uid(), 'left');
  -- the list on the person's other devices still has the conversation
  perform private.broadcast('user:' || app.uid(), 'conversation', jsonb_build_object('id', p_id));
end $$;
comment on function private.leave_group is 'Removes the caller from a group.';

create function api.leave_conversation(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.leave_group(p_id);
  return json_build_object('left', true);
end $$;
comment on function api.leave_conversation is
  'The caller leaves a group. If they owned it, the longest-standing member becomes the owner. Returns {left: true}.';

create function private.require_other_member(p_id uuid, p_person uuid) returns uuid
language plpgsql stable security definer   -- people read members only through operations
set search_path = ''
as $$
begin
  if not exists (select from app.conversation_members where conversation_id = p_id and user_id = p_person) then
    perform private.raise_error('conversation_member_unknown');
  end if;
  return p_person;
end $$;
comment on function private.require_other_member is 'Returns this person if they take part in the conversation.';

create function private.remove_member(p_id uuid, p_person uuid) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  perform private.lock_own_group(p_id);
  perform private.end_membership(p_id, private.require_other_member(p_id, p_person), 'removed');
  perform private.broadcast('user:' || p_person, 'conversation', jsonb_build_object('id', p_id));
end $$;
comment on function private.remove_member is 'Removes another person from the caller''s group.';

create function api.remove_conversation_member(p_id uuid, p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_own_group(p_id);
  perform private.remove_member(p_id, (private.require_others(array[p_person]))[1]);
  return null;   -- the response is 204
end $$;
comment on function api.remove_conversation_member is 'Removes another person from the caller''s group.';

create function private.make_owner(p_id uuid, p_person uuid) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  perform private.lock_own_group(p_id);
  perform private.hand_over(p_id, app.uid(), private.require_other_member(p_id, p_person));
end $$;
comment on function private.make_owner is 'Makes another member the owner of the caller''s group.';

create function api.hand_over_conversation(p_id uuid, p_person text, p_role text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_own_group(p_id);
  if p_role is distinct from 'owner' then
    perform private.raise_error('value_invalid');
  end if;
  perform private.count_writes('messages');
  perform private.make_owner(p_id, (private.require_others(array[p_person]))[1]);
  return private.require_conversation_card(p_id);
end $$;
comment on function api.hand_over_conversation is
  'Makes another member the owner of the caller''s group. Returns the card.';

-- the caller's own settings

create function private.mute_conversation(p_id uuid, p_until timestamptz) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  update app.conversation_members set muted_until = p_until
  where conversation_id = p_id and user_id = private.require_caller();
  if not found then
    perform private.raise_error('conversation_unknown');
  end if;
end $$;
comment on function private.mute_conversation is
  'Sets the time until which the caller gets no notifications of a conversation.';

create function api.mute_conversation(p_id uuid, p_until timestamptz default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_until <= now() then
    perform private.raise_error('conversation_until');
  end if;
  -- a time after the end of the calendar means that the mute has no end
  perform private.mute_conversation(p_id, case when p_until < private.calendar_end() then p_until else 'infinity' end);
  return private.require_conversation_card(p_id);
end $$;
comment on function api.mute_conversation is
  'Mutes a conversation for the caller, who then gets no notifications or pushes until p_until, or forever if it is '
  'null. Returns the card.';

create function api.unmute_conversation(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.mute_conversation(p_id, null);
  return null;   -- the response is 204
end $$;
comment on function api.unmute_conversation is 'Unmutes a conversation for the caller; repeating it changes nothing.';

create function private.read_up_to(p_id uuid, p_message uuid) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
declare
  v_message app.messages := private.require_message(p_message);
begin
  if v_message.conversation_id <> p_id then
    perform private.raise_error('message_unknown');
  end if;
  update app.conversation_members
  set last_read_number = greatest(last_read_number, v_message.number), last_read_at = v_message.created_at
  where conversation_id = p_id and user_id = app.uid()
    and (last_read_at is null or last_read_at < v_message.created_at);
  if found then
    perform private.broadcast('user:' || app.uid(), 'read', jsonb_build_object('id', p_id));
  end if;
end $$;
comment on function private.read_up_to is
  'Records that the caller has read up to a message, and announces this only to the caller''s other devices.';

create function api.read_conversation(p_id uuid, p_message_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_member(p_id);
  perform private.read_up_to(p_id, p_message_id);
  return private.require_conversation_card(p_id);
end $$;
comment on function api.read_conversation is
  'Records that the caller has read up to a message; an earlier message changes nothing. Returns the card.';
