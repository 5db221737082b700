-- Realtime: how SQL sends. Who may listen to a channel is a policy on realtime.messages, in the policies of its feature.
-- Specification: Events › Delivery.

create function private.broadcast(p_topic text, p_event text, p_payload jsonb) returns void
language plpgsql volatile security definer   -- nobody else may insert messages
set search_path = ''
as $$
begin
  perform realtime.send(p_payload, p_event, p_topic, true);
end $$;
comment on function private.broadcast is
  'Sends a message to a private channel once the transaction commits. What does not arrive is lost, and a failure is a mere warning: the payload is ids of rows that the client reads under its own rights.';
