// Problems over HTTP. For the single rules see test/db/problems, for visibility test/model/contents.test.ts.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database } = await world()
const { owner } = database
type Id = { id: string }
type Problem = Id & { bounty: number; status: string; acceptedSolutionId: string | null }
const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 1 limit 1`

const pose = async (who: typeof alice, more: object = {}) =>
  (await who.post<Id>('/problems', { title: 'Gears', body: 'They grind.', ...more })).body.id
const words = (length: number) => 'x'.repeat(length)
const solve = async (who: typeof alice, problem: string) =>
  (await who.post<Id>(`/problems/${problem}/solutions`, { body: words(60) })).body.id
const balance = async (who: typeof alice) => (await who.get<{ balance: number }>('/economy/wallet')).body.balance
const wrongInTheBooks = () => owner`select * from private.audit_mana()`

const named: [string, string, string, object?][] = [
  ['GET', '/problems/:id', 'problem_unknown'],
  ['PATCH', '/problems/:id', 'problem_unknown', {}],
  ['DELETE', '/problems/:id', 'problem_unknown'],
  ['POST', '/problems/:id/bounty', 'problem_unknown', { amount: 1 }],
  ['POST', '/problems/:id/close', 'problem_unknown'],
  ['GET', '/problems/:id/solutions', 'problem_unknown'],
  ['POST', '/problems/:id/solutions', 'problem_unknown', { body: words(60) }],
  ['PATCH', '/problems/solutions/:id', 'solution_unknown', { body: words(60) }],
  ['DELETE', '/problems/solutions/:id', 'solution_unknown'],
  ['PUT', '/problems/solutions/:id/vote', 'solution_unknown', { value: 1 }],
  ['DELETE', '/problems/solutions/:id/vote', 'solution_unknown'],
  ['POST', `/problems/:id/solutions/${UNKNOWN}/accept`, 'problem_unknown'],
]

describe.each(named)('%s %s', (method, path, code, body) => {
  test('requires a token, a UUID and an existing subject', async () => {
    const at = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, at(UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, at('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, at(UNKNOWN), body)).toFailWith(404, code)
  })
})

test('A problem is posed, found, changed and deleted, and its bounty is held and refunded', async () => {
  expect(await nobody.get('/problems')).toFailWith(401, 'token_missing')
  expect(await nobody.post('/problems', {})).toFailWith(401, 'token_missing')
  const before = await balance(alice)
  const sent = { title: ' Old lamp ', body: 'It **flickers**.', depth: 2, bounty: 3, interestId: interest?.id }
  const key = { 'Idempotency-Key': 'lamp' }
  const made = await alice.post<Problem>('/problems', sent, key)
  expect(made).toMatchObject({
    status: 201,
    body: { kind: 'problem', title: 'Old lamp', body: sent.body, depth: 2, bounty: 3, status: 'open' },
  })
  expect((await alice.post('/problems', sent, key)).text).toBe(made.text)
  expect(await balance(alice)).toBe(before - 3)
  expect((await bob.get(`/problems/${made.body.id}`)).text).toBe(made.text)
  for (const query of ['q=lamp', 'authorId=alice', `interestId=${interest?.id}`, 'minDepth=2', 'hasBounty=true'])
    expect((await bob.get<Page<Id>>(`/problems?${query}`)).body.items).toMatchObject([{ id: made.body.id }])
  for (const query of ['status=solved', 'minDepth=3', 'hasBounty=false'])
    expect((await bob.get<Page<Id>>(`/problems?${query}`)).body.items).toEqual([])
  for (const query of ['status=x', 'minDepth=6', 'hasBounty=maybe'])
    expect(await bob.get(`/problems?${query}`)).toFailWith(422, 'validation_failed')
  const second = await pose(bob)
  expect(await walk(carla, '/problems', 1)).toEqual([second, made.body.id])

  const wrong = [{}, { ...sent, depth: 6 }, { ...sent, bounty: -1 }, { ...sent, bounty: 1.5 }, { ...sent, title: 7 }]
  for (const body of wrong) expect(await alice.post('/problems', body)).toFailWith(422, 'validation_failed')
  expect(await alice.post('/problems', { ...sent, title: ' ' })).toFailWith(422, 'content_title')
  expect(await alice.post('/problems', { ...sent, bounty: 999_999 })).toFailWith(409, 'insufficient_mana')

  const path = `/problems/${made.body.id}`
  expect(await alice.patch(path, { title: 'Lamp', interestId: null })).toMatchObject({
    status: 200,
    body: { title: 'Lamp', interestId: null, depth: 2, editedAt: expect.any(String) },
  })
  for (const [method, at] of [
    ['PATCH', path],
    ['DELETE', path],
    ['POST', `${path}/close`],
    ['POST', `${path}/solutions/${UNKNOWN}/accept`],
  ] as const)
    expect(await bob.request(method, at, {})).toFailWith(403, 'content_not_yours')
  expect(await bob.post(`${path}/bounty`, { amount: 1 })).toFailWith(403, 'content_not_yours')
  expect(await alice.post(`${path}/bounty`, { amount: 0 })).toFailWith(422, 'validation_failed')
  expect(await alice.post(`${path}/bounty`, { amount: 2 })).toMatchObject({ status: 200, body: { bounty: 5 } })
  expect(await balance(alice)).toBe(before - 5)
  expect(await alice.delete(path)).toMatchObject({ status: 204, text: '' })
  expect(await alice.delete(path)).toFailWith(404, 'problem_unknown')
  expect(await balance(alice)).toBe(before)
  expect(await wrongInTheBooks()).toEqual([])
})

test('Solutions are offered, changed and voted for, and an accepted solution gets the bounty', async () => {
  const problem = await pose(alice, { bounty: 4, interestId: interest?.id })
  const path = `/problems/${problem}/solutions`
  const [first, second] = [await solve(bob, problem), await solve(carla, problem)]
  for (const body of [{}, { body: 7 }]) expect(await bob.post(path, body)).toFailWith(422, 'validation_failed')
  expect(await bob.post(path, { body: words(49) })).toFailWith(422, 'solution_body')
  expect(await bob.patch(`/problems/solutions/${first}`, { body: words(80) })).toMatchObject({
    status: 200,
    body: { body: words(80), editedAt: expect.any(String) },
  })
  expect(await carla.patch(`/problems/solutions/${first}`, { body: words(80) })).toFailWith(403, 'solution_not_yours')
  expect(await carla.delete(`/problems/solutions/${first}`)).toFailWith(403, 'solution_not_yours')
  const vote = `/problems/solutions/${first}/vote`
  expect(await bob.put(vote, { value: 1 })).toFailWith(400, 'solution_own')
  expect(await carla.put(vote, { value: 0 })).toFailWith(422, 'validation_failed')
  expect(await carla.put(vote, { value: -1 })).toMatchObject({ status: 200, body: { score: -1, viewer: { vote: -1 } } })
  expect(await walk(alice, path, 1)).toEqual([second, first])
  for (let n = 0; n < 2; n++) expect(await carla.delete(vote)).toMatchObject({ status: 204, text: '' })
  expect(await carla.put(vote, { value: 1 })).toMatchObject({ status: 200, body: { score: 1 } })
  expect(await walk(alice, path, 1)).toEqual([first, second])
  expect(await alice.get(`${path}?cursor=${first}`)).toFailWith(400, 'cursor_unknown')
  expect(await alice.delete(`/problems/${problem}`)).toFailWith(409, 'problem_answered')
  for (const [targetType, targetId] of [
    ['problem', problem],
    ['solution', second],
  ])
    expect(await bob.post('/reports', { targetType, targetId, reason: 'x' })).toMatchObject({ status: 201 })

  await admin.post(`/admin/content/solutions/${second}/remove`)
  expect(await alice.post(`${path}/${second}/accept`)).toFailWith(404, 'solution_unknown')
  const [mine, theirs] = [await balance(alice), await balance(bob)]
  const accepted = await alice.post<Problem>(`${path}/${first}/accept`)
  expect(accepted).toMatchObject({ status: 200, body: { status: 'solved', bounty: 4, acceptedSolutionId: first } })
  expect([await balance(alice), await balance(bob)]).toEqual([mine, theirs + 4])
  expect(await walk(bob, path, 1)).toEqual([first])
  expect(await alice.post(`${path}/${first}/accept`)).toFailWith(409, 'problem_solved')
  expect(await carla.post(path, { body: words(60) })).toFailWith(409, 'problem_solved')
  expect(await bob.delete(`/problems/solutions/${first}`)).toFailWith(409, 'solution_accepted')
  expect(await carla.delete(`/problems/solutions/${second}`)).toMatchObject({ status: 204, text: '' })
  await applyEffects(owner)
  const earned =
    await owner`select u.username, e.kind, e.delta::float8 as delta from app.reputation_entries e join app.users u on u.id = e.user_id
    where e.source_id in (${first}, ${second}) and e.roll_up_level = 0`
  expect(earned).toEqual([{ username: 'bob', kind: 'reply.contribution', delta: 5 }])
  expect(await wrongInTheBooks()).toEqual([])
})

test('The bounty is paid or refunded exactly once when accepting and closing run concurrently', async () => {
  for (let n = 0; n < 3; n++) {
    const [mine, theirs] = [await balance(alice), await balance(bob)]
    const problem = await pose(alice, { bounty: 2 })
    const solution = await solve(bob, problem)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        alice.post<Problem>(`/problems/${problem}/${at % 2 ? 'close' : `solutions/${solution}/accept`}`),
      ),
    )
    const [done] = answers.filter(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const paid = done?.body.status === 'solved' ? 2 : 0
    expect([await balance(alice), await balance(bob)]).toEqual([mine - paid, theirs + paid])
  }
  expect(await wrongInTheBooks()).toEqual([])
})

test('Closing with an Idempotency-Key gives the bounty back once, and can be repeated', async () => {
  const before = await balance(alice)
  const { body } = await alice.post<Problem>('/problems', { title: 'Lamp', body: 'x', depth: 0, bounty: 3 })
  const key = { 'Idempotency-Key': 'close' }
  const closed = await alice.post(`/problems/${body.id}/close`, {}, key)
  expect(closed).toMatchObject({ status: 200, body: { status: 'closed', bounty: 0 } })
  const again = await alice.post(`/problems/${body.id}/close`, {}, key)
  expect([again.status, again.headers.get('idempotency-replayed'), again.text]).toEqual([200, 'true', closed.text])
  expect(await balance(alice)).toBe(before)
})

test('A problem in a group can be closed by an author who left, and an archived group accepts no mana', async () => {
  const group = (await bob.post<Id>('/groups', { name: 'Tinkers' })).body.id
  await alice.post(`/groups/${group}/join`)
  const before = await balance(alice)
  const [left, kept] = [
    await pose(alice, { groupId: group, bounty: 1 }),
    await pose(alice, { groupId: group, bounty: 1 }),
  ]
  expect(await carla.get(`/problems/${left}`)).toFailWith(404, 'problem_unknown')
  const solution = await solve(bob, kept)
  await alice.post(`/groups/${group}/leave`)
  expect(await alice.post(`/problems/${left}/bounty`, { amount: 1 })).toFailWith(404, 'problem_unknown')
  expect(await alice.post(`/problems/${left}/close`)).toFailWith(404, 'problem_unknown')
  expect(await balance(alice)).toBe(before - 1)
  await alice.post(`/groups/${group}/join`)
  expect(await alice.get(`/problems/${left}`)).toMatchObject({ body: { status: 'closed', bounty: 0 } })
  await bob.delete(`/groups/${group}`)
  expect(await alice.post(`/problems/${kept}/bounty`, { amount: 1 })).toFailWith(409, 'space_archived')
  expect(await alice.post(`/problems/${kept}/solutions/${solution}/accept`)).toMatchObject({ status: 200 })
})
