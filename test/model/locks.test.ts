// The order of locks (ARCHITECTURE.md, Locks), held against the operations: while one waits for a lock it has those
// before, and none behind. And operations that want the same, held where they would meet crosswise: each waits for the
// other, and none is sent a deadlock.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import {
  account,
  advisory,
  as,
  asOnce,
  asStaff,
  atGate,
  audit,
  comments,
  contents,
  counters,
  createRaces,
  credentials,
  effects,
  form,
  type Lock,
  type Outcome,
  pair,
  person,
  posts,
  type Races,
  type Request,
  recorded,
  replies,
  row,
  type Someone,
  series,
  statement,
  wallet,
  writes,
} from './races.ts'

const heart = (who: Someone, post: string) => as(who, `react($3::uuid, 'heart')`, post)
const ban = ({ id }: Someone) => statement('update app.users set banned_at = now() where id = $1', id)
const erase = ({ id }: Someone) => statement('select private.erase_person($1)', id)
const views = (opened: string[], { id }: Someone) =>
  statement('select api.count_views($1, array_fill($2::uuid, array[$3::integer]))', opened, id, opened.length)

const races = await createRaces()
const {
  admin,
  answer,
  settleTrending,
  found,
  interest,
  join,
  runHeld,
  owner,
  publish,
  runAndRollBack,
  reply,
  run,
  superuser,
  waiting,
} = races

const repliesTo = async (post: string) =>
  (await found<{ replies: number }>('select replies from app.post_counters where post_id = $1', post)).replies

/** A link that makes an address somebody's, with the token `link`. */
const newLink = ({ id }: Someone, email: string) =>
  found(
    `insert into private.email_verifications (id, user_id, email, replaces, token_hash, expires_at)
     select gen_random_uuid(), user_id, $2, email, sha256('link'), now() + interval '1 day'
     from app.accounts where user_id = $1 returning id`,
    id,
    email,
  )

