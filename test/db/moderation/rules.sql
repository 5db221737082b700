-- Rules: each kind of condition, when each rule judges, what a live rule does, and who can make rules.
begin;
select plan(59);
select test.people('alice', 'bob', 'carla', 'dana', 'erik', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';
update app.users set created_at = now() - interval '30 days';

create function pg_temp.judges(p_type text, p_id uuid, p_condition jsonb) returns boolean
language plpgsql volatile security definer as $$
begin
  return (private.find_fitting(private.read_conditions(jsonb_build_array(p_condition)), private.find_versions(p_type, p_id))).id is not null;
end $$;
create function pg_temp.rule(p_conditions jsonb, p_action text, p_mode text) returns uuid
language plpgsql volatile as $$
declare
  v_id uuid;
begin
  perform test.act_as_service('alice');
  v_id := api.create_rule('A rule', p_conditions, '{post,reply}', p_action) ->> 'id';
  perform test.act_as_owner();
  update app.moderation_rules set mode = p_mode where id = v_id;
  return v_id;
end $$;
create function pg_temp.hits(p_rule uuid) returns text language sql stable security definer as $$
  select string_agg(h.mode || ' ' || h.action || ' ' || coalesce(p.body, r.body), ', ' order by coalesce(p.body, r.body))
  from app.rule_hits h left join app.posts p on p.id = h.target_id left join app.replies r on r.id = h.target_id
  where h.rule_id = p_rule $$;
create function pg_temp.hidden(p_id uuid) returns boolean language sql stable security definer as $$
  select coalesce((select hidden_at is not null from app.posts where id = p_id),
                  (select hidden_at is not null from app.replies where id = p_id)) $$;
create function pg_temp.notices(p_name text) returns text language sql volatile security definer as $$
  select test.settle();
  select string_agg(n.kind || ' ' || (n.payload - '{targetId}'::text[])::text, ', '
                    order by (n.payload - '{targetId}'::text[])::text)
  from app.notifications n where n.user_id = test.id(p_name) and n.kind = 'moderation.actioned' $$;
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

-- Conditions
select test.act_as('bob');
insert into made values ('plain', (api.create_post('A walk in the wood') ->> 'id')::uuid);
insert into made values ('spam', (api.create_post('Straße zum CASINO: https://example.org/a') ->> 'id')::uuid);
insert into made values ('essay', (api.create_post('Long', 'essay', 'Easy   money today') ->> 'id')::uuid);
select test.act_as('carla');
insert into made values ('reply', (api.create_reply(pg_temp.id('plain'), 'Éasy money at www.example.org') ->> 'id')::uuid);
select test.act_as_owner();

select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "new-account", "hours": 720}'), 'An account of 30 days is not younger than 720 hours');
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "new-account", "hours": 721}'), 'An account of 30 days is younger than 721 hours');
select ok(pg_temp.judges('post', pg_temp.id('spam'), '{"kind": "link"}'), 'A post with an address has a link');
select ok(pg_temp.judges('reply', pg_temp.id('reply'), '{"kind": "link"}'), 'A reply with www. has a link');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "link"}'), 'A post without an address has no link');
select ok(pg_temp.judges('post', pg_temp.id('spam'), '{"kind": "words", "words": ["x", "cásino"]}'), 'A word is found in any letter case and with other accents');
select ok(not pg_temp.judges('post', pg_temp.id('spam'), '{"kind": "words", "words": ["casin"]}'), 'A word is not found within another');
select ok(pg_temp.judges('post', pg_temp.id('essay'), '{"kind": "words", "words": ["easy money"]}'), 'A phrase is found in a title, whatever the spaces');
select ok(pg_temp.judges('reply', pg_temp.id('reply'), '{"kind": "words", "words": ["Easy Money"]}'), 'A phrase is found in a reply');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "words", "words": ["in wood"]}'), 'The words of a phrase must follow each other');
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "rate", "moreThan": 2, "minutes": 1}'), 'Three posts in a minute are more than two');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "rate", "moreThan": 3, "minutes": 1}'), 'Three posts in a minute are not more than three');
update app.posts set published_at = now() - interval '2 minutes' where id = pg_temp.id('spam');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "rate", "moreThan": 2, "minutes": 1}'), 'A post from before these minutes does not count');
select ok(not pg_temp.judges('post', pg_temp.id('spam'), '{"kind": "rate", "moreThan": 1, "minutes": 5}'), 'Posts that were published later do not count');

