-- How an erasure changes the rows of sql/base/. A person is erased when erased_at is set. Every feature has a step
-- like the one here (private.account_steps), which changes its own rows, up to 500 of a kind in that transaction. The
-- worker erases the rest: it runs the steps again (private.erase_more), or batches of a queue (private.erase_later).
-- Nobody sees the rest meanwhile (app.hidden_people). An hourly job repeats the steps. docs/decisions.md, Erasure and
-- export.

create index domain_events_email_idx on app.domain_events ((payload ->> 'userId')) where payload ? 'email';
create index audit_log_target_idx on app.audit_log (target_id, target_type, id);

insert into private.lock_kinds (kind, position) values ('erasure', 290);

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
  'For steps of an erasure: queues a batch job for the rows that exceed one transaction. It does nothing when '
  'private.erase_more repeats the step, because then the job is already queued.';

create function private.erase_rest(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- queue one job per person and transaction, however many steps leave rows
  if current_setting('kith.unerased', true) is distinct from p_user::text then
    perform private.erase_later('erasures', json_build_object('userId', p_user));
    perform set_config('kith.unerased', p_user::text, true);
  end if;
end $$;
comment on function private.erase_rest is
  'For steps of an erasure that leave rows: makes the worker repeat all steps.';

create function private.erase_rows(p_user uuid, p_table regclass, p_whose text) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
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
  'For steps of an erasure: deletes up to 500 rows of a person ($1) from a table by this condition, and leaves the '
  'others to the worker.';
call private.force_index_scans('private.erase_rows');

create function private.erase_more(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_user   uuid := (p_job ->> 'userId')::uuid;
  v_person app.users;
begin
  perform set_config('kith.erases_more', 'true', true), set_config('kith.unerased', '', true);
  select * into v_person from app.users where id = v_user and erased_at is not null for no key update;
  if found then
    perform private.run_account_steps(v_person, '{erasure}');
  end if;
  return json_build_object('changed', 1, 'next',
                           case when current_setting('kith.unerased') = v_user::text then v_user end);
end $$;
comment on function private.erase_more is
  'For the worker alone: repeats the steps of an erasure for a person {userId} who left more rows than one '
  'transaction erases. Returns {changed, next}; next is null when nothing is left.';
call private.make_batch_queue('erasures', 'private.erase_more');

create function private.erase_records(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_changed integer;
  v_is_rest boolean;
begin
  perform private.erase_rows(p_user.id, 'app.domain_events',
                             $q$payload ? 'email' and payload ->> 'userId' = $1::text$q$);
  perform private.erase_rows(p_user.id, 'private.event_log', 'people @> array[$1]');

  -- skip the key of a running request, because its lock comes earlier in the order; job_finish_erasures deletes the
  -- key later
  delete from app.idempotency_keys where ctid in (
    select ctid from app.idempotency_keys where user_id = p_user.id limit 500 for update skip locked);
  get diagnostics v_changed = row_count;
  v_is_rest := v_changed = 500;
  -- An answer stored for another person may name the erased person. A repeated request then fails with 410 and does
  -- nothing.
  update app.idempotency_keys set answer = '', named = null where ctid in (
    select ctid from app.idempotency_keys where named @> array[p_user.id]
    limit 500 for update skip locked);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;

  update app.audit_details set ip = null where audit_id in (
    select d.audit_id from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where l.actor_id = p_user.id and d.ip is not null limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.audit_details set detail = null where audit_id in (
    select d.audit_id from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where l.target_type = 'user' and l.target_id = p_user.id::text and d.detail is not null limit 500);
  get diagnostics v_changed = row_count;
  if v_is_rest or v_changed = 500 then
    perform private.erase_rest(p_user.id);
  end if;

  update app.usernames set username = null, user_id = null where user_id = p_user.id and username <> p_user.username;
end $$;
comment on function private.erase_records is
  'Step: deletes the erased person''s stored answers, their events that contain an address, and the entries of the '
  'event log that name them. It empties the stored answers of others that name the person, and removes addresses '
  'and texts from the audit details. It keeps only the hashes of the person''s former names.';
insert into private.account_steps (step, events, position) values
  ('private.erase_records', '{erasure}', 110);

create function private.job_finish_erasures() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_person  app.users;
  v_changed integer := 0;
begin
  for v_person in
    select * from app.users where erased_at > now() - interval '3 hours' order by id for no key update
  loop
    perform private.run_account_steps(v_person, '{erasure}');
    v_changed := v_changed + 1;
  end loop;
  return v_changed;
end $$;
comment on function private.job_finish_erasures is
  'Job: repeats the erasure of everybody who was erased in the last 3 hours, because one of their concurrent '
  'requests may have written after it. May run twice: an erasure changes nothing the second time.';
insert into private.jobs (name, cron, expires) values ('finish-erasures', '30 * * * *', 300);
