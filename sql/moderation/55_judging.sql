-- Rules judge things at their publication or edit, soon after, and when they are reported. docs/decisions.md, Staff.

insert into private.event_types (name, payload, happens) values
  ('moderation.rule.hit', '{targetType,targetId,authorId,hidden}',
   'a thing fits a live rule; `hidden` says whether it was hidden');

create function private.media_addresses(p_media jsonb) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_media <> '[]' then array(
    select a from jsonb_array_elements(p_media) m
    cross join lateral unnest(array[m ->> 'url', m ->> 'posterUrl']) a
    where a is not null) end;
end $$;
comment on function private.media_addresses is 'The addresses in the media of a post; null if it has none.';

create function private.find_post_versions(p_type text, p_id uuid, p_since timestamptz) returns private.judged[]
language plpgsql stable security definer   -- rules judge what callers may not see
set search_path = ''
as $$
begin
  return (
    select array_agg((p_type, p.id, p.author_id, w.at, array[w.title, w.body],
                      coalesce(w.words, private.keyword_words(private.keyword_text(array[w.title, w.body]))),
                      private.media_addresses(w.media))::private.judged
                     order by w.at desc, w.version desc nulls first)
    from app.posts p
    cross join lateral (
      select null::integer as version, p.title, p.body, p.media, p.keyword_words as words,
             coalesce(l.created_at, p.published_at) as at, l.created_at is null as is_first
      from (values (1)) one left join lateral (
        select v.created_at from app.post_versions v where v.post_id = p.id order by v.version desc limit 1) l on true
      union all
      (select v.version, v.title, v.body, v.media, null, coalesce(b.created_at, p.published_at), v.version = 1
       from app.post_versions v
       left join app.post_versions b on b.post_id = v.post_id and b.version = v.version - 1
       where v.post_id = p.id order by v.version desc limit 19)) w
    where p.id = p_id and p.published_at is not null and w.at >= p_since
      and not (p.imported_at is not null and w.is_first));
end $$;
comment on function private.find_post_versions is
  'The last 20 versions of a published post, except an imported version.';
call private.force_index_scans('private.find_post_versions');

create function private.find_reply_versions(p_type text, p_id uuid, p_since timestamptz) returns private.judged[]
language plpgsql stable security definer   -- rules judge what callers may not see
set search_path = ''
as $$
begin
  return (
    select array[(p_type, r.id, r.author_id, r.created_at, array[r.body],
                  private.keyword_words(private.keyword_text(array[r.body])), null)::private.judged]
    from app.replies r where r.id = p_id and r.created_at >= p_since);
end $$;
comment on function private.find_reply_versions is 'The only version of a reply, because replies can''t be edited.';

create function private.find_content_versions(p_type text, p_id uuid, p_since timestamptz) returns private.judged[]
language plpgsql stable security definer   -- rules judge what callers may not see
set search_path = ''
as $$
begin
  return (
    select array[(p_type, c.id, c.author_id, w.at, array[t.title, t.body],
                  private.keyword_words(private.keyword_text(array[t.title, t.body])),
                  case p_type
                    when 'video' then (select array[v.media_url, v.thumbnail_url] from app.videos v where v.id = p_id)
                    when 'audio' then (select array[a.media_url] from app.audio a where a.id = p_id)
                  end)::private.judged]
    from app.contents c
    cross join lateral (select coalesce(c.edited_at, c.created_at) as at) w
    cross join lateral private.find_reported_place(p_type, p_id) t
    where c.id = p_id and c.kind = p_type and not c.is_draft and c.deleted_at is null and w.at >= p_since);
end $$;
comment on function private.find_content_versions is
  'The current version of a content, with its title, its text and the files of a video or an audio; earlier '
  'versions are not stored. A draft has none.';

create function private.find_course_versions(p_type text, p_id uuid, p_since timestamptz) returns private.judged[]
language plpgsql stable security definer   -- rules judge what callers may not see
set search_path = ''
as $$
declare
  v_course private.judged[] := private.find_content_versions(p_type, p_id, p_since);
begin
  return (
    select v_course || array_agg((p_type, p_id, v_course[1].author_id, v_course[1].at, array[l.title, l.body],
                                  private.keyword_words(private.keyword_text(array[l.title, l.body])),
                                  array[private.asset_url(l.asset_id::text)])::private.judged
                                 order by l.position)
    from app.course_lessons l where l.course_id = p_id and v_course is not null);
