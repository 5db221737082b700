-- Lists of conversations and of messages.
-- docs/decisions.md, Lists; Messaging.

create function private.require_number(p_conversation uuid, p_cursor text) returns bigint
language plpgsql stable security definer   -- a cursor remains valid when its message is hidden from the caller
set search_path = ''
as $$
declare
  v_number bigint := (private.open_cursor('messages ' || p_conversation, p_cursor)).rank;
  v_id     uuid;
begin
  if v_number is not null then
    return v_number;
  end if;
  v_id := private.require_cursor(p_cursor);
  select m.number into v_number from app.messages m
  where m.id = v_id and m.conversation_id = p_conversation and private.in_span(p_conversation, m.number);
  if not found then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_number;
end $$;
comment on function private.require_number is
  'Returns the number of the message from which a list continues after this cursor. The cursor is a place, or the id '
  'of a message that was sent to this conversation while the caller took part.';

create function private.find_messages(p_conversation uuid, p_from bigint, p_up boolean) returns app.found
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_direct boolean := private.is_direct(p_conversation);
  v_left   integer := 400;
  v_ids    uuid[] := '{}';
  v_spans  app.conversation_spans[];
  v_want   integer;
  v_first  bigint;
  v_last   bigint;
  v_more   uuid[];
  v_looked integer;
  v_stop   bigint;
begin
  if p_up then
    v_first := (select s.first_number from app.conversation_spans s
                where s.conversation_id = p_conversation and s.user_id = v_caller and s.first_number <= p_from
                order by s.first_number desc limit 1);
    v_first := coalesce(v_first, 0);
    v_spans := array(select s from app.conversation_spans s
                     where s.conversation_id = p_conversation and s.user_id = v_caller and s.first_number >= v_first
                     order by s.first_number limit 400);
  else
    v_spans := array(select s from app.conversation_spans s
                     where s.conversation_id = p_conversation and s.user_id = v_caller and s.first_number < p_from
                     order by s.first_number desc limit 400);
  end if;
  for v_first, v_last in
    select case when p_up then greatest(s.first_number, p_from + 1) else s.first_number end,
           case when p_up then s.last_number else least(s.last_number, p_from - 1) end
    from unnest(v_spans) s
  loop
    v_want := 51 - cardinality(v_ids);
    if p_up then
      with looked as materialized (
        select m.id, m.number, m.sender_id from app.messages m
        where m.conversation_id = p_conversation and m.number >= v_first and m.number <= v_last
        order by m.number limit v_left
      ), seen as materialized (
        select array(select l.id from looked l where private.may_read_of(v_direct, v_caller, l.sender_id)
                     order by l.number limit v_want) as ids
      )
      select s.ids, case when cardinality(s.ids) < v_want then (select count(*) from looked) end,
             case when cardinality(s.ids) < v_want then (select l.number from looked l offset v_left - 1 limit 1) end
      into v_more, v_looked, v_stop from seen s;
    else
      with looked as materialized (
        select m.id, m.number, m.sender_id from app.messages m
        where m.conversation_id = p_conversation and m.number >= v_first and m.number <= v_last
        order by m.number desc limit v_left
      ), seen as materialized (
        select array(select l.id from looked l where private.may_read_of(v_direct, v_caller, l.sender_id)
                     order by l.number desc limit v_want) as ids
      )
      select s.ids, case when cardinality(s.ids) < v_want then (select count(*) from looked) end,
             case when cardinality(s.ids) < v_want then (select l.number from looked l offset v_left - 1 limit 1) end
      into v_more, v_looked, v_stop from seen s;
    end if;
    v_ids := v_ids || v_more;
    if cardinality(v_ids) = 51 then
      return (v_ids, null)::app.found;
    end if;
    v_left := v_left - v_looked - 1;
    if v_left <= 0 then
      v_stop := coalesce(v_stop, case when p_up then v_last else v_first end);
      return (v_ids, private.seal_cursor('messages ' || p_conversation, v_stop, p_conversation))::app.found;
    end if;
  end loop;
  return (v_ids, null)::app.found;
end $$;
comment on function private.find_messages is
  'The next messages of a conversation that the caller sees, within the spans in which they took part: messages '
  'after the number p_from if p_up is true, otherwise before it. It reads at most 400 messages and spans together.';
call private.force_index_scans('private.find_messages');

create function private.find_changed_messages(p_conversation uuid, p_from app.place) returns app.found
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
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
end $$;
comment on function private.find_changed_messages is
  'The next messages of a conversation that the caller sees and that were edited, deleted or reacted to after a '
  'place, among the next 400, oldest change first.';
call private.force_index_scans('private.find_changed_messages');

create function private.note_late_message() returns trigger
language plpgsql security definer   -- callers may not write messages
set search_path = ''
as $$
begin
  if new.changed_at < clock_timestamp() - interval '1 second' then
    -- check again, because the row may have changed again in the same transaction
    update app.messages set changed_at = clock_timestamp()
    where id = new.id and changed_at < clock_timestamp() - interval '1 second';
  end if;
  return null;
end $$;
comment on function private.note_late_message is
  'Trigger, at commit: does the same for changed messages as private.note_late_change for notifications.';
create constraint trigger note_late_message after update of changed_at on app.messages
  deferrable initially deferred for each row execute function private.note_late_message();

create function private.changed_cursor(p_id uuid) returns text
language plpgsql stable security definer   -- people read messages only through operations
set search_path = ''
as $$
begin
  return (select private.place_cursor('changed messages ' || conversation_id, changed_at, id)
          from app.messages where id = p_id);
end $$;
comment on function private.changed_cursor is 'A cursor for the place of a message in a list of changes.';

