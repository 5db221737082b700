-- For DBAs: `select * from private.explain_visibility(viewer, post)` says why a person sees a post or does not.
-- docs/decisions.md, Visibility.

create function private.explain_visibility(p_viewer uuid, p_post uuid)
returns table (part text, finding text, passes boolean)
language plpgsql stable
set search_path = ''
as $$
declare
  v_post     app.posts;
  v_required integer;
  v_rule     record;
begin
  select * into v_post from app.posts where id = p_post;
  if not found then
    return query values ('post', 'There is no such post.', false);
    return;
  end if;
  v_required := private.visibility_level(v_post.visibility);
  select * into v_rule from private.visibility(v_post.author_id, v_required, v_post.space_id, p_viewer => p_viewer);
  return query values
    ('deleted', coalesce('deleted at ' || v_post.deleted_at, 'not deleted'), v_post.deleted_at is null),
    ('ban', case when v_rule.is_silenced then 'the author is banned or erased'
                 when v_post.author_banned then 'the ban of the author has ended, but the worker has not updated the '
                   'post yet'
                 else 'the author is not banned' end,
     not v_rule.is_silenced and not v_post.author_banned),
    ('hidden', coalesce('hidden at ' || v_post.hidden_at || ', from all but the author', 'not hidden'),
     v_post.hidden_at is null or v_rule.level = 3),
    ('published', coalesce('published at ' || v_post.published_at, 'not published yet: only the author sees it'),
     v_post.published_at is not null or v_rule.level = 3),
    ('audience', format('the post requires level %s, and the viewer has %s', v_required, v_rule.level),
     v_rule.level >= v_required),
    ('space', case when v_post.space_id is null then 'in no space' else 'for members of ' || v_post.space_id end,
     v_rule.is_inside),
    ('original',
     case when v_post.format = 'repost' then 'a repost of ' || v_post.quoted_post_id else 'not a repost' end,
     v_post.format <> 'repost' or private.post_visible_to(v_post.quoted_post_id, p_viewer) is true);
end $$;
comment on function private.explain_visibility is
  'For DBAs: each part of the rule of visibility for a viewer and a post, {part, finding, passes}. The viewer sees '
  'the post if all parts pass. Levels are those of app.audience.';
