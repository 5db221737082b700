-- The audit of mana: it finds rows that were changed without the triggers.
begin;
select plan(11);
select test.people('alice', 'bob');
select test.act_as('alice');
select api.pay('joy', 1, p_receiver_id => 'bob');
select test.act_as_owner();
select is_empty('select * from private.audit_mana()', 'At first the audit finds nothing wrong');

alter table app.wallets disable trigger user;
update app.wallets set balance = balance + 1, lifetime_earned = lifetime_earned + 1 where user_id = test.id('bob');
select results_eq('select rule, subject, found - expected from private.audit_mana() order by rule',
  $$ values ('a wallet is the sum of its entries', test.id('bob'), 1::bigint),
            ('lifetime_earned is the mana that was received', test.id('bob'), 1::bigint) $$, 'A changed wallet is found');
update app.wallets set balance = balance - 1, lifetime_earned = lifetime_earned - 1 where user_id = test.id('bob');

set constraints all immediate;
insert into app.mana_transactions (kind) values ('payment');
select is((select string_agg(rule, ', ') from private.audit_mana()), 'a transaction has entries', 'A transaction without entries is found');
select test.act('worker', null);
select is(private.job_audit_mana(), 1, 'The job returns the number of errors');
select test.act_as_owner();

insert into private.mana_account_kinds (kind, balance_in) values ('test', 'account');
insert into app.mana_accounts (kind) values ('test');
update app.mana_accounts set balance = 7 where kind = 'test';
select is((select found from private.audit_mana() where rule = 'an account without entries has no mana'), 7::bigint,
  'A balance without entries is found');

alter table app.payment_splits disable trigger user;
update app.payment_splits set amount = amount + 1;
select is((select count(*) from private.audit_mana() where rule like 'the splits%'), 1::bigint, 'Splits that don''t add up to the payment are found');
set constraints all immediate;
alter table app.mana_entries disable trigger user;
update app.mana_entries set amount = amount + 1 where account_id = test.id('alice') and amount < 0;
select is((select count(*) from private.audit_mana() where rule like 'entries of%'), 1::bigint, 'Entries that don''t add up to zero are found');

select is((select count(*) from private.audit_mana() where rule = 'a payment moves its amount'), 1::bigint, 'Entries that don''t match their payment are found');
select is((select count(*) from private.audit_mana() where rule = 'an entry has the balance after it'), 1::bigint, 'Entries with a wrong balance are found');
set constraints all immediate;
update app.mana_entries set amount = 9 where account_id = private.mint();
select is((select expected from private.audit_mana() where rule like 'the mint%'), 0::bigint, 'Mana in the mint is found');

select test.act_as('alice');
select throws_ok('select * from private.audit_mana()', '42501', null, 'People can''t run the audit');

select * from finish();
rollback;
