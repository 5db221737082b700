-- The search: which words find what, and what nobody can find. test/model/oracle checks posts against the model of
-- visibility.
begin;
select plan(76);
select test.people('alice', 'bob', 'carla', 'dora');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.note(p_name text, p_made json) returns void language sql as $$
  insert into made values (p_name, (p_made ->> 'id')::uuid) $$;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.interest(p_slug text) returns uuid language sql stable security definer as $$
  select id from app.interests where slug = p_slug $$;
create function pg_temp.hits(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(coalesce(m.name, i ->> 'username'), ' ' order by place), '')
  from json_array_elements(p_page -> 'items') with ordinality as u (i, place)
  left join made m on m.id::text = i ->> 'id' $$;
create function pg_temp.found(p_q text, p_type text default null) returns text language sql stable as $$ select pg_temp.hits(api.search(p_q, p_type)) $$;
grant execute on all functions in schema pg_temp to public;
set constraints all immediate;   -- contents can be found once they are committed

select is((select string_agg(k.kind, ' ') from private.content_kinds k where not exists (select from private.search_types t where t.type = k.kind)), null,
          'Every kind of content can be searched');

update app.users set role = 'admin' where username = 'bob';   -- may found guilds

select test.act_as('bob');
select pg_temp.note('plants', api.create_post('The gardener''s café is growing roses in spring', p_interest_id => pg_temp.interest('history'))),
       pg_temp.note('essay', api.create_post('Nothing to see <b>here</b> & there but tulips', p_format => 'essay', p_title => 'Gardens of Évora')),
       pg_temp.note('circles', api.create_post('A garden for few', p_visibility => 'circles')),
       pg_temp.note('group', api.create_group('Garden friends', p_about => 'We meet in May')),
       pg_temp.note('hidden', api.create_group('Secret garden', p_visibility => 'private')),
       pg_temp.note('guild', api.create_guild('Guild of gardens', p_interest_id => pg_temp.interest('history')));
select test.act_as_owner();
insert into app.wiki_versions (interest_id, version, body, summary, author_id)
select pg_temp.interest('music'), v, b, 'x', test.id('bob') from (values (1, 'Of drums and violins'), (2, 'Of violins')) w (v, b);
select test.act_as('bob');
set constraints all deferred;
select pg_temp.note('video', api.create_video('https://example.org/a.mp4', p_caption => 'Gardening, filmed'));
set constraints all immediate;
select test.act_as_owner();
update app.users set role = 'user' where username = 'bob';

