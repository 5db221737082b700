// Schemas of the social graph. Rules are in sql/social.

import { reportTargets } from '../../generated/report-targets.ts'
import { ActorId, Colour } from '../../lib/fields.ts'
import { IdParam, Moment, Page, PersonCard, PersonParam, personId, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const CircleName = z.string().trim().min(1).max(60).describe('1 to 60 characters, one line.')
const Accent = z
  .string()
  .regex(/^[a-z]{2,20}$/, 'must be a colour token such as "sage"')
  .nullable()
  .describe('A colour token such as `sage`; null for none.')
const BondLevel = z
  .enum(['acquaintance', 'inner-circle'])
  .describe('A member with `inner-circle` also sees posts for the inner circle.')

export const NewCircle = z.object({
  name: CircleName,
  kind: z
    .enum(['general', 'family', 'work', 'inner', 'custom'])
    .optional()
    .describe('A label, which grants nothing. You can have 10 circles with each label. Default: `general`.'),
  accent: Accent.optional(),
})
export const CircleChanges = z.object({ name: CircleName.optional(), accent: Accent.optional() })
export const Circle = z
  .object({
    id: Uuid,
    ownerId: ActorId,
    owner: PersonCard,
    kind: z.string().describe('A label that its owner chose. It grants nothing.'),
    name: z.string().describe('The name, which the owner, members and invited people see.'),
    accent: Colour,
    isOwner: z.boolean().describe('Whether the circle is yours.'),
    createdAt: Timestamp,
  })
  .openapi('Circle')
export const CirclePage = Page(Circle)

export const MemberParams = z.object({ id: IdParam, memberId: PersonParam })
const NewBondLevel = BondLevel.optional().describe(
  'A member with `inner-circle` also sees posts for the inner circle. Default: `acquaintance`.',
)
export const NewMember = z.object({ memberId: PersonParam, bondLevel: NewBondLevel })
export const MemberChanges = z.object({ bondLevel: BondLevel })
export const Member = z
  .object({ circleId: Uuid, memberId: ActorId, member: PersonCard, bondLevel: BondLevel, createdAt: Timestamp })
  .openapi('CircleMember')
export const MemberPage = Page(Member)

export const NewInvitation = z
  .object({
    inviteeId: PersonParam.optional(),
    invitee: PersonParam.optional().describe('Another name for `inviteeId`.'),
    bondLevel: NewBondLevel,
  })
  .transform(({ inviteeId, invitee, bondLevel }) => ({ inviteeId: inviteeId ?? invitee, bondLevel }))
  .refine(({ inviteeId }) => inviteeId !== undefined, { path: ['inviteeId'], error: 'is required' })
export const InvitationParams = z.object({ invitationId: IdParam })
export const CircleInvitationParams = z.object({ id: IdParam, invitationId: IdParam })
export const Invitation = z
  .object({
    id: Uuid,
    circleId: Uuid,
    circleName: z.string().describe('The current name of the circle.'),
    inviterId: ActorId,
    inviter: PersonCard,
    inviteeId: ActorId,
    invitee: PersonCard,
    bondLevel: BondLevel,
    status: z
      .enum(['pending', 'accepted', 'declined', 'revoked'])
      .describe('`revoked`: the inviter or a block ended it.'),
    createdAt: Timestamp,
  })
  .openapi('CircleInvitation')
export const InvitationPage = Page(Invitation)

export const CircleCheck = z.object({
  sharesCircle: z.boolean().describe('Whether you both belong to the same circle, as its owner or as members.'),
  inMyCircle: z.boolean().describe('Whether the person is in a circle of yours.'),
  inTheirCircle: z.boolean().describe('Whether you are in a circle of the person.'),
})

export const FollowStats = z.object({
  followers: z.int().min(0).max(10_000).describe('Counted up to 10,000.'),
  following: z.int().min(0).max(10_000).describe('Counted up to 10,000.'),
  isFollowing: z.boolean().describe('Whether you follow the person.'),
})
export const PersonPage = Page(PersonCard)

export const Blocked = z.object({ blocked: z.literal(true).describe('Always `true`.') })
export const BlockedPage = Page(
  z
    .object({
      id: z.string().describe('An actor id.'),
      actorId: ActorId,
      personId,
      username: z.string().describe('The current username.'),
      createdAt: Timestamp,
    })
    .openapi('BlockedPerson', { description: 'A person whom you blocked; `id` and `actorId` are both the actor id.' }),
)

export const NewKeyword = z.object({
  keyword: z.string().trim().min(1).max(100).describe('1 to 100 characters. Case and accents are ignored.'),
  until: Moment.nullish().describe('When the mute ends, in the future. Default: never.'),
})
export const Keyword = z
  .object({
    id: Uuid,
    keyword: z.string().describe('The keyword as you wrote it.'),
    until: Timestamp.nullable().describe('When the mute ends; null if it never does.'),
    createdAt: Timestamp,
  })
  .openapi('MutedKeyword')
export const KeywordPage = Page(Keyword)

/** Accepts any text, because SQL raises the error for an unknown type. The description lists the known types. */
export const ReportTarget = z
  .string()
  .trim()
  .min(1)
  .max(30)
  .openapi({ enum: [...reportTargets], example: 'post' })
  .describe('The type of the thing that you report.')
export const NewReport = z.object({
  targetType: ReportTarget,
  targetId: z
    .string()
    .trim()
    .min(1)
    .max(320)
    .describe('The id of the thing; for a person also a username or an actor id.'),
  reason: z.string().trim().min(1).max(1000).describe('What is wrong with the thing, for staff: 1 to 1000 characters.'),
  category: z
    .string()
    .trim()
    .min(1)
    .max(30)
    .optional()
    .describe('What is wrong: a category from `GET /reports/categories`. Default: `other`.'),
})
export const Report = z
  .object({
    id: Uuid,
    targetType: z.enum(reportTargets).describe('The type of what you reported.'),
    targetId: z.string().describe('The id of the thing; for a person the actor id.'),
    reason: z.string().describe('What you wrote.'),
    category: z.string().openapi({ description: 'A category from `GET /reports/categories`.', example: 'spam' }),
    status: z.enum(['open', 'reviewed', 'dismissed']).describe('`open` until a moderator reviews or dismisses it.'),
    createdAt: Timestamp,
  })
  .openapi('Report')

export const ReportCategories = z
  .object({
    items: z
      .array(
        z.object({
          category: z.string().openapi({ description: 'The name to send in a report.', example: 'spam' }),
          text: z.string().describe('What the category means, in English.'),
        }),
      )
      .describe('The categories, the most urgent first.'),
  })
  .openapi('ReportCategories')
