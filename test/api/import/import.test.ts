// The import: an export of one account, on this or another instance, becomes the profile, posts and settings of another
// account. A file that was changed, or that is not a dossier, is rejected, and nothing of it is imported.
import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import { createLinkPreview } from '../../../edge-functions/link-preview/handler.ts'
import { outside } from '../../../edge-functions/shared/outside.ts'
import { applyEffects, type Database } from '../../support/database.ts'
import { listen } from '../../support/functions.ts'
import type { Person } from '../../support/person.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

type Row = Record<string, unknown>
type Dossier = Record<string, Row[]> & { profile: Row; notificationSettings: Row; signature: string; actorId: string }
type Progress = {
  state: string
  signature: string
  issuer: string | null
  origin: string
  done: number
  total: number
  problems: { path: string; code: string; message: string }[]
  problemCount: number
}
type Id = { id: string }

const { alice, bob, carla, nobody, database, join } = await world()
const { owner } = database

const work = async ({ url: databaseUrl }: Database) => {
  const config = readConfig(environment(databaseUrl))
  const worker = await startWorker({ config, databaseUrl, pollSeconds: 0.1 })
  afterAll(() => worker.stop())
}
await work(database)

const exported = async (person: Person): Promise<string> => (await person.get('/me/export')).text
const dossierOf = async (person: Person): Promise<Dossier> => JSON.parse(await exported(person))

/** Imports a dossier and waits until it is done. */
async function bring(person: Person, dossier: unknown): Promise<Progress> {
  expect(await person.post('/me/import', dossier)).toMatchObject({ status: 202, body: { state: 'waiting' } })
  await until(async () => (await person.get<Progress>('/me/import')).body.state === 'done')
  return (await person.get<Progress>('/me/import')).body
}
/** Makes the last import a day old, so that another one is allowed. */
const aDayLater = (person: Person) =>
  owner`update app.imports set created_at = created_at - interval '24 hours' where user_id = ${person.id}`
const newcomer = async (name: string) => (await join(name))[0] as Person

/** The smallest valid dossier. */
const least = { format: 'service-gdpr-export-v1', actorId: 'acct:ada@elsewhere.example' }
const post = (id: string, more: Row = {}): Row => ({
  id,
  format: 'note',
  title: null,
  body: `Post ${id}`,
  media: [],
  visibility: 'public',
  depth: 0,
  isJournalism: false,
  publishedAt: '2020-01-31T12:00:00.000Z',
  createdAt: '2020-01-31T12:00:00.000Z',
  ...more,
})
const postsOf = (person: Person) => owner<{ body: string }[]>`select body from app.posts where author_id = ${person.id}`

/** Creates alice's account, with something in every section that can be imported. */
const catalog = await alice.get<{ items: { id: string; slug: string }[] }>('/interests/catalog')
const [first, second] = catalog.body.items
await alice.patch('/me', {
  firstName: 'Alicia',
  lastName: 'Lima',
  about: 'Walks **much**.',
  city: 'Lisbon',
  country: 'PT',
})
const personas = (await alice.get<{ items: Id[] }>('/me/personas')).body.items
await alice.patch(`/me/personas/${personas[0]?.id}`, { name: 'Alicia', about: 'The first.', accent: 'gold' })
const writer = (await alice.post<Id>('/me/personas', { name: 'The writer', about: 'The second.', accent: 'sage' })).body
  .id
