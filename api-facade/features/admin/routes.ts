// Admin routes. Each runs on the service pool after the guard, and its operation checks the stored role itself.
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
  GeneratedCodes,
  Generation,
  Resolution,
  StaffAppeal,
  StaffAppealPage,
} from './schemas.ts'
import spaces from './spaces.ts'
import wiki from './wiki.ts'

const others = routes('admin', {
  'POST /admin/invite-codes/generate': {
    summary: 'Generate invite codes',
    description: 'The codes are the calling admin’s own and are valid for 30 days. Leaves an audit entry.',
    access: 'admin',
    operation: 'generate_invite_codes',
    body: Generation,
    answers: { 201: GeneratedCodes },
  },
  'GET /admin/reputation/appeals': {
    summary: 'Appeals about reputation, newest first',
    description:
      'All, or those of one status, person or interest. `q` is an id, or letters in the username, the slug of the interest, the text or the note. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_appeals',
    query: AppealsQuery,
    page: true,
    answers: { 200: StaffAppealPage },
  },
  'POST /admin/reputation/appeals/:id/resolve': {
    summary: 'Accept or reject an appeal',
    description:
      'Once. An accepted one may carry `restoreDelta`, above 0 and up to 1000 in hundredths, which the person gets in the interest of the appeal, with roll-ups; a rejected one may not. The person hears of it and reads the note. Leaves an audit entry.',
    access: 'admin',
    operation: 'resolve_appeal',
    params: UuidId,
    body: Resolution,
    answers: { 200: StaffAppeal },
  },
  'POST /admin/reputation/adjust': {
    summary: 'Adjust a person’s reputation in an interest',
    description:
      '`delta` is between -1000 and 1000 in hundredths, and not 0; it rolls up like everything. The note is for the audit log alone. Leaves an audit entry.',
    access: 'admin',
    operation: 'adjust_reputation',
    body: Adjustment,
    answers: { 201: Adjusted },
  },
  'POST /admin/broadcast': {
    summary: 'Tell everybody something',
    description:
      'Everybody who is there now, and neither banned nor erased, gets an `admin.broadcast` notification, each one, in the background; a push says that there is one, without its words. Leaves an audit entry.',
    access: 'admin',
    operation: 'broadcast',
    idempotent: true,
    body: Announcement,
    answers: { 202: Broadcast },
  },
})

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
