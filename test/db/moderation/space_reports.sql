-- Reports of what is in a group or guild: who sees the case and from when on, and what those who moderate it can do.
begin;
select plan(53);
select test.people('alice', 'bob', 'carla', 'dora', 'eve', 'mona', 'adam');
update app.users set role = 'moderator' where username = 'mona';
update app.users set role = 'admin' where username = 'adam';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.case(p_name text) returns uuid language sql stable security definer as $$
  select id from app.cases where target_id = pg_temp.id(p_name) order by number desc limit 1 $$;
create function pg_temp.queue(p_waiting boolean default false) returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by m.name), '')
  from json_array_elements(api.list_cases(p_status => 'open', p_limit => 50, p_waiting => p_waiting) -> 'items') i
  join made m on m.id = (i ->> 'targetId')::uuid $$;
create function pg_temp.listed() returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by m.name), '')
  from json_array_elements(api.list_space_reports('group', pg_temp.id('group')::text) -> 'items') i
  join made m on m.id = (i ->> 'targetId')::uuid $$;
create function pg_temp.act(p_name text, p_action text, p_reason text default null) returns json language sql as $$
  select api.act_on_space_report('group', pg_temp.id('group')::text, pg_temp.case(p_name), p_action, p_reason) $$;
create function pg_temp.post(p_name text) returns void language sql as $$
  insert into made select p_name, (api.create_post(p_name, p_group_id => pg_temp.id('group')::text) ->> 'id')::uuid $$;
create function pg_temp.pass(p_name text, p_time interval) returns void language sql security definer as $$
  update app.cases set staff_from = staff_from - p_time, opened_at = opened_at - p_time where id = pg_temp.case(p_name) $$;
create function pg_temp.history(p_name text) returns text language sql stable security definer as $$
  select string_agg(concat_ws(' ', u.username, e.kind, e.detail ->> 'action'), ', ' order by e.id)
  from app.case_events e left join app.users u on u.id = e.actor_id where e.case_id = pg_temp.case(p_name) $$;
create function pg_temp.audits(p_id uuid) returns text language sql stable security definer as $$
  select string_agg(concat_ws(' ', u.username, l.action, (d.detail ->> 'spaceId' = pg_temp.id('group')::text)::text), ', ' order by l.id)
  from app.audit_log l join app.users u on u.id = l.actor_id join app.audit_details d on d.audit_id = l.id
  where l.target_id = p_id::text $$;
create function pg_temp.state(p_name text) returns text language sql stable security definer as $$
  select concat_ws(' ', c.status, c.outcome, u.username, (select string_agg(distinct r.status, ' ') from app.case_reports b
    join app.reports r on r.id = b.report_id where b.case_id = c.id))
  from app.cases c left join app.users u on u.id = c.closed_by where c.id = pg_temp.case(p_name) $$;
create function pg_temp.hold(p_name text) returns void language plpgsql security definer as $$
begin
  perform set_config('request.jwt.claims', '', true);
  update app.posts set hidden_at = now() where id = pg_temp.id(p_name);
  insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action, hid)
  values (gen_random_uuid(), 'post', pg_temp.id(p_name), test.id('bob'), 'live', 'hide', true);
  perform private.record_hold('post', pg_temp.id(p_name), test.id('bob'), null, 'spam');
end $$;
create function pg_temp.held(p_name text) returns text language sql stable security definer as $$
  select concat_ws(', ', case when p.hidden_at is not null then 'hidden' end,
    (select string_agg(case when d.space_id is not null then 'space' else 'rule' end, ' ' order by d.audit_id)
     from app.decisions d where d.target_id = p.id and d.lifted_at is null))
  from app.posts p where p.id = pg_temp.id(p_name) $$;
grant execute on all functions in schema pg_temp to public;

-- alice owns the group, and dora moderates it. bob and carla are members, but eve is not
select test.act_as('alice');
insert into made select 'group', (api.create_group('Club') ->> 'id')::uuid;
select test.act_as('bob');
select api.join_group(pg_temp.id('group')::text);
select test.act_as('carla');
select api.join_group(pg_temp.id('group')::text);
select test.act_as('dora');
select api.join_group(pg_temp.id('group')::text);
select test.act_as('alice');
select api.set_group_role(pg_temp.id('group')::text, 'dora', 'moderator');
select pg_temp.post('by owner');
select test.act_as('dora');
select pg_temp.post('by moderator');
select test.act_as('bob');
select pg_temp.post(n) from unnest(array['rude', 'dull', 'late', 'violent', 'seen']) n;
insert into made select 'outside', (api.create_post('outside') ->> 'id')::uuid;
insert into made select 'answer', (api.create_reply(pg_temp.id('dull'), 'answer') ->> 'id')::uuid;
select test.act_as('carla');
select api.report('post', pg_temp.id(n)::text, 'It is ' || n, case n when 'violent' then 'violence' else 'spam' end)
from unnest(array['by owner', 'by moderator', 'rude', 'dull', 'late', 'violent', 'outside', 'seen']) n;
select api.report('reply', pg_temp.id('answer')::text, 'Wrong', 'spam');
select test.act_as('dora');
select api.report('post', pg_temp.id('rude')::text, 'So I think');

