-- Notifications of what staff did about something that a person published.

insert into private.notification_kinds (kind, passes_muted_post, always_in_app)
values ('moderation.actioned', true, true);

create function private.notify_moderated(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- without an actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            e.payload - 'authorId', null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_moderated is
  'Listener: notifies a person that their post or reply was hidden, shown again or deleted, their content removed or '
  'restored, their circle deleted, their invite code revoked, their report settled, their group or guild archived or '
  'restored, or their membership of one decided.';

insert into private.event_listeners (event, listener, position, timing) values
  ('admin.content.moderated', 'private.notify_moderated', 600, 'soon');
