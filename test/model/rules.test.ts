// A rule in shadow notes the same as the rule would have done live, and as a replay of the last 30 days finds: random
// histories of posts, replies, edits, deletions, reports and bans, with random rules. A failure prints the seed and the
// smallest case that shows it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEffects, createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { createKills } from './kills.ts'

const database = await createDatabase()
const { owner, superuser } = database

const PEOPLE = 5
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
)
const rule = fc.record({
  conditions: fc.array(condition, { minLength: 1, maxLength: 2 }),
  appliesTo: fc.constantFrom(['post'], ['reply'], ['post', 'reply']),
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
  ),
  who,
  text,
  at: fc.nat({ max: 9 }),
  minutes: fc.constantFrom(0, 1, 40, 600),
})
type Step = { act: string; who: number; text: string; at: number; minutes: number }

/** Plays a history on a clock that it moves by moving all that happened into the past. */
async function play(history: Step[], people: string[]) {
  const posts: string[] = []
  const replies: string[] = []
  const banned = new Set<string>()
  for (const { act, who, text, at, minutes } of history) {
    if (minutes > 0) await pass(minutes)
    const me = people[who] ?? ''
    if (banned.has(me)) continue // they could not do it
    const post = posts[at % posts.length]
    const id = crypto.randomUUID()
    await owner.begin(async (sql) => {
      if (act === 'post') {
        await sql`insert into app.posts (id, author_id, body) values (${id}, ${me}, ${text})`
        await sql`select private.emit('posts.post.published', ${JSON.stringify({ postId: id, authorId: me })}::text::json, array[${me}::uuid])`
        posts.push(id)
      } else if (act === 'reply' && post) {
        await sql`insert into app.replies (id, post_id, author_id, body) values (${id}, ${post}, ${me}, ${text})`
        await sql`select private.emit('posts.reply.created', ${JSON.stringify({ replyId: id, postId: post, authorId: me })}::text::json, array[${me}::uuid])`
        replies.push(id)
      } else if (act === 'edit' && post) {
        const edited = await sql<{ me: string }[]>`
          update app.posts set body = ${text} where id = ${post} and deleted_at is null returning author_id as me`
        for (const { me } of edited)
          await sql`select private.emit('posts.post.edited', ${JSON.stringify({ postId: post })}::text::json, array[${me}::uuid])`
      } else if (act === 'delete' && post) {
        await sql`update app.posts set deleted_at = now() where id = ${post}`
      } else if (act === 'report') {
        const [type, target] = at % 2 ? ['post', post] : ['reply', replies[at % replies.length]]
        if (target)
          await sql`insert into app.reports (reporter_id, target_type, target_id, reason)
            select ${me}, ${type ?? ''}, ${target}, 'x' on conflict do nothing`
      } else if (act === 'ban') {
        await sql`update app.users set banned_at = now() where id = ${me}`
        banned.add(me)
      }
    })
    await applyEffects(owner) // the worker is never an hour late, as the clock here would make it
  }
}

/** Moves everything that a condition may read this many minutes into the past. */
async function pass(minutes: number) {
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`update app.posts set published_at = published_at - ${minutes} * interval '1 minute',
                                   created_at = created_at - ${minutes} * interval '1 minute'`
    await sql`update app.post_versions set created_at = created_at - ${minutes} * interval '1 minute'`
    await sql`update app.replies set created_at = created_at - ${minutes} * interval '1 minute'`
    await sql`update app.users set created_at = created_at - ${minutes} * interval '1 minute',
                                   banned_at = banned_at - ${minutes} * interval '1 minute'`
    await sql`update app.reports set created_at = created_at - ${minutes} * interval '1 minute',
                                     reviewed_at = reviewed_at - ${minutes} * interval '1 minute'`
    await sql`update app.invite_tree set created_at = created_at - ${minutes} * interval '1 minute'`
  })
}

/** People of an age of 0, 20, 40 … hours, each invited by the one before, of whose reports staff upheld some. */
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

test('A rule says the same in shadow, live and replayed', { timeout: 300_000 }, async () => {
  let hits = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 6, maxLength: 10 }),
      fc.array(step, { minLength: 15, maxLength: 35 }),
      async (rules, history) => {
        await owner`delete from app.moderation_rules`
        await owner`update app.posts set created_at = created_at - interval '60 days'`
        await owner`update app.replies set created_at = created_at - interval '60 days'`
        const ids = rules.map(() => ({ shadow: crypto.randomUUID(), live: crypto.randomUUID() }))
        for (const [at, { conditions, appliesTo }] of rules.entries())
          for (const [mode, id] of Object.entries(ids[at] ?? {}))
            await owner`insert into app.moderation_rules (id, name, conditions, compiled, at_report, applies_to, action, mode)
            values (${id}, 'x', ${JSON.stringify(conditions)}::text::jsonb,
                    private.read_conditions(${JSON.stringify(conditions)}::text::jsonb),
                    ${conditions.some(({ kind }) => kind === 'reports')}, ${appliesTo}, 'hide', ${mode})`
        await play(history, await newPeople())
        for (const [at, { shadow, live }] of ids.entries()) {
          const found = async (id: string) =>
            (
              await owner<{ id: string }[]>`select target_id as id from app.rule_hits where rule_id = ${id} order by 1`
            ).map(({ id }) => id)
          const replayed = await owner<{ id: string }[]>`
          select t.id from (select 'post' as type, id, created_at from app.posts union all
                            select 'reply', id, created_at from app.replies) t, app.moderation_rules r
          where r.id = ${live} and t.type = any (r.applies_to) and t.created_at > now() - interval '30 days'
            and (private.find_fitting(r.compiled, private.find_versions(t.type, t.id))).id is not null order by 1`
          expect(await found(shadow), JSON.stringify(rules[at])).toEqual(await found(live))
          expect(await found(live), JSON.stringify(rules[at])).toEqual(replayed.map(({ id }) => id))
          hits += replayed.length
        }
      },
    ),
    { numRuns: runs(12, 300) },
  )
  expect(hits).toBeGreaterThan(50)
})

test('A worker that is killed at any write leaves one case and one decision of each held thing', async () => {
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
