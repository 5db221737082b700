// Rules that look for a file: a picture that staff has seen in a case is uploaded again, and a live rule hides it.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { png } from '../../support/files.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'kith-hashes-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
const { alice, bob, admin, database, url } = await world({ people: ['alice', 'bob'], env: { DATA_DIR } })
const { owner } = database
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const other = Uint8Array.from([...png, 7])

async function upload(person: Person, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const announced = { kind: 'image', contentType: 'image/png', size: bytes.length }
  const { body } = await person.post<{ assetId: string; uploadUrl: string }>('/media/presign', announced)
  const { pathname, search } = new URL(body.uploadUrl)
  const sent = await fetch(new URL(pathname + search, url), {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: bytes,
  })
  expect(sent.status).toBe(200)
  expect(await person.post(`/media/${body.assetId}/commit`)).toMatchObject({ status: 200 })
  return body.assetId
}
async function show(person: Person, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const media = [{ assetId: await upload(person, bytes) }]
  const { status, body, text } = await person.post<{ id: string }>('/posts', { format: 'photo', body: 'Look', media })
  expect(status, text).toBe(201)
  return body.id
}

test('A rule for a picture of a case finds it in earlier and in new posts: in shadow, in a replay and live', async () => {
  const [first, harmless] = [await show(alice, png), await show(alice, other)]
  await applyEffects(owner) // the rule does not exist yet, so only a replay finds these posts
  const { body: opened } = await admin.post<{ id: string }>('/admin/cases', { targetType: 'post', targetId: first })
  const { body: file } = await admin.get<{ media: { sha256: string }[] }>(`/admin/cases/${opened.id}`)
  expect(file.media).toEqual([{ url: expect.any(String), sha256: sha256(png) }])
  const rule = {
    name: 'This picture',
    conditions: [{ kind: 'media', hashes: [sha256(png)] }],
    appliesTo: ['post'],
    action: 'hide',
  }
  const { body: made, text } = await admin.post<{ id: string }>('/admin/rules', rule)
  expect(made, text).toMatchObject({ conditions: rule.conditions, mode: 'shadow' })
  const hits = async () => {
    await applyEffects(owner)
    const rows = await owner<{ id: string }[]>`select target_id as id from app.rule_hits where rule_id = ${made.id}`
    return rows.map(({ id }) => id)
  }
  const [again] = [await show(bob, png), await show(bob, other)]
  expect(await hits()).toEqual([again])
  const { body: replay } = await admin.post<{ sample: { targetId: string }[] }>(`/admin/rules/${made.id}/replay`, {})
  expect(replay.sample.map(({ targetId }) => targetId)).toEqual([again, first])
  expect(await admin.patch(`/admin/rules/${made.id}`, { mode: 'live' })).toMatchObject({ status: 200 })
  const held = await show(bob, png)
  expect(await bob.get(`/posts/${held}`)).toMatchObject({ status: 200 })
  expect(await alice.get(`/posts/${held}`)).toFailWith(404, 'post_unknown')
  expect(await bob.get(`/posts/${harmless}`)).toMatchObject({ status: 200 })
  // an edit that adds the picture
  const edited = await show(bob, other)
  const media = [{ assetId: await upload(bob, png) }]
  expect(await bob.patch(`/posts/${edited}`, { media })).toMatchObject({ status: 200 })
  expect(await alice.get(`/posts/${edited}`)).toFailWith(404, 'post_unknown')
})

test('Nobody but staff reads a hash', async () => {
  const assetId = await upload(alice, png)
  const post = await show(alice, png)
  for (const path of [`/posts/${post}`, '/feed', '/me/standing', '/me/export'])
    expect((await alice.get(path)).text).not.toContain(sha256(png))
  expect((await alice.post(`/media/${assetId}/commit`)).text).not.toContain(sha256(png))
})

test.each([[[]], [['abc']], [[sha256(png), 7]], [Array.from({ length: 101 }, (_, n) => sha256(Uint8Array.of(n)))]])(
  "A rule can't look for the hashes %j",
  async (hashes) => {
    const rule = { name: 'x', conditions: [{ kind: 'media', hashes }], appliesTo: ['post'], action: 'case' }
    expect(await admin.post('/admin/rules', rule)).toFailWith(422, 'validation_failed')
  },
)
