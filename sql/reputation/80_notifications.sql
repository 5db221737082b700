-- Notifications of reputation: levels, votes, appeals.

insert into private.notification_kinds (kind, replaces_unread) values
  ('reputation.level-up', false),
  ('reputation.voted', true),
  ('appeal.resolved', false);
insert into private.notification_targets (type, words) values
  ('appeal', 'select a.id, i.name, a.text from app.reputation_appeals a join app.interests i on i.id = a.interest_id
              where a.id = any ($1)');

create function private.notify_level_up(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'reputation.level-up', null, 'interest', e.payload ->> 'interestId',
            jsonb_build_object('interestId', e.payload -> 'interestId', 'level', e.payload -> 'level'), null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_level_up is 'Listener: notifies a person that they have reached a level.';

create function private.notify_voted(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'reputation.voted', (e.payload ->> 'voterId')::uuid, 'vote', e.payload ->> 'voteId',
            jsonb_build_object('interestId', e.payload -> 'interestId', 'value', e.payload -> 'value'), null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e where (e.payload ->> 'value')::integer <> 0));
end $$;
comment on function private.notify_voted is
  'Listener: notifies a person that somebody voted for or against them. It skips votes that were taken back.';

create function private.notify_appeal_resolved(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'appeal.resolved', null, 'appeal', e.payload ->> 'appealId', e.payload - 'userId', null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_appeal_resolved is 'Listener: notifies a person that their appeal was resolved.';

insert into private.event_listeners (event, listener, position, timing) values
  ('reputation.level_reached', 'private.notify_level_up', 600, 'soon'),
  ('reputation.vote.cast', 'private.notify_voted', 600, 'soon'),
  ('reputation.appeal.resolved', 'private.notify_appeal_resolved', 600, 'soon');
