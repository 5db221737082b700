// Pushes: from an event through the queue and the function `deliver` to Expo, FCM, APNs and a browser's push service,
// which are servers here. Each is sent once, retried while the provider is unavailable, and not sent to devices that are gone.
import { afterAll, describe, expect, test } from 'vitest'
import { PushPayload } from '../../api-facade/features/notifications/push-schemas.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { kindsWithLines } from '../../api-facade/lib/lines.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { applyEffects } from '../support/database.ts'
import type { Person } from '../support/person.ts'
import { publish } from '../support/posts.ts'
import { apns, apnsToken, expo, expoToken, fcm, fcmToken, pushService, UNREGISTERED } from '../support/pushes.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const phones = await expo()
const browsers = await pushService()
const google = await fcm()
const apple = await apns()
const env = { EXPO_URL: phones.url, PUSH_ORIGINS: browsers.url, ...google.env, ...apple.env }
const { alice, bob, carla, admin, database, join } = await world({ env })
const { owner } = database

const config = readConfig(environment(database.url, env))
/** A worker that retries immediately. Each start resets the queue's settings, and a job copies them when it is made. */
async function start() {
  const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
  await owner`update pgboss.queue set retry_delay = 0, retry_backoff = false, retry_limit = 1000 where name = 'push'`
  return worker
}
const worker = await start()
afterAll(() => worker.stop())

const register = (person: Person, device: object) => person.post('/me/push-token', device)
async function phone(person: Person, name: string) {
  const token = expoToken(name)
  expect(await register(person, { token, platform: 'expo' })).toMatchObject({ status: 200 })
  return token
}
async function idle() {
  await applyEffects(owner)
  await until(async () => {
    const left = await owner`select from pgboss.job where name = 'push' and state < 'completed'`
    return left.length === 0
  })
}
const devices = async ({ id }: Person) =>
  (await owner<{ token: string }[]>`select token from app.push_tokens where user_id = ${id}`).map(({ token }) => token)
const pay = (from: Person, to: Person) =>
  from.post('/economy/pay', { emotion: 'joy', tier: 0, receiverId: to.username })