-- Who sees them
select test.act_as_service('mona');
select is(pg_temp.queue(), 'by moderator by owner outside violent', 'Staff immediately sees cases about things outside of spaces, of an urgent category, or by those who moderate the space');
select is(pg_temp.queue(true), 'answer dull late rude seen', 'Staff can list the other cases of a space with p_waiting');
select is(api.get_case(pg_temp.case('rude')) ->> 'spaceId', pg_temp.id('group')::text, 'Staff can read a case that still belongs to a space, and the case names the space');
select pg_temp.pass('late', '2 days 23 hours');
select is(pg_temp.queue(), 'by moderator by owner outside violent', 'Staff does not see a case before three days are over');
select pg_temp.pass('late', '1 hour');
select is(pg_temp.queue(), 'by moderator by owner late outside violent', 'Staff sees a case after three days');
select test.act_as('alice');
select is(pg_temp.listed(), 'answer by moderator dull late rude seen violent', 'The owner sees all open cases of the space, except those about their own posts');
select test.act_as('dora');
select is(pg_temp.listed(), 'answer by owner dull late rude seen violent', 'A moderator sees all open cases of the space, except those about their own posts');
select throws_ok($$ select api.list_space_reports('group', pg_temp.id('group')::text, 20, pg_temp.case('by moderator')::text) $$, 'PT400', 'cursor_unknown', 'A case that the caller can''t see is not a valid cursor');
create temp table rude as
  select i::jsonb as it from json_array_elements(api.list_space_reports('group', pg_temp.id('group')::text) -> 'items') i
  where i ->> 'id' = pg_temp.case('rude')::text;
select is((select it - '{id,targetId,author,createdAt,reports}'::text[] from rude),
          '{"targetType": "post", "title": null, "excerpt": "rude", "hidden": false, "category": "spam", "reportCount": 2,
            "withStaff": false, "status": "open", "outcome": null}'::jsonb, 'A case has the text of the thing');
select is((select string_agg(r ->> 'category' || ': ' || (r ->> 'reason'), ', ' order by r ->> 'category')
           from rude, jsonb_array_elements(it -> 'reports') r), 'other: So I think, spam: It is rude', 'A case contains the texts of the reports');
select is(api.list_space_reports('group', pg_temp.id('group')::text)::text ~ ('carla|' || test.id('carla')), false, 'A case never says who reported');
select test.act_as('bob');
select throws_ok($$ select pg_temp.listed() $$, 'PT403', 'space_role', 'A plain member can''t list the cases');
select throws_ok($$ select pg_temp.act('rude', 'dismiss') $$, 'PT403', 'space_role', 'A plain member can''t settle a case');
select test.act_as('eve');
select throws_ok($$ select pg_temp.listed() $$, 'PT403', 'space_not_member', 'A person who is no member can''t list the cases');
select throws_ok($$ select pg_temp.act('rude', 'hide') $$, 'PT403', 'space_not_member', 'A person who is no member can''t hide anything');
select throws_ok($$ select count(*) from app.cases $$, '42501', 'permission denied for table cases', 'People can''t read the table of cases');
select test.act_as('alice');
select api.update_group(pg_temp.id('group')::text, '{"visibility": "private"}');
select test.act_as('eve');
select throws_ok($$ select pg_temp.listed() $$, 'PT404', 'space_unknown', 'A private space is unknown to others');
select test.act_as('alice');
select throws_ok($$ select api.list_space_reports('club', pg_temp.id('group')::text) $$, 'PT422', 'value_invalid', 'A kind of space other than group and guild is refused');
select throws_ok($$ select api.list_space_reports('guild', pg_temp.id('group')::text) $$, 'PT404', 'space_unknown', 'A group is no guild');
select throws_ok($$ select api.list_space_reports('group', pg_temp.id('group')::text, 20, pg_temp.case('outside')::text) $$, 'PT400', 'cursor_unknown', 'A case of another space is not a valid cursor');

