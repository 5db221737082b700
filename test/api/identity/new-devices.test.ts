// The mail about a login on a new device, and the link in it that ends the login.
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { createSeals } from '../../../api-facade/lib/seals.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import { mailbox } from '../../support/mailbox.ts'
import type { Person } from '../../support/person.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

type Session = { accessToken: string; deviceToken: string }

const { nobody, database, join } = await world({ people: [] })
const { owner } = database
const { url, letters } = await mailbox()
const lines: string[] = []
const config = readConfig(environment(database.url, { SMTP_URL: url, PUBLIC_URL: 'https://kith.example/app/' }))
const log = createLog({ ...config, logLevel: 'trace' }, { write: (line: string) => void lines.push(line) })
const worker = await startWorker({ config, databaseUrl: database.url, log, pollSeconds: 0.1 })
afterAll(() => worker.stop())

const logIn = async ({ email, password }: Person, deviceName: string, deviceToken?: string) =>
  (await nobody.post<Session>('/auth/login', { email, password, deviceName, deviceToken })).body
const end = (token: unknown) => nobody.post('/auth/end-session', { token })
/** The mails to a person about new devices, once the mail queue is empty. */
async function alertsTo({ email }: Person): Promise<string[]> {
  await until(
    async () => (await owner`select from pgboss.job where name = 'mail' and state <> 'completed'`).length === 0,
  )
  const found = letters.filter(({ to, head }) => to.includes(email) && /^Subject: A login to Kith/m.test(head))
  return found.map(({ text }) => text)
}
const tokenIn = (text = '') => /^https:\/\/kith\.example\/app\/end-session#token=([\w-]+)\s*$/m.exec(text)?.[1] ?? ''

describe('A login', async () => {
  const [kim] = (await join('kim')) as [Person]

  test('on the device of the registration is not mailed', async () => {
    const { email, password } = kim
    await nobody.post('/auth/login', { email, password })
    expect(await alertsTo(kim)).toEqual([])
  })

  test('on a new device is mailed once, with its name and network and without the address', async () => {
    await logIn(kim, 'Library')
    await logIn(kim, 'Library')
    const [mail = '', ...more] = await alertsTo(kim)
    expect(more).toEqual([])
    expect(mail).toMatch(/^Library\s+network (127\.0\.0\.0\/24|::\/48)\s+20\d\d-\d\d-\d\d \d\d:\d\d UTC/m)
    expect(mail).not.toContain('127.0.0.1')
  })

  test('with a device token is not mailed', async () => {
    const { deviceToken } = await logIn(kim, 'Library')
    await logIn(kim, 'Tablet', deviceToken)
    expect(await alertsTo(kim)).toHaveLength(1)
  })
})

describe('POST /auth/end-session', async () => {
  const [lea] = (await join('lea')) as [Person]

  test('ends only that login, and works once', async () => {
    const stranger = await logIn(lea, 'Stranger')
    const token = tokenIn((await alertsTo(lea))[0])
    const answers = await Promise.all([end(token), end(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410])
    expect(await end(token)).toFailWith(410, 'session_over')
    expect(await nobody.withToken(stranger.accessToken).get('/me')).toFailWith(401, 'token_revoked')
    expect(await lea.get('/me')).toMatchObject({ status: 200 })
  })

  test('ends the device token of that login', async () => {
    const stranger = await logIn(lea, 'Stranger 2')
    await end(tokenIn((await alertsTo(lea)).at(-1)))
    const before = (await alertsTo(lea)).length
    await logIn(lea, 'Stranger 2', stranger.deviceToken)
    expect(await alertsTo(lea)).toHaveLength(before + 1)
  })

  test('rejects every other token with 410', async () => {
    const stranger = await logIn(lea, 'Stranger 3')
    const seals = createSeals([JWT_SECRET])
    const unknown = (['alert', 'reset', 'refresh'] as const).map((purpose) =>
      seals.seal(purpose, { id: crypto.randomUUID(), generation: 0 }),
    )
    for (const token of ['', 'x', ...unknown, stranger.accessToken])
      expect(await end(token)).toFailWith(410, 'session_over')
    expect(await nobody.post('/auth/end-session', {})).toFailWith(422, 'validation_failed')
  })

  test('does nothing after a new password, which has ended every login', async () => {
    await logIn(lea, 'Stranger 4')
    const token = tokenIn((await alertsTo(lea)).at(-1))
    await owner`select private.end_tokens(${lea.id})`
    expect(await end(token)).toFailWith(410, 'session_over')
  })
})

test('No log line and no job contains a token of a mail', async () => {
  const tokens = letters.map(({ text }) => tokenIn(text)).filter(Boolean)
  expect(tokens.length).toBeGreaterThan(3)
  const jobs = await owner<{ data: object }[]>`select data from pgboss.job where name = 'mail'`
  const written = `${lines.join('')}${JSON.stringify(jobs)}`
  expect(written).toContain('sessionId')
  for (const token of tokens) expect(written).not.toContain(token)
})
