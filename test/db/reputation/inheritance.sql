-- How inviters get their shares: by a job, each once, and a reversal leaves nothing with any of them.
begin;
select plan(24);
select test.people('rosa', 'alice', 'bob', 'carla', 'dan');

create function pg_temp.scores() returns numeric[] language sql stable security definer as $$
  select array(select coalesce(s.score, 0) from unnest(array['rosa', 'alice', 'bob', 'carla', 'dan']) with ordinality as n (name, place)
               left join app.contribution_scores s on s.user_id = test.id(n.name) order by n.place) $$;
create function pg_temp.folded() returns boolean language sql stable security definer as $$
  select not exists (
    select from app.contribution_scores s
    full join (select user_id, sum(delta) as score from app.contribution_entries group by user_id) e using (user_id)
    where s.score is distinct from e.score) $$;
create temporary table made (what text, id uuid);
grant all on made to public;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
create function pg_temp.earn(p_name text, p_kind text, p_source uuid) returns void language sql volatile as $$
  select private.earn_contribution(array[(test.id(p_name), null, p_kind, p_source, null, now())::private.earning]) $$;
create function pg_temp.undo(p_name text, p_kind text, p_source uuid) returns void language sql volatile as $$
  select private.reverse_contribution(array[private.find_active_contribution(test.id(p_name), p_kind, p_source)]) $$;
grant execute on all functions in schema pg_temp to public;

-- Rosa invited Alice, Alice invited Bob, Bob invited Carla, and Carla invited Dan
insert into app.invite_tree (inviter_id, invitee_id, code_id)
select test.id(i), test.id(n), (private.make_invite_code(test.id(i))).id
from (values ('rosa', 'alice'), ('alice', 'bob'), ('bob', 'carla'), ('carla', 'dan')) v (i, n);

-- Acting as Dan
select test.act_as('dan');
insert into made select 'post', (api.create_post('What I found') ->> 'id')::uuid;
select test.settle();
select is(pg_temp.scores(), array[0, 0, 0, 0, 10.00], 'Before the job, a contribution counts only for the person');
select throws_ok($$ select private.job_inherit_contributions() $$, '42501', null, 'People can''t run the job');
select throws_ok($$ select * from private.contribution_inheritance $$, '42501', null, 'People can''t see which entries are waiting');

-- As the owner
select test.act_as_owner();
select ok(pg_temp.folded(), 'Before the job, the scores equal the ledger');
select is(private.job_inherit_contributions(), 1, 'The job handles the waiting entry');
select is(pg_temp.scores(), array[0, 1.00, 2.50, 5.00, 10.00], 'The inviters get 50, 25 and 10 %');
select ok(pg_temp.folded(), 'After the job, the scores equal the ledger');
select is(private.job_inherit_contributions(), 0, 'A second run finds no waiting entry');
select is(pg_temp.scores(), array[0, 1.00, 2.50, 5.00, 10.00], 'A second run leaves the scores unchanged');
select results_eq($$ select user_id, level::int, delta from app.contribution_entries where origin_id is not null order by level $$,
  $$ values (test.id('carla'), 1, 5.00), (test.id('bob'), 2, 2.50), (test.id('alice'), 3, 1.00) $$, 'Each share has its level');
select is((select array_agg(distinct o.user_id) from app.contribution_entries e join app.contribution_entries o on o.id = e.origin_id),
  array[test.id('dan')], 'Each share refers to its origin');

-- A contribution is reversed after it was inherited
select pg_temp.undo('dan', 'post_created', pg_temp.made('post'));
select is(pg_temp.scores(), array[0, 1.00, 2.50, 5.00, 0.00], 'Before the job, a reversal counts only for the person');
select is(private.job_inherit_contributions(), 1, 'The job handles the reversal');
select is(pg_temp.scores(), array[0, 0.00, 0.00, 0.00, 0.00], 'After the reversal nobody has any score left');
select is((select count(*)::int from app.contribution_entries e join app.contribution_entries u on u.id = e.undoes_id
           where e.user_id = u.user_id and e.level = u.level and e.delta = -u.delta), 4, 'Each entry has its reversal');

-- A contribution is added and reversed repeatedly before the job runs
do $$
begin
  for i in 1..3 loop
    perform pg_temp.earn('dan', 'reaction_given', pg_temp.made('post'));
    perform pg_temp.undo('dan', 'reaction_given', pg_temp.made('post'));
  end loop;
  perform pg_temp.earn('dan', 'reaction_given', pg_temp.made('post'));
end $$;
select is(private.job_inherit_contributions(), 4, 'The first run handles the earnings');
select is(pg_temp.scores(), array[0, 0.40, 1.00, 2.00, 1.00], 'Each earning is inherited');
select is(private.job_inherit_contributions(), 3, 'The second run handles the reversals');
select is(pg_temp.scores(), array[0, 0.10, 0.25, 0.50, 1.00], 'The points of one reaction are left');
select is(private.job_inherit_contributions(), 0, 'After both runs no entry is waiting');

-- No inviter, an erased inviter, and many entries
select pg_temp.earn('rosa', 'reaction_given', pg_temp.made('post'));
select is(private.job_inherit_contributions(), 1, 'An entry without inviters is handled');
update app.users set banned_at = now() where username = 'carla';
update app.users set erased_at = now() where username = 'bob';
select private.earn_contribution(array(select (test.id('dan'), null, 'bookmark_given', gen_random_uuid(), null, now())::private.earning
                                       from generate_series(1, 2300)));
select is(array(select private.job_inherit_contributions() from generate_series(1, 4)), array[1000, 1000, 300, 0], 'The job handles up to 1000 entries at a time');
select is(pg_temp.scores(), array[1, 230.10, 575.25, 1150.50, 2301.00], 'Banned and erased inviters keep their place in the tree');
select ok(pg_temp.folded(), 'After many entries, the scores equal the ledger');

select * from finish();
rollback;
