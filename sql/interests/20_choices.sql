-- The interests that people chose from the catalog, each with a depth.
-- docs/decisions.md, Interests.

create table app.user_interests (
  user_id     uuid not null references app.users on delete cascade,
  interest_id uuid not null,
  depth       smallint not null,
  expertise   smallint not null,
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (user_id, interest_id),
  constraint interest_unknown foreign key (interest_id) references app.interests on delete restrict,
  constraint interest_depth_out_of_range check (depth between 1 and 5),
  constraint interest_expertise_out_of_range check (expertise between 1 and 5)
);
create index user_interests_interest_id_idx on app.user_interests (interest_id);
comment on table app.user_interests is
  'The interests that people chose. depth and expertise go from 1 (Curious) to 5. created_at also gives the order '
  'of interests that were chosen in one bulk choice.';
create trigger _100_touch before update on app.user_interests
  for each row execute function private.touch();

insert into private.event_types (name, payload, happens) values
  ('interests.user_selected', '{userId,interestIds}',
   'a person has confirmed a choice of interests');

insert into private.errors (code, status, text) values
  ('interest_depth_out_of_range', 422, 'depth must be between 1 and 5.'),
  ('interest_expertise_out_of_range', 422, 'expertise must be between 1 and 5.');

insert into private.lock_kinds (kind, position) values ('choices', 250);

create function private.count_choices() returns trigger
language plpgsql security definer   -- only triggers may write the counts
set search_path = ''
as $$
begin
  -- sort the interests, so that two bulk choices don't deadlock: ARCHITECTURE.md, Locks
  perform from app.interests i
  where i.id in (select c.interest_id from changed c)
  order by i.id for no key update;

  update app.interests i
  set user_count = i.user_count + case tg_op when 'INSERT' then c.people else -c.people end
  from (select interest_id, count(*)::int as people from changed group by interest_id) c
  where i.id = c.interest_id;
  return null;
end $$;
comment on function private.count_choices is 'Trigger: maintains app.interests.user_count.';
create trigger _110_count_added after insert on app.user_interests
  referencing new table as changed for each statement execute function private.count_choices();
create trigger _111_count_dropped after delete on app.user_interests
  referencing old table as changed for each statement execute function private.count_choices();

create view app.user_interest_card with (security_invoker) as
select u.user_id, u.interest_id, u.created_at,
       json_build_object(
         'interestId', i.id,
         'slug', i.slug,
         'name', i.name,
         'level', i.level,
         'parentId', i.parent_id,
         'accentColor', i.accent_color,
         'depth', u.depth,
         'expertise', u.expertise,
         'createdAt', private.utc(u.created_at),
         'updatedAt', private.utc(u.updated_at)) as card
from app.user_interests u join app.interests i on i.id = u.interest_id;
comment on view app.user_interest_card is
  'A chosen interest: {interestId, slug, name, level, parentId, accentColor, depth, expertise, createdAt, updatedAt}.';

create function api.list_my_interests() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('items', coalesce(
    (select json_agg(c.card order by c.created_at, c.interest_id)
     from app.user_interest_card c where c.user_id = private.require_caller()), '[]'::json),
    'nextCursor', null, 'hasMore', false);
end $$;
comment on function api.list_my_interests is
  'All interests that the caller chose, in the order in which they chose them, as one page: {items, nextCursor, '
  'hasMore}.';

create function api.select_interest(p_interest_id uuid, p_depth integer, p_expertise integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('select_interest', json_build_array(p_interest_id, p_depth, p_expertise));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  insert into app.user_interests (user_id, interest_id, depth, expertise)
  values (private.require_caller(), private.require_interest(p_interest_id), p_depth, p_expertise)
  on conflict (user_id, interest_id) do update
    set depth = excluded.depth, expertise = excluded.expertise;
  return private.finish_idempotent('select_interest', (
    select c.card from app.user_interest_card c where c.user_id = app.uid() and c.interest_id = p_interest_id));
end $$;
comment on function api.select_interest is
  'Chooses an interest, or changes the depth and expertise of a chosen interest. Fails: '
  'interest_depth_out_of_range, interest_expertise_out_of_range.';

create function api.select_interests(p_interests jsonb) returns json
language plpgsql
set search_path = ''
as $$
declare
  v_chosen uuid[];
begin
  -- lock, so that a person makes one choice at a time and created_at follows the order of the choices
  perform private.lock('choices', private.require_caller()::text);

  with named as (
    select distinct on (r.id) r.id, r.depth, r.expertise, r.place
    from rows from (jsonb_to_recordset(p_interests) as ("interestId" uuid, depth integer, expertise integer))
         with ordinality as r (id, depth, expertise, place)
    order by r.id, r.place desc
  ), chosen as (
    insert into app.user_interests (user_id, interest_id, depth, expertise)
    select app.uid(), private.require_interest(n.id), n.depth, n.expertise from named n order by n.place
    on conflict (user_id, interest_id) do update
      set depth = excluded.depth, expertise = excluded.expertise
    returning interest_id
  )
  select array_agg(interest_id) into v_chosen from chosen;

  perform private.emit('interests.user_selected',
    json_build_object('userId', app.uid(), 'interestIds', coalesce(to_json(v_chosen), '[]'::json)),
    array[app.uid()]);
  return api.list_my_interests();
end $$;
comment on function api.select_interests is
  'Confirms a choice of interests, [{interestId, depth, expertise}], all or none. It adds or changes these '
  'interests, and keeps the caller''s other interests. If an interest is named twice, the last entry counts. '
  'Returns all chosen interests, {items}. Fails: interest_depth_out_of_range, interest_expertise_out_of_range.';

create function api.drop_interest(p_interest_id uuid) returns json
language plpgsql
set search_path = ''
as $$
begin
  delete from app.user_interests
  where user_id = private.require_caller() and interest_id = private.require_interest(p_interest_id);
  return null;   -- the response is 204
end $$;
comment on function api.drop_interest is
  'Removes an interest from the caller''s choices. Repeating it changes nothing.';
