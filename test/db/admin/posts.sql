-- Staff hide, unhide and delete posts and replies: who can, what changes, the audit entry, and the author's
-- notification.
begin;
select plan(68);
select test.people('alice', 'bob', 'carla', 'mona');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'mona';

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.entries() returns text language sql stable security definer as $$
  select coalesce(string_agg(concat_ws(' ', u.username, l.action, l.target_type, m.name, d.detail ->> 'reason'), ', ' order by l.id), '')
  from app.audit_log l join app.audit_details d on d.audit_id = l.id join app.users u on u.id = l.actor_id
  join made m on m.id::text = l.target_id $$;
create function pg_temp.notices(p_name text) returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(concat_ws(' ', n.target_type, m.name, n.payload ->> 'action',
                                       case when n.payload = jsonb_build_object('targetType', n.target_type, 'targetId', n.target_id, 'action', n.payload -> 'action')
                                            then 'ok' end), ', ' order by n.created_at, n.group_key, n.payload ->> 'action'), '')
  from app.notifications n join made m on m.id::text = n.target_id
  where n.user_id = test.id(p_name) and n.kind = 'moderation.actioned'
    and not exists (select from app.notification_actors a where a.notification_id = n.id) $$;
create function pg_temp.events(p_like text) returns integer language sql stable security definer as $$
  select count(*)::int from app.domain_events where name like p_like $$;
create function pg_temp.sees(p_person text, p_call text) returns boolean language plpgsql as $$
begin
  perform test.act_as(p_person);
  execute p_call;
  return true;
exception when sqlstate 'PT404' then return false;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two', 'three']) n;
insert into made select 'gone', (api.create_post('gone') ->> 'id')::uuid;
select api.delete_post(pg_temp.id('gone'));
select test.act_as('carla');
insert into made select 'reply', (api.create_reply(pg_temp.id('one'), 'Indeed') ->> 'id')::uuid;

-- Acting as Mona, a moderator
select test.act_as_service('mona');
select is(api.hide_post(pg_temp.id('one'), ' Spam ')::jsonb, jsonb_build_object('id', pg_temp.id('one'), 'hiddenAt', private.utc(now())), 'A moderator can hide a post');
select is(pg_temp.entries(), 'mona post.hidden post one Spam', 'The audit entry has the reason');
select is(pg_temp.notices('bob'), 'post one hidden ok', 'The author is notified, without the moderator''s name');
select is(pg_temp.events('admin.content.moderated'), 1, 'The moderation is an event');
select is(api.hide_post(pg_temp.id('one'), 'Again') ->> 'hiddenAt', private.utc(now()), 'Hiding a hidden post is not an error');
select is(pg_temp.entries(), 'mona post.hidden post one Spam', 'Hiding a hidden post leaves no audit entry');
select is(pg_temp.notices('bob'), 'post one hidden ok', 'Hiding a hidden post sends no notification');
select ok(not pg_temp.sees('carla', format('select api.get_post(%L)', pg_temp.id('one'))), 'Others can''t see a hidden post');
select ok(pg_temp.sees('bob', format('select api.get_post(%L)', pg_temp.id('one'))), 'The author still sees the hidden post');
select test.act_as_service('mona');
select is(api.unhide_post(pg_temp.id('one')) ->> 'hiddenAt', null, 'A moderator can unhide a post');
select is(api.unhide_post(pg_temp.id('one')) ->> 'hiddenAt', null, 'Unhiding a post that is not hidden is not an error');
select is(pg_temp.entries(), 'mona post.hidden post one Spam, mona post.unhidden post one', 'An audit entry may have no reason');
select is(pg_temp.notices('bob'), 'post one hidden ok, post one unhidden ok', 'The author is notified of unhiding too');
select ok(pg_temp.sees('carla', format('select api.get_post(%L)', pg_temp.id('one'))), 'Others see the post again');
select test.act_as_service('mona');
select throws_ok(format('select api.%s(%L)', o, pg_temp.id('gone')), 'PT404', 'post_unknown', o || ' fails for a deleted post')
from unnest(array['hide_post', 'unhide_post']) o;
select throws_ok(format('select api.%s(%L)', o, i), 'PT404', w, o || ' fails for an unknown id')
from unnest(array['hide_post', 'unhide_post', 'hide_reply', 'unhide_reply']) o,
     lateral (values (gen_random_uuid()), (case when o like '%post' then pg_temp.id('reply') else pg_temp.id('one') end)) i (i),
     lateral (values (split_part(o, '_', 2) || '_unknown')) w (w);
select throws_ok(format('select api.hide_post(pg_temp.id(%L), %L)', 'two', repeat('é', 1001)), 'PT422', 'reason_length', 'A reason of more than 1000 characters is refused');
select throws_ok(format('select api.hide_post(pg_temp.id(%L), %L)', 'two', e'Spam\u202e'), 'PT422', 'text_unfit', 'A reason with a character that changes the direction of writing is refused');
select lives_ok(format('select api.hide_post(pg_temp.id(%L), %L)', 'two', ' ' || repeat('é', 1000)), 'A reason of 1000 characters is accepted');
select api.unhide_post(pg_temp.id('two'));