/** Lets somebody vote with weight. */
async function learn({ id }: Someone) {
  await owner`select private.add_reputation(${id}, ${interest}, 'admin.adjusted', 20)`
  await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${id}, ${interest}, 1, 1)`
}

describe('locks are taken in the order by', async () => {
  const third = await join()
  const author = await join(third)
  const fan = await join(author) // by whose code one came is who inherits
  const leaver = await join()
  for (const who of [third, author, fan, leaver]) await learn(who)
  const inOrder = (...people: Someone[]) => people.sort((one, other) => (one.id < other.id ? -1 : 1))

  const fresh = await publish(author, { interest })
  const loved = await publish(author, { interest })
  const shared = await publish(author, { interest })
  const replied = await publish(author, { interest })
  await answer(heart(fan, loved))
  const repost = await answer(as(fan, 'repost($3::uuid)', shared))
  const answered = await reply(fan, replied)
  const own = await publish(leaver)
  const others = await reply(leaver, replied)

  const film = async (who: Someone) => (await answer(as(who, `create_video('https://example.org/a')`))).id
  const remark = async (who: Someone, video: string) =>
    (await answer(as(who, `create_video_comment($3::uuid, 'Well said')`, video))).id
  const clip = await film(author)
  const ownClip = await film(leaver)
  const remarked = await remark(fan, clip)
  const leaversRemark = await remark(leaver, clip)

  const motion = (await answer(as(author, `create_debate('Rye', 'Or wheat', now() + interval '1 day')`))).id
  await answer(as(fan, `take_position($3::uuid, 'for')`, motion))
  await owner`insert into app.debate_arguments (debate_id, author_id, side, depth, body, deleted_at)
    values (${motion}, ${fan.id}, 'for', 1, '', now())`

  const newSeries = async () =>
    (await found(`insert into app.series (author_id, title) values ($1, 'Parts') returning id`, author.id)).id
  const extended = await newSeries()
  const both = [await newSeries(), await newSeries()].sort()
  for (const id of both) await answer(as(author, 'add_series_item($3::uuid, $4::uuid)', id, fresh))

  const paid = `pay('joy', 0, p_post_id => $3::uuid)`
  const quoted = `repost($3::uuid, 'Hear this', p_interest_id => $4::uuid)`
  await answer(asOnce('key', fan, paid, fresh))
  await answer(asOnce('key', fan, quoted, fresh, interest))
  const standing = await found(`select id from app.payments where post_id = $1`, fresh)
  const offered = (await answer(as(author, `create_offering('Bread', 'A loaf', 5, 5, 9)`))).id
  const ordering = 'place_order($3::uuid, 5)'
  const { order } = await answer<{ order: { id: string } }>(asOnce('key', fan, ordering, offered))
  await owner`update app.idempotency_keys set created_at = now() - interval '25 hours'` // taken over, and not answered
  const key = (what: string) => row('app.idempotency_keys', `user_id = '${fan.id}' and operation = '${what}'`)

  await answer(as(fan, 'vote_reputation($3, $4::uuid, 1)', author.username, interest))
  const vote = await found('select id from app.reputation_votes where voter_id = $1', fan.id)
  const appeal = await answer(as(author, `create_appeal($3::uuid, 'Why?')`, interest))

  const asked = await answer(as(author, `create_post('?', p_poll => '{"options": ["a", "b"]}')`))
  const poll = await found('select id from app.polls where post_id = $1', asked.id)
  const options = await owner<{ id: string }[]>`select id from app.poll_options where poll_id = ${poll.id} order by id`
  await answer(as(fan, 'vote_poll($3::uuid, $4::uuid)', asked.id, options[0]?.id))

  const circle = await answer(as(author, `create_circle('Friends')`))
  const invitation = await answer(as(author, 'invite_to_circle($3::uuid, $4)', circle.id, fan.username))
  const share = await answer(as(author, 'invite_co_author($3::uuid, $4, 10)', loved, fan.username))
  await answer(as(fan, 'follow_person($3)', third.username))
  await answer(as(leaver, 'block_person($3)', third.username))

  const { id: talkId } = await found<{ id: string }>(
    `insert into app.conversations (kind, title) values ('group', 'Talk') returning id`,
  )
  for (const who of [author, fan, leaver])
    await owner`select private.start_membership(${talkId}, ${[who.id]}::uuid[], 1)`
  await owner`update app.conversation_members set role = 'owner' where conversation_id = ${talkId} and user_id = ${author.id}`
  const talk = row('app.conversations', `id = '${talkId}'`)
  const sending = `send_message($3::uuid, 'Hi', '00000000-0000-4000-8000-000000000001')`
  const said = await answer(asOnce('key', fan, `send_message($3::uuid, 'Hi', gen_random_uuid())`, talkId))
  await owner`update app.idempotency_keys set created_at = now() - interval '25 hours'`

  const taught = (await answer(as(author, `create_course('Baking', 'Bread', 1, 5)`))).id
  await answer(as(author, `create_course_lesson($3::uuid, 'Dough', 'Flour and water')`, taught))
  await answer(as(author, 'publish_course($3::uuid)', taught))
  const posed = (await answer(as(author, `create_problem('Why?', 'It does not rise', 0, 5)`))).id
  const solved = (await answer(as(fan, `create_solution($3::uuid, repeat('Wait longer. ', 5))`, posed))).id
  const { hold } = await found<{ hold: string }>('select hold_id as hold from app.problems where id = $1', posed)
  const event = (
    await answer(
      as(
        author,
        `create_event('Feast', 'Bread', now() + interval '1 day', now() + interval '2 days', 'UTC', '{"kind": "online"}')`,
      ),
    )
  ).id
  /** A hold, its holder's wallet and that of who may get it, in the order. */
  const held = (hold: string, ...people: Someone[]) =>
    [...people.map(({ id }) => id), hold]
      .sort()
      .map((id) => (id === hold ? row('app.mana_accounts', `id = '${id}'`) : wallet({ id, username: '' })))

  const [subject] = await owner<{ slug: string }[]>`select slug from app.interests where id = ${interest}`
  const propose = (who: Someone) => as(who, `create_wiki_proposal($3, 'Text', 'Summary', 0)`, subject?.slug)
  const [wanted, theirProposal] = [await answer(propose(author)), await answer(propose(leaver))]
  for (const who of [third, leaver]) await answer(as(who, 'vote_wiki_proposal($3::uuid, 1)', wanted.id))
  const proposal = (which: { id: string }) => row('app.wiki_proposals', `id = '${which.id}'`)

  await answer(as(author, `create_group('Club', 'the-club')`))
  await answer(as(fan, `join_group('the-club')`))
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  const later = await answer(
    as(author, `create_post('Soon', p_interest_id => $3::uuid, p_publish_at => $4)`, interest, inAnHour),
  )
  const code = await found<{ id: string; code: string }>('select * from private.make_invite_code($1)', author.id)
  const seat = await answer<{ sessionId: string }>(atGate('reserve_invite($3)', code.code))
  await owner`insert into app.sessions (id, user_id, issued_at, token_hash)
    values (gen_random_uuid(), ${fan.id}, 0, sha256('token'))`

  const link = await newLink(fan, 'Fan.New@example.org')

  const categories = await owner<{ id: string }[]>`select id from app.interests where level = 1 order by id limit 2`
  const choice = categories.map(({ id }) => ({ interestId: id, depth: 1, expertise: 1 }))
  const [liked, liker] = [await join(), await join()]
  const theirs = await publish(liked, { interest })
  await answer(heart(liker, theirs))
  await applyEffects(owner)
  await owner`select private.job_inherit_contributions()`
  await answer(as(fan, 'bookmark($3::uuid)', loved)) // of which nobody has a share yet
  await applyEffects(owner)
  await answer(heart(fan, theirs)) // of which nobody was told yet
  const byEffects = await owner<Someone[]>`
    select id, username from app.users where id in (${fan.id}, ${author.id}) order by private.effects_key(id)`
  const kinds = [
    'posts',
    'messages',
    'replies',
    'reactions',
    'bookmarks',
    'votes',
    'edits',
    'mentions',
    'follows',
    'invitations',
    'likes',
    'comments',
    'wiki',
    'orders',
    'rsvps',
  ]
  for (const kind of kinds) // so that there is a row to hold
    for (const who of [author, fan]) await owner`select private.count_writes(${kind}, 1, ${who.id})`
  await settleTrending()

  /** What is asked, and the locks that it takes, in the order. */
  const operations: Record<string, [Request, ...Lock[]]> = {
    'a reply': [
      as(fan, `create_reply($3::uuid, 'Indeed, @${author.username}')`, fresh),
      writes(fan, 'replies'),
      person(fan),
      counters(fresh),
      posts(fresh),
      writes(fan, 'mentions'),
    ],
    'a heart': [heart(fan, fresh), writes(fan, 'reactions'), counters(fresh), posts(fresh)],
    'a heart taken back': [as(fan, 'unreact($3::uuid)', loved), counters(loved), posts(loved)],
    'a bookmark': [as(fan, 'bookmark($3::uuid)', fresh), writes(fan, 'bookmarks'), counters(fresh), posts(fresh)],
    'a bookmark taken back': [as(fan, 'unbookmark($3::uuid)', loved), counters(loved), posts(loved)],
    'a repost': [as(fan, 'repost($3::uuid)', fresh), person(fan), counters(fresh), posts(fresh)],
    'a repost taken back': [as(fan, 'unrepost($3::uuid)', shared), counters(shared), posts(repost.id), posts(shared)],
    'a repost that staff deletes': [
      asStaff(admin, 'remove_post($3::uuid)', repost.id),
      counters(shared),
      posts(repost.id),
      posts(shared),
      audit,
    ],
    'a quote': [asOnce('key', fan, quoted, fresh, interest), key('create_post'), writes(fan, 'posts'), person(fan)],
    'a post in a group': [
      as(fan, `create_post('Here', p_group_id => 'the-club')`),
      writes(fan, 'posts'),
      person(fan),
      row('app.spaces', `slug = 'the-club'`),
    ],
    'a scheduled post that goes out': [
      as(author, `update_post($3::uuid, '{"publishAt": null}')`, later.id),
      posts(later.id),
    ],
    'an edit': [
      as(author, `update_post($3::uuid, '{"body": "What I meant"}')`, fresh),
      posts(fresh),
      writes(author, 'edits'),
    ],
    'a post that its author deletes': [as(author, 'delete_post($3::uuid)', fresh), posts(fresh), ...both.map(series)],
    'a post that is hidden': [asStaff(admin, 'hide_post($3::uuid)', fresh), posts(fresh), audit],
    'a reply that is hidden': [
      asStaff(admin, 'hide_reply($3::uuid)', answered),
      counters(replied),
      replies(answered),
      posts(replied),
      audit,
    ],
    'a like of a video': [as(fan, 'like_video($3::uuid)', clip), writes(fan, 'likes'), recorded(clip)],
    'a comment on a video': [
      as(fan, `create_video_comment($3::uuid, 'Indeed')`, clip),
      writes(fan, 'comments'),
      person(fan),
      recorded(clip),
    ],
    'a comment that is taken back': [
      as(fan, 'delete_video_comment($3::uuid)', remarked),
      recorded(clip),
      comments(remarked),
    ],
    'a video that its author deletes': [
      as(author, 'delete_video($3::uuid)', clip),
      recorded(clip),
      contents(clip),
      comments(remarked),
    ],
    'a debate that its author deletes': [
      as(author, 'delete_debate($3::uuid)', motion),
      contents(motion),
      ...['app.debate_arguments', 'app.debate_positions'].map((part) => row(part, `debate_id = '${motion}'`)),
      row('app.debates', `id = '${motion}'`),
    ],
    'a video that staff removes': [asStaff(admin, `remove_content('videos', $3::uuid)`, clip), contents(clip), audit],
    'an order': [
      asOnce('key', fan, ordering, offered),
      key('place_order'),
      writes(fan, 'orders'),
      ...inOrder(fan, author).map(person),
      pair(fan, author),
      contents(offered),
      row('app.offerings', `id = '${offered}'`),
      wallet(fan),
    ],
    'an order that is declined': [
      as(author, 'decline_order($3::uuid)', order.id),
      writes(author, 'orders'),
      row('app.orders', `id = '${order.id}'`),
      row('app.offerings', `id = '${offered}'`),
      ...held(order.id, fan),
    ],
    'an enrolment': [
      as(fan, 'enrol_course($3::uuid, 5)', taught),
      person(fan),
      pair(fan, author),
      row('app.courses', `id = '${taught}'`),
      contents(taught),
      ...inOrder(fan, author).map(wallet),
    ],
    'another price of a course': [
      as(author, `update_course($3::uuid, '{"priceMana": 6}')`, taught),
      writes(author, 'edits'),
      row('app.courses', `id = '${taught}'`),
      contents(taught),
    ],
    'a reply to an event': [
      as(fan, `rsvp_event($3::uuid, 'going')`, event),
      writes(fan, 'rsvps'),
      person(fan),
      pair(fan, author),
      row('app.event_seats', `event_id = '${event}'`),
      contents(event),
    ],
    'a solution': [
      as(author, `create_solution($3::uuid, repeat('It was cold. ', 5))`, posed),
      writes(author, 'replies'),
      person(author),
      contents(posed),
      row('app.problems', `id = '${posed}'`),
    ],
    'a bounty that is added': [
      as(author, 'add_bounty($3::uuid, 5)', posed),
      writes(author, 'edits'),
      person(author),
      contents(posed),
      row('app.problems', `id = '${posed}'`),
      ...held(hold, author),
    ],
    'a solution that is accepted': [
      as(author, 'accept_solution($3::uuid, $4::uuid)', posed, solved),
      ...inOrder(fan, author).map(person),
      contents(posed),
      row('app.problem_solutions', `id = '${solved}'`),
      row('app.problems', `id = '${posed}'`),
      ...held(hold, fan, author),
    ],
    views: [views([shared, loved, fresh], fan), ...[fresh, loved, shared].sort().map(counters)],
    'a part of a series': [
      as(author, 'add_series_item($3::uuid, $4::uuid)', extended, fresh),
      posts(fresh),
      series(extended),
    ],
    'a pin': [as(author, 'pin_post($3::uuid)', fresh), posts(fresh), advisory(`pins ${author.id}`)],
    'a vote in a poll that moves': [
      as(fan, 'vote_poll($3::uuid, $4::uuid)', asked.id, options[1]?.id),
      advisory(`poll ${poll.id}`),
      row('app.poll_votes', `poll_id = '${poll.id}'`),
      ...options.map(({ id }) => row('app.poll_options', `id = '${id}'`)),
    ],
    'a payment': [
      asOnce('key', fan, paid, fresh),
      key('pay'),
      row('app.post_emotions', `post_id = '${fresh}'`),
      ...inOrder(fan, author).map(wallet),
    ],
    'a boost': [as(author, 'boost_post($3::uuid, 1)', fresh), counters(fresh), wallet(author)],
    'a payment that is taken back': [
      asStaff(admin, `reverse_payment($3::uuid, 'Spam')`, standing.id),
      row('app.post_emotions', `post_id = '${fresh}'`),
      ...inOrder(fan, author).map(wallet),
      audit,
    ],
    'a vote for a person that moves': [
      as(fan, 'vote_reputation($3, $4::uuid, -1)', author.username, interest),
      writes(fan, 'votes'),
      person(fan),
      ...byEffects.map(effects),
      row('app.reputation_votes', `id = '${vote.id}'`),
      row('app.reputation', `user_id = '${author.id}' and interest_id = '${interest}'`),
      account(author),
    ],
    'an appeal that is resolved': [
      asStaff(admin, `resolve_appeal($3::uuid, 'accepted', 1)`, appeal.id),
      effects(author),
      row('app.reputation_appeals', `id = '${appeal.id}'`),
      account(author),
      audit,
    ],
    'a choice of interests': [
      as(leaver, 'select_interests($3::jsonb)', choice),
      advisory(`choices ${leaver.id}`),
      ...categories.map(({ id }) => row('app.interests', `id = '${id}'`)),
    ],
    'somebody who comes by a code': [
      atGate(form, seat.sessionId, 'new@example.org', 'New'),
      row('app.invite_codes', `id = '${code.id}'`),
      advisory('email new@example.org'),
    ],
    'effects of somebody who reads their notices': [
      as(liked, 'count_unread()'),
      effects(liked),
      account(liked),
      row('app.notifications', `user_id = '${liked.id}'`),
    ],
    'an address that changes': [
      atGate(`verify_email($3::uuid, sha256('link'))`, link.id),
      credentials(fan),
      advisory('email fan.new@example.org'),
      account(fan),
    ],
    'shares of contributions': [
      statement('select private.job_inherit_contributions()'),
      ...inOrder(author, third).map(({ id }) => row('app.contribution_scores', `user_id = '${id}'`)),
    ],
    'a follow': [as(fan, 'follow_person($3)', author.username), writes(fan, 'follows'), pair(fan, author)],
    'a block': [
      as(third, 'block_person($3)', fan.username),
      pair(third, fan),
      row('app.follows', `follower_id = '${fan.id}' and following_id = '${third.id}'`),
    ],
    'an invitation into a circle that is accepted': [
      as(fan, 'accept_invitation($3::uuid)', invitation.id),
      pair(author, fan),
      row('app.circle_invitations', `id = '${invitation.id}'`),
      row('app.circles', `id = '${circle.id}'`),
    ],
    'a circle that is deleted': [
      as(author, 'delete_circle($3::uuid)', circle.id),
      pair(author, fan),
      row('app.circles', `id = '${circle.id}'`),
    ],
    'an invitation of a co-author': [
      as(author, 'invite_co_author($3::uuid, $4, 10)', loved, third.username),
      writes(author, 'invitations'),
      pair(author, third),
      posts(loved),
    ],
    'a co-author who accepts': [
      as(fan, 'respond_co_author($3::uuid, $4::uuid, true)', loved, share.id),
      posts(loved),
      row('app.post_co_authors', `id = '${share.id}'`),
    ],
    'an end of all tokens': [
      as(fan, `log_out('global')`),
      credentials(fan),
      person(fan),
      row('app.sessions', `user_id = '${fan.id}'`),
    ],
    'a ban': [
      asStaff(admin, `ban_person($3, 'Spam')`, leaver.username),
      credentials(leaver),
      person(leaver),
      ...[own, replied].sort().map(counters),
      posts(own),
      replies(others),
      ...[clip, ownClip].sort().map(recorded),
      contents(ownClip),
      comments(leaversRemark),
      audit,
    ],
    'another role': [
      asStaff(admin, `set_role($3, 'moderator')`, fan.username),
      advisory('roles'),
      credentials(fan),
      person(fan),
      row('app.sessions', `user_id = '${fan.id}'`),
      audit,
    ],
    'an erasure': [
      erase(leaver),
      credentials(leaver),
      person(leaver),
      ...[own, replied].sort().map(counters),
      pair(leaver, third),
      posts(own),
      replies(others),
      ...[clip, ownClip].sort().map(recorded),
      contents(ownClip),
      comments(leaversRemark),
      talk,
      row('app.conversation_members', `user_id = '${leaver.id}'`),
      proposal(theirProposal),
    ],
    'a proposal for the wiki': [propose(fan), writes(fan, 'wiki'), person(fan), effects(fan)],
    'a vote that approves a proposal': [
      as(fan, 'vote_wiki_proposal($3::uuid, 1)', wanted.id),
      writes(fan, 'votes'),
      proposal(wanted),
      effects(fan),
      advisory(`wiki ${interest}`),
    ],
    'a proposal that staff rejects': [
      asStaff(admin, 'reject_wiki_proposal($3::uuid)', wanted.id),
      proposal(wanted),
      audit,
    ],
    'a message': [
      asOnce('key', fan, sending, talkId),
      key('send_message'),
      writes(fan, 'messages'),
      person(fan),
      talk,
      row('app.conversation_members', `conversation_id = '${talkId}' and user_id = '${author.id}'`),
    ],
    'a member who is removed': [
      as(author, 'remove_conversation_member($3::uuid, $4)', talkId, fan.username),
      talk,
      row('app.conversation_members', `conversation_id = '${talkId}' and user_id = '${fan.id}'`),
    ],
    'an edited message': [as(fan, `edit_message($3::uuid, 'Ho')`, said.id), row('app.messages', `id = '${said.id}'`)],
  }

  test.each(Object.entries(operations))('%s', async (_what, [request, ...locks]) => {
    for (const [at, lock] of locks.entries()) {
      const look = async () => {
        expect(await waiting(), `waits for ${lock.name}`).toBe(1)
        const free = await Promise.all(locks.map(({ free }) => superuser.unsafe(free)))
        // the lock that it waits for, those before, and none behind it
        expect(free.map((rows) => rows.length === 0)).toEqual(locks.map((_lock, place) => place <= at))
      }
      expect(await runHeld(lock, [request], { by: runAndRollBack, look })).toEqual([null])
    }
  })
})

test.each([
  ['a ban', ban],
  ['an erasure', erase],
])('%s and a batch of views', async (_what, end) => {
  const [author, leaver] = [await join(), await join()]
  const [low = '', high = ''] = [await publish(author), await publish(author)].sort()
  await reply(leaver, high) // where the rows stand in the other order
  await reply(leaver, low)
  const met = await runHeld(counters(low), [views([high, low], leaver), end(leaver)])
  expect(met).toEqual([null, null])
  expect(await repliesTo(low)).toBe(0)
})

/** Two who vote for each other. */
async function crossVotes({ interest, join, runHeld, owner }: Races) {
  const both = [await join(), await join()]
  for (const { id } of both)
    await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${id}, ${interest}, 1, 1)`
  const ids = both.map(({ id }) => id)
  const [low, high] = await owner<Someone[]>`
    select id, username from app.users where id = any (${ids}) order by private.effects_key(id)`
  if (!low || !high) throw new Error('nobody came')
  const vote = (by: Someone, whom: Someone) => as(by, 'vote_reputation($3, $4::uuid, 1)', whom.username, interest)
  return runHeld(effects(low), [vote(high, low), vote(low, high)])
}

