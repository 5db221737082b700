// Schemas of groups. Rules are in sql/spaces and sql/groups.
import { AboutInterest, ActorId, ArchivedAt, Colour, SpaceAbout, SpaceName, SpaceSlug } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
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

const visibility = z
  .enum(['public', 'private'])
  .describe('`private`: only members and invited people can see that it exists.')
const joinPolicy = z
  .enum(['open', 'request', 'invite'])
  .describe('`open`: anybody joins. `request`: the owner or a moderator decides. `invite`: only invited people join.')
const role = z
  .enum(['owner', 'moderator', 'member'])
  .describe('A group has one `owner`; an archived group can have none. A `moderator` admits and removes members.')

const id = spaceId('id.group', 'The id or slug of a group.')
export const GroupId = z.object({ id })
export const GroupMember = z.object({ id, userId: PersonParam })
export const GroupRequest = z.object({ id, rid: IdParam })
export const GroupInvitation = z.object({ id, iid: IdParam })
export const InvitationId = z.object({ iid: IdParam })

export const GroupQuery = SpaceQuery.extend({
  joinPolicy: joinPolicy.optional().describe('Only groups that people join in this way.'),
})
export const RemovalQuery = z.object({
  ban: isTrue
    .optional()
    .openapi({ type: 'boolean', description: 'With `true` the person cannot join again until the ban is lifted.' }),
})

export const NewGroup = z
  .object({
    name,
    slug: newSlug('mushroom-hunters').optional(),
    about: about.optional(),
    interestId: Uuid.nullish().describe('The interest that the group is about.'),
    accent: accent.optional(),
    visibility: visibility
      .optional()
      .describe('`private`: only members and invited people can see that it exists. Default: `public`.'),
    joinPolicy: joinPolicy
      .optional()
      .describe(
        '`open`: anybody joins. `request`: the owner or a moderator decides. `invite`: only invited people join. Default: `open`.',
      ),
  })
  .openapi('NewGroup')
export const GroupChanges = z
  .object({
    name: name.optional(),
    about: about.nullish(),
    interestId: Uuid.nullish().describe('The interest that the group is about; null for none.'),
    accent: accent.optional(),
    visibility: visibility.optional(),
    joinPolicy: joinPolicy.optional(),
  })
  .openapi('GroupChanges')
export const Joined = z
  .object({
    status: z.enum(['joined', 'pending']).describe('`pending`: the owner or a moderator decides on your request.'),
    requestId: Uuid.nullable().describe('The request that is pending; null if you are a member now.'),
  })
  .openapi('Joined')
export const Left = left.openapi('Left')
export const RoleChange = z.object({ role })
export const Invitee = z.object({ inviteeId: PersonParam })

export const Group = z
  .object({
    id: Uuid,
    slug: SpaceSlug,
    name: SpaceName,
    about: SpaceAbout,
    interestId: AboutInterest,
    accent: Colour,
    visibility,
    joinPolicy,
    memberCount,
    archivedAt: ArchivedAt,
    createdAt: Timestamp,
    viewer: z
      .object({
        role: role.nullable().describe('Your role; null if you are not a member.'),
        status: z
          .enum(['none', 'pending', 'invited', 'member', 'banned'])
          .describe('`pending`: your request waits. `invited`: an invitation waits for you.'),
        requestId: Uuid.nullable().describe('The id of your pending request; null if there is none.'),
      })
      .describe('How you are connected to the group.'),
  })
  .openapi('Group')
export const GroupPage = Page(Group)

export const Member = memberWith(role).openapi('GroupMember')
export const MemberPage = Page(Member)
export const BanPage = Page(z.object({ userId: ActorId, user: PersonCard, createdAt: Timestamp }).openapi('GroupBan'))
export const JoinRequest = requestWith({ groupId: Uuid }).openapi('JoinRequest')
export const JoinRequestPage = Page(JoinRequest)
export const Invitation = z
  .object({
    id: Uuid,
    groupId: Uuid,
    group: z
      .object({ id: Uuid, slug: SpaceSlug, name: SpaceName, accent: Colour })
      .describe('The group as invited people see it.'),
    inviterId: ActorId,
    inviter: PersonCard,
    inviteeId: ActorId,
    invitee: PersonCard,
    status: z
      .enum(['pending', 'accepted', 'declined', 'revoked'])
      .describe(
        '`revoked`: the inviter, a moderator, a block or a ban ended the invitation, or the inviter may not invite any more.',
      ),
    createdAt: Timestamp,
  })
  .openapi('GroupInvitation')
export const InvitationPage = Page(Invitation)
