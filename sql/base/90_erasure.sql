-- What erasure does to the base. A person is erased when erased_at is set: every feature has a trigger on it like the
-- one here, which changes its own rows, all in one transaction. The triggers may run again
-- (private.job_finish_erasures).
-- docs/decisions.md, Erasure and export.

create index domain_events_email_idx on app.domain_events ((payload ->> 'userId')) where payload ? 'email';
create index audit_log_target_idx on app.audit_log (target_type, target_id);

create function private.erase_records() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  delete from app.domain_events where payload ? 'email' and payload ->> 'userId' = new.id::text;
  -- a key that a request holds just now comes first in the order of locks: job_finish_erasures deletes it later
  delete from app.idempotency_keys where ctid in (
    select ctid from app.idempotency_keys where user_id = new.id for update skip locked);
  -- another person's kept answer may name this one: a repeat then runs nothing, and is told that the answer is gone
  update app.idempotency_keys set answer = '', named = null where ctid in (
    select ctid from app.idempotency_keys where named @> array[new.id] for update skip locked);

  delete from app.space_members where user_id = new.id;
  update app.audit_details d set ip = null from app.audit_log l
  where l.id = d.audit_id and l.actor_id = new.id and d.ip is not null;
  update app.audit_details d set detail = null from app.audit_log l
  where l.id = d.audit_id and l.target_type = 'user' and l.target_id = new.id::text and d.detail is not null;
  update app.usernames set username = null, user_id = null where user_id = new.id and username <> new.username;
  return null;
end $$;
comment on function private.erase_records is
  'Trigger: deletes an erased person''s events with an address and their kept answers, empties answers kept for '
  'others that name them, and takes addresses and words out of the audit details. Of their former names only the hash '
  'stays.';
create trigger _110_erase_records after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_records();

create function private.job_finish_erasures() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_changed integer;
begin
  update app.users set erased_at = erased_at where erased_at > now() - interval '3 hours';
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_finish_erasures is
  'Job: repeats the erasure of everybody erased in the last 3 hours, since a request of theirs that ran beside it may '
  'have written after it. May run twice: an erasure changes nothing twice.';
insert into private.jobs (name, cron, expires) values ('finish-erasures', '30 * * * *', 300);
