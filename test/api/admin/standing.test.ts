// Suspensions and limits over HTTP. For the single rules see test/db/admin/standing.sql, and for who sees what the
// models in test/model.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
await owner`update app.users set role = 'moderator' where username = 'bob'`
const moderator = await bob.login()
const worker = database.connect('kith_worker')

type Account = { id: string; bannedAt: string | null; suspendedUntil: string | null; limitedAt: string | null }
const one = async (name: string) => (await join(name))[0] as Person
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const act = (path: string, what: string, body: Record<string, unknown> = { reason: 'Spam' }) =>
  admin.post<Account>(`/admin/users/${path}/${what}`, body)
const logIn = ({ email, password }: Person) => nobody.post('/auth/login', { email, password })
const endSuspensions = async () => (await worker`select private.job_end_suspensions() as ended`)[0]?.ended
const actionsAbout = async ({ id }: Person) =>
  (
    await owner<{ action: string }[]>`
      select l.action from app.audit_log l join app.audit_details d on d.audit_id = l.id
      where d.subject_id = ${id} order by l.id`
  ).map(({ action }) => action)

describe.each([
  ['limit', { reason: 'Spam' }, [{}, { reason: '' }, { reason: 'x'.repeat(1001) }, { reason: 7 }]],
  ['unlimit', { reason: 'A mistake' }, [{ reason: 'x'.repeat(1001) }, { reason: 7 }]],
] as const)('POST /admin/users/:id/%s', (what, right, wrong) => {
  const path = (id: string) => `/admin/users/${id}/${what}`

  test('requires an admin, which it checks before it reads the body', async () => {
    for (const body of [right, '{', undefined]) {
      expect(await nobody.request('POST', path('carla'), body)).toFailWith(401, 'token_missing')
      for (const person of [alice, moderator])
        expect(await person.request('POST', path('carla'), body)).toFailWith(403, 'role_required')
    }
    expect(await actionsAbout(carla)).toEqual([])
  })

  test.each(wrong)('rejects the body %j with 422', async (body) => {
    expect(await admin.post(path('carla'), body)).toFailWith(422, 'validation_failed')
  })

  test.each([UNKNOWN, 'zoe'])('answers 404 for %s', async (id) => {
    expect(await admin.post(path(id), right)).toFailWith(404, 'person_unknown')
  })
})

