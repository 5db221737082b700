-- Uploads: who can announce and commit one, what is refused, and what is deleted afterwards.
begin;
select plan(67);
select test.people('alice', 'bob');
update app.settings set value = 'https://media.example.org/kith' where key = 'media_url';
update app.settings set value = 'kith' where key = 'media_bucket';
create temporary table made (number integer primary key, id uuid);
grant all on made to public;
create function pg_temp.made(p_number integer) returns uuid language sql stable as $$ select id from made where number = p_number $$;
create function pg_temp.announce(p_number integer) returns json language plpgsql as $$
declare
  v_card json := api.create_asset('image', 'image/png', 10);
begin
  insert into made values (p_number, (v_card ->> 'assetId')::uuid);
  return v_card;
end $$;
create function pg_temp.as_gate(p_name text) returns void language sql as $$
  select test.act_as_gate(), set_config('request.jwt.claims', test.claims(p_name)::text, true) $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
select set_eq($$ select json_object_keys(pg_temp.announce(1)) $$,
  array['assetId', 'kind', 'contentType', 'size', 'key', 'status', 'publicUrl', 'partSize', 'alt', 'width', 'height', 'blurhash', 'posterUrl', 'createdAt', 'committedAt'], 'An announced asset has these fields');
select is((select a.status || ' ' || a.bucket from app.media_assets a where a.id = pg_temp.made(1)), 'pending kith', 'An announced asset is pending');
select is(api.get_asset(pg_temp.made(1)) ->> 'publicUrl', 'https://media.example.org/kith/' || pg_temp.made(1), 'An announced asset has its public URL');
select is(api.create_asset('image', ' Image/PNG ', 1) ->> 'contentType', 'image/png', 'The content type ignores case');
select throws_ok($$ select api.create_asset('image', 'image/svg+xml', 10) $$, 'PT422', 'media_type', 'A content type that can run scripts is refused');
select throws_ok($$ select api.create_asset('image', 'video/mp4', 10) $$, 'PT422', 'media_type', 'A content type of another kind is refused');
select throws_ok($$ select api.create_asset('script', 'image/png', 10) $$, 'PT422', 'media_type', 'An unknown kind is refused');
select throws_ok($$ select api.create_asset('image', null, 10) $$, 'PT422', 'media_type', 'A null content type is refused');
select throws_ok($$ select api.create_asset('image', 'image/png', 20971521) $$, 'PT422', 'media_size', 'A size above the limit is refused');
select throws_ok($$ select api.create_asset('image', 'image/png', 0) $$, 'PT422', 'media_size', 'A size of 0 is refused');
select throws_ok($$ select api.create_asset('image', 'image/png', null) $$, 'PT422', 'media_size', 'A null size is refused');
select throws_ok(format('select api.create_asset(%L, %L, 10, p_width => %L, p_height => %L, p_blurhash => %L)', split_part(t, '/', 1), t, w, h, b),
  'PT422', e, format('Of a file of type %s, width %s, height %s and blurhash %s are refused', t, w, h, left(b, 10)))
from (values
  ('image/png', 0, 1, null, 'asset_dimensions'), ('image/png', 1, 0, null, 'asset_dimensions'), ('image/png', -1, -1, null, 'asset_dimensions'),
  ('image/png', 65536, 1, null, 'asset_dimensions'), ('image/png', 1, 65536, null, 'asset_dimensions'), ('image/png', 1, null, null, 'asset_dimensions'),
  ('image/png', null, 1, null, 'asset_dimensions'), ('audio/mpeg', 1, 1, null, 'asset_dimensions'), ('audio/mpeg', null, null, '000000', 'asset_dimensions'),
  ('image/png', 1, 1, '', 'blurhash'), ('image/png', 1, 1, '00000', 'blurhash'), ('image/png', 1, 1, '0000000', 'blurhash'),
  ('image/png', 1, 1, '00000é', 'blurhash'), ('image/png', 1, 1, '00000"', 'blurhash'), ('image/png', 1, 1, '~' || repeat('0', 165), 'blurhash'),
  ('image/png', 1, 1, 'LEHV6nWB2yk8pyo0adR*.7kCMdn', 'blurhash'), ('image/png', 1, 1, 'LEHV6nWB2yk8pyo0adR*.7kCMdnjj', 'blurhash'),
  ('image/png', 1, 1, repeat('0', 100000), 'blurhash')) c (t, w, h, b, e);
