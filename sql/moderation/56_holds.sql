-- The consequences when a live rule hits a thing: the case, the decision, and the effects of showing the thing again.
-- docs/decisions.md, Staff.

create function private.is_hidden(p_type text, p_id uuid) returns boolean
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_hidden boolean;
begin
  perform private.check_lock_order(v_type.lock_kind, p_id::text);
  -- safe: the names come from the registry
  execute format('select %I is not null from %s where id = $1 for share', v_type.hidden_at, v_type.relation)
    into v_hidden using p_id;
  return v_hidden;
end $$;
comment on function private.is_hidden is
  'Returns whether a thing is hidden. Locks the thing until the transaction ends, so that nobody shows it meanwhile.';

create function private.only_rules_hid(p_type text, p_id uuid) returns boolean
language plpgsql stable security definer   -- callers may not read hits or decisions
set search_path = ''
as $$
begin
  return (exists (select from app.rule_hits h where h.target_id = p_id and h.hid)
          or exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action in ('hide', 'remove') and d.decided_by is null))
    and not private.people_hid(p_type, p_id);
end $$;
comment on function private.only_rules_hid is 'Returns whether only rules hid a hidden thing.';

create function private.people_hid(p_type text, p_id uuid) returns boolean
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove') and d.decided_by is not null);
end $$;
comment on function private.people_hid is 'Returns whether staff or a space hides a thing or has removed it.';

create function private.others_hid(p_type text, p_id uuid) returns boolean
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
begin
  return private.only_rules_hid(p_type, p_id)
      or nullif(current_setting('kith.case', true), '')::json ->> 'spaceId' is null
         and exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action = 'hide' and d.space_id is not null);
end $$;
comment on function private.others_hid is
  'Returns whether a rule hid a hidden thing, or a space did and the caller does not act for a space. The decision '
  'of a space is added to that of the rule; the decision of staff replaces both (private.record_decision).';
insert into private.other_hiders (query) values ('select private.others_hid($1, $2)');

create function private.lock_held(p_type text, p_id uuid) returns void
language plpgsql volatile security definer   -- staff may not lock things directly
set search_path = ''
as $$
declare
  v_type private.judged_types := (select t from private.judged_types t where t.type = p_type);
begin
  if v_type.type is not null and private.only_rules_hid(p_type, p_id) then
    perform private.lock_judged(p_type, p_id);
    -- safe: the name comes from the registry
    execute format('select from %s where id = $1 for no key update', v_type.relation) using p_id;
  end if;
end $$;
comment on function private.lock_held is
  'Takes the locks of private.release_held, for callers that lock the case afterwards.';

create function private.release_held(p_type text, p_id uuid) returns void
language plpgsql volatile security definer   -- a moderator may dismiss, but only admins may restore contents
set search_path = ''
as $$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_author uuid;
begin
  if v_type.type is null then
    return;
  elsif not private.only_rules_hid(p_type, p_id) then
    -- a thing that a space hid, too, stays hidden, now only by the decision of the space
    update app.decisions set lifted_at = now()
    where target_type = p_type and target_id = p_id and lifted_at is null and action in ('hide', 'remove')
      and decided_by is null;
    return;
  end if;
  perform private.lock_judged(p_type, p_id);
  -- safe: the names and the condition come from the registry
  execute format('select author_id from %s where id = $1 and %I is not null and %s for no key update',
                 v_type.relation, v_type.hidden_at, v_type.present) into v_author using p_id;
  if v_author is null or not private.only_rules_hid(p_type, p_id) then
    return;   -- staff has decided during the wait
  end if;
  execute format('update %s set %I = null where id = $1', v_type.relation, v_type.hidden_at) using p_id;
  perform private.record_moderation(
    p_type, p_id,
    (select l.verb from private.decision_kinds k join private.decision_kinds l on l.action = k.action and l.lifts
     where k.verb = v_type.verb), v_author, null);
end $$;
comment on function private.release_held is
  'Shows a thing again that only a rule has hidden, in the same way as staff does, which lifts the decision of the '
  'rule. Does nothing with any other thing. Calling functions check the right to do so.';

create function private.record_hold(p_type text, p_id uuid, p_author uuid, p_case uuid, p_category text) returns void
language plpgsql volatile security definer   -- callers may not write the log or decisions
set search_path = ''
as $$
begin
  perform set_config('kith.case', json_build_object('caseId', p_case, 'category', p_category)::text, true);
  perform private.audit(
    p_type || '.' || (select verb from private.judged_types where type = p_type), p_type, p_id::text,
    json_build_object('reason', 'Hidden automatically, by a rule of the instance, until staff has seen it.'),
    p_author);
  perform set_config('kith.case', '', true);
