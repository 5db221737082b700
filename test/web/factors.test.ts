// Second factors in a real browser, with Chromium's virtual authenticator: an authenticator app, passkeys, logins with
// them, and the proof that some steps ask for.
import { expect, test } from 'vitest'
import { freePort } from '../support/bare.ts'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { logIn as logInToPanel } from '../support/panel.ts'
import { totp } from '../support/totp.ts'
import { world } from '../support/world.ts'

// passkeys belong to a domain, which an address such as 127.0.0.1 is not
const port = await freePort()
const origin = `http://localhost:${port}`
const { admin, alice, database, join } = await world({
  people: ['alice'],
  env: { PORT: String(port), FACADE_URL: origin },
})
const browser = await startBrowser()

/** Gives the tab an authenticator that approves everything. */
async function addDevice(tab: Tab): Promise<void> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const press = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true }).click()
/** The dialog on top. */
const dialog = (tab: Tab) => tab.getByRole('dialog').last()
const answer = (tab: Tab, name: string) => dialog(tab).getByRole('button', { name, exact: true }).click()

async function logIn(tab: Tab, { email, password } = alice): Promise<void> {
  await tab.getByLabel('Email address').first().fill(email)
  await tab.getByLabel('Password').first().fill(password)
  await press(tab, 'Log in')
}
const forgetProofs = () => database.owner`update private.proofs set proved_at = now() - interval '1 hour'`
const isNarrowEnough = async (tab: Tab) => {
  const size = tab.viewportSize() ?? { width: 1280, height: 720 }
  await tab.setViewportSize({ width: 360, height: 720 })
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await tab.setViewportSize(size)
}

test('a person adds an app and a passkey, logs in with each, and removes the passkey', {
  timeout: 240_000,
}, async () => {
  const tab = await openTab(browser, origin)
  await addDevice(tab)
  await tab.goto('/account')
  await logIn(tab)

  // an authenticator app: adding it asks for the password
  await press(tab, 'Add an app')
  await tab.isAccessible()
  await dialog(tab).getByLabel('Password').fill('another password')
  await answer(tab, 'Confirm')
  await tab.getByText('The password is wrong.').waitFor()
  await dialog(tab).getByLabel('Password').fill(alice.password)
  await answer(tab, 'Confirm')
  await tab.getByRole('img', { name: 'QR code with the key' }).waitFor()
  await tab.isAccessible()
  await isNarrowEnough(tab)
  const secret = (await tab.locator('code.key').textContent())?.replaceAll(' ', '') ?? ''
  expect(await tab.getByRole('link', { name: 'Open in an app' }).getAttribute('href')).toContain(`secret=${secret}`)
  await tab.getByLabel('Code that the app shows now').fill('000000')
  await press(tab, 'Confirm')
  await tab.getByText('Enter the one that the app shows now.').waitFor()
  await tab.getByLabel('Code that the app shows now').fill(totp(secret))
  await press(tab, 'Confirm')
  await tab.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  const codes = await tab.locator('.codes code').allTextContents()
  expect(codes).toHaveLength(10)
  await tab.isAccessible()
  await isNarrowEnough(tab)
  await press(tab, 'I have kept them')
  await tab.getByText('10 codes are left.').waitFor()
  expect(await tab.locator('.codes').count()).toBe(0)

  await press(tab, 'Log out')
  await logIn(tab)
  await tab.getByText('This account has a second factor.').waitFor()
  await tab.getByLabel('Code of the app').fill(totp(secret, 1))
  await press(tab, 'Log in')

  // a passkey: the login with the code was a proof
  await press(tab, 'Add a passkey')
  await dialog(tab).getByLabel('Name').fill('Laptop')
  await tab.isAccessible()
  await answer(tab, 'Continue')
  await tab.getByText('The passkey is added.').waitFor()
  await press(tab, 'Rename: Laptop')
  await dialog(tab).getByLabel('Name').fill('Laptop of the library')
  await answer(tab, 'Rename')
  await tab.getByText('Laptop of the library').waitFor()
  await press(tab, 'Log out')
  await press(tab, 'Sign in with a passkey')
  await tab.getByText('You are logged in as alice.').waitFor()
  await tab.getByText('Last used').first().waitFor()
  await tab.isAccessible()
  await isNarrowEnough(tab)

  // steps that ask for a proof
  await forgetProofs()
  const download = tab.waitForEvent('download')
  await press(tab, 'Download')
  await answer(tab, 'Use a passkey')
  expect((await download).suggestedFilename()).toBe('kith-export.json')
  await forgetProofs()
  await press(tab, 'Remove: Laptop of the library')
  await answer(tab, 'Remove')
  await dialog(tab).getByLabel('Code of the app').waitFor()
  await tab.isAccessible()
  await answer(tab, 'Cancel')
  await dialog(tab).getByText('Nothing was done').waitFor()
  expect(await tab.evaluate('document.activeElement.textContent.trim()')).toBe('Remove')
  await answer(tab, 'Remove')
  await answer(tab, 'Use a passkey')
  await tab.getByText('The passkey is removed.').waitFor()
  await tab.getByText('Laptop of the library').waitFor({ state: 'detached' })
  await press(tab, 'Log out')
  await press(tab, 'Sign in with a passkey')
  await tab.getByText('This passkey is not accepted here.').waitFor()

  // the same section in the web client, and the erasure
  await tab.goto('/app/settings/account')
  await logIn(tab)
  await tab.getByLabel('Code of the app').fill(codes[0] ?? '')
  await press(tab, 'Log in')
  await tab.getByText('9 codes are left.').waitFor()
  await tab.isAccessible()
  await isNarrowEnough(tab)
  await tab.goto('/account')
  await logIn(tab)
  await tab.getByLabel('Code of the app').fill(codes[1] ?? '')
  await press(tab, 'Log in')
  await tab.getByText('You are logged in as alice.').waitFor()
  await forgetProofs()
  await press(tab, 'Erase your account…')
  await dialog(tab).getByLabel('Password').fill(alice.password)
  await answer(tab, 'Erase permanently')
  await dialog(tab)
    .getByLabel('Code of the app')
    .fill(codes[2] ?? '')
  await answer(tab, 'Confirm')
  await tab.getByText('Your account is erased.').waitFor()
  tab.isClean([401, 403])
  await tab.close()
})

