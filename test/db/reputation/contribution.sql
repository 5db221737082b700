-- The contribution score: what gives how much, what comes to those by whom a person came, and that undoing leaves nothing.
-- How shares come: inheritance.sql.
begin;
select plan(33);
select test.people('rosa', 'alice', 'bob', 'carla', 'dan');

create function pg_temp.score(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce((select score from app.contribution_scores where user_id = test.id(p_name)), 0) $$;
-- once all that waits is inherited
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

-- Rosa brought in Alice, she Bob, he Carla, she Dan
insert into app.invite_tree (inviter_id, invitee_id, code_id)
select test.id(i), test.id(n), (private.make_invite_code(test.id(i))).id
from (values ('rosa', 'alice'), ('alice', 'bob'), ('bob', 'carla'), ('carla', 'dan')) v (i, n);

select results_eq($$ select k, private.ledger_points('contribution', k)
    from unnest(array['post_created', 'reply_created', 'reaction_given', 'bookmark_given', 'emoji_pay_sent']) k $$,
  $$ values ('post_created', 10::numeric), ('reply_created', 3), ('reaction_given', 1), ('bookmark_given', 1), ('emoji_pay_sent', 2) $$,
  'the points of every kind');
select is(private.inviters(test.id('dan')), array[test.id('carla'), test.id('bob'), test.id('alice')], 'three levels, and no fourth');
select is(private.inviters(test.id('rosa')), '{}'::uuid[], 'above the first there is nobody');

-- Acting as Dan
select test.act_as('dan');
insert into made select 'dan', (api.create_post('What I found') ->> 'id')::uuid;
select is(pg_temp.scores(), array[0, 1.00, 2.50, 5.00, 10.00], 'a post gives 10, and 50, 25 and 10 % up the tree, without an interest too');
select api.react(pg_temp.made('dan'), 'heart'), api.create_reply(pg_temp.made('dan'), 'Oh, and');
select is(pg_temp.score('dan'), 10.00, 'what one does with one''s own post gives nothing');

-- Acting as Alice
select test.act_as('alice');
select api.create_reply(pg_temp.made('dan'), 'Well said');
select is(pg_temp.scores(), array[1.50, 4.00, 2.50, 5.00, 10.00], 'a reply gives 3');
select api.create_reply(pg_temp.made('dan'), 'Oh!', 'reaction');
select is(pg_temp.score('alice'), 7.00, 'of any kind');
select is(pg_temp.score('dan'), 10.00, 'and nothing to whose post it is');
insert into made select 'alice', (api.create_post('By Alice') ->> 'id')::uuid;

-- Acting as Carla
select test.act_as('carla');
create temporary table before as select pg_temp.scores() as scores;
create function pg_temp.gained() returns numeric[] language sql volatile
  as $$ select array(select a - b from unnest((select scores from before), pg_temp.scores()) as u (b, a)) $$;
select api.react(pg_temp.made('dan'), 'heart');
select is(pg_temp.gained(), array[0.10, 0.25, 0.50, 1.00, 0], 'a reaction gives 1');
select api.react(pg_temp.made('dan'), 'heart'), api.react(pg_temp.made('dan'), 'spark');
select is(pg_temp.gained(), array[0.10, 0.25, 0.50, 1.00, 0], 'once a post');
select api.unreact(pg_temp.made('dan'), 'heart');
select is(pg_temp.gained(), array[0.10, 0.25, 0.50, 1.00, 0], 'while one of them stays it stays');
select api.unreact(pg_temp.made('dan'), 'spark');
select is(pg_temp.gained(), array[0, 0, 0, 0, 0]::numeric[], 'with the last it goes, all the way up');
select api.unreact(pg_temp.made('dan'));
select is(pg_temp.gained(), array[0, 0, 0, 0, 0]::numeric[], 'once');
do $$
begin
  for i in 1..10 loop
    perform api.react(pg_temp.made('dan'), 'heart'), api.react(pg_temp.made('dan'), 'spark'), api.unreact(pg_temp.made('dan'));
  end loop;
  perform api.react(pg_temp.made('dan'), 'heart'), api.react(pg_temp.made('alice'), 'spark');
end $$;
select is(pg_temp.gained(), array[0.20, 0.50, 1.00, 2.00, 0], 'reacting again and again gives what two reactions give');
select throws_ok($$ insert into app.contribution_scores (user_id, score) values (test.id('carla'), 900) $$, '42501', null, 'nobody writes scores');
select throws_ok($$ select count(*) from app.contribution_entries $$, '42501', null, 'nor reads the ledger');
select results_eq($$ select user_id from app.contribution_scores $$, $$ select test.id('carla') $$, 'of the scores one sees one''s own');
select is((api.get_reputation_details() ->> 'contributionScore')::numeric, 5.00 + 2.00, 'by the route too');
select throws_ok($$ select private.earn_contribution('{}') $$, '42501', null, 'nor contributes by asking');

-- Payments
select api.pay('love', 0, p_receiver_id => 'bob');
select is(pg_temp.gained(), array[0.40, 1.00, 2.00, 4.00, 0], 'an emoji payment gives 2, whoever gets it');
select test.act_as_owner();
insert into made select 'payment', id from app.payments;
insert into app.payments (sender_id, receiver_id, emotion, tier, amount, reversal_of)
select sender_id, receiver_id, emotion, tier, amount, id from app.payments;
select is(pg_temp.gained(), array[0.20, 0.50, 1.00, 2.00, 0], 'a reversed one gives nothing');

-- What counts for nothing
select private.emit('posts.post.published', json_build_object('postId', pg_temp.made('dan'), 'authorId', test.id('dan')),
                    array[test.id('dan')]);
select is(pg_temp.score('dan'), 10.00, 'a post is one contribution, however often it is told');

-- Undoing, as posts and bookmarks will
select pg_temp.undo('dan', 'post_created', pg_temp.made('dan'));
select is(pg_temp.score('dan'), 0.00, 'what is undone is as if it had never been');
select is(pg_temp.gained(), array[0.20, -0.50, -1.50, -3.00, -10.00], 'up the tree too');
select pg_temp.undo('dan', 'post_created', pg_temp.made('dan'));
select is(pg_temp.score('dan'), 0.00, 'undone once');
select pg_temp.earn('dan', 'post_created', pg_temp.made('dan'));
select is(pg_temp.gained(), array[0.20, 0.50, 1.00, 2.00, 0], 'and may come again');
select pg_temp.undo('dan', 'bookmark_given', pg_temp.made('dan'));
select is(pg_temp.score('dan'), 10.00, 'what never was is not undone');
update app.users set erased_at = now() where username = 'bob';
select pg_temp.earn('carla', 'bookmark_given', pg_temp.made('dan'));
select is(pg_temp.gained(), array[0.30, 0.75, 1.50, 3.00, 0], 'the erased keep their place in the tree');

-- The ledger
select results_eq($$ select user_id, score from app.contribution_scores order by 1 $$,
  $$ select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1 order by 1 $$, 'the snapshot is the sum of the ledger');
select is((select count(*)::int from app.contribution_entries e where e.level > 0 and not exists (
    select from app.contribution_entries o where o.id = e.origin_id and o.level = 0 and o.kind = e.kind)), 0, 'a share names its origin');
select throws_ok($$ update app.contribution_entries set delta = 1000 $$, 'PT409', 'append_only', 'entries stay as they are');
select throws_ok($$ delete from app.contribution_entries $$, 'PT409', 'append_only', 'all of them');
select throws_ok($$ truncate app.contribution_entries cascade $$, 'PT409', 'append_only', 'even at once');

select * from finish();
rollback;
