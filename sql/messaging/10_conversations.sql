-- Conversations, their members, and the spans of messages that members may read. docs/decisions.md, Messaging.

create table app.conversations (
  id              uuid primary key default gen_random_uuid(),
  kind            text not null check (kind in ('direct', 'group')),
  title           text,
  one_id          uuid references app.users on delete cascade,
  other_id        uuid references app.users on delete cascade,
  last_number     bigint not null default 0 check (last_number >= 0),
  last_message_at timestamptz,
  created_at      timestamptz not null default now(),
  constraint conversation_title check (case kind when 'group' then length(private.trimmed(title)) between 1 and 80
                                                 else title is null end is true),
  check (case kind when 'direct' then one_id < other_id else one_id is null and other_id is null end is true),
  constraint conversations_pair_key unique (one_id, other_id)
) with (fillfactor = 80);   -- free space on each page, so that a message changes no index
create index conversations_other_id_idx on app.conversations (other_id);
create index conversations_created_at_idx on app.conversations (created_at desc, id desc);
comment on table app.conversations is
  'Conversations. The channel conversation:{id} announces new messages to the members of a conversation. Sending a '
  'message and changing the members lock the row of the conversation.';
comment on column app.conversations.title is
  'The title of a group; null for a direct conversation. The title remains when the person who set it leaves or is '
  'erased.';
comment on column app.conversations.one_id is
  'one_id and other_id are the two people of a direct conversation, the lower id first; two people have at most one '
  'direct conversation. Both are null for a group.';
comment on column app.conversations.last_number is 'The number of the latest message, 0 before the first.';
comment on column app.conversations.last_message_at is 'When the latest message was sent; null before the first.';

create table app.conversation_members (
  conversation_id  uuid not null references app.conversations on delete cascade,
  user_id          uuid not null references app.users on delete cascade,
  role             text not null default 'member' check (role in ('owner', 'member')),
  joined_at        timestamptz not null default now(),
  latest_at        timestamptz not null default now(),
  last_read_number bigint not null default 0,
  last_read_at     timestamptz,
  muted_until      timestamptz,
  primary key (conversation_id, user_id)
) with (fillfactor = 70);
create index conversation_members_user_id_idx on app.conversation_members
  (user_id, latest_at desc, conversation_id desc);
comment on table app.conversation_members is 'The members of conversations. A person who leaves has no row.';
comment on column app.conversation_members.joined_at is 'When the person last joined the conversation.';
comment on column app.conversation_members.latest_at is
  'The conversation''s position in the person''s list: the time when they joined or, if later, the time of the '
  'latest message that they receive. A message from somebody whom they blocked or who blocked them does not change '
  'it.';
comment on column app.conversation_members.last_read_number is
  'The number of the latest message that the person has read; if they have read none, the number before their first '
  'message.';
comment on column app.conversation_members.last_read_at is
  'When the latest message that the person has read was sent; null if they have read none. It never decreases.';
comment on column app.conversation_members.muted_until is
  'The time until which the person gets no notifications of the conversation; infinity if the mute has no end, null '
  'if they have not muted it.';

create table app.conversation_spans (
  conversation_id uuid not null references app.conversations on delete cascade,
  user_id         uuid not null references app.users on delete cascade,
  first_number    bigint not null,
  last_number     bigint not null default 9223372036854775807,
  primary key (conversation_id, user_id, first_number)
);
create index conversation_spans_user_id_idx on app.conversation_spans (user_id);
comment on table app.conversation_spans is
  'The messages of a conversation that each person may read, by number: from the first after they joined to the '
  'last before they left. Each membership has a span; the last span is open while the person is a member.';

insert into private.write_limits (kind, per_hour) values ('conversations', 500), ('messages', 3000);

insert into private.errors (code, status, text) values
  ('conversation_unknown', 404, 'There is no such conversation.'),
  ('conversation_title', 422, 'The title of a group must have 1 to 80 characters; a direct conversation has none.'),
  ('conversation_people', 422, 'A direct conversation must have exactly one other person.'),
  ('conversation_oneself', 400, 'You cannot do this with yourself.'),
  ('conversation_direct', 400, 'This is only possible in groups: a direct conversation has no title and no owner, and '
   'its members cannot change.'),
  ('conversation_not_yours', 403, 'Only the owner of the group can do this.'),
  ('conversation_until', 422, 'until must be in the future.'),
  ('conversation_closed', 403, 'This conversation is closed, so nothing can be sent in it.'),
  ('conversation_full', 409, 'A conversation can have at most 50 members.'),
  ('conversation_member_already', 409, 'This person is already in the conversation.'),
  ('conversation_member_unknown', 404, 'This person is not in the conversation.'),
  ('no_shared_circle', 403, 'To open a direct conversation or to add a person to a group, the two of you must share a '
   'circle or already have a direct conversation.');

insert into private.lock_kinds (kind, position) values ('conversation', 580);

create function private.receives_from(p_viewer uuid, p_sender uuid) returns boolean
language plpgsql stable security definer   -- reads the audience of people other than the caller
set search_path = ''
as $$
begin
  return (select v.is_visible from private.visibility(p_sender, 0, p_viewer => p_viewer) v);
end $$;
comment on function private.receives_from is
  'Returns whether the viewer receives messages of the sender: if neither has blocked the other, and the sender is '
  'neither banned nor erased.';

