-- The contribution score: what people do for the whole, and a share of it for those who invited them.
-- docs/decisions.md, Reputation.
--
-- What a person does is written at once, and a job writes the shares soon after (71_inheritance.sql): most people were
-- invited by a few, at whose scores they would wait for each other. An operation that gives points to several people
-- locks them all first, and writes in the order of their ids: ARCHITECTURE.md, Locks.

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
  constraint contribution_entries_undoes_id_key unique (undoes_id),
  check ((origin_id is null) = (level = 0))
);
create index contribution_entries_user_id_idx on app.contribution_entries (user_id, position desc);
create index contribution_entries_origin_id_idx on app.contribution_entries (origin_id) where origin_id is not null;
create index contribution_entries_cause_idx on app.contribution_entries (user_id, source_id, kind, position desc)
  where level = 0;
comment on column app.contribution_entries.kind is 'One of private.ledger_kinds.';
comment on table app.contribution_entries is
  'The ledger: ids and numbers only, never changed. An entry that is taken back gets an opposite one.';
comment on column app.contribution_entries.delta is
  'Points, with two decimals: more than 0, or less where it undoes an entry.';
comment on column app.contribution_entries.position is
  'The order of what a person did, also within a transaction: it is given while private.lock_ledger is held. Shares '
  'come later.';
comment on column app.contribution_entries.level is
  '0 is what the person did, 1 the share of their inviter, 2 and 3 the shares of the inviters above.';
comment on column app.contribution_entries.origin_id is 'For a share: the entry that it is a share of.';
comment on column app.contribution_entries.undoes_id is 'The entry that this one takes back.';
comment on column app.contribution_entries.source_id is
  'The cause, by kind: the post published, the reply, the post reacted to or bookmarked, the payment.';
call private.make_append_only('app.contribution_entries');

create table app.contribution_scores (
  user_id uuid primary key references app.users on delete restrict,
  score   numeric(14, 2) not null
);
create index contribution_scores_score_idx on app.contribution_scores (score desc, user_id);
comment on table app.contribution_scores is
  'The ledger summed up by person, with the shares that are written. A trigger on the ledger keeps it.';
comment on column app.contribution_scores.score is 'The sum of the person''s entries, in points.';

create table private.contribution_inheritance (
  entry_id  uuid primary key references app.contribution_entries on delete restrict,
  undoes_id uuid
);
comment on table private.contribution_inheritance is
  'Entries whose shares are not written yet, both of what people did and of what was undone: '
  'private.job_inherit_contributions writes them.';
comment on column private.contribution_inheritance.undoes_id is
  'As in the entry: an entry comes before the one that undoes it.';

insert into private.ledger_kinds (ledger, kind, points) values
  ('contribution', 'post_created', 10),
  ('contribution', 'reply_created', 3),
  ('contribution', 'reaction_given', 1),
  ('contribution', 'bookmark_given', 1);

create function private.sum_contribution() returns trigger
language plpgsql security definer   -- writes the scores of others than the caller
set search_path = ''
as $$
begin
  -- sorted, so that two writers of the same scores do not wait for each other: ARCHITECTURE.md, Locks
  insert into app.contribution_scores as s (user_id, score)
  select w.user_id, sum(w.delta) from written w group by w.user_id order by w.user_id
  on conflict (user_id) do update set score = s.score + excluded.score;
  return null;
end $$;
comment on function private.sum_contribution is 'Trigger: keeps app.contribution_scores.';
create trigger sum_contribution after insert on app.contribution_entries
  referencing new table as written for each statement execute function private.sum_contribution();

