// A client that uses only the alias paths, from the invite code to a shared circle and to deleting the account.
import { expect, test } from 'vitest'
import { applicant } from '../../support/joining.ts'
import { world } from '../../support/world.ts'

const { admin, alice, nobody } = await world({ people: ['alice'] })

type Registered = { userId: string; accessToken: string; refreshToken: string }

async function join(name: string, code: string | undefined) {
  const candidateSessionId = crypto.randomUUID()
  const { body: held } = await nobody.post<{ inviteCodeId: string }>('/identity/invite-codes/reserve', {
    code,
    candidateSessionId,
  })
  const { email, password, ...input } = applicant(name)
  const form = { inviteCodeId: held.inviteCodeId, email, password, input }
  const { status, body } = await nobody.post<Registered>('/identity/register', form)
  expect([status, Object.keys(body).sort()]).toEqual([201, ['accessToken', 'deviceToken', 'refreshToken', 'userId']])
  const fresh = await nobody.post<Registered>('/identity/refresh', { refreshToken: body.refreshToken })
  expect(fresh.status).toBe(200)
  return nobody.withToken(fresh.body.accessToken)
}

test('The alias paths suffice to register two people, connect them in a circle, and delete one account', async () => {
  const codes = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: 2 })
  const [first, second] = codes.body.items
  const ada = await join('ada', first?.code)
  const ben = await join('ben', second?.code)

  expect(await ada.get('/identity/me')).toMatchObject({ status: 200, body: { username: 'ada' } })
  expect(await ada.patch('/identity/me', { about: 'Reads.' })).toMatchObject({ status: 200, body: { about: 'Reads.' } })
  expect(await ben.get('/identity/users/by-handle/ada')).toMatchObject({ status: 200, body: { about: 'Reads.' } })
  expect(await ben.get('/interests/me')).toMatchObject({ status: 200, body: { items: [] } })
  expect(await ben.post('/users/ada/follow')).toMatchObject({ status: 200, body: { followers: 1 } })

  const circle = await ada.post<{ id: string }>('/circles', { name: 'Friends' })
  expect(circle.status).toBe(201)
  const invitation = await ada.post<{ id: string }>(`/circles/${circle.body.id}/invite`, { invitee: 'ben' })
  expect(invitation).toMatchObject({ status: 201, body: { status: 'pending' } })
  const answer = await ben.post(`/circles/invitations/${invitation.body.id}/respond`, { accept: true })
  expect(answer).toMatchObject({ status: 200, body: { status: 'accepted' } })
  expect(await ben.get('/circles')).toMatchObject({
    status: 200,
    body: { items: [{ id: circle.body.id, isOwner: false }] },
  })

  const post = await ada.post<{ id: string }>('/posts', { body: 'For friends.', visibility: 'circles' })
  expect(await ben.post('/economy/pay', { postId: post.body.id, emotion: 'joy', tier: 0 })).toMatchObject({
    status: 201,
  })
  expect(await ben.get(`/economy/posts/${post.body.id}/breakdown`)).toMatchObject({
    status: 200,
    body: { emojiBreakdown: { joy: { count: 1, total: 1 } } },
  })

  expect(await nobody.post('/forgot/request', { email: 'ben@example.org' })).toMatchObject({ status: 200 })
  expect(await nobody.post('/forgot/reset', { token: 'x'.repeat(43), newPassword: 'another one' })).toFailWith(
    410,
    'reset_over',
  )
  expect(await ben.delete('/users/ada/follow')).toMatchObject({ status: 204 })
  expect(await ben.post('/identity/me/delete', { password: applicant('ben').password })).toMatchObject({ status: 200 })
  expect(await ben.get('/identity/me')).toFailWith(401, 'token_revoked')
})

test('Every answer of a deprecated path, even an error, says since when the path is deprecated', async () => {
  const sinceOf = async (path: string, who = alice) => (await who.get(path)).headers.get('deprecation')
  expect(await sinceOf('/me')).toBe(null)
  expect(await sinceOf('/identity/me')).toBe('@1795737600')
  expect(await sinceOf('/identity/me', nobody)).toBe('@1795737600')
})
