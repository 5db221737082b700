// Proposals over HTTP: what they decide, when, and who may vote. Forty concurrent votes are counted. The worker
// executes each passed proposal once, even if there are two workers or one is killed.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner, superuser } = database
const workers = [database.connect('kith_worker'), database.connect('kith_worker')] as const

type Id = { id: string }
type Proposal = Id & { status: string; tally: { yes: number; eligible: number }; decidedAt: string }

const catalog = await alice.get<Page<Id>>('/interests/catalog')
const interestId = catalog.body.items[0]?.id
let made = 0
/** Creates a guild with the admin as its founder and these members. @returns its id */
async function newGuild(...people: Person[]): Promise<string> {
  made += 1
  const { status, body } = await admin.post<Id>('/guilds', { name: `Guild ${made}`, interestId })
  expect(status).toBe(201) // one person can create the 20 guilds of these tests
  for (const who of people) await letIn(body.id, who)
  return body.id
}
async function letIn(guild: string, who: Person) {
  const asked = await who.post<Id>(`/guilds/${guild}/applications`)
  await admin.post(`/guilds/${guild}/applications/${asked.body.id}/approve`)
}
const general = { kind: 'general', title: 'Let us sing' }
const propose = async (who: Person, guild: string, what: object = general) => {
  const made = await who.post<Proposal>(`/guilds/${guild}/proposals`, { title: 'Let us', ...what })
  expect(made).toMatchObject({ status: 201 })
  return made.body.id
}
const at = (guild: string, id: string) => `/guilds/${guild}/proposals/${id}`
const vote = (who: Person, guild: string, id: string, value = 'yes') =>
  who.request<Proposal>('PUT', `${at(guild, id)}/vote`, { value })
const look = async (guild: string, id: string) => (await admin.get<Proposal>(at(guild, id))).body
/** Ends the voting period. */
const close = (id: string) => owner`update app.guild_proposals set closes_at = now(), due_at = now() where id = ${id}`
/** Runs the worker's job until nothing is due. @returns how many proposals it settled */
async function work(worker = workers[0]): Promise<number> {
  for (let done = 0; ; done += 1) {
    const [row] = await worker<{ changed: number }[]>`select private.job_settle_proposals() as changed`
    if (row?.changed !== 1) return row?.changed === 0 ? done : -1
  }
}
const noticesOf = async (who: Person) => {
  await applyEffects(owner)
  type Notice = { payload: { event: string; proposalId: string | null } }
  const { body } = await who.get<Page<Notice>>('/notifications')
  return body.items.map(({ payload }) => `${payload.event} ${payload.proposalId}`)
}

const [guild, other] = [await newGuild(alice, bob), await newGuild(alice)]
const routes: [string, string, object?][] = [
  ['GET', '/guilds/:id/proposals'],
  ['POST', '/guilds/:id/proposals', general],
  ['GET', '/guilds/:id/proposals/:pid'],
  ['PUT', '/guilds/:id/proposals/:pid/vote', { value: 'yes' }],
  ['POST', '/guilds/:id/proposals/:pid/withdraw'],
]
describe.each(routes)('%s %s', (method, path, body) => {
  test('requires a member of an existing guild', async () => {
    const pid = await propose(alice, guild)
    const ask = (who: Person, id: string, of = pid) =>
      who.request(method, path.replace(':id', id).replace(':pid', of), body)
    expect(await ask(nobody, guild)).toFailWith(401, 'token_missing')
    expect(await ask(alice, UNKNOWN)).toFailWith(404, 'space_unknown')
    expect(await ask(carla, guild)).toFailWith(403, 'space_not_member')
    expect(await ask(alice, 'x'.repeat(61))).toFailWith(422, 'validation_failed')
    if (!path.includes(':pid')) return
    expect(await ask(alice, guild, UNKNOWN)).toFailWith(404, 'proposal_unknown')
    expect(await ask(alice, other)).toFailWith(404, 'proposal_unknown')
    expect(await ask(alice, guild, 'x')).toFailWith(422, 'validation_failed')
  })
})

const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString()

