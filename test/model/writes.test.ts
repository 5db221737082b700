// Every operation by which a person writes counts towards their hourly limit (private.write_limits), or is listed here
// with the reason why it doesn't.
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'

const { owner } = await createDatabase()

/** Why an operation needn't count, and the operations for which that holds. */
const uncounted: Record<string, string> = {
  'it removes or deletes something that was counted when it was made': `
    delete_argument delete_asset delete_audio delete_course delete_event delete_message delete_post delete_solution delete_video
    delete_video_comment drop_interest leave_conversation leave_space leave_position leave_project
    lift_group_ban remove_circle_member remove_conversation_member remove_push_token revoke_group_invitation
    revoke_invitation revoke_invite unbookmark unfollow_person unfollow_series unlike_video unmute_conversation
    unmute_keyword unmute_person unmute_post unpin_post unreact unreact_to_message unrepost unrepost_video unrsvp_event
    unvote_argument unvote_poll unvote_solution withdraw_space_request
    withdraw_project_application withdraw_proposal withdraw_wiki_proposal`,
  'it reads, and writes only the caller’s own state': `
    count_unread export_me get_my_capabilities get_my_reputation get_reputation get_reputation_details
    get_reputation_summary get_wallet list_my_invites list_notifications mark_read note_presence
    read_conversation`,
  'it overwrites something of the caller': `
    archive_group restore_group set_bond_level set_default_persona set_intent update_app update_bot update_circle update_me
      update_persona update_preferences vote_on_proposal vote_poll end_access_token end_bot_token end_session
      end_other_sessions log_out remove_passkey remove_totp rename_passkey renew_recovery_codes revoke_my_app start_totp
      unlink_identity`,
  'the number a person can have is limited': `
    add_push_token appeal_decision create_appeal create_bot create_circle create_invite create_persona create_series delete_app delete_bot delete_circle
    delete_persona mute_keyword pin_post select_interest select_interests`,
  'it answers something that somebody else sent, once': `
    accept_invitation decline_invitation respond_co_author respond_invitation`,
  'it belongs to a session that was counted': 'apply_ai_suggestions complete_ai_session',
  'it costs mana, or is done once for each course': 'boost_post enrol_course pay',
  'it protects the caller, so it must never be refused, and it is one row for each person or post':
    'block_person mute_conversation mute_person mute_post unblock_person',
}

test("Every operation that writes counts, or has a reason why it doesn't", async () => {
  const functions = await owner<{ name: string; source: string; writes: boolean }[]>`
    select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as source,
           p.pronamespace = 'api'::regnamespace and p.provolatile = 'v'
           and has_function_privilege('authenticated', p.oid, 'execute') as writes
    from pg_proc p where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace)`
  const calls = new Map(
    functions.map(({ name, source }) => [name, (source.match(/(?:private|api)\.\w+(?=\()/g) ?? []).map(String)]),
  )
  calls.set('private.emit', []) // listeners count separately, for example mentions
  const counts = (name: string, seen = new Set<string>()): boolean => {
    if (name === 'private.count_writes') return true
    if (seen.has(name)) return false
    seen.add(name)
    return (calls.get(name) ?? []).some((called) => counts(called, seen))
  }
  const writing = functions.filter(({ writes }) => writes).map(({ name }) => name)
  expect(writing.length).toBeGreaterThan(180)
  const excused = Object.values(uncounted).flatMap((names) => names.trim().split(/\s+/))
  expect(writing.filter((name) => !counts(name)).sort()).toEqual(excused.map((name) => `api.${name}`).sort())
})
