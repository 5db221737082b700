-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

ALTER TABLE "app"."rule_hits" ADD COLUMN "held" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.count_strikes(p_person uuid)
 RETURNS integer
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
begin
  return (select coalesce(sum(s.strikes), 0)
          from (select max(c.strikes) as strikes
                from (select * from app.decisions d
                      where d.person_id = p_person and d.decided_at > private.strikes_since()
                      order by d.decided_at desc limit 400) d
                join private.case_categories c on c.category = d.category
                where private.counts_strikes(d)
                group by coalesce(d.case_id, d.id)) s);
end $function$;

CREATE OR REPLACE FUNCTION private.counts_strikes(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (p_decision).overturned_at is null and (p_decision).space_id is null and (p_decision).decided_by is not null;
end $function$;

ALTER FUNCTION "private"."counts_strikes"(app.decisions) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.dispatch_event(p_event text, p_payload jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_event = 'admin.content.moderated' then
    perform private.note_released(p_payload);
  elsif p_event = 'events.event.changed' then
    perform private.fan_out_event(p_payload);
  elsif p_event = 'posts.poll.closed' then
    perform private.fan_out_poll_end(p_payload);
  elsif p_event = 'posts.post.edited' then
    perform private.note_edited_post(p_payload);
    perform private.embed_edited(p_payload);
    perform private.index_edited(p_payload);
  elsif p_event = 'posts.post.imported' then
    perform private.split_feed_block(p_payload);
  elsif p_event = 'posts.post.published' then
    perform private.add_feed_block(p_payload);
    perform private.extend_series(p_payload);
    perform private.announce_quote(p_payload);
    perform private.judge_post(p_payload);
    perform private.mention_in_post(p_payload);
  elsif p_event = 'posts.reply.created' then
    perform private.judge_reply(p_payload);
    perform private.mention_in_reply(p_payload);
  elsif p_event = 'posts.series.extended' then
    perform private.fan_out_series_item(p_payload);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.is_hidden(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_hidden boolean;
begin
  perform private.check_lock_order('post', p_id::text);
  if p_type = 'post' then
    select hidden_at is not null into v_hidden from app.posts where id = p_id for share;
  else
    select hidden_at is not null into v_hidden from app.replies where id = p_id for share;
  end if;
  return v_hidden;
end $function$;

ALTER FUNCTION "private"."is_hidden"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge(p_type text, p_id uuid, p_judged text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_thing  private.judged;
  v_rule   record;
  v_live   uuid[] := '{}';
  v_hides  boolean := false;
  v_hidden boolean;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = p_judged and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_thing.id is null then
      v_thing := private.find_judged(p_type, p_id);
      exit when v_thing.id is null;
    end if;
    continue when not private.fits_all(v_rule.compiled, v_thing);
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_thing.author_id, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = 'at a report' then
      -- reports come later than the creation, so others may have it locked. ARCHITECTURE.md, Locks
      if p_type = 'reply' then
        perform private.lock_counters(array(select r.post_id from app.replies r where r.id = p_id));
      end if;
      perform private.check_lock_order('post', p_id::text);
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    if v_hidden and p_judged = 'at once' then
      update app.rule_hits set held = true where target_id = p_id and rule_id = any (v_live);
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_thing.author_id, 'hidden', v_hidden),
      array[v_thing.author_id]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_thing.author_id, 'ruleIds', to_json(v_live),
      'hidden', v_hidden));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.mention_in_post(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.mention_people(concat_ws(e'\n', p.title, p.body), p.author_id, p.id)
  from app.posts p where p.id = (p_event ->> 'postId')::uuid and p.hidden_at is null;
end $function$;

CREATE OR REPLACE FUNCTION private.mention_in_reply(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.mention_people(r.body, r.author_id, r.post_id, r.id)
  from app.replies r where r.id = (p_event ->> 'replyId')::uuid and r.hidden_at is null;
end $function$;

CREATE OR REPLACE FUNCTION private.mention_released(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    perform private.mention_in_reply(jsonb_build_object('replyId', v_target));
  end if;
  return json_build_object('changed', v_changed, 'next', null);
end $function$;

ALTER FUNCTION "private"."mention_released"(jsonb, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.note_released(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_event ->> 'action' = 'unhidden'
     and exists (select from app.rule_hits h where h.target_id = (p_event ->> 'targetId')::uuid and h.held) then
    perform private.enqueue('released-holds', json_build_object(
      'targetType', p_event ->> 'targetType', 'targetId', p_event ->> 'targetId'));
  end if;
end $function$;

ALTER FUNCTION "private"."note_released"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.open_rule_cases(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type     text := p_job ->> 'targetType';
  v_target   uuid := (p_job ->> 'targetId')::uuid;
  v_hidden   boolean := (p_job ->> 'hidden')::boolean and private.is_hidden(v_type, v_target);
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
    for update of h   -- a second run of the job waits here, and then finds none
  loop
    v_case := private.open_case(v_type, v_target, v_hit.category, 'rule', v_hit.name);
    update app.rule_hits set case_id = v_case where id = v_hit.id;
    v_category := coalesce(v_category, v_hit.category);   -- of a rule that hides, if there is one
    v_cases := v_cases + 1;
  end loop;
  if v_hidden and v_cases > 0 then
    perform private.record_hold(v_type, v_target, (p_job ->> 'authorId')::uuid, v_case, v_category);
  end if;
  return json_build_object('changed', v_cases, 'next', null);
end $function$;

CREATE OR REPLACE FUNCTION private.record_hold(p_type text, p_id uuid, p_author uuid, p_case uuid, p_category text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform set_config('kith.case', json_build_object('caseId', p_case, 'category', p_category)::text, true);
  perform private.audit(p_type || '.hidden', p_type, p_id::text, json_build_object(
    'reason', 'Hidden automatically, by a rule of the instance, until staff has seen it.'), p_author);
  perform set_config('kith.case', '', true);
end $function$;

ALTER FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.standing(p_person uuid)
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
  v_since timestamptz := private.strikes_since();
begin
  return (
    select json_build_object(
      'state', case when u.banned_until is not null then 'suspended' when u.banned_at is not null then 'banned'
                    when u.limited_at is not null then 'limited' else 'active' end,
      'suspendedUntil', private.utc(u.banned_until),
      'strikes', private.count_strikes(p_person),
      'decisions', (
        select coalesce(json_agg(json_build_object(
                 'id', d.id,
                 'action', d.action,
                 'targetType', d.target_type,
                 'targetId', case when d.target_type <> 'user' then d.target_id end,
                 'category', d.category,
                 'rule', d.rule,
                 'reason', d.reason,
                 'automated', d.decided_by is null,
                 'strikes', case when s.counts then c.strikes else 0 end,
                 'strikesUntil', case when s.counts and c.strikes > 0
                                      then private.utc(d.decided_at + (now() - v_since)) end,
                 'endsAt', private.utc(d.ends_at),
                 'liftedAt', private.utc(d.lifted_at),
                 'overturnedAt', private.utc(d.overturned_at),
                 'appealable', a.id is null and d.overturned_at is null,
                 'appeal', case when a.id is not null then json_build_object(
                   'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer,
                   'createdAt', private.utc(a.created_at), 'resolvedAt', private.utc(a.resolved_at)) end,
                 'createdAt', private.utc(d.decided_at)) order by d.decided_at desc, d.id desc), '[]')
        from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 100) d
        join private.case_categories c on c.category = d.category
        cross join lateral (
          select private.counts_strikes(d) and d.decided_at > v_since as counts) s
        left join app.decision_appeals a on a.decision_id = d.id))
    from app.users u where u.id = p_person);
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
                   -- what only a rule hid, staff has decided when it has closed the case as acted
                   and (d.decided_by is not null
                        or exists (select from app.cases c where c.id = d.case_id and c.outcome = 'acted')))
    -- before there were decisions
    or case p_type
       when 'post' then exists (select from app.posts p where p.id = p_id and p.hidden_at is not null)
       else exists (select from app.replies r where r.id = p_id and r.hidden_at is not null) end
    -- what only a rule hid is decided above
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $function$;

COMMENT ON COLUMN "app"."rule_hits"."held" IS 'Whether it was hidden before anybody else saw it and staff has not released it. Then those whom it mentions are notified.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed: for each case the number of its category, once, however much was done in it (private.counts_strikes). They have no effect by themselves; staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."counts_strikes"(app.decisions) IS 'Whether a decision counts strikes: not if it was overturned, or is by a space or by a rule.';

COMMENT ON FUNCTION "private"."is_hidden"(text, uuid) IS 'Whether a post or a reply is hidden. Locks it until the transaction ends, so that nobody shows it meanwhile.';

COMMENT ON FUNCTION "private"."mention_in_post"(jsonb) IS 'Listener: emits the mentions of a post when it is published, which for a scheduled post is later than its insert. It is the last one, and skips a post that another listener has hidden.';

COMMENT ON FUNCTION "private"."mention_in_reply"(jsonb) IS 'Listener: emits the mentions of a reply, as private.mention_in_post does.';

COMMENT ON FUNCTION "private"."mention_released"(jsonb, uuid) IS 'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had held back since its creation, once. If staff has hidden it again, the next release does it.';

COMMENT ON FUNCTION "private"."note_released"(jsonb) IS 'Listener: has the worker notify whom a post or a reply mentions that was held back since its creation, because staff has locked documents of the search already (ARCHITECTURE.md, Locks).';

COMMENT ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) IS 'For the worker alone: opens the case of what fitted live rules, or adds to it, {targetType, targetId, authorId, ruleIds, hidden}, each hit once, and leaves the decision if they have hidden it and nobody has shown it again. It is a job of its own, because the case and the audit log are locked after what others lock for the same post, and because in the author''s transaction the audit entry would be by the author.';

COMMENT ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) IS 'Leaves the audit entry, and thereby the decision, that a rule has hidden a thing. Its author reads that it was automatic and of which category, but never the rule.';

COMMENT ON TABLE "app"."decisions" IS 'What staff, or a rule of theirs, decided about a person, as the person reads it, but for who decided. An erasure empties the words.';

REVOKE ALL ON FUNCTION "private"."counts_strikes"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."counts_strikes"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."counts_strikes"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_hidden"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_hidden"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_hidden"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mention_released"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mention_released"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mention_released"(jsonb, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."mention_released"(jsonb, uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."note_released"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_released"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_released"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) TO "postgres";

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('admin.content.moderated', 'private.note_released', '510', 'at once');

update private.event_listeners set "position" = '960'
where "event"::text = 'posts.post.published' and "listener"::text = 'private.mention_in_post'
  and "position"::text = '510';

update private.event_listeners set "position" = '960'
where "event"::text = 'posts.reply.created' and "listener"::text = 'private.mention_in_reply'
  and "position"::text = '510';

insert into private.batch_queues ("queue", "batch")
values ('released-holds', 'private.mention_released');

insert into pgboss.queue ("name", "policy", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max", "expire_seconds", "retention_seconds", "deletion_seconds", "dead_letter", "partition", "table_name", "deferred_count", "queued_count", "ready_count", "warning_queued", "active_count", "failed_count", "total_count", "created_delta", "completed_delta", "failed_delta", "delta_on", "delta_seconds", "ready_history", "heartbeat_seconds", "notify", "singletons_active", "monitor_claim_on", "monitor_on", "maintain_on")
values ('released-holds', 'standard', '2', '0', 'false', null, '900', '1209600', '604800', null, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', null, null, '{}', null, 'false', null, null, null, null);
