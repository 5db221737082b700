-- People vote for arguments that they find helpful. docs/decisions.md, Debates.

create function private.add_argument_vote(p_argument uuid, p_debate uuid) returns void
language plpgsql volatile security definer   -- callers may not write a vote
set search_path = ''
as $$
begin
  perform private.require_open_debate(p_debate);
  insert into app.argument_votes (argument_id, user_id)
  select a.id, private.require_caller() from private.visible_arguments a
  where a.id = p_argument and a.required_level = 0 and a.deleted_at is null
  on conflict do nothing;
end $$;
comment on function private.add_argument_vote is 'Adds the caller''s vote for an argument that they see.';

insert into private.operations_of_people (operation) values ('vote_argument');

create function api.vote_argument(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_argument app.debate_arguments := private.require_argument(p_id);
begin
  perform private.begin_vote('debate', v_argument.debate_id, 'argument', v_argument.author_id);
  perform private.require_argument(p_id);
  perform private.add_argument_vote(p_id, v_argument.debate_id);
  perform private.require_argument(p_id);
  return private.argument_cards(array[p_id]) -> 0;
end $$;
comment on function api.vote_argument is
  'Votes for an argument as helpful; repeating it changes nothing. Returns the card.';

create function private.remove_argument_vote(p_argument uuid, p_seen boolean) returns void
language plpgsql volatile security definer   -- callers may not delete a vote
set search_path = ''
as $$
declare
  v_debate uuid := (select debate_id from app.debate_arguments where id = p_argument);
begin
  perform private.share_lock_content(v_debate);
  if p_seen then
    perform private.require_open_debate(v_debate);
  end if;
  delete from app.argument_votes v
  where v.argument_id = p_argument and v.user_id = private.require_caller()
    and exists (select from app.debates d where d.id = v_debate and d.closed_at is null and d.closes_at > now());
end $$;
comment on function private.remove_argument_vote is
  'Takes the caller''s vote in an open debate back, even if they can no longer see the argument; then the caller '
  'does not learn whether the debate is open.';

create function api.unvote_argument(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seen boolean := exists (select from app.debate_arguments where id = p_id and deleted_at is null);
begin
  perform private.remove_argument_vote(p_id, v_seen);
  if not v_seen then
    return private.error_response('argument_unknown');   -- the same as in api.leave_position
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.unvote_argument is
  'Takes the caller''s vote back; repeating it changes nothing. It also works on an argument that the caller can no '
  'longer see, but then the response is the same as for an argument that does not exist.';
