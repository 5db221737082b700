-- Reposts and quotes: what can be reposted, who sees it, what is counted, the events and notifications, and removing.
begin;
select plan(55);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.keep(p_name text, p_card json) returns json language plpgsql as $$
begin
  insert into made values (p_name, (p_card ->> 'id')::uuid) on conflict (name) do update set id = excluded.id;
  return p_card;
end $$;
create function pg_temp.shares(p_name text) returns integer language sql stable security definer
  as $$ select shares from app.post_counters where post_id = pg_temp.id(p_name) $$;
create function pg_temp.standing(p_name text) returns integer language sql stable security definer
  as $$ select count(*)::int from app.posts where quoted_post_id = pg_temp.id(p_name) and format = 'repost' and deleted_at is null $$;
create function pg_temp.events(p_name text) returns integer language sql stable security definer
  as $$ select count(*)::int from app.domain_events where name = p_name $$;
create function pg_temp.event(p_like text) returns text language sql stable security definer
  as $$ select name || ' ' || payload from app.domain_events where name like p_like order by id desc limit 1 $$;
create function pg_temp.told(p_name text, p_kind text) returns text language sql volatile security definer
  as $$ select test.settle();
        select string_agg(n.count || ' ' || n.payload, ', ' order by n.created_at, n.id) from app.notifications n
        where n.user_id = test.id(p_name) and n.kind = p_kind $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select pg_temp.keep('post', api.create_post('Hello'));
select pg_temp.keep('circles', api.create_post('For circles', p_visibility => 'circles'));

-- Acting as Bob: a repost
select test.act_as('bob');
select pg_temp.keep('repost', api.repost(pg_temp.id('post')));
select results_eq($$ select format, body, quoted_post_id, author_id, deleted_at from app.posts where id = pg_temp.id('repost') $$,
  $$ values ('repost', '', pg_temp.id('post'), test.id('bob'), null::timestamptz) $$, 'A repost has no body and refers to its original');
