-- Bookmarks in both ledgers: what they earn the post's author and the person who bookmarks, and that removing one
-- reverses it.
begin;
select plan(16);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.earned(p_slug text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce(sum(delta), 0) from app.reputation_entries
        where user_id = test.id('alice') and interest_id = pg_temp.interest(p_slug) and kind = 'bookmark.received' $$;
create function pg_temp.given(p_name text) returns numeric language sql volatile security definer
  as $$ select test.settle();
        select coalesce(sum(delta), 0) from app.contribution_entries where user_id = test.id(p_name) and kind = 'bookmark_given' $$;
create temp table made (what text, id uuid);
grant all on made to authenticated;
create function pg_temp.made(p_what text) returns uuid language sql stable as $$ select id from made where what = p_what $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select 'deep', (api.create_post('Deep', p_interest_id => pg_temp.interest('applied-ethics')) ->> 'id')::uuid;
insert into made select 'bare', (api.create_post('Bare') ->> 'id')::uuid;
select api.bookmark(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics'), 0::numeric, 'The author''s own bookmark earns nothing');
select is(pg_temp.given('alice'), 0::numeric, 'The author''s own bookmark is no contribution');

select test.act_as('bob');
select api.bookmark(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics'), 1.00, 'A bookmark earns the author 1');
select is(pg_temp.earned('ethics'), 0.50, 'The reputation for a bookmark rolls up to the parent interest');
select is(pg_temp.given('bob'), 1.00, 'A bookmark is a contribution of 1');
select api.bookmark(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics') || ' ' || pg_temp.given('bob'), '1.00 1.00', 'A repeated bookmark earns nothing');
select api.unbookmark(pg_temp.made('deep')), api.unbookmark(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics') || ' ' || pg_temp.earned('philosophy') || ' ' || pg_temp.given('bob'), '0.00 0.00 0.00',
  'Removing a bookmark reverses everything, once');
do $$
begin
  for i in 1..10 loop
    perform api.bookmark(pg_temp.made('deep')), api.unbookmark(pg_temp.made('deep'));
  end loop;
  perform api.bookmark(pg_temp.made('deep'));
end $$;
select is(pg_temp.earned('applied-ethics') || ' ' || pg_temp.given('bob'), '1.00 1.00', 'Adding and removing a bookmark repeatedly earns as much as adding it once');
select api.bookmark(pg_temp.made('bare'));
select is(pg_temp.given('bob'), 2.00, 'A bookmark of a post without an interest is a contribution') ;
select is(pg_temp.earned('applied-ethics'), 1.00, 'A bookmark of a post without an interest earns no reputation');

select test.act_as('carla');
select api.bookmark(pg_temp.made('deep')), api.react(pg_temp.made('deep'), 'heart');
select is(pg_temp.earned('applied-ethics'), 2.00, 'Each person''s bookmark counts, and a heart is counted separately');

select test.act_as('alice');
select api.unbookmark(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics'), 2.00, 'Removing the author''s own bookmark costs nothing');

-- As the owner: the interest changes, and many bookmarks are deleted at once
select test.act_as_owner();
update app.posts set interest_id = pg_temp.interest('music') where id = pg_temp.made('deep');
select test.act_as('bob');
select api.unbookmark(pg_temp.made('deep'));
select is(pg_temp.earned('applied-ethics') || ' ' || pg_temp.earned('music'), '1.00 0', 'A removed bookmark is reversed in the interest where it was earned');
select test.act_as_owner();
delete from app.bookmarks;
select is(pg_temp.earned('applied-ethics') || ' ' || pg_temp.given('bob') || ' ' || pg_temp.given('carla'), '0.00 0.00 0.00', 'Bookmarks deleted at once are all reversed');
select results_eq(
  $$ select user_id, interest_id, value from app.reputation order by 1, 2 $$,
  $$ select user_id, interest_id, sum(delta)::numeric(12, 2) from app.reputation_entries group by 1, 2 order by 1, 2 $$,
  'The reputation sums equal the ledger');
select results_eq(
  $$ select user_id, score from app.contribution_scores order by 1 $$,
  $$ select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1 order by 1 $$, 'The contribution scores equal the ledger');

select * from finish();
rollback;
