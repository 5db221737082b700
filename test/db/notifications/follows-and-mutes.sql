-- Being followed is told, rolled up; the muted tell nobody anything.
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
select is(pg_temp.inbox('user.followed'), '1 bob', 'who is followed is told');
select is((api.list_notifications() #> '{items,0}')::jsonb - '{id,createdAt,updatedAt,actors}'::text[],
  '{"kind": "user.followed", "groupKey": "user.followed", "count": 1, "target": null, "payload": {}, "readAt": null}'::jsonb,
  'by whom, and there is no more to it');
select test.act_as('carla');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '2 bob carla', 'within an hour it rolls up');
select test.act_as('bob');
select api.unfollow_person('alice');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '2 bob carla', 'who ends it and begins again is not told twice');
select test.act_as_owner();
update app.notifications set created_at = created_at - interval '1 hour';
select test.act_as('dave');
select api.follow_person('alice');
select test.act_as('alice');
select is(pg_temp.inbox('user.followed'), '1 dave, 2 bob carla', 'after it there is a new one');

-- Alice mutes Bob: nothing that he does tells her anything
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
select is(api.count_unread() ->> 'count', '0', 'nothing is new');
select is(pg_temp.inbox(k), null, k || ': nothing')
from unnest(array['post.reacted', 'post.replied', 'payment.received', 'circle.invited', 'circle.added']) k;
select is(pg_temp.inbox('user.followed'), '1 dave, 2 bob carla', 'what was told before stays');
select is(json_array_length(api.list_my_invitations() -> 'items'), 1, 'the invitation itself is there');

-- nobody else is silent, nor is she to him; lifted, he is heard again
select test.act_as('carla');
select api.react((select id from post), 'heart');
select test.act_as('alice');
select is(pg_temp.inbox('post.reacted'), '1 carla', 'others are heard');
select api.follow_person('bob');
select test.act_as('bob');
select is(pg_temp.inbox('user.followed'), '1 alice', 'the muter is heard by the muted');
select test.act_as('alice');
select api.unmute_person('bob');
select test.act_as('bob');
select api.react((select id from post), 'spark');
select test.act_as('alice');
select is(pg_temp.inbox('post.reacted'), '2 bob carla', 'a mute that is lifted is over');
select is(api.count_unread() ->> 'count', '1', 'and that is new');

select * from finish();
rollback;
