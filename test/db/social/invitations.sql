-- Invitations: every row of the state table, by the right person and by every wrong one, and what each step leaves.
begin;
select plan(93);
select test.people('alice', 'bob', 'carla', 'dave', 'erin');
select test.people(variadic array(select 'crowd' || n from generate_series(1, 10) n));

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.invite(p_name text, p_invitee text, p_bond text default 'acquaintance') returns void language sql
  as $$ insert into made select p_name, (api.invite_to_circle(pg_temp.id('circle'), p_invitee, p_bond) ->> 'id')::uuid $$;
create function pg_temp.state(p_name text) returns text language sql stable security definer
  as $$ select status from app.circle_invitations where id = pg_temp.id(p_name) $$;
create function pg_temp.level(p_viewer text) returns smallint language sql stable security definer
  as $$ select level from app.audience where viewer_id = test.id(p_viewer) and author_id = test.id('alice') $$;
create function pg_temp.faults() returns integer language sql stable security definer as $$
  select count(*)::int from (
    (table app.audience except select viewer_id, author_id, level from private.audience_rebuilt)
    union all (select viewer_id, author_id, level from private.audience_rebuilt except table app.audience)) f $$;
-- the last events of the feature, in order
create function pg_temp.events(p_count integer) returns text language sql stable security definer as $$
  select string_agg(e.said, '; ' order by e.id)
  from (select id, name || ' ' || payload as said from app.domain_events where name like 'social.%' order by id desc limit p_count) e $$;
create function pg_temp.happened() returns integer language sql stable security definer
  as $$ select count(*)::int from app.domain_events where name like 'social.%' $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: (none) → pending
select test.act_as('alice');
insert into made select 'circle', (api.create_circle('Friends') ->> 'id')::uuid;
select pg_temp.invite('accepted', 'bob', 'inner-circle');
select is(pg_temp.state('accepted'), 'pending', 'an invitation begins pending');
select is(pg_temp.events(1), text 'social.invitation.sent ' || jsonb_build_object('invitationId', pg_temp.id('accepted'),
  'circleId', pg_temp.id('circle'), 'inviterId', test.id('alice'), 'inviteeId', test.id('bob')), 'sending is an event');
select is(pg_temp.level('bob'), null, 'who is invited is not yet in');
select is((select string_agg(k, ' ' order by k) from json_object_keys(api.list_circle_invitations(pg_temp.id('circle')) #> '{items,0}') k),
  'bondLevel circleId circleName createdAt id invitee inviteeId inviter inviterId status', 'an invitation has its fields and no more');
select is(api.list_circle_invitations(pg_temp.id('circle')) #>> '{items,0,bondLevel}', 'inner-circle', 'it carries the bond');
select is(api.list_circle_invitations(pg_temp.id('circle')) #>> '{items,0,inviteeId}', 'acct:bob@localhost', 'and names people by actor ids');
select throws_ok($$ select pg_temp.invite('again', 'bob') $$, 'PT409', 'invitation_pending', 'a second one while the first is pending is refused');
select throws_ok($$ select pg_temp.invite('self', 'alice') $$, 'PT400', 'invite_oneself', 'nobody invites themselves');
select throws_ok($$ select pg_temp.invite('zoe', 'zoe') $$, 'PT404', 'person_unknown', 'or somebody unknown');
select throws_ok($$ select pg_temp.invite('best', 'carla', 'best') $$, 'PT422', 'value_invalid', 'or with an unknown bond');
select pg_temp.invite('declined', 'carla');
select pg_temp.invite('revoked', 'dave');
select pg_temp.invite('pending', 'erin');

-- pending, by the wrong people
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'pending', more), 'PT403', 'invitation_not_yours',
  'the inviter does not answer: ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select throws_ok($$ select private.settle_invitation(pg_temp.id('pending'), 'accepted') $$, 'PT404', 'invitation_unknown',
  'not by the helper either');
select test.act_as('bob');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'pending', more), 'PT404', 'invitation_unknown',
  'another invitee does not answer: ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select throws_ok(format('select private.settle_invitation(pg_temp.id(%L), %L)', 'pending', s), 'PT404', 'invitation_unknown',
  'a third person does not settle: ' || s) from unnest(array['accepted', 'declined', 'revoked']) s;
select throws_ok($$ select api.revoke_invitation(pg_temp.id('circle'), pg_temp.id('pending')) $$, 'PT404', 'circle_unknown',
  'a third person does not revoke');
select test.act_as('erin');
select throws_ok($$ select api.revoke_invitation(pg_temp.id('circle'), pg_temp.id('pending')) $$, 'PT404', 'circle_unknown',
  'nor does the invitee');
select throws_ok($$ select private.settle_invitation(pg_temp.id('pending'), 'revoked') $$, 'PT404', 'invitation_unknown',
  'not by the helper either');
select is(pg_temp.state('pending'), 'pending', 'after all of that it is pending still');

