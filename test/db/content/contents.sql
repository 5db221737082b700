-- The common table of contents: who sees a content, in which lists it is, and how bans and erasures change it.
-- test/model/contents.test.ts checks the rule of visibility in random worlds.
begin;
select plan(93);
select test.people('alice', 'bob', 'carla', 'dora');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) join made m on m.id = (i.item ->> 'id')::uuid $$;
create function pg_temp.rows() returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by m.name), '') from app.contents c join made m using (id) $$;
create function pg_temp.details() returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by m.name), '') from app.audio c join made m using (id) $$;
grant execute on all functions in schema pg_temp to public;

insert into app.interests (slug, name, level, parent_id, accent_color) values ('arts-here', 'Arts', 1, null, 'ink');
insert into app.interests (slug, name, level, parent_id, accent_color)
select s, s, 2, id, 'ink' from app.interests, unnest(array['painting-here', 'music-here']) s where slug = 'arts-here';
insert into app.interests (slug, name, level, parent_id, accent_color) select 'oil-here', 'Oil', 3, id, 'ink' from app.interests where slug = 'painting-here';
create function pg_temp.interest(p_slug text) returns uuid language sql stable security definer as $$ select id from app.interests where slug = p_slug $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select n, (api.create_audio('https://example.org/' || n, 'Été ' || n, p_interest_id => pg_temp.interest(s)) ->> 'id')::uuid
from (values ('plain', null), ('arts', 'arts-here'), ('oil', 'oil-here'), ('music', 'music-here'), ('removed', 'oil-here'), ('draft', 'oil-here'), ('spaced', 'oil-here')) w (n, s);
select test.act_as_owner();
insert into app.spaces (id, kind, slug, name, member_count) values ('5f1c2a1e-0000-4000-8000-000000000001', 'guild', 'the-space', 'x', 2);
insert into app.space_members (space_id, user_id) select '5f1c2a1e-0000-4000-8000-000000000001', test.id(n) from unnest(array['alice', 'bob']) n;
update app.contents c set created_at = now() - m.age * interval '1 minute',
  removed_at = case m.name when 'removed' then now() end, is_draft = m.name = 'draft',
  space_id = case m.name when 'spaced' then '5f1c2a1e-0000-4000-8000-000000000001'::uuid end
from (select id, name, row_number() over (order by name) as age from made) m where m.id = c.id;

-- Visibility: arts draft music oil plain removed spaced, newest first
select is((select api.list_audio()) is not null, true, 'Audio can be listed') from (select test.act_as('alice')) a;
select is(pg_temp.names(api.list_audio()), 'arts draft music oil plain removed', 'The author sees all their contents, except those in a space');
select is(pg_temp.names(api.list_audio_by('alice')), 'arts draft music oil plain removed', 'The author''s page also leaves out contents in a space');
select is(api.get_audio(pg_temp.id('spaced')) ->> 'guildId', '5f1c2a1e-0000-4000-8000-000000000001', 'A card has the guild''s id');
select is(api.get_audio(pg_temp.id('spaced')) ->> 'groupId', null, 'A card in a guild has no group');
select is(api.get_audio(pg_temp.id('removed')) ->> 'removedAt', private.utc(now()), 'The author''s card says when the content was removed');
select is(pg_temp.rows() || ' ' || pg_temp.details(), 'arts draft music oil plain removed spaced arts draft music oil plain removed spaced', 'The author sees the same rows in the tables');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()), 'arts music oil plain', 'Others see neither drafts nor removed contents');
select is(pg_temp.names(api.list_audio_by('alice')), 'arts music oil plain',
  'The author''s page leaves out contents in a space for a member too');
select is(pg_temp.names(api.list_audio(p_guild_id => '5f1c2a1e-0000-4000-8000-000000000001')), 'spaced', 'A member sees contents in the space');
select is(pg_temp.rows() || ' ' || pg_temp.details(), 'arts music oil plain spaced arts music oil plain spaced', 'A member sees the same rows in the tables');
select throws_ok(format('select api.get_audio(pg_temp.id(%L))', n), 'PT404', 'audio_unknown', 'Others get audio_unknown for content: ' || n) from unnest(array['removed', 'draft']) n;
select test.act_as('carla');
select is(pg_temp.names(api.list_audio(p_guild_id => '5f1c2a1e-0000-4000-8000-000000000001')), '', 'A non-member doesn''t see contents in the space');
select throws_ok($$ select api.get_audio(pg_temp.id('spaced')) $$, 'PT404', 'audio_unknown', 'A non-member gets audio_unknown for a content in the space');
select is(pg_temp.rows() || ' ' || pg_temp.details(), 'arts music oil plain arts music oil plain', 'A non-member sees the same rows in the tables');
select test.act_as_anon();
select throws_ok($$ select count(*) from app.contents $$, '42501', null, 'An anonymous caller can''t read contents');

