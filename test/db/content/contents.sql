-- The head of contents: who sees one, in which lists it stands, and what bans, erasures and time do to it. Its rule in
-- random worlds: test/model/contents.test.ts.
begin;
select plan(42);
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

-- who sees what: arts draft music oil plain removed spaced, newest first
select is((select api.list_audio()) is not null, true, 'the lists are there') from (select test.act_as('alice')) a;
select is(pg_temp.names(api.list_audio()), 'arts draft music oil plain removed', 'the author sees all of it, but what is in a space has a list of its own');
select is(pg_temp.names(api.list_audio_by('alice')), 'arts draft music oil plain removed spaced', 'on their own page all');
select is(api.get_audio(pg_temp.id('spaced')) ->> 'guildId', '5f1c2a1e-0000-4000-8000-000000000001', 'a card says the guild');
select is(api.get_audio(pg_temp.id('spaced')) ->> 'groupId', null, 'and no group');
select is(api.get_audio(pg_temp.id('removed')) ->> 'removedAt', private.utc(now()), 'and when it was removed');
select is(pg_temp.rows() || ' ' || pg_temp.details(), 'arts draft music oil plain removed spaced arts draft music oil plain removed spaced', 'tables show the same');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()), 'arts music oil plain', 'others see neither drafts nor what is removed');
select is(pg_temp.names(api.list_audio_by('alice')), 'arts music oil plain spaced', 'a member sees what is in the space');
select is(pg_temp.rows() || ' ' || pg_temp.details(), 'arts music oil plain spaced arts music oil plain spaced', 'and in the tables');
select throws_ok(format('select api.get_audio(pg_temp.id(%L))', n), 'PT404', 'audio_unknown', n || ' is unknown') from unnest(array['removed', 'draft']) n;
select test.act_as('carla');
select is(pg_temp.names(api.list_audio_by('alice')), 'arts music oil plain', 'who is no member does not');
select throws_ok($$ select api.get_audio(pg_temp.id('spaced')) $$, 'PT404', 'audio_unknown', 'and to them it is unknown');
select is(pg_temp.rows() || ' ' || pg_temp.details(), 'arts music oil plain arts music oil plain', 'in the tables too');
select test.act_as_anon();
select throws_ok($$ select count(*) from app.contents $$, '42501', null, 'nobody without a token sees any');

-- about an interest
select test.act_as('bob');
select is(pg_temp.names(api.list_audio(pg_temp.interest('arts-here'))), 'arts music oil', 'an interest has what is below it');
select is(pg_temp.names(api.list_audio(pg_temp.interest('painting-here'))), 'oil', 'and not what is beside or above');
select is(pg_temp.names(api.list_audio(pg_temp.interest('arts-here'), 1)), 'arts', 'page');
select is(pg_temp.names(api.list_audio(pg_temp.interest('arts-here'), 1, pg_temp.id('arts')::text)), 'music', 'by page');
select is(pg_temp.names(api.list_audio(gen_random_uuid())), '', 'one that there is not has none');

-- cursors
select throws_ok(format('select api.list_audio(p_cursor => %L)', pg_temp.id(n)), 'PT400', 'cursor_unknown', n || ' was never for others, and is no cursor')
from (select test.act_as('carla')) a, unnest(array['draft', 'spaced']) n;
select is(pg_temp.names(api.list_audio(p_cursor => pg_temp.id('removed')::text)), '', 'what was removed is a cursor still');
select test.act_as('alice');
select api.delete_audio(pg_temp.id('music'));
select api.block_person('dora');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio(p_cursor => pg_temp.id('music')::text)), 'oil plain', 'so is what was deleted');
select test.act_as('dora');
select throws_ok(format('select api.list_audio(p_cursor => %L)', pg_temp.id(n)), 'PT400', 'cursor_unknown', 'but neither across a block: ' || n)
from unnest(array['oil', 'music']) n;
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'where nothing is seen');

-- a ban and its end
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select is((select count(*) from app.contents where required_level = 4)::int, 7, 'a ban marks what the person published');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'and nobody sees it');
select is(pg_temp.names(api.list_audio(p_cursor => pg_temp.id('oil')::text)), '', 'as a cursor it holds');
select test.act_as_owner();
update app.contents set author_silent = false;
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'nor where the marks are not there yet');
select test.act_as_owner();
update app.users set banned_at = null where username = 'alice';
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()), 'arts oil plain', 'its end brings it back');

-- more than is marked at once
select test.act_as_owner();
insert into app.contents (kind, author_id) select k, test.id('carla') from unnest(array['audio', 'video']) k, generate_series(1, 300);
update app.users set banned_at = now() where username = 'carla';
select is((select count(*) from app.contents where author_silent)::int, 500, '500 are marked at once');
select is((private.mark_contents(j.data, (select id from app.contents where author_id = test.id('carla') and author_silent order by kind, created_at, id limit 1))) ->> 'changed', '100', 'and the rest by the worker')
from pgboss.job j where j.name = 'silenced-contents';
select is(private.mark_contents(jsonb_build_object('userId', test.id('carla'))) ->> 'changed', '0', 'once');

-- an erasure
select ok((select bool_and(words @@ 'ete'::tsquery) from app.contents join made using (id) where name <> 'music'), 'what they say can be found');
update app.users set erased_at = now() where username = 'alice';
select is((select count(*) from app.contents c join made using (id) where c.required_level = 4 and c.title is null and c.words = '')::int, 7, 'an erasure empties heads');
select is((select count(*) from app.audio)::int, 0, 'and deletes what was recorded');
select test.act_as('bob');
select is(pg_temp.names(api.list_audio()) || pg_temp.rows(), '', 'of which nobody sees anything');

-- write limit
select test.act_as_owner();
update private.write_limits set per_hour = 1 where kind = 'contents';
update app.settings set value = '1' where key = 'rate_limit_scale';
select test.act_as('bob');
select lives_ok($$ select api.create_audio('https://example.org/a') $$, 'there is a limit an hour');
select throws_ok($$ select api.create_video('https://example.org/a') $$, 'PGRST', null, 'of all kinds');

select * from finish();
rollback;
