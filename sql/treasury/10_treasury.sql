-- A treasury has the mana of a guild. Members contribute the mana; the founder and the stewards spend it. A treasury
-- is an account of mana with the guild's id; this file has the entries that members read. Each movement locks the row
-- of the guild, so that entries are written one after the other. docs/decisions.md, Treasuries.

create sequence app.treasury_entries_seq;

create table app.treasury_entries (
  id             uuid primary key default gen_random_uuid(),
  guild_id       uuid not null references app.guilds on delete restrict,
  seq            bigint not null default nextval('app.treasury_entries_seq'),
  transaction_id uuid not null,
  kind           text not null check (kind in ('contribution', 'disbursement', 'distribution')),
  actor_id       uuid references app.users on delete restrict,
  proposal_id    uuid references app.guild_proposals on delete restrict,
  counterpart_id uuid not null references app.users on delete restrict,
  amount         integer not null check (amount <> 0),
  balance_after  bigint not null,
  created_at     timestamptz not null default now(),
  -- checked at commit, because the movement locks wallets and is therefore written last (ARCHITECTURE.md, Locks)
  foreign key (transaction_id) references app.mana_transactions on delete restrict deferrable initially deferred
);
create unique index treasury_entries_seq_key on app.treasury_entries (guild_id, seq);
create index treasury_entries_transaction_id_idx on app.treasury_entries (transaction_id);
create index treasury_entries_proposal_id_idx on app.treasury_entries (proposal_id);
create index treasury_entries_actor_id_idx on app.treasury_entries (actor_id, id);
create index treasury_entries_counterpart_id_idx on app.treasury_entries (counterpart_id, id);
comment on table app.treasury_entries is
  'The movements into a treasury and out of it, one row per person, append-only. The rows of a movement add up to '
  'its entry in the account of the guild.';
comment on column app.treasury_entries.actor_id is 'The person who moved the mana; null if a proposal did.';
comment on column app.treasury_entries.amount is
  'Whole mana: above 0 for mana that enters the treasury, below 0 for mana that leaves it.';
comment on column app.treasury_entries.balance_after is 'The balance of the treasury after this row, in whole mana.';
call private.make_append_only('app.treasury_entries');

create table app.treasury_notes (
  transaction_id uuid primary key,
  user_id        uuid not null references app.users on delete cascade,
  note           text not null,
  foreign key (transaction_id) references app.mana_transactions on delete restrict deferrable initially deferred,
  constraint treasury_note check (length(note) <= 500)
);
create index treasury_notes_user_id_idx on app.treasury_notes (user_id, transaction_id);
comment on table app.treasury_notes is
  'The notes of people about movements. They have their own table, so that an erasure deletes them without changing '
  'the ledger.';

insert into private.ledger_kinds (ledger, kind) values
  ('mana', 'contribution'), ('mana', 'disbursement'), ('mana', 'distribution');

insert into private.write_limits (kind, per_hour) values ('movements', 300);

insert into private.personal_data (relation, person_column, section) values
  ('app.treasury_entries', 'actor_id', 'treasuryActs'),
  ('app.treasury_entries', 'counterpart_id', 'treasuryMovements'),
  ('app.treasury_notes', 'user_id', 'treasuryNotes');

insert into private.errors (code, status, text) values
  ('treasury_amount', 422, 'amount must be a whole number from 1 to 1000000000.'),
  ('treasury_note', 422, 'A note can have up to 500 characters.'),
  ('treasury_note_missing', 422, 'A disbursement must have a note.'),
  ('disburse_oneself', 400, 'You cannot disburse to yourself.'),
  ('nothing_to_weigh', 409, 'No member has a contribution score, so the mana cannot be distributed.');

