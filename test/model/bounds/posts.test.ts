// Tests the worst-case row counts of requests about posts. See test/support/bounds.ts.
import {
  type Bound,
  crowd,
  friend,
  friendly,
  id,
  ids,
  isShown,
  minutes,
  openBounds,
  postsOfMany,
} from '../../support/bounds.ts'

const { checkBounds, nameOf, newGroup, newPost, newViewer, put } = await openBounds()

/** Replies of blocked people, of one kind, to a post or to one of its replies. */
async function replies(size: number, { answers = false, kind = 'reply' } = {}) {
  const post = await newPost(friend('1'))
  const parent = answers
    ? id(
        await put<{ id: string }>(
          `insert into app.replies (post_id, author_id, body) values ($1, ${friend('1')}, 'x') returning id`,
          post,
        ),
      )
    : null
  const shown = await put<{ id: string }>(
    `with made as (
       insert into app.replies (post_id, author_id, parent_id, kind, body, created_at)
       select '${post}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end,
              ${parent ? `'${parent}'::uuid` : 'null'}, '${kind}', repeat('x', 100), ${minutes('n')}
       from generate_series(1, ${size}) n returning id, author_id, created_at)
     select id from made where author_id < ${crowd('0')} or author_id > ${crowd('1000000')} order by created_at`,
  )
  return { post, parent, shown: ids(shown) }
}

