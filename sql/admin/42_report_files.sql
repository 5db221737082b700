-- What a moderator needs to decide about a report: the reported thing, its author, the other reports of the thing, and
-- earlier decisions about the author. docs/decisions.md, Staff.

create function private.reported_thing(p_type text, p_id uuid) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  if exists (select from private.content_kinds where kind = p_type) then
    return private.staff_contents(array[p_id]) -> 0;
  elsif private.is_child_kind(p_type) then
    return private.staff_children(p_type, array[p_id]) -> 0;
  elsif p_type = 'video-comment' then
    return (
      select json_build_object(
               'id', c.id,
               'videoId', c.video_id,
               'authorId', c.author_id,
               'author', author.card,
               'body', c.body,
               'removedAt', private.utc(c.removed_at),
               'createdAt', private.utc(c.created_at))
      from app.video_comments c join app.person_card author on author.id = c.author_id
      where c.id = p_id);
  end if;
  return case p_type when 'post' then private.staff_card('posts', p_id)
                     when 'reply' then private.staff_card('replies', p_id)
                     when 'user' then private.staff_card('users', p_id)
                     when 'group' then private.staff_card('spaces', p_id)
                     when 'guild' then private.staff_card('spaces', p_id) end;
end $$;
comment on function private.reported_thing is
  'A reported thing as staff sees it. Null for a message, which staff sees only as the copy in its report, and for a '
  'thing that no longer exists.';
call private.force_index_scans('private.reported_thing');

create function private.report_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return (select coalesce(json_agg(r.card order by p.place), '[]')
          from unnest(p_ids) with ordinality as p (id, place)
          join private.staff_reports r on r.id = p.id
          join app.reports o on o.id = p.id
          where not private.is_own_thing(o.target_type, o.target_id, o.author_id));
end $$;
comment on function private.report_cards is
  'These reports as staff sees them, in order, without those about the caller.';
call private.force_index_scans('private.report_cards');

create function private.staff_decisions(p_person uuid, p_bans boolean) returns json
language plpgsql stable security definer   -- callers may not read the log
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return (
    select coalesce(json_agg(json_build_object(
             'action', d.action, 'targetType', d.target_type, 'targetId', d.target_id,
             'createdAt', private.utc(d.created_at)) order by d.id desc), '[]')
    from (select l.*
          from (select audit_id from app.audit_details
                where subject_id = p_person order by audit_id desc limit 400) s
          join app.audit_log l on l.id = s.audit_id
          where (l.action in ('user.banned', 'user.suspended', 'user.unbanned', 'user.limited', 'user.unlimited'))
                = p_bans
          order by l.id desc limit 50) d);
end $$;
comment on function private.staff_decisions is
  'What staff decided against a person, the newest first, up to 50 among the newest 400: bans, limits and their ends, '
  'or what staff hid, showed again, deleted, removed or restored: {action, targetType, targetId, createdAt}.';
call private.force_index_scans('private.staff_decisions');

create function private.report_file(p_report app.reports) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_type   text := (p_report).target_type;
  v_target uuid := (p_report).target_id;
  v_author uuid := (p_report).author_id;
begin
  perform private.require_role('moderator', 'admin');
  return json_build_object(
    'target', private.reported_thing(v_type, v_target),
    'author', case when v_author is not null then
                private.merge_objects(private.staff_card('users', v_author),
                                      private.staff_user_details(v_author)) end,
    'reportsOfTarget', private.report_cards(array(
      select id from app.reports
      -- = any: see private.staff_page
      where target_type = any (array[v_type]) and target_id = any (array[v_target]) and id <> (p_report).id
      order by target_type, target_id, created_at desc, id desc limit 50)),
    'history', case when v_author is not null then json_build_object(
      'reports', private.report_cards(array(
        select r.id from (select id, target_type, target_id, created_at from app.reports
                          where author_id = any (array[v_author])
                          order by author_id, created_at desc, id desc limit 400) r
        where (r.target_type, r.target_id) <> (v_type, v_target)
        order by r.created_at desc, r.id desc limit 50)),
      'decisions', private.staff_decisions(v_author, false),
      'bans', private.staff_decisions(v_author, true)) end);
end $$;
comment on function private.report_file is
  'The details of a report: {target, author, reportsOfTarget, history: {reports, decisions, bans}}. Each list has '
  'the newest 50. author and history are null if the author is unknown.';
call private.force_index_scans('private.report_file');

create function api.get_report(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_report app.reports;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_report from app.reports where id = p_id;
  if not found or private.is_own_thing(v_report.target_type, v_report.target_id, v_report.author_id) then
    perform private.raise_error('report_unknown');
  end if;
  return private.merge_objects(private.staff_card('reports', p_id), private.report_file(v_report));
end $$;
comment on function api.get_report is
  'A report with the reported thing, its author, the other reports of the thing and the author''s history. A report '
  'about the caller is unknown to the caller.';
