-- How a search parses a query, and which lists it reads. docs/decisions.md, Discovery.

create type private.search_query as (
  words text[], query tsquery, without tsquery, ranking tsquery, highlight tsquery, said text, interests uuid[]
);
comment on type private.search_query is
  'A parsed query. words: up to 4 words that must all occur; in each scope the search reads the list of the rarest. '
  'query: the whole query, with phrases. without: words and phrases that must not occur, null for none. ranking: '
  'the words by which results are ranked. highlight: the words and phrases that an excerpt highlights. said: the '
  'text of the query, for the search of names. interests: results are about one of these; null for any.';

insert into private.errors (code, status, text) values
  ('search_words', 422, 'A search can have at most 32 words.');

create function private.read_query(p_q text, p_interests uuid[]) returns private.search_query
language plpgsql stable
set search_path = ''
as $$
declare
  v_query private.search_query;
  v_part  text[];
  v_text  text;
  v_one   tsquery;
  v_many  integer;
  v_all   integer := 0;
  v_highlight integer := 0;
begin
  v_query.interests := p_interests;
  for v_part in select regexp_matches(left(p_q, 200), '(-?)(?:"([^"]*)"|(\S+))', 'g') loop
    v_text := coalesce(v_part[2], v_part[3]);
    v_one := phraseto_tsquery('private.search', private.parsable(v_text));
    v_many := (numnode(v_one) + 1) / 2;   -- numnode also counts operators, and there is one between every two words
    continue when v_many = 0;
    v_all := v_all + v_many;
    if v_part[1] = '-' then
      v_query.without := case when v_query.without is null then v_one else v_query.without || v_one end;
    else
      v_query.query := case when v_query.query is null then v_one else v_query.query && v_one end;
      v_query.words := v_query.words || tsvector_to_array(to_tsvector('private.search', private.parsable(v_text)));
      v_query.said := concat_ws(' ', v_query.said, v_text);
      if v_highlight + v_many <= 8 then
        v_highlight := v_highlight + v_many;
        v_query.highlight := case when v_query.highlight is null then v_one else v_query.highlight || v_one end;
      end if;
    end if;
  end loop;
  if v_all > 32 then
    perform private.raise_error('search_words');
  end if;
  -- the longest words are usually the rarest
  v_query.words := array(select w.word from (select distinct unnest(v_query.words) as word) w
                         order by length(w.word) desc, w.word limit 4);
  v_query.ranking := (select string_agg(private.quoted_word(w), ' & ') from unnest(v_query.words) w)::tsquery;
  v_query.highlight := coalesce(v_query.highlight, v_query.ranking);
  return v_query;
end $$;
comment on function private.read_query is
  'Parses a query: words, "phrases", and -exclusions, at most 32 words. Other punctuation has no meaning. To limit '
  'the work, results are ranked by the 4 longest words only, and an excerpt highlights only the first words and '
  'phrases, up to 8 words.';

create function private.search_scopes(p_types text[]) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_scopes text[] := p_types;
  v_kinds  text[] := array(select distinct k from private.search_types t, unnest(t.scopes) k
                           where t.type = any (p_types));
begin
  if 'space' = any (v_kinds) then
    v_scopes := v_scopes || array(
      select 'space ' || m.space_id from app.space_members m where m.user_id = v_me limit 1000);
  end if;
  if 'private' = any (v_kinds) then
    v_scopes := v_scopes || array(
      select 'private ' || m.space_id
      from (select space_id from app.space_members where user_id = v_me limit 1000) m
      join app.spaces s on s.id = m.space_id
      where s.visibility = 'private'
      union   -- removes duplicates, because a member may also have an invitation
      select 'private ' || i.space_id
      from (select space_id from app.space_invitations where invitee_id = v_me and status = 'pending'
            order by created_at desc, id desc limit 100) i);
  end if;
  if 'level' = any (v_kinds) then
    v_scopes := v_scopes || array(
      select 'level ' || n || ' ' || a.author_id
      from (select v_me as author_id, 3 as level
            union all
            (select author_id, level from app.audience
             where viewer_id = v_me and level > 0 and author_id <> v_me order by author_id limit 1000)) a
      cross join lateral generate_series(1, a.level) n);
  end if;
  return v_scopes;
end $$;
comment on function private.search_scopes is
  'Returns the scopes in which the caller may find things of these types. These are the scope for everybody of each '
  'type; the caller''s groups and guilds, up to 1000; the private groups and guilds themselves in which the caller '
  'is a member, or into which one of their newest 100 invitations leads; the levels of up to 1000 people who have '
  'the caller in a circle; and the caller''s own levels.';
call private.force_index_scans('private.search_scopes');

create type private.search_lead as (scope text, word text);
comment on type private.search_lead is 'The list to read for a scope: the list of its rarest word.';

create function private.search_leads(p_scopes text[], p_words text[], p_before bigint) returns private.search_lead[]
language plpgsql stable
set search_path = ''
as $$
declare
  -- if there is only one word, it only matters whether the word occurs in the scope
  v_most integer := case when cardinality(p_words) = 1 then 1 else
    greatest(2, least(100, 5000 / greatest(1, cardinality(p_scopes) * cardinality(p_words)))) end;
begin
  return array(
    select (c.scope, r.word)::private.search_lead
    from unnest(p_scopes) c (scope)
    cross join lateral (
      select w.word, (select count(*) from (select from private.search_words s
                                            where s.scope = c.scope and s.word = w.word and s.number < p_before
                                            order by s.number desc limit v_most) n) as many
      from unnest(p_words) with ordinality as w (word, place)
      order by many, w.place limit 1) r
    where r.many > 0);
end $$;
comment on function private.search_leads is
  'Returns for each scope the word with the fewest documents before p_before. Leaves out scopes in which one of the '
  'words does not occur. It counts up to 100 documents per word and scope. With many scopes and words it counts '
  'fewer, about 5000 in total, but at least 2 per word and scope.';
call private.force_index_scans('private.search_leads');