await alice.post('/interests/me/bulk', {
  interests: [
    { interestId: first?.id, depth: 2, expertise: 3 },
    { interestId: second?.id, depth: 4, expertise: 1 },
  ],
})
const circle = (await alice.post<Id>('/circles', { name: 'Kin', kind: 'family', accent: 'gold' })).body.id
await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob', bondLevel: 'inner-circle' })
await alice.post('/identity/me/muted-keywords', { keyword: 'noise', until: '2090-01-31T12:00:00.000Z' })
await alice.patch('/notifications/preferences', {
  'post.replied': { email: true, push: false },
  timezone: 'Europe/Lisbon',
  digestHour: 6,
})
const written: Record<string, string> = {}
for (const [name, body] of Object.entries<Row>({
  plain: { body: 'Of @bob and *others*.', interestId: first?.id, interestIds: [second?.id] },
  inner: { body: 'For the inner circle.', visibility: 'inner', depth: 3, personaId: writer },
  essay: { format: 'essay', title: 'An essay', body: 'x'.repeat(6000), visibility: 'circles' },
  photo: { format: 'photo', body: '', media: [{ url: 'https://pictures.example/1.png', alt: 'One' }] },
  poll: { body: 'Which?', poll: { options: ['This', 'That'], closesAt: '2090-01-31T12:00:00.000Z' } },
})) {
  written[name] = (await alice.post<Id>('/posts', body)).body.id
}
const bobs = (await bob.post<Id>('/posts', { body: 'By Bob.' })).body.id
await alice.post('/posts', { format: 'quote', body: 'So says Bob.', quotedPostId: bobs })
await alice.post('/posts', { format: 'repost', body: '', quotedPostId: bobs })
await alice.post(`/posts/${written.essay}/pin`)
await alice.patch(`/posts/${written.inner}`, { body: 'For the inner circle, again.' })
const series = (await alice.post<Id>('/posts/series', { title: 'Letters', description: 'To all.' })).body.id
for (const item of [written.essay, written.plain]) await alice.post(`/posts/series/${series}/items`, { postId: item })
await bob.post(`/posts/${written.plain}/react`, { kind: 'heart' })
const dates = { createdAt: '2019-05-01T10:00:00.000Z' }
await owner`update app.posts set created_at = ${dates.createdAt}, published_at = ${dates.createdAt} where id = ${written.plain ?? ''}`
await applyEffects(owner)

/** The part in which two exports must agree: what an import imports, without ids and other people's things. */
function compared(dossier: Dossier): unknown {
  const slugs = (id: unknown) =>
    dossier.postInterests
      ?.filter(({ postId }) => postId === id)
      .map(({ interestSlug, isPrimary }) => `${interestSlug} ${isPrimary}`)
      .sort()
  const personaOf = (id: unknown) => dossier.personas?.find((persona) => persona.id === id)?.name ?? null
  const bodyOf = (id: unknown) => dossier.posts?.find((one) => one.id === id)?.body ?? null
  const pollOf = (id: unknown) => {
    const poll = dossier.polls?.find(({ postId }) => postId === id)
    const options = dossier.pollOptions?.filter(({ pollId }) => pollId === poll?.id)
    return (
      poll && { closesAt: poll.closesAt, options: options?.map(({ position, text }) => `${position} ${text}`).sort() }
    )
  }
  const without = (row: Row, ...names: string[]) =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => !['id', 'userId', 'authorId', 'ownerId', ...names].includes(name)),
    )
  const sorted = (rows: unknown[] = []) => rows.map((row) => JSON.stringify(row)).sort()
  const { firstName, lastName, about, city, country, profilePicUrl } = dossier.profile
  return {
    profile: { firstName, lastName, about, city, country, profilePicUrl },
    settings: without(dossier.notificationSettings, 'nextDigestAt'),
    personas: sorted(dossier.personas?.map((row) => without(row))),
    interests: sorted(dossier.interests?.map((row) => without(row))),
    circles: sorted(dossier.circles?.map((row) => without(row))),
    keywords: sorted(dossier.mutedKeywords?.map((row) => without(row))),
    preferences: sorted(dossier.notificationPreferences?.map((row) => without(row))),
    posts: sorted(
      dossier.posts
        ?.filter(({ format }) => format !== 'repost')
        .map((row) => ({
          ...without(row, 'importedAt'),
          interestId: slugs(row.id),
          personaId: personaOf(row.personaId),
          // a quoted post is another person's
          format: row.format === 'quote' ? 'note' : row.format,
          quotedPostId: null,
          poll: pollOf(row.id),
        })),
    ),
    series: sorted(dossier.series?.map((row) => without(row))),
    items: dossier.seriesItems?.map(({ postId, position }) => `${position} ${bodyOf(postId)}`).sort(),
  }
}