create function api.list_messages(
  p_id uuid, p_after uuid default null, p_changed_since timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  c_behind constant bigint := 9223372036854775807;
  v_id    uuid := (private.require_member(p_id)).id;
  v_from  text := coalesce(p_cursor, p_after::text);
  v_place app.place;
  v_found app.found;
begin
  if p_after is not null and p_changed_since is not null then
    perform private.raise_error('message_selection');
  end if;
  if p_changed_since is not null then
    -- a commit takes time, so an earlier change may become visible after a later one
    v_place := (p_changed_since - interval '3 seconds', '00000000-0000-0000-0000-000000000000')::app.place;
    if p_cursor is not null then
      v_place := private.cursor_place('changed messages ' || v_id, p_cursor);
      if v_place.at is null then
        perform private.raise_error('cursor_unknown');
      end if;
    end if;
    v_found := private.find_changed_messages(v_id, v_place);
    return private.page(private.message_cards(v_found.ids[:p_limit]),
                        array_fill(private.changed_cursor(v_found.ids[p_limit]),
                                   array[cardinality(v_found.ids)]), p_limit, v_found.next);
  end if;
  v_found := private.find_messages(
    v_id, case when v_from is null then c_behind else private.require_number(v_id, v_from) end,
    p_after is not null);
  return private.page(private.message_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_messages is
  'The messages of a conversation that the caller sees, newest first. With p_after it lists the messages after that '
  'message, oldest first. With p_changed_since it lists messages that were edited, deleted or reacted to since that '
  'time, or up to 3 seconds before it, oldest change first.';

create function api.get_message(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_message_card(p_id); end $$;
comment on function api.get_message is 'The card of a message.';

-- conversations

create function private.conversation_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the query takes longer than running it
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', c.id,
             'kind', c.kind,
             'title', c.title,
             'members', (
               select coalesce(json_agg(json_build_object(
                        'person', p.card,
                        'role', o.role,
                        'lastReadAt', case when o.user_id = me.user_id then private.utc(o.last_read_at) end,
                        'joinedAt', private.utc(o.joined_at)) order by o.joined_at, p.actor_id), '[]')
               from app.conversation_members o
               join app.person_card p on p.id = o.user_id
               where o.conversation_id = c.id and private.sees_in(c.kind = 'direct', me.user_id, o.user_id)),
             'lastMessage', (select h.card from private.message_heads h
                             where h.id = (select private.find_last_message(c.id))),
             'unreadCount', private.count_unread_messages(c.id),
             'mutedUntil', case when me.muted_until > now()
                                then private.utc(least(me.muted_until, '9999-12-31 23:59:59.999Z')) end,
             'createdAt', private.utc(c.created_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.conversation_members me on me.conversation_id = i.id and me.user_id = app.uid()
    join app.conversations c on c.id = i.id);
end $$;
comment on function private.conversation_cards is
  'The cards of these conversations, in order, without those in which the caller does not take part: {id, kind, '
  'title, members, lastMessage, unreadCount, mutedUntil, createdAt}. A card shows only members and messages that the '
  'caller sees.';

create function private.require_conversation_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('conversation_unknown', private.conversation_cards(array[p_id]) -> 0); end $$;
comment on function private.require_conversation_card is
  'Returns the card of a conversation in which the caller takes part.';

create function api.get_conversation(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_conversation_card(p_id); end $$;
comment on function api.get_conversation is 'A conversation in which the caller takes part.';

create function private.is_conversation_named(p_conversation app.conversations, p_words text) returns boolean
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return strpos(private.fold(p_conversation.title), p_words) > 0
      or exists (select
                 from app.conversation_members m
                 join app.users u on u.id = m.user_id
                 where m.conversation_id = p_conversation.id and m.user_id <> app.uid()
                   and private.sees_in(p_conversation.kind = 'direct', app.uid(), m.user_id)
                   and strpos(private.fold(concat_ws(' ', u.first_name, u.last_name, u.username)), p_words) > 0);
end $$;
comment on function private.is_conversation_named is
  'Returns whether these folded words are in the title of a conversation, or in the name of another member whom the '
  'caller sees.';

create function private.find_conversations(p_kind text, p_unread boolean, p_q text, p_from app.place) returns app.found
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
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
end $$;
comment on function private.find_conversations is
  'The next conversations of the caller. Filters: a kind, a name, only conversations with unread messages. It reads '
  'the next 400 conversations, and in them at most 10,000 messages and members.';
call private.force_index_scans('private.find_conversations');

create function private.conversation_place(p_id uuid) returns app.place
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return (select (m.latest_at, m.conversation_id)::app.place from app.conversation_members m
          where m.conversation_id = p_id and m.user_id = app.uid());
end $$;
comment on function private.conversation_place is
  'The place of a conversation in the caller''s list; null if they are not in it.';

create function api.list_conversations(
  p_kind text default null, p_unread boolean default null, p_q text default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
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
end $$;
comment on function api.list_conversations is
  'The caller''s conversations, ordered by the latest message that they receive, newest first.';

create function private.count_unread_conversations() returns integer
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
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
end $$;
comment on function private.count_unread_conversations is
  'The number of conversations with a message that the caller has not read, without muted conversations, up to 99. '
  'It reads the first 1000 conversations of the caller''s list, and in them at most 20,000 messages.';
call private.force_index_scans('private.count_unread_conversations');

create function api.count_unread_conversations() returns json
language plpgsql stable
set search_path = ''
as $$ begin return json_build_object('count', private.count_unread_conversations()); end $$;
comment on function api.count_unread_conversations is
  'The number of conversations with unread messages, without conversations that the caller muted: {count}.';
