-- How a post and a reply look in an answer.
-- Decisions: Names and shapes › Answers; Identity of people.

create view app.post_card with (security_invoker) as
select p.id,
       json_build_object(
         'id', p.id,
         'authorId', author.card ->> 'id',
         'author', author.card,
         'format', p.format,
         'title', p.title,
         'body', p.body,
         'visibility', p.visibility,
         'depth', p.depth,
         'depthLabel', (array['Surface', 'Intro', 'Deep', 'Expert', 'Research', 'Thesis'])[p.depth + 1],
         'interestId', p.interest_id,
         'interests', coalesce((
           select json_agg(json_build_object('id', i.id, 'slug', i.slug, 'name', i.name,
                                             'accentColor', i.accent_color, 'isPrimary', pi.is_primary)
                           order by pi.is_primary desc, i.name)
           from app.post_interests pi join app.interests i on i.id = pi.interest_id
           where pi.post_id = p.id), '[]'),
         'counters', (select json_build_object('reactions', c.reactions, 'replies', c.replies)
                      from app.post_counters c where c.post_id = p.id),
         'viewer', json_build_object('reactions', coalesce((
           select json_agg(r.kind order by r.kind) from app.reactions r
           where r.post_id = p.id and r.user_id = (select app.uid())), '[]')),
         'emojiBreakdown', coalesce((
           select json_object_agg(e.emotion, json_build_object('count', e.payments, 'total', e.mana) order by e.emotion)
           from app.post_emotions e where e.post_id = p.id and e.payments > 0), '{}'),
         'hiddenAt', p.hidden_at,
         'createdAt', p.created_at) as card
from app.posts p
join app.person_card author on author.id = p.author_id;
comment on view app.post_card is
  'A post as its viewer sees it: fields, author, interests, counters, the viewer''s reactions, emojiBreakdown {emotion: {count, total}}.';

create function private.post_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.post_card c on c.id = i.id);
end $$;
comment on function private.post_cards is 'The cards of these posts, in order, as far as the caller sees them.';

create view app.reply_card with (security_invoker) as
select r.id, r.post_id, r.kind, r.created_at,
       json_build_object(
         'id', r.id,
         'postId', r.post_id,
         'authorId', author.card ->> 'id',
         'author', author.card,
         'kind', r.kind,
         'body', r.body,
         'hiddenAt', r.hidden_at,
         'createdAt', r.created_at) as card
from app.replies r
join app.person_card author on author.id = r.author_id;
comment on view app.reply_card is 'A reply as its viewer sees it: {id, postId, authorId, author, kind, body, hiddenAt, createdAt}.';

create function private.reply_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.reply_card c on c.id = i.id);
end $$;
comment on function private.reply_cards is 'The cards of these replies, in order, as far as the caller sees them.';
