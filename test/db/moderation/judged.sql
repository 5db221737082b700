-- What rules judge besides posts and replies: contents, and what people write within them. Each thing that can be
-- reported is judged, or is named here with the reason why it is not.
begin;
select plan(22);
select test.people('alice', 'bob', 'carla');
update app.users set role = 'admin' where username = 'alice';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.rule(p_mode text) returns uuid language plpgsql as $$
declare
  v_id uuid;
begin
  v_id := api.create_rule(p_mode, '[{"kind": "words", "words": ["casino"]}]', array(select type from private.judged_types), 'hide') ->> 'id';
  update app.moderation_rules set mode = p_mode where id = v_id;
  return v_id;
end $$;
create function pg_temp.hits(p_mode text) returns text language sql stable security definer as $$
  select string_agg(h.target_type || case when h.hid then ' hidden' else '' end, ', ' order by h.target_type, h.hid)
  from app.rule_hits h where h.mode = p_mode $$;
create function pg_temp.cases() returns integer language plpgsql security definer as $$
declare
  v_job jsonb;
begin
  for v_job in select data from pgboss.job where name = 'rule-cases' order by created_on, id loop
    perform private.open_rule_cases(v_job);
  end loop;
  return (select count(*) from app.cases where source = 'rule');
end $$;
grant execute on all functions in schema pg_temp to public;

select is((select string_agg(t.type, ' ' order by t.type) from private.report_targets t
           where not exists (select from private.judged_types j where j.type = t.type)),
          -- the time of their words isn't stored, so a replay couldn't judge them, and messages are private
          'group guild message user', 'Every thing that can be reported is judged, except these');

-- Acting as Bob, before there are rules
select test.act_as('bob');
insert into made values
  ('debate', (api.create_debate('A debate', 'Why?', now() + interval '1 day', (select id from app.interests order by slug limit 1)) ->> 'id')::uuid),
  ('problem', (api.create_problem('A problem', 'Who knows?', 2, 0, (select id from app.interests order by slug limit 1)) ->> 'id')::uuid),
  ('video', (api.create_video('https://example.org/v') ->> 'id')::uuid),
  ('offering', (api.create_offering('An offering', 'Of mine', 1, 3) ->> 'id')::uuid),
  ('course', (api.create_course('A course', 'Summary', 3, 0) ->> 'id')::uuid);
