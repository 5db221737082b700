// The pages with an OpenID provider: joining with it, logging in, and linking a login with an account that has a password.
import { expect, test } from 'vitest'
import { freePort } from '../support/bare.ts'
import { openTab, startBrowser } from '../support/browser.ts'
import { newCode } from '../support/codes.ts'
import { CLIENT, startProvider } from '../support/provider.ts'
import { world } from '../support/world.ts'

// the provider needs the address of the facade before the facade starts
const port = await freePort()
const origin = `http://localhost:${port}`
const provider = await startProvider(origin)
const { admin, alice } = await world({
  people: ['alice'],
  env: {
    PORT: String(port),
    FACADE_URL: origin,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_NAME: 'Example',
  },
})
const browser = await startBrowser()

test('a person joins with the provider and logs in with it', { timeout: 180_000 }, async () => {
  provider.accounts.nora = { email: 'nora@example.org', email_verified: true }
  provider.account = 'nora'
  const tab = await openTab(browser, origin, { elsewhere: [provider.issuer] })
  await tab.goto(`/join#${await newCode(admin)}`)
  await tab.getByRole('button', { name: 'Continue' }).click()
  await tab.getByRole('button', { name: 'Join with Example, without a password' }).waitFor()
  await tab.isAccessible()
  await tab.getByRole('button', { name: 'Join with Example, without a password' }).click()
  await tab.getByText('You have logged in at Example.').waitFor()
  expect(await tab.evaluate('[location.pathname, location.hash, sessionStorage.length]')).toEqual(['/join', '', 0])
  expect(await tab.getByLabel('Password').count()).toBe(0)
  await tab.getByLabel('First name').fill('nora')
  await tab.getByLabel('Last name').fill('例')
  await tab.getByLabel('Date of birth').fill('1990-01-31')
  await tab.getByLabel('Country').selectOption('DE')
  await tab.locator('[name=city]').fill('Berlin')
  await tab.isAccessible()
  await tab.getByRole('button', { name: 'Join', exact: true }).click()
  await tab.getByText('nora').first().waitFor()

  await tab.goto('/app')
  await tab.getByRole('button', { name: 'Log in with Example' }).click()
  await tab.getByRole('navigation').first().waitFor()
  tab.isClean()
  await tab.close()
})

test('somebody who has not linked a login gets a message, and links it after a login with the password', {
  timeout: 180_000,
}, async () => {
  const tab = await openTab(browser, origin, { elsewhere: [provider.issuer] })
  provider.accounts.alice = { email: 'alice.elsewhere@example.org', email_verified: true }
  provider.account = 'alice'
  await tab.goto('/account')
  await tab.getByRole('button', { name: 'Log in with Example' }).click()
  await tab.getByText('No account here is linked to this login.').waitFor()
  await tab.isAccessible()
  await tab.getByLabel('Email address').first().fill(alice.email)
  await tab.getByLabel('Password').first().fill(alice.password)
  await tab.getByRole('button', { name: 'Log in', exact: true }).click()
  await tab.getByRole('button', { name: 'Link a login at Example' }).click()
  // the tab has kept the login
  await tab.getByRole('button', { name: 'Link the login' }).click()
  await tab.getByRole('dialog').getByLabel('Password').fill(alice.password)
  await tab.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await tab.getByText('alice.elsewhere@example.org').waitFor()
  await tab.isAccessible()
  await tab.getByRole('button', { name: 'Log out' }).click()
  await tab.getByRole('button', { name: 'Log in with Example' }).click()
  await tab.getByText('alice.elsewhere@example.org').waitFor()
  tab.isClean([403, 404])
  await tab.close()
})

test('somebody without a password proves who they are at the provider, and the page continues', {
  timeout: 180_000,
}, async () => {
  provider.account = 'nora'
  const tab = await openTab(browser, origin, { elsewhere: [provider.issuer] })
  await tab.goto('/account')
  await tab.getByRole('button', { name: 'Log in with Example' }).click()
  await tab.getByRole('button', { name: 'Add an app' }).click()
  const dialog = tab.getByRole('dialog')
  const again = dialog.getByRole('button', { name: 'Log in at Example again' })
  await again.waitFor()
  expect(await dialog.getByLabel('Password').count()).toBe(0)
  await tab.isAccessible()

  // the provider refuses, and somebody else's login
  provider.account = undefined
  await again.click()
  await dialog.getByText('Logging in there failed.').waitFor()
  provider.account = 'alice'
  await again.click()
  await dialog.getByText('That login is not linked with your account.').waitFor()

  provider.account = 'nora'
  await again.click()
  await tab.getByRole('img', { name: 'QR code with the key' }).waitFor()
  expect(tab.context().pages()).toEqual([tab])
  expect(await tab.evaluate('[location.hash, Object.keys(sessionStorage)]')).toEqual(['', ['kith.session']])
  tab.isClean([403, 404])
  await tab.close()
})
