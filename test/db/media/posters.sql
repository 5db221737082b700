-- Posters: which picture a video can have as its poster, and what becomes of both when one of them is deleted.
begin;
select plan(25);
select test.people('alice', 'bob');
update app.settings set value = 'https://media.example.org/kith' where key = 'media_url';
create temporary table made (name text primary key, id uuid default gen_random_uuid());
grant all on made to public;
create function pg_temp.made(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.film(p_poster text) returns uuid language sql as $$
  select (api.create_asset('video', 'video/mp4', 10, p_poster_id => pg_temp.made(p_poster)) ->> 'assetId')::uuid $$;
create function pg_temp.poster_of(p_name text) returns text language sql stable as $$
  select api.get_asset(pg_temp.made(p_name)) ->> 'posterUrl' $$;
create function pg_temp.url_of(p_name text) returns text language sql stable as $$
  select 'https://media.example.org/kith/' || pg_temp.made(p_name) $$;
grant execute on all functions in schema pg_temp to public;
insert into made (name) values ('still'), ('other'), ('theirs'), ('pending'), ('avatar'), ('file'), ('clip'), ('sound');
insert into app.media_assets (id, key, owner_id, kind, content_type, size, bucket)
select m.id, m.id, test.id(case name when 'theirs' then 'bob' else 'alice' end), k.kind, k.types[1], 10, 'kith'
from made m join private.media_kinds k on k.kind = case name
  when 'avatar' then 'avatar' when 'file' then 'attachment' when 'clip' then 'video' when 'sound' then 'audio' else 'image' end;
update app.media_assets set status = 'committed', committed_at = now(), mime_type = content_type, expires_at = null
where id <> pg_temp.made('pending');

-- Acting as Alice
select test.act_as('alice');
select throws_ok(format('select api.create_asset(%L, %L, 10, p_poster_id => %L, p_in_parts => %L)', 'video', 'video/mp4', coalesce(pg_temp.made(p), gen_random_uuid()), i),
  'PT422', 'asset_poster', format('The poster of a video can''t be: %s (in parts: %s)', p, i))
from unnest(array['theirs', 'pending', 'avatar', 'file', 'clip', 'sound', 'unknown']) p, (values (false), (true)) i (i) where not i or p = 'theirs';
select throws_ok(format('select api.create_asset(%L, %L, 10, p_poster_id => pg_temp.made(%L))', k, t, 'still'), 'PT422', 'asset_poster', format('No %s can have a poster', k))
from (values ('image', 'image/png'), ('avatar', 'image/png'), ('audio', 'audio/mpeg'), ('attachment', 'image/png')) c (k, t);
select lives_ok($$ insert into made values ('film', pg_temp.film('still')), ('sequel', pg_temp.film('still')), ('short', pg_temp.film('other')) $$,
  'A committed picture of the same person can be the poster of several videos');
select is(pg_temp.poster_of('film'), pg_temp.url_of('still'), 'A pending video shows its poster');
select is(pg_temp.poster_of('clip'), null, 'A video without poster shows none');
select is(pg_temp.poster_of('still'), null, 'A poster has no poster itself');
select throws_ok($$ select api.delete_asset(pg_temp.made('still')) $$, 'PT409', 'asset_committed', 'A poster can''t be deleted by its owner');
select lives_ok($$ select api.delete_asset(pg_temp.made('sequel')) $$, 'A video with a poster can be aborted');

-- Acting as the owner
select test.act_as_owner();
update app.media_assets set status = 'committed', committed_at = now(), mime_type = content_type, expires_at = null where id = pg_temp.made('film');
update app.media_assets set created_at = now() - interval '10 years', expires_at = now() - interval '1 year' where status = 'pending';
update app.media_assets set created_at = now() - interval '10 years', committed_at = now() - interval '10 years' where status = 'committed';
select is(private.job_purge() > 0, true, 'The pending video is deleted after a time');
select is((select count(*)::int from app.media_assets where id in (pg_temp.made('still'), pg_temp.made('other'))), 2,
  'The poster of the deleted video stays, and so does the poster of a committed video');
delete from private.pending_object_deletions;
delete from app.media_assets where id = pg_temp.made('still');
select results_eq($$ select key::uuid, upload_only from private.pending_object_deletions where not upload_only $$,
  $$ values (pg_temp.made('still'), false) $$, 'The file of a video stays if its poster is deleted');
select is((select bytes from private.media_usage where owner_id = test.id('alice')), 60::bigint, 'The poster''s bytes no longer count, and the video''s do');

-- Acting as Alice
select test.act_as('alice');
select is(api.get_asset(pg_temp.made('film'))::jsonb @> '{"status": "committed", "posterUrl": null}', true, 'The video then has no poster');
select lives_ok($$ insert into made values ('late', pg_temp.film('other')) $$, 'Another picture can still be a poster');

-- Acting as the owner
select test.act_as_owner();
select private.erase_person(test.id('alice'));
select results_eq('select id from app.media_assets', $$ values (pg_temp.made('theirs')) $$, 'An erasure deletes videos with their posters');

select * from finish();
rollback;
