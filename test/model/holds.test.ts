// Tests operations that move or hold mana, while a ban, an erasure, or an author's change or deletion interrupts
// them. Nobody gets a deadlock, and no mana stays held for a person who is banned or erased.
import { afterEach, describe, expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import {
  as,
  asOnce,
  asStaff,
  createRaces,
  type Outcome,
  person,
  row,
  type Someone,
  statement,
  wallet,
} from './races.ts'

const { admin, answer, join, runHeld, owner, run } = await createRaces()

const ends = {
  'a ban': ({ id }: Someone) => statement('update app.users set banned_at = now() where id = $1', id),
  'an erasure': ({ id }: Someone) => statement('select private.erase_person($1)', id),
}

const words = 'What one would say of it. '.repeat(3)
const pose = async (who: Someone, bounty: number | null = null) =>
  (await answer(as(who, `create_problem('Why?', 'I do not know', 0, $3)`, bounty))).id
const solve = async (who: Someone, problem: string) =>
  (await answer(as(who, 'create_solution($3::uuid, $4)', problem, words))).id
async function teach(who: Someone) {
  const { id } = await answer(as(who, `create_course('Baking', 'Bread', 1, 10)`))
  await answer(as(who, `create_course_lesson($3::uuid, 'Dough', 'Flour and water')`, id))
  await answer(as(who, 'publish_course($3::uuid)', id))
  return id
}
const invite = async (who: Someone) =>
  (
    await answer(
      as(
        who,
        `create_event('Feast', 'Bread', now() + interval '1 day', now() + interval '2 days', 'UTC', '{"kind": "online"}')`,
      ),
    )
  ).id

afterEach(async () => {
  await applyEffects(owner)
  expect([...(await owner`select * from private.audit_mana()`)]).toEqual([])
})

test.each([
  [
    'an enrolment',
    'another price',
    teach,
    'enrol_course($3::uuid, 10)',
    `update_course($3::uuid, '{"priceMana": 11}')`,
  ],
  ['an enrolment', 'an archiving', teach, 'enrol_course($3::uuid, 10)', 'archive_course($3::uuid)'],
  ['an enrolment', 'a deletion', teach, 'enrol_course($3::uuid, 10)', 'delete_course($3::uuid)'],
  ['a reply', 'fewer places', invite, `rsvp_event($3::uuid, 'going')`, `update_event($3::uuid, '{"capacity": 9}')`],
  ['a reply', 'a deletion', invite, `rsvp_event($3::uuid, 'going')`, 'delete_event($3::uuid)'],
])('No deadlock happens when %s meets %s', async (_what, _other, make, come, change) => {
  const [author, fan] = [await join(), await join()]
  const id = await make(author)
  expect(await runHeld(person(fan), [as(fan, come, id), as(author, change, id)])).not.toContain('40P01')
})

describe.each(Object.entries(ends))('During %s, the author', (_what, end) => {
  test("can't add a solution to their own problem", async () => {
    const author = await join()
    const id = await pose(author)
    const met = await runHeld(person(author), [end(author), as(author, 'create_solution($3::uuid, $4)', id, words)])
    expect(met).toEqual([null, 'token_revoked'])
  })

  test("can't accept a solution, and nothing is paid", async () => {
    const [author, fan] = [await join(), await join()]
    const id = await pose(author, 10)
    const accept = as(author, 'accept_solution($3::uuid, $4::uuid)', id, await solve(fan, id))
    expect(await runHeld(person(author), [end(author), accept])).toEqual([null, 'token_revoked'])
  })

  test("can't vote on a solution to their own problem", async () => {
    const [author, fan] = [await join(), await join()]
    const solution = await solve(fan, await pose(author))
    const met = await runHeld(person(author), [end(author), as(author, 'vote_solution($3::uuid, 1)', solution)])
    expect(met).toEqual([null, 'token_revoked'])
  })
})

test('A repeated delivery is answered even if staff have removed its asset', async () => {
  const [seller, buyer] = [await join(), await join()]
  const { id } = await answer(as(seller, `create_offering('Bread', 'A loaf', 10, 5)`))
  const { order } = await answer<{ order: { id: string } }>(as(buyer, 'place_order($3::uuid, 10)', id))
  await answer(as(seller, 'accept_order($3::uuid)', order.id))
  const [asset] = await owner<{ id: string }[]>`
    insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, mime_type, status, expires_at, committed_at)
    values (${seller.id}, 'image', 'image/png', 1, 'media', 'bread.png', 'image/png', 'committed', null, now()) returning id`
  const deliver = asOnce('key', seller, `deliver_order($3::uuid, 'Warm', $4::uuid)`, order.id, asset?.id)
  const first = await answer(deliver)
  await owner`delete from app.media_assets where id = ${asset?.id ?? null}`
  expect(await answer(deliver)).toEqual(first)
})

test.each([
  ['a review', (order: string, buyer: Someone) => as(buyer, 'review_order($3::uuid, 5)', order)],
  ['an erasure of the seller', (_order: string, _buyer: Someone, seller: Someone) => ends['an erasure'](seller)],
])('No deadlock happens when %s meets the purge of a deleted offering that was ordered', async (_what, asked) => {
  const [seller, buyer] = [await join(), await join()]
  const { id } = await answer(as(seller, `create_offering('Bread', 'A loaf', 10, 5)`))
  const place = async () =>
    (await answer<{ order: { id: string } }>(as(buyer, 'place_order($3::uuid, 10)', id))).order.id
  const [first, second] = [await place(), await place()]
  await answer(as(buyer, 'cancel_order($3::uuid)', first)) // the purge reads this order first
  await answer(as(seller, 'accept_order($3::uuid)', second))
  await answer(as(seller, `deliver_order($3::uuid, 'Here')`, second))
  await answer(as(buyer, 'complete_order($3::uuid)', second))
  await answer(as(seller, 'delete_offering($3::uuid)', id))
  await owner`update app.contents set deleted_at = now() - interval '32 days' where id = ${id}`
  const purge = statement('select private.job_purge()')
  const met = await runHeld(row('app.orders', `id = '${first}'`), [purge, asked(second, buyer, seller)])
  expect(met).toEqual([null, null])
})

test('A bounty that is added while its author is banned is refunded', async () => {
  const author = await join()
  const id = await pose(author)
  // there are so many newer contents that the ban leaves the problem to the worker
  await owner`insert into app.contents (kind, author_id) select 'video', ${author.id} from generate_series(1, 500)`
  const met = await runHeld(wallet(author), [as(author, 'add_bounty($3::uuid, 10)', id), ends['a ban'](author)])
  expect(met).toEqual([null, null])
  await owner`select private.release_bounties(data) from pgboss.job where name = 'released-bounties'`
  const open = await owner`select from app.mana_holds where holder_id = ${author.id} and settled_at is null`
  expect(open).toHaveLength(0)
})

test.each([
  ['an erasure of their author', ends['an erasure']],
  [
    'the refund of their bounties',
    ({ id }: Someone) => statement('select private.release_bounties($1)', { userId: id }),
  ],
])('No deadlock happens when a ban of a person with solutions meets %s', async (_what, end) => {
  const [author, solver] = [await join(), await join()]
  const [low = '', high = ''] = [await pose(author, 10), await pose(author, 10)].sort()
  await owner`update app.problems set depth = 1 where id = ${low}` // the row of this problem is now after the other row
  for (const id of [low, high]) await solve(solver, id)
  await run(ends['a ban'](author))
  const met = await runHeld(row('app.problems', `id = '${low}'`), [ends['a ban'](solver), end(author)])
  expect(met).toEqual([null, null])
})

test("No deadlock happens when a ban of a person with arguments meets the erasure of the debates' author", async () => {
  const [author, arguer] = [await join(), await join()]
  const open = async () => (await answer(as(author, `create_debate('Bread?', 'Or cake', now() + interval '1 day')`))).id
  const [low = '', high = ''] = [await open(), await open()].sort()
  await owner`update app.debates set body = 'Or pie' where id = ${low}` // its entry is now after the other in the index
  for (const id of [low, high]) await answer(as(arguer, `create_argument($3::uuid, 'for', $4)`, id, words))
  const met = await runHeld(row('app.debates', `id = '${low}'`), [ends['a ban'](arguer), ends['an erasure'](author)])
  expect(met).toEqual([null, null])
})

test('With everything at once there is no deadlock, and banned and erased people have no open holds, except in disputes', async () => {
  const at = <Thing>(things: readonly Thing[], turn: number) => things[turn % things.length] as Thing
  const crowd = [await join(), await join(), await join(), await join()]
  for (const { id } of crowd)
    await owner`select private.move('starter', array[private.mint(), ${id}::uuid], array[-5000, 5000])`
  const taught: string[] = []
  const offered: string[] = []
  const posed: string[] = []
  for (const who of crowd) {
    taught.push(await teach(who))
    for (const stock of [null, 3])
      offered.push((await answer(as(who, `create_offering('Bread', 'A loaf', 10, 5, $3)`, stock))).id)
    for (const bounty of [null, 10, 20]) posed.push(await pose(who, bounty))
  }
  const work =
    (job: string) =>
    ({ other }: Turn) =>
      statement(`select private.${job}($1::jsonb)`, { userId: other.id })
  const order = `(select id from app.orders where $3::uuid in (buyer_id, seller_id) order by md5(id::text || $4) limit 1)`
  const step =
    (what: string) =>
    ({ who, turn }: Turn) =>
      as(who, `${what.replace('#', order)}`, who.id, `${turn}`)
  const solution = '(select id from app.problem_solutions where problem_id = $3::uuid order by md5(id::text) limit 1)'
  type Turn = { who: Someone; other: Someone; course: string; offering: string; problem: string; turn: number }
  const requests: ((turn: Turn) => ReturnType<typeof as>)[] = [
    ...[0, 1, 2, 3, 4, 5].map(
      () =>
        ({ who, offering }: Turn) =>
          as(who, 'place_order($3::uuid, 10)', offering),
    ),
    ...['accept', 'decline', 'cancel', 'complete', 'accept', 'complete'].map((what) => step(`${what}_order(#)`)),
    step(`deliver_order(#, 'Here')`),
    step(`deliver_order(#, 'Here')`),
    step(`dispute_order(#, 'No')`),
    step(`review_order(#, 5)`),
    () =>
      statement(
        `update app.orders set due_at = now() where id = (select id from app.orders where state = 'delivered' order by md5(id::text) limit 1 for update skip locked)`,
      ),
    () => statement('select private.job_end_orders()'),
    ({ who, offering, turn }) => as(who, 'update_offering($3::uuid, $4)', offering, { stock: at([null, 50], turn) }),
    ({ who, problem }) => as(who, 'create_solution($3::uuid, $4)', problem, words),
    ({ who, problem }) => as(who, 'create_solution($3::uuid, $4)', problem, words),
    ({ who, problem }) => as(who, `vote_solution(${solution}, 1)`, problem),
    ({ who, problem }) => as(who, `accept_solution($3::uuid, ${solution})`, problem),
    ({ who, problem }) => as(who, 'add_bounty($3::uuid, 3)', problem),
    ({ who, problem }) => as(who, 'close_problem($3::uuid)', problem),
    ({ who, problem }) => as(who, 'delete_problem($3::uuid)', problem),
    ({ who }) => as(who, `create_problem('Why?', 'I do not know', 0, 5)`),
    ({ who, course }) =>
      as(who, 'enrol_course($3::uuid, (select price_mana from app.courses where id = $3::uuid))', course),
    ({ who, course, turn }) => as(who, 'update_course($3::uuid, $4)', course, { priceMana: turn % 7 }),
    ({ who, course, turn }) =>
      as(who, `${at(['archive', 'publish', 'publish', 'delete'], turn)}_course($3::uuid)`, course),
    ({ problem }) => asStaff(admin, `remove_content('problems', $3::uuid)`, problem),
    ({ problem }) => asStaff(admin, `restore_content('problems', $3::uuid)`, problem),
    ({ turn }) =>
      asStaff(
        admin,
        `resolve_order((select id from app.orders where state = 'disputed' order by md5(id::text || $3) limit 1), 4, 'So')`,
        `${turn}`,
      ),
    ({ other }) => ends['a ban'](other),
    ...[0, 1, 2, 3].map(
      () =>
        ({ other }: Turn) =>
          statement('update app.users set banned_at = null where id = $1', other.id),
    ),
    ({ other }) => statement('update app.users set banned_at = null where id = $1', other.id),
    work('interrupt_orders'),
    work('release_bounties'),
    () => statement('select private.apply_effects()'),
  ]
  const outcomes: Outcome[] = []
  const lane = async (number: number) => {
    for (let step = 0; step < 4 * requests.length; step++) {
      const turn = number * 13 + step * 7
      const [who, other] = [at(crowd, turn), at(crowd, turn + 1 + (step % 3))]
      const more = {
        course: at(taught, turn + step),
        offering: at(offered, turn + step),
        problem: at(posed, turn + step),
      }
      const outcome = await run(at(requests, turn)({ who, other, turn, ...more }))
      outcomes.push(outcome)
    }
  }
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(lane))
  // every failed call has one of Kith's codes, and none has 40P01, a deadlock
  expect(outcomes.filter((outcome) => outcome !== null && !/^[a-z_]+$/.test(outcome))).toEqual([])
  expect(outcomes.filter((outcome) => outcome === null).length).toBeGreaterThan(outcomes.length / 5)
  // in the end all of them are erased or banned
  for (const [place, who] of crowd.entries()) await run(ends[place < 2 ? 'a ban' : 'an erasure'](who))
  for (const { id } of crowd) {
    const job = owner.json({ userId: id })
    for (let more: unknown = true; more; ) {
      const [row] = await owner<{ done: { next: unknown } }[]>`select private.interrupt_orders(${job}) as done`
      more = row?.done.next
    }
    await owner`select private.release_bounties(${job})`
  }
  for (let more = true; more; ) {
    const [row] = await owner<{ ended: number }[]>`select private.job_end_orders() as ended`
    more = row?.ended === 1
  }
  const open = await owner`
    select h.purpose, o.state from app.mana_holds h left join app.orders o on o.id = h.id
    where h.holder_id = any (${crowd.map(({ id }) => id)}) and h.settled_at is null and o.state is distinct from 'disputed'`
  expect([...open]).toEqual([])
})
