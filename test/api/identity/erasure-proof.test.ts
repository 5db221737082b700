// Proof of erasure: afterwards no table and no log line contains the person's words and personal data, and what others
// rely on remains.
import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { startServer } from '../../../api-facade/server.ts'
import { findWords } from '../../support/columns.ts'
import { applicant } from '../../support/joining.ts'
import { Person } from '../../support/person.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()
const { owner } = database
type Id = { id: string }

/** A unique word for each place, so that a failure shows the place. */
const canary = (place: string) => `canary${createHash('sha256').update(place).digest('hex').slice(0, 8)}`

/** The ledger: its total, how many wallets differ from the sum of their entries, and the number of entries. */
async function books() {
  const [row] = await owner`
    select (select coalesce(sum(amount), 0)::int from app.mana_entries) as sum,
           (select count(*)::int from app.wallets w
            where w.balance <> (select sum(e.amount) from app.mana_entries e where e.account_id = w.user_id)) as wrong,
           (select count(*)::int from app.mana_entries) as entries`
  return row
}

describe('An erased person', async () => {
  const lines: string[] = []
  const config = readConfig(environment(database.url, { LOG_LEVEL: 'trace' }))
  const log = createLog(config, { write: (line: string) => lines.push(line) })
  const server = await startServer({ config, databaseUrl: database.url, log })
  const at = (person: Person) => Object.assign(new Person(server.url, person.token), person, { base: server.url })

  // a person whose every field is a canary
  const email = `${canary('email')}@example.org`
  const password = `${canary('password')} is long`
  const code = (await at(alice).post<{ code: string }>('/me/invites')).body.code
  const { sessionId } = (await at(nobody).post<{ sessionId: string }>('/auth/reserve-invite', { code })).body
  const form = { ...applicant('x'), firstName: canary('first'), lastName: canary('last'), city: canary('city') }
  const registered = await at(nobody).post<{ accessToken: string; user: { username: string } }>('/auth/register', {
    ...form,
    email,
    password,
    dateOfBirth: '1971-02-03',
    sessionId,
  })
  const erin = at(nobody).withToken(registered.body.accessToken)
  const birthName = registered.body.user.username
  const words = ['email', 'password', 'first', 'last', 'city', 'about', 'username', 'picture', 'post', 'title', 'essay']
    .concat(['reply', 'criticism', 'persona', 'personaAbout', 'personaPicture', 'circle', 'keyword', 'report'])
    .concat(['wiki', 'wikiSummary', 'project', 'projectSummary', 'role', 'roleAbout', 'projectUpdate', 'application'])
    .concat(['clip', 'caption', 'thumbnail', 'recording', 'comment on a video'])
    .concat([
      'newEmail',
      'invitation',
      'userAgent',
      'ip',
      'banReason',
      'key',
      'comment',
      'option',
      'series',
      'seriesAbout',
      'dossier',
      'dossierOrigin',
    ])
    .map(canary)
    .concat(birthName, '+49 176 987654321', '1971-02-03')
  let postId = ''
  let replyId = ''
  const keys = { pay: randomUUID() }

  test('has written into everything that stores text', async () => {
    const did = async (answer: Promise<{ status: number; text: string }>) => {
      const { status, text } = await answer
      if (status >= 300) throw new Error(`${status} ${text}`)
    }
    await did(
      erin.patch('/me', {
        username: canary('username'),
        about: canary('about'),
        phone: '+49 176 987654321',
        profilePicUrl: `https://example.org/${canary('picture')}.png`,
      }),
    )
    await at(nobody).post(
      '/auth/login',
      { email, password, session: 'rotating' },
      { 'user-agent': canary('userAgent') },
    )
    await did(at(nobody).post('/auth/forgot-password', { email }))
    await did(erin.post('/me/email', { email: `${canary('newEmail')}@example.org`, currentPassword: password }))
    await did(
      erin.post('/me/personas', {
        name: canary('persona'),
        about: canary('personaAbout'),
        profilePicUrl: `https://example.org/${canary('personaPicture')}`,
      }),
    )
    postId = (await erin.post<Id>('/posts', { body: canary('post') }, { 'idempotency-key': canary('key') })).body.id
    await did(
      erin.post('/posts', {
        format: 'essay',
        title: canary('title'),
        body: canary('essay'),
        poll: { options: [canary('option'), 'no'] },
      }),
    )
    const series = { title: canary('series'), description: canary('seriesAbout') }
    const seriesId = (await erin.post<Id>('/posts/series', series)).body.id
    await did(erin.post(`/posts/series/${seriesId}/items`, { postId }))
    const bobs = (await at(bob).post<Id>('/posts', { body: 'A post of Bob’s.' })).body.id
    replyId = (await erin.post<Id>(`/posts/${bobs}/replies`, { body: canary('reply') })).body.id
    await did(erin.post(`/posts/${bobs}/replies`, { kind: 'criticism', body: canary('criticism').padEnd(60, '.') }))
    await did(erin.post(`/posts/${bobs}/react`, { kind: 'heart' }))
    const clip = { mediaUrl: `https://example.org/${canary('clip')}`, caption: canary('caption') }
    const thumbnailUrl = `https://example.org/${canary('thumbnail')}`
    const filmed = (await erin.post<Id>('/videos', { ...clip, thumbnailUrl })).body.id
    await did(at(bob).post(`/videos/${filmed}/comments`, { body: 'Well said.' }))
    await did(erin.post('/audio', { ...clip, mediaUrl: `https://example.org/${canary('recording')}` }))
    const bobsClip = (await at(bob).post<Id>('/videos', { mediaUrl: 'https://example.org/bob' })).body.id
    await did(erin.post(`/videos/${bobsClip}/like`))
    await did(erin.post(`/videos/${bobsClip}/comments`, { body: canary('comment on a video') }))
    await owner`select private.add_reputation(${erin.id}, id, 'admin.adjusted', 20) from app.interests where slug = 'poetry'`
    const roles = [{ name: canary('role'), about: canary('roleAbout') }]
    const project = { title: canary('project'), summary: canary('projectSummary'), roles }
    const projectId = (await erin.post<Id>('/projects', project)).body.id
    await did(erin.post(`/projects/${projectId}/updates`, { body: canary('projectUpdate') }))
    const wanted = { title: 'Of Bob', summary: 'x', roles: [{ name: 'x' }] }
    const bobsProject = (await at(bob).post<Id & { roles: Id[] }>('/projects', wanted)).body
    const asking = { roleId: bobsProject.roles[0]?.id, message: canary('application') }
    await did(erin.post(`/projects/${bobsProject.id}/applications`, asking))
    const proposal = { body: canary('wiki'), summary: canary('wikiSummary'), baseVersion: 0 }
    await did(erin.post('/wiki/poetry/proposals', proposal))
    const circle = (await erin.post<Id>('/circles', { name: canary('circle') })).body.id
    await did(erin.post(`/circles/me/${circle}/members`, { memberId: 'bob' }))
    await did(erin.post(`/circles/me/${circle}/invitations`, { inviteeId: 'carla' }))
    const bobsCircle = (await at(bob).post<Id>('/circles', { name: 'Of Bob' })).body.id
    await did(at(bob).post(`/circles/me/${bobsCircle}/members`, { memberId: canary('username') }))
    const talk = (await erin.post<Id>('/conversations', { kind: 'direct', memberIds: ['bob'] })).body.id
    const message = { body: canary('message'), clientId: crypto.randomUUID() }
    const { id: messageId } = (await erin.post<Id>(`/conversations/${talk}/messages`, message)).body
    await did(at(bob).post('/reports', { targetType: 'message', targetId: messageId, reason: 'Bad' }))
    await did(erin.post('/circles/users/bob/follow'))
    await did(at(alice).post(`/circles/users/${canary('username')}/follow`))
    await did(erin.post('/identity/me/muted-keywords', { keyword: canary('keyword') }))
    await did(erin.post('/reports', { targetType: 'user', targetId: 'carla', reason: canary('report') }))
    await did(erin.post('/economy/pay', { emotion: 'love', tier: 1, receiverId: 'bob' }))
    const pay = { emotion: 'joy', tier: 0, receiverId: canary('username') }
    await did(at(bob).post('/economy/pay', pay, { 'idempotency-key': keys.pay }))
    const [interest] = await owner<Id[]>`select id from app.interests where level = 1 limit 1`
    await did(erin.post('/interests/me/bulk', { interests: [{ interestId: interest?.id, depth: 1, expertise: 1 }] }))
    await did(erin.post('/me/invites'))
    await did(erin.post(`/users/carla/block`))
    const dossier = {
      format: 'service-gdpr-export-v1',
      actorId: `acct:erin@${canary('dossierOrigin')}.example`,
      series: [{ id: '1', title: canary('dossier'), createdAt: '2020-01-31T12:00:00.000Z' }],
    }
    await did(erin.post('/me/import', dossier)) // no worker runs the import here
    // rows that no route writes yet
    await owner.begin(async (sql) => {
      await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: erin.id })}, true),
        set_config('request.headers', ${JSON.stringify({ 'x-forwarded-for': canary('ip') })}, true)`
      await sql`select private.audit('test.done', 'interest', 'x', null)`
      await sql`select private.audit('user.banned', 'user', ${erin.id}, ${sql.json({ reason: canary('banReason') })}::json)`
    })
    await owner`insert into app.spaces (id, kind, slug, name, member_count) values (${bobsCircle}, 'group', 'the-space', 'x', 1)`
    await owner`insert into app.space_members (space_id, user_id) values (${bobsCircle}, ${erin.id})`
    await until(
      async () => (await owner`select from app.accounts where user_id = ${erin.id} and last_seen_at is not null`)[0],
    )
  })

  test('is found in all these places before the erasure', async () => {
    const found = new Set((await findWords(owner, words)).map((place) => place.split(': ')[1]))
    const hashed = ['password', 'comment', 'invitation'].map(canary)
    expect(words.filter((word) => !found.has(word.toLowerCase()) && !hashed.includes(word))).toEqual([])
  })

  test('is found nowhere afterwards, neither in a column nor in a log line', async () => {
    const before = await books()
    const ledger = await owner`select count(*)::int as entries from app.reputation_entries where user_id = ${erin.id}`
    expect(await erin.post('/me/delete', { password })).toMatchObject({ status: 200 })
    expect(await findWords(owner, words)).toEqual([])
    expect(await books()).toEqual({ ...before, sum: 0, wrong: 0 })
    expect(await owner`select count(*)::int as entries from app.reputation_entries where user_id = ${erin.id}`).toEqual(
      ledger,
    )
    await server.stop()
    expect(lines.length).toBeGreaterThan(20)
    expect(words.filter((word) => lines.some((line) => line.includes(word)))).toEqual([])
    expect(lines.filter((line) => line.includes(erin.id))).toEqual([])
  })

  test('has an account to which nobody can log in', async () => {
    const [row] = await owner`
      select u.first_name, u.role, u.country, u.erased_at is not null as erased, a.email, a.date_of_birth, c.password_hash
      from app.users u join app.accounts a on a.user_id = u.id join private.credentials c on c.user_id = u.id
      where u.id = ${erin.id}`
    expect(row).toMatchObject({ first_name: 'Deleted', role: 'user', country: null, erased: true, date_of_birth: null })
    expect(row?.email).toMatch(/^deleted-[0-9a-f-]{36}@deleted\.invalid$/)
    expect(row?.password_hash).not.toMatch(/^\$argon2/)
  })

  test('has only revoked invite codes, and is still named by the code with which they registered', async () => {
    const codes = await owner`select distinct status from app.invite_codes where generated_by = ${erin.id}`
    expect(codes).toEqual([{ status: 'revoked' }])
    const [came] = await owner`select used_by from app.invite_codes where code = ${code}`
    expect(came?.used_by).toBe(erin.id)
  })

  test('is gone for everyone, along with what they wrote', async () => {
    for (const name of [canary('username'), birthName]) {
      expect(await bob.get(`/users/${name}`)).toFailWith(404, 'person_unknown')
      expect(await alice.post(`/circles/users/${name}/follow`)).toFailWith(404, 'person_unknown')
    }
    expect(await bob.get(`/posts/${postId}`)).toFailWith(404, 'post_unknown')
    const pay = { emotion: 'love', tier: 0, replyId }
    expect(await bob.post('/economy/pay', pay)).toFailWith(404, 'reply_unknown')
    const { body } = await bob.get<{ items: { actors: unknown[]; kind: string }[] }>('/notifications?limit=50')
    expect(body.items.map(({ kind, actors }) => [kind, actors])).toEqual([['payment.received', []]])
    const feed = await bob.get<{ items: { counters: object }[] }>('/feed')
    expect(feed.body.items).toMatchObject([{ counters: { reactions: 1, replies: 0 } }])
    expect((await alice.get<{ codes: { usedBy: unknown }[] }>('/me/invites')).body.codes).toMatchObject([
      { usedBy: null },
    ])
  })

  test('has no relationships left, and everybody’s audience is right', async () => {
    const [row] = await owner`
      select (select count(*) from app.circles where owner_id = ${erin.id})
           + (select count(*) from app.circle_members where ${erin.id} in (owner_id, member_id))
           + (select count(*) from app.circle_invitations where ${erin.id} in (inviter_id, invitee_id))
           + (select count(*) from app.blocks where ${erin.id} in (blocker_id, blocked_id))
           + (select count(*) from app.follows where ${erin.id} in (follower_id, following_id))
           + (select count(*) from app.user_interests where user_id = ${erin.id})
           + (select count(*) from app.sessions where user_id = ${erin.id})
           + (select count(*) from app.space_members where user_id = ${erin.id})
           + (select count(*) from app.conversation_members where user_id = ${erin.id})
           + (select count(*) from app.audience where ${erin.id} in (viewer_id, author_id) and level < 3) as ties,
           private.job_check_audience() as wrong`
    expect(row).toEqual({ ties: '0', wrong: 0 })
  })

  test('gets no second payment when a payment to them is retried, although the stored answer is gone', async () => {
    const pay = { emotion: 'joy', tier: 0, receiverId: canary('username') }
    const before = await books()
    const answer = await bob.post('/economy/pay', pay, { 'idempotency-key': keys.pay })
    expect(answer).toFailWith(410, 'idempotency_answer_gone')
    expect(await books()).toEqual(before)
  })

  test('keeps their former usernames reserved', async () => {
    expect(await carla.patch('/me', { username: canary('username') })).toFailWith(409, 'username_taken')
    expect(await carla.patch('/me', { username: birthName })).toFailWith(409, 'username_taken')
    const kept = await owner`select username, user_id from app.usernames where user_id = ${erin.id}`
    expect(kept).toMatchObject([{ username: expect.stringMatching(/^deleted_[0-9a-f]{20}$/) }])
  })

  test('is erased again by the job if a late request of theirs wrote something', async () => {
    await owner`update app.posts set body = ${canary('post')}, deleted_at = null where id = ${postId}`
    const [row] = await owner`select private.job_finish_erasures() as people`
    expect(row?.people).toBeGreaterThan(0)
    expect(await findWords(owner, words)).toEqual([])
    const [user] = await owner`select username from app.users where id = ${erin.id}`
    expect(user?.username).toMatch(/^deleted_/)
  })
})
