// ETags: If-None-Match on reads, If-Match on edits.
import { describe, expect, test } from 'vitest'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, nobody } = await world({ people: ['alice', 'bob'] })
const group = (await alice.post<{ id: string }>('/groups', { name: 'Moss' })).body.id
const post = await publish(alice)
const tagOf = async (path: string, who = alice) => {
  const { status, headers } = await who.get(path)
  expect([status, headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[\w.-]+"$/)])
  return headers.get('etag') ?? ''
}
const match = (tag: string) => ({ 'If-Match': tag })

describe('A read', () => {
  test.each([
    '/me',
    '/users/bob',
    `/posts/${post}`,
    `/groups/${group}`,
    '/interests/catalog',
    '/notifications/preferences',
    '/me/interests',
    '/me/personas',
    '/identity/me/muted-keywords',
  ])('of %s is 304 without a body if the client has the answer', async (path) => {
    const tag = await tagOf(path)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await alice.get(path, { 'If-None-Match': known })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
    }
    expect(await alice.get(path, { 'If-None-Match': '"other"' })).toMatchObject({ status: 200 })
  })

  test('has another tag if a counter changes', async () => {
    const tag = await tagOf(`/posts/${post}`)
    await bob.post(`/posts/${post}/react`, { kind: 'heart' })
    expect(await tagOf(`/posts/${post}`)).not.toBe(tag)
  })

  test('that fails has no tag', async () => {
    const { status, headers } = await alice.get('/posts/3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10')
    expect([status, headers.get('etag')]).toEqual([404, null])
  })
})

describe('An edit with If-Match', () => {
  const things: [string, object, object][] = [
    ['/me', { city: 'Bonn' }, { city: 'Köln' }],
    [`/posts/${post}`, { body: 'One' }, { body: 'Two' }],
    [`/groups/${group}`, { about: 'One' }, { about: 'Two' }],
    ['/notifications/preferences', { digestHour: 7 }, { digestHour: 8 }],
  ]

  test.each(things)(
    'of %s succeeds once for a tag, and a second edit with this tag gets 412 and changes nothing',
    async (path, one, two) => {
      const tag = await tagOf(path)
      expect(await alice.patch(path, one, match(tag))).toMatchObject({ status: 200, body: one })
      expect(await alice.patch(path, two, match(tag))).toFailWith(412, 'changed_since')
      expect((await alice.get(path)).body).toMatchObject(one)
      expect(await alice.patch(path, two, match(`"x", W/${await tagOf(path)}`))).toMatchObject({
        status: 200,
        body: two,
      })
      expect(await alice.patch(path, one, match('*'))).toMatchObject({ status: 200 })
    },
  )

  test('succeeds although others have reacted meanwhile', async () => {
    const tag = await tagOf(`/posts/${post}`)
    await bob.post(`/posts/${post}/react`, { kind: 'spark' })
    await bob.post(`/posts/${post}/bookmark`)
    expect(await alice.patch(`/posts/${post}`, { body: 'Three' }, match(tag))).toMatchObject({ status: 200 })
  })

  test('succeeds once among ten concurrent ones with one tag', async () => {
    const tag = await tagOf(`/posts/${post}`)
    const edit = (n: number) => alice.patch<{ body: string }>(`/posts/${post}`, { body: `Version ${n}` }, match(tag))
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => edit(n)))
    const done = answers.filter(({ status }) => status === 200)
    expect(done).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 412 && status !== 503)).toEqual([])
    expect((await alice.get(`/posts/${post}`)).body).toMatchObject({ body: done[0]?.body.body })
  })

  test('reveals nothing: 401, 403, 404 and 422 come before 412', async () => {
    const wrong = match('"wrong"')
    expect(await nobody.patch('/me', { city: 'x' }, wrong)).toFailWith(401, 'token_missing')
    expect(await bob.patch(`/posts/${post}`, { body: 'x' }, wrong)).toMatchObject({ status: 403 })
    const unknown = '/posts/3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10'
    expect(await alice.patch(unknown, { body: 'x' }, wrong)).toFailWith(404, 'post_unknown')
    expect(await alice.patch('/me', { city: 1 }, wrong)).toFailWith(422, 'validation_failed')
  })

  test('of a path that has no ETag is 422', async () => {
    expect(await alice.post('/posts', { body: 'x' }, match('*'))).toFailWith(422, 'match_not_taken')
    expect(await alice.delete(`/posts/${post}/bookmark`, undefined, match('*'))).toFailWith(422, 'match_not_taken')
  })
})
