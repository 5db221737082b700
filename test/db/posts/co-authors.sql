-- Co-authors: who can invite whom to what, the answer, the limits, and what a block, a ban and an erasure do.
begin;
select plan(61);
select test.people('alice', 'bob', 'carla', 'dave', 'erin', 'fred');

create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.invite(p_post text, p_person text, p_share integer default 10) returns void language plpgsql as $$
begin
  insert into made select p_post || ' ' || p_person, (api.invite_co_author(pg_temp.id(p_post), p_person, p_share) ->> 'id')::uuid;
end $$;
create function pg_temp.respond(p_post text, p_invite text, p_accept boolean) returns text language sql as $$
  select api.respond_co_author(pg_temp.id(p_post), pg_temp.id(p_invite), p_accept) ->> 'status' $$;
create function pg_temp.shown(p_post text) returns text language sql stable as $$
  select string_agg(c #>> '{user,username}' || ' ' || (c ->> 'splitShare') || ' ' || (c ->> 'status'), ', ' order by c #>> '{user,username}')
  from json_array_elements(api.get_post(pg_temp.id(p_post)) -> 'coAuthors') c $$;
create function pg_temp.notices(p_kind text) returns text language sql volatile security definer as $$
  select test.settle();
  select string_agg(u.username || ' ' || coalesce((select name from made where id = (n.payload ->> 'inviteId')::uuid), ''), ', ' order by u.username)
  from app.notifications n join app.users u on u.id = n.user_id where n.kind = p_kind $$;
create function pg_temp.event() returns text language sql stable security definer as $$
  select name || ' ' || payload from app.domain_events where name like 'posts.co%' order by id desc limit 1 $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select 'post', (api.create_post('Ours') ->> 'id')::uuid;
insert into made select 'other', (api.create_post('Ours too') ->> 'id')::uuid;
insert into made select 'circles', (api.create_post('For few', p_visibility => 'circles') ->> 'id')::uuid;
insert into made select 'later', (api.create_post('Not yet') ->> 'id')::uuid;
insert into made select 'full', (api.create_post('Full') ->> 'id')::uuid;
insert into made select 'split', (api.create_post('Split') ->> 'id')::uuid;
select test.act_as('bob');
insert into made select 'theirs', (api.create_post('Of Bob') ->> 'id')::uuid;
select test.act_as_owner();
update app.posts set published_at = null, publish_at = now() + interval '1 hour' where id = pg_temp.id('later');
insert into app.posts (author_id, format, body, quoted_post_id) values (test.id('alice'), 'repost', '', pg_temp.id('theirs'));
insert into made select 'repost', id from app.posts where format = 'repost';

-- Inviting. Acting as Alice
select test.act_as('alice');
create temporary table answers as select api.invite_co_author(pg_temp.id('post'), 'bob', 40)::jsonb as invited;
select is(
  (select invited - 'user' from answers),
  (select jsonb_build_object('id', id, 'postId', post_id, 'userId', 'acct:bob@localhost', 'splitShare', 40, 'status', 'pending',
                             'createdAt', private.utc(created_at)) from app.post_co_authors where post_id = pg_temp.id('post')),
  'An author can invite a co-author');
insert into made select 'post bob', id from app.post_co_authors where post_id = pg_temp.id('post');
select is(pg_temp.event(), 'posts.co_author.invited ' || jsonb_build_object('inviteId', pg_temp.id('post bob'),
  'postId', pg_temp.id('post'), 'inviterId', test.id('alice'), 'inviteeId', test.id('bob'))::text, 'The invitation is an event');
select is(pg_temp.notices('co-author.invited'), 'bob post bob', 'The invited person is notified');
select is(pg_temp.shown('post'), 'bob 40 pending', 'The author sees the invitation');
select throws_ok($$ select pg_temp.invite('post', 'bob') $$, 'PT409', 'co_author_already', 'A person can''t be invited twice');
select throws_ok($$ select pg_temp.invite('post', 'alice') $$, 'PT400', 'co_author_oneself', 'Authors can''t invite themselves');
select throws_ok($$ select pg_temp.invite('post', 'nobody') $$, 'PT404', 'person_unknown', 'An unknown person can''t be invited');
select throws_ok($$ select pg_temp.invite('repost', 'carla') $$, 'PT422', 'co_author_repost', 'Nobody can be invited to a repost');
select throws_ok($$ select pg_temp.invite('later', 'carla') $$, 'PT422', 'post_not_out', 'Nobody can be invited to a scheduled post');
select throws_ok($$ select pg_temp.invite('circles', 'carla') $$, 'PT422', 'co_author_outside', 'A person who can''t see the post can''t be invited');
select throws_ok(format('select pg_temp.invite(%L, %L, %s)', 'post', 'carla', share), 'PT422', 'split_share', what)
from (values ('-1', 'A negative share is refused'), ('101', 'A share above 100 is refused'), ('null', 'A null share is refused')) as s (share, what);
select throws_ok($$ select pg_temp.invite('post', 'carla', 91) $$, 'PT422', 'split_share_exceeded', 'A share that leaves the author less than a tenth is refused');
select throws_ok($$ select api.invite_co_author(gen_random_uuid(), 'carla', 1) $$, 'PT404', 'post_unknown', 'An unknown post fails with post_unknown');
select throws_ok($$ select pg_temp.invite('theirs', 'carla') $$, 'PT403', 'post_not_yours', 'Only the author can invite');
select test.act_as('bob');
select throws_ok($$ select pg_temp.invite('circles', 'carla') $$, 'PT404', 'post_unknown', 'The error for a post '
  'the caller can''t see is post_unknown');
select throws_ok(format($$ update app.post_co_authors set status = 'accepted' where id = %L $$, pg_temp.id('post bob')), '42501', null,
  'Nobody can accept in the table');
select throws_ok($$ insert into app.post_co_authors (post_id, user_id, split_share) values (pg_temp.id('post'), test.id('carla'), 1) $$,
  '42501', null, 'Nobody can insert an invitation to another person''s post');

-- Answering an invitation
select is(pg_temp.shown('post'), 'bob 40 pending', 'The invited person sees the invitation');
select test.act_as('carla');
select is(pg_temp.shown('post'), null, 'Other people don''t see the invitation');
select throws_ok($$ select pg_temp.respond('post', 'post bob', true) $$, 'PT404', 'co_author_invitation_unknown', 'Another person can''t answer the invitation');
select test.act_as('alice');
select throws_ok($$ select pg_temp.respond('post', 'post bob', true) $$, 'PT403', 'invitation_not_yours', 'The author can''t answer the invitation');
select test.act_as('bob');
select throws_ok($$ select pg_temp.respond('other', 'post bob', true) $$, 'PT404', 'co_author_invitation_unknown', 'An invitation can''t be answered by the id of another post');
select throws_ok($$ select api.respond_co_author(gen_random_uuid(), pg_temp.id('post bob'), true) $$, 'PT404', 'post_unknown', 'An invitation can''t be answered by an unknown post id');
select is(pg_temp.respond('post', 'post bob', true), 'accepted', 'The invited person can accept');
select is(pg_temp.event(), 'posts.co_author.accepted ' || jsonb_build_object('inviteId', pg_temp.id('post bob'),
  'postId', pg_temp.id('post'), 'userId', test.id('bob'))::text, 'The acceptance is an event');
select is(pg_temp.notices('co-author.accepted'), 'alice post bob', 'The author is notified of the acceptance');
select throws_ok($$ select pg_temp.respond('post', 'post bob', true) $$, 'PT409', 'co_author_resolved', 'An invitation can be accepted only once');
select test.act_as('carla');
select is(pg_temp.shown('post'), 'bob 40 accepted', 'Everybody sees an accepted co-author');

select test.act_as('alice');
select pg_temp.invite('post', 'carla', 0);
select test.act_as('carla');
select is(pg_temp.respond('post', 'post carla', false), 'declined', 'The invited person can decline');
select is(pg_temp.shown('post'), 'bob 40 accepted', 'A declined invitation isn''t shown');
select throws_ok($$ select pg_temp.respond('post', 'post carla', true) $$, 'PT404', 'co_author_invitation_unknown', 'A declined invitation can''t be accepted');
select test.act_as('alice');
update made set name = 'declined' where name = 'post carla';
select lives_ok($$ select pg_temp.invite('post', 'carla', 1) $$, 'A person who declined can be invited again');
select is(pg_temp.notices('co-author.invited'), 'bob post bob, carla post carla', 'A repeated invitation leaves one unread notification');

-- The limits: four co-authors, 90 percent
select pg_temp.invite('full', p) from unnest(array['bob', 'carla', 'dave', 'erin']) p;
select throws_ok($$ select pg_temp.invite('full', 'fred') $$, 'PT409', 'co_authors_exhausted', 'A fifth co-author is refused');
select test.act_as('erin');
select is(pg_temp.respond('full', 'full erin', false), 'declined', 'An invited person can decline at the limit');
select test.act_as('alice');
select lives_ok($$ select pg_temp.invite('full', 'fred') $$, 'A declined invitation makes room for another');
select pg_temp.invite('split', 'bob', 60), pg_temp.invite('split', 'carla', 60), pg_temp.invite('split', 'dave', 30);
select test.act_as('bob');
select is(pg_temp.respond('split', 'split bob', true), 'accepted', 'Pending shares don''t count towards the limit');
select test.act_as('carla');
select throws_ok($$ select pg_temp.respond('split', 'split carla', true) $$, 'PT422', 'split_share_exceeded', 'Accepted shares count towards the limit');
select test.act_as('dave');
select is(pg_temp.respond('split', 'split dave', true), 'accepted', 'Shares up to 90 percent can be accepted');
select test.act_as('alice');
select throws_ok($$ select pg_temp.invite('split', 'erin', 1) $$, 'PT422', 'split_share_exceeded', 'A share above 90 percent in total is refused');
select lives_ok($$ select pg_temp.invite('split', 'erin', 0) $$, 'A share of 0 is accepted at the limit');

-- Leaving: declining after the acceptance
select test.act_as('carla');
select throws_ok($$ select pg_temp.respond('split', 'split dave', false) $$, 'PT403', 'invitation_not_yours', 'Nobody can leave for somebody else');
select test.act_as('dave');
select is(pg_temp.respond('split', 'split dave', false), 'declined', 'A co-author can leave');
select is(pg_temp.shown('split'), 'bob 60 accepted', 'A co-author who left isn''t shown');
select throws_ok($$ select pg_temp.respond('split', 'split dave', false) $$, 'PT404', 'co_author_invitation_unknown', 'A co-author who left can''t answer again');
select test.act_as('alice');
update made set name = 'left' where name = 'split dave';
select lives_ok($$ select pg_temp.invite('split', 'dave', 30) $$, 'The share of a co-author who left can be given to others');
select test.act_as('dave');
select is(pg_temp.respond('split', 'split dave', true), 'accepted', 'A person who left can accept a new invitation');
select test.act_as_owner();
update app.posts set visibility = 'inner' where id = pg_temp.id('split');
select test.act_as('dave');
select throws_ok($$ select pg_temp.respond('split', 'split dave', true) $$, 'PT404', 'post_unknown', 'A co-author who can''t see the post can''t accept');
select is(pg_temp.respond('split', 'split dave', false), 'declined', 'A co-author who can''t see the post can leave');
select throws_ok($$ select pg_temp.respond('split', 'split dave', false) $$, 'PT404', 'post_unknown', 'A co-author can leave only once');
select test.act_as_owner();
update app.posts set visibility = 'public' where id = pg_temp.id('split');
insert into app.post_co_authors (post_id, user_id, split_share, status) values (pg_temp.id('split'), test.id('dave'), 30, 'accepted');
select test.act_as('alice');

-- Lost access, a block, a ban, an erasure
insert into made select 'family', (api.create_circle('Family') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('family'), 'fred');
select lives_ok($$ select pg_temp.invite('circles', 'fred') $$, 'A member of a circle can be invited to a post for circles');
select api.remove_circle_member(pg_temp.id('family'), 'fred');
select test.act_as('fred');
select throws_ok($$ select pg_temp.respond('circles', 'circles fred', true) $$, 'PT404', 'post_unknown', 'A former member can''t accept');
select api.block_person('alice'), api.unblock_person('alice');
select throws_ok($$ select pg_temp.respond('full', 'full fred', true) $$, 'PT404', 'co_author_invitation_unknown', 'A block ends a pending invitation');
select test.act_as('dave');
select api.block_person('alice');
select test.act_as('alice');
select is(pg_temp.shown('split'), 'bob 60 accepted, carla 60 pending, erin 0 pending', 'An accepted co-author is hidden across a block');
select throws_ok($$ select pg_temp.invite('post', 'dave') $$, 'PT404', 'person_unknown', 'A person across a block can''t be invited');
select test.act_as('carla');
select is(pg_temp.shown('split'), 'bob 60 accepted, carla 60 pending, dave 30 accepted', 'Others still see the co-author');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as('carla');
select is(pg_temp.shown('post'), 'carla 1 pending', 'A banned co-author is hidden');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'bob';
select is((select count(*) from app.post_co_authors where user_id = test.id('bob')), 0::bigint, 'An erased person is no co-author');
select test.act_as('alice');
select lives_ok($$ select pg_temp.invite('split', 'fred', 60) $$, 'An erased co-author''s share is free');

select * from finish();
rollback;
