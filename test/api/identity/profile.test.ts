// Changing one's profile and username, what others see of it, and presence.
import { describe, expect, test } from 'vitest'
import { applicant } from '../../support/joining.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()
type Me = Record<string, unknown> & { username: string; actorId: string; personId: string; lastSeenAt: string | null }

describe.each(['/me', '/identity/me'])('PATCH %s', (path) => {
  test('changes every editable field and keeps absent ones', async () => {
    const changes = {
      firstName: ' Alïce ',
      lastName: 'Ångström',
      city: 'Malmö',
      country: 'SE',
      phone: '+46 40 12 34 56',
      about: ' Reads.\nWrites. ',
      profilePicUrl: 'https://example.org/a.png',
    }
    const stored = { ...changes, firstName: 'Alïce', about: 'Reads.\nWrites.' }
    const before = (await alice.get<Me>('/me')).body
    const { status, body } = await alice.patch<Me>(path, changes)
    expect([status, body]).toEqual([200, { ...before, ...stored, lastSeenAt: body.lastSeenAt }])
    expect((await alice.patch<Me>(path, { city: 'Lund' })).body).toMatchObject({ ...stored, city: 'Lund' })
    expect((await alice.get<Me>('/me')).body).toMatchObject({ ...stored, city: 'Lund' })
  })

  test('clears an optional field that is null', async () => {
    const cleared = { phone: null, about: null, profilePicUrl: null }
    expect(await alice.patch(path, cleared)).toMatchObject({ status: 200, body: cleared })
  })

  test('ignores unknown fields and those that cannot be edited', async () => {
    const before = (await alice.get<Me>('/me')).body
    const more = {
      role: 'admin',
      email: 'x@example.org',
      id: bob.id,
      dateOfBirth: '2001-01-01',
      passwordHash: 'x',
      x: 1,
    }
    const { status, body } = await alice.patch<Me>(path, more)
    expect([status, body]).toEqual([200, before])
  })

  test.each([
    ['firstName', ''],
    ['firstName', null],
    ['firstName', 'x'.repeat(81)],
    ['lastName', '  '],
    ['lastName', null],
    ['lastName', 7],
    ['username', 'ab'],
    ['username', 'x'.repeat(31)],
    ['username', 'with space'],
    ['username', 'zoë'],
    ['username', 'a-b-c'],
    ['username', null],
    ['username', ''],
    ['city', ''],
    ['city', null],
    ['city', 'x'.repeat(121)],
    ['country', 'XK'],
    ['country', 'de'],
    ['country', null],
    ['phone', 'call me'],
    ['phone', '12'],
    ['phone', '1'.repeat(33)],
    ['about', 'x'.repeat(1001)],
    ['about', 1],
    ['profilePicUrl', 'javascript:alert(1)'],
    ['profilePicUrl', 'data:image/png;base64,AAAA'],
    ['profilePicUrl', 'a.png'],
    ['profilePicUrl', `https://example.org/${'x'.repeat(2000)}`],
  ])('rejects the %s %j with 422', async (field, value) => {
    const answer = await alice.patch(path, { [field]: value })
    expect(answer).toFailWith(422, 'validation_failed')
    expect(answer.body).toMatchObject({ message: [expect.stringMatching(`^${field}: `)] })
  })

  test.each([
    ['firstName', '\u200b\u200d'],
    ['lastName', 'nomis \u202eecila'],
    ['lastName', 'two\nlines'],
    ['city', 'Malm\u0007ö'],
    ['about', '\u3164'],
    ['about', 'Reads\u001b.'],
  ])('rejects the %s %j as text_unfit', async (field, value) => {
    expect(await alice.patch(path, { [field]: value })).toFailWith(422, 'text_unfit')
  })

  test('stores text in Unicode normalization form C', async () => {
    const sent = { firstName: 'Ange\u0301lique', about: '\u1112\u1161\u11ab 👩‍👩‍👧‍👦 🏳️‍🌈' }
    const stored = { firstName: 'Angélique', about: '한 👩‍👩‍👧‍👦 🏳️‍🌈' }
    expect(await alice.patch(path, sent)).toMatchObject({ status: 200, body: stored })
  })

  test('requires a body and a token', async () => {
    expect(await alice.patch(path)).toFailWith(422, 'validation_failed')
    expect(await nobody.patch(path, {})).toFailWith(401, 'token_missing')
  })
})

