-- What people see of reputation, and what it lets them do.
-- Specification: Resources › Reputation (levels); Reputation and access; Authentication › Capabilities.

create function private.reputation_level(p_value numeric) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_value >= 90 then 'Lifework'
    when p_value >= 70 then 'Master'
    when p_value >= 50 then 'Adept'
    when p_value >= 30 then 'Practitioner'
    when p_value >= 10 then 'Reader'
    else 'Curious'
  end
$$;
comment on function private.reputation_level is 'The name of the level that a value has reached.';

create function private.reputation_value(p_user uuid, p_interest uuid) returns numeric
language plpgsql stable   -- invoker: of people whom the caller cannot see it is 0
set search_path = ''
as $$
begin
  return coalesce((select r.value from app.reputation r where r.user_id = p_user and r.interest_id = p_interest), 0);
end $$;
comment on function private.reputation_value is 'A person''s reputation in one interest, roll-ups included.';

create function private.total_reputation(p_user uuid) returns numeric
language plpgsql stable   -- invoker: of people whom the caller cannot see it is 0
set search_path = ''
as $$
begin
  return (select coalesce(sum(r.direct_value), 0) from app.reputation r where r.user_id = p_user);
end $$;
comment on function private.total_reputation is 'The sum of a person''s direct entries, roll-ups left out.';

create view app.reputation_card with (security_invoker) as
select r.user_id, r.interest_id, r.value,
       json_build_object(
         'interestId', i.id,
         'slug', i.slug,
         'name', i.name,
         'value', r.value,
         'level', private.reputation_level(r.value)) as card
from app.reputation r join app.interests i on i.id = r.interest_id
where r.value <> 0;
comment on view app.reputation_card is
  'A person''s reputation in one interest, {interestId, slug, name, value, level}; none where all was taken back.';

create function private.reputation_of(p_user uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'total', private.total_reputation(p_user),
    'items', coalesce((select json_agg(c.card order by c.value desc, c.interest_id)
                       from app.reputation_card c where c.user_id = p_user), '[]'::json));
end $$;
comment on function private.reputation_of is '{total, items}: a person''s reputation, the strongest interest first.';

create function api.get_my_reputation() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.reputation_of(private.caller());
end $$;
comment on function api.get_my_reputation is
  'The caller''s reputation, the strongest interest first: {total, items: [{interestId, slug, name, value, level}]}.';

create function api.get_reputation(p_person text) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.reputation_of(private.person(p_person));
end $$;
comment on function api.get_reputation is 'A person''s reputation, as api.get_my_reputation. Fails: person_unknown.';

create function api.get_my_capabilities() returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_me    uuid := private.caller();
  v_total numeric := private.total_reputation(v_me);
  v_best  numeric := coalesce((select max(value) from app.reputation where user_id = v_me), 0);
begin
  return json_build_object(
    'canVoteWiki', v_total >= 5,
    'canMentor', v_best >= 30 or v_total >= 50,
    'canModerate', (select role in ('moderator', 'admin') from app.users where id = v_me),
    'canProposeGuild', false,
    'canPostJournalism', v_best >= 20);
end $$;
comment on function api.get_my_capabilities is
  'What the caller may do: {canVoteWiki, canMentor, canModerate, canProposeGuild, canPostJournalism}. canProposeGuild is always false in the first release.';
