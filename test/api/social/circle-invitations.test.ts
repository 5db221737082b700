// Invitations into circles over HTTP. For permissions in every state see test/db/social.
import { describe, expect, test } from 'vitest'
import { type Invitation, invite, newCircle } from '../../support/circles.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database, join } = await world()

describe.each(['/circles/me/:id/invitations', '/circles/:id/invite'])('POST %s', (spelling) => {
  test.each(['inviteeId', 'invitee'])('invites the person in the field %s, who is notified', async (field) => {
    const circle = await newCircle(alice)
    const path = spelling.replace(':id', circle)
    const answer = await alice.post<Invitation>(path, { [field]: 'bob', bondLevel: 'inner-circle' })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        circleId: circle,
        circleName: 'Friends',
        inviterId: alice.actorId,
        inviteeId: bob.actorId,
        bondLevel: 'inner-circle',
        status: 'pending',
      },
    })
    const [told] = await bob.inbox('circle.invited')
    expect(told?.payload).toMatchObject({ invitationId: answer.body.id, circleId: circle })
    expect(await alice.post(path, { [field]: 'bob' })).toFailWith(409, 'invitation_pending')
    await bob.post(`/circles/invitations/${answer.body.id}/accept`)
    expect(await alice.post(path, { [field]: 'bob' })).toFailWith(409, 'member_already')
    expect(await alice.post(path, { [field]: 'alice' })).toFailWith(400, 'invite_oneself')
    expect(await alice.post(path, { [field]: 'zoe' })).toFailWith(404, 'person_unknown')
    expect(await alice.post(path, { [field]: 'carla', bondLevel: 'best' })).toFailWith(422, 'validation_failed')
    expect(await alice.post(path, {})).toFailWith(422, 'validation_failed')
    await alice.delete(`/circles/me/${circle}`)
  })
})

describe('Circle invitations', async () => {
  const circle = await newCircle(alice)

  test.each([
    ['accept', undefined, 'accepted'],
    ['decline', undefined, 'declined'],
    ['respond', { accept: true }, 'accepted'],
    ['respond', { accept: false }, 'declined'],
  ])('are settled once by %s with %o', async (action, body, status) => {
    const id = await invite(alice, circle, bob)
    const path = `/circles/invitations/${id}`
    expect(await alice.post(`${path}/${action}`, body)).toFailWith(403, 'invitation_not_yours')
    expect(await carla.post(`${path}/${action}`, body)).toFailWith(404, 'invitation_unknown')
    expect(await bob.post(`${path}/${action}`, body)).toMatchObject({ status: 200, body: { id, status } })
    const told = (await alice.inbox('circle.accepted')).filter(({ payload }) => payload.invitationId === id)
    expect(told).toHaveLength(status === 'accepted' ? 1 : 0)
    for (const other of ['accept', 'decline'])
      expect(await bob.post(`${path}/${other}`)).toFailWith(409, 'invitation_settled')
    expect(await bob.post(`${path}/respond`, { accept: true })).toFailWith(409, 'invitation_settled')
    expect(await alice.delete(`/circles/me/${circle}/invitations/${id}`)).toFailWith(409, 'invitation_settled')
    await alice.delete(`/circles/me/${circle}/members/bob`)
  })

  test('are accepted once even by concurrent requests', async () => {
    const id = await invite(alice, circle, bob)
    const answers = await Promise.all(Array.from({ length: 10 }, () => bob.post(`/circles/invitations/${id}/accept`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    await alice.delete(`/circles/me/${circle}/members/bob`)
  })

  test('are withdrawn only by the inviter', async () => {
    const id = await invite(alice, circle, bob)
    const path = `/circles/me/${circle}/invitations/${id}`
    expect(await bob.delete(path)).toFailWith(403, 'circle_not_yours')
    const another = await newCircle(alice)
    expect(await alice.delete(path.replace(circle, another))).toFailWith(404, 'invitation_unknown')
    expect(await alice.delete(path)).toMatchObject({ status: 204 })
    expect(await alice.delete(path)).toFailWith(409, 'invitation_settled')
    expect(await bob.post(`/circles/invitations/${id}/accept`)).toFailWith(409, 'invitation_settled')
    await alice.delete(`/circles/me/${another}`)
  })

  test.each([{}, { accept: 'yes' }, { accept: null }])('reject the answer %o with 422', async (body) => {
    const id = await invite(alice, await newCircle(alice), bob)
    expect(await bob.post(`/circles/invitations/${id}/respond`, body)).toFailWith(422, 'validation_failed')
  })

  test('are listed once each to inviter and invitee while pending, even those of the same moment', async () => {
    const people = await join('ida', 'ian', 'ivo', 'ines')
    const [invitee] = people as [Person]
    const sent = await Promise.all(people.map((person) => invite(alice, circle, person)))
    const got = [sent[0] ?? '']
    for (let n = 0; n < 4; n++) got.push(await invite(carla, await newCircle(carla), invitee))
    await database.owner`update app.circle_invitations set created_at = '2026-01-01' where status = 'pending'`
    const gone = await invite(alice, circle, bob)
    await bob.post(`/circles/invitations/${gone}/decline`)

    for (const [person, path, ids] of [
      [alice, `/circles/me/${circle}/invitations`, sent],
      [invitee, '/circles/invitations/me', got],
    ] as const) {
      const whole = await walk(person, path, 50)
      expect([...whole].sort()).toEqual([...ids].sort())
      for (const limit of [1, 2, 3]) expect(await walk(person, path, limit)).toEqual(whole)
      expect(await person.get(`${path}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
      expect(await person.get(`${path}?cursor=x`)).toFailWith(400, 'cursor_unknown')
      expect(await person.get(`${path}?limit=0`)).toFailWith(422, 'validation_failed')
    }
    const next = await alice.get<Page<Invitation>>(`/circles/me/${circle}/invitations?cursor=${gone}`)
    expect(next.body.items).toHaveLength(4)
  })
})
