-- The operations of proposals (sql/guilds/20_proposals.sql), for members and for staff.

create function private.proposal_cards(p_ids uuid[]) returns setof json
language plpgsql stable security definer   -- the calling function checks who may read them
set search_path = ''
as $$
begin
  return query
    select json_build_object(
             'id', p.id, 'guildId', p.guild_id, 'kind', p.kind, 'title', p.title, 'body', p.body,
             'payload', p.payload || case when k.person_key is not null
               then jsonb_build_object(k.person_key, subject.actor_id) else '{}' end,
             'proposer', proposer.card, 'status', p.status, 'reason', p.reason,
             'closesAt', private.utc(p.closes_at), 'decidedAt', private.utc(p.decided_at),
             'executedAt', private.utc(p.executed_at), 'createdAt', private.utc(p.created_at))
    from unnest(p_ids) with ordinality as i (id, place)
    join app.guild_proposals p on p.id = i.id
    join private.proposal_kinds k on k.kind = p.kind
    left join lateral (select c.actor_id from private.visible_people v join app.person_card c on c.id = v.id
                       where v.id = p.subject_id) subject on true
    left join lateral (select c.card from private.visible_people v join app.person_card c on c.id = v.id
                       where v.id = p.proposer_id) proposer on true
    order by i.place;
end $$;
comment on function private.proposal_cards is
  'The cards of these proposals, in order: {id, guildId, kind, title, body, payload, proposer, status, reason, '
  'closesAt, decidedAt, executedAt, createdAt}. People whom the caller cannot see are null.';
call private.force_index_scans('private.proposal_cards');

create function private.proposal_detail(p_id uuid, p_tally app.tally default null) returns json
language plpgsql stable security definer   -- the calling function checks who may read it
set search_path = ''
as $$
declare
  v_proposal app.guild_proposals;
begin
  select * into v_proposal from app.guild_proposals where id = p_id;
  return private.merge_objects(
    (select c from private.proposal_cards(array[p_id]) c),
    json_build_object(
      'tally', to_json(coalesce(p_tally, private.tally(v_proposal))),
      'viewer', json_build_object('vote', (select v.value from app.guild_votes v
                                           where v.proposal_id = p_id and v.user_id = app.uid()))));
end $$;
comment on function private.proposal_detail is
  'The card of a proposal with its tally: {…, tally {yes, no, abstain, eligible, quorum}, viewer {vote}}. If '
  'p_tally is given, the function doesn''t count the votes again.';

create function private.require_proposal(p_guild uuid, p_id uuid) returns app.guild_proposals
language plpgsql stable security definer   -- the calling function checks who may read it
set search_path = ''
as $$
declare
  v_proposal app.guild_proposals;
begin
  select * into v_proposal from app.guild_proposals where id = p_id and guild_id = p_guild;
  if not found then
    perform private.raise_error('proposal_unknown');
  end if;
  return v_proposal;
end $$;
comment on function private.require_proposal is 'Returns this proposal if it belongs to the guild.';

create function private.lock_open_proposal(p_guild text, p_id uuid) returns app.guild_proposals
language plpgsql volatile security definer   -- see private.lock_space
set search_path = ''
as $$
declare
  v_space    app.spaces := private.lock_visible_space('guild', p_guild);
  v_proposal app.guild_proposals;
begin
  perform private.require_space_role(v_space.id, 'owner', 'moderator', 'member');
  v_proposal := private.require_proposal(v_space.id, p_id);
  perform private.require_open(v_space);
  if v_proposal.status <> 'open' or v_proposal.closes_at <= clock_timestamp() then
    perform private.raise_error('proposal_closed');
  end if;
  return v_proposal;
end $$;
comment on function private.lock_open_proposal is
  'Locks a guild of which the caller is a member, and returns an open proposal of this guild.';

create function private.propose(
  p_guild text, p_kind text, p_title text, p_body text, p_payload jsonb, p_closes_at timestamptz
) returns json
language plpgsql volatile security definer   -- callers may not write proposals
set search_path = ''
as $$
declare
  v_title   text := private.require_name(p_title);
  v_body    text := coalesce(private.require_markdown(p_body), '');
  v_closes  timestamptz := coalesce(p_closes_at, now() + interval '72 hours');
  v_kind    private.proposal_kinds;
  v_subject uuid;
  v_space   app.spaces;
  v_payload jsonb;
  v_id      uuid;
