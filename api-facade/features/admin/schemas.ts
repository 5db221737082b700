// Shapes of the admin panel's routes.

import { Moment, Page, PersonCard, PersonParam, shared, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Emotion, Tier, Wallet } from '../economy/schemas.ts'
import { Order, OrderState } from '../market/schemas.ts'
import { Appeal, AppealStatus, Level } from '../reputation/schemas.ts'
import { WikiProposal, WikiStatus } from '../wiki/schemas.ts'
import { narrowing } from './list-schemas.ts'

export const Generation = z.object({ count: z.int().min(1).max(100) })
export const GeneratedCodes = z
  .object({
    items: z.array(z.object({ id: Uuid, code: z.string(), status: z.literal('active'), expiresAt: Timestamp })),
  })
  .openapi('GeneratedCodes')

/** How staff identify people: as everyone does, or by UUID. */
const AnyPerson = PersonParam.describe('A UUID, an actor id or a username.')

export const AppealsQuery = z.object({
  status: AppealStatus.optional(),
  userId: AnyPerson.optional(),
  interestId: Uuid.optional(),
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
    decision: z.enum(['accepted', 'rejected']),
    restoreDelta: Delta.positive().max(1000).nullish(),
    note: z.string().trim().max(1000).nullish(),
  })
  .openapi('AppealResolution')
export const Adjustment = z
  .object({
    userId: AnyPerson,
    interestId: Uuid,
    delta: Delta.min(-1000)
      .max(1000)
      .refine((delta) => delta !== 0, 'must not be 0'),
    note: z.string().trim().min(1).max(1000),
  })
  .openapi('ReputationAdjustment')
export const Adjusted = z
  .object({
    id: Uuid.describe('The id of the ledger entry.'),
    userId: Uuid.describe('The internal id.'),
    user: PersonCard,
    interestId: Uuid,
    delta: z.number(),
    value: z.number().describe('The person’s current reputation in the interest.'),
    level: Level,
  })
  .openapi('AdjustedReputation')

/** A person in a path, as staff identify them. */
export const AnyPersonId = z.object({ id: AnyPerson.openapi(shared('id.anyPerson')) })
export const Ban = z.object({ reason: z.string().trim().min(1).max(1000) }).openapi('Ban')
export const Role = z.enum(['user', 'moderator', 'admin'])
export const RoleChange = z.object({ role: Role }).openapi('RoleChange')
export const StaffAccount = z
  .object({
    id: Uuid.describe('The internal id.'),
    user: PersonCard,
    role: Role,
    bannedAt: Timestamp.nullable(),
  })
  .openapi('StaffAccount')

export const Reason = z
  .object({ reason: z.string().trim().max(1000).nullish().describe('For the audit log.') })
  .optional()
export const Hidden = z.object({ id: Uuid, hiddenAt: Timestamp.nullable() }).openapi('Hidden')

const ContentKinds = z
  .string()
  .regex(/^[a-z]{1,30}$/, 'must be a kind in the plural such as videos')
  .openapi({ description: 'Such as `videos` or `audio`.', example: 'videos' })
export const ContentParams = z.object({ kind: ContentKinds, id: Uuid })
export const ContentQuery = z.object({
  kind: ContentKinds.optional(),
  status: z.enum(['visible', 'removed']).optional(),
  q: z.string().trim().min(1).max(200).optional(),
  from: Moment.optional(),
  to: Moment.optional(),
})
export const Removed = z.object({ id: Uuid, kind: z.string(), removedAt: Timestamp.nullable() }).openapi('Removed')
export const StaffContent = z
  .object({
    id: Uuid,
    kind: z.string().openapi({ description: 'In the singular.', example: 'video' }),
    authorId: Uuid.describe('The internal id.'),
    author: PersonCard,
    interestId: Uuid.nullable(),
    title: z.string().nullable(),
    groupId: Uuid.nullable(),
    guildId: Uuid.nullable(),
    detail: z.record(z.string(), z.unknown()).describe('The fields of its kind, as in its card.'),
    createdAt: Timestamp,
    editedAt: Timestamp.nullable(),
    removedAt: Timestamp.nullable(),
  })
  .openapi('StaffContent')
export const StaffContentPage = Page(StaffContent)

export const ConversationsQuery = z.object({ kind: z.enum(['direct', 'group']).optional(), ...narrowing })
export const StaffConversationPage = Page(
  z
    .object({
      id: Uuid,
      kind: z.enum(['direct', 'group']),
      memberCount: z.int().min(0).max(50),
      messageCount: z.int().min(0),
      lastMessageAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffConversation'),
)

export const EconomyQuery = z.object({ userId: AnyPerson.optional(), ...narrowing })
const InternalId = Uuid.describe('The internal id.')
export const StaffWalletPage = Page(
  Wallet.extend({
    id: Uuid.describe('The internal id of its person.'),
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
    amount: z.int(),
    splits: z.array(z.object({ receiverId: InternalId, amount: z.int() })),
    postId: Uuid.nullable(),
    replyId: Uuid.nullable(),
    reversed: z.boolean(),
    reversalOf: Uuid.nullable(),
    reversedBy: Uuid.nullable().describe('The payment that reversed this one.'),
    createdAt: Timestamp,
  })
  .openapi('StaffPayment')
export const StaffPaymentPage = Page(StaffPayment)
export const NewReversal = z
  .object({ reason: z.string().trim().min(1).max(1000), force: z.boolean().nullish() })
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
export const StaffOrdersQuery = z.object({ state: OrderState.optional() })
export const OrderResolution = z
  .object({ refundMana: z.int().min(0).max(1_000_000), note: z.string().trim().min(1).max(1000) })
  .openapi('OrderResolution')
export const Announcement = z.object({
  title: z.string().trim().min(1).max(100),
  body: z.string().trim().min(1).max(1000),
})
export const Broadcast = z
  .object({ id: Uuid, title: z.string(), body: z.string(), createdAt: Timestamp })
  .openapi('Broadcast')

export const WikiProposalsQuery = z.object({
  status: WikiStatus.optional(),
  ...narrowing,
})
export const StaffWikiProposal = WikiProposal.omit({ viewer: true })
  .extend({ proposerId: Uuid.describe('The internal id.') })
  .openapi('StaffWikiProposal')
export const StaffWikiProposalPage = Page(StaffWikiProposal)
