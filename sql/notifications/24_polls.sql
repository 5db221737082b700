-- Notifies the author and the voters that a poll has ended. The transaction that closes the poll adds an effect for
-- each of them if up to 100 people voted. If more people voted, the worker adds the effects, as for the followers of a
-- series.

insert into private.notification_kinds (kind) values ('poll.closed');

create function private.fan_out_poll_end_batch(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- people may not read who voted
set search_path = ''
as $$
declare
  v_after uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_ids   uuid[] := array(
    select v.id
    from (select p.author_id as id from app.posts p
          where p.id = (p_job ->> 'postId')::uuid and p.author_id > v_after
          union
          (select user_id from app.poll_votes
           where poll_id = (p_job ->> 'pollId')::uuid and user_id > v_after order by user_id limit 500)) v
    order by v.id limit 500);
begin
  perform private.add_effects('posts.poll.closed', p_job, v_ids);
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.fan_out_poll_end_batch is
  'For the worker and private.fan_out_poll_end: adds an effect for each of the next 500 people after p_after: the '
  'author and the voters of a poll that has ended. p_job is {postId, pollId}. Returns {changed, next}; next is null '
  'at the end.';

call private.make_batch_queue('poll-notices', 'private.fan_out_poll_end_batch');

create function private.fan_out_poll_end(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (select count(*) from (select from app.poll_votes
                            where poll_id = (p_event ->> 'pollId')::uuid limit 101) v) > 100 then
    perform private.enqueue('poll-notices', p_event::json);
  else
    perform private.fan_out_poll_end_batch(p_event);
  end if;
end $$;
comment on function private.fan_out_poll_end is
  'Listener: adds an effect for the author of a poll and each voter. If more than 100 people voted, the worker adds '
  'the effects.';

create function private.notify_poll_closed(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'poll.closed', nullif(p.author_id, e.user_id), 'post', p.id::text, e.payload, k.key,
            array[p.id], e.caused_at)::private.notice
    from (select distinct on (f.user_id, f.payload ->> 'postId') f.*
          from unnest(p_effects) f
          order by f.user_id, f.payload ->> 'postId', f.id) e
    join app.posts p on p.id = (e.payload ->> 'postId')::uuid
    cross join lateral (select concat_ws(':', 'poll.closed', p.id) as key) k
    where not exists (select from app.notifications n where n.user_id = e.user_id and n.group_key = k.key)));
end $$;
comment on function private.notify_poll_closed is
  'Listener: notifies the author or a voter of a poll that it has ended, once, if they can see it.';

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.poll.closed', 'private.fan_out_poll_end', 550, 'at once'),
  ('posts.poll.closed', 'private.notify_poll_closed', 600, 'soon');
