// Courses over HTTP. For the single rules see test/db/courses, for visibility test/model/contents.test.ts.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database, join } = await world()
const { owner } = database
type Course = { id: string; status: string; enrolledCount: number; viewer: { completedAt: string | null } }
type Lesson = { id: string; position: number; body: string | null; assetId: string | null }

const fields = { title: 'Mushrooms', summary: 'How to know them.', depth: 2 }
const text = { title: 'Caps', body: 'A cap is **round**.' }
const draft = async (who: typeof alice, more: object = {}) =>
  (await who.post<Course>('/courses', { ...fields, ...more })).body.id
const add = async (who: typeof alice, course: string, more: object = {}) =>
  (await who.post<Lesson>(`/courses/${course}/lessons`, { ...text, ...more })).body.id
/** A published course with `count` lessons. */
async function course(who: typeof alice, more: object = {}, count = 1) {
  const id = await draft(who, more)
  const lessons: string[] = []
  for (let n = 0; n < count; n++) lessons.push(await add(who, id, { title: `Lesson ${n + 1}` }))
  expect(await who.post(`/courses/${id}/publish`)).toMatchObject({ status: 200, body: { status: 'published' } })
  return { id, lessons }
}
const balance = async (who: typeof alice) => (await who.get<{ balance: number }>('/economy/wallet')).body.balance

const named: [string, string, object?][] = [
  ['GET', '/courses/:id'],
  ['PATCH', '/courses/:id', { title: 'Other' }],
  ['DELETE', '/courses/:id'],
  ['POST', '/courses/:id/publish'],
  ['POST', '/courses/:id/archive'],
  ['GET', '/courses/:id/lessons'],
  ['POST', '/courses/:id/lessons', text],
  ['PUT', '/courses/:id/lessons/order', { ids: [] }],
  ['GET', '/courses/:id/lessons/:lid'],
  ['PATCH', '/courses/:id/lessons/:lid', { title: 'Other' }],
  ['DELETE', '/courses/:id/lessons/:lid'],
  ['POST', '/courses/:id/enroll'],
  ['PUT', '/courses/:id/lessons/:lid/progress', { done: true }],
  ['GET', '/courses/:id/students'],
]
const at = (path: string, id: string, lesson = UNKNOWN) => path.replace(':id', id).replace(':lid', lesson)

