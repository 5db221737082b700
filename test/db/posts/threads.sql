-- Threads: replies to replies, who is notified, and the rules of the four kinds, one by one.
begin;
select plan(52);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.reply(p_person text, p_name text, p_parent text default null, p_post text default 'post', p_kind text default 'reply')
returns void language plpgsql as $$
begin
  perform test.act_as(p_person);
  insert into made select p_name, (api.create_reply(pg_temp.id(p_post), p_name, p_kind, pg_temp.id(p_parent)) ->> 'id')::uuid;
end $$;
-- Each reply with the one that it answers, as the person sees the list
create function pg_temp.thread(p_person text, p_parent text default null, p_kind text default null) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  return (select coalesce(string_agg((i ->> 'body') || coalesce('<' || m.name, ''), ' ' order by place), '')
          from json_array_elements(api.list_replies(pg_temp.id('post'), p_kind, p_parent_id => pg_temp.id(p_parent)) -> 'items')
               with ordinality as l (i, place)
          left join made m on m.id = (i ->> 'parentId')::uuid);
end $$;
-- How many replies a person was notified of, and in how many notifications
create function pg_temp.told(p_person text) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  return (select coalesce(sum((i ->> 'count')::int), 0) || ' in ' || count(*)
          from json_array_elements(api.list_notifications(50) -> 'items') i where i ->> 'kind' = 'post.replied');
end $$;
create function pg_temp.as_owner(p_statement text) returns void language plpgsql security definer as $$ begin execute p_statement; end $$;
-- What a reply of this length earns its author
create function pg_temp.entries(p_source uuid) returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce((select string_agg(concat_ws(' ', u.username, e.kind, trunc(e.delta)), ', ')
                   from app.reputation_entries e join app.users u on u.id = e.user_id
                   where e.source_id = p_source and e.roll_up_level = 0), 'nothing') $$;
create function pg_temp.earns(p_person text, p_kind text, p_length integer) returns text language plpgsql as $$
declare
  v_reply uuid;
begin
  perform test.act_as(p_person);
  v_reply := api.create_reply(pg_temp.id('rules'), repeat('x', p_length), p_kind) ->> 'id';
  return pg_temp.entries(v_reply);
end $$;
grant execute on all functions in schema pg_temp to public;

insert into made select 'interest', id from app.interests where level = 1 order by id limit 1;
select test.act_as('alice');
insert into made select n, (api.create_post(n, p_interest_id => pg_temp.id('interest')) ->> 'id')::uuid
from unnest(array['post', 'other', 'rules']) n;
insert into made select 'inner', (api.create_post('inner', p_visibility => 'inner') ->> 'id')::uuid;

-- Acting as Bob and Carla: replies to replies
select pg_temp.reply('bob', 'one');
select pg_temp.reply('carla', 'two', 'one');
select pg_temp.reply('bob', 'three', 'two', p_kind => 'reaction');
select pg_temp.reply('alice', 'four');
select pg_temp.reply('dave', 'five', 'one', p_kind => 'reaction');
select pg_temp.as_owner($$ update app.replies r set created_at = now() + place * interval '1 second'
  from (values ('one', 1), ('two', 2), ('three', 3), ('four', 4), ('five', 5)) m (name, place) where r.id = pg_temp.id(m.name) $$);
select is(pg_temp.thread('dave'), 'one two<one three<two four five<one', 'The list is flat, oldest first, and each reply names the one it answers');
select is(pg_temp.thread('dave', p_kind => 'reaction'), 'three<two five<one', 'The list can be narrowed to one kind');
select is(pg_temp.thread('dave', 'one'), 'two<one five<one', 'The list can be narrowed to the direct answers to a reply');
select is(pg_temp.thread('dave', 'one', 'reaction'), 'five<one', 'Parent and kind can be combined');
select is(pg_temp.thread('dave', 'four'), '', 'A reply without answers has an empty list');
select is(api.list_replies(pg_temp.id('post'), p_limit => 1, p_parent_id => pg_temp.id('one')) ->> 'nextCursor', pg_temp.id('two')::text,
  'The list of answers has pages');
