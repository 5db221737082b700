-- What staff does in a case: claims, actions, proposals and notes, and what is refused.
begin;
select plan(56);
select test.people('alice', 'bob', 'carla', 'mona', 'milo', 'adam');
update app.users set role = 'admin' where username in ('alice', 'adam');
update app.users set role = 'moderator' where username in ('mona', 'milo');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.case(p_name text) returns uuid language sql stable security definer as $$
  select id from app.cases where target_id = pg_temp.id(p_name) order by number desc limit 1 $$;
create function pg_temp.state(p_name text) returns text language sql stable security definer as $$
  select concat_ws(' ', c.status, c.outcome, u.username) from app.cases c left join app.users u on u.id = c.claimed_by
  where c.id = pg_temp.case(p_name) $$;
create function pg_temp.history(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', u.username, e.kind, e.note), ', ' order by e.id), '')
  from app.case_events e left join app.users u on u.id = e.actor_id where e.case_id = pg_temp.case(p_name) $$;
create function pg_temp.decisions(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', d.action, d.target_type, d.category, d.rule, d.reason, u.username,
                                       case when d.ends_at is not null then 'ends' end), ', ' order by d.audit_id), '')
  from app.decisions d join app.users u on u.id = d.decided_by where d.person_id = test.id(p_name) $$;
create function pg_temp.audits(p_case uuid) returns text language sql stable security definer as $$
  select coalesce(string_agg(u.username || ' ' || l.action, ', ' order by l.id), '')
  from app.audit_log l join app.users u on u.id = l.actor_id where l.target_id = p_case::text $$;
create function pg_temp.account(p_name text) returns text language sql stable security definer as $$
  select concat_ws(' ', case when banned_at is not null then 'banned' end, case when banned_until is not null then 'until' end,
                   case when limited_at is not null then 'limited' end) from app.users where username = p_name $$;
create function pg_temp.pass(p_name text, p_time interval) returns void language sql security definer as $$
  update app.cases set claimed_until = claimed_until - p_time where id = pg_temp.case(p_name) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two', 'three', 'four']) n;
select test.act_as('carla');
select api.report('post', pg_temp.id(n)::text, 'Rude', 'harassment') from unnest(array['one', 'two', 'three']) n;

