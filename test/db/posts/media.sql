-- Assets as media of posts: when a post is published or edited, they must be the author's own, committed, and of a
-- suitable kind.
begin;
select plan(33);
select test.people('alice', 'bob');
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.media(p_name text) returns jsonb language sql stable
  as $$ select jsonb_build_array(jsonb_build_object('assetId', pg_temp.id(p_name), 'alt', ' A thing ')) $$;
create function pg_temp.place(p_name text) returns text language sql stable as $$ select private.asset_url(pg_temp.id(p_name)::text) $$;
grant execute on all functions in schema pg_temp to public;
with asset as (
  insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, status, mime_type, committed_at, expires_at)
  select test.id(a.owner), a.kind, 'x/y', 1, 'local', a.name, case when a.name = 'pending' then 'pending' else 'committed' end,
         case when a.name <> 'pending' then 'x/y' end, case when a.name <> 'pending' then now() end,
         case when a.name = 'pending' then now() + interval '1 day' end
  from (values ('image', 'image', 'alice'), ('video', 'video', 'alice'), ('audio', 'audio', 'alice'), ('avatar', 'avatar', 'alice'),
               ('attachment', 'attachment', 'alice'), ('pending', 'image', 'alice'), 
               ('bobs', 'image', 'bob')) a (name, kind, owner)
  returning key, id)
insert into made select key, id from asset;
update app.media_assets set key = id;

-- Acting as Alice
select test.act_as('alice');
select is((api.create_post('x', f, p_media => pg_temp.media(m)) -> 'media')::jsonb,
  jsonb_build_array(jsonb_build_object('url', pg_temp.place(m), 'alt', 'A thing', 'width', null, 'height', null, 'blurhash', null, 'posterUrl', null)), format('A %s with the asset %s has its URL', f, m))
from (values ('photo', 'image'), ('video', 'video'), ('note', 'image'), ('note', 'video'), ('note', 'audio')) c (f, m);
select test.act_as_owner();
update app.media_assets set alt = 'A cat', content_type = 'image/png', width = 3, height = 4, blurhash = '000000' where id = pg_temp.id('image');
select test.act_as('alice');
select is(api.create_post('x', p_media => jsonb_build_array(jsonb_build_object('assetId', pg_temp.id('image')) || c.alt)) #>> '{media,0,alt}', c.stored,
  'The alt text of a post''s asset: ' || c.what)
from (values ('{}'::jsonb, 'A cat', 'that of the asset'), ('{"alt": "Our cat"}', 'Our cat', 'its own'), ('{"alt": null}', null, 'none if null'),
             ('{"alt": " "}', null, 'none if empty')) c (alt, stored, what);
select is(api.create_post('x', p_media => jsonb_build_array(jsonb_build_object('url', upper(left(pg_temp.place('image'), 4)) || substr(pg_temp.place('image'), 5)))) #>> '{media,0,alt}',
  'A cat', 'An asset named by its URL has its alt text too');
select is((api.create_post('x', p_media => m) -> 'media' -> 0)::jsonb, jsonb_build_object('url', pg_temp.place('image'), 'alt', 'A cat', 'width', 3, 'height', 4, 'blurhash', '000000', 'posterUrl', null),
  'The media of a post have the dimensions of their asset: ' || left(m::text, 15))
from (values (jsonb_build_array(jsonb_build_object('assetId', pg_temp.id('image'), 'width', 9))),
             (jsonb_build_array(jsonb_build_object('url', pg_temp.place('image'), 'blurhash', 'x')))) c (m);
select throws_ok(format('select api.create_post(%L, %L, p_media => pg_temp.media(%L))', 'x', f, m), 'PT' || s, code, format('A %s refuses the asset %s', f, m))
from (values ('photo', 'video', 422, 'asset_kind'), ('video', 'image', 422, 'asset_kind'), ('photo', 'audio', 422, 'asset_kind'),
             ('note', 'avatar', 422, 'asset_kind'), ('note', 'attachment', 422, 'asset_kind'), ('note', 'pending', 422, 'asset_pending'),
             ('note', 'bobs', 404, 'asset_unknown')) c (f, m, s, code);
select throws_ok(format('select api.create_post(%L, p_media => %L)', 'x', m), 'PT' || s, code, 'Media are refused: ' || left(m::text, 40))
from (values (jsonb_build_array(jsonb_build_object('assetId', gen_random_uuid())), 404, 'asset_unknown'),
             ('[{"assetId": "x"}]', 422, 'post_media'), ('[{"assetId": 1}]', 422, 'post_media'), ('[{"assetId": null}]', 422, 'post_media'),
             (jsonb_build_array(jsonb_build_object('assetId', gen_random_uuid(), 'url', 'https://x')), 422, 'post_media'),
             (jsonb_build_array(jsonb_build_object('url', pg_temp.place('bobs'))), 422, 'media_url'),
             (jsonb_build_array(jsonb_build_object('url', pg_temp.place('pending'))), 422, 'media_url')) c (m, s, code);
select is(api.create_post('x', p_media => jsonb_build_array(jsonb_build_object('url', pg_temp.place('image')))) #>> '{media,0,url}',
  pg_temp.place('image'), 'The URL of one''s own asset is accepted');
insert into made select 'post', (api.create_post('x', 'photo', p_media => pg_temp.media('image')) ->> 'id')::uuid;
select throws_ok($$ select api.update_post(pg_temp.id('post'), jsonb_build_object('media', pg_temp.media('bobs'))) $$,
  'PT404', 'asset_unknown', 'An edit can''t use another person''s asset');
select throws_ok($$ select api.update_post(pg_temp.id('post'), jsonb_build_object('media', pg_temp.media('video'))) $$,
  'PT422', 'asset_kind', 'An edit can''t use an asset of another kind');
select is(api.update_post(pg_temp.id('post'), jsonb_build_object('media', api.get_post(pg_temp.id('post')) -> 'media', 'depth', 1)) #>> '{media,0,url}',
  pg_temp.place('image'), 'The media of the card can be sent back');

-- Acting as Bob
select test.act_as('bob');
select is(api.get_post(pg_temp.id('post')) #>> '{media,0,url}', pg_temp.place('image'), 'A person who sees the post sees the URL of its asset');
select throws_ok($$ select api.create_post('x', p_media => pg_temp.media('image')) $$, 'PT404', 'asset_unknown', 'Another person can''t use the asset in a post');

-- Acting as Alice
select test.act_as('alice');
select api.delete_post(pg_temp.id('post'));
select is(private.use_asset(pg_temp.id('image'), '{image}'), pg_temp.place('image'), 'Deleting a post keeps its assets');

select * from finish();
rollback;
