-- What two people have in common through circles: shared circles, pending invitations, memberships.
begin;
select plan(38);
select test.people('alice', 'bob', 'carla', 'dave', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.check(p_person text) returns text language sql as $$
  select concat_ws(' ', c ->> 'sharesCircle', c ->> 'inMyCircle', c ->> 'inTheirCircle') from api.check_circles(p_person) c $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(coalesce(i ->> 'name', i ->> 'circleName'), ' ' order by place), '')
  from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
grant execute on all functions in schema pg_temp to public;

-- Alice has Bob and Carla in a circle, and Carla has Dave in a circle
select test.act_as('alice');
insert into made select 'hers', (api.create_circle('Hers') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('hers'), n) from unnest(array['bob', 'carla']) n;
select test.act_as('carla');
insert into made select 'carlas', (api.create_circle('Carlas') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('carlas'), 'dave');

select test.act_as('alice');
select is(pg_temp.check('bob'), 'true true false', 'Owner and member share a circle');
select is(pg_temp.check('dave'), 'false false false', 'A member of a member''s circle shares none');
select is(pg_temp.check('alice'), 'false false false', 'People share no circle with themselves');
select test.act_as('bob');
select is(pg_temp.check('acct:alice@localhost'), 'true false true', 'The member shares a circle with the owner');
select is(pg_temp.check('carla'), 'true false false', 'Two members of a third person''s circle share it');
select is(pg_temp.check('eve'), 'false false false', 'Strangers share no circle');
select throws_ok(format('select api.%s(''zoe'')', o), 'PT404', 'person_unknown', o || ' fails for an unknown person')
from unnest(array['check_circles', 'list_pending_invitations']) o;
select test.act_as('carla');
select is(pg_temp.check('alice'), 'true false true', 'A member sees that the circle is the other person''s');
select is(pg_temp.check('dave'), 'true true false', 'An owner sees that the circle is their own');

-- Memberships
select is(pg_temp.names(api.list_memberships()), 'Hers', 'The list has the circles of other people in which the person is a member');
select test.act_as('alice');
select is(pg_temp.names(api.list_memberships()), '', 'The list never has the person''s own circles');
select test.act_as_owner();
insert into app.circles (id, owner_id, name, created_at)
select ('00000000-0000-4000-8000-00000000000' || n)::uuid, test.id('eve'), 'E' || n, now() + n * interval '1 second' from generate_series(1, 5) n;
insert into app.circle_members (circle_id, owner_id, member_id) select id, owner_id, test.id('dave') from app.circles where name ~ '^E';
select test.act_as('dave');
select is(pg_temp.names(api.list_memberships()), 'E5 E4 E3 E2 E1 Carlas', 'The newest comes first');
select is(pg_temp.names(api.list_memberships(2)), 'E5 E4', 'A page has `limit` circles');
select is(pg_temp.names(api.list_memberships(2, api.list_memberships(2) ->> 'nextCursor')), 'E3 E2', 'The cursor leads to the next page');
select is(api.list_memberships(6) ->> 'hasMore', 'false', 'A full last page has no next page');
select is(api.list_memberships(6) ->> 'nextCursor', null, 'A full last page has no cursor');
select throws_ok(format('select api.list_memberships(2, %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || what)
from (values ('x', 'not an id'), ('', 'an empty text'), ('00000000-0000-4000-8000-0000000000ff', 'an unknown circle'), (pg_temp.id('hers')::text, 'a circle of strangers')) c (c, what);
select api.create_circle('Daves');
select throws_ok(format('select api.list_memberships(2, %L)', (select id from app.circles where name = 'Daves')), 'PT400', 'cursor_unknown',
  'The cursor is refused: the person''s own circle');
select throws_ok(format('select api.list_memberships(%s)', n), 'PT422', 'limit_out_of_range', 'The limit is refused: ' || n)
from unnest(array['0', '51', 'null']) n;

-- Pending invitations
select test.act_as('alice');
insert into made select 'more', (api.create_circle('More') ->> 'id')::uuid;
select api.invite_to_circle(pg_temp.id(c), 'eve') from unnest(array['hers', 'more']) c;
select api.invite_to_circle(pg_temp.id('more'), 'dave');
select is((select string_agg(n, ' ' order by n) from string_to_table(pg_temp.names(api.list_pending_invitations('eve')), ' ') n), 'Hers More',
  'The list has the pending invitations to this person');
select is(api.list_pending_invitations('eve') ->> 'hasMore', 'false', 'The list is one page');
select is(pg_temp.names(api.list_pending_invitations('bob')), '', 'The list has no invitations to others');
select test.act_as('eve');
select is(pg_temp.names(api.list_pending_invitations('alice')), '', 'The list has no invitations from the other person');
select api.decline_invitation((select id from app.circle_invitations where circle_id = pg_temp.id('hers')));
select test.act_as('alice');
select is(pg_temp.names(api.list_pending_invitations('eve')), 'More', 'The list has no settled invitations');

-- A block and a ban
select test.act_as('bob');
select api.block_person('alice');
select is(pg_temp.check('carla'), 'false false false', 'A circle of a person across a block isn''t shared');
select throws_ok(format('select api.%s(''alice'')', o), 'PT404', 'person_unknown', o || ' fails across a block')
from unnest(array['check_circles', 'list_pending_invitations']) o;
select is(pg_temp.names(api.list_memberships()), '', 'A circle of a person across a block isn''t listed');
select test.act_as('carla');
select is(pg_temp.check('bob'), 'false false false', 'The person across the block doesn''t share the circle either');
select is(pg_temp.check('alice'), 'true false true', 'The other member still has the circle');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.check('carla'), 'false false false', 'A banned owner''s circle isn''t shared');
select test.act_as_owner();
update app.users set banned_at = null where username = 'alice';
select test.act_as('bob');
select is(pg_temp.check('carla'), 'true false false', 'After block and ban the circle is shared again');

select * from finish();
rollback;
