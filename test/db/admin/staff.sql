-- What staff can list and do, as each kind of person, without the routes. Filters and pages over HTTP are in
-- test/api/admin.
begin;
create temp table operations (call text, for_admins boolean);
grant all on operations to public;
insert into operations
select format('select api.%s()', o), false from unnest(array['get_books', 'get_jobs', 'get_metrics', 'list_all_apps', 'list_all_interests', 'list_all_posts',
  'list_all_replies', 'list_all_series', 'list_assistant_sessions', 'list_circles', 'list_contributors', 'list_failed_jobs', 'list_stuck_effects', 'list_feature_flags',
  'list_intents', 'list_invite_codes', 'list_media', 'list_reports', 'list_reputation_entries', 'list_reputation_votes',
  'list_signals', 'list_users']) o
union all select format('select api.%s(gen_random_uuid())', o), false from unnest(array['dismiss_report', 'get_interest', 'review_report']) o
union all select format('select api.%s(%L)', o, 'nobody'), false from unnest(array['get_user', 'list_user_sessions']) o
union all select format('select api.%s(gen_random_uuid())', o), true from unnest(array['remove_app', 'remove_circle', 'revoke_invite_code']) o
union all select format('select api.%s()', o), true from unnest(array['list_audit_log', 'verify_audit_log']) o
union all select format('select api.%s(%L)', o, 'nobody'), true from unnest(array['end_user_sessions', 'erase_user', 'export_user']) o
union all select $$ select api.create_interest('x', 'x', 1, 'ink') $$, true
union all select $$ select api.update_interest(gen_random_uuid(), '{}') $$, true
union all select $$ select api.set_feature_flag('x', true) $$, true
union all select $$ select api.preview_broadcast('A', 'b') $$, true
union all select $$ select api.retry_failed_job('mail', gen_random_uuid()) $$, true
union all select $$ select api.retry_stuck_effects(gen_random_uuid()) $$, true
union all select $$ select api.retry_failed_jobs('mail') $$, true;
select plan((4 * count(*) + count(*) filter (where for_admins))::int + 20) from operations;

select test.people('alice', 'bob', 'carla', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';

-- Acting as somebody who isn't staff
select test.act_as_service('bob');
select throws_ok(call, 'PT403', 'role_required', 'A user can''t ' || call) from operations;
select test.act_as('alice');
select throws_ok(call, '42501', null, 'An admin''s own token can''t, over .rpc(), ' || call) from operations;
select test.act_as('mona');
select throws_ok(call, '42501', null, 'A moderator''s own token can''t, over .rpc(), ' || call) from operations;
select test.act_as_service();
select throws_ok(call, 'PT403', 'role_required', 'The service role without a person can''t ' || call) from operations;

-- Acting as Mona, a moderator
select test.act_as_service('mona');
select throws_ok(call, 'PT403', 'role_required', 'A moderator can''t ' || call) from operations where for_admins;
-- The first admin is counted too
select is(api.get_metrics() ->> 'users', '5', 'A moderator can read the metrics');

-- Each action leaves one audit entry, and the people concerned are notified
select test.act_as('bob');
select api.create_circle('Friends');
select test.act_as_owner();
update app.settings set value = 'everyone' where key = 'register_apps';
select test.act_as('bob');
select api.create_app('Garden', array['https://garden.example/'], array['posts:read']);
select api.report('user', 'carla', 'Rude');
select test.act_as_owner();
insert into app.feature_flags (key, enabled, description) values ('tap-kites', false, 'x');
create function pg_temp.entries() returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', u.username, l.action), ', ' order by l.id), '')
  from app.audit_log l join app.users u on u.id = l.actor_id where l.actor_id in (test.id('alice'), test.id('mona')) $$;
create function pg_temp.told(p_name text) returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(concat_ws(' ', n.target_type, n.payload ->> 'action'), ', ' order by n.target_type), '')
  from app.notifications n where n.user_id = test.id(p_name) and n.kind = 'moderation.actioned'
    and not exists (select from app.notification_actors a where a.notification_id = n.id) $$;
create function pg_temp.report() returns uuid language sql stable security definer as $$ select id from app.reports limit 1 $$;
create function pg_temp.circle() returns uuid language sql stable security definer as $$ select id from app.circles limit 1 $$;
create function pg_temp.app() returns uuid language sql stable security definer as $$ select id from app.apps limit 1 $$;
grant execute on all functions in schema pg_temp to public;
select test.act_as_service('mona');
select is(api.list_all_apps(p_q => 'GARDEN') -> 'items' -> 0 -> 'owner' ->> 'username', 'bob', 'A moderator sees the apps of everybody');
select is(api.review_report(pg_temp.report()) ->> 'status', 'reviewed', 'A moderator can settle a report');
select throws_ok($$ select api.dismiss_report(pg_temp.report()) $$, 'PT409', 'report_settled', 'A settled report can''t be settled again');
select test.act_as_service('alice');
select is(api.remove_circle(pg_temp.circle())::text, null, 'An admin can delete a circle');
select throws_ok($$ select api.remove_circle(gen_random_uuid()) $$, 'PT404', 'circle_unknown', 'An unknown circle can''t be deleted');
select is(api.remove_app(pg_temp.app())::text, null, 'An admin can delete an app');
select throws_ok($$ select api.remove_app(pg_temp.app()) $$, 'PT404', 'app_unknown', 'A deleted app can''t be deleted');
select is(api.set_feature_flag('tap-kites', true) ->> 'enabled', 'true', 'An admin can switch a feature flag');
select is(api.set_feature_flag('tap-kites', true) ->> 'enabled', 'true', 'Switching a flag to the same value is not an error');
select throws_ok($$ select api.create_interest('Bad slug', 'x', 1, 'ink') $$, 'PT422', 'interest_fields', 'A slug with a wrong format is refused');
select throws_ok($$ select api.create_interest('tap', 'x', 4, 'ink') $$, 'PT422', 'interest_fields', 'A level out of range is refused');
select throws_ok($$ select api.create_interest('tap', null, 1, 'ink') $$, 'PT422', 'interest_fields', 'An interest without a name is refused');
select throws_ok($$ select api.create_interest('tap', 'x', 2, 'ink', 'a0000000-0000-4000-8000-000000000000') $$, 'PT404', 'interest_unknown', 'An unknown parent is refused');
select isnt(api.create_interest('tap', 'Tap', 1, 'ink') ->> 'id', null, 'An admin can add an interest');
select throws_ok($$ select api.erase_user('bob') $$, 'PT409', 'person_free', 'A person who isn''t banned can''t be erased by staff');
select throws_ok($$ select api.export_user('bob') $$, 'PT409', 'person_free', 'A person who isn''t banned can''t be exported by staff');
select is(pg_temp.entries(), 'mona report.reviewed, alice circle.deleted, alice app.deleted, alice flag.switched, alice interest.created', 'Each action leaves one audit entry');
select is(pg_temp.told('bob'), 'app deleted, circle deleted, report reviewed', 'The person concerned is notified of each action, without the names of staff');
select is(pg_temp.told('carla'), '', 'The reported person is not notified');

select * from finish();
rollback;
