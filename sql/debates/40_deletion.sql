-- How an author deletes a debate in which nobody else has posted arguments. docs/decisions.md, Contents; Debates.

create function private.remove_debate(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not delete a detail
set search_path = ''
as $$
declare
  v_me uuid := private.require_caller();
begin
  perform private.lock_own_content('debate', p_id, false);
  -- make two index lookups, which skip the caller's own arguments
  if exists (select from app.debate_arguments where debate_id = p_id and author_id < v_me and body <> '')
     or exists (select from app.debate_arguments where debate_id = p_id and author_id > v_me and body <> '') then
    perform private.raise_error('debate_answered');
  end if;
  perform private.delete_content('debate', p_id);
end $$;
comment on function private.remove_debate is
  'Deletes the caller''s own debate if nobody else has posted arguments in it. Never: writes_exceeded (it is not an '
  'edit).';

create function api.delete_debate(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_debate(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_debate is 'Deletes the caller''s debate permanently.';