select is(api.create_asset('video', 'video/mp4', 10, p_width => w, p_height => h, p_blurhash => b)::jsonb @> jsonb_build_object('width', w, 'height', h, 'blurhash', b), true,
  format('Width %s, height %s and blurhash %s are kept', w, h, left(b, 10)))
from (values (1, 1, 'LEHV6nWB2yk8pyo0adR*.7kCMdnj'), (65535, 65535, '000000'), (null, null, null), (null, null, '|' || repeat('~', 165)),
             (1, 2, '#$%*+,-.:;=?@[]^_{|}~' || repeat('0', 109))) c (w, h, b);
select test.act_as_owner();
delete from app.media_assets where kind = 'video';
delete from private.pending_object_deletions;
select test.act_as('alice');
select throws_ok($$ select api.commit_asset(pg_temp.made(1), 'image/png') $$, '42501', null, 'People can''t commit an asset themselves');
select lives_ok($$ select pg_temp.announce(2) $$, 'A second asset can be announced');

-- Acting as the owner
select test.act_as_owner();
insert into app.media_assets (owner_id, kind, content_type, size, bucket, key)
select test.id('alice'), 'image', 'image/png', 10, 'kith', 'one of many ' || n from generate_series(1, 47) n;
update app.settings set value = '510' where key = 'media_quota';

-- Acting as Alice
select test.act_as('alice');
select throws_ok($$ select api.create_asset('image', 'image/png', 10) $$, 'PT409', 'assets_exhausted', 'At most fifty assets can be pending');

-- Acting as the owner
select test.act_as_owner();
update app.media_assets set created_at = now() - interval '16 minutes' where key in ('one of many 1', 'one of many 2');

-- Acting as Alice
select test.act_as('alice');
select lives_ok($$ select pg_temp.announce(3) $$, 'A new asset replaces an old pending one');
select throws_ok($$ select api.create_asset('image', 'image/png', 30) $$, 'PT409', 'media_quota_exceeded', 'Announced bytes count towards the quota');
select throws_ok($$ select api.create_asset('image', 'image/png', 520) $$, 'PT409', 'media_quota_exceeded', 'An asset above the quota is refused');
select is((select count(*)::int from app.media_assets where key like 'one of many%'), 46, 'A refused asset replaces no pending one');
select lives_ok($$ select pg_temp.announce(4) $$, 'An accepted asset replaces the other old pending one');
select is((select count(*)::int from app.media_assets), 50, 'There are still fifty pending assets');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.get_asset(pg_temp.made(1)) $$, 'PT404', 'asset_unknown', 'Other people can''t get the asset');
select is((select count(*)::int from app.media_assets), 0, 'Other people see no assets in the table');

