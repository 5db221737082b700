// Schemas of the admin panel's routes.

import { AboutInterest, GroupId, GuildId, HiddenAt, LimitedAt, RemovedAt, SuspendedUntil } from '../../lib/fields.ts'
import { IdParam, Moment, Page, PersonCard, PersonParam, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Emotion, Tier, Wallet } from '../economy/schemas.ts'
import { Order, OrderState } from '../market/schemas.ts'
import { Appeal, AppealStatus, Level } from '../reputation/schemas.ts'
import { WikiProposal, WikiStatus } from '../wiki/schemas.ts'
import { narrowing } from './list-schemas.ts'

export const Generation = z.object({ count: z.int().min(1).max(100).describe('How many codes, from 1 to 100.') })
export const GeneratedCodes = z
  .object({
    items: z
      .array(
        z.object({
          id: Uuid,
          code: z.string().describe('The code that a candidate enters, such as `INV-7KQ2ZM`.'),
          status: z.literal('active').describe('A new code can be reserved.'),
          expiresAt: Timestamp,
        }),
      )
      .describe('The new codes, which belong to you.'),
  })
  .openapi('GeneratedCodes')

/** How staff identify people: as everyone does, or by UUID. */
const AnyPerson = PersonParam.describe('A UUID, an actor id or a username.')

export const AppealsQuery = z.object({
  status: AppealStatus.optional().describe('Only appeals with this status.'),
  userId: AnyPerson.optional(),
  interestId: Uuid.optional().describe('Only appeals about this interest.'),
  ...narrowing,
})
export const StaffAppeal = Appeal.extend({
  userId: Uuid.describe('The internal id.'),
  user: PersonCard,
}).openapi('StaffAppeal')
export const StaffAppealPage = Page(StaffAppeal)

const Delta = z.number().multipleOf(0.01)
export const Resolution = z
  .object({
    decision: z
      .enum(['accepted', 'rejected'])
      .describe('The decision. It is final, because an appeal is decided once.'),
    restoreDelta: Delta.positive()
      .max(1000)
      .nullish()
      .describe('Points to give back, above 0 and up to 1000, at most two decimals. Only with `accepted`.'),
    note: z.string().trim().max(1000).nullish().describe('An answer that the person reads, up to 1000 characters.'),
  })
  .openapi('AppealResolution')
export const Adjustment = z
  .object({
    userId: AnyPerson,
    interestId: Uuid,
    delta: Delta.min(-1000)
      .max(1000)
      .refine((delta) => delta !== 0, 'must not be 0')
      .describe('Points to add or, below 0, to take; at most two decimals, not 0.'),
    note: z.string().trim().min(1).max(1000).describe('The reason, 1 to 1000 characters, for the audit log only.'),
  })
  .openapi('ReputationAdjustment')
export const Adjusted = z
  .object({
    id: Uuid.describe('The id of the ledger entry.'),
    userId: Uuid.describe('The internal id.'),
    user: PersonCard,
    interestId: Uuid,
    delta: z.number().describe('The points that were added or taken.'),
    value: z.number().describe('The person’s current reputation in the interest.'),
    level: Level,
  })
  .openapi('AdjustedReputation')

/** A person in a path, as staff identify them. */
export const AnyPersonId = z.object({ id: AnyPerson.openapi(shared('id.anyPerson')) })
const reason = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .describe(
    'The reason, 1 to 1000 characters, for the audit log and for the person, who reads it at `GET /me/standing`.',
  )
export const Ban = z
  .object({
    reason,
    until: Moment.nullish().describe(
      'When the ban ends by itself: in the future, at most 366 days from now. Without it the ban has no end.',
    ),
    alsoOwner: z
      .boolean()
      .optional()
      .describe('For a bot: whether to ban its owner, with all their bots. 422 `owner_unknown` for a person.'),
  })
  .openapi('Ban', { example: { reason: 'Advertisements in every thread.' } })
export const Limit = z.object({ reason }).openapi('Limit')
export const Role = z
  .enum(['user', 'moderator', 'admin'])
  .describe(
    'What the person may do: a `moderator` hides posts and replies and settles reports, an `admin` does everything.',
  )
