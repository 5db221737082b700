// Schemas of groups and guilds for staff. Rows are those of the view private.staff_spaces.
import { AboutInterest, ArchivedAt, Colour, SpaceAbout, SpaceName, SpaceSlug } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { memberWith, requestWith, spaceId } from '../spaces/schemas.ts'
import { narrowing } from './list-schemas.ts'

const InternalId = Uuid.describe('The internal id.')
const AnyPerson = PersonParam.describe('A UUID, an actor id or a username.')
const id = spaceId('id.space', 'The id or the slug.')
const status = z
  .enum(['active', 'archived'])
  .describe('An `archived` group or guild accepts nothing new; its members can still read it.')
const visibility = z
  .enum(['public', 'private'])
  .describe('`private`: only members and invited people can see that it exists.')

export const SpaceId = z.object({ id })
export const SpaceMember = z.object({ id, userId: AnyPerson })
export const AnyGroupRequest = z.object({ id, rid: IdParam })
export const AnyGuildRequest = z.object({ id, aid: IdParam })
export const GroupsQuery = z.object({
  visibility: visibility.optional().describe('Only groups with this visibility.'),
  status: status.optional().describe('Only groups in this state.'),
  ...narrowing,
})
export const GuildsQuery = z.object({
  status: status.optional().describe('Only guilds in this state.'),
  ...narrowing,
})

const groupRole = z
  .enum(['owner', 'moderator', 'member'])
  .describe('A group has one `owner`; an archived group can have none. A `moderator` admits and removes members.')
const guildRole = z
  .enum(['founder', 'steward', 'member'])
  .describe(
    'A guild has one `founder`; an archived guild can have none. A `steward` decides applications and moves mana.',
  )
export const GroupRole = z.object({ role: groupRole })
export const GuildRole = z.object({ role: guildRole })

const space = {
  id: Uuid,
  slug: SpaceSlug,
  name: SpaceName,
  about: SpaceAbout,
  interestId: AboutInterest,
  accent: Colour,
  status,
  memberCount: z.int().min(0).describe('The number of all members, including banned people.'),
  archivedAt: ArchivedAt,
  createdAt: Timestamp,
}
const group = {
  ...space,
  visibility,
  joinPolicy: z
    .enum(['open', 'request', 'invite'])
    .describe(
      '`open`: anybody joins. `request`: the owner or a moderator decides. `invite`: only invited people join.',
    ),
  ownerId: InternalId.nullable().describe('The internal id of the owner; null if there is none.'),
  owner: PersonCard.nullable().describe('Who owns the group; null if nobody does.'),
}
const guild = {
  ...space,
  minRep: z.int().describe('The reputation in the interest that an applicant needs.'),
  treasuryBalance: z.int().describe('Whole mana in the treasury.'),
  founderId: InternalId.nullable().describe('The internal id of the founder; null if there is none.'),
  founder: PersonCard.nullable().describe(
    'Who leads the guild; null if nobody does, as in an archived guild that everybody left.',
  ),
  stewardCount: z.int().describe('The number of stewards, without the founder.'),
}
export const StaffGroup = z.object(group).openapi('StaffGroup')
export const StaffGroupPage = Page(StaffGroup)
export const StaffGroupMember = memberWith(groupRole, InternalId).openapi('StaffGroupMember')
export const StaffGroupRequest = requestWith({}, InternalId).openapi('StaffGroupRequest')
export const StaffGroupDetails = z
  .object({
    ...group,
    members: Page(StaffGroupMember).describe('The first page of members, in the order of roles, then of joining.'),
    requests: z.array(StaffGroupRequest).describe('Pending requests to join, the newest 50.'),
  })
  .openapi('StaffGroupDetails')

export const StaffGuild = z.object(guild).openapi('StaffGuild')
export const StaffGuildPage = Page(StaffGuild)
export const StaffGuildMember = memberWith(guildRole, InternalId).openapi('StaffGuildMember')
export const StaffGuildRequest = requestWith({}, InternalId).openapi('StaffGuildRequest')
export const StaffGuildDetails = z
  .object({
    ...guild,
    members: Page(StaffGuildMember).describe('The first page of members, in the order of roles, then of joining.'),
    applications: z.array(StaffGuildRequest).describe('Pending applications, the newest 50.'),
  })
  .openapi('StaffGuildDetails')
