// Webhooks: from an event through the log to receivers, which are servers here. No event is lost if a worker or a
// receiver is killed, slow or down. The events of a subject keep their order, and no receiver delays another.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker, type Worker } from '../../api-facade/worker/worker.ts'
import { type Received, receiver } from '../support/receiver.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const [one, other] = [await receiver(), await receiver()]
const env = { WEBHOOK_EXEMPT: [one, other].map(({ port }) => `127.0.0.1:${port}`).join() }
const { alice, bob, admin, database } = await world({ env })
const { owner, url } = database
// sets the setting again, because the facade that registered people has cleared it
await owner`update app.settings set value = ${env.WEBHOOK_EXEMPT.replace(',', ' ')} where key = 'webhook_exempt'`

const config = readConfig(environment(url, env))
const start = () => startWorker({ config, databaseUrl: url, log: createLog(config), pollSeconds: 0.1 })
const workers: Worker[] = [await start()]
afterAll(() => Promise.all(workers.map((worker) => worker.stop())))

type Made = { webhook: { id: string }; secret: string }
async function add(to: typeof one, events: string[]): Promise<string> {
  const { status, body } = await admin.post('/admin/webhooks', { url: to.url, events })
  expect(status).toBe(201)
  const made = body as Made
  to.secrets = [made.secret]
  return made.webhook.id
}
/** Emits `count` events of one kind, about `subjects` posts in turn. Each event has its number in its replyId. */
const emit = (count: number, subjects: number) =>
  owner`
    select private.emit('posts.reply.created', json_build_object(
      'replyId', lpad(n::text, 8, '0') || '-0000-4000-8000-000000000000',
      'postId', lpad((n % ${subjects})::text, 8, '0') || '-0000-4000-8000-000000000001',
      'authorId', ${alice.id}::uuid))
    from generate_series(1, ${count}::integer) n`
const numberOf = ({ data }: Received) => Number.parseInt(String(data.replyId).slice(0, 8), 10)
const pending = async () =>
  Number((await owner`select count(*) as n from private.webhook_deliveries where status = 'pending'`)[0]?.n)

/** The events without repeated ids. */
const firsts = (got: Received[]) => {
  const ids = new Set<string>()
  return got.filter(({ id }) => !ids.has(id) && ids.add(id))
}
function expectAllInOrder(got: Received[], count: number): void {
  const events = firsts(got)
  expect(events.length).toBe(count)
  expect(new Set(events.map(numberOf)).size).toBe(count)
  const last = new Map<string, number>()
  const wrong = events.filter((event) => {
    const before = last.get(event.subject.id) ?? 0
    last.set(event.subject.id, numberOf(event))
    return numberOf(event) < before
  })
  expect(wrong).toEqual([])
}

afterEach(async () => {
  await owner`delete from private.webhooks`
  for (const each of [one, other]) {
    each.got.length = 0
    each.seen.length = 0
    each.refused.length = 0
    each.mostAtOnce = 0
    each.answer = () => ({})
  }
})

