// Password hashes: argon2id. docs/decisions.md, Tokens and sessions.
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Refusal } from './errors.ts'

// When these rise, a stored hash is made anew at its holder's next login.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

// One at a time: it takes a whole core, and the other one is for Postgres. Beyond two seconds of work in the queue
// nobody is served better by waiting.
const QUEUE = 60
let last: Promise<unknown> = Promise.resolve()
let waiting = 0
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= QUEUE) throw new Refusal('service_unavailable')
  waiting++
  const turn = last.then(work, work).finally(() => waiting--)
  last = turn.catch(() => {})
  return turn
}

// What a password is compared with when the address is unknown, so that the answer takes as long.
const nobody = hash(randomBytes(32), parameters)

/** The hash to store, with its salt and parameters in it. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, parameters))

/** Whether the password is the one; false, and just as slow, without a hash to compare with. */
export const checkPassword = (stored: string | undefined, password: string): Promise<boolean> =>
  inTurn(async () => (await verify(stored ?? (await nobody), password, parameters)) && stored !== undefined)

/** Whether a hash was made with less memory or fewer rounds than are asked for now. */
export function isWeak(stored: string): boolean {
  const [, memory = 0, rounds = 0] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(stored) ?? []
  return Number(memory) < parameters.memoryCost || Number(rounds) < parameters.timeCost
}
