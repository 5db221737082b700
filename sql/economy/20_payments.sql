-- With an emoji payment a person gives mana to another, for a post, for a reply, or directly. docs/decisions.md, Mana.

-- a domain checks the value when the request arrives, whereas the message of a table's check would quote the whole row
create domain app.emotion as text not null constraint emotion_unknown check (
  value in ('love', 'awe', 'joy', 'curiosity', 'gratitude', 'insight', 'calm', 'courage'));
comment on domain app.emotion is 'The emotion that a payment expresses.';

create table app.payments (
  id          uuid primary key default gen_random_uuid(),
  sender_id   uuid not null references app.users on delete restrict,
  receiver_id uuid not null references app.users on delete restrict,
  emotion     app.emotion,
  tier        smallint not null,
  amount      integer not null check (amount > 0),
  post_id     uuid references app.posts on delete restrict,
  reply_id    uuid references app.replies on delete restrict,
  reversed    boolean not null generated always as (reversal_of is not null) stored,
  reversal_of uuid unique references app.payments on delete restrict,
  created_at  timestamptz not null default now(),
  check (num_nonnulls(post_id, reply_id) <= 1),
  -- checked at commit, because the movement locks wallets and is therefore written last (ARCHITECTURE.md, Locks)
  foreign key (id) references app.mana_transactions on delete restrict deferrable initially deferred
);
create index payments_sender_id_idx on app.payments (sender_id, created_at desc, id desc);
create index payments_receiver_id_idx on app.payments (receiver_id, id);
create index payments_post_id_idx on app.payments (post_id);
create index payments_reply_id_idx on app.payments (reply_id);
comment on table app.payments is
  'Emoji payments, append-only. A payment has the id of its movement. receiver_id is the author of the post or '
  'reply, or the person who was paid directly; app.payment_splits says who got how much. A reversal is a separate '
  'row with the same values and splits; its movement gives the mana back to the sender.';
comment on column app.payments.reversal_of is
  'The payment that this row reverses. A payment is reversed at most once.';
comment on column app.payments.amount is 'Whole mana that the sender paid.';

create table app.payment_splits (
  payment_id  uuid not null references app.payments on delete restrict,
  receiver_id uuid not null references app.users on delete restrict,
  sender_id   uuid not null references app.users on delete restrict,
  amount      integer not null check (amount > 0),
  created_at  timestamptz not null,
  primary key (payment_id, receiver_id)
);
create index payment_splits_receiver_id_idx on app.payment_splits (receiver_id, created_at desc, payment_id desc);
create index payment_splits_sender_id_idx on app.payment_splits (sender_id, payment_id);
comment on table app.payment_splits is
  'Who got how much of a payment, append-only. sender_id and created_at are copies of the payment''s, so that '
  'policies and lists need no join.';
comment on column app.payment_splits.amount is 'Whole mana that the receiver got.';

call private.make_append_only('app.payments');
call private.make_append_only('app.payment_splits');

insert into private.ledger_kinds (ledger, kind) values ('mana', 'payment');

insert into private.event_types (name, payload, happens) values
  ('economy.payment.sent', '{paymentId,senderId}',
   'somebody has paid'),
  ('economy.payment.reversed', '{paymentId,reversalOf}',
   'a payment is reversed, by the payment that is its opposite');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('economy.payment.sent', 'payment', 'paymentId', '{paymentId}', '{}'),
  ('economy.payment.reversed', 'payment', 'reversalOf', '{paymentId,reversalOf}', '{}');

insert into private.errors (code, status, text) values
  ('emotion_unknown', 422, 'There is no such emotion.'),
  ('tier_unknown', 422, 'tier must be a whole number from 0 to 5.'),
  ('payment_target', 422, 'Exactly one of postId, replyId and receiverId must be given.'),
  ('pay_oneself', 400, 'You cannot pay yourself.'),
  ('pay_bot', 409, 'Bots have no mana, so they cannot be paid.'),
  ('direction_unknown', 422, 'direction must be sent or received.');

create function private.payment_tier(p_tier integer, out mana integer, out reputation integer)
language plpgsql immutable
set search_path = ''
as $$
begin
  mana := (array[1, 3, 10, 25, 50, 100])[p_tier + 1];
  reputation := (array[0, 0, 10, 20, 35, 50])[p_tier + 1];
