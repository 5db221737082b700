// A call of every operation that writes for people, with everything that it needs to succeed.
import { createRaces, type Races, type Someone, statement } from '../model/races.ts'

/** If the operation needs a fresh proof, `token` has the claims of a token that gave one. */
export type Sample = {
  who: Someone & { role?: string; token?: { iat: number; exp: number } }
  given: Record<string, unknown>
}

/** Copies a template to a new database, and adds a person (`me`) who has one of everything. */
export async function createSamples(from?: string) {
  const races = await createRaces(from)
  const samples = await prepare(races)
  return { races, samples }
}

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const long = 'One can say a lot of it, and more than that. '.repeat(3)

async function prepare({ admin, owner, join, run, interest, database }: Races): Promise<Record<string, Sample>> {
  const [me, you, third, fourth, fifth] = [await join(), await join(), await join(), await join(), await join()]
  const guarded = await join()
  for (const who of [me, you, third]) {
    await owner`select private.move('starter', array[private.mint(), ${who.id}::uuid], array[-5000, 5000])`
    await owner`select private.add_reputation(${who.id}, ${interest}, 'admin.adjusted', 60)`
    await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${who.id}, ${interest}, 1, 1)`
  }
  const staff = { ...admin, role: 'admin' }

  /** The answer of an operation, and its id. */
  const get = async <Body = { id: string }>(
    who: Sample['who'],
    operation: string,
    given: Record<string, unknown> = {},
  ): Promise<Body> => {
    const [row] = await database.asCaller({ sub: who.id, role: who.role ?? 'user' }, (sql) =>
      sql.unsafe<{ answer: Body }[]>(...callOf(operation, given)),
    )
    return row?.answer as Body
  }
  const make = async (who: Sample['who'], operation: string, given: Record<string, unknown> = {}) =>
    (await get(who, operation, given)).id

  const mine: Record<string, Record<string, unknown>> = {}
  const sample = (operation: string, given: Record<string, unknown> = {}) => {
    mine[operation] = given
  }
  const samples: Record<string, Sample> = {}

  // people
  const circle = await make(me, 'create_circle', { p_name: 'Near' })
  for (const who of [you, third]) await get(me, 'add_circle_member', { p_id: circle, p_member_id: who.username })
  const theirCircle = await make(you, 'create_circle', { p_name: 'Theirs' })
  const invited = await make(you, 'invite_to_circle', { p_id: theirCircle, p_invitee_id: me.username })
  const inviting = await make(me, 'invite_to_circle', { p_id: circle, p_invitee_id: fifth.username })
  const member = { p_id: circle, p_member_id: you.username, p_bond_level: 'inner-circle' }
  sample('create_circle', { p_name: 'Kin', p_kind: 'family', p_accent: null })
  sample('update_circle', { p_id: circle, p_changes: { name: 'Nearer', kind: 'family', accent: 'ink' } })
  sample('delete_circle', { p_id: circle })
  sample('add_circle_member', { ...member, p_member_id: fourth.username })
  sample('set_bond_level', member)
  sample('remove_circle_member', { p_id: circle, p_member_id: you.username })
  sample('invite_to_circle', { p_id: circle, p_invitee_id: fourth.username, p_bond_level: 'acquaintance' })
  sample('revoke_invitation', { p_circle_id: circle, p_id: inviting })
  sample('accept_invitation', { p_id: invited })
  sample('decline_invitation', { p_id: invited })
  sample('respond_invitation', { p_id: invited, p_accept: true })
  for (const operation of ['follow', 'unfollow', 'block', 'unblock', 'mute', 'unmute'])
    sample(`${operation}_person`, { p_person: you.username })
  sample('mute_keyword', { p_keyword: 'rain', p_until: later(1) })
  sample('unmute_keyword', { p_id: await make(me, 'mute_keyword', { p_keyword: 'snow' }) })
  sample('report', { p_target_type: 'user', p_target_id: you.username, p_reason: 'Rude', p_category: 'spam' })
  await owner`select private.warn_person(${me.id}, 'Be kind')`
  const [decision] = await owner<{ id: string }[]>`select id from app.decisions where person_id = ${me.id}`
  sample('appeal_decision', { p_id: decision?.id, p_text: 'I was' })

  // oneself
  const persona = await make(me, 'create_persona', { p_name: 'Poet' })
  const code = await make(me, 'create_invite')
  const token = 'ExponentPushToken[a]'
  await owner`insert into app.sessions (id, user_id, issued_at, token_hash)
    values ('00000000-0000-4000-8000-000000000001', ${me.id}, 0, sha256('token'))`
  sample('create_persona', { p_name: 'Painter', p_about: 'x', p_accent: 'ink', p_profile_pic_url: null })
  sample('update_persona', {
    p_id: persona,
    p_changes: { name: 'Other', about: 'x', accent: 'ink', profilePicUrl: null },
  })
  sample('delete_persona', { p_id: persona })
  sample('set_default_persona', { p_id: persona })
  const bot = await make(me, 'create_bot', { p_username: 'reminder', p_first_name: 'Reminder' })
  const digest = { p_username: 'digest', p_first_name: 'Digest', p_last_name: 'Bot' }
  sample('create_bot', { ...digest, p_about: 'x', p_profile_pic_url: null, p_invite_code: null })
  sample('update_bot', { p_id: bot, p_changes: { firstName: 'Other', about: 'x' } })
  const tokenId = '00000000-0000-4000-8000-000000000002'
  await owner`insert into app.access_tokens (id, user_id, kind, name, token_hash, scopes, issued_at, expires_at)
    select ${tokenId}, id, 'personal', 'x', sha256('bot'), '{posts:read}', 0, 0 from app.users where username = 'reminder'`
  sample('end_bot_token', { p_id: bot, p_token_id: tokenId })
  sample('delete_bot', { p_id: bot })
  sample('create_invite')
  sample('list_my_invites')
  sample('revoke_invite', { p_id: code })
  sample('update_me', {
    p_changes: {
      ...{ firstName: 'A', lastName: 'B', username: 'somebody_new', city: 'Ulm', country: 'DE' },
      ...{ phone: null, about: 'x', profilePicUrl: null },
    },
  })
  sample('end_session', { p_id: '00000000-0000-4000-8000-000000000001' })
  sample('end_other_sessions')
  const [made] = await owner<{ id: string }[]>`
    insert into app.access_tokens (user_id, kind, name, token_hash, scopes, issued_at, expires_at)
    values (${me.id}, 'personal', 'a program', sha256('program'), '{posts:read}', 0, 1) returning id`
  sample('end_access_token', { p_id: made?.id })
  const now = Math.floor(Date.now() / 1000)
  const fresh = { iat: now, exp: now + 900 }
  for (const { id } of [me, guarded])
    await owner`insert into private.proofs (user_id, issued_at, expires_at) values (${id}, ${fresh.iat}, ${fresh.exp})`
  await owner`insert into private.totp (user_id, secret, confirmed_at) values (${guarded.id}, ${Buffer.alloc(20)}, now())`
  await owner`insert into private.people_with_factor (user_id) values (${guarded.id})`
  samples.start_totp = { who: { ...me, token: fresh }, given: {} }
  for (const operation of ['remove_totp', 'renew_recovery_codes'])
    samples[operation] = { who: { ...guarded, token: fresh }, given: {} }
  const [passkey] = await owner<{ id: string }[]>`
    insert into private.passkeys (user_id, credential_id, public_key, counter, name)
    values (${guarded.id}, '\\x01', '\\x02', 0, 'Phone') returning id`
  samples.rename_passkey = { who: guarded, given: { p_id: passkey?.id, p_name: 'Laptop' } }
  samples.remove_passkey = { who: { ...guarded, token: fresh }, given: { p_id: passkey?.id } }
  const [linked] = await owner<{ id: string }[]>`
    insert into private.identities (user_id, issuer, subject, email)
    values (${me.id}, 'https://id.example', 'me', 'me@example.org') returning id`
  samples.unlink_identity = { who: { ...me, token: fresh }, given: { p_id: linked?.id } }
  const garden = { p_name: 'Garden', p_redirect_uris: ['https://garden.example/done'], p_scopes: ['posts:read'] }
  const app = await make(staff, 'create_app', garden)
  samples.create_app = {
    who: staff,
    given: { ...garden, p_is_confidential: false, p_website: 'https://garden.example' },
  }
  samples.update_app = { who: staff, given: { p_id: app, p_changes: { name: 'Park', website: null } } }
  samples.delete_app = { who: staff, given: { p_id: app } }
  await owner`insert into app.app_consents (id, user_id, app_id, scopes)
    values (gen_random_uuid(), ${me.id}, ${app}, '{posts:read}')`
  sample('revoke_my_app', { p_id: app })
  sample('log_out', { p_scope: 'local', p_family: null })
  sample('export_me', { p_section: null, p_after: null })
  sample('begin_import')
  sample('note_presence')
  const [level] = await owner<{ id: string }[]>`select id from app.interests where level = 1 order by id limit 1`
  sample('select_interest', { p_interest_id: level?.id, p_depth: 1, p_expertise: 1 })
  sample('select_interests', { p_interests: [{ interestId: level?.id, depth: 1, expertise: 1 }] })
  sample('drop_interest', { p_interest_id: interest })
  sample('set_intent', { p_intent: 'friends', p_note: 'x', p_is_active: true })
  sample('update_preferences', {
    p_changes: { 'user.followed': { inApp: true, push: true, email: true }, timezone: 'UTC', digestHour: 7 },
  })
  sample('add_push_token', { p_token: token, p_platform: 'expo', p_p256dh: null, p_auth: null })
  sample('remove_push_token', { p_token: token })
  sample('count_unread')
  sample('list_notifications', { p_limit: 20, p_cursor: null, p_since: null })
  sample('mark_read', { p_ids: null, p_group_key: 'x', p_before: null })
  const pending = { p_kind: 'image', p_content_type: 'image/png', p_size: 1 }
  const { assetId } = await get<{ assetId: string }>(me, 'create_asset', pending)
  sample('delete_asset', { p_asset_id: assetId })
  sample('create_asset', {
    ...{ p_kind: 'image', p_content_type: 'image/png', p_size: 100 },
    ...{ p_alt: null, p_width: 3, p_height: 4, p_blurhash: '000000', p_poster_id: null, p_in_parts: false },
  })
  sample('get_wallet')
  sample('get_my_capabilities')
  sample('get_my_reputation')
  sample('get_reputation', { p_person: you.username })
  sample('get_reputation_summary', { p_person: you.username })
  sample('get_reputation_details', { p_limit: 20, p_cursor: null })
  sample('vote_reputation', { p_user_id: you.username, p_interest_id: interest, p_value: 1, p_comment: 'x' })
  sample('create_appeal', { p_interest_id: interest, p_text: 'Why?', p_event_id: null })
  sample('pay', { p_emotion: 'love', p_tier: 0, p_post_id: null, p_reply_id: null, p_receiver_id: you.username })

  // posts
  const poll = { options: ['a', 'b'] }
  const post = await make(me, 'create_post', { p_body: 'Mine', p_interest_id: interest })
  const theirs = await make(you, 'create_post', { p_body: 'Theirs', p_poll: poll })
  const [option] = await owner<{ id: string }[]>`
    select o.id from app.poll_options o join app.polls p on p.id = o.poll_id where p.post_id = ${theirs} limit 1`
  const series = await make(me, 'create_series', { p_title: 'Letters' })
  const theirSeries = await make(you, 'create_series', { p_title: 'Notes' })
  await get(you, 'add_series_item', { p_id: theirSeries, p_post_id: theirs })
  const share = await make(you, 'invite_co_author', { p_id: theirs, p_user_id: me.username, p_split_share: 10 })
  const written = { p_format: 'note', p_visibility: 'public', p_depth: 0, p_interest_id: interest, p_interest_ids: [] }
  sample('create_post', {
    ...{ ...written, p_body: 'New', p_title: null, p_persona_id: null, p_media: [], p_poll: poll, p_group_id: null },
    ...{ p_quoted_post_id: null, p_publish_at: later(1), p_is_journalism: false, p_guild_id: null },
  })
  sample('update_post', {
    p_id: await make(me, 'create_post', { p_body: 'Soon', p_publish_at: later(1) }),
    p_changes: {
      ...{ body: 'Other', title: null, visibility: 'public', depth: 1, interestId: interest, interestIds: [] },
      ...{ media: [], personaId: null, publishAt: later(2), isJournalism: false },
    },
  })
  sample('repost', {
    ...{ p_id: theirs, p_body: 'Hear', p_visibility: 'public', p_depth: 0, p_interest_id: null, p_interest_ids: [] },
    ...{ p_persona_id: null, p_group_id: null, p_guild_id: null },
  })
  for (const operation of ['delete_post', 'pin_post', 'unpin_post']) sample(operation, { p_id: post })
  for (const operation of ['bookmark', 'unbookmark', 'mute_post', 'unmute_post', 'unrepost', 'unvote_poll'])
    sample(operation, { p_id: theirs })
  sample('boost_post', { p_id: post, p_tier: 1 })
  sample('react', { p_id: theirs, p_kind: 'heart' })
  sample('unreact', { p_id: theirs, p_kind: 'heart' })
  sample('vote_poll', { p_id: theirs, p_option_id: option?.id })
  sample('create_reply', { p_id: theirs, p_body: 'Indeed', p_kind: 'reply', p_parent_id: null })
  sample('create_series', { p_title: 'More', p_description: 'x' })
  sample('add_series_item', { p_id: series, p_post_id: post, p_position: 1 })
  sample('follow_series', { p_id: theirSeries })
  sample('unfollow_series', { p_id: theirSeries })
  sample('invite_co_author', { p_id: post, p_user_id: you.username, p_split_share: 10 })
  sample('respond_co_author', { p_id: theirs, p_invite_id: share, p_accept: true })

  // videos
  const media = { p_media_url: 'https://example.org/a', p_caption: 'x', p_duration_sec: 1, p_interest_id: null }
  const within = { p_group_id: null, p_guild_id: null }
  const video = await make(me, 'create_video', media)
  const theirVideo = await make(you, 'create_video', media)
  sample('create_video', { ...media, ...within, p_thumbnail_url: null })
  sample('create_audio', { ...media, ...within })
  for (const operation of ['like_video', 'unlike_video', 'repost_video', 'unrepost_video'])
    sample(operation, { p_id: theirVideo })
  sample('create_video_comment', { p_id: theirVideo, p_body: 'Well' })
  sample('delete_video_comment', {
    p_id: await make(me, 'create_video_comment', { p_id: theirVideo, p_body: 'Well' }),
  })
  sample('delete_video', { p_id: video })
  sample('delete_audio', { p_id: await make(me, 'create_audio', media) })

  // contents
  const content = { p_interest_id: null, ...within }
  const motion = { p_title: 'Rye', p_body: 'Or wheat', p_closes_at: later(2) }
  const [debate, theirDebate] = [await make(me, 'create_debate', motion), await make(you, 'create_debate', motion)]
  const argument = { p_id: theirDebate, p_side: 'for', p_body: long }
  sample('create_debate', { ...motion, ...content })
  sample('update_debate', {
    p_id: debate,
    p_changes: { title: 'Oats', body: 'Or barley', closesAt: later(3), interestId: null },
  })
  sample('close_debate', { p_id: debate })
  sample('delete_debate', { p_id: debate })
  sample('take_position', { p_id: theirDebate, p_side: 'for' })
  sample('leave_position', { p_id: theirDebate })
  sample('create_argument', { ...argument, p_parent_id: null })
  sample('delete_argument', { p_id: await make(me, 'create_argument', argument) })
  const said = await make(you, 'create_argument', argument)
  sample('vote_argument', { p_id: said })
  sample('unvote_argument', { p_id: said })

  const question = { p_title: 'Why?', p_body: 'It does not rise', p_depth: 0, p_bounty: 5 }
  const [problem, theirProblem] = [
    await make(me, 'create_problem', question),
    await make(you, 'create_problem', question),
  ]
  const solution = await make(you, 'create_solution', { p_id: problem, p_body: long })
  const own = await make(me, 'create_solution', { p_id: theirProblem, p_body: long })
  sample('create_problem', { ...question, ...content })
  sample('update_problem', { p_id: problem, p_changes: { title: 'How?', body: 'x', depth: 1, interestId: null } })
  sample('add_bounty', { p_id: problem, p_amount: 5 })
  sample('close_problem', { p_id: problem })
  sample('accept_solution', { p_id: problem, p_solution_id: solution })
  sample('delete_problem', { p_id: await make(me, 'create_problem', question) })
  sample('create_solution', { p_id: theirProblem, p_body: long })
  sample('update_solution', { p_id: own, p_body: long })
  sample('delete_solution', { p_id: own })
  sample('vote_solution', { p_id: solution, p_value: 1 })
  sample('unvote_solution', { p_id: solution })

  const feast = {
    ...{ p_title: 'Feast', p_body: 'Bread', p_starts_at: later(1), p_ends_at: later(2), p_timezone: 'UTC' },
    ...{ p_location: { kind: 'online' }, p_capacity: 9 },
  }
  const [event, theirEvent] = [await make(me, 'create_event', feast), await make(you, 'create_event', feast)]
  sample('create_event', { ...feast, ...content })
  sample('update_event', {
    p_id: event,
    p_changes: {
      ...{ title: 'x', body: 'x', startsAt: later(3), endsAt: later(4), timezone: 'UTC', capacity: 5 },
      ...{ location: { kind: 'online' }, interestId: null },
    },
  })
  sample('cancel_event', { p_id: event, p_reason: 'Rain' })
  sample('delete_event', { p_id: event })
  sample('rsvp_event', { p_id: theirEvent, p_status: 'going' })
  sample('unrsvp_event', { p_id: theirEvent })

  const teach = async (who: Someone, publish = true) => {
    const id = await make(who, 'create_course', { p_title: 'Baking', p_summary: 'Bread', p_depth: 1 })
    const lessons = []
    for (const p_title of ['Dough', 'Oven'])
      lessons.push(await make(who, 'create_course_lesson', { p_id: id, p_title, p_body: 'x' }))
    if (publish) await get(who, 'publish_course', { p_id: id })
    return { id, lessons }
  }
  const [course, draft, theirCourse, joined] = [
    await teach(me),
    await teach(me, false),
    await teach(you),
    await teach(you),
  ]
  await get(me, 'enrol_course', { p_id: joined.id })
  const lesson = { p_title: 'Salt', p_body: 'x', p_asset_id: null, p_minutes: 5, p_preview: false }
  sample('create_course', {
    ...{ p_title: 'Baking', p_summary: 'Bread', p_depth: 1, p_price_mana: 0 },
    ...content,
  })
  sample('update_course', {
    p_id: course.id,
    p_changes: { title: 'x', summary: 'x', depth: 1, priceMana: 1, interestId: null },
  })
  sample('publish_course', { p_id: draft.id })
  sample('archive_course', { p_id: course.id })
  sample('delete_course', { p_id: course.id })
  sample('create_course_lesson', { p_id: course.id, ...lesson })
  sample('update_course_lesson', {
    p_id: course.id,
    p_lesson_id: course.lessons[0],
    p_changes: { title: 'x', body: 'x', assetId: null, minutes: 5, preview: true },
  })
  sample('delete_course_lesson', { p_id: draft.id, p_lesson_id: draft.lessons[0] })
  sample('order_course_lessons', { p_id: course.id, p_ids: [...course.lessons].reverse() })
  sample('enrol_course', { p_id: theirCourse.id, p_expected_price: 0 })
  sample('set_course_progress', { p_id: joined.id, p_lesson_id: joined.lessons[0], p_done: true })

  type Project = { id: string; roles: { id: string }[] }
  const barn = { p_title: 'Barn', p_summary: 'We build', p_roles: [{ name: 'Carpenter' }, { name: 'Roofer' }] }
  const [project, theirProject] = [
    await get<Project>(me, 'create_project', barn),
    await get<Project>(you, 'create_project', barn),
  ]
  const apply = (who: Someone, { id, roles }: Project, role: number) =>
    make(who, 'apply_to_project', { p_id: id, p_role_id: roles[role]?.id, p_message: 'Me' })
  await get(me, 'approve_project_application', { p_id: project.id, p_aid: await apply(you, project, 0) })
  const asked = { p_id: project.id, p_aid: await apply(third, project, 0) }
  await get(you, 'approve_project_application', { p_id: theirProject.id, p_aid: await apply(me, theirProject, 0) })
  sample('create_project', { ...barn, ...content })
  sample('update_project', { p_id: project.id, p_changes: { title: 'x', summary: 'x', interestId: null } })
  sample('set_project_status', { p_id: project.id, p_status: 'active' })
  sample('create_project_role', { p_id: project.id, p_name: 'Painter', p_about: 'x', p_slots: 1 })
  sample('update_project_role', {
    p_id: project.id,
    p_role_id: project.roles[1]?.id,
    p_changes: { name: 'x', about: 'x', slots: 2 },
  })
  sample('delete_project_role', { p_id: project.id, p_role_id: project.roles[1]?.id })
  sample('create_project_update', { p_id: project.id, p_body: 'News' })
  await owner`update app.project_roles set slots = 5 where project_id = ${project.id}`
  sample('approve_project_application', asked)
  sample('reject_project_application', asked)
  sample('remove_project_member', { p_id: project.id, p_user_id: you.username })
  sample('delete_project', { p_id: await make(me, 'create_project', barn) })
  sample('leave_project', { p_id: theirProject.id })
  const another = await get<Project>(third, 'create_project', barn)
  sample('apply_to_project', { p_id: another.id, p_role_id: another.roles[1]?.id, p_message: 'Me' })
  sample('withdraw_project_application', { p_id: another.id, p_aid: await apply(me, another, 0) })

  // market
  const bread = { p_title: 'Bread', p_description: 'A loaf', p_price_mana: 5, p_delivery_days: 5, p_stock: 50 }
  const [offering, theirOffering] = [
    await make(me, 'create_offering', bread),
    await make(you, 'create_offering', bread),
  ]
  const order = async (buyer: Someone, p_id: string, state: string) => {
    const { order } = await get<{ order: { id: string } }>(buyer, 'place_order', { p_id, p_expected_price: 5 })
    await owner`update app.orders set state = ${state}, deadline_at = now() + interval '1 day' where id = ${order.id}`
    return order.id
  }
  sample('create_offering', { ...bread, ...content })
  sample('update_offering', {
    p_id: offering,
    p_changes: {
      ...{ title: 'x', description: 'x', priceMana: 6, stock: 5, deliveryDays: 4, status: 'paused', interestId: null },
    },
  })
  sample('delete_offering', { p_id: await make(me, 'create_offering', bread) })
  sample('place_order', { p_id: theirOffering, p_expected_price: 5, p_note: 'x' })
  const held = await order(you, offering, 'held')
  sample('accept_order', { p_id: held })
  sample('decline_order', { p_id: held })
  sample('deliver_order', { p_id: await order(you, offering, 'accepted'), p_delivery_note: 'x', p_asset_id: null })
  sample('cancel_order', { p_id: await order(me, theirOffering, 'held') })
  sample('complete_order', { p_id: await order(me, theirOffering, 'delivered') })
  sample('dispute_order', { p_id: await order(me, theirOffering, 'accepted'), p_reason: 'x' })
  sample('review_order', { p_id: await order(me, theirOffering, 'completed'), p_stars: 5, p_text: 'x' })

  // messages
  type Talk = { id: string }
  const { id: talk } = await get<Talk>(me, 'create_conversation', {
    ...{ p_kind: 'group', p_title: 'Talk', p_member_ids: [you.username] },
  })
  const client = { p_client_id: '00000000-0000-4000-8000-000000000002' }
  const message = await make(me, 'send_message', { p_id: talk, p_body: 'Hi', ...client })
  const answer = await make(you, 'send_message', { p_id: talk, p_body: 'Hello', ...client })
  sample('create_conversation', { p_kind: 'group', p_member_ids: [you.username], p_title: 'Talk' })
  sample('send_message', {
    ...{ p_id: talk, p_body: 'Hi', p_client_id: '00000000-0000-4000-8000-000000000003' },
    ...{ p_reply_to_id: answer, p_asset_id: null, p_alt: null },
  })
  sample('edit_message', { p_id: message, p_body: 'Hey' })
  sample('delete_message', { p_id: message })
  sample('react_to_message', { p_id: answer, p_emoji: '❤️' })
  sample('unreact_to_message', { p_id: answer, p_emoji: '❤️' })
  sample('read_conversation', { p_id: talk, p_message_id: answer })
  sample('rename_conversation', { p_id: talk, p_title: 'Chat' })
  sample('add_conversation_members', { p_id: talk, p_user_ids: [third.username] })
  sample('remove_conversation_member', { p_id: talk, p_person: you.username })
  sample('hand_over_conversation', { p_id: talk, p_person: you.username, p_role: 'owner' })
  sample('mute_conversation', { p_id: talk, p_until: later(1) })
  sample('unmute_conversation', { p_id: talk })
  sample('leave_conversation', { p_id: talk })

  // groups
  const found = async (who: Someone, p_join_policy = 'open') =>
    make(who, 'create_group', { p_name: 'Club', p_join_policy })
  const group = await found(me, 'request')
  const ask = async (who: Someone, p_id: string) => {
    const { requestId } = await get<{ requestId: string }>(who, 'join_group', { p_id })
    return requestId
  }
  await get(me, 'settle_space_request', {
    ...{ p_kind: 'group', p_id: group, p_request_id: await ask(you, group), p_approve: true },
  })
  const request = { p_kind: 'group', p_id: group, p_request_id: await ask(third, group) }
  await owner`insert into app.space_bans (space_id, user_id) values (${group}, ${fourth.id})`
  const gone = await found(me)
  await get(me, 'archive_group', { p_id: gone })
  const [open, entered, requested, inviter] = [
    await found(you),
    await found(you),
    await found(you, 'request'),
    await found(you, 'invite'),
  ]
  await get(me, 'join_group', { p_id: entered })
  const invitation = { p_iid: await make(you, 'invite_to_group', { p_id: inviter, p_invitee_id: me.username }) }
  sample('create_group', {
    ...{ p_name: 'Club', p_slug: 'a-club', p_about: 'x', p_interest_id: null, p_accent: null },
    ...{ p_visibility: 'public', p_join_policy: 'open' },
  })
  sample('update_group', {
    p_id: group,
    p_changes: {
      ...{ name: 'x', slug: 'x-club', about: 'x', interestId: null, accent: null },
      ...{ visibility: 'private', joinPolicy: 'open' },
    },
  })
  sample('archive_group', { p_id: group })
  sample('restore_group', { p_id: gone })
  sample('join_group', { p_id: open, p_message: 'x' })
  sample('leave_space', { p_kind: 'group', p_id: entered })
  sample('settle_space_request', { ...request, p_approve: true })
  sample('withdraw_space_request', { p_kind: 'group', p_id: requested, p_request_id: await ask(me, requested) })
  sample('set_group_role', { p_id: group, p_user_id: you.username, p_role: 'moderator' })
  sample('remove_group_member', { p_id: group, p_user_id: you.username, p_ban: true })
  sample('lift_group_ban', { p_id: group, p_user_id: fourth.username })
  sample('invite_to_group', { p_id: group, p_invitee_id: fifth.username })
  sample('revoke_group_invitation', {
    p_id: open,
    p_iid: await make(you, 'invite_to_group', { p_id: open, p_invitee_id: third.username }),
  })
  samples.revoke_group_invitation = { who: you, given: mine.revoke_group_invitation ?? {} }
  const { id: rude } = await get(you, 'create_post', { p_body: 'Rude', p_group_id: group })
  await get(you, 'report', { p_target_type: 'post', p_target_id: rude, p_reason: 'My own mistake' })
  const [reported] = await owner<{ id: string }[]>`select id from app.cases where target_id = ${rude ?? ''}`
  sample('act_on_space_report', {
    ...{ p_kind: 'group', p_id: group, p_case_id: reported?.id, p_action: 'hide', p_reason: 'Not here' },
  })
  sample('accept_group_invitation', invitation)
  sample('decline_group_invitation', invitation)

  // guilds
  const guildOf = async () => make(staff, 'create_guild', { p_name: 'Guild', p_interest_id: interest })
  const join_ = async (who: Someone, p_id: string) => {
    const { id } = await get(who, 'apply_to_guild', { p_id, p_message: 'x' })
    return id
  }
  const [guild, wanted] = [await guildOf(), await guildOf()]
  for (const [who, p_id] of [
    [me, guild],
    [you, guild],
  ] as const)
    await get(staff, 'settle_space_request', {
      ...{ p_kind: 'guild', p_id, p_request_id: await join_(who, p_id), p_approve: true },
    })
  await get(staff, 'hand_over_guild', { p_id: guild, p_user_id: me.username, p_role: 'founder' })
  await get(me, 'contribute', { p_guild_id: guild, p_amount: 50 })
  await owner`insert into app.contribution_entries (user_id, kind, delta, source_id)
    values (${me.id}, 'post_created', 2, gen_random_uuid()), (${you.id}, 'post_created', 1, gen_random_uuid())`
  const proposal = { p_id: guild, p_kind: 'general', p_title: 'Bread', p_body: 'x', p_payload: {} }
  const proposed = { p_id: guild, p_pid: await make(me, 'create_proposal', proposal) }
  sample('create_guild', {
    ...{ p_name: 'Guild', p_interest_id: interest, p_slug: 'a-guild', p_about: 'x', p_charter: 'x', p_min_rep: 0 },
    p_accent: null,
  })
  samples.create_guild = { who: staff, given: mine.create_guild ?? {} }
  sample('update_guild', { p_id: guild, p_changes: { name: 'x', about: 'x', minRep: 1, accent: null } })
  sample('apply_to_guild', { p_id: wanted, p_message: 'x' })
  sample('hand_over_guild', { p_id: guild, p_user_id: you.username, p_role: 'founder' })
  sample('create_proposal', { ...proposal, p_closes_at: later(2) })
  sample('vote_on_proposal', { ...proposed, p_value: 'yes' })
  sample('withdraw_proposal', proposed)
  sample('contribute', { p_guild_id: guild, p_amount: 1, p_note: 'x' })
  sample('disburse', { p_guild_id: guild, p_recipient_id: you.username, p_amount: 1, p_note: 'x' })
  sample('distribute', { p_guild_id: guild, p_amount: 3, p_note: 'x' })

  // the wiki, and AI sessions
  const [subject] = await owner<{ slug: string }[]>`select slug from app.interests where id = ${interest}`
  const entry = { p_slug: subject?.slug, p_body: 'x', p_summary: 'x', p_base_version: 0 }
  sample('create_wiki_proposal', entry)
  sample('vote_wiki_proposal', { p_id: await make(you, 'create_wiki_proposal', entry), p_value: 1 })
  sample('withdraw_wiki_proposal', { p_id: await make(me, 'create_wiki_proposal', entry) })
  const session = async () => make(me, 'start_ai_session', { p_topic: 'Bread' })
  const [reflecting, told] = [await session(), await session()]
  for (let n = 0; n < 5; n++) await get(me, 'answer_ai_session', { p_session_id: told, p_answer: 'x' })
  sample('start_ai_session', { p_topic: 'Bread' })
  sample('answer_ai_session', { p_session_id: reflecting, p_answer: 'x', p_position: null })
  sample('complete_ai_session', { p_session_id: told })
  sample('apply_ai_suggestions', { p_session_id: reflecting, p_ids: [interest] })

  await run(statement('select private.apply_effects()'))
  for (const [operation, given] of Object.entries(mine)) samples[operation] ??= { who: me, given }
  return samples
}

/** The statement of a call, and its values. */
export function callOf(operation: string, given: Record<string, unknown>): [string, string[]] {
  const names = Object.keys(given).filter((name) => given[name] !== undefined)
  const text = `select api.${operation}(${names.map((name, at) => `${name} => $${at + 1}`).join()}) as answer`
  return [text, names.map((name) => given[name] as string)]
}
