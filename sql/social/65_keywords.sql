-- Muted keywords are words, in any script, that a person does not want to read. docs/decisions.md, Circles and blocks.

create table app.muted_keywords (
  id         uuid primary key,
  user_id    uuid not null references app.users on delete cascade,
  keyword    text not null check (length(keyword) between 1 and 100),
  folded     text not null,
  until      timestamptz,
  created_at timestamptz not null default now(),
  constraint keyword_empty check (folded <> ''),
  unique (user_id, folded)
);
create index muted_keywords_user_id_idx on app.muted_keywords (user_id, id desc);
comment on table app.muted_keywords is
  'Keywords that a person''s feed leaves out, permanently or until a time. id contains the time of creation, so '
  'that it is also the place in the list.';
comment on column app.muted_keywords.until is 'When the mute ends; null if it has no end.';
comment on column app.muted_keywords.folded is
  'private.fold of the keyword. Comparisons use it, so that different spellings of a word are equal.';

insert into private.errors (code, status, text) values
  ('keyword_empty', 422, 'A keyword must have at least one letter, digit or symbol that can be found in a text.'),
  ('keyword_until', 422, 'until must be in the future, and before 9999-12-31.'),
  ('keywords_exhausted', 409, 'You can mute at most 100 keywords, with at most 2000 characters in total.');

insert into private.lock_kinds (kind, position) values ('keywords', 450);

create function private.fold(p_text text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if octet_length(p_text) = length(p_text) then
    return lower(p_text);   -- for ASCII, this form takes a tenth of the time
  end if;
  -- removes case and accents, but keeps й and и different; Hebrew points and Arabic vowel signs are rarely written
  return translate(
    extensions.unaccent(lower(normalize(
      regexp_replace(p_text, '[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]', '', 'g'),
      nfkc) collate pg_catalog.pg_c_utf8)),
    'ς', 'σ');
end $$;
comment on function private.fold is
  'A text in the form in which words are compared: lower case, without accents, points and vowel signs, and with '
  'full-width and half-width characters made equal.';

create function private.fold_keyword(p_keyword text) returns text
language plpgsql stable
set search_path = ''
as $$ begin return btrim(regexp_replace(private.fold(p_keyword), '\s+', ' ', 'g')); end $$;
comment on function private.fold_keyword is 'A keyword in folded form, with single spaces.';

create function private.fold_query(p_text text) returns text
language plpgsql stable
set search_path = ''
as $$ begin return private.fold(left(private.trimmed(p_text), 1000)); end $$;
comment on function private.fold_query is
  'A search text, folded once for all comparisons. Only the first 1000 characters count, because folding a megabyte '
  'takes half a second; no name, title or city is longer. Null stays null.';

create function private.keyword_edge() returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  -- scripts without spaces between words: Thai to Myanmar, Khmer, Kana and Han; Hangul, which adds particles to words
  v_unspaced constant text :=
    '\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff'
    || '\uf900-\ufaff\U00020000-\U0003ffff';
  -- letters, digits, and signs that are no letters themselves but occur within words of Indian scripts
  v_word constant text :=
    '[:alnum:]_\u093c\u094d\u09bc\u09cd\u0a3c\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca';
begin
  return '[^' || v_word || ']|[' || v_unspaced || ']';
end $$;
comment on function private.keyword_edge is
  'A pattern for what separates words: everything but letters and digits, and every character of a script without '
  'spaces.';

create function private.keyword_words(p_folded text) returns tsvector
language plpgsql immutable
set search_path = ''
as $$
begin
  return array_to_tsvector(array(
    select w from unnest(string_to_array(
      regexp_replace(p_folded collate pg_catalog.pg_c_utf8, '(?:' || private.keyword_edge() || ')+', ' ', 'g'),
      ' ')) w
    where length(w) between 1 and 500));   -- lexemes have a maximum length, and every keyword is shorter
end $$;
comment on function private.keyword_words is 'The distinct words of a folded text.';

create function private.keyword_pattern(p_keywords text[]) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_edge constant text := private.keyword_edge();
begin
  return (
    select string_agg(case when g.opens then '(?:^|' || v_edge || ')' else '' end || '(?:' || g.words || ')'
                      || case when g.closes then '(?:$|' || v_edge || ')' else '' end, '|')
    from (select w.opens, w.closes, string_agg(w.word, '|') as words
          from (select left(k, 1) collate pg_catalog.pg_c_utf8 !~ v_edge as opens,
                       right(k, 1) collate pg_catalog.pg_c_utf8 !~ v_edge as closes,
                       regexp_replace(regexp_replace(k, '[.*+?^${}()|\[\]\\]', '\\\&', 'g'), '\s+', '\s+', 'g') as word
                from unnest(p_keywords) k) w
          group by w.opens, w.closes) g);
end $$;
comment on function private.keyword_pattern is
  'One pattern that matches any of these folded keywords; null if there are none. A keyword must match whole words, '
  'with one exception. If its first or last character belongs to a script without spaces, or is neither a letter '
  'nor a digit (#tag, c++), the keyword may match within a word on that side.';

create type app.muted_words as (words tsquery, hint tsquery, pattern text);
comment on type app.muted_words is
  'Keywords in the form that searches use. words: the keywords of one word each, which are matched only against a '
  'text''s words. pattern: all other keywords; null if there are none. hint: a query that a text''s words must '
  'match before the pattern is tried; null means that the pattern is always tried.';

create function private.muted_words(p_keywords text[]) returns app.muted_words
language plpgsql immutable
set search_path = ''
as $$
declare
  v_muted app.muted_words;
begin
  select string_agg(quote_literal(k.words[1]), ' | ') filter (where k.plain)::tsquery,
         case when bool_and(k.words <> '{}') filter (where not k.plain)
              then (string_agg((select '(' || string_agg(quote_literal(w), ' & ') || ')' from unnest(k.words) w),
                               ' | ') filter (where not k.plain))::tsquery end,
         private.keyword_pattern(array_agg(k.keyword) filter (where not k.plain))
  into v_muted.words, v_muted.hint, v_muted.pattern
  from (select e.keyword, e.words, e.words = array[e.keyword] as plain
        from (select w as keyword, tsvector_to_array(private.keyword_words(w)) as words
              from unnest(p_keywords) w) e) k;
  return v_muted;
end $$;
comment on function private.muted_words is 'Folded keywords in the form that searches use.';

create function private.find_muted_words() returns app.muted_words
language plpgsql stable   -- runs as the invoker: policies show only the caller's own keywords
set search_path = ''
as $$
begin
  return private.muted_words(array_agg(folded))
  from app.muted_keywords where user_id = app.uid() and (until is null or until > now())
  having count(*) > 0;
end $$;
comment on function private.find_muted_words is
  'The caller''s muted keywords in the form that searches use; null if there are none. A query that filters by them '
  'calls this once.';

create function private.keyword_text(p_texts text[]) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- the separator is not a space, so that no keyword can match across two texts. The length is limited, so that a long
  -- text does not slow down everyone who has muted a word
  return left(private.fold(left(array_to_string(p_texts, e'\x1f'), 5000)), 10000);
end $$;
comment on function private.keyword_text is
  'The first 5000 characters of these texts (without nulls), folded, in which keywords are searched.';

create function private.has_phrase(p_texts text[], p_pattern text) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin return private.keyword_text(p_texts) collate pg_catalog.pg_c_utf8 ~ p_pattern; end $$;
comment on function private.has_phrase is
  'Returns whether these texts contain a keyword of a pattern (private.keyword_pattern).';

create function private.timed_id() returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ms bytea := substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3);
begin
  -- a UUID of version 7 has the time, then random bits
  return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing v_ms from 1 for 6), 52, 1), 53, 1),
                'hex')::uuid;
