-- Polls: their fields, who can vote when, the tallies, and how they close.
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

-- Making a poll. Acting as Alice
select test.act_as('alice');
select pg_temp.poll('open', '{"options": [" tea ", "coffee", "water"]}');
select is(pg_temp.texts('open'), 'tea,coffee,water', 'Options keep their order and are trimmed');
select is(api.get_post(pg_temp.id('open'))::jsonb #- '{poll,options}' -> 'poll',
  jsonb_build_object('id', (select id from app.polls where post_id = pg_temp.id('open')), 'totalVotes', 0,
                     'closesAt', null, 'closed', false, 'myOptionId', null), 'A new poll has no votes and no end');
select pg_temp.poll('long', '{"options": ["1", "2", "3", "4", "5", "6", "", "8"]}');
select is(pg_temp.texts('long'), '1,2,3,4,5,6', 'Options after the sixth are dropped, even invalid ones');
select throws_ok(format($$ select pg_temp.poll('bad', %L) $$, bad), 'PT422', 'poll_options', what) from (values
  ('{}', 'A poll needs options'),
  ('{"options": "tea"}', 'The options must be a list'),
  ('{"options": ["tea"]}', 'A poll needs at least two options'),
  ('{"options": ["tea", "  "]}', 'A blank option is refused'),
  ('{"options": ["tea", null]}', 'A null option is refused'),
  (jsonb_build_object('options', jsonb_build_array('tea', repeat('x', 201)))::text, 'An option of 201 characters is refused')) as b (bad, what);
select lives_ok(format($$ select pg_temp.poll('wide', %L) $$,
  jsonb_build_object('options', jsonb_build_array('tea', repeat('x', 200)))), 'An option of 200 characters is accepted');
select throws_ok(format($$ select pg_temp.poll('bad', '{"options": ["a", "b"], "closesAt": %s}') $$, to_json(bad)),
  'PT422', 'poll_closes_at', what) from (values
  (now()::text, 'A poll can''t close now'), ('soon', 'The end of a poll must be a time'), ('9999-12-31T00:00:00Z', 'The end of a poll must be before 31 December 9999'), ('infinity', 'The end of a poll can''t be infinity')) as b (bad, what);
select throws_ok(
  $$ insert into made select 'bad', (api.create_post('A question') ->> 'id')::uuid;
     select private.add_poll(pg_temp.id('bad'), jsonb_build_object('options', '["a", "b"]'::jsonb, 'closesAt', now() + interval '1 hour'),
                             now() + interval '1 hour') $$,
  'PT422', 'poll_closes_at', 'A poll must close after its post is published');
select throws_ok($$ select private.add_poll(pg_temp.id('open'), '{"options": ["a", "b"]}') $$, '23505', null, 'A post can have only one poll');
select pg_temp.poll('ending', jsonb_build_object('options', '["a", "b"]'::jsonb, 'closesAt', now() + interval '1 hour'));
select pg_temp.poll('circles', '{"options": ["a", "b"]}', 'circles');
insert into made select 'plain', (api.create_post('No question') ->> 'id')::uuid;
select test.act_as_owner();
update app.posts set created_at = now() - interval '1 second' where id = pg_temp.id('plain');
select test.act_as('alice');
select throws_ok($$ select private.add_poll(pg_temp.id('plain'), '{"options": ["a", "b"]}') $$, 'PT404', 'post_unknown',
  'A poll can''t be added to an existing post');
select test.act_as('bob');
select throws_ok($$ select private.add_poll(pg_temp.id('wide'), '{"options": ["a", "b"]}') $$, 'PT404', 'post_unknown',
  'A poll can''t be added to another person''s post');
select throws_ok($$ insert into app.polls (post_id) values (pg_temp.id('plain')) $$, '42501', null, 'Nobody can insert a poll directly');

