// Schemas of treasuries. Rules are in sql/treasury.
import { SenderBalance } from '../../lib/fields.ts'
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const amount = z.int().min(1).max(1_000_000_000).describe('Whole mana.')
const note = z.string().max(5000).describe('A note for the members, up to 500 characters.')
const balance = z.int().min(0)

export const GuildParam = z.object({
  guildId: z.string().trim().min(1).max(60).openapi({
    description: 'The id of a guild, or its slug.',
    example: '00000000-0000-4000-8000-000000000000',
  }),
})
export const NewContribution = z.object({ amount, note: note.nullish() }).openapi('NewContribution')
export const NewDisbursement = z
  .object({ recipientId: PersonParam, amount, note: note.trim().min(1) })
  .openapi('NewDisbursement')
export const NewDistribution = z.object({ amount, note: note.nullish() }).openapi('NewDistribution')

const TreasuryEntry = z
  .object({
    id: Uuid,
    kind: z
      .enum(['contribution', 'disbursement', 'distribution'])
      .describe(
        '`contribution`: a member gave it. `disbursement`: one person got it. `distribution`: a member’s share.',
      ),
    actor: PersonCard.nullable().describe(
      'Who moved the mana; null if a proposal did, or if you cannot see the person.',
    ),
    counterpart: PersonCard.nullable().describe('Who gave or received the mana; null if you cannot see the person.'),
    proposalId: Uuid.nullable().describe('The proposal that moved the mana; null if a person did.'),
    amount: z.int().describe('Whole mana: positive if it came in, negative if it went out.'),
    balanceAfter: balance.describe('The balance of the treasury afterwards, in whole mana.'),
    note: z.string().nullable().describe('What the actor wrote; null if nothing, or if you cannot see them.'),
    createdAt: Timestamp,
  })
  .openapi('TreasuryEntry')
export const Treasury = z
  .object({
    balance: balance.describe('The balance of the treasury, in whole mana.'),
    ...Page(TreasuryEntry).shape,
  })
  .openapi('Treasury')
export const Contributed = z
  .object({
    entry: TreasuryEntry.describe('The movement that this request made.'),
    treasuryBalance: balance.describe('The balance of the treasury now, in whole mana.'),
    senderBalance: SenderBalance,
  })
  .openapi('Contributed')
export const Disbursed = z
  .object({
    entry: TreasuryEntry.describe('The movement that this request made.'),
    treasuryBalance: balance.describe('The balance of the treasury now, in whole mana.'),
  })
  .openapi('Disbursed')
export const Distributed = z
  .object({
    shares: z
      .array(
        z.object({
          recipientId: z.string().nullable().describe('An actor id; null if you cannot see the person.'),
          score: z.number().describe('The contribution score by which the share was computed.'),
          amount: z.int().min(1).describe('Whole mana.'),
        }),
      )
      .describe('The members who got something, in the order in which they joined.'),
    treasuryBalance: balance.describe('The balance of the treasury now, in whole mana.'),
  })
  .openapi('Distributed')
