-- How an import adds posts and series. See sql/import/10_imports.sql for how imports run. docs/decisions.md, Import.

insert into private.event_types (name, payload, happens) values
  ('posts.post.imported', '{postId,authorId}',
   'a post that was published elsewhere is imported: nobody is notified, and nothing is earned');

create function private.import_media(p_media jsonb, p_format text, out media jsonb, out notes jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  v_piece jsonb;
  v_place bigint;
begin
  media := '[]';
  notes := '[]';
  if jsonb_array_length(p_media) > 10 then
    perform private.raise_error('post_media');
  end if;
  for v_piece, v_place in select m.* from jsonb_array_elements(p_media) with ordinality m loop
    begin
      media := media || private.require_media(jsonb_build_array(v_piece), p_format);
    exception when sqlstate 'PT422' or sqlstate 'PT404' then
      notes := notes || jsonb_build_object('field', 'media.' || v_place - 1, 'code', sqlerrm);
    end;
  end loop;
end $$;
comment on function private.import_media is
  'For importers: the media of a post that this instance accepts, and the problems of the other media.';

create function private.import_poll(p_import app.imports, p_key text, p_post uuid) returns jsonb
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_poll    jsonb := (select d from private.import_details(p_import, 'polls', p_key) d limit 1);
  v_closes  timestamptz := (v_poll ->> 'closesAt')::timestamptz;
  v_options text[];
  v_id      uuid;
begin
  if v_poll is null then
    return '[]';
  end if;
  v_options := array(select private.require_name(d ->> 'text')
                     from private.import_details(p_import, 'pollOptions', v_poll ->> 'id') d
                     order by (d ->> 'position')::integer);
  if cardinality(v_options) not between 2 and 6
     or exists (select from unnest(v_options) t where length(t) not between 1 and 200) then
    return '[{"field": "poll", "code": "poll_options"}]';
  end if;
  insert into app.polls (post_id, author_id, closes_at, closed_emitted_at)
  values (p_post, p_import.user_id, v_closes, case when v_closes <= now() then v_closes end)
  returning id into v_id;
  insert into app.poll_options (poll_id, position, text)
  select v_id, o.place, o.text from unnest(v_options) with ordinality as o (text, place);
  return '[]';
end $$;
comment on function private.import_poll is
  'For private.import_post: adds the poll of a post, without votes, and returns the notes.';

create function private.import_post(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_item      jsonb := p_row.item;
  v_me        uuid := p_import.user_id;
  v_format    text := v_item ->> 'format';
  v_notes     jsonb := '[]';
  v_persona   uuid := private.find_imported(p_import, 'personas', v_item ->> 'personaId');
  v_interests uuid[];
  v_primary   uuid;
  v_unknown   boolean;
  v_media     record;
  v_id        uuid;
begin
  if v_item ->> 'deletedAt' is not null then
    return null;
  elsif v_format = 'repost' then
    perform private.raise_error('import_of_other');
  elsif v_item ->> 'spaceId' is not null then
    perform private.raise_error('import_of_space');
  elsif v_item ->> 'hiddenAt' is not null then
    perform private.raise_error('import_hidden');
  elsif v_item ->> 'publishedAt' is null then
    perform private.raise_error('import_scheduled');
  end if;
  if v_format = 'quote' then
    v_format := 'note';
    v_notes := v_notes || '{"field": "quotedPostId", "code": "import_of_other"}'::jsonb;
  end if;
  if (v_item ->> 'isJournalism')::boolean then
    v_notes := v_notes || '{"field": "isJournalism", "code": "journalism_not_allowed"}'::jsonb;
  end if;
  select * into v_media from private.import_media(v_item -> 'media', v_format);

  select array_agg(w.interest) filter (where w.interest is not null and not w.is_primary),
         min(w.interest::text) filter (where w.is_primary), bool_or(w.interest is null)
  into v_interests, v_primary, v_unknown
  from (select private.interest_with_slug(d ->> 'interestSlug') as interest, (d ->> 'isPrimary')::boolean as is_primary
        from private.import_details(p_import, 'postInterests', p_row.row_key) d limit 5) w;
  if v_unknown then
    v_notes := v_notes || '{"field": "interestId", "code": "interest_unknown"}'::jsonb;
  end if;

  perform private.lock('pins', v_me::text);
  insert into app.posts (author_id, persona_id, format, title, body, media, visibility, depth, interest_id,
                         published_at, edited_at, created_at, imported_at, pinned_at)
  values (v_me, (select id from app.personas where id = v_persona and user_id = v_me), v_format,
          private.require_name(v_item ->> 'title'), private.require_text(v_item ->> 'body'), v_media.media,
          v_item ->> 'visibility', (v_item ->> 'depth')::smallint, v_primary,
          private.import_time(v_item ->> 'publishedAt'), private.import_time(v_item ->> 'editedAt'),
          private.import_time(v_item ->> 'createdAt'), now(),
          case when v_item ->> 'pinnedAt' is not null
                and (select count(*) from app.posts
                     where author_id = v_me and pinned_at is not null and deleted_at is null) < 3
               then private.import_time(v_item ->> 'pinnedAt') end)
  returning id into v_id;
  insert into app.post_interests (post_id, interest_id)
  select distinct v_id, i from unnest(v_interests) i where i is distinct from v_primary;
  v_notes := v_notes || v_media.notes || private.import_poll(p_import, p_row.row_key, v_id);
  perform private.emit('posts.post.imported', json_build_object('postId', v_id, 'authorId', v_me), array[v_me]);
  return (v_id, v_notes)::private.import_result;
end $$;
comment on function private.import_post is
  'Importer: adds a published post with its date, its poll without votes, and its visibility. A quote becomes a note. '
  'Reposts, and posts that were scheduled, hidden by staff or in a space, are not imported.';

create function private.import_series(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_posts uuid[];
  v_id    uuid;
begin
  insert into app.series (author_id, title, description, created_at)
  values (p_import.user_id, private.require_name(p_row.item ->> 'title'),
          private.require_text(p_row.item ->> 'description'),
          private.import_time(p_row.item ->> 'createdAt'))
  returning id into v_id;
  v_posts := array(select private.find_imported(p_import, 'posts', d ->> 'postId')
                   from private.import_details(p_import, 'seriesItems', p_row.row_key) d
                   order by (d ->> 'position')::integer);
  -- this lock is outside the order of locks, because no transaction that locks one of these rows waits for another
  -- lock of this transaction
  perform from app.posts where id = any (v_posts) order by id for share;
  insert into app.series_items (series_id, post_id, position)
  select v_id, p.id, row_number() over (order by min(w.place))
  from unnest(v_posts) with ordinality as w (id, place)
  join app.posts p on p.id = w.id and p.author_id = p_import.user_id and p.deleted_at is null
  where (select count(*) from app.series_items si where si.post_id = p.id) < 5
  group by p.id;
  return (v_id, null)::private.import_result;
end $$;
comment on function private.import_series is 'Importer: adds a series with its imported posts.';

insert into private.import_sections (section, position, importer, key_field, sort_field, shape) values
  ('posts', 300, 'private.import_post', 'id', 'createdAt', '{"id": "text", "format": "text", "title": "text?",
   "body": "text", "media": "array", "visibility": "text", "depth": "integer",
   "personaId": "text?", "spaceId": "text?", "isJournalism": "boolean", "publishedAt": "time?", "pinnedAt": "time?",
   "editedAt": "time?", "hiddenAt": "time?", "deletedAt": "time?", "createdAt": "time"}'),
  ('series', 310, 'private.import_series', 'id', 'createdAt', '{"id": "text", "title": "text", "description": "text?",
   "createdAt": "time"}');
insert into private.import_sections (section, key_field, of_field, shape) values
  ('postInterests', 'interestId', 'postId', '{"postId": "text", "interestId": "text", "interestSlug": "text",
   "isPrimary": "boolean"}'),
  ('polls', 'id', 'postId', '{"id": "text", "postId": "text", "closesAt": "time?"}'),
  ('pollOptions', 'id', 'pollId', '{"id": "text", "pollId": "text", "position": "integer", "text": "text"}'),
  ('seriesItems', 'postId', 'seriesId', '{"seriesId": "text", "postId": "text", "position": "integer"}');
