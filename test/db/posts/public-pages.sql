-- Public pages: what the facade shows to people without an account.
begin;
select plan(27);
select test.people('alice', 'ben', 'friend');

create function pg_temp.post(p_author text, p_options jsonb default '{}') returns uuid language plpgsql as $$
begin
  perform test.act_as(p_author);
  return (api.create_post(
    p_body => coalesce(p_options ->> 'body', 'Moss'), p_visibility => coalesce(p_options ->> 'visibility', 'public'),
    p_format => coalesce(p_options ->> 'format', 'note'), p_quoted_post_id => (p_options ->> 'of')::uuid,
    p_publish_at => (p_options ->> 'at')::timestamptz) ->> 'id')::uuid;
end $$;
create function pg_temp.page(p_post uuid) returns jsonb language plpgsql as $$
begin
  perform test.act_as_gate();
  return api.get_public_post(p_post)::jsonb;
end $$;
create function pg_temp.profile(p_name text) returns jsonb language plpgsql as $$
begin
  perform test.act_as_gate();
  return api.get_public_profile(p_name)::jsonb;
end $$;
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql as $$ select id from made where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

select ok(has_function_privilege(r, f, 'execute') = (r = 'gate'),
          format('%s %s call %s', r, case when r = 'gate' then 'may' else 'may not' end, f))
from unnest(array['anon', 'authenticated', 'service_role', 'gate']) r,
     unnest(array['api.get_public_post(uuid)', 'api.get_public_profile(text)']) f;

insert into made values ('public', pg_temp.post('alice'));
insert into made values ('circles', pg_temp.post('alice', '{"visibility": "circles"}'));
insert into made values ('later', pg_temp.post('alice', jsonb_build_object('at', now() + interval '1 hour')));
insert into made values ('hidden', pg_temp.post('alice'));
insert into made values ('quote', pg_temp.post('ben',
  jsonb_build_object('format', 'quote', 'of', pg_temp.id('public'), 'body', 'See')));
insert into made values ('repost', pg_temp.post('ben',
  jsonb_build_object('format', 'repost', 'of', pg_temp.id('public'), 'body', '')));
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('hidden');

select is(pg_temp.page(pg_temp.id('public')) ->> 'body', 'Moss', 'A public post has a page');
select is(pg_temp.page(pg_temp.id('public')) -> 'author' ->> 'username', 'alice',
  'The page of a post names the author');
select is(pg_temp.page(pg_temp.id('quote')) ->> 'quotedPostId', pg_temp.id('public')::text,
          'The page of a quote has the quoted post');
select is(pg_temp.page(pg_temp.id(w)), null, format('The post "%s" has no page', w))
from unnest(array['circles', 'later', 'hidden', 'repost']) w;
select is(jsonb_array_length(pg_temp.profile('alice') -> 'posts'), 1, 'A profile has the posts that have a page');
select is(pg_temp.profile('nobody'), null, 'An unknown person has no page');

-- A person who turned their pages off
select test.act_as('alice');
select is(api.update_me('{"hasPublicPage": false}') ->> 'hasPublicPage', 'false', 'A person can turn their pages off');
select is(pg_temp.page(pg_temp.id('public')), null, 'Posts of a person with pages turned off have no page');
select is(pg_temp.profile('alice'), null, 'A person with pages turned off has no page');
select is(pg_temp.page(pg_temp.id('quote')) -> 'quotedPostId', 'null',
  'The page of a quote doesn''t name a post without a page');
select test.act_as('alice');
select is(api.update_me('{"phone": null}') ->> 'hasPublicPage', 'false',
  'Another change of the profile leaves the pages turned off');
select is(api.update_me('{"hasPublicPage": true}') ->> 'hasPublicPage', 'true',
  'A person can turn their pages on again');

-- A limited person has no page even for followers, because a page has no caller
select test.act_as('friend');
select api.follow_person('alice');
select test.act_as_owner();
update app.users set limited_at = now() where id = test.id('alice');
select is(pg_temp.page(pg_temp.id('public')), null, 'A post of a limited person has no page');
select is(pg_temp.profile('alice'), null, 'A limited person has no page');
select is(pg_temp.page(pg_temp.id('quote')) ->> 'quotedPostId', null,
  'The page of a quote leaves out a post of a limited person');
select test.act_as_owner();
update app.users set limited_at = null, banned_at = now() where id = test.id('alice');
select is(pg_temp.profile('alice'), null, 'A banned person has no page');

select * from finish();
rollback;
