-- A statement of reasons says what staff decided about a person, with the proof that the decision is in the audit log.
-- The proof never reveals who decided, because the hash of an entry covers only a salted hash of its actor.
-- docs/decisions.md, Staff.

create unique index audit_checkpoints_entries_idx on private.audit_checkpoints (entries);

insert into private.errors (code, status, text) values
  ('statement_unknown', 404, 'There is no such decision about you.');

create function private.audit_proof(p_entry bigint) returns json
language plpgsql stable security definer   -- callers may not read the log
set search_path = ''
as $$
declare
  v_entry      app.audit_log;
  v_detail     app.audit_details;
  v_checkpoint private.audit_checkpoints;
  v_after      bigint;
begin
  select * into v_entry from app.audit_log where id = p_entry;
  select * into v_detail from app.audit_details where audit_id = p_entry;
  select * into v_checkpoint from private.audit_checkpoints where entries >= p_entry order by entries limit 1;
  if not found or v_entry.detail_hash is null then   -- an entry that 1.0.0 wrote contains the id of the actor
    return null;
  end if;
  v_after := coalesce((select entries from private.audit_checkpoints where number = v_checkpoint.number - 1), 0);
  return json_build_object(
    'previous', encode(v_entry.previous, 'hex'),
    'content', private.audit_content(v_entry)::text,
    'detail', case when v_detail.detail_salt is not null then v_detail.detail::text end,
    'salt', encode(v_detail.detail_salt, 'hex'),
    'place', v_entry.id - v_after - 1,
    'size', v_checkpoint.entries - v_after,
    'path', array(
      select encode(p.node, 'hex')
      from unnest(private.merkle_path(private.merkle_leaves(v_after, v_checkpoint.entries), v_entry.id - v_after))
           with ordinality p (node, place) order by p.place),
    'checkpoint', private.checkpoint_card(v_checkpoint));
end $$;
comment on function private.audit_proof is
  'The proof that an entry is in the audit log: {previous, content, detail, salt, place, size, path, checkpoint}. '
  'Null until a checkpoint covers it. `detail` and `salt` are null after an erasure.';
call private.force_index_scans('private.audit_proof');

create function private.statement(p_person uuid, p_decision uuid, p_by_password boolean) returns json
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
declare
  v_statement json;
begin
  select json_build_object(
    'id', d.id,
    'action', d.action,
    'targetType', d.target_type,
    'targetId', case when d.target_type <> 'user' then d.target_id end,
    'category', d.category,
    'categoryText', c.text,
    'rule', d.rule,
    'reason', d.reason,
    'automated', d.decided_by is null,
    'endsAt', private.utc(d.ends_at),
    'liftedAt', private.utc(d.lifted_at),
    'overturnedAt', private.utc(d.overturned_at),
    'createdAt', private.utc(d.decided_at),
    'appealPath', private.appeal_path(d, p_by_password),
    'proof', private.audit_proof(d.audit_id)) into v_statement
  from app.decisions d join private.case_categories c on c.category = d.category
  where d.id = p_decision and d.person_id = p_person;
  if not found then
    perform private.raise_error('statement_unknown');
  end if;
  return v_statement;
end $$;
comment on function private.statement is
  'The statement of reasons for a decision about a person. It never says who decided. With p_by_password the person '
  'is not logged in, so the statement names another route for an appeal.';

create function private.own_statement(p_decision uuid) returns json
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$ begin return private.statement(private.require_caller(), p_decision, false); end $$;
comment on function private.own_statement is 'The statement of reasons for a decision about the caller.';

create function api.get_statement(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.own_statement(p_id); end $$;
comment on function api.get_statement is
  'The statement of reasons for a decision about the caller, without who decided: {id, action, targetType, targetId, '
  'category, categoryText, rule, reason, automated, endsAt, liftedAt, overturnedAt, createdAt, appealPath, proof}.';

create function api.find_statement(
  p_user_id uuid, p_password_hash text, p_decision_id uuid, p_code text default null, p_passkey uuid default null,
  p_counter bigint default null, p_oidc_login uuid default null
) returns json
language plpgsql volatile security definer   -- only for gate: banned people have no token
set search_path = ''
as $$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  return private.statement(p_user_id, p_decision_id, true);
end $$;
comment on function api.find_statement is
  'For the facade alone, after it has checked the person''s identity as for api.find_standing: the statement of '
  'reasons for a decision about a person who may be banned.';
