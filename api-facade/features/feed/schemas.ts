// Shapes of the feed. Rules are in sql/feed.
import { Page, queryInteger, Uuid, z } from '../../lib/schemas.ts'
import { PostFormat, postAnd } from '../posts/schemas.ts'

const queryFlag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean' })
export const FeedQuery = z.object({
  tab: z.enum(['following', 'trending', 'circles']).optional(),
  journalism: queryFlag.optional(),
  minDepth: queryInteger(0, 5).optional(),
  interestId: Uuid.optional().openapi({ description: 'Only posts about this interest or one below it.' }),
  format: PostFormat.optional(),
})
export const FeedItem = postAnd('FeedItem', {
  score: z.number().openapi({ description: 'The sum of the weights in `why`.' }),
  why: z.array(
    z.object({
      factor: z.enum(['engagement', 'depth', 'interest', 'following', 'circle', 'boost', 'semantic', 'recency']),
      weight: z.number(),
    }),
  ),
})
export const FeedPage = Page(FeedItem)
