-- All open reports of one thing make one case, which staff works on and closes.
--
-- Two locks guard a case. A member of staff who works on it holds the lock `case work` from the beginning to the end
-- of the transaction, so that the work of two people never mixes. The row, whose lock has the kind `case`, is locked
-- late, so that a report, or a rule that hits a post while it is written, can add to the case.
-- docs/decisions.md, Staff.

insert into private.lock_kinds (kind, position) values ('case work', 205), ('case', 690);

create table app.cases (
  id            uuid primary key default gen_random_uuid(),
  number        bigint generated always as identity,
  target_type   text not null references private.report_targets on delete restrict,
  target_id     uuid not null,
  person_id     uuid references app.users on delete set null,
  category      text not null references private.case_categories on delete restrict,
  rule          text check (length(rule) <= 300),
  priority      smallint not null check (priority between 1 and 4),
  source        text not null check (source in ('report', 'rule', 'staff', 'space')),
  status        text not null default 'open' check (status in ('open', 'closed')),
  outcome       text check (outcome in ('acted', 'dismissed')),
  reports       integer not null default 0 check (reports >= 0),
  claimed_by    uuid references app.users on delete set null,
  claimed_until timestamptz,
  opened_at     timestamptz not null default now(),
  updated_at    timestamptz not null default clock_timestamp(),
  closed_by     uuid references app.users on delete set null,
  closed_at     timestamptz,
  place         bigint not null generated always as (((5 - priority)::bigint << 48) - number) stored,
  space_id      uuid references app.spaces on delete restrict,
  staff_from    timestamptz not null default now(),
  check ((status = 'closed') = (closed_at is not null)),
  check ((status = 'closed') = (outcome is not null))
);
create unique index cases_open_idx on app.cases (target_type, target_id) where status = 'open';
create unique index cases_number_idx on app.cases (number);
create index cases_target_idx on app.cases (target_type, target_id, number);
create index cases_place_idx on app.cases (place desc);
create index cases_status_idx on app.cases (status, place desc);
create index cases_category_idx on app.cases (category, place desc);
create index cases_person_id_idx on app.cases (person_id, place desc);
create index cases_claimed_by_idx on app.cases (claimed_by, place desc) where claimed_by is not null;
create index cases_closed_by_idx on app.cases (closed_by);
create index cases_space_id_idx on app.cases (space_id, status, opened_at desc, id desc) where space_id is not null;
comment on table app.cases is
  'What staff has to decide. A thing has at most one open case. If it is reported again after its case was closed, '
  'it gets a new case.';
comment on column app.cases.target_id is
  'The thing. The column has no foreign key, because targets are in many tables.';
comment on column app.cases.person_id is
  'The person who is responsible for the thing: its author, or the owner of a space.';
comment on column app.cases.rule is 'Which rule of the instance was broken, in the words of staff.';
comment on column app.cases.priority is
  'The priority, 1 (first) to 4. A report of a more urgent category raises it; no report lowers it.';
comment on column app.cases.source is
  'What opened the case: a report, a rule, a member of staff, or a space that passed it on.';
comment on column app.cases.status is 'open, then closed permanently, with an outcome.';
comment on column app.cases.opened_at is 'When the case was opened.';
comment on column app.cases.closed_at is 'When the case was closed; null while it is open.';
comment on column app.cases.claimed_until is
  'When the claim ends: 30 minutes after the last work on the case. Null if unclaimed.';
comment on column app.cases.reports is 'The number of reports of the case.';
comment on column app.cases.claimed_by is
  'The member of staff who works on the case until claimed_until. After that time the case counts as unclaimed, and '
  'the column has the last person who claimed it.';
comment on column app.cases.place is
  'The place in the queue, highest first: urgent cases first, then the oldest.';
comment on column app.cases.space_id is
  'The group or guild of the reported thing, whose owner and moderators see the case; null if the thing is in none, '
  'or if a rule or staff opened the case.';
comment on column app.cases.staff_from is
  'When an open case enters the queue of staff. Before that time it is in the queue of the space. Staff can list '
  'such cases with waiting=true, and may decide them.';

