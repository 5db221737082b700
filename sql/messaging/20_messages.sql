-- Messages, their order, reactions to them, and how each reader sees them.
-- docs/decisions.md, Messaging.

create table app.messages (
  id              uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references app.conversations on delete cascade,
  number          bigint not null check (number > 0),
  sender_id       uuid not null references app.users on delete restrict,
  kind            text not null default 'text' check (kind in ('text', 'system')),
  body            text,
  client_id       uuid,
  reply_to_id     uuid references app.messages on delete set null,
  asset_id        uuid references app.media_assets on delete set null,
  alt             app.alt_text,
  edited_at       timestamptz,
  deleted_at      timestamptz,
  changed_at      timestamptz,
  created_at      timestamptz not null default clock_timestamp(),
  constraint messages_number_key unique (conversation_id, number),
  constraint message_body check (
    case when deleted_at is not null then body is null and asset_id is null and alt is null
         when kind = 'text' then length(body) <= 4000
         else body is not null end is true)
);
create unique index messages_client_id_idx on app.messages (sender_id, conversation_id, client_id)
  where client_id is not null;
create index messages_sender_id_idx on app.messages (sender_id) where deleted_at is null;
create index messages_of_sender_idx on app.messages (sender_id, created_at);
create index messages_reply_to_id_idx on app.messages (reply_to_id) where reply_to_id is not null;
create index messages_asset_id_idx on app.messages (asset_id) where asset_id is not null;
create index messages_changed_at_idx on app.messages (conversation_id, changed_at, id) where changed_at is not null;
comment on table app.messages is
  'Messages. A deleted message remains as a tombstone without words. The body of a system message says what '
  'happened: joined, left, removed, owner, or title followed by a space and the new title. Its sender is the person '
  'to whom this happened or who did it. The body of a message that has only an asset is empty.';
comment on column app.messages.number is
  'The message''s position in the conversation. It is assigned under the lock of the conversation, so that smaller '
  'numbers never appear later.';
comment on column app.messages.client_id is
  'The id that the sender''s client gave the message, so that sending it again returns the same message; null for '
  'system messages.';
comment on column app.messages.alt is 'The alt text of the asset in this message; null if it has none.';
comment on column app.messages.edited_at is 'When the words of the message last changed; null if never.';
comment on column app.messages.deleted_at is 'When the sender deleted the message or was erased; null otherwise.';
comment on column app.messages.changed_at is
  'When the message was last edited, deleted or reacted to, for clients that were offline; null if never.';
comment on column app.messages.created_at is
  'When the message got its number, so that times and numbers give the same order.';

create table app.message_reactions (
  message_id uuid not null references app.messages on delete cascade,
  emoji      text not null,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (message_id, emoji, user_id),
  constraint message_emoji check (length(emoji) between 1 and 100)
);
create index message_reactions_user_id_idx on app.message_reactions (user_id, created_at desc);
comment on table app.message_reactions is
  'The emoji with which people reacted to messages. Members of the conversation see only counts of the people whom '
  'they see.';
call private.make_nulls_raise_codes('app.message_reactions');

create table private.emoji (
  bare  text collate "C" primary key check (length(bare) between 1 and 9),
  emoji text collate "C" not null
);
comment on table private.emoji is
  'The emoji that reactions can contain: those of Unicode, which sql/messaging/25_emoji.sql inserts. bare is the '
  'emoji without its variation selectors, because many keyboards omit them.';

insert into private.errors (code, status, text) values
  ('message_unknown', 404, 'There is no such message.'),
  ('message_body', 422, 'A message must have 1 to 4000 characters. It can have none if it has an asset.'),
  ('message_not_yours', 403, 'Only the sender of a message can do this.'),
  ('message_too_old', 409, 'A message can only be edited within 15 minutes after it was sent.'),
  ('message_deleted', 409, 'This message has been deleted.'),
  ('message_emoji', 422, 'A reaction must be 1 to 8 emoji and nothing else.'),
  ('message_emojis_exhausted', 409, 'A message can have at most 20 different reactions.'),
  ('message_selection', 422, 'after and changedSince cannot be given together.');

insert into private.event_types (name, payload, happens) values
  ('messaging.message.sent', '{messageId,conversationId}',
   'a message is sent, including system messages: somebody joined or left, or the title or the owner changed');

insert into private.lock_kinds (kind, position) values ('message', 585);

create function private.in_span(p_conversation uuid, p_number bigint) returns boolean
language plpgsql stable security definer   -- people may not read spans
set search_path = ''
as $$
begin
  return coalesce((
    select s.last_number >= p_number from app.conversation_spans s
    where s.conversation_id = p_conversation and s.user_id = app.uid() and s.first_number <= p_number
    order by s.first_number desc limit 1), false);
end $$;
comment on function private.in_span is
  'Returns whether the message with this number was sent while the caller took part.';
call private.force_index_scans('private.in_span');

create function private.find_message(p_id uuid) returns app.messages
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
declare
  v_message app.messages;
begin
  select m.* into v_message
  from app.messages m
  join app.conversation_members c on c.conversation_id = m.conversation_id and c.user_id = app.uid()
  where m.id = p_id and private.in_span(m.conversation_id, m.number)
    and private.may_read_of(private.is_direct(m.conversation_id), app.uid(), m.sender_id);
  return v_message;
end $$;
comment on function private.find_message is
  'Returns a message if the caller may see it, otherwise null. The caller must be a member of its conversation and '
  'have been one when it was sent. The sender must not be banned and, in a group, neither of the two may have '
  'blocked the other.';

