-- Spaces are groups and guilds. Their members are the audience of what is posted in them. Both kinds share the code of
-- memberships (20_membership.sql). In this code, the founder of a guild is the owner, its stewards are moderators, and
-- its applications are requests. docs/decisions.md, Spaces.

insert into private.lock_kinds (kind, position) values ('space', 300), ('spaces of', 350);

create function private.member_place(p_joined timestamptz, p_role text) returns timestamptz
language plpgsql immutable   -- immutable, because adding hours does not depend on the time zone
set search_path = ''
as $$
begin
  return p_joined + case p_role when 'owner' then 0 when 'moderator' then 1000 else 2000 end * interval '8760 hours';
end $$;
comment on function private.member_place is
  'The place of a member in the list of a space''s members: the time of joining, plus a thousand years for moderators '
  'and two thousand for others, so that the owner comes first, then moderators, then others.';

create table private.space_kinds (
  kind  text primary key check (kind ~ '^[a-z]+$'),
  cards text not null check (cards ~ '^private\.[a-z_]+$')
);
comment on table private.space_kinds is
  'Registry: the kinds of spaces. cards(uuid[]) is the function that returns the cards of these spaces, in order, if '
  'the caller can see them (json).';

create function private.require_space_kind(p_kind text) returns text
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  if not exists (select from private.space_kinds where kind = p_kind) then
    perform private.raise_error('value_invalid');
  end if;
  return p_kind;
end $$;
comment on function private.require_space_kind is 'Returns a kind of spaces. Fails if there is no such kind.';

create table app.spaces (
  id           uuid primary key default gen_random_uuid(),
  kind         text not null check (kind in ('group', 'guild')),
  slug         text not null,
  name         text not null,
  about        text not null default '',
  interest_id  uuid references app.interests on delete restrict,
  accent       text check (accent ~ '^[a-z]{2,20}$'),
  visibility   text not null default 'public' check (visibility in ('public', 'private')),
  join_policy  text not null default 'open' check (join_policy in ('open', 'request', 'invite')),
  member_count integer not null default 0 check (member_count between 0 and 5000),
  words        tsvector not null default '',
  archived_at  timestamptz,
  created_at   timestamptz not null default now(),
  archived_by_staff boolean not null default false,
  constraint spaces_slug_key unique (kind, slug),
  constraint space_slug check (slug ~ '^[a-z0-9-]{3,60}$' and not pg_input_is_valid(slug, 'uuid')),
  constraint space_name check (length(private.trimmed(name)) between 1 and 80),
  constraint space_about check (length(about) <= 2000)
);
create index spaces_public_idx on app.spaces (kind, created_at desc, id desc) where visibility = 'public';
create index spaces_created_at_idx on app.spaces (kind, created_at desc, id desc);
create index spaces_interest_id_idx on app.spaces (interest_id) where interest_id is not null;
comment on table app.spaces is
  'A group or a guild. Its members are the audience of what is posted in it. Only a transaction that holds the lock '
  'of its row may change its members.';
call private.make_nulls_raise_codes('app.spaces');
comment on column app.spaces.member_count is
  'The number of members, including those that a caller can''t see. It changes together with the row of a member, '
  'under the lock of the space.';
comment on column app.spaces.words is 'The words of slug, name and about, for the search.';
comment on column app.spaces.archived_by_staff is
  'Whether staff has archived the space, so that only staff can restore it.';
comment on column app.spaces.archived_at is
  'When the space was archived; null while it is open. An archived space accepts nothing new, but its members can '
  'still read it.';

create table app.space_members (
  space_id   uuid not null references app.spaces on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  role       text not null default 'member' check (role in ('owner', 'moderator', 'member')),
  hidden     boolean not null default false,
  made_at    timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  placed_at  timestamptz not null generated always as (private.member_place(created_at, role)) stored,
  primary key (space_id, user_id)
);
create unique index space_members_owner_key on app.space_members (space_id) where role = 'owner';
create index space_members_placed_at_idx on app.space_members (space_id, placed_at, user_id);
create index space_members_made_at_idx on app.space_members (user_id, made_at desc, space_id desc);
create index space_members_owned_idx on app.space_members (user_id) where role = 'owner';
create index space_members_moderator_idx on app.space_members (space_id, user_id) where role = 'moderator';
create index space_members_hidden_idx on app.space_members (space_id) where hidden;
comment on table app.space_members is 'The members of spaces. A space that is not archived has exactly one owner.';
call private.make_nulls_raise_codes('app.space_members');
comment on column app.space_members.hidden is
  'Whether the member is banned from the instance or erased, and therefore not counted. A trigger writes it.';
