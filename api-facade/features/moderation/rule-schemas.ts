// Schemas of rules, their hits, and what a replay finds. Rows are those of the views private.staff_* in
// sql/moderation/53_rule_operations.sql.
import { judgedTypes } from '../../generated/report-targets.ts'
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { InternalId, narrowing } from '../admin/list-schemas.ts'

const Condition = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('new-account').describe('The author’s account was new when the thing was published or edited.'),
        hours: z.int().min(1).max(8760).describe('The account was younger than this number of hours.'),
      })
      .openapi('RuleConditionNewAccount'),
    z
      .strictObject({
        kind: z.literal('words').describe('The title or the text has a certain word or phrase.'),
        words: z
          .array(z.string().trim().min(1).max(100))
          .min(1)
          .max(100)
          .openapi({ example: ['casino', 'easy money'] })
          .describe(
            'One of them is enough. They are compared in the same way as muted keywords: whole words, in any letter case, with or without accents, in the first 5000 characters.',
          ),
      })
      .openapi('RuleConditionWords'),
    z
      .strictObject({
        kind: z.literal('link').describe('The title or the text has a link: `http://`, `https://` or `www.`.'),
      })
      .openapi('RuleConditionLink'),
    z
      .strictObject({
        kind: z
          .literal('media')
          .describe('The thing has a certain file: a picture, a video, a sound, or the file of a lesson.'),
        hashes: z
          .array(z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex'))
          .min(1)
          .max(100)
          .openapi({ example: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] })
          .describe(
            'The SHA-256 of the files, in hex; one of them is enough. `media` of a case has the hashes of its thing. The poster of a video counts, too. Files above 25 MiB, files at other hosts, and files that were uploaded before the instance kept hashes never match.',
          ),
      })
      .openapi('RuleConditionMedia'),
    z
      .strictObject({
        kind: z.literal('rate').describe('The author published a lot in a short time.'),
        moreThan: z
          .int()
          .min(1)
          .max(500)
          .describe(
            'The author published more than this number of posts and replies, including this one. For an edit, the posts and replies before the edit count.',
          ),
        minutes: z.int().min(1).max(1440).describe('The length of the time, in minutes.'),
      })
      .openapi('RuleConditionRate'),
    z
      .strictObject({
        kind: z
          .literal('near-ban')
          .describe(
            'Somebody near the author in the invite tree was banned or suspended when the thing was published or edited, and still is.',
          ),
        steps: z.int().min(1).max(3).describe('The largest distance in the invite tree, in invitations.'),
      })
      .openapi('RuleConditionNearBan'),
    z
      .strictObject({
        kind: z
          .literal('reports')
          .describe('Trusted people reported the thing, and their reports were open at the same time.'),
        people: z
          .int()
          .min(1)
          .max(20)
          .describe(
            'At least this number of trusted people. A person is trusted if staff had settled at least three of their reports when they made this one, and had dismissed fewer than half of them.',
          ),
        reputation: z
          .int()
          .min(1)
          .max(1_000_000)
          .nullish()
          .describe(
            'A person who has at least this much reputation now is trusted, too. Default: reputation makes nobody trusted.',
          ),
      })
      .openapi('RuleConditionReports'),
  ])
  .openapi('RuleCondition')

const Conditions = z.array(Condition).min(1).max(10).describe('The conditions. All of them must hold.')
const AppliesTo = z
  .array(z.enum(judgedTypes))
  .min(1)
  .max(judgedTypes.length)
  .describe(
    'The types of things that the rule judges: posts, replies, kinds of contents, and what people write within contents. A course is judged with its lessons.',
  )
const Action = z
  .enum(['case', 'hide'])
  .describe(
    '`case`: opens a case for staff. `hide`: also hides the thing from everyone but its author, until staff unhides or restores the thing, or dismisses the case. A `video-comment` is never hidden.',
  )
const Mode = z
  .enum(['shadow', 'live', 'off'])
  .describe('`shadow`: the rule only records what it would do. `live`: the rule acts. `off`: the rule judges nothing.')
