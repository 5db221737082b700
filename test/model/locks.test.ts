// The order of locks (ARCHITECTURE.md, Locks): taking a lock out of order fails. The tests hold a lock that two
// operations need, start both, and release it. One must then wait for the other, without a deadlock.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import {
  advisory,
  as,
  asOnce,
  asStaff,
  atGate,
  counters,
  createRaces,
  effects,
  form,
  type Outcome,
  posts,
  type Races,
  type Request,
  row,
  type Someone,
  statement,
} from './races.ts'

const heart = (who: Someone, post: string) => as(who, `react($3::uuid, 'heart')`, post)
const ban = ({ id }: Someone) => statement('update app.users set banned_at = now() where id = $1', id)
const erase = ({ id }: Someone) => statement('select private.erase_person($1)', id)
const views = (opened: string[], { id }: Someone) =>
  statement('select api.count_views($1, array_fill($2::uuid, array[$3::integer]))', opened, id, opened.length)

const races = await createRaces()
const {
  admin,
  answer,
  settleTrending,
  found,
  interest,
  join,
  runHeld,
  owner,
  publish,
  reply,
  run,
  superuser,
  waiting,
} = races

const repliesTo = async (post: string) =>
  (await found<{ replies: number }>('select replies from app.post_counters where post_id = $1', post)).replies

/** Creates a link for a change to this address, with the token `link`. */
const newLink = ({ id }: Someone, email: string) =>
  found(
    `insert into private.email_verifications (id, user_id, email, replaces, token_hash, expires_at)
     select gen_random_uuid(), user_id, $2, email, sha256('link'), now() + interval '1 day'
     from app.accounts where user_id = $1 returning id`,
    id,
    email,
  )

/** Gives a person reputation and an interest, so that their votes have weight. */
async function learn({ id }: Someone) {
  await owner`select private.add_reputation(${id}, ${interest}, 'admin.adjusted', 20)`
  await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${id}, ${interest}, 1, 1)`
}

/** Takes locks of these kinds one after the other, as an operation would. */
const take = (...locks: string[]) =>
  superuser.begin(async (sql) => {
    await sql`set local kith.lock_order = 'checked'`
    for (const lock of locks) await sql.unsafe(`select private.lock(${lock})`)
  })

test('Taking a lock out of order fails', async () => {
  await take(`'roles'`, `'pair', '1', '2'`, `'effects', 'x'`, `'audit'`)
  await expect(take(`'effects', 'x'`, `'pair', '1'`)).rejects.toThrow('the lock pair (400) is taken after one of 600')
  await expect(take(`'nothing'`)).rejects.toThrow('there is no kind of locks nothing')
})

test('A transaction may take a lock again that it already holds', async () => {
  await take(`'pair', '1', '2'`, `'audit'`, `'pair', '2'`, `'audit'`, `'pair', variadic '{}'`)
  await expect(take(`'pair', '1', '2'`, `'audit'`, `'pair', '3'`)).rejects.toThrow('is taken after')
})

test('An operation that takes locks out of order fails in every test', async () => {
  const [one, other] = [await join(), await join()]
  const turned = as(one, `mute_person($3)`, other.username)
  await owner`update private.lock_kinds set position = 850 where kind = 'mutes'`
  expect(await run(turned)).toBeNull()
  await owner.unsafe(
    `create function private.turned_of_test() returns trigger language plpgsql as
     $$ begin perform private.lock('pair', '1'); return null; end $$;
     create trigger turned_of_test after insert on app.mutes for each row execute function private.turned_of_test()`,
  )
  expect(await run(as(one, `mute_person($3)`, admin.username))).toBe('the lock pair (400) is taken after one of 850')
  await owner.unsafe(`drop function private.turned_of_test cascade`)
  await owner`update private.lock_kinds set position = 450 where kind = 'mutes'`
})

test('ARCHITECTURE.md has the ranks, and every kind of lock in the row of its rank', async () => {
  const rows = await owner<{ rank: number; name: string; kinds: string[] }[]>`
    select r.rank, r.name, array_agg(k.kind order by k.position, k.kind) as kinds
    from private.lock_ranks r join private.lock_kinds k on k.rank = r.rank group by r.rank order by r.rank`
  const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('## Locks'), text.indexOf('## Visibility'))
  const table = section.split('\n').filter((line) => /^\| \d /.test(line))
  expect(table).toHaveLength(8)
  for (const [at, { rank, name, kinds }] of rows.entries()) {
    const [, number, title, what = ''] = (table[at] ?? '').split('|').map((cell) => cell.trim())
    expect([number, title]).toEqual([`${rank}`, name])
    const named = [...what.matchAll(/`([a-z ]+)`/g)].map(([, kind]) => kind)
    expect(named.sort()).toEqual([...kinds].sort())
  }
})

test.each([
  ['a ban', ban],
  ['an erasure', erase],
])('%s and a batch of views cause no deadlock', async (_what, end) => {
  const [author, leaver] = [await join(), await join()]
  const [low = '', high = ''] = [await publish(author), await publish(author)].sort()
  await reply(leaver, high) // the rows of the posts are then in the other order
  await reply(leaver, low)
  const met = await runHeld(counters(low), [views([high, low], leaver), end(leaver)])
  expect(met).toEqual([null, null])
  expect(await repliesTo(low)).toBe(0)
})

/** Two people who vote for each other. */
async function crossVotes({ interest, join, runHeld, owner }: Races) {
  const both = [await join(), await join()]
  for (const { id } of both)
    await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${id}, ${interest}, 1, 1)`
  const ids = both.map(({ id }) => id)
  const [low, high] = await owner<Someone[]>`
    select id, username from app.users where id = any (${ids}) order by private.effects_key(id)`
  if (!low || !high) throw new Error('nobody came')
  const vote = (by: Someone, whom: Someone) => as(by, 'vote_reputation($3, $4::uuid, 1)', whom.username, interest)
  return runHeld(effects(low), [vote(high, low), vote(low, high)])
}

