-- Editing one's own post: what can change, what is kept of earlier versions, who is notified (nobody), and who can't
-- edit.
begin;
select plan(93);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.edit(p_name text, p_changes jsonb) returns jsonb language sql as $$ select api.update_post(pg_temp.id(p_name), p_changes)::jsonb $$;
create function pg_temp.versions(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(version || ' ' || coalesce(title, '-') || ' ' || body || ' ' || jsonb_array_length(media), ', ' order by version), '')
  from app.post_versions where post_id = pg_temp.id(p_name) $$;
create function pg_temp.junction(p_name text) returns text language sql stable security definer as $$
  select coalesce(string_agg(i.slug || case when pi.is_primary then '*' else '' end, ' ' order by i.slug), '')
  from app.post_interests pi join app.interests i on i.id = pi.interest_id where pi.post_id = pg_temp.id(p_name) $$;
create function pg_temp.events() returns text language sql stable security definer as $$
  select coalesce(string_agg(n, ', ' order by n), '') from (
    select name || ' ' || count(*) from app.domain_events where name ~ '^posts[.]' and name <> 'posts.post.edited' group by name) e (n) $$;
create function pg_temp.edits(p_name text) returns integer language sql stable security definer as $$
  select count(*)::int from app.domain_events where name = 'posts.post.edited' and payload = jsonb_build_object('postId', pg_temp.id(p_name)) $$;
create function pg_temp.sent() returns integer language sql volatile security definer as $$
  select test.settle();
  select count(*)::int from realtime.messages where topic = 'feed:public' $$;
create function pg_temp.give(p_name text, p_points numeric) returns void language sql security definer
  as $$ select private.add_reputation(test.id(p_name), pg_temp.id('tap-1'), 'admin.adjusted', p_points) $$;
grant execute on all functions in schema pg_temp to public;

insert into app.interests (slug, name, level, accent_color)
select 'tap-' || n, 'Tap ' || n, 1, 'ink' from generate_series(1, 7) n;
insert into made select slug, id from app.interests where slug like 'tap-%';
create function pg_temp.taps(variadic p_numbers integer[]) returns jsonb language sql
  as $$ select to_jsonb(array(select id from made join unnest(p_numbers) n on name = 'tap-' || n)) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select 'bob', (api.create_post('Bob''s') ->> 'id')::uuid;
