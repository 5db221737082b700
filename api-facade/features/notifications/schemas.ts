// Shapes of notifications: a kind has its target and its payload. Rules are in sql/notifications and, of later features,
// with their causes; test/api/notifications holds the kinds against their registry.
import { Moment, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const common = {
  id: Uuid,
  groupKey: z.string(),
  count: z.int().min(1),
  actors: z.array(PersonCard).max(3).openapi({ description: 'The first three whom I can see, among the first 50.' }),
  createdAt: Timestamp.openapi({ description: 'Of a roll-up, when its first item came.' }),
  updatedAt: Timestamp.openapi({ description: 'When it last changed: an item joined it, or it was read.' }),
  readAt: Timestamp.nullable(),
}

/** One kind: what it is about, and its payload, of a roll-up that of its latest item. */
function kind<K extends string, P extends z.ZodRawShape>(name: K, target: z.ZodType, payload: P) {
  const words = name.split(/[.-]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return z
    .object({ ...common, kind: z.literal(name), target, payload: z.object(payload) })
    .openapi(`Notification${words.join('')}`)
}
const of = (...types: readonly [string, ...string[]]) => z.object({ type: z.enum(types), id: Uuid })
const postId = Uuid
const interestId = Uuid
/** What staff acts on: every kind of contents and of their parts among it. */
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
  'report',
  'invite-code',
  'group',
  'guild',
] as const

export const Notification = z
  .discriminatedUnion('kind', [
    kind('invite.used', of('invite-code'), { codeId: Uuid }),
    kind('circle.invited', of('invitation'), { invitationId: Uuid, circleId: Uuid }),
    kind('circle.accepted', of('circle'), { invitationId: Uuid, circleId: Uuid }),
    kind('circle.added', of('circle'), { circleId: Uuid }),
    kind('user.followed', z.null(), {}),
    kind('post.replied', of('post'), { postId, replyId: Uuid }),
    kind('post.mentioned', of('post'), {
      postId,
      replyId: Uuid.nullable().openapi({ description: 'Null where the post itself mentions me.' }),
    }),
    kind('post.reacted', of('post'), { postId, kind: z.enum(['heart', 'spark']) }),
    kind('post.milestone', of('post'), { postId, reactions: z.int() }),
    kind('post.reposted', of('post'), { postId, repostId: Uuid }),
    kind('post.quoted', of('post'), { postId, quoteId: Uuid }),
    kind('poll.closed', of('post'), { postId, pollId: Uuid }),
    kind('co-author.invited', of('post'), { inviteId: Uuid, postId }),
    kind('co-author.accepted', of('post'), { inviteId: Uuid, postId }),
    kind('series.updated', of('post', 'project'), {
      seriesId: Uuid.optional(),
      postId: Uuid.optional(),
      projectId: Uuid.optional().openapi({ description: 'Of an update of a project.' }),
      updateId: Uuid.optional(),
    }),
    kind('reputation.level-up', of('interest'), { interestId, level: z.string().openapi({ example: 'Adept' }) }),
    kind('reputation.voted', of('vote'), { interestId, value: z.int() }),
    kind('appeal.resolved', of('appeal'), { appealId: Uuid, interestId, status: z.enum(['accepted', 'rejected']) }),
    kind('payment.received', of('payment'), {
      paymentId: Uuid,
      emotion: z.string(),
      tier: z.int(),
      amount: z.int(),
      postId: Uuid.nullable().openapi({ description: 'Null too where I no longer see the post.' }),
      replyId: Uuid.nullable(),
    }),
    kind('wiki.resolved', of('wiki-proposal'), {
      proposalId: Uuid,
      interestId,
      slug: z.string(),
      status: z.enum(['approved', 'rejected', 'superseded']),
      version: z.int().nullable().openapi({ description: 'The version that it became.' }),
    }),
    kind('message.received', of('conversation'), { conversationId: Uuid, messageId: Uuid }),
    kind('moderation.actioned', of(...moderated), {
      targetType: z.enum(moderated),
      targetId: Uuid,
      action: z
        .enum([
          'hidden',
          'unhidden',
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
        ])
        .openapi({
          description:
            'Posts and replies are hidden, unhidden and deleted, contents removed and restored, my circles deleted, my invite codes revoked, what I reported is reviewed or dismissed, my group or guild archived or restored, and in one I am expelled, given another role, or my request approved or rejected.',
        }),
    }),
    kind('membership.decided', of('group', 'guild', 'project'), {
      event: z.enum(['approved', 'rejected', 'invited', 'removed', 'role_changed', 'proposal_decided']),
      groupId: Uuid.nullable(),
      guildId: Uuid.nullable(),
      invitationId: Uuid.nullable().openapi({ description: 'Of an invitation.' }),
      proposalId: Uuid.nullable().openapi({ description: 'Of what I proposed to a guild.' }),
      role: z.string().nullable().openapi({ description: 'Of a change of role, the new one.' }),
    }),
    kind('event.reminder', of('event'), {
      eventId: Uuid,
      event: z.enum(['starts_in_a_day', 'starts_in_an_hour', 'changed', 'cancelled', 'promoted']).openapi({
        description: 'What became of it; with `promoted` I moved up from the waiting list.',
      }),
      startsAt: Timestamp,
      sequence: z.int().optional().openapi({
        description: 'Of a change and a cancellation: how many changes there were, as `SEQUENCE` of its calendar.',
      }),
    }),
    kind('order.updated', of('order'), { orderId: Uuid, state: z.string().openapi({ example: 'held' }) }),
    kind('admin.broadcast', of('broadcast'), { title: z.string(), body: z.string() }),
  ])
  .openapi('Notification')
export const NotificationPage = Page(Notification)

export const NotificationQuery = z.object({
  since: Moment.optional().openapi({
    description: 'Only what has come or changed since then, the oldest change first.',
  }),
})

export const ReadSelection = z.object({
  ids: z.array(Uuid).min(1).max(100).nullish(),
  groupKey: z.string().min(1).max(300).nullish(),
  before: Moment.nullish(),
})
export const Unread = z
  .object({ count: z.int().min(0).max(1000).openapi({ description: 'Counted up to 1000.' }) })
  .openapi('Unread')

const Channels = z
  .object({ inApp: z.boolean(), push: z.boolean(), email: z.boolean() })
  .openapi('NotificationChannels', { description: 'In the inbox, as a push, in the daily digest.' })
const kinds = Notification.options.map(({ shape }) => shape.kind.value)
const byKind = <T extends z.ZodType>(schema: T) =>
  Object.fromEntries(kinds.map((kind) => [kind, schema])) as Record<(typeof kinds)[number], T>
const settings = {
  timezone: z.string().max(64).openapi({ description: 'The name of a time zone.', example: 'Europe/Berlin' }),
  digestHour: z
    .int()
    .min(0)
    .max(23)
    .nullable()
    .openapi({ description: 'When the digest comes, in my time zone; null is never.' }),
}

export const Preferences = z.object({ ...byKind(Channels), ...settings }).openapi('NotificationPreferences')
export const PreferencesPatch = z.object({ ...byKind(Channels.partial()), ...settings }).partial()