/** A ban or an erasure of a person, and a reaction to what they wrote and answered themselves. */
async function endAndHeart(
  { settleTrending, found, join, runHeld, publish, reply }: Races,
  end: (who: Someone) => Request,
) {
  const [author, leaver, fan] = [await join(), await join(), await join()]
  const own = await publish(leaver)
  const other = await found(
    `insert into app.posts (id, author_id, body)
     values (overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, $1, 'Counted first') returning id`,
    author.id,
  )
  for (const post of [other.id, own]) await reply(leaver, post)
  await settleTrending()
  return { own, met: await runHeld(counters(other.id), [end(leaver), heart(fan, own)]) }
}

/** A new person and their inviter request the same address at the same time. */
async function oneAddress() {
  const inviter = await join()
  const { id } = await newLink(inviter, 'wanted@example.org')
  const { code } = await found<{ code: string }>('select code from private.make_invite_code($1)', inviter.id)
  const seat = await answer<{ sessionId: string }>(atGate('reserve_invite($3)', code))
  const joining = atGate(form, seat.sessionId, 'Wanted@example.org', 'New')
  return runHeld(advisory('email wanted@example.org'), [joining, atGate(`verify_email($3::uuid, sha256('link'))`, id)])
}

test('Two people can vote for each other without a deadlock', async () => {
  expect(await crossVotes(races)).toEqual([null, null])
})

test.each([
  ['a ban', ban],
  ['an erasure', erase],
])('%s and a reaction to what the person wrote and answered cause no deadlock', async (_what, end) => {
  const { own, met } = await endAndHeart(races, end)
  expect(met[0]).toBeNull()
  expect([null, 'post_unknown']).toContain(met[1]) // either request may come first
  expect(await repliesTo(own)).toBe(0)
})

describe('A deadlock happens without the right order', async () => {
  const turned = await createRaces()
  await turned.superuser.unsafe(`alter database ${turned.database.name} set deadlock_timeout = '10ms'`)

  test.each([
    [
      'of two whose effects are locked',
      `create or replace function private.lock_effects(variadic p_people uuid[]) returns void language plpgsql as $$
       begin
         perform pg_advisory_xact_lock(private.effects_key(p.id)) from unnest(p_people) p (id);
       end $$`,
      crossVotes,
    ],
    [
      'of posts and their counters',
      `create or replace function private.lock_written(p_posts uuid[], p_replies uuid[]) returns void language plpgsql as $$
       begin
         return;
       end $$`,
      async (there: Races) => (await endAndHeart(there, ban)).met,
    ],
  ])('%s', async (_what, turn, scene) => {
    await turned.owner.unsafe(turn)
    expect(await scene(turned)).toContain('40P01')
  })
})

