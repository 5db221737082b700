-- The audit log has every write by staff, chained by hash.

create table app.audit_log (
  id          bigint primary key,
  action      text not null,
  actor_id    uuid references app.users on delete restrict,
  target_type text not null,
  target_id   text not null,
  created_at  timestamptz not null,
  previous    bytea,
  hash        bytea not null,
  detail_hash bytea,
  ip_hash     bytea,
  actor_salt  bytea
);
create index audit_log_actor_id_idx on app.audit_log (actor_id, id desc);
comment on table app.audit_log is
  'Every write by staff, chained by hash to the one before it. It has only ids and numbers; texts and addresses are '
  'in app.audit_details. The hash of an entry covers salted hashes of the actor, the address and the detail, so that '
  'the entry can be shown without its actor.';
comment on column app.audit_log.detail_hash is
  'private.salted_hash of the detail as text, empty if there is none. Null in an entry that 1.0.0 wrote, because its '
  'hash covers neither detail nor address; ip_hash and actor_salt are then null, too.';
comment on column app.audit_log.ip_hash is 'The same as detail_hash, for the address.';
comment on column app.audit_log.actor_salt is
  'The salt of the hash of actor_id. The salt is kept, because the actor is kept. It is secret, because somebody '
  'who has it could find the actor by trial.';
call private.make_append_only('app.audit_log');

create table app.audit_details (
  audit_id    bigint primary key references app.audit_log on delete restrict,
  ip          text,
  detail      jsonb,
  subject_id  uuid references app.users on delete restrict,
  detail_salt bytea,
  ip_salt     bytea
);
create index audit_details_subject_idx on app.audit_details (subject_id, audit_id desc) where subject_id is not null;
comment on table app.audit_details is
  'The part of an audit entry that can be erased: the caller''s address, reasons, free text.';
comment on column app.audit_details.subject_id is
  'The person whom the decision concerns: the author of what staff hid or deleted, or the person who was banned.';
comment on column app.audit_details.detail_salt is
  'The salt of audit_log.detail_hash. It is emptied together with the detail, because somebody who has the salt '
  'could guess a text from its hash.';
comment on column app.audit_details.ip_salt is 'The same as detail_salt, for the address.';

create function private.forget_audit_salts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.detail is null and old.detail is not null then
    new.detail_salt := null;
  end if;
  if new.ip is null and old.ip is not null then
    new.ip_salt := null;
  end if;
  return new;
end $$;
comment on function private.forget_audit_salts is
  'Trigger: empties the salt of a detail or an address that is emptied. The audit log then still verifies.';
create trigger _050_forget_salts before update on app.audit_details
  for each row execute function private.forget_audit_salts();

create table private.audit_head (
  entries bigint not null,
  hash    bytea not null
);
create unique index audit_head_one_row_idx on private.audit_head ((true));
comment on table private.audit_head is
  'The number of entries and the hash of the last one, in one row that exists from the first entry on. Without this '
  'row nobody could notice that the last entry was deleted.';

insert into private.lock_kinds (kind, position) values ('audit', 800);

create function private.salted_hash(p_salt bytea, p_text text) returns bytea
language plpgsql immutable
set search_path = ''
as $$ begin return sha256(p_salt || convert_to(coalesce(p_text, ''), 'UTF8')); end $$;
comment on function private.salted_hash is 'SHA-256 of the salt and, after it, the text in UTF-8.';

create function private.audit_content(p_entry app.audit_log) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_entry.detail_hash is null then   -- an entry of 1.0.0
    return json_build_array(p_entry.id, p_entry.action, p_entry.actor_id, p_entry.target_type, p_entry.target_id,
                            extract(epoch from p_entry.created_at));
  end if;
  return json_build_array(
    p_entry.id, p_entry.action, encode(private.salted_hash(p_entry.actor_salt, p_entry.actor_id::text), 'hex'),
    p_entry.target_type, p_entry.target_id, (extract(epoch from p_entry.created_at) * 1000000)::bigint,
    encode(p_entry.ip_hash, 'hex'), encode(p_entry.detail_hash, 'hex'));
end $$;
comment on function private.audit_content is
  'What the hash of an entry covers besides the hash before it: [id, action, hash of the actor, target type, target '
  'id, microseconds since 1970, hash of the address, hash of the detail]. Its text has one space after each comma.';

create function private.audit_hash(p_entry app.audit_log) returns bytea
language plpgsql immutable
set search_path = ''
as $$
begin
  return sha256(coalesce(p_entry.previous, ''::bytea)
                || convert_to(private.audit_content(p_entry)::text, 'UTF8'));
end $$;
comment on function private.audit_hash is
  'SHA-256 of the hash before the entry and, after it, of its content as text.';

create function private.is_audit_detail_changed(p_entry app.audit_log, p_detail app.audit_details) returns boolean
language plpgsql immutable
set search_path = ''
as $$
begin
  return coalesce(p_entry.detail_hash <> private.salted_hash(p_detail.detail_salt, p_detail.detail::text), false)
      or coalesce(p_entry.ip_hash <> private.salted_hash(p_detail.ip_salt, p_detail.ip), false)
      or p_entry.detail_hash is not null
         and (p_detail.detail is not null and p_detail.detail_salt is null
              or p_detail.ip is not null and p_detail.ip_salt is null);
end $$;
comment on function private.is_audit_detail_changed is
  'Returns whether the detail or the address of an entry has changed since it was written. A detail or an address '
  'that an erasure emptied together with its salt counts as unchanged. For an entry that 1.0.0 wrote, this can''t be '
  'determined.';

create function private.audit(p_action text, p_target_type text, p_target_id text, p_detail json default null,
                              p_subject uuid default null)
returns void
language plpgsql volatile security definer   -- callers may not write the chain
set search_path = ''
as $$
declare
  v_entry  app.audit_log;
  v_detail app.audit_details;
begin
  v_detail.ip := nullif(current_setting('request.headers', true), '')::json ->> 'x-forwarded-for';
  v_detail.detail := p_detail::jsonb;
  v_detail.subject_id := p_subject;
  v_detail.detail_salt := extensions.gen_random_bytes(16);
  v_detail.ip_salt := extensions.gen_random_bytes(16);
  v_entry.actor_salt := extensions.gen_random_bytes(16);
  v_entry.detail_hash := private.salted_hash(v_detail.detail_salt, v_detail.detail::text);
  v_entry.ip_hash := private.salted_hash(v_detail.ip_salt, v_detail.ip);
  -- lock first and read in a later statement, because otherwise two entries could follow the same entry and fork the
  -- chain
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
  v_detail.audit_id := v_entry.id;
  insert into app.audit_details values (v_detail.*);
end $$;
comment on function private.audit is
  'Appends an audit entry of the caller. An operation calls it last, because only one transaction at a time can '
  'append (ARCHITECTURE.md, Locks).';
