-- Treasuries: who reads and writes without the operations, notes and erasures, the export, and the audit.
begin;
select plan(22);
select test.people('alice', 'bob', 'carla');
update app.users set role = 'admin' where id = test.id('alice');
select test.act_as('alice');
select api.create_guild('owls', (select id from app.interests where level = 1 order by slug limit 1), p_slug => 'owls');
select test.act_as('bob');
select api.apply_to_guild('owls');
select test.act_as('alice');
select api.settle_space_request('guild', 'owls', (select (i ->> 'id')::uuid from json_array_elements(api.list_space_requests('guild', 'owls') -> 'items') i), true);

select test.act_as('bob');
select is(api.contribute('owls', 20, 'For you all') #>> '{treasuryBalance}', '20', 'A member can contribute');
select throws_ok(format('select api.%s', o), 'PT403', 'space_role', 'A member can''t spend: ' || o)
from unnest(array['disburse(''owls'', ''carla'', 1, ''x'')', 'distribute(''owls'', 1)']) o;
select throws_ok($$ select api.contribute('owls', 1, repeat('é', 501)) $$, 'PT422', 'treasury_note', 'A note of more than 500 characters is refused');
select throws_ok($$ select api.contribute('owls', 0) $$, 'PT422', 'treasury_amount', 'An amount of 0 is refused');
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['select * from app.treasury_entries', 'select * from app.treasury_notes', 'select * from app.mana_accounts',
  'select private.move_treasury(gen_random_uuid(), ''contribution'', app.uid(), array[app.uid()], array[1])', 'select private.treasury_balance(gen_random_uuid())']) s;
select test.act_as('carla');
select throws_ok($$ select api.get_treasury('owls') $$, 'PT403', 'space_not_member', 'A non-member can''t see the treasury');
select test.act_as('alice');
select throws_ok($$ select api.disburse('owls', 'carla', 1, ' ') $$, 'PT422', 'treasury_note_missing', 'A disbursement needs a note');
select is(api.disburse('owls', 'carla', 5, 'Nests') #>> '{entry,balanceAfter}', '15', 'A founder can disburse with a note');
select is(api.get_treasury('owls') #>> '{items,1,note}', 'For you all', 'Members can read the notes');
select test.act_as('bob');
select is(api.export_me('treasuryNotes') #>> '{items,0,note}', 'For you all', 'The export has the person''s notes');

select test.act_as_owner();
select is((select count(*) from private.audit_mana())::int, 0, 'The audit of mana finds nothing wrong');
update app.mana_accounts set balance = 99 where kind = 'treasury';
select is((select count(*) from private.audit_mana() where rule = 'a balance is the sum of its entries')::int, 1, 'The audit finds a treasury with a wrong balance');
update app.mana_accounts set balance = 15 where kind = 'treasury';
select is(private.job_audit_treasuries(), 0, 'The audit of treasuries finds nothing wrong');
set constraints all immediate;
alter table app.treasury_entries disable trigger user;
update app.treasury_entries set balance_after = balance_after + 1 where balance_after = 15;
select is(private.job_audit_treasuries(), 1, 'The audit of treasuries finds an entry with a wrong balance');
update app.treasury_entries set balance_after = 15 where balance_after = 16;
alter table app.treasury_entries enable trigger user;
select private.erase_person(test.id('bob'));
select test.act_as('alice');
select is(api.get_treasury('owls') #>> '{items,1,note}', null, 'An erasure deletes the person''s notes');
select is(api.get_treasury('owls') #>> '{items,1,amount}', '20', 'An erasure keeps the amounts');
select test.act_as_owner();
select throws_ok($$ delete from app.treasury_entries $$, 'PT409', 'append_only', 'A treasury entry can''t be deleted');
select * from finish();
rollback;
