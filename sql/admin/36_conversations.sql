-- What staff sees of conversations: numbers and times, but no messages.
-- docs/decisions.md, Staff; Messaging.

create function private.staff_conversations(p_ids uuid[]) returns json
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', c.id,
             'kind', c.kind,
             'memberCount', (select count(*) from app.conversation_members m where m.conversation_id = c.id),
             'messageCount', c.last_number,
             'lastMessageAt', private.utc(c.last_message_at),
             'createdAt', private.utc(c.created_at)) order by p.place)
    from unnest(p_ids) with ordinality as p (id, place) join app.conversations c on c.id = p.id);
end $$;
comment on function private.staff_conversations is
  'Conversations as staff sees them, in order: {id, kind, memberCount, messageCount, lastMessageAt, createdAt}.';

create function private.find_staff_conversations(p_kind text, p_since timestamptz, p_from app.place) returns app.found
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
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
end $$;
comment on function private.find_staff_conversations is
  'Returns conversations of one kind or both among the next 400 rows, newest first, none older than a time.';
call private.force_index_scans('private.find_staff_conversations');

create function private.find_staff_conversation(p_id uuid, p_kind text, p_since timestamptz, p_from app.place)
returns uuid[]
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$
begin
  return array(select c.id from app.conversations c
               where c.id = p_id and (p_kind is null or c.kind = p_kind)
                 and c.created_at >= coalesce(p_since, '-infinity') and (c.created_at, c.id) < (p_from.at, p_from.id));
end $$;
comment on function private.find_staff_conversation is
  'Returns the conversation with this id, if it is of this kind and not older than this time.';

create function private.find_conversation_time(p_id uuid) returns timestamptz
language plpgsql stable security definer   -- people read conversations only through operations
set search_path = ''
as $$ begin return (select created_at from app.conversations where id = p_id); end $$;
comment on function private.find_conversation_time is
  'Returns the time when a conversation began; null if there is no such conversation.';

create function api.list_all_conversations(
  p_kind text default null, p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from   app.place := (coalesce(p_to, 'infinity'), '00000000-0000-0000-0000-000000000000')::app.place;
  v_found  app.found := ('{}', null)::app.found;
begin
  perform private.require_role('moderator', 'admin');
  if p_cursor is not null then
    v_from := private.require_place('all conversations', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_conversation_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  if p_q is null then
    v_found := private.find_staff_conversations(p_kind, p_from, v_from);
  elsif pg_input_is_valid(p_q, 'uuid') then
    v_found.ids := private.find_staff_conversation(p_q::uuid, p_kind, p_from, v_from);
  end if;
  return private.page(private.staff_conversations(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_all_conversations is
  'Conversations as numbers and times, newest first. Filters: one kind, a period, one id. It reads no messages.';