describe('A suspension', async () => {
  const dora = await one('dora')
  const post = await publish(dora)

  test.each([
    [inDays(-1), 'until_past'],
    [inDays(367), 'until_far'],
    ['tomorrow', 'validation_failed'],
  ])('until %s is rejected', async (until, code) => {
    expect(await act('dora', 'ban', { reason: 'Spam', until })).toFailWith(422, code)
    expect(await actionsAbout(dora)).toEqual([])
  })

  test('locks the person out until a time that a refused login names, and hides what they published', async () => {
    const until = inDays(7)
    expect(await act('dora', 'ban', { reason: 'Spam', until })).toMatchObject({
      status: 200,
      body: { id: dora.id, bannedAt: expect.any(String), suspendedUntil: until },
    })
    expect(await dora.get('/me')).toFailWith(401, 'token_revoked')
    const refused = await logIn(dora)
    expect(refused).toFailWith(403, 'person_suspended')
    expect(refused.body).toMatchObject({ message: [`This account is suspended until ${until}.`] })
    expect(await alice.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    expect(await alice.get('/users/dora')).toFailWith(404, 'person_unknown')
    const listed = await moderator.get<Page<Account>>('/admin/users?status=suspended')
    expect(listed.body.items).toMatchObject([{ id: dora.id, suspendedUntil: until }])
    expect((await moderator.get<Account>('/admin/users/dora')).body).toMatchObject({ suspendedUntil: until })
  })

  test('can be moved and made endless, and each change has one audit entry', async () => {
    const until = inDays(8)
    for (const _ of [1, 2])
      expect((await act('dora', 'ban', { reason: 'More', until })).body.suspendedUntil).toBe(until)
    for (const _ of [1, 2]) expect((await act('dora', 'ban')).body).toMatchObject({ suspendedUntil: null })
    expect(await logIn(dora)).toFailWith(403, 'person_banned')
    expect(await actionsAbout(dora)).toEqual(['user.suspended', 'user.suspended', 'user.banned'])
    expect((await act('dora', 'unban')).body).toMatchObject({ bannedAt: null, suspendedUntil: null })
    expect(await (await dora.login()).get('/me')).toMatchObject({ status: 200 })
  })

  test('is ended by the job at its time, and only once if two workers run the job', async () => {
    const person = await one('dave')
    const written = await publish(person)
    await act('dave', 'ban', { reason: 'Spam', until: inDays(1) })
    expect(await endSuspensions()).toBe(0)
    await owner`update app.users set banned_until = now() where id = ${person.id}`
    const other = database.connect('kith_worker')
    const ended = await Promise.all([endSuspensions(), other`select private.job_end_suspensions()`])
    expect(ended).toHaveLength(2)
    while ((await endSuspensions()) !== 0); // a worker skips a person whom another one has locked
    expect(await actionsAbout(person)).toEqual(['user.suspended', 'user.unbanned'])
    expect(await person.get('/me')).toFailWith(401, 'token_revoked') // tokens from before the suspension stay revoked
    expect(await (await person.login()).get('/me')).toMatchObject({ status: 200 })
    expect((await alice.get(`/posts/${written}`)).status).toBe(200)
    expect((await act('dave', 'unban')).body).toMatchObject({ bannedAt: null })
  })
})

describe('A limit', async () => {
  const erin = await one('erin')
  const follower = await one('fiona')
  await follower.post('/circles/users/erin/follow')
  const asked = await publish(alice)
  const post = await publish(erin, { body: 'A rare marmot whistles' })
  const reply = (await erin.post<{ id: string }>(`/posts/${asked}/replies`, { body: 'Hm.' })).body.id
  const video = (await erin.post<{ id: string }>('/videos', { mediaUrl: 'https://example.org/clip.mp4' })).body.id
  const repost = (await alice.post<{ id: string }>(`/posts/${post}/repost`)).body.id
  await database.owner`select private.index_for_search('post', array[${post}]::uuid[])`

  /** The lists that contain something by the person. */
  async function lists(viewer: Person): Promise<string[]> {
    const paths = {
      feed: '/feed?',
      trending: '/feed?tab=trending&',
      stream: '/discovery/stream?',
      search: '/discovery/search?q=marmot&',
      people: '/discovery/people?',
      names: '/discovery/people?q=erin&',
      videos: '/videos?',
    }
    const found: string[] = []
    for (const [name, path] of Object.entries(paths)) {
      const { body } = await viewer.get<Page<Account>>(`${path}limit=50`)
      const ids = body.items.map(({ id }) => id)
      if ([post, repost, video, erin.actorId].some((id) => ids.includes(id))) found.push(name)
    }
    return found.sort()
  }
  const everywhere = ['feed', 'names', 'people', 'search', 'stream', 'trending', 'videos']

  test('can’t be set for oneself or for an admin', async () => {
    expect(await act(admin.id, 'limit')).toFailWith(400, 'limit_oneself')
    await one('greg')
    await admin.patch('/admin/users/greg/role', { role: 'admin' })
    expect(await act('greg', 'limit')).toFailWith(409, 'limit_admin')
  })

  test('leaves the person out of the lists of everybody but their followers', async () => {
    expect(await lists(carla)).toEqual(everywhere)
    const { body } = await act('erin', 'limit')
    expect(body).toMatchObject({ id: erin.id, bannedAt: null, limitedAt: expect.any(String) })
    expect((await act('@erin', 'limit', { reason: 'Twice' })).body).toEqual(body)
    expect(await lists(carla)).toEqual([])
    expect(await lists(follower)).toEqual(everywhere)
    expect(await actionsAbout(erin)).toEqual(['user.limited'])
    const listed = await moderator.get<Page<Account>>('/admin/users?status=limited')
    expect(listed.body.items).toMatchObject([{ id: erin.id, limitedAt: body.limitedAt }])
  })

  test('does not change links, the profile, threads and what the person can do', async () => {
    expect(await carla.get(`/posts/${post}`)).toMatchObject({ status: 200 })
    expect(await carla.get('/users/erin')).toMatchObject({ status: 200 })
    expect(await walk(carla, '/posts/by/erin', 50)).toEqual([post])
    expect(await walk(carla, '/videos/by-author/erin', 50)).toEqual([video])
    expect(await walk(carla, `/posts/${asked}/replies`, 50)).toEqual([reply])
    expect(await walk(erin, '/feed', 50)).toContain(post)
    expect((await erin.post('/posts', { body: 'Still here' })).status).toBe(201)
  })

  test('ends once, and then everybody finds the person again', async () => {
    for (const _ of [1, 2]) expect((await act('erin', 'unlimit')).body).toMatchObject({ limitedAt: null })
    expect(await lists(carla)).toEqual(everywhere)
    expect(await actionsAbout(erin)).toEqual(['user.limited', 'user.unlimited'])
  })
})
