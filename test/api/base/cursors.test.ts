// Cursors of every list. A list answers 400 to a cursor that another list has issued, that another caller has got, or
// in which any letter was changed. For the content of a sealed cursor see test/db/base/pages.sql and docs/decisions.md,
// Lists.
import { describe, expect, test } from 'vitest'
import type { Page } from '../../support/lists.ts'
import { readOpenApi } from '../../support/openapi.ts'
import type { Person } from '../../support/person.ts'
import { oneOfEach } from '../../support/things.ts'
import { world } from '../../support/world.ts'

type Operation = { parameters?: { name: string; in: string }[] }
const { paths } = readOpenApi<{ paths: Record<string, Record<string, Operation>> }>()
// the admin can create and list everything
const { alice, bob, admin, database } = await world({ people: ['alice', 'bob'], env: { RATE_LIMIT_SCALE: '1000' } })
const people = [alice, bob, admin]
const ids = await oneOfEach(admin, [alice, bob], database)
const { '/groups': group, '/debates': debate, '/problems': problem } = ids

const lists = Object.entries(paths)
  .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'cursor'))
  .map(([path]) => path.replace('/api/v1', ''))
  .map((path) => path.replace(/^(.*)\/\{\w+\}/, (_, before: string) => `${before}/${ids[before]}`))
  .map((path) => `${path}?${path === '/discovery/search' ? 'q=x&' : ''}`)

test('The API description has more than 80 lists, and this test knows the ids in all of their paths', () => {
  expect(lists.length).toBeGreaterThan(80)
  expect(lists.filter((list) => list.includes('undefined'))).toEqual([])
})

test.each(lists)('GET %s rejects malformed cursors with 400', async (list) => {
  expect((await admin.get(list)).status, 'without a cursor it answers 200').toBe(200)
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

describe('A sealed cursor', () => {
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

  test.each(made)(
    'of %s continues that list for the caller, and is rejected for other callers and lists',
    async (list) => {
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
    },
  )

  test('of one order, space or tab is rejected by any other', async () => {
    const cursor = await first(alice, upcoming)
    for (const list of [
      '/events?',
      '/events?when=past&',
      '/events/mine?',
      `${upcoming}groupId=${group}&`,
      '/feed?',
      '/feed?tab=trending&',
    ]) {
      expect(await alice.get(cursor.replace(upcoming, list)), list).toFailWith(400, 'cursor_unknown')
    }
  })

  test('is rejected if any letter is changed', async () => {
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
