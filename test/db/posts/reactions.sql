-- Reactions: hearts and sparks, what they count, the event, and who takes them back. Who may react: visibility.sql.
begin;
select plan(27);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.happened() returns integer language sql stable security definer
  as $$ select count(*)::int from app.domain_events where name = 'posts.reaction.added' $$;
create function pg_temp.event() returns text language sql stable security definer
  as $$ select name || ' ' || payload from app.domain_events where name like 'posts.%' order by id desc limit 1 $$;
create function pg_temp.answer(p_count integer, variadic p_kinds text[] default '{}') returns jsonb language sql as $$
  select jsonb_build_object(
    'counters', jsonb_build_object('reactions', p_count, 'replies', 0, 'shares', 0, 'bookmarks', 0, 'views', 0),
    'viewer', jsonb_build_object('reactions', to_jsonb(p_kinds), 'bookmarked', false, 'reposted', false, 'voted', false)) $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select 'post', (api.create_post('Hello') ->> 'id')::uuid;

-- Acting as Bob
select test.act_as('bob');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1, 'heart'), 'a heart is given and counted');
select is(pg_temp.event(), 'posts.reaction.added '::text || jsonb_build_object(
  'postId', pg_temp.id('post'), 'userId', test.id('bob'), 'kind', 'heart'), 'which is an event');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1, 'heart'), 'a second one changes nothing');
select is(pg_temp.happened(), 1, 'and is no event');
select is(api.react(pg_temp.id('post'), 'spark')::jsonb, pg_temp.answer(1, 'heart', 'spark'), 'a spark is given and not counted');
select is(pg_temp.happened(), 2, 'an event it is');
select is(api.get_post(pg_temp.id('post'))::jsonb #> '{viewer,reactions}', '["heart", "spark"]', 'the post says what one gave');
select throws_ok($$ select api.react(pg_temp.id('post'), 'laugh') $$, 'PT422', 'value_invalid', 'there are two kinds');
select throws_ok($$ select api.react(gen_random_uuid(), 'heart') $$, 'PT404', 'post_unknown', 'an unknown post takes none');
select throws_ok($$ select api.unreact(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'and gives none back');

-- Acting as Carla
select test.act_as('carla');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(2, 'heart'), 'hearts of several add up');
select throws_ok($$ insert into app.reactions (post_id, user_id, kind) values (pg_temp.id('post'), test.id('alice'), 'heart') $$, '42501', null,
  'nobody reacts in another''s name');
select throws_ok($$ update app.reactions set kind = 'spark' $$, '42501', null, 'nobody changes a reaction');
select is(pg_temp.rows($$ delete from app.reactions where user_id = test.id('bob') $$), 0, 'nobody takes another''s back');
select is((select count(*) from app.reactions)::int, 1, 'nobody sees another''s');
select is(api.unreact(pg_temp.id('post'), 'spark')::jsonb, pg_temp.answer(2, 'heart'), 'taking back what was not given changes nothing');
select is(api.unreact(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1), 'a heart is taken back');
select is(api.unreact(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1), 'once');
select is(pg_temp.happened(), 3, 'taking back is no event');

-- Acting as Bob: one, then all
select test.act_as('bob');
select is(api.unreact(pg_temp.id('post'), 'spark')::jsonb, pg_temp.answer(1, 'heart'), 'a spark goes without a count');
select api.react(pg_temp.id('post'), 'spark');
select is(api.unreact(pg_temp.id('post'))::jsonb, pg_temp.answer(0), 'both go at once');
select is(api.unreact(pg_temp.id('post'))::jsonb, pg_temp.answer(0), 'and then there is nothing to take');

-- Acting as Alice
select test.act_as('alice');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1, 'heart'), 'one may like one''s own');

-- Bob is blocked: what he gave stays counted until he takes it back, which shows him nothing
select test.act_as('bob');
select api.react(pg_temp.id('post'), 'heart');
select test.act_as('alice');
select api.block_person('bob');
select is(api.get_post(pg_temp.id('post')) #>> '{counters,reactions}', '2', 'a block takes no reaction away');
select test.act_as('bob');
select is(api.unreact(pg_temp.id('post')) ->> 'message', 'post_unknown', 'who is blocked takes it back, and is answered as if there were no post');
select throws_ok($$ select api.unreact(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'once');
select test.act_as_owner();
select is((select reactions from app.post_counters where post_id = pg_temp.id('post')),
  (select count(*)::int from app.reactions where post_id = pg_temp.id('post') and kind = 'heart'), 'the counter is what a count gives');

select * from finish();
rollback;