end $$;
comment on function private.record_hold is
  'Writes the audit entry of a rule that has hidden a thing, and thereby the decision. The author reads the '
  'category and that the decision was automatic, but never the rule.';

create function private.open_rule_cases(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_type     text := p_job ->> 'targetType';
  v_target   uuid := (p_job ->> 'targetId')::uuid;
  v_hidden   boolean := (p_job ->> 'hidden')::boolean and private.is_hidden(v_type, v_target)
                        and not private.people_hid(v_type, v_target);
  v_hit      record;
  v_case     uuid;
  v_category text;
  v_cases    integer := 0;
begin
  for v_hit in
    select h.id, r.name, coalesce(r.category, 'other') as category
    from app.rule_hits h left join app.moderation_rules r on r.id = h.rule_id
    where h.target_id = v_target and h.case_id is null
      and h.rule_id in (select i::uuid from jsonb_array_elements_text(p_job -> 'ruleIds') i)
    order by h.action desc, h.rule_id
    for update of h   -- a second run of the job waits here, and then finds no hits
  loop
    v_case := private.open_case(v_type, v_target, v_hit.category, 'rule', v_hit.name);
    update app.rule_hits set case_id = v_case where id = v_hit.id;
    v_category := coalesce(v_category, v_hit.category);   -- the category of a rule that hides, if there is one
    v_cases := v_cases + 1;
  end loop;
  if v_hidden and v_cases > 0 then
    perform private.record_hold(v_type, v_target, (p_job ->> 'authorId')::uuid, v_case, v_category);
  end if;
  return json_build_object('changed', v_cases, 'next', null);
end $$;
comment on function private.open_rule_cases is
  'For the worker alone: adds the hits of live rules, {targetType, targetId, authorId, ruleIds, hidden}, to the '
  'open case of their target, each hit once, and opens a case if there is none. It writes the decision if the rules '
  'have hidden the thing and nobody has decided since. This is a separate job, because the case and the audit log '
  'come late in the order of locks, and in the author''s transaction the audit entry would name the author as its '
  'actor.';
call private.make_batch_queue('rule-cases', 'private.open_rule_cases');

create function private.note_released(p_event jsonb) returns void
language plpgsql volatile security definer   -- staff may not read hits
set search_path = ''
as $$
begin
  if p_event ->> 'action' = 'unhidden'
     and exists (select from app.rule_hits h where h.target_id = (p_event ->> 'targetId')::uuid and h.held) then
    perform private.enqueue('released-holds', json_build_object(
      'targetType', p_event ->> 'targetType', 'targetId', p_event ->> 'targetId'));
  end if;
end $$;
comment on function private.note_released is
  'Listener: queues the notifications of people whom a held post or reply mentions or answers. The worker sends '
  'them, because the transaction of staff has already locked documents of the search (ARCHITECTURE.md, Locks).';
insert into private.event_listeners (event, listener, position) values
  ('admin.content.moderated', 'private.note_released', 510);

create function private.mention_released(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_type    text := p_job ->> 'targetType';
  v_target  uuid := (p_job ->> 'targetId')::uuid;
  v_changed integer := 0;
begin
  if not private.is_hidden(v_type, v_target) then
    update app.rule_hits set held = false where target_id = v_target and held;
    get diagnostics v_changed = row_count;
  end if;
  if v_changed > 0 and v_type = 'post' then
    perform private.mention_in_post(jsonb_build_object('postId', v_target));
  elsif v_changed > 0 then
    perform private.emit('moderation.reply.released', json_build_object('replyId', v_target),
                         private.people_of_reply(v_target));
    perform private.mention_in_reply(jsonb_build_object('replyId', v_target));
  end if;
  return json_build_object('changed', v_changed, 'next', null);
end $$;
comment on function private.mention_released is
  'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had hidden '
  'since its creation, and notifies the people whom a reply answers, once. If staff has hidden it again meanwhile, '
  'this happens when staff next shows it.';
call private.make_batch_queue('released-holds', 'private.mention_released');

insert into private.event_types (name, payload, happens) values
  ('moderation.reply.released', '{replyId}',
   'staff has shown a reply that a rule had hidden since its creation');
insert into private.event_listeners (event, listener, position, timing) values
  ('moderation.reply.released', 'private.notify_replied', 600, 'soon');

create function private.notify_held(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            jsonb_build_object('targetType', e.payload -> 'targetType', 'targetId', e.payload -> 'targetId',
                               'action', 'held'), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e
    where (e.payload ->> 'hidden')::boolean));
end $$;
comment on function private.notify_held is
  'Listener: notifies a person that something that they wrote is hidden until staff has seen it. The notification '
  'never names the rule.';
insert into private.event_listeners (event, listener, position, timing) values
  ('moderation.rule.hit', 'private.notify_held', 600, 'soon');
