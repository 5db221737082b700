-- Proposals: who may make and settle them, and how a proposal becomes a version. A proposal is settled under the lock
-- of its row and becomes a version under the lock of the entry, so that concurrent approvals make only one version.
-- docs/decisions.md, Wiki.

insert into private.lock_kinds (kind, position) values ('wiki proposal', 590), ('wiki entry', 595);

create function private.count_fitting_wiki_proposals(p_ids uuid[], p_limit integer) returns integer
language plpgsql stable security definer   -- its callers have found these proposals
set search_path = ''
as $$
begin
  return private.count_fitting(array(
    -- comparing the two texts is most of the facade's work
    select 2 * (coalesce(octet_length(w.body), 0) + coalesce(octet_length(b.body), 0))
    from unnest(p_ids) with ordinality as i (id, place)
    left join app.wiki_proposals w on w.id = i.id
    left join app.wiki_versions b on b.interest_id = w.interest_id and b.version = w.base_version
    order by i.place), p_limit);
end $$;
comment on function private.count_fitting_wiki_proposals is
  'Returns the number of these proposals that fit on a page of p_limit: private.count_fitting over the texts to '
  'compare.';
call private.force_index_scans('private.count_fitting_wiki_proposals');

create function private.wiki_proposal_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', w.id,
             'interestId', w.interest_id,
             'slug', i.slug,
             'proposerId', p.actor_id,
             'proposer', p.card,
             'status', w.status,
             'baseVersion', w.base_version,
             'summary', w.summary,
             'body', w.body,
             'baseBody', coalesce(b.body, ''),
             'netVotes', w.net_votes,
             'version', w.version,
             'viewer', json_build_object('vote', coalesce((
               select v.value from app.wiki_votes v
               where v.proposal_id = w.id and v.user_id = (select app.uid())), 0)),
             'createdAt', private.utc(w.created_at),
             'resolvedAt', private.utc(w.resolved_at)) order by n.place)
    from unnest(p_ids) with ordinality as n (id, place)
    join app.wiki_proposals w on w.id = n.id
    join app.interests i on i.id = w.interest_id
    join app.person_card p on p.id = w.author_id
    left join app.wiki_versions b on b.interest_id = w.interest_id and b.version = w.base_version);
end $$;
comment on function private.wiki_proposal_cards is
  'Returns the cards of these proposals that the caller can see, in order: {id, interestId, slug, proposerId, '
  'proposer, status, baseVersion, summary, body, baseBody (the text on which it is based), netVotes, version, '
  'viewer {vote}, createdAt, resolvedAt}.';
call private.force_index_scans('private.wiki_proposal_cards');

