-- What staff does about reputation: appeals, and adjustments by hand.
-- docs/decisions.md, Staff.

insert into private.ledger_kinds (ledger, kind) values
  ('reputation', 'appeal.restored'),
  ('reputation', 'admin.adjusted');

insert into private.errors (code, status, text) values
  ('appeal_unknown', 404, 'There is no such appeal.'),
  ('appeal_resolved', 409, 'This appeal has already been resolved.'),
  ('appeal_decision', 422, 'decision must be accepted or rejected.'),
  ('restore_delta_misplaced', 422, 'restoreDelta can only be given when the appeal is accepted.'),
  ('delta_out_of_range', 422, 'A delta must have at most two decimals and lie between -1000 and 1000, and must not '
  'be 0. What an appeal restores must be above 0.'),
  ('note_length', 422, 'A note must have 1 to 1000 characters.');

create function private.require_delta(p_delta numeric, p_least numeric) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  -- NaN compares as greater than every number
  if p_delta is null or p_delta = 0 or p_delta not between p_least and 1000 or p_delta <> round(p_delta, 2) then
    perform private.fail('delta_out_of_range');
  end if;
end $$;
comment on function private.require_delta is
  'Passes when the number has at most two decimals, is from p_least to 1000 and is not 0. Fails: delta_out_of_range.';

create view app.staff_appeal_card with (security_invoker) as
select a.id,
       json_build_object(
         'id', a.id,
         'userId', a.user_id,
         'user', person.card,
         'interestId', i.id,
         'slug', i.slug,
         'eventId', a.entry_id,
         'text', a.text,
         'status', a.status,
         'restoreDelta', a.restore_delta,
         'note', a.note,
         'resolvedAt', private.utc(a.resolved_at),
         'createdAt', private.utc(a.created_at)) as card
from app.reputation_appeals a
join app.interests i on i.id = a.interest_id
join app.person_card person on person.id = a.user_id;
comment on view app.staff_appeal_card is
  'An appeal as staff sees it, with the person who made it; userId is their UUID.';

create function api.list_appeals(p_status text default null, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_id   uuid := private.require_cursor(p_cursor);
  v_from timestamptz;
  v_ids  uuid[];
begin
  perform private.require_role('moderator', 'admin');
  select created_at into v_from from app.reputation_appeals where id = v_id;   -- none is ever deleted
  if v_id is not null and not found then
    perform private.fail('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 'infinity');
  v_id := coalesce(v_id, app.uid());   -- any id will do beside infinity
  if p_status is null then
    v_ids := array(select id from app.reputation_appeals where (created_at, id) < (v_from, v_id)
                   order by created_at desc, id desc limit 51);
  else
    v_ids := array(select id from app.reputation_appeals where status = p_status and (created_at, id) < (v_from, v_id)
                   order by created_at desc, id desc limit 51);
  end if;
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_ids[:p_limit]) with ordinality as p (id, place)
                       join app.staff_appeal_card c on c.id = p.id), v_ids::text[], p_limit);
end $$;
comment on function api.list_appeals is
  'Lists the appeals, newest first, all or those with one status. Fails: role_required, cursor_unknown, '
  'limit_out_of_range.';

create function api.resolve_appeal(
  p_id uuid, p_decision text, p_restore_delta numeric default null, p_note text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_note   text;
  v_appeal app.reputation_appeals;
begin
  perform private.require_role('admin');
  v_note := nullif(private.require_text(p_note), '');
  if p_decision is null or p_decision not in ('accepted', 'rejected') then
    perform private.fail('appeal_decision');
  elsif length(v_note) > 1000 then
    perform private.fail('note_length');
  elsif p_restore_delta is not null then
    if p_decision <> 'accepted' then
      perform private.fail('restore_delta_misplaced');
    end if;
    perform private.require_delta(p_restore_delta, 0);
  end if;

  select * into v_appeal from app.reputation_appeals where id = p_id;
  if not found then
    perform private.fail('appeal_unknown');
  end if;
  -- the lock comes first, so that the second of two admins finds it resolved: ARCHITECTURE.md, Locks
  perform private.lock_effects(v_appeal.user_id);
  update app.reputation_appeals
  set status = p_decision, restore_delta = p_restore_delta, note = v_note, resolved_at = now()
  where id = p_id and status = 'pending';
  if not found then
    perform private.fail('appeal_resolved');
  end if;
  if p_restore_delta is not null then
    perform private.add_reputation(v_appeal.user_id, v_appeal.interest_id, 'appeal.restored', p_restore_delta,
                                      p_id);
  end if;
  perform private.emit('reputation.appeal.resolved', json_build_object(
    'appealId', p_id, 'userId', v_appeal.user_id, 'interestId', v_appeal.interest_id, 'status', p_decision),
    array[v_appeal.user_id]);
  perform private.audit('appeal.resolved', 'appeal', p_id::text,
                        json_build_object('decision', p_decision, 'restoreDelta', p_restore_delta));
  return (select card from app.staff_appeal_card where id = p_id);
end $$;
comment on function api.resolve_appeal is
  'Accepts or rejects an appeal, once. An accepted one may restore some reputation. Leaves an audit entry. Fails: '
  'role_required, text_unfit, appeal_decision, note_length, restore_delta_misplaced, delta_out_of_range, '
  'appeal_unknown, appeal_resolved.';

create function api.adjust_reputation(p_user_id text, p_interest_id uuid, p_delta numeric, p_note text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_note text;
  v_user uuid;
  v_id   uuid;
begin
  perform private.require_role('admin');
  v_note := private.require_text(p_note);
  perform private.require_delta(p_delta, -1000);
  if v_note is null or length(v_note) not between 1 and 1000 then
    perform private.fail('note_length');
  end if;
  v_user := private.require_any_person(p_user_id);
  v_id := private.add_reputation(v_user, private.require_interest(p_interest_id), 'admin.adjusted', p_delta);
  -- only app.audit_details keeps the note, under this person, whose erasure deletes it
  perform private.audit('reputation.adjusted', 'user', v_user::text,
                        json_build_object('interestId', p_interest_id, 'delta', p_delta, 'note', v_note));
  return (
    select json_build_object('id', v_id, 'userId', v_user, 'user', p.card, 'interestId', p_interest_id,
                             'delta', p_delta, 'value', r.value, 'level', private.reputation_level(r.value))
    from app.person_card p join app.reputation r on r.user_id = p.id
    where p.id = v_user and r.interest_id = p_interest_id);
end $$;
comment on function api.adjust_reputation is
  'Adds to or takes from a person''s reputation in an interest, with roll-ups: {id (of the entry), userId, user, '
  'interestId, delta, value, level}. Leaves an audit entry with the note. Fails: role_required, text_unfit, '
  'delta_out_of_range, note_length, person_unknown, interest_unknown.';
