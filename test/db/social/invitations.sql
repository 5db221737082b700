-- Invitations: every change of state, by the person who may make it and by all who may not, and its result.
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
-- The last events of the feature, in order
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
select is(pg_temp.state('accepted'), 'pending', 'An invitation starts as pending');
select is(pg_temp.events(1), text 'social.invitation.sent ' || jsonb_build_object('invitationId', pg_temp.id('accepted'),
  'circleId', pg_temp.id('circle'), 'inviterId', test.id('alice'), 'inviteeId', test.id('bob')), 'Sending an invitation is an event');
select is(pg_temp.level('bob'), null, 'An invited person is not a member yet');
select is((select string_agg(k, ' ' order by k) from json_object_keys(api.list_circle_invitations(pg_temp.id('circle')) #> '{items,0}') k),
  'bondLevel circleId circleName createdAt id invitee inviteeId inviter inviterId status', 'An invitation has exactly these fields');
select is(api.list_circle_invitations(pg_temp.id('circle')) #>> '{items,0,bondLevel}', 'inner-circle', 'An invitation has the bond level');
select is(api.list_circle_invitations(pg_temp.id('circle')) #>> '{items,0,inviteeId}', 'acct:bob@localhost', 'An invitation names people by actor ids');
select throws_ok($$ select pg_temp.invite('again', 'bob') $$, 'PT409', 'invitation_pending', 'A second invitation while the first is pending is refused');
select throws_ok($$ select pg_temp.invite('self', 'alice') $$, 'PT400', 'invite_oneself', 'People can''t invite themselves');
select throws_ok($$ select pg_temp.invite('zoe', 'zoe') $$, 'PT404', 'person_unknown', 'An unknown person can''t be invited');
select throws_ok($$ select pg_temp.invite('best', 'carla', 'best') $$, 'PT422', 'value_invalid', 'An unknown bond level is refused');
select pg_temp.invite('declined', 'carla');
select pg_temp.invite('revoked', 'dave');
select pg_temp.invite('pending', 'erin');

-- pending, by the wrong people
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'pending', more), 'PT403', 'invitation_not_yours',
  'The inviter can''t call ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select throws_ok($$ select private.settle_invitation(pg_temp.id('pending'), 'accepted') $$, 'PT404', 'invitation_unknown',
  'The inviter can''t settle an invitation by the private function');
select test.act_as('bob');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'pending', more), 'PT404', 'invitation_unknown',
  'Another invited person can''t call ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select throws_ok(format('select private.settle_invitation(pg_temp.id(%L), %L)', 'pending', s), 'PT404', 'invitation_unknown',
  'A third person can''t settle an invitation as ' || s) from unnest(array['accepted', 'declined', 'revoked']) s;
select throws_ok($$ select api.revoke_invitation(pg_temp.id('circle'), pg_temp.id('pending')) $$, 'PT404', 'circle_unknown',
  'A third person can''t revoke an invitation');
select test.act_as('erin');
select throws_ok($$ select api.revoke_invitation(pg_temp.id('circle'), pg_temp.id('pending')) $$, 'PT403', 'circle_not_yours',
  'The invited person can''t revoke an invitation');
select throws_ok($$ select private.settle_invitation(pg_temp.id('pending'), 'revoked') $$, 'PT404', 'invitation_unknown',
  'The invited person can''t revoke an invitation by the private function');
select is(pg_temp.state('pending'), 'pending', 'After all these attempts the invitation is still pending');

-- pending → accepted, declined, revoked
select test.act_as('bob');
select is(api.list_my_invitations() #>> '{items,0,circleName}', 'Friends', 'The invited person sees the circle''s name');
select is((select count(*) from app.circles)::int, 0, 'The invited person doesn''t see the circle');
select is(api.accept_invitation(pg_temp.id('accepted')) ->> 'status', 'accepted', 'The invited person can accept');
select is(pg_temp.events(2),
  text 'social.member.added ' || jsonb_build_object('circleId', pg_temp.id('circle'), 'memberId', test.id('bob')) || text '; '
  || text 'social.invitation.accepted ' || jsonb_build_object('invitationId', pg_temp.id('accepted'),
     'circleId', pg_temp.id('circle'), 'memberId', test.id('bob')), 'Accepting emits both the new member and the acceptance');
select is((select bond_level from app.circle_members where member_id = test.id('bob')), 'inner-circle', 'The new member has the bond level of the invitation');
select is(pg_temp.level('bob'), 2::smallint, 'The audience has the new level');
select is(pg_temp.faults(), 0, 'After the acceptance the audience equals what a rebuild gives');
select is((select count(*) from app.circles)::int, 1, 'The new member sees the circle');
select is(json_array_length(api.list_my_invitations() -> 'items'), 0, 'A settled invitation isn''t listed');

select test.act_as('carla');
select is(api.decline_invitation(pg_temp.id('declined')) ->> 'status', 'declined', 'The invited person can decline');
select is(pg_temp.level('carla'), null, 'A person who declined stays a stranger');
select is((select count(*) from app.circle_members)::int, 0, 'A person who declined has no membership');

select test.act_as('alice');
select is(api.revoke_invitation(pg_temp.id('circle'), pg_temp.id('revoked'))::text, null, 'The inviter can revoke');
select is(pg_temp.state('revoked'), 'revoked', 'The invitation is revoked');
select is(pg_temp.happened(), 7, 'Declining is no event, and revoking is one');
select is(json_array_length(api.list_circle_invitations(pg_temp.id('circle')) -> 'items'), 1, 'The circle lists pending invitations only');
select is(pg_temp.faults(), 0, 'After the revocation the audience equals what a rebuild gives');

-- accepted, declined and revoked are final
select test.act_as('bob');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'accepted', more), 'PT409', 'invitation_settled', 'An accepted invitation refuses ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select test.act_as('carla');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'declined', more), 'PT409', 'invitation_settled', 'A declined invitation refuses ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select test.act_as('dave');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'revoked', more), 'PT409', 'invitation_settled', 'A revoked invitation refuses ' || f || more)
from (values ('accept_invitation', ''), ('decline_invitation', ''), ('respond_invitation', ', true'), ('respond_invitation', ', false')) c (f, more);
select test.act_as('alice');
select throws_ok(format('select api.revoke_invitation(pg_temp.id(%L), pg_temp.id(%L))', 'circle', n), 'PT409', 'invitation_settled',
  'An invitation can''t be revoked when it is ' || n) from unnest(array['accepted', 'declined', 'revoked']) n;
