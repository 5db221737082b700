-- What staff sees of mana.
begin;
select plan(20);
select test.people('alice', 'bob', 'carla', 'dan', 'erin');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'bob';
create function pg_temp.walked(p_call text) returns text[] language plpgsql as $$
declare
  v_page json;
  v_ids  text[] := '{}';
begin
  loop
    execute format(p_call, v_page ->> 'nextCursor') into v_page;
    v_ids := v_ids || (v_page #>> '{items,0,id}');
    exit when not (v_page ->> 'hasMore')::boolean;
  end loop;
  return v_ids;
end $$;
create temporary table made (name text primary key, id uuid);
grant all on made to public;
grant execute on all functions in schema pg_temp to public;

-- Erin wrote with Dan (30 %); Carla pays for it
select test.act_as('erin');
insert into made select 'post', (api.create_post('Ours') ->> 'id')::uuid;
select test.act_as_owner();
insert into app.post_co_authors (post_id, user_id, split_share, status)
select id, test.id('dan'), 30, 'accepted' from made where name = 'post';
select test.act_as('carla');
insert into made select 'payment', (api.pay('love', 2, p_post_id => (select id from made)) #>> '{payment,id}')::uuid;
insert into made select 'other', (api.pay('joy', 0, p_receiver_id => 'dan') #>> '{payment,id}')::uuid;

-- Acting as Bob, a moderator
select test.act_as_service('bob');
select is((api.list_wallets() #>> '{items,0,id}')::uuid,
  (select id from app.mana_accounts where kind = 'wallet' order by created_at desc, id desc limit 1), 'moderators read the wallets');
select is(
  (select array_agg(id::text order by created_at desc, id desc) from app.mana_accounts where kind = 'wallet'),
  pg_temp.walked('select api.list_wallets(p_limit => 1, p_cursor => %L)'), 'page by page, each once, the newest first');
select results_eq($$ select i::jsonb - 'createdAt' - 'lastRegenAt' from json_array_elements(api.list_wallets('carla') -> 'items') i $$,
  $$ select jsonb_build_object('id', test.id('carla'), 'user', p.card, 'balance', 39, 'lifetimeEarned', 50, 'lifetimeSpent', 11)
     from app.person_card p where p.id = test.id('carla') $$, 'or the one of a person');
select is(json_array_length(api.list_wallets(test.id('carla')::text) -> 'items'), 1, 'by UUID too');
select is(json_array_length(api.list_wallets('carla', p_cursor => test.id('carla')::text) -> 'items'), 0, 'behind which there is none');
select throws_ok($$ select api.list_wallets('nobody') $$, 'PT404', 'person_unknown', 'of nobody there is none');
select throws_ok($$ select api.list_wallets(p_cursor => '00000000-0000-0000-0000-00000000000a') $$, 'PT400', 'cursor_unknown', 'and the mint is no wallet');
select throws_ok($$ select api.list_wallets(p_limit => 51) $$, 'PT422', 'limit_out_of_range', 'a page has 50 at most');

select is(pg_temp.walked('select api.list_all_payments(p_limit => 1, p_cursor => %L)'),
  array(select id::text from app.payments order by created_at desc, id desc), 'and all payments, newest first');
select results_eq(
  $$ select i::jsonb - '{sender,receiver,createdAt}'::text[] from json_array_elements(api.list_all_payments() -> 'items') i
     where i ->> 'tier' = '2' $$,
  $$ select jsonb_build_object('id', m.id, 'senderId', test.id('carla'), 'receiverId', test.id('erin'), 'emotion', 'love', 'tier', 2,
       'amount', 10, 'splits', jsonb_build_array(jsonb_build_object('receiverId', test.id('erin'), 'amount', 7),
                                                 jsonb_build_object('receiverId', test.id('dan'), 'amount', 3)),
       'postId', post.id, 'replyId', null, 'reversed', false, 'reversalOf', null, 'reversedBy', null)
     from made m, made post where m.name = 'payment' and post.name = 'post' $$, 'whole');
select is(json_array_length(api.list_all_payments('dan') -> 'items'), 2, 'those of somebody who got a share');
select is(json_array_length(api.list_all_payments('erin') -> 'items'), 1, 'who was paid');
select is(json_array_length(api.list_all_payments('carla') -> 'items'), 2, 'or who paid');
select is(json_array_length(api.list_all_payments('alice') -> 'items'), 0, 'or none');
select throws_ok($$ select api.list_all_payments('nobody') $$, 'PT404', 'person_unknown', 'of nobody');
select throws_ok($$ select api.list_all_payments(p_cursor => gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'behind nothing');

-- Who is banned or erased stays in the books
select test.act_as_owner();
update app.users set banned_at = now() where username = 'dan';
select private.erase_person(test.id('erin'));
select test.act_as_service('bob');
select is(json_array_length(api.list_all_payments() -> 'items'), 2, 'the books stay whole');

-- Acting as others
select test.act_as_service('carla');
select throws_ok($$ select api.list_wallets() $$, 'PT403', 'role_required', 'it is for staff');
select throws_ok($$ select api.list_all_payments() $$, 'PT403', 'role_required', 'both of it');
select test.act_as('alice');
select throws_ok($$ select api.list_all_payments() $$, '42501', null, 'through the staff''s door alone');

select * from finish();
rollback;
