-- Backups of the embedded instance. The job queues a backup, and the worker takes and verifies it (api-facade/worker).

create table private.verified_backups (
  reaches_until timestamptz not null
);
create unique index verified_backups_one_row_idx on private.verified_backups ((true));
comment on table private.verified_backups is
  'The last verified backup, for /metrics. The table is empty before the first one.';
comment on column private.verified_backups.reaches_until is 'The time of the newest data in the restored backup.';

select pgboss.create_queue('backups', '{"policy": "standard"}');

create function private.job_back_up() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  if not exists (select from app.settings s where s.key = 'backups' and s.value = 'on')
     or exists (select from pgboss.job j where j.name = 'backups' and j.state <= 'active') then
    return 0;
  end if;
  perform private.enqueue('backups', '{}');
  return 1;
end $$;
comment on function private.job_back_up is
  'Job: queues a backup if BACKUP_TO is set. The worker takes it, restores it into a scratch folder, and verifies it '
  'there. May run twice: it adds none while a backup is queued or running.';
insert into private.jobs (name, cron, expires) values ('back-up', '20 4 * * *', 60);
