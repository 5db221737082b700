// Schemas of videos and audio. Rules are in sql/videos.
import { ActorId } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, space } from '../content/schemas.ts'

const mediaUrl = z.string().openapi({
  description:
    'An http(s) URL of up to 2000 characters at a host that this instance accepts. If it contains the id of an asset, that must be a committed asset of yours of a suitable kind, and the URL becomes its `publicUrl`.',
  example: 'https://cdn.example.org/clip.mp4',
})
const caption = z.string().nullish().describe('Up to 280 characters.')
const seconds = (most: number) =>
  z.number().min(0).nullish().describe(`In seconds, kept to a thousandth; values above ${most} become ${most}.`)
const interestId = Uuid.nullish().describe('Any UUID; it need not be in the catalog.')

const thumbnailUrl = mediaUrl
  .nullish()
  .describe('Like `mediaUrl`. Default: the poster of the asset at `mediaUrl`, if it has one.')

export const NewVideo = z
  .object({ mediaUrl, thumbnailUrl, caption, durationSec: seconds(60), interestId, ...space })
  .openapi('NewVideo')
export const NewAudio = z
  .object({ mediaUrl, caption, durationSec: seconds(300), interestId, ...space })
  .openapi('NewAudio')

const recording = {
  mediaUrl: z.string().describe('The URL of the recording.'),
  caption: z.string().nullable().describe('Up to 280 characters; null if there is none.'),
}
export const Video = contentOf('video', z.null(), {
  ...recording,
  thumbnailUrl: z
    .string()
    .nullable()
    .describe('The URL of a picture to show before the video plays; null if there is none.'),
  durationSec: z.number().min(0).max(60).nullable().describe('Seconds, up to 60; null if the author did not say.'),
  likeCount: z.int().min(0).describe('How many people like the video.'),
  repostCount: z.int().min(0).describe('How often the video was reposted.'),
  commentCount: z
    .int()
    .min(0)
    .describe(
      'The number of comments. Deleted comments and those of banned people are not counted. Comments of people ' +
        'with a block between you are counted.',
    ),
  viewerHasLiked: z.boolean().describe('Whether you like the video.'),
  viewerHasReposted: z.boolean().describe('Whether you reposted the video.'),
}).openapi('Video')
export const Audio = contentOf('audio', z.null(), {
  ...recording,
  durationSec: z.number().min(0).max(300).nullable().describe('Seconds, up to 300; null if the author did not say.'),
}).openapi('Audio')
export const VideoPage = Page(Video)
export const AudioPage = Page(Audio)

export const byAuthor =
  'A page has up to 30 items. Leaves out items in groups and guilds, which have separate lists. A page scans at most 400 items, so it may be shorter and still have a next page.'

export const AboutQuery = z.object(aboutContents)
export const AuthorId = z.object({ authorId: PersonParam })

export const NewComment = z
  .object({ body: z.string().openapi({ description: '1 to 2000 characters.', example: 'Well said.' }) })
  .openapi('NewVideoComment')
export const CommentId = z.object({ commentId: IdParam })
export const Comment = z
  .object({
    id: Uuid,
    videoId: Uuid,
    authorId: ActorId,
    author: PersonCard,
    body: z.string().describe('The text, as its author wrote it.'),
    removedAt: z.null().describe('Always null: nobody sees a deleted comment.'),
    createdAt: Timestamp,
  })
  .openapi('VideoComment')
export const CommentPage = Page(Comment)
