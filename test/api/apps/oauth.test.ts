// OAuth 2.1 with the client library oauth4webapi: all flows, and the attacks of RFC 9700.
import { createServer } from 'node:net'
import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../../support/crawler.ts'
import type { Person } from '../../support/person.ts'
import { totp } from '../../support/totp.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

/** A free port, because the issuer must be known before the facade starts. */
const port = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
})
const issuer = `http://localhost:${port}`
const { alice, bob, carla, admin, database, join } = await world({
  env: { PORT: String(port), HOST: 'localhost', FACADE_URL: issuer },
})
const letEveryoneRegister = () => database.owner`update app.settings set value = 'everyone' where key = 'register_apps'`
const closed = await alice.post('/apps', { name: 'x', redirectUris: ['https://x.example/'], scopes: ['posts:read'] })
await letEveryoneRegister()

const insecure = { [oauth.allowInsecureRequests]: true }
const as = await oauth
  .discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure })
  .then((answer) => oauth.processDiscoveryResponse(new URL(issuer), answer))

const DONE = 'https://garden.example/done'
type Made = { id: string }
async function register(owner: Person, more: Record<string, unknown> = {}): Promise<oauth.Client> {
  const app = { name: 'Garden', redirectUris: [DONE], scopes: ['posts:read', 'posts:write'], ...more }
  const { status, body } = await owner.post<Made>('/apps', app)
  expect(status).toBe(201)
  return { client_id: body.id }
}

const garden = await register(bob)
const [dora, emil, fay] = (await join('dora', 'emil', 'fay')) as [Person, Person, Person]

/** Adds an authenticator app. @returns the person with the new token */
const secretOf = new Map<Person, string>()
async function guard(one: Person): Promise<Person> {
  await one.post('/auth/proof', { password: one.password })
  const { secret } = (await one.post<{ secret: string }>('/me/factors/totp')).body
  secretOf.set(one, secret)
  const { body } = await one.post<{ accessToken: string }>('/me/factors/totp/confirm', { code: totp(secret) })
  return one.withToken(body.accessToken)
}
/** A code that is accepted, because the step of the last used code is reset. */
async function nextCode(one: Person): Promise<string> {
  await database.owner`update private.totp set last_step = 0 where user_id = ${one.id}`
  return totp(secretOf.get(one) ?? '')
}

/** Runs `end` while requests of apps for tokens of a person wait for a lock. @returns the errors of the requests */
async function meanwhile(one: Person, start: () => Promise<unknown>[], end: () => Promise<{ status: number }>) {
  const { asked } = await database.owner.begin(async (sql) => {
    await sql`select from private.credentials where user_id = ${one.id} for update`
    const asked = start().map((request) => request.catch((error: unknown) => error))
    await until(async () => {
      const rows = await database.owner`
        select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock'
          and query like '%api.issue_app_token%'`
      return rows.length === asked.length
    })
    expect(await end()).toMatchObject({ status: 204 })
    return { asked } // begin() would await bare promises while it holds the lock
  })
  return Promise.all(asked)
}

/** A browser that keeps the cookies of each path. */
function browser() {
  const jar = new Map<string, { value: string; path: string }>()
  return async (url: string, init: RequestInit = {}) => {
    const { pathname } = new URL(url)
    const cookies = [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
    const answer = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) },
    })
    for (const cookie of answer.headers.getSetCookie()) {
      expect(cookie).toMatch(/httponly/i)
      expect(cookie).toMatch(/samesite=lax/i)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, { value, path: /path=([^;]+)/i.exec(cookie)?.[1] ?? '/' })
    }
    return answer
  }
}
type Browser = ReturnType<typeof browser>

type Asked = { verifier: string; state: string; browse: Browser; request: string }
/** Sends the browser to the instance as the app does, and expects the page. */
async function ask(client: oauth.Client, more: Record<string, string> = {}): Promise<Asked> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(as.authorization_endpoint ?? '')
  const parameters = {
    client_id: client.client_id,
    redirect_uri: DONE,
    response_type: 'code',
    scope: 'posts:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value)
  const browse = browser()
  const answer = await browse(url.href)
  const to = new URL(answer.headers.get('location') ?? '', issuer)
  return { verifier, state, browse, request: to.searchParams.get('request') ?? (to.href as string) }
}

