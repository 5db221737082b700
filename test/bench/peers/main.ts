// npm run bench -- --peers: the cost of a request in Kith, and in PostGraphile 5 on a plain schema with the same data
// and the same visibility rule. Both run on this machine and take turns, because its speed drifts.
import { type Case, PEOPLE, person, post, recent } from '../case.ts'
import { cases, dataOf } from '../cases.ts'
import { type Cpu, minus } from '../cpu.ts'
import { CLIENTS, even, overHttp, tokenOf } from '../load.ts'
import { figure, type Measured, median, type Plan, quartiles, say, startMeters } from '../rounds.ts'
import { caughtUp, startSide } from '../side.ts'
import { checkReads, checkWrites, checkWritten, type Sides } from './checks.ts'
import type { Operation } from './documents.ts'
import { startPeer, VERSION } from './postgraphile.ts'

/** How many times cheaper than the peer Kith should be, at least: the CPU of the peer divided by that of Kith. */
const goals = { 'home-0': 0.8, 'home-50': 0.8, 'home-5000': 0.8, detail: 1.2, create: 1, react: 1 }
type Name = keyof typeof goals

/** How many requests warm up caches, plans and compiled code before the first round. */
const WARM = 2000

/** The same request to the peer as to Kith. */
function askedOfPeer(one: Case): Case {
  const operation = one.name.replace(/-.*/, '') as Operation
  return {
    name: one.name,
    method: 'POST',
    hit: (n) => {
      const { caller = 0, parameters = {} } = one.hit(n)
      const { p_id: id, p_kind: kind, p_body: body } = parameters
      const variables = {
        ...(id && { post: id }),
        ...(kind && { kind }),
        ...(body && { author: person(caller), body }),
      }
      return { caller, path: '/graphql', body: { id: operation, variables } }
    },
  }
}

/** Sends one request by each person, as rounds.ts does before writes, because a new token costs more on both sides. */
async function bringEverybody({ kith, peer }: Sides): Promise<void> {
  const one: Case = { name: 'everybody', method: 'GET', hit: (n) => ({ caller: n + 1, path: '/me' }) }
  await overHttp(kith.url, one, 0, PEOPLE)
  await overHttp(peer.url, askedOfPeer(one), 0, PEOPLE)
}

/**
 * Vacuums and checkpoints. Otherwise the first writes would include the cost of pages that loading the data has
 * changed.
 */
async function settle({ kith, peer }: Sides): Promise<void> {
  await caughtUp(kith)
  for (const { superuser } of [kith, peer]) {
    await superuser.unsafe('vacuum analyze')
    await superuser.unsafe('checkpoint')
  }
}

/**
 * Writes some rows, because tables that are empty when a connection plans its statements are scanned until the next
 * analyze, however they grow.
 */
async function warm(sides: Sides, writes: Case[]): Promise<void> {
  for (const one of writes) {
    await overHttp(sides.kith.url, one, 1_000_000, even(96))
    await overHttp(sides.peer.url, askedOfPeer(one), 1_000_000, even(96))
  }
  await settle(sides)
}

