-- Cases: all reports of one thing make one case, which closes with its last report. What staff decides about a person
-- is recorded, whichever operation it used.
begin;
select plan(37);
select test.people('alice', 'bob', 'carla', 'dan', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.cases(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', status, outcome, category, priority, reports, source), ', ' order by number), '')
  from app.cases where target_id = pg_temp.id(p_name) $$;
create function pg_temp.history(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', u.username, e.kind, e.note), ', ' order by e.id), '')
  from app.cases c join app.case_events e on e.case_id = c.id left join app.users u on u.id = e.actor_id
  where c.target_id = pg_temp.id(p_name) $$;
create function pg_temp.decisions(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', d.action, d.target_type, d.category, d.reason, u.username,
                                       case when d.case_id is not null then 'in a case' end,
                                       case when d.lifted_at is not null then 'lifted' end), ', ' order by d.audit_id), '')
  from app.decisions d join app.users u on u.id = d.decided_by where d.person_id = test.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two', 'three']) n;

-- Reports
select test.act_as('carla');
insert into made select 'r1', (api.report('post', pg_temp.id('one')::text, 'Rude') ->> 'id')::uuid;
select is(pg_temp.cases('one'), 'open other 4 1 report', 'A report opens a case');
select test.act_as('dan');
insert into made select 'r2', (api.report('post', pg_temp.id('one')::text, 'It is spam', 'spam') ->> 'id')::uuid;
select is(pg_temp.cases('one'), 'open spam 3 2 report', 'A second report belongs to the same case, and makes it more urgent');
select test.act_as('alice');
select is(api.report('post', pg_temp.id('one')::text, 'Off topic') ->> 'category', 'other', 'A report without a category has the category other');
select is(pg_temp.cases('one'), 'open spam 3 3 report', 'A less urgent report changes neither category nor priority');
select is(pg_temp.history('one'), 'opened, added, added', 'The history has each report, without the reporter');
select throws_ok($$ select api.report('post', pg_temp.id('two')::text, 'Bad', 'nonsense') $$, 'PT422', 'category_unknown', 'An unknown category is refused');
select ok(api.list_report_categories()::jsonb -> 'items' @> '[{"category": "spam", "text": "Spam"}]', 'The categories can be listed');

-- Settling the reports of a case
select test.act_as_service('mona');
select api.dismiss_report(pg_temp.id('r1'));
select is(pg_temp.cases('one'), 'open spam 3 3 report', 'A case with open reports stays open');
select api.review_report(pg_temp.id('r2'));
select api.review_report(r.id) from app.reports r where r.reporter_id = test.id('alice');
select is(pg_temp.cases('one'), 'closed acted spam 3 3 report', 'A case closes when its last report is settled');
select is(pg_temp.history('one'), 'opened, added, added, mona closed', 'The history says who closed the case');
select throws_ok($$ select api.review_report(pg_temp.id('r1')) $$, 'PT409', 'report_settled', 'A settled report can''t be settled again');
select test.act_as('carla');
select api.report('post', pg_temp.id('one')::text, 'Rude again');
select is(pg_temp.cases('one'), 'closed acted spam 3 3 report, open other 4 1 report', 'A report after the case was closed opens a new case');

-- Other sources
select test.act_as_owner();
select is((select person_id from app.cases where target_id = pg_temp.id('one') limit 1), test.id('bob'), 'A case names the person who answers for the thing');
insert into made select 'case', private.open_case('post', pg_temp.id('two'), 'hate', 'rule', 'Two words of the list');
select is(private.open_case('post', pg_temp.id('two'), 'minors', 'rule'), pg_temp.id('case'), 'A second hint belongs to the same case');
select is(pg_temp.cases('two'), 'open hate 1 0 rule', 'The category of the first hint stays, and the priority rises');
select is(pg_temp.history('two'), 'opened Two words of the list, added', 'The history contains the note of a rule');
select throws_ok($$ select private.open_case('stone', gen_random_uuid(), 'hate', 'rule') $$, 'PT422', 'report_target', 'A case needs a known type of target');

-- Closing settles the reports of the case
select test.act_as('dan');
select api.report('post', pg_temp.id('two')::text, 'Hateful', 'hate');
select test.act_as('carla');
select api.report('post', pg_temp.id('two')::text, 'Hateful', 'hate');
select test.act_as_owner();
select private.end_case(pg_temp.id('case'), 'dismissed');
select is((select string_agg(distinct status, ' ') from app.reports where target_id = pg_temp.id('two')), 'dismissed', 'Closing a case settles all of its reports');
select test.act_as_owner();
select is((select count(*)::int from app.notifications where kind = 'moderation.actioned' and target_type = 'report'
           and user_id = test.id('carla') and payload ->> 'action' = 'dismissed'), 2, 'The reporters are notified');
select is(private.settle_case_reports(jsonb_build_object('caseId', pg_temp.id('case')))::jsonb, '{"changed": 0, "next": null}',
  'Settling the reports again changes nothing');
select private.end_case(pg_temp.id('case'), 'acted');
select is(pg_temp.cases('two'), 'closed dismissed hate 1 2 rule', 'A closed case doesn''t change');

-- Decisions
select test.act_as_service('mona');
select api.hide_post(pg_temp.id('one'), 'Insults people');
select is(pg_temp.decisions('bob'), 'hide post other Insults people mona in a case', 'Hiding a post is a decision about its author, in the open case of the post');
select is(pg_temp.history('one') like '%, mona hide', true, 'The history of the case contains the decision');
select api.hide_post(pg_temp.id('one'), 'Again');
select is(pg_temp.decisions('bob'), 'hide post other Insults people mona in a case', 'Hiding a hidden post is no decision');
select api.unhide_post(pg_temp.id('one'));
select is(pg_temp.decisions('bob'), 'hide post other Insults people mona in a case lifted',
  'Unhiding the post lifts the decision');
select is(pg_temp.history('one') like '%, mona hide, mona unhide', true, 'The history of the case contains the end of the decision');
select test.act_as_service('alice');
select api.ban_person('bob', 'Enough');
select is(pg_temp.decisions('bob') like '%, ban user other Enough alice', true, 'A ban without a case is a decision');
select api.unban_person('bob');
select is(pg_temp.decisions('bob') like '%, ban user other Enough alice lifted', true, 'The end of the ban lifts the decision');
select api.remove_post(pg_temp.id('three'), 'Unlawful');
select is(pg_temp.decisions('bob') like '%, remove post other Unlawful alice', true, 'Deleting a post is a decision');
select test.act_as('carla');
insert into made select 'circle', (api.create_circle('Friends', 'custom') ->> 'id')::uuid;
select test.act_as_service('alice');
select api.remove_circle(pg_temp.id('circle'));
select test.act_as_owner();
select is((select count(*)::int from app.decisions), 3, 'Deleting a circle is no decision');
select is((select count(*)::int from app.notifications n join app.decisions d on d.id::text = n.target_id
           where n.user_id = test.id('bob') and n.target_type = 'decision' and d.action = 'ban'), 1, 'The person is notified of a ban, and the notification names the decision');
select is((select string_agg(distinct payload ->> 'targetType', ' ') from app.notifications where user_id = test.id('bob') and target_type = 'post'), 'post', 'The author of a hidden post still gets the usual notification');

-- Roles and rows
select test.act_as('bob');
select throws_ok(format('select count(*) from %s', t), '42501', null, 'Nobody can read ' || t) from unnest(array['app.cases', 'app.case_events', 'app.decisions']) t;

-- Erasure empties the words
select test.act_as_owner();
update app.cases set rule = 'No insults';
update app.users set erased_at = now() where username = 'bob';
select is((select count(*)::int from app.decisions where reason <> ''), 0, 'An erasure empties the reasons');
select is((select count(*)::int from app.cases where rule is not null) + (select count(*)::int from app.case_events where note is not null), 0, 'An erasure empties the notes and rules');
select * from finish();
rollback;