select test.act_as('alice');
select api.create_circle('Friends');
select api.add_circle_member((select id from app.circles), 'bob');
insert into made select 'note', (api.create_post('First', p_interest_id => pg_temp.id('tap-1'), p_interest_ids => array[pg_temp.id('tap-2')]) ->> 'id')::uuid;
insert into made select 'essay', (api.create_post('Body', 'essay', 'Title') ->> 'id')::uuid;
insert into made select 'photo', (api.create_post('', 'photo', p_media => '[{"url": "https://example.org/1"}]') ->> 'id')::uuid;
insert into made select 'closed', (api.create_post('Closed', p_visibility => 'inner') ->> 'id')::uuid;
insert into made select 'repost', (api.create_post(p_format => 'repost', p_quoted_post_id => pg_temp.id('bob')) ->> 'id')::uuid;
insert into made select 'later', (api.create_post('Later', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
create temp table before as select pg_temp.events() as events, pg_temp.sent() as sent;
grant select on before to public;

-- The text, and its earlier versions
select is(pg_temp.edit('note', '{"body": " Second "}') ->> 'body', 'Second', 'The body can be changed, and is trimmed');
select is(pg_temp.edit('note', '{}') ->> 'editedAt', private.utc(now()), 'The post has the time of the edit');
select is(pg_temp.versions('note'), '1 - First 0', 'The earlier version is kept');
select lives_ok(format('select pg_temp.edit(%L, %L)', 'note', c), 'This changes nothing: ' || c)
from unnest(array['{}', '{"body": "Second"}', '{"body": "\n Second"}', '{"media": []}', '{"title": null}', '{"mood": "kept out", "authorId": "acct:bob@localhost"}']) c;
select is(pg_temp.versions('note'), '1 - First 0', 'An edit that changes nothing leaves no version');
select is(pg_temp.edits('note'), 1, 'Only an edit that changes something is an event');
select pg_temp.edit('note', '{"body": "Third", "media": [{"url": "https://example.org/1", "alt": "One"}]}');
select pg_temp.edit('note', '{"media": []}');
select is(pg_temp.versions('note'), '1 - First 0, 2 - Second 0, 3 - Third 1', 'Each edit keeps a version, including the media');
select is(pg_temp.edit('essay', '{"title": " New "}') ->> 'title', 'New', 'The title of an essay can be changed');
select is(pg_temp.versions('essay'), '1 Title Body 0', 'The earlier title is kept');
select is(pg_temp.edit('photo', '{"media": [{"url": "https://example.org/2"}, {"url": "https://example.org/3"}]}') #>> '{media,1,url}', 'https://example.org/3',
  'Media can be replaced');
select throws_ok(format('select pg_temp.edit(%L, %L)', n, c), state, word, 'A ' || n || ' refuses ' || c)
from (values ('note', '{"body": ""}', 'PT422', 'post_body'), ('note', '{"body": null}', '23502', null), ('note', '{"title": "T"}', 'PT422', 'post_title'),
             ('essay', '{"title": null}', 'PT422', 'post_title'), ('essay', '{"title": " "}', 'PT422', 'post_title'), ('photo', '{"media": []}', 'PT422', 'post_media'),
             ('photo', '{"media": null}', 'PT422', 'post_media'), ('photo', '{"media": [{"url": "x"}]}', 'PT422', 'post_media'),
             ('note', '{"visibility": "friends"}', 'PT422', 'value_invalid'), ('note', '{"visibility": null}', '23502', null), ('note', '{"depth": 6}', 'PT422', 'value_invalid'),
             ('note', '{"depth": null}', '23502', null), ('note', '{"depth": 1.5}', '22P02', null), ('note', '{"isJournalism": null}', '23502', null))
  c (n, c, state, word);
select throws_ok(format('select pg_temp.edit(%L, %L)', n, c), 'PT422', 'post_fixed', 'A ' || n || ' can''t change ' || c)
from unnest(array['{"format": "note"}', '{"poll": null}', '{"quotedPostId": null}', '{"body": "x", "poll": {"options": ["a", "b"]}}']) c,
     unnest(array['note', 'repost']) n;
select is(pg_temp.versions('note'), '1 - First 0, 2 - Second 0, 3 - Third 1', 'A refused edit leaves no version');
select ok(pg_temp.edit('closed', '{"depth": 3, "visibility": "circles"}') @> '{"depth": 3, "visibility": "circles", "editedAt": null}',
  'Changes of other fields don''t count as an edit');

-- Interests: the primary one and the junction table
select is(pg_temp.junction('note'), 'tap-1* tap-2', 'At first the post has its two interests');
select is(pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-3'))) ->> 'interestId', pg_temp.id('tap-3')::text, 'The primary interest can be changed');
select is(pg_temp.junction('note'), 'tap-2 tap-3*', 'The new primary interest replaces the old one');
select is(pg_temp.edits('note'), 4, 'A change of the interest is an event like every edit');
select pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-2')));
select is(pg_temp.junction('note'), 'tap-2*', 'Another interest of the post can become the primary one');
select pg_temp.edit('note', jsonb_build_object('interestIds', pg_temp.taps(1, 2, 3, 4, 5)));
select is(pg_temp.junction('note'), 'tap-1 tap-2* tap-3 tap-4 tap-5', 'The other interests can be changed, and the primary one isn''t counted among them');
select pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-6'), 'interestIds', pg_temp.taps(2, 6)));
select is(pg_temp.junction('note'), 'tap-2 tap-6*', 'The primary interest and the others can be changed at once, and the former primary one can be among the others');
select is(pg_temp.edit('note', '{"interestId": null}') ->> 'interestId', null, 'The primary interest can be removed');
select is(pg_temp.junction('note'), 'tap-2', 'Removing the primary interest leaves the others');
select pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-1'), 'interestIds', null));
select is(pg_temp.junction('note'), 'tap-1*', 'The other interests can be removed');
select is((select count(*)::int from app.post_interests where post_id = pg_temp.id('note') and published_at = now()), 1, 'The rows of the interests have the post''s time of publication');
select throws_ok(format('select pg_temp.edit(%L, %L)', 'note', c), state, word, 'Interests are refused with ' || word)
from (values (jsonb_build_object('interestIds', pg_temp.taps(2, 3, 4, 5, 6)), 'PT422', 'post_interests_exceeded'),
             (jsonb_build_object('interestId', gen_random_uuid()), 'PT404', 'interest_unknown'),
             (jsonb_build_object('interestIds', array[gen_random_uuid()]), 'PT404', 'interest_unknown')) c (c, state, word);
select is(pg_temp.junction('note'), 'tap-1*', 'Refused interests change nothing');

-- Personas, journalism
insert into made select 'persona', (api.create_persona('Nightly') ->> 'id')::uuid;
select is(pg_temp.edit('note', jsonb_build_object('personaId', pg_temp.id('persona'))) #>> '{persona,name}', 'Nightly', 'The persona can be changed');
select is(pg_temp.edit('note', '{"depth": 1}') #>> '{persona,name}', 'Nightly', 'An edit of another field keeps the persona');
select is(pg_temp.edit('note', null) #>> '{persona,name}', 'Nightly', 'An edit without changes keeps the persona');
select is(pg_temp.edit('note', '{"personaId": null}') #>> '{persona,name}', 'Main', 'A null persona sets the default one');
select throws_ok(format('select pg_temp.edit(%L, %L)', 'note', jsonb_build_object('personaId', gen_random_uuid())), 'PT404', 'persona_unknown', 'An unknown persona is refused');
select throws_ok($$ select pg_temp.edit('note', '{"isJournalism": true}') $$, 'PT403', 'journalism_not_allowed', 'Journalism needs reputation');
select pg_temp.give('alice', 20);
select is(pg_temp.edit('note', '{"isJournalism": true}') ->> 'isJournalism', 'true', 'A reputation of 20 in one interest is enough for journalism');
select is(pg_temp.edit('note', '{"isJournalism": false}') ->> 'isJournalism', 'false', 'Journalism can be switched off');

-- A repost
select is(pg_temp.edit('repost', '{"visibility": "circles"}') ->> 'visibility', 'circles', 'The visibility of a repost can be changed');
select throws_ok(format('select pg_temp.edit(%L, %L)', 'repost', c), 'PT422', 'repost_bare', 'A repost refuses ' || c)
from unnest(array['{"title": "x"}', '{"body": "x"}', '{"body": ""}', '{"media": []}', '{"depth": 1}', '{"interestId": null}', '{"interestIds": []}',
                  '{"personaId": null}', '{"isJournalism": false}', '{"publishAt": null}', '{"visibility": "public", "body": "x"}']) c;

-- The schedule (more in scheduling.sql), and posts published already
select throws_ok(format('select pg_temp.edit(%L, %L)', 'note', c), 'PT422', 'post_is_published', 'A published post refuses ' || c)
from unnest(array['{"publishAt": null}', '{"publishAt": "2099-01-01T00:00:00Z"}', '{"publishAt": "2000-01-01T00:00:00Z"}']) c;
select is(pg_temp.edit('later', '{"body": "Rather this"}') ->> 'editedAt', null, 'An edit before publication sets no time of edit');
select is(pg_temp.versions('later'), '', 'An edit before publication keeps no version, because nobody has read it');
select is(pg_temp.edits('later'), 0, 'An edit before publication is no event');

-- Nobody is notified of an edit
select is(pg_temp.edit('closed', '{"visibility": "public"}') ->> 'visibility', 'public', 'A post can be made public');
select is((select pg_temp.sent() - sent from before), 0, 'Making a post public doesn''t broadcast it');
select is((select pg_temp.events()), (select events from before), 'Making a post public emits no publishing event');

-- Acting as Bob: a post whose audience is narrowed is unknown to him immediately
select test.act_as('bob');
select lives_ok($$ select api.get_post(pg_temp.id('closed')) $$, 'Another person can read the public post');
select throws_ok($$ select pg_temp.edit('closed', '{"body": "x"}') $$, 'PT403', 'post_not_yours', 'Another person can''t edit the public post');
select throws_ok($$ select pg_temp.edit('closed', '{"format": "x"}') $$, 'PT403', 'post_not_yours', 'Ownership is checked before the submitted changes');
select test.act_as('alice');
select pg_temp.edit('closed', '{"visibility": "inner"}');
select test.act_as('bob');
select throws_ok($$ select api.get_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A post whose audience was narrowed is unknown to others');
select throws_ok(format('select api.update_post(%L, %L)', i, '{"body": "x"}'), 'PT404', 'post_unknown', 'A post the caller can''t see can''t be edited')
from unnest(array[pg_temp.id('closed'), pg_temp.id('later'), gen_random_uuid()]) i;
select is((select count(*)::int from app.posts where id = pg_temp.id('closed')), 0, 'The row of a post whose audience was narrowed is hidden too');
select throws_ok($$ select * from app.post_versions $$, '42501', null, 'Nobody can read earlier versions');

-- Acting as the owner: an erasure deletes earlier versions
select test.act_as_owner();
update app.users set erased_at = now() where id = test.id('alice');
select is(pg_temp.versions('note') || pg_temp.versions('essay'), '', 'An erasure deletes earlier versions');

select * from finish();
rollback;
