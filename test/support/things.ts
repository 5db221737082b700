// Creates one of each thing that a path can name, for tests that request every route.
import { expect } from 'vitest'
import type { Database } from './database.ts'
import type { Person } from './person.ts'
import { publish, reply } from './posts.ts'

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const event = (days: number) => ({
  title: 'A walk',
  body: 'x',
  startsAt: later(days),
  endsAt: later(days + 1),
  timezone: 'UTC',
  location: { kind: 'online', url: 'https://example.org' },
})

/**
 * Creates them for an admin, who may create all of them, with other participants.
 * @returns the id for each path, as in `/groups` → the id of a group; a parameter in a path is a `*`
 */
export async function oneOfEach(admin: Person, others: Person[], { owner }: Database): Promise<Record<string, string>> {
  const [interest] = await owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
  async function made(path: string, body: object, who = admin): Promise<string> {
    const answer = await who.post<{ id: string }>(path, body)
    expect(answer.status, `${path} ${answer.text}`).toBe(201)
    return answer.body.id
  }

  // people who share a circle can talk
  const circle = await made('/circles', { name: 'Friends' })
  for (const { username } of others) await admin.post(`/circles/me/${circle}/members`, { memberId: username })
  const post = await publish(admin)
  await reply(admin, post)
  const group = await made('/groups', { name: 'Group' })
  const guild = await made('/guilds', { name: 'Guild', interestId: interest?.id })
  const debate = await made('/debates', { title: 'A debate', body: 'x', closesAt: later(1) })
  const problem = await made('/problems', { title: 'A problem', body: 'How?' })
  await made('/events', event(2))
  for (const who of [...others, admin]) {
    await who.post(`/groups/${group}/join`, {})
    for (const other of [...others, admin].filter((one) => one !== who)) {
      await who.post('/conversations', { kind: 'direct', memberIds: [other.username] })
    }
    await who.put(`/debates/${debate}/position`, { side: 'for' })
    await who.post(`/debates/${debate}/arguments`, { side: 'for', body: 'x'.repeat(50) })
    await who.post(`/problems/${problem}/solutions`, { body: 'x'.repeat(50) })
  }
  const proposer = others[0] ?? admin
  await owner`select private.add_reputation(${proposer.id}, ${interest?.id ?? ''}, 'admin.adjusted', 30)`
  await admin.put('/discovery/intent', { intent: 'mentor', note: 'Teach me' })
  const course = await made('/courses', { title: 'A course', summary: 'x', depth: 0 })
  const project = await made('/projects', { title: 'A project', summary: 'x' })
  const offering = await made('/economy/market/offerings', {
    title: 'A chair',
    description: 'x',
    priceMana: 1,
    deliveryDays: 7,
  })
  async function webhook(): Promise<string> {
    const body = { url: 'https://hooks.example.org/', events: ['posts.post.published'] }
    const answer = await admin.post<{ webhook: { id: string } }>('/admin/webhooks', body)
    expect(answer.status, answer.text).toBe(201)
    return answer.body.webhook.id
  }
  const first = async (path: string) => (await admin.get<{ items: { id: string }[] }>(path)).body.items[0]?.id ?? ''
  return {
    '/admin/groups': group,
    '/admin/guilds': guild,
    '/admin/rules': await made('/admin/rules', {
      name: 'Links',
      conditions: [{ kind: 'link' }],
      appliesTo: ['post'],
      action: 'case',
    }),
    '/admin/users': admin.username,
    '/admin/webhooks': await webhook(),
    '/audio/by-author': admin.username,
    '/videos': await made('/videos', { mediaUrl: 'https://example.org/a.mp4' }),
    '/videos/by-author': admin.username,
    '/courses': course,
    '/courses/*/lessons': await made(`/courses/${course}/lessons`, { title: 'A lesson', body: 'x' }),
    '/debates': debate,
    '/events': await made('/events', event(1)),
    '/groups': group,
    '/guilds': guild,
    '/economy/market/offerings': offering,
    '/conversations': await made('/conversations', {
      kind: 'group',
      title: 'All',
      memberIds: others.map(({ username }) => username),
    }),
    '/posts/by': proposer.username,
    '/posts': post,
    '/series': await made('/posts/series', { title: 'Parts' }),
    '/problems': problem,
    '/problems/solutions': await first(`/problems/${problem}/solutions`),
    '/projects': project,
    '/projects/*/roles': await made(`/projects/${project}/roles`, { name: 'Illustrator' }),
    '/circles/me': circle,
    '/circles/users': proposer.username,
    '/treasury': guild,
    '/wiki': 'music',
    '/wiki/proposals': await made('/wiki/music/proposals', { body: 'x', summary: 'x', baseVersion: 0 }, proposer),
    '/ai/sessions': await made('/ai/sessions', { topic: 'Rain' }),
  }
}
