-- How admins read the audit log, and verify that nobody has changed it.
-- docs/decisions.md, Staff.

create index audit_log_created_at_idx on app.audit_log (created_at);
create index audit_log_action_idx on app.audit_log (action, id desc);

create view private.staff_audit_log with (security_invoker) as
select l.id, l.action, l.actor_id, l.target_type, l.target_id, l.created_at as at,
       concat_ws(' ', l.action, actor.username, l.target_id, d.ip, d.detail) as said,
       json_build_object(
         'id', l.id,
         'action', l.action,
         'actorId', l.actor_id,
         'actor', person.card,
         'targetType', l.target_type,
         'targetId', l.target_id,
         'ip', d.ip,
         'detail', d.detail,
         'createdAt', private.utc(l.created_at)) as card
from app.audit_log l
left join app.audit_details d on d.audit_id = l.id
left join app.users actor on actor.id = l.actor_id
left join app.person_card person on person.id = l.actor_id;
comment on view private.staff_audit_log is 'Audit entries as admins see them; an erasure empties ip and detail.';

create function private.audit_page(
  p_filters json, p_by text, p_q text, p_since timestamptz, p_until timestamptz, p_limit integer, p_cursor text
) returns json
language plpgsql stable security definer   -- callers may not read the log
set search_path = ''
as $$
declare
  v_before bigint := 9223372036854775807;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_fits   text;
  v_ids    bigint[];
  v_next   bigint;
  v_items  json;
begin
  if p_cursor is not null then
    if not pg_input_is_valid(p_cursor, 'bigint')
       or not exists (select from app.audit_log where id = p_cursor::bigint) then
      perform private.raise_error('cursor_unknown');
    end if;
    v_before := p_cursor::bigint;
  elsif p_until is not null then
    -- numbers and times have the same order, because one writer at a time assigns them
    v_before := coalesce((select id + 1 from app.audit_log where created_at < p_until
                          order by created_at desc limit 1), 0);
  end if;
  select coalesce(string_agg(format('l.%I = %L', f.key, f.value), ' and '), 'true') into v_fits
  from json_each_text(p_filters) f where f.value is not null;
  if p_q is not null then
    v_fits := v_fits || format(' and strpos(lower(l.said), lower(%L)) > 0', p_q);
  end if;
  execute format($q$
    with looked as materialized (
      select l.id, %s and l.at >= $2 as fits from private.staff_audit_log l where l.id < $1 and %s
      order by l.id desc limit 400
    ), seen as materialized (
      select array(select id from looked where fits limit 51) as ids
    )
    select ids, case when cardinality(ids) < 51 then (select id from looked offset 399 limit 1) end from seen
    $q$, v_fits, case when p_by is null then 'true' else format('l.%I = %L', p_by, p_filters ->> p_by) end)
    into v_ids, v_next using v_before, v_since;
  if (select created_at from app.audit_log where id = v_next) < v_since then
    v_next := null;   -- all later rows are older, too
  end if;
  v_items := (
    select json_agg(l.card order by p.place)
    from unnest(v_ids[:p_limit]) with ordinality p (id, place) join private.staff_audit_log l on l.id = p.id);
  if v_next is not null and cardinality(v_ids) <= p_limit then
    return json_build_object('items', coalesce(v_items, '[]'), 'nextCursor', v_next::text, 'hasMore', true);
  end if;
  return private.page(v_items, v_ids::text[], p_limit);
end $$;
comment on function private.audit_page is
  'A page of the audit log, in the form of private.staff_page; p_by names the filter that has an index.';
call private.force_index_scans('private.audit_page');

create function api.list_audit_log(
  p_action text default null, p_actor_id text default null, p_target_type text default null,
  p_target_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null, p_actor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_actor text := coalesce(p_actor_id, p_actor);
begin
  perform private.require_role('admin');
  return private.audit_page(
    json_build_object('action', p_action, 'actor_id', private.find_staff_person(v_actor),
                      'target_type', p_target_type, 'target_id', p_target_id),
    case when v_actor is not null then 'actor_id' when p_action is not null then 'action' end,
    p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_audit_log is
  'The audit log, newest first. p_actor is another name for p_actor_id.';

create function private.verify_audit(p_after bigint) returns json
language plpgsql stable security definer   -- callers may not read the log
set search_path = ''
as $$
declare
  c_most     constant integer := 10000;
  v_head     private.audit_head;
  v_entry    app.audit_log;
  v_row      record;
  v_last     bigint := p_after;
  v_previous bytea;
  v_broken   bigint;
begin
  select * into v_head from private.audit_head;
  if p_after > 0 then
    select hash into v_previous from app.audit_log where id = p_after;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  for v_row in
    select l as entry, d as detail from app.audit_log l left join app.audit_details d on d.audit_id = l.id
    where l.id > p_after order by l.id limit c_most
  loop
    v_entry := v_row.entry;
    if v_entry.id <> v_last + 1 then
      v_broken := v_last + 1;
    elsif v_entry.previous is distinct from v_previous or v_entry.hash <> private.audit_hash(v_entry)
       or private.is_audit_detail_changed(v_entry, v_row.detail) then
      v_broken := v_entry.id;
    end if;
    exit when v_broken is not null;
    v_last := v_entry.id;
    v_previous := v_entry.hash;
  end loop;
  if v_broken is null and v_last < p_after + c_most then
    -- at the end of the log, only the head reveals that entries are missing
    v_broken := case when v_last <> coalesce(v_head.entries, 0) then least(v_last, coalesce(v_head.entries, 0)) + 1
                     when v_previous is distinct from v_head.hash then v_last end;
  end if;
  return json_build_object(
    'ok', v_broken is null,
    'entries', coalesce(v_head.entries, 0),
    'firstBroken', v_broken,
    'verifiedTo', v_last,
    'next', case when v_broken is null and v_last = p_after + c_most then v_last end);
end $$;
comment on function private.verify_audit is
  'Verifies the next 10,000 entries after p_after, and at the end the head: {ok, entries, firstBroken, verifiedTo, '
  'next}. firstBroken is the first entry that was changed, has a changed detail, or is missing.';
call private.force_index_scans('private.verify_audit');

create function api.verify_audit_log(p_after bigint default 0) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  return private.verify_audit(greatest(p_after, 0));
end $$;
comment on function api.verify_audit_log is
  'Verifies that nobody has changed the audit log, 10,000 entries at a time.';
