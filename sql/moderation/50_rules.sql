-- By rules, the instance automatically reports or hides what people write. A new rule is in shadow: it only records
-- what it would have done. docs/decisions.md, Staff.

create type private.condition as (kind text, parameters jsonb);
comment on type private.condition is
  'A condition of a rule: its kind (a row of private.rule_conditions), and its parameters in the form that '
  'private.read_condition returns.';

create type private.judged as (
  type text, id uuid, author_id uuid, at timestamptz, texts text[], words tsvector, media text[]
);
comment on type private.judged is
  'A version of a thing as rules judge it: its texts when it was published or edited, the time of this publication '
  'or edit, the words of these texts (private.keyword_words), and the addresses of its media; null or empty without '
  'media.';

create table private.judged_types (
  type      text primary key references private.report_targets on delete restrict,
  finder    text not null check (finder ~ '^private\.[a-z_]+$'),
  relation  regclass,
  hidden_at name check (hidden_at in ('hidden_at', 'removed_at')),
  verb      text references private.decision_kinds on delete restrict,
  lock_kind text references private.lock_kinds on delete restrict,
  counters  text,
  present   text not null default 'deleted_at is null',
  check (num_nulls(relation, hidden_at, verb, lock_kind) in (0, 4))
);
create index judged_types_verb_idx on private.judged_types (verb);
create index judged_types_lock_kind_idx on private.judged_types (lock_kind);
comment on table private.judged_types is
  'Registry: the types of things that rules judge. If relation, hidden_at, verb and lock_kind are null, a rule can '
  'only open a case about such a thing.';
comment on column private.judged_types.finder is
  'A function that takes (text, uuid, timestamptz) and returns private.judged[]: the versions of a thing since a '
  'time, the newest first; null if there is none. `npm run gen` writes the function that calls it '
  '(sql/generated/30_conditions.sql).';
comment on column private.judged_types.hidden_at is
  'The column of the table that says since when only the author sees the thing.';
comment on column private.judged_types.verb is
  'The verb of the audit entry that a rule leaves when it hides such a thing: <type>.<verb>.';
comment on column private.judged_types.lock_kind is 'The kind of the lock of the thing.';
comment on column private.judged_types.present is 'The condition for rows of the table that were not deleted.';
comment on column private.judged_types.counters is
  'The query for the posts whose counters change when the thing ($1) is hidden; null if there are none.';

create table private.rule_conditions (
  kind     text primary key check (kind ~ '^[a-z]+(-[a-z]+)*$'),
  position integer not null unique check (position between 100 and 999),
  shape    jsonb not null,
  judge    text not null check (judge ~ '^private\.[a-z_]+$'),
  moment   text not null default 'creation' check (moment in ('creation', 'report'))
);
comment on table private.rule_conditions is
  'Registry: the kinds of conditions of rules.';
comment on column private.rule_conditions.position is
  'The order in which the conditions of a rule are tried: the cheapest first.';
comment on column private.rule_conditions.shape is
  'The parameters by name: for a whole number its least and its greatest value, such as [1, 60]; for words '
  '"keywords"; for hashes of files "hashes". A parameter is optional if its name here ends with a question mark.';
comment on column private.rule_conditions.judge is
  'A function that takes (private.judged, jsonb) and returns whether the version fits these parameters. It uses the '
  'state at the time of the version, so that it returns the same 30 days later. `npm run gen` writes the function '
  'that calls it (sql/generated/30_conditions.sql).';
comment on column private.rule_conditions.moment is
  'When a rule with such a condition can first hit a thing: at the creation of the thing, or at a report.';

create table app.moderation_rules (
  id          uuid primary key default gen_random_uuid(),
  name        text not null check (length(name) between 1 and 80),
  conditions  jsonb not null,
  at_report   boolean not null,
  applies_to  text[] not null check (applies_to <> '{}'),
  action      text not null check (action in ('case', 'hide')),
  mode        text not null default 'shadow' check (mode in ('shadow', 'live', 'off')),
  mode_since  timestamptz not null default now(),
  replayed_at timestamptz,
  created_at  timestamptz not null default now(),
  category    text not null default 'other' references private.case_categories on delete restrict,
  judged      text generated always as (
    case when mode = 'off' then null
         when at_report then 'at a report'
         when mode = 'live' and action = 'hide' then 'at once'
         else 'soon' end) stored,
  compiled    private.condition[] not null
);
create index moderation_rules_created_at_idx on app.moderation_rules (created_at desc, id desc);
create index moderation_rules_mode_idx on app.moderation_rules (mode, created_at desc, id desc);
create index moderation_rules_category_idx on app.moderation_rules (category);
comment on table app.moderation_rules is
  'Rules of the instance, at most 50. If all conditions of a rule hold for a thing, the rule opens a case; it can '
  'also hide the thing until staff has seen it.';
comment on column app.moderation_rules.conditions is
  'The conditions as staff wrote them: [{kind, …}]. They never change, so that all hits of a rule have the same '
  'conditions.';
comment on column app.moderation_rules.compiled is
  'The conditions in the form in which they are tried, cheapest first.';
comment on column app.moderation_rules.at_report is
  'Whether one of the conditions needs a report (private.rule_conditions.moment).';
comment on column app.moderation_rules.applies_to is 'Types of things (private.judged_types), sorted.';
comment on column app.moderation_rules.action is
  'case: opens a case. hide: also hides the thing from everyone but its author, until staff shows it again or '
  'dismisses its case.';
comment on column app.moderation_rules.mode is
  'shadow: the rule only records what it would do. live: the rule acts. off: the rule is not applied.';
