-- A person's own invite codes: the number that they may make, and the people whom they invited. docs/decisions.md,
-- Invites.

insert into private.errors (code, status, text) values
  ('invites_exhausted', 409, 'You have given out all your invite codes. You get more with time and reputation.'),
  ('invite_settled', 409, 'This invite code has been used or has expired.');

insert into private.lock_kinds (kind, position) values ('invites', 650);

create function private.invite_status(p_code app.invite_codes) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case
    when p_code.status = 'reserved' and p_code.reserved_until > now() then 'reserved'
    when p_code.status not in ('active', 'reserved') then p_code.status
    when p_code.expires_at <= now() then 'expired'
    else 'active'
  end;
end $$;
comment on function private.invite_status is
  'Returns the current status of a code, even if no job has updated the row yet.';

create function private.invite_allotment(p_user uuid) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select greatest(5, least(30, 5 + floor(a.total_reputation / 50)
                                   + floor(extract(epoch from now() - u.created_at) / 86400 / 14)))
    from app.users u join app.accounts a on a.user_id = u.id where u.id = p_user);
end $$;
comment on function private.invite_allotment is
  'The number of codes that a person may make in all: clamp(5 + floor(totalRep / 50) + floor(ageDays / 14), 5, 30).';

create function private.count_invites(p_user uuid) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return (select count(*)
          from (select from app.invite_codes c
                where c.generated_by = p_user and c.status <> 'expired' and private.invite_status(c) <> 'expired'
                limit 30) c);
end $$;
comment on function private.count_invites is
  'Counts the codes that use up a person''s allotment: all except those that expired unused. It counts up to 30, the '
  'maximum allotment.';

create view app.invite_card with (security_invoker) as
select c.id, c.generated_by, c.created_at,
       json_build_object(
         'id', c.id,
         'code', c.code,
         'status', private.invite_status(c),
         'reservedUntil', case when private.invite_status(c) = 'reserved' then private.utc(c.reserved_until) end,
         'usedBy', (select p.card from app.person_card p where p.id = c.used_by),
         'usedAt', private.utc(c.used_at),
         'expiresAt', private.utc(c.expires_at),
         'createdAt', private.utc(c.created_at)) as card
from app.invite_codes c;
comment on view app.invite_card is
  'A person''s own invite code: {id, code, status, reservedUntil, usedBy, usedAt, expiresAt, createdAt}. usedBy is '
  'null if nobody has used the code, or if the person who did is hidden.';

create function api.list_my_invites() returns json
language plpgsql volatile   -- first applies the caller's pending effects, because the allotment depends on reputation
set search_path = ''
as $$
declare
  v_me        uuid := private.require_caller();
  v_allotment integer;
begin
  perform private.catch_up(v_me);
  v_allotment := private.invite_allotment(v_me);
  return json_build_object(
    'codes', coalesce((select json_agg(c.card order by c.created_at desc, c.id desc)
                       from (select * from app.invite_card where generated_by = v_me
                             order by created_at desc, id desc limit 200) c), '[]'),
    'allotment', v_allotment,
    'used', (select count(*) from (select from app.invite_codes
                                   where generated_by = v_me and used_by is not null limit 1000) c),
    'remaining', greatest(0, v_allotment - private.count_invites(v_me)));
end $$;
comment on function api.list_my_invites is
  'The caller''s invite codes, {codes, allotment, used, remaining}: the newest 200 codes, newest first; the number '
  'of codes that they may make in all; the number that counts as used, up to 1000; and the number that they can '
  'still make.';

create function private.make_own_invite() returns uuid
language plpgsql volatile security definer   -- a person may not write codes
set search_path = ''
as $$
declare
  v_me uuid := private.require_caller();
begin
  perform private.lock_effects(v_me);   -- the allotment depends on reputation
  -- lock, so that concurrent calls don't exceed the allotment
  perform private.lock('invites', v_me::text);
  if private.count_invites(v_me) >= private.invite_allotment(v_me) then
    perform private.raise_error('invites_exhausted');
  end if;
  return (private.make_invite_code(v_me)).id;
end $$;
comment on function private.make_own_invite is
  'Creates a code of the caller, within their allotment, and returns its id.';

insert into private.operations_of_people (operation) values ('create_invite');

create function api.create_invite() returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_invite', json_build_array());
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_id := private.make_own_invite();
  return private.finish_idempotent('create_invite', (select card from app.invite_card where id = v_id));
end $$;
comment on function api.create_invite is 'Creates an invite code of the caller.';

create function private.revoke_own_invite(p_code uuid) returns void
language plpgsql volatile security definer   -- a person may not write codes
set search_path = ''
as $$
declare
  v_code app.invite_codes;
begin
  select * into v_code from app.invite_codes where id = p_code and generated_by = private.require_caller() for update;
  if not found then
    perform private.raise_error('invite_unknown');
  elsif private.invite_status(v_code) in ('used', 'expired') then
    perform private.raise_error('invite_settled');
  end if;
  update app.invite_codes set status = 'revoked' where id = p_code;
end $$;
comment on function private.revoke_own_invite is
  'Revokes an unused code of the caller. If the code is reserved, this ends the reservation.';

create function api.revoke_invite(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.revoke_own_invite(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.revoke_invite is 'Revokes an unused invite code of the caller. Repeating it changes nothing.';

create function private.find_invited(p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.require_place('invited', p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, code_id into v_from, v_before
    from app.invite_tree where code_id = v_place.id and inviter_id = v_me;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    select t.created_at as at, t.code_id as id, t.invitee_id
    from app.invite_tree t
    where t.inviter_id = v_me and (t.created_at, t.code_id) < (v_from, v_before)
    order by t.created_at desc, t.code_id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.invitee_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('invited', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_invited is
  'Returns the codes of the next people whom the caller has invited and can see, among the next 400.';
call private.force_index_scans('private.find_invited');

create function api.get_invite_tree(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_invited(p_cursor);
begin
  return (
    jsonb_build_object('invitedBy', (select p.card
                                     from app.invite_tree t join app.person_card p on p.id = t.inviter_id
                                     where t.invitee_id = app.uid()))
    || private.page((select json_agg(json_build_object('id', t.code_id, 'person', p.card,
                                                      'joinedAt', private.utc(t.created_at))
                                     order by t.created_at desc, t.code_id desc)
                     from app.invite_tree t join app.person_card p on p.id = t.invitee_id
                     where t.code_id = any (v_found.ids[:p_limit])),
                    v_found.ids::text[], p_limit, v_found.next)::jsonb)::json;
end $$;
comment on function api.get_invite_tree is
  'Who invited the caller (null for the first admin), and a page of the people whom the caller invited, newest first: '
  '{invitedBy, items: [{id, person, joinedAt}], nextCursor, hasMore}; id is the id of the code. Leaves out people '
  'whom the caller cannot see.';