begin
  perform private.count_writes('proposals');
  select * into v_kind from private.proposal_kinds where kind = p_kind;
  if not found then
    perform private.raise_error('proposal_kind');
  elsif coalesce(v_title, '') = '' then
    perform private.raise_error('proposal_title');
  elsif v_closes not between now() + interval '1 hour' and now() + interval '30 days' then
    perform private.raise_error('proposal_closes_at');
  end if;
  if v_kind.person_key is not null then
    if jsonb_typeof(p_payload -> v_kind.person_key) is distinct from 'string' then
      perform private.raise_error('proposal_payload');
    end if;
    v_subject := private.require_visible_person(p_payload ->> v_kind.person_key);
  end if;
  v_space := private.lock_visible_space('guild', p_guild, array_remove(array[v_subject], null));
  perform private.require_space_role(v_space.id, 'owner', 'moderator', 'member');
  perform private.require_open(v_space);
  if v_subject is not null then
    -- check again, because this call may have waited for the lock
    perform private.require_visible_person(p_payload ->> v_kind.person_key);
  end if;
  if (select count(*) from app.guild_proposals where guild_id = v_space.id and status = 'open') >= 50 then
    perform private.raise_error('proposals_exhausted');
  end if;
  execute format('select %s($1, $2, $3)', v_kind.checker) into v_payload
    using v_space, v_subject, coalesce(p_payload, '{}');
  insert into app.guild_proposals (guild_id, proposer_id, kind, title, body, subject_id, payload, closes_at, due_at)
  values (v_space.id, app.uid(), p_kind, v_title, v_body, v_subject, v_payload, v_closes, v_closes)
  returning id into v_id;
  return private.proposal_detail(v_id);
end $$;
comment on function private.propose is
  'A member makes a proposal to their guild. Fails: proposal_body, guild_charter, space_member_unknown, last_owner, '
  'treasury_amount.';

create function private.vote_on_proposal(p_guild text, p_id uuid, p_value text) returns json
language plpgsql volatile security definer   -- callers may not write votes
set search_path = ''
as $$
declare
  v_proposal app.guild_proposals := private.lock_open_proposal(p_guild, p_id);
  v_tally    app.tally;
begin
  if (p_value = any (array['yes', 'no', 'abstain'])) is not true then
    perform private.raise_error('proposal_vote');
  elsif not exists (select from private.proposal_voters where proposal_id = p_id and user_id = app.uid()) then
    perform private.raise_error('proposal_ineligible');
  end if;
  insert into app.guild_votes (proposal_id, user_id, value) values (p_id, app.uid(), p_value)
  on conflict (proposal_id, user_id) do update set value = excluded.value;
  v_tally := private.tally(v_proposal);
  perform private.pass_early(v_proposal, v_tally);
  return private.proposal_detail(p_id, v_tally);
end $$;
comment on function private.vote_on_proposal is 'The caller votes, or changes their vote.';

create function private.withdraw_proposal(p_guild text, p_id uuid) returns json
language plpgsql volatile security definer   -- callers may not write proposals
set search_path = ''
as $$
declare
  v_proposal app.guild_proposals := private.lock_open_proposal(p_guild, p_id);
begin
  if v_proposal.proposer_id <> app.uid() then
    perform private.raise_error('proposal_not_yours');
  elsif exists (select from app.guild_votes where proposal_id = p_id and user_id <> app.uid()) then
    perform private.raise_error('proposal_voted');
  end if;
  perform private.decide_proposal(v_proposal, 'withdrawn');
  return private.proposal_detail(p_id);
end $$;
comment on function private.withdraw_proposal is 'The proposer withdraws a proposal, if nobody else has voted.';

create function private.read_proposal(p_guild text, p_id uuid) returns json
language plpgsql stable security definer   -- callers may not read proposals
set search_path = ''
as $$
declare
  v_guild uuid := (private.require_space('guild', p_guild)).id;
begin
  perform private.require_space_role(v_guild, 'owner', 'moderator', 'member');
  return private.proposal_detail((private.require_proposal(v_guild, p_id)).id);
end $$;
comment on function private.read_proposal is 'Returns a proposal to a member of its guild.';

