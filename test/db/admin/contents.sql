-- Staff find contents of every kind, remove them for everybody but their author, and restore them.
begin;
select plan(49);
select test.people('alice', 'bob', 'carla', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) join made m on m.id = (i.item ->> 'id')::uuid $$;
create function pg_temp.entries() returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', u.username, l.action, l.target_type, m.name, d.detail ->> 'reason'), ', ' order by l.id), '')
  from app.audit_log l join app.audit_details d on d.audit_id = l.id join app.users u on u.id = l.actor_id
  join made m on m.id::text = l.target_id $$;
create function pg_temp.notices() returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(concat_ws(' ', n.target_type, m.name, n.payload ->> 'action'), ', ' order by m.name, n.payload ->> 'action'), '')
  from app.notifications n join made m on m.id::text = n.target_id
  where n.user_id = test.id('bob') and n.kind = 'moderation.actioned'
    and not exists (select from app.notification_actors a where a.notification_id = n.id) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select 'video', (api.create_video('https://example.org/v', p_caption => 'Über den Dächern') ->> 'id')::uuid;
insert into made select 'audio', (api.create_audio('https://example.org/a', 'roofs') ->> 'id')::uuid;
insert into made select 'gone', (api.create_audio('https://example.org/g') ->> 'id')::uuid;
select api.delete_audio(pg_temp.id('gone'));
select test.act_as('carla');
insert into made select 'other', (api.create_video('https://example.org/o') ->> 'id')::uuid;
select test.act_as_owner();
update app.contents c set created_at = now() - w.age * interval '1 hour'
from (values ('video', 1), ('audio', 2), ('other', 3), ('gone', 4)) w (name, age) where c.id = (select id from made m where m.name = w.name);

-- Acting as Mona, a moderator, who may only read
select test.act_as_service('mona');
select is(pg_temp.names(api.list_contents()), 'video audio other', 'A moderator sees all kinds, newest first, without deleted contents');
select is((api.list_contents('videos', p_q => pg_temp.id('video')::text) #> '{items,0}')::jsonb - '{author,createdAt}'::text[], jsonb_build_object(
  'id', pg_temp.id('video'), 'kind', 'video', 'authorId', test.id('bob'), 'interestId', null, 'title', null, 'groupId', null, 'guildId', null,
  'detail', jsonb_build_object('mediaUrl', 'https://example.org/v', 'thumbnailUrl', null, 'caption', 'Über den Dächern', 'durationSec', null),
  'editedAt', null, 'removedAt', null), 'Each item has its detail and the author''s internal id');