describe('A receiver', () => {
  test('gets a signed request with only public ids, for the chosen events only', async () => {
    const id = await add(one, ['posts.post.published', 'posts.reply.created'])
    const { body: post } = await alice.post('/posts', { body: 'Nobody else reads this secret.', format: 'note' })
    const postId = (post as { id: string }).id
    await bob.post(`/posts/${postId}/reactions`, { kind: 'heart' })
    await bob.post(`/posts/${postId}/replies`, { body: 'My secret reply.' })
    await until(() => one.got.length === 2)
    const [published, replied] = one.got
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
    expect(published).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'posts.post.published',
      timestamp,
      sequence: expect.any(Number),
      subject: { type: 'post', id: postId },
      data: { postId, authorId: 'acct:alice@localhost' },
    })
    expect(replied?.data).toEqual({ postId, replyId: expect.any(String), authorId: 'acct:bob@localhost' })
    expect(JSON.stringify(one.got)).not.toMatch(/secret/)
    expect(JSON.stringify(one.got)).not.toContain(alice.id)
    expect(one.refused).toEqual([])

    await until(async () => (await pending()) === 0)
    const { body } = await admin.get(`/admin/webhooks/${id}/deliveries`)
    expect(body).toMatchObject({
      items: [
        { event: 'posts.reply.created', eventId: replied?.id, status: 'delivered', attempts: 1, responseStatus: 200 },
        {
          event: 'posts.post.published',
          eventId: published?.id,
          status: 'delivered',
          nextAttemptAt: null,
          excerpt: null,
        },
      ],
      hasMore: false,
    })
  })

  test('that is slow, fails and is killed during 1,000 events gets all of them, in order for each subject', async () => {
    await add(one, ['posts.reply.created'])
    let requests = 0
    one.answer = () => {
      requests++
      if (requests % 50 === 0) return { status: 503 }
      return { delay: requests % 20 === 0 ? 100 : 0 }
    }
    await emit(1000, 50)
    await until(() => one.got.length > 300)
    await one.stop()
    await until(
      async () => (await owner`select from private.webhook_deliveries where failure = 'unreachable'`).length > 0,
    )
    await one.start()
    await until(async () => {
      await hurryRetries()
      return (await pending()) === 0
    })
    expectAllInOrder(one.got, 1000)
    expect(one.refused).toEqual([])
    const failed = await owner`select from private.webhook_deliveries where status <> 'delivered'`
    expect(failed).toEqual([])
  })

  test('gets everything although one of three workers is killed, and each event from one worker', async () => {
    await add(one, ['posts.reply.created'])
    one.answer = () => ({ delay: 20 })
    const victim = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/worker/main.ts')], {
      env: { ...environment(url, env), PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    afterAll(() => victim.kill('SIGKILL'))
    await once(victim.stdout, 'data') // it runs
    workers.push(await start())
    await emit(400, 40)
    await until(() => one.got.length > 100)
    one.answer = () => ({ delay: 1000 })
    // each worker has at most 8 requests under way, so more than 16 come from three
    const claims = async () => (await owner`select from private.webhook_turns where claim is not null`).length
    await until(async () => (await claims()) > 16)
    const exit = once(victim, 'exit')
    victim.kill('SIGKILL')
    await exit
    one.answer = () => ({})
    // wait until two kinds of deliveries remain: those that the killed worker had claimed, and those that wait behind
    // them
    await until(async () => {
      const due = await owner`select from private.webhook_turns where due_at <= now()`
      return due.length === 0 && (await claims()) <= 8
    })
    const left = await pending()
    const late = await owner`update private.webhook_turns set due_at = now() where claim is not null returning claim`
    expect(late.length).toBeLessThanOrEqual(8)
    expect(left).toBeGreaterThan(0)
    await until(async () => (await pending()) === 0)
    expectAllInOrder(one.got, 400)
    // only events that the killed worker had sent but not recorded may come twice
    expect(one.got.length - firsts(one.got).length).toBeLessThanOrEqual(8)
  })

  test('that never answers does not delay another one', async () => {
    await add(one, ['posts.reply.created'])
    await add(other, ['posts.reply.created'])
    one.answer = () => ({ never: true })
    await emit(200, 100)
    await until(() => other.got.length === 200, { timeout: 8000 }) // requests to the first receiver end after 10 s
    expect(one.seen.length).toBeLessThanOrEqual(16)
    expectAllInOrder(other.got, 200)
  })
})

/** Makes retries due, but ends no lease. */
const hurryRetries = () => owner`update private.webhook_turns set due_at = now() where claim is null and due_at > now()`

describe('A delivery that fails', () => {
  test('is retried for three days at growing intervals, then given up, and the next one of its subject follows', async () => {
    const id = await add(one, ['posts.reply.created'])
    one.answer = (event) => (numberOf(event) === 1 ? { status: 500, body: 'No\u0000 way\n<b>' } : {})
    await emit(2, 1)
    await until(() => one.seen.length === 1)
    const state = async () => {
      const [row] = await owner<{ attempts: number; wait: number; status: string }[]>`
        select d.attempts, d.status, extract(epoch from t.due_at - d.attempted_at)::float as wait
        from private.webhook_deliveries d left join private.webhook_turns t using (webhook_id, subject_key)
        where d.webhook_id = ${id} and t.claim is null order by d.id limit 1`
      return row
    }
    const waits: number[] = []
    for (let attempt = 1; attempt <= 4; attempt++) {
      const row = await until(async () => {
        const now = await state()
        return now?.attempts === attempt && now.wait > 1 ? now : undefined
      })
      waits.push(row.wait)
      await hurryRetries()
    }
    // 5, 10, 20, 40 s, each a fifth more or less
    for (const [at, wait] of waits.entries()) {
      expect(wait).toBeGreaterThan(5 * 2 ** at * 0.75)
      expect(wait).toBeLessThan(5 * 2 ** at * 1.3)
    }
    expect(one.got).toEqual([])
    const { body } = await admin.get(`/admin/webhooks/${id}/deliveries`)
    expect((body as { items: object[] }).items).toMatchObject([
      { status: 'pending', attempts: 0, nextAttemptAt: null },
      { status: 'pending', responseStatus: 500, excerpt: 'No way <b>', failure: null },
    ])
    await owner`update private.webhook_deliveries set gives_up_at = now() where webhook_id = ${id} and attempts > 0`
    await hurryRetries()
    await until(() => one.got.length === 1)
    expect(one.got.map(numberOf)).toEqual([2])
    const failed = await admin.get(`/admin/webhooks/${id}/deliveries?status=failed`)
    expect((failed.body as { items: object[] }).items).toMatchObject([{ status: 'failed', responseStatus: 500 }])
  })

  test('marks the webhook as failing until the next delivery succeeds, and can be replayed', async () => {
    const id = await add(one, ['posts.reply.created'])
    one.answer = () => ({ status: 302, headers: { location: other.url } })
    await emit(1, 1)
    await until(() => one.seen.length > 0)
    await owner`update private.webhook_deliveries set gives_up_at = now() where webhook_id = ${id}`
    await until(async () => {
      await hurryRetries()
      return (await pending()) === 0
    })
    expect(other.seen).toEqual([]) // redirects are not followed
    expect((await admin.get(`/admin/webhooks/${id}`)).body).toMatchObject({ failingSince: expect.any(String) })

    one.answer = () => ({})
    const [delivery] = await owner<
      { id: number }[]
    >`select id::int from private.webhook_deliveries where webhook_id = ${id}`
    const replayed = await admin.post(`/admin/webhooks/${id}/deliveries/${delivery?.id}/replay`)
    expect(replayed).toMatchObject({ status: 202, body: { status: 'pending', nextAttemptAt: expect.any(String) } })
    await until(() => one.got.length === 1)
    await until(async () => (await pending()) === 0)
    expect((await admin.get(`/admin/webhooks/${id}`)).body).toMatchObject({ failingSince: null })
    expect(new Set(one.seen.map(({ id }) => id)).size).toBe(1)
  })

  test('to an address in a private network is never sent', async () => {
    const id = await add(one, ['posts.reply.created'])
    await owner`update private.webhooks set url = 'http://127.0.0.1:1/' where id = ${id}`
    await emit(1, 1)
    await until(
      async () => (await owner`select from private.webhook_deliveries where failure = 'not_public'`).length === 1,
    )
  })
})

