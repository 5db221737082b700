// Bots: a person creates a bot and its access token, and a program uses the token. No interface lets a bot do what only
// people can do. The rules of creation, bans and erasure are in test/db/identity/bots.sql.
import { expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database, stack } = await world({ people: ['alice', 'bob'] })
type Card = { id: string; personId: string; username: string; isBot: boolean }
type Made = { id: string; token: string }

const scopes = ['posts:read', 'posts:write', 'profile:read', 'profile:write', 'economy:write']
const bot = (await alice.post<Card>('/me/bots', { username: 'weather', firstName: 'Weather', about: 'It rains.' })).body
const path = `/me/bots/${bot.personId}/tokens`

/** Sends a request as the program. */
const ask = async (token: string, method: string, route: string, body?: unknown) => {
  const response = await fetch(`${stack.url}/api/v1${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, code: response.headers.get('x-error-code'), body: text ? JSON.parse(text) : null }
}

test('The owner lists and changes the bot, and everybody sees who runs it', async () => {
  expect(bot).toMatchObject({ username: 'weather', lastName: 'Bot', isBot: true, bannedAt: null })
  expect((await alice.get<{ items: Card[] }>('/me/bots')).body.items).toEqual([bot])
  expect(await alice.patch(`/me/bots/${bot.personId}`, { about: 'Every day.' })).toMatchObject({
    body: { about: 'Every day.' },
  })
  expect(await bob.patch(`/me/bots/${bot.personId}`, { about: 'x' })).toFailWith(404, 'bot_unknown')
  expect((await bob.get(`/users/${bot.personId}`)).body).toMatchObject({ isBot: true, owner: { username: 'alice' } })
  expect((await bob.get('/users/alice')).body).toMatchObject({ isBot: false, owner: null })
  expect(await nobody.get('/me/bots')).toFailWith(401, 'token_missing')
  expect(await alice.post('/me/bots', { username: '?', firstName: 'x' })).toFailWith(422, 'validation_failed')
})

test('A bot publishes with its token, and cannot do what only people can do', async () => {
  const made = (await alice.post<Made>(path, { name: 'Server', scopes })).body
  expect(await bob.post(path, { name: 'Mine', scopes })).toFailWith(404, 'bot_unknown')
  expect((await ask(made.token, 'GET', '/me')).body).toMatchObject({ username: 'weather', isBot: true })

  const posted = await ask(made.token, 'POST', '/posts', { body: 'Rain at noon.', visibility: 'public' })
  expect([posted.status, posted.body.author.isBot]).toEqual([201, true])
  const post = (await bob.post<{ id: string }>('/posts', { body: 'Is it raining?', visibility: 'public' })).body.id
  const reply = await ask(made.token, 'POST', `/posts/${post}/replies`, { body: 'Yes.' })
  expect([reply.status, reply.body.author.isBot]).toEqual([201, true])

  for (const [route, body] of [
    [`/posts/${post}/react`, { type: 'heart' }],
    [`/posts/${post}/bookmark`, undefined],
    [`/posts/${post}/repost`, {}],
    ['/economy/pay', { receiverId: 'bob', emotion: 'joy', tier: 0 }],
    ['/me/invites', {}],
  ] as const)
    expect([route, await ask(made.token, 'POST', route, body)]).toMatchObject([
      route,
      { status: 403, code: 'bot_refused' },
    ])
  for (const route of ['/me/bots', path])
    expect(await ask(made.token, 'GET', route)).toMatchObject({ status: 403, code: 'session_required' })
  const { accessToken } = (await ask(made.token, 'POST', '/auth/token')).body
  const rpc = await fetch(`${stack.url}/rest/v1/rpc/react`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ p_id: post, p_kind: 'heart' }),
  })
  expect([rpc.status, await rpc.json()]).toMatchObject([403, { message: 'bot_refused' }])

  await applyEffects(database.owner)
  const [counted] = await database.owner`
    select c.replies, c.bot_replies, p.trending_boost from app.post_counters c join app.posts p on p.id = c.post_id
    where c.post_id = ${post}`
  expect(counted).toEqual({ replies: 1, bot_replies: 1, trending_boost: 0 })

  const [listed] = (await alice.get<{ items: { id: string }[] }>(path)).body.items
  expect(listed).not.toHaveProperty('token')
  expect((await alice.delete(`${path}/${listed?.id}`)).status).toBe(204)
  expect(await ask(made.token, 'GET', '/me')).toMatchObject({ status: 401, code: 'token_revoked' })
})

test('A ban of the owner ends the bot’s tokens immediately, and the end of the ban does not restore them', async () => {
  const { token } = (await alice.post<Made>(path, { name: 'Server', scopes })).body
  expect((await ask(token, 'GET', '/me')).status).toBe(200)
  expect((await admin.post('/admin/users/alice/ban', { reason: 'Spam' })).status).toBe(200)
  expect(await ask(token, 'GET', '/me')).toMatchObject({ status: 401, code: 'token_revoked' })
  expect(await bob.get('/users/weather')).toFailWith(404, 'person_unknown')
  expect(await admin.post('/admin/users/weather/unban', {})).toFailWith(409, 'owner_banned')
  expect((await admin.post('/admin/users/alice/unban', {})).status).toBe(200)
  expect((await bob.get('/users/weather')).status).toBe(200)
  expect(await ask(token, 'GET', '/me')).toMatchObject({ status: 401, code: 'token_revoked' })
  expect((await admin.get('/admin/users/alice')).body).toMatchObject({ bots: [{ username: 'weather' }], owner: null })
  expect((await admin.get('/admin/users/weather')).body).toMatchObject({ bots: [], owner: { username: 'alice' } })
})
