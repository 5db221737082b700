-- Following a person: who can, what it changes, what the lists show, and what a block and a ban do to it.
begin;
select plan(66);
select test.people('alice', 'bob', 'carla', 'dave');

create function pg_temp.stats(p_person text) returns text language sql as $$
  select concat_ws(' ', s ->> 'followers', s ->> 'following', s ->> 'isFollowing') from api.follow_stats(p_person) s $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'username', ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
create function pg_temp.followers(p_person text) returns text language sql as $$ select pg_temp.names(api.list_followers(p_person)) $$;
create function pg_temp.following(p_person text) returns text language sql as $$ select pg_temp.names(api.list_following(p_person)) $$;
create function pg_temp.events() returns integer language sql stable security definer as $$
  select count(*)::int from app.domain_events where name = 'social.user.followed' $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select is(api.follow_person('bob')::text, '{"followers" : 1, "following" : 0, "isFollowing" : true}', 'a person follows another');
select is(pg_temp.events(), 1, 'which is told');
select is(api.follow_person('acct:bob@localhost') ->> 'followers', '1', 'following twice is no error and counts once');
select is(pg_temp.events(), 1, 'and is told once');
select is(pg_temp.stats('alice'), '0 1 false', 'the follower follows');
select is(pg_temp.followers('bob'), 'alice', 'the followed has a follower');
select is(pg_temp.following('alice'), 'bob', 'the follower''s list has the followed');
select is(api.list_followers('bob') #>> '{items,0,id}', 'acct:alice@localhost', 'by their public id');
select throws_ok($$ select api.follow_person('alice') $$, 'PT400', 'follow_oneself', 'nobody follows themselves');
select throws_ok(format('select api.%s(''zoe'')', o), 'PT404', 'person_unknown', o || ' of nobody')
from unnest(array['follow_person', 'unfollow_person', 'follow_stats', 'list_followers', 'list_following']) o;

-- the policies, by hand
select throws_ok($$ insert into app.follows (follower_id, following_id) values (test.id('bob'), test.id('carla')) $$,
  '42501', null, 'nobody follows in another''s name');
select throws_ok($$ update app.follows set following_id = test.id('carla') $$, '42501', null, 'a follow is never changed');
select throws_ok($$ insert into app.follows (follower_id, following_id, created_at) values (test.id('alice'), test.id('carla'), now()) $$,
  '42501', null, 'nor dated back');
select throws_ok($$ select from private.removed_follows $$, '42501', null, 'what ended is for nobody to read');
select test.act_as('carla');
select is((select count(*)::int from app.follows), 1, 'everyone sees who follows whom');
select is(pg_temp.rows('delete from app.follows'), 0, 'and ends no follow of others');

-- ends
select test.act_as('alice');
select is(api.unfollow_person('bob')::text, null, 'a follow ends');
select is(pg_temp.stats('bob'), '0 0 false', 'and counts no more');
select lives_ok($$ select api.unfollow_person('@bob') $$, 'ending it again is no error');
select api.follow_person('bob');
select is(pg_temp.events(), 2, 'a follow that begins again is told again');

-- order and pages; a cursor holds when its follow has ended
select test.act_as_owner();
insert into app.follows (follower_id, following_id, created_at)
select test.id(n), test.id('dave'), now() + place * interval '1 second' from (values ('alice', 3), ('bob', 2), ('carla', 1)) f (n, place);
select test.act_as('alice');
select is(pg_temp.followers('dave'), 'alice bob carla', 'newest first');
select is(pg_temp.names(api.list_followers('dave', 2)), 'alice bob', 'a page');
select is(api.list_followers('dave', 2) ->> 'nextCursor', 'acct:bob@localhost', 'whose cursor is the last person');
select is(api.list_followers('dave', 2) ->> 'hasMore', 'true', 'as long as there is more');
select is(api.list_followers('dave', 3) ->> 'nextCursor', null, 'and none at the end');
select is(pg_temp.names(api.list_followers('dave', 2, 'acct:bob@localhost')), 'carla', 'the next one');
select test.act_as('bob');
select api.unfollow_person('dave');
select test.act_as('alice');
select is(pg_temp.names(api.list_followers('dave', 2, 'acct:bob@localhost')), 'carla', 'also when that follow has ended');
select test.act_as('bob');
select api.follow_person('dave');
select test.act_as('alice');
select is(pg_temp.names(api.list_followers('dave', 3, 'acct:bob@localhost')), '', 'one that begins again stands where it now is');
select throws_ok(format('select api.list_followers(''dave'', 2, %L)', c), 'PT400', 'cursor_unknown', 'no cursor: ' || c)
from unnest(array['zoe', 'dave', 'acct:bob@elsewhere', 'x y', '']) c;
select throws_ok($$ select api.list_following('alice', 2, 'carla') $$, 'PT400', 'cursor_unknown', 'a stranger to the list is none');
select is(pg_temp.names(api.list_following('alice', 1, 'acct:dave@localhost')), 'bob', 'the other list has its cursors too');
select throws_ok(format('select api.list_followers(''dave'', %s)', n), 'PT422', 'limit_out_of_range', 'no limit: ' || n)
from unnest(array['0', '51', 'null']) n;

-- Bob is banned: he is gone from the lists and the counts, and comes back
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as('alice');
select is(pg_temp.followers('dave'), 'alice carla', 'the banned follow nobody');
select is(pg_temp.stats('dave'), '2 0 true', 'and are not counted');
select is(pg_temp.stats('alice'), '0 1 false', 'nor as followed');
select is((select count(*)::int from app.follows where test.id('bob') in (follower_id, following_id)), 0, 'no row of theirs is seen');
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
select test.act_as('alice');
select is(pg_temp.stats('dave'), '3 0 true', 'the end of a ban gives them back');

-- Bob blocks Alice, who follows him; he follows her too
select test.act_as('bob');
select api.follow_person('alice');
select api.block_person('alice');
select is(pg_temp.stats('bob'), '0 1 false', 'a block ends the follow of the blocked');
select is(position('alice' in pg_temp.followers('dave')), 0, 'and takes the blocked from every list');
select is(pg_temp.stats('dave'), '2 0 true', 'and from every count, so that no difference tells of it');
select is(json_array_length(api.list_followers('dave') -> 'items'), 2, 'which is what the list shows');
select throws_ok($$ insert into app.follows (follower_id, following_id) values (test.id('bob'), test.id('alice')) $$,
  '42501', null, 'by hand nobody follows across a block');
select test.act_as('alice');
select is(pg_temp.stats('alice'), '0 1 false', 'and that of the blocker');
select is(pg_temp.stats('dave'), '2 0 true', 'the blocked counts without the blocker');
select is(position('bob' in pg_temp.followers('dave')), 0, 'and sees none');
select throws_ok($$ select api.list_followers('dave', 2, 'bob') $$, 'PT400', 'cursor_unknown', 'across a block is no cursor');
select throws_ok(format('select api.%s(''bob'')', o), 'PT404', 'person_unknown', o || ' of nobody')
from unnest(array['follow_person', 'unfollow_person', 'follow_stats', 'list_followers', 'list_following']) o;
select test.act_as('carla');
select is(pg_temp.stats('dave'), '3 0 true', 'third people notice nothing');

-- lifted
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.stats('alice'), '0 1 false', 'lifting a block brings no follow back');
select is(pg_temp.stats('dave'), '3 0 true', 'and shows again what third people follow');

-- the places of ended follows are forgotten after a day
select test.act_as_owner();
update private.removed_follows set ended_at = now() - interval '1 day 1 second' where following_id = test.id('dave');
select is(private.job_purge(), 1, 'the job forgets old places');
select is(private.job_purge(), 0, 'and finds nothing a second time');

select * from finish();
rollback;
