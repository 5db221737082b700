-- Domain events say what happened; registries say which functions are called for each type. `npm run gen` writes
-- sql/EVENTS.md from them.

create table private.event_types (
  name    text primary key check (name ~ '^[a-z_]+(\.[a-z_]+)+$'),
  payload text[] not null,
  happens text not null
);
comment on table private.event_types is
  'Registry: the domain events.';
comment on column private.event_types.payload is
  'The fields of the payload: ids, numbers and short codes. All of them are always present.';
comment on column private.event_types.happens is
  'When the event is emitted, as the end of a sentence that begins with "Emitted when".';

create table private.event_listeners (
  event    text not null references private.event_types on delete cascade,
  listener text not null check (listener ~ '^private\.[a-z_]+$'),
  position integer not null check (position between 100 and 999),
  timing   text not null default 'at once' check (timing in ('at once', 'soon')),
  primary key (event, listener),
  constraint event_listeners_position_key unique (event, position)
);
comment on table private.event_listeners is
  'Registry: the functions that are called when an event is emitted.';
comment on column private.event_listeners.position is
  'The order among the listeners of an event. It follows the order of locks (ARCHITECTURE.md, Locks): 200 feed, 300 '
  'reputation, 400 contribution, 500 listeners that emit further events, 600 notifications, 700 Realtime.';
comment on column private.event_listeners.timing is
  '"at once" means in the transaction that emits the event, which fails if the listener fails; the function takes '
  'the payload (jsonb) and returns void. "soon" means within a second, as an effect (56_effects.sql); the function '
  'takes many effects (private.effects[]) and returns void.';

create table app.domain_events (
  id         bigint generated always as identity primary key,
  name       text not null check (name ~ '^[a-z_]+(\.[a-z_]+)+$'),
  payload    jsonb not null,
  created_at timestamptz not null default now()
-- the default fill factor takes 18 % more space: docs/scale.md, Growth
) with (autovacuum_vacuum_scale_factor = 0.05);
create index domain_events_created_at_idx on app.domain_events (created_at);
comment on table app.domain_events is
  'The outbox: what happened, written by the transaction that caused it. private.emit writes a row and calls the '
  'listeners of private.event_listeners.';

create function private.dispatch_event(p_event text, p_payload jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$ begin end $$;
comment on function private.dispatch_event is
  'Calls the listeners of an event that are registered ''at once'', by position. `npm run gen` writes its body from '
  'private.event_listeners (sql/generated/20_listeners.sql), because a call by a name from a table would be planned '
  'each time.';

create function private.emit(p_name text, p_payload json, p_people uuid[] default '{}') returns void
language plpgsql volatile security definer   -- callers may not write the outbox, and listeners write for other people
set search_path = ''
as $$
declare
  v_payload jsonb := p_payload;
  v_id      bigint;
begin
  insert into app.domain_events (name, payload) values (p_name, v_payload) returning id into v_id;
  insert into private.unlogged_events (event_id)
  select v_id where exists (select from private.outbound_events o where o.event = p_name);
  perform private.add_effects(p_name, v_payload, p_people, v_id);
  perform private.dispatch_event(p_name, v_payload);
end $$;
comment on function private.emit is
  'Records a domain event, notes it for the event log if it is in private.outbound_events, adds an effect for each '
  'of these people, and calls the listeners registered ''at once'', one after the other. If a listener emits an '
  'event, the listeners of that event run before the next listener.';
