-- The registry of personal data: every column that refers to people, and whether its rows are in their export. Each
-- feature adds its columns; test/api/identity/export.test.ts finds the columns that are missing here.
-- docs/decisions.md, Erasure and export.

create table private.personal_data (
  id            integer generated always as identity primary key,
  relation      regclass not null,
  person_column text not null,
  section       text unique check (section ~ '^[a-z][A-Za-z]*$'),
  within        text[],
  whose         text,
  omits         text[] not null default '{}',
  adds          text,
  across_blocks boolean not null default false,
  reason        text,
  unique (relation, person_column),
  check ((section is null) = (reason is not null))
);
comment on table private.personal_data is
  'Registry: every column that refers to a person, with the section of the export that contains its rows, or the '
  'reason why none does.';
comment on column private.personal_data.within is
  'The outer sections, to whose rows person_column refers. Null if person_column has the person. Then an index must '
  'begin with person_column and continue with the columns that order a person''s rows; otherwise each page would '
  'sort all of them.';
comment on column private.personal_data.whose is
  'An SQL condition on a row t. In a section with `within` it replaces t.<person_column> = p.id, where p is a row of '
  'the outer section; otherwise it excludes some rows of the person.';
comment on column private.personal_data.omits is 'Columns that the section leaves out.';
comment on column private.personal_data.adds is
  'SQL of further columns of the section, where t is the row: (select …) as name. The columns are texts, such as '
  'the name of a thing whose id differs between instances.';
comment on column private.personal_data.across_blocks is
  'Whether the section names people whom the person has blocked, or who have blocked the person, because people may '
  'see whom they have blocked.';

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.users', 'id', 'profile', '{}'),
  ('app.usernames', 'user_id', 'usernames', '{hash}'),
  ('app.audit_log', 'actor_id', 'auditEntries',
   '{target_id,previous,hash,detail_hash,ip_hash,actor_salt}');
insert into private.personal_data (relation, person_column, section, within, whose, omits) values
  ('private.revoked_tokens', 'user_id', 'endedTokens', null, 't.scopes is null', '{scopes}'),
  ('app.audit_log', 'target_id', 'auditEntriesAboutMe', null, $$ t.target_type = 'user' $$,
   '{actor_id,previous,hash,detail_hash,ip_hash,actor_salt}'),
  ('app.audit_details', 'audit_id', 'auditAddresses', '{auditEntries}', null,
   '{detail,subject_id,detail_salt,ip_salt}');
insert into private.personal_data (relation, person_column, reason) values
  ('app.audience', 'viewer_id', 'Computed from circles and blocks, which have sections of their own.'),
  ('app.audience', 'author_id', 'Computed from circles and blocks, which have sections of their own.'),
  ('app.hidden_people', 'user_id', 'The profile has the ban; an erased person has no export.'),
  ('app.limited_people', 'user_id', 'The profile has the time from which the person is limited.'),
  ('app.audit_details', 'subject_id', 'auditEntriesAboutMe has the bans; notifications tell authors what staff did.'),
  ('app.domain_events', 'payload', 'Repeats data of the sections, for 30 days.'),
  ('private.effects', 'user_id', 'Ids of the latest events, kept for about a second.'),
  ('private.effects', 'payload', 'Ids of the latest events, kept for about a second.'),
  ('private.stuck_effects', 'user_id', 'The row says only that an effect is waiting.'),
  ('private.write_counts', 'user_id', 'The number of the person''s writes in the current hour; deleted after this '
    'hour.'),
  ('app.idempotency_keys', 'user_id', 'Answers that were already sent, kept for 24 hours.'),
  ('app.idempotency_keys', 'named', 'Answers that were already sent, kept for 24 hours.'),
  ('app.idempotency_keys', 'answer', 'Answers that were already sent, kept for 24 hours.');

insert into private.errors (code, status, text) values
  ('section_unknown', 404, 'The export has no such section.');

