-- How an erasure changes notifications, and where they hold personal data. See sql/base/90_erasure.sql for how an
-- erasure runs.

insert into private.personal_data (relation, person_column, section) values
  ('app.notifications', 'user_id', 'notifications'),
  ('app.notification_preferences', 'user_id', 'notificationPreferences');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.notification_settings', 'user_id', 'notificationSettings', '{unsubscribe_id}'),
  ('app.push_tokens', 'user_id', 'pushTokens', '{p256dh,auth}');
insert into private.personal_data (relation, person_column, section, within) values
  ('app.notification_actors', 'notification_id', 'notificationActors', '{notifications}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.pushed_subjects', 'user_id', 'The subjects of pushes within the last hour; deleted after the hour.'),
  ('private.pushes', 'notification_id', 'The pushes of notifications to devices, for two days; both have sections.'),
  ('private.digests', 'user_id', 'The times of mailed digests, for eight days; the notifications have the content.'),
  ('app.notification_actors', 'actor_id', 'The notification belongs to somebody else; the person''s action has its '
    'own section.');

create function private.erase_notifications(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  perform private.erase_rows(p_user.id, 'app.notifications', 'user_id = $1');
  v_ids := array(select notification_id from app.notification_actors where actor_id = p_user.id limit 500);
  delete from app.notification_settings where user_id = p_user.id;
  delete from app.notification_preferences where user_id = p_user.id;
  delete from app.notifications n
  where n.id = any (v_ids)
    and n.kind not in (select k.kind from private.notification_kinds k where k.outlives_actor)
    and not exists (select from app.notification_actors a where a.notification_id = n.id and a.actor_id <> p_user.id);
  delete from app.notification_actors where actor_id = p_user.id and notification_id = any (v_ids);
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_notifications is
  'Step: deletes an erased person''s notifications and preferences, and other people''s notifications whose only '
  'actor is this person, except kinds that outlive their actor.';
call private.force_index_scans('private.erase_notifications');
insert into private.account_steps (step, events, position) values
  ('private.erase_notifications', '{erasure}', 190);
