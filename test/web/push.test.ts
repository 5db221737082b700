// Pushes in the web client, in a real browser: from the settings to the notification, and from a click to the page.
// Chromium without a screen has neither a push service nor notifications, so ours gives it subscriptions, and what the
// service worker shows is recorded.
import type { Worker } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { applyEffects } from '../support/database.ts'
import { publish, reply } from '../support/posts.ts'
import { pushService } from '../support/pushes.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const service = await pushService()
const env = { PUSH_ORIGINS: service.url }
const { alice, bob, database, url } = await world({ env })
const config = readConfig(environment(database.url, env))
const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
afterAll(() => worker.stop())
const browser = await startBrowser()
const device = service.subscribe()

/** Gives the page a push service, whose subscription is kept over a reload. */
const SUBSCRIBE = `(() => {
  const { token: endpoint, keys } = ${JSON.stringify(device)}
  const KEY = 'subscribed'
  const unsubscribe = async () => {
    localStorage.removeItem(KEY)
    return true
  }
  const subscription = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe }
  Notification.requestPermission = async () => 'granted'
  PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEY) ? subscription : null)
  PushManager.prototype.subscribe = async (options) => {
    localStorage.setItem(KEY, JSON.stringify(options))
    return subscription
  }
})()`

/** Records what the service worker shows, and which addresses it opens. */
const RECORD = `(() => {
  self.shown = []
  self.opened = []
  self.badges = []
  navigator.setAppBadge = async (count) => {
    badges.push(count)
  }
  registration.showNotification = async (title, options) => {
    shown.push({ title, ...options })
  }
  clients.openWindow = async (address) => {
    opened.push(address)
  }
})()`

/** What a click on the newest notification does, as the browser reports it to the service worker. */
const CLICK = `(() => {
  const isClosed = { value: false }
  const { title, ...notification } = shown.at(-1)
  const close = () => (isClosed.value = true)
  // only a real click lets a worker bring a tab to the front
  const waitUntil = (work) => work.catch((error) => error.name === 'InvalidAccessError' || Promise.reject(error))
  dispatchEvent(Object.assign(new Event('notificationclick'), { notification: { ...notification, close }, waitUntil }))
  return isClosed.value
})()`

type Notice = { title: string; body: string; tag: string; icon: string; data: { path: string } }

/** Lets the browser give pushes to the service worker of the client. */
async function carrier(tab: Tab): Promise<{ deliver(push: object): Promise<Notice>; script: Worker }> {
  const devtools = await tab.context().newCDPSession(tab)
  const registered = new Promise<string>((found) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const one = registrations.find(({ scopeURL }) => scopeURL === `${url}/app`)
      if (one) found(one.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  const registrationId = await registered
  const script = await until(async () => tab.context().serviceWorkers()[0])
  await script.evaluate(RECORD)
  return {
    script,
    async deliver(push) {
      const before = await script.evaluate<number>('shown.length')
      const data = JSON.stringify(push)
      await devtools.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data })
      await until(async () => (await script.evaluate<number>('shown.length')) > before)
      return script.evaluate<Notice>('shown.at(-1)')
    },
  }
}

/** The push of a kind that the service of the browser got. */
async function pushOf(kind: string): Promise<object> {
  await applyEffects(database.owner)
  return until(() => device.shown.find(({ data }) => data.kind === kind))
}
const tokens = () => database.owner`select token, platform from app.push_tokens where user_id = ${bob.id}`

test('A push is shown with its line, and a click opens the page of its thing', { timeout: 180_000 }, async () => {
  const tab = await openTab(browser, url)
  await tab.addInitScript(SUBSCRIBE)
  await tab.goto('/app')
  await tab.getByLabel('Email address').fill(bob.email)
  await tab.getByLabel('Password').fill(bob.password)
  await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await tab.goto('/app/settings/notifications')
  await tab.getByRole('button', { name: 'Show notifications here' }).click()
  await tab.getByRole('button', { name: 'No more notifications here' }).waitFor()
  await tab.isAccessible()
  const asked = JSON.parse((await tab.evaluate<string>(`localStorage.getItem('subscribed')`)) ?? '{}')
  const { body: key } = await bob.get<{ publicKey: string }>('/notifications/push-key')
  expect(asked).toEqual({ userVisibleOnly: true, applicationServerKey: key.publicKey })
  expect(await tokens()).toEqual([{ token: device.token, platform: 'web' }])

  // a reply, while the client is open at another page
  const { deliver, script } = await carrier(tab)
  const id = await publish(bob)
  await reply(alice, id, { body: 'Indeed it is' })
  const shown = await deliver(await pushOf('post.replied'))
  expect(shown).toMatchObject({
    title: 'Kith',
    body: 'Somebody replied to you.',
    tag: expect.stringMatching(/^\S{32}$/),
  })
  expect((await fetch(new URL(shown.icon, url))).headers.get('content-type')).toBe('image/png')
  expect(await script.evaluate(CLICK)).toBe(true)
  await tab.waitForURL(`**/app/posts/${id}`)
  await tab.getByText('Indeed it is').waitFor()

  // a payment, which has no page
  await alice.post('/economy/pay', { emotion: 'joy', tier: 0, receiverId: bob.username })
  expect(await deliver(await pushOf('payment.received'))).toMatchObject({ body: expect.stringContaining('mana') })
  await script.evaluate(CLICK)
  await tab.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor()
  expect(await script.evaluate('opened')).toEqual([])

  // without an open client, a click opens one
  await deliver(await pushOf('post.replied'))
  await tab.goto('/rules')
  await script.evaluate(CLICK)
  const address = await until(() => script.evaluate<string | undefined>('opened[0]'))
  await tab.goto(address)
  await tab.getByText('Indeed it is').waitFor()
  expect(new URL(tab.url()).pathname).toBe(`/app/posts/${id}`)

  // pushes end with the session
  await tab.getByRole('button', { name: 'Log out' }).click()
  await tab.getByRole('button', { name: 'Log in' }).waitFor()
  expect(await tokens()).toEqual([])
  expect(await tab.evaluate(`localStorage.getItem('subscribed')`)).toBeNull()
  tab.isClean()
})
