-- Which domain events tell whom what. In the transaction that caused them.
-- Specification: Events. Decisions: Notifications.

create function private.notify_of_event() returns trigger
language plpgsql security definer   -- tells others than the caller
set search_path = ''
as $$
declare
  v_event jsonb := new.payload;
begin
  case new.name
  when 'social.invitation.sent' then
    perform private.notify((v_event ->> 'inviteeId')::uuid, 'circle.invited', (v_event ->> 'inviterId')::uuid,
      'invitation', v_event ->> 'invitationId',
      jsonb_build_object('invitationId', v_event -> 'invitationId', 'circleId', v_event -> 'circleId'),
      'circle.invited:' || (v_event ->> 'circleId'));

  when 'social.invitation.accepted' then
    perform private.notify(i.inviter_id, 'circle.accepted', i.invitee_id, 'circle', i.circle_id::text,
      jsonb_build_object('invitationId', i.id, 'circleId', i.circle_id), 'circle.accepted:' || i.id)
    from app.circle_invitations i where i.id = (v_event ->> 'invitationId')::uuid;

  when 'social.member.added' then
    -- who accepts an invitation adds themselves, and needs not be told
    perform private.notify((v_event ->> 'memberId')::uuid, 'circle.added', c.owner_id, 'circle', c.id::text,
      jsonb_build_object('circleId', c.id))
    from app.circles c
    where c.id = (v_event ->> 'circleId')::uuid and app.uid() is distinct from (v_event ->> 'memberId')::uuid;

  when 'social.user.followed' then
    -- the follower is the actor; who is followed needs no target
    perform private.notify((v_event ->> 'followingId')::uuid, 'user.followed', (v_event ->> 'followerId')::uuid, null, null);

  when 'posts.reply.created' then
    perform private.notify(p.author_id, 'post.replied', (v_event ->> 'authorId')::uuid, 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'replyId', v_event -> 'replyId'))
    from app.posts p where p.id = (v_event ->> 'postId')::uuid;

  when 'posts.reaction.added' then
    perform private.notify(p.author_id, 'post.reacted', (v_event ->> 'userId')::uuid, 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'kind', v_event -> 'kind'))
    from app.posts p where p.id = (v_event ->> 'postId')::uuid;

  when 'economy.payment.sent' then
    perform private.notify(s.receiver_id, 'payment.received', p.sender_id, 'payment', p.id::text,
      jsonb_build_object('paymentId', p.id, 'emotion', p.emotion, 'tier', p.tier, 'amount', s.amount,
                         'postId', p.post_id, 'replyId', p.reply_id))
    from app.payments p join app.payment_splits s on s.payment_id = p.id
    where p.id = (v_event ->> 'paymentId')::uuid;

  when 'identity.invite_code.used' then
    perform private.notify((v_event ->> 'inviterUserId')::uuid, 'invite.used', (v_event ->> 'newUserId')::uuid,
      'invite-code', v_event ->> 'codeId', jsonb_build_object('codeId', v_event -> 'codeId'));

  else
    null;   -- an event that tells nobody anything
  end case;
  return null;
end $$;
comment on function private.notify_of_event is 'Trigger of the outbox: in-app notifications, in the transaction of their cause.';
create trigger notify_of_event after insert on app.domain_events
  for each row execute function private.notify_of_event();