comment on column app.space_members.made_at is
  'When the space was created, which decides its place in the list of a member''s spaces. A trigger writes it.';
comment on column app.space_members.created_at is
  'When the member joined. It is the clock time under the lock of the space, so that the order of joining is exact.';
comment on column app.space_members.placed_at is 'The place in the list of members (private.member_place).';

create table app.space_bans (
  space_id   uuid not null references app.spaces on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (space_id, user_id)
);
create index space_bans_user_id_idx on app.space_bans (user_id, space_id);
create index space_bans_created_at_idx on app.space_bans (space_id, created_at desc, user_id desc);
comment on table app.space_bans is 'People who may not join a space again until the ban is lifted.';

create table app.space_requests (
  id         uuid primary key default gen_random_uuid(),
  space_id   uuid not null references app.spaces on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  message    text not null default '',
  status     text not null default 'pending'
             check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'ended')),
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  constraint space_message check (length(message) <= 500),
  check ((status = 'pending') = (decided_at is null))
);
create unique index space_requests_pending_key on app.space_requests (space_id, user_id) where status = 'pending';
create index space_requests_space_id_idx on app.space_requests (space_id, status, created_at desc, id desc);
create index space_requests_user_id_idx on app.space_requests (user_id, created_at desc, id desc);
comment on table app.space_requests is
  'Requests to join a space: join requests of groups, applications to guilds. A settled request never changes again.';
comment on column app.space_requests.status is
  'pending, then approved or rejected by the owner or a moderator, withdrawn by its author, or ended because the '
  'author joined by other means or was banned.';
comment on column app.space_requests.decided_at is 'When the request was settled; null while it is pending.';

create table app.space_invitations (
  id         uuid primary key default gen_random_uuid(),
  space_id   uuid not null references app.spaces on delete cascade,
  inviter_id uuid not null references app.users on delete cascade,
  invitee_id uuid not null references app.users on delete cascade,
  status     text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked')),
  created_at timestamptz not null default now()
);
create unique index space_invitations_pending_key on app.space_invitations (space_id, invitee_id)
  where status = 'pending';
create index space_invitations_space_id_idx on app.space_invitations (space_id, status, created_at desc, id desc);
create index space_invitations_made_idx on app.space_invitations (space_id, inviter_id, invitee_id)
  where status = 'pending';
create index space_invitations_inviter_id_idx on app.space_invitations (inviter_id, invitee_id, status);
create index space_invitations_invitee_id_idx
  on app.space_invitations (invitee_id, status desc, created_at desc, id desc);
comment on table app.space_invitations is 'Invitations into spaces. A settled invitation never changes again.';
comment on column app.space_invitations.status is
  'pending, then accepted (also by joining in another way) or declined by the invitee, or revoked: by the inviter, '
  'the owner or a moderator, by a block between inviter and invitee, by a ban, or because the inviter lost the '
  'right to invite.';

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.space_members', 'user_id', 'spaceMemberships', '{hidden}'),
  ('app.space_requests', 'user_id', 'spaceRequests', '{}'),
  ('app.space_invitations', 'inviter_id', 'spaceInvitationsSent', '{}'),
  ('app.space_invitations', 'invitee_id', 'spaceInvitationsReceived', '{}'),
  ('app.space_bans', 'user_id', 'spaceBans', '{}');

insert into private.write_limits (kind, per_hour) values ('spaces', 60), ('memberships', 300);

insert into private.event_types (name, payload, happens) values
  ('spaces.membership.decided', '{spaceId,kind,event,userId,actorId,invitationId,role,proposalId}',
   'somebody is admitted to a space, rejected, invited or removed, gets another role there, or gets a decision on '
   'their proposal');

