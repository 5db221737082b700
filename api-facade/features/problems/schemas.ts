// Schemas of problems and their solutions. Rules are in sql/problems.
import { ActorId, EditedAt, RemovedAt } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const depth = z.int().min(0).max(5).describe('How deep the problem goes: 0 (Surface) to 5 (Thesis).')
const status = z
  .enum(['open', 'solved', 'closed'])
  .describe('`solved`: its author accepted a solution. `closed`: its author closed it without one.')
const text = z.string().openapi({
  description: '50 to 20,000 characters of Markdown.',
  example: 'Turn the lens half a turn to the left, and the light falls on the page again.',
})

export const ProblemsQuery = z.object({
  ...aboutContents,
  status: status.optional().describe('Only problems with this status.'),
  minDepth: queryInteger(0, 5).optional().describe('Only problems of this depth or deeper: 0 (Surface) to 5 (Thesis).'),
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
    depth: depth.optional().describe('0 (Surface) to 5 (Thesis). Default: 0.'),
    bounty: z.int().min(0).max(1_000_000).nullish().openapi({
      description: 'Whole mana, held from your wallet until the problem is solved or closed. Default: no bounty.',
      example: 0,
    }),
    interestId,
    ...space,
  })
  .openapi('NewProblem')
export const ProblemChanges = z
  .object({ title: title.optional(), body: markdown.optional(), depth: depth.optional(), interestId })
  .openapi('ProblemChanges')
export const Bounty = z.object({
  amount: z
    .int()
    .min(1)
    .max(1_000_000)
    .openapi({ description: 'Whole mana that is added to the held amount.', example: 1 }),
})

export const Problem = contentOf('problem', z.string(), {
  body: z.string().describe('Markdown as its author wrote it.'),
  depth,
  bounty: z
    .int()
    .min(0)
    .describe(
      'The bounty in whole mana: held while the problem is open, paid when it is solved. 0 without a bounty, or after it has gone back.',
    ),
  status,
  solvedAt: Timestamp.nullable().describe('When its author accepted a solution; null if they did not.'),
  closedAt: Timestamp.nullable().describe('When its author closed it without a solution; null if they did not.'),
  solutionCount: z
    .int()
    .min(0)
    .describe(
      'The number of solutions. Deleted and removed solutions and those of banned people are not counted. ' +
        'Solutions of people with a block between you are counted.',
    ),
  acceptedSolutionId: Uuid.nullable().describe(
    'The solution that the author accepted; null if there is none, or if you cannot see it.',
  ),
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
    accepted: z.boolean().describe('Whether the author of the problem accepted the solution.'),
    viewer: z
      .object({ vote: z.int().min(-1).max(1).nullable().describe('1 or -1; null if you did not vote.') })
      .describe('How you are connected to the solution.'),
    removedAt: RemovedAt,
    createdAt: Timestamp,
    editedAt: EditedAt,
  })
  .openapi('Solution')
export const SolutionPage = Page(Solution)
