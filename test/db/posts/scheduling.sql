-- Scheduled posts: who sees them, how they are published, and what can still be changed. test/worker/schedule.test.ts
-- tests two workers.
begin;
select plan(75);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'body', ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
create function pg_temp.walk(p_limit integer) returns text language plpgsql as $$
declare
  v_page  json := api.list_scheduled_posts(p_limit);
  v_names text := pg_temp.names(v_page);
begin
  while v_page ->> 'nextCursor' is not null loop
    v_page := api.list_scheduled_posts(p_limit, v_page ->> 'nextCursor');
    v_names := v_names || ' ' || pg_temp.names(v_page);
  end loop;
  return v_names;
end $$;
create function pg_temp.happened(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(name, ' ' order by id), '') from app.domain_events where payload ->> 'postId' = pg_temp.id(p_name)::text $$;
create function pg_temp.earned(p_name text) returns integer language sql volatile security definer as $$
  select test.settle();
  select count(*)::int from app.reputation_entries where source_id = pg_temp.id(p_name) and kind = 'post.contributed' and roll_up_level = 0 $$;
create function pg_temp.announced(p_name text) returns integer language sql volatile security definer as $$
  select test.settle();
  select count(*)::int from realtime.messages where topic = 'feed:public' and payload ->> 'id' = pg_temp.id(p_name)::text $$;
create function pg_temp.due(p_name text) returns void language sql security definer as $$
  update app.posts set publish_at = now() - interval '1 second' where id = pg_temp.id(p_name) $$;
-- Calls the worker's job until no row is due, and returns the number of calls that changed rows
create function pg_temp.work() returns integer language plpgsql security definer as $$
declare
  v_count integer := 0;
begin
  while private.job_publish_scheduled() > 0 loop v_count := v_count + 1; end loop;
  return v_count;
end $$;
create function pg_temp.post(p_name text, p_hours integer, p_visibility text default 'public') returns json language plpgsql as $$
declare
  v_card json := api.create_post(p_name, p_visibility => p_visibility, p_publish_at => now() + p_hours * interval '1 hour',
                                 p_interest_id => (select id from app.interests order by slug limit 1));
begin
  insert into made values (p_name, (v_card ->> 'id')::uuid);
  return v_card;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
create temp table card as select pg_temp.post('third', 3) as card;
grant select on card to public;
select is((select card ->> 'publishAt' from card), private.utc(now() + interval '3 hours'), 'A scheduled post has its due time');
select is((select card ->> 'publishedAt' from card), null, 'A scheduled post has no time of publication');
select pg_temp.post('first', 1);
select pg_temp.post('second', 2, 'circles');
select is(pg_temp.happened('first'), '', 'A scheduled post has emitted no event');
select is(pg_temp.earned('first'), 0, 'A scheduled post has earned nothing');
select is(pg_temp.announced('first'), 0, 'A scheduled post isn''t broadcast');
select is(pg_temp.names(api.list_scheduled_posts()), 'first second third', 'Authors have a list of scheduled posts, soonest first');
select is(pg_temp.walk(n), 'first second third', 'The list is complete in pages of ' || n) from generate_series(1, 3) n;
select is(pg_temp.names(api.list_posts_by('alice')), '', 'A scheduled post isn''t on the profile');
select is(json_array_length(api.list_feed() -> 'items'), 0, 'A scheduled post isn''t in the feed');
select lives_ok($$ select api.get_post(pg_temp.id('first')) $$, 'The author can open a scheduled post');
select throws_ok(format('select api.create_post(%L, p_publish_at => %L)', 'x', t), 'PT422', 'publish_at_past', 'A post can''t be scheduled for ' || t)
from unnest(array['now', '2000-01-01', '9999-12-31Z', 'infinity', '-infinity']::timestamptz[]) t;
select is(api.create_post('At once', p_publish_at => null) ->> 'publishAt', null, 'A null time publishes immediately');

