-- Deleting one's post: who may, what is left, and what it takes along.
begin;
select plan(30);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.events() returns text language sql stable security definer as $$
  select coalesce(string_agg(e.payload ->> 'authorId' || ' ' || m.name, ', ' order by e.id), '')
  from app.domain_events e join made m on m.id = (e.payload ->> 'postId')::uuid where e.name = 'posts.post.deleted' $$;
create function pg_temp.post(p_name text, p_visibility text default 'public', p_at timestamptz default null) returns void language sql as $$
  insert into made select p_name, (api.create_post(p_name, p_visibility => p_visibility, p_publish_at => p_at) ->> 'id')::uuid $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select pg_temp.post(n) from unnest(array['plain', 'pinned', 'hidden', 'quoted', 'part']) n;
select pg_temp.post('closed', 'inner');
select pg_temp.post('scheduled', p_at => now() + interval '1 hour');
select api.pin_post(pg_temp.id('pinned'));
select api.update_post(pg_temp.id('plain'), '{"body": "Plainer"}');
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('hidden');
select test.act_as('bob');
select api.create_reply(pg_temp.id('plain'), 'Indeed');
insert into made select 'repost', (api.create_post(p_format => 'repost', p_quoted_post_id => pg_temp.id('quoted')) ->> 'id')::uuid;
insert into made select 'quote', (api.create_post('See', 'quote', p_quoted_post_id => pg_temp.id('quoted')) ->> 'id')::uuid;

-- Acting as Bob: nobody deletes what is another's
select throws_ok(format('select api.delete_post(%L)', pg_temp.id(n)), state, word, n)
from (values ('plain', 'PT403', 'post_not_yours'), ('closed', 'PT404', 'post_unknown'), ('hidden', 'PT404', 'post_unknown'),
             ('scheduled', 'PT404', 'post_unknown')) c (n, state, word);
select throws_ok($$ select api.delete_post(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'nor what there is not');
select is(pg_temp.events(), '', 'and it is no event');
select throws_ok($$ update app.posts set deleted_at = now() $$, '42501', null, 'nor by hand');
select private.delete_own_post(pg_temp.id('plain'));
select lives_ok($$ select api.get_post(pg_temp.id('plain')) $$, 'nor by the helper');

-- Acting as Alice
select test.act_as('alice');
select ok(api.delete_post(pg_temp.id('plain')) is null, 'an author deletes a post');
select is(pg_temp.events(), test.id('alice') || ' plain', 'which is an event');
select throws_ok($$ select api.get_post(pg_temp.id('plain')) $$, 'PT404', 'post_unknown', 'it is gone for its author');
select throws_ok($$ select api.list_replies(pg_temp.id('plain')) $$, 'PT404', 'post_unknown', 'with its replies');
select throws_ok($$ select api.delete_post(pg_temp.id('plain')) $$, 'PT404', 'post_unknown', 'a second time there is none');
select throws_ok($$ select api.update_post(pg_temp.id('plain'), '{"body": "x"}') $$, 'PT404', 'post_unknown', 'to edit neither');
select is(pg_temp.events(), test.id('alice') || ' plain', 'and it happened once');
select ok(api.delete_post(pg_temp.id(n)) is null, n) from unnest(array['pinned', 'hidden', 'quoted', 'closed', 'scheduled']) n;
select is((select string_agg(i ->> 'body', ' ') from json_array_elements(api.list_posts_by('alice') -> 'items') i), 'part', 'the profile has what is left');
select is(json_array_length(api.list_scheduled_posts() -> 'items'), 0, 'nothing is scheduled');

select test.act_as_owner();
select is((select body from app.posts where id = pg_temp.id('plain')), 'Plainer', 'the words stay for the staff');
select is((select count(*)::int from app.post_versions where post_id = pg_temp.id('plain')), 1, 'and what they were before');
select ok((select deleted_at = now() and pinned_at is not null from app.posts where id = pg_temp.id('pinned')), 'a deleted post leaves its place among the pins behind');
select ok((select hidden_at is not null from app.posts where id = pg_temp.id('hidden')), 'a hidden one was hidden');
update app.posts set publish_at = now() - interval '1 second' where id = pg_temp.id('scheduled');
select is(private.job_publish_scheduled(), 0, 'and a scheduled one never goes out');

-- Acting as Bob: what was made of it
select test.act_as('bob');
select throws_ok($$ select api.get_post(pg_temp.id('repost')) $$, 'PT404', 'post_unknown', 'a repost goes with what it is of');
select is(api.get_post(pg_temp.id('quote')) ->> 'quotedPost', null, 'a quote shows nothing any more');
select is(api.get_post(pg_temp.id('quote')) ->> 'quotedPostId', null, 'not even which it was');

select * from finish();
rollback;
