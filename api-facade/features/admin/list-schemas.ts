// The filters of all staff lists, and the shapes of people, invite codes, circles and reports. Rows are those of the
// views private.staff_* in sql/admin.
import { reportTargets } from '../../generated/report-targets.ts'
import { Moment, Page, PersonCard, PersonParam, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'

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
  status: z.enum(['active', 'reserved', 'used', 'expired', 'revoked']).optional(),
  ownerId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffInviteCode = z
  .object({
    id: Uuid,
    code: z.string(),
    status: z.enum(['active', 'reserved', 'used', 'expired', 'revoked']),
    ownerId: InternalId,
    owner: PersonCard,
    usedById: InternalId.nullable(),
    usedBy: PersonCard.nullable(),
    usedAt: Timestamp.nullable(),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  })
  .openapi('StaffInviteCode')
export const StaffInviteCodePage = Page(StaffInviteCode)

const Role = z.enum(['user', 'moderator', 'admin'])
export const UsersQuery = z.object({
  role: Role.optional(),
  status: z.enum(['active', 'banned', 'erased']).optional(),
  ...narrowing,
})
const staffUser = {
  id: InternalId,
  user: PersonCard,
  role: Role,
  bannedAt: Timestamp.nullable(),
  erasedAt: Timestamp.nullable(),
  email: z.string(),
  emailVerifiedAt: Timestamp.nullable(),
  lastSeenAt: Timestamp.nullable(),
  createdAt: Timestamp,
}
export const StaffUser = z.object(staffUser).openapi('StaffUser')
export const StaffUserPage = Page(StaffUser)
export const StaffUserDetails = z
  .object({
    ...staffUser,
    about: z.string().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    invitedById: InternalId.nullable(),
    invitedBy: PersonCard.nullable(),
    reputation: z.number(),
    contribution: z.number(),
    balance: z.int(),
    openReports: z.int().describe('Open reports of the person, counted up to 1000.'),
  })
  .openapi('StaffUserDetails')

const CircleKind = z.enum(['general', 'family', 'work', 'inner', 'custom'])
export const CirclesQuery = z.object({ kind: CircleKind.optional(), ownerId: AnyPerson.optional(), ...narrowing })
export const StaffCirclePage = Page(
  z
    .object({
      id: Uuid,
      name: z.string(),
      kind: CircleKind,
      accent: z.string().nullable(),
      ownerId: InternalId,
      owner: PersonCard,
      memberCount: z.int(),
      createdAt: Timestamp,
    })
    .openapi('StaffCircle'),
)

const TargetType = z.enum(reportTargets)
const ReportStatus = z.enum(['open', 'reviewed', 'dismissed'])
export const ReportsQuery = z.object({
  status: ReportStatus.optional(),
  targetType: TargetType.optional(),
  reporterId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffReport = z
  .object({
    id: Uuid,
    reporterId: InternalId,
    reporter: PersonCard,
    targetType: TargetType,
    targetId: Uuid.describe('For a person the internal id.'),
    reason: z.string(),
    copy: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('What was reported, as the reporter saw it. Null if staff can see it elsewhere.'),
    status: ReportStatus,
    reviewedById: InternalId.nullable(),
    reviewedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('StaffReport')
export const StaffReportPage = Page(StaffReport)
