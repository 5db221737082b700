// Names against a running stack (`npm run verify`): one that was used before, and other test files on it, have people of
// the same names. So something of its own stands behind each name on the wire, and tests see nothing of it.
import { randomBytes } from 'node:crypto'
import { target } from './settings.ts'

const names = new Set<string>()

/** What stands behind the names of a world's people: nothing in `npm test`. */
export const newSuffix = (): string => (target ? `_${randomBytes(3).toString('hex')}` : '')

/** Makes known that a name is one. */
export function known(text: string): string {
  names.add(text)
  return text
}

/** What a test says, as it goes to the target. */
export function outward(text: string, suffix: string): string {
  if (suffix === '' || names.size === 0) return text
  return text.replace(new RegExp(`\\b(${[...names].join('|')})\\b`, 'gi'), `$1${suffix}`)
}

/** What the target says, as a test hears it. */
export const inward = (text: string, suffix: string): string => (suffix === '' ? text : text.replaceAll(suffix, ''))