-- By interest
select test.act_as('bob');
select is(pg_temp.names(api.list_audio(pg_temp.interest('arts-here'))), 'arts music oil', 'An interest''s list includes the interests below it');
select is(pg_temp.names(api.list_audio(pg_temp.interest('painting-here'))), 'oil', 'An interest''s list excludes its siblings and parents');
select is(pg_temp.names(api.list_audio(pg_temp.interest('arts-here'), p_limit => 1)), 'arts', 'A page has `limit` items');
select is(pg_temp.names(api.list_audio(pg_temp.interest('arts-here'), p_limit => 1, p_cursor => pg_temp.id('arts')::text)), 'music', 'The cursor leads to the next page');
select is(pg_temp.names(api.list_audio(gen_random_uuid())), '', 'An unknown interest has no contents');

-- Cursors
select throws_ok(format('select api.list_audio(p_cursor => %L)', pg_temp.id(n)), 'PT400', 'cursor_unknown', 'Content that others could never see is no cursor: ' || n)
from (select test.act_as('carla')) a, unnest(array['draft', 'spaced']) n;
select is(pg_temp.names(api.list_audio(p_cursor => pg_temp.id('removed')::text)), '', 'A removed content stays valid as a cursor');
select test.act_as('alice');
select api.delete_audio(pg_temp.id('music'));
select api.block_person('dora');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio(p_cursor => pg_temp.id('music')::text)), 'oil plain', 'A deleted content stays valid as a cursor');
select test.act_as('dora');
select throws_ok(format('select api.list_audio(p_cursor => %L)', pg_temp.id(n)), 'PT400', 'cursor_unknown', 'A content of a person who blocked the caller is no cursor: ' || n)
from unnest(array['oil', 'music']) n;
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'Across a block no content is visible');

-- A ban and its end
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select is((select count(*) from app.contents where required_level = 4)::int, 7, 'A ban hides the person''s contents');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'Nobody sees the contents of a banned person');
select is(pg_temp.names(api.list_audio(p_cursor => pg_temp.id('oil')::text)), '', 'A content of a banned person stays valid as a cursor');
select test.act_as_owner();
update app.contents set author_hidden = false;
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'Nobody sees a banned person''s contents, even before author_hidden is set');
select test.act_as_owner();
update app.users set banned_at = null where username = 'alice';
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()), 'arts oil plain', 'The end of the ban makes the contents visible again');

-- More than one batch
select test.act_as_owner();
insert into app.contents (kind, author_id) select k, test.id('carla') from unnest(array['audio', 'video']) k, generate_series(1, 300);
update app.users set banned_at = now() where username = 'carla';
select is((select count(*) from app.contents where author_hidden)::int, 500, 'A ban hides 500 contents in its own transaction');
select is((private.hide_or_show_contents(j.data, (select id from app.contents where author_id = test.id('carla') and author_hidden order by kind, created_at, id limit 1))) ->> 'changed', '100', 'The worker hides the rest')
from pgboss.job j where j.name = 'hidden-contents';
select is(private.hide_or_show_contents(jsonb_build_object('userId', test.id('carla'))) ->> 'changed', '0', 'A repeated batch hides nothing');

-- An erasure
select ok((select bool_and(words @@ 'ete'::tsquery) from app.contents join made using (id) where name <> 'music'), 'Contents are indexed by their words');
update app.users set erased_at = now() where username = 'alice';
select is((select count(*) from app.contents c join made using (id) where c.required_level = 4 and c.title is null and c.words = '')::int, 7, 'An erasure empties the rows in app.contents');
select is((select count(*) from app.audio)::int, 0, 'An erasure deletes the recordings');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'Nobody sees anything of an erased person');

-- The write limit
select test.act_as_owner();
update private.write_limits set per_hour = 1 where kind = 'contents';
update app.settings set value = '1' where key = 'rate_limit_scale';
select test.act_as('bob');
select lives_ok($$ select api.create_audio('https://example.org/a') $$, 'A write below the hourly limit is accepted');
select throws_ok($$ select api.create_video('https://example.org/a') $$, 'PGRST', null, 'All kinds of contents share one hourly limit');

