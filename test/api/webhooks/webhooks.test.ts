// Webhooks and the event log over HTTP: who may use them, what is rejected, and what is audited. For what receivers get
// see test/worker/webhooks.test.ts.
import { afterEach, describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, admin, nobody, database, join } = await world()
const { owner } = database
const [mona] = (await join('mona')) as [Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const moderator = await mona.login()

const url = 'https://hooks.example.org/kith?from=kith'
const events = ['posts.post.published']
type Made = { webhook: { id: string; events: string[] }; secret: string }
const add = async (more: object = {}) => (await admin.post<Made>('/admin/webhooks', { url, events, ...more })).body
const actions = async (id: string) =>
  (
    await owner`select action, detail from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where target_type = 'webhook' and target_id = ${id} order by l.id`
  ).map(({ action }) => action)

afterEach(() => owner`delete from private.webhooks`)

describe('Only an admin', () => {
  test.each([
    ['GET', '/admin/webhooks'],
    ['POST', '/admin/webhooks'],
    ['GET', `/admin/webhooks/${UNKNOWN}`],
    ['PATCH', `/admin/webhooks/${UNKNOWN}`],
    ['DELETE', `/admin/webhooks/${UNKNOWN}`],
    ['POST', `/admin/webhooks/${UNKNOWN}/secret`],
    ['POST', `/admin/webhooks/${UNKNOWN}/test`],
    ['GET', `/admin/webhooks/${UNKNOWN}/deliveries`],
    ['POST', `/admin/webhooks/${UNKNOWN}/deliveries/1/replay`],
    ['GET', '/admin/events'],
  ] as const)('may %s %s', async (method, path) => {
    const as = (person: Person) =>
      person.request(method, path, method === 'POST' || method === 'PATCH' ? {} : undefined)
    expect(await as(nobody)).toFailWith(401, 'token_missing')
    expect(await as(alice)).toFailWith(403, 'role_required')
    expect(await as(moderator)).toFailWith(403, 'role_required')
    if (path.includes(UNKNOWN)) expect(await as(admin)).toFailWith(404, 'webhook_unknown')
  })
})

describe('A webhook', () => {
  test('can be added, read, changed and deleted, its secret is shown once, and each write is audited', async () => {
    const made = await admin.post<Made>('/admin/webhooks', {
      url,
      events: [...events, ...events],
      description: ' Wiki ',
    })
    const { webhook, secret } = made.body
    expect(made).toMatchObject({
      status: 201,
      body: { webhook: { url, events, description: 'Wiki', active: true, failingSince: null } },
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const path = `/admin/webhooks/${webhook.id}`
    const read = await admin.get(path)
    expect(read.body).toEqual(webhook)
    const listed = await admin.get<{ items: object[]; availableEvents: { event: string }[] }>('/admin/webhooks')
    expect(listed.body.items).toEqual([webhook])
    expect(listed.body.availableEvents.map(({ event }) => event)).toContain('posts.post.published')

    const changes = { active: false, events: ['posts.reply.created'], description: '' }
    const changed = await admin.patch(path, changes)
    expect(changed).toMatchObject({ status: 200, body: changes })
    expect((await admin.patch(path, changes)).text).toBe(changed.text)

    const rotated = await admin.post<Made>(`${path}/secret`)
    expect(rotated).toMatchObject({ status: 200, body: { webhook: { previousSecretUntil: expect.any(String) } } })
    expect(rotated.body.secret).not.toBe(secret)

    expect(await admin.delete(path)).toMatchObject({ status: 204 })
    expect(await admin.get(path)).toFailWith(404, 'webhook_unknown')
    expect(await admin.delete(path)).toFailWith(404, 'webhook_unknown')
    expect((await admin.get<{ items: object[] }>('/admin/webhooks')).body.items).toEqual([])
    expect(await actions(webhook.id)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.secret-changed',
      'webhook.deleted',
    ])
    const audited = await owner`select detail from app.audit_details where detail::text like '%whsec%'`
    expect(audited).toEqual([])
    for (const { text } of [read, listed, changed]) expect(text).not.toContain('whsec_')
  })

  test.each([
    'http://hooks.example.org/',
    'https://hooks.example.org:8443/',
    'https://user:secret@hooks.example.org/',
    'https://hooks.example.org/#part',
    'https://10.0.0.1/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://hooks.example.org\\@10.0.0.1/',
    'ftp://hooks.example.org/',
  ])('cannot have the address %s', async (address) => {
    expect(await admin.post('/admin/webhooks', { url: address, events })).toFailWith(422, 'webhook_url')
    const { webhook } = await add()
    expect(await admin.patch(`/admin/webhooks/${webhook.id}`, { url: address })).toFailWith(422, 'webhook_url')
  })

  test.each(['messaging.message.sent', 'posts.bookmark.added', 'nothing.at.all', '*'])(
    'cannot have the event %s',
    async (event) => {
      expect(await admin.post('/admin/webhooks', { url, events: [...events, event] })).toFailWith(422, 'webhook_events')
      const { webhook } = await add()
      const changed = await admin.patch(`/admin/webhooks/${webhook.id}`, { events: [event] })
      expect(changed).toFailWith(422, 'webhook_events')
    },
  )

  test('is rejected with an invalid body', async () => {
    for (const body of [
      {},
      { url },
      { url, events: [] },
      { url, events, description: 'x'.repeat(201) },
      { url: 1, events },
    ])
      expect(await admin.post('/admin/webhooks', body)).toFailWith(422, 'validation_failed')
    const { webhook } = await add()
    const path = `/admin/webhooks/${webhook.id}`
    expect(await admin.patch(path, { active: 'yes' })).toFailWith(422, 'validation_failed')
    expect(await admin.get(`${path}/deliveries?status=lost`)).toFailWith(422, 'validation_failed')
    expect(await admin.get(`${path}/deliveries?cursor=x`)).toFailWith(400, 'cursor_unknown')
    expect(await admin.post(`${path}/deliveries/0/replay`)).toFailWith(422, 'validation_failed')
    expect(await admin.post(`${path}/deliveries/1/replay`)).toFailWith(404, 'webhook_delivery_unknown')
  })

  test('is one of at most 20, even if several are added at once', async () => {
    const made = await Promise.all(Array.from({ length: 24 }, () => admin.post('/admin/webhooks', { url, events })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    for (const each of made.filter(({ status }) => status !== 201)) expect(each).toFailWith(409, 'webhooks_full')
  })

  test('that is inactive can be neither tested nor replayed', async () => {
    const { webhook } = await add({ active: false })
    const path = `/admin/webhooks/${webhook.id}`
    expect(await admin.post(`${path}/test`)).toFailWith(409, 'webhook_inactive')
    expect(await admin.post(`${path}/deliveries/1/replay`)).toFailWith(409, 'webhook_inactive')
  })

  test('has at most one pending test delivery, however often one is requested', async () => {
    const { webhook } = await add()
    const path = `/admin/webhooks/${webhook.id}`
    const first = await admin.post<{ id: number }>(`${path}/test`)
    expect(first).toMatchObject({
      status: 202,
      body: { event: 'webhooks.webhook.tested', status: 'pending', attempts: 0 },
    })
    expect((await admin.post<{ id: number }>(`${path}/test`)).body.id).toBe(first.body.id)
    expect(await actions(webhook.id)).toEqual(['webhook.created', 'webhook.tested', 'webhook.tested'])
  })

  test('lists its deliveries in pages, newest first', async () => {
    const { webhook } = await add()
    await owner`
      insert into private.webhook_deliveries (webhook_id, sequence, event, event_id, subject_key, status)
      select ${webhook.id}, -n, 'posts.post.published', gen_random_uuid(), 'post:x',
             case when n % 2 = 0 then 'failed' else 'delivered' end
      from generate_series(1, 5) n`
    type Page = { items: { id: number; sequence: number }[]; nextCursor: string | null }
    const read = async (query: string) =>
      (await admin.get<Page>(`/admin/webhooks/${webhook.id}/deliveries?${query}`)).body
    const first = await read('limit=3')
    expect(first.items.map(({ sequence }) => -sequence)).toEqual([5, 4, 3])
    const second = await read(`limit=3&cursor=${first.nextCursor}`)
    expect([second.items.map(({ sequence }) => -sequence), second.nextCursor]).toEqual([[2, 1], null])
    expect((await read('status=failed')).items.map(({ sequence }) => -sequence)).toEqual([4, 2])
    const csv = await admin.get(`/admin/webhooks/${webhook.id}/deliveries`, { Accept: 'text/csv' })
    expect([csv.status, csv.text.trim().split('\r\n').length]).toEqual([200, 6])
  })
})

test('The event log is read in order, after a given number', async () => {
  await owner`delete from private.unlogged_events`
  await owner`delete from private.event_log`
  const posts: string[] = []
  for (const body of ['One', 'Two', 'Three'])
    posts.push((await alice.post<{ id: string }>('/posts', { body, format: 'note' })).body.id)
  await owner`select private.log_events()`
  type Log = { items: { sequence: number; data: { postId: string } }[]; next: number; oldest: number | null }
  const read = async (query: string) => (await admin.get<Log>(`/admin/events?${query}`)).body
  const first = await read('limit=2')
  expect(first.items).toMatchObject(
    posts.slice(0, 2).map((postId) => ({
      type: 'posts.post.published',
      subject: { type: 'post', id: postId },
      data: { postId, authorId: 'acct:alice@localhost' },
    })),
  )
  expect(first.oldest).toBe(first.items[0]?.sequence)
  const second = await read(`after=${first.next}`)
  expect(second.items.map(({ data }) => data.postId)).toEqual(posts.slice(2))
  expect(await read(`after=${second.next}`)).toMatchObject({ items: [], next: second.next })
  expect(await admin.get('/admin/events?after=-1')).toFailWith(422, 'validation_failed')
  expect(await admin.get('/admin/events?limit=51')).toFailWith(422, 'validation_failed')
})
