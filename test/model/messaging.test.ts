// Compares messaging with simple models: the order of messages by many concurrent senders, who sees which message, and
// what is unread. See docs/decisions.md, Messaging. A failed test prints its seed and the smallest history that shows
// the fault.
import fc from 'fast-check'
import type { TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import type { Page } from '../support/lists.ts'
import { runs } from '../support/runs.ts'

const { owner, connect, asCaller } = await createDatabase()

const PEOPLE = [0, 1, 2, 3]
const uuid = (kind: number, n: number) => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`
const personId = (n: number) => uuid(1, n)
const name = (n: number) => `person${n}`
const claims = (sub: string) => ({ sub, role: 'user' })

async function newPerson(id: string, username: string): Promise<void> {
  await owner`insert into app.users (id, username, first_name, last_name) values (${id}, ${username}, 'P', 'X')`
}
/** Puts all of these people into circles together. The circles belong to somebody else. */
async function befriend(circleOwner: string, members: string[]): Promise<void> {
  for (let from = 0; from < members.length; from += 10) {
    const [circle] = await owner<{ id: string }[]>`
      insert into app.circles (owner_id, name, kind) values (${circleOwner}, 'C', 'custom') returning id`
    for (const member of members.slice(from, from + 10))
      await owner`insert into app.circle_members (circle_id, owner_id, member_id) values (${circle?.id ?? ''}, ${circleOwner}, ${member})`
  }
}
for (const n of PEOPLE) await newPerson(personId(n), name(n))
for (const n of PEOPLE) await befriend(personId(n), PEOPLE.filter((other) => other !== n).map(personId))

// --- Many at once

type Card = {
  id: string
  body: string | null
  deletedAt: string | null
  replyTo: { id: string } | null
  reactions: { count: number }[]
}

test('With 50 senders at once, readers who page forward get each message once, in one order', async () => {
  const senders = Array.from({ length: 50 }, (_, n) => uuid(2, n))
  for (const [n, id] of senders.entries()) await newPerson(id, `sender${n}`)
  const [boss = '', ...others] = senders
  await befriend(boss, others)
  const names = others.map((_, n) => `sender${n + 1}`)
  const call = <T>(sql: TransactionSql, text: string, values: unknown[]) =>
    sql.unsafe<{ answer: T }[]>(`select api.${text} as answer`, values as never[]).then(([row]) => row?.answer as T)
  const group = await asCaller(claims(boss), (sql) =>
    call<{ id: string }>(sql, `create_conversation('group', $1::text[], 'All')`, [names]),
  )
  const pools = Array.from({ length: 4 }, () => connect('kith_user'))
  const entered = (id: string) => {
    const now = Math.floor(Date.now() / 1000)
    return JSON.stringify({ iat: now, exp: now + 900, ...claims(id) })
  }
  const ask = async <T>(lane: number, who: string, text: string, values: unknown[]): Promise<T> => {
    const sql = pools[lane % pools.length] ?? owner
    const parameters = [entered(who), ...values]
    const [row] = await sql.unsafe<{ answer: T }[]>(
      `select api.${text} as answer from private.enter($1::text)`,
      parameters as never[],
    )
    return row?.answer as T
  }

  let sending = true
  /** Reads forward from the last message that it has, until a read finds none. */
  async function follow(reader: string, lane: number, limit: number): Promise<string[]> {
    const first = await ask<Card>(lane, reader, `send_message($2::uuid, 'first', gen_random_uuid())`, [group.id])
    const met: string[] = []
    for (let after = first.id, over = false; !over; ) {
      over = !sending
      for (let cursor: string | null = null, more = true; more; ) {
        const page: Page<Card> = await ask(
          lane,
          reader,
          'list_messages($2::uuid, $3::uuid, null, $4::integer, $5::text)',
          [group.id, after, limit, cursor],
        )
        met.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
        more = cursor !== null
      }
      after = met.at(-1) ?? after
    }
    return [first.id, ...met]
  }
  const readers = [1, 2, 3].map((n) => follow(senders[n] ?? '', n, [1, 7, 50][n - 1] ?? 20))
  await Promise.all(
    senders.map(async (sender, lane) => {
      for (let n = 0; n < 4; n++)
        await ask(lane, sender, `send_message($2::uuid, $3, gen_random_uuid())`, [group.id, `${lane} ${n}`])
    }),
  )
  sending = false
  const met = await Promise.all(readers)
  const all = await owner<{ id: string; number: string }[]>`
    select id, number from app.messages where conversation_id = ${group.id} order by number`
  expect(all.map(({ number }) => Number(number))).toEqual(all.map((_, n) => n + 1))
  expect(all.length).toBe(50 * 4 + 3)
  const order = all.map(({ id }) => id)
  for (const ids of met) expect(ids).toEqual(order.slice(order.indexOf(ids[0] ?? '')))
  const [{ times } = { times: false }] = await owner<{ times: boolean }[]>`
    select bool_and(ordered) as times from (
      select created_at >= lag(created_at, 1, created_at) over (order by number) as ordered
      from app.messages where conversation_id = ${group.id}) m`
  expect(times).toBe(true)
})

// --- Random histories of one conversation

type Act =
  | { do: 'send'; who: number; to: number }
  | { do: 'read'; who: number; at: number }
  | { do: 'delete' | 'edit' | 'react'; who: number; at: number }
  | { do: 'leave' | 'add' | 'ban' | 'suspend' | 'unban' | 'limit' | 'erase' | 'mute' | 'unmute'; who: number }
  | { do: 'block' | 'unblock'; who: number; whom: number }
const who = fc.constantFrom(...PEOPLE)
const at = fc.nat(12)
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), who, to: at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), who, at }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'edit' as const, 'react' as const), who, at }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'add' as const, 'add' as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('ban' as const, 'suspend' as const, 'unban' as const, 'limit' as const, 'erase' as const),
      who,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('mute' as const, 'mute' as const, 'unmute' as const), who }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('block' as const, 'unblock' as const), who, whom: who }) },
)

type Said = {
  sender: number
  kind: string
  deleted: boolean
  answers: number | null
  changed: boolean
  /** Who reacted, all with the same emoji. */
  reacted: Set<number>
}
/** The state of the conversation: a list, and for each person the parts they can read. */
class Model {
  said: Said[] = []
  direct: boolean
  owner: number | null
  /** The members, the earliest first. */
  members: number[]
  muted = new Set<number>()
  spans: [number, number][][]
  read: number[] = PEOPLE.map(() => -1)
  blocks = new Set<string>()
  banned = new Set<number>()
  erased = new Set<number>()
  constructor(direct: boolean) {
    this.direct = direct
    this.owner = direct ? null : 0
    this.members = direct ? [0, 1] : [0, 2, 1]
    this.spans = PEOPLE.map((n) => (this.members.includes(n) ? [[0, Number.POSITIVE_INFINITY]] : []))
  }

  meets = (one: number, other: number) => !this.blocks.has(`${one} ${other}`) && !this.blocks.has(`${other} ${one}`)
  alive = (one: number) => !this.banned.has(one) && !this.erased.has(one)
  has = (one: number) => this.members.includes(one)
  /** Whether one person sees another in the conversation. In a direct conversation a block hides nobody. */
  shows = (one: number, other: number) => this.alive(other) && (this.direct || this.meets(one, other))
  /** Whether a message can be added. In a group this is always possible. */
  isOpen = (one: number) => !this.direct || (this.meets(0, 1) && this.alive(one === 0 ? 1 : 0))
  sees(one: number, n: number): boolean {
    const message = this.said[n]
    if (!message || !this.has(one) || !this.spans[one]?.some(([from, to]) => from <= n && n <= to)) return false
    return this.erased.has(message.sender) || this.shows(one, message.sender)
  }
  tomb = (n: number) => this.said[n]?.deleted === true || this.erased.has(this.said[n]?.sender ?? -1)
  seen = (one: number) => this.said.map((_, n) => n).filter((n) => this.sees(one, n))
  unread(one: number): number {
    const from = this.read[one] ?? -1
    return this.seen(one).filter((n) => {
      const { sender, kind } = this.said[n] as Said
      return (
        n > from && kind === 'text' && sender !== one && !this.tomb(n) && this.alive(sender) && this.meets(one, sender)
      )
    }).length
  }
  /** How many people react to a message, of those whom the viewer sees. */
  reactions(one: number, n: number): number {
    return this.tomb(n) ? 0 : [...(this.said[n]?.reacted ?? [])].filter((who) => this.shows(one, who)).length
  }
  say(sender: number, kind: string, answers: number | null = null): void {
    this.said.push({ sender, kind, deleted: false, answers, changed: false, reacted: new Set() })
  }
  leave(one: number, says: boolean): void {
    this.members = this.members.filter((other) => other !== one)
    this.muted.delete(one)
    const spans = this.spans[one] ?? []
    const last = spans.at(-1)
    if (last) last[1] = this.said.length - 1
    if (says) this.say(one, 'system')
    if (this.owner !== one) return
    this.owner = this.members.find((other) => this.alive(other)) ?? this.members[0] ?? null
    if (this.owner !== null) this.say(this.owner, 'system')
  }
}

/** Does a step in the model and in the database, which must reject what the model rejects. */
async function act(sql: TransactionSql, model: Model, talk: string, what: Act): Promise<void> {
  const run = async (by: number, call: string): Promise<boolean> => {
    await sql`savepoint step`
    await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claims(personId(by)))}, true)`
    try {
      await sql.unsafe(`select api.${call}`)
      await sql`reset role`
      return true
    } catch {
      await sql`rollback to savepoint step`
      await sql`reset role`
      return false
    }
  }
  const ids = await sql<{ id: string }[]>`select id from app.messages where conversation_id = ${talk} order by number`
  const idAt = (n: number) => ids[n]?.id ?? uuid(9, 0)
  const by = what.who
  const able = model.alive(by)
  if (!able && !['unban', 'limit', 'erase', 'ban', 'suspend'].includes(what.do)) return // the token is revoked
  switch (what.do) {
    case 'send': {
      const answers = what.to < 6 && model.sees(by, what.to) ? what.to : null
      const reply = answers === null ? 'null' : `'${idAt(answers)}'`
      const done = await run(by, `send_message('${talk}', 'x', gen_random_uuid(), ${reply})`)
      expect(done).toBe(model.has(by) && model.isOpen(by))
      if (done) model.say(by, 'text', answers)
      return
    }
    case 'read': {
      const done = await run(by, `read_conversation('${talk}', '${idAt(what.at)}')`)
      expect(done).toBe(model.sees(by, what.at))
      if (!done) return
      model.read[by] = Math.max(model.read[by] ?? -1, what.at)
      // Another device reports an older position
      const before = what.at >> 1
      expect(await run(by, `read_conversation('${talk}', '${idAt(before)}')`)).toBe(model.sees(by, before))
      return
    }
    case 'delete':
    case 'edit':
    case 'react': {
      const call = { delete: 'delete_message', edit: 'edit_message', react: 'react_to_message' }[what.do]
      const words = { delete: '', edit: `, 'y${what.at}'`, react: `, '👍'` }[what.do]
      const done = await run(by, `${call}('${idAt(what.at)}'${words})`)
      const { sender, kind } = model.said[what.at] ?? { sender: -1, kind: '' }
      const own = sender === by && kind === 'text'
      const may =
        model.sees(by, what.at) &&
        (what.do === 'delete' ? own : model.isOpen(by) && !model.tomb(what.at) && (own || what.do === 'react'))
      expect(done).toBe(may)
      const message = model.said[what.at]
      if (!done || !message || (what.do === 'delete' && message.deleted)) return
      if (what.do === 'react' && message.reacted.has(by)) return
      message.changed = true
      if (what.do === 'react') message.reacted.add(by)
      if (what.do === 'delete') {
        message.deleted = true
        message.answers = null
      }
      return
    }
    case 'leave': {
      const may = model.has(by) && !model.direct
      expect(await run(by, `leave_conversation('${talk}')`)).toBe(may)
      if (may) model.leave(by, true)
      return
    }
    case 'add': {
      const boss = model.owner
      if (boss === null || !model.alive(boss)) return
      const done = await run(boss, `add_conversation_members('${talk}', array['${name(by)}'])`)
      expect(done).toBe(!model.has(by) && model.meets(boss, by))
      if (!done) return
      model.members.push(by)
      model.spans[by]?.push([model.said.length, Number.POSITIVE_INFINITY])
      model.read[by] = model.said.length - 1
      model.say(by, 'system')
      // Members are ordered by the time they joined, but now() doesn't change within a transaction
      await sql`update app.conversation_members set joined_at = clock_timestamp() where conversation_id = ${talk} and user_id = ${personId(by)}`
      return
    }
    case 'mute':
    case 'unmute': {
      expect(await run(by, `${what.do}_conversation('${talk}')`)).toBe(model.has(by))
      if (what.do === 'unmute') model.muted.delete(by)
      else if (model.has(by)) model.muted.add(by)
      return
    }
    case 'block':
    case 'unblock': {
      if (by === what.whom || !model.alive(what.whom)) return
      const call = what.do === 'block' ? 'block_person' : 'unblock_person'
      expect(await run(by, `${call}('${name(what.whom)}')`)).toBe(
        // A person who is blocked, and blocks nobody themselves, can't name the other to unblock them
        !model.blocks.has(`${what.whom} ${by}`) || model.blocks.has(`${by} ${what.whom}`),
      )
      const key = `${by} ${what.whom}`
      if (what.do === 'unblock') model.blocks.delete(key)
      else if (!model.blocks.has(`${what.whom} ${by}`) || model.blocks.has(key)) model.blocks.add(key)
      return
    }
    case 'ban':
    case 'suspend':
    case 'unban': {
      if (model.erased.has(by)) return
      await sql`
        update app.users set banned_at = ${what.do === 'unban' ? null : new Date()},
                             banned_until = ${what.do === 'suspend' ? new Date(Date.now() + 86_400_000) : null}
        where id = ${personId(by)}`
      if (what.do === 'unban') model.banned.delete(by)
      else model.banned.add(by)
      return
    }
    case 'limit': // changes nothing in conversations
      await sql`update app.users set limited_at = now() where id = ${personId(by)}`
      return
    case 'erase': {
      if (model.erased.has(by) || PEOPLE.filter((n) => model.erased.has(n)).length > 0) return
      await sql`select private.erase_person(${personId(by)})`
      model.erased.add(by)
      model.blocks = new Set([...model.blocks].filter((pair) => !pair.split(' ').includes(String(by))))
      if (model.has(by)) model.leave(by, false)
      model.spans[by] = []
      for (const message of model.said) if (message.sender === by) message.changed ||= !message.deleted
    }
  }
}