/** An end of somebody, and a reaction to what they wrote, which they answered themselves. */
async function endAndHeart(
  { settleTrending, found, join, runHeld, publish, reply }: Races,
  end: (who: Someone) => Request,
) {
  const [author, leaver, fan] = [await join(), await join(), await join()]
  const own = await publish(leaver)
  const other = await found(
    `insert into app.posts (id, author_id, body)
     values (overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, $1, 'Counted first') returning id`,
    author.id,
  )
  for (const post of [other.id, own]) await reply(leaver, post)
  await settleTrending()
  return { own, met: await runHeld(counters(other.id), [end(leaver), heart(fan, own)]) }
}

/** Two who want one address: a newcomer, and the person by whose code they come. */
async function oneAddress() {
  const inviter = await join()
  const { id } = await newLink(inviter, 'wanted@example.org')
  const { code } = await found<{ code: string }>('select code from private.make_invite_code($1)', inviter.id)
  const seat = await answer<{ sessionId: string }>(atGate('reserve_invite($3)', code))
  const joining = atGate(form, seat.sessionId, 'Wanted@example.org', 'New')
  return runHeld(advisory('email wanted@example.org'), [joining, atGate(`verify_email($3::uuid, sha256('link'))`, id)])
}

test('two who vote for each other', async () => {
  expect(await crossVotes(races)).toEqual([null, null])
})