create table app.case_reports (
  case_id   uuid not null references app.cases on delete cascade,
  report_id uuid not null references app.reports on delete cascade,
  primary key (case_id, report_id)
);
create unique index case_reports_report_id_idx on app.case_reports (report_id);
comment on table app.case_reports is
  'The reports of a case. Reports that were settled before the instance had cases have no case.';

create table app.case_events (
  id       bigint generated always as identity primary key,
  case_id  uuid not null references app.cases on delete cascade,
  kind     text not null check (kind ~ '^[a-z]+(-[a-z]+)*$'),
  actor_id uuid references app.users on delete set null,
  note     text check (length(note) between 1 and 2000),
  detail   jsonb not null default '{}',
  at       timestamptz not null default clock_timestamp()
);
create index case_events_case_id_idx on app.case_events (case_id, id);
create index case_events_actor_id_idx on app.case_events (actor_id, id);
comment on table app.case_events is
  'The history of a case: what happened, who did it, and notes. An erasure of the person concerned empties the notes.';
comment on column app.case_events.kind is
  'opened, added (another report or hint), claimed, released, note, changed, proposed, accepted, declined, an action '
  'such as hide, closed, appealed, or upheld and overturned.';
comment on column app.case_events.actor_id is 'The member of staff who caused the entry; null for reports and rules.';
comment on column app.case_events.detail is 'Ids, codes and numbers, but nothing that people wrote.';

insert into private.errors (code, status, text) values
  ('report_settled', 409, 'This report has already been reviewed or dismissed.');

create function private.add_case_event(p_case uuid, p_kind text, p_note text default null, p_detail json default '{}')
returns void
language plpgsql volatile security definer   -- callers may not write the history
set search_path = ''
as $$
begin
  insert into app.case_events (case_id, kind, actor_id, note, detail)
  values (p_case, p_kind, app.uid(), p_note, p_detail::jsonb);
end $$;
comment on function private.add_case_event is 'Adds an entry of the caller to the history of a case.';

create function private.open_case(
  p_target_type text, p_target_id uuid, p_category text, p_source text, p_note text default null
) returns uuid
language plpgsql volatile security definer   -- reports and rules may not write cases directly
set search_path = ''
as $$
declare
  v_category private.case_categories := private.require_category(p_category);
  v_finder   text := private.require_report_finder(p_target_type);
  v_case     uuid;
  v_kind     text := 'added';
begin
  perform private.check_lock_order('case', p_target_id::text);
  loop
    update app.cases c
    set category = case when c.category = 'other' then v_category.category else c.category end,
        priority = least(c.priority, v_category.priority),
        staff_from = case when p_source = 'report' and not v_category.at_once then c.staff_from
                          else least(c.staff_from, now()) end,
        updated_at = clock_timestamp()
    where c.target_type = p_target_type and c.target_id = p_target_id and c.status = 'open'
    returning c.id into v_case;
    exit when found;
    insert into app.cases (target_type, target_id, category, priority, source)
    values (p_target_type, p_target_id, v_category.category, v_category.priority, p_source)
    on conflict (target_type, target_id) where status = 'open' do nothing
    returning id into v_case;
    if found then
      v_kind := 'opened';
      exit;
    end if;
  end loop;
  insert into app.case_events (case_id, kind, actor_id, note, detail)
  values (v_case, v_kind, case when p_source = 'staff' then app.uid() end, p_note,
          jsonb_build_object('source', p_source, 'category', p_category));
  return v_case;
end $$;
comment on function private.open_case is
  'Returns the open case of a target, and opens one if there is none. It adds to the history of the case that a '
  'report, a rule, a member of staff or a space (p_source) pointed to the target. The row is locked until the '
  'transaction ends, so call it late: ARCHITECTURE.md, Locks.';

create type private.reported_place as (space_id uuid, title text, body text, hidden boolean);
comment on type private.reported_place is
  'The place and the text of a reported thing: private.report_targets.place. All fields are null if the thing is '
  'deleted, or of a type that can''t be in a group or guild.';

create function private.find_reported_place(p_type text, p_id uuid) returns private.reported_place
language plpgsql stable security definer   -- reads the registry, and what the caller may not read
set search_path = ''
as $$
declare
  v_query text := (select place from private.report_targets where type = p_type);
  v_place private.reported_place;