describe('A push', () => {
  test('reaches every device once, with kind, target and a line, and without anybody’s words', async () => {
    const [one, other] = [await phone(alice, 'one'), await phone(alice, 'other')]
    const browser = browsers.subscribe()
    const { shown: _, topics: __, ...subscription } = browser
    expect(await register(alice, subscription)).toMatchObject({ status: 200, body: { platform: 'web' } })
    const [android, iphone] = [fcmToken('alice'), apnsToken('alice')]
    expect(await register(alice, { token: android, platform: 'fcm' })).toMatchObject({ status: 200 })
    expect(await register(alice, { token: iphone, platform: 'apns' })).toMatchObject({ status: 200 })
    const id = await publish(alice)
    await bob.post(`/posts/${id}/replies`, { body: 'A secret between us.' })
    await idle()
    const [notice] = await alice.inbox('post.replied')
    const shown = {
      title: 'Kith',
      body: 'Somebody replied to you.',
      badge: 1,
      data: {
        id: notice?.id,
        kind: 'post.replied',
        target: { type: 'post', id },
        path: `/replies/${notice?.payload.replyId}`,
      },
    }
    const [collapseId = ''] = browser.topics
    expect(collapseId).toMatch(/^[\w-]{32}$/)
    expect(notice?.path).toBe(shown.data.path)
    expect(phones.to(one)).toEqual([{ ...shown, data: { ...shown.data, collapseId }, to: one, ttl: 86_400 }])
    expect(phones.to(other)).toHaveLength(1)
    expect(browser.shown).toEqual([{ ...shown, collapseId }])
    expect(google.to(android)).toMatchObject([{ data: { path: shown.data.path, kind: 'post.replied' } }])
    expect(apple.to(iphone)).toMatchObject([
      { headers: { 'apns-collapse-id': collapseId }, body: { ...shown.data, aps: { badge: 1 } } },
    ])
    expect(PushPayload.parse(browser.shown[0])).toEqual(browser.shown[0])
    expect(
      JSON.stringify([phones, google, apple, browser].map((at) => ('shown' in at ? at.shown : at.messages))),
    ).not.toMatch(/secret|bob/)
  })

  test('is sent for a roll-up when it starts, and again only after it was read', async () => {
    const token = await phone(bob, 'of bob')
    const id = await publish(bob)
    await alice.post(`/posts/${id}/replies`, { body: 'One' })
    await idle()
    await carla.post(`/posts/${id}/replies`, { body: 'Two' })
    await idle()
    expect(phones.to(token)).toHaveLength(1)
    const [notice] = await bob.inbox('post.replied')
    await bob.post('/notifications/read', { ids: [notice?.id] })
    await alice.post(`/posts/${id}/replies`, { body: 'Three' })
    await idle()
    expect(phones.to(token).map(({ body }) => body)).toEqual(['Somebody replied to you.', '3 replies to you.'])
    const [first, second] = phones.to(token).map(({ data }) => data)
    expect([second?.path, second?.collapseId]).toEqual([`/posts/${id}`, first?.collapseId])
  })

  test('has the number of unread notifications', async () => {
    const [ned] = (await join('ned')) as [Person]
    const token = await phone(ned, 'of ned')
    for (const from of [alice, bob, carla]) {
      await pay(from, ned)
      await idle()
    }
    expect(phones.to(token).map(({ badge }) => badge)).toEqual([1, 2, 3])
  })

  test('waits as long as the provider asks, and is then sent', async () => {
    const [pia] = (await join('pia')) as [Person]
    const token = fcmToken('of pia')
    await register(pia, { token, platform: 'fcm' })
    google.refuse([429, {}, { 'retry-after': '1200' }])
    await pay(bob, pia)
    await applyEffects(owner)
    await until(async () => (await owner`select from pgboss.job where name = 'push' and retry_count > 2`).length > 0)
    expect(google.to(token)).toEqual([])
    const [waits] = await owner<{ seconds: number }[]>`
      update private.pushes p set claimed_until = now()
      from app.push_tokens t, (select notification_id, extract(epoch from claimed_until - now())::int as seconds
                               from private.pushes where sent_at is null) w
      where t.id = p.token_id and t.token = ${token} and w.notification_id = p.notification_id
      returning w.seconds`
    expect(waits?.seconds).toBeGreaterThan(1000)
    await idle()
    expect(google.to(token)).toHaveLength(1)
  })

  test('is retried while the provider is unavailable, and what was accepted is not sent twice', async () => {
    const [dora] = (await join('dora')) as [Person]
    const token = await phone(dora, 'of dora')
    const { shown, topics: _, ...subscription } = browsers.subscribe()
    await register(dora, subscription)
    phones.refuse(2)
    await pay(bob, dora)
    await idle()
    expect([phones.to(token).length, shown.length]).toEqual([1, 1])
    browsers.answer(503)
    await pay(carla, dora)
    await until(() => phones.to(token).length === 2)
    await until(async () => (await owner`select from pgboss.job where name = 'push' and retry_count > 1`).length > 0)
    browsers.answer(201)
    await idle()
    expect([phones.to(token).length, shown.length]).toEqual([2, 2])
  })

  test('is no longer sent to a device that the provider reports as gone, immediately or by receipt', async () => {
    const [emil] = (await join('emil')) as [Person]
    const [now, later, stays] = [await phone(emil, 'now'), await phone(emil, 'later'), await phone(emil, 'stays')]
    const browser = browsers.subscribe()
    const { shown: _, topics: __, ...subscription } = browser
    await register(emil, subscription)
    phones.gone.add(now)
    phones.goneLater.add(`receipt of ${later}`)
    const [android, iphone, ipad] = [fcmToken('emil'), apnsToken('emil'), apnsToken('emil’s ipad')]
    await register(emil, { token: android, platform: 'fcm' })
    for (const token of [iphone, ipad]) await register(emil, { token, platform: 'apns' })
    google.answers.set(android, UNREGISTERED)
    apple.answers.set(iphone, [410, { reason: 'Unregistered' }])
    apple.answers.set(ipad, [400, { reason: 'BadDeviceToken' }])
    browsers.unsubscribe(browser)
    await pay(bob, emil)
    await idle()
    expect((await devices(emil)).sort()).toEqual([later, stays].sort())
    await worker.send('ask-push-receipts')
    await owner`update private.pushes set sent_at = sent_at - interval '16 minutes' where receipt is not null`
    await until(async () => {
      await worker.send('ask-push-receipts')
      return (await devices(emil)).length === 1
    })
    expect(await devices(emil)).toEqual([stays])
  })

  test('that the provider rejects does not affect the rest of its batch', async () => {
    const [fay] = (await join('fay')) as [Person]
    const tokens = [await phone(fay, 'bad'), await phone(fay, 'good'), await phone(fay, 'better')]
    phones.bad.add(tokens[0] ?? '')
    await pay(bob, fay)
    await idle()
    expect(tokens.map((token) => phones.to(token).length)).toEqual([0, 1, 1])
  })

  test('is not sent if its notification was read, disabled or muted before', async () => {
    const [gil, hal] = (await join('gil', 'hal')) as [Person, Person]
    const token = await phone(gil, 'of gil')
    await worker.stop()
    const id = await publish(gil)
    await hal.post(`/posts/${id}/react`, { kind: 'heart' })
    await gil.post('/notifications/read', { groupKey: `post.reacted:${id}` })
    await hal.post(`/posts/${id}/replies`, { body: 'x' })
    await gil.patch('/notifications/preferences', { 'post.replied': { push: false } })
    await hal.post('/users/gil/follow')
    await gil.post('/users/hal/mute')
    await pay(bob, gil)
    const again = await start()
    await idle()
    await again.stop()
    expect(phones.to(token).map(({ data }) => data.kind)).toEqual(['payment.received'])
  })
})

