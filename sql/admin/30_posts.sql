-- How staff hides posts and replies, shows them again and deletes them.
-- docs/decisions.md, Staff.

insert into private.event_types (name, payload, happens) values
  ('admin.content.moderated', '{targetType,targetId,action,authorId}',
   'staff has hidden, shown again or deleted a post or a reply, removed or restored a content, deleted a circle, '
   'revoked an invite code, settled a report (`authorId` is the reporter), archived or restored a group or guild, or '
   'decided about a member of one');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('admin.content.moderated', 'moderation', 'targetId', '{targetType,targetId,action}', '{}');

insert into private.errors (code, status, text) values
  ('reason_length', 422, 'A reason can have at most 1000 characters. It is required for a ban and a reversal.'),
  ('moderate_own', 403, 'This is about you or about what you wrote, so somebody else must decide it.');

create function private.refuse_own(p_type text, p_id uuid, p_author uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if private.is_own_thing(p_type, p_id, p_author) then
    perform private.raise_error('moderate_own');
  end if;
end $$;
comment on function private.refuse_own is
  'Passes unless the caller is responsible for this thing (private.is_own_thing). Nobody, not even an admin, may '
  'undo a decision of staff about their own things.';

create function private.find_reason(p_reason text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_reason text := nullif(private.require_text(p_reason), '');
begin
  if length(v_reason) > 1000 then
    perform private.raise_error('reason_length');
  end if;
  return v_reason;
end $$;
comment on function private.find_reason is
  'Returns a reason in the form in which it is stored; null if there is none.';

create function private.emit_moderation(p_type text, p_id uuid, p_action text, p_author uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.emit('admin.content.moderated', json_build_object(
    'targetType', p_type, 'targetId', p_id, 'action', p_action, 'authorId', p_author), array[p_author]);
end $$;
comment on function private.emit_moderation is
  'Notifies the person concerned of what staff did, but not of the person who did it.';

create function private.record_moderation(p_type text, p_id uuid, p_action text, p_author uuid, p_reason text)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text := private.find_reason(p_reason);
begin
  perform private.emit_moderation(p_type, p_id, p_action, p_author);
  perform private.audit(p_type || '.' || p_action, p_type, p_id::text,
                        case when v_reason is not null then json_build_object('reason', v_reason) end, p_author);
end $$;
comment on function private.record_moderation is
  'Records what staff did about content: it notifies the author, and writes an audit entry that says who did it and '
  'why.';

create table private.other_hiders (
  query text primary key
);
comment on table private.other_hiders is
  'Registry: queries that return whether a hidden thing (type $1, id $2) was hidden by somebody other than staff. '
  'If staff then hides it, too, that is a decision of staff, although the thing does not change.';

create function private.takes_over(p_type text, p_id uuid, p_hides boolean) returns boolean
language plpgsql volatile security definer   -- reads the registry
set search_path = ''
as $$
declare
  v_query text;
  v_found boolean := false;
begin
  if p_hides then
    for v_query in select query from private.other_hiders order by query loop
      execute v_query into v_found using p_type, p_id;   -- safe: the query comes from the registry
      exit when v_found;
    end loop;
  end if;
  return v_found;
end $$;
comment on function private.takes_over is
  'Returns whether staff takes over a hidden thing from a rule or a space by hiding it, too: private.other_hiders.';

create function private.write_post_hidden(p_id uuid, p_hidden boolean, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post app.posts;
begin
  perform private.check_lock_order('post');
  select * into v_post from app.posts where id = p_id and deleted_at is null for update;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  if (v_post.hidden_at is not null) <> p_hidden then
    update app.posts set hidden_at = case when p_hidden then now() end
    where id = p_id
    returning hidden_at into v_post.hidden_at;
    perform private.record_moderation('post', p_id, case when p_hidden then 'hidden' else 'unhidden' end,
                                      v_post.author_id, p_reason);
  elsif private.takes_over('post', p_id, p_hidden) then
    perform private.record_moderation('post', p_id, 'hidden', v_post.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_post.hidden_at));
end $$;
comment on function private.write_post_hidden is
  'Hides a post or shows it again: {id, hiddenAt}. Repeating it changes nothing and leaves no audit entry, unless '
  'staff hides what others have hidden (private.takes_over); a deleted post is unknown. Its callers check the right '
  'to do so.';

create function private.set_post_hidden(p_id uuid, p_hidden boolean, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden then
    perform private.refuse_own('post', p_id, (select author_id from app.posts where id = p_id));
  end if;
  return private.write_post_hidden(p_id, p_hidden, p_reason);
end $$;
comment on function private.set_post_hidden is
  'Does the same as private.write_post_hidden, for staff. Nobody can show again what they wrote themselves.';

create function private.write_reply_hidden(p_id uuid, p_hidden boolean, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reply app.replies;
begin
  -- lock the counters before the reply: ARCHITECTURE.md, Locks
  perform private.lock_counters(array(select post_id from app.replies where id = p_id));
  perform private.check_lock_order('post');
  select * into v_reply from app.replies where id = p_id and deleted_at is null for update;
  if not found then
    perform private.raise_error('reply_unknown');
  end if;
  if (v_reply.hidden_at is not null) <> p_hidden then
    update app.replies set hidden_at = case when p_hidden then now() end
    where id = p_id
    returning hidden_at into v_reply.hidden_at;
    perform private.record_moderation('reply', p_id, case when p_hidden then 'hidden' else 'unhidden' end,
                                      v_reply.author_id, p_reason);
  elsif private.takes_over('reply', p_id, p_hidden) then
    perform private.record_moderation('reply', p_id, 'hidden', v_reply.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_reply.hidden_at));
end $$;
comment on function private.write_reply_hidden is
  'Does the same as private.write_post_hidden, for a reply.';

create function private.set_reply_hidden(p_id uuid, p_hidden boolean, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden then
    perform private.refuse_own('reply', p_id, (select author_id from app.replies where id = p_id));
  end if;
  return private.write_reply_hidden(p_id, p_hidden, p_reason);
end $$;
comment on function private.set_reply_hidden is
  'Does the same as private.write_reply_hidden, for staff. Nobody can show again what they wrote themselves.';

create function api.hide_post(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_post_hidden(p_id, true, p_reason); end $$;
comment on function api.hide_post is
  'Hides a post from everyone except its author: {id, hiddenAt}. Repeating it changes nothing. Leaves an audit entry.';

create function api.unhide_post(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_post_hidden(p_id, false, p_reason); end $$;
comment on function api.unhide_post is
  'Shows a hidden post again: {id, hiddenAt}. Repeating it changes nothing. Leaves an audit entry.';

create function api.hide_reply(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_reply_hidden(p_id, true, p_reason); end $$;
comment on function api.hide_reply is
  'Hides a reply from everyone except its author: {id, hiddenAt}. Repeating it changes nothing. Leaves an audit '
  'entry.';

create function api.unhide_reply(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_reply_hidden(p_id, false, p_reason); end $$;
comment on function api.unhide_reply is
  'Shows a hidden reply again: {id, hiddenAt}. Repeating it changes nothing. Leaves an audit entry.';

create function api.remove_post(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_author uuid;
begin
  perform private.require_role('admin');
  v_author := private.delete_post(p_id);
  if v_author is not null then
    perform private.record_moderation('post', p_id, 'deleted', v_author, p_reason);
  elsif not exists (select from app.posts where id = p_id) then
    perform private.raise_error('post_unknown');
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.remove_post is
  'Deletes anybody''s post for everyone; repeating it changes nothing. Leaves an audit entry.';
