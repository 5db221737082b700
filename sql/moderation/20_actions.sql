-- How staff works on a case. What may be done in which state, by whom and with what is the table
-- private.case_transitions; how it is done to a thing of each type is the table private.case_handlers.
-- docs/decisions.md, Staff.

create table private.case_transitions (
  status text not null check (status in ('open', 'closed')),
  action text not null check (action ~ '^[a-z]+$'),
  next   text not null check (next in ('open', 'closed')),
  roles  text[] not null check (roles <> '{}' and roles <@ '{moderator,admin}'),
  needs  text[] not null default '{}' check (needs <@ '{claim,reason,until,person}'),
  primary key (status, action)
);
comment on table private.case_transitions is
  'Registry: what staff may do with a case in each state, and its state afterwards.';
comment on column private.case_transitions.status is 'The state of the case before it.';
comment on column private.case_transitions.needs is
  'claim: nobody else has a claim; reason: a reason; until: a time in the future, which no other action takes; '
  'person: somebody who answers for the thing.';
insert into private.case_transitions (status, action, next, roles, needs)
select s.status, a.action, case when s.status = 'closed' then 'closed' else a.next end, a.roles::text[],
       a.needs::text[]
from unnest(array['open', 'closed']) s (status)
cross join (values
  ('note', 'open', '{moderator,admin}', '{}'),
  ('warn', 'closed', '{moderator,admin}', '{claim,reason,person}'),
  ('hide', 'closed', '{moderator,admin}', '{claim}'),
  ('unhide', 'open', '{moderator,admin}', '{claim}'),
  ('remove', 'closed', '{admin}', '{claim}'),
  ('restore', 'open', '{admin}', '{claim}'),
  ('limit', 'closed', '{admin}', '{claim,reason,person}'),
  ('unlimit', 'open', '{admin}', '{claim,person}'),
  ('suspend', 'closed', '{admin}', '{claim,reason,person,until}'),
  ('ban', 'closed', '{admin}', '{claim,reason,person}'),
  ('unban', 'open', '{admin}', '{claim,person}')) a (action, next, roles, needs);
insert into private.case_transitions (status, action, next, roles, needs) values
  ('open', 'claim', 'open', '{moderator,admin}', '{claim}'),
  ('open', 'release', 'open', '{moderator,admin}', '{}'),
  ('open', 'change', 'open', '{moderator,admin}', '{claim}'),
  ('open', 'propose', 'open', '{moderator,admin}', '{reason}'),
  ('open', 'accept', 'open', '{admin}', '{claim}'),
  ('open', 'decline', 'open', '{admin}', '{claim}'),
  ('open', 'dismiss', 'closed', '{moderator,admin}', '{claim}');

create table private.case_handlers (
  target_type text not null references private.report_targets on delete restrict,
  action      text not null check (action ~ '^[a-z]+$'),
  statement   text not null,
  undo        text,
  place       smallint not null check (place between 1 and 9),
  by_space    text,
  primary key (target_type, action)
);
comment on table private.case_handlers is
  'Registry: how an action is done to a thing of a type. The rows of user are done to the person who answers for a '
  'thing.';
comment on column private.case_handlers.statement is
  'The statement, where $1 is the id of the thing or of the person, $2 the reason and $3 the end. It leaves the audit '
  'entry.';
comment on column private.case_handlers.undo is 'The action that takes it back; null if nothing does.';
comment on column private.case_handlers.place is
  'The order of several actions: what is done to the thing comes before what is done to the person.';
comment on column private.case_handlers.by_space is
  'The statement by which those who moderate a group or guild do it to a thing in there; null if only staff can.';

create table app.case_proposals (
  id          uuid primary key default gen_random_uuid(),
  case_id     uuid not null references app.cases on delete cascade,
  actions     text[] not null check (cardinality(actions) between 1 and 5),
  reason      text not null check (length(reason) <= 1000),
  until       timestamptz,
  proposed_by uuid references app.users on delete set null,
  proposed_at timestamptz not null default now(),
  status      text not null default 'open' check (status in ('open', 'accepted', 'declined')),
  settled_by  uuid references app.users on delete set null,
  settled_at  timestamptz,
  check ((status = 'open') = (settled_at is null))
);
create unique index case_proposals_open_idx on app.case_proposals (case_id) where status = 'open';
create index case_proposals_case_id_idx on app.case_proposals (case_id, proposed_at);
create index case_proposals_proposed_by_idx on app.case_proposals (proposed_by, proposed_at);
create index case_proposals_settled_by_idx on app.case_proposals (settled_by);
comment on table app.case_proposals is
  'What a moderator proposes in a case because only an admin may do it, at most one open proposal in each case. The '
  'reason is what the person will read. An erasure of the person concerned empties it.';
