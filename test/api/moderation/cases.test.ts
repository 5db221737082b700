// Cases, appeals and standing over HTTP. For the single rules see test/db/moderation.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const [mona, milo] = (await join('mona', 'milo')) as [Person, Person]
await database.owner`update app.users set role = 'moderator' where username in ('mona', 'milo')`
const [first, second] = [await mona.login(), await milo.login()]

type Case = {
  id: string
  status: string
  claimedBy: { username: string } | null
  history: { kind: string; note: string | null }[]
  proposals: { id: string; status: string }[]
  decisions: { action: string; decidedById: string }[]
}
type Standing = {
  state: string
  strikes: number
  decisions: {
    id: string
    action: string
    reason: string
    appealable: boolean
    appealPath: string | null
    appeal: { status: string } | null
  }[]
}

/** Reports a thing, and returns its case. */
async function reported(targetType: string, targetId: string, category?: string): Promise<string> {
  const { status } = await carla.post('/reports', { targetType, targetId, reason: 'Rude', category })
  expect(status).toBe(201)
  const page = await first.get<{ items: { id: string; targetId: string }[] }>('/admin/cases?status=open&limit=50')
  const found = page.body.items.find((one) => one.targetId === targetId || targetType === 'user')
  return found?.id ?? ''
}

describe('The categories of reports', () => {
  test('can be listed, and a report names one of them', async () => {
    expect(await nobody.get('/reports/categories')).toFailWith(401, 'token_missing')
    const { body } = await alice.get<{ items: { category: string }[] }>('/reports/categories')
    expect(body.items.map(({ category }) => category)).toContain('spam')
    const targetId = await publish(bob)
    const report = { targetType: 'post', targetId, reason: 'Bad' }
    expect(await alice.post('/reports', { ...report, category: 'bad' })).toFailWith(422, 'category_unknown')
    expect(await alice.post('/reports', { ...report, category: 'spam' })).toMatchObject({
      status: 201,
      body: { category: 'spam' },
    })
  })
})

