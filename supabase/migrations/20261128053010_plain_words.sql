-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.add_import_rows(p_id uuid, p_section text, p_from integer, p_items jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_section private.import_sections;
  v_import  app.imports;
  v_errors  text[];
begin
  select * into strict v_section from private.import_sections where section = p_section;
  v_errors := private.check_import_rows(v_section, p_from, p_items);
  if v_errors = '{}' then
    perform private.check_lock_order('import', app.uid()::text);
    update app.imports
    set staged = staged + jsonb_array_length(p_items),
        total = total + case when v_section.importer is not null then jsonb_array_length(p_items) else 0 end
    where id = p_id and user_id = private.require_caller() and state = 'receiving'
    returning * into v_import;
    if not found then
      perform private.raise_error('import_running');   -- the person has begun another import meanwhile
    elsif v_import.staged > 100000 then
      perform private.raise_error('import_large');
    end if;
    insert into private.import_rows (import_id, section, place, position, sort_at, row_key, of_key, item)
    select p_id, p_section, p_from + i.place - 1, v_section.position,
           coalesce((i.item ->> v_section.sort_field)::timestamptz, '-infinity'),
           coalesce(i.item ->> v_section.key_field, ''), i.item ->> v_section.of_field, i.item
    from jsonb_array_elements(p_items) with ordinality as i (item, place);
  end if;
  return json_build_object('problems', to_json(v_errors));
end $function$;

CREATE OR REPLACE FUNCTION api.preview_broadcast(p_title text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts;
begin
  perform private.require_role('admin');
  begin
    -- the row is written and undone, so that a preview rejects and changes texts in the same way as a broadcast
    v_broadcast := private.add_broadcast(p_title, p_body);
    raise exception using errcode = 'KP001';
  exception when sqlstate 'KP001' then
    null;
  end;
  return json_build_object('title', v_broadcast.title, 'body', v_broadcast.body,
                           'recipients', private.count_recipients('admin.broadcast'));
end $function$;

CREATE OR REPLACE FUNCTION private.act_for_space(p_kind text, p_id text, p_case uuid, p_action text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_space     uuid := (private.require_space(p_kind, p_id)).id;
  v_reason    text := private.find_reason(p_reason);
  v_case      app.cases;
  v_statement text;
begin
  perform private.count_writes('decisions');
  perform private.require_space_case(v_space, p_case, p_action);
  perform private.lock('case work', p_case::text);
  perform private.lock_visible_space(p_kind, p_id);
  v_case := private.require_space_case(v_space, p_case, p_action);   -- again: it may have changed meanwhile
  if p_action is distinct from 'dismiss' then
    select by_space into v_statement from private.case_handlers
    where target_type = v_case.target_type and action = p_action;
    if v_statement is null then
      perform private.raise_error('case_action');
    end if;
    perform set_config('kith.case', json_build_object(
      'caseId', v_case.id, 'category', v_case.category, 'rule', v_case.rule, 'spaceId', v_space)::text, true);
    execute v_statement using v_case.target_id, v_reason;   -- safe: the statement comes from the registry
    perform set_config('kith.case', '', true);
    perform private.restart_lock_order();
  end if;
  perform private.check_lock_order('case', p_case::text);
  update app.cases set updated_at = clock_timestamp() where id = p_case;
  perform private.add_case_event(p_case, 'space', null, json_build_object('spaceId', v_space, 'action', p_action));
  if p_action <> 'unhide' and v_case.staff_from > now() then
    perform private.end_case(p_case, case p_action when 'dismiss' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.space-' || p_action, 'case', p_case::text, json_build_object('spaceId', v_space));
  return private.space_report_cards(array[p_case]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.act_in_case(p_case app.cases, p_actions text[], p_reason text, p_category text, p_rule text, p_until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
begin
  perform set_config('kith.case', json_build_object(
    'caseId', (p_case).id, 'category', coalesce(p_category, (p_case).category),
    'rule', coalesce(p_rule, (p_case).rule))::text, true);
  if exists (select from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
             where h.target_type = 'user') then
    -- before the locks of the thing, in the same order as a ban and an erasure
    perform private.lock_account((p_case).person_id);
  end if;
  for v_handler in
    select h.* from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
    where a <> 'dismiss' order by h.place, h.action
  loop
    perform private.restart_lock_order();
    -- safe: the statement comes from the registry
    execute v_handler.statement
    using case when v_handler.target_type = 'user' then (p_case).person_id else (p_case).target_id end,
          p_reason, p_until;
  end loop;
  if 'dismiss' = any (p_actions) then
    perform private.release_held((p_case).target_type, (p_case).target_id);
  end if;
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
end $function$;

CREATE OR REPLACE FUNCTION private.add_webhook_test(p_webhook uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject  constant text := 'webhook:' || p_webhook;
  v_delivery private.webhook_deliveries;
begin
  -- at most one test waits: it is sent now
  select * into v_delivery from private.webhook_deliveries d
  where d.webhook_id = p_webhook and d.subject_key = v_subject and d.status = 'pending' order by d.id limit 1;
  if not found then
    insert into private.webhook_deliveries (webhook_id, event, event_id, subject_key)
    values (p_webhook, 'webhooks.webhook.tested', gen_random_uuid(), v_subject)
    returning * into v_delivery;
  end if;
  perform private.take_turn(p_webhook, v_subject);
  return private.delivery_card(v_delivery);
end $function$;

CREATE OR REPLACE FUNCTION private.audit_proof(p_entry bigint)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_entry      app.audit_log;
  v_detail     app.audit_details;
  v_checkpoint private.audit_checkpoints;
  v_after      bigint;
begin
  select * into v_entry from app.audit_log where id = p_entry;
  select * into v_detail from app.audit_details where audit_id = p_entry;
  select * into v_checkpoint from private.audit_checkpoints where entries >= p_entry order by entries limit 1;
  if not found or v_entry.detail_hash is null then   -- an entry that 1.0.0 wrote contains the id of the actor
    return null;
  end if;
  v_after := coalesce((select entries from private.audit_checkpoints where number = v_checkpoint.number - 1), 0);
  return json_build_object(
    'previous', encode(v_entry.previous, 'hex'),
    'content', private.audit_content(v_entry)::text,
    'detail', case when v_detail.detail_salt is not null then v_detail.detail::text end,
    'salt', encode(v_detail.detail_salt, 'hex'),
    'place', v_entry.id - v_after - 1,
    'size', v_checkpoint.entries - v_after,
    'path', array(
      select encode(p.node, 'hex')
      from unnest(private.merkle_path(private.merkle_leaves(v_after, v_checkpoint.entries), v_entry.id - v_after))
           with ordinality p (node, place) order by p.place),
    'checkpoint', private.checkpoint_card(v_checkpoint));
end $function$;

CREATE OR REPLACE FUNCTION private.audit_treasuries()
 RETURNS TABLE(rule text, subject uuid, expected bigint, found bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select 'the rows of a treasury add up to the entries of its account', coalesce(e.transaction_id, r.transaction_id),
           coalesce(e.amount, 0)::bigint, coalesce(r.total, 0)::bigint
    from (select x.* from app.mana_entries x join app.mana_accounts a on a.id = x.account_id
          where a.kind = 'treasury') e
    full join (select transaction_id, guild_id, sum(amount) as total from app.treasury_entries group by 1, 2) r
      on r.transaction_id = e.transaction_id and r.guild_id = e.account_id
    where e.amount is distinct from r.total
    union all
    select 'the balance after a row of a treasury is the sum of its rows', s.id, s.total::bigint, s.balance_after
    from (select id, balance_after, sum(amount) over (partition by guild_id order by seq) as total
          from app.treasury_entries) s
    where s.total <> s.balance_after;
end $function$;

CREATE OR REPLACE FUNCTION private.begin_import()
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_last   app.imports;
  v_id     uuid;
begin
  perform private.count_writes('imports');
  perform private.lock('import', v_caller::text);   -- so that only one of several concurrent calls finishes it
  delete from app.imports where user_id = v_caller and state = 'receiving';
  select * into v_last from app.imports
  where user_id = v_caller and created_at > now() - interval '24 hours' order by created_at desc limit 1;
  if v_last.state in ('waiting', 'running') then
    perform private.raise_error('import_running');
  elsif found then
    perform private.raise_error('import_daily', json_build_object(
      'Retry-After', ceil(extract(epoch from v_last.created_at + interval '24 hours' - now()))::text));
  end if;
  insert into app.imports (user_id) values (v_caller) returning id into v_id;
  return v_id;
end $function$;

CREATE OR REPLACE FUNCTION private.change_role(p_kind text, p_id text, p_person text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  perform private.require_space_role(v_space.id, 'owner');
  perform private.require_visible_person(p_person);   -- again: the person may have been banned meanwhile
  perform private.set_space_role(v_space, v_user, p_role);
  return private.member_cards(v_space.id, array[v_user]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.count_recipients(p_kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- people without a row get the default of the kind
  return (select count(*) from app.users u where u.banned_at is null and u.erased_at is null)
       - (select count(*)
          from app.notification_preferences p
          join app.users u on u.id = p.user_id and u.banned_at is null and u.erased_at is null
          where p.kind = p_kind and not private.is_wanted(p.user_id, p.kind));
end $function$;

CREATE OR REPLACE FUNCTION private.disburse(p_guild text, p_person text, p_amount integer, p_note text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note  text := private.require_text(p_note);
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
  v_id    uuid;
begin
  perform private.count_writes('movements');
  perform private.require_amount(p_amount);
  if coalesce(v_note, '') = '' then
    perform private.raise_error('treasury_note_missing');
  end if;
  v_space := private.lock_treasury(p_guild, array[v_user], 'owner', 'moderator');
  if v_user = app.uid() then
    perform private.raise_error('disburse_oneself');
  end if;
  perform private.require_visible_person(p_person);   -- again: a ban may have happened meanwhile
  v_id := private.move_treasury(v_space.id, 'disbursement', app.uid(), array[v_user], array[-p_amount], v_note);
  return json_build_object(
    'entry', private.treasury_cards(array(select id from app.treasury_entries where transaction_id = v_id)) -> 0,
    'treasuryBalance', private.treasury_balance(v_space.id));
end $function$;

CREATE OR REPLACE FUNCTION private.end_case(p_case uuid, p_outcome text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set status = 'closed', outcome = p_outcome, closed_by = app.uid(), closed_at = now(), claimed_by = null,
      claimed_until = null, updated_at = clock_timestamp()
  where id = p_case and status = 'open';
  if not found then
    return;
  end if;
  perform private.settle_case_proposal(p_case, null, 'declined');
  perform private.add_case_event(p_case, 'closed', null, json_build_object('outcome', p_outcome));
  -- after the row is locked: a report that was being added belongs now either to this case or to the next one
  if private.settle_case_reports(jsonb_build_object('caseId', p_case)) ->> 'next' is not null then
    perform private.enqueue('settled-reports', json_build_object('caseId', p_case));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_case_without_reports(p_case uuid, p_outcome text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  -- locks the row first, so that a report that is just being added counts
  perform from app.cases where id = p_case and status = 'open' for no key update;
  if found and not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                           where c.case_id = p_case and r.status = 'open') then
    perform private.end_case(p_case, p_outcome);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.find_access(p_type text, p_id uuid)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_access private.access := (p_type, p_id, null, false, null, null, null)::private.access;
  v_choice app.feed_choice := (
    null, null, false, null, 0, private.muted_people(), private.muted_posts(), private.find_muted_words(), 1, 200000,
    null)::app.feed_choice;
begin
  if p_type = 'post' then
    v_access.can_see := exists (select from private.visible_posts where id = p_id);
    v_access.is_listed := exists (select from private.listed_posts where id = p_id);
    v_access.is_muted := v_access.is_listed and cardinality((private.without_phrases(
      v_choice.muted_words, private.feed_chosen(v_choice, array[p_id], true), null, v_choice.characters)).ids) = 0;
    -- no feed contains what only its author sees
    v_access.is_shown := v_access.is_listed and not v_access.is_muted
      and exists (select from app.posts where id = p_id and required_level <= 2);
  elsif p_type = 'reply' then
    v_access.can_see := exists (select from private.visible_replies where id = p_id);
  elsif p_type = 'content' then
    v_access.can_see := exists (select from private.visible_contents where id = p_id)
                     or exists (select from private.visible_courses where id = p_id);
    v_access.is_listed := exists (select from private.listed_contents where id = p_id);
    v_access.is_shown := v_access.is_listed;
  elsif p_type = 'conversation' then
    v_access.can_see := exists (select from app.conversation_members
                                where conversation_id = p_id and user_id = app.uid());
  else
    v_access.can_see := (select v.is_inside from private.visibility(app.uid(), 0, p_id) v);
  end if;
  return v_access;
end $function$;

CREATE OR REPLACE FUNCTION private.find_changes(p_after text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_from    app.place := private.page_start('changes', p_after);
  v_at      timestamptz := v_from.at;   -- plain variables: an expression defeats the index
  v_id      uuid := v_from.id;
  -- a change that was noted earlier may not be committed yet
  v_settled timestamptz := clock_timestamp() - interval '10 seconds';
  v_sources text[];
  v_ids     uuid[];
  v_levels  smallint[];
  v_times   timestamptz[];
  v_next    app.place;
  v_finder  record;
  v_some    app.change[];
  v_found   app.change[] := '{}';
begin
  if v_at < now() - interval '30 days' then
    perform private.raise_error('sync_too_old');
  end if;
  select array_agg(c.source), array_agg(c.thing_id), array_agg(c.level), array_agg(c.changed_at)
  into v_sources, v_ids, v_levels, v_times
  from (select source, thing_id, level, changed_at from private.changes
        where (changed_at, thing_id) > (v_at, v_id)
        order by changed_at, thing_id limit 400) c;
  v_next := case when v_times[400] < v_settled then (v_times[400], v_ids[400])::app.place
                 else greatest((v_settled, '00000000-0000-0000-0000-000000000000')::app.place, v_from) end;
  for v_finder in
    select s.finder, c.ids, c.levels
    from private.change_sources s
    cross join lateral (
      select array_agg(u.id order by u.place) as ids, array_agg(u.level order by u.place) as levels
      from unnest(v_sources, v_ids, v_levels) with ordinality as u (source, id, level, place)
      where u.source = s.source) c
    where c.ids is not null
    order by s.source
  loop
    execute format('select array_agg(f) from %s($1, $2) f', v_finder.finder) into v_some
      using v_finder.ids, v_finder.levels;
    v_found := v_found || v_some;
  end loop;
  return json_build_object(
    'items', coalesce((
      select json_agg(json_build_object('type', f.type, 'id', f.id, 'gone', f.gone) order by f.place)
      from (select u.type, u.id, u.gone, max(array_position(v_ids, u.id)) as place
            from unnest(v_found) u group by u.type, u.id, u.gone) f), '[]'),
    'nextCursor', private.place_cursor('changes', v_next.at, v_next.id),
    'hasMore', coalesce(v_times[400] < v_settled, false));
end $function$;

CREATE OR REPLACE FUNCTION private.free_username(p_first_name text, p_last_name text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_name text := btrim(left(regexp_replace(
    lower(extensions.unaccent(p_first_name || '_' || p_last_name)), '[^a-z0-9]+', '_', 'g'), 24), '_');
begin
  if length(v_name) < 3 then
    v_name := btrim('member_' || v_name, '_');   -- nothing may remain of a name in another script
  end if;
  while private.is_reserved(v_name) or not private.is_free(v_name) loop
    v_name := regexp_replace(v_name, '_?\d*$', '') || '_' || (2 + floor(random() * 9998))::int;
  end loop;
  return v_name;
end $function$;

CREATE OR REPLACE FUNCTION private.import_batch(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_id       uuid := (p_job ->> 'importId')::uuid;
  v_user     uuid := (select user_id from app.imports where id = v_id);
  v_import   app.imports;
  v_position smallint;
  v_importer text;
  v_rows     private.import_rows[];
  v_row      private.import_rows;
  v_problems jsonb := '[]';
  v_changed  integer;
begin
  perform private.check_lock_order('person', v_user::text);
  perform from app.users where id = v_user and banned_at is null and erased_at is null for share;
  if not found then
    update app.imports set state = 'stopped', ended_at = now() where id = v_id and ended_at is null;
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('import', v_user::text);   -- a second worker waits here, and then imports other rows
  select * into v_import from app.imports where id = v_id and state in ('waiting', 'running');
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;

  select r.position into v_position from private.import_rows r
  where r.import_id = v_id and r.position is not null order by r.position limit 1;
  if v_position is null then
    -- the rows that are left belonged to other rows
    delete from private.import_rows where ctid = any (array(
      select ctid from private.import_rows where import_id = v_id limit 5000));
    get diagnostics v_changed = row_count;
    if v_changed < 5000 then
      update app.imports set state = 'done', ended_at = now() where id = v_id;
    end if;
    return json_build_object('changed', v_changed, 'next', case when v_changed = 5000 then v_id end);
  end if;

  -- the importers call functions of operations, which need to know the caller
  perform set_config('request.jwt.claims', json_build_object('sub', v_user)::text, true);
  select s.importer into strict v_importer from private.import_sections s where s.position = v_position;
  v_rows := array(
    select r from private.import_rows r
    where r.import_id = v_id and r.position = v_position order by r.sort_at, r.place limit 200);
  foreach v_row in array v_rows loop
    v_problems := v_problems || private.import_row(v_import, v_row, v_importer);
  end loop;
  delete from private.import_rows
  where import_id = v_id and section = v_rows[1].section
    and place = any (array(select (r).place from unnest(v_rows) r));
  update app.imports
  set state = 'running', done = done + cardinality(v_rows),
      problems = (select coalesce(jsonb_agg(p.problem order by p.place), '[]')
                  from jsonb_array_elements(problems || v_problems) with ordinality as p (problem, place)
                  where p.place <= 200),
      problem_count = problem_count + jsonb_array_length(v_problems)
  where id = v_id;
  return json_build_object('changed', cardinality(v_rows), 'next', v_id);
end $function$;

CREATE OR REPLACE FUNCTION private.import_row(p_import app.imports, p_row private.import_rows, p_importer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_result private.import_result;
  v_state  text;
  v_name   text;
begin
  if exists (select from private.imported
             where user_id = p_import.user_id and origin = p_import.origin and section = p_row.section
               and row_key = p_row.row_key)
     or private.is_already_here(p_import, p_row.section, p_row.row_key) then
    return '[]';
  end if;
  execute format('select * from %s($1, $2)', p_importer) into v_result using p_import, p_row;
  insert into private.imported (user_id, origin, section, row_key, here)
  values (p_import.user_id, p_import.origin, p_row.section, p_row.row_key, v_result.here);
  return (select coalesce(jsonb_agg(private.import_problem(p_row, n.code, n.field)), '[]')
          from jsonb_to_recordset(coalesce(v_result.notes, '[]')) as n (field text, code text));
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_name = constraint_name;
  if v_state !~ '^(PT|PGRST|22|23)' then
    raise;   -- such as a deadlock: the batch is retried
  end if;
  return jsonb_build_array(private.import_problem(
    p_row, case when v_state ~ '^(PT|PGRST)' then sqlerrm else nullif(v_name, '') end));
end $function$;

CREATE OR REPLACE FUNCTION private.import_series(p_import app.imports, p_row private.import_rows)
 RETURNS private.import_result
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts uuid[];
  v_id    uuid;
begin
  insert into app.series (author_id, title, description, created_at)
  values (p_import.user_id, private.require_name(p_row.item ->> 'title'),
          private.require_text(p_row.item ->> 'description'),
          private.import_time(p_row.item ->> 'createdAt'))
  returning id into v_id;
  v_posts := array(select private.find_imported(p_import, 'posts', d ->> 'postId')
                   from private.import_details(p_import, 'seriesItems', p_row.row_key) d
                   order by (d ->> 'position')::integer);
  -- locked outside the order of locks, because nobody who holds one of these rows waits for a lock of this transaction
  perform from app.posts where id = any (v_posts) order by id for share;
  insert into app.series_items (series_id, post_id, position)
  select v_id, p.id, row_number() over (order by min(w.place))
  from unnest(v_posts) with ordinality as w (id, place)
  join app.posts p on p.id = w.id and p.author_id = p_import.user_id and p.deleted_at is null
  where (select count(*) from app.series_items si where si.post_id = p.id) < 5
  group by p.id;
  return (v_id, null)::private.import_result;
end $function$;

CREATE OR REPLACE FUNCTION private.job_audit_mana()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'mana';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_mana() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'mana', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker is doing the same
  )
  select count(*) into v_found from found;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.job_end_suspensions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user   uuid;
  v_person app.users;
begin
  -- one person per transaction, because the end of a ban takes locks of many ranks. It locks the credentials too, as
  -- private.lock_account does first, so that it does not wait for a login while it holds the person
  select u.id into v_user
  from app.users u join private.credentials c on c.user_id = u.id
  where u.banned_until <= now() and u.erased_at is null
  order by u.banned_until limit 1
  for update of c skip locked;
  if not found then
    return 0;
  end if;
  v_person := private.lock_account(v_user);
  if v_person.banned_until is null or v_person.banned_until > now() then
    return 1;   -- an admin ended it first
  end if;
  begin
    perform private.set_banned(v_person, false, null);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the suspension of % did not end: % %', v_user, sqlstate, sqlerrm;
    update app.users set banned_until = clock_timestamp() + interval '5 seconds' where id = v_user;
    return -1;
  end;
  return 1;
end $function$;

CREATE OR REPLACE FUNCTION private.judge(p_type text, p_id uuid, p_judged text[], p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_versions private.judged[];
  v_author   uuid;
  v_rule     record;
  v_live     uuid[] := '{}';
  v_hides    boolean := false;
  v_hidden   boolean;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = any (p_judged) and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_author is null then
      v_versions := private.find_versions(p_type, p_id, p_since);
      exit when v_versions is null;
      v_author := v_versions[1].author_id;
    end if;
    continue when (private.find_fitting(v_rule.compiled, v_versions)).id is null;
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_author, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = '{at a report}' then
      perform private.lock_judged(p_type, p_id);   -- it is older, so others may have locked it
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    if v_hidden then
      update app.rule_hits set hid = true where target_id = p_id and rule_id = any (v_live) and action = 'hide';
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'hidden', v_hidden), array[v_author]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'ruleIds', to_json(v_live), 'hidden', v_hidden));
  end if;
  return coalesce(v_hidden, false);
end $function$;

CREATE OR REPLACE FUNCTION private.list_space_reports(p_kind text, p_id text, p_limit integer, p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_from  app.place := ('infinity', v_space)::app.place;   -- any id works, because no case has this time
  v_found app.found;
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  if p_cursor is not null then
    v_from := private.require_place('space reports ' || v_space, p_cursor);
    v_from.at := coalesce(v_from.at, (select opened_at from app.cases
                                      where id = v_from.id and space_id = v_space
                                        and person_id is distinct from app.uid()));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_space_cases(v_space, v_from);
  return private.page(private.space_report_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION private.make_admin(p_email text, p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.lock_roles();
  v_id := private.find_account(p_email);
  if v_id is null then
    v_id := private.create_person(p_email, p_password_hash, 'Admin', 'Admin', null, null, null, 'admin');
    update app.accounts set email_verified_at = now() where user_id = v_id;   -- the operator named it
    perform private.audit('user.role_changed', 'user', v_id::text, json_build_object('from', null, 'to', 'admin'));
    return json_build_object('result', 'created');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.role = 'admin' then
    return json_build_object('result', 'unchanged');
  elsif v_person.banned_at is not null then
    return json_build_object('result', 'banned');
  elsif exists (select from app.accounts where user_id = v_id and email_verified_at is null) then
    return json_build_object('result', 'unverified');   -- the person who registered it may be somebody else
  end if;
  perform private.change_account(v_id, 'admin', null);
  perform private.audit('user.role_changed', 'user', v_id::text,
                        json_build_object('from', v_person.role, 'to', 'admin'));
  return json_build_object('result', 'appointed');
end $function$;

CREATE OR REPLACE FUNCTION private.note_changed_content()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- only its author knows a draft
  perform private.note_changed('content', new.id, case when old.is_draft then 3
                                                       else least(old.required_level, new.required_level) end);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_changed_post()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Only its author knows a post until it is published. Publishing also clears publish_at.
  perform private.note_changed('post', new.id, case
    when old.published_at is null or old.publish_at is distinct from new.publish_at then 3
    else least(old.required_level, new.required_level) end);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.notify_decided(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- without an actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, 'decision', e.payload ->> 'decisionId',
            jsonb_build_object('targetType', 'decision', 'targetId', e.payload ->> 'decisionId',
                               'action', e.payload ->> 'action', 'appealPath', private.appeal_path(d, false)),
            null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.decisions d on d.id = (e.payload ->> 'decisionId')::uuid));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_moderated(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- without an actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            e.payload - 'authorId', null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $function$;

CREATE OR REPLACE FUNCTION private.overturn(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
  v_undo    text;
begin
  update app.decisions set overturned_at = now() where id = (p_decision).id;
  select u.* into v_handler
  from private.case_handlers h
  join private.case_handlers u on u.target_type = h.target_type and u.action = h.undo
  where h.target_type = (p_decision).target_type and h.action = (p_decision).action;
  if not found or (p_decision).lifted_at is not null or exists (
       -- another decision has the same effect, which therefore stays
       select from app.decisions d
       join private.case_handlers h on h.target_type = d.target_type and h.action = d.action
       where d.target_type = (p_decision).target_type and d.target_id = (p_decision).target_id
         and d.id <> (p_decision).id and d.lifted_at is null and d.overturned_at is null
         and h.undo = v_handler.action) then
    return false;
  end if;
  perform set_config('kith.case', json_build_object('caseId', (p_decision).case_id)::text, true);
  -- safe: the statement comes from the registry
  execute v_handler.statement using (p_decision).target_id, null::text, null::timestamptz;
  perform set_config('kith.case', '', true);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.post_reasons(p_post app.posts, p_person uuid, p_access private.access)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_wanted smallint := private.visibility_level((p_post).visibility);
  v_rule   record;
  v_effect text;
begin
  select * into v_rule
  from private.visibility((p_post).author_id, v_wanted, (p_post).space_id, p_viewer => p_person);
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;   -- what only the author sees
  return array_remove(
    array[case when (p_post).deleted_at is not null then private.reason('deleted', 'denies') end]
    || private.author_reasons((p_post).author_id, p_person, v_rule.level, (p_post).author_banned)
    || array[
      case when (p_post).hidden_at is not null then
        private.reason(private.hider('post', (p_post).id, 'hidden'), v_effect) end,
      case when (p_post).published_at is null then
        private.reason('scheduled', v_effect) end,
      case when v_rule.level between 0 and 2 and (v_wanted > 0 or (p_post).space_id is null) then
        private.reason(case v_wanted when 0 then 'public' when 1 then 'circle' else 'inner_circle' end,
                       case when v_rule.level >= v_wanted then 'allows' else 'denies' end) end,
      case when (p_post).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_post).space_id),
                                (p_post).space_id) end,
      case when (p_post).format = 'repost'
                and private.post_visible_to((p_post).quoted_post_id, p_person) is not true then
        private.reason('original_unseen', 'denies', 'post', (p_post).quoted_post_id) end,
      case when p_access.can_see and not p_access.is_listed then private.reason('limited_author', 'leaves_out') end,
      case when p_access.is_muted then private.reason('muted', 'leaves_out') end], null);
end $function$;

CREATE OR REPLACE FUNCTION private.record_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_entry  app.audit_log;
  v_kind   private.decision_kinds;
  v_work   json := nullif(current_setting('kith.case', true), '')::json;
  v_case   app.cases;
  v_action text;
  v_id     uuid;
begin
  select * into v_entry from app.audit_log where id = new.audit_id;
  select * into v_kind from private.decision_kinds where verb = split_part(v_entry.action, '.', 2);
  if not found then
    return null;
  end if;
  select * into v_case from app.cases
  where id = (v_work ->> 'caseId')::uuid
     or v_work is null and target_type = v_entry.target_type and target_id = v_entry.target_id::uuid
    and status = 'open';
  if v_kind.lifts then
    update app.decisions set lifted_at = now()
    where target_type = v_entry.target_type and target_id = v_entry.target_id::uuid and lifted_at is null
      and (action = v_kind.action or v_kind.action = 'ban' and action = 'suspend');
    v_action := 'un' || v_kind.action;
  else
    v_action := v_kind.action;
    if v_action in ('hide', 'remove') and v_entry.actor_id is not null and v_work ->> 'spaceId' is null then
      -- staff takes over what a rule or a space has hidden
      update app.decisions set lifted_at = now()
      where target_type = v_entry.target_type and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('hide', 'remove') and (decided_by is null or space_id is not null);
    end if;
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id, space_id)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id, (v_work ->> 'spaceId')::uuid)
    returning id into v_id;
    if v_entry.target_type = 'user' then
      -- the event admin.content.moderated notifies the author of what was hidden or removed
      perform private.emit('moderation.decided', json_build_object(
        'decisionId', v_id, 'personId', new.subject_id, 'action', v_action), array[new.subject_id]);
    end if;
  end if;
  if v_case.id is not null then
    perform private.add_case_event(v_case.id, v_action, null, json_build_object('decisionId', v_id));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.safe_message(p_message text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- a UUID is not treated as a token, because ids help to find the cause
  return left(
    regexp_replace(
      regexp_replace(left(p_message, 2000), '[^[:space:]<>"''(),;:]+@[^[:space:]<>"''(),;:]+', '…', 'g'),
      '\m(?![0-9a-f]{8}-[0-9a-f]{4}-)(?=[A-Za-z+/_=.-]*[0-9])[A-Za-z0-9+/_=.-]{32,}', '…', 'g'), 200);
end $function$;

CREATE OR REPLACE FUNCTION private.take_webhook_deliveries(p_webhook private.webhooks, p_most integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  c_lease constant interval := '1 minute';
  v_taken json;
begin
  -- deletes the row of a subject without pending deliveries; because of the lock of the webhook no new ones can appear
  -- meanwhile
  with due as materialized (
    select t.subject_key,
           (select d.id from private.webhook_deliveries d
            where d.webhook_id = p_webhook.id and d.subject_key = t.subject_key and d.status = 'pending'
              and (d.sequence is null or exists (select from private.event_log l where l.sequence = d.sequence))
            order by d.id limit 1) as delivery_id
    from private.webhook_turns t
    where t.webhook_id = p_webhook.id and t.due_at <= now()
    order by t.due_at limit p_most
  ), idle as (
    delete from private.webhook_turns t using due
    where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is null
  ), claimed as (
    update private.webhook_turns t set claim = gen_random_uuid(), due_at = now() + c_lease
    from due where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is not null
    returning t.claim, due.delivery_id
  ), attempted as (
    update private.webhook_deliveries d set attempts = d.attempts + 1, attempted_at = now()
    from claimed c where d.id = c.delivery_id
    returning d.*, c.claim
  )
  select json_agg(json_build_object(
           'webhookId', p_webhook.id,
           'deliveryId', a.id,
           'claim', a.claim,
           'url', p_webhook.url,
           'secrets', array[private.webhook_secret(p_webhook.secret)]
             || case when p_webhook.previous_until > now()
                     then array[private.webhook_secret(p_webhook.previous_secret)] else '{}'::text[] end,
           'id', a.event_id,
           'body', private.webhook_body(d)))
    into v_taken
  from attempted a join private.webhook_deliveries d on d.id = a.id;
  return coalesce(v_taken, '[]');
end $function$;

CREATE OR REPLACE FUNCTION private.was_removed(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove')
                   -- staff has decided about what only a rule hid if it has closed the case as acted
                   and (d.decided_by is not null
                        or exists (select from app.cases c where c.id = d.case_id and c.outcome = 'acted')))
    -- before there were decisions
    or coalesce((private.find_reported_place(p_type, p_id)).hidden, false)
    -- the condition above decides about what only a rule hid
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $function$;

CREATE OR REPLACE PROCEDURE private.force_index_scans(IN p_function regproc)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
begin
  -- if a person has more rows than the planner expects, it would otherwise read and sort all of them
  execute format('alter function %s set enable_seqscan = off', p_function);
  execute format('alter function %s set enable_bitmapscan = off', p_function);
  execute format('alter function %s set enable_hashjoin = off', p_function);
  execute format('alter function %s set enable_mergejoin = off', p_function);
  execute format('alter function %s set enable_sort = off', p_function);
  execute format('alter function %s set enable_incremental_sort = off', p_function);
  -- otherwise the planner would, for the order of an aggregate, read a whole table that happens to be in that order
  execute format('alter function %s set enable_presorted_aggregate = off', p_function);
  -- with these settings only one plan is possible, and planning each call would take as long as running it
  execute format('alter function %s set plan_cache_mode = force_generic_plan', p_function);
end $procedure$;

COMMENT ON COLUMN "app"."audit_details"."detail_salt" IS 'The salt of audit_log.detail_hash. It is emptied together with the detail, because with the salt a text could be guessed from its hash.';

COMMENT ON COLUMN "app"."audit_details"."subject_id" IS 'The person whom the decision concerns: the author of what staff hid or deleted, or the person who was banned.';

COMMENT ON COLUMN "app"."audit_log"."actor_salt" IS 'The salt of the hash of actor_id. It is kept, because the actor is kept. It is secret, because with it the actor could be found by trial.';

COMMENT ON COLUMN "app"."audit_log"."detail_hash" IS 'private.salted_hash of the detail as text, empty if there is none. Null in an entry that 1.0.0 wrote, because its hash covers neither detail nor address; ip_hash and actor_salt are then null, too.';

COMMENT ON COLUMN "app"."audit_log"."ip_hash" IS 'The same for the address.';

COMMENT ON COLUMN "app"."case_events"."actor_id" IS 'The member of staff who did it; null for reports and rules.';

COMMENT ON COLUMN "app"."case_events"."detail" IS 'Ids, codes and numbers, and nothing that people wrote.';

COMMENT ON COLUMN "app"."cases"."claimed_by" IS 'Who works on it, until claimed_until. After that time the case counts as unclaimed, and this is only the last person who claimed it.';

COMMENT ON COLUMN "app"."cases"."claimed_until" IS 'When the claim ends: 30 minutes after the last work on the case. Null if unclaimed.';

COMMENT ON COLUMN "app"."cases"."rule" IS 'Which rule of the instance was broken, in the words of staff.';

COMMENT ON COLUMN "app"."cases"."staff_from" IS 'When an open case comes into the queue of staff. Before that it is in the queue of the space. Staff can list those cases with waiting=true, and may decide them.';

COMMENT ON COLUMN "app"."daily_figures"."active" IS 'People who were active, by the last count of that day; null for days before these figures existed. It can''t be counted later, because only the time of each person''s last activity is stored.';

COMMENT ON COLUMN "app"."daily_figures"."counted_at" IS 'When the figures were counted. They are final if that was after the end of the day.';

COMMENT ON COLUMN "app"."daily_figures"."posts" IS 'Posts that were written, including scheduled posts and reposts.';

COMMENT ON COLUMN "app"."decisions"."action" IS '`suspend` is a ban that ends by itself at ends_at.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, its time was over, or staff hid what a rule or a space had hidden. Its strikes remain.';

COMMENT ON COLUMN "app"."decisions"."overturned_at" IS 'When an appeal overturned it; null if none did. An overturned decision counts no strikes.';

COMMENT ON COLUMN "app"."decisions"."space_id" IS 'The group or guild whose owner or a moderator made the decision, which then counts no strikes; null if staff made it.';

COMMENT ON COLUMN "app"."decisions"."target_type" IS 'What the decision is about: the type of a thing of the person, or `user`.';

COMMENT ON COLUMN "app"."event_rsvps"."status" IS 'going: the person has a seat. waitlisted: they are waiting for one. interested: they don''t want one.';

COMMENT ON COLUMN "app"."imports"."done" IS 'How many of the `total` rows have been imported or left out so far.';

COMMENT ON COLUMN "app"."imports"."ended_at" IS 'When it was done or stopped; null before that.';

COMMENT ON COLUMN "app"."imports"."origin" IS 'The domain of the instance that wrote the dossier, from its actorId.';

COMMENT ON COLUMN "app"."moderation_rules"."at_report" IS 'Whether one of the conditions needs a report: private.rule_conditions.moment.';

COMMENT ON COLUMN "app"."moderation_rules"."conditions" IS 'The conditions as staff wrote them: [{kind, …}]. They never change, so that all hits of a rule have the same conditions.';

COMMENT ON COLUMN "app"."moderation_rules"."judged" IS 'When the rule judges things. at once: in the transaction that publishes them, before anybody else sees them. soon: in the worker. at a report: in the transaction of each report. Null for never.';

COMMENT ON COLUMN "app"."moderation_rules"."mode" IS 'shadow: the rule only records what it would do. live: it does it. off: it is not applied.';

COMMENT ON COLUMN "app"."posts"."hidden_at" IS 'When staff, a space or a rule hid it from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."replies"."hidden_at" IS 'When staff, a space or a rule hid it from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."reports"."author_id" IS 'The person who answered for the target when it was reported. A trigger writes it.';

COMMENT ON COLUMN "app"."rule_hits"."held" IS 'Whether the thing was hidden before anybody else saw it, and staff has not shown it since. When staff shows it, the people whom it mentions or answers are notified.';

COMMENT ON COLUMN "app"."rule_hits"."mode" IS 'The mode of the rule at that time: in shadow it only recorded the hit.';

COMMENT ON COLUMN "private"."audit_checkpoints"."signature" IS 'The signature of private.checkpoint_text, in base64url.';

COMMENT ON COLUMN "private"."case_handlers"."by_space" IS 'The statement with which the owner and moderators of a group or guild do it to a thing there; null if only staff can.';

COMMENT ON COLUMN "private"."case_handlers"."undo" IS 'The action that undoes it; null if none does.';

COMMENT ON COLUMN "private"."case_transitions"."needs" IS 'What the action requires. claim: nobody else has a claim. reason: a reason. until: a time in the future, which no other action takes. person: somebody who answers for the thing.';

COMMENT ON COLUMN "private"."change_sources"."finder" IS 'finder(uuid[], smallint[]) returns setof app.change: it takes changed things of this source, each with the level of its change, and returns those of which the caller may learn.';

COMMENT ON COLUMN "private"."decision_kinds"."lifts" IS 'Whether it ends earlier decisions with this action, instead of being one.';

COMMENT ON COLUMN "private"."event_log"."subject_key" IS 'The same as `subject`, with the internal id, which never changes.';

COMMENT ON COLUMN "private"."import_rows"."sort_at" IS 'The time that gives the order in which the rows of the section are imported.';

COMMENT ON COLUMN "private"."import_sections"."importer" IS 'A function (app.imports, private.import_rows) returns private.import_result. It imports one row for the person; while it runs, that person is the caller. It raises a code if the row cannot be imported, and may report what it left out of the row. The value is null if the rows of this section belong to rows of another section: the importer of that section then reads them (private.import_details).';

COMMENT ON COLUMN "private"."import_sections"."sort_field" IS 'The field with a time that gives the order in which the rows are imported; null for the order of the file.';

COMMENT ON COLUMN "private"."jobs"."expires" IS 'After this number of seconds a run counts as lost, and the next one may begin. If its worker was killed, this takes only 10 seconds.';

COMMENT ON COLUMN "private"."judged_types"."counters" IS 'The query for the posts whose counters change when the thing ($1) is hidden; null if there are none.';

COMMENT ON COLUMN "private"."judged_types"."hidden_at" IS 'The column of the table with the time since which only the author sees the thing.';

COMMENT ON COLUMN "private"."judged_types"."verb" IS 'The verb of the audit entry that a rule leaves when it hides such a thing: <type>.<verb>.';

COMMENT ON COLUMN "private"."ledger_findings"."ledger" IS 'Which ledger it is: mana or treasuries.';

COMMENT ON COLUMN "private"."order_transitions"."settles" IS 'Who gets the held mana: the buyer, the seller, or both if an admin divides it. Null if the mana remains held.';

COMMENT ON COLUMN "private"."rule_conditions"."judge" IS 'Function (private.judged, jsonb) returns boolean: whether the version fits these parameters. It judges by the state at the time of the version, so that it returns the same 30 days later. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON COLUMN "private"."rule_conditions"."moment" IS 'When a rule with such a condition can first hit a thing: when the thing is created, or when it is reported.';

COMMENT ON COLUMN "private"."rule_conditions"."shape" IS 'The parameters by name: for a whole number its least and its greatest value, such as [1, 60]; for words "keywords". A parameter is optional if its name here ends with a question mark.';

COMMENT ON COLUMN "private"."search_documents"."ranked" IS 'For ranking: its words with at most 16 positions each; null if no word has more than 16 positions. See private.ranked_words.';

COMMENT ON COLUMN "private"."webhook_turns"."due_at" IS 'When the next attempt may begin. While an attempt runs, this is the end of its lease; after that another worker takes over.';

COMMENT ON COLUMN "private"."webhooks"."previous_secret" IS 'The previous secret, which still signs for a day after the change.';

COMMENT ON COLUMN "private"."webhooks"."previous_until" IS 'When the previous secret stops signing.';

COMMENT ON COLUMN "private"."webhooks"."queued_to" IS 'The number of the last event of the log for which deliveries were queued, if the webhook wants it. It does not change while the webhook is inactive. So after that the webhook gets the events of that time, as far as they are still in the log.';

COMMENT ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) IS 'Takes one or several actions in a case, all or none: dismiss, warn, hide, unhide, remove, restore, limit, unlimit, suspend, ban, unban. Dismissing the case shows the thing again if only a rule has hidden it. Returns the case. The person concerned is notified and reads the reason at /me/standing. Leaves an audit entry for each.';

COMMENT ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) IS 'For the owner and moderators of a group or guild: hides what was reported there (hide), shows it again (unhide), or closes its case without hiding it (dismiss). Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."add_import_rows"(uuid, text, integer, jsonb) IS 'For the facade alone: adds rows of a section to an import of the caller that is not finished. If a row is invalid, it adds none: {problems: ["path: what"]}. p_from is the place of the first row in its section.';

COMMENT ON FUNCTION "api"."claim_case"(uuid) IS 'Claims an open case for 30 minutes; whenever the caller works on it, the 30 minutes begin again. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."delete_rule"(uuid) IS 'Deletes a rule. What it hid stays hidden. A job deletes its hits when they are old. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."explain_access"(text, text, text) IS 'Whether a person sees a post, a reply, a content or a conversation, or what is in a group or guild, and why: {personId, person, targetType, targetId, authorId, author, canSee, shown, reasons: [{code, effect, text, about}]}.';

COMMENT ON FUNCTION "api"."finish_import"(uuid, text, text, text) IS 'For the facade alone: records that the dossier is complete and valid, so that the worker imports it. Returns the import.';

COMMENT ON FUNCTION "api"."get_public_post"(uuid) IS 'A post for its public page, {id, title, body, media, publishedAt, editedAt, author, persona, quotedPostId}; null if there is no such post that everybody may see: private.listed_posts without a caller. A repost has no page. quotedPostId is null if not everybody may see the quoted post.';

COMMENT ON FUNCTION "api"."get_public_profile"(text) IS 'A person for their public page, {person, about, posts}; null if there is no such person whom everybody may see: private.listed_people without a caller. The posts are those of the newest 40 that have a page.';

COMMENT ON FUNCTION "api"."get_statement"(uuid) IS 'The statement of reasons for a decision about the caller, without who decided: {id, action, targetType, targetId, category, categoryText, rule, reason, automated, endsAt, liftedAt, overturnedAt, createdAt, appealPath, proof}.';

COMMENT ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Cases, the most urgent first, and the oldest first among those of the same priority. Filters: state, category, priority, claimed by the caller or by nobody, type of the target, person, rule or username, a period, an id. With p_waiting only those that still belong to a group or guild, otherwise only the others.';

COMMENT ON FUNCTION "api"."list_changes"(text) IS 'Which of the things that the caller may hold have changed since a cursor of this list: {items [{type, id, gone}], nextCursor, hasMore}. Without a cursor it has no items, only the cursor to begin with.';

COMMENT ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The people whom a person invited; the newest members come first.';

COMMENT ON FUNCTION "api"."list_logged_events"(bigint, integer) IS 'The events of the last 30 days with a higher number than p_after, oldest first: {items, next, oldest}. `next` is p_after for the next call, even if there are no further events now.';

COMMENT ON FUNCTION "api"."list_media"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Uploads, newest first, without those that were sent in messages and without their posters.';

COMMENT ON FUNCTION "api"."list_space_reports"(text, text, integer, text) IS 'The open cases about things in a group or guild, newest first, for its owner and moderators. Nobody sees cases about what they wrote themselves.';

COMMENT ON FUNCTION "api"."list_user_sessions"(text, integer, text) IS 'The rotating sessions of a person that have not ended, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt}.';

COMMENT ON FUNCTION "api"."list_users"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'People, the newest members first. An email address or actor id in p_q finds its person directly.';

COMMENT ON FUNCTION "api"."list_webhooks"() IS 'All webhooks, at most 20, and the events that they can get.';

COMMENT ON FUNCTION "api"."replay_draft"(jsonb, text[], text) IS 'Replays a rule that does not exist yet: private.replay.';

COMMENT ON FUNCTION "api"."replay_rule"(uuid, text) IS 'Replays a rule: private.replay. After that the rule can go live.';

COMMENT ON FUNCTION "api"."replay_webhook_delivery"(uuid, bigint) IS 'Sends a delivery again, or sends a pending one now. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that a person appealed, with an answer that the person reads. Overturning undoes what was done, if that is possible, and cancels its strikes. The member of staff who made the decision can''t resolve the appeal while somebody else could. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."update_rule"(uuid, jsonb) IS 'Changes a rule, {name, action, mode}, and returns it. Its conditions never change. It can go live only after a day in shadow or a replay. Repeating it changes nothing. Leaves an audit entry. Fails: value_invalid.';

COMMENT ON FUNCTION "private"."access_of"(uuid, text, uuid) IS 'For staff: private.find_access as if this person were the caller.';

COMMENT ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) IS 'Takes an action in a case for the owner or a moderator of its space. Dismissing and hiding close the case, unless staff already has it; then it stays open until staff decides. Fails: post_unknown, reply_unknown.';

COMMENT ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) IS 'Takes the same action against several people. Fails: api.limit_person, api.ban_person.';

COMMENT ON FUNCTION "private"."add_checkpoint"(json, text) IS 'For the worker alone: adds a signed checkpoint. Returns false if another worker was first.';

COMMENT ON FUNCTION "private"."add_report_to_case"() IS 'Trigger: adds a new report to the open case of its target.';

COMMENT ON FUNCTION "private"."add_webhook_test"(uuid) IS 'Queues a test for a webhook that the caller has locked, or makes a pending test due now.';

COMMENT ON FUNCTION "private"."appeal_path"(app.decisions, boolean) IS 'The route by which the person concerned appeals a decision: one for people who are logged in, another for those who give their password. Null if they have already appealed it, or if it was overturned. An appeal has no deadline.';

COMMENT ON FUNCTION "private"."appeal_roles"(app.decisions) IS 'The roles that may resolve an appeal against a decision: those that may make such a decision.';

COMMENT ON FUNCTION "private"."audit_proof"(bigint) IS 'The proof that an entry is in the audit log: {previous, content, detail, salt, place, size, path, checkpoint}. Null until a checkpoint covers it. `detail` and `salt` are null after an erasure.';

COMMENT ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) IS 'The reasons that depend on the author of a thing, and on the relation between the person and the author. They do not tell which of the two blocked the other.';

COMMENT ON FUNCTION "private"."begin_case_work"(uuid, text[]) IS 'Locks the work on a case, and returns the case if its state, its claim and the caller''s role allow these actions.';

COMMENT ON FUNCTION "private"."begin_import"() IS 'Begins an import of the caller, and returns its id. It ends an earlier import of theirs that was not finished.';

COMMENT ON FUNCTION "private"."change_webhook_secret"(uuid) IS 'Gives a webhook that the caller has locked another secret; for 24 hours the previous one signs, too.';

COMMENT ON FUNCTION "private"."check_case_worker"(app.cases, boolean) IS 'Passes if the caller may work on a case. Nobody may work on a case about themselves. If the work respects claims, nobody may work on a case that somebody else has claimed.';

COMMENT ON FUNCTION "private"."check_lock_order"(text, text[]) IS 'For tests, whose sessions set kith.lock_order to "checked": raises an error if this transaction already holds a lock of a later kind, unless it already holds these locks, too. Every function that locks rows calls it first.';

COMMENT ON FUNCTION "private"."closed_by_space"(app.cases) IS 'Whether the owner or a moderator of a group or guild closed a case, by hiding or dismissing before staff got it.';

COMMENT ON FUNCTION "private"."count_day"(date) IS 'Counts a day, with indexes in the order of time. If the day is not over, it also reads all accounts to count the active people; if it is over, that figure stays as it is.';

COMMENT ON FUNCTION "private"."count_recipients"(text) IS 'How many people a notification of this kind, whose default is to notify, would reach if it went to everybody.';

COMMENT ON FUNCTION "private"."count_shared"(uuid[], uuid) IS 'How many of these interests the person has also chosen.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed. Each case counts the number of its category once, however many actions were taken in it (private.counts_strikes). They have no effect by themselves; staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."delivery_card"(private.webhook_deliveries) IS 'A delivery as admins see it. nextAttemptAt is null if the delivery has ended, or waits for an earlier one of its subject.';

COMMENT ON FUNCTION "private"."end_case"(uuid, text) IS 'Closes an open case as acted or dismissed, and settles its open reports: 500 immediately; the worker settles the others.';

COMMENT ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) IS 'Ends a step of work on a case: writes its audit entry and its entry in the history, and extends a claim of the caller to 30 minutes from now. Returns the case.';

COMMENT ON FUNCTION "private"."erase_debates"(uuid[]) IS 'Deletes the details of these debates when their author is erased.';

COMMENT ON FUNCTION "private"."erase_problems"(uuid[]) IS 'Deletes the details of these problems when their author is erased.';

COMMENT ON FUNCTION "private"."erase_rest"(uuid) IS 'For steps of an erasure that leave rows: lets the worker repeat all steps.';

COMMENT ON FUNCTION "private"."explain_access"(uuid, text, text) IS 'Whether a person sees a thing, and the reasons, in the order of the rule. It contains none of the thing''s text.';

COMMENT ON FUNCTION "private"."find_access"(text, uuid) IS 'Whether the caller sees this post, reply, content or conversation, or what is in this group or guild. It uses the same views and functions as the caller''s own requests.';

COMMENT ON FUNCTION "private"."find_changed_contents"(uuid[], smallint[]) IS 'Those of these changed contents whose change the caller had the level to see, {id, type, gone}.';

COMMENT ON FUNCTION "private"."find_changed_posts"(uuid[], smallint[]) IS 'Those of these changed posts whose change the caller had the level to see, {id, type, gone}.';

COMMENT ON FUNCTION "private"."find_changes"(text) IS 'The next 400 changes after a cursor, the oldest first, except those of which the caller may not learn: {items [{type, id, gone}], nextCursor, hasMore}. Changes of the last ten seconds are listed again by the next call, because earlier ones may be committed after them.';

COMMENT ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) IS 'The current version of a content, with its title and its text; earlier ones are not kept. A draft has none.';

COMMENT ON FUNCTION "private"."find_imported"(app.imports, text, text) IS 'The id in this instance of the thing that the person imported under this key. If the dossier is of this instance, it can also be a thing that the person already has. Null if there is none.';

COMMENT ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) IS 'The last 20 versions of a published post, without an imported one.';

COMMENT ON FUNCTION "private"."find_reported_place"(text, uuid) IS 'The place and the text of a reported thing.';

COMMENT ON FUNCTION "private"."find_space_cases"(uuid, app.place) IS 'The open cases that are not about the caller, among the next 400 of a space.';

COMMENT ON FUNCTION "private"."find_staff_person"(text) IS 'The id of the person by whom staff filters a list; null remains null.';

COMMENT ON FUNCTION "private"."find_thing"(text, text) IS 'The id and the author of a thing that staff names, whether or not anybody sees it.';

COMMENT ON FUNCTION "private"."find_webhooks"() IS 'All webhooks, oldest first, and the events that they can get.';

COMMENT ON FUNCTION "private"."forget_audit_salts"() IS 'Trigger: empties the salt of a detail or an address that is emptied. The audit log then still verifies.';

COMMENT ON FUNCTION "private"."has_link"(private.judged, jsonb) IS 'Condition: a text has a link: something that begins with http://, https:// or www., also in Markdown.';

COMMENT ON FUNCTION "private"."has_other_resolver"(app.decisions) IS 'Whether somebody other than the member of staff who decided may resolve an appeal, and was active in the last 30 days.';

COMMENT ON FUNCTION "private"."hider"(text, uuid, text) IS 'Returns held_by_rule if only a rule has hidden the thing, otherwise the given code.';

COMMENT ON FUNCTION "private"."import_circle"(app.imports, private.import_rows) IS 'Importer: adds a circle without its members.';

COMMENT ON FUNCTION "private"."import_keyword"(app.imports, private.import_rows) IS 'Importer: adds a muted keyword whose time has not ended, unless the person has already muted it.';

COMMENT ON FUNCTION "private"."import_media"(jsonb, text) IS 'For importers: the media of a post that can be used here, and the problems of the others.';

COMMENT ON FUNCTION "private"."import_picture"(text) IS 'For importers: the address of a picture. If this instance does not accept it, the result is null and a problem is reported.';

COMMENT ON FUNCTION "private"."import_post"(app.imports, private.import_rows) IS 'Importer: adds a published post with its date, its poll without votes, and its visibility. A quote becomes a note. Reposts, and posts that were scheduled, hidden by staff or in a space, are not imported.';

COMMENT ON FUNCTION "private"."import_preference"(app.imports, private.import_rows) IS 'Importer: sets the channels that the person chose for a kind.';

COMMENT ON FUNCTION "private"."import_profile"(app.imports, private.import_rows) IS 'Importer: replaces the name, country, city, about and picture of the person with those of the dossier.';

COMMENT ON FUNCTION "private"."import_series"(app.imports, private.import_rows) IS 'Importer: adds a series with those of its posts that were imported.';

COMMENT ON FUNCTION "private"."import_settings"(app.imports, private.import_rows) IS 'Importer: sets the time zone and the hour of the digest.';

COMMENT ON FUNCTION "private"."import_shape_error"(jsonb, text) IS 'The message that a value does not have a type of private.import_sections.shape; null if it has the type.';

COMMENT ON FUNCTION "private"."import_time"(text) IS 'For importers: a time of a dossier, but never a time in the future.';

COMMENT ON FUNCTION "private"."is_already_here"(app.imports, text, text) IS 'Whether the thing in this row of a dossier of this instance belongs to the importing person and still exists.';

COMMENT ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) IS 'Whether the detail or the address of an entry has changed since it was written. What an erasure emptied together with its salt doesn''t count. For an entry that 1.0.0 wrote this can''t be known.';

COMMENT ON FUNCTION "private"."is_by_new_account"(private.judged, jsonb) IS 'Condition: the author''s account was younger than this number of hours.';

COMMENT ON FUNCTION "private"."is_claimed_by_another"(app.cases) IS 'Whether somebody other than the caller has a claim of a case now.';

COMMENT ON FUNCTION "private"."is_hidden"(text, uuid) IS 'Whether a thing is hidden. Locks the thing until the transaction ends, so that nobody shows it meanwhile.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether this space hid the thing of a case. It is false if staff hid the thing after the space, because that lifts the decision of the space (private.record_decision).';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: when one of the last 50 reports of the thing was made, it had open reports by at least `people` trusted people.';

COMMENT ON FUNCTION "private"."is_reserved"(text) IS 'Whether a name, without its underscores, would make people believe that its holder is staff.';

COMMENT ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) IS 'Condition: with this thing, its author had published more than `count` posts and replies within `minutes` minutes.';

COMMENT ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) IS 'Whether the person is a trusted reporter: by that time staff had settled at least three of their reports, and had dismissed fewer than half of the last 100; or they have this much reputation now.';

COMMENT ON FUNCTION "private"."job_back_up"() IS 'Job: queues a backup if BACKUP_TO is set. The worker takes it, restores it into a scratch folder, and verifies it there. May run twice: it adds none while a backup is queued or running.';

COMMENT ON FUNCTION "private"."job_checkpoint_audit"() IS 'Job: queues a checkpoint of the audit log if there are entries without one. The worker signs it. May run twice: it queues none while another one is queued or running.';

COMMENT ON FUNCTION "private"."job_count_days"() IS 'Job: counts the oldest of the last 366 days that has no final figures, and the current day if its last count is more than 5 minutes old, and returns 1. May run twice: it counts again and gets the same figures. The worker repeats it until it returns 0.';

COMMENT ON FUNCTION "private"."job_metrics"() IS 'For /metrics: {runs: [{job, runs, failures, changed, lastChanged, lastRun, lastFailure}], queues: [{queue, state, depth}], effects: {depth, lag, stuck}, verifiedBackup}; times in unix seconds. depth is how many effects wait, up to 100,000; lag is how many seconds ago the oldest of them was caused; stuck is how many people have effects that failed; verifiedBackup is the time of the newest data in the last verified backup, or null.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) IS 'Judges the versions of a thing since a time by the rules that apply at these times (app.moderation_rules.judged). Records a hit once for each rule, and hides the thing if a live rule says so. The worker then opens a case for the hits of live rules. Returns whether it has hidden the thing.';

COMMENT ON FUNCTION "private"."judge_edited_post"(jsonb) IS 'Listener: judges a post after an edit, if the edit changed the text or the media; otherwise it made no new version. It also applies the rules about reports, because after an edit such a rule can hit a post that was reported earlier.';

COMMENT ON FUNCTION "private"."judge_post"(jsonb) IS 'Listener: judges a post by the live rules that hide, before anybody else sees it. Only the listener for mentions runs later, because hiding locks documents of the search (ARCHITECTURE.md, Locks). The listeners before it only leave effects, which will find the post hidden.';

COMMENT ON FUNCTION "private"."judge_published"(private.effects[]) IS 'Listener: judges posts and replies by the rules that are in shadow and by those that only open a case.';

COMMENT ON FUNCTION "private"."limited_for"(uuid, uuid) IS 'The one rule of limited people: whether this person is limited, and the viewer neither follows them nor is them. Feeds, searches and suggestions then leave out what the person wrote. Returns one row. For each person it probes a small table, and the follows only if it finds the person there. If p_viewer is null, the viewer is the caller; without a caller the viewer follows nobody.';

COMMENT ON FUNCTION "private"."list_checkpoints"(bigint) IS 'For the facade: 100 checkpoints from this number on, {checkpoints, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."lock_judged"(text, uuid) IS 'Takes the locks that come before the lock of a thing when the thing is hidden. The caller locks the thing next: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_published"(app.users) IS 'Step: calls private.lock_written for the rows that a ban or an erasure changes in its own transaction.';

COMMENT ON FUNCTION "private"."make_admin"(text, text) IS 'For npm run admin: makes the person with this address an admin. If nobody has the address, it creates a person with this password. {result}: created, appointed, unchanged (an admin already), banned or unverified (both are refused).';

COMMENT ON FUNCTION "private"."may_resolve"(app.decisions) IS 'Whether the caller may resolve an appeal against a decision. They may not resolve one against their own decision while somebody else could.';

COMMENT ON FUNCTION "private"."mention_released"(jsonb, uuid) IS 'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had hidden since its creation, and notifies those whom a reply answers, once. If staff has hidden it again meanwhile, this happens when staff shows it the next time.';

COMMENT ON FUNCTION "private"."name_reported_author"() IS 'Trigger: stores in a report the person who answers for its target.';

COMMENT ON FUNCTION "private"."not_modified"(text) IS 'Sets the ETag of this version on the response. Returns true if If-None-Match has this version: the operation must then return null (304). An operation calls it before it makes the response.';

COMMENT ON FUNCTION "private"."note_released"(jsonb) IS 'Listener: queues the notifications of those whom a held post or reply mentions, and of those whom a held reply answers. The worker sends them, because staff''s transaction has already locked documents of the search (ARCHITECTURE.md, Locks).';

COMMENT ON FUNCTION "private"."note_replay"(uuid) IS 'Records that a rule was replayed, so that it can go live.';

COMMENT ON FUNCTION "private"."notify_held"(private.effects[]) IS 'Listener: notifies a person that something of theirs is hidden until staff has seen it, but never tells which rule hit it.';

COMMENT ON FUNCTION "private"."open_case"(text, uuid, text, text, text) IS 'Returns the open case of a target, and opens one if there is none. It adds to the history of the case that a report, a rule, a member of staff or a space (p_source) pointed to the target. The row is locked until the transaction ends, so call it late: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) IS 'For the worker alone: adds the hits of live rules, {targetType, targetId, authorId, ruleIds, hidden}, to the open case of their target, each hit once, and opens a case if there is none. It writes the decision if the rules have hidden the thing and nobody has decided since. It is a job of its own for two reasons: the case and the audit log come late in the order of locks, and in the author''s transaction the audit entry would name the author as its actor.';

COMMENT ON FUNCTION "private"."others_hid"(text, uuid) IS 'Whether a rule or a space hid a hidden thing. False while the owner or a moderator of a group or guild works on a case.';

COMMENT ON FUNCTION "private"."overturn"(app.decisions) IS 'Undoes what a decision did, and cancels its strikes. Returns whether anything could be undone. Fails: private.set_post_hidden, private.set_reply_hidden, private.set_content_removed, api.unban_person. Never: content_kind.';

COMMENT ON FUNCTION "private"."page_start"(text, text, boolean) IS 'Where a page of this list begins: after the place of its cursor; without a cursor, at the newest row, or at the oldest row with p_oldest.';

COMMENT ON FUNCTION "private"."place_case"() IS 'Trigger: gives a case about a thing in a group or guild to its owner and moderators if a report opened it, and to staff three days later. Staff gets it immediately if the category says so, or if the owner or a moderator wrote the thing.';

COMMENT ON FUNCTION "private"."read_condition"(jsonb) IS 'Returns a condition from what staff wrote, {kind, …}; raises an error unless it has exactly the parameters of its kind.';

COMMENT ON FUNCTION "private"."read_conditions"(jsonb) IS 'Returns the conditions of a rule, in the order in which they are tried.';

COMMENT ON FUNCTION "private"."read_days"(date, date) IS 'The figures of the days between these two, both included. The current day is counted again if its last count is more than 30 seconds old; concurrent callers get the previous figures.';

COMMENT ON FUNCTION "private"."readiness"() IS 'For /ready and at a start: {migrations: {version: SHA-256 of its text without its last semicolon, or null}, functions: private.functions_fingerprint, worker: whether a worker was active lately, within: the period that counts as lately, such as 3 minutes}.';

COMMENT ON FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) IS 'Returns the reason with the first code if the person is allowed to see the thing, otherwise the reason with the second code.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff decides to hide or remove a thing, that lifts the decisions of rules and spaces about it.';

COMMENT ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) IS 'Writes the audit entry of a rule that has hidden a thing, and so the decision. The author reads that it was automatic, and its category, but never the rule.';

COMMENT ON FUNCTION "private"."release_bounties_later"(app.users) IS 'Step: queues the refund of the bounties of a banned or erased person.';

COMMENT ON FUNCTION "private"."release_held"(text, uuid) IS 'Shows a thing again that only a rule has hidden, in the same way as staff does, which lifts the decision of the rule. Does nothing with any other thing. Its callers check who may do it.';

COMMENT ON FUNCTION "private"."release_settled"(uuid) IS 'Shows the thing of a case again if only a rule has hidden it and all reports of the case are settled.';

COMMENT ON FUNCTION "private"."replay"(private.condition[], text[], text) IS 'Judges the next 20,000 things of these types of the last 30 days, newest first: {looked, wouldHit, ofWhichStaffRemoved, sample (the first 20 hits), lookedUntil, nextCursor}. `looked` includes contents of other kinds. A content is judged by its current version.';

COMMENT ON FUNCTION "private"."reported_thing"(text, uuid) IS 'A reported thing as staff sees it. Null for a message, which staff sees only as the copy in its report, and for a thing that no longer exists.';

COMMENT ON FUNCTION "private"."require_guild_applicant"(text) IS 'Passes if the caller has the reputation that a guild requires of applicants.';

COMMENT ON FUNCTION "private"."require_short"(text, integer, text) IS 'Returns a text in the form in which it is stored, or null if there is none; raises the code if the text is too long.';

COMMENT ON FUNCTION "private"."require_space_case"(uuid, uuid, text) IS 'Returns a case of a space if the caller may take this action in it: hide, unhide or dismiss.';

COMMENT ON FUNCTION "private"."require_webhook_events"(text[]) IS 'The events, sorted and without duplicates.';

COMMENT ON FUNCTION "private"."require_webhook_url"(text) IS 'The address, trimmed. Addresses in WEBHOOK_EXEMPT may have a port, and need no TLS. At each request the worker also checks that the name has only public addresses.';

COMMENT ON FUNCTION "private"."restart_lock_order"() IS 'For operations that do several things in one transaction, where each takes all the locks it needs: starts the order of locks from the beginning. Such a transaction can deadlock with another one; then the facade retries it. ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."retry_dead_letter"(pgboss.job) IS 'Retries a job that failed for good; returns false if its schedule already has another one. The caller must have locked the row and found that it was not retried.';

COMMENT ON FUNCTION "private"."retry_failed_job"(text, uuid) IS 'Retries one job that failed for good; returns false if it was retried before, or if its schedule already has another one.';

COMMENT ON FUNCTION "private"."send_live_tokens"() IS 'Trigger: tells Realtime which tokens of a person are still valid: those with this role (no token at all if the role is null) that were issued at `from` or later. private.check_caller has the same rule.';

COMMENT ON FUNCTION "private"."set_case"(uuid, text, text, integer) IS 'Sets category, rule and priority of a case; null leaves a value as it is. A new category also sets the priority to its own.';

COMMENT ON FUNCTION "private"."set_limited"(app.users, boolean, text) IS 'Limits a person whose row private.lock_account locked, or ends the limit, and leaves an audit entry. The person remains logged in.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. A moderator can''t show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) IS 'Accepts or declines an open proposal of a case. Without an id it is the open one, if there is one.';

COMMENT ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that was appealed, once, and notifies the person. The person does not learn who resolved the appeal.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. Dismissing the last report shows the thing again if only a rule has hidden it. The reporter is notified, but does not learn who settled the report; the reported person is not notified. A person who may not work on the case may not settle its reports.';

COMMENT ON FUNCTION "private"."space_report_cards"(uuid[]) IS 'These cases in this order, as those who moderate the space see them: {id, targetType, targetId, author, title, excerpt, hidden, category, reportCount, reports [{category, reason}], withStaff, status, outcome, createdAt}. Its callers check who may see the cases. It never contains the reporter; the author is null if the caller can''t see that person.';

COMMENT ON FUNCTION "private"."staff_jobs"(text) IS 'The state of the worker: its jobs; the newest 50 jobs that failed permanently, in one queue or in all; the number of jobs in each queue, counted up to 1000; and the number of pending effects, counted up to 100,000.';

COMMENT ON FUNCTION "private"."staff_page"(text, json, text[], text, timestamp with time zone, timestamp with time zone, integer, text, text) IS 'A page of private.staff_<list>, a view with at, id, said (the text that p_q searches), card and a column for each filter. It reads the next 400 rows that match the first filter of p_by that is not null, which must have an index in the order of the list. It returns those that are between the two times, match all other filters that are not null, and contain p_q in their text. If p_q is a UUID, it looks only at the row with this id. p_key is the column that orders the list, if that is not the time. The cursor of a short page is the last row that was read, because nothing is hidden from staff.';

COMMENT ON FUNCTION "private"."standing"(uuid, boolean) IS 'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}, with the newest 100 decisions and never with who decided. Several decisions of one case count strikes once. With p_by_password the person is not logged in, so the result names another route for appeals.';

COMMENT ON FUNCTION "private"."statement"(uuid, uuid, boolean) IS 'The statement of reasons for a decision about a person. It never says who decided. With p_by_password the person is not logged in, so it names another route for an appeal.';

COMMENT ON FUNCTION "private"."strikes_since"() IS 'Decisions before this time no longer count strikes. The setting strike_days is the number of days.';

COMMENT ON FUNCTION "private"."takes_over"(text, uuid, boolean) IS 'Whether staff takes over a hidden thing from a rule or a space by hiding it, too: private.other_hiders.';

COMMENT ON FUNCTION "private"."try_writing"() IS 'For /ready: writes a megabyte, which it does not keep, and returns the vital tables to which nobody can write because of a lock. Fails if nothing can be written, for example because the disk is full.';

COMMENT ON FUNCTION "private"."utc"(timestamp with time zone) IS 'A time in the form that all responses use: UTC with milliseconds and Z. Null for null and for infinity.';

COMMENT ON FUNCTION "private"."webhook_secret"(bytea) IS 'A new secret in the form that Standard Webhooks defines.';

COMMENT ON FUNCTION "private"."yield_turn"(regclass, name, uuid, text, text, name) IS 'For jobs that take one row per call, namely the one that has been due the longest. After a job has taken a row of a person, this function delays the person''s other due rows: the next 100 keep their place, and the 500 after them are put off by up to 50 s, one every 100 ms. So a person with thousands of due rows delays others for a moment at most. p_person names the column with the person, p_waits is the condition for waiting rows, and p_due is when a row is due: an expression of p_again, indexed after the person.';

COMMENT ON SCHEMA "app" IS 'Tables, card views and app.uid(). Every table has row-level security. No API exposes the schema.';

COMMENT ON SCHEMA "private" IS 'Helpers, definer functions and secrets. No API exposes the schema.';

COMMENT ON TABLE "app"."audit_log" IS 'Every write by staff, chained by hash to the one before it. It has only ids and numbers; texts and addresses are in app.audit_details. The hash of an entry covers salted hashes of the actor, the address and the detail, so that the entry can be shown without its actor.';

COMMENT ON TABLE "app"."case_reports" IS 'The reports of a case. Reports that were settled before the instance had cases belong to none.';

COMMENT ON TABLE "app"."decisions" IS 'What staff, or one of its rules, decided about a person. The person reads all of it except who decided. An erasure empties the texts.';

COMMENT ON TABLE "app"."events" IS 'The columns of an event that its head in app.contents does not have.';

COMMENT ON TABLE "app"."moderation_rules" IS 'Rules of the instance, at most 50. If all conditions of a rule hold for a thing, the rule opens a case; it can also hide the thing until staff has seen it.';

COMMENT ON TABLE "app"."offerings" IS 'The columns of an offering that its head in app.contents does not have.';

COMMENT ON TABLE "app"."problems" IS 'The columns of a problem that its head in app.contents does not have.';

COMMENT ON TABLE "app"."projects" IS 'The columns of a project that its head in app.contents does not have.';

COMMENT ON TABLE "app"."rule_hits" IS 'The things that a rule has hit, one row for each rule and thing. rule_id has no foreign key, because a rule can have more hits than one transaction should delete; a retention job deletes them.';

COMMENT ON TABLE "private"."audit_head" IS 'One row, from the first entry on: the number of entries, and the hash of the last one. Without it nobody could notice that the last entry was deleted.';

COMMENT ON TABLE "private"."case_handlers" IS 'Registry: how an action is done to a thing of a type. Actions of the type `user` are done to the person who answers for a thing.';

COMMENT ON TABLE "private"."content_child_tables" IS 'Registry: tables of what people leave within contents. Their column author_hidden says whether the author is banned or erased. person and key are the columns that identify a person''s rows; an index covers both. An erasure empties the column words. If words is null, an erasure deletes the rows; but it keeps them if stays is true, because the feature erases them itself.';

COMMENT ON TABLE "private"."import_rows" IS 'The rows of a dossier that are not imported yet. Each is deleted in the transaction that imports it, so that an import continues from there if a worker was killed.';

COMMENT ON TABLE "private"."other_hiders" IS 'Registry: queries that return whether somebody other than staff hid a thing (type $1, id $2) that is hidden. If staff then hides it, too, that is a decision of staff, although the thing does not change.';

COMMENT ON TABLE "private"."outbound_events" IS 'Registry: the domain events that are written into the event log and sent to webhooks. It does not contain events that are not public, such as a message or an invitation into a circle.';

COMMENT ON TABLE "private"."verified_backups" IS 'The last verified backup, for /metrics; no row before the first one.';

COMMENT ON TABLE "private"."webhook_deliveries" IS 'The deliveries to webhooks: one for each event of the log and each webhook that wants it, and those of tests.';

COMMENT ON TABLE "private"."webhook_turns" IS 'One row for each webhook and subject with pending deliveries. The first of these deliveries is sent when the row is due, and the others wait. Rows are written only under the lock of the webhook.';

COMMENT ON TYPE "private"."access" IS 'What the rules say about a thing and a person: whether they see it, whether the limits on authors leave it in their feeds and searches, whether their mutes leave it out, and whether feeds and searches may show it to them after all. The last three are null for a thing that feeds and searches never contain.';

COMMENT ON TYPE "private"."access_reason" IS 'A row of private.access_reasons that applies, and the thing on which it depends, if that is a different thing.';

COMMENT ON TYPE "private"."case_target" IS 'A thing that a case can be about, and the person who answers for it.';

COMMENT ON TYPE "private"."condition" IS 'A condition of a rule: its kind (a row of private.rule_conditions), and its parameters in the form that private.read_condition returns.';

COMMENT ON TYPE "private"."judged" IS 'A version of a thing as rules judge it: its texts as they were when it was published or edited, when that was, and the words of these texts (private.keyword_words).';

COMMENT ON TYPE "private"."reported_place" IS 'The place and the text of a reported thing: private.report_targets.place. All fields are null if the thing is deleted, or of a type that can''t be in a group or guild.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them, and whether their cases still belong to a group or guild.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended is left out.';

COMMENT ON VIEW "private"."staff_sessions" IS 'Rotating sessions that have not ended, as staff sees them: what the person sees of them, without tokens.';

COMMENT ON VIEW "private"."staff_stuck_effects" IS 'The effects that fail, one for each person, as staff sees them: with only the SQLSTATE of the error, because its message could contain data.';

update private.errors set "text" = 'The signature of this dossier is not valid: the dossier was changed or is not complete, or its instance no longer publishes the key. Nothing was imported.'
where "code"::text = 'import_changed'
  and "text"::text = 'This dossier is not as its instance signed it: it was changed, or it is not complete, or its instance no longer publishes the key. Nothing was imported.';

update private.errors set "text" = 'Staff of the instance that wrote the dossier hid this post, so it is not imported.'
where "code"::text = 'import_hidden'
  and "text"::text = 'Staff of its instance hid this post, so it is not imported.';

update private.errors set "text" = 'A post in a group or a guild is not imported, because this instance does not know the members.'
where "code"::text = 'import_of_space'
  and "text"::text = 'A post in a group or a guild is not imported, because its members are not known here.';

update private.errors set "text" = 'A post that was not published when the dossier was written is not imported.'
where "code"::text = 'import_scheduled'
  and "text"::text = 'A post that was not published yet is not imported.';

update private.errors set "text" = 'A rule can go live after a day in shadow, or after a replay.'
where "code"::text = 'rule_untried'
  and "text"::text = 'A rule can go live when it was in shadow for a day, or was replayed.';

update private.event_types set "happens" = 'staff has shown a reply that a rule had hidden since its creation'
where "name"::text = 'moderation.reply.released'
  and "happens"::text = 'staff has released a reply that a rule had held back since its creation';

update private.jobs set "alarm" = 'the rows of treasuries differ from the ledger of mana'
where "name"::text = 'audit-treasuries'
  and "alarm"::text = 'the rows of treasuries are not what the ledger of mana has';

update private.jobs set "alarm" = 'app.audience differed from what circles and blocks require'
where "name"::text = 'check-audience'
  and "alarm"::text = 'the audience was not what circles and blocks make of it';

update private.personal_data set "reason" = 'Only the blocker may know whom they blocked.'
where "relation"::text = 'app.blocks' and "person_column"::text = 'blocked_id'
  and "reason"::text = 'Who blocked a person is known only to the blocker.';

update private.personal_data set "reason" = 'The section of the decision has its appeals, and names the person.'
where "relation"::text = 'app.decision_appeals' and "person_column"::text = 'person_id'
  and "reason"::text = 'The person of the decision, in whose section the appeals are.';

update private.personal_data set "reason" = 'The reply belongs to somebody else.'
where "relation"::text = 'app.event_rsvps' and "person_column"::text = 'host_id'
  and "reason"::text = 'The reply is somebody else''s.';

update private.personal_data set "reason" = 'The proposal belongs to somebody else.'
where "relation"::text = 'app.guild_proposals' and "person_column"::text = 'subject_id'
  and "reason"::text = 'The proposal is somebody else''s.';

update private.personal_data set "reason" = 'The code belongs to somebody else; invitedBy names the inviter.'
where "relation"::text = 'app.invite_codes' and "person_column"::text = 'used_by'
  and "reason"::text = 'The code is somebody else''s; invitedBy has the inviter.';

update private.personal_data set "reason" = 'Only the muter may know whom they muted.'
where "relation"::text = 'app.mutes' and "person_column"::text = 'muted_id'
  and "reason"::text = 'Who muted a person is known only to the muter.';

update private.personal_data set "reason" = 'The notification belongs to somebody else; what the person did for it has a section of its own.'
where "relation"::text = 'app.notification_actors' and "person_column"::text = 'actor_id'
  and "reason"::text = 'Another''s notification; what the person did for it has a section of its own.';

update private.personal_data set "reason" = 'The entry belongs to somebody else; what the person did for it is in reactions, replies and invitedBy.'
where "relation"::text = 'app.reputation_entries' and "person_column"::text = 'earned_from'
  and "reason"::text = 'The entry is another''s; what the person did for it is in reactions, replies and invitedBy.';

update private.personal_data set "reason" = 'The file that the person uploaded. It is kept until it is imported, for at most 7 days.'
where "relation"::text = 'private.import_rows' and "person_column"::text = 'import_id'
  and "reason"::text = 'The file that the person uploaded, until it is imported, at most for 7 days.';

update private.personal_data set "reason" = 'It says only which things were imported; the things themselves are in their own sections.'
where "relation"::text = 'private.imported' and "person_column"::text = 'user_id'
  and "reason"::text = 'Which things were imported; the sections have the things themselves.';

update private.access_reasons set "text" = 'The person is its author.'
where "code"::text = 'author' and "effect"::text = 'allows'
  and "text"::text = 'They are its author.';

update private.access_reasons set "text" = 'The person is in a circle of its author.'
where "code"::text = 'circle' and "effect"::text = 'allows'
  and "text"::text = 'They are in a circle of its author.';

update private.access_reasons set "text" = 'It is for the circles of its author, and the person is in none of them.'
where "code"::text = 'circle' and "effect"::text = 'denies'
  and "text"::text = 'It is for the circles of its author, and they are in none.';

update private.access_reasons set "text" = 'Staff, or those who moderate its space, hid it from everybody but its author.'
where "code"::text = 'hidden' and "effect"::text = 'denies'
  and "text"::text = 'Staff, or who moderates its space, hid it from everybody but its author.';

update private.access_reasons set "text" = 'Staff, or those who moderate its space, hid it. Its author still sees it.'
where "code"::text = 'hidden' and "effect"::text = 'leaves_out'
  and "text"::text = 'Staff, or who moderates its space, hid it. Its author still sees it.';

update private.access_reasons set "text" = 'The person takes part in the conversation.'
where "code"::text = 'in_conversation' and "effect"::text = 'allows'
  and "text"::text = 'They take part in the conversation.';

update private.access_reasons set "text" = 'The person is in the inner circle of its author.'
where "code"::text = 'inner_circle' and "effect"::text = 'allows'
  and "text"::text = 'They are in the inner circle of its author.';

update private.access_reasons set "text" = 'It is for the inner circle of its author, and the person is not in it.'
where "code"::text = 'inner_circle' and "effect"::text = 'denies'
  and "text"::text = 'It is for the inner circle of its author, and they are not in it.';

update private.access_reasons set "text" = 'Its author, or the author of the original, is limited, and the person does not follow that author.'
where "code"::text = 'limited_author' and "effect"::text = 'leaves_out'
  and "text"::text = 'Its author, or that of the original, is limited, and this person does not follow that author.';

update private.access_reasons set "text" = 'The person muted the author, the post or a word in it.'
where "code"::text = 'muted' and "effect"::text = 'leaves_out'
  and "text"::text = 'They muted the author, the post or a word in it.';

update private.access_reasons set "text" = 'The person does not take part in the conversation.'
where "code"::text = 'not_in_conversation' and "effect"::text = 'denies'
  and "text"::text = 'They do not take part in the conversation.';

update private.access_reasons set "text" = 'The person does not see the post that it reposts.'
where "code"::text = 'original_unseen' and "effect"::text = 'denies'
  and "text"::text = 'They do not see the post that it reposts.';

update private.access_reasons set "text" = 'The person sees the post that it answers.'
where "code"::text = 'post_seen' and "effect"::text = 'allows'
  and "text"::text = 'They see the post that it answers.';

update private.access_reasons set "text" = 'The person does not see the post that it answers.'
where "code"::text = 'post_unseen' and "effect"::text = 'denies'
  and "text"::text = 'They do not see the post that it answers.';

update private.access_reasons set "text" = 'The person is a member of the group or guild.'
where "code"::text = 'space_member' and "effect"::text = 'allows'
  and "text"::text = 'They are a member of the group or guild.';

update private.access_reasons set "text" = 'The person is not a member of the group or guild, and only members see what is in it.'
where "code"::text = 'space_private' and "effect"::text = 'denies'
  and "text"::text = 'They are not a member of the group or guild, and only members see what is in it.';

update private.access_reasons set "text" = 'The person is a student of this course, which is archived.'
where "code"::text = 'student' and "effect"::text = 'allows'
  and "text"::text = 'They are a student of this course, which is archived.';
