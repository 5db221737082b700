// Schemas of the wiki. The rules are in sql/wiki.
import { ActorId, InterestName, InterestSlug, SettledAt } from '../../lib/fields.ts'
import { Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const slug = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .openapi({ description: 'The slug of an interest.', example: 'philosophy' })
export const Slug = z.object({ slug })
export const VersionParams = z.object({
  slug,
  n: queryInteger(0, 999_999_999).describe('The number of a version, from 1.'),
})

export const WikiStatus = z
  .enum(['open', 'approved', 'rejected', 'withdrawn', 'superseded'])
  .describe('`superseded`: when it was to be approved, the entry already had a newer version.')
export const ProposalQuery = z.object({
  status: WikiStatus.optional().describe('Only proposals with this status.'),
})
export const NewWikiProposal = z
  .object({
    body: z.string().min(1).max(100_000).describe('Markdown, 1 to 20,000 characters: the whole entry.'),
    summary: z.string().trim().min(1).max(1000).describe('A summary of the change: 1 to 300 characters, one line.'),
    baseVersion: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .describe('The version on which the proposal is based, which must be the latest; 0 if there is no entry yet.'),
  })
  .openapi('NewWikiProposal')
export const WikiVote = z
  .object({
    value: z
      .union([z.literal(-1), z.literal(0), z.literal(1)])
      .openapi({ type: 'integer' })
      .describe('1 for the proposal, -1 against it, 0 takes the vote back.'),
  })
  .openapi('WikiVote')

const author = {
  authorId: z
    .string()
    .nullable()
    .describe(
      'The actor id of the author of this version; null if you cannot see the author, or there is no entry yet.',
    ),
  author: PersonCard.nullable().describe(
    'Who wrote this version; null if you cannot see the person, or there is no entry yet.',
  ),
}
export const WikiEntry = z
  .object({
    interestId: Uuid,
    slug: InterestSlug,
    name: InterestName,
    version: z.int().min(0).describe('The number of the latest version; 0 if there is no entry yet.'),
    body: z.string().describe('Markdown as its author wrote it; empty if there is no entry yet.'),
    summary: z.string().nullable().describe('A summary of the latest change; null if there is no entry yet.'),
    ...author,
    updatedAt: Timestamp.nullable().describe('When the latest version was written; null if there is no entry yet.'),
  })
  .openapi('WikiEntry')
const listed = {
  id: Uuid,
  version: z.int().min(1).describe('The number of the version, from 1, without gaps.'),
  summary: z.string().describe('What its author said about the change.'),
  ...author,
  createdAt: Timestamp,
}
export const WikiVersionPage = Page(z.object(listed).openapi('WikiVersionCard'))
export const WikiVersion = z
  .object({ ...listed, interestId: Uuid, slug: InterestSlug, body: z.string().describe('Markdown, the whole entry.') })
  .openapi('WikiVersion')

const Change = z
  .object({
    op: z
      .enum(['equal', 'delete', 'insert'])
      .describe('`delete`: only in the old text. `insert`: only in the new one.'),
    text: z.string().describe('Whole lines.'),
  })
  .openapi('WikiChange')
export const WikiProposal = z
  .object({
    id: Uuid,
    interestId: Uuid,
    slug: InterestSlug,
    proposerId: ActorId,
    proposer: PersonCard,
    status: WikiStatus,
    baseVersion: z.int().min(0).describe('The version on which the proposal is based; 0 if there was no entry.'),
    summary: z.string().describe('What the proposer said about the change.'),
    body: z.string().describe('Markdown, the whole proposed entry.'),
    diff: z
      .array(Change)
      .describe(
        'The difference from the version on which the proposal is based, line by line. If more than 200 lines differ, it has all lines of both.',
      ),
    netVotes: z.int().describe('The votes for the proposal minus the votes against it.'),
    version: z
      .int()
      .nullable()
      .describe('The number of the version that the proposal became; null unless it was approved.'),
    viewer: z
      .object({ vote: z.int().min(-1).max(1).describe('Your vote: 1, -1, or 0 for none.') })
      .describe('How you are connected to the proposal.'),
    createdAt: Timestamp,
    resolvedAt: SettledAt,
  })
  .openapi('WikiProposal')
export const WikiProposalPage = Page(WikiProposal)
