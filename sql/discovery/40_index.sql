-- What is found by words: each thing is a document with a number in the order of time, and each word of a type has the
-- list of the documents that it is in. So a search walks lists, newest first, and stops when it has enough: an index
-- on the words alone (GIN) reads all documents of a word, of which a common one has any number.
-- docs/decisions.md, Discovery.

create text search dictionary private.search_stem (template = pg_catalog.snowball, language = english);
comment on text search dictionary private.search_stem is
  'Word forms of English, with its small words, which are words to be found in other languages.';
create text search configuration private.search (copy = pg_catalog.simple);
alter text search configuration private.search
  alter mapping for asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart
  with extensions.unaccent, private.search_stem;
comment on text search configuration private.search is 'How texts and queries become words: without case, accents '
  'and word forms.';

create table private.search_types (
  type    text primary key check (type ~ '^[a-z]+$'),
  texts   text not null check (texts ~ '^private\.[a-z_]+$'),
  visible regclass not null,
  cards   text not null check (cards ~ '^private\.[a-z_]+$')
);
comment on table private.search_types is
  'What can be searched for, with a row a type. texts(uuid[]) gives {id, title, body, interests} of those that there '
  'are, whoever asks; visible is a view of the ids that the caller may see; cards(uuid[]) makes their cards, in '
  'order. Whoever writes a thing of a type calls private.index_for_search. test/db/discovery/search.sql finds a kind '
  'of contents that is missing.';

create table private.search_documents (
  number    bigint generated always as identity primary key,
  type      text not null references private.search_types on delete restrict,
  id        uuid not null,
  interests uuid[] not null default '{}',
  words     tsvector not null default '',
  gone_at   timestamptz,
  unique (type, id)
);
create index search_documents_gone_at_idx on private.search_documents (gone_at) where gone_at is not null;
comment on table private.search_documents is
  'What can be found, with its words and its place in time. 500 numbers are a block: newer blocks come first, and in '
  'one what fits best.';
comment on column private.search_documents.gone_at is
  'When it was deleted: its words went with it, and its place stays for a day, for cursors. Null while it is found.';
insert into private.retention (relation, counts_from, keep) values
  ('private.search_documents', 'gone_at', '1 day');

create table private.search_words (
  type   text collate "C" not null,
  word   text collate "C" not null,
  number bigint not null,
  primary key (type, word, number)
);
comment on table private.search_words is
  'The list of each word of each type: in which documents it is.';

