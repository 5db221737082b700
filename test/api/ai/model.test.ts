// AI routes with a model configured. The real SDK calls a server that implements the protocol of the model. For how the
// function handles each kind of failure see test/edge/ai.test.ts.
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { startServer } from '../../../api-facade/server.ts'
import { functionsInDeno, listen } from '../../support/functions.ts'
import { fills, modelServer, refuses, says, saysNothing, saysSlowly } from '../../support/model.ts'
import { Person } from '../../support/person.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const model = await modelServer()
const env = { AI_MODEL: 'a-model', ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: model.url }
const { alice, bob, carla, nobody, database } = await world({ env })
const { owner } = database

type Turn = { question: string; backend: string; fallback: boolean; answer: string | null }
type Session = { id: string; question: { position: number; text: string } | null; turns: Turn[] }
type Suggestions = { backend: string; fallback: boolean; suggestions: { slug: string; confidence: number }[] }

const start = async (person: Person) => (await person.post<Session>('/ai/sessions', { topic: 'Bees' })).body.id
const pending = () => new Promise<never>(() => {})
const spentBy = async ({ id }: Person) => {
  const [row] = await owner<{ tokens: string }[]>`select tokens from private.ai_usage where user_id = ${id}`
  return Number(row?.tokens ?? 0)
}
const spend = ({ id }: Person, tokens: number) =>
  owner`insert into private.ai_usage values (${id}, (now() at time zone 'UTC')::date, ${tokens})
        on conflict (user_id, day) do update set tokens = excluded.tokens`

/** Sends an answer and reads the events as they come. */
async function answer(person: Person, session: string, said: string, signal?: AbortSignal) {
  const response = await fetch(`${person.base}/api/v1/ai/sessions/${session}/answer`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${person.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ answer: said }),
    signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-request-id')).toBeTruthy()
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    /** The next event, or undefined at the end. */
    async next() {
      while (!text.includes('\n\n')) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return undefined
        text += value
      }
      const [event = '', ...rest] = text.split('\n\n')
      text = rest.join('\n\n')
      const [, name, data = ''] = /^(?:event: (\w+)\n)?data: (.*)$/.exec(event) ?? []
      return { name, data: JSON.parse(data) }
    },
  }
}
/** All events of an answer. */
async function answers(person: Person, session: string, said: string) {
  const events = await answer(person, session, said)
  const all: { name: string | undefined; data: Session & { text: string; statusCode: number } }[] = []
  for (let one = await events.next(); one; one = await events.next()) all.push(one)
  return all
}