-- A kind with a title, whose contents are created, changed and found by the functions that all kinds share
select test.act_as_owner();
update private.write_limits set per_hour = 1000;
create table app.kites (id uuid primary key references app.contents on delete cascade, body app.markdown, flies_at timestamptz);
create function private.erase_kites(p_ids uuid[]) returns void language sql as $$ delete from app.kites where id = any (p_ids) $$;
create view private.kite_details as select id, json_build_object('body', body) as detail from app.kites;
create function private.is_kite_wanted(p_id uuid, p_filters jsonb) returns boolean language sql stable as $$
  select body like p_filters ->> 'begins' || '%' from app.kites where id = p_id $$;
insert into private.content_kinds (kind, plural, relation, details, eraser, filter)
values ('kite', 'kites', 'app.kites', 'private.kite_details', 'private.erase_kites', 'private.is_kite_wanted');
insert into private.errors (code, status, text) values ('kite_unknown', 404, 'x');
insert into app.spaces (kind, slug, name, visibility, member_count) values ('group', 'kites-open', 'x', 'public', 2), ('group', 'kites-shut', 'x', 'private', 2), ('guild', 'kites-old', 'x', 'public', 2);
insert into app.space_members (space_id, user_id) select s.id, test.id(n) from app.spaces s, unnest(array['bob', 'dora']) n where s.slug like 'kites-%';
update app.spaces set archived_at = now() where slug = 'kites-old';
create function pg_temp.fly(p_title text, p_body text, p_age integer default 0, p_interest text default null, p_group text default null, p_guild text default null) returns void
language plpgsql security definer as $$
declare v_id uuid := private.add_content('kite', pg_temp.interest(p_interest), p_title, array[p_body], p_group, p_guild);
begin
  insert into app.kites values (v_id, private.require_body(p_body), now() + p_age * interval '1 day');
  perform private.place_content(v_id, 'flight', now() + p_age * interval '1 day');
  update app.contents set created_at = now() - p_age * interval '1 minute' where id = v_id;
  insert into made values (p_title, v_id);
end $$;
create function pg_temp.search(p_q text default null, p_author text default null, p_interest text default null, p_group text default null, p_guild text default null, p_cursor text default null, p_filters jsonb default null, p_sort text default null, p_up boolean default false, p_start timestamptz default null)
returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by i.place), '') from private.search_contents('kite', pg_temp.interest(p_interest), p_author, p_q, p_group, p_guild, p_cursor, p_filters, p_sort, p_up, p_start) f,
    unnest(f.ids) with ordinality i (id, place) join made m on m.id = i.id $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
select pg_temp.fly(t, b, n, i) from (values ('Red', 'Ça vole', 3, 'oil-here'), ('Blue', 'Sinks in Été', 2, null), ('Green', 'Sinks deep', 1, 'music-here')) w (t, b, n, i);
select pg_temp.fly('Own', 'Sinks', 1, p_group => 'kites-open'), pg_temp.fly('Shut', 'Sinks', 1, p_group => 'kites-shut');
select throws_ok(format('select pg_temp.fly(%L, %L)', t, b), 'PT422', c, 'A new content is refused with ' || c) from (values ('', 'x', 'content_title'), (repeat('é', 201), 'x', 'content_title'), (e'two\nlines', 'x', 'text_unfit'), ('x', ' ', 'content_body'), ('x', repeat('é', 20001), 'content_body')) w (t, b, c);
select throws_ok($$ select pg_temp.fly('x', 'x', p_group => 'kites-open', p_guild => 'kites-old') $$, 'PT422', 'content_space', 'A content can''t be in a group and a guild');
select throws_ok($$ select pg_temp.fly('x', 'x', p_guild => 'kites-old') $$, 'PT409', 'space_archived', 'A content can''t be added to an archived space');
select throws_ok($$ select private.add_content('kite', gen_random_uuid(), 'x', '{}') $$, 'PT404', 'interest_unknown', 'The interest of a content must exist in the catalog');
select test.act_as_owner();
update app.users set banned_at = null where username = 'carla';
select test.act_as('carla');
select throws_ok($$ select pg_temp.fly('x', 'x', p_group => 'kites-open') $$, 'PT403', 'space_not_member', 'Only members can publish in a space');
select throws_ok($$ select pg_temp.fly('x', 'x', p_group => 'kites-shut') $$, 'PT404', 'space_unknown', 'A private space is unknown to a non-member');

