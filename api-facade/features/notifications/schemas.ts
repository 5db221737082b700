// Shapes of notifications. Rules are in sql/notifications.
import { Moment, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const NotificationKind = z
  .enum([
    'circle.invited',
    'circle.accepted',
    'circle.added',
    'co-author.invited',
    'co-author.accepted',
    'user.followed',
    'post.replied',
    'post.reacted',
    'post.milestone',
    'post.reposted',
    'post.quoted',
    'post.mentioned',
    'poll.closed',
    'series.updated',
    'payment.received',
    'reputation.level-up',
    'reputation.voted',
    'appeal.resolved',
    'invite.used',
    'wiki.resolved',
    'message.received',
    'membership.decided',
    'event.reminder',
    'order.updated',
    'moderation.actioned',
    'admin.broadcast',
  ])
  .openapi('NotificationKind')

export const Notification = z
  .object({
    id: Uuid,
    kind: NotificationKind,
    groupKey: z.string(),
    count: z.int().min(1),
    actors: z.array(PersonCard).max(3).openapi({ description: 'The first three whom I can see.' }),
    target: z.object({ type: z.string(), id: z.string() }).nullable(),
    payload: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'By kind; of a roll-up, that of its latest item.' }),
    createdAt: Timestamp.openapi({ description: 'Of a roll-up, when its first item came.' }),
    readAt: Timestamp.nullable(),
  })
  .openapi('Notification')
export const NotificationPage = Page(Notification)

export const ReadSelection = z.object({
  ids: z.array(Uuid).min(1).max(100).nullish(),
  groupKey: z.string().min(1).max(300).nullish(),
  before: Moment.nullish(),
})
export const Unread = z.object({ count: z.int().min(0) }).openapi('Unread')
