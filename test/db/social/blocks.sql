-- Blocks: the two people are hidden from each other everywhere, third people notice nothing, and unblocking restores
-- what still exists.
begin;
select plan(73);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.circles() returns text language sql as $$
  select string_agg(i ->> 'name', ' ' order by i ->> 'name') from json_array_elements(api.list_my_circles() -> 'items') i $$;
create function pg_temp.members(p_circle text) returns text language sql as $$
  select string_agg(i #>> '{member,username}', ' ' order by i #>> '{member,username}')
  from json_array_elements(api.list_circle_members(pg_temp.id(p_circle)) -> 'items') i $$;
create function pg_temp.level(p_viewer text, p_author text) returns smallint language sql stable security definer
  as $$ select level from app.audience where viewer_id = test.id(p_viewer) and author_id = test.id(p_author) $$;
create function pg_temp.state(p_name text) returns text language sql stable security definer
  as $$ select status from app.circle_invitations where id = pg_temp.id(p_name) $$;
create function pg_temp.faults() returns integer language sql stable security definer as $$
  select count(*)::int from (
    (table app.audience except select viewer_id, author_id, level from private.audience_rebuilt)
    union all (select viewer_id, author_id, level from private.audience_rebuilt except table app.audience)) f $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Alice and Bob are in each other's circle, and Carla is in Alice's. An invitation is pending in each direction
select test.act_as('alice');
insert into made select 'hers', (api.create_circle('Hers') ->> 'id')::uuid;
insert into made select 'more', (api.create_circle('More') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('hers'), 'bob', 'inner-circle');
select api.add_circle_member(pg_temp.id('hers'), 'carla');
insert into made select 'to bob', (api.invite_to_circle(pg_temp.id('more'), 'bob') ->> 'id')::uuid;
insert into made select 'to carla', (api.invite_to_circle(pg_temp.id('more'), 'carla') ->> 'id')::uuid;
select test.act_as('bob');
insert into made select 'his', (api.create_circle('His') ->> 'id')::uuid;
insert into made select 'other', (api.create_circle('Other') ->> 'id')::uuid;
select api.add_circle_member(pg_temp.id('his'), 'alice');
insert into made select 'to alice', (api.invite_to_circle(pg_temp.id('other'), 'alice') ->> 'id')::uuid;

-- Acting as Alice, who blocks Bob
select test.act_as('alice');
select is(api.block_person('acct:bob@localhost') ->> 'blocked', 'true', 'A person can block another');
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'The blocked person has the level -1');
select is(pg_temp.level('alice', 'bob'), -1::smallint, 'The blocker has the level -1 too');
select is(pg_temp.level('carla', 'alice'), 1::smallint, 'Other people''s levels are unchanged');
select is(pg_temp.faults(), 0, 'The audience equals what a rebuild gives');
select is(pg_temp.state('to bob'), 'revoked', 'A block revokes the invitation to the blocked person');
select is(pg_temp.state('to alice'), 'revoked', 'A block revokes the invitation from the blocked person');
select is(pg_temp.state('to carla'), 'pending', 'Other invitations stay pending');
select is(pg_temp.circles(), 'Hers More', 'The blocker doesn''t see the blocked person''s circle');
select is(pg_temp.members('hers'), 'carla', 'The blocked person isn''t listed in the blocker''s circle');
select is(json_array_length(api.list_my_invitations() -> 'items'), 0, 'The blocker has no invitation from the blocked person');
select lives_ok($$ select api.block_person('bob') $$, 'Blocking twice is not an error');
select is((select count(*) from app.blocks)::int, 1, 'Blocking twice leaves one block');
select is((select count(*) from app.circle_members where member_id = test.id('bob'))::int, 1, 'The blocked person remains a hidden member');

create function pg_temp.check_hidden(p_self text, p_other text, p_own text, p_theirs text) returns setof text language plpgsql as $$
declare v record;
begin
  perform test.act_as(p_self);
  for v in
    select format(c, p_other) as call, w as word from (values
      ('add_circle_member(pg_temp.id(''' || p_own || '''), %L)', 'person_unknown'),
      ('set_bond_level(pg_temp.id(''' || p_own || '''), %L, ''acquaintance'')', 'person_unknown'),
      ('remove_circle_member(pg_temp.id(''' || p_own || '''), %L)', 'person_unknown'),
      ('invite_to_circle(pg_temp.id(''' || p_own || '''), %L)', 'person_unknown'),
      ('remove_circle_member(pg_temp.id(''' || p_theirs || '''), ''' || p_self || ''')', 'circle_unknown'),
      ('list_circle_members(pg_temp.id(''' || p_theirs || '''))', 'circle_unknown'),
      ('update_circle(pg_temp.id(''' || p_theirs || '''), ''{}'')', 'circle_unknown'),
      ('delete_circle(pg_temp.id(''' || p_theirs || '''))', 'circle_unknown'),
      ('accept_invitation(pg_temp.id(''to ' || p_self || '''))', 'invitation_unknown'),
      ('decline_invitation(pg_temp.id(''to ' || p_self || '''))', 'invitation_unknown'),
      ('respond_invitation(pg_temp.id(''to ' || p_self || '''), true)', 'invitation_unknown')) c (c, w)
  loop
    return next throws_ok('select api.' || v.call, 'PT404', v.word, p_self || ': ' || v.call);
  end loop;
