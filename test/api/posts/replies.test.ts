// Threads and mentions over HTTP. For the kinds of replies and their list see responses.test.ts, for the single rules
// test/db/posts/threads.sql.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()

type Reply = { id: string; parentId: string | null; body: string; hiddenAt: string | null }
type Page = { items: Reply[]; nextCursor: string | null }

async function publish(author: Person, body = 'What I found'): Promise<string> {
  return (await author.post<{ id: string }>('/posts', { body })).body.id
}

async function reply(author: Person, post: string, body: string, parentId?: string | null): Promise<string> {
  const answer = await author.post<Reply>(`/posts/${post}/replies`, { body, parentId })
  expect(answer).toMatchObject({ status: 201, body: { body, parentId: parentId ?? null } })
  return answer.body.id
}

const list = async (person: Person, post: string, query = '') =>
  (await person.get<Page>(`/posts/${post}/replies${query}`)).body.items

describe('A reply to a reply', () => {
  test('names its parent in a flat list', async () => {
    const post = await publish(alice)
    const one = await reply(bob, post, 'one', null)
    const two = await reply(carla, post, 'two', one)
    const three = await reply(bob, post, 'three', two)
    const four = await reply(alice, post, 'four', one)
    expect((await list(carla, post)).map(({ id, parentId }) => [id, parentId])).toEqual([
      [one, null],
      [two, one],
      [three, two],
      [four, one],
    ])
    expect((await list(carla, post, `?parentId=${one}`)).map(({ id }) => id)).toEqual([two, four])
    expect(await list(carla, post, `?parentId=${four}`)).toEqual([])
    expect(await list(carla, post, `?parentId=${one}&kind=criticism`)).toEqual([])
    const page = await carla.get<Page>(`/posts/${post}/replies?parentId=${one}&limit=1`)
    expect(page.body.nextCursor).toBe(two)
    expect((await list(carla, post, `?parentId=${one}&cursor=${two}`)).map(({ id }) => id)).toEqual([four])
    expect(await carla.get(`/posts/${post}`)).toMatchObject({ body: { counters: { replies: 4 } } })
  })

  test('requires a visible parent under the same post', async () => {
    const [post, other] = [await publish(alice), await publish(alice)]
    const [one, elsewhere] = [await reply(bob, post, 'one'), await reply(bob, other, 'elsewhere')]
    const send = (parentId: unknown, person = carla) => person.post(`/posts/${post}/replies`, { body: 'x', parentId })
    for (const parentId of [elsewhere, UNKNOWN, post]) {
      expect(await send(parentId)).toFailWith(404, 'reply_unknown')
      expect(await carla.get(`/posts/${post}/replies?parentId=${parentId}`)).toFailWith(404, 'reply_unknown')
    }
    expect(await send('x')).toFailWith(422, 'validation_failed')
    expect(await carla.get(`/posts/${post}/replies?parentId=x`)).toFailWith(422, 'validation_failed')

    const two = await reply(carla, post, 'two', one)
    await database.owner`update app.replies set hidden_at = now() where id = ${one}`
    expect(await send(one)).toFailWith(404, 'reply_unknown')
    expect((await list(carla, post)).map(({ id, parentId }) => [id, parentId])).toEqual([[two, null]])
    expect(await list(bob, post)).toMatchObject([
      { id: one, hiddenAt: expect.any(String) },
      { id: two, parentId: one },
    ])
  })

  test('notifies the author of the parent and the author of the post, each once', async () => {
    const post = await publish(alice)
    const one = await reply(bob, post, 'one')
    const own = await reply(alice, post, 'own')
    const told = async (person: Person) =>
      (await person.inbox('post.replied')).filter(({ payload }) => payload.postId === post).map(({ count }) => count)
    const two = await reply(carla, post, 'two', one)
    expect(await Promise.all([alice, bob, carla].map(told))).toEqual([[2], [1], []])
    await reply(carla, post, 'three', own)
    await reply(bob, post, 'four', two)
    expect(await Promise.all([alice, bob, carla].map(told))).toEqual([[4], [1], [1]])
  })
})

test('An unpublished post accepts no replies and reactions, and only its author learns that it exists', async () => {
  const [post] = await database.owner<{ id: string }[]>`
    insert into app.posts (author_id, body, publish_at, published_at)
    values (${alice.id}, 'later', now() + interval '1 day', null) returning id`
  for (const [path, body] of [
    ['replies', { body: 'x' }],
    ['react', { kind: 'heart' }],
  ] as const) {
    expect(await alice.post(`/posts/${post?.id}/${path}`, body)).toFailWith(422, 'post_not_out')
    expect(await bob.post(`/posts/${post?.id}/${path}`, body)).toFailWith(404, 'post_unknown')
  }
})

test('A mentioned person is notified once per text', async () => {
  const post = await publish(alice, 'For @bob, @Bob@localhost and @carla; ask me@bob.example.')
  const named = async (person: Person) =>
    (await person.inbox('post.mentioned')).map(({ count, payload }) => ({ count, ...payload }))
  for (const person of [bob, carla]) expect(await named(person)).toEqual([{ count: 1, postId: post, replyId: null }])
  const answer = await reply(bob, post, '@alice @carla @bob')
  expect(await named(alice)).toEqual([{ count: 1, postId: post, replyId: answer }])
  expect(await named(carla)).toEqual([{ count: 2, postId: post, replyId: answer }]) // carla is notified of each text
  expect(await named(bob)).toHaveLength(1)
})
