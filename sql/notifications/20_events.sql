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
    -- in the order of their ids: telling locks, and two replies at once must not wait for each other
    perform private.notify(t.id, 'post.replied', t.author_id, 'post', t.post_id::text,
      jsonb_build_object('postId', t.post_id, 'replyId', t.reply_id))
    from (select r.post_id, r.id as reply_id, r.author_id, a.id
          from app.replies r
          join app.posts p on p.id = r.post_id
          left join app.replies parent on parent.id = r.parent_id
          cross join lateral (select p.author_id union select parent.author_id) a (id)
          where r.id = (v_event ->> 'replyId')::uuid and private.post_visible_to(r.post_id, a.id) and a.id is not null
          order by a.id) t;

  when 'posts.person.mentioned' then
    perform private.notify((v_event ->> 'userId')::uuid, 'post.mentioned', (v_event ->> 'byId')::uuid,
      'post', v_event ->> 'postId', jsonb_build_object('postId', v_event -> 'postId', 'replyId', v_event -> 'replyId'));

  when 'posts.series.extended' then
    perform private.tell_of_part(v_event);

  when 'posts.reaction.added' then
    perform private.notify(p.author_id, 'post.reacted', (v_event ->> 'userId')::uuid, 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'kind', v_event -> 'kind'))
    from app.posts p where p.id = (v_event ->> 'postId')::uuid;

  when 'posts.post.reposted' then
    perform private.notify(p.author_id, 'post.reposted', (v_event ->> 'userId')::uuid, 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'repostId', v_event -> 'repostId'))
    from app.posts p
    where p.id = (v_event ->> 'postId')::uuid and private.post_visible_to((v_event ->> 'repostId')::uuid, p.author_id);

  when 'posts.post.quoted' then
    -- a scheduled quote may go out when what it quotes is gone
    perform private.notify(p.author_id, 'post.quoted', (v_event ->> 'userId')::uuid, 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'quoteId', v_event -> 'quoteId'))
    from app.posts p
    where p.id = (v_event ->> 'postId')::uuid and private.post_visible_to(p.id, p.author_id)
      and private.post_visible_to((v_event ->> 'quoteId')::uuid, p.author_id);

  when 'posts.post.milestone' then
    perform private.notify(p.author_id, 'post.milestone', null, 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'reactions', v_event -> 'reactions'))
    from app.posts p where p.id = (v_event ->> 'postId')::uuid;

  when 'reputation.level_reached' then
    perform private.notify((v_event ->> 'userId')::uuid, 'reputation.level-up', null, 'interest', v_event ->> 'interestId',
      jsonb_build_object('interestId', v_event -> 'interestId', 'level', v_event -> 'level'));

  when 'reputation.vote.cast' then
    if (v_event ->> 'value')::integer <> 0 then
      perform private.notify((v_event ->> 'userId')::uuid, 'reputation.voted', (v_event ->> 'voterId')::uuid,
        'vote', v_event ->> 'voteId',
        jsonb_build_object('interestId', v_event -> 'interestId', 'value', v_event -> 'value'));
    end if;

  when 'reputation.appeal.resolved' then
    perform private.notify(a.user_id, 'appeal.resolved', null, 'appeal', a.id::text,
      jsonb_build_object('appealId', a.id, 'interestId', a.interest_id, 'status', a.status))
    from app.reputation_appeals a where a.id = (v_event ->> 'appealId')::uuid;

  when 'posts.poll.closed' then
    perform private.notify(u.id, 'poll.closed', nullif(p.author_id, u.id), 'post', p.id::text,
      jsonb_build_object('postId', p.id, 'pollId', v_event -> 'pollId'))
    from app.posts p
    cross join lateral (
      select p.author_id as id
      union select v.user_id from app.poll_votes v where v.poll_id = (v_event ->> 'pollId')::uuid) u
    where p.id = (v_event ->> 'postId')::uuid and private.post_visible_to(p.id, u.id);

  when 'posts.co_author.invited' then
    perform private.notify((v_event ->> 'inviteeId')::uuid, 'co-author.invited', (v_event ->> 'inviterId')::uuid,
      'post', v_event ->> 'postId',
      jsonb_build_object('inviteId', v_event -> 'inviteId', 'postId', v_event -> 'postId'));

  when 'posts.co_author.accepted' then
    perform private.notify(p.author_id, 'co-author.accepted', (v_event ->> 'userId')::uuid, 'post', p.id::text,
      jsonb_build_object('inviteId', v_event -> 'inviteId', 'postId', p.id), 'co-author.accepted:' || (v_event ->> 'inviteId'))
    from app.posts p where p.id = (v_event ->> 'postId')::uuid;

  when 'economy.payment.sent' then
    perform private.notify(s.receiver_id, 'payment.received', p.sender_id, 'payment', p.id::text,
      jsonb_build_object('paymentId', p.id, 'emotion', p.emotion, 'tier', p.tier, 'amount', s.amount,
                         -- a co-author is paid also for a post that they do not see any more
                         'postId', case when private.post_visible_to(p.post_id, s.receiver_id) then p.post_id end,
                         'replyId', p.reply_id))
    from app.payments p join app.payment_splits s on s.payment_id = p.id
    where p.id = (v_event ->> 'paymentId')::uuid;

  when 'identity.invite_code.used' then
    perform private.notify((v_event ->> 'inviterUserId')::uuid, 'invite.used', (v_event ->> 'newUserId')::uuid,
      'invite-code', v_event ->> 'codeId', jsonb_build_object('codeId', v_event -> 'codeId'));

  when 'admin.content.moderated' then
    -- without an actor: it was the staff
    perform private.notify((v_event ->> 'authorId')::uuid, 'moderation.actioned', null,
      v_event ->> 'targetType', v_event ->> 'targetId', v_event - 'authorId');

  else
    null;   -- an event that tells nobody anything
  end case;
  return null;
end $$;
comment on function private.notify_of_event is 'Trigger of the outbox: in-app notifications, in the transaction of their cause.';
create trigger notify_of_event after insert on app.domain_events
  for each row execute function private.notify_of_event();
