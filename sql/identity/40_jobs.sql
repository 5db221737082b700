-- Jobs of invite codes.

create function private.job_release_reservations() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  return private.release_reservations();
end $$;
comment on function private.job_release_reservations is
  'Job: ends reservations that are older than half an hour: their codes become active again, or expired. May run '
  'twice: it takes only overdue rows, and skips locked ones.';
insert into private.jobs (name, cron, expires) values ('release-reservations', '* * * * *', 60);

create function private.job_expire_invites() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
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
  'Job: sets the status of active codes to expired after their time. It releases a reserved code first. May run '
  'twice: it takes only overdue rows, and skips locked ones.';
insert into private.jobs (name, cron, expires) values ('expire-invites', '5 * * * *', 300);
