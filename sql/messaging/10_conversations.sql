-- Conversations and who takes part in them.
-- docs/decisions.md, Realtime.

create table app.conversations (
  id         uuid primary key default gen_random_uuid(),
  kind       text not null check (kind in ('direct', 'group')),
  created_at timestamptz not null default now()
);
comment on table app.conversations is 'A conversation, whose members hear of its messages on the channel '
  'conversation:{id}.';

create table app.conversation_members (
  conversation_id uuid not null references app.conversations on delete cascade,
  user_id         uuid not null references app.users on delete cascade,
  joined_at       timestamptz not null default now(),
  primary key (conversation_id, user_id)
);
create index conversation_members_user_id_idx on app.conversation_members (user_id);
comment on table app.conversation_members is 'Who takes part in a conversation. A person who leaves has no row.';
comment on column app.conversation_members.joined_at is 'When the person came into the conversation.';
