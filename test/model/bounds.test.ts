// The most that a request looks at (docs/limits.md), whoever asks and whatever was written before: each operation meets
// a hostile number of rows that it must pass over, and three times as many. What it looks at is counted, entry by entry
// of every index and row by row of every scan, never timed. A list with hidden rows is also walked to its end, by pages
// that may be short: each visible item comes once, in order, and nothing is told of the others.
import { readFileSync } from 'node:fs'
import type { TransactionSql } from 'postgres'
import { describe, expect, test } from 'vitest'
import { root } from '../../supabase/tools/schema.ts'
import { createDatabase } from '../support/database.ts'
import type { Page } from '../support/lists.ts'

const SIZES = [1000, 3000]
const SHOWN = 5

const { owner, superuser, asCaller } = await createDatabase()

type Item = Record<string, unknown>
type Scene = {
  /** The parameters of the operation, as SQL. */
  parameters: string
  /** Of a list: its items as the viewer must meet them, by `key`. */
  shown?: string[]
}
type Bound = {
  operation: string
  /** What there is more of than the operation may look at. */
  against: string
  /** The most entries and rows that one call looks at. */
  most: number
  /** How many of them, if not SIZES. */
  sizes?: number[]
  /** Whose it is, if not everybody's: the staff's, or the facade's. */
  role?: 'service_role' | 'gate'
  /** Writes `size` such rows for the viewer, and about them what is to be shown. */
  scene(viewer: string, size: number): Promise<Scene>
  /** What identifies an item; its id unless said otherwise. */
  key?(item: Item): string
}

/** Writes rows past the triggers, or thousands would take minutes. */
async function put<Row extends object>(statement: string, ...values: string[]): Promise<Row[]> {
  const { rows } = await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`set local default_statistics_target = 10` // a tenth of the rows: enough to know what is rare
    const rows = await sql.unsafe(statement, values)
    for (const [, table] of statement.matchAll(/insert into ([a-z_.]+)/g)) await sql.unsafe(`analyze ${table}`)
    return { rows: [...rows] as unknown as Row[] }
  })
  return rows
}

const person = (kind: string, n: string) => `('${kind}0000000-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
/** One of thousands of people whom a viewer does not see. */
const crowd = (n: string) => person('c', n)
/** One of the few whom everybody sees. */
const friend = (n: string) => person('f', n)
const id = (made: { id: string }[]): string => made[0]?.id ?? ''
const ids = (made: { id: string }[]): string[] => made.map((row) => row.id)

const people = (kind: string, name: string, count: number) => `
  with made as (
    insert into app.users (id, username, first_name, last_name)
    select ${person(kind, 'n')}, '${name}' || n, '${name}', 'x' from generate_series(1, ${count}) n returning id, username
  ), named as (
    insert into app.usernames (hash, username, user_id) select private.username_hash(username), username, id from made
  )
  insert into app.audience (viewer_id, author_id, level) select id, id, 3 from made`
await put(people('c', 'crowd', Math.max(...SIZES)))
await put(people('f', 'friend', 10))
await put(people('e', 'viewer', 200))

let viewers = 0
/** Somebody whom so many people of the crowd have blocked. */
async function newViewer(blockers: number): Promise<string> {
  viewers += 1
  const [viewer] = await put<{ id: string }>(`select ${person('e', String(viewers))} as id`)
  await put(
    `insert into app.audience (viewer_id, author_id, level)
     select $1::uuid, ${crowd('n')}, -1 from generate_series(1, ${blockers}) n`,
    viewer?.id ?? '',
  )
  return viewer?.id ?? ''
}

async function nameOf(who: string): Promise<string> {
  const [row] = await owner<{ name: string }[]>`select username as name from app.users where id = ${who}`
  return row?.name ?? ''
}

/** Every n-th row is to be shown, so that they lie as far apart as they can. */
const isShown = (size: number) => `n % ${size / SHOWN} = 0`
const friendly = (size: number) => `(n / ${size / SHOWN})`
const minutes = (n: string) => `now() - interval '1 year' + ${n} * interval '1 minute'`

const newPost = async (author: string, visibility = 'public') =>
  id(
    await put<{ id: string }>(
      `insert into app.posts (author_id, body, visibility) values (${author}, 'x', $1) returning id`,
      visibility,
    ),
  )

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

/** Posts of the crowd, some of them of friends. */
const postsOfMany = (size: number) => `
  insert into app.posts (author_id, body, published_at)
  select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 'x', ${minutes('n')}
  from generate_series(1, ${size}) n returning id, author_id, published_at`

/**
 * Posts of the crowd for their inner circles, with some of one author between them; blocks are cut as publishing does.
 * `shown` are the author's, newest first.
 */
async function feedPosts(many: number, { format = 'note', visibility = 'public' } = {}) {
  const size = many * 2 // a request for the feed looks at 4000
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
  await put(`insert into app.feed_blocks (starts_at) select ${minutes('n * 50')} from generate_series(1, ${size / 50}) n
             on conflict do nothing`)
  return { author, all: ids(made), shown: ids(made.filter(({ shown }) => shown)) }
}

/** Circles of the crowd and of friends with these members. */
async function memberships(size: number, ...members: string[]) {
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.circles (owner_id, name, created_at)
     select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 'x', ${minutes('n')}
     from generate_series(1, ${size}) n
     returning id, owner_id >= ${friend('0')} as shown`,
  )
  for (const member of members) {
    await put(
      `insert into app.circle_members (circle_id, owner_id, member_id, made_at)
       select id, owner_id, $1, created_at from app.circles where id in (select unnest($2::text[])::uuid)`,
      member,
      `{${ids(made).join()}}`,
    )
  }
  return ids(made.filter(({ shown }) => shown)).reverse()
}

