// Against a running stack (`npm run verify`) some tests have no means: they are left out, and counted as that.
import { beforeEach } from 'vitest'
import { target } from './settings.ts'

/** While tests are collected: the file or describe that asks is left out as a whole. */
let leaveOut = (reason: string): void => {
  beforeEach(({ skip }) => skip(reason))
}

if (target) {
  beforeEach(({ skip }) => {
    leaveOut = skip
  })
}

/** Against a target: leaves out the running test, or the file or describe that is being collected. */
export function ownOnly(reason: string): void {
  if (target) leaveOut(reason)
}

/**
 * Stands for what a target does not give, such as the connection of the database's owner: may be passed around and
 * taken apart, and leaves out what calls it.
 */
export function missing<T extends object>(reason: string): T {
  const call = () => {
    leaveOut(reason)
    return missing(reason)
  }
  const get = (_call: unknown, name: string | symbol) => {
    if (name === 'then') return undefined // it is no promise
    if (name === Symbol.iterator) return () => [missing(reason)].values()
    return missing(reason)
  }
  return new Proxy(call, { get }) as unknown as T
}
