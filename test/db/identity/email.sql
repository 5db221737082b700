-- Email addresses: who may do what, links and their end, a change, and whom reset mail reaches.
begin;
select plan(85);
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
  as $$ select private.find_verification_mail(pg_temp.link_id(p_name), p_letter)::jsonb - 'tokenHash' $$;
create function pg_temp.address(p_name text) returns text language sql stable security definer
  as $$ select email || case when email_verified_at is null then '' else ' verified' end from app.accounts where user_id = test.id(p_name) $$;
create function pg_temp.as_caller(p_name text) returns void language sql volatile
  as $$ select test.act_as_owner(); select test.act('gate', test.claims(p_name)) $$;
grant execute on all functions in schema pg_temp to public;

-- Who may do what
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r,
     unnest(array['api.verify_email', 'api.resend_verification', 'api.request_email_change']::regproc[]) f;
select is(has_function_privilege(r, 'private.find_verification_mail'::regproc, 'execute'), r = 'worker', format('%s %s where mail goes', r, case when r = 'worker' then 'learns' else 'does not learn' end))
from unnest(array['worker', 'gate', 'authenticated']) r;
select is(has_table_privilege(r, t, 'select'), false, format('%s does not read %s', r, t))
from unnest(array['gate', 'anon', 'authenticated', 'service_role', 'worker']) r,
     unnest(array['private.email_verifications', 'private.reachable_accounts']) t;
select test.act_as('bob');
select throws_ok($$ update app.accounts set email_verified_at = now() $$, '42501', null, 'nobody verifies their own address past the link');
select is(api.get_me() ->> 'emailVerifiedAt', null, 'nobody''s is at first');
select test.act_as_gate();
select throws_ok($$ select pg_temp.again('x') $$, 'PT401', 'token_missing', 'nobody has no address to verify');
select throws_ok($$ select pg_temp.change('new@example.org', 'x') $$, 'PT401', 'token_missing', 'nor one to change');

-- A link, once
select pg_temp.as_caller('alice');
select is(pg_temp.again('a'), '{"ok" : true}', 'a link is asked for');
select is(pg_temp.again('a second'), '{"ok" : true}', 'and another');
select test.act_as_owner();
select results_eq($$ select data from pgboss.job where name = 'mail' order by data ->> 'verificationId' $$,
  $$ select jsonb_build_object('verificationId', pg_temp.link_id(n), 'letter', 'link') from unnest(array['a', 'a second']) n order by pg_temp.link_id(n)::text $$,
  'with a job each, which names no address');
select test.act('worker', null);
select is(pg_temp.mail('a'), '{"to": "alice@example.org", "letter": "verify"}', 'the worker learns where to');
select is(pg_temp.mail('nothing'), null, 'or that there is nothing');
select test.act_as_gate();
select throws_ok($$ select api.verify_email(pg_temp.link_id('a'), pg_temp.hash('b')) $$, 'PT410', 'verification_over', 'another token is no good');
select throws_ok($$ select api.verify_email(pg_temp.link_id('a'), null) $$, 'PT410', 'verification_over', 'nor is none');
select throws_ok($$ select pg_temp.verify('nothing') $$, 'PT410', 'verification_over', 'nor one for another link');
select is(pg_temp.verify('a'), '{"ok" : true}', 'what was mailed verifies');
select is(pg_temp.address('alice'), 'alice@example.org verified', 'the address');
select throws_ok($$ select pg_temp.verify('a') $$, 'PT410', 'verification_over', 'once');
select throws_ok($$ select pg_temp.verify('a second') $$, 'PT410', 'verification_over', 'with every other link to it');
select is(pg_temp.address('bob'), 'bob@example.org', 'of one person');
select test.act('worker', null);
select is(pg_temp.mail('a'), null, 'a spent one is not mailed again');
select pg_temp.as_caller('alice');
select throws_ok($$ select pg_temp.again('x') $$, 'PT409', 'email_verified', 'a verified address needs no link');

-- A change
select throws_ok($$ select pg_temp.change('new@example.org', 'x', 'another hash') $$, 'PT401', 'token_revoked', 'a password that changed meanwhile is refused');
select is(pg_temp.change(' new@example.org ', 'new'), '{"ok" : true}', 'another address is asked for');
select is(pg_temp.change('bob@example.org', 'bobs'), '{"ok" : true}', 'and one that is taken, with the same answer');
select test.act('worker', null);
select is(pg_temp.mail('new'), null, 'a later change ends the one before');
select is(pg_temp.mail('bobs'), '{"to": "bob@example.org", "letter": "taken"}', 'who has the address is told');
select is(pg_temp.mail('bobs', 'asked'), '{"to": "alice@example.org", "letter": "asked"}', 'and so is the old address');
select test.act_as_gate();
select throws_ok($$ select pg_temp.verify('bobs') $$, 'PT409', 'email_taken', 'nobody gets an address that is taken');
select pg_temp.as_caller('alice');
select is(pg_temp.change('new@example.org', 'fresh'), '{"ok" : true}', 'a free one');
select is(pg_temp.again('fresh again'), '{"ok" : true}', 'is what a link is sent again for');
select test.act('worker', null);
select is(pg_temp.mail(n), '{"to": "new@example.org", "letter": "change"}', n || ': asks the new address')
from unnest(array['fresh', 'fresh again']) n;
select test.act_as_gate();
select api.request_password_reset('alice@example.org', pg_temp.link_id('reset'), pg_temp.hash('reset'));
select is(pg_temp.address('alice'), 'alice@example.org verified', 'until then nothing changes');
select is(pg_temp.verify('fresh'), '{"ok" : true}', 'its link');
select is(pg_temp.address('alice'), 'new@example.org verified', 'changes it');
select throws_ok($$ select pg_temp.verify('fresh again') $$, 'PT410', 'verification_over', 'and ends the others');
select throws_ok($$ select api.check_password_reset(pg_temp.link_id('reset'), pg_temp.hash('reset')) $$, 'PT410', 'reset_over', 'those for a password too');
select test.act('worker', null);
select is(pg_temp.mail('fresh', 'changed'), '{"to": "alice@example.org", "letter": "changed"}', 'the old address is told again');
select test.act_as_owner();
select is((select count(*)::int from pgboss.job where data ->> 'letter' = 'changed'), 1, 'once');

