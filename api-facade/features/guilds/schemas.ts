// Schemas of guilds. Rules are in sql/spaces and sql/guilds.
import { ArchivedAt, Colour, SettledAt, SpaceAbout, SpaceName, SpaceSlug } from '../../lib/fields.ts'
import { IdParam, Moment, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { about, accent, left, memberCount, memberWith, name, newSlug, requestWith, spaceId } from '../spaces/schemas.ts'

const minRep = z.int().min(0).max(1000).describe('The reputation that applicants need in the interest of the guild.')
const role = z
  .enum(['founder', 'steward', 'member'])
  .describe(
    'A guild has one `founder`; an archived guild can have none. A `steward` decides applications and moves mana.',
  )

const id = spaceId('id.guild', 'The id or slug of a guild.')
export const GuildId = z.object({ id })
export const GuildMemberId = z.object({ id, userId: PersonParam })
export const GuildApplicationId = z.object({ id, aid: IdParam })

export const NewGuild = z
  .object({
    name,
    interestId: Uuid,
    slug: newSlug('lichen-keepers').optional(),
    about: about.optional(),
    charter: z.string().max(100_000).optional().describe('Markdown, up to 20,000 characters.'),
    minRep: minRep.optional().describe('The reputation that applicants need in the interest of the guild. Default: 0.'),
    accent: accent.optional(),
  })
  .openapi('NewGuild')
export const GuildChanges = z
  .object({ name: name.optional(), about: about.nullish(), minRep: minRep.optional(), accent: accent.optional() })
  .openapi('GuildChanges')
export const HandOver = z.object({
  role: z.literal('founder').describe('Only the role `founder` can be given here; other roles change by proposals.'),
})
export const LeftGuild = left.openapi('LeftGuild')

export const Guild = z
  .object({
    id: Uuid,
    slug: SpaceSlug,
    name: SpaceName,
    about: SpaceAbout,
    charter: z.string().describe('Markdown. It only changes by a proposal.'),
    charterVersion: z.int().min(1).describe('The number of charters so far.'),
    interestId: Uuid.describe('The interest in which applicants need `minRep`.'),
    minRep,
    accent: Colour,
    status: z
      .enum(['active', 'archived'])
      .describe('An archived guild accepts nothing new; its members can still read it.'),
    memberCount,
    stewardCount: z.int().min(0).describe('The number of stewards whom you can see, without the founder.'),
    treasuryBalance: z.int().min(0).nullable().describe('Whole mana in the treasury, for members; null for others.'),
    archivedAt: ArchivedAt,
    createdAt: Timestamp,
    viewer: z
      .object({
        role: role.nullable().describe('Your role; null if you are not a member.'),
        status: z.enum(['none', 'pending', 'member']).describe('`pending`: your application waits.'),
        applicationId: Uuid.nullable().describe('The id of your pending application; null if there is none.'),
      })
      .describe('How you are connected to the guild.'),
  })
  .openapi('Guild')
export const GuildPage = Page(Guild)

export const CharterPage = Page(
  z
    .object({
      version: z.int().min(1).describe('The number of the version, from 1, without gaps.'),
      charter: z.string().describe('Markdown as it was in this version.'),
      proposalId: Uuid.nullable().describe('The proposal that introduced this version; null for the first charter.'),
      createdAt: Timestamp,
    })
    .openapi('Charter'),
)
export const GuildMember = memberWith(role).openapi('MemberOfGuild')
export const GuildMemberPage = Page(GuildMember)
export const Application = requestWith({ guildId: Uuid }).openapi('GuildApplication')
export const ApplicationPage = Page(Application)

const proposalKind = z
  .enum(['general', 'charter', 'steward', 'expel', 'disburse'])
  .describe(
    'What happens if the proposal passes. `general`: nothing. `charter`: the guild gets a new charter. `steward`: a member gets or loses that role. `expel`: a member is expelled. `disburse`: mana leaves the treasury.',
  )
const proposalStatus = z
  .enum([
    ...(['open', 'passed', 'failed', 'expired', 'withdrawn', 'force_closed', 'executed', 'execution_failed'] as const),
  ])
  .describe(
    '`expired`: no quorum. `force_closed`: by staff, or because the guild was archived. A passed proposal becomes `executed` or `execution_failed`.',
  )
export const GuildProposalId = z.object({ id, pid: IdParam })
export const ProposalQuery = z.object({
  status: proposalStatus.optional().describe('Only proposals with this status.'),
})
export const NewProposal = z
  .object({
    kind: proposalKind,
    title: z.string().trim().min(1).max(200).describe('1 to 200 characters, one line.'),
    body: z.string().max(100_000).optional().describe('Markdown, up to 20,000 characters.'),
    payload: z
      .object({
        charter: z.string().max(100_000).optional().describe('The new charter: Markdown, up to 20,000 characters.'),
        userId: PersonParam.optional().describe(
          'The member who gets or loses the role, or is expelled: a `personId`, an actor id or a username.',
        ),
        grant: z
          .boolean()
          .optional()
          .describe('`true` makes the member a steward, `false` a member without that role.'),
        recipientId: PersonParam.optional().describe('Who gets the mana: a `personId`, an actor id or a username.'),
        amount: z.int().min(1).max(1_000_000_000).optional().describe('Whole mana.'),
      })
      .optional()
      .describe(
        'The fields depend on the kind: `charter` {charter}, `steward` {userId, grant}, `expel` {userId}, `disburse` {recipientId, amount}.',
      ),
    closesAt: Moment.optional().describe('When the proposal closes, 1 hour to 30 days from now. Default: in 72 hours.'),
  })
  .openapi('NewProposal', {
    example: { kind: 'charter', title: 'A charter', body: 'Since we have none.', payload: { charter: '# We sing' } },
  })
export const Vote = z.object({
  value: z.enum(['yes', 'no', 'abstain']).describe('`abstain` counts only towards the quorum.'),
})
const Summary = z
  .object({
    id: Uuid,
    guildId: Uuid,
    kind: proposalKind,
    title: z.string().describe('The title, as its proposer wrote it.'),
    body: z.string().describe('Markdown; empty if nothing was written.'),
    payload: z
      .object({
        charter: z.string().optional().describe('The proposed charter; only for the kind `charter`.'),
        userId: z
          .string()
          .nullable()
          .optional()
          .describe('An actor id; only for the kinds `steward` and `expel`. Null if you cannot see the person.'),
        grant: z
          .boolean()
          .optional()
          .describe('Whether the member gets or loses the role; only for the kind `steward`.'),
        recipientId: z
          .string()
          .nullable()
          .optional()
          .describe('An actor id; only for the kind `disburse`. Null if you cannot see the person.'),
        amount: z.int().optional().describe('Whole mana; only for the kind `disburse`.'),
      })
      .describe('What is proposed: its fields depend on the kind, and `general` has none.'),
    proposer: PersonCard.nullable().describe('Who made the proposal; null if you cannot see the person.'),
    status: proposalStatus,
    reason: z.string().nullable().describe('The error code of the failed execution; null otherwise.'),
    closesAt: Timestamp,
    decidedAt: SettledAt,
    executedAt: Timestamp.nullable().describe(
      'When the proposal was executed or its execution failed; null before that.',
    ),
    createdAt: Timestamp,
  })
  .openapi('ProposalSummary')
export const ProposalPage = Page(Summary)
const count = z.int().min(0)
export const Proposal = Summary.extend({
  tally: z
    .object({
      yes: count.describe('Votes for it.'),
      no: count.describe('Votes against it.'),
      abstain: count.describe('Abstentions, which count only towards the quorum.'),
      eligible: count.describe('How many members can vote.'),
      quorum: count.describe(
        'How many votes of all kinds are needed when the proposal closes: a quarter of `eligible`, rounded up.',
      ),
    })
    .describe('The votes that count now; after the decision, the votes that counted at that time.'),
  viewer: z
    .object({ vote: z.enum(['yes', 'no', 'abstain']).nullable().describe('Your vote; null if you gave none.') })
    .describe('How you are connected to the proposal.'),
}).openapi('Proposal')
