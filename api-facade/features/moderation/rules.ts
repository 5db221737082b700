// The routes of moderation rules, which hide things or open cases automatically. SQL: sql/moderation/50_rules.sql to
// 57_replay.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import {
  Draft,
  NewRule,
  Replay,
  ReplayStart,
  Rule,
  RuleChanges,
  RuleHitPage,
  RuleHitsQuery,
  RulePage,
  RulesQuery,
} from './rule-schemas.ts'

export default routes('moderation', {
  'GET /admin/rules': {
    summary: 'List rules, newest first',
    description:
      'There are at most 50. `q` matches the name. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_rules',
    query: RulesQuery,
    page: true,
    answers: { 200: RulePage },
    outcome: 'A page of rules.',
  },
  'POST /admin/rules': {
    summary: 'Make a rule',
    description:
      'A rule judges posts, replies, contents, and what people write within contents when it is published, and again after each edit. It hits each thing at most once, so that it does not hide a thing again that staff has shown. A new rule is in shadow: it only records what it would do. Writes an audit entry.',
    access: 'admin',
    operation: 'create_rule',
    body: NewRule,
    answers: { 201: Rule },
    outcome: 'The new rule, in shadow.',
  },
  'POST /admin/rules/replay': {
    summary: 'Try a rule on the last 30 days without making it',
    description: 'Like `POST /admin/rules/{id}/replay`, for conditions that are not a rule yet. Changes nothing.',
    access: 'admin',
    operation: 'replay_draft',
    body: Draft,
    answers: { 200: Replay },
    outcome: 'What the conditions would have hit.',
  },
  'GET /admin/rules/:id': {
    summary: 'Get a rule',
    access: 'moderator',
    operation: 'get_rule',
    params: UuidId,
    answers: { 200: Rule },
    outcome: 'The rule.',
  },
  'PATCH /admin/rules/:id': {
    summary: 'Change a rule',
    description:
      'Absent fields do not change. The conditions never change, so that all hits of a rule have the same conditions; make another rule instead. A rule can go live when it was in shadow for a day, or was replayed. A live rule that hides does so before anybody else sees the thing or its edited version. A rule about reports hides the thing as soon as a report completes the conditions. The author sees `hiddenAt`, or `removedAt` of a content, and is notified that the thing is held. As soon as the worker has opened the case, the author can read the decision at `GET /me/standing` and appeal it. The decision has the category and says that it was automatic, but not which rule matched. People who are mentioned are notified only when staff releases the thing. Staff releases a post or a reply with `POST /admin/posts/{id}/unhide` or `POST /admin/replies/{id}/unhide`, a content with `POST /admin/content/{kind}/{id}/restore`. Like a removal by staff, hiding a problem gives its bounty back. Repeating it changes nothing. Writes an audit entry.',
    access: 'admin',
    operation: 'update_rule',
    params: UuidId,
    body: RuleChanges,
    bodyAs: 'p_changes',
    answers: { 200: Rule },
    outcome: 'The rule after the change.',
  },
  'DELETE /admin/rules/:id': {
    summary: 'Delete a rule',
    description: 'Things that the rule hid stay hidden. Its hits can no longer be read. Writes an audit entry.',
    access: 'admin',
    operation: 'delete_rule',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The rule is deleted.',
  },
  'GET /admin/rules/:id/hits': {
    summary: 'List the hits of a rule, newest first',
    description:
      'Each thing is listed once, for 90 days. `q` is the id of a hit or text in the id of its target. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'moderator',
    operation: 'list_rule_hits',
    params: UuidId,
    query: RuleHitsQuery,
    page: true,
    answers: { 200: RuleHitPage },
    outcome: 'A page of hits.',
  },
  'POST /admin/rules/:id/replay': {
    summary: 'Try a rule on the last 30 days',
    description:
      'Judges what was published in the last 30 days, newest first, up to 20,000 things in one request. It judges them as the rule would have judged them then: with the text, the age of the account, the rate and the reports of that time. The last 20 versions of a post are judged, but only the current version of a content. Bans and reputation are as they are now: a ban that has ended does not count. Afterwards the rule can go live.',
    access: 'admin',
    operation: 'replay_rule',
    params: UuidId,
    body: ReplayStart,
    answers: { 200: Replay },
    outcome: 'What the rule would have hit.',
  },
})
