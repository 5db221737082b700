-- Views: openings by others than the author, counted in batches by the facade alone.
begin;
select plan(13);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.views(p_name text) returns bigint language sql stable security definer
  as $$ select views from app.post_counters where post_id = pg_temp.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two']) n;
select throws_ok($$ select api.count_views(array[pg_temp.id('one')], array[test.id('bob')]) $$, '42501', null, 'nobody counts but the facade');
select test.act_as_anon();
select throws_ok($$ select api.count_views(array[pg_temp.id('one')], array[test.id('bob')]) $$, '42501', null, 'not without a token either');
select test.act_as_service();
select throws_ok($$ select api.count_views(array[pg_temp.id('one')], array[test.id('bob')]) $$, '42501', null, 'nor the service');

select test.act_as_gate();
select is(api.count_views('{}', '{}')::text, null, 'nothing may be counted');
select api.count_views(array[pg_temp.id('one'), pg_temp.id('two'), pg_temp.id('one'), pg_temp.id('one')],
                       array[test.id('bob'), test.id('bob'), test.id('carla'), test.id('bob')]);
select is(pg_temp.views('one'), 3::bigint, 'every opening counts, whoever it is');
select is(pg_temp.views('two'), 1::bigint, 'each for its post');
select api.count_views(array[pg_temp.id('one'), pg_temp.id('one')], array[test.id('alice'), test.id('bob')]);
select is(pg_temp.views('one'), 4::bigint, 'the author''s own are none');
select api.count_views(array[gen_random_uuid(), pg_temp.id('two')], array[test.id('bob'), test.id('bob')]);
select is(pg_temp.views('two'), 2::bigint, 'unknown posts are passed over');

select test.act_as('bob');
select is(api.get_post(pg_temp.id('one')) #>> '{counters,views}', '4', 'the card has them');
select api.get_post(pg_temp.id('one')), api.list_feed();
select is(pg_temp.views('one'), 4::bigint, 'reading in SQL counts nothing');
select throws_ok($$ update app.post_counters set views = 1000 $$, '42501', null, 'nobody writes them');
select test.act_as_owner();
select is((select trending_boost from app.posts where id = pg_temp.id('one')), 0::smallint, 'views make no post hot');
update app.posts set deleted_at = now() where id = pg_temp.id('two');
select lives_ok($$ select api.count_views(array[pg_temp.id('two')], array[test.id('bob')]) $$, 'a post deleted meanwhile is no error');

select * from finish();
rollback;
