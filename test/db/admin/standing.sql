-- Suspensions, which end by themselves, and limits.
begin;
select plan(54);
select test.people('alice', 'anna', 'bob', 'carla', 'dan', 'erin', 'finn');
update app.users set role = 'user' where role = 'admin';   -- the first admin of the instance
update app.users set role = 'admin' where username in ('alice', 'anna');
update app.users set role = 'moderator' where username = 'bob';
insert into app.follows (follower_id, following_id) values (test.id('dan'), test.id('erin'));

create function pg_temp.audited() returns setof text language sql security definer
  as $$ with new as (delete from app.audit_details returning audit_id, detail)
        select concat_ws(' ', l.action, u.username, coalesce(a.username, 'nobody'), n.detail - 'until')
        from new n join app.audit_log l on l.id = n.audit_id join app.users u on u.id::text = l.target_id
        left join app.users a on a.id = l.actor_id order by l.id $$;
create function pg_temp.ban(p_name text) returns jsonb language sql stable security definer
  as $$ select jsonb_build_object('at', u.banned_at = now(), 'until', u.banned_until - now(), 'hidden', h.user_id is not null)
        from app.users u left join app.hidden_people h on h.user_id = u.id where u.username = p_name $$;
create function pg_temp.limited() returns setof text language sql stable security definer
  as $$ select u.username from app.limited_people join app.users u on u.id = user_id order by u.username $$;
create function pg_temp.limited_for(p_name text) returns boolean language sql stable security definer
  as $$ select is_limited from private.limited_for(test.id(p_name)) $$;
grant execute on all functions in schema pg_temp to public;

-- Who may do it
select test.act_as_service('bob');
select throws_ok(c, 'PT403', 'role_required', 'A moderator can''t call ' || c)
from unnest(array[$$ select api.ban_person('carla', 'Spam', now() + interval '1 day') $$, $$ select api.limit_person('carla', 'Spam') $$,
                  $$ select api.unlimit_person('carla') $$]) c;
select test.act_as('alice');
select throws_ok($$ select api.limit_person('carla', 'Spam') $$, '42501', null, 'An admin can''t limit a person by .rpc() with their own token');

-- A suspension. Acting as Alice, an admin
select test.act_as_service('alice');
select throws_ok(format('select api.ban_person(''carla'', ''Spam'', %L)', u), 'PT422', c, 'A suspension until this time is refused: ' || u)
from (values (now()::text, 'until_past'), ('-infinity', 'until_past'), ((now() + interval '367 days')::text, 'until_far'), ('infinity', 'until_far')) v (u, c);
select throws_ok($$ select api.ban_person('anna', 'Spam', now() + interval '1 day') $$, 'PT409', 'ban_admin', 'An admin can''t be suspended');
select is_empty('select pg_temp.audited()', 'A refused suspension leaves no audit entry');
select is(api.ban_person('carla', 'Spam', now() + interval '1 day') ->> 'suspendedUntil', private.utc(now() + interval '1 day'), 'An admin can suspend a person');
select is(pg_temp.ban('carla'), '{"at": true, "until": "1 day", "hidden": true}',
  'The person is hidden, and banned until the end of the suspension');
select is(api.ban_person('carla', 'Spam', now() + interval '1 day') ->> 'suspendedUntil', private.utc(now() + interval '1 day'), 'Repeating a suspension is accepted');
select is(api.ban_person('carla', 'More spam', now() + interval '366 days') ->> 'suspendedUntil', private.utc(now() + interval '366 days'), 'The end of a suspension can be moved');
select is(api.ban_person('carla', 'Much spam') ->> 'suspendedUntil', null, 'A ban without an end replaces a suspension');
select is(pg_temp.ban('carla'), '{"at": true, "until": null, "hidden": true}', 'The person stays banned');
select is(api.ban_person('carla', 'Less spam', now() + interval '2 days') ->> 'suspendedUntil', private.utc(now() + interval '2 days'), 'A suspension replaces a ban without an end');
select results_eq('select pg_temp.audited()', array['user.suspended carla alice {"reason": "Spam"}', 'user.suspended carla alice {"reason": "More spam"}',
  'user.banned carla alice {"reason": "Much spam"}', 'user.suspended carla alice {"reason": "Less spam"}'],
  'Each change leaves one audit entry, and a repeat leaves none');
select is(api.set_role('carla', 'moderator') ->> 'suspendedUntil', private.utc(now() + interval '2 days'), 'Another role keeps the end of a suspension');
select is(api.set_role('carla', 'user') ->> 'suspendedUntil', private.utc(now() + interval '2 days'), 'Getting the former role back keeps the end of a suspension, too');
select test.act_as_gate();
select throws_ok(format('select api.log_in(%L, ''no hash'', 900)', test.id('carla')), 'PT403', 'person_suspended', 'A suspended person can''t log in');
select test.act_as_owner();
create function pg_temp.text_of_login() returns text language plpgsql as $$
declare v_text text;
begin
  perform api.log_in(test.id('carla'), 'no hash', 900);
  return null;
exception when sqlstate 'PT403' then
  get stacked diagnostics v_text = pg_exception_detail;
  return v_text;
end $$;
select is(pg_temp.text_of_login(), format('This account is suspended until %s.', private.utc(now() + interval '2 days')),
  'The refused login says when the suspension ends');
delete from app.audit_details;
select test.act_as_service('alice');
select is(api.unban_person('carla')::jsonb - 'user', jsonb_build_object('id', test.id('carla'), 'role', 'user', 'bannedAt', null, 'suspendedUntil', null, 'limitedAt', null),
  'An unban ends a suspension');
