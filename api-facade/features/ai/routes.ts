// AI routes: sessions of five questions, and the interests that they suggest. Rules are in sql/ai.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Choices } from '../interests/schemas.ts'
import { answer } from './answering.ts'
import {
  Applied,
  AppliedAlias,
  Draft,
  Enhanced,
  NewAnswer,
  NewSession,
  Session,
  SessionId,
  Sessions,
  Suggestions,
} from './schemas.ts'
import { enhancePost, mapInterests } from './suggesting.ts'

const byId = { id: 'p_session_id' } as const

export default routes('ai', {
  'POST /ai/sessions': {
    summary: 'Begin to reflect on a topic',
    description:
      'Answers the session with the first of its five questions, in English where the script asks: nothing says which language a person reads. Without an answer for 24 hours it is `abandoned`; abandoned ones are deleted 30 days later. Nobody else sees a session, the staff included.',
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
      'Answers the session with the next question, which follows from the answers so far; after the fifth there is none. Where a language model asks, the answer is server-sent events: `data: {"text"}` while it speaks, then `event: done` with the session, whose question is the one that counts: a model that fails, is too slow or has spent my tokens of the day leaves it to the script, and the turn says `fallback`. `event: error` with an Error stands in its place where nothing could be written any more. Who goes away before that has not seen the question, and answers again. Of two answers at once to one question one counts, and the other is 409; `position` makes that certain.',
    access: 'user',
    limit: 'reflect',
    also: [{ route: 'POST /ai/reflect/:sessionId/answer', params: SessionId }],
    handler: answer,
    calls: ['answer_ai_session', 'begin_ai_answer', 'finish_ai_answer'],
    params: UuidId,
    body: NewAnswer,
    answers: { 200: Session },
    streams: 'What the model says, as `data: {"text": "…"}` each; at last `event: done` with the session as `data`.',
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
      'Up to 10 of the catalog, the surest first, by the topic and the answers so far, whatever the status: by words, and by a language model where there is one. Those that are chosen already may be among them. It changes nothing.',
    access: 'user',
    also: [{ route: 'POST /ai/map-interests', params: undefined, body: SessionId }],
    handler: mapInterests,
    calls: ['map_ai_interests', 'find_ai_mapping', 'reserve_ai_tokens', 'settle_ai_tokens'],
    params: UuidId,
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
  'POST /ai/enhance-post': {
    summary: 'A post as it might be',
    description:
      'A suggestion: nothing is stored or overwritten. Where there is a language model it improves up to 10,000 bytes, as many letters of English; else, and where the model fails or my tokens of the day are spent, small repairs that change no word.',
    access: 'user',
    limit: 'enhance_post',
    handler: enhancePost,
    calls: ['reserve_ai_tokens', 'settle_ai_tokens'],
    body: Draft,
    answers: { 200: Enhanced },
  },
})
