-- The author is notified when a post first reaches 5, 15 and 50 reactions, which are its milestones.
-- docs/decisions.md, Posts.

create function private.next_milestone(p_milestone smallint) returns integer
language plpgsql immutable
set search_path = ''
as $$
begin
  return case p_milestone when 0 then 5 when 5 then 15 when 15 then 50 end;
end $$;
comment on function private.next_milestone is 'The next milestone after this milestone; null after the last.';

create function private.reach_milestone() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
declare
  v_reached smallint := (select max(m) from unnest(array[5, 15, 50]) m where m <= new.reactions);
begin
  update app.post_counters set milestone = v_reached where post_id = new.post_id;
  perform private.emit('posts.post.milestone', json_build_object('postId', new.post_id, 'reactions', v_reached),
                       array(select p.author_id from app.posts p where p.id = new.post_id));
  return null;
end $$;
comment on function private.reach_milestone is
  'Trigger: emits an event when a post reaches a milestone for the first time. If people take hearts back and give '
  'them again, there is no second event.';
create trigger reach_milestone after update of reactions on app.post_counters
  for each row when (new.reactions >= private.next_milestone(new.milestone))
  execute function private.reach_milestone();