select is(api.list_replies(pg_temp.id('post'), null, 1, pg_temp.id('two')::text, pg_temp.id('one')) #>> '{items,0,body}', 'five', 'The cursor leads to the next page');
select is(api.create_reply(pg_temp.id('other'), 'x') ->> 'parentId', null, 'A reply to the post has no parent');
select is(api.create_reply(pg_temp.id('post'), 'x', 'reply', pg_temp.id('four')) ->> 'parentId', pg_temp.id('four')::text, 'The parent of a reply to a reply is that reply');
select pg_temp.as_owner($$ delete from app.replies where body = 'x' $$);

-- Which replies can be answered
insert into made select 'elsewhere', (api.create_reply(pg_temp.id('other'), 'elsewhere') ->> 'id')::uuid;
select throws_ok(format('select api.create_reply(pg_temp.id(%L), %L, %L, %L)', 'post', 'x', 'reply', p), 'PT404', 'reply_unknown', what)
from (values (pg_temp.id('elsewhere'), 'A reply to another post can''t be answered here'), (gen_random_uuid(), 'An unknown reply can''t be answered'),
             (pg_temp.id('post'), 'A post can''t be the parent')) c (p, what);
select throws_ok(format('select api.list_replies(pg_temp.id(%L), p_parent_id => %L)', 'post', p), 'PT404', 'reply_unknown', 'The list of answers fails for a reply that is ' || what)
from (values (pg_temp.id('elsewhere'), 'under another post'), (gen_random_uuid(), 'unknown')) c (p, what);
select throws_ok($$ select api.create_reply(pg_temp.id('inner'), 'x', 'reply', pg_temp.id('one')) $$, 'PT404', 'post_unknown',
  'The error for a post the caller can''t see is post_unknown, whatever the parent');
select throws_ok($$ insert into app.replies (post_id, author_id, body, parent_id)
  values (pg_temp.id('post'), test.id('dave'), 'x', pg_temp.id('elsewhere')) $$, 'PT404', 'reply_unknown', 'Nobody can insert a reply to a reply of another post');

-- A block hides the reply that is answered, but not the answers of others
select test.act_as('dave');
select api.block_person('bob');
select is(pg_temp.thread('dave'), 'two four five', 'A hidden parent is not named');
select is(pg_temp.thread('alice'), 'one two<one three<two four five<one', 'Others see the parent that a block hides');
select throws_ok($$ select pg_temp.reply('dave', 'x', 'one') $$, 'PT404', 'reply_unknown', 'A reply across a block can''t be answered');
select throws_ok($$ select pg_temp.thread('dave', 'one') $$, 'PT404', 'reply_unknown', 'The answers to a reply across a block can''t be listed');
select test.act_as('dave');
select api.unblock_person('bob');
select pg_temp.as_owner($$ update app.replies set hidden_at = now() where id = pg_temp.id('one') $$);
select is(pg_temp.thread('alice'), 'two three<two four five', 'A parent hidden by staff is not named');
select is(pg_temp.thread('bob'), 'one two<one three<two four five<one', 'The author of a hidden reply sees it as a parent');
select is(api.list_replies(pg_temp.id('post')) #>> '{items,0,hiddenAt}' is null, false, 'The author sees that the reply is hidden');
select throws_ok($$ select pg_temp.reply('dave', 'x', 'one') $$, 'PT404', 'reply_unknown', 'Others can''t answer a hidden reply');
select pg_temp.as_owner($$ update app.replies set hidden_at = null, deleted_at = now() where id = pg_temp.id('one') $$);
select is(pg_temp.thread('bob'), 'two three<two four five', 'A deleted parent is not named for anybody');
select pg_temp.as_owner($$ update app.replies set deleted_at = null where id = pg_temp.id('one') $$);

-- Notifications
select pg_temp.as_owner($$ delete from app.notifications $$);
select pg_temp.reply('dave', 'six', 'two');
select is(pg_temp.told(p), t, p || ' is notified of ' || t) from (values ('alice', '1 in 1'), ('carla', '1 in 1'), ('bob', '0 in 0')) c (p, t);
select test.act_as('carla');
select is((select (i #> '{target}')::jsonb || (i #> '{payload}')::jsonb from json_array_elements(api.list_notifications() -> 'items') i),
  jsonb_build_object('type', 'post', 'id', pg_temp.id('post'), 'postId', pg_temp.id('post'), 'replyId', pg_temp.id('six')),
  'The notification has the reply and its post');
select pg_temp.reply('dave', 'seven', 'four');
select is(pg_temp.told('alice'), '2 in 1', 'An author of both the post and the parent is notified once');
select pg_temp.reply('carla', 'eight', 'two');
select is(pg_temp.told('carla'), '1 in 1', 'Nobody is notified of their own reply');
select pg_temp.reply('alice', 'nine', 'six');
select is(pg_temp.told('alice'), '3 in 1', 'The author of the post isn''t notified of their own answer to a reply');
select is(pg_temp.told('dave'), '1 in 1', 'The author of the answered reply is notified');
select test.act_as('carla');
select api.mute_person('dave');
select pg_temp.reply('dave', 'ten', 'two');
select is(pg_temp.told('carla'), '1 in 1', 'A muted person''s reply doesn''t notify people who muted that person');
select pg_temp.as_owner($$ update app.posts set visibility = 'inner' where id = pg_temp.id('post') $$);
select pg_temp.reply('alice', 'eleven', 'six');
select is(pg_temp.told('dave'), '1 in 1', 'A person who can''t see the post any more isn''t notified');

-- A scheduled post
select pg_temp.as_owner($$ with p as (insert into app.posts (author_id, body, publish_at, published_at)
  values (test.id('alice'), 'later', now() + interval '1 day', null) returning id) insert into made select 'later', id from p $$);
select throws_ok(s, 'PT422', 'post_not_out', 'The author of a scheduled post can''t run: ' || s) from test.act_as('alice'), unnest(array[
  $$ select api.create_reply(pg_temp.id('later'), 'x') $$, $$ select api.react(pg_temp.id('later'), 'heart') $$]) s;
select throws_ok(s, 'PT404', 'post_unknown', 'Others can''t run on a scheduled post: ' || s) from test.act_as('bob'), unnest(array[
  $$ select api.create_reply(pg_temp.id('later'), 'x') $$, $$ select api.react(pg_temp.id('later'), 'heart') $$]) s;

-- The rules of the kinds: minimum and maximum lengths, and what each earns
select throws_ok(format('select api.create_reply(pg_temp.id(%L), %L, %L)', 'rules', repeat('x', n), k), 'PT422',
  k || '_length', format('A %s can''t have %s characters', k, n))
from test.act_as('bob'), (values ('criticism', 49), ('criticism', 301), ('contribution', 99)) c (k, n);
select is(pg_temp.earns('bob', k, n), e, format('A %s of %s characters earns: %s', k, n, e))
from (values ('reply', 1, 'bob reply.reply 1'), ('reaction', 280, 'nothing'),
             ('criticism', 50, 'bob reply.criticism 2'), ('criticism', 300, 'bob reply.criticism 2'),
             ('contribution', 100, 'bob reply.contribution 5'), ('contribution', 5000, 'bob reply.contribution 5')) c (k, n, e);
select is(pg_temp.earns('alice', k, n), 'nothing', format('A %s to one''s own post earns nothing', k))
from (values ('reply', 1), ('reaction', 1), ('criticism', 50), ('contribution', 100)) c (k, n);

select * from finish();
rollback;
