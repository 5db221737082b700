-- Guilds: who can found one, that nobody can bypass the operations, who isn't counted, and erasures.
begin;
select plan(24);
select test.people('alice', 'bob', 'carla', 'dora');
update app.users set role = 'admin' where id = test.id('alice');

create function pg_temp.found(p_name text) returns json language sql as $$
  select api.create_guild(p_name, (select id from app.interests where level = 1 order by slug limit 1), p_slug => p_name) $$;
create function pg_temp.let_in(p_name text, p_user text) returns void language plpgsql as $$
begin
  perform test.act_as(p_user);
  perform api.apply_to_guild(p_name);
  perform test.act_as('alice');
  perform api.settle_space_request('guild', p_name, (select (i ->> 'id')::uuid from json_array_elements(api.list_space_requests('guild', p_name) -> 'items') i), true);
end $$;
create function pg_temp.who(p_name text) returns text language sql stable as $$
  select coalesce(string_agg(concat_ws(' ', i #>> '{user,username}', i ->> 'role'), ', '), '')
  from json_array_elements(api.list_space_members('guild', p_name) -> 'items') i $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
select throws_ok($$ select pg_temp.found('owls') $$, 'PT403', 'guild_not_allowed', 'A person without the capability can''t found a guild');
select test.act_as('alice');
select is(pg_temp.found('owls') ->> 'treasuryBalance', '0', 'An admin can found a guild, and its treasury is empty');
select throws_ok($$ select api.create_guild('x', null) $$, 'PT404', 'interest_unknown', 'A guild needs an interest');
select throws_ok($$ select api.create_guild('x', (select id from app.interests limit 1), p_min_rep => 1001) $$, 'PT422', 'guild_min_rep', 'A minimum reputation that nobody can have is refused');
select throws_ok($$ select api.update_guild('owls', '{"minRep": -1}') $$, 'PT422', 'guild_min_rep', 'A negative minimum reputation is refused in a change too');
select throws_ok($$ select api.create_guild('x', (select id from app.interests limit 1), p_charter => repeat('é', 20001)) $$, 'PT422', 'guild_charter', 'A charter of more than 20,000 characters is refused');
select is(api.update_guild('owls', '{"visibility": "private", "joinPolicy": "open", "interestId": null, "about": "Birds"}') ->> 'about', 'Birds', 'The founder can change the description');
select is((select visibility || ' ' || join_policy || ' ' || (interest_id is not null) from app.spaces where slug = 'owls'), 'public request true', 'The founder can''t change visibility, join policy or interest');
select throws_ok(format('select api.%s', o), 'PT404', 'space_unknown', 'A guild isn''t a group: ' || o)
from unnest(array['get_space(''group'', ''owls'')', 'join_group(''owls'')', 'archive_group(''owls'')']) o;
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['select * from app.guilds', 'update app.guilds set min_rep = 0', 'select * from app.guild_charters', 'delete from app.guild_charters']) s;

select pg_temp.let_in('owls', 'bob'), pg_temp.let_in('owls', 'carla'), pg_temp.let_in('owls', 'dora');
select is(pg_temp.who('owls'), 'alice founder, bob member, carla member, dora member', 'An approved applicant is a member');
select throws_ok($$ select api.hand_over_guild('owls', 'bob', 'steward') $$, 'PT422', 'value_invalid', 'Roles other than the founder''s change only by proposals');
select is(api.hand_over_guild('owls', 'bob', 'founder') ->> 'role', 'founder', 'The founder can hand over the guild');
select test.act_as('carla');
select is(api.get_space('guild', 'owls') ->> 'stewardCount', '1', 'A founder who handed over is a steward');
select is(api.block_person('alice') ->> 'blocked', 'true', 'A member can block the steward');
select is(api.get_space('guild', 'owls') ->> 'stewardCount', '0', 'A blocked person isn''t counted');
select test.act_as_anon();
select throws_ok($$ select api.get_space('guild', 'owls') $$, '42501', null, 'Guilds need a signed-in caller');

-- Erasure: the longest-standing steward inherits the guild and is notified
select test.act_as_owner();
select private.erase_person(test.id('bob'));
select is((select m.role from app.space_members m where m.user_id = test.id('alice')), 'owner', 'A steward becomes the owner of the erased founder''s guild');
select test.settle();
select is((select string_agg(payload ->> 'role', ' ' order by created_at desc) from app.notifications where user_id = test.id('alice') and kind = 'membership.decided'), 'founder', 'The new founder is notified of the new role');
select * from finish();
rollback;