begin
  if v_query is not null then
    execute v_query into v_place using p_id;   -- safe: the query comes from the registry
  end if;
  return v_place;
end $$;
comment on function private.find_reported_place is 'The place and the text of a reported thing.';

create function private.place_case() returns trigger
language plpgsql security definer   -- reads the registries, and what the caller may not read
set search_path = ''
as $$
begin
  if new.source = 'report' then
    new.space_id := (private.find_reported_place(new.target_type, new.target_id)).space_id;
  end if;
  if new.space_id is not null and not (private.require_category(new.category)).at_once
     and coalesce(private.find_role(new.space_id, new.person_id), 'member') = 'member' then
    new.staff_from := new.opened_at + interval '3 days';
  end if;
  return new;
end $$;
comment on function private.place_case is
  'Trigger: gives a case about a thing in a group or guild to its owner and moderators if a report opened it, and to '
  'staff three days later. Staff gets it immediately if the category says so, or if the owner or a moderator wrote '
  'the thing.';

create function private.name_case_person() returns trigger
language plpgsql security definer   -- reads the registry, and what the caller may not read
set search_path = ''
as $$
begin
  -- safe: the query comes from the registry
  execute (select author from private.report_targets where type = new.target_type) into new.person_id
  using new.target_id;
  return new;
end $$;
comment on function private.name_case_person is
  'Trigger: stores in a case the person who is responsible for its target.';
create trigger _050_name_person before insert on app.cases
  for each row execute function private.name_case_person();
create trigger _060_place before insert on app.cases
  for each row execute function private.place_case();

create function private.add_report_to_case() returns trigger
language plpgsql security definer   -- people may not write cases
set search_path = ''
as $$
declare
  v_case uuid := private.open_case(new.target_type, new.target_id, new.category, 'report');
begin
  insert into app.case_reports (case_id, report_id) values (v_case, new.id);
  update app.cases set reports = reports + 1 where id = v_case;
  return null;
end $$;
comment on function private.add_report_to_case is 'Trigger: adds a new report to the open case of its target.';
create trigger _200_add_to_case after insert on app.reports
  for each row execute function private.add_report_to_case();

create function private.settle_case_reports(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- settles reports after the transaction of the staff member
set search_path = ''
as $$
declare
  v_case    app.cases;
  v_status  text;
  v_settled json[];
  v_one     json;
begin
  select * into v_case from app.cases where id = (p_job ->> 'caseId')::uuid and status = 'closed';
  v_status := case v_case.outcome when 'dismissed' then 'dismissed' else 'reviewed' end;
  with settled as (
    update app.reports r set status = v_status, reviewed_by = v_case.closed_by, reviewed_at = v_case.closed_at
    where r.status = 'open' and r.id in (
      select o.id from app.reports o
      join app.case_reports c on c.case_id = v_case.id and c.report_id = o.id
      where o.target_type = v_case.target_type and o.target_id = v_case.target_id and o.status = 'open'
      order by o.id limit 500)
    returning r.id, r.reporter_id)
  select coalesce(array_agg(json_build_object('id', s.id, 'reporter', s.reporter_id) order by s.id), '{}')
  into v_settled from settled s;
  foreach v_one in array v_settled loop
    perform private.emit_moderation('report', (v_one ->> 'id')::uuid, v_status, (v_one ->> 'reporter')::uuid);
  end loop;
  return json_build_object('changed', cardinality(v_settled), 'next', v_settled[500] ->> 'id');
end $$;
comment on function private.settle_case_reports is
  'For the worker and private.end_case: settles the next 500 open reports of a closed case {caseId} and notifies '
  'their reporters. Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.settle_case_reports');
call private.make_batch_queue('settled-reports', 'private.settle_case_reports');

create function private.end_case(p_case uuid, p_outcome text) returns void
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set status = 'closed', outcome = p_outcome, closed_by = app.uid(), closed_at = now(), claimed_by = null,
      claimed_until = null, updated_at = clock_timestamp()
  where id = p_case and status = 'open';
  if not found then
    return;
  end if;
  perform private.settle_case_proposal(p_case, null, 'declined');
  perform private.add_case_event(p_case, 'closed', null, json_build_object('outcome', p_outcome));
  -- settle reports after locking the row, so that a concurrent report belongs either to this case or to the next one
  if private.settle_case_reports(jsonb_build_object('caseId', p_case)) ->> 'next' is not null then
    perform private.enqueue('settled-reports', json_build_object('caseId', p_case));
  end if;
