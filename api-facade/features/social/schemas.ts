// Shapes of the social graph. Specification: Resources › Circle; Social. Rules are in sql/social.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

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
    invitee: PersonParam.optional().openapi({ description: 'Another name of `inviteeId`.' }),
    bondLevel: BondLevel.optional(),
  })
  .transform(({ inviteeId, invitee, bondLevel }) => ({ inviteeId: inviteeId ?? invitee, bondLevel }))
  .refine(({ inviteeId }) => inviteeId !== undefined, { path: ['inviteeId'], error: 'is required' })
export const InvitationParams = z.object({ invitationId: Uuid })
export const CircleInvitationParams = z.object({ id: Uuid, invitationId: Uuid })
export const Response = z.object({ accept: z.boolean() })
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

export const Blocked = z.object({ blocked: z.literal(true) })
