-- Reactions: what they earn the post's author, and that removing them leaves exactly what the remaining ones earn.
begin;
select plan(18);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.earned(p_slug text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce(sum(delta), 0) from app.reputation_entries
        where user_id = test.id('alice') and interest_id = pg_temp.interest(p_slug) and kind = 'reaction.received' $$;
create temp table made (what text, id uuid);
grant all on made to authenticated;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
insert into made select 'deep', (api.create_post('Deep', p_interest_id => pg_temp.interest('applied-ethics')) ->> 'id')::uuid;
insert into made select 'bare', (api.create_post('Bare') ->> 'id')::uuid;

-- Acting as Bob
select test.act_as('bob');
select api.react(pg_temp.made('deep'), 'heart');
select is(pg_temp.earned('applied-ethics'), 1.00, 'A reaction earns the author 1');
select is(pg_temp.earned('ethics'), 0.50, 'The reputation for a reaction rolls up to the parent interest');
select api.react(pg_temp.made('deep'), 'heart');
select api.react(pg_temp.made('deep'), 'spark');
select is(pg_temp.earned('applied-ethics'), 1.00, 'Heart and spark of a person earn once');
select api.unreact(pg_temp.made('deep'), 'heart');
select is(pg_temp.earned('applied-ethics'), 1.00, 'While one of a person''s reactions is left, the points stay');
select api.unreact(pg_temp.made('deep'), 'spark');
select is(pg_temp.earned('applied-ethics'), 0.00, 'Removing the last reaction reverses the points');
select is(pg_temp.earned('ethics'), 0.00, 'The roll-up to the parent is reversed');
select is(pg_temp.earned('philosophy'), 0.00, 'The roll-up to the category is reversed');
select api.react(pg_temp.made('deep'), 'spark');
select is(pg_temp.earned('applied-ethics'), 1.00, 'Reacting again earns again');
select api.react(pg_temp.made('deep'), 'heart');
select api.unreact(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics'), 0.00, 'Removing both reactions at once reverses the points once');
select api.unreact(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics'), 0.00, 'Removing the reactions again reverses nothing');
do $$
begin
  for i in 1..10 loop
    perform api.react(pg_temp.made('deep'), 'heart'), api.unreact(pg_temp.made('deep'), 'heart');
  end loop;
  perform api.react(pg_temp.made('deep'), 'heart');
end $$;
select is(pg_temp.earned('applied-ethics'), 1.00, 'Adding and removing a reaction repeatedly earns what one reaction earns');
select api.react(pg_temp.made('bare'), 'heart');

-- Acting as Carla
select test.act_as('carla');
select api.react(pg_temp.made('deep'), 'spark');
select is(pg_temp.earned('applied-ethics'), 2.00, 'Each person''s reaction earns');

-- Acting as Alice
select test.act_as('alice');
select api.react(pg_temp.made('deep'), 'heart');
select api.unreact(pg_temp.made('deep'), 'heart');
select is(pg_temp.earned('applied-ethics'), 2.00, 'Reactions to the author''s own post neither earn nor cost');

-- Acting as the owner: a post that got its interest later, and a post whose interest changed
select test.act_as_owner();
update app.posts set interest_id = pg_temp.interest('music') where id in (select id from made);
select test.act_as('bob');
select api.unreact(pg_temp.made('bare'), 'heart');
select is(pg_temp.earned('music'), 0::numeric, 'Removing a reaction that earned nothing costs nothing');
select api.unreact(pg_temp.made('deep'), 'heart');
select is(pg_temp.earned('applied-ethics'), 1.00, 'A removed reaction is reversed in the interest where it was earned');

select test.act_as_owner();
select throws_ok(
  $$ select private.reverse_reputation(array(select undoes_id from app.reputation_entries
       where undoes_id is not null and roll_up_level = 0 limit 1)) $$, '23505', null, 'An entry can''t be reversed twice');
delete from app.reactions where post_id in (select id from made);
select is(pg_temp.earned('applied-ethics'), 0.00, 'Reactions deleted at once are all reversed');
select results_eq(
  $$ select user_id, interest_id, value from app.reputation order by 1, 2 $$,
  $$ select user_id, interest_id, sum(delta)::numeric(12, 2) from app.reputation_entries group by 1, 2 order by 1, 2 $$,
  'The sums equal the ledger');

select * from finish();
rollback;
