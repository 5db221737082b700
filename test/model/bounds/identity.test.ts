// Tests the worst-case row counts of requests about accounts. See test/support/bounds.ts.
import { expect } from 'vitest'
import { crowd, friend, friendly, ids, isShown, minutes, openBounds, postsOfMany } from '../../support/bounds.ts'

const { checkBounds, newPost, put, record } = await openBounds()

checkBounds([
  {
    operation: 'get_invite_tree',
    against: 'invited people whom the caller can’t see',
    most: 2500,
    async scene(viewer, size) {
      await put(`delete from app.invite_tree`) // rows of the smaller scene, because a person is invited only once
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
  ...['messages', 'polls', 'postVersions', 'notificationActors', 'messageReactions'].map((section) => ({
    operation: 'export_me',
    against: `thousands of the person's rows, of which the export returns the next ${section}`,
    most: 1000,
    async scene(viewer: string, size: number) {
      const post = await newPost(`'${viewer}'`)
      await put(`insert into app.posts (author_id, body, published_at) select '${viewer}', 'x', ${minutes('n')}
        from generate_series(1, ${size}) n`)
      await put(`insert into app.post_versions (post_id, version, body, media)
        select '${post}', n, 'x', '[]' from generate_series(1, ${size}) n`)
      const [talk] = await put<{ id: string }>(
        `insert into app.conversations (kind, title) values ('group', 'x') returning id`,
      )
      const said = await put<{ id: string }>(
        `insert into app.messages (conversation_id, number, sender_id, body, created_at)
         select '${talk?.id}', n, '${viewer}', 'x', ${minutes('n')} from generate_series(1, ${size}) n returning id`,
      )
      await put(`insert into app.message_reactions (message_id, emoji, user_id, created_at)
        select id, '❤️', '${viewer}', created_at from app.messages where sender_id = '${viewer}'`)
      const [told] = await put<{ id: string }>(`insert into app.notifications (user_id, kind, group_key)
        select '${viewer}', 'post.reacted', 'n' || n from generate_series(1, ${size}) n returning id`)
      await put(`insert into app.notification_actors (notification_id, actor_id)
        select '${told?.id}', ${crowd('n')} from generate_series(1, ${size}) n`)
      expect(said).toHaveLength(size)
      return { parameters: `p_section => '${section}'` }
    },
  })),
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
    operation: 'erase_me',
    against: 'posts, replies, videos, comments, blocks, follows, mutes and notifications of the person',
    most: 46_000,
    sizes: [3000], // after several erasures the statistics differ, and some 200 more rows are read
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
])
