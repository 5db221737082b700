-- A person invited repeatedly to a circle is notified only once.
begin;
select plan(3);
select test.people('alice', 'bob');

-- Acting as Alice
select test.act_as('alice');
create temp table circle as select (api.create_circle('Friends') ->> 'id')::uuid as id;
create temp table invitation as select (api.invite_to_circle((select id from circle), 'bob') ->> 'id')::uuid as id;
select lives_ok(
  $$ select api.revoke_invitation((select id from circle), (select id from invitation)) $$, 'An invitation can be revoked');
create temp table latest as select (api.invite_to_circle((select id from circle), 'bob') ->> 'id')::uuid as id;
grant select on latest to public;

-- Acting as Bob
select test.act_as('bob');
select is((api.count_unread() ->> 'count')::int, 1, 'Two invitations leave one unread notification');
select is(api.list_notifications() #>> '{items,0,payload,invitationId}', (select id::text from latest), 'The notification refers to the latest invitation');

select * from finish();
rollback;
