-- Groups: who sees which, by whom they are written past the operations, counts, limits, bans, blocks and erasures.
begin;
select plan(65);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns text language sql stable as $$ select id::text from made where name = p_name $$;
create function pg_temp.make(p_name text, p_visibility text default 'public', p_policy text default 'open') returns void language sql as $$
  insert into made select p_name, (api.create_group(p_name, p_visibility => p_visibility, p_join_policy => p_policy) ->> 'id')::uuid $$;
create function pg_temp.found() returns text language sql stable as $$
  select coalesce(string_agg(i ->> 'name', ' ' order by i ->> 'name'), '') from json_array_elements(api.list_groups() -> 'items') i $$;
create function pg_temp.who(p_name text) returns text language sql stable as $$
  select coalesce(string_agg(concat_ws(' ', i #>> '{user,username}', i ->> 'role'), ', '), '')
  from json_array_elements(api.list_group_members(pg_temp.id(p_name)) -> 'items') i $$;
create function pg_temp.is_seen(p_name text) returns text language plpgsql as $$
begin
  return api.get_group(pg_temp.id(p_name)) #>> '{viewer,status}';
exception when sqlstate 'PT404' then
  return 'unknown';
end $$;
create function pg_temp.move(p_name text, p_user text, p_minutes integer) returns void language sql security definer as $$
  update app.space_members set created_at = now() - p_minutes * interval '1 minute' where space_id = pg_temp.id(p_name)::uuid and user_id = test.id(p_user) $$;
grant execute on all functions in schema pg_temp to public;

-- who sees what
select test.act_as('alice');
select pg_temp.make('open'), pg_temp.make('secret', 'private', 'invite'), pg_temp.make('asked', 'public', 'request');
select is(pg_temp.found(), 'asked open secret', 'an owner finds all of them');
select lives_ok($$ select api.invite_to_group(pg_temp.id('secret'), 'bob') $$, 'and invites into a private one');
select test.act_as('bob');
select is(pg_temp.found(), 'asked open', 'a private group is in nobody else''s list, not even of the invited');
select is(pg_temp.is_seen('secret'), 'invited', 'who see it');
select is((select count(*) from app.spaces)::int, 3, 'also past the operations');
select is((select count(*) from app.space_invitations)::int, 1, 'with their invitation');
select is(pg_temp.who('secret'), 'alice owner', 'and who is there');
select is(api.join_group(pg_temp.id('secret')) ->> 'status', 'joined', 'so an invitation lets in under every policy');
select is((select string_agg(status, ' ') from app.space_invitations), 'accepted', 'and is used up by it');
select test.act_as('carla');
select is(pg_temp.is_seen('secret'), 'unknown', 'for others there is no such group');
select is((select count(*) from app.spaces where visibility = 'private')::int, 0, 'anywhere');
select is((select count(*) from app.space_members)::int, 0, 'nor may they read who is in which');
select is((select count(*) from app.space_requests)::int + (select count(*) from app.space_invitations)::int, 0, 'or what is pending');
select throws_ok($$ select * from app.space_bans $$, '42501', null, 'and bans nobody reads');
select throws_ok(s, '42501', null, 'nobody writes past the operations: ' || s)
from unnest(array['insert into app.spaces (kind, slug, name) values (''group'', ''mine'', ''x'')', 'update app.spaces set visibility = ''public''',
  'insert into app.space_members (space_id, user_id, made_at) select id, app.uid(), now() from app.spaces', 'delete from app.space_members',
  'update app.space_requests set status = ''approved''', 'insert into app.space_invitations (space_id, inviter_id, invitee_id) select id, app.uid(), app.uid() from app.spaces']) s;
select test.act_as_anon();
select throws_ok($$ select api.get_group('open') $$, '42501', null, 'and without a token there is nothing');

-- counts and blocks
select test.act_as('carla');
select api.join_group(pg_temp.id('open'));
select test.act_as('dora');
select api.join_group(pg_temp.id('open'));
select pg_temp.move('open', 'carla', 2);
select is(pg_temp.who('open'), 'alice owner, carla member, dora member', 'members stand by role, then by time');
select lives_ok($$ select api.block_person('carla') $$, 'a block within a group');
select is(pg_temp.who('open'), 'alice owner, dora member', 'hides the other there');
select is(api.get_group('open') ->> 'memberCount', '2', 'from the count as well');
select test.act_as_owner();
select is((select member_count from app.spaces where slug = 'open'), 3, 'though the places are taken');
update app.users set banned_at = now() where id = test.id('carla');
select test.act_as('bob');
select is(pg_temp.who('open') || ' ' || (api.get_group('open') ->> 'memberCount'), 'alice owner, dora member 2', 'nor is anybody shown who is banned from the instance');
select test.act_as_owner();
update app.users set banned_at = null where id = test.id('carla');
select test.act_as('bob');
select is(api.get_group('open') ->> 'memberCount', '3', 'until that ends');

-- who was hidden from a moderator cannot be decided about
select test.act_as('eve');
select api.join_group(pg_temp.id('asked'), 'Please');
select is(pg_temp.is_seen('asked'), 'pending', 'who asked waits');
select api.block_person('alice');
select test.act_as('alice');
select is(json_array_length(api.list_group_requests('asked') -> 'items'), 0, 'across a block nobody has asked');
select throws_ok($$ select api.approve_group_request('asked', (select id from app.space_requests limit 1)) $$, 'PT404', 'request_unknown', 'or is let in');
select test.act_as('eve');
select api.unblock_person('alice');
select is(api.withdraw_group_request('asked', (select id from app.space_requests)) ->> 'status', 'withdrawn', 'a request is taken back');
select throws_ok($$ select api.withdraw_group_request('asked', (select id from app.space_requests)) $$, 'PT409', 'request_settled', 'once');
select test.act_as('alice');
select lives_ok($$ select api.update_group('asked', '{"visibility": "private"}') $$, 'a group goes private');
select test.act_as('eve');
select is(pg_temp.is_seen('asked'), 'unknown', 'and is nobody''s who is not in it');
select throws_ok($$ select api.join_group('asked') $$, 'PT404', 'space_unknown', 'also to join');

-- an invitation ends with the right that made it, and is none before that is written down
select test.act_as('alice');
select pg_temp.make('invited', 'private');
select api.invite_to_group('invited', 'dora');
select test.act_as('dora');
select api.join_group('invited');
select api.invite_to_group('invited', 'eve');
select test.act_as('eve');
select is(pg_temp.is_seen('invited'), 'invited', 'a member of an open group invites');
select test.act_as_owner();
alter table app.spaces disable trigger user;
update app.spaces set join_policy = 'request' where slug = 'invited';
select test.act_as('eve');
select is(pg_temp.is_seen('invited'), 'unknown', 'which lets nobody in when it is open no more');
select is(json_array_length(api.list_my_group_invitations() -> 'items'), 0, 'nor is it listed');
select throws_ok($$ select api.accept_group_invitation((select id from app.space_invitations where invitee_id = app.uid() and status = 'pending')) $$, 'PT409', 'invitation_settled', 'or accepted');
select test.act_as('alice');
select is(json_array_length(api.list_group_invitations('invited') -> 'items'), 0, 'who moderates sees none either');
select test.act_as_owner();
update app.spaces set join_policy = 'open' where slug = 'invited';
alter table app.spaces enable trigger user;
update app.spaces set join_policy = 'invite' where slug = 'invited';
select is((select status from app.space_invitations where invitee_id = test.id('eve') and inviter_id = test.id('dora')), 'revoked', 'it is written down');
update app.spaces set join_policy = 'open' where slug = 'invited';
select test.act_as('eve');
select is(pg_temp.is_seen('invited'), 'unknown', 'and does not come back');

-- limits
select test.act_as_owner();
update app.spaces set member_count = 5000 where slug = 'open';
select test.act_as('eve');
select throws_ok($$ select api.join_group('open') $$, 'PT409', 'space_full', 'a group has 5000 places');
select test.act_as_owner();
update app.spaces set member_count = 3 where slug = 'open';
with s as (insert into app.spaces (kind, slug, name, member_count) select 'group', 'more-' || n, 'x', 1 from generate_series(1, 1000) n returning id, slug)
insert into app.space_members (space_id, user_id, role, made_at)
select id, test.id('eve'), case when split_part(slug, '-', 2)::int <= 20 then 'owner' else 'member' end, now() from s;
select test.act_as('eve');
select throws_ok($$ select api.join_group('open') $$, 'PT409', 'memberships_exhausted', 'one person is in 1000');
select throws_ok($$ select api.create_group('One more') $$, 'PT409', 'spaces_exhausted', 'and owns 20');
select lives_ok($$ select api.archive_group('more-1') $$, 'of which archived ones do not count');
select test.act_as_owner();
delete from app.spaces where slug like 'more-99%';
select test.act_as('eve');
select lives_ok($$ select api.create_group('One more') $$, 'so there is room for another');
select throws_ok($$ select api.restore_group('more-1') $$, 'PT409', 'spaces_exhausted', 'and then not for the archived one');
select throws_ok($$ select api.leave_group('more-1'), api.restore_group('more-1') $$, 'PT403', 'space_not_member', 'which nobody opens when its owner has left');
select test.act_as('alice');
select lives_ok($$ select api.invite_to_group('open', 'eve') $$, 'who owns enough');
select test.act_as('eve');
select api.join_group('open');
select test.act_as('alice');
select throws_ok($$ select api.set_group_role('open', 'eve', 'owner') $$, 'PT409', 'spaces_exhausted', 'is handed nothing more');
select throws_ok($$ select api.set_group_role('open', 'bob', 'moderator') $$, 'PT404', 'space_member_unknown', 'and who is no member gets no role');

-- erasure: the longest-standing moderator, else member, else nobody
select pg_temp.move('open', 'dora', 5);
select lives_ok($$ select api.set_group_role('open', 'eve', 'moderator') $$, 'a moderator who came later');
select test.act_as_owner();
select private.erase_person(test.id('alice'));
select is((select string_agg(u.username || ' ' || m.role, ', ' order by m.placed_at) from app.space_members m join app.users u on u.id = m.user_id
           where m.space_id = pg_temp.id('open')::uuid), 'eve owner, dora member, carla member', 'goes before a member who was there earlier');
select is((select string_agg(u.username || ' ' || m.role, ', ') from app.space_members m join app.users u on u.id = m.user_id
           where m.space_id = pg_temp.id('secret')::uuid), 'bob owner', 'without one a member has it');
select is((select concat(archived_at is not null, ' ', member_count) from app.spaces where id = pg_temp.id('asked')::uuid), 't 0', 'and what nobody else is in is archived');
select private.erase_person(test.id('eve'));
select private.erase_more(jsonb_build_object('userId', test.id('eve')));
select private.erase_more(jsonb_build_object('userId', test.id('eve')));
select is((select count(*) from app.space_members where user_id = test.id('eve'))::int, 0, 'of many spaces the rest comes in batches');
select is((select count(*) from app.space_requests where user_id = test.id('eve'))::int, 0, 'with what was asked for');
select is((select count(*) from app.spaces s where s.archived_at is null
           and not exists (select from app.space_members m where m.space_id = s.id and m.role = 'owner') and s.slug not like 'more-%')::int, 0, 'no open group is without an owner');
select test.settle();
select is((select string_agg(distinct payload ->> 'event', ' ') from app.notifications where user_id = test.id('bob') and kind = 'membership.decided'), 'role_changed',
  'and who inherits is told');
-- an invitation by somebody who is banned from the instance then
select test.people('fay', 'gus', 'hal');
select test.act_as('fay');
select pg_temp.make('hosted');
select test.act_as('gus');
select api.join_group(pg_temp.id('hosted'));
select api.invite_to_group(pg_temp.id('hosted'), 'hal');
select test.act_as('fay');
select throws_ok($$ select api.invite_to_group(pg_temp.id('hosted'), 'hal') $$, 'PT409', 'space_invitation_pending', 'one is invited once');
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('gus');
select test.act_as('fay');
select is((select count(*) from json_array_elements(api.list_group_invitations(pg_temp.id('hosted')) -> 'items'))::int, 0, 'an invitation by the banned is hidden');
select lives_ok($$ select api.invite_to_group(pg_temp.id('hosted'), 'hal') $$, 'and stands in nobody''s way');
select test.act_as('hal');
select is((select string_agg(i #>> '{inviter,username}', ' ') from json_array_elements(api.list_my_group_invitations() -> 'items') i), 'fay', 'the other one is there');
select * from finish();
rollback;
