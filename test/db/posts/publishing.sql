-- Publishing: a post's fields, lengths and interests, its event and counters, and who can write directly.
begin;
select plan(77);
select test.people('alice', 'bob');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.interests(p_post json) returns text language sql as $$
  select string_agg((i ->> 'slug') || case when (i ->> 'isPrimary')::boolean then '*' else '' end, ' ' order by i ->> 'slug')
  from json_array_elements(p_post -> 'interests') i $$;
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

insert into app.interests (slug, name, level, accent_color)
select 'tap-' || n, 'Tap ' || n, 1, 'ink' from generate_series(1, 7) n;
insert into made select slug, id from app.interests where slug like 'tap-%';

-- Acting as Alice
select test.act_as('alice');
insert into made select 'note', (api.create_post('  Hello  ') ->> 'id')::uuid;
create temp view note as select api.get_post(pg_temp.id('note')) as card;
select is((select string_agg(k, ' ' order by k) from note, json_object_keys(card) k),
  'author authorId body boostExpiresAt boostScore coAuthors counters createdAt depth depthLabel editedAt emojiBreakdown format groupId guildId hiddenAt id importedAt interestId interests isJournalism media persona personaId pinned poll publishAt publishedAt quotedPost quotedPostId replies scheduledEmittedAt series spaceName title viewer visibility',
  'A post has exactly these fields');
select is(pg_temp.event(), 'posts.post.published '::text || jsonb_build_object('postId', pg_temp.id('note'), 'authorId', test.id('alice')),
  'Publishing is an event');
select is((select card ->> 'body' from note), 'Hello', 'The body is trimmed');
select is((select card ->> 'format' from note), 'note', 'The default format is note');
select is((select card ->> 'visibility' from note), 'public', 'The default visibility is public');
select is((select card ->> 'depthLabel' from note), 'Surface', 'The default depth is Surface');
select is((select card ->> 'authorId' from note), 'acct:alice@localhost', 'The author is named by actor id');
select is((select card ->> 'interests' from note), '[]', 'By default there are no interests');
select is((select card ->> 'counters' from note)::jsonb, '{"reactions": 0, "replies": 0, "shares": 0, "bookmarks": 0, "views": 0}', 'The counters start at 0');
select is((select card ->> 'emojiBreakdown' from note), '{}', 'The breakdown starts empty');
select is((select card -> 'viewer' from note)::jsonb, '{"reactions": [], "bookmarked": false, "reposted": false, "voted": false}', 'The viewer starts without reactions');
select is((select card ->> 'publishedAt' from note), private.utc(now()), 'The post is published now');
select is((select string_agg(api.create_post('Deep', p_depth => d) ->> 'depthLabel', ' ' order by d) from generate_series(0, 5) d),
  'Surface Intro Deep Expert Research Thesis', 'The six depths have labels');
select throws_ok(format($$ select api.create_post('x', p_depth => %s) $$, d), 'PT422', 'value_invalid', 'A depth of ' || d || ' is refused')
from unnest(array[-1, 6]) d;
select is(api.create_post('x', p_visibility => v) ->> 'visibility', v, v || ' is a valid visibility')
from unnest(array['public', 'circles', 'inner']) v;
select throws_ok($$ select api.create_post('x', p_visibility => 'friends') $$, 'PT422', 'value_invalid', 'An unknown visibility is refused');
select throws_ok($$ select api.create_post('x', 'poem') $$, 'PT422', 'value_invalid', 'An unknown format is refused');

-- Lengths, in characters and not in bytes
select lives_ok(format('select api.create_post(%L)', repeat('é', 5000)), 'A note can have 5000 characters');
select throws_ok(format('select api.create_post(%L)', repeat('é', 5001)), 'PT422', 'post_body', 'A note can''t have 5001 characters');
select lives_ok(format('select api.create_post(%L)', ' ' || repeat('é', 5000) || ' '), 'Surrounding blanks don''t count');
select throws_ok($$ select api.create_post('') $$, 'PT422', 'post_body', 'An empty body is refused');
select throws_ok($$ select api.create_post('   ') $$, 'PT422', 'post_body', 'A blank body is refused');
select throws_ok($$ select api.create_post(e' \n\t\r\n') $$, 'PT422', 'post_body', 'A body of empty lines is refused');
select throws_ok($$ select api.create_post(null) $$, '23502', null, 'A null body is refused');
select is(api.create_post(e'\n One\n\ntwo \n\n') ->> 'body', e'One\n\ntwo', 'Surrounding lines are trimmed, and lines within are kept');
select lives_ok(format('select api.create_post(%L, %L, %L)', repeat('é', 100000), 'essay', 'Title'), 'An essay can have 100000 characters');
select throws_ok(format('select api.create_post(%L, %L, %L)', repeat('é', 100001), 'essay', 'Title'), 'PT422', 'post_body', 'An essay can''t have 100001 characters');
select is(api.create_post('x', 'essay', ' Title ') ->> 'title', 'Title', 'An essay''s title is trimmed');
select lives_ok(format('select api.create_post(%L, %L, %L)', 'x', 'essay', repeat('é', 200)), 'A title can have 200 characters');
select throws_ok(format('select api.create_post(%L, %L, %L)', 'x', 'essay', t), 'PT422', 'post_title', 'A title is refused: ' || what)
from (values (repeat('é', 201), '201 characters'), ('', 'an empty text'), ('  ', 'blanks'), (e'\n', 'an empty line'), (null, 'null')) c (t, what);
select throws_ok($$ select api.create_post('x', 'note', 'Title') $$, 'PT422', 'post_title', 'A note can''t have a title');