end $$;
grant execute on function pg_temp.check_hidden to public;
select pg_temp.check_hidden('alice', 'bob', 'hers', 'his');
select pg_temp.check_hidden('bob', 'alice', 'his', 'hers');

-- Acting as Bob, who is blocked
select test.act_as('bob');
select is(pg_temp.circles(), 'His Other', 'The blocked person doesn''t see the blocker''s circle');
select is((select count(*) from app.users where username = 'alice')::int, 0, 'The blocked person doesn''t see the blocker');
select is((select count(*) from app.users where username = 'carla')::int, 1, 'The blocked person sees other people');
select throws_ok($$ select api.block_person('alice') $$, 'PT404', 'person_unknown', 'For the blocked person the blocker is unknown');
select throws_ok($$ select api.unblock_person('alice') $$, 'PT404', 'person_unknown', 'The blocked person can''t lift the block');
select is((select count(*) from app.blocks)::int, 0, 'The blocked person doesn''t see the block');
select is(pg_temp.rows('delete from app.blocks'), 0, 'The blocked person can''t delete the block');
select throws_ok($$ insert into app.blocks (blocker_id, blocked_id) values (test.id('alice'), test.id('carla')) $$, '42501', null,
  'Nobody can block in another person''s name');
select throws_ok($$ update app.blocks set blocked_id = test.id('carla') $$, '42501', null, 'A block can''t be changed');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('bob'), test.id('alice')) $$, pg_temp.id('other')), '42501', null, 'Nobody can insert an invitation across a block');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('bob'), test.id('alice')) $$, pg_temp.id('other')), '42501', null, 'Nobody can insert a membership across a block');

-- Acting as Carla, whom the block doesn't concern
select test.act_as('carla');
select is(pg_temp.circles(), 'Hers', 'A third member still sees the circle');
select lives_ok($$ select api.accept_invitation(pg_temp.id('to carla')) $$, 'A third person can accept their invitation');

-- The block is lifted
select test.act_as('alice');
select is(api.unblock_person('@bob')::text, null, 'The blocker can lift the block');
select is(pg_temp.level('bob', 'alice'), 2::smallint, 'The unblocked person has their former level again');
select is(pg_temp.level('alice', 'bob'), 1::smallint, 'The blocker has their former level again');
select is(pg_temp.faults(), 0, 'After the unblocking the audience equals what a rebuild gives');
select is(pg_temp.circles(), 'Hers His More', 'The other person''s circle is visible again');
select is(pg_temp.members('hers'), 'bob carla', 'The unblocked person is listed as a member again');
select throws_ok($$ select api.respond_invitation(pg_temp.id('to alice'), true) $$, 'PT409', 'invitation_settled',
  'An invitation revoked by the block stays revoked');
select lives_ok($$ select api.unblock_person('bob') $$, 'Unblocking twice is not an error');
select lives_ok($$ select api.unblock_person('dave') $$, 'Unblocking a person who isn''t blocked is not an error');
select throws_ok($$ select api.unblock_person('zoe') $$, 'PT404', 'person_unknown', 'An unknown person can''t be unblocked');
select throws_ok($$ select api.block_person('zoe') $$, 'PT404', 'person_unknown', 'An unknown person can''t be blocked');
select throws_ok($$ select api.block_person('alice') $$, 'PT400', 'block_oneself', 'People can''t block themselves');

-- Both block each other. The database owner inserts the second block, because the first block hides Alice from Bob
select api.block_person('bob');
select test.act_as_owner();
insert into app.blocks (blocker_id, blocked_id) values (test.id('bob'), test.id('alice'));
select test.act_as('alice');
select lives_ok($$ select api.block_person('bob') $$, 'A blocker can name the other person even if blocked by them');
select api.unblock_person('bob');
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'Lifting one of two blocks leaves the other');
select throws_ok($$ select api.add_circle_member(pg_temp.id('more'), 'bob') $$, 'PT404', 'person_unknown', 'The other block works in both directions');
select is(pg_temp.faults(), 0, 'With one block lifted the audience equals what a rebuild gives');
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.level('alice', 'bob'), 1::smallint, 'Lifting the second block restores the level');

-- A block between strangers leaves them strangers, and a block of a banned person can be lifted
select api.block_person('dave');
select is(pg_temp.level('dave', 'bob'), -1::smallint, 'Strangers can block each other');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dave';
select test.act_as('bob');
select lives_ok($$ select api.unblock_person('dave') $$, 'A block of a banned person can be lifted');
select is(pg_temp.level('dave', 'bob'), null, 'After the block they are strangers again');

-- Changes during a block take effect when it is lifted
select api.block_person('alice');
select test.act_as_owner();
update app.circle_members set bond_level = 'acquaintance' where circle_id = pg_temp.id('hers') and member_id = test.id('bob');
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'A changed bond has no effect during the block');
select test.act_as('alice');
select api.delete_circle(pg_temp.id('hers'));
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'A deleted circle has no effect during the block');
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.level('bob', 'alice'), null, 'After the block the changes take effect');
select test.act_as_owner();
select is(pg_temp.faults(), 0, 'After all changes the audience equals what a rebuild gives');

select * from finish();
rollback;