-- Acting as the gate
select pg_temp.as_gate('bob');
select throws_ok($$ select api.commit_asset(pg_temp.made(1), 'image/png') $$, 'PT404', 'asset_unknown', 'Another person can''t commit the asset');
select pg_temp.as_gate('alice');
select is(api.commit_asset(pg_temp.made(1), 'image/png', 3, 4) ->> 'status', 'committed', 'The owner can commit the asset');
select is(api.commit_asset(pg_temp.made(1), 'image/gif') ->> 'status', 'committed', 'Committing again is not an error');
select is(api.commit_asset(pg_temp.made(1), 'image/gif', 5, 6)::jsonb @> '{"width": 3, "height": 4}', true, 'The dimensions are those of the first commit');
select throws_ok($$ select api.commit_asset(gen_random_uuid(), 'image/png') $$, 'PT404', 'asset_unknown', 'An unknown asset can''t be committed');
select test.act_as('bob');
select pg_temp.announce(7), pg_temp.announce(8);
select pg_temp.as_gate('bob');
select api.commit_asset(pg_temp.made(n), 'image/png', p_sha256 => repeat('ab', 32)) from unnest(array[7, 8]) n;
select is(api.commit_asset(pg_temp.made(7), 'image/png', p_sha256 => repeat('AB', 32)) ->> 'status', 'committed', 'A second commit of the same file changes nothing');
select is(api.commit_asset(pg_temp.made(7), 'image/png') ->> 'status', 'committed', 'A second commit without a hash changes nothing');
select is(api.commit_asset(pg_temp.made(8), 'image/png', p_sha256 => repeat('cd', 32)) ->> 'message', 'asset_unfit', 'A second commit of another file fails');
select test.act_as('bob');
select throws_ok($$ select api.get_asset(pg_temp.made(8)) $$, 'PT404', 'asset_unknown', 'An asset of which two files were published is deleted');

-- Acting as the owner
select test.act_as_owner();
select is((select mime_type from app.media_assets where id = pg_temp.made(1)), 'image/png', 'The first commit sets the type');
select is((select encode(sha256, 'hex') from app.media_assets where id = pg_temp.made(7)), repeat('ab', 32), 'The first commit sets the hash');
delete from app.media_assets where id = pg_temp.made(7);
delete from private.pending_object_deletions where key in (select id::text from made where number in (7, 8));
select is((select bytes from private.media_usage where owner_id = test.id('alice')), 10::bigint, 'Committing twice counts the bytes once');
select results_eq($$ select key, upload_only, due_at = now() + interval '2 minutes' from private.pending_object_deletions where key like 'one%' order by key $$,
  $$ values ('one of many 1', false, true), ('one of many 2', false, true) $$, 'The objects of dropped assets are queued for deletion');
delete from private.pending_object_deletions where key like 'one%';
select results_eq($$ select key::uuid, upload_only, due_at = now() + interval '15 minutes' from private.pending_object_deletions $$,
  $$ values (pg_temp.made(1), true, true) $$, 'The upload object of a committed asset is queued for deletion');
select is(private.job_delete_objects(), 0, 'Nothing is deleted before the upload URL has expired');
update app.media_assets set expires_at = now() - interval '1 second', created_at = now() - interval '1 day' where id = pg_temp.made(2);
select is(private.job_purge() > 0, true, 'An asset that is never committed is deleted after a time');
update private.pending_object_deletions set due_at = now();
select is(private.job_delete_objects(), 2, 'The job names the objects of both assets');
select is((select data::jsonb from pgboss.job where name = 'objects'),
  jsonb_build_object('bucket', 'kith', 'keys', jsonb_build_array(pg_temp.made(2)), 'uploads', jsonb_build_array(pg_temp.made(1)), 'uploadIds', jsonb_build_object()), 'The job lists whole assets and upload objects separately');
select is(private.job_delete_objects(), 0, 'The job doesn''t list the same objects again for a while');
delete from app.media_assets where id = pg_temp.made(1);
select is(private.note_deleted_objects('other', array[pg_temp.made(2)::text], '{}'), 0, 'Deleted objects of another bucket are ignored');
select is(private.note_deleted_objects('kith', array[pg_temp.made(2)::text], array[pg_temp.made(1)::text]), 1, 'A deleted object is removed from the queue');
select results_eq($$ select key::uuid, upload_only from private.pending_object_deletions $$,
  $$ values (pg_temp.made(1), false) $$, 'An asset whose row was deleted meanwhile stays in the queue');

select * from finish();
rollback;
