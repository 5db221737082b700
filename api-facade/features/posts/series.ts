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
    summary: 'List your series, newest first',
    description: 'Lists only the series that you own.',
    access: 'user',
    operation: 'list_my_series',
    page: true,
    answers: { 200: SeriesPage },
    outcome: 'A page of your series.',
  },
  'POST /posts/series': {
    summary: 'Create a series',
    description:
      'A title has 1 to 200 characters, a description up to 2000. Text is trimmed. You can have at most 100 series.',
    access: 'user',
    operation: 'create_series',
    body: NewSeries,
    answers: { 201: Series },
    outcome: 'The new series, without posts.',
  },
  'POST /posts/series/:id/items': {
    summary: 'Add a post to a series, or move it',
    description:
      'Without `position` the post is added at the end; with `position`, the items from there on move back. A post that is already an item moves to the position, so this also reorders. A scheduled post can be an item, a repost cannot. A series has at most 200 items, and a post is in at most 5 series. A deleted post leaves its series. Followers who can see the item are notified once, when it is published. Limit: 300 edits of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'add_series_item',
    params: UuidId,
    body: NewSeriesItem,
    answers: { 201: SeriesItem },
    outcome: 'The post with its position in the series.',
  },
  'GET /series/:seriesId/items': {
    summary: 'Get a series and its items, in order',
    description:
      'Lists the items that you can see. `position` and `partCount` count only these, so they do not reveal others. 404 if you can see no item of the series, unless it is yours. The cursor is the id of a post, and stays valid when that post is deleted or hidden.',
    access: 'user',
    operation: 'list_series_items',
    params: SeriesIdParams,
    page: true,
    answers: { 200: SeriesParts },
    outcome: 'The series with a page of its posts.',
  },
  'POST /series/:id/follow': {
    summary: 'Follow a series to be notified of new items',
    description:
      'Repeating it changes nothing. Your own series is 400. A block in either direction ends the follow. Limit: 400 follows per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'follow_series',
    params: UuidId,
    answers: { 200: SeriesFollow },
    outcome: 'You follow the series.',
  },
  'DELETE /series/:id/follow': {
    summary: 'Unfollow a series',
    description: 'Repeating it changes nothing. Also works for a series that you can no longer see.',
    access: 'user',
    operation: 'unfollow_series',
    params: UuidId,
    answers: { 204: null },
    outcome: 'You do not follow the series.',
  },
})