/** What a person gets from every read, and what they must get. */
async function look(sql: TransactionSql, model: Model, talk: string, viewer: number) {
  const ids = (
    await sql<{ id: string }[]>`select id from app.messages where conversation_id = ${talk} order by number`
  ).map(({ id }) => id)
  const numberOf = (id: string) => ids.indexOf(id)
  await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claims(personId(viewer)))}, true)`
  const ask = async <T>(call: string): Promise<T | string> => {
    await sql`savepoint asked`
    try {
      const [row] = await sql.unsafe<{ answer: T }[]>(`select api.${call} as answer`)
      return row?.answer as T
    } catch (error) {
      await sql`rollback to savepoint asked`
      return (error as Error).message
    }
  }
  const list = async (more: string): Promise<number[] | string> => {
    const met: number[] = []
    for (let cursor: string | null = null, over = false; !over; ) {
      const page: Page<Card> | string = await ask(
        `list_messages('${talk}', ${more} p_limit => 3${cursor === null ? '' : `, p_cursor => '${cursor}'`})`,
      )
      if (typeof page === 'string') return page
      met.push(...page.items.map(({ id }) => numberOf(id)))
      cursor = page.nextCursor
      over = cursor === null
    }
    return met
  }
  const seen = model.seen(viewer)
  const member = model.has(viewer)
  const must = (value: unknown) => (member ? value : 'conversation_unknown')
  const answered: Record<string, unknown> = {}
  const expected: Record<string, unknown> = {}
  const put = (what: string, answer: unknown, right: unknown) => {
    answered[what] = answer
    expected[what] = right
  }
  put('messages', await list(''), must([...seen].reverse()))
  const half = seen[Math.floor(seen.length / 2)]
  if (half !== undefined)
    put(
      'after',
      await list(`p_after => '${ids[half]}',`),
      seen.filter((n) => n > half),
    )
  const changed = await list(`p_changed_since => now() - interval '1 hour',`)
  put(
    'changed',
    typeof changed === 'string' ? changed : changed.sort((a, b) => a - b),
    must(seen.filter((n) => model.said[n]?.changed)),
  )
  for (const [n, id] of ids.entries()) {
    const card = await ask<Card>(`get_message('${id}')`)
    const shown =
      typeof card === 'string'
        ? card
        : [card.body === null, card.replyTo && numberOf(card.replyTo.id), card.reactions[0]?.count ?? 0]
    const answers = model.said[n]?.answers ?? null
    const quoted = answers !== null && !model.tomb(n) && model.sees(viewer, answers) ? answers : null
    put(
      `message ${n}`,
      shown,
      model.sees(viewer, n) ? [model.tomb(n), quoted, model.reactions(viewer, n)] : 'message_unknown',
    )
  }
  type Talk = {
    unreadCount: number
    lastMessage: Card | null
    members: { person: { username: string }; role: string }[]
  }
  const card = await ask<Talk>(`get_conversation('${talk}')`)
  const people = model.members.filter((n) => model.shows(viewer, n))
  put(
    'conversation',
    typeof card === 'string'
      ? card
      : [
          card.unreadCount,
          card.lastMessage && numberOf(card.lastMessage.id),
          card.members.map((m) => `${m.person.username} ${m.role}`).sort(),
        ],
    must([
      model.unread(viewer),
      seen.filter((n) => n >= (model.spans[viewer]?.at(-1)?.[0] ?? 0)).at(-1) ?? null,
      people.map((n) => `${name(n)} ${model.owner === n ? 'owner' : 'member'}`).sort(),
    ]),
  )
  const waits = member && model.unread(viewer) > 0
  put('unread', await ask('count_unread_conversations()'), { count: waits && !model.muted.has(viewer) ? 1 : 0 })
  const listed = (await ask<Page<unknown>>('list_conversations(p_unread => true)')) as Page<unknown>
  put('unread list', listed.items.length, waits ? 1 : 0)
  await sql`reset role`
  return { answered, expected }
}

const UNDONE = 'undone'
const histories = fc.array(acts, { minLength: 5, maxLength: 25 })
const property = fc.asyncProperty(fc.boolean(), histories, async (direct, history) => {
  await owner
    .begin(async (sql) => {
      await sql`select set_config('request.jwt.claims', ${JSON.stringify(claims(personId(0)))}, true)`
      await sql`set local role authenticated`
      const [made] = await sql<{ talk: { id: string } }[]>`
        select api.create_conversation(${direct ? 'direct' : 'group'}, ${direct ? [name(1)] : [name(1), name(2)]}::text[],
                                       ${direct ? null : 'Us'}) as talk`
      await sql`reset role`
      const talk = made?.talk.id ?? ''
      for (const n of [0, 1, 2])
        await sql`update app.conversation_members set joined_at = now() - ${[3, 1, 2][n] ?? 0} * interval '1 hour' where conversation_id = ${talk} and user_id = ${personId(n)}`
      const model = new Model(direct)
      for (const what of history) await act(sql, model, talk, what)
      for (const viewer of PEOPLE.filter(model.alive)) {
        const { answered, expected } = await look(sql, model, talk, viewer)
        expect(answered, `to ${name(viewer)}`).toEqual(expected)
      }
      throw new Error(UNDONE)
    })
    .catch((error: unknown) => {
      if ((error as Error).message !== UNDONE) throw error
    })
})

const numRuns = runs(12, 1000)
test('Every read answers as the model does, after any history of a conversation', {
  timeout: 60_000 + numRuns * 500,
}, async () => {
  await fc.assert(property, { numRuns })
})

test('The unread count is at most 99, among the latest 500 messages', async () => {
  await owner.begin(async (sql) => {
    const [row] = await sql<
      { id: string }[]
    >`insert into app.conversations (kind, title) values ('group', 'x') returning id`
    const id = row?.id ?? ''
    await sql`select private.start_membership(${id}, ${[personId(0), personId(1)]}::uuid[], 1)`
    const put = (count: number, sender: number) => sql`
      with more as (
        insert into app.messages (conversation_id, number, sender_id, body)
        select c.id, c.last_number + n, ${personId(sender)}, 'x' from app.conversations c, generate_series(1, ${count}::integer) n
        where c.id = ${id} returning number)
      update app.conversations set last_number = (select max(number) from more) where id = ${id}`
    const unread = async () => {
      await sql`select set_config('request.jwt.claims', ${JSON.stringify(claims(personId(0)))}, true)`
      const [answer] = await sql<{ count: number }[]>`select private.count_unread_messages(${id}) as count`
      return answer?.count
    }
    await put(98, 1)
    expect(await unread()).toBe(98)
    await put(7, 1)
    expect(await unread()).toBe(99)
    await put(450, 0)
    expect(await unread()).toBe(50)
    await put(50, 0)
    expect(await unread()).toBe(0)
  })
})
