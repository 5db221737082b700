// Embeddings of posts. First two workers compute them over the queue and the function `embed`, with a fake of the edge
// runtime's model. Then the model that comes with Kith computes them for real sentences, up to the feed. Only this file
// loads that model.
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { offlineEmbedder } from '../../api-facade/worker/embedders.ts'
import { startWorker, type Worker } from '../../api-facade/worker/worker.ts'
import { createEmbed } from '../../edge-functions/embed/handler.ts'
import { applyEffects } from '../support/database.ts'
import { listen } from '../support/functions.ts'
import type { Person } from '../support/person.ts'
import { publish } from '../support/posts.ts'
import { sentences } from '../support/sentences.ts'
import { environment, JWT_SECRET } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, bob, carla, database, join } = await world()
const { owner } = database
const role = database.connect('kith_worker')

/** The texts that the fake model got, and how often it will still fail for a text. */
const asked: string[] = []
const failing = new Map<string, number>()
/** A vector of the real model's length. Texts that share words get similar vectors. */
async function run(text: string): Promise<number[]> {
  asked.push(text)
  const left = failing.get(text) ?? 0
  failing.set(text, left - 1)
  if (left > 0) throw new Error('the model is not well')
  const vector: number[] = Array(384).fill(0)
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let state = [...word].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619), 2_166_136_261)
    for (let i = 0; i < 384; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      vector[i] = (vector[i] ?? 0) + (state > 2 ** 31 ? 1 : -1)
    }
  }
  return vector
}
const runtime = createEmbed({ jwtSecrets: [JWT_SECRET], open: () => ({ run }) })
const FUNCTIONS_URL = await listen(
  getRequestListener((request) =>
    // mail is accepted too
    request.url.endsWith('/embed') ? runtime.fetch(request) : new Response(null, { status: 204 }),
  ),
)

async function start(env: Record<string, string>): Promise<Worker> {
  const config = readConfig(environment(database.url, env))
  const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
  await owner`update pgboss.queue set retry_delay = 0, retry_backoff = false where name = 'embeddings'`
  return worker
}
async function idle() {
  await applyEffects(owner)
  await until(async () => {
    const left = await owner`
      select from pgboss.job where name in ('embeddings', 'centroids', 'embed-missing', 'refresh-centroids') and state < 'completed'`
    return left.length === 0
  })
}
type Row = { post_id: string; model: string; size: number; sum: number }
const embeddings = () =>
  owner<Row[]>`select post_id, model, cardinality(vector) as size, (select sum(abs(x)) from unnest(vector) x) as sum
               from private.post_embeddings order by post_id`
const embeddingOf = async (id: string) => (await embeddings()).find(({ post_id }) => post_id === id)
const centroidOf = async ({ id }: Person) => {
  const [row] = await owner<{ vector: number[] | null; due: boolean }[]>`
    select vector, due_at is not null as due from private.centroids where person_id = ${id}`
  return row
}
const due = () => owner`update private.centroids set due_at = now() where due_at is not null`
type Item = { id: string; body: string; why: { factor: string; weight: number }[] }
const feedOf = async (person: Person) => (await person.get<{ items: Item[] }>('/feed')).body.items

