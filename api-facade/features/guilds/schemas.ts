// Shapes of guilds. Rules are in sql/spaces and sql/guilds.
import { Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { about, accent, left, memberCount, memberWith, name, newSlug, requestWith, spaceId } from '../spaces/schemas.ts'

const minRep = z.int().min(0).max(1000).describe('The reputation that applicants need in the interest of the guild.')
const role = z.enum(['founder', 'steward', 'member'])

const id = spaceId('id.guild', 'The id or slug of a guild.')
export const GuildId = z.object({ id })
export const GuildMemberId = z.object({ id, userId: PersonParam })
export const GuildApplicationId = z.object({ id, aid: Uuid })

export const NewGuild = z
  .object({
    name,
    interestId: Uuid,
    slug: newSlug('lichen-keepers').optional(),
    about: about.optional(),
    charter: z.string().max(100_000).optional().describe('Markdown, up to 20,000 characters.'),
    minRep: minRep.optional(),
    accent: accent.optional(),
  })
  .openapi('NewGuild')
export const GuildChanges = z
  .object({ name: name.optional(), about: about.nullish(), minRep: minRep.optional(), accent: accent.optional() })
  .openapi('GuildChanges')
export const HandOver = z.object({ role: z.literal('founder') })
export const LeftGuild = left.openapi('LeftGuild')

export const Guild = z
  .object({
    id: Uuid,
    slug: z.string(),
    name: z.string(),
    about: z.string(),
    charter: z.string(),
    charterVersion: z.int().min(1),
    interestId: Uuid,
    minRep,
    accent: z.string().nullable(),
    status: z.enum(['active', 'archived']),
    memberCount,
    stewardCount: z.int().min(0).describe('The number of stewards, without the founder.'),
    treasuryBalance: z.int().min(0).nullable().describe('Only for members, otherwise null.'),
    archivedAt: Timestamp.nullable(),
    createdAt: Timestamp,
    viewer: z.object({
      role: role.nullable(),
      status: z.enum(['none', 'pending', 'member']),
      applicationId: Uuid.nullable().describe('The id of your pending application.'),
    }),
  })
  .openapi('Guild')
export const GuildPage = Page(Guild)

export const CharterPage = Page(
  z
    .object({
      version: z.int().min(1),
      charter: z.string(),
      proposalId: Uuid.nullable().describe('The proposal that introduced this version; null for the first charter.'),
      createdAt: Timestamp,
    })
    .openapi('Charter'),
)
export const GuildMember = memberWith(role).openapi('MemberOfGuild')
export const GuildMemberPage = Page(GuildMember)
export const Application = requestWith({ guildId: Uuid }).openapi('GuildApplication')
export const ApplicationPage = Page(Application)

const proposalKind = z.enum(['general', 'charter', 'steward', 'expel', 'disburse'])
const proposalStatus = z.enum([
  ...(['open', 'passed', 'failed', 'expired', 'withdrawn', 'force_closed', 'executed', 'execution_failed'] as const),
])
export const GuildProposalId = z.object({ id, pid: Uuid })
export const ProposalQuery = z.object({ status: proposalStatus.optional() })
export const NewProposal = z
  .object({
    kind: proposalKind,
    title: z.string().trim().min(1).max(200),
    body: z.string().max(100_000).optional().describe('Markdown, up to 20,000 characters.'),
    payload: z
      .object({
        charter: z.string().max(100_000).optional(),
        userId: PersonParam.optional(),
        grant: z.boolean().optional(),
        recipientId: PersonParam.optional(),
        amount: z.int().min(1).max(1_000_000_000).optional(),
      })
      .optional()
      .describe(
        'The fields depend on the kind: `charter` {charter}, `steward` {userId, grant}, `expel` {userId}, `disburse` {recipientId, amount}.',
      ),
    closesAt: Moment.optional().describe('1 hour to 30 days from now; default 72 hours.'),
  })
  .openapi('NewProposal', {
    example: { kind: 'charter', title: 'A charter', body: 'Since we have none.', payload: { charter: '# We sing' } },
  })
export const Vote = z.object({ value: z.enum(['yes', 'no', 'abstain']) })
const Summary = z
  .object({
    id: Uuid,
    guildId: Uuid,
    kind: proposalKind,
    title: z.string(),
    body: z.string(),
    payload: z
      .object({
        charter: z.string().optional(),
        userId: z.string().nullable().optional(),
        grant: z.boolean().optional(),
        recipientId: z.string().nullable().optional(),
        amount: z.int().optional(),
      })
      .describe('Null if you cannot see the person.'),
    proposer: PersonCard.nullable().describe('Null if you cannot see the person.'),
    status: proposalStatus,
    reason: z.string().nullable().describe('The error code of the failed execution.'),
    closesAt: Timestamp,
    decidedAt: Timestamp.nullable(),
    executedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('ProposalSummary')
export const ProposalPage = Page(Summary)
const count = z.int().min(0)
export const Proposal = Summary.extend({
  tally: z
    .object({ yes: count, no: count, abstain: count, eligible: count, quorum: count })
    .describe('The current tally; the final one after the decision.'),
  viewer: z.object({ vote: z.enum(['yes', 'no', 'abstain']).nullable() }),
}).openapi('Proposal')