test.each([
  ['a ban', ban],
  ['an erasure', erase],
])('%s and a reaction to what the person wrote and answered', async (_what, end) => {
  const { own, met } = await endAndHeart(races, end)
  expect(met[0]).toBeNull()
  expect([null, 'post_unknown']).toContain(met[1]) // whose turn came first is chance
  expect(await repliesTo(own)).toBe(0)
})

describe('an order turned round is a deadlock', async () => {
  const turned = await createRaces()
  await turned.superuser.unsafe(`alter database ${turned.database.name} set deadlock_timeout = '10ms'`)

  test.each([
    [
      'of two whose effects are locked',
      `create or replace function private.lock_effects(variadic p_people uuid[]) returns void language plpgsql as $$
       begin
         perform pg_advisory_xact_lock(private.effects_key(p.id)) from unnest(p_people) p (id);
       end $$`,
      crossVotes,
    ],
    [
      'of posts and their counters',
      `create or replace function private.lock_written(p_posts uuid[], p_replies uuid[]) returns void language plpgsql as $$
       begin
         return;
       end $$`,
      async (there: Races) => (await endAndHeart(there, ban)).met,
    ],
  ])('%s', async (_what, turn, scene) => {
    await turned.owner.unsafe(turn)
    expect(await scene(turned)).toContain('40P01')
  })
})