create function private.camel_case(p_name text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return left(p_name, 1) || substr(replace(initcap(replace(p_name, '_', ' ')), ' ', ''), 2);
end $$;
comment on function private.camel_case is
  'The name of a column as a field of a response: created_at becomes createdAt.';

create function private.key_columns(p_relation regclass)
returns table (place bigint, name text, type regtype)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
    select k.place, a.attname::text, a.atttypid::regtype
    from pg_catalog.pg_index i
    cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = p_relation and i.indisprimary;
end $$;
comment on function private.key_columns is 'The columns of a table''s primary key.';

create function private.export_row(p_user uuid, p_row json, p_source private.personal_data) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_times text[] := array(select attname::text from pg_catalog.pg_attribute
                          where attrelid = p_source.relation and atttypid = 'timestamptz'::regtype);
begin
  -- check all values, whatever their column, so that no column can reveal the internal id of another person
  return (
    select json_object_agg(
             private.camel_case(f.key),
             case when f.key = any (v_times) then to_json(private.utc((f.value #>> '{}')::timestamptz))
                  when u.id is null or u.id = p_user then f.value
                  when u.banned_at is null and u.erased_at is null
                   and (p_source.across_blocks or private.may_meet(private.find_level(p_user, u.id)))
                  then to_json(private.actor_id(u.username, (select domain from private.instance))) else 'null' end
             order by f.place)
    from json_each(p_row) with ordinality as f (key, value, place)
    left join app.users u
      on u.id = case when pg_input_is_valid(f.value #>> '{}', 'uuid') then (f.value #>> '{}')::uuid end
    where f.key <> all (p_source.omits));
end $$;
comment on function private.export_row is
  'A row in the form of the export: fields in camel case, other people by actor id, or null if the person can''t see '
  'them.';
call private.force_index_scans('private.export_row');

create function private.export_order(p_source private.personal_data) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_keys  text[] := array(select k.name from private.key_columns(p_source.relation) k order by k.place);
  v_order text[];
begin
  -- the shortest index that begins with the person's column and has one direction; a partial index must have exactly
  -- the rows of the section
  select o.names[2:] into v_order
  from pg_catalog.pg_index i
  cross join lateral (
    select array_agg(a.attname::text order by k.place) as names,
           coalesce(bool_and(a.attnotnull) filter (where k.place > 1), true) as full,
           count(distinct i.indoption[k.place - 1] & 1) filter (where k.place > 1) as ways
    from unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where k.place <= i.indnkeyatts) o
  where i.indrelid = p_source.relation and i.indisvalid and i.indexprs is null
    and (i.indpred is null or p_source.whose = 't.' || btrim(pg_catalog.pg_get_expr(i.indpred, i.indrelid), '()'))
    and o.names[1] = p_source.person_column and o.full and o.ways <= 1
  order by o.names @> v_keys desc, cardinality(o.names), i.indexrelid limit 1;
  return coalesce(v_order, '{}') || array(
    select k.name from unnest(v_keys) with ordinality as k (name, place)
    where k.name <> all (coalesce(v_order, '{}')) and (k.name <> p_source.person_column or cardinality(v_keys) = 1)
    order by k.place);
end $$;
comment on function private.export_order is
  'The columns that order a section whose person_column has the person: first those of an index after the person''s '
  'column, then the missing columns of the primary key.';

create function private.export_keys(p_relation regclass, p_alias text, p_names text[], p_after text)
returns table (names text, places text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
    select string_agg(format('%I.%I', p_alias, n.name), ', ' order by n.place),
           string_agg(format('(%s ->> %s)::%s', p_after, n.place - 1, a.atttypid::regtype), ', ' order by n.place)
    from unnest(p_names) with ordinality as n (name, place)
    join pg_catalog.pg_attribute a on a.attrelid = p_relation and a.attname = n.name;
end $$;
comment on function private.export_keys is
  'Two lists for the text of a query. names has these columns of the relation, qualified with the alias; places has '
  'expressions that read the values of the columns from the JSON array p_after.';

create function private.export_json(p_source private.personal_data) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_source.adds is null then 'to_json(t)'
              else format('(select to_json(a) from (select t.*, %s) a)', p_source.adds) end;
end $$;
comment on function private.export_json is
  'Part of a query: a row t of a section as JSON, with the columns that it adds.';

create type private.export_rows as (items json[], next jsonb);
comment on type private.export_rows is
  'Rows of a section, as the table has them, and the position of the next page, which is null at the end.';

create function private.export_direct(p_user uuid, p_source private.personal_data, p_after jsonb)
returns private.export_rows
language plpgsql stable security definer   -- reads rows that people otherwise see only as cards
set search_path = ''
as $$
declare
  v_names  text;
  v_places text;
  v_rows   json[];
begin
  select k.names, k.places into v_names, v_places
  from private.export_keys(p_source.relation, 't', private.export_order(p_source), '$2') k;
  -- the condition is applied after the limit, so a page reads at most 201 rows
  execute format(
      'select array(select json_build_object(''row'', case when %1$s then %7$s end, ''key'',
                                             json_build_array(%2$s))
                    from (select t.* from %3$s t where t.%4$I = $1::%5$s and ($2 is null or (%2$s) > (%6$s))
                          order by %2$s limit 201) t
                    order by %2$s)',
      coalesce(p_source.whose, 'true'), v_names, p_source.relation, p_source.person_column,
      (select atttypid::regtype from pg_catalog.pg_attribute
       where attrelid = p_source.relation and attname = p_source.person_column), v_places,
      private.export_json(p_source))
    into v_rows using p_user, p_after;
  return (array(select r.item -> 'row' from unnest(v_rows[:200]) with ordinality as r (item, place)
                where json_typeof(r.item -> 'row') = 'object' order by r.place),
          case when cardinality(v_rows) > 200 then (v_rows[200] -> 'key')::jsonb end)::private.export_rows;
end $$;
comment on function private.export_direct is
  'The next 200 rows of a section whose person_column has the person, in the order of private.export_order.';
call private.force_index_scans('private.export_direct');
-- allow this sort, so that rows with equal values in the index are sorted by their keys
alter function private.export_direct set enable_incremental_sort = on;

create function private.export_within(p_user uuid, p_source private.personal_data, p_after jsonb)
returns private.export_rows
language plpgsql stable security definer   -- reads rows that people otherwise see only as cards
set search_path = ''
as $$
declare
  v_section integer := coalesce((p_after ->> 'section')::integer, 1);
  v_outer   private.personal_data;
  v_names   text;
  v_places  text;
  v_keys    text;
  v_done    text;
  v_rows    json[];
  v_count   integer;
  v_last    json;
begin
  select * into v_outer from private.personal_data where section = p_source.within[v_section];
  select k.names, k.places into v_names, v_places
  from private.export_keys(v_outer.relation, 'p', private.export_order(v_outer), '($2 -> ''outer'')') k;
  select k.names, k.places into v_keys, v_done
  from private.export_keys(p_source.relation, 't', array(select c.name from private.key_columns(p_source.relation) c
                                                         order by c.place), '($2 -> ''row'')') k;
  execute format($q$
      with outer_rows as materialized (
        select p.* from %1$s p
        where p.%2$I = $1 and ($2 -> 'outer' is null
                               or case when $2 -> 'row' is null then (%3$s) > (%4$s) else (%3$s) >= (%4$s) end)
        order by %3$s limit 50
      )
      select array(
               select json_build_object('row', %11$s, 'outer', json_build_array(%3$s),
                                        'key', json_build_array(%6$s))
               from outer_rows p
               cross join lateral (
                 select t.* from (select t.* from %5$s t where %8$s %10$s) t
                 where $2 -> 'row' is null or (%3$s) <> (%4$s) or (%6$s) > (%7$s)
                 order by %6$s limit 201) t
               order by %3$s, %6$s limit 201),
             (select count(*) from outer_rows),
             (select json_build_array(%3$s) from outer_rows p order by %9$s limit 1)
      $q$,
      v_outer.relation, v_outer.person_column, v_names, v_places, p_source.relation, v_keys, v_done,
      coalesce(p_source.whose, format('t.%I = p.id', p_source.person_column)),
      replace(v_names, ',', ' desc,') || ' desc',
      -- `offset 0` makes Postgres find the rows of one outer row by an index; otherwise it might scan the rows of all
      -- people in the order of their keys. A section whose key begins with person_column does not need it.
      case when not exists (select from private.key_columns(p_source.relation) c
                            where c.place = 1 and c.name = p_source.person_column) then 'offset 0' end,
      private.export_json(p_source))
    into v_rows, v_count, v_last using p_user, p_after;
  return (
    array(select r.item -> 'row' from unnest(v_rows[:200]) with ordinality as r (item, place) order by r.place),
    case when cardinality(v_rows) > 200
         then jsonb_build_object('section', v_section, 'outer', v_rows[200] -> 'outer', 'row', v_rows[200] -> 'key')
         when v_count = 50 then jsonb_build_object('section', v_section, 'outer', v_last)
         when v_section < cardinality(p_source.within) then jsonb_build_object('section', v_section + 1)
    end)::private.export_rows;
end $$;
comment on function private.export_within is
  'Up to 200 next rows of a section with `within`: those that refer to the next 50 rows of an outer section.';
call private.force_index_scans('private.export_within');
alter function private.export_within set enable_incremental_sort = on;

create function private.export_page(p_user uuid, p_section text, p_after text default null) returns json
language plpgsql stable security definer   -- reads rows that people otherwise see only as cards
set search_path = ''
as $$
declare
  v_list   text := concat_ws(' ', 'export', p_user, p_section);
  v_source private.personal_data;
  v_after  jsonb;
  v_found  private.export_rows;
begin
  select * into v_source from private.personal_data where section = p_section;
  if not found then
    perform private.raise_error('section_unknown');
  end if;
  if p_after is not null then
    v_after := convert_from(private.open(v_list, p_after), 'UTF8');
    if v_after is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := case when v_source.within is null then private.export_direct(p_user, v_source, v_after)
                  else private.export_within(p_user, v_source, v_after) end;
  return json_build_object(
    'items', array(select private.export_row(p_user, r.item, v_source)
                   from unnest(v_found.items) with ordinality as r (item, place) order by r.place),
    'next', case when v_found.next is not null
                 then private.seal(v_list, convert_to(v_found.next::text, 'UTF8')) end);
end $$;
comment on function private.export_page is
  'Up to 200 rows of a section: {items, next}; the caller passes next as p_after, and it is null at the end.';
