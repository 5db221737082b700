-- Texts: what can be stored, and in which form. E'' and U&'' show the characters that an editor does not.
begin;
select plan(137);
select test.people('alice', 'bob');

-- What is stored unchanged, in names and in bodies
select is(private.require_name(t), t, format('%s is a valid name, stored unchanged', t)) from (values
  ('Ada'), ('O''Neil-Łuczak'), ('José'), ('!'), ('0'), ('例子'), ('한국'), ('ไทย'), ('हिन्दी'), ('עברית'), ('שָׁלוֹם'), ('مُحَمَّد'),
  ('می‌خواهم'),                      -- Persian, with a non-joiner
  ('👍'), ('👍🏽'), ('❤️'), ('👩‍👩‍👧‍👦'), ('🏳️‍🌈'), ('🇩🇪'), ('1️⃣'), ('🏴󠁧󠁢󠁥󠁮󠁧󠁿'),
  (U&'abc \200E\05D0\200F'),          -- signs of direction
  (U&'soft\00ADhyphen'), (U&'a\00A0b'), (U&'x\200By'), ('𠀋')
) v (t);
select is(private.require_text(t), t, format('%s is stored unchanged', what)) from (values
  ('a line end', e'two\nlines'), ('a tab', e'a\tb'), ('a line end of DOS', e'dos\r\nlines'), ('U+2028', U&'line\2028separator'),
  ('null', null), ('an empty text', '')
) v (what, t);

-- Markdown
select is(private.require_markdown(t), w, format('In Markdown, %s', what)) from (values
  ('an indent and a final line end are kept', e'    code\n\tmore\n', e'    code\n\tmore\n'), ('line ends become line feeds', e'a\r\nb\rc\n', e'a\nb\nc\n'),
  ('letters are not normalized', U&'Jose\0301', U&'Jose\0301'), ('blanks alone become empty', e' \t\r\n', ''), ('null', null, null), ('an empty one', '', '')
) v (what, t, w);
select throws_ok(format('select private.require_markdown(%L)', t), 'PT422', 'text_unfit', 'Markdown that is invisible, or changes the direction of writing, is refused')
from unnest(array[U&'\00A0', U&' \200B ', U&'a\202Eb', U&'a\0007']) t;

-- Normalization
select is(private.require_text(U&'Jose\0301'), U&'Jos\00E9', 'A combining accent is joined with its letter');
select is(length(private.require_text(repeat(U&'e\0301', 200000))), 200000, 'Texts of up to 100,000 letters with an accent each are normalized');
select is(length(private.require_text(repeat(U&'e\0301', 200001))), 400002, 'A longer text is not normalized, and '
  'the length check refuses it');
select is(length(private.require_name(repeat(U&'e\0301', 2000))), 2000, 'A name of up to 2,000 letters with an accent each is normalized');
select is(length(private.require_name(repeat(U&'e\0301', 2001))), 4002, 'A longer name is not normalized, because it is too long anyway');
select is(private.require_name(repeat(' ', 5000) || 'Zoë'), 'Zoë', 'A name is trimmed before its length is checked');
select is(private.require_text(normalize('한국', nfd)), '한국', 'Hangul is composed into syllables');
select is(private.require_text(normalize('Việt Nam', nfd)), 'Việt Nam', 'A letter with two accents is composed');
select is(private.require_text(normalize('שָׁלוֹם', nfd)) is nfc normalized, true, 'Hebrew points are put into canonical order');
select is(private.require_name(U&'A\030A\0301'), U&'\01FA', 'Names are normalized too');
select is(private.require_text('ﬁ ² ＡＢＣ'), 'ﬁ ² ＡＢＣ', 'Characters that only look alike are not replaced');
select is(private.require_text(e' \r\n\t Ada \n'), 'Ada', 'A text is trimmed');
select is(private.require_name(e' \n Ada \t'), 'Ada', 'A name is trimmed');
select is(private.require_name(e' \n '), '', 'A name of blanks becomes empty');

