-- Reposts: what they earn the original's author, once for each person and post, while they exist.
begin;
select plan(18);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.earned(p_name text default 'alice') returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce(sum(delta), 0) from app.reputation_entries
        where user_id = test.id(p_name) and kind = 'repost.received' and roll_up_level = 0 $$;
create function pg_temp.total(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select private.total_reputation(test.id(p_name)) $$;
create temp table made (what text primary key, id uuid);
grant all on made to authenticated;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select 'post', (api.create_post('Deep', p_interest_id => pg_temp.interest('applied-ethics')) ->> 'id')::uuid;
insert into made select 'bare', (api.create_post('Bare') ->> 'id')::uuid;

select test.act_as('bob');
insert into made select 'repost', (api.repost(pg_temp.made('post')) ->> 'id')::uuid;
select is(pg_temp.earned(), 1.00, 'A repost earns the original''s author 1');
select test.act_as_owner();
select is((select interest_id from app.reputation_entries where kind = 'repost.received' and roll_up_level = 0),
  pg_temp.interest('applied-ethics'), 'A repost earns reputation in the interest of the original');
select test.act_as('bob');
select is(pg_temp.total('bob'), 0::numeric, 'The reposter earns nothing');
select api.repost(pg_temp.made('post')), api.repost(pg_temp.made('bare'));
select is(pg_temp.earned(), 1.00, 'A repeated repost, or one of a post without an interest, earns nothing');
select api.repost(pg_temp.made('post'), 'A quote', p_interest_id => pg_temp.interest('music'));
select is(pg_temp.earned() || ' ' || pg_temp.total('bob'), '1.00 3.00', 'A quote earns reputation for its own author, like any post');

select test.act_as('carla');
select api.repost(pg_temp.made('repost'));
select is(pg_temp.earned() || ' ' || pg_temp.earned('bob'), '2.00 0', 'A repost of a repost earns reputation for the author of the original');
select is(pg_temp.total('bob'), 3.00, 'The first reposter earns nothing from a repost of the repost');

-- Actions on a repost apply to the original, and count once
select api.react(p, 'heart'), api.react(p, 'spark'), api.bookmark(p)
from unnest(array[pg_temp.made('repost'), pg_temp.made('post'), pg_temp.made('repost')]) p;
select is(pg_temp.total('bob'), 3.00, 'Reactions and bookmarks of a repost earn the reposter nothing');
select is(pg_temp.total('alice'), 3.00 + 2 + 1 + 1, 'Reactions and bookmarks of a repost earn reputation for the original''s author, once');
select api.unreact(pg_temp.made('repost')), api.unbookmark(pg_temp.made('repost'));
select is(pg_temp.total('alice'), 3.00 + 2, 'Reactions and bookmarks of a repost can be removed by its id');

-- Removing
select api.unrepost(pg_temp.made('post')), api.unrepost(pg_temp.made('post'));
select is(pg_temp.earned(), 1.00, 'Removing a repost reverses what it earned, once');
do $$
begin
  for i in 1..5 loop
    perform api.repost(pg_temp.made('post')), api.unrepost(pg_temp.made('post'));
  end loop;
  perform api.repost(pg_temp.made('post'));
end $$;
select is(pg_temp.earned(), 2.00, 'Reposting and removing repeatedly earns what one repost earns');
select test.act_as('bob');
select api.delete_post(pg_temp.made('repost'));
select is(pg_temp.earned(), 1.00, 'Deleting a repost as a post reverses what it earned too');
select is(pg_temp.total('bob'), 3.00, 'The reposter loses nothing');

-- Deletions by staff, and by an erasure
select api.repost(pg_temp.made('post'));
select is(pg_temp.earned(), 2.00, 'A new repost earns again');
select test.act_as_owner();
select private.delete_post(p.id) from app.posts p where p.author_id = test.id('bob') and p.format = 'repost' and p.deleted_at is null;
select is(pg_temp.earned(), 1.00, 'A deletion by staff reverses what the repost earned');
select private.erase_person(test.id('carla'));
select is(pg_temp.earned(), 1.00, 'An erased person''s repost keeps what it earned, like their reactions');
select results_eq(
  $$ select user_id, interest_id, value from app.reputation order by 1, 2 $$,
  $$ select user_id, interest_id, sum(delta)::numeric(12, 2) from app.reputation_entries group by 1, 2 order by 1, 2 $$,
  'The sums equal the ledger');

select * from finish();
rollback;
