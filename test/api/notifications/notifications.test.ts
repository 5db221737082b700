import { describe, expect, test } from 'vitest'
import { moderated, Notification } from '../../../api-facade/features/notifications/schemas.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { ownOnly } from '../../support/target.ts'
import { world } from '../../support/world.ts'

type Item = {
  id: string
  kind: string
  groupKey: string
  count: number
  actors: { username: string }[]
  target: { type: string; id: string } | null
  path: string
  payload: Record<string, unknown>
  createdAt: string
  updatedAt: string
  readAt: string | null
}
type Inbox = { items: Item[]; nextCursor: string | null; hasMore: boolean }

const { alice, bob, carla, admin, nobody, join, database } = await world()

const inbox = async (person: Person, query = '?limit=50') => (await person.get<Inbox>(`/notifications${query}`)).body
const of = async (person: Person, kind: string) => (await inbox(person)).items.filter((item) => item.kind === kind)
const unread = async (person: Person) => (await person.get<{ count: number }>('/notifications/unread-count')).body.count
const read = (person: Person, body: object) => person.post<{ count: number }>('/notifications/read', body)
const pay = (person: Person, receiverId: string) =>
  person.post<{ payment: { id: string } }>('/economy/pay', { emotion: 'joy', tier: 0, receiverId })

describe('A person is notified of', () => {
  test('replies and reactions to a post, with one notification for each of the two kinds', async () => {
    const id = await publish(alice)
    await bob.post(`/posts/${id}/react`, { kind: 'heart' })
    await bob.post(`/posts/${id}/react`, { kind: 'spark' })
    await carla.post(`/posts/${id}/react`, { kind: 'heart' })
    await bob.post(`/posts/${id}/replies`, { body: 'One' })
    const { body: reply } = await bob.post<{ id: string }>(`/posts/${id}/replies`, { body: 'Two' })
    const [reacted, ...none] = await of(alice, 'post.reacted')
    expect(none).toEqual([])
    expect(reacted).toMatchObject({
      groupKey: `post.reacted:${id}`,
      count: 2,
      target: { type: 'post', id },
      payload: { postId: id },
      readAt: null,
    })
    expect(reacted?.actors.map(({ username }) => username)).toEqual(['bob', 'carla'])
    expect(await of(alice, 'post.replied')).toMatchObject([{ count: 2, payload: { postId: id, replyId: reply.id } }])
  })

  test('invitations into circles, of accepted ones, and of being added', async () => {
    const { body: circle } = await alice.post<{ id: string }>('/circles/me', { name: 'Friends' })
    const { body: invitation } = await alice.post<{ id: string }>(`/circles/me/${circle.id}/invitations`, {
      inviteeId: 'bob',
    })
    await alice.post(`/circles/me/${circle.id}/members`, { memberId: 'carla' })
    expect(await of(bob, 'circle.invited')).toMatchObject([
      { payload: { invitationId: invitation.id }, actors: [{ username: 'alice' }] },
    ])
    await bob.post(`/circles/invitations/${invitation.id}/accept`)
    expect(await of(alice, 'circle.accepted')).toMatchObject([
      { target: { type: 'circle', id: circle.id }, actors: [{ username: 'bob' }] },
    ])
    expect(await of(carla, 'circle.added')).toMatchObject([{ target: { type: 'circle', id: circle.id } }])
    expect(await of(bob, 'circle.added')).toEqual([])
  })

  test('payments, each on its own', async () => {
    const first = await pay(bob, 'carla')
    const second = await pay(bob, 'carla')
    expect((await of(carla, 'payment.received')).map(({ payload }) => payload.paymentId)).toEqual([
      second.body.payment.id,
      first.body.payment.id,
    ])
    expect(await of(bob, 'payment.received')).toEqual([])
  })

  test('their invite codes that were used', async () => {
    ownOnly('needs an admin who invited nobody before')
    expect(await admin.inbox('invite.used')).toHaveLength(3)
  })

  test('concurrent reactions, with a single notification', async () => {
    const id = await publish(carla)
    const names = Array.from({ length: 8 }, (_, at) => `reader_${'abcdefgh'[at]}`)
    const readers = await join(...names)
    await Promise.all(readers.map((reader) => reader.post(`/posts/${id}/react`, { kind: 'heart' })))
    const [rolled, ...none] = (await of(carla, 'post.reacted')).filter(({ target }) => target?.id === id)
    expect(none).toEqual([])
    expect(rolled).toMatchObject({ count: 8 })
    expect(rolled?.actors).toHaveLength(3)
  })
})

describe('GET /notifications', () => {
  test('is paginated, with each item once, newest first', async () => {
    const whole = (await inbox(alice)).items.map(({ id }) => id)
    const walked: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Inbox = await inbox(alice, `?limit=1${cursor && `&cursor=${cursor}`}`)
      walked.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(walked.length).toBeGreaterThan(2)
    expect(walked).toEqual(whole)
  })

  test('rejects an invalid page, another person’s cursor, and a caller without a token', async () => {
    expect(await bob.get('/notifications?limit=0')).toFailWith(422, 'validation_failed')
    expect(await bob.get('/notifications?cursor=what')).toFailWith(400, 'cursor_unknown')
    const [another] = (await inbox(alice)).items
    expect(await bob.get(`/notifications?cursor=${another?.id}`)).toFailWith(400, 'cursor_unknown')
    expect(await nobody.get('/notifications')).toFailWith(401, 'token_missing')
  })

  test('accepts only a time for since, and no cursor beside it', async () => {
    const { items } = await inbox(alice, '?since=2020-01-31T12:00:00%2B01:00&limit=50')
    expect(items.map(({ id }) => id).sort()).toEqual((await inbox(alice)).items.map(({ id }) => id).sort())
    expect(items.map(({ updatedAt }) => updatedAt)).toEqual(items.map(({ updatedAt }) => updatedAt).sort())
    expect((await inbox(alice, '?since=2099-01-31T12:00:00Z')).items).toEqual([])
    expect(await alice.get('/notifications?since=yesterday')).toFailWith(422, 'validation_failed')
    expect(await alice.get(`/notifications?since=2020-01-31T12:00:00Z&cursor=${items[0]?.id}`)).toFailWith(
      400,
      'cursor_unknown',
    )
  })

  test('does not show a blocked person as actor', async () => {
    const [dora, emil] = await join('dora', 'emil')
    if (!dora || !emil) throw new Error('nobody joined')
    await pay(emil, 'dora')
    expect(await of(dora, 'payment.received')).toMatchObject([{ actors: [{ username: 'emil' }] }])
    expect((await emil.post('/users/dora/block')).status).toBe(200)
    const [paid] = await of(dora, 'payment.received')
    expect(paid?.actors).toEqual([])
    expect(JSON.stringify(paid)).not.toContain('emil')
  })
})

