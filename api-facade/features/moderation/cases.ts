// Cases and appeals for staff, and the standing of a person. The rules: sql/moderation.
import { routes } from '../../lib/routes.ts'
import { IdParam, UuidId, z } from '../../lib/schemas.ts'
import { AnyPersonId } from '../admin/schemas.ts'
import { appeal, standing } from './handlers.ts'
import {
  ActedInvitees,
  AppealsQuery,
  CaseActions,
  CaseChange,
  CaseNote,
  CasesQuery,
  Identity,
  IdentityWithAppeal,
  InviteesAction,
  InviteesQuery,
  NewCase,
  NewDecisionAppeal,
  NewProposal,
  StaffCase,
  StaffCaseFile,
  StaffCasePage,
  StaffDecisionAppeal,
  StaffDecisionAppealPage,
  StaffInviteePage,
  Standing,
  Verdict,
} from './schemas.ts'

const claimed =
  '409 `case_claimed` while somebody else has a claim. 404 `case_unknown` for a case about yourself or what you wrote.'
const audited = 'Writes an audit entry.'
const ProposalId = z.object({ id: IdParam, proposalId: IdParam })
export const unlogged =
  'Works for everybody, also for people who cannot log in because they are banned or suspended. Prove who you are ' +
  'as at a login: with address and password, with what a passkey signed, or with the one-time code of a login at ' +
  'the OpenID provider and its verifier. If the account has a second factor, the answer is 403 `factor_required` ' +
  'without a passkey or `code`. Each code can be used once. The limits are those of a login. Wrong passwords and ' +
  'codes here count together with those at a login.'

