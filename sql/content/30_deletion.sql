-- How an author deletes a content permanently, and how the worker deletes what people left on it. docs/decisions.md,
-- Contents.

create table private.content_cascades (
  relation regclass primary key,
  kind     text not null references private.content_kinds on delete restrict,
  position smallint not null default 1,
  whose    text not null
);
create index content_cascades_kind_idx on private.content_cascades (kind, position);
comment on table private.content_cascades is
  'Registry: tables with what people leave on a content of a kind. After a content is deleted, the worker deletes '
  'their rows, 500 at a time in the order of position, so that the foreign keys to the head find no row.';
comment on column private.content_cascades.whose is
  'The condition for the rows that belong to a content ($1), as SQL with an index.';

create function private.clear_content(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- callers may not delete what others left
set search_path = ''
as $$
declare
  v_content app.contents;
  v_left    private.content_cascades;
  v_deleted integer;
  v_missed  boolean;
  v_changed integer := 0;
  v_more    boolean := false;
begin
  select * into v_content from app.contents where id = (p_job ->> 'contentId')::uuid and deleted_at is not null;
  for v_left in
    select * from private.content_cascades where kind = v_content.kind order by position, relation::text
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where %2$s limit 500))',
                   v_left.relation, v_left.whose) using v_content.id;
    get diagnostics v_deleted = row_count;
    v_changed := v_changed + v_deleted;
    -- rows that somebody changed meanwhile are skipped, so there may be more rows even if fewer than 500 were deleted
    execute format('select exists (select from %s where %s)', v_left.relation, v_left.whose) into v_missed
      using v_content.id;
    v_more := v_more or v_missed or v_deleted = 500;
  end loop;
  return json_build_object('changed', v_changed, 'next', case when v_more then v_content.id end);
end $$;
comment on function private.clear_content is
  'For the worker and private.delete_content: deletes 500 rows from each table with what people left on a deleted '
  'content {contentId}. Returns {changed, next}; next is null when no rows remain.';
call private.force_index_scans('private.clear_content');
call private.make_batch_queue('deleted-contents', 'private.clear_content');

create function private.clear_before_purge() returns trigger
language plpgsql security definer   -- the purge has no access to Kith's tables
set search_path = ''
as $$
begin
  if private.clear_content(jsonb_build_object('contentId', old.id)) ->> 'next' is not null then
    return null;   -- keep the head until the next purge
  end if;
  return old;
end $$;
comment on function private.clear_before_purge is
  'Trigger: keeps the head of a deleted content until no rows refer to it. The job that deletes these rows is kept '
  'for only a day: if the worker was off for longer, the foreign keys would otherwise delete all of them in one '
  'statement.';
create trigger _100_clear_before_purge before delete on app.contents
  for each row when (old.deleted_at is not null) execute function private.clear_before_purge();

create function private.delete_content(p_kind text, p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not delete a head, a detail, or what others left
set search_path = ''
as $$
declare
  v_job json := json_build_object('contentId', p_id);
begin
  update app.contents set deleted_at = now(), title = null, interest_id = null, words = ''
  where id = p_id and kind = p_kind and author_id = private.require_caller() and deleted_at is null;
  if not found then
    return false;
  end if;
  -- lock children before details: ARCHITECTURE.md, Locks
  if private.clear_content(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('deleted-contents', v_job);
  end if;
  execute format('delete from %s where id = $1', (select relation from private.content_kinds where kind = p_kind))
    using p_id;
  return true;
end $$;
comment on function private.delete_content is
  'Deletes the caller''s own content of this kind with its detail, even if they can no longer see it; returns false '
  'if there is none. The head is kept for 31 days, and the worker deletes what exceeds 500 rows of a table.';
