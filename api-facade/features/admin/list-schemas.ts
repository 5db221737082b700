// Shapes of what staff lists. Rows are those of the views private.staff_* in sql/admin.
import { Moment, Page, PersonCard, PersonParam, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const AnyPerson = PersonParam.openapi({ description: 'A UUID, an actor id or a username.' })
const InternalId = Uuid.openapi({ description: 'The internal id.' })
const Flag = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .openapi({ type: 'boolean' })

/** What every list takes. */
export const narrowing = {
  q: z.string().trim().min(1).max(200).optional().openapi({
    description: 'An id, or text that is looked for as it stands, in any letter case.',
  }),
  from: Moment.optional().openapi({ description: 'Not older than this.' }),
  to: Moment.optional().openapi({ description: 'Older than this.' }),
}

export const InviteCodesQuery = z.object({
  status: z.enum(['active', 'reserved', 'used', 'expired', 'revoked']).optional(),
  ownerId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffInviteCode = z
  .object({
    id: Uuid,
    code: z.string(),
    status: z.enum(['active', 'reserved', 'used', 'expired', 'revoked']),
    ownerId: InternalId,
    owner: PersonCard,
    usedById: InternalId.nullable(),
    usedBy: PersonCard.nullable(),
    usedAt: Timestamp.nullable(),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  })
  .openapi('StaffInviteCode')
export const StaffInviteCodePage = Page(StaffInviteCode)

const Role = z.enum(['user', 'moderator', 'admin'])
export const UsersQuery = z.object({
  role: Role.optional(),
  status: z.enum(['active', 'banned', 'erased']).optional(),
  ...narrowing,
})
const staffUser = {
  id: InternalId,
  user: PersonCard,
  role: Role,
  bannedAt: Timestamp.nullable(),
  erasedAt: Timestamp.nullable(),
  email: z.string(),
  emailVerifiedAt: Timestamp.nullable(),
  lastSeenAt: Timestamp.nullable(),
  createdAt: Timestamp,
}
export const StaffUserPage = Page(z.object(staffUser).openapi('StaffUser'))
export const StaffUserDetails = z
  .object({
    ...staffUser,
    about: z.string().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    invitedById: InternalId.nullable(),
    invitedBy: PersonCard.nullable(),
    reputation: z.number(),
    contribution: z.number(),
    balance: z.int(),
    openReports: z.int().openapi({ description: 'Of the person, counted up to 1000.' }),
  })
  .openapi('StaffUserDetails')

const CircleKind = z.enum(['general', 'family', 'work', 'inner', 'custom'])
export const CirclesQuery = z.object({ kind: CircleKind.optional(), ownerId: AnyPerson.optional(), ...narrowing })
export const StaffCirclePage = Page(
  z
    .object({
      id: Uuid,
      name: z.string(),
      kind: CircleKind,
      accent: z.string().nullable(),
      ownerId: InternalId,
      owner: PersonCard,
      memberCount: z.int(),
      createdAt: Timestamp,
    })
    .openapi('StaffCircle'),
)

const TargetType = z.string().regex(/^[a-z][a-z-]{1,29}$/, 'must be a kind of target such as post')
const ReportStatus = z.enum(['open', 'reviewed', 'dismissed'])
export const ReportsQuery = z.object({
  status: ReportStatus.optional(),
  targetType: TargetType.optional(),
  reporterId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffReport = z
  .object({
    id: Uuid,
    reporterId: InternalId,
    reporter: PersonCard,
    targetType: TargetType.openapi({ example: 'post' }),
    targetId: Uuid.openapi({ description: 'Of a person the internal id.' }),
    reason: z.string(),
    copy: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: 'What was reported as its reporter saw it, where staff sees it nowhere else.' }),
    status: ReportStatus,
    reviewedById: InternalId.nullable(),
    reviewedAt: Timestamp.nullable(),
    createdAt: Timestamp,
  })
  .openapi('StaffReport')
export const StaffReportPage = Page(StaffReport)

const Format = z.enum(['note', 'essay', 'photo', 'video', 'quote', 'thread', 'repost'])
const Visibility = z.enum(['public', 'circles', 'inner'])
export const PostsQuery = z.object({
  format: Format.optional(),
  interestId: Uuid.optional(),
  visibility: Visibility.optional(),
  journalism: Flag.optional(),
  hidden: Flag.optional(),
  authorId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffPostPage = Page(
  z
    .object({
      id: Uuid,
      authorId: InternalId,
      author: PersonCard,
      format: Format,
      title: z.string().nullable(),
      body: z.string(),
      media: z.array(z.record(z.string(), z.unknown())),
      quotedPostId: Uuid.nullable(),
      visibility: Visibility,
      depth: z.int(),
      interestId: Uuid.nullable(),
      isJournalism: z.boolean(),
      groupId: Uuid.nullable(),
      guildId: Uuid.nullable(),
      publishAt: Timestamp.nullable(),
      publishedAt: Timestamp.nullable(),
      editedAt: Timestamp.nullable(),
      hiddenAt: Timestamp.nullable(),
      deletedAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffPost'),
)

const ReplyKind = z.enum(['reply', 'reaction', 'criticism', 'contribution'])
export const RepliesQuery = z.object({
  kind: ReplyKind.optional(),
  hidden: Flag.optional(),
  authorId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffReplyPage = Page(
  z
    .object({
      id: Uuid,
      postId: Uuid,
      parentId: Uuid.nullable(),
      authorId: InternalId,
      author: PersonCard,
      kind: ReplyKind,
      body: z.string(),
      hiddenAt: Timestamp.nullable(),
      deletedAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffReply'),
)

export const SeriesQuery = z.object({ authorId: AnyPerson.optional(), ...narrowing })
export const StaffSeriesPage = Page(
  z
    .object({
      id: Uuid,
      authorId: InternalId,
      author: PersonCard,
      title: z.string(),
      description: z.string().nullable(),
      partCount: z.int(),
      createdAt: Timestamp,
    })
    .openapi('StaffSeries'),
)

export const EntriesQuery = z.object({
  userId: AnyPerson.optional(),
  interestId: Uuid.optional(),
  kind: z.string().trim().min(1).max(100).optional().openapi({ example: 'vote.received' }),
  rollUps: Flag.optional(),
  ...narrowing,
})
export const StaffEntryPage = Page(
  z
    .object({
      id: Uuid,
      userId: InternalId,
      user: PersonCard,
      interestId: Uuid,
      slug: z.string(),
      kind: z.string(),
      delta: z.number(),
      rollUpLevel: z.int().openapi({ description: '0 for what was earned in this very interest.' }),
      originId: Uuid.nullable().openapi({ description: 'Of a roll-up, the entry that it is of.' }),
      undoesId: Uuid.nullable(),
      sourceId: Uuid.nullable(),
      earnedFromId: InternalId.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffReputationEntry'),
)

export const VotesQuery = z.object({
  userId: AnyPerson.optional(),
  voterId: AnyPerson.optional(),
  interestId: Uuid.optional(),
  ...narrowing,
})
export const StaffVotePage = Page(
  z
    .object({
      id: Uuid,
      voterId: InternalId,
      voter: PersonCard,
      userId: InternalId,
      user: PersonCard,
      interestId: Uuid,
      value: z.int().min(-1).max(1),
      comment: z.string().nullable(),
      impact: z.number(),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    })
    .openapi('StaffVote'),
)

export const ContributorPage = Page(
  z.object({ id: InternalId, user: PersonCard, score: z.number() }).openapi('Contributor'),
)

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
    description: 'The `next` of the answer before.',
  }),
})
export const Verified = z
  .object({
    ok: z.boolean(),
    entries: z.int().openapi({ description: 'How many the log has had.' }),
    firstBroken: z.int().nullable(),
    verifiedTo: z.int(),
    next: z.int().nullable().openapi({ description: 'Null at the end.' }),
  })
  .openapi('AuditVerification')

const Slug = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be small letters and digits with single hyphens between')
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
    id: z.string().openapi({ description: 'Its key.' }),
    key: z.string(),
    enabled: z.boolean(),
    description: z.string(),
  })
  .openapi('FeatureFlag')
export const FeatureFlagPage = Page(FeatureFlag)
export const FlagKey = z.object({ key: z.string().min(1).max(50) })
export const FlagSwitch = z.object({ enabled: z.boolean() }).openapi('FlagSwitch')

const MediaKind = z.enum(['avatar', 'image', 'video', 'audio'])
const MediaStatus = z.enum(['pending', 'committed'])
export const MediaQuery = z.object({
  kind: MediaKind.optional(),
  status: MediaStatus.optional(),
  ownerId: AnyPerson.optional(),
  ...narrowing,
})
export const StaffMediaPage = Page(
  z
    .object({
      id: Uuid,
      ownerId: InternalId,
      owner: PersonCard,
      kind: MediaKind,
      contentType: z.string().openapi({ description: 'As it was announced.' }),
      mimeType: z.string().nullable().openapi({ description: 'As its first bytes say.' }),
      size: z.int(),
      status: MediaStatus,
      url: z.string().nullable(),
      committedAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffMedia'),
)

const SessionStatus = z.enum(['in_progress', 'completed', 'abandoned'])
export const AssistantSessionsQuery = z.object({
  status: SessionStatus.optional(),
  userId: AnyPerson.optional(),
  ...narrowing,
})
export const AssistantSessionPage = Page(
  z
    .object({
      id: Uuid,
      userId: InternalId,
      user: PersonCard,
      status: SessionStatus,
      questionCount: z.int(),
      answerCount: z.int(),
      fallbackCount: z.int().openapi({ description: 'Questions for which the model was asked in vain.' }),
      answeredAt: Timestamp,
      completedAt: Timestamp.nullable(),
      createdAt: Timestamp,
    })
    .openapi('StaffAssistantSession'),
)

const Intent = z.enum(['networking', 'friends', 'romantic', 'mentor', 'mentee', 'collab'])
export const IntentsQuery = z.object({ intent: Intent.optional(), active: Flag.optional(), ...narrowing })
export const StaffIntentPage = Page(
  z
    .object({
      id: InternalId,
      user: PersonCard,
      intent: Intent,
      note: z.string().nullable(),
      isActive: z.boolean(),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    })
    .openapi('StaffIntent'),
)

export const Metrics = z
  .object({
    users: z.int(),
    postsTotal: z.int(),
    invitesActive: z.int(),
    reportsOpen: z.int(),
    postsHidden: z.int(),
    repliesHidden: z.int(),
    mauActive: z.int().openapi({ description: 'People who were here within 30 days.' }),
    manaAudit: z.object({ auditedAt: Timestamp, violations: z.int() }).nullable().openapi({
      description:
        'What the nightly audit of the books of mana found last: any violation is a fault. Null before the first.',
    }),
    countedAt: Timestamp,
  })
  .openapi('Metrics')

const FlowKind = z.enum(['mana', 'votes'])
export const SignalsQuery = z.object({
  kind: FlowKind.optional(),
  since: Moment.optional().openapi({ description: '30 days ago, unless said.' }),
})
export const SignalPage = Page(
  z
    .object({
      kind: FlowKind,
      giverId: InternalId,
      giver: PersonCard,
      receiverId: InternalId,
      receiver: PersonCard,
      distance: z.int().openapi({ description: 'Steps in the invite tree: 1 inviter and invited.' }),
      youngerAgeDays: z.int().openapi({ description: 'Age of the younger account at the first flow.' }),
      flows: z.int(),
      total: z.number(),
      givenShare: z.number().nullable().openapi({ description: 'The part of all that the giver gave.' }),
      neighbourShare: z.number().nullable().openapi({ description: 'The neighbours’ part of all that was received.' }),
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
        lastChanged: z.int().openapi({ description: 'Rows changed by the last run that ended.' }),
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
