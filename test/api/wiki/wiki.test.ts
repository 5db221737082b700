// The wiki over HTTP: entries, proposals, votes, decisions of staff, and concurrency. For permissions see test/db/wiki.
import { describe, expect, test } from 'vitest'
import { changesBetween } from '../../../api-facade/features/wiki/diff.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
const [dora, erin, finn, mona] = (await join('dora', 'erin', 'finn', 'mona')) as [Person, Person, Person, Person]
await owner`update app.users set role = 'moderator' where id = ${mona.id}`
const moderator = await mona.login()

type Proposal = { id: string; status: string; netVotes: number; version: number | null; diff: unknown[] }
type Entry = { version: number; body: string; authorId: string | null }

const slugs = (await owner<{ slug: string }[]>`select slug from app.interests where level = 2 order by slug`).map(
  ({ slug }) => slug,
)
const fresh = () => slugs.pop() ?? ''
/** Gives people reputation in an interest that no test here uses. */
async function learn(points: number, ...people: Person[]) {
  for (const { id } of people)
    await owner`select private.add_reputation(${id}, (select id from app.interests where slug = 'poetry'), 'admin.adjusted', ${points})`
}
await learn(20, alice, bob, carla, dora, erin)

const draft = (baseVersion = 0, body = 'What it is.\n') => ({ body, summary: 'A beginning', baseVersion })
const propose = async (who: Person, slug: string, baseVersion = 0, body?: string) => {
  const made = await who.post<Proposal>(`/wiki/${slug}/proposals`, draft(baseVersion, body))
  expect(made.status).toBe(201)
  return made.body
}
const vote = (who: Person, id: string, value: number) => who.post<Proposal>(`/wiki/proposals/${id}/vote`, { value })
const entry = async (slug: string) => (await alice.get<Entry>(`/wiki/${slug}`)).body
const statusOf = async (id: string) => (await owner`select status from app.wiki_proposals where id = ${id}`)[0]?.status

const routes: [string, string, object?][] = [
  ['GET', '/wiki/SLUG'],
  ['GET', '/wiki/SLUG/versions'],
  ['GET', '/wiki/SLUG/versions/1'],
  ['GET', '/wiki/SLUG/proposals'],
  ['POST', '/wiki/SLUG/proposals', draft()],
  ['POST', '/wiki/proposals/ID/vote', { value: 1 }],
  ['POST', '/wiki/proposals/ID/withdraw'],
]
test.each(routes)('%s %s requires a token, an existing subject, and the feature flag', async (method, path, body) => {
  const at = path.replace('SLUG', 'no-such-interest').replace('ID', UNKNOWN)
  expect(await nobody.request(method, at, body)).toFailWith(401, 'token_missing')
  expect(await alice.request(method, at, body)).toMatchObject({ status: 404 })
  await owner`update app.feature_flags set enabled = false where key = 'wiki'`
  expect(await alice.request(method, at, body)).toFailWith(403, 'feature_disabled')
  await owner`update app.feature_flags set enabled = true where key = 'wiki'`
})

