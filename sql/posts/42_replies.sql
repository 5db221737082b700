-- Replying, and the replies under a post.
-- Specification: Resources › Reply; Posts and feed. Decisions: Lists.

create function api.create_reply(p_id uuid, p_body text, p_kind text default 'reply', p_parent_id uuid default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post  uuid := private.open_original(p_id);
  v_reply uuid;
begin
  -- seen and written in one statement: a block between the two would answer otherwise than an unknown post
  insert into app.replies (post_id, author_id, parent_id, kind, body)
  select p.id, private.caller(), p_parent_id, p_kind, private.trimmed(p_body) from app.posts p where p.id = v_post
  returning id into v_reply;
  if not found then
    perform private.fail('post_unknown');
  end if;
  perform private.emit('posts.reply.created', json_build_object(
    'replyId', v_reply, 'postId', v_post, 'authorId', app.uid()));
  return private.reply_cards(array[v_reply]) -> 0;
end $$;
comment on function api.create_reply is
  'Replies to a post, of a repost to the original, or to a reply under it. Fails: post_unknown, post_not_out, reply_unknown, reply_body, criticism_length, contribution_length.';

create function api.list_replies(
  p_id uuid, p_kind text default null, p_limit integer default 20, p_cursor text default null, p_parent_id uuid default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursor uuid := private.cursor_uuid(p_cursor);
  v_post   uuid := (private.original(p_id)).id;
  v_from   timestamptz := coalesce(private.reply_time(v_cursor, v_post), '-infinity');
  v_after  uuid := coalesce(v_cursor, v_post);
  v_ids    uuid[];
begin
  if v_cursor is not null and v_from = '-infinity' then
    perform private.fail('cursor_unknown');
  end if;
  -- required_level, which the policy says too, as the indexes have it
  if p_parent_id is not null then
    perform from app.replies where id = p_parent_id and post_id = v_post;
    if not found then
      perform private.fail('reply_unknown');
    end if;
    v_ids := array(select id from app.reply_card
                   where parent_id = p_parent_id and required_level <= 3
                     and kind = coalesce(p_kind, kind) and (created_at, id) > (v_from, v_after)
                   order by created_at, id limit 51);
  elsif p_kind is null then
    v_ids := array(select id from app.reply_card
                   where post_id = v_post and required_level <= 3 and (created_at, id) > (v_from, v_after)
                   order by created_at, id limit 51);
  else
    v_ids := array(select id from app.reply_card
                   where post_id = v_post and required_level <= 3 and kind = p_kind and (created_at, id) > (v_from, v_after)
                   order by created_at, id limit 51);
  end if;
  return private.page(private.reply_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_replies is
  'The replies to a post, of a repost those to the original, oldest first: all, of one kind, or the direct answers to one of them. Fails: post_unknown, reply_unknown, cursor_unknown, limit_out_of_range.';
