-- Holds: mana taken from a wallet and not yet paid to another. They are opened, added to, and settled exactly once.
begin;
select plan(38);
select test.people('alice', 'bob', 'carla', 'dora', 'emil');
create function pg_temp.hold(p integer) returns uuid language sql as $$ select format('00000000-0000-4000-8000-%s', lpad(p::text, 12, '0'))::uuid $$;
create function pg_temp.wallet(p text) returns text language sql as $$
  select concat_ws(' ', balance, lifetime_earned, lifetime_spent) from app.wallets where user_id = test.id(p) $$;

select private.open_hold(pg_temp.hold(1), 'test', test.id('alice'), 20);
select is(pg_temp.wallet('alice'), '30 50 20', 'Held mana has left the wallet');
select is((select balance from app.mana_accounts where id = pg_temp.hold(1)), 20::bigint, 'Held mana is in an account of its own');
select is((select kind from app.mana_transactions where id = pg_temp.hold(1)), 'hold', 'A hold is opened by a transaction with its id');
select private.add_to_hold(pg_temp.hold(1), 5);
select is(pg_temp.wallet('alice'), '25 50 25', 'The holder can add mana to the hold');
select throws_ok($$ select private.add_to_hold(pg_temp.hold(1), 26) $$, 'PT409', 'insufficient_mana', 'The holder can''t add more than they have');
select throws_ok($$ select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), 26) $$, 'PT409', 'insufficient_mana',
  'The holder can''t hold more than they have');
select throws_ok($$ select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), 0) $$, 'PT422', 'value_invalid', 'A hold of 0 is refused');
select throws_ok($$ select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), -5) $$, 'PT409', 'insufficient_mana',
  'A hold of a negative amount is refused');
select throws_ok($$ select private.open_hold(pg_temp.hold(1), 'test', test.id('alice'), 5) $$, '23505', null, 'The id of a hold can''t be used twice');
select throws_ok($$ select private.settle_hold(pg_temp.hold(1), array[test.id('bob')], array[26]) $$, 'PT409', 'insufficient_mana',
  'A settlement can''t pay more than is held');
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong while mana is held');

-- A settlement with several receivers, one named twice and one of them the holder, and with a remainder
select private.settle_hold(pg_temp.hold(1), array[test.id('bob'), test.id('carla'), test.id('bob'), test.id('alice')], array[10, 3, 2, 4]);
select is(pg_temp.wallet('bob'), '62 62 0', 'A receiver named twice gets both amounts');
select is(pg_temp.wallet('carla'), '53 53 0', 'The other receiver gets their amount');
select is(pg_temp.wallet('alice'), '35 50 15', 'The holder gets the remainder, which doesn''t count as spent');
select is((select balance from app.mana_accounts where id = pg_temp.hold(1)), 0::bigint, 'No mana is left in the hold');
select results_eq(
  $$ select t.kind, -e.amount from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
     where e.account_id = pg_temp.hold(1) and e.amount < 0 order by e.seq $$,
  $$ values ('settlement', 15), ('refund', 10) $$, 'The ledger has a settlement and a refund');
select throws_ok($$ select private.settle_hold(pg_temp.hold(1)) $$, '55000', 'there is no open hold', 'A hold can be settled only once');
select throws_ok($$ select private.add_to_hold(pg_temp.hold(1), 1) $$, '55000', 'there is no open hold', 'Nothing can be added to a settled hold');
select throws_ok($$ select private.settle_hold(pg_temp.hold(9)) $$, '55000', 'there is no open hold', 'An unknown hold can''t be settled');

-- A whole hold is paid to one receiver, and a whole hold is returned to an erased person, whose wallet is unchanged
select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), 7);
select private.settle_hold(pg_temp.hold(2), array[test.id('bob')], array[7]);
select is(pg_temp.wallet('bob'), '69 69 0', 'A whole hold can be paid to one receiver');
select private.open_hold(pg_temp.hold(3), 'test', test.id('bob'), 9);
update app.users set erased_at = now() where username = 'bob';
update app.wallets set last_regen_at = now() - interval '48 hours' where user_id = test.id('bob');
select private.settle_hold(pg_temp.hold(3));
select is((select concat_ws(' ', w.balance, w.lifetime_earned, w.lifetime_spent) from app.wallets w
           join app.mana_holds h on h.holder_id = w.user_id where h.id = pg_temp.hold(3)), '69 69 0', 'An erased holder gets the held mana back');
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong after the settlements');
set constraints all immediate;