test('An entry starts at version 0, and a proposal changes it once its votes reach a net of three', async () => {
  const slug = fresh()
  expect(await alice.get(`/wiki/${slug}`)).toMatchObject({
    status: 200,
    body: { slug, version: 0, body: '', summary: null, authorId: null, author: null, updatedAt: null },
  })
  const body = ' # Title\n\nOld  *text*\n'
  const made = await alice.post<Proposal>(`/wiki/${slug}/proposals`, draft(0, body))
  expect(made).toMatchObject({
    status: 201,
    body: {
      slug,
      proposerId: alice.actorId,
      status: 'open',
      baseVersion: 0,
      summary: 'A beginning',
      body,
      diff: [{ op: 'insert', text: body }],
      netVotes: 0,
      version: null,
      viewer: { vote: 0 },
      resolvedAt: null,
    },
  })
  const { id } = made.body
  expect(await vote(alice, id, 1)).toFailWith(400, 'wiki_vote_oneself')
  expect(await vote(finn, id, 1)).toFailWith(403, 'wiki_reputation')
  for (const [who, value, net] of [
    [bob, -1, -1],
    [bob, 1, 1],
    [bob, 1, 1],
    [carla, 1, 2],
    [carla, 0, 1],
    [carla, 0, 1],
    [carla, 1, 2],
  ] as const)
    expect(await vote(who, id, value)).toMatchObject({
      status: 200,
      body: { status: 'open', netVotes: net, viewer: { vote: value } },
    })
  expect(await vote(dora, id, 1)).toMatchObject({ status: 200, body: { status: 'approved', netVotes: 3, version: 1 } })
  expect(await entry(slug)).toMatchObject({ version: 1, body, authorId: alice.actorId })
  expect((await alice.inbox('wiki.resolved')).map(({ payload }) => payload)).toMatchObject([
    { proposalId: id, slug, status: 'approved', version: 1 },
  ])

  expect(await bob.post(`/wiki/${slug}/proposals`, draft(0))).toFailWith(409, 'wiki_base_stale')
  expect(await bob.post(`/wiki/${slug}/proposals`, draft(7))).toFailWith(409, 'wiki_base_stale')
  const next = await propose(bob, slug, 1, ' # Title\n\nNew *text*\n')
  expect(next.diff).toEqual([
    { op: 'equal', text: ' # Title\n\n' },
    { op: 'delete', text: 'Old  *text*\n' },
    { op: 'insert', text: 'New *text*\n' },
  ])
  expect(await admin.post(`/admin/wiki/proposals/${next.id}/approve`)).toMatchObject({
    status: 200,
    body: { proposerId: bob.id, status: 'approved', version: 2 },
  })
  const versions = await walk(carla, `/wiki/${slug}/versions`, 1)
  const history = (await carla.get<Page<Entry & { id: string }>>(`/wiki/${slug}/versions`)).body.items
  expect(history.map(({ id }) => id)).toEqual(versions)
  expect(history).toMatchObject([
    { version: 2, summary: 'A beginning', authorId: bob.actorId },
    { version: 1, authorId: alice.actorId },
  ])
  expect(await carla.get(`/wiki/${slug}/versions/1`)).toMatchObject({ body: { slug, version: 1, body } })
  for (const none of [0, 3])
    expect(await carla.get(`/wiki/${slug}/versions/${none}`)).toFailWith(404, 'wiki_version_unknown')
})

test('Invalid input is rejected', async () => {
  const slug = fresh()
  const { id } = await propose(alice, slug)
  for (const body of [{}, { ...draft(), baseVersion: -1 }, { ...draft(), summary: ' ' }, { ...draft(), body: '' }])
    expect(await alice.post(`/wiki/${slug}/proposals`, body)).toFailWith(422, 'validation_failed')
  const long = { ...draft(), body: 'é'.repeat(20_001) }
  expect(await alice.post(`/wiki/${slug}/proposals`, long)).toFailWith(422, 'wiki_body')
  expect(await alice.post(`/wiki/${slug}/proposals`, { ...draft(), summary: 'é'.repeat(301) })).toFailWith(
    422,
    'wiki_summary',
  )
  expect(await alice.post(`/wiki/${slug}/proposals`, { ...draft(), summary: 'a\nb' })).toFailWith(422, 'text_unfit')
  expect(await finn.post(`/wiki/${slug}/proposals`, draft())).toFailWith(403, 'wiki_reputation')
  for (const value of [2, 0.5, '1', null])
    expect(await bob.post(`/wiki/proposals/${id}/vote`, { value })).toFailWith(422, 'validation_failed')
  expect(await bob.post('/wiki/proposals/x/withdraw')).toFailWith(422, 'validation_failed')
  expect(await bob.get(`/wiki/${slug}/versions/x`)).toFailWith(422, 'validation_failed')
  expect(await bob.get(`/wiki/${slug}/proposals?status=x`)).toFailWith(422, 'validation_failed')
  expect(await bob.get(`/wiki/${slug}/proposals?cursor=x`)).toFailWith(400, 'cursor_unknown')
  expect(await bob.get(`/wiki/${slug}/versions?cursor=${id}`)).toFailWith(400, 'cursor_unknown')
})

