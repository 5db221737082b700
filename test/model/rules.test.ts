// A rule hits the same things in shadow as live. A replay of the last 30 days hits them, too. The test compares shadow,
// live and replay in random histories of everything that rules judge, with edits, files, deletions, reports, bans and
// random rules. A failed test prints its seed and the smallest case that shows the fault.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import { applyEffects, createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { createKills } from './kills.ts'

const database = await createDatabase()
const { owner, superuser } = database

const PEOPLE = 5
const FILES = ['cat', 'dog', 'tree']
const hashOf = (file: string) => createHash('sha256').update(file).digest('hex')
const types = (await owner<{ type: string }[]>`select type from private.judged_types order by type`).map(
  ({ type }) => type,
)
const condition = fc.oneof(
  fc.record({ kind: fc.constant('new-account'), hours: fc.constantFrom(1, 30, 100) }),
  fc.record({ kind: fc.constant('words'), words: fc.constantFrom(['casino'], ['Éasy money', 'x'], ['money']) }),
  fc.constant({ kind: 'link' }),
  fc.record({
    kind: fc.constant('rate'),
    moreThan: fc.integer({ min: 1, max: 3 }),
    minutes: fc.constantFrom(1, 90, 1440),
  }),
  fc.record({ kind: fc.constant('near-ban'), steps: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('reports'), people: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant('media'), hashes: fc.constantFrom([hashOf('cat')], [hashOf('dog'), hashOf('cat')]) }),
)
const rule = fc.record({
  conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
  appliesTo: fc.oneof(
    fc.constantFrom(['post'], ['reply'], ['post', 'reply']),
    fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 }),
    fc.constant(types),
  ),
})
const who = fc.nat({ max: PEOPLE - 1 })
const text = fc.constantFrom(
  'A walk',
  'The CASINO',
  'easy  money: www.example.org',
  'see http://example.org',
  'money casino',
)
const step = fc.record({
  act: fc.constantFrom(
    'post',
    'post',
    'post',
    'reply',
    'reply',
    'reply',
    'edit',
    'edit',
    'delete',
    'report',
    'report',
    'ban',
    'write',
    'write',
    'write',
    'write',
    'change',
    'change',
  ),
  who,
  text,
  type: fc.constantFrom(...types),
  file: fc.constantFrom(null, ...FILES),
  at: fc.nat({ max: 9 }),
  minutes: fc.constantFrom(0, 1, 40, 600),
})
type Step = {
  act: string
  who: number
  text: string
  type: string
  file: string | null
  at: number
  minutes: number
}

/** The row of each kind of contents, and what an edit changes, as SQL: $1 is its id, $2 the text, $3 the file. */
const details: Record<string, [table: string, columns: string, values: string, edit: string]> = {
  audio: ['app.audio', 'caption, media_url', '$2, $3', 'caption = $2, media_url = $3'],
  course: ['app.courses', 'summary, depth, price_mana', '$2, 1, length($3) * 0', 'summary = $2 || left($3, 0)'],
  debate: [
    'app.debates',
    'body, closes_at',
    "$2 || left($3, 0), now() + interval '9 days'",
    'body = $2 || left($3, 0)',
  ],
  event: [
    'app.events',
    'body, starts_at, ends_at, timezone, location_kind',
    "$2 || left($3, 0), now() + interval '8 days', now() + interval '9 days', 'UTC', 'online'",
    'body = $2 || left($3, 0)',
  ],
  offering: [
    'app.offerings',
    'description, price_mana, delivery_days',
    '$2 || left($3, 0), 1, 3',
    'description = $2 || left($3, 0)',
  ],
  problem: ['app.problems', 'body', '$2 || left($3, 0)', 'body = $2 || left($3, 0)'],
  project: ['app.projects', 'summary', '$2 || left($3, 0)', 'summary = $2 || left($3, 0)'],
  video: ['app.videos', 'caption, media_url', '$2, $3', 'caption = $2, media_url = $3'],
}
/** The row of a child of a content: $1 is its id, $2 the content's id, $3 the author, $4 the text. */
const children: Record<string, [kind: string, table: string, columns: string, values: string]> = {
  argument: [
    'debate',
    'app.debate_arguments',
    'id, debate_id, author_id, side, depth, body',
    "$1, $2, $3, 'for', 1, rpad($4, 50, ' .')",
  ],
  review: [
    'offering',
    'app.offering_reviews',
    'id, order_id, offering_id, author_id, stars, body',
    '$1, $5, $2, $3, 5, $4',
  ],
  solution: ['problem', 'app.problem_solutions', 'id, problem_id, author_id, body', "$1, $2, $3, rpad($4, 50, ' .')"],
  'video-comment': ['video', 'app.video_comments', 'id, video_id, author_id, body', '$1, $2, $3, $4'],
}
test('The model writes every type that rules judge', () => {
  expect(['post', 'reply', ...Object.keys(details), ...Object.keys(children)].toSorted()).toEqual(types)
})

