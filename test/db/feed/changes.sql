-- Catching up: who learns of which change.
begin;
select plan(42);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
create temp table begun (cursor text);
grant all on made, begun to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
-- Acts like a commit for the changes, and forgets the changes recorded so far
create function pg_temp.forget() returns void language plpgsql security definer as $$
begin
  set constraints all immediate;
  set constraints all deferred;
  delete from private.changes;
end $$;
-- What the caller has learned since then: names, with a minus for what is gone
create function pg_temp.told() returns text language plpgsql as $$
begin
  set constraints all immediate;
  set constraints all deferred;
  delete from begun;
  insert into begun select private.place_cursor('changes', now() - interval '1 hour', gen_random_uuid());
  return coalesce((
    select string_agg(case when i.item ->> 'gone' = 'true' then '-' else '' end || coalesce(m.name, i.item ->> 'type'), ' ' order by i.place)
    from json_array_elements(api.list_changes((select cursor from begun)) -> 'items') with ordinality i (item, place)
    left join made m on m.id = (i.item ->> 'id')::uuid), '');
end $$;
create function pg_temp.told_to(p_name text) returns text language plpgsql as $$
begin
  perform test.act_as(p_name);
  return pg_temp.told();
end $$;
-- An act by one person, on its own
create function pg_temp.act(p_name text, p_sql text) returns void language plpgsql as $$
begin
  perform pg_temp.forget();
  if p_name is null then perform test.act_as_owner(); else perform test.act_as(p_name); end if;
  execute p_sql;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Alice has Bob in her inner circle and Carla in another
select test.act_as('alice');
select api.add_circle_member((api.create_circle('Close') ->> 'id')::uuid, 'bob', 'inner-circle');
select api.add_circle_member((api.create_circle('Friends') ->> 'id')::uuid, 'carla');
insert into made select n, (api.create_post(n, p_visibility => v) ->> 'id')::uuid
from (values ('open', 'public'), ('closer', 'circles'), ('inner', 'inner')) p (n, v);
insert into made select 'later', (api.create_post('later', p_publish_at => now() + interval '1 day') ->> 'id')::uuid;
select test.act_as('bob');
insert into made select 'reply', (api.create_reply(pg_temp.id('open'), 'x') ->> 'id')::uuid;
insert into made select 'close reply', (api.create_reply(pg_temp.id('inner'), 'x') ->> 'id')::uuid;
select test.act_as_owner();
insert into made select username, person_id from app.users;

select pg_temp.act('alice', $$ insert into made select 'new', (api.create_post('new') ->> 'id')::uuid $$);
select is(pg_temp.told_to('dave'), '', 'New things are not changes');

-- Edits
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('open'), '{"body": "new"}'));
select is(pg_temp.told_to(w), 'open', w || ' learns of the edit of a public post') from unnest('{alice,bob,carla,dave}'::text[]) w;
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('inner'), '{"body": "new"}'));
select is(pg_temp.told_to('bob'), 'inner', 'People in the inner circle learn of the edit of a post for it');
select is(pg_temp.told_to(w), '', w || ', who isn''t in it, learns nothing of the edit') from unnest('{carla,dave}'::text[]) w;
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('open'), '{"body": "new"}'));
select is(pg_temp.told_to('dave'), '', 'An edit that changes nothing is not listed as a change');
select pg_temp.act('alice', format('select api.react(%L, %L)', pg_temp.id('open'), 'heart'));
select is(pg_temp.told_to('dave'), '', 'A reaction is not listed as a change');
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('later'), '{"body": "new"}'));
select is(pg_temp.told_to('alice'), 'later', 'The author learns of the edit of a scheduled post');
select is(pg_temp.told_to('bob'), '', 'Nobody else learns of the edit of a scheduled post');
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('later'), '{"publishAt": null}'));
select is(pg_temp.told_to('alice'), 'later', 'The author learns of the publication');
select is(pg_temp.told_to('bob'), '', 'For others the published post is new');

-- A post that becomes narrower, and an edit after that
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('later'), '{"visibility": "circles"}'));
select is(pg_temp.told_to('carla'), 'later', 'A post for everybody that becomes a post for circles is changed for the people in them');
select is(pg_temp.told_to('dave'), '-later',
  'A post for everybody that becomes a post for circles is gone for strangers');
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('later'), '{"body": "narrow"}'));
select is(pg_temp.told_to('carla'), 'later', 'People in the circles learn of the next edit of that post');
select is(pg_temp.told_to('dave'), '', 'Strangers don''t');
select pg_temp.act('alice', format('select api.update_post(%L, %L)', pg_temp.id('later'), '{"visibility": "public"}'));
select is(pg_temp.told_to('dave'), 'later', 'Everybody learns of a post that is for everybody again');

