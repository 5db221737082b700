-- What a person can read about the decisions that concern them, appeals, and who resolves appeals.
begin;
select plan(54);
select test.people('alice', 'bob', 'carla', 'mona', 'milo', 'adam');
update app.users set role = 'admin' where username in ('alice', 'adam');
update app.users set role = 'moderator' where username in ('mona', 'milo');
update app.users set role = 'user' where username = 'admin';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.decision(p_action text) returns uuid language sql stable security definer as $$
  select id from app.decisions where action = p_action order by audit_id desc limit 1 $$;
create function pg_temp.appeal(p_action text) returns uuid language sql stable security definer as $$
  select id from app.decision_appeals where decision_id = pg_temp.decision(p_action) $$;
create function pg_temp.hash(p_name text) returns text language sql stable security definer as $$
  select password_hash from private.credentials where user_id = test.id(p_name) $$;
create function pg_temp.away(p_name text, p_days integer) returns void language sql security definer as $$
  update app.accounts set last_seen_at = now() - p_days * interval '1 day' where user_id = test.id(p_name) $$;
create function pg_temp.banned(p_name text) returns boolean language sql stable security definer as $$
  select banned_at is not null from app.users where username = p_name $$;
create function pg_temp.older(p_days integer) returns void language sql security definer as $$
  update app.decisions set decided_at = decided_at - p_days * interval '1 day' $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
select is(api.get_standing()::jsonb, '{"state": "active", "suspendedUntil": null, "strikes": 0, "decisions": []}', 'Without decisions the standing is empty');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two']) n;
select test.act_as_service('mona');
insert into made select 'case', (api.create_case('post', pg_temp.id('one')::text, 'harassment') ->> 'id')::uuid;
select api.act_on_case(pg_temp.id('case'), '{hide,warn}', 'You insult people', null, 'Be kind');

-- Reading
select test.act_as('bob');
select is(api.get_standing() ->> 'strikes', '2', 'Strikes count once for each case');
select is(api.get_standing()::jsonb #> '{decisions,0}' @> '{"action": "warn", "targetType": "user", "targetId": null, "category": "harassment", "rule": "Be kind", "reason": "You insult people", "appealable": true, "appeal": null, "strikes": 2}', true, 'The person reads what was decided and why');
select is(api.get_standing()::text like '%' || test.id('mona') || '%' or api.get_standing()::text like '%mona%', false, 'The person doesn''t read who decided');
select is((select count(*)::int from app.notifications n where n.user_id = test.id('bob') and n.target_type = 'decision' and n.payload ->> 'action' = 'warn'), 1, 'The person is notified') from (select test.settle()) s;
select test.act_as('carla');
select is(json_array_length(api.get_standing() -> 'decisions'), 0, 'Others have their own standing');
select throws_ok($$ select api.appeal_decision(pg_temp.decision('warn'), 'Why?') $$, 'PT404', 'decision_unknown', 'Other people can''t appeal the decision');

-- Appealing
select test.act_as('bob');
select throws_ok($$ select api.appeal_decision(pg_temp.decision('warn'), ' ') $$, 'PT422', 'appeal_text', 'An appeal needs a text');
select throws_ok($$ select api.appeal_decision(pg_temp.decision('warn'), repeat('x', 2001)) $$, 'PT422', 'appeal_text', 'An appeal has at most 2000 characters');
select is(api.appeal_decision(pg_temp.decision('hide'), 'It was a quote')::jsonb #>> '{decisions,1,appeal,status}', 'pending', 'A decision can be appealed');
select is(api.get_standing()::jsonb #>> '{decisions,1,appealable}', 'false', 'Once');
select throws_ok($$ select api.appeal_decision(pg_temp.decision('hide'), 'Again') $$, 'PT409', 'decision_appealed', 'A second appeal against the same decision is refused');

-- Resolving
select test.act_as_service('carla');
select throws_ok($$ select api.list_decision_appeals() $$, 'PT403', 'role_required', 'A user can''t list appeals');
select test.act_as_service('mona');
select is(api.list_decision_appeals() #>> '{items,0,mayResolve}', 'false', 'The list says that the person who decided may not resolve the appeal');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('hide'), 'uphold', 'No') $$, 'PT409', 'appeal_own_decision', 'The person who decided can''t resolve an appeal while somebody else could');
select pg_temp.away(n, 31) from unnest(array['alice', 'adam', 'milo']) n;
select is(api.list_decision_appeals() #>> '{items,0,mayResolve}', 'true', 'The list says that the person who decided may resolve the appeal if nobody else was active for 30 days');
select pg_temp.away('milo', 29);
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('hide'), 'uphold', 'No') $$, 'PT409', 'appeal_own_decision',
  'Somebody who was active 29 days ago could still resolve the appeal');
select test.act_as_service('milo');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('hide'), 'maybe', 'No') $$, 'PT422', 'appeal_verdict', 'An unknown verdict is refused');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('hide'), 'uphold', '') $$, 'PT422', 'case_reason', 'An answer is required');
select throws_ok($$ select api.resolve_decision_appeal(gen_random_uuid(), 'uphold', 'No') $$, 'PT404', 'appeal_unknown', 'An unknown appeal can''t be resolved');
select is(api.resolve_decision_appeal(pg_temp.appeal('hide'), 'overturn', 'You are right')::jsonb @> '{"status": "overturned", "undone": true}', true,
  'Another moderator can overturn the decision');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('hide'), 'uphold', 'No') $$, 'PT409', 'appeal_resolved', 'An appeal is resolved once');
