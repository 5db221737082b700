// A report with all that belongs to it. The rules: sql/admin/42_report_files.sql.
import { PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { InternalId, StaffReport, StaffUser, StaffUserDetails } from './list-schemas.ts'
import { StaffPost, StaffReply } from './reading-schemas.ts'
import { StaffContent } from './schemas.ts'
import { StaffGroup, StaffGuild } from './space-schemas.ts'

const StaffVideoComment = z
  .object({
    id: Uuid,
    videoId: Uuid,
    authorId: InternalId,
    author: PersonCard,
    body: z.string(),
    removedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('StaffVideoComment')

const Decision = z
  .object({
    action: z.string().openapi({ description: 'As in the audit log.', example: 'post.hidden' }),
    targetType: z.string(),
    targetId: z.string(),
    createdAt: Timestamp,
  })
  .openapi('StaffDecision', { description: 'What staff decided against a person.' })

export const StaffReportFile = StaffReport.extend({
  target: z
    .union([StaffPost, StaffReply, StaffContent, StaffUser, StaffGroup, StaffGuild, StaffVideoComment])
    .nullable()
    .describe('Which of these it is depends on `targetType`.'),
  author: StaffUserDetails.nullable(),
  reportsOfTarget: z.array(StaffReport),
  history: z
    .object({
      reports: z.array(StaffReport).describe('Of other things of the author.'),
      decisions: z.array(Decision).describe('What staff hid, showed again, deleted, removed or restored.'),
      bans: z.array(Decision).describe('Bans and their ends.'),
    })
    .nullable(),
}).openapi('StaffReportFile')
