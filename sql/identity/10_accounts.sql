-- Accounts have a person's public and private fields, and their personas. docs/decisions.md, People.

alter table app.users
  add column first_name text not null check (length(first_name) between 1 and 80),
  add column last_name text not null check (length(last_name) between 1 and 80),
  add column country text check (country ~ '^[A-Z]{2}$'),
  add column city text check (length(city) between 1 and 120),
  add column about text check (length(about) <= 1000),
  add column profile_pic_url text check (profile_pic_url ~* '^https?://' and length(profile_pic_url) <= 2000),
  add column credentials_version integer not null default 0,
  add column limited_at timestamptz,
  add column banned_until timestamptz;
comment on column app.users.limited_at is
  'When staff limited the person; null if they are not limited. A trigger keeps app.limited_people in sync.';
comment on column app.users.banned_until is
  'When the ban ends by itself; such a ban is a suspension. Null for a ban without an end, and for people who are '
  'not banned.';
alter table app.users add check (banned_until is null or banned_at is not null);
comment on column app.users.credentials_version is
  'A number that increases with every new password and every ban. A device token and a count of wrong passwords are '
  'for one version, so they end when the version increases.';
comment on column app.users.country is 'The ISO 3166-1 alpha-2 code. Only the first admin and bots have no country.';

create function private.person_rest(
  p_person_id uuid, p_username text, p_first_name text, p_last_name text, p_profile_pic_url text
) returns text
language plpgsql immutable   -- to_json is only stable, but for texts its result is the same under all settings
set search_path = ''
as $$
begin
  return ',"personId":"' || p_person_id || '","username":"' || p_username
         || '","firstName":' || to_json(p_first_name)::text || ',"lastName":' || to_json(p_last_name)::text
         || ',"profilePicUrl":' || coalesce(to_json(p_profile_pic_url)::text, 'null') || '}';
end $$;
comment on function private.person_rest is
  'The end of a person''s card: the fields that depend only on these columns, as JSON that begins with a comma. After '
  'changing this function, rewrite the column app.users.card_rest.';
alter table app.users add column card_rest text not null generated always as (
  private.person_rest(person_id, username, first_name, last_name, profile_pic_url)) stored;
comment on column app.users.card_rest is
  'The end of the card, which private.person_rest computes when the row changes.';

alter table app.users add column bot_owner_id uuid references app.users on delete restrict;
alter table app.users add constraint users_bot_role check (bot_owner_id is null or role = 'user');
create index users_bot_owner_id_idx on app.users (bot_owner_id, created_at, id);
comment on column app.users.bot_owner_id is
  'The person who runs this account and is responsible for it, if it is a bot (sql/identity/57_bots.sql). Null for '
  'people.';

create table app.accounts (
  user_id           uuid primary key references app.users on delete cascade,
  email             text not null check (length(email) between 3 and 254),
  email_verified_at timestamptz,
  email_bounced_at  timestamptz,
  date_of_birth     date,
  phone             text check (phone ~ '^\+?[0-9][0-9 ()./-]{3,30}$'),
  last_seen_at      timestamptz,
  total_reputation  numeric(12, 2) not null default 0,
  has_public_page       boolean not null default true
) with (fillfactor = 80);   -- free space on each page, so that a new sum or visit changes no index
create unique index email_taken on app.accounts (lower(email));
comment on table app.accounts is 'Private data of a person. Only the first admin and bots have no date_of_birth.';
comment on column app.accounts.email_verified_at is
  'When the person verified their address; null until then. The address of the first admin is verified from the '
  'beginning.';
comment on column app.accounts.email_bounced_at is
  'When a mail server reported that the mailbox does not exist. The column becomes null when the person uses a link '
  'that was mailed to the address, or changes the address.';
comment on column app.accounts.last_seen_at is
  'When the person last used Kith, accurate to five minutes (api.note_presence).';
comment on column app.accounts.has_public_page is
  'Whether the person and their public posts have public pages, if the instance has such pages '
  '(sql/posts/56_public_pages.sql).';
comment on column app.accounts.total_reputation is
  'The sum of the person''s direct reputation entries. It determines the number of invite codes that they may make. '
  'A trigger in sql/reputation maintains it.';

create table private.credentials (
  user_id           uuid primary key references app.users on delete cascade,
  password_hash     text,
  last_issued_at    bigint not null default 0,
  expiries          bigint[] not null default '{}'
);
comment on table private.credentials is
  'Password hashes (argon2id). The other columns have the iat of the person''s last token, and the exp of all '
  'tokens that were issued with this iat. They ensure that no two tokens of a person have the same iat and exp.';
comment on column private.credentials.password_hash is
  'Null for a person who logs in with an OpenID provider only.';
comment on column private.credentials.last_issued_at is 'iat of the last token, in unix seconds.';
comment on column private.credentials.expiries is 'exp of each token with this iat, in unix seconds.';

create function private.persona_text(p_id uuid, p_name text, p_accent text, p_profile_pic_url text) returns text
language plpgsql immutable   -- row_to_json is only stable, but these types have the same text under all settings
set search_path = ''
as $$
begin
  return (
    select row_to_json(s)::text
    from (select p_id as id, p_name as name, p_accent as accent, p_profile_pic_url as "profilePicUrl") s);
