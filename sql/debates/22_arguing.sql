-- Posting and deleting arguments, and the lists of arguments.
-- docs/decisions.md, Debates; Lists.

create function private.argument_list(p_debate uuid, p_parent uuid, p_top boolean) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return concat_ws(' ', case when p_top then 'top arguments' else 'arguments' end, p_debate, p_parent);
end $$;
comment on function private.argument_list is 'The name for cursors of a list of private.find_arguments.';

create function private.find_arguments(
  p_debate uuid, p_parent uuid, p_side text, p_top boolean, p_from app.rank_place
) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden arguments
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_votes  integer := p_from.rank;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  -- exactly one of the first four branches applies; the last two find the caller's own removed arguments. Each branch
  -- repeats required_level, so that its index matches. The branches that sort by time first sort by the debate or the
  -- parent; otherwise Postgres might scan the primary key, with the arguments of all debates
  with looked as materialized (
    select w.votes, w.id from (
      (select votes, id from app.debate_arguments
       where p_parent is null and p_top
         and debate_id = p_debate and required_level = 0 and (votes, id) < (v_votes, v_before)
       order by votes desc, id desc limit 400)
      union all
      (select 0, id from app.debate_arguments
       where p_parent is null and not p_top
         and debate_id >= p_debate and required_level = 0 and (debate_id, id) < (p_debate, v_before)
       order by debate_id desc, id desc limit 400)
      union all
      (select votes, id from app.debate_arguments
       where p_parent is not null and p_top
         and parent_id = p_parent and required_level = 0 and (votes, id) < (v_votes, v_before)
       order by votes desc, id desc limit 400)
      union all
      (select 0, id from app.debate_arguments
       where p_parent is not null and not p_top
         and parent_id >= p_parent and required_level = 0 and (parent_id, id) < (p_parent, v_before)
       order by parent_id desc, id desc limit 400)
      union all
      (select votes, id from app.debate_arguments
       where p_top and debate_id = p_debate and author_id = v_me and required_level = 3
         and (p_parent is null or parent_id = p_parent) and (votes, id) < (v_votes, v_before)
       order by votes desc, id desc limit 400)
      union all
      (select 0, id from app.debate_arguments
       where not p_top and debate_id = p_debate and author_id = v_me and required_level = 3
         and (p_parent is null or parent_id = p_parent) and id < v_before
       order by debate_id desc, author_id desc, id desc limit 400)) w
    order by w.votes desc, w.id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from private.visible_arguments v where v.id = l.id offset 0) a
      where p_side is null or a.side = p_side
      order by l.votes desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.seal_cursor(private.argument_list(p_debate, p_parent, p_top), l.votes, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_arguments is
  'The next arguments of one side or both that the caller may see in a debate that they see, or the next answers to '
  'one argument; by votes or newest first. Reads the next 400 arguments that everybody may see or that are the '
  'caller''s own.';
call private.force_index_scans('private.find_arguments');

create function private.argument_cursors(p_ids uuid[], p_list text, p_top boolean) returns text[]
language plpgsql stable security definer   -- reads the votes of the arguments that were found
set search_path = ''
as $$
begin
  return array(select private.seal_cursor(p_list, case when p_top then a.votes else 0 end, a.id)
               from unnest(p_ids) with ordinality as i (id, place)
               join app.debate_arguments a on a.id = i.id order by i.place);
end $$;
comment on function private.argument_cursors is 'Cursors for the places of these arguments in this list.';

create function api.list_arguments(
  p_id uuid, p_side text default null, p_parent_id uuid default null, p_sort text default 'top',
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_debate uuid := (private.require_content('debate', p_id)).id;
  v_top    boolean := coalesce(p_sort, 'top') = 'top';
  v_list   text := private.argument_list(v_debate, p_parent_id, v_top);
  v_from   app.rank_place := private.rank_start(v_list, p_cursor);
  v_found  app.found;
begin
  if p_parent_id is not null then
    perform from app.debate_arguments where id = p_parent_id and debate_id = v_debate;
    if not found then
      perform private.raise_error('argument_unknown');
    end if;
  end if;
  v_found := private.find_arguments(v_debate, p_parent_id, p_side, v_top, v_from);
  return private.page(private.argument_cards(v_found.ids[:p_limit]),
                      private.argument_cursors(v_found.ids, v_list, v_top), p_limit, v_found.next);
end $$;
comment on function api.list_arguments is
  'The arguments of a debate on all levels, or the answers to one argument, of one side or both; those with the '
  'most votes first, or the newest.';

create function private.add_argument(p_debate uuid, p_side text, p_body text, p_parent uuid) returns uuid
language plpgsql volatile security definer   -- callers may not write an argument
set search_path = ''
as $$
declare
  v_depth integer := 1;
  v_id    uuid;
begin
  perform private.require_open_debate(p_debate);
  if p_parent is not null then
    -- a concurrent deletion waits for this transaction, or this transaction waits for the deletion
    perform from app.debate_arguments where id = p_parent for no key update;
    select a.depth + 1 into v_depth from private.visible_arguments a
    where a.id = p_parent and a.debate_id = p_debate and a.required_level = 0 and a.deleted_at is null;
    if not found then
      perform private.raise_error('argument_unknown');
    end if;
  end if;
  insert into app.debate_arguments (debate_id, author_id, parent_id, side, body, depth)
  values (p_debate, private.require_caller(), p_parent, p_side, coalesce(private.require_text(p_body), ''), v_depth)
  returning id into v_id;
  update app.debate_arguments set answered = true where id = p_parent and not answered;
  perform private.emit('debates.argument.created', json_build_object(
    'argumentId', v_id, 'debateId', p_debate, 'authorId', app.uid()), array[app.uid()]);
  return v_id;
end $$;
comment on function private.add_argument is
  'Writes an argument of the caller, or an answer to one that they see. Fails: argument_body, argument_depth.';

create function api.create_argument(p_id uuid, p_side text, p_body text, p_parent_id uuid default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_argument', json_build_array(p_id, p_side, p_body, p_parent_id));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('replies');
  perform private.lock_open_content('debate', p_id);
  v_id := private.add_argument(p_id, p_side, p_body, p_parent_id);
  perform private.require_content('debate', p_id);   -- one of the two people may have blocked the other meanwhile
  return private.finish_idempotent('create_argument', private.argument_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_argument is
  'Posts an argument in a debate, or an answer to one. Fails: debate_unknown (also if it is removed).';

create function private.remove_argument(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not change an argument
set search_path = ''
as $$
declare
  v_debate uuid;
begin
  select debate_id into v_debate from app.debate_arguments
  where id = p_id and author_id = private.require_caller() and deleted_at is null;
  if not found then
    return false;
  end if;
  perform private.share_lock_content(v_debate);   -- lock heads before arguments: ARCHITECTURE.md, Locks
  if exists (select from app.debates where id = v_debate) then   -- the details of an erased author's debate are gone
    perform private.require_open_debate(v_debate);
  end if;
  update app.debate_arguments set deleted_at = now(), body = '' where id = p_id and deleted_at is null;
  if found then
    perform private.emit('debates.argument.deleted', json_build_object(
      'argumentId', p_id, 'debateId', v_debate, 'authorId', app.uid()), array[app.uid()]);
  end if;
  return found;
end $$;
comment on function private.remove_argument is
  'Deletes the caller''s own argument, even if they can no longer see the debate or its author is erased; returns '
  'false if there is none.';

create function api.delete_argument(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.remove_argument(p_id) then
    perform private.require_argument(p_id);
    perform private.raise_error('argument_not_yours');
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.delete_argument is
  'Deletes the caller''s argument for everyone; if it was answered, a tombstone remains.';
