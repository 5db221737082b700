// Shapes of reputation. Rules are in sql/reputation.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const Level = z.enum(['Curious', 'Reader', 'Practitioner', 'Adept', 'Master', 'Lifework'])
const Kind = z.enum([
  'post.contributed',
  'reply.reply',
  'reply.criticism',
  'reply.contribution',
  'reaction.received',
  'bookmark.received',
  'repost.received',
  'invite.used',
  'onboarding.bootstrap',
  'vote.received',
  'appeal.restored',
  'admin.adjusted',
])
const Total = z.number().describe('The sum of what was earned directly, without shares from interests below.')
const Value = z.number().describe('Two decimals. Includes the shares from the interests below.')

const InterestReputation = z
  .object({ interestId: Uuid, slug: z.string(), name: z.string(), value: Value, level: Level })
  .openapi('InterestReputation')

export const Reputation = z.object({ total: Total, items: z.array(InterestReputation) }).openapi('Reputation')

export const ReputationSummary = z
  .object({ userId: z.string(), total: Total, topInterests: z.array(InterestReputation).max(5) })
  .openapi('ReputationSummary')

const DetailedInterest = z.object({
  interestId: Uuid,
  slug: z.string(),
  name: z.string(),
  value: Value,
  directValue: z.number(),
  rolledUpValue: z.number().describe('The shares from the interests below: `value` minus `directValue`.'),
  level: Level,
  nextLevel: z.object({ level: Level, minValue: z.number() }).nullable().describe('Null at the level Lifework.'),
  byKind: z
    .partialRecord(Kind, z.number())
    .describe('Sums by kind of what was earned directly; kinds with a sum of 0 are left out.'),
})
const ReputationEvent = z
  .object({
    id: Uuid,
    interestId: Uuid,
    kind: Kind,
    delta: z.number(),
    createdAt: Timestamp,
    rolledUp: z.boolean().describe('True for a share of what was earned in an interest below.'),
  })
  .openapi('ReputationEvent')

export const DetailedReputation = z
  .object({
    total: Total,
    contributionScore: z.number(),
    interests: z.array(DetailedInterest),
    events: Page(ReputationEvent),
  })
  .openapi('DetailedReputation')

const VoteValue = z.int().min(-1).max(1)

export const NewVote = z.object({
  userId: PersonParam,
  interestId: Uuid,
  value: VoteValue,
  comment: z.string().trim().max(280).nullish(),
})
export const CastVote = z
  .object({
    userId: z.string(),
    interestId: Uuid,
    value: VoteValue,
    comment: z.string().nullable(),
    weight: z.number().describe('The weight of your vote in this interest, from 0 to 3.'),
    impact: z.number().describe('The effect of the vote: `weight` times `value`, two decimals.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi('CastVote')
export const ReceivedVotePage = Page(
  z
    .object({
      id: Uuid,
      voterId: z.string(),
      voter: PersonCard,
      interestId: Uuid,
      slug: z.string(),
      value: VoteValue,
      comment: z.string().nullable(),
      impact: z.number(),
      createdAt: Timestamp.describe('When the vote was first cast.'),
    })
    .openapi('ReceivedVote'),
)

export const NewAppeal = z.object({
  interestId: Uuid,
  text: z.string().trim().min(1).max(2000),
  eventId: Uuid.nullish().describe('The id of one event of your reputation in this interest.'),
})
export const AppealStatus = z.enum(['pending', 'accepted', 'rejected'])
export const Appeal = z
  .object({
    id: Uuid,
    interestId: Uuid,
    slug: z.string(),
    eventId: Uuid.nullable(),
    text: z.string(),
    status: AppealStatus,
    restoreDelta: z.number().nullable(),
    note: z.string().nullable().describe('The answer of staff.'),
    resolvedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('ReputationAppeal')
export const AppealPage = Page(Appeal)

export const Capabilities = z
  .object({
    canVoteWiki: z.boolean(),
    canMentor: z.boolean(),
    canModerate: z.boolean(),
    canProposeGuild: z.boolean(),
    canPostJournalism: z.boolean(),
  })
  .openapi('Capabilities')
