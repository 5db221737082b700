-- Email addresses: permissions, links and how they end, a change of address, and who gets reset mail.
begin;
select plan(86);
select test.people('alice', 'bob', 'carla');

create function pg_temp.hash(p_name text) returns bytea language sql immutable as $$ select sha256(p_name::bytea) $$;
create function pg_temp.link_id(p_name text) returns uuid language sql immutable as $$ select md5(p_name)::uuid $$;
create function pg_temp.again(p_name text) returns text language sql volatile
  as $$ select api.resend_verification(pg_temp.link_id(p_name), pg_temp.hash(p_name))::text $$;
create function pg_temp.change(p_email text, p_name text, p_hash text default 'no hash') returns text language sql volatile
  as $$ select api.request_email_change(p_hash, p_email, pg_temp.link_id(p_name), pg_temp.hash(p_name))::text $$;
create function pg_temp.verify(p_name text) returns text language sql volatile
  as $$ select api.verify_email(pg_temp.link_id(p_name), pg_temp.hash(p_name))::text $$;
create function pg_temp.mail(p_name text, p_letter text default 'link') returns jsonb language sql volatile
  as $$ select private.find_verification_mail(pg_temp.link_id(p_name), p_letter)::jsonb - '{tokenHash,endsAt}'::text[] $$;
create function pg_temp.address(p_name text) returns text language sql stable security definer
  as $$ select email || case when email_verified_at is null then '' else ' verified' end from app.accounts where user_id = test.id(p_name) $$;
create function pg_temp.as_caller(p_name text) returns void language sql volatile
  as $$ select test.act_as_owner(); select test.act('gate', test.claims(p_name)) $$;
grant execute on all functions in schema pg_temp to public;

-- Permissions
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r,
     unnest(array['api.verify_email', 'api.resend_verification', 'api.request_email_change']::regproc[]) f;
select is(has_function_privilege(r, 'private.find_verification_mail'::regproc, 'execute'), r = 'worker', format('%s %s find the address of a mail', r, case when r = 'worker' then 'can' else 'can''t' end))
from unnest(array['worker', 'gate', 'authenticated']) r;
select is(has_table_privilege(r, t, 'select'), false, format('%s can''t read %s', r, t))
from unnest(array['gate', 'anon', 'authenticated', 'service_role', 'worker']) r,
     unnest(array['private.email_verifications', 'private.reachable_accounts']) t;
select test.act_as('bob');
select throws_ok($$ update app.accounts set email_verified_at = now() $$, '42501', null, 'People can''t verify their own address without the link');
select is(api.get_me() ->> 'emailVerifiedAt', null, 'At first no address is verified');
select test.act_as_gate();
select throws_ok($$ select pg_temp.again('x') $$, 'PT401', 'token_missing', 'An anonymous caller can''t ask for a link');
select throws_ok($$ select pg_temp.change('new@example.org', 'x') $$, 'PT401', 'token_missing', 'An anonymous caller can''t change an address');

-- A link works once
select pg_temp.as_caller('alice');
select is(pg_temp.again('a'), '{"ok" : true}', 'A person can ask for a link');
select is(pg_temp.again('a second'), '{"ok" : true}', 'A person can ask for a second link');
select test.act_as_owner();
select results_eq($$ select data from pgboss.job where name = 'mail' order by data ->> 'verificationId' $$,
  $$ select jsonb_build_object('verificationId', pg_temp.link_id(n), 'letter', 'link') from unnest(array['a', 'a second']) n order by pg_temp.link_id(n)::text $$,
  'Each link queues a job without the address');
select test.act('worker', null);
select is(pg_temp.mail('a'), '{"to": "alice@example.org", "letter": "verify"}', 'The worker gets the address');
select is(pg_temp.mail('nothing'), '{"ended": true}', 'An unknown link has ended');
select test.act_as_gate();
select throws_ok($$ select api.verify_email(pg_temp.link_id('a'), pg_temp.hash('b')) $$, 'PT410', 'verification_over', 'A wrong token is refused');
select throws_ok($$ select api.verify_email(pg_temp.link_id('a'), null) $$, 'PT410', 'verification_over', 'A null token is refused');
select throws_ok($$ select pg_temp.verify('nothing') $$, 'PT410', 'verification_over', 'An unknown link is refused');
select is(pg_temp.verify('a'), '{"ok" : true}', 'The mailed token is accepted');
select is(pg_temp.address('alice'), 'alice@example.org verified', 'The address is verified');
select throws_ok($$ select pg_temp.verify('a') $$, 'PT410', 'verification_over', 'A link can be used only once');
select throws_ok($$ select pg_temp.verify('a second') $$, 'PT410', 'verification_over', 'Verifying ends all other links to the address');
select is(pg_temp.address('bob'), 'bob@example.org', 'Other people''s addresses stay unverified');
select test.act('worker', null);
select is(pg_temp.mail('a'), '{"ended": true}', 'A used link isn''t mailed again');
select pg_temp.as_caller('alice');
select throws_ok($$ select pg_temp.again('x') $$, 'PT409', 'email_verified', 'A link for a verified address is refused');

