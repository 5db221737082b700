-- Conversations, as each kind of person: who can do what, also without the operations, and who is notified.
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

-- Acting as Alice: whom she can write to
select test.act_as('alice');
insert into made select 'circle', (api.create_circle('Friends') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('circle'), n) from unnest(array['bob', 'carla', 'dora']) n;
insert into made select 'group', (api.create_conversation('group', '{bob,carla}', ' Hikers ') ->> 'id')::uuid;
select is(pg_temp.members('group'), 'alice owner, bob member, carla member', 'The creator of a group conversation owns it');
select is(api.get_conversation(pg_temp.id('group')) ->> 'title', 'Hikers', 'The title of a conversation is trimmed');
select is((api.check_availability('bob'))::jsonb, '{"available": true, "reason": null}', 'A person who shares a circle is available');
select is((api.check_availability('eve'))::jsonb, '{"available": false, "reason": "no_shared_circle"}', 'A person who shares no circle is not available');
select throws_ok($$ select api.create_conversation('direct', '{eve}') $$, 'PT403', 'no_shared_circle', 'A direct conversation needs a shared circle');
select throws_ok($$ select api.create_conversation('group', '{bob,eve}', 'x') $$, 'PT403', 'no_shared_circle', 'A group conversation needs a circle shared with each person');
select throws_ok($$ select api.create_conversation('direct', '{alice}') $$, 'PT400', 'conversation_oneself', 'A conversation with oneself is refused');
select throws_ok($$ select api.create_conversation('direct', '{bob,carla}') $$, 'PT422', 'conversation_people', 'A direct conversation has exactly one other person');
select throws_ok(format('select api.create_conversation(%L, %L, %L)', 'group', '{bob}', t), 'PT422', 'conversation_title', 'A title is refused with length ' || length(t))
from unnest(array['', ' ', repeat('é', 81)]) t;
select throws_ok($$ select api.create_conversation('group', '{bob}', null) $$, 'PT422', 'conversation_title', 'A group conversation needs a title');
select throws_ok($$ select api.create_conversation('band', '{bob}', 'x') $$, 'PT422', 'value_invalid', 'An unknown kind is refused');
select throws_ok($$ select api.create_conversation('group', array(select 'p' || n from generate_series(1, 50) n), 'x') $$, 'PT409', 'conversation_full', 'A conversation has at most 50 people');
insert into made select 'direct', (api.create_conversation('direct', '{bob}') ->> 'id')::uuid;
select is(api.create_conversation('direct', '{bob}') ->> 'id', pg_temp.id('direct')::text, 'Two people have one direct conversation');
select throws_ok(format('select api.%s', c), 'PT400', 'conversation_direct', 'A direct conversation refuses ' || c)
from unnest(array['leave_conversation(pg_temp.id(''direct''))', 'rename_conversation(pg_temp.id(''direct''), ''x'')',
  'add_conversation_members(pg_temp.id(''direct''), ''{carla}'')', 'remove_conversation_member(pg_temp.id(''direct''), ''bob'')',
  'hand_over_conversation(pg_temp.id(''direct''), ''bob'', ''owner'')']) c;
select throws_ok($$ select api.hand_over_conversation(pg_temp.id('group'), 'bob', 'member') $$, 'PT422', 'value_invalid', 'Only the role of owner can be handed over');

-- Messages
select pg_temp.sent('one', 'group'), pg_temp.sent('two', 'group');
select throws_ok($$ select api.send_message(pg_temp.id('group'), 'x', null) $$, 'PT422', 'value_invalid', 'A message needs a client id');
select throws_ok(format('select api.send_message(pg_temp.id(%L), %L, gen_random_uuid())', 'group', b), 'PT422', 'message_body', 'A message is refused with length ' || length(b))
from unnest(array['', repeat('é', 4001)]) b;
select is((api.send_message(pg_temp.id('group'), 'other', c.id) ->> 'id'), api.send_message(pg_temp.id('group'), 'three', c.id) ->> 'id', 'The same client id sends a message only once')
from (select gen_random_uuid() as id) c;
select is(pg_temp.names(api.list_messages(pg_temp.id('group'))), 'other, two, one', 'Messages are listed newest first');
select is(pg_temp.names(api.list_messages(pg_temp.id('group'), pg_temp.id('one'))), 'two, other', 'Messages after a given one are listed oldest first');
select throws_ok(format('select api.react_to_message(pg_temp.id(%L), %L)', 'one', e), 'PT422', 'message_emoji', 'An invalid reaction is refused, with length ' || length(e))
from unnest(array[null, '', ' ', 'x', 'die', 'नमस्ते', '1', '👍x', 'x👍', '👍 👍', repeat('👍', 9), repeat('🇩🇪', 9), '🇩🇮', '🇩', U&'\FE0F', U&'\200D',
  U&'\20E3', U&'👍\200D👍', U&'👍\+0E0078']) e;
