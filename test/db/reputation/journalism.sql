-- Who can publish a post as journalism, and when that is checked.
begin;
select plan(14);
select test.people('alice', 'bob', 'rosa');
update app.users set role = 'admin' where username = 'rosa';
update app.users set role = 'moderator' where username = 'bob';

create function pg_temp.give(p_name text, p_slug text, p_points numeric) returns void language sql volatile security definer
  as $$ select private.add_reputation(test.id(p_name), i.id, 'admin.adjusted', p_points) from app.interests i where i.slug = p_slug $$;
create function pg_temp.journalism(p_name text) returns uuid language sql volatile
  as $$ insert into app.posts (author_id, body, is_journalism) values (test.id(p_name), 'News', true) returning id $$;
create function pg_temp.may(p_name text) returns boolean language sql stable security definer
  as $$ select private.may_post_journalism(test.id(p_name)) $$;
grant execute on all functions in schema pg_temp to public;

select throws_ok($$ select pg_temp.journalism('alice') $$, 'PT403', 'journalism_not_allowed', 'Journalism needs reputation');
select lives_ok($$ insert into app.posts (author_id, body) values (test.id('alice'), 'No news') $$, 'Other posts need no reputation');
select throws_ok($$ update app.posts set is_journalism = true where author_id = test.id('alice') $$, 'PT403', 'journalism_not_allowed',
  'Making an existing post journalism needs reputation');
select pg_temp.give('alice', 'music', 10), pg_temp.give('alice', 'history', 19.99);
select ok(not pg_temp.may('alice'), 'Values of 10 and 19.99 in two interests are not enough');
select pg_temp.give('alice', 'history', 0.01);
select ok(pg_temp.may('alice'), 'A value of 20 in one interest is enough');
select lives_ok($$ select pg_temp.journalism('alice') $$, 'A person with enough reputation can publish journalism');
select lives_ok($$ update app.posts set is_journalism = true where author_id = test.id('alice') $$, 'A person with enough reputation can make an existing post journalism too');
select pg_temp.give('alice', 'history', -10);
select lives_ok($$ update app.posts set is_journalism = true, body = 'Old news' where author_id = test.id('alice') $$, 'A post stays journalism when the reputation falls');
select lives_ok($$ update app.posts set is_journalism = false where author_id = test.id('alice') $$,
  'The author can make a journalism post an ordinary one again');
select throws_ok($$ update app.posts set is_journalism = true where author_id = test.id('alice') $$, 'PT403', 'journalism_not_allowed',
  'Making the post journalism again needs reputation');
select throws_ok($$ select pg_temp.journalism('bob') $$, 'PT403', 'journalism_not_allowed', 'A moderator needs reputation');
select lives_ok($$ select pg_temp.journalism('rosa') $$, 'An admin needs no reputation');

-- Acting as Rosa: the capability depends only on reputation
select test.act_as('rosa');
select is((api.get_my_capabilities() ->> 'canPostJournalism')::boolean, false, 'An admin without reputation doesn''t have the capability');
select throws_ok($$ select private.may_post_journalism(test.id('alice')) $$, '42501', null, 'Nobody can check the capability of another person');

select * from finish();
rollback;
