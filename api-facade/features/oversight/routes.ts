// Reads for staff besides its lists: why somebody sees a thing, the figures of each day, and the standing of a person.
// The rules: sql/oversight.
import { routes, type Table } from '../../lib/routes.ts'
import { AnyPersonId } from '../admin/schemas.ts'
import { Standing } from '../moderation/schemas.ts'
import { Access, AccessQuery, DailyFigures, DaysQuery } from './schemas.ts'

/** What the feature offers, for the API's description. */
export const about = 'What moderators and admins look at: who sees what and why, the figures of each day, and standing.'

const table: Table = routes('oversight', {
  'GET /admin/access': {
    summary: 'Explain why a person sees a thing or does not',
    description:
      'The rules are evaluated as if the person were the caller, so `canSee` is exact; the reasons explain it. The answer does not say who made a block. It contains nothing of the thing’s text. For a conversation it only says whether the person takes part.',
    access: 'moderator',
    operation: 'explain_access',
    query: AccessQuery,
    answers: { 200: Access },
    outcome: 'Whether the person sees the thing, and the reasons.',
  },
  'GET /admin/metrics/days': {
    summary: 'Get the figures of each day',
    description:
      'Returns at most 366 days, in UTC, including `from` and `to`. Days that are over are counted once; today is counted at most every 30 seconds.',
    access: 'moderator',
    operation: 'get_daily_figures',
    query: DaysQuery,
    answers: { 200: DailyFigures },
    outcome: 'One entry for each day.',
  },
  'GET /admin/users/:id/standing': {
    summary: 'Get the standing of a person',
    description:
      'Returns what the person reads at `GET /me/standing`: their state, strikes and the decisions about them.',
    access: 'moderator',
    operation: 'get_user_standing',
    params: AnyPersonId,
    answers: { 200: Standing },
    outcome: 'The standing, which does not say who decided.',
  },
})
export default table
