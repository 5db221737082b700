// Logins in several tabs and pages of a browser: which of them continue, and what ends them.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const { alice, bob, url } = await world({ people: ['alice', 'bob'] })
const browser = await startBrowser()

async function logIn(tab: Tab, { email, password }: Person, stays = false): Promise<void> {
  await tab.getByLabel('Email address').first().fill(email)
  await tab.getByLabel('Password').first().fill(password)
  if (stays) await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()
}
const heading = (tab: Pick<Tab, 'getByRole'>, name: string) =>
  tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const kept = (tab: Pick<Tab, 'evaluate'>) =>
  tab.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')

/** Replaces the kept access token by one that has expired. */
const EXPIRE = `(() => {
  const session = JSON.parse(localStorage.getItem('kith.session'))
  const [head, payload, signature] = session.accessToken.split('.')
  const claims = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
  const old = [head, btoa(JSON.stringify({ ...claims, exp: 1 })), signature].join('.')
  localStorage.setItem('kith.session', JSON.stringify({ ...session, accessToken: old }))
})()`

describe('A kept login', { timeout: 180_000 }, () => {
  test('continues in two tabs, which together refresh its tokens once each time', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/app')
    await logIn(tab, alice, true)
    await heading(tab, 'Home')
    const other = await tab.context().newPage()
    const refreshes: string[] = []
    tab.context().on('request', (request) => {
      if (request.url().endsWith('/identity/refresh')) refreshes.push(request.url())
    })
    for (let round = 1; round <= 4; round += 1) {
      await tab.evaluate(EXPIRE)
      await Promise.all([tab.goto('/app/wallet'), other.goto('/app/settings')])
      await Promise.all([heading(tab, 'Wallet'), heading(other, 'Settings')])
      expect(refreshes).toHaveLength(round)
    }

    // a tab in which Bob logs in without staying signed in keeps nothing, and does not end Alice's session
    const third = await tab.context().newPage()
    await third.goto('/app')
    await heading(third, 'Home')
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    await third.reload()
    await third.getByRole('button', { name: 'Log in' }).waitFor()
    await logIn(tab, alice, true)
    await tab.getByRole('button', { name: 'Log out' }).waitFor()
    await logIn(Object.assign(third, { isClean() {}, async isAccessible() {} }), bob)
    await third.getByRole('link', { name: 'bob' }).waitFor()
    await third.getByRole('button', { name: 'Log out' }).click()
    await third.getByRole('button', { name: 'Log in' }).waitFor()
    await tab.reload()
    await tab.getByRole('link', { name: 'alice' }).waitFor()
    tab.isClean()
  })

  test('continues from page to page in its tab, but not on the pages where an app asks for consent', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/account')
    await logIn(tab, alice)
    await tab.getByRole('heading', { name: 'Your data' }).waitFor()
    expect(new URL(tab.url()).href).toBe(`${url}/account`)
    const [local, inTab, cookie] = JSON.parse(await kept(tab))
    expect([JSON.stringify(local).includes('ey'), Object.keys(inTab), cookie]).toEqual([false, ['kith.session'], ''])
    await tab.goto('/notifications')
    await tab.getByRole('button', { name: 'Log out' }).waitFor()
    expect(await tab.getByLabel('Password').count()).toBe(0)
    await tab.goto('/account')
    await tab.getByRole('heading', { name: 'Your data' }).waitFor()
    await tab.goto('/join')
    await tab.getByRole('button', { name: 'Continue' }).waitFor()
    expect(await tab.getByRole('button', { name: 'Log out' }).count()).toBe(0)

    // another tab is not logged in, and a logout ends the session of this tab
    const other = await tab.context().newPage()
    await other.goto('/account')
    await other.getByRole('button', { name: 'Log in' }).waitFor()
    await tab.goto('/account')
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await kept(tab)).not.toContain('ey')
    await tab.reload()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    tab.isClean()
  })

  test('of a tab is neither used nor ended by a duplicate of the tab', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/account')
    await logIn(tab, alice)
    await tab.getByRole('heading', { name: 'Your data' }).waitFor()
    // the browser gives a window that the page opens a copy of what the tab keeps, as it does with a duplicate
    const duplicating = tab.context().waitForEvent('page')
    await tab.evaluate("void open('/account', '_blank')")
    const duplicate = await duplicating
    await duplicate.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await duplicate.evaluate('sessionStorage.length')).toBe(0)

    // each tab refreshes its own tokens
    await logIn(Object.assign(duplicate, { isClean() {}, async isAccessible() {} }), alice)
    await duplicate.getByRole('heading', { name: 'Your data' }).waitFor()
    for (const one of [tab, duplicate, tab, duplicate]) {
      await one.evaluate(EXPIRE.replaceAll('localStorage', 'sessionStorage'))
      await one.reload()
      await one.getByRole('heading', { name: 'Your data' }).waitFor()
    }
    // another page of the same tab needs no login
    await tab.goto('/notifications')
    await tab.getByRole('button', { name: 'Log out' }).waitFor()
    tab.isClean()
  })

  test('of the web client is used by the pages for people', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/app')
    await logIn(tab, bob, true)
    await heading(tab, 'Home')
    await tab.goto('/account')
    await tab.getByRole('heading', { name: 'Your data' }).waitFor()
    // the pages where an app asks for consent don't use it
    await tab.goto('/oauth/device')
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    await tab.goto('/app')
    await heading(tab, 'Home')
    tab.isClean()
  })
})
