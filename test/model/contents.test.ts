// Compares which contents people see in random worlds with a small model of the rule, and checks that every kind has
// everything that a kind needs. See docs/decisions.md, Contents. A failed test prints its seed and the smallest world
// that shows the fault.
import fc from 'fast-check'
import type { TransactionSql } from 'postgres'
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { until } from '../support/until.ts'

const { owner } = await createDatabase()

const kinds = await owner<{ kind: string; plural: string; relation: string }[]>`
  select kind, plural, relation::text from private.content_kinds order by kind collate "C"`
/** The minimal columns that the detail of each kind needs. */
const details: Record<string, Record<string, string | number>> = {
  audio: { media_url: 'https://example.org/a' },
  course: { summary: 'x', depth: 0, price_mana: 0 },
  debate: { body: 'x', closes_at: '2030-01-01' },
  event: { body: 'x', starts_at: '2030-01-01', ends_at: '2030-01-02', timezone: 'UTC', location_kind: 'online' },
  offering: { description: 'x', price_mana: 1, delivery_days: 1 },
  problem: { body: 'x' },
  project: { summary: 'x' },
  video: { media_url: 'https://example.org/a' },
}

// --- The model

type Content = {
  kind: string
  author: number
  removed: boolean
  draft: boolean
  deleted: boolean
  /** The space it is in, if any. */
  space: number | null
  /** Its interest: the first two are below the third. */
  interest: number | null
}
type World = {
  contents: Content[]
  /** Comments on a content, if it is a video: by whom, and whether it was removed. */
  comments: { video: number; author: number; removed: boolean }[]
  /** Who has blocked whom. */
  blocks: [number, number][]
  /** Who is in which space. */
  members: [number, number][]
  banned: number[]
  /** People who are banned until a time in the future. */
  suspended: number[]
  erased: number[]
  limited: number[]
  /** Who follows whom. */
  follows: [number, number][]
  /** Whether the worker's batches have hidden the contents of banned and erased people. */
  written: boolean
}
const PEOPLE = [0, 1, 2, 3]
const SPACES = [0, 1]
const INTERESTS = [0, 1, 2]

const isHidden = ({ banned, suspended, erased }: World, who: number) =>
  [...banned, ...suspended, ...erased].includes(who)
const isLimited = ({ limited, follows }: World, viewer: number, author: number) =>
  limited.includes(author) && viewer !== author && !follows.some(([by, whom]) => by === viewer && whom === author)
const meets = ({ blocks }: World, one: number, other: number) =>
  !blocks.some(([by, whom]) => (by === one && whom === other) || (by === other && whom === one))
const sees = (world: World, viewer: number, content: Content) =>
  !content.deleted &&
  !isHidden(world, content.author) &&
  (viewer === content.author || (meets(world, viewer, content.author) && !content.removed && !content.draft)) &&
  (content.space === null || world.members.some(([who, space]) => who === viewer && space === content.space))
const isAbout = ({ interest }: Content, wanted: number) => interest === wanted || (wanted === 2 && interest !== null)

// --- Random worlds

const who = fc.constantFrom(...PEOPLE)
const content = fc.record({
  kind: fc.constantFrom('video', 'video', 'video', ...kinds.map(({ kind }) => kind)),
  author: who,
  removed: fc.boolean(),
  draft: fc.nat(4).map((n) => n === 0),
  deleted: fc.nat(4).map((n) => n === 0),
  space: fc.constantFrom(null, null, ...SPACES),
  interest: fc.constantFrom(null, ...INTERESTS),
})
const pairs = fc.array(fc.tuple(who, who), { maxLength: 3 })
const worlds: fc.Arbitrary<World> = fc.record({
  contents: fc.array(content, { minLength: 1, maxLength: 8 }),
  comments: fc.array(fc.record({ video: fc.nat(7), author: who, removed: fc.boolean() }), { maxLength: 6 }),
  blocks: pairs.map((all) => all.filter(([one, other]) => one !== other)),
  members: fc.array(fc.tuple(who, fc.constantFrom(...SPACES)), { maxLength: 5 }),
  banned: fc.uniqueArray(who, { maxLength: 1 }),
  suspended: fc.uniqueArray(who, { maxLength: 1 }),
  erased: fc.uniqueArray(who, { maxLength: 1 }),
  limited: fc.uniqueArray(who, { maxLength: 2 }),
  follows: pairs.map((all) => all.filter(([one, other]) => one !== other)),
  written: fc.boolean(),
})

