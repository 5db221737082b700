-- The owners of bots make, list and end the access tokens of their bots. A bot has no other tokens. docs/decisions.md,
-- Bots.

create function api.create_bot_token(
  p_id text, p_name text, p_scopes text[], p_token_hash bytea, p_nonce text, p_expires_at timestamptz default null
) returns json
language plpgsql volatile security definer   -- only for gate: trusts the facade to have made the token
set search_path = ''
as $$
declare
  v_caller  uuid := private.require_caller();
  v_kept    json := private.begin_idempotent('create_bot_token', json_build_array(
    p_id, p_name, p_scopes, p_expires_at));
  v_seconds numeric := coalesce(extract(epoch from p_expires_at - clock_timestamp()), 365 * 86400);
  v_bot     uuid;
  v_answer  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('tokens');
  v_bot := private.require_own_bot(p_id);
  perform private.require_proof();
  if v_seconds not between 1 and 366 * 86400 then
    perform private.raise_error('access_token_expiry');
  end if;
  perform private.check_lock_order('credentials', v_caller::text, v_bot::text);
  perform from private.credentials where user_id in (v_caller, v_bot) order by user_id for update;
  perform private.check_caller();   -- check again, because the caller may have been banned during the wait
  perform private.issue_access_token(v_bot, 'personal', private.require_name(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => false);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_bot_token', v_answer);
end $$;
comment on function api.create_bot_token is
  'For the facade alone: makes an access token of a bot of the caller, as api.create_access_token makes one for the '
  'caller. Fails: access_token_name.';

create function private.list_bot_access_tokens(p_bot uuid) returns json
language plpgsql stable security definer   -- the card takes whole rows, and people may not read hashes
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(private.access_token_card(t) order by t.created_at desc, t.id desc)
     from app.access_tokens t join app.users u on u.id = t.user_id
     where t.user_id = p_bot and u.bot_owner_id = private.require_caller() and t.ended_at is null
       and t.expires_at > extract(epoch from now())),
    '{}', 50);
end $$;
comment on function private.list_bot_access_tokens is
  'The access tokens of a bot of the caller, as described at api.list_bot_tokens.';

create function api.list_bot_tokens(p_id text) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_bot_access_tokens(private.require_own_bot(p_id));
end $$;
comment on function api.list_bot_tokens is
  'The access tokens of a bot of the caller that have not ended, newest first, as in api.list_access_tokens.';

create function private.end_bot_access_token(p_bot uuid, p_token uuid) returns void
language plpgsql volatile security definer   -- people may not write access tokens
set search_path = ''
as $$
begin
  perform from app.access_tokens t join app.users u on u.id = t.user_id
  where t.id = p_token and t.user_id = p_bot and u.bot_owner_id = private.require_caller();
  if not found then
    perform private.raise_error('access_token_unknown');
  end if;
  perform private.end_access_token(p_token);
end $$;
comment on function private.end_bot_access_token is 'Ends an access token of a bot of the caller.';

create function api.end_bot_token(p_id text, p_token_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.end_bot_access_token(private.require_own_bot(p_id), p_token_id);
  return null;   -- the response is 204
end $$;
comment on function api.end_bot_token is 'Ends an access token of a bot of the caller. Repeating it changes nothing.';
