-- Debates have a motion, the positions that people take on it, and a closing time. The columns that all kinds have are
-- in app.contents. docs/decisions.md, Contents; Debates.

create table app.debates (
  id              uuid primary key references app.contents on delete cascade,
  body            app.markdown not null,
  closes_at       timestamptz not null,
  closed_at       timestamptz,
  for_count       integer not null default 0 check (for_count >= 0),
  against_count   integer not null default 0 check (against_count >= 0),
  undecided_count integer not null default 0 check (undecided_count >= 0),
  argument_count  integer not null default 0 check (argument_count >= 0)
);
comment on table app.debates is
  'The columns of a debate that its head in app.contents does not have. The title of the head is the motion.';
comment on column app.debates.closes_at is 'When the debate closes by itself.';
comment on column app.debates.closed_at is 'When the author closed the debate before closes_at; null otherwise.';
comment on column app.debates.for_count is
  'The number of people on this side, including people whom the viewer cannot see, but not banned people. Triggers '
  'maintain the four counts.';
comment on column app.debates.argument_count is 'The number of arguments that everyone can see.';

create table app.debate_positions (
  debate_id     uuid not null references app.contents on delete cascade,
  author_id     uuid not null references app.users on delete restrict,
  side          text not null check (side in ('for', 'against', 'undecided')),
  author_hidden boolean not null default false,
  created_at    timestamptz not null default now(),
  primary key (debate_id, author_id)
);
create index debate_positions_author_id_idx on app.debate_positions (author_id, debate_id);
comment on table app.debate_positions is 'The positions that people take in a debate. Others see only counts.';
call private.make_nulls_raise_codes('app.debate_positions');
comment on column app.debate_positions.author_hidden is
  'Whether the person is banned, and therefore not counted (private.hide_children). An erasure deletes the row.';

insert into private.errors (code, status, text) values
  ('debate_unknown', 404, 'There is no such debate.'),
  ('debate_closed', 422, 'This debate is closed and read-only.'),
  ('debate_closes_at', 422, 'A debate must close in the future, and before 9999-12-31.'),
  ('debate_answered', 409, 'Others have posted arguments in this debate, so it cannot be deleted. Close it instead.');

create trigger _100_check_author before insert on app.debate_positions
  for each row execute function private.check_author();

create function private.count_positions() returns trigger
language plpgsql security definer   -- only triggers may write counts
set search_path = ''
as $$
declare
  v_there app.debate_positions[];
  v_were  app.debate_positions[];
  v_sums  record;
begin
  if tg_op <> 'DELETE' then
    v_there := array(select w from written w where not w.author_hidden);
  end if;
  if tg_op <> 'INSERT' then
    v_were := array(select o from overwritten o where not o.author_hidden);
  end if;
  for v_sums in
    select c.debate_id, sum(c.one) filter (where c.side = 'for') as pro,
           sum(c.one) filter (where c.side = 'against') as con, sum(c.one) filter (where c.side = 'undecided') as open
    from (select t.debate_id, t.side, 1 as one from unnest(v_there) t
          union all select o.debate_id, o.side, -1 from unnest(v_were) o) c
    group by c.debate_id order by c.debate_id
  loop
    update app.debates
    set for_count = for_count + coalesce(v_sums.pro, 0),
        against_count = against_count + coalesce(v_sums.con, 0),
        undecided_count = undecided_count + coalesce(v_sums.open, 0)
    where id = v_sums.debate_id;
  end loop;
  return null;
end $$;
comment on function private.count_positions is
  'Trigger: counts the people on each side of a debate, except the banned and erased.';
create trigger _200_count_taken after insert on app.debate_positions
  referencing new table as written for each statement execute function private.count_positions();
create trigger _200_count_changed after update on app.debate_positions
  referencing old table as overwritten new table as written
  for each statement execute function private.count_positions();
create trigger _200_count_left after delete on app.debate_positions
  referencing old table as overwritten for each statement execute function private.count_positions();

create view private.debate_details with (security_invoker) as
select d.id,
       json_build_object(
         'body', d.body,
         'closesAt', private.utc(d.closes_at),
         'closedAt', private.utc(d.closed_at),
         'status', case when d.closed_at is not null or d.closes_at <= now() then 'closed' else 'open' end,
         'tally', json_build_object('for', d.for_count, 'against', d.against_count, 'undecided', d.undecided_count),
         'argumentCount', d.argument_count) as detail
