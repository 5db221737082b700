import { describe, expect, test } from 'vitest'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

type Channels = { inApp: boolean; push: boolean; email: boolean }
type Preferences = Record<string, Channels> & { timezone: string; digestHour: number | null }

const { alice, bob, nobody } = await world()
const PATH = '/notifications/preferences'
const everywhere = { inApp: true, push: true, email: true }

describe('Notification preferences', () => {
  test('have everything enabled on every channel by default', async () => {
    const { status, body } = await alice.get<Preferences>(PATH)
    const { timezone, digestHour, ...kinds } = body
    expect([status, timezone, digestHour]).toEqual([200, 'UTC', 8])
    expect(Object.keys(kinds).length).toBeGreaterThan(15)
    for (const channels of Object.values(kinds)) expect(channels).toEqual(everywhere)
  })

  test('change the fields that are present, and keep the others', async () => {
    const change = { 'post.replied': { inApp: false }, timezone: 'Europe/Berlin', digestHour: 18 }
    const { status, body } = await bob.patch<Preferences>(PATH, { ...change, 'kite.flown': { push: false } })
    expect([status, body['post.replied']]).toEqual([200, { ...everywhere, inApp: false }])
    expect(body).toMatchObject({ 'post.reacted': everywhere, timezone: 'Europe/Berlin', digestHour: 18 })
    expect(body).not.toHaveProperty(['kite.flown'])
    expect((await bob.patch<Preferences>(PATH, { 'post.replied': { push: false } })).body['post.replied']).toEqual({
      inApp: false,
      push: false,
      email: true,
    })
    expect((await bob.patch<Preferences>(PATH, {})).body).toMatchObject({ timezone: 'Europe/Berlin', digestHour: 18 })
    expect((await alice.get<Preferences>(PATH)).body['post.replied']).toEqual(everywhere)
  })

  test('can keep a kind out of the inbox', async () => {
    const id = await publish(bob)
    await alice.post(`/posts/${id}/replies`, { body: 'Unheard' })
    await alice.post(`/posts/${id}/react`, { kind: 'heart' })
    expect(await bob.inbox('post.replied')).toEqual([])
    expect(await bob.inbox('post.reacted')).toHaveLength(1)
    expect((await bob.get('/notifications/unread-count')).body).toEqual({ count: 1 })
  })

  test.each([
    [{ 'post.replied': true }, 'validation_failed'],
    [{ 'post.replied': { push: 'no' } }, 'validation_failed'],
    [{ digestHour: 24 }, 'validation_failed'],
    [{ timezone: 'Mars/Olympus' }, 'timezone_unknown'],
    [{ 'moderation.actioned': { inApp: false } }, 'in_app_required'],
  ])('reject %j with 422', async (body, code) => {
    expect(await alice.patch(PATH, body)).toFailWith(422, code)
  })

  test('require a token', async () => {
    expect(await nobody.get(PATH)).toFailWith(401, 'token_missing')
    expect(await nobody.patch(PATH, {})).toFailWith(401, 'token_missing')
  })
})
