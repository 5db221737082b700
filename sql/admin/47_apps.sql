-- How staff finds the apps that people registered, and ends them.
-- docs/decisions.md, Staff; Apps.

create index apps_created_at_idx on app.apps (created_at desc, id desc) where ended_at is null;

create view private.staff_apps with (security_invoker) as
select a.created_at as at, a.id, a.owner_id, concat_ws(' ', a.name, a.website, u.username) as said,
       private.merge_objects(private.app_card(a), json_build_object('ownerId', a.owner_id, 'owner', owner.card))
         as card
from app.apps a
join app.users u on u.id = a.owner_id
join app.person_card owner on owner.id = a.owner_id
where a.ended_at is null;
comment on view private.staff_apps is 'Registered apps as staff sees them, with their owners.';

create function api.list_all_apps(
  p_owner_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('apps', json_build_object('owner_id', private.find_staff_person(p_owner_id)),
                            array['owner_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_all_apps is 'Everybody''s registered apps, newest first.';

create function private.end_any_app(p_id uuid) returns uuid
language plpgsql volatile security definer   -- staff may not write apps and consents
set search_path = ''
as $$
declare
  v_owner uuid;
begin
  perform private.check_lock_order('app', p_id::text);
  select owner_id into v_owner from app.apps where id = p_id and ended_at is null for update;
  if not found then
    perform private.raise_error('app_unknown');
  end if;
  perform private.end_app(p_id);
  return v_owner;
end $$;
comment on function private.end_any_app is 'Ends anybody''s app. Returns its owner.';

create function api.remove_app(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_owner uuid;
begin
  perform private.require_role('admin');
  v_owner := private.end_any_app(p_id);
  perform private.emit_moderation('app', p_id, 'deleted', v_owner);
  perform private.audit('app.deleted', 'app', p_id::text);
  return null;   -- the response is 204
end $$;
comment on function api.remove_app is
  'Deletes anybody''s app, with all consents and tokens, and notifies its owner. Leaves an audit entry.';