create function private.find_proposals(p_guild uuid, p_status text, p_from app.place) returns uuid[]
language plpgsql stable security definer   -- the calling function checks who may read them
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
begin
  if p_status is null then
    return array(select id from app.guild_proposals
                 where guild_id = p_guild and (created_at, id) < (v_from, v_before)
                 order by created_at desc, id desc limit 51);
  end if;
  return array(select id from app.guild_proposals
               where guild_id = p_guild and status = p_status and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 51);
end $$;
comment on function private.find_proposals is
  'The next 51 proposals of a guild; if p_status is given, only those with this status.';
call private.force_index_scans('private.find_proposals');

create function private.list_proposals(p_guild text, p_status text, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- callers may not read proposals
set search_path = ''
as $$
declare
  v_guild  uuid := (private.require_space('guild', p_guild)).id;
  v_cursor uuid := private.require_cursor(p_cursor);
  v_from   app.place := ('infinity', v_guild)::app.place;   -- no row has this time, so any id works
  v_ids    uuid[];
begin
  perform private.require_space_role(v_guild, 'owner', 'moderator', 'member');
  if v_cursor is not null then
    select created_at, id into v_from.at, v_from.id from app.guild_proposals
    where id = v_cursor and guild_id = v_guild;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_ids := private.find_proposals(v_guild, p_status, v_from);
  return private.page((select json_agg(c) from private.proposal_cards(v_ids[:p_limit]) c), v_ids::text[], p_limit);
end $$;
comment on function private.list_proposals is 'The proposals of a guild, newest first, for members.';

create function private.settle_by_staff(p_guild text, p_id uuid, p_status text) returns json
language plpgsql volatile security definer   -- staff see every guild; callers may not write proposals
set search_path = ''
as $$
declare
  v_space    app.spaces;
  v_proposal app.guild_proposals;
begin
  perform private.require_role('admin');
  v_space := private.lock_visible_space('guild', p_guild);
  v_proposal := private.require_proposal(v_space.id, p_id);
  if v_proposal.status <> 'open' then
    perform private.raise_error('proposal_closed');
  end if;
  perform private.decide_proposal(v_proposal, p_status);
  perform private.audit('proposal.' || p_status, 'proposal', p_id::text);
  return private.proposal_detail(p_id);
end $$;
comment on function private.settle_by_staff is 'An admin decides an open proposal. Writes an audit entry.';

insert into private.operations_of_people (operation) values ('create_proposal');

create function api.create_proposal(
  p_id text, p_kind text, p_title text, p_body text default '', p_payload jsonb default '{}',
  p_closes_at timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_proposal', json_build_array(
    p_id, p_kind, p_title, p_body, p_payload, p_closes_at));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  return private.finish_idempotent(
    'create_proposal', private.propose(p_id, p_kind, p_title, p_body, p_payload, p_closes_at));
end $$;
comment on function api.create_proposal is 'The caller makes a proposal to their guild.';

create function api.get_proposal(p_id text, p_pid uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.read_proposal(p_id, p_pid);
end $$;
comment on function api.get_proposal is 'A proposal, with its tally.';

create function api.list_proposals(
  p_id text, p_status text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_proposals(p_id, p_status, p_limit, p_cursor);
end $$;
comment on function api.list_proposals is 'The proposals of a guild.';

insert into private.operations_of_people (operation) values ('vote_on_proposal');

create function api.vote_on_proposal(p_id text, p_pid uuid, p_value text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.vote_on_proposal(p_id, p_pid, p_value);
end $$;
comment on function api.vote_on_proposal is 'The caller votes on a proposal.';

create function api.withdraw_proposal(p_id text, p_pid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.withdraw_proposal(p_id, p_pid);
end $$;
comment on function api.withdraw_proposal is 'The caller withdraws their proposal.';

create function api.approve_proposal(p_id text, p_pid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.settle_by_staff(p_id, p_pid, 'passed');
end $$;
comment on function api.approve_proposal is 'An admin passes a proposal; the worker then executes it.';

create function api.reject_proposal(p_id text, p_pid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.settle_by_staff(p_id, p_pid, 'failed');
end $$;
comment on function api.reject_proposal is 'An admin rejects a proposal.';

create function api.force_close_proposal(p_id text, p_pid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.settle_by_staff(p_id, p_pid, 'force_closed');
end $$;
comment on function api.force_close_proposal is 'An admin closes a proposal without a decision.';
