// Nobody can empty another person's first page with rows that this person can't see. Each list gets floods that are
// hidden in every possible way, and must still show the visible row behind them. See docs/limits.md, and
// docs/decisions.md, Lists.
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { openGround } from '../support/floods.ts'
import { contentFloods, contentKinds } from './floods/contents.ts'
import { otherFloods } from './floods/others.ts'

const database = await createDatabase()
const { owner } = database
const ground = await openGround(database)
const floods = [...contentFloods, ...otherFloods]

test.each(floods)(
  '$operation has its first page despite a flood of $against',
  async ({ operation, scene }) => {
    const { asked, honest, viewer = ground.stranger } = await scene(ground)
    const empty = []
    for (const parameters of asked)
      if (!(await ground.ask(viewer, operation, parameters)).includes(honest)) empty.push(parameters)
    expect(empty).toEqual([])
  },
  20_000,
)

/** Lists in which one person can't hide hundreds of rows from a stranger, and why. */
const apart: Record<string, string[]> = {
  'It has no hidden rows.': [
    'list_course_lessons list_guild_charters list_proposals list_wiki_versions list_project_updates list_series_items',
    'list_my_appeals list_sessions list_notifications list_payments list_ai_sessions get_treasury get_reputation_details',
    'list_apps list_my_apps list_contributors list_my_interests list_links list_report_categories list_scopes',
    'list_space_reports',
  ],
  'It lists what the caller chose, made or answered themselves.': [
    'list_blocks list_mutes list_muted_keywords list_bookmarks list_scheduled_posts list_my_circles list_my_courses',
    'list_access_tokens list_bots list_bot_tokens list_factors list_identities list_my_events list_my_guild_applications',
    'list_my_invites list_my_personas list_my_projects',
    'list_my_series',
    'list_orders list_pending_invitations get_invite_tree list_memberships',
  ],
  'Each person has one row in it, or very few: hundreds of rows need hundreds of people.': [
    'list_candidates list_mentors list_talent list_people list_followers list_following list_event_attendees',
    'list_course_students list_project_members list_space_members list_group_bans',
    'list_space_requests list_group_invitations list_my_group_invitations list_my_invitations',
    'list_circle_invitations list_circle_members',
  ],
  'Private spaces are not in its indexes; only its members write to a conversation.': [
    'list_spaces list_conversations list_messages',
  ],
  'It is ranked, or has a scan of its own: test/model/bounds/feed.test.ts and discovery.test.ts.': [
    'list_feed list_suggested search list_changes',
  ],
  'It is for staff, and nothing is hidden from staff.': [
    'list_all_apps list_all_conversations list_all_spaces list_all_interests list_all_orders list_all_payments',
    'list_all_posts list_all_replies list_all_series list_all_wiki_proposals list_appeals list_assistant_sessions',
    'list_audit_log list_circles list_contents list_feature_flags list_intents list_invite_codes list_media list_reports',
    'list_reputation_entries list_reputation_votes list_signals list_users list_wallets get_any_space',
    'list_webhooks list_webhook_deliveries list_logged_events list_rules list_rule_hits',
    'replay_draft replay_rule',
    'list_cases list_decision_appeals list_invitees list_failed_jobs list_stuck_effects',
    'list_user_sessions',
  ],
}

describe('No list is missing:', () => {
  test("every list is tested, or has a reason why it isn't", async () => {
    const reasoned = Object.values(apart).flatMap((names) => names.join(' ').split(' '))
    const lists = await owner<{ name: string }[]>`
      select proname as name from pg_proc
      where pronamespace = 'api'::regnamespace and (proname like 'list\_%' or proargnames && '{p_limit,p_cursor}')`
    const met = new Set(floods.map(({ operation }) => operation))
    expect(reasoned.filter((name) => met.has(name))).toEqual([])
    expect([...met, ...reasoned].sort()).toEqual(lists.map(({ name }) => name).sort())
  })

  test('every kind of contents is tested', async () => {
    const kinds = await owner<{ kind: string }[]>`select kind from private.content_kinds order by kind collate "C"`
    expect([...contentKinds].sort()).toEqual(kinds.map(({ kind }) => kind))
  })
})
