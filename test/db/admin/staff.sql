-- What staff lists and does, as each kind of person, past the routes. Filters and pages over HTTP: test/api/admin.
begin;
create temp table operations (call text, for_admins boolean);
grant all on operations to public;
insert into operations
select format('select api.%s()', o), false from unnest(array['get_jobs', 'get_metrics', 'list_all_interests', 'list_all_posts',
  'list_all_replies', 'list_all_series', 'list_assistant_sessions', 'list_circles', 'list_contributors', 'list_feature_flags',
  'list_intents', 'list_invite_codes', 'list_media', 'list_reports', 'list_reputation_entries', 'list_reputation_votes',
  'list_signals', 'list_users']) o
union all select format('select api.%s(gen_random_uuid())', o), false from unnest(array['dismiss_report', 'get_interest', 'review_report']) o
union all select $$ select api.get_user('nobody') $$, false
union all select format('select api.%s(gen_random_uuid())', o), true from unnest(array['remove_circle', 'revoke_invite_code']) o
union all select format('select api.%s()', o), true from unnest(array['list_audit_log', 'verify_audit_log']) o
union all select format('select api.%s(%L)', o, 'nobody'), true from unnest(array['erase_user', 'export_user']) o
union all select $$ select api.create_interest('x', 'x', 1, 'ink') $$, true
union all select $$ select api.update_interest(gen_random_uuid(), '{}') $$, true
union all select $$ select api.set_feature_flag('x', true) $$, true;
select plan((4 * count(*) + count(*) filter (where for_admins))::int + 17) from operations;

select test.people('alice', 'bob', 'carla', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';

-- Acting as whoever is no staff
select test.act_as_service('bob');
select throws_ok(call, 'PT403', 'role_required', 'a user does not ' || call) from operations;
select test.act_as('alice');
select throws_ok(call, '42501', null, 'an admin''s own token is not for .rpc(): ' || call) from operations;
select test.act_as('mona');
select throws_ok(call, '42501', null, 'nor a moderator''s: ' || call) from operations;
select test.act_as_service();
select throws_ok(call, 'PT403', 'role_required', 'a service key without a person: ' || call) from operations;

-- Acting as Mona, a moderator
select test.act_as_service('mona');
select throws_ok(call, 'PT403', 'role_required', 'a moderator does not ' || call) from operations where for_admins;
-- the first admin is one too
select is(api.get_metrics() ->> 'users', '5', 'but reads');

-- what is settled, switched, written and deleted leaves one entry, and whom it concerns hears of it
select test.act_as('bob');
select api.create_circle('Friends');
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
grant execute on all functions in schema pg_temp to public;
select test.act_as_service('mona');
select is(api.review_report(pg_temp.report()) ->> 'status', 'reviewed', 'a moderator settles a report');
select throws_ok($$ select api.dismiss_report(pg_temp.report()) $$, 'PT409', 'report_settled', 'once');
select test.act_as_service('alice');
select is(api.remove_circle(pg_temp.circle())::text, null, 'an admin deletes a circle');
select throws_ok($$ select api.remove_circle(gen_random_uuid()) $$, 'PT404', 'circle_unknown', 'that there is');
select is(api.set_feature_flag('tap-kites', true) ->> 'enabled', 'true', 'switches a flag');
select is(api.set_feature_flag('tap-kites', true) ->> 'enabled', 'true', 'and again');
select throws_ok($$ select api.create_interest('Bad slug', 'x', 1, 'ink') $$, 'PT422', 'interest_fields', 'a slug has its form here too');
select throws_ok($$ select api.create_interest('tap', 'x', 4, 'ink') $$, 'PT422', 'interest_fields', 'and a level');
select throws_ok($$ select api.create_interest('tap', null, 1, 'ink') $$, 'PT422', 'interest_fields', 'and there is a name');
select throws_ok($$ select api.create_interest('tap', 'x', 2, 'ink', 'a0000000-0000-4000-8000-000000000000') $$, 'PT404', 'interest_unknown', 'and a parent');
select isnt(api.create_interest('tap', 'Tap', 1, 'ink') ->> 'id', null, 'an interest is added');
select throws_ok($$ select api.erase_user('bob') $$, 'PT409', 'person_free', 'who is not banned erases themselves');
select throws_ok($$ select api.export_user('bob') $$, 'PT409', 'person_free', 'and exports');
select is(pg_temp.entries(), 'mona report.reviewed, alice circle.deleted, alice flag.switched, alice interest.created', 'each once');
select is(pg_temp.told('bob'), 'circle deleted, report reviewed', 'bob hears of both, and not from whom');
select is(pg_temp.told('carla'), '', 'whom the report is about does not');

select * from finish();
rollback;
