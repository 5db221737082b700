-- Notifications of staff: a person hears that something was done about what they published.

insert into private.notification_kinds (kind, passes_muted_post) values ('moderation.actioned', true);

create function private.notify_moderated(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- there is no actor: it was the staff
  perform private.notify((p_event ->> 'authorId')::uuid, 'moderation.actioned', null,
    p_event ->> 'targetType', p_event ->> 'targetId', p_event - 'authorId');
end $$;
comment on function private.notify_moderated is
  'Listener: tells the author that their post or reply was hidden, shown again or deleted.';
insert into private.event_listeners (event, listener, position) values
  ('admin.content.moderated', 'private.notify_moderated', 600);
