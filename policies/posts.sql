-- Who may see and touch posts, replies and reactions. Twin of sql/posts/.

grant execute on function private.visibility_level, private.trimmed, private.post, private.post_time,
  private.post_cards, private.feed_ids, private.reply, private.reply_time, private.reply_cards, private.reactions_of, private.reported_post, private.reported_reply
  to authenticated;

-- posts
alter table app.posts enable row level security;
grant select on app.posts to authenticated;
grant insert (author_id, format, title, body, visibility, depth, interest_id) on app.posts to authenticated;
grant select on app.post_card to authenticated;

create policy select_audience on app.posts for select to authenticated
  using (private.may_see(
    (select a.level from app.audience a where a.viewer_id = (select app.uid()) and a.author_id = posts.author_id),
    required_level,
    space_id is null or (select true from app.space_members m
                         where m.space_id = posts.space_id and m.user_id = (select app.uid())) is true));
comment on policy select_audience on app.posts is
  'The one rule of visibility: whoever is enough to the author for what the post requires, within its space. All that hangs on a post derives from it.';
create policy insert_own on app.posts for insert to authenticated
  with check (author_id = (select app.uid()));
comment on policy insert_own on app.posts is 'People publish in their own name.';

-- post_interests
alter table app.post_interests enable row level security;
grant select on app.post_interests to authenticated;
grant insert (post_id, interest_id) on app.post_interests to authenticated;
create policy select_with_post on app.post_interests for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.post_interests is 'Whoever sees the post.';
create policy insert_author on app.post_interests for insert to authenticated
  with check ((select p.author_id from app.posts p where p.id = post_id) = (select app.uid()));
comment on policy insert_author on app.post_interests is 'The author alone.';

-- post_counters
alter table app.post_counters enable row level security;
grant select on app.post_counters to authenticated;
create policy select_with_post on app.post_counters for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.post_counters is 'Whoever sees the post. Triggers write.';

-- post_emotions
alter table app.post_emotions enable row level security;
grant select on app.post_emotions to authenticated;
create policy select_with_post on app.post_emotions for select to authenticated
  using ((select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.post_emotions is 'Whoever sees the post. Triggers write.';

-- replies
alter table app.replies enable row level security;
grant select on app.replies to authenticated;
grant insert (post_id, author_id, kind, body) on app.replies to authenticated;
grant select on app.reply_card to authenticated;
create policy select_with_post on app.replies for select to authenticated
  using (private.may_see(
           (select a.level from app.audience a where a.viewer_id = (select app.uid()) and a.author_id = replies.author_id),
           required_level, true)
     and (select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.replies is 'Whoever sees the post, and is not across a block from the one who replied.';
create policy insert_own on app.replies for insert to authenticated
  with check (author_id = (select app.uid()) and (select true from app.posts p where p.id = post_id));
comment on policy insert_own on app.replies is 'People reply in their own name to what they see.';

-- reactions
alter table app.reactions enable row level security;
grant select, delete on app.reactions to authenticated;
grant insert (post_id, user_id, kind) on app.reactions to authenticated;
create policy select_with_post on app.reactions for select to authenticated
  using (user_id = (select app.uid()) and (select true from app.posts p where p.id = post_id));
comment on policy select_with_post on app.reactions is 'One''s own, on what one still sees. What others gave shows as a count alone.';
create policy insert_own on app.reactions for insert to authenticated
  with check (user_id = (select app.uid()) and (select true from app.posts p where p.id = post_id));
comment on policy insert_own on app.reactions is 'People react in their own name to what they see.';
create policy delete_own on app.reactions for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.reactions is 'People take their own reactions back.';

grant execute on function
  api.create_post, api.list_feed, api.get_post, api.create_reply, api.list_replies, api.react, api.unreact
  to authenticated;

-- the channel feed:public
create policy select_public_feed on realtime.messages for select to authenticated
  using (extension = 'broadcast'
     and (select realtime.topic()) = 'feed:public'
     and (select private.check_caller()));
do $$ begin
  comment on policy select_public_feed on realtime.messages is 'Every live token hears the ids of new public posts.';
exception when insufficient_privilege then null;   -- the platform may own the table, and lets us write policies only
end $$;
