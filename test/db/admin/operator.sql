-- What the operator does on the machine: private.make_admin and private.set_password.
begin;
select plan(26);
select test.people('alice', 'bob', 'carla');
create function pg_temp.audited() returns setof text language sql stable security definer
  as $$ select concat_ws(' ', l.action, a.email, l.actor_id, d.detail)
        from app.audit_log l join app.audit_details d on d.audit_id = l.id
        left join app.accounts a on a.user_id::text = l.target_id order by l.id $$;
create temporary table emails as select u.username as name, a.email from app.accounts a join app.users u on u.id = a.user_id;
create function pg_temp.email(p_name text) returns text language sql stable as $$ select email from emails where name = p_name $$;
create function pg_temp.made(p_email text) returns text language sql as $$ select private.make_admin(p_email, 'a hash') ->> 'result' $$;

-- Permissions
select ok(not has_function_privilege(r, f, 'execute'), format('%s may not run %s', r, f::regproc))
from unnest(array['anon', 'authenticated', 'service_role', 'gate', 'kith_worker']) r,
     unnest(array['private.make_admin', 'private.set_password']::regproc[]) f;

-- A new admin
select is(pg_temp.made('new@example.org'), 'created', 'An account is created for an unknown address');
select results_eq($$ select u.role, a.email_verified_at is not null, c.password_hash from app.accounts a join app.users u on u.id = a.user_id
  join private.credentials c on c.user_id = u.id where a.email = 'new@example.org' $$, $$ values ('admin', true, 'a hash') $$,
  'A new admin has the password and a verified address');
select is(pg_temp.made(' New@Example.org '), 'unchanged', 'A repeat changes nothing');

-- An existing person
update app.accounts set email_verified_at = null where user_id = test.id('alice');
select is(pg_temp.made(pg_temp.email('alice')), 'unverified', 'An address that was not verified is refused');
select is((select role from app.users where username = 'alice'), 'user', 'The person who registered an unverified address does not become an admin');
update app.users set banned_at = now() where username = 'bob';
select is(pg_temp.made(pg_temp.email('bob')), 'banned', 'A banned person is refused');
update app.accounts set email_verified_at = now() where user_id = test.id('carla');
create temporary table token as select test.claims('carla') as claims;
select is(pg_temp.made(upper(pg_temp.email('carla'))), 'appointed', 'A person with a verified address gets the role');
select is((select role from app.users where username = 'carla'), 'admin', 'The person with the verified address is an admin');
select isnt((select password_hash from private.credentials where user_id = test.id('carla')), 'a hash', 'The password of that person does not change');
select ok((select tokens_valid_from from app.users where username = 'carla') > (select (claims ->> 'iat')::bigint from token),
  'The tokens of that person, which have the old role, are revoked');

-- A password
select ok(not private.set_password('nobody@example.org', 'another hash'), 'Setting the password for an unknown address changes nothing');
select ok(private.set_password(pg_temp.email('alice'), 'another hash'), 'The operator can set a password');
select is((select password_hash from private.credentials where user_id = test.id('alice')), 'another hash', 'The stored password is the new one');
select is(pg_temp.made(pg_temp.email('alice')), 'appointed', 'Setting a password verifies the address');
select results_eq('select pg_temp.audited()', array[
  'user.role_changed new@example.org {"to": "admin", "from": null}',
  format('user.role_changed %s {"to": "admin", "from": "user"}', pg_temp.email('carla')),
  format('user.password_set %s', pg_temp.email('alice')), format('user.role_changed %s {"to": "admin", "from": "user"}', pg_temp.email('alice'))], 'Each change leaves one audit entry without an actor');
select private.erase_person(test.id('alice'));
select is(pg_temp.made(pg_temp.email('alice')), 'created', 'The address of an erased person can be used again');

select * from finish();
rollback;
