// Shapes of groups. Rules are in sql/spaces and sql/groups.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import {
  about,
  accent,
  isTrue,
  left,
  memberCount,
  memberWith,
  name,
  newSlug,
  requestWith,
  SpaceQuery,
  spaceId,
} from '../spaces/schemas.ts'

const visibility = z.enum(['public', 'private'])
const joinPolicy = z.enum(['open', 'request', 'invite'])
const role = z.enum(['owner', 'moderator', 'member'])

const id = spaceId('id.group', 'The id or slug of a group.')
export const GroupId = z.object({ id })
export const GroupMember = z.object({ id, userId: PersonParam })
export const GroupRequest = z.object({ id, rid: Uuid })
export const GroupInvitation = z.object({ id, iid: Uuid })
export const InvitationId = z.object({ iid: Uuid })

export const GroupQuery = SpaceQuery.extend({ joinPolicy: joinPolicy.optional() })
export const RemovalQuery = z.object({
  ban: isTrue.optional().openapi({ type: 'boolean', description: 'Bans the person until the ban is lifted.' }),
})

export const NewGroup = z
  .object({
    name,
    slug: newSlug('mushroom-hunters').optional(),
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
export const Joined = z.object({ status: z.enum(['joined', 'pending']), requestId: Uuid.nullable() }).openapi('Joined')
export const Left = left.openapi('Left')
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
    memberCount,
    archivedAt: Timestamp.nullable(),
    createdAt: Timestamp,
    viewer: z.object({
      role: role.nullable(),
      status: z.enum(['none', 'pending', 'invited', 'member', 'banned']),
      requestId: Uuid.nullable().describe('The id of your pending request.'),
    }),
  })
  .openapi('Group')
export const GroupPage = Page(Group)

export const Member = memberWith(role).openapi('GroupMember')
export const MemberPage = Page(Member)
export const BanPage = Page(
  z.object({ userId: z.string(), user: PersonCard, createdAt: Timestamp }).openapi('GroupBan'),
)
export const JoinRequest = requestWith({ groupId: Uuid }).openapi('JoinRequest')
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
