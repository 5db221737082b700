-- An author can boost a post: they pay mana, which is burnt, and for a limited time the feed multiplies the score of
-- the post.
-- docs/decisions.md, Mana.

create table app.post_boosts (
  id         uuid primary key default gen_random_uuid(),
  post_id    uuid not null references app.posts on delete restrict,
  user_id    uuid not null references app.users on delete restrict,
  tier       smallint not null,
  cost       integer not null check (cost > 0),
  multiplier numeric(2, 1) not null check (multiplier > 1),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- checked at commit, because the movement locks wallets and is therefore written last (ARCHITECTURE.md, Locks)
  foreign key (id) references app.mana_transactions on delete restrict deferrable initially deferred
);
create index post_boosts_post_id_idx on app.post_boosts (post_id);
create index post_boosts_user_id_idx on app.post_boosts (user_id, id);
comment on table app.post_boosts is
  'All boosts ever made, append-only. A boost has the id of its movement. The current boost of a post is also in '
  'app.post_counters, where the feed reads it.';
comment on column app.post_boosts.cost is 'Whole mana that the author paid.';
comment on column app.post_boosts.expires_at is 'When the boost expires. private.job_expire_boosts then ends it.';
call private.make_append_only('app.post_boosts');

create index post_counters_boost_expires_at_idx on app.post_counters (boost_expires_at)
  where boost_expires_at is not null;

insert into private.ledger_kinds (ledger, kind) values ('mana', 'boost');

insert into private.errors (code, status, text) values
  ('boost_tier', 422, 'tier must be 1 or 2.'),
  ('boost_active', 409, 'This post is already boosted. Boost it again after the current boost has ended.'),
  ('boost_hidden', 409, 'This post is hidden, so it cannot be boosted.');

create function private.boost_tier(p_tier integer, out cost integer, out multiplier numeric, out lasts interval)
language plpgsql immutable
set search_path = ''
as $$
begin
  cost := (array[10, 25])[p_tier];
  multiplier := (array[1.5, 2.0])[p_tier];
  lasts := (array['24 hours', '48 hours']::interval[])[p_tier];
end $$;
comment on function private.boost_tier is
  'The cost of a boost, its multiplier of the score, and its duration. All are null if there is no such tier.';

create function private.boost(p_post uuid, p_tier integer) returns app.post_boosts
language plpgsql volatile security definer   -- callers may not write the ledger or the counters
set search_path = ''
as $$
declare
  v_tier  record := private.boost_tier(p_tier);
  v_boost app.post_boosts;
begin
  -- lock before reading, so that the second of two concurrent calls sees the boost of the first
  perform private.lock_counters(array[p_post]);
  if exists (select from app.post_counters where post_id = p_post and boost_expires_at > now()) then
    perform private.raise_error('boost_active');
  end if;
  insert into app.post_boosts (post_id, user_id, tier, cost, multiplier, expires_at)
  values (p_post, private.require_caller(), p_tier, v_tier.cost, v_tier.multiplier, now() + v_tier.lasts)
  returning * into v_boost;
  update app.post_counters set boost = v_boost.multiplier, boost_expires_at = v_boost.expires_at
  where post_id = p_post;
  perform private.move('boost', array[v_boost.user_id, private.burn()], array[-v_boost.cost, v_boost.cost],
                       v_boost.id);
  return v_boost;
end $$;
comment on function private.boost is
  'Boosts a post of the caller and burns the mana; api.boost_post checks whether the caller may boost it.';

insert into private.operations_of_people (operation) values ('boost_post');

create function api.boost_post(p_id uuid, p_tier integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept  json := private.begin_idempotent('boost_post', json_build_array(p_id, p_tier));
  v_post  app.posts;
  v_boost app.post_boosts;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.require_flag('emoji-pay');
  if (private.boost_tier(p_tier)).cost is null then
    perform private.raise_error('boost_tier');
  end if;
  v_post := private.require_original(p_id);
  if v_post.author_id <> private.require_caller() then
    perform private.raise_error('post_not_yours');
  elsif v_post.published_at is null then
    perform private.raise_error('post_not_out');
  elsif v_post.hidden_at is not null then
    perform private.raise_error('boost_hidden');
  end if;
  perform private.lock_open_post_space(v_post.id);

  v_boost := private.boost(v_post.id, p_tier);
  return private.finish_idempotent('boost_post', json_build_object(
    'boost', json_build_object(
      'id', v_boost.id,
      'postId', v_boost.post_id,
      'tier', v_boost.tier,
      'cost', v_boost.cost,
      'multiplier', v_boost.multiplier,
      'createdAt', private.utc(v_boost.created_at),
      'expiresAt', private.utc(v_boost.expires_at)),
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
end $$;
comment on function api.boost_post is
  'Boosts a post of the caller (the original of a repost), which can have one boost at a time: {boost {id, postId, '
  'tier, cost, multiplier, createdAt, expiresAt}, senderBalance}. Takes an Idempotency-Key.';

create function private.job_expire_boosts() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_changed integer;
begin
  with due as (
    select post_id from app.post_counters where boost_expires_at <= now()
    order by boost_expires_at limit 500 for no key update skip locked
  )
  update app.post_counters c set boost = 0, boost_expires_at = null from due where c.post_id = due.post_id;
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
comment on function private.job_expire_boosts is
  'Job: ends up to 500 boosts that have expired. May run twice: it takes only expired rows, and skips locked ones.';
insert into private.jobs (name, cron, expires, repeats) values ('expire-boosts', '* * * * *', 300, true);
