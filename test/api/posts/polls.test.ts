// Polls over HTTP: created with their post, voted in, closed by the job. For every rule see test/db/posts/polls.sql,
// for concurrent votes test/model/polls.test.ts.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()
const { owner } = database
const worker = database.connect('kith_worker')

type Poll = {
  id: string
  options: { id: string; text: string; votes: number }[]
  totalVotes: number
  closesAt: string | null
  closed: boolean
  myOptionId: string | null
}
type Post = { id: string; poll: Poll; viewer: { voted: boolean } }

async function ask(author: Person, poll: object = { options: ['tea', 'coffee'] }, more: object = {}): Promise<Post> {
  const { status, body } = await author.post<Post>('/posts', { body: 'Which?', poll, ...more })
  expect(status).toBe(201)
  return body
}
const path = (id: string) => `/posts/${id}/poll/vote`
const vote = (person: Person, { id, poll }: Post, at = 0) =>
  person.post<Poll>(path(id), { optionId: poll.options[at]?.id })
const soon = () => new Date(Date.now() + 3_600_000).toISOString()
const close = ({ id }: Post) => owner`update app.polls set closes_at = now() where post_id = ${id}`

const routes: [string, object?][] = [['POST', { optionId: UNKNOWN }], ['DELETE']]

describe.each(routes)('%s /posts/:id/poll/vote', (method, body) => {
  test('requires a token', async () => {
    expect(await nobody.request(method, path(UNKNOWN), body)).toFailWith(401, 'token_missing')
  })

  test('gives 422 for a malformed id, and 404 for an unknown post or one without a poll', async () => {
    const { body: plain } = await alice.post<Post>('/posts', { body: 'No question' })
    expect(await alice.request(method, path('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, path(UNKNOWN), body)).toFailWith(404, 'post_unknown')
    expect(await alice.request(method, path(plain.id), body)).toFailWith(404, 'poll_unknown')
  })

  test('gives the same answer for an invisible post as for an unknown one', async () => {
    const post = await ask(alice, undefined, { visibility: 'circles' })
    const answer = await bob.request(method, path(post.id), { optionId: post.poll.options[0]?.id })
    expect(answer).toFailWith(404, 'post_unknown')
    expect(answer.text).toBe((await bob.request(method, path(UNKNOWN), body)).text)
  })

  test('gives 404 for a scheduled post, and 422 to its author', async () => {
    const post = await ask(alice, undefined, { publishAt: soon() })
    const option = { optionId: post.poll.options[0]?.id }
    expect(await bob.request(method, path(post.id), option)).toFailWith(404, 'post_unknown')
    expect(await alice.request(method, path(post.id), option)).toFailWith(422, 'post_not_out')
  })

  test('gives 422 for a closed poll', async () => {
    const post = await ask(alice)
    await vote(bob, post)
    await close(post)
    expect(await bob.request(method, path(post.id), { optionId: post.poll.options[1]?.id })).toFailWith(
      422,
      'poll_closed',
    )
    expect((await bob.get<Post>(`/posts/${post.id}`)).body.poll).toMatchObject({ closed: true, totalVotes: 1 })
  })
})

test('A poll is created with its post, accepts votes, and a vote can be changed and withdrawn', async () => {
  const closesAt = soon()
  const post = await ask(alice, { options: [' tea ', 'coffee', 'water'], closesAt })
  expect(post.poll).toMatchObject({ totalVotes: 0, closed: false, myOptionId: null })
  expect(new Date(post.poll.closesAt ?? '')).toEqual(new Date(closesAt))
  expect(post.poll.options.map(({ text, votes }) => [text, votes])).toEqual([
    ['tea', 0],
    ['coffee', 0],
    ['water', 0],
  ])

  const [tea, , water] = post.poll.options
  const first = await vote(bob, post)
  expect(first).toMatchObject({
    status: 200,
    body: { totalVotes: 1, myOptionId: tea?.id, options: [{ votes: 1 }, {}, {}] },
  })
  expect((await vote(bob, post)).body).toEqual(first.body)
  const moved = await vote(bob, post, 2)
  expect(moved.body).toMatchObject({ totalVotes: 1, myOptionId: water?.id, options: [{ votes: 0 }, {}, { votes: 1 }] })
  expect((await bob.get<Post>(`/posts/${post.id}`)).body).toMatchObject({ poll: moved.body, viewer: { voted: true } })
  expect((await carla.get<Post>(`/posts/${post.id}`)).body).toMatchObject({
    poll: { totalVotes: 1, myOptionId: null },
    viewer: { voted: false },
  })
  for (const _ of ['once', 'and again'])
    expect(await bob.delete(path(post.id))).toMatchObject({ status: 200, body: { totalVotes: 0, myOptionId: null } })
})

test('A vote requires an option of this poll', async () => {
  const [post, other] = [await ask(alice), await ask(alice)]
  expect(await bob.post(path(post.id), { optionId: other.poll.options[0]?.id })).toFailWith(404, 'option_unknown')
  expect(await bob.post(path(post.id), {})).toFailWith(422, 'validation_failed')
})

test('The author and the voters are notified once that a poll has closed', async () => {
  const post = await ask(alice)
  await vote(alice, post)
  await vote(bob, post)
  await vote(carla, post)
  await carla.post('/users/alice/block')
  await close(post)
  const run = async () => (await worker<{ changed: number }[]>`select private.job_close_polls() as changed`)[0]?.changed
  while ((await run()) === 1) {} // the polls of the tests above are closed too
  const payload = { postId: post.id, pollId: post.poll.id }
  const told = async (person: Person) =>
    (await person.inbox('poll.closed')).filter((notice) => notice.payload.postId === post.id)
  expect(await told(alice)).toMatchObject([{ payload, target: { type: 'post', id: post.id }, actors: [] }])
  expect(await told(bob)).toMatchObject([{ payload, actors: [{ id: alice.actorId }] }])
  expect(await told(carla)).toEqual([])
  await carla.delete('/users/alice/block')
})
