-- For DBAs: what the worker gave up, and why. `select * from private.failed_jobs`.

create view private.failed_jobs with (security_invoker) as
select j.name as queue, j.id, j.data, j.output ->> 'message' as message, j.retry_count as retries,
       j.created_on as created_at, j.completed_on as failed_at
from pgboss.job j
where j.state = 'failed'
order by j.completed_on desc;
comment on view private.failed_jobs is
  'For DBAs: jobs that failed every time, newest first: {queue, id, data (ids), message, retries, created_at, '
  'failed_at}. pgboss keeps them for a day.';
