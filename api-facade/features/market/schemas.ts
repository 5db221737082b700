// Shapes of the market. Rules are in sql/market.
import { Page, PersonCard, PersonParam, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'
import { Attachment } from '../media/schemas.ts'

const priceMana = z.int().min(1).max(1_000_000)
const stock = z.int().min(0).max(1_000_000).nullish().openapi({
  description: 'How many can be ordered; null for no limit.',
})
const deliveryDays = z.int().min(1).max(60)
const text = z.string().max(5000).openapi({ description: 'Up to 2000 characters.' })

export const Offering = contentOf('offering', z.string(), {
  description: z.string(),
  priceMana: z.int(),
  stock: z.int().nullable(),
  deliveryDays: z.int(),
  status: z.enum(['active', 'paused', 'sold_out']),
  ratingAverage: z.number().nullable(),
  ratingCount: z.int(),
}).openapi('Offering')
export const OfferingPage = Page(Offering)

export const NewOffering = z
  .object({ title, description: markdown, priceMana, stock, deliveryDays, interestId, ...space })
  .openapi('NewOffering', {
    example: { title: 'A portrait in ink', description: 'From a photograph.', priceMana: 20, deliveryDays: 7 },
  })
export const OfferingChanges = z
  .object({
    title: title.optional(),
    description: markdown.optional(),
    priceMana: priceMana.optional(),
    stock,
    deliveryDays: deliveryDays.optional(),
    interestId,
    status: z.enum(['active', 'paused']).optional(),
  })
  .openapi('OfferingChanges')

export const OfferingQuery = z.object({
  ...aboutContents,
  sellerId: PersonParam.optional().openapi({
    description: 'The same as `authorId`; if both are given, this one counts.',
  }),
  minPrice: queryInteger(1, 1_000_000).optional(),
  maxPrice: queryInteger(1, 1_000_000).optional(),
  sort: z.enum(['new', 'price', 'rating']).optional(),
})

export const OrderState = z.enum([
  'held',
  'accepted',
  'delivered',
  'disputed',
  'declined',
  'cancelled',
  'expired',
  'completed',
  'resolved',
])
const orderFields = {
  quantity: z.literal(1),
  priceMana: z.int(),
  state: OrderState,
  note: z.string().nullable(),
  deliveryNote: z.string().nullable(),
  attachment: Attachment.nullable(),
  disputeReason: z.string().nullable(),
  refundMana: z
    .int()
    .nullable()
    .openapi({ description: 'Only of a resolved order: the mana that went back to the buyer.' }),
  deadlineAt: Timestamp.nullable().openapi({
    description: 'When the order must be delivered. Null until it is accepted.',
  }),
  createdAt: Timestamp,
  history: z.array(z.object({ state: OrderState, by: z.enum(['buyer', 'seller', 'worker', 'admin']), at: Timestamp })),
}
export const Order = z
  .object({
    id: Uuid,
    offering: z
      .object({
        id: Uuid.nullable(),
        title: z.string(),
        description: z.string(),
        priceMana: z.int(),
        deliveryDays: z.int(),
      })
      .openapi({
        description: 'The offering as it was when it was ordered. `id` is null if you can no longer see it.',
      }),
    buyerId: z.string().nullable(),
    buyer: PersonCard.nullable(),
    sellerId: z.string().nullable(),
    seller: PersonCard.nullable(),
    ...orderFields,
  })
  .openapi('Order', { description: 'A person whom you cannot see (blocked, banned or erased) is null.' })
export const OrderPage = Page(Order)
export const OrdersQuery = z.object({ role: z.enum(['buyer', 'seller']).optional(), state: OrderState.optional() })
export const NewOrder = z
  .object({
    expectedPrice: priceMana.openapi({
      description: 'The price that you saw. 409 if the offering now has another price.',
    }),
    note: text.nullish(),
  })
  .openapi('NewOrder')
export const PlacedOrder = z.object({ order: Order, senderBalance: z.int() }).openapi('PlacedOrder')
export const Delivery = z.object({ deliveryNote: text, assetId: Uuid.nullish() }).openapi('Delivery')
export const Dispute = z.object({ reason: text }).openapi('Dispute')

export const NewReview = z.object({ stars: z.int().min(1).max(5), text: text.nullish() }).openapi('NewReview')
export const Review = z
  .object({
    id: Uuid,
    orderId: Uuid.nullable().openapi({ description: 'Only the buyer and the seller see it.' }),
    authorId: z.string(),
    author: PersonCard,
    stars: z.int(),
    text: z.string().nullable(),
    createdAt: Timestamp,
    removedAt: Timestamp.nullable().openapi({
      description: 'When staff removed it. Afterwards only its author sees it.',
    }),
  })
  .openapi('Review')
export const ReviewPage = Page(Review)
