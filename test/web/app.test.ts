// The web client in a real browser.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import type { Person } from '../support/person.ts'
import { realtimeWorld } from '../support/realtime.ts'

const { alice, url } = await realtimeWorld({ env: { REALTIME: 'embedded' } })
const browser = await startBrowser()

async function logIn(tab: Tab, { email, password }: Pick<Person, 'email' | 'password'>, isKept = false): Promise<void> {
  await tab.goto('/app')
  await tab.getByLabel('Email address').fill(email)
  await tab.getByLabel('Password').fill(password)
  if (isKept) await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
}
const kept = (tab: Tab) => tab.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')

describe('The web client', { timeout: 120_000 }, () => {
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
})
