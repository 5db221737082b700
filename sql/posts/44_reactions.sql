-- Hearts and sparks, given and taken back.
-- Specification: Posts and feed › react. Decisions: Status codes (inverses).

create function private.reactions_of(p_post uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_card json := private.post_cards(array[p_post]) -> 0;
begin
  return json_build_object('counters', v_card -> 'counters', 'viewer', v_card -> 'viewer');
end $$;
comment on function private.reactions_of is 'What a reaction changes of a post''s card: {counters, viewer}.';

create function api.react(p_id uuid, p_kind text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.open_post(p_id);
  insert into app.reactions (post_id, user_id, kind)
  select p.id, private.caller(), p_kind from app.posts p where p.id = p_id
  on conflict do nothing;
  if found then
    perform private.emit('posts.reaction.added', json_build_object('postId', p_id, 'userId', app.uid(), 'kind', p_kind));
  end if;
  return private.reactions_of(p_id);
end $$;
comment on function api.react is
  'Gives a heart or a spark; repeating it changes nothing. Answers {counters, viewer}. Fails: post_unknown, post_not_out.';

create function api.unreact(p_id uuid, p_kind text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.post(p_id);
  delete from app.reactions where post_id = p_id and user_id = app.uid() and kind = coalesce(p_kind, kind);
  return private.reactions_of(p_id);
end $$;
comment on function api.unreact is
  'Takes one''s reaction of a kind back, or both; repeating it changes nothing. Answers {counters, viewer}. Fails: post_unknown.';
