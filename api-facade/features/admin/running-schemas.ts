// Shapes for operating an instance: the audit log, the catalog, feature flags, figures.
import { Moment, Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AnyPerson, InternalId, narrowing } from './list-schemas.ts'

export const AuditQuery = z.object({
  action: z.string().trim().min(1).max(100).optional().openapi({ example: 'user.banned' }),
  actorId: AnyPerson.optional(),
  targetType: z.string().trim().min(1).max(100).optional(),
  targetId: z.string().trim().min(1).max(100).optional(),
  ...narrowing,
})
export const AuditPage = Page(
  z
    .object({
      id: z.int(),
      action: z.string(),
      actorId: InternalId.nullable(),
      actor: PersonCard.nullable(),
      targetType: z.string(),
      targetId: z.string(),
      ip: z.string().nullable(),
      detail: z.record(z.string(), z.unknown()).nullable(),
      createdAt: Timestamp,
    })
    .openapi('AuditEntry'),
)
export const VerifyQuery = z.object({
  after: queryInteger(0, 999_999_999).default(0).openapi({
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'The `next` of the previous answer.',
  }),
})
export const Verified = z
  .object({
    ok: z.boolean(),
    entries: z.int().describe('How many entries the log has had.'),
    firstBroken: z.int().nullable(),
    verifiedTo: z.int(),
    next: z.int().nullable().describe('Null at the end.'),
  })
  .openapi('AuditVerification')

const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters and digits, separated by single hyphens')
  .max(80)
  .openapi({ example: 'bird-watching' })
const InterestName = z.string().trim().min(1).max(80)
const AccentColor = z.enum(['ink', 'gold', 'sage', 'coral', 'cyan', 'plum'])
export const InterestsQuery = z.object({
  level: queryInteger(1, 3).optional(),
  parentId: Uuid.optional(),
  ...narrowing,
})
export const NewInterest = z
  .object({
    slug: Slug,
    name: InterestName,
    level: z.int().min(1).max(3),
    parentId: Uuid.nullish(),
    accentColor: AccentColor,
  })
  .openapi('NewInterest')
export const InterestChanges = z
  .object({
    slug: Slug.optional(),
    name: InterestName.optional(),
    parentId: Uuid.optional(),
    accentColor: AccentColor.optional(),
  })
  .openapi('InterestChanges')
export const StaffInterest = z
  .object({
    id: Uuid,
    slug: z.string(),
    name: z.string(),
    level: z.int().min(1).max(3),
    parentId: Uuid.nullable(),
    accentColor: AccentColor,
    userCount: z.int(),
    childCount: z.int(),
    createdAt: Timestamp,
  })
  .openapi('StaffInterest')
export const StaffInterestPage = Page(StaffInterest)

export const FeatureFlag = z
  .object({
    id: z.string().describe('The key of the flag.'),
    key: z.string(),
    enabled: z.boolean(),
    description: z.string(),
  })
  .openapi('FeatureFlag')
export const FeatureFlagPage = Page(FeatureFlag)
export const FlagKey = z.object({ key: z.string().min(1).max(50) })
export const FlagSwitch = z.object({ enabled: z.boolean() }).openapi('FlagSwitch')

export const Metrics = z
  .object({
    users: z.int(),
    postsTotal: z.int(),
    invitesActive: z.int(),
    reportsOpen: z.int(),
    postsHidden: z.int(),
    repliesHidden: z.int(),
    mauActive: z.int().describe('People who were active within 30 days.'),
    manaAudit: z
      .object({ auditedAt: Timestamp, violations: z.int() })
      .nullable()
      .describe(
        'The result of the last nightly audit of the mana ledger; every violation is a fault. Null before the first audit.',
      ),
    countedAt: Timestamp,
  })
  .openapi('Metrics')

const FlowKind = z.enum(['mana', 'votes'])
export const SignalsQuery = z.object({
  kind: FlowKind.optional(),
  since: Moment.optional().describe('Default: 30 days ago.'),
})
export const SignalPage = Page(
  z
    .object({
      kind: FlowKind,
      giverId: InternalId,
      giver: PersonCard,
      receiverId: InternalId,
      receiver: PersonCard,
      distance: z.int().describe('Steps in the invite tree; 1 between inviter and invited person.'),
      youngerAgeDays: z.int().describe('Age of the younger account at the first payment or vote.'),
      flows: z.int(),
      total: z.number(),
      givenShare: z.number().nullable().describe('Its fraction of everything that the giver gave.'),
      neighbourShare: z
        .number()
        .nullable()
        .describe('The fraction of everything that the receiver got that came from neighbours.'),
      firstAt: Timestamp,
      lastAt: Timestamp,
    })
    .openapi('Signal'),
)

export const Jobs = z
  .object({
    jobs: z.array(
      z.object({
        name: z.string(),
        cron: z.string(),
        runs: z.int(),
        failures: z.int(),
        lastChanged: z.int().describe('Rows changed by the last completed run.'),
        lastRunAt: Timestamp.nullable(),
        lastFailedAt: Timestamp.nullable(),
      }),
    ),
    deadLetters: z.array(
      z.object({
        queue: z.string(),
        id: Uuid,
        message: z.string().nullable(),
        retries: z.int(),
        createdAt: Timestamp,
        failedAt: Timestamp,
      }),
    ),
    effects: z.object({ depth: z.int(), lagSeconds: z.number(), stuckPeople: z.int() }),
  })
  .openapi('Jobs')
