// Names of people in a running stack (`npm run verify`), where earlier runs and other test files have used the same
// names. So each name gets a unique suffix in requests, which tests don't see.
import { randomBytes } from 'node:crypto'
import { target } from './settings.ts'

const names = new Set<string>()

/** The suffix of the names in a world: empty in `npm test`. */
export const newSuffix = (): string => (target ? `_${randomBytes(3).toString('hex')}` : '')

/** Registers a name, so that it gets the suffix. */
export function known(text: string): string {
  names.add(text)
  return text
}

/** Adds the suffix to the names in what a test sends. */
export function outward(text: string, suffix: string): string {
  if (suffix === '' || names.size === 0) return text
  return text.replace(new RegExp(`\\b(${[...names].join('|')})\\b`, 'gi'), `$1${suffix}`)
}

/** Removes the suffix from what the target answers. */
export const inward = (text: string, suffix: string): string => (suffix === '' ? text : text.replaceAll(suffix, ''))
