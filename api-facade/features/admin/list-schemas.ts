// The filters of all staff lists, and schemas of people, invite codes, circles and reports. Rows are those of the
// views private.staff_* in sql/admin.

import { reportTargets } from '../../generated/report-targets.ts'
import { About, City, Colour, Country, LimitedAt, SuspendedUntil } from '../../lib/fields.ts'
import { Moment, Page, PersonCard, PersonParam, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { App } from '../apps/schemas.ts'

export const AnyPerson = PersonParam.describe('An internal id, a `personId`, an actor id or a username.')
export const InternalId = Uuid.describe('The internal id.')
export const Flag = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .openapi({ type: 'boolean' })

/** The filters of every list. */
export const narrowing = {
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .openapi({
      description: 'An id, or text to find in any letter case.',
      ...shared('q.staff'),
    }),
  from: Moment.optional().openapi({ description: 'This time or later.', ...shared('from') }),
  to: Moment.optional().openapi({ description: 'Before this time.', ...shared('to') }),
}

export const InviteCodesQuery = z.object({
  status: z.enum(['active', 'reserved', 'used', 'expired', 'revoked']).optional().describe('Only codes in this state.'),
  ownerId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffInviteCode = z
  .object({
    id: Uuid,
    code: z.string().describe('The code that a candidate enters, such as `INV-7KQ2ZM`.'),
    status: z
      .enum(['active', 'reserved', 'used', 'expired', 'revoked'])
      .describe('`reserved`: somebody is registering with it. `used` and `revoked` are final.'),
    ownerId: InternalId,
    owner: PersonCard,
    reservedUntil: Timestamp.nullable().describe('When the reservation ends; null unless it is reserved.'),
    usedById: InternalId.nullable().describe('The internal id of who registered with the code; null until then.'),
    usedBy: PersonCard.nullable().describe('Who registered with the code; null until then.'),
    usedAt: Timestamp.nullable().describe('When somebody registered with it; null until then.'),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  })
  .openapi('StaffInviteCode')
export const StaffInviteCodePage = Page(StaffInviteCode)

export const AppsQuery = z.object({ ownerId: AnyPerson.optional(), ...narrowing })
export const StaffApp = App.extend({ ownerId: InternalId, owner: PersonCard }).openapi('StaffApp')
export const StaffAppPage = Page(StaffApp)

const Role = z
  .enum(['user', 'moderator', 'admin'])
  .describe(
    'What the person may do: a `moderator` hides posts and replies and settles reports, an `admin` does everything.',
  )
export const UsersQuery = z.object({
  role: Role.optional().describe('Only people with this role.'),
  status: z
    .enum(['active', 'banned', 'suspended', 'limited', 'erased'])
    .optional()
    .describe(
      '`active`: neither banned nor erased. `banned` includes the `suspended`, whose ban ends by itself. `limited` people may be banned too.',
    ),
  ...narrowing,
})
const staffUser = {
  id: InternalId,
  user: PersonCard,
  role: Role,
  bannedAt: Timestamp.nullable().describe('When the person was banned; null if they are not banned.'),
  suspendedUntil: SuspendedUntil,
  limitedAt: LimitedAt,
  erasedAt: Timestamp.nullable().describe('When the person was erased, which is final; null if they were not.'),
  email: z.string().describe('The address with which the person logs in.'),
  emailVerifiedAt: Timestamp.nullable().describe('When the person proved that the address is theirs; null until then.'),
  lastSeenAt: Timestamp.nullable().describe('When the person last used Kith, accurate to five minutes; null if never.'),
  createdAt: Timestamp,
}
export const StaffUser = z.object(staffUser).openapi('StaffUser')
export const StaffUserPage = Page(StaffUser)
export const StaffUserDetails = z
  .object({
    ...staffUser,
    about: About,
    country: Country,
    city: City,
    invitedById: InternalId.nullable().describe(
      'The internal id of the person who invited this person; null for the first admin.',
    ),
    invitedBy: PersonCard.nullable().describe('The person who invited this person; null for the first admin.'),
    owner: PersonCard.nullable().describe('Who runs the bot and answers for it; null for people.'),
    bots: z.array(PersonCard).describe('The person’s bots, oldest first; at most 5.'),
    reputation: z.number().describe('The reputation that the person earned directly, summed over all interests.'),
    contribution: z
      .number()
      .describe('The person’s score of contribution: points for what they and the people whom they invited did.'),
    balance: z.int().describe('Whole mana in the wallet when it was last settled.'),
    openReports: z
      .int()
      .describe(
        'Open reports about the person, counted up to 1000, without reports about what they published. 0 if you are the person.',
      ),
  })
  .openapi('StaffUserDetails')

const CircleKind = z
  .enum(['general', 'family', 'work', 'inner', 'custom'])
  .describe('A label that its owner chose. It grants nothing.')
export const CirclesQuery = z.object({
  kind: CircleKind.optional().describe('Only circles with this label.'),
  ownerId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffCirclePage = Page(
  z
    .object({
      id: Uuid,
      name: z.string().describe('1 to 60 characters, one line.'),
      kind: CircleKind,
      accent: Colour,
      ownerId: InternalId,
      owner: PersonCard,
      memberCount: z.int().describe('The number of members, including banned people, without the owner.'),
      createdAt: Timestamp,
    })
    .openapi('StaffCircle'),
)

const TargetType = z.enum(reportTargets).describe('The type of what was reported.')
const ReportStatus = z
  .enum(['open', 'reviewed', 'dismissed'])
  .describe('`open` until a moderator reviews or dismisses it, which is final.')
export const ReportsQuery = z.object({
  status: ReportStatus.optional().describe('Only reports with this status.'),
  targetType: TargetType.optional().describe('Only reports of things of this type.'),
  reporterId: AnyPerson.optional(),
  waiting: Flag.optional().describe(
    '`true`: only open reports that a group or guild still decides by itself. `false`, the default: only the other reports.',
  ),
  ...narrowing,
})
export const StaffReport = z
  .object({
    id: Uuid,
    reporterId: InternalId,
    reporter: PersonCard,
    targetType: TargetType,
    targetId: Uuid.describe('The id of the thing; for a person the internal id.'),
    reason: z.string().describe('What the reporter wrote, up to 1000 characters.'),
    category: z.string().openapi({ description: 'A category from `GET /reports/categories`.', example: 'spam' }),
    copy: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('What was reported, as the reporter saw it. Null if staff can see it elsewhere.'),
    status: ReportStatus,
    reviewedById: InternalId.nullable().describe('The internal id of who settled the report; null while it is open.'),
    reviewedAt: Timestamp.nullable().describe('When the report was settled; null while it is open.'),
    createdAt: Timestamp,
  })
  .openapi('StaffReport')
export const StaffReportPage = Page(StaffReport)
