// Pictures in the web client, in a real browser. The page is opened at an address that differs from FACADE_URL, for
// example at an IP address of the instance. The addresses that the API gives begin with FACADE_URL.
import { fileURLToPath } from 'node:url'
import { decodeJwt } from 'jose'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { openTab, startBrowser } from '../support/browser.ts'
import { newCircle } from '../support/circles.ts'
import { realtimeWorld } from '../support/realtime.ts'

const { alice, bob, url } = await realtimeWorld({ env: { REALTIME: 'embedded', RATE_LIMIT_SCALE: '20' } })
const browser = await startBrowser()
const file = fileURLToPath(new URL('../../web/app/icon-192.png', import.meta.url))

/** Waits until a picture is drawn. */
const isDrawn = (picture: Locator) =>
  expect.poll(() => picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)).toBe(192)

test('people show pictures of themselves, in posts and in messages', { timeout: 180_000 }, async () => {
  const { body: asset } = await alice.post<{ uploadUrl: string }>('/media/presign', {
    kind: 'image',
    contentType: 'image/png',
    size: 1000,
  })
  expect(new URL(asset.uploadUrl).origin).not.toBe(url)
  const tab = await openTab(browser, url, { viewport: { width: 360, height: 740 } })
  const sockets: string[] = []
  tab.on('websocket', (socket) => sockets.push(socket.url()))
  await tab.goto('/app/settings')
  await tab.getByLabel('Email address').fill(alice.email)
  await tab.getByLabel('Password').fill(alice.password)
  await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()

  await tab.getByLabel('Upload a picture').setInputFiles(file)
  await tab.getByText('Your picture is changed.').waitFor()
  await isDrawn(tab.locator('main img.face'))

  await tab.goto('/app/write')
  await tab.getByLabel('Text').fill('Two of them.')
  await tab.getByLabel('Add pictures').setInputFiles([file, file])
  await tab.getByLabel('What icon-192.png shows').first().fill('A green leaf')
  await tab.getByRole('button', { name: 'Remove: icon-192.png' }).last().click()
  await isDrawn(tab.locator('.pictures img'))
  await tab.isAccessible()
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await tab.getByRole('button', { name: 'Publish', exact: true }).click()
  await tab.getByText('Your post is published.').waitFor()
  await isDrawn(tab.getByRole('img', { name: 'A green leaf' }))

  const circle = await newCircle(alice)
  await alice.post(`/circles/me/${circle}/members`, { memberId: bob.actorId, bondLevel: 'inner-circle' })
  const direct = { kind: 'direct', memberIds: [bob.actorId] }
  const { body: conversation } = await alice.post<{ id: string }>('/conversations', direct)
  await tab.goto(`/app/messages/${conversation.id}`)
  await tab.getByLabel('Add a picture').setInputFiles(file)
  await tab.getByLabel('What the picture shows').fill('The same leaf')
  await tab.getByRole('button', { name: 'Send' }).click()
  await isDrawn(tab.getByRole('img', { name: 'The same leaf' }))
  await tab.isAccessible()
  tab.isClean()

  // no address contains the token of a person
  expect(sockets.length).toBeGreaterThan(0)
  for (const address of sockets) {
    const key = decodeJwt(new URL(address).searchParams.get('apikey') ?? '')
    expect(key).toMatchObject({ role: 'anon' })
    expect(key).not.toHaveProperty('sub')
  }
})
