// A revoked token receives nothing more within a second of the commit, however it was revoked. Newer tokens still
// receive messages. See docs/decisions.md, Realtime; Tokens and sessions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createSeals } from '../../api-facade/lib/seals.ts'
import { type RunningServer, startServer } from '../../api-facade/server.ts'
import { Person } from '../support/person.ts'
import { type Listener, listen, realtimeWorld, type Socket, versions } from '../support/realtime.ts'
import { environment, JWT_SECRET } from '../support/settings.ts'
import { until } from '../support/until.ts'

const SECOND = { timeout: 1000 }
const w = await realtimeWorld()
const { alice, bob, admin, nobody, database } = w
const { owner, superuser } = database
let names = 0
const someone = async () => (await w.join(`leaver${++names}`))[0] as Person
const hears = (person: Person, topic = 'feed:public', version = versions[1] as (typeof versions)[number]) =>
  listen(
    w.client(() => person.token ?? '', version),
    topic,
  )
const isOver = ({ statuses }: Listener) => statuses.includes('CLOSED')

/** Expects that a message sent now arrives at all of these. */
async function expectToHear(...listeners: Listener[]) {
  const id = crypto.randomUUID()
  await w.broadcast('feed:public', { id })
  await until(() => listeners.every(({ heard }) => heard.some(({ payload }) => payload.id === id)))
}

const logOut = (person: Person) => person.post('/auth/logout', {})

/** The ways to revoke a token, and whether its holder can get or keep another one. */
const ways: Record<string, [(person: Person) => Promise<{ status: number }>, newer: 'kept' | 'new' | 'none']> = {
  'A logout': [logOut, 'kept'],
  'A global logout': [(person) => person.post('/auth/logout', { scope: 'global' }), 'new'],
  'A new password': [
    ({ password, ...person }) => {
      const change = { currentPassword: password, newPassword: password }
      return new Person(person.base, person.token).patch('/identity/me/password', change)
    },
    'new',
  ],
  'A password reset by mail': [
    async ({ email, password }) => {
      await nobody.post('/auth/forgot-password', { email })
      const [made] = await owner<{ id: string }[]>`select id from private.password_resets order by created_at desc`
      const token = createSeals([JWT_SECRET]).seal('reset', { id: made?.id ?? '', generation: 0 })
      return nobody.post('/auth/reset-password', { token, newPassword: password })
    },
    'new',
  ],
  'A ban': [({ id }) => admin.post(`/admin/users/${id}/ban`, { reason: 'Spam' }), 'none'],
  'Another role': [({ id }) => admin.patch(`/admin/users/${id}/role`, { role: 'moderator' }), 'new'],
  'An erasure': [(person) => person.post('/me/delete', { password: person.password }), 'none'],
  'A ban by SQL': [
    async ({ id }) => {
      await owner`update app.users set banned_at = now() where id = ${id}`
      return { status: 200 }
    },
    'none',
  ],
  'Another role by SQL': [
    async ({ id }) => {
      await owner`update app.users set role = 'moderator' where id = ${id}`
      return { status: 200 }
    },
    'new',
  ],
}

describe.each(versions)('Over protocol version %s:', (version) => {
  test.each(Object.entries(ways))('%s ends every channel that the token joined', async (_way, [end, newer]) => {
    const person = await someone()
    const kept = newer === 'kept' ? [await person.login()] : []
    const others = await Promise.all([alice, ...kept].map((other) => hears(other, 'feed:public', version)))
    const dying = [
      await hears(person, 'feed:public', version),
      await hears(person, `user:${person.id}`, version),
      await hears(person, 'feed:public', version),
    ]
    const { status } = await end(person)
    expect(status).toBeLessThan(300)
    await until(() => dying.every(isOver), SECOND)
    const message = 'You do not have permissions to read from this Channel topic: feed:public'
    expect(dying[0]?.system).toEqual([{ extension: 'system', status: 'error', message, channel: 'feed:public' }])
    await expect(hears(person, 'feed:public', version)).rejects.toThrow('Unauthorized')

    if (newer === 'new') others.push(await hears(await person.login(), 'feed:public', version))
    await expectToHear(...others)
    expect(dying.flatMap(({ heard }) => heard)).toEqual([])
    expect(others.some(isOver)).toBe(false)
  })
})

