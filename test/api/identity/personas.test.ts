// Personas: at most five per person, and at every moment exactly one of them is the default.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, nobody, database, join } = await world({ people: ['alice', 'bob'] })
type Persona = { id: string; name: string; isDefault: boolean }
const path = '/me/personas'

const list = async (person: Person | undefined) => (await person?.get<{ items: Persona[] }>(path))?.body.items ?? []
const make = async (person: Person | undefined, name: string) => (await person?.post<Persona>(path, { name }))?.body.id

describe('GET /me/personas', () => {
  test('lists only the persona Main for a new person, as the default, and requires a token', async () => {
    const [ada] = await join('ada')
    const { status, body } = (await ada?.get(path)) ?? {}
    const main = { name: 'Main', about: null, accent: 'ink', profilePicUrl: null, isDefault: true }
    const items = [{ ...main, id: expect.any(String), createdAt: expect.any(String) }]
    expect([status, body]).toEqual([200, { items, nextCursor: null, hasMore: false }])
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  })
})

describe('POST /me/personas', () => {
  test('creates a persona that is not the default', async () => {
    const form = { name: ' Poet ', about: 'Verse', accent: 'sage', profilePicUrl: 'https://example.org/p.png' }
    const { status, body } = await alice.post(path, { ...form, isDefault: true })
    expect([status, body]).toMatchObject([201, { ...form, name: 'Poet', isDefault: false }])
    expect(await alice.post(path, { name: 'Plain' })).toMatchObject({
      status: 201,
      body: { accent: 'ink', about: null },
    })
  })

  test('rejects a name that the person already uses, while others may use it', async () => {
    expect(await alice.post(path, { name: 'Poet' })).toFailWith(409, 'persona_name_taken')
    expect(await bob.post(path, { name: 'Poet' })).toMatchObject({ status: 201 })
  })

  test('creates at most four beside Main, even with concurrent requests', async () => {
    const [cleo] = await join('cleo')
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => cleo?.post(path, { name: `P${n}` })))
    expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(4)
    expect(await cleo?.post(path, { name: 'Sixth' })).toFailWith(409, 'personas_exhausted')
    expect(await list(cleo)).toHaveLength(5)
  })

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: 'x'.repeat(41) }],
    [{ name: 'A', about: 'x'.repeat(281) }],
    [{ name: 'A', accent: 'plum' }],
    [{ name: 'A', accent: null }],
    [{ name: 'A', profilePicUrl: 'nowhere' }],
  ])('rejects %j with 422', async (body) => {
    expect(await alice.post(path, body)).toFailWith(422, 'validation_failed')
  })
})

describe('PATCH /me/personas/:id', async () => {
  const id = await make(bob, 'Draft')

  test('changes fields that are present, clears those that are null, and keeps absent ones', async () => {
    const all = { name: 'Final', about: 'Done', accent: 'gold', profilePicUrl: 'https://example.org/f.png' }
    expect(await bob.patch(`${path}/${id}`, all)).toMatchObject({ status: 200, body: { id, ...all, isDefault: false } })
    const cleared = { about: null, profilePicUrl: null }
    expect(await bob.patch(`${path}/${id}`, cleared)).toMatchObject({ status: 200, body: { ...all, ...cleared } })
    expect(await bob.patch(`${path}/${id}`, { isDefault: true })).toMatchObject({ body: { isDefault: false } })
  })

  test.each([{ name: null }, { name: '' }, { accent: null }, { accent: 'red' }, { about: 5 }])(
    'rejects %j with 422',
    async (body) => {
      expect(await bob.patch(`${path}/${id}`, body)).toFailWith(422, 'validation_failed')
    },
  )

  test('rejects the name of another of the caller’s personas with 409, and other people’s personas with 404', async () => {
    expect(await bob.patch(`${path}/${id}`, { name: 'Main' })).toFailWith(409, 'persona_name_taken')
    expect(await alice.patch(`${path}/${id}`, { name: 'Mine' })).toFailWith(404, 'persona_unknown')
    expect(await alice.patch(`${path}/${UNKNOWN}`, { name: 'Mine' })).toFailWith(404, 'persona_unknown')
    expect(await alice.patch(`${path}/x`, { name: 'Mine' })).toFailWith(422, 'validation_failed')
  })
})

describe('The default persona', async () => {
  const [dan] = await join('dan')
  const [main] = await list(dan)
  const other = await make(dan, 'Other')
  const defaults = async () => (await list(dan)).filter(({ isDefault }) => isDefault).map(({ name }) => name)

  test('cannot be deleted, and another persona can be made the default', async () => {
    expect(await dan?.delete(`${path}/${main?.id}`)).toFailWith(409, 'persona_is_default')
    for (const _twice of [1, 2]) {
      const answer = await dan?.post(`${path}/${other}/set-default`)
      expect(answer).toMatchObject({ status: 200, body: { id: other, isDefault: true } })
    }
    expect(await defaults()).toEqual(['Other'])
    expect(await dan?.delete(`${path}/${main?.id}`)).toMatchObject({ status: 204 })
    expect(await dan?.delete(`${path}/${main?.id}`)).toFailWith(404, 'persona_unknown')
    expect(await dan?.delete(`${path}/${other}`)).toFailWith(409, 'persona_is_default')
  })

  test('can be set only by its owner', async () => {
    expect(await alice.post(`${path}/${other}/set-default`)).toFailWith(404, 'persona_unknown')
    expect(await alice.delete(`${path}/${other}`)).toFailWith(404, 'persona_unknown')
    expect(await nobody.post(`${path}/${other}/set-default`)).toFailWith(401, 'token_missing')
    expect(await nobody.delete(`${path}/${other}`)).toFailWith(401, 'token_missing')
    expect(await defaults()).toEqual(['Other'])
  })

  test('is exactly one after any concurrent changes and deletions', async () => {
    const ids = [other, await make(dan, 'A'), await make(dan, 'B'), await make(dan, 'C')]
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        ids.flatMap((id) => [
          dan?.post(`${path}/${id}/set-default`),
          ...(round === 4 ? [dan?.delete(`${path}/${id}`)] : []),
        ]),
      )
      expect(await defaults()).toHaveLength(1)
    }
    const [row] =
      await database.owner`select count(*)::int as personas from app.personas where user_id = ${dan?.id ?? ''}`
    expect(row?.personas).toBe((await list(dan)).length)
  })
})
