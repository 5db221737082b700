-- A link that is mailed to an email address verifies it. If the address is new, the link also changes the person's
-- address. The facade makes the tokens, like those for new passwords. docs/decisions.md, Email addresses.

create table private.email_verifications (
  id         uuid primary key,
  user_id    uuid not null references app.users on delete cascade,
  email      text not null check (length(email) between 3 and 254),
  replaces   text check (replaces <> email),
  token_hash bytea not null check (length(token_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index email_verifications_user_id_idx on private.email_verifications (user_id, created_at);
create index email_verifications_email_idx on private.email_verifications (lower(email), created_at);
create index email_verifications_expires_at_idx on private.email_verifications (expires_at);
comment on table private.email_verifications is
  'Links that verify an address, with the SHA-256 of the mailed token. A link with `replaces` changes the person''s '
  'address to `email`.';
comment on column private.email_verifications.replaces is
  'The person''s address when they requested the change; null if `email` is already their address.';
comment on column private.email_verifications.expires_at is
  'When the link expires: a week after the request, or a day if it changes the address. If the link is used or '
  'becomes unnecessary, the column is set to the current time.';
-- keep the row three days longer, because a mail about a change may wait two days for the mail server after the link
-- was used, and because the links of the last hour are counted
insert into private.retention (relation, counts_from, keep)
values ('private.email_verifications', 'expires_at', '3 days');

insert into private.errors (code, status, text) values
  ('verification_over', 410, 'This link has expired or was already used. Request another one.'),
  ('email_verified', 409, 'Your email address is already verified.'),
  ('verifications_exhausted', 409, 'You have requested 10 links within an hour. Try again later.');

create view private.reachable_accounts with (security_invoker) as
select a.user_id, a.email, a.email_bounced_at
from app.accounts a join app.users u on u.id = a.user_id
where u.erased_at is null and u.bot_owner_id is null
  and (a.email_verified_at is not null or u.created_at > now() - interval '24 hours');
comment on view private.reachable_accounts is
  'The accounts to which digests and links for a new password may be mailed. An address that is not verified within '
  'a day of the registration may belong to a stranger. Bots have no address. The view includes addresses with '
  'email_bounced_at. These get no digests, but they get requested mail; otherwise their owners could never recover '
  'their accounts.';

insert into private.lock_kinds (kind, position) values ('email', 240);

create function private.lock_address(p_email text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock('email', lower(p_email));
end $$;
comment on function private.lock_address is
  'Lets only one transaction at a time give an address to an account. Otherwise a second transaction would wait for '
  'the unique index while it holds the lock of its account, and the first may need that lock: ARCHITECTURE.md, '
  'Locks.';

create function private.require_link_left(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (select count(*) >= 10 from private.email_verifications v
      where v.user_id = p_user and v.created_at > now() - interval '1 hour') then
    perform private.raise_error('verifications_exhausted');
  end if;
end $$;
comment on function private.require_link_left is
  'Passes if fewer than 10 links were mailed for a person within the last hour. The calling function must have locked '
  'the person''s credentials.';

create function private.mail_verification(
  p_user uuid, p_email text, p_replaces text, p_id uuid, p_token_hash bytea
) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into private.email_verifications (id, user_id, email, replaces, token_hash, expires_at)
  values (p_id, p_user, p_email, p_replaces, p_token_hash,
          now() + case when p_replaces is null then interval '7 days' else interval '24 hours' end);
  perform private.enqueue('mail', json_build_object('verificationId', p_id, 'letter', 'link'));
end $$;
comment on function private.mail_verification is
  'Queues a mail with a link to an address. The link verifies the address; if p_replaces is given, it also makes this '
  'address the person''s.';

create function private.end_email_changes(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update private.email_verifications set expires_at = now()
  where user_id = p_user and replaces is not null and expires_at > now();
end $$;
comment on function private.end_email_changes is
  'Ends the links that would change a person''s address. A new password also ends them, because somebody who knew the '
  'old password may have requested the change.';

create function private.find_running_verification(p_id uuid) returns private.email_verifications
language plpgsql stable
set search_path = ''
as $$
declare
  v_link private.email_verifications;
begin
  select v.* into v_link
  from private.email_verifications v
  join app.accounts a on a.user_id = v.user_id and a.email = coalesce(v.replaces, v.email)
  join app.users u on u.id = v.user_id and u.banned_at is null and u.erased_at is null
  where v.id = p_id and v.expires_at > clock_timestamp();
  return v_link;
end $$;
comment on function private.find_running_verification is
  'The link if it is valid, otherwise null. A link is valid until it expires, if its person is neither banned nor '
  'erased and still has the address that the link verifies or replaces.';

create function private.find_email_owner(p_email text) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (select a.user_id from app.accounts a where lower(a.email) = lower(p_email));
end $$;
comment on function private.find_email_owner is 'Returns the person who has an address, in any letter case, or null.';

create function api.resend_verification(p_id uuid, p_token_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: a caller who chooses the token could verify any address
set search_path = ''
as $$
declare
  v_caller  uuid := private.require_caller();
  v_account app.accounts;
  v_change  private.email_verifications;
begin
  perform from private.credentials where user_id = v_caller for update;
  select a.* into v_account
  from app.accounts a join app.users u on u.id = a.user_id and u.erased_at is null
  where a.user_id = v_caller;
  if not found then
    perform private.raise_error('token_revoked');   -- the person was erased meanwhile
  end if;
  select v.* into v_change from private.email_verifications v
  where v.user_id = v_caller and v.replaces is not null and v.expires_at > now()
  order by v.created_at desc limit 1;
  if not found and v_account.email_verified_at is not null and v_account.email_bounced_at is null then
    perform private.raise_error('email_verified');
  end if;
  perform private.require_link_left(v_caller);
  perform private.mail_verification(
    v_caller, coalesce(v_change.email, v_account.email), v_change.replaces, p_id, p_token_hash);
  return json_build_object('ok', true);
end $$;
comment on function api.resend_verification is
  'For the facade alone: mails another link, {ok}, for the address to which the caller is changing, otherwise for '
  'their current one. Earlier links remain valid.';

create function api.request_email_change(p_password_hash text, p_email text, p_id uuid, p_token_hash bytea)
returns json
language plpgsql volatile security definer   -- only for gate: relies on the facade to have checked the password
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_email  text := btrim(p_email);
  v_own    text;
begin
  perform from private.credentials where user_id = v_caller and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while the facade checked it, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.require_proof();
  select a.email into v_own from app.accounts a where a.user_id = v_caller;
  perform private.end_email_changes(v_caller);
  -- don't check whether somebody has the address, so that neither the response nor its duration reveals this
  if v_email <> v_own then
    perform private.require_link_left(v_caller);
    perform private.mail_verification(v_caller, v_email, v_own, p_id, p_token_hash);
    perform private.enqueue('mail', json_build_object('verificationId', p_id, 'letter', 'asked'));
  end if;
  return json_build_object('ok', true);
end $$;
comment on function api.request_email_change is
  'For the facade alone, after it has checked the password: mails a link to the new address and notifies the old one, '
  '{ok}. The new change replaces a pending one. If the new address is the caller''s own, it only ends the pending '
  'change.';

create function private.find_verification_mail(p_id uuid, p_letter text) returns json
language plpgsql stable security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
declare
  v_link private.email_verifications;
begin
  if p_letter <> 'link' then
    return coalesce((select json_build_object('to', v.replaces, 'letter', p_letter)
                     from private.email_verifications v where v.id = p_id), '{"ended": true}');
  end if;
  v_link := private.find_running_verification(p_id);
  if v_link.id is null then
    return '{"ended": true}';
  end if;
  -- limit the mail to a new address, so that nobody can flood another person's mailbox; mail to the person's own
  -- address has another limit
  if v_link.replaces is not null
    and (select count(*) >= 5 from private.email_verifications v
         where lower(v.email) = lower(v_link.email) and v.replaces is not null
           and v.created_at > v_link.created_at - interval '1 hour'
           and (v.created_at, v.id) < (v_link.created_at, v_link.id)) then
    return null;
  end if;
  return json_build_object(
    'to', v_link.email,
    'letter', case when v_link.replaces is null then 'verify'
                   when private.find_email_owner(v_link.email) <> v_link.user_id then 'taken'
                   else 'change' end,
    'tokenHash', encode(v_link.token_hash, 'hex'),
    'endsAt', private.utc(v_link.expires_at));
end $$;
comment on function private.find_verification_mail is
  'For the worker alone: the mail for a link, {to, letter, tokenHash (hex), endsAt}; {ended: true} if the link is '
  'no longer valid. If p_letter is `link`, the letter is verify, change or, if somebody else has the new address, '
  'taken. A new address gets at most 5 of these mails in an hour; for further mails the function returns null. If '
  'p_letter is `asked` or `changed`, the mail goes to the replaced address, even if the link has ended, until its '
  'row is deleted.';

create function private.note_bounce(p_email text) returns void
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  update app.accounts set email_bounced_at = now() where lower(email) = lower(p_email) and email_bounced_at is null;
end $$;
comment on function private.note_bounce is
  'For the worker alone: records that a mail server reported that the mailbox of this address does not exist. Does '
  'nothing if nobody has the address.';

create function api.verify_email(p_id uuid, p_token_hash bytea) returns json
language plpgsql volatile security definer   -- only for gate: the link's token authorizes the call
set search_path = ''
as $$
declare
  v_link private.email_verifications := private.find_running_verification(p_id);
begin
  -- lock the person and check again, so that only one of two concurrent calls with the same link succeeds
  perform from private.credentials where user_id = v_link.user_id for update;
  v_link := private.find_running_verification(p_id);
  if v_link.token_hash is distinct from p_token_hash or v_link.id is null then
    perform private.raise_error('verification_over');
  end if;
  if v_link.replaces is null then
    update private.email_verifications set expires_at = now()
    where user_id = v_link.user_id and replaces is null and expires_at > now();
    update app.accounts set email_verified_at = now(), email_bounced_at = null where user_id = v_link.user_id;
    return json_build_object('ok', true);
  end if;

  perform private.lock_address(v_link.email);
  if private.find_email_owner(v_link.email) <> v_link.user_id then
    perform private.raise_error('email_taken');
  end if;
  -- links mailed to the old address are no longer valid
  update private.email_verifications set expires_at = now() where user_id = v_link.user_id and expires_at > now();
  update private.password_resets set used_at = now() where user_id = v_link.user_id and used_at is null;
  update app.accounts set email = v_link.email, email_verified_at = now(), email_bounced_at = null
  where user_id = v_link.user_id;
  perform private.enqueue('mail', json_build_object('verificationId', p_id, 'letter', 'changed'));
  return json_build_object('ok', true);
end $$;
comment on function api.verify_email is
  'For the facade alone: verifies the address to which this token was mailed, {ok}. If the link is for a change, the '
  'address becomes the person''s and the old address is notified. Every other link then ends, including those for a '
  'new password; tokens and sessions remain valid. Fails: email_taken (the token remains valid).';