select lives_ok(format('select api.react_to_message(pg_temp.id(%L), %L)', 'one', e), e || ' is a valid reaction')
from unnest(array[' 👍', '👍🏽', '👨‍👩‍👧‍👦', '🇩🇪', repeat('👨‍👩‍👧‍👦', 8), '🏴󠁧󠁢󠁥󠁮󠁧󠁿🇩🇪👍🏽👍', '❤️', '1️⃣']) e;
select is((select string_agg(r ->> 'emoji' || (r ->> 'count'), ' ') from json_array_elements(api.react_to_message(pg_temp.id('two'), U&'\2764') -> 'reactions') r), '❤️1', 'A heart with and without its variation selector is the same reaction')
from (select api.react_to_message(pg_temp.id('two'), U&'\2764\FE0F')) x;
select throws_ok($$ select api.list_messages(pg_temp.id('group'), p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'A page has at most 50 messages');

-- Acting as Bob, a member
select test.settle();
select test.act_as('bob');
select is(pg_temp.told('bob') || ' ' || pg_temp.told('alice'), '3 0', 'The other members are notified, and the sender isn''t');
select throws_ok(format('select api.%s', c), 'PT403', 'conversation_not_yours', 'A member who isn''t the owner can''t ' || c)
from unnest(array['rename_conversation(pg_temp.id(''group''), ''x'')', 'add_conversation_members(pg_temp.id(''group''), ''{alice}'')',
  'remove_conversation_member(pg_temp.id(''group''), ''carla'')', 'hand_over_conversation(pg_temp.id(''group''), ''carla'', ''owner'')']) c;
select throws_ok(format('select api.%s', c), 'PT403', 'message_not_yours', 'A member who isn''t the sender can''t ' || c)
from unnest(array['edit_message(pg_temp.id(''one''), ''x'')', 'delete_message(pg_temp.id(''one''))']) c;
select is((api.count_unread_conversations())::jsonb, '{"count": 1}', 'One conversation has unread messages');
select is(api.get_conversation(pg_temp.id('group')) ->> 'unreadCount', '3', 'The conversation has three unread messages');
select is(api.read_conversation(pg_temp.id('group'), pg_temp.id('two')) ->> 'unreadCount', '1', 'Reading up to a message leaves the later ones unread');
select is(api.read_conversation(pg_temp.id('group'), pg_temp.id('one')) ->> 'unreadCount', '1', 'The read position never moves back');
select is(api.mute_conversation(pg_temp.id('group')) ->> 'mutedUntil', '9999-12-31T23:59:59.999Z', 'A conversation can be muted without an end');
select is((api.count_unread_conversations())::jsonb, '{"count": 0}', 'A muted conversation isn''t counted as unread');
-- Without the operations
select throws_ok(format('select * from app.%s', t), '42501', null, 'Nobody can read the table ' || t)
from unnest(array['conversations', 'conversation_spans', 'messages', 'message_reactions']) t;
select is((select count(*)::int from app.conversation_members), 2, 'People see only their own memberships');
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['insert into app.conversations (kind, title) values (''group'', ''x'')', 'delete from app.conversations',
  'insert into app.conversation_members (conversation_id, user_id) values (gen_random_uuid(), gen_random_uuid())',
  'update app.conversation_members set role = ''owner''', 'delete from app.conversation_members',
  'insert into app.conversation_spans (conversation_id, user_id, first_number) values (gen_random_uuid(), gen_random_uuid(), 1)',
  'update app.messages set body = ''x''', 'delete from app.messages',
  'insert into app.message_reactions (message_id, emoji, user_id) values (gen_random_uuid(), ''x'', gen_random_uuid())',
  'select private.add_message(null)', 'select private.start_membership(null, null, 1)', 'select private.copy_reported_message()']) s;

