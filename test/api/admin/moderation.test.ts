// Staff hides, unhides and deletes posts and replies over HTTP. For the single rules see test/db/admin/posts.sql.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { type Post, publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database, join } = await world({ people: ['alice', 'bob'] })
const [mona] = await join('mona')
await database.owner`update app.users set role = 'moderator' where username = 'mona'`
const moderator = (await mona?.login()) ?? nobody
const entries = async () => {
  const [row] = await database.owner<{ count: number }[]>`select count(*)::int from app.audit_log`
  return row?.count ?? 0
}

const routes = (post: string, comment: string): [string, string][] => [
  ['POST', `/admin/posts/${post}/hide`],
  ['POST', `/admin/posts/${post}/unhide`],
  ['DELETE', `/admin/posts/${post}`],
  ['POST', `/admin/replies/${comment}/hide`],
  ['POST', `/admin/replies/${comment}/unhide`],
]

describe.each(routes(UNKNOWN, UNKNOWN))('%s %s', (method, path) => {
  test('requires a member of staff and an existing post or reply', async () => {
    expect(await nobody.request(method, path)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, path, { reason: 7 })).toFailWith(403, 'role_required')
    const code = path.includes('replies') ? 'reply_unknown' : 'post_unknown'
    expect(await admin.request(method, path)).toFailWith(404, code)
    const refused = await moderator.request(method, path)
    if (method === 'DELETE') expect(refused).toFailWith(403, 'role_required')
    else expect(refused).toFailWith(404, code)
    expect(await admin.request(method, path.replace(UNKNOWN, 'x'))).toFailWith(422, 'validation_failed')
    for (const reason of [7, 'x'.repeat(1001)])
      expect(await admin.request(method, path, { reason })).toFailWith(422, 'validation_failed')
  })
})

describe('A post', () => {
  test('is hidden from others and unhidden again, and its author is notified without a name or reason', async () => {
    const id = await publish(alice)
    const before = await entries()
    const hidden = await moderator.post(`/admin/posts/${id}/hide`, { reason: 'Spam' })
    expect(hidden).toMatchObject({ status: 200, body: { id, hiddenAt: expect.any(String) } })
    expect((await moderator.post(`/admin/posts/${id}/hide`)).text).toBe(hidden.text)
    expect(await bob.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
    expect((await alice.get<Post>(`/posts/${id}`)).body.hiddenAt).not.toBeNull()
    const shown = await admin.post(`/admin/posts/${id}/unhide`, {})
    expect(shown).toMatchObject({ status: 200, body: { id, hiddenAt: null } })
    expect(await bob.get(`/posts/${id}`)).toMatchObject({ status: 200, body: { hiddenAt: null } })
    expect(await entries()).toBe(before + 2)
    const notices = await alice.inbox('moderation.actioned')
    expect(notices).toMatchObject([
      {
        target: { type: 'post', id },
        actors: [],
        count: 1,
        payload: { targetType: 'post', targetId: id, action: 'unhidden' },
      },
      {
        target: { type: 'post', id },
        actors: [],
        count: 1,
        payload: { targetType: 'post', targetId: id, action: 'hidden' },
      },
    ])
    expect(JSON.stringify(notices)).not.toMatch(/Spam|mona/)
  })

  test('that is hidden many times concurrently is hidden once', async () => {
    const id = await publish(alice)
    const before = await entries()
    const answers = await Promise.all(Array.from({ length: 6 }, () => moderator.post(`/admin/posts/${id}/hide`)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(await entries()).toBe(before + 1)
  })

  test('is deleted permanently by admins', async () => {
    const id = await publish(alice)
    await moderator.post(`/admin/posts/${id}/hide`)
    for (let n = 0; n < 2; n++)
      expect(await admin.delete(`/admin/posts/${id}`, { reason: 'Unlawful' })).toMatchObject({ status: 204, text: '' })
    await moderator.post(`/admin/posts/${id}/unhide`)
    for (const person of [alice, bob]) expect(await person.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
    const events = await database.owner`select from app.domain_events
      where name = 'posts.post.deleted' and payload ->> 'postId' = ${id}`
    expect(events).toHaveLength(1)
  })

  test('that is scheduled and hidden stays hidden when it is published', async () => {
    const id = await publish(alice, { publishAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await moderator.post(`/admin/posts/${id}/hide`)).toMatchObject({ status: 200 })
    expect(await alice.patch(`/posts/${id}`, { publishAt: null })).toMatchObject({
      status: 200,
      body: { publishedAt: expect.any(String), hiddenAt: expect.any(String) },
    })
    expect(await bob.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
    expect(await alice.delete(`/posts/${id}`)).toMatchObject({ status: 204 })
  })
})

test('A reply is hidden from others and unhidden again, and its author is notified', async () => {
  const post = await publish(alice)
  const id = await reply(bob, post)
  const replies = async (person: typeof alice) =>
    (await person.get<{ items: { id: string }[] }>(`/posts/${post}/replies`)).body.items.map((item) => item.id)
  expect(await moderator.post(`/admin/replies/${id}/hide`)).toMatchObject({
    body: { id, hiddenAt: expect.any(String) },
  })
  expect([await replies(alice), await replies(bob)]).toEqual([[], [id]])
  expect(await alice.get(`/posts/${post}`)).toMatchObject({ body: { counters: { replies: 0 } } })
  expect(await moderator.post(`/admin/replies/${id}/unhide`)).toMatchObject({ body: { id, hiddenAt: null } })
  expect(await replies(alice)).toEqual([id])
  expect(await bob.inbox('moderation.actioned')).toMatchObject([
    { payload: { targetType: 'reply', targetId: id, action: 'unhidden' } },
    { payload: { targetType: 'reply', targetId: id, action: 'hidden' } },
  ])
})

test('A member of staff cannot unhide their own post that staff hid, but another admin can', async () => {
  const post = await publish(moderator)
  const comment = await reply(moderator, post)
  for (const path of [`/admin/posts/${post}`, `/admin/replies/${comment}`]) {
    expect(await admin.post(`${path}/hide`)).toMatchObject({ status: 200 })
    expect(await moderator.post(`${path}/unhide`)).toFailWith(403, 'moderate_own')
    expect(await admin.post(`${path}/unhide`)).toMatchObject({ status: 200, body: { hiddenAt: null } })
  }
})