test.each([
  ['two bans', ban, ban],
  ['two erasures', erase, erase],
  ['a ban and an erasure', ban, erase],
])('%s of people who answered each other', async (_what, first, second) => {
  const [one, two] = [await join(), await join()]
  const [ofOne, ofTwo] = [await publish(one), await publish(two)]
  const answers = [await reply(one, ofTwo), await reply(two, ofOne)]
  const both = row('app.replies', `id in ('${answers.join(`', '`)}')`)
  const met = await runHeld(both, [first(one), second(two)])
  expect(met).toEqual([null, null])
  for (const post of [ofOne, ofTwo]) expect(await repliesTo(post)).toBe(0)
})

const engagement: Record<string, string> = {
  heart: `react($3::uuid, 'heart')`,
  bookmark: 'bookmark($3::uuid)',
  repost: 'repost($3::uuid)',
  reply: `create_reply($3::uuid, 'Indeed')`,
}

test.each(Object.entries(engagement))(
  'a %s, and an erasure of the author, who answered there',
  async (_what, leave) => {
    const [author, fan] = [await join(), await join()]
    const post = await publish(author, { interest })
    await reply(author, post)
    await settleTrending()
    const met = await runHeld(posts(post), [as(fan, leave, post), erase(author)])
    expect(met).toEqual([null, null])
  },
)

