-- Recent changes, for clients that keep copies of what they have read. A feature records each change of a thing of
-- which a client may have a copy, and GET /sync lists the changes. docs/decisions.md, Feed.

create table private.change_sources (
  source text primary key check (source ~ '^[a-z]+$'),
  finder text not null check (finder ~ '^private\.[a-z_]+$')
);
comment on table private.change_sources is
  'Registry: the sources of changes.';
comment on column private.change_sources.finder is
  'A function that takes (uuid[], smallint[]) and returns setof app.change. It takes changed things of this source, '
  'each with the level of its change, and returns those of which the caller may learn.';

create type app.change as (id uuid, type text, gone boolean);
comment on type app.change is
  'A thing that changed: its public id, its type in responses, and whether the caller can no longer see it.';

create table private.changes (
  source     text not null references private.change_sources on delete cascade,
  thing_id   uuid not null,
  level      smallint not null,
  changed_at timestamptz not null,
  primary key (source, thing_id, level)
);
create index changes_changed_at_idx on private.changes (changed_at, thing_id);
comment on table private.changes is
  'The latest change of each thing. A thing has a row for each level, so that an edit that few people see reveals '
  'nothing to people who could see the thing only earlier.';
comment on column private.changes.thing_id is 'The public id of the thing.';
comment on column private.changes.level is
  'The audience level that a viewer needed to see the thing before or after the change, whichever is lower.';
comment on column private.changes.changed_at is
  'When the change was recorded, at the end of its transaction.';
-- keep changes for one day more than the period for which a client may ask
insert into private.retention (relation, counts_from, keep) values ('private.changes', 'changed_at', '31 days');

create function private.note_changed(p_source text, p_id uuid, p_level integer) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.changes (source, thing_id, level, changed_at)
  values (p_source, p_id, p_level, clock_timestamp())
  on conflict (source, thing_id, level) do update set changed_at = excluded.changed_at;
end $$;
comment on function private.note_changed is
  'Records that a thing changed for viewers who have this audience level. Call it late in a transaction, from a '
  'deferred trigger. The transaction must then commit within ten seconds, because readers look back no further.';