describe('A question by the model', () => {
  test('is streamed, and is stored when it is complete', async () => {
    const id = await start(alice)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    model.will(saysSlowly(['What do ', 'they\n', 'know?'], released))
    const { next } = await answer(alice, id, 'They hum.')
    expect(await next()).toEqual({ name: undefined, data: { text: 'What do ' } })

    // the answer is stored, and until the next question is complete no other answer is accepted
    const [shown] = (await alice.get<{ items: Session[] }>('/ai/sessions')).body.items
    expect([shown?.question, shown?.turns.map((turn) => turn.answer)]).toEqual([null, ['They hum.']])
    const crossing = await alice.post(`/ai/reflect/${id}/answer`, { answer: 'They sting.' })
    expect(crossing).toFailWith(409, 'ai_question_pending')
    expect(await spentBy(alice)).toBeGreaterThan(1000)

    release() // only now does the model send the rest
    expect(await next()).toMatchObject({ data: { text: 'they\n' } })
    expect(await next()).toMatchObject({ data: { text: 'know?' } })
    const question = { position: 2, text: 'What do they know?' }
    expect(await next()).toMatchObject({
      name: 'done',
      data: { id, question, turns: [{ answer: 'They hum.' }, { backend: 'llm', fallback: false }] },
    })
    expect(await next()).toBeUndefined()
    expect(await spentBy(alice)).toBe(120)
    expect(JSON.parse(model.asked[0]?.messages[0]?.content ?? '')).toEqual({
      topic: 'Bees',
      turns: [{ question: shown?.turns[0]?.question, answer: 'They hum.' }],
    })
  })

  test('is replaced by a scripted question if the model fails, and no question follows the fifth answer', async () => {
    const id = await start(bob)
    model.will(refuses(529))
    for (const said of ['One.', 'Two.', 'Three.', 'Four.']) {
      const [done, ...more] = await answers(bob, id, said)
      expect(more).toEqual([])
      expect(done).toMatchObject({ name: 'done', data: { question: { text: expect.any(String) } } })
      expect(done?.data.turns.at(-1)).toMatchObject({ backend: 'scripted', fallback: true })
    }
    model.will(says(['Never asked']))
    expect(await answers(bob, id, 'Five.')).toMatchObject([{ name: 'done', data: { question: null } }])
    expect(model.asked).toEqual([])
    expect(await spentBy(bob)).toBe(0)
    expect(await bob.post(`/ai/sessions/${id}/complete`)).toMatchObject({ status: 200 })
    expect(await bob.post(`/ai/sessions/${id}/answer`, { answer: 'Six.' })).toFailWith(409, 'ai_session_over')
  })

  test('is cancelled when the client disconnects, and the person can then answer the same question again', async () => {
    const id = await start(carla)
    model.will(saysSlowly(['What'], pending()))
    const gone = new AbortController()
    const { next } = await answer(carla, id, 'Said, and gone.', gone.signal)
    expect(await next()).toMatchObject({ data: { text: 'What' } })
    gone.abort()
    await until(() => model.asked[0]?.gone)
    await until(async () => (await owner`select from app.ai_sessions where id = ${id} and asking_until is null`).length)

    model.will(says(['Back again?']))
    const last = (await answers(carla, id, 'Said once more.')).at(-1)
    expect(last).toMatchObject({ name: 'done', data: { question: { position: 2, text: 'Back again?' } } })
    expect(last?.data.turns.map((turn) => turn.answer)).toEqual(['Said once more.', null])
  })

  test('is not requested if the person has no tokens left', async () => {
    const id = await start(carla)
    await spend(carla, 99_999)
    model.will(says(['Never asked']))
    const [done] = await answers(carla, id, 'Poor.')
    expect(done?.data.turns.at(-1)).toMatchObject({ backend: 'scripted', fallback: true })
    expect(model.asked).toEqual([])
    expect(await spentBy(carla)).toBe(99_999)
  })

  test('is not requested if the text might need more tokens than are left, in whatever script', async () => {
    const id = await start(carla)
    const words = '蜂'.repeat(1900) // 5700 bytes: in some scripts each byte is a token
    await spend(carla, 95_000)
    model.will(fills({}))
    const [done] = await answers(carla, id, words)
    expect(done?.data.turns.at(-1)).toMatchObject({ backend: 'scripted', fallback: true })
    await spend(carla, 91_000)
    expect((await carla.post('/ai/enhance-post', { body: words })).body).toMatchObject({ fallback: true })
    await spend(carla, 93_000)
    expect((await carla.post('/ai/map-interests', { sessionId: id })).body).toMatchObject({ fallback: true })
    expect(model.asked).toEqual([])
    const long = await carla.post('/ai/enhance-post', { body: words + words })
    expect(long.body).toMatchObject({ backend: 'scripted', fallback: false })
  })

  test('is not delivered if the token was revoked meanwhile', async () => {
    const id = await start(bob)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    model.will(saysSlowly(['What', ' now?'], released))
    const leaving = await bob.login()
    const { next } = await answer(leaving, id, 'Leaving.')
    await next()
    expect(await leaving.post('/auth/logout')).toMatchObject({ status: 204 })
    release()
    await next()
    expect(await next()).toMatchObject({ name: 'error', data: { statusCode: 401 } })
    expect(await next()).toBeUndefined()
  })
})

test('A facade that stops falls back to scripted answers and is not delayed by the model', async () => {
  const config = readConfig(environment(database.url, env))
  const server = await startServer({ config, databaseUrl: database.url })
  const me = new Person(server.url, bob.token)
  const id = await start(me)
  model.will(saysNothing, saysSlowly(['What'], pending()))
  const post = me.post('/ai/enhance-post', { body: 'they  hum' })
  await until(() => model.asked.length === 1)
  const { next } = await answer(me, id, 'They hum.')
  await next()
  const stopped = server.stop()
  expect(await next()).toMatchObject({
    name: 'done',
    data: { question: { position: 2 }, turns: [{}, { fallback: true }] },
  })
  expect(await post).toMatchObject({ status: 200, body: { body: 'They hum', fallback: true } })
  await stopped
})