-- Held mana counts for regeneration, because otherwise a person could hold 50, wait ten days and have 100
create procedure pg_temp.pass(p_days integer) language sql as $$
  update app.wallets set last_regen_at = last_regen_at - p_days * interval '1 day' where user_id in (test.id('dora'), test.id('emil')) $$;
create function pg_temp.balance(p text) returns integer language plpgsql as $$
  begin perform private.settle(test.id(p)); return (select balance from app.wallets where user_id = test.id(p)); end $$;
select private.open_hold(pg_temp.hold(10 + n), 'test', test.id('dora'), 10) from generate_series(1, 5) n;
call pg_temp.pass(10);
select is(pg_temp.balance('dora'), 0, 'With 50 mana on hold nothing regenerates');
select private.settle_hold(pg_temp.hold(10 + n)) from generate_series(1, 5) n;
select is(pg_temp.balance('dora'), 50, 'After a full refund the balance is 50 again, without a backlog of regeneration');
select private.open_hold(pg_temp.hold(20), 'test', test.id('dora'), 20);
select private.move('payment', array[test.id('dora'), test.id('emil')], array[-18, 18]);
call pg_temp.pass(1);
select is(pg_temp.balance('dora'), 17, 'A wallet regenerates if its balance and its held mana are less than 50');
call pg_temp.pass(10);
select is(pg_temp.balance('dora'), 30, 'A wallet regenerates until its balance and its held mana are 50');
select private.settle_hold(pg_temp.hold(20), array[test.id('emil')], array[20]);
call pg_temp.pass(2);
select is(pg_temp.balance('dora'), 40, 'Held mana that was paid to somebody else no longer counts');
-- A wallet regenerates for the days before a hold first, whatever the order of the accounts
select private.move('payment', array[test.id('dora'), test.id('emil')], array[-20, 20]);
call pg_temp.pass(3);
select private.open_hold('00000000-0000-0000-0000-000000000001', 'test', test.id('dora'), 35);
select is(pg_temp.balance('dora'), 0, 'Opening a hold first regenerates the days before it');
call pg_temp.pass(4);
select private.add_to_hold('00000000-0000-0000-0000-000000000001', 15);
select is(pg_temp.balance('dora'), 0, 'Adding to a hold first regenerates the days before it');
call pg_temp.pass(9);
select private.settle_hold('00000000-0000-0000-0000-000000000001', array[test.id('emil')], array[40]);
select is(pg_temp.balance('dora'), 10, 'Nothing regenerates for the days on which the wallet was full');
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong after the regeneration');

-- The audit finds rows that were changed without the functions
update app.mana_holds set settled_at = null where id = pg_temp.hold(2);
select results_eq('select rule, subject, expected, found from private.audit_mana()',
  $$ values ('a hold has mana until it is settled', pg_temp.hold(2), 1::bigint, 0::bigint) $$, 'The audit finds an open hold without mana');
update app.mana_holds set settled_at = now() where id = pg_temp.hold(2);
select private.open_hold(pg_temp.hold(4), 'test', test.id('carla'), 3);
set constraints all immediate;
update app.mana_holds set settled_at = now() where id = pg_temp.hold(4);
select results_eq('select rule, subject, expected, found from private.audit_mana()',
  $$ values ('a hold has mana until it is settled', pg_temp.hold(4), 0::bigint, 3::bigint) $$, 'The audit finds a settled hold with mana');
delete from app.mana_holds where id = pg_temp.hold(4);
select is((select subject from private.audit_mana()), pg_temp.hold(4), 'The audit finds a hold account without a hold');

select test.act_as('alice');
select throws_ok('select * from app.mana_holds', '42501', null, 'People can''t read holds');
select throws_ok($$ select private.open_hold(pg_temp.hold(5), 'test', test.id('carla'), 3) $$, '42501', null, 'People can''t open a hold themselves');
select throws_ok($$ select private.settle_hold(pg_temp.hold(4), array[test.id('alice')], array[3]) $$, '42501', null, 'People can''t settle a hold themselves');
select test.act_as_service();
select throws_ok($$ update app.mana_holds set settled_at = now() $$, '42501', null, 'The service role can''t change a hold');

select * from finish();
rollback;
