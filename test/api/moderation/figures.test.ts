// The figures of a year for a transparency report, as JSON and as CSV.
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { world } from '../../support/world.ts'

type Figure = {
  indicator: string
  category: string | null
  action: string | null
  automated: boolean | null
  value: number
}

const { admin, alice, bob, carla, nobody } = await world()
const year = new Date().getUTCFullYear()
const path = `/admin/transparency/${year}`

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
    { indicator: 'notices', category: 'other', action: null, automated: null, value: 1 },
    { indicator: 'notices', category: 'spam', action: null, automated: null, value: 2 },
    { indicator: 'decisions', category: 'spam', action: 'hide', automated: false, value: 1 },
    { indicator: 'appeals_pending', category: 'spam', action: 'hide', automated: false, value: 1 },
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

test('Only admins get them', async () => {
  expect(await alice.get(path)).toFailWith(403, 'role_required')
  expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  for (const wrong of ['1999', '3000', 'x']) {
    expect(await admin.get(`/admin/transparency/${wrong}`)).toFailWith(422, 'validation_failed')
  }
})
