-- People can take back their own actions even if they can't see the post any more. The answer reveals nothing about
-- the post.
begin;
select plan(74);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.counted(p_name text) returns text language sql stable security definer as $$
  select concat_ws(' ', c.reactions, c.shares, c.bookmarks, (select sum(o.votes) from app.poll_options o join app.polls l on l.id = o.poll_id
                                                            where l.post_id = c.post_id))
  from app.post_counters c where c.post_id = pg_temp.id(p_name) $$;
create function pg_temp.standing(p_name text) returns boolean language sql stable security definer
  as $$ select deleted_at is null from app.posts where id = pg_temp.id(p_name) $$;
create function pg_temp.option(p_name text) returns uuid language sql stable security definer as $$
  select o.id from app.poll_options o join app.polls l on l.id = o.poll_id where l.post_id = pg_temp.id(p_name) and o.position = 1 $$;
create function pg_temp.earned() returns numeric language sql volatile security definer as $$
  select test.settle();
  select coalesce(sum(delta), 0) from app.reputation_entries
  where user_id = test.id('alice') and kind ~ 'received' and roll_up_level = 0 $$;
-- A post becomes invisible to Bob, and Alice may be banned
create function pg_temp.vanish(p_name text, p_how text) returns void language plpgsql as $$
begin
  perform test.act_as('alice');
  if p_how = 'blocked' then
    perform api.block_person('bob');
  elsif p_how = 'narrowed' then
    perform api.update_post(pg_temp.id(p_name), '{"visibility": "inner"}');
  elsif p_how = 'deleted' then
    perform api.delete_post(pg_temp.id(p_name));
  end if;
  perform test.act_as_owner();
  if p_how = 'hidden' then
    update app.posts set hidden_at = now() where id = pg_temp.id(p_name);
  elsif p_how = 'banned' then
    update app.users set banned_at = now() where username = 'alice';
  end if;
end $$;
create function pg_temp.back() returns void language plpgsql as $$
begin
  perform test.act_as_owner();
  update app.users set banned_at = null where username = 'alice';
  delete from app.blocks;
end $$;
grant execute on all functions in schema pg_temp to public;
create function pg_temp.publish(p_name text) returns void language plpgsql as $$
begin
  perform test.act_as('alice');
  insert into made select p_name, (api.create_post('Tea?', p_poll => '{"options": ["yes", "no"]}',
    p_interest_id => (select i.id from app.interests i order by slug limit 1)) ->> 'id')::uuid;
end $$;
grant execute on function pg_temp.publish to public;

-- A repost can be removed in three ways, whatever made its original invisible
create function pg_temp.reposts(p_how text, p_way text) returns setof text language plpgsql as $$
declare
  v_post   text := p_how || ' ' || p_way;
  v_repost text := 'repost of ' || v_post;
begin
  perform pg_temp.publish(v_post);
  perform test.act_as('bob');
  insert into made select v_repost, (api.repost(pg_temp.id(v_post)) ->> 'id')::uuid;
  perform pg_temp.vanish(v_post, p_how);
  perform test.act_as('bob');
  if p_way = 'delete_post' then
    perform api.delete_post(pg_temp.id(v_repost));
  else
    perform api.unrepost(pg_temp.id(case p_way when 'unrepost' then v_post else v_repost end));
  end if;
  return next is(pg_temp.standing(v_repost)::text || split_part(pg_temp.counted(v_post), ' ', 2) || pg_temp.earned(), 'false00.00',
    p_how || ': the repost is removed by ' || p_way || ', and so are its count and ledger entry');
  return next lives_ok(format('select api.unrepost(%L), api.unrepost(%L)', pg_temp.id(v_post), pg_temp.id(v_repost)), 'Removing the repost again, by either id, is not an error');
  return next throws_ok(format('select api.delete_post(%L)', pg_temp.id(v_repost)), 'PT404', 'post_unknown', 'The removed repost can''t be deleted');
  perform pg_temp.back();
end $$;
select pg_temp.reposts(how, way)
from unnest(array['blocked', 'narrowed', 'hidden', 'deleted', 'banned']) how, unnest(array['delete_post', 'unrepost', 'unrepost with its own id']) way;

