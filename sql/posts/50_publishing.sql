-- Publishing and opening posts. Scheduled posts are in 52_schedule.sql.
-- docs/decisions.md, Posts.

insert into private.errors (code, status, text) values
  ('publish_at_past', 422, 'publishAt must be in the future, and before 9999-12-31.'),
  ('repost_bare', 422, 'A repost cannot have a poll, a publishing time, interests, a depth, a group or a guild, and '
   'only its visibility can be changed.');

insert into private.write_limits (kind, per_hour) values ('posts', 300);

create function private.require_media(p_media jsonb, p_format text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_kinds text[] := case p_format when 'photo' then '{image}' when 'video' then '{video}'
                                  else '{image,video,audio}' end;
begin
  if p_media is null or p_media = '[]' then
    return '[]';
  end if;
  if jsonb_typeof(p_media) <> 'array' or jsonb_array_length(p_media) > 10 then
    perform private.raise_error('post_media');
  end if;
  if exists (
    select from jsonb_array_elements(p_media) m (piece)
    where (num_nonnulls(piece ->> 'url', piece ->> 'assetId') = 1
       and coalesce(jsonb_typeof(piece -> 'url'), 'null') in ('string', 'null')
       and coalesce(piece ->> 'url' ~* '^https?://[^\s/?#]+[^\s]*$' and length(piece ->> 'url') <= 2000, true)
       and coalesce(pg_input_is_valid(piece ->> 'assetId', 'uuid'), true)
       and coalesce(jsonb_typeof(piece -> 'alt'), 'null') in ('string', 'null')
       and length(coalesce(private.trimmed(piece ->> 'alt'), '')) <= 1000) is not true) then
    perform private.raise_error('post_media');
  end if;
  return (
    select jsonb_agg(jsonb_build_object(
                       'url', used.url,
                       'alt', case when piece ? 'alt' then nullif(private.require_text(piece ->> 'alt'), '')
                                   else asset.alt end,
                       'width', asset.width, 'height', asset.height, 'blurhash', asset.blurhash,
                       'posterUrl', private.asset_url(asset.poster_id::text))
                     order by place)
    from jsonb_array_elements(p_media) with ordinality m (piece, place)
    cross join lateral (select case when piece ->> 'url' is not null
                                    then private.use_media_url(piece ->> 'url', v_kinds)
                                    else private.use_asset((piece ->> 'assetId')::uuid, v_kinds) end as url) used
    cross join lateral private.find_own_asset(used.url) asset);
end $$;
comment on function private.require_media is
  'Media as a post of this format stores them: [{url, alt, width, height, blurhash, posterUrl}] without other '
  'fields, with alt null if it is empty. Each item names a url or an asset of the caller. The last four fields are '
  'those of the asset, and so is alt if the item has none. The format decides how many items are allowed.';

create function private.require_further_interests(p_primary uuid, p_more uuid[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_more uuid[];
begin
  if p_primary is null and p_more = '{}' then
    return p_more;
  end if;
  v_more := array(select distinct i from unnest(p_more) i
                  where i is not null and i is distinct from p_primary order by i);
  if cardinality(v_more) > 4 then
    perform private.raise_error('post_interests_exceeded');
  end if;
  if exists (select from unnest(v_more || p_primary) i
             where i is not null and not exists (select from app.interests n where n.id = i)) then
    perform private.raise_error('interest_unknown');
  end if;
  return v_more;
end $$;
comment on function private.require_further_interests is
  'A post''s interests other than the primary one, each once, sorted by id. Fails: interest_unknown (also for the '
  'primary one).';

create function private.require_future(p_publish_at timestamptz) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_publish_at is not null and not private.is_ahead(p_publish_at) then
    perform private.raise_error('publish_at_past');
  end if;
end $$;
comment on function private.require_future is
  'Fails if a time is not in the future. Null passes, because it means immediately.';

create function api.create_post(
  p_body text default '', p_format text default 'note', p_title text default null, p_visibility text default 'public',
  p_depth integer default 0, p_interest_id uuid default null, p_interest_ids uuid[] default '{}',
  p_persona_id uuid default null, p_media jsonb default '[]', p_poll jsonb default null,
  p_quoted_post_id uuid default null,
  p_publish_at timestamptz default null, p_is_journalism boolean default false,
  p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_me      uuid := private.require_caller();
  v_request json := json_build_array(
    p_body, p_format, p_title, p_visibility, p_depth, p_interest_id, p_interest_ids, p_persona_id,
    p_media, p_poll, p_quoted_post_id, p_publish_at, p_is_journalism, p_group_id, p_guild_id);
  v_answer  json := private.begin_idempotent('create_post', v_request);
  v_space   uuid;
  v_more    uuid[];
  v_post    uuid;
begin
  if v_answer is not null then
    return v_answer;
  end if;
  perform private.count_writes('posts');
  if p_group_id is not null or p_guild_id is not null then
    v_space := private.find_named_space(p_group_id, p_guild_id);
    perform private.write_in_space(v_space);
  end if;
  if (p_format in ('quote', 'repost')) <> (p_quoted_post_id is not null) then
    perform private.raise_error('post_quoted');
  end if;
  if p_format = 'repost' and (p_poll is not null or p_publish_at is not null
                              or p_interest_id is not null or p_interest_ids <> '{}' or p_depth <> 0
                              or v_space is not null) then
    perform private.raise_error('repost_bare');
  end if;
  if p_publish_at is not null then
    perform private.require_future(p_publish_at);
  end if;
  v_more := private.require_further_interests(p_interest_id, p_interest_ids);

  while v_post is null loop
    insert into app.posts (author_id, persona_id, format, title, body, media, quoted_post_id, visibility, depth,
                           interest_id, space_id, is_journalism, publish_at, published_at)
    values (v_me,
            case when p_persona_id is not null then private.require_own_persona(p_persona_id) end,
            p_format, private.require_name(p_title), private.require_text(p_body),
            private.require_media(p_media, p_format),
            -- check in the same statement as the insert, so that a post that is hidden concurrently results in
            -- post_unknown
            case when p_quoted_post_id is not null then private.require_quotable(p_quoted_post_id) end,
            p_visibility, p_depth, p_interest_id, v_space, p_is_journalism, p_publish_at,
            case when p_publish_at is null then now() end)
    on conflict (author_id, quoted_post_id) where format = 'repost' and deleted_at is null do nothing
    returning id into v_post;
    if v_post is null then
      select id into v_post from app.posts
      where author_id = v_me and quoted_post_id = private.require_quotable(p_quoted_post_id)
        and format = 'repost' and deleted_at is null;
      v_answer := private.post_card(v_post);
    end if;
  end loop;
  if v_answer is not null then
    return private.finish_idempotent('create_post', v_answer);   -- the repost already exists
  end if;

  if v_more <> '{}' then
    insert into app.post_interests (post_id, interest_id) select v_post, i from unnest(v_more) i;
  end if;
  if p_poll is not null then
    perform private.add_poll(v_post, p_poll, p_publish_at);
  end if;
  if p_publish_at is null then
    perform private.emit('posts.post.published', json_build_object('postId', v_post, 'authorId', v_me), array[v_me]);
  end if;
  return private.finish_idempotent('create_post', private.post_card(v_post));
end $$;
comment on function api.create_post is
  'Publishes a post of any format, or schedules it (p_publish_at), for everyone or in a group or guild. If the '
  'caller''s repost already exists, returns it. Takes an Idempotency-Key. Fails: space_visibility, post_title, '
  'post_body, journalism_not_allowed.';

create function api.get_post(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_card json := private.post_card(p_id, ',"replies":' || api.list_replies(p_id)::text);
begin
  if v_card is null then
    perform private.raise_error('post_unknown');
  end if;
  return v_card;
end $$;
comment on function api.get_post is
  'A post with the first page of its replies (those of the original, for a repost): {…, replies: {items, nextCursor, '
  'hasMore}}. Never: cursor_unknown, reply_unknown (of api.list_replies).';

create function private.visible_among(p_posts uuid[]) returns uuid[]
language plpgsql stable security definer   -- with row-level security the plan might begin with all posts
set search_path = ''
as $$
begin
  return array(
    select i.id
    from (select u.id, min(u.place) as place from unnest(p_posts) with ordinality as u (id, place) group by u.id) i
    join private.visible_posts p on p.id = i.id
    order by i.place);
end $$;
comment on function private.visible_among is
  'The posts that the caller sees, each once, in the order of their first mention.';
call private.force_index_scans('private.visible_among');

create function api.get_posts(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_seen uuid[];
  v_most integer;
begin
  if cardinality(p_ids) > 50 then
    perform private.raise_error('value_invalid');
  end if;
  v_seen := private.visible_among(p_ids);
  v_most := private.count_fitting_posts(v_seen, 50);
  return json_build_object('items', private.post_cards(v_seen[:v_most])::json,
                           'remaining', to_json(v_seen[v_most + 1:]));
end $$;
comment on function api.get_posts is
  'Up to 50 posts, in the order of their first mention, without those that the caller can''t see: {items, remaining}. '
  'The items end when their texts reach half a megabyte; remaining has the ids of the others. Fails: value_invalid '
  '(more than 50).';
