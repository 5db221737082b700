-- The standing of a person for staff.
-- docs/decisions.md, Staff.

create function api.get_user_standing(p_id text) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.standing(private.find_staff_person(p_id), false); end $$;
comment on function api.get_user_standing is
  'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}. Nobody learns who decided.';
