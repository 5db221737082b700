-- What people do with posts.
-- Specification: Posts and feed. Decisions: Names and shapes › Bodies; Lists.

create function api.create_post(
  p_body text, p_format text default 'note', p_title text default null, p_visibility text default 'public',
  p_depth integer default 0, p_interest_id uuid default null, p_interest_ids uuid[] default '{}'
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_request json := json_build_array(p_body, p_format, p_title, p_visibility, p_depth, p_interest_id, p_interest_ids);
  v_answer  json := private.replayed('create_post', v_request);
  v_more    uuid[] := array(select distinct i from unnest(p_interest_ids) i where i is distinct from p_interest_id);
  v_post    uuid;
begin
  if v_answer is not null then
    return v_answer;
  end if;
  if cardinality(v_more) > 4 then
    perform private.fail('post_interests_exceeded');
  end if;
  if exists (select from unnest(v_more || p_interest_id) i
             where i is not null and not exists (select from app.interests n where n.id = i)) then
    perform private.fail('interest_unknown');
  end if;

  insert into app.posts (author_id, format, title, body, visibility, depth, interest_id)
  values (private.caller(), p_format, private.trimmed(p_title), private.trimmed(p_body), p_visibility, p_depth, p_interest_id)
  returning id into v_post;
  insert into app.post_interests (post_id, interest_id) select v_post, i from unnest(v_more) i;
  perform private.emit('posts.post.published', json_build_object('postId', v_post, 'authorId', app.uid()));

  return private.keep('create_post', private.post_cards(array[v_post]) -> 0);
end $$;
comment on function api.create_post is
  'Publishes a note or an essay. Takes an Idempotency-Key. Fails: post_title, post_body, interest_unknown, post_interests_exceeded, idempotency_key_reused, idempotency_key_busy.';

create function api.get_post(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.post(p_id);
  return (private.post_cards(array[p_id])::jsonb -> 0
          || jsonb_build_object('replies', api.list_replies(p_id)))::json;
end $$;
comment on function api.get_post is
  'A post with the first page of its replies: {…, replies: {items, nextCursor, hasMore}}. Fails: post_unknown.';

create function api.create_reply(p_id uuid, p_body text, p_kind text default 'reply') returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reply uuid;
begin
  -- seen and written in one statement: a block between the two would answer otherwise than an unknown post
  insert into app.replies (post_id, author_id, kind, body)
  select p.id, private.caller(), p_kind, private.trimmed(p_body) from app.posts p where p.id = p_id
  returning id into v_reply;
  if not found then
    perform private.fail('post_unknown');
  end if;
  perform private.emit('posts.reply.created', json_build_object(
    'replyId', v_reply, 'postId', p_id, 'authorId', app.uid()));
  return private.reply_cards(array[v_reply]) -> 0;
end $$;
comment on function api.create_reply is
  'Replies to a post. Fails: post_unknown, reply_body, criticism_length, contribution_length.';

create function api.list_replies(
  p_id uuid, p_kind text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursor uuid := private.cursor_uuid(p_cursor);
  v_from   timestamptz := coalesce(private.reply_time(v_cursor, p_id), '-infinity');
  v_ids    uuid[];
begin
  perform private.post(p_id);
  if v_cursor is not null and v_from = '-infinity' then
    perform private.fail('cursor_unknown');
  end if;
  if p_kind is null then
    v_ids := array(select id from app.reply_card
                   where post_id = p_id and (created_at, id) > (v_from, coalesce(v_cursor, p_id))
                   order by created_at, id limit 51);
  else
    v_ids := array(select id from app.reply_card
                   where post_id = p_id and kind = p_kind and (created_at, id) > (v_from, coalesce(v_cursor, p_id))
                   order by created_at, id limit 51);
  end if;
  return private.page(private.reply_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_replies is
  'The replies to a post, oldest first, all or of one kind. Fails: post_unknown, cursor_unknown, limit_out_of_range.';

create function private.reactions_of(p_post uuid) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select json_build_object('counters', card -> 'counters', 'viewer', card -> 'viewer') from app.post_card where id = p_post);
end $$;
comment on function private.reactions_of is 'What a reaction changes of a post''s card: {counters, viewer}.';

create function api.react(p_id uuid, p_kind text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.post(p_id);
  insert into app.reactions (post_id, user_id, kind)
  select p.id, private.caller(), p_kind from app.posts p where p.id = p_id
  on conflict do nothing;
  if found then
    perform private.emit('posts.reaction.added', json_build_object('postId', p_id, 'userId', app.uid(), 'kind', p_kind));
  end if;
  return private.reactions_of(p_id);
end $$;
comment on function api.react is
  'Gives a heart or a spark; repeating it changes nothing. Answers {counters, viewer}. Fails: post_unknown.';

create function api.unreact(p_id uuid, p_kind text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.post(p_id);
  delete from app.reactions where post_id = p_id and user_id = app.uid() and kind = coalesce(p_kind, kind);
  return private.reactions_of(p_id);
end $$;
comment on function api.unreact is
  'Takes one''s reaction of a kind back, or both; repeating it changes nothing. Answers {counters, viewer}. Fails: post_unknown.';
