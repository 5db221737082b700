-- What staff can do about reputation: list and resolve appeals, and adjust by hand.
begin;
select plan(57);
select test.people('alice', 'bob', 'carla', 'dan');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'bob';

create function pg_temp.interest(p_slug text) returns uuid language sql stable security definer
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.value(p_name text, p_slug text) returns numeric language sql stable security definer
  as $$ select private.reputation_value(test.id(p_name), pg_temp.interest(p_slug)) $$;
create function pg_temp.audited() returns setof text language sql stable security definer
  as $$ select concat_ws(' ', l.action, l.target_type, l.actor_id = test.id('alice'), d.detail)
        from app.audit_log l join app.audit_details d on d.audit_id = l.id order by l.id $$;
create temporary table made (what text, id uuid);
grant all on made to public;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
create function pg_temp.heard() returns setof jsonb language sql stable
  as $$ select i::jsonb from json_array_elements(api.list_notifications(50) -> 'items') i where i ->> 'kind' = 'appeal.resolved' $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('carla');
insert into made select s, (api.create_appeal(pg_temp.interest(s), 'About ' || s) ->> 'id')::uuid from unnest(array['applied-ethics', 'music', 'history']) s;
select test.act_as('dan');
insert into made select 'dan', (api.create_appeal(pg_temp.interest('music'), 'About Dan') ->> 'id')::uuid;

-- Lists. Acting as Bob, a moderator
select test.act_as_service('bob');
select is(json_array_length(api.list_appeals() -> 'items'), 4, 'Moderators can read all appeals');
select results_eq($$ select i::jsonb - 'createdAt' from json_array_elements(api.list_appeals() -> 'items') i where i ->> 'text' = 'About Dan' $$,
  $$ select jsonb_build_object('id', pg_temp.made('dan'), 'userId', test.id('dan'), 'user', p.card, 'interestId', pg_temp.interest('music'),
       'slug', 'music', 'eventId', null, 'text', 'About Dan', 'status', 'pending', 'restoreDelta', null, 'note', null, 'resolvedAt', null)
     from app.person_card p where p.id = test.id('dan') $$, 'An appeal names its person');