end $$;
comment on function private.persona_text is
  'A persona in the form that the cards of posts have: {id, name, accent, profilePicUrl}, as the text of JSON. '
  'After changing this function, rewrite the column app.personas.card_text.';

create table app.personas (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references app.users on delete cascade,
  name            text not null check (length(btrim(name)) > 0 and length(name) <= 40),
  about           text check (length(about) <= 280),
  accent          text not null default 'ink' check (accent in ('ink', 'gold', 'sage', 'azure')),
  profile_pic_url text check (profile_pic_url ~* '^https?://' and length(profile_pic_url) <= 2000),
  is_default      boolean not null default false,
  created_at      timestamptz not null default now(),
  card_text       text not null generated always as (
    private.persona_text(id, name, accent, profile_pic_url)) stored,
  constraint persona_name_taken unique (user_id, name)
);
create unique index personas_default_key on app.personas (user_id) where is_default;
comment on table app.personas is 'The personas under which a person publishes. Exactly one of them is the default.';
comment on column app.personas.card_text is
  'The persona in cards of posts, which private.persona_text computes when the row changes.';

insert into private.errors (code, status, text) values
  ('email_taken', 409, 'This email address is already registered.'),
  ('persona_name_taken', 409, 'You already have a persona of this name.'),
  ('under_age', 422, 'You must be at least 18 years old to join.'),
  ('credentials_wrong', 401, 'The email address or the password is wrong.'),
  ('person_banned', 403, 'This account is banned.'),
  ('person_suspended', 403, 'This account is suspended for a limited time.');

create view app.person_card with (security_invoker) as
select u.id, c.text::json as card, c.text, n.actor_id
from app.users u
cross join lateral (
  select private.actor_id(u.username, (select domain from private.instance)) as actor_id offset 0) n   -- computed once
cross join lateral (
  select '{"id":"' || n.actor_id || '","actorId":"' || n.actor_id || '","isBot":'
         || case when u.bot_owner_id is null then 'false' else 'true' end || u.card_rest as text) c;
comment on view app.person_card is
  'The form of a person in every public response: {id, actorId, isBot, personId, username, firstName, lastName, '
  'profilePicUrl}, as json (card) and as its text (text). actor_id has only the actor id.';

create view private.own_profiles with (security_invoker) as
select u.id,
       json_build_object(
         'id', u.id,
         'actorId', private.actor_id(u.username, (select domain from private.instance)),
         'personId', u.person_id,
         'username', u.username,
         'email', a.email,
         'emailVerifiedAt', private.utc(a.email_verified_at),
         'emailBouncedAt', private.utc(a.email_bounced_at),
         'role', u.role,
         'isBot', u.bot_owner_id is not null,
         'firstName', u.first_name,
         'lastName', u.last_name,
         'dateOfBirth', a.date_of_birth,
         'country', u.country,
         'city', u.city,
         'phone', a.phone,
         'hasPublicPage', a.has_public_page,
         'about', u.about,
         'profilePicUrl', u.profile_pic_url,
         'createdAt', private.utc(u.created_at),
         'lastSeenAt', private.utc(a.last_seen_at)) as card
from app.users u join app.accounts a on a.user_id = u.id;
comment on view private.own_profiles is
  'People as they see themselves. This is the only shape with the internal id. Only private.own_profile and '
  'private.login_answer read this view.';

create function private.own_profile() returns json
language plpgsql stable security definer   -- finds only the caller; a policy would double the time
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  return (select card from private.own_profiles where id = v_caller);
end $$;
comment on function private.own_profile is 'The caller as they see themselves.';

create function private.free_username(p_first_name text, p_last_name text) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name text := btrim(left(regexp_replace(
    lower(extensions.unaccent(p_first_name || '_' || p_last_name)), '[^a-z0-9]+', '_', 'g'), 24), '_');
begin
  if length(v_name) < 3 then
    v_name := btrim('member_' || v_name, '_');   -- a name in another script may leave nothing
  end if;
  while private.is_reserved(v_name) or not private.is_free(v_name) loop
    v_name := regexp_replace(v_name, '_?\d*$', '') || '_' || (2 + floor(random() * 9998))::int;
  end loop;
  return v_name;
end $$;
comment on function private.free_username is
  'Returns a username made from a name, with a number if the name is taken or reserved.';

create function private.create_person(
  p_email text, p_password_hash text, p_first_name text, p_last_name text,
  p_date_of_birth date, p_country text, p_city text, p_role text default 'user'
) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.lock_address(btrim(p_email));
  loop
    insert into app.users (username, role, first_name, last_name, country, city)
    values (private.free_username(p_first_name, p_last_name), p_role,
            private.require_name(p_first_name), private.require_name(p_last_name), p_country,
            private.require_name(p_city))
    on conflict (username) where username is not null do nothing   -- if somebody took the name meanwhile, try another
    returning id into v_id;
    exit when found;
  end loop;
  insert into app.accounts (user_id, email, date_of_birth) values (v_id, btrim(p_email), p_date_of_birth);
  insert into private.credentials (user_id, password_hash) values (v_id, p_password_hash);
  insert into app.personas (user_id, name, is_default) values (v_id, 'Main', true);
  return v_id;
end $$;
comment on function private.create_person is
  'Creates a person with account, credentials and the persona Main. Fails: email_taken.';

create function api.get_me() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.own_profile();
end $$;
comment on function api.get_me is 'The caller''s own profile.';
