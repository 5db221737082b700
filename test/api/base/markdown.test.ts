// Markdown is stored as written, except that line ends become line feeds. Titles and other single lines are trimmed.
import { describe, expect, test } from 'vitest'
import { world } from '../../support/world.ts'

const { alice, bob, admin, database } = await world()
const { owner } = database

const kept = `    an indented block\n\twith a tab\n\nand a sentence that is long enough for all.  \ncafe\u0301 \u00a0\n\n\t`
const sent = kept.replace('\n', '\r\n').replace('\nand', '\rand')
const trimmed = { sent: ' A title\t', kept: 'A title' }

type Id = { id: string }
type Made = Record<string, unknown> & Id
const made = async (answer: Promise<{ status: number; text: string; body: Made }>) => {
  const { status, text, body } = await answer
  expect([200, 201], text).toContain(status)
  return body
}
const catalog = await alice.get<{ items: (Id & { slug: string })[] }>('/interests/catalog')
const [interest] = catalog.body.items
const interestId = interest?.id ?? ''
const starts = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** A kind of content: its path, its Markdown field, and its other required fields. */
const contents: [string, string, object][] = [
  [
    '/events',
    'body',
    {
      startsAt: starts(1),
      endsAt: starts(2),
      timezone: 'UTC',
      location: { kind: 'online', url: 'https://example.org' },
    },
  ],
  ['/courses', 'summary', { depth: 0 }],
  ['/debates', 'body', { closesAt: starts(1) }],
  ['/problems', 'body', {}],
  ['/projects', 'summary', {}],
  ['/economy/market/offerings', 'description', { priceMana: 1, deliveryDays: 7 }],
]
describe.each(contents)('%s', (path, field, more) => {
  test(`stores its ${field} unchanged at creation and at updates`, async () => {
    const made1 = await made(alice.post<Made>(path, { title: trimmed.sent, [field]: sent, ...more }))
    expect(made1).toMatchObject({ title: trimmed.kept, [field]: kept })
    const at = `${path}/${made1.id}`
    expect((await alice.get<Made>(at)).body[field]).toBe(kept)
    const other = `\t- ${kept}`
    expect((await made(alice.patch<Made>(at, { [field]: `\t- ${sent}` })))[field]).toBe(other)
    for (const blank of ['', '  ', '\n\t\r\n'])
      expect(await alice.patch(at, { [field]: blank })).toFailWith(422, 'content_body')
    expect(await alice.patch(at, { [field]: '\u00a0\n\u200b' })).toFailWith(422, 'text_unfit')
    expect(await alice.patch(at, { [field]: `x${' '.repeat(20_000)}` })).toFailWith(422, 'content_body')
  })
})

test('Lessons store their body unchanged', async () => {
  const course = await made(alice.post<Made>('/courses', { title: 'x', summary: 'x', depth: 0 }))
  const lesson = await made(alice.post<Made>(`/courses/${course.id}/lessons`, { title: trimmed.sent, body: sent }))
  expect(lesson).toMatchObject({ title: trimmed.kept, body: kept })
})

test('Solutions store their body unchanged, and need 50 characters without surrounding whitespace', async () => {
  const problem = await made(alice.post<Made>('/problems', { title: 'x', body: 'x' }))
  const at = `/problems/${problem.id}/solutions`
  const solution = await made(bob.post<Made>(at, { body: sent }))
  expect(solution.body).toBe(kept)
  const changed = await made(bob.patch<Made>(`/problems/solutions/${solution.id}`, { body: `\t${sent}` }))
  expect(changed.body).toBe(`\t${kept}`)
  expect(await bob.post(at, { body: `${' '.repeat(30)}${'x'.repeat(49)}` })).toFailWith(422, 'solution_body')
})

test('Project updates store their body unchanged', async () => {
  const project = await made(alice.post<Made>('/projects', { title: 'x', summary: 'x' }))
  expect((await made(alice.post<Made>(`/projects/${project.id}/updates`, { body: sent }))).body).toBe(kept)
})

test('The wiki stores its text unchanged, both when proposed and when approved', async () => {
  await owner`select private.add_reputation(${alice.id}, ${interestId}, 'admin.adjusted', 100)`
  const at = `/wiki/${interest?.slug}`
  const proposal = await made(
    alice.post<Made>(`${at}/proposals`, { body: sent, summary: trimmed.sent, baseVersion: 0 }),
  )
  expect(proposal).toMatchObject({ body: kept, summary: trimmed.kept })
  expect((await admin.post(`/admin/wiki/proposals/${proposal.id}/approve`, {})).status).toBe(200)
  expect((await bob.get<Made>(at)).body.body).toBe(kept)
})

test('Guilds store charters and proposals unchanged', async () => {
  const guild = await made(admin.post<Made>('/guilds', { name: trimmed.sent, interestId, charter: sent }))
  expect(guild).toMatchObject({ name: trimmed.kept, charter: kept })
  const proposal = await made(
    admin.post<Made>(`/guilds/${guild.id}/proposals`, {
      kind: 'charter',
      title: trimmed.sent,
      body: sent,
      payload: { charter: `\t${sent}` },
    }),
  )
  expect(proposal).toMatchObject({ title: trimmed.kept, body: kept, payload: { charter: `\t${kept}` } })
})

test('Text that is not Markdown is trimmed', async () => {
  const post = await made(
    alice.post<Made>('/posts', { format: 'essay', title: trimmed.sent, body: ' A body\n', depth: 0 }),
  )
  expect(post).toMatchObject({ title: trimmed.kept, body: 'A body' })
})