export const RoleChange = z.object({ role: Role }).openapi('RoleChange')
export const StaffAccount = z
  .object({
    id: Uuid.describe('The internal id.'),
    user: PersonCard,
    role: Role,
    bannedAt: Timestamp.nullable().describe('When the person was banned; null if they are not banned.'),
    suspendedUntil: SuspendedUntil,
    limitedAt: LimitedAt,
  })
  .openapi('StaffAccount')

export const Reason = z
  .object({ reason: z.string().trim().max(1000).nullish().describe('The reason, for the audit log.') })
  .optional()
export const Hidden = z.object({ id: Uuid, hiddenAt: HiddenAt }).openapi('Hidden')

const ContentKinds = z
  .string()
  .regex(/^[a-z]{1,30}$/, 'must be a kind in the plural such as videos')
  .openapi({ description: 'Such as `videos` or `audio`.', example: 'videos' })
export const ContentParams = z.object({ kind: ContentKinds, id: IdParam })
export const ContentQuery = z.object({
  kind: ContentKinds.optional().describe(
    'Only contents of this kind, or children of this kind, such as `videos` or `arguments`.',
  ),
  status: z
    .enum(['visible', 'removed'])
    .optional()
    .describe('`removed`: only what staff removed; `visible`: only the rest.'),
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('An id, or words of the title or text. All must occur as whole words; case and accents are ignored.'),
  from: Moment.optional().describe('Only what was created at this time or later.'),
  to: Moment.optional().describe('Only what was created before this time.'),
})
export const Removed = z
  .object({ id: Uuid, kind: z.string().describe('The kind in the singular, such as `video`.'), removedAt: RemovedAt })
  .openapi('Removed')
export const StaffContent = z
  .object({
    id: Uuid,
    kind: z.string().openapi({ description: 'The kind in the singular.', example: 'video' }),
    authorId: Uuid.describe('The internal id.'),
    author: PersonCard,
    interestId: AboutInterest,
    title: z.string().nullable().describe('The title, for kinds that have one; null for the others.'),
    groupId: GroupId,
    guildId: GuildId,
    detail: z.record(z.string(), z.unknown()).describe('The fields of its kind, as in its card.'),
    createdAt: Timestamp,
    editedAt: Timestamp.nullable().describe(
      'When its author last edited it; null if never, and for children of contents.',
    ),
    removedAt: RemovedAt,
  })
  .openapi('StaffContent')
export const StaffContentPage = Page(StaffContent)

export const ConversationsQuery = z.object({
  kind: z.enum(['direct', 'group']).optional().describe('Only conversations of two people, or only groups.'),
  ...narrowing,
})
export const StaffConversationPage = Page(
  z
    .object({
      id: Uuid,
      kind: z
        .enum(['direct', 'group'])
        .describe('`direct`: always the same two people. `group`: an owner and up to 49 others.'),
      memberCount: z.int().min(0).max(50).describe('Current members.'),
      messageCount: z
        .int()
        .min(0)
        .describe('All messages that were ever sent, including system messages and deleted ones.'),
      lastMessageAt: Timestamp.nullable().describe('When the latest message was sent; null before the first.'),
      createdAt: Timestamp,
    })
    .openapi('StaffConversation'),
)

export const Books = z
  .object({
    sound: z
      .boolean()
      .nullable()
      .describe(
        '`true` if the latest audits of the mana ledger and of the treasuries found no violation, `false` if one of them did. Null if no violation was found, but one of the audits has not run yet.',
      ),
    ledgers: z
      .array(
        z.object({
          ledger: z.enum(['mana', 'treasuries']).describe('The ledger that was audited.'),
          auditedAt: Timestamp.nullable().describe('When the latest audit ended; null before the first audit.'),
          violations: z.int().nullable().describe('How many violations it found; null before the first audit.'),
          findings: z
            .array(
              z.object({
                rule: z.string().describe('The rule that is broken.'),
                subjectId: Uuid.nullable().describe(
                  'The transaction, account, payment or row that breaks the rule; null if it is none of these.',
                ),
                expected: z.int().nullable().describe('The number that the rule gives; null if there is none.'),
                found: z.int().nullable().describe('The number that is stored; null if there is none.'),
              }),
            )
            .describe('The first 100 violations.'),
        }),
      )
      .describe('The audit of the mana ledger, then the audit of the treasuries.'),
  })
  .openapi('Books')

