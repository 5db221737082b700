// A case of the bench: an operation's statement, its callers, the same request over HTTP, and the data that it needs.
// Ids and claims are made from numbers, in the same way as data.sql and data/ make them. The cases are in cases/, one
// file for each feature.
import { createHash } from 'node:crypto'

type Hit = {
  /** Without a caller the request is anonymous. */
  caller?: number
  parameters?: Record<string, string>
  path: string
  body?: Record<string, unknown>
}

export type Case = {
  name: string
  method: 'GET' | 'POST' | 'PUT'
  /** The n-th request. */
  hit(n: number): Hit
  /** The status that every answer must have. If missing, any success is right. */
  status?: number
  /** Headers of every request, fetched once. */
  headers?(url: string, token: (caller: number) => Promise<string>): Promise<Record<string, string>>
  /** The files of data/ that it needs besides data.sql, in their order. */
  data?: string[]
  /** The file of data/ that grows for --growth: it writes its rows from :from to :to. */
  grows?: string
  /** The number of requests in a round of --growth, for cases whose requests take long. */
  requests?: number
  /**
   * The number of concurrent clients, 16 by default. It is 1 if requests would wait for each other longer than the
   * timeout, and 32 if each is so short that 16 clients leave the cores idle.
   */
  clients?: number
  /** The request as a statement, without HTTP, for cases that are a single statement. */
  statement?: {
    operation: string
    /** The names of the parameters that a hit has. */
    parameters: string[]
    /** For pgbench: its \set lines, and the call with its variables. */
    pgbench: { variables: string; caller: string; call: string }
  }
}

const hex = (n: number) => n.toString(16).padStart(12, '0')
/** The n-th id of a kind, which is a digit. */
export const numbered = (kind: string, n: number) => `${kind}0000000-0000-4000-8000-${hex(n)}`
export const person = (n: number) => numbered('1', n)
export const post = (n: number) => numbered('2', n)
export const claims = (n: number) => ({
  sub: person(n),
  email: 'p@example.org',
  role: 'user' as const,
  iat: 1,
  exp: 9_999_999_999,
})

/** The number of people in data.sql. */
export const PEOPLE = 10_000

/** These cases, with the data that they need. */
export const among = (data: string[], cases: Case[], grows?: string): Case[] =>
  cases.map((one) => ({ data, ...(grows !== undefined && { grows }), ...one }))

/** The id of a seeded interest: see side.ts. */
export const interest = (slug: string) =>
  createHash('md5')
    .update(slug)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** A read that is the same each time. The parameters are those of the operation, in their order. */
export const read = (
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

/** A write by another person each time, on a post of `recent` if it needs a post. So no two requests are the same. */
export const write = (
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

/** Every tenth of the recent posts of data/posts.sql, which have replies, reactions and payments. All are public. */
export const recent = (posts: number) => (n: number) => posts - 50_000 + ((n * 7919) % 5000) * 10
