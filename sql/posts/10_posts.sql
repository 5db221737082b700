-- Posts: what people publish, and who may see it.
-- Specification: Resources › Post; Posts and feed. Decisions: Visibility, Names and shapes › Bodies, Answers.

create function private.visibility_level(p_visibility text) returns smallint
language sql immutable
set search_path = ''
as $$ select (case p_visibility when 'public' then 0 when 'circles' then 1 else 2 end)::smallint $$;
comment on function private.visibility_level is 'The audience level that a visibility asks for. See private.may_see.';

create function private.trimmed(p_text text) returns text
language sql immutable
set search_path = ''
as $$ select btrim(p_text, e' \t\r\n') $$;
comment on function private.trimmed is 'A text without the blanks and empty lines around it.';

create table app.posts (
  id              uuid primary key default gen_random_uuid(),
  author_id       uuid not null references app.users on delete restrict,
  format          text not null default 'note' check (format in ('note', 'essay')),
  title           text,
  body            text not null,
  visibility      text not null default 'public' check (visibility in ('public', 'circles', 'inner')),
  depth           smallint not null default 0 check (depth between 0 and 5),
  interest_id     uuid references app.interests on delete restrict,
  space_id        uuid references app.spaces on delete restrict,
  hidden_at       timestamptz,
  deleted_at      timestamptz,
  author_silenced boolean not null default false,
  created_at      timestamptz not null default now(),
  required_level  smallint not null generated always as (
    case when deleted_at is not null or author_silenced then 4
         when hidden_at is not null then 3
         when space_id is not null then 0
         else private.visibility_level(visibility) end) stored,
  -- a deleted post may have lost its words
  constraint post_title check (deleted_at is not null or
    case format when 'essay' then coalesce(length(private.trimmed(title)), 0) between 1 and 200 else title is null end),
  constraint post_body check (deleted_at is not null or
    length(private.trimmed(body)) between 1 and case format when 'essay' then 100000 else 5000 end)
);
create index posts_author_id_idx on app.posts (author_id, created_at desc, id desc);
create index posts_interest_id_idx on app.posts (interest_id, created_at desc, id desc);
create index posts_space_id_idx on app.posts (space_id, created_at desc, id desc) where space_id is not null;
comment on table app.posts is 'What people publish. A deleted or hidden post keeps its row.';
comment on column app.posts.required_level is
  'What a viewer must be to the author: 0 anyone (or a member of the space), 1 in a circle, 2 inner circle, 3 the author (hidden), 4 nobody (deleted, author banned). See private.may_see.';
comment on column app.posts.author_silenced is 'Whether the author is banned: kept by trigger, so that seeing a post needs no further look.';

create table app.post_interests (
  post_id     uuid not null references app.posts on delete cascade,
  interest_id uuid not null references app.interests on delete restrict,
  is_primary  boolean not null default false,
  primary key (post_id, interest_id)
);
create unique index post_interests_primary_key on app.post_interests (post_id) where is_primary;
create index post_interests_interest_id_idx on app.post_interests (interest_id, post_id);
comment on table app.post_interests is 'A post''s interests: the primary one mirrored, and up to four more.';

create table app.post_counters (
  post_id   uuid primary key references app.posts on delete cascade,
  reactions integer not null default 0 check (reactions >= 0),
  replies   integer not null default 0 check (replies >= 0)
);
comment on table app.post_counters is 'Counts of a post, beside it so that counting does not rewrite it. Triggers keep them.';

create table app.post_emotions (
  post_id  uuid not null references app.posts on delete cascade,
  emotion  text not null,
  payments integer not null check (payments >= 0),
  mana     bigint not null check (mana >= 0),
  primary key (post_id, emotion)
);
comment on table app.post_emotions is 'Mana that a post was paid, by emotion. The economy''s trigger keeps it.';

insert into private.errors (word, status, text) values
  ('post_unknown', 404, 'There is no such post.'),
  ('post_title', 422, 'An essay needs a title of 1 to 200 characters; other formats have none.'),
  ('post_body', 422, 'A post needs a body: up to 5000 characters for a note, 100000 for an essay.'),
  ('post_interests_exceeded', 422, 'A post has one primary interest and at most 4 more.');

create trigger check_author before insert on app.posts for each row execute function private.check_author();

create function private.count_post() returns trigger
language plpgsql security definer   -- counters are written by triggers alone
set search_path = ''
as $$
begin
  insert into app.post_counters (post_id) values (new.id);
  if new.interest_id is not null then
    insert into app.post_interests (post_id, interest_id, is_primary) values (new.id, new.interest_id, true);
  end if;
  return null;
end $$;
comment on function private.count_post is 'Trigger: a new post has counters, and its primary interest in the junction.';
create trigger count_post after insert on app.posts for each row execute function private.count_post();

create function private.silence_posts() returns trigger
language plpgsql security definer   -- a ban changes rows of the banned person
set search_path = ''
as $$
begin
  update app.posts set author_silenced = new.banned_at is not null where author_id = new.id;
  return null;
end $$;
comment on function private.silence_posts is 'Trigger: a ban takes a person''s posts from everyone, its end gives them back.';
create trigger silence_posts after update of banned_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null))
  execute function private.silence_posts();

create function private.post(p_post uuid) returns app.posts
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_post app.posts;
begin
  select * into v_post from app.posts where id = p_post;
  if not found then
    perform private.fail('post_unknown');
  end if;
  return v_post;
end $$;
comment on function private.post is 'The post, when the caller may see it. Fails: post_unknown.';

create function private.post_visible_to(p_post uuid, p_viewer uuid) returns boolean
language plpgsql stable security definer   -- asks for a viewer other than the caller
set search_path = ''
as $$
begin
  return (
    select private.may_see(
      private.level_of(p_viewer, p.author_id), p.required_level,
      p.space_id is null or exists (select from app.space_members m where m.space_id = p.space_id and m.user_id = p_viewer))
    from app.posts p where p.id = p_post);
end $$;
comment on function private.post_visible_to is
  'Whether any person may see a post: for definer functions that tell others about it. Null when there is none.';

create function private.post_time(p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor holds also when its post was deleted or hidden since
set search_path = ''
as $$
begin
  return (
    select p.created_at from app.posts p
    where p.id = p_post
      and private.may_see(
        private.level_of(app.uid(), p.author_id),
        case when p.space_id is null then private.visibility_level(p.visibility) else 0::smallint end,
        p.space_id is null or exists (select from app.space_members m where m.space_id = p.space_id and m.user_id = app.uid())));
end $$;
comment on function private.post_time is
  'Where a cursor''s post stands in time: also a deleted one, never one that was not for the caller.';
