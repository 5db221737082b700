// Bans, erasures, reactions, views and moderation that want the same rows: held where they would meet crosswise, each
// waits for the other, and none is sent a deadlock. The order of locks: private.lock_ledger.
import type { Sql, TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { publish, reply } from '../support/posts.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { admin, database, join } = await world({ people: [] })
const { owner } = database

let names = 0
const someone = async () => (await join(`holder${++names}`))[0] as Person

const pools = { user: database.connect('kith_user'), service: database.connect('kith_service') }

/** Calls as the facade does, but does not repeat what met a deadlock: gives the error's message, or null. */
async function call(pool: keyof typeof pools, { id }: Person, text: string, ...values: string[]) {
  const now = Math.floor(Date.now() / 1000)
  const role = pool === 'user' ? 'user' : 'admin'
  const claims = JSON.stringify({ sub: id, role, iat: now, exp: now + 900 })
  const statement = `select api.${text}::text as answer from private.enter($1::text)`
  return outcome(pools[pool].unsafe(statement, [claims, ...values]))
}
const outcome = (asked: PromiseLike<unknown>) =>
  Promise.resolve(asked).then(
    () => null,
    ({ message }: Error) => message,
  )

const ban = (sql: Sql, { id }: Person) =>
  outcome(sql`update app.users set banned_at = now() where id = ${id}`.execute())
const erase = (sql: Sql, { id }: Person) => outcome(sql`select private.erase_person(${id})`.execute())
const views = (sql: Sql, posts: string[], { id }: Person) =>
  outcome(sql`select api.count_views(${posts}, ${posts.map(() => id)})`.execute())

const waiting = async () => {
  const rows = await database.superuser`
    select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock'`
  return rows.length
}

/** While `hold` keeps something locked, lets each begin once the one before waits or is done; what they came to. */
async function meet(hold: (sql: TransactionSql) => Promise<unknown>, ...lanes: (() => Promise<string | null>)[]) {
  const { asked } = await owner.begin(async (sql) => {
    await hold(sql)
    const asked: Promise<string | null>[] = []
    let done = 0
    for (const lane of lanes) {
      asked.push(lane().finally(() => done++))
      await until(async () => done + (await waiting()) >= asked.length, { every: 5 })
    }
    return { asked } // not the promises themselves: those would be awaited with the lock still held
  })
  return Promise.all(asked)
}

const holdCounters = (post: string) => (sql: TransactionSql) =>
  sql`select from app.post_counters where post_id = ${post} for no key update`
const holdPost = (post: string) => (sql: TransactionSql) =>
  sql`select from app.posts where id = ${post} for no key update`

/** Sees to it that whoever counts next comes to the post itself (private.raise_trending). */
const cool = (post: string) => owner`update app.posts set trending_boost = 0 where id = ${post}`

const countOf = async (post: string) => {
  const [row] = await owner`select replies from app.post_counters where post_id = ${post}`
  return row
}

test.each([
  ['a ban', ban],
  ['an erasure', erase],
])('%s and a batch of views', async (_what, end) => {
  const [author, person] = [await someone(), await someone()]
  const [low = '', high = ''] = [await publish(author), await publish(author)].sort()
  await reply(person, high) // where the rows stand in the other order
  await reply(person, low)
  const met = await meet(
    holdCounters(low),
    () => views(owner, [high, low], person),
    () => end(database.superuser, person),
  )
  expect(met).toEqual([null, null])
  expect(await countOf(low)).toMatchObject({ replies: 0 })
})

test.each([
  ['a ban', ban],
  ['an erasure', erase],
])('%s and a reaction to what the person wrote and answered', async (_what, end) => {
  const [author, person, fan] = [await someone(), await someone(), await someone()]
  const other = await publish(author)
  const own = await publish(person)
  await reply(person, other)
  const last = await reply(person, own)
  await owner`update app.replies set created_at = created_at - interval '1 day' where id = ${last}` // last either way
  await cool(own)
  const met = await meet(
    holdCounters(other),
    () => end(database.superuser, person),
    () => call('user', fan, `react($2::uuid, 'heart')`, own),
  )
  expect(met[0]).toBeNull()
  expect([null, 'post_unknown']).toContain(met[1]) // whose turn came first is chance
  expect(await countOf(own)).toMatchObject({ replies: 0 })
})

test.each([
  ['two bans', ban, ban],
  ['two erasures', erase, erase],
  ['a ban and an erasure', ban, erase],
])('%s of people who answered each other', async (_what, first, second) => {
  const [one, two] = [await someone(), await someone()]
  const [ofOne, ofTwo] = [await publish(one), await publish(two)]
  const answers = [await reply(one, ofTwo), await reply(two, ofOne)]
  const met = await meet(
    (sql) => sql`select from app.replies where id in ${sql(answers)} for no key update`,
    () => first(database.superuser, one),
    () => second(owner, two),
  )
  expect(met).toEqual([null, null])
  for (const post of [ofOne, ofTwo]) expect(await countOf(post)).toMatchObject({ replies: 0 })
})

const marks: Record<string, string> = {
  heart: `react($2::uuid, 'heart')`,
  bookmark: 'bookmark($2::uuid)',
  repost: 'repost($2::uuid)',
  reply: `create_reply($2::uuid, 'Indeed')`,
}

test.each(Object.keys(marks))('a %s, and an erasure of the author, who answered there', async (mark) => {
  const [author, fan] = [await someone(), await someone()]
  const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 2 order by slug limit 1`
  const post = await publish(author, { interestId: interest?.id })
  await reply(author, post)
  await cool(post)
  const met = await meet(
    holdPost(post),
    () => call('user', fan, marks[mark] as string, post),
    () => erase(database.superuser, author),
  )
  expect(met).toEqual([null, null])
})

test('a heart, and an erasure of somebody by whose code the fan came, and who answered there', async () => {
  const [author, inviter, fan] = [await someone(), await someone(), await someone()]
  await owner`update app.invite_tree set inviter_id = ${inviter.id} where invitee_id = ${fan.id}`
  const post = await publish(author)
  await reply(inviter, post)
  await cool(post)
  const met = await meet(
    holdPost(post),
    () => call('user', fan, marks.heart as string, post),
    () => erase(database.superuser, inviter),
  )
  expect(met).toEqual([null, null])
})

test('a heart that is told, and an erasure of who told of another before', async () => {
  const [author, person, fan] = [await someone(), await someone(), await someone()]
  const post = await publish(author)
  expect(await call('user', person, marks.heart as string, post)).toBeNull() // the notice that the fan's will be added to
  await reply(person, post)
  await cool(post)
  const met = await meet(
    holdPost(post),
    () => call('user', fan, marks.heart as string, post),
    () => erase(database.superuser, person),
  )
  expect(met).toEqual([null, null])
})

test('a reply that is hidden while its author is erased is gone', async () => {
  const [author, person] = [await someone(), await someone()]
  const post = await publish(author)
  const own = await publish(person)
  const id = await reply(person, post)
  const met = await meet(
    holdPost(own),
    () => erase(database.superuser, person),
    () => call('service', admin, 'hide_reply($2::uuid)', id),
  )
  expect(met).toEqual([null, 'reply_unknown'])
  expect(await countOf(post)).toMatchObject({ replies: 0 })
})

test.each([
  ['banned', ban],
  ['erased', erase],
])('a repost that staff deletes while its author is %s', async (_what, end) => {
  const [author, person] = [await someone(), await someone()]
  const post = await publish(author)
  await reply(person, post)
  const { body: repost } = await person.post<{ id: string }>(`/posts/${post}/repost`)
  const met = await meet(
    holdCounters(post),
    () => call('service', admin, 'remove_post($2::uuid)', repost.id),
    () => end(database.superuser, person),
  )
  expect(met).toEqual([null, null])
})