test('somebody who is banned reads why and appeals with a passkey', { timeout: 120_000 }, async () => {
  const [bob] = await join('bob')
  if (!bob) throw new Error('Nobody joined')
  const tab = await openTab(browser, origin)
  await addDevice(tab)
  await tab.goto('/account')
  await logIn(tab, bob)
  await press(tab, 'Add a passkey')
  await dialog(tab).getByLabel('Name').fill('Phone')
  await answer(tab, 'Continue')
  await dialog(tab).getByLabel('Password').fill(bob.password)
  await answer(tab, 'Confirm')
  await tab.getByText('The passkey is added.').waitFor()
  await admin.post(`/admin/users/${bob.id}/ban`, { reason: 'Sold fake seeds.' })
  await press(tab, 'Log out')
  await tab.getByText('Banned or suspended?').click()
  await tab.isAccessible()
  await isNarrowEnough(tab)
  await press(tab, 'Read them with a passkey')
  await tab.getByText('Sold fake seeds.').waitFor()
  await press(tab, 'Appeal')
  await dialog(tab).getByLabel('Why is the decision wrong?').fill('They were real.')
  // the passkey signs again, so the dialog asks for no code
  expect(await dialog(tab).getByRole('textbox').count()).toBe(1)
  await answer(tab, 'Send the appeal')
  await tab.getByRole('listitem').getByText('You have appealed.').waitFor()
  tab.isClean([401, 403])
})

test('staff who lack a second factor that their role requires learn where to add one', {
  timeout: 120_000,
}, async () => {
  await database.owner`update app.settings set value = 'admin' where key = 'require_factor'`
  const tab = await openTab(browser, origin)
  await logInToPanel(tab, admin)
  await tab.getByText('Your role requires a second factor').waitFor()
  await tab.isAccessible()
  await tab.getByRole('link', { name: 'Add a second factor' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  tab.isClean([403])
  await tab.close()
})