end $$;
comment on function private.payment_tier is
  'The cost of a tier (Spark, Wave, Storm, Surge, Tempest, Nova), and the reputation in the post''s primary interest '
  'that the payer needs. Both are null if there is no such tier.';

create function private.add_emotion() returns trigger
language plpgsql security definer   -- only this trigger may write the totals of a post
set search_path = ''
as $$
begin
  if new.reversed then
    update app.post_emotions set payments = payments - 1, mana = mana - new.amount
    where post_id = new.post_id and emotion = new.emotion;
    return null;
  end if;
  insert into app.post_emotions as e (post_id, emotion, payments, mana)
  values (new.post_id, new.emotion, 1, new.amount)
  on conflict (post_id, emotion) do update
    set payments = e.payments + excluded.payments, mana = e.mana + excluded.mana;
  return null;
end $$;
comment on function private.add_emotion is
  'Trigger: updates the emoji totals of a post for each payment and reversal.';
create trigger add_emotion after insert on app.payments
  for each row when (new.post_id is not null) execute function private.add_emotion();

create function private.announce_reversal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.emit('economy.payment.reversed',
    json_build_object('paymentId', new.id, 'reversalOf', new.reversal_of),
    array(select p.sender_id from app.payments p where p.id = new.reversal_of));
  return null;
end $$;
comment on function private.announce_reversal is 'Trigger: emits economy.payment.reversed.';
create trigger announce_reversal after insert on app.payments
  for each row when (new.reversed) execute function private.announce_reversal();

create view app.payment_card with (security_invoker) as
select p.id,
       json_build_object(
         'id', p.id,
         'senderId', sender.actor_id,
         'sender', sender.card,
         'receiverId', receiver.actor_id,
         'receiver', receiver.card,
         'emotion', p.emotion,
         'tier', p.tier,
         'amount', case when p.sender_id = (select app.uid()) then p.amount
                        else (select s.amount from app.payment_splits s
                              where s.payment_id = p.id and s.receiver_id = (select app.uid())) end,
         'total', p.amount,
         'splits', (select json_agg(json_build_object('receiverId', r.name, 'amount', r.amount)
                                    order by r.id <> p.receiver_id, r.id)
                    from (select coalesce(c.id, p.receiver_id) as id, max(c.actor_id) as name,
                                 sum(s.amount) as amount
                          from app.payment_splits s left join app.person_card c on c.id = s.receiver_id
                          where s.payment_id = p.id
                          group by 1) r),
         'postId', (select post.id from app.posts post where post.id = p.post_id),
         'replyId', p.reply_id,
         'reversed', p.reversed,
         'reversalOf', p.reversal_of,
         'createdAt', private.utc(p.created_at)) as card
from app.payments p
left join app.person_card sender on sender.id = p.sender_id
left join app.person_card receiver on receiver.id = p.receiver_id;
comment on view app.payment_card is
  'A payment as its sender or a receiver sees it: amount is the mana that the caller paid or got, total the mana that '
  'was paid. The payment remains visible if the other person is hidden (by a block, a ban or an erasure), but that '
  'person is null. A hidden co-author''s split is added to the author''s. The post is null if the caller can''t see '
  'it.';

create function private.payment_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the view takes ten times as long as running it
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.payment_card c on c.id = i.id);
end $$;
comment on function private.payment_cards is
  'The cards of these payments, in order, without those that the caller can''t see.';
call private.force_index_scans('private.payment_cards');

create function private.split_payment(p_payment app.payments, out receiver_id uuid, out amount integer)
returns setof record
language plpgsql stable   -- only for definer functions, because the payer may not see bans
set search_path = ''
as $$
begin
  return query
  with shared as materialized (
    select c.user_id, p_payment.amount * c.split_share / 100 as share   -- integer division rounds down
    from app.post_co_authors c join app.users u on u.id = c.user_id
    where c.post_id = p_payment.post_id and c.status = 'accepted' and c.user_id <> p_payment.sender_id
      and u.banned_at is null and u.erased_at is null)
  select p_payment.receiver_id, p_payment.amount - coalesce((select sum(share) from shared), 0)::integer
  union all
  select s.user_id, s.share from shared s where s.share > 0;