test('a heart, and an erasure of somebody by whose code the fan came, and who answered there', async () => {
  const [author, inviter] = [await join(), await join()]
  const fan = await join(inviter)
  const post = await publish(author)
  await reply(inviter, post)
  await settleTrending()
  const met = await runHeld(posts(post), [heart(fan, post), erase(inviter)])
  expect(met).toEqual([null, null])
})

test('a heart that is told, and an erasure of who told of another before', async () => {
  const [author, leaver, fan] = [await join(), await join(), await join()]
  const post = await publish(author)
  await answer(heart(leaver, post))
  const read = as(author, 'count_unread()')
  await answer(read) // the notice that the fan's will be added to
  await reply(leaver, post)
  await answer(heart(fan, post))
  await settleTrending()
  const met = await runHeld(row('app.notifications', `user_id = '${author.id}'`), [read, erase(leaver)])
  expect(met).toEqual([null, null])
})

test('a reply that is hidden while its author is erased is gone', async () => {
  const [author, leaver] = [await join(), await join()]
  const post = await publish(author)
  const own = await publish(leaver)
  const id = await reply(leaver, post)
  const met = await runHeld(posts(own), [erase(leaver), asStaff(admin, 'hide_reply($3::uuid)', id)])
  expect(met).toEqual([null, 'reply_unknown'])
  expect(await repliesTo(post)).toBe(0)
})