select test.act_as('carla');
select lives_ok($$ select api.get_post(pg_temp.id('one')) $$, 'The hidden post is visible again');
select test.act_as('bob');
select is(api.get_standing()::jsonb #> '{decisions,1}' @> '{"strikes": 0, "strikesUntil": null, "appealable": false, "appeal": {"status": "overturned", "answer": "You are right", "undone": true}}', true, 'The person reads the answer');
select is(api.get_standing() ->> 'strikes', '2', 'The warning of the same case still counts');
select test.act_as_owner();
select is((select count(*)::int from app.notifications n where n.user_id = test.id('bob') and n.payload ->> 'action' = 'overturned'), 1, 'The person is notified of the verdict');

-- Decisions that can't be undone
select test.act_as_service('alice');
select api.remove_post(pg_temp.id('two'), 'Unlawful');
select test.act_as('bob');
select api.appeal_decision(pg_temp.decision('remove'), 'It was lawful');
select test.act_as_service('milo');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('remove'), 'overturn', 'Yes') $$, 'PT403', 'role_required', 'A moderator can''t overturn what only an admin may decide');
select pg_temp.away('adam', 1);
select test.act_as_service('adam');
select is(api.resolve_decision_appeal(pg_temp.appeal('remove'), 'overturn', 'Sorry') ->> 'undone', 'false', 'A deleted post stays deleted, and the answer says so');

-- Bans
select test.act_as_service('alice');
select api.ban_person('bob', 'For a week', now() + interval '7 days');
select api.ban_person('bob', 'For good');
select test.act_as_gate();
select throws_ok($$ select api.find_standing(test.id('bob'), 'wrong') $$, 'PT401', 'credentials_wrong', 'Another hash of a password is refused');
select throws_ok($$ select api.appeal_by_password(test.id('bob'), 'wrong', pg_temp.decision('ban'), 'No') $$, 'PT401', 'credentials_wrong',
  'Another hash of a password is refused for an appeal too');
select is(api.find_standing(test.id('bob'), pg_temp.hash('bob')) ->> 'state', 'banned', 'A banned person can read the standing with the password');
select is(api.appeal_by_password(test.id('bob'), pg_temp.hash('bob'), pg_temp.decision('suspend'), 'Too long')::jsonb #>> '{decisions,1,appeal,status}', 'pending', 'A banned person can appeal');
select api.appeal_by_password(test.id('bob'), pg_temp.hash('bob'), pg_temp.decision('ban'), 'Too long');
select test.act_as_service('alice');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('ban'), 'overturn', 'No') $$, 'PT409', 'appeal_own_decision',
  'The admin who decided a ban can''t resolve the appeal while another admin could');
select test.act_as_service('adam');
select is(api.resolve_decision_appeal(pg_temp.appeal('suspend'), 'overturn', 'It was short') ->> 'undone', 'false', 'Overturning a suspension leaves a later ban');
select ok(pg_temp.banned('bob'), 'The person is still banned');
select is(api.resolve_decision_appeal(pg_temp.appeal('ban'), 'overturn', 'Enough') ->> 'undone', 'true',
  'Overturning the ban ends the ban');
