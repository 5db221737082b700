-- Reports: what can be reported, by whom, how often, and who sees them.
begin;
select plan(35);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns text language sql stable as $$ select id::text from made where name = p_name $$;
create function pg_temp.count() returns integer language sql stable security definer as $$ select count(*)::int from app.reports $$;
create function pg_temp.report(p_type text, p_id text) returns text language sql as $$
  select concat_ws(' ', r ->> 'targetType', r ->> 'targetId', r ->> 'reason', r ->> 'status') from api.report(p_type, p_id, ' Spam ') r $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select 'post', (api.create_post('Public') ->> 'id')::uuid;
insert into made select 'inner', (api.create_post('Inner', p_visibility => 'inner') ->> 'id')::uuid;
insert into made select 'reply', (api.create_reply(pg_temp.id('post')::uuid, 'A reply') ->> 'id')::uuid;
insert into made select 'inner reply', (api.create_reply(pg_temp.id('inner')::uuid, 'Another') ->> 'id')::uuid;

-- Acting as Alice
select test.act_as('alice');
select is(pg_temp.report('user', '@bob'), 'user acct:bob@localhost Spam open', 'a person, by any name, answered by the public one');
select is(pg_temp.report('post', pg_temp.id('post')), 'post ' || pg_temp.id('post') || ' Spam open', 'a post');
select is(pg_temp.report('reply', pg_temp.id('reply')), 'reply ' || pg_temp.id('reply') || ' Spam open', 'a reply');
select throws_ok(format('select api.report(%L, %L, ''Again'')', t, i), 'PT409', 'report_open', t || ': again while it is open')
from (values ('user', 'bob'), ('post', pg_temp.id('post')), ('reply', pg_temp.id('reply'))) r (t, i);
select throws_ok(format('select api.report(%L, %L, ''Spam'')', t, i), c, w, format('%s %s: %s', t, what, coalesce(w, c))) from (values
  ('user', 'zoe', 'nobody', 'PT404', 'person_unknown'), ('user', 'alice', 'oneself', 'PT400', 'report_oneself'),
  ('post', pg_temp.id('inner'), 'not for her', 'PT404', 'post_unknown'), ('post', '00000000-0000-4000-8000-000000000000', 'unknown', 'PT404', 'post_unknown'),
  ('post', 'x', 'without an id', 'PT404', 'post_unknown'), ('post', pg_temp.id('reply'), 'that is a reply', 'PT404', 'post_unknown'),
  ('reply', pg_temp.id('inner reply'), 'not for her', 'PT404', 'reply_unknown'), ('reply', 'x', 'without an id', 'PT404', 'reply_unknown'),
  ('circle', pg_temp.id('post'), 'of no kind', 'PT422', 'report_target'), ('User', 'bob', 'of no kind', 'PT422', 'report_target'),
  (null, 'bob', 'without a kind', 'PT422', 'report_target'), ('user', null, 'without a name', 'PT404', 'person_unknown'),
  ('user''; drop table x', 'bob', 'made up', 'PT422', 'report_target')) r (t, i, what, c, w);
select throws_ok($$ select api.report('post', pg_temp.id('post'), repeat('x', 1001)) $$, 'PT422', 'value_invalid', 'a reason has up to 1000 characters');
select is(pg_temp.count(), 3, 'what is refused leaves nothing');

-- who sees and writes them
select is((select count(*)::int from app.reports), 3, 'one''s own reports');
select throws_ok($$ insert into app.reports (reporter_id, target_type, target_id, reason) values (test.id('bob'), 'user', test.id('carla'), 'x') $$,
  '42501', null, 'nobody reports in another''s name');
select throws_ok($$ update app.reports set status = 'dismissed' $$, '42501', null, 'or settles');
select throws_ok($$ delete from app.reports $$, '42501', null, 'or takes back');
select throws_ok($$ select from private.report_targets $$, '42501', null, 'the registry is nobody''s to read');
select test.act_as('bob');
select is((select count(*)::int from app.reports), 0, 'the reported see nothing');

-- another person may report the same, and the same person when the first is settled
select test.act_as('carla');
select lives_ok($$ select api.report('post', pg_temp.id('post'), 'Me too') $$, 'others report the same');
select test.act_as_owner();
select throws_ok($$ update app.reports set status = 'reviewed' $$, 'PT422', 'value_invalid', 'what is settled says when');
select lives_ok($$ update app.reports set status = 'reviewed', reviewed_by = test.id('carla'), reviewed_at = now() $$, 'and by whom');
select test.act_as('alice');
select lives_ok($$ select api.report('post', pg_temp.id('post'), 'It is there again') $$, 'a settled one can be followed by another');

-- a block
select api.block_person('bob');
select throws_ok(format('select api.report(%L, %L, ''Spam'')', t, i), 'PT404', w, t || ' across a block') from (values
  ('user', 'bob', 'person_unknown'), ('post', pg_temp.id('post'), 'post_unknown'), ('reply', pg_temp.id('reply'), 'reply_unknown')) r (t, i, w);
select is(pg_temp.count(), 5, 'what was reported stays');

select * from finish();
rollback;
