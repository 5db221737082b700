-- Deleting one's own post: who can, what is left, and what is deleted with it.
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

-- Acting as Bob: nobody can delete another person's post
select throws_ok(format('select api.delete_post(%L)', pg_temp.id(n)), state, word, 'Another person can''t delete the post: ' || n)
from (values ('plain', 'PT403', 'post_not_yours'), ('closed', 'PT404', 'post_unknown'), ('hidden', 'PT404', 'post_unknown'),
             ('scheduled', 'PT404', 'post_unknown')) c (n, state, word);
select throws_ok($$ select api.delete_post(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be deleted');
select is(pg_temp.events(), '', 'A refused deletion is no event');
select throws_ok($$ update app.posts set deleted_at = now() $$, '42501', null, 'Nobody can set deleted_at in the table');
select private.delete_own_post(pg_temp.id('plain'));
select lives_ok($$ select api.get_post(pg_temp.id('plain')) $$, 'The private function doesn''t delete another person''s post');

-- Acting as Alice
select test.act_as('alice');
select ok(api.delete_post(pg_temp.id('plain')) is null, 'An author can delete a post');
select is(pg_temp.events(), test.id('alice') || ' plain', 'The deletion is an event');
select throws_ok($$ select api.get_post(pg_temp.id('plain')) $$, 'PT404', 'post_unknown', 'The author can''t see the deleted post');
select throws_ok($$ select api.list_replies(pg_temp.id('plain')) $$, 'PT404', 'post_unknown', 'The author can''t list the replies of the deleted post');
select throws_ok($$ select api.delete_post(pg_temp.id('plain')) $$, 'PT404', 'post_unknown', 'The deleted post can''t be deleted again');
select throws_ok($$ select api.update_post(pg_temp.id('plain'), '{"body": "x"}') $$, 'PT404', 'post_unknown', 'The deleted post can''t be edited');
select is(pg_temp.events(), test.id('alice') || ' plain', 'Only one event was emitted');
select ok(api.delete_post(pg_temp.id(n)) is null, 'The author can delete the post: ' || n) from unnest(array['pinned', 'hidden', 'quoted', 'closed', 'scheduled']) n;
select is((select string_agg(i ->> 'body', ' ') from json_array_elements(api.list_posts_by('alice') -> 'items') i), 'part', 'The profile has only the remaining post');
select is(json_array_length(api.list_scheduled_posts() -> 'items'), 0, 'The list of scheduled posts is empty');

select test.act_as_owner();
select is((select body from app.posts where id = pg_temp.id('plain')), 'Plainer', 'The row of a deleted post keeps its text, for staff');
select is((select count(*)::int from app.post_versions where post_id = pg_temp.id('plain')), 1, 'The earlier version of a deleted post is kept');
select ok((select deleted_at = now() and pinned_at is not null from app.posts where id = pg_temp.id('pinned')), 'The row of a deleted post keeps its pin');
select ok((select hidden_at is not null from app.posts where id = pg_temp.id('hidden')), 'The row of a deleted post that was hidden is still marked as hidden');
update app.posts set publish_at = now() - interval '1 second' where id = pg_temp.id('scheduled');
select is(private.job_publish_scheduled(), 0, 'A deleted scheduled post isn''t published');

-- Acting as Bob: reposts and quotes of deleted posts
select test.act_as('bob');
select throws_ok($$ select api.get_post(pg_temp.id('repost')) $$, 'PT404', 'post_unknown', 'A repost of a deleted post is unknown');
select is(api.get_post(pg_temp.id('quote')) ->> 'quotedPost', null, 'A quote of a deleted post shows no quoted post');
select is(api.get_post(pg_temp.id('quote')) ->> 'quotedPostId', null, 'A quote of a deleted post shows no id');

select * from finish();
rollback;