select ok(not pg_temp.banned('bob'), 'The person is not banned any more');
select test.act_as_service('alice');
select api.ban_person('carla', 'For a week', now() + interval '7 days');
select api.ban_person('carla', 'For good');
select test.act_as_gate();
select is((select count(*)::int from json_array_elements(api.find_standing(test.id('carla'), pg_temp.hash('carla')) -> 'decisions') d where d ->> 'liftedAt' is null), 1, 'A ban replaces the suspension before it');
select api.appeal_by_password(test.id('carla'), pg_temp.hash('carla'), pg_temp.decision('ban'), 'Too long');
select test.act_as_service('adam');
select is(api.resolve_decision_appeal(pg_temp.appeal('ban'), 'overturn', 'Enough') ->> 'undone', 'true',
  'Overturning the ban ends the ban, although there was a suspension before');
select ok(not pg_temp.banned('carla'), 'The person is not banned any more');
select test.act_as_service('alice');
select api.ban_person('bob', 'Again');
select test.act_as_gate();
select api.appeal_by_password(test.id('bob'), pg_temp.hash('bob'), pg_temp.decision('ban'), 'Not again');
select test.act_as_service('adam');
select is(api.resolve_decision_appeal(pg_temp.appeal('ban'), 'uphold', 'It stands')::jsonb @> '{"status": "upheld", "undone": null}', true, 'A decision can be upheld');
select ok(pg_temp.banned('bob'), 'After an upheld decision the ban remains');
select api.unban_person('bob');

-- Strikes lapse
select test.act_as('bob');
select is(api.get_standing() ->> 'strikes', '3', 'Overturned decisions count no strikes');
select pg_temp.older(89);
select is(api.get_standing() ->> 'strikes', '3', 'Strikes count for 90 days');
select pg_temp.older(2);
select is(api.get_standing() ->> 'strikes', '0', 'After 90 days strikes have lapsed');
select is(json_array_length(api.get_standing() -> 'decisions'), 6, 'Decisions remain after their strikes have lapsed');

-- Posts that members of staff wrote with others
select test.act_as('carla');
insert into made select 'shared', (api.create_post('shared') ->> 'id')::uuid;
select test.act_as_owner();
insert into app.post_co_authors (post_id, user_id, split_share, status) values (pg_temp.id('shared'), test.id('milo'), 10, 'accepted');
select test.act_as_service('mona');
select api.hide_post(pg_temp.id('shared'));
select test.act_as('carla');
select api.appeal_decision(pg_temp.decision('hide'), 'Why?');
select test.act_as_service('milo');
select ok(api.list_decision_appeals('pending')::text not like '%' || pg_temp.appeal('hide') || '%', 'A co-author who is a moderator doesn''t see the appeal about the common post');
select throws_ok($$ select api.resolve_decision_appeal(pg_temp.appeal('hide'), 'uphold', 'No') $$, 'PT404', 'appeal_unknown',
  'A co-author who is a moderator can''t resolve the appeal');
select pg_temp.away(n, 31) from unnest(array['alice', 'adam']) n;
select pg_temp.away('milo', 0);
select test.act_as_service('mona');
select is((select i ->> 'mayResolve' from json_array_elements(api.list_decision_appeals('pending') -> 'items') i where i ->> 'id' = pg_temp.appeal('hide')::text), 'true',
  'If only a co-author was active, the person who decided may resolve the appeal');
select pg_temp.away('adam', 0);
select test.act_as_service('adam');
select ok(api.list_decision_appeals('pending')::text like '%' || pg_temp.appeal('hide') || '%', 'Other members of staff see the appeal');
select is(api.resolve_decision_appeal(pg_temp.appeal('hide'), 'overturn', 'Yes') ->> 'undone', 'true', 'Other members of staff can resolve the appeal');

-- Export and erasure
select test.act_as('bob');
select is(api.export_me('decisions') #>> '{items,0,reason}' is not null, true, 'The export has the decisions');
select is(json_array_length(api.export_me('decisionAppeals') -> 'items'), 5, 'The export has the appeals');
select test.act_as_owner();
update app.users set erased_at = now() where username = 'bob';
select is((select count(*)::int from app.decision_appeals where person_id = test.id('bob') and (text <> '' or answer is not null)) + (select count(*)::int from app.decisions where person_id = test.id('bob') and reason <> ''), 0, 'An erasure empties reasons, appeals and answers');
select * from finish();
rollback;
