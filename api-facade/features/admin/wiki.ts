// Proposals for the wiki, for staff. The rules: sql/admin/45_wiki.sql.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { type PageQuery, UuidId } from '../../lib/schemas.ts'
import { oneWithDiff, pageWithDiffs } from '../wiki/diff.ts'
import { Reason, StaffWikiProposal, StaffWikiProposalPage, WikiProposalsQuery } from './schemas.ts'

type Listing = z.output<typeof WikiProposalsQuery> & z.output<typeof PageQuery>
type Settling = z.output<typeof UuidId> & z.output<typeof Reason>

const list = async (c: Context, { status, q, from, to, limit, cursor }: Listing) =>
  pageWithDiffs(
    await call(c, 'list_all_wiki_proposals', {
      p_status: status,
      p_q: q,
      p_from: from,
      p_to: to,
      p_limit: limit,
      p_cursor: cursor,
    }),
  )
const settle =
  (operation: 'approve_wiki_proposal' | 'reject_wiki_proposal') =>
  async (c: Context, { id, reason }: Settling) =>
    oneWithDiff(await call(c, operation, { p_id: id, p_reason: reason }))

const told =
  'The author is notified (`wiki.resolved`), without the name of the moderator. Writes an audit entry with the reason, if given.'

export default routes('admin', {
  'GET /admin/wiki/proposals': {
    summary: 'List proposals for the wiki, newest first',
    description:
      'Lists all proposals, or only those of one status. Includes proposals of banned people, but not of erased people. `q` is an id, or a part of the name or slug of the interest, the username or the summary. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page. Staff can see and settle proposals even while the flag `wiki` is off.',
    access: 'moderator',
    id: 'adminListWikiProposals',
    query: WikiProposalsQuery,
    page: true,
    handler: list,
    calls: ['list_all_wiki_proposals'],
    answers: { 200: StaffWikiProposalPage },
    outcome: 'A page of proposals with their proposers and votes.',
  },
  'POST /admin/wiki/proposals/:id/approve': {
    summary: 'Approve a proposal for the wiki',
    description: `The proposal becomes the next version of its entry, regardless of its votes. ${told} 409 \`wiki_base_stale\` if the entry has a newer version than the one that the proposal is based on; the proposal is then superseded.`,
    access: 'admin',
    id: 'adminApproveWikiProposal',
    params: UuidId,
    body: Reason,
    handler: settle('approve_wiki_proposal'),
    calls: ['approve_wiki_proposal'],
    answers: { 200: StaffWikiProposal },
    outcome: 'The approved proposal; its text is the entry now.',
  },
  'POST /admin/wiki/proposals/:id/reject': {
    summary: 'Reject a proposal for the wiki',
    description: told,
    access: 'admin',
    id: 'adminRejectWikiProposal',
    params: UuidId,
    body: Reason,
    handler: settle('reject_wiki_proposal'),
    calls: ['reject_wiki_proposal'],
    answers: { 200: StaffWikiProposal },
    outcome: 'The rejected proposal.',
  },
})
