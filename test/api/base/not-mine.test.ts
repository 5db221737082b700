// Requests that withdraw, answer or change a thing give 403 to a caller who sees the thing but does not own it, and 404
// to a caller who does not see it. Removing somebody who is not a member gives 404, and joining or leaving twice gives
// the same answer.
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, join } = await world()
const [dora, stranger] = (await join('dora', 'stranger')) as [Person, Person]

type Id = { id: string }
const made = async (answer: Promise<{ status: number; text: string; body: Id }>) => {
  const { status, text, body } = await answer
  expect([200, 201], text).toContain(status)
  return body.id
}
const interestId = (await alice.get<{ items: Id[] }>('/interests/catalog')).body.items[0]?.id ?? ''
const circle = await made(alice.post<Id>('/circles', { name: 'Friends' }))
for (const memberId of ['bob', 'carla']) await alice.post(`/circles/me/${circle}/members`, { memberId })
const asked = await made(alice.post<Id>('/groups', { name: 'Asked for', joinPolicy: 'request' }))
const closed = await made(alice.post<Id>('/groups', { name: 'Closed', joinPolicy: 'invite', visibility: 'private' }))
const guild = await made(admin.post<Id>('/guilds', { name: 'Keepers', interestId }))
const post = await made(alice.post<Id>('/posts', { format: 'note', body: 'x', visibility: 'public', depth: 0 }))
const project = await alice.post<Id & { roles: Id[] }>('/projects', {
  title: 'Mosses',
  summary: 'x',
  roles: [{ name: 'Writer' }],
})
const talk = await made(alice.post<Id>('/conversations', { kind: 'group', memberIds: ['bob', 'carla'], title: 'x' }))

const request = (await bob.post<{ requestId: string }>(`/groups/${asked}/join`)).body.requestId
const application = await made(bob.post<Id>(`/guilds/${guild}/applications`, {}))
const role = project.body.roles[0]?.id
const wanted = await made(bob.post<Id>(`/projects/${project.body.id}/applications`, { roleId: role }))
const invitation = await made(alice.post<Id>(`/circles/me/${circle}/invitations`, { inviteeId: 'dora' }))
const intoGroup = await made(alice.post<Id>(`/groups/${closed}/invitations`, { inviteeId: 'dora' }))
const withMe = await made(alice.post<Id>(`/posts/${post}/co-authors`, { userId: 'dora', splitShare: 10 }))

/** Columns: the request, a person who sees the subject but does not own it, the error code for that person, and the error code for a stranger. */
const cases: [string, string, object | undefined, Person, string, string][] = [
  [
    'POST',
    `/groups/${asked}/join-requests/${request}/withdraw`,
    undefined,
    alice,
    'request_not_yours',
    'request_unknown',
  ],
  [
    'POST',
    `/guilds/${guild}/applications/${application}/withdraw`,
    undefined,
    admin,
    'request_not_yours',
    'request_unknown',
  ],
  [
    'POST',
    `/projects/${project.body.id}/applications/${wanted}/withdraw`,
    undefined,
    alice,
    'project_application_not_yours',
    'project_application_unknown',
  ],
  ['POST', `/circles/invitations/${invitation}/accept`, undefined, alice, 'invitation_not_yours', 'invitation_unknown'],
  [
    'POST',
    `/circles/invitations/${invitation}/decline`,
    undefined,
    alice,
    'invitation_not_yours',
    'invitation_unknown',
  ],
  [
    'POST',
    `/circles/invitations/${invitation}/respond`,
    { accept: true },
    alice,
    'invitation_not_yours',
    'invitation_unknown',
  ],
  ['DELETE', `/circles/me/${circle}/invitations/${invitation}`, undefined, dora, 'circle_not_yours', 'circle_unknown'],
  ['POST', `/groups/invitations/${intoGroup}/accept`, undefined, alice, 'invitation_not_yours', 'invitation_unknown'],
  ['POST', `/groups/invitations/${intoGroup}/decline`, undefined, alice, 'invitation_not_yours', 'invitation_unknown'],
  [
    'POST',
    `/posts/${post}/co-authors/${withMe}/respond`,
    { accept: true },
    alice,
    'invitation_not_yours',
    'co_author_invitation_unknown',
  ],
]
test.each(cases)(
  '%s %s gives 403 to a person who sees it but does not own it, and 404 to a stranger',
  async (method, path, body, seer, seen, unseen) => {
    expect(await seer.request(method, path, body)).toFailWith(403, seen)
    expect(await stranger.request(method, path, body)).toFailWith(404, unseen)
  },
)

