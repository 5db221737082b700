// Two facades, each in its own process, behind a balancer that alternates between them: each count, revocation and
// switch at one facade applies at the other from the next request on.
import { afterAll, describe, expect, test } from 'vitest'
import { play } from '../../demo/story.ts'
import { CLIENT } from '../../support/balancer.ts'
import type { Answer } from '../../support/crawler.ts'
import { facades } from '../../support/facades.ts'
import { Person } from '../../support/person.ts'
import { begin } from '../../support/sessions.ts'
import { ADMIN } from '../../support/settings.ts'

describe('Rate limits across two facades', async () => {
  const { balancer, database } = await facades({ RATE_LIMIT_SCALE: '1' })
  const nobody = new Person(balancer.url)

  let clients = 0
  /** A new client address, which sends a different forged X-Forwarded-For with every request. */
  function newClient() {
    const address = `198.51.100.${++clients}`
    let claims = 0
    return () => ({ [CLIENT]: address, 'X-Forwarded-For': `192.0.2.${++claims}` })
  }

  /** Sends twice as many requests as the limit concurrently. @returns how many were admitted */
  async function passed(limit: number, ask: (n: number) => Promise<Answer>) {
    const answers = await Promise.all(Array.from({ length: 2 * limit }, (_, n) => ask(n)))
    const refused = answers.filter(({ status }) => status === 429)
    for (const answer of refused) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    return answers.length - refused.length
  }

  const login = ['/auth/login', '/Auth/Login', '/auth/login/', '/AUTH/LOGIN/']
  const register = ['/auth/register', '/auth/register/', '/Auth/REGISTER']
  const reserve = ['/auth/reserve-invite', '/identity/invite-codes/reserve', '/Identity/Invite-Codes/Reserve/']

  test.each([
    ['5 logins', 5, login, {}],
    ['3 registrations', 3, register, {}],
    ['10 reservations', 10, reserve, { code: 'INV-ZZZZZZ', candidateSessionId: crypto.randomUUID() }],
  ])('allow exactly %s a minute, whatever the spelling of the path', async (_what, limit, paths, body) => {
    const client = newClient()
    const ask = (n: number) => nobody.post(paths[n % paths.length] ?? '', body, client())
    expect(await passed(limit, ask)).toBe(limit)
    for (let n = 0; n < 4; n++) expect(await ask(n)).toFailWith(429, 'rate_limited')
    expect((await nobody.post(paths[0] ?? '', body, newClient()())).status).not.toBe(429)
  })

  test('allow exactly 60 requests a minute from one address', async () => {
    const client = newClient()
    expect(await passed(60, () => nobody.get('/me', client()))).toBe(60)
  })

  test('allow exactly 10 refreshes a minute of one session, from any address', async () => {
    const { refreshToken } = await begin(Object.assign(new Person(balancer.url), ADMIN), newClient()())
    expect(await passed(10, () => nobody.post('/identity/refresh', { refreshToken }, newClient()()))).toBe(10)
  })

  test('stop querying the database for a client that floods', async () => {
    const client = newClient()
    await passed(60, () => nobody.get('/me', client()))
    // the database rejects each facade once, and then the facade answers by itself
    for (let n = 0; n < 2; n++) expect((await nobody.get('/me', client())).status).toBe(429)
    // xmin is the transaction that wrote the row last. Every call of the database would change xmin, even a call that
    // rejects the hit.
    const writer = () =>
      database.owner`select xmin::text from private.rates where key = ${`global 60 198.51.100.${clients}`}`
    const before = await writer()
    expect(before).toHaveLength(1)
    for (let n = 0; n < 40; n++) expect((await nobody.get('/me', client())).status).toBe(429)
    expect(await writer()).toEqual(before)
  })
})

describe('Across two facades', async () => {
  const { balancer, database, urls } = await facades()
  const [one = '', other = ''] = urls
  afterAll(() => expect(Math.abs((balancer.counts[0] ?? 0) - (balancer.counts[1] ?? 0))).toBeLessThanOrEqual(1))
  const login = (url: string) => Object.assign(new Person(url), ADMIN).login()
  const at = (url: string, person: Person) => new Person(url, person.token)

  test('the demo story works', async () => {
    await play({ url: balancer.url, admin: ADMIN, print: () => {} })
    expect(Math.min(...balancer.counts)).toBeGreaterThan(20)
  })

  test('a token that is revoked at one is invalid at the other', async () => {
    const admin = await login(one)
    expect((await at(other, admin).get('/me')).status).toBe(200)
    expect((await at(one, admin).post('/auth/logout')).status).toBe(204)
    expect(await at(other, admin).get('/me')).toFailWith(401, 'token_revoked')
    expect(await at(one, admin).get('/me')).toFailWith(401, 'token_revoked')
  })

  test('all of a person’s tokens, revoked at one, are invalid at the other', async () => {
    const [here, there] = [await login(one), await login(other)]
    expect((await there.get('/me')).status).toBe(200)
    expect((await here.post('/auth/logout', { scope: 'global' })).status).toBe(204)
    expect(await there.get('/me')).toFailWith(401, 'token_revoked')
  })

  test('a feature flag that is switched off is off at both immediately', async () => {
    const admin = await login(one)
    const pay = (url: string) =>
      at(url, admin).post('/economy/pay', { receiverId: 'nobody_there', emotion: 'insight', tier: 1 })
    const codes = async () =>
      (await Promise.all([pay(one), pay(other)])).map(({ headers }) => headers.get('x-error-code'))
    expect(await codes()).not.toContain('feature_disabled')
    await database.owner`update app.feature_flags set enabled = false where key = 'emoji-pay'`
    expect(await codes()).toEqual(['feature_disabled', 'feature_disabled'])
    await database.owner`update app.feature_flags set enabled = true where key = 'emoji-pay'`
    expect(await codes()).not.toContain('feature_disabled')
  })

  test('a banned person is locked out of both immediately', async () => {
    const { body } = await new Person(one).post<{ accessToken: string }>('/auth/login', {
      email: 'ben@example.org',
      password: 'Ben keeps a secret',
    })
    const ben = new Person(one, body.accessToken)
    expect((await at(other, ben).get('/me')).status).toBe(200)
    await database.owner`update app.users set banned_at = now() where id = ${ben.id}`
    for (const url of urls) expect(await at(url, ben).get('/me')).toFailWith(401, 'token_revoked')
  })

  test('an answer stored for an Idempotency-Key at one is replayed at the other', async () => {
    const admin = await login(one)
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const post = { format: 'note', body: 'Once, whoever is asked.' }
    const [first, second] = [
      await at(one, admin).post<{ id: string }>('/posts', post, key),
      await at(other, admin).post<{ id: string }>('/posts', post, key),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.id).toBe(first.body.id)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
  })
})
