// Schemas of the feed. Rules are in sql/feed.
import { CURSOR_LENGTH, cursorText, Moment, Page, queryInteger, Uuid, z } from '../../lib/schemas.ts'
import { PostFormat, postAnd } from '../posts/schemas.ts'

const queryFlag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean' })
export const FeedQuery = z.object({
  tab: z
    .enum(['following', 'trending', 'circles'])
    .optional()
    .describe(
      '`following`: posts of people whom you follow. `circles`: posts for circles that you can see, your own included. `trending`: public posts, by time and engagement. Default: For You, which ranks all posts that you can see.',
    ),
  journalism: queryFlag.optional().describe('With `true` only journalism; `false` filters nothing.'),
  minDepth: queryInteger(0, 5).optional().describe('Only posts of this depth or deeper: 0 (Surface) to 5 (Thesis).'),
  interestId: Uuid.optional().describe('Only posts about this interest or one below it.'),
  format: PostFormat.optional().describe('Only posts of this format.'),
  since: Moment.optional().describe('Only posts that were published after this time.'),
})
export const FeedItem = postAnd('FeedItem', {
  score: z.number().describe('The sum of the weights in `why`.'),
  why: z
    .array(
      z.object({
        factor: z
          .enum(['engagement', 'depth', 'interest', 'following', 'circle', 'boost', 'semantic', 'recency'])
          .describe('What the weight is for, as the description of `GET /feed` explains it.'),
        weight: z.number().describe('What the factor adds to `score`.'),
      }),
    )
    .describe('What makes up the score. Factors that add nothing are left out.'),
})
export const FeedPage = Page(FeedItem)

export const SyncQuery = z.object({
  after: cursorText.optional().openapi({
    type: 'string',
    maxLength: CURSOR_LENGTH,
    description: 'The `nextCursor` of the last answer that you have applied. Without it you only get a cursor.',
  }),
})
export const Sync = z.object({
  items: z
    .array(
      z.object({
        type: z
          .string()
          .describe(
            '`post`, `reply`, `person`, or a kind of content such as `video`. Ignore types that you do not know.',
          ),
        id: z.string().describe('The `id` of the thing that changed; for a person the `personId`.'),
        gone: z
          .boolean()
          .describe('True if you can no longer see it: discard your copy. False if it changed: read it again.'),
      }),
    )
    .describe('The things that changed, the oldest change first.'),
  nextCursor: z.string().describe('The cursor to send as `after` in the next call. Never null.'),
  hasMore: z.boolean().describe('Whether there are more changes to read now.'),
})
