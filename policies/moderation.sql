-- Who may work on cases: only the service role. Each operation checks the caller's stored role itself.
-- Belongs to sql/moderation/.

-- cases, case_reports, case_events, decisions, decision_kinds: only for definer functions
alter table app.cases enable row level security;
alter table app.case_reports enable row level security;
alter table app.case_events enable row level security;
alter table app.decisions enable row level security;
alter table private.decision_kinds enable row level security;

-- helpers
grant execute on function
  private.end_case_without_reports,
  private.settle_report
  to service_role;

-- operations
grant execute on function
  api.dismiss_report,
  api.review_report
  to service_role;

-- batches that the worker runs
grant execute on function
  private.settle_case_reports
  to worker;
-- Who may see and change the tables of sql/moderation/. Belongs to sql/moderation/.

-- audit_checkpoints: only for definer functions
alter table private.audit_checkpoints enable row level security;

-- jobs
grant execute on function
  private.add_checkpoint,
  private.job_checkpoint_audit,
  private.next_checkpoint
  to worker;

-- gate: what is published at /.well-known/kith/audit
grant execute on function
  private.get_checkpoint,
  private.list_checkpoints
  to gate;
