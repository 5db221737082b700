// How an instance is run: the audit log, the catalog, feature flags, figures. The rules: sql/admin/60_audit.sql,
// 65_interests.sql, 66_flags.sql, 75_figures.sql.
import { routes } from '../../lib/routes.ts'
import { PageQuery, UuidId } from '../../lib/schemas.ts'
import {
  AuditPage,
  AuditQuery,
  FeatureFlag,
  FeatureFlagPage,
  FlagKey,
  FlagSwitch,
  InterestChanges,
  InterestsQuery,
  Jobs,
  Metrics,
  NewInterest,
  SignalPage,
  SignalsQuery,
  StaffInterest,
  StaffInterestPage,
  Verified,
  VerifyQuery,
} from './running-schemas.ts'

export default routes('admin', {
  'GET /admin/audit-log': {
    summary: 'The audit log, newest first',
    description:
      'Every write of staff. `ip` and `detail` are gone where a person whom they tell of was erased. `q` is in action, actor, target, address or detail. A page looks at 400 and may be short.',
    access: 'admin',
    operation: 'list_audit_log',
    query: AuditQuery,
    page: true,
    answers: { 200: AuditPage },
  },
  'GET /admin/audit-log/verify': {
    summary: 'Whether the audit log is as it was written',
    description:
      'Each entry is chained to the one before by a hash, and a head beside them knows how many there are and the hash of the last. A request looks at 10,000; while `next` is not null the rest is asked for with it. `firstBroken` is the first entry that was changed, moved or deleted, the last one too. `ip` and `detail` are not in the chain, since an erasure empties them.',
    access: 'admin',
    operation: 'verify_audit_log',
    query: VerifyQuery,
    answers: { 200: Verified },
  },
  'GET /admin/interests': {
    summary: 'Interests, newest first',
    description: 'Of every level. `q` is in slug or name. A page looks at 400 and may be short.',
    access: 'moderator',
    operation: 'list_all_interests',
    query: InterestsQuery,
    page: true,
    answers: { 200: StaffInterestPage },
  },
  'GET /admin/interests/:id': {
    summary: 'An interest',
    access: 'moderator',
    operation: 'get_interest',
    params: UuidId,
    answers: { 200: StaffInterest },
  },
  'POST /admin/interests': {
    summary: 'Add an interest',
    description:
      'A category (level 1) has no parent, every other interest one of the level above. It stays for good. Leaves an audit entry.',
    access: 'admin',
    operation: 'create_interest',
    body: NewInterest,
    answers: { 201: StaffInterest },
  },
  'PATCH /admin/interests/:id': {
    summary: 'Change an interest',
    description:
      'A field that is absent stays as it is. The level stays, and a new `parentId` is of the level above: so there is neither a cycle nor an orphan. What was earned stays where it rolled up to. Repeating it changes nothing. Leaves an audit entry.',
    access: 'admin',
    operation: 'update_interest',
    params: UuidId,
    body: InterestChanges,
    bodyAs: 'p_changes',
    answers: { 200: StaffInterest },
  },
  'GET /admin/feature-flags': {
    summary: 'Feature flags, by key',
    access: 'moderator',
    operation: 'list_feature_flags',
    query: PageQuery,
    page: true,
    answers: { 200: FeatureFlagPage },
  },
  'PATCH /admin/feature-flags/:key': {
    summary: 'Switch a feature on or off',
    description: 'At once, in every process. Repeating it changes nothing. Leaves an audit entry.',
    access: 'admin',
    operation: 'set_feature_flag',
    params: FlagKey,
    body: FlagSwitch,
    answers: { 200: FeatureFlag },
  },
  'GET /admin/metrics': {
    summary: 'Counters of the instance',
    description: 'Counted at most once in 30 seconds, whichever process is asked: `countedAt` says when.',
    access: 'moderator',
    operation: 'get_metrics',
    answers: { 200: Metrics },
  },
  'GET /admin/signals': {
    summary: 'Mana and votes between neighbours of the invite tree',
    description:
      'Hints at puppets, and no proof: the rules allow friends to vote for each other. The largest sums of each kind first, up to 1000 of each, among the newest 20,000 payments and votes. It is worked out anew for every page; a cursor is how many were passed.',
    access: 'moderator',
    operation: 'list_signals',
    query: SignalsQuery,
    page: true,
    answers: { 200: SignalPage },
  },
  'GET /admin/jobs': {
    summary: 'How the worker does',
    description:
      'Of each job when it last ran and failed; the newest 50 of what failed for good; and the effects that wait, with the age of the oldest, counted up to 100,000.',
    access: 'moderator',
    operation: 'get_jobs',
    answers: { 200: Jobs },
  },
})