create function private.is_tombstone(p_message app.messages) returns boolean
language plpgsql stable security definer   -- people may not read who is erased
set search_path = ''
as $$
begin
  return p_message.deleted_at is not null
      or exists (select from app.users where id = p_message.sender_id and erased_at is not null);
end $$;
comment on function private.is_tombstone is
  'Returns whether a message was deleted or its sender was erased, so that nobody may see its words. An erasure '
  'deletes the words in batches, so the row may still have them.';

create function private.require_message(p_id uuid) returns app.messages
language plpgsql stable
set search_path = ''
as $$
declare
  v_message app.messages := private.find_message(p_id);
begin
  if v_message.id is null then
    perform private.raise_error('message_unknown');
  end if;
  return v_message;
end $$;
comment on function private.require_message is 'Returns a message that the caller sees.';

create function private.lock_message(p_id uuid) returns app.messages
language plpgsql volatile security definer   -- callers may not lock a message
set search_path = ''
as $$
begin
  perform private.require_message(p_id);
  perform private.check_lock_order('message');
  perform from app.messages where id = p_id for no key update;
  return private.require_message(p_id);   -- read again, because the message may have changed
end $$;
comment on function private.lock_message is
  'Locks a message that the caller sees, and returns it: ARCHITECTURE.md, Locks.';

create view private.message_heads with (security_invoker) as
select m.id,
       json_build_object(
         'id', m.id,
         'conversationId', m.conversation_id,
         'sender', case when s.erased_at is null then sender.card end,
         'kind', m.kind,
         'body', case when s.erased_at is null then m.body end,
         'replyTo', (
           select json_build_object(
                    'id', r.id,
                    'sender', case when rs.erased_at is null then rp.card end,
                    'excerpt', case when rs.erased_at is null then left(r.body, 140) end)
           from private.find_message(m.reply_to_id) r
           join app.users rs on rs.id = r.sender_id
           join app.person_card rp on rp.id = r.sender_id
           where m.deleted_at is null and s.erased_at is null),
         'attachment', (
           select private.attachment_card(a, m.alt)
           from app.media_assets a
           where a.id = m.asset_id and s.erased_at is null),
         'reactions', coalesce((
           select json_agg(json_build_object('emoji', e.emoji, 'count', e.count, 'mine', e.mine)
                           order by e.first_at, e.emoji)
           from (select x.emoji, count(*) as count, bool_or(x.user_id = (select app.uid())) as mine,
                        min(x.created_at) as first_at
                 from app.message_reactions x
                 join (select r.user_id   -- checks each person once, because they may have reacted 20 times
                       from (select distinct user_id from app.message_reactions where message_id = m.id offset 0) r
                       where private.sees_in(c.kind = 'direct', (select app.uid()), r.user_id)) seen
                   on seen.user_id = x.user_id
                 where x.message_id = m.id and m.deleted_at is null and s.erased_at is null
                 group by x.emoji) e), '[]'),
         'createdAt', private.utc(m.created_at),
         'editedAt', private.utc(m.edited_at),
         'deletedAt', private.utc(coalesce(m.deleted_at, s.erased_at))) as card
from app.messages m
join app.conversations c on c.id = m.conversation_id
join app.users s on s.id = m.sender_id
join app.person_card sender on sender.id = m.sender_id;
comment on view private.message_heads is
  'Messages as the caller sees them: {id, conversationId, sender, kind, body, replyTo, attachment, reactions, '
  'createdAt, editedAt, deletedAt}. The view is for definer functions, which must first check that the caller sees '
  'the message.';

create function private.message_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
begin
  return (select json_agg(h.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place)
          join private.message_heads h on h.id = i.id
          where (private.find_message(i.id)).id is not null);
end $$;
comment on function private.message_cards is
  'The cards of these messages, in order, without those that the caller can''t see.';
call private.force_index_scans('private.message_cards');

create function private.require_message_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('message_unknown', private.message_cards(array[p_id]) -> 0); end $$;
comment on function private.require_message_card is 'Returns the card of a message that the caller sees.';

create function private.count_unread_messages(p_conversation uuid, p_most integer default 99) returns integer
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
declare
  v_read bigint := (select m.last_read_number from app.conversation_members m
                    where m.conversation_id = p_conversation and m.user_id = app.uid());
begin
  return (
    select count(*)
    from (select
          from (select m.sender_id, m.kind, m.deleted_at from app.messages m
                where m.conversation_id = p_conversation and m.number > v_read
                order by m.number desc limit 500) l
          where l.kind = 'text' and l.deleted_at is null and l.sender_id <> (select app.uid())
            and private.receives_from((select app.uid()), l.sender_id)
          limit p_most) u);
end $$;
comment on function private.count_unread_messages is
  'The number of messages in a conversation that the caller has not read, up to p_most, among the latest 500. It '
  'excludes the caller''s own messages, system messages, deleted messages, and messages of people from whom the '
  'caller does not receive any (private.receives_from).';
call private.force_index_scans('private.count_unread_messages');

create function private.find_last_message(p_conversation uuid) returns uuid
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
declare
  v_first  bigint := (select s.first_number from app.conversation_spans s
                      where s.conversation_id = p_conversation and s.user_id = app.uid()
                      order by s.first_number desc limit 1);
  v_direct boolean := private.is_direct(p_conversation);
begin
  return (
    select l.id
    from (select m.id, m.sender_id from app.messages m
          where m.conversation_id = p_conversation and m.number >= v_first
          order by m.number desc limit 500) l
    where private.may_read_of(v_direct, (select app.uid()), l.sender_id)
    limit 1);
end $$;
comment on function private.find_last_message is
  'The latest message in a conversation that the caller sees, among the latest 500 since they joined; null if there '
  'is none.';
call private.force_index_scans('private.find_last_message');
