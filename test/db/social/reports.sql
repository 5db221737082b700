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
select is(pg_temp.report('user', '@bob'), 'user acct:bob@localhost Spam open', 'A person can be reported by any name, and the answer has the public id');
select is(pg_temp.report('post', pg_temp.id('post')), 'post ' || pg_temp.id('post') || ' Spam open', 'A post can be reported');
select is(pg_temp.report('reply', pg_temp.id('reply')), 'reply ' || pg_temp.id('reply') || ' Spam open', 'A reply can be reported');
select throws_ok(format('select api.report(%L, %L, ''Again'')', t, i), 'PT409', 'report_open', 'A second report is refused while the first is open: ' || t)
from (values ('user', 'bob'), ('post', pg_temp.id('post')), ('reply', pg_temp.id('reply'))) r (t, i);
select throws_ok(format('select api.report(%L, %L, ''Spam'')', t, i), c, w, format('A report of type %s is refused, %s: %s', t, what, coalesce(w, c))) from (values
  ('user', 'zoe', 'unknown', 'PT404', 'person_unknown'), ('user', 'alice', 'the caller', 'PT400', 'report_oneself'),
  ('post', pg_temp.id('inner'), 'not visible', 'PT404', 'post_unknown'), ('post', '00000000-0000-4000-8000-000000000000', 'unknown', 'PT404', 'post_unknown'),
  ('post', 'x', 'without an id', 'PT404', 'post_unknown'), ('post', pg_temp.id('reply'), 'a reply', 'PT404', 'post_unknown'),
  ('reply', pg_temp.id('inner reply'), 'not visible', 'PT404', 'reply_unknown'), ('reply', 'x', 'without an id', 'PT404', 'reply_unknown'),
  ('circle', pg_temp.id('post'), 'unknown type', 'PT422', 'report_target'), ('User', 'bob', 'unknown type', 'PT422', 'report_target'),
  (null, 'bob', 'null type', 'PT422', 'report_target'), ('user', null, 'null name', 'PT404', 'person_unknown'),
  ('user''; drop table x', 'bob', 'injected SQL', 'PT422', 'report_target')) r (t, i, what, c, w);
select throws_ok($$ select api.report('post', pg_temp.id('post'), repeat('x', 1001)) $$, 'PT422', 'value_invalid', 'A reason of more than 1000 characters is refused');
select is(pg_temp.count(), 3, 'A refused report stores nothing');

-- Who sees and writes reports
select is((select count(*)::int from app.reports), 3, 'People see their own reports');
select throws_ok($$ insert into app.reports (reporter_id, target_type, target_id, reason) values (test.id('bob'), 'user', test.id('carla'), 'x') $$,
  '42501', null, 'Nobody can report in another person''s name');
select throws_ok($$ update app.reports set status = 'dismissed' $$, '42501', null, 'Reporters can''t settle a report');
select throws_ok($$ delete from app.reports $$, '42501', null, 'Reporters can''t delete a report');
select throws_ok($$ select from private.report_targets $$, '42501', null, 'Nobody can read the registry of targets');
select test.act_as('bob');
select is((select count(*)::int from app.reports), 0, 'The reported person sees no report');

-- Another person can report the same thing, and so can the same person once the first report is settled
select test.act_as('carla');
select lives_ok($$ select api.report('post', pg_temp.id('post'), 'Me too') $$, 'Another person can report the same post');
select test.act_as_owner();
select throws_ok($$ update app.reports set status = 'reviewed' $$, 'PT422', 'value_invalid', 'A settled report needs a time');
select lives_ok($$ update app.reports set status = 'reviewed', reviewed_by = test.id('carla'), reviewed_at = now() $$, 'A settled report has a time and a reviewer');
select test.act_as('alice');
select lives_ok($$ select api.report('post', pg_temp.id('post'), 'It is there again') $$, 'After a settled report the same person can report again');

-- A block
select api.block_person('bob');
select throws_ok(format('select api.report(%L, %L, ''Spam'')', t, i), 'PT404', w, 'A target across a block can''t be reported: ' || t) from (values
  ('user', 'bob', 'person_unknown'), ('post', pg_temp.id('post'), 'post_unknown'), ('reply', pg_temp.id('reply'), 'reply_unknown')) r (t, i, w);
select is(pg_temp.count(), 5, 'Earlier reports stay');

select * from finish();
rollback;
