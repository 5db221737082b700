// Schemas of reputation. Rules are in sql/reputation.
import { ActorId, InterestName, InterestSlug, SettledAt } from '../../lib/fields.ts'
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const Level = z
  .enum(['Curious', 'Reader', 'Practitioner', 'Adept', 'Master', 'Lifework'])
  .describe('The name of the level that `value` reaches; `Lifework` is the highest.')
const Kind = z
  .enum([
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
  .describe('What gave or took the points.')
const Total = z.number().describe('The sum of what was earned directly, without shares from interests below.')
const Value = z.number().describe('Two decimals. Includes the shares from the interests below.')

const InterestReputation = z
  .object({ interestId: Uuid, slug: InterestSlug, name: InterestName, value: Value, level: Level })
  .openapi('InterestReputation')

export const Reputation = z
  .object({
    total: Total,
    items: z.array(InterestReputation).describe('The interests, those with the most reputation first.'),
  })
  .openapi('Reputation')

export const ReputationSummary = z
  .object({
    userId: ActorId,
    total: Total,
    topInterests: z.array(InterestReputation).max(5).describe('The interests with the most reputation, at most five.'),
  })
  .openapi('ReputationSummary')

const DetailedInterest = z.object({
  interestId: Uuid,
  slug: InterestSlug,
  name: InterestName,
  value: Value,
  directValue: z.number().describe('Points that were earned in the interest itself, two decimals.'),
  rolledUpValue: z.number().describe('The shares from the interests below: `value` minus `directValue`.'),
  level: Level,
  nextLevel: z
    .object({
      level: Level.describe('The next level.'),
      minValue: z.number().describe('The `value` at which the level begins.'),
    })
    .nullable()
    .describe('The next level; null at the level Lifework.'),
  byKind: z
    .partialRecord(Kind, z.number().describe('Points with two decimals.'))
    .describe('Sums by kind of what was earned directly; kinds with a sum of 0 are left out.'),
})
const ReputationEvent = z
  .object({
    id: Uuid,
    interestId: Uuid,
    kind: Kind,
    delta: z.number().describe('Points with two decimals; below 0 they were taken.'),
    createdAt: Timestamp,
    rolledUp: z.boolean().describe('True for a share of what was earned in an interest below.'),
  })
  .openapi('ReputationEvent')

export const DetailedReputation = z
  .object({
    total: Total,
    contributionScore: z.number().describe('Points for what you and the people whom you invited did.'),
    interests: z.array(DetailedInterest).describe('The interests, those with the most reputation first.'),
    events: Page(ReputationEvent).describe('The events behind your reputation, newest first.'),
  })
  .openapi('DetailedReputation')

const VoteValue = z.int().min(-1).max(1).describe('1 for the person, -1 against, 0 takes the vote back.')

export const NewVote = z.object({
  userId: PersonParam,
  interestId: Uuid.describe('The interest in which you vote.'),
  value: VoteValue,
  comment: z.string().trim().max(280).nullish().describe('Up to 280 characters, which the person reads.'),
})
export const CastVote = z
  .object({
    userId: ActorId,
    interestId: Uuid,
    value: VoteValue,
    comment: z.string().nullable().describe('What you wrote; null if nothing.'),
    weight: z
      .number()
      .describe('The weight of your vote in this interest, from 0 to 3: 0 if your reputation in it is below 5.'),
    impact: z.number().describe('The effect of the vote: `weight` times `value`, two decimals.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi('CastVote')
export const ReceivedVotePage = Page(
  z
    .object({
      id: Uuid,
      voterId: ActorId,
      voter: PersonCard,
      interestId: Uuid,
      slug: InterestSlug,
      value: VoteValue.describe('1 for you, -1 against you.'),
      comment: z.string().nullable().describe('What the voter wrote; null if nothing.'),
      impact: z.number().describe('Points that the vote gives or takes, two decimals.'),
      createdAt: Timestamp.describe('When the vote was first cast.'),
    })
    .openapi('ReceivedVote'),
)

export const NewAppeal = z.object({
  interestId: Uuid.describe('The interest that the appeal is about.'),
  text: z.string().trim().min(1).max(2000).describe('The reason, 1 to 2000 characters.'),
  eventId: Uuid.nullish().describe('The id of one event of your reputation in this interest.'),
})
export const AppealStatus = z
  .enum(['pending', 'accepted', 'rejected'])
  .describe('`pending` until an admin decides, once.')
export const Appeal = z
  .object({
    id: Uuid,
    interestId: Uuid,
    slug: InterestSlug,
    eventId: Uuid.nullable().describe(
      'The event of your reputation that the appeal is about; null if it is about the whole interest.',
    ),
    text: z.string().describe('What the person wrote.'),
    status: AppealStatus,
    restoreDelta: z.number().nullable().describe('Points that staff gave back; null if none.'),
    note: z
      .string()
      .nullable()
      .describe('The answer of staff; null while the appeal is pending, and if staff wrote none.'),
    resolvedAt: SettledAt,
    createdAt: Timestamp,
  })
  .openapi('ReputationAppeal')
export const AppealPage = Page(Appeal)

export const Capabilities = z
  .object({
    canVoteWiki: z
      .boolean()
      .describe(
        'Whether you have 5 points in all. To vote on a proposal you also need 5 points in its interest, or 20 in all.',
      ),
    canMentor: z.boolean().describe('Whether you have 30 points in one interest, or 50 in all.'),
    canModerate: z.boolean().describe('Whether you are a moderator or an admin.'),
    canProposeGuild: z.boolean().describe('Always `false`: only admins can create a guild.'),
    canPostJournalism: z
      .boolean()
      .describe('Whether you have 20 points in one interest. Admins can publish journalism without them.'),
  })
  .openapi('Capabilities')
