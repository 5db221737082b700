-- The contribution score: what earns how much, what the inviters inherit, and that a reversal leaves nothing. How
-- shares are inherited is in inheritance.sql.
begin;
select plan(33);
select test.people('rosa', 'alice', 'bob', 'carla', 'dan');

create function pg_temp.score(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce((select score from app.contribution_scores where user_id = test.id(p_name)), 0) $$;
-- The scores after all waiting entries are inherited
create function pg_temp.scores() returns numeric[] language sql volatile security definer
  as $$ select test.settle();
        select private.job_inherit_contributions() from generate_series(1, 2);
        select array[pg_temp.score('rosa'), pg_temp.score('alice'), pg_temp.score('bob'), pg_temp.score('carla'), pg_temp.score('dan')] $$;
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

select results_eq($$ select k, private.ledger_points('contribution', k)
    from unnest(array['post_created', 'reply_created', 'reaction_given', 'bookmark_given', 'emoji_pay_sent']) k $$,
  $$ values ('post_created', 10::numeric), ('reply_created', 3), ('reaction_given', 1), ('bookmark_given', 1), ('emoji_pay_sent', 2) $$,
  'Every kind has its points');
select is(private.inviters(test.id('dan')), array[test.id('carla'), test.id('bob'), test.id('alice')], 'A person has up to three levels of inviters');
select is(private.inviters(test.id('rosa')), '{}'::uuid[], 'The first person has no inviter');

-- Acting as Dan
select test.act_as('dan');
insert into made select 'dan', (api.create_post('What I found') ->> 'id')::uuid;
select is(pg_temp.scores(), array[0, 1.00, 2.50, 5.00, 10.00],
  'A post earns 10, and the inviters 50, 25 and 10 % of it, even without an interest');
select api.react(pg_temp.made('dan'), 'heart'), api.create_reply(pg_temp.made('dan'), 'Oh, and');
select is(pg_temp.score('dan'), 10.00, 'Actions on the author''s own post earn nothing');

-- Acting as Alice
select test.act_as('alice');
select api.create_reply(pg_temp.made('dan'), 'Well said');
select is(pg_temp.scores(), array[1.50, 4.00, 2.50, 5.00, 10.00], 'A reply earns 3');
select api.create_reply(pg_temp.made('dan'), 'Oh!', 'reaction');
select is(pg_temp.score('alice'), 7.00, 'A reply of any kind earns 3');
select is(pg_temp.score('dan'), 10.00, 'A reply earns nothing for the post''s author');
insert into made select 'alice', (api.create_post('By Alice') ->> 'id')::uuid;

-- Acting as Carla
select test.act_as('carla');
create temporary table before as select pg_temp.scores() as scores;
create function pg_temp.gained() returns numeric[] language sql volatile
  as $$ select array(select a - b from unnest((select scores from before), pg_temp.scores()) as u (b, a)) $$;
select api.react(pg_temp.made('dan'), 'heart');
select is(pg_temp.gained(), array[0.10, 0.25, 0.50, 1.00, 0], 'A reaction earns 1');
select api.react(pg_temp.made('dan'), 'heart'), api.react(pg_temp.made('dan'), 'spark');
select is(pg_temp.gained(), array[0.10, 0.25, 0.50, 1.00, 0], 'Several reactions to a post earn once');
select api.unreact(pg_temp.made('dan'), 'heart');
select is(pg_temp.gained(), array[0.10, 0.25, 0.50, 1.00, 0], 'While one reaction to the post is left, the points stay');
select api.unreact(pg_temp.made('dan'), 'spark');
select is(pg_temp.gained(), array[0, 0, 0, 0, 0]::numeric[],
  'Removing the last reaction reverses the points, for the inviters too');
select api.unreact(pg_temp.made('dan'));
select is(pg_temp.gained(), array[0, 0, 0, 0, 0]::numeric[], 'Removing reactions again reverses nothing');
do $$
begin
  for i in 1..10 loop
    perform api.react(pg_temp.made('dan'), 'heart'), api.react(pg_temp.made('dan'), 'spark'), api.unreact(pg_temp.made('dan'));
  end loop;
  perform api.react(pg_temp.made('dan'), 'heart'), api.react(pg_temp.made('alice'), 'spark');
end $$;
select is(pg_temp.gained(), array[0.20, 0.50, 1.00, 2.00, 0], 'Adding and removing reactions repeatedly earns what two reactions earn');
select throws_ok($$ insert into app.contribution_scores (user_id, score) values (test.id('carla'), 900) $$, '42501', null, 'People can''t write scores');
select throws_ok($$ select count(*) from app.contribution_entries $$, '42501', null, 'People can''t read the ledger');
select results_eq($$ select user_id from app.contribution_scores $$, $$ select test.id('carla') $$, 'People see only their own score');
select is((api.get_reputation_details() ->> 'contributionScore')::numeric, 5.00 + 2.00, 'The details have the same score');
select throws_ok($$ select private.earn_contribution('{}') $$, '42501', null, 'People can''t call earn_contribution');

-- Payments
select api.pay('love', 0, p_receiver_id => 'bob');
select is(pg_temp.gained(), array[0.40, 1.00, 2.00, 4.00, 0], 'A payment earns 2, whoever receives it');
select test.act_as_owner();
insert into made select 'payment', id from app.payments;
insert into app.payments (sender_id, receiver_id, emotion, tier, amount, reversal_of)
select sender_id, receiver_id, emotion, tier, amount, id from app.payments;
select is(pg_temp.gained(), array[0.20, 0.50, 1.00, 2.00, 0], 'A reversed payment earns nothing');

-- What earns nothing
select private.emit('posts.post.published', json_build_object('postId', pg_temp.made('dan'), 'authorId', test.id('dan')),
                    array[test.id('dan')]);
select is(pg_temp.score('dan'), 10.00, 'A repeated event of a post earns once');

-- Reversals
select pg_temp.undo('dan', 'post_created', pg_temp.made('dan'));
select is(pg_temp.score('dan'), 0.00, 'A reversal takes back all points');
select is(pg_temp.gained(), array[0.20, -0.50, -1.50, -3.00, -10.00], 'A reversal takes back the inviters'' shares');
select pg_temp.undo('dan', 'post_created', pg_temp.made('dan'));
select is(pg_temp.score('dan'), 0.00, 'An entry can be reversed only once');
select pg_temp.earn('dan', 'post_created', pg_temp.made('dan'));
select is(pg_temp.gained(), array[0.20, 0.50, 1.00, 2.00, 0], 'The same cause can earn again after a reversal');
select pg_temp.undo('dan', 'bookmark_given', pg_temp.made('dan'));
select is(pg_temp.score('dan'), 10.00, 'Reversing a contribution that was never earned does nothing');
update app.users set erased_at = now() where username = 'bob';
select pg_temp.earn('carla', 'bookmark_given', pg_temp.made('dan'));
select is(pg_temp.gained(), array[0.30, 0.75, 1.50, 3.00, 0], 'Erased inviters keep their place in the tree');

-- The ledger
select results_eq($$ select user_id, score from app.contribution_scores order by 1 $$,
  $$ select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1 order by 1 $$, 'The scores equal the ledger');
select is((select count(*)::int from app.contribution_entries e where e.level > 0 and not exists (
    select from app.contribution_entries o where o.id = e.origin_id and o.level = 0 and o.kind = e.kind)), 0, 'Each share refers to its origin');
select throws_ok($$ update app.contribution_entries set delta = 1000 $$, 'PT409', 'append_only', 'An entry can''t be changed');
select throws_ok($$ delete from app.contribution_entries $$, 'PT409', 'append_only', 'An entry can''t be deleted');
select throws_ok($$ truncate app.contribution_entries cascade $$, 'PT409', 'append_only', 'The entries can''t be truncated');

select * from finish();
rollback;
