// Shapes of the social graph. Rules are in sql/social.
import { reportTargets } from '../../generated/report-targets.ts'
import { Moment, Page, PersonCard, PersonParam, personId, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const CircleName = z.string().trim().min(1).max(60)
const Accent = z
  .string()
  .regex(/^[a-z]{2,20}$/, 'must be a colour token such as "sage"')
  .nullable()
const BondLevel = z.enum(['acquaintance', 'inner-circle'])

export const NewCircle = z.object({
  name: CircleName,
  kind: z.enum(['general', 'family', 'work', 'inner', 'custom']).optional(),
  accent: Accent.optional(),
})
export const CircleChanges = z.object({ name: CircleName.optional(), accent: Accent.optional() })
export const Circle = z
  .object({
    id: Uuid,
    ownerId: z.string(),
    owner: PersonCard,
    kind: z.string(),
    name: z.string(),
    accent: z.string().nullable(),
    isOwner: z.boolean(),
    createdAt: Timestamp,
  })
  .openapi('Circle')
export const CirclePage = Page(Circle)

export const MemberParams = z.object({ id: Uuid, memberId: PersonParam })
export const NewMember = z.object({ memberId: PersonParam, bondLevel: BondLevel.optional() })
export const MemberChanges = z.object({ bondLevel: BondLevel })
export const Member = z
  .object({ circleId: Uuid, memberId: z.string(), member: PersonCard, bondLevel: BondLevel, createdAt: Timestamp })
  .openapi('CircleMember')
export const MemberPage = Page(Member)

export const NewInvitation = z
  .object({
    inviteeId: PersonParam.optional(),
    invitee: PersonParam.optional().describe('Another name for `inviteeId`.'),
    bondLevel: BondLevel.optional(),
  })
  .transform(({ inviteeId, invitee, bondLevel }) => ({ inviteeId: inviteeId ?? invitee, bondLevel }))
  .refine(({ inviteeId }) => inviteeId !== undefined, { path: ['inviteeId'], error: 'is required' })
export const InvitationParams = z.object({ invitationId: Uuid })
export const CircleInvitationParams = z.object({ id: Uuid, invitationId: Uuid })
export const Invitation = z
  .object({
    id: Uuid,
    circleId: Uuid,
    circleName: z.string(),
    inviterId: z.string(),
    inviter: PersonCard,
    inviteeId: z.string(),
    invitee: PersonCard,
    bondLevel: BondLevel,
    status: z.enum(['pending', 'accepted', 'declined', 'revoked']),
    createdAt: Timestamp,
  })
  .openapi('CircleInvitation')
export const InvitationPage = Page(Invitation)

export const CircleCheck = z.object({ sharesCircle: z.boolean(), inMyCircle: z.boolean(), inTheirCircle: z.boolean() })

export const FollowStats = z.object({
  followers: z.int().min(0).max(10_000).describe('Counted up to 10,000.'),
  following: z.int().min(0).max(10_000).describe('Counted up to 10,000.'),
  isFollowing: z.boolean().describe('Whether you follow them.'),
})
export const PersonPage = Page(PersonCard)

export const Blocked = z.object({ blocked: z.literal(true) })
export const BlockedPage = Page(
  z
    .object({ id: z.string(), actorId: z.string(), personId, username: z.string(), createdAt: Timestamp })
    .openapi('BlockedPerson', { description: 'A person whom you blocked; `id` and `actorId` are both the actor id.' }),
)

export const NewKeyword = z.object({
  keyword: z.string().trim().min(1).max(100),
  until: Moment.nullish().describe('In the future. Default: without end.'),
})
export const Keyword = z
  .object({ id: Uuid, keyword: z.string(), until: Timestamp.nullable(), createdAt: Timestamp })
  .openapi('MutedKeyword')
export const KeywordPage = Page(Keyword)

/** Any text: SQL has the code for one that is no kind of target. The description lists the kinds that exist. */
export const ReportTarget = z
  .string()
  .trim()
  .min(1)
  .max(30)
  .openapi({ enum: [...reportTargets], example: 'post' })
export const NewReport = z.object({
  targetType: ReportTarget,
  targetId: z.string().trim().min(1).max(320),
  reason: z.string().trim().min(1).max(1000),
})
export const Report = z
  .object({
    id: Uuid,
    targetType: z.enum(reportTargets),
    targetId: z.string().describe('For a person the actor id.'),
    reason: z.string(),
    status: z.enum(['open', 'reviewed', 'dismissed']),
    createdAt: Timestamp,
  })
  .openapi('Report')