select is(pg_temp.state(n), n, 'The invitation stays ' || n) from unnest(array['accepted', 'declined', 'revoked']) n;
select is(pg_temp.happened(), 7, 'Refused calls emit no event');
select is((select count(*) from app.circle_members)::int, 1, 'Refused calls add no member');

-- By direct statements
select throws_ok($$ update app.circle_invitations set status = 'accepted' $$, '42501', null, 'The inviter can''t accept in the table');
select throws_ok($$ delete from app.circle_invitations $$, '42501', null, 'The inviter can''t delete in the table');
select test.act_as('erin');
select throws_ok($$ update app.circle_invitations set status = 'accepted' $$, '42501', null, 'The invited person can''t accept in the table');
select throws_ok($$ update app.circle_invitations set bond_level = 'inner-circle' $$, '42501', null, 'The invited person can''t change the bond level in the table');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('alice'), test.id('erin')) $$, pg_temp.id('circle')), '42501', null, 'Nobody can insert an invitation in another person''s name');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('erin'), test.id('dave')) $$, pg_temp.id('circle')), '42501', null, 'Nobody can insert an invitation to another person''s circle');
select is((select count(*) from app.circle_invitations)::int, 1, 'People see only invitations that concern them');
select test.act_as('bob');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('bob'), test.id('dave')) $$, pg_temp.id('circle')), '42501', null, 'A member can''t insert an invitation');

-- Inviting again, and what prevents accepting
select test.act_as('alice');
select throws_ok($$ select pg_temp.invite('member', 'bob') $$, 'PT409', 'member_already', 'A member can''t be invited');
select lives_ok($$ select pg_temp.invite('declined again', 'carla') $$, 'A person who declined can be invited again');
select lives_ok($$ select pg_temp.invite('revoked again', 'dave') $$, 'A person whose invitation was revoked can be invited again');
select api.add_circle_member(pg_temp.id('circle'), 'carla');
select test.act_as('carla');
select throws_ok($$ select api.accept_invitation(pg_temp.id('declined again')) $$, 'PT409', 'member_already',
  'A person who was added meanwhile can''t accept');
select is(pg_temp.state('declined again'), 'pending', 'The invitation is still pending');
select is(api.decline_invitation(pg_temp.id('declined again')) ->> 'status', 'declined', 'The invitation can be declined');
select is(pg_temp.level('carla'), 1::smallint, 'Declining doesn''t end the membership');
select test.act_as('alice');
select lives_ok(format($$ select api.add_circle_member(pg_temp.id('circle'), %L) $$, 'crowd' || n), 'Person ' || n || ' can be added to the circle')
from generate_series(1, 8) n;
select lives_ok($$ select pg_temp.invite('too late', 'crowd9') $$, 'A person can be invited to a full circle');
select test.act_as('erin');
select throws_ok($$ select api.accept_invitation(pg_temp.id('pending')) $$, 'PT409', 'circle_full', 'An invitation to a full circle can''t be accepted');
select is(pg_temp.state('pending'), 'pending', 'The invitation stays pending');
select test.act_as('bob');
select api.remove_circle_member(pg_temp.id('circle'), 'bob');
select test.act_as('erin');
select is(api.respond_invitation(pg_temp.id('pending'), true) ->> 'status', 'accepted', 'When a member leaves, the invitation can be accepted');
select is(pg_temp.faults(), 0, 'After the acceptance of a waiting invitation the audience equals what a rebuild gives');

-- The circle is deleted
select test.act_as('alice');
select api.delete_circle(pg_temp.id('circle'));
select test.act_as('crowd9');
select throws_ok($$ select api.accept_invitation(pg_temp.id('too late')) $$, 'PT404', 'invitation_unknown', 'Deleting a circle deletes its invitations');
select test.act_as_owner();
select is(pg_temp.faults(), 0, 'After the deletion the audience equals what a rebuild gives');

select * from finish();
rollback;