create function private.find_wiki_proposals(p_interest uuid, p_status text, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_list   text := 'proposals ' || p_interest;
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := p_interest;   -- no row has this time, so any id works
  elsif v_from is null then
    -- accept a cursor whose author has since been banned or erased
    select created_at, id into v_from, v_before from app.wiki_proposals
    where id = v_place.id and interest_id = p_interest and private.may_meet(private.find_level(app.uid(), author_id));
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  -- only one of the two branches finds rows
  with looked as materialized (
    select * from (
      (select created_at as at, id, author_id from app.wiki_proposals
       where p_status is null and interest_id = p_interest and not author_hidden
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, author_id from app.wiki_proposals
       where p_status is not null and interest_id = p_interest and status = p_status and not author_hidden
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.author_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_wiki_proposals is
  'Returns the next proposals about an interest, all or those with a status, whose authors the caller can see, '
  'among the next 400.';
call private.force_index_scans('private.find_wiki_proposals');

create function api.list_wiki_proposals(
  p_slug text, p_status text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_wiki_proposals((private.require_wiki(p_slug)).id, p_status, p_cursor);
begin
  p_limit := private.count_fitting_wiki_proposals(v_found.ids, p_limit);
  return private.page(private.wiki_proposal_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_wiki_proposals is
  'Lists the proposals about an interest, newest first, all or those with a status.';

create function private.add_wiki_proposal(p_interest uuid, p_body text, p_summary text, p_base_version integer)
returns uuid
language plpgsql volatile security definer   -- callers may not write proposals directly
set search_path = ''
as $$
declare
  v_id uuid;
begin
  -- store an empty text instead of null, because null means that the author is erased
  insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary)
  values (p_interest, private.require_caller(), p_base_version, coalesce(private.require_markdown(p_body), ''),
          coalesce(private.require_name(p_summary), ''))
  returning id into v_id;
  return v_id;
end $$;
comment on function private.add_wiki_proposal is
  'Writes a proposal of the caller. Fails: wiki_body, wiki_summary, wiki_reputation.';

create function api.create_wiki_proposal(p_slug text, p_body text, p_summary text, p_base_version integer)
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept     json := private.begin_idempotent('create_wiki_proposal', json_build_array(
    p_slug, p_body, p_summary, p_base_version));
  v_interest uuid;
  v_id       uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_interest := (private.require_wiki(p_slug)).id;
  perform private.count_writes('wiki');
  v_id := private.add_wiki_proposal(v_interest, p_body, p_summary, p_base_version);
  -- check this after the checks of the row, so that a caller who may not propose gets the error that says so. An
  -- approval checks the version again
  if p_base_version <> private.wiki_version(v_interest) then
    perform private.raise_error('wiki_base_stale');
  end if;
  return private.finish_idempotent('create_wiki_proposal', private.wiki_proposal_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_wiki_proposal is 'Proposes a text for the entry of an interest.';

create function private.settle_wiki_proposal(
  p_proposal app.wiki_proposals, p_status text, p_version integer default null
) returns void
language plpgsql volatile security definer   -- callers may not write proposals directly
set search_path = ''
as $$
begin
  update app.wiki_proposals set status = p_status, version = p_version, resolved_at = now()
  where id = p_proposal.id;
  if p_status <> 'withdrawn' then
    perform private.emit('wiki.proposal.resolved', json_build_object(
      'proposalId', p_proposal.id, 'interestId', p_proposal.interest_id, 'status', p_status, 'version', p_version),
      array[p_proposal.author_id]);
  end if;
end $$;
comment on function private.settle_wiki_proposal is
  'Settles an open proposal that the caller has locked. Its author is notified, unless they withdrew it.';

create function private.approve_wiki_proposal(p_proposal app.wiki_proposals) returns boolean
language plpgsql volatile security definer   -- callers may not write the wiki directly
set search_path = ''
as $$
declare
  v_version integer;
begin
  v_version := private.wiki_version(p_proposal.interest_id);
  if v_version <> p_proposal.base_version then
    perform private.settle_wiki_proposal(p_proposal, 'superseded');
    return false;
  end if;
  insert into app.wiki_versions (interest_id, version, body, summary, author_id)
  values (p_proposal.interest_id, v_version + 1, p_proposal.body, p_proposal.summary, p_proposal.author_id);
  perform private.settle_wiki_proposal(p_proposal, 'approved', v_version + 1);
  return true;
end $$;
comment on function private.approve_wiki_proposal is
  'Makes an open, locked proposal the next version of its entry. If the entry already has a newer version, the '
  'proposal becomes superseded and the function returns false.';

create function private.lock_wiki_proposal(p_id uuid) returns app.wiki_proposals
language plpgsql volatile security definer   -- callers may not lock proposals; its callers check who may see them
set search_path = ''
as $$
declare
  v_proposal app.wiki_proposals;
begin
  perform private.check_lock_order('wiki proposal');
  select * into v_proposal from app.wiki_proposals where id = p_id for no key update;
  -- lock the entry before reading its version. If two proposals have the same base version, the second one then sees
  -- the version that the first one became
  perform private.lock('wiki entry', v_proposal.interest_id::text) where v_proposal.id is not null;
  return v_proposal;
end $$;
comment on function private.lock_wiki_proposal is
  'Locks a proposal and its entry until the transaction ends; returns null if there is no such proposal.';

create function private.require_open_wiki_proposal(p_proposal app.wiki_proposals) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_proposal.status <> 'open' then
    perform private.raise_error('wiki_proposal_settled');
  end if;
end $$;
comment on function private.require_open_wiki_proposal is 'Passes if the proposal is open.';

create function private.vote_on_wiki_proposal(p_id uuid, p_value integer) returns boolean
language plpgsql volatile security definer   -- callers may not write proposals directly
set search_path = ''
as $$
declare
  v_me       uuid := private.require_caller();
  v_proposal app.wiki_proposals := private.lock_wiki_proposal(p_id);
  v_mine     smallint;
begin
  select value into v_mine from app.wiki_votes where proposal_id = p_id and user_id = v_me;
  -- the caller can take a vote back even if they can no longer see the proposal
  if v_proposal.id is null
     or (not exists (select from private.visible_people where id = v_proposal.author_id)
         and (p_value <> 0 or v_mine is null)) then
    perform private.raise_error('wiki_proposal_unknown');
  elsif v_proposal.author_id = v_me then
    perform private.raise_error('wiki_vote_oneself');
  end if;
  if p_value <> 0 then
    perform private.require_wiki_reputation(v_me, v_proposal.interest_id);
  end if;
  perform private.require_open_wiki_proposal(v_proposal);
  if p_value = 0 then
    delete from app.wiki_votes where proposal_id = p_id and user_id = v_me;
  else
    insert into app.wiki_votes (proposal_id, user_id, value) values (p_id, v_me, p_value)
    on conflict (proposal_id, user_id) do update set value = excluded.value;
  end if;
  update app.wiki_proposals set net_votes = net_votes + p_value - coalesce(v_mine, 0)
  where id = p_id
  returning * into v_proposal;
  return v_proposal.net_votes < 3 or private.approve_wiki_proposal(v_proposal);
end $$;
comment on function private.vote_on_wiki_proposal is
  'Sets the caller''s vote on an open proposal, or takes it back with 0. When the sum of the votes reaches 3, the '
  'proposal is approved; returns false if it was superseded instead.';

create function private.require_wiki_voter(p_id text) returns void
language plpgsql volatile security definer   -- applies the caller's pending effects first
set search_path = ''
as $$
declare
  v_proposal app.wiki_proposals;
begin
  perform private.require_flag('wiki');
  select w.* into v_proposal from app.wiki_proposals w
  join private.visible_people v on v.id = w.author_id
  where w.id = p_id::uuid;
  if not found then
    perform private.raise_error('wiki_proposal_unknown');
  end if;
  perform private.require_wiki_reputation(private.require_caller(), v_proposal.interest_id);
end $$;
comment on function private.require_wiki_voter is
  'Passes if the caller may vote on a proposal. A person who takes a vote back needs no reputation '
  '(private.vote_on_wiki_proposal).';

insert into private.operations_of_people (operation) values ('vote_wiki_proposal');

create function api.vote_wiki_proposal(p_id uuid, p_value integer) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_flag('wiki');
  if p_value is null or p_value not between -1 and 1 then
    perform private.raise_error('wiki_vote_value');
  end if;
  perform private.count_writes('votes');
  if not private.vote_on_wiki_proposal(p_id, p_value) then
    return private.error_response('wiki_base_stale');   -- an error would roll back the new status
  end if;
  return private.wiki_proposal_cards(array[p_id]) -> 0;
end $$;
comment on function api.vote_wiki_proposal is
  'Votes on a proposal. A new vote replaces the caller''s earlier one. Returns null if the caller can no longer see '
  'the proposal.';

create function private.withdraw_wiki_proposal(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write proposals directly
set search_path = ''
as $$
declare
  v_proposal app.wiki_proposals := private.lock_wiki_proposal(p_id);
begin
  if not exists (select from private.visible_people where id = v_proposal.author_id) then
    perform private.raise_error('wiki_proposal_unknown');
  elsif v_proposal.author_id <> private.require_caller() then
    perform private.raise_error('wiki_proposal_not_yours');
  end if;
  perform private.require_open_wiki_proposal(v_proposal);
  perform private.settle_wiki_proposal(v_proposal, 'withdrawn');
end $$;
comment on function private.withdraw_wiki_proposal is 'Withdraws an open proposal of the caller.';

create function api.withdraw_wiki_proposal(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_flag('wiki');
  perform private.withdraw_wiki_proposal(p_id);
  return private.wiki_proposal_cards(array[p_id]) -> 0;
end $$;
comment on function api.withdraw_wiki_proposal is 'Withdraws an open proposal of the caller.';

insert into private.links (type, path) values ('wiki-proposal', '/wiki/proposals/{id}');
