-- Jobs of invite codes.

create function private.job_release_reservations() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
begin
  return private.release_reservations();
end $$;
comment on function private.job_release_reservations is
  'Job: makes codes active again whose half hour is over. May run twice: it takes only overdue rows, and skips locked '
  'ones.';
insert into private.jobs (name, cron, expires) values ('release-reservations', '* * * * *', 60);

create function private.job_expire_invites() returns integer
language plpgsql volatile security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
declare
  v_changed integer;
begin
  update app.invite_codes set status = 'expired'
  where id in (select id from app.invite_codes where status = 'active' and expires_at <= now() for update skip locked);
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_expire_invites is
  'Job: marks active codes past their time as expired. A reserved one is released first. May run twice: it takes only '
  'overdue rows, and skips locked ones.';
insert into private.jobs (name, cron, expires) values ('expire-invites', '5 * * * *', 300);
