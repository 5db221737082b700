-- Videos and audio: what they hold, their likes, reposts and comments, by whom, also past the operations, and deleting them.
begin;
select plan(99);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.video(p_name text) returns void language sql as $$
  insert into made select p_name, (api.create_video('https://example.org/' || p_name, p_caption => p_name) ->> 'id')::uuid $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) join made m on m.id = (i.item ->> 'id')::uuid $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
create function pg_temp.counts(p_name text) returns text language sql stable as $$
  select concat_ws(' ', c ->> 'likeCount', c ->> 'repostCount', c ->> 'commentCount',
                   case when (c ->> 'viewerHasLiked')::boolean then 'liked' end, case when (c ->> 'viewerHasReposted')::boolean then 'reposted' end)
  from api.get_video(pg_temp.id(p_name)) c $$;
create function pg_temp.said(p_name text) returns text language sql stable as $$
  select coalesce(string_agg(i ->> 'body', ', '), '') from json_array_elements(api.list_video_comments(pg_temp.id(p_name)) -> 'items') i $$;
create function pg_temp.age(p_name text, p_minutes integer) returns void language sql security definer as $$
  update app.contents set created_at = now() - p_minutes * interval '1 minute' where id = (select id from made where name = p_name) $$;
create function pg_temp.older(p_comment text) returns void language sql security definer as $$
  update app.video_comments set created_at = now() - interval '1 minute' where id = (select id from made where name = p_comment) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: cards
select test.act_as('alice');
select is((select api.create_video('https://example.org/a.mp4', 'https://example.org/a.jpg', ' Hello ', 12.6, '00000000-0000-4000-8000-00000000000a'))::jsonb
            - '{id,createdAt,author}'::text[],
  '{"kind": "video", "authorId": "acct:alice@localhost", "interestId": "00000000-0000-4000-8000-00000000000a", "interest": null, "title": null,
    "groupId": null, "guildId": null, "editedAt": null, "removedAt": null, "mediaUrl": "https://example.org/a.mp4", "thumbnailUrl": "https://example.org/a.jpg",
    "caption": "Hello", "durationSec": 13, "likeCount": 0, "repostCount": 0, "commentCount": 0, "viewerHasLiked": false, "viewerHasReposted": false}'::jsonb,
  'a video has its head, its detail and its counts, and any interest');
select is(api.create_video('https://example.org/a') ->> 'durationSec', null, 'all but the address may be missing');
select is(api.create_video('https://example.org/a', p_duration_sec => 1e300) ->> 'durationSec', '60', 'a longer one counts as a minute');
select is(api.create_video('https://example.org/a', p_caption => '  ') ->> 'caption', null, 'an empty caption is none');
select is((api.create_audio('https://example.org/a.mp3', repeat('é', 280), 301))::jsonb - '{id,createdAt,author,caption}'::text[],
  '{"kind": "audio", "authorId": "acct:alice@localhost", "interestId": null, "interest": null, "title": null, "groupId": null, "guildId": null,
    "editedAt": null, "removedAt": null, "mediaUrl": "https://example.org/a.mp3", "durationSec": 300}'::jsonb, 'a recording has no counts, and 5 minutes');
