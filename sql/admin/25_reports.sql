-- What people reported, as staff sees it. sql/moderation/10_cases.sql and sql/moderation/25_case_lists.sql have the
-- operations that list and settle reports. docs/decisions.md, Staff; Circles and blocks.

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

insert into private.links (type, path) values ('report', '/reports/{id}');
