-- Who may work on cases and rules: only the service role. Each operation checks the caller's stored role itself.
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
  private.open_rule_cases,
  private.settle_case_reports
  to worker;
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

-- moderation_rules, rule_hits: only for definer functions
alter table app.moderation_rules enable row level security;
alter table app.rule_hits enable row level security;

-- rule_conditions: only for definer functions
alter table private.rule_conditions enable row level security;

-- helpers of rules
grant execute on function
  private.add_rule,
  private.change_rule,
  private.drop_rule,
  private.note_replay,
  private.read_applies_to,
  private.read_conditions,
  private.replay,
  private.require_rule
  to service_role;

-- operations of rules
grant execute on function
  api.create_rule,
  api.delete_rule,
  api.get_rule,
  api.list_rule_hits,
  api.list_rules,
  api.replay_draft,
  api.replay_rule,
  api.update_rule
  to service_role;
