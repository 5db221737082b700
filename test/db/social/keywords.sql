-- Muted keywords: whose they are, how many, how long, and which texts they match.
begin;
select plan(98);
select test.people('alice', 'bob');

create function pg_temp.words(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'keyword', ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
-- Matches as the feed does: by the words of a text, and where words aren't enough by the text itself
create function pg_temp.found_in(p_texts text[], p_muted app.muted_words) returns boolean language sql security definer as $$
  select coalesce(w.words @@ p_muted.words, false)
      or coalesce(p_muted.pattern is not null and coalesce(w.words @@ p_muted.hint, true)
                  and private.has_phrase(p_texts, p_muted.pattern), false)
  from (select private.keyword_words(private.keyword_text(p_texts)) as words) w $$;
create function pg_temp.found(p_keyword text, p_text text) returns boolean language sql as $$
  select pg_temp.found_in(array[p_text], private.muted_words(array[private.fold(p_keyword)])) $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select ok(pg_temp.found(k, t), format('%s is found in %s', k, t)) from (values
  ('spoiler', 'a Spoiler!'), ('SPOILER', 'spoiler'), ('spoiler', '(spoiler)'), ('spoiler', e'a\nspoiler\nhere'),
  ('new york', e'in New\n  York'), ('café', 'the CAFE there'), ('cafe', 'au café'), ('cafe', e'cafe\u0301'),
  ('straße', 'STRASSE'), ('Ærø', 'aero'), ('o''brien', 'O''Brien said'), ('covid-19', 'Covid-19 again'), ('7', 'only 7 left'),
  ('война', 'ВОЙНА и мир'), ('елка', 'Ёлка'), ('λογος', 'ΛΌΓΟΣ'), ('λόγος', 'ο λογος'), ('חדשות', 'חֲדָשׁוֹת'),
  ('كتاب', 'كِتَابٌ'), ('हिन्दी', 'मैं हिन्दी बोलता'), ('বাংলা', 'আমি বাংলা।'),
  ('東京', '私は東京に住む'), ('ネタバレ', 'これはﾈﾀﾊﾞﾚです'), ('한국', '한국은'), ('ไทย', 'ประเทศไทยนี้'), ('剧透', '全是剧透啊'),
  ('iphone', '新しいiPhoneを買う'), ('ＡＢＣ', 'abc'),
  ('#tag', 'see #tag'), ('#tag', 'see x#tag'), ('c++', 'about C++, mostly'), ('c++', 'c++11'), ('🎉', 'yes🎉no'), ('a.b', 'x a.b y'),
  ('\', 'back\slash'), ('(', 'f(x)'), ('[a]', '[a]'), ('^', '2^3'), ('$', 'in $'), ('***', 'rated ***'), ('𠀋', 'in 𠀋 here')
) f (k, t);
select ok(not pg_temp.found(k, t), format('%s is not found in %s', k, t)) from (values
  ('spoiler', 'spoilers'), ('spoiler', 'nospoiler'), ('spoiler', 'spoiler_free'), ('new york', 'new-york'), ('new york', 'newyork'),
  ('cat', 'concatenate'), ('7', '17'), ('war', 'войwar'), ('мои', 'мой'), ('мир', 'кумир'), ('हिन', 'हिन्दी'), ('क', 'का'),
  ('c++', 'abc++'), ('#tag', '#tags'), ('a.b', 'acb'), ('か', 'が'), ('東京', '京東'), ('iphone', 'iphonesを'), ('.', 'no stop'), ('x', '')
) f (k, t);
select ok(not pg_temp.found_in(array['a text'], private.muted_words('{}')), 'Without keywords nothing matches');
select ok(pg_temp.found_in(array[null, 'two'], private.muted_words('{one,two,#three}')), 'Any of several keywords matches in any of several texts');
select ok(not pg_temp.found_in(array['new', 'york'], private.muted_words('{new york}')), 'A keyword never matches across two texts');

-- Acting as Alice, who mutes words
select is((api.mute_keyword('  Spoiler ')::jsonb) - '{id,createdAt}'::text[], '{"keyword": "Spoiler", "until": null}'::jsonb, 'A muted keyword is trimmed');
select is((api.mute_keyword('SPÖILER', now() + interval '1 day')::jsonb ->> 'id'), (select id::text from app.muted_keywords),
  'Muting a keyword again, with other letters or accents, returns the same keyword');
select isnt((select until from app.muted_keywords), null, 'Muting a muted keyword again sets the new end');
select is((select count(*)::int from app.muted_keywords), 1, 'There is still one keyword');
select throws_ok(format('select api.mute_keyword(%L, %s)', k, u), c, w, format('A keyword is refused: %s %s', left(k, 101), u)) from (values
  (repeat('x', 101), 'null', 'PT422', 'value_invalid'), (e' \t', 'null', 'PT422', 'keyword_empty'), ('', 'null', 'PT422', 'keyword_empty'), (e'\u0640', 'null', 'PT422', 'keyword_empty'),
  (repeat('ä', 1000000), 'null', 'PT422', 'value_invalid'), ('later', 'now()', 'PT422', 'keyword_until'), ('later', '''-infinity''', 'PT422', 'keyword_until'), ('later', '''infinity''', 'PT422', 'keyword_until')) f (k, u, c, w);
select is(api.mute_keyword(repeat(e'e\u0301', 100))::jsonb ->> 'keyword', repeat('é', 100), 'Combining marks count with their letters');
select throws_ok($$ select api.mute_keyword(repeat(e'e\u0301', 101)) $$, 'PT422', 'value_invalid', 'A keyword of 101 letters with marks is refused');
select api.unmute_keyword(id) from app.muted_keywords where length(keyword) = 100;
select is(api.mute_keyword(repeat(' ', 200) || 'indented' || repeat(' ', 200))::jsonb ->> 'keyword', 'indented', 'Surrounding blanks don''t count');
select api.unmute_keyword(id) from app.muted_keywords where keyword = 'indented';
select ok(pg_temp.found_in(array['a spoiler'], private.find_muted_words()), 'A keyword is in effect for the person who muted it');
select throws_ok($$ insert into app.muted_keywords (id, user_id, keyword, folded) values (gen_random_uuid(), test.id('bob'), 'x', 'x') $$,
  '42501', null, 'Nobody can mute a keyword for another person');

-- Acting as Bob
select test.act_as('bob');
select ok(not pg_temp.found_in(array['a spoiler'], private.find_muted_words()), 'A keyword is not in effect for other people');
select is(pg_temp.words(api.list_muted_keywords()), '', 'Other people don''t see the keyword');
select is(pg_temp.rows('delete from app.muted_keywords'), 0, 'Other people can''t delete the keyword');
select is(pg_temp.rows('update app.muted_keywords set until = null'), 0, 'Other people can''t change the keyword');

-- The list
select test.act_as('alice');
select pg_sleep(0.002), api.mute_keyword(k) from unnest(array['one', 'two', 'three']) k;
select is(pg_temp.words(api.list_muted_keywords()), 'three two one SPÖILER', 'Keywords are listed newest first');
select is(pg_temp.words(api.list_muted_keywords(2)), 'three two', 'A page has `limit` keywords');
create temp table made as select api.list_muted_keywords(2) ->> 'nextCursor' as next;
select api.unmute_keyword((select next from made)::uuid);
select is(pg_temp.words(api.list_muted_keywords(2, (select next from made))), 'one SPÖILER', 'The cursor stays valid when its keyword is unmuted');
select lives_ok($$ select api.unmute_keyword((select next from made)::uuid) $$, 'Unmuting twice is not an error');
select throws_ok(format('select api.list_muted_keywords(2, %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array['x', '', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok($$ select api.list_muted_keywords(51) $$, 'PT422', 'limit_out_of_range', 'A limit above 50 is refused');

-- An expired keyword has no effect and makes room
select test.act_as_owner();
update app.muted_keywords set until = now() where keyword = 'SPÖILER';
select test.act_as('alice');
select is(pg_temp.words(api.list_muted_keywords()), 'three one', 'An expired keyword isn''t listed');
select ok(not pg_temp.found_in(array['spoiler'], private.find_muted_words()), 'An expired keyword matches nothing');
select api.mute_keyword('more ' || n) from generate_series(1, 98) n;
select throws_ok($$ select api.mute_keyword('too many') $$, 'PT409', 'keywords_exhausted', 'A person can have at most 100 keywords');
select lives_ok($$ select api.mute_keyword('MORE 7') $$, 'Muting an existing keyword at the limit is not an error');
select api.unmute_keyword(id) from app.muted_keywords;
select api.mute_keyword(rpad(n::text, 100, 'x')) from generate_series(1, 20) n;
select throws_ok($$ select api.mute_keyword('x') $$, 'PT409', 'keywords_exhausted', 'All keywords together have at most 2000 characters');

select * from finish();
rollback;
