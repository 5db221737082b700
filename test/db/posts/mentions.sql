-- Mentions: what counts as one in a text, who is notified, and when.
begin;
select plan(66);
select test.people('alice', 'bob', 'carla', 'dave_1');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.as_owner(p_statement text) returns void language plpgsql security definer as $$ begin execute p_statement; end $$;
create function pg_temp.named(p_text text) returns text language sql stable security definer as $$
  select coalesce(string_agg(u.username, ' ' order by n.place), '')
  from unnest(private.people_named(private.names_in(p_text))) with ordinality as n (id, place) join app.users u on u.id = n.id $$;
-- Since the last call: the people who were mentioned, each with the author of the text
create function pg_temp.mentioned() returns text language plpgsql security definer as $$
declare
  v_names text;
begin
  select string_agg(concat_ws('<', u.username, w.username), ' ' order by e.id) into v_names
  from app.domain_events e
  join app.users u on u.id = (e.payload ->> 'userId')::uuid
  join app.users w on w.id = (e.payload ->> 'byId')::uuid
  where e.name = 'posts.person.mentioned';
  delete from app.domain_events where name = 'posts.person.mentioned';
  return coalesce(v_names, '');
end $$;
create function pg_temp.inbox(p_person text, p_kind text default 'post.mentioned') returns jsonb language plpgsql as $$
begin
  perform test.act_as(p_person);
  return (select coalesce(jsonb_agg(i order by place), '[]')
          from jsonb_array_elements(api.list_notifications(50)::jsonb -> 'items') with ordinality l (i, place) where i ->> 'kind' = p_kind);
end $$;
create function pg_temp.says(p_person text, p_body text, p_visibility text default 'public') returns uuid language plpgsql as $$
begin
  perform test.act_as(p_person);
  return api.create_post(p_body, p_visibility => p_visibility) ->> 'id';
end $$;
grant execute on all functions in schema pg_temp to public;

-- What counts as a mention
select is(pg_temp.named(t), n, format('The text %L mentions %s', t, coalesce(nullif(n, ''), 'nobody')))
from (values
  ('@bob', 'bob'), ('Hello @bob!', 'bob'), ('(@bob)', 'bob'), ('@bob, @carla', 'bob carla'), ('@carla@bob', ''), ('@bob.', 'bob'),
  ('@Bob and @BOB', 'bob'), ('@bob''s', 'bob'), ('@dave_1', 'dave_1'), (e'line\n@bob', 'bob'), ('“@bob”', 'bob'), ('—@bob', 'bob'),
  ('@bob@localhost', 'bob'), ('@bob@LOCALHOST.', 'bob'), ('@bob@elsewhere.example', ''), ('@bob@localhost.example', ''),
  ('bob', ''), ('@ bob', ''), ('a@bob', ''), ('é@bob', ''), ('_@bob', ''), ('me@bob.example', ''), ('me.you+x-@bob', ''), ('@@bob', ''),
  ('https://x.example/@bob', ''), ('@bobby', ''), ('@bob_', ''), ('@bobé', ''), ('@bob@', ''), ('@nobody_here', ''),
  ('@' || repeat('x', 31), ''), ('@bo', ''), ('', '')) c (t, n);
select is(pg_temp.named(t), n, format('A text of %s characters mentions %s', length(t), coalesce(nullif(n, ''), 'nobody')))
from (values
  (repeat('x ', 4998) || '@bob', 'bob'), (repeat('x ', 4997) || '@bob and more', 'bob'), (repeat('x ', 5000) || '@bob', ''),
  (repeat('x ', 4998) || '@bobby', ''), (repeat('.', 9985) || '@bob@localhost.example', ''),
  (repeat('@nobody_here ', 199) || '@bob', 'bob'), (repeat('@nobody_here ', 200) || '@bob', '')) c (t, n);
select is(pg_temp.named(null), '', 'A null text mentions nobody');