test.each([
  ['two bans', ban, ban],
  ['two erasures', erase, erase],
  ['a ban and an erasure', ban, erase],
])('%s of people who answered each other cause no deadlock', async (_what, first, second) => {
  const [one, two] = [await join(), await join()]
  const [ofOne, ofTwo] = [await publish(one), await publish(two)]
  const answers = [await reply(one, ofTwo), await reply(two, ofOne)]
  const both = row('app.replies', `id in ('${answers.join(`', '`)}')`)
  const met = await runHeld(both, [first(one), second(two)])
  expect(met).toEqual([null, null])
  for (const post of [ofOne, ofTwo]) expect(await repliesTo(post)).toBe(0)
})

const engagement: Record<string, string> = {
  heart: `react($3::uuid, 'heart')`,
  bookmark: 'bookmark($3::uuid)',
  repost: 'repost($3::uuid)',
  reply: `create_reply($3::uuid, 'Indeed')`,
}

test.each(Object.entries(engagement))(
  'A %s and an erasure of the author, who answered there, cause no deadlock',
  async (_what, leave) => {
    const [author, fan] = [await join(), await join()]
    const post = await publish(author, { interest })
    await reply(author, post)
    await settleTrending()
    const met = await runHeld(posts(post), [as(fan, leave, post), erase(author)])
    expect(met).toEqual([null, null])
  },
)

test('A heart and an erasure of the inviter of the fan, who replied to the post, cause no deadlock', async () => {
  const [author, inviter] = [await join(), await join()]
  const fan = await join(inviter)
  const post = await publish(author)
  await reply(inviter, post)
  await settleTrending()
  const met = await runHeld(posts(post), [heart(fan, post), erase(inviter)])
  expect(met).toEqual([null, null])
})

test('A notification of a heart and an erasure of a person in it cause no deadlock', async () => {
  const [author, leaver, fan] = [await join(), await join(), await join()]
  const post = await publish(author)
  await answer(heart(leaver, post))
  const read = as(author, 'count_unread()')
  await answer(read) // creates the notification to which the fan's heart is added
  await reply(leaver, post)
  await answer(heart(fan, post))
  await settleTrending()
  const met = await runHeld(row('app.notifications', `user_id = '${author.id}'`), [read, erase(leaver)])
  expect(met).toEqual([null, null])
})

test('A reply that staff hide while its author is erased is unknown', async () => {
  const [author, leaver] = [await join(), await join()]
  const post = await publish(author)
  const own = await publish(leaver)
  const id = await reply(leaver, post)
  const met = await runHeld(posts(own), [erase(leaver), asStaff(admin, 'hide_reply($3::uuid)', id)])
  expect(met).toEqual([null, 'reply_unknown'])
  expect(await repliesTo(post)).toBe(0)
})

test.each([
  ['banned', ban],
  ['erased', erase],
])('A repost that staff delete while its author is %s causes no deadlock', async (_what, end) => {
  const [author, leaver] = [await join(), await join()]
  const post = await publish(author)
  await reply(leaver, post)
  const { id } = await answer(as(leaver, 'repost($3::uuid)', post))
  const met = await runHeld(counters(post), [asStaff(admin, 'remove_post($3::uuid)', id), end(leaver)])
  expect(met).toEqual([null, null])
})

