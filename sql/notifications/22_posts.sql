-- Notifications of posts: replies, reactions, reposts, quotes, mentions, milestones, ends of polls, co-authors.

insert into private.notification_kinds (kind, rolls_up, counts_each, replaces_unread, passes_muted_post) values
  ('post.replied', true, true, false, false),
  ('post.reacted', true, false, false, false),
  ('post.reposted', true, false, false, false),
  ('post.quoted', true, true, false, false),
  ('post.mentioned', true, true, false, false),
  ('post.milestone', false, false, false, false),
  ('poll.closed', false, false, false, false),
  ('co-author.invited', false, false, true, true),
  ('co-author.accepted', false, false, false, true);

create function private.notify_replied(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- sorted, since telling locks and two replies at once must not wait for each other: ARCHITECTURE.md, Locks
  perform private.notify(t.id, 'post.replied', t.author_id, 'post', t.post_id::text,
    jsonb_build_object('postId', t.post_id, 'replyId', t.reply_id))
  from (select r.post_id, r.id as reply_id, r.author_id, a.id
        from app.replies r
        join app.posts p on p.id = r.post_id
        left join app.replies parent on parent.id = r.parent_id
        cross join lateral (select p.author_id union select parent.author_id) a (id)
        where r.id = (p_event ->> 'replyId')::uuid and private.post_visible_to(r.post_id, a.id) and a.id is not null
        order by a.id) t;
end $$;
comment on function private.notify_replied is
  'Listener: tells the author of a post of a reply to it, and the author of the reply that it answers.';

create function private.notify_mentioned(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify((p_event ->> 'userId')::uuid, 'post.mentioned', (p_event ->> 'byId')::uuid,
    'post', p_event ->> 'postId', jsonb_build_object('postId', p_event -> 'postId', 'replyId', p_event -> 'replyId'));
end $$;
comment on function private.notify_mentioned is 'Listener: tells a person that they are mentioned.';

create function private.notify_reacted(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(p.author_id, 'post.reacted', (p_event ->> 'userId')::uuid, 'post', p.id::text,
    jsonb_build_object('postId', p.id, 'kind', p_event -> 'kind'))
  from app.posts p where p.id = (p_event ->> 'postId')::uuid;
end $$;
comment on function private.notify_reacted is 'Listener: tells the author of a post of a heart or a spark.';

create function private.notify_reposted(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(p.author_id, 'post.reposted', (p_event ->> 'userId')::uuid, 'post', p.id::text,
    jsonb_build_object('postId', p.id, 'repostId', p_event -> 'repostId'))
  from app.posts p
  where p.id = (p_event ->> 'postId')::uuid and private.post_visible_to((p_event ->> 'repostId')::uuid, p.author_id);
end $$;
comment on function private.notify_reposted is
  'Listener: tells the author of a post that it is reposted, if they may see the repost.';

create function private.notify_quoted(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- a scheduled quote may go out after what it quotes is gone
  perform private.notify(p.author_id, 'post.quoted', (p_event ->> 'userId')::uuid, 'post', p.id::text,
    jsonb_build_object('postId', p.id, 'quoteId', p_event -> 'quoteId'))
  from app.posts p
  where p.id = (p_event ->> 'postId')::uuid and private.post_visible_to(p.id, p.author_id)
    and private.post_visible_to((p_event ->> 'quoteId')::uuid, p.author_id);
end $$;
comment on function private.notify_quoted is
  'Listener: tells the author of a post that it is quoted, if they may see the quote.';

create function private.notify_milestone(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(p.author_id, 'post.milestone', null, 'post', p.id::text,
    jsonb_build_object('postId', p.id, 'reactions', p_event -> 'reactions'))
  from app.posts p where p.id = (p_event ->> 'postId')::uuid;
end $$;
comment on function private.notify_milestone is
  'Listener: tells the author of a post how many reactions it has reached.';

create function private.notify_poll_closed(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(u.id, 'poll.closed', nullif(p.author_id, u.id), 'post', p.id::text,
    jsonb_build_object('postId', p.id, 'pollId', p_event -> 'pollId'))
  from app.posts p
  cross join lateral (
    select p.author_id as id
    union select v.user_id from app.poll_votes v where v.poll_id = (p_event ->> 'pollId')::uuid) u
  where p.id = (p_event ->> 'postId')::uuid and private.post_visible_to(p.id, u.id);
end $$;
comment on function private.notify_poll_closed is
  'Listener: tells the author of a poll and everybody who voted of its end, if they may see it.';

create function private.notify_co_author_invited(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify((p_event ->> 'inviteeId')::uuid, 'co-author.invited', (p_event ->> 'inviterId')::uuid,
    'post', p_event ->> 'postId',
    jsonb_build_object('inviteId', p_event -> 'inviteId', 'postId', p_event -> 'postId'));
end $$;
comment on function private.notify_co_author_invited is
  'Listener: tells a person that they are invited to be a co-author.';

create function private.notify_co_author_accepted(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(p.author_id, 'co-author.accepted', (p_event ->> 'userId')::uuid, 'post', p.id::text,
    jsonb_build_object('inviteId', p_event -> 'inviteId', 'postId', p.id),
    'co-author.accepted:' || (p_event ->> 'inviteId'))
  from app.posts p where p.id = (p_event ->> 'postId')::uuid;
end $$;
comment on function private.notify_co_author_accepted is 'Listener: tells the author who has become a co-author.';

insert into private.event_listeners (event, listener, position) values
  ('posts.reply.created', 'private.notify_replied', 600),
  ('posts.person.mentioned', 'private.notify_mentioned', 600),
  ('posts.reaction.added', 'private.notify_reacted', 600),
  ('posts.post.reposted', 'private.notify_reposted', 600),
  ('posts.post.quoted', 'private.notify_quoted', 600),
  ('posts.post.milestone', 'private.notify_milestone', 600),
  ('posts.poll.closed', 'private.notify_poll_closed', 600),
  ('posts.co_author.invited', 'private.notify_co_author_invited', 600),
  ('posts.co_author.accepted', 'private.notify_co_author_accepted', 600);
