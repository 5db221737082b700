-- Circles are groups of people to whom a person shows more than to strangers. Members see the owner's posts for
-- circles. Members on the inner-circle level also see posts for the inner circle. docs/decisions.md, Circles and
-- blocks.

create table app.circles (
  id         uuid primary key default gen_random_uuid(),
  owner_id   uuid not null references app.users on delete cascade,
  kind       text not null default 'general' check (kind in ('general', 'family', 'work', 'inner', 'custom')),
  name       text not null check (length(btrim(name)) between 1 and 60),
  accent     text check (accent ~ '^[a-z]{2,20}$'),
  created_at timestamptz not null default now(),
  unique (id, owner_id)
);
create index circles_owner_id_idx on app.circles (owner_id, created_at desc, id desc);
comment on table app.circles is 'A person''s circles. The kind is a label and grants nothing.';

create table app.circle_members (
  circle_id  uuid not null,
  owner_id   uuid not null,
  member_id  uuid not null references app.users on delete cascade,
  bond_level text not null default 'acquaintance' check (bond_level in ('acquaintance', 'inner-circle')),
  created_at timestamptz not null default now(),
  made_at    timestamptz not null,
  constraint member_already primary key (circle_id, member_id),
  foreign key (circle_id, owner_id) references app.circles (id, owner_id) on delete cascade,
  constraint member_oneself check (member_id <> owner_id)
);
create index circle_members_circle_owner_idx on app.circle_members (circle_id, owner_id);
create index circle_members_member_id_idx on app.circle_members (member_id, owner_id) include (bond_level);
create index circle_members_made_at_idx on app.circle_members (member_id, made_at desc, circle_id desc)
  include (owner_id);
comment on table app.circle_members is
  'The members of circles. owner_id repeats the circle''s owner, so that policies and the audience need no join.';
comment on column app.circle_members.made_at is
  'When the circle was created, which decides its place in the lists of its members. A trigger writes it.';

insert into private.event_types (name, payload, happens) values
  ('social.member.added', '{circleId,memberId}',
   'somebody was added to a circle by its owner, or accepted an invitation'),
  ('social.member.removed', '{circleId,memberId}',
   'somebody has left a circle or was removed, or the circle was deleted');

insert into private.errors (code, status, text) values
  ('circle_unknown', 404, 'There is no such circle.'),
  ('circle_not_yours', 403, 'Only the owner of a circle can do this.'),
  ('circle_full', 409, 'A circle can have at most 10 members.'),
  ('circles_exhausted', 409, 'You can have at most 10 circles of each kind.'),
  ('member_already', 409, 'This person is already in the circle.'),
  ('member_unknown', 404, 'This person is not in the circle.'),
  ('member_oneself', 400, 'You cannot be a member of your own circle.');

insert into private.lock_kinds (kind, position) values ('circles', 450);

create function private.limit_circles() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit
  perform private.lock('circles', new.owner_id::text);
  if (select count(*) from app.circles where owner_id = new.owner_id and kind = new.kind) >= 10 then
    perform private.raise_error('circles_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_circles is 'Trigger: rejects a circle if the person has 10 circles of its kind.';
create trigger limit_circles before insert on app.circles
  for each row execute function private.limit_circles();

create function private.limit_circle_members() returns trigger
language plpgsql security definer   -- counts members whom the caller may not see
set search_path = ''
as $$
begin
  -- lock the circle, so that concurrent calls cannot exceed the limit
  select created_at into new.made_at from app.circles where id = new.circle_id for update;
  if not found then
    perform private.raise_error('circle_unknown');   -- the circle was deleted in the meantime
  end if;
  if exists (select from app.circle_members where circle_id = new.circle_id and member_id = new.member_id) then
    -- check this before the count, because it is the more helpful error if the circle is full
    perform private.raise_error('member_already');
  end if;
  if (select count(*) from app.circle_members where circle_id = new.circle_id) >= 10 then
    perform private.raise_error('circle_full');
  end if;
  return new;
end $$;
comment on function private.limit_circle_members is
  'Trigger: rejects a member if the circle has 10 members, not counting the owner. Copies the circle''s creation '
  'time to made_at.';
create trigger limit_circle_members before insert on app.circle_members
  for each row execute function private.limit_circle_members();

create function private.announce_members() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.emit(
    case tg_op when 'INSERT' then 'social.member.added' else 'social.member.removed' end,
    json_build_object('circleId', c.circle_id, 'memberId', c.member_id),
    -- notify nobody if the caller joined by accepting an invitation
    case when c.member_id is distinct from app.uid() then array[c.member_id] else '{}' end)
  from changed c;
  return null;
end $$;
comment on function private.announce_members is 'Trigger: emits social.member.added and social.member.removed.';
create trigger announce_added after insert on app.circle_members
  referencing new table as changed for each statement execute function private.announce_members();
create trigger announce_removed after delete on app.circle_members
  referencing old table as changed for each statement execute function private.announce_members();

create view app.circle_card with (security_invoker) as
select c.id, c.owner_id, c.created_at,
       json_build_object(
         'id', c.id,
         'ownerId', o.actor_id,
         'owner', o.card,
         'kind', c.kind,
         'name', c.name,
         'accent', c.accent,
         'isOwner', c.owner_id = (select app.uid()),
         'createdAt', private.utc(c.created_at)) as card
from app.circles c
join app.person_card o on o.id = c.owner_id;
comment on view app.circle_card is
  'A circle as its owner and members see it: {id, ownerId, owner, kind, name, accent, isOwner, createdAt}. A member '
  'does not see the circle while there is a block between the member and the owner.';

create function private.circle_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(c.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place) join app.circle_card c on c.id = i.id);
end $$;
comment on function private.circle_cards is 'The cards of these circles that the caller sees, in order.';
call private.force_index_scans('private.circle_cards');

