// Logging in with a password: hashes that are made anew, attempts that fail, and more of them than can be checked.
import { hash } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { ownOnly } from '../../support/target.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { bob, nobody, database } = await world({ people: ['bob'] })
const { owner } = database

describe('a password hash', () => {
  const stored = async ({ id }: Person) => {
    const [row] = await owner`select password_hash from private.credentials where user_id = ${id}`
    return String(row?.password_hash)
  }
  const store = (person: Person, text: string) =>
    owner`update private.credentials set password_hash = ${text} where user_id = ${person.id}`

  test.each([
    { memoryCost: 8192, timeCost: 2 },
    { memoryCost: 19_456, timeCost: 1 },
  ])('that is weaker than %j is made anew at login', async (parameters) => {
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

  test('that is stronger stays', async () => {
    const strong = await hash(bob.password, { memoryCost: 32_768, timeCost: 3 })
    await store(bob, strong)
    await bob.login()
    expect(await stored(bob)).toBe(strong)
  })
})

describe('logins that fail', async () => {
  const limits = { global: '10000/min', login: '10000/min', login_account: '4/min' }
  const tight = await world({
    people: ['alice', 'bob', 'kiki'],
    env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) },
  })
  const logIn = (email: string, password: string) => tight.nobody.post('/auth/login', { email, password })
  const forget = () => tight.database.owner`delete from private.rates`

  test.each([
    ['a person', 'alice@example.org'],
    ['nobody', 'zoe@example.org'],
  ])('are counted by account: %s', async (_who, email) => {
    const letters = [email, email.toUpperCase(), ` ${email}`, email]
    for (const one of letters) expect(await logIn(one, 'wrong')).toFailWith(401, 'credentials_wrong')
    const refused = await logIn(email, 'wrong')
    expect(refused).toFailWith(429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('4;w=60')
    expect(await logIn(email, tight.alice.password)).toFailWith(429, 'rate_limited')
    expect(await logIn(tight.bob.email, tight.bob.password)).toMatchObject({ status: 200 })
  })

  test('are counted where all facades see it, and without the address', async () => {
    const rows = await tight.database.owner`select key, used from private.rates where key ~ '^login_account'`
    expect(rows.map(({ used }) => used).sort()).toEqual([0, 4, 4])
    expect(JSON.stringify(rows)).not.toMatch(/alice|zoe|bob/)
  })

  test('cannot be outrun', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => logIn('yan@example.org', 'wrong')))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8)
  })

  test('and those that succeed are not', async () => {
    await forget()
    for (let n = 0; n < 6; n++) expect(await logIn(tight.bob.email, tight.bob.password)).toMatchObject({ status: 200 })
  })

  test('nor does an answer tell how many there were', async () => {
    const answers = [await logIn('una@example.org', 'wrong'), await logIn('una@example.org', 'wrong')]
    expect(answers.map(({ headers }) => headers.get('ratelimit-limit'))).toEqual(['10000', '10000'])
  })

  describe('are counted by what the address is, however it is written', () => {
    const { email, password } = tight.kiki
    const spellings = ['KIKI@example.org', '\u212ai\u212ai@example.org', '\t kiki@EXAMPLE.org\u00a0']

    test.each(spellings)('%j is the same one', async (spelling) => {
      expect(await logIn(spelling, password)).toMatchObject({ status: 200 })
    })

    test('and they share one count', async () => {
      await forget()
      for (const spelling of [...spellings, email])
        expect(await logIn(spelling, 'wrong')).toFailWith(401, 'credentials_wrong')
      for (const spelling of [email, ...spellings])
        expect(await logIn(spelling, password)).toFailWith(429, 'rate_limited')
    })

    test('no letter that the database takes for another leads past it', async () => {
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

describe('more passwords than can be checked', () => {
  test('are refused at once, those that wait are answered, and only what was checked counts', async () => {
    ownOnly('floods the instance')
    await owner`delete from private.rates`
    const email = 'zoe@example.org'
    let open = 160
    const flood = Array.from({ length: open }, () =>
      nobody.post('/auth/login', { email, password: 'wrong' }).finally(() => open--),
    )
    expect(await bob.get('/me')).toMatchObject({ status: 200 })
    expect(open, 'what needs no password was answered meanwhile').toBeGreaterThan(0)
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

  test('keep nobody out who comes from a device of theirs, or is inside', async () => {
    ownOnly('floods the instance')
    const { email, password } = bob
    const { body } = await nobody.post<{ deviceToken: string }>('/auth/login', { email, password })
    let open = 160
    const flood = Array.from({ length: open }, () =>
      nobody.post('/auth/login', { email: 'zoe@example.org', password: 'wrong' }).finally(() => open--),
    )
    await until(() => open < 160) // the queue is full, and strangers are refused
    const own = { email, password, deviceToken: body.deviceToken }
    expect(await nobody.post('/auth/login', own)).toMatchObject({ status: 200 })
    const change = { currentPassword: password, newPassword: password }
    expect(await bob.patch('/identity/me/password', change)).toMatchObject({ status: 200 })
    expect(open, 'strangers still wait').toBeGreaterThan(0)
    await Promise.all(flood)
  })
})
