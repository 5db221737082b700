// A client keeps copies and catches up by GET /sync, in random histories: afterwards it holds exactly what its person
// sees. Nobody learns of a thing that they could never see. If a history fails, the test prints the seed and the
// shortest failing history.
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner } = await createDatabase()
const names = ['ann', 'ben', 'cat', 'dan'] as const
type Name = (typeof names)[number]

const people = await owner<{ id: string; username: Name }[]>`
  insert into app.users (username, first_name, last_name, country, city)
  select n, n, 'Model', 'PT', 'Faro' from unnest(${[...names]}::text[]) n returning id, username`
const idOf = (name: Name) => people.find(({ username }) => username === name)?.id ?? ''
// Ann and Ben have each other in the inner circle, and Ann has Cat in a circle. Dan is a stranger to all of them.
await owner`insert into app.audience (viewer_id, author_id, level) values
  (${idOf('ben')}, ${idOf('ann')}, 2), (${idOf('ann')}, ${idOf('ben')}, 2), (${idOf('cat')}, ${idOf('ann')}, 1)
  on conflict (viewer_id, author_id) do update set level = excluded.level`

const as = <T>(name: Name, run: (sql: Sql) => Promise<T>): Promise<T> =>
  owner.begin(async (sql) => {
    const claims = JSON.stringify({ sub: idOf(name), role: 'user' })
    await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`
    return run(sql as unknown as Sql)
  }) as Promise<T>

/** What a client holds: the text of each thing, and the post that it belongs to, if it is a reply or a repost. */
type Copies = Map<string, { text: string; under: string | null }>
type Change = { type: string; id: string; gone: boolean }
const key = (type: string, id: string) => `${type} ${id}`

/** Everything that a person sees, as a client would hold it. */
const seen = (name: Name): Promise<Copies> =>
  as(name, async (sql) => {
    const rows = await sql<{ type: string; id: string; text: string; under: string | null }[]>`
      select 'post' as type, id, concat_ws(',', body, visibility, hidden_at is null) as text, quoted_post_id as under
      from app.posts
      union all select 'reply', id, concat_ws(',', body, hidden_at is null), post_id from app.replies
      union all select 'person', person_id, concat_ws(',', username, first_name), null from app.users`
    return new Map(rows.map(({ type, id, text, under }) => [key(type, id), { text, under }]))
  })

/** Discards a thing, and what belongs to it. */
function discard(copies: Copies, thing: string): void {
  copies.delete(thing)
  for (const [other, { under }] of copies) if (under && thing === key('post', under)) discard(copies, other)
}

type Client = { name: Name; cursor: string; copies: Copies }

async function catchUp(client: Client): Promise<void> {
  if (banned.has(client.name)) return // a banned person can't call anything
  const fresh = await seen(client.name)
  for (let more = true; more; ) {
    const page = await as(client.name, async (sql) => {
      const [row] = await sql<{ page: { items: Change[]; nextCursor: string; hasMore: boolean } }[]>`
        select api.list_changes(${client.cursor}) as page`
      return row?.page
    })
    for (const { type, id, gone } of page?.items ?? []) {
      const thing = key(type, id)
      expect([thing, could.get(client.name)?.has(thing)], `${client.name} is told`).toEqual([thing, true])
      expect([thing, gone], `${client.name} is told`).toEqual([thing, !fresh.has(thing)])
      const copy = fresh.get(thing)
      if (copy) client.copies.set(thing, copy)
      else discard(client.copies, thing)
    }
    client.cursor = page?.nextCursor ?? client.cursor
    more = page?.hasMore ?? false
  }
  for (const [thing, copy] of client.copies)
    expect([thing, copy], `${client.name} holds`).toEqual([thing, fresh.get(thing)])
}

const banned = new Set<Name>()
/** What each person could ever see, in all histories: things of earlier histories remain. */
const could = new Map<Name, Set<string>>(names.map((name) => [name, new Set()]))

type Step = { act: (typeof acts)[number]; who: Name; which: number; way: (typeof ways)[number] }
const ways = ['public', 'circles', 'inner'] as const
const acts = [
  ...(['publish', 'publish', 'edit', 'edit', 'narrow', 'narrow', 'hide', 'show', 'delete', 'reply', 'repost'] as const),
  ...(['hide reply', 'show reply', 'delete reply', 'rename', 'ban', 'unban', 'look', 'look', 'look'] as const),
] as const
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    act: fc.constantFrom(...acts),
    who: fc.constantFrom(...names),
    which: fc.nat(20),
    way: fc.constantFrom(...ways),
  }),
  { minLength: 5, maxLength: 40 },
)

async function live(history: Step[]): Promise<void> {
  await owner`update app.users set banned_at = null where banned_at is not null`
  await owner`delete from private.changes`
  banned.clear()
  const posts: { id: string; author: Name }[] = []
  const replies: string[] = []
  const clients: Client[] = []
  for (const name of names) {
    const cursor = await as(name, async (sql) => {
      const [row] = await sql<{ cursor: string }[]>`select api.list_changes() ->> 'nextCursor' as cursor`
      return row?.cursor ?? ''
    })
    const copies = await seen(name)
    clients.push({ name, cursor, copies })
  }
  let n = 0
  for (const { act, who, which, way } of history) {
    n += 1
    const post = posts[which % Math.max(posts.length, 1)]
    const reply = replies[which % Math.max(replies.length, 1)] ?? null
    const author = post ? post.author : who
    const call = (name: Name, text: string, ...given: string[]) =>
      as(name, (sql) => sql.unsafe(text, given)).catch((error: { code?: string }) => {
        // a call may be rejected: the model doesn't contain the rules of writing
        if (!error.code?.startsWith('PT')) throw error
        return []
      })
    if (act === 'publish') {
      const [made] = await call(
        who,
        'select api.create_post($1, p_visibility => $2) ->> $$id$$ as id',
        `Post ${n}`,
        way,
      )
      if (made?.id) posts.push({ id: made.id, author: who })
    } else if (act === 'repost' && post) {
      const [made] = await call(who, 'select api.repost($1::text::uuid) ->> $$id$$ as id', post.id)
      if (made?.id) posts.push({ id: made.id, author: who })
    } else if (act === 'reply' && post) {
      const [made] = await call(
        who,
        'select api.create_reply($1::text::uuid, $2) ->> $$id$$ as id',
        post.id,
        `Reply ${n}`,
      )
      if (made?.id) replies.push(made.id)
    } else if (act === 'edit' && post) {
      await call(author, 'select api.update_post($1::text::uuid, $2::text::jsonb)', post.id, `{"body": "Edit ${n}"}`)
    } else if (act === 'narrow' && post) {
      await call(author, 'select api.update_post($1::text::uuid, $2::text::jsonb)', post.id, `{"visibility": "${way}"}`)
    } else if (act === 'delete' && post) {
      await call(author, 'select api.delete_post($1::text::uuid)', post.id)
    } else if ((act === 'hide' || act === 'show') && post) {
      await owner`update app.posts set hidden_at = ${act === 'hide' ? new Date() : null} where id = ${post.id}`
    } else if (act === 'hide reply' || act === 'show reply') {
      await owner`update app.replies set hidden_at = ${act === 'hide reply' ? new Date() : null} where id = ${reply}`
    } else if (act === 'delete reply') {
      await owner`update app.replies set deleted_at = now() where id = ${reply} and deleted_at is null`
    } else if (act === 'rename') {
      await call(who, 'select api.update_me($1::text::jsonb)', `{"firstName": "Name ${n}"}`)
    } else if (act === 'ban' || act === 'unban') {
      await owner`update app.users set banned_at = ${act === 'ban' ? new Date() : null} where id = ${idOf(who)}`
      if (act === 'ban') banned.add(who)
      else banned.delete(who)
    } else if (act === 'look') {
      const client = clients.find(({ name }) => name === who)
      if (client && !banned.has(who)) {
        await catchUp(client)
        client.copies = new Map([...client.copies, ...(await seen(who))])
      }
    }
    if (act === 'look') continue
    for (const name of names) for (const thing of (await seen(name)).keys()) could.get(name)?.add(thing)
  }
  for (const client of clients) await catchUp(client)
}

test('After catching up a client holds what its person sees', { timeout: runs(80_000, 700_000) }, async () => {
  await fc.assert(fc.asyncProperty(steps, live), {
    numRuns: runs(12, 300),
    interruptAfterTimeLimit: runs(60_000, 600_000),
    markInterruptAsFailure: true,
  })
})
