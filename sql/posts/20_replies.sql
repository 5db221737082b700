-- Replies of four kinds. With a reply, a person answers a post, or another reply to the post.

create table app.replies (
  id              uuid primary key default gen_random_uuid(),
  post_id         uuid not null references app.posts on delete restrict,
  author_id       uuid not null references app.users on delete restrict,
  parent_id       uuid references app.replies on delete restrict,
  kind            text not null default 'reply' check (kind in ('reply', 'reaction', 'criticism', 'contribution')),
  body            text not null,
  hidden_at       timestamptz,
  deleted_at      timestamptz,
  author_banned   boolean not null default false,
  created_at      timestamptz not null default now(),
  required_level  smallint not null generated always as (
    case when deleted_at is not null or author_banned then 4 when hidden_at is not null then 3 else 0 end) stored,
  -- erasure empties the words of deleted replies
  constraint reply_body check (deleted_at is not null or
    length(private.trimmed(body)) between 1 and case kind when 'reaction' then 280 else 5000 end),
  constraint criticism_length check (deleted_at is not null or kind <> 'criticism'
    or length(private.trimmed(body)) between 50 and 300),
  constraint contribution_length check (deleted_at is not null or kind <> 'contribution'
    or length(private.trimmed(body)) >= 100)
);
-- these indexes have the replies that everyone sees, so that reads need not scan replies that are hidden, deleted or
-- by banned people
create index replies_post_id_idx on app.replies (post_id, created_at, id) where required_level = 0;
create index replies_kind_idx on app.replies (post_id, kind, created_at, id) where required_level = 0;
create index replies_parent_id_idx on app.replies (parent_id, created_at, id)
  where parent_id is not null and required_level = 0;
create index replies_parent_kind_idx on app.replies (parent_id, kind, created_at, id)
  where parent_id is not null and required_level = 0;
create index replies_own_idx on app.replies (post_id, author_id, created_at, id) where required_level = 3;
create index replies_author_id_idx on app.replies (author_id, created_at desc, id desc);
comment on table app.replies is 'Replies to posts. Deleted and hidden replies keep their rows.';
comment on column app.replies.hidden_at is
  'When staff, a space or a rule hid the reply from everyone but its author; null if it is not hidden.';
comment on column app.replies.deleted_at is
  'When the reply was deleted, for everyone and permanently; null if it was not.';
comment on column app.replies.parent_id is
  'The reply under the same post that this reply answers; null if it answers the post.';
comment on column app.replies.required_level is
  'The same as app.posts.required_level. A viewer also needs the required level of the post.';

insert into private.event_types (name, payload, happens) values
  ('posts.reply.created', '{replyId,postId,authorId}',
   'somebody has replied to a post');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('posts.reply.created', 'post', 'postId', '{postId,replyId}', '{authorId}');

insert into private.errors (code, status, text) values
  ('reply_unknown', 404, 'There is no such reply.'),
  ('reply_body', 422, 'A reply must have a body of up to 5000 characters, a reaction of up to 280.'),
  ('criticism_length', 422, 'A criticism must have 50 to 300 characters.'),
  ('contribution_length', 422, 'A contribution must have at least 100 characters.');
insert into private.write_limits (kind, per_hour) values ('replies', 600);

create trigger check_author before insert on app.replies for each row execute function private.check_author();

create function private.check_parent() returns trigger
language plpgsql   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
begin
  perform from app.replies where id = new.parent_id and post_id = new.post_id;
  if not found then
    perform private.raise_error('reply_unknown');
  end if;
  return new;
end $$;
comment on function private.check_parent is
  'Trigger: rejects an answer to a reply that is not under the same post, or not visible to the author of the new '
  'reply.';
create trigger check_parent before insert on app.replies
  for each row when (new.parent_id is not null) execute function private.check_parent();

create function private.count_replies() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
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
end $$;
comment on function private.count_replies is
  'Trigger: counts the replies that everyone can see, without replies that are hidden, deleted or by banned people. '
  'It also counts the replies of bots separately.';
