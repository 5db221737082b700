// Shapes of groups. Rules are in sql/spaces and sql/groups.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const name = z.string().trim().min(1).max(80)
const about = z.string().max(10_000).openapi({ description: 'Up to 2000 characters.' })
const accent = z
  .string()
  .regex(/^[a-z]{2,20}$/, 'must be a colour token such as "sage"')
  .nullable()
const visibility = z.enum(['public', 'private'])
const joinPolicy = z.enum(['open', 'request', 'invite'])
const role = z.enum(['owner', 'moderator', 'member'])
const slug = z.string().max(100).openapi({
  description: '3 to 60 small letters, digits and hyphens, no UUID; made of the name where absent. Stays as it is.',
  example: 'mushroom-hunters',
})

const id = z.string().trim().min(1).max(60).openapi({
  description: 'The id of a group, or its slug.',
  example: '00000000-0000-4000-8000-000000000000',
})
export const GroupId = z.object({ id })
export const GroupMember = z.object({ id, userId: PersonParam })
export const GroupRequest = z.object({ id, rid: Uuid })
export const GroupInvitation = z.object({ id, iid: Uuid })
export const InvitationId = z.object({ iid: Uuid })

export const GroupQuery = z.object({
  mine: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .openapi({ type: 'boolean', description: 'Only those that I am a member of.' }),
  q: z.string().trim().min(1).max(200).optional().openapi({
    description: 'Words of slug, name and about, whole and all of them; case and accents are forgiven.',
  }),
  interestId: Uuid.optional().openapi({ description: 'Those about this interest and what is below it.' }),
  joinPolicy: joinPolicy.optional(),
})
export const MemberQuery = z.object({
  q: z.string().trim().min(1).max(100).optional().openapi({ description: 'A part of a name or username.' }),
})
export const RemovalQuery = z.object({
  ban: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .openapi({ type: 'boolean', description: 'Keeps the person out until the ban is lifted.' }),
})

export const NewGroup = z
  .object({
    name,
    slug: slug.optional(),
    about: about.optional(),
    interestId: Uuid.nullish(),
    accent: accent.optional(),
    visibility: visibility.optional(),
    joinPolicy: joinPolicy.optional(),
  })
  .openapi('NewGroup')
export const GroupChanges = z
  .object({
    name: name.optional(),
    about: about.nullish(),
    interestId: Uuid.nullish(),
    accent: accent.optional(),
    visibility: visibility.optional(),
    joinPolicy: joinPolicy.optional(),
  })
  .openapi('GroupChanges')
export const Joining = z
  .object({ message: z.string().max(5000).nullish().openapi({ description: 'Up to 500 characters.' }) })
  .optional()
export const Joined = z.object({ status: z.enum(['joined', 'pending']), requestId: Uuid.nullable() }).openapi('Joined')
export const Left = z.object({ status: z.literal('left') }).openapi('Left')
export const RoleChange = z.object({ role })
export const Invitee = z.object({ inviteeId: PersonParam })

export const Group = z
  .object({
    id: Uuid,
    slug: z.string(),
    name: z.string(),
    about: z.string(),
    interestId: Uuid.nullable(),
    accent: z.string().nullable(),
    visibility,
    joinPolicy,
    memberCount: z.int().min(0).openapi({
      description: 'Without the banned and people across a block, as in the list of members.',
    }),
    archivedAt: Timestamp.nullable(),
    createdAt: Timestamp,
    viewer: z.object({
      role: role.nullable(),
      status: z.enum(['none', 'pending', 'invited', 'member', 'banned']),
      requestId: Uuid.nullable().openapi({ description: 'My pending request to join.' }),
    }),
  })
  .openapi('Group')
export const GroupPage = Page(Group)

export const Member = z
  .object({ userId: z.string(), user: PersonCard, role, joinedAt: Timestamp })
  .openapi('GroupMember')
export const MemberPage = Page(Member)
export const BanPage = Page(
  z.object({ userId: z.string(), user: PersonCard, createdAt: Timestamp }).openapi('GroupBan'),
)
export const JoinRequest = z
  .object({
    id: Uuid,
    groupId: Uuid,
    userId: z.string(),
    user: PersonCard,
    message: z.string(),
    status: z.enum(['pending', 'approved', 'rejected', 'withdrawn', 'ended']),
    createdAt: Timestamp,
    decidedAt: Timestamp.nullable(),
  })
  .openapi('JoinRequest')
export const JoinRequestPage = Page(JoinRequest)
export const Invitation = z
  .object({
    id: Uuid,
    groupId: Uuid,
    group: z.object({ id: Uuid, slug: z.string(), name: z.string(), accent: z.string().nullable() }),
    inviterId: z.string(),
    inviter: PersonCard,
    inviteeId: z.string(),
    invitee: PersonCard,
    status: z.enum(['pending', 'accepted', 'declined', 'revoked']),
    createdAt: Timestamp,
  })
  .openapi('GroupInvitation')
export const InvitationPage = Page(Invitation)
