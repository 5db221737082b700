-- What a ban changes in proposals. A banned person is no longer eligible, so the yes votes may become the majority. An
-- erasure removes the person from their guilds; private.drop_votes then deletes their votes. docs/decisions.md,
-- Guilds.

create function private.recount_proposals(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
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
  perform private.lock_space(v_guild, '{}');   -- lock the guild before its proposals: ARCHITECTURE.md, Locks
  update app.guild_proposals set due_at = least(due_at, clock_timestamp())
  where guild_id = v_guild and status = 'open';
  return json_build_object('changed', 1, 'next', v_guild);
end $$;
comment on function private.recount_proposals is
  'For the worker alone: takes the next guild of a banned person {userId} and makes its open proposals due. Then '
  'private.job_settle_proposals counts their votes again. Returns {changed, next}; next is null at the end.';
call private.make_batch_queue('recounted-proposals', 'private.recount_proposals');

create function private.enqueue_recounts(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- use batches, because there may be a thousand guilds
  if exists (select from app.space_members m join app.guilds g on g.space_id = m.space_id
             where m.user_id = p_user.id) then
    perform private.enqueue('recounted-proposals', json_build_object('userId', p_user.id));
  end if;
end $$;
comment on function private.enqueue_recounts is
  'Step: queues a recount of the open proposals in the guilds of a banned person, who is no longer eligible.';
insert into private.account_steps (step, events, position) values
  ('private.enqueue_recounts', '{ban}', 187);