test.each([
  ['banned', ban],
  ['erased', erase],
])('a repost that staff deletes while its author is %s', async (_what, end) => {
  const [author, leaver] = [await join(), await join()]
  const post = await publish(author)
  await reply(leaver, post)
  const { id } = await answer(as(leaver, 'repost($3::uuid)', post))
  const met = await runHeld(counters(post), [asStaff(admin, 'remove_post($3::uuid)', id), end(leaver)])
  expect(met).toEqual([null, null])
})

test('two admins who take the role from each other: one of them stays', async () => {
  const [one, two] = [await join(), await join()]
  await owner`update app.users set role = 'admin' where id in (${one.id}, ${two.id})`
  const take = (by: Someone, from: Someone) => asStaff(by, `set_role($3, 'user')`, from.username)
  const met = await runHeld(advisory('roles'), [take(one, two), take(two, one)])
  expect(met.sort()).toEqual([null, 'token_revoked'])
  const left = await owner`select from app.users where id in (${one.id}, ${two.id}) and role = 'admin'`
  expect(left).toHaveLength(1)
})

test('a change of address, and somebody who comes by that person’s code with the new one', async () => {
  expect(await oneAddress()).toEqual([null, 'email_taken'])
})

test('a link for a new password that is asked for while the address changes never goes to the old one', async () => {
  const who = await join()
  const { email } = await found<{ email: string }>('select email from app.accounts where user_id = $1', who.id)
  const { id } = await newLink(who, 'moved@example.org')
  const asked = crypto.randomUUID()
  const asking = atGate(`request_password_reset($3, $4::uuid, sha256('reset'))`, email, asked)
  const verifying = atGate(`verify_email($3::uuid, sha256('link'))`, id)
  const look = async () => expect(await waiting()).toBe(2) // else the worker could still read the old address
  expect(await runHeld(advisory('email moved@example.org'), [verifying, asking], { look })).toEqual([null, null])
  const { mail } = await found<{ mail: { to: string } }>('select private.find_reset_mail($1) as mail', asked)
  expect(mail.to).toBe('moved@example.org')
})

test.each(['array(select id from app.notifications)', 'p_before => now()', `p_group_key => 'user.followed'`])(
  'who reads notices (%s) waits for nobody who joins one of them',
  async (which) => {
    const [reader, ...fans] = [await join(), await join(), await join()]
    for (const fan of fans) await answer(as(fan, 'follow_person($3)', reader.username))
    for (const fan of fans) await answer(heart(fan, await publish(reader)))
    await answer(as(reader, 'count_unread()')) // what waits is told
    const { id } = await found(
      `select id from app.notifications where user_id = $1 and kind = 'user.followed'`,
      reader.id,
    )
    const read = as(reader, `mark_read(${which})`)
    const look = async () => expect(await waiting()).toBe(0) // it could hold what the other comes to next
    expect(await runHeld(row('app.notifications', `id = '${id}'`), [read, read], { look })).toEqual([null, null])
    const { read_at } = await found<{ read_at: Date | null }>('select read_at from app.notifications where id = $1', id)
    expect(read_at).toBeNull() // what joins it makes it unread
  },
)

test('two devices that read the same notices go one after the other', async () => {
  const reader = await join()
  const read = as(reader, 'mark_read(p_before => now())')
  const look = async () => expect(await waiting()).toBe(2)
  expect(await runHeld(advisory(`reads ${reader.id}`), [read, read], { look })).toEqual([null, null])
})

