// The routes of videos, together with those of audio.ts. Rules are in sql/videos, visibility in policies/content.sql.
import { routes, type Table } from '../../lib/routes.ts'
import { CursorQuery, UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import audio from './audio.ts'
import {
  AboutQuery,
  AuthorId,
  byAuthor,
  Comment,
  CommentId,
  CommentPage,
  NewComment,
  NewVideo,
  Video,
  VideoPage,
} from './schemas.ts'

const engaging =
  'Repeating it changes nothing. Returns the updated card. Limit: 2000 likes and reposts per person and hour, unless the operator sets another one (429 `writes_exceeded`). `Retry-After` says when to try again.'
const takingBack =
  'Repeating it changes nothing. If you can no longer see the video, the request still takes effect, but the answer is 404.'

const videos = routes('videos', {
  'GET /videos': {
    summary: 'List videos, newest first',
    description: `${listing} Unlike in other lists, the cursor is an offset: the number of videos before the page, up to 1000. So a video may appear twice after a new one was published, and one may be skipped after a deletion. After the first 1000, and after a short page, \`nextCursor\` is an opaque position instead. The id of a video is also accepted as a cursor.`,
    access: 'user',
    operation: 'list_videos',
    query: AboutQuery,
    page: true,
    answers: { 200: VideoPage },
    outcome: 'A page of videos.',
  },
  'POST /videos': {
    summary: 'Publish a video',
    description:
      'The file must already be stored, and nothing is fetched from its URL. A file in this instance’s own storage must be a committed asset of yours, of kind `video` for the video and of kind `image` for the thumbnail. Nobody is notified. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_video',
    limit: 'create_video',
    body: NewVideo,
    answers: { 201: Video },
    outcome: 'The new video.',
  },
  'GET /videos/by-author/:authorId': {
    summary: 'List a person’s videos, newest first',
    description: byAuthor,
    access: 'user',
    id: 'listVideosByAuthor',
    operation: 'list_videos_by',
    params: AuthorId,
    query: CursorQuery,
    answers: { 200: VideoPage },
    outcome: 'A page of the person’s videos.',
  },
  'GET /videos/:id': {
    summary: 'Get a video',
    description: 'Only its author sees a video that staff removed; it has `removedAt`.',
    access: 'user',
    operation: 'get_video',
    params: UuidId,
    answers: { 200: Video },
    outcome: 'The video with its counts.',
  },
  'DELETE /videos/:id': {
    summary: 'Delete a video',
    description:
      'Deletes the video for everyone and permanently, with its likes, reposts and comments. Also works for a ' +
      'removed video. Deleting it again is 404. Somebody else’s video is 403 if you can see it, otherwise 404.',
    access: 'user',
    operation: 'delete_video',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The video is deleted.',
  },
  'POST /videos/:id/like': {
    summary: 'Like a video',
    description: `${engaging} Nobody can like a removed video.`,
    access: 'user',
    operation: 'like_video',
    params: UuidId,
    answers: { 200: Video },
    outcome: 'The video with your like.',
  },
  'DELETE /videos/:id/like': {
    summary: 'Remove your like',
    description: takingBack,
    access: 'user',
    operation: 'unlike_video',
    params: UuidId,
    answers: { 200: Video },
    outcome: 'The video without your like.',
  },
  'POST /videos/:id/repost': {
    summary: 'Repost a video',
    description:
      `${engaging} Nobody can repost a removed video. You can repost your own video. A repost of a ` +
      `video creates no post.`,
    access: 'user',
    operation: 'repost_video',
    params: UuidId,
    answers: { 200: Video },
    outcome: 'The video with your repost.',
  },
  'DELETE /videos/:id/repost': {
    summary: 'Remove your repost',
    description: takingBack,
    access: 'user',
    operation: 'unrepost_video',
    params: UuidId,
    answers: { 200: Video },
    outcome: 'The video without your repost.',
  },
  'GET /videos/:id/comments': {
    summary: 'List comments on a video, oldest first',
    description:
      'A page has up to 200 comments, without deleted ones and those of people whom you cannot see. A page scans at most 400 comments, so it may be shorter and still have a next page.',
    access: 'user',
    operation: 'list_video_comments',
    params: UuidId,
    query: CursorQuery,
    answers: { 200: CommentPage },
    outcome: 'A page of comments.',
  },
  'POST /videos/:id/comments': {
    summary: 'Comment on a video',
    description:
      'Nobody can comment on a removed video, not even its author. Nobody is notified. Limit: 600 comments per ' +
      'person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_video_comment',
    params: UuidId,
    body: NewComment,
    answers: { 201: Comment },
    outcome: 'The new comment.',
  },
  'DELETE /videos/comments/:commentId': {
    summary: 'Delete your comment',
    description:
      'Deletes the comment for everyone; the list and the count no longer contain it. Also works if you can no longer see the video. Deleting it again is 404. Somebody else’s comment is 403 if you can see it, otherwise 404.',
    access: 'user',
    operation: 'delete_video_comment',
    params: CommentId,
    as: { commentId: 'p_id' },
    answers: { 204: null },
    outcome: 'The comment is deleted.',
  },
})

/** What the feature offers, for the API's description. */
export const about = 'Videos and audio clips.'

const table: Table = { feature: 'videos', rows: { ...videos.rows, ...audio.rows } }
export default table