create function private.untagged(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return translate(coalesce(p_text, ''), '<>', e'\u0004\u0005');
end $$;
comment on function private.untagged is
  'A text in which nothing looks like a tag, of which the parser of words would see no word: no text has such signs.';

create function private.search_vector(p_title text, p_body text) returns tsvector
language plpgsql stable
set search_path = ''
as $$
begin
  return setweight(to_tsvector('private.search', private.untagged(left(p_title, 500))), 'A')
         || setweight(to_tsvector('private.search', private.untagged(left(p_body, 5000))), 'D');
end $$;
comment on function private.search_vector is
  'The words of a title and of the first 5000 characters of a text, with their places.';

create function private.index_for_search(p_type text, p_ids uuid[]) returns void
language plpgsql volatile security definer   -- nobody may touch the index
set search_path = ''
as $$
declare
  v_id       uuid;
  v_text     record;
  v_document private.search_documents;
  v_words    tsvector;
begin
  for v_id in select distinct u.id from unnest(p_ids) u (id) order by u.id loop
    insert into private.search_documents (type, id) values (p_type, v_id) on conflict (type, id) do nothing;
    select * into v_document from private.search_documents where type = p_type and id = v_id for update;
    -- behind the lock, for who waited for it. All columns are null where there is no such thing, or not any more
    execute format('select t.title, t.body, t.interests from %s($1) t',
                   (select t.texts from private.search_types t where t.type = p_type))
    into v_text using array[v_id];
    v_words := private.search_vector(v_text.title, v_text.body);
    update private.search_documents
    set words = v_words, interests = coalesce(v_text.interests, '{}'),
        gone_at = case when v_text is null then coalesce(gone_at, now()) end
    where number = v_document.number;
    delete from private.search_words w
    where w.type = p_type and w.number = v_document.number
      and w.word = any (array(select unnest(tsvector_to_array(v_document.words))
                              except select unnest(tsvector_to_array(v_words))));
    insert into private.search_words (type, word, number)
    select p_type, l.word, v_document.number
    from (select unnest(tsvector_to_array(v_words)) as word
          except select unnest(tsvector_to_array(v_document.words))) l;
  end loop;
end $$;
comment on function private.index_for_search is
  'Has these things found by the words that they have now, and those no more that there are not.';
call private.make_walk('private.index_for_search');

-- The types. Posts: those that are out and have words; a repost has its original's, which is found itself.

create function private.post_texts(p_ids uuid[])
returns table (id uuid, title text, body text, interests uuid[])
language plpgsql stable security definer   -- for the index, whoever may see them
set search_path = ''
as $$
begin
  return query
  select p.id, p.title, p.body, array(select n.interest_id from app.post_interests n where n.post_id = p.id)
  from app.posts p
  where p.id = any (p_ids) and p.published_at is not null and p.deleted_at is null and p.format <> 'repost';
end $$;
comment on function private.post_texts is 'What these posts say, for the search.';
call private.make_walk('private.post_texts');

create function private.content_texts(p_ids uuid[])
returns table (id uuid, title text, body text, interests uuid[])
language plpgsql stable security definer   -- for the index, whoever may see them
set search_path = ''
as $$
begin
  return query
  select c.id, c.title,
         concat_ws(e'\n', d.detail ->> 'caption', d.detail ->> 'summary', d.detail ->> 'description',
                   d.detail ->> 'body'),
         array_remove(array[c.interest_id], null)
  from app.contents c join private.content_parts(p_ids) d on d.id = c.id
  where c.id = any (p_ids) and c.deleted_at is null;
end $$;
comment on function private.content_texts is
  'What these contents say, for the search: the title, and of the detail caption, summary, description and body.';
call private.make_walk('private.content_texts');

create function private.space_texts(p_ids uuid[])
returns table (id uuid, title text, body text, interests uuid[])
language plpgsql stable security definer   -- for the index, whoever may see them
set search_path = ''
as $$
begin
  return query
  select s.id, s.name, s.about, array_remove(array[s.interest_id], null) from app.spaces s where s.id = any (p_ids);
end $$;
comment on function private.space_texts is 'What these groups and guilds are called and say of themselves.';
call private.make_walk('private.space_texts');

create function private.person_texts(p_ids uuid[])
returns table (id uuid, title text, body text, interests uuid[])
language plpgsql stable security definer   -- for the index, whoever may see them
set search_path = ''
as $$
begin
  return query
  select u.id, concat_ws(' ', u.first_name, u.last_name), u.username, '{}'::uuid[]
  from app.users u where u.id = any (p_ids) and u.erased_at is null;
end $$;
comment on function private.person_texts is
  'What these people are called. What they chose from the catalog is nobody else''s to find them by.';
call private.make_walk('private.person_texts');

create view private.visible_spaces with (security_invoker) as
select s.id from app.spaces s where s.visibility = 'public' or private.is_let_in(s.id, (select app.uid()));
comment on view private.visible_spaces is
  'The groups and guilds that the caller may see, as private.find_space gives them. It is for definer functions.';

create function private.person_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its caller has found them visible
set search_path = ''
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.person_card c on c.id = i.id);
end $$;
comment on function private.person_cards is 'The cards of these people, in order.';
call private.make_walk('private.person_cards');

create function private.wiki_texts(p_ids uuid[])
returns table (id uuid, title text, body text, interests uuid[])
language plpgsql stable security definer   -- one plan, whoever asks
set search_path = ''
as $$
begin
  return query
  select i.id, i.name, v.body, array[i.id]
  from app.interests i
  cross join lateral (select w.body from app.wiki_versions w where w.interest_id = i.id
                      order by w.version desc limit 1) v
  where i.id = any (p_ids);
end $$;
comment on function private.wiki_texts is 'The wiki entries of these interests, by the name of the interest.';
call private.make_walk('private.wiki_texts');

create view private.visible_wiki with (security_invoker) as
select i.id from app.interests i where (select f.enabled from app.feature_flags f where f.key = 'wiki');
comment on view private.visible_wiki is
  'The entries of the wiki: everybody''s while its flag is on, and nobody''s otherwise, as private.require_wiki has '
  'it. It is for definer functions.';