end $$;
comment on function private.find_course_versions is
  'The current version of a course and, as further versions, its lessons (at most 200), whose times are not stored. '
  'A draft has none.';
call private.force_index_scans('private.find_course_versions');

create function private.find_child_versions(p_type text, p_id uuid, p_since timestamptz) returns private.judged[]
language plpgsql stable security definer   -- rules judge what callers may not see
set search_path = ''
as $$
begin
  return (
    select array_agg((p_type, p_id, c.author_id, c.at, array[c.body],
                      private.keyword_words(private.keyword_text(array[c.body])), null)::private.judged)
    from (
      select a.author_id, a.created_at as at, a.body from app.debate_arguments a
      where p_type = 'argument' and a.id = p_id and a.deleted_at is null
      union all
      select s.author_id, coalesce(s.edited_at, s.created_at), s.body from app.problem_solutions s
      where p_type = 'solution' and s.id = p_id and s.deleted_at is null
      union all
      select r.author_id, r.created_at, r.body from app.offering_reviews r where p_type = 'review' and r.id = p_id
      union all
      select v.author_id, v.created_at, v.body from app.video_comments v
      where p_type = 'video-comment' and v.id = p_id) c
    where c.at >= p_since);
end $$;
comment on function private.find_child_versions is
  'The current version of an argument, a solution, a review or a comment; earlier versions are not stored.';
call private.force_index_scans('private.find_child_versions');

create function private.case_media(p_type text, p_id uuid) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return (
    select coalesce(json_agg(json_build_object('url', m.url, 'sha256', m.sha256) order by m.url), '[]')
    from (select h.url, h.sha256
          from private.hashed_media(array(
            select a from unnest(private.find_versions(p_type, p_id)) v cross join lateral unnest(v.media) a)) h
          order by h.url limit 50) m);
end $$;
comment on function private.case_media is
  'The files of all versions of a thing that rules judge, with their hashes, at most 50: [{url, sha256}].';

insert into private.judged_types (type, finder, relation, hidden_at, verb, lock_kind, counters) values
  ('post', 'private.find_post_versions', 'app.posts', 'hidden_at', 'hidden', 'post', null),
  ('reply', 'private.find_reply_versions', 'app.replies', 'hidden_at', 'hidden', 'post',
   'select post_id from app.replies where id = $1');
insert into private.judged_types (type, finder, relation, hidden_at, verb, lock_kind)
select kind, case kind when 'course' then 'private.find_course_versions' else 'private.find_content_versions' end,
       'app.contents', 'removed_at', 'removed', 'content'
from private.content_kinds;
insert into private.judged_types (type, finder, relation, hidden_at, verb, lock_kind, present)
select kind, 'private.find_child_versions', relation, 'removed_at', 'removed', 'content',
       case kind when 'review' then 'true' else 'deleted_at is null' end   -- nobody deletes reviews
from private.content_child_kinds;
insert into private.judged_types (type, finder) values ('video-comment', 'private.find_child_versions');