const bearer = (person: Person) => ({ authorization: `Bearer ${person.token}`, 'content-type': 'application/json' })
const decide = (asked: Asked, person: Person, allow = true, browse = asked.browse) =>
  browse(`${issuer}/api/v1/oauth/consent`, {
    method: 'POST',
    headers: bearer(person),
    body: JSON.stringify({ request: asked.request, allow }),
  })

/** Allows the request as the person. @returns where the browser arrives */
async function agree(asked: Asked, person = alice, allow = true): Promise<URL> {
  const answer = await decide(asked, person, allow)
  expect(answer.status).toBe(200)
  const { next } = (await answer.json()) as { next: string }
  const back = await asked.browse(next)
  return new URL(back.headers.get('location') ?? '')
}

/** Exchanges the answer for tokens as the app does. */
async function redeem(client: oauth.Client, arrived: URL, { state, verifier }: Asked, auth = oauth.None()) {
  const parameters = oauth.validateAuthResponse(as, client, arrived, state)
  const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, DONE, verifier, insecure)
  return oauth.processAuthorizationCodeResponse(as, client, answer)
}

const refresh = async (client: oauth.Client, token = '') =>
  oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, insecure),
  )
const tokens = async (client = garden, person = alice, more = {}) => {
  const asked = await ask(client, more)
  return redeem(client, await agree(asked, person), asked)
}
const reads = async (token: string) => (await alice.withToken(token).get('/feed')).status
const refused = (code: string) => expect.objectContaining({ error: code })

