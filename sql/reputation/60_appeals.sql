-- By an appeal, people who think that their reputation in an interest is wrong ask staff to review it. sql/admin
-- resolves appeals. docs/decisions.md, Reputation.

create table app.reputation_appeals (
  id            uuid primary key default gen_random_uuid(),
  user_id       uuid not null references app.users on delete restrict,
  interest_id   uuid not null references app.interests on delete restrict,
  entry_id      uuid references app.reputation_entries on delete restrict,
  text          text not null check (length(text) <= 2000),
  status        text not null default 'pending' check (status in ('pending', 'accepted', 'rejected')),
  restore_delta numeric(12, 2) check (restore_delta > 0),
  note          text check (length(note) between 1 and 1000),
  resolved_at   timestamptz,
  created_at    timestamptz not null default now(),
  check ((status = 'pending') = (resolved_at is null)),
  check (restore_delta is null or status = 'accepted')
);
create unique index reputation_appeals_pending_key on app.reputation_appeals (user_id, interest_id)
  where status = 'pending';
create index reputation_appeals_user_id_idx on app.reputation_appeals (user_id, created_at desc, id desc);
create index reputation_appeals_interest_id_idx on app.reputation_appeals (interest_id);
create index reputation_appeals_entry_id_idx on app.reputation_appeals (entry_id) where entry_id is not null;
create index reputation_appeals_status_idx on app.reputation_appeals (status, created_at desc, id desc);
create index reputation_appeals_created_at_idx on app.reputation_appeals (created_at desc, id desc);
comment on table app.reputation_appeals is
  'Appeals, at most one pending per person and interest. The text and note of an erased person''s appeals are '
  'empty.';
comment on column app.reputation_appeals.status is 'pending, then accepted or rejected by an admin, once.';
comment on column app.reputation_appeals.resolved_at is 'When an admin resolved the appeal; null while it is pending.';
comment on column app.reputation_appeals.entry_id is
  'The entry that the appeal is about; null if it is about the whole interest.';
comment on column app.reputation_appeals.restore_delta is 'The points that staff gave back because of the appeal.';
comment on column app.reputation_appeals.note is 'The answer of staff.';

insert into private.event_types (name, payload, happens) values
  ('reputation.appeal.resolved', '{appealId,userId,interestId,status}',
   'an admin has accepted or rejected an appeal');

insert into private.errors (code, status, text) values
  ('appeal_text', 422, 'An appeal must have 1 to 2000 characters.'),
  ('appeal_open', 409, 'You already have an open appeal in this interest.'),
  ('reputation_event_unknown', 404, 'Your reputation in this interest has no such event.');

create view app.reputation_appeal_card with (security_invoker) as
select a.id,
       json_build_object(
         'id', a.id,
         'interestId', i.id,
         'slug', i.slug,
         'eventId', a.entry_id,
         'text', a.text,
         'status', a.status,
         'restoreDelta', a.restore_delta,
         'note', a.note,
         'resolvedAt', private.utc(a.resolved_at),
         'createdAt', private.utc(a.created_at)) as card
from app.reputation_appeals a join app.interests i on i.id = a.interest_id;
comment on view app.reputation_appeal_card is
  'A person''s own appeal: {id, interestId, slug, eventId, text, status, restoreDelta, note, resolvedAt, createdAt}.';

insert into private.operations_of_people (operation) values ('create_appeal');

create function api.create_appeal(p_interest_id uuid, p_text text, p_event_id uuid default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_appeal', json_build_array(p_interest_id, p_text, p_event_id));
  v_text text;
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_text := private.require_text(p_text);
  if v_text is null or length(v_text) not between 1 and 2000 then
    perform private.raise_error('appeal_text');
  end if;
  perform private.require_interest(p_interest_id);
  if p_event_id is not null and not exists (
       select from app.reputation_entries e
       where e.id = p_event_id and e.user_id = private.require_caller() and e.interest_id = p_interest_id) then
    perform private.raise_error('reputation_event_unknown');
  end if;
  insert into app.reputation_appeals (user_id, interest_id, entry_id, text)
  values (private.require_caller(), p_interest_id, p_event_id, v_text)
  on conflict (user_id, interest_id) where status = 'pending' do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('appeal_open');
  end if;
  return private.finish_idempotent('create_appeal', (select card from app.reputation_appeal_card where id = v_id));
end $$;
comment on function api.create_appeal is
  'Appeals to the staff about the caller''s reputation in an interest, or about one entry of it (p_event_id).';

create function api.list_my_appeals(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_me   uuid := private.require_caller();
  v_id   uuid := private.require_cursor(p_cursor);
  v_from timestamptz;
  v_ids  uuid[];
begin
  select created_at into v_from from app.reputation_appeals where id = v_id;   -- appeals are never deleted
  if v_id is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 'infinity');
  v_id := coalesce(v_id, v_me);   -- no row has this time, so any id works
  v_ids := array(select id from app.reputation_appeals
                 where user_id = v_me and (created_at, id) < (v_from, v_id)
                 order by created_at desc, id desc limit 51);
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_ids[:p_limit]) with ordinality as p (id, place)
                       join app.reputation_appeal_card c on c.id = p.id), v_ids::text[], p_limit);
end $$;
comment on function api.list_my_appeals is 'The caller''s appeals, newest first.';
call private.force_index_scans('api.list_my_appeals');

insert into private.links (type, path) values ('appeal', '/appeals/{id}');