-- Alice invited Bob, Bob invited Carla, Dana invited Alice
insert into app.invite_codes (code, status, generated_by, used_by, used_at)
values ('INV-AAAAAA', 'used', test.id('alice'), test.id('bob'), now()), ('INV-BBBBBB', 'used', test.id('bob'), test.id('carla'), now()),
       ('INV-CCCCCC', 'used', test.id('dana'), test.id('alice'), now());
delete from app.invite_tree where invitee_id in (test.id('alice'), test.id('bob'), test.id('carla'));
insert into app.invite_tree (invitee_id, inviter_id, code_id, created_at)
select used_by, generated_by, id, now() - interval '30 days' from app.invite_codes where code in ('INV-AAAAAA', 'INV-BBBBBB', 'INV-CCCCCC');
select ok(not pg_temp.judges('reply', pg_temp.id('reply'), '{"kind": "near-ban", "steps": 3}'), 'The condition fails while nobody near the author is banned');
update app.users set banned_at = now() - interval '1 day' where username = 'dana';
select ok(not pg_temp.judges('reply', pg_temp.id('reply'), '{"kind": "near-ban", "steps": 2}'), 'The condition fails if the banned person is three steps away and two are allowed');
select ok(pg_temp.judges('reply', pg_temp.id('reply'), '{"kind": "near-ban", "steps": 3}'), 'The condition holds if the banned person is three steps away and three are allowed');
update app.users set banned_at = now() + interval '1 day' where username = 'dana';
select ok(not pg_temp.judges('reply', pg_temp.id('reply'), '{"kind": "near-ban", "steps": 3}'), 'A later ban does not count');
update app.users set banned_at = null where username = 'dana';
update app.users set banned_at = now() - interval '1 day' where username = 'carla';
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "near-ban", "steps": 1}'), 'An invitee who is banned counts too');
update app.users set banned_at = null where username = 'carla';

-- Dana's reports were mostly upheld, Erik's were not
insert into app.reports (reporter_id, target_type, target_id, reason, status, reviewed_at, created_at)
select test.id('dana'), 'post', gen_random_uuid(), 'x', case n when 1 then 'dismissed' else 'reviewed' end, now() - interval '1 day', now() - interval '2 days'
from generate_series(1, 3) n;
insert into app.reports (reporter_id, target_type, target_id, reason, status, reviewed_at, created_at)
select test.id('erik'), 'post', gen_random_uuid(), 'x', case when n < 3 then 'dismissed' else 'reviewed' end, now() - interval '1 day', now() - interval '2 days'
from generate_series(1, 4) n;
insert into app.reports (reporter_id, target_type, target_id, reason) values (test.id('erik'), 'post', pg_temp.id('plain'), 'x');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "reports", "people": 1}'), 'A report by somebody whose reports were half dismissed does not count');
insert into app.reports (reporter_id, target_type, target_id, reason) values (test.id('dana'), 'post', pg_temp.id('plain'), 'x');
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "reports", "people": 1}'), 'A report by a trusted person counts');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "reports", "people": 2}'), 'One trusted person is not enough if the condition needs two');
select private.add_reputation(test.id('erik'), (select id from app.interests order by id limit 1), 'admin.adjusted', 50);
select test.settle();
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "reports", "people": 2, "reputation": 50}'), 'A person with the required reputation is trusted, too');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "reports", "people": 2, "reputation": 51}'), 'A person with less reputation is not trusted');
select ok(not pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "reports", "people": 2, "reputation": null}'), 'An optional parameter can be null');
select ok(not pg_temp.judges('post', pg_temp.id('spam'), '{"kind": "reports", "people": 1}'), 'Reports of other posts do not count');

-- What is judged
update app.posts set published_at = now() - interval '1 hour' where id = pg_temp.id('plain');
select test.act_as('bob');
select api.update_post(pg_temp.id('plain'), '{"body": "A casino"}');
select test.act_as_owner();
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "words", "words": ["casino"]}'), 'An edit is judged');
select ok(pg_temp.judges('post', pg_temp.id('plain'), '{"kind": "words", "words": ["wood"]}'), 'The first version of an edited post is judged, too');