type Made = { type: string; id: string; author: string }

/** Writes a content with its file, or a child of the newest content of the right kind, if there is one. */
async function write(sql: TransactionSql, { type, text }: Step, me: string, url: string, made: Made[]) {
  const id = crypto.randomUUID()
  const [kind, table = '', columns = '', values = ''] = children[type] ?? []
  const parent = made.findLast((one) => one.type === kind)
  if (kind && !parent) return
  if (kind && parent) {
    if (type === 'review' && me === parent.author) return
    const order = type === 'review' ? [await newOrder(parent, me)] : []
    await sql.unsafe(`insert into ${table} (${columns}) values (${values})`, [id, parent.id, me, text, ...order])
  } else {
    const [detail, fields, inserted] = details[type] ?? []
    await sql`insert into app.contents (id, kind, author_id, title)
      values (${id}, ${type}, ${me}, ${type === 'video' || type === 'audio' ? null : 'A title'})`
    await sql.unsafe(`insert into ${detail} (id, ${fields}) values ($1, ${inserted})`, [id, text, url])
    if (type === 'course') await sql.unsafe(newLesson, [id, text, assetOf(url)])
  }
  made.push({ type, id, author: me })
}
/** A completed order without a payment, which rules don't read. */
async function newOrder({ id, author }: Made, buyer: string): Promise<string> {
  const [order] = await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    return sql<{ id: string }[]>`
      insert into app.orders (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock, state)
      values (${id}, ${buyer}, ${author}, 'x', 'x', 1, 1, false, 'completed') returning id`
  })
  return order?.id ?? ''
}
const OTHER = 'https://example.org/other'
const assetOf = (url: string) => (url === OTHER ? null : (url.split('/').at(-1) ?? null))
const newLesson = `insert into app.course_lessons (course_id, position, title, body, asset_id)
  select $1, coalesce(max(position), 0) + 1, 'A lesson', $2, $3::uuid
  from app.course_lessons where course_id = $1`

/** Edits a content or a solution, or adds a lesson to a course. */
async function change(sql: TransactionSql, { text }: Step, { type, id }: Made, url: string) {
  if (type === 'solution')
    await sql`update app.problem_solutions set body = rpad(${text}, 50, ' .'), edited_at = now() where id = ${id}`
  else if (details[type]) {
    const [detail, , , edit] = details[type]
    await sql`update app.contents set edited_at = now() where id = ${id}`
    await sql.unsafe(`update ${detail} set ${edit} where id = $1`, [id, text, url])
    if (type === 'course') await sql.unsafe(newLesson, [id, text, assetOf(url)])
  }
}

/** Plays a history. It moves the clock by moving all that happened into the past. */
async function play(history: Step[], people: string[], files: Record<string, string>) {
  const made: Made[] = []
  const changed = new Set<string>()
  const posts: string[] = []
  const replies: string[] = []
  const banned = new Set<string>()
  for (const step of history) {
    const { act, who, text, file, at, minutes } = step
    if (minutes > 0) await pass(minutes)
    const me = people[who] ?? ''
    if (banned.has(me)) continue // a banned person can't do anything
    const post = posts[at % posts.length]
    const id = crypto.randomUUID()
    const url = (file && files[file]) ?? OTHER
    const media = JSON.stringify(
      file ? [{ url, alt: null, width: null, height: null, blurhash: null, posterUrl: null }] : [],
    )
    await owner.begin(async (sql) => {
      const thing = made[at % made.length]
      if (act === 'write' && step.type !== 'post' && step.type !== 'reply') {
        await write(sql, step, me, url, made)
      } else if (act === 'change' && thing) {
        await change(sql, step, thing, url)
        changed.add(thing.id)
      } else if (act === 'post') {
        await sql`insert into app.posts (id, author_id, body, media)
                  values (${id}, ${me}, ${text}, ${media}::text::jsonb)`
        await sql`select private.emit('posts.post.published', ${JSON.stringify({ postId: id, authorId: me })}::text::json, array[${me}::uuid])`
        posts.push(id)
      } else if (act === 'reply' && post) {
        await sql`insert into app.replies (id, post_id, author_id, body) values (${id}, ${post}, ${me}, ${text})`
        await sql`select private.emit('posts.reply.created', ${JSON.stringify({ replyId: id, postId: post, authorId: me })}::text::json, array[${me}::uuid])`
        replies.push(id)
      } else if (act === 'edit' && post) {
        const edited = await sql<{ me: string }[]>`
          update app.posts set body = ${text}, media = ${media}::text::jsonb where id = ${post} and deleted_at is null returning author_id as me`
        for (const { me } of edited)
          await sql`select private.emit('posts.post.edited', ${JSON.stringify({ postId: post })}::text::json, array[${me}::uuid])`
      } else if (act === 'delete' && post) {
        await sql`update app.posts set deleted_at = now() where id = ${post}`
      } else if (act === 'report') {
        const [type, target] =
          thing && at > 5 ? [thing.type, thing.id] : at % 2 ? ['post', post] : ['reply', replies[at % replies.length]]
        if (target)
          await sql`insert into app.reports (reporter_id, target_type, target_id, reason)
            select ${me}, ${type ?? ''}, ${target}, 'x' on conflict do nothing`
      } else if (act === 'ban') {
        await sql`update app.users set banned_at = now() where id = ${me}`
        banned.add(me)
      }
    })
    await applyEffects(owner) // a real worker is never an hour late, as the moved clock would make it
  }
  return changed
}

