-- What identity needs of reputation.
-- docs/decisions.md, Reputation.

create function private.keep_total_reputation() returns trigger
language plpgsql security definer   -- the accounts of other people than the caller
set search_path = ''
as $$
begin
  -- whoever writes the ledger of these people holds private.lock_ledger: no two meet here
  update app.accounts a set total_reputation = a.total_reputation + w.earned
  from (select user_id, sum(delta) as earned from written where roll_up_level = 0 group by user_id) w
  where a.user_id = w.user_id;
  return null;
end $$;
comment on function private.keep_total_reputation is 'Trigger: keeps app.accounts.total_reputation, the sum of '
  'direct entries.';
create trigger keep_total_reputation after insert on app.reputation_entries
  referencing new table as written for each statement execute function private.keep_total_reputation();
