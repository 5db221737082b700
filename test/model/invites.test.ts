// Many requests at once: only one candidate reserves a code, a reservation registers only one person, and no two tokens
// are the same.
import type { TransactionSql } from 'postgres'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/crawler.ts'
import { claimsOf } from '../support/crawler.ts'
import { applicant } from '../support/joining.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

/** How many statements the pool of the role gate runs at once. */
const LANES = 10
const { alice, admin, nobody, database } = await world({ people: ['alice'], env: { POOL_GATE: `${LANES}` } })
type Session = { accessToken: string; user: { id: string } }

async function newCodes(count: number): Promise<string[]> {
  const { body } = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count })
  return body.items.map(({ code }) => code)
}

const atOnce = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

/**
 * Holds a lock until every statement waits for it, and then releases the lock. Without this, requests seldom meet,
 * because the facade hashes one password at a time.
 */
async function jammed<T>(lock: (sql: TransactionSql) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const { work: running } = await database.owner.begin(async (sql) => {
    await lock(sql)
    // begin() would await a bare promise while it holds the lock
    const started = { work: work() }
    await until(async () => {
      const waiting = await database.owner`
        select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock'`
      return waiting.length === LANES
    })
    return started
  })
  return running
}

const holdCodes = (codes: (string | undefined)[]) => (sql: TransactionSql) =>
  sql`select from app.invite_codes where code in ${sql(codes.map((code) => code ?? ''))} for update`
const holdWrites = (table: string) => (sql: TransactionSql) => sql`lock table ${sql(table)} in share mode`

/** The number of answers by status and error code. */
function tally(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, headers } of answers) {
    const kind = `${status} ${headers.get('x-error-code') ?? ''}`.trim()
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

async function count(table: string, column: string, people: string[]): Promise<number> {
  const { owner } = database
  const [row] = await owner`select count(*)::int from ${owner(table)} where ${owner(column)} in ${owner(people)}`
  return row?.count
}

describe('Reserving', () => {
  test('the same code 50 times at once succeeds once', async () => {
    const [code] = await newCodes(1)
    const answers = await jammed(holdCodes([code]), () =>
      atOnce(50, () => nobody.post('/auth/reserve-invite', { code })),
    )
    expect(tally(answers)).toEqual({ 200: 1, '409 invite_reserved': 49 })
  })

  test('the same code by 50 candidates at once succeeds once', async () => {
    const [code] = await newCodes(1)
    const path = '/identity/invite-codes/reserve'
    const answers = await jammed(holdCodes([code]), () =>
      atOnce(50, () => nobody.post(path, { code, candidateSessionId: crypto.randomUUID() })),
    )
    expect(tally(answers)).toEqual({ 200: 1, '409 invite_reserved': 49 })
  })

  test('several codes at once for one candidate gives the candidate one code', async () => {
    const codes = await newCodes(LANES)
    const candidateSessionId = crypto.randomUUID()
    const path = '/identity/invite-codes/reserve'
    // stops each request at its last write, after its check of what the candidate holds
    await database.owner.unsafe(`
      create function private.hold() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
      create trigger hold before update on app.invite_codes for each row
        when (new.status = 'reserved') execute function private.hold()`)
    const answers = await jammed(
      (sql) => sql`select pg_advisory_xact_lock(1)`,
      () => atOnce(LANES, (n) => nobody.post(path, { code: codes[n], candidateSessionId })),
    )
    await database.owner`drop function private.hold cascade`
    expect(tally(answers)).toEqual({ 200: LANES })
    const held =
      await database.owner`select status from app.invite_codes where candidate_session_id = ${candidateSessionId}`
    expect(held).toMatchObject([{ status: 'reserved' }])
  })

  test('overdue codes at once gives each to one person', async () => {
    const codes = await newCodes(10)
    await atOnce(10, (n) => nobody.post('/auth/reserve-invite', { code: codes[n] }))
    await database.owner`update app.invite_codes set reserved_until = now() where code in ${database.owner(codes)}`
    const answers = await atOnce(40, (n) => nobody.post('/auth/reserve-invite', { code: codes[n % 10] }))
    expect(tally(answers)).toEqual({ 200: 10, '409 invite_reserved': 30 })
  })
})

describe('Registering', () => {
  async function reserved(code?: string): Promise<string> {
    const [fresh] = code ? [code] : await newCodes(1)
    return (await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code: fresh })).body.sessionId
  }

  test('50 times at once with one reservation makes one person and one wallet', async () => {
    const [code] = await newCodes(1)
    const sessionId = await reserved(code)
    const answers = await jammed(holdCodes([code]), () =>
      atOnce(50, (n) => nobody.post<Session>('/auth/register', { ...applicant(`racer_${n}`), sessionId })),
    )
    expect(tally(answers)).toEqual({ 201: 1, '410 reservation_over': 49 })

    const winner = answers.find(({ status }) => status === 201)?.body.user.id ?? ''
    const racers = await database.owner<{ id: string }[]>`select id from app.users where username like 'racer\\_%'`
    expect(racers.map(({ id }) => id)).toEqual([winner])
    expect(await count('app.wallets', 'user_id', [winner])).toBe(1)
    expect(await count('app.mana_accounts', 'id', [winner])).toBe(1)
    expect(await count('app.invite_tree', 'invitee_id', [winner])).toBe(1)
    const accounts = await database.owner`select from app.accounts where email like 'racer\\_%'`
    const orphans =
      await database.owner`select from app.wallets w where not exists (select from app.users u where u.id = w.user_id)`
    expect([accounts.length, orphans.length]).toEqual([1, 0])
    const [{ balance } = { balance: null }] =
      await database.owner`select balance::int from app.wallets where user_id = ${winner}`
    expect(balance).toBe(50)
  })

  test('10 times with one address and 10 reservations succeeds once, and the others keep their reservations', async () => {
    const sessions = await atOnce(10, () => reserved())
    const join = (sessionId: string | undefined, email: string) =>
      nobody.post<Session>('/auth/register', { ...applicant('twin'), sessionId, email })
    const answers = await jammed(holdWrites('app.accounts'), () =>
      atOnce(10, (n) => join(sessions[n], n % 2 ? 'twin@example.org' : 'TWIN@example.org')),
    )
    expect(tally(answers)).toEqual({ 201: 1, '409 email_taken': 9 })
    const again = await atOnce(10, (n) => join(sessions[n], `twin_${n}@example.org`))
    expect(tally(again)).toEqual({ 201: 9, '410 reservation_over': 1 })
  })

  test('10 people of the same name at once gives 10 usernames', async () => {
    const sessions = await atOnce(10, () => reserved())
    const answers = await jammed(holdWrites('app.users'), () =>
      atOnce(10, (n) => {
        const person = { ...applicant('same'), sessionId: sessions[n], email: `same_${n}@example.org` }
        return nobody.post<{ user: { username: string } }>('/auth/register', person)
      }),
    )
    expect(tally(answers)).toEqual({ 201: 10 })
    const names = new Set(answers.map(({ body }) => body.user.username))
    expect(names.size).toBe(10)
    expect([...names].every((name) => /^same(_\d{1,4})?$/.test(name))).toBe(true)
  })
})

