-- Realtime: how SQL sends messages, and who may listen to them. The only policy on realtime.messages is in
-- policies/base.sql.

create table private.realtime_topics (
  prefix   text primary key check (prefix ~ '^[a-z]+(-[a-z]+)*$'),
  audience text not null check (audience ~ '^private\.[a-z_]+$'),
  events   text not null,
  scopes   text[] not null default '{}'
);
comment on table private.realtime_topics is
  'Registry: private channels, named <prefix>:<rest>.';
comment on column private.realtime_topics.audience is
  'A function that takes (rest text) and returns whether the caller may listen to this channel.';
comment on column private.realtime_topics.scopes is
  'The scopes that a token with scopes needs to listen to these channels; it needs all of them. If the column is '
  'null, no such token may listen.';
comment on column private.realtime_topics.events is 'A description of the events and their payloads.';

create function private.may_listen(p_topic text) returns boolean
language plpgsql stable security definer   -- callers may not read the registry; audiences use app.uid()
set search_path = ''
as $$
declare
  v_scopes text[] := private.check_token();
  v_topic  private.realtime_topics;
  v_may    boolean;
begin
  select * into v_topic from private.realtime_topics where prefix = split_part(p_topic, ':', 1);
  if not found or not (v_scopes is null or (v_topic.scopes <> '{}' and v_topic.scopes <@ v_scopes)) then
    return false;
  end if;
  execute format('select %s($1)', v_topic.audience) into v_may using substr(p_topic, strpos(p_topic, ':') + 1);
  return coalesce(v_may, false);
end $$;
comment on function private.may_listen is 'Returns whether the caller may listen to a channel.';

create function private.broadcast(p_topic text, p_event text, p_payload jsonb) returns void
language plpgsql volatile security definer   -- callers may not insert messages
set search_path = ''
as $$
begin
  perform realtime.send(p_payload, p_event, p_topic, true);
end $$;
comment on function private.broadcast is
  'Sends a message to a private channel when the transaction commits. A message may be lost, and a failure is only '
  'a warning. The payload has only ids of rows, which the client reads with its own rights.';

-- When a token ends, the channels that were joined with it must end too. Nobody can join the channel of these
-- messages, because no prefix is registered for it. The embedded gateway reads the messages
-- (supabase/embedded/realtime/tokens.ts); the real server ignores them.
-- docs/decisions.md, Realtime.

create function private.send_live_tokens() returns trigger
language plpgsql security definer   -- callers may not insert messages
set search_path = ''
as $$
begin
  perform private.broadcast('tokens', 'live', jsonb_build_object(
    'sub', new.id, 'from', new.tokens_valid_from,
    'role', case when new.banned_at is null and new.erased_at is null then new.role end));
  return null;
end $$;
comment on function private.send_live_tokens is
  'Trigger: notifies Realtime which tokens of a person are still valid: those with this role (no token at all if '
  'the role is null) that were issued at `from` or later. private.check_caller has the same rule.';
create trigger _195_send_live_tokens after update of role, banned_at, erased_at, tokens_valid_from on app.users
  for each row when ((old.role, old.banned_at is null, old.erased_at is null, old.tokens_valid_from)
                     <> (new.role, new.banned_at is null, new.erased_at is null, new.tokens_valid_from))
  execute function private.send_live_tokens();

create function private.send_revoked_token() returns trigger
language plpgsql security definer   -- callers may not insert messages
set search_path = ''
as $$
begin
  perform private.broadcast('tokens', 'revoked', jsonb_build_object(
    'sub', new.user_id, 'iat', new.issued_at, 'exp', new.expires_at));
  return null;
end $$;
comment on function private.send_revoked_token is 'Trigger: notifies Realtime that a token was revoked.';
create trigger send_revoked_token after insert or update of scopes on private.revoked_tokens
  for each row when (new.scopes is null) execute function private.send_revoked_token();
