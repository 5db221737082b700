// Conversations and messages over HTTP. For visibility, the order of concurrent messages and unread counts see
// test/model/messaging.test.ts, for events test/realtime/messaging.test.ts, for direct access to the tables test/db.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database, join } = await world()
const { owner } = database
const [dora, stranger] = (await join('dora', 'stranger')) as [Person, Person]

type Id = { id: string }
type Member = { person: { username: string }; role: string; lastReadAt: string | null; joinedAt: string }
type Message = Id & {
  sender: { username: string } | null
  kind: string
  body: string | null
  replyTo: { id: string; excerpt: string | null } | null
  attachment: { assetId: string; url: string; contentType: string; alt: string | null } | null
  reactions: { emoji: string; count: number; mine: boolean }[]
  createdAt: string
  editedAt: string | null
  deletedAt: string | null
}
type Conversation = Id & {
  kind: string
  title: string | null
  members: Member[]
  lastMessage: Message | null
  unreadCount: number
  mutedUntil: string | null
}

const circle = (await alice.post<Id>('/circles', { name: 'Friends' })).body.id
for (const memberId of ['bob', 'carla', 'dora']) await alice.post(`/circles/me/${circle}/members`, { memberId })

const direct = async (who: Person, other: string) =>
  (await who.post<Conversation>('/conversations', { kind: 'direct', memberIds: [other] })).body.id
const group = async (who: Person, ...memberIds: string[]) =>
  (await who.post<Conversation>('/conversations', { kind: 'group', memberIds, title: 'Hikers' })).body.id
const send = (who: Person, id: string, body: string, more: object = {}) =>
  who.post<Message>(`/conversations/${id}/messages`, { body, clientId: crypto.randomUUID(), ...more })
const sent = async (who: Person, id: string, body: string, more: object = {}) =>
  (await send(who, id, body, more)).body.id
const said = async (who: Person, id: string, query = '') =>
  (await who.get<Page<Message>>(`/conversations/${id}/messages?limit=50${query}`)).body.items.map(({ body }) => body)
const thumb = encodeURIComponent('👍')
const open = async (who: Person, id: string) => (await who.get<Conversation>(`/conversations/${id}`)).body
const names = ({ members }: Conversation) => members.map(({ person, role }) => `${person.username} ${role}`)

const routes: [string, string, string, object?][] = [
  ['GET', '/conversations/:id', 'conversation_unknown'],
  ['PATCH', '/conversations/:id', 'conversation_unknown', { title: 'Other' }],
  ['POST', '/conversations/:id/leave', 'conversation_unknown'],
  ['PUT', '/conversations/:id/mute', 'conversation_unknown', {}],
  ['DELETE', '/conversations/:id/mute', 'conversation_unknown'],
  ['POST', '/conversations/:id/read', 'conversation_unknown', { messageId: UNKNOWN }],
  ['POST', '/conversations/:id/members', 'conversation_unknown', { userIds: ['bob'] }],
  ['PATCH', '/conversations/:id/members/bob', 'conversation_unknown', { role: 'owner' }],
  ['DELETE', '/conversations/:id/members/bob', 'conversation_unknown'],
  ['GET', '/conversations/:id/messages', 'conversation_unknown'],
  ['POST', '/conversations/:id/messages', 'conversation_unknown', { body: 'x', clientId: UNKNOWN }],
  ['GET', '/messages/:id', 'message_unknown'],
  ['PATCH', '/messages/:id', 'message_unknown', { body: 'x' }],
  ['DELETE', '/messages/:id', 'message_unknown'],
  ['PUT', `/messages/:id/reactions/${thumb}`, 'message_unknown'],
  ['DELETE', `/messages/:id/reactions/${thumb}`, 'message_unknown'],
]

