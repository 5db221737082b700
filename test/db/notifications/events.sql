-- What happens in other features, and whom it tells.
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
select is(pg_temp.inbox('circle.invited') #>> '{0,payload,invitationId}', pg_temp.id('invitation')::text, 'an invitation says which');
select is(pg_temp.inbox('circle.invited') #> '{0,target}',
  jsonb_build_object('type', 'invitation', 'id', pg_temp.id('invitation')), 'and is the target');
select is(pg_temp.inbox('circle.invited') #>> '{0,actors,0,username}', 'alice', 'from its inviter');
select api.accept_invitation(pg_temp.id('invitation'));
select is(pg_temp.inbox('circle.added'), '[]', 'who accepts is not told to have been added');
select test.act_as('carla');
select is(pg_temp.inbox('circle.added') #> '{0,target}', jsonb_build_object('type', 'circle', 'id', pg_temp.id('circle')),
  'who was added is told');
select is(pg_temp.inbox('circle.added') #>> '{0,actors,0,username}', 'alice', 'by whom');
select test.act_as('alice');
select is(pg_temp.inbox('circle.accepted') #>> '{0,actors,0,username}', 'bob', 'the inviter hears who accepted');
select is(pg_temp.inbox('circle.accepted') #>> '{0,payload,invitationId}', pg_temp.id('invitation')::text, 'and what');

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
  jsonb_build_object('postId', pg_temp.id('post'), 'replyId', pg_temp.id('reply')), 'an author hears of replies');
select is((pg_temp.inbox('post.reacted') #>> '{0,count}')::int, 2, 'and of reactions, together');
select is(pg_temp.inbox('post.reacted') #> '{0,target}', jsonb_build_object('type', 'post', 'id', pg_temp.id('post')), 'to which post');
select api.react(pg_temp.id('post'), 'heart');
select api.create_reply(pg_temp.id('post'), 'To myself');
select is((pg_temp.inbox('post.reacted') #>> '{0,count}')::int, 2, 'one''s own tell nothing');
select is((pg_temp.inbox('post.replied') #>> '{0,count}')::int, 1, 'neither do one''s own replies');

-- Payments
select test.act_as('bob');
insert into made select 'payment', (api.pay('love', 1, p_post_id => pg_temp.id('post')) #>> '{payment,id}')::uuid;
select test.act_as('alice');
select is(pg_temp.inbox('payment.received') #> '{0,target}', jsonb_build_object('type', 'payment', 'id', pg_temp.id('payment')),
  'who is paid is told');
select is(pg_temp.inbox('payment.received') #> '{0,payload}', jsonb_build_object(
  'paymentId', pg_temp.id('payment'), 'emotion', 'love', 'tier', 1, 'amount', 3, 'postId', pg_temp.id('post'), 'replyId', null),
  'what and for what');
select test.act_as('bob');
select is(pg_temp.inbox('payment.received'), '[]', 'and who pays is not');

-- Invites
select test.act_as_owner();
insert into made select 'code', (private.make_invite_code(test.id('alice'))).id;
select private.emit('identity.invite_code.used', json_build_object(
  'codeId', pg_temp.id('code'), 'newUserId', test.id('carla'), 'inviterUserId', test.id('alice')),
  array[test.id('alice')]);
select test.act_as('alice');
select is(pg_temp.inbox('invite.used') #>> '{0,actors,0,username}', 'carla', 'an inviter hears who came');
select is(pg_temp.inbox('invite.used') #> '{0,target}', jsonb_build_object('type', 'invite-code', 'id', pg_temp.id('code')), 'by which code');

-- Nothing of it names a person by the internal id
select test.act_as_owner();
select is(
  (select count(*) from app.notifications n, app.users u
   where strpos(concat_ws(' ', n.group_key, n.target_id, n.payload), u.id::text) > 0),
  0::bigint, 'no payload carries the internal id of a person');
select lives_ok($$ select private.emit('interests.user_selected', '{"userId": null, "interestIds": []}') $$, 'other events tell nobody anything');
select is((select count(*) from app.notifications n where n.kind = 'circle.invited' and n.user_id <> test.id('bob')), 0::bigint,
  'each tells whom it concerns alone');

select * from finish();
rollback;
