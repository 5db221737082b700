-- What happens at a ban, its end and an erasure: the steps of all features, which one trigger calls in a fixed order.
-- docs/decisions.md, Staff; Erasure and export.

create table private.account_steps (
  step     text primary key check (step ~ '^private\.[a-z_]+$'),
  events   text[] not null check (events <> '{}' and events <@ '{ban,unban,erasure}'),
  position integer not null check (position between 1 and 999),
  constraint account_steps_position_key unique (position)
);
comment on table private.account_steps is
  'Registry: the functions that each feature runs in the transaction of a ban, the end of a ban or an erasure.';
comment on column private.account_steps.step is
  'A function that takes (person app.users) and returns void. It gets the row after the change, and runs with the '
  'rights of the owner. Running it again must change nothing: private.erase_more and private.job_finish_erasures '
  'repeat the steps of an erasure.';
comment on column private.account_steps.events is 'When the step runs: at a ban, an unban, an erasure, or several.';
comment on column private.account_steps.position is
  'The order of the steps. It follows the order of locks (ARCHITECTURE.md, Locks).';

create function private.run_account_steps(p_user app.users, p_events text[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_step text;
begin
  for v_step in select s.step from private.account_steps s where s.events && p_events order by s.position loop
    execute format('select %s($1)', v_step) using p_user;
  end loop;
end $$;
comment on function private.run_account_steps is
  'Runs the steps of these events (ban, unban, erasure) for a person, each once, by position.';

create function private.change_account_state() returns trigger
language plpgsql security definer   -- the steps change rows that callers may not change
set search_path = ''
as $$
begin
  perform private.run_account_steps(new, array_remove(array[
    case when old.banned_at is null and new.banned_at is not null then 'ban' end,
    case when old.banned_at is not null and new.banned_at is null then 'unban' end,
    case when old.erased_at is null and new.erased_at is not null then 'erasure' end], null));
  return null;
end $$;
comment on function private.change_account_state is
  'Trigger: runs the steps of private.account_steps when a person is banned, unbanned or erased.';
create trigger _060_change_account_state after update of banned_at, erased_at on app.users
  for each row execute function private.change_account_state();
