// The web client in a real browser: a newcomer joins and publishes, and somebody who has the feed open sees it
// immediately.
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { allErrors } from '../../api-facade/lib/errors.ts'
import { germanErrors } from '../../web/lib/error-texts.ts'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { applyEffects } from '../support/database.ts'
import type { Person } from '../support/person.ts'
import { publish } from '../support/posts.ts'
import { realtimeWorld } from '../support/realtime.ts'

const env = { REALTIME: 'embedded', RATE_LIMIT_SCALE: '20' }
const { alice, bob, carla, database, url } = await realtimeWorld({ env })
const browser = await startBrowser()
const compress = promisify(brotliCompress)

type Credentials = Pick<Person, 'email' | 'password'>
async function logIn(tab: Tab, { email, password }: Credentials, isKept = false): Promise<void> {
  await tab.goto('/app')
  await tab.getByLabel('Email address').fill(email)
  await tab.getByLabel('Password').fill(password)
  if (isKept) await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}
/** Opens a page by the menu, whose bar on a narrow screen has some pages under "More". */
async function openPage(tab: Tab, name: string): Promise<void> {
  const menu = tab.getByRole('navigation', { name: 'Menu' })
  const more = menu.getByText('More', { exact: true })
  if (await more.isVisible()) await more.click()
  await menu.getByRole('link', { name, exact: true }).click()
  await tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}
