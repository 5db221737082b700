// Debates, where people stand in them, and arguments. Rules are in sql/debates, visibility in policies/debates.sql.
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

const closed = 'A closed debate can only be read: 422 `debate_closed`.'
const takingBack =
  'Repeating it changes nothing. It also works where I no longer see the debate, which is answered with 404 all the same.'

export default routes('debates', {
  'GET /debates': {
    summary: 'Debates, newest first',
    description: listing,
    access: 'user',
    operation: 'list_debates',
    query: DebatesQuery,
    page: true,
    answers: { 200: DebatePage },
  },
  'POST /debates': {
    summary: 'Open a debate',
    description:
      'Earns nothing. At most 300 contents of all kinds an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'create_debate',
    body: NewDebate,
    answers: { 201: Debate },
  },
  'GET /debates/:id': {
    summary: 'A debate',
    description: 'One that staff removed its author alone still sees, with `removedAt`.',
    access: 'user',
    operation: 'get_debate',
    params: UuidId,
    answers: { 200: Debate },
  },
  'PATCH /debates/:id': {
    summary: 'Change my debate',
    description: closed,
    access: 'user',
    operation: 'update_debate',
    params: UuidId,
    body: DebateChanges,
    bodyAs: 'p_changes',
    answers: { 200: Debate },
  },
  'DELETE /debates/:id': {
    summary: 'Delete my debate',
    description:
      'For everyone, for good; also a closed or removed one, and one in a group that I have left. Where others argue in it, it is 409 `debate_answered`; positions and votes hold up nothing.',
    access: 'user',
    operation: 'delete_debate',
    params: UuidId,
    answers: { 204: null },
  },
  'POST /debates/:id/close': {
    summary: 'Close my debate',
    description: `Before its time. ${closed} So is a second time.`,
    access: 'user',
    operation: 'close_debate',
    params: UuidId,
    answers: { 200: Debate },
  },
  'PUT /debates/:id/position': {
    summary: 'Take a side, or say that I am undecided',
    description: `It may change until the debate closes. Others see only the tally. ${closed}`,
    access: 'user',
    operation: 'take_position',
    params: UuidId,
    body: Position,
    answers: { 200: Debate },
  },
  'DELETE /debates/:id/position': {
    summary: 'Take my position back',
    description: `${takingBack} ${closed}`,
    access: 'user',
    operation: 'leave_position',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /debates/:id/arguments': {
    summary: 'The arguments of a debate',
    description:
      'Of all levels; with `parentId` the direct answers to one. Without those of people whom I do not see; of a deleted one that was answered its place stays. A page looks at 400 and may be short.',
    access: 'user',
    operation: 'list_arguments',
    params: UuidId,
    query: ArgumentsQuery,
    page: true,
    answers: { 200: ArgumentPage },
  },
  'POST /debates/:id/arguments': {
    summary: 'Argue, or answer an argument',
    description: `Arguments stand on four levels: an answer to one of the fourth is 422 \`argument_depth\`. In the debate of somebody else it earns as a reply does, in the debate’s interest: up to 300 characters as a criticism, beyond as a contribution. ${closed}`,
    access: 'user',
    operation: 'create_argument',
    params: UuidId,
    body: NewArgument,
    answers: { 201: Argument },
  },
  'DELETE /debates/arguments/:aid': {
    summary: 'Delete my argument',
    description: `For everyone, with what it earned; where it was answered, its place stays without words. A second time it is 404. ${closed}`,
    access: 'user',
    operation: 'delete_argument',
    params: ArgumentId,
    as: { aid: 'p_id' },
    answers: { 204: null },
  },
  'PUT /debates/arguments/:aid/vote': {
    summary: 'Find an argument helpful',
    description: `Repeating it changes nothing. One’s own is 400. It earns its author nothing. ${closed}`,
    access: 'user',
    operation: 'vote_argument',
    params: ArgumentId,
    as: { aid: 'p_id' },
    answers: { 200: Argument },
  },
  'DELETE /debates/arguments/:aid/vote': {
    summary: 'Take my vote back',
    description: `${takingBack} ${closed}`,
    access: 'user',
    operation: 'unvote_argument',
    params: ArgumentId,
    as: { aid: 'p_id' },
    answers: { 204: null },
  },
})
