// Shapes of the economy. Rules are in sql/economy.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const Emotion = z.enum(['love', 'awe', 'joy', 'curiosity', 'gratitude', 'insight', 'calm', 'courage'])
export const Tier = z.int().min(0).max(5)

export const Wallet = z
  .object({ balance: z.int(), lifetimeEarned: z.int(), lifetimeSpent: z.int(), lastRegenAt: Timestamp })
  .openapi('Wallet', { description: 'Whole mana. `balance` is `lifetimeEarned` minus `lifetimeSpent`.' })

export const NewPayment = z.object({
  emotion: Emotion,
  tier: Tier.describe('Spark, Wave, Storm, Surge, Tempest, Nova: 1, 3, 10, 25, 50 and 100 mana.'),
  postId: Uuid.nullish(),
  replyId: Uuid.nullish(),
  receiverId: PersonParam.nullish(),
})

export const Payment = z
  .object({
    id: Uuid,
    senderId: z.string().nullable(),
    sender: PersonCard.nullable(),
    receiverId: z.string().nullable(),
    receiver: PersonCard.nullable(),
    emotion: Emotion,
    tier: Tier,
    amount: z.int().describe('What left or reached your wallet: your own share if you were paid.'),
    total: z.int().describe('The whole amount of the payment.'),
    splits: z
      .array(z.object({ receiverId: z.string().nullable(), amount: z.int() }))
      .describe(
        'The recipients and their shares, the author first. If you were paid, only your own share. The share of a co-author whom you cannot see is included in the author’s.',
      ),
    postId: Uuid.nullable().describe('Also null for a post that you cannot see.'),
    replyId: Uuid.nullable(),
    reversed: z.boolean(),
    reversalOf: Uuid.nullable(),
    createdAt: Timestamp,
  })
  .openapi('Payment', { description: 'A person whom you cannot see (blocked, banned or erased) is null.' })

export const Paid = z.object({ payment: Payment, senderBalance: z.int() }).openapi('Paid')
export const PaymentPage = Page(Payment)
export const PaymentsQuery = z.object({ direction: z.enum(['sent', 'received']).optional() })

export const PostParam = z.object({ postId: Uuid })
export const PostBreakdown = z.object({
  emojiBreakdown: z.record(z.string(), z.object({ count: z.int(), total: z.int() })).openapi('EmojiBreakdown'),
})

export const NewBoost = z.object({
  tier: z
    .union([z.literal(1), z.literal(2)])
    .describe('1: 10 mana, score × 1.5 for 24 hours. 2: 25 mana, score × 2 for 48 hours.'),
})
export const Boosted = z
  .object({
    boost: z.object({
      id: Uuid,
      postId: Uuid,
      tier: z.int(),
      cost: z.int(),
      multiplier: z.number(),
      createdAt: Timestamp,
      expiresAt: Timestamp,
    }),
    senderBalance: z.int(),
  })
  .openapi('Boosted')
