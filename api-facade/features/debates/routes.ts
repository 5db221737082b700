// Debates, positions and arguments. Rules are in sql/debates, visibility in policies/debates.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import {
  Argument,
  ArgumentId,
  ArgumentPage,
  ArgumentsQuery,
  Debate,
  DebateChanges,
  DebatePage,
  DebatesQuery,
  NewArgument,
  NewDebate,
  Position,
} from './schemas.ts'

const closed = 'A closed debate is read-only: 422 `debate_closed`.'
const takingBack =
  'Repeating it changes nothing. If you can no longer see the debate, the request still takes effect, but the answer is 404.'

/** What the feature offers, for the API's description. */
export const about = 'Debates: a motion, positions, and arguments with votes.'

export default routes('debates', {
  'GET /debates': {
    summary: 'List debates, newest first',
    description: listing,
    access: 'user',
    operation: 'list_debates',
    query: DebatesQuery,
    page: true,
    answers: { 200: DebatePage },
    outcome: 'A page of debates.',
  },
  'POST /debates': {
    summary: 'Create a debate',
    description:
      'Earns no reputation. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_debate',
    body: NewDebate,
    answers: { 201: Debate },
    outcome: 'The new debate, open for arguments.',
  },
  'GET /debates/:id': {
    summary: 'Get a debate',
    description: 'Only its author sees a debate that staff removed; it has `removedAt`.',
    access: 'user',
    operation: 'get_debate',
    params: UuidId,
    answers: { 200: Debate },
    outcome: 'The debate, with your position and the counts of each side.',
  },
  'PATCH /debates/:id': {
    summary: 'Change a debate',
    description: closed,
    access: 'user',
    operation: 'update_debate',
    params: UuidId,
    body: DebateChanges,
    bodyAs: 'p_changes',
    answers: { 200: Debate },
    outcome: 'The debate after the change.',
  },
  'DELETE /debates/:id': {
    summary: 'Delete a debate',
    description:
      'Deletes the debate for everyone and permanently. Also works for a closed or removed debate, and in a group ' +
      'that you have left. 409 `debate_answered` if others have posted arguments; positions and votes do not ' +
      'matter.',
    access: 'user',
    operation: 'delete_debate',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The debate is deleted.',
  },
  'POST /debates/:id/close': {
    summary: 'Close a debate',
    description: `Closes the debate before its time. ${closed} Closing it again is 422, too.`,
    access: 'user',
    operation: 'close_debate',
    params: UuidId,
    answers: { 200: Debate },
    outcome: 'The closed debate.',
  },
  'PUT /debates/:id/position': {
    summary: 'Take a position in a debate',
    description: `You can be for or against the motion, or undecided. You can change the position until the debate closes. Others only see the tally. ${closed}`,
    access: 'user',
    id: 'takeDebatePosition',
    operation: 'take_position',
    params: UuidId,
    body: Position,
    answers: { 200: Debate },
    outcome: 'The debate with your position in its counts.',
  },
  'DELETE /debates/:id/position': {
    summary: 'Remove your position',
    description: `${takingBack} ${closed}`,
    access: 'user',
    id: 'leaveDebatePosition',
    operation: 'leave_position',
    params: UuidId,
    answers: { 204: null },
    outcome: 'You have no position in the debate.',
  },
  'GET /debates/:id/arguments': {
    summary: 'List the arguments of a debate',
    description:
      'Lists arguments of all levels, or with `parentId` only the direct answers to one. Leaves out people whom you cannot see. A deleted argument that has answers remains as an empty item. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    id: 'listDebateArguments',
    operation: 'list_arguments',
    params: UuidId,
    query: ArgumentsQuery,
    page: true,
    answers: { 200: ArgumentPage },
    outcome: 'A page of arguments with their votes.',
  },
  'POST /debates/:id/arguments': {
    summary: 'Post an argument, or answer one',
    description: `Arguments have up to four levels: an answer to one on the fourth level is 422 \`argument_depth\`. In somebody else’s debate an argument earns reputation in the interest of the debate: with up to 300 characters as much as a criticism, with more as much as a contribution. ${closed}`,
    access: 'user',
    id: 'createDebateArgument',
    operation: 'create_argument',
    params: UuidId,
    body: NewArgument,
    answers: { 201: Argument },
    outcome: 'The new argument.',
  },
  'DELETE /debates/arguments/:aid': {
    summary: 'Delete your argument',
    description:
      `Deletes the argument for everyone, together with the reputation that it earned. If the argument ` +
      `has answers, an empty item remains. Deleting it again is 404. ${closed}`,
    access: 'user',
    operation: 'delete_argument',
    params: ArgumentId,
    as: { aid: 'p_id' },
    answers: { 204: null },
    outcome: 'The argument is deleted.',
  },
  'PUT /debates/arguments/:aid/vote': {
    summary: 'Vote for an argument',
    description: `Repeating it changes nothing. Your own argument is 400. The vote earns the author nothing. ${closed}`,
    access: 'user',
    operation: 'vote_argument',
    params: ArgumentId,
    as: { aid: 'p_id' },
    answers: { 200: Argument },
    outcome: 'The argument with your vote.',
  },
  'DELETE /debates/arguments/:aid/vote': {
    summary: 'Remove your vote',
    description: `${takingBack} ${closed}`,
    access: 'user',
    operation: 'unvote_argument',
    params: ArgumentId,
    as: { aid: 'p_id' },
    answers: { 204: null },
    outcome: 'Your vote no longer counts.',
  },
})
