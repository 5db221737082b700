-- What a ban does to memberships: they stay, hidden.
-- docs/decisions.md, Spaces.

create function private.hide_memberships(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hidden boolean := p_user.banned_at is not null or p_user.erased_at is not null;
begin
  update app.space_members set hidden = v_hidden where user_id = p_user.id and hidden <> v_hidden;
end $$;
comment on function private.hide_memberships is
  'Step: who is banned or erased is counted in no space, of which one person is in 1000 at most.';
-- behind private.leave_spaces, which may make one who is just being erased an heir
insert into private.account_steps (step, events, position) values
  ('private.hide_memberships', '{ban,unban,erasure}', 85);