/** Bytes of the body of an answer, as the mean of several answers. */
async function bytesOf(url: string, one: Case, from: number): Promise<number> {
  let sum = 0
  for (let n = from; n < from + CLIENTS; n++) {
    const { caller = 0, path, body } = one.hit(n)
    const headers = { authorization: `Bearer ${await tokenOf(caller)}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: one.method,
      headers,
      body: body ? JSON.stringify(body) : null,
    })
    sum += (await answer.arrayBuffer()).byteLength
  }
  return sum / CLIENTS
}

/** The CPU of a request in each round, the worker's CPU per request over all rounds, and the bytes of an answer. */
type Seen = { cpu: Cpu[]; bytes: number; worker: number }

async function measure(all: Measured[], one: Case, { rounds, seconds }: Plan): Promise<Seen[]> {
  const asked = [one, askedOfPeer(one)]
  const turns = all.flatMap((measured, at) => (asked[at] ? { ...measured, asked: asked[at] } : []))
  const kith = all[0]?.side
  const settled = async () => {
    if (kith && one.method !== 'GET') await caughtUp(kith)
  }
  let next = 0
  const inTurn = async (amount: number) => {
    const rates: number[] = []
    for (const { side, asked } of turns) {
      rates.push(await overHttp(side.url, asked, next, amount))
      await settled()
    }
    next += amount
    return Math.min(...rates)
  }
  await inTurn(even(WARM))
  const amount = even((await inTurn(even(WARM))) * seconds)
  const begun = performance.now()
  const starts = await Promise.all(all.map(({ meter }) => meter.read()))
  const cpu = all.map((): Cpu[] => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...turns.entries()]
    for (const [at, { side, meter, asked }] of round % 2 ? order.reverse() : order) {
      const before = await meter.read()
      await overHttp(side.url, asked, next, amount)
      const { node, backend } = minus(await meter.read(), before)
      cpu[at]?.push({ node: node / amount, backend: backend / amount, worker: 0 })
      await settled()
    }
    next += amount
  }
  const took = performance.now() - begun
  return Promise.all(
    turns.map(async ({ side, meter, idle, asked }, at) => {
      const { worker } = minus(await meter.read(), starts[at] ?? { node: 0, backend: 0, worker: Number.NaN })
      const spent = one.method === 'GET' ? 0 : Math.max(0, worker - idle * took) / (rounds * amount)
      return { cpu: cpu[at] ?? [], worker: spent, bytes: await bytesOf(side.url, asked, next) }
    }),
  )
}

async function row(all: Measured[], one: Case, goal: number, plan: Plan): Promise<void> {
  const [ours, theirs] = await measure(all, one, plan)
  if (!ours || !theirs) return
  const totals = ({ cpu }: Seen) => cpu.map(({ node, backend }) => node + backend)
  const part = ({ cpu }: Seen, name: 'node' | 'backend') => figure(median(cpu.map((one) => one[name])), 3)
  const [mine, other] = [totals(ours), totals(theirs)]
  const ratios = (more = 0) => mine.map((ms, round) => (other[round] ?? Number.NaN) / (ms + more))
  const [low, middle, high] = quartiles(ratios())
  say(
    one.name,
    ...[median(mine), median(other)].map((ms) => figure(ms, 3)),
    figure(middle, 2),
    `${figure(low, 2)}-${figure(high, 2)}`,
    `>= ${figure(goal, 1)}`,
    ...[part(ours, 'node'), part(theirs, 'node'), part(ours, 'backend'), part(theirs, 'backend')],
    ...[ours, theirs].map(({ bytes }) => figure(bytes, 0)),
    ...(ours.worker > 0 ? [figure(ours.worker, 3), figure(median(ratios(ours.worker)), 2)] : []),
  )
}

/** @param isChosen whether a case of this name is measured */
export async function peers(
  root: string,
  posts: number,
  plan: Plan,
  now: string,
  isChosen: (name: string) => boolean,
): Promise<void> {
  const compared = cases(posts).filter(({ name }) => name in goals)
  const data = dataOf(compared)
  const kith = await startSide({ name: 'Kith', root, posts, data, rows: 0, now, inline: false, counted: false })
  try {
    const peer = await startPeer(root, kith)
    const sides = { kith, peer }
    try {
      await checkReads(sides, post(recent(posts)(0)))
      await settle(sides)
      const all = await startMeters([kith, peer])
      say(
        `PostGraphile ${VERSION}, ${posts} posts, ${CLIENTS} clients, ${plan.rounds} rounds of ${plan.seconds} s, CPU ms a request\n`,
      )
      say('', 'node + backend', '', 'peer /', '', '', 'node', '', 'backend', '', 'bytes', '', 'worker', 'ratio')
      const two = ['Kith', 'peer']
      say('', ...two, 'Kith', 'quartiles', 'goal', ...two, ...two, ...two, 'Kith', 'with it')
      try {
        // Measure the reads before the first write. The posts that the writes add have fewer fields than the loaded
        // posts, and would be first in every feed
        for (const one of compared)
          if (one.method === 'GET' && isChosen(one.name)) await row(all, one, goals[one.name as Name], plan)
        const writes = compared.filter(({ name, method }) => method !== 'GET' && isChosen(name))
        await checkWrites(sides)
        await warm(sides, writes)
        for (const one of writes) {
          await bringEverybody(sides)
          await row(all, one, goals[one.name as Name], plan)
        }
      } finally {
        for (const { meter } of all) meter.stop()
      }
      await checkWritten(sides)
      say('\nBoth showed the same posts to the same people, with the same fields, and wrote the same.')
    } finally {
      await peer.stop()
    }
  } finally {
    await kith.stop()
  }
}
