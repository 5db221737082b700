// Schemas of AI sessions. Rules are in sql/ai.
import { InterestName, InterestSlug } from '../../lib/fields.ts'
import { Page, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const Position = z.int().min(1).max(5).describe('The number of the question, from 1 to 5.')
const Backend = z.enum(['scripted', 'llm']).describe('Who wrote this: the script or a language model.')
const Fallback = z.boolean().describe('True if the script wrote this because the model gave nothing usable.')
const Answer = z.string().openapi({ description: '1 to 2000 characters.', example: 'My grandmother showed me how.' })

export const SessionId = z.object({ sessionId: Uuid.describe('The id of a session of yours.') })
export const NewSession = z.object({
  topic: z.string().openapi({
    description: '1 to 60 characters, or the name of an interest, which may be longer.',
    example: 'Gardens',
  }),
})
export const NewAnswer = z.object({
  answer: Answer,
  position: Position.optional().describe(
    'The position of the question that you answer. 409 if it is not the current one.',
  ),
})

export const Session = z
  .object({
    id: Uuid,
    topic: z.string().describe('What the session is about, as it was named at the start.'),
    status: z
      .enum(['in_progress', 'completed', 'abandoned'])
      .describe('A session without an answer for 24 hours is `abandoned`.'),
    question: z
      .object({
        position: Position,
        text: z.string().describe('The question, which the script or a language model wrote.'),
      })
      .nullable()
      .describe('The question to answer. Null after the fifth answer, and while the next one is being prepared.'),
    turns: z
      .array(
        z.object({
          position: Position,
          question: z.string().describe('The question as it was asked.'),
          backend: Backend,
          fallback: Fallback,
          answer: z.string().nullable().describe('Your answer; null until you gave one.'),
          answeredAt: Timestamp.nullable().describe('When you answered; null until then.'),
        }),
      )
      .describe('The questions so far with their answers, in order.'),
    createdAt: Timestamp,
    completedAt: Timestamp.nullable().describe('When you completed it after the fifth answer; null until then.'),
  })
  .openapi('AiSession')
export const Sessions = Page(Session).openapi('AiSessions')

export const Suggestions = z
  .object({
    backend: Backend,
    fallback: Fallback,
    suggestions: z
      .array(
        z.object({
          id: Uuid.describe('The id of the interest.'),
          slug: InterestSlug,
          name: InterestName,
          confidence: z
            .number()
            .min(0)
            .max(1)
            .describe('How well the interest fits what you said, from 0 to 1, with two decimals.'),
        }),
      )
      .describe('Up to 10 interests, the likeliest first.'),
  })
  .openapi('AiSuggestions')
const visible = /\S/
export const Draft = z.object({
  title: z
    .string()
    .max(300)
    .regex(visible, 'must have words')
    .optional()
    .describe('Up to 300 characters, for an essay.'),
  body: z
    .string()
    .max(100_000)
    .regex(visible, 'must have words')
    .openapi({ example: 'what I learnt  today .' })
    .describe('The draft as it is, up to 20,000 characters.'),
})
export const Enhanced = z
  .object({
    title: z.string().optional().describe('The improved title, if the draft has one.'),
    body: z
      .string()
      .describe(
        'The improved draft. A model may change its wording; the script only repairs spaces, words written twice and the first letter.',
      ),
    changes: z.array(z.string()).describe('What was changed, in words.'),
    backend: Backend,
    fallback: Fallback,
  })
  .openapi('EnhancedPost')

const ids = z.array(Uuid).min(1).max(50).describe('The ids of interests.')
export const Applied = z.object({ ids })
export const AppliedAlias = z.object({ sessionId: Uuid, ids })
