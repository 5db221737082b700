-- How an erasure ends memberships. See sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Erasure and
-- export.

create function private.leave_spaces(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_spaces uuid[];
  v_space  app.spaces;
  v_role   text;
  v_heir   uuid;
begin
  -- from here on one erasure runs at a time, because rows of two erased people may refer to each other
  perform private.lock('erasure');
  v_spaces := array(select space_id from app.space_members where user_id = p_user.id order by space_id limit 500);
  perform private.check_lock_order('space');
  perform from app.spaces where id = any (v_spaces) order by id for no key update;
  for v_space in select * from app.spaces where id = any (v_spaces) order by id loop
    v_role := private.find_role(v_space.id, p_user.id);
    perform private.drop_member(v_space.id, p_user.id);
    continue when v_role is distinct from 'owner';
    select user_id into v_heir from app.space_members
    where space_id = v_space.id and not hidden order by placed_at, user_id limit 1;
    if found then
      update app.space_members set role = 'owner' where space_id = v_space.id and user_id = v_heir;
      perform private.emit_membership_decision(v_space, 'role_changed', v_heir, p_role => 'owner');
    else
      perform private.set_archived(v_space, true);
    end if;
  end loop;
  if cardinality(v_spaces) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
  perform private.erase_rows(p_user.id, 'app.space_bans', 'user_id = $1');
end $$;
comment on function private.leave_spaces is
  'Step: removes an erased person from their spaces. A space that they owned goes to the moderator who joined '
  'first, otherwise to the member who joined first. A space without other members is archived.';
-- the first step that locks rows, because spaces and their members rank first in the lock order
insert into private.account_steps (step, events, position) values
  ('private.leave_spaces', '{erasure}', 80);

create function private.erase_pending(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_rows(p_user.id, 'app.space_requests', 'user_id = $1');
  perform private.erase_rows(p_user.id, 'app.space_invitations', 'inviter_id = $1');
  perform private.erase_rows(p_user.id, 'app.space_invitations', 'invitee_id = $1');
end $$;
comment on function private.erase_pending is
  'Step: deletes the requests and invitations of an erased person, after locking the pairs (ARCHITECTURE.md, Locks).';
insert into private.account_steps (step, events, position) values
  ('private.erase_pending', '{erasure}', 91);