const Category = z
  .string()
  .describe('The category of the cases that the rule opens, from `GET /reports/categories`.')
  .openapi({ example: 'spam' })
const Name = z.string().trim().min(1).max(80).describe('The name for staff: 1 to 80 characters, one line.')
const Cursor = z
  .string()
  .min(1)
  .max(200)
  .nullish()
  .describe('The `nextCursor` of the previous answer, to continue with older things.')

export const RulesQuery = z.object({ mode: Mode.optional(), ...narrowing })
export const NewRule = z
  .object({
    name: Name,
    conditions: Conditions,
    appliesTo: AppliesTo,
    action: Action,
    category: Category.max(30).optional(),
  })
  .openapi('NewRule', {
    example: {
      name: 'New accounts with links',
      conditions: [{ kind: 'new-account', hours: 24 }, { kind: 'link' }],
      appliesTo: ['post', 'reply'],
      action: 'hide',
    },
  })
export const RuleChanges = z
  .object({ name: Name.optional(), action: Action.optional(), mode: Mode.optional() })
  .openapi('RuleChanges')
export const Rule = z
  .object({
    id: Uuid,
    name: z.string().describe('The name that staff gave the rule.'),
    conditions: z.array(Condition).describe('The conditions, all of which must hold. They never change.'),
    appliesTo: AppliesTo,
    category: Category,
    action: Action,
    mode: Mode,
    modeSince: Timestamp.describe('When the rule got this mode.'),
    replayedAt: Timestamp.nullable().describe('When the rule was last replayed; null if never.'),
    createdAt: Timestamp,
  })
  .openapi('Rule')
export const RulePage = Page(Rule)

const TargetType = z.enum(judgedTypes).describe('What the rule hit.')
export const RuleHitsQuery = z.object({
  mode: z.enum(['shadow', 'live']).optional().describe('Only hits in this mode.'),
  ...narrowing,
})
export const RuleHitPage = Page(
  z
    .object({
      id: Uuid,
      targetType: TargetType,
      targetId: Uuid,
      authorId: InternalId,
      author: PersonCard,
      mode: z
        .enum(['shadow', 'live'])
        .describe('The mode of the rule at that time; in `shadow` the rule only recorded the hit.'),
      action: Action.describe('What the rule did, or would have done in shadow.'),
      caseId: Uuid.nullable().describe(
        'The case to which the hit belongs; null in shadow, and for a moment after a hit.',
      ),
      createdAt: Timestamp,
    })
    .openapi('RuleHit'),
)

export const Draft = z.object({ conditions: Conditions, appliesTo: AppliesTo, cursor: Cursor }).openapi('RuleDraft', {
  example: { conditions: [{ kind: 'rate', moreThan: 20, minutes: 10 }], appliesTo: ['post', 'reply'] },
})
export const ReplayStart = z.object({ cursor: Cursor }).openapi('RuleReplayStart')
export const Replay = z
  .object({
    looked: z
      .int()
      .min(0)
      .describe(
        'How many things the replay judged, up to 20,000. If the rule judges a kind of contents, contents of other kinds count, too.',
      ),
    wouldHit: z.int().min(0).describe('How many of the judged things match the rule.'),
    ofWhichStaffRemoved: z.int().min(0).describe('How many of the matching things staff has hidden or removed.'),
    sample: z
      .array(
        z
          .object({
            targetType: TargetType,
            targetId: Uuid,
            authorId: InternalId,
            author: PersonCard,
            excerpt: z.string().max(200).describe('The beginning of the text of the newest version that matches.'),
            removed: z.boolean().describe('Whether staff has hidden or removed the thing.'),
            createdAt: Timestamp,
          })
          .openapi('RuleReplayHit'),
      )
      .max(20)
      .describe('The newest things that match.'),
    lookedUntil: Timestamp.nullable().describe(
      'When the oldest of the judged things was written; null if nothing was judged.',
    ),
    nextCursor: z
      .string()
      .nullable()
      .describe('The `cursor` that continues with older things; null if all of the last 30 days was judged.'),
  })
  .openapi('RuleReplay')
