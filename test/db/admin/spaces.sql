-- What staff can see and decide about groups and guilds, who may do it, and what is refused.
begin;
select plan(29);
select test.people('alice', 'bob', 'carla', 'mona', 'adam');
update app.users set role = 'admin' where username = 'adam';
update app.users set role = 'moderator' where username = 'mona';

create function pg_temp.rid() returns uuid language sql stable security definer as $$
  select r.id from app.space_requests r where r.user_id = test.id('carla') order by r.created_at desc, r.id limit 1 $$;
create function pg_temp.role(p_user text) returns text language sql stable security definer as $$
  select m.role from app.space_members m join app.spaces s on s.id = m.space_id where s.slug = 'secret' and m.user_id = test.id(p_user) $$;
create function pg_temp.entries() returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', u.username, l.action, d.detail ->> 'reason'), ', ' order by l.id), '')
  from app.audit_log l join app.audit_details d on d.audit_id = l.id join app.users u on u.id = l.actor_id $$;
create function pg_temp.told(p_user text) returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(concat_ws(' ', n.kind, coalesce(n.payload ->> 'action', n.payload ->> 'event')), ', '
                             order by n.kind, coalesce(n.payload ->> 'action', n.payload ->> 'event')), '')
  from app.notifications n where n.user_id = test.id(p_user) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select api.create_group('Secret', 'secret', p_join_policy => 'request');
select api.join_group('secret', 'Please') from test.act_as('carla');
select api.join_group('secret') from test.act_as('bob');
select api.update_group('secret', '{"visibility": "private"}') from test.act_as('alice');

-- People who are not staff
select test.act_as('alice');
select throws_ok($$ select api.list_all_spaces('group') $$, '42501', null, 'People can''t call the operations of staff');
select throws_ok($$ select private.expel_from_space('group', 'secret', 'bob') $$, '42501', null, 'People can''t call the private functions behind them');
select test.act_as_service('alice');
select throws_ok(format('select %s', c), 'PT403', 'role_required', 'a person who isn''t staff can''t do this with the service role: ' || c)
from unnest(array['api.list_all_spaces(''group'')', 'api.get_any_space(''group'', ''secret'')', 'api.set_any_space_archived(''group'', ''secret'', true)',
                  'api.expel_from_space(''group'', ''secret'', ''bob'')', 'api.set_any_space_role(''group'', ''secret'', ''bob'', ''moderator'')',
                  'api.settle_any_space_request(''group'', ''secret'', pg_temp.rid(), true)', 'api.set_any_space_archived(''guild'', ''secret'', false)']) c;

-- A moderator, who may only read
select test.act_as_service('mona');
select is(api.list_all_spaces('group') #>> '{items,0,slug}', 'secret', 'A moderator sees private groups');
select is(json_array_length(api.get_any_space('group', 'secret') -> 'requests'), 2, 'A moderator sees the requests to join');
select is(api.get_any_space('group', 'secret') #>> '{members,items,0,userId}', test.id('alice')::text, 'Members are named by UUID');
select throws_ok($$ select api.get_any_space('guild', 'secret') $$, 'PT404', 'space_unknown', 'A group can''t be read as a guild');
select throws_ok(format('select %s', c), 'PT403', 'role_required', 'but does nothing: ' || c)
from unnest(array['api.set_any_space_archived(''group'', ''secret'', true)', 'api.expel_from_space(''group'', ''secret'', ''bob'')',
                  'api.settle_any_space_request(''group'', ''secret'', pg_temp.rid(), false)']) c;

-- An admin
select test.act_as_service('adam');
select is(api.settle_any_space_request('group', 'secret', pg_temp.rid(), true) ->> 'status', 'approved', 'An admin can approve a request to join');
select throws_ok($$ select api.settle_any_space_request('group', 'secret', pg_temp.rid(), true) $$, 'PT409', 'request_settled', 'A request can be approved only once');
select is(pg_temp.told('carla'), 'membership.decided approved, moderation.actioned approved', 'The new member is notified of the decision and that staff made it');
select throws_ok($$ select api.set_any_space_role('group', 'secret', 'carla', 'king') $$, 'PT422', 'value_invalid', 'An unknown role is refused');
select throws_ok($$ select api.expel_from_space('group', 'secret', 'alice') $$, 'PT409', 'last_owner', 'The last owner can''t be expelled');
select throws_ok($$ select api.set_any_space_role('group', 'secret', 'alice', 'member') $$, 'PT409', 'last_owner', 'The last owner''s role can''t be lowered');
select lives_ok($$ select api.set_any_space_role('group', 'secret', 'carla', 'owner') $$, 'An admin can make somebody else the owner');
select is(pg_temp.role('alice') || ' ' || pg_temp.role('carla'), 'moderator owner', 'The former owner becomes a moderator');
select lives_ok($$ select api.expel_from_space('group', 'secret', 'alice') $$, 'A former owner can be expelled');
select lives_ok($$ select api.set_any_space_archived('group', 'secret', true, 'Spam') $$, 'An admin can archive a group');
select throws_ok($$ select api.settle_any_space_request('group', 'secret', (select r.id from app.space_requests r where r.user_id = test.id('bob')), true) $$,
  'PT409', 'space_archived', 'An archived group takes no new members');
select lives_ok($$ select api.set_any_space_archived('group', 'secret', true) $$, 'Archiving a group again is not an error');
select is(pg_temp.entries(), 'adam group.approved, adam group.role_changed, adam group.expelled, adam group.archived Spam', 'Each action leaves one audit entry, and the repeat leaves none');

select * from finish();
rollback;