end $$;
comment on function private.split_payment is
  'Returns who gets how much of a payment. Each accepted co-author of a post gets their split, rounded down, and '
  'the author gets the rest. The split of a co-author who is the payer, banned or erased goes to the author.';

create function private.pay(p_receiver uuid, p_emotion app.emotion, p_tier integer, p_post uuid, p_reply uuid)
returns uuid
language plpgsql volatile security definer   -- callers may not write the ledger or the receiver's wallet
set search_path = ''
as $$
declare
  v_payment app.payments;
begin
  insert into app.payments (sender_id, receiver_id, emotion, tier, amount, post_id, reply_id)
  values (private.require_caller(), p_receiver, p_emotion, p_tier, (private.payment_tier(p_tier)).mana,
          p_post, p_reply)
  returning * into v_payment;
  insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
  select v_payment.id, s.receiver_id, v_payment.sender_id, s.amount, v_payment.created_at
  from private.split_payment(v_payment) s;
  perform private.emit('economy.payment.sent', json_build_object(
    'paymentId', v_payment.id, 'senderId', v_payment.sender_id),
    v_payment.sender_id || array(select s.receiver_id from app.payment_splits s where s.payment_id = v_payment.id));

  perform private.move('payment', v_payment.sender_id || array_agg(s.receiver_id),
                       -v_payment.amount || array_agg(s.amount), v_payment.id)
  from app.payment_splits s where s.payment_id = v_payment.id;
  return v_payment.id;
end $$;
comment on function private.pay is
  'Adds a payment by the caller and moves its mana; api.pay checks whether the caller may pay. Fails: '
  'emotion_unknown.';

create function private.require_proof_of_payment(p_tier integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_tier >= (select nullif(value, '')::integer from app.settings where key = 'proof_tier') then
    perform private.require_proof();
  end if;
end $$;
comment on function private.require_proof_of_payment is
  'Passes if payments of this tier need no fresh proof (PROOF_TIER), or if the caller has one '
  '(private.require_proof).';

insert into private.operations_of_people (operation) values ('pay');

create function api.pay(
  p_emotion text, p_tier integer,
  p_post_id uuid default null, p_reply_id uuid default null, p_receiver_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept     json := private.begin_idempotent('pay', json_build_array(
    p_emotion, p_tier, p_post_id, p_reply_id, p_receiver_id));
  v_needed   integer := (private.payment_tier(p_tier)).reputation;
  v_emotion  app.emotion := p_emotion;
  v_post     app.posts;
  v_reply    app.replies;
  v_receiver uuid;
  v_payment  uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.require_flag('emoji-pay');
  if num_nonnulls(p_post_id, p_reply_id, p_receiver_id) <> 1 then
    perform private.raise_error('payment_target');
  elsif v_needed is null then
    perform private.raise_error('tier_unknown');
  end if;
  perform private.require_proof_of_payment(p_tier);

  if p_post_id is not null then
    v_post := private.require_original(p_post_id);
    v_receiver := v_post.author_id;
  elsif p_reply_id is not null then
    v_reply := private.require_reply(p_reply_id);
    v_receiver := v_reply.author_id;
  else
    v_receiver := private.require_person(p_receiver_id);
  end if;
  if v_receiver = private.require_caller() then
    perform private.raise_error('pay_oneself');
  elsif private.is_bot(v_receiver) then
    perform private.raise_error('pay_bot');
  end if;
  perform private.lock_open_post_space(coalesce(v_post.id, v_reply.post_id));
  perform private.require_reputation(v_post.interest_id, v_needed);   -- only a post has an interest

  v_payment := private.pay(v_receiver, v_emotion, p_tier, v_post.id, p_reply_id);
  return private.finish_idempotent('pay', json_build_object(
    'payment', private.payment_cards(array[v_payment]) -> 0,
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
end $$;
comment on function api.pay is
  'Pays for a post (for the original of a repost), for a reply, or to a person: {payment, senderBalance}. A post '
  'without a primary interest requires no reputation. Takes an Idempotency-Key.';

insert into private.links (type, path) values ('payment', '/payments/{id}');