select is(pg_temp.search(), 'Green Blue Red', 'The newest come first, without contents in spaces');
select is(pg_temp.search(p_group => 'kites-open'), '', 'A non-member sees no contents in a public group');
select throws_ok($$ select pg_temp.search(p_group => 'kites-shut') $$, 'PT404', 'space_unknown', 'A private group is unknown to a non-member');
select is(pg_temp.search('ete'), 'Blue', 'The search ignores case and accents') union all
select is(pg_temp.search('GREEN sinks'), 'Green', 'All words must match, in title or text') union all
select is(pg_temp.search('!'), '', 'A query without words finds nothing') union all
select is(pg_temp.search(p_author => 'bob', p_interest => 'arts-here'), 'Green Red', 'The search can be narrowed by author and interest') union all
select is(pg_temp.search(p_filters => '{"begins": "Sinks"}', p_author => 'bob'), 'Green Blue', 'The search can be narrowed by the kind''s own filter') union all
select is(pg_temp.search(p_sort => 'flight', p_up => true), 'Green Blue Red', 'The list can be in an order of the kind''s own') union all
select is(pg_temp.search(p_sort => 'flight', p_up => true, p_start => now() + interval '2 days'), 'Blue Red', 'In the kind''s own order the list can start at a value') union all
select is(pg_temp.search(p_sort => 'flight'), 'Red Blue Green', 'The order can be descending');
select is(pg_temp.search(p_sort => 'flight', p_up => true, p_cursor => f.cursors[2]), 'Red', 'The cursors of a kind''s own order are places')
from private.search_contents('kite', null, null, null, null, null, null, p_sort => 'flight', p_up => true) f;
select test.act_as_owner();
update app.contents set removed_at = now() where id = pg_temp.id('Blue');
select test.act_as('carla');
select is(pg_temp.search(p_sort => 'flight', p_up => true) || pg_temp.search(p_author => 'bob', p_sort => 'flight'), 'Green RedRed Green', 'Others don''t find a removed content in the kind''s own order');
select test.act_as('bob');
select is(pg_temp.search(p_sort => 'flight', p_up => true) || pg_temp.search(p_author => 'bob', p_sort => 'flight'), 'Green Blue RedRed Blue Green', 'The author finds the removed content in the kind''s own order');
select is(pg_temp.search(p_group => 'kites-open', p_sort => 'flight'), 'Own', 'A group''s contents are found in the kind''s own order');
select test.act_as_owner();
update app.contents set removed_at = null where id = pg_temp.id('Blue');
-- the operations of a kind call these functions with their owner's rights
grant execute on function private.lock_own_content, private.edit_content to authenticated;
select test.act_as('carla');
select throws_ok($$ select private.lock_own_content('kite', pg_temp.id('Red')) $$, 'PT403', 'content_not_yours', 'Only the author can change a content');
select throws_ok(format('select private.lock_own_content(''kite'', pg_temp.id(%L))', n), 'PT404', 'kite_unknown', 'A content the caller can''t see is unknown') from unnest(array['Own', 'none']) n;
select throws_ok($$ select private.lock_open_content('kite', pg_temp.id('Own')) $$, 'PT404', 'kite_unknown', 'A non-member can''t act on a content in a space');
select test.act_as('dora');
select is(pg_temp.search(p_group => 'kites-open') || pg_temp.search(p_group => 'kites-shut', p_q => 'sinks'), 'OwnShut', 'Members find the contents in a space');
select ok((private.lock_open_content('kite', pg_temp.id('Own'))).space_id is not null, 'Members can act on a content in a space');
select test.act_as('bob');
select private.edit_content(private.lock_own_content('kite', pg_temp.id('Red')), jsonb_build_object('title', 'Rouge', 'interestId', null), '{Flies}');
select is(pg_temp.search('rouge flies'), 'Red', 'The author can change title and text');
select is(pg_temp.search(p_interest => 'oil-here'), '', 'The author can remove the interest');
select throws_ok($$ select private.edit_content(private.lock_own_content('kite', pg_temp.id('Red')), '{"title": null}', '{}') $$, 'PT422', 'content_title', 'The author can''t remove the title');
select is((select edited_at from app.contents where id = pg_temp.id('Red')), now(), 'The time of the edit is stored');
select test.act_as_owner();
delete from app.space_members where user_id = test.id('bob');
select test.act_as('bob');
select throws_ok($$ select private.lock_own_content('kite', pg_temp.id('Own')) $$, 'PT404', 'kite_unknown', 'A former member can''t change a content in the space');
select is((private.lock_own_content('kite', pg_temp.id('Own'), false)).id, pg_temp.id('Own'), 'A former member can still lock their content to delete or settle it');

