-- Invite codes that staff make.
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
    perform private.fail('count_out_of_range');
  end if;
  v_codes := array(select private.make_invite_code(app.uid()) from generate_series(1, p_count));
  perform private.audit('invite_codes.generated', 'user', app.uid()::text, json_build_object('count', p_count));
  return json_build_object('items', (
    select json_agg(json_build_object('id', c.id, 'code', c.code, 'status', c.status,
                                      'expiresAt', private.utc(c.expires_at)))
    from unnest(v_codes) c));
end $$;
comment on function api.generate_invite_codes is
  'Makes invite codes for the calling admin: {items: [{id, code, status, expiresAt}]}. Leaves an audit entry. Fails: '
  'role_required, count_out_of_range.';
