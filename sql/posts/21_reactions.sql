-- Reactions are hearts and sparks, which people give and take back.

create table app.reactions (
  post_id    uuid not null references app.posts on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  kind       text not null check (kind in ('heart', 'spark')),
  created_at timestamptz not null default now(),
  primary key (post_id, user_id, kind)
);
create index reactions_user_id_idx on app.reactions (user_id, created_at desc);
comment on table app.reactions is 'Hearts and sparks, at most one of each per person and post.';
-- no right to update, because people only give reactions or take them back

insert into private.event_types (name, payload, happens) values
  ('posts.reaction.added', '{postId,userId,kind}',
   'somebody has given a heart or a spark'),
  ('posts.reaction.removed', '{postId,userId}',
   'somebody has removed their heart, spark or both');

insert into private.write_limits (kind, per_hour) values ('reactions', 2000);

create function private.count_reactions() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  update app.post_counters set reactions = reactions + case tg_op when 'INSERT' then 1 else -1 end
  where post_id = coalesce(new.post_id, old.post_id);
  return null;
end $$;
comment on function private.count_reactions is 'Trigger: counts hearts, but no sparks.';
create trigger _100_count_given after insert on app.reactions
  for each row when (new.kind = 'heart') execute function private.count_reactions();
create trigger _100_count_taken_back after delete on app.reactions
  for each row when (old.kind = 'heart') execute function private.count_reactions();

create function private.announce_reactions() returns trigger
language plpgsql security definer   -- the caller may take a reaction back without seeing the author of the post
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.emit('posts.reaction.added',
      json_build_object('postId', c.post_id, 'userId', c.user_id, 'kind', c.kind), array[p.author_id, c.user_id])
    from changed c join app.posts p on p.id = c.post_id;
  else
    perform private.emit('posts.reaction.removed',
      json_build_object('postId', c.post_id, 'userId', c.user_id), array[p.author_id, c.user_id])
    from (select distinct g.post_id, g.user_id from changed g order by g.post_id, g.user_id) c
    join app.posts p on p.id = c.post_id;
  end if;
  return null;
end $$;
comment on function private.announce_reactions is
  'Trigger: emits posts.reaction.added and posts.reaction.removed.';
create trigger _300_announce_given after insert on app.reactions
  referencing new table as changed for each statement execute function private.announce_reactions();
create trigger _300_announce_taken_back after delete on app.reactions
  referencing old table as changed for each statement execute function private.announce_reactions();

insert into private.operations_of_people (operation) values ('react');

create function api.react(p_id uuid, p_kind text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := private.require_published_original(p_id);
begin
  perform private.count_writes('reactions');
  perform private.lock_open_post_space(v_post);
  insert into app.reactions (post_id, user_id, kind)
  select p.id, private.require_caller(), p_kind from app.posts p where p.id = v_post
  on conflict do nothing;
  return private.require_engagement_card(v_post);
end $$;
comment on function api.react is
  'Gives a post (the original of a repost) a heart or a spark; repeating it changes nothing. Returns {counters, '
  'viewer}.';

create function api.unreact(p_id uuid, p_kind text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := private.withdrawal_target(p_id);
begin
  delete from app.reactions
  where post_id = v_post and user_id = private.require_caller() and kind = coalesce(p_kind, kind);
  if found and not exists (select from app.posts where id = v_post) then
    return private.error_response('post_unknown');   -- the reaction is taken back, but nothing of the post is shown
  end if;
  return private.require_engagement_card(v_post);
end $$;
comment on function api.unreact is
  'Takes the caller''s reaction of one kind back, or both; repeating it changes nothing. It also works on a post '
  'that the caller can no longer see, but then the answer is post_unknown. Returns {counters, viewer}.';
