-- Invite codes that staff makes, lists and revokes.
-- docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('count_out_of_range', 422, 'count must be between 1 and 100.');

create function api.generate_invite_codes(p_count integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_codes app.invite_codes[];
begin
  perform private.require_role('admin');
  if p_count is null or p_count not between 1 and 100 then
    perform private.raise_error('count_out_of_range');
  end if;
  v_codes := array(select private.make_invite_code(app.uid()) from generate_series(1, p_count));
  perform private.audit('invite_codes.generated', 'user', app.uid()::text, json_build_object('count', p_count));
  return json_build_object('items', (
    select json_agg(json_build_object('id', c.id, 'code', c.code, 'status', c.status,
                                      'expiresAt', private.utc(c.expires_at)))
    from unnest(v_codes) c));
end $$;
comment on function api.generate_invite_codes is
  'Makes invite codes for the calling admin: {items: [{id, code, status, expiresAt}]}. Leaves an audit entry.';

create index invite_codes_created_at_idx on app.invite_codes (created_at desc, id desc);

create view private.staff_invite_codes with (security_invoker) as
select c.created_at as at, c.id, private.invite_status(c) as status, c.generated_by,
       concat_ws(' ', c.code, u.username) as said,
       json_build_object(
         'id', c.id,
         'code', c.code,
         'status', private.invite_status(c),
         'ownerId', c.generated_by,
         'owner', owner.card,
         'reservedUntil', case when private.invite_status(c) = 'reserved' then private.utc(c.reserved_until) end,
         'usedById', c.used_by,
         'usedBy', redeemer.card,
         'usedAt', private.utc(c.used_at),
         'expiresAt', private.utc(c.expires_at),
         'createdAt', private.utc(c.created_at)) as card
from app.invite_codes c
join app.users u on u.id = c.generated_by
join app.person_card owner on owner.id = c.generated_by
left join app.person_card redeemer on redeemer.id = c.used_by;
comment on view private.staff_invite_codes is
  'Invite codes as staff sees them, with their owners and the people who used them.';

create function api.list_invite_codes(
  p_status text default null, p_owner_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'invite_codes', json_build_object('status', p_status, 'generated_by', private.find_staff_person(p_owner_id)),
    array['generated_by'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_invite_codes is 'Everybody''s invite codes, newest first.';

create function api.revoke_invite_code(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_code app.invite_codes;
begin
  perform private.require_role('admin');
  select * into v_code from app.invite_codes where id = p_id for update;
  if not found then
    perform private.raise_error('invite_unknown');
  elsif private.invite_status(v_code) in ('used', 'expired') then
    perform private.raise_error('invite_settled');
  elsif v_code.status <> 'revoked' then
    update app.invite_codes set status = 'revoked' where id = p_id;
    perform private.emit_moderation('invite-code', p_id, 'revoked', v_code.generated_by);
    perform private.audit('invite_code.revoked', 'invite_code', p_id::text);
  end if;
  return private.staff_card('invite_codes', p_id);
end $$;
comment on function api.revoke_invite_code is
  'Revokes anybody''s unused invite code. A reservation of the code ends, and the owner of the code is notified. '
  'Repeating it changes nothing. Leaves an audit entry.';
