// What programs receive over a socket: only the channels of their scopes, and only as long as their token is valid.
// Tokens of people, of apps and of bots are exchanged for JWTs, because Realtime accepts only JWTs. See
// docs/decisions.md, Access tokens.
import { describe, expect, test } from 'vitest'
import { letDeviceIn, registerApp } from '../support/apps.ts'
import { claimsOf } from '../support/crawler.ts'
import type { Person } from '../support/person.ts'
import { type Listener, listen, realtimeWorld, seconds, tokenOf } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const SECOND = { timeout: 1000 }
const w = await realtimeWorld()
const { alice, bob, admin, database, url } = w
const { owner } = database
await owner`update app.settings set value = 'everyone' where key = 'register_apps'`

type Made = { id: string; token: string }
type Bot = { personId: string; username: string }
/** What a program has: its token, the JWT that it got for it, and what ends both. */
type Program = { token: string; jwt: string; end(): Promise<{ status: number }> }

const circle = (await alice.post<Made>('/circles', { name: 'Friends' })).body.id
await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
const bot = (await alice.post<Bot>('/me/bots', { username: 'chatter', firstName: 'Chatter' })).body
const [botRow] = await owner<{ id: string }[]>`select id from app.users where username = 'chatter'`
const botId = botRow?.id ?? ''

/** Alice, Bob and the bot are members. */
const chat = (await alice.post<Made>('/conversations', { kind: 'group', memberIds: ['bob'], title: 'Us' })).body.id
await owner`insert into app.conversation_members (conversation_id, user_id) values (${chat}, ${botId})`
const conversation = `conversation:${chat}`
const say = async () =>
  (await bob.post<Made>(`/conversations/${chat}/messages`, { body: 'x', clientId: crypto.randomUUID() })).body.id
const publish = async () => (await bob.post<Made>('/posts', { body: 'x', visibility: 'public' })).body.id

async function exchange(holder: Person): Promise<string> {
  const { status, body } = await holder.post<{ accessToken: string }>('/auth/token')
  expect(status).toBe(200)
  return body.accessToken
}

const app = await registerApp(bob, ['messaging:read', 'messaging:write', 'notifications:read', 'posts:read'])
const kinds: Record<string, (scopes: string[]) => Promise<Program>> = {
  'of a person': async (scopes) => {
    const { token, id } = (await alice.post<Made>('/me/tokens', { name: 'x', scopes })).body
    return { token, jwt: await exchange(alice.withToken(token)), end: () => alice.delete(`/me/tokens/${id}`) }
  },
  'of an app': async (scopes) => {
    const { access_token: token } = await letDeviceIn(url, app, alice, scopes)
    return { token, jwt: await exchange(alice.withToken(token)), end: () => alice.delete(`/me/apps/${app}`) }
  },
  'of a bot': async (scopes) => {
    const path = `/me/bots/${bot.personId}/tokens`
    const { token, id } = (await alice.post<Made>(path, { name: 'x', scopes })).body
    return { token, jwt: await exchange(alice.withToken(token)), end: () => alice.delete(`${path}/${id}`) }
  },
}
const hears = ({ jwt }: Program, topic: string) =>
  listen(
    w.client(() => jwt),
    topic,
  )
const isOver = ({ statuses }: Listener) => statuses.includes('CLOSED')
const unauthorized = (topic: string) =>
  `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`
async function expectRefused(program: Program, ...topics: string[]) {
  for (const topic of topics) await expect(hears(program, topic)).rejects.toThrow(unauthorized(topic))
}

describe.each(Object.entries(kinds))('A token %s', (kind, make) => {
  const own = `user:${kind === 'of a bot' ? botId : alice.id}`

  test('receives the channels of its scopes, and no others', async () => {
    const [talks, posts] = [await make(['messaging:read']), await make(['posts:read'])]
    await expectRefused(talks, 'feed:public', own)
    await expectRefused(posts, conversation, own)
    const [chatting, reading] = [await hears(talks, conversation), await hears(posts, 'feed:public')]
    const [message, post] = [await say(), await publish()]
    await until(() => chatting.heard.length > 0 && reading.heard.length > 0)
    expect(chatting.heard).toEqual([{ event: 'message', payload: { id: message } }])
    expect(reading.heard).toEqual([{ event: 'post', payload: { id: post } }])
  })

  test('receives notifications and conversations of its holder with both scopes, and nobody else’s', async () => {
    const both = await make(['messaging:read', 'notifications:read'])
    const listener = await hears(both, own)
    await say()
    await until(() => listener.heard.some(({ event, payload }) => event === 'conversation' && payload.id === chat))
    await expectRefused(both, `user:${bob.id}`, own === `user:${botId}` ? `user:${alice.id}` : `user:${botId}`)
  })

  test('receives nothing without a scope that reads', async () => {
    await expectRefused(await make(['messaging:write']), conversation, 'feed:public', own)
  })

  test('cannot be replaced on a channel by a token without the scope', async () => {
    const [talks, posts] = [await make(['messaging:read']), await make(['posts:read'])]
    let { jwt } = talks
    const client = w.client(() => jwt)
    const listener = await listen(client, conversation)
    jwt = posts.jwt
    await client.realtime.setAuth()
    await until(() => isOver(listener), SECOND)
  })

  test('opens no channel before it is exchanged for a JWT', async () => {
    const { token } = await make(['messaging:read'])
    await expect(hears({ jwt: token } as Program, conversation)).rejects.toThrow('MalformedJWT')
  })

  test('is disconnected within a second of its end, and can join nothing more', async () => {
    const program = await make(['messaging:read'])
    const [listener, witness] = [
      await hears(program, conversation),
      await listen(
        w.client(() => bob.token ?? ''),
        conversation,
      ),
    ]
    expect(await program.end()).toMatchObject({ status: 204 })
    await until(() => isOver(listener), SECOND)
    await say()
    await until(() => witness.heard.length > 0)
    expect(listener.heard).toEqual([])
    await expectRefused(program, conversation)
  })

  test('is disconnected when it expires', async () => {
    const program = await make(['messaging:read'])
    const exp = seconds() + 2
    const jwt = await tokenOf(alice.withToken(program.jwt), { exp })
    const before = claimsOf(program.jwt) as { iat: number; exp: number }
    await owner`
      update private.revoked_tokens set expires_at = ${exp}
      where (issued_at, expires_at) = (${before.iat}, ${before.exp})`
    const listener = await hears({ ...program, jwt }, conversation)
    await until(() => isOver(listener))
    expect(listener.system.at(-1)?.message).toMatch(/^Token has expired \d seconds ago$/)
  })
})

test('A ban of the owner disconnects the bot', async () => {
  const program = (await kinds['of a bot']?.(['messaging:read'])) as Program
  const listener = await hears(program, conversation)
  expect(await admin.post('/admin/users/alice/ban', { reason: 'Spam' })).toMatchObject({ status: 200 })
  await until(() => isOver(listener), SECOND)
  await expectRefused(program, conversation)
})
