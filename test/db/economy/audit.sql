-- The books, checked: what changed rows past the triggers is found.
begin;
select plan(11);
select test.people('alice', 'bob');
select test.act_as('alice');
select api.pay('joy', 1, p_receiver_id => 'bob');
select test.act_as_owner();
select is_empty('select * from private.audit_mana()', 'the books are in order');

alter table app.wallets disable trigger user;
update app.wallets set balance = balance + 1, lifetime_earned = lifetime_earned + 1 where user_id = test.id('bob');
select results_eq('select rule, subject, found - expected from private.audit_mana() order by rule',
  $$ values ('a wallet is the sum of its entries', test.id('bob'), 1::bigint),
            ('what was earned is what came in', test.id('bob'), 1::bigint) $$, 'a wallet that was changed is found');
update app.wallets set balance = balance - 1, lifetime_earned = lifetime_earned - 1 where user_id = test.id('bob');

set constraints all immediate;
insert into app.mana_transactions (kind) values ('payment');
select is((select string_agg(rule, ', ') from private.audit_mana()), 'a transaction has entries', 'and one without entries');
select test.act('worker', null);
select is(private.job_audit_mana(), 1, 'the job counts them');
select test.act_as_owner();

insert into private.mana_account_kinds (kind, balance_in) values ('test', 'account');
insert into app.mana_accounts (kind) values ('test');
update app.mana_accounts set balance = 7 where kind = 'test';
select is((select found from private.audit_mana() where rule = 'what has no entries has nothing'), 7::bigint,
  'what an account has and never got');

alter table app.payment_splits disable trigger user;
update app.payment_splits set amount = amount + 1;
select is((select count(*) from private.audit_mana() where rule like 'the splits%'), 1::bigint, 'and splits that do not add up');
set constraints all immediate;
alter table app.mana_entries disable trigger user;
update app.mana_entries set amount = amount + 1 where account_id = test.id('alice') and amount < 0;
select is((select count(*) from private.audit_mana() where rule like 'entries of%'), 1::bigint, 'and entries that do not');

select is((select count(*) from private.audit_mana() where rule = 'a payment moves what it says'), 1::bigint, 'nor are the payment');
select is((select count(*) from private.audit_mana() where rule = 'an entry says what was left'), 1::bigint, 'nor what was left');
set constraints all immediate;
update app.mana_entries set amount = 9 where account_id = private.mint();
select is((select expected from private.audit_mana() where rule like 'the mint%'), 0::bigint, 'and a mint that has mana');

select test.act_as('alice');
select throws_ok('select * from private.audit_mana()', '42501', null, 'it is not for people');

select * from finish();
rollback;
