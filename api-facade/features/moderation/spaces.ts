// Reports of things in a group or guild, for the people who moderate it. The rules:
// sql/moderation/80_space_reports.sql.
import { type Row, routes } from '../../lib/routes.ts'
import { IdParam } from '../../lib/schemas.ts'
import { GroupId } from '../groups/schemas.ts'
import { GuildId } from '../guilds/schemas.ts'
import { SpaceReason, SpaceReport, SpaceReportPage } from './space-schemas.ts'

const limit = 'Limit: 300 of these decisions per person and hour, unless the operator sets another one.'
const refused =
  'Also 404 for a case about what you wrote yourself. 409 `case_claimed` while a member of staff works on the case.'

/** The routes for a kind of space, which `who` moderate. */
function about(
  kind: 'group' | 'guild',
  Name: 'Group' | 'Guild',
  who: string,
  Id: typeof GroupId | typeof GuildId,
): Record<string, Row> {
  const params = Id.extend({ caseId: IdParam })
  const act = (p_action: string) => ({
    access: 'user' as const,
    scope: 'spaces' as const,
    operation: 'act_on_space_report' as const,
    params,
    constants: { p_kind: kind, p_action },
  })
  return {
    [`GET /${kind}s/:id/reports`]: {
      summary: `List what was reported in a ${kind}, newest first`,
      description: `Only the ${who} can read this list; others get 403. All open reports of one thing are one case. The list never says who reported, and contains no cases about what you wrote yourself. After three days staff sees the case, too. Staff sees it immediately if it has one of the categories that the operator names, or if one of the ${who} wrote the thing. A case that staff or a rule opened is not in this list.`,
      access: 'user',
      scope: 'spaces',
      operation: 'list_space_reports',
      id: `list${Name}Reports`,
      constants: { p_kind: kind },
      params: Id,
      page: true,
      answers: { 200: SpaceReportPage },
      outcome: 'A page of open cases.',
    },
    [`POST /${kind}s/:id/reports/:caseId/hide`]: {
      summary: `Hide a post or a reply that was reported in a ${kind}`,
      description:
        `Only the ${who} can do this. From then on only the author sees the post or reply, as if staff ` +
        `had hidden it. The author is notified and reads the reason, but not who decided, and can appeal to ` +
        `staff. The case closes and its reporters get a \`moderation.actioned\` notification, unless the case is ` +
        `already with staff: then it stays open until staff decides. 422 \`case_action\` for things of other ` +
        `types. ${refused} ${limit}`,
      ...act('hide'),
      id: `hideReportedIn${Name}`,
      body: SpaceReason,
      answers: { 200: SpaceReport },
      outcome: 'The case; the thing is hidden.',
    },
    [`POST /${kind}s/:id/reports/:caseId/unhide`]: {
      summary: `Show again what you hid in a ${kind}`,
      description: `Only the ${who} can do this, also in a closed case. 409 \`hidden_by_staff\` for what staff or a rule hid. Repeating it changes nothing. ${refused} ${limit}`,
      ...act('unhide'),
      id: `unhideReportedIn${Name}`,
      answers: { 200: SpaceReport },
      outcome: 'The case; the thing is visible.',
    },
    [`POST /${kind}s/:id/reports/:caseId/dismiss`]: {
      summary: `Dismiss what was reported in a ${kind}`,
      description: `Only the ${who} can do this. Closes the case, and its reporters get a \`moderation.actioned\` notification. 409 \`case_with_staff\` if the case is already with staff. ${refused} ${limit}`,
      ...act('dismiss'),
      id: `dismissReportsIn${Name}`,
      answers: { 200: SpaceReport },
      outcome: 'The closed case.',
    },
  }
}

export default routes('moderation', {
  ...about('group', 'Group', 'owner and moderators', GroupId),
  ...about('guild', 'Guild', 'founder and stewards', GuildId),
})
