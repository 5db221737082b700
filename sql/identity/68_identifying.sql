-- People who cannot log in because they are banned or suspended prove their identity as at a login, but get no
-- session. docs/decisions.md, Second factors.

create function private.require_password(p_user_id uuid, p_password_hash text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from private.credentials
                 where user_id = p_user_id and password_hash = p_password_hash) then
    perform private.raise_error('credentials_wrong');   -- the password changed while the facade checked it
  end if;
end $$;
comment on function private.require_password is 'Passes if this is still the hash of the person''s password.';

create function private.require_oidc_login(p_user_id uuid, p_login uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from private.oidc_logins l
                 join private.identities i on i.issuer = l.issuer and i.subject = l.subject
                 where l.id = p_login and i.user_id = p_user_id and l.used_at is null
                   and l.created_at > clock_timestamp() - interval '30 minutes') then
    perform private.raise_error('oidc_over');
  end if;
end $$;
comment on function private.require_oidc_login is
  'Passes if this login at the provider is the person''s and is unused. The function does not use it up, so that '
  'the person can read several decisions and appeal them until the login expires.';

create function private.identify(
  p_user_id uuid, p_password_hash text, p_code text, p_passkey uuid, p_counter bigint, p_oidc_login uuid
) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  perform from private.credentials where user_id = p_user_id for update;
  if p_passkey is not null then
    return private.use_passkey(p_passkey, p_user_id, p_counter);
  elsif p_oidc_login is not null then
    perform private.require_oidc_login(p_user_id, p_oidc_login);
  else
    perform private.require_password(p_user_id, p_password_hash);
  end if;
  perform private.require_code(p_user_id, p_code);
  return true;
end $$;
comment on function private.identify is
  'Passes for a password or a login at the OpenID provider, with a code if the person has a second factor, or for a '
  'passkey. The facade has checked the proof. Returns false if the counter of the passkey did not rise; then the '
  'calling function must return passkey_wrong, and not raise it.';
