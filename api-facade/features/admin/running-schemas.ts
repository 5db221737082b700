// Shapes for operating an instance: the audit log, the catalog, feature flags, figures.
import { AccentColor, InterestLevel, InterestName, InterestSlug, ParentInterest } from '../../lib/fields.ts'
import { Moment, Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { AnyPerson, InternalId, narrowing } from './list-schemas.ts'

export const AuditQuery = z.object({
  action: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .openapi({ example: 'user.banned' })
    .describe('Only entries with exactly this action.'),
  actorId: AnyPerson.optional(),
  actor: AnyPerson.optional().describe('The same as `actorId`; if both are given, `actorId` counts.'),
  targetType: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Only entries about things of this type, such as `post`.'),
  targetId: z.string().trim().min(1).max(100).optional().describe('Only entries about the thing with this id.'),
  ...narrowing,
})
export const AuditPage = Page(
  z
    .object({
      id: z.int().describe('The number of the entry. Later entries have higher ones.'),
      action: z.string().describe('What was done, such as `user.banned`.'),
      actorId: InternalId.nullable().describe('The internal id of who did it; null if nobody is named.'),
      actor: PersonCard.nullable().describe('Who did it; null if nobody is named.'),
      targetType: z.string().describe('The type of what it was done to.'),
      targetId: z.string().describe('The id of what it was done to; for a person the internal id.'),
      ip: z
        .string()
        .nullable()
        .describe(
          'The address from which it was done; null if unknown, and after the erasure of a person whom it mentions.',
        ),
      detail: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe(
          'What was changed, by action; null if nothing else was noted, and after the erasure of a person whom it mentions.',
        ),
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
    ok: z.boolean().describe('Whether all checked entries are present and unchanged.'),
    entries: z.int().describe('How many entries the log has had.'),
    firstBroken: z.int().nullable().describe('The first entry that was changed or is missing; null if none was found.'),
    verifiedTo: z.int().describe('The last entry that was checked.'),
    next: z.int().nullable().describe('The `after` of the next request; null at the end.'),
  })
  .openapi('AuditVerification')

const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters and digits, separated by single hyphens')
  .max(80)
  .openapi({ example: 'bird-watching' })
  .describe('The name in addresses: lowercase letters, digits and single hyphens, up to 80. Each slug exists once.')
const NewName = z.string().trim().min(1).max(80).describe('1 to 80 characters, one line.')
export const InterestsQuery = z.object({
  level: queryInteger(1, 3).optional().describe('Only interests of this level; 1 is the broadest.'),
  parentId: Uuid.optional().describe('Only the interests right below this one.'),
  ...narrowing,
})
export const NewInterest = z
  .object({
    slug: Slug,
    name: NewName,
    level: InterestLevel,
    parentId: Uuid.nullish().describe('The interest one level above. Required on levels 2 and 3.'),
    accentColor: AccentColor,
  })
  .openapi('NewInterest')
export const InterestChanges = z
  .object({
    slug: Slug.optional(),
    name: NewName.optional(),
    parentId: Uuid.optional().describe('An interest one level above.'),
    accentColor: AccentColor.optional(),
  })
  .openapi('InterestChanges')
export const StaffInterest = z
  .object({
    id: Uuid,
    slug: InterestSlug,
    name: InterestName,
    level: InterestLevel,
    parentId: ParentInterest,
    accentColor: AccentColor,
    userCount: z.int().describe('How many people chose exactly this interest.'),
    childCount: z.int().describe('How many interests are right below this one.'),
    createdAt: Timestamp,
  })
  .openapi('StaffInterest')
export const StaffInterestPage = Page(StaffInterest)

export const FeatureFlag = z
  .object({
    id: z.string().describe('The key of the flag.'),
    key: z.string().describe('The name by which the code asks for the flag.'),
    enabled: z.boolean().describe('Whether the feature is on.'),
    description: z.string().describe('What the flag switches, for staff.'),
  })
  .openapi('FeatureFlag')
export const FeatureFlagPage = Page(FeatureFlag)
export const FlagKey = z.object({ key: z.string().min(1).max(50).describe('The key of a flag.') })
export const FlagSwitch = z
  .object({ enabled: z.boolean().describe('`true` switches the feature on for everybody.') })
  .openapi('FlagSwitch')

export const Metrics = z
  .object({
    users: z.int().describe('People who are not erased, including banned ones.'),
    postsTotal: z.int().describe('Posts that are not deleted, including scheduled and hidden ones.'),
    invitesActive: z.int().describe('Invite codes with the status `active`.'),
    reportsOpen: z.int().describe('Reports that wait for a moderator.'),
    postsHidden: z.int().describe('Posts that staff hid and that are not deleted.'),
    repliesHidden: z.int().describe('Replies that staff hid and that are not deleted.'),
    mauActive: z.int().describe('People who were active within 30 days.'),
    manaAudit: z
      .object({
        auditedAt: Timestamp,
        violations: z.int().describe('Violations of the rules of the ledger; 0 if the ledger is correct.'),
      })
      .nullable()
      .describe(
        'The result of the last nightly audit of the mana ledger; every violation is a bug. Null before the first audit.',
      ),
    countedAt: Timestamp.describe('When the figures were counted; they are up to 30 seconds old.'),
  })
  .openapi('Metrics')

const FlowKind = z.enum(['mana', 'votes']).describe('Whether mana or votes flowed.')
export const SignalsQuery = z.object({
  kind: FlowKind.optional().describe('Only mana, or only votes. Default: both.'),
  since: Moment.optional().describe('Only what flowed since then. Default: 30 days ago.'),
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
      flows: z.int().describe('How many payments or votes.'),
      total: z.number().describe('Whole mana, or the points of the votes.'),
      givenShare: z
        .number()
        .nullable()
        .describe('The fraction of what the giver gave to anybody; null if the giver gave nothing.'),
      neighbourShare: z
        .number()
        .nullable()
        .describe('The fraction of what the receiver got that came from neighbours; null if the receiver got nothing.'),
      firstAt: Timestamp,
      lastAt: Timestamp,
    })
    .openapi('Signal'),
)

const queue = z.string().min(1).max(100).describe('The name of a queue of the worker.')
export const JobsQuery = z.object({ queue: queue.optional().describe('Only failed jobs of this queue.') })
export const QueueName = z.object({ queue: queue.openapi({ example: 'mail' }) })
export const FailedJobsQuery = z.object({
  queue: queue.optional().describe('Only jobs of this queue, such as `mail`.'),
  status: z
    .enum(['open', 'retried'])
    .optional()
    .describe('`open`: only jobs that were not run again. `retried`: only those that were.'),
  ...narrowing,
})
const Message = z
  .string()
  .nullable()
  .describe('The first 200 characters of the last error, without addresses and tokens; null without one.')
export const FailedJobPage = Page(
  z
    .object({
      id: Uuid,
      queue: z.string().describe('The queue or job that the failed job belongs to.'),
      message: Message,
      retries: z.int().describe('How often the job was tried again before it was given up.'),
      createdAt: Timestamp,
      failedAt: Timestamp.describe('When the job was given up.'),
      retriedAt: Timestamp.nullable().describe('When the job was put back on its queue; null if it was not.'),
    })
    .openapi('FailedJob'),
)
export const FailedJobId = z.object({ queue: queue.openapi({ example: 'mail' }), id: Uuid })
export const RetriedOne = z
  .object({ retried: z.boolean().describe('Whether this request caused another try; `false` for a repeat.') })
  .openapi('RetriedOne')
export const StuckEffectPage = Page(
  z
    .object({
      id: InternalId,
      personId: InternalId,
      person: PersonCard,
      event: z.string().describe('The type of the event whose effect fails.'),
      eventId: z.int().nullable().describe('The number of the event in the log; null if a batch caused the effect.'),
      listener: z
        .string()
        .nullable()
        .describe('The function that failed; null if the effect failed before its first function.'),
      attempts: z.int().describe('How often this effect was tried.'),
      code: z.string().describe('The SQLSTATE of the last error.'),
      since: Timestamp.nullable().describe('When the effect was caused; null if it was applied meanwhile.'),
      failedAt: Timestamp.describe('When the effect last failed.'),
      retryAt: Timestamp.describe('When the worker tries again.'),
    })
    .openapi('StuckEffect'),
)
export const Retry = z
  .object({ since: Moment.optional().describe('Only jobs that failed since then. Default: all, of the last 30 days.') })
  .openapi('Retry')
export const Retried = z
  .object({
    retried: z.int().describe('How many jobs were put back on the queue.'),
    more: z.boolean().describe('Whether failed jobs are left.'),
  })
  .openapi('Retried')

export const Jobs = z
  .object({
    jobs: z
      .array(
        z.object({
          name: z.string().describe('The job’s name in `private.jobs`.'),
          cron: z.string().describe('When the job runs, as a cron expression in UTC.'),
          runs: z.int().describe('How often the job completed.'),
          failures: z.int().describe('How often the job failed.'),
          lastChanged: z.int().describe('Rows changed by the last completed run.'),
          lastRunAt: Timestamp.nullable().describe('When the job last completed; null if never.'),
          lastFailedAt: Timestamp.nullable().describe('When the job last failed; null if never.'),
        }),
      )
      .describe('The scheduled jobs, by name.'),
    deadLetters: z
      .array(
        z.object({
          queue: z.string().describe('The queue or job that the failed job belongs to.'),
          id: Uuid,
          message: Message,
          retries: z.int().describe('How often the job was tried again.'),
          createdAt: Timestamp,
          failedAt: Timestamp,
        }),
      )
      .describe('The newest 50 jobs that failed permanently and were not run again.'),
    queues: z
      .array(
        z.object({
          queue: z.string().describe('The name of the queue.'),
          waiting: z.int().describe('Jobs that wait, including those that wait for a retry, counted up to 1000.'),
          active: z.int().describe('Jobs that run now, counted up to 1000.'),
          failed: z.int().describe('Jobs that failed permanently and were not run again, counted up to 1000.'),
        }),
      )
      .describe('The queues, by name.'),
    effects: z
      .object({
        depth: z.int().describe('How many effects wait, counted up to 100,000.'),
        lagSeconds: z.number().describe('The age of the oldest waiting effect in seconds; 0 if none waits.'),
        stuckPeople: z
          .int()
          .describe(
            'People whose effects wait behind an effect that fails. A number above 0 means that there is a bug.',
          ),
      })
      .describe('The effects of events that the worker has not applied yet.'),
  })
  .openapi('Jobs')
