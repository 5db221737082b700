// Schemas of the market. Rules are in sql/market.
import { ActorId, RemovedAt, SenderBalance } from '../../lib/fields.ts'
import { Page, PersonCard, PersonParam, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'
import { Attachment } from '../media/schemas.ts'

const priceMana = z.int().min(1).max(1_000_000).describe('Whole mana that an order costs.')
const stock = z.int().min(0).max(1_000_000).nullish().describe('How many can be ordered; null for no limit.')
const deliveryDays = z
  .int()
  .min(1)
  .max(60)
  .describe('Within how many days after accepting an order the seller should deliver.')
const text = z.string().max(5000).describe('Up to 2000 characters.')

export const Offering = contentOf('offering', z.string(), {
  description: z.string().describe('Markdown as the seller wrote it.'),
  priceMana: z.int().describe('Whole mana that an order costs.'),
  stock: z.int().nullable().describe('How many can still be ordered; null for no limit.'),
  deliveryDays: z.int().describe('Within how many days after accepting an order the seller should deliver.'),
  status: z
    .enum(['active', 'paused', 'sold_out'])
    .describe(
      '`paused`: the seller takes no orders for now. `sold_out`: the offering is not paused, but the stock is 0.',
    ),
  ratingAverage: z
    .number()
    .nullable()
    .describe('The mean of the stars, from 1 to 5 with two decimals; null without a review.'),
  ratingCount: z.int().describe('The number of reviews that staff did not remove.'),
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
    status: z.enum(['active', 'paused']).optional().describe('`paused` refuses new orders; `active` takes them again.'),
  })
  .openapi('OfferingChanges')

export const OfferingQuery = z.object({
  ...aboutContents,
  sellerId: PersonParam.optional().describe('The same as `authorId`; if both are given, `sellerId` counts.'),
  minPrice: queryInteger(1, 1_000_000).optional().describe('Only offerings that cost this much mana or more.'),
  maxPrice: queryInteger(1, 1_000_000).optional().describe('Only offerings that cost this much mana or less.'),
  sort: z
    .enum(['new', 'price', 'rating'])
    .optional()
    .describe('`new`: newest first, the default. `price`: cheapest first. `rating`: best first.'),
})

export const OrderState = z
  .enum(['held', 'accepted', 'delivered', 'disputed', 'declined', 'cancelled', 'expired', 'completed', 'resolved'])
  .describe(
    '`held`: the mana is held and the seller has not answered. `completed` pays the seller; `declined`, `cancelled` and `expired` give the mana back; `resolved` divides it as an admin decided.',
  )
const orderFields = {
  quantity: z.literal(1).describe('How many the buyer ordered: always 1.'),
  priceMana: z.int().describe('Whole mana that the buyer pays.'),
  state: OrderState,
  note: z.string().nullable().describe('What the buyer wrote with the order; null if nothing.'),
  deliveryNote: z.string().nullable().describe('What the seller wrote with the delivery; null before the delivery.'),
  attachment: Attachment.nullable().describe('The file that the seller delivered; null if there is none.'),
  disputeReason: z
    .string()
    .nullable()
    .describe('What the buyer wrote when disputing the order; null if there was no dispute.'),
  refundMana: z
    .int()
    .nullable()
    .describe('The mana of a resolved order that went back to the buyer; null for other orders.'),
  deadlineAt: Timestamp.nullable().describe(
    'When the seller should deliver at the latest; null until the order is accepted.',
  ),
  createdAt: Timestamp,
  history: z
    .array(
      z.object({
        state: OrderState.describe('The state of the order after the step.'),
        by: z
          .enum(['buyer', 'seller', 'worker', 'admin'])
          .describe(
            'Who took the step; `worker` if a deadline passed, or if the buyer or the seller was banned or erased.',
          ),
        at: Timestamp,
      }),
    )
    .describe('The steps so far, the first one first.'),
}
export const Order = z
  .object({
    id: Uuid,
    offering: z
      .object({
        id: Uuid.nullable().describe('The id of the offering; null if you can no longer see it.'),
        title: z.string().describe('The title at the time of the order.'),
        description: z.string().describe('Markdown, as it was at the time of the order.'),
        priceMana: z.int().describe('The price at the time of the order, in whole mana.'),
        deliveryDays: z.int().describe('The days of delivery at the time of the order.'),
      })
      .describe('The offering as it was at the time of the order. `id` is null if you can no longer see it.'),
    buyerId: z.string().nullable().describe('An actor id; null if you cannot see the person.'),
    buyer: PersonCard.nullable().describe('Who buys; null if you cannot see the person.'),
    sellerId: z.string().nullable().describe('An actor id; null if you cannot see the person.'),
    seller: PersonCard.nullable().describe('Who sells; null if you cannot see the person.'),
    ...orderFields,
  })
  .openapi('Order', { description: 'A person whom you cannot see (blocked, banned or erased) is null.' })
export const OrderPage = Page(Order)
export const OrdersQuery = z.object({
  role: z.enum(['buyer', 'seller']).optional().describe('Only what you bought, or only what you sold. Default: both.'),
  state: OrderState.optional().describe('Only orders in this state.'),
})
export const NewOrder = z
  .object({
    expectedPrice: priceMana.describe('The price that you saw. 409 if the offering now has another price.'),
    note: text.nullish().describe('A note for the seller, up to 2000 characters.'),
  })
  .openapi('NewOrder')
export const PlacedOrder = z.object({ order: Order, senderBalance: SenderBalance }).openapi('PlacedOrder')
export const Delivery = z
  .object({
    deliveryNote: text.describe('A note for the buyer, 1 to 2000 characters.'),
    assetId: Uuid.nullish().describe('A committed media asset of yours that the buyer gets, except an avatar.'),
  })
  .openapi('Delivery')
export const Dispute = z
  .object({ reason: text.describe('The reason, for staff and the seller, 1 to 2000 characters.') })
  .openapi('Dispute')

export const NewReview = z
  .object({ stars: z.int().min(1).max(5).describe('1 (poor) to 5 (very good).'), text: text.nullish() })
  .openapi('NewReview')
export const Review = z
  .object({
    id: Uuid,
    orderId: Uuid.nullable().describe('The id of the order; null for everybody except the buyer and the seller.'),
    authorId: ActorId,
    author: PersonCard,
    stars: z.int().describe('1 (poor) to 5 (very good).'),
    text: z.string().nullable().describe('What the buyer wrote; null if nothing.'),
    createdAt: Timestamp,
    removedAt: RemovedAt,
  })
  .openapi('Review')
export const ReviewPage = Page(Review)
