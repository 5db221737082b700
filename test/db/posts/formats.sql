-- The seven formats: what each requires and refuses, media, persona, poll, journalism, and a repeated repost.
begin;
select plan(92);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.events(p_name text) returns integer language sql stable security definer
  as $$ select count(*)::int from app.domain_events where name = p_name $$;
create function pg_temp.media(p_count integer) returns jsonb language sql
  as $$ select coalesce(jsonb_agg(jsonb_build_object('url', 'https://example.org/' || n || '.jpg') order by n), '[]') from generate_series(1, p_count) n $$;
create function pg_temp.give(p_name text, p_points numeric) returns void language sql security definer
  as $$ select private.add_reputation(test.id(p_name), (select id from app.interests order by slug limit 1), 'admin.adjusted', p_points) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Bob, whose posts are quoted
select test.act_as('bob');
insert into made select 'note', (api.create_post('A note') ->> 'id')::uuid;
insert into made select 'closed', (api.create_post('Closed', p_visibility => 'inner') ->> 'id')::uuid;
insert into made select 'gone', (api.create_post('Gone') ->> 'id')::uuid;
select api.delete_post(pg_temp.id('gone'));

-- Acting as Alice: the text
select test.act_as('alice');
insert into made select 'mine', (api.create_post('Mine') ->> 'id')::uuid;
select is(api.create_post(repeat('é', longest), f, title, p_media => pg_temp.media(pieces), p_quoted_post_id => pg_temp.id(quoted)) ->> 'format',
  f, 'A ' || f || ' can have ' || longest || ' characters')
from (values ('note', null, 0, null, 5000), ('essay', 'Title', 0, null, 100000), ('photo', null, 1, null, 5000),
             ('video', null, 1, null, 5000), ('quote', null, 0, 'note', 5000), ('thread', null, 0, null, 20000))
  c (f, title, pieces, quoted, longest);
select throws_ok(format('select api.create_post(%L, %L, %L, p_media => pg_temp.media(%s), p_quoted_post_id => %L)',
    repeat('é', longest + 1), f, title, pieces, pg_temp.id(quoted)), 'PT422',
  'post_body', 'A ' || f || ' can''t have ' || longest + 1 || ' characters')
from (values ('note', null, 0, null, 5000), ('essay', 'Title', 0, null, 100000), ('photo', null, 1, null, 5000),
             ('video', null, 1, null, 5000), ('quote', null, 0, 'note', 5000), ('thread', null, 0, null, 20000), ('repost', null, 0, 'note', 0))
  c (f, title, pieces, quoted, longest);
select throws_ok(format('select api.create_post(%L, %L, p_quoted_post_id => %L)', ' ', f, pg_temp.id(quoted)), 'PT422',
  'post_body', 'A ' || f || ' needs a body')
from (values ('note', null), ('quote', 'note'), ('thread', null)) c (f, quoted);
select throws_ok(format('select api.create_post(%L, %L, %L, p_media => pg_temp.media(%s), p_quoted_post_id => %L)',
    case f when 'repost' then '' else 'x' end, f, 'Title', pieces, pg_temp.id(quoted)), 'PT422',
  'post_title', 'A ' || f || ' can''t have a title')
from (values ('note', 0, null), ('photo', 1, null), ('video', 1, null), ('quote', 0, 'note'), ('thread', 0, null), ('repost', 0, 'note'))
  c (f, pieces, quoted);

-- Media: how many, and their fields
select is(json_array_length(api.create_post(p_format => f, p_body => body, p_media => pg_temp.media(n)) -> 'media'), n, 'A ' || f || ' can have ' || n || ' media')
from (values ('photo', '', 1), ('photo', '', 10), ('video', '', 1), ('note', 'x', 0), ('note', 'x', 10), ('thread', 'x', 10)) c (f, body, n);
select throws_ok(format('select api.create_post(%L, %L, p_media => pg_temp.media(%s), p_quoted_post_id => %L)', body, f, n, pg_temp.id(quoted)), 'PT422',
  'post_media', 'A ' || f || ' can''t have ' || n || ' media')
from (values ('photo', '', 0, null), ('photo', '', 11, null), ('video', '', 0, null), ('video', '', 2, null), ('note', 'x', 11, null),
             ('quote', 'x', 11, 'note'), ('repost', '', 1, 'note')) c (f, body, n, quoted);
select is((api.create_post('x', p_media => '[{"alt": " A cat ", "url": "https://example.org/a?b#c", "more": 1}, {"url": "HTTP://example.org", "alt": " "}]') -> 'media')::jsonb,
  '[{"url": "https://example.org/a?b#c", "alt": "A cat", "width": null, "height": null, "blurhash": null, "posterUrl": null},
    {"url": "HTTP://example.org", "alt": null, "width": null, "height": null, "blurhash": null, "posterUrl": null}]', 'Media are stored as url and alt, in order');
select is(api.create_post('x', p_media => null) ->> 'media', '[]', 'Null media are stored as no media');
select lives_ok(format('select api.create_post(%L, p_media => %L)', 'x',
  jsonb_build_array(jsonb_build_object('url', 'http://x/' || repeat('é', 1991), 'alt', repeat('é', 1000)))), 'Media at their maximum lengths are accepted');
