-- When things are indexed. A post is indexed soon after it is published. Every thing is indexed again when its text
-- changes, or when the people who may find it change. docs/decisions.md, Discovery.

create function private.index_published(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- a concurrent change or deletion of a post locks the same document. If it came first, it has already indexed the
  -- post, and this statement inserts nothing; otherwise it waits for this insert
  with made as (
    insert into private.search_documents (type, id, author_id, scope, interests, words, ranked)
    select 'post', t.id, t.author, t.scope, t.interests, v.words, private.ranked_words(v.words)
    from private.post_texts(array(select (e.payload ->> 'postId')::uuid from unnest(p_effects) e)) t
    cross join lateral (select private.search_vector(t.title, t.body) as words offset 0) v   -- computed once
    order by t.id
    on conflict (type, id) do nothing
    returning number, scope, words
  )
  insert into private.search_words (scope, word, number)
  select m.scope, w.word, m.number from made m cross join lateral unnest(tsvector_to_array(m.words)) w (word);
end $$;
comment on function private.index_published is
  'Listener: indexes a post soon after it is published. If the post was edited meanwhile, it is already in the index.';

create function private.index_edited(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.index_for_search('post', array[(p_event ->> 'postId')::uuid]);
end $$;
comment on function private.index_edited is 'Listener: indexes the new words of an edited post.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.index_published', 900, 'soon'),
  ('posts.post.imported', 'private.index_published', 900, 'soon'),
  ('posts.post.edited', 'private.index_edited', 900, 'at once');

create function private.index_row() returns trigger
language plpgsql security definer   -- only triggers and listeners may write the index
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
  'Trigger: updates the index for the written row. The argument is the type, or "kind" if the type is in the row''s '
  'column kind.';
create function private.index_wiki() returns trigger
language plpgsql security definer   -- only triggers and listeners may write the index
set search_path = ''
as $$
begin
  perform private.index_for_search('wiki', array[new.interest_id]);
  return null;
end $$;
comment on function private.index_wiki is 'Trigger: indexes the latest version of a wiki entry.';
create function private.index_renamed() returns trigger
language plpgsql security definer   -- only triggers and listeners may write the index
set search_path = ''
as $$
begin
  if exists (select from app.wiki_versions where interest_id = new.id) then
    perform private.index_for_search('wiki', array[new.id]);
  end if;
  return null;
end $$;
comment on function private.index_renamed is 'Trigger: indexes a wiki entry by the current name of its interest.';
create trigger _200_index_wiki after insert on app.wiki_versions
  for each row execute function private.index_wiki();
create trigger _200_index_renamed after update of name on app.interests
  for each row when (old.name <> new.name) execute function private.index_renamed();
create trigger _206_index_person after insert or update of first_name, last_name, username on app.users
  for each row execute function private.index_row('person');
-- runs at commit, because after this insert the creation of a space takes locks that come before those of the index
create constraint trigger _150_index_space after insert or update of name, about, interest_id, visibility on app.spaces
  deferrable initially deferred for each row execute function private.index_row('kind');
-- an unpublished post is not in the index
create trigger _200_index_post after update of visibility, hidden_at on app.posts
  for each row when (new.published_at is not null and new.deleted_at is null
                     and (new.visibility <> old.visibility or (new.hidden_at is null) <> (old.hidden_at is null)))
  execute function private.index_row('post');
-- runs at commit, because an erasure first deletes the posts, and then locks rows that effects lock before they index
-- a post
create constraint trigger _210_index_deleted_post after update of deleted_at on app.posts
  deferrable initially deferred for each row when (new.published_at is not null and new.deleted_at is not null)
  execute function private.index_row('post');
-- runs at commit, because the detail, which contains the text, is written after the head
create constraint trigger _200_index_content
  after insert or update of title, words, is_draft, removed_at, deleted_at on app.contents
  deferrable initially deferred for each row execute function private.index_row('kind');

create function private.unindex_person(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.index_for_search('person', array[p_user.id]);
end $$;
comment on function private.unindex_person is 'Step: removes an erased person from the index.';
insert into private.account_steps (step, events, position) values
  ('private.unindex_person', '{erasure}', 206);

create function private.hide_or_show_documents(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- only triggers, listeners and the worker may write the index
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_hidden  boolean;
  v_ids     uuid[];
  v_types   text[];
  v_changed integer;
begin
  -- lock the person, so that no ban can begin or end before this batch commits
  select banned_at is not null into v_hidden from app.users where id = v_user for share;
  select array_agg(d.id), array_agg(d.type) into v_ids, v_types
  from (select id, type from private.search_documents
        where author_id = v_user and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
        order by id limit 50 for update) d;
  update private.search_documents set hidden = v_hidden where author_id = v_user and id = any (v_ids)
    and hidden <> v_hidden;
  get diagnostics v_changed = row_count;
  perform private.index_for_search(u.type, array[u.id]) from unnest(v_ids, v_types) as u (id, type);
  return json_build_object('changed', v_changed, 'next', v_ids[50]);
end $$;
comment on function private.hide_or_show_documents is
  'For the worker alone: takes the next 50 documents after p_after of a banned person {userId} out of the lists, or '
  'puts them back if the ban has ended. Until a document is taken out, every search that reads its list must skip it. '
  'Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.hide_or_show_documents');
call private.make_batch_queue('hidden-documents', 'private.hide_or_show_documents');

create function private.hide_documents_later(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- each start or end of a ban queues its own pass over all documents, so that the last pass reaches all of them
  perform private.enqueue('hidden-documents', json_build_object('userId', p_user.id));
end $$;
comment on function private.hide_documents_later is
  'Step: the worker takes the documents of a banned person out of the lists of the search, or puts them back after '
  'the ban. The ban itself does not do this, because a document has up to a thousand words.';
insert into private.account_steps (step, events, position) values
  ('private.hide_documents_later', '{ban,unban}', 210);

create function private.index_again(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- only triggers, listeners and the worker may write the index
set search_path = ''
as $$
declare
  v_ids uuid[] := array(
    select id from private.search_documents
    where type = p_job ->> 'type' and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by id limit 50);
begin
  perform private.index_for_search(p_job ->> 'type', v_ids);
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[50]);
end $$;
comment on function private.index_again is
  'For the worker alone: indexes the next 50 documents of a {type} after p_after again. A migration that changes how '
  'texts are split into words queues this for each type. Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.index_again');
call private.make_batch_queue('documents-again', 'private.index_again');

insert into private.personal_data (relation, person_column, reason) values
  ('private.search_documents', 'id', 'The words of published texts and of names, which have sections.'),
  ('private.search_documents', 'author_id', 'The author of a published text, which has a section.');
