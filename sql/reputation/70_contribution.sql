-- The contribution score measures what people do for the community. The people who invited them get a share of it.
-- docs/decisions.md, Reputation.
--
-- A person's own entries are written soon after the action. A job writes the shares (71_inheritance.sql), because a
-- few people invited most others, and transactions would otherwise wait for each other at the scores of these few.

create table app.contribution_entries (
  id         uuid primary key default gen_random_uuid(),
  position   bigint not null generated always as identity,
  user_id    uuid not null references app.users on delete restrict,
  kind       text not null,
  delta      numeric(14, 2) not null check (delta <> 0),
  origin_id  uuid references app.contribution_entries on delete restrict,
  level      smallint not null default 0 check (level between 0 and 3),
  undoes_id  uuid references app.contribution_entries on delete restrict,
  source_id  uuid not null,
  created_at timestamptz not null default now(),
  check ((origin_id is null) = (level = 0))
);
create index contribution_entries_user_id_idx on app.contribution_entries (user_id, position desc);
create index contribution_entries_origin_id_idx on app.contribution_entries (origin_id) where origin_id is not null;
create unique index contribution_entries_undoes_id_key on app.contribution_entries (undoes_id)
  where undoes_id is not null;
create index contribution_entries_cause_idx on app.contribution_entries (user_id, source_id, kind, position desc)
  where level = 0;
comment on column app.contribution_entries.kind is 'One of private.ledger_kinds.';
comment on table app.contribution_entries is
  'The ledger. It has only ids and numbers, and rows never change. To undo an entry, an opposite entry is added.';
comment on column app.contribution_entries.delta is
  'Points with two decimals: positive, or negative if the entry undoes another one.';
comment on column app.contribution_entries.position is
  'The order of a person''s own entries, also within a transaction. It is assigned under the lock of '
  'private.lock_effects. Shares are added later.';
comment on column app.contribution_entries.level is
  '0 is the person''s own entry, 1 the share of their inviter, 2 and 3 the shares of the inviters above.';
comment on column app.contribution_entries.origin_id is 'For a share, the entry of which it is a share.';
comment on column app.contribution_entries.undoes_id is 'The entry that this entry undoes.';
comment on column app.contribution_entries.source_id is
  'The cause, by kind: the post published, the reply, the post reacted to or bookmarked, the payment.';
call private.make_append_only('app.contribution_entries');

create table app.contribution_scores (
  user_id uuid primary key references app.users on delete restrict,
  score   numeric(14, 2) not null
);
create index contribution_scores_score_idx on app.contribution_scores (score desc, user_id);
comment on table app.contribution_scores is
  'The ledger summed by person, including the shares written so far. A trigger on the ledger keeps it up to date.';
comment on column app.contribution_scores.score is 'The sum of the person''s entries, in points.';

create table private.contribution_inheritance (
  entry_id  uuid primary key references app.contribution_entries on delete restrict,
  undoes_id uuid
);
comment on table private.contribution_inheritance is
  'Entries whose shares are not written yet, including entries that undo another one. '
  'private.job_inherit_contributions writes the shares.';
comment on column private.contribution_inheritance.undoes_id is
  'The same as in the entry, so that the job processes an entry before the one that undoes it.';

insert into private.ledger_kinds (ledger, kind, points) values
  ('contribution', 'post_created', 10),
  ('contribution', 'reply_created', 3),
  ('contribution', 'reaction_given', 1),
  ('contribution', 'bookmark_given', 1);

create function private.sum_contribution() returns trigger
language plpgsql security definer   -- writes the scores of people other than the caller
set search_path = ''
as $$
begin
  -- sort, to prevent deadlocks between two writers of the same scores: ARCHITECTURE.md, Locks
  insert into app.contribution_scores as s (user_id, score)
  select w.user_id, sum(w.delta) from written w group by w.user_id order by w.user_id
  on conflict (user_id) do update set score = s.score + excluded.score;
  return null;
end $$;
comment on function private.sum_contribution is 'Trigger: updates app.contribution_scores.';
create trigger sum_contribution after insert on app.contribution_entries
  referencing new table as written for each statement execute function private.sum_contribution();

