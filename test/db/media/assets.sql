-- Media assets: who can use one and for what, which URLs belong to the bucket, and how their objects are deleted.
begin;
select plan(139);
select test.people('alice', 'bob');

create function pg_temp.asset(p_number integer) returns uuid language sql immutable
  as $$ select ('00000000-0000-4000-8000-00000000000' || p_number)::uuid $$;
create function pg_temp.place(p_number integer, p_before text default 'https://media.example.org/kith/') returns text
  language sql immutable as $$ select p_before || pg_temp.asset(p_number) $$;
grant execute on all functions in schema pg_temp to public;
update app.settings set value = 'https://media.example.org/kith' where key = 'media_url';
update app.settings set value = 'kith' where key = 'media_bucket';
insert into app.media_assets (id, owner_id, kind, content_type, size, bucket, key)
select pg_temp.asset(n), test.id(case n when 2 then 'bob' else 'alice' end), case n when 3 then 'video' else 'image' end,
       case n when 3 then 'video/mp4' else 'image/png' end, 10, 'kith', pg_temp.asset(n)
from generate_series(1, 5) n;
update app.media_assets set status = 'committed', committed_at = now(), mime_type = content_type, expires_at = null
where id <> pg_temp.asset(4);
update app.media_assets set kind = 'avatar' where id = pg_temp.asset(5);

-- Acting as the owner
select throws_ok($$ update app.media_assets set status = 'committed' where id = pg_temp.asset(4) $$,
  'PT422', 'value_invalid', 'A committed asset must have a detected type');
select throws_ok($$ update app.media_assets set size = 0 where id = pg_temp.asset(4) $$, 'PT422', 'value_invalid',
  'An asset must have bytes');

select results_eq($$ select owner_id, bytes from private.media_usage order by bytes $$,
  $$ values (test.id('bob'), 10::bigint), (test.id('alice'), 30) $$, 'The bytes of committed assets are counted');

-- Acting as Alice
select test.act_as('alice');
select is(private.use_asset(pg_temp.asset(1), '{image,avatar}'), pg_temp.place(1), 'use_asset returns the public URL of a committed asset');
select throws_ok($$ select private.use_asset(pg_temp.asset(2), '{image}') $$, 'PT404', 'asset_unknown', 'The error '
  'for another person''s asset is asset_unknown');
select throws_ok($$ select private.use_asset(gen_random_uuid(), '{image}') $$, 'PT404', 'asset_unknown', 'An id without an asset fails with asset_unknown');
select throws_ok($$ select private.use_asset(null, '{image}') $$, 'PT404', 'asset_unknown', 'A null asset fails with asset_unknown');
select throws_ok($$ select private.use_asset(pg_temp.asset(3), '{image}') $$, 'PT422', 'asset_kind', 'An asset of another kind is refused');
select throws_ok($$ select private.use_asset(pg_temp.asset(4), '{image}') $$, 'PT422', 'asset_pending', 'A pending asset is refused');

create function pg_temp.taken(p_url text) returns text language plpgsql as $$
begin
  return private.use_media_url(p_url, '{image}');
exception when sqlstate 'PT422' then return sqlerrm;
end $$;
select is(pg_temp.taken(u), u, 'A URL elsewhere is accepted unchanged: ' || left(u, 60)) from unnest(array['https://elsewhere.example.org/a.png',
  'https://media.example.org/other/a.png', 'https://user:a@b@xn--bcher-kva.example:8443/a_(1)/ü.png?x=1#y',
  'http://[2001:db8::1]:8080', 'https://elsewhere.example.org?a=b@c', 'https://elsewhere.example.org/100%25/%ff%00%zz',
  'https://elsewhere.example.org/' || gen_random_uuid(), 'https://elsewhere.example.org/' || repeat('%41', 600)]) u;
create temp table spelling as select n, s from unnest(array[
  'https://media.example.org/kith/%s', 'https://media.example.org/kith/%s?w=100#top', 'HTTP://Media.Example.org:80/kith/%s',
  'https://a:b@media.example.org./kith/%s', 'https://media.example.org:/kith/%s', 'https://media.example.org/x/../kith/%s',
  'https://media.example.org/%%6bith/%s', 'https://media.example.org/KITH/%s', 'https://media.example.org//kith/%s',
  'https://media.example.org/object/kith/%s', 'https://media.example.org/storage/v1/object/public/kith/%s',
  'https://media.example.org/storage/v1/object/sign/kith/%s?token=a', 'https://media.example.org/kith/%s.upload',
  'https://media.example.org/storage/v1/render/image/public/kith/%s?width=9', 'https://kith.s3.example.org/%s',
  'https://10.0.0.7:9000/kith/%s?X-Amz-Signature=a', 'https://pictures.example.org/?url=https%%3A%%2F%%2Fa%%2Fkith%%2F%s']) s,
  generate_series(1, 5) n;