comment on column app.moderation_rules.category is 'The category of the cases that the rule opens.';
comment on column app.moderation_rules.mode_since is 'When the rule got this mode.';
comment on column app.moderation_rules.replayed_at is 'When the rule was last replayed; null if never.';
comment on column app.moderation_rules.judged is
  'When the rule judges things. at once: in the transaction that publishes them, before anybody else sees them. soon: '
  'in the worker. at a report: in the transaction of each report. Null for never.';

create table app.rule_hits (
  id          uuid primary key default gen_random_uuid(),
  rule_id     uuid not null,
  target_type text not null,
  target_id   uuid not null,
  author_id   uuid not null references app.users on delete cascade,
  mode        text not null check (mode in ('shadow', 'live')),
  action      text not null,
  -- clock_timestamp and not now, because the worker judges many things in one transaction
  created_at  timestamptz not null default clock_timestamp(),
  case_id     uuid references app.cases on delete set null,
  held        boolean not null default false,
  hid         boolean not null default false,
  unique (rule_id, target_id)
);
create index rule_hits_case_id_idx on app.rule_hits (case_id) where case_id is not null;
create index rule_hits_rule_id_idx on app.rule_hits (rule_id, created_at desc, id desc);
create index rule_hits_target_id_idx on app.rule_hits (target_id);
create index rule_hits_author_id_idx on app.rule_hits (author_id, created_at desc);
create index rule_hits_created_at_idx on app.rule_hits (created_at);
comment on table app.rule_hits is
  'The things that rules have hit, one row for each rule and thing. rule_id has no foreign key, because a rule can '
  'have more hits than one transaction should delete. A retention job deletes them.';
comment on column app.rule_hits.mode is 'The mode of the rule at that time. In shadow it only recorded the hit.';
comment on column app.rule_hits.action is 'What the rule did, or would have done in shadow: case or hide.';
comment on column app.rule_hits.case_id is 'The case that the rule opened or joined; null in shadow.';
comment on column app.rule_hits.held is
  'Whether the thing was hidden before anybody else saw it, and staff has not shown it since. When staff shows the '
  'thing, the people whom it mentions or answers are notified.';
comment on column app.rule_hits.hid is
  'Whether the rule has hidden the thing; false if the thing was already hidden, or the rule only opens a case.';
insert into private.retention (relation, counts_from, keep) values ('app.rule_hits', 'created_at', '90 days');
insert into private.personal_data (relation, person_column, reason) values
  ('app.rule_hits', 'author_id', 'Hints to staff, which are deleted after 90 days. The export has the decisions of '
    'staff.');

insert into private.errors (code, status, text) values
  ('rule_unknown', 404, 'There is no such rule.'),
  ('rule_name', 422, 'A rule must have a name of 1 to 80 characters.'),
  ('rule_applies_to', 422, 'A rule must apply to at least one type of things that rules judge.'),
  ('rule_conditions', 422, 'A rule must have 1 to 10 conditions, each of a known kind, with exactly the parameters of '
   'that kind.'),
  ('rules_exhausted', 409, 'There can be at most 50 rules. Delete one first.'),
  ('rule_untried', 409, 'A rule can go live after a day in shadow, or after a replay.');

insert into private.lock_kinds (kind, position) values ('rules', 599);

create type private.hashed_medium as (url text, sha256 text);
comment on type private.hashed_medium is 'The address of an asset and the hash of its file in hex.';

create function private.hashed_media(p_urls text[]) returns setof private.hashed_medium
language plpgsql stable security definer   -- callers may not read other people's assets
set search_path = ''
as $$
declare
  v_before text := private.asset_url('');
begin
  return query
    select u.url, encode(a.sha256, 'hex')
    from (select distinct w.url, substr(w.url, length(v_before) + 1) as key
          from unnest(p_urls) w (url) where starts_with(w.url, v_before)) u
    join app.media_assets a on a.id = case when pg_input_is_valid(u.key, 'uuid') then u.key::uuid end
    where a.sha256 is not null;
end $$;
comment on function private.hashed_media is
  'Returns the addresses of assets whose hash is known, each once, with the hash. Only the present address of an '
  'asset counts.';

create function private.judge_condition(p_condition private.condition, p_thing private.judged) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin end $$;
comment on function private.judge_condition is
  'Returns whether a thing fits a condition. `npm run gen` writes its body from private.rule_conditions '
  '(sql/generated/30_conditions.sql), because a call by a name from a table would be planned each time.';

create function private.fits_all(p_conditions private.condition[], p_thing private.judged) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_condition private.condition;
begin
  foreach v_condition in array p_conditions loop
    if private.judge_condition(v_condition, p_thing) is not true then
      return false;
    end if;
  end loop;
  return true;
end $$;
comment on function private.fits_all is 'Returns whether a version of a thing fits all of these conditions.';

create function private.find_versions(p_type text, p_id uuid, p_since timestamptz default '-infinity')
returns private.judged[]
language plpgsql stable
set search_path = ''
as $$ begin end $$;
comment on function private.find_versions is
  'The versions of a thing since a time, the newest first; null if there is none. `npm run gen` writes its body from '
  'private.judged_types (sql/generated/30_conditions.sql).';

create function private.find_fitting(p_conditions private.condition[], p_versions private.judged[])
returns private.judged
language plpgsql stable
set search_path = ''
as $$
declare
  v_version private.judged;
begin
  foreach v_version in array p_versions loop
    if private.fits_all(p_conditions, v_version) then
      return v_version;
    end if;
  end loop;
  return null;
end $$;
comment on function private.find_fitting is
  'The newest of these versions that fits all conditions; null if none does.';
