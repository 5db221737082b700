-- Signed checkpoints of the audit log. The worker signs them with a key that the database does not have
-- (api-facade/worker/checkpoints.ts); the facade publishes them at /.well-known/kith/audit.
-- docs/decisions.md, Staff.

create table private.audit_checkpoints (
  number     bigint primary key check (number > 0),
  entries    bigint not null,
  head       bytea not null,
  root       bytea not null,
  previous   bytea,
  created_at timestamptz not null,
  key        text not null,
  signature  text not null
);
comment on table private.audit_checkpoints is
  'Signed checkpoints. Each covers up to 10,000 entries of the audit log that follow the entries of the previous '
  'checkpoint.';
comment on column private.audit_checkpoints.entries is 'The number of the last entry that the checkpoint covers.';
comment on column private.audit_checkpoints.head is 'The hash of the last entry that the checkpoint covers.';
comment on column private.audit_checkpoints.root is
  'The root of the Merkle tree (RFC 9162, 2.1) over the hashes of the covered entries.';
comment on column private.audit_checkpoints.previous is 'SHA-256 of the text of the previous checkpoint.';
comment on column private.audit_checkpoints.key is 'The public Ed25519 key that verifies the signature, in base64url.';
comment on column private.audit_checkpoints.signature is 'The signature of private.checkpoint_text, in base64url.';
call private.make_append_only('private.audit_checkpoints');

insert into private.errors (code, status, text) values
  ('checkpoint_unknown', 404, 'There is no such checkpoint.');

create function private.checkpoint_text(p_checkpoint private.audit_checkpoints) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if p_checkpoint.number is null then
    return null;
  end if;
  return format(E'kith audit checkpoint\nnumber: %s\nentries: %s\nhead: %s\nroot: %s\nprevious: %s\ncreated: %s\n'
                'key: %s\n',
                p_checkpoint.number, p_checkpoint.entries, encode(p_checkpoint.head, 'hex'),
                encode(p_checkpoint.root, 'hex'), coalesce(encode(p_checkpoint.previous, 'hex'), 'none'),
                private.utc(p_checkpoint.created_at), p_checkpoint.key);
end $$;
comment on function private.checkpoint_text is 'The signed text: a line for each field, with hashes in hex.';

create function private.checkpoint_card(p_checkpoint private.audit_checkpoints) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('number', p_checkpoint.number, 'text', private.checkpoint_text(p_checkpoint),
                           'signature', p_checkpoint.signature);
end $$;
comment on function private.checkpoint_card is 'The public form of a checkpoint: {number, text, signature}.';

