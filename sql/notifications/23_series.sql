-- Telling the followers of a series of a new item: at once when there are up to 100, otherwise by the worker.
-- docs/decisions.md, Notifications.

insert into private.notification_kinds (kind) values ('series.updated');

create function private.tell_series_followers(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- tells others than the caller
set search_path = ''
as $$
declare
  v_series uuid := (p_job ->> 'seriesId')::uuid;
  v_post   uuid := (p_job ->> 'postId')::uuid;
  v_after  uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_group  text := concat_ws(':', 'series.updated', v_series, v_post);
  v_ids    uuid[];
  v_new    uuid[];
begin
  -- so that of two workers at the same job the later sees whom the earlier told
  perform pg_advisory_xact_lock(hashtextextended(v_group, 0));
  v_ids := array(select user_id from app.series_follows
                 where series_id = v_series and user_id > v_after order by user_id limit 500);
  v_new := array(select f.id from unnest(v_ids) as f (id)
                 where private.post_visible_to(v_post, f.id)
                   and not exists (select from app.notifications n where n.user_id = f.id and n.group_key = v_group));
  perform private.notify(f.id, 'series.updated', p.author_id, 'post', p.id::text,
    jsonb_build_object('seriesId', v_series, 'postId', p.id), v_group)
  from app.posts p, unnest(v_new) as f (id) where p.id = v_post;
  return json_build_object('changed', cardinality(v_new), 'next', v_ids[500]);
end $$;
comment on function private.tell_series_followers is
  'For the worker alone, and private.notify_series_extended: tells the next 500 followers behind one of {seriesId, '
  'postId}, each once a post and series, and only those who may see it. Answers {changed, next}; next is null at the '
  'end.';

call private.make_batch_queue('series-notices', 'private.tell_series_followers');

create function private.notify_series_extended(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (select count(*) from (select from app.series_follows
                            where series_id = (p_event ->> 'seriesId')::uuid limit 101) f) > 100 then
    perform private.enqueue('series-notices', p_event::json);
  else
    perform private.tell_series_followers(p_event);
  end if;
end $$;
comment on function private.notify_series_extended is
  'Listener: tells the followers of a series of a new item, or lets the worker tell them when they are more than 100.';
insert into private.event_listeners (event, listener, position) values
  ('posts.series.extended', 'private.notify_series_extended', 600);
