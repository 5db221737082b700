// The pages of the panel for the overview, economy, knowledge and the instance, in a real browser.
import { describe, expect, test } from 'vitest'
import { en } from '../../web/admin/texts/en.ts'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { choose, logIn } from '../support/panel.ts'
import type { Person } from '../support/person.ts'
import { publish } from '../support/posts.ts'
import { world } from '../support/world.ts'

const { admin, alice, bob, carla, database, join, url } = await world()
const { owner } = database
const [mona] = (await join('mona')) as [Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const browser = await startBrowser()

type Id = { id: string }
const dialog = (tab: Tab) => tab.getByRole('dialog')
const row = (tab: Tab, text: string) => tab.getByRole('row').filter({ hasText: text })
/** The titles of all pages in the menu. */
const menu = (tab: Tab) => tab.getByRole('navigation', { name: 'Menu' }).getByRole('link').allTextContents()
/** Presses the button that runs the step of the dialog, and waits until the dialog is gone. */
async function confirm(tab: Tab, action: string): Promise<void> {
  await dialog(tab).getByRole('button', { name: action, exact: true }).click()
  await dialog(tab).waitFor({ state: 'detached' })
}

/** A mail whose retries all failed, as pg-boss leaves it. */
async function failMail(): Promise<void> {
  await owner`
    insert into pgboss.job (name, data, source_name, source_id, source_output, source_retry_count, source_created_on)
    values ('dead-letters', '{}', 'mail', gen_random_uuid(), ${owner.json({ message: '550 no mailbox' })}, 3, now())`
}

async function disputed(): Promise<void> {
  const asked = { title: 'A portrait', description: 'In ink', priceMana: 5, deliveryDays: 7 }
  const offering = (await bob.post<Id>('/economy/market/offerings', asked)).body.id
  const placed = await alice.post<{ order: Id }>(`/economy/market/offerings/${offering}/orders`, { expectedPrice: 5 })
  const { id } = placed.body.order
  await bob.post(`/economy/market/orders/${id}/accept`)
  await bob.post(`/economy/market/orders/${id}/deliver`, { deliveryNote: 'Here it is' })
  const answer = await alice.post(`/economy/market/orders/${id}/dispute`, { reason: 'That is my neighbour' })
  expect(answer.status, answer.text).toBe(200)
}

/** Two proposals. The first is approved, and the second changes a line of the first. */
async function proposal(): Promise<void> {
  const [music] = await owner<Id[]>`select id from app.interests where slug = 'music'`
  await owner`select private.add_reputation(${alice.id}, ${music?.id ?? ''}, 'admin.adjusted', 100)`
  await admin.patch('/admin/feature-flags/wiki', { enabled: true })
  const propose = async (baseVersion: number, body: string, summary: string) => {
    const made = await alice.post<Id>('/wiki/music/proposals', { baseVersion, body, summary })
    expect(made.status, made.text).toBe(201)
    return made.body.id
  }
  const end = 'It is older than writing, and nobody has found a people without it.'
  const first = await propose(0, `Music is ordered noise.\n\n${end}`, 'A beginning')
  await admin.post(`/admin/wiki/proposals/${first}/approve`, {})
  await propose(1, `Music is ordered sound.\n\n${end}`, 'Sound, not noise')
}

describe('An admin', { timeout: 240_000 }, () => {
  test('sees how the instance is doing, reverses a payment and decides a dispute', async () => {
    await bob.post('/economy/pay', { emotion: 'love', tier: 1, postId: await publish(carla) })
    await disputed()
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await tab.getByText('As a table: Payments a day').click()
    const today = tab.getByRole('region', { name: 'Payments a day' }).getByRole('row').last()
    expect(await today.getByRole('cell').allTextContents()).toMatchObject([expect.anything(), '1', '3'])
    expect(await tab.locator('canvas').count()).toBe(4)

    await choose(tab, 'Payments')
    await row(tab, 'Carla').getByRole('button', { name: 'Reverse' }).click()
    await dialog(tab).getByText('bob gets 3 mana').waitFor()
    await dialog(tab).getByLabel('Reason').fill('Paid by mistake')
    await tab.isAccessible()
    await confirm(tab, 'Reverse')
    await row(tab, 'Reversed').waitFor()
    expect(await tab.getByRole('button', { name: 'Reverse' }).count()).toBe(0)

    await choose(tab, 'Market orders')
    await tab.getByLabel('State').selectOption('Disputed')
    expect(new URL(tab.url()).search).toBe('?state=disputed')
    await row(tab, 'That is my neighbour').getByRole('button', { name: 'Decide' }).click()
    await dialog(tab).getByLabel('Mana that goes back to the buyer').fill('4')
    await dialog(tab).getByLabel('Note').fill('A bad likeness')
    await confirm(tab, 'Decide')
    await tab.getByText('Nothing matches these filters.').waitFor()
    const [order] = await owner`select state, refund_mana from app.orders`
    expect(order).toEqual({ state: 'resolved', refund_mana: 4 })
    tab.isClean()
  })

  test('edits an interest and settles a proposal after a look at its changes', async () => {
    await proposal()
    const tab = await openTab(browser, url)
    await logIn(tab, admin, '/admin/interests')
    await tab.getByRole('button', { name: 'Music', exact: true }).click()
    await tab.getByRole('button', { name: 'Change… Music', exact: true }).click()
    await dialog(tab).getByLabel('Name').fill('Music & sound')
    await confirm(tab, 'Save')
    await tab.getByRole('button', { name: 'Music & sound', exact: true }).waitFor()
    expect(await owner`select name from app.interests where slug = 'music'`).toEqual([{ name: 'Music & sound' }])

    await choose(tab, 'Wiki proposals')
    await tab.getByLabel('Status').selectOption('Open')
    await tab.getByRole('link', { name: 'Sound, not noise' }).click()
    expect(await tab.locator('del').textContent()).toBe('Removed: − Music is ordered noise.')
    expect(await tab.locator('ins').textContent()).toBe('Added: + Music is ordered sound.')
    const [before, after] = await Promise.all(['del', 'ins'].map((name) => tab.locator(name).boundingBox()))
    expect(after?.y).toBeGreaterThanOrEqual((before?.y ?? 0) + (before?.height ?? 0))
    await tab.locator('.facts').getByText('Music & sound').waitFor()
    await tab.isAccessible()
    await tab.getByRole('button', { name: 'Approve' }).click()
    await confirm(tab, 'Approve')
    await tab.locator('.facts').getByText('Approved').waitFor()
    expect((await carla.get<{ body: string }>('/wiki/music')).body.body).toContain('ordered sound')

    // the ledger is in words: each kind has its own
    await choose(tab, 'Reputation')
    await row(tab, 'Adjusted by an admin').filter({ hasText: 'Music & sound' }).waitFor()
    const kinds = await owner<{ kind: string }[]>`select kind from private.ledger_kinds where ledger = 'reputation'`
    expect(Object.keys(en.reputation.kinds).sort()).toEqual(kinds.map(({ kind }) => kind).sort())
    tab.isClean()
  })

  test('broadcasts, sends failed mail again, adds a webhook, and verifies the log', async () => {
    await failMail()
    const jobs = () => owner`select from pgboss.job where name = 'mail'`
    const before = (await jobs()).length
    const tab = await openTab(browser, url)
    await logIn(tab, admin, '/admin/broadcast')
    await tab.getByLabel('Title').fill('Maintenance')
    await tab.getByLabel('Text').fill('Tonight at ten.')
    await tab.getByRole('button', { name: 'Preview' }).click()
    await tab.getByRole('article').getByText('Tonight at ten.').waitFor()
    await tab.isAccessible()
    await tab.getByRole('button', { name: 'Send to 5 people' }).click()
    await dialog(tab).getByText('5 people get this notification.').waitFor()
    await confirm(tab, 'Send')
    expect(await owner`select title from app.broadcasts`).toEqual([{ title: 'Maintenance' }])

    await choose(tab, 'Jobs and queues')
    await row(tab, 'mail').getByRole('link', { name: '1', exact: true }).click()
    await row(tab, '550 no mailbox').getByRole('button', { name: 'Send again' }).click()
    await tab.getByText('Nothing matches these filters.').waitFor()
    expect(await jobs()).toHaveLength(before + 1)

    await choose(tab, 'Webhooks')
    await tab.getByRole('button', { name: 'Add a webhook' }).click()
    await dialog(tab).getByLabel('Address').fill('https://hooks.example.org/kith')
    await dialog(tab).getByRole('checkbox', { name: 'posts.post.published' }).check()
    await confirm(tab, 'Add a webhook')
    expect(await tab.getByRole('status').locator('code').textContent()).toMatch(/^whsec_/)
    await tab.getByRole('button', { name: 'I have it' }).click()
    await tab.getByRole('link', { name: 'https://hooks.example.org/kith' }).click()
    await tab.getByRole('button', { name: 'Send a test' }).click()
    await row(tab, 'webhooks.webhook.tested').waitFor()
    await tab.isAccessible()

    await choose(tab, 'Audit log')
    await tab.getByRole('button', { name: 'Verify the log' }).click()
    await tab.getByText(/^The log is unchanged: \d+ entries checked\.$/).waitFor()
    await tab.getByLabel('Action').fill('broadcast.sent')
    await tab.getByLabel('Action').press('Enter')
    await row(tab, 'broadcast.sent').waitFor()
    tab.isClean()
  })

  test('finds every page accessible, without an error in the console', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await tab.getByRole('button', { name: 'Log out' }).waitFor()
    for (const title of await menu(tab)) {
      await choose(tab, title)
      await tab.locator('main:not(:has([aria-busy="true"]))').waitFor()
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
    await tab.getByRole('button', { name: 'Menu' }).waitFor()
    // the header is one row, also in German
    await tab.getByLabel('Language').selectOption('de')
    const [top, bottom] = await Promise.all(
      [tab.getByText('Kith-Verwaltung'), tab.getByRole('button', { name: 'Menü' })].map((one) => one.boundingBox()),
    )
    expect(bottom?.y).toBeLessThan((top?.y ?? 0) + (top?.height ?? 0))
    expect(top?.height).toBeLessThan(bottom?.height ?? 0)
    await tab.getByLabel('Sprache').selectOption('en')
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
      await tab.locator('main:not(:has([aria-busy="true"]))').waitFor()
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
