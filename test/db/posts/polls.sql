-- Polls: what one is made of, who votes when, the tallies, and its end.
begin;
select plan(59);
select test.people('alice', 'bob', 'carla', 'dave', 'erin', 'fred');

create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.poll(p_name text, p_poll jsonb, p_visibility text default 'public') returns void
language plpgsql as $$
begin
  insert into made select p_name, (api.create_post('A question', p_visibility => p_visibility) ->> 'id')::uuid;
  perform private.add_poll(pg_temp.id(p_name), p_poll);
end $$;
create function pg_temp.texts(p_name text) returns text language sql stable as $$
  select string_agg(o ->> 'text', ',') from json_array_elements(api.get_post(pg_temp.id(p_name)) #> '{poll,options}') o $$;
create function pg_temp.option(p_name text, p_position integer) returns uuid language sql stable security definer as $$
  select o.id from app.poll_options o join app.polls l on l.id = o.poll_id
  where l.post_id = pg_temp.id(p_name) and o.position = p_position $$;
create function pg_temp.vote(p_name text, p_position integer) returns text language sql as $$
  select (select string_agg(o ->> 'votes', ' ') from json_array_elements(card -> 'options') o) || ' of ' || (card ->> 'totalVotes')
  from (select api.vote_poll(pg_temp.id(p_name), pg_temp.option(p_name, p_position)) as card) v $$;
create function pg_temp.tallies(p_name text) returns text language sql stable security definer as $$
  select string_agg(o.votes::text, ' ' order by o.position) from app.poll_options o join app.polls l on l.id = o.poll_id
  where l.post_id = pg_temp.id(p_name) $$;
create function pg_temp.notices() returns text language sql stable security definer as $$
  select string_agg(u.username, ',' order by u.username) from app.notifications n join app.users u on u.id = n.user_id
  where n.kind = 'poll.closed' $$;
grant execute on all functions in schema pg_temp to public;

-- Making one. Acting as Alice
select test.act_as('alice');
select pg_temp.poll('open', '{"options": [" tea ", "coffee", "water"]}');
select is(pg_temp.texts('open'), 'tea,coffee,water', 'options keep their order and lose the blanks around them');
select is(api.get_post(pg_temp.id('open'))::jsonb #- '{poll,options}' -> 'poll',
  jsonb_build_object('id', (select id from app.polls where post_id = pg_temp.id('open')), 'totalVotes', 0,
                     'closesAt', null, 'closed', false, 'myOptionId', null), 'a new poll has no votes and no end');
select pg_temp.poll('long', '{"options": ["1", "2", "3", "4", "5", "6", "", "8"]}');
select is(pg_temp.texts('long'), '1,2,3,4,5,6', 'options past the sixth are dropped, whatever they are');
select throws_ok(format($$ select pg_temp.poll('bad', %L) $$, bad), 'PT422', 'poll_options', what) from (values
  ('{}', 'a poll has options'),
  ('{"options": "tea"}', 'a list of them'),
  ('{"options": ["tea"]}', 'two at least'),
  ('{"options": ["tea", "  "]}', 'no blank one'),
  ('{"options": ["tea", null]}', 'nor nothing'),
  (jsonb_build_object('options', jsonb_build_array('tea', repeat('x', 201)))::text, 'nor a long one')) as b (bad, what);
select lives_ok(format($$ select pg_temp.poll('wide', %L) $$,
  jsonb_build_object('options', jsonb_build_array('tea', repeat('x', 200)))), '200 characters are not long');
select throws_ok(format($$ select pg_temp.poll('bad', '{"options": ["a", "b"], "closesAt": %s}') $$, to_json(bad)),
  'PT422', 'poll_closes_at', what) from (values
  (now()::text, 'a poll closes in the future'), ('soon', 'at a moment'), ('9999-12-31T00:00:00Z', 'that has four digits of a year'), ('infinity', 'that comes')) as b (bad, what);
select throws_ok(
  $$ insert into made select 'bad', (api.create_post('A question') ->> 'id')::uuid;
     select private.add_poll(pg_temp.id('bad'), jsonb_build_object('options', '["a", "b"]'::jsonb, 'closesAt', now() + interval '1 hour'),
                             now() + interval '1 hour') $$,
  'PT422', 'poll_closes_at', 'after its post comes out');
select throws_ok($$ select private.add_poll(pg_temp.id('open'), '{"options": ["a", "b"]}') $$, '23505', null, 'a post has one poll');
select pg_temp.poll('ending', jsonb_build_object('options', '["a", "b"]'::jsonb, 'closesAt', now() + interval '1 hour'));
select pg_temp.poll('circles', '{"options": ["a", "b"]}', 'circles');
insert into made select 'plain', (api.create_post('No question') ->> 'id')::uuid;
select test.act_as_owner();
update app.posts set created_at = now() - interval '1 second' where id = pg_temp.id('plain');
select test.act_as('alice');
select throws_ok($$ select private.add_poll(pg_temp.id('plain'), '{"options": ["a", "b"]}') $$, 'PT404', 'post_unknown',
  'none comes to a post that is there already');
select test.act_as('bob');
select throws_ok($$ select private.add_poll(pg_temp.id('wide'), '{"options": ["a", "b"]}') $$, 'PT404', 'post_unknown',
  'or to another''s');
select throws_ok($$ insert into app.polls (post_id) values (pg_temp.id('plain')) $$, '42501', null, 'by hand neither');

-- Voting. Acting as Bob
select is(pg_temp.vote('open', 1), '1 0 0 of 1', 'a vote counts');
select is(api.get_post(pg_temp.id('open')) #>> '{poll,myOptionId}', pg_temp.option('open', 1)::text, 'the poll says what one chose');
select is(api.get_post(pg_temp.id('open')) #>> '{viewer,voted}', 'true', 'and the post that one did');
select is(pg_temp.vote('open', 1), '1 0 0 of 1', 'the same again changes nothing');
select is(pg_temp.vote('open', 3), '0 0 1 of 1', 'another moves it');
select test.act_as('alice');
select is(pg_temp.vote('open', 3), '0 0 2 of 2', 'the author votes too');
select is((select count(*) from app.poll_votes), 1::bigint, 'who chose what is nobody else''s to see');
select is(api.get_post(pg_temp.id('open')) #>> '{poll,myOptionId}', pg_temp.option('open', 3)::text, 'each sees their own choice');
select test.act_as('carla');
select is(api.get_post(pg_temp.id('open')) #>> '{poll,myOptionId}', null, 'who chose nothing sees none');
select is(api.unvote_poll(pg_temp.id('open')) ->> 'totalVotes', '2', 'what was not given is not taken back');
select test.act_as('bob');
select is(api.unvote_poll(pg_temp.id('open')) ->> 'totalVotes', '1', 'a vote is taken back');
select is(api.unvote_poll(pg_temp.id('open')) ->> 'myOptionId', null, 'once');
select is(pg_temp.tallies('open'), '0 0 1', 'and the tallies follow');
select throws_ok($$ update app.poll_options set votes = 9 $$, '42501', null, 'nobody writes them');
select throws_ok($$ insert into app.poll_votes (poll_id, user_id, option_id)
                    select poll_id, test.id('carla'), id from app.poll_options limit 1 $$, '42501', null, 'or votes for another');

select throws_ok($$ select api.vote_poll(pg_temp.id('plain'), pg_temp.option('open', 1)) $$, 'PT404', 'poll_unknown',
  'no poll, no vote');
select throws_ok($$ select api.unvote_poll(pg_temp.id('plain')) $$, 'PT404', 'poll_unknown', 'and none to take back');
select throws_ok($$ select api.vote_poll(pg_temp.id('open'), pg_temp.option('wide', 1)) $$, 'PT404', 'option_unknown',
  'an option of another poll is none of this one');
select throws_ok($$ select api.vote_poll(gen_random_uuid(), pg_temp.option('open', 1)) $$, 'PT404', 'post_unknown', 'no post neither');
select throws_ok($$ select pg_temp.vote('circles', 1) $$, 'PT404', 'post_unknown', 'one that one may not see is none');
select throws_ok($$ select api.unvote_poll(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'for taking back too');
select is((select count(*) from app.polls where post_id = pg_temp.id('circles'))
        + (select count(*) from app.poll_options where id = pg_temp.option('circles', 1)), 0::bigint, 'and shows nothing of its poll');

-- A scheduled post, and a hidden one
select test.act_as_owner();
update app.posts set published_at = null, publish_at = now() + interval '30 minutes' where id = pg_temp.id('ending');
select test.act_as('bob');
select throws_ok($$ select pg_temp.vote('ending', 1) $$, 'PT404', 'post_unknown', 'a scheduled post is nobody''s yet');
select test.act_as('alice');
select throws_ok($$ select pg_temp.vote('ending', 1) $$, 'PT422', 'post_not_out', 'its author does not vote either');
select throws_ok(format('update app.posts set publish_at = %L where id = pg_temp.id(%L)', now() + interval '1 hour', 'ending'),
  'PT422', 'poll_closes_at', 'and does not put it off until its poll is over');
select lives_ok(format('update app.posts set publish_at = %L where id = pg_temp.id(%L)', now() + interval '59 minutes', 'ending'),
  'before that it may be');
select test.act_as_owner();
update app.posts set published_at = now(), publish_at = null where id = pg_temp.id('ending');
update app.posts set hidden_at = now() where id = pg_temp.id('long');
select test.act_as('alice');
select is(pg_temp.vote('long', 6), '0 0 0 0 0 1 of 1', 'a hidden one takes the vote of its author');
select test.act_as('bob');
select throws_ok($$ select pg_temp.vote('long', 6) $$, 'PT404', 'post_unknown', 'and of nobody else');

-- The end of a poll: all but Alice voted, Carla mutes her, Dave blocks her, Erin is banned, Fred mutes the post
select is(pg_temp.vote('ending', 1), '1 0 of 1', 'until its end a poll takes votes');
select test.act_as('carla');
select pg_temp.vote('ending', 2), api.mute_person('alice');
select test.act_as('dave');
select pg_temp.vote('ending', 2), api.block_person('alice');
select test.act_as('erin');
select pg_temp.vote('ending', 2);
select test.act_as('fred');
select pg_temp.vote('ending', 2), api.mute_post(pg_temp.id('ending'));
select test.act('worker', null);
select is(private.job_close_polls(), 0, 'nothing is due yet');
select test.act_as_owner();
update app.polls set closes_at = now() where post_id = pg_temp.id('ending');
update app.users set banned_at = now() where username = 'erin';
select test.act_as('bob');
select throws_ok($$ select pg_temp.vote('ending', 2) $$, 'PT422', 'poll_closed', 'a closed poll takes no vote');
select throws_ok($$ select api.unvote_poll(pg_temp.id('ending')) $$, 'PT422', 'poll_closed', 'and gives none back');
select is(api.get_post(pg_temp.id('ending')) #>> '{poll,closed}', 'true', 'it says that it is closed');
select test.act('worker', null);
select is(private.job_close_polls(), 1, 'the job finds it');
select is(private.job_close_polls(), 0, 'once');
select test.act_as_owner();
select is((select payload from app.domain_events where name = 'posts.poll.closed'),
  (select jsonb_build_object('postId', post_id, 'pollId', id) from app.polls where post_id = pg_temp.id('ending')), 'which is an event');
select is(pg_temp.notices(), 'alice,bob', 'of which the author and the voters hear who see it, are not banned and want to');
select is((select array_agg(distinct payload) from app.notifications where kind = 'poll.closed'),
  (select array[jsonb_build_object('postId', post_id, 'pollId', id)] from app.polls where post_id = pg_temp.id('ending')),
  'and learn which poll');

-- one whose end cannot be told holds up none of those behind it
select test.act_as('alice');
insert into made select n, (api.create_post(n, p_poll => jsonb_build_object('options', '["a","b"]'::jsonb, 'closesAt', now() + interval '1 hour')) ->> 'id')::uuid
from unnest('{stuck,behind}'::text[]) n;
select test.act_as_owner();
update app.polls set closes_at = now() - case when post_id = pg_temp.id('stuck') then interval '2 minutes' else interval '1 minute' end
where post_id in (pg_temp.id('stuck'), pg_temp.id('behind'));
create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
create trigger refuse before insert on app.domain_events
  for each row when (new.payload ->> 'postId' = current_setting('test.stuck')) execute function pg_temp.refuse();
select set_config('test.stuck', pg_temp.id('stuck')::text, true);
select is(array(select private.job_close_polls() from generate_series(1, 3)), '{-1,1,0}'::integer[], 'it is told, and left for later');
drop trigger refuse on app.domain_events;
update app.polls set close_again_at = now() where close_again_at is not null;
select is(array(select private.job_close_polls() from generate_series(1, 2)), '{1,0}'::integer[], 'and comes when nothing stands in its way');

select * from finish();
rollback;