test.each([
  [{ kind: 'tax' }, 422, 'validation_failed'],
  [{ title: ' ' }, 422, 'validation_failed'],
  [{ title: 'a\nb' }, 422, 'text_unfit'],
  [{ body: 'é'.repeat(20_001) }, 422, 'proposal_body'],
  [{ closesAt: hours(0.5) }, 422, 'proposal_closes_at'],
  [{ closesAt: hours(31 * 24) }, 422, 'proposal_closes_at'],
  [{ kind: 'charter' }, 422, 'proposal_payload'],
  [{ kind: 'charter', payload: { charter: 'é'.repeat(20_001) } }, 422, 'guild_charter'],
  [{ kind: 'steward', payload: { userId: 'alice' } }, 422, 'proposal_payload'],
  [{ kind: 'steward', payload: { userId: 'carla', grant: true } }, 404, 'space_member_unknown'],
  [{ kind: 'expel', payload: { userId: 'admin' } }, 409, 'last_owner'],
  [{ kind: 'expel', payload: { userId: 'nobody_here' } }, 404, 'person_unknown'],
  [{ kind: 'disburse', payload: { recipientId: 'carla' } }, 422, 'proposal_payload'],
])('A proposal is rejected for %j', async (what, status, code) => {
  expect(await alice.post(`/guilds/${guild}/proposals`, { ...general, ...what })).toFailWith(status, code)
})

