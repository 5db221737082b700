// AI routes: sessions of five questions, and the interests that they suggest. Rules are in sql/ai.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Choices } from '../interests/schemas.ts'
import { Applied, AppliedAlias, NewAnswer, NewSession, Session, SessionId, Sessions, Suggestions } from './schemas.ts'

const byId = { id: 'p_session_id' } as const

export default routes('ai', {
  'POST /ai/sessions': {
    summary: 'Begin to reflect on a topic',
    description:
      'Answers the session with the first of its five questions. Without an answer for 24 hours it is `abandoned`; abandoned ones are deleted 30 days later. Nobody else sees a session, the staff included.',
    access: 'user',
    limit: 'reflect',
    also: ['POST /ai/reflect/start'],
    operation: 'start_ai_session',
    body: NewSession,
    answers: { 201: Session },
  },
  'POST /ai/sessions/:id/answer': {
    summary: 'Answer the question of a session',
    description:
      'Answers the session with the next question, which follows from the answers so far; after the fifth there is none. Of two answers at once to one question one counts, and the other is 409; `position` makes that certain.',
    access: 'user',
    limit: 'reflect',
    also: [{ route: 'POST /ai/reflect/:sessionId/answer', params: SessionId }],
    operation: 'answer_ai_session',
    params: UuidId,
    as: byId,
    body: NewAnswer,
    answers: { 200: Session },
  },
  'POST /ai/sessions/:id/complete': {
    summary: 'Complete a session',
    description:
      'After the fifth answer, before it 409. Repeating it changes nothing; an abandoned session stays abandoned (409).',
    access: 'user',
    operation: 'complete_ai_session',
    params: UuidId,
    as: byId,
    answers: { 200: Session },
  },
  'GET /ai/sessions': {
    summary: 'My sessions',
    description: 'Newest first, with all questions and answers.',
    access: 'user',
    operation: 'list_ai_sessions',
    page: true,
    answers: { 200: Sessions },
  },
  'POST /ai/sessions/:id/map-interests': {
    summary: 'Interests that a session suggests',
    description:
      'Up to 10 of the catalog, the surest first, by the topic and the answers so far, whatever the status. Those that are chosen already may be among them. It changes nothing.',
    access: 'user',
    also: [{ route: 'POST /ai/map-interests', params: undefined, body: SessionId }],
    operation: 'map_ai_interests',
    params: UuidId,
    as: byId,
    answers: { 200: Suggestions },
  },
  'POST /ai/sessions/:id/apply-suggestions': {
    summary: 'Choose interests that a session suggested',
    description:
      'Confirms the choice as `POST /interests/me/bulk` does, at depth and expertise 1, all or nothing; any interest of the catalog is taken. Those that are chosen already stay as they are. Answers everything that is chosen then.',
    access: 'user',
    also: [{ route: 'POST /ai/apply-suggestions', params: undefined, body: AppliedAlias }],
    operation: 'apply_ai_suggestions',
    never: ['interest_depth_out_of_range', 'interest_expertise_out_of_range', 'value_invalid'],
    params: UuidId,
    as: byId,
    body: Applied,
    answers: { 200: Choices },
  },
})
