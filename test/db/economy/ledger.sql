-- The ledger: balanced, append-only, and a wallet that is the sum of its entries.
begin;
select plan(43);
select test.people('alice', 'bob');

-- Acting as the owner of the schemas, whom no policy holds
select is((select count(*) from app.users u left join app.wallets w on w.user_id = u.id where w.user_id is null), 0::bigint,
  'everybody has a wallet, the first admin too');
select results_eq(
  $$ select balance, lifetime_earned, lifetime_spent from app.wallets where user_id = test.id('alice') $$,
  $$ values (50::bigint, 50::bigint, 0::bigint) $$, 'a new wallet holds the starter');
select results_eq(
  $$ select t.kind, e.amount from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
     where e.account_id = test.id('alice') $$,
  $$ values ('starter', 50) $$, 'which is an entry like any other');
select is((select sum(amount) from app.mana_entries), 0::bigint, 'all accounts together hold nothing');

select throws_ok(
  $$ select private.move('payment', array[test.id('alice'), test.id('bob')], array[-5, 6]) $$,
  '23000', null, 'a movement adds up to zero');
select throws_ok(
  $$ select private.move('payment', array[test.id('alice'), test.id('bob')], array[-51, 51]) $$,
  'PT409', 'insufficient_mana', 'no wallet goes below zero');
select throws_ok($$ update app.wallets set balance = 60 where user_id = test.id('bob') $$, 'PT422', 'value_invalid',
  'a balance is what was earned less what was spent');
select lives_ok(
  $$ select private.move('payment', array[test.id('bob'), test.id('alice')], array[10, -10]) $$,
  'a balanced movement passes');
select results_eq(
  $$ select balance, lifetime_earned, lifetime_spent from app.wallets where user_id = test.id('alice') $$,
  $$ values (40::bigint, 50::bigint, 10::bigint) $$, 'the wallet of who paid follows');
select results_eq(
  $$ select balance, lifetime_earned, lifetime_spent from app.wallets where user_id = test.id('bob') $$,
  $$ values (60::bigint, 60::bigint, 0::bigint) $$, 'and that of who was paid');

select throws_ok($$ update app.mana_entries set amount = amount $$, 'PT409', 'append_only', 'no entry changes');
select throws_ok($$ delete from app.mana_entries $$, 'PT409', 'append_only', 'or goes');
select throws_ok($$ truncate app.mana_entries $$, 'PT409', 'append_only', 'or all at once');
select throws_ok($$ update app.mana_transactions set kind = kind $$, 'PT409', 'append_only', 'no movement changes');
select throws_ok($$ delete from app.mana_transactions $$, 'PT409', 'append_only', 'or goes');
select throws_ok($$ delete from app.users where username = 'bob' $$, '23503', null, 'who has a wallet cannot be deleted');

select results_eq(
  $$ select e.amount, e.balance_after from app.mana_entries e where e.account_id = test.id('alice') order by e.seq $$,
  $$ values (50, 50::bigint), (-10, 40::bigint) $$, 'an entry says what was left');
select is((select count(*) from app.mana_entries where account_id = private.mint() and balance_after is not null), 0::bigint,
  'of the mint nobody keeps count');

-- Accounts that are no wallets, as other features open them
select throws_ok($$ insert into app.mana_accounts (kind) values ('purse') $$, '23503', null, 'an account is of a kind');
insert into private.mana_account_kinds (kind, balance_in) values ('purse', 'account');
insert into app.mana_accounts (id, kind) values ('00000000-0000-4000-8000-000000000001', 'purse');
create function pg_temp.purse() returns uuid language sql as $$ select '00000000-0000-4000-8000-000000000001'::uuid $$;
create function pg_temp.balance() returns bigint language sql as $$ select balance from app.mana_accounts where id = pg_temp.purse() $$;
select is(pg_temp.balance(), 0::bigint, 'one that keeps its balance begins with nothing');
select lives_ok($$ select private.move('payment', array[test.id('bob'), pg_temp.purse()], array[-4, 4]) $$, 'mana comes to it');
select is(pg_temp.balance(), 4::bigint, 'and is there');
select throws_ok($$ select private.move('payment', array[pg_temp.purse(), test.id('bob')], array[-5, 5]) $$, 'PT409', 'insufficient_mana',
  'it never goes below zero either');
