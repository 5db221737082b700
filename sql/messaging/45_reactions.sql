-- Reactions to messages. They consist only of emoji, so that nobody can use them to write to a person who has blocked
-- them. docs/decisions.md, Messaging.

create function private.require_emoji(p_emoji text) returns text
language plpgsql stable security definer   -- people may not read private.emoji
set search_path = ''
as $$
declare
  v_rest  text := translate(private.trimmed(p_emoji), U&'\FE0F', '');
  v_emoji text := '';
  v_next  private.emoji;
begin
  for v_n in 1..8 loop
    -- take the longest match, because a thumb with a skin tone is one emoji
    select e.* into v_next
    from generate_series(least(9, length(v_rest)), 1, -1) as l (length)
    join private.emoji e on e.bare = left(v_rest, l.length)
    order by l.length desc limit 1;
    exit when not found;
    v_emoji := v_emoji || v_next.emoji;
    v_rest := substr(v_rest, length(v_next.bare) + 1);
    if v_rest = '' then
      return v_emoji;
    end if;
  end loop;
  perform private.raise_error('message_emoji');
end $$;
comment on function private.require_emoji is
  'Returns a reaction as it is stored, with each emoji in the form that Unicode recommends. Fails if it is not 1 to '
  '8 emoji.';

create function private.add_message_reaction(p_id uuid, p_emoji text) returns void
language plpgsql volatile security definer   -- callers may not write reactions
set search_path = ''
as $$
declare
  v_message app.messages := private.lock_message(p_id);   -- lock, so that concurrent calls don't exceed the limit
  v_talk    app.conversations := private.require_member(v_message.conversation_id);
  v_seen    text[];
begin
  perform private.check_open(v_talk);
  if private.is_tombstone(v_message) then
    perform private.raise_error('message_deleted');
  end if;
  -- count only reactions that the caller sees, because an error must not reveal hidden ones
  v_seen := array(select distinct r.emoji from app.message_reactions r
                  where r.message_id = p_id and private.sees_in(v_talk.kind = 'direct', app.uid(), r.user_id));
  if p_emoji <> all (v_seen) and cardinality(v_seen) >= 20 then
    perform private.raise_error('message_emojis_exhausted');
  end if;
  insert into app.message_reactions (message_id, emoji, user_id) values (p_id, p_emoji, app.uid())
  on conflict do nothing;
  if found then
    update app.messages set changed_at = clock_timestamp() where id = p_id;
    perform private.broadcast('conversation:' || v_message.conversation_id, 'reaction',
                              jsonb_build_object('id', p_id));
  end if;
end $$;
comment on function private.add_message_reaction is 'Adds the caller''s reaction to a message.';

create function api.react_to_message(p_id uuid, p_emoji text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('reactions');
  perform private.add_message_reaction(p_id, private.require_emoji(p_emoji));
  return private.require_message_card(p_id);
end $$;
comment on function api.react_to_message is 'Reacts to a message; repeating it changes nothing. Returns the card.';

create function private.remove_message_reaction(p_id uuid, p_emoji text) returns void
language plpgsql volatile security definer   -- callers may not write reactions
set search_path = ''
as $$
declare
  v_conversation uuid;
begin
  -- works even if the caller can no longer see the message but is still in the conversation
  select m.conversation_id into v_conversation
  from app.messages m
  join app.conversation_members c on c.conversation_id = m.conversation_id and c.user_id = app.uid()
  where m.id = p_id for no key update of m;
  delete from app.message_reactions
  where message_id = p_id and emoji = p_emoji and user_id = app.uid() and v_conversation is not null;
  if found then
    update app.messages set changed_at = clock_timestamp() where id = p_id;
    perform private.broadcast('conversation:' || v_conversation, 'reaction', jsonb_build_object('id', p_id));
  end if;
end $$;
comment on function private.remove_message_reaction is
  'Takes the caller''s reaction back, if there is one.';

create function api.unreact_to_message(p_id uuid, p_emoji text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_message_reaction(p_id, private.require_emoji(p_emoji));
  if (private.find_message(p_id)).id is null then
    return private.error_response('message_unknown');   -- the reaction is removed, but the message is not shown
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.unreact_to_message is
  'Takes the caller''s reaction back; repeating it changes nothing. It also works on a message that the caller can '
  'no longer see, but then the response is the same as for a message that does not exist.';
