-- A person has at most five personas, and exactly one of them is the default. docs/decisions.md, People.

insert into private.errors (code, status, text) values
  ('persona_unknown', 404, 'There is no such persona.'),
  ('personas_exhausted', 409, 'You can have at most 5 personas.'),
  ('persona_is_default', 409, 'The default persona cannot be deleted. Make another one the default first.');

insert into private.lock_kinds (kind, position) values ('personas', 250);

create function private.limit_personas() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls don't exceed the limit
  perform private.lock('personas', new.user_id::text);
  if (select count(*) from app.personas where user_id = new.user_id) >= 5 then
    perform private.raise_error('personas_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_personas is 'Trigger: rejects a sixth persona of a person.';
-- the default persona is created with the person and is not checked
create trigger limit_personas before insert on app.personas
  for each row when (not new.is_default) execute function private.limit_personas();

create function private.keep_default_persona() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- the delete has locked the row, so old has the latest value of is_default
  if old.is_default then
    perform private.raise_error('persona_is_default');
  end if;
  return old;
end $$;
comment on function private.keep_default_persona is 'Trigger: prevents the deletion of the default persona.';
create trigger keep_default_persona before delete on app.personas
  for each row execute function private.keep_default_persona();

create view app.persona_card with (security_invoker) as
select id, user_id, created_at,
       json_build_object(
         'id', id,
         'name', name,
         'about', about,
         'accent', accent,
         'profilePicUrl', profile_pic_url,
         'isDefault', is_default,
         'createdAt', private.utc(created_at)) as card
from app.personas;
comment on view app.persona_card is 'A persona: {id, name, about, accent, profilePicUrl, isDefault, createdAt}.';

create function private.require_own_persona(p_persona uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (select from app.personas where id = p_persona and user_id = private.require_caller()) then
    perform private.raise_error('persona_unknown');
  end if;
  return p_persona;
end $$;
comment on function private.require_own_persona is 'Returns the persona if it is the caller''s.';

create function api.list_my_personas() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(card order by created_at, id) from app.persona_card where user_id = private.require_caller()),
    '{}', 5);
end $$;
comment on function api.list_my_personas is
  'The caller''s personas, oldest first. There are at most 5, so all are on one page.';

create function api.create_persona(
  p_name text, p_about text default null, p_accent text default 'ink', p_profile_pic_url text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_persona', json_build_array(
    p_name, p_about, p_accent, p_profile_pic_url));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  insert into app.personas (user_id, name, about, accent, profile_pic_url)
  values (private.require_caller(), private.require_name(p_name), private.require_text(p_about), p_accent,
          private.use_picture(p_profile_pic_url))
  on conflict (user_id, name) do nothing
  returning id into v_id;
  if not found then
    perform private.raise_error('persona_name_taken');
  end if;
  return private.finish_idempotent('create_persona', (select card from app.persona_card where id = v_id));
end $$;
comment on function api.create_persona is
  'Creates a persona of the caller, which is not the default. Fails: personas_exhausted.';

create function api.update_persona(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.personas set
    name = case when p_changes ? 'name' then private.require_name(p_changes ->> 'name') else name end,
    about = case when p_changes ? 'about' then private.require_text(p_changes ->> 'about') else about end,
    accent = case when p_changes ? 'accent' then p_changes ->> 'accent' else accent end,
    profile_pic_url = case when p_changes ? 'profilePicUrl' then private.use_picture(p_changes ->> 'profilePicUrl')
                           else profile_pic_url end
  where id = private.require_own_persona(p_id);
  return (select card from app.persona_card where id = p_id);
exception when unique_violation then
  perform private.raise_error('persona_name_taken');
  return null;
end $$;
comment on function api.update_persona is
  'Changes name, about, accent and profilePicUrl of the caller''s persona: absent fields remain unchanged, null '
  'clears about and profilePicUrl.';

create function api.delete_persona(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.personas where id = private.require_own_persona(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_persona is 'Deletes the caller''s persona. Fails: persona_is_default.';

create function private.make_default_persona(p_persona uuid) returns void
language plpgsql volatile security definer   -- people may not write is_default
set search_path = ''
as $$
begin
  perform private.lock('personas', private.require_caller()::text);
  -- use two statements, because the index never allows a second default, not even during a statement
  update app.personas set is_default = false where user_id = app.uid() and is_default and id <> p_persona;
  update app.personas set is_default = true where user_id = app.uid() and id = p_persona;
  if not found then
    perform private.raise_error('persona_unknown');
  end if;
end $$;
comment on function private.make_default_persona is
  'Makes one of the caller''s personas the default in place of the former one.';

create function api.set_default_persona(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.make_default_persona(p_id);
  return (select card from app.persona_card where id = p_id);
end $$;
comment on function api.set_default_persona is 'Makes a persona the caller''s default. Repeating it changes nothing.';
