-- A mention is @username or @username@domain in a post or a reply. It notifies the person, once per text. An edit
-- notifies nobody. docs/decisions.md, Posts.

insert into private.event_types (name, payload, happens) values
  ('posts.person.mentioned', '{userId,byId,postId,replyId}',
   'a published post or reply mentions a person who may see it; replyId is null for a post');

insert into private.lock_kinds (kind, position) values ('mentions', 512);
insert into private.write_limits (kind, per_hour, lock_kind) values ('mentions', 300, 'mentions');

create function private.names_in(p_text text) returns text[]
language plpgsql stable
set search_path = ''
as $$
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
end $$;
comment on function private.names_in is
  'The distinct names that a text mentions, in the order of their first mention, even if such people do not exist. '
  'The function checks the first 200 mentions in the first 10,000 characters, because publishing waits for it.';

create function private.people_named(p_names text[]) returns uuid[]
language plpgsql stable security definer   -- also finds people whom the writer cannot see
set search_path = ''
as $$
begin
  return array(
    select n.user_id
    from unnest(p_names) with ordinality as m (name, place)
    join app.usernames n on n.hash = private.username_hash(m.name) and n.user_id is not null
    group by n.user_id
    order by min(m.place));
end $$;
comment on function private.people_named is 'The people with these present or former names, each once, in order.';

create function private.mention_people(p_text text, p_writer uuid, p_post uuid, p_reply uuid default null) returns void
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function private.mention_people is
  'Emits posts.person.mentioned for each of the first 20 people whom a text mentions, except the writer, people '
  'with a block between them and the writer, people who may not see the post, and people who don''t follow a limited '
  'writer. Up to 20 names per text count towards the writer''s hourly limit.';

create function private.mention_in_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.mention_people(concat_ws(e'\n', p.title, p.body), p.author_id, p.id)
  from app.posts p where p.id = (p_event ->> 'postId')::uuid and p.hidden_at is null;
end $$;
comment on function private.mention_in_post is
  'Listener: emits the mentions of a post when it is published, which for a scheduled post is later than its '
  'insert. It is the last listener, and skips a post that another listener has hidden.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.mention_in_post', 960);

create function private.mention_in_reply(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.mention_people(r.body, r.author_id, r.post_id, r.id)
  from app.replies r where r.id = (p_event ->> 'replyId')::uuid and r.hidden_at is null;
end $$;
comment on function private.mention_in_reply is
  'Listener: emits the mentions of a reply, as private.mention_in_post does.';
insert into private.event_listeners (event, listener, position) values
  ('posts.reply.created', 'private.mention_in_reply', 960);
