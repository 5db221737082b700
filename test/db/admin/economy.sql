-- What staff sees of mana, and how an admin takes a payment back.
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

-- Erin wrote with Dan (30 %); Carla pays for it
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
  (select id from app.mana_accounts where kind = 'wallet' order by created_at desc, id desc limit 1), 'moderators read the wallets');
select is(
  (select array_agg(id::text order by created_at desc, id desc) from app.mana_accounts where kind = 'wallet'),
  pg_temp.walked('select api.list_wallets(p_limit => 1, p_cursor => %L)'), 'page by page, each once, the newest first');
select results_eq($$ select i::jsonb - 'createdAt' - 'lastRegenAt' from json_array_elements(api.list_wallets('carla') -> 'items') i $$,
  $$ select jsonb_build_object('id', test.id('carla'), 'user', p.card, 'balance', 39, 'lifetimeEarned', 50, 'lifetimeSpent', 11)
     from app.person_card p where p.id = test.id('carla') $$, 'or the one of a person');
select is(json_array_length(api.list_wallets(test.id('carla')::text) -> 'items'), 1, 'by UUID too');
select is(json_array_length(api.list_wallets('carla', p_cursor => test.id('carla')::text) -> 'items'), 0, 'behind which there is none');
select throws_ok($$ select api.list_wallets('nobody') $$, 'PT404', 'person_unknown', 'of nobody there is none');
select throws_ok($$ select api.list_wallets(p_cursor => '00000000-0000-0000-0000-00000000000a') $$, 'PT400', 'cursor_unknown', 'and the mint is no wallet');
select throws_ok($$ select api.list_wallets(p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'a page has 50 at most');

select is(pg_temp.walked('select api.list_all_payments(p_limit => 1, p_cursor => %L)'),
  array(select id::text from app.payments order by created_at desc, id desc), 'and all payments, newest first');
select results_eq(
  $$ select i::jsonb - '{sender,receiver,createdAt}'::text[] from json_array_elements(api.list_all_payments() -> 'items') i
     where i ->> 'tier' = '2' $$,
  $$ select jsonb_build_object('id', m.id, 'senderId', test.id('carla'), 'receiverId', test.id('erin'), 'emotion', 'love', 'tier', 2,
       'amount', 10, 'splits', jsonb_build_array(jsonb_build_object('receiverId', test.id('erin'), 'amount', 7),
                                                 jsonb_build_object('receiverId', test.id('dan'), 'amount', 3)),
       'postId', post.id, 'replyId', null, 'reversed', false, 'reversalOf', null, 'reversedBy', null)
     from made m, made post where m.name = 'payment' and post.name = 'post' $$, 'whole');
select is(json_array_length(api.list_all_payments('dan') -> 'items'), 2, 'those of somebody who got a share');
select is(json_array_length(api.list_all_payments('erin') -> 'items'), 1, 'who was paid');
select is(json_array_length(api.list_all_payments('carla') -> 'items'), 2, 'or who paid');
select is(json_array_length(api.list_all_payments('alice') -> 'items'), 0, 'or none');
select throws_ok($$ select api.list_all_payments('nobody') $$, 'PT404', 'person_unknown', 'of nobody');
select throws_ok($$ select api.list_all_payments(p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'behind nothing');

select throws_ok($$ select api.reverse_payment(gen_random_uuid(), 'Spam') $$, 'PT403', 'role_required', 'moderators take none back');

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
select throws_ok($$ select api.reverse_payment(gen_random_uuid(), 'Spam') $$, 'PT404', 'payment_unknown', 'there is no such payment');
select throws_ok($$ select api.reverse_payment(pg_temp.id('payment'), ' ') $$, 'PT422', 'reason_length', 'a reason is required');
select throws_ok($$ select api.reverse_payment(pg_temp.id('payment'), repeat('x', 1001)) $$, 'PT422', 'reason_length', 'and has an end');
select is(pg_temp.wallets(), 'carla 39=50-11, dan 54=54-0, erin 57=57-0', 'before');
select is(pg_temp.contribution(), 4::numeric, 'two payments are a contribution');
insert into made select 'back', (api.reverse_payment(pg_temp.id('payment'), 'By mistake') #>> '{payment,id}')::uuid;
select test.settle();
select is(pg_temp.wallets(), 'carla 49=50-1, dan 51=51-0, erin 50=50-0', 'all that moved moves back, and out of what was earned and spent');
select is(pg_temp.contribution(), 2::numeric, 'it is no contribution any more');
select is(pg_temp.entries('reversal'), 'dan -3, erin -7, mint 10', 'who was paid gives it back');
select is(pg_temp.entries('recredit'), 'carla 10, mint -10', 'and who paid gets it, by a movement of its own');
select is((select i::jsonb - '{sender,receiver,createdAt}'::text[] from json_array_elements(api.list_all_payments() -> 'items') i
           where (i ->> 'id')::uuid = pg_temp.id('back')),
  (select i::jsonb - '{sender,receiver,createdAt}'::text[]
          || jsonb_build_object('id', pg_temp.id('back'), 'reversed', true, 'reversalOf', pg_temp.id('payment'), 'reversedBy', null)
   from json_array_elements(api.list_all_payments() -> 'items') i where (i ->> 'id')::uuid = pg_temp.id('payment')),
  'a row of its own repeats it');
select is((select i ->> 'reversedBy' from json_array_elements(api.list_all_payments() -> 'items') i
           where (i ->> 'id')::uuid = pg_temp.id('payment')), pg_temp.id('back')::text, 'to which the payment leads');
select throws_ok($$ select api.reverse_payment(pg_temp.id('payment'), 'Again') $$, 'PT409', 'payment_reversed', 'once');
select throws_ok($$ select api.reverse_payment(pg_temp.id('back'), 'Again') $$, 'PT409', 'payment_reversed', 'and what takes back stays');
select results_eq($$ select l.action, l.target_type, l.target_id, d.detail from app.audit_log l join app.audit_details d on d.audit_id = l.id $$,
  $$ values ('payment.reversed', 'payment', pg_temp.id('payment')::text, '{"reason": "By mistake", "minted": 0}'::jsonb) $$,
  'it leaves an audit entry, and what is refused none');
select test.act_as('dan');
select is(json_array_length(api.list_payments('received') -> 'items'), 3, 'who got a share finds both in their history');
select is((select i ->> 'amount' from json_array_elements(api.list_payments('received') -> 'items') i
           where (i ->> 'reversed')::boolean), '3', 'with their share');
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {}}', 'the breakdown has neither');
select test.act_as('carla');
select is(json_array_length(api.list_payments('sent') -> 'items'), 3, 'who paid finds both too');
select is(api.pay('love', 0, p_post_id => pg_temp.id('post')) ->> 'senderBalance', '48', 'and pays again');
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {"love": {"count": 1, "total": 1}}}', 'which counts');
insert into made select 'great', (api.pay('love', 3, p_receiver_id => 'dan') #>> '{payment,id}')::uuid;
insert into made select 'last', (api.pay('joy', 2, p_receiver_id => 'dan') #>> '{payment,id}')::uuid;

-- Who was paid has spent it: Dan has 86 and keeps 5, then nothing
select test.act_as('dan');
select api.pay('love', 4, p_receiver_id => 'bob'), api.pay('love', 3, p_receiver_id => 'bob');
select api.pay('love', 1, p_receiver_id => 'bob') from generate_series(1, 2);
select is((api.get_wallet() ->> 'balance')::int, 5, 'Dan has 5 of it');
select test.act_as_service('alice');
select throws_ok($$ select api.reverse_payment(pg_temp.id('great'), 'Fraud') $$, 'PT409', 'mana_gone', 'which is less than the payment');
select is(pg_temp.wallets(), 'carla 13=50-37, dan 5=86-81, erin 51=51-0', 'so nothing moves');
select is(api.reverse_payment(pg_temp.id('great'), 'Fraud', true) ->> 'minted', '20', 'forced, the rest is minted');
select is(pg_temp.wallets(), 'carla 38=50-12, dan 0=81-81, erin 51=51-0', 'who was paid gives what they have');
select is(api.reverse_payment(pg_temp.id('last'), 'Fraud', true) ->> 'minted', '10', 'which may be nothing');
select is(pg_temp.wallets(), 'carla 48=50-2, dan 0=81-81, erin 51=51-0', 'and who paid gets all');
select test.act_as_owner();
select is((select count(*) from app.mana_transactions where kind = 'reversal' and reversal_of = pg_temp.id('last')), 0::bigint,
  'of nothing there is no movement');
update app.wallets set last_regen_at = now() - interval '25 hours' where user_id in (test.id('carla'), test.id('dan'));
select test.act_as_service('alice');
select lives_ok($$ select api.reverse_payment(pg_temp.id('other'), 'Fraud') $$, 'both regenerate first: now Dan has the mana');
select is(pg_temp.wallets(), 'carla 51=52-1, dan 4=85-81, erin 51=51-0', 'and Carla more than regeneration gives');
select test.act_as_owner();
set constraints all immediate;
select is_empty('select * from private.audit_mana()', 'the books are in order');
select throws_ok($$ update app.payments set emotion = 'joy' where id = pg_temp.id('payment') $$, 'PT409', 'append_only', 'and no old row was changed');

-- Who is banned or erased stays in the books
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dan';
select private.erase_person(test.id('erin'));
select test.act_as_service('bob');
select is(json_array_length(api.list_all_payments() -> 'items'), 13, 'the books stay whole');
select is((select string_agg(d.detail ->> 'reason', ', ' order by l.id) from app.audit_log l join app.audit_details d on d.audit_id = l.id),
  'Fraud, Fraud, Fraud', 'but what staff said of the erased is gone');

-- Acting as others
select test.act_as_service('carla');
select throws_ok($$ select api.list_wallets() $$, 'PT403', 'role_required', 'it is for staff');
select throws_ok($$ select api.list_all_payments() $$, 'PT403', 'role_required', 'both of it');
select throws_ok($$ select api.reverse_payment(pg_temp.id('other'), 'Mine') $$, 'PT403', 'role_required', 'and so is taking back');
select test.act_as('alice');
select throws_ok($$ select private.reverse_payment(pg_temp.id('other'), true) $$, '42501', null, 'even an admin');
select throws_ok($$ select api.list_all_payments() $$, '42501', null, 'through the staff''s door alone');

select * from finish();
rollback;
