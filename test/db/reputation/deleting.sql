-- Deleted posts: their author loses exactly what the posts earned, in both ledgers. Others keep what they earned.
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
select is(pg_temp.total('alice'), 3 + 3 + 3 + 3 + 1.00, 'Two posts have earned reputation');
select is(pg_temp.score('alice'), 20.00, 'Two posts count as contributions');

-- One post is deleted
select test.act_as('alice');
select api.delete_post(pg_temp.made('gone'));
select is(pg_temp.total('alice'), 6.00, 'The deleted post''s earnings are reversed');
select is(pg_temp.value('ethics'), 3.00, 'The roll-ups of the deleted post are reversed');
select is(pg_temp.score('alice'), 10.00, 'The deleted post is no contribution any more');
select is(pg_temp.total('bob'), 1.00, 'A replier keeps what the reply earned');
select is(pg_temp.score('bob'), 1 + 1 + 1 + 1 + 3.00, 'A replier keeps the contributions of their replies');
select test.act_as_owner();
select private.emit('posts.post.deleted', json_build_object('postId', pg_temp.made('gone'), 'authorId', test.id('alice')),
                    array[test.id('alice')]);
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '6.00 10.00', 'A repeated event of the deletion reverses nothing');
delete from app.reactions where post_id = pg_temp.made('gone');
delete from app.bookmarks where post_id = pg_temp.made('gone');
select is(pg_temp.total('alice'), 6.00, 'Deleting the reactions and bookmarks of a deleted post reverses nothing');
insert into app.reactions (post_id, user_id, kind) values (pg_temp.made('gone'), test.id('carla'), 'heart');
insert into app.bookmarks (post_id, user_id) values (pg_temp.made('gone'), test.id('carla'));
select is(pg_temp.total('alice'), 6.00, 'Reactions and bookmarks after the deletion earn nothing');

-- Writing and deleting repeatedly
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
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '6.00 10.00', 'Writing and deleting repeatedly earns nothing');
select is(pg_temp.value('philosophy'), 1.50, 'Writing and deleting repeatedly leaves nothing in the roll-ups either');

-- A scheduled post, a post deleted by staff, and a post of an erased person
select test.act_as('alice');
insert into made select 'later', (api.create_post('Later', p_interest_id => pg_temp.interest('music'), p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select api.delete_post(pg_temp.made('later'));
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '6.00 10.00', 'Deleting a scheduled post costs nothing');
select test.act_as_owner();
select private.delete_post(pg_temp.made('kept'));
select is(pg_temp.total('alice') || ' ' || pg_temp.score('alice'), '0.00 0.00', 'A deletion by staff reverses the earnings too');
select test.act_as('carla');
select pg_temp.post('hers', 'music');
select test.act_as_owner();
select private.erase_person(test.id('carla'));
select is((select sum(delta) from app.reputation_entries where kind = 'post.contributed' and source_id = pg_temp.made('hers') and roll_up_level = 0),
  3.00, 'An erasure leaves the ledger unchanged');

-- A post with thousands of reactions and bookmarks
insert into app.posts (id, author_id, body, interest_id) select gen_random_uuid(), test.id('alice'), 'Much loved', pg_temp.interest('applied-ethics');
insert into made select 'loved', id from app.posts where body = 'Much loved';
select test.crowd('reader_', 2000);
insert into app.reputation_entries (user_id, interest_id, kind, delta, source_id, earned_from)
select test.id('alice'), pg_temp.interest('applied-ethics'), k, 1, pg_temp.made('loved'), u.id
from app.users u, unnest(array['reaction.received', 'bookmark.received']) k where u.username like 'reader_%';
select is(pg_temp.total('alice'), 4000.00, 'Thousands of reactions and bookmarks have earned 4000');
select private.delete_post(pg_temp.made('loved'));
select is(pg_temp.total('alice'), 3500.00, 'A deletion reverses 500 entries in its own transaction');
select is((select data from pgboss.job where name = 'forfeited-earnings'),
  jsonb_build_object('postId', pg_temp.made('loved'), 'authorId', test.id('alice')), 'A job is queued for the rest');
with recursive batch as (
  select private.forfeit_earnings(jsonb_build_object('postId', pg_temp.made('loved'), 'authorId', test.id('alice'))) as done
  union all
  select private.forfeit_earnings(jsonb_build_object('postId', pg_temp.made('loved'), 'authorId', test.id('alice')), (done ->> 'next')::uuid)
  from batch where done ->> 'next' is not null)
select count(*) from batch;
select is(pg_temp.total('alice'), 0.00, 'The worker reverses the rest, and nothing more');
select results_eq(
  $$ select user_id, interest_id, value from app.reputation order by 1, 2 $$,
  $$ select user_id, interest_id, sum(delta)::numeric(12, 2) from app.reputation_entries group by 1, 2 order by 1, 2 $$,
  'The reputation sums equal the ledger');
select results_eq(
  $$ select user_id, score from app.contribution_scores order by 1 $$,
  $$ select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1 order by 1 $$, 'The contribution scores equal the ledger');

select * from finish();
rollback;
