// The wiki: one entry per interest, and proposals. Rules are in sql/wiki, visibility in policies/wiki.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { list, propose, vote, withdraw } from './handlers.ts'
import {
  NewWikiProposal,
  ProposalQuery,
  Slug,
  VersionParams,
  WikiEntry,
  WikiProposal,
  WikiProposalPage,
  WikiVersion,
  WikiVersionPage,
  WikiVote,
} from './schemas.ts'

const flag = 'While the flag `wiki` is off, every wiki route is 403 `feature_disabled`.'
const open = { check: 'require_flag', of: 'wiki' } as const
const reputation = 'Requires a reputation of 5 in the interest or 20 in total: 403 `wiki_reputation`.'

/** What the feature offers, for the API's description. */
export const about = 'The wiki: an entry for each interest, its versions, and proposals to change it.'

export default routes('wiki', {
  'GET /wiki/:slug': {
    summary: 'Get the wiki entry of an interest',
    description: `An interest without an entry has version 0 and an empty body. Approved text belongs to the community: it stays when its author is blocked, banned or erased, and then names no author. ${flag}`,
    access: 'user',
    operation: 'get_wiki_entry',
    gate: open,
    params: Slug,
    answers: { 200: WikiEntry },
    outcome: 'The entry; version 0 with an empty body if nothing is written yet.',
  },
  'GET /wiki/:slug/versions': {
    summary: 'List the versions of an entry, latest first',
    description: 'Leaves out the texts. Versions are never changed or deleted.',
    access: 'user',
    operation: 'list_wiki_versions',
    gate: open,
    params: Slug,
    page: true,
    answers: { 200: WikiVersionPage },
    outcome: 'A page of versions without their texts.',
  },
  'GET /wiki/:slug/versions/:n': {
    summary: 'Get a version of an entry',
    description: '`n` is the number of the version; versions count from 1.',
    access: 'user',
    operation: 'get_wiki_version',
    gate: open,
    params: VersionParams,
    answers: { 200: WikiVersion },
    outcome: 'The version with its text and the difference to the previous version.',
  },
  'GET /wiki/:slug/proposals': {
    summary: 'List proposals about an interest, newest first',
    description:
      'Lists all proposals, or only those of one status. Leaves out people whom you cannot see. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    id: 'listWikiProposals',
    params: Slug,
    query: ProposalQuery,
    page: true,
    handler: list,
    calls: ['list_wiki_proposals'],
    gate: open,
    answers: { 200: WikiProposalPage },
    outcome: 'A page of proposals with their votes.',
  },
  'POST /wiki/:slug/proposals': {
    summary: 'Propose a new version of an entry',
    description: `\`baseVersion\` is the version that you read, 0 if there is none. 409 \`wiki_base_stale\` if it is not the current one. ${reputation} Limit: 60 proposals per person and hour, unless the operator sets another one (429 \`writes_exceeded\`).`,
    access: 'user',
    id: 'createWikiProposal',
    params: Slug,
    body: NewWikiProposal,
    handler: propose,
    calls: ['create_wiki_proposal'],
    gate: { check: 'require_wiki_author', param: 'slug' },
    answers: { 201: WikiProposal },
    outcome: 'The new proposal, open for votes.',
  },
  'POST /wiki/proposals/:id/vote': {
    summary: 'Vote on a proposal',
    description: `1 is for the proposal, -1 against it, and 0 removes your vote; your latest vote counts. ${reputation} Removing a vote needs no reputation; the answer is null if you can no longer see the proposal. At a balance of 3 the proposal becomes the next version, and its author is notified (\`wiki.resolved\`). If the entry has a newer version by then, the vote counts, the proposal is superseded, and the answer is 409 \`wiki_base_stale\`. A settled proposal accepts no votes (409).`,
    access: 'user',
    id: 'voteWikiProposal',
    params: UuidId,
    body: WikiVote,
    handler: vote,
    calls: ['vote_wiki_proposal'],
    gate: { check: 'require_wiki_voter', param: 'id' },
    never: ['wiki_vote_value'],
    answers: { 200: WikiProposal.nullable() },
    outcome: 'The proposal with your vote; approved if that was the last one needed.',
  },
  'POST /wiki/proposals/:id/withdraw': {
    summary: 'Withdraw your proposal',
    description: 'Only the proposer can do this, while the proposal is open.',
    access: 'user',
    id: 'withdrawWikiProposal',
    params: UuidId,
    handler: withdraw,
    calls: ['withdraw_wiki_proposal'],
    gate: open,
    answers: { 200: WikiProposal },
    outcome: 'Your proposal, now withdrawn.',
  },
})
