-- Votes, appeals and ledgers after an erasure: the texts are deleted, the numbers stay.
begin;
select plan(10);
select test.people('alice', 'bob', 'carla');

create function pg_temp.interest(p_slug text) returns uuid language sql stable
  as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.sums() returns text language sql stable security definer
  as $$ select md5(string_agg(r::text, ',' order by r.user_id, r.interest_id)) from app.reputation r $$;
grant execute on all functions in schema pg_temp to public;
select private.add_reputation(test.id(n), pg_temp.interest('ethics'), 'admin.adjusted', 40) from unnest(array['alice', 'bob', 'carla']) n;

select test.act_as('alice');
select api.select_interest(pg_temp.interest('ethics'), 1, 1);
select api.vote_reputation('bob', pg_temp.interest('ethics'), 1, 'By Alice for Bob');
select api.create_appeal(pg_temp.interest('ethics'), 'By Alice');
select test.act_as('bob');
select api.select_interest(pg_temp.interest('ethics'), 1, 1);
select api.vote_reputation('alice', pg_temp.interest('ethics'), 1, 'By Bob for Alice');
select api.vote_reputation('carla', pg_temp.interest('ethics'), -1, 'By Bob for Carla');
select api.create_appeal(pg_temp.interest('ethics'), 'By Bob');
select test.act_as_owner();
update app.reputation_appeals set status = 'accepted', note = 'For ' || text, resolved_at = now();
create temporary table before as select pg_temp.sums() as sums, (select count(*) from app.reputation_entries) as entries;

select private.erase_person(test.id('alice'));
select set_eq($$ select comment from app.reputation_votes where comment is not null $$, array['By Bob for Carla'],
  'Comments by the erased person, and about them, are deleted');
select set_eq($$ select text, note from app.reputation_appeals $$, $$ values ('', null), ('By Bob', 'For By Bob') $$, 'The texts and notes of the erased person''s appeals are deleted');
select results_eq($$ select value::int, impact from app.reputation_votes order by 1, 2 $$, $$ values (-1, -2.05), (1, 2.00), (1, 2.05) $$, 'Votes keep their numbers');
select is(pg_temp.sums(), (select sums from before), 'The sums are unchanged');
select is((select count(*) from app.reputation_entries), (select entries from before), 'The ledger is unchanged');

-- Requests that ran during the erasure
update app.reputation_appeals set text = 'Late' where text = '';
update app.reputation_votes set comment = 'Late' where comment is null;
select private.job_finish_erasures();
select is((select count(*)::int from app.reputation_votes where comment = 'Late'), 0, 'A later job deletes comments written during the erasure');
select is((select count(*)::int from app.reputation_appeals where text = 'Late'), 0, 'A later job deletes texts of appeals written during the erasure');

-- Acting as Bob
select test.act_as('bob');
select is(json_array_length(api.list_received_votes() -> 'items'), 0, 'A vote by an erased person isn''t listed');
select is((select (i ->> 'value')::numeric from json_array_elements(api.get_my_reputation() -> 'items') i where i ->> 'slug' = 'ethics'), 42.00, 'A vote by an erased person still counts');
select throws_ok($$ select api.vote_reputation('alice', pg_temp.interest('ethics'), 1) $$, 'PT404', 'person_unknown', 'Nobody can vote for an erased person');

select * from finish();
rollback;
