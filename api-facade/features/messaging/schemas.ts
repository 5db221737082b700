// Shapes of conversations and messages. Rules are in sql/messaging.
import { Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, UuidId, z } from '../../lib/schemas.ts'
import { Attachment, altText } from '../media/schemas.ts'

const Kind = z.enum(['direct', 'group'])

const sender = PersonCard.nullable().openapi({ description: 'Null if the account was erased.' })
export const Message = z
  .object({
    id: Uuid,
    conversationId: Uuid,
    sender,
    kind: z.enum(['text', 'system']),
    body: z.string().nullable().openapi({
      description:
        'Null for a deleted message; empty if the message consists of an asset alone. A system message says what its `sender` did: `joined`, `left`, `removed`, `owner` (became the owner), or `title`, a space and the new title.',
    }),
    replyTo: z
      .object({
        id: Uuid,
        sender,
        excerpt: z.string().nullable().openapi({ description: 'Up to 140 characters; null for a deleted message.' }),
      })
      .nullable()
      .openapi({ description: 'Also null if you cannot see the message that it answers.' }),
    attachment: Attachment.nullable().openapi({ description: 'Also null if staff removed it.' }),
    reactions: z.array(z.object({ emoji: z.string(), count: z.int().min(1), mine: z.boolean() })).openapi({
      description:
        'In the order in which they were first used. Contains and counts only reactions of people whom you can see.',
    }),
    createdAt: Timestamp,
    editedAt: Timestamp.nullable(),
    deletedAt: Timestamp.nullable().openapi({ description: 'When the message was deleted.' }),
  })
  .openapi('Message')
export const MessagePage = Page(Message)

export const Conversation = z
  .object({
    id: Uuid,
    kind: Kind,
    title: z.string().nullable().openapi({ description: 'Only for a group.' }),
    members: z
      .array(
        z.object({
          person: PersonCard,
          role: z.enum(['owner', 'member']).openapi({ description: 'A direct conversation has no owner.' }),
          lastReadAt: Timestamp.nullable().openapi({
            description: 'When the last message that you read was sent; null for other members.',
          }),
          joinedAt: Timestamp,
        }),
      )
      .openapi({
        description:
          'The longest-standing first. Leaves out banned people and, in a group, people with a block between you.',
      }),
    lastMessage: Message.nullable().openapi({
      description: 'The latest message that you can see, among the latest 500 since you joined.',
    }),
    unreadCount: z.int().min(0).max(99).openapi({
      description:
        'Counted among the latest 500 messages, up to 99. Leaves out your own messages, system messages, deleted ones, and those of banned people or of people with a block between you.',
    }),
    mutedUntil: Timestamp.nullable().openapi({ description: '`9999-12-31T23:59:59.999Z` if it has no end.' }),
    createdAt: Timestamp,
  })
  .openapi('Conversation')
export const ConversationPage = Page(Conversation)

export const ConversationQuery = z.object({
  kind: Kind.optional(),
  unread: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .openapi({ type: 'boolean', description: 'Only conversations with unread messages.' })
    .optional(),
  q: z.string().trim().min(1).max(100).optional().openapi({
    description: 'Part of the title or of the name of another member. Case and accents are ignored.',
  }),
})

// more than 49 people exceed the limit of members; SQL reports that error
const people = z
  .array(PersonParam)
  .max(1000)
  .openapi({ example: ['acct:ada@localhost'] })
const title = z.string().openapi({ description: '1 to 80 characters, one line.', example: 'The hikers' })
export const NewConversation = z
  .object({
    kind: Kind,
    memberIds: people.openapi({
      description: 'The other members: one for a direct conversation, up to 49 for a group.',
    }),
    title: title.nullish().openapi({ description: 'Required for a group; a direct conversation has none.' }),
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
  until: Moment.nullish().openapi({ description: 'In the future. Default: until you unmute it.' }),
})
export const ReadUpTo = z.object({ messageId: Uuid })

export const MessageQuery = z.object({
  after: Uuid.optional().openapi({ description: 'The id of a message: returns later messages, oldest first.' }),
  changedSince: Moment.optional().openapi({
    description:
      'Returns messages that were edited, deleted or reacted to since then, the oldest change first. Not together with `after`.',
  }),
})
const body = z.string().openapi({
  description: '1 to 4000 characters. It can have none if the message has an asset.',
  example: 'See you at eight?',
})
export const NewMessage = z
  .object({
    body: body.optional(),
    clientId: Uuid.openapi({ description: 'An id that the client chooses, so that the message is sent once.' }),
    replyToId: Uuid.nullish().openapi({ description: 'The id of a message in the same conversation.' }),
    assetId: Uuid.nullish().openapi({ description: 'A committed media asset of yours, except an avatar.' }),
    alt: altText.nullish().openapi({
      description: 'A description of the asset, up to 1000 characters. Default: that of the asset; none if empty.',
    }),
  })
  .openapi('NewMessage', { example: { body: 'See you at eight?', clientId: '6f1c7a52-3d0e-4b8a-9c55-2f6f0c1d7e11' } })
export const EditedMessage = z.object({ body })

export const ReactionParams = UuidId.extend({
  emoji: z.string().trim().max(200).openapi({
    description: '1 to 8 emoji of Unicode 17 and nothing else, with or without variation selectors.',
    example: '👍',
  }),
})