create function private.lock_judged(p_type text, p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_type  private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_posts uuid[];
begin
  if v_type.relation is null then
    return;
  end if;
  if v_type.counters is not null then
    -- safe: the query comes from the registry
    execute format('select array(%s)', v_type.counters) into v_posts using p_id;
    perform private.lock_counters(v_posts);
  end if;
  perform private.check_lock_order(v_type.lock_kind, p_id::text);
end $$;
comment on function private.lock_judged is
  'Takes the locks that come before the lock of a thing when the thing is hidden. The caller locks the thing next: '
  'ARCHITECTURE.md, Locks.';

create function private.hide_by_rule(p_type text, p_id uuid) returns boolean
language plpgsql volatile security definer   -- neither the author nor the reporter may hide a thing
set search_path = ''
as $$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_hidden uuid;
begin
  if v_type.relation is null then
    return false;
  end if;
  -- safe: the names and the condition come from the registry
  execute format('update %1$s set %2$I = now() where id = $1 and %2$I is null and %3$s returning id',
                 v_type.relation, v_type.hidden_at, v_type.present) into v_hidden using p_id;
  return v_hidden is not null;
end $$;
comment on function private.hide_by_rule is
  'Hides a thing from everyone but its author, as staff hides or removes it. The worker leaves the audit entry. '
  'Returns false if it was hidden or deleted before, or if rules can''t hide things of its type.';

create function private.judge(
  p_type text, p_id uuid, p_judged text[], p_since timestamptz default '-infinity'
) returns boolean
language plpgsql volatile security definer   -- callers may not read rules or write hits
set search_path = ''
as $$
declare
  v_versions private.judged[];
  v_author   uuid;
  v_rule     record;
  v_live     uuid[] := '{}';
  v_hides    boolean := false;
  v_hidden   boolean;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = any (p_judged) and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_author is null then
      v_versions := private.find_versions(p_type, p_id, p_since);
      exit when v_versions is null;
      v_author := v_versions[1].author_id;
    end if;
    continue when (private.find_fitting(v_rule.compiled, v_versions)).id is null;
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_author, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = '{at a report}' then
      perform private.lock_judged(p_type, p_id);   -- the thing is older, so others may have locked it
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    if v_hidden then
      update app.rule_hits set hid = true where target_id = p_id and rule_id = any (v_live) and action = 'hide';
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'hidden', v_hidden), array[v_author]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'ruleIds', to_json(v_live), 'hidden', v_hidden));
  end if;
  return coalesce(v_hidden, false);
end $$;
comment on function private.judge is
  'Judges the versions of a thing since p_since by the rules whose app.moderation_rules.judged is in p_judged. '
  'Records a hit once for each rule, and hides the thing if a live rule says so. The worker then opens a case for '
  'the hits of live rules. Returns whether the thing was hidden by this call.';

