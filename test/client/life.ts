// Two members and a moderator do what people do on Kith, through kith/client alone. The file is compiled and run in a
// project that has only the packed client. See client.test.ts.
import { createKith, type Kith, KithError, type Schema } from 'kith/client'

export type Site = { url: string; fetch: typeof fetch; admin: { email: string; password: string } }

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what)
}

async function join(site: Site, admin: Kith, name: string): Promise<Kith> {
  const { items } = await admin.post('/admin/invite-codes/generate', { body: { count: 1 } })
  const [made] = items
  check(made !== undefined, 'no invite code was made')
  const kith = createKith(site)
  const { sessionId } = await kith.post('/auth/reserve-invite', { body: { code: made.code } })
  const email = `${name}@example.org`
  await kith.register({
    sessionId,
    email,
    password: `${name} has a password`,
    firstName: name,
    lastName: 'Client',
    dateOfBirth: '1990-01-31',
    country: 'PT',
    city: 'Lisbon',
  })
  return kith
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** @returns how many requests each screen sent */
export async function live(site: Site, count: () => number): Promise<Record<string, number>> {
  const admin = createKith(site)
  await admin.logIn(site.admin)
  const [ana, bo, mo] = [await join(site, admin, 'ana'), await join(site, admin, 'bo'), await join(site, admin, 'mo')]
  const [me, other, moderator] = [await ana.get('/me'), await bo.get('/me'), await mo.get('/me')]
  await admin.patch('/admin/users/{id}/role', { params: { path: { id: moderator.id } }, body: { role: 'moderator' } })
  await mo.logIn({ email: moderator.email, password: 'mo has a password' })

  // interests, posts, a poll, a circle
  const catalog = await ana.get('/interests/catalog')
  const [interest] = catalog.items
  check(interest !== undefined, 'the catalog is empty')
  await ana.post('/me/interests', { body: { interestId: interest.id, depth: 2, expertise: 1 } })
  const notes: Schema<'Post'>[] = []
  for (let n = 0; n < 5; n++)
    notes.push(await ana.post('/posts', { body: { body: `Note ${n}`, interestId: interest.id } }))
  const asked = await ana.post('/posts', { body: { body: 'Tea?', poll: { options: ['yes', 'no'] } } })
  const circle = await ana.post('/circles/me', { body: { name: 'Friends' } })
  await ana.post('/circles/me/{id}/members', {
    params: { path: { id: circle.id } },
    body: { memberId: other.username },
  })
  const near = await ana.post('/posts', { body: { body: 'For friends', visibility: 'circles' } })

  // what the other member reads and does
  const path = { id: notes[0]?.id ?? '' }
  const seen = await collect(
    bo.pages('/posts/by/{username}', { params: { path: { username: me.username }, query: { limit: 2 } } }),
  )
  check(seen.length === 7, `${seen.length} posts of Ana instead of 7`)
  check(
    seen.some(({ id }) => id === near.id),
    'the post for friends is missing',
  )
  await bo.post('/circles/users/{id}/follow', { params: { path: { id: me.personId } } })
  await bo.post('/posts/{id}/react', { params: { path }, body: { kind: 'heart' } })
  const reply = await bo.post('/posts/{id}/replies', { params: { path }, body: { body: 'Indeed' } })
  const option = asked.poll?.options[0]?.id
  check(option !== undefined, 'the poll has no options')
  const polled = await bo.post('/posts/{id}/poll/vote', {
    params: { path: { id: asked.id } },
    body: { optionId: option },
  })
  check(polled.totalVotes === 1, 'the vote does not count')
  const wallet = await bo.get('/economy/wallet')
  await bo.post('/economy/pay', { body: { emotion: 'joy', tier: 0, postId: path.id } })
  check((await bo.get('/economy/wallet')).balance < wallet.balance, 'nothing was paid')

  // a file, a conversation, an edit that is based on an old state
  const picture = new Blob([Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0))], { type: 'image/png' })
  const steps: number[] = []
  const asset = await bo.upload(picture, 'image', (sent) => steps.push(sent), { alt: 'A dot' })
  check(asset.status === 'committed' && steps.at(-1) === picture.size, 'the upload did not end')
  const body = { kind: 'direct' as const, memberIds: [me.personId] }
  const talk = await bo.post('/conversations', { body })
  const say = { assetId: asset.assetId, clientId: crypto.randomUUID() }
  await bo.post('/conversations/{id}/messages', { params: { path: { id: talk.id } }, body: say })
  const messages = await collect(ana.pages('/conversations/{id}/messages', { params: { path: { id: talk.id } } }))
  check(messages[0]?.attachment?.assetId === asset.assetId, 'the message has no attachment')
  check(messages[0].attachment.alt === 'A dot' && messages[0].attachment.width === 1, 'the attachment is not described')

  // a report, and what the moderator does
  await ana.post('/reports', { body: { targetType: 'reply', targetId: reply.id, reason: 'Unkind' } })
  const [report] = await collect(mo.pages('/admin/reports', { params: { query: { status: 'open' } } }))
  check(report?.targetId === reply.id, 'the report is missing')
  await mo.post('/admin/replies/{id}/hide', { params: { path: { id: reply.id } }, body: { reason: 'Unkind' } })
  await mo.post('/admin/reports/{id}/review', { params: { path: { id: report.id } } })

  // the changes that a client with copies has missed
  const [begin] = await collect(bo.changes())
  check(begin?.items.length === 0, 'there are changes without a cursor')
  await ana.patch('/posts/{id}', { params: { path: { id: near.id } }, body: { body: 'For good friends' } })
  const missed = (await collect(bo.changes(begin.cursor))).flatMap(({ items }) => items)
  check(
    missed.some(({ type, id, gone }) => type === 'post' && id === near.id && !gone),
    'the edit is not among the changes',
  )

  // errors have a code, and name the fields
  const refused = await ana.post('/posts', { body: { body: 'x', depth: 9 } }).catch((error: unknown) => error)
  check(refused instanceof KithError && refused.code === 'validation_failed', 'a wrong depth is accepted')
  check(refused.fields[0]?.path === 'depth' && refused.fields[0].code === 'too_big', 'the field is not named')
  const gone = await bo.get('/posts/{id}', { params: { path: { id: circle.id } } }).catch((error: unknown) => error)
  check(gone instanceof KithError && gone.status === 404, 'an unknown post is found')

  // each screen makes its reads in one tick
  const screens: Record<string, number> = {}
  async function screen(name: string, read: () => Promise<unknown>[]): Promise<void> {
    const before = count()
    await Promise.all(read())
    screens[name] = count() - before
  }
  await screen('home', () => [
    bo.get('/me'),
    bo.get('/feed', { params: { query: { limit: 20 } } }),
    bo.get('/notifications/unread-count'),
    bo.get('/conversations/unread-count'),
    bo.get('/economy/wallet'),
    bo.get('/me/interests'),
    bo.get('/discovery/suggested'),
  ])
  await screen('profile', () => [
    bo.get('/users/{usernameOrId}', { params: { path: { usernameOrId: me.personId } } }),
    bo.get('/posts/by/{username}', { params: { path: { username: me.username } } }),
    bo.get('/reputation/users/{id}/public', { params: { path: { id: me.personId } } }),
  ])
  await screen('chat', () => [
    ana.get('/conversations/{id}', { params: { path: { id: talk.id } } }),
    ana.get('/conversations/{id}/messages', { params: { path: { id: talk.id } } }),
  ])
  const guild = await admin.post('/guilds', { body: { name: 'Weavers', interestId: interest.id } })
  await screen('guild', () => [
    ana.get('/guilds/{id}', { params: { path: { id: guild.id } } }),
    ana.get('/guilds/{id}/members', { params: { path: { id: guild.id } } }),
    ana.get('/guilds/{id}/proposals', { params: { path: { id: guild.id } } }).catch(() => undefined),
  ])

  await screen('report', () => [mo.get('/admin/reports/{id}', { params: { path: { id: report.id } } })])

  // leaving
  await bo.logOut()
  check((await bo.session()) === null, 'Bo is still logged in')
  await ana.post('/me/delete', { body: { password: 'ana has a password' } })
  const after = await ana.get('/me').catch((error: unknown) => error)
  check(after instanceof KithError && after.status === 401, 'an erased person has a token')
  return screens
}

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
