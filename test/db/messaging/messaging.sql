-- Conversations as each kind of person: who may do what, past the operations too, and what others are told.
begin;
select plan(111);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.sent(p_name text, p_in text) returns void language sql as $$
  insert into made select p_name, (api.send_message(pg_temp.id(p_in), p_name, gen_random_uuid()) ->> 'id')::uuid $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(coalesce(i.item ->> 'body', '†'), ', ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) $$;
create function pg_temp.members(p_name text) returns text language sql stable as $$
  select string_agg((m #>> '{person,username}') || ' ' || (m ->> 'role'), ', ' order by m #>> '{person,username}')
  from json_array_elements(api.get_conversation(pg_temp.id(p_name)) -> 'members') m $$;
create function pg_temp.told(p_name text) returns integer language sql stable security definer as $$
  select coalesce(sum(count), 0)::integer from app.notifications
  where user_id = test.id(p_name) and kind = 'message.received' $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: whom she may write to
select test.act_as('alice');
insert into made select 'circle', (api.create_circle('Friends') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('circle'), n) from unnest(array['bob', 'carla', 'dora']) n;
insert into made select 'group', (api.create_conversation('group', '{bob,carla}', ' Hikers ') ->> 'id')::uuid;
select is(pg_temp.members('group'), 'alice owner, bob member, carla member', 'who makes a group owns it');
select is(api.get_conversation(pg_temp.id('group')) ->> 'title', 'Hikers', 'and gives it a title');
select is((api.check_availability('bob'))::jsonb, '{"available": true, "reason": null}', 'whoever shares a circle is available');
select is((api.check_availability('eve'))::jsonb, '{"available": false, "reason": "no_shared_circle"}', 'others are not');
select throws_ok($$ select api.create_conversation('direct', '{eve}') $$, 'PT403', 'no_shared_circle', 'to whom nothing opens');
select throws_ok($$ select api.create_conversation('group', '{bob,eve}', 'x') $$, 'PT403', 'no_shared_circle', 'nor a group with them');
select throws_ok($$ select api.create_conversation('direct', '{alice}') $$, 'PT400', 'conversation_oneself', 'nor to oneself');
select throws_ok($$ select api.create_conversation('direct', '{bob,carla}') $$, 'PT422', 'conversation_people', 'a direct one is with one');
select throws_ok(format('select api.create_conversation(%L, %L, %L)', 'group', '{bob}', t), 'PT422', 'conversation_title', 'a title of ' || length(t))
from unnest(array['', ' ', repeat('é', 81)]) t;
select throws_ok($$ select api.create_conversation('group', '{bob}', null) $$, 'PT422', 'conversation_title', 'a group has a title');
select throws_ok($$ select api.create_conversation('band', '{bob}', 'x') $$, 'PT422', 'value_invalid', 'there are two kinds');
select throws_ok($$ select api.create_conversation('group', array(select 'p' || n from generate_series(1, 50) n), 'x') $$, 'PT409', 'conversation_full', 'of 50 people');
insert into made select 'direct', (api.create_conversation('direct', '{bob}') ->> 'id')::uuid;
select is(api.create_conversation('direct', '{bob}') ->> 'id', pg_temp.id('direct')::text, 'two people have one direct conversation');
select throws_ok(format('select api.%s', c), 'PT400', 'conversation_direct', c || ' is for groups')
from unnest(array['leave_conversation(pg_temp.id(''direct''))', 'rename_conversation(pg_temp.id(''direct''), ''x'')',
  'add_conversation_members(pg_temp.id(''direct''), ''{carla}'')', 'remove_conversation_member(pg_temp.id(''direct''), ''bob'')',
  'hand_over_conversation(pg_temp.id(''direct''), ''bob'', ''owner'')']) c;
select throws_ok($$ select api.hand_over_conversation(pg_temp.id('group'), 'bob', 'member') $$, 'PT422', 'value_invalid', 'owner is what one hands over');

-- messages
select pg_temp.sent('one', 'group'), pg_temp.sent('two', 'group');
select throws_ok($$ select api.send_message(pg_temp.id('group'), 'x', null) $$, 'PT422', 'value_invalid', 'nor one that its client has no name for');
select throws_ok(format('select api.send_message(pg_temp.id(%L), %L, gen_random_uuid())', 'group', b), 'PT422', 'message_body', 'none of ' || length(b))
from unnest(array['', repeat('é', 4001)]) b;
select is((api.send_message(pg_temp.id('group'), 'other', c.id) ->> 'id'), api.send_message(pg_temp.id('group'), 'three', c.id) ->> 'id', 'a client''s message is sent once')
from (select gen_random_uuid() as id) c;
select is(pg_temp.names(api.list_messages(pg_temp.id('group'))), 'other, two, one', 'the newest comes first');
select is(pg_temp.names(api.list_messages(pg_temp.id('group'), pg_temp.id('one'))), 'two, other', 'or what came since, the oldest first');
select throws_ok(format('select api.react_to_message(pg_temp.id(%L), %L)', 'one', e), 'PT422', 'message_emoji', 'no reaction of ' || length(e))
from unnest(array[null, '', ' ', 'x', 'die', 'नमस्ते', '1', '👍x', 'x👍', '👍 👍', repeat('👍', 9), repeat('🇩🇪', 9), '🇩🇮', '🇩', U&'\FE0F', U&'\200D',
  U&'\20E3', U&'👍\200D👍', U&'👍\+0E0078']) e;
select lives_ok(format('select api.react_to_message(pg_temp.id(%L), %L)', 'one', e), e || ' is one')
from unnest(array[' 👍', '👍🏽', '👨‍👩‍👧‍👦', '🇩🇪', repeat('👨‍👩‍👧‍👦', 8), '🏴󠁧󠁢󠁥󠁮󠁧󠁿🇩🇪👍🏽👍', '❤️', '1️⃣']) e;
select is((select string_agg(r ->> 'emoji' || (r ->> 'count'), ' ') from json_array_elements(api.react_to_message(pg_temp.id('two'), U&'\2764') -> 'reactions') r), '❤️1', 'what a keyboard leaves out makes no difference')
from (select api.react_to_message(pg_temp.id('two'), U&'\2764\FE0F')) x;
select throws_ok($$ select api.list_messages(pg_temp.id('group'), p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'a page has 50 at most');

-- Acting as Bob: a member
select test.settle();
select test.act_as('bob');
select is(pg_temp.told('bob') || ' ' || pg_temp.told('alice'), '3 0', 'others are told, and not the sender');
select throws_ok(format('select api.%s', c), 'PT403', 'conversation_not_yours', c || ' is for the owner')
from unnest(array['rename_conversation(pg_temp.id(''group''), ''x'')', 'add_conversation_members(pg_temp.id(''group''), ''{alice}'')',
  'remove_conversation_member(pg_temp.id(''group''), ''carla'')', 'hand_over_conversation(pg_temp.id(''group''), ''carla'', ''owner'')']) c;
select throws_ok(format('select api.%s', c), 'PT403', 'message_not_yours', c || ' is for the sender')
from unnest(array['edit_message(pg_temp.id(''one''), ''x'')', 'delete_message(pg_temp.id(''one''))']) c;
select is((api.count_unread_conversations())::jsonb, '{"count": 1}', 'one conversation has something unread');
select is(api.get_conversation(pg_temp.id('group')) ->> 'unreadCount', '3', 'which is three messages');
select is(api.read_conversation(pg_temp.id('group'), pg_temp.id('two')) ->> 'unreadCount', '1', 'or what is behind the last one read');
select is(api.read_conversation(pg_temp.id('group'), pg_temp.id('one')) ->> 'unreadCount', '1', 'which never moves back');
select is(api.mute_conversation(pg_temp.id('group')) ->> 'mutedUntil', '9999-12-31T23:59:59.999Z', 'muted without end');
select is((api.count_unread_conversations())::jsonb, '{"count": 0}', 'it is not counted');
-- past the operations
select throws_ok(format('select * from app.%s', t), '42501', null, 'nobody reads ' || t)
from unnest(array['conversations', 'conversation_spans', 'messages', 'message_reactions']) t;
select is((select count(*)::int from app.conversation_members), 2, 'and of members oneself alone');
select throws_ok(s, '42501', null, s)
from unnest(array['insert into app.conversations (kind, title) values (''group'', ''x'')', 'delete from app.conversations',
  'insert into app.conversation_members (conversation_id, user_id) values (gen_random_uuid(), gen_random_uuid())',
  'update app.conversation_members set role = ''owner''', 'delete from app.conversation_members',
  'insert into app.conversation_spans (conversation_id, user_id, first_number) values (gen_random_uuid(), gen_random_uuid(), 1)',
  'update app.messages set body = ''x''', 'delete from app.messages',
  'insert into app.message_reactions (message_id, emoji, user_id) values (gen_random_uuid(), ''x'', gen_random_uuid())',
  'select private.add_message(null)', 'select private.start_membership(null, null, 1)', 'select private.copy_message(null)']) s;

-- Acting as Eve: a stranger; and as Dora: added, and taken out
select test.act_as('eve');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'group', m), 'PT404', 'conversation_unknown', f || ' of what is not one''s own')
from (values ('get_conversation', ''), ('list_messages', ''), ('leave_conversation', ''), ('mute_conversation', ''), ('unmute_conversation', ''),
  ('send_message', ', ''x'', gen_random_uuid()'), ('rename_conversation', ', ''x'''), ('add_conversation_members', ', ''{alice}'''),
  ('remove_conversation_member', ', ''alice''')) f (f, m);
select throws_ok($$ select api.report('message', pg_temp.id('one')::text, 'x') $$, 'PT404', 'message_unknown', 'nor reports it');
select test.act_as('alice');
select api.add_conversation_members(pg_temp.id('group'), '{dora}');
select test.act_as('dora');
select is(pg_temp.names(api.list_messages(pg_temp.id('group'))), 'joined', 'who is added sees what is said from then on');
select throws_ok($$ select api.get_message(pg_temp.id('one')) $$, 'PT404', 'message_unknown', 'and nothing before');
select is(api.get_conversation(pg_temp.id('group')) ->> 'unreadCount', '0', 'nor is it unread');

-- Acting as Alice: who blocks Bob, and goes on reading what he said to her alone
select test.act_as('bob');
select pg_temp.sent('to alice', 'direct'), pg_temp.sent('to all', 'group');
select test.act_as('alice');
select api.block_person('bob');
select is(pg_temp.names(api.list_messages(pg_temp.id('direct'))), 'to alice', 'a block leaves what was said in a direct conversation');
select is(pg_temp.members('direct'), 'alice member, bob member', 'and with whom');
select throws_ok(format('select api.%s', c), 'PT403', 'conversation_closed', c || ' in a closed conversation')
from unnest(array['send_message(pg_temp.id(''direct''), ''x'', gen_random_uuid())', 'react_to_message(pg_temp.id(''to alice''), ''👍'')']) c;
select throws_ok($$ select api.get_message(pg_temp.id('to all')) $$, 'PT404', 'message_unknown', 'in a group it hides the two from each other');
select test.act_as_owner();
update app.blocks set created_at = clock_timestamp();   -- this is all one transaction
select test.act_as('alice');
select lives_ok(format('select api.report(%L, pg_temp.id(%L)::text, %L)', 'message', m, 'x'), 'what he sent before can be reported: ' || m)
from unnest(array['to alice', 'to all']) m;
select test.act_as_owner();
update app.blocks set created_at = '2020-01-01';
select test.act_as('alice');
select throws_ok($$ select api.report('message', pg_temp.id('to all')::text, 'x') $$, 'PT404', 'message_unknown', 'and nothing that he sent into a group behind it');
select test.act_as_owner();
delete from app.blocks;

-- Bob, who wrote more than an erasure takes at once, is erased
select test.act_as_owner();
insert into made values ('bob', test.id('bob'));
create function pg_temp.unerased() returns integer language sql as $$
  select count(*)::integer from app.messages where sender_id = pg_temp.id('bob') and body is not null $$;
insert into app.messages (conversation_id, number, sender_id, body)
select pg_temp.id('group'), 1000 + n, pg_temp.id('bob'), 'x' from generate_series(1, 999) n;   -- beside the two
select private.erase_person(pg_temp.id('bob'));
select is(pg_temp.unerased(), 501, '500 messages are tombstones at once');
select is(private.erase_more(json_build_object('userId', pg_temp.id('bob'))::jsonb) ->> 'next', pg_temp.id('bob')::text, 'the worker takes as many');
select is(private.erase_more(json_build_object('userId', pg_temp.id('bob'))::jsonb) ->> 'next', null, 'and then the others');
select is(pg_temp.unerased(), 0, 'until none has words');
select * from finish();
rollback;
