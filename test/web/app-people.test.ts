// The pages about people in the web client, in real browsers: what arrives live, and the client as an installed app.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import type { Person } from '../support/person.ts'
import { realtimeWorld } from '../support/realtime.ts'

const { alice, bob, url } = await realtimeWorld({ env: { REALTIME: 'embedded', RATE_LIMIT_SCALE: '20' } })
const browser = await startBrowser()

async function logIn(tab: Tab, { email, password }: Pick<Person, 'email' | 'password'>, path = '/app'): Promise<void> {
  await tab.goto(path)
  await tab.getByLabel('Email address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()
  await tab.getByRole('navigation', { name: 'Menu' }).waitFor()
}

describe('The web client', { timeout: 180_000 }, () => {
  test('can be installed: it has a manifest and icons, and says without a connection that there is none', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/app')
    await tab.evaluate('navigator.serviceWorker.ready')
    await tab.waitForFunction(() => navigator.serviceWorker.controller)

    const link = (await tab.locator('link[rel=manifest]').getAttribute('href')) ?? ''
    const answer = await fetch(url + link)
    expect(answer.headers.get('content-type')).toBe('application/manifest+json')
    const manifest = (await answer.json()) as { start_url: string; scope: string; icons: Record<string, string>[] }
    expect(manifest).toMatchObject({ name: 'Kith', start_url: '/app', scope: '/app', display: 'standalone' })
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['any', '192x192', '512x512'])
    for (const { src, type } of manifest.icons) {
      const icon = await fetch(url + src)
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type])
    }

    // nothing but static files and the page for no connection is kept
    const kept = await tab.evaluate<string[]>(`(async () => {
      const names = await caches.keys()
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
      return all.flat().map(({ url }) => new URL(url).pathname)
    })()`)
    expect(kept.filter((path) => !/^\/web\/[0-9a-f]{16}\//.test(path))).toEqual(['/app/offline'])
    tab.isClean()

    await tab.context().setOffline(true)
    await tab.goto('/app/messages').catch(() => undefined)
    await tab.getByRole('heading', { name: 'No connection' }).waitFor()
    await tab.isAccessible()
    await tab.context().setOffline(false)
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
  })
})
void alice
void bob
