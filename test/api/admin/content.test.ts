// Staff lists, removes and restores contents over HTTP. For the single rules see test/db/admin/contents.sql.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database, join } = await world({ people: ['alice', 'bob'] })
const [mona] = await join('mona')
await database.owner`update app.users set role = 'moderator' where username = 'mona'`
const moderator = (await mona?.login()) ?? nobody
type Item = { id: string; kind: string; removedAt: string | null }
const mediaUrl = 'https://cdn.example.org/clip.mp4'
const video = (await alice.post<Item>('/videos', { mediaUrl, caption: 'Über den Dächern' })).body.id
const audio = (await alice.post<Item>('/audio', { mediaUrl, caption: 'On roofs' })).body.id
const listed = async (query: string) =>
  (await moderator.get<Page<Item>>(`/admin/content${query}`)).body.items.map(({ id }) => id)

test('GET /admin/content requires a member of staff', async () => {
  expect(await nobody.get('/admin/content')).toFailWith(401, 'token_missing')
  expect(await alice.get('/admin/content?limit=0')).toFailWith(403, 'role_required')
  expect(await admin.get('/admin/content')).toMatchObject({ status: 200 })
})

test('GET /admin/content lists every kind with its details, and can be filtered', async () => {
  const { body } = await moderator.get<Page<Item>>('/admin/content')
  expect(body.items).toMatchObject([
    { id: audio, kind: 'audio', authorId: alice.id, author: { username: 'alice' }, detail: { caption: 'On roofs' } },
    { id: video, kind: 'video', detail: { mediaUrl, caption: 'Über den Dächern' } },
  ])
  expect(await listed('?kind=videos')).toEqual([video])
  expect(await listed('?q=dachern')).toEqual([video])
  expect(await listed(`?q=${audio}`)).toEqual([audio])
  for (const other of ['status=removed', 'to=2026-01-02T00:00:00Z', 'from=2999-01-01T00:00:00Z', 'kind=videos'])
    expect(await listed(`?q=${audio}&${other}`)).toEqual([])
  expect(await listed('?q=%25')).toEqual([])
  expect(await listed('?status=removed')).toEqual([])
  expect(await listed('?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z')).toEqual([])
  const first = await moderator.get<Page<Item>>('/admin/content?limit=1')
  expect(first.body).toMatchObject({ items: [{ id: audio }], nextCursor: audio, hasMore: true })
  expect(await listed(`?limit=1&cursor=${audio}`)).toEqual([video])
  for (const query of ['kind=Videos', 'status=x', 'from=today', 'limit=51'])
    expect(await moderator.get(`/admin/content?${query}`)).toFailWith(422, 'validation_failed')
  expect(await moderator.get('/admin/content?kind=posts')).toFailWith(422, 'content_kind')
  expect(await moderator.get('/admin/content?cursor=x')).toFailWith(400, 'cursor_unknown')
})

describe.each(['remove', 'restore'])('POST /admin/content/:kind/:id/%s', (verb) => {
  test('requires an admin and existing content of that kind', async () => {
    const path = (kind: string, id: string) => `/admin/content/${kind}/${id}/${verb}`
    expect(await nobody.post(path('videos', video))).toFailWith(401, 'token_missing')
    for (const who of [alice, moderator])
      expect(await who.post(path('videos', video), { reason: 7 })).toFailWith(403, 'role_required')
    expect(await admin.post(path('videos', 'x'))).toFailWith(422, 'validation_failed')
    expect(await admin.post(path('videos', video), { reason: 'x'.repeat(1001) })).toFailWith(422, 'validation_failed')
    expect(await admin.post(path('posts', video))).toFailWith(422, 'content_kind')
    for (const [kind, id] of [
      ['videos', UNKNOWN],
      ['videos', audio],
    ] as const)
      expect(await admin.post(path(kind, id))).toFailWith(404, 'content_unknown')
  })
})

test.each([
  ['videos', 'video', video],
  ['audio', 'audio', audio],
])(
  'Content of /%s is hidden from all but its author until it is restored, and the author is notified of both',
  async (kinds, kind, id) => {
    const entries = async () =>
      (await database.owner`select action from app.audit_log where target_id = ${id} order by id`).map(
        (row) => row.action,
      )
    const removed = await admin.post<Item>(`/admin/content/${kinds}/${id}/remove`, { reason: 'Spam' })
    expect(removed).toMatchObject({ status: 200, body: { id, kind, removedAt: expect.any(String) } })
    expect((await admin.post(`/admin/content/${kinds}/${id}/remove`)).text).toBe(removed.text)
    expect(await bob.get(`/${kinds}/${id}`)).toFailWith(404, `${kind}_unknown`)
    expect(await alice.get(`/${kinds}/${id}`)).toMatchObject({ body: { removedAt: removed.body.removedAt } })
    expect(await listed('?status=removed')).toEqual([id])
    const restored = await admin.post(`/admin/content/${kinds}/${id}/restore`)
    expect(restored).toMatchObject({ status: 200, body: { id, kind, removedAt: null } })
    expect(await bob.get(`/${kinds}/${id}`)).toMatchObject({ status: 200, body: { removedAt: null } })
    expect(await entries()).toEqual([`${kind}.removed`, `${kind}.restored`])
    const notices = (await alice.inbox('moderation.actioned')).filter(({ payload }) => payload.targetId === id)
    expect(notices.map(({ payload }) => [payload.targetType, payload.action])).toEqual([
      [kind, 'restored'],
      [kind, 'removed'],
    ])
    expect(JSON.stringify(notices)).not.toMatch(/Spam|admin/)
  },
)
