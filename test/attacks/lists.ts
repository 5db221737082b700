// node test/attacks/lists.ts measures how many pages of a public list a stranger must read to find the one visible
// item, if somebody else has 410 items that the stranger can't see. These are events and offerings in a private group,
// drafts of courses, and deleted posts in a common group. It starts its own instance.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type TransactionSql } from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'

const MANY = 410

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
/** Calls an operation `times` times in one statement. @returns the id in the last answer */
const call = (person: string, operation: string, times = 1) =>
  as(person, async (tx) => {
    const rows = await tx.unsafe<{ id: string }[]>(
      `select api.${operation} ->> 'id' as id from generate_series(1, ${times})`,
    )
    return rows.at(-1)?.id ?? ''
  })

type Page = { items: { id: string }[]; nextCursor: string | null }
async function pagesUntil(person: string, operation: string, parameters: string, honest: string): Promise<string> {
  let cursor: string | null = null
  for (let pages = 1; ; pages++) {
    const asked: string = [parameters, cursor && `p_cursor => '${cursor}'`].filter(Boolean).join(', ')
    const page: Page | undefined = await as(person, async (tx) => {
      const [row] = await tx.unsafe<{ page: Page }[]>(`select api.${operation}(${asked}) as page`)
      return row?.page
    })
    if (page?.items.some(({ id }) => id === honest)) return `on page ${pages}`
    if (!page?.nextCursor) return 'never'
    cursor = page.nextCursor
  }
}
const event = (days: number, group = '') =>
  `create_event('x', 'x', now() + interval '${days} days', now() + interval '9 days', 'UTC', '{"kind": "online"}'${group && `, p_group_id => '${group}'`})`
const offering = (price: number, group = '') =>
  `create_offering('x', 'x', ${price}, 5${group && `, p_group_id => '${group}'`})`

try {
  await preparePlatform(server.superuserUrl())
  await migrate(server.url())
  await sql`update private.write_limits set per_hour = 1000000`
  const [attacker, honest, stranger] = [await enter('attacker'), await enter('honest'), await enter('stranger')]
  const own = await call(attacker, `create_group('Ours', p_visibility => 'private')`)
  const common = await call(attacker, `create_group('Everybody')`)
  for (const person of [honest, stranger]) await as(person, (tx) => tx`select api.join_group(${common})`)

  const says = async (what: string, operation: string, parameters: string, item: string) =>
    process.stdout.write(`${what}: ${await pagesUntil(stranger, operation, parameters, item)}\n`)

  const gathering = await call(honest, event(2))
  await call(attacker, event(1, own), MANY)
  await says(
    `${MANY} events in a private group of another person, GET /events?when=upcoming`,
    'list_events',
    `p_when => 'upcoming'`,
    gathering,
  )
  await says('  and GET /discovery/stream', 'list_stream', '', gathering)

  const course = await call(honest, `create_course('x', 'x', 0)`)
  await as(honest, (tx) => tx`select api.create_course_lesson(${course}, 'x', 'x')`)
  await as(honest, (tx) => tx`select api.publish_course(${course})`)
  await call(attacker, `create_course('x', 'x', 0)`, MANY)
  await says(`${MANY} drafts, GET /courses`, 'list_courses', '', course)

  const good = await call(honest, offering(5))
  await call(attacker, offering(1, own), MANY)
  await says(
    `${MANY} offerings in a private group of another person, GET /economy/market/offerings?sort=price`,
    'list_offerings',
    `p_sort => 'price'`,
    good,
  )

  const post = await call(honest, `create_post('x', p_group_id => '${common}')`)
  await call(attacker, `create_post('x', p_group_id => '${common}')`, MANY)
  await as(
    attacker,
    (tx) => tx`
    select api.delete_post(id) from app.posts where author_id = ${attacker} and space_id is not null`,
  )
  await says(
    `${MANY} deleted posts in a common group, GET /groups/:id/posts`,
    'list_space_posts',
    `p_group_id => '${common}'`,
    post,
  )
} finally {
  await sql.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