export default routes('moderation', {
  'GET /admin/cases': {
    summary: 'List cases, the most urgent first',
    description:
      'All open reports of one thing make one case. A case about a thing in a group or guild goes to its owner ' +
      'and moderators first. The case appears in this list after three days, or immediately if its category or ' +
      'its author requires it. `waiting=true` lists the cases that do not appear here yet. Cases of the same ' +
      'priority are ordered from the oldest to the newest. `q` is an id, or a part of the username or the rule. A ' +
      'page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_cases',
    query: CasesQuery,
    page: true,
    answers: { 200: StaffCasePage },
    outcome: 'A page of the queue.',
  },
  'POST /admin/cases': {
    summary: 'Open a case about something that nobody reported',
    description: `If the thing has an open case, the case gets the note. ${audited}`,
    access: 'moderator',
    operation: 'create_case',
    body: NewCase,
    answers: { 201: StaffCase },
    outcome: 'The open case of the thing.',
  },
  'GET /admin/cases/:id': {
    summary: 'Get a case with its reports, history and decisions',
    description:
      '`target` is the thing as the lists for staff show it; null for a message, whose text only the reports contain, and for what no longer exists.',
    access: 'moderator',
    operation: 'get_case',
    params: UuidId,
    answers: { 200: StaffCaseFile },
    outcome: 'The case, and the newest decisions about the person.',
  },
  'PATCH /admin/cases/:id': {
    summary: 'Change category, priority and rule of an open case',
    description: `Absent fields do not change. A new category sets its own priority, unless you give one. ${claimed} ${audited}`,
    access: 'moderator',
    operation: 'update_case',
    params: UuidId,
    body: CaseChange,
    answers: { 200: StaffCase },
    outcome: 'The case after the change.',
  },
  'POST /admin/cases/:id/claim': {
    summary: 'Claim a case',
    description: `Claims the case for 30 minutes, which begin again whenever you work on it. ${claimed} ${audited}`,
    access: 'moderator',
    operation: 'claim_case',
    params: UuidId,
    answers: { 200: StaffCase },
    outcome: 'The case, which is yours for 30 minutes.',
  },
  'POST /admin/cases/:id/release': {
    summary: 'Release a case',
    description: `Ends your claim; an admin can end anybody’s. Repeating it changes nothing. ${audited}`,
    access: 'moderator',
    operation: 'release_case',
    params: UuidId,
    answers: { 200: StaffCase },
    outcome: 'The case, which nobody has claimed.',
  },
  'POST /admin/cases/:id/notes': {
    summary: 'Add a note to a case',
    description: `Only staff reads notes. Closed cases take notes, too. ${audited}`,
    access: 'moderator',
    operation: 'add_case_note',
    params: UuidId,
    body: CaseNote,
    answers: { 201: StaffCase },
    outcome: 'The case, whose history has the note.',
  },
  'POST /admin/cases/:id/actions': {
    summary: 'Act in a case',
    description: `Does all of the actions or none. The actions close the case and settle its open reports, whose reporters get a \`moderation.actioned\` notification. Only \`unhide\`, \`restore\`, \`unlimit\` and \`unban\` do not change the case. The person concerned gets a notification and reads the reason at \`GET /me/standing\`, but not who decided. Moderators can dismiss, warn, hide and unhide; only admins can do the rest (403), but moderators can propose it. In a closed case everything but \`dismiss\` is still possible. 422 for an action that a thing of this type does not allow. ${claimed} Writes an audit entry for each action.`,
    access: 'moderator',
    operation: 'act_on_case',
    params: UuidId,
    body: CaseActions,
    answers: { 200: StaffCase },
    outcome: 'The case after the actions.',
  },
  'POST /admin/cases/:id/proposals': {
    summary: 'Propose in a case what only an admin can do',
    description: `A case has at most one open proposal. Closing the case declines the proposal. ${audited}`,
    access: 'moderator',
    operation: 'propose_in_case',
    params: UuidId,
    body: NewProposal,
    answers: { 201: StaffCase },
    outcome: 'The case, which has the proposal.',
  },
  'POST /admin/cases/:id/proposals/:proposalId/accept': {
    summary: 'Accept a proposal',
    description: `Does what was proposed, with the reason of the proposal, as \`POST /admin/cases/:id/actions\` does. You are recorded as the person who decided. ${claimed}`,
    access: 'admin',
    operation: 'accept_case_proposal',
    params: ProposalId,
    answers: { 200: StaffCase },
    outcome: 'The case after the proposed actions.',
  },
  'POST /admin/cases/:id/proposals/:proposalId/decline': {
    summary: 'Decline a proposal',
    description: `The case stays open. ${claimed} ${audited}`,
    access: 'admin',
    operation: 'decline_case_proposal',
    params: ProposalId,
    answers: { 200: StaffCase },
    outcome: 'The case without an open proposal.',
  },
  'GET /admin/users/:id/invitees': {
    summary: 'List the people whom a person invited, newest first',
    description:
      'Each item has the person’s state, their strikes, and how many people they invited themselves. `q` is an id, or a part of the username. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_invitees',
    params: AnyPersonId,
    query: InviteesQuery,
    page: true,
    answers: { 200: StaffInviteePage },
    outcome: 'A page of people.',
  },
  'POST /admin/users/:id/invitees/actions': {
    summary: 'Limit, suspend or ban people whom one person invited',
    description:
      'Applies the action to all of them or to none, with one reason, which each of them reads. 404 `invitee_unknown` if one of them was not invited by this person. Writes an audit entry for each.',
    access: 'admin',
    operation: 'act_on_invitees',
    params: AnyPersonId,
    body: InviteesAction,
    answers: { 200: ActedInvitees },
    outcome: 'The accounts after the action.',
  },
  'GET /admin/appeals': {
    summary: 'List appeals against decisions of staff, newest first',
    description:
      'Appeals about reputation are at `GET /admin/reputation/appeals`. `q` is an id, or a part of the username, the text or the answer. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_decision_appeals',
    query: AppealsQuery,
    page: true,
    answers: { 200: StaffDecisionAppealPage },
    outcome: 'A page of appeals with their decisions.',
  },
  'POST /admin/appeals/:id/resolve': {
    summary: 'Uphold or overturn a decision that a person appealed',
    description:
      `An appeal is resolved once, by somebody who could make such a decision. The person who made the ` +
      `decision gets 409 \`appeal_own_decision\` while somebody else could resolve it: a member of staff with the ` +
      `role who was active in the last 30 days. Overturning undoes what was done, and cancels its strikes. An ` +
      `action that can’t be undone, such as a deletion, stays. \`undone\` is then false. The person is notified ` +
      `and reads the answer, but not who gave it. ${audited}`,
    access: 'moderator',
    operation: 'resolve_decision_appeal',
    params: UuidId,
    body: Verdict,
    answers: { 200: StaffDecisionAppeal },
    outcome: 'The appeal with its verdict.',
  },
  'GET /me/standing': {
    summary: 'Get your standing: what staff decided about you',
    description:
      'Has the reasons, strikes and appeals. Strikes lapse after some time, and have no effect by themselves.',
    access: 'user',
    operation: 'get_standing',
    answers: { 200: Standing },
    outcome: 'Your state, your strikes and the decisions about you.',
  },
  'POST /me/standing/:id/appeal': {
    summary: 'Appeal a decision about you',
    description:
      'You can appeal each decision once (409 `decision_appealed`). If possible, somebody who did not make the ' +
      'decision resolves it. 404 for a decision that is not about you.',
    access: 'user',
    operation: 'appeal_decision',
    params: UuidId,
    body: NewDecisionAppeal,
    answers: { 201: Standing },
    outcome: 'Your standing, which has the appeal.',
  },
  'POST /auth/standing': {
    summary: 'Get your standing without logging in',
    description: unlogged,
    access: 'public',
    id: 'standingByPassword',
    pool: 'gate',
    limit: 'login',
    body: Identity,
    handler: standing,
    limits: ['login_account', 'login_device', 'login_factor'],
    calls: ['find_login', 'find_identity', 'take_passkey_challenge', 'find_standing'],
    answers: { 200: Standing },
    outcome: 'Your state, your strikes and the decisions about you.',
  },
  'POST /auth/appeal': {
    summary: 'Appeal a decision about you without logging in',
    description: `${unlogged} You can appeal each decision once.`,
    access: 'public',
    id: 'appealByPassword',
    pool: 'gate',
    limit: 'login',
    body: IdentityWithAppeal,
    handler: appeal,
    limits: ['login_account', 'login_device', 'login_factor'],
    calls: ['find_login', 'find_identity', 'take_passkey_challenge', 'appeal_by_password'],
    answers: { 201: Standing },
    outcome: 'Your standing, which has the appeal.',
  },
})
