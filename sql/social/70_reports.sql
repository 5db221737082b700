-- People report others, and what others publish, to the staff.
--
-- Many features have things that people can report, and most of these features are created after this file. Each
-- feature therefore registers its types in private.report_targets, with a function that finds the target as the
-- reporter sees it, or fails with a code of that feature. A new type needs only a row and a function beside its
-- tables. docs/decisions.md, Circles and blocks.

create table private.report_targets (
  type   text primary key check (type ~ '^[a-z][a-z-]{1,29}$'),
  finder text not null check (finder ~ '^private\.[a-z_]+$'),
  author text not null,
  place  text,
  co_authors text
);
comment on table private.report_targets is
  'Registry: the types of things that can be reported. finder(type, target) returns the id of the reported target, '
  'and fails if the caller can''t see it; it runs with the caller''s rights.';
comment on column private.report_targets.author is
  'The query for the person who is responsible for a target ($1): its author, or the owner of a space. It must use '
  'an index.';
comment on column private.report_targets.co_authors is
  'The query for the people who wrote a target ($1) with its author; null if targets of this type have only one '
  'author. It must use an index.';
comment on column private.report_targets.place is
  'The query for (space, title, text, whether staff or the space hid it) of a target ($1), if it can be in a group or '
  'guild; otherwise null.';

create table private.case_categories (
  category text primary key check (category ~ '^[a-z][a-z-]{1,29}$'),
  text     text not null,
  priority smallint not null check (priority between 1 and 4),
  strikes  smallint not null default 1 check (strikes between 0 and 10),
  at_once  boolean not null default false
);
comment on table private.case_categories is
  'Registry: the categories of reports and cases, each of which has one. Operators may add rows and change the '
  'numbers.';
comment on column private.case_categories.priority is 'The priority of a case of this category, 1 (first) to 4.';
comment on column private.case_categories.strikes is 'The number of strikes that a decision in this category counts.';
comment on column private.case_categories.at_once is
  'Whether staff sees such a case immediately, even if a space has its own moderators.';
insert into private.case_categories (category, text, priority, strikes, at_once) values
  ('minors', 'Puts minors at risk', 1, 5, true),
  ('violence', 'Threatens or praises violence', 1, 3, true),
  ('self-harm', 'Somebody may hurt themselves', 1, 0, true),
  ('unlawful', 'Unlawful in another way', 2, 2, true),
  ('hate', 'Hate against people for what they are', 2, 2, false),
  ('harassment', 'Harasses somebody', 2, 2, false),
  ('privacy', 'Publishes private facts', 2, 2, false),
  ('sexual', 'Sexual content', 3, 1, false),
  ('impersonation', 'Pretends to be somebody else', 3, 1, false),
  ('spam', 'Spam', 3, 1, false),
  ('falsehood', 'False and harmful', 3, 1, false),
  ('other', 'Something else', 4, 1, false);

create table app.reports (
  id          uuid primary key default gen_random_uuid(),
  reporter_id uuid not null references app.users on delete cascade,
  target_type text not null references private.report_targets on delete restrict,
  target_id   uuid not null,
  author_id   uuid references app.users on delete set null,
  reason      text not null check (length(reason) <= 1000),
  copy        jsonb,
  status      text not null default 'open' check (status in ('open', 'reviewed', 'dismissed')),
  reviewed_by uuid references app.users on delete set null,
  reviewed_at timestamptz,
  created_at  timestamptz not null default now(),
  category    text not null default 'other' references private.case_categories on delete restrict,
  check ((status = 'open') = (reviewed_at is null)),
  constraint report_oneself check (target_type <> 'user' or target_id <> reporter_id)
);
create unique index report_open on app.reports (reporter_id, target_type, target_id) where status = 'open';
create index reports_reporter_id_idx on app.reports (reporter_id, created_at);
create index reports_reviewed_by_idx on app.reports (reviewed_by);
create index reports_reviewed_at_idx on app.reports (reporter_id, reviewed_at desc, id desc)
  where reviewed_at is not null;
create index reports_status_idx on app.reports (status, created_at desc, id desc);
create index reports_copied_idx on app.reports ((copy ->> 'senderId')) where copy ? 'body';
create index reports_target_idx on app.reports (target_type, target_id, created_at desc, id desc);
create index reports_category_idx on app.reports (category);
create index reports_open_target_idx on app.reports (target_type, target_id, id) where status = 'open';
create index reports_author_id_idx on app.reports (author_id, created_at desc, id desc);
comment on table app.reports is
  'Reports to the staff. target_id has no foreign key, because targets are in many tables. reason is in the '
  'reporter''s own words.';
comment on column app.reports.author_id is
  'The person who was responsible for the target when it was reported. A trigger writes it.';
comment on column app.reports.copy is
  'A copy of the reported thing, as the reporter saw it, if staff cannot see the thing elsewhere; otherwise null. A '
  'trigger of the feature writes it. senderId is the person who wrote the words, and body has the words; an erasure '
  'of that person empties body.';
comment on column app.reports.status is 'open, then reviewed or dismissed by staff.';
comment on column app.reports.reviewed_at is 'When staff settled the report; null while it is open.';

