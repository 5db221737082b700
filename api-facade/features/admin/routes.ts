// Admin routes. Each runs on the service pool after a check of the role in the token, and its operation checks the
// stored role again.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { lineOf } from '../../lib/lines.ts'
import { routes, type Table } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import community from './community.ts'
import content from './content.ts'
import economy from './economy.ts'
import market from './market.ts'
import people from './people.ts'
import posts from './posts.ts'
import proposals from './proposals.ts'
import reading from './reading.ts'
import running from './running.ts'
import {
  Adjusted,
  Adjustment,
  Announcement,
  AppealsQuery,
  Broadcast,
  BroadcastPreview,
  GeneratedCodes,
  Generation,
  Resolution,
  StaffAppeal,
  StaffAppealPage,
} from './schemas.ts'
import spaces from './spaces.ts'
import wiki from './wiki.ts'

const preview = async (c: Context, { title, body }: z.output<typeof Announcement>) => {
  const answer = await call(c, 'preview_broadcast', { p_title: title, p_body: body })
  return { ...JSON.parse(answer.body ?? '{}'), push: lineOf('admin.broadcast', 1) }
}

const others = routes('admin', {
  'POST /admin/invite-codes/generate': {
    summary: 'Generate invite codes',
    description: 'The codes belong to the calling admin and are valid for 30 days. Writes an audit entry.',
    access: 'admin',
    operation: 'generate_invite_codes',
    body: Generation,
    answers: { 201: GeneratedCodes },
    outcome: 'The new codes, ready to be given away.',
  },
  'GET /admin/reputation/appeals': {
    summary: 'List appeals about reputation, newest first',
    description:
      'Lists all appeals, or only those of one status, person or interest. `q` is an id, or a part of the username, the slug of the interest, the text or the note. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_appeals',
    query: AppealsQuery,
    page: true,
    answers: { 200: StaffAppealPage },
    outcome: 'A page of appeals with the people who made them.',
  },
  'POST /admin/reputation/appeals/:id/resolve': {
    summary: 'Accept or reject an appeal',
    description:
      'You can do this only once. If you accept the appeal, `restoreDelta` (above 0, up to 1000, at most two ' +
      'decimals) can restore reputation in its interest, including the shares for the interests above. ' +
      '`restoreDelta` is not allowed if you reject it. The person is notified and can read the note. Writes an ' +
      'audit entry.',
    access: 'admin',
    operation: 'resolve_appeal',
    params: UuidId,
    body: Resolution,
    answers: { 200: StaffAppeal },
    outcome: 'The appeal with its decision.',
  },
  'POST /admin/reputation/adjust': {
    summary: 'Adjust a person’s reputation in an interest',
    description:
      '`delta` is between -1000 and 1000, has at most two decimals and is not 0. Shares are added to the interests above as usual. The note is only stored in the audit log. Writes an audit entry.',
    access: 'admin',
    operation: 'adjust_reputation',
    body: Adjustment,
    answers: { 201: Adjusted },
    outcome: 'The change, and the person’s reputation after it.',
  },
  'POST /admin/broadcast/preview': {
    summary: 'Preview a broadcast',
    description:
      'Sends nothing. `recipients` is the number of people who would get the notification now. People who are ' +
      'banned or erased, or who turned off broadcasts, do not count.',
    access: 'admin',
    id: 'previewBroadcast',
    body: Announcement,
    handler: preview,
    calls: ['preview_broadcast'],
    answers: { 200: BroadcastPreview },
    outcome: 'The texts as people would get them, and how many people.',
  },
  'POST /admin/broadcast': {
    summary: 'Send a broadcast',
    description:
      'Everybody who is registered now and neither banned nor erased gets an `admin.broadcast` notification, in the background. A push announces it without its text. Writes an audit entry.',
    access: 'admin',
    operation: 'broadcast',
    idempotent: true,
    body: Announcement,
    answers: { 202: Broadcast },
    outcome: 'The broadcast, whose notifications are still being written.',
  },
})

/** What the feature offers, for the API's description. */
export const about =
  'What moderators and admins do: they see people, content, money and records, moderate, and run the instance.'

const table: Table = {
  feature: 'admin',
  rows: {
    ...others.rows,
    ...community.rows,
    ...content.rows,
    ...economy.rows,
    ...market.rows,
    ...people.rows,
    ...posts.rows,
    ...proposals.rows,
    ...reading.rows,
    ...running.rows,
    ...spaces.rows,
    ...wiki.rows,
  },
}
export default table
