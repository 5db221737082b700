// Adds the difference to the proposals in an answer.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import type { PageQuery, UuidId } from '../../lib/schemas.ts'
import { oneWithDiff, pageWithDiffs } from './diff.ts'
import type { NewWikiProposal, ProposalQuery, Slug, WikiVote } from './schemas.ts'

type Fields<T extends z.ZodType> = z.output<T>

export async function list(
  c: Context,
  { slug, status, limit, cursor }: Fields<typeof Slug> & Fields<typeof ProposalQuery> & Fields<typeof PageQuery>,
) {
  const given = { p_slug: slug, p_status: status, p_limit: limit, p_cursor: cursor }
  return pageWithDiffs(await call(c, 'list_wiki_proposals', given))
}

export async function propose(
  c: Context,
  { slug, body, summary, baseVersion }: Fields<typeof Slug> & Fields<typeof NewWikiProposal>,
) {
  const given = { p_slug: slug, p_body: body, p_summary: summary, p_base_version: baseVersion }
  return oneWithDiff(await call(c, 'create_wiki_proposal', given))
}

export const vote = async (c: Context, { id, value }: Fields<typeof UuidId> & Fields<typeof WikiVote>) =>
  oneWithDiff(await call(c, 'vote_wiki_proposal', { p_id: id, p_value: value }))

export const withdraw = async (c: Context, { id }: Fields<typeof UuidId>) =>
  oneWithDiff(await call(c, 'withdraw_wiki_proposal', { p_id: id }))
