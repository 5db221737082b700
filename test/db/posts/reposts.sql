-- Reposts and quotes: what may be passed on, by whom it is seen, what is counted, the events and the notices, and taking back.
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
  $$ values ('repost', '', pg_temp.id('post'), test.id('bob'), null::timestamptz) $$, 'a repost has no body and names the original');
select is(api.get_post(pg_temp.id('repost')) #>> '{quotedPost,body}', 'Hello', 'which comes with it');
select is(api.get_post(pg_temp.id('post')) #>> '{viewer,reposted}', 'true', 'the original says that one reposted it');
select is(pg_temp.shares('post'), 1, 'and counts it');
select is(pg_temp.event('posts.post.reposted'), 'posts.post.reposted '::text || jsonb_build_object(
  'postId', pg_temp.id('post'), 'repostId', pg_temp.id('repost'), 'userId', test.id('bob')), 'it is an event of the original');
select is(pg_temp.told('alice', 'post.reposted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'repostId', pg_temp.id('repost')),
  'and its author is told');
select is((api.repost(pg_temp.id('post')) ->> 'id')::uuid, pg_temp.id('repost'), 'again, the same repost is answered');
select is((api.repost(pg_temp.id('post'), e' \n ') ->> 'id')::uuid, pg_temp.id('repost'), 'a blank body is none');
select is((api.repost(pg_temp.id('repost')) ->> 'id')::uuid, pg_temp.id('repost'), 'by the repost''s id too');
select is(pg_temp.shares('post') || ' ' || pg_temp.events('posts.post.reposted'), '1 1', 'which is neither counted nor told again');

-- a quote
select is(pg_temp.keep('quote', api.repost(pg_temp.id('post'), ' Look at this ')) ->> 'format', 'quote', 'with a body it is a quote');
select is(api.get_post(pg_temp.id('quote')) ->> 'body', 'Look at this', 'of its own words');
select is(pg_temp.shares('post'), 1, 'a quote is no share');
select is(pg_temp.event('posts.post.quoted'), 'posts.post.quoted '::text || jsonb_build_object(
  'postId', pg_temp.id('post'), 'quoteId', pg_temp.id('quote'), 'userId', test.id('bob')), 'it is an event of the quoted');
select is(pg_temp.told('alice', 'post.quoted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'quoteId', pg_temp.id('quote')),
  'and its author is told');
select is((api.repost(pg_temp.id('post'), 'And again', 'inner', 3) #>> '{depthLabel}'), 'Expert', 'with a depth');
select is(pg_temp.told('alice', 'post.quoted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'quoteId', pg_temp.id('quote')),
  'of a quote that they may not see its author is not told');

-- what may not be passed on
select throws_ok($$ select api.repost(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'an unknown post');
select throws_ok($$ select api.repost(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'one that one may not see');
select throws_ok($$ select api.repost(pg_temp.id('circles'), 'Look') $$, 'PT404', 'post_unknown', 'quoted neither');
select throws_ok($$ select api.repost(pg_temp.id('post'), repeat('x', 5001)) $$, 'PT422', 'post_body', 'a quote of too many words');
select throws_ok($$ insert into app.posts (author_id, format, body, quoted_post_id) values (test.id('bob'), 'quote', 'x', pg_temp.id('circles')) $$,
  '42501', null, 'by hand nobody passes on what they do not see');
select test.act_as('alice');
select throws_ok($$ select api.repost(pg_temp.id('post')) $$, 'PT400', 'repost_own', 'one''s own');
select throws_ok($$ select api.repost(pg_temp.id('post'), 'Look at me') $$, 'PT400', 'repost_own', 'quoted neither');
select throws_ok($$ select api.repost(pg_temp.id('repost')) $$, 'PT400', 'repost_own', 'nor by way of a repost of it');
select throws_ok($$ select api.create_post('', 'repost', p_quoted_post_id => pg_temp.id('post')) $$, 'PT400', 'repost_own', 'whatever the way');

-- Acting as Carla: a repost of a repost is of the original; who sees it
select test.act_as('carla');
select pg_temp.keep('second', api.repost(pg_temp.id('repost'), p_visibility => 'circles'));
select is((select quoted_post_id from app.posts where id = pg_temp.id('second')), pg_temp.id('post'), 'a repost of a repost is of the original');
select is(pg_temp.shares('post'), 2, 'and counts there');
select is(pg_temp.told('alice', 'post.reposted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'repostId', pg_temp.id('repost')),
  'of a repost that they may not see the author is not told');
select test.act_as('dave');
select is((select count(*)::int from app.posts where id = pg_temp.id('second')), 0, 'it has a visibility of its own');
select is((select count(*)::int from app.posts where id = pg_temp.id('repost')), 1, 'another shows');
select test.act_as('alice');
select api.block_person('dave');
select test.act_as('dave');
select is((select count(*)::int from app.posts where id = pg_temp.id('repost')), 0, 'but not to who may not see the original');
select throws_ok($$ select api.repost(pg_temp.id('repost')) $$, 'PT404', 'post_unknown', 'who cannot pass it on either');
select throws_ok($$ select api.unrepost(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'nor take anything back');

-- taking back
select test.act_as('carla');
select is(api.unrepost(pg_temp.id('post'))::text, null, 'a repost is taken back by the id of the original');
select is(pg_temp.shares('post'), 1, 'and counts no more');
select is(pg_temp.event('posts.post.deleted'), 'posts.post.deleted '::text || jsonb_build_object(
  'postId', pg_temp.id('second'), 'authorId', test.id('carla')), 'it is deleted');
select is(api.unrepost(pg_temp.id('post'))::text || api.unrepost(pg_temp.id('second'))::text, null, 'again, by either id, nothing happens');
select is(pg_temp.shares('post') || ' ' || pg_temp.events('posts.post.deleted'), '1 1', 'nothing at all');
select throws_ok($$ select api.unrepost(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'of an unknown post there is none');
select isnt((pg_temp.keep('third', api.repost(pg_temp.id('post'))) ->> 'id')::uuid, pg_temp.id('second'), 'a new one is a new post');
select is(pg_temp.shares('post'), 2, 'which counts');
select api.unrepost(pg_temp.id('repost'));
select is(pg_temp.shares('post') || ' ' || pg_temp.standing('post'), '1 1', 'by the id of another''s repost one''s own goes');
select is(pg_temp.rows($$ update app.posts set body = 'x' where id = pg_temp.id('repost') $$), 0, 'another''s stays as it is');

-- whichever way a repost is deleted, it is counted down once
select test.act_as('bob');
select api.delete_post(pg_temp.id('repost'));
select is(pg_temp.shares('post'), 0, 'deleted as a post it counts no more');
select api.unrepost(pg_temp.id('repost'));
select is(pg_temp.shares('post'), 0, 'once');
select pg_temp.keep('repost', api.repost(pg_temp.id('post')));
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('repost');
update app.posts set body = '', deleted_at = deleted_at where id = pg_temp.id('repost');
select is(pg_temp.shares('post'), 1, 'other changes count nothing');
select private.erase_person(test.id('bob'));
select is(pg_temp.shares('post'), 0, 'with its author it goes');
select is((select shares from app.post_counters where post_id = pg_temp.id('post')), pg_temp.standing('post'), 'the counter is what a count gives');

-- a scheduled quote is an event when it goes out
select test.act_as('carla');
select pg_temp.keep('later', api.create_post('Later', 'quote', p_quoted_post_id => pg_temp.id('post'), p_publish_at => now() + interval '1 hour'));
select is(pg_temp.events('posts.post.quoted'), 2, 'a scheduled quote is no event');
select test.act_as_owner();
update app.posts set publish_at = now() where id = pg_temp.id('later');
select is(private.job_publish_scheduled(), 1, 'until it goes out');
select is(pg_temp.told('alice', 'post.quoted'), '1 '::text || jsonb_build_object('postId', pg_temp.id('post'), 'quoteId', pg_temp.id('later')), 'then its author is told');

-- of a deleted original nothing goes out
select test.act_as('alice');
select api.delete_post(pg_temp.id('post'));
select test.act_as('carla');
select throws_ok($$ select api.repost(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'a deleted post is not passed on');
select is(api.get_post(pg_temp.id('later')) ->> 'quotedPost', null, 'a quote stays, without what it quotes');
select is(api.get_post(pg_temp.id('later')) ->> 'quotedPostId', null, 'and without its id');

select * from finish();
rollback;
