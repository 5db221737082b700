-- Effects are the consequences of an event for people other than the person who caused it: reputation, contribution,
-- notifications, Realtime. They may follow a moment later. The transaction of an event adds a row for each person whom
-- the event concerns. The worker applies the pending effects of many people together, those of each person in order,
-- by calling the listeners with timing 'soon' in private.event_listeners. A function that shows such data, or decides
-- by it, first applies the pending effects. docs/decisions.md, Effects.

create table private.effects (
  user_id   uuid not null,
  id        bigint not null generated always as identity,
  event     text not null,
  payload   jsonb not null,
  caused_at timestamptz not null default now(),
  event_id  bigint,
  trace_id  uuid,
  primary key (user_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);   -- each row exists for a moment only
comment on table private.effects is
  'Effects that are not applied yet, one row per event and person. A row is deleted only when it is applied. There '
  'is no foreign key, because it would lock each person who is notified.';
comment on column private.effects.id is
  'The order of a person''s effects. An effect that depends on another has the higher id: its event happened after '
  'the other was committed, or under the same lock.';
comment on column private.effects.caused_at is
  'When the transaction of the cause began. Notifications and ledger entries get this time.';
comment on column private.effects.event_id is
  'The event in app.domain_events; null if a batch of the worker added the effect.';
comment on column private.effects.trace_id is
  'The trace of the request that caused the effect, so that the log can name it.';

create table private.stuck_effects (
  user_id   uuid primary key,
  effect_id bigint not null,
  event     text not null,
  event_id  bigint,
  listener  text,
  attempts  integer not null,
  retry_at  timestamptz not null,
  failed_at timestamptz not null,
  message   text not null,
  context   text not null
);
comment on table private.stuck_effects is
  'The first effect of each person that could not be applied, which only a bug can cause. Later effects of that '
  'person wait for it; those of other people do not.';
comment on column private.stuck_effects.effect_id is 'The effect in private.effects, which has the payload.';
comment on column private.stuck_effects.event_id is
  'The event in app.domain_events; null if a batch of the worker added the effect.';
comment on column private.stuck_effects.listener is
  'The listener that failed; null if the failure came before the first listener.';
comment on column private.stuck_effects.attempts is 'The number of times that this effect was tried.';
comment on column private.stuck_effects.message is 'SQLSTATE and message of the last error.';
comment on column private.stuck_effects.context is
  'The functions that were running, innermost first, each with its line. SQL text and data are left out, because '
  'they could contain what people wrote.';
comment on column private.stuck_effects.retry_at is
  'When the worker tries again: after 5 seconds, then after twice as long each time, up to an hour.';
comment on column private.stuck_effects.failed_at is 'When the effect last failed.';

insert into private.lock_kinds (kind, position) values ('effects', 600);

create function private.add_effects(
  p_event text, p_payload jsonb, p_people uuid[], p_event_id bigint default null
) returns void
language plpgsql volatile security definer   -- effects are for people other than the caller
set search_path = ''
as $$
declare
  v_trace uuid;
begin
  if p_people = '{}' then
    return;
  end if;
  v_trace := substring(private.traceparent() from 4 for 32)::uuid;
  insert into private.effects (user_id, event, payload, event_id, trace_id)
  select distinct p.id, p_event, p_payload, p_event_id, v_trace
  from unnest(p_people) as p (id)
  where p.id is not null
    and exists (select from private.event_listeners l where l.event = p_event and l.timing = 'soon');
end $$;
comment on function private.add_effects is
  'Adds an effect of an event for each of these people, ignoring nulls, if the event has a listener with timing '
  '''soon''.';

create function private.effects_key(p_person uuid) returns bigint
language plpgsql immutable
set search_path = ''
as $$
begin
  return hashtextextended('effects ' || p_person, 0);
end $$;
comment on function private.effects_key is
  'The key of a person''s lock of the kind effects, for callers that try to take the lock without waiting.';

create function private.is_stuck(p_person uuid) returns boolean
language plpgsql stable security definer   -- callers may not read who is stuck
set search_path = ''
as $$
begin
  return exists (select from private.stuck_effects s where s.user_id = p_person and s.retry_at > now());
end $$;
comment on function private.is_stuck is 'Returns whether effects of a person failed and are not yet due for a retry.';

create function private.apply_effects_of(p_people uuid[], p_most integer default 1000) returns integer
language plpgsql volatile security definer   -- listeners write for other people
set search_path = ''
as $$
declare
  v_effects  private.effects[];
  v_listener text;
  v_heard    private.effects[];
  v_applied  integer := 0;
begin
  -- further rounds apply the effects of events that the listeners emit, such as a reached level; these concern the
  -- same people
  for v_round in 1..3 loop
    with due as (
      select e.user_id, e.id from private.effects e
      where e.user_id = any (p_people)
      order by e.user_id, e.id limit p_most
    ), taken as (
      delete from private.effects e using due d where e.user_id = d.user_id and e.id = d.id returning e.*
    )
    select array_agg(t order by t.id) into v_effects from taken t;
    exit when v_effects is null;
    for v_listener, v_heard in
      select l.listener, array_agg(e order by e.id)
      from unnest(v_effects) e join private.event_listeners l on l.event = e.event
      where l.timing = 'soon'
      group by l.listener
      order by min(l.position), l.listener
    loop
      execute format('select %s($1)', v_listener) using v_heard;   -- the name is from the registry
    end loop;
    v_applied := v_applied + cardinality(v_effects);
  end loop;
  return v_applied;
end $$;
comment on function private.apply_effects_of is
  'Applies the pending effects of these people, up to p_most per round, and the effects that follow from them. '
  'Returns the number of applied effects. The caller must take the locks first (private.effects_key).';

create function private.lock_effects(variadic p_people uuid[]) returns void
language plpgsql volatile security definer   -- applies effects of people other than the caller
set search_path = ''
as $$
declare
  v_person uuid;
begin
  perform private.lock('effects', variadic p_people::text[]);
  -- apply the effects of one person at a time, because an error with one person must not affect the others
  foreach v_person in array p_people loop
    begin
      for v_round in 1..4 loop
        exit when private.is_stuck(v_person) or private.apply_effects_of(array[v_person]) = 0;
      end loop;
    exception when others then
      -- the worker will get the same error, and will record it in private.stuck_effects
      raise warning 'effects could not be applied: % %', sqlstate, sqlerrm;
    end;
  end loop;
end $$;
comment on function private.lock_effects is
  'For functions that decide by ledgers or notifications: locks the ledgers and notifications of these people, and '
  'applies their pending effects, up to four times as many as private.apply_effects_of. Until the transaction ends, '
  'no other transaction can write these ledgers and notifications. Entries that the calling function writes come '
  'after those of the effects. ARCHITECTURE.md, Locks.';

create function private.catch_up(variadic p_people uuid[]) returns void
language plpgsql volatile security definer   -- callers may not read effects
set search_path = ''
as $$
declare
  v_timeout text := current_setting('lock_timeout');
  v_person  uuid;
begin
  for v_person in
    select p.id from unnest(p_people) as p (id)
    where exists (select from private.effects e where e.user_id = p.id) and not private.is_stuck(p.id)
      and current_setting('transaction_read_only') = 'off'   -- a read-only GET of PostgREST cannot apply effects
    order by private.effects_key(p.id)
  loop
    begin
      perform set_config('lock_timeout', '1s', true);
      perform private.lock('effects', v_person::text);
      perform private.apply_effects_of(array[v_person], 300);
      perform set_config('lock_timeout', v_timeout, true);
    exception when others or query_canceled then
      raise warning 'effects could not be applied: % %', sqlstate, sqlerrm;
    end;
  end loop;
end $$;
comment on function private.catch_up is
  'For functions that show reputation or notifications: applies the pending effects of these people, so that what '
  'is shown is up to date. It never fails and never delays a request for long. It applies up to 300 effects and the '
  'effects that follow from them, and waits up to a second for a lock that another transaction has.';

create function private.apply_one_by_one(p_person uuid, p_until timestamptz) returns integer
language plpgsql volatile security definer   -- listeners write for other people
set search_path = ''
as $$
declare
  v_effect   private.effects;
  v_listener text;
  v_context  text;
  v_applied  integer := 0;
begin
  while clock_timestamp() < p_until loop
    begin
      v_listener := null;
      delete from private.effects e
      where e.user_id = p_person
        and e.id = (select o.id from private.effects o where o.user_id = p_person order by o.id limit 1)
      returning e.* into v_effect;
      if not found then
        delete from private.stuck_effects s where s.user_id = p_person;
        return v_applied;
      end if;
      for v_listener in
        select l.listener from private.event_listeners l
        where l.event = v_effect.event and l.timing = 'soon' order by l.position
      loop
        execute format('select %s($1)', v_listener) using array[v_effect];   -- the name is from the registry
      end loop;
      v_applied := v_applied + 1;
    exception when others then
      get stacked diagnostics v_context = pg_exception_context;
      insert into private.stuck_effects as s
        (user_id, effect_id, event, event_id, listener, attempts, retry_at, failed_at, message, context)
      values
        (p_person, v_effect.id, v_effect.event, v_effect.event_id, v_listener, 1,
         clock_timestamp() + interval '5 seconds', clock_timestamp(), sqlstate || ' ' || sqlerrm,
         -- keep only these lines, because the others contain SQL with its literals, or invalid data
         array_to_string(array(select f.line[1] from regexp_matches(
           v_context, '^((?:PL/pgSQL|SQL) function .*)$', 'gn') f (line)), e'\n'))
      on conflict (user_id) do update
        set effect_id = excluded.effect_id, event = excluded.event, event_id = excluded.event_id,
            listener = excluded.listener, failed_at = excluded.failed_at, message = excluded.message,
            context = excluded.context,
            attempts = case when s.effect_id = excluded.effect_id then s.attempts + 1 else 1 end,
            retry_at = clock_timestamp() + case when s.effect_id = excluded.effect_id
              then least(interval '5 seconds' * 2 ^ least(s.attempts, 10), interval '1 hour')
              else interval '5 seconds' end;
      return v_applied;
    end;
  end loop;
  return v_applied;
end $$;
comment on function private.apply_one_by_one is
  'Applies the pending effects of a person one by one, until one fails or the time is over. Returns the number of '
  'applied effects. It records the effect that fails in private.stuck_effects. The caller must take the lock first '
  '(private.effects_key).';

create function private.apply_effects(p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_after   uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_people  uuid[];
  v_person  uuid;
  v_full    boolean;
  v_next    uuid;
  v_failed  uuid[] := '{}';
  v_applied integer := 0;
  v_until   timestamptz := clock_timestamp() + interval '20 seconds';
begin
  -- wait only briefly, because other transactions wait for the locks of this transaction meanwhile
  perform set_config('lock_timeout', '1s', true);
  delete from private.stuck_effects s
  where s.retry_at <= now() and not exists (select from private.effects e where e.user_id = s.user_id);
  -- the people of the next 500 effects, after the people of the previous call, so that everybody gets their turn
  select array_agg(distinct w.user_id), count(*) = 500 into v_people, v_full
  from (select e.user_id from private.effects e
        where e.user_id > v_after
          and not exists (select from private.stuck_effects s where s.user_id = e.user_id and s.retry_at > now())
        order by e.user_id, e.id limit 500) w;
  if v_people is null then
    return json_build_object('applied', 0, 'failed', 0, 'next', null, 'stuck', '[]'::json);
  end if;
  if v_full then
    v_next := v_people[cardinality(v_people)];
  end if;
  -- skips people whose lock another transaction has. Their effects are read again, under the lock
  v_people := array(select p.id from unnest(v_people) as p (id)
                    where pg_try_advisory_xact_lock(private.effects_key(p.id)));
  begin
    v_applied := private.apply_effects_of(v_people);
    delete from private.stuck_effects s where s.user_id = any (v_people);
  exception when others or query_canceled then
    foreach v_person in array v_people loop
      exit when clock_timestamp() > v_until;
      begin
        v_applied := v_applied + private.apply_effects_of(array[v_person]);
        delete from private.stuck_effects s where s.user_id = v_person;
      exception when others then
        v_applied := v_applied + private.apply_one_by_one(v_person, v_until);
        if private.is_stuck(v_person) then
          v_failed := v_failed || v_person;
        end if;
      end;
    end loop;
  end;
  return json_build_object(
    'applied', v_applied, 'failed', cardinality(v_failed), 'next', v_next,
    'stuck', coalesce((
      select json_agg(json_build_object(
               'person', s.user_id, 'event', s.event, 'eventId', s.event_id, 'effectId', s.effect_id,
               'listener', s.listener, 'sqlstate', left(s.message, 5), 'context', s.context,
               'trace_id', replace(e.trace_id::text, '-', '')))
      from private.stuck_effects s
      left join private.effects e on e.user_id = s.user_id and e.id = s.effect_id
      where s.user_id = any (v_failed) and s.attempts = 1), '[]'));
end $$;
comment on function private.apply_effects is
  'For the worker alone: in one transaction, applies the pending effects of the people who have the next 500 '
  'effects after p_after, and the effects that follow from them. Several workers may call it at once: it skips '
  'people whose effects another worker applies. Returns {applied, failed, next, stuck: [{person, event, eventId, '
  'effectId, listener, sqlstate, context, trace_id}]}: failed is the number of people, stuck has the effects that '
  'failed for the first time, and next is the p_after of the next call, or null at the end.';
