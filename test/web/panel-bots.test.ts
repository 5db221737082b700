// Bots and third-party apps in the panel, in a real browser.
import { expect, test } from 'vitest'
import { openTab, startBrowser } from '../support/browser.ts'
import { choose, logIn } from '../support/panel.ts'
import { world } from '../support/world.ts'

const { admin, alice, bob, carla, database, url } = await world({ env: { RATE_LIMIT_SCALE: '20' } })
await database.owner`update app.settings set value = 'everyone' where key = 'register_apps'`
const browser = await startBrowser()

type Made = { id: string; personId: string }
const made = async <T>(answer: Promise<{ status: number; body: T }>): Promise<T> => {
  const { status, body } = await answer
  expect(status).toBe(201)
  return body
}

test('a bot is marked, its owner is linked, and a case bans both', { timeout: 180_000 }, async () => {
  const bot = await made<Made>(bob.post('/me/bots', { username: 'weather_bot', firstName: 'Weather' }))
  await made(bob.post('/me/bots', { username: 'rain_bot', firstName: 'Rain' }))
  const scopes = ['posts:read', 'posts:write']
  const { token } = await made<{ token: string }>(bob.post(`/me/bots/${bot.personId}/tokens`, { name: 'x', scopes }))
  const post = { body: 'Buy umbrellas', visibility: 'public', isPublic: true }
  const { id } = await made<Made>(alice.withToken(token).post('/posts', post))
  await made(carla.post('/reports', { targetType: 'post', targetId: id, reason: 'Spam', category: 'spam' }))

  const tab = await openTab(browser, url)
  await logIn(tab, admin)
  await choose(tab, 'People')
  const row = tab.locator('tbody tr', { hasText: 'weather_bot' })
  await row.getByText('Bot', { exact: true }).waitFor()
  expect(await row.textContent()).not.toContain('@bots.invalid')
  await choose(tab, 'Posts')
  await tab.locator('tbody tr', { hasText: 'Buy umbrellas' }).getByText('Bot', { exact: true }).waitFor()
  await tab.isAccessible()

  await choose(tab, 'Cases')
  await tab.locator('tbody').getByRole('link', { name: 'Post' }).click()
  const facts = tab.locator('dl.facts', { hasText: 'Run by' })
  await facts.getByText('bob', { exact: true }).waitFor()
  await tab.isAccessible()
  await tab.getByRole('button', { name: 'Ban', exact: true }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('Advertisements')
  await dialog.getByLabel('Also ban the owner, bob').check()
  await tab.isAccessible()
  await dialog.getByRole('button', { name: 'Ban', exact: true }).click()
  await tab
    .getByText('No open case is left')
    .or(tab.getByRole('heading', { level: 1, name: 'Cases' }))
    .first()
    .waitFor()
  await choose(tab, 'People')
  for (const name of ['weather_bot', 'rain_bot', 'bob@'])
    await tab.locator('tbody tr', { hasText: name }).getByText('Banned').waitFor()

  // the page of the owner names the bots
  await tab.getByRole('link', { name: 'bob 例' }).click()
  await tab.getByRole('link', { name: 'Weather Bot' }).waitFor()
  await tab.isAccessible()
  await tab.getByRole('link', { name: 'Weather Bot' }).click()
  await tab.getByRole('heading', { level: 2, name: 'Weather Bot' }).getByText('Bot', { exact: true }).waitFor()
  tab.isClean()
  await tab.close()
})

test('an admin sees the apps of everybody, and ends one', { timeout: 180_000 }, async () => {
  const app = { name: 'Garden', redirectUris: ['https://garden.example/done'], scopes: ['posts:read'] }
  await made(carla.post('/apps', app))
  const tab = await openTab(browser, url)
  await logIn(tab, admin)
  await choose(tab, 'Apps')
  await tab.getByText('https://garden.example/done').waitFor()
  await tab.isAccessible()
  await tab.setViewportSize({ width: 360, height: 740 })
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await tab.getByRole('button', { name: 'Delete' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await tab.getByText('Nothing here.').waitFor()
  expect((await carla.get('/apps')).body).toMatchObject({ items: [] })
  const log = await admin.get<{ items: { action: string }[] }>('/admin/audit-log')
  expect(log.body.items[0]).toMatchObject({ action: 'app.deleted' })
  tab.isClean()
  await tab.close()
})
