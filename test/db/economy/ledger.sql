-- The ledger is balanced and append-only, and each wallet is the sum of its entries.
begin;
select plan(43);
select test.people('alice', 'bob');

-- Acting as the owner of the schemas, to whom no policy applies
select is((select count(*) from app.users u left join app.wallets w on w.user_id = u.id where w.user_id is null), 0::bigint,
  'Everybody has a wallet, including the first admin');
select results_eq(
  $$ select balance, lifetime_earned, lifetime_spent from app.wallets where user_id = test.id('alice') $$,
  $$ values (50::bigint, 50::bigint, 0::bigint) $$, 'A new wallet has the starter amount');
select results_eq(
  $$ select t.kind, e.amount from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
     where e.account_id = test.id('alice') $$,
  $$ values ('starter', 50) $$, 'The starter is an ordinary ledger entry');
select is((select sum(amount) from app.mana_entries), 0::bigint, 'The sum of all accounts is zero');

select throws_ok(
  $$ select private.move('payment', array[test.id('alice'), test.id('bob')], array[-5, 6]) $$,
  '23000', null, 'A transaction must add up to zero');
select throws_ok(
  $$ select private.move('payment', array[test.id('alice'), test.id('bob')], array[-51, 51]) $$,
  'PT409', 'insufficient_mana', 'No wallet can go below zero');
select throws_ok($$ update app.wallets set balance = 60 where user_id = test.id('bob') $$, 'PT422', 'value_invalid',
  'A balance must equal earned minus spent');
select lives_ok(
  $$ select private.move('payment', array[test.id('bob'), test.id('alice')], array[10, -10]) $$,
  'A balanced transaction is accepted');
select results_eq(
  $$ select balance, lifetime_earned, lifetime_spent from app.wallets where user_id = test.id('alice') $$,
  $$ values (40::bigint, 50::bigint, 10::bigint) $$, 'The sender''s wallet is updated');
select results_eq(
  $$ select balance, lifetime_earned, lifetime_spent from app.wallets where user_id = test.id('bob') $$,
  $$ values (60::bigint, 60::bigint, 0::bigint) $$, 'The receiver''s wallet is updated');

select throws_ok($$ update app.mana_entries set amount = amount $$, 'PT409', 'append_only', 'An entry can''t be changed');
select throws_ok($$ delete from app.mana_entries $$, 'PT409', 'append_only', 'An entry can''t be deleted');
select throws_ok($$ truncate app.mana_entries $$, 'PT409', 'append_only', 'The entries can''t be truncated');
select throws_ok($$ update app.mana_transactions set kind = kind $$, 'PT409', 'append_only', 'A transaction can''t be changed');
select throws_ok($$ delete from app.mana_transactions $$, 'PT409', 'append_only', 'A transaction can''t be deleted');
select throws_ok($$ delete from app.users where username = 'bob' $$, '23503', null, 'A person with a wallet can''t be deleted');

select results_eq(
  $$ select e.amount, e.balance_after from app.mana_entries e where e.account_id = test.id('alice') order by e.seq $$,
  $$ values (50, 50::bigint), (-10, 40::bigint) $$, 'An entry has the balance after it');
select is((select count(*) from app.mana_entries where account_id = private.mint() and balance_after is not null), 0::bigint,
  'The mint''s entries have no balance');

-- Accounts that are not wallets, as other features open them
select throws_ok($$ insert into app.mana_accounts (kind) values ('purse') $$, '23503', null, 'An account must be of a registered kind');
insert into private.mana_account_kinds (kind, balance_in) values ('purse', 'account');
insert into app.mana_accounts (id, kind) values ('00000000-0000-4000-8000-000000000001', 'purse');
create function pg_temp.purse() returns uuid language sql as $$ select '00000000-0000-4000-8000-000000000001'::uuid $$;
create function pg_temp.balance() returns bigint language sql as $$ select balance from app.mana_accounts where id = pg_temp.purse() $$;
select is(pg_temp.balance(), 0::bigint, 'An account with its own balance starts at 0');
select lives_ok($$ select private.move('payment', array[test.id('bob'), pg_temp.purse()], array[-4, 4]) $$, 'Mana can be moved to the account');
select is(pg_temp.balance(), 4::bigint, 'The account''s balance includes the mana');
select throws_ok($$ select private.move('payment', array[pg_temp.purse(), test.id('bob')], array[-5, 5]) $$, 'PT409', 'insufficient_mana',
  'The account can''t go below zero');