describe('Export, import, export', async () => {
  const dora = await newcomer('dora')
  const before = await dossierOf(alice)
  const text = await exported(alice)
  const progress = await bring(dora, text)
  const after = await dossierOf(dora)

  test('agree except for ids and things of other people', () => {
    expect(progress).toMatchObject({
      signature: 'valid',
      issuer: 'http://localhost:0',
      origin: 'localhost',
      problemCount: 2,
    })
    expect(progress.problems.map(({ path, code }) => `${path.replace(/\d+/, 'n')} ${code}`).sort()).toEqual([
      'posts.n import_of_other',
      'posts.n.quotedPostId import_of_other',
    ])
    expect(progress.done).toBe(progress.total)
    expect(before.posts).toHaveLength(7)
    for (const section of [
      'circles',
      'interests',
      'mutedKeywords',
      'notificationPreferences',
      'personas',
      'seriesItems',
    ])
      expect(before[section]?.length, section).toBeGreaterThan(0)
    expect(compared(after)).toEqual(compared(before))
    expect([after.circleMembers, after.pollVotes, after.reactions]).toEqual([[], [], []])
    expect(after.posts?.every(({ importedAt }) => importedAt !== null)).toBe(true)
  })

  test('agree again after an import into a third account', async () => {
    const third = await newcomer('third')
    await bring(third, await exported(dora))
    expect(compared(await dossierOf(third))).toEqual(compared(before))
  })

  test('shows an imported post as such, with its date', async () => {
    const { body } = await bob.get<{ items: Row[] }>('/posts/by/dora')
    expect(body.items.find(({ body: said }) => said === 'Of @bob and *others*.')).toMatchObject({
      publishedAt: dates.createdAt,
      createdAt: dates.createdAt,
      importedAt: expect.stringMatching(/^20/),
      counters: { reactions: 0 },
      authorId: dora.actorId,
    })
    expect((await bob.get<Row>(`/posts/${written.plain}`)).body.importedAt).toBe(null)
  })

  test('shows a post only to people who could see the original', async () => {
    const seen = (await carla.get<{ items: Row[] }>('/posts/by/dora')).body.items.map(({ visibility }) => visibility)
    expect(seen.length).toBeGreaterThan(0)
    expect(new Set(seen)).toEqual(new Set(['public']))
  })

  test('notifies nobody, earns nothing, and is not announced', async () => {
    await applyEffects(owner)
    for (const person of [alice, bob, carla, dora]) {
      const { body } = await person.get<{ items: { actors: { username: string }[] }[] }>('/notifications')
      expect(body.items.flatMap(({ actors }) => actors).filter(({ username }) => username === 'dora')).toEqual([])
    }
    expect((await dora.get<{ total: number }>('/reputation/me')).body.total).toBe(0)
    expect((await dora.get<{ balance: number }>('/economy/wallet')).body.balance).toBe(50)
    const events = await owner`select distinct name from app.domain_events
      where payload ->> 'authorId' = ${dora.id} and name <> 'posts.post.imported'`
    expect(events).toEqual([])
  })

  test('lets an imported post be found by its words', async () => {
    await applyEffects(owner)
    const { items } = (await bob.get<{ items: Row[] }>('/discovery/search?q=others&type=post')).body
    expect(items.length).toBeGreaterThan(1)
  })

  test('changes nothing a second time, whatever was edited or deleted since', async () => {
    await aDayLater(dora)
    await dora.patch('/me', { about: 'Another text.' })
    const { body: mine } = await dora.get<{ items: Id[] }>('/posts/by/dora')
    await dora.delete(`/posts/${mine.items.at(-1)?.id}`)
    const edited = compared(await dossierOf(dora))
    const again = await bring(dora, text)
    expect(again).toMatchObject({ done: progress.total, problems: [{ code: 'import_of_other' }] })
    expect(compared(await dossierOf(dora))).toEqual(edited)
  })

  test('changes nothing in the account that was exported', async () => {
    const own = compared(await dossierOf(alice))
    await bring(alice, text)
    expect(compared(await dossierOf(alice))).toEqual(own)
  })

  test('keeps nothing of the file after the import', async () => {
    expect(await owner`select from private.import_rows`).toEqual([])
  })
})

