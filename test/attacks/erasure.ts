// node test/attacks/erasure.ts measures what an erasure costs before and after others have stored 8,000 large answers
// (Idempotency-Key), none of which names the person. It starts its own instance.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'

const ANSWERS = 8000
const ROUNDS = 5

const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
const server = await startPostgres({ dataDir, ephemeral: true })
const sql = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })

let people = 0
async function enter(): Promise<string> {
  const name = `person${++people}`
  const [row] = await sql<{ id: string }[]>`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'Lima', '1990-01-31', 'DE', 'Berlin') as id`
  return row?.id ?? ''
}

/** How many milliseconds an erasure takes: the fastest of several. */
async function erasure(): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const leaver = await enter()
    const start = performance.now()
    await sql`select private.erase_person(${leaver})`
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

/** Stores an answer of 20 kB, as an operation does. It can't be compressed, and names the caller and another person. */
async function keep(caller: string, key: string): Promise<void> {
  const claims = JSON.stringify({ sub: caller, role: 'user' })
  await sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${claims}, true),
                    set_config('request.headers', ${JSON.stringify({ 'idempotency-key': key })}, true)`
    await tx`select private.begin_idempotent('attack', '{}')`
    await tx`select private.finish_idempotent('attack', json_build_object(
               'authorId', 'acct:person1@localhost', 'of', 'acct:person2@localhost',
               'body', (select string_agg(md5(random()::text), ' ') from generate_series(1, 600))))`
  })
}

try {
  await preparePlatform(server.superuserUrl())
  await migrate(server.url())
  const caller = await enter()
  await enter()
  await erasure() // the first run only fills the caches
  const before = await erasure()
  const start = performance.now()
  for (let n = 0; n < ANSWERS; n++) await keep(caller, `key ${n}`)
  const kept = (performance.now() - start) / ANSWERS
  await sql`vacuum analyze app.idempotency_keys`
  const after = await erasure()
  console.log(`an erasure, no stored answers: ${before.toFixed(1)} ms; ${ANSWERS} of others: ${after.toFixed(1)} ms`)
  console.log(`storing an answer: ${kept.toFixed(2)} ms`)
} finally {
  await sql.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
