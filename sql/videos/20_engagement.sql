-- Likes and reposts of videos, which people can take back. They notify nobody, because videos have no events.

create table app.video_likes (
  video_id   uuid not null references app.contents on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (video_id, user_id)
);
create index video_likes_user_id_idx on app.video_likes (user_id, created_at desc);
comment on table app.video_likes is 'The likes of people. Others see only a count.';

create table app.video_reposts (
  video_id   uuid not null references app.contents on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (video_id, user_id)
);
create index video_reposts_user_id_idx on app.video_reposts (user_id, created_at desc);
comment on table app.video_reposts is 'The reposts of people. Others see only a count.';
-- no right to update, because likes and reposts are only inserted or deleted

insert into private.personal_data (relation, person_column, section) values
  ('app.video_likes', 'user_id', 'videoLikes'), ('app.video_reposts', 'user_id', 'videoReposts');

insert into private.content_cascades (relation, kind, whose) values
  ('app.video_likes', 'video', 'video_id = $1'),
  ('app.video_reposts', 'video', 'video_id = $1');

create function private.count_video_engagement() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
declare
  v_video uuid;
  v_more  integer;
begin
  for v_video, v_more in
    select c.video_id, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed c group by c.video_id order by c.video_id
  loop
    update app.video_counters
    set likes = likes + case tg_table_name when 'video_likes' then v_more else 0 end,
        reposts = reposts + case tg_table_name when 'video_reposts' then v_more else 0 end
    where video_id = v_video;
  end loop;
  return null;
end $$;
comment on function private.count_video_engagement is
  'Trigger: counts likes and reposts. Likes and reposts of people that the viewer can''t see also count, as hearts '
  'of posts do.';
create trigger count_given after insert on app.video_likes
  referencing new table as changed for each statement execute function private.count_video_engagement();
create trigger count_taken_back after delete on app.video_likes
  referencing old table as changed for each statement execute function private.count_video_engagement();
create trigger count_given after insert on app.video_reposts
  referencing new table as changed for each statement execute function private.count_video_engagement();
create trigger count_taken_back after delete on app.video_reposts
  referencing old table as changed for each statement execute function private.count_video_engagement();

create function private.video_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks the visibility of each video only once
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(
             private.merge_objects(private.merge_objects(h.head, d.detail), json_build_object(
               'likeCount', c.likes,
               'repostCount', c.reposts,
               'commentCount', c.comments,
               'viewerHasLiked', (select true from app.video_likes l
                                  where l.video_id = h.id and l.user_id = (select app.uid())) is true,
               'viewerHasReposted', (select true from app.video_reposts r
                                     where r.video_id = h.id and r.user_id = (select app.uid())) is true))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.video_details d on d.id = h.id
    join app.video_counters c on c.video_id = h.id);
end $$;
comment on function private.video_cards is
  'The cards of these videos, in order, without those that the caller can''t see: the head, the detail, {likeCount, '
  'repostCount, commentCount, viewerHasLiked, viewerHasReposted}.';
call private.force_index_scans('private.video_cards');

create function private.require_video_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('video_unknown', private.video_cards(array[p_id]) -> 0); end $$;
comment on function private.require_video_card is 'Returns the card of a video that the caller may see.';

create function private.require_open_video(p_id uuid) returns uuid
language plpgsql volatile   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
begin
  -- don't call private.lock_open_content, because the counters of a video are locked before its head (ARCHITECTURE.md,
  -- Locks)
  perform private.write_in_space((private.require_video(p_id)).space_id);
  perform private.require_shown(private.require_video(p_id));
  return p_id;
end $$;
comment on function private.require_open_video is
  'Returns a video if the caller may see it, it is not removed, and its space is not archived. The author can see a '
  'removed video, but nobody can act on it.';

insert into private.operations_of_people (operation) values ('like_video');

create function api.like_video(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_video uuid;
begin
  perform private.count_writes('likes');
  v_video := private.require_open_video(p_id);
  -- read and write in one statement, so that a concurrent block can cause no error but video_unknown
  insert into app.video_likes (video_id, user_id)
  select c.id, private.require_caller() from app.contents c where c.id = v_video and c.required_level = 0
  on conflict do nothing;
  return private.require_video_card(v_video);
end $$;
comment on function api.like_video is 'Likes a video; repeating it changes nothing. Returns the card.';

create function api.unlike_video(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.video_likes where video_id = p_id and user_id = private.require_caller();
  if found and not exists (select from app.contents where id = p_id) then
    return private.error_response('video_unknown');   -- the like is deleted, and nothing of the video is shown
  end if;
  return private.require_video_card(p_id);
end $$;
comment on function api.unlike_video is
  'Takes the caller''s like back; repeating it changes nothing. It also works on a video that the caller can no '
  'longer see, but then it returns video_unknown. Returns the card.';

insert into private.operations_of_people (operation) values ('repost_video');

create function api.repost_video(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_video uuid;
begin
  perform private.count_writes('likes');
  v_video := private.require_open_video(p_id);
  insert into app.video_reposts (video_id, user_id)   -- see api.like_video
  select c.id, private.require_caller() from app.contents c where c.id = v_video and c.required_level = 0
  on conflict do nothing;
  return private.require_video_card(v_video);
end $$;
comment on function api.repost_video is 'Reposts a video; repeating it changes nothing. Returns the card.';

create function api.unrepost_video(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.video_reposts where video_id = p_id and user_id = private.require_caller();
  if found and not exists (select from app.contents where id = p_id) then
    return private.error_response('video_unknown');   -- see api.unlike_video
  end if;
  return private.require_video_card(p_id);
end $$;
comment on function api.unrepost_video is
  'Takes the caller''s repost back; repeating it changes nothing. It also works on a video that the caller can no '
  'longer see, but then it returns video_unknown. Returns the card.';