/** Moves everything that a condition may read this many minutes into the past. */
async function pass(minutes: number) {
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`update app.posts set published_at = published_at - ${minutes} * interval '1 minute',
                                   created_at = created_at - ${minutes} * interval '1 minute'`
    await sql`update app.post_versions set created_at = created_at - ${minutes} * interval '1 minute'`
    for (const table of ['app.replies', 'app.debate_arguments', 'app.offering_reviews', 'app.video_comments'])
      await sql`update ${sql.unsafe(table)} set created_at = created_at - ${minutes} * interval '1 minute'`
    for (const table of ['app.contents', 'app.problem_solutions'])
      await sql`update ${sql.unsafe(table)} set created_at = created_at - ${minutes} * interval '1 minute',
                                                edited_at = edited_at - ${minutes} * interval '1 minute'`
    await sql`update app.users set created_at = created_at - ${minutes} * interval '1 minute',
                                   banned_at = banned_at - ${minutes} * interval '1 minute'`
    await sql`update app.reports set created_at = created_at - ${minutes} * interval '1 minute',
                                     reviewed_at = reviewed_at - ${minutes} * interval '1 minute'`
    await sql`update app.invite_tree set created_at = created_at - ${minutes} * interval '1 minute'`
  })
}

/** People who joined 0, 20, 40 … hours ago, each invited by the one before. Staff has upheld reports of some of them. */
async function newPeople(): Promise<string[]> {
  const people: string[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const [row] = await owner<{ id: string }[]>`
      insert into app.users (username, first_name, last_name, created_at)
      values (${`p${crypto.randomUUID().slice(0, 8)}`}, 'P', 'P', now() - ${n * 20} * interval '1 hour')
      returning id`
    const id = row?.id ?? ''
    const code = `INV-${Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[byte % 26]).join('')}`
    if (people[n - 1])
      await owner`with made as (
        insert into app.invite_codes (code, status, generated_by, used_by, used_at)
        values (${code}, 'used', ${people[n - 1] ?? ''}, ${id}, now()) returning id)
        insert into app.invite_tree (invitee_id, inviter_id, code_id, created_at)
        select ${id}, ${people[n - 1] ?? ''}, id, now() - interval '200 hours' from made`
    if (n % 2 === 0)
      await owner`insert into app.reports (reporter_id, target_type, target_id, reason, status, reviewed_at, created_at)
        select ${id}, 'video', gen_random_uuid(), 'x', 'reviewed', now() - interval '1 day', now() - interval '2 days'
        from generate_series(1, 3)`
    people.push(id)
  }
  return people
}

/** Files of one person, by name: their addresses. */
async function newFiles(person: string): Promise<Record<string, string>> {
  const rows = await owner<{ name: string; url: string }[]>`
    with made as (
      insert into app.media_assets (id, key, bucket, owner_id, kind, content_type, mime_type, size, status, committed_at,
                                    expires_at, sha256)
      select id, id, 'local', ${person}, 'image', 'image/png', 'image/png', 9, 'committed', now(), null,
             sha256(convert_to(name, 'UTF8'))
      from (select gen_random_uuid() as id, name from unnest(${FILES}::text[]) name) f returning key, sha256)
    select name, private.asset_url(m.key) as url
    from made m join unnest(${FILES}::text[]) name on sha256(convert_to(name, 'UTF8')) = m.sha256`
  return Object.fromEntries(rows.map(({ name, url }) => [name, url]))
}

