// Password hashes: argon2id. docs/decisions.md, Tokens and sessions.
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { ApiError } from './errors.ts'

// When these rise, a stored hash is made anew at its holder's next login.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

// One at a time: it takes a whole core, and the other one is for Postgres. Beyond two seconds of work in the queue
// nobody is served better by waiting. Strangers wait by themselves, and behind all others: with many addresses they
// could else fill the queue and keep everybody out.
const QUEUE = 60
export type Who = 'known' | 'stranger'
const waiting: Record<Who, (() => Promise<void>)[]> = { known: [], stranger: [] }
let busy = false

function inTurn<T>(who: Who, work: () => Promise<T>): Promise<T> {
  if (waiting[who].length >= QUEUE) throw new ApiError('service_unavailable')
  return new Promise((settle, fail) => {
    waiting[who].push(() => work().then(settle, fail))
    if (!busy) serve()
  })
}

async function serve(): Promise<void> {
  busy = true
  for (;;) {
    const next = waiting.known.shift() ?? waiting.stranger.shift()
    if (!next) break
    await next()
  }
  busy = false
}

// What a password is compared with when the address is unknown, so that the answer takes as long.
const nobody = hash(randomBytes(32), parameters)

/** The hash to store, with its salt and parameters in it. `who` is a stranger until a password or a link was right. */
export const hashPassword = async (password: string, who: Who = 'known'): Promise<string> =>
  inTurn(who, () => hash(password, parameters))

/**
 * Whether the password is the one; false, and just as slow, without a hash to compare with.
 * @param who is known on a device or in a session of the person's
 */
export const checkPassword = async (stored: string | undefined, password: string, who: Who): Promise<boolean> =>
  inTurn(who, async () => (await verify(stored ?? (await nobody), password, parameters)) && stored !== undefined)

/** Whether a hash was made with less memory or fewer rounds than are asked for now. */
export function isWeak(stored: string): boolean {
  const [, memory = 0, rounds = 0] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(stored) ?? []
  return Number(memory) < parameters.memoryCost || Number(rounds) < parameters.timeCost
}