-- Interests: one primary, at most four more
select is(pg_temp.interests(api.create_post('x', p_interest_id => pg_temp.id('tap-1'))), 'tap-1*', 'The primary interest is in the list');
select is(pg_temp.interests(api.create_post('x', p_interest_id => pg_temp.id('tap-1'),
    p_interest_ids => array(select id from made where name ~ '^tap-[2-5]$'))),
  'tap-1* tap-2 tap-3 tap-4 tap-5', 'Four more interests are accepted');
select is(pg_temp.interests(api.create_post('x', p_interest_ids => array(select id from made where name ~ '^tap-[1-4]$'))),
  'tap-1 tap-2 tap-3 tap-4', 'Four interests without a primary one are accepted');
select is(pg_temp.interests(api.create_post('x', p_interest_id => pg_temp.id('tap-1'),
    p_interest_ids => array(select id from made where name ~ '^tap-[1-5]$') || pg_temp.id('tap-2'))),
  'tap-1* tap-2 tap-3 tap-4 tap-5', 'The primary interest and duplicates don''t count towards the four');
select throws_ok($$ select api.create_post('x', p_interest_id => pg_temp.id('tap-1'),
    p_interest_ids => array(select id from made where name ~ '^tap-[2-6]$')) $$, 'PT422', 'post_interests_exceeded', 'Five more interests are refused');
select throws_ok($$ select api.create_post('x', p_interest_id => gen_random_uuid()) $$, 'PT404', 'interest_unknown', 'An unknown primary interest is refused');
select throws_ok($$ select api.create_post('x', p_interest_ids => array[pg_temp.id('tap-1'), gen_random_uuid()]) $$,
  'PT404', 'interest_unknown', 'An unknown further interest is refused');
select lives_ok($$ select api.create_post('x', p_interest_ids => null) $$, 'A null list means no interests');

-- Direct statements
insert into made select 'other', (api.create_post('Other', p_interest_id => pg_temp.id('tap-1')) ->> 'id')::uuid;
select throws_ok(format('update app.posts set %s', c), '42501', null, 'Nobody can set in the table: ' || c)
from unnest(array['published_at = now()', 'edited_at = null', 'hidden_at = null', 'deleted_at = now()', 'pinned_at = now()',
                  'author_id = null', 'format = null', 'trending_boost = 9', 'space_id = null', 'quoted_post_id = null']) c;
select throws_ok($$ delete from app.posts $$, '42501', null, 'Authors can''t delete a row of posts');
select throws_ok($$ insert into app.posts (author_id, body, hidden_at) values (test.id('alice'), 'x', now()) $$, '42501', null, 'Authors can''t insert a hidden post');
select throws_ok($$ insert into app.posts (author_id, body, created_at) values (test.id('alice'), 'x', now()) $$, '42501', null, 'Authors can''t set the time of creation');
select throws_ok($$ insert into app.posts (author_id, body, space_id) values (test.id('alice'), 'x', gen_random_uuid()) $$, '42501', null,
  'Authors can''t insert a post into a space they are not in');
select throws_ok(format('%s', s), '42501', null, 'Nobody can run: ' || s)
from unnest(array[
  'update app.post_counters set reactions = 100', 'delete from app.post_counters',
  'insert into app.post_counters (post_id) values (gen_random_uuid())',
  'update app.post_emotions set mana = 100', 'delete from app.post_emotions',
  $$insert into app.post_emotions values (gen_random_uuid(), 'love', 1, 1)$$,
  'update app.post_interests set is_primary = true', 'update app.post_versions set body = null', 'delete from app.post_versions',
  'insert into app.post_interests (post_id, interest_id, is_primary) values (gen_random_uuid(), gen_random_uuid(), true)']) s;

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ insert into app.posts (author_id, body) values (test.id('alice'), 'x') $$, '42501', null,
  'Nobody can publish in another person''s name');
select throws_ok($$ insert into app.post_interests (post_id, interest_id) values (pg_temp.id('note'), pg_temp.id('tap-1')) $$, '42501', null,
  'Nobody can add an interest to another person''s post');
select is(pg_temp.rows($$ delete from app.post_interests $$), 0, 'Nobody can delete an interest of another person''s post');
select is(pg_temp.rows($$ update app.posts set body = 'Changed' $$), 0, 'Nobody can change another person''s post');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok($$ select api.create_post('x') $$, '42501', null, 'Publishing needs a signed-in caller');
select throws_ok($$ select api.list_feed() $$, '42501', null, 'The feed needs a signed-in caller');
select throws_ok($$ select count(*) from app.posts $$, '42501', null, 'The table of posts needs a signed-in caller');

select * from finish();
rollback;