-- Acting as Bob: others don't see scheduled posts
select test.act_as('bob');
select throws_ok(format('select %s', format(c, pg_temp.id('first'))), 'PT404', 'post_unknown', 'A scheduled post is unknown to others: ' || c)
from unnest(array['api.get_post(%L)', 'api.list_replies(%L)', 'api.react(%L, ''heart'')', 'api.create_reply(%L, ''x'')', 'api.bookmark(%L)',
                  'api.create_post('''', ''repost'', p_quoted_post_id => %L)', 'api.update_post(%L, ''{}'')', 'api.delete_post(%L)']) c;
select is(pg_temp.names(api.list_scheduled_posts()), '', 'Other people''s lists don''t have the scheduled post');
select is(pg_temp.names(api.list_posts_by('alice')), 'At once', 'The author''s profile doesn''t show the scheduled post to others');
select throws_ok(format('select api.list_scheduled_posts(p_cursor => %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array[pg_temp.id('first')::text, '00000000-0000-4000-8000-000000000000', 'x', '']) c;

-- The publication by the job
select is(pg_temp.work(), 0, 'The job publishes no post before its time');
select pg_temp.due('first');
select pg_temp.due('second');
select is(pg_temp.work(), 2, 'The job publishes posts that are due');
select is(pg_temp.work(), 0, 'The job publishes a post only once');
select is(pg_temp.happened('first'), 'posts.post.published', 'A public post emits the publishing event');
select is(pg_temp.happened('second'), 'posts.post.published', 'A post for circles emits the publishing event');
select is(pg_temp.earned('first'), 1, 'A published post earns contribution');
select is(pg_temp.announced('first'), 1, 'A public post is broadcast');
select is(pg_temp.announced('second'), 0, 'A post for circles is not broadcast');
select test.act_as_owner();
select is((select array[published_at, scheduled_emitted_at] from app.posts where id = pg_temp.id('first')), array[now(), now()], 'The time of publication is now');
select is((select published_at from app.post_interests where post_id = pg_temp.id('first')), now(), 'The rows of the post''s interests have the same time of publication');
select test.act_as('bob');
select is(api.get_post(pg_temp.id('first')) ->> 'body', 'first', 'Others can read the published post');
select test.act_as('alice');
select is(pg_temp.names(api.list_scheduled_posts()), 'third', 'A published post isn''t listed as scheduled');
select is(pg_temp.names(api.list_scheduled_posts(p_cursor => pg_temp.id('second')::text)), 'third', 'A published post stays valid as a cursor of the list');
select throws_ok($$ select api.update_post(pg_temp.id('first'), '{"publishAt": null}') $$, 'PT422', 'post_is_published', 'The time of a published post can''t be changed any more');

-- Moving the time
select is((api.update_post(pg_temp.id('third'), '{"publishAt": "2099-01-01T00:00:00Z"}') ->> 'publishAt')::timestamptz, '2099-01-01 00:00+00'::timestamptz, 'The time can be moved');
select throws_ok(format('select api.update_post(pg_temp.id(%L), %L)', 'third', jsonb_build_object('publishAt', t)), 'PT422', 'publish_at_past', 'The time can''t be moved to ' || t)
from unnest(array['2000-01-01T00:00:00Z', 'infinity']) t;
select is(api.update_post(pg_temp.id('third'), '{"publishAt": null, "body": "at last"}') ->> 'publishAt', null, 'A null time publishes the post now');
select is(pg_temp.happened('third'), 'posts.post.published', 'The immediate publication emits the publishing event');
select is(pg_temp.earned('third') || ' ' || pg_temp.announced('third'), '1 1', 'The immediate publication earns contribution and is broadcast');
select is(api.get_post(pg_temp.id('third')) ->> 'publishedAt', private.utc(now()), 'A post published immediately has a time of publication');
select is(pg_temp.work(), 0, 'The job has nothing left to publish');
select lives_ok($$ select api.list_scheduled_posts(p_cursor => pg_temp.id('third')::text) $$, 'The post stays valid as a cursor of the list');
select pg_temp.post('other', 1);
select test.act_as('bob');
select private.publish_now(pg_temp.id('other'));
select is(pg_temp.happened('other'), '', 'Nobody can publish another person''s post');

-- Hidden, deleted, banned, erased
select test.act_as('carla');
select pg_temp.post('hidden', 1);
select pg_temp.post('deleted', 1);
select api.delete_post(pg_temp.id('deleted'));
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('hidden');
select pg_temp.due('hidden'), pg_temp.due('deleted'), pg_temp.due('other');
update app.users set banned_at = now() where id = test.id('alice');
select is(pg_temp.work(), 1, 'The job publishes a hidden post, but no deleted one and none of a banned person');
select is(pg_temp.happened('hidden'), 'posts.post.published', 'A hidden post emits the publishing event');
select is(pg_temp.announced('hidden'), 0, 'A hidden post is not broadcast');
select is(pg_temp.happened('deleted'), 'posts.post.deleted', 'A deleted post isn''t published');
select test.act_as('bob');
select throws_ok($$ select api.get_post(pg_temp.id('hidden')) $$, 'PT404', 'post_unknown', 'A hidden post stays hidden after publication');
select test.act_as_owner();
update app.users set banned_at = null where id = test.id('alice');
select is(pg_temp.work(), 1, 'When a ban ends, due posts are published');
select test.act_as('carla');
select pg_temp.post('erased', 1);
select test.act_as_owner();
select pg_temp.due('erased');
update app.users set erased_at = now() where id = test.id('carla');
select is(pg_temp.work(), 0, 'An erased person''s post isn''t published');

-- A post that can't be published, for whatever reason, doesn't delay others
create function pg_temp.refuse() returns trigger language plpgsql as $$
begin
  case new.payload ->> 'postId'
  when (select id from made where name = 'stuck')::text then raise exception 'no luck';
  when (select id from made where name = 'slow')::text then raise exception using errcode = 'query_canceled';
  else return new;
  end case;
end $$;
create trigger refuse before insert on app.domain_events for each row execute function pg_temp.refuse();
select test.act_as('alice');
select pg_temp.post('stuck', 1), pg_temp.post('slow', 1), pg_temp.post('behind', 1), pg_temp.post('last', 1);
select test.act_as_owner();
update app.posts p set publish_at = now() - interval '1 hour' + place * interval '1 minute'
from (values ('stuck', 1), ('slow', 2), ('behind', 3), ('last', 4)) m (name, place) where p.id = pg_temp.id(m.name);
select is(array(select private.job_publish_scheduled() from generate_series(1, 5)), '{-1,-1,1,1,0}'::integer[],
  'Two failing posts, one by a timeout, are reported and left for later');
select is(pg_temp.happened('behind') || ' ' || pg_temp.happened('last'), 'posts.post.published posts.post.published', 'The other posts are published');
select is((select published_at from app.posts where id = pg_temp.id('stuck')), null, 'A failed publication leaves no changes');
select test.act_as('alice');
select pg_temp.post('younger', 1);
select test.act_as_owner();
update app.posts set publish_again_at = now() - interval '1 minute' where publish_again_at is not null;
update app.posts set publish_at = now() - interval '2 minutes' where id = pg_temp.id('younger');
select is(array(select private.job_publish_scheduled() from generate_series(1, 4)), '{1,-1,-1,0}'::integer[], 'A failed post is tried again after posts that were due before its next attempt');
drop trigger refuse on app.domain_events;
select is(pg_temp.work(), 0, 'Failed posts are not tried again immediately');
update app.posts set publish_again_at = now() where publish_again_at is not null;
select is(pg_temp.work(), 2, 'Failed posts are published once the cause is gone');
select is(pg_temp.happened('stuck') || ' ' || pg_temp.happened('slow'), 'posts.post.published posts.post.published', 'Posts that failed at first emit the publishing event');
select is(pg_temp.earned('stuck'), 1, 'A post that failed at first earns contribution once');
select is(pg_temp.announced('slow'), 1, 'Posts that failed at first are broadcast');

-- A quote whose original was deleted meanwhile
select test.act_as('alice');
insert into made select 'original', (api.create_post('Original') ->> 'id')::uuid;
select test.act_as('bob');
insert into made select 'quote', (api.create_post('So true', 'quote', p_quoted_post_id => pg_temp.id('original'), p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select is(pg_temp.happened('original'), 'posts.post.published', 'A scheduled quote emits no event');
select test.act_as('alice');
select api.delete_post(pg_temp.id('original'));
select pg_temp.due('quote');
select is(pg_temp.work(), 1, 'A quote of a deleted post is published');
select is(api.get_post(pg_temp.id('quote')) ->> 'quotedPost', null, 'The published quote shows only its own text');

select * from finish();
rollback;