describe('Two workers with the model of the edge runtime', () => {
  let workers: Worker[] = []
  beforeAll(async () => {
    const edge = { EMBEDDINGS: 'edge', FUNCTIONS_URL }
    workers = await Promise.all([start(edge), start(edge)])
  })
  afterAll(() => Promise.all(workers.map((worker) => worker.stop())))

  test('make one vector for each published post that has text', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => `Post number ${n} about something`)
    const ids = await Promise.all(texts.map((body) => publish(alice, { body })))
    const title = 'On trains and time'
    const essay = await publish(bob, { format: 'essay', title, body: 'word '.repeat(2000) })
    await publish(bob, { body: 'Hm!' })
    await publish(bob, { format: 'repost', body: undefined, quotedPostId: ids[0] })
    await publish(bob, { body: 'Later, much later', publishAt: new Date(Date.now() + 86_400_000).toISOString() })
    await idle()
    expect(await embeddings()).toEqual(
      [...ids, essay].sort().map((post_id) => ({ post_id, model: 'gte-small', size: 384, sum: expect.any(Number) })),
    )
    const long = asked.find((text) => text.startsWith(title)) ?? ''
    expect([...asked].sort()).toEqual([...texts, long].sort())
    expect(long.length).toBeLessThanOrEqual(400)
  })

  test('retry failed posts, which do not delay the others', async () => {
    const poison = 'These words the model does not like'
    failing.set(poison, 2)
    const bad = await publish(carla, { body: poison })
    const good = await publish(carla, { body: 'These words it likes well' })
    await idle()
    expect([await embeddingOf(bad), await embeddingOf(good)]).toEqual([expect.anything(), expect.anything()])
    expect(asked.filter((text) => text === poison)).toHaveLength(3)
  })

  test('replace the vector of an edited post, and remove it if the text is too short', async () => {
    const id = await publish(carla, { body: 'Apples and pears are fruit' })
    await idle()
    const before = await embeddingOf(id)
    await carla.patch(`/posts/${id}`, { visibility: 'circles' })
    expect(await owner`select from pgboss.job where name = 'embeddings' and state < 'completed'`).toEqual([])
    await carla.patch(`/posts/${id}`, { body: 'Cars' })
    await idle()
    expect(await embeddingOf(id)).toBeUndefined()
    await carla.patch(`/posts/${id}`, { body: 'Cars and lorries have wheels, mostly four of them' })
    await idle()
    expect((await embeddingOf(id))?.sum).not.toBe(before?.sum)
    // a worker that read the post before the edit would store this
    const late = JSON.stringify([{ id, digest: 'of other words', vector: [1, 2] }])
    expect(await role`select private.store_embeddings('gte-small', ${late}::text::json) as made`).toEqual([{ made: 0 }])
    expect((await embeddingOf(id))?.size).toBe(384)
  })

  test('leave no vector of a deleted post, even if it is deleted meanwhile', async () => {
    const id = await publish(carla, { body: 'Soon nobody will read this' })
    await idle()
    const [row] = await owner`select digest, vector from private.post_embeddings where post_id = ${id}`
    await carla.delete(`/posts/${id}`)
    expect(await embeddingOf(id)).toBeUndefined()
    const late = JSON.stringify([{ id, ...row }])
    expect(await role`select private.store_embeddings('gte-small', ${late}::text::json) as made`).toEqual([{ made: 0 }])
  })

  test('keep people’s centroids up to date', async () => {
    const posts = await owner<{ id: string; vector: number[] }[]>`
      select p.id, e.vector from app.posts p join private.post_embeddings e on e.post_id = p.id
      where p.author_id = ${alice.id} order by p.published_at limit 2`
    const [one, other] = posts
    if (!one || !other) throw new Error('there are no posts')
    await bob.post(`/posts/${one.id}/react`, { kind: 'heart' })
    await bob.post(`/posts/${one.id}/react`, { kind: 'spark' })
    await idle()
    expect(await centroidOf(bob)).toEqual({ vector: one.vector, due: false })
    await bob.post(`/posts/${other.id}/bookmark`)
    await idle()
    expect(await centroidOf(bob)).toEqual({ vector: one.vector, due: true }) // due a while after the bookmark
    await due()
    await workers[0]?.send('refresh-centroids')
    await until(async () => (await centroidOf(bob))?.due === false)
    const mean = one.vector.map((x, i) => (x + (other.vector[i] ?? 0)) / 2)
    expect(await centroidOf(bob)).toEqual({ vector: mean, due: false })
    await bob.delete(`/posts/${one.id}/react`)
    await bob.delete(`/posts/${other.id}/bookmark`)
    await idle()
    await due()
    await workers[1]?.send('refresh-centroids')
    await until(async () => (await centroidOf(bob))?.due === false)
    expect(await centroidOf(bob)).toEqual({ vector: null, due: false })
  })

  test('remove an erased person’s centroid and the vectors of their posts', async () => {
    const [emil] = (await join('emil')) as [Person]
    const id = await publish(emil, { body: 'Words of somebody who leaves' })
    const [liked] = await owner<[{ id: string }]>`select id from app.posts where author_id = ${alice.id} limit 1`
    expect((await emil.post(`/posts/${liked.id}/react`, { kind: 'heart' })).status).toBe(200)
    await idle()
    expect([await embeddingOf(id), await centroidOf(emil)]).toEqual([expect.anything(), expect.anything()])
    await emil.delete('/me', { confirm: true, password: emil.password })
    await idle()
    expect([await embeddingOf(id), await centroidOf(emil)]).toEqual([undefined, undefined])
  })
})

