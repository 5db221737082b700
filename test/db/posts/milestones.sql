-- Milestones: the author is notified once each at 5, 15 and 50 hearts.
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
-- These people, one after the other, add or remove a heart
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
select is(pg_temp.events(), '', 'Sparks are not counted');
select pg_temp.give(11, 14);
select is(pg_temp.events(), '', 'Four hearts are no milestone');
select pg_temp.give(15, 15);
select is(pg_temp.events(), '5', 'The fifth heart is a milestone');
select is(pg_temp.told(), '5', 'The author is notified');
select test.act_as_owner();
select is((select payload from app.notifications where user_id = test.id('fan10') and kind = 'post.milestone'),
  jsonb_build_object('postId', pg_temp.id('post'), 'reactions', 5), 'The notification has the post and the number');
select is((select target_type || ' ' || target_id from app.notifications where user_id = test.id('fan10') and kind = 'post.milestone'),
  'post ' || pg_temp.id('post'), 'The target of the notification is the post');
select pg_temp.give(15, 15);
select is(pg_temp.events(), '5', 'Repeating a heart is no milestone');
select pg_temp.take(11, 15);
select pg_temp.give(11, 16);
select is(pg_temp.events(), '5', 'Hearts that are removed and added again are no milestone');
select pg_temp.give(17, 24);
select is(pg_temp.events(), '5', 'Fourteen hearts are no milestone');
select pg_temp.give(25, 25);
select is(pg_temp.events(), '5 15', 'Fifteen hearts are the second milestone');
select pg_temp.take(11, 25);
select pg_temp.give(11, 59);
select is(pg_temp.events(), '5 15', 'Forty-nine hearts are no milestone');
select pg_temp.give(60, 60);
select is(pg_temp.events(), '5 15 50', 'Fifty hearts are the last milestone');
select pg_temp.take(11, 60);
select pg_temp.give(11, 60);
select is(pg_temp.events(), '5 15 50', 'After fifty hearts there is no further milestone');
select is(pg_temp.told(), '5 15 50', 'The author was notified once of each milestone');

select test.act_as_owner();
select is((select milestone from app.post_counters where post_id = pg_temp.id('other')), 0::smallint, 'Another post has milestones of its own');
update app.post_counters set reactions = 20 where post_id = pg_temp.id('other');
select is((select payload ->> 'reactions' from app.domain_events where name = 'posts.post.milestone' order by id desc limit 1), '15',
  'If hearts pass two milestones at once, only the higher one is emitted');
select test.act_as('fan11');
select throws_ok($$ update app.post_counters set milestone = 0 $$, '42501', null, 'People can''t change the stored milestone');

select * from finish();
rollback;
