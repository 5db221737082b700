// The title and the excerpt of a notification's target, as the reader sees the target now.
import { describe, expect, test } from 'vitest'
import { Notification } from '../../../api-facade/features/notifications/schemas.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { rest } from '../../support/rest.ts'
import { oneOfEach } from '../../support/things.ts'
import { world } from '../../support/world.ts'

type Id = { id: string }
type Words = { title: string | null; excerpt: string | null }
type Item = Words & { target: { type: string; id: string } | null }

const { alice, bob, admin, nobody, database, stack, join } = await world({ people: ['alice', 'bob'] })
const { owner } = database
const inbox = async (who: Person) => (await who.get<{ items: Item[] }>('/notifications?limit=50')).body.items

/** The title and excerpt of a thing in a notification of a person. Undoes the notification. */
async function wordsOf(who: Person, type: string, id: string): Promise<Words> {
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: who.id, role: 'user', iat: now, exp: now + 60 })
  let words: Words | undefined
  await owner
    .begin(async (tx) => {
      const [made] = await tx<Id[]>`insert into app.notifications (user_id, kind, group_key, target_type, target_id)
        values (${who.id}, 'post.replied', 'x', ${type}, ${id}) returning id`
      await tx`select set_config('role', 'authenticated', true)`
      const [answer] = await tx<{ page: { items: (Item & Id)[] } }[]>`
        select api.list_notifications(50) as page from private.enter(${claims})`
      const item = answer?.page.items.find((one) => one.id === made?.id)
      words = item && { title: item.title, excerpt: item.excerpt }
      throw new Error('taken back')
    })
    .catch((error: Error) => {
      if (error.message !== 'taken back') throw error
    })
  if (!words) throw new Error('the notification is not in the inbox')
  return words
}
const nothing = { title: null, excerpt: null }

test('A notification has the beginning of its post, which follows edits and ends with a deletion', async () => {
  const post = await publish(alice, { format: 'essay', title: 'On moss', body: ` Green\n\nand ${'x'.repeat(300)}` })
  await bob.post(`/posts/${post}/react`, { kind: 'heart' })
  const reacted = async () => (await alice.inbox('post.reacted'))[0] as unknown as Item
  expect(await reacted()).toMatchObject({ title: 'On moss', excerpt: `Green and ${'x'.repeat(189)}…` })
  await alice.patch(`/posts/${post}`, { title: 'On lichen', body: 'Grey' })
  expect(await reacted()).toMatchObject({ title: 'On lichen', excerpt: 'Grey' })
  await alice.delete(`/posts/${post}`)
  expect(await reacted()).toMatchObject({ target: { type: 'post', id: post }, ...nothing })
})

test('.rpc() and `since` answer the same as the inbox', async () => {
  await bob.post(`/posts/${await publish(alice, { body: 'Same' })}/react`, { kind: 'heart' })
  await inbox(alice)
  const items = await inbox(alice)
  const { data } = await rest(stack, alice).client(alice.token).rpc('list_notifications', { p_limit: 50 })
  expect((data as unknown as { items: Item[] }).items).toEqual(items)
  const since = (await alice.get<{ items: Item[] }>('/notifications?limit=50&since=2020-01-01T00:00:00Z')).body.items
  expect(since.find(({ excerpt }) => excerpt === 'Same')).toEqual(items.find(({ excerpt }) => excerpt === 'Same'))
})

describe('A post that the reader can no longer see has neither title nor excerpt:', () => {
  test.each([
    ['hidden by staff', (post: string) => admin.post(`/admin/posts/${post}/hide`)],
    ['for the inner circle', (post: string) => bob.patch(`/posts/${post}`, { visibility: 'inner' })],
    ['by a banned person', () => owner`update app.users set banned_at = now() where username = 'bob'`],
    ['across a block', () => bob.post('/users/alice/block')],
  ])('%s', async (_why, hide) => {
    const post = await publish(bob, { body: 'Secret' })
    const comment = await reply(bob, post, { body: 'Below' })
    expect(await wordsOf(alice, 'post', post)).toEqual({ title: null, excerpt: 'Secret' })
    expect(await wordsOf(alice, 'reply', comment)).toEqual({ title: null, excerpt: 'Below' })
    await hide(post)
    expect(await wordsOf(alice, 'post', post)).toEqual(nothing)
    expect(await wordsOf(alice, 'reply', comment)).toEqual(nothing)
    await owner`update app.users set banned_at = null where username = 'bob'`
    await bob.delete('/users/alice/block')
  })
})