create function private.wiki_search_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- one plan, whoever asks
set search_path = ''
as $$
begin
  return (select json_agg(json_build_object('id', n.id, 'interestId', n.id, 'slug', n.slug, 'version', v.version,
                                            'createdAt', private.utc(v.created_at)) order by i.place)
          from unnest(p_ids) with ordinality as i (id, place)
          join app.interests n on n.id = i.id
          cross join lateral (select w.version, w.created_at from app.wiki_versions w where w.interest_id = n.id
                              order by w.version desc limit 1) v);
end $$;
comment on function private.wiki_search_cards is
  'Wiki entries as the search shows them, in order: {id, interestId, slug, version, createdAt}.';
call private.make_walk('private.wiki_search_cards');

insert into private.search_types (type, texts, visible, cards) values
  ('wiki', 'private.wiki_texts', 'private.visible_wiki', 'private.wiki_search_cards'),
  ('post', 'private.post_texts', 'private.visible_posts', 'private.stream_cards'),
  ('person', 'private.person_texts', 'private.visible_people', 'private.person_cards'),
  ('group', 'private.space_texts', 'private.visible_spaces', 'private.group_cards'),
  ('guild', 'private.space_texts', 'private.visible_spaces', 'private.guild_cards');
insert into private.search_types (type, texts, visible, cards)
select kind, 'private.content_texts', 'private.visible_contents', 'private.stream_cards' from private.content_kinds;

create function private.index_published(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- whoever changes or deletes one of them has its document, or waits for this one: the second has nothing to do here
  with made as (
    insert into private.search_documents (type, id, interests, words)
    select 'post', t.id, t.interests, private.search_vector(t.title, t.body)
    from private.post_texts(array(select (e.payload ->> 'postId')::uuid from unnest(p_effects) e)) t
    order by t.id
    on conflict (type, id) do nothing
    returning number, words
  )
  insert into private.search_words (type, word, number)
  select 'post', w.word, m.number from made m cross join lateral unnest(tsvector_to_array(m.words)) w (word);
end $$;
comment on function private.index_published is
  'Listener: a post that goes out can be found soon after. One that was edited meanwhile is there already.';

create function private.index_edited(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.index_for_search('post', array[(p_event ->> 'postId')::uuid]);
end $$;
comment on function private.index_edited is 'Listener: what a post does not say any more does not find it either.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.index_published', 900, 'soon'),
  ('posts.post.edited', 'private.index_edited', 900, 'at once');

create function private.index_row() returns trigger
language plpgsql security definer   -- only triggers and listeners write the index
set search_path = ''
as $$
begin
  if tg_argv[0] = 'kind' then
    perform private.index_for_search(to_jsonb(new) ->> 'kind', array[new.id]);
  else
    perform private.index_for_search(tg_argv[0], array[new.id]);
  end if;
  return null;
end $$;
comment on function private.index_row is
  'Trigger: what was written can be found, or not any more. Its argument is the type, or "kind" where a row says it.';
create function private.index_wiki() returns trigger
language plpgsql security definer   -- only triggers and listeners write the index
set search_path = ''
as $$
begin
  perform private.index_for_search('wiki', array[new.interest_id]);
  return null;
end $$;
comment on function private.index_wiki is 'Trigger: an entry is found by its latest version.';
create function private.index_renamed() returns trigger
language plpgsql security definer   -- only triggers and listeners write the index
set search_path = ''
as $$
begin
  if exists (select from app.wiki_versions where interest_id = new.id) then
    perform private.index_for_search('wiki', array[new.id]);
  end if;
  return null;
end $$;
comment on function private.index_renamed is 'Trigger: an entry is found by the name that its interest has now.';
create trigger _200_index_wiki after insert on app.wiki_versions
  for each row execute function private.index_wiki();
create trigger _200_index_renamed after update of name on app.interests
  for each row when (old.name <> new.name) execute function private.index_renamed();
create trigger _200_index_post after update of deleted_at on app.posts
  for each row when (new.deleted_at is not null) execute function private.index_row('post');
create trigger _206_index_person after insert or update of first_name, last_name, username, erased_at on app.users
  for each row execute function private.index_row('person');
create trigger _150_index_space after insert or update of name, about, interest_id on app.spaces
  for each row execute function private.index_row('kind');
-- at the commit: the detail, which has the text, is written after the head
create constraint trigger _200_index_content after insert or update of title, words, deleted_at on app.contents
  deferrable initially deferred for each row execute function private.index_row('kind');

insert into private.personal_data (relation, person_column, reason) values
  ('private.search_documents', 'id', 'The words of what is published, and of names, which are there.');
