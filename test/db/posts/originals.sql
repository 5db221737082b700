-- A repost is a pointer: actions on it apply to its original. The reputation that a repost earns is in
-- reputation/reposts.sql.
begin;
select plan(41);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.counted(p_name text) returns text language sql stable security definer
  as $$ select concat_ws(' ', reactions, replies, shares, bookmarks) from app.post_counters where post_id = pg_temp.id(p_name) $$;
create function pg_temp.told(p_name text) returns text language sql volatile security definer
  as $$ select test.settle();
        select coalesce(string_agg(distinct n.kind, ' '), '') from app.notifications n
        where n.user_id = test.id(p_name) and n.kind <> 'post.reposted' $$;
create function pg_temp.balance(p_name text) returns bigint language sql stable security definer
  as $$ select balance from app.wallets where user_id = test.id(p_name) $$;
create function pg_temp.option(p_position integer) returns uuid language sql stable security definer as $$
  select o.id from app.poll_options o join app.polls l on l.id = o.poll_id
  where l.post_id = pg_temp.id('post') and o.position = p_position $$;
grant execute on all functions in schema pg_temp to public;

-- Alice asks a question with Dave as co-author. Bob reposts the question
select test.act_as('alice');
insert into made select 'post', (api.create_post('Tea?', p_poll => '{"options": ["yes", "no"]}') ->> 'id')::uuid;
insert into made select 'reply', (api.create_reply(pg_temp.id('post'), 'Or milk') ->> 'id')::uuid;
select api.invite_co_author(pg_temp.id('post'), 'dave', 40);
select test.act_as('dave');
select api.respond_co_author(pg_temp.id('post'), (select id from app.post_co_authors), true);
select test.act_as('bob');
insert into made select 'repost', (api.repost(pg_temp.id('post'), p_visibility => 'public') ->> 'id')::uuid;

-- Acting as Carla, who acts on the repost
select test.act_as('carla');
select is(api.react(pg_temp.id('repost'), 'heart')::jsonb, jsonb_build_object(
  'counters', '{"reactions": 1, "replies": 1, "shares": 1, "bookmarks": 0, "views": 0}'::jsonb,
  'viewer', '{"reactions": ["heart"], "bookmarked": false, "reposted": false, "voted": false}'::jsonb),
  'A reaction to a repost counts for the original, and the answer has the original''s counters');
