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
select is(api.follow_person('bob')::jsonb, '{"followers": 1, "following": 0, "isFollowing": true}'::jsonb, 'A person can follow another');
select is(pg_temp.events(), 1, 'A follow is an event');
select is(api.follow_person('acct:bob@localhost') ->> 'followers', '1', 'Following twice is not an error and counts once');
select is(pg_temp.events(), 1, 'Following twice is one event');
select is(pg_temp.stats('alice'), '0 1 false', 'The follower''s stats count the follow');
select is(pg_temp.followers('bob'), 'alice', 'The followed person has the follower in their list');
select is(pg_temp.following('alice'), 'bob', 'The follower has the followed person in their list');
select is(api.list_followers('bob') #>> '{items,0,id}', 'acct:alice@localhost', 'People in the lists have their public id');
select throws_ok($$ select api.follow_person('alice') $$, 'PT400', 'follow_oneself', 'People can''t follow themselves');
select throws_ok(format('select api.%s(''zoe'')', o), 'PT404', 'person_unknown', o || ' fails for an unknown person')
from unnest(array['follow_person', 'unfollow_person', 'follow_stats', 'list_followers', 'list_following']) o;

-- The policies, by direct statements
select throws_ok($$ insert into app.follows (follower_id, following_id) values (test.id('bob'), test.id('carla')) $$,
  '42501', null, 'Nobody can follow in another person''s name');
select throws_ok($$ update app.follows set following_id = test.id('carla') $$, '42501', null, 'A follow can''t be changed');
select throws_ok($$ insert into app.follows (follower_id, following_id, created_at) values (test.id('alice'), test.id('carla'), now()) $$,
  '42501', null, 'A follow can''t be backdated');
select throws_ok($$ select from private.removed_follows $$, '42501', null, 'Nobody can read ended follows');
select test.act_as('carla');
select is((select count(*)::int from app.follows), 1, 'Everybody can see who follows whom');
select is(pg_temp.rows('delete from app.follows'), 0, 'Nobody can delete other people''s follows');

-- The end of a follow
select test.act_as('alice');
select is(api.unfollow_person('bob')::text, null, 'A follow can be ended');
select is(pg_temp.stats('bob'), '0 0 false', 'An ended follow is not counted');
select lives_ok($$ select api.unfollow_person('@bob') $$, 'Ending a follow twice is not an error');
select api.follow_person('bob');
select is(pg_temp.events(), 2, 'Following again is another event');

-- Order, pages, and a cursor whose follow has ended
select test.act_as_owner();
insert into app.follows (follower_id, following_id, created_at)
select test.id(n), test.id('dave'), now() + place * interval '1 second' from (values ('alice', 3), ('bob', 2), ('carla', 1)) f (n, place);
select test.act_as('alice');
select is(pg_temp.followers('dave'), 'alice bob carla', 'Followers are listed newest first');
select is(pg_temp.names(api.list_followers('dave', 2)), 'alice bob', 'A page has `limit` people');
select is(api.list_followers('dave', 2) ->> 'nextCursor', 'acct:bob@localhost', 'The cursor is the page''s last person');
select is(api.list_followers('dave', 2) ->> 'hasMore', 'true', 'hasMore is true while there are more');
select is(api.list_followers('dave', 3) ->> 'nextCursor', null, 'The last page has no cursor');
select is(pg_temp.names(api.list_followers('dave', 2, 'acct:bob@localhost')), 'carla', 'The cursor leads to the next page');
select test.act_as('bob');
select api.unfollow_person('dave');
select test.act_as('alice');
select is(pg_temp.names(api.list_followers('dave', 2, 'acct:bob@localhost')), 'carla', 'The cursor stays valid when its follow has ended');
select test.act_as('bob');
select api.follow_person('dave');
select test.act_as('alice');
select is(pg_temp.names(api.list_followers('dave', 3, 'acct:bob@localhost')), '', 'If the person follows again, the cursor continues from the new place');
select throws_ok(format('select api.list_followers(''dave'', 2, %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array['zoe', 'dave', 'acct:bob@elsewhere', 'x y', '']) c;
select throws_ok($$ select api.list_following('alice', 2, 'carla') $$, 'PT400', 'cursor_unknown', 'A person who isn''t in the list is no cursor');
select is(pg_temp.names(api.list_following('alice', 1, 'acct:dave@localhost')), 'bob', 'The other list has cursors too');
select throws_ok(format('select api.list_followers(''dave'', %s)', n), 'PT422', 'limit_out_of_range', 'The limit is refused: ' || n)
from unnest(array['0', '51', 'null']) n;

-- Bob is banned: he is removed from lists and counts, and returns afterwards
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as('alice');
select is(pg_temp.followers('dave'), 'alice carla', 'A banned person isn''t listed as a follower');
select is(pg_temp.stats('dave'), '2 0 true', 'A banned follower isn''t counted');
select is(pg_temp.stats('alice'), '0 1 false', 'A banned followed person isn''t counted');
select is((select count(*)::int from app.follows where test.id('bob') in (follower_id, following_id)), 0, 'Rows of a banned person''s follows are hidden');
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
select test.act_as('alice');
select is(pg_temp.stats('dave'), '3 0 true', 'After the ban the follows count again');

-- Bob and Alice follow each other. Bob blocks Alice
select test.act_as('bob');
select api.follow_person('alice');
select api.block_person('alice');
select is(pg_temp.stats('bob'), '0 1 false', 'A block ends the follow by the blocked person');
select is(position('alice' in pg_temp.followers('dave')), 0, 'The blocked person is removed from every list the blocker sees');
select is(pg_temp.stats('dave'), '2 0 true', 'The blocked person is removed from every count, so that no difference reveals the block');
select is(json_array_length(api.list_followers('dave') -> 'items'), 2, 'The count equals the length of the list');
select throws_ok($$ insert into app.follows (follower_id, following_id) values (test.id('bob'), test.id('alice')) $$,
  '42501', null, 'Nobody can insert a follow across a block');
select test.act_as('alice');
select is(pg_temp.stats('alice'), '0 1 false', 'A block ends the follow by the blocker');
select is(pg_temp.stats('dave'), '2 0 true', 'The blocker is removed from the counts the blocked person sees');
select is(position('bob' in pg_temp.followers('dave')), 0, 'The blocker is removed from every list the blocked person sees');
select throws_ok($$ select api.list_followers('dave', 2, 'bob') $$, 'PT400', 'cursor_unknown', 'A person across a block is no cursor');
select throws_ok(format('select api.%s(''bob'')', o), 'PT404', 'person_unknown', o || ' fails for a person across a block')
from unnest(array['follow_person', 'unfollow_person', 'follow_stats', 'list_followers', 'list_following']) o;
select test.act_as('carla');
select is(pg_temp.stats('dave'), '3 0 true', 'Third people see the same counts as before');

-- The block is lifted
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.stats('alice'), '0 1 false', 'Lifting a block restores no follow between the two');
select is(pg_temp.stats('dave'), '3 0 true', 'Other people''s counts are complete again');

-- The stored places of ended follows are deleted after a day
select test.act_as_owner();
update private.removed_follows set ended_at = now() - interval '1 day 1 second' where following_id = test.id('dave');
select is(private.job_purge(), 1, 'The job deletes old places');
select is(private.job_purge(), 0, 'Running the job again deletes nothing');

select * from finish();
rollback;
