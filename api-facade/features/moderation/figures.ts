// Yearly figures about moderation. The rules: sql/moderation/75_figures.sql.
import { routes } from '../../lib/routes.ts'
import { z } from '../../lib/schemas.ts'

const Year = z.object({
  year: z.coerce.number().int().min(2000).max(2999).describe('The year, in UTC.'),
})

const Transparency = z
  .object({
    year: z.int().describe('The year, in UTC.'),
    isComplete: z
      .boolean()
      .describe('Whether everything was counted: up to 100,000 notices, decisions, appeals and closed cases.'),
    items: z
      .array(
        z.object({
          indicator: z
            .enum(['notices', 'decisions', 'appeals_pending', 'appeals_upheld', 'appeals_overturned', 'median_hours'])
            .describe(
              '`notices`: reports by people; `decisions`; `appeals_…`: appeals by what became of them; `median_hours`: from opening to closing a case.',
            ),
          category: z
            .string()
            .nullable()
            .describe('A category from `GET /reports/categories`; null if the figure is about all.'),
          action: z
            .string()
            .nullable()
            .describe('What was decided; null if the figure is not about decisions or appeals.'),
          decidedBy: z
            .enum(['staff', 'space', 'rule'])
            .nullable()
            .describe(
              'Who decided, or closed the cases: staff, those who moderate a group or guild, or a rule. Null for notices.',
            ),
          automated: z
            .boolean()
            .nullable()
            .describe('Whether a rule decided; null if the figure is not about decisions or appeals.'),
          value: z.number().describe('The count; for `median_hours`, the hours.'),
        }),
      )
      .describe('The figures.'),
  })
  .openapi('Transparency')

export default routes('moderation', {
  'GET /admin/transparency/:year': {
    summary: 'Get the figures of a year for a transparency report',
    description:
      'Counts notices by category; decisions by action, by category, by who decided, and by whether they were automated; and appeals by outcome. Also says how long staff and spaces took. Like lists for staff, the answer is CSV with `Accept: text/csv`.',
    access: 'admin',
    params: Year,
    operation: 'get_transparency',
    csv: true,
    answers: { 200: Transparency },
    outcome: 'The figures.',
  },
})