select is(json_array_length(api.list_appeals('pending') -> 'items'), 4, 'The list can be narrowed to pending appeals');
select is(json_array_length(api.list_appeals('accepted') -> 'items'), 0, 'The list can be narrowed to accepted appeals');
select throws_ok($$ select api.list_appeals(p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select is((select count(distinct i ->> 'id')::int from json_array_elements(json_build_array(
             api.list_appeals(p_limit => 2) -> 'items' -> 0, api.list_appeals(p_limit => 2) -> 'items' -> 1,
             api.list_appeals(p_limit => 2, p_cursor => api.list_appeals(p_limit => 2) ->> 'nextCursor') -> 'items' -> 0,
             api.list_appeals(p_limit => 2, p_cursor => api.list_appeals(p_limit => 2) ->> 'nextCursor') -> 'items' -> 1)) i), 4, 'Two pages of two have each appeal once');
select throws_ok($$ select api.resolve_appeal(pg_temp.made('music'), 'rejected') $$, 'PT403', 'role_required', 'A moderator can''t resolve an appeal');
select throws_ok($$ select api.adjust_reputation('carla', pg_temp.interest('music'), 1, 'So') $$, 'PT403', 'role_required', 'A moderator can''t adjust reputation');

-- Resolving. Acting as Alice, an admin
select test.act_as_service('alice');
select is(api.resolve_appeal(pg_temp.made('applied-ethics'), 'accepted', 7.5, e' Right you are.\n')::jsonb - 'createdAt' - 'resolvedAt' - 'user',
  jsonb_build_object('id', pg_temp.made('applied-ethics'), 'userId', test.id('carla'), 'interestId', pg_temp.interest('applied-ethics'),
    'slug', 'applied-ethics', 'eventId', null, 'text', 'About applied-ethics', 'status', 'accepted', 'restoreDelta', 7.50,
    'note', 'Right you are.'), 'An admin can accept an appeal and restore points');
select is(pg_temp.value('carla', 'applied-ethics'), 7.50, 'The person gets the restored points');
select is(pg_temp.value('carla', 'philosophy'), 1.88, 'The restored points roll up to the parent interest');
select results_eq($$ select kind, source_id, delta, earned_from from app.reputation_entries where user_id = test.id('carla') and roll_up_level = 0 $$,
  $$ values ('appeal.restored', pg_temp.made('applied-ethics'), 7.50, null::uuid) $$, 'The ledger entry names the appeal');
select is(api.resolve_appeal(pg_temp.made('music'), 'rejected', p_note => 'No.') ->> 'status', 'rejected', 'An admin can reject an appeal');
select is(pg_temp.value('carla', 'music'), 0::numeric, 'A rejected appeal changes nothing');
select is(api.resolve_appeal(pg_temp.made('history'), 'accepted') ->> 'restoreDelta', null, 'An admin can accept an appeal without restoring points');
select is((select count(*)::int from app.reputation_entries where user_id = test.id('carla') and roll_up_level = 0), 1, 'Without restored points there is no ledger entry');
select throws_ok(format('select api.resolve_appeal(pg_temp.made(''music''), %L, %s)', d, r), 'PT409', 'appeal_resolved', format('A resolved appeal can''t be resolved again: %s', d))
from (values ('accepted', '5'), ('rejected', 'null')) v (d, r);
select throws_ok($$ select api.resolve_appeal(gen_random_uuid(), 'accepted') $$, 'PT404', 'appeal_unknown', 'An unknown appeal can''t be resolved');
select throws_ok(format('select api.resolve_appeal(pg_temp.made(''dan''), %L)', d), 'PT422', 'appeal_decision', format('The decision %s is refused', coalesce(d, 'null')))
from unnest(array['pending', 'maybe', null]) d;
select throws_ok($$ select api.resolve_appeal(pg_temp.made('dan'), 'rejected', 1) $$, 'PT422', 'restore_delta_misplaced', 'A rejection can''t restore points');
select throws_ok(format('select api.resolve_appeal(pg_temp.made(''dan''), ''accepted'', %L)', d), 'PT422', 'delta_out_of_range', format('Restoring %s points is refused', d))
from unnest(array['0', '-1', '0.001', '1000.01', 'NaN', 'Infinity']) d;
select throws_ok($$ select api.resolve_appeal(pg_temp.made('dan'), 'accepted', null, repeat('x', 1001)) $$, 'PT422', 'note_length', 'A note of more than 1000 characters is refused');
select throws_ok($$ select api.resolve_appeal(pg_temp.made('dan'), 'rejected', null, e'No\u202e') $$, 'PT422', 'text_unfit', 'A note with a character that changes the direction of writing is refused');
select is(json_array_length(api.list_appeals('pending') -> 'items'), 1, 'An appeal whose resolution was refused is still pending');

-- Adjusting
select throws_ok($$ select api.adjust_reputation('carla', pg_temp.interest('music'), 1, e'\u200b') $$, 'PT422', 'text_unfit', 'An invisible note is refused');
select is(api.adjust_reputation('carla', pg_temp.interest('applied-ethics'), 2.5, 'For the talk')::jsonb - 'id' - 'user',
  jsonb_build_object('userId', test.id('carla'), 'interestId', pg_temp.interest('applied-ethics'), 'delta', 2.5, 'value', 10.00, 'level', 'Reader'),
  'An admin can adjust reputation, and gets the new value and level');
select is(pg_temp.value('carla', 'ethics'), 5.00, 'An adjustment rolls up to the parent interest');
select is(api.adjust_reputation(test.id('dan')::text, pg_temp.interest('music'), -1000, 'By UUID') ->> 'value', '-1000.00', 'An adjustment can name the person by UUID, and the value can fall below 0');
select is(api.adjust_reputation('@dan@localhost', pg_temp.interest('music'), 1000, 'By actor id') ->> 'value', '0.00', 'An adjustment can name the person by actor id');
select results_eq($$ select kind from app.reputation_entries where user_id = test.id('dan') and roll_up_level = 0 $$,
  array['admin.adjusted', 'admin.adjusted'], 'Adjustments are ledger entries of their own kind');
select throws_ok(format('select api.adjust_reputation(''dan'', pg_temp.interest(''music''), %L, ''So'')', d), 'PT422', 'delta_out_of_range',
  format('An adjustment by %s is refused', coalesce(d, 'null')))
from unnest(array['0', '0.001', '1000.01', '-1000.01', null]) d;
select throws_ok(format('select api.adjust_reputation(''dan'', pg_temp.interest(''music''), 1, %L)', n), 'PT422', 'note_length', format('An adjustment with the note %L is refused', n))
from unnest(array[' ', null]) n;
select throws_ok($$ select api.adjust_reputation('zoe', pg_temp.interest('music'), 1, 'So') $$, 'PT404', 'person_unknown', 'An unknown username fails with person_unknown');
select throws_ok($$ select api.adjust_reputation(gen_random_uuid()::text, pg_temp.interest('music'), 1, 'So') $$, 'PT404', 'person_unknown', 'An unknown UUID fails with person_unknown');
select throws_ok($$ select api.adjust_reputation('dan', gen_random_uuid(), 1, 'So') $$, 'PT404', 'interest_unknown', 'An unknown interest fails with interest_unknown');
select results_eq('select pg_temp.audited()', array[
    'appeal.resolved appeal t {"decision": "accepted", "restoreDelta": 7.5}', 'appeal.resolved appeal t {"decision": "rejected", "restoreDelta": null}',
    'appeal.resolved appeal t {"decision": "accepted", "restoreDelta": null}',
    format('reputation.adjusted user t {"note": "For the talk", "delta": 2.5, "interestId": "%s"}', pg_temp.interest('applied-ethics')),
    format('reputation.adjusted user t {"note": "By UUID", "delta": -1000, "interestId": "%s"}', pg_temp.interest('music')),
    format('reputation.adjusted user t {"note": "By actor id", "delta": 1000, "interestId": "%s"}', pg_temp.interest('music'))],
  'Every decision and adjustment leaves one audit entry, and refused ones leave none');

-- Acting as Carla, the person who appealed
select test.act_as('carla');
select set_eq($$ select h -> 'payload' from pg_temp.heard() h $$,
  $$ select jsonb_build_object('appealId', pg_temp.made(w), 'interestId', pg_temp.interest(w), 'status', s)
     from (values ('applied-ethics', 'accepted'), ('music', 'rejected'), ('history', 'accepted')) v (w, s) $$, 'The person who appealed is notified of each decision');
select is((select i ->> 'note' from json_array_elements(api.list_my_appeals() -> 'items') i where i ->> 'slug' = 'music'), 'No.', 'The person who appealed can read the note');
select test.act_as('dan');
select is_empty($$ select pg_temp.heard() $$, 'Other people are not notified');

-- Appeals of banned people
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dan';
select test.act_as_service('alice');
select is(api.resolve_appeal(pg_temp.made('dan'), 'accepted', 3) #>> '{user,username}', 'dan', 'A banned person''s appeal can be resolved');
select throws_ok($$ select api.resolve_appeal(pg_temp.made('dan'), 'accepted', 3) $$, 'PT409', 'appeal_resolved', 'A banned person''s appeal can be resolved only once');

-- Permissions
select test.act_as_service('carla');
select throws_ok($$ select api.list_appeals() $$, 'PT403', 'role_required', 'A user can''t list other people''s appeals');
select test.act_as('alice');
select throws_ok($$ select api.adjust_reputation('alice', pg_temp.interest('music'), 1000, 'Me') $$, '42501', null, 'An admin''s own token can''t adjust reputation over .rpc()');
select throws_ok($$ select api.resolve_appeal(pg_temp.made('dan'), 'accepted') $$, '42501', null, 'An admin''s own token can''t resolve an appeal over .rpc()');

select * from finish();
rollback;