-- Voting. Acting as Bob
select is(pg_temp.vote('open', 1), '1 0 0 of 1', 'A vote is counted');
select is(api.get_post(pg_temp.id('open')) #>> '{poll,myOptionId}', pg_temp.option('open', 1)::text, 'The poll has the caller''s choice');
select is(api.get_post(pg_temp.id('open')) #>> '{viewer,voted}', 'true', 'The post''s card shows that the caller voted');
select is(pg_temp.vote('open', 1), '1 0 0 of 1', 'Repeating the vote changes nothing');
select is(pg_temp.vote('open', 3), '0 0 1 of 1', 'Another vote replaces the first');
select test.act_as('alice');
select is(pg_temp.vote('open', 3), '0 0 2 of 2', 'The author can vote too');
select is((select count(*) from app.poll_votes), 1::bigint, 'Nobody sees other people''s votes');
select is(api.get_post(pg_temp.id('open')) #>> '{poll,myOptionId}', pg_temp.option('open', 3)::text, 'Each person sees their own choice');
select test.act_as('carla');
select is(api.get_post(pg_temp.id('open')) #>> '{poll,myOptionId}', null, 'A person who didn''t vote has no choice');
select is(api.unvote_poll(pg_temp.id('open')) ->> 'totalVotes', '2', 'Removing a vote that wasn''t cast changes nothing');
select test.act_as('bob');
select is(api.unvote_poll(pg_temp.id('open')) ->> 'totalVotes', '1', 'A vote can be removed');
select is(api.unvote_poll(pg_temp.id('open')) ->> 'myOptionId', null, 'Removing a vote twice changes nothing');
select is(pg_temp.tallies('open'), '0 0 1', 'The tallies have the remaining votes');
select throws_ok($$ update app.poll_options set votes = 9 $$, '42501', null, 'Nobody can change the tallies');
select throws_ok($$ insert into app.poll_votes (poll_id, user_id, option_id)
                    select poll_id, test.id('carla'), id from app.poll_options limit 1 $$, '42501', null, 'Nobody can vote for another person');

select throws_ok($$ select api.vote_poll(pg_temp.id('plain'), pg_temp.option('open', 1)) $$, 'PT404', 'poll_unknown',
  'A vote on a post without a poll is refused');
select throws_ok($$ select api.unvote_poll(pg_temp.id('plain')) $$, 'PT404', 'poll_unknown', 'Removing a vote from a post without a poll is refused');
select throws_ok($$ select api.vote_poll(pg_temp.id('open'), pg_temp.option('wide', 1)) $$, 'PT404', 'option_unknown',
  'An option of another poll is unknown');
select throws_ok($$ select api.vote_poll(gen_random_uuid(), pg_temp.option('open', 1)) $$, 'PT404', 'post_unknown', 'A vote on an unknown post is refused');
select throws_ok($$ select pg_temp.vote('circles', 1) $$, 'PT404', 'post_unknown', 'A vote on a post the caller can''t see is refused');
select throws_ok($$ select api.unvote_poll(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'Removing a vote from a post the caller can''t see is refused');
select is((select count(*) from app.polls where post_id = pg_temp.id('circles'))
        + (select count(*) from app.poll_options where id = pg_temp.option('circles', 1)), 0::bigint, 'The poll of a post the caller can''t see has no visible rows');

-- A scheduled post, and a hidden one
select test.act_as_owner();
update app.posts set published_at = null, publish_at = now() + interval '30 minutes' where id = pg_temp.id('ending');
select test.act_as('bob');
select throws_ok($$ select pg_temp.vote('ending', 1) $$, 'PT404', 'post_unknown', 'Others can''t vote on a scheduled post');
select test.act_as('alice');
select throws_ok($$ select pg_temp.vote('ending', 1) $$, 'PT422', 'post_not_out', 'The author can''t vote on a scheduled post');
select throws_ok(format('update app.posts set publish_at = %L where id = pg_temp.id(%L)', now() + interval '1 hour', 'ending'),
  'PT422', 'poll_closes_at', 'The author can''t move the publication to the end of the poll');
select lives_ok(format('update app.posts set publish_at = %L where id = pg_temp.id(%L)', now() + interval '59 minutes', 'ending'),
  'The author can move the publication to a time before the end of the poll');
select test.act_as_owner();
update app.posts set published_at = now(), publish_at = null where id = pg_temp.id('ending');
update app.posts set hidden_at = now() where id = pg_temp.id('long');
select test.act_as('alice');
select is(pg_temp.vote('long', 6), '0 0 0 0 0 1 of 1', 'The author can vote on a hidden post');
select test.act_as('bob');
select throws_ok($$ select pg_temp.vote('long', 6) $$, 'PT404', 'post_unknown', 'Others can''t vote on a hidden post');

-- The end of a poll: all but Alice voted, Carla mutes her, Dave blocks her, Erin is banned, Fred mutes the post
select is(pg_temp.vote('ending', 1), '1 0 of 1', 'Until its end a poll accepts votes');
select test.act_as('carla');
select pg_temp.vote('ending', 2), api.mute_person('alice');
select test.act_as('dave');
select pg_temp.vote('ending', 2), api.block_person('alice');
select test.act_as('erin');
select pg_temp.vote('ending', 2);
select test.act_as('fred');
select pg_temp.vote('ending', 2), api.mute_post(pg_temp.id('ending'));
select test.act('worker', null);
select is(private.job_close_polls(), 0, 'The job closes no poll before its end');
select test.act_as_owner();
update app.polls set closes_at = now() where post_id = pg_temp.id('ending');
update app.users set banned_at = now() where username = 'erin';
select test.act_as('bob');
select throws_ok($$ select pg_temp.vote('ending', 2) $$, 'PT422', 'poll_closed', 'A closed poll accepts no vote');
select throws_ok($$ select api.unvote_poll(pg_temp.id('ending')) $$, 'PT422', 'poll_closed', 'A vote can''t be removed from a closed poll');
select is(api.get_post(pg_temp.id('ending')) #>> '{poll,closed}', 'true', 'The poll is shown as closed');
select test.act('worker', null);
select is(private.job_close_polls(), 1, 'The job closes a poll after its end');
select is(private.job_close_polls(), 0, 'The job closes a poll only once');
select test.act_as_owner();
select is((select payload from app.domain_events where name = 'posts.poll.closed'),
  (select jsonb_build_object('postId', post_id, 'pollId', id) from app.polls where post_id = pg_temp.id('ending')), 'Closing a poll is an event');
select is(pg_temp.notices(), 'alice,bob', 'The author and the voters are notified, except those who can''t see the post, are banned or muted it');
select is((select array_agg(distinct payload) from app.notifications where kind = 'poll.closed'),
  (select array[jsonb_build_object('postId', post_id, 'pollId', id)] from app.polls where post_id = pg_temp.id('ending')),
  'The notification has the poll');

-- A poll whose closing fails doesn't delay the polls behind it
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
select is(array(select private.job_close_polls() from generate_series(1, 3)), '{-1,1,0}'::integer[], 'The job reports the failure and leaves the poll for later');
drop trigger refuse on app.domain_events;
update app.polls set close_again_at = now() where close_again_at is not null;
select is(array(select private.job_close_polls() from generate_series(1, 2)), '{1,0}'::integer[], 'The poll is closed once the cause of the failure is gone');

select * from finish();
rollback;
