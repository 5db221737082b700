-- Holds: mana between two wallets, opened, added to, and settled exactly once.
begin;
select plan(38);
select test.people('alice', 'bob', 'carla', 'dora', 'emil');
create function pg_temp.hold(p integer) returns uuid language sql as $$ select format('00000000-0000-4000-8000-%s', lpad(p::text, 12, '0'))::uuid $$;
create function pg_temp.wallet(p text) returns text language sql as $$
  select concat_ws(' ', balance, lifetime_earned, lifetime_spent) from app.wallets where user_id = test.id(p) $$;

select private.open_hold(pg_temp.hold(1), 'test', test.id('alice'), 20);
select is(pg_temp.wallet('alice'), '30 50 20', 'what is held left the wallet');
select is((select balance from app.mana_accounts where id = pg_temp.hold(1)), 20::bigint, 'and is in an account of its own');
select is((select kind from app.mana_transactions where id = pg_temp.hold(1)), 'hold', 'by a movement of its id');
select private.add_to_hold(pg_temp.hold(1), 5);
select is(pg_temp.wallet('alice'), '25 50 25', 'more comes out of the same wallet');
select throws_ok($$ select private.add_to_hold(pg_temp.hold(1), 26) $$, 'PT409', 'insufficient_mana', 'as far as it goes');
select throws_ok($$ select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), 26) $$, 'PT409', 'insufficient_mana',
  'nobody has more held than they have');
select throws_ok($$ select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), 0) $$, 'PT422', 'value_invalid', 'or nothing');
select throws_ok($$ select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), -5) $$, 'PT409', 'insufficient_mana',
  'or less than nothing');
select throws_ok($$ select private.open_hold(pg_temp.hold(1), 'test', test.id('alice'), 5) $$, '23505', null, 'an id is used once');
select throws_ok($$ select private.settle_hold(pg_temp.hold(1), array[test.id('bob')], array[26]) $$, 'PT409', 'insufficient_mana',
  'it gives no more than it has');
select is_empty('select * from private.audit_mana()', 'the books are in order while it is held');

-- several receivers, one of them twice, one the holder, and a rest
select private.settle_hold(pg_temp.hold(1), array[test.id('bob'), test.id('carla'), test.id('bob'), test.id('alice')], array[10, 3, 2, 4]);
select is(pg_temp.wallet('bob'), '62 62 0', 'receivers get theirs');
select is(pg_temp.wallet('carla'), '53 53 0', 'each of them');
select is(pg_temp.wallet('alice'), '35 50 15', 'and the holder the rest, which was never spent');
select is((select balance from app.mana_accounts where id = pg_temp.hold(1)), 0::bigint, 'nothing is left');
select results_eq(
  $$ select t.kind, -e.amount from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
     where e.account_id = pg_temp.hold(1) and e.amount < 0 order by e.seq $$,
  $$ values ('settlement', 15), ('refund', 10) $$, 'as a settlement and a refund');
select throws_ok($$ select private.settle_hold(pg_temp.hold(1)) $$, '55000', 'there is no open hold', 'it is settled once');
select throws_ok($$ select private.add_to_hold(pg_temp.hold(1), 1) $$, '55000', 'there is no open hold', 'and takes nothing after that');
select throws_ok($$ select private.settle_hold(pg_temp.hold(9)) $$, '55000', 'there is no open hold', 'nor is an unknown one settled');

-- all of it to one, and all of it back to somebody erased, whose wallet stays as it is otherwise
select private.open_hold(pg_temp.hold(2), 'test', test.id('alice'), 7);
select private.settle_hold(pg_temp.hold(2), array[test.id('bob')], array[7]);
select is(pg_temp.wallet('bob'), '69 69 0', 'all of it may go to one');
select private.open_hold(pg_temp.hold(3), 'test', test.id('bob'), 9);
update app.users set erased_at = now() where username = 'bob';
update app.wallets set last_regen_at = now() - interval '48 hours' where user_id = test.id('bob');
select private.settle_hold(pg_temp.hold(3));
select is((select concat_ws(' ', w.balance, w.lifetime_earned, w.lifetime_spent) from app.wallets w
           join app.mana_holds h on h.holder_id = w.user_id where h.id = pg_temp.hold(3)), '69 69 0', 'an erased holder gets theirs back');
