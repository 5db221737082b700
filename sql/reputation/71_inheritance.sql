-- The shares of a contribution that a person's inviters get. A job writes them, many at once.
--
-- The job locks the inviters' effects as the worker does, and skips inviters that another transaction has locked, to
-- prevent deadlocks between writers of several people's scores.
-- docs/decisions.md, Reputation.

create function private.inviters(p_user uuid) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_line    uuid[] := '{}';
  v_inviter uuid := p_user;
begin
  for v_level in 1..3 loop
    select t.inviter_id into v_inviter from app.invite_tree t where t.invitee_id = v_inviter;
    exit when not found;
    v_line := v_line || v_inviter;
  end loop;
  return v_line;
end $$;
comment on function private.inviters is
  'The three inviters above a person, nearest first. Erased people are included, because their numbers are kept.';

create function private.job_inherit_contributions() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  c_shares constant numeric[] := array[0.50, 0.25, 0.10];
  v_taken  uuid[];
begin
  -- an entry that undoes another waits until the shares of the other are written, even by another worker, because it
  -- takes those shares back
  v_taken := array(
    select q.entry_id
    from private.contribution_inheritance q
    where (select true from private.contribution_inheritance u where u.entry_id = q.undoes_id) is null
    limit 1000
    for update of q skip locked);
  v_taken := array(
    select e.id from app.contribution_entries e
    where e.id = any (v_taken)
      and (select coalesce(bool_and(pg_try_advisory_xact_lock(private.effects_key(i.id))), true)
           from unnest(private.inviters(e.user_id)) as i (id)));
  insert into app.contribution_entries (user_id, kind, delta, origin_id, level, undoes_id, source_id)
  select i.id, e.kind, round(e.delta * c_shares[i.level], 2), e.id, i.level, null::uuid, e.source_id
  from app.contribution_entries e, unnest(private.inviters(e.user_id)) with ordinality as i (id, level)
  where e.id = any (v_taken) and e.undoes_id is null
  union all
  select s.user_id, s.kind, -s.delta, e.id, s.level, s.id, s.source_id
  from app.contribution_entries e join app.contribution_entries s on s.origin_id = e.undoes_id
  where e.id = any (v_taken);
  delete from private.contribution_inheritance where entry_id = any (v_taken);
  return cardinality(v_taken);
end $$;
comment on function private.job_inherit_contributions is
  'Job: gives 50, 25 and 10 % of up to 1000 contributions to the three inviters above each person, and takes back the '
  'shares of contributions that were undone. May run twice: it takes only waiting entries, skips locked rows, and '
  'removes what it took from the queue in the same transaction. The worker repeats it until no entry is waiting.';
insert into private.jobs (name, cron, expires, repeats) values ('inherit-contributions', '* * * * *', 60, true);
