// AI sessions over HTTP without a model: questions, states, aliases, limits, and suggested interests. For the rules in
// every state see test/db/ai.
import { describe, expect, test } from 'vitest'
import { UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()

type Turn = { position: number; question: string; backend: string; fallback: boolean; answer: string | null }
type Session = { id: string; status: string; question: { position: number; text: string } | null; turns: Turn[] }
type Suggestions = { suggestions: { id: string; slug: string; name: string; confidence: number }[] }

const start = async (person: Person, topic: string) => (await person.post<Session>('/ai/sessions', { topic })).body
const words = ['My father taught me.', 'It was hard at first.', 'I read a book.', 'With friends.', 'Ethics, and music.']

test('A session asks five questions, each based on the answers, and can then be completed', async () => {
  const begun = await alice.post<Session>('/ai/sessions', { topic: 'Philosophy' })
  expect(begun).toMatchObject({ status: 201, body: { topic: 'Philosophy', status: 'in_progress', completedAt: null } })
  const { id, question } = begun.body
  expect(question).toEqual({ position: 1, text: expect.stringContaining('Philosophy') })

  for (const [i, answer] of words.entries()) {
    const next = await alice.post<Session>(`/ai/sessions/${id}/answer`, { answer, position: i + 1 })
    expect(next.status).toBe(200)
    expect(next.headers.get('content-type')).toBe('application/json')
    expect(next.body.turns[i]).toMatchObject({ position: i + 1, answer, backend: 'scripted', fallback: false })
    expect(next.body.question?.position).toBe(i < 4 ? i + 2 : undefined)
    const completed = await alice.post(`/ai/sessions/${id}/complete`)
    if (i < 4) expect(completed).toFailWith(409, 'ai_session_unanswered')
    else expect(completed).toMatchObject({ status: 200, body: { id, status: 'completed', question: null } })
  }
  const { items } = (await alice.get<{ items: Session[] }>('/ai/sessions?limit=10')).body
  expect(new Set(items[0]?.turns.map((turn) => turn.question)).size).toBe(5)
  expect(await alice.post(`/ai/sessions/${id}/complete`)).toMatchObject({ status: 200 })
  expect(await alice.post(`/ai/sessions/${id}/answer`, { answer: 'More.' })).toFailWith(409, 'ai_session_over')
})

test('Of concurrent answers to one question exactly one is accepted', async () => {
  const { id } = await start(bob, 'Haste')
  const answers = await Promise.all(
    words.map((answer) => bob.post<Session>(`/ai/sessions/${id}/answer`, { answer, position: 1 })),
  )
  const [taken, ...others] = answers.toSorted((one, other) => one.status - other.status)
  expect(taken).toMatchObject({ status: 200, body: { question: { position: 2 } } })
  for (const other of others) expect(other).toFailWith(409, 'ai_question_answered')
  expect((await bob.get<{ items: Session[] }>('/ai/sessions')).body.items[0]?.turns.length).toBe(2)
})

test('The alias paths suffice to run a session and to choose interests that it suggests', async () => {
  const begun = await carla.post<Session>('/ai/reflect/start', { topic: 'Ethics' })
  expect(begun.status).toBe(201)
  const { id: sessionId } = begun.body
  const answered = await carla.post<Session>(`/ai/reflect/${sessionId}/answer`, { answer: 'Music, mathematics.' })
  expect(answered).toMatchObject({ status: 200, body: { question: { position: 2 } } })

  const mapped = await carla.post<Suggestions>('/ai/map-interests', { sessionId })
  expect(mapped.status).toBe(200)
  const surest = mapped.body.suggestions.slice(0, 3)
  expect(surest.map(({ slug, confidence }) => [slug, confidence])).toEqual([
    ['ethics', 0.75],
    ['mathematics', 0.5],
    ['music', 0.5],
  ])
  expect(await carla.post(`/ai/sessions/${sessionId}/map-interests`)).toMatchObject({ status: 200, body: mapped.body })
  const [ethics, ...others] = surest.map(({ id }) => id)

  await carla.post('/me/interests', { interestId: ethics, depth: 4, expertise: 3 })
  const applied = await carla.post<object>('/ai/apply-suggestions', { sessionId, ids: [ethics, ...others] })
  expect(applied.body).toMatchObject({ items: [{ slug: 'ethics', depth: 4 }, { depth: 1, expertise: 1 }, {}] })
  const again = await carla.post(`/ai/sessions/${sessionId}/apply-suggestions`, { ids: others })
  expect(again).toMatchObject({ status: 200, body: applied.body })
  expect(
    await database.owner`
      select jsonb_array_length(payload -> 'interestIds') as many from app.domain_events
      where name = 'interests.user_selected' and payload ->> 'userId' = ${carla.id}`,
  ).toEqual([{ many: others.length }])
})

test('Another person’s session gives 404, and invalid input gives its own error', async () => {
  const { id } = await start(alice, 'Mine')
  const routes: [string, unknown?][] = [
    [`/ai/sessions/${id}/answer`, { answer: 'Yours.' }],
    [`/ai/sessions/${id}/complete`],
    [`/ai/sessions/${id}/map-interests`],
    ['/ai/map-interests', { sessionId: id }],
    [`/ai/sessions/${id}/apply-suggestions`, { ids: [UNKNOWN] }],
  ]
  for (const [path, body] of routes) {
    expect(await bob.post(path, body)).toFailWith(404, 'ai_session_unknown')
    expect(await nobody.post(path, body)).toFailWith(401, 'token_missing')
  }
  expect(await nobody.get('/ai/sessions')).toFailWith(401, 'token_missing')
  expect((await bob.get<{ items: Session[] }>('/ai/sessions')).body.items.map((one) => one.id)).not.toContain(id)
  expect(await alice.post(`/ai/sessions/${id}/apply-suggestions`, { ids: [UNKNOWN] })).toFailWith(
    404,
    'interest_unknown',
  )

  const wrong: [string, unknown, string][] = [
    ['/ai/sessions', {}, 'validation_failed'],
    ['/ai/sessions', { topic: 'x'.repeat(61) }, 'ai_topic'],
    ['/ai/sessions', { topic: ' ' }, 'ai_topic'],
    [`/ai/sessions/${id}/answer`, {}, 'validation_failed'],
    [`/ai/sessions/${id}/answer`, { answer: 'x'.repeat(2001) }, 'ai_answer'],
    [`/ai/sessions/${id}/answer`, { answer: '\u202e' }, 'text_unfit'],
    [`/ai/sessions/${id}/answer`, { answer: 'x', position: 6 }, 'validation_failed'],
    ['/ai/sessions/mine/complete', undefined, 'validation_failed'],
    ['/ai/map-interests', {}, 'validation_failed'],
    [`/ai/sessions/${id}/apply-suggestions`, { ids: [] }, 'validation_failed'],
    ['/ai/apply-suggestions', { ids: [UNKNOWN] }, 'validation_failed'],
  ]
  for (const [path, body, code] of wrong) expect(await alice.post(path, body), path).toFailWith(422, code)
  expect(await alice.get('/ai/sessions?limit=51')).toFailWith(422, 'validation_failed')
  expect(await alice.get(`/ai/sessions?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
  expect((await walk(alice, '/ai/sessions', 1)).length).toBe(2)
})

test('The export contains a person’s AI sessions, and an erasure deletes them', async () => {
  const { id } = await start(bob, 'Leaving')
  await bob.post(`/ai/sessions/${id}/answer`, { answer: 'Words to take along.' })
  const { text } = await bob.get('/me/export')
  expect(text).toContain('Words to take along.')
  expect(await bob.post('/me/delete', { password: bob.password })).toMatchObject({ status: 200 })
  expect(await database.owner`select from app.ai_sessions where user_id = ${bob.id}`).toEqual([])
})

describe('POST /ai/enhance-post', () => {
  const code = '```\nlet  a = 1 ,\n\n\n\nlet b\n```'
  test.each([
    ['  The bees  hum , I\u00a0know .  ', 'The bees hum, I\u00a0know.', 2],
    ['one\r\n\r\n\r\n\r\ntwo   \n    indented', 'One\n\ntwo\n    indented', 4],
    ['Of the the bees.', 'Of the bees.', 1],
    ['https://kith.example is  it', 'https://kith.example is it', 1],
    ['iPhone @ada 3 , 4', 'iPhone @ada 3, 4', 1],
    [`Code:\n${code}`, `Code:\n${code}`, 0],
    [' \n\t\n', null, 0],
    [`${' '.repeat(50_000)}a${' '.repeat(49_000)}b`, 'A b', 3],
  ])('makes small corrections to %j', async (body, repaired, changes) => {
    const answer = await carla.post<{ body: string; changes: string[] }>('/ai/enhance-post', { body })
    if (repaired === null) return expect(answer).toFailWith(422, 'validation_failed')
    expect(answer).toMatchObject({ status: 200, body: { body: repaired, backend: 'scripted', fallback: false } })
    expect(answer.body.changes.length).toBe(changes)
  })

  test('corrects a title too, requires a token, and rejects texts that are too long or empty', async () => {
    expect((await carla.post('/ai/enhance-post', { title: ' on\nbees ', body: 'Hum.' })).body).toMatchObject({
      title: 'On bees',
      body: 'Hum.',
      changes: ['Put the title on one line.', 'Capitalized the first letter.'],
    })
    for (const wrong of [
      {},
      { body: 'x'.repeat(100_001) },
      { title: '', body: 'x' },
      { title: 'x'.repeat(301), body: 'x' },
    ])
      expect(await carla.post('/ai/enhance-post', wrong)).toFailWith(422, 'validation_failed')
    expect(await nobody.post('/ai/enhance-post', { body: 'x' })).toFailWith(401, 'token_missing')
  })
})

test('Starting and answering share one limit across all paths, and improving posts has another limit', async () => {
  const limits = { global: '1000/h', reflect: '2/h', enhance_post: '1/h' }
  const { dora } = await world({
    people: ['dora'],
    env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) },
  })
  const { id } = await start(dora, 'Limits')
  expect((await dora.post(`/ai/reflect/${id}/answer`, { answer: 'One.' })).status).toBe(200)
  expect(await dora.post(`/ai/sessions/${id}/answer`, { answer: 'Two.' })).toFailWith(429, 'rate_limited')
  expect(await dora.post('/ai/reflect/start', { topic: 'More' })).toFailWith(429, 'rate_limited')
  expect((await dora.post('/ai/enhance-post', { body: 'x' })).status).toBe(200)
  expect(await dora.post('/ai/enhance-post', { body: 'x' })).toFailWith(429, 'rate_limited')
})
