-- Only the service role may read access, figures and standing. Each operation checks the caller's stored role itself.
-- This file belongs to sql/oversight/.

-- all tables: only for definer functions
alter table private.access_reasons enable row level security;
alter table app.daily_figures enable row level security;

-- helpers
grant execute on function
  private.explain_access,
  private.read_days,
  private.standing,
  private.today
  to service_role;

-- operations
grant execute on function
  api.explain_access,
  api.get_daily_figures,
  api.get_user_standing
  to service_role;

-- jobs
grant execute on function private.job_count_days to worker;
