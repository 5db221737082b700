-- Uploads: who may announce and commit one, what is refused, and what is left of them to be deleted.
begin;
select plan(38);
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
  array['assetId', 'kind', 'contentType', 'size', 'key', 'status', 'publicUrl', 'createdAt', 'committedAt'], 'an announced asset');
select is((select a.status || ' ' || a.bucket from app.media_assets a where a.id = pg_temp.made(1)), 'pending kith', 'is pending');
select is(api.get_asset(pg_temp.made(1)) ->> 'publicUrl', 'https://media.example.org/kith/' || pg_temp.made(1), 'and knows its address');
select is(api.create_asset('image', ' Image/PNG ', 1) ->> 'contentType', 'image/png', 'a content type has no case');
select throws_ok($$ select api.create_asset('image', 'image/svg+xml', 10) $$, 'PT422', 'media_type', 'a type that runs');
select throws_ok($$ select api.create_asset('image', 'video/mp4', 10) $$, 'PT422', 'media_type', 'a type of another kind');
select throws_ok($$ select api.create_asset('script', 'image/png', 10) $$, 'PT422', 'media_type', 'a kind that is none');
select throws_ok($$ select api.create_asset('image', null, 10) $$, 'PT422', 'media_type', 'no type');
select throws_ok($$ select api.create_asset('image', 'image/png', 20971521) $$, 'PT422', 'media_size', 'too many bytes');
select throws_ok($$ select api.create_asset('image', 'image/png', 0) $$, 'PT422', 'media_size', 'too few');
select throws_ok($$ select api.create_asset('image', 'image/png', null) $$, 'PT422', 'media_size', 'how many, nobody knows');
select throws_ok($$ select api.commit_asset(pg_temp.made(1), 'image/png') $$, '42501', null, 'people commit nothing by themselves');
select lives_ok($$ select pg_temp.announce(2) $$, 'one more');

-- Acting as the owner
select test.act_as_owner();
insert into app.media_assets (owner_id, kind, content_type, size, bucket, key)
select test.id('alice'), 'image', 'image/png', 10, 'kith', 'one of many ' || n from generate_series(1, 47) n;
update app.settings set value = '510' where key = 'media_quota';

-- Acting as Alice
select test.act_as('alice');
select throws_ok($$ select api.create_asset('image', 'image/png', 10) $$, 'PT409', 'assets_exhausted', 'fifty may wait');

-- Acting as the owner
select test.act_as_owner();
update app.media_assets set created_at = now() - interval '16 minutes' where key in ('one of many 1', 'one of many 2');

-- Acting as Alice
select test.act_as('alice');
select lives_ok($$ select pg_temp.announce(3) $$, 'of which an older one is given up for a new one');
select throws_ok($$ select api.create_asset('image', 'image/png', 30) $$, 'PT409', 'media_quota_exceeded', 'what is announced counts towards the quota');
select throws_ok($$ select api.create_asset('image', 'image/png', 520) $$, 'PT409', 'media_quota_exceeded', 'which is not for one that is larger');
select is((select count(*)::int from app.media_assets where key like 'one of many%'), 46, 'and for what is refused none is given up');
select lives_ok($$ select pg_temp.announce(4) $$, 'but one that fits takes the other''s place');
select is((select count(*)::int from app.media_assets), 50, 'and the fifty are fifty');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select api.get_asset(pg_temp.made(1)) $$, 'PT404', 'asset_unknown', 'another sees none of it');
select is((select count(*)::int from app.media_assets), 0, 'in no way');

-- Acting as the gate
select pg_temp.as_gate('bob');
select throws_ok($$ select api.commit_asset(pg_temp.made(1), 'image/png') $$, 'PT404', 'asset_unknown', 'another commits none of it');
select pg_temp.as_gate('alice');
select is(api.commit_asset(pg_temp.made(1), 'image/png') ->> 'status', 'committed', 'its owner does');
select is(api.commit_asset(pg_temp.made(1), 'image/gif') ->> 'status', 'committed', 'and may again');
select throws_ok($$ select api.commit_asset(gen_random_uuid(), 'image/png') $$, 'PT404', 'asset_unknown', 'not what is not there');

-- Acting as the owner
select test.act_as_owner();
select is((select mime_type from app.media_assets where id = pg_temp.made(1)), 'image/png', 'the first commit counts');
select is((select bytes from private.media_usage where owner_id = test.id('alice')), 10::bigint, 'once');
select results_eq($$ select key, upload_only, due_at = now() + interval '2 minutes' from private.pending_object_deletions where key like 'one%' order by key $$,
  $$ values ('one of many 1', false, true), ('one of many 2', false, true) $$, 'what was given up is deleted');
delete from private.pending_object_deletions where key like 'one%';
select results_eq($$ select key::uuid, upload_only, due_at = now() + interval '15 minutes' from private.pending_object_deletions $$,
  $$ values (pg_temp.made(1), true, true) $$, 'what is uploaded once more goes');
select is(private.job_delete_objects(), 0, 'but not before the address has ended');
update app.media_assets set expires_at = now() - interval '1 second', created_at = now() - interval '1 day' where id = pg_temp.made(2);
select is(private.job_purge() > 0, true, 'what is not committed goes by age');
update private.pending_object_deletions set due_at = now();
select is(private.job_delete_objects(), 2, 'the objects of both are named');
select is((select data::jsonb from pgboss.job where name = 'objects'),
  jsonb_build_object('bucket', 'kith', 'keys', jsonb_build_array(pg_temp.made(2)), 'uploads', jsonb_build_array(pg_temp.made(1))), 'each as what it is');
select is(private.job_delete_objects(), 0, 'once, for a while');
delete from app.media_assets where id = pg_temp.made(1);
select is(private.note_deleted_objects('other', array[pg_temp.made(2)::text], '{}'), 0, 'not of another bucket');
select is(private.note_deleted_objects('kith', array[pg_temp.made(2)::text], array[pg_temp.made(1)::text]), 1, 'and forgotten when they are gone');
select results_eq($$ select key::uuid, upload_only from private.pending_object_deletions $$,
  $$ values (pg_temp.made(1), false) $$, 'but not what was deleted meanwhile');

select * from finish();
rollback;
