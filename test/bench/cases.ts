// What is measured: each case as an operation's statement, its callers, and the same over HTTP.
// Ids and claims are made of numbers, as data.sql makes them.

export type Hit = { caller: number; parameters: Record<string, string>; path: string; body?: Record<string, unknown> }

export type Case = {
  name: string
  method: 'GET' | 'POST'
  /** The call, with parameters by name: `api.get_post(p_id => $1::uuid)` is written with `:p_id`. */
  operation: string
  parameters: string[]
  /** The n-th request. */
  hit(n: number): Hit
  /** The same for pgbench: its \set lines, and the call with its variables. */
  pgbench: { variables: string; caller: string; call: string }
}

const hex = (n: number) => n.toString(16).padStart(12, '0')
export const person = (n: number) => `10000000-0000-4000-8000-${hex(n)}`
export const post = (n: number) => `20000000-0000-4000-8000-${hex(n)}`
export const claims = (n: number) => ({
  sub: person(n),
  email: 'p@example.org',
  role: 'user' as const,
  iat: 1,
  exp: 9_999_999_999,
})

const PEOPLE = 10_000
// recent posts, which have replies, reactions and payments; every eighth of ten is public
const recent = (n: number) => 150_000 + ((n * 7919) % 5000) * 10

const feed = (viewer: number, relations: number): Case => ({
  name: `feed, ${relations} relations`,
  method: 'GET',
  operation: 'list_feed',
  parameters: [],
  hit: () => ({ caller: viewer, parameters: {}, path: '/feed' }),
  pgbench: { variables: '', caller: String(viewer), call: 'api.list_feed()' },
})

const pay = (name: string, receiver: (n: number) => number, sqlReceiver: string): Case => ({
  name,
  method: 'POST',
  operation: 'pay',
  parameters: ['p_emotion', 'p_tier', 'p_receiver_id'],
  hit: (n) => {
    const receiverId = `p${String(receiver(n)).padStart(6, '0')}`
    return {
      caller: 10 + ((n * 7919) % (PEOPLE - 10)),
      parameters: { p_emotion: 'joy', p_tier: '0', p_receiver_id: receiverId },
      path: '/economy/pay',
      body: { emotion: 'joy', tier: 0, receiverId },
    }
  },
  pgbench: {
    variables: `\\set sender random(10, ${PEOPLE})\n\\set receiver ${sqlReceiver}`,
    caller: ':sender',
    call: `api.pay('joy', 0, null, null, 'p' || lpad((:receiver)::text, 6, '0'))`,
  },
})

export const cases: Case[] = [
  feed(1, 0),
  feed(2, 50),
  feed(3, 5000),
  {
    name: 'post detail',
    method: 'GET',
    operation: 'get_post',
    parameters: ['p_id'],
    hit: (n) => ({ caller: 2, parameters: { p_id: post(recent(n)) }, path: `/posts/${post(recent(n))}` }),
    pgbench: {
      variables: '\\set n random(0, 4999)',
      caller: '2',
      call: 'api.get_post(bench.post(150000 + :n * 10))',
    },
  },
  pay('pay, spread', (n) => 11 + ((n * 104_729) % (PEOPLE - 11)), `random(11, ${PEOPLE})`),
  pay('pay, one receiver', () => 5, '5'),
]
