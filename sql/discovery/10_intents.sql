-- What people look for in others (their intents), and how they find each other by their intents. The interests that a
-- person chose are private: others learn only how many they share.
-- docs/decisions.md, Discovery.

create table app.connection_intents (
  user_id    uuid primary key references app.users on delete cascade,
  intent     text not null check (intent in ('networking', 'friends', 'romantic', 'mentor', 'mentee', 'collab')),
  note       text,
  is_active  boolean not null default true,
  hidden     boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint intent_note check (length(note) between 1 and 280)
);
create index connection_intents_created_at_idx on app.connection_intents (intent, created_at, user_id)
  where is_active and not hidden;
create trigger touch before update of intent, note, is_active on app.connection_intents
  for each row execute function private.touch();
comment on table app.connection_intents is
  'What a person looks for, one intent per person. Nobody finds a person by an intent that is not active.';
comment on column app.connection_intents.hidden is 'Whether the person is banned. private.hide_intent sets it.';
comment on column app.connection_intents.created_at is
  'When the person first set an intent. Among people who share equally many interests, the one who has waited '
  'longest comes first.';

create table private.intent_interests (
  intent      text not null,
  interest_id uuid not null references app.interests on delete cascade,
  placed_at   timestamptz not null,
  user_id     uuid not null references app.users on delete cascade,
  primary key (intent, interest_id, placed_at, user_id)
);
create index intent_interests_user_id_idx on private.intent_interests (user_id);
create index intent_interests_interest_id_idx on private.intent_interests (interest_id);
comment on table private.intent_interests is
  'The people with an active intent, by the interests that they chose. People who have waited longest come first. '
  'Triggers maintain it.';
comment on column private.intent_interests.placed_at is 'When the person first set an intent.';

insert into private.errors (code, status, text) values
  ('intent_unknown', 404, 'You have not set an intent yet. Set one with PUT /discovery/intent.'),
  ('intent_missing', 422, 'You have no intent. Set one with PUT /discovery/intent, or name an intent in the request.'),
  ('intent_note', 422, 'A note can have up to 280 characters.');

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.connection_intents', 'user_id', 'intent', '{hidden}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.intent_interests', 'user_id', 'A copy of the intent and the chosen interests, which have sections.');

insert into private.lock_kinds (kind, position) values ('intents', 598);

create function private.place_intents(p_users uuid[]) returns void
language plpgsql volatile security definer   -- only triggers may write private.intent_interests
set search_path = ''
as $$
begin
  -- otherwise concurrent changes of a person's intent and of their chosen interests would not see each other
  perform private.lock('intents', variadic p_users::text[]);
  delete from private.intent_interests where user_id = any (p_users);
  insert into private.intent_interests (intent, interest_id, placed_at, user_id)
  select i.intent, c.interest_id, i.created_at, i.user_id
  from app.connection_intents i join app.user_interests c on c.user_id = i.user_id
  where i.user_id = any (p_users) and i.is_active and not i.hidden;
end $$;
comment on function private.place_intents is 'Updates private.intent_interests for these people.';
call private.force_index_scans('private.place_intents');

create function private.place_intent() returns trigger
language plpgsql security definer   -- only triggers may write private.intent_interests
set search_path = ''
as $$
begin
  perform private.place_intents(array[new.user_id]);
  return null;
end $$;
comment on function private.place_intent is
  'Trigger: after a change of an intent, updates the index, so that others find the person by the new intent if it '
  'is active.';
create trigger place_intent after insert or update of intent, is_active, hidden on app.connection_intents
  for each row execute function private.place_intent();

create function private.place_choices() returns trigger
language plpgsql security definer   -- only triggers may write private.intent_interests
set search_path = ''
as $$
begin
  perform private.place_intents(array(select distinct c.user_id from changed c));
  return null;
end $$;
comment on function private.place_choices is
  'Trigger: updates the index when people with an active intent change the interests that they have chosen.';
create trigger _150_place_choices after insert on app.user_interests
  referencing new table as changed for each statement execute function private.place_choices();
create trigger _151_place_choices after delete on app.user_interests
  referencing old table as changed for each statement execute function private.place_choices();

