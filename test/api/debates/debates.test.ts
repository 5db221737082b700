// Debates over HTTP. For the single rules see test/db/debates, for visibility test/model/contents.test.ts.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database } = await world()
const { owner } = database
type Id = { id: string }
type Debate = Id & { tally: Record<string, number>; argumentCount: number; status: string }
type Argument = Id & { body: string | null; votes: number; author: object | null; parentId: string | null }
const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 1 limit 1`

const closesAt = '2099-01-31T12:00:00.000Z'
const open = async (who: typeof alice, more: object = {}) =>
  (await who.post<Id>('/debates', { title: 'Trees', body: 'Plant more of them?', closesAt, ...more })).body.id
const words = (length: number) => 'x'.repeat(length)
const argue = async (who: typeof alice, debate: string, more: object = {}) =>
  (await who.post<Id>(`/debates/${debate}/arguments`, { side: 'for', body: words(60), ...more })).body.id

const named: [string, string, string, object?][] = [
  ['GET', '/debates/:id', 'debate_unknown'],
  ['PATCH', '/debates/:id', 'debate_unknown', {}],
  ['DELETE', '/debates/:id', 'debate_unknown'],
  ['POST', '/debates/:id/close', 'debate_unknown'],
  ['PUT', '/debates/:id/position', 'debate_unknown', { side: 'for' }],
  ['DELETE', '/debates/:id/position', 'debate_unknown'],
  ['GET', '/debates/:id/arguments', 'debate_unknown'],
  ['POST', '/debates/:id/arguments', 'debate_unknown', { side: 'for', body: words(60) }],
  ['DELETE', '/debates/arguments/:id', 'argument_unknown'],
  ['PUT', '/debates/arguments/:id/vote', 'argument_unknown'],
  ['DELETE', '/debates/arguments/:id/vote', 'argument_unknown'],
]

describe.each(named)('%s %s', (method, path, code, body) => {
  test('requires a token, a UUID and an existing subject', async () => {
    const at = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, at(UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, at('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, at(UNKNOWN), body)).toFailWith(404, code)
  })
})

test('A debate is opened, found, changed, closed and deleted', async () => {
  expect(await nobody.get('/debates')).toFailWith(401, 'token_missing')
  expect(await nobody.post('/debates', {})).toFailWith(401, 'token_missing')
  const sent = { title: ' Night buses ', body: 'They should ride **until** four.', closesAt, interestId: interest?.id }
  const made = await alice.post<Debate>('/debates', sent)
  expect(made).toMatchObject({
    status: 201,
    body: { kind: 'debate', title: 'Night buses', body: sent.body, closesAt, status: 'open', viewer: { side: null } },
  })
  expect((await bob.get(`/debates/${made.body.id}`)).text).toBe(made.text)
  for (const query of ['q=BUSES', 'authorId=alice', `interestId=${interest?.id}`])
    expect((await bob.get<Page<Id>>(`/debates?${query}`)).body.items).toMatchObject([{ id: made.body.id }])
  const second = await open(bob)
  expect(await walk(carla, '/debates', 1)).toEqual([second, made.body.id])

  const wrong = [{}, { ...sent, title: 7 }, { ...sent, closesAt: 'soon' }, { ...sent, interestId: 'x' }]
  for (const body of wrong) expect(await alice.post('/debates', body)).toFailWith(422, 'validation_failed')
  expect(await alice.post('/debates', { ...sent, title: ' ' })).toFailWith(422, 'content_title')
  expect(await alice.post('/debates', { ...sent, body: 'é'.repeat(20_001) })).toFailWith(422, 'content_body')
  const past = { ...sent, closesAt: '2020-01-01T00:00:00Z' }
  expect(await alice.post('/debates', past)).toFailWith(422, 'debate_closes_at')
  expect(await alice.post('/debates', { ...sent, interestId: UNKNOWN })).toFailWith(404, 'interest_unknown')

  const path = `/debates/${made.body.id}`
  const changes = { title: 'Day buses', interestId: null, closesAt: '2098-01-31T12:00:00.000Z' }
  expect(await alice.patch(path, changes)).toMatchObject({
    status: 200,
    body: { ...changes, body: sent.body, editedAt: expect.any(String) },
  })
  for (const [method, at] of [
    ['PATCH', path],
    ['DELETE', path],
    ['POST', `${path}/close`],
  ] as const)
    expect(await bob.request(method, at, {})).toFailWith(403, 'content_not_yours')
  expect(await alice.post(`${path}/close`)).toMatchObject({
    status: 200,
    body: { status: 'closed', closedAt: expect.any(String) },
  })
  expect(await alice.post(`${path}/close`)).toFailWith(422, 'debate_closed')
  expect(await alice.delete(path)).toMatchObject({ status: 204, text: '' })
  expect(await alice.delete(path)).toFailWith(404, 'debate_unknown')
})

test('A person has one position in a debate, and the tally is right after concurrent changes', async () => {
  const path = `/debates/${await open(alice)}`
  const sides = ['for', 'against', 'undecided', 'for'] as const
  await Promise.all([alice, bob, carla].flatMap((who) => sides.map((side) => who.put(`${path}/position`, { side }))))
  for (const who of [alice, bob, carla])
    expect((await who.put(`${path}/position`, { side: who === bob ? 'against' : 'for' })).status).toBe(200)
  const seen = await bob.get(path)
  expect(seen).toMatchObject({ body: { tally: { for: 2, against: 1, undecided: 0 }, viewer: { side: 'against' } } })
  expect(await bob.put(`${path}/position`, { side: 'both' })).toFailWith(422, 'validation_failed')
  for (let n = 0; n < 2; n++) expect(await bob.delete(`${path}/position`)).toMatchObject({ status: 204, text: '' })
  expect(await bob.get(path)).toMatchObject({ body: { tally: { for: 2, against: 0 }, viewer: { side: null } } })
})

test('Arguments are created, listed, voted for and deleted', async () => {
  const debate = await open(alice, { interestId: interest?.id })
  const path = `/debates/${debate}/arguments`
  const root = await argue(bob, debate)
  const answer = await argue(carla, debate, { side: 'against', body: words(400), parentId: root })
  for (const body of [{}, { side: 'undecided', body: words(60) }, { side: 'for', body: words(60), parentId: 'x' }])
    expect(await bob.post(path, body)).toFailWith(422, 'validation_failed')
  expect(await bob.post(path, { side: 'for', body: words(49) })).toFailWith(422, 'argument_body')
  expect(await bob.post(path, { side: 'for', body: words(60), parentId: UNKNOWN })).toFailWith(404, 'argument_unknown')
  const deeper = await argue(bob, debate, { parentId: answer })
  const deepest = await argue(bob, debate, { parentId: deeper })
  const tooDeep = { side: 'for', body: words(60), parentId: deepest }
  expect(await bob.post(path, tooDeep)).toFailWith(422, 'argument_depth')

  const vote = `/debates/arguments/${answer}/vote`
  expect(await carla.put(vote)).toFailWith(400, 'argument_own')
  const votes = await Promise.all([alice, bob, alice, bob].map((who) => who.put<Argument>(vote)))
  expect(votes.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await walk(alice, path, 1)).toEqual([answer, deepest, deeper, root])
  const newest = (await alice.get<Page<Id>>(`${path}?sort=new`)).body.items
  expect(newest.map(({ id }) => id)).toEqual([deepest, deeper, answer, root])
  for (const query of ['sort=old', 'side=x', 'parentId=x', 'limit=51'])
    expect(await alice.get(`${path}?${query}`)).toFailWith(422, 'validation_failed')
  expect(await alice.get(`${path}?cursor=${root}`)).toFailWith(400, 'cursor_unknown')
  expect(await alice.get(`${path}?side=against`)).toMatchObject({
    body: { items: [{ id: answer, votes: 2, viewer: { voted: true }, parentId: root, debateId: debate }] },
  })
  for (let n = 0; n < 2; n++) expect(await bob.delete(vote)).toMatchObject({ status: 204, text: '' })

  await applyEffects(owner)
  const earned =
    () => owner`select u.username, e.kind, e.delta::float8 as delta from app.reputation_entries e join app.users u on u.id = e.user_id
    where e.source_id in (${answer}, ${root}) and e.roll_up_level = 0 order by e.position`
  expect(await earned()).toEqual([
    { username: 'bob', kind: 'reply.criticism', delta: 2 },
    { username: 'carla', kind: 'reply.contribution', delta: 5 },
  ])

  expect(await bob.delete(`/debates/arguments/${answer}`)).toFailWith(403, 'argument_not_yours')
  expect(await carla.delete(`/debates/arguments/${answer}`)).toMatchObject({ status: 204, text: '' })
  expect(await carla.delete(`/debates/arguments/${answer}`)).toFailWith(404, 'argument_unknown')
  const { body } = await alice.get<Page<Argument>>(path)
  expect(body.items.find(({ id }) => id === answer)).toMatchObject({ body: null, author: null, authorId: null })
  await applyEffects(owner)
  expect((await earned()).at(-1)).toEqual({ username: 'carla', kind: 'reply.contribution', delta: -5 })
  expect(await alice.get(`/debates/${debate}`)).toMatchObject({ body: { argumentCount: 3 } })
  expect(await alice.delete(`/debates/${debate}`)).toFailWith(409, 'debate_answered')

  const report = { targetType: 'argument', targetId: root, reason: 'x' }
  expect(await carla.post('/reports', report)).toMatchObject({ status: 201 })
  expect(await carla.post('/reports', { ...report, targetType: 'debate', targetId: debate })).toMatchObject({
    status: 201,
  })
  await admin.post(`/admin/content/arguments/${root}/remove`)
  for (const [status, found] of Object.entries({ removed: [{ id: root }], visible: [] }))
    expect(
      (await admin.get<Page<Id>>(`/admin/content?kind=arguments&q=${root}&status=${status}`)).body.items,
    ).toMatchObject(found)
  expect((await alice.get<Page<Id>>(path)).body.items.map(({ id }) => id)).not.toContain(root)
  expect((await bob.get<Page<Id>>(path)).body.items.map(({ id }) => id)).toContain(root)
})

test('A debate in a group is visible only to its members, and accepts nothing once the group is archived', async () => {
  const group = (await alice.post<Id>('/groups', { name: 'Debaters' })).body.id
  await bob.post(`/groups/${group}/join`)
  const debate = await open(alice, { groupId: group })
  const argument = await argue(bob, debate)
  expect(await carla.get(`/debates/${debate}`)).toFailWith(404, 'debate_unknown')
  expect(await carla.put(`/debates/arguments/${argument}/vote`)).toFailWith(404, 'argument_unknown')
  expect((await bob.get<Page<Id>>(`/debates?groupId=${group}`)).body.items).toMatchObject([{ id: debate }])
  await alice.delete(`/groups/${group}`)
  const writes: [string, string, object?][] = [
    ['POST', `/debates/${debate}/arguments`, { side: 'for', body: words(60) }],
    ['PUT', `/debates/${debate}/position`, { side: 'for' }],
    ['PUT', `/debates/arguments/${argument}/vote`],
  ]
  for (const [method, path, body] of writes)
    expect(await alice.request(method, path, body)).toFailWith(409, 'space_archived')
  await bob.post(`/groups/${group}/leave`)
  expect(await bob.delete(`/debates/arguments/${argument}`)).toMatchObject({ status: 204 })
})

test('An answer to an argument that is deleted concurrently either keeps it as a placeholder or gets 404', async () => {
  const debate = await open(alice)
  for (let n = 0; n < 5; n++) {
    const root = await argue(bob, debate)
    const [deleted, answered] = await Promise.all([
      bob.delete(`/debates/arguments/${root}`),
      carla.post<Argument>(`/debates/${debate}/arguments`, { side: 'for', body: words(60), parentId: root }),
    ])
    expect(deleted.status).toBe(204)
    const { body } = await alice.get<Page<Argument>>(`/debates/${debate}/arguments?limit=50`)
    expect([answered.status, body.items.some(({ id }) => id === root)]).toEqual(
      answered.status === 201 ? [201, true] : [404, false],
    )
  }
})

test('Two concurrent bans of people with arguments and positions in opposite order cause no deadlock', async () => {
  const [one, other] = [await open(alice), await open(alice)].toSorted() as [string, string]
  await argue(bob, other)
  await bob.put(`/debates/${one}/position`, { side: 'for' })
  await argue(carla, one)
  await carla.put(`/debates/${other}/position`, { side: 'for' })
  const ban = (username: string) => owner`update app.users set banned_at = now() where username = ${username}`
  const waiting = (count: number) =>
    until(async () => {
      const [row] = await owner`select count(*)::int as n from pg_stat_activity
                                where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
      return row?.n === count
    })
  const bans = await owner.begin(async (sql) => {
    await sql`select from app.debates where id = ${one} for update`
    const second = ban('carla').then(() => 'done', String) // waits for carla's argument, before her position
    await waiting(1)
    const first = ban('bob').then(() => 'done', String)
    await waiting(2)
    return [first, second].map((ban) => () => ban)
  })
  expect(await Promise.all(bans.map((ban) => ban()))).toEqual(['done', 'done'])
  await owner`update app.users set banned_at = null where username in ('bob', 'carla')`
})
