// Operating an instance: the audit log, the catalog, feature flags, figures. The rules: sql/admin/60_audit.sql,
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
    summary: 'List entries of the audit log, newest first',
    description:
      'Every change by staff. `ip` and `detail` are removed when a person whom they mention is erased. `q` matches action, actor, target, address or detail. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'admin',
    operation: 'list_audit_log',
    query: AuditQuery,
    page: true,
    answers: { 200: AuditPage },
  },
  'GET /admin/audit-log/verify': {
    summary: 'Verify that the audit log is unchanged',
    description:
      'Each entry contains a hash of the previous one, and a separate record has the number of entries and the last hash. One request checks 10,000 entries; while `next` is not null, send it to continue. `firstBroken` is the first entry that was changed, moved or deleted; a deleted last entry is also found. `ip` and `detail` are not hashed, because an erasure removes them.',
    access: 'admin',
    operation: 'verify_audit_log',
    query: VerifyQuery,
    answers: { 200: Verified },
  },
  'GET /admin/interests': {
    summary: 'List interests, newest first',
    description:
      'All levels. `q` matches slug or name. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_all_interests',
    query: InterestsQuery,
    page: true,
    answers: { 200: StaffInterestPage },
  },
  'GET /admin/interests/:id': {
    summary: 'Get an interest',
    access: 'moderator',
    operation: 'get_interest',
    params: UuidId,
    answers: { 200: StaffInterest },
  },
  'POST /admin/interests': {
    summary: 'Add an interest',
    description:
      'A category (level 1) has no parent; every other interest has one on the level above. Interests cannot be deleted. Writes an audit entry.',
    access: 'admin',
    operation: 'create_interest',
    body: NewInterest,
    answers: { 201: StaffInterest },
  },
  'PATCH /admin/interests/:id': {
    summary: 'Change an interest',
    description:
      'Absent fields do not change. The level cannot change, and a new `parentId` must be on the level above, so there are no cycles and no orphans. Reputation that was already shared with the old parent stays there. Repeating it changes nothing. Writes an audit entry.',
    access: 'admin',
    operation: 'update_interest',
    params: UuidId,
    body: InterestChanges,
    bodyAs: 'p_changes',
    answers: { 200: StaffInterest },
  },
  'GET /admin/feature-flags': {
    summary: 'List feature flags, by key',
    access: 'moderator',
    operation: 'list_feature_flags',
    query: PageQuery,
    page: true,
    answers: { 200: FeatureFlagPage },
  },
  'PATCH /admin/feature-flags/:key': {
    summary: 'Switch a feature on or off',
    description: 'Takes effect immediately in every process. Repeating it changes nothing. Writes an audit entry.',
    access: 'admin',
    operation: 'set_feature_flag',
    params: FlagKey,
    body: FlagSwitch,
    answers: { 200: FeatureFlag },
  },
  'GET /admin/metrics': {
    summary: 'Get the counters of the instance',
    description: 'Counted at most once every 30 seconds for all processes; `countedAt` says when.',
    access: 'moderator',
    operation: 'get_metrics',
    answers: { 200: Metrics },
  },
  'GET /admin/signals': {
    summary: 'List payments and votes between neighbours in the invite tree',
    description:
      'Hints at fake accounts, not proof: friends may vote for each other. Lists the largest sums of each kind first, up to 1000 per kind, among the newest 20,000 payments and votes. The list is computed again for every page; a cursor is an offset.',
    access: 'moderator',
    operation: 'list_signals',
    query: SignalsQuery,
    page: true,
    answers: { 200: SignalPage },
  },
  'GET /admin/jobs': {
    summary: 'Get the status of the worker',
    description:
      'The last run and the last failure of each job, the newest 50 permanent failures, and the number of pending effects (up to 100,000) with the age of the oldest.',
    access: 'moderator',
    operation: 'get_jobs',
    answers: { 200: Jobs },
  },
})
