// Videos and audio. Rules are in sql/videos, visibility in policies/content.sql.
import { routes, type Table } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import audio from './audio.ts'
import {
  AboutQuery,
  AuthorId,
  Comment,
  CommentId,
  CommentPage,
  NewComment,
  NewVideo,
  Video,
  VideoPage,
} from './schemas.ts'

const engaging =
  'Repeating it changes nothing. Answers the card as it is then. At most 2000 likes and reposts an hour and person, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.'
const takingBack =
  'Repeating it changes nothing. It also works on a video that I no longer see, which is answered with 404 all the same.'

const videos = routes('videos', {
  'GET /videos': {
    summary: 'Videos, newest first',
    description: `${listing} Unlike that of other lists the cursor is an offset: the number of videos before the page, up to 1000, so that a video that comes in between is met again and one that goes may be passed over. Behind the first 1000, and behind a page that is short because much was passed over, \`nextCursor\` is a place instead; a video’s id is taken as a cursor too.`,
    access: 'user',
    operation: 'list_videos',
    query: AboutQuery,
    page: true,
    answers: { 200: VideoPage },
  },
  'POST /videos': {
    summary: 'Publish a video',
    description:
      'The video itself lies elsewhere; nothing is fetched from its address. In this instance’s own storage it is a committed asset of mine of kind `video`, the thumbnail one of kind `image`. Nobody is told of it. At most 300 contents of all kinds an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'create_video',
    limit: 'create_video',
    body: NewVideo,
    answers: { 201: Video },
  },
  'GET /videos/by-author/:authorId': {
    summary: 'A person’s latest 30 videos',
    description: 'As one page, the newest first: those that I may see, among the person’s latest 400.',
    access: 'user',
    operation: 'list_videos_by',
    params: AuthorId,
    answers: { 200: VideoPage },
  },
  'GET /videos/:id': {
    summary: 'A video',
    description: 'One that staff removed its author alone still sees, with `removedAt`.',
    access: 'user',
    operation: 'get_video',
    params: UuidId,
    answers: { 200: Video },
  },
  'DELETE /videos/:id': {
    summary: 'Delete my video',
    description:
      'For everyone, for good, with its likes, reposts and comments; also a removed one. A second time it is 404. A video of somebody else is 403 when I see it, otherwise 404.',
    access: 'user',
    operation: 'delete_video',
    params: UuidId,
    answers: { 204: null },
  },
  'POST /videos/:id/like': {
    summary: 'Like a video',
    description: `${engaging} A removed video takes none.`,
    access: 'user',
    operation: 'like_video',
    params: UuidId,
    answers: { 200: Video },
  },
  'DELETE /videos/:id/like': {
    summary: 'Take my like back',
    description: takingBack,
    access: 'user',
    operation: 'unlike_video',
    params: UuidId,
    answers: { 200: Video },
  },
  'POST /videos/:id/repost': {
    summary: 'Repost a video',
    description: `${engaging} A removed video takes none. One’s own may be reposted: a repost of a video only counts, and is no post.`,
    access: 'user',
    operation: 'repost_video',
    params: UuidId,
    answers: { 200: Video },
  },
  'DELETE /videos/:id/repost': {
    summary: 'Take my repost back',
    description: takingBack,
    access: 'user',
    operation: 'unrepost_video',
    params: UuidId,
    answers: { 200: Video },
  },
  'GET /videos/:id/comments': {
    summary: 'Comments on a video, oldest first',
    description:
      'The first 200 as one page, without those that were taken back and those of people whom I do not see; 400 are looked at.',
    access: 'user',
    operation: 'list_video_comments',
    params: UuidId,
    answers: { 200: CommentPage },
  },
  'POST /videos/:id/comments': {
    summary: 'Comment on a video',
    description:
      'A removed video takes none, not even from its author. Nobody is told of it. At most 600 an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'create_video_comment',
    params: UuidId,
    body: NewComment,
    answers: { 201: Comment },
  },
  'DELETE /videos/comments/:commentId': {
    summary: 'Take my comment back',
    description:
      'For everyone; it leaves the list and the count. It also works where I no longer see the video. A second time it is 404. A comment of somebody else is 403 when I see it, otherwise 404.',
    access: 'user',
    operation: 'delete_video_comment',
    params: CommentId,
    as: { commentId: 'p_id' },
    answers: { 204: null },
  },
})

const table: Table = { feature: 'videos', rows: { ...videos.rows, ...audio.rows } }
export default table
