-- What staff decided about a person. A decision is written together with its audit entry. An action in a case causes
-- the decision, or an operation of sql/admin that has no case. docs/decisions.md, Staff.

create table private.decision_kinds (
  verb   text primary key check (verb ~ '^[a-z]+$'),
  action text not null check (action in ('warn', 'hide', 'remove', 'limit', 'suspend', 'ban')),
  lifts  boolean not null default false
);
comment on table private.decision_kinds is
  'Registry: the audit entries about a person (action = <type>.<verb>) that are decisions, or that end decisions.';
comment on column private.decision_kinds.lifts is
  'Whether the entry ends earlier decisions with this action; otherwise it is a decision.';
insert into private.decision_kinds (verb, action, lifts) values
  ('warned', 'warn', false),
  ('hidden', 'hide', false),
  ('unhidden', 'hide', true),
  ('deleted', 'remove', false),
  ('removed', 'remove', false),
  ('restored', 'remove', true),
  ('limited', 'limit', false),
  ('unlimited', 'limit', true),
  ('banned', 'ban', false),
  ('suspended', 'suspend', false),
  ('unbanned', 'ban', true);

create table app.decisions (
  id            uuid primary key default gen_random_uuid(),
  case_id       uuid references app.cases on delete restrict,
  target_type   text not null,
  target_id     uuid not null,
  person_id     uuid not null references app.users on delete restrict,
  action        text not null check (action in ('warn', 'hide', 'remove', 'limit', 'suspend', 'ban')),
  category      text not null default 'other' references private.case_categories on delete restrict,
  rule          text check (length(rule) <= 300),
  reason        text not null default '' check (length(reason) <= 1000),
  decided_by    uuid references app.users on delete restrict,
  decided_at    timestamptz not null default clock_timestamp(),
  ends_at       timestamptz,
  audit_id      bigint not null references app.audit_log on delete restrict,
  lifted_at     timestamptz,
  overturned_at timestamptz,
  space_id      uuid references app.spaces on delete restrict,
  continues     uuid references app.decisions on delete restrict
);
create unique index decisions_audit_id_idx on app.decisions (audit_id);
create index decisions_case_id_idx on app.decisions (case_id, decided_at);
create index decisions_person_id_idx on app.decisions (person_id, decided_at desc, id desc);
create index decisions_target_idx on app.decisions (target_type, target_id) where lifted_at is null;
create index decisions_category_idx on app.decisions (category);
create index decisions_decided_by_idx on app.decisions (decided_by, decided_at);
create index decisions_continues_idx on app.decisions (continues) where continues is not null;
create index decisions_space_id_idx on app.decisions (space_id) where space_id is not null;
comment on table app.decisions is
  'What staff, or one of its rules, decided about a person. The person reads all of it except who decided. An erasure '
  'empties the texts.';
comment on column app.decisions.target_type is
  'The type of the person''s thing that the decision is about, or `user`.';
comment on column app.decisions.action is '`suspend` is a ban that ends by itself at ends_at.';
comment on column app.decisions.decided_at is 'When the decision was made. Its strikes count from this time on.';
comment on column app.decisions.ends_at is 'When the decision ends by itself; null if it does not.';
comment on column app.decisions.decided_by is
  'The member of staff; null for a rule. The person never learns who it was.';
comment on column app.decisions.audit_id is 'The entry of the audit log.';
comment on column app.decisions.lifted_at is
  'When the effect ended, because staff ended it, it expired, staff hid what a rule or a space had hidden, or '
  'another ban or suspension replaced it. The strikes remain.';
comment on column app.decisions.overturned_at is
  'When an appeal overturned the decision; null if none did. An overturned decision counts no strikes.';
comment on column app.decisions.space_id is
  'The group or guild whose owner or a moderator made the decision, which then counts no strikes; null if staff made '
  'it.';

comment on column app.decisions.continues is
  'If staff moved the end of a suspension without a case, this decision has the new end, and the column has the '
  'first decision, which began the suspension. Null for any other decision.';

insert into private.event_types (name, payload, happens) values
  ('moderation.decided', '{decisionId,personId,action}', 'staff has warned, limited, suspended or banned a person');

