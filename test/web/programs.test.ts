// Access tokens, apps and bots, which act for a person, in the settings of the web client.
import { expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { world } from '../support/world.ts'

const env = { REGISTER_APPS: 'everyone', RATE_LIMIT_SCALE: '20' }
const { alice, database, url } = await world({ people: ['alice'], env })
// a start writes this setting, but the database of a test was made earlier
await database.owner`update app.settings set value = 'everyone' where key = 'register_apps'`
const browser = await startBrowser()

const press = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true }).click()
const agree = (tab: Tab, name: string) => tab.getByRole('dialog').getByRole('button', { name, exact: true }).click()
async function isFit(tab: Tab): Promise<void> {
  await tab.isAccessible()
  const size = tab.viewportSize() ?? { width: 1280, height: 720 }
  await tab.setViewportSize({ width: 360, height: 740 })
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await tab.setViewportSize(size)
}
/** The username of a token's holder. Undefined if the token is not accepted. */
async function whoHas(token: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })
  return answer.ok ? ((await answer.json()) as { username: string }).username : undefined
}

test('a person makes and ends access tokens, runs a bot, and registers an app', { timeout: 240_000 }, async () => {
  const tab = await openTab(browser, url)
  await tab.goto('/app/settings/programs')
  await tab.getByLabel('Email address').fill(alice.email)
  await tab.getByLabel('Password').fill(alice.password)
  await press(tab, 'Log in')
  await tab.getByText('You have allowed no apps.').waitFor()
  await isFit(tab)

  // a token with no scope is refused beside the field
  await press(tab, 'New access token')
  await tab.getByLabel('Name').fill('Backup')
  await press(tab, 'Make the token')
  await tab.getByText('Choose at least one.').waitFor()
  expect(await tab.getByText('Moderation and administration').count()).toBe(0)
  await isFit(tab)
  await tab.getByLabel('Read your profile').check()
  await tab.getByLabel('Valid for').selectOption('90 days')
  await press(tab, 'Make the token')
  await tab.getByRole('heading', { name: 'The access token “Backup”' }).waitFor()
  const token = (await tab.locator('.secret code').textContent()) ?? ''
  expect(await whoHas(token)).toBe(alice.username)
  await isFit(tab)
  await press(tab, 'I have saved it')
  expect(await tab.evaluate('document.body.textContent')).not.toContain('kith_pat_')
  await tab.reload()
  await tab.getByLabel('Email address').fill(alice.email)
  await tab.getByLabel('Password').fill(alice.password)
  await press(tab, 'Log in')
  await tab.getByText('Last used').waitFor()
  await press(tab, 'End: Backup')
  await agree(tab, 'End')
  await tab.getByText('There are no access tokens.').waitFor()
  expect(await whoHas(token)).toBeUndefined()

  await press(tab, 'New bot')
  await tab.getByLabel('Username').fill(alice.username)
  await tab.getByLabel('First name').fill('Weather')
  await press(tab, 'Create the bot')
  await tab.getByText('Somebody has this username.').waitFor()
  await isFit(tab)
  await tab.getByLabel('Username').fill('weather_bot')
  await press(tab, 'Create the bot')
  await press(tab, 'Access tokens: Weather Bot')
  await press(tab, 'New access token: Weather Bot')
  await tab.getByLabel('Name').fill('Station')
  await tab.getByLabel('Read your profile').check()
  await press(tab, 'Make the token')
  const botToken = (await tab.locator('.secret code').textContent()) ?? ''
  expect(await whoHas(botToken)).toBe('weather_bot')
  await isFit(tab)
  await press(tab, 'End: Station')
  await agree(tab, 'End')
  await tab.getByRole('button', { name: 'End: Station' }).waitFor({ state: 'detached' })
  await press(tab, 'Edit: Weather Bot')
  await tab.getByRole('dialog').getByLabel('First name').fill('Rain')
  await agree(tab, 'Save')
  await press(tab, 'Delete: Rain Bot')
  await agree(tab, 'Delete')
  await tab.getByText('You have no bots.').waitFor()

  await press(tab, 'Register an app')
  await tab.getByLabel('Name').fill('Garden notes')
  await tab.getByLabel('Redirect addresses').fill('http://garden.example/done')
  await tab.getByLabel('Read posts').check()
  await tab.getByLabel('The app runs on a server').check()
  await press(tab, 'Register')
  await tab.getByText('Each address must begin with https://').waitFor()
  await isFit(tab)
  await tab.getByLabel('Redirect addresses').fill('https://garden.example/done\nhttps://garden.example/more\n')
  await press(tab, 'Register')
  await tab.getByText('The app works once it has a secret.').waitFor()
  await press(tab, 'New secret: Garden notes')
  await agree(tab, 'New secret')
  await tab.getByRole('heading', { name: 'The secret of Garden notes' }).waitFor()
  expect(await tab.locator('.secret code').textContent()).toMatch(/^kith_ocs_/)
  await press(tab, 'I have saved it')
  await press(tab, 'Edit: Garden notes')
  await tab.getByLabel('Redirect addresses').fill('https://garden.example/new')
  await press(tab, 'Save')
  await tab.getByText('https://garden.example/new').waitFor()
  await isFit(tab)
  await press(tab, 'Delete: Garden notes')
  await agree(tab, 'Delete')
  await tab.getByText('You have registered no apps.').waitFor()
  tab.isClean([409, 422])
  await tab.close()
})
