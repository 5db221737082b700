-- Who may see and change the catalog, and the interests that people chose from it. This file belongs to
-- sql/interests/.

-- interests
alter table app.interests enable row level security;
grant select on app.interests to authenticated;
grant select on app.interest_card to authenticated;
create policy select_all on app.interests for select to authenticated using (true);
comment on policy select_all on app.interests is
  'Everyone sees the catalog; staff write it, and triggers write its counts.';

-- user_interests
alter table app.user_interests enable row level security;
grant select, delete on app.user_interests to authenticated;
grant insert (user_id, interest_id, depth, expertise), update (depth, expertise)
  on app.user_interests to authenticated;
grant select on app.user_interest_card to authenticated;
create policy select_own on app.user_interests for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.user_interests is
  'People see their own choices. Others learn about them only through definer functions.';
create policy insert_own on app.user_interests for insert to authenticated with check (user_id = (select app.uid()));
comment on policy insert_own on app.user_interests is 'People choose interests only for themselves.';
create policy update_own on app.user_interests for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.user_interests is 'People rate their own depth and expertise.';
create policy delete_own on app.user_interests for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.user_interests is 'People take back their own choices.';

-- helpers
grant execute on function
  private.interest_subtree,
  private.interest_tree,
  private.require_interest
  to authenticated, service_role;

-- operations
grant execute on function
  api.drop_interest,
  api.get_catalog,
  api.list_my_interests,
  api.select_interest,
  api.select_interests
  to authenticated;
