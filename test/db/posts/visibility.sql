-- Who sees what: every kind of viewer and every kind of post, by rows, operations and the predicate.
begin;
select plan(126);
select test.people('alice', 'stranger', 'member', 'inner', 'former', 'blocked', 'blocker', 'nina');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;

-- The names of the posts of which a person sees a row in this table
create function pg_temp.rows(p_person text, p_table text) returns text language plpgsql as $$
declare v_names text;
begin
  perform test.act_as(p_person);
  execute format('select string_agg(m.name, '' '' order by m.name) from made m where m.id in (select %I from app.%I)',
                 case p_table when 'posts' then 'id' else 'post_id' end, p_table) into v_names;
  return coalesce(v_names, '');
end $$;

-- The names of the posts for which an operation succeeds for a person. For all others the operation must fail with
-- post_unknown
create function pg_temp.reached(p_person text, p_call text) returns text language plpgsql as $$
declare
  v_post   made;
  v_answer json;
  v_names  text := '';
begin
  perform test.act_as(p_person);
  for v_post in select * from made order by name loop
    begin
      execute format(p_call, v_post.id) into v_answer;
      continue when v_answer ->> 'message' = 'post_unknown';   -- an error response that commits what was taken back
      v_names := v_names || ' ' || v_post.name;
    exception when sqlstate 'PT404' then
      if sqlerrm <> 'post_unknown' then v_names := v_names || ' ' || v_post.name || ':' || sqlerrm; end if;
    end;
  end loop;
  return btrim(v_names);
end $$;

create function pg_temp.feed(p_person text) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  return coalesce((select string_agg(m.name, ' ' order by m.name)
                   from json_array_elements(api.list_feed(p_limit => 50) -> 'items') i join made m on m.id = (i ->> 'id')::uuid), '');
end $$;

create function pg_temp.told(p_person text) returns text language sql security definer as $$
  select coalesce(string_agg(name, ' ' order by name), '') from made where private.post_visible_to(id, test.id(p_person)) $$;

-- What one person sees by rows, operations and the predicate
create function pg_temp.sees(p_person text, p_posts text, p_feed text, p_as text) returns setof text language plpgsql as $$
declare v record;
begin
  for v in select * from unnest(array['posts', 'post_interests', 'post_counters', 'post_emotions', 'replies']) t loop
    return next is(pg_temp.rows(p_person, v.t), p_posts, p_as || ' sees the right rows of ' || v.t);
  end loop;
  for v in select * from unnest(array['get_post(%L)', 'list_replies(%L)', 'create_reply(%L, ''x'')',
                                      'react(%L, ''heart'')', 'unreact(%L, ''spark'')', 'react(%L, ''spark'')']) c loop
    return next is(pg_temp.reached(p_person, 'select api.' || v.c), p_posts, p_as || ' gets the right answers from ' || v.c);
  end loop;
  return next is(pg_temp.feed(p_person), p_feed, p_as || ' has the right feed');
  return next is(pg_temp.told(p_person), p_posts, p_as || ' sees the same by the predicate');
end $$;
grant execute on all functions in schema pg_temp to public;

-- Alice, her circles and her posts
select test.act_as('alice');
select api.create_circle('Friends', 'inner');   -- the kind of circle grants nothing
select api.create_circle('Second');
create function pg_temp.circle(p_name text) returns uuid language sql as $$ select id from app.circles where name = p_name $$;
grant execute on function pg_temp.circle to public;
select api.add_circle_member(pg_temp.circle('Friends'), p) from unnest(array['member', 'inner', 'former']) p;
select api.add_circle_member(pg_temp.circle('Second'), 'inner', 'inner-circle');
select api.add_circle_member(pg_temp.circle('Friends'), 'blocked', 'inner-circle');
select api.add_circle_member(pg_temp.circle('Friends'), 'blocker', 'inner-circle');
select api.set_bond_level(pg_temp.circle('Friends'), 'former', 'inner-circle');
insert into made select v, (api.create_post(v, p_visibility => v,
  p_interest_id => (select id from app.interests order by slug limit 1)) ->> 'id')::uuid
from unnest(array['public', 'circles', 'inner']) v;
insert into made select v, (api.create_post(v, p_interest_id => (select id from app.interests order by slug limit 1)) ->> 'id')::uuid
from unnest(array['hidden', 'deleted']) v;

-- For each post: a reply by Nina, everyone's reaction, the total of a payment
select test.act_as_owner();
insert into app.replies (post_id, author_id, body) select id, test.id('nina'), 'Indeed' from made;
insert into app.reactions (post_id, user_id, kind) select m.id, u.id, 'spark' from made m, app.users u where u.role = 'user';
insert into app.post_emotions (post_id, emotion, payments, mana) select id, 'love', 1, 1 from made;
update app.posts set hidden_at = now() where id = pg_temp.id('hidden');
update app.posts set deleted_at = now() where id = pg_temp.id('deleted');
select test.act_as('alice');
select api.remove_circle_member(pg_temp.circle('Friends'), 'former');
select api.block_person('blocked');
select test.act_as('blocker');
select api.block_person('alice');

select pg_temp.sees('stranger', 'public', 'public', 'A stranger');
select pg_temp.sees('member', 'circles public', 'circles public', 'A member');
select pg_temp.sees('inner', 'circles inner public', 'circles inner public', 'A member of the inner circle');
select pg_temp.sees('former', 'public', 'public', 'A former member');
select pg_temp.sees('blocked', '', '', 'A person blocked by the author');
select pg_temp.sees('blocker', '', '', 'A person who blocked the author');
select pg_temp.sees('alice', 'circles hidden inner public', 'circles inner public', 'The author');

