// Requests for things that the caller cannot see, by every route in the registry of the visibility model: the answer
// equals that for an unknown id, byte for byte. For the rule of visibility itself see test/model/visibility.test.ts
// and docs/decisions.md, Visibility and Errors.
import { describe, expect, test } from 'vitest'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { asking, type Kind, type Means, type Request, requests } from '../../model/oracle/requests.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const routes = spellings(await loadTables())
const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const [dora, eve, finn, gus] = (await join('dora', 'eve', 'finn', 'gus')) as [Person, Person, Person, Person]

type Made = { id: string }
const made = async (person: Person, path: string, body: object) => (await person.post<Made>(path, body)).body.id
/** Creates a series with one post. @returns its id */
async function series(author: Person, part: string): Promise<string> {
  const id = await made(author, '/posts/series', { title: 'Parts' })
  expect((await author.post(`/posts/series/${id}/items`, { postId: part })).status).toBe(201)
  return id
}

// bob sees nothing of this: he was in alice's circle and is no longer in it
const circle = await made(alice, '/circles', { name: 'Friends' })
for (const memberId of ['bob', 'carla']) await alice.post(`/circles/me/${circle}/members`, { memberId })
const close = await publish(alice, { visibility: 'circles' })
const [hidden, deleted, spaced] = [await publish(alice), await publish(alice), await publish(alice)]
const posts: Record<string, string> = {
  'for a circle that the caller has left': close,
  'for inner circles': await publish(alice, { visibility: 'inner' }),
  'that staff have hidden': hidden,
  'that is deleted': deleted,
  'that is scheduled': await publish(alice, { publishAt: new Date(Date.now() + 3_600_000).toISOString() }),
  'of a space without the caller': spaced,
  'of somebody who has blocked the caller': await publish(dora),
  'of somebody whom the caller has blocked': await publish(eve),
  'of a banned person': await publish(finn),
  'of an erased person': await publish(gus),
  'that is a repost of a hidden post': await made(carla, `/posts/${close}/repost`, {}),
}
const open = await publish(carla)
const [veiled, gone] = [await reply(alice, open), await reply(alice, open)]
const replies: Record<string, string> = {
  'that staff have hidden': veiled,
  'that is deleted': gone,
  'to a hidden post': await reply(carla, close),
  'of somebody who has blocked the caller': await reply(dora, open),
  'of somebody whom the caller has blocked': await reply(eve, open),
  'of a banned person': await reply(finn, open),
  'of an erased person': await reply(gus, open),
}
const all = {
  posts,
  replies,
  series: {
    'of hidden posts': await series(alice, close),
    'without posts': await made(alice, '/posts/series', { title: 'None' }),
    'of somebody who has blocked the caller': await series(dora, posts['of somebody who has blocked the caller'] ?? ''),
    'of a banned person': await series(finn, posts['of a banned person'] ?? ''),
  },
} satisfies Record<Kind, Record<string, string>>
const seen = { posts: open, replies: await reply(carla, open), series: await series(carla, open) }
const means: Means = { post: open, series: await made(bob, '/posts/series', { title: 'Mine' }), nothing: UNKNOWN }

await alice.delete(`/circles/me/${circle}/members/bob`)
await admin.post(`/admin/posts/${hidden}/hide`, {})
await admin.post(`/admin/replies/${veiled}/hide`, {})
await alice.delete(`/posts/${deleted}`)
await owner`update app.replies set deleted_at = now() where id = ${gone}`
await owner`with s as (insert into app.spaces (kind, slug, name) values ('group', 'the-space', 'x') returning id)
            update app.posts set space_id = s.id from s where app.posts.id = ${spaced}`
await dora.post('/users/bob/block')
await bob.post('/users/eve/block')
await owner`update app.users set banned_at = now() where id = ${finn.id}`
await owner`select private.erase_person(${gus.id})`

const ask = ({ method, path, body }: Request) => bob.request(method, path, body)
const codes = { posts: 'post_unknown', replies: 'reply_unknown', series: 'series_unknown' }

describe.each(['posts', 'replies', 'series'] as const)('Of %s', (kind) => {
  test.each(Object.entries(all[kind]))('one %s gives the same answer as an unknown id', async (_which, id) => {
    const asked = requests(routes, kind, id, means)
    for (const [place, unknown] of requests(routes, kind, UNKNOWN, means).entries()) {
      const request = asked[place] ?? unknown
      const [answer, other] = [await ask(request), await ask(unknown)]
      expect(answer, `${request.method} ${request.path}`).toFailWith(404, codes[kind])
      expect([answer.text, answer.status, answer.headers.get('content-length')]).toEqual([
        other.text,
        other.status,
        other.headers.get('content-length'),
      ])
    }
  })

  test('a visible one gives another answer to the same requests', async () => {
    for (const request of requests(routes, kind, seen[kind], means)) {
      const { status, headers } = await ask(request)
      expect([headers.get('x-error-code'), status], `${request.method} ${request.path}`).not.toContain(codes[kind])
      expect(status, `${request.method} ${request.path}`).not.toBe(422)
    }
  })

  test('every operation that takes an id has a route', () => {
    const routed = new Set(routes.map(({ row }) => row.operation))
    expect(asking(kind).filter((operation) => !routed.has(operation))).toEqual([])
  })
})