describe('An action in a case', () => {
  const reported = async (author: Someone, reporter: Someone) => {
    const post = await publish(author)
    await reply(author, post)
    await answer(as(reporter, `report('post', $3, 'Rude')`, post))
    return { post, id: (await found('select id from app.cases where target_id = $1', post)).id }
  }
  const act = (id: string, actions: string) => asStaff(admin, `act_on_case($3::uuid, $4, 'Rude')`, id, actions)
  const states = (id: string) =>
    found<{ status: string; cases: number; bans: number }>(
      `select c.status,
              (select count(*)::int from app.cases o where o.target_id = c.target_id) as cases,
              (select count(*)::int from app.decisions d
               where d.person_id = c.person_id and d.action = 'ban') as bans
       from app.cases c where id = $1`,
      id,
    )

  test.each(['first', 'second'])(
    'that bans causes no deadlock with a ban of the same person, which comes %s',
    async (turn) => {
      const [author, reporter] = [await join(), await join()]
      const { post, id } = await reported(author, reporter)
      const both = [act(id, '{hide,ban}'), asStaff(admin, `ban_person($3, 'Rude')`, author.username)]
      const met = await runHeld(posts(post), turn === 'first' ? both.reverse() : both)
      expect(met).toEqual([null, null])
      expect(await states(id)).toEqual({ status: 'closed', cases: 1, bans: 1 })
    },
  )

  test.each([
    ['{hide,warn}', 'first'],
    ['{hide,warn}', 'second'],
    ['{hide,ban}', 'first'],
    ['{remove,limit}', 'second'],
  ])('%s causes no deadlock with an erasure of the person, which comes %s', async (actions, turn) => {
    const [author, reporter] = [await join(), await join()]
    const { post, id } = await reported(author, reporter)
    const both = [act(id, actions), erase(author)]
    const met = await runHeld(posts(post), turn === 'first' ? both.reverse() : both)
    // an action on what was erased meanwhile fails, and then the case stays open
    const failed = turn === 'first' ? ['post_unknown', 'person_unknown'] : [null, 'post_unknown', 'person_unknown']
    expect(failed).toContain(met[turn === 'first' ? 1 : 0])
    expect(met[turn === 'first' ? 0 : 1]).toBeNull()
    expect((await states(id)).status).toBe(met.every((one) => one === null) ? 'closed' : 'open')
  })

  test.each(['first', 'second'])(
    'that dismisses causes no deadlock with another report, which comes %s',
    async (turn) => {
      const [author, reporter, other] = [await join(), await join(), await join()]
      const { post, id } = await reported(author, reporter)
      const both = [act(id, '{dismiss}'), as(other, `report('post', $3, 'Rude')`, post)]
      const met = await runHeld(row('app.cases', `id = '${id}'`), turn === 'first' ? both.reverse() : both)
      expect(met).toEqual([null, null])
      // the other report was settled with the closed case, or it has opened another case
      const after = await owner<{ status: string; report: string; reports: number }[]>`
      select c.status, r.status as report, c.reports from app.reports r
      join app.case_reports o on o.report_id = r.id join app.cases c on c.id = o.case_id
      where r.reporter_id = ${other.id}`
      expect([...after]).toEqual([
        turn === 'first'
          ? { status: 'closed', report: 'dismissed', reports: 2 }
          : { status: 'open', report: 'open', reports: 1 },
      ])
    },
  )

  test('of two bulk bans of overlapping people one waits for the other', async () => {
    const inviter = await join()
    const people = [await join(inviter), await join(inviter), await join(inviter)]
    const ban = (chosen: Someone[]) =>
      asStaff(
        admin,
        `act_on_invitees($3, 'ban', $4::text[], 'Puppets')`,
        inviter.username,
        chosen.map(({ id }) => id),
      )
    const [middle] = people
      .map(({ id }) => id)
      .sort()
      .slice(1)
    const held = row('private.credentials', `user_id = '${middle}'`)
    expect(await runHeld(held, [ban(people), ban(people.toReversed())])).toEqual([null, null])
    const decided = await owner`
      select from app.decisions where person_id = any (${people.map(({ id }) => id)}) and action = 'ban'`
    expect(decided).toHaveLength(3)
  })
})

test('Of two admins who take the role from each other one remains', async () => {
  const [one, two] = [await join(), await join()]
  await owner`update app.users set role = 'admin' where id in (${one.id}, ${two.id})`
  const take = (by: Someone, from: Someone) => asStaff(by, `set_role($3, 'user')`, from.username)
  const met = await runHeld(advisory('roles'), [take(one, two), take(two, one)])
  expect(met.sort()).toEqual([null, 'token_revoked'])
  const left = await owner`select from app.users where id in (${one.id}, ${two.id}) and role = 'admin'`
  expect(left).toHaveLength(1)
})

