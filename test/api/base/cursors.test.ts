// Cursors of every list: one that the list did not make for this caller is 400, and no letter of one can be changed.
// What a sealed one is made of: test/db/base/pages.sql. docs/decisions.md, Lists.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Page } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

type Operation = { parameters?: { name: string; in: string }[] }
const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(
  readFileSync('api-facade/openapi.json', 'utf8'),
)
// the admin may make all of it and ask for all of it
const { alice, bob, admin, database } = await world({ people: ['alice', 'bob'], env: { RATE_LIMIT_SCALE: '1000' } })
const [interest] = await database.owner<{ id: string }[]>`select id from app.interests where slug = 'music'`

async function made(path: string, body: object): Promise<string> {
  const answer = await admin.post<{ id: string }>(path, body)
  expect(answer.status, `${path} ${answer.text}`).toBe(201)
  return answer.body.id
}
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const event = (days: number) => ({
  title: 'A walk',
  body: 'x',
  startsAt: later(days),
  endsAt: later(days + 1),
  timezone: 'UTC',
  location: { kind: 'online', url: 'https://example.org' },
})

// who shares a circle may talk
const circle = await made('/circles', { name: 'Friends' })
for (const { username } of [alice, bob]) await admin.post(`/circles/me/${circle}/members`, { memberId: username })

const post = await publish(admin)
await reply(admin, post)
const [group, guild] = [
  await made('/groups', { name: 'Group' }),
  await made('/guilds', { name: 'Guild', interestId: interest?.id }),
]
const [debate, problem] = [
  await made('/debates', { title: 'A debate', body: 'x', closesAt: later(1) }),
  await made('/problems', { title: 'A problem', body: 'How?' }),
]
await alice.post(`/groups/${group}/join`, {})
await made('/events', event(2))
const people = [alice, bob, admin]
for (const who of people) {
  for (const other of people.filter((one) => one !== who)) {
    await who.post('/conversations', { kind: 'direct', memberIds: [other.username] })
  }
  await who.put(`/debates/${debate}/position`, { side: 'for' })
  await who.post(`/debates/${debate}/arguments`, { side: 'for', body: 'x'.repeat(50) })
  await who.post(`/problems/${problem}/solutions`, { body: 'x'.repeat(50) })
}
const ids: Record<string, string> = {
  '/admin/groups': group,
  '/admin/guilds': guild,
  '/courses': await made('/courses', { title: 'A course', summary: 'x', depth: 0 }),
  '/debates': debate,
  '/events': await made('/events', event(1)),
  '/groups': group,
  '/guilds': guild,
  '/economy/market/offerings': await made('/economy/market/offerings', {
    title: 'A chair',
    description: 'x',
    priceMana: 1,
    deliveryDays: 7,
  }),
  '/conversations': await made('/conversations', { kind: 'group', title: 'All', memberIds: ['alice', 'bob'] }),
  '/posts/by': 'alice',
  '/posts': post,
  '/series': await made('/posts/series', { title: 'Parts' }),
  '/problems': problem,
  '/projects': await made('/projects', { title: 'A project', summary: 'x' }),
  '/circles/me': circle,
  '/circles/users': 'alice',
  '/treasury': guild,
  '/wiki': 'music',
}
await admin.put('/discovery/intent', { intent: 'mentor', note: 'Teach me' })

const lists = Object.entries(paths)
  .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'cursor'))
  .map(([path]) => path.replace('/api/v1', ''))
  .map((path) => path.replace(/^(.*)\/\{\w+\}/, (_, before: string) => `${before}/${ids[before]}`))
  .map((path) => `${path}?${path === '/discovery/search' ? 'q=x&' : ''}`)

test('the lists are found', () => {
  expect(lists.length).toBeGreaterThan(80)
  expect(lists.filter((list) => list.includes('undefined'))).toEqual([])
})

test.each(lists)('GET %s refuses what is no cursor', async (list) => {
  expect((await admin.get(list)).status, 'without one it answers').toBe(200)
  for (const cursor of [
    '%00',
    'a%00',
    '%FF',
    '',
    'no cursor',
    'x'.repeat(1001),
    'A'.repeat(88),
    `${'A'.repeat(88)}%00`,
  ]) {
    expect(await admin.get(`${list}cursor=${cursor}`), cursor).toFailWith(400, 'cursor_unknown')
  }
})

describe('a sealed cursor', () => {
  const upcoming = '/events?when=upcoming&'
  const made = [
    upcoming,
    `/groups/${group}/members?`,
    `/debates/${debate}/arguments?sort=top&`,
    `/debates/${debate}/arguments?sort=new&`,
    `/problems/${problem}/solutions?`,
    '/conversations?',
  ]
  const first = async (who: Person, list: string) => {
    const { status, text, body } = await who.get<Page<object>>(`${list}limit=1`)
    expect(status, text).toBe(200)
    expect(body.nextCursor, list).toMatch(/^[\w-]{88}$/)
    return `${list}limit=1&cursor=${body.nextCursor}`
  }

  test.each(made)('of %s leads on, for this caller and in this list', async (list) => {
    for (const who of [alice, bob]) {
      const cursor = await first(who, list)
      expect((await who.get<Page<object>>(cursor)).body.items).toHaveLength(1)
      for (const other of people.filter((one) => one !== who)) {
        expect(await other.get(cursor)).toFailWith(400, 'cursor_unknown')
      }
      for (const other of made.filter((one) => one !== list)) {
        expect(await who.get(cursor.replace(list, other)), other).toFailWith(400, 'cursor_unknown')
      }
    }
  })

  test('of one order, space or tab is none of another', async () => {
    const cursor = await first(alice, upcoming)
    for (const list of ['/events?', '/events/mine?', `${upcoming}groupId=${group}&`, '/feed?', '/feed?tab=trending&']) {
      expect(await alice.get(cursor.replace(upcoming, list)), list).toFailWith(400, 'cursor_unknown')
    }
    expect((await alice.get(cursor.replace(upcoming, '/events?when=past&'))).status, 'the same order').toBe(200)
  })

  test('with any letter changed is none', async () => {
    const cursor = await first(alice, upcoming)
    for (let i = cursor.length - 88; i < cursor.length; i += 1) {
      const letter = cursor[i] === 'A' ? 'B' : 'A'
      expect(await alice.get(cursor.slice(0, i) + letter + cursor.slice(i + 1)), `${i}`).toFailWith(
        400,
        'cursor_unknown',
      )
    }
    expect((await alice.get(cursor)).status).toBe(200)
  })
})
