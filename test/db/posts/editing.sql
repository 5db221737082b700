-- Editing one's post: what may change, what is kept of what it was, who hears of it (nobody), and who may not.
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

-- the words, and what they were
select is(pg_temp.edit('note', '{"body": " Second "}') ->> 'body', 'Second', 'words are changed, and trimmed');
select is(pg_temp.edit('note', '{}') ->> 'editedAt', private.utc(now()), 'the post says when');
select is(pg_temp.versions('note'), '1 - First 0', 'what was said before is kept');
select lives_ok(format('select pg_temp.edit(%L, %L)', 'note', c), 'nothing changes: ' || c)
from unnest(array['{}', '{"body": "Second"}', '{"body": "\n Second"}', '{"media": []}', '{"title": null}', '{"mood": "kept out", "authorId": "acct:bob@localhost"}']) c;
select is(pg_temp.versions('note'), '1 - First 0', 'what changes nothing leaves no version');
select is(pg_temp.edits('note'), 1, 'and is no event, as an edit is');
select pg_temp.edit('note', '{"body": "Third", "media": [{"url": "https://example.org/1", "alt": "One"}]}');
select pg_temp.edit('note', '{"media": []}');
select is(pg_temp.versions('note'), '1 - First 0, 2 - Second 0, 3 - Third 1', 'each edit keeps one, media too');
select is(pg_temp.edit('essay', '{"title": " New "}') ->> 'title', 'New', 'an essay has a new title');
select is(pg_temp.versions('essay'), '1 Title Body 0', 'and the old one is kept');
select is(pg_temp.edit('photo', '{"media": [{"url": "https://example.org/2"}, {"url": "https://example.org/3"}]}') #>> '{media,1,url}', 'https://example.org/3',
  'media are replaced');
select throws_ok(format('select pg_temp.edit(%L, %L)', n, c), state, word, n || ' not with ' || c)
from (values ('note', '{"body": ""}', 'PT422', 'post_body'), ('note', '{"body": null}', '23502', null), ('note', '{"title": "T"}', 'PT422', 'post_title'),
             ('essay', '{"title": null}', 'PT422', 'post_title'), ('essay', '{"title": " "}', 'PT422', 'post_title'), ('photo', '{"media": []}', 'PT422', 'post_media'),
             ('photo', '{"media": null}', 'PT422', 'post_media'), ('photo', '{"media": [{"url": "x"}]}', 'PT422', 'post_media'),
             ('note', '{"visibility": "friends"}', 'PT422', 'value_invalid'), ('note', '{"visibility": null}', '23502', null), ('note', '{"depth": 6}', 'PT422', 'value_invalid'),
             ('note', '{"depth": null}', '23502', null), ('note', '{"depth": 1.5}', '22P02', null), ('note', '{"isJournalism": null}', '23502', null))
  c (n, c, state, word);
select throws_ok(format('select pg_temp.edit(%L, %L)', n, c), 'PT422', 'post_fixed', 'fixed: ' || c || ' of ' || n)
from unnest(array['{"format": "note"}', '{"poll": null}', '{"quotedPostId": null}', '{"body": "x", "poll": {"options": ["a", "b"]}}']) c,
     unnest(array['note', 'repost']) n;
select is(pg_temp.versions('note'), '1 - First 0, 2 - Second 0, 3 - Third 1', 'what is refused leaves no version');
select ok(pg_temp.edit('closed', '{"depth": 3, "visibility": "circles"}') @> '{"depth": 3, "visibility": "circles", "editedAt": null}',
  'other changes are no edit of the words');

