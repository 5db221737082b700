// A day of an instance in some minutes: people publish, reply, react, pay, write, read and log in, the worker applies
// the effects and runs the jobs, and autovacuum works. At the end it prints for each table what this has left: dead
// rows, updates that changed an index, and the space beyond what the rows need.
import { type Case, PEOPLE, post, recent } from './case.ts'
import { cases, dataOf } from './cases.ts'
import { even, overHttp } from './load.ts'
import { figure, say } from './rounds.ts'
import { caughtUp, type Side, startSide } from './side.ts'
import { type Table, tablesOf } from './tables.ts'

const HOURS = 24
/** How many of 100 requests are of each case. In addition, people read what is new. */
const mix: Readonly<Record<string, number>> = {
  ...{ react: 40, bookmark: 6, follow: 4, reply: 10, create: 5, pay: 6 },
  ...{ 'send-2': 12, 'send-50': 3, detail: 13, login: 1 },
}
/** The share of the people with something new who read it within the hour. */
const READERS = 0.25
/**
 * Inserts of $1 old rows into tables whose rows are deleted after 30 days. The rows reach that age evenly within the $2
 * seconds of the run. Their number is about that of the rows that the day adds.
 */
const aging = [
  `insert into app.domain_events (name, payload, created_at)
   select 'posts.post.reacted', json_build_object('postId', bench.post(n), 'userId', bench.person(n)),
          now() - interval '30 days' + n * ($2::float8 / $1) * interval '1 second'
   from generate_series(1, $1::integer) n`,
  `insert into private.event_log (event, subject, subject_key, payload, people, happened_at, logged_at)
   select 'posts.post.reacted', json_build_object('type', 'post', 'id', bench.post(n)), 'post:' || bench.post(n),
          json_build_object('postId', bench.post(n)), array[bench.person(n)], now(),
          now() - interval '30 days' + n * ($2::float8 / $1) * interval '1 second'
   from generate_series(1, $1::integer) n`,
]

const username = (n: number) => `p${String(n).padStart(6, '0')}`

/** Requests of the mix that no case of the bench has. */
const more = (posts: number): Case[] => {
  const of = recent(posts)
  return [
    {
      name: 'bookmark',
      method: 'POST',
      hit: (n) => ({ caller: 10 + ((n * 31) % 9000), path: `/posts/${post(of(n))}/bookmark` }),
    },
    {
      name: 'follow', // never oneself
      method: 'POST',
      hit: (n) => {
        const caller = 10 + (n % 9000)
        return { caller, path: `/circles/users/${username(1 + ((caller + ((n * 7919) % 900)) % PEOPLE))}/follow` }
      },
    },
  ]
}

const numberOf = `('x' || right(user_id::text, 12))::bit(48)::bigint::integer`

/** People who have something new read it: their notifications, and the conversations with messages. */
async function readNews({ superuser, url }: Side, hour: number): Promise<void> {
  const inboxes = await superuser.unsafe<{ caller: number }[]>(
    `select ${numberOf} as caller from (select distinct user_id from app.notifications
     where read_at is null and created_at > now() - interval '1 day' and hashtext(user_id::text || $1) % 100 < $2) n
     where user_id in (select bench.person(n) from generate_series(1, ${PEOPLE}) n)`,
    [`${hour}`, READERS * 100],
  )
  const unread = await superuser.unsafe<{ caller: number; conversation: string; message: string }[]>(
    `select ${numberOf} as caller, c.id as conversation, l.id as message
     from app.conversation_members m
     join app.conversations c on c.id = m.conversation_id and c.last_number > m.last_read_number
     join app.messages l on l.conversation_id = c.id and l.number = c.last_number
     where c.last_message_at > now() - interval '1 hour' and l.sender_id <> m.user_id
       and hashtext(m.user_id::text || $1) % 100 < $2`,
    [`${hour}`, READERS * 100],
  )
  const before = new Date().toISOString()
  const reads: [Case, number][] = [
    [
      {
        name: 'read notifications',
        method: 'POST',
        hit: (n) => ({ caller: inboxes[n]?.caller ?? 0, path: '/notifications/read', body: { before } }),
      },
      inboxes.length,
    ],
    [
      {
        name: 'read messages',
        method: 'POST',
        hit: (n) => {
          const { caller = 0, conversation = '', message = '' } = unread[n] ?? {}
          return { caller, path: `/conversations/${conversation}/read`, body: { messageId: message } }
        },
      },
      unread.length,
    ],
  ]
  for (const [one, amount] of reads) if (amount > 0) await overHttp(url, one, 0, amount)
}

