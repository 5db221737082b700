// Shapes of groups and guilds for staff. Rows are those of the view private.staff_spaces.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { memberWith, requestWith, spaceId } from '../spaces/schemas.ts'
import { narrowing } from './list-schemas.ts'

const InternalId = Uuid.describe('The internal id.')
const AnyPerson = PersonParam.describe('A UUID, an actor id or a username.')
const id = spaceId('id.space', 'The id or the slug.')
const status = z.enum(['active', 'archived'])
const visibility = z.enum(['public', 'private'])

export const SpaceId = z.object({ id })
export const SpaceMember = z.object({ id, userId: AnyPerson })
export const AnyGroupRequest = z.object({ id, rid: Uuid })
export const AnyGuildRequest = z.object({ id, aid: Uuid })
export const GroupsQuery = z.object({ visibility: visibility.optional(), status: status.optional(), ...narrowing })
export const GuildsQuery = z.object({ status: status.optional(), ...narrowing })

const groupRole = z.enum(['owner', 'moderator', 'member'])
const guildRole = z.enum(['founder', 'steward', 'member'])
export const GroupRole = z.object({ role: groupRole })
export const GuildRole = z.object({ role: guildRole })

const space = {
  id: Uuid,
  slug: z.string(),
  name: z.string(),
  about: z.string(),
  interestId: Uuid.nullable(),
  accent: z.string().nullable(),
  status,
  memberCount: z.int().min(0).describe('The number of all members, including banned people.'),
  archivedAt: Timestamp.nullable(),
  createdAt: Timestamp,
}
const group = {
  ...space,
  visibility,
  joinPolicy: z.enum(['open', 'request', 'invite']),
  ownerId: InternalId.nullable(),
  owner: PersonCard.nullable(),
}
const guild = {
  ...space,
  minRep: z.int(),
  treasuryBalance: z.int(),
  founderId: InternalId.nullable(),
  founder: PersonCard.nullable(),
  stewardCount: z.int().describe('The number of stewards, without the founder.'),
}
export const StaffGroup = z.object(group).openapi('StaffGroup')
export const StaffGroupPage = Page(StaffGroup)
export const StaffGroupMember = memberWith(groupRole, InternalId).openapi('StaffGroupMember')
export const StaffGroupRequest = requestWith({}, InternalId).openapi('StaffGroupRequest')
export const StaffGroupDetails = z
  .object({ ...group, members: Page(StaffGroupMember), requests: z.array(StaffGroupRequest) })
  .openapi('StaffGroupDetails')

export const StaffGuild = z.object(guild).openapi('StaffGuild')
export const StaffGuildPage = Page(StaffGuild)
export const StaffGuildMember = memberWith(guildRole, InternalId).openapi('StaffGuildMember')
export const StaffGuildRequest = requestWith({}, InternalId).openapi('StaffGuildRequest')
export const StaffGuildDetails = z
  .object({ ...guild, members: Page(StaffGuildMember), applications: z.array(StaffGuildRequest) })
  .openapi('StaffGuildDetails')
