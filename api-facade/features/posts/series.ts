// Series and their followers. The rules: sql/posts/31_series.sql, 32_series_operations.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import {
  NewSeries,
  NewSeriesItem,
  Series,
  SeriesFollow,
  SeriesIdParams,
  SeriesItem,
  SeriesPage,
  SeriesParts,
} from './series-schemas.ts'

export default routes('posts', {
  'GET /posts/series': {
    summary: 'My series, newest first',
    access: 'user',
    operation: 'list_my_series',
    page: true,
    answers: { 200: SeriesPage },
  },
  'POST /posts/series': {
    summary: 'Make a series',
    description: 'A title of 1 to 200 characters, a description of up to 2000. Text is trimmed. At most 100 series.',
    access: 'user',
    operation: 'create_series',
    body: NewSeries,
    answers: { 201: Series },
  },
  'POST /posts/series/:id/items': {
    summary: 'Make a post an item of my series, or move the item that it is',
    description:
      'Without `position` it goes to the end; with one it stands there, and those behind it give way. A post that is an item already moves: so items are reordered. A scheduled post may be an item, a repost may not. At most 200 items, and at most 5 series for a post. A post that is deleted leaves its series. Followers who may see the item are told once, when it is out. At most 300 edits of all kinds an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'add_series_item',
    params: UuidId,
    body: NewSeriesItem,
    answers: { 201: SeriesItem },
  },
  'GET /series/:seriesId/items': {
    summary: 'A series and its items, in order',
    description:
      'The items that I may see, numbered among themselves: neither `position` nor `partCount` tells of others. A series of which I see no item is 404, unless it is mine. The cursor is the id of a post, and holds when that was deleted or hidden since.',
    access: 'user',
    operation: 'list_series_items',
    params: SeriesIdParams,
    page: true,
    answers: { 200: SeriesParts },
  },
  'POST /series/:id/follow': {
    summary: 'Follow a series, to be told of its new items',
    description:
      'Repeating it changes nothing. One’s own is 400. A block ends it, either way. At most 400 follows an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'follow_series',
    params: UuidId,
    answers: { 200: SeriesFollow },
  },
  'DELETE /series/:id/follow': {
    summary: 'Follow a series no longer',
    description: 'Repeating it changes nothing. Also of a series that I do not see any more.',
    access: 'user',
    operation: 'unfollow_series',
    params: UuidId,
    answers: { 204: null },
  },
})
