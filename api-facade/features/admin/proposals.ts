// Routes with which admins pass, reject or close proposals of guilds. The rules: sql/guilds/20_proposals.sql.
import { routes } from '../../lib/routes.ts'
import { GuildProposalId, Proposal } from '../guilds/schemas.ts'

const once = '409 if the proposal is no longer open. The proposer is notified. Writes an audit entry.'

export default routes('admin', {
  'POST /admin/guilds/:id/proposals/:pid/approve': {
    summary: 'Pass an open proposal',
    description: `Passes the proposal regardless of the votes. The worker executes it within about a minute. ${once}`,
    access: 'admin',
    id: 'adminApproveGuildProposal',
    operation: 'approve_proposal',
    params: GuildProposalId,
    answers: { 200: Proposal },
    outcome: 'The passed proposal, which waits for its execution.',
  },
  'POST /admin/guilds/:id/proposals/:pid/reject': {
    summary: 'Reject an open proposal',
    description: `Rejects the proposal regardless of the votes. ${once}`,
    access: 'admin',
    id: 'adminRejectGuildProposal',
    operation: 'reject_proposal',
    params: GuildProposalId,
    answers: { 200: Proposal },
    outcome: 'The failed proposal.',
  },
  'POST /admin/guilds/:id/proposals/:pid/force-close': {
    summary: 'Close an open proposal without a decision',
    description: once,
    access: 'admin',
    id: 'adminForceCloseGuildProposal',
    operation: 'force_close_proposal',
    params: GuildProposalId,
    answers: { 200: Proposal },
    outcome: 'The proposal, closed without a decision.',
  },
})
