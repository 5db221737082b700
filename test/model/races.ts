// A database in which a test holds a lock for which concurrent requests wait. People join with invite codes, but there
// is no facade: requests go to the database as the facade would send them, and are not retried after a deadlock.
import type { Sql, TransactionSql } from 'postgres'
import { createDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

export type Someone = { id: string; username: string }
type Role = 'user' | 'service' | 'gate'

/** A request. It runs on a connection of the pool of `role`, or of the database's owner if there is no role. */
export type Request = { role?: Role; run(sql: Sql | TransactionSql): PromiseLike<unknown> }

/** The outcome of a request: null, the code of an error, or 40P01, a deadlock. */
export type Outcome = string | null

const outcomeOf = (asked: PromiseLike<unknown>): Promise<Outcome> =>
  Promise.resolve(asked).then(
    () => null,
    ({ code, message }: { code?: string; message: string }) => (code === '40P01' ? code : message),
  )

function operation(role: Role, claims: object | null, text: string, values: unknown[], headers: object | null) {
  const door = [claims && JSON.stringify(claims), headers && JSON.stringify(headers), ...values] as string[]
  const statement = `select api.${text} as answer from private.enter($1::text, $2::text)`
  return { role, run: (sql: Sql | TransactionSql) => sql.unsafe(statement, door) }
}

function claimsOf({ id }: Someone, role: string) {
  const iat = Math.floor(Date.now() / 1000)
  return { sub: id, role, iat, exp: iat + 900 }
}

/** An operation by a person. Its own values begin at $3. */
export const as = (who: Someone, text: string, ...values: unknown[]): Request =>
  operation('user', claimsOf(who, 'user'), text, values, null)

/** The same with an Idempotency-Key. */
export const asOnce = (key: string, who: Someone, text: string, ...values: unknown[]): Request =>
  operation('user', claimsOf(who, 'user'), text, values, { 'idempotency-key': key })

export const asStaff = (who: Someone, text: string, ...values: unknown[]): Request =>
  operation('service', claimsOf(who, 'admin'), text, values, null)

export const asModerator = (who: Someone, text: string, ...values: unknown[]): Request =>
  operation('service', claimsOf(who, 'moderator'), text, values, null)

export const atGate = (text: string, ...values: unknown[]): Request => operation('gate', null, text, values, null)

/** Any statement, as the database's owner. */
export const statement = (text: string, ...values: unknown[]): Request => ({
  run: (sql) => sql.unsafe(text, values as string[]),
})

/** The call that registers a person with the reservation $3. */
export const form = `register($3::uuid, $4, 'no password', $5, 'Lima', '1990-01-31', 'PT', 'Lisbon', 900)`

/** A lock that a test can hold, and the statement that takes it. */
export type Lock = { name: string; take: string }

export const row = (table: string, where: string): Lock => ({
  name: `${table} ${where}`,
  take: `select 1 from ${table} where ${where} for no key update`,
})
export const advisory = (name: string): Lock => ({
  name,
  take: `select pg_advisory_xact_lock(hashtextextended('${name}', 0))`,
})

export const person = ({ id }: Someone) => row('app.users', `id = '${id}'`)
export const counters = (post: string) => row('app.post_counters', `post_id = '${post}'`)
export const posts = (post: string) => row('app.posts', `id = '${post}'`)
export const effects = ({ id }: Someone) => advisory(`effects ${id}`)
export const wallet = ({ id }: Someone) => row('app.wallets', `user_id = '${id}'`)

export type Races = Awaited<ReturnType<typeof createRaces>>

/** Makes the database. Call it at the top of a file or of a describe, as createDatabase. */
export async function createRaces(from?: string) {
  const database = await createDatabase(from)
  const { owner, superuser } = database
  const pools = {
    user: database.connect('kith_user'),
    service: database.connect('kith_service'),
    gate: database.connect('kith_gate'),
  }
  let names = 0

  const poolOf = ({ role }: Request): Sql => (role ? pools[role] : owner)
  const run = (request: Request) => outcomeOf(request.run(poolOf(request)))

  /** The answer to an operation that has to be a success. */
  async function answer<Body = { id: string }>(request: Request): Promise<Body> {
    const [row] = (await request.run(poolOf(request))) as [{ answer: Body }]
    return row.answer
  }

  /** The first row of a statement that the owner runs. */
  async function found<Row = { id: string }>(text: string, ...values: unknown[]): Promise<Row> {
    const [row] = await owner.unsafe(text, values as string[])
    return row as Row
  }

  const admin = await found<Someone>(`select id, username from app.users where role = 'admin'`)
  /** An interest in which people earn reputation. */
  const interest = await found('select id from app.interests where level = 2 order by slug limit 1')

  /** Registers a new person with an invite code of `inviter`. */
  async function join(inviter: Someone = admin): Promise<Someone> {
    const name = `Person${++names}`
    const { code } = await found<{ code: string }>('select code from private.make_invite_code($1)', inviter.id)
    const seat = await answer<{ sessionId: string }>(atGate('reserve_invite($3)', code))
    const { claims, user } = await answer<{ claims: { sub: string }; user: { username: string } }>(
      atGate(form, seat.sessionId, `${name}@example.org`, name),
    )
    return { id: claims.sub, username: user.username }
  }

  /** The id of a new post. With an interest it earns its author reputation. */
  async function publish(author: Someone, more: { interest?: string } = {}): Promise<string> {
    const text = `create_post('What I found', p_interest_id => $3::uuid)`
    return (await answer(as(author, text, more.interest ?? null))).id
  }

  /** The id of a new reply. */
  async function reply(author: Someone, post: string): Promise<string> {
    return (await answer(as(author, `create_reply($3::uuid, 'Indeed')`, post))).id
  }

  /** Makes the next change of a count also change the post itself (private.raise_trending). */
  const settleTrending = () => owner`update app.posts set trending_boost = 99`.execute()

  /** The number of connections that wait for a lock. */
  async function waiting(): Promise<number> {
    const rows = await superuser`
      select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock'`
    return rows.length
  }

  /**
   * Holds a lock, and starts each request when the request before waits or is done. Then calls `look` and releases the
   * lock. @returns the outcomes of the requests
   */
  async function runHeld(held: Lock, requests: Request[], { look = async () => {} } = {}): Promise<Outcome[]> {
    const asked: Promise<Outcome>[] = []
    let done = 0
    await superuser
      .begin(async (sql) => {
        const rows = await sql.unsafe(held.take)
        if (rows.length === 0) throw new Error(`nothing to hold: ${held.name}`)
        for (const request of requests) {
          asked.push(run(request).finally(() => done++))
          await until(async () => done + (await waiting()) >= asked.length, { every: 2 })
        }
        await look()
      })
      .finally(() => Promise.all(asked)) // waits even after a failure, so that no request runs into the next test
    return Promise.all(asked)
  }

  return {
    ...{ database, owner, superuser, admin, interest: interest.id },
    ...{ run, answer, found, join, publish, reply, settleTrending, waiting, runHeld },
  }
}
