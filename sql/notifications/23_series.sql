-- Notifies the followers of a series of a new item. The transaction that adds the item adds an effect for each
-- follower if there are up to 100 followers. If there are more, the worker adds the effects. docs/decisions.md,
-- Notifications.

insert into private.notification_kinds (kind, replaces_unread) values ('series.updated', true);

create function private.fan_out_series_item_batch(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- people may not read who follows a series
set search_path = ''
as $$
declare
  v_ids uuid[] := array(select user_id from app.series_follows
                        where series_id = (p_job ->> 'seriesId')::uuid
                          and user_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
                        order by user_id limit 500);
begin
  perform private.add_effects('posts.series.extended', p_job, v_ids);
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.fan_out_series_item_batch is
  'For the worker and private.fan_out_series_item: adds an effect for each of the next 500 followers of a series '
  'after p_after. p_job is {seriesId, postId}. Returns {changed, next}; next is null at the end.';

call private.make_batch_queue('series-notices', 'private.fan_out_series_item_batch');

create function private.fan_out_series_item(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (select count(*) from (select from app.series_follows
                            where series_id = (p_event ->> 'seriesId')::uuid limit 101) f) > 100 then
    perform private.enqueue('series-notices', p_event::json);
  else
    perform private.fan_out_series_item_batch(p_event);
  end if;
end $$;
comment on function private.fan_out_series_item is
  'Listener: adds an effect for each follower of a series. If there are more than 100 followers, the worker adds '
  'the effects.';

create function private.item_time(p_item jsonb) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  return (select greatest(i.added_at, p.published_at)
          from app.series_items i join app.posts p on p.id = i.post_id
          where i.series_id = (p_item ->> 'seriesId')::uuid and i.post_id = (p_item ->> 'postId')::uuid);
end $$;
comment on function private.item_time is
  'Returns the later of two times of an item {seriesId, postId}: when it was added to the series, and when its post '
  'was published. Null if the item no longer exists.';

create function private.notify_series_extended(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'series.updated', p.author_id, 'post', p.id::text, e.payload, k.key, array[p.id],
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.posts p on p.id = (e.payload ->> 'postId')::uuid
    cross join lateral (select 'series.updated:' || (e.payload ->> 'seriesId') as key) k
    -- A batch may run twice, so skip an item if the person has already been notified of it or of a later one.
    where not exists (
      select from (select o.payload from app.notifications o
                   where o.user_id = e.user_id and o.group_key = k.key order by o.created_at desc limit 1) o
      where o.payload = e.payload or private.item_time(o.payload) > private.item_time(e.payload))
    order by e.id));
end $$;
comment on function private.notify_series_extended is
  'Listener: notifies a follower of a series of a new item, once, if they can see it. A series has one unread '
  'notification, about the latest item.';

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.series.extended', 'private.fan_out_series_item', 550, 'at once'),
  ('posts.series.extended', 'private.notify_series_extended', 600, 'soon');
