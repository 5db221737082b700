// The daily digest: notifications go through the queue and SMTP into one mail, whose button and link unsubscribe the
// person. For the people who get a digest and for its contents see test/db/notifications/digests.sql.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { createSeals } from '../../api-facade/lib/seals.ts'
import { digestMail } from '../../api-facade/worker/digest.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { applyEffects } from '../support/database.ts'
import { type Letter, mailbox } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'
import { publish } from '../support/posts.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, bob, carla, nobody, admin, database, join } = await world()
const { owner, superuser } = database
const role = database.connect('kith_worker')
const { url, letters, refuse, said } = await mailbox()
const settings = { SMTP_URL: url, PUBLIC_URL: 'https://kith.example/app/', INSTANCE_DOMAIN: 'kith.example' }

/** Starts a worker that retries immediately. */
async function start(more: Record<string, string> = settings) {
  const config = readConfig(environment(database.url, more))
  const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
  await owner`update pgboss.queue set retry_delay = 0, retry_backoff = false, retry_limit = 1000 where name = 'digests'`
  return worker
}
const workers = await Promise.all([start(), start()])
const end = async () => {
  for (const worker of workers.splice(0)) await worker.stop()
}
afterAll(end)

/** Moves everything that happened an hour into the past and makes these people's digests due. */
async function morning(...people: Person[]) {
  await applyEffects(owner)
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica` // no trigger updates the time of change
    await sql`update app.notifications set updated_at = updated_at - interval '1 hour'`
    await sql`update private.digests set day = day - 1, told_to = told_to - interval '1 hour', told_from = told_from - interval '1 hour'`
  })
  const ids = people.map(({ id }) => id)
  await owner`update app.notification_settings set next_digest_at = now() - interval '1 second' where user_id = any (${ids})`
  await until(async () => {
    await role`select private.job_queue_digests()` // a worker’s own run may be in progress and not committed yet
    return (await owner`select from app.notification_settings where next_digest_at <= now()`).length === 0
  })
}
const idle = () =>
  until(async () => {
    const left = await owner`select from pgboss.job where name = 'digests' and state < 'completed'`
    return left.length === 0
  })
const digestsTo = ({ email }: Person) =>
  letters.filter(({ to, head }) => to.includes(email) && /^Subject: Your day on Kith/m.test(head))
const header = ({ head }: Letter, name: string) => new RegExp(`^${name}: (.+?)\\r?$`, 'm').exec(head)?.[1]
const pay = (from: Person, to: Person) =>
  from.post('/economy/pay', { emotion: 'joy', tier: 0, receiverId: to.username })
const hourOf = async (person: Person) =>
  (await person.get<{ digestHour: number | null }>('/notifications/preferences')).body.digestHour

describe('A digest', () => {
  test('lists what is new, once with two workers, and contains neither names nor texts', async () => {
    const id = await publish(alice)
    await bob.post(`/posts/${id}/replies`, { body: 'A secret between us.' })
    await carla.post(`/posts/${id}/replies`, { body: 'Another.' })
    await bob.post('/users/alice/follow')
    await alice.patch('/notifications/preferences', { timezone: 'Asia/Tokyo', digestHour: 20 })
    await morning(alice, bob)
    // a duplicate job, as after a timeout
    await owner`insert into pgboss.job (name, data, retry_limit) select name, data, 1000 from pgboss.job where name = 'digests'`
    await idle()
    expect([digestsTo(alice).length, digestsTo(bob).length]).toEqual([1, 0])
    const letter = digestsTo(alice)[0] as Letter
    expect(header(letter, 'Subject')).toBe('Your day on Kith: 3 notifications')
    expect(header(letter, 'Message-ID')).toMatch(/^<[0-9a-f-]{36}\.digest@kith\.example>$/)
    const [, leave] = /^(https:\/\/kith\.example\/app\/unsubscribe#token=[\w-]+)\s*$/m.exec(letter.text) ?? []
    expect(letter.text.replaceAll('\r\n', '\n').trim()).toBe(`Hello,

here is what is new for you on Kith:

- Somebody follows you.
- 2 replies to you.

Read it here:

https://kith.example/app/notifications

You get this mail once a day at 20:00 (Asia/Tokyo), if there is
something new. You can change this in your preferences.
To stop these mails, unsubscribe here:

${leave}`)
    expect(letter.html).toContain('<li>Somebody follows you.</li>\n<li>2 replies to you.</li>'.replaceAll('\n', '\r\n'))
    expect(letter.html).toContain(`<a href="${leave}">unsubscribe</a>`)
    expect(JSON.stringify(letter)).not.toMatch(/secret|bob|carla/i)
  })

  test('contains each notification once, and the next digest contains what is new since then', async () => {
    await pay(bob, alice)
    await morning(alice)
    await idle()
    expect(digestsTo(alice)).toHaveLength(2)
    expect(digestsTo(alice)[1]?.text).toContain('new for you on Kith:\r\n\r\n- You received mana.\r\n\r\nRead')
    await morning(alice)
    await idle()
    expect(digestsTo(alice)).toHaveLength(2)
  })

  test('is retried while the mail server rejects it', async () => {
    const [dora] = (await join('dora')) as [Person]
    await pay(bob, dora)
    refuse(2)
    await morning(dora)
    await until(() => digestsTo(dora).length)
    await idle()
    expect(digestsTo(dora)).toHaveLength(1)
    const [record] = await owner`select failures > 1 as refused from private.job_runs where job = 'digests'`
    expect(record).toEqual({ refused: true })
  })

  test('is not sent to a mailbox that a server reported as missing, until the address is verified again', async () => {
    const [gus] = (await join('gus')) as [Person]
    const day = async () => {
      await pay(bob, gus)
      await morning(gus)
      await idle()
      const { body } = await gus.get<{ emailBouncedAt: string | null }>('/me')
      return [body.emailBouncedAt === null, digestsTo(gus).length]
    }
    said.set(gus.email, '550 5.1.1 No such user')
    expect(await day()).toEqual([false, 0])
    said.delete(gus.email)
    expect(await day()).toEqual([false, 0])
    const links = () =>
      letters.filter(({ to }) => to.includes(gus.email)).map(({ text }) => /verify-email#token=(\S+)/.exec(text)?.[1])
    const before = links().length
    expect(await gus.post('/me/verify-email')).toMatchObject({ status: 200 })
    const token = await until(() => links()[before])
    expect(await nobody.post('/auth/verify-email', { token })).toMatchObject({ status: 200 })
    expect(await day()).toEqual([true, 1])
  })

  test('whose worker died is sent by another one after its claim expires, as the same message', async () => {
    const [emil] = (await join('emil')) as [Person]
    await pay(bob, emil)
    await morning(emil)
    await until(() => digestsTo(emil).length)
    await idle()
    // the mail was sent, but its worker could not record it
    const [digest] = await owner<{ id: string }[]>`
      update private.digests set sent_at = null, claimed_until = now() + interval '1 hour' where user_id = ${emil.id} returning id`
    await owner`select private.enqueue('digests', json_build_object('digestId', ${digest?.id ?? ''}::text))`
    await until(async () => {
      const [job] =
        await owner`select from pgboss.job where name = 'digests' and retry_count > 0 and state < 'completed'`
      return job
    })
    expect(digestsTo(emil)).toHaveLength(1)
    await owner`update private.digests set claimed_until = now() where id = ${digest?.id ?? ''}`
    await idle()
    const [one, other] = digestsTo(emil) as [Letter, Letter]
    expect([header(other, 'Message-ID'), other.text]).toEqual([header(one, 'Message-ID'), one.text])
  })

  test('is not sent to people who are banned, left their address unverified, or have read everything', async () => {
    const people = (await join('fay', 'gil', 'hal')) as [Person, Person, Person]
    const [fay, gil, hal] = people
    for (const one of people) await pay(bob, one)
    await owner`update app.users set created_at = now() - interval '25 hours' where id = ${gil.id}`
    await admin.post(`/admin/users/${fay.id}/ban`, { reason: 'Because.' })
    await morning(fay, gil)
    await owner`select private.enqueue('digests', json_build_object('digestId', id)) from private.digests`
    await idle()
    await end()
    await morning(hal)
    await hal.post('/notifications/read', { before: new Date(Date.now() + 3_600_000).toISOString() })
    workers.push(await start())
    await idle()
    expect(people.map((one) => digestsTo(one).length)).toEqual([0, 0, 0])
  })

  test('is ended by the button of a mail program, can be resumed, and is ended by its link', async () => {
    const [letter] = digestsTo(alice) as [Letter]
    expect(header(letter, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
    const address = header(letter, 'List-Unsubscribe')?.slice(1, -1) ?? ''
    expect(address).toMatch(/^https:\/\/kith\.example\/api\/v1\/notifications\/unsubscribe\?token=/)
    const { pathname, search } = new URL(address)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const pressed = await nobody.post(`/${pathname}${search}`, 'List-Unsubscribe=One-Click', form)
    expect([pressed.status, pressed.body, await hourOf(alice)]).toEqual([200, { ok: true }, null])
    await pay(bob, alice)
    await morning()
    await idle()
    expect(digestsTo(alice)).toHaveLength(2)

    await alice.patch('/notifications/preferences', { digestHour: 7 })
    await morning(alice)
    await until(() => digestsTo(alice)[2])
    const [, token] = /#token=([\w-]+)/.exec(digestsTo(alice)[2]?.text ?? '') ?? []
    expect(await nobody.post('/notifications/unsubscribe', { token })).toMatchObject({ status: 200 })
    expect(await hourOf(alice)).toBeNull()
  })

  test('is written as text and HTML to a folder without an SMTP server', async () => {
    const [ida] = (await join('ida')) as [Person]
    const folder = mkdtempSync(pathOf(tmpdir(), 'kith-digest-'))
    try {
      await idle()
      await end()
      workers.push(await start({ DATA_DIR: folder }))
      await pay(bob, ida)
      await morning(ida)
      await idle()
      const files = readdirSync(pathOf(folder, 'mail')).filter((name) => name.includes('.digest.'))
      expect(files.map((name) => name.split('.').at(-1)).sort()).toEqual(['html', 'txt'])
      const [page, text] = files.sort().map((name) => readFileSync(pathOf(folder, 'mail', name), 'utf8'))
      expect([page, text]).toEqual([
        expect.stringMatching(/^<!doctype html>/),
        expect.stringMatching(/^From: .*\nTo: ida@.*\nSubject: Your day on Kith: 1 notification\nList-Unsubscribe: </),
      ])
    } finally {
      await end()
      rmSync(folder, { recursive: true })
    }
  })
})

test('The HTML of a digest escapes all values', () => {
  const odd = {
    to: 'a@b.example',
    unsubscribeId: '3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10',
    timezone: '<b>"&</b>',
    hour: 0,
  }
  const places = { seals: createSeals(['a secret']), publicUrl: 'https://x.example/"><script>', facadeUrl: '' }
  const items = [{ kind: 'post.replied', count: 500 }]
  const { subject, text, html } = digestMail({ ...odd, items, more: true }, places)
  expect(subject).toBe('Your day on Kith: 500 and more notifications')
  expect(text).toContain('- 500 replies to you.\n- And more.\n')
  expect(html).toContain('0:00 (&lt;b&gt;&quot;&amp;&lt;/b&gt;)')
  expect(html).not.toMatch(/<script|<b>/)
})
