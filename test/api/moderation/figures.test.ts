// The figures of a year for a transparency report, as JSON and as CSV.
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { world } from '../../support/world.ts'

type Figure = {
  indicator: string
  category: string | null
  action: string | null
  decidedBy: string | null
  automated: boolean | null
  value: number
}

const { admin, alice, bob, carla, nobody, database } = await world()
const { owner } = database
const year = new Date().getUTCFullYear()
const path = `/admin/transparency/${year}`

const byStaff = { action: 'hide', decidedBy: 'staff', automated: false }

test('A year in which nothing happened has no figures', async () => {
  expect((await admin.get('/admin/transparency/2001')).body).toEqual({ year: 2001, isComplete: true, items: [] })
})

test('Reports, decisions and appeals of the year are counted by category, and the CSV has the same figures', async () => {
  const posts: string[] = []
  for (const body of ['One', 'Two']) posts.push((await alice.post<{ id: string }>('/posts', { body })).body.id)
  for (const person of [bob, carla])
    expect(
      await person.post('/reports', { targetType: 'post', targetId: posts[0], reason: 'Ads', category: 'spam' }),
    ).toMatchObject({ status: 201 })
  await bob.post('/reports', { targetType: 'post', targetId: posts[1], reason: 'No' })
  await admin.post(`/admin/posts/${posts[0]}/hide`, { reason: 'Ads.' })
  const { decisions } = (await alice.get<{ decisions: { id: string }[] }>('/me/standing')).body
  expect(await alice.post(`/me/standing/${decisions[0]?.id}/appeal`, { text: 'No ads.' })).toMatchObject({
    status: 201,
  })
  const { body } = await admin.get<{ items: Figure[] }>(path)
  expect(body).toMatchObject({ year, isComplete: true })
  expect(body.items).toEqual([
    { indicator: 'notices', category: 'other', action: null, decidedBy: null, automated: null, value: 1 },
    { indicator: 'notices', category: 'spam', action: null, decidedBy: null, automated: null, value: 2 },
    { indicator: 'decisions', category: 'spam', ...byStaff, value: 1 },
    { indicator: 'appeals_pending', category: 'spam', ...byStaff, value: 1 },
  ])
  const { text, headers } = await admin.get(path, { Accept: 'text/csv' })
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  const rows = parse<Record<string, string>>(text, { bom: true, columns: true, record_delimiter: '\r\n' })
  expect(rows.map(({ indicator, category, value }) => `${indicator} ${category} ${value}`)).toEqual([
    'notices other 1',
    'notices spam 2',
    'decisions spam 1',
    'appeals_pending spam 1',
  ])
})

test('The decisions of spaces and of rules are counted separately from those of staff', async () => {
  const decisions = async () => {
    const { items } = (await admin.get<{ items: Figure[] }>(path)).body
    const line = ({ indicator, decidedBy, automated, value }: Figure) =>
      `${indicator} ${decidedBy} ${automated} ${value > 0 && indicator === 'median_hours' ? 'hours' : value}`
    return items.filter(({ decidedBy }) => decidedBy).map(line)
  }
  expect(await decisions()).toEqual(['decisions staff false 1', 'appeals_pending staff false 1'])
  await owner`update app.users set role = 'admin' where username = 'alice'`
  const founder = await alice.login()
  const [interest] = await owner`select id from app.interests where level = 3 order by slug limit 1`
  const made = await founder.post<{ id: string }>('/groups', { name: 'Club', interestId: interest?.id })
  expect(made).toMatchObject({ status: 201 })
  const groupId = made.body.id
  for (const one of [bob, carla]) expect(await one.post(`/groups/${groupId}/join`)).toMatchObject({ status: 200 })
  for (const category of ['spam', 'other']) {
    const targetId = (await bob.post<{ id: string }>('/posts', { body: 'Buy', groupId })).body.id
    await carla.post('/reports', { targetType: 'post', targetId, reason: 'Ads', category })
  }
  const reports = `/groups/${groupId}/reports`
  const [newest, older] = (await founder.get<{ items: { id: string }[] }>(reports)).body.items
  await owner`update app.cases set opened_at = opened_at - interval '2 hours' where id in (${newest?.id ?? ''}, ${older?.id ?? ''})`
  expect(await founder.post(`${reports}/${newest?.id}/hide`, { reason: 'Ads' })).toMatchObject({ status: 200 })
  expect(await founder.post(`${reports}/${older?.id}/dismiss`)).toMatchObject({ status: 200 })
  expect(await decisions()).toEqual([
    'decisions space false 1',
    'decisions staff false 1',
    'appeals_pending staff false 1',
    'median_hours space null hours',
  ])

  // Staff closes a case that still belongs to a space. One decision is changed into a decision by a rule.
  const targetId = (await bob.post<{ id: string }>('/posts', { body: 'Buy again', groupId })).body.id
  await carla.post('/reports', { targetType: 'post', targetId, reason: 'Ads', category: 'spam' })
  const [waiting] = (await admin.get<{ items: { id: string }[] }>('/admin/cases?waiting=true')).body.items
  expect(await admin.post(`/admin/cases/${waiting?.id}/actions`, { actions: ['dismiss'] })).toMatchObject({
    status: 200,
  })
  await owner`update app.decisions set decided_by = null where space_id is null`
  expect((await decisions()).map((one) => one.replace(/\d$/, 'n'))).toEqual([
    'decisions space false n',
    'decisions rule true n',
    'appeals_pending rule true n',
    'median_hours space null hours',
    'median_hours staff null n',
  ])
})

test('Only admins get the figures', async () => {
  expect(await bob.get(path)).toFailWith(403, 'role_required')
  expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  for (const wrong of ['1999', '3000', 'x']) {
    expect(await admin.get(`/admin/transparency/${wrong}`)).toFailWith(422, 'validation_failed')
  }
})