create function private.record_decision() returns trigger
language plpgsql security definer   -- callers may not write decisions
set search_path = ''
as $$
declare
  v_entry  app.audit_log;
  v_kind   private.decision_kinds;
  v_work   json := nullif(current_setting('kith.case', true), '')::json;
  v_case   app.cases;
  v_action text;
  v_id     uuid;
  v_first  uuid;
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
    elsif v_action in ('ban', 'suspend') then
      if v_action = 'suspend' and v_case.id is null then
        select coalesce(d.continues, d.id) into v_first from app.decisions d
        where d.target_type = 'user' and d.target_id = v_entry.target_id::uuid and d.lifted_at is null
          and d.action = 'suspend'
        order by d.decided_at desc limit 1;
      end if;
      -- a ban has one end, which the newest decision sets
      update app.decisions set lifted_at = now()
      where target_type = 'user' and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('ban', 'suspend');
    end if;
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id, space_id, continues)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id, (v_work ->> 'spaceId')::uuid, v_first)
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
end $$;
comment on function private.record_decision is
  'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of a case. '
  'This is the case in the setting kith.case, {caseId, category, rule, spaceId}. If the setting is empty, it is the '
  'open case of the entry''s target. If staff hides or removes a thing, the decisions of rules and spaces about it '
  'are lifted. A new ban or suspension lifts the earlier ban or suspension, so only the new end applies.';
create trigger _100_record_decision after insert on app.audit_details
  for each row when (new.subject_id is not null) execute function private.record_decision();

create function private.notify_decided(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the notification has no actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, 'decision', e.payload ->> 'decisionId',
            jsonb_build_object('targetType', 'decision', 'targetId', e.payload ->> 'decisionId',
                               'action', e.payload ->> 'action', 'appealPath', private.appeal_path(d, false)),
            null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.decisions d on d.id = (e.payload ->> 'decisionId')::uuid));
end $$;
comment on function private.notify_decided is
  'Listener: notifies a person that they were warned, limited, suspended or banned. They read the reason at '
  '/me/standing.';
insert into private.event_listeners (event, listener, position, timing) values
  ('moderation.decided', 'private.notify_decided', 600, 'soon');
insert into private.links (type, path) values ('decision', '/me/standing');

insert into app.settings (key, value) values ('strike_days', '90');

create function private.strikes_since() returns timestamptz
language plpgsql stable security definer   -- works for callers who may not read settings
set search_path = ''
as $$
begin
  return now() - (select value::integer from app.settings where key = 'strike_days') * interval '1 day';
end $$;
comment on function private.strikes_since is
  'The time before which decisions count no strikes. The setting strike_days is the number of days.';

create function private.counts_strikes(p_decision app.decisions) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return (p_decision).overturned_at is null and (p_decision).space_id is null and (p_decision).decided_by is not null;
end $$;
comment on function private.counts_strikes is
  'Returns whether a decision counts strikes. A decision that was overturned, or that a space or a rule made, counts '
  'none.';

create function private.count_strikes(p_person uuid) returns integer
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
begin
  return (select coalesce(sum(s.strikes), 0)
          from (select max(c.strikes) as strikes
                from (select * from app.decisions d
                      where d.person_id = p_person and d.decided_at > private.strikes_since()
                      order by d.decided_at desc limit 400) d
                join private.case_categories c on c.category = d.category
                left join app.decisions f on f.id = d.continues
                where private.counts_strikes(d)
                group by coalesce(d.case_id, f.case_id, f.id, d.id)) s);
end $$;
comment on function private.count_strikes is
  'The strikes of a person that have not lapsed. Each case counts the strikes of its category once, however many '
  'actions were taken in it (private.counts_strikes). A suspension also counts its strikes once, however often its '
  'end was moved. Strikes have no effect; they only inform staff. The function reads the newest 400 decisions.';
call private.force_index_scans('private.count_strikes');

create function private.decision_card(p_decision app.decisions) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', (p_decision).id, 'caseId', (p_decision).case_id, 'targetType', (p_decision).target_type,
    'targetId', (p_decision).target_id, 'action', (p_decision).action, 'category', (p_decision).category,
    'rule', (p_decision).rule, 'reason', (p_decision).reason, 'decidedById', (p_decision).decided_by,
    'endsAt', private.utc((p_decision).ends_at), 'liftedAt', private.utc((p_decision).lifted_at),
    'overturnedAt', private.utc((p_decision).overturned_at), 'createdAt', private.utc((p_decision).decided_at));
end $$;
comment on function private.decision_card is 'A decision as staff sees it.';

create function private.staff_decision_cards(p_person uuid) returns json
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(private.decision_card(d) order by d.decided_at desc, d.id desc), '[]')
    from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 50) d);
end $$;
comment on function private.staff_decision_cards is 'The newest 50 decisions about a person as staff sees them.';
call private.force_index_scans('private.staff_decision_cards');
