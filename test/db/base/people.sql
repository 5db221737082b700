-- Naming and finding a person, stored roles, and flags.
begin;
select plan(43);
select test.people('alice', 'bob', 'carla');

-- Acting as Alice: every spelling of a person
select test.act_as('alice');
select is(private.username_of(p), 'bob', format('%L names bob', p))
from unnest(array['bob', 'BOB', '@bob', 'acct:bob@localhost', '@bob@localhost', 'bob@localhost', 'ACCT:Bob@LocalHost',
                  ' bob ', 'acct:bob']) p;
select is(private.username_of(p), null, format('%L names nobody on this instance', p))
from unnest(array['acct:bob@elsewhere.example', '@bob@elsewhere.example', 'bob@', 'bob@localhost@localhost',
                  'bob@localhost.example', '@@bob']) p;
select is(private.require_person('acct:bob@localhost'), test.id('bob'), 'A person is found by actor id');
select is(private.require_person('alice'), app.uid(), 'The caller is found by name');
select throws_ok($$ select private.require_person('zoe') $$, 'PT404', 'person_unknown', 'An unused name is unknown');
select throws_ok($$ select private.require_person('acct:bob@elsewhere.example') $$, 'PT404', 'person_unknown', 'An actor id of another domain is unknown');
select throws_ok($$ select private.require_person('') $$, 'PT404', 'person_unknown', 'An empty name is unknown');
select throws_ok($$ select private.require_person(null) $$, 'PT404', 'person_unknown', 'A null name is unknown');
select throws_ok($$ select private.require_person(test.id('bob')::text) $$, 'PT404', 'person_unknown', 'An internal id names nobody');
select is(private.actor_id('bob', 'localhost'), 'acct:bob@localhost', 'An actor id is made of the name and the domain');

-- Another domain
select test.act_as_owner();
update app.settings set value = 'kith.example:8080' where key = 'instance_domain';
select test.act_as('alice');
select is(private.require_person('@bob@kith.example:8080'), test.id('bob'), 'The instance''s domain is a setting');
select is(private.username_of('bob@localhost'), null, 'Another domain is not this instance''s');
select is(private.actor_id('bob', private.domain()), 'acct:bob@kith.example:8080', 'Every actor id has the instance''s domain');
select test.act_as_owner();
update app.settings set value = 'o''neill.example' where key = 'instance_domain';
select is(private.domain(), 'o''neill.example', 'The domain may contain a quote');
delete from app.settings where key = 'instance_domain';
select is(private.domain(), null, 'Without the setting there is no domain');
insert into app.settings (key, value) values ('instance_domain', 'localhost');
select is(private.domain(), 'localhost', 'When the setting is restored, the domain is too');

-- People whom a caller can't find
select test.act_as_owner();
insert into app.audience (viewer_id, author_id, level)
values (test.id('alice'), test.id('bob'), -1), (test.id('bob'), test.id('alice'), -1);
select test.act_as('alice');
select throws_ok($$ select private.require_person('bob') $$, 'PT404', 'person_unknown', 'A person who blocked the caller is unknown');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'carla';
select test.act_as('alice');
select throws_ok($$ select private.require_person('carla') $$, 'PT404', 'person_unknown', 'A banned person is unknown');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'carla';
select test.act_as('alice');
select throws_ok($$ select private.require_person('carla') $$, 'PT404', 'person_unknown', 'An erased person is unknown');

-- Names
select test.act_as_owner();
select throws_ok($$ update app.users set username = 'bob' where username = 'alice' $$, 'PT409', 'username_taken', 'Two people can''t have the same name');
select throws_ok(format('update app.users set username = %L where username = %L', n, 'alice'), 'PT422', 'value_invalid',
  format('%L is not a valid name', n)) from unnest(array['Al', 'ALICE', 'al-ice', repeat('a', 31)]) n;

-- Stored roles and flags
update app.users set role = 'moderator' where username = 'bob';
select test.act('authenticated', test.claims('alice') || '{"role": "admin"}');
select throws_ok($$ select private.require_role('moderator', 'admin') $$, 'PT403', 'role_required',
  'The stored role counts, not the role in the token');
select test.act('service_role', test.claims('bob'));
select lives_ok($$ select private.require_role('moderator', 'admin') $$, 'Any one of the required roles is enough');
select throws_ok($$ select private.require_role('admin') $$, 'PT403', 'role_required', 'A person with none of the required roles is refused');
select test.act_as_owner();
insert into app.feature_flags (key, enabled, description) values ('tap-on', true, ''), ('tap-off', false, '');
select test.act_as('bob');
select lives_ok($$ select private.require_flag('tap-on') $$, 'An enabled flag lets the caller through');
select throws_ok($$ select private.require_flag('tap-off') $$, 'PT403', 'feature_disabled', 'A disabled flag refuses the caller');
select throws_ok($$ select private.require_flag('tap-none') $$, 'PT403', 'feature_disabled', 'An unknown flag refuses the caller');

select * from finish();
rollback;