describe.each(named)('%s %s', (method, path, body) => {
  test('requires a token, valid UUIDs and an existing course', async () => {
    expect(await nobody.request(method, at(path, UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, at(path, 'x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, at(path, UNKNOWN), body)).toFailWith(404, 'course_unknown')
  })

  test('finds only the course’s own lessons, and lets only the author change them', async () => {
    const { id, lessons } = await course(alice)
    if (path.includes(':lid')) expect(await alice.request(method, at(path, id), body)).toFailWith(404, 'lesson_unknown')
    if (method === 'GET' && !path.endsWith('students')) return
    const asked = await bob.request(method, at(path, id, lessons[0]), body)
    if (path.endsWith('enroll')) expect(asked.status).toBe(201)
    else expect(asked).toFailWith(403, path.endsWith('progress') ? 'not_enrolled' : 'content_not_yours')
  })
})

test('A course starts as a draft, is edited, published and archived', async () => {
  for (const path of ['/courses', '/courses/mine']) expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  expect(await nobody.post('/courses', fields)).toFailWith(401, 'token_missing')
  const made = await alice.post<Course>('/courses', { ...fields, priceMana: 5 })
  expect(made).toMatchObject({
    status: 201,
    body: {
      kind: 'course',
      authorId: alice.actorId,
      ...fields,
      priceMana: 5,
      status: 'draft',
      lessonCount: 0,
      enrolledCount: 0,
      viewer: { enrolledAt: null, completedLessons: null, completedAt: null },
    },
  })
  const { id } = made.body
  for (const wrong of [{}, { ...fields, depth: 6 }, { ...fields, priceMana: -1 }])
    expect(await alice.post('/courses', wrong)).toFailWith(422, 'validation_failed')
  expect(await alice.post('/courses', { ...fields, summary: ' ' })).toFailWith(422, 'content_body')
  expect(await bob.get(`/courses/${id}`)).toFailWith(404, 'course_unknown')
  expect(await bob.post(`/courses/${id}/enroll`)).toFailWith(404, 'course_unknown')
  expect(await alice.post(`/courses/${id}/publish`)).toFailWith(409, 'course_empty')
  expect(await alice.post(`/courses/${id}/archive`)).toFailWith(409, 'course_draft')

  expect(await alice.post(`/courses/${id}/lessons`, {})).toFailWith(422, 'validation_failed')
  expect(await alice.post(`/courses/${id}/lessons`, { ...text, minutes: 0 })).toFailWith(422, 'validation_failed')
  expect(await alice.post(`/courses/${id}/lessons`, { ...text, title: ' ' })).toFailWith(422, 'lesson_title')
  const first = await alice.post<Lesson>(`/courses/${id}/lessons`, { ...text, minutes: 5 })
  expect(first).toMatchObject({
    status: 201,
    body: { ...text, position: 1, minutes: 5, preview: false, assetId: null },
  })
  const second = await add(alice, id, { preview: true })
  const third = await add(alice, id)
  const order = [third, first.body.id, second]
  for (const ids of [[third], [...order, UNKNOWN], [third, third, second]])
    expect(await alice.put(`/courses/${id}/lessons/order`, { ids })).toFailWith(422, 'lesson_order')
  expect(await alice.put(`/courses/${id}/lessons/order`, { ids: order })).toMatchObject({
    status: 200,
    body: { lessonCount: 3 },
  })
  expect(await walk(alice, `/courses/${id}/lessons`, 2)).toEqual(order)
  expect(await alice.delete(`/courses/${id}/lessons/${third}`)).toMatchObject({ status: 204, text: '' })
  expect(await alice.get(`/courses/${id}/lessons`)).toMatchObject({
    body: {
      items: [
        { id: first.body.id, position: 1 },
        { id: second, position: 2 },
      ],
    },
  })
  expect(await alice.patch(`/courses/${id}/lessons/${second}`, { title: 'Stems', minutes: null })).toMatchObject({
    status: 200,
    body: { title: 'Stems', body: text.body, preview: true },
  })

  expect(await alice.post(`/courses/${id}/publish`)).toMatchObject({ status: 200, body: { status: 'published' } })
  expect(await alice.post(`/courses/${id}/publish`)).toFailWith(409, 'course_published')
  expect(await alice.patch(`/courses/${id}`, { title: 'Fungi', priceMana: 0 })).toMatchObject({
    status: 200,
    body: { title: 'Fungi', priceMana: 0, summary: fields.summary },
  })
  expect(await bob.get(`/courses/${id}`)).toMatchObject({ body: { title: 'Fungi' } })
  // everybody can read previews, but only students can read the other lessons
  const bodies = async (who: typeof alice) =>
    (await who.get<Page<Lesson>>(`/courses/${id}/lessons`)).body.items.map(({ body }) => body)
  expect(await bodies(bob)).toEqual([null, text.body])
  expect(await bob.get(`/courses/${id}/lessons/${first.body.id}`)).toMatchObject({ status: 200, body: { body: null } })
  expect(await bob.post(`/courses/${id}/enroll`)).toMatchObject({ status: 201, body: { enrolledCount: 1 } })
  expect(await bodies(bob)).toEqual([text.body, text.body])

  expect(await alice.post(`/courses/${id}/archive`)).toMatchObject({ status: 200, body: { status: 'archived' } })
  expect(await alice.post(`/courses/${id}/archive`)).toFailWith(409, 'course_archived')
  for (const [method, path, body] of [
    ['PATCH', '', { title: 'x' }],
    ['POST', '/lessons', text],
    ['POST', '/publish'],
    ['DELETE', `/lessons/${second}`],
  ] as const)
    expect(await alice.request(method, `/courses/${id}${path}`, body)).toFailWith(409, 'course_archived')
  expect(await carla.get(`/courses/${id}`)).toFailWith(404, 'course_unknown')
  expect(await carla.get(`/courses/${id}/lessons`)).toFailWith(404, 'course_unknown')
  expect(await carla.post(`/courses/${id}/enroll`)).toFailWith(404, 'course_unknown')
  // its students continue
  expect(await bodies(bob)).toEqual([text.body, text.body])
  expect(await bob.post(`/courses/${id}/enroll`)).toFailWith(409, 'enrolled_already')
  expect(await bob.put(`/courses/${id}/lessons/${second}/progress`, { done: true })).toMatchObject({
    body: { status: 'archived', viewer: { completedLessons: 1 } },
  })
  expect((await walk(bob, '/courses/mine', 1)).slice(0, 1)).toEqual([id])
  expect(await bob.get('/courses/mine?role=author')).toMatchObject({ body: { items: [] } })
  expect(await bob.get('/courses/mine?role=x')).toFailWith(422, 'validation_failed')
  for (const path of ['/courses?cursor=x', '/courses/mine?cursor=x', `/courses/${id}/lessons?cursor=x`])
    expect(await alice.get(path)).toFailWith(400, 'cursor_unknown')
  expect(await alice.get(`/courses/${id}/students?cursor=x`)).toFailWith(400, 'cursor_unknown')
})

test('A lesson can have a committed asset of its author', async () => {
  const asset = async (owned: string, committed = true, kind = 'image') => {
    const [row] = await owner<{ id: string }[]>`
      insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, mime_type, status, committed_at, expires_at)
      values (${owned}, ${kind}, 'x/y', 1, 'b', ${crypto.randomUUID()}, ${committed ? 'x/y' : null}, ${committed ? 'committed' : 'pending'},
              ${committed ? new Date() : null}, ${committed ? null : new Date(Date.now() + 60_000)}) returning id`
    return row?.id ?? ''
  }
  const { id, lessons } = await course(alice)
  const mine = await asset(alice.id)
  await owner`update app.media_assets set alt = 'A cat' where id = ${mine}`
  expect(await alice.patch(`/courses/${id}/lessons/${lessons[0]}`, { assetId: mine })).toMatchObject({
    status: 200,
    body: {
      assetId: mine,
      assetUrl: expect.stringContaining('/'),
      asset: { assetId: mine, alt: 'A cat', width: null },
    },
  })
  expect(await bob.get(`/courses/${id}/lessons/${lessons[0]}`)).toMatchObject({
    body: { assetId: null, assetUrl: null, asset: null },
  })
  for (const [assetId, status, code] of [
    [await asset(bob.id), 404, 'asset_unknown'],
    [await asset(alice.id, false), 422, 'asset_pending'],
    [await asset(alice.id, true, 'avatar'), 422, 'asset_kind'],
  ] as const)
    expect(await alice.post(`/courses/${id}/lessons`, { ...text, assetId })).toFailWith(status, code)
  await owner`delete from app.media_assets where id = ${mine}`
  expect(await alice.get(`/courses/${id}/lessons/${lessons[0]}`)).toMatchObject({ body: { assetId: null } })
})

test('The price of a course is paid once for ten concurrent requests, and a sold course cannot be deleted', async () => {
  const { id } = await course(alice, { priceMana: 10 })
  const [before, hers] = [await balance(bob), await balance(alice)]
  const tries = await Promise.all(
    Array.from({ length: 10 }, () => bob.post(`/courses/${id}/enroll`, { expectedPrice: 10 })),
  )
  expect(tries.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  expect([await balance(bob), await balance(alice)]).toEqual([before - 10, hers + 10])
  expect(await bob.get(`/courses/${id}`)).toMatchObject({ body: { enrolledCount: 1 } })

  const headers = { 'Idempotency-Key': 'enrol once' }
  const other = await course(alice, { priceMana: 7 })
  const answers = [
    await bob.post(`/courses/${other.id}/enroll`, { expectedPrice: 7 }, headers),
    await bob.post(`/courses/${other.id}/enroll`, { expectedPrice: 7 }, headers),
  ]
  expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([201, answers[0]?.text]))
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true')
  expect(await balance(bob)).toBe(before - 17)
  expect(await bob.post(`/courses/${other.id}/enroll`)).toFailWith(409, 'enrolled_already')
  expect(await alice.post(`/courses/${id}/enroll`)).toFailWith(400, 'enrol_oneself')
  const dear = await course(alice, { priceMana: 100_000 })
  expect(await bob.post(`/courses/${dear.id}/enroll`, { expectedPrice: 100_000 })).toFailWith(409, 'insufficient_mana')
  expect(await bob.get(`/courses/${dear.id}`)).toMatchObject({
    body: { enrolledCount: 0, viewer: { enrolledAt: null } },
  })

  expect(await alice.delete(`/courses/${id}`)).toFailWith(409, 'course_sold')
  const free = await course(alice)
  await bob.post(`/courses/${free.id}/enroll`)
  expect(await alice.delete(`/courses/${free.id}`)).toMatchObject({ status: 204, text: '' })
  expect(await bob.get(`/courses/${free.id}`)).toFailWith(404, 'course_unknown')
  expect(await owner`select from private.audit_mana()`).toHaveLength(0)
})

test('The price of a course is paid only if it equals the expected one', async () => {
  const { id } = await course(alice)
  const before = await balance(bob)
  await alice.patch(`/courses/${id}`, { priceMana: 9 })
  const enrol = (body?: object) => bob.post(`/courses/${id}/enroll`, body)
  for (const body of [undefined, {}, { expectedPrice: 0 }, { expectedPrice: 8 }, { expectedPrice: 10 }])
    expect(await enrol(body)).toFailWith(409, 'price_changed')
  for (const expectedPrice of [-1, 1.5, '9', null])
    expect(await enrol({ expectedPrice })).toFailWith(422, 'validation_failed')
  expect(await bob.get(`/courses/${id}`)).toMatchObject({ body: { enrolledCount: 0, viewer: { enrolledAt: null } } })
  expect(await balance(bob)).toBe(before)
  expect(await enrol({ expectedPrice: 9 })).toMatchObject({ status: 201, body: { enrolledCount: 1 } })
  expect(await balance(bob)).toBe(before - 9)
  expect(await enrol({ expectedPrice: 8 })).toFailWith(409, 'enrolled_already')
})

test('Progress is counted, completes the course, and is kept when lessons are added', async () => {
  const { id, lessons } = await course(alice, {}, 2)
  const [one, two] = lessons
  await bob.post(`/courses/${id}/enroll`)
  const set = (lesson: string | undefined, done: boolean) =>
    bob.put<Course>(`/courses/${id}/lessons/${lesson}/progress`, { done })
  expect(await bob.put(`/courses/${id}/lessons/${one}/progress`, {})).toFailWith(422, 'validation_failed')
  for (let n = 0; n < 2; n++)
    expect(await set(one, true)).toMatchObject({
      status: 200,
      body: { viewer: { completedLessons: 1, completedAt: null } },
    })
  expect(await set(one, false)).toMatchObject({ body: { viewer: { completedLessons: 0 } } })
  await set(one, true)
  const { body } = await set(two, true)
  expect(body.viewer).toMatchObject({ completedLessons: 2, completedAt: expect.any(String) })
  const third = await add(alice, id)
  expect((await bob.get<Course>(`/courses/${id}`)).body.viewer).toEqual(body.viewer)
  expect(await alice.get(`/courses/${id}/students`)).toMatchObject({
    status: 200,
    body: { items: [{ userId: bob.actorId, completedLessons: 2, completedAt: body.viewer.completedAt }] },
  })
  expect(await alice.delete(`/courses/${id}/lessons/${one}`)).toFailWith(409, 'lesson_done')
  expect((await alice.delete(`/courses/${id}/lessons/${third}`)).status).toBe(204)
  const alone = await course(alice)
  expect(await alice.delete(`/courses/${alone.id}/lessons/${alone.lessons[0]}`)).toFailWith(409, 'course_empty')
})

test('A course in a group is visible only to its members', async () => {
  const { body: group } = await alice.post<{ id: string }>('/groups', { name: 'Learners' })
  await bob.post(`/groups/${group.id}/join`)
  const { id, lessons } = await course(alice, { groupId: group.id })
  expect(await carla.get(`/courses/${id}`)).toFailWith(404, 'course_unknown')
  expect(await carla.post('/courses', { ...fields, groupId: group.id })).toFailWith(403, 'space_not_member')
  expect(await bob.post(`/courses/${id}/enroll`)).toMatchObject({ status: 201, body: { groupId: group.id } })
  const late = await draft(alice, { groupId: group.id })
  await add(alice, late)
  await alice.delete(`/groups/${group.id}`)
  expect(await alice.post(`/courses/${late}/publish`)).toFailWith(409, 'space_archived')
  expect((await bob.put(`/courses/${id}/lessons/${lessons[0]}/progress`, { done: true })).status).toBe(200)
  await bob.post(`/groups/${group.id}/leave`)
  expect(await bob.get(`/courses/${id}/lessons`)).toFailWith(404, 'course_unknown')
})

describe('A course', async () => {
  const [eve, finn, gus] = await join('eve', 'finn', 'gus')
  if (!eve || !finn || !gus) throw new Error('somebody did not come')
  const hidden: Record<string, { id: string; lessons: string[] }> = {
    'by a blocked person': await course(eve),
    'by a banned person': await course(finn),
    'by an erased person': await course(gus),
    'removed by staff': await course(alice),
    'a draft': { id: await draft(alice), lessons: [] },
    archived: await course(alice),
  }
  // bob is a student of all these courses except the draft and the archived one
  for (const [which, { id }] of Object.entries(hidden))
    if (!['a draft', 'archived'].includes(which)) expect((await bob.post(`/courses/${id}/enroll`)).status).toBe(201)
  await alice.post(`/courses/${hidden.archived?.id}/archive`)
  await admin.post(`/admin/content/courses/${hidden['removed by staff']?.id}/remove`)
  await bob.post('/users/eve/block')
  const shared = await course(alice, { priceMana: 1 })
  await gus.post(`/courses/${shared.id}/enroll`, { expectedPrice: 1 })
  await owner`update app.users set banned_at = now() where id = ${finn.id}`
  await owner`select private.erase_person(${gus.id})`

  test.each(Object.entries(hidden))(
    'that is %s gives the same answer as an unknown one',
    async (_which, { id, lessons }) => {
      for (const [method, path, body] of named) {
        const [answer, unknown] = [
          await bob.request(method, at(path, id, lessons[0]), body),
          await bob.request(method, at(path, UNKNOWN, lessons[0]), body),
        ]
        expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text])
      }
      const report = { targetType: 'course', targetId: id, reason: 'x' }
      expect(await bob.post('/reports', report)).toFailWith(404, 'course_unknown')
      expect((await walk(bob, '/courses', 50)).includes(id)).toBe(false)
      expect((await walk(bob, '/courses/mine', 50)).includes(id)).toBe(false)
    },
  )

  test('no longer counts an erased student, who does not prevent its deletion', async () => {
    expect(await alice.get(`/courses/${shared.id}`)).toMatchObject({ body: { enrolledCount: 0 } })
    expect(await alice.get(`/courses/${shared.id}/students`)).toMatchObject({ body: { items: [] } })
    expect((await alice.delete(`/courses/${shared.id}`)).status).toBe(204)
    const [left] =
      await owner`select count(*)::int from app.course_lessons l join app.contents c on c.id = l.course_id where c.author_id = ${gus.id}`
    expect(left).toEqual({ count: 0 })
  })
})
