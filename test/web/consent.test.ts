// The pages on which a person allows an app, in a real browser. The app uses a third-party client library.
import { createServer } from 'node:http'
import * as oauth from 'oauth4webapi'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../support/bare.ts'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import type { Person } from '../support/person.ts'
import { totp } from '../support/totp.ts'
import { world } from '../support/world.ts'

// the issuer must be known before the facade starts
const port = await freePort()
const issuer = `http://localhost:${port}`
const { alice, bob, database } = await world({
  people: ['alice', 'bob'],
  env: { PORT: String(port), HOST: 'localhost', FACADE_URL: issuer, RATE_LIMIT_SCALE: '20' },
})
await database.owner`update app.settings set value = 'everyone' where key = 'register_apps'`
const browser = await startBrowser()

/** The app itself: a page to which the browser comes back. */
const app = createServer((_, response) => response.end('<!doctype html><title>Garden</title><p>Back in the app'))
await new Promise<void>((settle) => app.listen(0, 'localhost', settle))
afterAll(() => new Promise((settle) => app.close(settle)))
const { port: appPort } = app.address() as { port: number }
const home = `http://localhost:${appPort}`
const DONE = `${home}/done`

const insecure = { [oauth.allowInsecureRequests]: true }
const as = await oauth
  .discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  .then((answer) => oauth.processDiscoveryResponse(new URL(issuer), answer))
const registered = await bob.post<{ id: string }>('/apps', {
  name: 'Garden notes',
  website: 'https://garden.example',
  redirectUris: [DONE],
  scopes: ['posts:read', 'posts:write'],
})
const client: oauth.Client = { client_id: registered.body.id }

/** The app sends the browser to the instance. */
async function begin(tab: Tab) {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = new URL(as.authorization_endpoint ?? '')
  const parameters = {
    client_id: client.client_id,
    redirect_uri: DONE,
    response_type: 'code',
    scope: 'posts:read posts:write',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  await tab.goto(url.href)
  await tab.getByText('Garden notes').waitFor()
  /** What the app makes of the answer with which the browser comes back. */
  return async () => {
    await tab.getByText('Back in the app').waitFor()
    const answer = oauth.validateAuthResponse(as, client, new URL(tab.url()), state)
    const none = oauth.None()
    const tokens = await oauth.authorizationCodeGrantRequest(as, client, none, answer, DONE, verifier, insecure)
    return oauth.processAuthorizationCodeResponse(as, client, tokens)
  }
}

const press = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true }).click()
async function logIn(tab: Tab, { email, password }: Person): Promise<void> {
  await tab.getByLabel('Email address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await press(tab, 'Log in')
}
const reads = async (token: string) =>
  (await fetch(`${issuer}/api/v1/feed`, { headers: { Authorization: `Bearer ${token}` } })).status
/** Gives a person an authenticator app. @returns its secret */
async function addFactor(who: Person): Promise<string> {
  await who.post('/auth/proof', { password: who.password })
  const { secret } = (await who.post<{ secret: string }>('/me/factors/totp')).body
  expect(await who.post('/me/factors/totp/confirm', { code: totp(secret) })).toMatchObject({ status: 200 })
  return secret
}
const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const
async function isFit(tab: Tab): Promise<void> {
  await tab.isAccessible()
  const width = tab.viewportSize()?.width
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(width)
}

for (const look of looks) {
  test(`a person allows an app and refuses it, ${look.colorScheme}, ${look.viewport.width} px`, {
    timeout: 180_000,
  }, async () => {
    const tab = await openTab(browser, issuer, { ...look, elsewhere: [home] })
    const arrive = await begin(tab)
    await tab.getByText('https://garden.example').waitFor()
    await isFit(tab)
    await logIn(tab, alice)
    await tab.getByText('You answer as alice').waitFor()
    await isFit(tab)
    await press(tab, 'Allow')
    const { access_token } = await arrive()
    expect(await reads(access_token)).toBe(200)
    // the address of the tab does not contain the token
    expect(tab.url()).not.toContain(access_token)

    const refused = await begin(tab)
    await logIn(tab, alice)
    await press(tab, 'Refuse')
    await expect(refused()).rejects.toMatchObject({ error: 'access_denied' })

    // an address whose request has ended, and one without a request
    await tab.goto('/oauth/consent?request=V1StGXR8_Z5jdHi6B-myT')
    await tab.getByText('This request has ended.').waitFor()
    await isFit(tab)
    await tab.goto('/oauth/consent')
    await tab.getByText('This address is incomplete.').waitFor()
    await isFit(tab)
    tab.isClean([410, 422])
    await tab.close()
  })

  test(`a person connects a device by its code, ${look.colorScheme}, ${look.viewport.width} px`, {
    timeout: 180_000,
  }, async () => {
    const ask = async () => {
      const parameters = { scope: 'posts:read' }
      const answer = await oauth.deviceAuthorizationRequest(as, client, oauth.None(), parameters, insecure)
      return oauth.processDeviceAuthorizationResponse(as, client, answer)
    }
    const poll = async (code: string) => {
      const answer = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), code, insecure)
      return oauth.processDeviceCodeResponse(as, client, answer)
    }
    const device = await ask()
    const tab = await openTab(browser, issuer, look)
    await tab.goto(device.verification_uri)
    await isFit(tab)
    await logIn(tab, alice)
    await tab.getByLabel('Code on the device').fill('WRNG-WRNG')
    await press(tab, 'Continue')
    await tab.getByText('No device shows this code').waitFor()
    await isFit(tab)
    await tab.getByLabel('Code on the device').fill(device.user_code.toLowerCase())
    await press(tab, 'Continue')
    await tab.getByText('Garden notes').waitFor()
    await isFit(tab)
    await press(tab, 'Allow')
    await tab.getByText('The device is connected').waitFor()
    await isFit(tab)
    expect(await reads((await poll(device.device_code)).access_token)).toBe(200)

    const other = await ask()
    await tab.goto(other.verification_uri_complete ?? '')
    await logIn(tab, alice)
    await press(tab, 'Continue')
    await press(tab, 'Refuse')
    await tab.getByText('The device was not connected').waitFor()
    await expect(poll(other.device_code)).rejects.toMatchObject({ error: 'access_denied' })
    tab.isClean([410])
    await tab.close()
  })
}

test('the login before the consent asks for the second factor', { timeout: 180_000 }, async () => {
  const secret = await addFactor(bob)
  // the step of the confirmation counts only once
  await database.owner`update private.totp set last_step = last_step - 10`
  const tab = await openTab(browser, issuer, { elsewhere: [home] })
  const arrive = await begin(tab)
  await logIn(tab, bob)
  const code = tab.getByLabel('Code', { exact: false }).last()
  await code.waitFor()
  await code.fill('000000')
  await press(tab, 'Log in')
  await tab.getByText('The code is wrong').waitFor()
  await tab.isAccessible()
  await code.fill(totp(secret))
  await press(tab, 'Log in')
  await tab.getByText('You answer as bob').waitFor()
  await press(tab, 'Allow')
  expect(await reads((await arrive()).access_token)).toBe(200)
  tab.isClean([403])
  await tab.close()
})
