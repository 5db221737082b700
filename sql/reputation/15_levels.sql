-- The levels of reputation. A person is notified of each level once. docs/decisions.md, Reputation.

insert into private.event_types (name, payload, happens) values
  ('reputation.level_reached', '{userId,interestId,level}',
   'a person reaches a level in an interest for the first time');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('reputation.level_reached', 'person', 'userId', '{interestId,level}', '{userId}');

create function private.level_minimums() returns numeric[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array[0, 10, 30, 50, 70, 90]::numeric[];
end $$;
comment on function private.level_minimums is 'The minimum value of each level, from Curious to Lifework.';

create function private.level_rank(p_value numeric) returns smallint
language plpgsql immutable
set search_path = ''
as $$
begin
  return greatest(width_bucket(p_value, private.level_minimums()) - 1, 0);   -- a value below 0 is also Curious
end $$;
comment on function private.level_rank is 'The level that a value has reached, from 0 (Curious) to 5 (Lifework).';

create function private.level_name(p_rank integer) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (array['Curious', 'Reader', 'Practitioner', 'Adept', 'Master', 'Lifework'])[p_rank + 1];
end $$;
comment on function private.level_name is 'The name of a level; null above the last level.';

create function private.reputation_level(p_value numeric) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return private.level_name(private.level_rank(p_value));
end $$;
comment on function private.reputation_level is 'The name of the level that a value has reached.';

create function private.next_level(p_value numeric) returns json
language plpgsql immutable
set search_path = ''
as $$
declare
  v_next integer := private.level_rank(p_value) + 1;
begin
  return case when private.level_name(v_next) is not null then
    json_build_object('level', private.level_name(v_next), 'minValue', (private.level_minimums())[v_next + 1]) end;
end $$;
comment on function private.next_level is 'The level above a value: {level, minValue}; null for Lifework.';

create function private.reach_level() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.highest_level := greatest(new.highest_level, private.level_rank(new.value));
  return new;
end $$;
comment on function private.reach_level is 'Trigger: updates app.reputation.highest_level.';
create trigger reach_level before insert or update of value on app.reputation
  for each row execute function private.reach_level();

create function private.announce_level() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.emit('reputation.level_reached', json_build_object(
    'userId', new.user_id, 'interestId', new.interest_id, 'level', private.level_name(new.highest_level)),
    array[new.user_id]);
  return null;
end $$;
comment on function private.announce_level is
  'Trigger: emits an event when a person reaches a higher level in an interest than ever before. If the person '
  'rises several levels at once, the event names the highest.';
create trigger announce_first_level after insert on app.reputation
  for each row when (new.highest_level > 0) execute function private.announce_level();
create trigger announce_level after update of value on app.reputation
  for each row when (new.highest_level > old.highest_level) execute function private.announce_level();
