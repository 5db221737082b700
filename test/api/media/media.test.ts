// Media with local storage for development: announcing, uploading, committing, serving. Also generated avatars.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { openFunctions } from '../../../api-facade/lib/functions.ts'
import { createLog, openTracing } from '../../../api-facade/lib/log.ts'
import { createSeals } from '../../../api-facade/lib/seals.ts'
import { startServer } from '../../../api-facade/server.ts'
import { isThatType, typeOf } from '../../../edge-functions/media/types.ts'
import { files, picture, png } from '../../support/files.ts'
import { Person } from '../../support/person.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'kith-media-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
const { alice, bob, nobody, admin, database, url, stack } = await world({ people: ['alice', 'bob'], env: { DATA_DIR } })
const { owner } = database

type Upload = {
  assetId: string
  uploadUrl: string
  publicUrl: string
  expiresAt: string
  headers: Record<string, string>
}
type Asset = { assetId: string; status: string; publicUrl: string; committedAt: string | null }
const unknown = { width: null, height: null, blurhash: null, posterUrl: null }
const UNKNOWN = '3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10'

/** The same path at the facade under test, because the public URL has another port. */
const here = (address: string) => new URL(new URL(address).pathname + new URL(address).search, url).href
const image = (size = png.length, contentType = 'image/png', kind = 'image') => ({ kind, contentType, size })
const announce = async (person: Person, body: object = image()) =>
  (await person.post<Upload>('/media/presign', body)).body
