-- How an erasure changes cases and decisions, and which of their columns contain personal data. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Erasure and export.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.decisions', 'person_id', 'decisions', '{case_id,target_id,decided_by,audit_id,continues}');
insert into private.personal_data (relation, person_column, section, within, omits) values
  ('app.decision_appeals', 'decision_id', 'decisionAppeals', '{decisions}', '{person_id,resolved_by}');
insert into private.personal_data (relation, person_column, reason) values
  ('app.decision_appeals', 'person_id', 'The section decisions has the appeals, and names the person.'),
  ('app.decision_appeals', 'resolved_by', 'The work of staff, which the audit log contains.'),
  ('app.cases', 'person_id', 'The work of staff; the section decisions has the outcome.'),
  ('app.cases', 'target_id', 'The work of staff; the section decisions has the outcome.'),
  ('app.cases', 'claimed_by', 'The work of staff, which the audit log contains.'),
  ('app.cases', 'closed_by', 'The work of staff, which the audit log contains.'),
  ('app.case_reports', 'report_id', 'The work of staff: it assigns reports to cases.'),
  ('app.case_proposals', 'proposed_by', 'The work of staff, which the audit log contains.'),
  ('app.case_proposals', 'settled_by', 'The work of staff, which the audit log contains.'),
  ('app.case_events', 'actor_id', 'The work of staff, which the audit log contains.'),
  ('app.decisions', 'target_id', 'The section decisions has the decision about a person.'),
  ('app.decisions', 'decided_by', 'The work of staff, which the audit log contains.');

create function private.erase_cases(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_changed integer;
  v_is_rest boolean;
begin
  update app.case_events set note = null where id in (
    select e.id from app.cases c join app.case_events e on e.case_id = c.id
    where c.person_id = p_user.id and e.note is not null limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_changed = 500;
  update app.cases set rule = null where id in (
    select id from app.cases where person_id = p_user.id and rule is not null limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.case_proposals set reason = '' where id in (
    select p.id from app.cases c join app.case_proposals p on p.case_id = c.id
    where c.person_id = p_user.id and p.reason <> '' limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.decision_appeals set text = '', answer = null where id in (
    select id from app.decision_appeals where person_id = p_user.id and (text <> '' or answer is not null) limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.decisions set reason = '', rule = null where id in (
    select id from app.decisions where person_id = p_user.id and (reason <> '' or rule is not null) limit 500);
  get diagnostics v_changed = row_count;
  if v_is_rest or v_changed = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_cases is
  'Step: deletes what staff wrote about an erased person in notes, rules, proposals and reasons, and the person''s '
  'texts of appeals. The cases and decisions remain.';
call private.force_index_scans('private.erase_cases');
insert into private.account_steps (step, events, position) values
  ('private.erase_cases', '{erasure}', 193);
