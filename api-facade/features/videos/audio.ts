// Audio recordings. The rules: sql/videos/40_operations.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import { AboutQuery, Audio, AudioPage, AuthorId, NewAudio } from './schemas.ts'

export default routes('videos', {
  'GET /audio': {
    summary: 'Audio recordings, newest first',
    description: listing,
    access: 'user',
    operation: 'list_audio',
    query: AboutQuery,
    page: true,
    answers: { 200: AudioPage },
  },
  'POST /audio': {
    summary: 'Publish an audio recording',
    description:
      'The recording itself lies elsewhere; nothing is fetched from its address. In this instance’s own storage it is a committed asset of mine of kind `audio`. Nobody is told of it. At most 300 contents of all kinds an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'create_audio',
    body: NewAudio,
    answers: { 201: Audio },
  },
  'GET /audio/by-author/:authorId': {
    summary: 'A person’s latest 30 audio recordings',
    description: 'As one page, the newest first: those that I may see, among the person’s latest 400.',
    access: 'user',
    operation: 'list_audio_by',
    params: AuthorId,
    answers: { 200: AudioPage },
  },
  'GET /audio/:id': {
    summary: 'An audio recording',
    description: 'One that staff removed its author alone still sees, with `removedAt`.',
    access: 'user',
    operation: 'get_audio',
    params: UuidId,
    answers: { 200: Audio },
  },
  'DELETE /audio/:id': {
    summary: 'Delete my audio recording',
    description:
      'For everyone, for good; also a removed one. A second time it is 404. One of somebody else is 403 when I see it, otherwise 404.',
    access: 'user',
    operation: 'delete_audio',
    params: UuidId,
    answers: { 204: null },
  },
})
