// Who may join a channel, for how long, and who may send. Uses supabase-js where a person would, otherwise raw frames.
// See docs/decisions.md, Realtime and Tokens and sessions. The error messages are those of supabase/realtime.
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { listen, realtimeWorld, seconds, tokenOf, versions } from '../support/realtime.ts'
import { JWT_SECRET } from '../support/settings.ts'
import { until } from '../support/until.ts'

const w = await realtimeWorld()
const { alice, bob, carla } = w
const tokenFor = (person: { token: string | undefined }) => person.token ?? ''
const sign = (claims: Record<string, unknown>, secret = JWT_SECRET) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(Buffer.from(secret))

describe.each(versions)('Joining over protocol version %s', (version) => {
  const as = (token: string | undefined) => w.client(token === undefined ? undefined : () => token, version)

  test("is possible for one's own channel, and for nobody else's", async () => {
    expect((await listen(as(alice.token), `user:${alice.id}`)).statuses).toEqual(['SUBSCRIBED'])
    const refused = `Unauthorized: You do not have permissions to read from this Channel topic: user:${alice.id}`
    await expect(listen(as(bob.token), `user:${alice.id}`)).rejects.toThrow(refused)
    await expect(listen(as(w.admin.token), `user:${alice.id}`)).rejects.toThrow(refused)
  })

  test('is impossible with only the anonymous key', async () => {
    await expect(listen(as(undefined), 'feed:public')).rejects.toThrow('Unauthorized')
    await expect(listen(as(undefined), `user:${alice.id}`)).rejects.toThrow('Unauthorized')
  })

  test('is impossible with a revoked token, even for public channels', async () => {
    const gone = await bob.login()
    expect((await listen(as(gone.token), 'feed:public')).statuses).toEqual(['SUBSCRIBED'])
    await gone.post('/auth/logout', {})
    await expect(listen(as(gone.token), 'feed:public')).rejects.toThrow('Unauthorized')
    await expect(listen(as(gone.token), `user:${bob.id}`)).rejects.toThrow('Unauthorized')
  })

  test('is impossible for a channel that no policy allows', async () => {
    await expect(listen(as(alice.token), 'feed:private')).rejects.toThrow('Unauthorized')
    await expect(listen(as(alice.token), `user:${alice.id.toUpperCase()}`)).rejects.toThrow('Unauthorized')
    await expect(listen(as(alice.token), 'conversation:none')).rejects.toThrow('Unauthorized')
  })

  test('lasts beyond the end of the token if the client sends a newer one', async () => {
    const exp = seconds() + 2
    let token = await tokenOf(alice, { exp })
    const client = w.client(() => token, version)
    const inbox = await listen(client, `user:${alice.id}`)
    token = tokenFor(alice)
    await client.realtime.setAuth()
    await until(() => Date.now() > exp * 1000 + 100)
    await w.broadcast(`user:${alice.id}`, { name: 'after' })
    await until(() => inbox.heard.length > 0)
    expect(inbox.statuses).toEqual(['SUBSCRIBED'])
  })

  test('ends if the client sends a token that may not read the channel', async () => {
    let token = tokenFor(alice)
    const client = w.client(() => token, version)
    const inbox = await listen(client, `user:${alice.id}`)
    token = tokenFor(bob)
    await client.realtime.setAuth()
    await until(() => inbox.statuses.includes('CLOSED'))
    const message = `You do not have permissions to read from this Channel topic: user:${alice.id}`
    expect(inbox.system).toEqual([{ extension: 'system', status: 'error', message, channel: `user:${alice.id}` }])
  })

  test('does not allow clients to broadcast', async () => {
    const [speaker, hearer] = await Promise.all([alice, bob].map((one) => listen(as(one.token), 'feed:public')))
    await speaker?.channel.send({ type: 'broadcast', event: 'post', payload: { id: 'forged' } })
    await speaker?.channel.track({ online: true })
    const { body } = await carla.post<{ id: string }>('/posts', { format: 'note', body: 'a true one' })
    await until(() => hearer?.heard.length)
    expect(hearer?.heard).toEqual([{ event: 'post', payload: { id: body.id } }])
    expect(speaker?.heard).toEqual(hearer?.heard)
  })
})