describe('Suggestions', () => {
  test('of interests contain only those of the model’s suggestions that are in the catalog', async () => {
    await spend(alice, 0)
    const id = await start(alice)
    const found = [
      { slug: 'ethics', confidence: 0.8 },
      { slug: 'no-such-thing', confidence: 1 },
    ]
    model.will(fills({ interests: found }))
    const mapped = await alice.post<Suggestions>(`/ai/sessions/${id}/map-interests`)
    expect(mapped).toMatchObject({ status: 200, body: { backend: 'llm', fallback: false } })
    expect(mapped.body.suggestions.map(({ slug, confidence }) => [slug, confidence])).toEqual([['ethics', 0.8]])
    expect(await spentBy(alice)).toBe(150)

    model.will(refuses(429))
    const without = { backend: 'scripted', fallback: true, suggestions: [] }
    expect(await alice.post('/ai/map-interests', { sessionId: id })).toMatchObject({ status: 200, body: without })
    expect(await bob.post('/ai/map-interests', { sessionId: id })).toFailWith(404, 'ai_session_unknown')
  })

  test('for a post come from the model, or from the script if the model fails', async () => {
    const draft = { title: 'bees', body: 'they  hum' }
    model.will(fills({ title: 'Bees', body: 'They hum.', changes: ['A full stop.'] }))
    expect((await bob.post('/ai/enhance-post', draft)).body).toEqual({
      title: 'Bees',
      body: 'They hum.',
      changes: ['A full stop.'],
      backend: 'llm',
      fallback: false,
    })
    expect(JSON.parse(model.asked[0]?.messages[0]?.content ?? '')).toEqual(draft)

    const repaired = { title: 'Bees', body: 'They hum', backend: 'scripted' }
    for (const [what, turn] of [
      ['nothing', refuses(529)],
      ['an empty post', fills({ body: ' ', changes: [] })],
      ['an empty title', fills({ title: ' ', body: 'They hum.', changes: [] })],
      ['a flood', fills({ body: 'x'.repeat(2000), changes: [] })],
    ] as const) {
      model.will(turn)
      expect((await bob.post('/ai/enhance-post', draft)).body, what).toMatchObject({ ...repaired, fallback: true })
    }
    model.will(fills({}))
    const long = await bob.post('/ai/enhance-post', { body: `they  hum${' on'.repeat(4000)}` })
    expect(long).toMatchObject({ status: 200, body: { backend: 'scripted', fallback: false } })
    expect(model.asked).toEqual([])
    expect(await nobody.post('/ai/enhance-post', draft)).toFailWith(401, 'token_missing')
  })
})

test('A function that does not exist uses no tokens', async () => {
  const FUNCTIONS_URL = await listen((_, answer) => answer.writeHead(404).end())
  const config = readConfig(environment(database.url, { FUNCTIONS_URL, AI_MODEL: 'a-model' }))
  const server = await startServer({ config, databaseUrl: database.url })
  const me = new Person(server.url, bob.token)
  await spend(bob, 0)
  const id = await start(me)
  expect(await answers(me, id, 'They hum.')).toMatchObject([{ data: { turns: [{}, { fallback: true }] } }])
  expect(await me.post('/ai/map-interests', { sessionId: id })).toMatchObject({ status: 200, body: { fallback: true } })
  expect(await spentBy(bob)).toBe(0)
  await server.stop()
})

test('An edge function can call the model instead of the facade, and only the function needs the key', async () => {
  const key = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: model.url }
  const FUNCTIONS_URL = await functionsInDeno(['ai'], { JWT_SECRET, AI_MODEL: 'a-model', ...key })
  expect(() => readConfig({ AI_MODEL: 'a-model' })).toThrow('ANTHROPIC_API_KEY: must be set together with AI_MODEL')
  const { dora } = await world({ people: ['dora'], env: { FUNCTIONS_URL, AI_MODEL: 'a-model' } })
  const id = await start(dora)
  model.will(says(['How ', 'many?']))
  expect(await answers(dora, id, 'They are many.')).toMatchObject([
    { data: { text: 'How ' } },
    { data: { text: 'many?' } },
    { name: 'done', data: { question: { text: 'How many?' } } },
  ])
})
