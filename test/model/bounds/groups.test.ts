// Tests the worst-case row counts of requests about groups. See test/support/bounds.ts.
import { crowd, friend, friendly, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, newGroup, put } = await openBounds()

checkBounds([
  {
    operation: 'list_spaces',
    against: 'groups that don’t match',
    most: 2500,
    async scene(_, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.spaces (kind, slug, name, words, created_at)
         select 'group', 'group-${size}-' || n, 'x', case when ${isShown(size)} then 'owls${size}'::tsvector else '' end, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, words <> '' as shown`,
      )
      return {
        parameters: `p_kind => 'group', p_q => 'owls${size}'`,
        shown: ids(made.filter(({ shown }) => shown)).reverse(),
      }
    },
  },
  {
    operation: 'list_space_members',
    against: 'members whom the caller can’t see',
    most: 2500,
    async scene(_, size) {
      const group = await newGroup([])
      await put(
        `insert into app.space_members (space_id, user_id, made_at, created_at)
         select '${group}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, now(), ${minutes('n')}
         from generate_series(1, ${size}) n`,
      )
      return {
        parameters: `p_kind => 'group', p_id => '${group}'`,
        shown: [1, 2, 3, 4, 5].map((n) => `acct:friend${n}@localhost`),
      }
    },
    key: ({ userId }) => String(userId),
  },
  {
    operation: 'list_space_requests',
    against: 'requests of people whom the caller can’t see',
    most: 2500,
    async scene(viewer, size) {
      const group = await newGroup([])
      await put(
        `insert into app.space_members (space_id, user_id, role, made_at) values ('${group}', '${viewer}', 'owner', now())`,
      )
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.space_requests (space_id, user_id, created_at)
         select '${group}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, user_id >= ${friend('0')} as shown`,
      )
      return {
        parameters: `p_kind => 'group', p_id => '${group}'`,
        shown: ids(made.filter(({ shown }) => shown)).reverse(),
      }
    },
  },
  {
    operation: 'list_group_invitations',
    against: 'invitations by people who may not invite any more, or whom the caller can’t see',
    most: 2500,
    async scene(viewer, size) {
      const { group, shown } = await invitations(viewer, size, 'request')
      return { parameters: `p_id => '${group}'`, shown }
    },
  },
  {
    operation: 'update_group',
    against: 'invitations that end',
    most: 4100, // the operation ends 500 invitations in one transaction, with their notifications
    async scene(viewer, size) {
      const { group } = await invitations(viewer, size, 'open')
      return { parameters: `p_id => '${group}', p_changes => '{"joinPolicy": "invite"}'` }
    },
  },
])

/** A group of the viewer in which a friend, who is a plain member, and the viewer have invited many people. */
async function invitations(viewer: string, size: number, policy: 'open' | 'request') {
  const group = await newGroup([])
  await put(
    `with opened as (update app.spaces set join_policy = '${policy}' where id = '${group}')
     insert into app.space_members (space_id, user_id, role, made_at)
     values ('${group}', '${viewer}', 'owner', now()), ('${group}', ${friend('1')}, 'member', now())`,
  )
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.space_invitations (space_id, inviter_id, invitee_id, created_at)
     select '${group}', case when ${isShown(size)} then '${viewer}' else ${friend('1')} end,
            case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, ${minutes('n')}
     from generate_series(1, ${size}) n returning id, inviter_id = '${viewer}' as shown`,
  )
  return { group, shown: ids(made.filter(({ shown }) => shown)).reverse() }
}
