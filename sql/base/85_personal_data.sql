-- Where a person's data is: every column that refers to people, and whether its rows are in their export.
-- Each feature adds its own; test/api/identity/export.test.ts finds the columns that are missing here.
-- docs/decisions.md, Erasure and export.

create table private.personal_data (
  id            integer generated always as identity primary key,
  relation      regclass not null,
  person_column text not null,
  section       text unique check (section ~ '^[a-z][A-Za-z]*$'),
  whose         text,
  omits         text[] not null default '{}',
  across_blocks boolean not null default false,
  reason        text,
  unique (relation, person_column),
  check ((section is null) = (reason is not null))
);
comment on table private.personal_data is
  'Every column that refers to a person: the section of the export that has its rows, or the reason why none has.';
comment on column private.personal_data.whose is
  'An SQL condition that finds the rows of person $1; null means person_column = $1.';
comment on column private.personal_data.omits is 'Columns that the section leaves out.';
comment on column private.personal_data.across_blocks is
  'Whether the section names people across a block: a person sees whom they have blocked themselves.';

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.users', 'id', 'profile', '{}'),
  ('app.usernames', 'user_id', 'usernames', '{hash}'),
  ('private.revoked_tokens', 'user_id', 'endedTokens', '{}'),
  ('app.audit_log', 'actor_id', 'auditEntries', '{target_id,previous,hash}');
insert into private.personal_data (relation, person_column, section, whose, omits) values
  ('app.audit_log', 'target_id', 'auditEntriesAboutMe', $$ target_type = 'user' and target_id = $1::text $$,
   '{actor_id,previous,hash}'),
  ('app.audit_details', 'audit_id', 'auditAddresses', 'audit_id in (select l.id from app.audit_log l where '
  'l.actor_id = $1)',
   '{detail}');
insert into private.personal_data (relation, person_column, reason) values
  ('app.audience', 'viewer_id', 'Worked out from circles and blocks, which have sections of their own.'),
  ('app.audience', 'author_id', 'Worked out from circles and blocks, which have sections of their own.'),
  ('app.silenced_people', 'user_id', 'The profile has the ban; an erased person has no export.'),
  ('app.domain_events', 'payload', 'Tells again, for 30 days, what the sections hold.'),
  ('private.effects', 'user_id', 'Ids of what has just happened, for a second.'),
  ('private.effects', 'payload', 'Ids of what has just happened, for a second.'),
  ('private.stuck_effects', 'user_id', 'Says only that something waits.'),
  ('private.write_counts', 'user_id', 'How often they wrote within the hour, which is then forgotten.'),
  ('app.idempotency_keys', 'user_id', 'Answers that were given already, kept for 24 hours.'),
  ('app.idempotency_keys', 'named', 'Answers that were given already, kept for 24 hours.'),
  ('app.idempotency_keys', 'answer', 'Answers that were given already, kept for 24 hours.');

insert into private.errors (code, status, text) values
  ('section_unknown', 404, 'The export has no such section.');

create function private.camel_case(p_name text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return left(p_name, 1) || substr(replace(initcap(replace(p_name, '_', ' ')), ' ', ''), 2);
end $$;
comment on function private.camel_case is 'A column''s name as a field of an answer: created_at becomes createdAt.';

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
  -- it looks at values and not at columns, so that an internal id of somebody else never leaves, wherever it is
  return (
    select json_object_agg(
             private.camel_case(f.key),
             case when f.key = any (v_times) then to_json(private.utc((f.value #>> '{}')::timestamptz))
                  when u.id is null or u.id = p_user then f.value
                  when u.banned_at is null and u.erased_at is null
                   and (p_source.across_blocks or private.may_meet(private.find_level(p_user, u.id)))
                  then to_json(private.actor_id(u.username, private.domain())) else 'null' end
             order by f.place)
    from json_each(p_row) with ordinality as f (key, value, place)
    left join app.users u
      on u.id = case when pg_input_is_valid(f.value #>> '{}', 'uuid') then (f.value #>> '{}')::uuid end
    where f.key <> all (p_source.omits));
end $$;
comment on function private.export_row is
  'A row as the export has it: fields in camel case, other people by actor id, or null where the person cannot see '
  'them.';
call private.make_walk('private.export_row');

create function private.export_page(p_user uuid, p_section text, p_after jsonb default null) returns json
language plpgsql stable security definer   -- reads what people otherwise see only as cards
set search_path = ''
as $$
declare
  v_source private.personal_data;
  v_keys   text;
  v_after  text;
  v_rows   json[];
begin
  select * into v_source from private.personal_data where section = p_section;
  if not found then
    perform private.fail('section_unknown');
  end if;
  -- an id in a key may be another person's: the cursor has its digest instead, which is the caller's alone ($1)
  select string_agg(format(case when type = 'uuid'::regtype then 'sha256(uuid_send($1) || uuid_send(t.%I))'
                                else 't.%I' end, name), ', ' order by place),
         string_agg(format('($2 ->> %s)::%s', place - 1,
                           case when type = 'uuid'::regtype then 'bytea'::regtype else type end), ', ' order by place)
  into v_keys, v_after
  from private.key_columns(v_source.relation);
  execute format(
      -- the offset keeps it from walking over the rows of everybody in the order of their keys
      'select array(select json_build_object(''row'', to_json(t), ''key'', json_build_array(%3$s))
                    from (select * from %1$s t where (%2$s) and ($2 is null or (%3$s) > (%4$s)) offset 0) t
                    order by %3$s limit 201)',
      v_source.relation, coalesce(v_source.whose, format('%I = $1', v_source.person_column)), v_keys, v_after)
    into v_rows using p_user, p_after;
  return json_build_object(
    'items', array(select private.export_row(p_user, r.item -> 'row', v_source)
                   from unnest(v_rows[:200]) with ordinality as r (item, place) order by r.place),
    'next', case when cardinality(v_rows) > 200 then v_rows[200] -> 'key' end);
end $$;
comment on function private.export_page is
  'Up to 200 rows of a section: {items, next}; the caller passes next as p_after, and it is null at the end. Fails: '
  'section_unknown.';