create function private.merkle_leaves(p_after bigint, p_to bigint) returns bytea[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(select sha256('\x00'::bytea || l.hash) from app.audit_log l
               where l.id > p_after and l.id <= p_to order by l.id);
end $$;
comment on function private.merkle_leaves is
  'The leaves of the Merkle tree over the entries after p_after, up to p_to.';

create function private.merkle_parents(p_nodes bytea[]) returns bytea[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(
    select case when p.next is null then p.node else sha256('\x01'::bytea || p.node || p.next) end
    from (select n.node, n.place, lead(n.node) over (order by n.place) as next
          from unnest(p_nodes) with ordinality n (node, place)) p
    where p.place % 2 = 1 order by p.place);
end $$;
comment on function private.merkle_parents is
  'The next level of a Merkle tree. A last node without a neighbour moves up unchanged.';

create function private.merkle_root(p_leaves bytea[]) returns bytea
language plpgsql immutable
set search_path = ''
as $$
declare
  v_nodes bytea[] := p_leaves;
begin
  while cardinality(v_nodes) > 1 loop
    v_nodes := private.merkle_parents(v_nodes);
  end loop;
  return v_nodes[1];
end $$;
comment on function private.merkle_root is 'The root of the Merkle tree over these leaves; null if there are none.';

create function private.merkle_path(p_leaves bytea[], p_place bigint) returns bytea[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_nodes   bytea[] := p_leaves;
  v_at      bigint := p_place - 1;
  v_beside  bigint;
  v_path    bytea[] := '{}';
begin
  while cardinality(v_nodes) > 1 loop
    v_beside := v_at # 1;
    if v_beside < cardinality(v_nodes) then
      v_path := v_path || v_nodes[v_beside + 1];
    end if;
    v_nodes := private.merkle_parents(v_nodes);
    v_at := v_at / 2;
  end loop;
  return v_path;
end $$;
comment on function private.merkle_path is
  'The inclusion path (RFC 9162, 2.1.3) of the leaf at this place, counted from 1: the neighbours up to the root.';

create function private.last_checkpoint() returns private.audit_checkpoints
language plpgsql stable
set search_path = ''
as $$
begin
  return (select c from private.audit_checkpoints c order by number desc limit 1);
end $$;
comment on function private.last_checkpoint is 'The newest checkpoint, or null.';

select pgboss.create_queue('audit-checkpoints', '{"policy": "standard"}');

create function private.job_checkpoint_audit() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  if coalesce((private.last_checkpoint()).entries, 0) >= coalesce((select entries from private.audit_head), 0)
     or exists (select from pgboss.job j where j.name = 'audit-checkpoints' and j.state <= 'active') then
    return 0;
  end if;
  perform private.enqueue('audit-checkpoints', '{}');
  return 1;
end $$;
comment on function private.job_checkpoint_audit is
  'Job: queues a checkpoint of the audit log if there are entries without one. The worker signs it. May run twice: it '
  'queues none while another one is queued or running.';
insert into private.jobs (name, cron, expires) values ('checkpoint-audit', '30 2 * * *', 60);

create function private.next_checkpoint(p_key text) returns json
language plpgsql stable security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  c_most   constant integer := 10000;
  v_last   private.audit_checkpoints := private.last_checkpoint();
  v_after  bigint := coalesce(v_last.entries, 0);
  v_next   private.audit_checkpoints;
begin
  v_next.entries := (select least(h.entries, v_after + c_most) from private.audit_head h);
  if coalesce(v_next.entries, 0) <= v_after then
    return null;
  end if;
  v_next.number := coalesce(v_last.number, 0) + 1;
  v_next.head := (select hash from app.audit_log where id = v_next.entries);
  v_next.root := private.merkle_root(private.merkle_leaves(v_after, v_next.entries));
  v_next.previous := sha256(convert_to(private.checkpoint_text(v_last), 'UTF8'));
  v_next.created_at := date_trunc('milliseconds', clock_timestamp());
  v_next.key := p_key;
  return json_build_object('checkpoint', v_next, 'text', private.checkpoint_text(v_next));
end $$;
comment on function private.next_checkpoint is
  'For the worker alone: the checkpoint over the next 10,000 entries, to be signed with the key of p_key: '
  '{checkpoint, text}, or null if every entry has one.';

create function private.add_checkpoint(p_checkpoint json, p_signature text) returns boolean
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_new private.audit_checkpoints := json_populate_record(null::private.audit_checkpoints, p_checkpoint);
begin
  v_new.signature := p_signature;
  insert into private.audit_checkpoints values (v_new.*) on conflict (number) do nothing;
  return found;
end $$;
comment on function private.add_checkpoint is
  'For the worker alone: adds a signed checkpoint. Returns false if another worker has already added it.';

create function private.list_checkpoints(p_from bigint) returns json
language plpgsql stable security definer   -- callers may not read the table
set search_path = ''
as $$
declare
  c_most constant integer := 100;
begin
  return json_build_object(
    'checkpoints', (select coalesce(json_agg(private.checkpoint_card(c) order by c.number), '[]')
                    from private.audit_checkpoints c where c.number >= p_from and c.number - p_from < c_most),
    'next', (select p_from + c_most where exists (
               select from private.audit_checkpoints c where c.number >= p_from + c_most)));
end $$;
comment on function private.list_checkpoints is
  'For the facade: 100 checkpoints from this number on, {checkpoints, next}; next is null at the end.';

create function private.get_checkpoint(p_number bigint) returns json
language plpgsql stable security definer   -- callers may not read the table
set search_path = ''
as $$
declare
  v_checkpoint private.audit_checkpoints;
  v_after      bigint;
begin
  select * into v_checkpoint from private.audit_checkpoints where number = p_number;
  if not found then
    perform private.raise_error('checkpoint_unknown');
  end if;
  v_after := coalesce((select entries from private.audit_checkpoints where number = p_number - 1), 0);
  return json_build_object(
    'checkpoint', private.checkpoint_card(v_checkpoint),
    'hashes', array(select encode(l.hash, 'hex') from app.audit_log l
                    where l.id > v_after and l.id <= v_checkpoint.entries order by l.id));
end $$;
comment on function private.get_checkpoint is
  'For the facade: a checkpoint, and the present hashes of the entries that it covers, up to 10,000.';
call private.force_index_scans('private.get_checkpoint');

create function private.verify_checkpoints(p_after bigint) returns json
language plpgsql stable security definer   -- callers may not read the table
set search_path = ''
as $$
declare
  c_most   constant integer := 10;
  v_one    private.audit_checkpoints;
  v_before private.audit_checkpoints;
  v_last   bigint := p_after;
  v_broken bigint;
begin
  select * into v_before from private.audit_checkpoints where number = p_after;
  for v_one in
    select * from private.audit_checkpoints where number > p_after order by number limit c_most
  loop
    if v_one.number <> v_last + 1
       or v_one.entries <= coalesce(v_before.entries, 0)
       or v_one.previous is distinct from sha256(convert_to(private.checkpoint_text(v_before), 'UTF8'))
       or v_one.head is distinct from (select hash from app.audit_log where id = v_one.entries)
       or v_one.root is distinct from private.merkle_root(
            private.merkle_leaves(coalesce(v_before.entries, 0), v_one.entries)) then
      v_broken := v_one.number;
    end if;
    exit when v_broken is not null;
    v_last := v_one.number;
    v_before := v_one;
  end loop;
  return json_build_object('firstBroken', v_broken,
                           'next', case when v_broken is null and v_last = p_after + c_most then v_last end);
end $$;
comment on function private.verify_checkpoints is
  'Compares the next 10 checkpoints after p_after with the audit log: {firstBroken, next}. It can''t verify the '
  'signatures.';
call private.force_index_scans('private.verify_checkpoints');
