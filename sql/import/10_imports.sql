-- For an import, a person uploads an export (a dossier) of this instance or of another one. The facade reads the
-- file and adds the rows of the sections that can be imported. When the file is complete, the worker imports the rows
-- in batches. Each feature registers its importers in private.import_sections.
-- docs/decisions.md, Import.

create table private.import_sections (
  section    text primary key check (section ~ '^[a-z][A-Za-z]*$'),
  position   smallint unique check (position between 1 and 999),
  importer   text check (importer ~ '^private\.[a-z_]+$'),
  shape      jsonb not null check (jsonb_typeof(shape) = 'object'),
  key_field  text,
  of_field   text,
  sort_field text,
  check ((importer is null) = (position is null)),
  check ((importer is null) = (of_field is not null))
);
comment on table private.import_sections is
  'Registry: the sections of an export that can be imported.';
comment on column private.import_sections.position is 'The order in which the sections are imported.';
comment on column private.import_sections.importer is
  'A function that takes (app.imports, private.import_rows) and returns private.import_result. It imports one row '
  'for the person, who is the caller while it runs. It raises a code if the row cannot be imported, and may report '
  'what it left out of the row. The value is null if the rows of this section belong to rows of another section, '
  'whose importer then reads them (private.import_details).';
comment on column private.import_sections.shape is
  'The fields that a row must have: {field: type}. The types: text, uuid, boolean, integer, time, array; with ? the '
  'field may also be null or absent.';
comment on column private.import_sections.key_field is
  'The field that identifies a row within its section and instance; null for a section of one row.';
comment on column private.import_sections.of_field is
  'The field with the key of the row of another section to which the row belongs.';
comment on column private.import_sections.sort_field is
  'The field with a time that gives the order in which the rows are imported; null for the order of the file.';

create table app.imports (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app.users on delete cascade,
  state         text not null default 'receiving'
                check (state in ('receiving', 'waiting', 'running', 'done', 'stopped')),
  origin        text check (length(origin) between 1 and 253),
  issuer        text check (length(issuer) <= 2048),
  signature     text check (signature in ('valid', 'unknown_instance', 'none')),
  done          integer not null default 0,
  total         integer not null default 0,
  staged        integer not null default 0,
  problems      jsonb not null default '[]',
  problem_count integer not null default 0,
  created_at    timestamptz not null default now(),
  ended_at      timestamptz
);
create index imports_user_id_idx on app.imports (user_id, created_at, id);
create index imports_created_at_idx on app.imports (created_at);
comment on table app.imports is 'The imports of people, kept for 7 days.';
comment on column app.imports.state is
  'receiving: the file is not complete. waiting: the worker has not begun to import the file. running: the worker '
  'imports the file. done: the worker has imported the file. stopped: the person was banned meanwhile.';
comment on column app.imports.origin is 'The domain of the instance that wrote the dossier, from its actorId.';
comment on column app.imports.issuer is
  'The address of the instance that signed the dossier; null without a signature.';
comment on column app.imports.done is 'The number of the `total` rows that have been imported or left out so far.';
comment on column app.imports.staged is 'The number of rows of the file, including rows that belong to other rows.';
comment on column app.imports.problems is 'The first 200 problems: [{path, code, message}].';
comment on column app.imports.ended_at is 'When the import was done or stopped; null until then.';

create table private.import_rows (
  import_id  uuid not null references app.imports on delete cascade,
  section    text not null,
  place      integer not null,
  position   smallint,
  sort_at    timestamptz not null default '-infinity',
  row_key    text not null,
  of_key     text,
  item       jsonb not null,
  created_at timestamptz not null default now(),
  primary key (import_id, section, place)
);
create index import_rows_next_idx on private.import_rows (import_id, position, sort_at, place)
  where position is not null;
create index import_rows_of_key_idx on private.import_rows (import_id, section, of_key) where of_key is not null;
create index import_rows_created_at_idx on private.import_rows (created_at);
comment on table private.import_rows is
  'The rows of a dossier that are not imported yet. The transaction that imports a row deletes it, so that the '
  'import continues with the next row if a worker was killed.';