test('Deliveries are signed with a new secret, and for a day with the previous secret, too', async () => {
  const id = await add(one, ['posts.reply.created'])
  const [first] = one.secrets
  const { body } = await admin.post(`/admin/webhooks/${id}/secret`)
  const { secret } = body as Made
  one.secrets = [secret, first ?? '']
  expect(await admin.post(`/admin/webhooks/${id}/test`)).toMatchObject({ status: 202 })
  await until(() => one.got.length === 1)
  expect(one.got[0]).toMatchObject({ type: 'webhooks.webhook.tested', sequence: null, data: { webhookId: id } })
  await until(async () => (await pending()) === 0) // deliveries of this test must not run into the next test
  await owner`update private.webhooks set previous_until = now() where id = ${id}`
  expect(await admin.post(`/admin/webhooks/${id}/test`)).toMatchObject({ status: 202 })
  await until(() => one.refused.length > 0)
  one.secrets = [secret]
  await until(async () => {
    await hurryRetries()
    return (await pending()) === 0
  })
})

test('A webhook that was inactive gets the events that it missed when it is active again', async () => {
  const id = await add(one, ['posts.reply.created'])
  expect(await admin.patch(`/admin/webhooks/${id}`, { active: false })).toMatchObject({ body: { active: false } })
  await emit(5, 1)
  await until(async () => (await owner`select from private.unlogged_events`).length === 0)
  expect(one.seen).toEqual([])
  await admin.patch(`/admin/webhooks/${id}`, { active: true })
  await until(() => one.got.length === 5)
  expectAllInOrder(one.got, 5)
})

test('A reader of the log who continues after the last number misses no event that is committed later', async () => {
  const read = async (after: number) => {
    const { body } = await admin.get(`/admin/events?after=${after}`)
    return body as { items: Received[]; next: number }
  }
  const begin = Number((await owner`select coalesce(max(sequence), 0) as last from private.event_log`)[0]?.last)
  let early = 0
  const event = (n: number) => ({
    replyId: `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
    postId: '00000000-0000-4000-8000-000000000001',
    authorId: alice.id,
  })
  await owner.begin(async (slow) => {
    await slow`select private.emit('posts.reply.created', ${slow.json(event(1))}::json)`
    await owner`select private.emit('posts.reply.created', ${owner.json(event(2))}::json)`
    const page = await until(async () => {
      const found = await read(begin)
      return found.items.length > 0 ? found : undefined
    })
    expect(page.items.map(numberOf)).toEqual([2]) // this event has a higher id in app.domain_events than the first
    early = page.next
  })
  const page = await until(async () => {
    const found = await read(early)
    return found.items.length > 0 ? found : undefined
  })
  expect(page.items.map(numberOf)).toEqual([1])
})

test('An erasure deletes the events that name the person, and their deliveries', async () => {
  await add(one, ['posts.post.published', 'posts.post.edited'])
  one.answer = () => ({ status: 500 })
  const { body } = await bob.post('/posts', { body: 'Soon gone.', format: 'note' })
  const postId = (body as { id: string }).id
  const events = () => owner`select from private.event_log where payload::text like ${`%acct:bob@%`}`
  await until(async () => (await pending()) > 0)
  expect(await bob.post('/me/delete', { password: bob.password })).toMatchObject({ status: 200 })
  await until(async () => (await events()).length === 0)
  expect(
    await owner`select from private.webhook_deliveries d
    where d.subject_key = ${`post:${postId}`} and d.event = 'posts.post.published'`,
  ).toEqual([])
  await until(
    async () => (await owner`select from private.webhook_turns where subject_key = ${`post:${postId}`}`).length === 0,
  )
})