describe('A new username', () => {
  test('leads to the person, as does the old one, and appears in posts written before', async () => {
    const [dora] = await join('dora')
    const post = await dora?.post<{ id: string }>('/posts', { body: 'Signed.' })
    const { status, body } = (await dora?.patch<Me>('/me', { username: 'Dora_New' })) ?? {}
    expect([status, body?.username, body?.actorId]).toEqual([200, 'dora_new', 'acct:dora_new@localhost'])
    for (const name of ['dora', 'DORA_new', dora?.actorId, body?.actorId, '@dora@localhost', body?.personId]) {
      expect(await bob.get(`/users/${name}`)).toMatchObject({ status: 200, body: { actorId: body?.actorId } })
    }
    expect(await bob.get(`/posts/${post?.body.id}`)).toMatchObject({ body: { authorId: body?.actorId } })
    expect(await bob.post(`/circles/users/${body?.personId}/follow`)).toMatchObject({ status: 200 })
    expect(await bob.post(`/users/${dora?.actorId}/block`)).toMatchObject({ status: 200 })
    expect(await bob.get('/users/dora')).toFailWith(404, 'person_unknown')
    expect(await bob.delete('/users/dora/block')).toMatchObject({ status: 204 })
  })

  test('cannot be one that somebody else has or had, in any letter case', async () => {
    expect(await bob.patch('/me', { username: 'CARLA' })).toFailWith(409, 'username_taken')
    expect(await bob.patch('/me', { username: 'dora' })).toFailWith(409, 'username_taken')
    const [dora] = await join('dora_2')
    expect(await dora?.patch('/me', { username: 'dora' })).toFailWith(409, 'username_taken')
    const { body } = await bob.get<Me>('/me')
    expect(body.username).toBe('bob')
  })

  test.each(['support', 'Moderator', '_kith_', 'ad_min'])(
    'cannot be %s, which is reserved for staff',
    async (username) => {
      expect(await bob.patch('/me', { username })).toFailWith(409, 'username_reserved')
    },
  )

  test('generated at registration is never one that somebody had', async () => {
    const code = await carla.post<{ code: string }>('/me/invites')
    const { body } = await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code: code.body.code })
    const twin = { ...applicant('dora'), email: 'other.dora@example.org', sessionId: body.sessionId }
    const joined = await nobody.post<{ user: Me }>('/auth/register', twin)
    expect(joined.body.user.username).toMatch(/^dora_\d{1,4}$/)
  })

  test('can be one that the person had before', async () => {
    const [emil] = await join('emil')
    await emil?.patch('/me', { username: 'emil_x' })
    expect(await emil?.patch('/me', { username: 'emil' })).toMatchObject({ status: 200, body: { username: 'emil' } })
    expect(await emil?.patch('/me', { username: 'emil' })).toMatchObject({ status: 200 })
    expect(await bob.get('/users/emil_x')).toMatchObject({ status: 200, body: { username: 'emil' } })
  })

  test('can be chosen 10 times, and going back to an old one is always possible', async () => {
    const [fay] = await join('fay')
    for (let n = 1; n <= 10; n++) expect((await fay?.patch('/me', { username: `fay_${n}` }))?.status).toBe(200)
    expect(await fay?.patch('/me', { username: 'fay_11' })).toFailWith(409, 'usernames_exhausted')
    expect(await bob.get('/users/fay_11')).toFailWith(404, 'person_unknown')
    expect(await fay?.patch('/me', { username: 'fay' })).toMatchObject({ status: 200 })
  })

  test('is given to one of concurrent claimants, and to nobody else after that person gave it up', async () => {
    const people = await join(...Array.from({ length: 6 }, (_, n) => `racer_${n}`))
    const answers = await Promise.all(people.map((person) => person.patch('/me', { username: 'the_prize' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    const [winner] = people.filter((_, n) => answers[n]?.status === 200)
    const others = people.filter((person) => person !== winner)
    const again = await Promise.all([
      winner?.patch('/me', { username: 'elsewhere' }),
      ...others.map((person) => person.patch('/me', { username: 'the_prize' })),
    ])
    expect(again.map((answer) => answer?.status)).toEqual([200, 409, 409, 409, 409, 409])
  })
})

describe.each(['/users/', '/identity/users/by-handle/'])('GET %s…', (path) => {
  test('returns the public profile, for every spelling of the name', async () => {
    const { body } = await alice.get<Me>('/me')
    const profile = {
      id: alice.actorId,
      actorId: alice.actorId,
      personId: body.personId,
      username: 'alice',
      firstName: body.firstName,
      lastName: body.lastName,
      profilePicUrl: body.profilePicUrl,
      isBot: false,
      owner: null,
      about: body.about,
      country: body.country,
      city: body.city,
      createdAt: body.createdAt,
      counters: { followers: expect.any(Number), following: expect.any(Number) },
      viewer: {
        follows: expect.any(Boolean),
        followedBy: expect.any(Boolean),
        inMyCircle: false,
        bondLevel: null,
        inTheirCircle: false,
        muted: false,
      },
    }
    const names = ['alice', 'ALICE', '@alice', alice.actorId, encodeURIComponent('@alice@localhost'), body.personId]
    for (const name of names) {
      const answer = await bob.get(path + name)
      expect([answer.status, answer.body]).toEqual([200, profile])
    }
    expect(await alice.get(`${path}alice`)).toMatchObject({ status: 200, body: { ...profile, viewer: null } })
  })

  test.each(['zoe', 'acct:alice@elsewhere.example', alice.id, '%00', 'a'.repeat(300)])(
    'does not find %s',
    async (name) => {
      expect([404, 422]).toContain((await bob.get(path + name)).status)
    },
  )

  test('answers 404 for blocked, banned and erased people, exactly as for unknown ones', async () => {
    const [gone, banned] = await join(...(path === '/users/' ? ['gil', 'hal'] : ['gina', 'hana']))
    const unknown = await bob.get(`${path}zoe`)
    expect(unknown).toFailWith(404, 'person_unknown')
    await bob.post(`/users/${gone?.username}/block`)
    for (const [who, whom] of [
      [bob, gone],
      [gone, bob],
    ]) {
      expect((await who?.get(path + whom?.username))?.body).toEqual(unknown.body)
    }
    await database.owner`update app.users set banned_at = now() where id = ${banned?.id ?? ''}`
    expect((await bob.get(path + banned?.username)).body).toEqual(unknown.body)
    await database.owner`update app.users set banned_at = null, erased_at = now() where id = ${banned?.id ?? ''}`
    expect((await bob.get(path + banned?.username)).body).toEqual(unknown.body)
  })

  test('requires a token', async () => {
    expect(await nobody.get(`${path}alice`)).toFailWith(401, 'token_missing')
  })
})

describe('Presence', () => {
  const seen = async (id: string) => {
    const [row] =
      await database.owner`select last_seen_at as at, xmin::text as version from app.accounts where user_id = ${id}`
    return row as { at: Date | null; version: string }
  }

  test('is written once for many requests', async () => {
    const [ida] = await join('ida')
    await until(async () => (await seen(ida?.id ?? '')).at)
    const first = await seen(ida?.id ?? '')
    expect(Math.abs(Date.now() - Number(first.at))).toBeLessThan(10_000)
    await Promise.all(Array.from({ length: 20 }, () => ida?.get('/feed')))
    const { body } = (await ida?.get<Me>('/me')) ?? {}
    expect(new Date(body?.lastSeenAt ?? 0)).toEqual(first.at)
    expect(await seen(ida?.id ?? '')).toEqual(first)
  })

  test('is not shown to other people', async () => {
    expect(JSON.stringify((await bob.get('/users/ida')).body)).not.toContain('lastSeen')
  })

  test('is written at most once in five minutes, which the database enforces too', async () => {
    const note = () => database.asCaller({ sub: carla.id, role: 'user' }, (sql) => sql`select api.note_presence()`)
    await note()
    const before = await seen(carla.id)
    await note()
    expect(await seen(carla.id)).toEqual(before)
    await database.owner`update app.accounts set last_seen_at = now() - interval '6 minutes' where user_id = ${carla.id}`
    await note()
    expect(Date.now() - Number((await seen(carla.id)).at)).toBeLessThan(10_000)
  })
})

test('A profile says what connects the caller to the person, and how many follow whom', async () => {
  const [ina, jon] = await join('ina', 'jon')
  if (!ina || !jon) throw new Error('they did not join')
  const seen = async (who: typeof ina, whom: string) =>
    (await who.get<{ counters: object; viewer: object }>(`/users/${whom}`)).body
  const none = {
    follows: false,
    followedBy: false,
    inMyCircle: false,
    bondLevel: null,
    inTheirCircle: false,
    muted: false,
  }
  expect(await seen(ina, 'jon')).toMatchObject({ counters: { followers: 0, following: 0 }, viewer: none })
  await ina.post('/users/jon/follow')
  await ina.post('/users/jon/mute')
  const circle = await ina.post<{ id: string }>('/circles', { name: 'Friends' })
  await ina.post(`/circles/me/${circle.body.id}/members`, { memberId: 'jon', bondLevel: 'inner-circle' })
  const ties = { follows: true, inMyCircle: true, bondLevel: 'inner-circle', muted: true }
  expect(await seen(ina, 'jon')).toMatchObject({ counters: { followers: 1 }, viewer: { ...none, ...ties } })
  // nothing shows that Ina has muted him, or which bond he has in her circles
  const back = { ...none, followedBy: true, inTheirCircle: true }
  expect(await seen(jon, 'ina')).toMatchObject({ counters: { following: 1 }, viewer: back })
})

test('GET /users?ids returns the cards of several people in order, without those whom the caller cannot see', async () => {
  const [kai, lou] = await join('kai', 'lou')
  if (!kai || !lou) throw new Error('they did not join')
  const me = await kai.get<Me>('/me')
  await lou.post('/users/kai/block')
  type People = { items: { username: string }[] }
  const named = async (who: typeof kai, ids: string) =>
    (await who.get<People>(`/users?ids=${encodeURIComponent(ids)}`)).body.items.map(({ username }) => username)
  const ids = `bob,${me.body.personId},@kai,nobody,lou,${alice.actorId},${alice.id},bob`
  expect(await named(alice, ids)).toEqual(['bob', 'kai', 'lou', 'alice'])
  expect(await named(kai, ids)).toEqual(['bob', 'kai', 'alice'])
  const one = (await kai.get<{ id: string }>('/users/bob')).body
  expect((await kai.get<{ items: object[] }>('/users?ids=bob')).body.items).toMatchObject([{ id: one.id }])
  for (const query of ['', '?ids=', `?ids=${'a,'.repeat(50)}a`])
    expect(await alice.get(`/users${query}`)).toFailWith(422, 'validation_failed')
  expect(await nobody.get('/users?ids=bob')).toFailWith(401, 'token_missing')
})
