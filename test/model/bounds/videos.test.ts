// Tests the worst-case row counts of requests about videos. See test/support/bounds.ts.
import { crowd, id, ids, minutes, openBounds, SHOWN } from '../../support/bounds.ts'

const { checkBounds, contents, nameOf, newViewer, put } = await openBounds()

/** Deletes the contents of earlier scenes, which would be in everybody's lists. */
const clearContents = () => put('delete from app.contents where true')

checkBounds([
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
    against: 'videos of blocked people, after the largest offset',
    most: 7000,
    async scene(_, size) {
      await clearContents()
      await contents(size, 'video')
      return { parameters: `p_cursor => '1000'` }
    },
  },
  {
    operation: 'list_audio',
    against: 'audio of blocked people about interests below the given one',
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
           insert into app.video_reposts (video_id, user_id) select $1::text::uuid, ${crowd('n')} from generate_series(1, ${size}) n
         ), counted as (
           update app.video_counters set likes = ${size}, reposts = ${size}, comments = ${size} where video_id = $1::text::uuid)
         insert into app.video_comments (video_id, author_id, body)
         select $1::text::uuid, ${crowd('n')}, 'x' from generate_series(1, ${size}) n`,
        video,
      )
      return { parameters: `p_id => '${video}'` }
    },
  },
])
