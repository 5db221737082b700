-- What erasure does to the base. A person is erased when erased_at is set: every feature has a trigger on it like the
-- one here, which changes its own rows, in that transaction up to 500 of a kind. What is left the worker erases at
-- once, by firing the triggers again (private.erase_more) or in batches of its own (private.erase_later). Nobody sees
-- it meanwhile (app.hidden_people), and an hourly job fires the triggers once more.
-- docs/decisions.md, Erasure and export.

create index domain_events_email_idx on app.domain_events ((payload ->> 'userId')) where payload ? 'email';
create index audit_log_target_idx on app.audit_log (target_id, target_type, id);

create function private.erase_later(p_queue text, p_job json) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if current_setting('kith.erases_more', true) is distinct from 'true' then
    perform private.enqueue(p_queue, p_job);
  end if;
end $$;
comment on function private.erase_later is
  'For triggers on erased_at: leaves what is more than a transaction should erase to batches. When private.erase_more '
  'fires the trigger again, they are on their way.';

create function private.erase_rest(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- once a person and transaction, however many triggers leave something
  if current_setting('kith.unerased', true) is distinct from p_user::text then
    perform private.erase_later('erasures', json_build_object('userId', p_user));
    perform set_config('kith.unerased', p_user::text, true);
  end if;
end $$;
comment on function private.erase_rest is
  'For triggers on erased_at that leave something: the worker fires them all again.';

create function private.erase_rows(p_user uuid, p_table regclass, p_whose text) returns void
language plpgsql volatile security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
declare
  v_erased integer;
begin
  execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where %2$s limit 500))',
                 p_table, p_whose) using p_user;
  get diagnostics v_erased = row_count;
  if v_erased = 500 then
    perform private.erase_rest(p_user);
  end if;
end $$;
comment on function private.erase_rows is
  'For triggers on erased_at: deletes up to 500 rows of a table that are a person''s ($1) by this condition, and '
  'leaves others to the worker.';
call private.force_index_scans('private.erase_rows');

create function private.erase_more(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_user uuid := (p_job ->> 'userId')::uuid;
begin
  perform set_config('kith.erases_more', 'true', true), set_config('kith.unerased', '', true);
  update app.users set erased_at = erased_at where id = v_user and erased_at is not null;
  return json_build_object('changed', 1, 'next',
                           case when current_setting('kith.unerased') = v_user::text then v_user end);
end $$;
comment on function private.erase_more is
  'For the worker alone: fires the triggers on erased_at again for a person {userId} who left more than is erased at '
  'once. Answers {changed, next}; next is null when nothing is left.';
call private.make_batch_queue('erasures', 'private.erase_more');

create function private.erase_records() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
declare
  v_emptied integer;
begin
  delete from app.domain_events where payload ? 'email' and payload ->> 'userId' = new.id::text;
  -- a key that a request holds just now comes first in the order of locks: job_finish_erasures deletes it later
  delete from app.idempotency_keys where ctid in (
    select ctid from app.idempotency_keys where user_id = new.id for update skip locked);
  -- another person's kept answer may name this one: a repeat then runs nothing, and is told that the answer is gone
  update app.idempotency_keys set answer = '', named = null where ctid in (
    select ctid from app.idempotency_keys where named @> array[new.id]
    limit 500 for update skip locked);
  get diagnostics v_emptied = row_count;
  if v_emptied = 500 then
    perform private.erase_rest(new.id);
  end if;

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
