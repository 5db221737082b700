-- Reactions: hearts and sparks, what they count, the event, and who can remove them. Who can react is in
-- visibility.sql.
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
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1, 'heart'), 'A heart is added and counted');
select is(pg_temp.event(), 'posts.reaction.added '::text || jsonb_build_object(
  'postId', pg_temp.id('post'), 'userId', test.id('bob'), 'kind', 'heart'), 'A heart is an event');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1, 'heart'), 'A repeated heart changes nothing');
select is(pg_temp.happened(), 1, 'A repeated heart is no event');
select is(api.react(pg_temp.id('post'), 'spark')::jsonb, pg_temp.answer(1, 'heart', 'spark'), 'A spark is added and not counted');
select is(pg_temp.happened(), 2, 'A spark is an event');
select is(api.get_post(pg_temp.id('post'))::jsonb #> '{viewer,reactions}', '["heart", "spark"]', 'The post''s card has the caller''s reactions');
select throws_ok($$ select api.react(pg_temp.id('post'), 'laugh') $$, 'PT422', 'value_invalid', 'An unknown kind is refused');
select throws_ok($$ select api.react(gen_random_uuid(), 'heart') $$, 'PT404', 'post_unknown', 'A reaction to an unknown post is refused');
select throws_ok($$ select api.unreact(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'Removing a reaction from an unknown post is refused');

-- Acting as Carla
select test.act_as('carla');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(2, 'heart'), 'Hearts of several people add up');
select throws_ok($$ insert into app.reactions (post_id, user_id, kind) values (pg_temp.id('post'), test.id('alice'), 'heart') $$, '42501', null,
  'Nobody can react in another person''s name');
select throws_ok($$ update app.reactions set kind = 'spark' $$, '42501', null, 'A reaction can''t be changed');
select is(pg_temp.rows($$ delete from app.reactions where user_id = test.id('bob') $$), 0, 'Nobody can delete another person''s reaction');
select is((select count(*) from app.reactions)::int, 1, 'Nobody sees other people''s reactions');
select is(api.unreact(pg_temp.id('post'), 'spark')::jsonb, pg_temp.answer(2, 'heart'), 'Removing a reaction that wasn''t added changes nothing');
select is(api.unreact(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1), 'A heart can be removed');
select is(api.unreact(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1), 'Removing a heart twice is counted once');
select is(pg_temp.happened(), 3, 'Removing is no event');

-- Acting as Bob, who removes one reaction, then all
select test.act_as('bob');
select is(api.unreact(pg_temp.id('post'), 'spark')::jsonb, pg_temp.answer(1, 'heart'), 'Removing a spark doesn''t change the count');
select api.react(pg_temp.id('post'), 'spark');
select is(api.unreact(pg_temp.id('post'))::jsonb, pg_temp.answer(0), 'Both reactions can be removed at once');
select is(api.unreact(pg_temp.id('post'))::jsonb, pg_temp.answer(0), 'Removing reactions from a post without any is not an error');

-- Acting as Alice
select test.act_as('alice');
select is(api.react(pg_temp.id('post'), 'heart')::jsonb, pg_temp.answer(1, 'heart'), 'Authors can react to their own post');

-- Bob is blocked: his reaction stays counted until he removes it, and removing it shows him nothing
select test.act_as('bob');
select api.react(pg_temp.id('post'), 'heart');
select test.act_as('alice');
select api.block_person('bob');
select is(api.get_post(pg_temp.id('post')) #>> '{counters,reactions}', '2', 'A block doesn''t remove reactions');
select test.act_as('bob');
select is(api.unreact(pg_temp.id('post')) ->> 'message', 'post_unknown', 'A blocked person can remove their reaction, and gets post_unknown');
select throws_ok($$ select api.unreact(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'The blocked person can remove the reaction only once');
select test.act_as_owner();
select is((select reactions from app.post_counters where post_id = pg_temp.id('post')),
  (select count(*)::int from app.reactions where post_id = pg_temp.id('post') and kind = 'heart'), 'The counter equals a count of the rows');

select * from finish();
rollback;
