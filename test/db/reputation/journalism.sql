-- Who may tag a post as journalism, and when that is asked.
begin;
select plan(14);
select test.people('alice', 'bob', 'rosa');
update app.users set role = 'admin' where username = 'rosa';
update app.users set role = 'moderator' where username = 'bob';

create function pg_temp.give(p_name text, p_slug text, p_points numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id(p_name), i.id, 'admin.adjusted', p_points) from app.interests i where i.slug = p_slug $$;
create function pg_temp.tagged(p_name text) returns uuid language sql volatile
  as $$ insert into app.posts (author_id, body, is_journalism) values (test.id(p_name), 'News', true) returning id $$;
create function pg_temp.may(p_name text) returns boolean language sql stable security definer
  as $$ select private.may_post_journalism(test.id(p_name)) $$;
grant execute on all functions in schema pg_temp to public;

select throws_ok($$ select pg_temp.tagged('alice') $$, 'PT403', 'journalism_not_allowed', 'journalism asks for reputation');
select lives_ok($$ insert into app.posts (author_id, body) values (test.id('alice'), 'No news') $$, 'other posts do not');
select throws_ok($$ update app.posts set is_journalism = true where author_id = test.id('alice') $$, 'PT403', 'journalism_not_allowed',
  'tagging a post later does');
select pg_temp.give('alice', 'music', 10), pg_temp.give('alice', 'history', 19.99);
select ok(not pg_temp.may('alice'), 'it is 20 in one interest');
select pg_temp.give('alice', 'history', 0.01);
select ok(pg_temp.may('alice'), 'that do');
select lives_ok($$ select pg_temp.tagged('alice') $$, 'and then one may');
select lives_ok($$ update app.posts set is_journalism = true where author_id = test.id('alice') $$, 'later too');
select pg_temp.give('alice', 'history', -10);
select lives_ok($$ update app.posts set is_journalism = true, body = 'Old news' where author_id = test.id('alice') $$, 'what was tagged stays so');
select lives_ok($$ update app.posts set is_journalism = false where author_id = test.id('alice') $$, 'until it is taken away');
select throws_ok($$ update app.posts set is_journalism = true where author_id = test.id('alice') $$, 'PT403', 'journalism_not_allowed',
  'which is for good then');
select throws_ok($$ select pg_temp.tagged('bob') $$, 'PT403', 'journalism_not_allowed', 'a moderator is nobody special here');
select lives_ok($$ select pg_temp.tagged('rosa') $$, 'an admin needs no reputation');

-- Acting as Rosa: the capability is the rule of reputation alone
select test.act_as('rosa');
select is((api.get_my_capabilities() ->> 'canPostJournalism')::boolean, false, 'though the capability says no');
select throws_ok($$ select private.may_post_journalism(test.id('alice')) $$, '42501', null, 'nobody asks it about others');

select * from finish();
rollback;