test('A channel that got a newer token stays open when the older one is revoked', async () => {
  const [older, newer] = [await bob.login(), await bob.login()]
  let token = older.token ?? ''
  const client = w.client(() => token)
  const listener = await listen(client, 'feed:public')
  const witness = await hears(older, `user:${bob.id}`)
  token = newer.token ?? ''
  await client.realtime.setAuth()
  await expectToHear(listener) // so the newer token has been checked
  await logOut(older)
  await until(() => isOver(witness), SECOND)
  await expectToHear(listener)
  await logOut(newer)
  await until(() => isOver(listener), SECOND)
})

test('A client whose channel was closed can rejoin with a newer token on the same socket', async () => {
  let holder = await bob.login()
  const client = w.client(() => holder.token ?? '')
  const closed = await listen(client, 'feed:public')
  await logOut(holder)
  await until(() => isOver(closed), SECOND)
  holder = await bob.login()
  const again = await listen(client, 'feed:public')
  await expectToHear(again)
})

test('No channel ends before the commit, or because of a transaction that is rolled back', async () => {
  const person = await someone()
  const listener = await hears(person)
  const undone = new Error('undone')
  const endIn = (work: () => Promise<void>) =>
    owner.begin(async (sql) => {
      await sql`select private.end_tokens(${person.id})`
      await work()
    })
  const rolledBack = endIn(async () => {
    await expectToHear(listener)
    throw undone
  })
  await expect(rolledBack).rejects.toBe(undone)
  await expectToHear(listener)
  await endIn(() => expectToHear(listener))
  await until(() => isOver(listener), SECOND)
})

test('Lifting a ban, a new username and a wrong password end no channel', async () => {
  const person = await someone()
  const listener = await hears(person)
  await admin.post(`/admin/users/${person.id}/unban`, {})
  await person.patch('/me', { username: `renamed_${names}` })
  await person.patch('/identity/me/password', { currentPassword: 'wrong', newPassword: 'a better one' })
  await expectToHear(listener)
})

describe('At another facade of the same database', () => {
  let other: RunningServer
  beforeAll(async () => {
    other = await startServer({ config: readConfig(environment(database.url)), databaseUrl: database.url })
  })
  afterAll(() => other.stop())

  test.each(['A logout', 'A global logout'])('%s ends channels too', async (way) => {
    const person = await someone()
    const listener = await hears(person)
    const there = Object.assign(new Person(other.url, person.token), { password: person.password })
    await ways[way]?.[0](there)
    await until(() => isOver(listener), SECOND)
  })
})

describe('A token that is revoked while the database checks it', () => {
  /** Delays the check, whose snapshot of the tokens is older than what `act` does. */
  const meanwhile = async (ask: () => unknown, act: () => Promise<unknown>) => {
    await superuser.begin(async (sql) => {
      await sql`lock table private.realtime_topics in access exclusive mode`
      ask()
      await until(async () => (await sql`select from pg_locks where not granted`).length > 0)
      await act()
      await w.broadcast(`user:${alice.id}`, { id: 'after it' })
      await until(() => beside.frames.some((frame) => String(frame).includes('after it')))
    })
  }
  let beside: Socket
  beforeAll(async () => {
    beside = await w.socket('2.0.0')
    await beside.join(`user:${alice.id}`, alice.token)
  })

  test('joins nothing', async () => {
    const holder = await bob.login()
    const socket = await w.socket('2.0.0')
    let answer: Promise<unknown> | undefined
    await meanwhile(
      () => {
        answer = socket.join('feed:public', holder.token)
      },
      () => logOut(holder),
    )
    expect(String(await answer)).toContain('Unauthorized: You do not have permissions')
  })

  test('cannot replace an older one', async () => {
    const [older, newer] = [await bob.login(), await bob.login()]
    const socket = await w.socket('2.0.0')
    await socket.join('feed:public', older.token)
    await meanwhile(
      () =>
        socket.send(JSON.stringify(['1', '2', 'realtime:feed:public', 'access_token', { access_token: newer.token }])),
      () => logOut(newer),
    )
    expect(String(await socket.frame(1))).toContain('You do not have permissions')
    expect(String(await socket.frame(2))).toContain('phx_close')
  })
})

test('Nobody can join the channel about revoked tokens', async () => {
  for (const { token } of [alice, admin])
    for (const name of ['tokens', 'tokens:', `tokens:${alice.id}`]) {
      const socket = await w.socket('2.0.0')
      expect(String(await socket.join(name, token))).toContain('Unauthorized')
    }
})

test('Malformed messages about revoked tokens are ignored', async () => {
  const listener = await hears(await bob.login())
  for (const payload of [{}, { sub: 1 }, { sub: bob.id, from: 'now', role: null }]) await w.broadcast('tokens', payload)
  await expectToHear(listener)
})