-- Actions of the space
select test.act_as('dora');
select throws_ok($$ select pg_temp.act('outside', 'hide') $$, 'PT404', 'case_unknown', 'Those who moderate a space can''t hide things outside of it');
select throws_ok($$ select pg_temp.act('by moderator', 'hide') $$, 'PT404', 'case_unknown', 'Nobody can decide about their own post, or learn that there is a case about it');
select throws_ok($$ select pg_temp.act('rude', 'remove') $$, 'PT422', 'case_action', 'An unknown action is refused');
select throws_ok($$ select pg_temp.act('rude', null) $$, 'PT422', 'case_action', 'A null action is refused');
select throws_ok($$ select pg_temp.act('rude', 'hide', repeat('x', 1001)) $$, 'PT422', 'reason_length', 'A long reason is refused');
select is(pg_temp.act('rude', 'hide', 'Not here')::jsonb - '{id,targetId,author,createdAt,reports}'::text[] @> '{"hidden": true, "status": "closed", "outcome": "acted"}', true, 'Hiding closes the case');
select is(pg_temp.state('rude'), 'closed acted dora reviewed', 'Hiding marks the reports of the case as reviewed');
select is(pg_temp.history('rude'), 'opened, added, dora hide, dora space hide, dora closed', 'The history says that the space decided');
select is(pg_temp.audits(pg_temp.case('rude')), 'dora case.space-hide true', 'The audit entry says that the space decided');
select throws_ok($$ select pg_temp.act('rude', 'hide') $$, 'PT409', 'case_closed', 'A closed case can''t be settled again');
select test.act_as('carla');
select is((select count(*)::int from app.posts where id = pg_temp.id('rude')), 0, 'Other members don''t see the post');
select test.act_as('bob');
select is((select count(*)::int from app.posts where id = pg_temp.id('rude')), 1, 'The author still sees the hidden post');
select is(api.get_standing()::jsonb #>> '{decisions,0,reason}', 'Not here', 'The author reads the reason');
select is(api.get_standing() ->> 'strikes', '0', 'A decision of a space counts no strikes');
select is(api.get_standing()::text ~ ('dora|' || test.id('dora')), false, 'The author doesn''t learn who decided');
select test.act_as_owner();
select test.settle();
select is((select string_agg(u.username || ' ' || (n.payload ->> 'action'), ', ' order by u.username, n.payload ->> 'action')
           from app.notifications n join app.users u on u.id = n.user_id where n.kind = 'moderation.actioned'),
          'bob hidden, carla reviewed, dora reviewed', 'The author and the reporters are notified');
select test.act_as('alice');
select is(pg_temp.act('rude', 'unhide') ->> 'hidden', 'false', 'Another moderator can show the post again, even in a closed case');
select lives_ok($$ select pg_temp.act('rude', 'unhide') $$, 'Showing the post again twice changes nothing');
select is(pg_temp.act('answer', 'hide') ->> 'hidden', 'true', 'A reply can be hidden');
select is(pg_temp.act('dull', 'dismiss') ->> 'outcome', 'dismissed', 'A case can be dismissed');
select is(pg_temp.state('dull'), 'closed dismissed alice dismissed', 'The reports of a dismissed case are dismissed');

-- Cases that are with staff
select throws_ok($$ select pg_temp.act('late', 'dismiss') $$, 'PT409', 'case_with_staff', 'After three days the space can''t dismiss a case');
select is(pg_temp.act('violent', 'hide') ->> 'status', 'open', 'The space can hide something in an urgent case, which then stays with staff');
select is(pg_temp.act('by moderator', 'hide') ->> 'status', 'open', 'The space can hide what a moderator wrote, and the case stays with staff');
select test.act_as('dora');
select api.report('post', pg_temp.id('seen')::text, 'A threat', 'violence');
select test.act_as_service('mona');
select is(pg_temp.queue(), 'by moderator by owner late outside seen violent', 'A later report of an urgent category brings a case to staff');
select api.claim_case(pg_temp.case('seen'));
select test.act_as('alice');
select throws_ok($$ select pg_temp.act('seen', 'hide') $$, 'PT409', 'case_claimed', 'The space can''t act in a case that a member of staff has claimed');
select test.act_as_service('mona');
select api.act_on_case(pg_temp.case('seen'), '{hide}', 'A threat');
select test.act_as('alice');
select throws_ok($$ select pg_temp.act('seen', 'unhide') $$, 'PT409', 'hidden_by_staff', 'The space can''t show again what staff hid');
select test.act_as_service('mona');
select is(api.act_on_case(pg_temp.case('answer'), '{unhide}') ->> 'status', 'closed', 'Staff can undo what a space did');
select is((api.create_case('post', pg_temp.id('dull')::text)) ->> 'spaceId', null, 'A case that staff opens is not for the space');

-- A post that a rule hid too
select test.act_as('bob');
select pg_temp.post('held');
select test.act_as('carla');
select api.report('post', pg_temp.id('held')::text, 'Again', 'spam');
select pg_temp.hold('held');
select test.act_as('alice');
select pg_temp.act('held', 'hide');
select is(pg_temp.held('held'), 'hidden, rule space', 'A space can hide what a rule has hidden, and both decisions stand');
select throws_ok($$ select pg_temp.act('held', 'unhide') $$, 'PT409', 'hidden_by_staff',
  'If a rule hid the post too, the space can''t show it again');
select test.act_as_service('mona');
select api.create_case('post', pg_temp.id('held')::text);
select api.act_on_case(pg_temp.case('held'), '{dismiss}');
select is(pg_temp.held('held'), 'hidden, space', 'If staff dismisses the case, the space''s decision still hides the post');
insert into made select 'case', id from app.cases where target_id = pg_temp.id('held') and space_id is not null;
select test.act_as('alice');
select api.act_on_space_report('group', pg_temp.id('group')::text, pg_temp.id('case'), 'unhide', null);
select is(pg_temp.held('held'), '', 'After that, the space can show the post again');

select * from finish();
rollback;