select is(api.get_post(pg_temp.id('repost')) #>> '{quotedPost,body}', 'Hello', 'A repost shows its original');
select is(api.get_post(pg_temp.id('post')) #>> '{viewer,reposted}', 'true', 'The original shows that the caller reposted it');
select is(pg_temp.shares('post'), 1, 'The original counts the repost');
select is(pg_temp.event('posts.post.reposted'), 'posts.post.reposted '::text || jsonb_build_object(
  'postId', pg_temp.id('post'), 'repostId', pg_temp.id('repost'), 'userId', test.id('bob')), 'A repost is an event of the original');
select is(pg_temp.told('alice', 'post.reposted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'repostId', pg_temp.id('repost')),
  'The original''s author is notified');
select is((api.repost(pg_temp.id('post')) ->> 'id')::uuid, pg_temp.id('repost'), 'Reposting again returns the same repost');
select is((api.repost(pg_temp.id('post'), e' \n ') ->> 'id')::uuid, pg_temp.id('repost'), 'Reposting with a blank body returns the same repost');
select is((api.repost(pg_temp.id('repost')) ->> 'id')::uuid, pg_temp.id('repost'), 'Reposting by the repost''s id returns the same repost');
select is(pg_temp.shares('post') || ' ' || pg_temp.events('posts.post.reposted'), '1 1', 'A repeated repost is neither counted nor notified again');

-- A quote
select is(pg_temp.keep('quote', api.repost(pg_temp.id('post'), ' Look at this ')) ->> 'format', 'quote', 'A repost with a body is a quote');
select is(api.get_post(pg_temp.id('quote')) ->> 'body', 'Look at this', 'A quote has its own text');
select is(pg_temp.shares('post'), 1, 'A quote doesn''t count as a share');
select is(pg_temp.event('posts.post.quoted'), 'posts.post.quoted '::text || jsonb_build_object(
  'postId', pg_temp.id('post'), 'quoteId', pg_temp.id('quote'), 'userId', test.id('bob')), 'A quote is an event of the quoted post');
select is(pg_temp.told('alice', 'post.quoted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'quoteId', pg_temp.id('quote')),
  'The quoted post''s author is notified');
select is((api.repost(pg_temp.id('post'), 'And again', 'inner', 3) #>> '{depthLabel}'), 'Expert', 'A quote can have a depth');
select is(pg_temp.told('alice', 'post.quoted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'quoteId', pg_temp.id('quote')),
  'The author isn''t notified of a quote they can''t see');

-- What can't be reposted
select throws_ok($$ select api.repost(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be reposted');
select throws_ok($$ select api.repost(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be reposted');
select throws_ok($$ select api.repost(pg_temp.id('circles'), 'Look') $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be quoted');
select throws_ok($$ select api.repost(pg_temp.id('post'), repeat('x', 5001)) $$, 'PT422', 'post_body', 'A quote of more than 5000 characters is refused');
select throws_ok($$ insert into app.posts (author_id, format, body, quoted_post_id) values (test.id('bob'), 'quote', 'x', pg_temp.id('circles')) $$,
  '42501', null, 'Nobody can insert a quote of a post they don''t see');
select test.act_as('alice');
select throws_ok($$ select api.repost(pg_temp.id('post')) $$, 'PT400', 'repost_own', 'Authors can''t repost their own post');
select throws_ok($$ select api.repost(pg_temp.id('post'), 'Look at me') $$, 'PT400', 'repost_own', 'Authors can''t quote their own post');
select throws_ok($$ select api.repost(pg_temp.id('repost')) $$, 'PT400', 'repost_own', 'Authors can''t repost a repost of their own post');
select throws_ok($$ select api.create_post('', 'repost', p_quoted_post_id => pg_temp.id('post')) $$, 'PT400', 'repost_own', 'Authors can''t repost their own post with create_post either');

-- Acting as Carla: a repost of a repost, which refers to the original, and who sees it
select test.act_as('carla');
select pg_temp.keep('second', api.repost(pg_temp.id('repost'), p_visibility => 'circles'));
select is((select quoted_post_id from app.posts where id = pg_temp.id('second')), pg_temp.id('post'), 'A repost of a repost refers to the original');
select is(pg_temp.shares('post'), 2, 'A repost of a repost is counted for the original');
select is(pg_temp.told('alice', 'post.reposted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'repostId', pg_temp.id('repost')),
  'The author isn''t notified of a repost they can''t see');
select test.act_as('dave');
select is((select count(*)::int from app.posts where id = pg_temp.id('second')), 0, 'A repost for circles is hidden from a stranger');
select is((select count(*)::int from app.posts where id = pg_temp.id('repost')), 1, 'A public repost is visible to a stranger');
select test.act_as('alice');
select api.block_person('dave');
select test.act_as('dave');
select is((select count(*)::int from app.posts where id = pg_temp.id('repost')), 0, 'A repost is hidden from people who can''t see the original');
select throws_ok($$ select api.repost(pg_temp.id('repost')) $$, 'PT404', 'post_unknown', 'People who can''t see the original can''t repost the repost');
select throws_ok($$ select api.unrepost(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'People who can''t see the original and never reposted it get post_unknown');

-- Removing a repost
select test.act_as('carla');
select is(api.unrepost(pg_temp.id('post'))::text, null, 'A repost can be removed by the original''s id');
select is(pg_temp.shares('post'), 1, 'A removed repost is not counted');
select is(pg_temp.event('posts.post.deleted'), 'posts.post.deleted '::text || jsonb_build_object(
  'postId', pg_temp.id('second'), 'authorId', test.id('carla')), 'Removing a repost deletes it');
select is(api.unrepost(pg_temp.id('post'))::text || api.unrepost(pg_temp.id('second'))::text, null, 'Removing a repost again, by either id, is not an error');
select is(pg_temp.shares('post') || ' ' || pg_temp.events('posts.post.deleted'), '1 1', 'Removing a repost again subtracts nothing and emits no event');
select throws_ok($$ select api.unrepost(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'Removing the repost of an unknown post is refused');
select isnt((pg_temp.keep('third', api.repost(pg_temp.id('post'))) ->> 'id')::uuid, pg_temp.id('second'), 'Reposting again makes a new post');
select is(pg_temp.shares('post'), 2, 'The new repost is counted');
select api.unrepost(pg_temp.id('repost'));
select is(pg_temp.shares('post') || ' ' || pg_temp.standing('post'), '1 1', 'The id of another person''s repost removes the caller''s own');
select is(pg_temp.rows($$ update app.posts set body = 'x' where id = pg_temp.id('repost') $$), 0, 'Another person''s repost can''t be changed');

-- However a repost is deleted, it is subtracted once
select test.act_as('bob');
select api.delete_post(pg_temp.id('repost'));
select is(pg_temp.shares('post'), 0, 'A repost deleted as a post is not counted');
select api.unrepost(pg_temp.id('repost'));
select is(pg_temp.shares('post'), 0, 'Removing the deleted repost with unrepost subtracts nothing');
select pg_temp.keep('repost', api.repost(pg_temp.id('post')));
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('repost');
update app.posts set body = '', deleted_at = deleted_at where id = pg_temp.id('repost');
select is(pg_temp.shares('post'), 1, 'Other changes of a repost don''t change the count');
select private.erase_person(test.id('bob'));
select is(pg_temp.shares('post'), 0, 'An erasure of its author removes the repost from the count');
select is((select shares from app.post_counters where post_id = pg_temp.id('post')), pg_temp.standing('post'), 'The counter equals a count of the rows');

-- A scheduled quote is an event when it is published
select test.act_as('carla');
select pg_temp.keep('later', api.create_post('Later', 'quote', p_quoted_post_id => pg_temp.id('post'), p_publish_at => now() + interval '1 hour'));
select is(pg_temp.events('posts.post.quoted'), 2, 'A scheduled quote is no event');
select test.act_as_owner();
update app.posts set publish_at = now() where id = pg_temp.id('later');
select is(private.job_publish_scheduled(), 1, 'The scheduled quote is published');
select is(pg_temp.told('alice', 'post.quoted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'quoteId', pg_temp.id('later')), 'The quoted post''s author is notified when the quote is published');

-- A deleted original
select test.act_as('alice');
select api.delete_post(pg_temp.id('post'));
select test.act_as('carla');
select throws_ok($$ select api.repost(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'A deleted post can''t be reposted');
select is(api.get_post(pg_temp.id('later')) ->> 'quotedPost', null, 'A quote of a deleted post stays, without the quoted post');
select is(api.get_post(pg_temp.id('later')) ->> 'quotedPostId', null, 'A quote of a deleted post has no quotedPostId');

select * from finish();
rollback;
