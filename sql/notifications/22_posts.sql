-- Notifications of posts: replies, reactions, reposts, quotes, mentions, milestones, co-authors. Notifications of the
-- end of a poll are in 24_polls.sql.

insert into private.notification_kinds (kind, rolls_up, counts_each, replaces_unread, passes_muted_post) values
  ('post.replied', true, true, false, false),
  ('post.reacted', true, false, false, false),
  ('post.reposted', true, false, false, false),
  ('post.quoted', true, true, false, false),
  ('post.mentioned', true, true, false, false),
  ('post.milestone', false, false, false, false),
  ('co-author.invited', false, false, true, true),
  ('co-author.accepted', false, false, false, true);
update private.notification_kinds set path = '/replies/{replyId}' where kind in ('post.replied', 'post.mentioned');
update private.notification_kinds set path = '/posts/{quoteId}' where kind = 'post.quoted';

create function private.notify_replied(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'post.replied', r.author_id, 'post', r.post_id::text,
            jsonb_build_object('postId', r.post_id, 'replyId', r.id), null, array[r.post_id],
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.replies r on r.id = (e.payload ->> 'replyId')::uuid and r.required_level = 0));
end $$;
comment on function private.notify_replied is
  'Listener: notifies the author of a post of a reply, and the author of the reply that it answers. It skips a reply '
  'that has been deleted or hidden meanwhile.';

create function private.notify_mentioned(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'post.mentioned', (e.payload ->> 'byId')::uuid, 'post', e.payload ->> 'postId',
            jsonb_build_object('postId', e.payload -> 'postId', 'replyId', e.payload -> 'replyId'), null,
            array[(e.payload ->> 'postId')::uuid], e.caused_at)::private.notice
    from unnest(p_effects) e
    left join app.replies r on r.id = (e.payload ->> 'replyId')::uuid
    where r.required_level is null or r.required_level = 0));
end $$;
comment on function private.notify_mentioned is
  'Listener: notifies a person that they are mentioned in a post, or in a reply that is still visible.';

create function private.notify_reacted(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'post.reacted', (e.payload ->> 'userId')::uuid, 'post', e.payload ->> 'postId',
            jsonb_build_object('postId', e.payload -> 'postId', 'kind', e.payload -> 'kind'), null,
            array[(e.payload ->> 'postId')::uuid], e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_reacted is
  'Listener: notifies the author of a post of a heart or a spark.';

create function private.notify_reposted(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'post.reposted', (e.payload ->> 'userId')::uuid, 'post', e.payload ->> 'postId',
            jsonb_build_object('postId', e.payload -> 'postId', 'repostId', e.payload -> 'repostId'), null,
            array[(e.payload ->> 'repostId')::uuid], e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_reposted is
  'Listener: notifies the author of a post of a repost, if they can see the repost.';

create function private.notify_quoted(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'post.quoted', (e.payload ->> 'userId')::uuid, 'post', e.payload ->> 'postId',
            jsonb_build_object('postId', e.payload -> 'postId', 'quoteId', e.payload -> 'quoteId'), null,
            array[(e.payload ->> 'postId')::uuid, (e.payload ->> 'quoteId')::uuid], e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_quoted is
  'Listener: notifies the author of a post of a quote, if they can see both posts. A scheduled quote may be '
  'published after the quoted post is deleted.';

create function private.notify_milestone(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'post.milestone', null, 'post', e.payload ->> 'postId', e.payload, null,
            array[(e.payload ->> 'postId')::uuid], e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_milestone is
  'Listener: notifies the author of a post of a number of reactions that it has reached.';

create function private.notify_co_author_invited(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'co-author.invited', (e.payload ->> 'inviterId')::uuid, 'post', e.payload ->> 'postId',
            jsonb_build_object('inviteId', e.payload -> 'inviteId', 'postId', e.payload -> 'postId'), null,
            array[(e.payload ->> 'postId')::uuid], e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_co_author_invited is
  'Listener: notifies a person that they are invited to be a co-author.';

create function private.notify_co_author_accepted(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'co-author.accepted', (e.payload ->> 'userId')::uuid, 'post', e.payload ->> 'postId',
            jsonb_build_object('inviteId', e.payload -> 'inviteId', 'postId', e.payload -> 'postId'),
            'co-author.accepted:' || (e.payload ->> 'inviteId'), array[(e.payload ->> 'postId')::uuid],
            e.caused_at)::private.notice
    from unnest(p_effects) e));
end $$;
comment on function private.notify_co_author_accepted is
  'Listener: notifies the author that a person has accepted to be a co-author.';

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.reply.created', 'private.notify_replied', 600, 'soon'),
  ('posts.person.mentioned', 'private.notify_mentioned', 600, 'soon'),
  ('posts.reaction.added', 'private.notify_reacted', 600, 'soon'),
  ('posts.post.reposted', 'private.notify_reposted', 600, 'soon'),
  ('posts.post.quoted', 'private.notify_quoted', 600, 'soon'),
  ('posts.post.milestone', 'private.notify_milestone', 600, 'soon'),
  ('posts.co_author.invited', 'private.notify_co_author_invited', 600, 'soon'),
  ('posts.co_author.accepted', 'private.notify_co_author_accepted', 600, 'soon');