-- Claims
select test.act_as_service('mona');
select is(api.claim_case(pg_temp.case('one'))::jsonb #>> '{claimedBy,username}', 'mona', 'A moderator can claim a case');
select is(pg_temp.audits(pg_temp.case('one')), 'mona case.claimed', 'A claim leaves an audit entry');
select test.act_as_service('milo');
select throws_ok($$ select api.claim_case(pg_temp.case('one')) $$, 'PT409', 'case_claimed',
  'Nobody else can claim a claimed case');
select throws_ok($$ select api.act_on_case(pg_temp.case('one'), '{dismiss}') $$, 'PT409', 'case_claimed',
  'Nobody else can act in a claimed case');
select throws_ok($$ select api.release_case(pg_temp.case('one')) $$, 'PT403', 'role_required',
  'Another moderator can''t release the claim');
select api.add_case_note(pg_temp.case('one'), 'I know him');
select is(pg_temp.history('one'), 'opened, mona claimed, milo note I know him', 'Any moderator can add a note');
select is(json_array_length(api.list_cases(p_claimed => 'nobody') -> 'items'), 2,
  'The list of unclaimed cases leaves out a claimed case');
select pg_temp.pass('one', '29 minutes');
select test.act_as_service('mona');
select api.add_case_note(pg_temp.case('one'), 'So do I');
select pg_temp.pass('one', '29 minutes');
select test.act_as_service('milo');
select throws_ok($$ select api.claim_case(pg_temp.case('one')) $$, 'PT409', 'case_claimed', 'Working on a case starts the 30 minutes again');
select pg_temp.pass('one', '2 minutes');
select is(api.get_case(pg_temp.case('one')) ->> 'claimedById', null, 'A claim ends after 30 minutes without work');
select is(api.claim_case(pg_temp.case('one')) #>> '{claimedBy,username}', 'milo',
  'After the claim another moderator can claim the case');
select test.act_as_service('alice');
select is(api.release_case(pg_temp.case('one')) ->> 'claimedById', null, 'An admin can release anybody''s claim');
select is(api.release_case(pg_temp.case('one')) ->> 'claimedById', null, 'Releasing a claim again changes nothing');
select throws_ok($$ select api.claim_case(gen_random_uuid()) $$, 'PT404', 'case_unknown', 'An unknown case can''t be claimed');

-- Changes
select test.act_as_service('mona');
select is(api.update_case(pg_temp.case('one'), 'hate')::jsonb ->> 'priority', '2', 'A new category brings its priority');
select is(api.update_case(pg_temp.case('one'), null, 4, 'Be kind')::jsonb - '{id,person,targetId,personId,createdAt,updatedAt}'::text[] @> '{"category": "hate", "priority": 4, "rule": "Be kind"}', true, 'Priority and rule can be set');
select throws_ok($$ select api.update_case(pg_temp.case('one'), 'nonsense') $$, 'PT422', 'category_unknown', 'An unknown category is refused');
select throws_ok($$ select api.update_case(pg_temp.case('one'), null, 5) $$, 'PT422', 'case_priority', 'A priority above 4 is refused');
select throws_ok($$ select api.update_case(pg_temp.case('one'), null, null, repeat('x', 301)) $$, 'PT422', 'case_rule', 'A long rule is refused');

-- Actions of moderators
select throws_ok(format('select api.act_on_case(pg_temp.case(%L), %L, %L)', 'one', a, 'Reason'), s, c, 'A moderator can''t do ' || a)
from (values ('{ban}', 'PT403', 'role_required'), ('{hide,limit}', 'PT403', 'role_required'), ('{remove}', 'PT403', 'role_required'),
             ('{dismiss,warn}', 'PT422', 'case_actions'), ('{warn,warn}', 'PT422', 'case_actions'), ('{}', 'PT422', 'case_actions'),
             ('{dance}', 'PT422', 'case_action'), ('{claim}', 'PT422', 'case_action')) v (a, s, c);
select throws_ok($$ select api.act_on_case(pg_temp.case('one'), null) $$, 'PT422', 'case_actions', 'An empty list of actions is refused');
select throws_ok($$ select api.act_on_case(pg_temp.case('one'), '{warn}', ' ') $$, 'PT422', 'case_reason', 'A warning needs a reason');
select throws_ok($$ select api.act_on_case(pg_temp.case('one'), '{warn}', 'Reason', null, null, now() + interval '1 day') $$, 'PT422', 'case_until', 'A warning can''t have an end');
select is(api.act_on_case(pg_temp.case('one'), '{warn,hide}', 'You insult people', 'harassment') ->> 'outcome', 'acted', 'Several actions at once close the case');
select is(pg_temp.decisions('bob'), 'hide post harassment Be kind You insult people mona, warn user harassment Be kind You insult people mona', 'Each action is a decision with reason, category and rule');
select is((api.get_case(pg_temp.case('one')) ->> 'strikes')::int, 2, 'Strikes count once for each case');
select is((api.get_case(pg_temp.case('one')) #>> '{reports,0,status}'), 'reviewed', 'The report of the case is settled');
select is(pg_temp.history('one') like '%, mona hide, mona warn, mona acted, mona closed', true, 'The history has each action');
select throws_ok($$ select api.act_on_case(pg_temp.case('one'), '{dismiss}') $$, 'PT409', 'case_closed', 'A closed case can''t be dismissed');
select throws_ok($$ select api.claim_case(pg_temp.case('one')) $$, 'PT409', 'case_closed', 'A closed case can''t be claimed');
select is(api.act_on_case(pg_temp.case('one'), '{unhide}') ->> 'status', 'closed', 'In a closed case actions can be undone');
select is(api.act_on_case(pg_temp.case('two'), '{dismiss}') ->> 'outcome', 'dismissed', 'A case can be dismissed');
select is(api.get_case(pg_temp.case('two')) #>> '{reports,0,status}', 'dismissed', 'The reports of a dismissed case are dismissed');

-- Proposals
select throws_ok($$ select api.propose_in_case(pg_temp.case('three'), '{warn}', 'Rude') $$, 'PT422', 'proposal_actions', 'A moderator can''t propose what they may do');
select throws_ok($$ select api.propose_in_case(pg_temp.case('three'), '{ban}', '') $$, 'PT422', 'case_reason', 'A proposal needs a reason');
select api.propose_in_case(pg_temp.case('three'), '{suspend,remove}', 'Again and again', now() + interval '3 days');
select throws_ok($$ select api.propose_in_case(pg_temp.case('three'), '{ban}', 'Enough') $$, 'PT409', 'case_proposal_open', 'A case has one open proposal');
select is(pg_temp.account('bob'), '', 'A proposal alone changes nothing');
insert into made select 'proposal', (api.get_case(pg_temp.case('three')) #>> '{proposals,0,id}')::uuid;
select throws_ok($$ select api.accept_case_proposal(pg_temp.case('three'), pg_temp.id('proposal')) $$, 'PT403', 'role_required', 'A moderator can''t accept a proposal');
select test.act_as_service('alice');
select throws_ok($$ select api.decline_case_proposal(pg_temp.case('three'), gen_random_uuid()) $$, 'PT404', 'case_proposal_unknown', 'An unknown proposal can''t be declined');
select is(api.accept_case_proposal(pg_temp.case('three'), pg_temp.id('proposal')) ->> 'status', 'closed', 'An admin can accept a proposal');
select is(pg_temp.account('bob'), 'banned until', 'The proposed actions are done when the proposal is accepted');
select is(pg_temp.decisions('bob') like '%, remove post harassment Again and again alice, suspend user harassment Again and again alice ends', true, 'The admin decided, with the reason of the proposal');
select throws_ok($$ select api.decline_case_proposal(pg_temp.case('three'), pg_temp.id('proposal')) $$, 'PT409', 'case_closed', 'A proposal can''t be settled twice');

-- Cases that nobody reported
select is(api.create_case('user', 'bob', 'spam', 'Seen in the stream') ->> 'source', 'staff', 'Staff can open a case about a person');
select is(api.create_case('post', pg_temp.id('four')::text)::jsonb ->> 'category', 'other', 'Staff can open a case about a post');
select throws_ok($$ select api.create_case('post', gen_random_uuid()::text) $$, 'PT404', 'case_target', 'Staff can''t open a case about an unknown post');
select throws_ok($$ select api.act_on_case(pg_temp.case('four'), '{restore}') $$, 'PT422', 'case_action', 'A deleted post can''t be restored');
select throws_ok($$ select api.create_case('user', 'alice') $$, 'PT403', 'case_own', 'Nobody opens a case about themselves');
select private.open_case('user', test.id('alice'), 'other', 'report');
insert into made select 'own', id from app.cases where target_id = test.id('alice');
select throws_ok($$ select api.act_on_case(pg_temp.id('own'), '{dismiss}') $$, 'PT404', 'case_unknown', 'Nobody works on a case about themselves');
select test.act_as_service('carla');
select throws_ok($$ select api.list_cases() $$, 'PT403', 'role_required', 'A user can''t list cases');
select * from finish();
rollback;
