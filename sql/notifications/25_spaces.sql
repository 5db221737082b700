-- Notifications of groups and guilds: decisions about a person's membership.

insert into private.notification_kinds (kind, rolls_up, replaces_unread) values ('membership.decided', false, true);

create function private.notify_membership(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'membership.decided', (e.payload ->> 'actorId')::uuid, e.payload ->> 'kind',
            e.payload ->> 'spaceId',
            jsonb_build_object(
              'event', e.payload -> 'event', 'role', e.payload -> 'role', 'invitationId', e.payload -> 'invitationId',
              'proposalId', e.payload -> 'proposalId',
              'groupId', case e.payload ->> 'kind' when 'group' then e.payload -> 'spaceId' else 'null' end,
              'guildId', case e.payload ->> 'kind' when 'guild' then e.payload -> 'spaceId' else 'null' end),
            concat_ws(':', 'membership.decided', e.payload ->> 'spaceId', e.payload ->> 'event',
                      e.payload ->> 'proposalId'), null,
            e.caused_at)::private.notice
    from unnest(p_effects) e
    left join app.space_invitations i on i.id = (e.payload ->> 'invitationId')::uuid
    where e.payload ->> 'event' <> 'invited' or i.status = 'pending'
    order by e.id));
end $$;
comment on function private.notify_membership is
  'Listener: notifies a person of a decision about them in a group or guild. Only the notification of an invitation '
  'names the person who decided. It skips an invitation that is no longer pending.';

create function private.forget_space_invitation(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.take_back_notice(
    e.user_id, concat_ws(':', 'membership.decided', e.payload ->> 'spaceId', 'invited'),
    jsonb_build_object('invitationId', e.payload -> 'invitationId'))
  from unnest(p_effects) e;
end $$;
comment on function private.forget_space_invitation is
  'Listener: deletes the notification of a withdrawn invitation into a space.';

insert into private.event_listeners (event, listener, position, timing) values
  ('spaces.membership.decided', 'private.notify_membership', 600, 'soon'),
  ('spaces.invitation.withdrawn', 'private.forget_space_invitation', 610, 'soon');
