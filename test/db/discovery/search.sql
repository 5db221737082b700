-- The search: what finds what, and what nobody finds. Posts against the model of visibility: test/model/oracle.
begin;
select plan(67);
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
set constraints all immediate;   -- contents are found from their commit on

select is((select string_agg(k.kind, ' ') from private.content_kinds k where not exists (select from private.search_types t where t.type = k.kind)), null,
          'every kind of contents can be searched for');

update app.users set role = 'admin' where username = 'bob';   -- who may found guilds

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
select is(pg_temp.hits(api.search('gárDENS', 'post')), 'essay plants', 'accents, case and number are forgiven');
select is(pg_temp.found('filmed gardens', 'video') || pg_temp.found('filming roses'), 'video', 'all words must be there, in any form');
select is(pg_temp.found('gardening', 'video'), 'video', 'kinds of contents by their texts');
select is(pg_temp.found('garden', 'group'), 'group', 'groups, but private ones to those who see them');
select is(pg_temp.found('guild', 'guild'), 'guild', 'guilds');
select is((select string_agg(w, ' ' order by w) from unnest(string_to_array(pg_temp.found('garden'), ' ')) w), 'essay group guild plants video', 'and all at once');
select is(pg_temp.found(q, 'post'), 'plants', 'found by ' || q) from unnest(array['cafe', 'rose', 'grow spring', '"roses in spring"', 'CAFÉ -tulips']) q;
select is(pg_temp.found(q, 'post'), '', 'not by ' || q)
from unnest(array['rose tulips', '"spring roses"', 'rose -spring', 'rose -"in spring"', '-rose', '%', '"', '- " -', ''' & !', '()', 'history']) q;
select is(pg_temp.hits(api.search('rose', p_interest_id => pg_temp.interest('history'))), 'plants', 'about an interest');
select is(pg_temp.hits(api.search('tulips', p_interest_id => pg_temp.interest('history'))), '', 'or not');
select is(api.search('tulips') #>> '{items,0,excerpt}', 'Nothing to see &lt;b&gt;here&lt;/b&gt; &amp; there but <mark>tulips</mark>', 'hits are marked, and nothing else is HTML');
select is(api.search('evora') #>> '{items,0,title}', 'Gardens of Évora', 'a title is as it is');
select is(pg_temp.found('dorra'), 'dora', 'a wrong letter in a name');
select is(pg_temp.found('dorra -dora'), '', 'but not whom one does not look for');
select is(pg_temp.hits(api.search('garden', p_limit => 1)) || ' '
          || pg_temp.hits(api.search('garden', p_cursor => api.search('garden', p_limit => 1) ->> 'nextCursor')), pg_temp.found('garden'), 'a page goes on behind the last one');
select throws_ok(format('select api.search(%L, p_cursor => %L)', 'garden', c), 'PT400', 'cursor_unknown', 'no cursor: ' || c)
from unnest(array['x', 'post:x', 'post:' || pg_temp.id('circles'), 'group:' || pg_temp.id('hidden'), 'poem:' || pg_temp.id('essay'), gen_random_uuid()::text]) c;
select is((select i ->> 'title' || ' ' || (i ->> 'slug') || ' ' || (i ->> 'excerpt') from json_array_elements(api.search('violin', 'wiki') -> 'items') i),
          'Music music Of <mark>violins</mark>', 'an entry of the wiki by its latest version');
select throws_ok('select * from private.search_words', '42501', null, 'nobody reads the lists');

select test.act_as('bob');
select is(pg_temp.found('garden', 'group'), 'hidden group', 'their owner finds both');
select is(pg_temp.found('garden few'), 'circles', 'and what was written for few');
select api.update_post(pg_temp.id('plants'), '{"body": "About violets"}'), api.delete_post(pg_temp.id('essay'));
select test.act_as('alice');
select is(pg_temp.found('cafe') || pg_temp.found('tulips') || ' ' || pg_temp.found('violet'), ' plants', 'what is not said any more finds nothing');
select test.act_as_owner();
select is((select count(*)::int from private.search_words where word = 'tulip'), 0, 'and is forgotten');
select is((select words::text from private.search_documents where gone_at is not null), '', 'but for its place');
update app.interests set name = 'Chamber music' where slug = 'music';
select test.act_as('alice');
select is((select i ->> 'title' || ' ' || (i ->> 'excerpt') from json_array_elements(api.search('chamber violins', 'wiki') -> 'items') i),
          'Chamber music Of <mark>violins</mark>', 'an entry by the name that its interest has now');
select test.act_as_owner();
update app.feature_flags set enabled = false where key = 'wiki';
select test.act_as('alice');
select is(json_array_length(api.search('violins') -> 'items') + json_array_length(api.search('violins', 'wiki') -> 'items'), 0, 'nothing of the wiki while it is switched off');
select test.act_as_owner();
update app.feature_flags set enabled = true where key = 'wiki';
select test.act_as('alice');
select is(json_array_length(api.search('violins') -> 'items'), 1, 'and all of it again once it is on');
select test.act_as_owner();
create temp table indexed as select number, ctid as place from private.search_documents where id = pg_temp.id('video');
update app.users set banned_at = now() where username = 'bob';
select is((select d.ctid from private.search_documents d join indexed i using (number)), (select place from indexed), 'a ban writes no words anew');
update app.users set banned_at = null where username = 'bob';
select test.act_as('alice');
select is(pg_temp.found('filming'), 'video', 'and its end brings back what it hid');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
update app.users set erased_at = now() where username = 'dora';
select test.act_as('alice');
select is(pg_temp.found('violet') || pg_temp.found('filming') || pg_temp.found('dora') || pg_temp.found('bob'), '', 'nothing of the banned and the erased');

-- whose lists: what some alone may see is in none of everybody's
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
create function pg_temp.scope(p_name text) returns text language sql stable security definer as $$
  select string_agg(distinct split_part(w.scope, ' ', 1) || case when w.scope like 'level%' then split_part(w.scope, ' ', 2) else '' end, ',')
  from private.search_documents d join private.search_words w using (number) where d.id = pg_temp.id(p_name) $$;
grant execute on function pg_temp.scope to public;
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('hidden') || ' ' || pg_temp.scope('group') || ' ' || pg_temp.scope('video'),
          'level1 private group video', 'a post for circles, a private group, and what is for everybody');
select test.act_as('bob');
select api.update_post(pg_temp.id('circles'), '{"visibility": "inner"}');
select is(pg_temp.scope('circles') || ' ' || pg_temp.found('garden few'), 'level2 circles', 'a post moves to the inner circle');
select api.update_post(pg_temp.id('circles'), '{"visibility": "public"}');
select is(pg_temp.scope('circles'), 'post', 'or to everybody');
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('circles');
update app.contents set removed_at = now() where id = pg_temp.id('video');
update app.spaces set visibility = 'public' where id = pg_temp.id('hidden');
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('video') || ' ' || pg_temp.scope('hidden'), 'level3 level3 group',
          'what staff took from others is in its author''s list alone, and a group that is opened in everybody''s');
select test.act_as('bob');
select is(pg_temp.found('garden few') || ' ' || pg_temp.found('filming'), 'circles video', 'and its author finds it');
select test.act_as_owner();
update app.posts set hidden_at = null where id = pg_temp.id('circles');
update app.contents set removed_at = null where id = pg_temp.id('video');
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('video'), 'post video', 'until it is shown again');

-- the lists of the banned
update app.users set banned_at = now() where username = 'bob';
select is((select data ->> 'userId' from pgboss.job where name = 'hidden-documents' order by created_on desc limit 1), test.id('bob')::text, 'the worker sees to what the banned wrote');
select private.hide_or_show_documents(json_build_object('userId', test.id('bob'))::jsonb);
select is(pg_temp.scope('circles'), null, 'it is in no list');
select is((select count(*)::int from private.name_trigrams where user_id = test.id('bob')), 0, 'nor is the name');
update app.posts set hidden_at = now() where id = pg_temp.id('plants');
update app.posts set hidden_at = null where id = pg_temp.id('plants');
select is(pg_temp.scope('plants'), null, 'nor does a change bring it back');
update app.users set banned_at = null where username = 'bob';
select private.hide_or_show_documents(json_build_object('userId', test.id('bob'))::jsonb);
select is(pg_temp.scope('circles') || ' ' || pg_temp.scope('plants') || ' ' || pg_temp.scope('video'), 'post post video', 'the end of the ban does');

-- texts and queries that take long
select test.act_as('bob');
select pg_temp.note('long', api.create_post(repeat('thyme sage ', 300) || 'sage sage thyme dill'));
select pg_temp.note('late', api.create_post(repeat('thyme sage ', 30) || 'sage thyme thyme'));
select test.settle();
select test.act_as('alice');
select is(pg_temp.found('"thyme thyme"', 'post'), 'late', 'a phrase is looked for in all places of a word');
select test.act_as_owner();
select is((select max(cardinality(w.positions)) from unnest(private.ranked_words(private.search_vector('mint', repeat('thyme sage ', 300)))) w), 16, 'but 16 rank it');
select is(private.ranked_words(private.search_vector('mint', 'thyme')), null, 'as do all of fewer');
select is((select max(octet_length(w.lexeme)) || ' ' || max(cardinality(w.positions)) from unnest(private.search_vector(repeat('½', 500), repeat('⑽', 4999) || ' ' || repeat('㎮', 600))) w), '800 24',
          'a word that unaccent makes longer than a tsvector can hold is cut: the server would not survive it');
select ok(private.search_vector('', repeat('ⅷ', 800) || ' dill') @@ to_tsquery('private.search', 'dill'), 'and what stands beside it is found');
select test.act_as('alice');
select is((select regexp_count(api.search('dill') #>> '{items,0,excerpt}', '<mark>dill</mark>')), 1, 'an excerpt is where the hit is');
select throws_ok(format('select api.search(%L)', repeat('a ', 16) || '-"' || repeat('b ', 17) || '"'), 'PT422', 'search_words', '33 words are too many');

select * from finish();
rollback;