test.each<[string, string, Record<string, unknown>, string]>([
  ['without a name', '', { private: true }, 'TopicNameRequired: You must provide a topic name'],
  ['that is public', 'feed:public', {}, 'PrivateOnly: This project only allows private channels'],
  [
    'with changes of tables',
    'feed:public',
    { private: true, postgres_changes: [{ event: '*', schema: 'app' }] },
    'RealtimeDisabledForConfiguration: Postgres changes are not enabled',
  ],
  [
    'with a replay',
    'feed:public',
    { private: true, broadcast: { replay: { since: 0 } } },
    'UnableToReplayMessages: Replay is not enabled',
  ],
])('A channel %s is rejected with the reason', async (_what, name, config, reason) => {
  const socket = await w.socket('2.0.0')
  const answer = await socket.join(name, alice.token, config)
  expect(JSON.parse(String(answer))[4]).toEqual({ status: 'error', response: { reason } })
})

const day = seconds() + 86_400
test.each<[string, () => Promise<string> | string, RegExp]>([
  ['that is malformed', () => 'not a token', /^MalformedJWT: /],
  ['of another key', () => sign({ role: 'user', exp: day }, 'x'.repeat(40)), /^JwtSignatureError: /],
  [
    'that has expired',
    () => tokenOf(alice, { exp: seconds() - 5 }),
    /^InvalidJWTToken: Token has expired \d seconds ago$/,
  ],
  ['without an end', () => sign({ role: 'user', sub: alice.id }), /^InvalidJWTToken: Fields `role` and `exp`/],
  ['of a role that clients cannot have', () => sign({ role: 'gate', exp: day, sub: alice.id }), /^InvalidJWTToken: /],
  [
    'of a person who does not exist',
    () => sign({ role: 'user', exp: day, iat: 1, sub: crypto.randomUUID() }),
    /^Unauth/,
  ],
  ['that names no person', () => sign({ role: 'authenticated', exp: day }), /^Unauthorized: /],
])('A token %s is rejected with the reason', async (_what, token, reason) => {
  const socket = await w.socket('2.0.0')
  const answer = await socket.join('feed:public', await token())
  expect(JSON.parse(String(answer))[4]).toEqual({
    status: 'error',
    response: { reason: expect.stringMatching(reason) },
  })
})

test('A token with another role than the stored one is revoked', async () => {
  const socket = await w.socket('2.0.0')
  const forged = await sign({ role: 'admin', exp: day, iat: seconds(), sub: alice.id })
  expect(String(await socket.join('feed:public', forged))).toContain('Unauthorized')
})

test('A socket requires a key that the instance signed', async () => {
  const opened = await w.socket('2.0.0', alice.token)
  expect(String(await opened.join(`user:${alice.id}`))).toContain('"status":"ok"') // tokens can be used for joining too
  const address = new URL('/realtime/v1/websocket?vsn=2.0.0', w.url)
  const status = (extra: string, headers = {}) =>
    new Promise<number | undefined>((settle, fail) => {
      import('ws').then(({ default: WebSocket }) => {
        const ws = new WebSocket(`${address.href.replace('http', 'ws')}${extra}`, { headers })
        ws.on('unexpected-response', (_request, { statusCode }) => settle(statusCode))
        ws.on('open', () => settle(101)).on('error', fail)
      }, fail)
    })
  expect(await status('')).toBe(401)
  expect(await status(`&apikey=${await sign({ role: 'anon', exp: day }, 'y'.repeat(40))}`)).toBe(401)
  expect(await status(`&apikey=${await tokenOf(alice, { exp: seconds() - 1 })}`)).toBe(401)
})

test('The channels have one policy, which allows reading to tokens that may listen, and it has a comment', async () => {
  const policies = await w.database.owner<{ name: string; verb: string; roles: string[]; asks: boolean }[]>`
    select p.polname as name, p.polcmd as verb, p.polroles::regrole[]::text[] as roles,
           obj_description(p.oid, 'pg_policy') <> '' and pg_get_expr(polqual, polrelid) ~ 'SELECT private.may_listen' as asks
    from pg_policy p where p.polrelid = 'realtime.messages'::regclass`
  expect(policies).toEqual([{ name: 'select_audience', verb: 'r', roles: ['authenticated'], asks: true }])
})
