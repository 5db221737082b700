-- What staff sees of mana (all wallets and payments), and how an admin reverses a payment.
-- docs/decisions.md, Staff.

create index mana_accounts_wallet_idx on app.mana_accounts (created_at desc, id desc) where kind = 'wallet';
create index payments_created_at_idx on app.payments (created_at desc, id desc);

create view private.staff_wallets with (security_invoker) as
select a.created_at as at, a.id, concat_ws(' ', u.username, u.first_name, u.last_name) as said,
       json_build_object(
         'id', a.id,
         'user', person.card,
         'balance', w.balance,
         'lifetimeEarned', w.lifetime_earned,
         'lifetimeSpent', w.lifetime_spent,
         'lastRegenAt', private.utc(w.last_regen_at),
         'createdAt', private.utc(a.created_at)) as card
from app.mana_accounts a
join app.wallets w on w.user_id = a.id
join app.users u on u.id = a.id
join app.person_card person on person.id = a.id
where a.kind = 'wallet';
comment on view private.staff_wallets is
  'Wallets as staff sees them, each with its person; id is the person''s UUID. Balances are those last settled: '
  'reading a wallet regenerates no mana.';

create view app.staff_payment_card with (security_invoker) as
select p.id,
       json_build_object(
         'id', p.id,
         'senderId', p.sender_id,
         'sender', sender.card,
         'receiverId', p.receiver_id,
         'receiver', receiver.card,
         'emotion', p.emotion,
         'tier', p.tier,
         'amount', p.amount,
         'splits', (select json_agg(json_build_object('receiverId', s.receiver_id, 'amount', s.amount)
                                    order by s.receiver_id <> p.receiver_id, s.receiver_id)
                    from app.payment_splits s where s.payment_id = p.id),
         'postId', p.post_id,
         'replyId', p.reply_id,
         'reversed', p.reversed,
         'reversalOf', p.reversal_of,
         'reversedBy', (select r.id from app.payments r where r.reversal_of = p.id),
         'createdAt', private.utc(p.created_at)) as card
from app.payments p
join app.person_card sender on sender.id = p.sender_id
join app.person_card receiver on receiver.id = p.receiver_id;
comment on view app.staff_payment_card is
  'A whole payment as staff sees it; ids of people are UUIDs. reversedBy is the payment that reversed it.';

create function api.list_wallets(
  p_user_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('wallets', json_build_object('id', private.find_staff_person(p_user_id)), array['id'],
                            p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_wallets is 'Wallets, newest first.';

create function private.find_staff_payments(p_user uuid, p_q text, p_since timestamptz, p_from app.place)
returns app.found
language plpgsql stable security definer   -- the function limits the number of rows itself
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_q      text := lower(p_q);
  v_found  app.found;
begin
  -- either the first of the three branches runs, or the other two
  with looked as materialized (
    select * from (
      (select created_at as at, id from app.payments
       where p_user is null and created_at >= v_since and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id from app.payments
       where sender_id = p_user and created_at >= v_since and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, payment_id from app.payment_splits
       where receiver_id = p_user and created_at >= v_since and (created_at, payment_id) < (v_from, v_before)
       order by created_at desc, payment_id desc limit 400)) w
    order by at desc, id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      where v_q is null or (
        select strpos(lower(concat_ws(' ', sender.username, receiver.username, p.emotion)), v_q)
        from app.payments p
        join app.users sender on sender.id = p.sender_id
        join app.users receiver on receiver.id = p.receiver_id
        where p.id = l.id) > 0
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select l.id from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_staff_payments is
  'The next payments among the next 400 rows. Filters: a sender or recipient, not older than a time, these letters '
  'in usernames or the emotion. The cursor of a short page is the last row that was read.';
call private.force_index_scans('private.find_staff_payments');

create function api.list_all_payments(
  p_user_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_user   uuid := private.find_staff_person(p_user_id);
  v_cursor uuid := private.require_cursor(p_cursor);
  v_from   app.place;
  v_found  app.found;
begin
  v_from := private.find_payment_place(v_cursor);
  if v_cursor is null and p_to is not null then
    v_from := (p_to, '00000000-0000-0000-0000-000000000000')::app.place;
  end if;
  if pg_input_is_valid(p_q, 'uuid') then
    v_found.ids := array(
      select p.id from app.payments p
      where p.id = p_q::uuid and p.created_at >= coalesce(p_from, '-infinity')
        and (p.created_at, p.id) < (v_from.at, v_from.id)
        and (v_user is null or p.sender_id = v_user
             or exists (select from app.payment_splits s where s.payment_id = p.id and s.receiver_id = v_user)));
  else
    v_found := private.find_staff_payments(v_user, p_q, p_from, v_from);
  end if;
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_found.ids[:p_limit]) with ordinality as p (id, place)
                       join app.staff_payment_card c on c.id = p.id), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_all_payments is
  'Payments and their reversals, newest first. Filters: a sender or recipient, a period, one id or these letters.';

create function api.reverse_payment(p_id uuid, p_reason text, p_force boolean default false) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_kept   json;
  v_done   record;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  if v_reason is null then
    perform private.raise_error('reason_length');
  end if;
  v_kept := private.begin_idempotent('reverse_payment', json_build_array(p_id, v_reason, p_force));
  if v_kept is not null then
    return v_kept;
  end if;
  v_done := private.reverse_payment(p_id, coalesce(p_force, false));
  perform private.audit('payment.reversed', 'payment', p_id::text,
                        json_build_object('reason', v_reason, 'minted', v_done.minted));
  return private.finish_idempotent('reverse_payment', json_build_object(
    'payment', (select card from app.staff_payment_card where id = v_done.reversal),
    'minted', v_done.minted));
end $$;
comment on function api.reverse_payment is
  'Reverses a payment, once: {payment (the reversal), minted}. It fails if the recipients no longer have the mana. '
  'With p_force it succeeds, and the missing mana is minted. Takes an Idempotency-Key. Leaves an audit entry with the '
  'reason.';

create function private.staff_books() returns json
language plpgsql stable security definer   -- callers may not read the runs of jobs
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'sound', case when bool_or(r.last_changed <> 0) then false when count(r.job) = count(*) then true end,
      'ledgers', json_agg(json_build_object(
        'ledger', l.ledger,
        'auditedAt', private.utc(r.last_ended_at),
        'violations', r.last_changed,
        'findings', coalesce((
          select json_agg(json_build_object('rule', f.rule, 'subjectId', f.subject, 'expected', f.expected,
                                            'found', f.found) order by f.place)
          from private.ledger_findings f where f.ledger = l.ledger), '[]')) order by l.place))
    from (values ('mana', 'audit-mana', 1), ('treasuries', 'audit-treasuries', 2)) l (ledger, job, place)
    left join private.job_runs r on r.job = l.job and r.last_ended_at is not null);
end $$;
comment on function private.staff_books is
  'The findings of the latest nightly audits of the ledgers of mana and of the treasuries: {sound, ledgers: '
  '[{ledger, auditedAt, violations, findings}]}. If nothing was found, sound is null until both audits have run.';

create function api.get_books() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_books();
end $$;
comment on function api.get_books is
  'The findings of the latest nightly audits of the ledgers: {sound, ledgers: [{ledger, auditedAt, violations, '
  'findings: [{rule, subjectId, expected, found}]}]}, up to 100 findings of each.';
