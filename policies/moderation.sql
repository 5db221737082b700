-- Only the service role may work on cases and rules. Each operation checks the caller's stored role itself. People
-- read their own standing and appeal through operations. This file belongs to sql/moderation/.

-- all tables: only for definer functions
alter table app.cases enable row level security;
alter table app.case_reports enable row level security;
alter table app.case_events enable row level security;
alter table app.case_proposals enable row level security;
alter table app.decisions enable row level security;
alter table app.decision_appeals enable row level security;
alter table private.decision_kinds enable row level security;
alter table private.case_transitions enable row level security;
alter table private.case_handlers enable row level security;

-- helpers
grant execute on function
  private.act_for_space,
  private.appeal_own_decision,
  private.list_space_reports,
  private.own_standing
  to authenticated;
grant execute on function
  private.act_in_case,
  private.act_on_people,
  private.add_case_proposal,
  private.begin_case_work,
  private.case_file,
  private.check_actions,
  private.end_case_without_reports,
  private.end_case_work,
  private.is_claimed_by_another,
  private.lock_case_work,
  private.needs_reason,
  private.open_case,
  private.require_case_target,
  private.require_category,
  private.require_short,
  private.restart_lock_order,
  private.set_case,
  private.set_claim,
  private.settle_decision_appeal,
  private.release_settled,
  private.settle_case_proposal,
  private.settle_report
  to service_role;

-- operations
grant execute on function
  api.act_on_space_report,
  api.appeal_decision,
  api.get_standing,
  api.list_space_reports
  to authenticated;
grant execute on function
  api.appeal_by_password,
  api.find_standing
  to gate;
grant execute on function
  api.accept_case_proposal,
  api.act_on_case,
  api.act_on_invitees,
  api.add_case_note,
  api.claim_case,
  api.create_case,
  api.decline_case_proposal,
  api.dismiss_report,
  api.get_case,
  api.list_cases,
  api.list_decision_appeals,
  api.list_invitees,
  api.list_reports,
  api.propose_in_case,
  api.release_case,
  api.resolve_decision_appeal,
  api.review_report,
  api.update_case
  to service_role;

-- batches that the worker runs
grant execute on function
  private.mention_released,
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

-- rule_conditions, judged_types: only for definer functions
alter table private.rule_conditions enable row level security;
alter table private.judged_types enable row level security;

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

-- statements: people read the statements about them, with their password if they can't log in
grant execute on function api.find_statement to gate;
grant execute on function
  api.get_statement,
  private.own_statement
  to authenticated;

-- figures for admins
grant execute on function
  api.get_transparency,
  private.transparency
  to service_role;