insert into made values ('lesson', (api.create_course_lesson(pg_temp.id('course'), 'A lesson', 'On cards') ->> 'id')::uuid);
select api.publish_course(pg_temp.id('course'));
select test.act_as('carla');
insert into made values ('order', (api.place_order(pg_temp.id('offering'), 1) #>> '{order,id}')::uuid);
select test.act_as('bob');
select api.accept_order(pg_temp.id('order')), api.deliver_order(pg_temp.id('order'), 'Here');

set constraints all immediate;   -- runs the deferred triggers as the author, as a commit would
set constraints all deferred;
select test.act_as_owner();
select test.settle();
grant select, update on app.moderation_rules to service_role;
grant select on private.judged_types to service_role;
select test.act_as_service('alice');
select pg_temp.rule('live'), pg_temp.rule('shadow');

-- Acting as Carla, who writes within these contents
select test.act_as('carla');
insert into made values
  ('argument', (api.create_argument(pg_temp.id('debate'), 'for', rpad('The casino ', 60, 'x')) ->> 'id')::uuid),
  ('harmless', (api.create_argument(pg_temp.id('debate'), 'for', rpad('The wood ', 60, 'x')) ->> 'id')::uuid),
  ('solution', (api.create_solution(pg_temp.id('problem'), rpad('The wood ', 60, 'x')) ->> 'id')::uuid),
  ('video-comment', (api.create_video_comment(pg_temp.id('video'), 'See the casino') ->> 'id')::uuid);
select api.complete_order(pg_temp.id('order'));
insert into made values ('review', (api.review_order(pg_temp.id('order'), 1, 'Go to the casino') ->> 'id')::uuid);
set constraints all immediate;   -- runs the deferred triggers as the author, as a commit would
set constraints all deferred;
select test.act_as_owner();
select is(pg_temp.hits('live'), 'argument hidden, review hidden, video-comment', 'A live rule hides an argument and a review, and can only open a case about a comment');
select is((select count(*)::int from test.settle()), 1, 'The worker applies the effects');
select is(pg_temp.hits('shadow'), 'argument, review, video-comment', 'A rule in shadow records the same hits');

-- Edits
select test.act_as('carla');
select api.update_solution(pg_temp.id('solution'), rpad('The casino ', 60, 'x'));
select test.act_as('bob');
select api.update_course_lesson(pg_temp.id('course'), pg_temp.id('lesson'), '{"body": "On the casino"}');
set constraints all immediate;   -- runs the deferred triggers as the author, as a commit would
set constraints all deferred;
select test.act_as_owner();
select test.settle();
select is(pg_temp.hits('live'), 'argument hidden, course hidden, review hidden, solution hidden, video-comment', 'A solution is judged after an edit, and a course after an edit of a lesson');
select is(pg_temp.hits('shadow'), 'argument, course, review, solution, video-comment', 'A rule in shadow records the same hits after edits');

-- Who sees it
select test.act_as('bob');
select is((select string_agg(i ->> 'id', ' ') from json_array_elements(api.list_arguments(pg_temp.id('debate')) -> 'items') i), pg_temp.id('harmless')::text, 'Others don''t see the hidden argument');
select is(json_array_length(api.list_solutions(pg_temp.id('problem')) -> 'items'), 0, 'Others don''t see the hidden solution');
select is(json_array_length(api.list_reviews(pg_temp.id('offering')) -> 'items'), 0, 'Others don''t see the hidden review');
select test.act_as('carla');
select is(json_array_length(api.list_arguments(pg_temp.id('debate')) -> 'items'), 2, 'The author sees the hidden argument');
select test.act_as_owner();
select is((select argument_count from app.debates where id = pg_temp.id('debate')), 1, 'The hidden argument doesn''t count');

-- Cases and decisions
select is(pg_temp.cases(), 5, 'The worker opens a case about each thing');
select is((select string_agg(d.target_type || ' ' || d.action, ', ' order by d.target_type) from app.decisions d where d.decided_by is null),
  'argument remove, course remove, review remove, solution remove',
  'The worker writes a decision about each hidden thing');
select test.act_as_service('alice');
select is(api.act_on_case((select id from app.cases where target_id = pg_temp.id('argument')), '{dismiss}') ->> 'status', 'closed', 'Staff can dismiss a case');
select is(api.act_on_case((select id from app.cases where target_id = pg_temp.id('review')), '{remove}', 'Advertising') ->> 'status', 'closed', 'Staff can take over what a rule has hidden');
select test.act_as_owner();
select is((select removed_at from app.debate_arguments where id = pg_temp.id('argument')), null, 'A thing whose case staff dismisses is shown again');
select is((select argument_count from app.debates where id = pg_temp.id('debate')), 2, 'A thing that is shown again counts again');
select is((select string_agg((d.decided_by is null) || ' ' || (d.lifted_at is null), ', ' order by d.audit_id) from app.decisions d where d.target_id = pg_temp.id('review')),
  'true false, false true', 'The decision of staff replaces that of the rule');
select is((select rating_count from app.offerings where id = pg_temp.id('offering')), 0, 'A removed review doesn''t count');

-- Replay
select test.act_as_service('alice');
select is((select string_agg(i ->> 'targetType', ' ' order by i ->> 'targetType') from json_array_elements(api.replay_draft('[{"kind": "words", "words": ["casino"]}]', array(select type from private.judged_types)) -> 'sample') i),
  'argument course review solution video-comment', 'A replay finds each thing');
select is(api.replay_draft('[{"kind": "words", "words": ["casino"]}]', '{argument}') ->> 'wouldHit', '1', 'A replay judges only the given types');
select is(api.replay_draft('[{"kind": "words", "words": ["casino"]}]', '{argument,review,solution}') ->> 'ofWhichStaffRemoved', '1', 'A replay says how many of the things staff has removed');
select * from finish();
rollback;