-- Staff hides a post and a reply, and shows them again
select pg_temp.act(null, format('update app.posts set hidden_at = now() where id = %L', pg_temp.id('open')));
select is(pg_temp.told_to('dave'), '-open', 'A hidden post is gone for others');
select is(pg_temp.told_to('alice'), 'open', 'A hidden post is changed for its author');
select pg_temp.act(null, format('update app.posts set hidden_at = null where id = %L', pg_temp.id('open')));
select is(pg_temp.told_to('dave'), 'open', 'A post that is shown again comes back');
select pg_temp.act(null, format('update app.replies set hidden_at = now() where id = any (array[%L, %L]::uuid[])', pg_temp.id('reply'), pg_temp.id('close reply')));
select is((select string_agg(n, ' ' order by n) from unnest(string_to_array(pg_temp.told_to('alice'), ' ')) n), '-close -reply reply', 'Hidden replies are gone for those who could see them');
select is(pg_temp.told_to('dave'), '-reply', 'The caller doesn''t learn of a reply to a post that they can''t see');
select is((select string_agg(n, ' ' order by n) from unnest(string_to_array(pg_temp.told_to('bob'), ' ')) n), 'close reply reply', 'The author still sees the hidden reply');

-- Deletions
select pg_temp.act('alice', format('select api.delete_post(%L)', pg_temp.id('open')));
select is(pg_temp.told_to(w), '-open', 'A deleted post is gone for ' || w) from unnest('{alice,dave}'::text[]) w;
select pg_temp.act('alice', format('select api.delete_post(%L)', pg_temp.id('closer')));
select is(pg_temp.told_to('carla'), '-closer', 'A deleted post for circles is gone for the people in them');
select is(pg_temp.told_to('dave'), '', 'Strangers don''t learn of the deletion');

-- People learn of a repost if they can see its original
select test.act_as('bob');
insert into made select 'repost', (api.repost(pg_temp.id('later')) ->> 'id')::uuid;
select pg_temp.act('bob', format('select api.delete_post(%L)', pg_temp.id('repost')));
select is(pg_temp.told_to('dave'), '-repost', 'A deleted repost is gone');

-- People
select pg_temp.act('bob', $$ select api.update_me('{"firstName": "Robert"}') $$);
select is(pg_temp.told_to('dave'), 'bob', 'People learn of a changed profile');
select pg_temp.act('bob', $$ select api.note_presence() $$);
select is(pg_temp.told_to('dave'), '', 'Presence is not listed as a change');
select test.act_as('dave');
select api.block_person('bob');
select pg_temp.act('bob', $$ select api.update_me('{"firstName": "Bob"}') $$);
select is(pg_temp.told_to('dave'), '', 'Nobody learns of changes of a person across a block');
select is(pg_temp.told_to('carla'), 'bob', 'Other people learn of these changes');
select pg_temp.act(null, $$ update app.users set banned_at = now() where username = 'bob' $$);
select matches(pg_temp.told_to('carla'), '-bob', 'A banned person is gone');
select pg_temp.act(null, $$ update app.users set banned_at = null where username = 'bob' $$);
select matches(pg_temp.told_to('carla'), '(^| )bob', 'A person whose ban has ended appears again');
select pg_temp.act(null, format('select private.erase_person(%L)', test.id('alice')));
select matches(pg_temp.told_to(w), '-alice', w || ' learns that an erased person is gone') from unnest('{bob,carla,dave}'::text[]) w;

-- Cursors
select test.act_as('bob');
select throws_ok($$ select api.list_changes('x') $$, 'PT400', 'cursor_unknown', 'An unknown cursor is refused');
select throws_ok($$ select api.list_changes(private.place_cursor('changes', now() - interval '30 days 1 second', gen_random_uuid())) $$,
  'PT410', 'sync_too_old', 'A cursor of more than 30 days is refused');
select test.act_as_anon();
select throws_ok('select api.list_changes()', '42501', null, 'Without a token nobody can list changes');

select * from finish();
rollback;
