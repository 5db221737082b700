-- How an erasure deletes what staff wrote about a person's posts, replies, contents, payments and orders. See
-- sql/base/90_erasure.sql for how an erasure runs.

create function private.erase_reasons(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_type    text := p_job ->> 'type';
  v_ids     uuid[];
  v_changed integer;
begin
  if v_type = 'post' then
    v_ids := private.next_posts(v_user, p_after);
  elsif v_type = 'reply' then
    v_ids := private.next_replies(v_user, p_after);
  elsif v_type = 'content' then
    v_ids := private.next_contents(v_user, p_after);
  else
    v_ids := private.next_children(v_user, v_type, p_after);
  end if;
  update app.audit_details d set detail = null
  from app.audit_log l join app.users u on u.id = v_user and u.erased_at is not null
  where l.id = d.audit_id and d.detail is not null
    and l.target_type = any (case when v_type = 'content' then array(select kind from private.content_kinds)
                                  else array[v_type] end)
    and l.target_id = any (v_ids::text[]);
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.erase_reasons is
  'For the worker and private.erase_moderation: deletes the reasons that staff gave about the next 500 posts, '
  'replies, contents or children of one kind (type) of an erased person {userId, type} after an id. Returns '
  '{changed, next}; next is null at the end.';
call private.force_index_scans('private.erase_reasons');
call private.make_batch_queue('erased-reasons', 'private.erase_reasons');

create function private.erase_moderation(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job json;
begin
  foreach v_job in array array[json_build_object('userId', p_user.id, 'type', 'post'),
                               json_build_object('userId', p_user.id, 'type', 'reply'),
                               json_build_object('userId', p_user.id, 'type', 'content')]
    || array(select json_build_object('userId', p_user.id, 'type', kind)
             from private.content_child_kinds order by kind)
  loop
    if private.erase_reasons(v_job::jsonb) ->> 'next' is not null then
      perform private.erase_later('erased-reasons', v_job);
    end if;
  end loop;
  -- only reversed payments have a reason
  update app.audit_details d set detail = null
  from app.payments r
  join app.payments p on p.id = r.reversal_of
  join app.audit_log l on l.target_type = 'payment' and l.target_id = p.id::text
  where l.id = d.audit_id and d.detail is not null and r.reversal_of is not null
    and (p.sender_id = p_user.id
      or exists (select from app.payment_splits s where s.payment_id = p.id and s.receiver_id = p_user.id));
  -- only orders that an admin resolved have a reason
  update app.audit_details d set detail = null
  from (select id from app.orders where buyer_id = p_user.id and state = 'resolved'
        union all select id from app.orders where seller_id = p_user.id and state = 'resolved') o
  join app.audit_log l on l.target_type = 'order' and l.target_id = o.id::text
  where l.id = d.audit_id and d.detail is not null;
end $$;
comment on function private.erase_moderation is
  'Step: deletes the reasons that staff gave about an erased person''s posts, replies, contents and children, up to '
  '500 of each, and about their payments and orders; the audit entries remain.';
call private.force_index_scans('private.erase_moderation');
insert into private.account_steps (step, events, position) values
  ('private.erase_moderation', '{erasure}', 183);

create function private.forget_reasons() returns trigger
language plpgsql security definer   -- callers may not change what staff wrote
set search_path = ''
as $$
begin
  update app.audit_details d set detail = null
  from gone g join app.audit_log l on l.target_type = g.kind and l.target_id = g.id::text
  where l.id = d.audit_id and d.detail is not null;
  return null;
end $$;
comment on function private.forget_reasons is
  'Trigger: when the head of a deleted content is deleted, deletes the reasons that staff gave about it, because an '
  'erasure could no longer find them. The audit entries remain.';
create trigger _185_forget_reasons after delete on app.contents
  referencing old table as gone for each statement execute function private.forget_reasons();