-- Invisible texts
select throws_ok(format('select private.require_text(%L)', t), 'PT422', 'text_unfit', format('A text with nothing visible is refused: %s', encode(t::bytea, 'hex')))
from (values
  (U&'\200B'), (U&'\200B\200C\200D'), (U&'\00AD'), (U&'\2060'), (U&'\FEFF'), (U&'\FE0F'), (U&'\FE00'), (U&'\115F\1160'), (U&'\3164'),
  (U&'\FFA0'), (U&'\2800'), (U&'\00A0'), (U&'\3000'), (U&'\2003 \2009'), (U&'\200E\200F'), (U&'\061C'), (U&'\034F'), (U&'\180E'),
  (U&'\2028'), (U&' \200B '), (U&'\+0E0067\+0E007F'), (U&'\2062\2063'), (U&'\+0E0100')
) v (t);

-- Control characters, and characters that change the direction of writing
select throws_ok(format('select private.require_text(%L)', 'a' || chr(c) || 'b'), 'PT422', 'text_unfit', format('U+%s is refused in a text', to_hex(c)))
from unnest(array[1, 7, 8, 11, 12, 14, 27, 31, 127, 128, 133, 159]
            || array(select * from generate_series(x'202a'::int, x'202e'::int))
            || array(select * from generate_series(x'2066'::int, x'2069'::int))) c;
select throws_ok(format('select private.require_name(%L)', 'a' || chr(c) || 'b'), 'PT422', 'text_unfit', format('U+%s is refused in a name', to_hex(c)))
from unnest(array[9, 10, 13, 27, 133, 8232, 8233, 8238]) c;

-- Very many combining marks, which would take seconds to sort
select throws_ok($$ select private.require_text('a' || repeat(U&'\0301\0316', 50000)) $$, 'PT422', 'text_unfit', 'A letter with thousands of combining marks is refused');
select is(private.require_text(t), t, format('5000 characters of %s are accepted', what)) from (values
  ('emoji', repeat('👩‍👩‍👧‍👦', 700)), ('ideographs', repeat('例', 5000)), ('lines', repeat('─', 5000)), ('Arabic', repeat('مُحَمَّد ', 600) || 'x')
) v (what, t);
select is(private.require_text(repeat(normalize('한국', nfd), 2500)), repeat('한국', 2500), 'Decomposed Korean is accepted and composed');

-- Every operation that takes a text checks it
select test.act_as('alice');
create function pg_temp.refused(p_call text) returns text language sql as $$
  select throws_ok('select ' || format(p_call, U&'x\202Ey'), 'PT422', 'text_unfit', p_call) $$;
select pg_temp.refused(c) from (values
  ('api.update_me(jsonb_build_object(''firstName'', %L))'), ('api.update_me(jsonb_build_object(''lastName'', %L))'),
  ('api.update_me(jsonb_build_object(''city'', %L))'), ('api.update_me(jsonb_build_object(''about'', %L))'),
  ('api.create_persona(%L)'), ('api.create_persona(''Poet'', %L)'), ('api.create_circle(%L)'),
  ('api.create_post(%L)'), ('api.create_post(''Words.'', ''essay'', %L)'),
  ('api.create_post(p_format => ''photo'', p_media => jsonb_build_array(jsonb_build_object(''url'', ''https://a.example/1'', ''alt'', %L)))'),
  ('api.create_post(''Which?'', p_poll => jsonb_build_object(''options'', jsonb_build_array(''One'', %L)))'),
  ('api.create_series(%L)'), ('api.create_series(''Letters'', %L)'), ('api.mute_keyword(%L)'),
  ('api.report(''user'', ''bob'', %L)'), ('api.create_appeal(null, %L)'), ('api.vote_reputation(''bob'', null, 1, %L)')
) v (c);
create temporary table made as select
  (api.create_persona('Poet') ->> 'id')::uuid as persona, (api.create_circle('Kin') ->> 'id')::uuid as circle,
  (api.create_post('Hello') ->> 'id')::uuid as post;
select pg_temp.refused(format(c, persona, circle, post, '%L')) from made, (values
  ('api.update_persona(%1$L, jsonb_build_object(''name'', %4$s))'), ('api.update_persona(%1$L, jsonb_build_object(''about'', %4$s))'),
  ('api.update_circle(%2$L, jsonb_build_object(''name'', %4$s))'), ('api.update_post(%3$L, jsonb_build_object(''body'', %4$s))'),
  ('api.create_reply(%3$L, %4$s)'), ('api.repost(%3$L, %4$s)')
) v (c);

select * from finish();
rollback;
