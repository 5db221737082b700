// A report with its target, its author and their history. The rules: sql/admin/42_report_files.sql.
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
    body: z.string().describe('The words as their author wrote them.'),
    removedAt: Timestamp.nullable().describe('When its author deleted it; null if they did not.'),
    createdAt: Timestamp,
  })
  .openapi('StaffVideoComment')

const Decision = z
  .object({
    action: z.string().openapi({ description: 'The action, as in the audit log.', example: 'post.hidden' }),
    targetType: z.string().describe('The type of the thing that the decision is about, as in the audit log.'),
    targetId: z.string().describe('The id of the thing that the decision is about; for a person the internal id.'),
    createdAt: Timestamp,
  })
  .openapi('StaffDecision', { description: 'What staff decided against a person.' })

export const ReportedThing = z
  .union([StaffPost, StaffReply, StaffContent, StaffUser, StaffGroup, StaffGuild, StaffVideoComment])
  .nullable()
  .describe('The reported thing, of the type in `targetType`; null for a message, and for what no longer exists.')

export const StaffReportFile = StaffReport.extend({
  target: ReportedThing,
  author: StaffUserDetails.nullable().describe('Who is responsible for the reported thing; null if unknown.'),
  reportsOfTarget: z.array(StaffReport).describe('Other reports of the same thing, the newest 50.'),
  history: z
    .object({
      reports: z.array(StaffReport).describe('Reports of other things of the author, the newest 50.'),
      decisions: z
        .array(Decision)
        .describe('What staff hid, showed again, deleted, removed or restored, the newest 50.'),
      bans: z.array(Decision).describe('Bans, suspensions, limits and their ends, the newest 50.'),
    })
    .nullable()
    .describe('Other reports and decisions about the author; null if the author is unknown.'),
}).openapi('StaffReportFile')
