// What moves mana or waits for it, beside what ends it: a ban, an erasure, an author who changes or deletes it. Nobody
// is sent a deadlock, and nothing stays held for somebody who is gone.
import { afterEach, describe, expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import { as, asOnce, createLanes, person, type Someone, statement, wallet } from './lanes.ts'

const { answer, join, meet, owner } = await createLanes()

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
  ['an enrolment', 'another price', teach, 'enrol_course($3::uuid)', `update_course($3::uuid, '{"priceMana": 11}')`],
  ['an enrolment', 'an archiving', teach, 'enrol_course($3::uuid)', 'archive_course($3::uuid)'],
  ['an enrolment', 'a deletion', teach, 'enrol_course($3::uuid)', 'delete_course($3::uuid)'],
  ['a reply', 'fewer places', invite, `rsvp_event($3::uuid, 'going')`, `update_event($3::uuid, '{"capacity": 9}')`],
  ['a reply', 'a deletion', invite, `rsvp_event($3::uuid, 'going')`, 'delete_event($3::uuid)'],
])('%s and %s', async (_what, _other, make, come, change) => {
  const [author, fan] = [await join(), await join()]
  const id = await make(author)
  expect(await meet(person(fan), [as(fan, come, id), as(author, change, id)])).not.toContain('40P01')
})

describe.each(Object.entries(ends))('%s of an author who', (_what, end) => {
  test('offers a solution of their own problem', async () => {
    const author = await join()
    const id = await pose(author)
    const met = await meet(person(author), [end(author), as(author, 'create_solution($3::uuid, $4)', id, words)])
    expect(met).toEqual([null, 'token_revoked'])
  })

  test('accepts a solution: nothing is paid any more', async () => {
    const [author, fan] = [await join(), await join()]
    const id = await pose(author, 10)
    const accept = as(author, 'accept_solution($3::uuid, $4::uuid)', id, await solve(fan, id))
    expect(await meet(person(author), [end(author), accept])).toEqual([null, 'token_revoked'])
  })

  test('votes on a solution of their own problem', async () => {
    const [author, fan] = [await join(), await join()]
    const solution = await solve(fan, await pose(author))
    const met = await meet(person(author), [end(author), as(author, 'vote_solution($3::uuid, 1)', solution)])
    expect(met).toEqual([null, 'token_revoked'])
  })
})

test('a delivery that is repeated is answered also when staff has taken its asset away', async () => {
  const [seller, buyer] = [await join(), await join()]
  const { id } = await answer(as(seller, `create_offering('Bread', 'A loaf', 10, 5)`))
  const { order } = await answer<{ order: { id: string } }>(as(buyer, 'place_order($3::uuid, 10)', id))
  await answer(as(seller, 'accept_order($3::uuid)', order.id))
  const [asset] = await owner<{ id: string }[]>`
    insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, mime_type, status, expires_at, committed_at)
    values (${seller.id}, 'image', 'image/png', 1, 'media', 'bread.png', 'image/png', 'committed', null, now()) returning id`
  const deliver = asOnce('key', seller, `deliver_order($3::uuid, 'Warm', $4::uuid)`, order.id, asset?.id)
  const first = await answer(deliver)
  await owner`update app.media_assets set removed_at = now() where id = ${asset?.id ?? null}`
  expect(await answer(deliver)).toEqual(first)
})

test('a bounty that is added while its author is banned goes back', async () => {
  const author = await join()
  const id = await pose(author)
  // so many later ones that the ban leaves the problem to the worker
  await owner`insert into app.contents (kind, author_id) select 'video', ${author.id} from generate_series(1, 500)`
  const met = await meet(wallet(author), [as(author, 'add_bounty($3::uuid, 10)', id), ends['a ban'](author)])
  expect(met).toEqual([null, null])
  await owner`select private.release_bounties(data) from pgboss.job where name = 'released-bounties'`
  const open = await owner`select from app.mana_holds where holder_id = ${author.id} and settled_at is null`
  expect(open).toHaveLength(0)
})
