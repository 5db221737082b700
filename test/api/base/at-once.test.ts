// Things of which a person can have only one at a time. Of 20 identical concurrent requests exactly one creates the
// thing, and all others get an error. Where there is no conflict, nothing is lost and nothing is duplicated.
import { expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin } = await world()

type Id = { id: string }
const made = async (answer: Promise<{ status: number; text: string; body: Id }>) => {
  const { status, text, body } = await answer
  expect(status, text).toBe(201)
  return body.id
}
const catalog = await alice.get<{ items: Id[] }>('/interests/catalog')
const interestId = catalog.body.items[0]?.id ?? ''
const guild = await made(admin.post<Id>('/guilds', { name: 'Keepers', interestId }))
const asking = await made(alice.post<Id>('/groups', { name: 'Asked for', joinPolicy: 'request' }))
const group = await made(alice.post<Id>('/groups', { name: 'Invited into', joinPolicy: 'invite' }))
const circle = await made(alice.post<Id>('/circles', { name: 'Friends' }))
const post = await made(alice.post<Id>('/posts', { format: 'note', body: 'x', visibility: 'public', depth: 0 }))
const project = await alice.post<Id & { roles: Id[] }>('/projects', {
  title: 'Mosses',
  summary: 'x',
  roles: [{ name: 'Writer', slots: 2 }],
})
const course = await made(alice.post<Id>('/courses', { title: 'Mosses', summary: 'x', depth: 0 }))
await made(alice.post<Id>(`/courses/${course}/lessons`, { title: 'x', body: 'x' }))
expect((await alice.post(`/courses/${course}/publish`)).status).toBe(200)

const AT_ONCE = 20
const cases: [string, (n: number) => ReturnType<Person['post']>, string][] = [
  [
    'an application to a guild',
    (n) => bob.post(`/guilds/${guild}/applications`, { message: `${n}` }),
    'application_pending',
  ],
  [
    'an invitation into a group',
    () => alice.post(`/groups/${group}/invitations`, { inviteeId: 'bob' }),
    'space_invitation_pending',
  ],
  [
    'an invitation into a circle',
    () => alice.post(`/circles/me/${circle}/invitations`, { inviteeId: 'bob' }),
    'invitation_pending',
  ],
  [
    'an application for a role in a project',
    (n) =>
      bob.post(`/projects/${project.body.id}/applications`, { roleId: project.body.roles[0]?.id, message: `${n}` }),
    'project_applied',
  ],
  [
    'an invitation of a co-author',
    () => alice.post(`/posts/${post}/co-authors`, { userId: 'carla', splitShare: 10 }),
    'co_author_already',
  ],
  ['a report', (n) => bob.post('/reports', { targetType: 'post', targetId: post, reason: `${n}` }), 'report_open'],
  ['an appeal', (n) => bob.post('/reputation/appeals', { interestId, text: `${n}` }), 'appeal_open'],
  ['an enrolment', () => bob.post(`/courses/${course}/enroll`), 'enrolled_already'],
  ['a boost', () => alice.post(`/posts/${post}/boost`, { tier: 1 }), 'boost_active'],
]
test.each(cases)('Of concurrent requests for %s one succeeds, and the others get 409', async (_what, ask, code) => {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(n)))
  const [first, ...others] = answers.sort((one, other) => one.status - other.status)
  expect(first?.status, first?.text).toBe(201)
  for (const other of others) expect(other).toFailWith(409, code)
})

test('Concurrent requests to join a group create one request, and every response names it', async () => {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => carla.post<object>(`/groups/${asking}/join`, { message: `${n}` })),
  )
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(body).toEqual(answers[0]?.body)
  }
  expect(answers[0]?.body).toMatchObject({ status: 'pending', requestId: expect.any(String) })
})
