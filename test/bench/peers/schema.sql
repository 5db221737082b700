-- The peer's schema: the tables and functions that the cases home, detail, create and react need, with the same rule
-- of who sees a post. It follows PostGraphile's documentation: row-level security on every table, select granted on
-- whole tables and insert on columns, an index for every foreign key, counters kept by triggers.
create role forum_user login password ':password';
create schema forum;
create type forum.audience as enum ('everyone', 'circles', 'inner');

create table forum.users (
  id uuid primary key,
  username text not null unique,
  first_name text not null,
  last_name text not null,
  profile_pic_url text
);
create table forum.follows (
  follower_id uuid references forum.users,
  following_id uuid references forum.users,
  created_at timestamptz not null default now(),
  primary key (follower_id, following_id)
);
create index on forum.follows (following_id);
create table forum.circles (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references forum.users,
  name text not null,
  unique (id, owner_id)
);
create index on forum.circles (owner_id);
comment on table forum.circles is '@name friend_circle'; -- PostGraphile uses Circle for the type of Postgres
create table forum.members (
  circle_id uuid not null,
  owner_id uuid not null,
  member_id uuid references forum.users,
  is_inner boolean not null default false,
  primary key (circle_id, member_id),
  foreign key (circle_id, owner_id) references forum.circles (id, owner_id)
);
create index on forum.members (member_id, owner_id, is_inner);
create index on forum.members (circle_id, owner_id);
create table forum.blocks (
  blocker_id uuid references forum.users,
  blocked_id uuid references forum.users,
  primary key (blocker_id, blocked_id)
);
create index on forum.blocks (blocked_id, blocker_id);
create table forum.posts (
  id uuid primary key default gen_random_uuid(),
  author_id uuid not null references forum.users,
  body text not null check (body <> '' and length(body) <= 10000),
  audience forum.audience not null default 'everyone',
  depth smallint not null default 0 check (depth between 0 and 5),
  reaction_count integer not null default 0,
  comment_count integer not null default 0,
  published_at timestamptz not null default now()
) with (fillfactor = 90); -- free space on each page for the next versions of the counters
create index on forum.posts (author_id, published_at desc);
create index on forum.posts (published_at desc, id desc);
create table forum.reactions (
  post_id uuid references forum.posts,
  user_id uuid references forum.users,
  kind text not null check (kind in ('heart', 'spark')),
  primary key (post_id, user_id, kind)
);
create index on forum.reactions (user_id);
create table forum.comments (
  id uuid primary key default gen_random_uuid(),
  post_id uuid not null references forum.posts,
  author_id uuid not null references forum.users,
  body text not null check (body <> '' and length(body) <= 10000),
  created_at timestamptz not null default now()
);
create index on forum.comments (post_id, created_at, id);
create index on forum.comments (author_id);

-- the viewer, from pgSettings
create function forum.viewer_id() returns uuid language sql stable
as $$ select nullif(current_setting('forum.user_id', true), '')::uuid $$;

alter table forum.users enable row level security;
create policy select_all on forum.users for select using (true);
alter table forum.follows enable row level security;
create policy all_own on forum.follows using (follower_id = (select forum.viewer_id()));
alter table forum.circles enable row level security;
create policy all_own on forum.circles using (owner_id = (select forum.viewer_id()));
alter table forum.members enable row level security;
create policy all_own on forum.members using (owner_id = (select forum.viewer_id()));
create policy select_own on forum.members for select using (member_id = (select forum.viewer_id()));
alter table forum.blocks enable row level security;
create policy all_own on forum.blocks using (blocker_id = (select forum.viewer_id()));
create policy select_own on forum.blocks for select using (blocked_id = (select forum.viewer_id()));

alter table forum.posts enable row level security;
create policy select_audience on forum.posts for select using (
  (audience = 'everyone'
   or author_id = (select forum.viewer_id())
   or exists (select from forum.members m
              where m.member_id = (select forum.viewer_id()) and m.owner_id = posts.author_id
                and (m.is_inner or posts.audience = 'circles')))
  and not exists (select from forum.blocks b
                  where b.blocker_id = (select forum.viewer_id()) and b.blocked_id = posts.author_id)
  and not exists (select from forum.blocks b
                  where b.blocked_id = (select forum.viewer_id()) and b.blocker_id = posts.author_id));
create policy insert_own on forum.posts for insert with check (author_id = (select forum.viewer_id()));
alter table forum.reactions enable row level security;
create policy select_own on forum.reactions for select using (user_id = (select forum.viewer_id()));
create policy insert_own on forum.reactions for insert
  with check (user_id = (select forum.viewer_id()) and exists (select from forum.posts p where p.id = post_id));
alter table forum.comments enable row level security;
create policy select_with_post on forum.comments for select using (
  exists (select from forum.posts p where p.id = post_id)
  and not exists (select from forum.blocks b
                  where b.blocker_id = (select forum.viewer_id()) and b.blocked_id = comments.author_id)
  and not exists (select from forum.blocks b
                  where b.blocked_id = (select forum.viewer_id()) and b.blocker_id = comments.author_id));
create policy insert_own on forum.comments for insert
  with check (author_id = (select forum.viewer_id()) and exists (select from forum.posts p where p.id = post_id));

create function forum.count_reaction() returns trigger language plpgsql security definer set search_path = ''
as $$
begin
  update forum.posts set reaction_count = reaction_count + 1 where id = new.post_id;
  return null;
end $$;
create trigger _500_count_reaction after insert on forum.reactions
  for each row execute function forum.count_reaction();
create function forum.count_comment() returns trigger language plpgsql security definer set search_path = ''
as $$
begin
  update forum.posts set comment_count = comment_count + 1 where id = new.post_id;
  return null;
end $$;
create trigger _500_count_comment after insert on forum.comments
  for each row execute function forum.count_comment();

-- a function instead of the generated mutation, because reacting twice is not an error, and its result is the whole
-- answer. It is in plpgsql, which caches its plans.
create type forum.engagement as (reaction_count integer, comment_count integer, viewer text[]);
create function forum.react(post_id uuid, kind text) returns forum.engagement language plpgsql volatile
as $$
begin
  insert into forum.reactions (post_id, user_id, kind) values (react.post_id, forum.viewer_id(), react.kind)
  on conflict do nothing;
  return (select (p.reaction_count, p.comment_count,
                  array(select r.kind from forum.reactions r
                        where r.post_id = p.id and r.user_id = forum.viewer_id() order by r.kind))::forum.engagement
          from forum.posts p where p.id = react.post_id);
end $$;

grant usage on schema forum to forum_user;
grant select on all tables in schema forum to forum_user;
grant insert (author_id, body, audience, depth) on forum.posts to forum_user;
grant insert (post_id, user_id, kind) on forum.reactions to forum_user;
grant insert (post_id, author_id, body) on forum.comments to forum_user;
grant insert (blocker_id, blocked_id) on forum.blocks to forum_user;
revoke execute on all functions in schema forum from public;
grant execute on function forum.viewer_id, forum.react to forum_user;
