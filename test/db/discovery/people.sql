-- Finding people by name, by the interests they write about, and by reputation. Also who can't be found.
begin;
select plan(29);
select test.people('alice', 'jose', 'katherine', 'dora', 'eve');

create function pg_temp.interest(p_slug text) returns uuid language sql stable security definer as $$
  select id from app.interests where slug = p_slug $$;
create function pg_temp.met(p_call json) returns text language sql stable as $$
  select coalesce(string_agg(i ->> 'username', ' ' order by place), '') from json_array_elements(p_call -> 'items') with ordinality u (i, place) $$;
create function pg_temp.named(p_q text) returns text language sql stable as $$ select pg_temp.met(api.list_people(p_q)) $$;
grant execute on all functions in schema pg_temp to public;
update app.users set created_at = now() - case username when 'jose' then 4 when 'katherine' then 3 when 'dora' then 2 else 1 end * interval '1 hour'
where username in ('jose', 'katherine', 'dora', 'eve');
update app.users set first_name = 'José', last_name = 'Müller' where username = 'jose';
update app.users set last_name = 'Anderson' where username = 'katherine';

select test.act_as('alice');
select is(pg_temp.met(api.list_people()) like '%eve dora katherine jose', true, 'People are listed newest first, without the caller');
select is(pg_temp.met(api.list_people(p_cursor => 'dora')), 'katherine jose', 'A page continues after the person in the cursor');
select is(pg_temp.named(q), 'jose', 'José is found by ' || q) from unnest(array['jose', 'JOSÉ', 'jos', 'muller', 'Müller', 'jose muler', 'mullre']) q;
select is(pg_temp.named(q), 'katherine', 'Katherine is found by ' || q) from unnest(array['Catherine', 'andersen', 'kathrine']) q;
select is(pg_temp.named(q), '', 'The character is no wildcard: ' || q) from unnest(array['%', '_', '%a%', '\', '''', '*']) q;
select throws_ok($$ select api.list_people('jose', p_cursor => 'nobody') $$, 'PT400', 'cursor_unknown', 'An unknown person is refused as a cursor');
select throws_ok($$ select * from private.name_trigrams $$, '42501', null, 'Nobody can read the trigrams of names');

select api.select_interest(pg_temp.interest('history'), 3, 3), api.select_interest(pg_temp.interest('music'), 3, 3), api.follow_person('dora');
select test.act_as_owner();
insert into app.reputation (user_id, interest_id, value, direct_value)
select test.id(n), pg_temp.interest(i), v, v from (values ('dora', 'history', 12), ('jose', 'music', 40), ('jose', 'history', 10), ('eve', 'arts', 90), ('alice', 'music', 99)) r (n, i, v)
on conflict (user_id, interest_id) do update set value = excluded.value;
update app.users set country = 'PT', city = 'Évora' where username = 'dora';
select test.act_as('alice');
select is(pg_temp.met(api.list_talent()), 'jose dora', 'Talent lists people with reputation in the caller''s interests, highest first');
select is(api.list_talent() #>> '{items,0,reputation,level}', 'Practitioner', 'A person in the list of talent has the level of their reputation');
select is(pg_temp.met(api.list_talent('history')), 'dora jose', 'Talent can be narrowed to one interest');
select is(pg_temp.met(api.list_talent('history', p_cursor => 'dora')), 'jose', 'The cursor leads to the next page of talent');
select is(pg_temp.met(api.list_talent('arts', 'pt')), '', 'Talent can be narrowed to a country');
select is(pg_temp.met(api.list_talent(p_city => 'evora')), 'dora', 'Talent can be narrowed to a city');

select test.act_as('jose');
select api.block_person('alice');
select test.act_as('alice');
select is(concat_ws('|', pg_temp.named('jose'), pg_temp.met(api.list_talent('music')), (pg_temp.met(api.list_people()) like '%jose%')::text),
          '||false', 'Nobody is found across a block');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'katherine';
update app.users set erased_at = now() where username = 'eve';
select is((select count(*)::int from private.name_trigrams where user_id = (select id from app.users where erased_at is not null limit 1)), 0,
          'An erasure deletes the trigrams of the name');
select test.act_as('alice');
select is(pg_temp.named('katherine') || pg_temp.named('eve'), '', 'Banned and erased people are not found');

select * from finish();
rollback;