describe('POST /notifications/read', () => {
  test('marks notifications as read by id, by group, and by time', async () => {
    const [fred] = await join('fred')
    if (!fred) throw new Error('nobody joined')
    const id = await publish(fred)
    await bob.post(`/posts/${id}/react`, { kind: 'heart' })
    await bob.post(`/posts/${id}/replies`, { body: 'One' })
    await pay(bob, 'fred')
    await pay(alice, 'fred')
    expect(await unread(fred)).toBe(4)
    const [newest, older] = (await inbox(fred)).items
    expect((await read(fred, { ids: [newest?.id, UNKNOWN] })).body).toEqual({ count: 3 })
    expect((await inbox(fred)).items[0]?.readAt).not.toBeNull()
    expect((await read(fred, { groupKey: `post.reacted:${id}` })).body).toEqual({ count: 2 })
    expect((await read(fred, { before: older?.createdAt })).body).toEqual({ count: 1 })
    expect((await read(fred, { before: new Date(Date.now() + 1000).toISOString() })).body).toEqual({ count: 0 })
    await bob.post(`/posts/${id}/replies`, { body: 'Two' })
    expect(await unread(fred)).toBe(1)
  })

  test('does not mark another person’s notifications', async () => {
    const before = await unread(alice)
    const { items } = await inbox(alice)
    expect((await read(bob, { ids: items.map(({ id }) => id) })).status).toBe(200)
    expect(await unread(alice)).toBe(before)
  })

  test.each([
    [{}, 'read_selection'],
    [{ groupKey: 'post.replied:x', before: '2026-01-31T12:00:00Z' }, 'read_selection'],
    [{ ids: ['one'] }, 'validation_failed'],
    [{ ids: [] }, 'validation_failed'],
    [{ before: 'yesterday' }, 'validation_failed'],
  ])('rejects %j with 422', async (body, code) => {
    expect(await read(alice, body)).toFailWith(422, code)
  })

  test('requires a token, as does the unread count', async () => {
    expect(await read(nobody, { groupKey: 'x' })).toFailWith(401, 'token_missing')
    expect(await nobody.get('/notifications/unread-count')).toFailWith(401, 'token_missing')
  })
})

test('The API describes exactly the registered kinds of notifications', async () => {
  const { owner } = database
  const kinds = await owner<{ kind: string }[]>`select kind from private.notification_kinds order by kind collate "C"`
  const described = Notification.options.map(({ shape }) => shape.kind.value)
  expect(described.toSorted()).toEqual(kinds.map(({ kind }) => kind))
})

test('The API describes staff decisions about every kind of content and content child', async () => {
  const { owner } = database
  const kinds = await owner<{ kind: string }[]>`
    select kind from private.content_kinds union all select kind from private.content_child_kinds order by kind`
  const described: readonly string[] = moderated
  expect(kinds.map(({ kind }) => kind).filter((kind) => !described.includes(kind))).toEqual([])
})

test('Every kind of notification has a place in the app', async () => {
  const { owner } = database
  const links = await owner<{ type: string }[]>`select type from private.links`
  const kinds = await owner<{ kind: string }[]>`select kind from private.notification_kinds where path is not null`
  const types = Notification.options.flatMap(({ shape: { kind, target } }) =>
    'shape' in target
      ? (target as unknown as { shape: { type: { options: string[] } } }).shape.type.options
      : kinds.some((one) => one.kind === kind.value)
        ? []
        : [kind.value],
  )
  expect(types.length).toBeGreaterThan(25)
  expect(types.filter((type) => !links.some((link) => link.type === type))).toEqual([])
})

test('A notification has the path of its single item, or of its target', async () => {
  const id = await publish(alice)
  await bob.post(`/posts/${id}/replies`, { body: 'One' })
  const [one] = await of(alice, 'post.replied')
  expect(one).toMatchObject({ path: `/replies/${one?.payload.replyId}` })
  await carla.post(`/posts/${id}/replies`, { body: 'Two' })
  expect((await of(alice, 'post.replied'))[0]).toMatchObject({ id: one?.id, path: `/posts/${id}` })
})

test('GET /links has the web address of every type of thing', async () => {
  const { status, body, headers } = await alice.get<{ base: string; paths: Record<string, string> }>('/links')
  expect(status).toBe(200)
  expect(body.base).toMatch(/^http:\/\/localhost/)
  expect(body.paths).toMatchObject({ person: '/@{username}', post: '/posts/{id}', event: '/events/{id}' })
  const again = await alice.get('/links', { 'If-None-Match': headers.get('etag') ?? '' })
  expect(again.status).toBe(304)
  expect(await nobody.get('/links')).toFailWith(401, 'token_missing')
})
