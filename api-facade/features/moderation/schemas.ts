// Schemas of cases, decisions, appeals and standing. The rules: sql/moderation.
import { reportTargets } from '../../generated/report-targets.ts'
import { SuspendedUntil } from '../../lib/fields.ts'
import { Moment, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AnyPerson, InternalId, narrowing, StaffReport, StaffUser } from '../admin/list-schemas.ts'
import { ReportedThing } from '../admin/report-schemas.ts'
import { StaffAccount } from '../admin/schemas.ts'
import { ONE_WAY, Who } from '../identity/identifying-schemas.ts'
import { isTrue } from '../spaces/schemas.ts'

const Category = z
  .string()
  .trim()
  .min(1)
  .max(30)
  .openapi({ description: 'A category from `GET /reports/categories`.', example: 'spam' })
const Priority = z.int().min(1).max(4).describe('How urgent the case is: 1 (most urgent) to 4.')
const Rule = z.string().trim().min(1).max(300)
const CaseStatus = z.enum(['open', 'closed']).describe('A closed case stays closed: a new report opens another one.')
const Decided = z
  .enum(['warn', 'hide', 'remove', 'limit', 'suspend', 'ban'])
  .describe('What staff did. `suspend` is a ban that ends by itself.')
const TargetType = z.string().openapi({ description: 'The type of the thing.', example: 'post' })

export const CasesQuery = z.object({
  status: CaseStatus.optional(),
  category: Category.optional(),
  priority: z.coerce.number().int().min(1).max(4).optional().describe('Only cases of this priority.'),
  claimed: z
    .enum(['me', 'nobody'])
    .optional()
    .describe('`me`: only cases that you have claimed; `nobody`: only cases that nobody has claimed.'),
  targetType: z.enum(reportTargets).optional().describe('Only cases about things of this type.'),
  personId: AnyPerson.optional(),
  waiting: isTrue.optional().openapi({
    type: 'boolean',
    description:
      '`true`: only open cases that a group or guild still decides by itself. `false`, the default: ' +
      'only the other cases.',
  }),
  ...narrowing,
})
const shape = {
  id: Uuid,
  targetType: TargetType,
  targetId: Uuid.describe('The id of the thing; for a person the internal id.'),
  personId: InternalId.nullable().describe(
    'Who is responsible for the thing: its author, or the owner of a space; null if nobody is any more.',
  ),
  person: PersonCard.nullable().describe('Who is responsible for the thing; null if nobody is any more.'),
  category: Category,
  rule: z
    .string()
    .nullable()
    .describe('The broken rule of the instance, in the words of staff; null if none was named.'),
  priority: Priority,
  source: z
    .enum(['report', 'rule', 'staff', 'space'])
    .describe('What opened the case: a report, an automatic rule, a member of staff, or a space that passed it on.'),
  status: CaseStatus,
  outcome: z.enum(['acted', 'dismissed']).nullable().describe('How the case was closed; null while it is open.'),
  reportCount: z.int().describe('How many reports belong to the case.'),
  claimedById: InternalId.nullable().describe('The internal id of who is working on the case; null if nobody is.'),
  claimedBy: PersonCard.nullable().describe('Who is working on the case; null if nobody is.'),
  claimedUntil: Timestamp.nullable().describe(
    'When the claim ends: 30 minutes after the last work on the case. Null if there is no claim.',
  ),
  closedById: InternalId.nullable().describe('The internal id of who closed the case; null while it is open.'),
  closedAt: Timestamp.nullable().describe('When the case was closed; null while it is open.'),
  spaceId: Uuid.nullable().describe(
    'The group or guild whose owner and moderators see the case; null if there is none.',
  ),
  staffFrom: Timestamp.describe('When the open case appears in the queue of staff.'),
  updatedAt: Timestamp.describe('When something last happened in the case.'),
  createdAt: Timestamp,
}
export const StaffCase = z.object(shape).openapi('StaffCase')
export const StaffCasePage = Page(StaffCase)

export const StaffDecision = z
  .object({
    id: Uuid,
    caseId: Uuid.nullable().describe('The case in which this was decided; null if there was none.'),
    targetType: TargetType,
    targetId: Uuid.describe('The id of the thing; for a person the internal id.'),
    action: Decided,
    category: Category,
    rule: z.string().nullable().describe('The broken rule, in the words of staff; null if none was named.'),
    reason: z.string().describe('The reason that the person reads.'),
    decidedById: InternalId.nullable().describe('The internal id of who decided; null for an automatic rule.'),
    endsAt: Timestamp.nullable().describe('When the decision ends by itself; null if it does not.'),
    liftedAt: Timestamp.nullable().describe('When the decision was ended; null while it lasts.'),
    overturnedAt: Timestamp.nullable().describe('When an appeal overturned it; null if none did.'),
    createdAt: Timestamp,
  })
  .openapi('CaseDecision')

