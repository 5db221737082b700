-- Views: how often people other than the author open a post. Only the facade counts them, in batches.
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
select throws_ok($$ select api.count_views(array[pg_temp.id('one')], array[test.id('bob')]) $$, '42501', null, 'People can''t count views');
select test.act_as_anon();
select throws_ok($$ select api.count_views(array[pg_temp.id('one')], array[test.id('bob')]) $$, '42501', null, 'An anonymous caller can''t count views');
select test.act_as_service();
select throws_ok($$ select api.count_views(array[pg_temp.id('one')], array[test.id('bob')]) $$, '42501', null, 'The service role can''t count views');

select test.act_as_gate();
select is(api.count_views('{}', '{}')::text, null, 'An empty batch is not an error');
select api.count_views(array[pg_temp.id('one'), pg_temp.id('two'), pg_temp.id('one'), pg_temp.id('one')],
                       array[test.id('bob'), test.id('bob'), test.id('carla'), test.id('bob')]);
select is(pg_temp.views('one'), 3::bigint, 'Every view counts, even repeated ones by the same person');
select is(pg_temp.views('two'), 1::bigint, 'Each view counts for its own post');
select api.count_views(array[pg_temp.id('one'), pg_temp.id('one')], array[test.id('alice'), test.id('bob')]);
select is(pg_temp.views('one'), 4::bigint, 'The author''s own views don''t count');
select api.count_views(array[gen_random_uuid(), pg_temp.id('two')], array[test.id('bob'), test.id('bob')]);
select is(pg_temp.views('two'), 2::bigint, 'Views of unknown posts are ignored');

select test.act_as('bob');
select is(api.get_post(pg_temp.id('one')) #>> '{counters,views}', '4', 'The card has the number of views');
select api.get_post(pg_temp.id('one')), api.list_feed();
select is(pg_temp.views('one'), 4::bigint, 'Reading a post in SQL doesn''t count as a view');
select throws_ok($$ update app.post_counters set views = 1000 $$, '42501', null, 'Nobody can change the number of views');
select test.act_as_owner();
select is((select trending_boost from app.posts where id = pg_temp.id('one')), 0::smallint, 'Views don''t raise the trending boost');
update app.posts set deleted_at = now() where id = pg_temp.id('two');
select lives_ok($$ select api.count_views(array[pg_temp.id('two')], array[test.id('bob')]) $$, 'A view of a post deleted meanwhile is not an error');

select * from finish();
rollback;