end $$;
comment on function private.timed_id is
  'An id that contains the time of its creation, so that later ids are greater. It works as a cursor even if its '
  'row is deleted.';

create function private.limit_keywords() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('keywords', new.user_id::text);
  if (select count(*) >= 100 or sum(length(folded)) + length(new.folded) > 2000
      from app.muted_keywords where user_id = new.user_id and folded <> new.folded) then
    perform private.raise_error('keywords_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_keywords is
  'Trigger: rejects a keyword if the person would have more than 100, or more than 2000 characters in total.';
create trigger limit_keywords before insert on app.muted_keywords
  for each row execute function private.limit_keywords();

create view app.muted_keyword_card with (security_invoker) as
select k.id, json_build_object('id', k.id, 'keyword', k.keyword, 'until', private.utc(k.until),
                               'createdAt', private.utc(k.created_at)) as card
from app.muted_keywords k;
comment on view app.muted_keyword_card is 'A muted keyword: {id, keyword, until, createdAt}.';

create function api.mute_keyword(p_keyword text, p_until timestamptz default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept    json := private.begin_idempotent('mute_keyword', json_build_array(p_keyword, p_until));
  v_keyword text;
  v_folded  text;
  v_id      uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  -- 100 characters in NFC have at most 400 before normalization; check this first, because folding a megabyte takes
  -- half a second
  if length(btrim(p_keyword)) > 400 then
    perform private.raise_error('value_invalid');
  end if;
  v_keyword := private.require_name(p_keyword);
  v_folded := private.fold_keyword(v_keyword);
  if p_until is not null and not private.is_ahead(p_until) then
    perform private.raise_error('keyword_until');
  end if;
  delete from app.muted_keywords where user_id = app.uid() and until <= now();   -- ended keywords must not count
  insert into app.muted_keywords (id, user_id, keyword, folded, until)
  values (private.timed_id(), private.require_caller(), v_keyword, v_folded, p_until)
  on conflict (user_id, folded) do update set keyword = excluded.keyword, until = excluded.until
  returning id into v_id;
  return private.finish_idempotent('mute_keyword', (select card from app.muted_keyword_card where id = v_id));
end $$;
comment on function api.mute_keyword is
  'Mutes a keyword, permanently or until a time. Muting it again changes the time. Fails: keyword_empty, '
  'keywords_exhausted, value_invalid (more than 100 characters).';

create function api.unmute_keyword(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.muted_keywords where id = p_id and user_id = private.require_caller();
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unmute_keyword is 'Unmutes a keyword. Repeating it, or an unknown id, changes nothing.';

create function api.list_muted_keywords(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from uuid := coalesce(private.require_cursor(p_cursor), 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_ids  uuid[];
begin
  if p_cursor is not null and substr(v_from::text, 15, 1) <> '7' then
    perform private.raise_error('cursor_unknown');   -- private.timed_id makes no such id
  end if;
  v_ids := array(select id from app.muted_keywords
                 where user_id = private.require_caller() and id < v_from and (until is null or until > now())
                 order by id desc limit 51);
  return private.page(
    (select json_agg(card order by id desc) from app.muted_keyword_card where id = any (v_ids[:p_limit])),
    v_ids::text[], p_limit);
end $$;
comment on function api.list_muted_keywords is 'The caller''s muted keywords that have not ended, newest first.';
