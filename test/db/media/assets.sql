-- Media assets: whose they are, who may use one and what for, which addresses are ours, and how their objects end.
begin;
select plan(43);
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
  'PT422', 'value_invalid', 'what is committed was looked at');
select throws_ok($$ update app.media_assets set size = 0 where id = pg_temp.asset(4) $$, 'PT422', 'value_invalid',
  'an asset has bytes');

select results_eq($$ select owner_id, bytes from private.media_usage order by bytes $$,
  $$ values (test.id('bob'), 10::bigint), (test.id('alice'), 30) $$, 'what is committed is counted');

-- Acting as Alice
select test.act_as('alice');
select is(private.use_asset(pg_temp.asset(1), '{image,avatar}'), pg_temp.place(1), 'a committed asset gives its address');
select throws_ok($$ select private.use_asset(pg_temp.asset(2), '{image}') $$, 'PT404', 'asset_unknown', 'not another person''s');
select throws_ok($$ select private.use_asset(gen_random_uuid(), '{image}') $$, 'PT404', 'asset_unknown', 'nor one that is not there');
select throws_ok($$ select private.use_asset(null, '{image}') $$, 'PT404', 'asset_unknown', 'nor none');
select throws_ok($$ select private.use_asset(pg_temp.asset(3), '{image}') $$, 'PT422', 'asset_kind', 'nor one of another kind');
select throws_ok($$ select private.use_asset(pg_temp.asset(4), '{image}') $$, 'PT422', 'asset_pending', 'nor one that is pending');

create function pg_temp.takes(p_url text) returns boolean language plpgsql as $$
begin
  perform private.check_media_url(p_url, '{image}');
  return true;
exception when sqlstate 'PT422' then return false;
end $$;
select ok(pg_temp.takes('https://elsewhere.example.org/a.png'), 'an address elsewhere is anybody''s');
select ok(pg_temp.takes('https://media.example.org/other/a.png'), 'also on the storage''s host');
select ok(pg_temp.takes('https://media.example.org/kithen/' || pg_temp.asset(2)), 'beside what is ours');
select ok(pg_temp.takes(pg_temp.place(1)), 'one''s own is fine');
select ok(pg_temp.takes(pg_temp.place(1) || '?w=100#top'), 'with a query too');
select ok(not pg_temp.takes(pg_temp.place(n)), format('asset %s is not', n)) from generate_series(2, 5) n;
select ok(not pg_temp.takes(u), 'another''s in another spelling: ' || u) from unnest(array[
  pg_temp.place(2, 'HTTP://Media.Example.org:80/kith/'), pg_temp.place(2, 'https://a:b@media.example.org./kith/'),
  pg_temp.place(2, 'https://media.example.org/x/../kith/'), pg_temp.place(2, 'https://media.example.org/%6bith/'),
  pg_temp.place(2, 'https://media.example.org:/kith/'), pg_temp.place(2, 'https://media.ex%61mple.org/kith/'),
  pg_temp.place(2, 'https://ｍedia.example.org/kith/'), pg_temp.place(2, 'https://media.example.org/KITH/'),
  pg_temp.place(2, 'https://media.example.org//kith/'), pg_temp.place(2, 'https://media.example.org\kith/'),
  'ftp://media.example.org/', 'https://', 'https://a b', 'https://a/' || repeat('a', 2000)]) u;
select ok(not pg_temp.takes(null), 'none is none');
select ok(pg_temp.takes(u), 'elsewhere: ' || u) from unnest(array['https://user:a@b@xn--bcher-kva.example:8443/a_(1)/ü.png?x=1#y',
  'http://[2001:db8::1]:8080', 'https://elsewhere.example.org?a=b@c']) u;
select is(private.url_place('http://Kith.example.:08787/a'), '{kith.example:8787,/a}', 'another port is told by its number');
select is((select array_agg(id order by id) from app.media_assets),
  array[pg_temp.asset(1), pg_temp.asset(3), pg_temp.asset(4), pg_temp.asset(5)], 'people see their own');
select throws_ok($$ update app.media_assets set status = 'committed' $$, '42501', null, 'and write none');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok($$ select count(*) from app.media_assets $$, '42501', null, 'who is nobody sees none');

-- Acting as the owner
select test.act_as_owner();
update app.settings set value = 'new' where key = 'media_bucket';   -- a bucket moves, as README.md says
update private.doomed_objects set bucket = 'new';
update app.media_assets set bucket = 'new';
update app.users set erased_at = now() where id = test.id('alice');
select is((select bytes from private.media_usage where owner_id = test.id('alice')), 0::bigint, 'an erasure gives back its bytes');
select is((select array_agg(key order by key) from private.doomed_objects where not upload_only),
  array[pg_temp.asset(1), pg_temp.asset(3), pg_temp.asset(4), pg_temp.asset(5)]::text[], 'an erasure dooms every object');
select is((select array_agg(distinct bucket) from private.doomed_objects), '{new}', 'in the bucket where it is by now');

select * from finish();
rollback;
