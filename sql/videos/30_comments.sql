-- Comments on videos, oldest first. The author of a comment can take it back.

create table app.video_comments (
  id             uuid primary key default gen_random_uuid(),
  video_id       uuid not null references app.contents on delete cascade,
  author_id      uuid not null references app.users on delete restrict,
  body           text not null,
  removed_at     timestamptz,
  author_hidden  boolean not null default false,
  created_at     timestamptz not null default now(),
  required_level smallint not null generated always as (
    case when removed_at is not null or author_hidden then 4 else 0 end) stored,
  -- the text of a removed comment may be empty
  constraint comment_body check (removed_at is not null or length(private.trimmed(body)) between 1 and 2000)
);
-- this index leaves out comments that nobody sees, so that readers don't scan thousands of comments by banned people
create index video_comments_video_id_idx on app.video_comments (video_id, created_at, id) where required_level = 0;
-- used when comments are deleted with their video
create index video_comments_all_idx on app.video_comments (video_id);
create index video_comments_author_id_idx on app.video_comments (author_id, created_at desc, id desc);
comment on table app.video_comments is 'Comments on videos. The row of a removed comment is kept.';
comment on column app.video_comments.removed_at is
  'When the author removed the comment, which hides it from everybody; null otherwise.';
comment on column app.video_comments.author_hidden is
  'Whether the author is banned or erased. A ban or an erasure sets it immediately for the newest 500 comments, and '
  'the worker for the others (private.hide_or_show_comments). Until then app.hidden_people hides them.';
comment on column app.video_comments.required_level is
  'The same as app.contents.required_level. The required level of the video applies, too.';

insert into private.write_limits (kind, per_hour) values ('comments', 600);
insert into private.content_cascades (relation, kind, whose) values ('app.video_comments', 'video', 'video_id = $1');
insert into private.errors (code, status, text) values
  ('comment_unknown', 404, 'There is no such comment.'),
  ('comment_body', 422, 'A comment must have 1 to 2000 characters.');

create trigger check_author before insert on app.video_comments
  for each row execute function private.check_author();

create function private.count_comments() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
declare
  v_there uuid[] := array(select w.video_id from written w where w.required_level = 0);
  v_were  uuid[];
  v_video uuid;
  v_more  integer;
begin
  if tg_op = 'UPDATE' then
    v_were := array(select o.video_id from overwritten o where o.required_level = 0);
  end if;
  for v_video, v_more in
    select c.video_id, sum(c.one)
    from (select unnest(v_there), 1 union all select unnest(v_were), -1) c (video_id, one)
    group by c.video_id having sum(c.one) <> 0
    order by c.video_id
  loop
    update app.video_counters set comments = comments + v_more where video_id = v_video;
  end loop;
  return null;
end $$;
comment on function private.count_comments is
  'Trigger: counts the comments that everybody may see, like replies to posts. It leaves out comments that were '
  'taken back, and comments of banned or erased people.';
create trigger count_comments after insert on app.video_comments
  referencing new table as written for each statement execute function private.count_comments();
create trigger count_changed_comments after update on app.video_comments
  referencing old table as overwritten new table as written
  for each statement execute function private.count_comments();

create view app.video_comment_card with (security_invoker) as
select c.id,
       json_build_object(
         'id', c.id,
         'videoId', c.video_id,
         'authorId', author.actor_id,
         'author', author.card,
         'body', c.body,
         'removedAt', private.utc(c.removed_at),
         'createdAt', private.utc(c.created_at)) as card
from app.video_comments c
join app.person_card author on author.id = c.author_id;
comment on view app.video_comment_card is
  'A comment as the viewer sees it: {id, videoId, authorId, author, body, removedAt, createdAt}.';

create function private.require_comment(p_id uuid) returns app.video_comments
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_comment app.video_comments;
begin
  select * into v_comment from app.video_comments where id = p_id;
  if not found then
    perform private.raise_error('comment_unknown');
  end if;
  return v_comment;
end $$;
comment on function private.require_comment is 'Returns the comment if the caller may see it and its video.';

create function private.find_comments(p_video uuid, p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden comments
set search_path = ''
as $$
declare
  v_from  timestamptz := p_from.at;
  v_after uuid := p_from.id;
  v_found app.found;
begin
  with looked as materialized (
    select created_at, id, author_id from app.video_comments
    where video_id = p_video and required_level = 0 and (created_at, id) > (v_from, v_after)
    order by created_at, id limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral private.visibility(l.author_id, 0) v
      where v.is_visible
      order by l.created_at, l.id limit 201) as ids
  )
  select s.ids, case when cardinality(s.ids) < 201
                     then (select private.place_cursor('comments ' || p_video, l.created_at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_comments is
  'The next 201 comments on a video that the caller can see, one more than an answer has, among the next 400, '
  'oldest first.';
call private.force_index_scans('private.find_comments');

create function private.comment_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- the calling function has checked that they are visible
set search_path = ''
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.video_comment_card c on c.id = i.id);
end $$;
comment on function private.comment_cards is 'The cards of these comments, in order.';
call private.force_index_scans('private.comment_cards');

create function private.find_comment_time(p_comment uuid, p_video uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays valid when its comment is deleted or hidden
set search_path = ''
as $$
begin
  return (
    select created_at from app.video_comments
    where id = p_comment and video_id = p_video and private.may_meet(private.find_level(app.uid(), author_id)));
end $$;
comment on function private.find_comment_time is
  'Returns the time when a comment on this video was written; null if there is no such comment, or if the caller '
  'and its author may not see each other.';

create function api.list_video_comments(p_id uuid, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
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
end $$;
comment on function api.list_video_comments is 'The comments on a video, oldest first, 200 on a page.';

create function api.create_video_comment(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
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
end $$;
comment on function api.create_video_comment is 'Comments on a video. Fails: comment_body.';

create function private.remove_comment(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not change comments
set search_path = ''
as $$
begin
  perform private.lock_video_counters(array(
    select video_id from app.video_comments where id = p_id and author_id = private.require_caller()));
  update app.video_comments set removed_at = now()
  where id = p_id and author_id = private.require_caller() and removed_at is null;
  return found;
end $$;
comment on function private.remove_comment is
  'Takes the caller''s own comment back, even on a video that they can no longer see. Returns false if there is none.';

create function api.delete_video_comment(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.remove_comment(p_id) then
    perform private.require_comment(p_id);
    perform private.raise_error('content_not_yours');
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_video_comment is 'Takes the caller''s comment back, so that nobody can see it.';

create function private.require_reported_comment(p_type text, p_target text) returns uuid
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$ begin return (private.require_comment(private.require_uuid(p_target, 'comment_unknown'))).id; end $$;
comment on function private.require_reported_comment is
  'Returns the comment that a report names, if the caller may see it.';
insert into private.report_targets (type, finder, author, place) values
  ('video-comment', 'private.require_reported_comment', 'select author_id from app.video_comments where id = $1',
   'select c.space_id, null::text, v.body, v.removed_at is not null
    from app.video_comments v join app.contents c on c.id = v.video_id where v.id = $1');
