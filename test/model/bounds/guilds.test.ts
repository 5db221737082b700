// Tests the worst-case row counts of requests about guilds and treasuries. See test/support/bounds.ts.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

let guilds = 0
/** A guild inserted directly, in which the viewer is a member. */
async function newGuild(viewer: string): Promise<string> {
  guilds += 1
  const guild = id(
    await put(
      `insert into app.spaces (kind, slug, name, join_policy, member_count) values ('guild', $1, 'x', 'request', 1) returning id`,
      `guild-${guilds}`,
    ),
  )
  await put(`insert into app.guilds (space_id) values ('${guild}')`)
  await put(`insert into app.mana_accounts (id, kind, balance) values ('${guild}', 'treasury', 0)`)
  await put(
    `insert into app.space_members (space_id, user_id, role, made_at, created_at)
     values ('${guild}', '${viewer}', 'owner', now(), now() - interval '1 year')`,
  )
  return guild
}

/** Fills the guild up to `size` members: people of the crowd, and new ones. */
async function fillGuild(guild: string, size: number): Promise<void> {
  await put(
    `with made as (insert into app.users (id, username, first_name, last_name)
                   select ${crowd('n')}, 'beside' || n, 'crowd', 'x' from generate_series(1, ${size - 1}) n
                   on conflict (id) do nothing)
     insert into app.space_members (space_id, user_id, made_at, created_at)
     select '${guild}', ${crowd('n')}, now(), now() - interval '1 day' from generate_series(1, ${size - 1}) n`,
  )
}

checkBounds([
  {
    operation: 'list_space_members',
    against: 'members whom the caller can’t see',
    most: 2500,
    async scene(viewer, size) {
      const guild = await newGuild(viewer)
      await put(`delete from app.space_members where space_id = '${guild}'`)
      await put(
        `insert into app.space_members (space_id, user_id, made_at, created_at)
         select '${guild}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, now(), ${minutes('n')}
         from generate_series(1, ${size}) n`,
      )
      return {
        parameters: `p_kind => 'guild', p_id => '${guild}'`,
        shown: [1, 2, 3, 4, 5].map((n) => `acct:friend${n}@localhost`),
      }
    },
    key: ({ userId }) => String(userId),
  },
  {
    operation: 'list_my_guild_applications',
    against: 'requests to groups',
    most: 2500,
    async scene(viewer, size) {
      const [guild, group] = [await newGuild(viewer), await newGuild(viewer)]
      await put(`update app.spaces set kind = 'group' where id = '${group}'`)
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.space_requests (space_id, user_id, status, decided_at, created_at)
         select case when ${isShown(size)} then '${guild}' else '${group}' end::uuid, '${viewer}', 'withdrawn', now(), ${minutes('n')}
         from generate_series(1, ${size}) n returning id, space_id = '${guild}' as shown`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_proposals',
    against: 'proposals of another status',
    most: 600,
    async scene(viewer, size) {
      const guild = await newGuild(viewer)
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.guild_proposals (guild_id, proposer_id, kind, title, body, payload, status, decided_at, eligible, closes_at, created_at)
         select '${guild}', ${crowd('n')}, 'general', 'x', '', '{}', case when ${isShown(size)} then 'passed' else 'failed' end,
                now(), 1, now(), ${minutes('n')}
         from generate_series(1, ${size}) n returning id, status = 'passed' as shown`,
      )
      return {
        parameters: `p_id => '${guild}', p_status => 'passed'`,
        shown: ids(made.filter(({ shown }) => shown)).reverse(),
      }
    },
  },
  {
    operation: 'get_treasury',
    against: 'rows of the treasury',
    most: 1000,
    async scene(viewer, size) {
      const guild = await newGuild(viewer)
      await put(
        `insert into app.treasury_entries (guild_id, transaction_id, kind, counterpart_id, amount, balance_after)
         select '${guild}', gen_random_uuid(), 'contribution', ${crowd('n')}, 1, n from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_guild_id => '${guild}'` }
    },
  },
  {
    operation: 'vote_on_proposal',
    against: 'members, all others of whom have voted',
    most: 12_000,
    sizes: [5000],
    async scene(viewer, size) {
      const guild = await newGuild(viewer)
      await fillGuild(guild, size)
      const proposal = id(
        await put(
          `insert into app.guild_proposals (guild_id, proposer_id, kind, title, body, payload, closes_at, due_at)
           values ('${guild}', '${viewer}', 'general', 'x', '', '{}', now() + interval '1 day', now()) returning id`,
        ),
      )
      await put(
        `insert into app.guild_votes (proposal_id, user_id, value)
         select '${proposal}', user_id, 'no' from app.space_members where space_id = '${guild}' and role = 'member'`,
      )
      return { parameters: `p_id => '${guild}', p_pid => '${proposal}', p_value => 'yes'` }
    },
  },
  {
    operation: 'distribute',
    against: 'members, each of whom gets a share',
    most: 150_000,
    sizes: [5000],
    async scene(viewer, size) {
      const guild = await newGuild(viewer)
      await fillGuild(guild, size)
      await put(`update app.mana_accounts set balance = 1000000 where id = '${guild}'`)
      await put(
        `with opened as (insert into app.mana_accounts (id, kind)
                         select user_id, 'wallet' from app.space_members where space_id = '${guild}' returning id),
         held as (insert into app.wallets (user_id) select id from opened)
         insert into app.contribution_scores (user_id, score) select id, 1 from opened`,
      )
      return { parameters: `p_guild_id => '${guild}', p_amount => 1000000` }
    },
  },
])
