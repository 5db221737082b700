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
/** How many people have each viewer of data.sql in a circle. */
const relations = { 1: 0, 2: 50, 3: 5000 } as const

const feed = (viewer: 1 | 2 | 3, tab?: 'following' | 'trending' | 'circles'): Case => {
  const parameters: Record<string, string> = tab ? { p_tab: tab } : {}
  return {
    name: `feed ${tab ?? 'for you'}, ${relations[viewer]}`,
    method: 'GET',
    operation: 'list_feed',
    parameters: Object.keys(parameters),
    hit: () => ({ caller: viewer, parameters, path: tab ? `/feed?tab=${tab}` : '/feed' }),
    pgbench: {
      variables: '',
      caller: String(viewer),
      call: tab ? `api.list_feed(p_tab => '${tab}')` : 'api.list_feed()',
    },
  }
}

/** A write of somebody else each time, on a post of `recent`: no two requests are the same. */
const write = (
  name: string,
  operation: string,
  parameters: Record<string, string>,
  path: (post: string) => string,
  body: Record<string, unknown>,
  recent: (n: number) => number,
  onPost: boolean,
): Case => ({
  name,
  method: 'POST',
  operation,
  parameters: [...(onPost ? ['p_id'] : []), ...Object.keys(parameters)],
  hit: (n) => ({
    caller: 10 + ((n + Math.floor(n / 5000) * 13) % 9000),
    parameters: { ...(onPost && { p_id: post(recent(n)) }), ...parameters },
    path: path(post(recent(n))),
    body,
  }),
  pgbench: {
    variables: `\\set n random(0, 4999)\n\\set who random(10, 9000)`,
    caller: ':who',
    call: `api.${operation}(${[
      ...(onPost ? [`p_id => bench.post(${recent(0)} + :n * 10)`] : []),
      ...Object.entries(parameters).map(([key, value]) => `${key} => '${value}'`),
    ]})`,
  },
})

// 200 payers with even numbers, and who is paid has an odd one: nobody pays themselves. Not everybody pays once: the
// first request of a person writes down that they are here.
const pay = (name: string, receiver: (n: number) => number, sqlReceiver: string): Case => ({
  name,
  method: 'POST',
  operation: 'pay',
  parameters: ['p_emotion', 'p_tier', 'p_receiver_id'],
  hit: (n) => {
    const receiverId = `p${String(receiver(n)).padStart(6, '0')}`
    return {
      caller: 10 + 2 * (n % 200),
      parameters: { p_emotion: 'joy', p_tier: '0', p_receiver_id: receiverId },
      path: '/economy/pay',
      body: { emotion: 'joy', tier: 0, receiverId },
    }
  },
  pgbench: {
    variables: `\\set sender 2 * random(5, 204)\n\\set receiver ${sqlReceiver}`,
    caller: ':sender',
    call: `api.pay('joy', 0, null, null, 'p' || lpad((:receiver)::text, 6, '0'))`,
  },
})

/** A read without parameters, or with one that is always the same. */
const read = (name: string, operation: string, path: string, parameters: Record<string, string> = {}): Case => ({
  name,
  method: 'GET',
  operation,
  parameters: Object.keys(parameters),
  hit: () => ({ caller: 2, parameters, path }),
  pgbench: {
    variables: '',
    caller: '2',
    call: `api.${operation}(${Object.values(parameters).map((value) => `'${value}'`)})`,
  },
})

const viewers = [1, 2, 3] as const
const words = 'What I read today, and what I make of it.'

/** @param posts how many there are */
export const cases = (posts: number): Case[] => {
  // recent ones, which have replies, reactions and payments; all of ten that are public
  const recent = (n: number) => posts - 50_000 + ((n * 7919) % 5000) * 10
  return [
    ...viewers.map((viewer) => feed(viewer)),
    ...viewers.map((viewer) => feed(viewer, 'following')),
    ...viewers.map((viewer) => feed(viewer, 'trending')),
    ...viewers.map((viewer) => feed(viewer, 'circles')),
    {
      name: 'post detail',
      method: 'GET',
      operation: 'get_post',
      parameters: ['p_id'],
      hit: (n) => ({ caller: 2, parameters: { p_id: post(recent(n)) }, path: `/posts/${post(recent(n))}` }),
      pgbench: {
        variables: '\\set n random(0, 4999)',
        caller: '2',
        call: `api.get_post(bench.post(${recent(0)} + :n * 10))`,
      },
    },
    write('create post', 'create_post', { p_body: words }, () => '/posts', { body: words }, recent, false),
    write('reply', 'create_reply', { p_body: words }, (id) => `/posts/${id}/replies`, { body: words }, recent, true),
    write('react', 'react', { p_kind: 'heart' }, (id) => `/posts/${id}/react`, { kind: 'heart' }, recent, true),
    pay('pay, spread', (n) => 11 + 2 * ((n * 104_729) % 4990), `2 * random(6, ${PEOPLE / 2 - 1}) + 1`),
    pay('pay, one receiver', () => 5, '5'),
    read('my profile', 'get_me', '/me'),
    read('public profile', 'get_profile', '/users/p000007', { p_person: 'p000007' }),
    read('10,000 followers', 'list_followers', '/circles/users/p000007/followers', { p_person: 'p000007' }),
    read('catalog', 'get_catalog', '/interests/catalog'),
  ]
}
