// Tests the worst-case row counts of requests about messaging. See test/support/bounds.ts.
import { crowd, friend, friendly, id, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put, talks } = await openBounds()

/** A group of the viewer with many messages of the crowd, after a first message of a friend, and some of friends. */
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

checkBounds([
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
    against: 'messages of blocked people after a given one',
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
    against: 'periods of membership without a visible message',
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
    operation: 'erase_me',
    against: 'conversations, and messages of the person in one of them',
    most: 60_000,
    sizes: [3000],
    role: 'gate',
    async scene(viewer, size) {
      await put(`insert into private.credentials (user_id, password_hash) values ($1, 'hash')`, viewer)
      await talks(viewer, size)
      const { talk } = await messages(viewer, size)
      await put(`update app.messages set sender_id = '${viewer}' where conversation_id = '${talk}'`)
      return { parameters: `p_password_hash => 'hash'` }
    },
  },
])