-- pending → accepted, declined, revoked
select test.act_as('bob');
select is(api.list_my_invitations() #>> '{items,0,circleName}', 'Friends', 'the invitee is told into what');
select is((select count(*) from app.circles)::int, 0, 'without seeing the circle');
select is(api.accept_invitation(pg_temp.id('accepted')) ->> 'status', 'accepted', 'the invitee accepts');
select is(pg_temp.events(2),
  text 'social.member.added ' || jsonb_build_object('circleId', pg_temp.id('circle'), 'memberId', test.id('bob')) || text '; '
  || text 'social.invitation.accepted ' || jsonb_build_object('invitationId', pg_temp.id('accepted'),
     'circleId', pg_temp.id('circle'), 'memberId', test.id('bob')), 'a member came, and the invitation was accepted');
select is((select bond_level from app.circle_members where member_id = test.id('bob')), 'inner-circle', 'with the bond of the invitation');
select is(pg_temp.level('bob'), 2::smallint, 'so is the audience');
select is(pg_temp.faults(), 0, 'as it would be rebuilt');
select is((select count(*) from app.circles)::int, 1, 'and the circle is seen');
select is(json_array_length(api.list_my_invitations() -> 'items'), 0, 'what is settled is not listed');

select test.act_as('carla');
select is(api.decline_invitation(pg_temp.id('declined')) ->> 'status', 'declined', 'the invitee declines');
select is(pg_temp.level('carla'), null, 'and stays a stranger');
select is((select count(*) from app.circle_members)::int, 0, 'without a membership');

select test.act_as('alice');
select is(api.revoke_invitation(pg_temp.id('circle'), pg_temp.id('revoked'))::text, null, 'the inviter revokes');
select is(pg_temp.state('revoked'), 'revoked', 'so it is revoked');
select is(pg_temp.happened(), 7, 'declining is no event, and revoking is one');
select is(json_array_length(api.list_circle_invitations(pg_temp.id('circle')) -> 'items'), 1, 'the circle lists what is pending');
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');

-- accepted, declined, revoked → nothing
select test.act_as('bob');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'accepted', more), 'PT409', 'invitation_settled', 'accepted, then ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select test.act_as('carla');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'declined', more), 'PT409', 'invitation_settled', 'declined, then ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select test.act_as('dave');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'revoked', more), 'PT409', 'invitation_settled', 'revoked, then ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select test.act_as('alice');
select throws_ok(format('select api.revoke_invitation(pg_temp.id(%L), pg_temp.id(%L))', 'circle', n), 'PT409', 'invitation_settled',
  n || ', then revoked') from unnest(array['accepted', 'declined', 'revoked']) n;
select is(pg_temp.state(n), n, n || ' it stays') from unnest(array['accepted', 'declined', 'revoked']) n;
select is(pg_temp.happened(), 7, 'and nothing happened');
select is((select count(*) from app.circle_members)::int, 1, 'nobody joined');

-- by hand
select throws_ok($$ update app.circle_invitations set status = 'accepted' $$, '42501', null, 'the inviter accepts nothing by hand');
select throws_ok($$ delete from app.circle_invitations $$, '42501', null, 'and deletes none');
select test.act_as('erin');
select throws_ok($$ update app.circle_invitations set status = 'accepted' $$, '42501', null, 'nor does the invitee');
select throws_ok($$ update app.circle_invitations set bond_level = 'inner-circle' $$, '42501', null, 'or make it closer');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('alice'), test.id('erin')) $$, pg_temp.id('circle')), '42501', null, 'nobody invites in another''s name');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('erin'), test.id('dave')) $$, pg_temp.id('circle')), '42501', null, 'or into another''s circle');
select is((select count(*) from app.circle_invitations)::int, 1, 'and sees only what concerns them');
select test.act_as('bob');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('bob'), test.id('dave')) $$, pg_temp.id('circle')), '42501', null, 'a member invites nobody');

-- again, and what stands in the way of accepting
select test.act_as('alice');
select throws_ok($$ select pg_temp.invite('member', 'bob') $$, 'PT409', 'member_already', 'a member is not invited');
select lives_ok($$ select pg_temp.invite('declined again', 'carla') $$, 'who declined may be invited again');
select lives_ok($$ select pg_temp.invite('revoked again', 'dave') $$, 'as may who was revoked');
select api.add_circle_member(pg_temp.id('circle'), 'carla');
select test.act_as('carla');
select throws_ok($$ select api.accept_invitation(pg_temp.id('declined again')) $$, 'PT409', 'member_already',
  'who was added meanwhile is a member already');
select is(pg_temp.state('declined again'), 'pending', 'the invitation is still pending');
select is(api.decline_invitation(pg_temp.id('declined again')) ->> 'status', 'declined', 'and can be declined');
select is(pg_temp.level('carla'), 1::smallint, 'without ending the membership');
select test.act_as('alice');
select lives_ok(format($$ select api.add_circle_member(pg_temp.id('circle'), %L) $$, 'crowd' || n), 'the circle fills: ' || n)
from generate_series(1, 8) n;
select lives_ok($$ select pg_temp.invite('too late', 'crowd9') $$, 'one may invite into a full circle');
select test.act_as('erin');
select throws_ok($$ select api.accept_invitation(pg_temp.id('pending')) $$, 'PT409', 'circle_full', 'and not enter it');
select is(pg_temp.state('pending'), 'pending', 'the invitation keeps');
select test.act_as('bob');
select api.remove_circle_member(pg_temp.id('circle'), 'bob');
select test.act_as('erin');
select is(api.respond_invitation(pg_temp.id('pending'), true) ->> 'status', 'accepted', 'until somebody leaves');
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');

-- the circle goes
select test.act_as('alice');
select api.delete_circle(pg_temp.id('circle'));
select test.act_as('crowd9');
select throws_ok($$ select api.accept_invitation(pg_temp.id('too late')) $$, 'PT404', 'invitation_unknown', 'a deleted circle takes its invitations along');
select test.act_as_owner();
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');

select * from finish();
rollback;
