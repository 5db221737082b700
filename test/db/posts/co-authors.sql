-- Co-authors: who invites whom to what, the answer, the limits, and what a block, a ban and an erasure do.
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
  'an author invites');
insert into made select 'post bob', id from app.post_co_authors where post_id = pg_temp.id('post');
select is(pg_temp.event(), 'posts.co_author.invited ' || jsonb_build_object('inviteId', pg_temp.id('post bob'),
  'postId', pg_temp.id('post'), 'inviterId', test.id('alice'), 'inviteeId', test.id('bob'))::text, 'which is an event');
select is(pg_temp.notices('co-author.invited'), 'bob post bob', 'of which the invited person hears');
select is(pg_temp.shown('post'), 'bob 40 pending', 'the author sees the invitation');
select throws_ok($$ select pg_temp.invite('post', 'bob') $$, 'PT409', 'co_author_already', 'once');
select throws_ok($$ select pg_temp.invite('post', 'alice') $$, 'PT400', 'co_author_oneself', 'not themselves');
select throws_ok($$ select pg_temp.invite('post', 'nobody') $$, 'PT404', 'person_unknown', 'not nobody');
select throws_ok($$ select pg_temp.invite('repost', 'carla') $$, 'PT422', 'co_author_repost', 'not to a repost');
select throws_ok($$ select pg_temp.invite('later', 'carla') $$, 'PT422', 'post_not_out', 'not before the post is out');
select throws_ok($$ select pg_temp.invite('circles', 'carla') $$, 'PT422', 'co_author_outside', 'nobody who may not see the post');
select throws_ok(format('select pg_temp.invite(%L, %L, %s)', 'post', 'carla', share), 'PT422', 'split_share', what)
from (values ('-1', 'no share is negative'), ('101', 'or more than all'), ('null', 'or nothing')) as s (share, what);
select throws_ok($$ select pg_temp.invite('post', 'carla', 91) $$, 'PT422', 'split_share_exceeded', 'a tenth stays the author''s');
select throws_ok($$ select api.invite_co_author(gen_random_uuid(), 'carla', 1) $$, 'PT404', 'post_unknown', 'an unknown post is unknown');
select throws_ok($$ select pg_temp.invite('theirs', 'carla') $$, 'PT403', 'post_not_yours', 'another''s has another author');
select test.act_as('bob');
select throws_ok($$ select pg_temp.invite('circles', 'carla') $$, 'PT404', 'post_unknown', 'a hidden one is unknown');
select throws_ok(format($$ update app.post_co_authors set status = 'accepted' where id = %L $$, pg_temp.id('post bob')), '42501', null,
  'nobody accepts by hand');
select throws_ok($$ insert into app.post_co_authors (post_id, user_id, split_share) values (pg_temp.id('post'), test.id('carla'), 1) $$,
  '42501', null, 'or invites to another''s post');

-- Answering
select is(pg_temp.shown('post'), 'bob 40 pending', 'the invited person sees the invitation');
select test.act_as('carla');
select is(pg_temp.shown('post'), null, 'and nobody else');
select throws_ok($$ select pg_temp.respond('post', 'post bob', true) $$, 'PT404', 'co_author_invitation_unknown', 'or answers it');
select test.act_as('alice');
select throws_ok($$ select pg_temp.respond('post', 'post bob', true) $$, 'PT403', 'invitation_not_yours', 'its author neither');
select test.act_as('bob');
select throws_ok($$ select pg_temp.respond('other', 'post bob', true) $$, 'PT404', 'co_author_invitation_unknown', 'it is of one post');
select throws_ok($$ select api.respond_co_author(gen_random_uuid(), pg_temp.id('post bob'), true) $$, 'PT404', 'post_unknown', 'that exists');
select is(pg_temp.respond('post', 'post bob', true), 'accepted', 'who is invited accepts');
select is(pg_temp.event(), 'posts.co_author.accepted ' || jsonb_build_object('inviteId', pg_temp.id('post bob'),
  'postId', pg_temp.id('post'), 'userId', test.id('bob'))::text, 'which is an event');
select is(pg_temp.notices('co-author.accepted'), 'alice post bob', 'of which the author hears');
select throws_ok($$ select pg_temp.respond('post', 'post bob', true) $$, 'PT409', 'co_author_resolved', 'once');
select test.act_as('carla');
select is(pg_temp.shown('post'), 'bob 40 accepted', 'now everybody sees it');

select test.act_as('alice');
select pg_temp.invite('post', 'carla', 0);
select test.act_as('carla');
select is(pg_temp.respond('post', 'post carla', false), 'declined', 'who is invited declines');
select is(pg_temp.shown('post'), 'bob 40 accepted', 'and the invitation is gone');
select throws_ok($$ select pg_temp.respond('post', 'post carla', true) $$, 'PT404', 'co_author_invitation_unknown', 'for good');
select test.act_as('alice');
update made set name = 'declined' where name = 'post carla';
select lives_ok($$ select pg_temp.invite('post', 'carla', 1) $$, 'until another comes');
select is(pg_temp.notices('co-author.invited'), 'bob post bob, carla post carla', 'of which there is one unread notice');