const Proposal = z
  .object({
    id: Uuid,
    actions: z.array(z.string()).describe('What was proposed.'),
    reason: z.string().describe('The reason that the person will read.'),
    until: Timestamp.nullable().describe('When the proposed suspension ends; null for anything else.'),
    status: z
      .enum(['open', 'accepted', 'declined'])
      .describe('`open` until an admin settles it or the case is closed.'),
    proposedById: InternalId.nullable().describe(
      'The internal id of who proposed it; null if it is not known any more.',
    ),
    settledById: InternalId.nullable().describe('The internal id of who settled the proposal; null while it is open.'),
    settledAt: Timestamp.nullable().describe('When the proposal was settled; null while it is open.'),
    createdAt: Timestamp,
  })
  .openapi('CaseProposal')

export const StaffCaseFile = StaffCase.extend({
  target: ReportedThing,
  media: z
    .array(
      z.object({
        url: z.string().describe('The URL of the file.'),
        sha256: z.string().describe('The SHA-256 of the file in hex, which a rule can look for.'),
      }),
    )
    .max(50)
    .describe(
      'The files of the thing whose hash is known, also those of its earlier versions. Empty for a thing that rules do not judge.',
    ),
  reports: z.array(StaffReport).describe('Its newest 50 reports.'),
  earlierCases: z.array(StaffCase).describe('The latest 20 earlier cases about the same thing, newest first.'),
  proposals: z.array(Proposal).describe('The newest 50.'),
  history: z
    .array(
      z
        .object({
          kind: z.string().openapi({ description: 'What happened.', example: 'claimed' }),
          actorId: InternalId.nullable().describe('The internal id of who did it; null for reports and rules.'),
          actor: PersonCard.nullable().describe('Who did it; null for reports and rules.'),
          note: z.string().nullable().describe('A note for staff; null if there is none.'),
          detail: z.record(z.string(), z.unknown()).describe('Ids, codes and numbers of what happened.'),
          createdAt: Timestamp,
        })
        .openapi('CaseEvent'),
    )
    .describe('The newest 200 entries of its history, the newest first.'),
  strikes: z.int().nullable().describe('The strikes of the person that have not lapsed; null if nobody is concerned.'),
  decisions: z
    .array(StaffDecision)
    .nullable()
    .describe('The newest 50 decisions about the person, in any case; null if nobody is concerned.'),
}).openapi('StaffCaseFile')

export const NewCase = z.object({
  targetType: z
    .string()
    .trim()
    .min(1)
    .max(30)
    .openapi({ enum: [...reportTargets], example: 'post', description: 'The type of the thing.' }),
  targetId: z.string().trim().min(1).max(320).describe('The id of the thing; for a person also a name.'),
  category: Category.optional(),
  note: z.string().trim().max(2000).optional().describe('A note for staff, up to 2000 characters.'),
})
export const CaseNote = z.object({
  text: z.string().trim().min(1).max(2000).describe('A note for staff, 1 to 2000 characters.'),
})
export const CaseChange = z.object({
  category: Category.optional(),
  priority: Priority.optional(),
  rule: Rule.optional().describe('The broken rule of the instance, up to 300 characters.'),
})
const Actions = z.array(z.string().trim().min(1).max(20)).min(1).max(5)
const until = Moment.optional().describe('When the suspension ends. Required with `suspend`, and only allowed with it.')
export const CaseActions = z.object({
  actions: Actions.openapi({
    description:
      'What to do: `dismiss` alone, or some of `warn`, `hide`, `unhide`, `remove`, `restore` and one of `limit`, `unlimit`, `suspend`, `ban`, `unban`.',
    example: ['hide', 'warn'],
  }),
  reason: z
    .string()
    .trim()
    .max(1000)
    .optional()
    .describe(
      'The reason that the person reads, up to 1000 characters. `warn`, `limit`, `suspend` and `ban` require it.',
    ),
  category: Category.optional(),
  rule: Rule.optional().describe('The broken rule of the instance, which the person reads, up to 300 characters.'),
  until,
})
export const NewProposal = z.object({
  actions: Actions.openapi({
    description:
      'What an admin should do: some of the actions that moderators can’t take themselves, such as `remove`, `restore`, `limit`, `suspend` and `ban`.',
    example: ['ban'],
  }),
  reason: z.string().trim().min(1).max(1000).describe('The reason that the person will read, 1 to 1000 characters.'),
  until,
})

export const InviteesQuery = z.object({ ...narrowing })
const StaffInvitee = StaffUser.extend({
  joinedAt: Timestamp.describe('When they joined with the invite.'),
  inviteeCount: z.int().describe('How many people they invited themselves, up to 1000.'),
  strikes: z.int().describe('Their strikes that have not lapsed.'),
}).openapi('StaffInvitee')
export const StaffInviteePage = Page(StaffInvitee)
export const InviteesAction = z.object({
  action: z.enum(['limit', 'suspend', 'ban']).describe('What to do to each of them.'),
  people: z.array(AnyPerson).min(1).max(50).describe('1 to 50 different people whom this person invited.'),
  reason: z.string().trim().min(1).max(1000).describe('The reason that each of them reads, 1 to 1000 characters.'),
  category: Category.optional(),
  until,
})
export const ActedInvitees = z
  .object({ items: z.array(StaffAccount).describe('The accounts, in no particular order.') })
  .openapi('ActedInvitees')