-- Strict conditions
select throws_ok(format('select private.read_conditions(%L)', c), 'PT422', 'rule_conditions', c || ' is no list of conditions')
from unnest(array[
  'null', '[]', '{}', '[1]', '[{}]', '[{"kind": "none"}]', '[{"kind": "link", "hours": 1}]', '[{"kind": "new-account"}]',
  '[{"kind": "new-account", "hours": 0}]', '[{"kind": "new-account", "hours": 1.5}]', '[{"kind": "new-account", "hours": "1"}]',
  '[{"kind": "words", "words": []}]', '[{"kind": "words", "words": [" "]}]', '[{"kind": "words", "words": [1]}]',
  '[{"kind": "rate", "moreThan": 1, "minutes": 1441}]']) c;

-- When and how rules act
create temp table rules as select
  pg_temp.rule('[{"kind": "words", "words": ["casino"]}]', 'hide', 'shadow') as shadow,
  pg_temp.rule('[{"kind": "words", "words": ["casino"]}, {"kind": "link"}]', 'hide', 'live') as hiding,
  pg_temp.rule('[{"kind": "words", "words": ["money"]}]', 'case', 'live') as casing,
  pg_temp.rule('[{"kind": "words", "words": ["casino"]}]', 'hide', 'off') as off,
  pg_temp.rule('[{"kind": "reports", "people": 1}]', 'hide', 'live') as reported;
grant all on rules to public;
select test.act_as('bob');
insert into made values ('held', (api.create_post('casino www.a.example') ->> 'id')::uuid);
select ok(api.get_post(pg_temp.id('held')) ->> 'hiddenAt' is not null, 'The author sees a held post, and that it is hidden');
insert into made values ('only noted', (api.create_post('casino') ->> 'id')::uuid);
insert into made values ('case', (api.create_post('money') ->> 'id')::uuid);
insert into made values ('held reply', (api.create_reply(pg_temp.id('case'), 'casino www.b.example') ->> 'id')::uuid);
insert into made values ('later', (api.create_post('casino www.later.example', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid);
select is(pg_temp.hits((select hiding from rules)), 'live hide casino www.a.example, live hide casino www.b.example', 'A live rule that hides judges a post in the transaction that publishes it');
select is(pg_temp.hits((select shadow from rules)), null, 'A rule in shadow judges after the transaction');
select test.settle();
select is(pg_temp.hits((select shadow from rules)), 'shadow hide casino, shadow hide casino www.a.example, shadow hide casino www.b.example', 'A rule in shadow records its hits');
select is(pg_temp.hits((select casing from rules)), 'live case money', 'A live rule that opens a case judges after the transaction');
select is(pg_temp.hits((select off from rules)), null, 'A rule that is off judges nothing');
select ok(pg_temp.hidden(pg_temp.id('held')) and pg_temp.hidden(pg_temp.id('held reply')) and not pg_temp.hidden(pg_temp.id('only noted'))
          and not pg_temp.hidden(pg_temp.id('case')), 'Only the live rule that hides has hidden posts');
select is(pg_temp.notices('bob'), 'moderation.actioned {"action": "held", "targetType": "post"}, moderation.actioned {"action": "held", "targetType": "reply"}',
          'The author is notified, and the notification does not name the rule');
select test.act_as_owner();
select private.publish_post(pg_temp.id('later'));
select ok(pg_temp.hidden(pg_temp.id('later')), 'A scheduled post is judged when it is published');
select test.act_as('carla');
select throws_ok(format('select api.get_post(%L)', pg_temp.id('held')), 'PT404', 'post_unknown', 'Others can''t see a held post');
select test.act_as('dana');
select lives_ok(format($$ select api.report('post', '%s', 'Rude') $$, pg_temp.id('case')), 'A reporter can''t learn that a rule hit the post');
select ok(pg_temp.hidden(pg_temp.id('case')), 'A report can make a rule hide a post');

-- Staff
select test.act_as_service('mona');
select api.unhide_post(pg_temp.id('held'));
select test.act_as('carla');
select lives_ok(format('select api.get_post(%L)', pg_temp.id('held')), 'Staff can release a held post');
select test.act_as_service('mona');
select throws_ok($$ select api.create_rule('x', '[{"kind": "link"}]', '{post}', 'case') $$, 'PT403', 'role_required', 'A moderator can''t make rules');
select throws_ok(format('select api.replay_rule(%L)', (select hiding from rules)), 'PT403', 'role_required', 'A moderator can''t replay rules');
select is((select count(*) from json_array_elements(api.list_rule_hits((select shadow from rules)) -> 'items')), 4::bigint, 'A moderator can read the hits of a rule');
select * from finish();
rollback;
