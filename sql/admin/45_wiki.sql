-- How staff settles proposals for the wiki.
-- docs/decisions.md, Wiki; Staff.

create function private.staff_wiki_proposals(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', w.id,
             'interestId', w.interest_id,
             'slug', i.slug,
             'proposerId', w.author_id,
             'proposer', p.card,
             'status', w.status,
             'baseVersion', w.base_version,
             'summary', w.summary,
             'body', w.body,
             'baseBody', coalesce(b.body, ''),
             'netVotes', w.net_votes,
             'version', w.version,
             'createdAt', private.utc(w.created_at),
             'resolvedAt', private.utc(w.resolved_at)) order by n.place)
    from unnest(p_ids) with ordinality as n (id, place)
    join app.wiki_proposals w on w.id = n.id
    join app.interests i on i.id = w.interest_id
    join app.person_card p on p.id = w.author_id
    left join app.wiki_versions b on b.interest_id = w.interest_id and b.version = w.base_version);
end $$;
comment on function private.staff_wiki_proposals is
  'Proposals as staff sees them, in order: like everyone''s, but with the author''s UUID and without a vote of the '
  'caller.';

create function private.find_staff_wiki_proposals(
  p_status text, p_q text, p_since timestamptz, p_until timestamptz, p_cursor text
) returns app.found
language plpgsql stable security definer   -- the function limits the number of rows itself
set search_path = ''
as $$
declare
  v_place  app.place := private.require_place('all proposals', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_q      text := private.fold_query(p_q);
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := coalesce(p_until, 'infinity');
    v_before := '00000000-0000-0000-0000-000000000000';
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.wiki_proposals where id = v_place.id;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  -- exactly one of the two branches runs
  with looked as materialized (
    select * from (
      (select created_at as at, id, author_id, interest_id, summary from app.wiki_proposals
       where p_status is null and created_at >= v_since and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, author_id, interest_id, summary from app.wiki_proposals
       where p_status is not null and status = p_status and created_at >= v_since
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(
      select l.id from looked l
      join app.users u on u.id = l.author_id and u.erased_at is null
      join app.interests i on i.id = l.interest_id
      where v_q is null or strpos(private.fold(concat_ws(' ', i.slug, i.name, u.username, l.summary)), v_q) > 0
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('all proposals', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_staff_wiki_proposals is
  'The next proposals among the next 400 rows. Filters: one status, a period, these letters in the interest, the '
  'username or the summary. Leaves out proposals of erased people, which are empty.';
call private.force_index_scans('private.find_staff_wiki_proposals');

create function api.list_all_wiki_proposals(
  p_status text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found;
begin
  perform private.require_role('moderator', 'admin');
  if pg_input_is_valid(p_q, 'uuid') then
    v_found.ids := array(select id from app.wiki_proposals
                         where id = p_q::uuid and (p_status is null or status = p_status) and body is not null
                           and created_at >= coalesce(p_from, '-infinity')
                           and created_at < coalesce(p_to, 'infinity'));
  else
    v_found := private.find_staff_wiki_proposals(p_status, p_q, p_from, p_to, p_cursor);
  end if;
  p_limit := private.count_fitting_wiki_proposals(v_found.ids, p_limit);
  return private.page(private.staff_wiki_proposals(v_found.ids[:p_limit]), v_found.ids::text[], p_limit,
                      v_found.next);
end $$;
comment on function api.list_all_wiki_proposals is
  'Proposals for all entries, newest first. Filters: one status, a period, one id or these letters.';

create function private.settle_wiki_by_staff(p_id uuid, p_approve boolean, p_reason text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason   text;
  v_proposal app.wiki_proposals;
  v_fits     boolean := true;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_proposal := private.lock_wiki_proposal(p_id);
  if v_proposal.body is null then   -- the proposal does not exist, or its author was erased
    perform private.raise_error('wiki_proposal_unknown');
  end if;
  perform private.require_open_wiki_proposal(v_proposal);
  if p_approve then
    v_fits := private.approve_wiki_proposal(v_proposal);
  else
    perform private.settle_wiki_proposal(v_proposal, 'rejected');
  end if;
  perform private.audit(
    'wiki.' || case when not p_approve then 'rejected' when v_fits then 'approved' else 'superseded' end,
    'wiki-proposal', p_id::text, case when v_reason is not null then json_build_object('reason', v_reason) end);
  return v_fits;
end $$;
comment on function private.settle_wiki_by_staff is
  'Approves or rejects an open proposal for an admin; false if the entry got another version meanwhile.';

create function api.approve_wiki_proposal(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.settle_wiki_by_staff(p_id, true, p_reason) then
    return private.error_response('wiki_base_stale');   -- not raised, because a rollback would leave the proposal open
  end if;
  return private.staff_wiki_proposals(array[p_id]) -> 0;
end $$;
comment on function api.approve_wiki_proposal is
  'Makes a proposal the next version of its entry, regardless of its votes. Leaves an audit entry.';

create function api.reject_wiki_proposal(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.settle_wiki_by_staff(p_id, false, p_reason);
  return private.staff_wiki_proposals(array[p_id]) -> 0;
end $$;
comment on function api.reject_wiki_proposal is 'Rejects a proposal. Leaves an audit entry.';
