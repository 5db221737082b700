-- Notifications of what staff did about something that a person published.

insert into private.notification_kinds (kind, passes_muted_post, always_in_app)
values ('moderation.actioned', true, true);

create function private.notify_moderated(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the notification has no actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            e.payload - 'authorId', null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_moderated is
  'Listener: notifies a person of what staff did: hid, showed again or deleted their post or reply, removed or '
  'restored their content, deleted their circle, revoked their invite code, settled their report, archived or '
  'restored their group or guild, or decided about their membership of one.';

insert into private.event_listeners (event, listener, position, timing) values
  ('admin.content.moderated', 'private.notify_moderated', 600, 'soon');
