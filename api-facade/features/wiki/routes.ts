// The wiki: an entry for each interest, and proposals. Rules are in sql/wiki, visibility in policies/wiki.sql.
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

const flag = 'While the flag `wiki` is off, all of the wiki answers 403 `feature_disabled`.'
const open = { check: 'require_flag', of: 'wiki' } as const
const reputation = 'It takes a reputation of 5 in the interest or of 20 in all: 403 `wiki_reputation`.'

export default routes('wiki', {
  'GET /wiki/:slug': {
    summary: 'The wiki entry of an interest',
    description: `An interest without one is at version 0, with an empty body. What is approved is common: it stays when its author is blocked, banned or erased, and then names nobody. ${flag}`,
    access: 'user',
    operation: 'get_wiki_entry',
    gate: open,
    params: Slug,
    answers: { 200: WikiEntry },
  },
  'GET /wiki/:slug/versions': {
    summary: 'The history of an entry, latest version first',
    description: 'Without the texts. No version is ever changed or deleted.',
    access: 'user',
    operation: 'list_wiki_versions',
    gate: open,
    params: Slug,
    page: true,
    answers: { 200: WikiVersionPage },
  },
  'GET /wiki/:slug/versions/:n': {
    summary: 'A version of an entry',
    access: 'user',
    operation: 'get_wiki_version',
    gate: open,
    params: VersionParams,
    answers: { 200: WikiVersion },
  },
  'GET /wiki/:slug/proposals': {
    summary: 'Proposals about an interest, newest first',
    description:
      'All, or those of one status, without those of people whom I do not see. A page looks at 400 and may be short.',
    access: 'user',
    params: Slug,
    query: ProposalQuery,
    page: true,
    handler: list,
    calls: ['list_wiki_proposals'],
    gate: open,
    answers: { 200: WikiProposalPage },
  },
  'POST /wiki/:slug/proposals': {
    summary: 'Propose what an entry should say',
    description: `\`baseVersion\` is the version that I read, 0 where there is none; with any other than the current one it is 409 \`wiki_base_stale\`. ${reputation} A person proposes at most 60 times an hour, unless an operator sets another number.`,
    access: 'user',
    params: Slug,
    body: NewWikiProposal,
    handler: propose,
    calls: ['create_wiki_proposal'],
    gate: { check: 'require_wiki_author', param: 'slug' },
    answers: { 201: WikiProposal },
  },
  'POST /wiki/proposals/:id/vote': {
    summary: 'Vote on a proposal',
    description: `1 for it, -1 against it, 0 takes my vote back; my latest vote counts. ${reputation} Taking back needs none, and answers null where I no longer see the proposal. At a net of 3 the proposal becomes the next version, and its author hears of it (\`wiki.resolved\`). If the entry has another version by then, the vote counts, the proposal is superseded, and the answer is 409 \`wiki_base_stale\`. A settled proposal takes no votes (409).`,
    access: 'user',
    params: UuidId,
    body: WikiVote,
    handler: vote,
    calls: ['vote_wiki_proposal'],
    gate: { check: 'require_wiki_voter', param: 'id' },
    never: ['wiki_vote_value'],
    answers: { 200: WikiProposal.nullable() },
  },
  'POST /wiki/proposals/:id/withdraw': {
    summary: 'Take my proposal back',
    access: 'user',
    params: UuidId,
    handler: withdraw,
    calls: ['withdraw_wiki_proposal'],
    gate: open,
    answers: { 200: WikiProposal },
  },
})
