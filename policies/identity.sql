-- Who may see and touch accounts, sessions and invites. Twin of sql/identity/.

-- users: the columns that identity adds
grant select (role, first_name, last_name, country, city, about, profile_pic_url) on app.users to authenticated;
grant select on app.person_card to authenticated;
grant execute on function private.own_profile to authenticated;

-- accounts
alter table app.accounts enable row level security;
grant select on app.accounts to authenticated;
create policy select_own on app.accounts for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.accounts is 'One''s own account. Definer functions write it.';

-- credentials: for definer functions alone
alter table private.credentials enable row level security;

-- personas
alter table app.personas enable row level security;
grant select on app.personas to authenticated;
create policy select_reachable on app.personas for select to authenticated
  using (exists (select from app.users u where u.id = user_id));
comment on policy select_reachable on app.personas is 'Whoever sees the person sees their personas.';

-- invite_codes
alter table app.invite_codes enable row level security;
grant select on app.invite_codes to authenticated;
create policy select_own on app.invite_codes for select to authenticated using (generated_by = (select app.uid()));
comment on policy select_own on app.invite_codes is 'One''s own codes.';

-- invite_tree
alter table app.invite_tree enable row level security;
grant select on app.invite_tree to authenticated;
create policy select_own on app.invite_tree for select to authenticated
  using (inviter_id = (select app.uid()) or invitee_id = (select app.uid()));
comment on policy select_own on app.invite_tree is 'Whom one brought in, and by whom one came.';

grant execute on function private.end_own_token to authenticated;
grant execute on function api.get_me, api.log_out to authenticated;
-- what comes before a token: for the facade's gate, which no token can name
grant execute on function api.find_login, api.log_in, api.reserve_invite, api.reserve_invite_code, api.register to gate;
