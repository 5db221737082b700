-- An erasure deletes a person's data. Ledgers, the audit log and the invite tree keep the person's id, because the
-- records of other people rely on it. docs/decisions.md, Erasure and export.

insert into private.errors (code, status, text) values
  ('last_admin', 409, 'You are the last admin. Make another person admin first.');

insert into private.lock_kinds (kind, position) values ('roles', 200);

create function private.lock_roles() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock('roles');
end $$;
comment on function private.lock_roles is
  'Lets only one transaction at a time change roles of admins, so that two admins can''t take the role from each '
  'other concurrently.';

create function private.keep_an_admin(p_user uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if exists (select from app.users where id = p_user and role = 'admin')
     and not exists (select from app.users
                     where role = 'admin' and id <> p_user and banned_at is null and erased_at is null) then
    perform private.raise_error('last_admin');
  end if;
end $$;
comment on function private.keep_an_admin is
  'Passes if this person is not an admin, or if there is another admin who is neither banned nor erased. The calling '
  'function must first lock the roles.';

create function private.erase_person(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bot uuid;
begin
  perform private.end_tokens(p_user);   -- call this first, because it locks the credentials before the person
  update app.users set
    person_id = gen_random_uuid(),
    username = 'deleted_' || left(replace(gen_random_uuid()::text, '-', ''), 20),
    first_name = 'Deleted', last_name = 'Account',
    country = null, city = null, about = null, profile_pic_url = null,
    role = 'user', erased_at = now()
  where id = p_user and erased_at is null;
  for v_bot in select id from app.users where bot_owner_id = p_user and erased_at is null order by id loop
    perform private.restart_lock_order();
    perform private.erase_person(v_bot);
  end loop;
end $$;
comment on function private.erase_person is
  'Erases a person and their bots in this transaction; the steps in private.account_steps erase the rest of their '
  'data. Repeating it changes nothing. The function is for definer functions and staff operations.';

create function private.erase_account(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update private.credentials set password_hash = '!erased' where user_id = p_user.id;
  -- keep the rows, because posts may refer to them
  update app.personas set name = id::text, about = null, accent = 'ink', profile_pic_url = null
  where user_id = p_user.id;
  update app.invite_codes set status = 'revoked', candidate_session_id = null where generated_by = p_user.id;
  delete from app.sessions where user_id = p_user.id;
  delete from app.access_tokens where user_id = p_user.id;
  delete from private.devices where user_id = p_user.id;
  perform private.forget_factors(p_user.id);
  delete from private.oidc_logins l using private.identities i
  where i.user_id = p_user.id and l.issuer = i.issuer and l.subject = i.subject;
  delete from private.identities where user_id = p_user.id;
  delete from private.password_resets where user_id = p_user.id;
  delete from private.email_verifications where user_id = p_user.id;
  -- update this row last, because a transaction that writes the person's ledger also locks it after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
end $$;
comment on function private.erase_account is
  'Step: deletes an erased person''s addresses, birthday, phone number, sessions, access tokens, devices, factors, '
  'linked logins and the texts of their personas, sets a hash that matches no password, and revokes all their invite '
  'codes.';
call private.force_index_scans('private.erase_account');
insert into private.account_steps (step, events, position) values
  ('private.erase_account', '{erasure}', 178);

create function api.erase_me(p_password_hash text) returns json
language plpgsql volatile security definer   -- only for gate: relies on the facade to have checked the password
set search_path = ''
as $$
begin
  if exists (select from app.users where id = private.require_caller() and role = 'admin') then
    perform private.lock_roles();
  end if;
  perform private.check_lock_order('credentials', app.uid()::text);
  perform from private.credentials where user_id = app.uid() and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.check_caller();   -- check again, because the caller may have become an admin
  perform private.require_proof();
  perform private.keep_an_admin(app.uid());
  perform private.erase_person(app.uid());
  return json_build_object('erased', true);
end $$;
comment on function api.erase_me is
  'For the facade alone, after it has checked the password: erases the caller permanently, {erased}.';
