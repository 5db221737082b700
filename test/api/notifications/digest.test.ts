// Unsubscribing from the digest: with the token from its link, which the client's page sends, and by the button of a
// mail program (RFC 8058).
import { describe, expect, test } from 'vitest'
import { createSeals } from '../../../api-facade/lib/seals.ts'
import type { Person } from '../../support/person.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()
const { owner } = database
const PATH = '/notifications/unsubscribe'
const BUTTON = 'List-Unsubscribe=One-Click'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const seals = createSeals([JWT_SECRET])
const seal = (id: string, secret = seals) => secret.seal('unsubscribe', { id, generation: 0 })

async function tokenOf({ id }: Person) {
  const [row] = await owner<{ id: string }[]>`
    select unsubscribe_id as id from app.notification_settings where user_id = ${id}`
  return seal(row?.id ?? '')
}
const preferences = async (person: Person) => (await person.get('/notifications/preferences')).body
const begin = (person: Person) => person.patch('/notifications/preferences', { digestHour: 8 })

describe('POST /notifications/unsubscribe', () => {
  test('ends only the digest, is idempotent, and can be undone in the preferences', async () => {
    const token = await tokenOf(alice)
    const before = await preferences(alice)
    for (let n = 0; n < 2; n++) {
      expect(await nobody.post(PATH, { token })).toMatchObject({ status: 200, body: { ok: true } })
      expect(await preferences(alice)).toEqual({ ...(before as object), digestHour: null })
    }
    expect(await begin(alice)).toMatchObject({ status: 200, body: before })
    expect(await nobody.post(PATH, { token })).toMatchObject({ status: 200 })
    expect(await preferences(bob)).toMatchObject({ digestHour: 8 })
    expect(await owner`select next_digest_at from app.notification_settings where user_id = ${alice.id}`).toEqual([
      { next_digest_at: null },
    ])
  })

  test.each([
    ['urlencoded', BUTTON, 'application/x-www-form-urlencoded'],
    ['multipart', multipart(), 'multipart/form-data; boundary=edge'],
  ])('accepts the form that mail programs send, %s', async (_how, body, type) => {
    await begin(bob)
    const answer = await nobody.post(`${PATH}?token=${await tokenOf(bob)}`, body, { 'content-type': type })
    expect([answer.status, answer.body]).toEqual([200, { ok: true }])
    expect(await preferences(bob)).toMatchObject({ digestHour: null })
  })

  test('does not unsubscribe a person who only opens the address', async () => {
    const path = `${PATH}?token=${await tokenOf(carla)}`
    expect(await nobody.get(path)).toFailWith(405, 'method_not_allowed')
    expect((await fetch(`${nobody.base}/api/v1${path}`, { method: 'HEAD' })).status).toBe(405)
    expect(await nobody.post(path)).toFailWith(422, 'validation_failed')
    expect(await nobody.post(path, 'List-Unsubscribe=No', FORM)).toFailWith(422, 'validation_failed')
    expect(await nobody.post(path, '', FORM)).toFailWith(422, 'validation_failed')
    expect(await nobody.post(PATH, BUTTON, FORM)).toFailWith(422, 'validation_failed')
    expect(await nobody.post(path, '--', { 'content-type': 'multipart/form-data' })).toFailWith(
      400,
      'request_malformed',
    )
    expect(await nobody.post(path, BUTTON, { 'content-type': 'text/plain' })).toFailWith(
      415,
      'content_type_unsupported',
    )
    expect(await preferences(carla)).toMatchObject({ digestHour: 8 })
  })

  test('rejects forms with many fields, which would be slow to parse', async () => {
    const many = 'a&'.repeat(20_000)
    expect(await nobody.post(PATH, many, FORM)).toFailWith(413, 'body_too_large')
    const stream = { body: new Blob([many]).stream(), duplex: 'half' } as RequestInit
    const streamed = await fetch(`${nobody.base}/api/v1${PATH}`, { method: 'POST', headers: FORM, ...stream })
    expect([streamed.status, streamed.headers.get('x-error-code')]).toEqual([413, 'body_too_large'])
  })

  test('answers 404 for tokens that were not mailed and for those of erased people', async () => {
    const erased = await tokenOf(carla)
    expect(await carla.post('/me/delete', { password: carla.password })).toMatchObject({ status: 200 })
    const others = createSeals(['another secret, which signs nothing here'])
    const { id } = seals.open('unsubscribe', erased) ?? { id: '' }
    const tokens = ['x', erased, erased.slice(1), seal(crypto.randomUUID()), seal(id, others)]
    tokens.push(seals.seal('reset', { id, generation: 0 }))
    const answers = await Promise.all(tokens.map((token) => nobody.post(PATH, { token })))
    for (const answer of answers) expect(answer).toFailWith(404, 'unsubscribe_unknown')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    for (const body of [{}, { token: '' }, { token: 5 }])
      expect(await nobody.post(PATH, body)).toFailWith(422, 'validation_failed')
  })
})

function multipart() {
  return ['--edge', 'Content-Disposition: form-data; name="List-Unsubscribe"', '', 'One-Click', '--edge--', ''].join(
    '\r\n',
  )
}
