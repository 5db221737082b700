// Schemas of notifications: each kind has its target and its payload. Rules are in sql/notifications or, for later
// features, beside what causes the notification; test/api/notifications compares the kinds with their registry.
import { InterestSlug } from '../../lib/fields.ts'
import { Moment, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const Path = z.string().openapi({
  description:
    'Where clients show the notification, in the app and on the web: a path below the address of the client. A ' +
    'notification with one item leads to that item, one with several to what they have in common, and ' +
    '`/notifications` is the inbox.',
  example: '/posts/3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10',
})

export const Links = z
  .object({
    base: z.string().openapi({ description: 'The address of the client.', example: 'https://kith.example' }),
    paths: z.record(z.string(), z.string()).openapi({
      description: 'The paths by the type of a thing: `{id}`, `{username}` and `{slug}` stand for fields of the thing.',
      example: { person: '/@{username}', post: '/posts/{id}', 'wiki-entry': '/wiki/{slug}' },
    }),
  })
  .openapi('Links')

/** What notifications of every kind have. The kinds extend it, so that the API's description has it once. */
const AnyNotification = z
  .object({
    id: Uuid,
    path: Path,
    groupKey: z
      .string()
      .describe('Notifications with the same key are about the same thing. `POST /notifications/read` takes it.'),
    count: z.int().min(1).describe('How many items the notification combines.'),
    actors: z
      .array(PersonCard)
      .max(3)
      .describe('Who caused it: of the first 50 people, the first three whom you can see. Empty if nobody is named.'),
    createdAt: Timestamp.describe(
      'When the event happened: the time of the first item if the notification combines several, of the latest if a later notification replaces an unread one.',
    ),
    updatedAt: Timestamp.describe('When the notification last changed: an item was added, or the person read it.'),
    readAt: Timestamp.nullable().describe('When you marked it as read; null while it is unread.'),
    title: z
      .string()
      .nullable()
      .describe(
        'The title or name of the target, such as of an essay, a group or a circle, as you see it now; null if it has none.',
      ),
    excerpt: z
      .string()
      .max(200)
      .nullable()
      .describe(
        'The beginning of the target’s text as you see it now, in one line of at most 200 characters. For a conversation it is the latest message, for a report your reason. Null for a target without a text. `title` and `excerpt` are null if you can no longer see the target.',
      ),
  })
  .openapi('AnyNotification')

/** One kind with its target and payload. The payload of a combined notification is that of its latest item. */
function kind<K extends string, P extends z.ZodRawShape>(name: K, target: z.ZodType, payload: P) {
  const words = name.split(/[.-]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return AnyNotification.extend({
    kind: z.literal(name).describe('What happened.'),
    target: target.describe(
      'The thing that the notification is about; null if it is about a person, who is in `actors`.',
    ),
    payload: z
      .object(payload)
      .describe('The details of this kind. A combined notification has the details of its latest item.'),
  }).openapi(`Notification${words.join('')}`)
}
const of = (...types: readonly [string, ...string[]]) =>
  z.object({ type: z.enum(types).describe('The type of the thing that the notification is about.'), id: Uuid })
const postId = Uuid
const interestId = Uuid
/** Everything that staff can act on, including every kind of content and of its children. */
export const moderated = [
  'post',
  'reply',
  'video',
  'audio',
  'event',
  'debate',
  'argument',
  'problem',
  'solution',
  'offering',
  'review',
  'course',
  'project',
  'circle',
  'app',
  'report',
  'invite-code',
  'group',
  'guild',
  'decision',
] as const

export const Notification = z
  .discriminatedUnion('kind', [
    kind('invite.used', of('invite-code'), { codeId: Uuid }),
    kind('circle.invited', of('invitation'), { invitationId: Uuid, circleId: Uuid }),
    kind('circle.accepted', of('circle'), { invitationId: Uuid, circleId: Uuid }),
    kind('circle.added', of('circle'), { circleId: Uuid }),
    kind('user.followed', z.null(), {}),
    kind('post.replied', of('post'), {
      postId,
      replyId: Uuid.describe('The reply that was written.'),
    }),
    kind('post.mentioned', of('post'), {
      postId,
      replyId: Uuid.nullable().describe('The reply that mentions you; null if the post itself does.'),
    }),
    kind('post.reacted', of('post'), { postId, kind: z.enum(['heart', 'spark']).describe('The reaction.') }),
    kind('post.milestone', of('post'), {
      postId,
      reactions: z.int().describe('How many hearts the post has reached: 5, 15 or 50.'),
    }),
    kind('post.reposted', of('post'), { postId, repostId: Uuid.describe('The id of the repost, which is a post.') }),
    kind('post.quoted', of('post'), { postId, quoteId: Uuid.describe('The id of the quote, which is a post.') }),
    kind('poll.closed', of('post'), { postId, pollId: Uuid }),
    kind('co-author.invited', of('post'), { inviteId: Uuid, postId }),
    kind('co-author.accepted', of('post'), { inviteId: Uuid, postId }),
    kind('series.updated', of('post', 'project'), {
      seriesId: Uuid.optional().describe('Only for a new item of a series: the series.'),
      postId: Uuid.optional().describe('Only for a new item of a series: the post.'),
      projectId: Uuid.optional().describe('Only for an update of a project: the project.'),
      updateId: Uuid.optional().describe('Only for an update of a project: the update.'),
    }),
    kind('reputation.level-up', of('interest'), {
      interestId,
      level: z.string().openapi({ example: 'Adept' }).describe('The level that you reached in the interest.'),
    }),
    kind('reputation.voted', of('vote'), { interestId, value: z.int().describe('1 for you, -1 against you.') }),
    kind('appeal.resolved', of('appeal'), {
      appealId: Uuid,
      interestId,
      status: z.enum(['accepted', 'rejected']).describe('What staff decided.'),
    }),
    kind('payment.received', of('payment'), {
      paymentId: Uuid,
      emotion: z.string().describe('What the payment expresses.'),
      tier: z.int().describe('The tier from 0 to 5; a higher tier is more mana.'),
      amount: z.int().describe('Whole mana that you got.'),
      postId: Uuid.nullable().describe(
        'The post that was paid for; null if it was a reply or you, or if you could not see the post then.',
      ),
      replyId: Uuid.nullable().describe('The reply that was paid for; null if it was a post or you.'),
    }),
    kind('wiki.resolved', of('wiki-proposal'), {
      proposalId: Uuid,
      interestId,
      slug: InterestSlug,
      status: z
        .enum(['approved', 'rejected', 'superseded'])
        .describe('`superseded`: the entry already had a newer version.'),
      version: z
        .int()
        .nullable()
        .describe('The number of the version that the proposal became; null unless it was approved.'),
    }),
    kind('message.received', of('conversation'), { conversationId: Uuid, messageId: Uuid }),
    kind('moderation.actioned', of(...moderated), {
      targetType: z.enum(moderated).describe('The type of what staff acted on.'),
      targetId: Uuid,
      action: z
        .enum([
          'hidden',
          'unhidden',
          'held',
          'deleted',
          'removed',
          'restored',
          'reviewed',
          'dismissed',
          'revoked',
          'archived',
          'expelled',
          'role_changed',
          'approved',
          'rejected',
          'warn',
          'limit',
          'suspend',
          'ban',
          'upheld',
          'overturned',
        ])
        .describe(
          'What staff did, or those who moderate a group or guild. They hid, unhid or deleted a post or reply of yours, removed or restored a content of yours, deleted a circle or revoked an invite code of yours, or reviewed or dismissed your report. They archived or restored a group or guild of yours. In a group or guild, they expelled you, gave you another role, or approved or rejected your request. They warned, limited, suspended or banned you, or upheld or overturned a decision that you appealed. `held`: what you published is hidden until staff has reviewed it. `GET /me/standing` has the reason of each decision about you or your things, and says where you can appeal it.',
        ),
      appealPath: z
        .string()
        .nullable()
        .optional()
        .describe(
          'Only for a target of type `decision`: the route to which you could post an appeal at that time; null if there was none. There is no deadline.',
        ),
    }),
    kind('membership.decided', of('group', 'guild', 'project'), {
      event: z
        .enum(['approved', 'rejected', 'invited', 'removed', 'role_changed', 'proposal_decided'])
        .describe(
          'What was decided about you. `invited`: somebody invites you; `proposal_decided`: about a proposal of yours.',
        ),
      groupId: Uuid.nullable().describe('The group; null if it is about a guild or a project.'),
      guildId: Uuid.nullable().describe('The guild; null if it is about a group or a project.'),
      invitationId: Uuid.nullable().describe('The id of the invitation; null if it is about something else.'),
      proposalId: Uuid.nullable().describe('The id of your proposal to a guild; null if it is about something else.'),
      role: z.string().nullable().describe('Only for a change of role: the new role.'),
    }),
    kind('event.reminder', of('event'), {
      eventId: Uuid,
      event: z
        .enum(['starts_in_a_day', 'starts_in_an_hour', 'changed', 'cancelled', 'promoted'])
        .describe('What happened. `changed`: its time or place. `promoted`: you got a seat from the waiting list.'),
      startsAt: Timestamp,
      sequence: z
        .int()
        .optional()
        .describe('Only for a change or a cancellation: the number of changes, as `SEQUENCE` in its calendar file.'),
    }),
    kind('order.updated', of('order'), {
      orderId: Uuid,
      state: z.string().openapi({ example: 'held' }).describe('The new state of the order.'),
    }),
    kind('admin.broadcast', of('broadcast'), {
      title: z.string().describe('The headline of the broadcast.'),
      body: z.string().describe('The text of the broadcast.'),
    }),
  ])
  .openapi('Notification')
export const NotificationPage = Page(Notification)

export const NotificationQuery = z.object({
  since: Moment.optional().describe('Only notifications that are new or changed since then, the oldest change first.'),
})

export const ReadSelection = z.object({
  ids: z
    .array(Uuid)
    .min(1)
    .max(100)
    .nullish()
    .describe('1 to 100 ids of notifications. Give exactly one of `ids`, `groupKey` and `before`.'),
  groupKey: z.string().min(1).max(300).nullish().describe('Marks all notifications with this key.'),
  before: Moment.nullish().describe('Marks all notifications whose `createdAt` is before this time.'),
})
export const Unread = z
  .object({ count: z.int().min(0).max(1000).describe('Unread notifications in the inbox, counted up to 1000.') })
  .openapi('Unread')

const Channels = z
  .object({
    inApp: z.boolean().describe('Whether the inbox shows the kind.'),
    push: z.boolean().describe('Whether every registered device gets a push.'),
    email: z.boolean().describe('Whether the daily digest counts the kind.'),
  })
  .openapi('NotificationChannels', { description: 'The channels: the inbox, a push, the daily digest.' })
export const kinds = Notification.options.map(({ shape }) => shape.kind.value)
const byKind = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(kinds.map((kind) => [kind, schema])) as Record<(typeof kinds)[number], T>
const settings = {
  timezone: z.string().max(64).openapi({ description: 'The name of a time zone.', example: 'Europe/Berlin' }),
  digestHour: z
    .int()
    .min(0)
    .max(23)
    .nullable()
    .describe('The hour of the digest in your time zone; null for no digest.'),
}

export const Preferences = z.object({ ...byKind(Channels), ...settings }).openapi('NotificationPreferences')
export const PreferencesPatch = z
  .object({ ...byKind(Channels.partial().describe('The channels to change.')), ...settings })
  .partial()
