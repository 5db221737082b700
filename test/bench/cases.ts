// What is measured: each case as an operation's statement, its callers, and the same over HTTP.
// Ids and claims are made of numbers, as data.sql makes them.
import { createHash } from 'node:crypto'
import { admin } from './side.ts'

export type Hit = {
  /** Without one, nobody. */
  caller?: number
  parameters?: Record<string, string>
  path: string
  body?: Record<string, unknown>
}

export type Case = {
  name: string
  method: 'GET' | 'POST'
  /** The n-th request. */
  hit(n: number): Hit
  /** The status of every answer; any success where not given. */
  status?: number
  /** Headers of every request, asked for once. */
  headers?(url: string, token: (caller: number) => Promise<string>): Promise<Record<string, string>>
  /** The same without HTTP, where a statement does it all. */
  statement?: {
    operation: string
    /** The names of the parameters that a hit has. */
    parameters: string[]
    /** For pgbench: its \set lines, and the call with its variables. */
    pgbench: { variables: string; caller: string; call: string }
  }
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
type Viewer = keyof typeof relations

/** The id of a seeded interest: see side.ts. */
export const interest = (slug: string) =>
  createHash('md5')
    .update(slug)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** A read that is always the same; the parameters are those of the operation, in their order. */
const read = (
  name: string,
  caller: number,
  operation: string,
  path: string,
  parameters: Record<string, string> = {},
): Case => ({
  name,
  method: 'GET',
  hit: () => ({ caller, parameters, path }),
  statement: {
    operation,
    parameters: Object.keys(parameters),
    pgbench: {
      variables: '',
      caller: String(caller),
      call: `api.${operation}(${Object.entries(parameters).map(([key, value]) => `${key} => '${value}'`)})`,
    },
  },
})

const feed = (viewer: Viewer, tab?: 'following' | 'trending' | 'circles'): Case =>
  read(
    `${tab ?? 'home'}-${relations[viewer]}`,
    viewer,
    'list_feed',
    tab ? `/feed?tab=${tab}` : '/feed',
    tab ? { p_tab: tab } : {},
  )

/** A write of somebody else each time, on a post of `recent` where it is on one: no two requests are the same. */
const write = (
  name: string,
  operation: string,
  parameters: Record<string, string>,
  path: (post: string) => string,
  body: Record<string, unknown>,
  recent?: (n: number) => number,
): Case => ({
  name,
  method: 'POST',
  hit: (n) => ({
    caller: 10 + ((n + Math.floor(n / 5000) * 13) % 9000),
    parameters: { ...(recent && { p_id: post(recent(n)) }), ...parameters },
    path: path(recent ? post(recent(n)) : ''),
    body,
  }),
  statement: {
    operation,
    parameters: [...(recent ? ['p_id'] : []), ...Object.keys(parameters)],
    pgbench: {
      variables: '\\set n random(0, 4999)\n\\set who random(10, 9000)',
      caller: ':who',
      call: `api.${operation}(${[
        ...(recent ? [`p_id => bench.post(${recent(0)} + :n * 10)`] : []),
        ...Object.entries(parameters).map(([key, value]) => `${key} => '${value}'`),
      ]})`,
    },
  },
})

// 200 payers with even numbers, and who is paid has an odd one: nobody pays themselves. Not everybody pays once: the
// first request of a person writes down that they are here.
const pay = (name: string, receiver: (n: number) => number, sqlReceiver: string): Case => ({
  name,
  method: 'POST',
  hit: (n) => {
    const receiverId = `p${String(receiver(n)).padStart(6, '0')}`
    return {
      caller: 10 + 2 * (n % 200),
      parameters: { p_emotion: 'joy', p_tier: '0', p_receiver_id: receiverId },
      path: '/economy/pay',
      body: { emotion: 'joy', tier: 0, receiverId },
    }
  },
  statement: {
    operation: 'pay',
    parameters: ['p_emotion', 'p_tier', 'p_receiver_id'],
    pgbench: {
      variables: `\\set sender 2 * random(5, 204)\n\\set receiver ${sqlReceiver}`,
      caller: ':sender',
      call: `api.pay('joy', 0, null, null, 'p' || lpad((:receiver)::text, 6, '0'))`,
    },
  },
})

const viewers = [1, 2, 3] as const
const words = 'What I read today, and what I make of it.'

/** @param posts how many there are */
export const cases = (posts: number): Case[] => {
  // recent ones, which have replies, reactions and payments; all of ten that are public
  const recent = (n: number) => posts - 50_000 + ((n * 7919) % 5000) * 10
  // one author's public posts, of which everybody reacts to each once
  const many = Math.floor(posts / 10_000)
  const ofOne = (n: number) => 5000 + ((n + Math.floor(n / 9000)) % many) * 10_000
  const history = interest('history')
  const heart = { kind: 'heart' }
  return [
    ...viewers.map((viewer) => feed(viewer)),
    read('home-50-near', 9, 'list_feed', '/feed'), // as home-50, with a centroid
    ...viewers.map((viewer) => feed(viewer, 'following')),
    ...viewers.map((viewer) => feed(viewer, 'trending')),
    ...viewers.map((viewer) => feed(viewer, 'circles')),
    read('interest', 2, 'list_feed', `/feed?interestId=${history}`, { p_interest_id: history }),
    read('format', 2, 'list_feed', '/feed?format=note', { p_format: 'note' }),
    {
      name: 'detail',
      method: 'GET',
      hit: (n) => ({ caller: 2, parameters: { p_id: post(recent(n)) }, path: `/posts/${post(recent(n))}` }),
      statement: {
        operation: 'get_post',
        parameters: ['p_id'],
        pgbench: {
          variables: '\\set n random(0, 4999)',
          caller: '2',
          call: `api.get_post(bench.post(${recent(0)} + :n * 10))`,
        },
      },
    },
    write('create', 'create_post', { p_body: words }, () => '/posts', { body: words }),
    write('reply', 'create_reply', { p_body: words }, (id) => `/posts/${id}/replies`, { body: words }, recent),
    write('react', 'react', { p_kind: 'heart' }, (id) => `/posts/${id}/react`, heart, recent),
    {
      ...write('react-one-author', 'react', { p_kind: 'heart' }, () => '', heart),
      statement: undefined,
      hit: (n) => ({ caller: 10 + (n % 9000), path: `/posts/${post(ofOne(n))}/react`, body: heart }),
    },
    {
      name: 'boost', // each post once, by its author as data.sql has it
      method: 'POST',
      hit: (n) => {
        const at = posts - (n % posts)
        return { caller: 1 + ((at * 7919) % PEOPLE), path: `/posts/${post(at)}/boost`, body: { tier: 1 } }
      },
    },
    pay('pay', (n) => 11 + 2 * ((n * 104_729) % 4990), `2 * random(6, ${PEOPLE / 2 - 1}) + 1`),
    pay('pay-one-receiver', () => 5, '5'),
    read('inbox', 4, 'list_notifications', '/notifications'),
    read('videos', 2, 'list_videos', '/videos'),
    read('video-comments', 2, 'list_video_comments', `/videos/${post(1)}/comments`, { p_id: post(1) }),
    {
      name: 'presign',
      method: 'POST',
      // of somebody else each time: nobody announces more than 50 that are not committed
      hit: (n) => ({
        caller: 10 + (n % 9000),
        path: '/media/presign',
        body: { kind: 'image', contentType: 'image/png', size: 52_481 },
      }),
    },
    read('unread', 4, 'count_unread', '/notifications/unread-count'),
    read('me', 2, 'get_me', '/me'),
    read('profile', 2, 'get_profile', '/users/p000007', { p_person: 'p000007' }),
    read('followers', 2, 'list_followers', '/circles/users/p000007/followers', { p_person: 'p000007' }),
    read('catalog', 2, 'get_catalog', '/interests/catalog'),
    {
      name: 'catalog-304',
      method: 'GET',
      status: 304,
      hit: () => ({ caller: 2, path: '/interests/catalog' }),
      headers: async (url, token) => {
        const known = await fetch(`${url}/api/v1/interests/catalog`, {
          headers: { authorization: `Bearer ${await token(2)}` },
        })
        return { 'if-none-match': known.headers.get('etag') ?? '' }
      },
    },
    // argon2id
    { name: 'login', method: 'POST', hit: () => ({ path: '/auth/login', body: admin }) },
  ]
}
