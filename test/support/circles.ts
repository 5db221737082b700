// Circles over HTTP for tests: creating a circle, inviting, and every route about a circle.
import { expect } from 'vitest'
import type { Page } from './lists.ts'
import type { Person } from './person.ts'

export type Circle = { id: string; name: string; kind: string; accent: string | null; isOwner: boolean }
export type Invitation = { id: string; status: string }

/** The id of a new circle. */
export async function newCircle(owner: Person, more: object = {}): Promise<string> {
  const { status, body } = await owner.post<Circle>('/circles/me', { name: 'Friends', kind: 'custom', ...more })
  expect(status).toBe(201)
  return body.id
}

/** The id of a new invitation. */
export async function invite(owner: Person, circle: string, invitee: Person, more: object = {}): Promise<string> {
  const answer = await owner.post<Invitation>(`/circles/me/${circle}/invitations`, {
    inviteeId: invitee.actorId,
    ...more,
  })
  expect(answer).toMatchObject({ status: 201, body: { status: 'pending' } })
  return answer.body.id
}

/** The names of the circles that a person sees. */
export const circleNames = async (person: Person) =>
  (await person.get<Page<Circle>>('/circles?limit=50')).body.items.map(({ name }) => name)

/** Every route of the feature, about this circle, member and invitation. */
export const circleRoutes = (circle: string, member: string, invitation: string): [string, string, object?][] => [
  ['GET', '/circles/me'],
  ['GET', '/circles'],
  ['POST', '/circles/me', { name: 'Friends' }],
  ['POST', '/circles', { name: 'Friends' }],
  ['PATCH', `/circles/me/${circle}`, { name: 'Others' }],
  ['DELETE', `/circles/me/${circle}`],
  ['GET', `/circles/me/${circle}/members`],
  ['POST', `/circles/me/${circle}/members`, { memberId: member }],
  ['PATCH', `/circles/me/${circle}/members/${member}`, { bondLevel: 'inner-circle' }],
  ['DELETE', `/circles/me/${circle}/members/${member}`],
  ['POST', `/circles/me/${circle}/invitations`, { inviteeId: member }],
  ['POST', `/circles/${circle}/invite`, { inviteeId: member }],
  ['GET', `/circles/me/${circle}/invitations`],
  ['DELETE', `/circles/me/${circle}/invitations/${invitation}`],
  ['GET', '/circles/invitations/me'],
  ['POST', `/circles/invitations/${invitation}/accept`],
  ['POST', `/circles/invitations/${invitation}/decline`],
  ['POST', `/circles/invitations/${invitation}/respond`, { accept: true }],
  ['POST', `/users/${member}/block`],
  ['DELETE', `/users/${member}/block`],
]
