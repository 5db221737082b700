-- Guilds are spaces about an interest, with a charter and a treasury of mana. People join only by application. The
-- code of spaces handles membership. In this code, the founder is the owner, the stewards are moderators, and the
-- applications are requests. This file has the tables and cards of guilds, and the functions that their operations
-- call. docs/decisions.md, Spaces; Guilds.

create table app.guilds (
  space_id uuid primary key references app.spaces on delete cascade,
  min_rep  integer not null default 0,
  constraint guild_min_rep check (min_rep between 0 and 1000)
);
comment on table app.guilds is
  'The columns of a guild that its space does not have. The treasury of a guild is the mana account with the id of '
  'the guild.';
call private.make_nulls_raise_codes('app.guilds');
comment on column app.guilds.min_rep is 'The reputation in the guild''s interest that an applicant must have.';

create table app.guild_charters (
  id          uuid primary key default gen_random_uuid(),
  guild_id    uuid not null references app.guilds on delete cascade,
  version     integer not null,
  charter     text not null,
  proposal_id uuid,
  created_at  timestamptz not null default now(),
  unique (guild_id, version),
  constraint guild_charter check (length(charter) <= 20000)
);
comment on table app.guild_charters is
  'Every charter that a guild has had. Version 1 is the charter with which the guild was created; the latest one is '
  'in force.';

insert into private.mana_account_kinds (kind, balance_in) values ('treasury', 'account');

insert into private.errors (code, status, text) values
  ('guild_not_allowed', 403, 'You need the capability canProposeGuild to create a guild.'),
  ('guild_charter', 422, 'A charter can have up to 20000 characters.'),
  ('guild_min_rep', 422, 'minRep must be a whole number from 0 to 1000.'),
  ('application_pending', 409, 'You already have a pending application there.');

create function private.require_guild_founder() returns void
language plpgsql stable security definer   -- reads roles
set search_path = ''
as $$
begin
  if not private.may_propose_guild()
     and not exists (select from app.users where id = private.require_caller() and role = 'admin'
                     and private.has_needed_factor()) then
    perform private.raise_error('guild_not_allowed');
  end if;
end $$;
comment on function private.require_guild_founder is
  'Passes if the caller has canProposeGuild, or is an admin with the second factor that the role needs.';

create function private.create_guild(p_space app.spaces, p_charter text, p_min_rep integer) returns uuid
language plpgsql volatile security definer   -- callers may not write guilds
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.require_guild_founder();
  perform private.require_interest(p_space.interest_id);
  v_id := private.make_space(p_space);
  insert into app.mana_accounts (id, kind) values (v_id, 'treasury');
  insert into app.guilds (space_id, min_rep) values (v_id, p_min_rep);
  insert into app.guild_charters (guild_id, version, charter)
  values (v_id, 1, coalesce(private.require_markdown(p_charter), ''));
  return v_id;
end $$;
comment on function private.create_guild is
  'Creates a guild with its first charter and its treasury. The caller must pass private.require_guild_founder. '
  'Fails: guild_charter, guild_min_rep.';

create function private.guild_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- private.space_heads checks what the caller sees
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', (h.space).id, 'slug', (h.space).slug, 'name', (h.space).name, 'about', (h.space).about,
             'charter', c.charter, 'charterVersion', c.version, 'interestId', (h.space).interest_id,
             'minRep', g.min_rep, 'accent', (h.space).accent,
             'status', case when (h.space).archived_at is null then 'active' else 'archived' end,
             'memberCount', h.members,
             'stewardCount', (select count(*)
                              from app.space_members m join private.visible_people v on v.id = m.user_id
                              where m.space_id = g.space_id and m.role = 'moderator'),
             'treasuryBalance', case when h.viewer ->> 'role' is not null then a.balance end,
             'archivedAt', private.utc((h.space).archived_at), 'createdAt', private.utc((h.space).created_at),
             'viewer', json_build_object('role', h.viewer -> 'role', 'status', h.viewer -> 'status',
                                         'applicationId', h.viewer -> 'requestId')) order by h.place)
    from private.space_heads(p_ids) h
    join app.guilds g on g.space_id = (h.space).id
    join app.mana_accounts a on a.id = g.space_id
    cross join lateral (select * from app.guild_charters where guild_id = g.space_id
                        order by version desc limit 1) c);