create function private.judge_new(p_type text, p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write hits
set search_path = ''
as $$
begin
  if private.judge(p_type, p_id, '{at once}') then
    update app.rule_hits set held = true where target_id = p_id;
  end if;
end $$;
comment on function private.judge_new is 'Judges a thing that nobody else has seen by the live rules that hide.';

create function private.judge_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$ begin perform private.judge_new('post', (p_event ->> 'postId')::uuid); end $$;
comment on function private.judge_post is
  'Listener: judges a post by the live rules that hide, before anybody else sees it. Only the listener for mentions '
  'runs later, because hiding locks documents of the search (ARCHITECTURE.md, Locks). Earlier listeners only leave '
  'effects, which will find the post hidden.';

create function private.judge_reply(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$ begin perform private.judge_new('reply', (p_event ->> 'replyId')::uuid); end $$;
comment on function private.judge_reply is 'Listener: does the same as private.judge_post, for a reply.';

create function private.judge_edited_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$ begin perform private.judge('post', (p_event ->> 'postId')::uuid, '{at once,at a report}', now()); end $$;
comment on function private.judge_edited_post is
  'Listener: judges a post after an edit, if the edit made a new version by changing the text or the media. It also '
  'applies the rules about reports, because after an edit such a rule can hit a post that was reported earlier.';

create function private.judge_published(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- a reply has effects for several people, and its author is always among them
  perform private.judge(w.type, w.id, '{soon}')
  from (select case when e.payload ? 'replyId' then 'reply' else 'post' end as type,
               coalesce(e.payload ->> 'replyId', e.payload ->> 'postId')::uuid as id
        from unnest(p_effects) e
        where e.user_id = (e.payload ->> 'authorId')::uuid
        order by e.id) w;
end $$;
comment on function private.judge_published is
  'Listener: judges posts and replies by the rules that are in shadow or only open a case.';

create function private.judge_edited(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.judge('post', (e.payload ->> 'postId')::uuid, '{soon}', e.caused_at)
  from (select * from unnest(p_effects) order by id) e;
end $$;
comment on function private.judge_edited is 'Listener: does the same as private.judge_published, for edits of posts.';

create function private.judge_reported() returns trigger
language plpgsql security definer   -- the reporter may not read rules
set search_path = ''
as $$
begin
  perform private.judge(new.target_type, new.target_id, '{at a report}');
  return null;
end $$;
comment on function private.judge_reported is 'Trigger: judges a reported thing by the rules about reports.';
create trigger _110_judge_reported after insert on app.reports
  for each row execute function private.judge_reported();

insert into private.event_types (name, payload, happens) values
  ('moderation.content.written', '{contentId,kind,authorId}',
   'a content, or what somebody wrote within one, is published or edited and a rule judges its kind');

create function private.judge_at_commit(p_type text, p_id uuid, p_author uuid) returns void
language plpgsql volatile security definer   -- the author may not read rules
set search_path = ''
as $$
begin
  perform private.judge(p_type, p_id, '{at once,at a report}');
  if exists (select from app.moderation_rules r where r.judged = 'soon' and p_type = any (r.applies_to)) then
    perform private.emit('moderation.content.written', json_build_object(
      'contentId', p_id, 'kind', p_type, 'authorId', p_author), array[p_author]);
  end if;
end $$;
comment on function private.judge_at_commit is 'Judges a thing that its author has published or edited.';

create function private.judge_content() returns trigger
language plpgsql security definer   -- the author may not read rules
set search_path = ''
as $$
begin
  perform private.judge_at_commit(new.kind, new.id, new.author_id);
  return null;
end $$;
comment on function private.judge_content is 'Trigger: judges a content that its author has published or edited.';
-- runs at commit, because the detail, which contains the text, is written after the head, but before the search
-- indexes the content
create constraint trigger _190_judge_new_content after insert on app.contents
  deferrable initially deferred for each row execute function private.judge_content();
create constraint trigger _190_judge_edited_content after update of edited_at, is_draft on app.contents
  deferrable initially deferred for each row
  when (new.deleted_at is null and (new.edited_at is distinct from old.edited_at or new.is_draft <> old.is_draft))
  execute function private.judge_content();

create function private.judge_child() returns trigger
language plpgsql security definer   -- the author may not read rules
set search_path = ''
as $$
begin
  perform private.judge_at_commit(tg_argv[0], new.id, new.author_id);
  return null;
end $$;
comment on function private.judge_child is
  'Trigger: judges what somebody has written, or edited, within a content. Its argument is the type.';
create constraint trigger _190_judge_new after insert on app.debate_arguments
  deferrable initially deferred for each row execute function private.judge_child('argument');
create constraint trigger _190_judge_new after insert on app.problem_solutions
  deferrable initially deferred for each row execute function private.judge_child('solution');
create constraint trigger _190_judge_edited after update of edited_at on app.problem_solutions
  deferrable initially deferred for each row
  when (new.deleted_at is null and new.edited_at is distinct from old.edited_at)
  execute function private.judge_child('solution');
create constraint trigger judge_new after insert on app.offering_reviews
  deferrable initially deferred for each row execute function private.judge_child('review');
create constraint trigger judge_new after insert on app.video_comments
  deferrable initially deferred for each row execute function private.judge_child('video-comment');

create function private.judge_lesson() returns trigger
language plpgsql security definer   -- reads the head of the course
set search_path = ''
as $$
begin
  perform private.judge_at_commit('course', new.course_id,
                                  (select author_id from app.contents where id = new.course_id));
  return null;
end $$;
comment on function private.judge_lesson is 'Trigger: judges the course of a lesson that its author has written.';
create constraint trigger _190_judge_new after insert on app.course_lessons
  deferrable initially deferred for each row execute function private.judge_lesson();
create constraint trigger _190_judge_edited after update of title, body, asset_id on app.course_lessons
  deferrable initially deferred for each row
  when ((new.title, new.body) is distinct from (old.title, old.body)
        or (new.asset_id is not null and new.asset_id is distinct from old.asset_id))
  execute function private.judge_lesson();

create function private.judge_written(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.judge(e.payload ->> 'kind', (e.payload ->> 'contentId')::uuid, '{soon}')
  from (select * from unnest(p_effects) order by id) e;
end $$;
comment on function private.judge_written is
  'Listener: does the same as private.judge_published, for contents and what people write within them.';

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.judge_post', 950, 'at once'),
  ('posts.reply.created', 'private.judge_reply', 950, 'at once'),
  ('posts.post.edited', 'private.judge_edited_post', 950, 'at once'),
  ('posts.post.published', 'private.judge_published', 650, 'soon'),
  ('posts.reply.created', 'private.judge_published', 650, 'soon'),
  ('posts.post.edited', 'private.judge_edited', 650, 'soon'),
  ('moderation.content.written', 'private.judge_written', 650, 'soon');
