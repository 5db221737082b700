// Discovery over HTTP. For who finds whom see test/model/discovery.test.ts, for the single rules test/db/discovery.
import { expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()

type Met = { id: string; username: string; sharedInterests: number }
const [catalog] = await database.owner<[{ ids: string[] }]>`
  select array(select id from app.interests where level = 1 order by slug) as ids`
const [first = '', second = ''] = catalog.ids
const choose = (who: typeof alice, interestId: string, expertise = 1) =>
  who.post('/me/interests', { interestId, depth: 3, expertise })

test.each([
  ['PUT', '/discovery/intent'],
  ['GET', '/discovery/intent'],
  ['GET', '/discovery/candidates'],
  ['GET', '/discovery/mentors'],
  ['GET', '/discovery/people'],
  ['GET', '/discovery/suggested'],
  ['GET', '/discovery/talent'],
  ['GET', '/discovery/stream'],
  ['GET', '/discovery/search?q=x'],
])('%s %s requires a token', async (method, path) => {
  expect(await nobody.request(method, path)).toFailWith(401, 'token_missing')
})

test('An intent can be set and replaced', async () => {
  expect(await alice.get('/discovery/intent')).toFailWith(404, 'intent_unknown')
  expect(await alice.get('/discovery/candidates')).toFailWith(422, 'intent_missing')
  for (const body of [{}, { intent: 'money' }, { intent: 'friends', isActive: 'no' }])
    expect(await alice.put('/discovery/intent', body)).toFailWith(422, 'validation_failed')
  expect(await alice.put('/discovery/intent', { intent: 'friends', note: 'x'.repeat(281) })).toFailWith(
    422,
    'intent_note',
  )
  expect(await alice.put('/discovery/intent', { intent: 'friends', note: ' Hikes ' })).toMatchObject({
    status: 200,
    body: { userId: 'acct:alice@localhost', intent: 'friends', note: 'Hikes', isActive: true },
  })
  const again = await alice.put('/discovery/intent', { intent: 'mentee' })
  expect(again).toMatchObject({ status: 200, body: { intent: 'mentee', note: null, isActive: true } })
  expect((await alice.get('/discovery/intent')).text).toBe(again.text)
})

test('Candidates are people whose intent matches the caller’s', async () => {
  await Promise.all([choose(alice, first), choose(alice, second, 4), choose(bob, first, 4), choose(carla, first)])
  await choose(carla, second)
  await bob.put('/discovery/intent', { intent: 'mentor', note: 'I know a bit' })
  await carla.put('/discovery/intent', { intent: 'mentor' })
  const candidates = async (query = '') =>
    (await alice.get<Page<Met>>(`/discovery/candidates${query}`)).body.items.map(({ username }) => username)
  expect((await alice.get<Page<Met>>('/discovery/candidates')).body.items).toMatchObject([
    { id: carla.actorId, intent: 'mentor', note: null, sharedInterests: 2, isFollowing: false },
    { id: bob.actorId, intent: 'mentor', note: 'I know a bit', sharedInterests: 1 },
  ])
  expect(await candidates('?intent=friends')).toEqual([])
  expect(await candidates('?minShared=2')).toEqual(['carla'])
  expect(await candidates('?limit=1')).toEqual(['carla'])
  expect(await candidates(`?cursor=${carla.actorId}`)).toEqual(['bob'])
  await carla.put('/discovery/intent', { intent: 'mentor', isActive: false })
  expect(await candidates()).toEqual(['bob'])
  expect(await candidates(`?cursor=${carla.actorId}`)).toEqual(['bob'])
  for (const query of ['limit=51', 'limit=0', 'minShared=x', 'intent=money', 'country=Portugal'])
    expect(await alice.get(`/discovery/candidates?${query}`)).toFailWith(422, 'validation_failed')
  expect(await alice.get('/discovery/candidates?cursor=nobody')).toFailWith(400, 'cursor_unknown')
  expect(await alice.get('/discovery/candidates?interestSlug=nothing')).toFailWith(404, 'interest_unknown')
})

const names = async (path: string) => (await alice.get<Page<Met>>(path)).body.items.map(({ username }) => username)

test('Mentors have more expertise than the caller, by at least a gap that is clamped to its range', async () => {
  const { body } = await alice.get<Page<Met>>('/discovery/mentors')
  expect(body.items).toMatchObject([
    { id: bob.actorId, note: 'I know a bit', expertiseGap: 3, sharedInterests: 1, interest: { id: first } },
  ])
  expect(await names('/discovery/mentors?minExpertiseGap=3')).toEqual(['bob'])
  for (const gap of ['4', '99']) expect(await names(`/discovery/mentors?minExpertiseGap=${gap}`)).toEqual([])
  expect(await names('/discovery/mentors?minExpertiseGap=-7')).toEqual(['bob'])
  expect(await alice.get('/discovery/mentors?minExpertiseGap=x')).toFailWith(422, 'validation_failed')
  expect(await alice.get('/discovery/mentors?interestSlug=nothing')).toFailWith(404, 'interest_unknown')
  expect(await alice.get('/discovery/mentors?cursor=nobody')).toFailWith(400, 'cursor_unknown')
})

test('People are found by a misspelt name, with a flag for those the caller follows', async () => {
  await alice.post(`/users/${bob.actorId}/follow`)
  const { body } = await alice.get<Page<Met>>('/discovery/people?q=Bbo')
  expect(await names('/discovery/people?q=carlla')).toEqual(['carla'])
  expect(body.items.every(({ username }) => username !== 'carla')).toBe(true)
  expect((await alice.get<Page<Met>>('/discovery/people?q=bob')).body.items).toMatchObject([
    { id: bob.actorId, actorId: bob.actorId, isFollowing: true, sharedInterests: 1, firstName: expect.any(String) },
  ])
  expect(await names('/discovery/people?q=%25')).toEqual([])
  expect((await walk(alice, '/discovery/people', 1)).toSorted()).toEqual(
    (await walk(alice, '/discovery/people', 50)).toSorted(),
  )
  for (const query of ['q=', 'limit=0']) {
    expect(await alice.get(`/discovery/people?${query}`)).toFailWith(422, 'validation_failed')
  }
  expect(await alice.get('/discovery/people?cursor=x')).toFailWith(400, 'cursor_unknown')
})

test('Suggested people write about what the caller likes, and are neither muted nor followed', async () => {
  const empty = { status: 200, body: { items: [], nextCursor: null, hasMore: false } }
  expect(await alice.get('/discovery/suggested')).toMatchObject(empty)
  const near = await publish(carla, { body: 'About gardens and what grows there' })
  const far = await publish(bob, { body: 'About bolts and what they hold' })
  const { owner } = database
  await owner`select private.use_embedding_model('m')`
  await owner`
    insert into private.post_embeddings (post_id, model, digest, vector, signature)
    values (${near}, 'm', 'x', '{1,1,1,1}', '1111'), (${far}, 'm', 'x', '{-1,-1,-1,-1}', '0000')`
  await owner`
    insert into private.centroids (person_id, model, vector, signature) values (${alice.id}, 'm', '{1,1,1,-1}', '1110')`
  expect((await alice.get<Page<Met>>('/discovery/suggested')).body).toMatchObject({
    items: [{ id: carla.actorId, isFollowing: false, sharedInterests: 2 }],
    hasMore: false,
  })
  await alice.post(`/users/${carla.actorId}/mute`)
  expect(await alice.get('/discovery/suggested')).toMatchObject(empty)
  await alice.delete(`/users/${carla.actorId}/mute`)
  await alice.post(`/users/${carla.actorId}/follow`)
  expect(await alice.get('/discovery/suggested')).toMatchObject(empty)
  expect(await alice.get('/discovery/suggested?limit=51')).toFailWith(422, 'validation_failed')
})

test('Talent are people with reputation in the caller’s interests', async () => {
  await database.owner`
    insert into app.reputation (user_id, interest_id, value, direct_value)
    select id, ${first}, case username when 'bob' then 31 else 5.5 end, 5 from app.users where username in ('bob', 'carla')
    on conflict (user_id, interest_id) do update set value = excluded.value`
  expect((await alice.get<Page<Met>>('/discovery/talent')).body.items).toMatchObject([
    { id: bob.actorId, reputation: { interestId: first, value: 31, level: 'Practitioner' }, isFollowing: true },
    { id: carla.actorId, reputation: { value: 5.5 } },
  ])
  expect(await names(`/discovery/talent?cursor=${bob.actorId}`)).toEqual(['carla'])
  expect(await names('/discovery/talent?country=IS')).toEqual([])
  expect(await alice.get('/discovery/talent?country=Iceland')).toFailWith(422, 'validation_failed')
  expect(await alice.get('/discovery/talent?interestSlug=nothing')).toFailWith(404, 'interest_unknown')
  expect(await alice.get('/discovery/talent?cursor=x')).toFailWith(400, 'cursor_unknown')
})

test('The stream contains posts and contents of every kind in one order', async () => {
  const video = (await carla.post<{ id: string }>('/videos', { mediaUrl: 'https://example.org/a.mp4' })).body.id
  const essay = await publish(bob, { body: 'Long', format: 'essay', title: 'A title', interestId: first })
  await alice.post(`/videos/${video}/like`)
  const { body } = await alice.get<Page<Met>>('/discovery/stream?limit=2')
  expect(body.items).toMatchObject([
    {
      ...{ type: 'post', id: essay, actorId: bob.actorId, interestId: first, title: 'A title', subBadge: 'essay' },
      ...{ interest: { id: first, name: expect.any(String) }, spaceName: null, text: 'Long' },
    },
    {
      ...{ type: 'video', id: video, actorId: carla.actorId, title: null, mediaUrl: 'https://example.org/a.mp4' },
      ...{ interest: null, spaceName: null, text: null },
      engagement: { reactCount: 1, commentCount: 0, repostCount: 0, viewerHasReacted: true, viewerHasReposted: false },
    },
  ])
  expect(await walk(alice, '/discovery/stream', 1)).toEqual(await walk(alice, '/discovery/stream', 50))
  const found = async (query: string) =>
    (await alice.get<Page<Met>>(`/discovery/stream?${query}`)).body.items.map(({ id }) => id)
  expect(await found('type=video&trending=true')).toEqual([video])
  expect(await found(`interestId=${first}`)).toEqual([essay])
  expect(await found('country=IS')).toEqual([])
  for (const query of ['type=poem', 'limit=0', 'interestId=x', 'trending=maybe'])
    expect(await alice.get(`/discovery/stream?${query}`)).toFailWith(422, 'validation_failed')
  expect(await alice.get(`/discovery/stream?interestId=${UNKNOWN}`)).toFailWith(404, 'interest_unknown')
  for (const cursor of ['x', UNKNOWN])
    expect(await alice.get(`/discovery/stream?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
})

test('The search finds posts, people, groups and contents by words', async () => {
  const group = (await bob.post<{ id: string }>('/groups', { name: 'Reapers' })).body.id
  const video = (
    await carla.post<{ id: string }>('/videos', { mediaUrl: 'https://example.org/a.mp4', caption: 'A harvest' })
  ).body.id
  const post = await publish(carla, { body: 'Harvesting & storing: the first harvest', interestId: second })
  await applyEffects(database.owner)
  const found = async (who: typeof alice, query: string) =>
    (await who.get<Page<Met>>(`/discovery/search?q=${query}`)).body.items.map(({ id }) => id)
  expect((await alice.get('/discovery/search?q=harvest')).body).toMatchObject({
    items: [
      {
        ...{ type: 'post', id: post, title: null, actorId: carla.actorId, subBadge: 'note' },
        excerpt: '<mark>Harvesting</mark> &amp; storing: the first <mark>harvest</mark>',
      },
      {
        type: 'video',
        id: video,
        title: null,
        excerpt: 'A <mark>harvest</mark>',
        mediaUrl: 'https://example.org/a.mp4',
      },
    ],
    hasMore: false,
  })
  expect(await found(alice, 'reaper')).toEqual([group])
  expect(await found(alice, 'crala&type=person')).toEqual([carla.actorId])
  expect(await found(alice, `harvest&interestId=${second}`)).toEqual([post])
  expect(await found(alice, `harvest&limit=1&cursor=post:${post}`)).toEqual([video])
  expect(await found(alice, '%25')).toEqual([])
  for (const query of ['', 'q=', 'q=x&type=poem', 'q=x&limit=0'])
    expect(await alice.get(`/discovery/search?${query}`)).toFailWith(422, 'validation_failed')
  expect(await alice.get('/discovery/search?q=x&cursor=x')).toFailWith(400, 'cursor_unknown')
  await alice.post(`/users/${carla.actorId}/block`)
  for (const [who, whom] of [
    [alice, 'carla'],
    [carla, 'alice'],
  ] as const)
    expect(await found(who, `${whom}&type=person`)).toEqual([])
  expect(await found(alice, 'harvest')).toEqual([])
  expect(await alice.get(`/discovery/search?q=harvest&cursor=post:${post}`)).toFailWith(400, 'cursor_unknown')
  expect(await names('/discovery/people?q=carla')).toEqual([])
})