describe('OAuth', { timeout: 60_000 }, () => {
  test('describes itself (RFC 8414), without OpenID Connect', () => {
    expect(as).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(as.jwks_uri).toBeUndefined()
  })

  test('gives an app the scopes that the person allowed, and no others', async () => {
    const asked = await ask(garden)
    const page = await asked.browse(`${issuer}/api/v1/oauth/consent?request=${asked.request}`)
    expect(await page.json()).toMatchObject({
      app: { name: 'Garden', redirectHost: 'garden.example' },
      scopes: [{ scope: 'posts:read' }],
    })
    const arrived = await agree(asked)
    expect(arrived.searchParams.get('iss')).toBe(issuer)
    const found = await redeem(garden, arrived, asked)
    expect(found.access_token).toMatch(/^kith_app_/)
    expect(found).toMatchObject({ scope: 'posts:read', token_type: 'bearer', expires_in: 900 })
    expect(await reads(found.access_token)).toBe(200)
    const post = await fetch(`${issuer}/api/v1/posts`, {
      method: 'POST',
      headers: bearer(alice.withToken(found.access_token)),
      body: JSON.stringify({ body: 'x', visibility: 'public' }),
    })
    expect([post.status, post.headers.get('x-error-code')]).toEqual([403, 'scope_missing'])
    const again = await refresh(garden, found.refresh_token)
    expect(await reads(again.access_token)).toBe(200)
    const { body } = await alice.get<{ items: unknown[] }>('/me/apps')
    expect(body.items).toMatchObject([{ id: garden.client_id, name: 'Garden', scopes: ['posts:read'] }])
  })

  test('makes a secret and changes redirect URIs only after a fresh proof if the owner has a second factor', async () => {
    const gil = (await join('gil'))[0] as Person
    const owner = await guard(gil)
    const { client_id: id } = await register(owner, { isConfidential: true })
    await database.owner`update private.proofs set proved_at = now() - interval '10 minutes' where user_id = ${gil.id}`
    const redirectUris = ['https://garden.example/other']
    expect(await owner.post(`/apps/${id}/secret`)).toFailWith(403, 'proof_required')
    expect(await owner.patch(`/apps/${id}`, { redirectUris })).toFailWith(403, 'proof_required')
    expect(await owner.patch(`/apps/${id}`, { name: 'Meadow' })).toMatchObject({
      status: 200,
      body: { name: 'Meadow', redirectUris: [DONE], hasSecret: false },
    })
    expect((await owner.post('/auth/proof', { code: await nextCode(gil) })).status).toBe(200)
    expect((await owner.post(`/apps/${id}/secret`)).status).toBe(200)
    expect(await owner.patch(`/apps/${id}`, { redirectUris })).toMatchObject({ status: 200, body: { redirectUris } })
  })

  test('rejects names that could pass for another text', async () => {
    const mirrored = 'Garden \u202Enedrag'
    const app = { redirectUris: [DONE], scopes: ['posts:read'] }
    expect(await bob.post('/apps', { ...app, name: mirrored })).toFailWith(422, 'text_unfit')
    expect(await bob.patch(`/apps/${garden.client_id}`, { name: mirrored })).toFailWith(422, 'text_unfit')
    expect(await bob.post('/me/tokens', { name: mirrored, scopes: ['posts:read'] })).toFailWith(422, 'text_unfit')
  })

  test('authenticates an app by its secret, and rejects every other secret', async () => {
    const client = await register(bob, { name: 'Server', isConfidential: true })
    const early = await fetch(`${as.authorization_endpoint}?client_id=${client.client_id}&response_type=code`)
    expect(await early.json()).toMatchObject({ error: 'invalid_client' }) // the app has no secret yet
    const made = await bob.post<{ secret: string }>(`/apps/${client.client_id}/secret`)
    const asked = await ask(client)
    const arrived = await agree(asked)
    await expect(redeem(client, arrived, asked)).rejects.toMatchObject(refused('invalid_client'))
    await expect(redeem(client, arrived, asked, oauth.ClientSecretPost('wrong'))).rejects.toMatchObject(
      refused('invalid_client'),
    )
    const found = await redeem(client, arrived, asked, oauth.ClientSecretBasic(made.body.secret))
    const info = await oauth.introspectionRequest(
      as,
      client,
      oauth.ClientSecretPost(made.body.secret),
      found.access_token,
      insecure,
    )
    expect(await oauth.processIntrospectionResponse(as, client, info)).toMatchObject({
      active: true,
      scope: 'posts:read',
    })
    const kept = await database.owner`select secret_hash from app.apps where id = ${client.client_id}`
    expect(JSON.stringify(kept)).not.toContain(made.body.secret)
  })

  test('gives a device tokens once, when the person enters its code', async () => {
    const start = async () => {
      const answer = await oauth.deviceAuthorizationRequest(
        as,
        garden,
        oauth.None(),
        new URLSearchParams({ scope: 'posts:read' }),
        insecure,
      )
      return oauth.processDeviceAuthorizationResponse(as, garden, answer)
    }
    const poll = async (code: string) =>
      oauth.processDeviceCodeResponse(
        as,
        garden,
        await oauth.deviceCodeGrantRequest(as, garden, oauth.None(), code, insecure),
      )
    const device = await start()
    expect(device.verification_uri).toBe(`${issuer}/oauth/device`)
    await expect(poll(device.device_code)).rejects.toMatchObject(refused('authorization_pending'))
    const shown = await alice.post('/oauth/device', { userCode: device.user_code.toLowerCase() })
    expect(shown.body).toMatchObject({ app: { name: 'Garden' }, scopes: [{ scope: 'posts:read' }] })
    const decision = { userCode: device.user_code, allow: true }
    expect((await alice.post('/oauth/device/decision', decision)).status).toBe(204)
    expect((await carla.post('/oauth/device/decision', decision)).status).toBe(410)
    const found = await poll(device.device_code)
    expect(await reads(found.access_token)).toBe(200)
    // a device code that is used again ends the consent
    await expect(poll(device.device_code)).rejects.toMatchObject(refused('invalid_grant'))
    expect(await reads(found.access_token)).toBe(401)

    const refusedDevice = await start()
    await alice.post('/oauth/device/decision', { userCode: refusedDevice.user_code, allow: false })
    await expect(poll(refusedDevice.device_code)).rejects.toMatchObject(refused('access_denied'))
  })

  test('tells the app when the person refuses', async () => {
    const asked = await ask(garden)
    const arrived = await agree(asked, alice, false)
    expect(arrived.searchParams.get('error')).toBe('access_denied')
    expect(arrived.searchParams.get('state')).toBe(asked.state)
  })

  test('rejects a code with another verifier, of another app, or for another redirect URI (RFC 9700, 4.5)', async () => {
    const asked = await ask(garden)
    const arrived = await agree(asked)
    const injected = { ...asked, verifier: oauth.generateRandomCodeVerifier() }
    await expect(redeem(garden, arrived, injected)).rejects.toMatchObject(refused('invalid_grant'))
    const other = await register(carla)
    await expect(redeem(other, arrived, asked)).rejects.toMatchObject(refused('invalid_grant'))
    const form = {
      grant_type: 'authorization_code',
      code: arrived.searchParams.get('code') ?? '',
      client_id: garden.client_id,
    }
    const elsewhere = await fetch(as.token_endpoint ?? '', {
      method: 'POST',
      body: new URLSearchParams({ ...form, code_verifier: asked.verifier, redirect_uri: 'https://evil.example/' }),
    })
    expect(await elsewhere.json()).toMatchObject({ error: 'invalid_grant' })
    expect(await reads((await redeem(garden, arrived, asked)).access_token)).toBe(200)
  })

  test('ends the consent when a code is used twice, even concurrently (4.5; RFC 6749, 4.1.2)', async () => {
    const asked = await ask(garden)
    const arrived = await agree(asked)
    const found = await redeem(garden, arrived, asked)
    await expect(redeem(garden, arrived, asked)).rejects.toMatchObject(refused('invalid_grant'))
    expect(await reads(found.access_token)).toBe(401)
    await expect(refresh(garden, found.refresh_token)).rejects.toMatchObject(refused('invalid_grant'))

    const raced = await ask(garden)
    const back = await agree(raced)
    const results = await Promise.allSettled([redeem(garden, back, raced), redeem(garden, back, raced)])
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
  })

  test('requires PKCE with S256 (4.8.2, downgrade)', async () => {
    const downgrades: Record<string, string>[] = [
      { code_challenge: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: '' },
    ]
    for (const more of downgrades) {
      const { request } = await ask(garden, more)
      expect(new URL(request).searchParams.get('error'), JSON.stringify(more)).toBe('invalid_request')
    }
  })

  test('redirects only to registered addresses, compared exactly (4.1, 4.11)', async () => {
    for (const redirect_uri of [
      'https://evil.example/',
      `${DONE}/more`,
      `${DONE}?x=1`,
      'https://garden.example.evil.example/done',
      'https://garden.example@evil.example/done',
      'https://garden.example/done/../evil',
      'javascript:alert(1)',
    ]) {
      const url = new URL(as.authorization_endpoint ?? '')
      url.search = String(
        new URLSearchParams({ client_id: garden.client_id, response_type: 'code', scope: 'posts:read', redirect_uri }),
      )
      const answer = await fetch(url, { redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')], redirect_uri).toEqual([400, null])
    }
    for (const bad of ['javascript:alert(1)', 'http://garden.example/', 'https://x.example/#a', 'data:text/html,x'])
      expect((await bob.post('/apps', { name: 'x', redirectUris: [bad], scopes: ['posts:read'] })).status, bad).toBe(
        422,
      )
    // an app on the person's own machine cannot know its port
    const native = await register(bob, { redirectUris: ['http://127.0.0.1/done', 'org.example.garden:/done'] })
    const asked = await ask(native, { redirect_uri: 'http://127.0.0.1:54321/done' })
    expect((await agree(asked)).origin).toBe('http://127.0.0.1:54321')
  })

  test('names the issuer in each answer, so that a client notices a mix-up (4.4)', async () => {
    const asked = await ask(garden)
    const arrived = await agree(asked)
    expect(() =>
      oauth.validateAuthResponse({ ...as, issuer: 'https://other.example' }, garden, arrived, asked.state),
    ).toThrow(/iss/)
    arrived.searchParams.delete('iss')
    expect(() => oauth.validateAuthResponse(as, garden, arrived, asked.state)).toThrow(/iss/)
  })

  test('ends a consent when an old refresh token is used again (4.14)', async () => {
    const first = await tokens()
    const second = await refresh(garden, first.refresh_token)
    // the answer may have been lost, so for 10 seconds the old token returns the same new token
    expect((await refresh(garden, first.refresh_token)).refresh_token).toBe(second.refresh_token)
    const third = await refresh(garden, second.refresh_token)
    await expect(refresh(garden, first.refresh_token)).rejects.toMatchObject(refused('invalid_grant'))
    await expect(refresh(garden, third.refresh_token)).rejects.toMatchObject(refused('invalid_grant'))
    expect(await reads(third.access_token)).toBe(401)
    const stranger = await register(carla)
    const own = await tokens()
    await expect(refresh(stranger, own.refresh_token)).rejects.toMatchObject(refused('invalid_grant'))
  })

  test('accepts consent only from the browser that began the request, and with a login (4.7, CSRF)', async () => {
    const asked = await ask(garden)
    const other = await decide(asked, alice, true, browser())
    expect([other.status, other.headers.get('x-error-code')]).toEqual([410, 'consent_over'])
    const form = await asked.browse(`${issuer}/api/v1/oauth/consent`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ request: asked.request, allow: true }),
    })
    expect(form.status).toBe(401)
    const page = await fetch(`${issuer}/oauth/consent`)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const app = await tokens()
    const byApp = await decide(asked, alice.withToken(app.access_token))
    expect([byApp.status, byApp.headers.get('x-error-code')]).toEqual([403, 'session_required'])
    // the cookie of one request is not accepted for another request
    const twice = await decide({ ...asked, request: 'another-request' }, alice)
    expect(twice.status).toBe(410)
  })

  test('lets only staff allow scopes for staff, and gives an app only scopes that it registered', async () => {
    const client = await register(bob, { scopes: ['staff:read', 'posts:read'] })
    const asked = await ask(client, { scope: 'staff:read' })
    const answer = await decide(asked, alice)
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'role_required'])
    await agree(await ask(client, { scope: 'staff:read' }), admin)
    const { request } = await ask(garden, { scope: 'economy:write' })
    expect(new URL(request).searchParams.get('error')).toBe('invalid_scope')
  })

  test('ends the tokens of an app with the consent, the app, the password, a ban and a global logout', async () => {
    const over = async (person: Person, found: oauth.TokenEndpointResponse, client = garden) => {
      expect((await person.withToken(found.access_token).get('/feed')).status).toBe(401)
      await expect(refresh(client, found.refresh_token)).rejects.toMatchObject({ error: /invalid_(grant|client)/ })
    }
    const revoked = await tokens()
    expect((await alice.delete(`/me/apps/${garden.client_id}`)).status).toBe(204)
    await over(alice, revoked)
    expect((await alice.delete(`/me/apps/${garden.client_id}`)).status).toBe(404)

    const byApp = await tokens()
    await oauth.revocationRequest(as, garden, oauth.None(), byApp.refresh_token ?? '', insecure)
    await over(alice, byApp)

    const gone = await register(bob, { name: 'Gone' })
    const ofGone = await tokens(gone)
    expect((await bob.delete(`/apps/${gone.client_id}`)).status).toBe(204)
    await over(alice, ofGone, gone)

    const loggedOut = await tokens(garden, carla)
    await carla.post('/auth/logout', { scope: 'global' })
    await over(carla, loggedOut)

    const again = await carla.login()
    const changed = await tokens(garden, again)
    await again.patch('/identity/me/password', { currentPassword: carla.password, newPassword: 'another password' })
    await over(again, changed)

    const banned = await tokens(garden, alice)
    await admin.post('/admin/users/alice/ban', { reason: 'test' })
    await over(alice, banned)
  })

  test('gives no token to an app that is deleted, or whose consent ends during the request', async () => {
    const ways: [string, (client: oauth.Client) => Promise<{ status: number }>][] = [
      ['the person revokes it', ({ client_id }) => dora.delete(`/me/apps/${client_id}`)],
      ['the app is deleted', ({ client_id }) => bob.delete(`/apps/${client_id}`)],
    ]
    for (const [way, end] of ways) {
      const client = await register(bob, { name: way })
      const asked = await ask(client)
      const arrived = await agree(asked, dora)
      const { refresh_token } = await tokens(client, dora)
      const raced = await meanwhile(
        dora,
        () => [redeem(client, arrived, asked), refresh(client, refresh_token)],
        () => end(client),
      )
      expect(raced, way).toEqual([refused('invalid_grant'), refused('invalid_grant')])
      const [left] = await database.owner`
        select (select count(*)::int from app.access_tokens where client_id = ${client.client_id} and ended_at is null) as tokens,
               (select count(*)::int from app.app_consents where app_id = ${client.client_id} and ended_at is null) as consents`
      expect(left, way).toEqual({ tokens: 0, consents: 0 })
    }
    // a code that was issued before the app was deleted
    const gone = await register(bob, { name: 'Gone' })
    const asked = await ask(gone)
    const arrived = await agree(asked, dora)
    await bob.delete(`/apps/${gone.client_id}`)
    await expect(redeem(gone, arrived, asked)).rejects.toMatchObject(refused('invalid_client'))
  })

  test('accepts a device code and a refresh token once, even in concurrent requests', async () => {
    const device = await oauth
      .deviceAuthorizationRequest(as, garden, oauth.None(), new URLSearchParams({ scope: 'posts:read' }), insecure)
      .then((answer) => oauth.processDeviceAuthorizationResponse(as, garden, answer))
    await dora.post('/oauth/device/decision', { userCode: device.user_code, allow: true })
    const poll = async () =>
      oauth.processDeviceCodeResponse(
        as,
        garden,
        await oauth.deviceCodeGrantRequest(as, garden, oauth.None(), device.device_code, insecure),
      )
    const polled = await Promise.allSettled([poll(), poll(), poll()])
    expect(polled.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    const decisions = await Promise.all(
      [1, 2, 3].map(() => dora.post('/oauth/device/decision', { userCode: device.user_code, allow: true })),
    )
    expect(decisions.map(({ status }) => status)).toEqual([410, 410, 410])

    const first = await tokens(garden, dora)
    const refreshed = await Promise.all([1, 2, 3].map(() => refresh(garden, first.refresh_token)))
    expect(new Set(refreshed.map(({ refresh_token }) => refresh_token)).size).toBe(1)
  })

  test('ends scopes for staff when the role ends: tokens, JWTs, codes and refresh tokens', async () => {
    await admin.patch('/admin/users/emil/role', { role: 'moderator' })
    const staff = await emil.login()
    const client = await register(bob, { scopes: ['staff:read'] })
    const scope = { scope: 'staff:read' }
    const found = await tokens(client, staff, scope)
    const asked = await ask(client, scope)
    const arrived = await agree(asked, staff)
    const personal = await staff.post<{ token: string }>('/me/tokens', { name: 'x', scopes: ['staff:read'] })
    const all = [staff.withToken(found.access_token), staff.withToken(personal.body.token)]
    for (const one of [...all]) {
      const { body } = await one.post<{ accessToken: string }>('/auth/token')
      all.push(staff.withToken(body.accessToken))
    }
    for (const one of all) expect(await one.get('/admin/cases')).toMatchObject({ status: 200 })
    await admin.patch('/admin/users/emil/role', { role: 'user' })
    for (const one of all) {
      expect(await one.get('/admin/cases')).toFailWith(401, 'token_revoked')
      const answer = await fetch(`${issuer}/rest/v1/rpc/list_cases`, {
        method: 'POST',
        headers: bearer(one),
        body: '{}',
      })
      expect(answer.status).toBe(401)
    }
    await expect(refresh(client, found.refresh_token)).rejects.toMatchObject(refused('invalid_grant'))
    await expect(redeem(client, arrived, asked)).rejects.toMatchObject(refused('invalid_grant'))
  })

  test('asks a person with a second factor for a fresh proof, as for an access token', async () => {
    const guarded = await guard(fay)
    const asked = await ask(garden)
    await database.owner`update private.proofs set proved_at = now() - interval '10 minutes' where user_id = ${fay.id}`
    const answer = await decide(asked, guarded)
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'proof_required'])
    await guarded.post('/auth/proof', { code: await nextCode(fay) })
    expect((await agree(asked, guarded)).searchParams.get('code')).toBeTruthy()
  })

  test('shows an app the address of the person only with the scope for it', async () => {
    const addressTo = async (scope: string) => {
      const client = await register(bob, { scopes: [scope] })
      const found = await tokens(client, dora, { scope })
      const { body } = await dora.withToken(found.access_token).post<{ accessToken: string }>('/auth/token')
      return (claimsOf(body.accessToken) as { email: string }).email
    }
    expect(await addressTo('posts:read')).toBe('hidden@people.invalid')
    expect(await addressTo('profile:read')).toBe(dora.email)
  })

  test('accepts only the newest ten tokens of a consent', async () => {
    const client = await register(bob)
    let { access_token, refresh_token } = await tokens(client, dora)
    const introspect = async (token: string) =>
      oauth.processIntrospectionResponse(
        as,
        client,
        await oauth.introspectionRequest(as, client, oauth.None(), token, insecure),
      )
    const first = access_token
    expect(await introspect(first)).toMatchObject({ active: true })
    for (let n = 0; n < 10; n++) ({ access_token, refresh_token } = await refresh(client, refresh_token))
    expect(await reads(first)).toBe(401)
    expect(await introspect(first)).toEqual({ active: false })
    expect(await introspect(access_token)).toMatchObject({ active: true })
    const [kept] = await database.owner`
      select count(*)::int as records from private.oauth_records r join app.app_consents c on c.id = r.consent_id
      where c.app_id = ${client.client_id} and r.model = 'AccessToken'`
    expect(kept?.records).toBe(10)
  })

  test('never sends content that a browser would run, whatever the request contains', async () => {
    const evil = '"><script>alert(1)</script>'
    const query = {
      client_id: garden.client_id,
      response_type: 'code',
      scope: 'posts:read',
      redirect_uri: DONE,
      state: evil,
    }
    const hard = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
    const requests: Record<string, string>[] = [
      { ...query, client_id: evil },
      { ...query, redirect_uri: `https://evil.example/${evil}` },
      { ...query, scope: evil },
      { ...query, response_type: evil },
      { ...query, ...hard, response_mode: 'form_post' },
      { ...query, ...hard, response_mode: evil },
      { ...query, ...hard, prompt: evil },
      { ...query, request: evil },
    ]
    for (const one of requests) {
      const answer = await fetch(`${as.authorization_endpoint}?${new URLSearchParams(one)}`, { redirect: 'manual' })
      const type = answer.headers.get('content-type')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect([JSON.stringify(one), type ?? 'none']).toEqual([
        JSON.stringify(one),
        expect.stringMatching(/^(none|application\/json)/),
      ])
    }
    for (const path of ['token', 'introspect', 'revoke', 'device-code']) {
      const body = new URLSearchParams({ client_id: evil, grant_type: evil, token: evil, scope: evil, code: evil })
      const answer = await fetch(`${issuer}/oauth/${path}`, { method: 'POST', body })
      expect(answer.headers.get('content-type'), path).toMatch(/^application\/json/)
    }
    const page = await fetch(`${issuer}/oauth/consent?request=${encodeURIComponent(evil)}`)
    expect(await page.text()).not.toContain('alert(1)')
  })

  test('answers an unknown app, and a known one with a wrong secret, in the same way', async () => {
    const client = await register(bob, { isConfidential: true })
    await bob.post(`/apps/${client.client_id}/secret`)
    const answers = await Promise.all(
      [client.client_id, crypto.randomUUID(), 'x'].map(async (id) => {
        const answer = await fetch(as.token_endpoint ?? '', {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${id}:wrong`)}` },
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
        })
        return [answer.status, answer.headers.get('www-authenticate'), await answer.text()]
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  test('stores codes, tokens and cookies only as hashes', async () => {
    expect(closed.headers.get('x-error-code')).toBe('apps_closed')
    const found = await tokens(garden, bob)
    const [{ all }] = (await database.owner`
      select (select json_agg(r) from private.oauth_records r)::text || (select json_agg(c) from app.app_consents c)::text
          || (select json_agg(t) from app.access_tokens t)::text as all`) as unknown as [{ all: string }]
    expect(all).toContain(garden.client_id)
    for (const secret of [found.access_token, found.refresh_token ?? '']) expect(all).not.toContain(secret)
  })
})