describe.each(routes)('%s %s', (method, path, code, body) => {
  test('requires a token, a UUID, and a conversation of the caller', async () => {
    const at = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, at(UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, at('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, at(UNKNOWN), body)).toFailWith(404, code)
    const other = path.startsWith('/messages')
      ? await sent(alice, await direct(alice, 'bob'), 'x')
      : await direct(alice, 'bob')
    expect(await stranger.request(method, at(other), body)).toFailWith(404, code)
  })
})

test('Lists and counts require a token, and input is validated', async () => {
  for (const path of ['/conversations', '/conversations/unread-count', '/conversations/availability/bob'])
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  expect(await nobody.post('/conversations', { kind: 'direct', memberIds: ['bob'] })).toFailWith(401, 'token_missing')
  const id = await group(alice, 'bob')
  const message = await sent(alice, id, 'x')
  const wrong: [string, string, object?][] = [
    ['GET', '/conversations?kind=x'],
    ['GET', '/conversations?unread=x'],
    ['GET', '/conversations?limit=51'],
    ['POST', '/conversations', { kind: 'x', memberIds: ['bob'] }],
    ['POST', '/conversations', { kind: 'direct' }],
    ['PATCH', `/conversations/${id}`, {}],
    ['PUT', `/conversations/${id}/mute`, { until: 'x' }],
    ['POST', `/conversations/${id}/read`, {}],
    ['POST', `/conversations/${id}/members`, { userIds: [] }],
    ['PATCH', `/conversations/${id}/members/bob`, { role: 'member' }],
    ['GET', `/conversations/${id}/messages?after=x`],
    ['GET', `/conversations/${id}/messages?changedSince=x`],
    ['POST', `/conversations/${id}/messages`, { body: 'x' }],
    ['POST', `/conversations/${id}/messages`, { body: 'x', clientId: 'x' }],
    ['PATCH', `/messages/${message}`, {}],
    ['PUT', `/messages/${message}/reactions/${'x'.repeat(201)}`],
  ]
  for (const [method, path, body] of wrong)
    expect(await alice.request(method, path, body), path).toFailWith(422, 'validation_failed')
  expect(await alice.get('/conversations?cursor=x')).toFailWith(400, 'cursor_unknown')
  for (const query of [`cursor=${UNKNOWN}`, `after=${UNKNOWN}`, `changedSince=2026-01-01T00:00:00Z&cursor=${message}`])
    expect(await alice.get(`/conversations/${id}/messages?${query}`)).toFailWith(400, 'cursor_unknown')
  const both = `after=${message}&changedSince=2026-01-01T00:00:00Z`
  expect(await alice.get(`/conversations/${id}/messages?${both}`)).toFailWith(422, 'message_selection')
})

describe('A direct conversation', () => {
  test('exists once for two people, and is created or found', async () => {
    const made = await bob.post<Conversation>('/conversations', { kind: 'direct', memberIds: ['carla'] })
    expect(made).toMatchObject({
      status: 201,
      body: { kind: 'direct', title: null, lastMessage: null, unreadCount: 0, mutedUntil: null },
    })
    expect(names(made.body).sort()).toEqual(['bob member', 'carla member'])
    const again = await carla.post<Conversation>('/conversations', { kind: 'direct', memberIds: [bob.actorId] })
    expect(again).toMatchObject({ status: 200, body: { id: made.body.id } })
    const many = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        (n % 2 ? bob : dora).post<Conversation>('/conversations', {
          kind: 'direct',
          memberIds: [n % 2 ? 'dora' : 'bob'],
        }),
      ),
    )
    expect(new Set(many.map(({ body }) => body.id)).size).toBe(1)
    expect(many.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  })

  test('requires a shared circle and another person', async () => {
    const ask = (memberIds: string[], more: object = {}) =>
      alice.post('/conversations', { kind: 'direct', memberIds, ...more })
    expect(await ask(['stranger'])).toFailWith(403, 'no_shared_circle')
    expect(await ask(['alice'])).toFailWith(400, 'conversation_oneself')
    expect(await ask(['none'])).toFailWith(404, 'person_unknown')
    expect(await ask(['bob', 'carla'])).toFailWith(422, 'conversation_people')
    expect(await ask([])).toFailWith(422, 'conversation_people')
    expect(await ask(['bob'], { title: 'x' })).toFailWith(422, 'conversation_title')
    const available = (who: string) => alice.get(`/conversations/availability/${who}`)
    expect(await available('bob')).toMatchObject({ status: 200, body: { available: true, reason: null } })
    expect(await available('stranger')).toMatchObject({ body: { available: false, reason: 'no_shared_circle' } })
    expect(await available('none')).toFailWith(404, 'person_unknown')
    expect(await available('alice')).toFailWith(400, 'conversation_oneself')
  })

  test('has no title and no owner, and cannot be left', async () => {
    const id = await direct(alice, 'bob')
    for (const [method, path, body] of [
      ['POST', `/conversations/${id}/leave`],
      ['PATCH', `/conversations/${id}`, { title: 'x' }],
      ['POST', `/conversations/${id}/members`, { userIds: ['carla'] }],
      ['DELETE', `/conversations/${id}/members/bob`],
      ['PATCH', `/conversations/${id}/members/bob`, { role: 'owner' }],
    ] as [string, string, object?][])
      expect(await alice.request(method, path, body), path).toFailWith(400, 'conversation_direct')
  })
})

describe('A group conversation', () => {
  test('has an owner, who names it, adds and removes members and transfers the ownership', async () => {
    const made = await alice.post<Conversation>('/conversations', {
      kind: 'group',
      memberIds: ['bob', '@bob'],
      title: ' Hikers ',
    })
    expect(made).toMatchObject({ status: 201, body: { kind: 'group', title: 'Hikers' } })
    const { id } = made.body
    expect(names(made.body).sort()).toEqual(['alice owner', 'bob member'])
    const add = (who: Person, ...userIds: string[]) =>
      who.post<Conversation>(`/conversations/${id}/members`, { userIds })
    expect(await add(bob, 'carla')).toFailWith(403, 'conversation_not_yours')
    expect(await add(alice, 'stranger')).toFailWith(403, 'no_shared_circle')
    expect(await add(alice, 'carla', 'bob')).toFailWith(409, 'conversation_member_already')
    expect(await add(alice, 'none')).toFailWith(404, 'person_unknown')
    const added = await add(alice, 'carla')
    expect(added).toMatchObject({ status: 201, body: { lastMessage: { kind: 'system', body: 'joined' } } })
    expect(await bob.patch(`/conversations/${id}`, { title: 'x' })).toFailWith(403, 'conversation_not_yours')
    expect(await alice.patch(`/conversations/${id}`, { title: ' ' })).toFailWith(422, 'conversation_title')
    expect(await alice.patch(`/conversations/${id}`, { title: 'x'.repeat(81) })).toFailWith(422, 'conversation_title')
    for (let n = 0; n < 2; n++)
      expect(await alice.patch(`/conversations/${id}`, { title: 'Climbers' })).toMatchObject({
        body: { title: 'Climbers' },
      })
    const member = (who: Person, method: string, whom: string) =>
      who.request<Conversation>(
        method,
        `/conversations/${id}/members/${whom}`,
        method === 'PATCH' ? { role: 'owner' } : undefined,
      )
    expect(await member(bob, 'DELETE', 'carla')).toFailWith(403, 'conversation_not_yours')
    expect(await member(bob, 'PATCH', 'carla')).toFailWith(403, 'conversation_not_yours')
    for (const method of ['DELETE', 'PATCH']) {
      expect(await member(alice, method, 'dora')).toFailWith(404, 'conversation_member_unknown')
      expect(await member(alice, method, 'alice')).toFailWith(400, 'conversation_oneself')
    }
    expect(await member(alice, 'DELETE', 'carla')).toMatchObject({ status: 204, text: '' })
    expect(await carla.get(`/conversations/${id}`)).toFailWith(404, 'conversation_unknown')
    expect(names((await member(alice, 'PATCH', 'bob')).body).sort()).toEqual(['alice member', 'bob owner'])
    expect(await bob.post(`/conversations/${id}/leave`)).toMatchObject({ status: 200, body: { left: true } })
    expect(names(await open(alice, id))).toEqual(['alice owner'])
    const told = await alice.get<Page<Message>>(`/conversations/${id}/messages`)
    expect(told.body.items.map(({ sender, body }) => `${sender?.username} ${body}`).reverse()).toEqual([
      'carla joined',
      'alice title Climbers',
      'carla removed',
      'bob owner',
      'bob left',
      'alice owner',
    ])
  })

  test('requires a title, at most 49 other members, and a circle shared with each', async () => {
    const ask = (memberIds: string[], title?: string) =>
      alice.post('/conversations', { kind: 'group', memberIds, title })
    expect(await ask(['bob'])).toFailWith(422, 'conversation_title')
    expect(await ask(['bob'], 'x'.repeat(81))).toFailWith(422, 'conversation_title')
    expect(
      await ask(
        Array.from({ length: 50 }, (_, n) => `p${n}`),
        'x',
      ),
    ).toFailWith(409, 'conversation_full')
    expect(await ask(['bob', 'stranger'], 'x')).toFailWith(403, 'no_shared_circle')
    const id = await group(alice, 'bob')
    await owner`insert into app.users (username, first_name, last_name) select 'full_' || n, 'F', 'N' from generate_series(1, 48) n`
    await owner`insert into app.conversation_members (conversation_id, user_id) select ${id}, u.id from app.users u where username like 'full\\_%'`
    const full = await alice.post(`/conversations/${id}/members`, { userIds: ['carla'] })
    expect(full).toFailWith(409, 'conversation_full')
  })

  test('shows each member only what was sent while they were a member', async () => {
    const id = await group(alice, 'bob')
    await sent(alice, id, 'before')
    await alice.post(`/conversations/${id}/members`, { userIds: ['carla'] })
    await sent(alice, id, 'first')
    await carla.post(`/conversations/${id}/leave`)
    const away = await sent(alice, id, 'away')
    expect(await carla.get(`/conversations/${id}/messages`)).toFailWith(404, 'conversation_unknown')
    expect(await carla.get(`/messages/${away}`)).toFailWith(404, 'message_unknown')
    await alice.post(`/conversations/${id}/members`, { userIds: ['carla'] })
    await sent(alice, id, 'second', { replyToId: away })
    expect(await said(carla, id)).toEqual(['second', 'joined', 'first', 'joined'])
    expect((await walk(carla, `/conversations/${id}/messages`, 1)).length).toBe(4)
    const [latest] = (await carla.get<Page<Message>>(`/conversations/${id}/messages?limit=1`)).body.items
    expect(latest?.replyTo).toBeNull()
    expect((await bob.get<Message>(`/messages/${latest?.id}`)).body.replyTo).toMatchObject({
      id: away,
      excerpt: 'away',
    })
    expect(await carla.get(`/conversations/${id}/messages?after=${away}`)).toFailWith(400, 'cursor_unknown')
  })
})

describe('A message', () => {
  test('is sent once for each clientId, whatever the body and the Idempotency-Key', async () => {
    const id = await direct(alice, 'bob')
    const clientId = crypto.randomUUID()
    const many = await Promise.all(Array.from({ length: 20 }, (_, n) => send(alice, id, `${n % 3}`, { clientId })))
    expect(many.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201])
    expect(new Set(many.map(({ body }) => `${body.id} ${body.body}`)).size).toBe(1)
    const path = `/conversations/${id}/messages`
    const again = await alice.post<Message>(path, { body: 'other', clientId }, { 'idempotency-key': 'one' })
    expect(again).toMatchObject({ status: 200, body: { id: many[0]?.body.id, body: many[0]?.body.body } })
    const fresh = { body: 'fresh', clientId: crypto.randomUUID() }
    expect((await alice.post(path, fresh, { 'idempotency-key': 'two' })).status).toBe(201)
    expect((await alice.post(path, fresh, { 'idempotency-key': 'two' })).status).toBe(200)
    const reused = await alice.post(path, { ...fresh, clientId: crypto.randomUUID() }, { 'idempotency-key': 'two' })
    expect(reused).toFailWith(422, 'idempotency_key_reused')
    expect((await send(bob, id, 'mine', { clientId })).status).toBe(201)
  })

  test('has a text, and optionally a reply and an attachment', async () => {
    const id = await direct(alice, 'bob')
    for (const body of ['', ' ', 'x'.repeat(4001)]) expect(await send(alice, id, body)).toFailWith(422, 'message_body')
    expect(await send(alice, id, '\u202e')).toFailWith(422, 'text_unfit')
    const first = await sent(bob, id, 'x'.repeat(4000))
    const asset = async (who: Person, kind = 'image', committed = true) => {
      const [row] = await owner<Id[]>`
        insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, mime_type, status, committed_at, expires_at)
        values (${who.id}, ${kind}, 'image/png', 1, 'local', ${crypto.randomUUID()}, ${committed ? 'image/png' : null},
                ${committed ? 'committed' : 'pending'}, ${committed ? new Date() : null},
                ${committed ? null : new Date(Date.now() + 60_000)}) returning id`
      return row?.id ?? ''
    }
    const assetId = await asset(alice)
    const answer = await send(alice, id, 'Look', { replyToId: first, assetId })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        conversationId: id,
        sender: { username: 'alice' },
        kind: 'text',
        body: 'Look',
        replyTo: { id: first, sender: { username: 'bob' }, excerpt: 'x'.repeat(140) },
        attachment: {
          assetId,
          contentType: 'image/png',
          alt: null,
          width: null,
          height: null,
          blurhash: null,
          posterUrl: null,
        },
        reactions: [],
        editedAt: null,
        deletedAt: null,
      },
    })
    expect((await bob.get(`/messages/${answer.body.id}`)).text).toBe(answer.text)
    const other = await group(alice, 'bob')
    const alone = await alice.post<Message>(`/conversations/${other}/messages`, {
      clientId: crypto.randomUUID(),
      assetId,
    })
    expect(alone).toMatchObject({ status: 201, body: { body: '', attachment: { assetId } } })
    const one = `/messages/${alone.body.id}`
    expect(await alice.patch(one, { body: 'Words' })).toMatchObject({ status: 200, body: { body: 'Words' } })
    expect(await alice.patch(one, { body: ' ' })).toMatchObject({ status: 200, body: { body: '' } })
    expect(await send(bob, id, 'x', { assetId })).toFailWith(404, 'asset_unknown')
    expect(await send(alice, id, 'x', { assetId: await asset(alice, 'image', false) })).toFailWith(422, 'asset_pending')
    expect(await send(alice, id, 'x', { assetId: await asset(alice, 'avatar') })).toFailWith(422, 'asset_kind')
    expect(await send(alice, id, 'x', { replyToId: UNKNOWN })).toFailWith(404, 'message_unknown')
    const elsewhere = await sent(alice, await group(alice, 'bob'), 'x')
    expect(await send(alice, id, 'x', { replyToId: elsewhere })).toFailWith(404, 'message_unknown')
    await owner`delete from app.media_assets where id = ${assetId}`
    expect((await bob.get<Message>(`/messages/${answer.body.id}`)).body.attachment).toBeNull()
  })

  test('has the alt text of its asset, or its own', async () => {
    const id = await group(alice, 'bob')
    const [asset] = await owner<Id[]>`
      insert into app.media_assets (owner_id, kind, content_type, size, alt, bucket, key, mime_type, status, committed_at, expires_at)
      values (${alice.id}, 'image', 'image/png', 1, 'A cat', 'local', ${crypto.randomUUID()}, 'image/png', 'committed', now(), null)
      returning id`
    const assetId = asset?.id
    const altOf = async (fields: object) => {
      const { body } = await send(alice, id, 'Look', { assetId, ...fields })
      const seen = (await bob.get<Message>(`/messages/${body.id}`)).body.attachment
      return seen?.alt
    }
    expect(await altOf({})).toBe('A cat')
    expect(await altOf({ alt: null })).toBe('A cat')
    expect(await altOf({ alt: ' Our cat ' })).toBe('Our cat')
    expect(await altOf({ alt: '' })).toBe(null)
    expect(await altOf({ alt: 'é'.repeat(1000) })).toBe('é'.repeat(1000))
    expect(await send(alice, id, 'Look', { assetId, alt: 'é'.repeat(1001) })).toFailWith(422, 'alt_text')
    expect(await send(alice, id, 'Look', { assetId, alt: '\u202e' })).toFailWith(422, 'text_unfit')
    expect(await send(alice, id, 'Look', { alt: 'A cat' })).toFailWith(422, 'alt_text')
    const last = await send(alice, id, 'Look', { assetId, alt: 'A secret cat' })
    expect((await alice.delete(`/messages/${last.body.id}`)).status).toBe(204)
    expect(await owner`select from app.messages where alt = 'A secret cat'`).toHaveLength(0)
  })

  test('can be edited by its sender within 15 minutes, and deleted at any time', async () => {
    const id = await group(alice, 'bob')
    const message = await sent(alice, id, 'One')
    const answer = await sent(bob, id, 'Two', { replyToId: message })
    await bob.put(`/messages/${message}/reactions/${thumb}`)
    expect(await bob.patch(`/messages/${message}`, { body: 'x' })).toFailWith(403, 'message_not_yours')
    expect(await bob.delete(`/messages/${message}`)).toFailWith(403, 'message_not_yours')
    const edited = await alice.patch<Message>(`/messages/${message}`, { body: ' Other ' })
    expect(edited).toMatchObject({ status: 200, body: { body: 'Other', editedAt: expect.any(String) } })
    expect(await alice.patch(`/messages/${message}`, { body: '' })).toFailWith(422, 'message_body')
    await owner`update app.messages set created_at = now() - interval '16 minutes' where id = ${message}`
    expect(await alice.patch(`/messages/${message}`, { body: 'x' })).toFailWith(409, 'message_too_old')
    for (let n = 0; n < 2; n++)
      expect(await alice.delete(`/messages/${message}`)).toMatchObject({ status: 204, text: '' })
    expect(await bob.get(`/messages/${message}`)).toMatchObject({
      body: {
        body: null,
        reactions: [],
        attachment: null,
        deletedAt: expect.any(String),
        sender: { username: 'alice' },
      },
    })
    expect((await bob.get<Message>(`/messages/${answer}`)).body.replyTo).toMatchObject({ id: message, excerpt: null })
    expect(await alice.patch(`/messages/${message}`, { body: 'x' })).toFailWith(409, 'message_deleted')
    expect(await alice.put(`/messages/${message}/reactions/${thumb}`)).toFailWith(409, 'message_deleted')
    const [joined] = (await alice.post<Conversation>(`/conversations/${id}/members`, { userIds: ['carla'] })).body
      .lastMessage
      ? [(await open(carla, id)).lastMessage]
      : []
    expect(await carla.delete(`/messages/${joined?.id}`)).toFailWith(403, 'message_not_yours')
  })

  test('can be fetched later: those after a given message, and those that changed', async () => {
    const id = await direct(alice, 'bob')
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.push(await sent(alice, id, `${n}`))
    const [from] = ids
    const since = await bob.get<Page<Message>>(`/conversations/${id}/messages?after=${from}&limit=4`)
    expect(since.body.items.map(({ id }) => id)).toEqual(ids.slice(1, 5))
    const rest = await bob.get<Page<Message>>(
      `/conversations/${id}/messages?after=${from}&cursor=${since.body.nextCursor}`,
    )
    expect(rest.body).toMatchObject({ items: ids.slice(5).map((id) => ({ id })), nextCursor: null, hasMore: false })
    const before = new Date().toISOString()
    await alice.patch(`/messages/${ids[3]}`, { body: 'edited' })
    await bob.put(`/messages/${ids[1]}/reactions/${thumb}`)
    await alice.delete(`/messages/${ids[5]}`)
    const changed: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: { body: Page<Message> } = await bob.get(
        `/conversations/${id}/messages?changedSince=${before}&limit=2${next && `&cursor=${next}`}`,
      )
      changed.push(...page.body.items.map(({ id }) => id))
      next = page.body.nextCursor
    }
    expect(changed).toEqual([ids[3], ids[1], ids[5]])
  })
})

