// Tests the worst-case row counts of requests for the feed. See test/support/bounds.ts.
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
  SIZES,
} from '../../support/bounds.ts'

const { checkBounds, newGroup, newViewer, put } = await openBounds()

/** Begins a new block of the feed after each 50 posts, as publishing does. */
const cut = (size: number) =>
  put(`insert into app.feed_blocks (starts_at) select ${minutes('n * 50')} from generate_series(1, ${size / 50}) n
       on conflict do nothing`)

/**
 * Posts of the crowd for their inner circles, with some of one author in between. `shown` are the author's, newest
 * first.
 */
async function feedPosts(many: number, { format = 'note', visibility = 'public' } = {}) {
  const size = many * 2 // a request for the feed scans 4000
  const author = await newViewer(0)
  const title = format === 'essay' ? 'x' : null
  const made = await put<{ id: string; shown: boolean }>(
    `with made as (
       insert into app.posts (author_id, format, title, body, visibility, published_at)
       select case when ${isShown(size)} then '${author}' else ${crowd('n')} end, $1, $2, 'x',
              case when ${isShown(size)} then $3 else 'inner' end, ${minutes('n')}
       from generate_series(1, ${size}) n returning id, author_id, published_at
     ), counted as (insert into app.post_counters (post_id) select id from made)
     select id, author_id = '${author}' as shown from made order by published_at desc`,
    ...([format, title, visibility] as string[]),
  )
  await cut(size)
  return { author, all: ids(made), shown: ids(made.filter(({ shown }) => shown)) }
}

// Tests both sizes, because with the larger size alone the statistics differ, and some 4000 more entries are scanned.
const checkBoth = (bounds: Bound[]) => checkBounds(bounds, SIZES)

checkBoth([
  {
    operation: 'list_feed',
    against: 'posts of a format, for circles of others',
    most: 21_000,
    async scene(_, size) {
      const format = size === SIZES[0] ? 'thread' : 'essay'
      const { shown } = await feedPosts(size, { format })
      return { parameters: `p_format => '${format}'`, shown }
    },
  },
  {
    operation: 'list_feed',
    against: 'posts about an interest, for circles of others',
    most: 21_000,
    async scene(_, size) {
      const interest = id(
        await put<{ id: string }>(
          `insert into app.interests (slug, name, level, accent_color) values ('of-' || $1, 'x', 1, 'ink') returning id`,
          String(size),
        ),
      )
      const { all, shown } = await feedPosts(size)
      await put(
        `insert into app.post_interests (post_id, interest_id, is_primary, published_at)
         select id, $1::uuid, true, published_at from app.posts where id in (select unnest($2::text[])::uuid)`,
        interest,
        `{${all.join()}}`,
      )
      return { parameters: `p_interest_id => '${interest}'`, shown }
    },
  },
  {
    operation: 'list_feed',
    against: 'posts by followed people, for circles of others',
    most: 21_000,
    async scene(viewer, size) {
      const { author, shown } = await feedPosts(size)
      await put(
        `insert into app.follows (follower_id, following_id)
         select '${viewer}'::uuid, ${crowd('n')} from generate_series(1, ${size}) n union all select '${viewer}', '${author}'::uuid`,
      )
      return { parameters: `p_tab => 'following'`, shown }
    },
  },
  {
    operation: 'list_feed',
    against: 'posts for inner circles, by thousands of people in whose outer circles the viewer is',
    most: 50_000,
    async scene(viewer, size) {
      const { author, shown } = await feedPosts(size, { visibility: 'inner' })
      await put(
        `insert into app.audience (viewer_id, author_id, level)
         select '${viewer}'::uuid, ${crowd('n')}, 1 from generate_series(1, ${size}) n
         union all select '${viewer}', '${author}'::uuid, 2
         on conflict (viewer_id, author_id) do update set level = excluded.level`,
      )
      return { parameters: `p_tab => 'circles'`, shown }
    },
  },
  {
    operation: 'list_feed',
    against: 'posts in groups of others',
    most: 800, // the operation reads the posts to show, and no others
    async scene(_, size) {
      const group = await newGroup([])
      await cut(size)
      const journalism = size === SIZES[0]
      const made = await put<{ id: string; shown: boolean }>(
        `with made as (
           insert into app.posts (author_id, body, depth, is_journalism, space_id, published_at)
           select ${friend('1')}, 'x', ${journalism ? 0 : 5}, ${journalism},
                  case when ${isShown(size)} then null else $1::uuid end, ${minutes('n')}
           from generate_series(1, ${size}) n returning id, space_id, published_at
         ), counted as (insert into app.post_counters (post_id) select id from made)
         select id, space_id is null as shown from made order by published_at desc`,
        group,
      )
      return {
        parameters: journalism ? 'p_journalism => true' : 'p_min_depth => 5',
        shown: ids(made.filter(({ shown }) => shown)),
      }
    },
  },
  {
    operation: 'list_feed',
    against: 'posts of blocked people in hundreds of the viewer’s groups',
    most: 21_000,
    async scene(viewer, size) {
      const interest = id(
        await put<{ id: string }>(
          `insert into app.interests (slug, name, level, accent_color) values ('in-' || $1, 'x', 1, 'ink') returning id`,
          String(size),
        ),
      )
      await cut(size)
      const spaces = ids(
        await put<{ id: string }>(
          `with made as (
             insert into app.spaces (kind, slug, name) select 'group', 'many-${size}-' || n, 'x' from generate_series(1, 300) n
             returning id),
           joined as (insert into app.space_members (space_id, user_id, made_at) select id, $1::uuid, now() from made)
           select id from made`,
          viewer,
        ),
      )
      const made = await put<{ id: string; shown: boolean }>(
        `with made as (
           insert into app.posts (author_id, body, interest_id, space_id, published_at)
           select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 'x', $1,
                  ((select $2::text::uuid[]))[n % 300 + 1], ${minutes('n')}
           from generate_series(1, ${size}) n returning id, author_id, published_at
         ), counted as (insert into app.post_counters (post_id) select id from made
         ), about as (insert into app.post_interests (post_id, interest_id, is_primary) select id, $1, true from made)
         select id, author_id >= ${friend('0')} as shown from made order by published_at desc`,
        ...[interest, `{${spaces.join()}}`],
      )
      return { parameters: `p_interest_id => '${interest}'`, shown: ids(made.filter(({ shown }) => shown)) }
    },
  },
  {
    operation: 'list_changes',
    against: 'changes of posts for circles of others',
    most: 3000,
    async scene(viewer, size) {
      await put(
        `with made as (
           insert into app.posts (author_id, body, visibility) select ${crowd('n')}, 'x', 'inner' from generate_series(1, ${size}) n
           returning id)
         insert into private.changes select 'post', id, 2, now() - interval '1 hour' from made`,
      )
      const [row] = await put<{ cursor: string }>(
        `select private.place_cursor('changes', now() - interval '2 hours', $1::text::uuid) as cursor
         from (select set_config('request.jwt.claims', json_build_object('sub', $1::text)::text, true) offset 0) c`,
        viewer,
      )
      return { parameters: `'${row?.cursor}'` }
    },
  },
])