end $$;
comment on function private.end_case is
  'Closes an open case as acted or dismissed, and settles 500 of its open reports. The worker settles the others.';

create function private.lock_case_work(p_case uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock('case work', p_case::text);
  perform private.check_caller();   -- check again, because the caller may have been banned or demoted during the wait
end $$;
comment on function private.lock_case_work is
  'Locks the work on a case, or on a decision without a case (its id), until the transaction ends.';

create function private.is_claimed_by_another(p_case app.cases) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((p_case).claimed_by <> app.uid() and (p_case).claimed_until > now(), false);
end $$;
comment on function private.is_claimed_by_another is
  'Returns whether somebody other than the caller has a claim on a case now.';

create function private.settle_report(p_id uuid, p_status text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_case     uuid;
  v_reporter uuid;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.reports r
                 where r.id = p_id and not private.is_own_thing(r.target_type, r.target_id, r.author_id)) then
    perform private.raise_error('report_unknown');
  end if;
  v_case := (select case_id from app.case_reports where report_id = p_id);
  perform private.lock_case_work(v_case);
  if exists (select from app.cases c where c.id = v_case and private.is_claimed_by_another(c)) then
    perform private.raise_error('case_claimed');
  end if;
  update app.reports set status = p_status, reviewed_by = app.uid(), reviewed_at = now()
  where id = p_id and status = 'open'
  returning reporter_id into v_reporter;
  if not found then
    -- the second of two concurrent moderators waits for the first and then fails here
    perform private.raise_error('report_settled');
  end if;
  perform private.emit_moderation('report', p_id, p_status, v_reporter);
  if p_status = 'dismissed' then
    perform private.restart_lock_order();
    perform private.release_settled(v_case);
    perform private.restart_lock_order();
  end if;
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
end $$;
comment on function private.settle_report is
  'Settles an open report, and closes its case if no other report of it is open. When the last report is dismissed, '
  'a thing that only a rule has hidden is shown again. The reporter is notified, but does not learn who settled the '
  'report; the reported person is not notified. A report about the caller is unknown to the caller.';

create function private.release_settled(p_case uuid) returns void
language plpgsql volatile security definer   -- staff may not release things directly
set search_path = ''
as $$
declare
  v_case app.cases;
begin
  select * into v_case from app.cases where id = p_case;
  perform private.lock_held(v_case.target_type, v_case.target_id);
  perform private.check_lock_order('case', p_case::text);
  -- lock the row before looking, so that a concurrent report counts
  perform from app.cases where id = p_case for no key update;
  if not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                 where c.case_id = p_case and r.status = 'open') then
    perform private.restart_lock_order();   -- this transaction already holds the locks that hiding the thing takes
    perform private.release_held(v_case.target_type, v_case.target_id);
  end if;
end $$;
comment on function private.release_settled is
  'Shows the thing of a case again if only a rule has hidden it and all reports of the case are settled.';
call private.force_index_scans('private.release_settled');

create function private.end_case_without_reports(p_case uuid, p_outcome text) returns void
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  -- lock the row first, so that a concurrent report counts
  perform from app.cases where id = p_case and status = 'open' for no key update;
  if found and not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                           where c.case_id = p_case and r.status = 'open') then
    perform private.end_case(p_case, p_outcome);
  end if;
end $$;
comment on function private.end_case_without_reports is 'Closes an open case if all of its reports are settled.';
call private.force_index_scans('private.end_case_without_reports');

create function api.review_report(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.settle_report(p_id, 'reviewed'); end $$;
comment on function api.review_report is 'Marks an open report as reviewed, once. Leaves an audit entry.';

create function api.dismiss_report(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.settle_report(p_id, 'dismissed'); end $$;
comment on function api.dismiss_report is 'Dismisses an open report, once. Leaves an audit entry.';
