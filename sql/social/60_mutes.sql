-- Mutes, of which the muted person is not notified, and the list of people whom a person has blocked.
-- docs/decisions.md, Circles and blocks.

create table app.mutes (
  muter_id   uuid not null references app.users on delete cascade,
  muted_id   uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (muter_id, muted_id),
  constraint mute_oneself check (muter_id <> muted_id)
);
create index mutes_muted_id_idx on app.mutes (muted_id);
comment on table app.mutes is
  'The mutes of people. The muter''s feed leaves out the muted person''s posts, and the muter gets no notifications '
  'that the muted person causes.';
-- no right to update, because people only make or lift mutes

insert into private.errors (code, status, text) values
  ('mute_oneself', 400, 'You cannot mute yourself.'),
  ('mutes_exhausted', 409, 'You can mute at most 5000 people.');

insert into private.lock_kinds (kind, position) values ('mutes', 450);

create function private.limit_mutes() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- lock, so that concurrent calls cannot exceed the limit, because the feed checks all mutes for every post
  perform private.lock('mutes', new.muter_id::text);
  if (select count(*) from app.mutes where muter_id = new.muter_id and muted_id <> new.muted_id) >= 5000 then
    perform private.raise_error('mutes_exhausted');
  end if;
  return new;
end $$;
comment on function private.limit_mutes is 'Trigger: rejects a mute if the person has muted 5000 others.';
create trigger limit_mutes before insert on app.mutes for each row execute function private.limit_mutes();

create function private.require_name_cursor(p_cursor text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_name text := coalesce(private.username_of(p_cursor), '');
begin
  if p_cursor is not null and v_name !~ '^[a-z0-9_]{3,30}$' then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_name;
end $$;
comment on function private.require_name_cursor is
  'The name in a cursor of a list that is sorted by name; empty without a cursor. The cursor stays valid even if the '
  'person with this name has left the list.';

create function private.muted_people() returns uuid[]
language plpgsql stable   -- runs as the invoker: policies show only the caller's own mutes
set search_path = ''
as $$
begin
  return array(select muted_id from app.mutes where muter_id = app.uid());
end $$;
comment on function private.muted_people is
  'The people whom the caller has muted. A query that filters by them calls this once.';

create function api.mute_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into app.mutes (muter_id, muted_id) values (private.require_caller(), private.require_person(p_person))
  on conflict do nothing;
  return json_build_object('muted', true);
end $$;
comment on function api.mute_person is
  'Mutes a person, who notices nothing. Repeating it changes nothing. Fails: mute_oneself, mutes_exhausted.';

create function api.unmute_person(p_person text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.mutes where muter_id = app.uid() and muted_id = private.require_person(p_person);
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unmute_person is 'Lifts a mute; repeating it changes nothing.';

create function api.list_mutes(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_after text := private.require_name_cursor(p_cursor);
begin
  return private.person_page(array(
    select u.id from app.mutes m join app.users u on u.id = m.muted_id
    where m.muter_id = private.require_caller() and u.username > v_after
    order by u.username limit 51), p_limit);
end $$;
comment on function api.list_mutes is
  'The people whom the caller has muted, by username, without people with a block between them and the caller.';

create function private.own_blocks(p_after text) returns table (card json)
language plpgsql stable security definer   -- a block hides people whom the caller must see to unblock them
set search_path = ''
as $$
declare
  v_domain text := private.domain();
begin
  return query
    select json_build_object('id', private.actor_id(u.username, v_domain),
                             'actorId', private.actor_id(u.username, v_domain),
                             'personId', u.person_id, 'username', u.username,
                             'createdAt', private.utc(b.created_at))
    from app.blocks b join app.users u on u.id = b.blocked_id
    where b.blocker_id = app.uid() and u.erased_at is null and u.username > p_after
    order by u.username limit 51;
end $$;
comment on function private.own_blocks is
  'The next 51 people whom the caller has blocked, by username, after the name p_after. It shows only the names of '
  'these people: {id, actorId, personId, username, createdAt}.';

create function api.list_blocks(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_after text := private.require_name_cursor(p_cursor);
begin
  return (
    select private.page(json_agg(b.card order by b.place) filter (where b.place <= p_limit),
                        coalesce(array_agg(b.card ->> 'id' order by b.place), '{}'), p_limit)
    from private.own_blocks(v_after) with ordinality as b (card, place));
end $$;
comment on function api.list_blocks is
  'The people whom the caller has blocked, by username. No other list names these people, or people who blocked the '
  'caller.';
