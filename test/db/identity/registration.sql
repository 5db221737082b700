-- Registering: with which reservation, the minimum age, the username, and everything that is created.
begin;
select plan(51);
select test.people('alice', 'bob');

create function pg_temp.reserved(p_code text) returns uuid language plpgsql volatile security definer as $$
begin
  insert into app.invite_codes (code, generated_by) values (p_code, test.id('alice'));
  return (api.reserve_invite(p_code) ->> 'sessionId')::uuid;
end $$;
create function pg_temp.code(p_session uuid) returns app.invite_codes language sql stable security definer
  as $$ select * from app.invite_codes where reservation_id = p_session $$;
create function pg_temp.register(p_session uuid, p_email text default 'ada@example.org', p_first text default 'Ada',
  p_last text default 'Lovelace', p_born date default '1990-01-31') returns json language sql volatile
  as $$ select api.register(p_session, p_email, 'a hash', p_first, p_last, p_born, 'DE', 'Berlin', 604800) $$;
create temporary table made (name text primary key, session uuid, answer json);
grant all on made to public;
create function pg_temp.session(p_name text) returns uuid language sql stable
  as $$ select session from made where name = p_name $$;
create function pg_temp.id(p_name text) returns uuid language sql stable
  as $$ select (answer #>> '{user,id}')::uuid from made where name = p_name $$;
create function pg_temp.change(p_name text, p_change text) returns void language plpgsql as $$
begin
  execute format('update app.invite_codes set %s where reservation_id = %L', p_change, pg_temp.session(p_name));
end $$;
grant execute on all functions in schema pg_temp to public;
insert into made (name, session) values ('ada', pg_temp.reserved('INV-AAAAAA')), ('grace', pg_temp.reserved('INV-BBBBBB'));

-- A failure leaves the reservation unchanged
select test.act_as_gate();
select throws_ok($$ select pg_temp.register(pg_temp.session('ada'), p_born => (current_date - interval '18 years' + interval '1 day')::date) $$,
  'PT422', 'under_age', 'A person a day before their 18th birthday is too young');
select throws_ok($$ select pg_temp.register(pg_temp.session('ada'), p_born => current_date + 1) $$, 'PT422', 'under_age', 'A birthday in the future is refused');
select throws_ok($$ select pg_temp.register(pg_temp.session('ada'), 'ALICE@example.org') $$, '23505',
  'duplicate key value violates unique constraint "email_taken"', 'An address belongs to one person, in any letter case');
select is((pg_temp.code(pg_temp.session('ada'))).status, 'reserved', 'A failed registration keeps the reservation');

-- Success
update made set answer = pg_temp.register(session, ' Ada@Example.org ', ' Ada ', ' Lovelace ',
  (current_date - interval '18 years')::date) where name = 'ada';
select isnt(pg_temp.id('ada'), null, 'A person can register on their 18th birthday, even after failed attempts');
select set_eq($$ select json_object_keys(answer) from made where name = 'ada' $$, array['claims', 'user', 'credentialsVersion'], 'Registering returns claims, a profile and the credentials version');
select set_eq($$ select json_object_keys(answer -> 'claims') from made where name = 'ada' $$,
  array['sub', 'email', 'role', 'iat', 'exp'], 'The claims are exactly those of a token');
select row_eq($$ select answer #>> '{claims,sub}', answer #>> '{claims,email}', answer #>> '{claims,role}',
    (answer #>> '{claims,exp}')::bigint - (answer #>> '{claims,iat}')::bigint from made where name = 'ada' $$,
  row(pg_temp.id('ada')::text, 'Ada@Example.org'::text, 'user'::text, 604800::bigint), 'The claims are about the person, and valid as long as requested');
select row_eq($$ select answer #>> '{user,username}', answer #>> '{user,actorId}', answer #>> '{user,firstName}', answer #>> '{user,lastName}',
    answer #>> '{user,country}', answer #>> '{user,city}', (answer #>> '{user,dateOfBirth}')::date from made where name = 'ada' $$,
  row('ada_lovelace'::text, 'acct:ada_lovelace@localhost'::text, 'Ada'::text, 'Lovelace'::text, 'DE'::text, 'Berlin'::text,
      (current_date - interval '18 years')::date),
  'The profile has the submitted fields');
select row_eq($$ select status, used_by, used_at from pg_temp.code(pg_temp.session('ada')) $$,
  row('used'::text, pg_temp.id('ada'), now()), 'The code is used by the person');
select test.act_as_owner();
select row_eq($$ select inviter_id, code_id from app.invite_tree where invitee_id = pg_temp.id('ada') $$,
  row(test.id('alice'), (pg_temp.code(pg_temp.session('ada'))).id), 'The invite tree has the inviter');
select results_eq($$ select name::text, is_default, accent::text from app.personas where user_id = pg_temp.id('ada') $$,
  $$ values ('Main', true, 'ink') $$, 'The person has one persona, Main, the default');
select throws_ok($$ insert into app.personas (user_id, name, is_default) values (pg_temp.id('ada'), 'Other', true) $$,
  '23505', null, 'A second default persona is refused');
select is((select password_hash from private.credentials where user_id = pg_temp.id('ada')), 'a hash', 'The password hash is stored');
select is((select level from app.audience where viewer_id = pg_temp.id('ada') and author_id = viewer_id), 3::smallint,
  'People are in their own audience at level 3');
select results_eq(
  $$ select name, payload from app.domain_events where payload ->> 'userId' = pg_temp.id('ada')::text
     or payload ->> 'newUserId' = pg_temp.id('ada')::text order by id $$,
  $$ values ('identity.user_registered', jsonb_build_object('userId', pg_temp.id('ada'), 'email', 'Ada@Example.org', 'inviterUserId', test.id('alice'))),
            ('identity.invite_code.used', jsonb_build_object('codeId', (pg_temp.code(pg_temp.session('ada'))).id,
                                                             'newUserId', pg_temp.id('ada'), 'inviterUserId', test.id('alice'))) $$,
  'Both events are emitted, with these payloads');

-- Invalid reservations
select test.act_as_gate();
select throws_ok($$ select pg_temp.register(pg_temp.session('ada'), 'ada2@example.org') $$, 'PT410', 'reservation_over', 'A reservation can be used only once');
select throws_ok($$ select pg_temp.register(gen_random_uuid()) $$, 'PT410', 'reservation_over', 'An unknown reservation is refused');
select throws_ok($$ select pg_temp.register((pg_temp.code(pg_temp.session('grace'))).id) $$, 'PT410', 'reservation_over', 'The id of a code is not a reservation');
select throws_ok($$ select pg_temp.register(null) $$, 'PT410', 'reservation_over', 'A null reservation is refused');
select test.act_as_owner();
select pg_temp.change('grace', 'reserved_until = now()');
select test.act_as_gate();
select throws_ok($$ select pg_temp.register(pg_temp.session('grace')) $$, 'PT410', 'reservation_over', 'A reservation is refused after half an hour');
select test.act_as_owner();
select pg_temp.change('grace', $$ reserved_until = now() + interval '1 minute', status = 'revoked' $$);
select test.act_as_gate();
select throws_ok($$ select pg_temp.register(pg_temp.session('grace')) $$, 'PT410', 'reservation_over', 'A reservation of a revoked code is refused');
select test.act_as_owner();
select pg_temp.change('grace', $$ status = 'reserved' $$);
update app.users set banned_at = now() where username = 'alice';
select test.act_as_gate();
select throws_ok($$ select pg_temp.register(pg_temp.session('grace')) $$, 'PT410', 'reservation_over', 'A reservation is refused if the inviter was banned');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'alice';
select test.act_as_gate();
select throws_ok($$ select pg_temp.register(pg_temp.session('grace')) $$, 'PT410', 'reservation_over', 'A reservation is refused if the inviter was erased');
select test.act_as_owner();
update app.users set erased_at = null where username = 'alice';
select pg_temp.change('grace', $$ status = 'reserved' $$);
select test.act_as_gate();
select lives_ok($$ select pg_temp.register(pg_temp.session('grace'), 'grace@example.org') $$, 'A reservation that is valid again can be used');

-- Usernames
select test.act_as_owner();
select is((select username from app.users u join app.accounts a on a.user_id = u.id where a.email = 'grace@example.org') ~ '^ada_lovelace_\d{1,4}$',
  true, 'A taken username gets a number');
select is(private.free_username(f, l), e, format('%s %s gets the username %s', f, l, e))
from (values ('José', 'Ñandú', 'jose_nandu'), ('Łukasz', 'Żółć', 'lukasz_zolc'), ('Anne Marie', 'O''Neil', 'anne_marie_o_neil'),
             ('Straße', 'Ødegård', 'strasse_odegard'), ('例', '子', 'member'), ('Q', '例', 'member_q'), ('a', 'b', 'a_b'),
             ('  --Zoë', '!!', 'zoe'), ('Wolfeschlegelsteinhausen', 'Bergerdorff', 'wolfeschlegelsteinhausen'),
             ('Maximiliana Josephinexy', 'Z', 'maximiliana_josephinexy'), ('007', '7', '007_7')) as n (f, l, e);
update app.users set username = 'member' where username = 'bob';
select matches(private.free_username('例', '子'), '^member_\d{1,4}$', 'A name without Latin letters gets a number too');
update app.users set username = 'wolfeschlegelsteinhausen' where username = 'member';
select matches(private.free_username('Wolfeschlegelsteinhausen', 'Bergerdorff'), '^wolfeschlegelsteinhausen_\d{1,4}$', 'A name that is too long gets a number too');
update app.users set username = 'ada_1815' where username = 'wolfeschlegelsteinhausen';
select matches(private.free_username('Ada', '1815'), '^ada_\d{1,4}$', 'A name that ends in a number gets only one number');
update app.users set username = '1815_12' where username = 'ada_1815';
select matches(private.free_username('1815', '12'), '^1815_\d{1,4}$', 'A name made of numbers gets only one number');
update app.users set banned_at = now() where username = 'ada_lovelace';
select isnt(private.free_username('Ada', 'Lovelace'), 'ada_lovelace', 'A banned person''s username is not given to another person');

-- Constraints of the tables, for every writer
select throws_ok($$ select private.create_person('x', 'h', 'X', 'Y', null, null, null) $$, 'PT422', 'value_invalid', 'An address that is too short is refused');
select throws_ok($$ select private.create_person('x@y.z', 'h', '', 'Y', null, null, null) $$, 'PT422', 'value_invalid', 'An empty first name is refused');
select throws_ok($$ select private.create_person('x@y.z', 'h', 'X', 'Y', null, 'de', null) $$, 'PT422', 'value_invalid', 'A country in lower case is refused');
select throws_ok($$ select private.create_person('x@y.z', 'h', 'X', 'Y', null, null, null, 'owner') $$, 'PT422', 'value_invalid', 'An unknown role is refused');

-- The first admin
select is(private.ensure_first_admin('root@example.org', 'a hash')::text, null, 'If there is an admin, no other is created');
update app.users set role = 'user', username = 'admin_before' where role = 'admin';
delete from app.usernames where username = 'admin';   -- otherwise nobody else could get the name
create temporary table codes as select c from json_array_elements_text(private.ensure_first_admin('root@example.org', 'a hash')) c;
select is((select count(distinct c)::int from codes), 3, 'If there is no admin, one is created, with three codes');
select results_eq($$ select u.username, u.role, a.email, a.date_of_birth from app.users u join app.accounts a on a.user_id = u.id where u.role = 'admin' $$,
  $$ values ('admin', 'admin', 'root@example.org', null::date) $$, 'The first admin has the username admin');
select is((select count(*)::int from app.invite_codes i join codes on c = i.code join app.users u on u.id = i.generated_by and u.role = 'admin'
           where i.status = 'active'), 3, 'The codes belong to the first admin');
select is((select count(*)::int from app.domain_events e where e.payload ->> 'email' = 'root@example.org'), 0, 'The first admin emits no registration event');

select * from finish();
rollback;