-- A pinned repost can be unpinned. A person who did nothing with the post learns nothing about it
select pg_temp.publish('post');
select test.act_as('bob');
insert into made select 'repost', (api.repost(pg_temp.id('post')) ->> 'id')::uuid;
select api.pin_post(pg_temp.id('repost'));
select api.bookmark(pg_temp.id('repost')), api.react(pg_temp.id('repost'), 'heart'), api.react(pg_temp.id('post'), 'spark'),
       api.mute_post(pg_temp.id('post')), api.vote_poll(pg_temp.id('post'), pg_temp.option('post'));
select test.act_as('carla');
select api.block_person('alice');
select throws_ok(format('select api.%I(%L)', call, pg_temp.id(which)), 'PT404', 'post_unknown',
  'A person who did nothing with the post gets post_unknown: ' || call || ' of the ' || which)
from unnest(array['delete_post', 'unrepost', 'unreact', 'unbookmark', 'unmute_post', 'unpin_post', 'unvote_poll']) call,
     unnest(array['post', 'repost']) which;
select test.act_as('bob');
select pg_temp.vanish('post', 'blocked');
select test.act_as('bob');
select is(api.unpin_post(pg_temp.id('repost'))::text, null, 'A repost of an invisible original can be unpinned');
select throws_ok($$ select api.unpin_post(pg_temp.id('repost')) $$, 'PT404', 'post_unknown', 'The invisible repost can be unpinned only once');

-- Reactions, votes, bookmarks and mutes, by the post's id or that of one's own repost
select is(api.unreact(pg_temp.id('repost'), 'heart')::jsonb - 'details' - 'hint', '{"code": "PT404", "message": "post_unknown"}',
  'A heart is removed, and the answer is post_unknown');
select is(api.unreact(pg_temp.id('post')) ->> 'message', 'post_unknown', 'A spark is removed, and the answer is post_unknown');
select throws_ok($$ select api.unreact(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'A reaction can be removed only once');
select is(api.unvote_poll(pg_temp.id('post')) ->> 'message', 'post_unknown', 'A vote is removed, and the answer is post_unknown');
select throws_ok($$ select api.unvote_poll(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'A vote can be removed only once');
select is(api.unbookmark(pg_temp.id('post'))::text, null, 'A bookmark is removed');
select throws_ok($$ select api.unbookmark(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'A bookmark can be removed only once');
select is(api.unmute_post(pg_temp.id('post'))::text, null, 'A mute is removed');
select throws_ok($$ select api.unmute_post(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'A mute can be removed only once');
select api.unrepost(pg_temp.id('post'));
select is(pg_temp.counted('post') || ' ' || pg_temp.earned(), '0 0 0 0 0.00', 'None of the removed actions is counted any more');

-- A closed poll keeps its votes, and doesn't reveal that it is closed
select pg_temp.back();
select test.act_as('bob');
select api.vote_poll(pg_temp.id('post'), pg_temp.option('post'));
select test.act_as_owner();
update app.polls set closes_at = now() where post_id = pg_temp.id('post');
select pg_temp.vanish('post', 'narrowed');
select test.act_as('bob');
select throws_ok($$ select api.unvote_poll(pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'Removing a vote from a closed poll of an invisible post fails with post_unknown');
select is(pg_temp.counted('post'), '0 0 0 1', 'The closed poll keeps its vote');

-- Of two reposts the latest is current, and the notification names it
select pg_temp.publish('again');
select test.act_as('bob');
insert into made select 'first', (api.repost(pg_temp.id('again')) ->> 'id')::uuid;
select api.unrepost(pg_temp.id('again'));
insert into made select 'second', (api.repost(pg_temp.id('again')) ->> 'id')::uuid;
select test.act_as('alice');
update app.notifications set read_at = now() where user_id = app.uid();
select is((select jsonb_agg(jsonb_build_object('count', n.count, 'repostId', n.payload -> 'repostId')) from app.notifications n
           where n.target_id = pg_temp.id('again')::text),
  jsonb_build_array(jsonb_build_object('count', 1, 'repostId', pg_temp.id('second'))), 'The notification names the current repost');

select * from finish();
rollback;
