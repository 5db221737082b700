// Notifications routes: the inbox. The rules about who is notified are in sql/notifications, visibility in
// policies/notifications.sql.
import { routes, type Table } from '../../lib/routes.ts'
import digest from './digest.ts'
import push from './push.ts'
import {
  Links,
  NotificationPage,
  NotificationQuery,
  Preferences,
  PreferencesPatch,
  ReadSelection,
  Unread,
} from './schemas.ts'

const inbox = routes('notifications', {
  'GET /notifications': {
    summary: 'List your notifications, newest first',
    description:
      'Within an hour, notifications of the same kind and target are combined into one with a `count`: follows, reactions, replies, reposts, quotes and messages. Follows, reactions and reposts count each person once, the others every item. A further item makes a combined notification unread again but does not move it. `actors` leaves out people whom you can no longer see. `title` and `excerpt` are those of the target as you see it now, and null if you can no longer see it. Realtime events can be lost: after a reconnect, send `since` with the latest `updatedAt` that you know, and merge the result by `id`. The answer includes what changed up to 3 seconds earlier, because transactions that run at the same time become visible at different times.',
    access: 'user',
    operation: 'list_notifications',
    query: NotificationQuery,
    page: true,
    answers: { 200: NotificationPage },
    outcome: 'A page of notifications.',
  },
  'GET /notifications/unread-count': {
    summary: 'Count your unread notifications',
    description: 'A combined notification counts as one.',
    access: 'user',
    id: 'countUnreadNotifications',
    operation: 'count_unread',
    answers: { 200: Unread },
    outcome: 'How many notifications you have not read.',
  },
  'POST /notifications/read': {
    summary: 'Mark notifications as read',
    description:
      'Takes exactly one of `ids`, `groupKey` and `before` (everything before that time). With `groupKey` or `before`, the newest 500 are marked immediately and the rest shortly after. Ids that are not yours are ignored. Repeating it changes nothing. Returns the number that is still unread.',
    access: 'user',
    id: 'markNotificationsRead',
    operation: 'mark_read',
    body: ReadSelection,
    answers: { 200: Unread },
    outcome: 'How many notifications are still unread.',
  },
  'GET /links': {
    summary: 'Get the web addresses of things',
    description:
      'Use this to share a thing: its address is `base` followed by the path of its type, with the fields of the thing filled in. A type without a page has the page of a list. The `path` of notifications and pushes has the same origin. The answer changes only with a new release or configuration, so read it once at the start of the app.',
    access: 'user',
    operation: 'list_links',
    etag: true,
    answers: { 200: Links },
    outcome: 'The base address, and a path for each kind of thing.',
  },
  'GET /notifications/preferences': {
    summary: 'Get your notification preferences',
    description:
      'Contains every kind. A kind that you have not set is sent on every channel. The digest is a daily mail at `digestHour` in `timezone`. It is sent if there are unread notifications of kinds with `email` that are new since the last digest or, without one, within a week. It has numbers by kind, and no texts or names of people. It is only sent to a verified address; within 24 hours of the registration, also to an unverified one.',
    access: 'user',
    id: 'getNotificationPreferences',
    operation: 'get_preferences',
    answers: { 200: Preferences },
    outcome: 'Your choice for each kind, and the hour of your digest.',
  },
  'PATCH /notifications/preferences': {
    summary: 'Change your notification preferences',
    description:
      'Send only the kinds and channels that change. Channels are independent: a kind that is off in the inbox can still be pushed or counted in the digest, and a kind that is off everywhere creates no notification. Existing notifications stay. `moderation.actioned` cannot be turned off in the inbox. With a `digestHour` of null no digest is mailed; unsubscribing by a link in a digest does the same.',
    access: 'user',
    id: 'updateNotificationPreferences',
    operation: 'update_preferences',
    body: PreferencesPatch,
    bodyAs: 'p_changes',
    answers: { 200: Preferences },
    outcome: 'Your preferences after the change.',
  },
})

/** What the feature offers, for the API's description. */
export const about = 'Notifications, and which of them a person gets by push or email.'

const table: Table = { feature: 'notifications', rows: { ...inbox.rows, ...digest.rows, ...push.rows } }
export default table