const uuid = (kind: number, n: number) => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`
const personId = (n: number) => uuid(1, n)
const spaceId = (n: number) => uuid(2, n)
const interestId = (n: number) => uuid(3, n)
const contentId = (n: number) => uuid(4, n)
const commentId = (n: number) => uuid(5, n)
/** The newest has the highest number. */
const moment = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n))

await owner`insert into app.interests (id, slug, name, level, parent_id, accent_color) values
  (${interestId(2)}, 'above', 'Above', 1, null, 'ink'), (${interestId(0)}, 'below', 'Below', 2, ${interestId(2)}, 'ink'),
  (${interestId(1)}, 'beside', 'Beside', 2, ${interestId(2)}, 'ink')`
for (const n of PEOPLE) {
  await owner`insert into app.users (id, username, first_name, last_name) values (${personId(n)}, ${`person${n}`}, 'P', 'X')`
}
for (const n of SPACES)
  await owner`insert into app.spaces (id, kind, slug, name, member_count) values (${spaceId(n)}, ${n === 0 ? 'group' : 'guild'}, 'the-space', 'x', 100)`

async function build(sql: TransactionSql, world: World) {
  for (const [n, one] of world.contents.entries()) {
    await sql`insert into app.contents ${sql({
      id: contentId(n),
      kind: one.kind,
      author_id: personId(one.author),
      interest_id: one.interest === null ? null : interestId(one.interest),
      space_id: one.space === null ? null : spaceId(one.space),
      is_draft: one.draft,
      removed_at: one.removed ? moment(0) : null,
      deleted_at: one.deleted ? moment(0) : null,
      created_at: moment(n),
    })}`
    if (one.deleted) continue
    const table = kinds.find(({ kind }) => kind === one.kind)?.relation ?? ''
    await sql`insert into ${sql(table)} ${sql({ id: contentId(n), ...details[one.kind] })}`
    if (one.kind === 'event')
      await sql`insert into app.event_seats (event_id, host_id) values (${contentId(n)}, ${personId(one.author)})`
  }
  for (const [n, { video, author, removed }] of world.comments.entries()) {
    if (world.contents[video]?.kind !== 'video') continue
    await sql`insert into app.video_comments ${sql({
      id: commentId(n),
      video_id: contentId(video),
      author_id: personId(author),
      body: 'x',
      removed_at: removed ? moment(0) : null,
      created_at: moment(n),
    })}`
  }
  for (const [by, whom] of world.blocks)
    await sql`insert into app.blocks (blocker_id, blocked_id) values (${personId(by)}, ${personId(whom)}) on conflict do nothing`
  for (const [who, space] of world.members)
    await sql`insert into app.space_members (space_id, user_id) values (${spaceId(space)}, ${personId(who)}) on conflict do nothing`
  for (const [by, whom] of world.follows)
    await sql`insert into app.follows (follower_id, following_id)
      select ${personId(by)}, ${personId(whom)}
      where not exists (select from app.blocks where least(blocker_id, blocked_id) = least(${personId(by)}::uuid, ${personId(whom)}::uuid)
                          and greatest(blocker_id, blocked_id) = greatest(${personId(by)}::uuid, ${personId(whom)}::uuid))
      on conflict do nothing`
  const hidings = [
    { people: world.limited, since: sql`limited_at = now()` },
    { people: world.banned, since: sql`banned_at = now()` },
    { people: world.suspended, since: sql`banned_at = now(), banned_until = '2100-01-01'` },
    { people: world.erased, since: sql`erased_at = now()` },
  ]
  for (const { people, since } of hidings)
    for (const n of people) await sql`update app.users set ${since} where id = ${personId(n)}`
  if (world.written) return
  // this is the state before the worker has hidden the contents
  await sql`update app.contents set author_hidden = false`
  await sql`update app.video_comments set author_hidden = false`
}

/** The answer of each call, or the code of its error. Every call is rolled back. */
async function ask(sql: TransactionSql, calls: string[]): Promise<unknown[]> {
  const [row] = await sql<{ answers: unknown[] }[]>`
    select json_agg(pg_temp.ask(call) order by place) as answers from unnest(${calls}::text[]) with ordinality c (call, place)`
  return row?.answers ?? []
}
const asking = `
  create function pg_temp.ask(p_call text) returns json language plpgsql as $$
  declare
    v_answer json;
  begin
    execute 'select api.' || p_call into v_answer;
    raise sqlstate 'ZZ000';
  exception
    when sqlstate 'ZZ000' then return v_answer;
    when others then return to_json(sqlerrm);
  end $$;
  grant execute on function pg_temp.ask to public`
const idsOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer ? (answer as { items: { id: string }[] }).items.map(({ id }) => id) : answer

/** What a viewer gets and what they must get, from each operation and from the tables. */
async function look(sql: TransactionSql, world: World, viewer: number) {
  const all = world.contents.map((one, n) => ({ ...one, id: contentId(n), seen: sees(world, viewer, one) }))
  const seen = all.filter((one) => one.seen)
  const newest = (kind: string, more: (one: Content) => boolean) =>
    seen
      .filter((one) => one.kind === kind && more(one))
      .map(({ id }) => id)
      .reverse()
  const comments = world.comments.map((one, n) => ({ ...one, id: commentId(n) }))
  const commentsOn = (video: number) =>
    comments
      .filter((one) => one.video === video && !one.removed && !isHidden(world, one.author))
      .filter(({ author }) => meets(world, viewer, author))
      .map(({ id }) => id)

  await sql`select set_config('role', 'authenticated', true),
                   set_config('request.jwt.claims', ${JSON.stringify({ sub: personId(viewer), role: 'user' })}, true)`
  const expected: Record<string, unknown> = {}
  const reads: Record<string, (answer: unknown) => unknown> = {}
  const put = (call: string, read: (answer: unknown) => unknown, must: unknown) => {
    reads[call] = read
    expected[call] = must
  }
  for (const { kind, plural: list } of kinds) {
    if (all.every((one) => one.kind !== kind)) continue
    const about = [null, ...INTERESTS].map((wanted) => ({ wanted, author: null }))
    const by = PEOPLE.map((author) => ({ wanted: author % 2 ? null : 2, author }))
    for (const space of [null, ...SPACES]) {
      for (const { wanted, author } of space === null ? [...about, ...by] : [...about.slice(0, 1), ...by.slice(0, 2)]) {
        const known = author === null || (!isHidden(world, author) && meets(world, viewer, author))
        const found = newest(
          kind,
          (one) =>
            one.space === space &&
            (author ?? one.author) === one.author &&
            (wanted === null || isAbout(one, wanted)) &&
            // a filter by a space or an author finds limited people too
            (space !== null || author !== null || !isLimited(world, viewer, one.author)),
        )
        const asked = [
          wanted === null ? '' : `p_interest_id => '${interestId(wanted)}'`,
          author === null ? '' : `p_author_id => 'person${author}'`,
          space === null ? '' : `p_${space === 0 ? 'group' : 'guild'}_id => '${spaceId(space)}'`,
        ]
        put(`list_${list}(${asked.filter((one) => one).join(', ')})`, idsOf, known ? found : 'person_unknown')
      }
    }
    // These two kinds also have lists by author
    for (const author of kind === 'video' || kind === 'audio' ? PEOPLE : []) {
      const known = !isHidden(world, author) && meets(world, viewer, author)
      const theirs = known ? newest(kind, (one) => one.author === author && one.space === null) : 'person_unknown'
      put(`list_${list}_by('person${author}')`, idsOf, theirs)
    }
  }
  const text = (answer: unknown) => (typeof answer === 'string' ? answer : 'done')
  for (const { id, kind, seen, ...one } of all) {
    const unknown = `${kind}_unknown`
    const known = (code = unknown) => (seen ? 'done' : code)
    put(`get_${kind}('${id}')`, text, known())
    put(`report('${kind}', '${id}', 'x')`, text, known())
    if (kind !== 'video') continue
    const number = all.findIndex((other) => other.id === id)
    put(`list_video_comments('${id}')`, idsOf, seen ? commentsOn(number) : unknown)
    const open = seen && !one.removed && !one.draft ? 'done' : unknown
    for (const call of [`like_video('${id}')`, `repost_video('${id}')`, `create_video_comment('${id}', 'x')`])
      put(call, text, open)
  }
  for (const { id, video, author, removed } of comments) {
    if (all[video]?.kind !== 'video') continue
    const there = all[video].seen && !removed && !isHidden(world, author) && meets(world, viewer, author)
    put(`report('video-comment', '${id}', 'x')`, text, there ? 'done' : 'comment_unknown')
  }
  const calls = Object.keys(expected)
  const answers = await ask(sql, calls)
  const answered: Record<string, unknown> = Object.fromEntries(
    calls.map((call, n) => [call, reads[call]?.(answers[n])]),
  )
  const [tables] = await sql.unsafe(`
    select array(select id::text from app.contents order by 1) as contents,
           array(${kinds.map(({ relation }) => `select id::text from ${relation}`).join(' union all ')} order by 1) as details,
           array(select video_id::text from app.video_counters order by 1) as counters`)
  answered.tables = tables
  expected.tables = {
    contents: seen.map(({ id }) => id),
    details: seen.map(({ id }) => id),
    counters: seen.filter(({ kind }) => kind === 'video').map(({ id }) => id),
  }
  await sql`select set_config('role', 'none', true)`
  return { answered, expected }
}

test('Everyone sees exactly the contents that the rule allows', async () => {
  let [visible, hidden] = [0, 0]
  const drawn = new Set<string>()
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const looks = await owner
        .begin(async (sql) => {
          await build(sql, world)
          await sql.unsafe(asking)
          const found = []
          for (const viewer of PEOPLE.filter((who) => !isHidden(world, who))) found.push(await look(sql, world, viewer))
          throw { found } // undoes this world
        })
        .catch((thrown: { found?: Awaited<ReturnType<typeof look>>[] }) => {
          if (!thrown.found) throw thrown
          return thrown.found
        })
      for (const { answered, expected } of looks) expect(answered).toEqual(expected)
      const outcomes = looks.flatMap(({ expected }) => Object.values(expected))
      for (const { kind } of world.contents) drawn.add(kind)
      visible += outcomes.filter((one) => one === 'done').length
      hidden += outcomes.filter((one) => typeof one === 'string' && one.endsWith('_unknown')).length
    }),
    { numRuns: runs(15, 300), seed: 20_261_122 },
  )
  expect(Math.min(visible, hidden)).toBeGreaterThan(80)
  expect([...drawn].toSorted()).toEqual(kinds.map(({ kind }) => kind))
})

describe('Every kind is complete:', async () => {
  /** Each is a query for kinds that lack something. */
  const wants: Record<string, string> = {
    'its detail table has the id of the content as its key': `
      select k.kind from private.content_kinds k where not exists (
        select from pg_constraint c where c.conrelid = k.relation and c.contype = 'f'
          and c.confrelid = 'app.contents'::regclass and c.confdeltype = 'c'
          and exists (select from pg_constraint p where p.conrelid = c.conrelid and p.contype = 'p' and p.conkey = c.conkey))`,
    'the visibility of its detail follows from the content alone': `
      select k.kind from private.content_kinds k join pg_class c on c.oid = k.relation
      where (select array_agg(regexp_replace(pg_get_expr(q.polqual, q.polrelid), '\\s', '', 'g'))
             from pg_policy q where q.polrelid = k.relation and q.polcmd = 'r') is distinct from
            array[format('(SELECTtrueFROMapp.contentscWHERE(c.id=%s.id))', c.relname)]`,
    'staff see its detail, by a view of id and detail': `
      select k.kind from private.content_kinds k
      where (select string_agg(a.attname, ' ' order by a.attnum) from pg_attribute a
             where a.attrelid = k.details and a.attnum > 0) is distinct from 'id detail'
        or not exists (select from pg_class c where c.oid = k.details and c.relkind = 'v')`,
    'it has a function for an erasure': `
      select k.kind from private.content_kinds k
      where to_regprocedure(k.eraser || '(uuid[])') is null
        or pg_get_functiondef(to_regprocedure(k.eraser || '(uuid[])')) !~ replace(k.relation::text, '.', '\\.')`,
    'it can be reported': `
      select k.kind from private.content_kinds k
      where not exists (select from private.report_targets t where t.type = k.kind)`,
    'the export has its detail': `
      select k.kind from private.content_kinds k
      where not exists (select from private.personal_data d where d.relation = k.relation and d.section is not null)`,
    'it has an error code for an unknown id': `
      select k.kind from private.content_kinds k
      where not exists (select from private.errors e where e.code = k.kind || '_unknown' and e.status = 404)`,
    'it has operations to create, get, list, update and delete it': `
      select k.kind from private.content_kinds k
      where exists (select from unnest(array['get_' || k.kind, 'delete_' || k.kind, 'create_' || k.kind,
                                             'list_' || k.plural] || case when k.titled then 'update_' || k.kind end) n (name)
                    where n.name is not null and not exists (select from pg_proc p
                                      where p.pronamespace = 'api'::regnamespace and p.proname = n.name))`,
    'its list has the common parameters, and it can be created in a space': `
      select k.kind from private.content_kinds k
      where not exists (select from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname = 'list_' || k.plural
                          and p.proargnames @> '{p_interest_id,p_author_id,p_q,p_group_id,p_guild_id,p_limit,p_cursor}')
         or not exists (select from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname = 'create_' || k.kind
                          and p.proargnames @> '{p_interest_id,p_group_id,p_guild_id}')`,
    'a filter that only its list has is a registered function': `
      select k.kind from private.content_kinds k where to_regprocedure(k.filter || '(uuid,jsonb)') is null and k.filter is not null`,
    'only definer functions change its detail': `
      select k.kind from private.content_kinds k
      where has_table_privilege('authenticated', k.relation, 'update') or has_table_privilege('authenticated', k.relation, 'delete')`,
  }
  const found = async (sql: Pick<TransactionSql, 'unsafe'>, query: string) =>
    (await sql.unsafe<{ kind: string }[]>(query)).map(({ kind }) => kind)

  test.each(Object.entries(wants))('%s', async (_what, query) => {
    expect(await found(owner, query)).toEqual([])
  })

  test.each(Object.entries(wants))('The check finds a kind for which this is false: %s', async (_what, query) => {
    const lacking = await owner.begin(async (sql) => {
      await sql.unsafe(`
        create table app.kites (id uuid, words text);
        create policy select_all on app.kites for select to authenticated using (true);
        grant update on app.kites to authenticated;
        create table private.kite_details (id uuid);
        insert into private.content_kinds (kind, plural, relation, details, eraser, filter)
        values ('kite', 'kites', 'app.kites', 'private.kite_details', 'private.erase_kites', 'private.is_kite_wanted')`)
      const kinds = await found(sql, query)
      await sql.unsafe('rollback; begin')
      return kinds
    })
    expect(lacking).toEqual(['kite'])
  })
})

describe('Children of a deleted content are deleted 500 at a time:', () => {
  test('no foreign key deletes them with the content itself', async () => {
    const tables = await owner`
      with recursive hangs (relation) as (
        select 'app.contents'::regclass
        union
        select c.conrelid::regclass from pg_constraint c join hangs h on h.relation = c.confrelid
        where c.contype = 'f' and c.confdeltype in ('c', 'n')
          -- A table with one row for each content may be deleted with it
          and not exists (select from pg_constraint p
                          where p.conrelid = c.conrelid and p.contype = 'p' and p.conkey = c.conkey))
      select relation::text from hangs
      except select 'app.contents' except select relation::text from private.content_cascades`
    expect(tables).toEqual([])
  })

  test.each([
    ['debate', 'debate_arguments', 'argument', 'side, depth', `'for', 1`, ''],
    ['problem', 'problem_solutions', 'solution', 'edited_at', 'null', ', 1'],
  ])('this holds for a %s', async (kind, table, part, columns, values, value) => {
    const [author, one, other] = [uuid(1, 0), uuid(1, 1), uuid(1, 2)]
    const id = uuid(
      6,
      kinds.findIndex((known) => known.kind === kind),
    )
    await owner`insert into app.contents (id, kind, author_id, title) values (${id}, ${kind}, ${author}, 'x')`
    await owner`insert into ${owner(`app.${kind}s`)} ${owner({ id, ...details[kind] })}`
    await owner.unsafe(`
      with written as (
        insert into app.${table} (${kind}_id, author_id, body, deleted_at, ${columns})
        select '${id}', '${author}', '', now(), ${values} from generate_series(1, 700) returning id)
      insert into app.${part}_votes select w.id, u.id${value} from written w, unnest(array['${one}', '${other}']::uuid[]) u (id)`)
    const left = async () => {
      const [row] = await owner.unsafe(`
        select (select count(*)::int from app.${table} where ${kind}_id = '${id}') as parts,
               (select count(*)::int from app.${part}_votes v join app.${table} p on p.id = v.${part}_id and p.${kind}_id = '${id}') as votes`)
      return row
    }
    await owner.begin(async (sql) => {
      await sql`select set_config('role', 'authenticated', true),
                       set_config('request.jwt.claims', ${JSON.stringify({ sub: author, role: 'user' })}, true)`
      await sql.unsafe(`select api.delete_${kind}('${id}')`)
    })
    expect(await left()).toEqual({ parts: 450, votes: 900 })
    const steps = []
    for (let next: string | null = id; next; ) {
      const [row] = await owner<{ done: { next: string | null; changed: number } }[]>`
        select private.clear_content(${owner.json({ contentId: id })}::jsonb) as done`
      next = row?.done.next ?? null
      steps.push(row?.done.changed)
    }
    expect([steps.length < 6, await left()]).toEqual([true, { parts: 0, votes: 0 }])
  })

  test('all children are deleted before the content is purged, even if the worker lost its job', async () => {
    const [author, fan, id] = [uuid(1, 0), uuid(1, 1), uuid(6, 53)]
    await owner`insert into app.contents (id, kind, author_id, deleted_at) values (${id}, 'video', ${author}, now() - interval '32 days')`
    await owner`insert into app.video_comments (video_id, author_id, body) select ${id}, ${fan}, n from generate_series(1, 600) n`
    const purge = async () => {
      await owner`select private.job_purge()`
      const [row] = await owner`select (select count(*)::int from app.contents where id = ${id}) as heads,
        (select count(*)::int from app.video_comments where video_id = ${id}) as comments`
      return row
    }
    expect(await purge()).toEqual({ heads: 1, comments: 100 })
    expect(await purge()).toEqual({ heads: 0, comments: 0 })
  })

  /** A batch that waits for a change by another transaction; returns whether there is a next batch. */
  const during = async (batch: 'clear_content' | 'end_role_applications', job: object, change: string) => {
    const run = async () => {
      const [row] = await owner.unsafe(`select private.${batch}('${JSON.stringify(job)}') ->> 'next' as next`)
      return row?.next
    }
    let next: Promise<string | null> | undefined
    await owner.begin(async (sql) => {
      await sql.unsafe(change)
      next = run()
      await until(async () => {
        const [row] = await owner`
          select from pg_stat_activity where wait_event_type = 'Lock' and query like ${`select private.${batch}%`}`
        return row
      })
    })
    expect(await next).not.toBeNull()
    while (await run());
  }

  test('all children are deleted even if somebody else changes some of them meanwhile', async () => {
    const [author, fan, id] = [uuid(1, 0), uuid(1, 1), uuid(6, 50)]
    await owner`insert into app.contents (id, kind, author_id, deleted_at) values (${id}, 'video', ${author}, now())`
    await owner`insert into app.video_comments (video_id, author_id, body) select ${id}, ${fan}, n from generate_series(1, 600) n`
    // 200 of the 600, so that any batch of 500 contains at least 100 of them
    await during(
      'clear_content',
      { contentId: id },
      `update app.video_comments set author_hidden = true
       where id in (select id from app.video_comments where video_id = '${id}' limit 200)`,
    )
    expect(await owner`select from app.video_comments where video_id = ${id}`).toHaveLength(0)
  })

  test('the applications for a deleted role end in the same way', async () => {
    const [author, id, role] = [uuid(1, 0), uuid(6, 51), uuid(6, 52)]
    await owner`insert into app.contents (id, kind, author_id, title) values (${id}, 'project', ${author}, 'x')`
    await owner`
      with fans as (insert into app.users (username, first_name, last_name)
                    select 'fan_' || n, 'F', 'N' from generate_series(1, 600) n returning id)
      insert into app.project_applications (project_id, role_id, user_id) select ${id}, ${role}, f.id from fans f`
    await during(
      'end_role_applications',
      { roleId: role },
      `update app.project_applications set status = 'withdrawn', decided_at = now()
       where id in (select id from app.project_applications where role_id = '${role}' limit 200)`,
    )
    expect(
      await owner`select status, count(*)::int from app.project_applications where role_id = ${role} group by 1 order by 1`,
    ).toEqual([
      { status: 'ended', count: 400 },
      { status: 'withdrawn', count: 200 },
    ])
  })
})
