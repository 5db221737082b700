// Problems, their bounties and solutions. Rules are in sql/problems, visibility in policies/problems.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import {
  Accepting,
  Bounty,
  NewProblem,
  Problem,
  ProblemChanges,
  ProblemPage,
  ProblemsQuery,
  Solution,
  SolutionId,
  SolutionPage,
  SolutionText,
  SolutionVote,
} from './schemas.ts'

const over = '409 if the problem is over: `problem_solved`, `problem_closed`.'
const left = 'Also works in a group that you have left, but the answer is 404.'

/** What the feature offers, for the API's description. */
export const about = 'Problems with bounties, and their solutions.'

export default routes('problems', {
  'GET /problems': {
    summary: 'List problems, newest first',
    description: listing,
    access: 'user',
    operation: 'list_problems',
    query: ProblemsQuery,
    page: true,
    answers: { 200: ProblemPage },
    outcome: 'A page of problems with their bounties.',
  },
  'POST /problems': {
    summary: 'Create a problem',
    description:
      'A bounty is held from your wallet and goes to the author of the solution that you accept. It goes back to you if you close or delete the problem, if you accept a solution of your own, or if staff removes the problem. It also goes back soon after you are banned or erased. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_problem',
    never: ['problem_bounty'],
    body: NewProblem,
    answers: { 201: Problem },
    outcome: 'The new problem, open for solutions.',
  },
  'GET /problems/:id': {
    summary: 'Get a problem',
    description: 'Only its author sees a problem that staff removed; it has `removedAt`.',
    access: 'user',
    operation: 'get_problem',
    params: UuidId,
    answers: { 200: Problem },
    outcome: 'The problem with its bounty and accepted solution.',
  },
  'PATCH /problems/:id': {
    summary: 'Change a problem',
    description: over,
    access: 'user',
    operation: 'update_problem',
    params: UuidId,
    body: ProblemChanges,
    bodyAs: 'p_changes',
    answers: { 200: Problem },
    outcome: 'The problem after the change.',
  },
  'DELETE /problems/:id': {
    summary: 'Delete a problem',
    description:
      'Deletes the problem for everyone and permanently. Also works for a problem that is over or removed, and in ' +
      'a group that you have left. Its bounty goes back to you. 409 `problem_answered` if others have offered ' +
      'solutions.',
    access: 'user',
    operation: 'delete_problem',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The problem is deleted.',
  },
  'POST /problems/:id/bounty': {
    summary: 'Add to the bounty of a problem',
    description: `404 for a problem that staff removed. ${over}`,
    access: 'user',
    operation: 'add_bounty',
    never: ['problem_bounty'],
    params: UuidId,
    body: Bounty,
    idempotent: true,
    answers: { 200: Problem },
    outcome: 'The problem with the larger bounty.',
  },
  'POST /problems/:id/close': {
    summary: 'Close a problem without a solution',
    description: `Its bounty goes back to you. Closing it again is 409. ${left}`,
    access: 'user',
    operation: 'close_problem',
    params: UuidId,
    idempotent: true,
    answers: { 200: Problem },
    outcome: 'The closed problem; the bounty has gone back.',
  },
  'GET /problems/:id/solutions': {
    summary: 'List the solutions of a problem',
    description:
      'Lists the accepted solution first, then the others by score; with equal scores, the newest first. Leaves out people whom you cannot see. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_solutions',
    params: UuidId,
    page: true,
    answers: { 200: SolutionPage },
    outcome: 'A page of solutions with their votes.',
  },
  'POST /problems/:id/solutions': {
    summary: 'Offer a solution',
    description: over,
    access: 'user',
    operation: 'create_solution',
    params: UuidId,
    body: SolutionText,
    answers: { 201: Solution },
    outcome: 'The new solution.',
  },
  'PATCH /problems/solutions/:sid': {
    summary: 'Change your solution',
    description: over,
    access: 'user',
    operation: 'update_solution',
    params: SolutionId,
    as: { sid: 'p_id' },
    body: SolutionText,
    answers: { 200: Solution },
    outcome: 'The solution after the change.',
  },
  'DELETE /problems/solutions/:sid': {
    summary: 'Delete your solution',
    description:
      'Deletes the solution for everyone, also if the problem is over or you can no longer see it. An accepted ' +
      'solution is 409 `solution_accepted`. Deleting it again is 404.',
    access: 'user',
    operation: 'delete_solution',
    params: SolutionId,
    as: { sid: 'p_id' },
    answers: { 204: null },
    outcome: 'The solution is deleted.',
  },
  'PUT /problems/solutions/:sid/vote': {
    summary: 'Vote a solution up or down',
    description: `Your own solution is 400. The vote earns the author nothing. ${over}`,
    access: 'user',
    operation: 'vote_solution',
    params: SolutionId,
    as: { sid: 'p_id' },
    body: SolutionVote,
    answers: { 200: Solution },
    outcome: 'The solution with your vote.',
  },
  'DELETE /problems/solutions/:sid/vote': {
    summary: 'Remove your vote',
    description: `Repeating it changes nothing. If you can no longer see the solution, the vote is removed, but the answer is 404. ${over}`,
    access: 'user',
    operation: 'unvote_solution',
    params: SolutionId,
    as: { sid: 'p_id' },
    answers: { 204: null },
    outcome: 'Your vote no longer counts.',
  },
  'POST /problems/:id/solutions/:sid/accept': {
    summary: 'Accept a solution to your problem',
    description: `Solves the problem: the author of the solution gets the bounty, and earns \`reply.contribution\` in the interest of the problem. For your own solution the bounty goes back to you, and nothing is earned. 409 if the problem is already solved; 404 for a solution that you cannot see and for a problem that staff removed. ${left}`,
    access: 'user',
    operation: 'accept_solution',
    params: Accepting,
    as: { sid: 'p_solution_id' },
    idempotent: true,
    answers: { 200: Problem },
    outcome: 'The solved problem; its bounty is paid.',
  },
})