create function private.find_active_contribution(p_user uuid, p_kind text, p_source uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  -- read only the newest entry, as private.find_active_reputation does
  return (select case when e.undoes_id is null then e.id end
          from app.contribution_entries e
          where e.user_id = p_user and e.source_id = p_source and e.kind = p_kind and e.level = 0
          order by e.position desc limit 1);
end $$;
comment on function private.find_active_contribution is
  'The entry that a cause gave a person, or null if it gave none or the entry was undone. Call private.lock_effects '
  'first.';

create function private.earn_contribution(p_earnings private.earning[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bots uuid[] := private.bots_among(array(select e.user_id from unnest(p_earnings) as e));
begin
  with given as (
    insert into app.contribution_entries (user_id, kind, delta, source_id, created_at)
    select e.user_id, e.kind, private.ledger_points('contribution', e.kind), e.source_id, min(e.caused_at)
    from unnest(p_earnings) with ordinality
           as e (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
    where private.find_active_contribution(e.user_id, e.kind, e.source_id) is null
      and e.user_id <> all (v_bots)
    group by e.user_id, e.kind, e.source_id
    order by min(e.place)
    returning id
  )
  insert into private.contribution_inheritance (entry_id) select id from given;
end $$;
comment on function private.earn_contribution is
  'Adds the points of each kind once per cause, until they are undone, and later a share of them to the inviters. '
  'Bots get none. Call private.lock_effects first.';

create function private.reverse_contribution(p_entries uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  with undone as (
    insert into app.contribution_entries (user_id, kind, delta, undoes_id, source_id)
    select e.user_id, e.kind, -e.delta, e.id, e.source_id
    from app.contribution_entries e where e.id = any (p_entries)
    order by e.position
    returning id, undoes_id
  )
  insert into private.contribution_inheritance (entry_id, undoes_id) select id, undoes_id from undone;
end $$;
comment on function private.reverse_contribution is
  'Writes the opposite of these entries, and later of their shares. Call private.lock_effects first, so that an '
  'entry is undone only once.';

create function private.earn_contribution_from_posts(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_contribution(array(
    select (p.author_id, null, 'post_created', p.id, null, e.caused_at)::private.earning
    from unnest(p_effects) e join app.posts p on p.id = (e.payload ->> 'postId')::uuid
    where p.format <> 'repost'));
end $$;
comment on function private.earn_contribution_from_posts is
  'Listener: a published post, other than a repost, is a contribution of its author.';

create function private.earn_contribution_from_replies(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_contribution(array(
    select (r.author_id, null, 'reply_created', r.id, null, e.caused_at)::private.earning
    from unnest(p_effects) e
    join app.replies r on r.id = (e.payload ->> 'replyId')::uuid and r.author_id = e.user_id
    join app.posts p on p.id = r.post_id and p.author_id <> r.author_id));
end $$;
comment on function private.earn_contribution_from_replies is
  'Listener: a reply to another''s post is a contribution of its author.';

create function private.settle_engagement_contribution(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_earned private.earning[];
  v_undone uuid[];
begin
  select array_agg((f.user_id, null, f.kind, f.post_id, null, f.caused_at)::private.earning)
           filter (where f.stands and f.entry_id is null),
         array_agg(f.entry_id) filter (where not f.stands and f.erased_at is null and f.entry_id is not null)
  into v_earned, v_undone
  from (select m.*, k.kind, private.find_active_contribution(m.user_id, k.kind, m.post_id) as entry_id,
               (select u.erased_at from app.users u where u.id = m.user_id) as erased_at   -- erasures undo nothing
        from private.changed_engagement(array(
               select e from unnest(p_effects) e where e.user_id = (e.payload ->> 'userId')::uuid)) m
        cross join lateral (select m.action || '_given' as kind) k
        join app.posts p on p.id = m.post_id and p.author_id <> m.user_id) f;
  perform private.reverse_contribution(v_undone);
  perform private.earn_contribution(v_earned);
end $$;
comment on function private.settle_engagement_contribution is
  'Listener: a person''s reactions to another''s post are together one contribution of the person, as long as one '
  'reaction exists. So is a bookmark.';

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.earn_contribution_from_posts', 400, 'soon'),
  ('posts.reply.created', 'private.earn_contribution_from_replies', 400, 'soon'),
  ('posts.reaction.added', 'private.settle_engagement_contribution', 400, 'soon'),
  ('posts.reaction.removed', 'private.settle_engagement_contribution', 400, 'soon'),
  ('posts.bookmark.added', 'private.settle_engagement_contribution', 400, 'soon'),
  ('posts.bookmark.removed', 'private.settle_engagement_contribution', 400, 'soon');
