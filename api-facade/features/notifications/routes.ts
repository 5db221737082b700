// Notifications routes: the inbox. What notifies whom is in sql/notifications, visibility in policies/notifications.sql.
import { routes, type Table } from '../../lib/routes.ts'
import digest from './digest.ts'
import push from './push.ts'
import { NotificationPage, NotificationQuery, Preferences, PreferencesPatch, ReadSelection, Unread } from './schemas.ts'

const inbox = routes('notifications', {
  'GET /notifications': {
    summary: 'My notifications, newest first',
    description:
      'The same kind on the same target within an hour of the first becomes one with a `count`: follows, reactions, replies, reposts, quotes and messages. A follow, reaction or repost counts each person once; the others count every item. A further item makes a read roll-up unread again and leaves it at its place. `actors` leaves out whom I can no longer see. A Realtime message may be missed: after a reconnect, ask with `since`, the latest `updatedAt` that you know, and take what comes by `id`. What changed up to 3 seconds before that comes again, since what happens at the same time is not seen at the same time.',
    access: 'user',
    operation: 'list_notifications',
    query: NotificationQuery,
    page: true,
    answers: { 200: NotificationPage },
  },
  'GET /notifications/unread-count': {
    summary: 'How many notifications I have not read',
    description: 'A roll-up counts as one.',
    access: 'user',
    operation: 'count_unread',
    answers: { 200: Unread },
  },
  'POST /notifications/read': {
    summary: 'Mark notifications as read',
    description:
      'Takes exactly one of `ids`, `groupKey` and `before` (all that came earlier than that moment). Beyond the newest 500 of a group or before a moment, the others are read soon after. Ids that are not mine are passed over, and repeating it changes nothing. Answers how many are still unread.',
    access: 'user',
    operation: 'mark_read',
    body: ReadSelection,
    answers: { 200: Unread },
  },
  'GET /notifications/preferences': {
    summary: 'What I want to be told, and where',
    description:
      'Every kind, with its defaults where I have chosen nothing: everything goes everywhere. The digest is a mail a day at `digestHour` in `timezone`, when there is something unread of the kinds with `email` that is new since the last one, or a week. It counts by kind and has nobody’s words or names. It goes to a verified address, and within 24 hours of the registration to any.',
    access: 'user',
    operation: 'get_preferences',
    answers: { 200: Preferences },
  },
  'PATCH /notifications/preferences': {
    summary: 'Choose what I want to be told, and where',
    description:
      'Names the kinds and channels that change; the others stay. The channels are independent: what is kept out of the inbox may still be pushed or stand in the digest, and what is turned off everywhere is not told at all. What has been told already stays where it is. `moderation.actioned` cannot be kept out of the inbox. Without a `digestHour`, null, no digest is mailed; unsubscribing by a link of one does the same.',
    access: 'user',
    operation: 'update_preferences',
    body: PreferencesPatch,
    bodyAs: 'p_changes',
    answers: { 200: Preferences },
  },
})

const table: Table = { feature: 'notifications', rows: { ...inbox.rows, ...digest.rows, ...push.rows } }
export default table
