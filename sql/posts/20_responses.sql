-- What others make of a post: replies of four kinds, hearts and sparks.
-- Specification: Resources › Reply; Posts and feed. Events: posts.reply.created, posts.reaction.added.

create table app.replies (
  id              uuid primary key default gen_random_uuid(),
  post_id         uuid not null references app.posts on delete restrict,
  author_id       uuid not null references app.users on delete restrict,
  parent_id       uuid references app.replies on delete restrict,
  kind            text not null default 'reply' check (kind in ('reply', 'reaction', 'criticism', 'contribution')),
  body            text not null,
  hidden_at       timestamptz,
  deleted_at      timestamptz,
  author_silenced boolean not null default false,
  created_at      timestamptz not null default now(),
  required_level  smallint not null generated always as (
    case when deleted_at is not null or author_silenced then 4 when hidden_at is not null then 3 else 0 end) stored,
  -- a deleted reply may have lost its words
  constraint reply_body check (deleted_at is not null or
    length(private.trimmed(body)) between 1 and case kind when 'reaction' then 280 else 5000 end),
  constraint criticism_length check (deleted_at is not null or kind <> 'criticism' or length(private.trimmed(body)) between 50 and 300),
  constraint contribution_length check (deleted_at is not null or kind <> 'contribution' or length(private.trimmed(body)) >= 100)
);
-- without what nobody sees: thousands of silenced replies are not walked by who looks at the others
create index replies_post_id_idx on app.replies (post_id, created_at, id) where required_level <= 3;
create index replies_kind_idx on app.replies (post_id, kind, created_at, id) where required_level <= 3;
create index replies_parent_id_idx on app.replies (parent_id, created_at, id) where parent_id is not null and required_level <= 3;
create index replies_author_id_idx on app.replies (author_id, created_at desc);
comment on table app.replies is 'Replies to posts. A deleted or hidden reply keeps its row.';
comment on column app.replies.parent_id is 'The reply under the same post that this one answers; null is the post itself.';
comment on column app.replies.required_level is 'As app.posts.required_level; the post''s own comes on top.';

create table app.reactions (
  post_id    uuid not null references app.posts on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  kind       text not null check (kind in ('heart', 'spark')),
  created_at timestamptz not null default now(),
  primary key (post_id, user_id, kind)
);
create index reactions_user_id_idx on app.reactions (user_id, created_at desc);
comment on table app.reactions is 'Hearts and sparks, one of each a person and post.';
-- no update: a reaction is given or taken back

insert into private.errors (word, status, text) values
  ('reply_unknown', 404, 'There is no such reply.'),
  ('reply_body', 422, 'A reply needs a body: up to 280 characters for a reaction, 5000 otherwise.'),
  ('criticism_length', 422, 'A criticism has 50 to 300 characters.'),
  ('contribution_length', 422, 'A contribution has at least 100 characters.');

create trigger check_author before insert on app.replies for each row execute function private.check_author();

create function private.check_parent() returns trigger
language plpgsql   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
begin
  perform from app.replies where id = new.parent_id and post_id = new.post_id;
  if not found then
    perform private.fail('reply_unknown');
  end if;
  return new;
end $$;
comment on function private.check_parent is
  'Trigger: a reply answers one under the same post, and one that its author sees. Fails: reply_unknown.';
create trigger check_parent before insert on app.replies
  for each row when (new.parent_id is not null) execute function private.check_parent();

create function private.count_replies() returns trigger
language plpgsql security definer   -- counters are written by triggers alone
set search_path = ''
as $$
declare
  v_there uuid[] := array(select w.post_id from written w where w.required_level = 0);
  v_were  uuid[];
  v_post  uuid;
  v_more  integer;
begin
  if tg_op = 'UPDATE' then
    v_were := array(select o.post_id from overwritten o where o.required_level = 0);
  end if;
  -- each post once: a ban or an erasure changes thousands of replies under the same
  for v_post, v_more in
    select c.post_id, sum(c.one)
    from (select unnest(v_there), 1 union all select unnest(v_were), -1) c (post_id, one)
    group by c.post_id having sum(c.one) <> 0
    order by c.post_id
  loop
    update app.post_counters set replies = replies + v_more where post_id = v_post;
  end loop;
  return null;
end $$;
comment on function private.count_replies is 'Trigger: counts the replies that are there for everyone: not the hidden, the deleted and those of the banned.';
create trigger count_replies after insert on app.replies
  referencing new table as written for each statement execute function private.count_replies();
create trigger count_changed_replies after update on app.replies
  referencing old table as overwritten new table as written for each statement execute function private.count_replies();

create function private.count_reactions() returns trigger
language plpgsql security definer   -- counters are written by triggers alone
set search_path = ''
as $$
begin
  update app.post_counters set reactions = reactions + case tg_op when 'INSERT' then 1 else -1 end
  where post_id = coalesce(new.post_id, old.post_id);
  return null;
end $$;
comment on function private.count_reactions is 'Trigger: counts hearts. Sparks are not counted (specification, Counters).';
create trigger count_given after insert on app.reactions
  for each row when (new.kind = 'heart') execute function private.count_reactions();
create trigger count_taken_back after delete on app.reactions
  for each row when (old.kind = 'heart') execute function private.count_reactions();

create function private.lock_published() returns trigger
language plpgsql security definer   -- counters are written by triggers alone
set search_path = ''
as $$
begin
  perform private.lock_counters(array(
    select p.id from app.posts p
    where p.author_id = new.id
      and ((old.banned_at is null) <> (new.banned_at is null)
        or p.deleted_at is null or p.title is not null or p.body <> '' or p.media <> '[]')
    union select p.quoted_post_id from app.posts p
    where p.author_id = new.id and p.format = 'repost' and p.deleted_at is null
    union select r.post_id from app.replies r
    where r.author_id = new.id and r.deleted_at is null and r.hidden_at is null));
  return null;
end $$;
comment on function private.lock_published is
  'Trigger: before a ban or an erasure changes anything, the counters of all that it will count or change: those of the person''s posts, of what they reposted and of what they replied under. Who reacts, counts views, moderates, bans or erases meanwhile waits with nothing held that is wanted here.';
-- by its name before silence_… and every erase_…
create trigger counters_first after update of banned_at, erased_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null) or new.erased_at is not null)
  execute function private.lock_published();

create function private.silence_replies() returns trigger
language plpgsql security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
begin
  update app.replies set author_silenced = new.banned_at is not null where author_id = new.id;
  return null;
end $$;
comment on function private.silence_replies is 'Trigger: a ban takes a person''s replies from everyone, its end gives them back.';
create trigger silence_replies after update of banned_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null))
  execute function private.silence_replies();

create function private.reply(p_reply uuid) returns app.replies
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_reply app.replies;
begin
  select * into v_reply from app.replies where id = p_reply;
  if not found then
    perform private.fail('reply_unknown');
  end if;
  return v_reply;
end $$;
comment on function private.reply is 'The reply, when the caller may see it and its post. Fails: reply_unknown.';

create function private.reply_time(p_reply uuid, p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor holds also when its reply was deleted or hidden since
set search_path = ''
as $$
begin
  return (
    select created_at from app.replies
    where id = p_reply and post_id = p_post and private.may_meet(private.level_of(app.uid(), author_id)));
end $$;
comment on function private.reply_time is
  'Where a cursor''s reply stands in time under its post: also a deleted one, never one across a block.';
