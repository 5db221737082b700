-- How staff edits the catalog of interests. The catalog remains a tree: a parent is one level up. Interests are never
-- deleted.
-- docs/decisions.md, Interests; Staff.

create index interests_created_at_idx on app.interests (created_at desc, id desc);

insert into private.errors (code, status, text) values
  ('interest_fields', 422, 'An interest must have a slug of lowercase letters, digits and single hyphens, a name of 1 '
   'to 80 characters, a level from 1 to 3, and a known accent colour.');

create view private.staff_interests with (security_invoker) as
select i.created_at as at, i.id, i.level, i.parent_id, concat_ws(' ', i.slug, i.name) as said,
       json_build_object(
         'id', i.id,
         'slug', i.slug,
         'name', i.name,
         'level', i.level,
         'parentId', i.parent_id,
         'accentColor', i.accent_color,
         'userCount', i.user_count,
         'childCount', (select count(*) from app.interests c where c.parent_id = i.id),
         'createdAt', private.utc(i.created_at)) as card
from app.interests i;
comment on view private.staff_interests is 'Interests as staff sees them.';

create function api.list_all_interests(
  p_level integer default null, p_parent_id uuid default null, p_q text default null,
  p_from timestamptz default null, p_to timestamptz default null, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('interests', json_build_object('level', p_level, 'parent_id', p_parent_id), null, p_q,
                            p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_all_interests is 'Interests, newest first, of every level.';

create function api.get_interest(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_card('interests', private.require_interest(p_id));
end $$;
comment on function api.get_interest is 'An interest as staff sees it.';

create function private.save_interest(p_interest app.interests) returns void
language plpgsql volatile security definer   -- callers may not write the catalog
set search_path = ''
as $$
begin
  if (p_interest.slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(p_interest.slug) <= 80
      and length(btrim(p_interest.name)) between 1 and 80 and p_interest.level between 1 and 3
      and p_interest.accent_color in ('ink', 'gold', 'sage', 'coral', 'cyan', 'plum')) is not true then
    perform private.raise_error('interest_fields');
  elsif p_interest.parent_id is not null then
    perform private.require_interest(p_interest.parent_id);
  end if;
  -- the constraints keep the catalog a tree, even with concurrent writes
  insert into app.interests as i (id, slug, name, level, parent_id, accent_color)
  values (p_interest.id, p_interest.slug, p_interest.name, p_interest.level, p_interest.parent_id,
          p_interest.accent_color)
  on conflict (id) do update
    set slug = excluded.slug, name = excluded.name, parent_id = excluded.parent_id,
        accent_color = excluded.accent_color;
end $$;
comment on function private.save_interest is
  'Adds an interest, or changes the one with this id, which keeps its level. Fails: interest_slug_taken, '
  'interest_parent_misplaced, interest_parent_unfit.';

create function api.create_interest(
  p_slug text, p_name text, p_level integer, p_accent_color text, p_parent_id uuid default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_interest app.interests;
begin
  perform private.require_role('admin');
  v_interest.id := gen_random_uuid();
  v_interest.slug := p_slug;
  v_interest.name := private.require_name(p_name);
  v_interest.level := p_level;
  v_interest.parent_id := p_parent_id;
  v_interest.accent_color := p_accent_color;
  perform private.save_interest(v_interest);
  perform private.audit('interest.created', 'interest', v_interest.id::text,
                        json_build_object('slug', p_slug, 'parentId', p_parent_id));
  return private.staff_card('interests', v_interest.id);
end $$;
comment on function api.create_interest is 'Adds an interest to the catalog. Leaves an audit entry.';

create function api.update_interest(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_old app.interests;
  v_new app.interests;
begin
  perform private.require_role('admin');
  select * into v_old from app.interests where id = p_id for no key update;
  if not found then
    perform private.raise_error('interest_unknown');
  end if;
  v_new := v_old;
  v_new.slug := coalesce(p_changes ->> 'slug', v_old.slug);
  v_new.name := coalesce(private.require_name(p_changes ->> 'name'), v_old.name);
  v_new.accent_color := coalesce(p_changes ->> 'accentColor', v_old.accent_color);
  if p_changes ->> 'parentId' is not null then
    if not pg_input_is_valid(p_changes ->> 'parentId', 'uuid') then
      perform private.raise_error('interest_unknown');
    end if;
    v_new.parent_id := (p_changes ->> 'parentId')::uuid;
  end if;
  if v_new is distinct from v_old then
    perform private.save_interest(v_new);
    perform private.audit('interest.updated', 'interest', p_id::text, json_build_object(
      'from', json_build_object('slug', v_old.slug, 'name', v_old.name, 'parentId', v_old.parent_id,
                                'accentColor', v_old.accent_color),
      'to', json_build_object('slug', v_new.slug, 'name', v_new.name, 'parentId', v_new.parent_id,
                              'accentColor', v_new.accent_color)));
  end if;
  return private.staff_card('interests', p_id);
end $$;
comment on function api.update_interest is
  'Changes the given fields among slug, name, accentColor and parentId. Repeating it changes nothing. Leaves an '
  'audit entry.';