create function private.hide_intent(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.connection_intents set hidden = p_user.banned_at is not null where user_id = p_user.id;
end $$;
comment on function private.hide_intent is
  'Step: hides the intents of banned people, so that searches need not skip them. When the ban ends, people get '
  'their old places back.';
insert into private.account_steps (step, events, position) values
  ('private.hide_intent', '{ban,unban}', 188);

create function private.erase_intent(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.connection_intents where user_id = p_user.id;
  delete from private.intent_interests where user_id = p_user.id;
end $$;
comment on function private.erase_intent is 'Step: deletes the intent of an erased person.';
insert into private.account_steps (step, events, position) values
  ('private.erase_intent', '{erasure}', 186);

create view app.intent_card with (security_invoker) as
select i.user_id,
       json_build_object(
         'userId', person.actor_id,
         'intent', i.intent,
         'note', i.note,
         'isActive', i.is_active,
         'createdAt', private.utc(i.created_at),
         'updatedAt', private.utc(i.updated_at)) as card
from app.connection_intents i
join app.person_card person on person.id = i.user_id;
comment on view app.intent_card is
  'An intent as its owner sees it: {userId, intent, note, isActive, createdAt, updatedAt}. userId is the actor id.';

create function private.counterpart(p_intent text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case p_intent when 'mentor' then 'mentee' when 'mentee' then 'mentor' else p_intent end;
end $$;
comment on function private.counterpart is
  'Returns the intent that matches this intent. Mentor and mentee match each other, and every other intent matches '
  'itself.';

insert into private.operations_of_people (operation) values ('set_intent');

create function api.set_intent(p_intent text, p_note text default null, p_is_active boolean default true) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into app.connection_intents (user_id, intent, note, is_active)
  values (private.require_caller(), p_intent, nullif(private.require_text(p_note), ''), coalesce(p_is_active, true))
  on conflict (user_id) do update
    set intent = excluded.intent, note = excluded.note, is_active = excluded.is_active;
  return (select c.card from app.intent_card c where c.user_id = app.uid());
end $$;
comment on function api.set_intent is
  'Sets what the caller looks for, and replaces what they set before. Fails: intent_note.';

create function api.get_intent() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.require_card('intent_unknown', (
    select c.card from app.intent_card c where c.user_id = private.require_caller()));
end $$;
comment on function api.get_intent is 'Returns what the caller looks for.';

create function private.count_shared(p_mine uuid[], p_person uuid) returns integer
language plpgsql stable security definer   -- the caller may not read the chosen interests of others
set search_path = ''
as $$
begin
  return (select count(*) from unnest(p_mine) n (id)
          join app.user_interests c on c.user_id = p_person and c.interest_id = n.id);
end $$;
comment on function private.count_shared is 'Returns how many of these interests the person has also chosen.';
call private.force_index_scans('private.count_shared');

create function private.chosen_interests() returns uuid[]
language plpgsql stable security definer   -- with a policy, every change of role would force a new plan
set search_path = ''
as $$ begin return array(select interest_id from app.user_interests where user_id = app.uid()); end $$;
comment on function private.chosen_interests is 'Returns the interests that the caller has chosen.';

create function private.match_page(p_ids uuid[], p_more json[], p_limit integer, p_next text default null) returns json
language plpgsql stable security definer   -- checks each person once, and counts shared interests
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
declare
  v_me   uuid := app.uid();
  v_mine uuid[] := private.chosen_interests();
begin
  return (
    select private.page(
             json_agg(case when p_more[m.place] is null then m.card
                           else private.merge_objects(m.card, p_more[m.place]) end
                      order by m.place) filter (where m.place <= p_limit),
             coalesce(array_agg(m.actor_id order by m.place), '{}'), p_limit, p_next)
    from (select i.place, c.actor_id,
                 private.merge_objects(c.card, json_build_object(
                   'isFollowing', (select true from app.follows f
                                   where f.follower_id = v_me and f.following_id = i.id) is true,
                   'sharedInterests', private.count_shared(v_mine, i.id))) as card
          from unnest(p_ids) with ordinality as i (id, place)
          join private.visible_people p on p.id = i.id
          join app.person_card c on c.id = i.id) m);
end $$;
comment on function private.match_page is
  'Returns a page of these people, in order: their cards with {isFollowing, sharedInterests} and the fields of '
  'p_more, one object per person. If there are further people, p_ids has one person more than the page. The cursor '
  'is an actor id, or p_next if the page is not full.';
call private.force_index_scans('private.match_page');

create function private.require_match_cursor(p_cursor text) returns app.connection_intents
language plpgsql stable security definer   -- a cursor stays valid when its person is banned or inactive
set search_path = ''
as $$
declare
  v_person uuid := private.find_person(p_cursor);
  v_intent app.connection_intents;
begin
  if p_cursor is not null then
    select * into v_intent from app.connection_intents
    where user_id = v_person and private.may_meet(private.find_level(app.uid(), v_person));
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  return v_intent;
end $$;
comment on function private.require_match_cursor is
  'Returns the intent of the person that the cursor names, even if they are banned or the intent is not active; null '
  'without a cursor.';

create function private.match_by_interest(p_intent text, p_interests uuid[])
returns table (user_id uuid, interest_id uuid, placed_at timestamptz)
language plpgsql stable security definer   -- callers may not read the intents and the chosen interests of others
set search_path = ''
as $$
declare
  v_each integer := greatest(20, 4000 / greatest(cardinality(p_interests), 1));
begin
  return query
  select e.user_id, n.id, e.placed_at
  from unnest(p_interests) n (id)
  cross join lateral (
    select i.user_id, i.placed_at from private.intent_interests i
    where i.intent = p_intent and i.interest_id = n.id
    order by i.placed_at, i.user_id limit v_each) e;
end $$;
comment on function private.match_by_interest is
  'Returns the people with this intent who chose one of these interests: for each interest the people who have '
  'waited longest, about 4000 in total, but at least 20 per interest.';
call private.force_index_scans('private.match_by_interest');

create function private.find_candidates(
  p_intent text, p_interest uuid, p_country text, p_city text, p_min_shared integer, p_after app.connection_intents
) returns uuid[]
language plpgsql stable security definer   -- checks each person once: see private.visible_people
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_mine   uuid[] := private.chosen_interests();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city   text := private.fold_query(p_city);
  v_after  uuid := (p_after).user_id;
  v_shared integer := private.count_shared(v_mine, v_after);
  v_at     timestamptz := (p_after).created_at;
begin
  return array(
    select s.id
    from (
      select b.id, b.placed_at, private.count_shared(v_mine, b.id) as shared
      from (
        select m.id, m.placed_at
        from (select t.user_id as id, t.placed_at, count(t.interest_id) as found
              from (select * from private.match_by_interest(
                      p_intent, case when p_interest is null then v_mine
                                     when p_interest = any (v_mine) then array[p_interest] else '{}' end)
                    union all
                    (select user_id, null, created_at from app.connection_intents
                     where p_min_shared < 1 and p_interest is null and intent = p_intent
                       and is_active and not hidden
                     order by created_at, user_id limit 4000)) t
              where t.user_id <> v_me
              group by t.user_id, t.placed_at
              -- sort here, so that only the best people are looked up
              order by count(t.interest_id) desc, t.placed_at, t.user_id offset 0) m
        join private.listed_people p on p.id = m.id
        cross join lateral (select * from app.users where id = m.id offset 0) u   -- look up by id, without a scan
        where (v_country is null or u.country = v_country)
          and (v_city is null or private.fold(u.city) = v_city)
        order by m.found desc, m.placed_at, m.id limit 400) b) s
    where s.shared >= p_min_shared
      and (v_after is null or (-s.shared, s.placed_at, s.id) > (-v_shared, v_at, v_after))
    order by s.shared desc, s.placed_at, s.id limit 51);
end $$;
comment on function private.find_candidates is
  'Returns the next people with this intent who share at least this many interests with the caller, and this '
  'interest if it is given. People who share most come first, then people who have waited longest. It chooses from '
  'the best 400 of the people that private.match_by_interest returns; if no shared interest is required, also from '
  'the 4000 people who have waited longest.';
call private.force_index_scans('private.find_candidates');

create function private.find_interest(p_slug text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_id uuid;
begin
  if p_slug is not null then
    select id into v_id from app.interests where slug = lower(p_slug);
    if not found then
      perform private.raise_error('interest_unknown');
    end if;
  end if;
  return v_id;
end $$;
comment on function private.find_interest is 'Returns the interest with this slug; null if the slug is null.';

create function private.candidate_fields(p_ids uuid[]) returns json[]
language plpgsql stable security definer   -- reads intents of people whom its caller has found visible
set search_path = ''
as $$
begin
  return array(
    select json_build_object('intent', c.intent, 'note', c.note, 'country', u.country, 'city', u.city)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.users u on u.id = i.id
    join app.connection_intents c on c.user_id = i.id
    order by i.place);
end $$;
comment on function private.candidate_fields is
  'The fields that a candidate''s card adds to the person''s: {intent, note, country, city}.';
call private.force_index_scans('private.candidate_fields');

create function api.list_candidates(
  p_intent text default null, p_interest_slug text default null, p_country text default null,
  p_city text default null, p_min_shared integer default 1, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_intent text := coalesce(p_intent, (select intent from app.connection_intents
                                       where user_id = private.require_caller()));
  v_ids    uuid[];
begin
  if v_intent is null then
    perform private.raise_error('intent_missing');
  end if;
  v_ids := private.find_candidates(
    private.counterpart(v_intent), private.find_interest(p_interest_slug), p_country, p_city,
    coalesce(p_min_shared, 1), private.require_match_cursor(p_cursor));
  return private.match_page(v_ids, private.candidate_fields(v_ids), p_limit);
end $$;
comment on function api.list_candidates is 'People whose intent matches the caller''s.';