comment on column app.case_proposals.until is 'When a proposed suspension ends; null for other actions.';
comment on column app.case_proposals.proposed_at is 'When it was proposed.';
comment on column app.case_proposals.settled_at is 'When it was accepted or declined; null while it is open.';
comment on column app.case_proposals.status is
  'open, then accepted or declined by an admin; closing the case declines it, too.';

insert into private.errors (code, status, text) values
  ('case_unknown', 404, 'There is no such case.'),
  ('case_closed', 409, 'The case is closed, and this can be done in an open case only.'),
  ('case_claimed', 409, 'Somebody else is working on this case.'),
  ('case_own', 403, 'You cannot work on a case about yourself.'),
  ('case_action', 422, 'There is no such action for a thing of this type.'),
  ('case_actions', 422, 'There must be 1 to 5 different actions. Dismiss stands alone, and at most one changes the '
   'state of the person.'),
  ('case_reason', 422, 'This action needs a reason, which the person reads.'),
  ('case_until', 422, 'A suspension needs a time in the future at which it ends, and no other action takes one.'),
  ('case_person', 409, 'Nobody answers for this thing any more.'),
  ('case_target', 404, 'There is no such thing.'),
  ('case_note', 422, 'A note must have 1 to 2000 characters.'),
  ('case_priority', 422, 'A priority is 1 (first) to 4.'),
  ('case_rule', 422, 'A rule can have at most 300 characters.'),
  ('proposal_actions', 422, 'Propose only what needs an admin. Do the rest yourself.'),
  ('case_proposal_open', 409, 'This case already has an open proposal.'),
  ('case_proposal_unknown', 404, 'This case has no such open proposal.');

create function private.restart_lock_order() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if current_setting('kith.lock_order', true) = 'checked' then
    perform set_config('kith.locks_held', (coalesce(nullif(current_setting('kith.locks_held', true), ''),
                                                    '{"keys": {}}')::jsonb || '{"last": 0}')::text, true);
  end if;
end $$;
comment on function private.restart_lock_order is
  'For operations that do several things in one transaction, each with all the locks it needs: the order of locks '
  'begins again. Such a transaction can deadlock with another; the facade repeats it. ARCHITECTURE.md, Locks.';

create function private.warn_person(p_person uuid, p_reason text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock_account(p_person);
  perform private.audit('user.warned', 'user', p_person::text, json_build_object('reason', p_reason), p_person);
end $$;
comment on function private.warn_person is
  'Warns a person: they read the reason at /me/standing. Leaves an audit entry.';

insert into private.case_handlers (target_type, action, statement, undo, place, by_space) values
  ('post', 'hide', 'select private.set_post_hidden($1, true, $2)', 'unhide', 1,
   'select private.write_post_hidden($1, true, $2)'),
  ('post', 'unhide', 'select private.set_post_hidden($1, false, $2)', null, 1,
   'select private.write_post_hidden($1, false, $2)'),
  ('reply', 'hide', 'select private.set_reply_hidden($1, true, $2)', 'unhide', 1,
   'select private.write_reply_hidden($1, true, $2)'),
  ('reply', 'unhide', 'select private.set_reply_hidden($1, false, $2)', null, 1,
   'select private.write_reply_hidden($1, false, $2)');
insert into private.case_handlers (target_type, action, statement, undo, place) values
  ('post', 'remove', 'select api.remove_post($1, $2)', null, 2),
  ('user', 'warn', 'select private.warn_person($1, $2)', null, 8),
  ('user', 'limit', 'select api.limit_person($1::text, $2)', 'unlimit', 9),
  ('user', 'unlimit', 'select api.unlimit_person($1::text, $2)', null, 9),
  ('user', 'suspend', 'select api.ban_person($1::text, $2, $3)', 'unban', 9),
  ('user', 'ban', 'select api.ban_person($1::text, $2)', 'unban', 9),
  ('user', 'unban', 'select api.unban_person($1::text, $2)', null, 9);
insert into private.case_handlers (target_type, action, statement, undo, place)
select k.kind, a.action, format('select private.set_content_removed(%L, $1, %s, $2)', k.plural, a.removed), a.undo, 2
from (select kind, plural from private.content_kinds
      union all select kind, plural from private.content_child_kinds) k
cross join (values ('remove', 'true', 'restore'), ('restore', 'false', null)) a (action, removed, undo);

create function private.begin_case_work(p_case uuid, variadic p_actions text[]) returns app.cases
language plpgsql volatile security definer   -- staff may not read the registries
set search_path = ''
as $$
declare
  v_case   app.cases;
  v_action text;
  v_step   private.case_transitions;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.cases where id = p_case) then
    perform private.raise_error('case_unknown');
  end if;
  perform private.lock_case_work(p_case);
  select * into v_case from app.cases where id = p_case;
  foreach v_action in array p_actions loop
    select * into v_step from private.case_transitions where status = v_case.status and action = v_action;
    if not found then
      if exists (select from private.case_transitions where action = v_action) then
        perform private.raise_error('case_closed');
      end if;
      perform private.raise_error('case_action');
    end if;
    perform private.require_role(variadic v_step.roles);
    if v_case.person_id = app.uid() then
      perform private.raise_error('case_own');
    elsif 'claim' = any (v_step.needs) and v_case.claimed_by <> app.uid() and v_case.claimed_until > now() then
      perform private.raise_error('case_claimed');
    elsif 'person' = any (v_step.needs) and v_case.person_id is null then
      perform private.raise_error('case_person');
    end if;
  end loop;
  return v_case;
