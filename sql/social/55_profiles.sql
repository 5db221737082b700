-- People as others see them: a profile with its counts and its relation to the caller, and several people at once.
-- docs/decisions.md, People.

create function private.ties_to(p_person uuid) returns json
language plpgsql stable security definer   -- checks only rows that name both people
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_bonds text[] := array(select distinct bond_level from app.circle_members
                          where owner_id = v_me and member_id = p_person);
begin
  if p_person = v_me then
    return null;
  end if;
  return json_build_object(
    'follows', exists (select from app.follows where follower_id = v_me and following_id = p_person),
    'followedBy', exists (select from app.follows where follower_id = p_person and following_id = v_me),
    'inMyCircle', v_bonds <> '{}',
    'bondLevel', case when 'inner-circle' = any (v_bonds) then 'inner-circle' else v_bonds[1] end,
    'inTheirCircle', exists (select from app.circle_members where owner_id = p_person and member_id = v_me),
    'muted', exists (select from app.mutes where muter_id = v_me and muted_id = p_person));
end $$;
comment on function private.ties_to is
  'The relation between the caller and a person: {follows, followedBy, inMyCircle, bondLevel, inTheirCircle, '
  'muted}. bondLevel is the highest level of the person in the caller''s circles. Null for the caller.';

create function api.get_profile(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
begin
  return (
    select private.merge_objects(p.card, json_build_object(
             'counters', private.follow_numbers(v_person), 'viewer', private.ties_to(v_person)))
    from app.profile_card p where p.id = v_person);
end $$;
comment on function api.get_profile is
  'A person''s public profile, by personId, actor id, or a current or earlier username, with {counters, viewer}.';

create function api.get_people(p_ids text[]) returns json
language plpgsql stable   -- runs as the invoker: people whom policies hide are left out
set search_path = ''
as $$
begin
  if cardinality(p_ids) > 50 then
    perform private.raise_error('value_invalid');
  end if;
  return json_build_object('items', (
    select coalesce(json_agg(c.card order by i.place), '[]')
    from (select private.find_person(n.name) as id, min(n.place) as place
          from unnest(p_ids) with ordinality as n (name, place) group by 1) i
    join app.person_card c on c.id = i.id));
end $$;
comment on function api.get_people is
  'The cards of up to 50 people, in the order of their first mention, without those that the caller can''t see: '
  '{items}. Fails: value_invalid (more than 50).';