insert into private.errors (code, status, text) values
  ('space_unknown', 404, 'There is no such group or guild.'),
  ('space_slug', 422, 'A slug must have 3 to 60 lowercase letters, digits and hyphens, and cannot be a UUID.'),
  ('space_name', 422, 'A group or guild must have a name of 1 to 80 characters.'),
  ('space_about', 422, 'about can have up to 2000 characters.'),
  ('space_message', 422, 'A message can have up to 500 characters.'),
  ('space_slug_taken', 409, 'This slug is taken. Choose another one.'),
  ('space_not_member', 403, 'Only members can do this.'),
  ('space_role', 403, 'Your role in this group or guild does not allow this.'),
  ('space_banned', 403, 'You are banned from this group or guild.'),
  ('space_archived', 409, 'This group or guild is archived.'),
  ('space_archived_by_staff', 409, 'Staff archived this group or guild, so only staff can restore it.'),
  ('space_ownerless', 409, 'This group or guild has no owner, so it cannot be restored.'),
  ('space_full', 409, 'A group or guild can have at most 5000 members.'),
  ('spaces_exhausted', 409, 'A person can own at most 20 groups and 20 guilds that are not archived.'),
  ('memberships_exhausted', 409, 'A person can be in at most 1000 groups and guilds.'),
  ('last_owner', 409, 'The owner must transfer the ownership first.'),
  ('space_member_already', 409, 'This person is already a member.'),
  ('space_member_unknown', 404, 'This person is not a member.'),
  ('space_invitation_pending', 409, 'This person already has a pending invitation.'),
  ('space_invitee_banned', 409, 'This person is banned from the group or guild. Lift the ban first.'),
  ('invitation_required', 403, 'Only people with an invitation can join.'),
  ('request_unknown', 404, 'There is no such request.'),
  ('request_not_yours', 403, 'Only the person who made a request can withdraw it.'),
  ('request_settled', 409, 'This request has already been settled.');

create function private.date_member() returns trigger
language plpgsql security definer   -- reads a space that no policy shows to the caller yet
set search_path = ''
as $$
begin
  select created_at into new.made_at from app.spaces where id = new.space_id;
  return new;
end $$;
comment on function private.date_member is 'Trigger: copies the time of the space into the membership.';
create trigger _050_date_member before insert on app.space_members
  for each row execute function private.date_member();

create function private.may_invite(p_space uuid, p_user uuid) returns boolean
language plpgsql stable security definer   -- also checks people other than the caller
set search_path = ''
as $$
begin
  return exists (select from app.space_members m join app.spaces s on s.id = m.space_id
                 where m.space_id = p_space and m.user_id = p_user
                   and (m.role in ('owner', 'moderator') or s.join_policy = 'open'));
end $$;
comment on function private.may_invite is
  'Returns whether a person may invite into a space: its owner and moderators may, and in an open space every member.';

create function private.is_invited(p_space uuid, p_user uuid) returns boolean
language plpgsql stable security definer   -- also checks people other than the caller
set search_path = ''
as $$
begin
  return exists (select from app.space_invitations i
                 where i.space_id = p_space and i.invitee_id = p_user and i.status = 'pending'
                   and private.may_invite(p_space, i.inviter_id)
                   and private.may_meet(private.find_level(p_user, i.inviter_id))
                   and not exists (select from app.hidden_people s where s.user_id = i.inviter_id));
end $$;
comment on function private.is_invited is
  'Returns whether a person has an invitation into a space from somebody whom they can see and who may still invite.';

create function private.is_let_in(p_space uuid, p_viewer uuid) returns boolean
language plpgsql stable security definer   -- also checks people other than the caller
set search_path = ''
as $$
begin
  return exists (select from app.space_members where space_id = p_space and user_id = p_viewer)
      or private.is_invited(p_space, p_viewer);
end $$;
comment on function private.is_let_in is
  'Returns whether a person may see a private space: members and invited people may.';

create function private.find_space(p_kind text, p_id text) returns app.spaces
language plpgsql stable security definer   -- also for definer functions, to which policies do not apply
set search_path = ''
as $$
declare
  v_space app.spaces;
begin
  if pg_input_is_valid(p_id, 'uuid') then
    select * into v_space from app.spaces where id = p_id::uuid and kind = p_kind;
  else
    select * into v_space from app.spaces where kind = p_kind and slug = lower(p_id);
  end if;
  if v_space.visibility = 'public' or private.is_let_in(v_space.id, app.uid()) then
    return v_space;
  end if;
  return null;
end $$;
comment on function private.find_space is
  'The space of this kind with this id or slug; null if the caller can''t see it.';

create function private.require_space(p_kind text, p_id text) returns app.spaces
language plpgsql stable
set search_path = ''
as $$
declare
  v_space app.spaces := private.find_space(p_kind, p_id);
begin
  if v_space.id is null then
    perform private.raise_error('space_unknown');
  end if;
  return v_space;
end $$;
comment on function private.require_space is
  'Does the same as private.find_space, but fails if there is no such space.';

create function private.require_reported_space(p_kind text, p_target text) returns uuid
language plpgsql stable
set search_path = ''
as $$ begin return (private.require_space(p_kind, p_target)).id; end $$;
comment on function private.require_reported_space is 'The space of this kind that a report names.';

