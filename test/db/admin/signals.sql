-- Flows between neighbours in the invite tree: which people are near, which flows count, how they are measured, and
-- who can list them.
begin;
select plan(18);
select test.people('host', 'patron', 'puppet', 'sibling', 'grandchild', 'stranger', 'other');

create function pg_temp.invited(p_by text, variadic p_names text[]) returns void language sql security definer as $$
  insert into app.invite_tree (invitee_id, inviter_id, code_id)
  select test.id(n), test.id(p_by), (private.make_invite_code(test.id(p_by))).id from unnest(p_names) n $$;
create function pg_temp.pays(p_giver text, p_receiver text, p_tier integer default 0) returns void language plpgsql as $$
begin
  perform test.act_as(p_giver);
  perform api.pay('love', p_tier, p_receiver_id => p_receiver);
  perform test.act_as_owner();
end $$;
create function pg_temp.votes(p_giver text, p_receiver text, p_value integer) returns void language plpgsql as $$
begin
  perform test.act_as(p_giver);
  perform api.vote_reputation(p_receiver, (select id from app.interests where slug = 'ethics'), p_value);
  perform test.act_as_owner();
end $$;
create function pg_temp.shown(p_kind text, p_since timestamptz default now() - interval '30 days', p_limit integer default 100)
returns text language sql as $$
  select coalesce(string_agg(format('%s>%s %s', g.username, r.username, s.distance), ' ' order by g.username, r.username), '')
  from private.suspicious_flows(p_since, p_limit) s join app.users g on g.id = s.giver_id join app.users r on r.id = s.receiver_id
  where s.kind = p_kind $$;
update app.users set role = 'admin' where username = 'host';
select pg_temp.invited('host', 'patron', 'stranger', 'other');
select pg_temp.invited('patron', 'puppet', 'sibling');
select pg_temp.invited('puppet', 'grandchild');
update app.users set created_at = now() - interval '90 days' where username <> 'puppet';
update app.users set created_at = now() - interval '2 hours' where username = 'puppet';
insert into app.user_interests (user_id, interest_id, depth, expertise)
select u.id, i.id, 1, 1 from app.users u, app.interests i where i.slug = 'ethics' and u.username in ('puppet', 'stranger', 'sibling');
select private.add_reputation(test.id(n), i.id, 'admin.adjusted', 10) from unnest(array['puppet', 'stranger']) n, app.interests i where i.slug = 'ethics';

-- Mana
select is(pg_temp.shown('mana'), '', 'Without any flow the list is empty');
select pg_temp.pays('puppet', 'patron', 1), pg_temp.pays('puppet', 'patron', 1);
select is(pg_temp.shown('mana'), 'puppet>patron 1', 'A payment to the person''s own inviter is listed');
select pg_temp.pays('stranger', 'patron', 0), pg_temp.pays('patron', 'stranger', 0), pg_temp.pays('puppet', 'stranger', 0), pg_temp.pays('stranger', 'other', 0);
select is(pg_temp.shown('mana'), 'puppet>patron 1', 'Payments between strangers, and between people invited by the same admin, are not listed');
select is(row(flows, total, younger_age, given_share, neighbour_share)::text, row(2, 6, interval '2 hours', 0.857, 0.857)::text,
  'A flow has its count, sum, age of the younger account, and shares of what was given and received') from private.suspicious_flows() where kind = 'mana';
select pg_temp.pays('patron', 'puppet'), pg_temp.pays('sibling', 'puppet'), pg_temp.pays('grandchild', 'patron'), pg_temp.pays('grandchild', 'sibling');
select is(pg_temp.shown('mana'), 'grandchild>patron 2 grandchild>sibling 3 patron>puppet 1 puppet>patron 1 sibling>puppet 2', 'Flows in both directions, between people one to three steps apart, are listed');
select is((select array_agg(distance order by distance) from private.suspicious_flows(p_reach => 1)), '{1,1}', 'The list can be limited to people who are nearer to each other');
select is((select array_agg(total) from private.suspicious_flows(p_limit => 1)), '{6}', 'The largest sum comes first');
select is(pg_temp.shown('mana', now() + interval '1 second'), '', 'Flows before p_since are not listed');

-- A reversed payment
insert into app.payments (sender_id, receiver_id, emotion, tier, amount, reversal_of)
select receiver_id, sender_id, emotion, tier, amount, id from app.payments where sender_id = test.id('sibling');
insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
select id, receiver_id, sender_id, amount, created_at from app.payments where reversed;
select is(pg_temp.shown('mana'), 'grandchild>patron 2 grandchild>sibling 3 patron>puppet 1 puppet>patron 1', 'A reversed payment and its reversal are not listed');

-- Votes
select pg_temp.votes('puppet', 'patron', 1), pg_temp.votes('stranger', 'patron', 1), pg_temp.votes('sibling', 'puppet', -1);
select is(pg_temp.shown('votes'), 'puppet>patron 1', 'An upvote for the person''s own inviter is listed, but a stranger''s vote and a downvote are not');
select is(row(flows, total, given_share, neighbour_share)::text, row(1, 1.00, 1.000, 0.500)::text, 'The sum of a flow of votes is the points that they gave')
from private.suspicious_flows() where kind = 'votes';
select pg_temp.votes('sibling', 'puppet', 1);
select is((select row(total, given_share)::text from private.suspicious_flows() where kind = 'votes' and giver_id = test.id('sibling')), '(0.00,)',
  'A vote that gives no points has no share');
select pg_temp.votes('puppet', 'patron', 0), pg_temp.votes('sibling', 'puppet', 0);
select is(pg_temp.shown('votes'), '', 'A vote that was taken back is not listed');

-- People who are banned or erased
update app.users set banned_at = now() where username = 'grandchild';
select private.erase_person(test.id(n)) from unnest(array['sibling', 'puppet']) n;
select is((select count(*)::int from private.suspicious_flows()), 4, 'Flows of banned and erased people stay listed');

-- Permissions
select test.act_as_service();
select throws_ok('select * from private.suspicious_flows()', '42501', null, 'The service role lists the flows only through an operation');
select test.act_as('patron');
select throws_ok('select * from private.suspicious_flows()', '42501', null, 'A person can''t list the flows');
select test.act_as('host');
select throws_ok('select * from private.suspicious_flows()', '42501', null, 'An admin''s own token can''t list the flows');
select test.act_as_anon();
select throws_ok('select * from private.suspicious_flows()', '42501', null, 'An anonymous caller can''t list the flows');

select * from finish();
rollback;
