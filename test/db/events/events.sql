-- Events: what they hold, replies and places, lists, by whom, and what frees a place.
begin;
select plan(79);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.event(p_name text, p_more jsonb default '{}') returns void language sql as $$
  insert into made select p_name, (api.create_event(
    p_name, coalesce(p_more ->> 'body', 'Body'), coalesce((p_more ->> 'startsAt')::timestamptz, now() + interval '2 days'),
    coalesce((p_more ->> 'endsAt')::timestamptz, now() + interval '3 days'), coalesce(p_more ->> 'timezone', 'Europe/Berlin'),
    coalesce(p_more -> 'location', '{"kind": "online"}'), (p_more ->> 'capacity')::integer, null, p_more ->> 'groupId') ->> 'id')::uuid $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(coalesce(i.item ->> 'title', i.item #>> '{user,username}'), ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality i (item, place) $$;
create function pg_temp.counts(p_name text) returns text language sql stable as $$
  select concat_ws(' ', c ->> 'goingCount', c ->> 'interestedCount', c ->> 'waitlistCount', c #>> '{viewer,rsvp}', c #>> '{viewer,waitlistPosition}')
  from api.get_event(pg_temp.id(p_name)) c $$;
create function pg_temp.begun(p_name text, p_starts interval, p_ends interval default interval '1 hour') returns void language sql security definer as $$
  update app.events set starts_at = now() + p_starts, ends_at = now() + p_starts + p_ends where id = (select id from made where name = p_name) $$;
create function pg_temp.told(p_who text) returns text language sql stable security definer as $$
  select coalesce(string_agg(n.payload ->> 'event', ' ' order by n.created_at, n.payload ->> 'event'), '')
  from app.notifications n where n.user_id = test.id(p_who) and n.kind = 'event.reminder' $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: cards
select test.act_as('alice');
select is((select api.create_event(' Fête ', 'Text', '2099-05-01T18:00:00+02:00', '2099-05-01T20:00:00+02:00', 'Europe/Berlin',
             '{"kind": "hybrid", "url": "https://example.org/a", "city": "Köln", "country": "DE", "address": "Platz 1"}', 3))::jsonb - '{id,createdAt,author}'::text[],
  '{"kind": "event", "authorId": "acct:alice@localhost", "interestId": null, "interest": null, "title": "Fête", "groupId": null, "guildId": null, "editedAt": null,
    "removedAt": null, "body": "Text", "startsAt": "2099-05-01T16:00:00.000Z", "endsAt": "2099-05-01T18:00:00.000Z", "timezone": "Europe/Berlin",
    "location": {"kind": "hybrid", "url": "https://example.org/a", "city": "Köln", "country": "DE", "address": "Platz 1"}, "capacity": 3, "status": "scheduled",
    "cancelledAt": null, "cancelReason": null, "goingCount": 0, "interestedCount": 0, "waitlistCount": 0, "viewer": {"rsvp": null, "waitlistPosition": null}}'::jsonb,
  'an event has its head, its detail and its counts');
select throws_ok(format($$ select pg_temp.event('x', %L) $$, m), 'PT422', c, c || ' ' || m)
from (values ('event_past', jsonb_build_object('startsAt', now() - interval '1 second')),
             ('event_times', jsonb_build_object('startsAt', now() + interval '2 days', 'endsAt', now() + interval '2 days')),
             ('event_times', '{"endsAt": "9999-12-31T00:00:00Z"}'), ('event_times', '{"endsAt": "infinity"}'),
             ('timezone_unknown', '{"timezone": "Mars/Olympus"}'), ('content_body', '{"body": " "}'),
             ('event_location', '{"location": {"kind": "moon"}}'), ('event_location', '{"location": null}'),
             ('event_location', jsonb_build_object('location', jsonb_build_object('kind', 'place', 'address', repeat('é', 501)))),
             ('event_location', jsonb_build_object('location', jsonb_build_object('kind', 'place', 'city', repeat('é', 101)))),
             ('event_url', '{"location": {"kind": "online", "url": "javascript:alert(1)"}}'),
             ('event_capacity', '{"capacity": 0}'), ('event_capacity', '{"capacity": 100001}')) v (c, m);
select throws_ok($$ insert into app.events select * from app.events $$, '42501', null, 'nobody writes an event past the operations');
select throws_ok($$ update app.event_seats set going = 7 $$, '42501', null, 'nor counts');
delete from made;
select test.act_as_owner();
delete from app.contents;

-- lists
select test.act_as('alice');
select pg_temp.event('late', jsonb_build_object('startsAt', now() + interval '9 days', 'endsAt', now() + interval '10 days', 'location', '{"kind": "place", "city": "Köln", "country": "Germany"}'::jsonb)),
       pg_temp.event('soon', '{"location": {"kind": "place", "city": "Paris"}}'), pg_temp.event('now'), pg_temp.event('off', jsonb_build_object('startsAt', now() + interval '36 hours')), pg_temp.event('over');
select test.act_as_owner();
update app.contents c set created_at = now() - a.minutes * interval '1 minute'
from made m, (values ('late', 5), ('soon', 4), ('now', 3), ('off', 2), ('over', 1)) a (name, minutes) where m.id = c.id and a.name = m.name;
select pg_temp.begun('now', '-10 minutes'), pg_temp.begun('over', '-2 hours');
select test.act_as('alice');
select api.cancel_event(pg_temp.id('off'));
select test.act_as('bob');
select is(pg_temp.names(api.list_events()), 'over off now soon late', 'without a time the newest comes first');
select is(pg_temp.names(api.list_events('upcoming')), 'soon late', 'upcoming are those that have not begun and take place, the soonest first');
select is(pg_temp.names(api.list_events('past')), 'now over', 'past are those that have begun, the latest first');
select is(pg_temp.names(api.list_events(p_from => now() + interval '1 day')), 'off soon late', 'dates take cancelled ones too');
select is(pg_temp.names(api.list_events(p_from => now() + interval '1 day', p_to => now() + interval '5 days')), 'off soon', 'from is taken, to is left out');
select is(pg_temp.names(api.list_events('upcoming', p_limit => 1)), 'soon', 'a page ends');
select is(pg_temp.names(api.list_events('upcoming', p_cursor => api.list_events('upcoming', p_limit => 1) ->> 'nextCursor')), 'late', 'and the next goes on');
select is(pg_temp.names(api.list_events('past', p_cursor => api.list_events('past', p_limit => 1) ->> 'nextCursor')), 'over', 'also back in time');
select is(pg_temp.names(api.list_events(p_city => 'KOLN')), 'late', 'a city is found without case and accents');
select is(pg_temp.names(api.list_events('upcoming', p_country => 'germany')), 'late', 'a country too');
select is(pg_temp.names(api.list_events(p_q => 'soon body')), 'soon', 'words are those of title and body');
select throws_ok($$ select api.list_events('x') $$, 'PT422', 'event_when', 'there is no other when');
select throws_ok($$ select api.list_events('upcoming', p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'nor any cursor');
select is(string_agg(api.get_event(pg_temp.id(n)) ->> 'status', ' '), 'scheduled live cancelled ended', 'the clock gives the status')
from unnest(array['soon', 'now', 'off', 'over']) n;

-- replies
select test.act_as('alice');
select pg_temp.event('party', '{"capacity": 1}');
select test.act_as('bob');
select is(api.rsvp_event(pg_temp.id('party'), 'going') #>> '{viewer,rsvp}', 'going', 'the first one goes');
select api.rsvp_event(pg_temp.id('party'), 'going');
select is(pg_temp.counts('party'), '1 0 0 going', 'once');
select test.act_as('carla');
select is(api.rsvp_event(pg_temp.id('party'), 'going') #>> '{viewer,waitlistPosition}', '1', 'the second waits');
select api.rsvp_event(pg_temp.id('party'), 'going');
select test.act_as('dora');
select api.rsvp_event(pg_temp.id('party'), 'going');
select is(pg_temp.counts('party'), '1 0 2 waitlisted 2', 'and the third behind');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('party'))), 'bob', 'who goes is shown');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('party'), 'waitlisted')), 'carla dora', 'and who waits, in their order');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('party'), 'waitlisted', 1, api.list_event_attendees(pg_temp.id('party'), 'waitlisted', 1) ->> 'nextCursor')), 'dora', 'page by page');
select is((select count(*) from app.event_rsvps)::int, 1, 'of rows everybody sees their own alone');
select throws_ok(format('select api.rsvp_event(%L, %L)', pg_temp.id('party'), s), 'PT422', 'event_rsvp', 'nobody says ' || s) from unnest(array['waitlisted', 'x']) s;
select throws_ok(format('select api.rsvp_event(%L, %L)', pg_temp.id(n), 'going'), 'PT409', c, n || ' takes no reply')
from (values ('off', 'event_cancelled'), ('over', 'event_over')) v (n, c);
select is(api.rsvp_event(pg_temp.id('now'), 'going') #>> '{viewer,rsvp}', 'going', 'what runs does');
select test.act_as('bob');
select api.rsvp_event(pg_temp.id('party'), 'interested');
select is(pg_temp.counts('party'), '1 1 1 interested', 'who is no longer going frees the place');
select test.act_as('carla');
select is(pg_temp.counts('party'), '1 1 1 going', 'for who waits longest');
select test.settle();
select is(pg_temp.told('carla') || '/' || pg_temp.told('dora'), 'promoted/', 'who is told');
select ok(api.unrsvp_event(pg_temp.id('party')) is null, 'a reply is taken back');
select api.unrsvp_event(pg_temp.id('party'));
select is(pg_temp.counts('party'), '1 1 0', 'once, and the next one moves up');
select is(pg_temp.names(api.list_my_events()) || '/' || pg_temp.names(api.list_my_events('going')), '/', 'who has none goes nowhere');
select test.act_as('dora');
select is(pg_temp.names(api.list_my_events()), 'party now', 'mine are those that I go to');
select throws_ok($$ select api.list_my_events('x') $$, 'PT422', 'event_role', 'as one of two roles');

-- changes
select throws_ok($$ select api.update_event(pg_temp.id('party'), '{"capacity": 9}') $$, 'PT403', 'content_not_yours', 'a guest changes nothing');
select throws_ok($$ select api.cancel_event(pg_temp.id('party')) $$, 'PT403', 'content_not_yours', 'cancels nothing');
select throws_ok($$ select api.delete_event(pg_temp.id('party')) $$, 'PT403', 'content_not_yours', 'nor deletes');
select test.act_as('bob');
select api.rsvp_event(pg_temp.id('party'), 'going');
select test.act_as('alice');
select is(pg_temp.names(api.list_my_events('hosting')), 'party over off now soon late', 'a host has theirs');
select is(api.update_event(pg_temp.id('party'), '{"capacity": 2, "title": "party", "body": "New"}') ->> 'goingCount', '2', 'a place that is added goes to who waits');
select is(api.update_event(pg_temp.id('party'), '{"capacity": 1}') ->> 'goingCount', '2', 'one that is taken away from nobody');
select test.settle();
select is(pg_temp.told('dora'), 'promoted', 'of such things nobody is told');
select is((api.get_event_calendar(pg_temp.id('party')) ->> 'sequence')::int, 2, 'but calendars count them');
select api.rsvp_event(pg_temp.id('party'), 'interested');
select api.update_event(pg_temp.id('party'), jsonb_build_object('startsAt', now() + interval '1 day'));
select test.settle();
select is(concat_ws('/', pg_temp.told('dora'), pg_temp.told('bob'), pg_temp.told('alice')), 'changed promoted/changed promoted/', 'who goes hears of another time, and the host knows');
select throws_ok($$ select api.update_event(pg_temp.id('party'), jsonb_build_object('startsAt', now())) $$, 'PT422', 'event_past', 'which lies ahead');
select throws_ok($$ select api.update_event(pg_temp.id('over'), '{"title": "x"}') $$, 'PT409', 'event_over', 'what is over stays');
select is(api.cancel_event(pg_temp.id('party'), ' Rain ') ->> 'cancelReason', 'Rain', 'a host cancels');
select throws_ok($$ select api.cancel_event(pg_temp.id('party')) $$, 'PT409', 'event_cancelled', 'once');
select throws_ok($$ select api.update_event(pg_temp.id('party'), '{}') $$, 'PT409', 'event_cancelled', 'and changes it no more');
select test.settle();
select is(pg_temp.told('dora'), 'cancelled changed promoted', 'who goes hears of it');

-- what frees a place
select pg_temp.event(n, '{"capacity": 1}') from unnest(array['block', 'ban', 'erasure']) n;
select test.act_as('eve');
select api.rsvp_event(pg_temp.id(n), 'going') from unnest(array['block', 'ban', 'erasure', 'now']) n;
select test.act_as('bob');
select api.rsvp_event(pg_temp.id(n), 'going') from unnest(array['block', 'ban', 'erasure']) n;
select test.act_as('eve');
select test.act_as('alice');
select api.block_person('eve');
select is(pg_temp.counts('block'), '1 0 0', 'a block between host and guest');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('block'))), 'bob', 'in whose place the next one goes');
select test.act_as('eve');
select throws_ok($$ select api.rsvp_event(pg_temp.id('ban'), 'going') $$, 'PT404', 'event_unknown', 'who is blocked comes no more');
select test.act_as('alice');
select api.unblock_person('eve');
select test.act_as('eve');
select api.rsvp_event(pg_temp.id('ban'), 'going');
select is(pg_temp.counts('ban'), '1 0 1 waitlisted 1', 'and waits, when it is lifted, as everybody');
select test.act_as('carla');
select api.rsvp_event(pg_temp.id('ban'), 'going');
select test.act_as_owner();
select pg_temp.begun('erasure', '-3 hours');
update app.users set banned_at = now() where id = test.id('bob');
select test.act_as('eve');
select is(pg_temp.counts('ban'), '1 0 1 going', 'a ban frees one');
select test.act_as('alice');
select is(pg_temp.counts('erasure'), '1 0 0', 'but not of what is over');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('erasure'))), '', 'where nobody sees them');
select test.act_as_owner();
select private.erase_person(test.id('eve'));
select test.act_as('carla');
select is(pg_temp.counts('ban'), '1 0 0 going', 'an erasure too');
select test.act_as_owner();
select is((select count(*) from app.event_rsvps where user_id = test.id('eve'))::int, 0, 'and leaves no reply');

-- deletion, erasure of the host
select test.act_as('alice');
select api.delete_event(pg_temp.id('ban'));
select throws_ok($$ select api.delete_event(pg_temp.id('ban')) $$, 'PT404', 'event_unknown', 'a host deletes once');
select test.act_as_owner();
select is((select count(*) from app.event_rsvps where event_id = pg_temp.id('ban'))::int, 0, 'replies and all');
select private.erase_person(test.id('alice'));
select is((select count(*) from app.events)::int + (select count(*) from app.event_seats)::int, 0, 'of an erased host nothing stays');
select test.act_as('carla');
select is(pg_temp.names(api.list_events()), '', 'that anybody could see');

select * from finish();
rollback;