test('A rule hits the same things in shadow, live and in a replay', { timeout: 300_000 }, async () => {
  let hits = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 6, maxLength: 10 }),
      fc.array(step, { minLength: 15, maxLength: 35 }),
      async (rules, history) => {
        await owner`delete from app.moderation_rules`
        await owner`update app.posts set created_at = created_at - interval '60 days'`
        for (const table of [
          'replies',
          'contents',
          'debate_arguments',
          'problem_solutions',
          'offering_reviews',
          'video_comments',
        ])
          await owner`update ${owner(`app.${table}`)} set created_at = created_at - interval '60 days'`
        const ids = rules.map(() => ({ shadow: crypto.randomUUID(), live: crypto.randomUUID() }))
        for (const [at, { conditions, appliesTo }] of rules.entries())
          for (const [mode, id] of Object.entries(ids[at] ?? {}))
            await owner`insert into app.moderation_rules (id, name, conditions, compiled, at_report, applies_to, action, mode)
            values (${id}, 'x', ${JSON.stringify(conditions)}::text::jsonb,
                    private.read_conditions(${JSON.stringify(conditions)}::text::jsonb),
                    ${conditions.some(({ kind }) => kind === 'reports')}, ${appliesTo}, 'hide', ${mode})`
        const people = await newPeople()
        const changed = await play(history, people, await newFiles(people[0] ?? ''))
        for (const [at, { shadow, live }] of ids.entries()) {
          const found = async (id: string) =>
            (
              await owner<{ id: string }[]>`select target_id as id from app.rule_hits where rule_id = ${id} order by 1`
            ).map(({ id }) => id)
          const replayed = await owner<{ id: string }[]>`
          select t.id from (select 'post' as type, id, created_at from app.posts union all
                            select 'reply', id, created_at from app.replies union all
                            select kind, id, created_at from app.contents union all
                            select 'argument', id, created_at from app.debate_arguments union all
                            select 'solution', id, created_at from app.problem_solutions union all
                            select 'review', id, created_at from app.offering_reviews union all
                            select 'video-comment', id, created_at from app.video_comments) t, app.moderation_rules r
          where r.id = ${live} and t.type = any (r.applies_to) and t.created_at > now() - interval '30 days'
            and (private.find_fitting(r.compiled, private.find_versions(t.type, t.id))).id is not null order by 1`
          expect(await found(shadow), JSON.stringify(rules[at])).toEqual(await found(live))
          // a replay doesn't read the earlier versions of contents and their children
          const hit = await found(live)
          expect(
            replayed.filter(({ id }) => !hit.includes(id)),
            JSON.stringify(rules[at]),
          ).toEqual([])
          const unchanged = (ids: string[]) => ids.filter((id) => !changed.has(id))
          expect(unchanged(hit), JSON.stringify(rules[at])).toEqual(unchanged(replayed.map(({ id }) => id)))
          hits += replayed.length
        }
      },
    ),
    { numRuns: runs(20, 300) },
  )
  expect(hits).toBeGreaterThan(50)
})

test('Each held thing gets one case and one decision, whichever write its worker is killed at', async () => {
  const { send, died } = await createKills(database)
  await owner`delete from app.moderation_rules`
  for (const name of ['one', 'two'])
    await owner`insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action, mode)
      values (${name}, '[{"kind": "link"}]', private.read_conditions('[{"kind": "link"}]'), false, '{post}', 'hide', 'live')`
  const [me = ''] = await newPeople()
  const jobs = async () => owner<{ data: object }[]>`select data from pgboss.job where name = 'rule-cases'`
  for (let kill = 0; ; kill++) {
    await owner`delete from pgboss.job where name = 'rule-cases'`
    const post = crypto.randomUUID()
    await owner.begin(async (sql) => {
      await sql`insert into app.posts (id, author_id, body) values (${post}, ${me}, 'http://example.org')`
      await sql`select private.emit('posts.post.published', ${JSON.stringify({ postId: post, authorId: me })}::text::json, array[${me}::uuid])`
    })
    const [job] = await jobs()
    const before = died()
    // pg-boss runs a job again whose worker died, and may run it twice
    for (const at of [kill, null])
      expect(
        await send(
          { run: (sql) => sql`select private.open_rule_cases(${JSON.stringify(job?.data)}::text::jsonb)` },
          at,
        ),
      ).toBe(null)
    const [found] = await owner`
      select (select count(*)::int from app.decisions where target_id = ${post}) as decisions,
             (select count(*)::int from app.cases where target_id = ${post}) as cases,
             (select count(*)::int from app.case_events e join app.cases c on c.id = e.case_id
              where c.target_id = ${post}) as events`
    expect(found, `killed after ${kill} writes`).toEqual({ decisions: 1, cases: 1, events: 3 })
    if (died() === before) break
  }
  expect(died()).toBeGreaterThan(5)
})