from app.debates d;
comment on view private.debate_details is
  'The part of a debate''s card that other contents do not have: {body, closesAt, closedAt, status, tally, '
  'argumentCount}.';

create function private.erase_debates(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
begin
  -- lock heads before details: ARCHITECTURE.md, Locks
  perform from app.contents where id = any (p_ids) and kind = 'debate' order by id for no key update;
  -- sort the ids, because counting arguments locks debates too
  perform from app.debates where id = any (p_ids) order by id for update;
  delete from app.debates where id = any (p_ids);
end $$;
comment on function private.erase_debates is 'Deletes the details of these debates when their author is erased.';

insert into private.content_kinds (kind, plural, relation, details, eraser) values
  ('debate', 'debates', 'app.debates', 'private.debate_details', 'private.erase_debates');
-- positions are deleted after arguments, in the order in which a ban locks both
insert into private.content_cascades (relation, kind, position, whose) values
  ('app.debate_positions', 'debate', 3, 'debate_id = $1');
insert into private.content_child_tables (relation, person, key) values
  ('app.debate_positions', 'author_id', 'debate_id');
insert into private.personal_data (relation, person_column, section, within) values
  ('app.debates', 'id', 'debates', '{contents}');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.debate_positions', 'author_id', 'debatePositions', '{author_hidden}');

insert into private.report_targets (type, finder, author, place) values
  ('debate', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.body, c.removed_at is not null from app.contents c join app.debates d on d.id = c.id
    where c.id = $1');
insert into private.notification_targets (type, words) values
  ('debate', 'select c.id, c.title, d.body from app.contents c join app.debates d on d.id = c.id
            where c.id = any ($1)');

create function private.debate_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks the visibility of each debate only once, like private.video_cards
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
begin
  return (
    select json_agg(
             private.merge_objects(private.merge_objects(h.head, d.detail), json_build_object(
               'viewer', json_build_object(
                 'side', (select p.side from app.debate_positions p
                          where p.debate_id = h.id and p.author_id = (select app.uid())))))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.debate_details d on d.id = h.id);
end $$;
comment on function private.debate_cards is
  'The cards of the given debates that the caller sees, in order: the head, the detail, {viewer: {side}}.';
call private.force_index_scans('private.debate_cards');

create function private.require_debate_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('debate_unknown', private.debate_cards(array[p_id]) -> 0); end $$;
comment on function private.require_debate_card is 'Returns the card of a debate that the caller may see.';

create function private.require_open_debate(p_id uuid) returns void
language plpgsql stable security definer   -- works also for people who left the space of the debate
set search_path = ''
as $$
begin
  perform from app.debates where id = p_id and closed_at is null and closes_at > now();
  if not found then
    perform private.raise_error('debate_closed');
  end if;
end $$;
comment on function private.require_open_debate is 'Passes if the debate is open.';

create function private.require_debate_closing(p_closes_at timestamptz) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  if not private.is_ahead(p_closes_at) then
    perform private.raise_error('debate_closes_at');
  end if;
  return p_closes_at;
end $$;
comment on function private.require_debate_closing is 'Returns a closing time, which must be in the future.';

create function api.list_debates(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null, p_group_id text default null,
  p_guild_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing := private.search_contents('debate', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id,
                                                 p_cursor);
begin
  return private.page(private.debate_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_debates is 'Debates, newest first, as private.search_contents finds them.';

create function private.add_debate(p_id uuid, p_body text, p_closes_at timestamptz) returns void
language plpgsql volatile security definer   -- callers may not write a detail
set search_path = ''
as $$
begin
  insert into app.debates (id, body, closes_at) values (p_id, p_body, p_closes_at);
end $$;
comment on function private.add_debate is 'Writes the detail of a new debate.';

create function api.create_debate(
  p_title text, p_body text, p_closes_at timestamptz, p_interest_id uuid default null, p_group_id text default null,
  p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept    json := private.begin_idempotent('create_debate', json_build_array(
    p_title, p_body, p_closes_at, p_interest_id, p_group_id, p_guild_id));
  v_body    text;
  v_closing timestamptz;
  v_id      uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_body := private.require_body(p_body);
  v_closing := private.require_debate_closing(p_closes_at);
  v_id := private.add_content('debate', p_interest_id, p_title, array[v_body], p_group_id, p_guild_id);
  perform private.add_debate(v_id, v_body, v_closing);
  return private.finish_idempotent('create_debate', private.debate_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_debate is 'Opens a debate, whose title is the motion.';

create function api.get_debate(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_debate_card(p_id); end $$;
comment on function api.get_debate is 'The card of a debate.';

create function private.change_debate(p_id uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not change a detail
set search_path = ''
as $$
declare
  v_content app.contents := private.lock_own_content('debate', p_id);
  v_body    text;
begin
  perform private.require_open_debate(p_id);
  update app.debates
  set body = case when p_changes ? 'body' then private.require_body(p_changes ->> 'body') else body end,
      closes_at = case when p_changes ? 'closesAt'
                       then private.require_debate_closing((p_changes ->> 'closesAt')::timestamptz) else closes_at end
  where id = p_id returning body into v_body;
  perform private.edit_content(v_content, p_changes, array[v_body]);
end $$;
comment on function private.change_debate is 'Changes the caller''s own debate while it is open.';

create function api.update_debate(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_debate(p_id, p_changes);
  return private.require_debate_card(p_id);
end $$;
comment on function api.update_debate is 'Changes the caller''s own debate: {title?, body?, interestId?, closesAt?}.';

create function private.end_debate(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not change a detail
set search_path = ''
as $$
begin
  perform private.lock_own_content('debate', p_id);
  perform private.require_open_debate(p_id);
  update app.debates set closed_at = now() where id = p_id;
end $$;
comment on function private.end_debate is 'Closes the caller''s own debate.';

create function api.close_debate(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.end_debate(p_id);
  return private.require_debate_card(p_id);
end $$;
comment on function api.close_debate is 'Closes the caller''s own debate.';

create function private.set_debate_position(p_debate uuid, p_side text) returns void
language plpgsql volatile security definer   -- callers may not change a position
set search_path = ''
as $$
begin
  perform private.require_open_debate(p_debate);
  insert into app.debate_positions as p (debate_id, author_id, side)
  values (p_debate, private.require_caller(), p_side)
  on conflict (debate_id, author_id) do update set side = excluded.side where p.side <> excluded.side;
end $$;
comment on function private.set_debate_position is 'Sets the caller''s position in a debate.';

insert into private.operations_of_people (operation) values ('take_position');

create function api.take_position(p_id uuid, p_side text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('likes');
  perform private.lock_open_content('debate', p_id);
  perform private.set_debate_position(p_id, p_side);
  return private.require_debate_card(p_id);
end $$;
comment on function api.take_position is
  'Sets the caller''s position in a debate, which they may change while it is open. Returns the card. Fails: '
  'debate_unknown (also if it is removed).';

create function private.remove_position(p_debate uuid, p_seen boolean) returns void
language plpgsql volatile security definer   -- callers may not delete a position
set search_path = ''
as $$
begin
  perform private.share_lock_content(p_debate);
  if p_seen then
    perform private.require_open_debate(p_debate);
  end if;
  delete from app.debate_positions p
  where p.debate_id = p_debate and p.author_id = private.require_caller()
    and exists (select from app.debates d where d.id = p_debate and d.closed_at is null and d.closes_at > now());
end $$;
comment on function private.remove_position is
  'Takes the caller''s position in an open debate back, even if they can no longer see the debate. In that case the '
  'caller does not learn whether the debate is open.';

create function api.leave_position(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seen boolean := exists (select from app.contents where id = p_id and kind = 'debate');
begin
  perform private.remove_position(p_id, v_seen);
  if not v_seen then
    return private.error_response('debate_unknown');   -- the position is taken back, but the debate is not shown
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.leave_position is
  'Takes the caller''s position back; repeating it changes nothing. It also works in a debate that the caller can '
  'no longer see, but then the response is the same as for a debate that does not exist.';

insert into private.links (type, path) values ('debate', '/debates/{id}');
