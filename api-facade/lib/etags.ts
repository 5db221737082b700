// ETags of answers: If-None-Match spares sending an answer again, If-Match spares overwriting what somebody else changed.
import { createHash } from 'node:crypto'
import type { Context } from './context.ts'
import { headerOf } from './headers.ts'

/** Fields that change without an edit: counters, what the caller has to do with the thing, when somebody was last here. */
const unedited = /^(counters|viewer|emojiBreakdown|lastSeenAt|\w*Count|myRole|role|status)$/

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** The part of a tag that changes with an edit only. */
function versionOf(body: string): string {
  const value: unknown = JSON.parse(body)
  if (typeof value !== 'object' || value === null) return hash(body)
  return hash(JSON.stringify(Object.entries(value).filter(([name]) => !unedited.test(name))))
}

/** The tag of an answer: of what an edit can change, and of all of it. */
export const tagOf = (body: string): string => `"${versionOf(body)}.${hash(body)}"`

/** The tags in a header; a proxy that compresses makes them weak. */
const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Whether the client has stored the answer with this tag. */
export function isStored(c: Context, tag: string): boolean {
  const header = headerOf(c, 'if-none-match')
  if (!header) return false
  const tags = tagsIn(header)
  return tags.includes(tag) || tags.includes('*')
}

/** Whether one of the tags of If-Match is of this answer, apart from what changes without an edit. */
export function isMatched(header: string, body: string): boolean {
  const version = versionOf(body)
  return tagsIn(header).some((tag) => tag === '*' || tag.slice(1).split('.')[0] === version)
}
