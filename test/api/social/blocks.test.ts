// Blocks and bans over HTTP: for whom a person gives 404. For permissions in every state see test/db/social.
import { describe, expect, test } from 'vitest'
import { circleNames, circleRoutes, invite, newCircle } from '../../support/circles.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { admin, database, join } = await world()

describe('A block', async () => {
  const [ann, ben] = (await join('ann', 'ben')) as [Person, Person]
  const circles = { ann: await newCircle(ann, { name: 'Ann’s' }), ben: await newCircle(ben, { name: 'Ben’s' }) }
  await ann.post(`/circles/me/${circles.ann}/members`, { memberId: 'ben' })
  await ben.post(`/circles/me/${circles.ben}/members`, { memberId: 'ann' })
  const second = { ann: await newCircle(ann, { name: 'Second' }), ben: await newCircle(ben, { name: 'Second' }) }
  const sent = { ann: await invite(ann, second.ann, ben), ben: await invite(ben, second.ben, ann) }

  test('is created once, by any spelling of the name', async () => {
    expect(await ann.post(`/users/${ben.actorId}/block`)).toMatchObject({ status: 200, body: { blocked: true } })
    expect(await ann.post('/users/@ben/block')).toMatchObject({ status: 200, body: { blocked: true } })
    expect(await ann.post('/users/ann/block')).toFailWith(400, 'block_oneself')
    expect(await ann.post('/users/zoe/block')).toFailWith(404, 'person_unknown')
    expect(await ann.delete('/users/zoe/block')).toFailWith(404, 'person_unknown')
  })

  describe.each([
    ['the blocking person', ann, ben, circles.ann, circles.ben, sent.ben],
    ['the blocked person', ben, ann, circles.ben, circles.ann, sent.ann],
  ])('hides the other person from %s', (_who, self, other, own, theirs, invitation) => {
    const about = circleRoutes(own, other.username, UNKNOWN).filter(([, path, body]) =>
      `${path} ${JSON.stringify(body)}`.includes(other.username),
    )

    test.each(about.filter(([, path]) => !path.startsWith('/users')))('in %s %s', async (method, path, body) => {
      const answer = await self.request(method, path, body)
      const unknown = JSON.parse(JSON.stringify({ path, body }).replaceAll(other.username, 'zoe'))
      expect(answer).toFailWith(404, 'person_unknown')
      expect(answer.text).toBe((await self.request(method, unknown.path, unknown.body)).text)
    })

    test.each(circleRoutes(theirs, 'carla', UNKNOWN).filter(([, path]) => path.includes(theirs)))(
      'hides the other person’s circle in %s %s',
      async (method, path, body) => {
        const answer = await self.request(method, path, body)
        expect(answer).toFailWith(404, 'circle_unknown')
        expect(answer.text).toBe((await self.request(method, path.replace(theirs, UNKNOWN), body)).text)
      },
    )

    test('hides pending invitations, members and circles', async () => {
      for (const action of ['accept', 'decline']) {
        expect(await self.post(`/circles/invitations/${invitation}/${action}`)).toFailWith(404, 'invitation_unknown')
      }
      expect(await self.get('/circles/invitations/me')).toMatchObject({ body: { items: [] } })
      expect(await self.get(`/circles/me/${own}/members`)).toMatchObject({ body: { items: [] } })
      expect(await circleNames(self)).toEqual(['Second', self === ann ? 'Ann’s' : 'Ben’s'])
    })
  })

  test('can be neither seen nor lifted by the blocked person', async () => {
    expect(await ben.delete('/users/ann/block')).toFailWith(404, 'person_unknown')
    expect(await ben.post('/users/ann/block')).toFailWith(404, 'person_unknown')
  })

  test('restores everything when it is lifted, except invitations that it ended', async () => {
    expect(await ann.delete('/users/ben/block')).toMatchObject({ status: 204, text: '' })
    expect(await ann.delete('/users/ben/block')).toMatchObject({ status: 204 })
    expect(await circleNames(ann)).toEqual(['Second', 'Ben’s', 'Ann’s'])
    expect(await circleNames(ben)).toEqual(['Second', 'Ben’s', 'Ann’s'])
    expect(await ann.get(`/circles/me/${circles.ann}/members`)).toMatchObject({
      body: { items: [{ memberId: ben.actorId }] },
    })
    expect(await ben.post(`/circles/invitations/${sent.ann}/accept`)).toFailWith(409, 'invitation_settled')
    await invite(ann, second.ann, ben)
  })
})

test('A banned person gives 404 and is absent from lists', async () => {
  const [gone] = (await join('gone')) as [Person]
  const circle = await newCircle(admin)
  await admin.post(`/circles/me/${circle}/members`, { memberId: 'gone' })
  await database.owner`update app.users set banned_at = now() where id = ${gone.id}`
  expect(await admin.get(`/circles/me/${circle}/members`)).toMatchObject({ body: { items: [] } })
  expect(await admin.post(`/circles/me/${circle}/invitations`, { inviteeId: 'gone' })).toFailWith(404, 'person_unknown')
  expect(await admin.post('/users/gone/block')).toFailWith(404, 'person_unknown')
  expect(await gone.get('/circles')).toFailWith(401, 'token_revoked')
})