select is(api.react(pg_temp.id('post'), 'heart') #>> '{counters,reactions}', '1', 'A reaction to both the repost and the original counts once');
select is(api.bookmark(pg_temp.id('repost')) #>> '{counters,bookmarks}', '1', 'A bookmark of a repost counts for the original');
select is(api.list_bookmarks() #>> '{items,0,id}', pg_temp.id('post')::text, 'The list of bookmarks has the original');
select is(api.create_reply(pg_temp.id('repost'), 'Yes', p_parent_id => pg_temp.id('reply')) ->> 'postId', pg_temp.id('post')::text,
  'A reply to a repost is a reply to the original');
select is(json_array_length(api.list_replies(pg_temp.id('repost')) -> 'items'), 2, 'A repost lists the original''s replies');
select is(json_array_length(api.get_post(pg_temp.id('repost')) #> '{replies,items}'), 2, 'get_post of a repost returns the replies to the original');
select is(api.list_replies(pg_temp.id('repost'), p_parent_id => pg_temp.id('reply')) #>> '{items,0,body}', 'Yes', 'A repost lists the answers to a reply of the original');
select is(api.list_replies(pg_temp.id('repost'), p_limit => 1, p_cursor => pg_temp.id('reply')::text)::jsonb,
          api.list_replies(pg_temp.id('post'), p_limit => 1, p_cursor => pg_temp.id('reply')::text)::jsonb, 'A repost accepts the cursors of the original''s replies');
select is(api.list_replies(pg_temp.id('repost'), 'reply')::jsonb, api.list_replies(pg_temp.id('post'), 'reply')::jsonb, 'A repost filters the original''s replies by kind');
select is(api.vote_poll(pg_temp.id('repost'), pg_temp.option(1)) ->> 'totalVotes', '1', 'A vote on a repost is a vote in the original''s poll');
select is(api.vote_poll(pg_temp.id('post'), pg_temp.option(2)) ->> 'totalVotes', '1', 'A vote on the original replaces the vote on the repost');
select is(pg_temp.counted('post'), '1 2 1 1', 'All actions are counted for the original');
select is(pg_temp.counted('repost'), '0 0 0 0', 'No action is counted for the repost');
select is(pg_temp.told('alice'), 'co-author.accepted post.reacted post.replied', 'The original''s author is notified');
select is(pg_temp.told('bob'), '', 'The reposter is not notified');

-- Payments go to the receivers of the original
select is((api.pay('love', 2, p_post_id => pg_temp.id('repost')) -> 'payment')::jsonb - 'id' - 'sender' - 'receiver' - 'createdAt',
  jsonb_build_object('senderId', 'acct:carla@localhost', 'receiverId', 'acct:alice@localhost', 'emotion', 'love', 'tier', 2,
    'amount', 10, 'total', 10, 'postId', pg_temp.id('post'), 'replyId', null, 'reversed', false, 'reversalOf', null,
    'splits', '[{"receiverId": "acct:alice@localhost", "amount": 6}, {"receiverId": "acct:dave@localhost", "amount": 4}]'::jsonb),
  'A payment for a repost is a payment for the original, with its co-authors');
select is(pg_temp.balance('bob'), 50::bigint, 'The reposter gets no share of the payment');
select is(api.get_breakdown(pg_temp.id('repost')) #>> '{emojiBreakdown,love,total}', '10', 'A repost has the original''s breakdown');
select is(api.get_post(pg_temp.id('post')) #>> '{emojiBreakdown,love,total}', '10', 'The original has the payment in its card');
select test.act_as('alice');
select throws_ok($$ select api.pay('love', 0, p_post_id => pg_temp.id('repost')) $$, 'PT400', 'pay_oneself',
  'The original''s author can''t pay for a repost of it');
select test.act_as_owner();
update app.posts set interest_id = (select id from app.interests order by slug limit 1) where id = pg_temp.id('post');
select test.act_as('carla');
select throws_ok($$ select api.pay('love', 2, p_post_id => pg_temp.id('repost')) $$, 'PT403', 'reputation_too_low',
  'A high tier needs reputation in the original''s interest');
select test.act_as('bob');
select lives_ok($$ select api.pay('love', 0, p_post_id => pg_temp.id('repost')) $$, 'The reposter can pay for the original like anybody else');
select is(pg_temp.balance('bob'), 49::bigint, 'The reposter''s payment costs them the full amount');

-- Taking back by either id
select test.act_as('carla');
select is(api.unreact(pg_temp.id('repost')) #>> '{counters,reactions}', '0', 'A reaction can be removed by the repost''s id');
select is(api.unvote_poll(pg_temp.id('repost')) ->> 'totalVotes', '0', 'A vote can be removed by the repost''s id');
select is(api.unbookmark(pg_temp.id('repost'))::text, null, 'A bookmark can be removed by the repost''s id');
select is(pg_temp.counted('post'), '0 2 1 0', 'Removed actions are not counted any more');

-- What applies to the repost itself
select api.mute_post(pg_temp.id('repost'));
select is(array(select post_id from app.post_mutes), array[pg_temp.id('repost')], 'Muting a repost mutes only the repost');

-- By direct statements
select throws_ok(format('insert into app.%s values (pg_temp.id(%L), test.id(%L)%s)', t, 'repost', 'carla', more), '42501', null,
  'Nobody can insert for a repost: ' || t)
from (values ('reactions (post_id, user_id, kind)', $$, 'heart'$$), ('bookmarks (post_id, user_id)', ''),
             ('replies (post_id, author_id, body)', $$, 'x'$$)) h (t, more);
select test.act_as('bob');
select throws_ok($$ insert into app.post_interests (post_id, interest_id) select pg_temp.id('repost'), id from app.interests limit 1 $$,
  '42501', null, 'Nobody can insert an interest for a repost');
select throws_ok($$ insert into app.posts (author_id, format, body, quoted_post_id, depth)
                    values (test.id('bob'), 'repost', '', pg_temp.id('post'), 3) $$, 'PT422', 'repost_bare', 'Nobody can insert a repost with a depth');
select throws_ok($$ select private.add_poll(pg_temp.id('repost'), '{"options": ["a", "b"]}') $$, 'PT404', 'post_unknown', 'Nobody can add a poll to a repost');

-- A person who can't see the original can't act on a repost of it
select test.act_as('alice');
select api.block_person('carla');
select test.act_as('carla');
select throws_ok(format('select api.' || call, pg_temp.id('repost')), 'PT404', 'post_unknown', 'Across a block a repost refuses ' || call)
from unnest(array['react(%L, ''heart'')', 'create_reply(%L, ''x'')', 'vote_poll(%L, gen_random_uuid())', 'bookmark(%L)',
                  'pay(''love'', 0, p_post_id => %L)', 'get_breakdown(%L)']) call;

select * from finish();
rollback;