-- The limits: four co-authors, 90 percent
select pg_temp.invite('full', p) from unnest(array['bob', 'carla', 'dave', 'erin']) p;
select throws_ok($$ select pg_temp.invite('full', 'fred') $$, 'PT409', 'co_authors_exhausted', 'the fifth is one too many');
select test.act_as('erin');
select is(pg_temp.respond('full', 'full erin', false), 'declined', 'who declines');
select test.act_as('alice');
select lives_ok($$ select pg_temp.invite('full', 'fred') $$, 'makes room');
select pg_temp.invite('split', 'bob', 60), pg_temp.invite('split', 'carla', 60), pg_temp.invite('split', 'dave', 30);
select test.act_as('bob');
select is(pg_temp.respond('split', 'split bob', true), 'accepted', 'pending shares do not count');
select test.act_as('carla');
select throws_ok($$ select pg_temp.respond('split', 'split carla', true) $$, 'PT422', 'split_share_exceeded', 'accepted ones do');
select test.act_as('dave');
select is(pg_temp.respond('split', 'split dave', true), 'accepted', 'up to 90');
select test.act_as('alice');
select throws_ok($$ select pg_temp.invite('split', 'erin', 1) $$, 'PT422', 'split_share_exceeded', 'beyond that nobody is invited');
select lives_ok($$ select pg_temp.invite('split', 'erin', 0) $$, 'but for nothing');

-- Leaving: what was accepted is given up by the same no
select test.act_as('carla');
select throws_ok($$ select pg_temp.respond('split', 'split dave', false) $$, 'PT403', 'invitation_not_yours', 'nobody leaves for another');
select test.act_as('dave');
select is(pg_temp.respond('split', 'split dave', false), 'declined', 'a co-author leaves');
select is(pg_temp.shown('split'), 'bob 60 accepted', 'and is none any more');
select throws_ok($$ select pg_temp.respond('split', 'split dave', false) $$, 'PT404', 'co_author_invitation_unknown', 'nor invited');
select test.act_as('alice');
update made set name = 'left' where name = 'split dave';
select lives_ok($$ select pg_temp.invite('split', 'dave', 30) $$, 'until they are invited again: the share is free');
select test.act_as('dave');
select is(pg_temp.respond('split', 'split dave', true), 'accepted', 'and accept');
select test.act_as_owner();
update app.posts set visibility = 'inner' where id = pg_temp.id('split');
select test.act_as('dave');
select throws_ok($$ select pg_temp.respond('split', 'split dave', true) $$, 'PT404', 'post_unknown', 'who does not see the post any more');
select is(pg_temp.respond('split', 'split dave', false), 'declined', 'may leave it all the same');
select throws_ok($$ select pg_temp.respond('split', 'split dave', false) $$, 'PT404', 'post_unknown', 'once');
select test.act_as_owner();
update app.posts set visibility = 'public' where id = pg_temp.id('split');
insert into app.post_co_authors (post_id, user_id, split_share, status) values (pg_temp.id('split'), test.id('dave'), 30, 'accepted');
select test.act_as('alice');

-- A lost view, a block, a ban, an erasure
insert into made select 'family', (api.create_circle('Family') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('family'), 'fred');
select lives_ok($$ select pg_temp.invite('circles', 'fred') $$, 'who is in a circle may be invited to a post for it');
select api.remove_circle_member(pg_temp.id('family'), 'fred');
select test.act_as('fred');
select throws_ok($$ select pg_temp.respond('circles', 'circles fred', true) $$, 'PT404', 'post_unknown', 'and who is not any more has lost it');
select api.block_person('alice'), api.unblock_person('alice');
select throws_ok($$ select pg_temp.respond('full', 'full fred', true) $$, 'PT404', 'co_author_invitation_unknown', 'a block ends what is pending');
select test.act_as('dave');
select api.block_person('alice');
select test.act_as('alice');
select is(pg_temp.shown('split'), 'bob 60 accepted, carla 60 pending, erin 0 pending', 'across a block an accepted co-author is not seen');
select throws_ok($$ select pg_temp.invite('post', 'dave') $$, 'PT404', 'person_unknown', 'nor invited');
select test.act_as('carla');
select is(pg_temp.shown('split'), 'bob 60 accepted, carla 60 pending, dave 30 accepted', 'while others see that they still are one');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as('carla');
select is(pg_temp.shown('post'), 'carla 1 pending', 'a banned co-author is not seen');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'bob';
select is((select count(*) from app.post_co_authors where user_id = test.id('bob')), 0::bigint, 'an erased one is none any more');
select test.act_as('alice');
select lives_ok($$ select pg_temp.invite('split', 'fred', 60) $$, 'and leaves their share to others');

select * from finish();
rollback;