create function private.sees_in(p_direct boolean, p_viewer uuid, p_person uuid) returns boolean
language plpgsql stable security definer   -- reads the audience of people other than the caller
set search_path = ''
as $$
begin
  return private.receives_from(p_viewer, p_person)
      or p_direct and not exists (select from app.hidden_people s where s.user_id = p_person);
end $$;
comment on function private.sees_in is
  'Returns whether a viewer sees a person in one of the viewer''s conversations. Nobody sees banned or erased '
  'people. In a group, two people do not see each other if one has blocked the other; in a direct conversation they '
  'still do.';

create function private.may_read_of(p_direct boolean, p_viewer uuid, p_sender uuid) returns boolean
language plpgsql stable security definer   -- people may not read who is erased
set search_path = ''
as $$
begin
  return private.sees_in(p_direct, p_viewer, p_sender)
      or exists (select from app.users u where u.id = p_sender and u.erased_at is not null);
end $$;
comment on function private.may_read_of is
  'Returns whether a viewer sees the messages of a sender in a conversation. Viewers see messages of people whom '
  'they see (private.sees_in), and the tombstones of erased people.';

create function private.is_direct(p_conversation uuid) returns boolean
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return (select kind = 'direct' from app.conversations where id = p_conversation);
end $$;
comment on function private.is_direct is 'Returns whether a conversation is direct.';

create function private.require_member(p_conversation uuid) returns app.conversations
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
declare
  v_conversation app.conversations;
begin
  select c.* into v_conversation
  from app.conversation_members m join app.conversations c on c.id = m.conversation_id
  where m.conversation_id = p_conversation and m.user_id = private.require_caller();
  if not found then
    perform private.raise_error('conversation_unknown');
  end if;
  return v_conversation;
end $$;
comment on function private.require_member is 'Returns a conversation in which the caller takes part.';

create function private.lock_conversation(p_conversation uuid) returns app.conversations
language plpgsql volatile security definer   -- callers may not lock a conversation
set search_path = ''
as $$
begin
  perform private.check_lock_order('conversation', p_conversation::text);
  perform from app.conversations where id = p_conversation for no key update;
  return private.require_member(p_conversation);   -- the caller may have been removed meanwhile
end $$;
comment on function private.lock_conversation is
  'Locks a conversation in which the caller takes part, and returns it: ARCHITECTURE.md, Locks.';

create function private.lock_group(p_conversation uuid) returns app.conversations
language plpgsql volatile security definer   -- see private.lock_conversation
set search_path = ''
as $$
declare
  v_conversation app.conversations := private.lock_conversation(p_conversation);
begin
  if v_conversation.kind = 'direct' then
    perform private.raise_error('conversation_direct');
  end if;
  return v_conversation;
end $$;
comment on function private.lock_group is 'Locks a group in which the caller takes part.';

create function private.require_own_group(p_conversation uuid) returns void
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  if (private.require_member(p_conversation)).kind = 'direct' then
    perform private.raise_error('conversation_direct');
  elsif not exists (select from app.conversation_members m
                    where m.conversation_id = p_conversation and m.user_id = app.uid() and m.role = 'owner') then
    perform private.raise_error('conversation_not_yours');
  end if;
end $$;
comment on function private.require_own_group is 'Passes if the caller owns the group.';

create function private.lock_own_group(p_conversation uuid) returns app.conversations
language plpgsql volatile security definer   -- see private.lock_conversation
set search_path = ''
as $$
declare
  v_conversation app.conversations := private.lock_group(p_conversation);
begin
  perform private.require_own_group(p_conversation);
  return v_conversation;
end $$;
comment on function private.lock_own_group is 'Locks a group that the caller owns.';

create function private.other_in(p_conversation app.conversations, p_person uuid) returns uuid
language plpgsql immutable
set search_path = ''
as $$
begin
  return case p_person when p_conversation.one_id then p_conversation.other_id
                       when p_conversation.other_id then p_conversation.one_id end;
end $$;
comment on function private.other_in is 'The other person of a direct conversation; null for a group.';

create function private.check_open(p_conversation app.conversations) returns void
language plpgsql stable security definer   -- checks a person whom the caller may not see
set search_path = ''
as $$
declare
  v_other uuid := private.other_in(p_conversation, app.uid());
begin
  if v_other is not null and not private.receives_from(app.uid(), v_other) then
    perform private.raise_error('conversation_closed');
  end if;
end $$;
comment on function private.check_open is
  'Passes for a group. Passes for a direct conversation if the other person is neither banned nor erased, and '
  'neither of the two has blocked the other.';

create function private.find_direct(p_one uuid, p_other uuid) returns uuid
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return (select id from app.conversations
          where one_id = least(p_one, p_other) and other_id = greatest(p_one, p_other));
end $$;
comment on function private.find_direct is 'The direct conversation of two people, or null.';

create function private.is_available(p_one uuid, p_other uuid) returns boolean
language plpgsql stable security definer   -- people may not read the circles of others
set search_path = ''
as $$
begin
  return private.find_direct(p_one, p_other) is not null or private.have_common_circle(p_one, p_other);
end $$;
comment on function private.is_available is
  'Returns whether two people may open a direct conversation or add each other to a group. They may if they share a '
  'circle or already have a direct conversation.';

insert into private.links (type, path) values ('conversation', '/conversations/{id}');