-- The rule by itself, for rows of Alice's that require the levels 0 to 4
select test.act_as_owner();
select is((select string_agg(v.is_visible::int::text, '' order by r)
           from generate_series(0, 4) r
           cross join lateral private.visibility(test.id('alice'), r, p_viewer => test.id(p)) v), e,
  format('For the levels everyone, circles, inner, author and nobody, the visibility to %s is %s', p, e))
from (values ('blocked', '00000'), ('blocker', '00000'), ('stranger', '10000'), ('member', '11000'), ('inner', '11100'),
             ('alice', '11110')) as t (p, e);
select is((select array[v.is_inside, v.is_addressed, v.is_visible]
           from private.visibility(test.id('alice'), 0, gen_random_uuid(), p_viewer => test.id('inner')) v),
  '{f,f,f}', 'A person who is not a member of the space sees nothing in it, at any level');

-- Nobody sees other people's reactions
select test.act_as('alice');
select is((select count(*) from app.reactions where user_id <> test.id('alice'))::int, 0, 'The author doesn''t see other people''s reactions');
select is(api.get_post(pg_temp.id('hidden')) ->> 'hiddenAt' is not null, true, 'The author sees that a post is hidden');

-- Hidden and unhidden
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('circles');
select is(pg_temp.rows('member', 'posts'), 'public', 'A hidden circle post disappears for members');
select is(pg_temp.rows('alice', 'posts'), 'circles hidden inner public', 'The author still sees a hidden circle post');
select test.act_as_owner();
update app.posts set hidden_at = null where id in (select id from made);
select is(pg_temp.rows('member', 'posts'), 'circles hidden public', 'An unhidden circle post is visible to members again');
select is(pg_temp.rows('stranger', 'posts'), 'hidden public', 'An unhidden post is visible only to people who may see it');
select test.act_as_owner();
update app.posts set hidden_at = now(), deleted_at = now() where id = pg_temp.id('hidden');
select is(pg_temp.rows('alice', 'posts'), 'circles inner public', 'A deleted post disappears for its author too');

-- A ban and its end
select test.act_as_owner();
update app.users set banned_at = now() where id = test.id('alice');
select is(pg_temp.rows(p, 'posts'), '', 'A banned author''s posts are hidden from: ' || p)
from unnest(array['stranger', 'member', 'inner', 'alice']) p;
select is(pg_temp.feed('inner'), '', 'A banned author''s posts are not in the feed');
select is(pg_temp.told('inner'), '', 'The predicate agrees for a banned author');
select is(pg_temp.reached('inner', 'select api.list_replies(%L)'), '', 'Replies to a banned author''s posts are hidden with them');
select test.act_as_owner();
update app.users set banned_at = null where id = test.id('alice');
select is(pg_temp.rows('inner', 'posts'), 'circles inner public', 'After the ban the posts are visible again');
select is(pg_temp.rows('stranger', 'posts'), 'public', 'After the ban a stranger sees only public posts');

-- Unblocked
select test.act_as('alice');
select api.unblock_person('blocked');
select test.act_as('blocker');
select api.unblock_person('alice');
select is(pg_temp.feed('blocked'), 'circles inner public', 'After unblocking, the person sees again what their membership allows');
select is(pg_temp.feed('blocker'), 'circles inner public', 'A person who unblocked the author sees the posts again too');

-- A circle is deleted, and its member stays in another one
select test.act_as('alice');
select api.delete_circle(pg_temp.circle('Second'));
select is(pg_temp.rows('inner', 'posts'), 'circles public', 'If a circle is deleted, the lower bond level of another one counts');
select api.set_bond_level(pg_temp.circle('Friends'), 'inner', 'inner-circle') from test.act_as('alice');
select is(pg_temp.rows('inner', 'posts'), 'circles inner public', 'A higher bond level shows the post for the inner circle again');

-- A space: only its members see its posts, which a block still hides
select test.act_as_owner();
insert into app.spaces (id, kind, slug, name) values ('00000000-0000-4000-8000-000000000001', 'group', 'the-space', 'x');
insert into app.space_members (space_id, user_id)
select '00000000-0000-4000-8000-000000000001', test.id(p) from unnest(array['alice', 'stranger', 'blocked']) p;
update app.posts set space_id = '00000000-0000-4000-8000-000000000001', visibility = 'public' where id in (pg_temp.id('inner'), pg_temp.id('public'));
select is(pg_temp.rows('stranger', 'posts'), 'inner public', 'Members of a space see what is posted in it');
select is(pg_temp.told('stranger'), 'inner public', 'For a member of the space, the predicate agrees');
select is(pg_temp.rows('inner', 'posts'), 'circles', 'A non-member doesn''t see what is posted in a space, whatever their bond level');
select is(pg_temp.told('inner'), 'circles', 'For a non-member of the space, the predicate agrees');
select test.act_as('alice');
select api.block_person('blocked');
select is(pg_temp.rows('blocked', 'posts'), '', 'Across a block a space shows nothing');
select is(pg_temp.told('blocked'), '', 'Across a block in a space, the predicate agrees');
select is(pg_temp.rows('alice', 'posts'), 'circles inner public', 'The author sees their own posts in the space');
select test.act_as_owner();
select is(private.post_visible_to(gen_random_uuid(), test.id('alice')), null, 'For an unknown post the predicate is null');

select * from finish();
rollback;
