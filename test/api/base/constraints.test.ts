// A constraint that rejects a value gives its code and text by `.rpc()` too: the database itself raises them, without
// the facade. See docs/decisions.md, Errors.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { rest } from '../../support/rest.ts'
import { world } from '../../support/world.ts'

const { alice, bob, stack, database } = await world({ people: ['alice', 'bob'] })
const { ask } = rest(stack, alice)
const { owner } = database

/** Every named rule of schema app: checks, including those of domains, foreign keys and unique indexes. */
const rules = await owner<{ name: string }[]>`
  select m[1] as name
  from pg_proc, regexp_matches(prosrc, 'private\\.raise_check_violation\\(''(\\w+)''\\)', 'g') m where proname ~ '_rules$'
  union all
  select conname from pg_constraint
  where connamespace = 'app'::regnamespace and (contype = 'f' or contype = 'c' and contypid <> 0)
  union all
  select i.indexrelid::regclass::text
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = 'app'::regnamespace and i.indisunique`
const registered = new Map(
  (await owner<{ code: string; status: number; text: string }[]>`select code, status, text from private.errors`).map(
    ({ code, ...error }) => [code, error],
  ),
)
const named = rules.map(({ name }) => name.replace(/^app\./, '')).filter((name) => registered.has(name))

const made = async (person: typeof alice, path: string, body: unknown) =>
  (await person.post<{ id: string }>(path, body)).body.id
const post = await made(bob, '/posts', { body: 'A post of somebody else.' })
const own = await made(alice, '/posts', { body: 'A post of mine.' })
const video = await made(bob, '/videos', { mediaUrl: 'https://example.org/a.mp4' })
const project = await made(alice, '/projects', { title: 'x', summary: 'x', roles: [{ name: 'x' }] })
const bobs = await bob.post<{ id: string; roles: { id: string }[] }>('/projects', {
  title: 'x',
  summary: 'x',
  roles: [{ name: 'x' }],
})
const debate = await made(bob, '/debates', { title: 'x', body: 'x', closesAt: '2099-01-01T00:00:00Z' })
const problem = await made(bob, '/problems', { title: 'x', body: 'x' })
let argument: string | null = null
for (let depth = 1; depth <= 4; depth++)
  argument = await made(bob, `/debates/${debate}/arguments`, { side: 'for', body: 'x'.repeat(60), parentId: argument })
