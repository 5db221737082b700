// Shapes of conversations and messages. Rules are in sql/messaging.
import { Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, UuidId, z } from '../../lib/schemas.ts'

const Kind = z.enum(['direct', 'group'])

const sender = PersonCard.nullable().openapi({ description: 'Null where the account was erased.' })
export const Message = z
  .object({
    id: Uuid,
    conversationId: Uuid,
    sender,
    kind: z.enum(['text', 'system']),
    body: z.string().nullable().openapi({
      description:
        'Null of a tombstone. Of a system message what it tells of its `sender`: `joined`, `left`, `removed`, `owner` (who owns the group now), or `title` and, behind a blank, the new title.',
    }),
    replyTo: z
      .object({
        id: Uuid,
        sender,
        excerpt: z.string().nullable().openapi({ description: 'Up to 140 characters; null of a tombstone.' }),
      })
      .nullable()
      .openapi({ description: 'Null too where I do not see what it answers.' }),
    attachment: z
      .object({ assetId: Uuid, url: z.string(), contentType: z.string() })
      .nullable()
      .openapi({ description: 'Null too where staff took it away.' }),
    reactions: z.array(z.object({ emoji: z.string(), count: z.int().min(1), mine: z.boolean() })).openapi({
      description: 'In the order in which they came first; those of people whom I see, and counted so.',
    }),
    createdAt: Timestamp,
    editedAt: Timestamp.nullable(),
    deletedAt: Timestamp.nullable().openapi({ description: 'Of a tombstone.' }),
  })
  .openapi('Message')
export const MessagePage = Page(Message)

export const Conversation = z
  .object({
    id: Uuid,
    kind: Kind,
    title: z.string().nullable().openapi({ description: 'Of a group.' }),
    members: z
      .array(
        z.object({
          person: PersonCard,
          role: z.enum(['owner', 'member']).openapi({ description: 'A direct conversation has no owner.' }),
          lastReadAt: Timestamp.nullable().openapi({
            description: 'When the message was sent up to which I have read; null for others.',
          }),
          joinedAt: Timestamp,
        }),
      )
      .openapi({
        description: 'The longest-standing first, without the banned and, in a group, people across a block.',
      }),
    lastMessage: Message.nullable().openapi({
      description: 'The latest one that I see, among the latest 500 since I came.',
    }),
    unreadCount: z.int().min(0).max(99).openapi({
      description:
        'Among the latest 500, counted up to 99; without my own, system messages, deleted ones, and those of people across a block and of the banned.',
    }),
    mutedUntil: Timestamp.nullable().openapi({ description: '`9999-12-31T23:59:59.999Z` where it has no end.' }),
    createdAt: Timestamp,
  })
  .openapi('Conversation')
export const ConversationPage = Page(Conversation)

export const ConversationQuery = z.object({
  kind: Kind.optional(),
  unread: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .openapi({ type: 'boolean', description: 'Those alone that have something unread.' })
    .optional(),
  q: z.string().trim().min(1).max(100).optional().openapi({
    description: 'What the title or the name of another member has in it; case and accents are forgiven.',
  }),
})

// more than 49 people are a conflict with the members that there may be, which SQL says
const people = z
  .array(PersonParam)
  .max(1000)
  .openapi({ example: ['acct:ada@localhost'] })
const title = z.string().openapi({ description: '1 to 80 characters, in one line.', example: 'The hikers' })
export const NewConversation = z
  .object({
    kind: Kind,
    memberIds: people.openapi({ description: 'Those beside me: one for a direct conversation, else up to 49.' }),
    title: title.nullish().openapi({ description: 'Of a group, which must have one.' }),
  })
  .openapi('NewConversation')
export const Title = z.object({ title })
export const NewMembers = z.object({ userIds: people.min(1) })
export const MemberId = UuidId.extend({ userId: PersonParam })
export const HandOver = z.object({ role: z.literal('owner') })
export const Availability = z
  .object({ available: z.boolean(), reason: z.enum(['no_shared_circle']).nullable() })
  .openapi('Availability')
export const UnreadConversations = z
  .object({ count: z.int().min(0).max(99).openapi({ description: 'Counted up to 99.' }) })
  .openapi('UnreadConversations')
export const Left = z.object({ left: z.literal(true) })
export const MuteUntil = z.object({
  until: Moment.nullish().openapi({ description: 'Lies in the future; without it, until it is taken back.' }),
})
export const ReadUpTo = z.object({ messageId: Uuid })

export const MessageQuery = z.object({
  after: Uuid.optional().openapi({ description: 'A message: what came since, oldest first.' }),
  changedSince: Moment.optional().openapi({
    description: 'What was edited, deleted or reacted to since, the oldest change first. Not together with `after`.',
  }),
})
const body = z.string().openapi({ description: '1 to 4000 characters.', example: 'See you at eight?' })
export const NewMessage = z
  .object({
    body,
    clientId: Uuid.openapi({ description: 'What the client calls the message, so that it is sent once.' }),
    replyToId: Uuid.nullish().openapi({ description: 'A message of the same conversation.' }),
    assetId: Uuid.nullish().openapi({ description: 'A committed media asset of mine, but no avatar.' }),
  })
  .openapi('NewMessage', { example: { body: 'See you at eight?', clientId: '6f1c7a52-3d0e-4b8a-9c55-2f6f0c1d7e11' } })
export const EditedMessage = z.object({ body })

export const ReactionParams = UuidId.extend({
  emoji: z.string().trim().max(200).openapi({
    description: '1 to 8 emoji as Unicode 17 has them, and nothing else; with or without variation selectors.',
    example: '👍',
  }),
})
