-- How a post looks in an answer.

create view private.marked_posts with (security_invoker) as
select p.*, c.boost, c.boost_expires_at,
       json_build_object('reactions', c.reactions, 'replies', c.replies, 'shares', c.shares,
                         'bookmarks', c.bookmarks, 'views', c.views) as counters,
       json_build_object(
         'reactions', coalesce((
           select json_agg(r.kind order by r.kind) from app.reactions r
           where r.post_id = p.id and r.user_id = (select app.uid())), '[]'),
         'bookmarked', (select true from app.bookmarks b
                        where b.user_id = (select app.uid()) and b.post_id = p.id) is true,
         'reposted', (select true from app.posts r
                      where r.author_id = (select app.uid()) and r.quoted_post_id = p.id
                        and r.format = 'repost' and r.deleted_at is null) is true,
         'voted', (select true from app.polls l join app.poll_votes v on v.poll_id = l.id
                   where l.post_id = p.id and v.user_id = (select app.uid())) is true) as viewer
from private.visible_posts p left join app.post_counters c on c.post_id = p.id;
comment on view private.marked_posts is
  'The posts that the caller may see, each with the parts of its card that change when people leave marks on it.';

create function private.require_marks(p_post uuid) returns json
language plpgsql stable security definer   -- checks once whether the post is visible, as private.post_cards
set search_path = ''
as $$
declare
  v_marks json;
begin
  select json_build_object('counters', p.counters, 'viewer', p.viewer) into v_marks
  from private.marked_posts p where p.id = p_post;
  if v_marks is null then
    perform private.fail('post_unknown');   -- it was hidden from the caller meanwhile
  end if;
  return v_marks;
end $$;
comment on function private.require_marks is
  'The parts of a post''s card that a reaction changes: {counters, viewer}. Fails: post_unknown.';
call private.make_walk('private.require_marks');

create function private.fitting_posts(p_ids uuid[], p_limit integer) returns integer
language plpgsql stable security definer   -- asked of posts that their list has found
set search_path = ''
as $$
begin
  return private.fitting(array(
    select coalesce(octet_length(p.body), 0) + coalesce(octet_length(q.body), 0)
    from unnest(p_ids) with ordinality as i (id, place)
    left join app.posts p on p.id = i.id
    left join app.posts q on q.id = p.quoted_post_id
    order by i.place), p_limit);
end $$;
comment on function private.fitting_posts is
  'How many of these posts a page of p_limit has: private.fitting, with what they quote.';
call private.make_walk('private.fitting_posts');

create function private.post_cards(p_ids uuid[], p_more json[] default null) returns json
language plpgsql stable security definer   -- checks once whether a post is visible, not once for each of its parts
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a statement takes longer than running it
as $$
declare
  v_ids uuid[] := p_ids || array(select q.quoted_post_id from app.posts q
                                 where q.id = any (p_ids) and q.quoted_post_id is not null);
begin
  return (
    -- what hangs on posts is read once for all of them: most have nothing of it
    with co_authors as materialized (
      select l.post_id, l.list
      from private.co_author_lists((select array_agg(ca.post_id) from app.post_co_authors ca
                                    where ca.post_id = any (v_ids))) l
    ), interests as materialized (
      select pi.post_id, json_agg(json_build_object('id', i.id, 'slug', i.slug, 'name', i.name,
                                                    'accentColor', i.accent_color, 'isPrimary', pi.is_primary)
                                  order by pi.is_primary desc, i.name) as list
      from app.post_interests pi join app.interests i on i.id = pi.interest_id
      where pi.post_id = any (v_ids)
      group by pi.post_id
    ), polls as materialized (
      select l.post_id, l.card from app.poll_card l where l.post_id = any (v_ids)
    ), series as materialized (
      select si.post_id, json_agg(json_build_object('id', s.id, 'title', s.title) order by s.created_at, s.id) as list
      from app.series_items si join app.series s on s.id = si.series_id
      where si.post_id = any (v_ids)
      group by si.post_id
    ), emotions as materialized (
      select e.post_id, json_object_agg(e.emotion, json_build_object('count', e.payments, 'total', e.mana)
                                        order by e.emotion) as list
      from app.post_emotions e
      where e.post_id = any (v_ids) and e.payments > 0
      group by e.post_id
    ), seen as materialized (
      select p.id, p.quoted_post_id, row_to_json(c)::text as card
      from private.marked_posts p
      join app.person_card author on author.id = p.author_id
      left join app.spaces space on space.id = p.space_id
      left join app.personas persona on persona.user_id = p.author_id
        and case when p.persona_id is null then persona.is_default else persona.id = p.persona_id end
      cross join lateral (
        select persona.id, persona.name, persona.accent, persona.profile_pic_url as "profilePicUrl") s
      cross join lateral (
        select p.id,
               author.actor_id as "authorId",
               author.card as author,
               persona.id as "personaId",
               row_to_json(s) as persona,
               coalesce((select t.list from co_authors t where t.post_id = p.id), '[]') as "coAuthors",
               p.format,
               p.title,
               p.body,
               p.media,
               p.visibility,
               p.depth,
               (array['Surface', 'Intro', 'Deep', 'Expert', 'Research', 'Thesis'])[p.depth + 1] as "depthLabel",
               p.interest_id as "interestId",
               case space.kind when 'group' then space.id end as "groupId",
               case space.kind when 'guild' then space.id end as "guildId",
               coalesce((select t.list from interests t where t.post_id = p.id), '[]') as interests,
               p.is_journalism as "isJournalism",
               p.counters,
               p.viewer,
               (select t.card from polls t where t.post_id = p.id) as poll,
               coalesce((select t.list from series t where t.post_id = p.id), '[]') as series,
               coalesce((select t.list from emotions t where t.post_id = p.id), '{}') as "emojiBreakdown",
               p.boost as "boostScore",
               private.utc(p.boost_expires_at) as "boostExpiresAt",
               p.pinned_at is not null as pinned,
               private.utc(p.publish_at) as "publishAt",
               private.utc(p.published_at) as "publishedAt",
               private.utc(p.edited_at) as "editedAt",
               private.utc(p.hidden_at) as "hiddenAt",
               private.utc(p.created_at) as "createdAt") c
      where p.id = any (v_ids)
    )
    -- as bytes, and read as json once: taking every card apart to put more into it costs as much as making it, and so
    -- does counting its characters
    select convert_from('[' || string_agg(
             substr(b.bytes, 1, length(b.bytes) - 1)
               || convert_to(',"quotedPostId":' || coalesce(to_json(q.id)::text, 'null')
                               || ',"quotedPost":' || coalesce(q.card, 'null')
                               || coalesce(',' || substr(p_more[i.place]::text, 2), '}'), 'UTF8'),
             ',' order by i.place) || ']', 'UTF8')::json
    from unnest(p_ids) with ordinality as i (id, place)
    join seen s on s.id = i.id
    cross join lateral (select convert_to(s.card, 'UTF8') as bytes offset 0) b
    left join seen q on q.id = s.quoted_post_id);
end $$;
comment on function private.post_cards is
  'The cards of these posts, in order, as far as the caller sees them. Each has the card of what it quotes, '
  '{quotedPostId, quotedPost}, null when the caller may not see that, and the fields of p_more, an object a post.';
call private.make_walk('private.post_cards');