-- In a post: title and body, each person once
select test.act_as('alice');
insert into made select 'essay', (api.create_post('@carla @bob again', 'essay', 'To @bob and @alice') ->> 'id')::uuid;
select is(pg_temp.mentioned(), 'bob<alice carla<alice', 'Title and body mention each person once, never the author');
select is(pg_temp.inbox('bob') #> '{0,payload}', jsonb_build_object('postId', pg_temp.id('essay'), 'replyId', null), 'The notification of a mentioned person names the post');
select is(pg_temp.inbox('bob') #> '{0,target}', jsonb_build_object('type', 'post', 'id', pg_temp.id('essay')), 'The target is the post');
select is(pg_temp.inbox('bob') #>> '{0,actors,0,username}', 'alice', 'The actor is the author');
select is(jsonb_array_length(pg_temp.inbox('carla')), 1, 'A person mentioned twice is notified once');
select is(pg_temp.inbox('alice'), '[]', 'The author isn''t notified');

-- In a reply
select pg_temp.as_owner('delete from app.notifications');
insert into made select 'post', pg_temp.says('alice', 'Hello');
select test.act_as('bob');
insert into made select 'reply', (api.create_reply(pg_temp.id('post'), '@alice, ask @carla or @bob') ->> 'id')::uuid;
select is(pg_temp.mentioned(), 'alice<bob carla<bob', 'A reply can mention people');
select is(pg_temp.inbox('carla') #> '{0,payload}', jsonb_build_object('postId', pg_temp.id('post'), 'replyId', pg_temp.id('reply')), 'The notification of a mention in a reply names the reply');
select is(jsonb_array_length(pg_temp.inbox('alice')) || ' ' || jsonb_array_length(pg_temp.inbox('alice', 'post.replied')), '1 1',
  'The author of the post is notified of both the reply and the mention');

-- Another mention in a reply to the same post: the same notification, unread again
select test.act_as('carla');
select api.mark_read(p_before => 'infinity');
select test.act_as('bob');
insert into made select 'second', (api.create_reply(pg_temp.id('post'), '@carla, are you there?') ->> 'id')::uuid;
select is(jsonb_array_length(pg_temp.inbox('carla')), 1, 'Mentions in replies to one post are one notification');
select is(pg_temp.inbox('carla') #>> '{0,count}', '2', 'The notification counts each mention');
select is(pg_temp.inbox('carla') #> '{0,payload,replyId}', to_jsonb(pg_temp.id('second')), 'The notification names the latest reply');
select pg_temp.mentioned();

-- People who can't see the post
select pg_temp.says('alice', '@bob @carla', 'circles');
select is(pg_temp.mentioned(), '', 'A post for circles mentions nobody outside the circles');
select test.act_as('alice');
select api.create_circle('Near');
select api.add_circle_member((select id from app.circles), 'carla');
insert into made select 'near', pg_temp.says('alice', '@bob @carla', 'circles');
select is(pg_temp.mentioned(), 'carla<alice', 'A post for circles mentions people in the circle');
select test.act_as('carla');
select api.create_reply(pg_temp.id('near'), '@bob @alice');
select is(pg_temp.mentioned(), 'alice<carla', 'A reply to a post for circles mentions only people who can see the post');
select test.act_as('bob');
select api.block_person('carla');
select pg_temp.says('carla', '@bob');
select is(pg_temp.mentioned(), '', 'Nobody is mentioned across a block');
select test.act_as('carla');
select api.create_reply(pg_temp.id('post'), '@bob');
select is(pg_temp.mentioned(), '', 'A reply mentions nobody across a block, even if both can see the post');
select test.act_as('bob');
select api.unblock_person('carla');
select api.mute_person('carla');
select pg_temp.as_owner('delete from app.notifications');
select pg_temp.says('carla', '@bob');
select is(pg_temp.mentioned(), 'bob<carla', 'A person who muted the author is mentioned');
select is(pg_temp.inbox('bob'), '[]', 'A person who muted the author isn''t notified');
select pg_temp.as_owner($$ update app.users set banned_at = now() where username = 'bob' $$);
select pg_temp.says('alice', '@bob @carla');
select is(pg_temp.mentioned(), 'carla<alice', 'A banned person is not mentioned');
select pg_temp.as_owner($$ update app.users set banned_at = null where username = 'bob' $$);

-- By a former username
select test.act_as('bob');
select api.update_me('{"username": "robert"}');
select pg_temp.says('alice', '@bob, that is @robert');
select is(pg_temp.mentioned(), 'robert<alice', 'A former and a current username mention the person once');

-- Mentions by publication, but not by an edit
select pg_temp.as_owner($$ with p as (insert into app.posts (author_id, body, publish_at, published_at)
  values (test.id('alice'), 'For @carla', now(), null) returning id) insert into made select 'later', id from p $$);
select is(pg_temp.mentioned(), '', 'A scheduled post mentions nobody yet');
select pg_temp.as_owner($$ select private.publish_post(pg_temp.id('later')) $$);
select is(pg_temp.mentioned(), 'carla<alice', 'Publishing a scheduled post mentions people');
select pg_temp.as_owner($$ update app.posts set body = '@dave_1', edited_at = now() where id = pg_temp.id('later') $$);
select pg_temp.as_owner($$ select private.emit('posts.post.edited', json_build_object('postId', pg_temp.id('later'))) $$);
select is(pg_temp.mentioned(), '', 'An edit mentions nobody');

-- At most 20
select pg_temp.as_owner($$ insert into app.users (username, first_name, last_name) select 'many_' || n, 'M', 'M' from generate_series(1, 25) n $$);
select pg_temp.says('alice', '@alice @nobody_here @bob ' || string_agg('@many_' || n, ' ' order by n)) from generate_series(1, 25) n;
select is(pg_temp.mentioned(), 'robert<alice ' || string_agg('many_' || n || '<alice', ' ' order by n), 'The first 20 people are mentioned')
from generate_series(1, 19) n;

select * from finish();
rollback;
