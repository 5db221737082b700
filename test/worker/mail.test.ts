// Mail with a link to reset a password: from the request through the queue and SMTP to the link and its effect.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { type Letter, mailbox, opened } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

type Session = { accessToken: string; refreshToken: string }

const { nobody, admin, database, join } = await world({ people: [] })
const { owner } = database
const invite = async (name: string) => (await join(name))[0] as Person
const credentials = ({ email, password }: Person) => ({ email, password })
const logIn = (email: string, password: string) => nobody.post<Session>('/auth/login', { email, password })

const SAME = { ok: true }
const ask = (email: string, path = '/auth/forgot-password') => nobody.post(path, { email })
const reset = (token: unknown, newPassword: unknown = 'what I chose now', path = '/auth/reset-password') =>
  nobody.post(path, { token, newPassword })
const linkIn = (text: string) => /^https:\/\/kith\.example\/app\/reset-password#token=([\w-]+)\s*$/m.exec(text)?.[1]

describe('A password-reset mail', async () => {
  const { url, letters, refuse } = await mailbox()
  const settings = { SMTP_URL: url, PUBLIC_URL: 'https://kith.example/app/', INSTANCE_DOMAIN: 'kith.example' }
  const config = readConfig(environment(database.url, settings))
  const logged: unknown[] = []
  const log = Object.assign(createLog(config), { error: (line: object) => logged.push(line) })
  const worker = await startWorker({ config, databaseUrl: database.url, log, pollSeconds: 0.1 })
  afterAll(() => worker.stop())
  await owner`update pgboss.queue set retry_delay = 0, retry_backoff = false where name = 'mail'`

  const lettersTo = ({ email }: Person) => letters.filter(({ to, text }) => to.includes(email) && linkIn(text))
  const arrives = async (person: Person) => (await until(() => lettersTo(person)[0])) as Letter
  const tokenFor = async (person: Person) => linkIn((await arrives(person)).text)
  const jobs = () => owner<{ state: string }[]>`select state from pgboss.job where name = 'mail'`
  const idle = () => until(async () => (await jobs()).every(({ state }) => state === 'completed'))

  test.each([
    ['/auth/forgot-password', '/auth/reset-password'],
    ['/forgot/request', '/forgot/reset'],
  ])('requested by POST %s sets a password by POST %s, once', async (asking, setting) => {
    const person = await invite(`p_${asking.replace(/\W/g, '')}`)
    const other = await person.login()
    const { body } = await nobody.post<Session>('/auth/login', { ...credentials(person), session: 'rotating' })
    expect(await ask(person.email.toUpperCase(), asking)).toMatchObject({ status: 200, body: SAME })
    const letter = await arrives(person)
    expect(letter).toMatchObject({ from: 'no-reply@kith.example', to: [person.email] })
    const token = linkIn(letter.text)
    expect(letter.text.split(/\r?\n/)).toContain(token)
    expect(await reset(token, '7 chars', setting)).toFailWith(422, 'validation_failed')
    expect(await person.get('/me')).toMatchObject({ status: 200 })

    expect(await reset(token, 'what I chose now', setting)).toMatchObject({ status: 200, body: SAME })
    for (const one of [person, other]) expect(await one.get('/me')).toFailWith(401, 'token_revoked')
    const { refreshToken } = body
    expect(await nobody.post('/identity/refresh', { refreshToken })).toFailWith(401, 'refresh_token_invalid')
    expect(await logIn(person.email, person.password)).toFailWith(401, 'credentials_wrong')
    expect(await logIn(person.email, 'what I chose now')).toMatchObject({ status: 200 })
    expect(await reset(token, 'what a thief chose', setting)).toFailWith(410, 'reset_over')
    expect(await logIn(person.email, 'what I chose now')).toMatchObject({ status: 200 })
  })

  test('is requested with the same answer and work whether or not the address is registered', async () => {
    const cleo = await invite('cleo')
    await idle()
    const traces = async () => {
      const [row] = await owner<{ rows: number; jobs: number }[]>`
        select (select count(*) from private.password_resets)::int as rows,
               (select count(*) from pgboss.job where name = 'mail')::int as jobs`
      return row ?? { rows: 0, jobs: 0 }
    }
    const before = await traces()
    const answers = []
    for (const [at, email] of [cleo.email, 'zoe@nowhere.example'].entries()) {
      answers.push(await ask(email))
      expect(await traces()).toEqual({ rows: before.rows + at + 1, jobs: before.jobs + at + 1 })
    }
    const [known, unknown] = answers.map(({ status, text, headers }) => {
      const names = [...headers.keys()].sort()
      return { status, text, names }
    })
    expect(known).toEqual(unknown)
    await arrives(cleo)
    await idle()
    expect(letters.flatMap(({ to }) => to)).not.toContain('zoe@nowhere.example')
  })

  test('is sent at most five times an hour, and older links stay valid', async () => {
    const dora = await invite('dora')
    for (let n = 0; n < 7; n++) expect(await ask(dora.email)).toMatchObject({ status: 200, body: SAME })
    await idle()
    expect(lettersTo(dora)).toHaveLength(5)
    const tokens = lettersTo(dora).map(({ text }) => linkIn(text))
    expect(new Set(tokens).size).toBe(5)
    expect(await reset(tokens[0])).toMatchObject({ status: 200 })
    for (const token of tokens) expect(await reset(token)).toFailWith(410, 'reset_over')
  })

  test('contains a token that is not stored in the database', async () => {
    const eve = await invite('eve')
    await ask(eve.email)
    const token = (await tokenFor(eve)) ?? ''
    await idle()
    const [row] = await owner<{ text: string }[]>`
      select (select json_agg(r)::text from private.password_resets r) || (select json_agg(j)::text from pgboss.job j) as text`
    expect(row?.text).not.toContain(token.slice(30))
    expect(row?.text).not.toContain(eve.email)
    expect(JSON.stringify(logged)).not.toContain(eve.email)
  })

  test('is retried when the server is busy, and the log has the reason in codes only', async () => {
    const fay = await invite('fay')
    await idle() // the mail of the registration must not be the rejected one
    refuse(2)
    await ask(fay.email)
    expect(await tokenFor(fay)).toBeDefined()
    expect(logged).toContainEqual({
      job: 'mail',
      failure: expect.objectContaining({ message: 'deliver answered 503 (Error EMESSAGE 451)' }),
    })
    const [record] = await owner`select failures::int from private.job_runs where job = 'mail'`
    expect(record).toEqual({ failures: 2 })
  })

  test('does not wait behind hundreds of requests for unknown addresses', async () => {
    await owner`with asked as (
        insert into private.password_resets (id, token_hash)
        select gen_random_uuid(), sha256('token') from generate_series(1, 300) returning id)
      select private.enqueue('mail', json_build_object('resetId', id)) from asked`
    const lea = await invite('lea')
    await ask(lea.email)
    expect(await tokenFor(lea)).toBeDefined()
  })

  test('is valid for an hour', async () => {
    const gil = await invite('gil')
    await ask(gil.email)
    const token = await tokenFor(gil)
    await owner`update private.password_resets set expires_at = now() where user_id = ${gil.id}`
    expect(await reset(token)).toFailWith(410, 'reset_over')
    expect(await logIn(gil.email, gil.password)).toMatchObject({ status: 200 })
  })

  test('is invalid once the password was changed or the person erased', async () => {
    const [hal, ida] = [await invite('hal'), await invite('ida')]
    await ask(hal.email)
    await ask(ida.email)
    const [his, hers] = [await tokenFor(hal), await tokenFor(ida)]
    const change = { currentPassword: hal.password, newPassword: 'a better password' }
    await hal.patch('/identity/me/password', change)
    expect(await reset(his)).toFailWith(410, 'reset_over')
    await owner`update app.users set erased_at = now() where id = ${ida.id}`
    expect(await reset(hers)).toFailWith(410, 'reset_over')
  })

  test('is accepted from exactly one of concurrent requests', async () => {
    const jan = await invite('jan')
    await ask(jan.email)
    const token = await tokenFor(jan)
    const answers = await Promise.all([1, 2, 3, 4].map((n) => reset(token, `password ${n}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410])
  })
})

describe('A mail that is sent at the same time as one that the server delays', async () => {
  const { url, letters, held } = await mailbox()

  test('counts as sent immediately, so a crash of the worker repeats only the delayed mail', async () => {
    const [slow, quick] = [await invite('mia'), await invite('noa')]
    held.set(slow.email, [])
    for (const { email } of [slow, quick]) await ask(email)
    const config = readConfig(environment(database.url, { SMTP_URL: url }))
    // the worker starts after both requests, so that it takes both in one batch
    const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
    try {
      await until(
        () =>
          held.get(slow.email)?.length &&
          letters.some(({ to, text }) => to.includes(quick.email) && /reset/.test(text)),
      )
      await until(async () => {
        const left = await owner<{ state: string; email: string }[]>`
          select j.state, a.email from pgboss.job j
          join private.password_resets r on r.id = (j.data ->> 'resetId')::uuid join app.accounts a on a.user_id = r.user_id
          where j.name = 'mail' and a.email in (${slow.email}, ${quick.email}) order by a.email`
        return JSON.stringify(left.map(({ state }) => state)) === '["active","completed"]'
      })
      const waiting = held.get(slow.email) ?? []
      held.delete(slow.email)
      for (const go of waiting) go()
      await until(() => letters.some(({ to, text }) => to.includes(slow.email) && /reset/.test(text)))
    } finally {
      await worker.stop()
    }
  })
})

describe('A mail while the server accepts none', async () => {
  const { url, letters, refuse } = await mailbox()
  const warned: object[] = []
  const [down, up] = [() => refuse(Number.POSITIVE_INFINITY), () => refuse(0)]
  beforeAll(async () => {
    const config = readConfig(environment(database.url, { SMTP_URL: url }))
    const log = Object.assign(createLog(config), { error: () => {}, warn: (line: object) => warned.push(line) })
    const worker = await startWorker({ config, databaseUrl: database.url, log, pollSeconds: 0.1 })
    return () => worker.stop()
  })

  type Waiting = { id: string; state: string; tries: number; wait: number; limit: number; kept: number }
  /** The newest job of the queue. */
  const newest = async () => {
    const [job] = await owner<Waiting[]>`
      select id, state, retry_count as tries, extract(epoch from start_after - started_on)::float as wait,
             retry_limit as limit, extract(epoch from keep_until - created_on)::float as kept
      from pgboss.job where name = 'mail' order by created_on desc limit 1`
    return job
  }
  const refused = (tries: number) =>
    until(async () => {
      const job = await newest()
      return job?.state === 'retry' && job.tries === tries ? job : undefined
    })
  const hurry = () => owner`update pgboss.job set start_after = now() where name = 'mail' and state = 'retry'`
  const done = () => until(async () => (await newest())?.state === 'completed')

  test('is retried at growing intervals of up to 10 minutes for 48 hours, and then when an admin asks for it', async () => {
    down()
    const pia = await invite('pia')
    const waits: number[] = []
    for (let n = 0; n < 8; n++) {
      waits.push((await refused(n)).wait)
      await hurry()
    }
    for (const [n, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(Math.min(600, 10 * 2 ** n))
      expect(wait).toBeLessThan(Math.min(600, 20 * 2 ** n) + 10)
    }
    const { id, limit, kept } = await refused(8)
    const shortest = waits.map((_, n) => Math.min(600, 10 * 2 ** n)).reduce((sum, wait) => sum + wait)
    expect((shortest + (limit - waits.length) * 600) / 3600).toBeCloseTo(48, 0)
    expect(kept).toBeGreaterThan(7 * 86_400)
    await owner`update pgboss.job set retry_count = retry_limit - 1 where id = ${id}`
    await hurry()
    const failed = async () => (await admin.get<{ deadLetters: object[] }>('/admin/jobs?queue=mail')).body.deadLetters
    await until(async () => (await failed()).length > 0)
    const message = 'deliver answered 503 (Error EMESSAGE 451)'
    expect(await failed()).toEqual([expect.objectContaining({ queue: 'mail', id, message, retries: limit })])
    expect(JSON.stringify(await failed())).not.toContain(pia.email)
    const lettersTo = () => letters.filter(({ to }) => to.includes(pia.email))
    expect(lettersTo()).toEqual([])
    up()
    const retry = () => admin.post('/admin/jobs/mail/retry', {})
    expect(await retry()).toMatchObject({ status: 202, body: { retried: 1, more: false } })
    await until(() => lettersTo().length > 0)
    expect(await failed()).toEqual([])
    expect(await retry()).toMatchObject({ status: 202, body: { retried: 0, more: false } })
  })

  test('arrives later, and says how long its link is valid', async () => {
    down()
    const quin = await invite('quin')
    await refused(0)
    up()
    await hurry()
    const letter = (await until(() => letters.find(({ to }) => to.includes(quin.email)))) as Letter
    const [link] = await owner<{ until: string }[]>`
      select to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') as until
      from private.email_verifications where user_id = ${quin.id}`
    expect(letter.text).toContain(`Confirm until ${link?.until} that it is yours:`)
  })

  test('is dropped once its link has expired, and the log says so', async () => {
    up()
    const rob = await invite('rob')
    await done()
    down()
    await ask(rob.email)
    await refused(0)
    const [reset] = await owner<{ id: string }[]>`
      update private.password_resets set expires_at = now() where user_id = ${rob.id} returning id`
    up()
    await hurry()
    await done()
    expect(letters.filter(({ to, text }) => to.includes(rob.email) && /reset/.test(text))).toEqual([])
    expect(warned).toEqual([{ job: 'mail', resetId: reset?.id }])
  })
})

describe('A mail without an SMTP server', () => {
  test('is written to a folder, and the log has its path', async () => {
    const kim = await invite('kim')
    const folder = mkdtempSync(pathOf(tmpdir(), 'kith-mail-'))
    const config = readConfig(environment(database.url, { DATA_DIR: folder, PORT: '8787' }))
    const said: { path: string }[] = []
    const log = Object.assign(createLog(config), { info: (line: { path: string }) => said.push(line) })
    // the first worker has ended with its describe, so that only this one takes the job
    const worker = await startWorker({ config, databaseUrl: database.url, log, pollSeconds: 0.1 })
    try {
      await ask(kim.email)
      const isReset = (line: { path: string }) =>
        line.path && readFileSync(line.path, 'utf8').includes('/reset-password')
      const { path } = (await until(() => said.find(isReset))) as { path: string }
      expect(readdirSync(pathOf(folder, 'mail')).map((name) => pathOf(folder, 'mail', name))).toContain(path)
      expect(statSync(path).mode & 0o077).toBe(0)
      const { head, text } = opened(readFileSync(path, 'utf8'))
      expect(head).toMatch(new RegExp(`^To: ${kim.email}$`, 'm'))
      const [, token] = /^http:\/\/localhost:8787\/reset-password#token=([\w-]+)$/m.exec(text) ?? []
      expect(await reset(token)).toMatchObject({ status: 200 })
    } finally {
      await worker.stop()
      rmSync(folder, { recursive: true })
    }
  })
})