const talk = await made(alice, '/conversations', { kind: 'group', memberIds: [], title: 'Myself' })
const group = await made(bob, '/groups', { name: 'Those who ask', joinPolicy: 'request' })
const club = await made(alice, '/groups', { name: 'Those who are in' })
const circle = await made(alice, '/circles/me', { name: 'Kin', kind: 'family' })
const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 3 limit 1`
const event = {
  title: 'Walk',
  body: 'In the wood.',
  startsAt: '2099-01-31T12:00:00Z',
  endsAt: '2099-01-31T13:00:00Z',
  timezone: 'UTC',
  location: { kind: 'online' },
}
const walk = await made(alice, '/events', event)
const [picture] = await owner<{ id: string }[]>`
  insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, mime_type, status, committed_at, expires_at)
  values (${alice.id}, 'image', 'image/png', 1, 'local', gen_random_uuid(), 'image/png', 'committed', now(), null)
  returning id`
const course = await made(alice, '/courses', { title: 'Course', summary: 'Of lessons.', depth: 0 })
const lesson = await made(alice, `/courses/${course}/lessons`, { title: 'Lesson', body: 'Text.' })
await owner`update app.settings set value = 'everyone' where key = 'register_apps'`
const app = await made(alice, '/apps', {
  name: 'Garden',
  redirectUris: ['https://garden.example/done'],
  scopes: ['posts:read'],
})
const garden = { p_name: 'Park', p_redirect_uris: ['https://park.example/done'], p_scopes: ['posts:read'] }
const session = await made(alice, '/ai/sessions', { topic: 'Rules' })
const persona = await made(alice, '/me/personas', { name: 'Poet' })
const other = await made(alice, '/me/personas', { name: 'Painter' })
await alice.post(`/circles/${circle}/invite`, { inviteeId: bob.username, bondLevel: 'acquaintance' })
await owner`select private.add_reputation(${alice.id}, id, 'admin.adjusted', 20) from app.interests where slug = 'poetry'`
await alice.post('/reports', { targetType: 'post', targetId: post, reason: 'Once.' })

const offering = await made(bob, '/economy/market/offerings', {
  title: 'It',
  description: 'Of mine',
  priceMana: 1,
  deliveryDays: 1,
})
const order = async (person: typeof alice, state: string) => {
  const path = `/economy/market/offerings/${offering}/orders`
  const placed = await person.post<{ order: { id: string } }>(path, { expectedPrice: 1 })
  await owner`update app.orders set state = ${state} where id = ${placed.body.order.id}`
  return placed.body.order.id
}
const sold = await made(alice, '/economy/market/offerings', {
  title: 'It',
  description: 'x',
  priceMana: 1,
  deliveryDays: 1,
})
const delivering = (
  await bob.post<{ order: { id: string } }>(`/economy/market/offerings/${sold}/orders`, { expectedPrice: 1 })
).body.order.id
await owner`update app.orders set state = 'accepted' where id = ${delivering}`
const [accepted, completed] = [await order(alice, 'accepted'), await order(alice, 'completed')]

const long = 'é'.repeat(100_001)
type Call = [operation: string, given: Record<string, unknown>]
/** A call that violates the rule, or the reason why no call can. */
const reached: Record<string, Call | Call[] | string> = {
  ai_answer: ['answer_ai_session', { p_session_id: session, p_answer: ' ' }],
  alt_text: ['create_asset', { p_kind: 'image', p_content_type: 'image/png', p_size: 1, p_alt: 'x'.repeat(1001) }],
  asset_dimensions: ['create_asset', { p_kind: 'image', p_content_type: 'image/png', p_size: 1, p_width: 1 }],
  asset_poster: [
    ['create_asset', { p_kind: 'image', p_content_type: 'image/png', p_size: 1, p_poster_id: picture?.id }],
    ['create_asset', { p_kind: 'video', p_content_type: 'video/mp4', p_size: 1, p_poster_id: UNKNOWN }],
  ],
  blurhash: ['create_asset', { p_kind: 'image', p_content_type: 'image/png', p_size: 1, p_blurhash: '00000' }],
  ai_topic: ['start_ai_session', { p_topic: ' ' }],
  block_oneself: ['block_person', { p_person: alice.username }],
  audio_caption: ['create_audio', { p_media_url: 'https://example.org/a.mp3', p_caption: 'é'.repeat(281) }],
  comment_body: ['create_video_comment', { p_id: video, p_body: 'é'.repeat(2001) }],
  intent_note: ['set_intent', { p_intent: 'friends', p_note: 'é'.repeat(281) }],
  conversation_title: ['create_conversation', { p_kind: 'group', p_member_ids: [], p_title: ' ' }],
  guild_charter: 'only admins can create guilds, and no token here is an admin’s; test/db/guilds/guilds.sql covers it',
  guild_min_rep: 'as guild_charter',
  treasury_note: 'there is no guild member here; test/db/treasury/treasury.sql covers it',
  proposal_body: 'there is no guild member here; test/api/guilds/proposals.test.ts covers it',
  proposal_title: 'as proposal_body',
  message_body: ['send_message', { p_id: talk, p_body: 'x'.repeat(4001), p_client_id: crypto.randomUUID() }],
  message_emoji: 'private.require_emoji checks it first',
  argument_body: ['create_argument', { p_id: debate, p_side: 'for', p_body: 'short' }],
  argument_depth: ['create_argument', { p_id: debate, p_side: 'for', p_body: 'x'.repeat(60), p_parent_id: argument }],
  content_body: ['update_event', { p_id: walk, p_changes: { body: ' ' } }],
  content_title: ['update_event', { p_id: walk, p_changes: { title: 'é'.repeat(201) } }],
  course_depth: 'operations check it first, since the stored column is small',
  course_price: ['update_course', { p_id: course, p_changes: { priceMana: -1 } }],
  lesson_minutes: ['update_course_lesson', { p_id: course, p_lesson_id: lesson, p_changes: { minutes: 0 } }],
  lesson_title: ['update_course_lesson', { p_id: course, p_lesson_id: lesson, p_changes: { title: ' ' } }],
  event_capacity: ['update_event', { p_id: walk, p_changes: { capacity: 0 } }],
  event_location: ['update_event', { p_id: walk, p_changes: { location: { kind: 'place', city: 'é'.repeat(101) } } }],
  event_reason: ['cancel_event', { p_id: walk, p_reason: 'é'.repeat(501) }],
  event_times: ['update_event', { p_id: walk, p_changes: { endsAt: event.startsAt } }],
  event_url: ['update_event', { p_id: walk, p_changes: { location: { kind: 'online', url: 'ftp://example.org' } } }],
  offering_delivery: ['create_offering', { p_title: 'x', p_description: 'x', p_price_mana: 1, p_delivery_days: 61 }],
  offering_price: ['update_offering', { p_id: sold, p_changes: { priceMana: 0 } }],
  offering_stock: ['update_offering', { p_id: sold, p_changes: { stock: -1 } }],
  order_delivery_note: ['deliver_order', { p_id: delivering, p_delivery_note: ' ' }],
  order_note: ['place_order', { p_id: offering, p_expected_price: 1, p_note: 'é'.repeat(2001) }],
  order_reason: ['dispute_order', { p_id: accepted, p_reason: ' ' }],
  review_stars: ['review_order', { p_id: completed, p_stars: 6 }],
  review_text: ['review_order', { p_id: completed, p_stars: 5, p_text: 'é'.repeat(2001) }],
  solution_body: ['create_solution', { p_id: problem, p_body: 'short' }],
  space_about: ['create_group', { p_name: 'x', p_about: 'é'.repeat(2001) }],
  space_message: ['join_group', { p_id: group, p_message: 'é'.repeat(501) }],
  space_name: ['create_group', { p_name: 'é'.repeat(81) }],
  space_slug: ['create_group', { p_name: 'x', p_slug: 'No' }],
  space_visibility: ['create_post', { p_body: 'x', p_group_id: club, p_visibility: 'circles' }],
  video_caption: ['create_video', { p_media_url: 'https://example.org/a.mp4', p_caption: 'é'.repeat(281) }],
  broadcast_body: 'only staff can broadcast, and no token here is theirs; test/db/admin/broadcast.sql covers it',
  broadcast_title: 'as broadcast_body',
  co_author_already: 'api.invite_co_author checks it first, with the post locked',
  contribution_length: ['create_reply', { p_id: post, p_body: 'short', p_kind: 'contribution' }],
  criticism_length: ['create_reply', { p_id: post, p_body: 'short', p_kind: 'criticism' }],
  digest_hour: ['update_preferences', { p_changes: { digestHour: 24 } }],
  email_taken: 'only the role gate writes addresses, and no token has that role',
  emotion_unknown: ['pay', { p_emotion: 'envy', p_tier: 0, p_receiver_id: bob.username }],
  follow_oneself: ['follow_person', { p_person: alice.username }],
  insufficient_mana: ['pay', { p_emotion: 'love', p_tier: 5, p_receiver_id: bob.username }],
  interest_depth_out_of_range: [
    ['select_interest', { p_interest_id: interest?.id, p_depth: 6, p_expertise: 1 }],
    ['select_interests', { p_interests: [{ interestId: interest?.id, depth: 0, expertise: 1 }] }],
  ],
  interest_expertise_out_of_range: ['select_interest', { p_interest_id: interest?.id, p_depth: 1, p_expertise: 6 }],
  interest_parent_misplaced: 'no operation writes the catalog',
  interest_parent_unfit: 'no operation writes the catalog',
  interest_slug_taken: 'no operation writes the catalog',
  interest_unknown: 'private.require_interest checks it first, and an interest is never deleted',
  invitation_pending: ['invite_to_circle', { p_id: circle, p_invitee_id: bob.username }],
  invite_oneself: ['invite_to_circle', { p_id: circle, p_invitee_id: alice.username }],
  keyword_empty: ['mute_keyword', { p_keyword: '\u0640' }],
  member_already: 'private.limit_circle_members checks it first, with the circle locked',
  member_oneself: ['add_circle_member', { p_id: circle, p_member_id: alice.username }],
  mute_oneself: ['mute_person', { p_person: alice.username }],
  persona_name_taken: [
    ['create_persona', { p_name: 'Poet' }],
    ['update_persona', { p_id: other, p_changes: { name: 'Poet' } }],
  ],
  post_body: [
    ['create_post', { p_body: ' ' }],
    ['create_post', { p_body: long, p_format: 'essay', p_title: 'Long' }],
    ['update_post', { p_id: own, p_changes: { body: '' } }],
    ['repost', { p_id: post, p_body: long }],
  ],
  push_token: ['add_push_token', { p_platform: 'expo', p_token: 'abc' }],
  post_media: [
    ['create_post', { p_body: 'x', p_format: 'photo' }],
    ['update_post', { p_id: own, p_changes: { media: Array(11).fill({ url: 'https://example.org/a.png' }) } }],
  ],
  post_quoted: ['create_post', { p_body: 'x', p_format: 'quote' }],
  post_title: [
    ['create_post', { p_body: 'x', p_title: 'Title' }],
    ['update_post', { p_id: own, p_changes: { title: 'Title' } }],
  ],
  reply_body: ['create_reply', { p_id: post, p_body: '' }],
  report_oneself: ['report', { p_target_type: 'user', p_target_id: alice.username, p_reason: 'x' }],
  report_open: ['report', { p_target_type: 'post', p_target_id: post, p_reason: 'Twice.' }],
  repost_bare: ['create_post', { p_body: '', p_format: 'repost', p_quoted_post_id: post, p_depth: 1 }],
  series_description: ['create_series', { p_title: 'x', p_description: long }],
  series_title: ['create_series', { p_title: ' ' }],
  project_message: [
    'apply_to_project',
    { p_id: bobs.body.id, p_role_id: bobs.body.roles[0]?.id, p_message: 'é'.repeat(2001) },
  ],
  project_role_about: ['create_project_role', { p_id: project, p_name: 'x', p_about: 'é'.repeat(2001) }],
  project_role_full: 'private.add_project_member and private.change_project_role check it first, with the role locked',
  project_role_name: ['create_project_role', { p_id: project, p_name: ' ' }],
  project_role_slots: ['create_project_role', { p_id: project, p_name: 'x', p_slots: 0 }],
  wiki_body: [
    'create_wiki_proposal',
    { p_slug: 'poetry', p_body: 'é'.repeat(20_001), p_summary: 'x', p_base_version: 0 },
  ],
  wiki_summary: ['create_wiki_proposal', { p_slug: 'poetry', p_body: 'x', p_summary: ' ', p_base_version: 0 }],
  access_token_name: 'only the facade may make access tokens, and checks the name first',
  app_name: [
    ['create_app', { ...garden, p_name: ' ' }],
    ['update_app', { p_id: app, p_changes: { name: '' } }],
  ],
  app_website: ['create_app', { ...garden, p_website: 'http://garden.example' }],
  username_taken: ['update_me', { p_changes: { username: bob.username } }],
}

const call = ([operation, given]: Call) => ask(`/rpc/${operation}`, { body: JSON.stringify(given) })

test('Every rule whose name is an error code has a call that violates it, or a reason why none can', () => {
  expect(named.toSorted()).toEqual(Object.keys(reached).sort())
})

const calls = Object.entries(reached).flatMap(([code, one]) =>
  typeof one === 'string'
    ? []
    : (Array.isArray(one[0]) ? (one as Call[]) : [one as Call]).map((each) => [code, each] as const),
)
test.each(calls)('The rule %s raises its own code and text for %j', async (code, each) => {
  const { status, text } = registered.get(code) ?? { status: 0, text: '' }
  expect(await call(each)).toMatchObject({
    status,
    body: { code: `PT${status}`, message: code, details: text, hint: null },
  })
})

describe('A rule without its own code', () => {
  test('never shows the message of Postgres: every check of schema app raises a registered error', async () => {
    const checks = await owner<{ name: string; rule: string }[]>`
      select conname as name, pg_get_constraintdef(oid) as rule
      from pg_constraint where connamespace = 'app'::regnamespace and contype = 'c'`
    expect(checks.length).toBeGreaterThan(80)
    expect(checks.filter(({ rule }) => !/private\.(raise_check_violation|\w+_rules)\(/.test(rule))).toEqual([])
  })

  test.each<Call>([
    ['create_post', { p_body: 'x', p_format: 'poem' }],
    ['create_post', { p_body: 'x', p_visibility: 'friends' }],
    ['create_post', { p_body: 'x', p_depth: 6 }],
    ['update_post', { p_id: own, p_changes: { visibility: 'friends' } }],
    ['create_reply', { p_id: post, p_body: 'x', p_kind: 'joke' }],
    ['react', { p_id: post, p_kind: 'laugh' }],
    ['create_circle', { p_name: 'é'.repeat(61) }],
    ['create_circle', { p_name: 'x', p_kind: 'secret' }],
    ['create_circle', { p_name: 'x', p_accent: 'No Accent' }],
    ['add_circle_member', { p_id: circle, p_member_id: bob.username, p_bond_level: 'best' }],
    ['invite_to_circle', { p_id: circle, p_invitee_id: bob.username, p_bond_level: 'best' }],
    ['create_persona', { p_name: 'é'.repeat(41) }],
    ['create_persona', { p_name: 'x', p_accent: 'plum' }],
    ['create_persona', { p_name: 'x', p_about: 'é'.repeat(281) }],
    ['update_persona', { p_id: persona, p_changes: { accent: 'plum' } }],
    ['update_me', { p_changes: { username: 'a b' } }],
    ['update_me', { p_changes: { phone: 'call me' } }],
    ['update_me', { p_changes: { about: 'é'.repeat(1001) } }],
    ['mute_keyword', { p_keyword: 'é'.repeat(101) }],
    ['report', { p_target_type: 'user', p_target_id: bob.username, p_reason: 'é'.repeat(1001) }],
    ['respond_invitation', { p_id: UNKNOWN, p_accept: null }],
    ['respond_co_author', { p_id: post, p_invite_id: UNKNOWN, p_accept: null }],
  ])('raises value_invalid for %s with %j, as over HTTP, and quotes no row', async (...each) => {
    expect(await call(each)).toMatchObject({
      status: 422,
      body: { code: 'PT422', message: 'value_invalid', details: 'A value is not allowed.', hint: null },
    })
  })

  test('gives the name of the violated check to a direct connection', async () => {
    const refused = owner`update app.wallets set lifetime_spent = -1 where false is not true`
    await expect(refused).rejects.toMatchObject({ code: 'PT422', constraint_name: expect.stringMatching(/^wallets_/) })
  })
})