select throws_ok($$ update app.mana_accounts set balance = -1 where id = pg_temp.purse() $$, 'PT422', 'value_invalid', 'The account''s balance can''t be set below zero');
select lives_ok($$ select private.move('payment', array[pg_temp.purse(), test.id('bob')], array[-4, 4]) $$, 'The account can pay what it has');
select results_eq(
  $$ select amount, balance_after from app.mana_entries where account_id = pg_temp.purse() order by seq $$,
  $$ values (4, 4::bigint), (-4, 0::bigint) $$, 'Each entry has the account''s balance');

-- Regeneration: Alice has 40, Bob 60
update app.wallets set last_regen_at = now() - interval '23 hours 59 minutes' where user_id = test.id('alice');
select test.act_as('alice');
select is((api.get_wallet() ->> 'balance')::int, 40, 'Before 24 hours nothing regenerates');
select test.act_as_owner();
update app.wallets set last_regen_at = now() - interval '25 hours' where user_id = test.id('alice');
select test.act_as('alice');
select is((api.get_wallet() ->> 'balance')::int, 45, 'After 24 hours 5 mana regenerate');
select is((api.get_wallet() ->> 'balance')::int, 45, 'Mana regenerates only once for the same 24 hours');
select is(api.get_wallet() ->> 'lastRegenAt', private.utc(now() - interval '1 hour'), 'The remaining hour counts for the next 24 hours');
select is((api.get_wallet() ->> 'lifetimeEarned')::int, 55, 'Regenerated mana counts as earned');
select test.act_as_owner();
update app.wallets set last_regen_at = now() - interval '49 hours';
select test.act_as('alice');
select is((api.get_wallet() ->> 'balance')::int, 50, 'Regeneration stops at 50');
select test.act_as('bob');
select is((api.get_wallet() ->> 'balance')::int, 60, 'Above 50 nothing regenerates');
select is(api.get_wallet() ->> 'lastRegenAt', private.utc(now() - interval '1 hour'), 'Above 50, lastRegenAt advances nevertheless');
select test.act_as_owner();
update app.wallets set last_regen_at = now() - interval '240 hours' where user_id = test.id('bob');
select private.move('payment', array[test.id('bob'), test.id('alice')], array[-30, 30]);
select is((select balance from app.wallets where user_id = test.id('bob')), 30::bigint, 'Spending doesn''t regenerate mana for earlier days above 50');
update app.wallets set last_regen_at = now() - interval '24 hours' where user_id in (test.id('alice'), test.id('bob'));
select private.move('payment', array[test.id('bob'), test.id('alice')], array[30, -30]);
select is((select balance from app.wallets where user_id = test.id('bob')), 65::bigint, 'The receiver''s wallet regenerates before a payment');
select is((select balance from app.wallets where user_id = test.id('alice')), 50::bigint, 'The sender''s wallet regenerates before a payment');
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong');
update app.wallets set last_regen_at = now() - interval '24 hours' where user_id = test.id('alice');
select private.move('payment', array[test.id('bob'), test.id('alice')], array[9, -9]);
update app.wallets set last_regen_at = now() - interval '24 hours' where user_id = test.id('alice');
update app.users set erased_at = now() where username = 'alice';
select private.settle(test.id('alice'));
select is((select balance from app.wallets where user_id = test.id('alice')), 41::bigint, 'An erased person''s wallet doesn''t regenerate');
update app.users set erased_at = null where username = 'alice';

-- Acting as Alice
select test.act_as('alice');
select is((select count(*) from app.wallets), 1::bigint, 'People see only their own wallet');
select throws_ok($$ update app.wallets set balance = 1000 $$, '42501', null, 'People can''t change a wallet');
select throws_ok($$ select private.move('starter', array[private.mint(), app.uid()], array[-9, 9]) $$, '42501', null,
  'People can''t move mana themselves');

-- Acting as the service role
select test.act_as_service();
select throws_ok($$ update app.wallets set balance = 1000 $$, '42501', null, 'The service role can''t change a wallet');

select * from finish();
rollback;
