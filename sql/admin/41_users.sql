-- How staff finds people, and what it sees of them.
-- docs/decisions.md, Staff.

create index users_joined_idx on app.users (created_at desc, id desc);
create index users_banned_joined_idx on app.users (created_at desc, id desc) where banned_at is not null;
create index users_suspended_joined_idx on app.users (created_at desc, id desc) where banned_until is not null;
create index users_limited_joined_idx on app.users (created_at desc, id desc) where limited_at is not null;
create index users_staff_joined_idx on app.users (created_at desc, id desc) where role <> 'user';

create view private.staff_users with (security_invoker) as
select u.created_at as at, u.id, u.role, u.banned_at is not null as banned, u.erased_at is not null as erased,
       u.banned_until is not null as suspended, u.limited_at is not null as limited,
       concat_ws(' ', u.username, u.first_name, u.last_name, a.email) as said,
       json_build_object(
         'id', u.id,
         'user', person.card,
         'role', u.role,
         'bannedAt', private.utc(u.banned_at),
         'suspendedUntil', private.utc(u.banned_until),
         'limitedAt', private.utc(u.limited_at),
         'erasedAt', private.utc(u.erased_at),
         'email', a.email,
         'emailVerifiedAt', private.utc(a.email_verified_at),
         'lastSeenAt', private.utc(a.last_seen_at),
         'createdAt', private.utc(u.created_at)) as card
from app.users u
left join app.accounts a on a.user_id = u.id   -- everybody has an account, but an inner join would read more rows
join app.person_card person on person.id = u.id;
comment on view private.staff_users is 'People as staff sees them, including banned and erased people.';

create function private.find_by_address(p_q text) returns uuid
language plpgsql stable security definer   -- callers may not read email addresses
set search_path = ''
as $$
begin
  return coalesce((select user_id from app.accounts where lower(email) = lower(p_q)), private.find_person(p_q));
end $$;
comment on function private.find_by_address is
  'The person with this email address or actor id; null if there is none.';

create function api.list_users(
  p_role text default null, p_status text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_page(
    'users', json_build_object('banned', case p_status when 'banned' then true when 'active' then false end,
                               'suspended', case when p_status = 'suspended' then true end,
                               'limited', case when p_status = 'limited' then true end,
                               'erased', case when p_status = 'erased' then true
                                              when p_status is not null then false end,
                               'role', p_role),
    array[case when p_status in ('banned', 'suspended', 'limited') then p_status end,
          case when p_role <> 'user' then 'role' end],
    case when strpos(p_q, '@') > 0 then coalesce(private.find_by_address(p_q)::text, p_q) else p_q end,
    p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_users is
  'People, the newest members first. An email address or actor id in p_q finds its person directly.';

create function private.staff_user_details(p_user uuid) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'about', u.about,
      'country', u.country,
      'city', u.city,
      'invitedById', t.inviter_id,
      'invitedBy', inviter.card,
      'reputation', a.total_reputation,
      'owner', owner.card,
      'bots', coalesce((select json_agg(p.card order by b.created_at, b.id)
                        from app.users b join app.person_card p on p.id = b.id
                        where b.bot_owner_id = p_user and b.erased_at is null), '[]'),
      'contribution', coalesce((select score from app.contribution_scores where user_id = p_user), 0),
      'balance', coalesce((select balance from app.wallets where user_id = p_user), 0),
      'openReports', (select count(*) from (select from app.reports r
                                            where r.target_type = 'user' and r.target_id = p_user and r.status = 'open'
                                              and p_user is distinct from app.uid()
                                            limit 1000) o))
    from app.users u
    join app.accounts a on a.user_id = u.id
    left join app.invite_tree t on t.invitee_id = u.id
    left join app.person_card inviter on inviter.id = t.inviter_id
    left join app.person_card owner on owner.id = u.bot_owner_id
    where u.id = p_user);
end $$;
comment on function private.staff_user_details is
  'The fields that the list of people leaves out: {about, country, city, invitedById, invitedBy, owner (of a bot), '
  'bots (of a person), reputation, contribution, balance, openReports}. Reports are counted up to 1000, and those '
  'about the caller are not counted.';

create function api.get_user(p_id text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_id uuid := private.find_staff_person(p_id);
begin
  return private.merge_objects(private.staff_card('users', v_id), private.staff_user_details(v_id));
end $$;
comment on function api.get_user is 'A person as staff sees them.';

create view private.staff_sessions with (security_invoker) as
select s.created_at as at, s.id, s.user_id,
       json_build_object(
         'id', s.id,
         'userAgent', s.user_agent,
         'createdAt', private.utc(s.created_at),
         'lastUsedAt', private.utc(s.last_used_at),
         'expiresAt', private.utc(s.expires_at),
         'kind', s.kind,
         'device', s.device,
         'network', s.network,
         'lastSeenAt', private.utc(greatest(s.last_seen_at, s.last_used_at)),
         'isCurrent', false) as card
from app.sessions s
where s.ended_at is null and s.expires_at > now();
comment on view private.staff_sessions is
  'Sessions that have not ended, as staff sees them: the same fields that the person sees, without tokens.';

create function api.list_user_sessions(p_id text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('sessions', json_build_object('user_id', private.find_staff_person(p_id)),
                            array['user_id'], null, null, null, p_limit, p_cursor);
end $$;
comment on function api.list_user_sessions is
  'The sessions of a person that have not ended, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, '
  'kind, device, network, lastSeenAt, isCurrent}. isCurrent is always false, because none of them is the session of '
  'this request.';

create function private.end_sessions_of(p_person app.users, p_reason text) returns integer
language plpgsql volatile security definer   -- callers may not read the sessions of others
set search_path = ''
as $$
declare
  v_ended integer := (select count(*) from private.staff_sessions where user_id = p_person.id);
begin
  perform private.end_tokens(p_person.id);
  perform private.audit('user.sessions_ended', 'user', p_person.id::text,
                        case when p_reason is not null then json_build_object('reason', p_reason) end, p_person.id);
  return v_ended;
end $$;
comment on function private.end_sessions_of is
  'Ends all tokens and sessions of a person whose row private.lock_account locked, and returns the number of ended '
  'sessions. Leaves an audit entry.';

create function api.end_user_sessions(p_id text, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  return json_build_object('ended', private.end_sessions_of(
    private.lock_account(private.require_any_person(p_id)), v_reason));
end $$;
comment on function api.end_user_sessions is
  'Ends all tokens and sessions of a person: {ended}, the number of sessions. The person can log in again. Leaves an '
  'audit entry.';