create function private.lock_space(p_space uuid, p_people uuid[]) returns app.spaces
language plpgsql volatile security definer   -- callers may not lock people and spaces
set search_path = ''
as $$
declare
  v_space app.spaces;
begin
  -- lock people before spaces: ARCHITECTURE.md, Locks. A concurrent ban or erasure waits; the result of an earlier one
  -- is visible here
  perform private.check_lock_order('person', variadic p_people::text[]);
  perform from app.users where id = any (p_people) order by id for share;
  perform private.check_lock_order('space', p_space::text);
  select * into v_space from app.spaces where id = p_space for no key update;
  return v_space;
end $$;
comment on function private.lock_space is
  'Locks these people, then a space, until the transaction ends. Meanwhile no other transaction can change the '
  'members.';

create function private.lock_visible_space(p_kind text, p_id text, p_people uuid[] default '{}') returns app.spaces
language plpgsql volatile security definer   -- see private.lock_space
set search_path = ''
as $$
begin
  perform private.lock_space((private.require_space(p_kind, p_id)).id, p_people || private.require_caller());
  return private.require_space(p_kind, p_id);   -- check again, because the caller may have lost access during the wait
end $$;
comment on function private.lock_visible_space is
  'Returns a space that the caller can see, locked together with the caller and these people.';

create function private.find_role(p_space uuid, p_user uuid) returns text
language plpgsql stable security definer   -- reads the memberships of people other than the caller
set search_path = ''
as $$
begin
  return (select role from app.space_members where space_id = p_space and user_id = p_user);
end $$;
comment on function private.find_role is 'The role of a person in a space; null if they are not a member.';