create function private.require_own_circle(p_circle uuid) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  v_owner uuid;
begin
  select owner_id into v_owner from app.circle_card where id = p_circle;
  if not found then
    perform private.raise_error('circle_unknown');
  elsif v_owner <> app.uid() then
    perform private.raise_error('circle_not_yours');
  end if;
  return p_circle;
end $$;
comment on function private.require_own_circle is 'Returns the circle if it is the caller''s.';

create function api.create_circle(p_name text, p_kind text default 'general', p_accent text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_circle', json_build_array(p_name, p_kind, p_accent));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  insert into app.circles (owner_id, kind, name, accent)
  values (private.require_caller(), p_kind, private.require_name(p_name), p_accent)
  returning id into v_id;
  return private.finish_idempotent('create_circle', private.circle_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_circle is 'Creates a circle for the caller. Fails: circles_exhausted.';

create function private.find_circles(p_own boolean, p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden circles
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_list   text := case when p_own then 'circles' else 'memberships' end;
  v_found  app.found;
begin
  with looked as materialized (
    select * from (
      (select created_at as at, id, owner_id from app.circles
       where p_own and owner_id = v_me and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc)
      union all
      (select made_at, circle_id, owner_id from app.circle_members
       where member_id = v_me and (made_at, circle_id) < (v_from, v_before)
       order by made_at desc, circle_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people o on o.id = l.owner_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_circles is
  'The next circles of others in which the caller is a member, and with p_own also the caller''s own, among the '
  'next 400. It leaves out circles whose owner is hidden.';
call private.force_index_scans('private.find_circles');

create function private.require_circle_place(p_cursor text, p_own boolean default true) returns app.place
language plpgsql stable
set search_path = ''
as $$
declare
  v_place app.place := private.require_place(case when p_own then 'circles' else 'memberships' end, p_cursor);
begin
  if p_cursor is null then
    return ('infinity', app.uid())::app.place;   -- no row has this time, so any id works
  elsif v_place.at is null then
    select created_at, id into v_place from app.circles
    where id = v_place.id and (p_own or owner_id <> app.uid());
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  return v_place;
end $$;
comment on function private.require_circle_place is
  'The place of a cursor''s circle. The caller must be a member or, with p_own, the owner.';

create function api.list_my_circles(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_circles(true, private.require_circle_place(p_cursor));
begin
  return private.page(private.circle_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_my_circles is 'The circles that the caller owns or is a member of, newest first.';

create function api.update_circle(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.circles
  set name = case when p_changes ? 'name' then private.require_name(p_changes ->> 'name') else name end,
      accent = case when p_changes ? 'accent' then p_changes ->> 'accent' else accent end
  where id = private.require_own_circle(p_id);
  return private.circle_cards(array[p_id]) -> 0;
end $$;
comment on function api.update_circle is
  'Changes name and accent of the caller''s circle. An accent of null removes it.';

create function private.drop_circle(p_id uuid, p_owner uuid) returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  -- lock pairs before rows, so that an acceptance or a block waits and does not deadlock: ARCHITECTURE.md, Locks
  perform private.lock_pairs(array_agg(p.person), array_agg(p_owner))
  from (select member_id as person from app.circle_members where circle_id = p_id
        union select invitee_id from app.circle_invitations where circle_id = p_id and status = 'pending') p;
  delete from app.circles where id = p_id;
  return found;
end $$;
comment on function private.drop_circle is
  'Deletes a circle of this owner with its memberships and invitations. Returns false if the circle no longer exists.';

create function api.delete_circle(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.require_own_circle(p_id);
  perform private.drop_circle(p_id, app.uid());
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_circle is 'Deletes the caller''s circle with its memberships and invitations.';

insert into private.links (type, path) values ('circle', '/circles/{id}');