select test.act_as('alice');
select is(pg_temp.hits(api.search('gárDENS', 'post')), 'essay plants', 'Accents, case and plurals are ignored');
select is(pg_temp.found('filmed gardens', 'video') || pg_temp.found('filming roses'), 'video', 'All words must match, in any inflection');
select is(pg_temp.found('gardening', 'video'), 'video', 'Contents are found by the words of their texts');
select is(pg_temp.found('garden', 'group'), 'group', 'Groups are found, but a private one isn''t found by outsiders');
select is(pg_temp.found('guild', 'guild'), 'guild', 'Guilds are found');
select is((select string_agg(w, ' ' order by w) from unnest(string_to_array(pg_temp.found('garden'), ' ')) w), 'essay group guild plants video', 'A search without a type finds documents of all types');
select is(pg_temp.found(q, 'post'), 'plants', 'The post is found by ' || q) from unnest(array['cafe', 'rose', 'grow spring', '"roses in spring"', 'CAFÉ -tulips']) q;
select is(pg_temp.found(q, 'post'), '', 'The post isn''t found by ' || q)
from unnest(array['rose tulips', '"spring roses"', 'rose -spring', 'rose -"in spring"', '-rose', '%', '"', '- " -', ''' & !', '()', 'history']) q;
select is(pg_temp.hits(api.search('rose', p_interest_id => pg_temp.interest('history'))), 'plants', 'A search can be narrowed to the interest of a post');
select is(pg_temp.hits(api.search('tulips', p_interest_id => pg_temp.interest('history'))), '', 'A search in an interest leaves out posts without it');
select is(api.search('tulips') #>> '{items,0,excerpt}', 'Nothing to see &lt;b&gt;here&lt;/b&gt; &amp; there but <mark>tulips</mark>', 'Matches are marked in the excerpt, and all other HTML is escaped');
select is(api.search('evora') #>> '{items,0,title}', 'Gardens of Évora', 'A title is returned unchanged');
select is(pg_temp.found('dorra'), 'dora', 'A person is found despite a typing error');
select is(pg_temp.found('dorra -dora'), '', 'A person excluded by the query isn''t found');
select is(pg_temp.hits(api.search('garden', p_limit => 1)) || ' '
          || pg_temp.hits(api.search('garden', p_cursor => api.search('garden', p_limit => 1) ->> 'nextCursor')), pg_temp.found('garden'), 'The cursor leads to the next page');
select throws_ok(format('select api.search(%L, p_cursor => %L)', 'garden', c), 'PT400', 'cursor_unknown', 'A search refuses the cursor ' || c)
from unnest(array['x', 'post:x', 'post:' || pg_temp.id('circles'), 'group:' || pg_temp.id('hidden'), 'poem:' || pg_temp.id('essay'), gen_random_uuid()::text]) c;
select is((select i ->> 'title' || ' ' || (i ->> 'slug') || ' ' || (i ->> 'excerpt') from json_array_elements(api.search('violin', 'wiki') -> 'items') i),
          'Music music Of <mark>violins</mark>', 'A wiki entry is found by its latest version');
select throws_ok('select * from private.search_words', '42501', null, 'Nobody can read the index');

select test.act_as('bob');
select is(pg_temp.found('garden', 'group'), 'hidden group', 'The owner finds both the open and the private group');
select is(pg_temp.found('garden few'), 'circles', 'The author finds a post for circles');
select api.update_post(pg_temp.id('plants'), '{"body": "About violets"}'), api.delete_post(pg_temp.id('essay'));
select test.act_as('alice');
select is(pg_temp.found('cafe') || pg_temp.found('tulips') || ' ' || pg_temp.found('violet'), ' plants', 'A post isn''t found by its former text');
select test.act_as_owner();
select is((select count(*)::int from private.search_words where word = 'tulip'), 0, 'A former word is deleted from the index');
select is((select words::text from private.search_documents where gone_at is not null), '', 'The row of a deleted document is kept without its words');
update app.interests set name = 'Chamber music' where slug = 'music';
select test.act_as('alice');
select is((select i ->> 'title' || ' ' || (i ->> 'excerpt') from json_array_elements(api.search('chamber violins', 'wiki') -> 'items') i),
          'Chamber music Of <mark>violins</mark>', 'A wiki entry is found by the current name of its interest');
select test.act_as_owner();
update app.feature_flags set enabled = false where key = 'wiki';
select test.act_as('alice');
select is(json_array_length(api.search('violins') -> 'items') + json_array_length(api.search('violins', 'wiki') -> 'items'), 0, 'While the wiki is switched off, none of its entries is found');
select test.act_as_owner();
update app.feature_flags set enabled = true where key = 'wiki';
select test.act_as('alice');
select is(json_array_length(api.search('violins') -> 'items'), 1, 'Once the wiki is on again, its entries are found');
select test.act_as_owner();
create temp table indexed as select number, ctid as place from private.search_documents where id = pg_temp.id('video');
update app.users set banned_at = now() where username = 'bob';
select is((select d.ctid from private.search_documents d join indexed i using (number)), (select place from indexed), 'A ban doesn''t rewrite the index rows');
update app.users set banned_at = null where username = 'bob';
select test.act_as('alice');
select is(pg_temp.found('filming'), 'video', 'The end of the ban makes the content findable again');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
update app.users set erased_at = now() where username = 'dora';
select test.act_as('alice');
select is(pg_temp.found('violet') || pg_temp.found('filming') || pg_temp.found('dora') || pg_temp.found('bob'), '',
  'The search finds nothing by banned and erased people');

-- Scopes: a document that only some people may see isn't indexed for everybody
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
create function pg_temp.scope(p_name text) returns text language sql stable security definer as $$
  select string_agg(distinct split_part(w.scope, ' ', 1) || case when w.scope like 'level%' then split_part(w.scope, ' ', 2) else '' end, ',')
  from private.search_documents d join private.search_words w using (number) where d.id = pg_temp.id(p_name) $$;
grant execute on function pg_temp.scope to public;
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('hidden') || ' ' || pg_temp.scope('group') || ' ' || pg_temp.scope('video'),
          'level1 private group video', 'A post for circles, a private group and a public content each have their own scope');
select test.act_as('bob');
select api.update_post(pg_temp.id('circles'), '{"visibility": "inner"}');
select is(pg_temp.scope('circles') || ' ' || pg_temp.found('garden few'), 'level2 circles', 'A post that becomes visible to the inner circle moves to its scope');
select api.update_post(pg_temp.id('circles'), '{"visibility": "public"}');
select is(pg_temp.scope('circles'), 'post', 'A post that becomes public moves to the public scope');
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('circles');
update app.contents set removed_at = now() where id = pg_temp.id('video');
update app.spaces set visibility = 'public' where id = pg_temp.id('hidden');
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('video') || ' ' || pg_temp.scope('hidden'), 'level3 level3 group',
          'A post that staff hid is in the author''s scope alone, and a group made public is in the public scope');
select test.act_as('bob');
select is(pg_temp.found('garden few') || ' ' || pg_temp.found('filming'), 'circles video', 'The author finds what staff hid');
select test.act_as_owner();
update app.posts set hidden_at = null where id = pg_temp.id('circles');
update app.contents set removed_at = null where id = pg_temp.id('video');
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('video'), 'post video', 'Unhidden and restored items return to the public scope');

-- The index rows of banned people
update app.users set banned_at = now() where username = 'bob';
select is((select data ->> 'userId' from pgboss.job where name = 'hidden-documents' order by created_on desc limit 1), test.id('bob')::text, 'A ban queues a job for the worker');
select private.hide_or_show_documents(json_build_object('userId', test.id('bob'))::jsonb);
select is(pg_temp.scope('circles'), null, 'After the job, a banned person''s post is in no scope');
select is((select count(*)::int from private.name_trigrams where user_id = test.id('bob')), 0, 'After the job, a banned person''s name isn''t indexed');
update app.posts set hidden_at = now() where id = pg_temp.id('plants');
update app.posts set hidden_at = null where id = pg_temp.id('plants');
select is(pg_temp.scope('plants'), null, 'A change during the ban doesn''t index the post again');
update app.users set banned_at = null where username = 'bob';
select private.hide_or_show_documents(json_build_object('userId', test.id('bob'))::jsonb);
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('plants') || ' ' || pg_temp.scope('video'), 'post post video', 'After the end of the ban all documents of the person are indexed again');

-- Texts and queries that take long
select test.act_as('bob');
select pg_temp.note('long', api.create_post(repeat('thyme sage ', 300) || 'sage sage thyme dill'));
select pg_temp.note('late', api.create_post(repeat('thyme sage ', 30) || 'sage thyme thyme'));
select test.settle();
select test.act_as('alice');
select is(pg_temp.found('"thyme thyme"', 'post'), 'late', 'A phrase is found at any position, even beyond those that count for the rank');
select test.act_as_owner();
select is((select max(cardinality(w.positions)) from unnest(private.ranked_words(private.search_vector('mint', repeat('thyme sage ', 300)))) w), 16, 'Only the first 16 positions of a word count for the rank');
select is(private.ranked_words(private.search_vector('mint', 'thyme')), null, 'A word with 16 positions or fewer has no separate rank entry');
select is((select max(octet_length(w.lexeme)) || ' ' || max(cardinality(w.positions)) from unnest(private.search_vector(repeat('½', 500), repeat('⑽', 4999) || ' ' || repeat('㎮', 600))) w), '800 24',
          'A word that unaccent makes too long for a tsvector is cut, because it would crash the server');
select ok(private.search_vector('', repeat('ⅷ', 800) || ' dill') @@ to_tsquery('private.search', 'dill'), 'A word next to one that was cut is found');
select test.act_as('alice');
select is((select regexp_count(api.search('dill') #>> '{items,0,excerpt}', '<mark>dill</mark>')), 1, 'The excerpt is taken from around the match');

-- Punctuation beyond ASCII, which the parser takes for letters where the ctype of the database is C
select test.act_as('bob');
select pg_temp.note('quotes', api.create_post(e'“Basil” <i>isn’t</i>\u00a0rare—„fennel“ « lovage »… ¡chervil! & sorrel'));
select test.settle();
select test.act_as('alice');
select is(pg_temp.found(q, 'post'), 'quotes', 'Words between punctuation are found by ' || q)
from unnest(array['basil rare fennel', '"lovage chervil"', '“fennel”', 'isn’t', 'isn''t']) q;
select is(api.search('basil') #>> '{items,0,excerpt}', '<mark>Basil</mark>” &lt;i&gt;isn’t&lt;/i&gt; rare—„fennel“ « lovage »… ¡chervil! &amp; sorrel',
  'An excerpt has the punctuation of the text');
select test.act_as_owner();
update private.search_documents set words = '' where id = pg_temp.id('quotes');
delete from private.search_words where number = (select number from private.search_documents where id = pg_temp.id('quotes'));
select private.index_again('{"type": "post"}');
create temp table written as select number, ctid as place from private.search_documents;
create temp table listed as select scope, word, number, ctid as place from private.search_words;
select private.index_again(json_build_object('type', type)::jsonb) from private.search_types;
select is_empty($$ select number, ctid from private.search_documents except select * from written $$,
  'Indexing documents again writes none of those that are unchanged');
select is_empty($$ select scope, word, number, ctid from private.search_words except select * from listed $$,
  'Indexing documents again writes no list of those that are unchanged');
select test.act_as('alice');
select is(pg_temp.found('lovage'), 'quotes', 'Documents can be indexed again');

select throws_ok(format('select api.search(%L)', repeat('a ', 16) || '-"' || repeat('b ', 17) || '"'), 'PT422', 'search_words', 'A query of 33 words is refused');

select * from finish();
rollback;