select is(pg_temp.names(api.list_contents('videos')), 'video other', 'The list can be narrowed to videos');
select is(pg_temp.names(api.list_contents('audio')), 'audio', 'The list can be narrowed to audio');
select throws_ok(format('select api.list_contents(%L)', k), 'PT422', 'content_kind', 'An unknown kind is refused: ' || k) from unnest(array['video', 'posts', '']) k;
select is(pg_temp.names(api.list_contents(p_q => q)), n, 'The list can be searched for ' || q)
from (values ('UBER dachern', 'video'), ('roofs', 'audio'), ('roof', ''), ('!?', ''), ('roofs dachern', '')) w (q, n);
select is(pg_temp.names(api.list_contents('audio', p_q => pg_temp.id('video')::text)), '', 'An id of another kind finds nothing');
select is(pg_temp.names(api.list_contents(p_q => pg_temp.id('gone')::text)), '', 'The id of a deleted content finds nothing');
select is(pg_temp.names(api.list_contents(p_from => now() - interval '2 hours')), 'video audio', 'The list can be limited to contents from a given time on');
select is(pg_temp.names(api.list_contents(p_to => now() - interval '2 hours')), 'other', 'The list can be limited to contents before a given time');
select is(pg_temp.names(api.list_contents(p_limit => 1)) || (api.list_contents(p_limit => 1) ->> 'nextCursor'), 'video' || pg_temp.id('video'), 'A page ends with the cursor of its last item');
select is(pg_temp.names(api.list_contents(p_limit => 1, p_cursor => pg_temp.id('video')::text)), 'audio', 'The cursor leads to the next page');
select throws_ok($$ select api.list_contents(p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select throws_ok(format('select api.%s_content(%L, %L)', o, 'videos', pg_temp.id('video')), 'PT403', 'role_required', 'A moderator can''t ' || o || ' a content')
from unnest(array['remove', 'restore']) o;

-- Acting as Alice, an admin
select test.act_as_service('alice');
select is(api.remove_content('videos', pg_temp.id('video'), ' Spam ')::jsonb, jsonb_build_object('id', pg_temp.id('video'), 'kind', 'video', 'removedAt', private.utc(now())), 'An admin can remove a video');
select api.remove_content('videos', pg_temp.id('video'), 'Again'), api.remove_content('audio', pg_temp.id('audio'));
select is(pg_temp.entries(), 'alice video.removed video video Spam, alice audio.removed audio audio', 'Each removal leaves one audit entry, and a repeated one leaves none');
select is(pg_temp.notices(), 'audio audio removed, video video removed', 'The author is notified of each removal');
select test.act_as('carla');
select throws_ok($$ select api.get_video(pg_temp.id('video')) $$, 'PT404', 'video_unknown', 'Others can''t see a removed video');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', o, 'video', m), 'PT404', 'video_unknown', 'Others can''t use ' || o || ' on a removed video')
from (values ('like_video', ''), ('repost_video', ''), ('create_video_comment', $$, 'x'$$), ('list_video_comments', '')) w (o, m);
select test.act_as('bob');
select is(api.get_video(pg_temp.id('video')) ->> 'removedAt', private.utc(now()), 'The author still sees the removed video');
select throws_ok(format('select api.%s(pg_temp.id(%L)%s)', o, 'video', m), 'PT404', 'video_unknown', 'The author can''t use ' || o || ' on the removed video')
from (values ('like_video', ''), ('repost_video', ''), ('create_video_comment', $$, 'x'$$)) w (o, m);
select throws_ok($$ insert into app.video_likes (video_id, user_id) values (pg_temp.id('video'), test.id('bob')) $$, '42501', null, 'People can''t insert likes directly');
select test.act_as_service('mona');
select is(pg_temp.names(api.list_contents(p_status => 'removed')) || '|' || pg_temp.names(api.list_contents(p_status => 'visible')), 'video audio|other', 'Staff can list removed and visible contents');
select test.act_as_service('alice');
select is(api.restore_content('videos', pg_temp.id('video')) ->> 'removedAt', null, 'An admin can restore the video');
select api.restore_content('videos', pg_temp.id('video'));
select is(pg_temp.entries(), 'alice video.removed video video Spam, alice audio.removed audio audio, alice video.restored video video', 'A repeated restoration leaves no second audit entry');
select is(pg_temp.notices(), 'audio audio removed, video video removed, video video restored', 'The author is notified of the restoration');
select test.act_as_owner();
update app.users set role = 'admin' where username = 'bob';
select test.act_as_service('bob');
select throws_ok($$ select api.restore_content('audio', pg_temp.id('audio')) $$, 'PT403', 'moderate_own', 'An admin can''t restore what they wrote');
select test.act_as_owner();
update app.users set role = 'user' where username = 'bob';
select test.act_as_service('alice');
select throws_ok(format('select api.%s_content(%L, %L)', o, k, pg_temp.id(n)), 'PT404', 'content_unknown', 'Can''t ' || o || ' a content that isn''t there, in ' || k || ': ' || n)
from unnest(array['remove', 'restore']) o, (values ('videos', 'audio'), ('audio', 'gone')) w (k, n);
select throws_ok(format('select api.remove_content(%L, %L, %L)', 'videos', pg_temp.id('video'), repeat('é', 1001)), 'PT422', 'reason_length', 'A reason of more than 1000 characters is refused');

-- Acting as everyone else
select test.act_as_service('bob');
select throws_ok($$ select api.list_contents() $$, 'PT403', 'role_required', 'A user can''t list contents as staff');
select test.act_as('alice');
select throws_ok($$ select api.list_contents() $$, '42501', null, 'An admin''s own token can''t call staff operations over .rpc()');

-- Reasons
select test.act_as_owner();
update app.users set erased_at = now() where username = 'bob';
select is((select count(*) from app.audit_details where detail is not null)::int, 0, 'An erasure deletes the reasons of staff');
select is(pg_temp.names(api.list_contents()), 'other', 'An erasure removes the person''s contents from the list') from (select test.act_as_service('mona')) a;
select test.act_as_service('alice');
select api.remove_content('videos', pg_temp.id('other'), 'Spam');
select test.act_as('carla');
select api.delete_video(pg_temp.id('other'));
select test.act_as_owner();
update app.contents set deleted_at = now() - interval '32 days' where deleted_at is not null;
select private.job_purge();
select is((select count(*) from app.audit_details where detail is not null)::int, 0, 'Purging a deleted content deletes the reasons about it');

select * from finish();
rollback;
