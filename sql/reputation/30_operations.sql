-- What people see of reputation, and what it allows them to do.
-- docs/decisions.md, Reputation.

insert into private.errors (code, status, text) values
  ('reputation_too_low', 403, 'Your reputation in this interest is too low for this.'),
  ('journalism_not_allowed', 403, 'You need a reputation of at least 20 in one interest to publish journalism.');

create function private.reputation_value(p_user uuid, p_interest uuid) returns numeric
language plpgsql stable   -- runs as the invoker: returns 0 for people that the caller can't see
set search_path = ''
as $$
begin
  return coalesce((select r.value from app.reputation r where r.user_id = p_user and r.interest_id = p_interest), 0);
end $$;
comment on function private.reputation_value is 'A person''s reputation in one interest, roll-ups included.';

create function private.total_reputation(p_user uuid) returns numeric
language plpgsql stable   -- runs as the invoker: returns 0 for people that the caller can't see
set search_path = ''
as $$
begin
  return (select coalesce(sum(r.direct_value), 0) from app.reputation r where r.user_id = p_user);
end $$;
comment on function private.total_reputation is 'The sum of a person''s direct entries, without roll-ups.';

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
  'A person''s reputation in one interest, {interestId, slug, name, value, level}. An interest whose value is 0 has '
  'no row.';

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
comment on function private.reputation_of is 'A person''s reputation, strongest interest first: {total, items}.';

create function api.get_my_reputation() returns json
language plpgsql volatile   -- applies the caller's pending effects first
set search_path = ''
as $$
begin
  perform private.catch_up(private.require_caller());
  return private.reputation_of(private.require_caller());
end $$;
comment on function api.get_my_reputation is
  'The caller''s reputation, strongest interest first: {total, items: [{interestId, slug, name, value, level}]}.';

create function api.get_reputation(p_person text) returns json
language plpgsql volatile   -- applies the person's pending effects first
set search_path = ''
as $$
declare
  v_person uuid := private.require_person(p_person);
begin
  perform private.catch_up(v_person);
  return private.reputation_of(v_person);
end $$;
comment on function api.get_reputation is 'A person''s reputation, as in api.get_my_reputation.';

create function private.require_reputation(p_interest uuid, p_min numeric) returns void
language plpgsql volatile   -- applies the caller's pending effects first
set search_path = ''
as $$
begin
  if p_interest is null then
    return;
  end if;
  perform private.lock_effects(private.require_caller());
  if private.reputation_value(private.require_caller(), p_interest) < p_min then
    perform private.raise_error('reputation_too_low');
  end if;
end $$;
comment on function private.require_reputation is
  'The reputation guard: passes if the caller has at least this value in the interest, or if there is no interest.';

create function private.has_journalism_reputation(p_user uuid) returns boolean
language plpgsql stable   -- runs as the invoker: returns false for people that the caller can't see
set search_path = ''
as $$
begin
  return exists (select from app.reputation r where r.user_id = p_user and r.value >= 20);
end $$;
comment on function private.has_journalism_reputation is
  'Returns whether a person has at least 20 in any one interest, which is the rule for canPostJournalism.';

create function private.may_post_journalism(p_user uuid) returns boolean
language plpgsql stable security definer   -- checks any person, not just the caller
set search_path = ''
as $$
begin
  return private.has_journalism_reputation(p_user)
      or exists (select from app.users u where u.id = p_user and u.role = 'admin' and private.has_needed_factor(u.id));
end $$;
comment on function private.may_post_journalism is
  'Returns whether a person''s posts may be journalism, because of their reputation or because they are an admin. '
  'For an admin this is true even if canPostJournalism is false. An admin needs the second factor that the role '
  'needs.';

create function private.check_journalism() returns trigger
language plpgsql security definer   -- checks the author, not the caller
set search_path = ''
as $$
begin
  perform private.lock_effects(new.author_id);
  if not private.may_post_journalism(new.author_id) then
    perform private.raise_error('journalism_not_allowed');
  end if;
  return new;
end $$;
comment on function private.check_journalism is
  'Trigger: rejects journalism if the author of the post may not publish it at that time. A post remains journalism '
  'even if the author''s reputation falls later.';
create trigger _300_check_journalism before insert on app.posts
  for each row when (new.is_journalism) execute function private.check_journalism();
create trigger _300_check_changed_journalism before update of is_journalism on app.posts
  for each row when (new.is_journalism and not old.is_journalism) execute function private.check_journalism();

create function private.may_propose_guild() returns boolean
language plpgsql immutable
set search_path = ''
as $$ begin return false; end $$;
comment on function private.may_propose_guild is
  'The rule for canProposeGuild. Nobody may propose a guild in the first release.';

create function api.get_my_capabilities() returns json
language plpgsql volatile   -- applies the caller's pending effects first
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_total numeric;
  v_best  numeric;
begin
  perform private.catch_up(v_me);
  v_total := private.total_reputation(v_me);
  v_best := coalesce((select max(value) from app.reputation where user_id = v_me), 0);
  return json_build_object(
    'canVoteWiki', v_total >= 5,
    'canMentor', v_best >= 30 or v_total >= 50,
    'canModerate', (select role in ('moderator', 'admin') from app.users where id = v_me),
    'canProposeGuild', private.may_propose_guild(),
    'canPostJournalism', private.has_journalism_reputation(v_me));
end $$;
comment on function api.get_my_capabilities is
  'What the caller may do: {canVoteWiki, canMentor, canModerate, canProposeGuild, canPostJournalism}. '
  'canProposeGuild is always false in the first release.';
