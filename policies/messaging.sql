-- Who may see and hear conversations. Twin of sql/messaging/.

-- conversations
alter table app.conversations enable row level security;
grant select on app.conversations to authenticated;
create policy select_member on app.conversations for select to authenticated
  using (id in (select m.conversation_id from app.conversation_members m where m.user_id = (select app.uid())));
comment on policy select_member on app.conversations is 'Members see their conversations.';

-- conversation_members
alter table app.conversation_members enable row level security;
grant select on app.conversation_members to authenticated;
create policy select_own on app.conversation_members for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.conversation_members is
  'People see their own memberships, which other policies probe.';
