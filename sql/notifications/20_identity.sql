-- Notifies people that somebody has joined with their invite code.

insert into private.notification_kinds (kind) values ('invite.used');

create function private.notify_invite_used(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'invite.used', (e.payload ->> 'newUserId')::uuid, 'invite-code', e.payload ->> 'codeId',
            jsonb_build_object('codeId', e.payload -> 'codeId'), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_invite_used is
  'Listener: notifies the owner of an invite code that somebody has joined with it.';

insert into private.event_listeners (event, listener, position, timing) values
  ('identity.invite_code.used', 'private.notify_invite_used', 600, 'soon');