-- A change of address
select throws_ok($$ select pg_temp.change('new@example.org', 'x', 'another hash') $$, 'PT401', 'token_revoked', 'Asking for a new address with a password hash that changed meanwhile is refused');
select is(pg_temp.change(' new@example.org ', 'new'), '{"ok" : true}', 'A person can ask for a new address');
select is(pg_temp.change('bob@example.org', 'bobs'), '{"ok" : true}', 'Asking for a taken address gives the same answer');
select test.act('worker', null);
select is(pg_temp.mail('new'), '{"ended": true}', 'A later change of address ends the earlier one');
select is(pg_temp.mail('bobs'), '{"to": "bob@example.org", "letter": "taken"}', 'The owner of the taken address is informed');
select is(pg_temp.mail('bobs', 'asked'), '{"to": "alice@example.org", "letter": "asked"}', 'The old address of the person who asked is informed');
select test.act_as_gate();
select throws_ok($$ select pg_temp.verify('bobs') $$, 'PT409', 'email_taken', 'A taken address can''t be verified');
select pg_temp.as_caller('alice');
select is(pg_temp.change('new@example.org', 'fresh'), '{"ok" : true}', 'A person can ask for a free address');
select is(pg_temp.again('fresh again'), '{"ok" : true}', 'A link for the new address can be sent again');
select test.act('worker', null);
select is(pg_temp.mail(n), '{"to": "new@example.org", "letter": "change"}', 'The link goes to the new address: ' || n)
from unnest(array['fresh', 'fresh again']) n;
select test.act_as_gate();
select api.request_password_reset('alice@example.org', pg_temp.link_id('reset'), pg_temp.hash('reset'));
select is(pg_temp.address('alice'), 'alice@example.org verified', 'The address is unchanged until the new one is verified');
select is(pg_temp.verify('fresh'), '{"ok" : true}', 'The link is accepted');
select is(pg_temp.address('alice'), 'new@example.org verified', 'The address is changed and verified');
select throws_ok($$ select pg_temp.verify('fresh again') $$, 'PT410', 'verification_over', 'A change of address ends the other links');
select throws_ok($$ select api.check_password_reset(pg_temp.link_id('reset'), pg_temp.hash('reset')) $$, 'PT410', 'reset_over', 'A change of address ends the links for resetting the password');
select test.act('worker', null);
select is(pg_temp.mail('fresh', 'changed'), '{"to": "alice@example.org", "letter": "changed"}', 'The old address is informed of the change');
select test.act_as_owner();
select is((select count(*)::int from pgboss.job where data ->> 'letter' = 'changed'), 1, 'The old address is informed once');

-- Back to an earlier address: links mailed to it stay invalid
select pg_temp.as_caller('alice');
select pg_temp.change('alice@example.org', 'back');
select test.act_as_gate();
select is(pg_temp.verify('back'), '{"ok" : true}', 'An earlier address can be used again');
select throws_ok($$ select pg_temp.verify('a second') $$, 'PT410', 'verification_over',
  'An old verification link to an earlier address stays invalid');
select throws_ok($$ select api.check_password_reset(pg_temp.link_id('reset'), pg_temp.hash('reset')) $$, 'PT410', 'reset_over',
  'An old reset link to an earlier address stays invalid');

