-- The functions of npm run admin, by which an operator changes accounts. Only the owner of the schema may run these
-- functions.

create function private.find_account(p_email text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (select a.user_id from app.accounts a join app.users u on u.id = a.user_id and u.erased_at is null
          where lower(a.email) = lower(btrim(p_email)));
end $$;
comment on function private.find_account is 'Returns the person with this address, or null.';

create function private.make_admin(p_email text, p_password_hash text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.lock_roles();
  v_id := private.find_account(p_email);
  if v_id is null then
    v_id := private.create_person(p_email, p_password_hash, 'Admin', 'Admin', null, null, null, 'admin');
    update app.accounts set email_verified_at = now() where user_id = v_id;   -- the operator confirms the address
    perform private.audit('user.role_changed', 'user', v_id::text, json_build_object('from', null, 'to', 'admin'));
    return json_build_object('result', 'created');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.role = 'admin' then
    return json_build_object('result', 'unchanged');
  elsif v_person.banned_at is not null then
    return json_build_object('result', 'banned');
  elsif exists (select from app.accounts where user_id = v_id and email_verified_at is null) then
    return json_build_object('result', 'unverified');   -- somebody else may have registered with this address
  end if;
  perform private.change_account(v_id, 'admin', null);
  perform private.audit('user.role_changed', 'user', v_id::text,
                        json_build_object('from', v_person.role, 'to', 'admin'));
  return json_build_object('result', 'appointed');
end $$;
comment on function private.make_admin is
  'For npm run admin: makes the person with this address an admin. If nobody has the address, it creates a person '
  'with this password. {result}: created, appointed, unchanged (an admin already), banned or unverified (it changes '
  'nothing for these two).';

create function private.set_password(p_email text, p_password_hash text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := private.find_account(p_email);
begin
  if v_id is null then
    return false;
  end if;
  perform private.lock_account(v_id);
  perform private.replace_password(v_id, p_password_hash);
  update app.accounts set email_verified_at = coalesce(email_verified_at, now()) where user_id = v_id;
  perform private.audit('user.password_set', 'user', v_id::text);
  return true;
end $$;
comment on function private.set_password is
  'For npm run admin: sets the password of the person with this address, ends their tokens and sessions, and marks '
  'the address as verified. Returns false if nobody has the address.';

create function private.remove_factors(p_email text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := private.find_account(p_email);
begin
  if v_id is null or not private.has_factor(v_id) then
    return false;
  end if;
  perform private.lock_account(v_id);
  perform private.end_tokens(v_id);
  perform private.forget_factors(v_id);
  perform private.mail_about_factor(v_id, 'factorRemoved');
  perform private.audit('user.factors_removed', 'user', v_id::text);
  return true;
end $$;
comment on function private.remove_factors is
  'For npm run admin: removes all second factors of the person with this address, ends their tokens and sessions, '
  'and notifies them by mail. Returns false if nobody has the address, or if they have no factor.';