end $$;
comment on function private.begin_case_work is
  'Locks the work on a case and returns it, if its state, its claim and the caller''s role allow these actions.';

create function private.end_case_work(
  p_case uuid, p_kind text, p_note text default null, p_detail json default '{}', p_next text default 'open'
) returns json
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set updated_at = clock_timestamp(),
      claimed_until = case when claimed_by = app.uid() and claimed_until > now() then now() + interval '30 minutes'
                           else claimed_until end
  where id = p_case;
  perform private.add_case_event(p_case, p_kind, p_note, p_detail);
  if p_next = 'closed' then
    perform private.end_case(p_case, case p_kind when 'dismissed' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.' || p_kind, 'case', p_case::text);
  return private.staff_card('cases', p_case);
end $$;
comment on function private.end_case_work is
  'Ends a piece of work on a case: its audit entry and its history, and 30 more minutes for a claim of the caller. '
  'Returns the case.';

create function private.find_handler(p_case app.cases, p_action text) returns private.case_handlers
language plpgsql stable security definer   -- staff may not read the registry
set search_path = ''
as $$
declare
  v_handler private.case_handlers;
begin
  select * into v_handler from private.case_handlers
  where action = p_action and target_type in ((p_case).target_type, 'user')
  order by target_type = 'user' limit 1;
  return v_handler;
end $$;
comment on function private.find_handler is 'How an action is done in this case; null if it can''t be.';

create function private.check_actions(p_case app.cases, p_actions text[], p_until timestamptz) returns void
language plpgsql stable security definer   -- staff may not read the registries
set search_path = ''
as $$
declare
  v_needs text[];
begin
  if exists (select from unnest(p_actions) a
             where a <> 'dismiss' and (private.find_handler(p_case, a)).action is null) then
    perform private.raise_error('case_action');
  elsif cardinality(p_actions) not between 1 and 5
     or cardinality(p_actions) > (select count(distinct a) from unnest(p_actions) a)
     or 'dismiss' = any (p_actions) and cardinality(p_actions) > 1
     or (select count(*) from unnest(p_actions) a where (private.find_handler(p_case, a)).place = 9) > 1 then
    perform private.raise_error('case_actions');
  end if;
  v_needs := array(select unnest(needs) from private.case_transitions
                   where status = (p_case).status and action = any (p_actions));
  if ('until' = any (v_needs)) <> (p_until is not null)
     or p_until is not null and not private.is_ahead(p_until) then
    perform private.raise_error('case_until');
  end if;
  perform private.check_until(p_until);
end $$;
comment on function private.check_actions is
  'Checks that these actions can be done together in this case. Never: until_past.';

create function private.needs_reason(p_actions text[]) returns boolean
language plpgsql stable security definer   -- staff may not read the registry
set search_path = ''
as $$
begin
  return exists (select from private.case_transitions where action = any (p_actions) and 'reason' = any (needs));
end $$;
comment on function private.needs_reason is 'Whether one of these actions needs a reason.';

create function private.require_short(p_text text, p_most integer, p_code text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text := nullif(private.require_text(p_text), '');
begin
  if length(v_text) > p_most then
    perform private.raise_error(p_code);
  end if;
  return v_text;
end $$;
comment on function private.require_short is
  'Returns a text in the form in which it is stored, null if there is none; raises the code if it is longer.';

create function private.act_in_case(
  p_case app.cases, p_actions text[], p_reason text, p_category text, p_rule text, p_until timestamptz
) returns text
language plpgsql volatile security definer   -- the statements come from the registry; each checks the caller's role
set search_path = ''
as $$
declare
  v_handler private.case_handlers;
begin
  perform set_config('kith.case', json_build_object(
    'caseId', (p_case).id, 'category', coalesce(p_category, (p_case).category),
    'rule', coalesce(p_rule, (p_case).rule))::text, true);
  if exists (select from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
             where h.target_type = 'user') then
    -- before the locks of the thing, as a ban and an erasure take them
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
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
end $$;
comment on function private.act_in_case is
  'Does these actions in a case whose work is locked, and returns the state of the case after them. '
  'Fails: private.set_post_hidden, private.set_reply_hidden, api.remove_post, private.set_content_removed, '
  'private.warn_person, api.limit_person, api.ban_person. Never: until_past, limit_oneself, ban_oneself, '
  'content_kind, reason_length, text_unfit.';

create function private.set_case(p_case uuid, p_category text, p_rule text, p_priority integer) returns void
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set category = coalesce(p_category, category), rule = coalesce(p_rule, rule),
      priority = coalesce(p_priority, (select priority from private.case_categories
                                       where category = p_category), priority)
  where id = p_case;
end $$;
comment on function private.set_case is
  'Sets category, rule and priority of a case; null keeps one. A new category brings its priority.';

create function api.act_on_case(
  p_id uuid, p_actions text[], p_reason text default null, p_category text default null, p_rule text default null,
  p_until timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_rule   text;
  v_case   app.cases;
  v_next   text;
begin
  perform private.require_role('moderator', 'admin');
  v_reason := private.find_reason(p_reason);
  v_rule := private.require_short(p_rule, 300, 'case_rule');
  if p_category is not null then
    perform private.require_category(p_category);
  end if;
  v_case := private.begin_case_work(p_id, variadic coalesce(p_actions, '{}'));
  perform private.check_actions(v_case, coalesce(p_actions, '{}'), p_until);
  if v_reason is null and private.needs_reason(p_actions) then
    perform private.raise_error('case_reason');
  end if;
  v_next := private.act_in_case(v_case, p_actions, v_reason, p_category, v_rule, p_until);
  perform private.restart_lock_order();
  perform private.set_case(p_id, p_category, v_rule, null);
  return private.end_case_work(p_id, case p_actions when '{dismiss}' then 'dismissed' else 'acted' end, null,
                               json_build_object('actions', p_actions), v_next);
end $$;
comment on function api.act_on_case is
  'Does one or several things in a case, all or none: dismiss, warn, hide, unhide, remove, restore, limit, unlimit, '
  'suspend, ban, unban. Returns the case. The person concerned is notified and reads the reason at /me/standing. '
  'Leaves an audit entry for each.';

create function api.claim_case(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.begin_case_work(p_id, 'claim');
  perform private.set_claim(p_id, true);
  return private.end_case_work(p_id, 'claimed');
end $$;
comment on function api.claim_case is
  'Claims an open case for 30 minutes; each work on it by the caller begins them anew. Returns the case. Leaves an '
  'audit entry.';

create function private.set_claim(p_case uuid, p_claimed boolean) returns void
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set claimed_by = case when p_claimed then app.uid() end,
      claimed_until = case when p_claimed then now() + interval '30 minutes' end
  where id = p_case;
end $$;
comment on function private.set_claim is 'Claims a case for the caller, or ends any claim.';

create function api.release_case(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_case app.cases := private.begin_case_work(p_id, 'release');
begin
  if v_case.claimed_by is null then
    return private.staff_card('cases', p_id);
  elsif v_case.claimed_by <> app.uid() and v_case.claimed_until > now() then
    perform private.require_role('admin');
  end if;
  perform private.set_claim(p_id, false);
  return private.end_case_work(p_id, 'released');
end $$;
comment on function api.release_case is
  'Ends the caller''s claim of a case; an admin can end anybody''s. Returns the case. Repeating it changes nothing. '
  'Leaves an audit entry.';

create function api.add_case_note(p_id uuid, p_text text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_text text;
begin
  perform private.require_role('moderator', 'admin');
  v_text := private.require_short(p_text, 2000, 'case_note');
  if v_text is null then
    perform private.raise_error('case_note');
  end if;
  perform private.begin_case_work(p_id, 'note');
  return private.end_case_work(p_id, 'note', v_text);
end $$;
comment on function api.add_case_note is 'Adds a note for staff to a case. Returns the case. Leaves an audit entry.';

create function api.update_case(
  p_id uuid, p_category text default null, p_priority integer default null, p_rule text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rule text;
begin
  perform private.require_role('moderator', 'admin');
  v_rule := private.require_short(p_rule, 300, 'case_rule');
  if p_category is not null then
    perform private.require_category(p_category);
  end if;
  if p_priority not between 1 and 4 then
    perform private.raise_error('case_priority');
  end if;
  perform private.begin_case_work(p_id, 'change');
  perform private.set_case(p_id, p_category, v_rule, p_priority);
  return private.end_case_work(p_id, 'changed', null,
                               json_build_object('category', p_category, 'priority', p_priority));
end $$;
comment on function api.update_case is
  'Changes category, priority and rule of an open case. Returns the case. Leaves an audit entry.';

create function private.add_case_proposal(
  p_case uuid, p_actions text[], p_reason text, p_until timestamptz
) returns uuid
language plpgsql volatile security definer   -- staff may not write proposals directly
set search_path = ''
as $$
declare
  v_id uuid;
begin
  if exists (select from private.case_transitions t
             where t.status = 'open' and t.action = any (p_actions) and 'moderator' = any (t.roles)) then
    perform private.raise_error('proposal_actions');
  end if;
  insert into app.case_proposals (case_id, actions, reason, until, proposed_by)
  values (p_case, p_actions, p_reason, p_until, app.uid())
  on conflict (case_id) where status = 'open' do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('case_proposal_open');
  end if;
  return v_id;
end $$;
comment on function private.add_case_proposal is 'Adds a proposal of the caller to a case.';

create function api.propose_in_case(
  p_id uuid, p_actions text[], p_reason text, p_until timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_case   app.cases;
begin
  perform private.require_role('moderator', 'admin');
  v_reason := private.find_reason(p_reason);
  if v_reason is null then
    perform private.raise_error('case_reason');
  end if;
  v_case := private.begin_case_work(p_id, 'propose');
  perform private.check_actions(v_case, coalesce(p_actions, '{}'), p_until);
  return private.end_case_work(p_id, 'proposed', null, json_build_object(
    'proposalId', private.add_case_proposal(p_id, p_actions, v_reason, p_until), 'actions', p_actions));
end $$;
comment on function api.propose_in_case is
  'Proposes in a case what only an admin may do. Returns the case. Leaves an audit entry.';

create function private.settle_case_proposal(p_case uuid, p_id uuid, p_status text) returns app.case_proposals
language plpgsql volatile security definer   -- staff may not write proposals directly
set search_path = ''
as $$
declare
  v_proposal app.case_proposals;
begin
  update app.case_proposals set status = p_status, settled_by = app.uid(), settled_at = now()
  where case_id = p_case and (p_id is null or id = p_id) and status = 'open'
  returning * into v_proposal;
  if p_id is not null and v_proposal.id is null then
    perform private.raise_error('case_proposal_unknown');
  end if;
  return v_proposal;
end $$;
comment on function private.settle_case_proposal is
  'Accepts or declines an open proposal of a case; without an id the one that there may be.';

create function api.accept_case_proposal(p_id uuid, p_proposal_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_case     app.cases := private.begin_case_work(p_id, 'accept');
  v_proposal app.case_proposals := private.settle_case_proposal(p_id, p_proposal_id, 'accepted');
  v_next     text;
begin
  perform private.begin_case_work(p_id, variadic v_proposal.actions);
  perform private.check_actions(v_case, v_proposal.actions, v_proposal.until);
  v_next := private.act_in_case(v_case, v_proposal.actions, v_proposal.reason, null, null, v_proposal.until);
  perform private.restart_lock_order();
  return private.end_case_work(p_id, 'accepted', null, json_build_object(
    'proposalId', p_proposal_id, 'actions', v_proposal.actions), v_next);
end $$;
comment on function api.accept_case_proposal is
  'Does what was proposed in a case, with the reason of the proposal. Returns the case. Leaves an audit entry for '
  'each action.';

create function api.decline_case_proposal(p_id uuid, p_proposal_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.begin_case_work(p_id, 'decline');
  perform private.settle_case_proposal(p_id, p_proposal_id, 'declined');
  return private.end_case_work(p_id, 'declined', null, json_build_object('proposalId', p_proposal_id));
end $$;
comment on function api.decline_case_proposal is
  'Declines a proposal in a case. Returns the case. Leaves an audit entry.';
