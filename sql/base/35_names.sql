-- A person can change their name. The old name still leads to them, and nobody else ever gets it. docs/decisions.md,
-- People.

create table app.usernames (
  hash       bytea primary key,
  username   text,
  user_id    uuid references app.users on delete restrict,
  created_at timestamptz not null default now(),
  check ((username is null) = (user_id is null))
);
create index usernames_user_id_idx on app.usernames (user_id, hash);
comment on table app.usernames is
  'Every name that a person has or ever had, so that one unique key decides who can take a name. When a person is '
  'erased, only the hash is kept.';

insert into private.errors (code, status, text) values
  ('username_reserved', 409, 'This username is reserved.'),
  ('usernames_exhausted', 409, 'You have changed your username 10 times and cannot choose a new one. You can return '
   'to a name that you had before.');

create function private.username_hash(p_username text) returns bytea
language plpgsql immutable
set search_path = ''
as $$
begin
  return sha256(convert_to(lower(p_username), 'UTF8'));
end $$;
comment on function private.username_hash is 'The hash under which app.usernames stores a name.';

create function private.is_reserved(p_username text) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return replace(p_username, '_', '') in (
    'abuse', 'admin', 'administrator', 'admins', 'billing', 'contact', 'help', 'helpdesk', 'hostmaster', 'info',
    'kith', 'kithadmin', 'kithhelp', 'kithsupport', 'kithteam', 'legal', 'mod', 'moderation', 'moderator',
    'moderators', 'mods', 'noreply', 'official', 'owner', 'postmaster', 'press', 'privacy', 'root', 'safety',
    'security', 'staff', 'superuser', 'support', 'sysadmin', 'system', 'team', 'webmaster');
end $$;
comment on function private.is_reserved is
  'Returns whether a name, without its underscores, would make people believe that its holder is staff.';

create function private.claim_username() returns trigger
language plpgsql security definer   -- only this trigger may write names
set search_path = ''
as $$
begin
  -- a person who has or had such a name keeps it
  if private.is_reserved(new.username) and not exists (
       select from app.usernames where hash = private.username_hash(new.username) and user_id = new.id) then
    perform private.raise_error('username_reserved');
  end if;
  insert into app.usernames (hash, username, user_id)
  values (private.username_hash(new.username), new.username, new.id)
  on conflict (hash) do nothing;
  if not exists (select from app.usernames where hash = private.username_hash(new.username) and user_id = new.id) then
    perform private.raise_error('username_taken');   -- somebody else has or had this name
  end if;
  -- otherwise one person could reserve all the good names
  if new.erased_at is null and (select count(*) from app.usernames where user_id = new.id) > 11 then
    perform private.raise_error('usernames_exhausted');
  end if;
  return new;
end $$;
comment on function private.claim_username is
  'Trigger: a person can take a name that is free and not reserved, or one that they had before.';
create trigger _051_claim_username after insert on app.users
  for each row execute function private.claim_username();
-- runs before Postgres checks the unique index of app.users, whose error has no code
create trigger _052_claim_changed_username before update of username on app.users
  for each row when (old.username <> new.username) execute function private.claim_username();

create function private.is_free(p_username text) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return not exists (select from app.usernames where hash = private.username_hash(p_username));
end $$;
comment on function private.is_free is 'Returns whether nobody has or had this name.';

create function private.find_person(p_person text) returns uuid
language plpgsql stable security definer   -- its callers must check whether the caller sees the person
set search_path = ''
as $$
begin
  if pg_input_is_valid(p_person, 'uuid') then   -- no username has this form
    return (select id from app.users where person_id = p_person::uuid and erased_at is null);
  end if;
  return (select user_id from app.usernames where hash = private.username_hash(private.username_of(p_person)));
end $$;
comment on function private.find_person is
  'Finds the person who has or had a name, or who has an actor id, for any caller; null if there is none.';
