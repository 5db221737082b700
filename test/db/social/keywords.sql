-- Muted keywords: whose they are, how many, how long, and what they are found in.
begin;
select plan(98);
select test.people('alice', 'bob');

create function pg_temp.words(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'keyword', ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
-- as the feed looks: by the words of a text, and for what takes more by the text itself
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
select ok(pg_temp.found(k, t), format('%s is in %s', k, t)) from (values
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
select ok(not pg_temp.found(k, t), format('%s is not in %s', k, t)) from (values
  ('spoiler', 'spoilers'), ('spoiler', 'nospoiler'), ('spoiler', 'spoiler_free'), ('new york', 'new-york'), ('new york', 'newyork'),
  ('cat', 'concatenate'), ('7', '17'), ('war', 'войwar'), ('мои', 'мой'), ('мир', 'кумир'), ('हिन', 'हिन्दी'), ('क', 'का'),
  ('c++', 'abc++'), ('#tag', '#tags'), ('a.b', 'acb'), ('か', 'が'), ('東京', '京東'), ('iphone', 'iphonesを'), ('.', 'no stop'), ('x', '')
) f (k, t);
select ok(not pg_temp.found_in(array['a text'], private.muted_words('{}')), 'no keyword is in no text');
select ok(pg_temp.found_in(array[null, 'two'], private.muted_words('{one,two,#three}')), 'any of several, in any of several texts');
select ok(not pg_temp.found_in(array['new', 'york'], private.muted_words('{new york}')), 'and never across two texts');

-- Acting as Alice, who mutes words
select is((api.mute_keyword('  Spoiler ')::jsonb) - '{id,createdAt}'::text[], '{"keyword": "Spoiler", "until": null}'::jsonb, 'a keyword, trimmed');
select is((api.mute_keyword('SPÖILER', now() + interval '1 day')::jsonb ->> 'id'), (select id::text from app.muted_keywords), 'again it is the same one');
select isnt((select until from app.muted_keywords), null, 'with a new end');
select is((select count(*)::int from app.muted_keywords), 1, 'and one');
select throws_ok(format('select api.mute_keyword(%L, %s)', k, u), c, w, format('no keyword: %s %s', left(k, 101), u)) from (values
  (repeat('x', 101), 'null', 'PT422', 'value_invalid'), (e' \t', 'null', 'PT422', 'keyword_empty'), ('', 'null', 'PT422', 'keyword_empty'), (e'\u0640', 'null', 'PT422', 'keyword_empty'),
  (repeat('ä', 1000000), 'null', 'PT422', 'value_invalid'), ('later', 'now()', 'PT422', 'keyword_until'), ('later', '''-infinity''', 'PT422', 'keyword_until'), ('later', '''infinity''', 'PT422', 'keyword_until')) f (k, u, c, w);
select is(api.mute_keyword(repeat(e'e\u0301', 100))::jsonb ->> 'keyword', repeat('é', 100), 'combining marks behind their letters count with them');
select throws_ok($$ select api.mute_keyword(repeat(e'e\u0301', 101)) $$, 'PT422', 'value_invalid', 'and one more is too many');
select api.unmute_keyword(id) from app.muted_keywords where length(keyword) = 100;
select is(api.mute_keyword(repeat(' ', 200) || 'indented' || repeat(' ', 200))::jsonb ->> 'keyword', 'indented', 'blanks around it do not count');
select api.unmute_keyword(id) from app.muted_keywords where keyword = 'indented';
select ok(pg_temp.found_in(array['a spoiler'], private.find_muted_words()), 'it holds for her');
select throws_ok($$ insert into app.muted_keywords (id, user_id, keyword, folded) values (gen_random_uuid(), test.id('bob'), 'x', 'x') $$,
  '42501', null, 'and nobody mutes for another');

-- Acting as Bob
select test.act_as('bob');
select ok(not pg_temp.found_in(array['a spoiler'], private.find_muted_words()), 'not for others');
select is(pg_temp.words(api.list_muted_keywords()), '', 'who do not see it');
select is(pg_temp.rows('delete from app.muted_keywords'), 0, 'or lift it');
select is(pg_temp.rows('update app.muted_keywords set until = null'), 0, 'or change it');

-- the list
select test.act_as('alice');
select pg_sleep(0.002), api.mute_keyword(k) from unnest(array['one', 'two', 'three']) k;
select is(pg_temp.words(api.list_muted_keywords()), 'three two one SPÖILER', 'newest first');
select is(pg_temp.words(api.list_muted_keywords(2)), 'three two', 'a page');
create temp table made as select api.list_muted_keywords(2) ->> 'nextCursor' as next;
select api.unmute_keyword((select next from made)::uuid);
select is(pg_temp.words(api.list_muted_keywords(2, (select next from made))), 'one SPÖILER', 'its cursor holds when that keyword is lifted');
select lives_ok($$ select api.unmute_keyword((select next from made)::uuid) $$, 'lifting it again is no error');
select throws_ok(format('select api.list_muted_keywords(2, %L)', c), 'PT400', 'cursor_unknown', 'no cursor: ' || c)
from unnest(array['x', '', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok($$ select api.list_muted_keywords(51) $$, 'PT422', 'limit_out_of_range', 'no limit');

-- what is over holds no more, and makes room
select test.act_as_owner();
update app.muted_keywords set until = now() where keyword = 'SPÖILER';
select test.act_as('alice');
select is(pg_temp.words(api.list_muted_keywords()), 'three one', 'a keyword ends');
select ok(not pg_temp.found_in(array['spoiler'], private.find_muted_words()), 'and is muted no more');
select api.mute_keyword('more ' || n) from generate_series(1, 98) n;
select throws_ok($$ select api.mute_keyword('too many') $$, 'PT409', 'keywords_exhausted', 'at most 100');
select lives_ok($$ select api.mute_keyword('MORE 7') $$, 'one that is there changes nothing');
select api.unmute_keyword(id) from app.muted_keywords;
select api.mute_keyword(rpad(n::text, 100, 'x')) from generate_series(1, 20) n;
select throws_ok($$ select api.mute_keyword('x') $$, 'PT409', 'keywords_exhausted', 'with 2000 characters in all');

select * from finish();
rollback;