select is(pg_temp.taken(format(s, pg_temp.asset(1))), pg_temp.place(1), 'A URL of the caller''s asset becomes its public URL: ' || s)
from spelling where n = 1;
select is(pg_temp.taken(format(s, pg_temp.asset(n))), 'media_url', format('Asset %s, which the caller may not use, is refused: %s', n, s))
from spelling where n > 1;
create function pg_temp.encoded(p_text text, p_times integer) returns text language sql immutable as $$
  with recursive r (n, t) as (select 0, p_text union all
    select n + 1, case n when 0 then regexp_replace(t, '-', '%2D', 'g') else replace(t, '%', '%25') end from r where n < p_times)
  select t from r where n = p_times $$;
select is(pg_temp.taken('https://media.example.org/other/' || pg_temp.encoded(pg_temp.asset(n)::text, times)),
  case n when 1 then pg_temp.place(1) else 'media_url' end, format('Asset %s is recognized when encoded %s times', n, times))
from generate_series(1, 2) n, generate_series(1, 3) times;
select is(pg_temp.taken('https://media.example.org/other/' || regexp_replace(pg_temp.asset(2)::text, '([0-9])', '%3\1', 'g')),
  'media_url', 'An asset id with encoded digits is recognized');
select is(pg_temp.taken(pg_temp.place(1) || '?' || pg_temp.asset(2)), 'media_url', 'A URL with the caller''s and another person''s asset is refused');
select is(pg_temp.taken(upper(pg_temp.place(2))), 'media_url', 'An upper-case URL of another person''s asset is refused');
select is(pg_temp.taken(u), 'media_url', 'A URL that is invalid, or names no asset of the bucket, is refused: ' || left(u, 60)) from unnest(array[
  pg_temp.place(9), pg_temp.place(9, 'HTTP://Media.Example.org:80/kith/'), pg_temp.place(9, 'https://media.example.org/%6bith/'),
  pg_temp.place(9, 'https://media.example.org//kith/'), pg_temp.place(9, 'https://media.ex%61mple.org/kith/'),
  pg_temp.place(9, 'https://ｍedia.example.org/kith/'), pg_temp.place(9, 'https://media.example.org\kith/'),
  'ftp://media.example.org/', 'https://', 'https://a b', 'https://a/' || repeat('a', 2000)]) u;
select is(pg_temp.taken(null), 'media_url', 'A null URL is refused');
select is(private.use_picture(null), null, 'A null picture is accepted');
select is(private.use_picture(pg_temp.place(n)), pg_temp.place(n), 'An image or an avatar is accepted as a picture') from unnest('{1,5}'::int[]) n;
select throws_ok($$ select private.use_picture(pg_temp.place(3)) $$, 'PT422', 'media_url', 'A video is refused as a picture');
select is((select array_agg(id order by id) from app.media_assets),
  array[pg_temp.asset(1), pg_temp.asset(3), pg_temp.asset(4), pg_temp.asset(5)], 'People see only their own assets');
select throws_ok($$ update app.media_assets set status = 'committed' $$, '42501', null, 'People can''t change assets');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select count(*) from app.media_assets $$, '42501', null, 'An anonymous caller can''t read assets');

-- Acting as the owner
select test.act_as_owner();
update app.settings set value = 'new' where key = 'media_bucket';   -- moving to another bucket, as README.md says
update private.pending_object_deletions set bucket = 'new';
update app.media_assets set bucket = 'new';
update app.users set erased_at = now() where id = test.id('alice');
select is((select bytes from private.media_usage where owner_id = test.id('alice')), 0::bigint, 'An erasure sets the person''s counted bytes to 0');
select is((select array_agg(key order by key) from private.pending_object_deletions where not upload_only),
  array[pg_temp.asset(1), pg_temp.asset(3), pg_temp.asset(4), pg_temp.asset(5)]::text[], 'An erasure queues every object for deletion');
select is((select array_agg(distinct bucket) from private.pending_object_deletions), '{new}', 'The objects are deleted from the bucket that is current');

select is(private.url_place('http://Kith.example.:08787/a'), '{kith.example:8787,/a}', 'A port other than the default is part of the host');
update app.settings set value = 'cdn.example.org *.pictures.example.org localhost:8787' where key = 'media_hosts';
select is(array_agg(private.is_media_host(h) order by place), '{t,t,t,f,f,f,f,t}', 'Only the hosts in the setting are media hosts')
from unnest(array['cdn.example.org', 'a.pictures.example.org', 'a.b.pictures.example.org', 'pictures.example.org',
  'example.org', 'cdn.example.org:8443', 'cdn.example.org.evil.example', 'localhost:8787']) with ordinality p (h, place);

-- Acting as Bob
select test.act_as('bob');
select is(pg_temp.taken(u), coalesce(t, 'media_url'), 'With media hosts set, a URL is checked against them: ' || u) from (values
  ('https://CDN.example.org:443/a.png', 'https://CDN.example.org:443/a.png'), ('https://elsewhere.example.org/a.png', null),
  ('https://media.example.org/other/a.png', 'https://media.example.org/other/a.png'), (pg_temp.place(2), pg_temp.place(2))) c (u, t);

select * from finish();
rollback;