test('With two workers each push is sent once', async () => {
  const [zoe] = (await join('zoe')) as [Person]
  const token = await phone(zoe, 'of zoe')
  await owner`
    insert into app.notifications (user_id, kind, group_key)
    select ${zoe.id}, 'payment.received', 'n' || n from generate_series(1, 250) n`
  // some jobs are queued twice, as after a timeout
  await owner`
    insert into pgboss.job (name, data, retry_limit)
    select name, data, retry_limit from pgboss.job where name = 'push' and state = 'created' limit 100`
  const workers = await Promise.all([start(), start()])
  await idle()
  for (const one of workers) await one.stop()
  expect(phones.to(token)).toHaveLength(250)
  expect(new Set(phones.to(token).map(({ data }) => data.id)).size).toBe(250)
})

describe('A device', () => {
  test('is removed by a ban, an erasure, a logout with it, and a global logout', async () => {
    const people = (await join('ida', 'jan', 'kim', 'lea', 'max')) as Person[]
    const [ida, jan, kim, lea, max] = people as [Person, Person, Person, Person, Person]
    for (const person of people) {
      await phone(person, `${person.username} one`)
      await phone(person, `${person.username} two`)
    }
    await admin.post(`/admin/users/${ida.id}/ban`, { reason: 'Because.' })
    await jan.post('/me/delete', { password: jan.password })
    await kim.post('/auth/logout', { pushToken: expoToken('kim one') })
    await lea.post('/auth/logout', { scope: 'global' })
    await max.post('/auth/logout', { pushToken: expoToken('kim two') })
    const left = await Promise.all(people.map(async (person) => (await devices(person)).length))
    expect(left).toEqual([0, 0, 1, 0, 2])
  })
})

test('Every kind of notification has a line', async () => {
  const kinds = await owner<{ kind: string }[]>`select kind from private.notification_kinds order by kind collate "C"`
  expect(kindsWithLines.toSorted()).toEqual(kinds.map(({ kind }) => kind))
})
