-- A ban hides the person's memberships, which remain. docs/decisions.md, Spaces.

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
  'Step: hides the memberships of a banned or erased person and stops counting them. A person has at most 1000 '
  'memberships.';
-- runs after private.leave_spaces, which may give the ownership to a person whose erasure runs concurrently
insert into private.account_steps (step, events, position) values
  ('private.hide_memberships', '{ban,unban,erasure}', 85);
