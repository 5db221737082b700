-- Rules: what staff lets the instance do by itself with posts and replies. A rule begins in shadow, where it only
-- notes what it would have done.
-- docs/decisions.md, Staff.

create type private.condition as (kind text, parameters jsonb);
comment on type private.condition is
  'A condition of a rule: its kind, of private.rule_conditions, and its parameters as private.read_condition made '
  'them.';

create type private.judged as (
  type text, id uuid, author_id uuid, at timestamptz, texts text[], words tsvector
);
comment on type private.judged is
  'A post or a reply as rules judge it: with its texts as they were when it was published, the time of that, and the '
  'words of these texts (private.keyword_words).';

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
  'The parameters: for a whole number its least and its greatest value, [1, 60], for words "keywords". All are '
  'required, except those whose name here ends with a question mark.';
comment on column private.rule_conditions.judge is
  'Function (private.judged, jsonb) returns boolean: whether the thing fits these parameters. It goes by how things '
  'were when the thing was published, so that it says the same then and 30 days later. `npm run gen` writes the '
  'function that calls it (sql/generated/30_conditions.sql).';
comment on column private.rule_conditions.moment is
  'When a rule with such a condition can begin to fit: at the creation of the thing, or at a report of it.';

create table app.moderation_rules (
  id          uuid primary key default gen_random_uuid(),
  name        text not null check (length(name) between 1 and 80),
  conditions  jsonb not null,
  at_report   boolean not null,
  applies_to  text[] not null check (applies_to in ('{post}', '{reply}', '{post,reply}')),
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
  'Rules that open a case for a post or a reply, or also hide it until staff has seen it, if all their conditions '
  'hold. There are at most 50.';
comment on column app.moderation_rules.conditions is
  'The conditions as staff wrote them: [{kind, …}]. They never change, so that all hits of a rule are of the same '
  'conditions.';
comment on column app.moderation_rules.compiled is
  'The conditions in the form in which they are tried, cheapest first.';
comment on column app.moderation_rules.at_report is
  'Whether a condition needs a report: private.rule_conditions.moment.';
comment on column app.moderation_rules.applies_to is 'post, reply or both, in this order.';
comment on column app.moderation_rules.action is
  'case: opens a case. hide: also hides the thing from everyone but its author, until staff shows it again.';
comment on column app.moderation_rules.mode is
  'shadow: only notes what it would do. live: does it. off: is not tried.';
comment on column app.moderation_rules.category is 'The category of the cases that it opens.';
comment on column app.moderation_rules.mode_since is 'When it got this mode.';
comment on column app.moderation_rules.replayed_at is 'When it was last replayed; null if never.';
comment on column app.moderation_rules.judged is
  'When things are judged by it. at once: before anybody else sees them, in the transaction that publishes them. '
  'soon: by the worker. at a report: in the transaction of each report. Null for never.';

create table app.rule_hits (
  id          uuid primary key default gen_random_uuid(),
  rule_id     uuid not null,
  target_type text not null,
  target_id   uuid not null,
  author_id   uuid not null references app.users on delete cascade,
  mode        text not null check (mode in ('shadow', 'live')),
  action      text not null,
  created_at  timestamptz not null default clock_timestamp(),   -- the worker judges many in a transaction
  case_id     uuid references app.cases on delete set null,
  unique (rule_id, target_id)
);
create index rule_hits_case_id_idx on app.rule_hits (case_id) where case_id is not null;
create index rule_hits_rule_id_idx on app.rule_hits (rule_id, created_at desc, id desc);
create index rule_hits_target_id_idx on app.rule_hits (target_id);
create index rule_hits_author_id_idx on app.rule_hits (author_id, created_at desc);
create index rule_hits_created_at_idx on app.rule_hits (created_at);
comment on table app.rule_hits is
  'What fitted a rule, once for each rule and thing. rule_id has no foreign key, because a rule can have more hits '
  'than one transaction should delete; retention deletes them.';
comment on column app.rule_hits.mode is 'The mode of the rule at that time: in shadow it only noted the hit.';
comment on column app.rule_hits.action is 'What the rule did, or would have done in shadow: case or hide.';
comment on column app.rule_hits.case_id is 'The case that the rule opened or joined; null in shadow.';
insert into private.retention (relation, counts_from, keep) values ('app.rule_hits', 'created_at', '90 days');
insert into private.personal_data (relation, person_column, reason) values
  ('app.rule_hits', 'author_id', 'Hints to staff, which are deleted after 90 days. What staff decides is exported.');

insert into private.errors (code, status, text) values
  ('rule_unknown', 404, 'There is no such rule.'),
  ('rule_name', 422, 'A rule must have a name of 1 to 80 characters.'),
  ('rule_applies_to', 422, 'A rule applies to posts, to replies, or to both.'),
  ('rule_conditions', 422, 'A rule must have 1 to 10 conditions, each of a known kind, with exactly the parameters of '
   'that kind.'),
  ('rules_exhausted', 409, 'There can be at most 50 rules. Delete one first.'),
  ('rule_untried', 409, 'A rule can go live when it was in shadow for a day, or was replayed.');

insert into private.lock_kinds (kind, position) values ('rules', 599);

-- kinds of conditions ----------------------------------------------------------------------------------------------

create function private.is_by_new_account(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- nobody may read other people's accounts
set search_path = ''
as $$
begin
  return (select p_thing.at - u.created_at < (p_parameters ->> 'hours')::integer * interval '1 hour'
          from app.users u where u.id = p_thing.author_id);
end $$;
comment on function private.is_by_new_account is
  'Condition: the author''s account was younger than so many hours.';

create function private.has_link(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin return array_to_string(p_thing.texts, ' ') ~* '(https?://|\mwww\.)\S'; end $$;
comment on function private.has_link is
  'Condition: a text has a link, which begins with http://, https:// or www. (also in Markdown).';

create function private.has_words(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_thing.words @@ (p_parameters ->> 'words')::tsquery is true
      or (p_parameters ->> 'pattern' is not null
          and coalesce(p_thing.words @@ (p_parameters ->> 'hint')::tsquery, true)
          and private.has_phrase(p_thing.texts, p_parameters ->> 'pattern'));
end $$;
comment on function private.has_words is
  'Condition: a text has one of these words or phrases, compared as muted keywords are (private.muted_words).';

create function private.is_too_frequent(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- counts what its author published, whoever may see it
set search_path = ''
as $$
declare
  v_since timestamptz := p_thing.at - (p_parameters ->> 'minutes')::integer * interval '1 minute';
  v_most  integer := (p_parameters ->> 'moreThan')::integer;
begin
  return (
    select count(*) > v_most
    from (
      (select 1 from app.posts p
       where p.author_id = p_thing.author_id and p.published_at > v_since and p.published_at <= p_thing.at
         and p.imported_at is null
       order by p.published_at desc, p.id desc limit v_most + 1)
      union all
      (select 1 from app.replies r
       where r.author_id = p_thing.author_id and r.created_at > v_since and r.created_at <= p_thing.at
       order by r.created_at desc, r.id desc limit v_most + 1)
    ) w);
end $$;
comment on function private.is_too_frequent is
  'Condition: with this thing, its author had published more than so many posts and replies within so many minutes.';
call private.force_index_scans('private.is_too_frequent');

create function private.is_near_ban(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- nobody may read the invite tree, or who is banned
set search_path = ''
as $$
declare
  v_reached uuid[] := array[p_thing.author_id];
  v_last    uuid[] := v_reached;
begin
  for v_step in 1 .. (p_parameters ->> 'steps')::integer loop
    v_last := array(
      select n.id
      from (select t.inviter_id as id from unnest(v_last) l (id) join app.invite_tree t on t.invitee_id = l.id
            union
            select i.invitee_id
            from unnest(v_last) l (id)
            cross join lateral (
              select t.invitee_id from app.invite_tree t
              where t.inviter_id = l.id and t.created_at <= p_thing.at
              order by t.created_at desc, t.code_id desc limit 20) i) n
      where n.id <> all (v_reached)
      order by n.id limit 200);
    if exists (select from app.users u where u.id = any (v_last) and u.banned_at <= p_thing.at) then
      return true;
    end if;
    v_reached := v_reached || v_last;
  end loop;
  return false;
end $$;
comment on function private.is_near_ban is
  'Condition: somebody at most so many steps from the author in the invite tree was banned or suspended at the time, '
  'and still is. Of each person''s invitees it looks at the last 20, and at up to 200 people at each step.';

create function private.is_reported_by_trusted(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- nobody may read other people's reports
set search_path = ''
as $$
begin
  return exists (
    select from (
      select a.created_at as at from app.reports a
      where a.target_type = p_thing.type and a.target_id = p_thing.id
      order by a.created_at desc, a.id desc limit 50) moment
    where (
      select count(distinct r.reporter_id)
      from (select o.reporter_id from app.reports o
            where o.target_type = p_thing.type and o.target_id = p_thing.id
              and o.created_at <= moment.at and (o.reviewed_at is null or o.reviewed_at > moment.at)
            order by o.created_at desc, o.id desc limit 50) r
      where private.is_trusted_reporter(r.reporter_id, moment.at, (p_parameters ->> 'reputation')::integer)
    ) >= (p_parameters ->> 'people')::integer);
end $$;
comment on function private.is_reported_by_trusted is
  'Condition: at the time of one of its last 50 reports, reports of it by so many trusted people were open.';

create function private.is_trusted_reporter(p_person uuid, p_at timestamptz, p_reputation integer) returns boolean
language plpgsql stable security definer   -- nobody may read other people's reports
set search_path = ''
as $$
begin
  return (
    select count(*) >= 3 and count(*) filter (where s.status = 'reviewed') * 2 > count(*)
    from (select r.status from app.reports r
          where r.reporter_id = p_person and r.created_at < p_at and r.reviewed_at <= p_at
          order by r.created_at desc limit 100) s)
    or (p_reputation is not null and coalesce(private.total_reputation(p_person), 0) >= p_reputation);
end $$;
comment on function private.is_trusted_reporter is
  'Whether by that time staff had settled at least three of the person''s reports and had reviewed, not dismissed, '
  'more than half of the last 100; or whether they have this much reputation now.';

insert into private.rule_conditions (kind, position, shape, judge, moment) values
  ('new-account', 100, '{"hours": [1, 8760]}', 'private.is_by_new_account', 'creation'),
  ('words', 200, '{"words": "keywords"}', 'private.has_words', 'creation'),
  ('link', 300, '{}', 'private.has_link', 'creation'),
  ('rate', 400, '{"moreThan": [1, 500], "minutes": [1, 1440]}', 'private.is_too_frequent', 'creation'),
  ('near-ban', 500, '{"steps": [1, 3]}', 'private.is_near_ban', 'creation'),
  ('reports', 600, '{"people": [1, 20], "reputation?": [1, 1000000]}', 'private.is_reported_by_trusted', 'report');

create function private.judge_condition(p_condition private.condition, p_thing private.judged) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin end $$;
comment on function private.judge_condition is
  'Whether a thing fits a condition. `npm run gen` writes its body from private.rule_conditions '
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
comment on function private.fits_all is 'Whether a thing fits all of these conditions.';

-- writing rules ----------------------------------------------------------------------------------------------------

create function private.read_keywords(p_words jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_words text[];
begin
  if (jsonb_typeof(p_words) = 'array' and jsonb_array_length(p_words) between 1 and 100
      and not exists (select from jsonb_array_elements(p_words) w
                      where jsonb_typeof(w) <> 'string' or length(w #>> '{}') > 100)) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  v_words := array(select distinct private.fold_keyword(w) from jsonb_array_elements_text(p_words) w order by 1);
  if '' = any (v_words) then
    perform private.raise_error('rule_conditions');
  end if;
  return to_jsonb(private.muted_words(v_words));
end $$;
comment on function private.read_keywords is
  'Up to 100 words or phrases of up to 100 characters in the form in which they are compared: {words, hint, pattern}.';

create function private.read_condition(p_condition jsonb) returns private.condition
language plpgsql stable security definer   -- nobody else may read the registry
set search_path = ''
as $$
declare
  v_kind  private.rule_conditions;
  v_names text[];
  v_name  text;
  v_shape jsonb;
  v_value jsonb;
  v_read  jsonb := '{}';
begin
  select * into v_kind from private.rule_conditions k
  where jsonb_typeof(p_condition) = 'object' and k.kind = p_condition ->> 'kind';
  if not found then
    perform private.raise_error('rule_conditions');
  end if;
  for v_name, v_shape in select * from jsonb_each(v_kind.shape) loop
    v_value := nullif(p_condition -> rtrim(v_name, '?'), 'null');
    v_names := v_names || rtrim(v_name, '?');
    continue when v_value is null and v_name like '%?';
    if v_shape = '"keywords"' then
      v_read := v_read || private.read_keywords(v_value);
    elsif (v_value::text ~ '^\d{1,9}$' and v_value::integer between (v_shape -> 0)::integer
                                                               and (v_shape -> 1)::integer) is true then
      v_read := v_read || jsonb_build_object(rtrim(v_name, '?'), v_value);
    else
      perform private.raise_error('rule_conditions');
    end if;
  end loop;
  if exists (select from jsonb_object_keys(p_condition - 'kind') f where f <> all (coalesce(v_names, '{}'))) then
    perform private.raise_error('rule_conditions');
  end if;
  return (v_kind.kind, v_read)::private.condition;
end $$;
comment on function private.read_condition is
  'Reads a condition as staff writes it, {kind, …}, strictly by the shape of its kind.';

create function private.read_conditions(p_conditions jsonb) returns private.condition[]
language plpgsql stable security definer   -- nobody else may read the registry
set search_path = ''
as $$
begin
  if (jsonb_typeof(p_conditions) = 'array' and jsonb_array_length(p_conditions) between 1 and 10) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  return array(
    select (r.kind, r.parameters)::private.condition
    from jsonb_array_elements(p_conditions) with ordinality as c (condition, place)
    cross join lateral private.read_condition(c.condition) r
    join private.rule_conditions k on k.kind = r.kind
    order by k.position, c.place);
end $$;
comment on function private.read_conditions is
  'Reads the conditions of a rule, and puts those first that are tried first.';

create function private.read_applies_to(p_types text[]) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_types text[] := array(select distinct t from unnest(p_types) t order by t);
begin
  if (v_types in ('{post}', '{reply}', '{post,reply}')) is not true then
    perform private.raise_error('rule_applies_to');
  end if;
  return v_types;
end $$;
comment on function private.read_applies_to is 'The types to which a rule applies, each once, sorted.';

create function private.read_rule_name(p_name text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_name text := private.require_name(p_name);
begin
  if (length(v_name) between 1 and 80) is not true then
    perform private.raise_error('rule_name');
  end if;
  return v_name;
end $$;
comment on function private.read_rule_name is 'The name of a rule in the form in which it is stored.';

create view private.staff_rules with (security_invoker) as
select r.created_at as at, r.id, r.mode, r.name as said,
       json_build_object(
         'id', r.id,
         'name', r.name,
         'conditions', r.conditions,
         'appliesTo', to_json(r.applies_to),
         'category', r.category,
         'action', r.action,
         'mode', r.mode,
         'modeSince', private.utc(r.mode_since),
         'replayedAt', private.utc(r.replayed_at),
         'createdAt', private.utc(r.created_at)) as card
from app.moderation_rules r;
comment on view private.staff_rules is 'Rules as staff sees them.';

create view private.staff_rule_hits with (security_invoker) as
select h.created_at as at, h.id, h.rule_id, h.mode, h.target_id::text as said,
       json_build_object(
         'id', h.id,
         'targetType', h.target_type,
         'targetId', h.target_id,
         'authorId', h.author_id,
         'author', author.card,
         'mode', h.mode,
         'action', h.action,
         'caseId', h.case_id,
         'createdAt', private.utc(h.created_at)) as card
from app.rule_hits h
join app.person_card author on author.id = h.author_id;
comment on view private.staff_rule_hits is 'Hits of rules as staff sees them.';

create function private.require_rule(p_id uuid) returns app.moderation_rules
language plpgsql stable security definer   -- nobody may read rules, not even the service role
set search_path = ''
as $$
declare
  v_rule app.moderation_rules;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_rule from app.moderation_rules where id = p_id;
  if not found then
    perform private.raise_error('rule_unknown');
  end if;
  return v_rule;
end $$;
comment on function private.require_rule is 'Returns the rule, for staff.';

create function api.list_rules(
  p_mode text default null, p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('rules', json_build_object('mode', p_mode), array['mode'], p_q, p_from, p_to, p_limit,
                            p_cursor);
end $$;
comment on function api.list_rules is 'Rules, newest first.';

create function api.get_rule(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.staff_card('rules', (private.require_rule(p_id)).id); end $$;
comment on function api.get_rule is
  'A rule: {id, name, conditions, appliesTo, category, action, mode, modeSince, replayedAt, createdAt}.';

create function api.list_rule_hits(
  p_id uuid, p_mode text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'rule_hits', json_build_object('rule_id', (private.require_rule(p_id)).id, 'mode', p_mode),
    array['rule_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_rule_hits is 'The hits of a rule, newest first.';

create function private.add_rule(
  p_name text, p_conditions jsonb, p_applies_to text[], p_action text, p_category text
) returns uuid
language plpgsql volatile security definer   -- nobody may write rules, not even the service role
set search_path = ''
as $$
declare
  v_compiled private.condition[];
  v_id       uuid;
begin
  perform private.require_role('admin');
  v_compiled := private.read_conditions(p_conditions);
  perform private.lock('rules');
  if (select count(*) from app.moderation_rules) >= 50 then
    perform private.raise_error('rules_exhausted');
  end if;
  insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action, category)
  values (private.read_rule_name(p_name), p_conditions, v_compiled,
          exists (select from unnest(v_compiled) c join private.rule_conditions k on k.kind = c.kind
                  where k.moment = 'report'),
          private.read_applies_to(p_applies_to), p_action, (private.require_category(p_category)).category)
  returning id into v_id;
  return v_id;
end $$;
comment on function private.add_rule is 'Adds a rule in shadow, and returns its id.';

create function api.create_rule(
  p_name text, p_conditions jsonb, p_applies_to text[], p_action text, p_category text default 'other'
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id   uuid := private.add_rule(p_name, p_conditions, p_applies_to, p_action, p_category);
  v_card json := private.staff_card('rules', v_id);
begin
  perform private.audit('rule.created', 'rule', v_id::text, v_card);
  return v_card;
end $$;
comment on function api.create_rule is
  'Makes a rule, which begins in shadow, and returns it as api.get_rule does. Leaves an audit entry. Fails: '
  'value_invalid.';

create function private.change_rule(p_id uuid, p_changes jsonb) returns boolean
language plpgsql volatile security definer   -- nobody may write rules, not even the service role
set search_path = ''
as $$
declare
  v_rule app.moderation_rules;
  v_new  app.moderation_rules;
begin
  perform private.require_role('admin');
  perform private.lock('rules');
  v_rule := private.require_rule(p_id);
  v_new := v_rule;
  if p_changes ? 'name' then
    v_new.name := private.read_rule_name(p_changes ->> 'name');
  end if;
  v_new.action := coalesce(p_changes ->> 'action', v_rule.action);
  v_new.mode := coalesce(p_changes ->> 'mode', v_rule.mode);
  if v_new.mode = 'live' and v_rule.mode <> 'live' and v_rule.replayed_at is null
     and not (v_rule.mode = 'shadow' and v_rule.mode_since <= now() - interval '1 day') then
    perform private.raise_error('rule_untried');
  end if;
  update app.moderation_rules
  set name = v_new.name, action = v_new.action, mode = v_new.mode,
      mode_since = case when mode = v_new.mode then mode_since else now() end
  where id = p_id and (name, action, mode) is distinct from (v_new.name, v_new.action, v_new.mode);
  return found;
end $$;
comment on function private.change_rule is
  'Changes the name, the action or the mode of a rule. Returns false if nothing changed.';

create function api.update_rule(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if private.change_rule(p_id, p_changes) then
    perform private.audit('rule.changed', 'rule', p_id::text, private.staff_card('rules', p_id));
  end if;
  return private.staff_card('rules', p_id);
end $$;
comment on function api.update_rule is
  'Changes a rule, {name, action, mode}, and returns it. Its conditions never change. It can go live only when it was '
  'in shadow for a day or was replayed. Repeating it changes nothing. Leaves an audit entry. Fails: '
  'value_invalid.';

create function private.drop_rule(p_id uuid) returns boolean
language plpgsql volatile security definer   -- nobody may write rules, not even the service role
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  perform private.lock('rules');
  perform private.require_rule(p_id);
  delete from app.moderation_rules where id = p_id;
  return found;
end $$;
comment on function private.drop_rule is 'Deletes a rule.';

create function api.delete_rule(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if private.drop_rule(p_id) then
    perform private.audit('rule.deleted', 'rule', p_id::text);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_rule is
  'Deletes a rule. What it hid stays hidden, and its hits are deleted by their age. Leaves an audit entry.';
