// Posts in groups over HTTP. For visibility see test/model/visibility.test.ts, for feeds and notifications
// test/db/posts/spaces.sql.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { UNKNOWN, walk } from '../../support/lists.ts'
import type { Headed, Person } from '../../support/person.ts'
import { feed } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()

type Made = { id: string; slug: string; groupId: string | null; guildId: string | null }

const group = async (more: object = {}) => (await alice.post<Made>('/groups', { name: 'Anglers', ...more })).body
const open = await group()
const hidden = await group({ visibility: 'private' })
await bob.post(`/groups/${open.id}/join`)
const say = (who: Person, at: string, body = 'A pike!', more: object = {}, headers: Headed = {}) =>
  who.request<Made>('POST', `/groups/${at}/posts`, { body, ...more }, headers)

describe.each(['GET', 'POST'])('%s /groups/:id/posts', (method) => {
  test('requires a token, a well-formed id, and a group that the caller sees', async () => {
    const ask = (who: Person, id: string) =>
      who.request(method, `/groups/${id}/posts`, method === 'POST' ? { body: 'x' } : undefined)
    expect(await ask(nobody, open.id)).toFailWith(401, 'token_missing')
    for (const id of [hidden.id, hidden.slug, UNKNOWN]) expect(await ask(bob, id)).toFailWith(404, 'space_unknown')
    expect(await ask(bob, 'x'.repeat(61))).toFailWith(422, 'validation_failed')
  })
})

describe('POST /groups/:id/posts', () => {
  test('does the same as POST /posts with groupId, by id or slug', async () => {
    const made = await say(bob, open.slug)
    expect(made).toMatchObject({
      status: 201,
      body: { body: 'A pike!', visibility: 'public', groupId: open.id, guildId: null },
    })
    const same = await bob.post<Made>('/posts', { body: 'Another', groupId: open.id })
    expect(same).toMatchObject({ status: 201, body: { groupId: open.id } })
    expect((await bob.get<Made>(`/posts/${same.body.id}`)).body.groupId).toBe(open.id)
    expect((await bob.post<Made>('/posts', { body: 'For all' })).body).toMatchObject({ groupId: null, guildId: null })
  })

  test('accepts an Idempotency-Key, which is valid for POST /posts too', async () => {
    const headers = { 'Idempotency-Key': 'a pike' }
    const first = await say(bob, open.id, 'Once', {}, headers)
    const again = await bob.request('POST', '/posts', { body: 'Once', groupId: open.id }, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  test.each([
    [{ visibility: 'circles' }, 'space_visibility'],
    [{ guildId: 'some-guild' }, 'content_space'],
    [{ visibility: 'friends' }, 'validation_failed'],
  ])('rejects %j with 422', async (more, code) => {
    expect(await say(bob, open.id, 'x', more)).toFailWith(422, code)
  })

  test('requires a member', async () => {
    expect(await say(carla, open.id)).toFailWith(403, 'space_not_member')
    expect(await carla.post('/posts', { body: 'x', groupId: open.slug })).toFailWith(403, 'space_not_member')
    expect(await carla.post('/posts', { body: 'x', guildId: open.slug })).toFailWith(404, 'space_unknown')
  })
})

test('A post in a group is visible only to its members, even when it is reposted or quoted', async () => {
  const { id } = (await say(bob, open.id, 'Secret spot')).body
  expect(await carla.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
  expect(await carla.get(`/groups/${open.id}/posts`)).toFailWith(403, 'space_not_member')
  expect(await feed(carla)).not.toContain(id)
  expect(await feed(alice)).toContain(id)
  expect((await walk(alice, `/groups/${open.slug}/posts`, 1))[0]).toBe(id)
  expect(await alice.get(`/groups/${open.id}/posts?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
  expect(await alice.get(`/groups/${open.id}/posts?limit=51`)).toFailWith(422, 'validation_failed')
  for (const change of [{ groupId: null }, { guildId: open.id }])
    expect(await bob.request('PATCH', `/posts/${id}`, change)).toFailWith(422, 'post_fixed')
  expect(await bob.request('PATCH', `/posts/${id}`, { visibility: 'inner' })).toFailWith(422, 'space_visibility')

  // a repost is still visible to members only
  const repost = await alice.post<Made>(`/posts/${id}/repost`)
  expect(repost).toMatchObject({ status: 201, body: { groupId: null, quotedPostId: id } })
  expect(await carla.get(`/posts/${repost.body.id}`)).toFailWith(404, 'post_unknown')
  const quote = await alice.post<Made>(`/posts/${id}/repost`, { body: 'Well' })
  expect(await carla.get(`/posts/${quote.body.id}`)).toMatchObject({ body: { quotedPostId: null, quotedPost: null } })
  expect(await alice.post(`/posts/${id}/repost`, { groupId: open.id })).toFailWith(422, 'repost_bare')
  await applyEffects(database.owner)
  const heard = await database.owner<{ id: string }[]>`
    select payload ->> 'id' as id from realtime.messages where topic = 'feed:public'`
  expect(heard.map((message) => message.id)).not.toContain(id)
  expect(heard.map((message) => message.id)).not.toContain(repost.body.id)
})

test('A former member can delete but not see their posts, and an archived group accepts no posts', async () => {
  const club = await group()
  await carla.post(`/groups/${club.id}/join`)
  const mine = await Promise.all(['One', 'Two'].map(async (body) => (await say(carla, club.id, body)).body.id))
  await carla.post(`/groups/${club.id}/leave`)
  for (const id of mine) expect(await carla.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
  expect(await walk(carla, '/posts/by/carla', 50)).toEqual([])
  expect(await carla.request('DELETE', `/posts/${mine[0]}`)).toMatchObject({ status: 204 })

  await alice.request('DELETE', `/groups/${club.id}`)
  expect(await say(alice, club.id)).toFailWith(409, 'space_archived')
  expect(await alice.post(`/posts/${mine[1]}/replies`, { body: 'Late.' })).toFailWith(409, 'space_archived')
  expect(await walk(alice, `/groups/${club.id}/posts`, 50)).toEqual([mine[1]])
  expect(await carla.request('DELETE', `/posts/${mine[1]}`)).toMatchObject({ status: 204 })
  expect(await carla.request('DELETE', `/posts/${mine[1]}`)).toFailWith(404, 'post_unknown')
})
