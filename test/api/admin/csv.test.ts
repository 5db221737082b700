// The lists of staff as CSV: each list is complete and contains no formulas. The tests parse them with a CSV library
// that the server does not use.
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

const { alice, admin, nobody, database } = await world()
const { owner } = database
const wanted = { Accept: 'text/csv' }
type Cells = Record<string, string>
const table = (text: string) => parse<Cells>(text, { bom: true, columns: true, record_delimiter: '\r\n' })
const csv = async (path: string) => {
  const { status, headers, text } = await admin.get(path, wanted)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
  return { rows: table(text), link: headers.get('link'), text, headers }
}

// a list that belongs to one thing, such as the deliveries of a webhook, is tested together with that thing
const lists = spellings(await loadTables()).filter(({ path, row }) => /^\/admin\/[^:]*$/.test(path) && row.page)

test.each(lists.map(({ path }) => path))('GET %s returns the same rows as CSV', async (path) => {
  const { rows, headers } = await csv(`${path}?limit=50`)
  const { body } = await admin.get<Page<{ id: string | number }>>(`${path}?limit=50`)
  expect(rows.slice(0, 50).map(({ id }) => id)).toEqual(body.items.map(({ id }) => String(id)))
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${path.split('/').at(-1)}.csv"`)
  expect(await admin.get(`${path}?limit=51`, wanted)).toFailWith(422, 'validation_failed')
  expect(await admin.get(`${path}?cursor=x`, wanted)).toFailWith(400, 'cursor_unknown')
  expect(await alice.get(path, wanted)).toFailWith(403, 'role_required')
  expect(await nobody.get(path, wanted)).toFailWith(401, 'token_missing')
})

test('A CSV cell is a text, a number or empty, and never a formula', async () => {
  const names = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '=HYPERLINK("http://x","y")',
    'a,"b"\r\nc',
    'ünïcödé 🙂',
    "'=1",
    'bad;=cmd|calc!A1;',
    'bad;\u00a0 "@SUM(1)',
    'a\t+1\n\r-1;;＝1',
    ' =1',
    '"=1"',
    'a - b; c = d, e@f.org',
    '- a list\n- of two',
  ]
  const ids: string[] = []
  for (const reason of names) {
    const target = await alice.post<{ id: string }>('/posts', { body: 'x' })
    const [row] = await owner<{ id: string }[]>`insert into app.reports (reporter_id, target_type, target_id, reason)
      values (${alice.id}, 'post', ${target.body.id}, ${reason}) returning id`
    ids.push(row?.id ?? '')
  }
  const { rows, text } = await csv('/admin/reports')
  const reasons = new Map(rows.map((row) => [row.id, row.reason]))
  expect(ids.map((id) => reasons.get(id))).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    "\t'=1",
    `'=HYPERLINK("http://x","y")`,
    'a,"b"\r\nc',
    'ünïcödé 🙂',
    "'=1",
    "bad;'=cmd|calc!A1;",
    'bad;\u00a0 "\'@SUM(1)',
    "a\t'+1\n\r'-1;;'＝1",
    " '=1",
    '"\'=1"',
    'a - b; c = d, e@f.org',
    "'- a list\n'- of two",
  ])
  // a program that splits at another character or miscounts the quotes gets no formula either
  for (const cell of text.split(/[;\t\r\n]/)) expect(cell).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/)
  // reading the answer as text has removed the byte order mark
  expect(
    text.startsWith(
      '"id","reporterId","reporter.id","reporter.actorId","reporter.isBot","reporter.personId","reporter.username",',
    ),
  ).toBe(true)
  expect(rows[0]).toMatchObject({ copy: '', reviewedAt: '', status: 'open', 'reporter.username': 'alice' })
  // numbers stay numbers; objects and arrays become JSON
  await owner`select private.add_reputation(${alice.id}, (select id from app.interests where level = 1 limit 1), 'admin.adjusted', -3.5)`
  expect((await csv('/admin/reputation/events')).rows[0]).toMatchObject({ delta: '-3.5' })
  await admin.post('/admin/users/carla/ban', { reason: '=cmd' })
  expect((await csv('/admin/audit-log')).rows[0]).toMatchObject({ detail: '{"reason":"=cmd"}' })
  expect((await csv('/admin/posts')).rows[0]).toMatchObject({ isJournalism: 'false', media: '[]' })
})

test('A CSV contains up to 20 pages, and its Link header leads to the rest', async () => {
  const { items } = (await admin.get<Page<{ id: string }>>('/admin/interests?limit=50')).body
  const first = await csv('/admin/interests?limit=1&level=3')
  expect(first.rows).toHaveLength(20)
  const [, next = ''] = /^<\/api\/v1(.+)>; rel="next"$/.exec(first.link ?? '') ?? []
  expect(next).toMatch(/^\/admin\/interests\?limit=1&level=3&cursor=[0-9a-f-]{36}$/)
  const second = await csv(next)
  expect(second.rows).toHaveLength(20)
  expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(40)
  expect(items.length).toBe(50)
  expect((await csv(`/admin/interests?q=${UNKNOWN}`)).rows).toEqual([])
  expect((await csv(`/admin/interests?q=${UNKNOWN}`)).link).toBeNull()
})
