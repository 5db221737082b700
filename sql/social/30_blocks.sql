-- Blocks, which hide two people from each other, and the triggers that keep app.audience up to date with circles and
-- blocks.
-- docs/decisions.md, Visibility.

create table app.blocks (
  blocker_id uuid not null references app.users on delete cascade,
  blocked_id uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (blocker_id, blocked_id),
  constraint block_oneself check (blocker_id <> blocked_id)
);
create index blocks_blocked_id_idx on app.blocks (blocked_id);
comment on table app.blocks is
  'The blocks between people. A block in either direction hides both people from each other.';
-- no right to update, because people only make or lift blocks

insert into private.errors (code, status, text) values
  ('block_oneself', 400, 'You cannot block yourself.'),
  ('blocks_exhausted', 409, 'You can block at most 5000 people. Unblock one first.');

insert into private.lock_kinds (kind, position) values ('blocks', 450);

create function private.limit_blocks() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('blocks', new.blocker_id::text);
  if not exists (select from app.blocks where blocker_id = new.blocker_id and blocked_id = new.blocked_id)
     and (select count(*) from app.blocks where blocker_id = new.blocker_id) >= 5000 then
    perform private.raise_error('blocks_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_blocks is
  'Trigger: rejects a block if the person has blocked 5000 people. The limit exists because their list is sorted by '
  'name when it is read.';
create trigger _050_limit_blocks before insert on app.blocks
  for each row execute function private.limit_blocks();

create view private.audience_rebuilt with (security_invoker) as
select s.viewer_id, s.author_id, case when min(s.level) < 0 then -1 else max(s.level) end::smallint as level
from (
  select member_id as viewer_id, owner_id as author_id,
         case bond_level when 'inner-circle' then 2 else 1 end as level
  from app.circle_members
  union all select blocker_id, blocked_id, -1 from app.blocks
  union all select blocked_id, blocker_id, -1 from app.blocks
  union all select id, id, 3 from app.users
) s
group by s.viewer_id, s.author_id;
comment on view private.audience_rebuilt is
  'The rows that app.audience must contain, computed from circles, blocks and people. This view is the rule; the '
  'table is a copy that triggers maintain.';

create function private.recompute_audience(p_viewers uuid[], p_authors uuid[]) returns void
language plpgsql volatile security definer   -- only triggers may write the audience
set search_path = ''
as $$
declare
  v_pair  record;
  v_level smallint;
begin
  perform private.lock_pairs(p_viewers, p_authors);
  -- after the lock, each statement sees what earlier holders of the lock have committed
  for v_pair in select distinct viewer, author from unnest(p_viewers, p_authors) as p (viewer, author) loop
    select level into v_level from private.audience_rebuilt
    where viewer_id = v_pair.viewer and author_id = v_pair.author;
    if found then
      insert into app.audience as a (viewer_id, author_id, level) values (v_pair.viewer, v_pair.author, v_level)
      on conflict (viewer_id, author_id) do update set level = excluded.level where a.level <> excluded.level;
    else
      delete from app.audience where viewer_id = v_pair.viewer and author_id = v_pair.author;
    end if;
  end loop;
end $$;
comment on function private.recompute_audience is
  'Updates these pairs of app.audience. Only one transaction at a time can write a pair.';

create function private.follow_members() returns trigger
language plpgsql volatile security definer   -- only triggers may write the audience
set search_path = ''
as $$
begin
  perform private.recompute_audience(array_agg(member_id), array_agg(owner_id)) from changed;
  return null;
end $$;
comment on function private.follow_members is
  'Trigger: updates app.audience when a membership is created, changed or deleted.';
create trigger audience_added after insert on app.circle_members
  referencing new table as changed for each statement execute function private.follow_members();
create trigger audience_changed after update on app.circle_members
  referencing new table as changed for each statement execute function private.follow_members();
create trigger audience_removed after delete on app.circle_members
  referencing old table as changed for each statement execute function private.follow_members();

create function private.follow_blocks() returns trigger
language plpgsql volatile security definer   -- callers may not write the audience or other people's invitations
set search_path = ''
as $$
begin
  perform private.recompute_audience(
    array_agg(blocker_id) || array_agg(blocked_id), array_agg(blocked_id) || array_agg(blocker_id)) from changed;
  if tg_op = 'INSERT' then
    update app.circle_invitations i set status = 'revoked'
    from changed c
    where i.status = 'pending'
      -- this form matches both directions, because nobody invites themselves, and it can use the index
      and i.inviter_id = any (array[c.blocker_id, c.blocked_id])
      and i.invitee_id = any (array[c.blocker_id, c.blocked_id]);
  end if;
  return null;
end $$;
comment on function private.follow_blocks is
  'Trigger: after a block, hides the two people from each other and ends the pending invitations between them. When '
  'the block is lifted, their memberships in circles apply again.';
call private.force_index_scans('private.follow_blocks');
create trigger _100_audience_blocked after insert on app.blocks
  referencing new table as changed for each statement execute function private.follow_blocks();
create trigger _100_audience_unblocked after delete on app.blocks
  referencing old table as changed for each statement execute function private.follow_blocks();

create function private.find_blocked_person(p_person text) returns uuid
language plpgsql stable security definer   -- the caller's block hides the person whom they want to unblock
set search_path = ''
as $$
begin
  return (select u.id from app.users u join app.blocks b on b.blocked_id = u.id
          where b.blocker_id = app.uid() and u.id = private.find_person(p_person));
end $$;
comment on function private.find_blocked_person is 'The id of a person whom the caller has blocked, or null.';

create function api.block_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person uuid := coalesce(private.find_blocked_person(p_person), private.require_person(p_person));
begin
  perform private.lock_pairs(array[v_person], array[app.uid()]);
  insert into app.blocks (blocker_id, blocked_id) values (private.require_caller(), v_person) on conflict do nothing;
  return json_build_object('blocked', true);
end $$;
comment on function api.block_person is
  'Blocks a person, which immediately hides the two people from each other. Repeating it changes nothing. Fails: '
  'person_unknown (also when they block the caller), block_oneself, blocks_exhausted.';

create function api.unblock_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person uuid := coalesce(private.find_blocked_person(p_person), private.require_person(p_person));
begin
  perform private.lock_pairs(array[v_person], array[app.uid()]);
  delete from app.blocks where blocker_id = app.uid() and blocked_id = v_person;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unblock_person is
  'Lifts a block. The memberships in circles apply again. Repeating it changes nothing.';
