-- Notifications of reputation: levels, votes, appeals.

insert into private.notification_kinds (kind, replaces_unread) values
  ('reputation.level-up', false),
  ('reputation.voted', true),
  ('appeal.resolved', false);

create function private.notify_level_up(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify((p_event ->> 'userId')::uuid, 'reputation.level-up', null,
    'interest', p_event ->> 'interestId',
    jsonb_build_object('interestId', p_event -> 'interestId', 'level', p_event -> 'level'));
end $$;
comment on function private.notify_level_up is 'Listener: tells a person that they have reached a level.';

create function private.notify_voted(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (p_event ->> 'value')::integer <> 0 then
    perform private.notify((p_event ->> 'userId')::uuid, 'reputation.voted', (p_event ->> 'voterId')::uuid,
      'vote', p_event ->> 'voteId',
      jsonb_build_object('interestId', p_event -> 'interestId', 'value', p_event -> 'value'));
  end if;
end $$;
comment on function private.notify_voted is
  'Listener: tells a person that somebody voted for or against them, but not that a vote was taken back.';

create function private.notify_appeal_resolved(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(a.user_id, 'appeal.resolved', null, 'appeal', a.id::text,
    jsonb_build_object('appealId', a.id, 'interestId', a.interest_id, 'status', a.status))
  from app.reputation_appeals a where a.id = (p_event ->> 'appealId')::uuid;
end $$;
comment on function private.notify_appeal_resolved is 'Listener: tells a person that their appeal is resolved.';

insert into private.event_listeners (event, listener, position) values
  ('reputation.level_reached', 'private.notify_level_up', 600),
  ('reputation.vote.cast', 'private.notify_voted', 600),
  ('reputation.appeal.resolved', 'private.notify_appeal_resolved', 600);
