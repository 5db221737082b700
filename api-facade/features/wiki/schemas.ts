// Shapes of the wiki. The rules are in sql/wiki.
import { Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const slug = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .openapi({ description: 'The slug of an interest.', example: 'philosophy' })
export const Slug = z.object({ slug })
export const VersionParams = z.object({ slug, n: queryInteger(0, 999_999_999) })

export const WikiStatus = z.enum(['open', 'approved', 'rejected', 'withdrawn', 'superseded'])
export const ProposalQuery = z.object({ status: WikiStatus.optional() })
export const NewWikiProposal = z
  .object({
    body: z.string().min(1).max(100_000).describe('Markdown, 1 to 20,000 characters: the whole entry.'),
    summary: z.string().trim().min(1).max(1000).describe('A summary of the change: 1 to 300 characters.'),
    baseVersion: z.int().min(0).max(2_147_483_647).describe('The version on which the proposal is based.'),
  })
  .openapi('NewWikiProposal')
export const WikiVote = z
  .object({ value: z.union([z.literal(-1), z.literal(0), z.literal(1)]).openapi({ type: 'integer' }) })
  .openapi('WikiVote')

const author = {
  authorId: z.string().nullable().describe('Null if you cannot see the author.'),
  author: PersonCard.nullable(),
}
export const WikiEntry = z
  .object({
    interestId: Uuid,
    slug: z.string(),
    name: z.string(),
    version: z.int().min(0).describe('0 if there is no entry yet.'),
    body: z.string().describe('Markdown, unchanged.'),
    summary: z.string().nullable().describe('A summary of the latest change.'),
    ...author,
    updatedAt: Timestamp.nullable(),
  })
  .openapi('WikiEntry')
const listed = { id: Uuid, version: z.int().min(1), summary: z.string(), ...author, createdAt: Timestamp }
export const WikiVersionPage = Page(z.object(listed).openapi('WikiVersionCard'))
export const WikiVersion = z
  .object({ ...listed, interestId: Uuid, slug: z.string(), body: z.string() })
  .openapi('WikiVersion')

const Change = z
  .object({
    op: z.enum(['equal', 'delete', 'insert']),
    text: z.string().describe('Whole lines.'),
  })
  .openapi('WikiChange')
export const WikiProposal = z
  .object({
    id: Uuid,
    interestId: Uuid,
    slug: z.string(),
    proposerId: z.string(),
    proposer: PersonCard,
    status: WikiStatus,
    baseVersion: z.int().min(0),
    summary: z.string(),
    body: z.string(),
    diff: z
      .array(Change)
      .describe(
        'The difference from the version on which the proposal is based, line by line. If more than 200 lines differ, all lines of both.',
      ),
    netVotes: z.int(),
    version: z.int().nullable().describe('The number of the version that the proposal became.'),
    viewer: z.object({ vote: z.int().min(-1).max(1) }),
    createdAt: Timestamp,
    resolvedAt: Timestamp.nullable(),
  })
  .openapi('WikiProposal')
export const WikiProposalPage = Page(WikiProposal)