describe('A signature', async () => {
  const eva = await newcomer('eva')
  const text = await exported(alice)
  beforeEach(() => aDayLater(eva))
  const reversed = (dossier: object) => Object.fromEntries(Object.entries(dossier).reverse())

  test('is valid if the members and spaces of the file change', async () => {
    const rows = JSON.parse(text) as Dossier
    const other = { ...reversed(rows), posts: rows.posts?.map(reversed) }
    expect(await eva.post('/me/import', JSON.stringify(other, null, 3))).toMatchObject({
      status: 202,
      body: { signature: 'valid' },
    })
    await until(async () => (await eva.get<Progress>('/me/import')).body.state === 'done')
  })

  test.each<[string, (dossier: Dossier) => unknown]>([
    ['a text', (d) => ({ ...d, posts: d.posts?.map((row) => ({ ...row, body: 'Another.' })) })],
    ['a missing row', (d) => ({ ...d, posts: d.posts?.slice(1) })],
    ['the order of rows', (d) => ({ ...d, posts: d.posts?.toReversed() })],
    ['a section that is not imported', (d) => ({ ...d, posts: d.posts, reactions: [{ forged: true }] })],
    ['a missing section', ({ sessions: _, ...d }) => d],
    ['another section', (d) => ({ ...d, forged: [] })],
    ['the person', (d) => ({ ...d, actorId: 'acct:bob@localhost' })],
    ['the signature', (d) => ({ ...d, signature: `${d.signature.slice(0, -4)}AAAA` })],
    ['no signature', (d) => ({ ...d, signature: 'x' })],
  ])('shows that %s was changed, and then nothing of the dossier is imported', async (_, change) => {
    expect(await eva.post('/me/import', change(JSON.parse(text)))).toFailWith(422, 'import_changed')
    expect(await owner`select from app.imports where user_id = ${eva.id} and state = 'receiving'`).toEqual([])
    expect(await owner`select from private.import_rows`).toEqual([])
  })

  test('lists the sections that were changed', async () => {
    const { body } = await eva.post<{ message: string[] }>('/me/import', { ...JSON.parse(text), circles: [] })
    expect(body.message.slice(1)).toEqual(['circles: has changed since it was signed'])
  })

  test('may be absent', async () => {
    const { signature: _, ...rest } = JSON.parse(text) as Dossier
    expect(await eva.post('/me/import', rest)).toMatchObject({ status: 202, body: { signature: 'none', issuer: null } })
  })

  test('has its keys at /.well-known/kith', async () => {
    const { status, headers, body } = await nobody.get<{ keys: Row[] }>('//.well-known/kith')
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
    expect(body).toMatchObject({
      domain: 'localhost',
      software: { name: 'kith' },
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(/^[\w-]{43}$/), kid: expect.any(String) }],
    })
    expect(JSON.stringify(body)).not.toContain('"d"')
  })
})

