-- Publishing, listing, opening and deleting videos and audio.
-- docs/decisions.md, Contents; Lists.

create function private.find_caption(p_caption text) returns text
language plpgsql stable
set search_path = ''
as $$ begin return nullif(private.require_text(p_caption), ''); end $$;
comment on function private.find_caption is 'A caption as it is stored; null if there is none.';

create function private.clamped(p_seconds numeric, p_most integer) returns numeric
language plpgsql immutable
set search_path = ''
as $$ begin return case when p_seconds is not null then least(p_seconds, p_most) end; end $$;
comment on function private.clamped is 'A duration in seconds, limited to p_most; null stays null.';

-- videos

create function api.create_video(
  p_media_url text, p_thumbnail_url text default null, p_caption text default null,
  p_duration_sec numeric default null, p_interest_id uuid default null, p_group_id text default null,
  p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept      json := private.begin_idempotent('create_video', json_build_array(
    p_media_url, p_thumbnail_url, p_caption, p_duration_sec, p_interest_id, p_group_id, p_guild_id));
  v_caption   text;
  v_media     text;
  v_thumbnail text;
  v_id        uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_caption := private.find_caption(p_caption);
  v_media := private.use_media_url(p_media_url, '{video}');
  v_thumbnail := case when p_thumbnail_url is not null then private.use_media_url(p_thumbnail_url, '{image}')
                      else private.asset_url((private.find_own_asset(v_media)).poster_id::text) end;
  v_id := private.add_content('video', p_interest_id, null, array[v_caption], p_group_id, p_guild_id);
  insert into app.videos (id, media_url, thumbnail_url, caption, duration_sec)
  values (v_id, v_media, v_thumbnail, v_caption, private.clamped(p_duration_sec, 60));
  return private.finish_idempotent('create_video', private.video_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_video is
  'Publishes a video, optionally in a group or guild. Its default thumbnail is the poster of its asset. Fails: '
  'video_caption. Never: content_title, interest_unknown (any id is allowed).';

create function api.list_videos(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null, p_group_id text default null,
  p_guild_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  c_deepest constant integer := 1000;   -- a request that skips more would take too long
  v_counts boolean := p_cursor is null or p_cursor ~ '^[0-9]{1,4}$';
  v_past   integer := case when v_counts then coalesce(p_cursor, '0') else '0' end;
  v_found  app.listing;
  v_next   text;
begin
  if v_past > c_deepest then
    perform private.raise_error('cursor_unknown');
  end if;
  v_found := private.search_contents('video', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id,
                                     case when not v_counts then p_cursor end, p_past => v_past);
  v_next := case when v_counts and p_limit <= c_deepest - v_past then (v_past + p_limit)::text
                 else v_found.cursors[p_limit] end;
  return private.page(private.video_cards(v_found.ids[:p_limit]),
                      array_fill(v_next, array[cardinality(v_found.ids)]), p_limit, v_found.next);
end $$;
comment on function api.list_videos is
  'Videos, newest first (private.search_contents). A cursor is the number of videos before the page, up to 1000. '
  'Beyond that, and after a short page, the cursor is a place.';

create function api.list_videos_by(p_author_id text, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing := private.search_contents('video', null, p_author_id, null, null, null, p_cursor);
begin
  return private.page(private.video_cards(v_found.ids[:30]), v_found.cursors, 30, v_found.next);
end $$;
comment on function api.list_videos_by is 'A person''s videos, newest first, 30 on a page (private.search_contents).';

create function api.get_video(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_video_card(p_id); end $$;
comment on function api.get_video is 'The card of a video.';

create function private.delete_video(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not delete what others left
set search_path = ''
as $$
begin
  perform private.lock_video_counters(array(   -- lock the counters before the head: ARCHITECTURE.md, Locks
    select id from app.contents where id = p_id and author_id = private.require_caller()));
  return private.delete_content('video', p_id);
end $$;
comment on function private.delete_video is 'Deletes the caller''s own video; returns false if there is none.';

create function api.delete_video(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.delete_video(p_id) then
    perform private.require_video(p_id);
    perform private.raise_error('content_not_yours');
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_video is
  'Deletes the caller''s video permanently, with everything that people left on it.';

-- audio

create function private.audio_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks visibility only once, like private.video_cards
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(private.merge_objects(h.head, d.detail) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.audio_details d on d.id = h.id);
end $$;
comment on function private.audio_cards is
  'The cards of these recordings, in order, without those that the caller can''t see: the head and the detail.';
call private.force_index_scans('private.audio_cards');

create function private.require_audio_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('audio_unknown', private.audio_cards(array[p_id]) -> 0); end $$;
comment on function private.require_audio_card is 'Returns the card of a recording that the caller may see.';

create function api.create_audio(
  p_media_url text, p_caption text default null, p_duration_sec numeric default null,
  p_interest_id uuid default null, p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept    json := private.begin_idempotent('create_audio', json_build_array(
    p_media_url, p_caption, p_duration_sec, p_interest_id, p_group_id, p_guild_id));
  v_caption text;
  v_media   text;
  v_id      uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_caption := private.find_caption(p_caption);
  v_media := private.use_media_url(p_media_url, '{audio}');
  v_id := private.add_content('audio', p_interest_id, null, array[v_caption], p_group_id, p_guild_id);
  insert into app.audio (id, media_url, caption, duration_sec)
  values (v_id, v_media, v_caption, private.clamped(p_duration_sec, 300));
  return private.finish_idempotent('create_audio', private.audio_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_audio is
  'Publishes an audio recording, optionally in a group or guild. Fails: audio_caption. Never: content_title, '
  'interest_unknown (any id is allowed).';

create function api.list_audio(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null, p_group_id text default null,
  p_guild_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing := private.search_contents('audio', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id,
                                                 p_cursor);
begin
  return private.page(private.audio_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_audio is 'Audio recordings, newest first (private.search_contents).';

create function api.list_audio_by(p_author_id text, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing := private.search_contents('audio', null, p_author_id, null, null, null, p_cursor);
begin
  return private.page(private.audio_cards(v_found.ids[:30]), v_found.cursors, 30, v_found.next);
end $$;
comment on function api.list_audio_by is
  'A person''s audio recordings, newest first, 30 on a page (private.search_contents).';

create function api.get_audio(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_audio_card(p_id); end $$;
comment on function api.get_audio is 'The card of an audio recording.';

create function api.delete_audio(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.delete_content('audio', p_id) then
    perform private.require_audio(p_id);
    perform private.raise_error('content_not_yours');
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_audio is 'Deletes the caller''s audio recording permanently.';
