// Tests the worst-case row counts of requests of staff. See test/support/bounds.ts.
import { crowd, friend, ids, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, contents, newGroup, newPost, newViewer, put, record, talks } = await openBounds()

/** A person who wrote `size` posts, and replied `size` times to a post of a friend. */
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

/** Makes the viewer an admin, writes `size` rows, and asks for rows that don't exist, to the end of the list. */
const none =
  (parameters: string, write: (viewer: string, size: number) => Promise<unknown>) =>
  async (viewer: string, size: number) => {
    await put(`update app.users set role = 'admin' where id = $1`, viewer)
    await write(viewer, size)
    return { parameters, shown: [] }
  }

/** An audit log of `size` entries, chained as private.audit chains them. */
async function chained(viewer: string, size: number) {
  await put(`update app.users set role = 'admin' where id = $1`, viewer)
  // Truncated and not deleted: an index would keep deleted rows while an older transaction is open
  await put(`truncate app.audit_details, app.audit_log cascade`)
  await put(
    `with recursive chain as (
       select null::app.audit_log as e, 0 as n
       union all
       select jsonb_populate_record(w.e, jsonb_build_object('hash', private.audit_hash(w.e))), w.n
       from (select (n + 1, 'x', '${viewer}', 'y', 'z', now(), (e).hash, null, null, null, null)::app.audit_log as e, n + 1 as n
             from chain where n < ${size}) w)
     insert into app.audit_log select (e).* from chain where n > 0`,
  )
  return { parameters: '' }
}