-- Replies
select is(api.hide_reply(pg_temp.id('reply'), 'Rude') ->> 'hiddenAt', private.utc(now()), 'A moderator can hide a reply');
select is(api.hide_reply(pg_temp.id('reply')) ->> 'hiddenAt', private.utc(now()), 'Hiding a hidden reply is not an error');
select is(pg_temp.notices('carla'), 'reply reply hidden ok', 'The author of the reply is notified');
select is(pg_temp.entries() like '%, mona reply.hidden reply reply Rude', true, 'The audit entry has the reason for hiding the reply');
select test.act_as('bob');
select is(api.get_post(pg_temp.id('one')) #>> '{counters,replies}', '0', 'A hidden reply is not counted');
select is(json_array_length(api.list_replies(pg_temp.id('one')) -> 'items'), 0, 'A hidden reply is not listed');
select test.act_as_service('mona');
select is(api.unhide_reply(pg_temp.id('reply')) ->> 'hiddenAt', null, 'A moderator can unhide a reply');
select test.act_as('bob');
select is(api.get_post(pg_temp.id('one')) #>> '{counters,replies}', '1', 'An unhidden reply is counted again');
select test.act_as_owner();
update app.replies set deleted_at = now() where id = pg_temp.id('reply');
select test.act_as_service('mona');
select throws_ok(format('select api.%s(%L)', o, pg_temp.id('reply')), 'PT404', 'reply_unknown', o || ' fails for a deleted reply')
from unnest(array['hide_reply', 'unhide_reply']) o;
select is(pg_temp.notices('carla'), 'reply reply hidden ok, reply reply unhidden ok', 'Failed calls notify nobody');

-- Only admins can delete
select test.act_as_service('mona');
select throws_ok($$ select api.remove_post(pg_temp.id('two')) $$, 'PT403', 'role_required', 'A moderator can''t delete a post');
select throws_ok($$ select api.remove_post(gen_random_uuid()) $$, 'PT403', 'role_required', 'The role is checked before the id');

-- Acting as Alice, an admin
select test.act_as('bob');
select api.pin_post(pg_temp.id('two'));
select test.act_as_service('alice');
select is(pg_temp.events('posts.post.deleted'), 1, 'The deletion by the author is one event');
select ok(api.remove_post(pg_temp.id('two'), 'Unlawful') is null, 'An admin can delete a post');
select ok(api.remove_post(pg_temp.id('two')) is null, 'Deleting a deleted post is not an error');
select ok(api.remove_post(pg_temp.id('gone')) is null, 'Deleting a post that its author deleted is not an error');
select is(pg_temp.events('posts.post.deleted'), 2, 'Only the first deletion is an event');
select is(pg_temp.entries() like '%, alice post.deleted post two Unlawful', true, 'An audit entry records the deletion');
select is(pg_temp.notices('bob') like '%post two deleted ok%', true, 'The author is notified of the deletion');
select throws_ok($$ select api.remove_post(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be deleted');
select throws_ok(format('select api.remove_post(pg_temp.id(%L), %L)', 'three', repeat('é', 1001)), 'PT422', 'reason_length', 'A reason of more than 1000 characters is refused for a deletion');
select ok(not pg_temp.sees('bob', format('select api.get_post(%L)', pg_temp.id('two'))), 'The author can''t see the deleted post');
select ok(pg_temp.sees('bob', format('select api.get_post(%L)', pg_temp.id('three'))), 'A post whose deletion was refused is still there');
select test.act_as_owner();
select ok((select deleted_at = now() and pinned_at is not null from app.posts where id = pg_temp.id('two')), 'A deleted post keeps its pin in the table');
select test.act_as_service('alice');
select is(api.hide_post(pg_temp.id('three')) ->> 'hiddenAt', private.utc(now()), 'An admin can hide a post like a moderator');

-- Staff can't unhide what they wrote themselves
select test.act_as('alice');
insert into made values ('own', (api.create_post('own') ->> 'id')::uuid), ('own reply', (api.create_reply(pg_temp.id('one'), 'own') ->> 'id')::uuid);
select test.act_as_service('mona');
select api.hide_post(pg_temp.id('own')), api.hide_reply(pg_temp.id('own reply'));
select test.act_as_service('alice');
select throws_ok($$ select api.unhide_post(pg_temp.id('own')) $$, 'PT403', 'moderate_own', 'An admin can''t unhide their own post');
select throws_ok($$ select api.unhide_reply(pg_temp.id('own reply')) $$, 'PT403', 'moderate_own', 'An admin can''t unhide their own reply');
select test.act_as_service('mona');
select is(api.unhide_post(pg_temp.id('own')) ->> 'hiddenAt', null, 'Another member of staff can unhide it');

-- Acting as everyone else
select test.act_as_service('bob');
select throws_ok(format('select api.%s(%L)', o, pg_temp.id('three')), 'PT403', 'role_required', 'A user can''t call ' || o)
from unnest(array['hide_post', 'unhide_post', 'remove_post', 'hide_reply', 'unhide_reply']) o;
select test.act_as('alice');
select throws_ok(format('select api.%s(%L)', o, pg_temp.id('three')), '42501', null, 'An admin''s own token can''t call ' || o || ' over .rpc()')
from unnest(array['hide_post', 'unhide_post', 'remove_post', 'hide_reply', 'unhide_reply']) o;
select test.act_as_anon();
select throws_ok($$ select api.hide_post(pg_temp.id('three')) $$, '42501', null, 'An anonymous caller can''t hide a post');

-- An erasure deletes the reasons
select test.act_as_owner();
update app.users set erased_at = now() where id = test.id('bob');
select is((select string_agg(d.detail ->> 'reason', ' ') from app.audit_details d join app.audit_log l on l.id = d.audit_id where l.target_type in ('post', 'reply')),
  'Rude', 'After an erasure only the reasons about other people are left');

select * from finish();
rollback;
