-- Jobs of circles and blocks.

create function private.job_check_audience() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_viewers uuid[];
  v_authors uuid[];
begin
  -- use one statement, because its snapshot has either both a membership and the rows of its trigger, or neither
  select array_agg(viewer_id), array_agg(author_id) into v_viewers, v_authors
  from app.audience a full join private.audience_rebuilt r using (viewer_id, author_id)
  where a.level is distinct from r.level;
  if v_viewers is null then
    return 0;
  end if;
  perform private.recompute_audience(v_viewers, v_authors);
  return cardinality(v_viewers);
end $$;
comment on function private.job_check_audience is
  'Job: compares app.audience with a full rebuild in both directions and repairs the pairs that differ. Any '
  'difference is a bug, because triggers maintain the table. May run twice: pairs are recomputed under their locks.';
insert into private.jobs (name, cron, expires, alarm) values
  ('check-audience', '40 3 * * *', 300, 'app.audience differed from what circles and blocks require');