describe('Every type of target', async () => {
  const things = await oneOfEach(admin, [alice, bob], database)
  const at = (path: string) => things[path] ?? ''
  const first = async (path: string) => (await alice.get<{ items: Id[] }>(path)).body.items[0]?.id ?? ''
  const made = async (who: Person, path: string, body: object) => {
    const answer = await who.post<Id>(path, body)
    expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300)
    return answer.body.id
  }
  await admin.post(`/courses/${at('/courses')}/publish`)
  const [interest] = await owner<Id[]>`select id from app.interests where slug = 'music'`
  const circle = await made(alice, '/circles/me', { name: 'Readers' })
  const [gus, ida] = await join('gus', 'ida')
  const inviter = ida ?? nobody // in a test above, one of Alice and Bob blocks the other
  const inviting = await made(inviter, '/circles/me', { name: 'Singers' })
  const talk = await made(alice, '/conversations', { kind: 'direct', memberIds: ['bob'] })
  await made(bob, `/conversations/${talk}/messages`, { body: 'See you', clientId: crypto.randomUUID() })
  const placed = await alice.post<{ order: Id }>(
    `/economy/market/offerings/${at('/economy/market/offerings')}/orders`,
    { expectedPrice: 1 },
  )
  const order = placed.body.order.id
  const [appeal] = await owner<Id[]>`insert into app.reputation_appeals (user_id, interest_id, text)
    values (${alice.id}, ${interest?.id ?? ''}, 'Unfair') returning id`

  const targets: Record<string, [id: string, words: Words, hidden?: Person]> = {
    post: [at('/posts'), { title: null, excerpt: 'What I found' }],
    reply: [await first(`/posts/${at('/posts')}/replies`), { title: null, excerpt: 'Indeed' }],
    circle: [circle, { title: 'Readers', excerpt: null }, bob],
    invitation: [
      await made(inviter, `/circles/me/${inviting}/invitations`, { inviteeId: 'alice' }),
      { title: 'Singers', excerpt: null },
      gus,
    ],
    conversation: [talk, { title: null, excerpt: 'See you' }, gus],
    group: [at('/groups'), { title: 'Group', excerpt: null }],
    guild: [at('/guilds'), { title: 'Guild', excerpt: null }],
    event: [at('/events'), { title: 'A walk', excerpt: 'x' }],
    debate: [at('/debates'), { title: 'A debate', excerpt: 'x' }],
    argument: [await first(`/debates/${at('/debates')}/arguments`), { title: null, excerpt: 'x'.repeat(50) }],
    problem: [at('/problems'), { title: 'A problem', excerpt: 'How?' }],
    solution: [at('/problems/solutions'), { title: null, excerpt: 'x'.repeat(50) }],
    course: [at('/courses'), { title: 'A course', excerpt: 'x' }],
    project: [at('/projects'), { title: 'A project', excerpt: 'x' }],
    offering: [at('/economy/market/offerings'), { title: 'A chair', excerpt: 'x' }],
    order: [order, { title: 'A chair', excerpt: 'x' }, gus],
    video: [
      await made(bob, '/videos', { mediaUrl: 'https://example.org/a.mp4', caption: 'A bee' }),
      { title: null, excerpt: 'A bee' },
    ],
    audio: [
      await made(bob, '/audio', { mediaUrl: 'https://example.org/a.mp3', caption: 'A hum' }),
      { title: null, excerpt: 'A hum' },
    ],
    interest: [interest?.id ?? '', { title: 'Music', excerpt: null }],
    'wiki-proposal': [at('/wiki/proposals'), { title: 'Music', excerpt: 'x' }],
    appeal: [appeal?.id ?? '', { title: 'Music', excerpt: 'Unfair' }, gus],
    report: [
      await made(alice, '/reports', { targetType: 'user', targetId: 'bob', reason: 'Loud' }),
      { title: null, excerpt: 'Loud' },
      bob,
    ],
  }
  // types without title and excerpt, or with tests of their own
  const wordless = ['app', 'invite-code', 'vote', 'payment', 'decision']
  const others = ['broadcast', 'review']

  test('is known', async () => {
    const described = Notification.options.flatMap(({ shape }) => {
      const target = shape.target as { shape?: { type: { options: string[] } } }
      return target.shape?.type.options ?? []
    })
    expect([...new Set(described)].sort()).toEqual([...Object.keys(targets), ...wordless, ...others].sort())
    const rows = await owner<{ type: string }[]>`select type from private.notification_targets`
    expect(rows.map(({ type }) => type).sort()).toEqual([...Object.keys(targets), ...others].sort())
  })

  test.each(Object.entries(targets))('has its words: %s', async (type, [id, words, hidden]) => {
    expect(await wordsOf(alice, type, id)).toEqual(words)
    if (hidden) expect(await wordsOf(hidden, type, id)).toEqual(nothing)
  })

  test.each([...Object.keys(targets), ...wordless, ...others])(
    'has neither title nor excerpt if the target does not exist: %s',
    async (type) => {
      expect(await wordsOf(alice, type, UNKNOWN)).toEqual(nothing)
    },
  )

  test('has neither title nor excerpt across a block', async () => {
    const [hal] = await join('hal')
    const blocked = hal ?? nobody
    await made(blocked, '/users/alice/block', {})
    const post = await publish(blocked)
    const debate = await made(blocked, '/debates', {
      title: 'Hidden',
      body: 'x',
      closesAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    expect(await wordsOf(alice, 'post', post)).toEqual(nothing)
    expect(await wordsOf(alice, 'debate', debate)).toEqual(nothing)
  })

  test('has the title and text of a broadcast for the people who got it', async () => {
    const id = await made(admin, '/admin/broadcast', { title: 'News', body: 'We move on Sunday' })
    await owner`select private.deliver_broadcast(jsonb_build_object('broadcastId', ${id}::text), null)`
    expect(await alice.inbox('admin.broadcast')).toMatchObject([{ title: 'News', excerpt: 'We move on Sunday' }])
  })
})
