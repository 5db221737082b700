-- Who may see and touch reputation. Twin of sql/reputation/.

-- reputation_entries
alter table app.reputation_entries enable row level security;
grant select (id, position, user_id, interest_id, kind, delta, origin_id, roll_up_level, undoes_id, created_at)
  on app.reputation_entries to authenticated;
create policy select_own on app.reputation_entries for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.reputation_entries is
  'One''s own entries, without whom each was earned from. Triggers write them, nobody changes them.';

-- reputation
alter table app.reputation enable row level security;
grant select on app.reputation, app.reputation_card to authenticated;
create policy select_reachable on app.reputation for select to authenticated
  using (exists (select from app.users u where u.id = user_id));
comment on policy select_reachable on app.reputation is
  'Whoever sees the person sees their reputation. The ledger''s trigger writes it.';

grant execute on function private.reputation_level, private.reputation_value, private.total_reputation, private.reputation_of
  to authenticated, service_role;
grant execute on function api.get_my_reputation, api.get_reputation, api.get_my_capabilities to authenticated;