-- Other ways to end a link
select pg_temp.as_caller('bob');
select pg_temp.change('bob.new@example.org', 'thief');
select lives_ok($$ select api.change_password('no hash', 'new hash', 900) $$, 'A person can change their password');
select throws_ok($$ select pg_temp.verify('thief') $$, 'PT410', 'verification_over', 'A new password ends a change of address');
select pg_temp.as_caller('carla');
select pg_temp.again('banned');
select pg_temp.change('carla.new@example.org', 'own');
select pg_temp.change('carla@example.org', 'nothing to mail');
select test.act_as_owner();
select is((select count(*)::int from private.email_verifications where user_id = test.id('carla') and replaces is not null and expires_at > now()), 0, 'Asking for the current address cancels a change');
update app.users set banned_at = now() where username = 'carla';
select test.act_as_gate();
select throws_ok($$ select pg_temp.verify('banned') $$, 'PT410', 'verification_over', 'A banned person''s link is invalid');
select test.act('worker', null);
select is(pg_temp.mail('banned'), '{"ended": true}', 'A banned person''s link isn''t mailed');
select test.act_as_owner();
update app.users set banned_at = null where username = 'carla';
update private.email_verifications set expires_at = now() where id = pg_temp.link_id('banned');
select test.act_as_gate();
select throws_ok($$ select pg_temp.verify('banned') $$, 'PT410', 'verification_over', 'An expired link is invalid');

-- At most ten links an hour
select pg_temp.as_caller('carla');
select lives_ok(format($$ select pg_temp.again('c %s') $$, n), 'Link ' || n + 2 || ' of the hour can be requested') from generate_series(1, 2) n;
select test.act_as_owner();
insert into private.email_verifications (id, user_id, email, token_hash, expires_at)
select gen_random_uuid(), test.id('carla'), 'carla@example.org', pg_temp.hash('x'), now() from generate_series(1, 6);
select pg_temp.as_caller('carla');
select throws_ok($$ select pg_temp.again('too many') $$, 'PT409', 'verifications_exhausted', 'The eleventh link within an hour is refused');
select throws_ok($$ select pg_temp.change('carla.new@example.org', 'too many') $$, 'PT409', 'verifications_exhausted', 'A change of address is refused too');
select lives_ok($$ select pg_temp.change('carla@example.org', 'x') $$, 'Cancelling a change isn''t limited');

-- At most five mails an hour to one new address, whoever asks
select test.act_as_owner();
insert into private.email_verifications (id, user_id, email, replaces, token_hash, created_at, expires_at)
select pg_temp.link_id('many ' || n), test.id('alice'), 'Victim@example.org', 'alice@example.org', pg_temp.hash('x'),
       now() - (10 - n) * interval '1 minute', now() + interval '1 day' from generate_series(1, 5) n;
select pg_temp.as_caller('bob');
select is(api.request_email_change('new hash', 'victim@example.org', pg_temp.link_id('many 6'), pg_temp.hash('x'))::text, '{"ok" : true}', 'Asking for an address that had five mails gets the same answer');
select test.act('worker', null);
select is(pg_temp.mail('many 5'), '{"to": "Victim@example.org", "letter": "change"}', 'Up to five mails an hour go to an address');
select is(pg_temp.mail('many 6'), null, 'The sixth mail isn''t sent');
select is(pg_temp.mail('many 6', 'asked'), '{"to": "bob@example.org", "letter": "asked"}', 'The old address is informed in any case');

-- Who gets mail
select test.act_as_owner();
update app.users set created_at = now() - interval '25 hours' where username in ('alice', 'carla');
select set_eq('select user_id from private.reachable_accounts', $$ select id from app.users where username <> 'carla' $$, 'A day after registering, only verified addresses get mail');
select test.act_as_gate();
select is(api.request_password_reset('carla@example.org', pg_temp.link_id('late'), pg_temp.hash('late'))::text, '{"ok" : true}', 'Asking for a reset without a verified address gets the same answer');
select test.act('worker', null);
select is(private.find_reset_mail(pg_temp.link_id('late'))::text, null, 'The reset without a verified address isn''t mailed');
select test.act_as_owner();
update private.email_verifications set expires_at = now() - interval '71 hours';
select private.job_purge();
select is(pg_temp.mail('fresh', 'changed'), '{"to": "alice@example.org", "letter": "changed"}', 'A mail about a change can be sent two days later');
update private.email_verifications set expires_at = now() - interval '73 hours';
select isnt(private.job_purge(), 0, 'The job deletes expired rows');
select is((select count(*)::int from private.email_verifications), 0, 'Links are deleted three days after they expire');

select * from finish();
rollback;