describe('A proposal', async () => {
  const stages: Record<string, () => Promise<string>> = {
    approved: async () => {
      const { id } = await propose(alice, fresh())
      await admin.post(`/admin/wiki/proposals/${id}/approve`, { reason: 'Good' })
      return id
    },
    rejected: async () => {
      const { id } = await propose(alice, fresh())
      await admin.post(`/admin/wiki/proposals/${id}/reject`, { reason: 'Not yet' })
      return id
    },
    withdrawn: async () => {
      const { id } = await propose(alice, fresh())
      await alice.post(`/wiki/proposals/${id}/withdraw`)
      return id
    },
    superseded: async () => {
      const slug = fresh()
      const [first, second] = [await propose(bob, slug), await propose(alice, slug)]
      await admin.post(`/admin/wiki/proposals/${first.id}/approve`)
      expect(await admin.post(`/admin/wiki/proposals/${second.id}/approve`)).toFailWith(409, 'wiki_base_stale')
      expect(await entry(slug)).toMatchObject({ version: 1 })
      return second.id
    },
  }
  const steps: [string, (id: string) => Promise<unknown>, string][] = [
    ['by a vote', (id) => vote(carla, id, 1), 'open'],
    ['by a withdrawn vote', (id) => vote(carla, id, 0), 'open'],
    ['by its author, who withdraws it', (id) => alice.post(`/wiki/proposals/${id}/withdraw`), 'withdrawn'],
    ['by an admin who rejects it', (id) => admin.post(`/admin/wiki/proposals/${id}/reject`), 'rejected'],
    ['by an admin who approves it', (id) => admin.post(`/admin/wiki/proposals/${id}/approve`), 'approved'],
  ]
  test.each(steps)('that is open can be changed %s', async (_what, step, status) => {
    const { id } = await propose(alice, fresh())
    expect(await step(id)).toMatchObject({ status: 200, body: { id, status } })
    expect(await statusOf(id)).toBe(status)
  })
  test.each(Object.entries(stages))('that is %s never changes again', async (status, make) => {
    const id = await make()
    for (const [what, step] of steps) expect(await step(id), what).toFailWith(409, 'wiki_proposal_settled')
    expect(await statusOf(id)).toBe(status)
  })

  test('is withdrawn only by its author, who is not notified', async () => {
    const { id } = await propose(dora, fresh())
    expect(await bob.post(`/wiki/proposals/${id}/withdraw`)).toFailWith(403, 'wiki_proposal_not_yours')
    expect(await dora.post(`/wiki/proposals/${id}/withdraw`)).toMatchObject({ body: { status: 'withdrawn' } })
    expect(await dora.inbox('wiki.resolved')).toEqual([])
  })

  test('for an outdated version is superseded by its third vote, which still counts', async () => {
    const slug = fresh()
    const [first, second] = [await propose(alice, slug), await propose(alice, slug)]
    await vote(bob, second.id, 1)
    await vote(carla, second.id, 1)
    await admin.post(`/admin/wiki/proposals/${first.id}/approve`)
    expect(await vote(dora, second.id, 1)).toFailWith(409, 'wiki_base_stale')
    expect(await owner`select status, net_votes from app.wiki_proposals where id = ${second.id}`).toEqual([
      { status: 'superseded', net_votes: 3 },
    ])
    const listed = await bob.get<Page<Proposal>>(`/wiki/${slug}/proposals?status=superseded`)
    expect(listed.body.items).toMatchObject([{ id: second.id, diff: [{ op: 'insert' }], viewer: { vote: 1 } }])
    expect(await walk(bob, `/wiki/${slug}/proposals`, 1)).toEqual([second.id, first.id])
  })
})