test('A proposal passes as soon as more than half of the eligible vote yes, and the worker executes it', async () => {
  const guild = await newGuild(alice, bob)
  const first = await alice.post<Proposal>(`/guilds/${guild}/proposals`, {
    ...{ kind: 'charter', title: ' A charter ', body: 'Since we have none', payload: { charter: '# We sing' } },
  })
  const { id } = first.body
  expect(first).toMatchObject({
    status: 201,
    body: {
      ...{ guildId: guild, kind: 'charter', title: 'A charter', body: 'Since we have none', status: 'open' },
      ...{ payload: { charter: '# We sing' }, proposer: { actorId: alice.actorId }, decidedAt: null, reason: null },
      tally: { yes: 0, no: 0, abstain: 0, eligible: 3, quorum: 1 },
      viewer: { vote: null },
    },
  })
  expect(await vote(alice, guild, id, 'maybe')).toFailWith(422, 'validation_failed')
  expect(await vote(alice, guild, id, 'no')).toMatchObject({
    status: 200,
    body: { tally: { no: 1 }, viewer: { vote: 'no' } },
  })
  expect(await vote(alice, guild, id)).toMatchObject({ body: { status: 'open', tally: { yes: 1, no: 0 } } })
  expect(await vote(bob, guild, id)).toMatchObject({
    body: { status: 'passed', tally: { yes: 2, no: 0, abstain: 0, eligible: 3 }, decidedAt: expect.any(String) },
  })
  expect(await vote(admin, guild, id, 'no')).toFailWith(409, 'proposal_closed')
  expect(await work()).toBe(1)
  expect(await look(guild, id)).toMatchObject({ status: 'executed', executedAt: expect.any(String), tally: { yes: 2 } })
  expect(await carla.get(`/guilds/${guild}`)).toMatchObject({ body: { charter: '# We sing', charterVersion: 2 } })
  expect(await carla.get(`/guilds/${guild}/charter/versions`)).toMatchObject({
    body: {
      items: [
        { version: 2, proposalId: id },
        { version: 1, proposalId: null },
      ],
    },
  })
  expect(await noticesOf(alice)).toContain(`proposal_decided ${id}`)
  expect(await alice.get(`/guilds/${guild}/proposals?status=executed`)).toMatchObject({ body: { items: [{ id }] } })
  expect(await alice.get(`/guilds/${guild}/proposals?status=open`)).toMatchObject({ body: { items: [] } })
  expect(await alice.get(`/guilds/${guild}/proposals?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
  const second = await propose(bob, guild)
  const page = await alice.get<Page<Id>>(`/guilds/${guild}/proposals?limit=1`)
  expect(page.body.items.map((one) => one.id)).toEqual([second])
  expect(await alice.get(`/guilds/${guild}/proposals?limit=1&cursor=${page.body.nextCursor}`)).toMatchObject({
    body: { items: [{ id }] },
  })
})

test.each([
  [{}, 'expired'],
  [{ alice: 'yes', bob: 'no' }, 'failed'],
  [{ alice: 'abstain' }, 'failed'],
  [{ alice: 'yes' }, 'executed'],
  [{ alice: 'yes', bob: 'yes', admin: 'no' }, 'executed'],
] as [Record<string, string>, string][])(
  'At the end of the voting period, the votes %j make a proposal %s',
  async (votes, status) => {
    const people: Record<string, Person> = { alice, bob, admin }
    const [dora] = await join(`dora${made}`)
    const guild = await newGuild(alice, bob, dora ?? bob)
    const id = await propose(alice, guild)
    for (const [who, value] of Object.entries(votes))
      expect(await vote(people[who] as Person, guild, id, value)).toMatchObject({
        status: 200,
        body: { status: 'open' },
      })
    expect(await work()).toBe(0)
    await close(id)
    expect(await vote(alice, guild, id)).toFailWith(409, 'proposal_closed')
    expect(await work()).toBe(1)
    expect(await look(guild, id)).toMatchObject({ status, tally: { eligible: 4, quorum: 1 } })
    expect(await work()).toBe(0)
  },
)

test('People who joined later, are banned or to be expelled cannot vote, and leaving withdraws a vote', async () => {
  const [dora, emil] = (await join('dora', 'emil')) as [Person, Person]
  const guild = await newGuild(alice, bob, dora)
  const expel = await propose(alice, guild, { kind: 'expel', payload: { userId: 'bob' } })
  expect(await vote(bob, guild, expel, 'no')).toFailWith(403, 'proposal_ineligible')
  await letIn(guild, emil)
  expect(await vote(emil, guild, expel)).toFailWith(403, 'proposal_ineligible')
  expect(await vote(dora, guild, expel)).toMatchObject({ body: { status: 'open', tally: { yes: 1, eligible: 3 } } })

  const other = await propose(alice, guild)
  for (const who of [dora, emil]) await vote(who, guild, other)
  expect(await look(guild, other)).toMatchObject({ tally: { yes: 2, eligible: 5 } })
  await dora.post(`/guilds/${guild}/leave`)
  expect(await dora.get(at(guild, other))).toFailWith(403, 'space_not_member')
  await letIn(guild, dora) // a person who comes back is not eligible again
  expect(await vote(dora, guild, other)).toFailWith(403, 'proposal_ineligible')
  expect(await look(guild, other)).toMatchObject({ tally: { yes: 1, eligible: 4 } })
  await owner`update app.users set banned_at = now() where id = ${emil.id}`
  expect(await look(guild, other)).toMatchObject({ tally: { yes: 0, eligible: 3 } })

  // Three people could vote on bob's expulsion: alice, the founder and dora. dora has left, and one yes of two is not
  // enough.
  expect(await vote(alice, guild, expel)).toMatchObject({ body: { status: 'open', tally: { yes: 1, eligible: 2 } } })
  await close(other)
  await work()
  expect(await look(guild, other)).toMatchObject({ status: 'expired' })

  // when a person who has not voted leaves, the others' votes become more than half
  await vote(alice, guild, expel)
  const last = await propose(alice, guild)
  for (const who of [alice, bob]) await vote(who, guild, last)
  expect(await look(guild, last)).toMatchObject({ status: 'open', tally: { yes: 2, eligible: 4 } })
  await dora.post(`/guilds/${guild}/leave`)
  await work()
  expect(await look(guild, last)).toMatchObject({ status: 'executed', tally: { yes: 2, eligible: 3 } })
})

test('A passed proposal is executed and its subject notified, or fails with a reason', async () => {
  const guild = await newGuild(alice, bob, carla)
  const pass = async (what: object) => {
    const id = await propose(alice, guild, what)
    for (const who of [alice, carla, admin]) await vote(who, guild, id)
    await work()
    return look(guild, id)
  }
  const steward = (grant: boolean) => ({ kind: 'steward', payload: { userId: 'bob', grant } })
  expect(await pass(steward(true))).toMatchObject({ status: 'executed', payload: { userId: bob.actorId, grant: true } })
  expect(await bob.get(`/guilds/${guild}`)).toMatchObject({ body: { stewardCount: 1, viewer: { role: 'steward' } } })
  expect(await noticesOf(bob)).toContain('role_changed null')
  expect(await pass(steward(false))).toMatchObject({ status: 'executed' })

  const disburse = { kind: 'disburse', payload: { recipientId: 'bob', amount: 5 } }
  expect(await pass(disburse)).toMatchObject({ status: 'execution_failed', reason: 'insufficient_mana' })
  await alice.post(`/treasury/${guild}/contribute`, { amount: 8 })
  const paid = await pass(disburse)
  expect(paid).toMatchObject({ status: 'executed', payload: { recipientId: bob.actorId, amount: 5 } })
  expect(await alice.get(`/treasury/${guild}`)).toMatchObject({
    body: {
      balance: 3,
      items: [{ amount: -5, actor: null, counterpart: { actorId: bob.actorId }, proposalId: paid.id }, {}],
    },
  })

  const gone = await propose(alice, guild, { kind: 'expel', payload: { userId: 'bob' } })
  await bob.post(`/guilds/${guild}/leave`)
  for (const who of [alice, carla]) await vote(who, guild, gone)
  await work()
  expect(await look(guild, gone)).toMatchObject({ status: 'execution_failed', reason: 'space_member_unknown' })
  await letIn(guild, bob)
  expect(await pass({ kind: 'expel', payload: { userId: 'bob' } })).toMatchObject({ status: 'executed' })
  expect(await bob.get(`/guilds/${guild}`)).toMatchObject({ body: { viewer: { role: null, status: 'none' } } })
  expect(await noticesOf(bob)).toContain('removed null')
})

test('A proposal can be withdrawn only while nobody else has voted', async () => {
  const guild = await newGuild(alice, bob)
  const [first, second] = [await propose(alice, guild), await propose(alice, guild)]
  expect(await bob.post(`${at(guild, first)}/withdraw`)).toFailWith(403, 'proposal_not_yours')
  await vote(alice, guild, first)
  expect(await alice.post(`${at(guild, first)}/withdraw`)).toMatchObject({ status: 200, body: { status: 'withdrawn' } })
  expect(await alice.post(`${at(guild, first)}/withdraw`)).toFailWith(409, 'proposal_closed')
  await vote(bob, guild, second, 'no')
  expect(await alice.post(`${at(guild, second)}/withdraw`)).toFailWith(409, 'proposal_voted')
  expect(await work()).toBe(0)
})

test('Archiving a guild closes its open proposals, and passed ones are no longer executed', async () => {
  const guild = await newGuild(alice)
  await alice.post(`/treasury/${guild}/contribute`, { amount: 2 })
  const disburse = { kind: 'disburse', payload: { recipientId: 'carla', amount: 2 } }
  const [passed, open] = [await propose(alice, guild, disburse), await propose(alice, guild)]
  for (const who of [alice, admin]) await vote(who, guild, passed)
  await owner`update app.spaces set archived_at = now() where id = ${guild}`
  expect(await vote(alice, guild, open)).toFailWith(409, 'space_archived')
  expect(await alice.post(`/guilds/${guild}/proposals`, general)).toFailWith(409, 'space_archived')
  await work()
  expect(await look(guild, open)).toMatchObject({ status: 'force_closed' })
  expect(await look(guild, passed)).toMatchObject({ status: 'execution_failed', reason: 'space_archived' })
})

test.each([
  ['approve', 'passed', 'executed'],
  ['reject', 'failed', 'failed'],
  ['force-close', 'force_closed', 'force_closed'],
])(
  'POST /admin/guilds/:id/proposals/:pid/%s requires an admin, decides the proposal once and is audited',
  async (action, status, later) => {
    const guild = await newGuild(alice)
    const id = await propose(alice, guild)
    const path = `/admin${at(guild, id)}/${action}`
    expect(await nobody.post(path)).toFailWith(401, 'token_missing')
    expect(await alice.post(path)).toMatchObject({ status: 403 })
    expect(await admin.post(`/admin${at(guild, UNKNOWN)}/${action}`)).toFailWith(404, 'proposal_unknown')
    expect(await admin.post(`/admin${at(guild, 'x')}/${action}`)).toFailWith(422, 'validation_failed')
    expect(await admin.post(path)).toMatchObject({ status: 200, body: { status } })
    expect(await admin.post(path)).toFailWith(409, 'proposal_closed')
    await work()
    expect(await look(guild, id)).toMatchObject({ status: later })
    expect(await noticesOf(alice)).toContain(`proposal_decided ${id}`)
    const [entry] = await owner`select action, target_id from app.audit_log order by id desc limit 1`
    expect(entry).toEqual({ action: `proposal.${status}`, target_id: id })
  },
)

describe('Under concurrency', () => {
  /** Inserts more members directly. @returns their ids */
  async function crowd(guild: string, count: number): Promise<string[]> {
    const rows = await owner<Id[]>`
      insert into app.users (username, first_name, last_name) select ${`crowd${made}_`} || n, 'C', 'X' from generate_series(1, ${count}::int) n returning id`
    const ids = rows.map(({ id }) => id)
    await owner`insert into app.space_members (space_id, user_id) select ${guild}, * from unnest(${ids}::uuid[])`
    await owner`update app.spaces set member_count = member_count + ${count} where id = ${guild}`
    return ids
  }

  test('forty votes from ten connections are counted exactly', async () => {
    const guild = await newGuild(alice)
    const ids = await crowd(guild, 40)
    const id = await propose(alice, guild)
    const now = Math.floor(Date.now() / 1000)
    const values = ids.map((_, n) => ['yes', 'no', 'abstain'][n % 3] ?? '')
    const votes = [...ids.entries()]
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const connection = await database.connect('kith_user').reserve()
        await connection`set statement_timeout = 0` // on a busy machine the last vote waits for nine cold connections
        for (let next = votes.pop(); next; next = votes.pop()) {
          const [n, sub] = next
          await connection.unsafe(`select api.vote_on_proposal($2, $3, $4) from private.enter($1)`, [
            ...[JSON.stringify({ sub, role: 'user', iat: now, exp: now + 900 }), guild, id, values[n] ?? ''],
          ])
        }
        connection.release()
      }),
    )
    expect(await look(guild, id)).toMatchObject({
      status: 'open',
      tally: { yes: 14, no: 13, abstain: 13, eligible: 42, quorum: 11 },
    })
  })

  test('two workers, and one that is killed in the middle, execute each proposal once', async () => {
    const guild = await newGuild(alice, bob)
    await alice.post(`/treasury/${guild}/contribute`, { amount: 10 })
    const balance = async () => (await carla.get<{ balance: number }>('/economy/wallet')).body.balance
    const before = await balance()
    for (let n = 0; n < 10; n++) {
      const id = await propose(alice, guild, { kind: 'disburse', payload: { recipientId: 'carla', amount: 1 } })
      for (const who of [alice, bob]) await vote(who, guild, id)
    }
    // the first worker waits for the wallet in the middle of its transaction, and is terminated there
    const dead = database.connect('kith_worker')
    const waits = () => superuser<{ pid: number }[]>`
      select pid from pg_stat_activity
      where usename = 'kith_worker' and datname = current_database() and wait_event_type = 'Lock'`
    await superuser.begin(async (sql) => {
      await sql`select from app.wallets where user_id = ${carla.id} for update`
      const killed = dead`select private.job_settle_proposals()`.then(
        () => false,
        () => true,
      )
      await until(async () => (await waits()).length === 1)
      for (const { pid } of await waits()) await superuser`select pg_terminate_backend(${pid})`
      expect(await killed).toBe(true)
    })

    const done = await Promise.all(workers.map((worker) => work(worker)))
    expect(done.every((count) => count >= 0)).toBe(true)
    const rows = await owner<{ status: string }[]>`select status from app.guild_proposals where guild_id = ${guild}`
    expect(rows.map(({ status }) => status)).toEqual(Array(10).fill('executed'))
    expect(await balance()).toBe(before + 10)
    expect(await alice.get(`/treasury/${guild}`)).toMatchObject({ body: { balance: 0 } })
    expect([
      ...(await owner`select * from private.audit_mana() union all select * from private.audit_treasuries()`),
    ]).toEqual([])
  })
})
