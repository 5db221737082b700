// An erasure acquires locks in their order too (ARCHITECTURE.md, Locks). Other writes about the person at the same time
// cause no deadlock, and the erasure finds everything that they write.
import postgres from 'postgres'
import { expect, test } from 'vitest'
import {
  as,
  asOnce,
  asStaff,
  atGate,
  createRaces,
  form,
  type Lock,
  posts,
  type Request,
  row,
  type Someone,
  statement,
} from './races.ts'

const { admin, answer, database, found, interest, join, runHeld, owner, publish, reply, superuser } =
  await createRaces()
await superuser.unsafe(`alter database ${database.name} set deadlock_timeout = '20ms'`)

const erase = ({ id }: Someone) => statement('select private.erase_person($1)', id)
const sum = ({ id }: Someone) => row('app.reputation', `user_id = '${id}' and interest_id = '${interest}'`)
const people = (...all: Someone[]) => all.map(({ id }) => `'${id}'`).join()

/** Gives a person reputation, with which their votes and appeals have weight. */
async function learn({ id }: Someone): Promise<Someone> {
  await owner`select private.add_reputation(${id}, ${interest}, 'admin.adjusted', 20)`
  await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${id}, ${interest}, 1, 1)`
  return { id, username: '' }
}

/** The id of a new group with these people in it. */
async function grouped(founder: Someone, ...members: Someone[]): Promise<string> {
  const { id } = await answer(as(founder, `create_group('Ours')`))
  for (const member of members) await answer(as(member, 'join_group($3)', id))
  return id
}

/** A lock that the test holds, and two requests that wait for it. */
type Scene = [held: Lock, one: Request, other: Request]

const scenes: Record<string, () => Promise<Scene>> = {
  'another erasure, of two who follow each other': async () => {
    const [a, b] = [await join(), await join()]
    for (const [one, other] of [[a, b] as const, [b, a] as const])
      await answer(as(one, 'follow_person($3)', other.username))
    return [row('app.accounts', `user_id in (${people(a, b)})`), erase(a), erase(b)]
  },
  'another erasure, of two who follow each other’s series': async () => {
    const [a, b, c] = [await join(), await join(), await join()]
    const [ofA, ofB] = [await answer(as(a, `create_series('x')`)), await answer(as(b, `create_series('x')`))]
    await owner`insert into app.series_follows (series_id, user_id)
      values (${ofA.id}, ${b.id}), (${ofA.id}, ${c.id}), (${ofB.id}, ${a.id})`
    return [row('app.series_follows', `user_id = '${c.id}'`), erase(a), erase(b)]
  },
  'another erasure, of two whose kept answers name each other': async () => {
    const [a, b, c] = [await join(), await join(), await join()]
    await answer(asOnce('one', a, `pay('joy', 0, p_receiver_id => $3)`, b.username))
    await answer(asOnce('two', a, `pay('joy', 0, p_receiver_id => $3)`, c.username))
    await answer(asOnce('one', b, `pay('joy', 0, p_receiver_id => $3)`, a.username))
    return [row('app.usernames', `user_id in (${people(a, b)})`), erase(a), erase(b)]
  },
  'a vote for the person that moves': async () => {
    const [voter, person] = [await join(), await join()]
    await learn(voter)
    await answer(as(voter, `vote_reputation($3, $4::uuid, 1, 'fine')`, person.username, interest))
    const moved = as(voter, `vote_reputation($3, $4::uuid, -1, 'no')`, person.username, interest)
    return [sum(person), moved, erase(person)]
  },
  'a registration by the person’s code': async () => {
    const person = await join()
    await learn(person)
    const { code } = await found<{ code: string }>('select code from private.make_invite_code($1)', person.id)
    const seat = await answer<{ sessionId: string }>(atGate('reserve_invite($3)', code))
    const joining = atGate(form, seat.sessionId, 'newcomer@example.org', 'New')
    return [row('app.invite_codes', `generated_by = '${person.id}'`), joining, erase(person)]
  },
  'the person’s change of address': async () => {
    const person = await join()
    const { id } = await found(
      `insert into private.email_verifications (id, user_id, email, replaces, token_hash, expires_at)
       select gen_random_uuid(), user_id, 'new' || email, email, sha256('link'), now() + interval '1 day'
       from app.accounts where user_id = $1 returning id`,
      person.id,
    )
    return [
      row('app.accounts', `user_id = '${person.id}'`),
      atGate(`verify_email($3::uuid, sha256('link'))`, id),
      erase(person),
    ]
  },
  'staff who delete a post of the person': async () => {
    const person = await join()
    const post = await publish(person, { interest })
    return [posts(post), asStaff(admin, 'remove_post($3::uuid)', post), erase(person)]
  },
  'the person who deletes a post': async () => {
    const person = await join()
    const post = await publish(person, { interest })
    return [posts(post), as(person, 'delete_post($3::uuid)', post), erase(person)]
  },
  'a scheduled post that is published': async () => {
    const person = await join()
    const text = `create_post('Soon', p_interest_id => $3::uuid, p_publish_at => $4)`
    const { id } = await answer(as(person, text, interest, new Date(Date.now() + 3_600_000).toISOString()))
    await owner`update app.posts set publish_at = now() where id = ${id}`
    return [posts(id), statement('select private.job_publish_scheduled()'), erase(person)]
  },
  'the person’s choice of interests': async () => {
    const person = await join()
    const { id } = await found('select id from app.interests where level = 1 order by slug limit 1')
    await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${person.id}, ${id}, 1, 1)`
    const choice = as(person, 'select_interests($3::jsonb)', [{ interestId: id, depth: 2, expertise: 2 }])
    return [row('app.interests', `id = '${id}'`), choice, erase(person)]
  },
  'an appeal of the person that is accepted': async () => {
    const person = await join()
    await learn(person)
    const { id } = await answer(as(person, `create_appeal($3::uuid, 'Why')`, interest))
    return [sum(person), asStaff(admin, `resolve_appeal($3::uuid, 'accepted', 5)`, id), erase(person)]
  },
  'a post with a key that is a day old': async () => {
    const person = await join()
    await answer(asOnce('key', person, `create_post('one')`))
    await owner`update app.idempotency_keys set created_at = now() - interval '25 hours' where user_id = ${person.id}`
    const post = await publish(person)
    return [posts(post), erase(person), asOnce('key', person, `create_post('one')`)]
  },
  'a heart beside the person’s own': async () => {
    const [author, person, fan] = [await join(), await join(), await join()]
    const post = await publish(author)
    const read = as(author, 'count_unread()')
    await answer(as(person, `react($3::uuid, 'heart')`, post))
    await answer(read)
    await answer(as(fan, `react($3::uuid, 'heart')`, post))
    return [row('app.notifications', `user_id = '${author.id}'`), erase(person), read]
  },
  'another erasure, of an owner’s heir': async () => {
    const [owner, heir] = [await join(), await join()]
    const group = await grouped(owner, heir)
    return [row('app.spaces', `id = '${group}'`), erase(owner), erase(heir)]
  },
  'a ban of the heir, who replied to the owner': async () => {
    const [owner, heir] = [await join(), await join()]
    const group = await grouped(owner, heir)
    await reply(heir, await publish(owner))
    return [row('app.spaces', `id = '${group}'`), erase(owner), asStaff(admin, `ban_person($3, 'why')`, heir.id)]
  },
  'effects of the person that are applied': async () => {
    const [person, fan] = [await join(), await join()]
    await answer(as(fan, `react($3::uuid, 'heart')`, await publish(person, { interest })))
    return [row('app.accounts', `user_id = '${person.id}'`), statement('select private.apply_effects()'), erase(person)]
  },
}

