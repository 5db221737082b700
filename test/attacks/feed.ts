// node test/attacks/feed.ts measures how long one request for the feed takes, for an account that wrote thousands of
// long texts and muted long phrases, and for a stranger. Each text ends with one of the phrases, and nearly contains
// most of the others. It starts its own instance.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type TransactionSql } from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'

const THREADS = 4100
const KEYWORDS = 100
const LENGTHS = [100, 19] // the lengths of the muted keywords, up to the limits
const PHRASE = 'the very last word'
const WORDS = ['time', 'tide', 'tine', 'mine', 'mite', 'dime', 'die', 'tie']

const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
const server = await startPostgres({ dataDir, ephemeral: true })
const sql = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })

const words = (length: number) => {
  let text = ''
  while (text.length < length) text += `${WORDS[Math.floor(Math.random() * WORDS.length)]} `
  return text.slice(0, length - 1)
}

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

async function slowest(person: string): Promise<string> {
  const times: string[] = []
  for (const tab of [null, 'circles', 'following', 'trending']) {
    const start = performance.now()
    await as(person, (tx) => tx`select api.list_feed(p_tab => ${tab}::text)`)
    times.push(`${tab ?? 'for you'} ${Math.round(performance.now() - start)} ms`)
  }
  return times.join(', ')
}

try {
  await preparePlatform(server.superuserUrl())
  await migrate(server.url())
  const [attacker, stranger] = [await enter('attacker'), await enter('stranger')]
  for (let n = 0; n < THREADS; n++)
    await sql`insert into app.posts (author_id, body, visibility, format, published_at)
      values (${attacker}, ${`${words(4900)} ${PHRASE}`}, 'inner', 'thread', now() - ${n} * interval '1 minute')`
  // A new block of the feed begins after each 50 posts, as it does when posts are published.
  await sql`insert into app.feed_blocks
    select published_at from (select published_at, row_number() over (order by published_at) as n from app.posts) p where n % 50 = 0`
  await sql`vacuum analyze`
  await as(attacker, (tx) => tx`select api.mute_keyword(${PHRASE})`)
  let muted = 1
  for (const length of LENGTHS)
    while (muted < KEYWORDS) {
      const keyword = words(length).trim()
      const fits = await as(attacker, (tx) => tx`select api.mute_keyword(${keyword})`).catch(() => null)
      if (!fits) break
      muted++
    }
  process.stdout.write(`the attacker, ${muted} keywords: ${await slowest(attacker)}\n`)
  process.stdout.write(`a stranger: ${await slowest(stranger)}\n`)
} finally {
  await sql.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
