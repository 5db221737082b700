// Password hashes: argon2id. Specification: Authentication. Notes: dependencies, passwords.
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

// One at a time: it takes a whole core, and the other one is for Postgres.
let last: Promise<unknown> = Promise.resolve()
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work, work)
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
