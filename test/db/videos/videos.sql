-- Videos and audio: their fields, likes, reposts and comments, permissions, also without the operations, and deletion.
begin;
select plan(102);
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
    "caption": "Hello", "durationSec": 12.6, "likeCount": 0, "repostCount": 0, "commentCount": 0, "viewerHasLiked": false, "viewerHasReposted": false}'::jsonb,
  'A video''s card has these fields, and any interest id is stored');
select is(api.create_video('https://example.org/a') ->> 'durationSec', null, 'Everything but the URL is optional');
select is(api.create_video('https://example.org/a', p_duration_sec => 1e300) ->> 'durationSec', '60', 'A longer duration is stored as 60 seconds');
select is(api.create_video('https://example.org/a', p_caption => '  ') ->> 'caption', null, 'A blank caption is stored as null');
select is((api.create_audio('https://example.org/a.mp3', repeat('é', 280), 301))::jsonb - '{id,createdAt,author,caption}'::text[],
  '{"kind": "audio", "authorId": "acct:alice@localhost", "interestId": null, "interest": null, "title": null, "groupId": null, "guildId": null,
    "editedAt": null, "removedAt": null, "mediaUrl": "https://example.org/a.mp3", "durationSec": 300}'::jsonb, 'Audio has no counts and at most 5 minutes');
