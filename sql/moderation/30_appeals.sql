-- A person can appeal each decision about them once. Somebody other than the member of staff who made the decision
-- resolves the appeal. docs/decisions.md, Staff.

create table app.decision_appeals (
  id          uuid primary key default gen_random_uuid(),
  decision_id uuid not null references app.decisions on delete restrict,
  person_id   uuid not null references app.users on delete restrict,
  text        text not null check (length(text) <= 2000),
  status      text not null default 'pending' check (status in ('pending', 'upheld', 'overturned')),
  undone      boolean,
  answer      text check (length(answer) between 1 and 1000),
  resolved_by uuid references app.users on delete restrict,
  resolved_at timestamptz,
  created_at  timestamptz not null default now(),
  check ((status = 'pending') = (resolved_at is null))
);
create unique index decision_appeals_decision_id_idx on app.decision_appeals (decision_id);
create index decision_appeals_person_id_idx on app.decision_appeals (person_id, created_at desc, id desc);
create index decision_appeals_status_idx on app.decision_appeals (status, created_at desc, id desc);
create index decision_appeals_created_at_idx on app.decision_appeals (created_at desc, id desc);
create index decision_appeals_resolved_by_idx on app.decision_appeals (resolved_by, created_at);
comment on table app.decision_appeals is
  'Appeals against decisions, one for each decision. Text and answer of an erased person''s appeals are empty.';
comment on column app.decision_appeals.status is 'pending, then upheld (the decision stands) or overturned, once.';
comment on column app.decision_appeals.undone is
  'Whether overturning the decision undid its action. A deleted post, for example, stays deleted. Null if the '
  'decision was not overturned.';
comment on column app.decision_appeals.answer is 'The answer of staff, which the person reads.';
comment on column app.decision_appeals.resolved_by is 'The member of staff. The person never learns who it was.';
comment on column app.decision_appeals.resolved_at is 'When staff resolved the appeal; null while it is pending.';

insert into private.event_types (name, payload, happens) values
  ('moderation.appeal.resolved', '{decisionId,personId,action}', 'staff has upheld or overturned a decision');
insert into private.event_listeners (event, listener, position, timing) values
  ('moderation.appeal.resolved', 'private.notify_decided', 600, 'soon');

insert into private.errors (code, status, text) values
  ('decision_unknown', 404, 'There is no such decision about you.'),
  ('decision_appealed', 409, 'You have already appealed this decision.'),
  ('decision_overturned', 409, 'This decision was already overturned.'),
  ('appeal_verdict', 422, 'verdict must be uphold or overturn.'),
  ('appeal_own_decision', 409, 'You made this decision, so somebody else must resolve the appeal.');

create function private.add_decision_appeal(p_person uuid, p_decision uuid, p_text text) returns void
language plpgsql volatile security definer   -- people may not write appeals directly
set search_path = ''
as $$
declare
  v_text     text := private.require_text(p_text);
  v_decision app.decisions;
  v_id       uuid;
