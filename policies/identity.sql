-- Who may see and change accounts, sessions and invites. This file belongs to sql/identity/.

-- users: the columns that identity adds
grant select (role, first_name, last_name, country, city, about, profile_pic_url, card_rest, bot_owner_id)
  on app.users to authenticated;
grant update (username, first_name, last_name, country, city, about, profile_pic_url) on app.users to authenticated;
grant select on app.person_card to authenticated;
grant select on app.profile_card to authenticated;
grant select on app.bot_card to authenticated;
create policy update_own on app.users for update to authenticated
  using (id = (select app.uid())) with check (id = (select app.uid()));
comment on policy update_own on app.users is 'People change their own profile, but no other column.';

-- accounts
alter table app.accounts enable row level security;
grant select on app.accounts to authenticated;
grant update (phone, last_seen_at, has_public_page) on app.accounts to authenticated;
create policy select_own on app.accounts for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.accounts is 'People see their own account.';
create policy update_own on app.accounts for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.accounts is
  'People change their own phone number, whether they have a public page, and the time when they were last seen; '
  'definer functions write the rest of an account.';

-- credentials: only for definer functions
alter table private.credentials enable row level security;

-- sessions
alter table app.sessions enable row level security;
grant select (id, user_id, live_tokens, user_agent, created_at, last_used_at, expires_at, ended_at,
              kind, device, network, last_seen_at)
  on app.sessions to authenticated;
create policy select_own on app.sessions for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.sessions is
  'People see their own sessions, without the columns against which their tokens are checked. Definer '
  'functions write sessions.';

-- access_tokens
alter table app.access_tokens enable row level security;
grant select (id, user_id, kind, name, scopes, ends_with_password, expires_at, created_at, last_used_at, ended_at,
              client_id)
  on app.access_tokens to authenticated;
create policy select_own on app.access_tokens for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.access_tokens is
  'People see their own access tokens, without the hashes. Definer functions write access tokens.';

-- devices: only for definer functions
alter table private.devices enable row level security;

-- password_resets: only for definer functions
alter table private.password_resets enable row level security;

-- email_verifications: only for definer functions
alter table private.email_verifications enable row level security;

-- totp, recovery_codes, proofs, passkeys, passkey_challenges: only for definer functions
alter table private.passkeys enable row level security;
alter table private.passkey_challenges enable row level security;
alter table private.totp enable row level security;
alter table private.recovery_codes enable row level security;
alter table private.proofs enable row level security;

-- identities, oidc_logins: only for definer functions
alter table private.identities enable row level security;
alter table private.oidc_logins enable row level security;

-- personas
alter table app.personas enable row level security;
grant select, delete on app.personas to authenticated;
grant insert (user_id, name, about, accent, profile_pic_url), update (name, about, accent, profile_pic_url)
  on app.personas to authenticated;
grant select on app.persona_card to authenticated;
create policy select_reachable on app.personas for select to authenticated
  using ((select true from app.users u where u.id = user_id));
comment on policy select_reachable on app.personas is 'Everybody who sees a person sees their personas.';
create policy insert_own on app.personas for insert to authenticated with check (user_id = (select app.uid()));
comment on policy insert_own on app.personas is 'People create their own personas.';
create policy update_own on app.personas for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.personas is
  'People change their own personas; a definer function changes which one is the default.';
create policy delete_own on app.personas for delete to authenticated using (user_id = (select app.uid()));
comment on policy delete_own on app.personas is 'People delete their own personas.';

-- invite_codes
alter table app.invite_codes enable row level security;
grant select on app.invite_codes to authenticated;
grant select on app.invite_card to authenticated;
create policy select_own on app.invite_codes for select to authenticated using (generated_by = (select app.uid()));
comment on policy select_own on app.invite_codes is
  'People see their own codes. Definer functions count and write codes.';

-- invite_tree
alter table app.invite_tree enable row level security;
grant select on app.invite_tree to authenticated;
create policy select_own on app.invite_tree for select to authenticated
  using (inviter_id = (select app.uid()) or invitee_id = (select app.uid()));
comment on policy select_own on app.invite_tree is 'People see whom they invited, and who invited them.';

-- helpers
grant execute on function
  private.add_own_bot,
  private.count_invites,
  private.end_other_own_sessions,
  private.end_bot_access_token,
  private.end_own_access_token,
  private.end_own_session,
  private.end_own_token,
  private.erase_own_bot,
  private.export_own,
  private.find_invited,
  private.find_own_bots,
  private.invite_allotment,
  private.invite_status,
  private.list_own_access_tokens,
  private.list_own_factors,
  private.list_bot_access_tokens,
  private.list_own_identities,
  private.make_default_persona,
  private.make_own_invite,
  private.note_access_token_used,
  private.note_session_seen,
  private.own_bot_card,
  private.own_profile,
  private.own_token,
  private.remove_own_passkey,
  private.remove_own_totp,
  private.rename_own_passkey,
  private.renew_own_recovery_codes,
  private.require_own_bot,
  private.require_own_persona,
  private.revoke_own_invite,
  private.start_own_totp,
  private.unlink_own_identity,
  private.update_own_bot
  to authenticated;

grant execute on function
  private.person_rest,    -- a generated column of users calls this function
  private.persona_text,   -- a generated column of personas calls this function
  private.require_proof
  to authenticated, service_role;

-- operations
grant execute on function
  api.create_bot,
  api.create_invite,
  api.create_persona,
  api.delete_bot,
  api.delete_persona,
  api.end_access_token,
  api.end_bot_token,
  api.end_other_sessions,
  api.end_session,
  api.export_me,
  api.get_invite_tree,
  api.get_me,
  api.list_access_tokens,
  api.list_bot_tokens,
  api.list_bots,
  api.list_factors,
  api.list_identities,
  api.list_my_invites,
  api.list_my_personas,
  api.list_sessions,
  api.log_out,
  api.note_presence,
  api.remove_passkey,
  api.remove_totp,
  api.rename_passkey,
  api.renew_recovery_codes,
  api.revoke_invite,
  api.set_default_persona,
  api.start_totp,
  api.unlink_identity,
  api.update_bot,
  api.update_me,
  api.update_persona
  to authenticated;

-- gate: operations for callers without a token, and operations whose password the facade has checked; no token can
-- name this role
grant execute on function
  api.add_passkey,
  api.change_password,
  api.check_password_reset,
  api.confirm_totp,
  api.create_access_token,
  api.create_bot_token,
  api.end_alerted_session,
  api.erase_me,
  api.exchange_access_token,
  api.find_access_token,
  api.find_identity,
  api.find_login,
  api.find_password,
  api.finish_oidc,
  api.link_identity,
  api.list_scopes,
  api.log_in,
  api.log_in_with_oidc,
  api.log_in_with_passkey,
  api.prove,
  api.prove_with_oidc,
  api.prove_with_passkey,
  api.refresh_session,
  api.register,
  api.register_with_oidc,
  api.request_email_change,
  api.request_password_reset,
  api.resend_verification,
  api.reserve_invite,
  api.reserve_invite_code,
  api.reset_password,
  api.start_passkey,
  api.start_passkey_login,
  api.start_passkey_proof,
  api.take_passkey_challenge,
  api.verify_email
  to gate;

-- jobs
grant execute on function
  private.find_notice_mail,
  private.find_reset_mail,
  private.find_session_mail,
  private.find_verification_mail,
  private.job_expire_invites,
  private.job_release_reservations,
  private.note_bounce
  to worker;
