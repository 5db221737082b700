// Schemas of what staff looks at: who sees what and why, and the figures of each day.
import { PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AnyPerson } from '../admin/list-schemas.ts'

const TargetType = z
  .enum(['post', 'reply', 'content', 'group', 'guild', 'conversation'])
  .describe('`content` is a content of any kind. For a group or guild, the answer is about what is in it.')
export const AccessQuery = z.object({
  personId: AnyPerson,
  targetType: TargetType,
  targetId: z.string().trim().min(1).max(100).describe('The id of the thing; for a group or guild also the slug.'),
})

export const reasonCodes = [
  'banned_person',
  'deleted',
  'erased_author',
  'banned_author',
  'returning',
  'blocked',
  'author',
  'held_by_rule',
  'hidden',
  'removed',
  'draft',
  'scheduled',
  'public',
  'circle',
  'inner_circle',
  'student',
  'space_member',
  'space_private',
  'post_seen',
  'post_unseen',
  'original_unseen',
  'in_conversation',
  'not_in_conversation',
  'limited_author',
  'muted',
] as const

export const Access = z
  .object({
    personId: Uuid.describe('The internal id of the person whose access it is.'),
    person: PersonCard,
    targetType: TargetType,
    targetId: Uuid.describe('The id of the thing.'),
    authorId: Uuid.nullable().describe('The internal id of its author; null for spaces and conversations.'),
    author: PersonCard.nullable().describe('Its author; null for spaces and conversations.'),
    canSee: z.boolean().describe('Whether the person sees it. This comes from the rule itself, not from the reasons.'),
    shown: z
      .boolean()
      .nullable()
      .describe('Whether feeds and searches may show it to the person; null for what they never show.'),
    reasons: z
      .array(
        z.object({
          code: z.enum(reasonCodes).describe('The reason.'),
          effect: z
            .enum(['allows', 'denies', 'leaves_out'])
            .describe('`denies`: the person does not see it. `leaves_out`: only feeds and searches do not show it.'),
          text: z.string().describe('The reason as a sentence.'),
          about: z
            .object({ targetType: TargetType, targetId: Uuid })
            .nullable()
            .describe('Another thing on which the reason depends; null if there is none.'),
        }),
      )
      .describe(
        'The reasons, in the order in which the rule decides. The person sees the thing if no reason denies it.',
      ),
  })
  .openapi('Access')

const Day = z.iso.date('must be a day such as 2026-11-27')
export const DaysQuery = z.object({
  from: Day.optional().describe('The first day, in UTC. Default: 29 days before `to`.'),
  to: Day.optional().describe('The last day, in UTC. Default: today.'),
})
const figure = (says: string) => z.int().nullable().describe(`${says} Null if it has not been counted yet.`)
export const DailyFigures = z
  .object({
    days: z
      .array(
        z.object({
          day: z.iso.date().describe('The day, in UTC.'),
          joined: figure('People who joined.'),
          active: z
            .int()
            .nullable()
            .describe(
              'People who were active. Null if they were not counted on that day, because they cannot be counted later.',
            ),
          posts: figure('Posts that were written, including scheduled posts and reposts.'),
          replies: figure('Replies that were written.'),
          payments: figure('Payments, without reversals.'),
          mana: figure('Whole mana that the payments moved, without reversals.'),
          reports: figure('Reports by people.'),
          casesClosed: figure('Cases that were decided.'),
        }),
      )
      .describe('One entry for each day, the oldest first.'),
    countedAt: Timestamp.nullable().describe('When the current day was last counted; null if it was not.'),
  })
  .openapi('DailyFigures')
