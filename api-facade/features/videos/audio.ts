// Audio recordings. The rules: sql/videos/40_operations.sql.
import { routes } from '../../lib/routes.ts'
import { CursorQuery, UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import { AboutQuery, Audio, AudioPage, AuthorId, byAuthor, NewAudio } from './schemas.ts'

export default routes('videos', {
  'GET /audio': {
    summary: 'List audio recordings, newest first',
    description: listing,
    access: 'user',
    operation: 'list_audio',
    query: AboutQuery,
    page: true,
    answers: { 200: AudioPage },
    outcome: 'A page of recordings.',
  },
  'POST /audio': {
    summary: 'Publish an audio recording',
    description:
      'The file must already be stored, and nothing is fetched from its URL. A file in this instance’s own storage must be a committed asset of yours of kind `audio`. Nobody is notified. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_audio',
    body: NewAudio,
    answers: { 201: Audio },
    outcome: 'The new recording.',
  },
  'GET /audio/by-author/:authorId': {
    summary: 'List a person’s audio recordings, newest first',
    description: byAuthor,
    access: 'user',
    id: 'listAudioByAuthor',
    operation: 'list_audio_by',
    params: AuthorId,
    query: CursorQuery,
    answers: { 200: AudioPage },
    outcome: 'A page of the person’s recordings.',
  },
  'GET /audio/:id': {
    summary: 'Get an audio recording',
    description: 'Only its author sees a recording that staff removed; it has `removedAt`.',
    access: 'user',
    operation: 'get_audio',
    params: UuidId,
    answers: { 200: Audio },
    outcome: 'The recording.',
  },
  'DELETE /audio/:id': {
    summary: 'Delete an audio recording',
    description:
      'Deletes the recording for everyone and permanently. Also works for a removed recording. Deleting it again ' +
      'is 404. Somebody else’s recording is 403 if you can see it, otherwise 404.',
    access: 'user',
    operation: 'delete_audio',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The recording is deleted.',
  },
})