checkBounds([
  {
    operation: 'list_users',
    against: 'people of other names',
    most: 1300,
    role: 'service_role',
    // the crowd exists already, and its last person has this name
    async scene(viewer, size) {
      const scene = await none(`p_q => 'crowd1 '`, async () => {})(viewer, size)
      return { ...scene, shown: ids(await put<{ id: string }>(`select ${crowd('1')} as id`)) }
    },
  },
  {
    operation: 'list_users',
    against: 'people who are not banned',
    most: 100,
    role: 'service_role',
    scene: none(`p_status => 'banned'`, async () => {}),
  },
  {
    operation: 'list_all_spaces',
    against: 'groups that are not archived',
    most: 2100, // the operation reads each of the 400 rows with its owner, and no two have the same owner
    role: 'service_role',
    scene: none(`p_kind => 'group', p_status => 'archived'`, (_viewer, size) =>
      put(`insert into app.spaces (kind, slug, name, created_at)
           select 'group', 'group-${size}-' || n, 'x', ${minutes('n')} from generate_series(1, ${size}) n`),
    ),
  },
  {
    operation: 'get_any_space',
    against: 'members and pending requests',
    most: 900,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      const group = await newGroup([])
      await put(
        `with asked as (
           insert into app.space_requests (space_id, user_id, created_at)
           select '${group}', ${crowd('n')}, ${minutes('n')} from generate_series(1, ${size / 2}) n)
         insert into app.space_members (space_id, user_id, made_at, created_at)
         select '${group}', ${crowd('n')}, now(), ${minutes('n')} from generate_series(${size / 2} + 1, ${size}) n`,
      )
      return { parameters: `p_kind => 'group', p_id => '${group}', p_limit => 50` }
    },
  },
  {
    operation: 'list_all_posts',
    against: 'posts of another format',
    most: 1300,
    role: 'service_role',
    scene: none(`p_format => 'essay', p_q => 'y'`, (_viewer, size) => writer(size)),
  },
  {
    operation: 'list_all_posts',
    against: 'posts that are not hidden',
    most: 100,
    role: 'service_role',
    scene: none('p_hidden => true', (_viewer, size) => writer(size)),
  },
  {
    operation: 'list_all_replies',
    against: 'replies of the person, without the word in the query',
    most: 1300,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      return { parameters: `p_author_id => '${await writer(size)}', p_q => 'y'`, shown: [] }
    },
  },
  {
    operation: 'list_reports',
    against: 'reports of other kinds',
    most: 1300,
    role: 'service_role',
    scene: none(`p_status => 'open', p_target_type => 'video'`, (_viewer, size) =>
      put(
        `insert into app.reports (reporter_id, target_type, target_id, reason)
         select ${crowd('n')}, 'post', gen_random_uuid(), 'x' from generate_series(1, ${size}) n`,
      ),
    ),
  },
  {
    operation: 'list_audit_log',
    against: 'entries of an admin about other things',
    most: 2500,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      await put(`delete from app.audit_details`)
      await put(`delete from app.audit_log`)
      await put(
        `insert into app.audit_log (id, action, actor_id, target_type, target_id, created_at, hash)
         select n, 'x', '${viewer}', 'y', n, ${minutes('n')}, '' from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_actor_id => '${viewer}', p_target_type => 'z'`, shown: [] }
    },
  },
  {
    operation: 'verify_audit_log',
    against: 'more entries than one call verifies',
    most: 10_100,
    sizes: [11_000],
    role: 'service_role',
    scene: chained,
  },
  {
    operation: 'list_signals',
    against: 'more payments and votes than it scans, between people who were all invited',
    most: 130_000,
    sizes: [63_000],
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      // each of the 3000 invited two people, and pays and votes for people who were invited soon after
      const [giver, taker] = [crowd('n % 3000 + 1'), crowd('(n + 1 + n / 3000) % 3000 + 1')]
      await put(
        `insert into app.invite_tree (invitee_id, inviter_id, code_id)
         select ${crowd('n')}, ${crowd('n / 2')}, gen_random_uuid() from generate_series(2, 3000) n
         on conflict do nothing`,
      )
      await put(
        `with paid as (
           insert into app.payments (sender_id, receiver_id, emotion, tier, amount)
           select ${giver}, ${taker}, 'joy', 0, 1 from generate_series(1, ${size}) n returning *
         ), split as (
           insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
           select id, receiver_id, sender_id, 1, created_at from paid)
         insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact)
         select ${giver}, ${taker}, (select id from app.interests limit 1), 1, 1 from generate_series(1, ${size}) n
         on conflict do nothing`,
      )
      return { parameters: '' }
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
      return { parameters: `p_kind => 'audio'`, shown: [] }
    },
  },
  ...['', `p_user_id => 'VIEWER', `].map((whose) => ({
    operation: 'list_all_payments',
    against: `payments of${whose ? ' the person of' : ''} another emotion`,
    most: 5000, // the operation reads each of the 400 rows with the names of two people
    role: 'service_role' as const,
    async scene(viewer: string, size: number) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      await put(
        `with made as (
           insert into app.mana_transactions (kind) select 'payment' from generate_series(1, ${size}) n returning id
         ), paid as (
           insert into app.payments (id, sender_id, receiver_id, emotion, tier, amount, created_at)
           select id, '${viewer}', ${friend('1')}, 'joy', 0, 1, now() - row_number() over () * interval '1 minute'
           from made returning *)
         insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
         select id, receiver_id, sender_id, 1, created_at from paid`,
      )
      return { parameters: `${whose.replace('VIEWER', viewer)}p_q => 'nobody is called this'`, shown: [] }
    },
  })),
  {
    operation: 'list_appeals',
    against: 'appeals that say something else',
    most: 2500,
    role: 'service_role',
    scene: none(`p_q => 'nobody says this'`, (_viewer, size) =>
      put(`insert into app.reputation_appeals (user_id, interest_id, text, status, resolved_at, created_at)
           select ${friend('1')}, (select id from app.interests limit 1), 'x', 'rejected', now(), ${minutes('n')}
           from generate_series(1, ${size}) n`),
    ),
  },
  {
    operation: 'list_all_conversations',
    against: 'conversations of the other kind',
    most: 1500,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      await talks(viewer, size)
      return { parameters: `p_kind => 'direct'`, shown: [] }
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
        await put(`update app.${table} set author_hidden = true where author_id = $1`, author)
      return { parameters: `p_id => '${author}'` }
    },
  },
])
