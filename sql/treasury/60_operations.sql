-- The operations of treasuries. Operations that move mana take an Idempotency-Key.

create function api.get_treasury(p_guild_id text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.read_treasury(p_guild_id, p_limit, p_cursor);
end $$;
comment on function api.get_treasury is 'The treasury of a guild.';

insert into private.operations_of_people (operation) values ('contribute');

create function api.contribute(p_guild_id text, p_amount integer, p_note text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('contribute', json_build_array(p_guild_id, p_amount, p_note));
begin
  return coalesce(v_kept, private.finish_idempotent('contribute', private.contribute(p_guild_id, p_amount, p_note)));
end $$;
comment on function api.contribute is
  'The caller contributes mana to the treasury of their guild. Takes an Idempotency-Key.';

insert into private.operations_of_people (operation) values ('disburse');

create function api.disburse(p_guild_id text, p_recipient_id text, p_amount integer, p_note text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('disburse', json_build_array(p_guild_id, p_recipient_id, p_amount, p_note));
begin
  return coalesce(v_kept, private.finish_idempotent(
    'disburse', private.disburse(p_guild_id, p_recipient_id, p_amount, p_note)));
end $$;
comment on function api.disburse is
  'The caller pays mana from the treasury of their guild to somebody. Takes an Idempotency-Key.';

insert into private.operations_of_people (operation) values ('distribute');

create function api.distribute(p_guild_id text, p_amount integer, p_note text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('distribute', json_build_array(p_guild_id, p_amount, p_note));
begin
  return coalesce(v_kept, private.finish_idempotent('distribute', private.distribute(p_guild_id, p_amount, p_note)));
end $$;
comment on function api.distribute is
  'The caller distributes mana from the treasury of their guild to its members, by contribution. Takes an '
  'Idempotency-Key.';
