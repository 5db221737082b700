// What staff does to keep an instance running, over HTTP: failed jobs, effects that fail, sessions, the preview of a
// broadcast, and the audit of the books. For permissions see matrix.test.ts, for the lists lists.test.ts.
import { expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
const [mona, dan] = (await join('mona', 'dan')) as [Person, Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const moderator = await mona.login()

type Id = { id: string }
type FailedJob = Id & { queue: string; message: string | null; retriedAt: string | null }
const entries = async (action: string) =>
  (
    await owner<{ target_id: string; detail: unknown }[]>`
      select l.target_id, d.detail from app.audit_log l join app.audit_details d on d.audit_id = l.id
      where l.action = ${action} and l.actor_id = ${admin.id} order by l.id`
  ).map(({ target_id, detail }) => [target_id, detail])

/** Jobs as pg-boss leaves them when all retries failed. @returns their ids, the oldest first */
async function fail(queue: string, ...messages: string[]) {
  const ids: string[] = []
  for (const message of messages) {
    const [row] = await owner<Id[]>`
      insert into pgboss.job (name, data, source_name, source_id, source_output, source_retry_count, source_created_on)
      values ('dead-letters', '{}', ${queue}, gen_random_uuid(), ${owner.json({ message })}, 3, now())
      returning source_id as id`
    ids.push(row?.id ?? '')
  }
  return ids
}

const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'
test('Failed jobs are listed by queue and state, without addresses and tokens', async () => {
  const [first, second] = await fail(
    'mail',
    `550 no mailbox <zoe@example.org> here, job 0190b7d2-9a3c-4f7e-8b1d-2c3d4e5f6a7b`,
    `link https://kith.example/reset-password#${TOKEN}.abc failed`,
  )
  const [other] = await fail('embeddings', 'no')
  const list = async (query = '') => (await moderator.get<Page<FailedJob>>(`/admin/jobs/failed${query}`)).body.items
  expect((await list()).map(({ id }) => id)).toEqual([other, second, first])
  expect((await list('?queue=mail')).map(({ message }) => message)).toEqual([
    'link https://kith.example/reset-password#… failed',
    '550 no mailbox <…> here, job 0190b7d2-9a3c-4f7e-8b1d-2c3d4e5f6a7b',
  ])
  expect(await list('?queue=mail&limit=1')).toMatchObject([{ id: second, queue: 'mail', retries: 3, retriedAt: null }])
  expect(await walk(moderator, '/admin/jobs/failed', 1)).toEqual([other, second, first])
  expect(await list('?status=retried')).toEqual([])
  expect((await list(`?status=open&q=MAILBOX`)).map(({ id }) => id)).toEqual([first])
  // the search does not include the address
  expect(await list('?q=zoe')).toEqual([])
  for (const query of ['?status=gone', '?queue=', '?from=now'])
    expect(await moderator.get(`/admin/jobs/failed${query}`)).toFailWith(422, 'validation_failed')
  const jobs = await moderator.get<{ deadLetters: FailedJob[]; queues: (object & { queue: string })[] }>('/admin/jobs')
  expect(JSON.stringify(jobs.body.deadLetters)).not.toMatch(/zoe|eyJ/)
  expect(jobs.body.queues.find(({ queue }) => queue === 'mail')).toMatchObject({ active: 0, failed: 2 })
})

test('A failed job is retried only once, however many requests ask for it at the same time', async () => {
  const [job, left] = await fail('moved-reposts', 'no', 'no')
  const retry = (id: string, queue = 'moved-reposts', who = admin) =>
    who.post<{ retried: boolean }>(`/admin/jobs/${queue}/failed/${id}/retry`)
  const answers = await Promise.all([1, 2, 3].map(() => retry(job ?? '')))
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
  expect(answers.map(({ body }) => body.retried).sort()).toEqual([false, false, true])
  expect(await retry(job ?? '')).toMatchObject({ status: 202, body: { retried: false } })
  expect(await owner`select from pgboss.job where name = 'moved-reposts'`).toHaveLength(1)
  expect(await entries('jobs.retried')).toEqual([['moved-reposts', { job, retried: 1 }]])
  const open = await moderator.get<Page<FailedJob>>('/admin/jobs/failed?queue=moved-reposts&status=open')
  expect(open.body.items.map(({ id }) => id)).toEqual([left])
  expect(await retry(left ?? '', 'moved-reposts', moderator)).toFailWith(403, 'role_required')
  expect(await retry(left ?? '', 'nothing')).toFailWith(404, 'queue_unknown')
  expect(await retry(left ?? '', 'mail')).toFailWith(404, 'job_unknown')
  expect(await retry(UNKNOWN)).toFailWith(404, 'job_unknown')
  expect(await retry('x')).toFailWith(422, 'validation_failed')
})

test('Effects that fail are listed with the SQLSTATE alone, and are tried earlier when an admin asks', async () => {
  await owner`
    insert into private.stuck_effects (user_id, effect_id, event, event_id, listener, attempts, retry_at, failed_at,
                                       message, context)
    values (${bob.id}, 1, 'posts.reply.created', 7, 'private.earn_reputation_from_replies', 4,
            now() + interval '1 hour', now(), '22P02 invalid input: "words of Bob"', '')`
  const { body } = await moderator.get<Page<object>>('/admin/effects/stuck')
  expect(body.items).toEqual([
    {
      id: bob.id,
      personId: bob.id,
      person: expect.objectContaining({ username: 'bob' }),
      event: 'posts.reply.created',
      eventId: 7,
      listener: 'private.earn_reputation_from_replies',
      attempts: 4,
      code: '22P02',
      since: null,
      failedAt: expect.any(String),
      retryAt: expect.any(String),
    },
  ])
  const retry = (id: string, who = admin) => who.post(`/admin/effects/stuck/${id}/retry`)
  expect(await retry(bob.id, moderator)).toFailWith(403, 'role_required')
  expect(await retry(alice.id)).toFailWith(404, 'effects_not_stuck')
  expect(await retry('x')).toFailWith(422, 'validation_failed')
  expect(await retry(bob.id)).toMatchObject({ status: 202, body: { retried: true } })
  expect(await owner`select from private.stuck_effects where retry_at <= now()`).toHaveLength(1)
  expect(await retry(bob.id)).toMatchObject({ status: 202, body: { retried: false } })
  expect(await entries('effects.retried')).toEqual([[bob.id, null]])
})

test('The sessions of a person are listed without tokens, and all end when an admin asks', async () => {
  type Pair = { accessToken: string; refreshToken: string }
  const { email, password } = dan
  const logIn = async () =>
    (await nobody.post<Pair>('/auth/login', { email, password, session: 'rotating' }, { 'User-Agent': 'Kith/1' })).body
  const pair = await logIn()
  await logIn()
  const plain = await dan.login()
  const own = (await plain.get<Page<Id>>('/me/sessions')).body
  const listed = await moderator.get<Page<Id>>('/admin/users/dan/sessions')
  const [newest, ...earlier] = own.items
  expect(newest).toMatchObject({ kind: 'fixed', isCurrent: true })
  expect([listed.status, listed.body.items]).toEqual([200, [{ ...newest, isCurrent: false }, ...earlier]])
  expect(listed.body.items).toHaveLength(4)
  expect(Object.keys(listed.body.items[0] ?? {}).sort()).toEqual(
    [
      ...['createdAt', 'device', 'expiresAt', 'id', 'isCurrent', 'kind', 'lastSeenAt', 'lastUsedAt', 'network'],
      'userAgent',
    ].sort(),
  )
  expect(await walk(moderator, `/admin/users/${dan.id}/sessions`, 1)).toEqual(own.items.map(({ id }) => id))
  expect((await moderator.get<Page<Id>>('/admin/users/carla/sessions')).body.items).toHaveLength(1)
  expect(await moderator.get('/admin/users/zoe/sessions')).toFailWith(404, 'person_unknown')

  const end = (id: string, body: object = {}, who = admin) => who.post(`/admin/users/${id}/sessions/end`, body)
  expect(await end('dan', {}, moderator)).toFailWith(403, 'role_required')
  expect(await end('zoe')).toFailWith(404, 'person_unknown')
  expect(await end('dan', { reason: 'x'.repeat(1001) })).toFailWith(422, 'validation_failed')
  expect(await plain.get('/me')).toMatchObject({ status: 200 })
  expect(await end('dan', { reason: 'Stolen laptop' })).toMatchObject({ status: 200, body: { ended: 4 } })
  expect(await plain.get('/me')).toFailWith(401, 'token_revoked')
  expect(await nobody.post('/identity/refresh', { refreshToken: pair.refreshToken })).toFailWith(
    401,
    'refresh_token_invalid',
  )
  expect((await moderator.get<Page<Id>>('/admin/users/dan/sessions')).body.items).toEqual([])
  expect(await entries('user.sessions_ended')).toEqual([[dan.id, { reason: 'Stolen laptop' }]])
  // ending sessions is neither a ban nor a decision about the person
  expect(await (await dan.login()).get('/me/standing')).toMatchObject({ status: 200, body: { decisions: [] } })
})

test('The preview of a broadcast counts who would get it, and sends nothing', async () => {
  const path = '/admin/broadcast/preview'
  const news = { title: ' A pause ', body: 'On Sunday at noon.\r\n' }
  const traces = () => owner`
    select (select count(*)::int from app.broadcasts) as broadcasts, (select count(*)::int from app.audit_log) as entries,
           (select count(*)::int from app.domain_events) as events,
           (select count(*)::int from pgboss.job where name = 'broadcasts') as jobs`
  const before = await traces()
  const recipients = async () => (await admin.post<{ recipients: number }>(path, news)).body.recipients
  const all = await recipients()
  expect(await admin.post(path, news)).toMatchObject({
    status: 200,
    body: { title: 'A pause', body: 'On Sunday at noon.', push: 'There is news from the operators of Kith.' },
  })
  await owner`update app.users set banned_at = now() where id = ${carla.id}`
  expect(await recipients()).toBe(all - 1)
  await owner`
    insert into app.notification_preferences (user_id, kind, in_app, push, email)
    values (${alice.id}, 'admin.broadcast', false, false, false), (${bob.id}, 'admin.broadcast', true, false, false)`
  expect(await recipients()).toBe(all - 2)
  expect(await traces()).toEqual(before)
  // a broadcast then notifies the same number of people
  await admin.post('/admin/broadcast', news)
  await owner`select private.deliver_broadcast(data) from pgboss.job where name = 'broadcasts'`
  expect(await owner`select from app.notifications where kind = 'admin.broadcast'`).toHaveLength(all - 2)

  expect(await nobody.post(path, news)).toFailWith(401, 'token_missing')
  expect(await moderator.post(path, news)).toFailWith(403, 'role_required')
  for (const body of [{}, { ...news, title: ' ' }, { ...news, body: 'x'.repeat(1001) }])
    expect(await admin.post(path, body)).toFailWith(422, 'validation_failed')
  expect(await admin.post(path, { ...news, title: 'two\nlines' })).toFailWith(422, 'text_unfit')
})

test('The audit of the books shows what the nightly jobs found, and when', async () => {
  type Books = { sound: boolean | null; ledgers: { ledger: string; violations: number | null; findings: object[] }[] }
  const books = async () => (await moderator.get<Books>('/admin/economy/audit')).body
  const audit = async (job: 'mana' | 'treasuries') => {
    const [row] = await owner.unsafe<{ found: number }[]>(`select private.job_audit_${job}() as found`)
    await owner`select private.note_job_run(${`audit-${job}`}, ${row?.found ?? 0}, ${row?.found !== 0})`
  }
  const blank = { auditedAt: null, violations: null, findings: [] }
  expect(await books()).toEqual({
    sound: null,
    ledgers: [
      { ledger: 'mana', ...blank },
      { ledger: 'treasuries', ...blank },
    ],
  })
  await audit('mana')
  expect(await books()).toMatchObject({ sound: null, ledgers: [{ violations: 0, findings: [] }, blank] })
  await audit('treasuries')
  expect(await books()).toMatchObject({ sound: true, ledgers: [{ violations: 0 }, { violations: 0, findings: [] }] })
  const [broken] = await owner<Id[]>`insert into app.mana_transactions (kind) values ('payment') returning id`
  await audit('mana')
  await audit('mana')
  const finding = { rule: 'a transaction has entries', subjectId: broken?.id, expected: 2, found: 0 }
  expect(await books()).toMatchObject({
    sound: false,
    ledgers: [{ auditedAt: expect.any(String), violations: 1, findings: [finding] }, { violations: 0 }],
  })
  // an audit replaces the findings of the previous one
  await owner`insert into private.ledger_findings (ledger, place, rule) values ('treasuries', 1, 'an old one')`
  await audit('treasuries')
  expect((await books()).ledgers[1]?.findings).toEqual([])
})