describe('Another instance', async () => {
  // the address of the instance must be known before the instance starts
  let behind = ''
  const front = await listen((request, answer) => {
    const { method, headers } = request
    const passed = ask(new URL(request.url ?? '', behind), { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    request.pipe(passed)
  })
  const { port } = new URL(front)
  const open = outside({ ports: [Number(port)], exempt: [`127.0.0.1:${port}`] })
  const functions = createServer(getRequestListener(createLinkPreview({ jwtSecrets: [JWT_SECRET], open }).fetch))
  await new Promise<void>((listening) => functions.listen(0, '127.0.0.1', listening))
  afterAll(() => functions.close())
  const FUNCTIONS_URL = `http://127.0.0.1:${(functions.address() as AddressInfo).port}`
  const here = await world({ people: ['fay', 'gil', 'hal'], env: { FUNCTIONS_URL } })
  const there = await world({ people: ['ida'], env: { FACADE_URL: front, SIGNING_KEY: `${'B'.repeat(42)}A` } })
  behind = there.url
  await work(here.database)
  await there.ida.post('/posts', { body: 'From there.' })
  const text = await exported(there.ida)

  test('signs a dossier that is imported as valid', async () => {
    expect(await here.fay.post('/me/import', text)).toMatchObject({
      status: 202,
      body: { signature: 'valid', issuer: front },
    })
    await until(async () => (await here.fay.get<Progress>('/me/import')).body.state === 'done')
    expect((await here.fay.get<{ items: Row[] }>('/posts/by/fay')).body.items).toMatchObject([{ body: 'From there.' }])
  })

  test('lets a changed dossier be detected, even if its digests were changed too', async () => {
    const dossier = JSON.parse(text) as Dossier
    const [head = '', payload = '', mac = ''] = dossier.signature.split('.')
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const empty = '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945' // of []
    const forged = Buffer.from(JSON.stringify({ ...said, digests: { ...said.digests, posts: empty } })).toString(
      'base64url',
    )
    const signature = [head, forged, mac].join('.')
    expect(await here.gil.post('/me/import', { ...dossier, posts: [], signature })).toFailWith(422, 'import_changed')
  })

  test('that cannot be reached leaves the signature unverified, and the dossier is imported', async () => {
    behind = 'http://127.0.0.1:9'
    expect(await here.gil.post('/me/import', text)).toMatchObject({
      status: 202,
      body: { signature: 'unknown_instance', issuer: front },
    })
  })
})

describe('POST /me/import', async () => {
  const jan = await newcomer('jan')

  test.each<[string, unknown, string[]]>([
    [
      'no dossier',
      {},
      ['format: must be service-gdpr-export-v1', 'actorId: must be an actor id such as acct:ada@kith.example.org'],
    ],
    ['another format', { ...least, format: 'other-v1' }, ['format: must be service-gdpr-export-v1']],
    ['a list', [], ['The file must be an object.']],
    [
      'wrong fields',
      { ...least, posts: [post('1'), post('2', { body: null, depth: 1.5, publishedAt: 'today' })] },
      [
        'posts.1.body: must be a text',
        'posts.1.depth: must be a whole number',
        'posts.1.publishedAt: must be a time such as 2099-01-31T12:00:00.000Z',
      ],
    ],
    [
      'rows that are not objects',
      { ...least, circles: [1], profile: 'x' },
      ['circles.0: must be an object', 'profile: must be an object'],
    ],
    [
      'sections that are not lists',
      { ...least, posts: {}, profile: [] },
      ['posts: must be a list', 'profile: must be an object'],
    ],
    ['no key', { ...least, posts: [post('')] }, ['posts.0.id: must have 1 to 200 characters']],
    ['a deep value', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, ['The file is nested more than 32 levels deep.']],
    [
      'a section twice',
      `{"posts":[],"posts":[],"format":"${least.format}","actorId":"${least.actorId}"}`,
      ['posts: must occur only once'],
    ],
  ])('rejects %s, imports nothing, and says what is wrong and where', async (_, dossier, message) => {
    const answer = await jan.post<{ message: string[] }>('/me/import', dossier)
    expect(answer).toFailWith(422, 'import_invalid')
    expect(answer.body.message).toEqual(message)
    expect(await postsOf(jan)).toEqual([])
    expect(await owner`select from app.imports where user_id = ${jan.id}`).toEqual([])
  })

  test('rejects a body that is not JSON, not complete, or of another content type', async () => {
    expect(await jan.post('/me/import', '{"format":')).toFailWith(400, 'malformed_json')
    expect(await jan.post('/me/import', '{"format":"x",}')).toFailWith(400, 'malformed_json')
    expect(await jan.post('/me/import', '{}{}')).toFailWith(400, 'malformed_json')
    expect(await jan.post('/me/import', '{}', { 'content-type': 'text/plain' })).toFailWith(
      415,
      'content_type_unsupported',
    )
    expect(await nobody.post('/me/import', least)).toFailWith(401, 'token_missing')
    expect(await jan.get('/me/import')).toFailWith(404, 'import_none')
  })

  test('rejects a row of more than 2 MB', async () => {
    const answer = await jan.post('/me/import', { ...least, replies: [{ body: 'x'.repeat(2_100_000) }] })
    expect(answer).toFailWith(422, 'import_invalid')
  })

  test('rejects a file of more than 50 MB, before or while it arrives', async () => {
    const { token, base } = jan
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const announcing = ask(`${base}/api/v1/me/import`, {
      method: 'POST',
      headers: { ...headers, 'content-length': 50_000_001 },
    })
    announcing.on('error', () => {}) // the facade closes the connection
    announcing.write('{')
    const [announced] = (await once(announcing, 'response')) as [IncomingMessage]
    announcing.destroy()
    expect([announced.statusCode, announced.headers['x-error-code']]).toEqual([413, 'import_large'])
    const rows = `${JSON.stringify({ body: 'x'.repeat(1_000_000) })},`
    const body = Readable.from([`{"replies":[`, ...Array.from({ length: 51 }, () => rows)])
    const answer = await fetch(`${base}/api/v1/me/import`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit)
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([413, 'import_large'])
    expect(await owner`select from app.imports where user_id = ${jan.id}`).toEqual([])
  })

  test('accepts one dossier a day', async () => {
    const kim = await newcomer('kim')
    await bring(kim, least)
    const again = await kim.post('/me/import', least)
    expect(again).toFailWith(429, 'import_daily')
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(86_000)
    await aDayLater(kim)
    await owner`update app.imports set state = 'running', created_at = now() where user_id = ${kim.id}`
    expect(await kim.post('/me/import', least)).toFailWith(409, 'import_running')
  })

  test('accepts only one of several dossiers that arrive at once', async () => {
    const kit = await newcomer('kit')
    const dossiers = [1, 2, 3, 4].map((n) => ({ ...least, posts: [post(`${n}`)] }))
    const answers = await Promise.all(dossiers.map((dossier) => kit.post('/me/import', dossier)))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter(({ status }) => ![202, 409, 429].includes(status))).toEqual([])
    await until(async () => (await kit.get<Progress>('/me/import')).body.state === 'done')
    expect(await postsOf(kit)).toHaveLength(1)
  })

  test('lists what it leaves out, and imports the rest', async () => {
    const lea = await newcomer('lea')
    const personas = [1, 2, 3, 4, 5, 6].map((n) => ({
      id: `p${n}`,
      name: `Persona ${n}`,
      accent: 'ink',
      isDefault: n === 3,
      createdAt: '2020-01-31T12:00:00.000Z',
    }))
    const progress = await bring(lea, {
      ...least,
      personas,
      interests: [
        {
          interestSlug: 'there-is-none',
          depth: 1,
          expertise: 1,
          createdAt: dates.createdAt,
          updatedAt: dates.createdAt,
        },
      ],
      posts: [
        post('ok'),
        post('long', { body: 'x'.repeat(5001) }),
        post('space', { spaceId: 'x' }),
        post('repost', { format: 'repost', body: '', quotedPostId: 'x' }),
        post('quote', { format: 'quote', quotedPostId: 'x' }),
        post('hidden', { hiddenAt: dates.createdAt }),
        post('scheduled', { publishedAt: null }),
        post('deleted', { deletedAt: dates.createdAt, body: '' }),
        post('pictures', { media: [{ url: 'ftp://x.example' }, { url: 'https://x.example/1.png', alt: null }] }),
        post('bare', { format: 'photo', media: [{ url: 'ftp://x.example' }] }),
        post('news', { isJournalism: true }),
        post('secret', { visibility: 'staff' }),
      ],
    })
    expect(progress).toMatchObject({ total: 19, done: 19, problemCount: progress.problems.length })
    expect(progress.problems.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'personas.5 personas_exhausted',
      'interests.0 interest_unknown',
      'posts.1 post_body',
      'posts.2 import_of_space',
      'posts.3 import_of_other',
      'posts.4.quotedPostId import_of_other',
      'posts.5 import_hidden',
      'posts.6 import_scheduled',
      'posts.8.media.0 post_media',
      'posts.9 post_media',
      'posts.10.isJournalism journalism_not_allowed',
      'posts.11 value_invalid',
    ])
    expect(progress.problems[0]?.message).toBe('You can have at most 5 personas.')
    expect((await postsOf(lea)).map(({ body }) => body).sort()).toEqual(
      ['news', 'ok', 'pictures', 'quote'].map((id) => `Post ${id}`),
    )
    const own = (await lea.get<{ items: Row[] }>('/me/personas')).body.items
    expect(own.filter(({ isDefault }) => isDefault)).toMatchObject([{ name: 'Persona 3' }])
    expect(own).toHaveLength(5)
  })

  test('imports more rows than a batch has, over several chunks, in order', async () => {
    const max = await newcomer('max')
    const at = (n: number) => new Date(Date.parse(dates.createdAt) + n * 60_000).toISOString()
    const posts = Array.from({ length: 700 }, (_, n) =>
      post(`n${n}`, { createdAt: at(n), publishedAt: at(n), body: `Ünd ${n} ${'x'.repeat(1000)}` }),
    )
    const progress = await bring(max, { ...least, posts })
    expect(progress).toMatchObject({ total: 700, done: 700, problemCount: 0 })
    expect(await postsOf(max)).toHaveLength(700)
    const blocks = await owner<{ posts: number }[]>`
      select count(*)::int as posts from app.posts where published_at < '2020-01-01' group by private.block_start(published_at)`
    expect(Math.max(...blocks.map(({ posts: count }) => count))).toBeLessThan(400)
  })

  test('stops when the person is erased', async () => {
    const nia = await newcomer('nia')
    await bring(nia, { ...least, posts: [post('1')] })
    await nia.post('/me/delete', { password: nia.password })
    expect(await owner`select from app.imports where user_id = ${nia.id}`).toEqual([])
    expect(await owner`select from private.imported where user_id = ${nia.id}`).toEqual([])
  })
})