describe('A case', () => {
  test('is claimed by one of two moderators who try at once', async () => {
    const id = await reported('post', await publish(bob))
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([first, second].map((who) => who.post<Case>(`/admin/cases/${id}/claim`)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const winner = answers.find(({ status }) => status === 200)
      expect((await admin.get<Case>(`/admin/cases/${id}`)).body.claimedBy).toEqual(winner?.body.claimedBy)
      expect(await admin.post(`/admin/cases/${id}/release`)).toMatchObject({ status: 200 })
    }
  })

  test('can get several actions with one reason, and another member of staff decides the appeal', async () => {
    const post = await publish(bob)
    const id = await reported('post', post, 'harassment')
    const act = (body: object, who = first) => who.post<Case>(`/admin/cases/${id}/actions`, body)
    expect(await act({ actions: ['hide', 'ban'], reason: 'No' })).toFailWith(403, 'role_required')
    expect(await act({ actions: ['warn'] })).toFailWith(422, 'case_reason')
    for (const body of [{}, { actions: [] }, { actions: 'hide' }, { actions: ['hide'], until: 'soon' }])
      expect(await act(body)).toFailWith(422, 'validation_failed')
    const acted = await act({ actions: ['hide', 'warn'], reason: 'You insult people', rule: 'Be kind' })
    expect(acted).toMatchObject({ status: 200, body: { status: 'closed', outcome: 'acted', rule: 'Be kind' } })
    expect(await carla.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    expect(await carla.inbox('moderation.actioned')).toMatchObject([{ target: { type: 'report' } }])

    expect(await nobody.get('/me/standing')).toFailWith(401, 'token_missing')
    const { text, body: standing } = await bob.get<Standing>('/me/standing')
    expect(standing).toMatchObject({
      state: 'active',
      strikes: 2,
      decisions: [
        { action: 'warn', reason: 'You insult people', targetId: null, appealable: true, appeal: null },
        { action: 'hide', reason: 'You insult people', targetId: post, rule: 'Be kind' },
      ],
    })
    expect(text).not.toMatch(new RegExp(`mona|${mona.id}|${bob.id}`))
    const notices = await bob.inbox('moderation.actioned')
    for (const { id, appealPath } of standing.decisions) expect(appealPath).toBe(`/me/standing/${id}/appeal`)
    const { id: warning } = standing.decisions[0] ?? {}
    // both decisions were made in one transaction
    expect(notices.toSorted((one) => (JSON.stringify(one).includes('"warn"') ? -1 : 1))).toMatchObject([
      {
        target: { type: 'decision', id: warning },
        actors: [],
        payload: { action: 'warn', appealPath: `/me/standing/${warning}/appeal` },
      },
      { target: { type: 'post', id: post }, payload: { action: 'hidden' } },
    ])

    const hide = standing.decisions[1]?.id
    const appeal = (who: Person, body: object = { text: 'It was a quote' }) =>
      who.post<Standing>(standing.decisions[1]?.appealPath ?? '', body)
    expect(await appeal(alice)).toFailWith(404, 'decision_unknown')
    expect(await appeal(bob, { text: ' ' })).toFailWith(422, 'validation_failed')
    expect(await appeal(bob)).toMatchObject({
      status: 201,
      body: { decisions: [{}, { appealable: false, appealPath: null }] },
    })
    expect(await appeal(bob)).toFailWith(409, 'decision_appealed')

    const list = await second.get<{ items: { id: string; mayResolve: boolean }[] }>('/admin/appeals?status=pending')
    expect(list.body.items).toMatchObject([{ mayResolve: true, decision: { id: hide } }])
    const path = `/admin/appeals/${list.body.items[0]?.id}/resolve`
    const verdict = { verdict: 'overturn', answer: 'You are right' }
    expect(await first.post(path, verdict)).toFailWith(409, 'appeal_own_decision')
    expect(await second.post(path, { verdict: 'maybe', answer: 'x' })).toFailWith(422, 'validation_failed')
    expect(await second.post(path, verdict)).toMatchObject({
      status: 200,
      body: { status: 'overturned', undone: true, mayResolve: false },
    })
    expect(await second.post(path, verdict)).toFailWith(409, 'appeal_resolved')
    expect(await carla.get(`/posts/${post}`)).toMatchObject({ status: 200 })
    // the two notifications can be in either order, because the effects of a transaction can have the same time
    expect(await bob.inbox('moderation.actioned')).toContainEqual(
      expect.objectContaining({
        target: expect.objectContaining({ type: 'decision', id: hide }),
        payload: expect.objectContaining({ action: 'overturned', appealPath: null }),
      }),
    )
    const file = (await second.get<Case>(`/admin/cases/${id}`)).body
    expect(file.history.map(({ kind }) => kind)).toEqual(
      ['opened', 'hide', 'warn', 'acted', 'closed', 'appealed', 'unhide', 'overturned'].reverse(),
    )
  })

  test('has notes, a priority and proposals, which an admin accepts', async () => {
    const post = await publish(alice)
    const id = await reported('reply', await reply(bob, post))
    expect(await first.post(`/admin/cases/${id}/notes`, { text: 'Seen before' })).toMatchObject({ status: 201 })
    expect(await first.post(`/admin/cases/${id}/notes`, { text: '' })).toFailWith(422, 'validation_failed')
    expect(await first.patch(`/admin/cases/${id}`, { category: 'hate' })).toMatchObject({ body: { priority: 2 } })
    expect(await first.patch(`/admin/cases/${id}`, { priority: 5 })).toFailWith(422, 'validation_failed')
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const propose = (body: object) => first.post(`/admin/cases/${id}/proposals`, body)
    expect(await propose({ actions: ['warn'], reason: 'x' })).toFailWith(422, 'proposal_actions')
    expect(await propose({ actions: ['suspend'], reason: 'x' })).toFailWith(422, 'case_until')
    const far = new Date(Date.now() + 367 * 86_400_000).toISOString()
    expect(await propose({ actions: ['suspend'], reason: 'x', until: far })).toFailWith(422, 'until_far')
    const past = new Date(Date.now() - 1000).toISOString()
    expect(await propose({ actions: ['suspend'], reason: 'x', until: past })).toFailWith(422, 'until_past')
    expect(await propose({ actions: ['suspend'], reason: 'Rest', until })).toMatchObject({ status: 201 })
    expect(await propose({ actions: ['ban'], reason: 'x' })).toFailWith(409, 'case_proposal_open')
    const file = (await admin.get<Case>(`/admin/cases/${id}`)).body
    expect(file).toMatchObject({
      proposals: [{ status: 'open', actions: ['suspend'] }],
      target: { id: expect.any(String) },
    })
    const proposal = file.proposals[0]?.id
    expect(await first.post(`/admin/cases/${id}/proposals/${proposal}/accept`)).toFailWith(403, 'role_required')
    expect(await admin.post(`/admin/cases/${id}/proposals/${UNKNOWN}/decline`)).toFailWith(404, 'case_proposal_unknown')
    expect(await admin.post(`/admin/cases/${id}/proposals/${proposal}/accept`)).toMatchObject({
      body: { status: 'closed' },
    })
    expect(await bob.get('/me')).toFailWith(401, 'token_revoked')

    // a suspended person reads and appeals with the password
    const { email, password } = bob
    expect(await nobody.post('/auth/login', { email, password })).toFailWith(403, 'person_suspended')
    const standing = await nobody.post<Standing>('/auth/standing', { email, password })
    expect(standing).toMatchObject({
      status: 200,
      body: { state: 'suspended', suspendedUntil: until, decisions: [{ action: 'suspend', reason: 'Rest' }, {}, {}] },
    })
    const { id: decisionId, appealPath } = standing.body.decisions[0] ?? {}
    expect(appealPath).toBe('/auth/appeal')
    for (const path of ['/auth/standing', '/auth/appeal']) {
      const body = { email, password: 'something else', decisionId, text: 'No' }
      expect(await nobody.post(path, body)).toFailWith(401, 'credentials_wrong')
      expect(await nobody.post(path, { ...body, email: 'nobody@example.org' })).toFailWith(401, 'credentials_wrong')
      expect(await nobody.post(path, { email: 7 })).toFailWith(422, 'validation_failed')
    }
    const appeal = { email, password, decisionId, text: 'Too long' }
    expect(await nobody.post('/auth/appeal', { ...appeal, decisionId: UNKNOWN })).toFailWith(404, 'decision_unknown')
    expect(await nobody.post(appealPath ?? '', appeal)).toMatchObject({
      status: 201,
      body: { decisions: [{ appealPath: null }, { appealPath: '/auth/appeal' }, {}] },
    })
    expect(await nobody.post('/auth/appeal', appeal)).toFailWith(409, 'decision_appealed')
    expect(await admin.post('/admin/users/bob/unban')).toMatchObject({ status: 200 })
  })

  test('can be opened by staff, dismissed and declined', async () => {
    const opened = await first.post<Case>('/admin/cases', { targetType: 'user', targetId: 'alice', note: 'A hint' })
    expect(opened).toMatchObject({ status: 201, body: { source: 'staff', category: 'other' } })
    const { id } = opened.body
    expect(await first.post('/admin/cases', { targetType: 'stone', targetId: 'x' })).toFailWith(422, 'report_target')
    expect(await first.post(`/admin/cases/${id}/proposals`, { actions: ['ban'], reason: 'x' })).toMatchObject({
      status: 201,
    })
    const file = (await admin.get<Case>(`/admin/cases/${id}`)).body
    expect(await admin.post(`/admin/cases/${id}/proposals/${file.proposals[0]?.id}/decline`)).toMatchObject({
      body: { status: 'open' },
    })
    expect(await first.post(`/admin/cases/${id}/actions`, { actions: ['dismiss'] })).toMatchObject({
      body: { status: 'closed', outcome: 'dismissed' },
    })
    expect(await first.post(`/admin/cases/${id}/claim`)).toFailWith(409, 'case_closed')
    expect(await first.get(`/admin/cases/${UNKNOWN}`)).toFailWith(404, 'case_unknown')
  })

  test('cannot be closed through the routes of reports while somebody else has claimed it', async () => {
    const id = await reported('post', await publish(alice))
    const { items } = (await admin.get<{ items: { id: string; targetId: string }[] }>('/admin/reports?limit=1')).body
    const report = items[0]?.id
    expect(await second.post(`/admin/cases/${id}/claim`)).toMatchObject({ status: 200 })
    for (const verb of ['review', 'dismiss']) {
      expect(await first.post(`/admin/reports/${report}/${verb}`)).toFailWith(409, 'case_claimed')
    }
    expect(await admin.get(`/admin/cases/${id}`)).toMatchObject({ body: { status: 'open' } })
    expect(await second.post(`/admin/reports/${report}/dismiss`)).toMatchObject({ status: 200 })
    expect(await admin.get(`/admin/cases/${id}`)).toMatchObject({ body: { status: 'closed' } })
  })

  test('does not exist for members of staff who wrote the thing: the author, a co-author, and even an admin', async () => {
    type Page = { items: { id: string; targetId: string }[] }
    const post = await publish(first)
    const invited = await first.post<{ id: string }>(`/posts/${post}/co-authors`, { userId: 'milo', splitShare: 0 })
    expect(invited.status).toBe(201)
    const accepted = await second.post(`/posts/${post}/co-authors/${invited.body.id}/respond`, { accept: true })
    expect(accepted.status).toBe(200)
    const things = [
      { target: post, wrote: [first, second], works: admin },
      { target: await publish(admin), wrote: [admin], works: second },
    ]
    for (const { target, wrote, works } of things) {
      expect(await carla.post('/reports', { targetType: 'post', targetId: target, reason: 'Rude' })).toMatchObject({
        status: 201,
      })
      const found = async (who: typeof admin, path: string) =>
        (await who.get<Page>(`${path}&limit=50`)).body.items.find(({ targetId }) => targetId === target)?.id
      const id = await found(works, '/admin/cases?status=open')
      const report = await found(works, `/admin/reports?q=${target}`)
      expect(await works.get(`/admin/reports/${report}`)).toMatchObject({ status: 200 })
      for (const who of wrote) {
        expect(await found(who, '/admin/cases?status=open')).toBeUndefined()
        expect(await found(who, `/admin/cases?q=${id}`)).toBeUndefined()
        expect(await found(who, '/admin/reports?status=open')).toBeUndefined()
        expect(await found(who, `/admin/reports?q=${target}`)).toBeUndefined()
        expect(await who.get(`/admin/cases/${id}`)).toFailWith(404, 'case_unknown')
        expect(await who.get(`/admin/reports/${report}`)).toFailWith(404, 'report_unknown')
        expect(await who.post(`/admin/cases/${id}/claim`)).toFailWith(404, 'case_unknown')
        expect(await who.post(`/admin/cases/${id}/actions`, { actions: ['dismiss'] })).toFailWith(404, 'case_unknown')
        expect(await who.post(`/admin/reports/${report}/dismiss`)).toFailWith(404, 'report_unknown')
        const opened = await who.post('/admin/cases', { targetType: 'post', targetId: target })
        expect(opened).toFailWith(403, 'case_own')
      }
      expect(await works.post(`/admin/cases/${id}/actions`, { actions: ['dismiss'] })).toMatchObject({ status: 200 })
    }
  })

  test('is followed by an appeal, which a member of staff who wrote the thing neither finds nor resolves', async () => {
    const post = await publish(first)
    expect(await admin.post(`/admin/posts/${post}/hide`, { reason: 'Rude' })).toMatchObject({ status: 200 })
    const { decisions } = (await first.get<Standing>('/me/standing')).body
    expect(await first.post(`/me/standing/${decisions[0]?.id}/appeal`, { text: 'A quote' })).toMatchObject({
      status: 201,
    })
    const list = '/admin/appeals?status=pending'
    const appeals = async (who: typeof admin) =>
      (await who.get<{ items: { id: string }[] }>(list)).body.items.map(({ id }) => id)
    const [appeal, ...others] = await appeals(second)
    expect(await appeals(first)).toEqual(others)
    const verdict = { verdict: 'overturn', answer: 'Read again' }
    expect(await first.post(`/admin/appeals/${appeal}/resolve`, verdict)).toFailWith(404, 'appeal_unknown')
    expect(await second.post(`/admin/appeals/${appeal}/resolve`, verdict)).toMatchObject({ status: 200 })
  })
})
