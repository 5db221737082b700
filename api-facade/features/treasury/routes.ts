// The routes of the treasuries of guilds. Rules are in sql/treasury.
import { routes } from '../../lib/routes.ts'
import {
  Contributed,
  Disbursed,
  Distributed,
  GuildParam,
  NewContribution,
  NewDisbursement,
  NewDistribution,
  Treasury,
} from './schemas.ts'

const often =
  'Limit: 300 movements of treasuries per person and hour, unless the operator sets another one (429 `writes_exceeded`).'

/** What the feature offers, for the API's description. */
export const about = 'The treasury of a guild: contributions and payments.'

export default routes('treasury', {
  'GET /treasury/:guildId': {
    summary: 'Get the treasury of a guild, newest row first',
    description:
      'Only members of the guild can read this list, even if the guild is archived. Each row is about one person, so a distribution has a row for each share. If you cannot see a person, the row remains and the person is null.',
    access: 'user',
    fresh: 'money',
    operation: 'get_treasury',
    never: ['space_role'],
    params: GuildParam,
    page: true,
    answers: { 200: Treasury },
    outcome: 'The balance with a page of its movements.',
  },
  'POST /treasury/:guildId/contribute': {
    summary: 'Give mana to the treasury of a guild',
    description: `Nobody can do this in an archived guild. ${often}`,
    access: 'user',
    id: 'contributeToTreasury',
    operation: 'contribute',
    never: ['space_role', 'treasury_amount'],
    params: GuildParam,
    body: NewContribution,
    answers: { 201: Contributed },
    outcome: 'The movement, and the balances of the treasury and of your wallet.',
  },
  'POST /treasury/:guildId/disburse': {
    summary: 'Pay mana from the treasury to a person',
    description:
      `Only the founder and stewards can do this. They can pay anybody whom they can see, except ` +
      `themselves. Nobody can do this in an archived guild. 409 \`insufficient_mana\` if the treasury has less ` +
      `mana. ${often}`,
    access: 'user',
    id: 'disburseFromTreasury',
    operation: 'disburse',
    never: ['treasury_amount'],
    params: GuildParam,
    body: NewDisbursement,
    answers: { 201: Disbursed },
    outcome: 'The movement, and the balance of the treasury.',
  },
  'POST /treasury/:guildId/distribute-by-contribution': {
    summary: 'Distribute mana from the treasury to all members by contribution',
    description: `Only the founder and stewards can do this. The shares are proportional to the contribution scores, in whole mana, and add up to exactly \`amount\`. The remainder goes to the largest fractions and, among equal fractions, to the members who joined first. Shares of 0 and people who are banned from the instance are left out. ${often}`,
    access: 'user',
    id: 'distributeTreasury',
    operation: 'distribute',
    never: ['treasury_amount'],
    params: GuildParam,
    body: NewDistribution,
    answers: { 201: Distributed },
    outcome: 'Each member’s share, and the balance of the treasury.',
  },
})
