// Schemas of debates and their arguments. Rules are in sql/debates.
import { RemovedAt } from '../../lib/fields.ts'
import { IdParam, Moment, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const closesAt = Moment.describe('When the debate closes by itself, in the future.')
const motion = title.describe('The motion: 1 to 200 characters, one line.')
const position = z.enum(['for', 'against', 'undecided']).describe('A person’s position on the motion.')
const side = z.enum(['for', 'against']).describe('Whether the argument is for or against the motion.')

export const DebatesQuery = z.object(aboutContents)
export const NewDebate = z
  .object({ title: motion, body: markdown, closesAt, interestId, ...space })
  .openapi('NewDebate', {
    example: {
      title: 'Libraries should open at night.',
      body: 'Who works by day reads by night.',
      closesAt: '2099-01-31T12:00:00.000Z',
    },
  })
export const DebateChanges = z
  .object({ title: motion.optional(), body: markdown.optional(), closesAt: closesAt.optional(), interestId })
  .openapi('DebateChanges')
export const Position = z.object({ side: position })

export const Debate = contentOf('debate', z.string(), {
  body: z.string().describe('Markdown as its author wrote it.'),
  closesAt: Timestamp,
  closedAt: Timestamp.nullable().describe('When its author closed it early; null if they did not.'),
  status: z.enum(['open', 'closed']).describe('Derived from `closesAt` and `closedAt`.'),
  tally: z
    .object({
      for: z.int().min(0).describe('People who are for the motion.'),
      against: z.int().min(0).describe('People who are against the motion.'),
      undecided: z.int().min(0).describe('People who said that they are undecided.'),
    })
    .describe('Includes people with a block between you, but not banned people.'),
  argumentCount: z
    .int()
    .min(0)
    .describe('Arguments of all levels, without deleted and removed ones and those of banned people.'),
  viewer: z
    .object({ side: position.nullable().describe('Your position; null if you took none.') })
    .describe('How you are connected to the debate.'),
}).openapi('Debate')
export const DebatePage = Page(Debate)

export const ArgumentsQuery = z.object({
  side: side.optional().describe('Only arguments of this side.'),
  parentId: Uuid.optional().describe('Only the direct answers to this argument.'),
  sort: z
    .enum(['top', 'new'])
    .default('top')
    .describe('`top`: most votes first; with equally many votes, the newest first. `new`: the newest first.'),
})
export const NewArgument = z
  .object({
    side,
    body: z.string().openapi({
      description: '50 to 2000 characters.',
      example: 'Those who work until the evening would find the doors open at last.',
    }),
    parentId: Uuid.nullish().describe('The argument that this one answers, on one of the first three levels.'),
  })
  .openapi('NewArgument')
export const ArgumentId = z.object({ aid: IdParam })
export const Argument = z
  .object({
    id: Uuid,
    debateId: Uuid,
    side,
    body: z.string().nullable().describe('The text, as its author wrote it; null if it was deleted.'),
    parentId: Uuid.nullable().describe(
      'The argument that it answers; null if it answers none, or one that you cannot see.',
    ),
    authorId: z.string().nullable().describe('An actor id; null if the argument was deleted.'),
    author: PersonCard.nullable().describe('Who wrote the argument; null if it was deleted.'),
    votes: z.int().min(0).describe('How many people voted for the argument.'),
    viewer: z
      .object({ voted: z.boolean().describe('Whether you voted for the argument.') })
      .describe('How you are connected to the argument.'),
    removedAt: RemovedAt,
    deletedAt: Timestamp.nullable().describe(
      'When its author deleted it; it remains, empty, while it has answers. Null if they did not.',
    ),
    createdAt: Timestamp,
  })
  .openapi('Argument')
export const ArgumentPage = Page(Argument)