describe('Logging in', () => {
  test('20 times at once gives 20 different tokens', async () => {
    const { email, password } = alice
    const answers = await jammed(holdWrites('private.credentials'), () =>
      atOnce(20, () => nobody.post<Session>('/auth/login', { email, password })),
    )
    expect(tally(answers)).toEqual({ 200: 20 })
    const tokens = answers.map(({ body }) => body.accessToken)
    expect(new Set(tokens).size).toBe(20)
    expect(new Set(tokens.map((token) => JSON.stringify(claimsOf(token)))).size).toBe(20)

    const [first, ...others] = tokens.map((token) => alice.withToken(token))
    expect(await first?.post('/auth/logout')).toMatchObject({ status: 204 })
    expect(await first?.get('/me')).toFailWith(401, 'token_revoked')
    const alive = await Promise.all(others.map((person) => person.get('/me')))
    expect(tally(alive)).toEqual({ 200: 19 })
  })
})

test('When 20 admins generate codes at once, the audit chain has 20 entries without a gap', async () => {
  const [before] = await database.owner`select count(*)::int as entries from app.audit_log`
  const answers = await atOnce(20, () => admin.post('/admin/invite-codes/generate', { count: 3 }))
  expect(tally(answers)).toEqual({ 201: 20 })
  const [after] = await database.owner`
    select count(*)::int as entries, count(distinct previous)::int as links, bool_and(fits) as whole, max(id)::int as last
    from (select l.id, l.previous, l.hash = private.audit_hash(l) and
                 l.previous is not distinct from lag(l.hash) over (order by l.id) as fits from app.audit_log l) chain`
  const entries = before?.entries + 20
  expect(after).toEqual({ entries, last: entries, links: entries - 1, whole: true })
})
