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

const NARROW = { width: 360, height: 740 }
/** Expects that the page does not scroll sideways. */
const isNarrow = async (tab: Tab) =>
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width)

describe('The web client', { timeout: 180_000 }, () => {
  test('shows messages and notifications as they arrive, and links to what they are about', async () => {
    const [one, other] = [await openTab(browser, url), await openTab(browser, url)]
    // Alice puts Bob into a circle, so that they can write to each other
    await logIn(one, alice, '/app/circles')
    await one.getByRole('button', { name: 'Create a circle' }).click()
    await one.getByLabel('Name').fill('Neighbours')
    await one.getByRole('dialog').getByRole('button', { name: 'Create a circle' }).click()
    await one.getByRole('heading', { level: 1, name: 'Neighbours' }).waitFor()
    await logIn(other, bob, '/app/notifications')
    await other.getByText('Nothing has happened yet.').waitFor()
    await one.getByLabel('Find a person by name').fill('bob')
    await one.getByRole('button', { name: 'Search' }).click()
    await one.getByRole('button', { name: /^Add: bob/i }).click()
    await one.getByRole('button', { name: /^Remove bob/i }).waitFor()
    await one.getByRole('switch', { name: /^Inner circle.*bob/i }).check()
    await one.getByText('Changed.').waitFor()
    await one.isAccessible()

    // the notification arrives in Bob's tab without a reload, and leads to the circle
    const added = other.getByRole('link', { name: /^alice .* added you to a circle/i })
    await added.waitFor()
    await other.getByRole('link', { name: /Notifications 1/ }).waitFor()
    await other.isAccessible()
    await added.click()
    await other.getByRole('heading', { level: 1, name: 'Neighbours' }).waitFor()
    await other.isAccessible()

    // a conversation: both see each message at once
    await one.goto('/app/messages')
    await one.getByText('Write to somebody').click()
    await one.getByLabel('Find a person by name').fill('bob')
    await one.getByRole('button', { name: 'Search' }).click()
    await one.getByRole('button', { name: /^Write: bob/i }).click()
    await one.getByText('No messages yet.').waitFor()
    await other.getByRole('link', { name: /^Messages/ }).click()
    await other.getByRole('main').getByText('No messages yet.').waitFor()
    await one.getByLabel('Message', { exact: true }).fill('See you at https://kith.example/party?')
    await one.getByRole('button', { name: 'Send' }).click()
    await one.getByRole('list', { name: 'Messages' }).getByText('See you at').waitFor()
    await other.getByText(/See you at/).waitFor()
    await other.getByRole('link', { name: /^Messages 1/ }).waitFor()
    await other.isAccessible()
    await other.getByRole('link', { name: /^alice/i }).click()
    await other.getByRole('list', { name: 'Messages' }).getByText('See you at').waitFor()
    await other.getByLabel('Message', { exact: true }).fill('<b>Yes</b>')
    await other.getByLabel('Message', { exact: true }).press('Enter')
    await one.getByRole('list', { name: 'Messages' }).getByText('<b>Yes</b>').waitFor()
    // reading the message lowers the count
    await other.getByRole('link', { name: /^Messages$/ }).waitFor()

    await one.isAccessible()
    one.isClean()
    other.isClean()

    // a message that could not be sent keeps its text
    await one.context().setOffline(true)
    await one.getByText('No connection. What you see may be old.').waitFor()
    await one.getByLabel('Message', { exact: true }).fill('Bring cake')
    await one.getByRole('button', { name: 'Send' }).click()
    await one.getByText('This message was not sent.').waitFor()
    await one.isAccessible()
    await one.context().setOffline(false)
    await one.getByRole('button', { name: 'Send again' }).click()
    await other.getByRole('list', { name: 'Messages' }).getByText('Bring cake').waitFor()
    await one.getByText('This message was not sent.').waitFor({ state: 'detached' })
  })

  test('lets people found and join groups, and keeps their settings', async () => {
    const [one, other] = [await openTab(browser, url), await openTab(browser, url, { viewport: NARROW })]
    await logIn(one, alice, '/app/groups')
    await one.getByRole('button', { name: 'Create a group' }).click()
    await one.getByLabel('Name').fill('Mushroom hunters')
    await one.getByLabel('How people join').selectOption('On request')
    await one.getByRole('dialog').getByRole('button', { name: 'Create a group' }).click()
    await one.getByRole('heading', { level: 1, name: 'Mushroom hunters' }).waitFor()
    await one.getByLabel('Write something for the members').fill('Nothing but rain.')
    await one.getByRole('button', { name: 'Publish' }).click()
    await one.getByRole('article').getByText('Nothing but rain.').waitFor()
    await one.isAccessible()

    await logIn(other, bob, '/app/groups')
    await other.getByLabel('Find by words').fill('mushroom')
    await other.getByRole('button', { name: 'Search' }).click()
    await other.isAccessible()
    await other.getByRole('link', { name: 'Mushroom hunters' }).click()
    await other.getByRole('button', { name: 'Ask to join' }).click()
    await other.getByLabel('Message').fill('I know the woods.')
    await other.getByRole('dialog').getByRole('button', { name: 'Ask to join' }).click()
    await other.getByText('Your request waits for a decision.').waitFor()
    await one.reload()
    await one.getByText('I know the woods.').waitFor()
    await one.getByRole('button', { name: /^Admit: bob/i }).click()
    await one.getByText('2 members').waitFor()
    await other.reload()
    await other.getByText('Nothing but rain.').waitFor()
    await isNarrow(other)
    await other.getByRole('button', { name: 'Leave' }).click()
    await other.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await other.getByRole('button', { name: 'Ask to join' }).waitFor()

    for (const path of [
      'messages',
      'notifications',
      'circles',
      'guilds',
      'settings/notifications',
      'settings/account',
    ]) {
      await other.goto(`/app/${path}`)
      await other.getByRole('heading', { level: 1 }).waitFor()
      await other.getByText('Loading…').waitFor({ state: 'detached' })
      await isNarrow(other)
      await other.isAccessible()
    }
    await other.goto('/app/settings')
    await other.getByLabel('About you').fill('I hunt mushrooms.')
    await other.getByRole('button', { name: 'Draw a picture' }).click()
    await other.getByRole('button', { name: 'Remove the picture' }).waitFor()
    await other.getByRole('button', { name: 'Save' }).click()
    await other.getByText('Saved.').waitFor()
    await other.getByRole('main').getByRole('link', { name: 'Notifications' }).click()
    await other.getByRole('checkbox', { name: 'Reactions: Mail' }).uncheck()
    await other.getByLabel('Daily mail').selectOption('At 7:00')
    await other.getByText('Saved.').nth(1).waitFor()
    await other.getByRole('link', { name: 'Privacy' }).click()
    await other.getByLabel('Word').fill('rain')
    await other.getByRole('button', { name: 'Mute the word' }).click()
    await other.getByRole('button', { name: 'Unmute: rain' }).waitFor()
    await other.isAccessible()
    await other.reload()
    await other.getByRole('button', { name: 'Unmute: rain' }).waitFor()
    await other.getByRole('main').getByRole('link', { name: 'Notifications' }).click()
    await other.getByRole('checkbox', { name: 'Reactions: Device' }).and(other.locator(':checked')).waitFor()
    expect(await other.getByRole('checkbox', { name: 'Reactions: Mail' }).isChecked()).toBe(false)
    expect(await other.getByLabel('Daily mail').inputValue()).toBe('7')
    await other.getByRole('main').getByRole('link', { name: 'Profile' }).click()
    expect(await other.getByLabel('About you').inputValue()).toBe('I hunt mushrooms.')

    // a new password ends the other sessions, and this one continues
    await other.getByRole('link', { name: 'Account' }).click()
    await other.getByRole('button', { name: 'Change the password' }).click()
    await other.getByLabel('Current password').fill(bob.password)
    await other.getByLabel('New password').fill('better than before')
    await other.getByRole('dialog').getByRole('button', { name: 'Change the password' }).click()
    await other.getByText('The password is changed.').waitFor()
    await other.reload()
    await other.getByRole('button', { name: 'Log out' }).last().click()
    await other.getByRole('button', { name: 'Log in' }).waitFor()
    one.isClean()
    other.isClean()
  })

  test('can be installed: it has a manifest and icons, and says when there is no connection', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/app')
    await tab.evaluate('navigator.serviceWorker.ready')
    await tab.waitForFunction('navigator.serviceWorker.controller')

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

    // only static files and the page for no connection are cached
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
