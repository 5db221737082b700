// The pages of the panel for the overview, economy, knowledge and the instance, in a real browser.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { choose, logIn } from '../support/panel.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const { admin, join, url } = await world()
const [mona] = (await join('mona')) as [Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const browser = await startBrowser()

/** The titles of all pages in the menu. */
const menu = (tab: Tab) => tab.getByRole('navigation', { name: 'Menu' }).getByRole('link').allTextContents()
describe('An admin', { timeout: 240_000 }, () => {
  test('finds every page accessible, without an error in the console', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await tab.getByRole('button', { name: 'Log out' }).waitFor()
    for (const title of await menu(tab)) {
      await choose(tab, title)
      await tab.locator('main [aria-busy="true"]').waitFor({ state: 'detached' })
      expect(await tab.getByRole('alert').count(), title).toBe(0)
      await tab.isAccessible()
    }
    tab.isClean()
  })
})

describe('A moderator', { timeout: 240_000 }, () => {
  test('reads the same lists on a narrow screen, and is offered nothing that only admins may do', async () => {
    const tab = await openTab(browser, url, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
    await logIn(tab, mona)
    await tab.getByRole('button', { name: 'Menu' }).click()
    const titles = await menu(tab)
    expect(titles).toContain('Payments')
    for (const title of ['Broadcast', 'Webhooks', 'Event log', 'Audit log', 'Transparency report'])
      expect(titles).not.toContain(title)
    const allowed = ['Menu', 'Log out', 'Download as CSV', 'Next page', 'Refresh', 'Show payments', 'Close']
    for (const title of ['Payments', 'Market orders', 'Features', 'Invite codes', 'Failed jobs and mail']) {
      if (!(await tab.getByRole('link', { name: title, exact: true }).isVisible()))
        await tab.getByRole('button', { name: 'Menu' }).click()
      await choose(tab, title)
      await tab.locator('main [aria-busy="true"]').waitFor({ state: 'detached' })
      const buttons = await tab.getByRole('button').allTextContents()
      expect(buttons.map((text) => text.trim()).filter((text) => !allowed.includes(text))).toEqual([])
      const [wide, shown] = await tab.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]')
      expect(wide, title).toBeLessThanOrEqual(shown)
      await tab.isAccessible()
    }
    await tab.goto('/admin/broadcast')
    await logIn(tab, mona, '/admin/broadcast')
    await tab.getByRole('heading', { level: 1, name: 'No such page' }).waitFor()
    tab.isClean()
  })
})