select throws_ok(format('select api.create_post(%L, p_media => %L)', 'x', m), 'PT422', 'post_media', 'Media are refused: ' || left(m::text, 60))
from unnest(array['{}', '1', '[1]', '["https://example.org"]', '[null]', '[[]]', '[{}]', '[{"url": null}]', '[{"url": 1}]', '[{"url": ""}]',
  '[{"url": "https://"}]', '[{"url": "https:///a"}]', '[{"url": "//example.org"}]', '[{"url": "ftp://example.org"}]',
  '[{"url": "javascript:alert(1)"}]', '[{"url": " https://example.org"}]', '[{"url": "https://example.org/a b"}]',
  '[{"url": "https://example.org", "alt": 1}]', '[{"url": "https://example.org", "alt": {}}]',
  '[{"url": "https://example.org"}, {"url": "x"}]']::jsonb[]
  || jsonb_build_array(jsonb_build_object('url', 'http://x/' || repeat('é', 1992)))
  || jsonb_build_array(jsonb_build_object('url', 'http://x', 'alt', repeat('é', 1001)))) m;

-- Quotes and reposts
select is(api.create_post('So true', 'quote', p_quoted_post_id => pg_temp.id('note')) #>> '{quotedPost,body}', 'A note', 'A quote shows the quoted post');
insert into made select 'repost', (api.create_post(p_format => 'repost', p_quoted_post_id => pg_temp.id('note'), p_visibility => 'circles') ->> 'id')::uuid;
select is(api.get_post(pg_temp.id('repost')) ->> 'quotedPostId', pg_temp.id('note')::text, 'A repost shows its original');
select is(api.get_post(pg_temp.id('repost')) ->> 'body', '', 'A repost has an empty body');
select is((api.create_post(p_format => 'repost', p_quoted_post_id => pg_temp.id('note')) ->> 'id')::uuid, pg_temp.id('repost'), 'A second repost returns the first');
select is(api.get_post(pg_temp.id('repost')) ->> 'visibility', 'circles', 'The first repost keeps its visibility');
select is(pg_temp.events('posts.post.reposted'), 1, 'Only one repost event is emitted');
select throws_ok(format('select api.create_post(%L, %L, p_quoted_post_id => %L)', body, f, quoted), state, word, 'A ' || f || ' is refused for ' || what)
from (values ('x', 'quote'), ('', 'repost')) f (body, f),
     (values (null, 'PT422', 'post_quoted', 'null'), (pg_temp.id('closed'), 'PT404', 'post_unknown', 'a closed post'),
             (pg_temp.id('gone'), 'PT404', 'post_unknown', 'a deleted post'), (gen_random_uuid(), 'PT404', 'post_unknown', 'an unknown post'),
             (pg_temp.id('mine'), 'PT400', 'repost_own', 'the author''s own post')) q (quoted, state, word, what);
select throws_ok(format('select api.create_post(%L, p_quoted_post_id => %L)', 'x', pg_temp.id('note')), 'PT422', 'post_quoted', 'A note can''t quote a post');
select throws_ok(format('select api.create_post(p_format => %L, p_quoted_post_id => %L, p_poll => %L)', 'repost', pg_temp.id('note'),
  '{"options": ["a", "b"]}'), 'PT422', 'repost_bare', 'A repost can''t have a poll');
select throws_ok(format('select api.create_post(p_format => %L, p_quoted_post_id => %L, p_publish_at => now() + interval %L)', 'repost',
  pg_temp.id('note'), '1 hour'), 'PT422', 'repost_bare', 'A repost can''t be scheduled');
select throws_ok(format('select api.create_post(p_format => %L, p_quoted_post_id => %L, %s)', 'repost', pg_temp.id('note'), own),
  'PT422', 'repost_bare', 'A repost can''t have ' || what)
from (values ('p_depth => 1', 'a depth'), ('p_interest_id => (select id from app.interests limit 1)', 'an interest'),
             ('p_interest_ids => array(select id from app.interests limit 2)', 'further interests')) o (own, what);
select is(api.create_post('Which?', p_poll => '{"options": ["This", "That"]}') #>> '{poll,options,1,text}', 'That', 'Any other format can have a poll');

-- Personas
insert into made select 'persona', (api.create_persona('Nightly') ->> 'id')::uuid;
select is(api.create_post('x') #>> '{persona,name}', 'Main', 'A post has the default persona');
select is(api.create_post('x', p_persona_id => pg_temp.id('persona')) #>> '{persona,name}', 'Nightly', 'A post can have another persona');

-- Journalism
select throws_ok($$ select api.create_post('x', p_is_journalism => true) $$, 'PT403', 'journalism_not_allowed', 'Journalism needs reputation');
select is(api.create_post('x', p_is_journalism => false) ->> 'isJournalism', 'false', 'A post needs no reputation without journalism');
select pg_temp.give('alice', 19.99);
select throws_ok($$ select api.create_post('x', p_is_journalism => true) $$, 'PT403', 'journalism_not_allowed', 'A reputation of 19.99 is too low for journalism');
select pg_temp.give('alice', 0.01);
select is(api.create_post('x', p_is_journalism => true) ->> 'isJournalism', 'true', 'A reputation of 20 in one interest is enough for journalism');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.create_post('x', p_persona_id => pg_temp.id('persona')) $$, 'PT404', 'persona_unknown', 'Another person''s persona is refused');
select throws_ok($$ select api.create_post('x', p_persona_id => gen_random_uuid()) $$, 'PT404', 'persona_unknown', 'An unknown persona is refused');
select test.act_as_owner();
update app.users set role = 'admin' where id = test.id('bob');
select test.act_as('bob');
select is(api.create_post('x', p_is_journalism => true) ->> 'isJournalism', 'true', 'An admin needs no reputation for journalism');

select * from finish();
rollback;
