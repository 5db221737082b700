// Schemas of what was reported in a group or guild. The rules: sql/moderation/80_space_reports.sql.
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const Category = z.string().openapi({ description: 'A category from `GET /reports/categories`.', example: 'spam' })

export const SpaceReason = z
  .object({
    reason: z.string().trim().max(1000).nullish().describe('The reason that the author reads, up to 1000 characters.'),
  })
  .optional()
export const SpaceReport = z
  .object({
    id: Uuid,
    targetType: z.string().openapi({ description: 'The type of the thing.', example: 'post' }),
    targetId: Uuid,
    author: PersonCard.nullable().describe('Who wrote the thing; null if you cannot see them.'),
    title: z.string().nullable().describe('The title of the thing; null if it has none, or is deleted.'),
    excerpt: z.string().nullable().describe('The first 1000 characters of its text; null if it is deleted.'),
    hidden: z.boolean().describe('Whether the thing is hidden from everybody but its author.'),
    category: Category,
    reportCount: z.int().describe('How many reports belong to the case.'),
    reports: z
      .array(
        z.object({
          category: Category,
          reason: z.string().describe('The reason, in the words of the person who reported it.'),
        }),
      )
      .describe('The newest 20 reports, without the people who made them.'),
    withStaff: z.boolean().describe('Whether staff already has the case. Then only staff can close it.'),
    status: z.enum(['open', 'closed']).describe('A closed case stays closed: a new report opens another one.'),
    outcome: z.enum(['acted', 'dismissed']).nullable().describe('How the case was closed; null while it is open.'),
    createdAt: Timestamp,
  })
  .openapi('SpaceReport')
export const SpaceReportPage = Page(SpaceReport)
