-- The export has all data about a person, section by section (private.personal_data), so that no response is too
-- large. docs/decisions.md, Erasure and export.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.users', 'bot_owner_id', 'bots', '{}'),
  ('app.accounts', 'user_id', 'account', '{}'),
  ('app.personas', 'user_id', 'personas', '{card_text}'),
  ('app.sessions', 'user_id', 'sessions', '{token_hash,alert_hash}'),
  ('app.access_tokens', 'user_id', 'accessTokens', '{token_hash,live_tokens}'),
  ('private.totp', 'user_id', 'authenticatorApp', '{secret,last_step}'),
  ('private.passkeys', 'user_id', 'passkeys', '{credential_id,public_key,counter}'),
  ('private.recovery_codes', 'user_id', 'recoveryCodes', '{code_hash}'),
  ('private.proofs', 'user_id', 'proofs', '{}'),
  ('private.identities', 'user_id', 'linkedLogins', '{}'),
  ('private.password_resets', 'user_id', 'passwordResets', '{token_hash}'),
  ('private.email_verifications', 'user_id', 'emailVerifications', '{token_hash}'),
  ('app.invite_codes', 'generated_by', 'inviteCodes', '{reservation_id,candidate_session_id}'),
  ('app.invite_tree', 'inviter_id', 'invited', '{}'),
  ('app.invite_tree', 'invitee_id', 'invitedBy', '{code_id}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.passkey_challenges', 'user_id', 'Hashes of random values, kept for five minutes.'),
  ('private.people_with_factor', 'user_id', 'The row says only that the person has a factor.'),
  ('app.invite_codes', 'used_by', 'The code belongs to somebody else; invitedBy names the inviter.'),
  ('private.devices', 'user_id', 'Hashes by which a login recognizes a device; sessions has the devices.'),
  ('private.credentials', 'user_id', 'A secret: password hashes never leave the database.');
update private.personal_data set omits = omits || '{card_rest}' where relation = 'app.users'::regclass;

create function private.is_single(p_source private.personal_data) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_source.within is null
     and array(select k.name from private.key_columns(p_source.relation) k) = array[p_source.person_column];
end $$;
comment on function private.is_single is
  'Returns whether a section of the export has at most one row, because the column with the person is the key.';

create function private.export_head(p_user uuid) returns json
language plpgsql stable security definer   -- people may not read private.personal_data
set search_path = ''
as $$
begin
  return json_build_object(
    'format', 'service-gdpr-export-v1',
    'exportedAt', private.utc(now()),
    'actorId', (
      select private.actor_id(username, (select domain from private.instance)) from app.users where id = p_user),
    'sections', (
      select json_agg(json_build_object('name', d.section, 'single', private.is_single(d)) order by d.id)
      from private.personal_data d where d.section is not null));
end $$;
comment on function private.export_head is
  'The head of a person''s export: {format, exportedAt, actorId, sections: [{name, single}]}. If single is true, the '
  'section has at most one row.';

create function private.export_own(p_section text, p_after text) returns json
language plpgsql volatile security definer   -- private.export_page accepts any person
set search_path = ''
as $$
begin
  if p_section is null then
    perform private.require_proof();
    perform private.catch_up(private.require_caller());
    return private.export_head(private.require_caller());
  end if;
  perform private.require_proof('30 minutes');   -- an export may take 15 minutes after its first page
  return private.export_page(private.require_caller(), p_section, p_after);
end $$;
comment on function private.export_own is 'The caller''s own export: its head, or a page of a section.';

create function api.export_me(p_section text default null, p_after text default null) returns json
language plpgsql volatile   -- applies the caller's pending effects first
set search_path = ''
as $$
begin
  return private.export_own(p_section, p_after);
end $$;
comment on function api.export_me is
  'The caller''s data. Without p_section it returns {format, exportedAt, actorId, sections}; with p_section, up to '
  '200 rows of that section, {items, next}. To get the following rows, pass next as p_after; next is null at the end.';