test('After a block between the caller and the owner, the answer is 404 instead of 403', async () => {
  await alice.post('/users/bob/block')
  for (const [path, code] of [
    [`/groups/${asked}/join-requests/${request}/withdraw`, 'request_unknown'],
    [`/projects/${project.body.id}/applications/${wanted}/withdraw`, 'project_application_unknown'],
  ] as const)
    expect(await alice.post(path)).toFailWith(404, code)
  await alice.delete('/users/bob/block')
})

test('An accepted co-author is visible to everyone, and answering in their place gives 403', async () => {
  expect((await dora.post(`/posts/${post}/co-authors/${withMe}/respond`, { accept: true })).status).toBe(200)
  const answer = await stranger.post(`/posts/${post}/co-authors/${withMe}/respond`, { accept: false })
  expect(answer).toFailWith(403, 'invitation_not_yours')
})

describe('In a group conversation, a member who is not its owner gets 403', () => {
  test.each([
    ['PATCH', { role: 'owner' }],
    ['DELETE', undefined],
  ])('for %s of any member, including themselves', async (method, body) => {
    for (const whom of ['bob', 'carla', 'nobody_here'])
      expect(await bob.request(method, `/conversations/${talk}/members/${whom}`, body)).toFailWith(
        403,
        'conversation_not_yours',
      )
    expect(await stranger.request(method, `/conversations/${talk}/members/bob`, body)).toFailWith(
      404,
      'conversation_unknown',
    )
  })
  test('for adding anybody', async () => {
    const answer = await bob.post(`/conversations/${talk}/members`, { userIds: ['nobody_here'] })
    expect(answer).toFailWith(403, 'conversation_not_yours')
  })
})

describe.each([
  ['groups', asked],
  ['guilds', guild],
])('The list of posts in %s', (kind, id) => {
  test('gives 403 to people who see it but are not members', async () => {
    expect(await stranger.get(`/${kind}/${id}/posts`)).toFailWith(403, 'space_not_member')
    expect(await bob.get(`/${kind}/${id}/posts`)).toFailWith(403, 'space_not_member') // bob has only asked to join
  })
})
test('The list of posts in a private group gives 404 to strangers and 403 to people who are invited', async () => {
  expect(await stranger.get(`/groups/${closed}/posts`)).toFailWith(404, 'space_unknown')
  expect(await dora.get(`/groups/${closed}/posts`)).toFailWith(403, 'space_not_member') // dora is invited
  // a list of the contents of all spaces is empty instead if it is filtered by this group
  for (const kind of ['events', 'problems', 'courses'])
    expect(await stranger.get(`/${kind}?groupId=${asked}`)).toMatchObject({ status: 200, body: { items: [] } })
})

test.each([
  ['a circle', `/circles/me/${circle}/members/dora`, 'member_unknown'],
  ['a group', `/groups/${asked}/members/dora`, 'space_member_unknown'],
  ['a conversation', `/conversations/${talk}/members/dora`, 'conversation_member_unknown'],
  ['a project', `/projects/${project.body.id}/members/dora`, 'project_member_unknown'],
])('Removing a person who is not in %s gives 404', async (_what, path, code) => {
  expect(await alice.delete(path)).toFailWith(404, code)
})

test('Joining or leaving twice gives the same answer both times', async () => {
  const open = await made(alice.post<Id>('/groups', { name: 'Open' }))
  for (const [path, body] of [
    [`/groups/${open}/join`, { status: 'joined', requestId: null }],
    [`/groups/${open}/leave`, { status: 'left' }],
    [`/groups/${asked}/join`, { status: 'pending', requestId: request }],
    [`/guilds/${guild}/leave`, { status: 'left' }],
    [`/projects/${project.body.id}/leave`, { status: 'left' }],
  ] as const)
    for (let n = 0; n < 2; n++) expect(await bob.post(path)).toMatchObject({ status: 200, body })
})