create function private.find_standing_contribution(p_user uuid, p_kind text, p_source uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  -- only the newest counts, as in private.find_standing_reputation
  return (select case when e.undoes_id is null then e.id end
          from app.contribution_entries e
          where e.user_id = p_user and e.source_id = p_source and e.kind = p_kind and e.level = 0
          order by e.position desc limit 1);
end $$;
comment on function private.find_standing_contribution is
  'The entry that a cause gave a person, or null when it gave none or was undone. Lock first (private.lock_ledger).';

create function private.earn_contribution(p_user uuid, p_kind text, p_source uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock_ledger('contribution', array[p_user]);
  if private.find_standing_contribution(p_user, p_kind, p_source) is null then
    with given as (
      insert into app.contribution_entries (user_id, kind, delta, source_id)
      values (p_user, p_kind, private.ledger_points('contribution', p_kind), p_source)
      returning id
    )
    insert into private.contribution_inheritance (entry_id) select id from given;
  end if;
end $$;
comment on function private.earn_contribution is
  'Gives the points of a kind once for a cause, until it is undone. Soon after, the person''s inviters get their '
  'shares.';

create function private.reverse_contribution(p_user uuid, p_kind text, p_source uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_standing uuid;
begin
  perform private.lock_ledger('contribution', array[p_user]);
  v_standing := private.find_standing_contribution(p_user, p_kind, p_source);
  with undone as (
    insert into app.contribution_entries (user_id, kind, delta, undoes_id, source_id)
    select e.user_id, e.kind, -e.delta, e.id, e.source_id from app.contribution_entries e where e.id = v_standing
    returning id, undoes_id
  )
  insert into private.contribution_inheritance (entry_id, undoes_id) select id, undoes_id from undone;
end $$;
comment on function private.reverse_contribution is
  'Writes the exact opposite of private.earn_contribution, shares too. Does nothing when the cause gave nothing or is '
  'undone already.';

create function private.earn_contribution_from_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_contribution(p.author_id, 'post_created', p.id)
  from app.posts p
  where p.id = (p_event ->> 'postId')::uuid and p.format <> 'repost';
end $$;
comment on function private.earn_contribution_from_post is 'Listener: a published post, other than a repost, is a '
  'contribution of its author.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.earn_contribution_from_post', 400);

create function private.earn_contribution_from_reply(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.earn_contribution(r.author_id, 'reply_created', r.id)
  from app.replies r join app.posts p on p.id = r.post_id
  where r.id = (p_event ->> 'replyId')::uuid and r.author_id <> p.author_id;
end $$;
comment on function private.earn_contribution_from_reply is 'Listener: a reply to another''s post is a contribution '
  'of its author.';
insert into private.event_listeners (event, listener, position) values
  ('posts.reply.created', 'private.earn_contribution_from_reply', 400);

create function private.earn_contribution_from_reaction() returns trigger
language plpgsql security definer   -- only triggers write the ledger
set search_path = ''
as $$
begin
  perform private.earn_contribution(new.user_id, 'reaction_given', new.post_id)
  from app.posts p where p.id = new.post_id and p.author_id <> new.user_id;
  return null;
end $$;
comment on function private.earn_contribution_from_reaction is
  'Trigger: a reaction to another''s post is a contribution, once a person and post.';
create trigger _400_earn_contribution_from_reaction after insert on app.reactions
  for each row execute function private.earn_contribution_from_reaction();

create function private.reverse_contribution_from_reactions() returns trigger
language plpgsql security definer   -- only triggers write the ledger
set search_path = ''
as $$
begin
  -- a statement of its own for the lock: when a heart and a spark go at once, the later sees that both are gone
  perform private.lock_ledger('contribution', array(select distinct g.user_id from gone g));
  perform private.reverse_contribution(g.user_id, 'reaction_given', g.post_id)
  from (select distinct post_id, user_id from gone) g
  where not exists (select from app.reactions r where r.post_id = g.post_id and r.user_id = g.user_id)
  order by g.user_id;
  return null;
end $$;
comment on function private.reverse_contribution_from_reactions is
  'Trigger: when a person''s last reaction on a post goes, their contribution by it goes too.';
create trigger _400_reverse_contribution_from_reactions after delete on app.reactions
  referencing old table as gone for each statement execute function private.reverse_contribution_from_reactions();
