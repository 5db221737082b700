// Schemas of the economy. Rules are in sql/economy.
import { SenderBalance } from '../../lib/fields.ts'
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const Emotion = z
  .enum(['love', 'awe', 'joy', 'curiosity', 'gratitude', 'insight', 'calm', 'courage'])
  .describe('What the payment expresses.')
export const Tier = z.int().min(0).max(5).describe('The amount: 0 to 5 mean 1, 3, 10, 25, 50 and 100 mana.')

export const Wallet = z
  .object({
    balance: z.int().describe('The mana that you can spend, never below 0.'),
    lifetimeEarned: z
      .int()
      .describe('All mana that ever came in and was not taken back, including the first 50 and the regeneration.'),
    lifetimeSpent: z.int().describe('All mana that was ever spent and not given back.'),
    lastRegenAt: Timestamp.describe('The time up to which the daily regeneration is settled.'),
  })
  .openapi('Wallet', { description: 'Whole mana. `balance` is `lifetimeEarned` minus `lifetimeSpent`.' })

export const NewPayment = z.object({
  emotion: Emotion,
  tier: Tier.describe('Spark, Wave, Storm, Surge, Tempest, Nova: 1, 3, 10, 25, 50 and 100 mana.'),
  postId: Uuid.nullish().describe(
    'The post to pay for. Exactly one of `postId`, `replyId` and `receiverId` is required.',
  ),
  replyId: Uuid.nullish().describe('The reply to pay for.'),
  receiverId: PersonParam.nullish().describe('The person to pay.'),
})

export const Payment = z
  .object({
    id: Uuid,
    senderId: z.string().nullable().describe('An actor id; null if you cannot see the person.'),
    sender: PersonCard.nullable().describe('Who paid; null if you cannot see the person.'),
    receiverId: z.string().nullable().describe('An actor id; null if you cannot see the person.'),
    receiver: PersonCard.nullable().describe(
      'Who was paid; for a post or a reply its author. Null if you cannot see the person.',
    ),
    emotion: Emotion,
    tier: Tier,
    amount: z.int().describe('The mana that left or reached your wallet; if you were paid, your own share.'),
    total: z.int().describe('The whole amount of the payment.'),
    splits: z
      .array(
        z.object({
          receiverId: z.string().nullable().describe('An actor id; null if you cannot see the person.'),
          amount: z.int().describe('Whole mana that this person got.'),
        }),
      )
      .describe(
        'The recipients and their shares, `receiver` first. If you were paid, only your own share. The share of a co-author whom you cannot see is included in that of the author.',
      ),
    postId: Uuid.nullable().describe(
      'The post that was paid for; null if it was a reply or a person, or if you cannot see it.',
    ),
    replyId: Uuid.nullable().describe('The reply that was paid for; null if it was a post or a person.'),
    reversed: z.boolean().describe('Whether this row is a reversal of another payment.'),
    reversalOf: Uuid.nullable().describe('The payment that this row reverses; null for a payment.'),
    createdAt: Timestamp,
  })
  .openapi('Payment', { description: 'A person whom you cannot see (blocked, banned or erased) is null.' })

export const Paid = z.object({ payment: Payment, senderBalance: SenderBalance }).openapi('Paid')
export const PaymentPage = Page(Payment)
export const PaymentsQuery = z.object({
  direction: z
    .enum(['sent', 'received'])
    .optional()
    .describe('Only what you sent, or only what you received. Default: both.'),
})

export const PostParam = z.object({ postId: Uuid.describe('The id of a post.') })
export const PostBreakdown = z.object({
  emojiBreakdown: z
    .record(
      z.string(),
      z.object({ count: z.int().describe('The number of payments.'), total: z.int().describe('Whole mana.') }),
    )
    .openapi('EmojiBreakdown')
    .describe('The payments by emotion. An emotion without payments is left out.'),
})

export const NewBoost = z.object({
  tier: z
    .union([z.literal(1), z.literal(2)])
    .describe('1: 10 mana, score × 1.5 for 24 hours. 2: 25 mana, score × 2 for 48 hours.'),
})
export const Boosted = z
  .object({
    boost: z
      .object({
        id: Uuid,
        postId: Uuid,
        tier: z.int().describe('1 or 2.'),
        cost: z.int().describe('Whole mana that you paid.'),
        multiplier: z
          .number()
          .describe('The factor by which the score of the post in the feed is multiplied until `expiresAt`.'),
        createdAt: Timestamp,
        expiresAt: Timestamp,
      })
      .describe('The boost as it was bought.'),
    senderBalance: SenderBalance,
  })
  .openapi('Boosted')
