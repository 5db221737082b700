-- The index of the search by words. Each thing is a document with a number, which follows the order of time, and a
-- scope, which says who may find it. For each scope and each word there is a list of the documents that contain the
-- word. A search reads the lists of the caller's scopes, newest first, and stops when it has enough. It never reads
-- documents of other scopes. An index on the words alone (GIN) would read all documents with a word, no matter who may
-- see them. docs/decisions.md, Discovery.

create text search dictionary private.search_stem (template = pg_catalog.snowball, language = english);
comment on text search dictionary private.search_stem is
  'Reduces English words to their stems. The dictionary has no stop words, because English stop words can be '
  'important words in other languages.';
create text search configuration private.search (copy = pg_catalog.simple);
alter text search configuration private.search
  alter mapping for asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart
  with extensions.unaccent, private.search_stem;
comment on text search configuration private.search is
  'Splits texts and queries into words. Case, accents and word forms make no difference.';

create table private.search_types (
  type    text primary key check (type ~ '^[a-z]+$'),
  texts   text not null check (texts ~ '^private\.[a-z_]+$'),
  visible regclass not null,
  cards   text not null check (cards ~ '^private\.[a-z_]+$'),
  scopes  text[] not null default '{}' check (scopes <@ '{space,level,private}')
);
comment on table private.search_types is
  'Registry: the types of things that the search finds. texts(uuid[]) returns {id, author, scope, title, body, '
  'interests} of the things that exist, for any caller. visible is a view of the ids that the caller may see. '
  'cards(uuid[]) returns their cards, in order. Code that writes a thing of a type, or changes who may see it, calls '
  'private.index_for_search. test/db/discovery/search.sql fails if a kind of contents is missing here.';
comment on column private.search_types.scopes is
  'The kinds of scopes that things of the type can have besides the type itself, which is the scope for everybody: '
  'private.search_scopes.';

create type private.search_text as (id uuid, author uuid, scope text, title text, body text, interests uuid[]);
comment on type private.search_text is
  'A thing as the index needs it. author is null if the thing has none; scope is null if no search by words finds '
  'the thing.';

insert into private.lock_kinds (kind, position) values ('search document', 800);

create function private.search_scope(p_type text, p_author uuid, p_level integer, p_space uuid) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_level > 0 then 'level ' || p_level || ' ' || p_author
              when p_space is not null then 'space ' || p_space
              else p_type end;
end $$;
comment on function private.search_scope is
  'Returns the scope of what somebody wrote, from its required level and its space. "level n author" is for people '
  'with at least level n to the author, "space id" for the members of the space, and the type itself for everybody. '
  'Bans do not change it: see private.hide_or_show_documents.';

create table private.search_documents (
  number    bigint generated always as identity primary key,
  type      text not null references private.search_types on delete restrict,
  id        uuid not null,
  author_id uuid references app.users on delete restrict,
  hidden    boolean not null default false,
  scope     text,
  interests uuid[] not null default '{}',
  words     tsvector not null default '',
  ranked    tsvector,
  gone_at   timestamptz,
  unique (type, id)
);
create index search_documents_gone_at_idx on private.search_documents (gone_at) where gone_at is not null;
create index search_documents_author_id_idx on private.search_documents (author_id, id) where author_id is not null;
comment on table private.search_documents is
  'The things that can be found, each with its words and a number, which follows the order of time. 500 numbers are a '
  'block. Results of newer blocks come first, and within a block the best match comes first.';
comment on column private.search_documents.author_id is 'Who wrote the thing; null for people, spaces and the wiki.';
comment on column private.search_documents.hidden is
  'Whether the author is banned. If so, the document is in no list (private.hide_or_show_documents).';
comment on column private.search_documents.scope is
  'The scope whose lists contain the document (private.search_scopes). Null if it is in no list.';
comment on column private.search_documents.ranked is
  'For ranking: the words with at most 16 positions each; null if no word has more than 16 positions. See '
  'private.ranked_words.';
comment on column private.search_documents.gone_at is
  'When the thing was deleted; null until then. Its words are deleted with it. The row stays for a day, for cursors '
  'that name the thing.';
insert into private.retention (relation, counts_from, keep) values
  ('private.search_documents', 'gone_at', '1 day');

create table private.search_words (
  scope  text collate "C" not null,
  word   text collate "C" not null,
  number bigint not null,
  primary key (scope, word, number)
);
comment on table private.search_words is 'For each word of each scope, the list of documents that contain it.';

