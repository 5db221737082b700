-- What a ban does to proposals: who is banned is no longer eligible, so others may be more than half of who is.
-- An erasure takes the person out of their guilds, which private.drop_votes sees to.
-- docs/decisions.md, Guilds.

create function private.recount_proposals(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_user  uuid := (p_job ->> 'userId')::uuid;
  v_guild uuid;
begin
  select m.space_id into v_guild from app.space_members m
  where m.user_id = v_user and m.hidden and (p_after is null or m.space_id > p_after)
    and exists (select from app.guild_proposals p where p.guild_id = m.space_id and p.status = 'open')
  order by m.space_id limit 1;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock_space(v_guild, '{}');   -- before its proposals: ARCHITECTURE.md, Locks
  update app.guild_proposals set due_at = least(due_at, clock_timestamp())
  where guild_id = v_guild and status = 'open';
  return json_build_object('changed', 1, 'next', v_guild);
end $$;
comment on function private.recount_proposals is
  'For the worker alone: has the open proposals of the next guild of a banned person {userId} looked at anew, by '
  'private.job_settle_proposals. Answers {changed, next}; next is null at the end.';
call private.make_batch_queue('recounted-proposals', 'private.recount_proposals');

create function private.enqueue_recounts(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- not here: it may be a thousand guilds
  if exists (select from app.space_members m join app.guilds g on g.space_id = m.space_id
             where m.user_id = p_user.id) then
    perform private.enqueue('recounted-proposals', json_build_object('userId', p_user.id));
  end if;
end $$;
comment on function private.enqueue_recounts is
  'Step: the votes of who is banned, who is no longer eligible, are counted out soon after.';
insert into private.account_steps (step, events, position) values
  ('private.enqueue_recounts', '{ban}', 187);
