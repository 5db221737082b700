-- How an import adds to a person's choices of interests. See sql/import/10_imports.sql for how imports run.

create function private.interest_with_slug(p_slug text) returns uuid
language plpgsql stable security definer   -- the worker runs imports
set search_path = ''
as $$ begin return (select id from app.interests where slug = p_slug); end $$;
comment on function private.interest_with_slug is 'The interest with this slug; null if there is none.';

create function private.import_choice(p_import app.imports, p_row private.import_rows) returns private.import_result
language plpgsql volatile security definer   -- the worker runs imports
set search_path = ''
as $$
declare
  v_interest uuid := private.interest_with_slug(p_row.item ->> 'interestSlug');
begin
  if v_interest is null then
    perform private.raise_error('interest_unknown');
  end if;
  insert into app.user_interests (user_id, interest_id, depth, expertise, created_at, updated_at)
  values (p_import.user_id, v_interest, (p_row.item ->> 'depth')::smallint, (p_row.item ->> 'expertise')::smallint,
          private.import_time(p_row.item ->> 'createdAt'),
          private.import_time(p_row.item ->> 'updatedAt'))
  on conflict (user_id, interest_id) do nothing;
  return (v_interest, null)::private.import_result;
end $$;
comment on function private.import_choice is
  'Importer: chooses the interest with the slug in the dossier, unless the person has already chosen it.';

insert into private.import_sections (section, position, importer, key_field, sort_field, shape) values
  ('interests', 120, 'private.import_choice', 'interestSlug', 'createdAt', '{"interestSlug": "text",
   "depth": "integer", "expertise": "integer", "createdAt": "time", "updatedAt": "time"}');