let groups = 0
async function newGroup(): Promise<string> {
  groups += 1
  return id(
    await put<{ id: string }>(
      `insert into app.spaces (kind, slug, name) values ('group', $1, 'x') returning id`,
      `one-${groups}`,
    ),
  )
}

/** Contents of the crowd, or of one author and of them removed; some are shown. */
async function contents(size: number, kind: string, { author = '', interests = [null] as (string | null)[] } = {}) {
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.contents (kind, author_id, interest_id, removed_at, created_at)
     select $1, case when $2 <> '' then $2::uuid when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end,
            ($3::text::uuid[])[n % ${interests.length} + 1], case when $2 <> '' and not ${isShown(size)} then now() end, ${minutes('n')}
     from generate_series(1, ${size}) n
     returning id, case when $2 <> '' then removed_at is null else author_id >= ${friend('0')} end as shown`,
    kind,
    author,
    `{${interests.map((one) => one ?? 'null').join()}}`,
  )
  const all = `{${ids(made).join()}}`
  const table = kind === 'video' ? 'videos' : kind
  await put(`insert into app.${table} (id, media_url) select unnest($1::text::uuid[]), 'https://example.org'`, all)
  if (kind === 'video') await put('insert into app.video_counters (video_id) select unnest($1::text::uuid[])', all)
  return { all: ids(made), shown: ids(made.filter(({ shown }) => shown)).reverse() }
}

/** What is of earlier scenes would stand in the lists of everybody. */
const clearContents = () => put('delete from app.contents where true')

/** Groups of somebody and one of the crowd each, who has said something there. */
const talks = (viewer: string, size: number) =>
  put(
    `with made as (
       insert into app.conversations (kind, title, last_number) select 'group', 'x' || n, 1 from generate_series(1, ${size}) n
       returning id, title
     ), numbered as (select id, substr(title, 2)::integer as n from made
     ), members as (
       insert into app.conversation_members (conversation_id, user_id, latest_at)
       select id, u, ${minutes('n')} from numbered, unnest(array[$1::uuid, ${crowd('n')}]) u
     ), spans as (
       insert into app.conversation_spans (conversation_id, user_id, first_number) select id, $1::uuid, 1 from numbered)
     insert into app.messages (conversation_id, number, sender_id, body) select id, 1, ${crowd('n')}, 'x' from numbered`,
    viewer,
  )

/** A group of somebody in which many of the crowd have written, behind a first message of a friend, and some friends. */
async function messages(viewer: string, size: number) {
  const talk = id(
    await put<{ id: string }>(
      `with made as (
         insert into app.conversations (kind, title, last_number) values ('group', 'x', ${size + 1}) returning id
       ), members as (insert into app.conversation_members (conversation_id, user_id) select id, $1::uuid from made
       ), spans as (
         insert into app.conversation_spans (conversation_id, user_id, first_number) select id, $1::uuid, 1 from made)
       select id from made`,
      viewer,
    ),
  )
  const made = await put<{ id: string; friendly: boolean }>(
    `insert into app.messages (conversation_id, number, sender_id, body, created_at, changed_at)
     select '${talk}', n + 1, case when ${isShown(size)} then ${friend(`greatest(1, ${friendly(size)})`)} else ${crowd('n')} end, 'x',
            ${minutes('n')}, case when n > 0 then ${minutes('n')} end
     from generate_series(0, ${size}) n returning id, sender_id >= ${friend('0')} as friendly`,
  )
  const [first = '', ...shown] = made.filter(({ friendly }) => friendly).map(({ id }) => id)
  return { talk, first, shown }
}

/** Somebody publishes so many videos, and comments on as many. */
async function record(author: string, size: number) {
  const { all } = await contents(size, 'video', { author })
  await put(
    `with counted as (update app.video_counters set comments = 1 where video_id = any ($1::text::uuid[]))
     insert into app.video_comments (video_id, author_id, body, created_at)
     select v.id, $2::text::uuid, 'x', ${minutes('v.n')} from unnest($1::text::uuid[]) with ordinality as v (id, n)`,
    `{${all.join()}}`,
    author,
  )
}

/** Somebody who wrote so many posts, and replied to a post of a friend so often. */
async function writer(size: number): Promise<string> {
  const author = await newViewer(0)
  const post = await newPost(friend('1'))
  await put(
    `with made as (
       insert into app.posts (author_id, body, published_at)
       select '${author}', 'x', ${minutes('n')} from generate_series(1, ${size}) n returning id)
     insert into app.post_counters (post_id) select id from made`,
  )
  await put(
    `with counted as (insert into app.post_counters (post_id, replies) values ('${post}', ${size}))
     insert into app.replies (post_id, author_id, body, created_at)
     select '${post}', '${author}', 'x', ${minutes('n')} from generate_series(1, ${size}) n`,
  )
  await record(author, size)
  return author
}

const bounds: Bound[] = [
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
    against: 'replies of a kind of blocked people',
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
    against: 'posts by the followed, for circles of others',
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
    against: 'posts for the inner circles of thousands in whose circles one is',
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
    operation: 'list_posts_by',
    against: 'posts for circles, and deleted ones, of which the newest had been pinned',
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
    operation: 'list_videos',
    against: 'videos of blocked people',
    most: 2500,
    async scene(_, size) {
      await clearContents()
      return { parameters: '', shown: (await contents(size, 'video')).shown }
    },
  },
  {
    operation: 'list_videos',
    against: 'videos of blocked people, behind the deepest offset',
    most: 7000,
    async scene(_, size) {
      await clearContents()
      await contents(size, 'video')
      return { parameters: `p_cursor => '1000'` }
    },
  },
  {
    operation: 'list_audio',
    against: 'recordings of blocked people about what is below an interest',
    most: 7000,
    async scene(_, size) {
      await clearContents()
      const above = id(
        await put<{ id: string }>(
          `insert into app.interests (slug, name, level, accent_color) values ('above-' || $1, 'x', 1, 'ink') returning id`,
          String(size),
        ),
      )
      const below = await put<{ id: string }>(
        `insert into app.interests (slug, name, level, parent_id, accent_color)
         select 'under-' || $1 || '-' || n, 'x', 2, $2::text::uuid, 'ink' from generate_series(1, 30) n returning id`,
        String(size),
        above,
      )
      const { shown } = await contents(size, 'audio', { interests: [above, ...ids(below)] })
      return { parameters: `p_interest_id => '${above}'`, shown }
    },
  },
  {
    operation: 'list_videos_by',
    against: 'removed videos',
    most: 2500,
    async scene(_, size) {
      const author = await newViewer(0)
      await contents(size, 'video', { author })
      const name = await nameOf(author)
      return { parameters: `p_author_id => '${name}'` }
    },
  },
  {
    operation: 'list_video_comments',
    against: 'comments of blocked people',
    most: 3000,
    async scene(_, size) {
      const author = await newViewer(0)
      const [video = ''] = (await contents(SHOWN, 'video', { author })).shown
      await put(
        `insert into app.video_comments (video_id, author_id, body, created_at)
         select $1::text::uuid, ${crowd('n')}, 'x', ${minutes('n')} from generate_series(1, ${size}) n`,
        video,
      )
      return { parameters: `p_id => '${video}'` }
    },
  },
  {
    operation: 'delete_video',
    against: 'likes, reposts and comments',
    most: 6000,
    async scene(viewer, size) {
      const [video = ''] = (await contents(SHOWN, 'video', { author: viewer })).shown
      await put(
        `with liked as (
           insert into app.video_likes (video_id, user_id) select $1::text::uuid, ${crowd('n')} from generate_series(1, ${size}) n
         ), reposted as (
           insert into app.video_reposts (video_id, user_id) select $1::text::uuid, ${crowd('n')} from generate_series(1, ${size}) n)
         insert into app.video_comments (video_id, author_id, body)
         select $1::text::uuid, ${crowd('n')}, 'x' from generate_series(1, ${size}) n`,
        video,
      )
      return { parameters: `p_id => '${video}'` }
    },
  },
  {
    operation: 'list_contents',
    against: 'contents of another kind',
    most: 2500,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      const author = await newViewer(0)
      await contents(size, 'video', { author })
      return { parameters: `p_kind => 'audio'` }
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
  {
    operation: 'list_my_circles',
    against: 'circles of blocked people',
    most: 3000,
    async scene(viewer, size) {
      const shown = await memberships(size, viewer)
      const own = await put<{ id: string }>(
        `insert into app.circles (owner_id, name, created_at)
         values ('${viewer}', 'x', now()), ('${viewer}', 'x', now() - interval '2 years') returning id`,
      )
      const [first, last] = ids(own)
      return { parameters: '', shown: [first ?? '', ...shown, last ?? ''] }
    },
  },
  {
    operation: 'list_memberships',
    against: 'circles of blocked people',
    most: 3000,
    async scene(viewer, size) {
      return { parameters: '', shown: await memberships(size, viewer) }
    },
  },
  {
    operation: 'update_circle',
    against: 'circles that the caller belongs to',
    most: 200,
    async scene(viewer, size) {
      await memberships(size, viewer)
      const own = await put<{ id: string }>(
        `insert into app.circles (owner_id, name) values ('${viewer}', 'x') returning id`,
      )
      return { parameters: `p_id => '${id(own)}', p_changes => '{"name": "y"}'` }
    },
  },
  {
    operation: 'list_conversations',
    against: 'conversations',
    most: 4500,
    async scene(viewer, size) {
      await talks(viewer, size)
      return { parameters: '' }
    },
  },
  {
    operation: 'list_conversations',
    against: 'conversations in which blocked people have written',
    most: 5000,
    async scene(viewer, size) {
      await talks(viewer, size)
      return { parameters: `p_unread => true, p_limit => 50` }
    },
  },
  {
    operation: 'list_conversations',
    against: 'conversations with blocked people, by name',
    most: 5000,
    async scene(viewer, size) {
      await talks(viewer, size)
      return { parameters: `p_q => 'nobody', p_limit => 50` }
    },
  },
  {
    operation: 'count_unread_conversations',
    against: 'conversations in which blocked people have written',
    most: 12_000,
    async scene(viewer, size) {
      await talks(viewer, size)
      return { parameters: '' }
    },
  },
  {
    operation: 'get_conversation',
    against: 'messages of blocked people',
    most: 6000,
    async scene(viewer, size) {
      const { talk } = await messages(viewer, size)
      return { parameters: `p_id => '${talk}'` }
    },
  },
  {
    operation: 'list_messages',
    against: 'messages of blocked people',
    most: 3000,
    async scene(viewer, size) {
      const { talk, first, shown } = await messages(viewer, size)
      return { parameters: `p_id => '${talk}'`, shown: [first, ...shown].reverse() }
    },
  },
  {
    operation: 'list_messages',
    against: 'messages of blocked people since one',
    most: 3000,
    async scene(viewer, size) {
      const { talk, first, shown } = await messages(viewer, size)
      return { parameters: `p_id => '${talk}', p_after => '${first}'`, shown }
    },
  },
  {
    operation: 'list_messages',
    against: 'messages of blocked people that changed',
    most: 4000,
    async scene(viewer, size) {
      const { talk, shown } = await messages(viewer, size)
      return { parameters: `p_id => '${talk}', p_changed_since => now() - interval '2 years'`, shown }
    },
  },
  {
    operation: 'list_messages',
    against: 'times in which the person took part and nothing was said for them',
    most: 3000,
    async scene(viewer, size) {
      const { talk } = await messages(viewer, size)
      await put(`update app.conversation_spans set first_number = 2, last_number = 2 where user_id = $1::uuid`, viewer)
      await put(
        `insert into app.conversation_spans (conversation_id, user_id, first_number, last_number)
         select '${talk}', $1::uuid, n + 1, n + 1 from generate_series(2, ${size}) n where not ${isShown(size)}`,
        viewer,
      )
      return { parameters: `p_id => '${talk}'`, shown: [] }
    },
  },
  {
    operation: 'list_all_conversations',
    against: 'conversations of the other kind',
    most: 1500,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      await talks(viewer, size)
      return { parameters: `p_kind => 'direct'` }
    },
  },
  {
    operation: 'check_circles',
    against: 'circles that both belong to, of hidden people',
    most: 8000,
    async scene(viewer, size) {
      const other = await newViewer(0)
      const shared = await memberships(size, viewer, other)
      await put(
        `delete from app.circle_members where circle_id in (select unnest($1::text[])::uuid)`,
        `{${shared.join()}}`,
      )
      const name = await nameOf(other)
      return { parameters: `p_person => '${name}'` }
    },
  },
  {
    operation: 'list_circle_invitations',
    against: 'settled invitations, and pending ones of people who are hidden since',
    most: 2500,
    async scene(viewer, size) {
      const circle = id(
        await put<{ id: string }>(`insert into app.circles (owner_id, name) values ('${viewer}', 'x') returning id`),
      )
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.circle_invitations (circle_id, inviter_id, invitee_id, status, created_at)
         select '${circle}', '${viewer}',
                case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end,
                case when n % 2 = 0 or ${isShown(size)} then 'pending' else 'declined' end, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, invitee_id >= ${friend('0')} as shown`,
      )
      return { parameters: `p_id => '${circle}'`, shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_my_invitations',
    against: 'invitations of hidden people',
    most: 2500,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `with made as (
           insert into app.circles (owner_id, name, created_at)
           select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 'x', ${minutes('n')}
           from generate_series(1, ${size}) n returning id, owner_id, created_at)
         insert into app.circle_invitations (circle_id, inviter_id, invitee_id, created_at)
         select id, owner_id, '${viewer}', created_at from made
         returning id, inviter_id >= ${friend('0')} as shown`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_pending_invitations',
    against: 'pending invitations to others',
    most: 200,
    async scene(viewer, size) {
      await put(
        `insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
         select gen_random_uuid(), '${viewer}', ${crowd('n')} from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_person => 'friend1'` }
    },
  },
  {
    operation: 'list_groups',
    against: 'groups that are not looked for',
    most: 2500,
    async scene(_, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.spaces (kind, slug, name, words, created_at)
         select 'group', 'group-${size}-' || n, 'x', case when ${isShown(size)} then 'owls${size}'::tsvector else '' end, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, words <> '' as shown`,
      )
      return { parameters: `p_q => 'owls${size}'`, shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_group_members',
    against: 'members whom the caller does not see',
    most: 2500,
    async scene(_, size) {
      const group = await newGroup()
      await put(
        `insert into app.space_members (space_id, user_id, made_at, created_at)
         select '${group}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, now(), ${minutes('n')}
         from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_id => '${group}'`, shown: [1, 2, 3, 4, 5].map((n) => `acct:friend${n}@localhost`) }
    },
    key: ({ userId }) => String(userId),
  },
  {
    operation: 'list_group_requests',
    against: 'requests of people whom the caller does not see',
    most: 2500,
    async scene(viewer, size) {
      const group = await newGroup()
      await put(
        `insert into app.space_members (space_id, user_id, role, made_at) values ('${group}', '${viewer}', 'owner', now())`,
      )
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.space_requests (space_id, user_id, created_at)
         select '${group}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, user_id >= ${friend('0')} as shown`,
      )
      return { parameters: `p_id => '${group}'`, shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_followers',
    against: 'followers whom the caller does not see',
    most: 2500,
    async scene(_, size) {
      const followed = await newViewer(0)
      await put(
        `insert into app.follows (follower_id, following_id, created_at)
         select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, '${followed}', ${minutes('n')}
         from generate_series(1, ${size}) n`,
      )
      const name = await nameOf(followed)
      return { parameters: `p_person => '${name}'`, shown: [5, 4, 3, 2, 1].map((n) => `acct:friend${n}@localhost`) }
    },
  },
  {
    operation: 'list_following',
    against: 'followed people whom the caller does not see',
    most: 2500,
    async scene(_, size) {
      const follower = await newViewer(0)
      await put(
        `insert into app.follows (follower_id, following_id, created_at)
         select '${follower}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, ${minutes('n')}
         from generate_series(1, ${size}) n`,
      )
      const name = await nameOf(follower)
      return { parameters: `p_person => '${name}'`, shown: [5, 4, 3, 2, 1].map((n) => `acct:friend${n}@localhost`) }
    },
  },
  {
    operation: 'follow_stats',
    against: 'people who have blocked the caller',
    most: 6000,
    async scene() {
      return { parameters: `p_person => 'friend1'` }
    },
  },
  {
    operation: 'get_invite_tree',
    against: 'invited people whom the caller does not see',
    most: 2500,
    async scene(viewer, size) {
      await put(`delete from app.invite_tree`) // of the smaller crowd: a person is invited once
      const made = await put<{ code_id: string; shown: boolean }>(
        `insert into app.invite_tree (invitee_id, inviter_id, code_id, created_at)
         select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, '${viewer}',
                gen_random_uuid(), ${minutes('n')}
         from generate_series(1, ${size}) n
         returning code_id, invitee_id >= ${friend('0')} as shown`,
      )
      const shown = made.filter((row) => row.shown).map((row) => row.code_id)
      return { parameters: '', shown: shown.reverse() }
    },
  },
  {
    operation: 'list_my_invites',
    against: 'codes of years',
    most: 3000,
    async scene(viewer, size) {
      await put(
        `insert into app.invite_codes (code, generated_by, status, used_by, used_at)
         select 'INV-' || translate(upper(lpad(to_hex(n + ${size}), 6, 'A')), '01', 'YZ'), '${viewer}',
                case n % 2 when 0 then 'expired' else 'used' end, case n % 2 when 1 then ${crowd('n')} end,
                case n % 2 when 1 then now() end
         from generate_series(1, ${size}) n
         on conflict do nothing`,
      )
      return { parameters: '' }
    },
  },
  {
    operation: 'list_sessions',
    against: 'sessions that ended',
    most: 500,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.sessions (id, user_id, issued_at, token_hash, created_at, ended_at)
         select gen_random_uuid(), '${viewer}', 0, sha256('x'), ${minutes('n')},
                case when not ${isShown(size)} then now() end
         from generate_series(1, ${size}) n returning id, ended_at is null as shown`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_received_votes',
    against: 'votes of hidden people, and votes taken back',
    most: 2500,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact, created_at)
         select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, '${viewer}',
                (select id from app.interests order by id limit 1),
                case when n % 2 = 0 or ${isShown(size)} then 1 else 0 end, 1, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, voter_id >= ${friend('0')} as shown`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'get_reputation_details',
    against: 'entries of the ledger',
    most: 1000,
    async scene(viewer, size) {
      await put(
        `insert into app.reputation_entries (user_id, interest_id, kind, delta)
         select '${viewer}', (select id from app.interests order by id limit 1), 'reaction.received', 1
         from generate_series(1, ${size}) n`,
      )
      return { parameters: '' }
    },
  },
  {
    operation: 'list_notifications',
    against: 'hidden people who caused one',
    most: 1000,
    async scene(viewer, size) {
      const made = await put<{ id: string }>(
        `insert into app.notifications (user_id, kind, group_key, count)
         values ('${viewer}', 'post.reacted', 'x', ${size}) returning id`,
      )
      await put(
        `insert into app.notification_actors (notification_id, actor_id, created_at)
         select '${id(made)}', ${crowd('n')}, ${minutes('n')} from generate_series(1, ${size}) n`,
      )
      return { parameters: '', shown: ids(made) }
    },
  },
  ...['count_unread', 'mark_read', 'mark_read', 'list_notifications'].map(
    (operation, index): Bound => ({
      operation,
      against:
        ['unread', 'earlier unread', 'unread of a group', 'changed'].map((which) => `${which} notifications`)[index] ??
        '',
      most: [1000, 8000, 8000, 1000][index] ?? 0,
      async scene(viewer, size) {
        await put(
          `insert into app.notifications (user_id, kind, group_key, created_at)
           select '${viewer}', 'payment.received', 'x', ${minutes('n')} from generate_series(1, ${size}) n`,
        )
        return { parameters: ['', 'p_before => now()', `p_group_key => 'x'`, `p_since => 'epoch'`][index] ?? '' }
      },
    }),
  ),
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
    against: 'hearts that came and went',
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
    against: 'people who liked it',
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
  {
    operation: 'export_me',
    against: 'posts of others',
    most: 1000,
    async scene(viewer, size) {
      await put(postsOfMany(size))
      await newPost(`'${viewer}'`)
      return { parameters: `p_section => 'posts'` }
    },
  },
  {
    operation: 'block_person',
    against: 'invitations, series and co-authorships of both with others',
    most: 500,
    async scene(viewer, size) {
      const other = await newViewer(0)
      for (const one of [viewer, other]) {
        await put(
          `with sent as (
             insert into app.circle_invitations (circle_id, inviter_id, invitee_id)
             select gen_random_uuid(), '${one}', ${crowd('n')} from generate_series(1, ${size}) n
             union all select gen_random_uuid(), ${crowd('n')}, '${one}' from generate_series(1, ${size}) n
           ), made as (
             insert into app.series (author_id, title)
             select ${crowd('n')}, 'x' from generate_series(1, ${size}) n returning id
           ), followed as (
             insert into app.series_follows (series_id, user_id) select id, '${one}' from made
           ), published as (
             insert into app.posts (author_id, body) select ${crowd('n')}, 'x' from generate_series(1, ${size}) n
             union all select '${one}', 'x' from generate_series(1, ${size}) n
             returning id, author_id)
           insert into app.post_co_authors (post_id, author_id, user_id, split_share)
           select id, author_id, '${one}', 1 from published where author_id <> '${one}'`,
        )
      }
      const name = await nameOf(other)
      return { parameters: `p_person => '${name}'` }
    },
  },
  {
    operation: 'ban_person',
    against: 'posts, replies, videos and comments of the person',
    most: 24_000,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      const author = await writer(size)
      return { parameters: `p_id => '${author}', p_reason => 'x'` }
    },
  },
  {
    operation: 'unban_person',
    against: 'posts, replies, videos and comments of the person',
    most: 24_000,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      const author = await writer(size)
      await put(`update app.users set banned_at = now() where id = $1`, author)
      for (const table of ['posts', 'replies'])
        await put(`update app.${table} set author_banned = true where author_id = $1`, author)
      for (const table of ['contents', 'video_comments'])
        await put(`update app.${table} set author_silent = true where author_id = $1`, author)
      return { parameters: `p_id => '${author}'` }
    },
  },
  {
    operation: 'erase_me',
    against: 'posts, replies, videos, comments, blocks, follows, mutes and notifications of the person',
    most: 38_000,
    sizes: [3000], // one erasure after another meets other statistics, and some 200 more
    role: 'gate',
    async scene(viewer, size) {
      const post = await newPost(friend('1'))
      await put(`insert into private.credentials (user_id, password_hash) values ($1, 'hash')`, viewer)
      await record(viewer, size)
      await put(
        `with made as (
           insert into app.posts (author_id, body, published_at)
           select '${viewer}', 'x', ${minutes('n')} from generate_series(1, ${size}) n returning id)
         insert into app.post_counters (post_id) select id from made`,
      )
      await put(
        `with counted as (insert into app.post_counters (post_id, replies) values ('${post}', ${size}))
         insert into app.replies (post_id, author_id, body, created_at)
         select '${post}', '${viewer}', 'x', ${minutes('n')} from generate_series(1, ${size}) n`,
      )
      await put(
        `with blocked as (
           insert into app.blocks (blocker_id, blocked_id)
           select ${crowd('n')}, '${viewer}'::uuid from generate_series(1, ${size}) n
         ), followed as (
           insert into app.follows (follower_id, following_id)
           select ${crowd('n')}, '${viewer}'::uuid from generate_series(1, ${size}) n
         ), muted as (
           insert into app.mutes (muter_id, muted_id)
           select ${crowd('n')}, '${viewer}'::uuid from generate_series(1, ${size}) n
         ), told as (
           insert into app.notifications (user_id, kind, group_key)
           select ${crowd('n')}, 'post.reacted', 'x' from generate_series(1, ${size}) n returning id
         ), caused as (
           insert into app.notification_actors (notification_id, actor_id) select id, '${viewer}' from told)
         insert into app.notifications (user_id, kind, group_key)
         select '${viewer}', 'post.reacted', 'x' from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_password_hash => 'hash'` }
    },
  },
]

