-- Who may see and touch the base. Twin of sql/base/.

-- helpers that operations call in their caller's name
grant execute on function private.fail, private.refusal, private.check_caller, private.enter, private.caller, app.uid
  to anon, authenticated, service_role, gate;
grant execute on function private.domain, private.actor_id, private.username_of, private.person, private.require_flag,
  private.require_role, private.may_see, private.may_meet, private.cursor_uuid, private.page,
  private.idempotency_key, private.replayed, private.keep, private.emit
  to authenticated, service_role, gate;
grant execute on function private.lock_pairs, private.level_of, private.audit to service_role;

-- users
alter table app.users enable row level security;
grant select (id, username, created_at) on app.users to authenticated;

create policy select_reachable on app.users for select to authenticated
  using (banned_at is null and erased_at is null
     and private.may_meet((select a.level from app.audience a
                           where a.viewer_id = (select app.uid()) and a.author_id = users.id)));
comment on policy select_reachable on app.users is
  'Everyone but the banned, the erased and those across a block. Nobody writes here: definer functions do.';

-- revoked_tokens, errors: private, for definer functions alone
alter table private.revoked_tokens enable row level security;
alter table private.errors enable row level security;

-- settings
alter table app.settings enable row level security;
grant select on app.settings to anon, authenticated, gate;
create policy select_all on app.settings for select to anon, authenticated, gate using (true);
comment on policy select_all on app.settings is 'Settings are no secret; they are written at boot.';

-- feature_flags
alter table app.feature_flags enable row level security;
grant select on app.feature_flags to authenticated;
create policy select_all on app.feature_flags for select to authenticated using (true);
comment on policy select_all on app.feature_flags is 'Everyone may know what is switched on; staff switch it.';

-- audience
alter table app.audience enable row level security;
grant select on app.audience to authenticated;
create policy select_own on app.audience for select to authenticated using (viewer_id = (select app.uid()));
comment on policy select_own on app.audience is 'A viewer''s own levels, which other policies probe. Triggers write it.';

-- spaces
alter table app.spaces enable row level security;
grant select on app.spaces to authenticated;
create policy select_member on app.spaces for select to authenticated
  using (id in (select m.space_id from app.space_members m where m.user_id = (select app.uid())));
comment on policy select_member on app.spaces is 'Members see their spaces.';

alter table app.space_members enable row level security;
grant select on app.space_members to authenticated;
create policy select_own on app.space_members for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.space_members is 'One''s own memberships, which other policies probe.';

-- domain_events, idempotency_keys, audit_log, audit_details: for definer functions and staff operations
alter table app.domain_events enable row level security;
alter table app.idempotency_keys enable row level security;
alter table app.audit_log enable row level security;
alter table app.audit_details enable row level security;
