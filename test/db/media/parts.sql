-- Uploads in parts: how large the parts are, which upload of the storage they belong to, and who can end it.
begin;
select plan(32);
select test.people('alice', 'bob');
create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.made(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.as_gate(p_name text) returns void language sql as $$
  select test.act_as_gate(), set_config('request.jwt.claims', test.claims(p_name)::text, true) $$;
create function pg_temp.upload_of(p_name text) returns text language sql stable security definer as $$
  select upload_id from app.media_assets where id = (select id from made where name = p_name) $$;
grant execute on all functions in schema pg_temp to public;

select is(private.part_size(s), z, format('A file of %s bytes has parts of %s', s, z))
from (values (1::bigint, 8388608), (8388609, 8388608), (100::bigint * 8388608, 8388608), (100::bigint * 8388608 + 1, 9437184),
             (100::bigint * 9437184, 9437184)) c (s, z);

-- Acting as Alice
select test.act_as('alice');
select is(api.create_asset('video', 'video/mp4', 209715200, p_in_parts => true) ->> 'partSize', '8388608', 'An upload in parts says how large they are');
select throws_ok($$ select api.create_asset('video', 'video/mp4', 9223372036854775807, p_in_parts => true) $$, 'PT422', 'media_size', 'A size above the limit is refused in parts too');
insert into made select n, (api.create_asset('video', 'video/mp4', 9000000, p_in_parts => n <> 'whole') ->> 'assetId')::uuid
from unnest(array['parts', 'whole', 'other', 'done']) n;
select is(api.get_asset(pg_temp.made('whole')) ->> 'partSize', null, 'An upload in one piece has no parts');
select throws_ok($$ select api.continue_upload(pg_temp.made('parts')) $$, '42501', null, 'People can''t name the upload of the storage');

-- Acting as the gate
select pg_temp.as_gate('alice');
select is(api.continue_upload(pg_temp.made('parts')) ->> 'uploadId', null, 'At first the storage has begun no upload');
select is(api.continue_upload(pg_temp.made('parts'), null, 'one') ->> 'uploadId', 'one', 'The upload that the storage has begun is kept');
select is(api.continue_upload(pg_temp.made('parts'), null, 'two') ->> 'uploadId', 'one', 'Of two uploads that begin at the same time, the first is kept');
select is(api.continue_upload(pg_temp.made('parts'), 'one', 'three') ->> 'uploadId', 'three', 'An upload that has ended is replaced');
select is(api.continue_upload(pg_temp.made('parts'), 'one', 'four') ->> 'uploadId', 'three', 'An ended upload is replaced only once');
select is(api.continue_upload(pg_temp.made('parts')) ->> 'uploadId', 'three', 'Asking changes nothing');
select throws_ok($$ select api.continue_upload(pg_temp.made('whole')) $$, 'PT409', 'asset_in_one_piece', 'An upload in one piece can''t be continued');
select throws_ok($$ select api.continue_upload(pg_temp.made('whole'), null, 'one') $$, 'PT409', 'asset_in_one_piece', 'An upload in one piece can''t begin an upload in parts');
select is(pg_temp.upload_of('whole'), null, 'No upload in parts is recorded for an upload in one piece');
select throws_ok($$ select api.continue_upload(gen_random_uuid()) $$, 'PT404', 'asset_unknown', 'An unknown upload can''t be continued');
select api.continue_upload(pg_temp.made('done'), null, 'done');
select api.commit_asset(pg_temp.made('done'), 'video/mp4');
select is(api.continue_upload(pg_temp.made('done')) ->> 'uploadId', 'done', 'A second commit finds the upload');
select throws_ok($$ select api.continue_upload(pg_temp.made('done'), 'done', 'again') $$, 'PT409', 'asset_committed', 'A committed asset begins no upload');
select pg_temp.as_gate('bob');
select throws_ok($$ select api.continue_upload(pg_temp.made('parts')) $$, 'PT404', 'asset_unknown', 'Another person can''t continue the upload');
select throws_ok($$ select api.continue_upload(pg_temp.made('parts'), 'three', 'mine') $$, 'PT404', 'asset_unknown', 'Another person can''t replace the upload');
select is(pg_temp.upload_of('parts'), 'three', 'The upload is the same after another person''s attempt');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.delete_asset(pg_temp.made('parts')) $$, 'PT404', 'asset_unknown', 'Another person can''t delete the upload');
select throws_ok($$ select api.delete_asset(pg_temp.made('done')) $$, 'PT404', 'asset_unknown', 'Another person can''t learn that an asset is committed');

-- Acting as Alice
select test.act_as('alice');
select throws_ok($$ select api.delete_asset(pg_temp.made('done')) $$, 'PT409', 'asset_committed', 'A committed asset can''t be deleted');
select lives_ok($$ select api.delete_asset(pg_temp.made('parts')) $$, 'An upload can be deleted');
select throws_ok($$ select api.delete_asset(pg_temp.made('parts')) $$, 'PT404', 'asset_unknown', 'An upload can be deleted only once');
select lives_ok($$ select api.delete_asset(pg_temp.made('whole')) $$, 'An upload in one piece can be deleted');

-- Acting as the owner
select test.act_as_owner();
select results_eq($$ select m.name, d.upload_only, d.upload_id from private.pending_object_deletions d join made m on m.id = d.key::uuid order by m.name $$,
  $$ values ('done', true, 'done'), ('parts', false, 'three'), ('whole', false, null) $$, 'Everything that the storage may have of these uploads is queued for deletion');
update private.pending_object_deletions set due_at = now();
select private.job_delete_objects();
select is((select data::jsonb -> 'uploadIds' from pgboss.job where name = 'objects'),
  jsonb_build_object(pg_temp.made('done'), 'done', pg_temp.made('parts'), 'three'), 'The job names the uploads to abort');

select * from finish();
rollback;
