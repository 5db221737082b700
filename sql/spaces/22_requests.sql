-- Requests to join a space, which guilds call applications. The owner and moderators decide them, and their authors
-- can withdraw them. docs/decisions.md, Spaces.

create function private.request_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check who may see the requests
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', r.id, case s.kind when 'group' then 'groupId' else 'guildId' end, r.space_id,
             'userId', p.actor_id, 'user', p.card, 'message', r.message, 'status', r.status,
             'createdAt', private.utc(r.created_at), 'decidedAt', private.utc(r.decided_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.space_requests r on r.id = i.id
    join app.spaces s on s.id = r.space_id
    join app.person_card p on p.id = r.user_id);
end $$;
comment on function private.request_cards is
  'These requests, in order: {id, groupId or guildId, userId, user, message, status, createdAt, decidedAt}.';
call private.force_index_scans('private.request_cards');

create function private.decide_request(p_space app.spaces, p_request app.space_requests, p_approve boolean)
returns void
language plpgsql volatile security definer   -- callers may not write requests
set search_path = ''
as $$
begin
  update app.space_requests set status = case when p_approve then 'approved' else 'rejected' end, decided_at = now()
  where id = p_request.id and status = 'pending';
  if not found then
    perform private.raise_error('request_settled');
  end if;
  if p_approve then
    perform private.add_member(p_space, p_request.user_id);
  end if;
  perform private.emit_membership_decision(p_space, case when p_approve then 'approved' else 'rejected' end,
                                  p_request.user_id);
end $$;
comment on function private.decide_request is
  'Approves or rejects a pending request to join a space. The space and the author of the request must be locked.';

create function private.settle_request(p_kind text, p_id text, p_request uuid, p_approve boolean) returns json
language plpgsql volatile security definer   -- callers may not write requests
set search_path = ''
as $$
declare
  v_space   app.spaces := private.require_space(p_kind, p_id);
  v_request app.space_requests;
begin
  perform private.count_writes('memberships');
  select * into v_request from app.space_requests where id = p_request and space_id = v_space.id;
  v_space := private.lock_visible_space(p_kind, p_id, array[v_request.user_id]);
  perform private.require_space_role(v_space.id, 'owner', 'moderator');
  perform from private.visible_people where id = v_request.user_id;
  if not found then
    perform private.raise_error('request_unknown');
  end if;
  perform private.decide_request(v_space, v_request, p_approve);
  return private.request_cards(array[p_request]) -> 0;
end $$;
comment on function private.settle_request is 'Approves or rejects a pending request, for the owner and moderators.';

create function private.withdraw_request(p_kind text, p_request uuid) returns json
language plpgsql volatile security definer   -- works even if the caller can no longer see the space
set search_path = ''
as $$
declare
  v_request app.space_requests;
begin
  select r.* into v_request from app.space_requests r join app.spaces s on s.id = r.space_id
  where r.id = p_request and s.kind = p_kind;
  if v_request.user_id is distinct from private.require_caller() then
    if private.find_role(v_request.space_id, app.uid()) in ('owner', 'moderator')   -- the caller may see the request
       and exists (select from private.visible_people where id = v_request.user_id) then
      perform private.raise_error('request_not_yours');
    end if;
    perform private.raise_error('request_unknown');
  end if;
  perform private.lock_space(v_request.space_id, array[v_request.user_id]);
  update app.space_requests set status = 'withdrawn', decided_at = now() where id = p_request and status = 'pending';
  if not found then
    perform private.raise_error('request_settled');
  end if;
  return private.request_cards(array[p_request]) -> 0;
end $$;
comment on function private.withdraw_request is 'Withdraws a pending request, for its author.';
