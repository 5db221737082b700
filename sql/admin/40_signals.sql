-- Mana and votes that flow between neighbours of the invite tree. The rules allow such flows, but puppet accounts
-- depend on them. Therefore, staff and DBAs can see the flows. A flow is only a hint and leads to no sanction.
-- docs/decisions.md, Staff.

create index payment_splits_created_at_idx on app.payment_splits (created_at);
create index reputation_votes_updated_at_idx on app.reputation_votes (updated_at);

create function private.suspicious_flows(
  p_since timestamptz default now() - interval '30 days', p_limit integer default 100, p_reach integer default 3
) returns table (
  kind text, giver_id uuid, receiver_id uuid, distance integer, younger_age interval, flows bigint, total numeric,
  given_share numeric, neighbour_share numeric, first_at timestamptz, last_at timestamptz
)
language plpgsql stable security definer   -- callers may not read the payments and votes of others
set search_path = ''
as $$
begin
  return query
  with recursive flow as (
    -- read only the newest 20,000 rows of each kind, so that the cost of a long period is limited
    (select 'mana' as kind, s.sender_id as giver, s.receiver_id as receiver, s.amount::numeric as amount,
            s.created_at as at
     from app.payment_splits s
     where s.created_at >= p_since
       -- look up each row, here and below, because a join would read the whole table
       and (select not p.reversed from app.payments p where p.id = s.payment_id)
       and (select true from app.payments r where r.reversal_of = s.payment_id) is null
     order by s.created_at desc limit 20000)
    union all
    (select 'votes', v.voter_id, v.user_id, v.impact, v.updated_at
     from app.reputation_votes v
     where v.updated_at >= p_since and v.value = 1
     order by v.updated_at desc limit 20000)
  ), pair as materialized (
    select f.kind, f.giver, f.receiver, count(*) as flows, sum(f.amount) as total,
           min(f.at) as first_at, max(f.at) as last_at,
           sum(sum(f.amount)) over (partition by f.kind, f.giver) as given,
           sum(sum(f.amount)) over (partition by f.kind, f.receiver) as got
    from flow f group by f.kind, f.giver, f.receiver
  ), above as (
    select people.id as person, people.id as ancestor, 0 as steps
    from (select p.giver as id from pair p union select p.receiver from pair p) people
    union all
    -- staff invites strangers: people invited by the same admin are not neighbours
    select a.person, t.inviter_id, a.steps + 1
    from above a
    cross join lateral (select i.inviter_id from app.invite_tree i where i.invitee_id = a.ancestor offset 0) t
    where a.steps < p_reach
      and (a.steps = 0 or (select u.role = 'user' from app.users u where u.id = a.ancestor))
  ), near as (
    select p.kind, p.giver, p.receiver, min(g.steps + r.steps) as distance
    from pair p
    join above g on g.person = p.giver
    join above r on r.person = p.receiver and r.ancestor = g.ancestor
    where g.steps + r.steps <= p_reach
      and (g.steps = 0 or r.steps = 0 or (select u.role = 'user' from app.users u where u.id = g.ancestor))
    group by p.kind, p.giver, p.receiver
  ), signal as (
    select p.*, n.distance, p.first_at - greatest(giver.created_at, receiver.created_at) as younger_age,
           sum(p.total) over (partition by p.kind, p.receiver) as from_neighbours,
           row_number() over (partition by p.kind order by p.total desc, p.giver, p.receiver) as place
    from near n
    join pair p on (p.kind, p.giver, p.receiver) = (n.kind, n.giver, n.receiver)
    cross join lateral (select u.created_at from app.users u where u.id = p.giver offset 0) giver
    cross join lateral (select u.created_at from app.users u where u.id = p.receiver offset 0) receiver
  )
  select s.kind, s.giver, s.receiver, s.distance, s.younger_age, s.flows, s.total,
         round(s.total / nullif(s.given, 0), 3), round(s.from_neighbours / nullif(s.got, 0), 3), s.first_at, s.last_at
  from signal s
  where s.place <= least(p_limit, 1000)
  order by s.kind, s.place;
end $$;
comment on function private.suspicious_flows is
  'Who paid or upvoted whom, at most three steps away in the invite tree: 1 means inviter and invitee, 2 two people '
  'invited by the same person, 3 anything further. Orders each kind by the sum, largest first, among the newest '
  '20,000 payments and votes since p_since. younger_age is the age of the younger account at the first flow. '
  'given_share is the pair''s share of all that the giver gave, neighbour_share the neighbours'' share of all that '
  'the receiver got; each is null if its total is 0. Excludes reversed payments, downvotes, removed votes, and '
  'paths through staff, who invite strangers.';
-- these settings make the function read the newest rows by their index, and no older rows
alter function private.suspicious_flows set enable_seqscan = off;
alter function private.suspicious_flows set enable_bitmapscan = off;
