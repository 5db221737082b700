-- Groups: who sees which, that nobody writes to them without the operations, counts, limits, bans, blocks, erasures.
begin;
select plan(66);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns text language sql stable as $$ select id::text from made where name = p_name $$;
create function pg_temp.make(p_name text, p_visibility text default 'public', p_policy text default 'open') returns void language sql as $$
  insert into made select p_name, (api.create_group(p_name, p_visibility => p_visibility, p_join_policy => p_policy) ->> 'id')::uuid $$;
create function pg_temp.found() returns text language sql stable as $$
  select coalesce(string_agg(i ->> 'name', ' ' order by i ->> 'name'), '') from json_array_elements(api.list_spaces('group') -> 'items') i $$;
create function pg_temp.who(p_name text) returns text language sql stable as $$
  select coalesce(string_agg(concat_ws(' ', i #>> '{user,username}', i ->> 'role'), ', '), '')
  from json_array_elements(api.list_space_members('group', pg_temp.id(p_name)) -> 'items') i $$;
create function pg_temp.is_seen(p_name text) returns text language plpgsql as $$
begin
  return api.get_space('group', pg_temp.id(p_name)) #>> '{viewer,status}';
exception when sqlstate 'PT404' then
  return 'unknown';
end $$;
create function pg_temp.move(p_name text, p_user text, p_minutes integer) returns void language sql security definer as $$
  update app.space_members set created_at = now() - p_minutes * interval '1 minute' where space_id = pg_temp.id(p_name)::uuid and user_id = test.id(p_user) $$;
grant execute on all functions in schema pg_temp to public;

-- Visibility
select test.act_as('alice');
select pg_temp.make('open'), pg_temp.make('secret', 'private', 'invite'), pg_temp.make('asked', 'public', 'request');
select is(pg_temp.found(), 'asked open secret', 'Owners find all their groups');
select lives_ok($$ select api.invite_to_group(pg_temp.id('secret'), 'bob') $$, 'An owner can invite to a private group');
select test.act_as('bob');
select is(pg_temp.found(), 'asked open', 'A private group isn''t listed for others, not even for invited people');
select is(pg_temp.is_seen('secret'), 'invited', 'An invited person sees the private group');
select is((select count(*) from app.spaces)::int, 3, 'An invited person sees the private group''s row in the table');
select is((select count(*) from app.space_invitations)::int, 1, 'An invited person sees their invitation in the table');
select is(pg_temp.who('secret'), 'alice owner', 'An invited person sees the members');
select is(api.join_group(pg_temp.id('secret')) ->> 'status', 'joined', 'An invitation allows joining under every join policy');
select is((select string_agg(status, ' ') from app.space_invitations), 'accepted', 'Joining accepts the invitation');
select test.act_as('carla');
select is(pg_temp.is_seen('secret'), 'unknown', 'A private group is unknown to others');
select is((select count(*) from app.spaces where visibility = 'private')::int, 0,
  'Others don''t see the private group''s row in the table');
select is((select count(*) from app.space_members)::int, 0,
  'Others don''t see the private group''s members in the table');
select is((select count(*) from app.space_requests)::int + (select count(*) from app.space_invitations)::int, 0,
  'Others don''t see the private group''s requests and invitations');
select throws_ok($$ select * from app.space_bans $$, '42501', null, 'Nobody can read the table of bans');
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['insert into app.spaces (kind, slug, name) values (''group'', ''mine'', ''x'')', 'update app.spaces set visibility = ''public''',
  'insert into app.space_members (space_id, user_id, made_at) select id, app.uid(), now() from app.spaces', 'delete from app.space_members',
  'update app.space_requests set status = ''approved''', 'insert into app.space_invitations (space_id, inviter_id, invitee_id) select id, app.uid(), app.uid() from app.spaces']) s;
select throws_ok($$ select api.list_spaces('club') $$, 'PT422', 'value_invalid', 'An unknown kind of space is refused');
select test.act_as_anon();
select throws_ok($$ select api.get_space('group', 'open') $$, '42501', null, 'Groups need a signed-in caller');

-- Counts and blocks
select test.act_as('carla');
select api.join_group(pg_temp.id('open'));
select test.act_as('dora');
select api.join_group(pg_temp.id('open'));
select pg_temp.move('open', 'carla', 2);
select is(pg_temp.who('open'), 'alice owner, carla member, dora member', 'Members are ordered by role, then by time');
select lives_ok($$ select api.block_person('carla') $$, 'A member can block another member');
select is(pg_temp.who('open'), 'alice owner, dora member', 'A blocked member is hidden from the list');
select is(api.get_space('group', 'open') ->> 'memberCount', '2', 'A blocked member is not counted');
select test.act_as_owner();
select is((select member_count from app.spaces where slug = 'open'), 3, 'The blocked member still counts towards the stored number of members');
update app.users set banned_at = now() where id = test.id('carla');
select test.act_as('bob');
select is(pg_temp.who('open') || ' ' || (api.get_space('group', 'open') ->> 'memberCount'), 'alice owner, dora member 2', 'A banned person is neither listed nor counted');
select test.act_as_owner();
update app.users set banned_at = null where id = test.id('carla');
select test.act_as('bob');
select is(api.get_space('group', 'open') ->> 'memberCount', '3', 'After the ban the person is counted again');

-- A moderator can't decide about a person who blocked them
select test.act_as('eve');
select api.join_group(pg_temp.id('asked'), 'Please');
select is(pg_temp.is_seen('asked'), 'pending', 'A person who asked to join is pending');
select api.block_person('alice');
select test.act_as('alice');
select is(json_array_length(api.list_space_requests('group', 'asked') -> 'items'), 0, 'A request of a person who blocked the moderator isn''t listed');
select throws_ok($$ select api.settle_space_request('group', 'asked', (select id from app.space_requests limit 1), true) $$, 'PT404', 'request_unknown', 'A request of a person who blocked the moderator can''t be approved');
select test.act_as('eve');
select api.unblock_person('alice');
select is(api.withdraw_space_request('group', 'asked', (select id from app.space_requests)) ->> 'status', 'withdrawn', 'A person can withdraw their request');
select throws_ok($$ select api.withdraw_space_request('group', 'asked', (select id from app.space_requests)) $$, 'PT409', 'request_settled', 'A request can be withdrawn only once');
select test.act_as('alice');
select lives_ok($$ select api.update_group('asked', '{"visibility": "private"}') $$, 'An owner can make the group private');
select test.act_as('eve');
select is(pg_temp.is_seen('asked'), 'unknown', 'A group that became private is unknown to others');
select throws_ok($$ select api.join_group('asked') $$, 'PT404', 'space_unknown', 'A group that became private can''t be joined');

-- An invitation has no effect once the inviter may not invite any more, even before its row is revoked
select test.act_as('alice');
select pg_temp.make('invited', 'private');
select api.invite_to_group('invited', 'dora');
select test.act_as('dora');
select api.join_group('invited');
select api.invite_to_group('invited', 'eve');
select test.act_as('eve');
select is(pg_temp.is_seen('invited'), 'invited', 'A member of an open group can invite');
select test.act_as_owner();
set constraints all immediate;
alter table app.spaces disable trigger user;
update app.spaces set join_policy = 'request' where slug = 'invited';
select test.act_as('eve');
select is(pg_temp.is_seen('invited'), 'unknown', 'When the group is no longer open, the invitation has no effect');
select is(json_array_length(api.list_my_group_invitations() -> 'items'), 0, 'The invitation is not listed for the invited person');
select throws_ok($$ select api.accept_group_invitation((select id from app.space_invitations where invitee_id = app.uid() and status = 'pending')) $$, 'PT409', 'invitation_settled', 'The invitation can''t be accepted');
select test.act_as('alice');
select is(json_array_length(api.list_group_invitations('invited') -> 'items'), 0, 'The invitation is not listed for moderators');
select test.act_as_owner();
update app.spaces set join_policy = 'open' where slug = 'invited';
alter table app.spaces enable trigger user;
update app.spaces set join_policy = 'invite' where slug = 'invited';
select is((select status from app.space_invitations where invitee_id = test.id('eve') and inviter_id = test.id('dora')), 'revoked', 'A change of the join policy revokes the invitation');
update app.spaces set join_policy = 'open' where slug = 'invited';
select test.act_as('eve');
select is(pg_temp.is_seen('invited'), 'unknown', 'A revoked invitation isn''t restored when the group opens again');

-- Limits
select test.act_as_owner();
update app.spaces set member_count = 5000 where slug = 'open';
select test.act_as('eve');
select throws_ok($$ select api.join_group('open') $$, 'PT409', 'space_full', 'A group has at most 5000 members');
select test.act_as_owner();
update app.spaces set member_count = 3 where slug = 'open';
with s as (insert into app.spaces (kind, slug, name, member_count) select 'group', 'more-' || n, 'x', 1 from generate_series(1, 1000) n returning id, slug)
insert into app.space_members (space_id, user_id, role, made_at)
select id, test.id('eve'), case when split_part(slug, '-', 2)::int <= 20 then 'owner' else 'member' end, now() from s;
select test.act_as('eve');
select throws_ok($$ select api.join_group('open') $$, 'PT409', 'memberships_exhausted', 'A person can be in at most 1000 groups');
select throws_ok($$ select api.create_group('One more') $$, 'PT409', 'spaces_exhausted', 'A person can own at most 20 groups');
select lives_ok($$ select api.archive_group('more-1') $$, 'An owner can archive a group');
select test.act_as_owner();
delete from app.spaces where slug like 'more-99%';
select test.act_as('eve');
select lives_ok($$ select api.create_group('One more') $$, 'Archived groups don''t count towards the limit');
select throws_ok($$ select api.restore_group('more-1') $$, 'PT409', 'spaces_exhausted', 'An archived group can''t be restored above the limit');
select throws_ok($$ select api.leave_space('group', 'more-1'), api.restore_group('more-1') $$, 'PT403', 'space_not_member', 'A former owner can''t restore an archived group');
select test.act_as('alice');
select lives_ok($$ select api.invite_to_group('open', 'eve') $$, 'A person at the limit of owned groups can be invited');
select test.act_as('eve');
select api.join_group('open');
select test.act_as('alice');
select throws_ok($$ select api.set_group_role('open', 'eve', 'owner') $$, 'PT409', 'spaces_exhausted', 'A person at the limit can''t be made an owner');
select throws_ok($$ select api.set_group_role('open', 'bob', 'moderator') $$, 'PT404', 'space_member_unknown', 'A non-member can''t get a role');

-- Erasure of the owner: the longest-standing moderator or else a member inherits. Without members the group is
-- archived
select pg_temp.move('open', 'dora', 5);
select lives_ok($$ select api.set_group_role('open', 'eve', 'moderator') $$, 'An owner can make a member a moderator');
select test.act_as_owner();
select private.erase_person(test.id('alice'));
select is((select string_agg(u.username || ' ' || m.role, ', ' order by m.placed_at) from app.space_members m join app.users u on u.id = m.user_id
           where m.space_id = pg_temp.id('open')::uuid), 'eve owner, dora member, carla member', 'A moderator inherits before a member who joined earlier');
select is((select string_agg(u.username || ' ' || m.role, ', ') from app.space_members m join app.users u on u.id = m.user_id
           where m.space_id = pg_temp.id('secret')::uuid), 'bob owner', 'Without a moderator a member inherits');
select is((select concat(archived_at is not null, ' ', member_count) from app.spaces where id = pg_temp.id('asked')::uuid), 't 0', 'A group without other members is archived');
select private.erase_person(test.id('eve'));
select private.erase_more(jsonb_build_object('userId', test.id('eve')));
select private.erase_more(jsonb_build_object('userId', test.id('eve')));
select is((select count(*) from app.space_members where user_id = test.id('eve'))::int, 0, 'Memberships beyond the first batch are deleted by the worker');
select is((select count(*) from app.space_requests where user_id = test.id('eve'))::int, 0, 'An erasure deletes the requests');
select is((select count(*) from app.spaces s where s.archived_at is null
           and not exists (select from app.space_members m where m.space_id = s.id and m.role = 'owner') and s.slug not like 'more-%')::int, 0, 'Every open group has an owner');
select test.settle();
select is((select string_agg(distinct payload ->> 'event', ' ') from app.notifications where user_id = test.id('bob') and kind = 'membership.decided'), 'role_changed',
  'The new owner is notified');
-- An invitation by a person who is banned afterwards
select test.people('fay', 'gus', 'hal');
select test.act_as('fay');
select pg_temp.make('hosted');
select test.act_as('gus');
select api.join_group(pg_temp.id('hosted'));
select api.invite_to_group(pg_temp.id('hosted'), 'hal');
select test.act_as('fay');
select throws_ok($$ select api.invite_to_group(pg_temp.id('hosted'), 'hal') $$, 'PT409', 'space_invitation_pending', 'A person can''t be invited twice');
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('gus');
select test.act_as('fay');
select is((select count(*) from json_array_elements(api.list_group_invitations(pg_temp.id('hosted')) -> 'items'))::int, 0, 'An invitation by a banned person is hidden');
select lives_ok($$ select api.invite_to_group(pg_temp.id('hosted'), 'hal') $$, 'The hidden invitation doesn''t prevent another one');
select test.act_as('hal');
select is((select string_agg(i #>> '{inviter,username}', ' ') from json_array_elements(api.list_my_group_invitations() -> 'items') i), 'fay', 'The invited person sees the other invitation');
select * from finish();
rollback;