describe('A member’s own', () => {
  test('read position determines the unread count, and never moves back', async () => {
    const id = await group(alice, 'bob', 'carla')
    const ids: string[] = []
    for (const [who, body] of [
      [alice, 'a'],
      [carla, 'b'],
      [bob, 'c'],
      [alice, 'd'],
    ] as const)
      ids.push(await sent(who, id, body))
    expect(await open(bob, id)).toMatchObject({ unreadCount: 3, lastMessage: { body: 'd' } })
    const count = async () => (await bob.get<{ count: number }>('/conversations/unread-count')).body.count
    const before = await count()
    const read = (n: number) => bob.post<Conversation>(`/conversations/${id}/read`, { messageId: ids[n] })
    expect(await read(1)).toMatchObject({ status: 200, body: { unreadCount: 1 } })
    const at = (await alice.get<Message>(`/messages/${ids[1]}`)).body.createdAt
    const reader = ({ members }: Conversation) => members.find(({ person }) => person.username === 'bob')?.lastReadAt
    expect(reader((await read(0)).body)).toBe(at) // the read position never moves back
    expect(reader(await open(alice, id))).toBeNull()
    expect((await bob.get<Page<Id>>('/conversations?unread=true')).body.items).toContainEqual(
      expect.objectContaining({ id }),
    )
    await read(3)
    expect(await count()).toBe(before - 1)
    expect((await bob.get<Page<Id>>('/conversations?unread=true')).body.items).not.toContainEqual(
      expect.objectContaining({ id }),
    )
    const other = await sent(alice, await direct(alice, 'bob'), 'x')
    expect(await bob.post(`/conversations/${id}/read`, { messageId: other })).toFailWith(404, 'message_unknown')
  })

  test('mute prevents notifications, and hides no messages', async () => {
    const [eve] = (await join('eve')) as [Person]
    await alice.post(`/circles/me/${circle}/members`, { memberId: 'eve' })
    const id = await direct(alice, 'eve')
    const told = async () => {
      await applyEffects(owner)
      const { body } =
        await eve.get<Page<{ kind: string; count: number; readAt: string | null; target: Id; payload: object }>>(
          '/notifications',
        )
      return body.items.filter(({ kind }) => kind === 'message.received')
    }
    const first = await sent(alice, id, 'One')
    await sent(eve, id, 'Mine')
    expect(await told()).toMatchObject([
      { count: 1, target: { type: 'conversation', id }, payload: { conversationId: id, messageId: first } },
    ])
    const last = await sent(alice, id, 'Two')
    expect(await told()).toMatchObject([{ count: 2, payload: { messageId: last } }])
    const mute = (body?: object) => eve.put<Conversation>(`/conversations/${id}/mute`, body)
    expect(await mute()).toMatchObject({ status: 200, body: { mutedUntil: '9999-12-31T23:59:59.999Z' } })
    await sent(alice, id, 'Three')
    expect(await told()).toMatchObject([{ count: 2 }])
    expect((await eve.get<{ count: number }>('/conversations/unread-count')).body.count).toBe(0)
    expect(await open(eve, id)).toMatchObject({ unreadCount: 3 })
    const until = new Date(Date.now() + 60_000).toISOString()
    expect(await mute({ until })).toMatchObject({ body: { mutedUntil: until } })
    expect(await mute({ until: '2020-01-01T00:00:00Z' })).toFailWith(422, 'conversation_until')
    expect(await open(eve, id)).toMatchObject({ mutedUntil: until })
    for (let n = 0; n < 2; n++)
      expect(await eve.delete(`/conversations/${id}/mute`)).toMatchObject({ status: 204, text: '' })
    await sent(alice, id, 'Four')
    const gone = await sent(alice, id, 'Five')
    await alice.delete(`/messages/${gone}`)
    expect(await told()).toMatchObject([{ count: 3 }])
  })

  test('list of conversations has the latest first, and can be filtered by kind and name', async () => {
    const [fay, gil] = (await join('fay', 'gil')) as [Person, Person]
    for (const memberId of ['fay', 'gil'])
      await bob.post(`/circles/me/${(await bob.post<Id>('/circles', { name: memberId })).body.id}/members`, {
        memberId,
      })
    const [one, two] = [await direct(fay, 'bob'), await group(fay, 'bob')]
    await sent(bob, one, 'x')
    await sent(bob, two, 'x')
    await sent(fay, one, 'x')
    const list = async (query = '') =>
      (await fay.get<Page<Id>>(`/conversations?${query}`)).body.items.map(({ id }) => id)
    expect(await list()).toEqual([one, two])
    expect(await walk(fay, '/conversations', 1)).toEqual([one, two])
    expect(await list('kind=group')).toEqual([two])
    expect(await list('q=HÍKers')).toEqual([two])
    expect(await list('q=bob')).toEqual([one, two])
    expect(await list('q=fay')).toEqual([])
    expect(await list(`cursor=${one}`)).toEqual([two])
    expect((await gil.get<Page<Id>>('/conversations')).body.items).toEqual([])
  })
})

