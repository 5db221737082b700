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

/** What the feature offers, for the API's description. */
export const about = 'The assistant: a guided conversation that suggests interests.'

export default routes('ai', {
  'POST /ai/sessions': {
    summary: 'Start a session on a topic',
    description:
      'Returns the session with the first of its five questions. Questions from the script are in English, because nothing says which language a person reads. After 24 hours without an answer the session is `abandoned`, and 30 days later it is deleted. Nobody else sees its topic, questions and answers, not even staff.',
    access: 'user',
    limit: 'reflect',
    also: ['POST /ai/reflect/start'],
    operation: 'start_ai_session',
    body: NewSession,
    answers: { 201: Session },
    outcome: 'The session with its first question.',
  },
  'POST /ai/sessions/:id/answer': {
    summary: 'Answer the current question of a session',
    description:
      'Returns the session with the next question, which builds on the answers so far; after the fifth answer there is none. If a language model asks, the response is a stream of server-sent events: `data: {"text"}` while it writes, then `event: done` with the session. Only the question in that session counts. If the model fails or is too slow, or if you have used up your tokens of the day, the script asks instead, and the turn has `fallback`. If the question could not be stored, the last event is `event: error` with an Error instead of `done`. A client that disconnects before the end has not seen the question and must answer again. If several answers to one question are sent at the same time, exactly one is accepted, and the others get 409. Send `position`, so that a late answer is not taken for an answer to the next question.',
    access: 'user',
    id: 'answerAiSession',
    limit: 'reflect',
    also: [{ route: 'POST /ai/reflect/:sessionId/answer', params: SessionId }],
    handler: answer,
    calls: ['answer_ai_session', 'begin_ai_answer', 'finish_ai_answer'],
    params: UuidId,
    body: NewAnswer,
    answers: { 200: Session },
    outcome: 'The session with the next question, which is null after the fifth answer.',
    streams:
      'What the model writes, as `data: {"text": "…"}` events, and at the end `event: done` with the session as `data`.',
  },
  'POST /ai/sessions/:id/complete': {
    summary: 'Complete a session',
    description:
      'You can do this after the fifth answer; before that, it is 409. Repeating it changes nothing. An abandoned ' +
      'session stays abandoned (409).',
    access: 'user',
    operation: 'complete_ai_session',
    params: UuidId,
    as: byId,
    answers: { 200: Session },
    outcome: 'The completed session with all questions and answers.',
  },
  'GET /ai/sessions': {
    summary: 'List your sessions',
    description: 'Lists the newest first, with all questions and answers.',
    access: 'user',
    operation: 'list_ai_sessions',
    page: true,
    answers: { 200: Sessions },
    outcome: 'A page of your sessions.',
  },
  'POST /ai/sessions/:id/map-interests': {
    summary: 'Suggest interests for a session',
    description:
      'Returns up to 10 interests of the catalog, best match first. The session can have any status. The ' +
      'interests are found by the words of the topic and the answers, or by a language model if the instance has ' +
      'one. The result can include interests that you have already chosen. Nothing is stored.',
    access: 'user',
    id: 'mapAiInterests',
    also: [{ route: 'POST /ai/map-interests', params: undefined, body: SessionId }],
    handler: mapInterests,
    calls: ['map_ai_interests', 'find_ai_mapping', 'reserve_ai_tokens', 'settle_ai_tokens'],
    params: UuidId,
    answers: { 200: Suggestions },
    outcome: 'The suggested interests, and whether a model suggested them.',
  },
  'POST /ai/sessions/:id/apply-suggestions': {
    summary: 'Choose interests after a session',
    description:
      'Works like `POST /interests/me/bulk` with depth and expertise 1: all or nothing, and any interest of the catalog is accepted. Interests that you have already chosen do not change. Returns all your interests.',
    access: 'user',
    also: [{ route: 'POST /ai/apply-suggestions', params: undefined, body: AppliedAlias }],
    operation: 'apply_ai_suggestions',
    never: ['interest_depth_out_of_range', 'interest_expertise_out_of_range', 'value_invalid'],
    params: UuidId,
    as: byId,
    body: Applied,
    answers: { 200: Choices },
    outcome: 'Your interests after the choice.',
  },
  'POST /ai/enhance-post': {
    summary: 'Suggest an improved post',
    description:
      'Stores and overwrites nothing. A language model, if the instance has one, improves drafts of up to 10,000 bytes (10,000 letters in English). Otherwise, and if the model fails or you have used up your tokens of the day, the suggestion has small repairs that change no word.',
    access: 'user',
    id: 'enhancePost',
    limit: 'enhance_post',
    handler: enhancePost,
    calls: ['reserve_ai_tokens', 'settle_ai_tokens'],
    body: Draft,
    answers: { 200: Enhanced },
    outcome: 'The improved title and body, and what was changed.',
  },
})
