// The routes of posts: joins the tables of the other files of this folder. Rules are in sql/posts, visibility in
// policies/posts.sql.
import type { Table } from '../../lib/routes.ts'
import coAuthors from './co-authors.ts'
import engagement from './engagement.ts'
import links from './links.ts'
import polls from './polls.ts'
import publishing from './publishing.ts'
import replies from './replies.ts'
import reposts from './reposts.ts'
import series from './series.ts'

/** What the feature offers, for the API's description. */
export const about = 'Posts: replies, reposts, reactions, bookmarks, polls, series and co-authors.'

const table: Table = {
  feature: 'posts',
  rows: {
    ...publishing.rows,
    ...replies.rows,
    ...series.rows,
    ...engagement.rows,
    ...reposts.rows,
    ...polls.rows,
    ...coAuthors.rows,
    ...links.rows,
  },
}
export default table
