-- Events: their fields, RSVPs and capacity, lists, permissions, and what frees a seat.
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
  'An event''s card has these fields');
select throws_ok(format($$ select pg_temp.event('x', %L) $$, m), 'PT422', c, 'An event is refused with ' || c || ': ' || m)
from (values ('event_past', jsonb_build_object('startsAt', now() - interval '1 second')),
             ('event_times', jsonb_build_object('startsAt', now() + interval '2 days', 'endsAt', now() + interval '2 days')),
             ('event_times', '{"endsAt": "9999-12-31T00:00:00Z"}'), ('event_times', '{"endsAt": "infinity"}'),
             ('timezone_unknown', '{"timezone": "Mars/Olympus"}'), ('content_body', '{"body": " "}'),
             ('event_location', '{"location": {"kind": "moon"}}'), ('event_location', '{"location": null}'),
             ('event_location', jsonb_build_object('location', jsonb_build_object('kind', 'place', 'address', repeat('é', 501)))),
             ('event_location', jsonb_build_object('location', jsonb_build_object('kind', 'place', 'city', repeat('é', 101)))),
             ('event_url', '{"location": {"kind": "online", "url": "javascript:alert(1)"}}'),
             ('event_capacity', '{"capacity": 0}'), ('event_capacity', '{"capacity": 100001}')) v (c, m);
select throws_ok($$ insert into app.events select * from app.events $$, '42501', null, 'Nobody can insert events directly');
select throws_ok($$ update app.event_seats set going = 7 $$, '42501', null, 'Nobody can change the counts');
delete from made;
select test.act_as_owner();
delete from app.contents;

