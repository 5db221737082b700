-- The audit log: every write by staff, chained by hash.

create table app.audit_log (
  id          bigint primary key,
  action      text not null,
  actor_id    uuid references app.users on delete restrict,
  target_type text not null,
  target_id   text not null,
  created_at  timestamptz not null,
  previous    bytea,
  hash        bytea not null
);
create index audit_log_actor_id_idx on app.audit_log (actor_id, id desc);
comment on table app.audit_log is
  'Every write by staff, chained by hash to the one before it. It has only ids and numbers; texts and addresses are '
  'in app.audit_details.';
call private.make_append_only('app.audit_log');

create table app.audit_details (
  audit_id   bigint primary key references app.audit_log on delete restrict,
  ip         text,
  detail     jsonb,
  subject_id uuid references app.users on delete restrict
);
create index audit_details_subject_idx on app.audit_details (subject_id, audit_id desc) where subject_id is not null;
comment on table app.audit_details is
  'The part of an audit entry that can be erased: the caller''s address, reasons, free text.';
comment on column app.audit_details.subject_id is
  'The person against whom it was decided: the author of what staff hid or deleted, or who was banned.';

create table private.audit_head (
  entries bigint not null,
  hash    bytea not null
);
create unique index audit_head_one_row_idx on private.audit_head ((true));
comment on table private.audit_head is
  'One row as soon as there is an entry: how many entries there are, and the hash of the last one. Without it nobody '
  'could notice that the last entry was deleted.';

insert into private.lock_kinds (kind, position) values ('audit', 800);

create function private.audit_hash(p_entry app.audit_log) returns bytea
language plpgsql immutable
set search_path = ''
as $$
begin
  return sha256(coalesce(p_entry.previous, ''::bytea) || convert_to(
    json_build_array(p_entry.id, p_entry.action, p_entry.actor_id, p_entry.target_type, p_entry.target_id,
                     extract(epoch from p_entry.created_at))::text, 'UTF8'));
end $$;
comment on function private.audit_hash is 'SHA-256 of the entry and of the hash before it.';

create function private.audit(p_action text, p_target_type text, p_target_id text, p_detail json default null,
                              p_subject uuid default null)
returns void
language plpgsql volatile security definer   -- nobody else may write the chain
set search_path = ''
as $$
declare
  v_entry app.audit_log;
begin
  -- locks first and reads in a later statement: otherwise two entries could follow the same entry and fork the chain
  perform private.lock('audit');
  select id + 1, hash into v_entry.id, v_entry.previous from app.audit_log order by id desc limit 1;
  v_entry.id := coalesce(v_entry.id, 1);
  v_entry.action := p_action;
  v_entry.actor_id := app.uid();
  v_entry.target_type := p_target_type;
  v_entry.target_id := p_target_id;
  v_entry.created_at := clock_timestamp();
  v_entry.hash := private.audit_hash(v_entry);
  insert into app.audit_log values (v_entry.*);
  insert into private.audit_head as h (entries, hash) values (1, v_entry.hash)
  on conflict ((true)) do update set entries = h.entries + 1, hash = excluded.hash;
  insert into app.audit_details (audit_id, ip, detail, subject_id)
  values (v_entry.id, nullif(current_setting('request.headers', true), '')::json ->> 'x-forwarded-for',
          p_detail::jsonb, p_subject);
end $$;
comment on function private.audit is
  'Appends an audit entry of the caller. An operation calls it last, because only one transaction at a time can '
  'append (ARCHITECTURE.md, Locks).';
