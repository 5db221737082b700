-- What staff sees of the ledger of reputation, of peer votes and of the people who contributed most.
-- docs/decisions.md, Staff.

create index reputation_entries_created_at_idx on app.reputation_entries (created_at desc, id desc);
create index reputation_votes_created_at_idx on app.reputation_votes (created_at desc, id desc);

create view private.staff_reputation_entries with (security_invoker) as
select e.created_at as at, e.id, e.position, e.user_id, e.interest_id, e.kind, e.roll_up_level > 0 as rolled_up,
       concat_ws(' ', u.username, i.slug, i.name) as said,
       json_build_object(
         'id', e.id,
         'userId', e.user_id,
         'user', person.card,
         'interestId', e.interest_id,
         'slug', i.slug,
         'kind', e.kind,
         'delta', e.delta,
         'rollUpLevel', e.roll_up_level,
         'originId', e.origin_id,
         'undoesId', e.undoes_id,
         'sourceId', e.source_id,
         'earnedFromId', e.earned_from,
         'createdAt', private.utc(e.created_at)) as card
from app.reputation_entries e
join app.users u on u.id = e.user_id
join app.interests i on i.id = e.interest_id
join app.person_card person on person.id = e.user_id;
comment on view private.staff_reputation_entries is 'The ledger of reputation as staff sees it.';

create function api.list_reputation_entries(
  p_user_id text default null, p_interest_id uuid default null, p_kind text default null,
  p_roll_ups boolean default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'reputation_entries',
    json_build_object('interest_id', p_interest_id, 'kind', p_kind, 'rolled_up', p_roll_ups,
                      'user_id', private.find_staff_person(p_user_id)),
    array['user_id'], p_q, p_from, p_to, p_limit, p_cursor,
    case when p_user_id is not null then 'position' end);
end $$;
comment on function api.list_reputation_entries is 'Entries of the ledger of reputation, newest first.';

create view private.staff_reputation_votes with (security_invoker) as
select v.created_at as at, v.id, v.user_id, v.voter_id, v.interest_id, v.value,
       concat_ws(' ', voter.username, u.username, v.comment) as said,
       json_build_object(
         'id', v.id,
         'voterId', v.voter_id,
         'voter', voter_card.card,
         'userId', v.user_id,
         'user', person.card,
         'interestId', v.interest_id,
         'value', v.value,
         'comment', v.comment,
         'impact', v.impact,
         'createdAt', private.utc(v.created_at),
         'updatedAt', private.utc(v.updated_at)) as card
from app.reputation_votes v
join app.users voter on voter.id = v.voter_id
join app.users u on u.id = v.user_id
join app.person_card voter_card on voter_card.id = v.voter_id
join app.person_card person on person.id = v.user_id;
comment on view private.staff_reputation_votes is 'Peer votes as staff sees them; a vote with value 0 was removed.';

create function api.list_reputation_votes(
  p_user_id text default null, p_voter_id text default null, p_interest_id uuid default null, p_q text default null,
  p_from timestamptz default null, p_to timestamptz default null, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'reputation_votes',
    json_build_object('interest_id', p_interest_id, 'user_id', private.find_staff_person(p_user_id),
                      'voter_id', private.find_staff_person(p_voter_id)),
    array['user_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_reputation_votes is 'Peer votes, newest first.';

create function api.list_contributors(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_id    uuid := private.require_cursor(p_cursor);
  v_score numeric;
  v_ids   uuid[];
begin
  perform private.require_role('moderator', 'admin');
  if v_id is null then
    v_ids := array(select user_id from app.contribution_scores order by score desc, user_id limit 51);
  else
    select score into v_score from app.contribution_scores where user_id = v_id;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
    v_ids := array(select user_id from app.contribution_scores
                   where score <= v_score and (score < v_score or user_id > v_id)
                   order by score desc, user_id limit 51);
  end if;
  return private.page((
    select json_agg(json_build_object('id', s.user_id, 'user', p.card, 'score', s.score) order by o.place)
    from unnest(v_ids[:p_limit]) with ordinality o (id, place)
    join app.contribution_scores s on s.user_id = o.id
    join app.person_card p on p.id = o.id), v_ids::text[], p_limit);
end $$;
comment on function api.list_contributors is
  'People by contribution score, highest first. The cursor is a person: the next page begins after their current '
  'position.';
