-- How an admin exports or erases a banned person, who cannot log in. docs/decisions.md, Staff; Erasure and export.

insert into private.errors (code, status, text) values
  ('person_free', 409, 'This person is not banned and can do this themselves.');

create function private.require_banned(p_person text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_id uuid := private.require_any_person(p_person);
begin
  if not exists (select from app.users where id = v_id and banned_at is not null) then
    perform private.raise_error('person_free');
  end if;
  return v_id;
end $$;
comment on function private.require_banned is
  'Returns a banned person. Staff exports or erases only banned people, because others can do it themselves.';

create function private.export_banned(p_user uuid, p_section text, p_after text) returns json
language plpgsql volatile security definer   -- private.export_page accepts any person
set search_path = ''
as $$
begin
  if p_section is null then
    perform private.catch_up(p_user);
    return private.export_head(p_user);
  end if;
  return private.export_page(p_user, p_section, p_after);
end $$;
comment on function private.export_banned is
  'The export of a person whom staff has found: its head, or a page of a section.';

create function api.export_user(p_id text, p_section text default null, p_after text default null) returns json
language plpgsql volatile   -- applies the person's pending effects first
set search_path = ''
as $$
declare
  v_id   uuid;
  v_part json;
begin
  perform private.require_role('admin');
  -- as in api.export_me, an export may take 15 minutes after its first page
  perform private.require_proof(case when p_section is null then interval '10 minutes' else '30 minutes' end);
  v_id := private.require_banned(p_id);
  v_part := private.export_banned(v_id, p_section, p_after);
  if p_section is null then
    perform private.audit('user.exported', 'user', v_id::text);
  end if;
  return v_part;
end $$;
comment on function api.export_user is
  'A banned person''s data, in the form of api.export_me. The head leaves an audit entry.';

create function api.erase_user(p_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person app.users;
begin
  perform private.require_role('admin');
  perform private.require_proof();
  v_person := private.lock_account(private.require_banned(p_id));
  if v_person.banned_at is null then
    perform private.raise_error('person_free');   -- unbanned meanwhile
  end if;
  perform private.erase_banned(v_person.id);
  perform private.audit('user.erased', 'user', v_person.id::text);
  return json_build_object('erased', true);
end $$;
comment on function api.erase_user is 'Erases a banned person, which is final: {erased}. Leaves an audit entry.';

create function private.erase_banned(p_user uuid) returns void
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$ begin perform private.erase_person(p_user); end $$;
comment on function private.erase_banned is 'Erases a person whom staff has found and locked.';