select is(api.create_video('https://example.org/a', p_interest_id => i.id) #>> '{interest,slug}', i.slug, 'an interest of the catalog has its card')
from (select id, slug from app.interests order by slug limit 1) i;
select throws_ok(format('select api.create_%s(%L)', k, u), 'PT422', 'media_url', k || ' of ' || coalesce(u, 'nothing'))
from unnest(array['video', 'audio']) k, unnest(array['javascript:alert(1)', 'example.org/a', null]) u;
select throws_ok($$ select api.create_video('https://example.org/a', 'ftp://example.org') $$, 'PT422', 'media_url', 'a thumbnail has an address too');
select throws_ok($$ select api.create_video('https://example.org/a', p_duration_sec => -1) $$, 'PT422', 'value_invalid', 'nothing is shorter than nothing');
select throws_ok(format('select api.create_%s(%L, p_caption => %L)', k, 'https://example.org/a', repeat('é', 281)), 'PT422', k || '_caption', k || ' with too long a caption')
from unnest(array['video', 'audio']) k;
select throws_ok($$ select api.create_video('https://example.org/a', p_caption => e'\u202e') $$, 'PT422', 'text_unfit', 'which turns nothing round');
select test.act_as_owner();
select is((select count(*) from app.domain_events where name not like 'identity.%')::int, 0, 'none of it is an event');
delete from app.contents;

-- lists
select test.act_as('alice');
select pg_temp.video(n) from unnest(array['one', 'two', 'three']) n;
select pg_temp.age('one', 3), pg_temp.age('two', 2), pg_temp.age('three', 1);
select test.act_as('bob');
select is(pg_temp.names(api.list_videos()), 'three two one', 'the newest comes first');
select is((api.list_videos(p_limit => 2)) ->> 'nextCursor', '2', 'the cursor is how many come before');
select is(pg_temp.names(api.list_videos(p_limit => 2, p_cursor => '2')), 'one', 'where it goes on');
select is((api.list_videos(p_limit => 2, p_cursor => '2')) ->> 'nextCursor', null, 'to the end');
select is(pg_temp.names(api.list_videos(p_cursor => '7')), '', 'behind which there is nothing');
select is(pg_temp.names(api.list_videos(p_cursor => pg_temp.id('three')::text)), 'two one', 'an id is a cursor too');
select throws_ok(format('select api.list_videos(p_cursor => %L)', c), 'PT400', 'cursor_unknown', 'none is ' || c)
from unnest(array['-1', '1001', '9999', '10000', '1.5', 'x', '', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok($$ select api.list_videos(p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'a page has 50 at most');
select throws_ok($$ select api.list_videos(p_limit => 2147483647, p_cursor => '1') $$, 'PT422', 'limit_out_of_range', 'also behind others');
select is(pg_temp.names(api.list_videos_by('alice')), 'three two one', 'a person has a page of them');
select is((api.list_videos_by('alice'))::jsonb - 'items', '{"hasMore": false, "nextCursor": null}', 'and one alone');
select is(pg_temp.names(api.list_videos_by('bob')), '', 'which may be empty');
select throws_ok($$ select api.list_videos_by('nobody') $$, 'PT404', 'person_unknown', 'but is somebody''s');
select is(api.list_audio() ->> 'items', '[]', 'videos are no audio');

-- likes and reposts
select is(api.like_video(pg_temp.id('one')) ->> 'likeCount', '1', 'a like counts, and answers the card');
select api.like_video(pg_temp.id('one')), api.repost_video(pg_temp.id('one')), api.repost_video(pg_temp.id('one'));
select is(pg_temp.counts('one'), '1 1 0 liked reposted', 'a second one does not, nor does a second repost');
select throws_ok($$ insert into app.video_likes (video_id, user_id) values (pg_temp.id('two'), test.id('alice')) $$, '42501', null, 'nobody likes in another''s name');
select throws_ok($$ insert into app.video_reposts (video_id, user_id) values (pg_temp.id('two'), test.id('alice')) $$, '42501', null, 'nor reposts');
select test.act_as('alice');
select is(pg_temp.counts('one'), '1 1 0', 'others see the counts alone');
select is((select count(*) from app.video_likes)::int + (select count(*) from app.video_reposts)::int, 0, 'and no row of them');
select is(pg_temp.rows('delete from app.video_likes'), 0, 'nor can they take it back');
select throws_ok($$ update app.video_counters set likes = 7 $$, '42501', null, 'nobody writes counts');
select is(api.like_video(pg_temp.id('one')) ->> 'likeCount', '2', 'one may like one''s own');
select test.act_as('bob');
select is(api.unlike_video(pg_temp.id('one')) ->> 'likeCount', '1', 'a like is taken back');
select api.unlike_video(pg_temp.id('one')), api.unrepost_video(pg_temp.id('one'));
select is(pg_temp.counts('one'), '1 0 0', 'once, and so is a repost');
select throws_ok(format('select api.%s(%L)', o, i), 'PT404', 'video_unknown', o || ' of what is no video')
from unnest(array['like_video', 'unlike_video', 'repost_video', 'unrepost_video', 'get_video', 'delete_video', 'list_video_comments']) o,
     lateral (values (gen_random_uuid())) v (i);

-- comments
insert into made select 'first', (api.create_video_comment(pg_temp.id('one'), ' First ') ->> 'id')::uuid;
select pg_temp.older('first');
select test.act_as('carla');
insert into made select 'second', (api.create_video_comment(pg_temp.id('one'), 'Second') ->> 'id')::uuid;
select is(pg_temp.said('one'), 'First, Second', 'comments stand in their order');
select is(pg_temp.counts('one'), '1 0 2', 'and count');
select is((api.list_video_comments(pg_temp.id('one')) #> '{items,0}')::jsonb - '{id,author,createdAt}'::text[],
  jsonb_build_object('videoId', pg_temp.id('one'), 'authorId', 'acct:bob@localhost', 'body', 'First', 'removedAt', null), 'each with its author');
select throws_ok(format('select api.create_video_comment(pg_temp.id(%L), %L)', 'one', b), 'PT422', 'comment_body', 'none of ' || length(b) || ' characters')
from unnest(array['', repeat('é', 2001)]) b;
select lives_ok($$ insert into made select 'long', (api.create_video_comment(pg_temp.id('one'), repeat('é', 2000)) ->> 'id')::uuid $$, 'but of 2000');
select throws_ok($$ select api.delete_video_comment(pg_temp.id('first')) $$, 'PT403', 'content_not_yours', 'nobody takes another''s back');
select throws_ok($$ insert into app.video_comments (video_id, author_id, body) values (pg_temp.id('one'), test.id('bob'), 'x') $$, '42501', null, 'nor writes one for them');
select throws_ok($$ update app.video_comments set body = 'x' $$, '42501', null, 'nor changes one');
select ok(api.delete_video_comment(pg_temp.id('long')) is null, 'one takes one''s own back');
select throws_ok($$ select api.delete_video_comment(pg_temp.id('long')) $$, 'PT404', 'comment_unknown', 'once');
select is(pg_temp.said('one') || ' ' || pg_temp.counts('one'), 'First, Second 1 0 2', 'and it is gone for everyone');
select is((select count(*) from app.video_comments where id = pg_temp.id('long'))::int, 0, 'as a row too');
select test.act_as_owner();
select is((select removed_at from app.video_comments where id = pg_temp.id('long')), now(), 'which stays');

-- across a block
select test.act_as('bob');
select api.like_video(pg_temp.id('one'));
select api.block_person('alice');
select throws_ok($$ select api.create_video_comment(pg_temp.id('one'), 'x') $$, 'PT404', 'video_unknown', 'across a block there is no video');
select throws_ok($$ insert into app.video_comments (video_id, author_id, body) values (pg_temp.id('one'), test.id('bob'), 'x') $$, '42501', null, 'past the operation either');
select throws_ok($$ insert into app.video_likes (video_id, user_id) values (pg_temp.id('two'), test.id('bob')) $$, '42501', null, 'to like');
select is(pg_temp.rows('select from app.contents') + pg_temp.rows('select from app.videos') + pg_temp.rows('select from app.video_counters'), 0, 'nor a row of it');
select is(api.unlike_video(pg_temp.id('one')) ->> 'message', 'video_unknown', 'a like is taken back, and answered as of no video');
select ok(api.delete_video_comment(pg_temp.id('first')) is null, 'and so is a comment');
select test.act_as('alice');
select is(pg_temp.counts('one') || ' ' || pg_temp.said('one'), '1 0 1 liked Second', 'which shows');
select test.act_as('carla');
select api.block_person('dora');
select test.act_as('dora');
select is(pg_temp.said('one') || pg_temp.counts('one'), '1 0 1', 'comments of people across a block are not seen, and counted');
select throws_ok($$ select api.report('video-comment', pg_temp.id('second')::text, 'x') $$, 'PT404', 'comment_unknown', 'nor reported');
select test.act_as('eve');
select is(api.report('video-comment', pg_temp.id('second')::text, 'x') ->> 'targetType', 'video-comment', 'who sees one reports it');
select is(api.report('video', pg_temp.id('one')::text, 'x') ->> 'targetType', 'video', 'and the video');
select throws_ok($$ select api.report('audio', pg_temp.id('one')::text, 'x') $$, 'PT404', 'audio_unknown', 'which is no audio');

-- past the operations
select throws_ok($$ insert into app.contents (kind, author_id) values ('video', test.id('alice')) $$, '42501', null, 'nobody publishes in another''s name');
select throws_ok($$ insert into app.videos (id, media_url) values (pg_temp.id('one'), 'https://example.org') $$, '42501', null, 'nor adds to another''s head');
select throws_ok(format('update app.contents set %s', s), '42501', null, 'nobody sets ' || s)
from unnest(array['removed_at = null', 'deleted_at = now()', 'author_hidden = false', 'space_id = null', 'author_id = app.uid()', 'title = null']) s;
select throws_ok($$ delete from app.contents $$, '42501', null, 'nobody deletes a head');

-- deleting
select throws_ok($$ select api.delete_video(pg_temp.id('one')) $$, 'PT403', 'content_not_yours', 'nobody deletes another''s');
select test.act_as('alice');
select ok(api.delete_video(pg_temp.id('two')) is null and api.delete_video(pg_temp.id('one')) is null, 'one deletes one''s own');
select throws_ok($$ select api.delete_video(pg_temp.id('one')) $$, 'PT404', 'video_unknown', 'once');
select is(pg_temp.names(api.list_videos(p_cursor => pg_temp.id('two')::text)), '', 'as a cursor it holds');
select test.act_as_owner();
select is((select count(*) from app.videos where id in (pg_temp.id('one'), pg_temp.id('two')))
          + (select count(*) from app.video_counters where video_id = pg_temp.id('one')) + (select count(*) from app.video_likes)
          + (select count(*) from app.video_comments), 0::bigint, 'nothing is left of it or on it');
select is((select count(*) from app.contents where deleted_at = now() and interest_id is null and words = '' and title is null)::int, 2, 'but its head');
update app.contents set deleted_at = now() - interval '25 hours' where deleted_at is not null;
select private.job_purge();
select is((select string_agg(m.name, ' ') from app.contents c join made m using (id)), 'three', 'for a day');

select * from finish();
rollback;