create function private.erase_treasury_notes(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_rows(p_user.id, 'app.treasury_notes', 'user_id = $1');
end $$;
comment on function private.erase_treasury_notes is
  'Step: deletes the notes that an erased person wrote about movements.';
insert into private.account_steps (step, events, position) values
  ('private.erase_treasury_notes', '{erasure}', 185);

create function private.require_amount(p_amount integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_amount is null or p_amount not between 1 and 1000000000 then
    perform private.raise_error('treasury_amount');
  end if;
end $$;
comment on function private.require_amount is 'Passes if an amount of mana can be moved.';

create function private.treasury_balance(p_guild uuid) returns bigint
language plpgsql stable security definer   -- callers may not read accounts; its callers check who may see the balance
set search_path = ''
as $$ begin return (select balance from app.mana_accounts where id = p_guild); end $$;
comment on function private.treasury_balance is 'The balance of the treasury of a guild.';

create function private.move_treasury(
  p_guild uuid, p_kind text, p_actor uuid, p_people uuid[], p_amounts integer[], p_note text default null,
  p_proposal uuid default null
) returns uuid
language plpgsql volatile security definer   -- callers may not write the ledger
set search_path = ''
as $$
declare
  v_id      uuid := gen_random_uuid();
  v_balance bigint := private.treasury_balance(p_guild);
begin
  insert into app.treasury_entries (guild_id, transaction_id, kind, actor_id, proposal_id, counterpart_id, amount,
                                    balance_after)
  select p_guild, v_id, p_kind, p_actor, p_proposal, m.person, m.amount,
         v_balance + sum(m.amount) over (order by m.place)
  from unnest(p_people, p_amounts) with ordinality as m (person, amount, place)
  order by m.place;
  insert into app.treasury_notes (transaction_id, user_id, note) select v_id, p_actor, p_note where p_note <> '';
  perform private.move(p_kind, p_guild || array_agg(m.person), sum(m.amount)::integer || array_agg(-m.amount), v_id)
  from unnest(p_people, p_amounts) as m (person, amount);
  return v_id;
end $$;
comment on function private.move_treasury is
  'Moves mana between a treasury and people. Amounts above 0 enter the treasury. The calling function must lock the '
  'guild first. Fails: treasury_note.';

create function private.treasury_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check who may read the treasury
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', e.id, 'kind', e.kind,
             'actor', (select p.card from private.visible_people v join app.person_card p on p.id = v.id
                       where v.id = e.actor_id),
             'counterpart', (select p.card from private.visible_people v join app.person_card p on p.id = v.id
                             where v.id = e.counterpart_id),
             'proposalId', e.proposal_id, 'amount', e.amount, 'balanceAfter', e.balance_after,
             'note', (select n.note from app.treasury_notes n join private.visible_people v on v.id = n.user_id
                      where n.transaction_id = e.transaction_id),
             'createdAt', private.utc(e.created_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.treasury_entries e on e.id = i.id);
end $$;
comment on function private.treasury_cards is
  'The cards of these rows of a treasury, in order: {id, kind, actor, counterpart, proposalId, amount, balanceAfter, '
  'note, createdAt}. People whom the caller cannot see, and their notes, are null.';
call private.force_index_scans('private.treasury_cards');

create function private.lock_treasury(p_guild text, p_people uuid[], variadic p_roles text[]) returns app.spaces
language plpgsql volatile security definer   -- see private.lock_space
set search_path = ''
as $$
declare
  v_space app.spaces := private.lock_visible_space('guild', p_guild, p_people);
begin
  perform private.require_space_role(v_space.id, variadic p_roles);
  perform private.require_open(v_space);
  return v_space;
end $$;
comment on function private.lock_treasury is
  'Locks an open guild, in which the caller must have one of these roles, together with these people, and returns '
  'it.';

create function private.contribute(p_guild text, p_amount integer, p_note text) returns json
language plpgsql volatile security definer   -- callers may not write the ledger
set search_path = ''
as $$
declare
  v_note  text := private.require_text(p_note);
  v_space app.spaces;
  v_id    uuid;
begin
  perform private.count_writes('movements');
  perform private.require_amount(p_amount);
  v_space := private.lock_treasury(p_guild, '{}', 'owner', 'moderator', 'member');
  v_id := private.move_treasury(v_space.id, 'contribution', app.uid(), array[app.uid()], array[p_amount], v_note);
  return json_build_object(
    'entry', private.treasury_cards(array(select id from app.treasury_entries where transaction_id = v_id)) -> 0,
    'treasuryBalance', private.treasury_balance(v_space.id),
    'senderBalance', (select balance from app.wallets where user_id = app.uid()));
end $$;
comment on function private.contribute is
  'A member contributes mana to the treasury: {entry, treasuryBalance, senderBalance}.';

create function private.disburse(p_guild text, p_person text, p_amount integer, p_note text) returns json
language plpgsql volatile security definer   -- callers may not write the ledger
set search_path = ''
as $$
declare
  v_note  text := private.require_text(p_note);
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
  v_id    uuid;
begin
  perform private.count_writes('movements');
  perform private.require_amount(p_amount);
  if coalesce(v_note, '') = '' then
    perform private.raise_error('treasury_note_missing');
  end if;
  v_space := private.lock_treasury(p_guild, array[v_user], 'owner', 'moderator');
  if v_user = app.uid() then
    perform private.raise_error('disburse_oneself');
  end if;
  perform private.require_visible_person(p_person);   -- check again, because the person may have been banned meanwhile
  v_id := private.move_treasury(v_space.id, 'disbursement', app.uid(), array[v_user], array[-p_amount], v_note);
  return json_build_object(
    'entry', private.treasury_cards(array(select id from app.treasury_entries where transaction_id = v_id)) -> 0,
    'treasuryBalance', private.treasury_balance(v_space.id));
end $$;
comment on function private.disburse is
  'The founder or a steward pays mana from the treasury to somebody else: {entry, treasuryBalance}.';

create function private.weigh_shares(p_amount integer, p_people uuid[], p_scores numeric[])
returns table (user_id uuid, score numeric, amount integer)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_total numeric := (select sum(s) from unnest(p_scores) s where s > 0);
begin
  return query
  with weighed as (
    select w.person, w.score, w.place, div(p_amount * w.score, v_total) as whole,
           mod(p_amount * w.score, v_total) as remainder
    from unnest(p_people, p_scores) with ordinality as w (person, score, place)
    where w.score > 0
  ), ranked as (
    select *, row_number() over (order by remainder desc, place) as rank, sum(whole) over () as given from weighed
  )
  select r.person, r.score, (r.whole + case when r.rank <= p_amount - r.given then 1 else 0 end)::integer
  from ranked r order by r.place;
end $$;
comment on function private.weigh_shares is
  'Splits an amount into whole shares by scores; the shares add up to the amount exactly. Each share is rounded '
  'down. The rest goes to the people with the largest remainders, one mana each; among equal remainders, to the '
  'earlier person. People without a score above 0 get no row.';

create function private.distribute(p_guild text, p_amount integer, p_note text) returns json
language plpgsql volatile security definer   -- callers may not write the ledger
set search_path = ''
as $$
declare
  v_note    text := private.require_text(p_note);
  v_space   app.spaces;
  v_people  uuid[];
  v_scores  numeric[];
  v_amounts integer[];
begin
  perform private.count_writes('movements');
  perform private.require_amount(p_amount);
  v_space := private.lock_treasury(p_guild, '{}', 'owner', 'moderator');
  select array_agg(w.user_id), array_agg(w.score), array_agg(w.amount) into v_people, v_scores, v_amounts
  from (select array_agg(m.user_id order by m.created_at, m.user_id) as people,
               array_agg(c.score order by m.created_at, m.user_id) as scores
        from app.space_members m join app.contribution_scores c on c.user_id = m.user_id
        where m.space_id = v_space.id and not m.hidden) s
  cross join lateral private.weigh_shares(p_amount, s.people, s.scores) w
  where w.amount > 0;
  if v_people is null then
    perform private.raise_error('nothing_to_weigh');
  end if;
  perform private.move_treasury(v_space.id, 'distribution', app.uid(), v_people,
                                array(select -a from unnest(v_amounts) a), v_note);
  return json_build_object(
    'shares', (select json_agg(json_build_object('recipientId', p.actor_id, 'score', s.score, 'amount', s.amount)
                               order by s.place)
               from unnest(v_people, v_scores, v_amounts) with ordinality as s (id, score, amount, place)
               left join private.visible_people v on v.id = s.id
               left join app.person_card p on p.id = v.id),
    'treasuryBalance', private.treasury_balance(v_space.id));
end $$;
comment on function private.distribute is
  'The founder or a steward distributes mana from the treasury to all members by their contribution scores: {shares '
  '[{recipientId, score, amount}], treasuryBalance}.';

create function private.read_treasury(p_guild text, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- callers may not read treasuries directly
set search_path = ''
as $$
declare
  v_guild  uuid := (private.require_space('guild', p_guild)).id;
  v_cursor uuid := private.require_cursor(p_cursor);
  v_before bigint := 9223372036854775807;
  v_ids    uuid[];
begin
  perform private.require_space_role(v_guild, 'owner', 'moderator', 'member');
  if v_cursor is not null then
    select seq into v_before from app.treasury_entries where guild_id = v_guild and id = v_cursor;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_ids := array(select id from app.treasury_entries where guild_id = v_guild and seq < v_before
                 order by seq desc limit 51);
  return private.merge_objects(json_build_object('balance', private.treasury_balance(v_guild)),
                        private.page(private.treasury_cards(v_ids[:p_limit]), v_ids::text[], p_limit));
end $$;
comment on function private.read_treasury is
  'The treasury of a guild, for its members: {balance, items, nextCursor, hasMore}, newest first.';

create function private.audit_treasuries()
returns table (rule text, subject uuid, expected bigint, found bigint)
language plpgsql stable security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
begin
  return query
    select 'the rows of a treasury add up to the entries of its account', coalesce(e.transaction_id, r.transaction_id),
           coalesce(e.amount, 0)::bigint, coalesce(r.total, 0)::bigint
    from (select x.* from app.mana_entries x join app.mana_accounts a on a.id = x.account_id
          where a.kind = 'treasury') e
    full join (select transaction_id, guild_id, sum(amount) as total from app.treasury_entries group by 1, 2) r
      on r.transaction_id = e.transaction_id and r.guild_id = e.account_id
    where e.amount is distinct from r.total
    union all
    select 'the balance after a row of a treasury is the sum of its rows', s.id, s.total::bigint, s.balance_after
    from (select id, balance_after, sum(amount) over (partition by guild_id order by seq) as total
          from app.treasury_entries) s
    where s.total <> s.balance_after;
end $$;
comment on function private.audit_treasuries is
  'Every row of a treasury that does not match the ledger of mana, {rule, subject, expected, found}, as in '
  'private.audit_mana.';

create function private.job_audit_treasuries() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'treasuries';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_treasuries() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'treasuries', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker stores the same findings
  )
  select count(*) into v_found from found;
  return v_found;
end $$;
comment on function private.job_audit_treasuries is
  'Job: counts the rows that private.audit_treasuries returns, and keeps the first 100 for staff. Any row is an '
  'error in the ledger: select * from private.audit_treasuries(). May run twice: it replaces what it kept.';
insert into private.jobs (name, cron, expires, alarm) values
  ('audit-treasuries', '52 3 * * *', 300, 'the rows of treasuries differ from the ledger of mana');
