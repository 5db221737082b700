-- What erasure does to conversations, and where personal data is in them. How erasure runs: sql/base/90_erasure.sql.

insert into private.personal_data (relation, person_column, section) values
  ('app.conversation_members', 'user_id', 'conversations');

create function private.erase_conversations() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  delete from app.conversation_members where user_id = new.id;
  return null;
end $$;
comment on function private.erase_conversations is 'Trigger: an erased person leaves every conversation.';
call private.make_walk('private.erase_conversations');
create trigger _180_erase_conversations after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_conversations();
