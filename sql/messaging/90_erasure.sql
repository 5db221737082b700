-- How an erasure changes conversations, and which columns are personal data. See sql/base/90_erasure.sql for how an
-- erasure runs. docs/decisions.md, Erasure and export; Messaging.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.conversation_members', 'user_id', 'conversations', '{latest_at,last_read_number}'),
  ('app.messages', 'sender_id', 'messages', '{number,changed_at}'),
  ('app.message_reactions', 'user_id', 'messageReactions', '{}');
insert into private.personal_data (relation, person_column, reason) values
  ('app.conversations', 'one_id', 'The memberships say who takes part.'),
  ('app.conversations', 'other_id', 'The memberships say who takes part.'),
  ('app.conversation_spans', 'user_id', 'Positions in conversations; conversations and messages have the same data.'),
  ('app.reports', 'copy', 'A copy of a reported message; the sender''s export has the message.');

create function private.erase_messages(p_user uuid) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
declare
  v_erased integer;
  v_copies integer;
begin
  update app.messages
  set deleted_at = now(), changed_at = clock_timestamp(), body = null, asset_id = null, alt = null, reply_to_id = null
  where id = any (array(select m.id from app.messages m
                        where m.sender_id = p_user and m.deleted_at is null limit 500));
  get diagnostics v_erased = row_count;
  update app.reports set copy = copy - 'body' - 'alt'
  where id = any (array(select r.id from app.reports r
                        where r.copy ->> 'senderId' = p_user::text and r.copy ? 'body' limit 500));
  get diagnostics v_copies = row_count;
  if v_erased = 500 or v_copies = 500 then
    perform private.erase_rest(p_user);
  end if;
end $$;
comment on function private.erase_messages is
  'Makes up to 500 messages of an erased person tombstones, and deletes the words of their messages from up to 500 '
  'reports.';
call private.force_index_scans('private.erase_messages');

create function private.erase_conversations(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ids uuid[] := array(select conversation_id from app.conversation_members where user_id = p_user.id
                        order by conversation_id limit 500);
  v_id  uuid;
begin
  foreach v_id in array v_ids loop
    -- lock conversations in order of id: ARCHITECTURE.md, Locks
    perform from app.conversations where id = v_id for no key update;
    perform private.end_membership(v_id, p_user.id, null);
  end loop;
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
  perform private.erase_rows(p_user.id, 'app.conversation_spans', 'user_id = $1');
  perform private.erase_messages(p_user.id);
end $$;
comment on function private.erase_conversations is
  'Step: removes an erased person from every conversation and makes their messages tombstones, 500 conversations '
  'and 500 messages at a time. The longest-standing member becomes the owner of each group that the person owned.';
call private.force_index_scans('private.erase_conversations');
insert into private.account_steps (step, events, position) values
  ('private.erase_conversations', '{erasure}', 168);
