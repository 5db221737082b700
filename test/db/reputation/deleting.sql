-- Deleted posts: their author loses exactly what they earned, in both ledgers; what others earned by them stays.
begin;
select plan(21);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.total(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select private.total_reputation(test.id(p_name)) $$;
create function pg_temp.value(p_slug text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select private.reputation_value(test.id('alice'), pg_temp.interest(p_slug)) $$;
create function pg_temp.score(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce((select score from app.contribution_scores where user_id = test.id(p_name)), 0) $$;
create temp table made (what text primary key, id uuid);
grant all on made to authenticated;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
create function pg_temp.post(p_what text, p_slug text) returns void language sql volatile as $$
  insert into made select p_what, (api.create_post(p_what, p_interest_id => pg_temp.interest(p_slug)) ->> 'id')::uuid $$;
create function pg_temp.like(p_what text) returns void language sql volatile as $$
  select api.react(pg_temp.made(p_what), 'heart'), api.react(pg_temp.made(p_what), 'spark'), api.bookmark(pg_temp.made(p_what)),
         api.repost(pg_temp.made(p_what)) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select pg_temp.post('gone', 'applied-ethics'), pg_temp.post('kept', 'applied-ethics');
select test.act_as('bob');
select pg_temp.like('gone'), pg_temp.like('kept');
select api.create_reply(pg_temp.made('gone'), 'Well said');
select test.act_as('carla');
select pg_temp.like('gone');
select api.unreact(pg_temp.made('gone')), api.unbookmark(pg_temp.made('gone'));
select is(pg_temp.total('alice'), 3 + 3 + 3 + 3 + 1.00, 'two posts earned so much');
select is(pg_temp.score('alice'), 20.00, 'and are contributions');

-- deleted
select test.act_as('alice');
select api.delete_post(pg_temp.made('gone'));
select is(pg_temp.total('alice'), 6.00, 'what the deleted one earned is gone');
select is(pg_temp.value('ethics'), 3.00, 'roll-ups too');
select is(pg_temp.score('alice'), 10.00, 'it is a contribution no more');
select is(pg_temp.total('bob'), 1.00, 'who replied keeps what the reply earned');
select is(pg_temp.score('bob'), 1 + 1 + 1 + 1 + 3.00, 'and what they gave');
select test.act_as_owner();
select private.emit('posts.post.deleted', json_build_object('postId', pg_temp.made('gone'), 'authorId', test.id('alice')),
                    array[test.id('alice')]);
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '6.00 10.00', 'told twice it goes once');
delete from app.reactions where post_id = pg_temp.made('gone');
delete from app.bookmarks where post_id = pg_temp.made('gone');
select is(pg_temp.total('alice'), 6.00, 'nor is anything taken back a second time when its engagement goes');
insert into app.reactions (post_id, user_id, kind) values (pg_temp.made('gone'), test.id('carla'), 'heart');
insert into app.bookmarks (post_id, user_id) values (pg_temp.made('gone'), test.id('carla'));
select is(pg_temp.total('alice'), 6.00, 'engagement that comes too late earns nothing');

-- writing and deleting again and again
do $$
begin
  for i in 1..5 loop
    perform test.act_as('alice');
    delete from made where what = 'again';
    perform pg_temp.post('again', 'applied-ethics');
    perform test.act_as('bob');
    perform pg_temp.like('again');
    perform test.act_as('alice');
    perform api.delete_post(pg_temp.made('again'));
  end loop;
end $$;
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '6.00 10.00', 'writing and deleting leaves what an honest count gives');
select is(pg_temp.value('philosophy'), 1.50, 'on every level');

-- a scheduled one, one by the staff, one by erasure
select test.act_as('alice');
insert into made select 'later', (api.create_post('Later', p_interest_id => pg_temp.interest('music'), p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select api.delete_post(pg_temp.made('later'));
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '6.00 10.00', 'what never went out costs nothing');
select test.act_as_owner();
select private.delete_post(pg_temp.made('kept'));
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '0.00 0.00', 'the staff''s deleting takes all of it too');
select test.act_as('carla');
select pg_temp.post('hers', 'music');
select test.act_as_owner();
select private.erase_person(test.id('carla'));
select is((select sum(delta) from app.reputation_entries where kind = 'post.contributed' and source_id = pg_temp.made('hers') and roll_up_level = 0),
  3.00, 'an erasure leaves the ledger as it is');

-- thousands
insert into app.posts (id, author_id, body, interest_id) select gen_random_uuid(), test.id('alice'), 'Much loved', pg_temp.interest('applied-ethics');
insert into made select 'loved', id from app.posts where body = 'Much loved';
select test.crowd('reader_', 2000);
insert into app.reputation_entries (user_id, interest_id, kind, delta, source_id, earned_from)
select test.id('alice'), pg_temp.interest('applied-ethics'), k, 1, pg_temp.made('loved'), u.id
from app.users u, unnest(array['reaction.received', 'bookmark.received']) k where u.username like 'reader_%';
select is(pg_temp.total('alice'), 4000.00, 'thousands of reactions and bookmarks');
select private.delete_post(pg_temp.made('loved'));
select is(pg_temp.total('alice'), 3500.00, 'go 500 at once');
select is((select data from pgboss.job where name = 'forfeited-earnings'),
  jsonb_build_object('postId', pg_temp.made('loved'), 'authorId', test.id('alice')), 'and the rest is left to the worker');
with recursive batch as (
  select private.forfeit_earnings(jsonb_build_object('postId', pg_temp.made('loved'), 'authorId', test.id('alice'))) as done
  union all
  select private.forfeit_earnings(jsonb_build_object('postId', pg_temp.made('loved'), 'authorId', test.id('alice')), (done ->> 'next')::uuid)
  from batch where done ->> 'next' is not null)
select count(*) from batch;
select is(pg_temp.total('alice'), 0.00, 'which takes them, and no more than there are');
select results_eq(
  $$ select user_id, interest_id, value from app.reputation order by 1, 2 $$,
  $$ select user_id, interest_id, sum(delta)::numeric(12, 2) from app.reputation_entries group by 1, 2 order by 1, 2 $$,
  'the snapshot is the sum of the ledger');
select results_eq(
  $$ select user_id, score from app.contribution_scores order by 1 $$,
  $$ select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1 order by 1 $$, 'both are');

select * from finish();
rollback;
