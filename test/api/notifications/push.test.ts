import { describe, expect, test } from 'vitest'
import { apnsToken, expoToken, fcm, fcmToken } from '../../support/pushes.ts'
import { world } from '../../support/world.ts'

const google = await fcm()
const { alice, bob, nobody, database } = await world({ env: google.env })
const { owner } = database
const token = expoToken('of alice')
const WEB = {
  platform: 'web',
  token: 'https://updates.push.services.mozilla.com/wpush/v2/one',
  keys: { p256dh: `B${'a'.repeat(86)}`, auth: 'b'.repeat(22) },
}
const devices = async () =>
  (
    await owner<{ username: string; token: string }[]>`
      select u.username, t.token from app.push_tokens t join app.users u on u.id = t.user_id order by t.created_at, t.token`
  ).map(({ username, token }) => [username, token])

describe('POST /me/push-token', () => {
  test('registers a device, or updates when it was last seen', async () => {
    const { status, body } = await alice.post<{ lastSeenAt: string }>('/me/push-token', { token, platform: 'expo' })
    expect([status, body]).toEqual([200, { platform: 'expo', lastSeenAt: expect.any(String) }])
    const again = await alice.post<{ lastSeenAt: string }>('/me/push-token', { token, platform: 'expo' })
    expect(again.body.lastSeenAt > body.lastSeenAt).toBe(true)
    expect(await alice.post('/me/push-token', WEB)).toMatchObject({ status: 200, body: { platform: 'web' } })
    expect(await devices()).toEqual([
      ['alice', token],
      ['alice', WEB.token],
    ])
  })

  test('moves a device from its previous owner to the caller', async () => {
    await bob.post('/me/push-token', { token, platform: 'expo' })
    expect(await devices()).toContainEqual(['bob', token])
    expect(await devices()).toHaveLength(2)
    await alice.post('/me/push-token', { token, platform: 'expo' })
  })

  test('keeps the 20 devices that were seen last', async () => {
    for (let n = 0; n < 22; n++) await bob.post('/me/push-token', { token: expoToken(`${n}`), platform: 'expo' })
    const left = (await devices()).filter(([who]) => who === 'bob').map(([, device]) => device)
    expect(left).toHaveLength(20)
    expect(left).not.toContain(expoToken('1'))
    expect(left).toContain(expoToken('2'))
  })

  test('accepts FCM tokens if the instance has keys for FCM, and rejects APNs tokens without keys', async () => {
    const { platform, token } = { platform: 'fcm', token: fcmToken('of alice') }
    expect(await alice.post('/me/push-token', { token, platform })).toMatchObject({ status: 200, body: { platform } })
    expect(await alice.delete('/me/push-token', { token })).toMatchObject({ status: 204 })
    const apple = { token: apnsToken('of alice'), platform: 'apns' }
    expect(await alice.post('/me/push-token', apple)).toFailWith(422, 'push_platform')
  })

  test.each([
    [{ token: 'short', platform: 'fcm' }, 'push_token'],
    [{ token: `${fcmToken('x')} `, platform: 'fcm' }, 'push_token'],
    [{ token: fcmToken('x'), platform: 'fcm', keys: WEB.keys }, 'push_token'],
    [{ token: fcmToken('x'), platform: 'expo' }, 'push_token'],
    [{ token, platform: 'fax' }, 'validation_failed'],
    [{ token: '', platform: 'expo' }, 'validation_failed'],
    [{ token: 'abc', platform: 'expo' }, 'push_token'],
    [{ ...WEB, platform: 'expo' }, 'push_token'],
    [{ ...WEB, keys: undefined }, 'push_token'],
    [{ ...WEB, keys: { ...WEB.keys, auth: 'short' } }, 'push_token'],
    [{ ...WEB, token: 'https://localhost:5432/' }, 'push_token'],
    [{ ...WEB, token: 'https://evil.example/.push.services.mozilla.com' }, 'push_token'],
    [{ ...WEB, token: 'https://me@updates.push.services.mozilla.com/' }, 'push_token'],
  ])('rejects %j with 422', async (body, code) => {
    expect(await alice.post('/me/push-token', body)).toFailWith(422, code)
  })
})

describe('DELETE /me/push-token', () => {
  test('removes a device of the caller, and of nobody else', async () => {
    expect(await bob.delete('/me/push-token', { token })).toMatchObject({ status: 204 })
    expect(await devices()).toContainEqual(['alice', token])
    for (let n = 0; n < 2; n++) expect(await alice.delete('/me/push-token', { token })).toMatchObject({ status: 204 })
    expect(await devices()).not.toContainEqual(['alice', token])
    expect(await alice.delete('/me/push-token', { token: 7 })).toFailWith(422, 'validation_failed')
  })

  test('reads the token from the query, and without a token removes all devices of the caller', async () => {
    for (const name of ['1', '2', '3']) await alice.post('/me/push-token', { token: expoToken(name), platform: 'expo' })
    await bob.post('/me/push-token', { token: expoToken('other'), platform: 'expo' })
    const path = `/me/push-token?token=${encodeURIComponent(expoToken('1'))}`
    expect(await alice.delete(path)).toMatchObject({ status: 204, text: '' })
    expect(await devices()).not.toContainEqual(['alice', expoToken('1')])
    expect(await devices()).toContainEqual(['alice', expoToken('2')])
    expect(await alice.delete('/me/push-token')).toMatchObject({ status: 204, text: '' })
    expect((await devices()).filter(([name]) => name === 'alice')).toEqual([])
    expect(await devices()).toContainEqual(['bob', expoToken('other')])
  })
})

test('GET /notifications/push-key returns a point on P-256', async () => {
  const { status, body } = await alice.get<{ publicKey: string }>('/notifications/push-key')
  expect([status, Buffer.from(body.publicKey, 'base64url').length]).toEqual([200, 65])
})

test('Every push route requires a token', async () => {
  expect(await nobody.post('/me/push-token', { token, platform: 'expo' })).toFailWith(401, 'token_missing')
  expect(await nobody.delete('/me/push-token', { token })).toFailWith(401, 'token_missing')
  expect(await nobody.get('/notifications/push-key')).toFailWith(401, 'token_missing')
})