-- Back to the address from before: what was mailed to it stays dead
select pg_temp.as_caller('alice');
select pg_temp.change('alice@example.org', 'back');
select test.act_as_gate();
select is(pg_temp.verify('back'), '{"ok" : true}', 'an address from before can come back');
select throws_ok($$ select pg_temp.verify('a second') $$, 'PT410', 'verification_over', 'and no link to it does');
select throws_ok($$ select api.check_password_reset(pg_temp.link_id('reset'), pg_temp.hash('reset')) $$, 'PT410', 'reset_over', 'of either kind');

-- Other ways to end it
select pg_temp.as_caller('bob');
select pg_temp.change('bob.new@example.org', 'thief');
select lives_ok($$ select api.change_password('no hash', 'new hash', 900) $$, 'a new password');
select throws_ok($$ select pg_temp.verify('thief') $$, 'PT410', 'verification_over', 'ends a change');
select pg_temp.as_caller('carla');
select pg_temp.again('banned');
select pg_temp.change('carla.new@example.org', 'own');
select pg_temp.change('carla@example.org', 'nothing to mail');
select test.act_as_owner();
select is((select count(*)::int from private.email_verifications where user_id = test.id('carla') and replaces is not null and expires_at > now()), 0, 'one''s own address takes a change back');
update app.users set banned_at = now() where username = 'carla';
select test.act_as_gate();
select throws_ok($$ select pg_temp.verify('banned') $$, 'PT410', 'verification_over', 'a banned person''s link is as a spent one');
select test.act('worker', null);
select is(pg_temp.mail('banned'), null, 'and not mailed');
select test.act_as_owner();
update app.users set banned_at = null where username = 'carla';
update private.email_verifications set expires_at = now() where id = pg_temp.link_id('banned');
select test.act_as_gate();
select throws_ok($$ select pg_temp.verify('banned') $$, 'PT410', 'verification_over', 'after its time it is over');

-- Ten an hour
select pg_temp.as_caller('carla');
select lives_ok(format($$ select pg_temp.again('c %s') $$, n), 'link ' || n + 2) from generate_series(1, 2) n;
select test.act_as_owner();
insert into private.email_verifications (id, user_id, email, token_hash, expires_at)
select gen_random_uuid(), test.id('carla'), 'carla@example.org', pg_temp.hash('x'), now() from generate_series(1, 6);
select pg_temp.as_caller('carla');
select throws_ok($$ select pg_temp.again('too many') $$, 'PT409', 'verifications_exhausted', 'an eleventh within an hour is refused');
select throws_ok($$ select pg_temp.change('carla.new@example.org', 'too many') $$, 'PT409', 'verifications_exhausted', 'and a change');
select lives_ok($$ select pg_temp.change('carla@example.org', 'x') $$, 'but not taking it back');

-- Five an hour to one new address, whoever asks
select test.act_as_owner();
insert into private.email_verifications (id, user_id, email, replaces, token_hash, created_at, expires_at)
select pg_temp.link_id('many ' || n), test.id('alice'), 'Victim@example.org', 'alice@example.org', pg_temp.hash('x'),
       now() - (10 - n) * interval '1 minute', now() + interval '1 day' from generate_series(1, 5) n;
select pg_temp.as_caller('bob');
select is(api.request_email_change('new hash', 'victim@example.org', pg_temp.link_id('many 6'), pg_temp.hash('x'))::text, '{"ok" : true}', 'a sixth is asked for all the same');
select test.act('worker', null);
select is(pg_temp.mail('many 5'), '{"to": "Victim@example.org", "letter": "change"}', 'five are mailed to an address in an hour');
select is(pg_temp.mail('many 6'), null, 'and no more');
select is(pg_temp.mail('many 6', 'asked'), '{"to": "bob@example.org", "letter": "asked"}', 'the old address is told in any case');

-- Whom mail reaches
select test.act_as_owner();
update app.users set created_at = now() - interval '25 hours' where username in ('alice', 'carla');
select set_eq('select user_id from private.reachable_accounts', $$ select id from app.users where username <> 'carla' $$, 'after a day an address must be verified');
select test.act_as_gate();
select is(api.request_password_reset('carla@example.org', pg_temp.link_id('late'), pg_temp.hash('late'))::text, '{"ok" : true}', 'a reset is asked for all the same');
select test.act('worker', null);
select is(private.find_reset_mail(pg_temp.link_id('late'))::text, null, 'and mailed to nobody');
select test.act_as_owner();
update private.email_verifications set expires_at = now() - interval '2 hours';
select isnt(private.job_purge(), 0, 'the job');
select is((select count(*)::int from private.email_verifications), 0, 'forgets links an hour after their end');

select * from finish();
rollback;