-- Acting as Eve, a stranger, and as Dora, who is added and removed
select test.act_as('eve');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', f, 'group', m), 'PT404', 'conversation_unknown', 'A non-member gets conversation_unknown from ' || f)
from (values ('get_conversation', ''), ('list_messages', ''), ('leave_conversation', ''), ('mute_conversation', ''), ('unmute_conversation', ''),
  ('send_message', ', ''x'', gen_random_uuid()'), ('rename_conversation', ', ''x'''), ('add_conversation_members', ', ''{alice}'''),
  ('remove_conversation_member', ', ''alice''')) f (f, m);
select throws_ok($$ select api.report('message', pg_temp.id('one')::text, 'x') $$, 'PT404', 'message_unknown', 'A non-member can''t report a message');
select test.act_as('alice');
select api.add_conversation_members(pg_temp.id('group'), '{dora}');
select test.act_as('dora');
select is(pg_temp.names(api.list_messages(pg_temp.id('group'))), 'joined', 'An added member sees messages from the addition on');
select throws_ok($$ select api.get_message(pg_temp.id('one')) $$, 'PT404', 'message_unknown', 'An added member doesn''t see earlier messages');
select is(api.get_conversation(pg_temp.id('group')) ->> 'unreadCount', '0', 'Earlier messages don''t count as unread');

-- Acting as Alice, who blocks Bob and can still read what he wrote to her directly
select test.act_as('bob');
select pg_temp.sent('to alice', 'direct'), pg_temp.sent('to all', 'group');
select test.act_as('alice');
select api.block_person('bob');
select is(pg_temp.names(api.list_messages(pg_temp.id('direct'))), 'to alice', 'A block doesn''t hide the messages of a direct conversation');
select is(pg_temp.members('direct'), 'alice member, bob member', 'A block doesn''t hide the members of a direct conversation');
select throws_ok(format('select api.%s', c), 'PT403', 'conversation_closed', 'In a closed conversation nobody can ' || c)
from unnest(array['send_message(pg_temp.id(''direct''), ''x'', gen_random_uuid())', 'react_to_message(pg_temp.id(''to alice''), ''👍'')']) c;
select throws_ok($$ select api.get_message(pg_temp.id('to all')) $$, 'PT404', 'message_unknown', 'A block hides two members'' messages in a group from each other');
select test.act_as_owner();
update app.blocks set created_at = clock_timestamp();   -- this whole test is one transaction
select test.act_as('alice');
select lives_ok(format('select api.report(%L, pg_temp.id(%L)::text, %L)', 'message', m, 'x'), 'A message sent before the block can be reported: ' || m)
from unnest(array['to alice', 'to all']) m;
select test.act_as_owner();
update app.blocks set created_at = '2020-01-01';
select test.act_as('alice');
select throws_ok($$ select api.report('message', pg_temp.id('to all')::text, 'x') $$, 'PT404', 'message_unknown', 'A message sent to a group after the block can''t be reported');
select test.act_as_owner();
delete from app.blocks;

-- Erasure of Bob, who wrote more messages than one batch erases
select test.act_as_owner();
insert into made values ('bob', test.id('bob'));
create function pg_temp.unerased() returns integer language sql as $$
  select count(*)::integer from app.messages where sender_id = pg_temp.id('bob') and body is not null $$;
insert into app.messages (conversation_id, number, sender_id, body)
select pg_temp.id('group'), 1000 + n, pg_temp.id('bob'), 'x' from generate_series(1, 999) n;   -- beside the two
select private.erase_person(pg_temp.id('bob'));
select is(pg_temp.unerased(), 501, '500 messages are erased in the transaction');
select is(private.erase_more(json_build_object('userId', pg_temp.id('bob'))::jsonb) ->> 'next', pg_temp.id('bob')::text, 'The worker erases another batch');
select is(private.erase_more(json_build_object('userId', pg_temp.id('bob'))::jsonb) ->> 'next', null, 'The worker erases the rest');
select is(pg_temp.unerased(), 0, 'No message has its text afterwards');
select * from finish();
rollback;
