-- Notifications of the social graph: invitations into circles, memberships, followers.

insert into private.notification_kinds (kind, rolls_up, replaces_unread) values
  ('circle.invited', false, true),
  ('circle.accepted', false, false),
  ('circle.added', false, true),
  ('user.followed', true, false);
update private.notification_kinds set path = '/followers' where kind = 'user.followed';

create function private.notify_circle_invited(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'circle.invited', (e.payload ->> 'inviterId')::uuid, 'invitation',
            e.payload ->> 'invitationId',
            jsonb_build_object('invitationId', e.payload -> 'invitationId', 'circleId', e.payload -> 'circleId'),
            'circle.invited:' || (e.payload ->> 'circleId'), null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.circle_invitations i on i.id = (e.payload ->> 'invitationId')::uuid and i.status = 'pending'));
end $$;
comment on function private.notify_circle_invited is
  'Listener: notifies a person that they are invited into a circle, unless they have answered or the invitation was '
  'withdrawn.';

create function private.forget_circle_invitation(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.take_back_notice(
    e.user_id, 'circle.invited:' || (e.payload ->> 'circleId'),
    jsonb_build_object('invitationId', e.payload -> 'invitationId'))
  from unnest(p_effects) e;
end $$;
comment on function private.forget_circle_invitation is
  'Listener: deletes the notification of a withdrawn invitation.';

create function private.notify_circle_accepted(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'circle.accepted', (e.payload ->> 'memberId')::uuid, 'circle', e.payload ->> 'circleId',
            jsonb_build_object('invitationId', e.payload -> 'invitationId', 'circleId', e.payload -> 'circleId'),
            'circle.accepted:' || (e.payload ->> 'invitationId'), null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_circle_accepted is
  'Listener: notifies a person that their invitation was accepted.';

create function private.notify_circle_added(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'circle.added', c.owner_id, 'circle', c.id::text, jsonb_build_object('circleId', c.id),
            null, null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.circles c on c.id = (e.payload ->> 'circleId')::uuid
    join app.circle_members m on m.circle_id = c.id and m.member_id = e.user_id));
end $$;
comment on function private.notify_circle_added is
  'Listener: notifies a person that the owner has added them to a circle, if they are still in it.';

create function private.forget_circle_added(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.take_back_notice(e.user_id, 'circle.added:' || (e.payload ->> 'circleId'), '{}')
  from unnest(p_effects) e
  where not exists (select from app.circle_members m
                    where m.circle_id = (e.payload ->> 'circleId')::uuid and m.member_id = e.user_id);
end $$;
comment on function private.forget_circle_added is
  'Listener: deletes the notification of a circle that the person is no longer in.';

create function private.notify_followed(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the follower is the actor; there is no target
  perform private.notify(array(
    select (e.user_id, 'user.followed', (e.payload ->> 'followerId')::uuid, null, null, '{}', null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_followed is
  'Listener: notifies a person that somebody follows them.';

insert into private.event_listeners (event, listener, position, timing) values
  ('social.invitation.sent', 'private.notify_circle_invited', 600, 'soon'),
  ('social.invitation.accepted', 'private.notify_circle_accepted', 600, 'soon'),
  ('social.invitation.withdrawn', 'private.forget_circle_invitation', 610, 'soon'),
  ('social.member.added', 'private.notify_circle_added', 600, 'soon'),
  ('social.member.removed', 'private.forget_circle_added', 610, 'soon'),
  ('social.user.followed', 'private.notify_followed', 600, 'soon');
