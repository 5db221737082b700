// Schemas of conversations and messages. Rules are in sql/messaging.
import { EditedAt } from '../../lib/fields.ts'
import { Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, UuidId, z } from '../../lib/schemas.ts'
import { Attachment, altText } from '../media/schemas.ts'

const Kind = z
  .enum(['direct', 'group'])
  .describe('`direct`: always the same two people. `group`: an owner and up to 49 others.')

const sender = PersonCard.nullable().describe('Who sent the message; null if the account was erased.')
export const Message = z
  .object({
    id: Uuid,
    conversationId: Uuid,
    sender,
    kind: z.enum(['text', 'system']).describe('`system`: Kith says what happened in the group.'),
    body: z
      .string()
      .nullable()
      .describe(
        'The text; null for a deleted message, empty if the message consists of an asset alone. A system message says what its `sender` did, or what was done to them: `joined`, `left`, `removed` (by the owner), `owner` (became the owner), or `title`, a space and the new title.',
      ),
    replyTo: z
      .object({
        id: Uuid.describe('The message that this one answers.'),
        sender,
        excerpt: z.string().nullable().describe('The first 140 characters of the text; null for a deleted message.'),
      })
      .nullable()
      .describe('The message that this one answers. Null if there is none, or if you cannot see it.'),
    attachment: Attachment.nullable().describe('The file that was sent; null if there is none, or if it was deleted.'),
    reactions: z
      .array(
        z.object({
          emoji: z.string().describe('1 to 8 emoji.'),
          count: z.int().min(1).describe('How many people reacted with this emoji.'),
          mine: z.boolean().describe('Whether you reacted with this emoji.'),
        }),
      )
      .describe(
        'The reactions in the order in which they were first used. Contains and counts only reactions of people whom you can see.',
      ),
    createdAt: Timestamp,
    editedAt: EditedAt,
    deletedAt: Timestamp.nullable().describe('When its sender deleted it or was erased; null otherwise.'),
  })
  .openapi('Message')
export const MessagePage = Page(Message)

export const Conversation = z
  .object({
    id: Uuid,
    kind: Kind,
    title: z.string().nullable().describe('The title of a group; null for a direct conversation.'),
    members: z
      .array(
        z.object({
          person: PersonCard,
          role: z.enum(['owner', 'member']).describe('A direct conversation has no owner.'),
          lastReadAt: Timestamp.nullable().describe(
            'When the last message that you read was sent; null if you have read none, and for other members.',
          ),
          joinedAt: Timestamp,
        }),
      )
      .describe(
        'You and the others, the longest-standing first. Leaves out banned people and, in a group, people with a block between you.',
      ),
    lastMessage: Message.nullable().describe(
      'The latest message that you can see, among the latest 500 since you joined; null if there is none.',
    ),
    unreadCount: z
      .int()
      .min(0)
      .max(99)
      .describe(
        'Messages that you have not read, counted among the latest 500, up to 99. Leaves out your own messages, system messages, deleted ones, and those of banned people or of people with a block between you.',
      ),
    mutedUntil: Timestamp.nullable().describe(
      'When the mute of the conversation ends for you: `9999-12-31T23:59:59.999Z` if it has no end, null if you have not muted the conversation.',
    ),
    createdAt: Timestamp,
  })
  .openapi('Conversation')
export const ConversationPage = Page(Conversation)

export const ConversationQuery = z.object({
  kind: Kind.optional().describe('Only conversations of this kind.'),
  unread: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .openapi({ type: 'boolean', description: 'With `true` only conversations with unread messages.' })
    .optional(),
  q: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Part of the title or of the name of another member. Case and accents are ignored.'),
})

// More than 49 people exceed the limit of members. SQL raises that error.
const people = z
  .array(PersonParam)
  .max(1000)
  .openapi({ example: ['acct:ada@localhost'] })
const title = z.string().openapi({ description: '1 to 80 characters, one line.', example: 'The hikers' })
export const NewConversation = z
  .object({
    kind: Kind,
    memberIds: people.describe('The other members: one for a direct conversation, up to 49 for a group.'),
    title: title.nullish().describe('Required for a group; a direct conversation has none.'),
  })
  .openapi('NewConversation')
export const Title = z.object({ title })
export const NewMembers = z.object({
  userIds: people.min(1).describe('The people to add. A group has at most 50 members.'),
})
export const MemberId = UuidId.extend({ userId: PersonParam })
export const HandOver = z.object({
  role: z.literal('owner').describe('The member becomes the owner, and the owner a member.'),
})
export const Availability = z
  .object({
    available: z.boolean().describe('Whether you can open a direct conversation with the person.'),
    reason: z.enum(['no_shared_circle']).nullable().describe('Why you cannot open one; null if you can.'),
  })
  .openapi('Availability')
export const UnreadConversations = z
  .object({
    count: z
      .int()
      .min(0)
      .max(99)
      .describe('Conversations with unread messages that you have not muted, counted up to 99.'),
  })
  .openapi('UnreadConversations')
export const Left = z.object({ left: z.literal(true).describe('Always `true`.') })
export const MuteUntil = z.object({
  until: Moment.nullish().describe('When the mute ends, in the future. Default: when you unmute it.'),
})
export const ReadUpTo = z.object({
  messageId: Uuid.describe('The latest message that you have read. Earlier ones count as read.'),
})

export const MessageQuery = z.object({
  after: Uuid.optional().describe('The id of a message: returns later messages, oldest first.'),
  changedSince: Moment.optional().describe(
    'Returns messages that were edited, deleted or reacted to since then, the oldest change first. Cannot be combined with `after`.',
  ),
})
const body = z.string().openapi({
  description: '1 to 4000 characters, or none if the message has an asset.',
  example: 'See you at eight?',
})
export const NewMessage = z
  .object({
    body: body.optional(),
    clientId: Uuid.describe('An id that the client chooses, so that the message is sent once.'),
    replyToId: Uuid.nullish().describe('The id of a message in the same conversation.'),
    assetId: Uuid.nullish().describe('A committed media asset of yours, except an avatar.'),
    alt: altText
      .nullish()
      .describe(
        'What the asset shows, for people who cannot see it: up to 1000 characters. Default: the alt text of the asset; none if empty.',
      ),
  })
  .openapi('NewMessage', { example: { body: 'See you at eight?', clientId: '6f1c7a52-3d0e-4b8a-9c55-2f6f0c1d7e11' } })
export const EditedMessage = z.object({ body })

export const ReactionParams = UuidId.extend({
  emoji: z.string().trim().max(200).openapi({
    description: '1 to 8 emoji of Unicode 17 and nothing else, with or without variation selectors.',
    example: '👍',
  }),
})