test('Staff can list conversations, and read a message only in the copy of a report', async () => {
  expect(await nobody.get('/admin/conversations')).toFailWith(401, 'token_missing')
  expect(await alice.get('/admin/conversations')).toFailWith(403, 'role_required')
  expect(await admin.get('/admin/conversations?kind=x')).toFailWith(422, 'validation_failed')
  expect(await admin.get(`/admin/conversations?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
  const id = await group(alice, 'bob')
  const message = await sent(bob, id, 'Nobody shall read this')
  const page = await admin.get<Page<Id>>('/admin/conversations?kind=group&limit=1')
  expect(page.body.items).toEqual([
    {
      id,
      kind: 'group',
      memberCount: 2,
      messageCount: 1,
      lastMessageAt: expect.any(String),
      createdAt: expect.any(String),
    },
  ])
  expect(page.text).not.toContain('Nobody')
  expect((await walk(admin, '/admin/conversations', 50)).length).toBeGreaterThan(5)
  expect(await admin.get(`/messages/${message}`)).toFailWith(404, 'message_unknown')

  const report = (who: Person, targetId = message) =>
    who.post('/reports', { targetType: 'message', targetId, reason: 'Bad' })
  expect(await report(stranger)).toFailWith(404, 'message_unknown')
  expect(await report(alice, 'x')).toFailWith(404, 'message_unknown')
  expect(await report(alice)).toMatchObject({ status: 201, body: { targetType: 'message', targetId: message } })
  expect(await report(alice)).toFailWith(409, 'report_open')
  await bob.patch(`/messages/${message}`, { body: 'Never mind' })
  await bob.delete(`/messages/${message}`)
  expect(await report(alice)).toFailWith(409, 'message_deleted')
  const [kept] = await owner<{ copy: object }[]>`select copy from app.reports where target_id = ${message}`
  expect(kept?.copy).toMatchObject({
    conversationId: id,
    senderId: bob.id,
    kind: 'text',
    body: 'Nobody shall read this',
    alt: null,
  })
})

test('An erased person’s messages become tombstones, and their group goes to its oldest member', async () => {
  const [hal] = (await join('hal')) as [Person]
  await alice.post(`/circles/me/${circle}/members`, { memberId: 'hal' })
  await direct(hal, 'alice')
  const talk = await direct(alice, 'hal')
  await bob.post(`/circles/me/${(await bob.post<Id>('/circles', { name: 'More' })).body.id}/members`, {
    memberId: 'hal',
  })
  const id = await group(hal, 'alice')
  await hal.post(`/conversations/${id}/members`, { userIds: ['bob'] })
  const message = await sent(hal, id, 'Secret words')
  await alice.post('/reports', { targetType: 'message', targetId: message, reason: 'Bad' })
  const answer = await sent(alice, id, 'Answer', { replyToId: message })
  expect((await hal.post('/me/delete', { password: hal.password })).status).toBe(200)
  expect(await alice.get(`/messages/${message}`)).toMatchObject({
    body: { body: null, sender: null, deletedAt: expect.any(String) },
  })
  expect((await bob.get<Message>(`/messages/${answer}`)).body.replyTo).toEqual({
    id: message,
    sender: null,
    excerpt: null,
  })
  expect(names(await open(alice, id))).toEqual(['alice owner', 'bob member'])
  expect(await send(alice, talk, 'x')).toFailWith(403, 'conversation_closed')
  expect(names(await open(alice, talk))).toEqual(['alice member'])
  const [kept] = await owner<{ copy: object }[]>`select copy from app.reports where target_id = ${message}`
  expect(kept?.copy).not.toHaveProperty('body')
  expect(kept?.copy).not.toHaveProperty('alt')
  const left = await owner`select from app.messages where body like '%Secret%'`
  expect(left).toHaveLength(0)
})
