-- Proposals: that nobody can bypass the operations, lengths, the limit of open ones, the export, bans and erasures.
begin;
select plan(20);
select test.people('alice', 'bob', 'carla', 'dora');
update app.users set role = 'admin' where id = test.id('alice');
select test.act_as('alice');
select api.create_guild('owls', (select id from app.interests where level = 1 order by slug limit 1), p_slug => 'owls');
select test.act_as('bob');
select api.apply_to_guild('owls');
select test.act_as('alice');
select api.settle_space_request('guild', 'owls', (select (i ->> 'id')::uuid from json_array_elements(api.list_space_requests('guild', 'owls') -> 'items') i), true);

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select 'charter', (api.create_proposal('owls', 'charter', 'Ours', 'Long ago', '{"charter": "Fly"}') ->> 'id')::uuid;
select is(api.get_proposal('owls', pg_temp.id('charter')) #>> '{tally,eligible}', '2', 'All members are eligible to vote');
select throws_ok($$ select api.create_proposal('owls', 'general', repeat('é', 201)) $$, 'PT422', 'proposal_title', 'A title of more than 200 characters is refused');
select throws_ok($$ select api.create_proposal('owls', 'general', ' ') $$, 'PT422', 'proposal_title', 'A blank title is refused');
select throws_ok($$ select api.create_proposal('owls', 'tax', 'x') $$, 'PT422', 'proposal_kind', 'An unknown kind is refused');
select throws_ok($$ select api.vote_on_proposal('owls', pg_temp.id('charter'), 'maybe') $$, 'PT422', 'proposal_vote', 'An unknown vote is refused');
select throws_ok($$ select api.create_proposal('owls', 'disburse', 'x', p_payload => '{"recipientId": "carla", "amount": 0}') $$, 'PT422', 'treasury_amount', 'An amount of 0 is refused');
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['select * from app.guild_proposals', 'update app.guild_proposals set status = ''passed''', 'select * from app.guild_votes',
  'select private.settle_proposal(pg_temp.id(''charter''))', 'select api.approve_proposal(''owls'', pg_temp.id(''charter''))']) s;
select is(api.vote_on_proposal('owls', pg_temp.id('charter'), 'yes') #>> '{viewer,vote}', 'yes', 'The proposer can vote like any other member');
select is(api.export_me('guildVotes') #>> '{items,0,value}', 'yes', 'The export has the votes');

select test.act_as_owner();
insert into app.guild_proposals (guild_id, proposer_id, kind, title, body, payload, closes_at)
select space_id, test.id('alice'), 'general', 'x', '', '{}', now() + interval '1 day' from app.guilds cross join generate_series(1, 49);
select test.act_as('alice');
select throws_ok($$ select api.create_proposal('owls', 'general', 'One more') $$, 'PT409', 'proposals_exhausted', 'At most fifty proposals can be open');

-- A ban: a banned person isn't eligible, so the others may become the majority
select test.act_as_owner();
delete from app.guild_proposals where title = 'x';
insert into app.space_members (space_id, user_id, created_at)
select space_id, test.id(u), now() - interval '1 day' from app.guilds, unnest(array['carla', 'dora']) u;
select test.act_as('alice');
insert into made select 'early', (api.create_proposal('owls', 'general', 'Soon') ->> 'id')::uuid;
select api.vote_on_proposal('owls', pg_temp.id('early'), 'yes');
select test.act_as('bob');
select is(api.vote_on_proposal('owls', pg_temp.id('early'), 'yes') #>> '{status}', 'open', 'Two of four votes are not a majority');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'carla';
select is((select string_agg(private.recount_proposals(data) ->> 'changed', '') from pgboss.job where name = 'recounted-proposals'), '1', 'A ban makes the worker count the votes again');
select private.job_settle_proposals();
select is((select concat_ws(' ', status, yes, eligible) from app.guild_proposals where id = pg_temp.id('early')), 'executed 2 3', 'Two of three votes are a majority');
delete from app.space_members where user_id in (test.id('carla'), test.id('dora'));

-- Erasure: the texts are deleted, and the payload stays until the proposal is decided
select test.act_as_owner();
select private.erase_person(test.id('bob'));
select is((select concat_ws('|', title, body, payload ->> 'charter', status) from app.guild_proposals where id = pg_temp.id('charter')), '||Fly|open', 'The text of a charter stays while it is open for votes');
update app.guild_proposals set closes_at = now(), due_at = now() where id = pg_temp.id('charter');
select is(private.job_settle_proposals(), 1, 'The proposal is settled when it closes');
select is((select concat_ws('|', payload ->> 'charter', status) from app.guild_proposals where id = pg_temp.id('charter')), 'expired', 'The text of the charter is deleted if it wasn''t adopted');
select * from finish();
rollback;
