-- Reputation in detail for the person themselves, and a summary for everyone.
-- docs/decisions.md, Reputation.

create function private.detailed_interests(p_user uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((
    select json_agg(json_build_object(
             'interestId', i.id,
             'slug', i.slug,
             'name', i.name,
             'value', r.value,
             'directValue', r.direct_value,
             'rolledUpValue', r.value - r.direct_value,
             'level', private.reputation_level(r.value),
             'nextLevel', private.next_level(r.value),
             'byKind', coalesce((select json_object_agg(k.kind, k.points order by k.kind)
                                 from app.reputation_kinds k
                                 where k.user_id = p_user and k.interest_id = i.id and k.points <> 0), '{}'))
             order by r.value desc, r.interest_id)
    from app.reputation r join app.interests i on i.id = r.interest_id
    where r.user_id = p_user and (r.value <> 0 or r.direct_value <> 0)), '[]');
end $$;
comment on function private.detailed_interests is
  'A person''s interests with the parts of each value: {interestId, slug, name, value, directValue, rolledUpValue, '
  'level, nextLevel, byKind}. Only the person sees the parts.';

create function private.reputation_events(p_user uuid, p_limit integer, p_cursor text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from bigint;
  v_ids  uuid[];
begin
  select e.position into v_from from app.reputation_entries e
  where e.id = private.require_cursor(p_cursor) and e.user_id = p_user;
  if p_cursor is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 9223372036854775807);   -- plain variables, so that the planner can use the index
  v_ids := array(select e.id from app.reputation_entries e
                 where e.user_id = p_user and e.position < v_from
                 order by e.position desc limit 51);
  return private.page(
    (select json_agg(json_build_object(
              'id', e.id,
              'interestId', e.interest_id,
              'kind', e.kind,
              'delta', e.delta,
              'createdAt', private.utc(e.created_at),
              'rolledUp', e.roll_up_level > 0) order by p.place)
     from unnest(v_ids[:p_limit]) with ordinality as p (id, place) join app.reputation_entries e on e.id = p.id),
    v_ids::text[], p_limit);
end $$;
comment on function private.reputation_events is
  'A page of a person''s ledger, newest first: {id, interestId, kind, delta, createdAt, rolledUp}.';
call private.force_index_scans('private.reputation_events');

create function api.get_reputation_details(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql volatile   -- applies the caller's pending effects first
set search_path = ''
as $$
declare
  v_me uuid := private.require_caller();
begin
  perform private.catch_up(v_me);
  return json_build_object(
    'total', private.total_reputation(v_me),
    'contributionScore', coalesce((select c.score from app.contribution_scores c where c.user_id = v_me), 0),
    'interests', private.detailed_interests(v_me),
    'events', private.reputation_events(v_me, p_limit, p_cursor));
end $$;
comment on function api.get_reputation_details is
  'The caller''s reputation with its parts, and a page of their ledger: {total, contributionScore, interests, '
  'events: {items, nextCursor, hasMore}}.';

create function api.get_reputation_summary(p_person text) returns json
language plpgsql volatile   -- applies the person's pending effects first
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
begin
  perform private.catch_up(v_person);
  return json_build_object(
    'userId', (select actor_id from app.person_card where id = v_person),
    'total', private.total_reputation(v_person),
    'topInterests', coalesce((select json_agg(c.card order by c.value desc, c.interest_id)
                              from (select * from app.reputation_card where user_id = v_person and value > 0
                                    order by value desc, interest_id limit 5) c), '[]'));
end $$;
comment on function api.get_reputation_summary is
  'A summary of a person''s reputation: {userId, total, topInterests}, with up to five interests, strongest first.';
