// The most that a request of admin looks at: test/support/bounds.ts.
import { friend, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, contents, newPost, newViewer, put, record, talks } = await openBounds()

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

checkBounds([
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
])
