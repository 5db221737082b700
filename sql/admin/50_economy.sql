-- What staff sees of mana, every wallet and every payment, and how an admin takes a payment back.
-- docs/decisions.md, Staff.

create index mana_accounts_wallet_idx on app.mana_accounts (created_at desc, id desc) where kind = 'wallet';
create index payments_created_at_idx on app.payments (created_at desc, id desc);

create view app.staff_wallet_card with (security_invoker) as
select w.user_id as id,
       json_build_object(
         'id', w.user_id,
         'user', person.card,
         'balance', w.balance,
         'lifetimeEarned', w.lifetime_earned,
         'lifetimeSpent', w.lifetime_spent,
         'lastRegenAt', private.utc(w.last_regen_at),
         'createdAt', private.utc(a.created_at)) as card
from app.wallets w
join app.mana_accounts a on a.id = w.user_id
join app.person_card person on person.id = w.user_id;
comment on view app.staff_wallet_card is
  'A wallet as staff sees it, with its person; id is their UUID. It is as it was last settled: looking at it '
  'regenerates nothing.';

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
  'A payment as staff sees it, whole; ids of people are UUIDs. reversedBy is the payment that took it back.';

create function api.list_wallets(p_user_id text default null, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_id   uuid := private.require_cursor(p_cursor);
  v_from timestamptz;
  v_ids  uuid[];
begin
  perform private.require_role('moderator', 'admin');
  select created_at into v_from from app.mana_accounts where id = v_id and kind = 'wallet';
  if v_id is not null and not found then
    perform private.fail('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 'infinity');
  v_id := coalesce(v_id, app.uid());   -- any id will do beside infinity
  if p_user_id is null then
    v_ids := array(select id from app.mana_accounts where kind = 'wallet' and (created_at, id) < (v_from, v_id)
                   order by created_at desc, id desc limit 51);
  else
    v_ids := array(select id from app.mana_accounts
                   where id = private.require_any_person(p_user_id) and (created_at, id) < (v_from, v_id));
  end if;
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_ids[:p_limit]) with ordinality as p (id, place)
                       join app.staff_wallet_card c on c.id = p.id), v_ids::text[], p_limit);
end $$;
comment on function api.list_wallets is
  'Lists the wallets, the newest first, or the one of a person. Fails: role_required, person_unknown, cursor_unknown, '
  'limit_out_of_range.';

create function api.list_all_payments(
  p_user_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from   app.place;
  v_at     timestamptz;   -- plain variables: an expression makes no index condition
  v_before uuid;
  v_ids    uuid[];
begin
  perform private.require_role('moderator', 'admin');
  v_from := private.find_payment_place(private.require_cursor(p_cursor));
  v_at := v_from.at;
  v_before := v_from.id;
  if p_user_id is null then
    v_ids := array(select id from app.payments where (created_at, id) < (v_at, v_before)
                   order by created_at desc, id desc limit 51);
  else
    v_ids := private.find_payments(private.require_any_person(p_user_id), null, v_from);
  end if;
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_ids[:p_limit]) with ordinality as p (id, place)
                       join app.staff_payment_card c on c.id = p.id), v_ids::text[], p_limit);
end $$;
comment on function api.list_all_payments is
  'Lists the payments and their reversals, newest first, all or those that a person sent or received. Fails: '
  'role_required, person_unknown, cursor_unknown, limit_out_of_range.';

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
    perform private.fail('reason_length');
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
  'Takes a payment back, once: {payment (the reversal), minted}. Where its receivers no longer have the mana it is '
  'refused, or forced: the rest is minted. Takes an Idempotency-Key. Leaves an audit entry with the reason. Fails: '
  'role_required, text_unfit, reason_length, payment_unknown, payment_reversed, mana_gone, those of '
  'private.begin_idempotent.';