end $$;
comment on function private.guild_cards is
  'The cards of these guilds, in order: {id, slug, name, about, charter, charterVersion, interestId, minRep, accent, '
  'status, memberCount, stewardCount, treasuryBalance, archivedAt, createdAt, viewer {role, status, applicationId}}. '
  'Only members see treasuryBalance; for others it is null.';
insert into private.space_kinds (kind, cards) values ('guild', 'private.guild_cards');
call private.force_index_scans('private.guild_cards');

insert into private.report_targets (type, finder, author) values
  ('guild', 'private.require_reported_space',
   'select user_id from app.space_members where space_id = $1 and role = ''owner''');

create function private.change_guild(p_id text, p_changes jsonb) returns uuid
language plpgsql volatile security definer   -- callers may not write guilds
set search_path = ''
as $$
declare
  v_id uuid := private.change_space('guild', p_id, (
    select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(p_changes)
    where key in ('name', 'about', 'accent')));
begin
  perform private.require_space_role(v_id, 'owner');
  update app.guilds set min_rep = (p_changes ->> 'minRep')::integer where space_id = v_id and p_changes ? 'minRep';
  return v_id;
end $$;
comment on function private.change_guild is
  'The founder changes the name, the description, the accent or minRep of a guild. Fails: guild_min_rep.';

create function private.list_charters(p_guild uuid, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- the calling function checks who sees the guild
set search_path = ''
as $$
declare
  v_cursor uuid := private.require_cursor(p_cursor);
  v_before integer;
  v_ids    uuid[];
begin
  if v_cursor is not null then
    select version into v_before from app.guild_charters where guild_id = p_guild and id = v_cursor;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_ids := array(select id from app.guild_charters
                 where guild_id = p_guild and version < coalesce(v_before, 2147483647)
                 order by version desc limit 51);
  return private.page(
    (select json_agg(json_build_object('version', c.version, 'charter', c.charter,
                                       'proposalId', c.proposal_id, 'createdAt', private.utc(c.created_at))
                     order by c.version desc)
     from app.guild_charters c where c.id = any (v_ids[:p_limit])),
    v_ids::text[], p_limit);
end $$;
comment on function private.list_charters is
  'The charters of a guild, latest first: {version, charter, proposalId, createdAt}.';

create function private.require_guild_applicant(p_id text) returns void
language plpgsql volatile security definer   -- applies the caller's pending effects first
set search_path = ''
as $$
declare
  v_space app.spaces := private.require_space('guild', p_id);
begin
  perform private.require_reputation(v_space.interest_id,
                                     (select min_rep from app.guilds where space_id = v_space.id));
end $$;
comment on function private.require_guild_applicant is
  'Passes if the caller has the reputation that a guild requires of applicants.';

create function private.apply_to_guild(p_id text, p_message text) returns json
language plpgsql volatile security definer   -- callers may not write requests
set search_path = ''
as $$
declare
  v_message text := coalesce(private.require_text(p_message), '');
  v_space   app.spaces;
  v_request uuid;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space('guild', p_id);
  if private.find_own_request(v_space.id) is not null then
    perform private.raise_error('application_pending');
  elsif private.find_role(v_space.id, private.require_caller()) is not null then
    perform private.raise_error('space_member_already');
  end if;
  v_request := private.join_or_ask(v_space, v_message);
  perform private.require_guild_applicant(p_id);
  return private.request_cards(array[v_request]) -> 0;
end $$;
comment on function private.apply_to_guild is
  'The caller applies to a guild. They must have the reputation that the guild requires, and can have one '
  'application at a time. The function checks both under the lock of the guild.';

create function private.find_own_requests(p_kind text, p_cursor text) returns app.found
language plpgsql stable security definer   -- the caller's own requests, even if they can no longer see the space
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.require_place('own requests', p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.space_requests where id = v_place.id and user_id = v_me;
  end if;
  if v_from is null then
    perform private.raise_error('cursor_unknown');
  end if;
  with looked as materialized (
    select created_at as at, id, space_id from app.space_requests
    where user_id = v_me and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join app.spaces s on s.id = l.space_id and s.kind = p_kind
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('own requests', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_own_requests is
  'The next requests of the caller to spaces of a kind, among the next 400, including settled ones.';
call private.force_index_scans('private.find_own_requests');

create function private.list_own_applications(p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- private.request_cards does not check who may see them
set search_path = ''
as $$
declare
  v_found app.found := private.find_own_requests('guild', p_cursor);
begin
  return private.page(private.request_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function private.list_own_applications is 'The caller''s applications to guilds, newest first.';

insert into private.links (type, path) values ('guild', '/guilds/{id}');
