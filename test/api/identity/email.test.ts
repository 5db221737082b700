// Verifying an email address and changing it: the request, the mail from the queue over SMTP, the link in it, and what
// the link does.
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { createSeals } from '../../../api-facade/lib/seals.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import { claimsOf } from '../../support/crawler.ts'
import { mailbox } from '../../support/mailbox.ts'
import type { Person } from '../../support/person.ts'
import { environment, JWT_SECRET, target } from '../../support/settings.ts'
import { ownOnly } from '../../support/target.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

type Session = { accessToken: string; refreshToken: string }
type Me = { email: string; emailVerifiedAt: string | null }

const OK = { ok: true }
const TIME = expect.stringMatching(/^20\d\d-/)

describe('Without a mail server', async () => {
  const { alice, nobody } = await world({ people: ['alice'] })
  const { email, password } = alice

  test.each([undefined, {}, { token: 1 }, { token: 'x'.repeat(1025) }])(
    'POST /auth/verify-email rejects %j with 422',
    async (body) => {
      expect(await nobody.post('/auth/verify-email', body)).toFailWith(422, 'validation_failed')
    },
  )

  test('POST /auth/verify-email rejects every token that was not sent by mail', async () => {
    const seals = createSeals([JWT_SECRET])
    const made = (['email', 'reset'] as const).map((purpose) =>
      seals.seal(purpose, { id: crypto.randomUUID(), generation: 0 }),
    )
    const { body } = await nobody.post<Session>('/auth/login', { email, password, session: 'rotating' })
    for (const token of ['', 'x', 'A'.repeat(70), ...made, body.refreshToken, body.accessToken])
      expect(await nobody.post('/auth/verify-email', { token })).toFailWith(410, 'verification_over')
  })

  test.each([
    undefined,
    {},
    { email: 'new@example.org' },
    { currentPassword: password },
    { email: 'nowhere', currentPassword: password },
    { email: 'x@deleted.invalid', currentPassword: password },
    { email: `${'a'.repeat(250)}@b.example`, currentPassword: password },
    { email: 'new@example.org', currentPassword: 1 },
  ])('POST /me/email rejects %j with 422, and a caller without a token with 401', async (body) => {
    expect(await alice.post('/me/email', body)).toFailWith(422, 'validation_failed')
    expect(await nobody.post('/me/email', body)).toFailWith(401, 'token_missing')
  })

  test('POST /me/verify-email requires a token', async () => {
    expect(await nobody.post('/me/verify-email')).toFailWith(401, 'token_missing')
  })
})

describe('With a low limit on password attempts', async () => {
  const limits = { global: '10000/min', password: '4/min', verify_email: '10000/min' }
  const { bob } = await world({
    people: ['bob'],
    env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) },
  })

  test('POST /me/email counts wrong passwords toward the limit `password`', async () => {
    const ask = () => bob.post('/me/email', { email: 'new@example.org', currentPassword: 'wrong' })
    for (let n = 0; n < 4; n++) expect(await ask()).toFailWith(403, 'password_wrong')
    expect(await ask()).toFailWith(429, 'rate_limited')
  })
})

