// Password hashes: argon2id. docs/decisions.md, Tokens and sessions.
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { ApiError } from './errors.ts'

// The cost of a hash. If a value is increased, a stored hash is replaced at its holder's next login.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

// Passwords are hashed one at a time: hashing uses a whole core, and Postgres needs the other one. The queue holds
// about two seconds of work, because a longer wait does not help. Strangers have a separate queue with lower priority.
// Otherwise they could fill the queue for everybody, with many addresses.
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

// The hash for unknown addresses, so that the answer takes as long as for known ones.
const nobody = hash(randomBytes(32), parameters)

/**
 * The hash to store, with its salt and parameters in it. `who` is a stranger until a password or a link was correct.
 */
export const hashPassword = async (password: string, who: Who = 'known'): Promise<string> =>
  inTurn(who, () => hash(password, parameters))

/**
 * Whether the password matches. Without a hash it returns false after the same time.
 * @param who `known` on a device or in a session of the person
 */
export const checkPassword = async (stored: string | undefined, password: string, who: Who): Promise<boolean> =>
  inTurn(who, async () => (await verify(stored ?? (await nobody), password, parameters)) && stored !== undefined)

/** Whether a hash was made with less memory or fewer rounds than we use now. */
export function isWeak(stored: string): boolean {
  const [, memory = 0, rounds = 0] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(stored) ?? []
  return Number(memory) < parameters.memoryCost || Number(rounds) < parameters.timeCost
}
