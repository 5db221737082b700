-- What people reported, as staff sees it. How staff settles reports: sql/moderation/10_cases.sql.
-- docs/decisions.md, Staff; Circles and blocks.

create index reports_created_at_idx on app.reports (created_at desc, id desc);

insert into private.errors (code, status, text) values
  ('report_unknown', 404, 'There is no such report.');

create view private.staff_reports with (security_invoker) as
select r.created_at as at, r.id, r.status, r.target_type, r.target_id, r.reporter_id, r.reason as said,
       json_build_object(
         'id', r.id,
         'reporterId', r.reporter_id,
         'reporter', reporter.card,
         'targetType', r.target_type,
         'targetId', r.target_id,
         'reason', r.reason,
         'category', r.category,
         'copy', r.copy,
         'status', r.status,
         'reviewedById', r.reviewed_by,
         'reviewedAt', private.utc(r.reviewed_at),
         'createdAt', private.utc(r.created_at)) as card
from app.reports r
join app.person_card reporter on reporter.id = r.reporter_id;
comment on view private.staff_reports is
  'Reports as staff sees them. Of a reported message, staff sees only the copy, as its reporter saw it.';

create function api.list_reports(
  p_status text default null, p_target_type text default null, p_reporter_id text default null,
  p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_target uuid;
begin
  perform private.require_role('moderator', 'admin');
  if pg_input_is_valid(p_q, 'uuid') then
    if not exists (select from app.reports where id = p_q::uuid) then
      v_target := p_q::uuid;
    end if;
  end if;
  return private.staff_page(
    'reports', json_build_object('status', p_status, 'target_type', p_target_type, 'target_id', v_target,
                                 'reporter_id', private.find_staff_person(p_reporter_id)),
    array['status'], case when v_target is null then p_q end, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_reports is 'Reports, newest first. An id in p_q is the id of a report or of its target.';

insert into private.links (type, path) values ('report', '/reports/{id}');
