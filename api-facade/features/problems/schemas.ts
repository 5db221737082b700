// Shapes of problems and their solutions. Rules are in sql/problems.
import { ActorId, EditedAt } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const depth = z.int().min(0).max(5).describe('The required depth in the interest; default 0.')
const status = z
  .enum(['open', 'solved', 'closed'])
  .describe('`solved`: a solution was accepted and the bounty paid. `closed`: without a solution.')
const text = z.string().openapi({
  description: '50 to 20,000 characters of Markdown.',
  example: 'Turn the lens half a turn to the left, and the light falls on the page again.',
})

export const ProblemsQuery = z.object({
  ...aboutContents,
  status: status.optional(),
  minDepth: queryInteger(0, 5).optional().describe('Only problems of this depth or deeper: 0 to 5.'),
  hasBounty: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .openapi({ type: 'boolean', description: 'True: only problems with a bounty; false: only those without.' }),
})
export const NewProblem = z
  .object({
    title,
    body: markdown,
    depth: depth.optional(),
    bounty: z
      .int()
      .min(0)
      .max(1_000_000)
      .nullish()
      .openapi({ description: 'Held from your wallet until you accept a solution. Default: no bounty.', example: 0 }),
    interestId,
    ...space,
  })
  .openapi('NewProblem')
export const ProblemChanges = z
  .object({ title: title.optional(), body: markdown.optional(), depth: depth.optional(), interestId })
  .openapi('ProblemChanges')
export const Bounty = z.object({
  amount: z.int().min(1).max(1_000_000).openapi({ description: 'Added to the held amount.', example: 1 }),
})

export const Problem = contentOf('problem', z.string(), {
  body: z.string().describe('Markdown as its author wrote it.'),
  depth,
  bounty: z.int().min(0).describe('Held while the problem is open, paid when it is solved; 0 after it has gone back.'),
  status,
  solvedAt: Timestamp.nullable().describe('When its author accepted a solution; null if they did not.'),
  closedAt: Timestamp.nullable().describe('When its author closed it without a solution; null if they did not.'),
  solutionCount: z
    .int()
    .min(0)
    .describe('Includes solutions of people with a block between you, but not of banned people.'),
  acceptedSolutionId: Uuid.nullable().describe('Also null if you cannot see the solution.'),
}).openapi('Problem')
export const ProblemPage = Page(Problem)

export const SolutionText = z.object({ body: text })
export const SolutionId = z.object({ sid: IdParam })
export const Accepting = z.object({ id: IdParam, sid: IdParam })
export const SolutionVote = z.object({
  value: z.union([z.literal(-1), z.literal(1)]).describe('1 for a good solution, -1 for a bad one.'),
})
export const Solution = z
  .object({
    id: Uuid,
    problemId: Uuid,
    body: z.string().describe('Markdown as its author wrote it.'),
    authorId: ActorId,
    author: PersonCard,
    score: z.int().describe('The sum of all votes.'),
    accepted: z.boolean().describe('Whether the author of the problem accepted it.'),
    viewer: z
      .object({ vote: z.int().min(-1).max(1).nullable().describe('1 or -1; null if you did not vote.') })
      .describe('What you have to do with it.'),
    removedAt: Timestamp.nullable().describe('When staff removed it. Afterwards only its author sees it.'),
    createdAt: Timestamp,
    editedAt: EditedAt,
  })
  .openapi('Solution')
export const SolutionPage = Page(Solution)