select is(api.create_video('https://example.org/a', p_interest_id => i.id) #>> '{interest,slug}', i.slug, 'A video has the card of an interest in the catalog')
from (select id, slug from app.interests order by slug limit 1) i;
select throws_ok(format('select api.create_%s(%L)', k, u), 'PT422', 'media_url', 'An invalid URL is refused for ' || k || ': ' || coalesce(u, 'null'))
from unnest(array['video', 'audio']) k, unnest(array['javascript:alert(1)', 'example.org/a', null]) u;
select throws_ok($$ select api.create_video('https://example.org/a', 'ftp://example.org') $$, 'PT422', 'media_url', 'An invalid thumbnail URL is refused');
select throws_ok($$ select api.create_video('https://example.org/a', p_duration_sec => -1) $$, 'PT422', 'value_invalid', 'A negative duration is refused');
select throws_ok(format('select api.create_%s(%L, p_caption => %L)', k, 'https://example.org/a', repeat('é', 281)), 'PT422', k || '_caption', 'A caption of 281 characters is refused for ' || k)
from unnest(array['video', 'audio']) k;
select throws_ok($$ select api.create_video('https://example.org/a', p_caption => e'\u202e') $$, 'PT422', 'text_unfit', 'A caption with a character that changes direction is refused');
select test.act_as_owner();
select is((select count(*) from app.domain_events where name not like 'identity.%')::int, 0, 'Publishing emits no event');
delete from app.contents;

-- Lists
select test.act_as('alice');
select pg_temp.video(n) from unnest(array['one', 'two', 'three']) n;
select pg_temp.age('one', 3), pg_temp.age('two', 2), pg_temp.age('three', 1);
select test.act_as('bob');
select is(pg_temp.names(api.list_videos()), 'three two one', 'The newest comes first');
select is((api.list_videos(p_limit => 2)) ->> 'nextCursor', '2', 'The cursor is the number of items before');
select is(pg_temp.names(api.list_videos(p_limit => 2, p_cursor => '2')), 'one', 'The cursor leads to the next page');
select is((api.list_videos(p_limit => 2, p_cursor => '2')) ->> 'nextCursor', null, 'The last page has no cursor');
select is(pg_temp.names(api.list_videos(p_cursor => '7')), '', 'A cursor after the end gives an empty page');
select is(pg_temp.names(api.list_videos(p_cursor => pg_temp.id('three')::text)), 'two one', 'An id is a valid cursor');
select throws_ok(format('select api.list_videos(p_cursor => %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array['-1', '1001', '9999', '10000', '1.5', 'x', '', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok($$ select api.list_videos(p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'A page has at most 50 items');
select throws_ok($$ select api.list_videos(p_limit => 2147483647, p_cursor => '1') $$, 'PT422', 'limit_out_of_range', 'The limit is also checked with a cursor');
select is(pg_temp.names(api.list_videos_by('alice')), 'three two one', 'A person''s videos are listed, newest first');
select is((api.list_videos_by('alice'))::jsonb - 'items', '{"hasMore": false, "nextCursor": null}', 'The page of a person''s videos has no next page');
select is(pg_temp.names(api.list_videos_by('alice', pg_temp.id('three')::text)), 'two one',
  'The id of a person''s video is a valid cursor of their videos');
select throws_ok($$ select api.list_videos_by('alice', 'x') $$, 'PT400', 'cursor_unknown', 'An unknown cursor of a person''s videos is refused');
select throws_ok(format('select api.list_audio_by(%L, %L)', 'alice', pg_temp.id('three')), 'PT400', 'cursor_unknown', 'A video is no cursor of a person''s audio');
select is(pg_temp.names(api.list_videos_by('bob')), '', 'A person without videos has an empty list');
select throws_ok($$ select api.list_videos_by('nobody') $$, 'PT404', 'person_unknown', 'An unknown person fails with person_unknown');
select is(api.list_audio() ->> 'items', '[]', 'Videos are not listed as audio');

-- Likes and reposts
select is(api.like_video(pg_temp.id('one')) ->> 'likeCount', '1', 'A like is counted, and the answer is the card');
select api.like_video(pg_temp.id('one')), api.repost_video(pg_temp.id('one')), api.repost_video(pg_temp.id('one'));
select is(pg_temp.counts('one'), '1 1 0 liked reposted', 'A repeated like or repost is not counted');
select throws_ok($$ insert into app.video_likes (video_id, user_id) values (pg_temp.id('two'), test.id('alice')) $$, '42501', null, 'Nobody can like in another person''s name');
select throws_ok($$ insert into app.video_reposts (video_id, user_id) values (pg_temp.id('two'), test.id('alice')) $$, '42501', null, 'Nobody can repost in another person''s name');
select test.act_as('alice');
select is(pg_temp.counts('one'), '1 1 0', 'Others see the counts, but not who liked or reposted');
select is((select count(*) from app.video_likes)::int + (select count(*) from app.video_reposts)::int, 0, 'Others see no rows of likes and reposts');
select is(pg_temp.rows('delete from app.video_likes'), 0, 'Others can''t delete a like');
select throws_ok($$ update app.video_counters set likes = 7 $$, '42501', null, 'Nobody can change the counts');
select is(api.like_video(pg_temp.id('one')) ->> 'likeCount', '2', 'Authors can like their own video');
select test.act_as('bob');
select is(api.unlike_video(pg_temp.id('one')) ->> 'likeCount', '1', 'A like can be withdrawn');
select api.unlike_video(pg_temp.id('one')), api.unrepost_video(pg_temp.id('one'));
select is(pg_temp.counts('one'), '1 0 0', 'Withdrawing a like or repost twice counts once');
select throws_ok(format('select api.%s(%L)', o, i), 'PT404', 'video_unknown', 'An unknown video fails in ' || o)
from unnest(array['like_video', 'unlike_video', 'repost_video', 'unrepost_video', 'get_video', 'delete_video', 'list_video_comments']) o,
     lateral (values (gen_random_uuid())) v (i);

-- Comments
insert into made select 'first', (api.create_video_comment(pg_temp.id('one'), ' First ') ->> 'id')::uuid;
select pg_temp.older('first');
select test.act_as('carla');
insert into made select 'second', (api.create_video_comment(pg_temp.id('one'), 'Second') ->> 'id')::uuid;
select is(pg_temp.said('one'), 'First, Second', 'Comments are listed oldest first');
select is(pg_temp.counts('one'), '1 0 2', 'Comments are counted');
select is((api.list_video_comments(pg_temp.id('one')) #> '{items,0}')::jsonb - '{id,author,createdAt}'::text[],
  jsonb_build_object('videoId', pg_temp.id('one'), 'authorId', 'acct:bob@localhost', 'body', 'First', 'removedAt', null), 'A comment has its author');
select throws_ok(format('select api.create_video_comment(pg_temp.id(%L), %L)', 'one', b), 'PT422', 'comment_body', 'A comment is refused with length ' || length(b))
from unnest(array['', repeat('é', 2001)]) b;
select lives_ok($$ insert into made select 'long', (api.create_video_comment(pg_temp.id('one'), repeat('é', 2000)) ->> 'id')::uuid $$, 'A comment of 2000 characters is accepted');
select throws_ok($$ select api.delete_video_comment(pg_temp.id('first')) $$, 'PT403', 'content_not_yours', 'Nobody can delete another person''s comment');
select throws_ok($$ insert into app.video_comments (video_id, author_id, body) values (pg_temp.id('one'), test.id('bob'), 'x') $$, '42501', null, 'Nobody can insert a comment in another person''s name');
select throws_ok($$ update app.video_comments set body = 'x' $$, '42501', null, 'Nobody can change a comment');
select ok(api.delete_video_comment(pg_temp.id('long')) is null, 'The author can delete a comment');
select throws_ok($$ select api.delete_video_comment(pg_temp.id('long')) $$, 'PT404', 'comment_unknown', 'A comment can be deleted only once');
select is(pg_temp.said('one') || ' ' || pg_temp.counts('one'), 'First, Second 1 0 2', 'A deleted comment is neither listed nor counted');
select is((select count(*) from app.video_comments where id = pg_temp.id('long'))::int, 0, 'Nobody sees the row of a deleted comment');
select test.act_as_owner();
select is((select removed_at from app.video_comments where id = pg_temp.id('long')), now(), 'The row of a deleted comment is kept as removed');

-- Across a block
select test.act_as('bob');
select api.like_video(pg_temp.id('one'));
select api.block_person('alice');
select throws_ok($$ select api.create_video_comment(pg_temp.id('one'), 'x') $$, 'PT404', 'video_unknown', 'A person who blocked the author can''t comment');
select throws_ok($$ insert into app.video_comments (video_id, author_id, body) values (pg_temp.id('one'), test.id('bob'), 'x') $$, '42501', null, 'A person who blocked the author can''t insert a comment directly');
select throws_ok($$ insert into app.video_likes (video_id, user_id) values (pg_temp.id('two'), test.id('bob')) $$, '42501', null, 'A person who blocked the author can''t insert a like directly');
select is(pg_temp.rows('select from app.contents') + pg_temp.rows('select from app.videos') + pg_temp.rows('select from app.video_counters'), 0, 'A person who blocked the author sees no rows of the video');
select is(api.unlike_video(pg_temp.id('one')) ->> 'message', 'video_unknown', 'Withdrawing a like across a block works, and answers video_unknown');
select ok(api.delete_video_comment(pg_temp.id('first')) is null, 'Deleting a comment across a block works');
select test.act_as('alice');
select is(pg_temp.counts('one') || ' ' || pg_temp.said('one'), '1 0 1 liked Second', 'The author sees neither the like nor the comment any more');
select test.act_as('carla');
select api.block_person('dora');
select test.act_as('dora');
select is(pg_temp.said('one') || pg_temp.counts('one'), '1 0 1', 'Comments of people across a block are hidden, but counted');
select throws_ok($$ select api.report('video-comment', pg_temp.id('second')::text, 'x') $$, 'PT404', 'comment_unknown', 'Comments of people across a block can''t be reported');
select test.act_as('eve');
select is(api.report('video-comment', pg_temp.id('second')::text, 'x') ->> 'targetType', 'video-comment', 'A comment can be reported by a person who sees it');
select is(api.report('video', pg_temp.id('one')::text, 'x') ->> 'targetType', 'video', 'A video can be reported');
select throws_ok($$ select api.report('audio', pg_temp.id('one')::text, 'x') $$, 'PT404', 'audio_unknown', 'A video can''t be reported as audio');

-- Without the operations
select throws_ok($$ insert into app.contents (kind, author_id) values ('video', test.id('alice')) $$, '42501', null, 'Nobody can publish in another person''s name');
select throws_ok($$ insert into app.videos (id, media_url) values (pg_temp.id('one'), 'https://example.org') $$, '42501', null, 'Nobody can add details to another person''s content');
select throws_ok(format('update app.contents set %s', s), '42501', null, 'Nobody can set ' || s)
from unnest(array['removed_at = null', 'deleted_at = now()', 'author_hidden = false', 'space_id = null', 'author_id = app.uid()', 'title = null']) s;
select throws_ok($$ delete from app.contents $$, '42501', null, 'Nobody can delete a row of contents');

-- Deletion
select throws_ok($$ select api.delete_video(pg_temp.id('one')) $$, 'PT403', 'content_not_yours', 'Nobody can delete another person''s video');
select test.act_as('alice');
select ok(api.delete_video(pg_temp.id('two')) is null and api.delete_video(pg_temp.id('one')) is null, 'Authors can delete their own videos');
select throws_ok($$ select api.delete_video(pg_temp.id('one')) $$, 'PT404', 'video_unknown', 'A video can be deleted only once');
select is(pg_temp.names(api.list_videos(p_cursor => pg_temp.id('two')::text)), '', 'A deleted video stays valid as a cursor');
select test.act_as_owner();
select is((select count(*) from app.videos where id in (pg_temp.id('one'), pg_temp.id('two')))
          + (select count(*) from app.video_counters where video_id = pg_temp.id('one')) + (select count(*) from app.video_likes)
          + (select count(*) from app.video_comments), 0::bigint, 'Details, counters, likes and comments of deleted videos are deleted');
select is((select count(*) from app.contents where deleted_at = now() and interest_id is null and words = '' and title is null)::int, 2, 'An empty row in app.contents is kept');
update app.contents set deleted_at = now() - interval '31 days 1 hour' where deleted_at is not null;
select private.job_purge();
select is((select string_agg(m.name, ' ') from app.contents c join made m using (id)), 'three', 'The row is purged after 31 days');

select * from finish();
rollback;