insert into private.write_limits (kind, per_hour) values ('reports', 100);

insert into private.errors (code, status, text) values
  ('category_unknown', 422, 'There is no such category. GET /reports/categories lists them.'),
  ('report_target', 422, 'This kind of thing cannot be reported.'),
  ('report_open', 409, 'You have already reported this, and the report is still open.'),
  ('report_oneself', 400, 'You cannot report yourself.');

create function private.require_report_finder(p_type text) returns text
language plpgsql stable security definer   -- reads the registry, which callers may not read
set search_path = ''
as $$
declare
  v_finder text;
begin
  select finder into v_finder from private.report_targets where type = p_type;
  if not found then
    perform private.raise_error('report_target');
  end if;
  return v_finder;
end $$;
comment on function private.require_report_finder is 'Returns the function that finds a reported target of this type.';

create function private.require_category(p_category text) returns private.case_categories
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_category private.case_categories;
begin
  select * into v_category from private.case_categories where category = p_category;
  if not found then
    perform private.raise_error('category_unknown');
  end if;
  return v_category;
end $$;
comment on function private.require_category is 'Returns a category. Fails if there is none with this name.';

create function private.category_cards() returns json
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  return (select json_agg(json_build_object('category', category, 'text', text) order by priority, category)
          from private.case_categories);
end $$;
comment on function private.category_cards is 'The categories that a report may name: [{category, text}].';

create function api.list_report_categories() returns json
language plpgsql stable
set search_path = ''
as $$ begin return json_build_object('items', private.category_cards()); end $$;
comment on function api.list_report_categories is
  'The categories that a report may name: {items: [{category, text}]}.';

create function private.require_reported_person(p_type text, p_target text) returns uuid
language plpgsql stable
set search_path = ''
as $$ begin return private.require_person(p_target); end $$;
comment on function private.require_reported_person is 'The person whom a report names, if the caller may see them.';
insert into private.report_targets (type, finder, author) values
  ('user', 'private.require_reported_person', 'select $1');

create function private.answers_for(p_type text, p_id uuid, p_author uuid, p_person uuid) returns boolean
language plpgsql stable security definer   -- reads the registry, and what the caller may not read
set search_path = ''
as $$
declare
  v_query text;
  v_wrote boolean := coalesce(p_author = p_person, false);
begin
  if not v_wrote then
    v_query := (select co_authors from private.report_targets where type = p_type);
    if v_query is not null then
      -- safe: the query comes from the registry
      execute format('select coalesce($2 = any (array(%s)), false)', v_query) into v_wrote using p_id, p_person;
    end if;
  end if;
  return v_wrote;
end $$;
comment on function private.answers_for is
  'Returns whether a person is responsible for a thing, because they are p_author or one of its co-authors.';

create function private.is_own_thing(p_type text, p_id uuid, p_author uuid) returns boolean
language plpgsql stable security definer   -- callers may ask only about themselves
set search_path = ''
as $$ begin return private.answers_for(p_type, p_id, p_author, app.uid()); end $$;
comment on function private.is_own_thing is
  'Returns whether the caller is responsible for a thing. Members of staff do not work on cases about their own '
  'things.';

create function private.name_reported_author() returns trigger
language plpgsql security definer   -- reads the registry, and what the reporter may not read
set search_path = ''
as $$
begin
  -- safe: the query comes from the registry
  execute (select author from private.report_targets where type = new.target_type) into new.author_id
  using new.target_id;
  return new;
end $$;
comment on function private.name_reported_author is
  'Trigger: stores in a report the person who is responsible for its target.';
create trigger _050_name_author before insert on app.reports
  for each row execute function private.name_reported_author();

insert into private.operations_of_people (operation) values ('report');

create function api.report(
  p_target_type text, p_target_id text, p_reason text, p_category text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent(
    'report', case when p_category is null then json_build_array(p_target_type, p_target_id, p_reason)
                   else json_build_array(p_target_type, p_target_id, p_reason, p_category) end);
  v_target uuid;
  v_report app.reports;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('reports');
  perform private.require_category(coalesce(p_category, 'other'));
  -- safe: the function name comes from the registry, never from the caller
  execute format('select %s($1, $2)', private.require_report_finder(p_target_type))
    into v_target using p_target_type, p_target_id;
  insert into app.reports (reporter_id, target_type, target_id, reason, category)
  values (private.require_caller(), p_target_type, v_target, private.require_text(p_reason),
          coalesce(p_category, 'other'))
  on conflict (reporter_id, target_type, target_id) where status = 'open' do nothing
  returning * into v_report;
  if not found then
    perform private.raise_error('report_open');
  end if;
  return private.finish_idempotent('report', json_build_object(
    'id', v_report.id,
    'targetType', p_target_type,
    'targetId', case p_target_type when 'user' then (select actor_id from app.person_card where id = v_target)
                else v_target::text end,
    'reason', v_report.reason,
    'category', v_report.category,
    'status', v_report.status,
    'createdAt', private.utc(v_report.created_at)));
end $$;
comment on function api.report is
  'Reports something that the caller sees to the staff: {id, targetType, targetId, reason, category, status, '
  'createdAt}. The category is `other` by default. Fails: report_oneself, private.report_targets.';
