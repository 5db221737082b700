-- Objects whose asset was deleted. The worker calls the function `media` until it has deleted them.
-- docs/decisions.md, Media.

create table private.pending_object_deletions (
  bucket      text not null,
  key         text not null,
  upload_only boolean not null,
  due_at      timestamptz not null,
  upload_id   text,
  primary key (bucket, key)
);
create index pending_object_deletions_due_at_idx on private.pending_object_deletions (due_at);
comment on table private.pending_object_deletions is
  'Objects that the worker must delete. A row stays until the storage has deleted the object. Announced objects that '
  'were never uploaded also have rows.';
comment on column private.pending_object_deletions.upload_only is
  'Whether the asset still exists. If so, the worker deletes only a file that was uploaded again through the '
  'asset''s upload URL.';
comment on column private.pending_object_deletions.upload_id is
  'The upload in parts that the storage may still have open; null if the asset had none.';
comment on column private.pending_object_deletions.due_at is
  'When the worker next tries to delete the object: not before the upload URL has expired, because until then the '
  'object can be uploaded again.';

create function private.queue_object_deletions() returns trigger
language plpgsql security definer   -- only triggers may queue deletions
set search_path = ''
as $$
begin
  -- an upload can arrive within the first ten minutes, and a running commit may take two
  insert into private.pending_object_deletions as d (bucket, key, upload_only, upload_id, due_at)
  select g.bucket, g.key, tg_op = 'UPDATE', g.upload_id,
         greatest(now() + interval '2 minutes', g.created_at + interval '15 minutes')
  from gone g
  where tg_op = 'DELETE' or g.status = 'committed'
  on conflict (bucket, key) do update
    set upload_only = excluded.upload_only, due_at = excluded.due_at
    where d.upload_only;
  return null;
end $$;
comment on function private.queue_object_deletions is
  'Trigger: queues the objects of deleted assets for deletion. These are assets that expired, made room for a new '
  'one, belonged to an erased person, or were deleted by the database''s owner. For an asset that is committed, it '
  'queues only files that are uploaded later.';
create trigger queue_object_deletions after delete on app.media_assets
  referencing old table as gone for each statement execute function private.queue_object_deletions();
create trigger queue_upload_deletions after update on app.media_assets
  referencing new table as gone for each statement execute function private.queue_object_deletions();

select pgboss.create_queue('objects', '{"policy": "standard"}');

create function private.job_delete_objects() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_bucket  constant text := private.media_setting('media_bucket');
  v_keys    text[];
  v_uploads text[];
  v_ids     json;
begin
  with due as (
    select d.bucket, d.key from private.pending_object_deletions d
    where d.due_at <= now() and d.bucket = v_bucket
    order by d.due_at limit 50 for update skip locked
  ), later as (
    update private.pending_object_deletions d set due_at = now() + interval '10 minutes'
    from due where (d.bucket, d.key) = (due.bucket, due.key)
    returning d.key, d.upload_only, d.upload_id
  )
  select coalesce(array_agg(key) filter (where not upload_only), '{}'),
         coalesce(array_agg(key) filter (where upload_only), '{}'),
         coalesce(json_object_agg(key, upload_id) filter (where upload_id is not null), '{}')
  into v_keys, v_uploads, v_ids from later;
  if cardinality(v_keys || v_uploads) > 0 then
    perform private.enqueue('objects', json_build_object(
      'bucket', v_bucket, 'keys', v_keys, 'uploads', v_uploads, 'uploadIds', v_ids));
  end if;
  return cardinality(v_keys || v_uploads);
end $$;
comment on function private.job_delete_objects is
  'Job: queues up to 50 objects whose asset was deleted, so that the worker deletes them from the storage. It queues '
  'an object again after 10 minutes if the storage did not delete it. May run twice: deleting an object twice changes '
  'nothing. The worker repeats it until none is due.';
insert into private.jobs (name, cron, expires, repeats) values ('delete-objects', '* * * * *', 60, true);

create function private.note_deleted_objects(p_bucket text, p_keys text[], p_uploads text[]) returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_deleted integer;
begin
  delete from private.pending_object_deletions
  where bucket = p_bucket
    and (key = any (p_keys) or key = any (p_uploads) and upload_only);
  get diagnostics v_deleted = row_count;
  return v_deleted;
end $$;
comment on function private.note_deleted_objects is
  'For the worker alone: removes from private.pending_object_deletions the objects of a bucket that the storage has '
  'deleted (p_keys), and those of which it has deleted later uploads (p_uploads). Returns their number.';