create trigger count_replies after insert on app.replies
  referencing new table as written for each statement execute function private.count_replies();
create trigger count_changed_replies after update on app.replies
  referencing old table as overwritten new table as written
  for each statement execute function private.count_replies();

create function private.require_reply(p_reply uuid) returns app.replies
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_reply app.replies;
begin
  select * into v_reply from app.replies where id = p_reply;
  if not found then
    perform private.raise_error('reply_unknown');
  end if;
  return v_reply;
end $$;
comment on function private.require_reply is 'Returns the reply if the caller may see it and its post.';

create function private.find_reply_time(p_reply uuid, p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays valid when its reply is deleted or hidden
set search_path = ''
as $$
begin
  return (
    select created_at from app.replies
    where id = p_reply and post_id = p_post and private.may_meet(private.find_level(app.uid(), author_id)));
end $$;
comment on function private.find_reply_time is
  'The time of a cursor''s reply under this post, even if the reply is deleted. Null if the caller and its author '
  'have a block between them.';

create view private.visible_replies with (security_invoker) as
select r.*
from app.replies r
cross join lateral private.visibility(r.author_id, r.required_level) v
where v.is_visible
  and (select true from private.visible_posts p where p.id = r.post_id);
comment on view private.visible_replies is
  'The replies that the caller may see, for definer functions, to which policies do not apply.';

create view app.reply_card with (security_invoker) as
select r.id, row_to_json(c) as card
from private.visible_replies r
join app.person_card author on author.id = r.author_id
cross join lateral (
  select r.id,
         r.post_id as "postId",
         (select parent.id from private.visible_replies parent where parent.id = r.parent_id) as "parentId",
         author.actor_id as "authorId",
         author.card as author,
         r.kind,
         r.body,
         private.utc(r.hidden_at) as "hiddenAt",
         private.utc(r.created_at) as "createdAt") c;
comment on view app.reply_card is
  'A reply as its viewer sees it: {id, postId, parentId, authorId, author, kind, body, hiddenAt, createdAt}. Only '
  'private.reply_cards reads this view.';

create function private.reply_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks a reply and its author together, and only once
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.reply_card c on c.id = i.id);
end $$;
comment on function private.reply_cards is 'The cards of these replies that the caller sees, in order.';
call private.force_index_scans('private.reply_cards');

create function private.people_of_reply(p_reply uuid) returns uuid[]
language plpgsql stable security definer   -- a block may have hidden the answered reply from the caller meanwhile
set search_path = ''
as $$
begin
  return (
    select array[r.author_id, p.author_id, parent.author_id]
    from app.replies r
    join app.posts p on p.id = r.post_id
    left join app.replies parent on parent.id = r.parent_id
    where r.id = p_reply);
end $$;
comment on function private.people_of_reply is
  'The people whom a reply concerns: its author, the author of the post, and the author of the reply that it answers '
  '(null if it answers the post).';

create function api.create_reply(p_id uuid, p_body text, p_kind text default 'reply', p_parent_id uuid default null)
returns json
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function api.create_reply is
  'Replies to a post (to the original of a repost), or to a reply under it. Fails: reply_unknown, reply_body, '
  'criticism_length, contribution_length.';

create function private.find_replies(p_post uuid, p_parent uuid, p_kind text, p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden replies
set search_path = ''
as $$
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
end $$;
comment on function private.find_replies is
  'The next replies that the caller may see under a post that they see, or under one of its replies, of all kinds '
  'or of one kind. It reads the next 400 of the replies that everyone sees and of the caller''s own.';
call private.force_index_scans('private.find_replies');

create function api.list_replies(
  p_id uuid, p_kind text default null, p_limit integer default 20, p_cursor text default null,
  p_parent_id uuid default null
) returns json
language plpgsql stable
set search_path = ''
as $$
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
end $$;
comment on function api.list_replies is
  'The replies to a post (to the original of a repost), oldest first: all replies, the replies of one kind, or the '
  'direct answers to one reply.';

insert into private.links (type, path) values ('reply', '/replies/{id}');
