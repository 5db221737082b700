// Some tests cannot work against a running stack (`npm run verify`). These tests are skipped, and counted as skipped.
import { beforeEach } from 'vitest'
import { target } from './settings.ts'

/** While tests are collected: skips the whole file or describe that calls it. */
let leaveOut = (reason: string): void => {
  beforeEach(({ skip }) => skip(reason))
}

if (target) {
  beforeEach(({ skip }) => {
    leaveOut = skip
  })
}

/** Against a target: skips the running test, or the file or describe that is being collected. */
export function ownOnly(reason: string): void {
  if (target) leaveOut(reason)
}

/**
 * A placeholder for something that a target does not offer, such as the connection of the database's owner. It may be
 * passed around and destructured, and skips the test that calls it.
 */
export function missing<T extends object>(reason: string): T {
  const call = () => {
    leaveOut(reason)
    return missing(reason)
  }
  const get = (_call: unknown, name: string | symbol) => {
    if (name === 'then') return undefined // a placeholder is not a promise
    if (name === Symbol.iterator) return () => [missing(reason)].values()
    return missing(reason)
  }
  return new Proxy(call, { get }) as unknown as T
}
