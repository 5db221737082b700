-- Against puppet accounts, staff can list the people whom one person invited, and take one action against many of them
-- at once. docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('invitees_chosen', 422, 'Name 1 to 50 different people.'),
  ('invitees_action', 422, 'The action must be limit, suspend or ban.'),
  ('invitee_unknown', 404, 'One of these people was not invited by this person.');

-- this index has the order of the list; the other index of the invite tree has the order of the codes
create index invite_tree_invitees_idx on app.invite_tree (inviter_id, created_at desc, invitee_id desc);

create view private.staff_invitees with (security_invoker) as
select t.created_at as at, t.invitee_id as id, t.inviter_id, u.username as said,
       private.merge_objects(s.card, json_build_object(
         'joinedAt', private.utc(t.created_at),
         'inviteeCount', (select count(*) from (select from app.invite_tree o where o.inviter_id = t.invitee_id
                                                limit 1000) o),
         'strikes', private.count_strikes(t.invitee_id))) as card
from app.invite_tree t
join app.users u on u.id = t.invitee_id
join private.staff_users s on s.id = t.invitee_id;
comment on view private.staff_invitees is
  'The people whom a person invited, as staff sees them, with the number of people that they invited (up to 1000) '
  'and their strikes.';

create function api.list_invitees(
  p_id text, p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'invitees', json_build_object('inviter_id', private.find_staff_person(p_id)), array['inviter_id'], p_q, p_from,
    p_to, p_limit, p_cursor);
end $$;
comment on function api.list_invitees is 'The people whom a person invited; the newest members come first.';

create function private.lock_accounts(p_people uuid[]) returns void
language plpgsql volatile security definer   -- callers may not lock credentials
set search_path = ''
as $$
begin
  -- lock all credentials first, then all people, each by id: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', variadic p_people::text[]);
  perform from private.credentials where user_id = any (p_people) order by user_id for update;
  perform private.check_lock_order('person', variadic p_people::text[]);
  perform from app.users where id = any (p_people) order by id for no key update;
end $$;
comment on function private.lock_accounts is 'Locks several people as private.lock_account locks one.';

create function private.act_on_people(
  p_people uuid[], p_action text, p_reason text, p_category text, p_until timestamptz
) returns void
language plpgsql volatile security definer   -- the statement comes from the registry; it checks the caller's role
set search_path = ''
as $$
declare
  v_person  uuid;
  v_handler private.case_handlers;
begin
  select * into v_handler from private.case_handlers where target_type = 'user' and action = p_action;
  perform private.lock_accounts(p_people);
  perform set_config('kith.case', json_build_object('category', p_category)::text, true);
  foreach v_person in array p_people loop
    perform private.restart_lock_order();
    -- safe: the statement comes from the registry
    execute v_handler.statement using v_person, p_reason, p_until;
  end loop;
  perform set_config('kith.case', '', true);
end $$;
comment on function private.act_on_people is
  'Takes the same action against several people. Fails: api.limit_person, api.ban_person.';

create function api.act_on_invitees(
  p_id text, p_action text, p_people text[], p_reason text, p_category text default null,
  p_until timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason  text;
  v_inviter uuid;
  v_people  uuid[];
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  v_inviter := private.find_staff_person(p_id);
  if p_action is null or p_action not in ('limit', 'suspend', 'ban') then
    perform private.raise_error('invitees_action');
  elsif coalesce(cardinality(p_people), 0) not between 1 and 50 then
    perform private.raise_error('invitees_chosen');
  elsif (p_action = 'suspend') <> (p_until is not null) then
    perform private.raise_error('case_until');
  end if;
  perform private.check_until(p_until);
  perform private.require_category(coalesce(p_category, 'other'));
  v_people := array(select distinct private.require_any_person(p) from unnest(p_people) p order by 1);
  if cardinality(v_people) < cardinality(p_people) then
    perform private.raise_error('invitees_chosen');
  elsif cardinality(v_people) > (select count(*) from app.invite_tree
                                 where invitee_id = any (v_people) and inviter_id = v_inviter) then
    perform private.raise_error('invitee_unknown');
  end if;
  perform private.act_on_people(v_people, p_action, v_reason, coalesce(p_category, 'other'), p_until);
  return json_build_object('items', (select json_agg(private.staff_account(p) order by p) from unnest(v_people) p));
end $$;
comment on function api.act_on_invitees is
  'Limits, suspends or bans up to 50 people whom one person invited, all or none: {items: [{id, user, role, '
  'bannedAt, suspendedUntil, limitedAt}]}. Each person gets a separate decision. Leaves an audit entry for each.';
