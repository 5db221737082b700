// ETags of answers. With If-None-Match an answer need not be sent again; If-Match prevents lost updates.
import { createHash } from 'node:crypto'
import type { Context } from './context.ts'
import { headerOf } from './headers.ts'

/**
 * Fields that change without an edit: counters, the caller's own state, and the time at which a person was last seen.
 */
const unedited = /^(counters|viewer|emojiBreakdown|lastSeenAt|\w*Count|myRole|role|status)$/

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** The part of a tag that only an edit changes. */
function versionOf(body: string): string {
  const value: unknown = JSON.parse(body)
  if (typeof value !== 'object' || value === null) return hash(body)
  return hash(JSON.stringify(Object.entries(value).filter(([name]) => !unedited.test(name))))
}

/** The tag of an answer: a hash of the fields that an edit can change, and a hash of the whole answer. */
export const tagOf = (body: string): string => `"${versionOf(body)}.${hash(body)}"`

/** The tags in a header, without W/: a proxy that compresses makes them weak. */
const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Whether the client has stored the answer with this tag. */
export function isStored(c: Context, tag: string): boolean {
  const header = headerOf(c, 'if-none-match')
  if (!header) return false
  const tags = tagsIn(header)
  return tags.includes(tag) || tags.includes('*')
}

/** Whether a tag of If-Match has the same first part as this answer's tag: no edit came between. */
export function isMatched(header: string, body: string): boolean {
  const version = versionOf(body)
  return tagsIn(header).some((tag) => tag === '*' || tag.slice(1).split('.')[0] === version)
}
