-- Notifications of identity: somebody has joined with a person's invite code.

insert into private.notification_kinds (kind) values ('invite.used');

create function private.notify_invite_used(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify((p_event ->> 'inviterUserId')::uuid, 'invite.used', (p_event ->> 'newUserId')::uuid,
    'invite-code', p_event ->> 'codeId', jsonb_build_object('codeId', p_event -> 'codeId'));
end $$;
comment on function private.notify_invite_used is
  'Listener: tells the owner of an invite code that somebody has joined with it.';
insert into private.event_listeners (event, listener, position) values
  ('identity.invite_code.used', 'private.notify_invite_used', 600);
