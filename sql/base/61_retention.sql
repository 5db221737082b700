-- Tables whose rows are deleted at a certain age.

create table private.retention (
  relation    regclass primary key,
  counts_from text not null,
  keep        interval not null,
  batch       integer not null default 5000 check (batch > 0)
);
comment on table private.retention is
  'Registry: tables whose rows are deleted by age.';
comment on column private.retention.counts_from is
  'The time from which `keep` counts: SQL for a timestamptz of the table, written exactly as in its index.';
comment on column private.retention.batch is 'The number of rows that one transaction deletes.';

create function private.job_purge() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_rule    private.retention;
  v_deleted integer;
  v_changed integer := 0;
begin
  for v_rule in select * from private.retention order by relation::text loop
    -- a locked row is in use; the next run deletes it
    execute format('delete from %1$s where ctid in (
                      select ctid from %1$s where %2$s < now() - $1 limit $2 for update skip locked)',
                   v_rule.relation, v_rule.counts_from) using v_rule.keep, v_rule.batch;
    get diagnostics v_deleted = row_count;
    v_changed := v_changed + v_deleted;
  end loop;
  return v_changed;
end $$;
comment on function private.job_purge is
  'Job: deletes the rows that are too old by private.retention, a batch of each table. May run twice: it deletes by '
  'age. The worker repeats it until no row is too old.';
insert into private.jobs (name, cron, expires, repeats) values ('purge', '* * * * *', 60, true);

insert into private.retention (relation, counts_from, keep) values
  ('app.domain_events', 'created_at', '30 days'),
  ('app.idempotency_keys', 'created_at', '24 hours'),
  -- keep the row for an hour after the token expired, because a server whose clock is slow must still reject it
  ('private.revoked_tokens', 'to_timestamp((expires_at)::double precision)', '1 hour');
