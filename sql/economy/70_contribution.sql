-- What an emoji payment adds to its sender's contribution score. The rest is in sql/reputation/70_contribution.sql.
-- docs/decisions.md, Mana.

insert into private.ledger_kinds (ledger, kind, points) values ('contribution', 'emoji_pay_sent', 2);

create function private.earn_contribution_from_payment() returns trigger
language plpgsql security definer   -- only triggers write the ledger
set search_path = ''
as $$
begin
  -- before the movement locks any wallet: ARCHITECTURE.md, Locks
  if new.reversed then
    perform private.reverse_contribution(new.sender_id, 'emoji_pay_sent', new.reversal_of);
  else
    perform private.earn_contribution(new.sender_id, 'emoji_pay_sent', new.id);
  end if;
  return null;
end $$;
comment on function private.earn_contribution_from_payment is 'Trigger: a payment is a contribution of its sender '
  'until it is reversed.';
create trigger earn_contribution_from_payment after insert on app.payments
  for each row execute function private.earn_contribution_from_payment();
