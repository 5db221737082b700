// Treasuries of guilds. Rules are in sql/treasury.
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
  'At most 300 movements of treasuries an hour and person, unless an operator sets another number: 429 `writes_exceeded`.'

export default routes('treasury', {
  'GET /treasury/:guildId': {
    summary: 'The treasury of my guild, newest row first',
    description:
      'For its members, also of an archived guild. A row a person: a distribution has one for each share. A row stays when its person is hidden, who is null then.',
    access: 'user',
    operation: 'get_treasury',
    never: ['space_role'],
    params: GuildParam,
    page: true,
    answers: { 200: Treasury },
  },
  'POST /treasury/:guildId/contribute': {
    summary: 'Give mana to the treasury of my guild',
    description: `An archived guild takes none. ${often}`,
    access: 'user',
    operation: 'contribute',
    never: ['space_role', 'treasury_amount'],
    params: GuildParam,
    body: NewContribution,
    idempotent: true,
    answers: { 201: Contributed },
  },
  'POST /treasury/:guildId/disburse': {
    summary: 'Give mana of the treasury to somebody',
    description: `For the founder and stewards, to anybody whom they see but themselves. An archived guild gives none. 409 \`insufficient_mana\` when the treasury has less. ${often}`,
    access: 'user',
    operation: 'disburse',
    never: ['treasury_amount'],
    params: GuildParam,
    body: NewDisbursement,
    idempotent: true,
    answers: { 201: Disbursed },
  },
  'POST /treasury/:guildId/distribute-by-contribution': {
    summary: 'Give mana of the treasury to all members, by their contribution',
    description: `For the founder and stewards. The shares add up to \`amount\` exactly: by score, in whole mana, and what rounding leaves goes to the largest remainders, of equal ones to who joined first. Shares of nothing are left out, and so is who is banned from the instance. ${often}`,
    access: 'user',
    operation: 'distribute',
    never: ['treasury_amount'],
    params: GuildParam,
    body: NewDistribution,
    idempotent: true,
    answers: { 201: Distributed },
  },
})
