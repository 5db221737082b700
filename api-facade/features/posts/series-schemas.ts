// Shapes of series. Rules are in sql/posts/31_series.sql.
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Post } from './schemas.ts'

export const NewSeries = z.object({ title: z.string(), description: z.string().nullish() })
export const Series = z
  .object({
    id: Uuid,
    authorId: z.string(),
    author: PersonCard,
    title: z.string(),
    description: z.string().nullable(),
    partCount: z.int().describe('The number of items that you can see.'),
    followed: z.boolean(),
    createdAt: Timestamp,
  })
  .openapi('Series')
export const SeriesPage = Page(Series)

export const NewSeriesItem = z.object({
  postId: Uuid,
  position: z.int32().nullish().describe('From 1 to the number of the other items plus one.'),
})
export const SeriesItem = z.object({ seriesId: Uuid, position: z.int(), post: Post }).openapi('SeriesItem')

export const SeriesIdParams = z.object({ seriesId: Uuid })
const SeriesPart = z.object({
  position: z.int().describe('Its position among the items that you can see, from 1.'),
  post: Post,
})
export const SeriesParts = z.object({ series: Series, ...Page(SeriesPart).shape }).openapi('SeriesParts')
export const SeriesFollow = z.object({ following: z.boolean() })
