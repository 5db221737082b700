-- Events of other features, and who is notified of them.
begin;
select plan(21);
select test.people('alice', 'bob', 'carla');

create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql as $$ select id from made where name = p_name $$;
create function pg_temp.inbox(p_kind text) returns jsonb language sql as $$
  select coalesce(jsonb_agg(i), '[]') from jsonb_array_elements(api.list_notifications(50)::jsonb -> 'items') i where i ->> 'kind' = p_kind
$$;
grant execute on function pg_temp.id, pg_temp.inbox to public;

-- Circles
select test.act_as('alice');
insert into made select 'circle', (api.create_circle('Friends') ->> 'id')::uuid;
insert into made select 'invitation', (api.invite_to_circle(pg_temp.id('circle'), 'bob') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('circle'), 'carla');
select test.act_as('bob');
select is(pg_temp.inbox('circle.invited') #>> '{0,payload,invitationId}', pg_temp.id('invitation')::text, 'The notification of an invitation has the invitation''s id');
select is(pg_temp.inbox('circle.invited') #> '{0,target}',
  jsonb_build_object('type', 'invitation', 'id', pg_temp.id('invitation')), 'The target of the notification is the invitation');
select is(pg_temp.inbox('circle.invited') #>> '{0,actors,0,username}', 'alice', 'The actor of the notification is the inviter');
select api.accept_invitation(pg_temp.id('invitation'));
select is(pg_temp.inbox('circle.added'), '[]', 'A person who accepts isn''t notified of being added');
select test.act_as('carla');
select is(pg_temp.inbox('circle.added') #> '{0,target}', jsonb_build_object('type', 'circle', 'id', pg_temp.id('circle')),
  'An added person is notified');
select is(pg_temp.inbox('circle.added') #>> '{0,actors,0,username}', 'alice', 'The actor is the person who added the member');
select test.act_as('alice');
select is(pg_temp.inbox('circle.accepted') #>> '{0,actors,0,username}', 'bob', 'The inviter is notified of the acceptance');
select is(pg_temp.inbox('circle.accepted') #>> '{0,payload,invitationId}', pg_temp.id('invitation')::text, 'The notification has the accepted invitation');

-- Posts
insert into made select 'post', (api.create_post('Hello') ->> 'id')::uuid;
select test.act_as('bob');
insert into made select 'reply', (api.create_reply(pg_temp.id('post'), 'Hello back') ->> 'id')::uuid;
select api.react(pg_temp.id('post'), 'heart');
select api.react(pg_temp.id('post'), 'spark');
select test.act_as('carla');
select api.react(pg_temp.id('post'), 'heart');
select test.act_as('alice');
select is(pg_temp.inbox('post.replied') #> '{0,payload}',
  jsonb_build_object('postId', pg_temp.id('post'), 'replyId', pg_temp.id('reply')), 'An author is notified of replies');
select is((pg_temp.inbox('post.reacted') #>> '{0,count}')::int, 2, 'An author is notified of reactions as one group');
select is(pg_temp.inbox('post.reacted') #> '{0,target}', jsonb_build_object('type', 'post', 'id', pg_temp.id('post')), 'The target is the post');
select api.react(pg_temp.id('post'), 'heart');
select api.create_reply(pg_temp.id('post'), 'To myself');
select is((pg_temp.inbox('post.reacted') #>> '{0,count}')::int, 2, 'The author''s own reaction notifies nobody');
select is((pg_temp.inbox('post.replied') #>> '{0,count}')::int, 1, 'The author''s own reply notifies nobody');

-- Payments
select test.act_as('bob');
insert into made select 'payment', (api.pay('love', 1, p_post_id => pg_temp.id('post')) #>> '{payment,id}')::uuid;
select test.act_as('alice');
select is(pg_temp.inbox('payment.received') #> '{0,target}', jsonb_build_object('type', 'payment', 'id', pg_temp.id('payment')),
  'The receiver of a payment is notified');
select is(pg_temp.inbox('payment.received') #> '{0,payload}', jsonb_build_object(
  'paymentId', pg_temp.id('payment'), 'emotion', 'love', 'tier', 1, 'amount', 3, 'postId', pg_temp.id('post'), 'replyId', null),
  'The notification has the payment''s fields');
select test.act_as('bob');
select is(pg_temp.inbox('payment.received'), '[]', 'The sender isn''t notified');

-- Invites
select test.act_as_owner();
insert into made select 'code', (private.make_invite_code(test.id('alice'))).id;
select private.emit('identity.invite_code.used', json_build_object(
  'codeId', pg_temp.id('code'), 'newUserId', test.id('carla'), 'inviterUserId', test.id('alice')),
  array[test.id('alice')]);
select test.act_as('alice');
select is(pg_temp.inbox('invite.used') #>> '{0,actors,0,username}', 'carla', 'The inviter is notified of the person who registered');
select is(pg_temp.inbox('invite.used') #> '{0,target}', jsonb_build_object('type', 'invite-code', 'id', pg_temp.id('code')), 'The target is the invite code of the registration');

-- No notification has the internal id of a person
select test.act_as_owner();
select is(
  (select count(*) from app.notifications n, app.users u
   where strpos(concat_ws(' ', n.group_key, n.target_id, n.payload), u.id::text) > 0),
  0::bigint, 'No payload has the internal id of a person');
select lives_ok($$ select private.emit('interests.user_selected', '{"userId": null, "interestIds": []}') $$, 'An event without listeners notifies nobody');
select is((select count(*) from app.notifications n where n.kind = 'circle.invited' and n.user_id <> test.id('bob')), 0::bigint,
  'Only the person concerned is notified');

select * from finish();
rollback;