test('A change of address and a registration with that address by a code of the person cause no deadlock', async () => {
  expect(await oneAddress()).toEqual([null, 'email_taken'])
})

test('A link for a new password that is requested while the address changes is never mailed to the old address', async () => {
  const who = await join()
  const { email } = await found<{ email: string }>('select email from app.accounts where user_id = $1', who.id)
  const { id } = await newLink(who, 'moved@example.org')
  const asked = crypto.randomUUID()
  const asking = atGate(`request_password_reset($3, $4::uuid, sha256('reset'))`, email, asked)
  const verifying = atGate(`verify_email($3::uuid, sha256('link'))`, id)
  // both must wait, because otherwise the worker could still read the old address
  const look = async () => expect(await waiting()).toBe(2)
  expect(await runHeld(advisory('email moved@example.org'), [verifying, asking], { look })).toEqual([null, null])
  const { mail } = await found<{ mail: { to: string } }>('select private.find_reset_mail($1) as mail', asked)
  expect(mail.to).toBe('moved@example.org')
})

test.each(['array(select id from app.notifications)', 'p_before => now()', `p_group_key => 'user.followed'`])(
  'Marking notifications as read (%s) does not wait for an actor who is added to one of them',
  async (which) => {
    const [reader, ...fans] = [await join(), await join(), await join()]
    for (const fan of fans) await answer(as(fan, 'follow_person($3)', reader.username))
    for (const fan of fans) await answer(heart(fan, await publish(reader)))
    await answer(as(reader, 'count_unread()')) // applies the pending effects
    const { id } = await found(
      `select id from app.notifications where user_id = $1 and kind = 'user.followed'`,
      reader.id,
    )
    const read = as(reader, `mark_read(${which})`)
    // the marking must not wait, because it could hold a lock that the other request needs next
    const look = async () => expect(await waiting()).toBe(0)
    expect(await runHeld(row('app.notifications', `id = '${id}'`), [read, read], { look })).toEqual([null, null])
    const { read_at } = await found<{ read_at: Date | null }>('select read_at from app.notifications where id = $1', id)
    expect(read_at).toBeNull() // a new actor makes the notification unread again
  },
)

test('Of two devices that mark the same notifications as read one waits for the other', async () => {
  const reader = await join()
  const read = as(reader, 'mark_read(p_before => now())')
  const look = async () => expect(await waiting()).toBe(2)
  expect(await runHeld(advisory(`reads ${reader.id}`), [read, read], { look })).toEqual([null, null])
})

test('An edit of a post and its addition to a series by the same person cause no deadlock', async () => {
  const author = await join()
  const post = await publish(author)
  const series = (await answer(as(author, `create_series('Parts')`))).id
  const edit = as(author, 'update_post($3::uuid, $4)', post, { visibility: 'circles' })
  const add = as(author, 'add_series_item($3::uuid, $4::uuid, 1)', series, post)
  expect(await runHeld(posts(post), [edit, add])).toEqual([null, null])
})

