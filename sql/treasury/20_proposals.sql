-- Disbursements are a kind of guild proposal (sql/guilds/20_proposals.sql).

create function private.check_disburse_proposal(p_space app.spaces, p_subject uuid, p_payload jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if (p_payload ->> 'amount' ~ '^[0-9]{1,9}$') is not true then
    perform private.raise_error('proposal_payload');
  end if;
  perform private.require_amount((p_payload ->> 'amount')::integer);
  return jsonb_build_object('amount', (p_payload ->> 'amount')::integer);
end $$;
comment on function private.check_disburse_proposal is 'Checks a proposal to disburse mana: {recipientId, amount}.';

create function private.execute_disburse_proposal(p_space app.spaces, p_proposal app.guild_proposals) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from app.hidden_people where user_id = p_proposal.subject_id) then
    perform private.raise_error('person_unknown');
  end if;
  perform private.move_treasury(
    p_space.id, 'disbursement', null, array[p_proposal.subject_id],
    array[-(p_proposal.payload ->> 'amount')::integer], p_proposal => p_proposal.id);
end $$;
comment on function private.execute_disburse_proposal is 'Pays the proposed amount to the recipient.';
insert into private.proposal_kinds (kind, person_key, checker, executor) values
  ('disburse', 'recipientId', 'private.check_disburse_proposal', 'private.execute_disburse_proposal');