select results_eq('select pg_temp.audited()', array['user.unbanned carla alice'], 'The unban leaves an audit entry');

-- The end of suspensions
select is(api.ban_person(n, 'Spam', now() + interval '1 hour') is not null, true, n || ' is suspended') from unnest(array['carla', 'dan', 'finn']) n;
select test.act_as_owner();
delete from app.audit_details;
select is(private.job_end_suspensions(), 0, 'No suspension ends before its time');
update app.users set banned_until = now() - interval '1 minute' where username = 'carla';
update app.users set banned_until = now() where username = 'dan';
set role worker;
select is(private.job_end_suspensions(), 1, 'The job ends a suspension that is due');
reset role;
select results_eq($$ select pg_temp.ban('carla') ->> 'hidden', pg_temp.ban('dan') ->> 'hidden' $$, $$ values ('false', 'true') $$, 'The job begins with the suspension that has been due the longest');
set role worker;
select results_eq($$ select private.job_end_suspensions() from generate_series(1, 3) $$, array[1, 0, 0], 'The job ends each suspension once');
reset role;
select is(pg_temp.ban('dan'), '{"at": null, "until": null, "hidden": false}', 'After the end of the suspension the person is visible and not banned');
select is(pg_temp.ban('finn'), '{"at": true, "until": "01:00:00", "hidden": true}', 'A suspension that is not due remains');
select results_eq('select pg_temp.audited()', array['user.unbanned carla nobody', 'user.unbanned dan nobody'], 'Each ended suspension has an audit entry without an actor');
update app.users set banned_until = now() where username = 'finn';
select private.erase_person(test.id('finn'));
select is(private.job_end_suspensions(), 0, 'The suspension of an erased person never ends');
select lives_ok(format('select api.log_in(%L, ''no hash'', 900)', test.id('carla')), 'The person can log in again');

-- A suspension that can't end doesn't keep others from ending
create function private.fail_in_test(p_user app.users) returns void language plpgsql as $$ begin
  if p_user.username = 'carla' then raise 'no'; end if;
end $$;
insert into private.account_steps (step, events, position) values ('private.fail_in_test', '{unban}', 999);
select test.act_as_service('alice');
select count(*) = 2 from (select api.ban_person(n, 'Spam', now() + interval '1 hour') from unnest(array['carla', 'dan']) n) b;
select test.act_as_owner();
update app.users set banned_until = now() - interval '1 minute' where username = 'carla';
update app.users set banned_until = now() where username = 'dan';
set client_min_messages = error;
select results_eq($$ select private.job_end_suspensions() from generate_series(1, 3) $$, array[-1, 1, 0], 'A suspension that could not be ended is tried again after the others');
reset client_min_messages;
select ok((pg_temp.ban('carla') ->> 'hidden')::boolean, 'The person whose suspension could not be ended stays hidden');
delete from private.account_steps where step = 'private.fail_in_test';
delete from app.audit_details;

-- Limits
select test.act_as_service('alice');
select throws_ok(format('select api.limit_person(%L, %L)', p, r), 'PT' || s, c, 'A limit is refused: ' || c)
from (values ('erin', ' ', 422, 'reason_length'), ('zoe', 'Spam', 404, 'person_unknown'), ('alice', 'Spam', 400, 'limit_oneself'), ('anna', 'Spam', 409, 'limit_admin')) v (p, r, s, c);
select is(api.limit_person('erin', 'Spam')::jsonb - 'user', jsonb_build_object('id', test.id('erin'), 'role', 'user', 'bannedAt', null, 'suspendedUntil', null, 'limitedAt', private.utc(now())),
  'An admin can limit a person');
select is(api.limit_person('erin', 'Again') ->> 'limitedAt', private.utc(now()), 'Repeating a limit is accepted');
select results_eq('select pg_temp.limited()', array['erin'], 'The person is among the limited people');
select test.act_as('bob');
select ok(pg_temp.limited_for('erin'), 'The person is limited for a stranger');
select test.act_as('dan');
select ok(not pg_temp.limited_for('erin'), 'The person is not limited for a follower');
select test.act_as('erin');
select ok(not pg_temp.limited_for('erin'), 'The person is not limited for themselves');
select test.act_as_owner();
update app.users set role = 'admin' where username = 'erin';
insert into app.reports (reporter_id, target_type, target_id, reason) values (test.id('dan'), 'user', test.id('erin'), 'x');
select test.act_as_service('erin');
select throws_ok($$ select api.unlimit_person('erin') $$, 'PT403', 'moderate_own', 'An admin can''t end the limit of their own account');
select is(api.get_user('erin') ->> 'openReports', '0', 'Nobody learns how many reports there are about themselves');
select test.act_as_owner();
update app.users set role = 'user' where username = 'erin';
select test.act_as_service('alice');
select is(api.unlimit_person('erin', 'A mistake') ->> 'limitedAt', null, 'An admin can end a limit');
select is(api.unlimit_person('erin') ->> 'limitedAt', null, 'Ending a limit again is accepted');
select is_empty('select pg_temp.limited()', 'The person is no longer among the limited people');
select results_eq('select pg_temp.audited()', array['user.limited erin alice {"reason": "Spam"}', 'user.unlimited erin alice {"reason": "A mistake"}'],
  'Each change leaves one audit entry');

select * from finish();
rollback;
