-- What earns reputation, and what undoes it.
-- docs/decisions.md, Reputation.

insert into private.ledger_kinds (ledger, kind, points) values
  ('reputation', 'post.contributed', 3),
  ('reputation', 'reply.reply', 1),
  ('reputation', 'reply.criticism', 2),
  ('reputation', 'reply.contribution', 5),
  ('reputation', 'reply.reaction', 0),
  ('reputation', 'reaction.received', 1),
  ('reputation', 'bookmark.received', 1),
  ('reputation', 'repost.received', 1),
  ('reputation', 'invite.used', 3),
  ('reputation', 'onboarding.bootstrap', 5);

create function private.find_active_reputation(p_user uuid, p_kind text, p_source uuid, p_from uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  -- read only the newest entry, so that repeated liking and unliking doesn't make this slower
  return (select case when e.undoes_id is null then e.id end
          from app.reputation_entries e
          where e.user_id = p_user and e.source_id = p_source
            and coalesce(e.earned_from, e.user_id) = coalesce(p_from, p_user)
            and e.kind = p_kind and e.roll_up_level = 0
          order by e.position desc limit 1);
end $$;
comment on function private.find_active_reputation is
  'The direct entry that a cause gave a person, or null if it gave none or the entry was undone. Call '
  'private.lock_effects first.';

create function private.earn_reputation(p_earnings private.earning[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bots uuid[] := private.bots_among(array(select unnest(array[e.user_id, e.earned_from])
                                            from unnest(p_earnings) as e));
begin
  perform private.write_reputation(array(
    select (gen_random_uuid(), e.user_id, e.interest_id, e.kind, e.points, 0, e.source_id, e.earned_from,
            e.caused_at)::private.reputation_change
    from (select distinct on (l.user_id, l.kind, l.source_id, l.earned_from)
                 l.*, private.ledger_points('reputation', l.kind) as points
          from unnest(p_earnings) with ordinality
                 as l (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
          where l.interest_id is not null and l.earned_from is distinct from l.user_id
            and l.user_id <> all (v_bots) and (l.earned_from is null or l.earned_from <> all (v_bots))
          order by l.user_id, l.kind, l.source_id, l.earned_from, l.place) e
    where e.points <> 0
      and private.find_active_reputation(e.user_id, e.kind, e.source_id, e.earned_from) is null
    order by e.place));
end $$;
comment on function private.earn_reputation is
  'Adds the points of each kind once per cause, until they are undone. It adds nothing without an interest. Nobody '
  'earns from themselves or from bots, and bots do not earn. Call private.lock_effects first.';

create function private.reverse_reputation(p_entries uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  with undone as materialized (
    select e.id, gen_random_uuid() as opposite_id from app.reputation_entries e where e.id = any (p_entries)
  )
  insert into app.reputation_entries
    (id, user_id, interest_id, kind, delta, origin_id, roll_up_level, undoes_id, source_id, earned_from)
  select case when e.id = u.id then u.opposite_id else gen_random_uuid() end, e.user_id, e.interest_id, e.kind,
         -e.delta, case when e.id <> u.id then u.opposite_id end, e.roll_up_level, e.id, e.source_id, e.earned_from
  from undone u join app.reputation_entries e on e.id = u.id or e.origin_id = u.id;
end $$;
comment on function private.reverse_reputation is
  'Writes the opposite of these direct entries and of their roll-ups. Call private.lock_effects first, so that an '
  'entry is undone only once.';

create function private.earn_reputation_from_posts(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(array(
    select (p.author_id, p.interest_id, 'post.contributed', p.id, null, e.caused_at)::private.earning
    from unnest(p_effects) e join app.posts p on p.id = (e.payload ->> 'postId')::uuid
    where p.format <> 'repost'));
end $$;
comment on function private.earn_reputation_from_posts is
  'Listener: a published post earns its author post.contributed in its primary interest.';

create function private.earn_reputation_from_replies(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(array(
    select (r.author_id, p.interest_id, 'reply.' || r.kind, r.id, p.author_id, e.caused_at)::private.earning
    from unnest(p_effects) e
    join app.replies r on r.id = (e.payload ->> 'replyId')::uuid and r.author_id = e.user_id
    join app.posts p on p.id = r.post_id));
end $$;
comment on function private.earn_reputation_from_replies is
  'Listener: a reply to another''s post earns its author the points of its kind, in the post''s primary interest.';

create view private.post_engagement with (security_invoker) as
select r.post_id, r.user_id, 'reaction' as action from app.reactions r
union all
select b.post_id, b.user_id, 'bookmark' from app.bookmarks b
union all
select p.quoted_post_id, p.author_id, 'repost' from app.posts p
where p.format = 'repost' and p.deleted_at is null and p.published_at is not null;
comment on view private.post_engagement is
  'What people leave on posts and may take back: reactions, a bookmark, a repost. The view is for definer functions.';

create function private.changed_engagement(p_effects private.effects[])
returns table (post_id uuid, user_id uuid, action text, stands boolean, caused_at timestamptz)
language plpgsql stable
set search_path = ''
as $$
begin
  -- the events posts.reaction.… and posts.bookmark.… name the action; posts.post.reposted and …unreposted are about a
  -- repost
  return query
  select c.post_id, c.user_id, c.action,
         exists (select from private.post_engagement m
                 where m.post_id = c.post_id and m.user_id = c.user_id and m.action = c.action),
         c.caused_at
  from (select (e.payload ->> 'postId')::uuid as post_id, (e.payload ->> 'userId')::uuid as user_id,
               replace(split_part(e.event, '.', 2), 'post', 'repost') as action, min(e.caused_at) as caused_at
        from unnest(p_effects) e
        group by 1, 2, 3) c;
end $$;
comment on function private.changed_engagement is
  'The engagement that these effects are about, each once, and whether each exists now. Only the present state '
  'counts, so adding, removing and adding again has the right result however the effects are batched. If a heart '
  'and a spark are removed at the same time, the later effect finds neither.';

create function private.settle_engagement_reputation(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_earned private.earning[];
  v_undone uuid[];
begin
  select array_agg((f.author_id, f.interest_id, f.kind, f.post_id, f.user_id, f.caused_at)::private.earning)
           filter (where f.stands and f.entry_id is null and f.deleted_at is null),
         array_agg(f.entry_id) filter (where not f.stands and f.erased_at is null and f.entry_id is not null)
  into v_earned, v_undone
  from (select m.*, k.kind, p.author_id, p.interest_id, p.deleted_at,
               (select u.erased_at from app.users u where u.id = m.user_id) as erased_at,   -- erasures undo nothing
               private.find_active_reputation(p.author_id, k.kind, p.id, m.user_id) as entry_id
        from private.changed_engagement(array(
               select e from unnest(p_effects) e join app.posts o on o.id = (e.payload ->> 'postId')::uuid
               where e.user_id = o.author_id)) m
        cross join lateral (select m.action || '.received' as kind) k
        join app.posts p on p.id = m.post_id) f;
  perform private.reverse_reputation(v_undone);
  perform private.earn_reputation(v_earned);
end $$;
comment on function private.settle_engagement_reputation is
  'Listener: a person''s reactions to a post together earn its author reaction.received once, in the post''s '
  'primary interest, as long as one reaction exists. A bookmark earns bookmark.received and a repost '
  'repost.received in the same way. People earn nothing from themselves, and a deleted post earns nothing more. A '
  'quote earns nothing.';

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.earn_reputation_from_posts', 300, 'soon'),
  ('posts.reply.created', 'private.earn_reputation_from_replies', 300, 'soon'),
  ('posts.reaction.added', 'private.settle_engagement_reputation', 300, 'soon'),
  ('posts.reaction.removed', 'private.settle_engagement_reputation', 300, 'soon'),
  ('posts.bookmark.added', 'private.settle_engagement_reputation', 300, 'soon'),
  ('posts.bookmark.removed', 'private.settle_engagement_reputation', 300, 'soon'),
  ('posts.post.reposted', 'private.settle_engagement_reputation', 300, 'soon'),
  ('posts.post.unreposted', 'private.settle_engagement_reputation', 300, 'soon');

create function private.find_strongest_interest(p_user uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(
      (select r.interest_id from app.reputation r
       where r.user_id = p_user and r.value > 0 order by r.value desc, r.interest_id limit 1),
      (select u.interest_id from app.user_interests u
       where u.user_id = p_user order by u.created_at, u.interest_id limit 1)));
end $$;
comment on function private.find_strongest_interest is
  'The interest in which a person has the most reputation; otherwise the one that they chose first; otherwise null.';

create function private.earn_reputation_from_invites(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(array(
    select (e.user_id, private.find_strongest_interest(e.user_id), 'invite.used', (e.payload ->> 'codeId')::uuid,
            (e.payload ->> 'newUserId')::uuid, e.caused_at)::private.earning
    from unnest(p_effects) e));
end $$;
comment on function private.earn_reputation_from_invites is
  'Listener: the owner of a used invite code earns invite.used in their strongest interest, or nothing if they have '
  'no interest.';

create function private.earn_reputation_from_choices(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(array(
    select (e.user_id, i.id, 'onboarding.bootstrap', i.id, null, e.caused_at)::private.earning
    from unnest(p_effects) e
    cross join lateral jsonb_array_elements_text(e.payload -> 'interestIds') c (id)
    join app.interests i on i.id = c.id::uuid
    where i.level = 1
    order by e.id, i.id));
end $$;
comment on function private.earn_reputation_from_choices is
  'Listener: a confirmed choice of interests earns onboarding.bootstrap in each chosen category, once in a '
  'lifetime.';
insert into private.event_listeners (event, listener, position, timing) values
  ('identity.invite_code.used', 'private.earn_reputation_from_invites', 300, 'soon'),
  ('interests.user_selected', 'private.earn_reputation_from_choices', 300, 'soon');