test('Everything that people, staff and jobs do to the same few posts at once causes no deadlock', async () => {
  const at = <Thing>(things: readonly Thing[], turn: number) => things[turn % things.length] as Thing
  const crowd = [await join(), await join(), await join()]
  const own: string[][] = [] // two posts of each person, one with a poll
  const parts: string[] = [] // one series of each person
  for (const who of crowd) {
    await learn(who)
    const asking = `create_post('?', p_poll => '{"options": ["a", "b"]}', p_interest_id => $3::uuid)`
    own.push([(await answer(as(who, asking, interest))).id, await publish(who, { interest })])
    parts.push((await answer(as(who, `create_series('Parts')`))).id)
  }
  const everywhere = own.flat()
  const options = await owner<{ post_id: string; id: string }[]>`
    select l.post_id, o.id from app.poll_options o join app.polls l on l.id = o.poll_id
    where l.post_id = any (${everywhere})`

  type Turn = { who: Someone; other: Someone; post: string; mine: string[]; series: string; turn: number }
  const requests: ((turn: Turn) => Request)[] = [
    ...Object.values(engagement).map((leave) => (on: Turn) => as(on.who, leave, on.post)),
    ({ who, post }) => as(who, 'unreact($3::uuid)', post),
    ({ who, post }) => as(who, 'unbookmark($3::uuid)', post),
    ({ who, post }) => as(who, 'unrepost($3::uuid)', post),
    ({ who, post }) => as(who, `repost($3::uuid, 'Hear this', p_interest_id => $4::uuid)`, post, interest),
    ({ who }) =>
      statement(
        `select private.delete_post(p.id) from app.posts p
         where p.author_id = $1 and p.format = 'quote' and p.deleted_at is null limit 1`,
        who.id,
      ),
    ({ who, post, turn }) => asOnce(`${turn}`, who, `pay('joy', 0, p_post_id => $3::uuid)`, post),
    ({ who, other }) => as(who, `pay('joy', 0, p_receiver_id => $3)`, other.username),
    ({ who, mine }) => as(who, 'boost_post($3::uuid, 1)', mine[1]),
    () =>
      statement(
        'update app.post_counters set boost_expires_at = now() where post_id in (select post_id from app.post_counters where boost > 0 order by post_id for no key update)',
      ),
    () => statement('select private.job_expire_boosts()'),
    ({ post }) =>
      asStaff(
        admin,
        `reverse_payment(
           (select id from app.payments p where post_id = $3::uuid and not reversed
              and not exists (select from app.payments r where r.reversal_of = p.id) order by id limit 1), 'Test', true)`,
        post,
      ),
    ({ who, other, turn }) => as(who, 'vote_reputation($3, $4::uuid, $5)', other.username, interest, (turn % 3) - 1),
    ({ who, turn }) => {
      const { post_id, id } = at(options, turn)
      return as(who, 'vote_poll($3::uuid, $4::uuid)', post_id, id)
    },
    ({ who, mine, turn }) =>
      as(who, 'update_post($3::uuid, $4)', mine[0], { visibility: at(['public', 'circles'], turn) }),
    ({ who, mine }) => as(who, 'pin_post($3::uuid)', mine[1]),
    ({ who, mine, series, turn }) => as(who, 'add_series_item($3::uuid, $4::uuid, 1)', series, at(mine, turn)),
    ({ who, other }) => as(who, 'follow_person($3)', other.username),
    ({ who, other }) => as(who, 'block_person($3)', other.username),
    ({ who, other }) => as(who, 'unblock_person($3)', other.username),
    ({ who, other }) => as(who, 'unblock_person($3)', other.username),
    ({ who }) => as(who, 'mark_read(p_before => now())'),
    ({ other }) => as(other, 'count_unread()'),
    () => statement('select private.apply_effects()'),
    () => statement('select private.apply_effects()'),
    ({ who }) => views(everywhere, who),
    ({ post }) => asStaff(admin, 'hide_post($3::uuid)', post),
    ({ post }) => asStaff(admin, 'unhide_post($3::uuid)', post),
    ({ post }) => asStaff(admin, 'hide_reply((select id from app.replies where post_id = $3::uuid limit 1))', post),
    ({ other }) => ban(other),
    ({ other }) => statement('update app.users set banned_at = null where id = $1', other.id),
    () => statement('select private.job_inherit_contributions()'),
  ]

  // Each connection sends all requests in its own fixed order. Only their timing is random.
  const outcomes: Outcome[] = []
  const lane = async (number: number) => {
    for (let step = 0; step < 2 * requests.length; step++) {
      const turn = number * 11 + step * 5
      const [who, other] = [at(crowd, turn), at(crowd, turn + 1 + (step % 2))]
      const [mine, series, post] = [at(own, turn), at(parts, turn), at(everywhere, turn + number)]
      outcomes.push(await run(at(requests, turn)({ who, other, post, mine, series, turn })))
    }
  }
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(lane))
  // every failed call has one of Kith's codes, and none has 40P01, a deadlock
  expect(outcomes.filter((outcome) => outcome !== null && !/^[a-z_]+$/.test(outcome))).toEqual([])
  expect(outcomes.filter((outcome) => outcome === null).length).toBeGreaterThan(outcomes.length / 4)
  await applyEffects(owner)
})