describe('The model that comes with Kith', () => {
  const topics = Object.keys(sentences)
  const ids = new Map<string, string>()
  const topicOf = (text: string) => topics.find((topic) => sentences[topic]?.includes(text))
  let worker: Worker
  beforeAll(async () => {
    await (await start({ EMBEDDINGS: 'off' })).stop()
    for (let n = 0; n < 6; n++)
      for (const topic of topics) {
        const body = sentences[topic]?.[n] ?? ''
        ids.set(body, await publish(alice, { body }))
      }
    await applyEffects(owner)
    await owner`delete from app.feed_blocks` // all posts are then in one block
    worker = await start({ EMBEDDINGS: 'offline' })
  })
  afterAll(() => worker.stop())

  test('makes vectors for all posts without a vector of its model, even for those with one of another model', {
    timeout: 120_000,
  }, async () => {
    expect(await owner`select from pgboss.job where name = 'embeddings' and state < 'completed'`).toEqual([])
    await until(
      async () => {
        await worker.send('embed-missing')
        await idle()
        return (await owner`select from private.embedding_walk where finished_at is not null`).length === 1
      },
      { timeout: 100_000 },
    )
    const rows = await embeddings()
    expect(new Set(rows.map(({ model, size }) => `${model} ${size}`))).toEqual(new Set(['energetic-en-0.2.0 512']))
    const [{ out }] = await owner<[{ out: number }]>`
      select count(*)::int as out from app.posts
      where deleted_at is null and published_at is not null and format <> 'repost' and length(body) >= 10`
    expect(rows).toHaveLength(out)
  })

  test('puts sentences of one topic nearer to each other than to others, also by their signatures', async () => {
    const rows = await owner<{ body: string; vector: number[]; signature: string }[]>`
      select p.body, e.vector, e.signature::text from private.post_embeddings e join app.posts p on p.id = e.post_id
      where p.id = any (${[...ids.values()]}::uuid[]) order by p.body`
    expect(rows).toHaveLength(72)
    type Vectors = (typeof rows)[number]
    const cosine = (a: Vectors, b: Vectors) => a.vector.reduce((sum, x, i) => sum + x * (b.vector[i] ?? 0), 0)
    const signs = (a: Vectors, b: Vectors) => [...a.signature].filter((bit, i) => bit === b.signature[i]).length
    /** The share of comparisons in which a pair of one topic is nearer than a pair of two topics. */
    const auc = (near: (a: Vectors, b: Vectors) => number) => {
      const [within, between]: [number[], number[]] = [[], []]
      for (const [i, a] of rows.entries())
        for (const b of rows.slice(i + 1)) (topicOf(a.body) === topicOf(b.body) ? within : between).push(near(a, b))
      const wins = within.reduce((sum, x) => sum + between.filter((y) => x > y).length, 0)
      return wins / within.length / between.length
    }
    expect(auc(cosine)).toBeGreaterThan(0.95) // 0.974
    expect(auc(signs)).toBeGreaterThan(0.94) // 0.964
    /** The eight vectors nearest to `of`. */
    const nearest = (of: Vectors, near: (a: Vectors, b: Vectors) => number) =>
      rows
        .filter((row) => row !== of)
        .sort((a, b) => near(of, b) - near(of, a))
        .slice(0, 8)
    const found = rows.map((row) => {
      const exact = new Set(nearest(row, cosine))
      return nearest(row, signs).filter((one) => exact.has(one)).length / 8
    })
    expect(found.reduce((sum, share) => sum + share, 0) / found.length).toBeGreaterThan(0.6)
  })

  test('moves posts that resemble those a person likes to the front of that person’s feed alone', async () => {
    const before = await feedOf(carla)
    for (const body of sentences.music?.slice(0, 3) ?? [])
      await bob.post(`/posts/${ids.get(body)}/react`, { kind: 'heart' })
    await idle()
    await due()
    await worker.send('refresh-centroids')
    await until(async () => (await centroidOf(bob))?.vector !== null)
    const front = (await feedOf(bob)).slice(0, 8)
    const weights = front.map(({ why }) => why.find(({ factor }) => factor === 'semantic')?.weight ?? 0)
    expect(weights.every((weight, i) => weight > 0 && weight <= (weights[i - 1] ?? 1))).toBe(true)
    expect(front.filter(({ body }) => topicOf(body) === 'music').length).toBeGreaterThanOrEqual(5)
    expect((await feedOf(bob)).slice(8).flatMap(({ why }) => why.map(({ factor }) => factor))).not.toContain('semantic')
    const others = await feedOf(carla)
    expect(others.flatMap(({ why }) => why.map(({ factor }) => factor))).not.toContain('semantic')
    expect(others).toHaveLength(before.length)
  })

  test('changes nothing when it is off, or for a person without a centroid', async () => {
    const text = async (path = '/feed') => (await bob.get(path)).text
    const [on, trending] = [await text(), await text('/feed?tab=trending')]
    await owner`update private.centroids set model = null, vector = null, signature = null where person_id = ${bob.id}`
    const unknown = await text()
    expect(unknown).not.toBe(on)
    await owner`update app.settings set value = '' where key = 'embedding_model'`
    expect(await text()).toBe(unknown)
    expect(await text('/feed?tab=trending')).toBe(trending)
    await due()
    await worker.send('refresh-centroids')
    await idle()
    expect((await centroidOf(bob))?.vector).toBe(null)
  })

  test('is the default, and EMBEDDINGS=edge requires FUNCTIONS_URL', () => {
    expect(readConfig({}).embeddings).toBe('offline')
    expect(() => readConfig({ EMBEDDINGS: 'edge' })).toThrow('EMBEDDINGS: must not be edge without FUNCTIONS_URL')
  })

  test('runs in its own process, which ends when idle and starts with the next text', async () => {
    await worker.stop()
    const processes = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
    const before = processes()
    const embedder = offlineEmbedder(1)
    const [one] = await embedder.embed(['The choir sang in the cathedral.'])
    await until(() => processes() === before)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const again = await embedder.embed(['The choir sang in the cathedral.'])
    expect(again).toEqual([one])
    vi.advanceTimersByTime(1) // kills the process, which has not ended yet
    expect(await embedder.embed(['The choir sang in the cathedral.'])).toEqual([one])
    await embedder.stop()
    expect(processes()).toBe(before)
  })
})
