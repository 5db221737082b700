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
  ('delta_out_of_range', 422, 'A delta must have at most two decimals, be between -1000 and 1000, and not be 0. The '
   'delta of an accepted appeal must be above 0.'),
  ('note_length', 422, 'A note must have 1 to 1000 characters.');

create function private.require_delta(p_delta numeric, p_least numeric) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  -- NaN is greater than every number
  if p_delta is null or p_delta = 0 or p_delta not between p_least and 1000 or p_delta <> round(p_delta, 2) then
    perform private.raise_error('delta_out_of_range');
  end if;
end $$;
comment on function private.require_delta is
  'Passes if the number has at most two decimals, is from p_least to 1000 and is not 0.';

create view private.staff_appeals with (security_invoker) as
select a.created_at as at, a.id, a.status, a.user_id, a.interest_id,
       concat_ws(' ', u.username, i.slug, a.text, a.note) as said,
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
join app.users u on u.id = a.user_id
join app.interests i on i.id = a.interest_id
join app.person_card person on person.id = a.user_id;
comment on view private.staff_appeals is
  'Appeals as staff sees them, each with its author; userId is the author''s UUID.';

create function api.list_appeals(
  p_status text default null, p_user_id text default null, p_interest_id uuid default null, p_q text default null,
  p_from timestamptz default null, p_to timestamptz default null, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'appeals', json_build_object('status', p_status, 'user_id', private.find_staff_person(p_user_id),
                                 'interest_id', p_interest_id),
    array['user_id', 'status'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_appeals is 'Appeals about reputation, newest first.';

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
    perform private.raise_error('appeal_decision');
  elsif length(v_note) > 1000 then
    perform private.raise_error('note_length');
  elsif p_restore_delta is not null then
    if p_decision <> 'accepted' then
      perform private.raise_error('restore_delta_misplaced');
    end if;
    perform private.require_delta(p_restore_delta, 0);
  end if;

  select * into v_appeal from app.reputation_appeals where id = p_id;
  if not found then
    perform private.raise_error('appeal_unknown');
  end if;
  -- the lock comes first, so that the second of two admins finds the appeal resolved: ARCHITECTURE.md, Locks
  perform private.lock_effects(v_appeal.user_id);
  update app.reputation_appeals
  set status = p_decision, restore_delta = p_restore_delta, note = v_note, resolved_at = now()
  where id = p_id and status = 'pending';
  if not found then
    perform private.raise_error('appeal_resolved');
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
  return private.staff_card('appeals', p_id);
end $$;
comment on function api.resolve_appeal is
  'Accepts or rejects an appeal, once. Accepting it may restore some reputation. Leaves an audit entry.';

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
    perform private.raise_error('note_length');
  end if;
  v_user := private.require_any_person(p_user_id);
  v_id := private.add_reputation(v_user, private.require_interest(p_interest_id), 'admin.adjusted', p_delta);
  -- only app.audit_details keeps the note, with this person as its subject, so that their erasure deletes it
  perform private.audit('reputation.adjusted', 'user', v_user::text,
                        json_build_object('interestId', p_interest_id, 'delta', p_delta, 'note', v_note));
  return (
    select json_build_object('id', v_id, 'userId', v_user, 'user', p.card, 'interestId', p_interest_id,
                             'delta', p_delta, 'value', r.value, 'level', private.reputation_level(r.value))
    from app.person_card p join app.reputation r on r.user_id = p.id
    where p.id = v_user and r.interest_id = p_interest_id);
end $$;
comment on function api.adjust_reputation is
  'Adds to a person''s reputation in an interest, or subtracts from it, with roll-ups: {id (of the entry), userId, '
  'user, interestId, delta, value, level}. Leaves an audit entry with the note.';