create function private.role_name(p_kind text, p_role text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_kind <> 'guild' then p_role
              when p_role = 'owner' then 'founder'
              when p_role = 'moderator' then 'steward'
              else p_role end;
end $$;
comment on function private.role_name is 'The name of a role in spaces of this kind.';

create function private.require_space_role(p_space uuid, variadic p_roles text[]) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_role text := private.find_role(p_space, private.require_caller());
begin
  if v_role is null then
    perform private.raise_error('space_not_member');
  elsif v_role <> all (p_roles) then
    perform private.raise_error('space_role');
  end if;
  return v_role;
end $$;
comment on function private.require_space_role is 'Returns the caller''s role in a space, which must be one of these.';

create function private.require_open(p_space app.spaces) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_space.archived_at is not null then
    perform private.raise_error('space_archived');
  end if;
end $$;
comment on function private.require_open is 'Passes if a space is not archived.';

create function private.limit_owned(p_kind text, p_user uuid) returns void
language plpgsql volatile security definer   -- counts the spaces of people other than the caller
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('spaces of', p_user::text);
  if (select count(*) from app.space_members m join app.spaces s on s.id = m.space_id
      where m.user_id = p_user and m.role = 'owner' and s.kind = p_kind and s.archived_at is null) >= 20 then
    perform private.raise_error('spaces_exhausted');
  end if;
end $$;
comment on function private.limit_owned is
  'Passes if a person owns fewer than 20 spaces of a kind that are not archived.';

create function private.space_words(p_slug text, p_name text, p_about text) returns tsvector
language plpgsql stable
set search_path = ''
as $$
begin
  return private.keyword_words(private.keyword_text(array[p_slug, p_name, p_about]));
end $$;
comment on function private.space_words is 'The words by which the search finds a space.';

create function private.slug_of(p_kind text, p_name text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_slug text := btrim(left(regexp_replace(private.fold_query(p_name), '[^a-z0-9]+', '-', 'g'), 50), '-');
begin
  if length(v_slug) >= 3 and not pg_input_is_valid(v_slug, 'uuid') then
    return v_slug;
  end if;
  return btrim(p_kind || '-' || left(v_slug, 3), '-');
end $$;
comment on function private.slug_of is
  'Makes a slug of at most 50 characters from a name. The slug may already be taken.';

create function private.make_space(p_space app.spaces) returns uuid
language plpgsql volatile security definer   -- callers may not write spaces
set search_path = ''
as $$
declare
  v_slug text := p_space.slug;
  v_name text := private.require_name(p_space.name);
  v_id   uuid;
begin
  perform private.count_writes('spaces');
  perform from app.users where id = private.require_caller() for share;
  perform private.limit_owned(p_space.kind, app.uid());
  loop
    insert into app.spaces (kind, slug, name, about, interest_id, accent, visibility, join_policy, member_count, words)
    select p_space.kind, s.slug, v_name, s.about,
           case when p_space.interest_id is not null then private.require_interest(p_space.interest_id) end,
           p_space.accent, p_space.visibility, p_space.join_policy, 1, private.space_words(s.slug, v_name, s.about)
    from (select coalesce(v_slug, private.slug_of(p_space.kind, v_name)) as slug,
                 coalesce(private.require_text(p_space.about), '') as about) s
    on conflict (kind, slug) do nothing returning id into v_id;
    exit when v_id is not null;
    if p_space.slug is not null then
      perform private.raise_error('space_slug_taken');
    end if;
    v_slug := private.slug_of(p_space.kind, v_name) || '-' || substr(gen_random_uuid()::text, 1, 8);
  end loop;
  insert into app.space_members (space_id, user_id, role) values (v_id, app.uid(), 'owner');
  perform private.limit_memberships(app.uid());
  return v_id;
end $$;
comment on function private.make_space is
  'Creates a space, whose owner is the caller. Without p_slug, the slug is made from the name. Fails: space_slug, '
  'space_name, space_about.';

create function private.change_space(p_kind text, p_id text, p_changes jsonb) returns uuid
language plpgsql volatile security definer   -- callers may not write spaces
set search_path = ''
as $$
declare
  v_space app.spaces;
begin
  perform private.count_writes('spaces');
  v_space := private.lock_visible_space(p_kind, p_id);
  if p_changes ?| '{visibility,joinPolicy}' then
    perform private.require_space_role(v_space.id, 'owner');
  else
    perform private.require_space_role(v_space.id, 'owner', 'moderator');
  end if;
  v_space.name := case when p_changes ? 'name' then private.require_name(p_changes ->> 'name') else v_space.name end;
  v_space.about := case when p_changes ? 'about' then coalesce(private.require_text(p_changes ->> 'about'), '')
                        else v_space.about end;
  v_space.interest_id := case when p_changes ? 'interestId' then (p_changes ->> 'interestId')::uuid
                              else v_space.interest_id end;
  if v_space.interest_id is not null then
    perform private.require_interest(v_space.interest_id);
  end if;
  update app.spaces set
    name = v_space.name,
    about = v_space.about,
    interest_id = v_space.interest_id,
    accent = case when p_changes ? 'accent' then p_changes ->> 'accent' else accent end,
    visibility = case when p_changes ? 'visibility' then p_changes ->> 'visibility' else visibility end,
    join_policy = case when p_changes ? 'joinPolicy' then p_changes ->> 'joinPolicy' else join_policy end,
    words = private.space_words(slug, v_space.name, v_space.about)
  where id = v_space.id;
  return v_space.id;
end $$;
comment on function private.change_space is
  'Changes the texts of a space, for its owner and moderators; only the owner changes who can see it and how people '
  'join. Fails: space_name, space_about.';

create function private.set_archived(p_space app.spaces, p_archived boolean, p_by_staff boolean default false)
returns boolean
language plpgsql volatile security definer   -- callers may not write spaces
set search_path = ''
as $$
declare
  v_owner uuid;
begin
  if (p_space.archived_at is not null) = p_archived
     and not (p_archived and p_by_staff and not p_space.archived_by_staff) then
    return false;
  end if;
  if not p_archived then
    select user_id into v_owner from app.space_members where space_id = p_space.id and role = 'owner';
    if not found then
      perform private.raise_error('space_ownerless');
    end if;
    perform private.limit_owned(p_space.kind, v_owner);
  end if;
  update app.spaces
  set archived_at = case when p_archived then coalesce(archived_at, now()) end,
      archived_by_staff = p_archived and p_by_staff
  where id = p_space.id;
  return true;
end $$;
comment on function private.set_archived is
  'Archives a locked space, for its owner or for staff, or restores it. Returns false if nothing changes. If the '
  'owner has archived the space, staff can take over.';

create function private.archive_space(p_kind text, p_id text, p_archived boolean) returns uuid
language plpgsql volatile security definer   -- callers may not write spaces
set search_path = ''
as $$
declare
  v_space app.spaces := private.lock_visible_space(p_kind, p_id);
begin
  perform private.require_space_role(v_space.id, 'owner');
  if not p_archived and v_space.archived_by_staff then
    perform private.raise_error('space_archived_by_staff');
  end if;
  perform private.set_archived(v_space, p_archived);
  return v_space.id;
end $$;
comment on function private.archive_space is
  'Archives a space or restores it, for its owner, who can''t restore a space that staff has archived. Repeating it '
  'changes nothing.';
