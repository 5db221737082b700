-- Staff looks at the people whom one person invited, and acts against many of them at once.
begin;
select plan(17);
select test.people('alice', 'bob', 'carla', 'dan', 'eve', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';
with made as (
  insert into app.invite_codes (code, generated_by, status, expires_at)
  select 'INV-22222' || n + 1, test.id('bob'), 'active', now() + interval '1 day' from generate_series(1, 3) n returning id, code)
insert into app.invite_tree (invitee_id, inviter_id, code_id)
select test.id((array['carla', 'dan', 'eve'])[right(code, 1)::int - 1]), test.id('bob'), id from made;

create function pg_temp.states() returns text language sql stable security definer as $$
  select string_agg(username || case when banned_at is not null then ' banned' when limited_at is not null then ' limited' else '' end, ', ' order by username)
  from app.users where username in ('bob', 'carla', 'dan', 'eve') $$;
create function pg_temp.decisions() returns integer language sql stable security definer as $$ select count(*)::int from app.decisions $$;
create function pg_temp.calls(p_people text[], p_action text default 'ban', p_until timestamptz default null) returns text language sql as $$
  select format('select api.act_on_invitees(%L, %L, %L, %L, %L, %L)', 'bob', p_action, p_people, 'Puppets', 'spam', p_until) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as_service('mona');
select is((select string_agg(i #>> '{user,username}', ' ' order by i #>> '{user,username}') from json_array_elements(api.list_invitees('bob') -> 'items') i), 'carla dan eve', 'A moderator can list the people whom a person invited');
select is(api.list_invitees('bob')::jsonb #> '{items,0}' @> '{"inviteeCount": 0, "strikes": 0}', true,
  'The list has the number of invitees and the strikes of each person');
select is(json_array_length(api.list_invitees('carla') -> 'items'), 0, 'The list of a person who invited nobody is empty');
select throws_ok($$ select api.list_invitees('nobody') $$, 'PT404', 'person_unknown', 'An unknown person has no list');
select throws_ok(pg_temp.calls('{carla}'), 'PT403', 'role_required', 'A moderator can''t act against invitees');
select test.act_as_service('alice');
select throws_ok(pg_temp.calls('{}'), 'PT422', 'invitees_chosen', 'An empty list of people is refused');
select throws_ok(pg_temp.calls('{carla,carla}'), 'PT422', 'invitees_chosen', 'A person can''t be named twice');
select throws_ok(pg_temp.calls(array_fill('carla'::text, array[51])), 'PT422', 'invitees_chosen', 'At most 50 people can be named');
select throws_ok(pg_temp.calls('{carla}', 'warn'), 'PT422', 'invitees_action', 'Invitees can''t be warned');
select throws_ok(pg_temp.calls('{carla}', 'suspend'), 'PT422', 'case_until', 'A suspension needs an end');
select throws_ok(pg_temp.calls('{carla}', 'ban', now() + interval '1 day'), 'PT422', 'case_until', 'A ban can''t have an end');
select throws_ok(pg_temp.calls('{carla,mona}'), 'PT404', 'invitee_unknown', 'Somebody else''s invitee can''t be named');
select is(pg_temp.states(), 'bob, carla, dan, eve', 'The refused calls changed nothing');
select is(json_array_length(api.act_on_invitees('bob', 'limit', '{carla,dan}', 'Puppets', 'spam') -> 'items'), 2, 'An admin can limit several at once');
select is(json_array_length(api.act_on_invitees('bob', 'ban', '{dan,eve}', 'Puppets', 'spam') -> 'items'), 2, 'An admin can ban several at once');
select is(pg_temp.states(), 'bob, carla limited, dan banned, eve banned', 'The actions apply to those who were named, and to nobody else');
select is(pg_temp.decisions(), 4, 'Each of the invitees has their own decision');
select * from finish();
rollback;
