-- Counting replies when many change at once: bans, their ends, erasures, hidden and deleted replies, by one author
-- or several.
begin;
select plan(20);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.counts() returns text language sql stable security definer as $$
  select string_agg(m.name || ' ' || c.replies, ', ' order by m.name) from made m join app.post_counters c on c.post_id = m.id $$;
create function pg_temp.trending_boost(p_name text) returns integer language sql stable security definer as $$
  select trending_boost::integer from app.posts where id = pg_temp.id(p_name) $$;
-- How often the counters of each post were written since the last call
create temp table written (post_id uuid);
create function pg_temp.note() returns trigger language plpgsql security definer as $$
begin insert into written values (new.post_id); return null; end $$;
create trigger note after update on app.post_counters for each row execute function pg_temp.note();
create function pg_temp.writes() returns text language sql volatile security definer as $$
  with gone as (delete from written returning post_id)
  select coalesce(string_agg(t.name || ' ' || t.times, ', ' order by t.name), '')
  from (select m.name, count(*) as times from gone g join made m on m.id = g.post_id group by m.name) t $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two', 'three']) n;
select test.act_as('carla');
select api.create_reply(pg_temp.id('one'), 'Carla');
select test.act_as('bob');
select api.create_reply(pg_temp.id('one'), 'Bob ' || n) from generate_series(1, 6) n;
select api.create_reply(pg_temp.id('two'), 'Bob ' || n) from generate_series(1, 3) n;
select test.act_as_owner();
select is(pg_temp.counts(), 'one 7, three 0, two 3', 'Each reply is counted');
select is(pg_temp.trending_boost('one'), 3, 'Replies raise the trending boost of their post');
select pg_temp.writes();

-- One statement that inserts many
insert into app.replies (post_id, author_id, body)
select pg_temp.id(p), test.id('carla'), p from unnest(array['three', 'one', 'three', 'three']) p;
select is(pg_temp.counts(), 'one 8, three 3, two 3', 'Replies inserted by one statement are all counted');
select is(pg_temp.writes(), 'one 1, three 1', 'Each post''s counters are written once');

-- Hidden, deleted, and both
update app.replies set hidden_at = now() where author_id = test.id('bob') and body in ('Bob 1', 'Bob 2') and post_id = pg_temp.id('one');
select is(pg_temp.counts(), 'one 6, three 3, two 3', 'Replies hidden by one statement are not counted');
select is(pg_temp.writes(), 'one 1', 'The counters are written once for hidden replies');
update app.replies set deleted_at = now() where author_id = test.id('bob') and body in ('Bob 2', 'Bob 3');
select is(pg_temp.counts(), 'one 5, three 3, two 1', 'Deleted replies are not counted, and one that was already hidden isn''t subtracted twice');
select is(pg_temp.writes(), 'one 1, two 1', 'Each post''s counters are written once for deletions');
update app.replies set hidden_at = case when hidden_at is null then now() end
where post_id = pg_temp.id('one') and author_id = test.id('bob') and body in ('Bob 1', 'Bob 4');
select is(pg_temp.counts(), 'one 5, three 3, two 1', 'Unhiding one reply and hiding another leaves the count unchanged');
select is(pg_temp.writes(), '', 'If the count doesn''t change, nothing is written');
update app.replies set body = body || '!';
select is(pg_temp.writes(), '', 'A change of the text writes nothing');

-- A ban and its end
update app.users set banned_at = now() where id = test.id('bob');
select is(pg_temp.counts(), 'one 2, three 3, two 0', 'A ban subtracts all counted replies');
select is(pg_temp.writes(), 'one 1, two 1', 'Each post''s counters are written once, however many replies there are');
select is(pg_temp.trending_boost('two'), 0, 'A post without counted replies loses its trending boost');
update app.users set banned_at = now() where id = test.id('bob');
select is(pg_temp.writes(), '', 'A repeated ban writes nothing');
update app.users set banned_at = null where id = test.id('bob');
select is(pg_temp.counts(), 'one 5, three 3, two 1', 'The end of the ban adds the replies that are neither hidden nor deleted');

-- Two people banned by one statement, and an erasure
update app.users set banned_at = now() where username in ('bob', 'carla');
select is(pg_temp.counts(), 'one 0, three 0, two 0', 'Two bans in one statement subtract the replies of both');
update app.users set banned_at = null where username in ('bob', 'carla');
select pg_temp.writes();
update app.users set erased_at = now() where id = test.id('bob');
select is(pg_temp.counts(), 'one 2, three 3, two 0', 'An erasure subtracts all counted replies');
select is(pg_temp.writes(), 'one 1, two 1', 'Each post''s counters are written once for the erasure');
select private.job_finish_erasures();
select is(pg_temp.writes(), '', 'A repeated erasure writes nothing');

select * from finish();
rollback;