test.each(Object.entries(scenes))('An erasure runs concurrently without a deadlock with %s', async (_what, make) => {
  for (const turn of ['one first', 'the other first']) {
    const [held, one, other] = await make()
    const outcomes = await runHeld(held, turn === 'one first' ? [one, other] : [other, one])
    // each request succeeds or fails with one of Kith's codes, so there was no deadlock and no violated constraint
    expect(outcomes.map((outcome) => outcome === null || /^[a-z]+(_[a-z]+)*$/.test(outcome) || outcome)).toEqual([
      true,
      true,
    ])
  }
})

// such a deadlock fails no request, because the worker repeats its work and a reader continues without the effects. So
// the test reads the number of deadlocks that Postgres has counted
test('An erasure and effects of the person cause no deadlock', async () => {
  const deadlocks = async () =>
    (await found<{ n: string }>('select deadlocks as n from pg_stat_database where datname = current_database()')).n
  const applying: Request = {
    async run() {
      const own = postgres(database.url, { max: 1 })
      await own`select private.apply_effects()`
      await own.end() // Postgres counts a deadlock when the connection closes
    },
  }
  const before = await deadlocks()
  for (const appliesFirst of [true, false]) {
    const person = await join()
    await publish(person, { interest })
    const both = [applying, erase(person)]
    const outcomes = await runHeld(
      row('app.accounts', `user_id = '${person.id}'`),
      appliesFirst ? both : both.reverse(),
    )
    expect(outcomes).toEqual([null, null])
  }
  expect(await deadlocks()).toBe(before)
})
