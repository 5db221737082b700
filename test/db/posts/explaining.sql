-- explain_visibility: its parts agree with post_visible_to for every post.
begin;
select plan(8);
select test.people('alice', 'bob', 'carla');

create temp table made (name text, id uuid);
create function pg_temp.made(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
select test.act_as_owner();
with p as (
  insert into app.posts (author_id, body, visibility, hidden_at, deleted_at, publish_at, published_at)
  select test.id('alice'), v.name, v.visibility, v.hidden, v.deleted, v.due, case when v.due is null then now() end
  from (values ('public', 'public', null::timestamptz, null::timestamptz, null::timestamptz), ('circles', 'circles', null, null, null),
               ('inner', 'inner', null, null, null), ('hidden', 'public', now(), null, null), ('deleted', 'public', null, now(), null),
               ('scheduled', 'public', null, null, now() + interval '1 day')) as v (name, visibility, hidden, deleted, due)
  returning id, body)
insert into made select body, id from p;
insert into app.posts (author_id, body, format, quoted_post_id) values (test.id('carla'), '', 'repost', pg_temp.made('inner'));
insert into made select 'repost', id from app.posts where format = 'repost';
insert into app.circles (owner_id, name) values (test.id('alice'), 'Near');
insert into app.circle_members (circle_id, owner_id, member_id) select id, owner_id, test.id('bob') from app.circles;

create function pg_temp.disagreements() returns setof text language sql as $$
  select u.username || ' ' || m.name
  from made m cross join app.users u
  where u.username in ('alice', 'bob', 'carla')
    and (select bool_and(e.passes) from private.explain_visibility(u.id, m.id) e) is distinct from private.post_visible_to(m.id, u.id) $$;

select is_empty('select pg_temp.disagreements()', 'The parts agree with post_visible_to');
insert into app.blocks (blocker_id, blocked_id) values (test.id('carla'), test.id('alice'));
select is_empty('select pg_temp.disagreements()', 'The parts agree with post_visible_to across a block');
update app.users set banned_at = now() where username = 'alice';
select is_empty('select pg_temp.disagreements()', 'The parts agree with post_visible_to for a banned author');
update app.users set banned_at = null where username = 'alice';

select is((select finding from private.explain_visibility(test.id('bob'), pg_temp.made('inner')) where not passes),
  'the post requires level 2, and the viewer has 1', 'The failing part says which level is missing');
select is((select string_agg(part, ' ') from private.explain_visibility(test.id('bob'), pg_temp.made('repost')) where not passes),
  'original', 'For a repost, the failing part is the original');
select is((select string_agg(part, ' ') from private.explain_visibility(test.id('bob'), test.id('bob'))), 'post', 'For an unknown post, the failing part is the post');

select test.act_as('alice');
select throws_ok($$ select * from private.explain_visibility(test.id('alice'), test.id('alice')) $$, '42501', null, 'People can''t call explain_visibility');
select throws_ok($$ select * from private.failed_jobs $$, '42501', null, 'People can''t read failed jobs');

select * from finish();
rollback;