const AppealStatus = z
  .enum(['pending', 'upheld', 'overturned'])
  .describe('`upheld`: the decision stands; `overturned`: it no longer counts.')
const Undone = z
  .boolean()
  .nullable()
  .describe('Whether what was done could be undone; a deletion can’t be. Null unless the decision was overturned.')
export const AppealsQuery = z.object({
  status: AppealStatus.optional(),
  personId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffDecisionAppeal = z
  .object({
    id: Uuid,
    personId: InternalId,
    person: PersonCard,
    text: z.string().describe('What the person wrote.'),
    status: AppealStatus,
    undone: Undone,
    answer: z.string().nullable().describe('What staff answered; null while it is pending.'),
    mayResolve: z.boolean().describe('Whether you may resolve it.'),
    resolvedById: InternalId.nullable().describe(
      'The internal id of who resolved the appeal; null while it is pending.',
    ),
    resolvedAt: Timestamp.nullable().describe('When the appeal was resolved; null while it is pending.'),
    createdAt: Timestamp,
    decision: StaffDecision.describe('What was appealed.'),
  })
  .openapi('StaffDecisionAppeal')
export const StaffDecisionAppealPage = Page(StaffDecisionAppeal)
export const Verdict = z.object({
  verdict: z.enum(['uphold', 'overturn']).describe('The verdict. It is final, because an appeal is resolved once.'),
  answer: z.string().trim().min(1).max(1000).describe('The answer that the person reads, 1 to 1000 characters.'),
})

export const AppealPath = z.string().nullable().openapi({
  description:
    'The route to which you post your appeal; `POST /auth/appeal` if you are not logged in. There is no deadline. Null if you cannot appeal the decision, because you have already done so, or because it was overturned.',
  example: '/me/standing/4d3c1a52-6f0e-4f8e-9a50-3f3d1f1b2a77/appeal',
})
export const Standing = z
  .object({
    state: z
      .enum(['active', 'limited', 'suspended', 'banned'])
      .describe('`limited`: only followers find what you publish. `suspended`: banned for a time.'),
    suspendedUntil: SuspendedUntil,
    strikes: z.int().describe('Your strikes that have not lapsed. Several decisions of one case count only once.'),
    decisions: z
      .array(
        z
          .object({
            id: Uuid,
            action: Decided,
            targetType: TargetType,
            targetId: Uuid.nullable().describe(
              'The thing that the decision is about; null if it is about you as a person.',
            ),
            category: Category,
            rule: z.string().nullable().describe('The rule of the instance that was broken; null if none was named.'),
            reason: z.string().describe('The reason; empty if staff gave none.'),
            automated: z
              .boolean()
              .describe('Whether a rule decided instead of a person. Such a decision counts no strikes.'),
            strikes: z.int().describe('How many strikes the decision counts now.'),
            strikesUntil: Timestamp.nullable().describe(
              'When the strikes of the decision lapse; null if it counts none.',
            ),
            endsAt: Timestamp.nullable().describe('When the decision ends by itself; null if it does not.'),
            liftedAt: Timestamp.nullable().describe(
              'When staff ended the decision, or its time was over; null while it lasts.',
            ),
            overturnedAt: Timestamp.nullable().describe('When your appeal overturned it; null if none did.'),
            appealable: z.boolean().describe('Whether you can appeal it. Each decision can be appealed once.'),
            appealPath: AppealPath,
            appeal: z
              .object({
                text: z.string().describe('What you wrote.'),
                status: AppealStatus,
                undone: Undone,
                answer: z.string().nullable().describe('The answer of staff; null while it is pending.'),
                createdAt: Timestamp,
                resolvedAt: Timestamp.nullable().describe('When staff resolved it; null while it is pending.'),
              })
              .nullable()
              .describe('Your appeal; null if you made none.'),
            createdAt: Timestamp,
          })
          .openapi('StandingDecision'),
      )
      .describe('The newest 100 decisions about you. None says who decided.'),
  })
  .openapi('Standing')
const text = z.string().trim().min(1).max(2000).describe('Why the decision is wrong, 1 to 2000 characters.')
export const NewDecisionAppeal = z.object({ text })
const decisionId = Uuid.describe('The id of the decision, from `POST /auth/standing`.')
const example = { email: 'ada@example.org', password: 'long enough for all' }
const ofDecision = { ...example, decisionId: '0b0b8f6e-6d3c-4f43-9c51-0d5c0f5d6c1a' }
export const Identity = Who.refine(...ONE_WAY).openapi({ example })
export const IdentityWithDecision = Who.extend({ decisionId })
  .refine(...ONE_WAY)
  .openapi({ example: ofDecision })
export const IdentityWithAppeal = Who.extend({ decisionId, text })
  .refine(...ONE_WAY)
  .openapi({ example: { ...ofDecision, text: 'I quoted it to disagree with it.' } })
