-- Milestones: 5, 15 and 50 reactions, each told once to the author.
begin;
select plan(17);
select test.people(variadic array(select 'fan' || n from generate_series(10, 60) n));

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.told() returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(n.payload ->> 'reactions', ' ' order by (n.payload ->> 'reactions')::int), '') from app.notifications n
  where n.user_id = test.id('fan10') and n.kind = 'post.milestone' $$;
create function pg_temp.events() returns text language sql stable security definer as $$
  select coalesce(string_agg(payload ->> 'reactions', ' ' order by id), '') from app.domain_events
  where name = 'posts.post.milestone' and payload ->> 'postId' = pg_temp.id('post')::text $$;
-- these people, one after the other, give or take back
create function pg_temp.give(p_from integer, p_to integer, p_kind text default 'heart') returns void language plpgsql as $$
begin
  for n in p_from .. p_to loop
    perform test.act_as('fan' || n), api.react(pg_temp.id('post'), p_kind);
  end loop;
end $$;
create function pg_temp.take(p_from integer, p_to integer) returns void language plpgsql as $$
begin
  for n in p_from .. p_to loop
    perform test.act_as('fan' || n), api.unreact(pg_temp.id('post'));
  end loop;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('fan10');
insert into made select 'post', (api.create_post('Hello') ->> 'id')::uuid;
insert into made select 'other', (api.create_post('Hello again') ->> 'id')::uuid;

select pg_temp.give(11, 40, 'spark');
select is(pg_temp.events(), '', 'sparks are not counted');
select pg_temp.give(11, 14);
select is(pg_temp.events(), '', 'four hearts are no milestone');
select pg_temp.give(15, 15);
select is(pg_temp.events(), '5', 'the fifth is');
select is(pg_temp.told(), '5', 'and the author is told');
select test.act_as_owner();
select is((select payload from app.notifications where user_id = test.id('fan10') and kind = 'post.milestone'),
  jsonb_build_object('postId', pg_temp.id('post'), 'reactions', 5), 'of which post, and how many');
select is((select target_type || ' ' || target_id from app.notifications where user_id = test.id('fan10') and kind = 'post.milestone'),
  'post ' || pg_temp.id('post'), 'with the post as its target');
select pg_temp.give(15, 15);
select is(pg_temp.events(), '5', 'a heart again is none');
select pg_temp.take(11, 15);
select pg_temp.give(11, 16);
select is(pg_temp.events(), '5', 'nor do hearts taken back and given again tell it again');
select pg_temp.give(17, 24);
select is(pg_temp.events(), '5', 'fourteen are none');
select pg_temp.give(25, 25);
select is(pg_temp.events(), '5 15', 'fifteen are the next');
select pg_temp.take(11, 25);
select pg_temp.give(11, 59);
select is(pg_temp.events(), '5 15', 'forty-nine are none');
select pg_temp.give(60, 60);
select is(pg_temp.events(), '5 15 50', 'fifty are the last');
select pg_temp.take(11, 60);
select pg_temp.give(11, 60);
select is(pg_temp.events(), '5 15 50', 'after which nothing is told');
select is(pg_temp.told(), '5 15 50', 'the author was told three times');

select test.act_as_owner();
select is((select milestone from app.post_counters where post_id = pg_temp.id('other')), 0::smallint, 'another post has its own');
update app.post_counters set reactions = 20 where post_id = pg_temp.id('other');
select is((select payload ->> 'reactions' from app.domain_events where name = 'posts.post.milestone' order by id desc limit 1), '15',
  'of two passed at once the higher is told');
select test.act_as('fan11');
select throws_ok($$ update app.post_counters set milestone = 0 $$, '42501', null, 'nobody writes what was told');

select * from finish();
rollback;