const kept = (tab: Tab) => tab.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
/** Expects that the page is accessible, and that it is not wider than the screen. */
async function isFit(tab: Tab): Promise<void> {
  await tab.isAccessible()
  expect(await tab.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
}
const post = (tab: Tab, words: string) => tab.getByRole('article').filter({ hasText: words }).first()
const menuOf = (place: Locator) => place.locator('details.menu > summary').first()
const phone = { viewport: { width: 360, height: 740 } }

describe('The web client', { timeout: 180_000 }, () => {
  test('keeps a session only if the person wants to stay signed in', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, alice)
    await tab.isAccessible()
    expect(await kept(tab)).not.toContain('ey')
    await tab.reload()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    await tab.isAccessible()
    await logIn(tab, alice, true)
    await tab.reload()
    await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await kept(tab)).not.toContain('ey')
    tab.isClean()
  })

  test('shows a post of a newcomer to somebody who has the feed open, who replies, reacts, votes and pays', async () => {
    const { body: invite } = await alice.post<{ code: string }>('/me/invites')
    const reader = await openTab(browser, url)
    await logIn(reader, bob)
    const tab = await openTab(browser, url, phone)
    await tab.goto(`/join#${invite.code}`)
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByLabel('First name').fill('Nora')
    await tab.getByLabel('Last name').fill('Lind')
    await tab.getByLabel('Email address').fill('nora@example.org')
    await tab.getByLabel('Password').fill('long enough for all')
    await tab.getByLabel('Date of birth').fill('1990-01-31')
    await tab.getByLabel('Country').selectOption('PT')
    await tab.getByRole('textbox', { name: 'City' }).fill('Lisbon')
    await tab.getByRole('button', { name: 'Join' }).click()
    await tab.getByText('your username is nora_lind').waitFor()
    await logIn(tab, { email: 'nora@example.org', password: 'long enough for all' }, true)
    await isFit(tab)

    // a draft is kept during a visit to another page and after an error
    await tab.getByRole('link', { name: 'Write' }).click()
    await tab.getByLabel('Text').fill('Moss <b>grows</b> where javascript:alert(1) does not: https://example.org/moss.')
    await tab.getByRole('button', { name: 'Add a poll' }).click()
    await tab.getByLabel('Option 1').fill('Moss')
    await tab.getByLabel('Option 2').fill('Ferns')
    await tab.getByLabel('Publish later').fill('2001-01-31T10:00')
    await isFit(tab)
    await openPage(tab, 'Search')
    await tab.getByRole('heading', { name: 'New people' }).waitFor()
    await tab.getByRole('link', { name: 'Write' }).click()
    await tab.getByRole('button', { name: 'Schedule', exact: true }).click()
    await tab.getByRole('alert').getByText('Request').waitFor()
    await tab.getByLabel('Publish later').fill('')
    await tab.getByRole('button', { name: 'Publish', exact: true }).click()
    await tab.getByText('Your post is published.').waitFor()
    await tab.getByRole('link', { name: 'https://example.org/moss' }).waitFor()
    expect(await tab.locator('article .words b').count()).toBe(0)
    expect(await tab.locator('article .words a').evaluateAll((links) => links.map((one) => one.outerHTML))).toEqual([
      expect.stringMatching(/^<a href="https:\/\/example.org\/moss" target="_blank" rel="noopener noreferrer[^"]*">/),
    ])
    await isFit(tab)
    tab.isClean([422])

    // nothing moves until the reader asks for it
    const fresh = reader.getByRole('button', { name: '1 new post' })
    await fresh.waitFor()
    expect(await reader.getByText('Moss').count()).toBe(0)
    await fresh.click()
    const card = post(reader, 'example.org/moss')
    await card.getByRole('button', { name: 'Heart' }).click()
    await card.getByRole('button', { name: 'Heart', pressed: true }).getByText('1').waitFor()
    await card.getByRole('button', { name: 'Spark' }).click()
    await card.getByRole('button', { name: 'Spark', pressed: true }).waitFor()
    await card.getByRole('button', { name: 'Ferns' }).click()
    await card.getByText('1 vote.').waitFor()
    await card.getByRole('button', { name: 'Bookmark' }).click()
    await card.getByRole('button', { name: 'Bookmark', pressed: true }).waitFor()
    await card.getByRole('button', { name: 'Pay' }).click()
    await reader.getByText('You have 50 mana.').waitFor()
    await reader.getByLabel('What it expresses').selectOption('Insight')
    await reader.getByLabel('Amount').selectOption({ label: '3 mana – Wave' })
    await isFit(reader)
    await reader.getByRole('dialog').getByRole('button', { name: 'Pay' }).click()
    await reader.getByText('You have paid 3 mana. 47 are left.').waitFor()
    await card.getByText('Insight: 3 mana').waitFor()
    await isFit(reader)

    await card.getByRole('button', { name: 'Replies' }).click()
    await reader.getByLabel('Your reply').fill('Where does it grow best?')
    await reader.getByRole('button', { name: 'Reply', exact: true }).click()
    await post(reader, 'Where does it grow best?').waitFor()
    await isFit(reader)
    await tab.reload()
    await post(tab, 'Where does it grow best?').getByRole('button', { name: 'Answer' }).click()
    await tab.getByLabel('Your reply').first().fill('In the shade of the sink.')
    await tab.getByRole('button', { name: 'Reply', exact: true }).first().click()
    await tab.locator('ul.replies ul.replies').getByText('In the shade of the sink.').waitFor()
    await isFit(tab)
    tab.isClean()
    reader.isClean()
  })

  test('finds posts and people, and follows, reports and mutes', async () => {
    const id = await publish(carla, { body: 'Lichens live for centuries.' })
    await applyEffects(database.owner)
    const tab = await openTab(browser, url, phone)
    await logIn(tab, bob)
    await openPage(tab, 'Search')
    await tab.getByLabel('Words').fill('lichens')
    await tab.getByRole('button', { name: 'Search' }).click()
    await tab.locator('mark').getByText('Lichens').waitFor()
    await isFit(tab)
    await tab.getByRole('link', { name: 'Post by carla' }).click()
    await tab.waitForURL(`**/app/posts/${id}`)
    await post(tab, 'Lichens').getByRole('link', { name: 'carla' }).click()
    await tab.getByRole('heading', { level: 1, name: 'carla' }).waitFor()
    await tab.getByRole('button', { name: 'Follow', exact: true }).click()
    await tab.getByText('1 follower,').waitFor()
    await tab.getByRole('button', { name: 'Followers' }).click()
    await tab.getByRole('link', { name: 'bob' }).last().waitFor()
    await post(tab, 'Lichens').waitFor()
    await isFit(tab)

    // what else can be done with a post
    await menuOf(post(tab, 'Lichens')).click()
    await tab.getByRole('button', { name: 'Report' }).click()
    // the page says what is missing, and a dialog that is closed gives the focus back to the menu
    await tab.getByRole('dialog').getByRole('button', { name: 'Report' }).click()
    await tab.getByRole('dialog').getByText('This field is required.').first().waitFor()
    await isFit(tab)
    await tab.keyboard.press('Escape')
    await tab.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await tab.evaluate('document.activeElement.localName')).toBe('summary')
    await menuOf(post(tab, 'Lichens')).click()
    await tab.getByRole('button', { name: 'Report' }).click()
    await tab.getByLabel('What is wrong').selectOption('Spam')
    await tab.getByLabel('What happened').fill('The same words again and again.')
    await isFit(tab)
    await tab.getByRole('dialog').getByRole('button', { name: 'Report' }).click()
    await tab.getByText('The moderators have your report.').waitFor()
    await menuOf(post(tab, 'Lichens')).click()
    await tab.getByRole('button', { name: 'Mute this post' }).click()
    await tab.getByText('Your feed will not show this post any more.').waitFor()

    await openPage(tab, 'Bookmarks')
    tab.isClean()
  })

  test('lets authors schedule, edit and delete, and people block each other', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, carla)
    await tab.getByRole('link', { name: 'Write' }).click()
    await tab.getByLabel('Format').selectOption('Essay with a title')
    await tab.getByRole('textbox', { name: 'Title' }).fill('On moss')
    await tab.getByLabel('Text').fill('It waits.')
    await tab.getByLabel('Publish later').fill('2100-01-31T10:00')
    await tab.getByRole('button', { name: 'Schedule' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Scheduled posts' }).waitFor()
    await menuOf(post(tab, 'On moss')).click()
    await isFit(tab)
    await tab.getByRole('button', { name: 'Edit' }).click()
    await tab.getByRole('dialog').getByLabel('Text').fill('It waits, and wins.')
    await tab.getByRole('button', { name: 'Save' }).click()
    await post(tab, 'It waits, and wins.').waitFor()
    await tab.getByRole('button', { name: 'Publish now' }).click()
    await tab.getByText('No posts are scheduled.').waitFor()
    await tab.goto('/app/people/carla')
    // a reload ends the session of somebody who did not choose to stay signed in
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    await logIn(tab, carla, true)
    await tab.goto('/app/people/carla')
    await menuOf(post(tab, 'On moss')).click()
    await tab.getByRole('button', { name: 'Delete' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await tab.getByText('The post is deleted.').waitFor()
    await post(tab, 'On moss').waitFor({ state: 'detached' })

    await tab.goto('/app/people/alice')
    await menuOf(tab.getByRole('main')).click()
    await tab.getByRole('button', { name: 'Block' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
    await tab.getByText(/^alice.* is blocked\.$/).waitFor()
    tab.isClean()
    await tab.goto('/app/people/alice')
    await tab.getByText('There is no such person').waitFor()
    await tab.isAccessible()
    tab.isClean([404])
  })

  test('is less than 120 kB compressed at the first visit, with what Realtime needs', async () => {
    const text = async (path: string) => (await fetch(`${url}${path}`)).text()
    const document = await text('/app')
    const paths = new Set([...document.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, path]) => path ?? []))
    const phoenix = document.split('"@supabase/phoenix":"')[1]?.split('"')[0] ?? ''
    const sizes = [...paths, phoenix].map(async (path) => (await compress(await text(path))).length)
    const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
    expect(sum).toBeGreaterThan(20_000)
    expect(sum).toBeLessThan(120_000)
  })
})

test('Every sentence for an error has an existing code', () => {
  expect(Object.keys(germanErrors).filter((code) => !Object.hasOwn(allErrors, code))).toEqual([])
})
