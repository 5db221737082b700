// node test/attacks/reminders.ts measures when reminders of one person's event are sent, and when one person's
// scheduled post is published, if thousands of another person's are due one second earlier. It calls the jobs as a
// worker does, and prints how many calls they need and how long these take. It starts its own instance.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type TransactionSql } from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'

const EVENTS = 20_000
const POSTS = 5000
/**
 * Seconds after which the attack gives up: half of the time for which a worker repeats the calls in one run of the
 * job.
 */
const PATIENCE = 150

const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
const server = await startPostgres({ dataDir, ephemeral: true })
const sql = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })

async function as<T>(person: string, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: person, role: 'user', iat: now, exp: now + 900 })
  return (await sql.begin(async (tx) => {
    await tx`select set_config('role', 'authenticated', true)`
    await tx`select private.enter(${claims}::text)`
    return work(tx)
  })) as T
}
const enter = async (name: string): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'Lima', '1990-01-31', 'DE', 'Berlin') as id`
  return row?.id ?? ''
}
const events = (person: string, many: number) =>
  as(person, async (tx) => {
    const rows = await tx<{ id: string }[]>`
      select api.create_event('x', 'x', now() + interval '3 days', now() + interval '4 days', 'UTC', '{"kind": "online"}') ->> 'id' as id
      from generate_series(1, ${many})`
    return rows.map(({ id }) => id)
  })

/** Calls a job until the expected result is there. */
async function callUntil(job: string, there: () => Promise<boolean>): Promise<string> {
  const start = performance.now()
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1)
  for (let calls = 1; performance.now() - start < PATIENCE * 1000; calls++) {
    const [row] = await sql.unsafe<{ changed: number }[]>(`select private.${job}() as changed`)
    if (calls % 20 === 0 || row?.changed === 0) {
      if (await there()) return `after ${calls} calls at most, ${seconds()} s`
      if (row?.changed === 0) return `never: nothing is left after ${calls} calls, ${seconds()} s`
      if (performance.now() - start > (PATIENCE - 1) * 1000) return `not within ${calls} calls, ${seconds()} s`
    }
  }
  return `not within ${PATIENCE} s`
}

try {
  await preparePlatform(server.superuserUrl())
  await migrate(server.url())
  await sql`update private.write_limits set per_hour = 1000000`
  await sql`alter table app.contents disable trigger _200_index_content` // indexing for the search isn't measured here
  const [attacker, honest, guest] = [await enter('attacker'), await enter('honest'), await enter('guest')]

  await events(attacker, EVENTS)
  const [one = ''] = await events(honest, 1)
  await as(guest, (tx) => tx`select api.rsvp_event(${one}, 'going')`)
  await sql`update app.event_rsvps set since = since - interval '4 days'`
  // changes the start of the events, because the clock can't be changed
  await sql`update app.events set starts_at = now() + interval '1 day' - case when id = ${one} then interval '1 second' else interval '2 seconds' end`
  await sql`vacuum analyze`
  const reminded = async () =>
    (await sql`select from private.effects where event = 'events.event.reminded' and user_id = ${guest}`).length > 0
  process.stdout.write(`${EVENTS} events begin in the same second, another person's event a second later:\n`)
  process.stdout.write(`  its guest gets the reminder ${await callUntil('job_remind_events', reminded)}\n`)

  const at = new Date(Date.now() + 3_600_000)
  const schedule = (person: string, times: number) =>
    as(person, (tx) => tx`select api.create_post('x', p_publish_at => ${at}) from generate_series(1, ${times})`)
  await schedule(attacker, POSTS)
  await schedule(honest, 1)
  await sql`update app.posts set publish_at = now() - case when author_id = ${honest} then interval '1 second' else interval '2 seconds' end
            where published_at is null`
  const isOut = async () =>
    (await sql`select from app.posts where author_id = ${honest} and published_at is not null`).length > 0
  process.stdout.write(`${POSTS} posts are due in the same second, another person's post a second later:\n`)
  process.stdout.write(`  that post is published ${await callUntil('job_publish_scheduled', isOut)}\n`)
} finally {
  await sql.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
