-- Checkpoints of the audit log: who can make and read them, and that nobody can change them.
begin;
select plan(16);
select test.people('alice');
update app.users set role = 'admin' where username = 'alice';
delete from private.audit_head;

select is(private.next_checkpoint('k')::text, null, 'Without entries there is no checkpoint to sign');
select test.act_as_service('alice');
select lives_ok($$ select private.audit('tap.' || n, 'post', n::text) from generate_series(1, 3) n $$, 'Staff writes entries');
select test.act_as_owner();
create temp table next as select private.next_checkpoint('k') as one;
select is((select one #>> '{checkpoint,entries}' from next), '3', 'The next checkpoint covers all entries');
select is((select (one #>> '{checkpoint,root}')::bytea from next), (select
    sha256('\x01'::bytea || sha256('\x01'::bytea || sha256('\x00'::bytea || a.hash) || sha256('\x00'::bytea || b.hash))
           || sha256('\x00'::bytea || c.hash))
  from app.audit_log a, app.audit_log b, app.audit_log c where a.id = 1 and b.id = 2 and c.id = 3), 'The root of the checkpoint is that of RFC 9162');
select matches((select one ->> 'text' from next),
  '^kith audit checkpoint\nnumber: 1\nentries: 3\nhead: [0-9a-f]{64}\nroot: [0-9a-f]{64}\nprevious: none\ncreated: 2\S+Z\nkey: k\n$',
  'The text of the checkpoint has a line for each field');
select ok((select private.add_checkpoint(one -> 'checkpoint', 's') from next), 'The signed checkpoint is added');
select ok(not (select private.add_checkpoint(one -> 'checkpoint', 's') from next), 'A second worker that signed the same checkpoint adds nothing');
select is(private.next_checkpoint('k')::text, null, 'Every entry has a checkpoint');
select is(private.list_checkpoints(1) #>> '{checkpoints,0,text}', (select one ->> 'text' from next), 'The text is published as it was signed');
select is(json_array_length(private.get_checkpoint(1) -> 'hashes'), 3, 'The hashes of its entries are published');
select is(private.verify_checkpoints(0)::text, '{"firstBroken" : null, "next" : null}', 'The checkpoint fits the log');

-- Nobody can change a checkpoint
select throws_ok('update private.audit_checkpoints set entries = 2', 'PT409', 'append_only', 'The owner can''t change a checkpoint');
select throws_ok('delete from private.audit_checkpoints', 'PT409', 'append_only', 'The owner can''t delete a checkpoint');
select throws_ok('truncate private.audit_checkpoints', 'PT409', 'append_only', 'The owner can''t truncate the checkpoints');
select test.act_as('alice');
select throws_ok('select * from private.audit_checkpoints', '42501', null, 'A person''s token can''t read the table');
select throws_ok($$ select private.add_checkpoint('{}', 's') $$, '42501', null, 'A person''s token can''t add a checkpoint');

select * from finish();
rollback;
