-- Notifications of the social graph: invitations into circles, memberships, followers.

insert into private.notification_kinds (kind, rolls_up, replaces_unread) values
  ('circle.invited', false, true),
  ('circle.accepted', false, false),
  ('circle.added', false, true),
  ('user.followed', true, false);

create function private.notify_circle_invited(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify((p_event ->> 'inviteeId')::uuid, 'circle.invited', (p_event ->> 'inviterId')::uuid,
    'invitation', p_event ->> 'invitationId',
    jsonb_build_object('invitationId', p_event -> 'invitationId', 'circleId', p_event -> 'circleId'),
    'circle.invited:' || (p_event ->> 'circleId'));
end $$;
comment on function private.notify_circle_invited is 'Listener: tells a person that they are invited into a circle.';

create function private.notify_circle_accepted(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(i.inviter_id, 'circle.accepted', i.invitee_id, 'circle', i.circle_id::text,
    jsonb_build_object('invitationId', i.id, 'circleId', i.circle_id), 'circle.accepted:' || i.id)
  from app.circle_invitations i where i.id = (p_event ->> 'invitationId')::uuid;
end $$;
comment on function private.notify_circle_accepted is 'Listener: tells a person that their invitation is accepted.';

create function private.notify_circle_added(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- a person who accepts an invitation adds themselves, and need not be told
  perform private.notify((p_event ->> 'memberId')::uuid, 'circle.added', c.owner_id, 'circle', c.id::text,
    jsonb_build_object('circleId', c.id))
  from app.circles c
  where c.id = (p_event ->> 'circleId')::uuid and app.uid() is distinct from (p_event ->> 'memberId')::uuid;
end $$;
comment on function private.notify_circle_added is
  'Listener: tells a person that the owner has put them into a circle.';

create function private.notify_followed(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the follower is the actor; there is no target
  perform private.notify((p_event ->> 'followingId')::uuid, 'user.followed', (p_event ->> 'followerId')::uuid,
    null, null);
end $$;
comment on function private.notify_followed is 'Listener: tells a person that somebody follows them.';

insert into private.event_listeners (event, listener, position) values
  ('social.invitation.sent', 'private.notify_circle_invited', 600),
  ('social.invitation.accepted', 'private.notify_circle_accepted', 600),
  ('social.member.added', 'private.notify_circle_added', 600),
  ('social.user.followed', 'private.notify_followed', 600);
