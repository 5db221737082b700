-- Who may see whom. There is one row per pair of people, so that a policy needs one index-only lookup per row that it
-- checks. Triggers on circles and blocks maintain it: sql/social. docs/decisions.md, Visibility.

create table app.audience (
  viewer_id uuid not null references app.users on delete cascade,
  author_id uuid not null references app.users on delete cascade,
  level     smallint not null check (level in (-1, 1, 2, 3)),
  constraint audience_pkey primary key (viewer_id, author_id) include (level)
);
create index audience_author_id_idx on app.audience (author_id, viewer_id) include (level);
create index audience_closer_idx on app.audience (viewer_id, author_id) include (level) where level > 0;
create index audience_blocked_idx on app.audience (viewer_id, author_id) where level < 0;
comment on table app.audience is
  'What a viewer is to an author: -1 blocked either way, 1 in a circle, 2 in the inner circle, 3 oneself. No row '
  'means a stranger (0).';

create table app.hidden_people (
  user_id uuid primary key references app.users on delete cascade
);
comment on table app.hidden_people is
  'Banned and erased people. As soon as they are in this table, nobody sees what they wrote; their rows get '
  'required_level 4 later, in batches. private.hide_person maintains the table.';

create table app.limited_people (
  user_id uuid primary key references app.users on delete cascade
);
comment on table app.limited_people is
  'People whom staff limited: only they and their followers find them in feeds, searches and suggestions. A trigger '
  'maintains the table.';

insert into private.lock_kinds (kind, position) values ('pair', 400);

create function private.hide_person(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_user.banned_at is null and p_user.erased_at is null then
    delete from app.hidden_people where user_id = p_user.id;
  else
    insert into app.hidden_people (user_id) values (p_user.id) on conflict do nothing;
  end if;
end $$;
comment on function private.hide_person is
  'Step: adds banned and erased people to app.hidden_people, and removes people whose ban has ended.';
insert into private.account_steps (step, events, position) values
  ('private.hide_person', '{ban,unban,erasure}', 60);

create function private.may_meet(p_level smallint) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return coalesce(p_level, 0) >= 0;
end $$;
comment on function private.may_meet is
  'Returns whether two people may see each other: neither has blocked the other.';

create view private.visible_people with (security_invoker) as
select u.id, u.username
from app.users u
where u.banned_at is null and u.erased_at is null
  and private.may_meet((select a.level from app.audience a
                        where a.viewer_id = (select app.uid()) and a.author_id = u.id));
comment on view private.visible_people is
  'The people whom the caller may see, by the same rule as the policy of app.users. The view is for definer '
  'functions, to which policies do not apply.';

create function private.find_level(p_viewer uuid, p_author uuid) returns smallint
language plpgsql stable security definer   -- reads the audience of people other than the caller
set search_path = ''
as $$
begin
  return (select level from app.audience where viewer_id = p_viewer and author_id = p_author);
end $$;
comment on function private.find_level is
  'The audience level of any viewer to any author, for definer functions, to which policies do not apply. Null '
  'means a stranger.';

create function private.add_own_audience() returns trigger
language plpgsql security definer   -- only triggers may write the audience
set search_path = ''
as $$
begin
  insert into app.audience (viewer_id, author_id, level) values (new.id, new.id, 3);
  return null;
end $$;
comment on function private.add_own_audience is
  'Trigger: adds the row of a new person as their own viewer, with level 3.';
create trigger _050_add_own_audience after insert on app.users
  for each row execute function private.add_own_audience();

create function private.lock_pairs(p_ones uuid[], p_others uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock('pair', variadic array(
    select (hashtextextended(least(o.one, o.other)::text || greatest(o.one, o.other)::text, 0) & 1023)::text
    from unnest(p_ones, p_others) as o (one, other)));
end $$;
comment on function private.lock_pairs is
  'Locks pairs of people until the transaction ends. The caller must compute levels in a later statement, because '
  'only the snapshot of a later statement has everything that other transactions committed. All pairs share 1024 '
  'locks, because an erasure has a pair for everybody who blocks the person, and Postgres limits the number of '
  'locks in the whole database.';
