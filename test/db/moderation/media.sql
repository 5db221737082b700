-- Rules that look for a file by its hash: which things they find, what counts as a hash, and who sees one.
begin;
select plan(23);
select test.people('alice', 'bob', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';
create function pg_temp.hash(p_text text) returns text language sql as $$ select encode(sha256(convert_to(p_text, 'UTF8')), 'hex') $$;
create function pg_temp.asset(p_text text, p_kind text default 'image', p_type text default 'image/png', p_poster uuid default null) returns uuid
language plpgsql security definer as $$
declare
  v_id uuid := gen_random_uuid();
begin
  insert into app.media_assets (id, owner_id, kind, content_type, size, bucket, key, poster_id, status, expires_at, committed_at, mime_type, sha256)
  values (v_id, test.id('bob'), p_kind, p_type, 9, 'local', v_id, p_poster, 'committed', null, now(), p_type, decode(pg_temp.hash(p_text), 'hex'));
  return v_id;
end $$;
create function pg_temp.fits(p_type text, p_id uuid, p_text text) returns boolean language sql security definer as $$
  select (private.find_fitting(private.read_conditions(jsonb_build_array(jsonb_build_object('kind', 'media', 'hashes', jsonb_build_array(repeat('0', 64), upper(pg_temp.hash(p_text)))))),
                               private.find_versions(p_type, p_id))).id is not null $$;
create function pg_temp.reads(p_hashes jsonb) returns private.condition language sql security definer as $$
  select private.read_condition(jsonb_build_object('kind', 'media', 'hashes', p_hashes)) $$;
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made values ('cat', pg_temp.asset('cat')), ('dog', pg_temp.asset('dog')), ('unknown', pg_temp.asset('old')), ('poster', pg_temp.asset('poster'));
insert into made values ('film', pg_temp.asset('film', 'video', 'video/mp4', pg_temp.id('poster'))), ('sound', pg_temp.asset('sound', 'audio', 'audio/mpeg'));
insert into made values ('plain', (api.create_post('A walk') ->> 'id')::uuid);
insert into made values ('cats', (api.create_post('Two', 'photo', p_media => jsonb_build_array(jsonb_build_object('assetId', pg_temp.id('dog')), jsonb_build_object('assetId', pg_temp.id('cat')))) ->> 'id')::uuid);
insert into made values ('clip', (api.create_post('A clip', 'video', p_media => jsonb_build_array(jsonb_build_object('assetId', pg_temp.id('film')))) ->> 'id')::uuid);
insert into made values ('other', (api.create_post('Elsewhere', 'photo', p_media => jsonb_build_array(jsonb_build_object('url', 'https://example.org/cat.png'))) ->> 'id')::uuid);
insert into made values ('old', (api.create_post('Old', 'photo', p_media => jsonb_build_array(jsonb_build_object('assetId', pg_temp.id('unknown')))) ->> 'id')::uuid);
insert into made values ('video', (api.create_video((api.get_asset(pg_temp.id('film')) ->> 'publicUrl')) ->> 'id')::uuid);
insert into made values ('audio', (api.create_audio((api.get_asset(pg_temp.id('sound')) ->> 'publicUrl')) ->> 'id')::uuid);
insert into made values ('course', (api.create_course('Cats', 'All about cats', 1) ->> 'id')::uuid);
select api.create_course_lesson(pg_temp.id('course'), 'One', 'Look', pg_temp.id('cat'));
select api.publish_course(pg_temp.id('course'));
select test.act_as_owner();
update app.media_assets set sha256 = null where id = pg_temp.id('unknown');

select ok(pg_temp.fits('post', pg_temp.id('cats'), 'cat'), 'A post with the file is found, whatever the letter case of the hash');
select ok(pg_temp.fits('post', pg_temp.id('cats'), 'dog'), 'Each file of a post counts');
select ok(not pg_temp.fits('post', pg_temp.id('cats'), 'film'), 'A post with other files is not found');
select ok(not pg_temp.fits('post', pg_temp.id('plain'), 'cat'), 'A post without files is not found');
select ok(pg_temp.fits('post', pg_temp.id('clip'), 'film'), 'A post with the video is found');
select ok(pg_temp.fits('post', pg_temp.id('clip'), 'poster'), 'The poster of a video counts');
select ok(not pg_temp.fits('post', pg_temp.id('other'), 'cat'), 'A file at another host is not found');
select ok(not pg_temp.fits('post', pg_temp.id('old'), 'old'), 'A file whose hash is not known is not found');
select ok(pg_temp.fits('video', pg_temp.id('video'), 'film'), 'A video is found by its file');
select ok(pg_temp.fits('video', pg_temp.id('video'), 'poster'), 'A video is found by its thumbnail');
select ok(pg_temp.fits('audio', pg_temp.id('audio'), 'sound'), 'An audio is found by its file');
select ok(pg_temp.fits('course', pg_temp.id('course'), 'cat'), 'A course is found by the file of a lesson');
select ok(not pg_temp.fits('course', pg_temp.id('course'), 'dog'), 'A course with other files is not found');

-- An edit
select test.act_as('bob');
select api.update_post(pg_temp.id('cats'), jsonb_build_object('media', jsonb_build_array(jsonb_build_object('assetId', pg_temp.id('dog')))));
select test.act_as_owner();
select ok(pg_temp.fits('post', pg_temp.id('cats'), 'cat'), 'An earlier version of a post counts');

-- What staff writes
select is((pg_temp.reads(jsonb_build_array(upper(pg_temp.hash('a')), pg_temp.hash('a'))) ).parameters, jsonb_build_object('hashes', jsonb_build_array(pg_temp.hash('a'))), 'A hash is kept once, in lower case');
select throws_ok($$ select pg_temp.reads('[]') $$, 'PT422', 'rule_conditions', 'A condition needs a hash');
select throws_ok($$ select pg_temp.reads('["abc"]') $$, 'PT422', 'rule_conditions', 'A hash has 64 digits');
select throws_ok($$ select pg_temp.reads('[7]') $$, 'PT422', 'rule_conditions', 'A hash is a text');
select throws_ok($$ select pg_temp.reads((select jsonb_agg(pg_temp.hash(n::text)) from generate_series(1, 101) n)) $$, 'PT422', 'rule_conditions',
  'A condition can have at most 100 hashes');

-- Who sees a hash
select test.act_as_service('mona');
insert into made values ('case', (api.create_case('post', pg_temp.id('cats')::text) ->> 'id')::uuid);
select set_eq($$ select f ->> 'sha256' from json_array_elements(api.get_case(pg_temp.id('case')) -> 'media') f $$,
  array[pg_temp.hash('cat'), pg_temp.hash('dog')], 'A case has the hashes of the files of all versions');
insert into made values ('person', (api.create_case('user', 'bob') ->> 'id')::uuid);
select is(api.get_case(pg_temp.id('person')) -> 'media' #>> '{}', '[]', 'A case about a person has no files');
select test.act_as('bob');
select throws_ok(format('select private.case_media(''post'', %L)', pg_temp.id('cats')), '42501', null, 'People can''t read the hashes of a thing');
select is(api.get_asset(pg_temp.id('cat')) ->> 'sha256', null, 'The owner of a file doesn''t see its hash');
select * from finish();
rollback;
