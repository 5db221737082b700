-- Blocks: both fall silent over everything social, third people notice nothing, and lifting it restores what stands.
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

-- Alice and Bob are in each other's circle, Carla in Alice's; an invitation is under way in either direction
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
select is(api.block_person('acct:bob@localhost') ->> 'blocked', 'true', 'a block is made');
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'it hides the blocked');
select is(pg_temp.level('alice', 'bob'), -1::smallint, 'and the blocker');
select is(pg_temp.level('carla', 'alice'), 1::smallint, 'and nobody else');
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');
select is(pg_temp.state('to bob'), 'revoked', 'it ends the invitation there');
select is(pg_temp.state('to alice'), 'revoked', 'and back');
select is(pg_temp.state('to carla'), 'pending', 'and no other');
select is(pg_temp.circles(), 'Hers More', 'his circle is gone for her');
select is(pg_temp.members('hers'), 'carla', 'and he from hers');
select is(json_array_length(api.list_my_invitations() -> 'items'), 0, 'no invitation of his is left');
select lives_ok($$ select api.block_person('bob') $$, 'blocking again is fine');
select is((select count(*) from app.blocks)::int, 1, 'and one block');
select is((select count(*) from app.circle_members where member_id = test.id('bob'))::int, 1, 'his membership stays, silent');

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

-- Acting as Bob, the blocked
select test.act_as('bob');
select is(pg_temp.circles(), 'His Other', 'her circle is gone for him');
select is((select count(*) from app.users where username = 'alice')::int, 0, 'as she is');
select is((select count(*) from app.users where username = 'carla')::int, 1, 'and nobody else');
select throws_ok($$ select api.block_person('alice') $$, 'PT404', 'person_unknown', 'he cannot tell a block from nobody');
select throws_ok($$ select api.unblock_person('alice') $$, 'PT404', 'person_unknown', 'and does not lift it');
select is((select count(*) from app.blocks)::int, 0, 'he does not see by whom he is blocked');
select is(pg_temp.rows('delete from app.blocks'), 0, 'and deletes no block');
select throws_ok($$ insert into app.blocks (blocker_id, blocked_id) values (test.id('alice'), test.id('carla')) $$, '42501', null,
  'nobody blocks in another''s name');
select throws_ok($$ update app.blocks set blocked_id = test.id('carla') $$, '42501', null, 'a block is not changed');
select throws_ok(format($$ insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
  values (%L, test.id('bob'), test.id('alice')) $$, pg_temp.id('other')), '42501', null, 'by hand nobody is invited across a block');
select throws_ok(format($$ insert into app.circle_members (circle_id, owner_id, member_id)
  values (%L, test.id('bob'), test.id('alice')) $$, pg_temp.id('other')), '42501', null, 'or added');

-- Acting as Carla, whom it does not concern
select test.act_as('carla');
select is(pg_temp.circles(), 'Hers', 'a third member keeps the circle');
select lives_ok($$ select api.accept_invitation(pg_temp.id('to carla')) $$, 'and their invitation');

-- lifted
select test.act_as('alice');
select is(api.unblock_person('@bob')::text, null, 'whoever blocked lifts it');
select is(pg_temp.level('bob', 'alice'), 2::smallint, 'his bond holds again');
select is(pg_temp.level('alice', 'bob'), 1::smallint, 'as does hers');
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');
select is(pg_temp.circles(), 'Hers His More', 'his circle is back');
select is(pg_temp.members('hers'), 'bob carla', 'and he in hers');
select throws_ok($$ select api.respond_invitation(pg_temp.id('to alice'), true) $$, 'PT409', 'invitation_settled',
  'what the block ended stays ended');
select lives_ok($$ select api.unblock_person('bob') $$, 'lifting what does not stand is fine');
select lives_ok($$ select api.unblock_person('dave') $$, 'also with a stranger');
select throws_ok($$ select api.unblock_person('zoe') $$, 'PT404', 'person_unknown', 'and not with nobody');
select throws_ok($$ select api.block_person('zoe') $$, 'PT404', 'person_unknown', 'whom nobody blocks');
select throws_ok($$ select api.block_person('alice') $$, 'PT400', 'block_oneself', 'as nobody blocks themselves');

-- both block each other: one made it as the owner, since the second cannot see the first
select api.block_person('bob');
select test.act_as_owner();
insert into app.blocks (blocker_id, blocked_id) values (test.id('bob'), test.id('alice'));
select test.act_as('alice');
select lives_ok($$ select api.block_person('bob') $$, 'who is blocked both ways can still be named by a blocker');
select api.unblock_person('bob');
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'one of two blocks is lifted, the other stands');
select throws_ok($$ select api.add_circle_member(pg_temp.id('more'), 'bob') $$, 'PT404', 'person_unknown', 'both ways');
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.level('alice', 'bob'), 1::smallint, 'until the second is lifted too');

-- a block between strangers leaves strangers, and one on the banned can be lifted
select api.block_person('dave');
select is(pg_temp.level('dave', 'bob'), -1::smallint, 'strangers block too');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dave';
select test.act_as('bob');
select lives_ok($$ select api.unblock_person('dave') $$, 'a block on a banned person can be lifted');
select is(pg_temp.level('dave', 'bob'), null, 'and leaves strangers');

-- what changes under a block shows when it is lifted
select api.block_person('alice');
select test.act_as_owner();
update app.circle_members set bond_level = 'acquaintance' where circle_id = pg_temp.id('hers') and member_id = test.id('bob');
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'a bond that changes under a block changes nothing');
select test.act_as('alice');
select api.delete_circle(pg_temp.id('hers'));
select is(pg_temp.level('bob', 'alice'), -1::smallint, 'a circle that goes neither');
select test.act_as('bob');
select api.unblock_person('alice');
select is(pg_temp.level('bob', 'alice'), null, 'then it does');
select test.act_as_owner();
select is(pg_temp.faults(), 0, 'the audience is as it would be rebuilt');

select * from finish();
rollback;