describe('Staff', () => {
  test('can read all proposals as moderators, and settle them as admins, with an entry in the audit log', async () => {
    const slug = fresh()
    const { id } = await propose(carla, slug)
    for (const verb of ['approve', 'reject']) {
      const path = `/admin/wiki/proposals/${id}/${verb}`
      expect(await nobody.post(path)).toFailWith(401, 'token_missing')
      for (const who of [alice, moderator]) expect(await who.post(path, { reason: 1 })).toFailWith(403, 'role_required')
      expect(await admin.post(path, { reason: 1 })).toFailWith(422, 'validation_failed')
      expect(await admin.post(`/admin/wiki/proposals/${UNKNOWN}/${verb}`)).toFailWith(404, 'wiki_proposal_unknown')
    }
    expect(await nobody.get('/admin/wiki/proposals')).toFailWith(401, 'token_missing')
    expect(await alice.get('/admin/wiki/proposals')).toFailWith(403, 'role_required')
    const found = async (query: string) =>
      (await moderator.get<Page<Proposal>>(`/admin/wiki/proposals?${query}`)).body.items.map((item) => item.id)
    expect(await found('limit=1')).toEqual([id])
    expect(await found(`q=${slug}&status=open`)).toEqual([id])
    expect(await found(`q=${id}`)).toEqual([id])
    expect(await found(`q=${slug}&status=approved`)).toEqual([])
    expect(await found('q=%25')).toEqual([])
    expect(await found(`limit=1&cursor=${id}`)).not.toContain(id)
    expect(await moderator.get('/admin/wiki/proposals?status=x')).toFailWith(422, 'validation_failed')
    expect(await moderator.get(`/admin/wiki/proposals?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
    expect(await admin.post(`/admin/wiki/proposals/${id}/reject`, { reason: 'Too short' })).toMatchObject({
      status: 200,
      body: { status: 'rejected', diff: [{ op: 'insert' }] },
    })
    expect(
      await owner`select l.action, l.target_type, d.detail from app.audit_log l join app.audit_details d on d.audit_id = l.id
                  where l.target_id = ${id}`,
    ).toEqual([{ action: 'wiki.rejected', target_type: 'wiki-proposal', detail: { reason: 'Too short' } }])
    expect((await carla.inbox('wiki.resolved'))[0]?.payload).toMatchObject({ proposalId: id, status: 'rejected' })
  })
})

describe('Under concurrency', () => {
  test('more votes than needed and approvals by admins create one version', async () => {
    const slug = fresh()
    const { id } = await propose(alice, slug)
    const answers = await Promise.all([
      ...[bob, carla, dora, erin].map((who) => vote(who, id, 1)),
      ...[1, 2].map(() => admin.post(`/admin/wiki/proposals/${id}/approve`)),
    ])
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(
      await owner`select version from app.wiki_versions v join app.interests i on i.id = v.interest_id
                       where i.slug = ${slug}`,
    ).toEqual([{ version: 1 }])
    expect(await statusOf(id)).toBe('approved')
  })

  test('of several proposals for one version exactly one is approved, and the others are superseded', async () => {
    const slug = fresh()
    const made = await Promise.all([alice, bob, carla, dora, erin].map((who) => propose(who, slug)))
    const answers = await Promise.all(made.map(({ id }) => admin.post(`/admin/wiki/proposals/${id}/approve`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const states = await Promise.all(made.map(({ id }) => statusOf(id)))
    expect(states.sort()).toEqual(['approved', ...Array(4).fill('superseded')])
    expect(await entry(slug)).toMatchObject({ version: 1 })
  })
})

test('After a block or an erasure approved text remains without its author’s name, and open proposals disappear', async () => {
  const slug = fresh()
  const [gus] = (await join('gus')) as [Person]
  await learn(20, gus)
  const approved = await propose(gus, slug, 0, 'A common text')
  await admin.post(`/admin/wiki/proposals/${approved.id}/approve`)
  const open = await propose(gus, slug, 1, 'Their own text')
  await vote(alice, open.id, 1)
  await bob.post('/users/gus/block')
  expect(await bob.get(`/wiki/${slug}`)).toMatchObject({ body: { version: 1, authorId: null, author: null } })
  expect((await bob.get<Page<Proposal>>(`/wiki/${slug}/proposals`)).body.items).toEqual([])
  const unknown = await vote(bob, UNKNOWN, 1)
  expect(unknown).toFailWith(404, 'wiki_proposal_unknown')
  expect(await vote(bob, open.id, 1)).toMatchObject({ status: 404, text: unknown.text })
  expect(await bob.post(`/wiki/proposals/${open.id}/withdraw`)).toMatchObject({ status: 404, text: unknown.text })
  await alice.post('/users/gus/block')
  expect(await vote(alice, open.id, 0)).toMatchObject({ status: 200, body: null })
  expect(await vote(alice, open.id, 0)).toFailWith(404, 'wiki_proposal_unknown')
  expect(await owner`select net_votes from app.wiki_proposals where id = ${open.id}`).toEqual([{ net_votes: 0 }])

  expect(await gus.post('/me/delete', { password: gus.password })).toMatchObject({ status: 200 })
  expect(await carla.get(`/wiki/${slug}`)).toMatchObject({
    body: { version: 1, body: 'A common text', summary: 'A beginning', authorId: null, author: null },
  })
  expect((await carla.get<Page<Proposal>>(`/wiki/${slug}/proposals`)).body.items).toEqual([])
  expect(await owner`select distinct body, summary from app.wiki_proposals where author_id = ${gus.id}`).toEqual([
    { body: null, summary: null },
  ])
  expect(await statusOf(open.id)).toBe('withdrawn')
  expect(await admin.post(`/admin/wiki/proposals/${open.id}/approve`)).toFailWith(404, 'wiki_proposal_unknown')
  expect((await admin.get<Page<Proposal>>(`/admin/wiki/proposals?q=${open.id}`)).body.items).toEqual([])
})

test('Texts with little in common are compared as a whole, quickly', () => {
  const [base, body] = ['a\nb\n'.repeat(5000), 'b\na\na\n'.repeat(3333)]
  expect(changesBetween(base, body)).toEqual([
    { op: 'delete', text: base },
    { op: 'insert', text: body },
  ])
  expect(changesBetween('same', 'same')).toEqual([{ op: 'equal', text: 'same' }])
})

test('A page of long proposals ends at half a megabyte, for staff too', async () => {
  const slug = fresh()
  const made = await owner<{ id: string }[]>`
    insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary, created_at)
    select i.id, ${alice.id}, 0, repeat(e'a\\n', 9999), ${`long ${slug}`}, now() - n * interval '1 minute'
    from app.interests i, generate_series(1, 15) n where i.slug = ${slug} order by n returning id`
  const ids = made.map(({ id }) => id)
  const admins = `/admin/wiki/proposals?q=${encodeURIComponent(`long ${slug}`)}`
  for (const [who, path] of [
    [bob, `/wiki/${slug}/proposals?status=open`],
    [admin, admins],
  ] as const) {
    const first = (await who.get<Page<Proposal>>(`${path}&limit=50`)).body
    // each proposal counts twice: its text and its diff
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 13))
    const second = (await who.get<Page<Proposal>>(`${path}&limit=50&cursor=${first.nextCursor}`)).body
    expect(second).toMatchObject({ items: [{ id: ids[13] }, { id: ids[14] }], hasMore: false })
  }
})