checkBounds([
  {
    operation: 'job_publish_scheduled',
    against: 'due posts of banned people',
    most: 20,
    role: 'worker',
    async scene(_, size) {
      await put(`insert into app.posts (author_id, body, publish_at, author_banned)
                 select ${crowd('n')}, 'x', ${minutes('n')}, true from generate_series(1, ${size}) n`)
      return { parameters: '' }
    },
  },
  {
    operation: 'list_replies',
    against: 'replies of blocked people',
    most: 1500,
    async scene(_, size) {
      const { post, shown } = await replies(size)
      return { parameters: `p_id => '${post}'`, shown }
    },
  },
  {
    operation: 'list_replies',
    against: 'replies of one kind by blocked people',
    most: 1500,
    async scene(_, size) {
      const { post, shown } = await replies(size, { kind: 'criticism' })
      return { parameters: `p_id => '${post}', p_kind => 'criticism'`, shown }
    },
  },
  {
    operation: 'list_replies',
    against: 'answers of blocked people',
    most: 1500,
    async scene(_, size) {
      const { post, parent, shown } = await replies(size, { answers: true })
      return { parameters: `p_id => '${post}', p_parent_id => '${parent}'`, shown }
    },
  },
  {
    operation: 'list_replies',
    against: 'answers of another kind',
    most: 1500,
    async scene(_, size) {
      const { post, parent } = await replies(size, { answers: true })
      await put(
        `insert into app.replies (post_id, author_id, kind, body)
         select '${post}', ${friend('2')}, 'reaction', 'x' from generate_series(1, ${size}) n`,
      )
      const shown = await put<{ id: string }>(
        `insert into app.replies (post_id, author_id, parent_id, kind, body)
         values ('${post}', ${friend('1')}, '${parent}', 'reaction', 'x') returning id`,
      )
      return { parameters: `p_id => '${post}', p_parent_id => '${parent}', p_kind => 'reaction'`, shown: ids(shown) }
    },
  },
  {
    operation: 'get_post',
    against: 'replies of blocked people',
    most: 1500,
    async scene(_, size) {
      const { post } = await replies(size)
      return { parameters: `p_id => '${post}'` }
    },
  },
  {
    operation: 'get_post',
    against: 'series of others',
    most: 100,
    async scene(_, size) {
      const post = await newPost(friend('1'))
      await put(
        `with made as (
           insert into app.series (author_id, title) select ${crowd('n')}, 'x' from generate_series(1, ${size}) n returning id
         ) insert into app.series_items (series_id, post_id, position) select id, gen_random_uuid(), 1 from made`,
      )
      await put(
        `insert into app.series_items (series_id, post_id, position) select id, '${post}', 2 from app.series limit 1`,
      )
      return { parameters: `p_id => '${post}'` }
    },
  },
  {
    operation: 'list_bookmarks',
    against: 'bookmarks of hidden posts',
    most: 2500,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `with made as (${postsOfMany(size)}), kept as (
           insert into app.bookmarks (user_id, post_id, created_at) select '${viewer}', id, published_at from made)
         select id, author_id >= ${friend('0')} as shown from made order by published_at desc`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)) }
    },
  },
  {
    operation: 'list_space_posts',
    against: 'posts of blocked people in a group',
    most: 2500,
    async scene(viewer, size) {
      const group = await newGroup([viewer])
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.posts (author_id, body, space_id, published_at)
         select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 'x', $1, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, author_id >= ${friend('0')} as shown`,
        group,
      )
      return { parameters: `p_group_id => '${group}'`, shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_scheduled_posts',
    against: 'posts in a group that the author left',
    most: 2500,
    async scene(viewer, size) {
      const group = await newGroup([])
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.posts (author_id, body, space_id, publish_at, published_at)
         select '${viewer}', 'x', case when ${isShown(size)} then null else $1::uuid end, ${minutes('n')}, null
         from generate_series(1, ${size}) n returning id, space_id is null as shown`,
        group,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)) }
    },
  },
  {
    operation: 'list_posts_by',
    against: 'posts for circles, and deleted ones, the newest of which had been pinned',
    most: 2500,
    async scene(_, size) {
      const author = await newViewer(0)
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.posts (author_id, body, visibility, published_at, deleted_at, pinned_at)
         select '${author}', 'x', case when ${isShown(size)} then 'public' else 'circles' end, ${minutes('n')},
                case when (n % 2 = 1 or n > ${size / 2}) and not ${isShown(size)} then now() end,
                case when n > ${size / 2} and not ${isShown(size)} then now() end
         from generate_series(1, ${size}) n returning id, visibility = 'public' as shown`,
      )
      const name = await nameOf(author)
      return { parameters: `p_username => '${name}'`, shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_scheduled_posts',
    against: 'scheduled posts that were deleted',
    most: 1000,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.posts (author_id, body, publish_at, published_at, deleted_at)
         select '${viewer}', 'x', now() + n * interval '1 minute', null, case when not ${isShown(size)} then now() end
         from generate_series(1, ${size}) n returning id, deleted_at is null as shown`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)) }
    },
  },
  ...['quote', 'repost'].map(
    (format): Bound => ({
      operation: 'update_post',
      against: `${format}s of the post`,
      most: 5000,
      async scene(viewer, size) {
        const post = await newPost(`'${viewer}'`)
        await put(
          `insert into app.posts (author_id, format, body, quoted_post_id)
           select ${crowd('n')}, $1, case $1 when 'quote' then 'x' else '' end, '${post}' from generate_series(1, ${size}) n`,
          format,
        )
        return { parameters: `p_id => '${post}', p_changes => '{"visibility": "circles"}'` }
      },
    }),
  ),
  {
    operation: 'delete_post',
    against: 'hearts that were added and removed',
    most: 1000,
    async scene(viewer, size) {
      const post = await newPost(`'${viewer}'`)
      await put(
        `insert into app.reputation_entries (user_id, interest_id, kind, delta, source_id, earned_from)
         select '${viewer}', (select id from app.interests order by id limit 1), 'reaction.received', 1, $1, ${friend('1')}
         from generate_series(1, ${size}) n`,
        post,
      )
      return { parameters: `p_id => '${post}'` }
    },
  },
  {
    operation: 'delete_post',
    against: 'people who reacted to it',
    most: 12_000,
    async scene(viewer, size) {
      const post = await newPost(`'${viewer}'`)
      await put(
        `insert into app.reputation_entries (user_id, interest_id, kind, delta, source_id, earned_from)
         select '${viewer}', (select id from app.interests order by id limit 1), 'reaction.received', 1, $1, ${crowd('n')}
         from generate_series(1, ${size}) n`,
        post,
      )
      return { parameters: `p_id => '${post}'` }
    },
  },
])
