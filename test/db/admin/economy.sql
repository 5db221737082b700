-- What staff can see of mana, and how an admin reverses a payment.
begin;
select plan(56);
select test.people('alice', 'bob', 'carla', 'dan', 'erin');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'bob';
create function pg_temp.walked(p_call text) returns text[] language plpgsql as $$
declare
  v_page json;
  v_ids  text[] := '{}';
begin
  loop
    execute format(p_call, v_page ->> 'nextCursor') into v_page;
    v_ids := v_ids || (v_page #>> '{items,0,id}');
    exit when not (v_page ->> 'hasMore')::boolean;
  end loop;
  return v_ids;
end $$;
create temporary table made (name text primary key, id uuid);
grant all on made to public;
grant execute on all functions in schema pg_temp to public;

-- Carla pays for a post that Erin wrote with Dan (30 %)
select test.act_as('erin');
insert into made select 'post', (api.create_post('Ours') ->> 'id')::uuid;
select test.act_as_owner();
insert into app.post_co_authors (post_id, user_id, split_share, status)
select id, test.id('dan'), 30, 'accepted' from made where name = 'post';
select test.act_as('carla');
insert into made select 'payment', (api.pay('love', 2, p_post_id => (select id from made)) #>> '{payment,id}')::uuid;
insert into made select 'other', (api.pay('joy', 0, p_receiver_id => 'dan') #>> '{payment,id}')::uuid;

-- Acting as Bob, a moderator
select test.act_as_service('bob');
select is((api.list_wallets() #>> '{items,0,id}')::uuid,
  (select id from app.mana_accounts where kind = 'wallet' order by created_at desc, id desc limit 1), 'Moderators can list the wallets, newest first');
select is(
  (select array_agg(id::text order by created_at desc, id desc) from app.mana_accounts where kind = 'wallet'),
  pg_temp.walked('select api.list_wallets(p_limit => 1, p_cursor => %L)'), 'Each page has one wallet, and every wallet comes once, newest first');
select results_eq($$ select i::jsonb - 'createdAt' - 'lastRegenAt' from json_array_elements(api.list_wallets('carla') -> 'items') i $$,
  $$ select jsonb_build_object('id', test.id('carla'), 'user', p.card, 'balance', 39, 'lifetimeEarned', 50, 'lifetimeSpent', 11)
     from app.person_card p where p.id = test.id('carla') $$, 'A person''s wallet can be found by username');
select is(json_array_length(api.list_wallets(test.id('carla')::text) -> 'items'), 1, 'A person''s wallet can be found by UUID');
select is(json_array_length(api.list_wallets('carla', p_cursor => test.id('carla')::text) -> 'items'), 0, 'A list filtered by person ends after that person''s wallet');
select throws_ok($$ select api.list_wallets('nobody') $$, 'PT404', 'person_unknown', 'An unknown person fails with person_unknown');
select throws_ok($$ select api.list_wallets(p_cursor => '00000000-0000-0000-0000-00000000000a') $$, 'PT400', 'cursor_unknown', 'The mint''s account is not a valid cursor of wallets');
select throws_ok($$ select api.list_wallets(p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'A page has at most 50 wallets');

select is(pg_temp.walked('select api.list_all_payments(p_limit => 1, p_cursor => %L)'),
  array(select id::text from app.payments order by created_at desc, id desc), 'Moderators can list all payments, newest first');
select results_eq(
  $$ select i::jsonb - '{sender,receiver,createdAt}'::text[] from json_array_elements(api.list_all_payments() -> 'items') i
     where i ->> 'tier' = '2' $$,
  $$ select jsonb_build_object('id', m.id, 'senderId', test.id('carla'), 'receiverId', test.id('erin'), 'emotion', 'love', 'tier', 2,
       'amount', 10, 'splits', jsonb_build_array(jsonb_build_object('receiverId', test.id('erin'), 'amount', 7),
                                                 jsonb_build_object('receiverId', test.id('dan'), 'amount', 3)),
       'postId', post.id, 'replyId', null, 'reversed', false, 'reversalOf', null, 'reversedBy', null)
     from made m, made post where m.name = 'payment' and post.name = 'post' $$, 'A payment has all its fields, with its splits');
select is(json_array_length(api.list_all_payments('dan') -> 'items'), 2, 'A person''s payments include those they got a share of');
select is(json_array_length(api.list_all_payments('erin') -> 'items'), 1, 'A person''s payments include those they received');
select is(json_array_length(api.list_all_payments('carla') -> 'items'), 2, 'A person''s payments include those they sent');
select is(json_array_length(api.list_all_payments('alice') -> 'items'), 0, 'A person without payments has an empty list');
select throws_ok($$ select api.list_all_payments('nobody') $$, 'PT404', 'person_unknown', 'Payments of an unknown person fail with person_unknown');
select throws_ok($$ select api.list_all_payments(p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');

select throws_ok($$ select api.reverse_payment(gen_random_uuid(), 'Spam') $$, 'PT403', 'role_required', 'Moderators can''t reverse a payment');

-- Acting as Alice, an admin. Erin has 57, Dan 54, Carla 39
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.wallets() returns text language sql stable security definer as $$
  select string_agg(u.username || ' ' || w.balance || '=' || w.lifetime_earned || '-' || w.lifetime_spent, ', ' order by u.username)
  from app.wallets w join app.users u on u.id = w.user_id where u.username in ('carla', 'dan', 'erin') $$;
create function pg_temp.contribution() returns numeric language sql stable security definer as $$
  select score from app.contribution_scores where user_id = test.id('carla') $$;
create function pg_temp.entries(p_kind text) returns text language sql stable security definer as $$
  select string_agg(coalesce(u.username, 'mint') || ' ' || e.amount, ', ' order by u.username)
  from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id left join app.users u on u.id = e.account_id
  where t.kind = p_kind and t.reversal_of = pg_temp.id('payment') $$;
grant execute on all functions in schema pg_temp to public;
select test.act_as_service('alice');
select throws_ok($$ select api.reverse_payment(gen_random_uuid(), 'Spam') $$, 'PT404', 'payment_unknown', 'An unknown payment can''t be reversed');
select throws_ok($$ select api.reverse_payment(pg_temp.id('payment'), ' ') $$, 'PT422', 'reason_length', 'A reason is required');
select throws_ok($$ select api.reverse_payment(pg_temp.id('payment'), repeat('x', 1001)) $$, 'PT422', 'reason_length', 'A reason of more than 1000 characters is refused');
select is(pg_temp.wallets(), 'carla 39=50-11, dan 54=54-0, erin 57=57-0', 'Before the reversal the wallets show the payments');
select is(pg_temp.contribution(), 4::numeric, 'Two payments have earned contribution');
insert into made select 'back', (api.reverse_payment(pg_temp.id('payment'), 'By mistake') #>> '{payment,id}')::uuid;
select test.settle();
select is(pg_temp.wallets(), 'carla 49=50-1, dan 51=51-0, erin 50=50-0', 'The reversal returns all mana, and subtracts it from the sums of earned and spent mana');
select is(pg_temp.contribution(), 2::numeric, 'The reversal takes back the contribution');
select is(pg_temp.entries('reversal'), 'dan -3, erin -7, mint 10', 'The receivers return the mana');
select is(pg_temp.entries('recredit'), 'carla 10, mint -10', 'The sender gets the mana back in a separate transaction');
select is((select i::jsonb - '{sender,receiver,createdAt}'::text[] from json_array_elements(api.list_all_payments() -> 'items') i
           where (i ->> 'id')::uuid = pg_temp.id('back')),
  (select i::jsonb - '{sender,receiver,createdAt}'::text[]
          || jsonb_build_object('id', pg_temp.id('back'), 'reversed', true, 'reversalOf', pg_temp.id('payment'), 'reversedBy', null)
   from json_array_elements(api.list_all_payments() -> 'items') i where (i ->> 'id')::uuid = pg_temp.id('payment')),
  'The reversal is a payment row of its own');
select is((select i ->> 'reversedBy' from json_array_elements(api.list_all_payments() -> 'items') i
           where (i ->> 'id')::uuid = pg_temp.id('payment')), pg_temp.id('back')::text, 'The payment refers to its reversal');
select throws_ok($$ select api.reverse_payment(pg_temp.id('payment'), 'Again') $$, 'PT409', 'payment_reversed', 'A payment can be reversed only once');
select throws_ok($$ select api.reverse_payment(pg_temp.id('back'), 'Again') $$, 'PT409', 'payment_reversed', 'A reversal can''t be reversed');
select results_eq($$ select l.action, l.target_type, l.target_id, d.detail from app.audit_log l join app.audit_details d on d.audit_id = l.id $$,
  $$ values ('payment.reversed', 'payment', pg_temp.id('payment')::text, '{"reason": "By mistake", "minted": 0}'::jsonb) $$,
  'A reversal leaves an audit entry, and a refused one leaves none');
select test.act_as('dan');
select is(json_array_length(api.list_payments('received') -> 'items'), 3, 'A co-author with a share finds the payment and the reversal in their history');
select is((select i ->> 'amount' from json_array_elements(api.list_payments('received') -> 'items') i
           where (i ->> 'reversed')::boolean), '3', 'A co-author''s history shows their share of the reversal');
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {}}', 'The breakdown counts neither the payment nor the reversal');
select test.act_as('carla');
select is(json_array_length(api.list_payments('sent') -> 'items'), 3, 'The sender finds the payment and the reversal in their history');
select is(api.pay('love', 0, p_post_id => pg_temp.id('post')) ->> 'senderBalance', '48', 'The sender can pay again');
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {"love": {"count": 1, "total": 1}}}', 'The new payment is counted in the breakdown');
insert into made select 'great', (api.pay('love', 3, p_receiver_id => 'dan') #>> '{payment,id}')::uuid;
insert into made select 'last', (api.pay('joy', 2, p_receiver_id => 'dan') #>> '{payment,id}')::uuid;

-- The receiver has spent the mana: Dan had 86, and has 5 left, then none
select test.act_as('dan');
select api.pay('love', 4, p_receiver_id => 'bob'), api.pay('love', 3, p_receiver_id => 'bob');
select api.pay('love', 1, p_receiver_id => 'bob') from generate_series(1, 2);
select is((api.get_wallet() ->> 'balance')::int, 5, 'Dan has 5 mana left');
select test.act_as_service('alice');
select throws_ok($$ select api.reverse_payment(pg_temp.id('great'), 'Fraud') $$, 'PT409', 'mana_gone', 'A payment can''t be reversed when its receiver has too little left');
select is(pg_temp.wallets(), 'carla 13=50-37, dan 5=86-81, erin 51=51-0', 'A refused reversal moves nothing');
select is(api.reverse_payment(pg_temp.id('great'), 'Fraud', true) ->> 'minted', '20', 'A forced reversal mints the missing mana');
select is(pg_temp.wallets(), 'carla 38=50-12, dan 0=81-81, erin 51=51-0', 'The receiver returns what is left');
select is(api.reverse_payment(pg_temp.id('last'), 'Fraud', true) ->> 'minted', '10', 'A forced reversal mints everything when the receiver has nothing');
select is(pg_temp.wallets(), 'carla 48=50-2, dan 0=81-81, erin 51=51-0', 'The sender gets all mana back');
select test.act_as_owner();
select is((select count(*) from app.mana_transactions where kind = 'reversal' and reversal_of = pg_temp.id('last')), 0::bigint,
  'A reversal from an empty wallet records no transaction');
update app.wallets set last_regen_at = now() - interval '25 hours' where user_id in (test.id('carla'), test.id('dan'));
select test.act_as_service('alice');
select lives_ok($$ select api.reverse_payment(pg_temp.id('other'), 'Fraud') $$, 'Both wallets regenerate before a reversal, so Dan has enough');
select is(pg_temp.wallets(), 'carla 51=52-1, dan 4=85-81, erin 51=51-0', 'The sender may end above the limit of regeneration');
select test.act_as_owner();
set constraints all immediate;
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong');
select throws_ok($$ update app.payments set emotion = 'joy' where id = pg_temp.id('payment') $$, 'PT409', 'append_only', 'An existing payment row can''t be changed');

-- Payments of banned and erased people stay in the ledger
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dan';
select private.erase_person(test.id('erin'));
select test.act_as_service('bob');
select is(json_array_length(api.list_all_payments() -> 'items'), 13, 'All payments stay listed after a ban and an erasure');
select is((select string_agg(d.detail ->> 'reason', ', ' order by l.id) from app.audit_log l join app.audit_details d on d.audit_id = l.id),
  'Fraud, Fraud, Fraud', 'Reasons about an erased person are deleted');

-- Acting as others
select test.act_as_service('carla');
select throws_ok($$ select api.list_wallets() $$, 'PT403', 'role_required', 'A user can''t list wallets');
select throws_ok($$ select api.list_all_payments() $$, 'PT403', 'role_required', 'A user can''t list all payments');
select throws_ok($$ select api.reverse_payment(pg_temp.id('other'), 'Mine') $$, 'PT403', 'role_required', 'A user can''t reverse a payment');
select test.act_as('alice');
select throws_ok($$ select private.reverse_payment(pg_temp.id('other'), true) $$, '42501', null, 'An admin can''t call the private function');
select throws_ok($$ select api.list_all_payments() $$, '42501', null, 'An admin''s own token can''t call staff operations over .rpc()');

select * from finish();
rollback;