-- Lists
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
select is(pg_temp.names(api.list_events()), 'over off now soon late', 'Without a filter the newest come first');
select is(pg_temp.names(api.list_events('upcoming')), 'soon late', 'Upcoming lists events that haven''t begun and aren''t cancelled, soonest first');
select is(pg_temp.names(api.list_events('past')), 'now over', 'Past lists events that have begun, latest first');
select is(pg_temp.names(api.list_events(p_from => now() + interval '1 day')), 'off soon late', 'A filter by date includes cancelled events');
select is(pg_temp.names(api.list_events(p_from => now() + interval '1 day', p_to => now() + interval '5 days')), 'off soon', 'The date p_from is inclusive and p_to exclusive');
select is(pg_temp.names(api.list_events('upcoming', p_limit => 1)), 'soon', 'A page has `limit` events');
select is(pg_temp.names(api.list_events('upcoming', p_cursor => api.list_events('upcoming', p_limit => 1) ->> 'nextCursor')), 'late', 'The cursor leads to the next upcoming page');
select is(pg_temp.names(api.list_events('past', p_cursor => api.list_events('past', p_limit => 1) ->> 'nextCursor')), 'over', 'The cursor leads to the next past page');
select is(pg_temp.names(api.list_events(p_city => 'KOLN')), 'late', 'A city is found ignoring case and accents');
select is(pg_temp.names(api.list_events('upcoming', p_country => 'germany')), 'late', 'A country is found by its name');
select is(pg_temp.names(api.list_events(p_q => 'soon body')), 'soon', 'All words must match, in title or body');
select throws_ok($$ select api.list_events('x') $$, 'PT422', 'event_when', 'An unknown filter is refused');
select throws_ok($$ select api.list_events('upcoming', p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select is(string_agg(api.get_event(pg_temp.id(n)) ->> 'status', ' '), 'scheduled live cancelled ended', 'The status depends on the time and on the cancellation')
from unnest(array['soon', 'now', 'off', 'over']) n;

-- RSVPs
select test.act_as('alice');
select pg_temp.event('party', '{"capacity": 1}');
select test.act_as('bob');
select is(api.rsvp_event(pg_temp.id('party'), 'going') #>> '{viewer,rsvp}', 'going', 'The first RSVP gets the seat');
select api.rsvp_event(pg_temp.id('party'), 'going');
select is(pg_temp.counts('party'), '1 0 0 going', 'Repeating the RSVP changes nothing');
select test.act_as('carla');
select is(api.rsvp_event(pg_temp.id('party'), 'going') #>> '{viewer,waitlistPosition}', '1', 'The second RSVP is waitlisted');
select api.rsvp_event(pg_temp.id('party'), 'going');
select test.act_as('dora');
select api.rsvp_event(pg_temp.id('party'), 'going');
select is(pg_temp.counts('party'), '1 0 2 waitlisted 2', 'The third RSVP is second on the waitlist');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('party'))), 'bob', 'The list of attendees has the people who are going');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('party'), 'waitlisted')), 'carla dora', 'Waitlisted people are listed in the order of the waitlist');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('party'), 'waitlisted', 1, api.list_event_attendees(pg_temp.id('party'), 'waitlisted', 1) ->> 'nextCursor')), 'dora', 'The cursor leads to the next page of waitlisted people');
select is((select count(*) from app.event_rsvps)::int, 1, 'People see only their own RSVP in the table');
select throws_ok(format('select api.rsvp_event(%L, %L)', pg_temp.id('party'), s), 'PT422', 'event_rsvp', 'An invalid RSVP is refused: ' || s) from unnest(array['waitlisted', 'x']) s;
select throws_ok(format('select api.rsvp_event(%L, %L)', pg_temp.id(n), 'going'), 'PT409', c, format('An RSVP is refused with %s', c))
from (values ('off', 'event_cancelled'), ('over', 'event_over')) v (n, c);
select is(api.rsvp_event(pg_temp.id('now'), 'going') #>> '{viewer,rsvp}', 'going', 'A live event accepts RSVPs');
select test.act_as('bob');
select api.rsvp_event(pg_temp.id('party'), 'interested');
select is(pg_temp.counts('party'), '1 1 1 interested', 'A person who is no longer going frees their seat');
select test.act_as('carla');
select is(pg_temp.counts('party'), '1 1 1 going', 'The seat goes to the first person on the waitlist');
select test.settle();
select is(pg_temp.told('carla') || '/' || pg_temp.told('dora'), 'promoted/', 'The promoted person is notified');
select ok(api.unrsvp_event(pg_temp.id('party')) is null, 'An RSVP can be withdrawn');
select api.unrsvp_event(pg_temp.id('party'));
select is(pg_temp.counts('party'), '1 1 0', 'A repeated withdrawal promotes nobody else');
select is(pg_temp.names(api.list_my_events()) || '/' || pg_temp.names(api.list_my_events('going')), '/', 'A person without RSVPs has an empty list of events');
select test.act_as('dora');
select is(pg_temp.names(api.list_my_events()), 'party now', 'A person''s list has the events they are going to');
select throws_ok($$ select api.list_my_events('x') $$, 'PT422', 'event_role', 'An unknown role in the list of one''s own events is refused');

-- Changes
select throws_ok($$ select api.update_event(pg_temp.id('party'), '{"capacity": 9}') $$, 'PT403', 'content_not_yours', 'A guest can''t change the event');
select throws_ok($$ select api.cancel_event(pg_temp.id('party')) $$, 'PT403', 'content_not_yours', 'A guest can''t cancel the event');
select throws_ok($$ select api.delete_event(pg_temp.id('party')) $$, 'PT403', 'content_not_yours', 'A guest can''t delete the event');
select test.act_as('bob');
select api.rsvp_event(pg_temp.id('party'), 'going');
select test.act_as('alice');
select is(pg_temp.names(api.list_my_events('hosting')), 'party over off now soon late', 'The list of hosted events has the host''s events');
select is(api.update_event(pg_temp.id('party'), '{"capacity": 2, "title": "party", "body": "New"}') ->> 'goingCount', '2', 'An added seat goes to the waitlist');
select is(api.update_event(pg_temp.id('party'), '{"capacity": 1}') ->> 'goingCount', '2', 'A smaller capacity removes nobody');
select test.settle();
select is(pg_temp.told('dora'), 'promoted', 'Guests are not notified of a new title, text or capacity');
select is((api.get_event_calendar(pg_temp.id('party')) ->> 'sequence')::int, 2, 'Each change raises the sequence of the calendar file');
select api.rsvp_event(pg_temp.id('party'), 'interested');
select api.update_event(pg_temp.id('party'), jsonb_build_object('startsAt', now() + interval '1 day'));
select test.settle();
select is(concat_ws('/', pg_temp.told('dora'), pg_temp.told('bob'), pg_temp.told('alice')), 'changed promoted/changed promoted/', 'Guests are notified of a new time, and the host isn''t');
select throws_ok($$ select api.update_event(pg_temp.id('party'), jsonb_build_object('startsAt', now())) $$, 'PT422', 'event_past', 'A new start that isn''t in the future is refused');
select throws_ok($$ select api.update_event(pg_temp.id('over'), '{"title": "x"}') $$, 'PT409', 'event_over', 'An event that is over can''t be changed');
select is(api.cancel_event(pg_temp.id('party'), ' Rain ') ->> 'cancelReason', 'Rain', 'The host can cancel with a reason');
select throws_ok($$ select api.cancel_event(pg_temp.id('party')) $$, 'PT409', 'event_cancelled', 'An event can be cancelled only once');
select throws_ok($$ select api.update_event(pg_temp.id('party'), '{}') $$, 'PT409', 'event_cancelled', 'A cancelled event can''t be changed');
select test.settle();
select is(pg_temp.told('dora'), 'cancelled changed promoted', 'Guests are notified of the cancellation');

-- What frees a seat
select pg_temp.event(n, '{"capacity": 1}') from unnest(array['block', 'ban', 'erasure']) n;
select test.act_as('eve');
select api.rsvp_event(pg_temp.id(n), 'going') from unnest(array['block', 'ban', 'erasure', 'now']) n;
select test.act_as('bob');
select api.rsvp_event(pg_temp.id(n), 'going') from unnest(array['block', 'ban', 'erasure']) n;
select test.act_as('eve');
select test.act_as('alice');
select api.block_person('eve');
select is(pg_temp.counts('block'), '1 0 0', 'A block between host and guest frees the guest''s seat');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('block'))), 'bob', 'The next person on the waitlist gets the seat');
select test.act_as('eve');
select throws_ok($$ select api.rsvp_event(pg_temp.id('ban'), 'going') $$, 'PT404', 'event_unknown', 'A blocked person can''t RSVP');
select test.act_as('alice');
select api.unblock_person('eve');
select test.act_as('eve');
select api.rsvp_event(pg_temp.id('ban'), 'going');
select is(pg_temp.counts('ban'), '1 0 1 waitlisted 1', 'After the block the person is waitlisted like everybody else');
select test.act_as('carla');
select api.rsvp_event(pg_temp.id('ban'), 'going');
select test.act_as_owner();
select pg_temp.begun('erasure', '-3 hours');
update app.users set banned_at = now() where id = test.id('bob');
select test.act_as('eve');
select is(pg_temp.counts('ban'), '1 0 1 going', 'A ban frees a seat');
select test.act_as('alice');
select is(pg_temp.counts('erasure'), '1 0 0', 'A ban frees no seat in an event that is over');
select is(pg_temp.names(api.list_event_attendees(pg_temp.id('erasure'))), '', 'A banned guest isn''t listed');
select test.act_as_owner();
select private.erase_person(test.id('eve'));
select test.act_as('carla');
select is(pg_temp.counts('ban'), '1 0 0 going', 'An erasure frees a seat');
select test.act_as_owner();
select is((select count(*) from app.event_rsvps where user_id = test.id('eve'))::int, 0, 'An erasure deletes the RSVPs');

-- Deletion, and erasure of the host
select test.act_as('alice');
select api.delete_event(pg_temp.id('ban'));
select throws_ok($$ select api.delete_event(pg_temp.id('ban')) $$, 'PT404', 'event_unknown', 'An event can be deleted only once');
select test.act_as_owner();
select is((select count(*) from app.event_rsvps where event_id = pg_temp.id('ban'))::int, 0, 'Deleting an event deletes its RSVPs');
select private.erase_person(test.id('alice'));
select is((select count(*) from app.events)::int + (select count(*) from app.event_seats)::int, 0, 'The erasure of a host deletes their events');
select test.act_as('carla');
select is(pg_temp.names(api.list_events()), '', 'Deleted events are not listed');

select * from finish();
rollback;
