// Logging in with a password: rehashing, failed attempts, and more attempts than the instance can check.
import { hash } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { ownOnly } from '../../support/target.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { bob, nobody, database } = await world({ people: ['bob'] })
const { owner } = database

describe('A password hash', () => {
  const stored = async ({ id }: Person) => {
    const [row] = await owner`select password_hash from private.credentials where user_id = ${id}`
    return String(row?.password_hash)
  }
  const store = (person: Person, text: string) =>
    owner`update private.credentials set password_hash = ${text} where user_id = ${person.id}`

  test.each([
    { memoryCost: 8192, timeCost: 2 },
    { memoryCost: 19_456, timeCost: 1 },
  ])('weaker than the standard, with %j, is replaced at the next login', async (parameters) => {
    const weak = await hash(bob.password, parameters)
    await store(bob, weak)
    const wrong = await nobody.post('/auth/login', { email: bob.email, password: 'not his password' })
    expect(wrong).toFailWith(401, 'credentials_wrong')
    expect(await stored(bob)).toBe(weak)
    await bob.login()
    const fresh = await stored(bob)
    expect(fresh).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await bob.get('/me')).toMatchObject({ status: 200 })
    await bob.login()
    expect(await stored(bob)).toBe(fresh)
  })

  test('stronger than the standard is kept', async () => {
    const strong = await hash(bob.password, { memoryCost: 32_768, timeCost: 3 })
    await store(bob, strong)
    await bob.login()
    expect(await stored(bob)).toBe(strong)
  })
})

describe('Failed logins', async () => {
  const limits = { global: '10000/min', login: '10000/min', login_account: '4/min' }
  const tight = await world({
    people: ['alice', 'bob', 'kiki'],
    env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) },
  })
  const logIn = (email: string, password: string) => tight.nobody.post('/auth/login', { email, password })
  const forget = () => tight.database.owner`delete from private.rates`

  test.each([
    ['a registered address', 'alice@example.org'],
    ['an unknown address', 'zoe@example.org'],
  ])('are limited per account: %s', async (_who, email) => {
    const letters = [email, email.toUpperCase(), ` ${email}`, email]
    for (const one of letters) expect(await logIn(one, 'wrong')).toFailWith(401, 'credentials_wrong')
    const refused = await logIn(email, 'wrong')
    expect(refused).toFailWith(429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('4;w=60')
    expect(await logIn(email, tight.alice.password)).toFailWith(429, 'rate_limited')
    expect(await logIn(tight.bob.email, tight.bob.password)).toMatchObject({ status: 200 })
  })

  test('are counted in the database, where all facades see them, without the address', async () => {
    const rows = await tight.database.owner`select key, used from private.rates where key ~ '^login_account'`
    expect(rows.map(({ used }) => used).sort()).toEqual([0, 4, 4])
    expect(JSON.stringify(rows)).not.toMatch(/alice|zoe|bob/)
  })

  test('stay within the limit even when they are concurrent', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => logIn('yan@example.org', 'wrong')))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8)
  })

  test('are counted, but successful logins are not', async () => {
    await forget()
    for (let n = 0; n < 6; n++) expect(await logIn(tight.bob.email, tight.bob.password)).toMatchObject({ status: 200 })
  })

  test('give no hint of how many there were', async () => {
    const answers = [await logIn('una@example.org', 'wrong'), await logIn('una@example.org', 'wrong')]
    expect(answers.map(({ headers }) => headers.get('ratelimit-limit'))).toEqual(['10000', '10000'])
  })

  describe('count per normalized address', () => {
    const { email, password } = tight.kiki
    const spellings = ['KIKI@example.org', '\u212ai\u212ai@example.org', '\t kiki@EXAMPLE.org\u00a0']

    test.each(spellings)('so that %j logs in to the same account', async (spelling) => {
      expect(await logIn(spelling, password)).toMatchObject({ status: 200 })
    })

    test('so that all spellings share one count', async () => {
      await forget()
      for (const spelling of [...spellings, email])
        expect(await logIn(spelling, 'wrong')).toFailWith(401, 'credentials_wrong')
      for (const spelling of [email, ...spellings])
        expect(await logIn(spelling, password)).toFailWith(429, 'rate_limited')
    })

    test('so that no letter that the database folds to another one bypasses the limit', async () => {
      for (let n = 0; n < 5; n++) await logIn(email, 'wrong')
      expect(await logIn(email, password)).toFailWith(429, 'rate_limited')
      const alike = await tight.database.owner<{ letter: string; plain: string }[]>`
        select chr(n) as letter, lower(chr(n)) as plain from generate_series(128, 55295) n
        where strpos(${email}, lower(chr(n))) > 0 order by n`
      expect(alike.map(({ letter }) => letter)).toEqual(['\u0130', '\u212a'])
      for (const { letter, plain } of alike) {
        const answer = await logIn(email.replace(plain, letter), password)
        expect([401, 429], letter).toContain(answer.status)
      }
    })
  })
})

describe('With more passwords to check than fit in the queue', () => {
  test('surplus logins get 503 at once, queued ones are answered, and only checked passwords count', async () => {
    ownOnly('floods the instance')
    await owner`delete from private.rates`
    const email = 'zoe@example.org'
    let open = 160
    const flood = Array.from({ length: open }, () =>
      nobody.post('/auth/login', { email, password: 'wrong' }).finally(() => open--),
    )
    expect(await bob.get('/me')).toMatchObject({ status: 200 })
    expect(open, 'requests without a password are answered meanwhile').toBeGreaterThan(0)
    const answers = await Promise.all(flood)
    const refused = answers.filter(({ status }) => status !== 401)
    for (const answer of refused) {
      expect(answer).toFailWith(503, 'service_unavailable')
      expect(answer.headers.get('retry-after')).toBe('2')
    }
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(60)
    const counts = await owner`select distinct used from private.rates where key ~ '^login_account' and used > 0`
    expect(counts).toEqual([{ used: answers.length - refused.length }])
    expect(await bob.login()).toBeDefined()
  })

  test('a known device can still log in, and a session can still change its password', async () => {
    ownOnly('floods the instance')
    const { email, password } = bob
    const { body } = await nobody.post<{ deviceToken: string }>('/auth/login', { email, password })
    let open = 160
    const flood = Array.from({ length: open }, () =>
      nobody.post('/auth/login', { email: 'zoe@example.org', password: 'wrong' }).finally(() => open--),
    )
    await until(() => open < 160) // the queue is full, and unknown devices get 503
    const own = { email, password, deviceToken: body.deviceToken }
    expect(await nobody.post('/auth/login', own)).toMatchObject({ status: 200 })
    const change = { currentPassword: password, newPassword: password }
    expect(await bob.patch('/identity/me/password', change)).toMatchObject({ status: 200 })
    expect(open, 'unknown devices still wait').toBeGreaterThan(0)
    await Promise.all(flood)
  })
})