/** What this transaction has looked at so far: entries of indexes, and rows of scans. */
async function looked(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)::integer as count
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'i', 'm') and n.nspname in ('app', 'private', 'pgboss')`
  return row?.count ?? 0
}

/** Calls the operation as this person: what it answers as text, and what it looked at. */
async function call(viewer: string, operation: string, parameters: string, role?: Bound['role']) {
  return asCaller({ sub: viewer, role: role === 'service_role' ? 'admin' : 'user' }, async (sql) => {
    if (role) await sql`select set_config('role', ${role}, true)`
    const before = await looked(sql)
    const [row] = await sql.unsafe<{ answer: string }[]>(`select api.${operation}(${parameters})::text as answer`)
    return { answer: row?.answer ?? '', work: (await looked(sql)) - before }
  })
}

/** A cursor of private.place_cursor. */
const place = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/

/** Walks a list to its end, by pages of 50. */
async function walk({ operation, key = (item) => String(item.id) }: Bound, viewer: string, { parameters }: Scene) {
  const shown: string[] = []
  const texts: string[] = []
  let most = 0
  let next: string | null = null
  do {
    const more: string = [parameters, 'p_limit => 50', next && `p_cursor => '${next}'`].filter(Boolean).join(', ')
    const { answer, work } = await call(viewer, operation, more)
    const page: Page<Item> = JSON.parse(answer)
    expect(page.hasMore).toBe(page.nextCursor !== null)
    shown.push(...page.items.map(key))
    texts.push(answer)
    most = Math.max(most, work)
    next = page.nextCursor
    // it names an item that was shown, says how many were, or names none
    if (next !== null && !shown.includes(next) && !/^\d+$/.test(next)) expect(next).toMatch(place)
  } while (next !== null)
  return { shown, text: texts.join(), most }
}

describe.each(bounds)('$operation against $against', (bound) => {
  test.each(bound.sizes ?? SIZES)('%i of them cost no more than it says', async (size) => {
    const viewer = await newViewer(size)
    const scene = await bound.scene(viewer, size)
    if (!scene.shown) {
      expect((await call(viewer, bound.operation, scene.parameters, bound.role)).work).toBeLessThanOrEqual(bound.most)
      return
    }
    const { shown, text, most } = await walk(bound, viewer, scene)
    expect(shown).toEqual(scene.shown)
    expect(text).not.toContain('crowd')
    expect(most).toBeLessThanOrEqual(bound.most)
  })
})

test('docs/limits.md has every operation, each once', async () => {
  const rows = readFileSync(`${root}/docs/limits.md`, 'utf8').matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm)
  const named = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
  const operations = await owner<{ name: string }[]>`
    select proname as name from pg_proc where pronamespace = 'api'::regnamespace order by 1`
  expect(named.sort()).toEqual(operations.map(({ name }) => name))
})