test('everything that people, staff and jobs do to the same few posts at once', async () => {
  const at = <Thing>(things: readonly Thing[], turn: number) => things[turn % things.length] as Thing
  const crowd = [await join(), await join(), await join()]
  const own: string[][] = [] // each person's: one with a poll, and one without
  const parts: string[] = [] // a series each
  for (const who of crowd) {
    await learn(who)
    const asking = `create_post('?', p_poll => '{"options": ["a", "b"]}', p_interest_id => $3::uuid)`
    own.push([(await answer(as(who, asking, interest))).id, await publish(who, { interest })])
    parts.push((await answer(as(who, `create_series('Parts')`))).id)
  }
  const everywhere = own.flat()
  const options = await owner<{ post_id: string; id: string }[]>`
    select l.post_id, o.id from app.poll_options o join app.polls l on l.id = o.poll_id
    where l.post_id = any (${everywhere})`

  type Turn = { who: Someone; other: Someone; post: string; mine: string[]; series: string; turn: number }
  const requests: ((turn: Turn) => Request)[] = [
    ...Object.values(engagement).map((leave) => (on: Turn) => as(on.who, leave, on.post)),
    ({ who, post }) => as(who, 'unreact($3::uuid)', post),
    ({ who, post }) => as(who, 'unbookmark($3::uuid)', post),
    ({ who, post }) => as(who, 'unrepost($3::uuid)', post),
    ({ who, post }) => as(who, `repost($3::uuid, 'Hear this', p_interest_id => $4::uuid)`, post, interest),
    ({ who }) =>
      statement(
        `select private.delete_post(p.id) from app.posts p
         where p.author_id = $1 and p.format = 'quote' and p.deleted_at is null limit 1`,
        who.id,
      ),
    ({ who, post, turn }) => asOnce(`${turn}`, who, `pay('joy', 0, p_post_id => $3::uuid)`, post),
    ({ who, other }) => as(who, `pay('joy', 0, p_receiver_id => $3)`, other.username),
    ({ who, mine }) => as(who, 'boost_post($3::uuid, 1)', mine[1]),
    () =>
      statement(
        'update app.post_counters set boost_expires_at = now() where post_id in (select post_id from app.post_counters where boost > 0 order by post_id for no key update)',
      ),
    () => statement('select private.job_expire_boosts()'),
    ({ post }) =>
      asStaff(
        admin,
        `reverse_payment(
           (select id from app.payments p where post_id = $3::uuid and not reversed
              and not exists (select from app.payments r where r.reversal_of = p.id) order by id limit 1), 'Test', true)`,
        post,
      ),
    ({ who, other, turn }) => as(who, 'vote_reputation($3, $4::uuid, $5)', other.username, interest, (turn % 3) - 1),
    ({ who, turn }) => {
      const { post_id, id } = at(options, turn)
      return as(who, 'vote_poll($3::uuid, $4::uuid)', post_id, id)
    },
    ({ who, mine, turn }) =>
      as(who, 'update_post($3::uuid, $4)', mine[0], { visibility: at(['public', 'circles'], turn) }),
    ({ who, mine }) => as(who, 'pin_post($3::uuid)', mine[1]),
    ({ who, mine, series, turn }) => as(who, 'add_series_item($3::uuid, $4::uuid, 1)', series, at(mine, turn)),
    ({ who, other }) => as(who, 'follow_person($3)', other.username),
    ({ who, other }) => as(who, 'block_person($3)', other.username),
    ({ who, other }) => as(who, 'unblock_person($3)', other.username),
    ({ who, other }) => as(who, 'unblock_person($3)', other.username),
    ({ who }) => as(who, 'mark_read(p_before => now())'),
    ({ other }) => as(other, 'count_unread()'),
    () => statement('select private.apply_effects()'),
    () => statement('select private.apply_effects()'),
    ({ who }) => views(everywhere, who),
    ({ post }) => asStaff(admin, 'hide_post($3::uuid)', post),
    ({ post }) => asStaff(admin, 'unhide_post($3::uuid)', post),
    ({ post }) => asStaff(admin, 'hide_reply((select id from app.replies where post_id = $3::uuid limit 1))', post),
    ({ other }) => ban(other),
    ({ other }) => statement('update app.users set banned_at = null where id = $1', other.id),
    () => statement('select private.job_inherit_contributions()'),
  ]

  // each lane goes its own way through all of it, always the same: only who meets whom is chance
  const outcomes: Outcome[] = []
  const lane = async (number: number) => {
    for (let step = 0; step < 2 * requests.length; step++) {
      const turn = number * 11 + step * 5
      const [who, other] = [at(crowd, turn), at(crowd, turn + 1 + (step % 2))]
      const [mine, series, post] = [at(own, turn), at(parts, turn), at(everywhere, turn + number)]
      outcomes.push(await run(at(requests, turn)({ who, other, post, mine, series, turn })))
    }
  }
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(lane))
  expect(outcomes.filter((outcome) => outcome !== null && !/^[a-z_]+$/.test(outcome))).toEqual([]) // 40P01, or worse
  expect(outcomes.filter((outcome) => outcome === null).length).toBeGreaterThan(outcomes.length / 4)
  await applyEffects(owner)
})