create function private.searchable(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  -- a word in a tsvector can have at most 2046 bytes, and unaccent turns one character into up to 5 bytes ("½" becomes
  -- " 1/2"). Postgres does not check the result, and a server that reads a longer word crashes
  return regexp_replace(private.parsable(p_text), '(\S{200})', '\1 ', 'g');
end $$;
comment on function private.searchable is
  'Prepares a text for the parser of words: see private.parsable. Words of more than 200 characters are cut into '
  'pieces.';

create function private.search_vector(p_title text, p_body text) returns tsvector
language plpgsql stable
set search_path = ''
as $$
begin
  return setweight(to_tsvector('private.search', private.searchable(left(p_title, 500))), 'A')
         || setweight(to_tsvector('private.search', private.searchable(left(p_body, 5000))), 'D');
end $$;
comment on function private.search_vector is
  'The words of a title and of the first 5000 characters of a text, with their positions.';

create function private.quoted_word(p_word text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return '''' || replace(replace(p_word, e'\\', e'\\\\'), '''', '''''') || '''';
end $$;
comment on function private.quoted_word is 'A word in the form in which it is written in a tsvector or a tsquery.';

create function private.ranked_words(p_words tsvector) returns tsvector
language plpgsql immutable
set search_path = ''
as $$
begin
  if not exists (select from unnest(p_words) w where cardinality(w.positions) > 16) then
    return null;
  end if;
  return (
    select string_agg(private.quoted_word(w.lexeme) || ':' || array_to_string(array(
             select p.place || p.weight from unnest(w.positions[:16], w.weights[:16]) as p (place, weight)), ','), ' ')
    from unnest(p_words) w)::tsvector;
end $$;
comment on function private.ranked_words is
  'Returns these words with the first 16 positions of each, or null if none has more than 16. The reason for the '
  'limit is that ranking multiplies the numbers of positions of every two words. A search for a phrase still uses '
  'all positions.';

create function private.index_for_search(p_type text, p_ids uuid[]) returns void
language plpgsql volatile security definer   -- callers may not write the index
set search_path = ''
as $$
declare
  v_id       uuid;
  v_text     private.search_text;
  v_document private.search_documents;
  v_new      private.search_documents;
  v_kept     text[];
begin
  perform private.check_lock_order('search document');
  for v_id in select distinct u.id from unnest(p_ids) u (id) order by u.id loop
    insert into private.search_documents (type, id) values (p_type, v_id) on conflict (type, id) do nothing;
    select * into v_document from private.search_documents where type = p_type and id = v_id for update;
    -- read after the lock, so that a call that waited sees the latest state. All columns are null if the thing does
    -- not exist
    execute format('select t.* from %s($1) t', (select t.texts from private.search_types t where t.type = p_type))
    into v_text using array[v_id];
    v_new := v_document;
    v_new.author_id := coalesce(v_text.author, v_document.author_id);
    v_new.scope := case when not v_document.hidden then v_text.scope end;
    v_new.words := private.search_vector(v_text.title, v_text.body);
    v_new.ranked := private.ranked_words(v_new.words);
    v_new.interests := coalesce(v_text.interests, '{}');
    v_new.gone_at := case when v_text.id is null then coalesce(v_document.gone_at, now()) end;
    continue when v_new is not distinct from v_document;
    update private.search_documents
    set author_id = v_new.author_id, scope = v_new.scope, words = v_new.words, ranked = v_new.ranked,
        interests = v_new.interests, gone_at = v_new.gone_at
    where number = v_document.number;
    v_kept := case when v_new.scope = v_document.scope
                   then array(select unnest(tsvector_to_array(v_document.words))
                              intersect select unnest(tsvector_to_array(v_new.words)))
                   else '{}' end;
    delete from private.search_words w
    where w.scope = v_document.scope and w.number = v_document.number
      and w.word = any (array(select unnest(tsvector_to_array(v_document.words)) except select unnest(v_kept)));
    insert into private.search_words (scope, word, number)
    select v_new.scope, l.word, v_document.number
    from (select unnest(tsvector_to_array(v_new.words)) as word except select unnest(v_kept)) l
    where v_new.scope is not null;
  end loop;
end $$;
comment on function private.index_for_search is
  'Updates the index for these things. From then on a search finds them by their current words, for the people who '
  'may find them now. It removes things that no longer exist, and writes no row of a thing that is unchanged.';
call private.force_index_scans('private.index_for_search');