select throws_ok($$ update app.mana_accounts set balance = -1 where id = pg_temp.purse() $$, 'PT422', 'value_invalid', 'by no way');
select lives_ok($$ select private.move('payment', array[pg_temp.purse(), test.id('bob')], array[-4, 4]) $$, 'and it gives what it has');
select results_eq(
  $$ select amount, balance_after from app.mana_entries where account_id = pg_temp.purse() order by seq $$,
  $$ values (4, 4::bigint), (-4, 0::bigint) $$, 'entry by entry');

-- Regeneration: Alice has 40, Bob 60
update app.wallets set last_regen_at = now() - interval '23 hours 59 minutes' where user_id = test.id('alice');
select test.act_as('alice');
select is((api.get_wallet() ->> 'balance')::int, 40, 'before 24 hours nothing comes');
select test.act_as_owner();
update app.wallets set last_regen_at = now() - interval '25 hours' where user_id = test.id('alice');
select test.act_as('alice');
select is((api.get_wallet() ->> 'balance')::int, 45, 'after a whole period 5 mana do');
select is((api.get_wallet() ->> 'balance')::int, 45, 'once');
select is(api.get_wallet() ->> 'lastRegenAt', private.utc(now() - interval '1 hour'), 'the hour over is kept');
select is((api.get_wallet() ->> 'lifetimeEarned')::int, 55, 'regeneration is earned');
select test.act_as_owner();
update app.wallets set last_regen_at = now() - interval '49 hours';
select test.act_as('alice');
select is((api.get_wallet() ->> 'balance')::int, 50, 'never above 50');
select test.act_as('bob');
select is((api.get_wallet() ->> 'balance')::int, 60, 'above 50 nothing comes');
select is(api.get_wallet() ->> 'lastRegenAt', private.utc(now() - interval '1 hour'), 'and the periods pass');
select test.act_as_owner();
update app.wallets set last_regen_at = now() - interval '240 hours' where user_id = test.id('bob');
select private.move('payment', array[test.id('bob'), test.id('alice')], array[-30, 30]);
select is((select balance from app.wallets where user_id = test.id('bob')), 30::bigint, 'spending releases no backlog');
update app.wallets set last_regen_at = now() - interval '24 hours' where user_id in (test.id('alice'), test.id('bob'));
select private.move('payment', array[test.id('bob'), test.id('alice')], array[30, -30]);
select is((select balance from app.wallets where user_id = test.id('bob')), 65::bigint, 'who is paid regenerates first');
select is((select balance from app.wallets where user_id = test.id('alice')), 50::bigint, 'who pays too');
select is_empty('select * from private.audit_mana()', 'and the books are in order');
update app.wallets set last_regen_at = now() - interval '24 hours' where user_id = test.id('alice');
select private.move('payment', array[test.id('bob'), test.id('alice')], array[9, -9]);
update app.wallets set last_regen_at = now() - interval '24 hours' where user_id = test.id('alice');
update app.users set erased_at = now() where username = 'alice';
select private.settle(test.id('alice'));
select is((select balance from app.wallets where user_id = test.id('alice')), 41::bigint, 'the wallet of the erased stays as it is');
update app.users set erased_at = null where username = 'alice';

-- Acting as Alice
select test.act_as('alice');
select is((select count(*) from app.wallets), 1::bigint, 'a person sees their own wallet alone');
select throws_ok($$ update app.wallets set balance = 1000 $$, '42501', null, 'and writes none');
select throws_ok($$ select private.move('starter', array[private.mint(), app.uid()], array[-9, 9]) $$, '42501', null,
  'nobody moves mana by hand');

-- Acting as the service
select test.act_as_service();
select throws_ok($$ update app.wallets set balance = 1000 $$, '42501', null, 'the staff''s service neither');

select * from finish();
rollback;