describe('With a mail server', async () => {
  const { nobody, admin, database, join } = await world({ people: [] })
  const { owner } = database
  const { url, letters } = await mailbox()
  if (!target) {
    const config = readConfig(environment(database.url, { SMTP_URL: url, PUBLIC_URL: 'https://kith.example/app/' }))
    const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
    afterAll(() => worker.stop())
  }

  const tokenIn = (text = '') => /^https:\/\/kith\.example\/app\/verify-email#token=([\w-]+)\s*$/m.exec(text)?.[1]
  const sent = () => {
    ownOnly('takes mail from the queue itself')
    const left = () => owner`select from pgboss.job where name = 'mail' and state <> 'completed'`
    return until(async () => (await left()).length === 0)
  }
  /** All mail to an address, once the mail queue is empty. */
  const mailTo = async (address: string) => {
    await sent()
    return letters.filter(({ to }) => to.includes(address))
  }
  const subjectsTo = async (address: string) =>
    (await mailTo(address)).map(({ head }) => /^Subject: (.*)$/m.exec(head)?.[1]?.trim())
  /**
   * The tokens in the links sent to an address, oldest first. The test seals them itself, as the worker does, to avoid
   * waiting for mail.
   */
  const tokensTo = async (address: string) => {
    const links = await owner<{ id: string }[]>`
      select id from private.email_verifications where email = ${address} order by created_at`
    return links.map(({ id }) => createSeals([JWT_SECRET]).seal('email', { id, generation: 0 }))
  }
  const newestTo = async (address: string) => (await tokensTo(address)).at(-1) ?? ''
  const verify = (token: string | undefined) => nobody.post('/auth/verify-email', { token })
  const change = (person: Person, email: string, currentPassword = person.password) =>
    person.post('/me/email', { email, currentPassword })
  const me = async (person: Person) => (await person.get<Me>('/me')).body
  const logIn = (email: string, password: string) => nobody.post<Session>('/auth/login', { email, password })
  const invite = async (name: string) => (await join(name))[0] as Person
  const verified = async (name: string) => {
    const person = await invite(name)
    expect(await verify(await newestTo(person.email))).toMatchObject({ status: 200 })
    return person
  }
  const resetTokenOf = async ({ id: person }: Person, address: string) => {
    await nobody.post('/auth/forgot-password', { email: address })
    const [row] = await owner<{ id: string }[]>`
      select id from private.password_resets where user_id = ${person} order by created_at desc limit 1`
    return row && createSeals([JWT_SECRET]).seal('reset', { id: row.id, generation: 0 })
  }
  const lettersOf = async ({ id }: Person) => {
    const jobs = await owner<{ letter: string }[]>`
      select j.data ->> 'letter' as letter from pgboss.job j
      join private.email_verifications v on v.id::text = j.data ->> 'verificationId'
      where j.name = 'mail' and v.user_id = ${id}`
    return jobs.map(({ letter }) => letter).sort()
  }

  describe('POST /auth/verify-email', () => {
    test('verifies the address of a registration, and works once', async () => {
      const ann = await invite('ann')
      expect(await me(ann)).toMatchObject({ emailVerifiedAt: null })
      const [letter] = await mailTo(ann.email)
      const token = tokenIn(letter?.text)
      expect(letter?.text.split(/\r?\n/)).toContain(token)
      expect(await tokensTo(ann.email)).toEqual([token])
      expect(await verify(token)).toMatchObject({ status: 200, body: OK })
      expect(await me(ann)).toMatchObject({ email: ann.email, emailVerifiedAt: TIME })
      expect(await verify(token)).toFailWith(410, 'verification_over')
    })

    test('rejects a link after a week', async () => {
      const abe = await invite('abe')
      const [row] = await owner`
        select expires_at - created_at = interval '7 days' as week from private.email_verifications where user_id = ${abe.id}`
      expect(row).toEqual({ week: true })
      await owner`update private.email_verifications set expires_at = now() where user_id = ${abe.id}`
      expect(await verify(await newestTo(abe.email))).toFailWith(410, 'verification_over')
      expect(await me(abe)).toMatchObject({ emailVerifiedAt: null })
    })

    test('rejects a password-reset token, and reset-password rejects a verification token', async () => {
      const ava = await invite('ava')
      const [mine, reset] = [await newestTo(ava.email), await resetTokenOf(ava, ava.email)]
      expect(await verify(reset)).toFailWith(410, 'verification_over')
      const body = { token: mine, newPassword: 'what I chose now' }
      expect(await nobody.post('/auth/reset-password', body)).toFailWith(410, 'reset_over')
    })

    test('answers 410 while the person is banned, and forever once the person is erased', async () => {
      const ada = await invite('ada')
      const token = await newestTo(ada.email)
      await owner`update app.users set banned_at = now() where id = ${ada.id}`
      expect(await verify(token)).toFailWith(410, 'verification_over')
      await owner`update app.users set banned_at = null where id = ${ada.id}`
      await ada.post('/me/delete', { password: ada.password })
      expect(await verify(token)).toFailWith(410, 'verification_over')
    })

    test('accepts exactly one of concurrent requests with the same link', async () => {
      const amy = await invite('amy')
      const token = await newestTo(amy.email)
      const answers = await Promise.all([1, 2, 3, 4].map(() => verify(token)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
      await change(amy, 'amy.new@example.org')
      const next = await newestTo('amy.new@example.org')
      const later = await Promise.all([1, 2, 3, 4].map(() => verify(next)))
      expect(later.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
      expect(await lettersOf(amy)).toEqual(['asked', 'changed', 'link', 'link'])
    })
  })

  describe('POST /me/verify-email', () => {
    test('sends another link, and the earlier one stays valid until one of them is used', async () => {
      const ben = await invite('ben')
      expect(await ben.post('/me/verify-email')).toMatchObject({ status: 200, body: OK })
      const tokens = (await mailTo(ben.email)).map(({ text }) => tokenIn(text))
      expect(new Set(tokens).size).toBe(2)
      expect(await verify(tokens[0])).toMatchObject({ status: 200 })
      expect(await verify(tokens[1])).toFailWith(410, 'verification_over')
      expect(await ben.post('/me/verify-email')).toFailWith(409, 'email_verified')
      expect(await tokensTo(ben.email)).toHaveLength(2)
    })

    test('sends to the new address while a change of address is pending', async () => {
      const bea = await verified('bea')
      await change(bea, 'bea.new@example.org')
      expect(await bea.post('/me/verify-email')).toMatchObject({ status: 200 })
      const tokens = await tokensTo('bea.new@example.org')
      expect(tokens).toHaveLength(2)
      expect(await verify(tokens[1])).toMatchObject({ status: 200 })
      expect(await verify(tokens[0])).toFailWith(410, 'verification_over')
      expect(await me(bea)).toMatchObject({ email: 'bea.new@example.org' })
    })

    test('sends at most 10 links an hour, including those for changes of address', async () => {
      const bo = await invite('bo')
      for (let n = 0; n < 8; n++) expect(await bo.post('/me/verify-email')).toMatchObject({ status: 200 })
      expect(await change(bo, 'bo.new@example.org')).toMatchObject({ status: 202 })
      expect(await bo.post('/me/verify-email')).toFailWith(409, 'verifications_exhausted')
      expect(await change(bo, 'bo.newer@example.org')).toFailWith(409, 'verifications_exhausted')
      expect(await tokensTo('bo.newer@example.org')).toEqual([])
      expect(await verify(await newestTo('bo.new@example.org'))).toMatchObject({ status: 200 }) // still valid
    })
  })

  describe('POST /me/email', () => {
    test('changes the address once the new one is verified, and notifies the old one twice', async () => {
      const cora = await verified('cora')
      const [first] = await tokensTo(cora.email)
      const { email, password } = cora
      const login = await nobody.post<Session>('/auth/login', { email, password, session: 'rotating' })
      const since = (await me(cora)).emailVerifiedAt
      expect(await change(cora, 'Cora.New@example.org')).toMatchObject({ status: 202, body: OK })
      expect(await subjectsTo('Cora.New@example.org')).toEqual(['Your new email address for Kith'])
      expect((await subjectsTo(email)).at(-1)).toBe('Another email address for your account at Kith')
      expect(await me(cora)).toMatchObject({ email, emailVerifiedAt: since })
      expect(await logIn('cora.new@example.org', password)).toFailWith(401, 'credentials_wrong')

      const token = tokenIn((await mailTo('Cora.New@example.org'))[0]?.text)
      expect(await verify(token)).toMatchObject({ status: 200, body: OK })
      expect(await subjectsTo(email)).toContain('Your email address for Kith has changed')
      const { email: now, emailVerifiedAt } = await me(cora) // the access token from before the change still works
      expect(now).toBe('Cora.New@example.org')
      expect(emailVerifiedAt).not.toBe(since)
      for (const spent of [token, first]) expect(await verify(spent)).toFailWith(410, 'verification_over')
      expect(await logIn('cora.new@example.org', password)).toMatchObject({ status: 200 })
      expect(await logIn(email, password)).toFailWith(401, 'credentials_wrong')

      const { refreshToken } = login.body
      const next = await nobody.post<Session>('/identity/refresh', { refreshToken })
      expect(claimsOf(next.body.accessToken)).toMatchObject({ sub: cora.id, email: 'Cora.New@example.org' })
      expect((await cora.get('/me/export')).body).toMatchObject({ account: { emailVerifiedAt } })
    })

    test('rejects a wrong password and sends no mail', async () => {
      const cal = await verified('cal')
      for (const wrong of ['', 'wrong', cal.password.toUpperCase()])
        expect(await change(cal, 'cal.new@example.org', wrong)).toFailWith(403, 'password_wrong')
      expect(await lettersOf(cal)).toEqual(['link'])
    })

    test('does the same work and gives the same answer for a taken address, whose owner gets a mail', async () => {
      const [dan, dot] = [await verified('dan'), await verified('dot')]
      const traces = async () => {
        const [row] = await owner<{ rows: number; jobs: number }[]>`
          select (select count(*) from private.email_verifications)::int as rows,
                 (select count(*) from pgboss.job where name = 'mail')::int as jobs`
        return row ?? { rows: 0, jobs: 0 }
      }
      const answers = []
      for (const address of ['dan.new@example.org', 'DOT@example.org']) {
        const before = await traces()
        answers.push(await change(dan, address))
        expect(await traces()).toEqual({ rows: before.rows + 1, jobs: before.jobs + 2 })
      }
      const [free, taken] = answers.map(({ status, text, headers }) => ({ status, text, names: [...headers.keys()] }))
      expect(taken).toEqual(free)
      const [told] = await mailTo('DOT@example.org')
      expect(told?.text).toContain('another account already has it')
      expect(told?.text).not.toMatch(/token|[\w-]{60}/)
      expect(await me(dot)).toMatchObject({ email: dot.email })
    })

    test('sends a link that gives 409 while somebody else has the address', async () => {
      const eli = await verified('eli')
      await change(eli, 'Fritz@example.org')
      const token = await newestTo('Fritz@example.org')
      const fritz = await invite('fritz')
      for (let n = 0; n < 2; n++) expect(await verify(token)).toFailWith(409, 'email_taken')
      expect(await me(eli)).toMatchObject({ email: eli.email })
      await fritz.post('/me/delete', { password: fritz.password })
      expect(await verify(token)).toMatchObject({ status: 200 })
    })

    test('gives the address to exactly one of two people who verify it concurrently', async () => {
      const [eva, ewa] = [await verified('eva'), await verified('ewa')]
      await change(eva, 'same@example.org')
      const first = await newestTo('same@example.org')
      await change(ewa, 'SAME@example.org')
      const answers = await Promise.all([first, await newestTo('SAME@example.org')].map(verify))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(answers.find(({ status }) => status === 409)).toFailWith(409, 'email_taken')
      const addresses = [(await me(eva)).email, (await me(ewa)).email].map((address) => address.toLowerCase())
      expect(addresses.filter((address) => address === 'same@example.org')).toHaveLength(1)
    })

    test('replaces an earlier pending change, and entering the current address cancels a change', async () => {
      const gus = await verified('gus')
      await change(gus, 'gus.one@example.org')
      await change(gus, 'gus.two@example.org')
      expect(await verify(await newestTo('gus.one@example.org'))).toFailWith(410, 'verification_over')
      expect(await change(gus, gus.email)).toMatchObject({ status: 202, body: OK })
      expect(await verify(await newestTo('gus.two@example.org'))).toFailWith(410, 'verification_over')
      expect(await lettersOf(gus)).toEqual(['asked', 'asked', 'link', 'link', 'link'])
      expect(await change(gus, 'Gus@example.org')).toMatchObject({ status: 202 }) // a change of case is a change too
      expect(await verify(await newestTo('Gus@example.org'))).toMatchObject({ status: 200 })
      expect(await me(gus)).toMatchObject({ email: 'Gus@example.org' })
    })

    test('sends a link that expires after a day', async () => {
      const gil = await verified('gil')
      await change(gil, 'gil.new@example.org')
      const [row] = await owner`
        select expires_at - created_at = interval '1 day' as day from private.email_verifications
        where user_id = ${gil.id} and replaces is not null`
      expect(row).toEqual({ day: true })
      await owner`update private.email_verifications set expires_at = now() where user_id = ${gil.id}`
      expect(await verify(await newestTo('gil.new@example.org'))).toFailWith(410, 'verification_over')
      expect(await gil.post('/me/verify-email')).toFailWith(409, 'email_verified')
    })

    test('is cancelled by a new password, whether it was set while logged in or by mail', async () => {
      const [hal, hew] = [await verified('hal'), await verified('hew')]
      for (const one of [hal, hew]) await change(one, `${one.username}.thief@example.org`)
      const passwords = { currentPassword: hal.password, newPassword: 'a better password' }
      expect(await hal.patch('/identity/me/password', passwords)).toMatchObject({ status: 200 })
      const reset = { token: await resetTokenOf(hew, hew.email), newPassword: 'a better password' }
      expect(await nobody.post('/auth/reset-password', reset)).toMatchObject({ status: 200 })
      for (const one of [hal, hew])
        expect(await verify(await newestTo(`${one.username}.thief@example.org`))).toFailWith(410, 'verification_over')
    })

    test('invalidates password-reset links that were sent to the old address', async () => {
      const ian = await verified('ian')
      const token = await resetTokenOf(ian, ian.email)
      await change(ian, 'ian.new@example.org')
      expect(await verify(await newestTo('ian.new@example.org'))).toMatchObject({ status: 200 })
      const body = { token, newPassword: 'what a thief chose' }
      expect(await nobody.post('/auth/reset-password', body)).toFailWith(410, 'reset_over')
      expect(await resetTokenOf(ian, 'ian.new@example.org')).toBeDefined()
    })

    test('is part of the export while pending, and is erased with the person', async () => {
      const ira = await verified('ira')
      await change(ira, 'ira.new@example.org')
      const { body, text } = await ira.get<{ emailVerifications: object[] }>('/me/export')
      const pending = { email: 'ira.new@example.org', replaces: ira.email, expiresAt: TIME }
      expect(body.emailVerifications).toContainEqual(expect.objectContaining(pending))
      expect(text).not.toMatch(/hash/i)
      const token = await newestTo('ira.new@example.org')
      expect(await ira.post('/me/delete', { password: ira.password })).toMatchObject({ status: 200 })
      expect(await owner`select from private.email_verifications where user_id = ${ira.id}`).toHaveLength(0)
      expect(await verify(token)).toFailWith(410, 'verification_over')
    })

    test('stores no token in the database and no address in a job', async () => {
      const jo = await verified('jo')
      await change(jo, 'jo.new@example.org')
      const token = await newestTo('jo.new@example.org')
      const [row] = await owner<{ jobs: string; links: string }[]>`
        select (select json_agg(j)::text from pgboss.job j) as jobs,
               (select json_agg(v)::text from private.email_verifications v) as links`
      expect(row?.jobs).not.toContain('@example.org')
      expect(`${row?.jobs}${row?.links}`).not.toContain(token.slice(30))
    })
  })

  describe('A password-reset mail', () => {
    const age = (person: Person) =>
      owner`update app.users set created_at = now() - interval '25 hours' where id = ${person.id}`
    const ask = (email: string) => nobody.post('/auth/forgot-password', { email })

    test('is not sent to an address unverified for a day, which is treated like an unknown one', async () => {
      const kai = await invite('kai')
      await age(kai)
      const traces = async () => {
        const [row] = await owner<{ rows: number; jobs: number }[]>`
          select (select count(*) from private.password_resets)::int as rows,
                 (select count(*) from pgboss.job where name = 'mail')::int as jobs`
        return row ?? { rows: 0, jobs: 0 }
      }
      const before = await traces()
      const answers = [await ask(kai.email), await ask('zoe@nowhere.example')]
      expect(await traces()).toEqual({ rows: before.rows + 2, jobs: before.jobs + 2 })
      const [known, unknown] = answers.map(({ status, text, headers }) => ({
        status,
        text,
        names: [...headers.keys()],
      }))
      expect(known).toEqual(unknown)
      const [row] = await owner`select count(*)::int as resets from private.password_resets where user_id = ${kai.id}`
      expect(row).toEqual({ resets: 0 })
      expect(await verify(await newestTo(kai.email))).toMatchObject({ status: 200 }) // the link still works
      expect(await resetTokenOf(kai, kai.email)).toBeDefined()
    })

    test('verifies the address when its link is used', async () => {
      const kit = await invite('kit')
      const body = { token: await resetTokenOf(kit, kit.email), newPassword: 'a better password' }
      expect(await nobody.post('/auth/reset-password', body)).toMatchObject({ status: 200 })
      const { accessToken } = (await logIn(kit.email, 'a better password')).body
      expect(await me(kit.withToken(accessToken))).toMatchObject({ emailVerifiedAt: TIME })
    })

    test('is sent to the first admin, whose address counts as verified', async () => {
      expect(await me(admin)).toMatchObject({ emailVerifiedAt: TIME })
      await age(admin)
      expect(await resetTokenOf(admin, admin.email)).toBeDefined()
    })
  })
})