-- Children: what others add to contents
select test.act_as_owner();
create table app.knots (id uuid primary key default gen_random_uuid(), kite_id uuid not null references app.contents, author_id uuid not null, words tsvector not null default '', body text not null,
  removed_at timestamptz, deleted_at timestamptz, author_hidden boolean not null default false, created_at timestamptz not null default now());
create trigger prepare_child before insert or update of body on app.knots for each row execute function private.prepare_child();
create view private.knot_details as select id, kite_id as content_id, author_id, created_at, removed_at, words, json_build_object('kiteId', kite_id, 'body', body) as detail
  from app.knots where deleted_at is null;
insert into private.content_child_kinds values ('knot', 'knots', 'app.knots', 'private.knot_details');
insert into private.content_child_tables values ('app.knots', 'author_id', 'id', 'body');
create table app.pulls (kite_id uuid, user_id uuid, author_hidden boolean not null default false, primary key (kite_id, user_id));
insert into private.content_child_tables values ('app.pulls', 'user_id', 'kite_id', null);
insert into made select n, gen_random_uuid() from unnest(array['Tight', 'Loose', 'Untied']) n;
insert into app.knots (id, kite_id, author_id, body, deleted_at, created_at)
select id, pg_temp.id('Own'), test.id('dora'), 'Nœud ' || name, case name when 'Untied' then now() end, now() - case name when 'Tight' then 1 else 2 end * interval '1 hour' from made where name in ('Tight', 'Loose', 'Untied');
insert into app.pulls select id, test.id('dora') from made where name in ('Own', 'Shut');
update app.users set role = 'admin' where username = 'carla';
select test.act_as_service('carla');
select is(pg_temp.names(api.list_contents('knots')), 'Tight Loose', 'Staff can list children of a kind, without deleted ones');
select is((api.list_contents('knots', p_limit => 1) #>> '{items,0}')::jsonb - '{author,createdAt}'::text[], jsonb_build_object(
  'id', pg_temp.id('Tight'), 'kind', 'knot', 'authorId', test.id('dora'), 'interestId', null, 'title', null, 'groupId', s.id, 'guildId', null,
  'detail', jsonb_build_object('kiteId', pg_temp.id('Own'), 'body', 'Nœud Tight'), 'editedAt', null, 'removedAt', null), 'A child is listed in the shape of a content') from app.spaces s where slug = 'kites-open';
select is(pg_temp.names(api.list_contents('knots', p_q => 'LOOSE')), 'Loose', 'Children can be searched by words') union all
select is(pg_temp.names(api.list_contents('knots', p_q => '?')), '', 'A query without words finds no children') union all
select is(pg_temp.names(api.list_contents('knots', p_q => pg_temp.id('Untied')::text)), '', 'The id of a deleted child finds nothing') union all
select is(pg_temp.names(api.list_contents('knots', p_cursor => pg_temp.id('Tight')::text)), 'Loose', 'The cursor leads to the next page of children');
select is(api.remove_content('knots', pg_temp.id('Tight'), 'Spam') ->> 'kind', 'knot', 'Staff can remove a child');
select is(pg_temp.names(api.list_contents('knots', 'removed')), 'Tight', 'The list can be narrowed to removed children');
select throws_ok($$ select api.remove_content('knots', pg_temp.id('Untied')) $$, 'PT404', 'content_unknown', 'A deleted child is unknown');
select test.act_as_owner();
select is((select d.detail ->> 'reason' from app.audit_log l join app.audit_details d on d.audit_id = l.id where l.target_type = 'knot' and l.action = 'knot.removed'), 'Spam', 'Removing a child leaves an audit entry');
update app.users set banned_at = now() where username = 'dora';
select is((select count(*) from app.knots where author_hidden)::int + (select count(*) from app.pulls where author_hidden)::int, 5, 'A ban hides the children');
update app.users set banned_at = null where username = 'dora';
select is((select count(*) from app.knots where author_hidden)::int + (select count(*) from app.pulls where author_hidden)::int, 0, 'The end of a ban shows the children again');
update app.users set erased_at = now() where username = 'dora';
select is((select string_agg(distinct body || author_hidden, ',') from app.knots) || (select count(*) from app.pulls) || (select count(*) from app.audit_details d join app.audit_log l on l.id = d.audit_id where l.target_type = 'knot' and d.detail is not null),
  'true00', 'An erasure deletes the children''s texts, the participation, and staff''s reasons about the children');

select * from finish();
rollback;
