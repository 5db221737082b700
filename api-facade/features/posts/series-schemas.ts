// Schemas of series. Rules are in sql/posts/31_series.sql.
import { ActorId } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Post } from './schemas.ts'

export const NewSeries = z.object({
  title: z.string().describe('1 to 200 characters, one line.'),
  description: z.string().nullish().describe('What the series is about, up to 2000 characters.'),
})
export const Series = z
  .object({
    id: Uuid,
    authorId: ActorId,
    author: PersonCard,
    title: z.string().describe('The title, as its author wrote it.'),
    description: z.string().nullable().describe('What the series is about; null if its author did not say.'),
    partCount: z.int().describe('The number of items that you can see.'),
    followed: z.boolean().describe('Whether you follow the series, to be notified of new items.'),
    createdAt: Timestamp,
  })
  .openapi('Series')
export const SeriesPage = Page(Series)

export const NewSeriesItem = z.object({
  postId: Uuid.describe('A post of yours, which can be scheduled, but no repost.'),
  position: z
    .int32()
    .nullish()
    .describe('The position: from 1 to the number of the other items plus one. Default: at the end.'),
})
export const SeriesItem = z
  .object({
    seriesId: Uuid,
    position: z.int().describe('The position of the post among all items, from 1.'),
    post: Post.describe('The post at this position.'),
  })
  .openapi('SeriesItem')

export const SeriesIdParams = z.object({ seriesId: IdParam })
const SeriesPart = z.object({
  position: z.int().describe('The position of the post among the items that you can see, from 1.'),
  post: Post.describe('The post at this position.'),
})
export const SeriesParts = z
  .object({ series: Series.describe('The series without its items.'), ...Page(SeriesPart).shape })
  .openapi('SeriesParts')
export const SeriesFollow = z.object({ following: z.boolean().describe('Always `true`.') })
