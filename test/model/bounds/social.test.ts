// Tests the worst-case row counts of requests about circles, follows, blocks and invitations. See
// test/support/bounds.ts.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, nameOf, newViewer, put } = await openBounds()

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

checkBounds([
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
    operation: 'check_circles',
    against: 'circles of hidden people with both as members',
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
    against: 'settled invitations, and pending ones by people hidden since',
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
    operation: 'list_followers',
    against: 'followers whom the caller can’t see',
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
    against: 'followed people whom the caller can’t see',
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
    operation: 'block_person',
    against: 'invitations, series and co-authorships of the two with others',
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
])
