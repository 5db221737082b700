-- Who may see and change media assets. This file belongs to sql/media/.

-- media_assets
alter table app.media_assets enable row level security;
grant select on app.media_assets to authenticated;
create policy select_own on app.media_assets for select to authenticated using (owner_id = (select app.uid()));
comment on policy select_own on app.media_assets is
  'People see their own assets. Anyone who has the public address of an asset can use it. Only definer functions '
  'write assets.';

-- media_kinds, media_usage, pending_object_deletions: only for definer functions
alter table private.media_kinds enable row level security;
alter table private.media_usage enable row level security;
alter table private.pending_object_deletions enable row level security;

-- helpers
grant execute on function
  private.announce_asset,
  private.asset_card,
  private.asset_url,
  private.attachment_card,
  private.base83,
  private.delete_asset,
  private.find_own_asset,
  private.ids_in,
  private.media_setting,
  private.require_usable_asset,
  private.use_asset,
  private.use_media_url,
  private.use_picture
  to authenticated;

-- operations
grant execute on function
  api.create_asset,
  api.delete_asset,
  api.get_asset
  to authenticated;

-- for the facade, after it has checked the storage
grant execute on function
  api.commit_asset,
  api.continue_upload
  to gate;

-- for the worker
grant execute on function
  private.job_delete_objects,
  private.note_deleted_objects
  to worker;
