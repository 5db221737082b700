-- What earns reputation, and what takes it back.
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

create function private.find_standing_reputation(p_user uuid, p_kind text, p_source uuid, p_from uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  -- only the newest counts, so that liking and unliking for hours does not get slower each time
  return (select case when e.undoes_id is null then e.id end
          from app.reputation_entries e
          where e.user_id = p_user and e.source_id = p_source
            and coalesce(e.earned_from, e.user_id) = coalesce(p_from, p_user)
            and e.kind = p_kind and e.roll_up_level = 0
          order by e.position desc limit 1);
end $$;
comment on function private.find_standing_reputation is
  'The direct entry that a cause gave a person, or null when it gave none or was undone. Lock first '
  '(private.lock_ledger).';

create function private.earn_reputation(
  p_user uuid, p_interest uuid, p_kind text, p_source uuid, p_from uuid default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_points numeric := private.ledger_points('reputation', p_kind);
begin
  if p_interest is null or v_points = 0 or p_from = p_user then
    return;
  end if;
  perform private.lock_ledger('reputation', array[p_user]);
  if private.find_standing_reputation(p_user, p_kind, p_source, p_from) is null then
    perform private.add_reputation(p_user, p_interest, p_kind, v_points, p_source, p_from);
  end if;
end $$;
comment on function private.earn_reputation is
  'Gives the points of a kind once for a cause, until it is undone. It gives nothing without an interest, and nothing '
  'from oneself.';

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
  'Writes the opposite of these direct entries and of their roll-ups. Lock first (private.lock_ledger), so that an '
  'entry is undone once.';

create function private.earn_reputation_by_post(p_post uuid, p_kind text, p_from uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post app.posts;
begin
  select * into v_post from app.posts where id = p_post;
  if v_post.interest_id is null or v_post.author_id = p_from then
    return;
  end if;
  -- reads the post again under the lock, so that nothing is earned that a deletion at the same time would not find
  perform private.lock_ledger('reputation', array[v_post.author_id]);
  perform private.earn_reputation(p.author_id, p.interest_id, p_kind, p.id, p_from)
  from app.posts p where p.id = p_post and p.deleted_at is null;
end $$;
comment on function private.earn_reputation_by_post is
  'Gives a post''s author, in its primary interest, what somebody''s reaction, bookmark or repost of it is worth. A '
  'deleted post earns nothing.';

create function private.earn_reputation_from_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(p.author_id, p.interest_id, 'post.contributed', p.id)
  from app.posts p
  where p.id = (p_event ->> 'postId')::uuid and p.format <> 'repost';
end $$;
comment on function private.earn_reputation_from_post is 'Listener: a published post earns its author '
  'post.contributed in its primary interest.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.earn_reputation_from_post', 300);

create function private.earn_reputation_from_reply(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation(r.author_id, p.interest_id, 'reply.' || r.kind, r.id, p.author_id)
  from app.replies r join app.posts p on p.id = r.post_id
  where r.id = (p_event ->> 'replyId')::uuid;
end $$;
comment on function private.earn_reputation_from_reply is
  'Listener: a reply to another''s post earns its author the points of its kind, in the post''s primary interest.';
insert into private.event_listeners (event, listener, position) values
  ('posts.reply.created', 'private.earn_reputation_from_reply', 300);

create function private.earn_reputation_from_reaction() returns trigger
language plpgsql security definer   -- writes for the post's author
set search_path = ''
as $$
begin
  perform private.earn_reputation_by_post(new.post_id, 'reaction.received', new.user_id);
  return null;
end $$;
comment on function private.earn_reputation_from_reaction is
  'Trigger: a reaction earns the post''s author reaction.received, once a person and post.';
create trigger _300_earn_reputation_from_reaction after insert on app.reactions
  for each row execute function private.earn_reputation_from_reaction();

create function private.reverse_reputation_from_reactions() returns trigger
language plpgsql security definer   -- writes for the posts' authors
set search_path = ''
as $$
begin
  -- a statement of its own for the lock: when a heart and a spark go at once, the later sees that both are gone
  perform private.lock_ledger('reputation', array(
    select p.author_id from gone g join app.posts p on p.id = g.post_id));
  perform private.reverse_reputation(array(
    select private.find_standing_reputation(p.author_id, 'reaction.received', g.post_id, g.user_id)
    from (select distinct post_id, user_id from gone) g
    join app.posts p on p.id = g.post_id
    where not exists (select from app.reactions r where r.post_id = g.post_id and r.user_id = g.user_id)));
  return null;
end $$;
comment on function private.reverse_reputation_from_reactions is
  'Trigger: when a person''s last reaction on a post goes, what it earned is taken back.';
create trigger _300_reverse_reputation_from_reactions after delete on app.reactions
  referencing old table as gone for each statement execute function private.reverse_reputation_from_reactions();

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
  'The interest in which a person has the most reputation, else the one that they chose first, else null.';

create function private.earn_reputation_from_invite(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_inviter uuid := (p_event ->> 'inviterUserId')::uuid;
begin
  perform private.earn_reputation(v_inviter, private.find_strongest_interest(v_inviter), 'invite.used',
                       (p_event ->> 'codeId')::uuid, (p_event ->> 'newUserId')::uuid);
end $$;
comment on function private.earn_reputation_from_invite is
  'Listener: the owner of a used invite code earns invite.used in their strongest interest; nothing when they have '
  'none.';
insert into private.event_listeners (event, listener, position) values
  ('identity.invite_code.used', 'private.earn_reputation_from_invite', 300);

create function private.earn_reputation_from_choice(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_reputation((p_event ->> 'userId')::uuid, i.id, 'onboarding.bootstrap', i.id)
  from app.interests i
  where i.level = 1
    and i.id in (select c::uuid from jsonb_array_elements_text(p_event -> 'interestIds') as c)
  order by i.id;
end $$;
comment on function private.earn_reputation_from_choice is
  'Listener: a confirmed choice earns onboarding.bootstrap in each category in it, once in a lifetime.';
insert into private.event_listeners (event, listener, position) values
  ('interests.user_selected', 'private.earn_reputation_from_choice', 300);