-- interests: the primary one and its mirror
select is(pg_temp.junction('note'), 'tap-1* tap-2', 'at first');
select is(pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-3'))) ->> 'interestId', pg_temp.id('tap-3')::text, 'another primary interest');
select is(pg_temp.junction('note'), 'tap-2 tap-3*', 'in place of the first');
select is(pg_temp.edits('note'), 4, 'an event as every edit');
select pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-2')));
select is(pg_temp.junction('note'), 'tap-2*', 'one of the others becomes it');
select pg_temp.edit('note', jsonb_build_object('interestIds', pg_temp.taps(1, 2, 3, 4, 5)));
select is(pg_temp.junction('note'), 'tap-1 tap-2* tap-3 tap-4 tap-5', 'others beside it, which does not count among them');
select pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-6'), 'interestIds', pg_temp.taps(2, 6)));
select is(pg_temp.junction('note'), 'tap-2 tap-6*', 'both at once, the old one among the others');
select is(pg_temp.edit('note', '{"interestId": null}') ->> 'interestId', null, 'none');
select is(pg_temp.junction('note'), 'tap-2', 'leaves the others');
select pg_temp.edit('note', jsonb_build_object('interestId', pg_temp.id('tap-1'), 'interestIds', null));
select is(pg_temp.junction('note'), 'tap-1*', 'no others');
select is((select count(*)::int from app.post_interests where post_id = pg_temp.id('note') and published_at = now()), 1, 'with the time of the post');
select throws_ok(format('select pg_temp.edit(%L, %L)', 'note', c), state, word, word)
from (values (jsonb_build_object('interestIds', pg_temp.taps(2, 3, 4, 5, 6)), 'PT422', 'post_interests_exceeded'),
             (jsonb_build_object('interestId', gen_random_uuid()), 'PT404', 'interest_unknown'),
             (jsonb_build_object('interestIds', array[gen_random_uuid()]), 'PT404', 'interest_unknown')) c (c, state, word);
select is(pg_temp.junction('note'), 'tap-1*', 'what is refused changes nothing');

-- personas, journalism
insert into made select 'persona', (api.create_persona('Nightly') ->> 'id')::uuid;
select is(pg_temp.edit('note', jsonb_build_object('personaId', pg_temp.id('persona'))) #>> '{persona,name}', 'Nightly', 'under another persona');
select is(pg_temp.edit('note', '{"depth": 1}') #>> '{persona,name}', 'Nightly', 'which stays');
select is(pg_temp.edit('note', null) #>> '{persona,name}', 'Nightly', 'without changes too');
select is(pg_temp.edit('note', '{"personaId": null}') #>> '{persona,name}', 'Main', 'and back under the default one');
select throws_ok(format('select pg_temp.edit(%L, %L)', 'note', jsonb_build_object('personaId', gen_random_uuid())), 'PT404', 'persona_unknown', 'no persona');
select throws_ok($$ select pg_temp.edit('note', '{"isJournalism": true}') $$, 'PT403', 'journalism_not_allowed', 'journalism is not for everyone');
select pg_temp.give('alice', 20);
select is(pg_temp.edit('note', '{"isJournalism": true}') ->> 'isJournalism', 'true', 'with 20 in one interest it is');
select is(pg_temp.edit('note', '{"isJournalism": false}') ->> 'isJournalism', 'false', 'and back');

-- a repost
select is(pg_temp.edit('repost', '{"visibility": "circles"}') ->> 'visibility', 'circles', 'of a repost the visibility');
select throws_ok(format('select pg_temp.edit(%L, %L)', 'repost', c), 'PT422', 'repost_bare', 'and no ' || c)
from unnest(array['{"title": "x"}', '{"body": "x"}', '{"body": ""}', '{"media": []}', '{"depth": 1}', '{"interestId": null}', '{"interestIds": []}',
                  '{"personaId": null}', '{"isJournalism": false}', '{"publishAt": null}', '{"visibility": "public", "body": "x"}']) c;

-- the schedule (more in scheduling.sql), and what is published already
select throws_ok(format('select pg_temp.edit(%L, %L)', 'note', c), 'PT422', 'post_is_published', 'published already: ' || c)
from unnest(array['{"publishAt": null}', '{"publishAt": "2099-01-01T00:00:00Z"}', '{"publishAt": "2000-01-01T00:00:00Z"}']) c;
select is(pg_temp.edit('later', '{"body": "Rather this"}') ->> 'editedAt', null, 'before it is out an edit is none');
select is(pg_temp.versions('later'), '', 'and nothing is kept: nobody has read it');
select is(pg_temp.edits('later'), 0, 'and it is no event');

-- nobody hears of an edit
select is(pg_temp.edit('closed', '{"visibility": "public"}') ->> 'visibility', 'public', 'a closed post is opened');
select is((select pg_temp.sent() - sent from before), 0, 'and not announced');
select is((select pg_temp.events()), (select events from before), 'nor published again');

-- Acting as Bob: who loses the post loses it at once
select test.act_as('bob');
select lives_ok($$ select api.get_post(pg_temp.id('closed')) $$, 'Bob reads it');
select throws_ok($$ select pg_temp.edit('closed', '{"body": "x"}') $$, 'PT403', 'post_not_yours', 'and does not edit it');
select throws_ok($$ select pg_temp.edit('closed', '{"format": "x"}') $$, 'PT403', 'post_not_yours', 'whatever else is wrong');
select test.act_as('alice');
select pg_temp.edit('closed', '{"visibility": "inner"}');
select test.act_as('bob');
select throws_ok($$ select api.get_post(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'closed again it is gone for him');
select throws_ok(format('select api.update_post(%L, %L)', i, '{"body": "x"}'), 'PT404', 'post_unknown', 'not to edit either')
from unnest(array[pg_temp.id('closed'), pg_temp.id('later'), gen_random_uuid()]) i;
select is((select count(*)::int from app.posts where id = pg_temp.id('closed')), 0, 'by hand neither');
select throws_ok($$ select * from app.post_versions $$, '42501', null, 'nobody reads what was said before');

-- Acting as the owner: an erasure leaves no earlier words
select test.act_as_owner();
update app.users set erased_at = now() where id = test.id('alice');
select is(pg_temp.versions('note') || pg_temp.versions('essay'), '', 'an erasure leaves no earlier words');

select * from finish();
rollback;