export const EconomyQuery = z.object({ userId: AnyPerson.optional(), ...narrowing })
const InternalId = Uuid.describe('The internal id.')
export const StaffWalletPage = Page(
  Wallet.extend({
    id: Uuid.describe('The internal id of the owner.'),
    balance: z.int().describe('Whole mana when the wallet was last settled.'),
    user: PersonCard,
    createdAt: Timestamp,
  }).openapi('StaffWallet'),
)
export const StaffPayment = z
  .object({
    id: Uuid,
    senderId: InternalId,
    sender: PersonCard,
    receiverId: InternalId,
    receiver: PersonCard,
    emotion: Emotion,
    tier: Tier,
    amount: z.int().describe('Whole mana that the sender paid.'),
    splits: z
      .array(z.object({ receiverId: InternalId, amount: z.int().describe('Whole mana that this person got.') }))
      .describe('The share of each recipient, the author first.'),
    postId: Uuid.nullable().describe('The post that was paid for; null if it was a reply or a person.'),
    replyId: Uuid.nullable().describe('The reply that was paid for; null if it was a post or a person.'),
    reversed: z.boolean().describe('Whether this row is a reversal of another payment.'),
    reversalOf: Uuid.nullable().describe('The payment that this row reverses; null for a payment.'),
    reversedBy: Uuid.nullable().describe('The reversal of this payment; null if there is none.'),
    createdAt: Timestamp,
  })
  .openapi('StaffPayment')
export const StaffPaymentPage = Page(StaffPayment)
export const NewReversal = z
  .object({
    reason: z.string().trim().min(1).max(1000).describe('The reason, 1 to 1000 characters, for the audit log.'),
    force: z
      .boolean()
      .nullish()
      .describe('`true` reverses it even if a recipient has too little mana: what is missing is newly created.'),
  })
  .openapi('NewReversal')
export const Reversal = z
  .object({
    payment: StaffPayment.describe('The reversal.'),
    minted: z.int().describe('The mana that the recipients lacked and that was newly created.'),
  })
  .openapi('Reversal')
export const StaffOrder = Order.extend({
  buyerId: Uuid.describe('The internal id.'),
  buyer: PersonCard,
  sellerId: Uuid.describe('The internal id.'),
  seller: PersonCard,
}).openapi('StaffOrder', { description: 'An order with all fields.' })
export const StaffOrderPage = Page(StaffOrder)
export const StaffOrdersQuery = z.object({ state: OrderState.optional().describe('Only orders in this state.') })
export const OrderResolution = z
  .object({
    refundMana: z
      .int()
      .min(0)
      .max(1_000_000)
      .describe('Whole mana that goes back to the buyer, up to the price; the seller gets the rest.'),
    note: z.string().trim().min(1).max(1000).describe('The reason, 1 to 1000 characters, for the audit log.'),
  })
  .openapi('OrderResolution')
export const Announcement = z.object({
  title: z.string().trim().min(1).max(100).describe('1 to 100 characters, one line.'),
  body: z.string().trim().min(1).max(1000).describe('1 to 1000 characters.'),
})
export const Broadcast = z
  .object({
    id: Uuid,
    title: z.string().describe('The headline of the notification.'),
    body: z.string().describe('The text of the notification; a push does not have it.'),
    createdAt: Timestamp,
  })
  .openapi('Broadcast')

export const BroadcastPreview = z
  .object({
    title: z.string().describe('The headline as people would read it.'),
    body: z.string().describe('The text as people would read it.'),
    recipients: z.int().describe('How many people would be notified now.'),
    push: z.string().describe('What a push would say.'),
  })
  .openapi('BroadcastPreview')

export const WikiProposalsQuery = z.object({
  status: WikiStatus.optional().describe('Only proposals with this status.'),
  ...narrowing,
})
export const StaffWikiProposal = WikiProposal.omit({ viewer: true })
  .extend({ proposerId: Uuid.describe('The internal id.') })
  .openapi('StaffWikiProposal')
export const StaffWikiProposalPage = Page(StaffWikiProposal)