begin
  if v_text is null or length(v_text) not between 1 and 2000 then
    perform private.raise_error('appeal_text');
  end if;
  select * into v_decision from app.decisions where id = p_decision and person_id = p_person;
  if not found then
    perform private.raise_error('decision_unknown');
  elsif v_decision.overturned_at is not null then
    perform private.raise_error('decision_overturned');
  end if;
  insert into app.decision_appeals (decision_id, person_id, text) values (p_decision, p_person, v_text)
  on conflict (decision_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('decision_appealed');
  end if;
  if v_decision.case_id is not null then
    insert into app.case_events (case_id, kind, detail)
    values (v_decision.case_id, 'appealed', jsonb_build_object('decisionId', p_decision, 'appealId', v_id));
  end if;
end $$;
comment on function private.add_decision_appeal is 'Adds a person''s appeal against a decision about them.';

create function private.appeal_path(p_decision app.decisions, p_by_password boolean) returns text
language plpgsql stable security definer   -- callers may not read appeals
set search_path = ''
as $$
begin
  if (p_decision).overturned_at is not null
     or exists (select from app.decision_appeals where decision_id = (p_decision).id) then
    return null;
  elsif p_by_password then
    return '/auth/appeal';
  end if;
  return format('/me/standing/%s/appeal', (p_decision).id);
end $$;
comment on function private.appeal_path is
  'The route by which the person concerned appeals a decision: one for people who are logged in, another for people '
  'who give their password. Null if they have already appealed it, or if it was overturned. An appeal has no '
  'deadline.';

create function private.appeal_roles(p_decision app.decisions) returns text[]
language plpgsql stable security definer   -- staff may not read the registry
set search_path = ''
as $$
begin
  return (select roles from private.case_transitions where status = 'closed' and action = (p_decision).action);
end $$;
comment on function private.appeal_roles is
  'The roles that may resolve an appeal against a decision. They are the roles that may make such a decision.';

create function private.has_other_resolver(p_decision app.decisions) returns boolean
language plpgsql stable security definer   -- staff may not read accounts
set search_path = ''
as $$
begin
  return exists (
    select from app.users u join app.accounts a on a.user_id = u.id
    where u.role <> 'user' and u.role = any (private.appeal_roles(p_decision))
      and u.id is distinct from (p_decision).decided_by
      and not private.answers_for((p_decision).target_type, (p_decision).target_id, (p_decision).person_id, u.id)
      and u.banned_at is null and u.erased_at is null
      and coalesce(a.last_seen_at, u.created_at) > now() - interval '30 days');
end $$;
comment on function private.has_other_resolver is
  'Returns whether somebody other than the member of staff who decided may resolve an appeal, and was active in the '
  'last 30 days.';

create function private.may_resolve(p_decision app.decisions) returns boolean
language plpgsql stable security definer   -- staff may not read the registry
set search_path = ''
as $$
begin
  return exists (select from app.users where id = app.uid() and role = any (private.appeal_roles(p_decision)))
     and not private.is_own_thing((p_decision).target_type, (p_decision).target_id, (p_decision).person_id)
     and ((p_decision).decided_by is distinct from app.uid() or not private.has_other_resolver(p_decision));
end $$;
comment on function private.may_resolve is
  'Returns whether the caller may resolve an appeal against a decision. They may not resolve one against their own '
  'decision while somebody else could.';

create view private.staff_decision_appeals with (security_invoker) as
select a.created_at as at, a.id, a.status, a.person_id, concat_ws(' ', u.username, a.text, a.answer) as said,
       json_build_object(
         'id', a.id,
         'personId', a.person_id,
         'person', person.card,
         'text', a.text,
         'status', a.status,
         'undone', a.undone,
         'answer', a.answer,
         'mayResolve', a.status = 'pending' and private.may_resolve(d),
         'resolvedById', a.resolved_by,
         'resolvedAt', private.utc(a.resolved_at),
         'createdAt', private.utc(a.created_at),
         'decision', private.decision_card(d)) as card,
       private.is_own_thing(d.target_type, d.target_id, d.person_id) as own
from app.decision_appeals a
join app.decisions d on d.id = a.decision_id
join app.users u on u.id = a.person_id
join app.person_card person on person.id = a.person_id;
comment on view private.staff_decision_appeals is
  'Appeals as staff sees them. mayResolve says whether the caller may resolve the appeal. own says whether the '
  'appeal is the caller''s, or about what they wrote with others.';

create function api.list_decision_appeals(
  p_status text default null, p_person_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'decision_appeals', json_build_object(
      'person_id', private.find_staff_person(p_person_id), 'status', p_status, 'own', false),
    array['person_id', 'status'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_decision_appeals is
  'Appeals against decisions of staff, newest first, without those of the caller.';

create function private.overturn(p_decision app.decisions) returns boolean
language plpgsql volatile security definer   -- the statement comes from the registry; it checks the caller's role
set search_path = ''
as $$
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
       -- another decision has the same effect, so the effect stays
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
end $$;
comment on function private.overturn is
  'Undoes the action of a decision, and cancels its strikes. Returns whether the action could be undone. Fails: '
  'private.set_post_hidden, private.set_reply_hidden, private.set_content_removed, api.unban_person. Never: '
  'content_kind.';

create function private.settle_decision_appeal(p_id uuid, p_verdict text, p_answer text) returns void
language plpgsql volatile security definer   -- staff may not write appeals directly
set search_path = ''
as $$
declare
  v_status   text := case p_verdict when 'uphold' then 'upheld' else 'overturned' end;
  v_appeal   app.decision_appeals;
  v_decision app.decisions;
  v_undone   boolean;
begin
  select * into v_appeal from app.decision_appeals where id = p_id;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  if not found or private.is_own_thing(v_decision.target_type, v_decision.target_id, v_decision.person_id) then
    perform private.raise_error('appeal_unknown');
  end if;
  perform private.lock_case_work(coalesce(v_decision.case_id, v_decision.id));
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.require_role(variadic private.appeal_roles(v_decision));
  if not private.may_resolve(v_decision) then
    perform private.raise_error('appeal_own_decision');
  elsif not exists (select from app.decision_appeals where id = p_id and status = 'pending') then
    -- the second of two concurrent members of staff waits for the first and then fails here
    perform private.raise_error('appeal_resolved');
  end if;
  if v_status = 'overturned' then
    v_undone := private.overturn(v_decision);
    perform private.restart_lock_order();
  end if;
  update app.decision_appeals
  set status = v_status, undone = v_undone, answer = p_answer, resolved_by = app.uid(), resolved_at = now()
  where id = p_id;
  perform private.emit('moderation.appeal.resolved', json_build_object(
    'decisionId', v_decision.id, 'personId', v_decision.person_id, 'action', v_status), array[v_decision.person_id]);
  if v_decision.case_id is not null then
    perform private.add_case_event(v_decision.case_id, v_status, null, json_build_object(
      'decisionId', v_decision.id, 'appealId', p_id, 'undone', v_undone));
  end if;
  perform private.audit('appeal.' || v_status, 'decision', v_decision.id::text);
end $$;
comment on function private.settle_decision_appeal is
  'Upholds or overturns a decision that was appealed, once, and notifies the person. The person does not learn who '
  'resolved the appeal.';

create function api.resolve_decision_appeal(p_id uuid, p_verdict text, p_answer text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_answer text;
begin
  perform private.require_role('moderator', 'admin');
  if p_verdict is null or p_verdict not in ('uphold', 'overturn') then
    perform private.raise_error('appeal_verdict');
  end if;
  v_answer := private.find_reason(p_answer);
  if v_answer is null then
    perform private.raise_error('case_reason');
  end if;
  perform private.settle_decision_appeal(p_id, p_verdict, v_answer);
  return private.staff_card('decision_appeals', p_id);
end $$;
comment on function api.resolve_decision_appeal is
  'Upholds or overturns a decision that a person appealed, with an answer that the person reads. Overturning undoes '
  'the action, if that is possible, and cancels the strikes. The member of staff who made the decision can''t '
  'resolve the appeal while somebody else could. Leaves an audit entry.';