/** Loads a database, runs the day in it, and prints its tables. */
export async function day(root: string, posts: number, requests: number): Promise<void> {
  const chosen = [...cases(posts), ...more(posts)].filter(({ name }) => mix[name])
  const now = new Date().toISOString()
  const data = dataOf(chosen)
  const side = await startSide({ name: 'this', root, posts, data, rows: 10_000, now, inline: false, counted: false })
  try {
    const { superuser } = side
    const seconds = requests / 100 // the rate at which a slow machine serves the mix
    for (const rows of aging) await superuser.unsafe(rows, [Math.round(requests), seconds])
    // As after a day on which nothing was written: no table has dead rows, and its pages are as full as its settings say
    await superuser.unsafe('vacuum full')
    await superuser.unsafe('vacuum analyze')
    // A day has 1440 rounds of autovacuum, and this one has one a second
    for (const setting of ['autovacuum = on', "autovacuum_naptime = '1s'"])
      await superuser.unsafe(`alter system set ${setting}`)
    await superuser.unsafe('select pg_reload_conf()')
    await superuser.unsafe('select pg_stat_reset()')
    const before = await tablesOf(superuser)
    const began = performance.now()
    const next = new Map<string, number>()
    for (let hour = 0; hour < HOURS; hour++) {
      for (const one of chosen) {
        const amount = even(((mix[one.name] ?? 0) * requests) / 100 / HOURS)
        const from = next.get(one.name) ?? 0
        await overHttp(side.url, one, from, amount)
        next.set(one.name, from + amount)
      }
      await caughtUp(side)
      await readNews(side, hour)
    }
    await caughtUp(side)
    const took = (performance.now() - began) / 1000
    await superuser`select pg_stat_force_next_flush()`
    const after = await tablesOf(superuser)
    await superuser.unsafe('alter system set autovacuum = off')
    await superuser.unsafe('select pg_reload_conf()')
    await superuser.unsafe('vacuum full')
    const full = await tablesOf(superuser)
    say(`a day of ${[...next.values()].reduce((sum, n) => sum + n, 0)} requests in ${figure(took, 0)} s`)
    report(before, after, full)
  } finally {
    await side.stop()
  }
}

const MB = 2 ** 20

/** Two lines for each table that changed or is not small, the largest first. */
function report(before: Map<string, Table>, after: Map<string, Table>, full: Map<string, Table>): void {
  const line = (name: string, ...cells: string[]) => say(name.padEnd(34), ...cells)
  line('', 'rows', 'inserted', 'updated', 'deleted', 'HOT %', 'dead', 'vacuums', 'bytes', 'heap MB', 'before', 'full')
  line('', '', '', '', '', '', '', '', 'a row', 'index MB', 'before', 'full')
  const size = ({ heap, indexes }: Table) => heap + indexes
  const worth = [...after.values()].filter(
    (table) => table.inserted + table.updated + table.deleted > 0 || size(table) > MB,
  )
  for (const table of worth.toSorted((a, b) => size(b) - size(a))) {
    const [first, least] = [before.get(table.name), full.get(table.name)]
    const mb = (bytes = Number.NaN) => figure(bytes / MB, 2)
    line(
      table.name,
      ...[least?.rows ?? Number.NaN, table.inserted, table.updated, table.deleted].map(String),
      figure((100 * table.hot) / table.updated, 0),
      ...[`${table.dead}`, `${table.vacuums}`, figure(size(table) / (least?.rows || Number.NaN), 0)],
      ...[mb(table.heap), mb(first?.heap), mb(least?.heap)],
    )
    line('', '', '', '', '', '', '', '', '', mb(table.indexes), mb(first?.indexes), mb(least?.indexes))
  }
}
