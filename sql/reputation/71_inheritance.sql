-- What comes of a contribution to those by whom a person came: written by a job, many at once. When:
-- api-facade/worker/jobs.ts.
--
-- Locks: the scores alone, row by row in the order of their people, as everybody does who writes several. A lock on what
-- these people contribute is not needed, since only they themselves give and undo it.
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
  'By whom a person came, by whom that one came, and once more: the erased too, since numbers stay.';

create function private.job_inherit_contributions() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  c_shares constant numeric[] := array[0.50, 0.25, 0.10];
  v_taken  uuid[];
begin
  -- what undoes something waits until that is inherited, also by another worker: its shares are the opposites of those
  v_taken := array(
    select q.entry_id
    from private.contribution_inheritance q
    where (select true from private.contribution_inheritance u where u.entry_id = q.undoes_id) is null
    limit 1000
    for update of q skip locked);
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
  'Job: gives 50, 25 and 10 % of up to 1000 contributions to the three by whom each person came, and takes back what '
  'came of those undone. The worker repeats it until there is none.';
insert into private.jobs (name, cron, expires, repeats) values ('inherit-contributions', '* * * * *', 60, true);
