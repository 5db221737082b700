// Tests the worst-case row counts of requests about notifications. See test/support/bounds.ts.
import { type Bound, crowd, id, ids, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

checkBounds([
  {
    operation: 'list_notifications',
    against: 'hidden actors of a notification',
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
])