comment on column private.import_rows.place is 'The place of the row in its section of the file, from 0.';
comment on column private.import_rows.position is
  'The position of the section; null if the row belongs to another row.';
comment on column private.import_rows.sort_at is
  'The time that gives the order in which the rows of the section are imported.';
comment on column private.import_rows.row_key is 'The key of the row in its instance; empty in a section of one row.';
comment on column private.import_rows.of_key is
  'The key of the row to which this row belongs; null if it belongs to none.';

create table private.imported (
  user_id uuid not null references app.users on delete cascade,
  origin  text not null,
  section text not null,
  row_key text not null,
  here    uuid,
  primary key (user_id, origin, section, row_key)
);
comment on table private.imported is
  'The things that a person has imported, by their keys in the instance of the dossier, so that a second import '
  'changes nothing.';
comment on column private.imported.here is
  'The id of the imported thing in this instance; null if it has no id.';

create type private.import_result as (here uuid, notes jsonb);
comment on type private.import_result is
  'The result for a row: its id in this instance, and the parts that were left out, [{field, code}], null if '
  'nothing was left out.';

insert into private.errors (code, status, text) values
  ('import_none', 404, 'You have imported nothing within the last 7 days.'),
  ('import_running', 409, 'Your last import is not done yet. GET /me/import shows its progress.'),
  ('import_daily', 429, 'You can import one dossier within 24 hours. Try again after the number of seconds in '
   'Retry-After.'),
  ('import_invalid', 422, 'This is not a complete dossier. Nothing was imported.'),
  ('import_changed', 422, 'The signature of this dossier is not valid: the dossier was changed or is not complete, or '
                          'its instance no longer publishes the key. Nothing was imported.'),
  ('import_large', 413, 'A dossier can have at most 50 MB, 100,000 rows that can be imported and 500,000 others. '
   'Nothing was imported.'),
  ('import_of_space', 422, 'A post in a group or a guild is not imported, because this instance does not know the '
                           'members.'),
  ('import_of_other', 422, 'This belongs to somebody else and is not imported.'),
  ('import_hidden', 422, 'Staff of the instance that wrote the dossier hid this post, so it is not imported.'),
  ('import_scheduled', 422, 'A post that was not published when the dossier was written is not imported.');

insert into private.lock_kinds (kind, position) values ('import', 250);
insert into private.write_limits (kind, per_hour) values ('imports', 20);

insert into private.retention (relation, counts_from, keep, batch) values
  ('private.import_rows', 'created_at', '7 days', 5000),
  ('app.imports', 'created_at', '7 days', 20);

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.imports', 'user_id', 'imports', '{staged}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.import_rows', 'import_id', 'The file that the person uploaded. It is kept until it is imported, for at '
                                       'most 7 days.'),
  ('private.imported', 'user_id', 'The row says only which thing was imported; the thing is in its own section.');

create function private.erase_imports(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_rows(p_user.id, 'private.import_rows',
                             'import_id in (select i.id from app.imports i where i.user_id = $1)');
  if not exists (select from private.import_rows r join app.imports i on i.id = r.import_id
                 where i.user_id = p_user.id) then
    perform private.erase_rows(p_user.id, 'app.imports', 'user_id = $1');
  end if;
  perform private.erase_rows(p_user.id, 'private.imported', 'user_id = $1');
end $$;
comment on function private.erase_imports is 'Step: deletes an erased person''s imports.';
call private.force_index_scans('private.erase_imports');
insert into private.account_steps (step, events, position) values
  ('private.erase_imports', '{erasure}', 115);

create function private.import_card(p_import app.imports) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', p_import.id,
    'state', p_import.state,
    'origin', p_import.origin,
    'signature', p_import.signature,
    'issuer', p_import.issuer,
    'done', p_import.done,
    'total', p_import.total,
    'problems', p_import.problems,
    'problemCount', p_import.problem_count,
    'createdAt', private.utc(p_import.created_at),
    'endedAt', private.utc(p_import.ended_at));
end $$;
comment on function private.import_card is
  'An import as its person sees it: {id, state, origin, signature, issuer, done, total, problems, problemCount, '
  'createdAt, endedAt}.';