select is_empty('select * from private.audit_mana()', 'the books are in order');
set constraints all immediate;

-- what is held counts for regeneration, or who parks 50 for ten days would have 100
create procedure pg_temp.pass(p_days integer) language sql as $$
  update app.wallets set last_regen_at = last_regen_at - p_days * interval '1 day' where user_id in (test.id('dora'), test.id('emil')) $$;
create function pg_temp.balance(p text) returns integer language plpgsql as $$
  begin perform private.settle(test.id(p)); return (select balance from app.wallets where user_id = test.id(p)); end $$;
select private.open_hold(pg_temp.hold(10 + n), 'test', test.id('dora'), 10) from generate_series(1, 5) n;
call pg_temp.pass(10);
select is(pg_temp.balance('dora'), 0, 'with 50 on hold nothing comes');
select private.settle_hold(pg_temp.hold(10 + n)) from generate_series(1, 5) n;
select is(pg_temp.balance('dora'), 50, 'and all of it back is 50 again, and no backlog');
select private.open_hold(pg_temp.hold(20), 'test', test.id('dora'), 20);
select private.move('payment', array[test.id('dora'), test.id('emil')], array[-18, 18]);
call pg_temp.pass(1);
select is(pg_temp.balance('dora'), 17, 'below 50 with what is held it goes on');
call pg_temp.pass(10);
select is(pg_temp.balance('dora'), 30, 'up to 50 with what is held');
select private.settle_hold(pg_temp.hold(20), array[test.id('emil')], array[20]);
call pg_temp.pass(2);
select is(pg_temp.balance('dora'), 40, 'what went to another holds up nothing any more');
-- days before a hold are settled as they were, whatever the order of the accounts
select private.move('payment', array[test.id('dora'), test.id('emil')], array[-20, 20]);
call pg_temp.pass(3);
select private.open_hold('00000000-0000-0000-0000-000000000001', 'test', test.id('dora'), 35);
select is(pg_temp.balance('dora'), 0, 'who has less gets first what came before the hold');
call pg_temp.pass(4);
select private.add_to_hold('00000000-0000-0000-0000-000000000001', 15);
select is(pg_temp.balance('dora'), 0, 'and what came before more of it');
call pg_temp.pass(9);
select private.settle_hold('00000000-0000-0000-0000-000000000001', array[test.id('emil')], array[40]);
select is(pg_temp.balance('dora'), 10, 'but nothing for the days in which it was full');
select is_empty('select * from private.audit_mana()', 'and the books are in order');

-- what changed past the functions is found
update app.mana_holds set settled_at = null where id = pg_temp.hold(2);
select results_eq('select rule, subject, expected, found from private.audit_mana()',
  $$ values ('what is held is there until it is settled', pg_temp.hold(2), 1::bigint, 0::bigint) $$, 'an open hold without mana is');
update app.mana_holds set settled_at = now() where id = pg_temp.hold(2);
select private.open_hold(pg_temp.hold(4), 'test', test.id('carla'), 3);
set constraints all immediate;
update app.mana_holds set settled_at = now() where id = pg_temp.hold(4);
select results_eq('select rule, subject, expected, found from private.audit_mana()',
  $$ values ('what is held is there until it is settled', pg_temp.hold(4), 0::bigint, 3::bigint) $$, 'a settled one with mana is');
delete from app.mana_holds where id = pg_temp.hold(4);
select is((select subject from private.audit_mana()), pg_temp.hold(4), 'and one that nobody holds');

select test.act_as('alice');
select throws_ok('select * from app.mana_holds', '42501', null, 'people do not look at holds');
select throws_ok($$ select private.open_hold(pg_temp.hold(5), 'test', test.id('carla'), 3) $$, '42501', null, 'open none by hand');
select throws_ok($$ select private.settle_hold(pg_temp.hold(4), array[test.id('alice')], array[3]) $$, '42501', null, 'and settle none');
select test.act_as_service();
select throws_ok($$ update app.mana_holds set settled_at = now() $$, '42501', null, 'the staff''s service neither');

select * from finish();
rollback;
