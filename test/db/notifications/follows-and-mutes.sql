-- Follow notifications are grouped. Muted people cause no notifications.
begin;
select plan(17);
select test.people('alice', 'bob', 'carla', 'dave');

create function pg_temp.inbox(p_kind text) returns text language sql as $$
  select string_agg(i ->> 'count' || coalesce((select string_agg(' ' || (a ->> 'username'), '' order by a ->> 'username')
                                               from json_array_elements(i -> 'actors') a), ''), ', ')
  from json_array_elements(api.list_notifications(50) -> 'items') i where i ->> 'kind' = p_kind $$;
grant execute on all functions in schema pg_temp to public;

-- Alice is followed
select test.act_as('bob');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '1 bob', 'A followed person is notified');
select is((api.list_notifications() #> '{items,0}')::jsonb - '{id,createdAt,updatedAt,actors}'::text[],
  '{"kind": "user.followed", "groupKey": "user.followed", "count": 1, "path": "/followers", "target": null, "payload": {}, "readAt": null, "title": null, "excerpt": null}'::jsonb,
  'The notification has only the actor');
select test.act_as('carla');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '2 bob carla', 'Within an hour new followers join the group');
select test.act_as('bob');
select api.unfollow_person('alice');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '2 bob carla', 'Following again doesn''t notify twice');
select test.act_as_owner();
update app.notifications set created_at = created_at - interval '1 hour';
select test.act_as('dave');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '1 dave, 2 bob carla', 'After an hour a new group begins');

-- Alice mutes Bob: nothing he does notifies her
select test.act_as('alice');
create temp table post as select (api.create_post('Read me') ->> 'id')::uuid as id;
grant select on post to public;
select api.mark_read(p_before => now() + interval '1 day');
select api.mute_person('bob');
select test.act_as('bob');
select api.react((select id from post), 'heart');
select api.create_reply((select id from post), 'Indeed');
select api.pay('joy', 0, p_post_id => (select id from post));
select api.create_circle('Mine');
select api.invite_to_circle((select id from app.circles), 'alice');
select api.create_circle('Another');
select api.add_circle_member((select id from app.circles where name = 'Another'), 'alice');
select api.unfollow_person('alice');
select api.follow_person('alice');
select test.act_as('alice');
select is(api.count_unread() ->> 'count', '0', 'Nothing by the muted person is unread');
select is(pg_temp.inbox(k), null, 'A muted person causes no notification of kind ' || k)
from unnest(array['post.reacted', 'post.replied', 'payment.received', 'circle.invited', 'circle.added']) k;
select is(pg_temp.inbox('user.followed'), '1 dave, 2 bob carla', 'Earlier notifications stay');
select is(json_array_length(api.list_my_invitations() -> 'items'), 1, 'An invitation by a muted person is listed');

-- A mute affects only that person and that direction, and ends when it is lifted
select test.act_as('carla');
select api.react((select id from post), 'heart');
select test.act_as('alice');
select is(pg_temp.inbox('post.reacted'), '1 carla', 'Other people still cause notifications');
select api.follow_person('bob');
select test.act_as('bob');
select is(pg_temp.inbox('user.followed'), '1 alice', 'The muted person is notified of the muter''s actions');
select test.act_as('alice');
select api.unmute_person('bob');
select test.act_as('bob');
select api.react((select id from post), 'spark');
select test.act_as('alice');
select is(pg_temp.inbox('post.reacted'), '2 bob carla', 'After the mute is lifted, the person''s actions cause notifications again');
select is(api.count_unread() ->> 'count', '1', 'The new notification is unread');

select * from finish();
rollback;