const put = ({ uploadUrl, headers }: Upload, bytes: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
  fetch(here(uploadUrl), {
    method: 'PUT',
    headers: { 'content-type': headers['Content-Type'] ?? '', ...more },
    body: bytes,
  })
async function upload(person: Person, bytes = png, contentType = 'image/png', kind = 'image') {
  const announced = await announce(person, image(bytes.length, contentType, kind))
  expect((await put(announced, bytes)).status).toBe(200)
  return announced
}
const commit = (person: Person, { assetId }: { assetId: string }) => person.post<Asset>(`/media/${assetId}/commit`)

describe('An upload', () => {
  test('is announced, sent and committed, and then public', async () => {
    const announced = await announce(alice)
    expect(announced).toEqual({
      assetId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      uploadUrl: expect.stringContaining(`/api/v1/media/local/${announced.assetId}?token=`),
      publicUrl: expect.stringContaining(`/api/v1/media/local/${announced.assetId}`),
      expiresAt: expect.stringMatching(/^20\d\d-.*Z$/),
      headers: { 'Content-Type': 'image/png', 'Content-Length': String(png.length) },
    })
    expect(await commit(alice, announced)).toFailWith(422, 'asset_missing')
    expect((await put(announced, png)).status).toBe(200)
    expect((await fetch(here(announced.publicUrl))).status).toBe(404)
    expect(await commit(bob, announced)).toFailWith(404, 'asset_unknown')
    const { status, body } = await commit(alice, announced)
    expect([status, body]).toEqual([
      200,
      {
        assetId: announced.assetId,
        kind: 'image',
        contentType: 'image/png',
        size: png.length,
        key: announced.assetId,
        status: 'committed',
        publicUrl: announced.publicUrl,
        partSize: null,
        alt: null,
        ...unknown,
        createdAt: expect.any(String),
        committedAt: expect.any(String),
      },
    ])
    expect(await commit(alice, announced)).toMatchObject({ status: 200, body })
    const served = await fetch(here(announced.publicUrl))
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(png)
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': 'inline',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  test('can be committed by several concurrent requests, as from a client that retries', async () => {
    for (let n = 0; n < 5; n++) {
      const announced = await upload(alice)
      const answers = await Promise.all(Array.from({ length: 6 }, () => commit(alice, announced)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    }
  })

  test('can be announced and committed at the alias paths', async () => {
    const { status, body } = await alice.post<{ uploadUrl: string; key: string }>('/media/upload', image())
    expect([status, Object.keys(body)]).toEqual([201, ['uploadUrl', 'key']])
    const { key, uploadUrl } = body
    await put({ uploadUrl, headers: { 'Content-Type': 'image/png' } } as unknown as Upload, png)
    expect(await bob.post('/media/commit', { key })).toFailWith(404, 'asset_unknown')
    expect(await alice.post('/media/commit', { key })).toMatchObject({ status: 200, body: { assetId: key } })
    expect(await alice.post('/media/commit', {})).toFailWith(422, 'validation_failed')
  })

  test.each(Object.entries(files))(
    'of type %s is recognized by its first bytes, and as no other type',
    async (type, bytes) => {
      expect(isThatType(type, typeOf(bytes))).toBe(true)
      const sound: Record<string, string> = {
        'audio/webm': 'video/webm',
        'video/webm': 'audio/webm',
        'video/mp4': 'audio/mp4',
      }
      const others = Object.keys(files).filter((other) => other !== type && isThatType(other, typeOf(bytes)))
      expect(others).toEqual(sound[type] ? [sound[type]] : [])
    },
  )

  test('can have every registered type and no other, up to the size of its kind', async () => {
    const kinds = await owner<{ kind: string; types: string[]; most: number }[]>`
      select kind, types, max_size::int as most from private.media_kinds`
    expect(new Set(kinds.flatMap(({ types }) => types))).toEqual(new Set(Object.keys(files)))
    const { description = '' } =
      (await nobody.get<{ paths: Record<string, { post: { description?: string } }> }>('//openapi.json')).body.paths[
        '/api/v1/media/presign'
      ]?.post ?? {}
    for (const { kind, types, most } of kinds) {
      expect(description).toContain(`\`${kind}\``)
      expect(description).toContain(`${most / 1024 / 1024} MiB`)
      for (const type of types)
        expect(await alice.post('/media/presign', image(most, type, kind))).toMatchObject({ status: 201 })
      expect(await alice.post('/media/presign', image(most + 1, types[0], kind))).toFailWith(422, 'media_size')
    }
    for (const type of ['image/svg+xml', 'text/html', 'image/png; a=b', 'video/mp4', ''])
      expect(await alice.post('/media/presign', image(10, type))).toFailWith(422, 'media_type')
    expect(await alice.post('/media/presign', image(0))).toFailWith(422, 'media_size')
    expect(await alice.post('/media/presign', { ...image(), kind: 'script' })).toFailWith(422, 'validation_failed')
    expect(await nobody.post('/media/presign', image())).toFailWith(401, 'token_missing')
    expect(await nobody.post(`/media/${UNKNOWN}/commit`)).toFailWith(401, 'token_missing')
    expect(await alice.post(`/media/${UNKNOWN}/commit`)).toFailWith(404, 'asset_unknown')
  })

  test('whose content differs from what was announced is rejected and deleted, and can be sent again', async () => {
    const announced = await announce(alice)
    const page = new TextEncoder().encode('<html>'.padEnd(png.length))
    expect((await put(announced, page)).status).toBe(200)
    expect(await commit(alice, announced)).toFailWith(422, 'asset_unfit')
    expect(await commit(alice, announced)).toFailWith(422, 'asset_missing')
    expect((await put(announced, png)).status).toBe(200)
    expect(await commit(alice, announced)).toMatchObject({ status: 200 })
  })

  test('is limited by pending uploads, by the quota and by the hour', async () => {
    await owner`update app.media_assets set expires_at = now() where status = 'pending'`
    await owner`insert into app.media_assets (owner_id, kind, content_type, size, bucket, key)
                select ${bob.id}, 'image', 'image/png', 1, 'local', gen_random_uuid() from generate_series(1, 48)`
    const asked = await Promise.all(Array.from({ length: 5 }, () => bob.post('/media/presign', image())))
    expect(asked.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
    expect(await bob.post('/media/presign', image())).toFailWith(409, 'assets_exhausted')
    // three old uploads can be replaced; the quota leaves room for two more
    const given = await owner<{ id: string }[]>`
      update app.media_assets set created_at = now() - interval '16 minutes' where id in (
        select id from app.media_assets where owner_id = ${bob.id} and size = 1 limit 3) returning id`
    await owner`update app.settings set value = (select sum(size) + 2 * ${png.length - 1}::int from app.media_assets
                where owner_id = ${bob.id}) where key = 'media_quota'`
    const again = await Promise.all(Array.from({ length: 4 }, () => bob.post('/media/presign', image())))
    expect(again.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
    expect(again.map(({ headers }) => headers.get('x-error-code'))).toContain('media_quota_exceeded')
    const left = await owner`select from app.media_assets where id = any (${given.map(({ id }) => id)})`
    expect(left).toHaveLength(1)
    const answers = await Promise.all(given.map(({ id: assetId }) => commit(bob, { assetId })))
    expect(answers.map(({ status }) => status).sort()).toEqual([404, 404, 422])
    await owner`update app.settings set value = '5368709120' where key = 'media_quota'`
    await owner`update app.media_assets set created_at = now() - interval '16 minutes' where owner_id = ${bob.id}`
    await owner`update app.settings set value = '0.01' where key = 'rate_limit_scale'`
    const late = await bob.post('/media/presign', image(100 * 1024 * 1024, 'video/mp4', 'video'))
    expect(late).toFailWith(429, 'writes_exceeded')
    await owner`update app.settings set value = '1000000' where key = 'rate_limit_scale'`
  })

  test('cannot be committed by .rpc(), nor be seen by another person', async () => {
    const { assetId } = await upload(alice)
    const rpc = (person: Person, name: string, body: object) =>
      fetch(`${stack.url}/rest/v1/rpc/${name}`, {
        method: 'POST',
        headers: { apikey: stack.anonKey, authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await rpc(alice, 'commit_asset', { p_asset_id: assetId, p_mime_type: 'image/png' })).status).toBe(403)
    expect((await rpc(bob, 'get_asset', { p_asset_id: assetId })).status).toBe(404)
    expect((await rpc(alice, 'get_asset', { p_asset_id: assetId })).status).toBe(200)
  })
})

test('A committed asset can be used in its owner’s posts, is shown by its address, and is exported', async () => {
  const { assetId, publicUrl } = await upload(alice)
  const media = [{ assetId, alt: 'A cat' }]
  expect(await alice.post('/posts', { format: 'photo', media })).toFailWith(422, 'asset_pending')
  await commit(alice, { assetId })
  expect(await bob.post('/posts', { format: 'photo', media })).toFailWith(404, 'asset_unknown')
  expect(await bob.post('/posts', { format: 'photo', media: [{ url: publicUrl }] })).toFailWith(422, 'media_url')
  expect(await alice.post('/posts', { format: 'video', media })).toFailWith(422, 'asset_kind')
  const { status, body } = await alice.post<{ id: string }>('/posts', { format: 'photo', media })
  expect([status, body]).toMatchObject([201, { media: [{ url: publicUrl, alt: 'A cat' }] }])
  expect((await bob.get<{ media: object[] }>(`/posts/${body.id}`)).body.media).toEqual([
    { url: publicUrl, alt: 'A cat', ...unknown },
  ])
  const described = await announce(alice, { ...image(), alt: ' A cat ' })
  await put(described, png)
  expect(await commit(alice, described)).toMatchObject({ status: 200, body: { alt: 'A cat' } })
  const altOf = async (item: object) => {
    const { body } = await alice.post<{ media: { alt: string | null }[] }>('/posts', { body: 'Look', media: [item] })
    return body.media[0]?.alt
  }
  expect(await altOf({ assetId: described.assetId })).toBe('A cat')
  expect(await altOf({ url: described.publicUrl })).toBe('A cat')
  expect(await altOf({ assetId: described.assetId, alt: 'Our cat' })).toBe('Our cat')
  expect(await altOf({ assetId: described.assetId, alt: '' })).toBe(null)
  expect(await altOf({ assetId: described.assetId, alt: null })).toBe(null)
  expect(await alice.post('/media/presign', { ...image(), alt: 'é'.repeat(1001) })).toFailWith(422, 'alt_text')
  expect(await alice.post('/media/presign', { ...image(), alt: '\u202e' })).toFailWith(422, 'text_unfit')
  const { mediaAssets } = (await alice.get<{ mediaAssets: { id: string }[] }>('/me/export')).body
  expect(mediaAssets).toContainEqual(expect.objectContaining({ id: assetId, ownerId: alice.id, mimeType: 'image/png' }))
})

test('A picture has the dimensions that its file states, and the blurhash that the client announced', async () => {
  const about = { width: 9, height: 9, blurhash: 'LEHV6nWB2yk8pyo0adR*.7kCMdnj' }
  const bytes = picture(640, 480)
  const announced = await announce(alice, { ...image(bytes.length), ...about })
  await put(announced, bytes)
  const expected = { width: 640, height: 480, blurhash: about.blurhash }
  expect(await commit(alice, announced)).toMatchObject({ status: 200, body: expected })
  expect(await commit(alice, announced)).toMatchObject({ status: 200, body: expected })
  const { assetId, publicUrl } = announced
  const { body } = await alice.post<{ id: string }>('/posts', { format: 'photo', media: [{ assetId }] })
  expect((await bob.get<{ media: object[] }>(`/posts/${body.id}`)).body.media).toEqual([
    { url: publicUrl, alt: null, posterUrl: null, ...expected },
  ])
  const film = await announce(alice, { ...image(files['video/mp4']?.length, 'video/mp4', 'video'), ...about })
  await put(film, files['video/mp4'] as Uint8Array<ArrayBuffer>)
  expect(await commit(alice, film)).toMatchObject({ status: 200, body: about })
  for (const wrong of [
    { width: 0, height: 1 },
    { width: 1.5, height: 1 },
    { height: 65_536, width: 1 },
    { width: '1' },
  ])
    expect(await alice.post('/media/presign', { ...image(), ...wrong })).toFailWith(422, 'validation_failed')
  expect(await alice.post('/media/presign', { ...image(), width: 1 })).toFailWith(422, 'asset_dimensions')
  expect(await alice.post('/media/presign', { ...image(), blurhash: 'LEHV6' })).toFailWith(422, 'blurhash')
  expect(await alice.post('/media/presign', { ...image(1, 'audio/mpeg', 'audio'), width: 1, height: 1 })).toFailWith(
    422,
    'asset_dimensions',
  )
})

describe('The poster of a video', async () => {
  const circle = (await alice.post<{ id: string }>('/circles', { name: 'Friends' })).body.id
  await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
  const clip = image(files['video/mp4']?.length, 'video/mp4', 'video')
  const withPoster = (posterId: string, asset: object = clip) =>
    alice.post<Upload>('/media/presign', { ...asset, posterId })
  async function still(person = alice, kind = 'image') {
    const announced = await upload(person, png, 'image/png', kind)
    await commit(person, announced)
    return announced
  }
  const about = { alt: 'A lake', width: 640, height: 360, blurhash: 'LEHV6nWB2yk8pyo0adR*.7kCMdnj' }
  async function film(poster: Upload) {
    const announced = (await withPoster(poster.assetId, { ...clip, ...about })).body
    await put(announced, files['video/mp4'] as Uint8Array<ArrayBuffer>)
    expect(await commit(alice, announced)).toMatchObject({ status: 200, body: { posterUrl: poster.publicUrl } })
    return announced
  }
  const post = async (media: object) => {
    const { id } = (await alice.post<{ id: string }>('/posts', { format: 'video', media: [media] })).body
    return (await bob.get<{ media: object[] }>(`/posts/${id}`)).body.media
  }
  const send = async (assetId: string) => {
    const talk = await alice.post<{ id: string }>('/conversations', {
      kind: 'group',
      memberIds: ['bob'],
      title: 'Films',
    })
    const fields = { body: 'Look', assetId, clientId: crypto.randomUUID() }
    const { id } = (await alice.post<{ id: string }>(`/conversations/${talk.body.id}/messages`, fields)).body
    return async () => (await bob.get<{ attachment: object }>(`/messages/${id}`)).body.attachment
  }

  test('is a committed picture of the same person', async () => {
    const poster = await upload(alice)
    expect(await withPoster(poster.assetId)).toFailWith(422, 'asset_poster')
    await commit(alice, poster)
    expect((await withPoster(poster.assetId)).status).toBe(201)
    expect(await alice.post('/media/multipart', { ...clip, posterId: UNKNOWN })).toFailWith(422, 'asset_poster')
    for (const wrong of [await still(bob), await still(alice, 'avatar'), await film(poster), { assetId: UNKNOWN }])
      expect(await withPoster(wrong.assetId)).toFailWith(422, 'asset_poster')
    expect(await withPoster('x')).toFailWith(422, 'validation_failed')
    expect(await withPoster(poster.assetId, image())).toFailWith(422, 'asset_poster')
    const key = { 'idempotency-key': 'the film and its poster' }
    const keyed = () => alice.post<Upload>('/media/presign', { ...clip, posterId: poster.assetId }, key)
    expect((await keyed()).body.assetId).toBe((await keyed()).body.assetId)
    expect(await alice.post('/media/presign', clip, key)).toFailWith(422, 'idempotency_key_reused')
  })

  test('is shown wherever the video is', async () => {
    const poster = await still()
    const { assetId, publicUrl } = await film(poster)
    const posterUrl = poster.publicUrl
    const shown = { url: publicUrl, ...about, posterUrl }
    expect(await post({ assetId })).toEqual([shown])
    expect(await post({ url: publicUrl, posterUrl: 'https://example.org/other.png' })).toEqual([shown])
    const attached = { assetId, contentType: 'video/mp4', ...shown }
    expect(await (await send(assetId))()).toEqual(attached)

    const course = (await alice.post<{ id: string }>('/courses', { title: 'Films', summary: 'All.', depth: 0 })).body.id
    const lesson = await alice.post(`/courses/${course}/lessons`, { title: 'One', body: 'Look.', assetId })
    expect(lesson).toMatchObject({ status: 201, body: { asset: attached } })

    const offering = { title: 'A film', description: 'Of you.', priceMana: 5, deliveryDays: 7 }
    const { id } = (await alice.post<{ id: string }>('/economy/market/offerings', offering)).body
    type Placed = { order: { id: string } }
    const { order } = (await bob.post<Placed>(`/economy/market/offerings/${id}/orders`, { expectedPrice: 5 })).body
    const at = `/economy/market/orders/${order.id}`
    expect((await alice.post(`${at}/accept`)).status).toBe(200)
    expect((await alice.post(`${at}/deliver`, { deliveryNote: 'Here.', assetId })).status).toBe(200)
    expect(JSON.stringify((await bob.get(at)).body)).toContain(JSON.stringify(posterUrl))

    const thumbnailOf = async (fields: object) =>
      (await alice.post<{ thumbnailUrl: string | null }>('/videos', { mediaUrl: publicUrl, ...fields })).body
        .thumbnailUrl
    expect(await thumbnailOf({})).toBe(posterUrl)
    expect(await thumbnailOf({ thumbnailUrl: null })).toBe(posterUrl)
    expect(await thumbnailOf({ thumbnailUrl: 'https://example.org/own.png' })).toBe('https://example.org/own.png')
    expect(await thumbnailOf({ mediaUrl: 'https://example.org/a.mp4' })).toBe(null)

    const { mediaAssets } = (await alice.get<{ mediaAssets: { id: string }[] }>('/me/export')).body
    expect(mediaAssets).toContainEqual(expect.objectContaining({ id: assetId, posterId: poster.assetId }))
  })

  test('is hidden from staff if the video was sent in a message', async () => {
    const [open, secret] = [await still(), await still()]
    await film(open)
    const sent = await film(secret)
    type Row = { id: string; posterUrl: string | null }
    const listed = async () =>
      (await admin.get<{ items: Row[] }>('/admin/media?limit=50&ownerId=alice&status=committed')).body.items
    const before = await listed()
    expect(before.find(({ posterUrl }) => posterUrl === open.publicUrl)).toBeDefined()
    expect(before.map(({ id }) => id)).toEqual(expect.arrayContaining([sent.assetId, open.assetId, secret.assetId]))
    await send(sent.assetId)
    const hidden = [sent.assetId, secret.assetId]
    expect(await listed()).toEqual(before.filter(({ id }) => !hidden.includes(id)))
  })

  test('is kept like every committed asset, and a video whose poster is deleted has none', async () => {
    const poster = await still()
    const { assetId } = await film(poster)
    const attachment = await send(assetId)
    expect(await alice.delete(`/media/${poster.assetId}`)).toFailWith(409, 'asset_committed')
    expect(await attachment()).toMatchObject({ posterUrl: poster.publicUrl })
    await owner`delete from app.media_assets where id = ${poster.assetId}`
    expect(await attachment()).toMatchObject({ assetId, posterUrl: null })
    expect(await commit(alice, { assetId })).toMatchObject({ status: 200, body: { posterUrl: null } })
  })
})

describe('The address of an asset', async () => {
  const asset = async (person: Person, isCommitted = true) => {
    const announced = await upload(person)
    if (isCommitted) await commit(person, announced)
    return announced.publicUrl
  }
  const spellings = (url: string) => [
    url,
    url.replace('http://', 'HTTP://'),
    url.replace('/media/local/', '/media//local/./'),
    url.replace('/media/local/', '/storage/v1/object/kith/'),
    `https://elsewhere.example.org/?url=${encodeURIComponent(url).replaceAll('-', '%2D')}`,
  ]
  const persona = (await alice.post<{ id: string }>('/me/personas', { name: 'Painter' })).body.id
  const uses: [string, (url: string) => Promise<{ status: number; text: string }>][] = [
    ['a profile', (url) => alice.patch('/me', { profilePicUrl: url })],
    ['a persona', (url) => alice.patch(`/me/personas/${persona}`, { profilePicUrl: url })],
    ['a thumbnail', (url) => alice.post('/videos', { mediaUrl: 'https://cdn.example.org/a.mp4', thumbnailUrl: url })],
    ['a post', (url) => alice.post('/posts', { body: 'Look', media: [{ url }] })],
  ]

  test.each(uses)('is accepted from its owner for %s, and stored as its public address', async (_what, use) => {
    const url = await asset(alice)
    for (const spelling of spellings(url)) {
      const { status, text } = await use(spelling)
      expect([spelling, Math.floor(status / 100)]).toEqual([spelling, 2])
      expect(text).toContain(`"${url}"`)
    }
  })

  test.each(uses)('is rejected for %s if the asset is another person’s or not committed', async (_what, use) => {
    for (const url of [await asset(bob), await asset(alice, false)])
      for (const spelling of spellings(url)) expect(await use(spelling)).toFailWith(422, 'media_url')
  })

  test('is rejected for a new persona’s picture if the asset is another person’s', async () => {
    const profilePicUrl = await asset(bob)
    expect(await alice.post('/me/personas', { name: 'Thief', profilePicUrl })).toFailWith(422, 'media_url')
  })

  test('outside the instance is accepted if its host is in MEDIA_HOSTS', async () => {
    const hosts = (more: Record<string, string>) => readConfig(environment(database.url, more)).mediaHosts
    expect(hosts({})).toContain('*')
    const named = { MEDIA_HOSTS: 'CDN.example.org, *.example.net', FACADE_URL: 'https://kith.example.org' }
    expect(hosts(named)).toEqual(['cdn.example.org', '*.example.net', 'kith.example.org'])
    expect(() => hosts({ MEDIA_HOSTS: 'https://cdn.example.org' })).toThrow('MEDIA_HOSTS')
    await owner`update app.settings set value = ${hosts(named).join(' ')} where key = 'media_hosts'`
    for (const [, use] of uses) {
      expect(await use('https://elsewhere.example.org/a.png')).toFailWith(422, 'media_url')
      expect(Math.floor((await use('https://cdn.example.org/a.png')).status / 100)).toBe(2)
    }
    await owner`update app.settings set value = '*' where key = 'media_hosts'`
  })
})

describe('Local storage', () => {
  const seal = (id: string, holder: string, seconds = 60) =>
    createSeals([JWT_SECRET]).seal('upload', { id, generation: Math.floor(Date.now() / 1000) + seconds }, holder)
  test('accepts a file in parts, each as it was announced', async () => {
    type Part = { number: number; size: number; arrived: boolean; uploadUrl: string; headers: Record<string, string> }
    type Parted = { assetId: string; publicUrl: string; partSize: number; parts: Part[] }
    const film = new Uint8Array(9 * 1024 * 1024).map((_, i) => i % 249)
    film.set(files['video/mp4'] as Uint8Array)
    const clip = image(film.length, 'video/mp4', 'video')
    const key = { 'idempotency-key': 'one film' }
    const upload = (await alice.post<Parted>('/media/multipart', clip, key)).body
    const { assetId, publicUrl, partSize, parts } = upload
    expect(await alice.post('/media/multipart', clip, key)).toMatchObject({ status: 201, body: { assetId } })
    expect(await alice.post('/media/presign', clip, key)).toFailWith(422, 'idempotency_key_reused')
    expect(parts.map(({ size }) => size)).toEqual([partSize, film.length - partSize])
    const bytesOf = ({ number, size }: Part) => film.slice((number - 1) * partSize, (number - 1) * partSize + size)
    const send = (part: Part, bytes = bytesOf(part), uploadUrl = part.uploadUrl) =>
      fetch(here(uploadUrl), { method: 'PUT', body: bytes })
    const [first, last] = parts as [Part, Part]
    const refused = async (answer: Promise<Response>) =>
      expect([(await answer).status, (await answer).headers.get('x-error-code')]).toEqual([403, 'upload_refused'])
    await refused(send(last, bytesOf(last).slice(1)))
    await refused(send(last, bytesOf(first)))
    await refused(send(first, bytesOf(first), first.uploadUrl.replace('part=1', 'part=2')))
    await refused(send(last, bytesOf(last), last.uploadUrl.replace(/token=[^&]*/, 'token=x')))
    await refused(send(last, bytesOf(last), last.uploadUrl.replace(/uploadId=[^&]*/, `uploadId=${UNKNOWN}`)))
    expect((await send(last)).status).toBe(200)
    expect(await commit(alice, upload)).toFailWith(422, 'asset_missing')
    expect(await bob.get(`/media/${assetId}/parts`)).toFailWith(404, 'asset_unknown')
    expect(await nobody.get(`/media/${assetId}/parts`)).toFailWith(401, 'token_missing')
    const left = (await alice.get<Parted>(`/media/${assetId}/parts`)).body.parts
    expect(left.map(({ arrived }) => arrived)).toEqual([false, true])
    expect((await send(left[0] as Part)).status).toBe(200)
    expect(await commit(bob, upload)).toFailWith(404, 'asset_unknown')
    expect(await commit(alice, upload)).toMatchObject({ status: 200, body: { status: 'committed', partSize } })
    const served = new Uint8Array(await (await fetch(here(publicUrl))).arrayBuffer())
    expect(Buffer.compare(served, film)).toBe(0)
    await refused(send(last))
    expect(await alice.get(`/media/${assetId}/parts`)).toFailWith(409, 'asset_committed')
    expect(await alice.delete(`/media/${assetId}`)).toFailWith(409, 'asset_committed')
    expect(readdirSync(join(DATA_DIR, 'media-parts'))).toEqual([])
  })

  test('keeps nothing of an upload that is aborted', async () => {
    expect(await nobody.post('/media/multipart', image())).toFailWith(401, 'token_missing')
    expect(await alice.post('/media/multipart', image(0))).toFailWith(422, 'media_size')
    expect(await alice.post('/media/multipart', image(10, 'text/html'))).toFailWith(422, 'media_type')
    const { assetId } = (await alice.post<Upload>('/media/multipart', image())).body
    expect(await nobody.delete(`/media/${assetId}`)).toFailWith(401, 'token_missing')
    expect(await bob.delete(`/media/${assetId}`)).toFailWith(404, 'asset_unknown')
    expect((await alice.delete(`/media/${assetId}`)).status).toBe(204)
    expect(await alice.delete(`/media/${assetId}`)).toFailWith(404, 'asset_unknown')
    const [queued] = await owner<{ key: string; id: string }[]>`
      select key, upload_id as id from private.pending_object_deletions where key = ${assetId}`
    expect(readdirSync(join(DATA_DIR, 'media-parts'))).toEqual([queued?.id])
    const config = readConfig(environment(database.url, { DATA_DIR }))
    const functions = openFunctions({
      config,
      jwtSecret: JWT_SECRET,
      log: createLog(config),
      tracing: openTracing(config, createLog(config)),
    })
    const job = { bucket: 'local', keys: [assetId], uploads: [], uploadIds: { [assetId]: queued?.id } }
    expect(await (await functions.invoke('media/delete', job)).json()).toEqual({ left: [] })
    expect(readdirSync(join(DATA_DIR, 'media-parts'))).toEqual([])
  })

  const send = (id: string, token: string, body: Uint8Array<ArrayBuffer> = png, type = 'image/png') =>
    fetch(`${url}/api/v1/media/local/${id}?token=${token}`, { method: 'PUT', headers: { 'content-type': type }, body })

  test('accepts exactly the upload that was announced', async () => {
    const holder = `image/png ${png.length}`
    const longer = Uint8Array.from([...png, 0])
    const refused = async (answer: Promise<Response>) =>
      expect([(await answer).status, (await answer).headers.get('x-error-code')]).toEqual([403, 'upload_refused'])
    expect((await send(UNKNOWN, seal(UNKNOWN, holder))).status).toBe(200)
    await refused(send(UNKNOWN, seal('3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f11', holder)))
    await refused(send(UNKNOWN, seal(UNKNOWN, holder, -1)))
    await refused(send(UNKNOWN, seal(UNKNOWN, holder), longer))
    await refused(send(UNKNOWN, seal(UNKNOWN, holder), png, 'text/html'))
    await refused(send(UNKNOWN, ''))
    const chunked = {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: new Blob([png]).stream(),
      duplex: 'half',
    }
    await refused(fetch(`${url}/api/v1/media/local/${UNKNOWN}?token=${seal(UNKNOWN, holder)}`, chunked as RequestInit))
    expect((await send('..%2f..%2fetc%2fpasswd', seal(UNKNOWN, holder))).status).toBe(422)
    const names = (folder: string) => readdirSync(join(DATA_DIR, folder))
    expect(names('media').filter((name) => !/^[0-9a-f-]{36}(\.type)?$/.test(name))).toEqual([])
    expect(names('media-uploads').filter((name) => !/^[0-9a-f-]{36}\.upload(\.type)?$/.test(name))).toEqual([])
  })

  test('accepts bodies far above BODY_LIMIT, and serves byte ranges', async () => {
    const film = new Uint8Array(3 * 1024 * 1024)
    film.set(files['video/mp4'] as Uint8Array)
    film.set([7, 8, 9], film.length - 3)
    const { assetId, publicUrl } = await upload(alice, film, 'video/mp4', 'video')
    expect(await commit(alice, { assetId })).toMatchObject({ status: 200 })
    const part = async (range: string) => {
      const answer = await fetch(here(publicUrl), { headers: { range } })
      return [answer.status, answer.headers.get('content-range'), (await answer.arrayBuffer()).byteLength]
    }
    expect(await part('bytes=-3')).toEqual([206, `bytes ${film.length - 3}-${film.length - 1}/${film.length}`, 3])
    expect(await part('bytes=0-99')).toEqual([206, `bytes 0-99/${film.length}`, 100])
    expect(await part(`bytes=${film.length}-`)).toEqual([200, null, film.length])
    expect(await part('bytes=9-2')).toEqual([200, null, film.length])
    const head = await fetch(here(publicUrl), { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(film.length)])
  })

  test('serves files other than pictures, videos and sound as downloads', async () => {
    const paper = files['application/pdf'] as Uint8Array<ArrayBuffer>
    const { assetId, publicUrl } = await upload(alice, paper, 'application/pdf', 'attachment')
    await commit(alice, { assetId })
    const served = await fetch(here(publicUrl))
    expect(served.headers.get('content-disposition')).toBe('attachment')
    const named = await fetch(`${here(publicUrl)}?download=${encodeURIComponent('a.html"\r\nx: y')}`)
    expect([named.headers.get('content-disposition'), named.headers.get('x')]).toEqual(['attachment', null])
    expect((await fetch(`${url}/api/v1/media/local/${UNKNOWN}`)).status).toBe(404)
    expect(await nobody.get('/media/local/nothing')).toFailWith(422, 'validation_failed')
  })

  test('does not exist in production, where nothing can be announced without a storage', async () => {
    const config = readConfig(environment(database.url, { DATA_DIR, NODE_ENV: 'production' }))
    const server = await startServer({ config, databaseUrl: database.url })
    afterAll(() => server.stop())
    const at = (person: Person) => new Person(server.url, person.token)
    const { assetId } = await upload(alice)
    await commit(alice, { assetId })
    expect(await at(nobody).get(`/media/local/${assetId}`)).toFailWith(404, 'route_unknown')
    const token = seal(assetId, `image/png ${png.length}`)
    expect(await at(nobody).put(`/media/local/${assetId}?token=${token}`)).toFailWith(404, 'route_unknown')
    const refused = await at(alice).post('/media/presign', image())
    expect(refused).toFailWith(503, 'storage_unavailable')
    expect(refused.text).toContain('has no storage')
  })
})

describe('A generated avatar', () => {
  type Avatar = { svg: string; url: string }
  const generate = async (body: object, person: Person = alice) =>
    (await person.post<Avatar>('/media/avatar/generate', body)).body

  test.each(['lorelei', 'notionists', 'personas', 'micah', 'avataaars'])(
    'in the style %s is always the same for the same seed',
    async (style) => {
      const one = await generate({ style, seed: 'Ada' })
      expect(one).toEqual({ svg: expect.stringMatching(/^<svg .*<\/svg>$/s), url: expect.not.stringContaining('Ada') })
      expect(await generate({ style, seed: 'Ada' }, bob)).toEqual(one)
      expect((await generate({ style, seed: 'Ben' })).svg).not.toBe(one.svg)
      const shown = await fetch(here(one.url))
      expect(await shown.text()).toBe(one.svg)
      expect(Object.fromEntries(shown.headers)).toMatchObject({
        'content-type': 'image/svg+xml',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': expect.stringContaining('sandbox'),
      })
    },
  )

  test('differs from person to person without a seed, and can be a profile picture', async () => {
    const mine = await generate({ style: 'lorelei' })
    expect(await generate({ style: 'lorelei' })).toEqual(mine)
    expect((await generate({ style: 'lorelei' }, bob)).url).not.toBe(mine.url)
    expect(await alice.patch('/me', { profilePicUrl: mine.url })).toMatchObject({
      status: 200,
      body: { profilePicUrl: mine.url },
    })
  })

  test('has one of five styles', async () => {
    expect(await alice.post('/media/avatar/generate', { style: 'bottts' })).toFailWith(422, 'validation_failed')
    expect(await alice.post('/media/avatar/generate', { style: 'micah', seed: '' })).toFailWith(
      422,
      'validation_failed',
    )
    expect(await nobody.post('/media/avatar/generate', { style: 'micah' })).toFailWith(401, 'token_missing')
    expect(await nobody.get('/media/avatar/micah/nothing')).toFailWith(422, 'validation_failed')
  })
})

test('An erased person’s uploads are deleted, and their objects are queued for deletion from the storage', async () => {
  const { assetId } = await upload(bob)
  await commit(bob, { assetId })
  expect(await bob.delete('/me', { password: bob.password })).toMatchObject({ status: 204 })
  expect(await owner`select from app.media_assets where owner_id = ${bob.id}`).toHaveLength(0)
  expect(await owner`select upload_only from private.pending_object_deletions where key = ${assetId}`).toEqual([
    { upload_only: false },
  ])
})
