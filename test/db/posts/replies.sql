-- Replies: four kinds with their minimum and maximum lengths, the event, the counter, who sees which, and the list.
begin;
select plan(65);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.replies(p_person text, p_kind text default null) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  return (select coalesce(string_agg(i #>> '{author,username}', ' ' order by place), '')
          from json_array_elements(api.list_replies(pg_temp.id('post'), p_kind) -> 'items') with ordinality as l (i, place));
end $$;
create function pg_temp.counted() returns integer language sql stable security definer
  as $$ select replies from app.post_counters where post_id = pg_temp.id('post') $$;
create function pg_temp.event() returns text language sql stable security definer
  as $$ select name || ' ' || payload from app.domain_events where name like 'posts.%' order by id desc limit 1 $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select 'post', (api.create_post('Hello') ->> 'id')::uuid;

-- Acting as Bob: a reply's fields
select test.act_as('bob');
insert into made select 'bob', (api.create_reply(pg_temp.id('post'), e'\n  Indeed  \n') ->> 'id')::uuid;
select is((select string_agg(k, ' ' order by k) from json_object_keys(api.list_replies(pg_temp.id('post')) #> '{items,0}') k),
  'author authorId body createdAt hiddenAt id kind parentId postId', 'A reply has exactly these fields');
select is(pg_temp.event(), 'posts.reply.created '::text || jsonb_build_object(
  'replyId', pg_temp.id('bob'), 'postId', pg_temp.id('post'), 'authorId', test.id('bob')), 'Replying is an event');
select is(api.list_replies(pg_temp.id('post')) #>> '{items,0,kind}', 'reply', 'The default kind is reply');
select is(api.list_replies(pg_temp.id('post')) #>> '{items,0,body}', 'Indeed', 'The body is trimmed');
select is(api.list_replies(pg_temp.id('post')) #>> '{items,0,authorId}', 'acct:bob@localhost', 'The author is named by actor id');
select is(pg_temp.counted(), 1, 'The reply is counted');
select is(api.get_post(pg_temp.id('post')) #>> '{replies,items,0,body}', 'Indeed', 'The post shows the reply');

-- Lengths, in characters, without surrounding blanks
select lives_ok(format('select api.create_reply(pg_temp.id(%L), %L, %L)', 'post', ' ' || repeat('é', n) || e'\n', k), 'A ' || k || ' can have ' || n || ' characters')
from (values ('reply', 1), ('reply', 5000), ('reaction', 1), ('reaction', 280), ('criticism', 50), ('criticism', 300),
             ('contribution', 100), ('contribution', 5000)) c (k, n);
select throws_ok(format('select api.create_reply(pg_temp.id(%L), %L, %L)', 'post', ' ' || repeat('é', n) || e'\n', k), 'PT422', word, 'A ' || k || ' can''t have ' || n || ' characters')
from (values ('reply', 0, 'reply_body'), ('reply', 5001, 'reply_body'), ('reaction', 0, 'reply_body'), ('reaction', 281, 'reply_body'),
             ('criticism', 49, 'criticism_length'), ('criticism', 301, 'criticism_length'),
             ('contribution', 99, 'contribution_length'), ('contribution', 5001, 'reply_body')) c (k, n, word);
select throws_ok($$ select api.create_reply(pg_temp.id('post'), 'x', 'joke') $$, 'PT422', 'value_invalid', 'An unknown kind is refused');
select throws_ok($$ select api.create_reply(pg_temp.id('post'), null) $$, '23502', null, 'A null body is refused');
select throws_ok($$ select api.create_reply(gen_random_uuid(), 'x') $$, 'PT404', 'post_unknown', 'A reply to an unknown post is refused');
select throws_ok($$ select api.list_replies(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'Listing the replies to an unknown post is refused');
select is(pg_temp.counted(), 9, 'Refused replies are not counted');
select is(json_array_length(api.list_replies(pg_temp.id('post'), k) -> 'items'), n, 'The list has ' || n || ' replies of kind ' || k)
from (values ('reply', 3), ('reaction', 2), ('criticism', 2), ('contribution', 2), ('joke', 0)) c (k, n);

-- By direct statements
select throws_ok($$ insert into app.replies (post_id, author_id, body) values (pg_temp.id('post'), test.id('alice'), 'x') $$, '42501', null,
  'Nobody can reply in another person''s name');
select throws_ok($$ update app.replies set body = 'Changed' $$, '42501', null, 'Nobody can change a reply');
select throws_ok($$ delete from app.replies $$, '42501', null, 'Nobody can delete a reply');
select throws_ok($$ insert into app.replies (post_id, author_id, body, hidden_at) values (pg_temp.id('post'), test.id('bob'), 'x', now()) $$,
  '42501', null, 'Nobody can insert a reply with a value for hidden_at');
select test.act_as('alice');
insert into made select 'closed', (api.create_post('Closed', p_visibility => 'inner') ->> 'id')::uuid;
select test.act_as('bob');
select throws_ok($$ insert into app.replies (post_id, author_id, body) values (pg_temp.id('closed'), test.id('bob'), 'x') $$, '42501', null,
  'Nobody can insert a reply to a post they don''t see');
select throws_ok($$ select api.create_reply(pg_temp.id('closed'), 'x') $$, 'PT404', 'post_unknown', 'Nobody can reply to a post they don''t see');

-- Who sees which
select test.act_as_owner();
delete from app.replies where id <> pg_temp.id('bob');
select test.act_as('carla');
insert into made select 'carla', (api.create_reply(pg_temp.id('post'), 'Mine') ->> 'id')::uuid;
select test.act_as('dave');
insert into made select 'dave', (api.create_reply(pg_temp.id('post'), 'Too') ->> 'id')::uuid;
select test.act_as_owner();
update app.replies r set created_at = now() + place * interval '1 second'
from (values ('bob', 1), ('carla', 2), ('dave', 3)) m (name, place) where r.id = pg_temp.id(m.name);
select is(pg_temp.replies('alice'), 'bob carla dave', 'The oldest reply comes first');

select test.act_as('bob');
select api.block_person('carla');
select is(pg_temp.replies('bob'), 'bob dave', 'Replies of a person across a block are hidden');
select is(pg_temp.replies('carla'), 'carla dave', 'Replies of a person who blocked the caller are hidden too');
select is(pg_temp.replies('alice'), 'bob carla dave', 'Others see all replies');
select throws_ok($$ select private.require_reply(pg_temp.id('carla')) $$, 'PT404', 'reply_unknown', 'The '
  'error for a reply across a block is reply_unknown') from test.act_as('bob');
select throws_ok($$ select api.list_replies(pg_temp.id('post'), p_cursor => pg_temp.id('carla')::text) $$, 'PT400', 'cursor_unknown',
  'A reply across a block is refused as a cursor');
select test.act_as('bob');
select api.unblock_person('carla');
select is(pg_temp.replies('bob'), 'bob carla dave', 'After the block the replies are visible again');

select test.act_as_owner();
update app.replies set hidden_at = now() where id = pg_temp.id('bob');
select is(pg_temp.replies('bob'), 'bob carla dave', 'The author sees a hidden reply');
select is(pg_temp.replies('alice'), 'carla dave', 'Nobody else sees a hidden reply, not even the post''s author');
select test.act_as('alice');
select is(pg_temp.rows($$ select from app.replies where id = pg_temp.id('bob') $$), 0, 'The row of a hidden reply is hidden too');
select test.act_as_owner();
update app.replies set deleted_at = now() where id = pg_temp.id('bob');
select is(pg_temp.replies('bob'), 'carla dave', 'Nobody sees a deleted reply');
select is(json_array_length(api.list_replies(pg_temp.id('post'), p_cursor => pg_temp.id('bob')::text) -> 'items'), 2,
  'A deleted reply stays valid as a cursor');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dave';
select is(pg_temp.replies('alice'), 'carla', 'A banned person''s replies are hidden');
select test.act_as_owner();
update app.users set banned_at = null where username = 'dave';
select is(pg_temp.replies('alice'), 'carla dave', 'After the ban the replies are visible again');

-- Cursors
select is(json_array_length(api.list_replies(pg_temp.id('post'), null, 1) -> 'items'), 1, 'A page has `limit` replies');
select is(api.list_replies(pg_temp.id('post'), null, 1) ->> 'nextCursor', pg_temp.id('carla')::text, 'The cursor is the page''s last reply');
select is(api.list_replies(pg_temp.id('post'), null, 1, pg_temp.id('carla')::text) #>> '{items,0,id}', pg_temp.id('dave')::text,
  'The cursor leads to the next page');
select is(api.list_replies(pg_temp.id('post'), null, 1, pg_temp.id('dave')::text) #>> '{nextCursor}', null, 'The last page has no cursor');
select throws_ok(format('select api.list_replies(pg_temp.id(%L), p_cursor => %L)', 'post', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array['', 'x', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok($$ select api.list_replies(pg_temp.id('closed'), p_cursor => pg_temp.id('dave')::text) $$, 'PT400', 'cursor_unknown',
  'A reply to another post is refused as a cursor');
select throws_ok(format('select api.list_replies(pg_temp.id(%L), p_limit => %s)', 'post', n), 'PT422', 'limit_out_of_range', 'The limit is refused: ' || n)
from unnest(array['0', '51', '-1', 'null']) n;

select * from finish();
rollback;
