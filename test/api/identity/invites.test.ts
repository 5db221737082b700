// A person's invite codes, their allotment, and the invite tree.
import { describe, expect, test } from 'vitest'
import { applicant } from '../../support/joining.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database, join } = await world({ people: ['alice', 'bob'] })
type Code = { id: string; code: string; status: string; usedBy: { username: string } | null }
type Invites = { codes: Code[]; allotment: number; used: number; remaining: number }
type Tree = { invitedBy: { username: string } | null; items: { id: string; person: { username: string } }[] }
type Session = { accessToken: string }

const invites = async (person: Person | undefined) => (await person?.get<Invites>('/me/invites'))?.body as Invites
const tree = async (person: Person | undefined) => (await person?.get<Tree>('/me/invite-tree'))?.body as Tree
const make = async (person: Person | undefined) => (await person?.post<Code>('/me/invites'))?.body as Code
const change = (code: Code, columns: Record<string, unknown>) =>
  database.owner`update app.invite_codes set ${database.owner(columns)} where id = ${code.id}`

async function reserve(code: Code): Promise<string> {
  return (await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code: code.code })).body.sessionId
}

async function bring(person: Person | undefined, name: string): Promise<Person> {
  const sessionId = await reserve(await make(person))
  const { body } = await nobody.post<Session>('/auth/register', { ...applicant(name), sessionId })
  return Object.assign(nobody.withToken(body.accessToken), { username: name })
}

describe('GET /me/invites', () => {
  test('allots five codes to a new person, and requires a token', async () => {
    const { status, body } = await alice.get('/me/invites')
    expect([status, body]).toEqual([200, { codes: [], allotment: 5, used: 0, remaining: 5 }])
    expect(await nobody.get('/me/invites')).toFailWith(401, 'token_missing')
  })

  test('counts active, reserved, used and revoked codes toward the allotment, but not expired ones', async () => {
    const [cora] = await join('cora')
    const [active, reserved, revoked, expired, overdue] = await Promise.all(Array.from({ length: 5 }, () => make(cora)))
    await reserve(reserved as Code)
    await cora?.delete(`/me/invites/${revoked?.id}`)
    await change(expired as Code, { status: 'expired' })
    await change(overdue as Code, { expires_at: '2020-01-01' }) // the job that expires codes has not run yet
    const { codes, ...numbers } = await invites(cora)
    expect(numbers).toEqual({ allotment: 5, used: 0, remaining: 2 })
    expect(Object.fromEntries(codes.map(({ id, status }) => [id, status]))).toEqual({
      [active?.id ?? '']: 'active',
      [reserved?.id ?? '']: 'reserved',
      [revoked?.id ?? '']: 'revoked',
      [expired?.id ?? '']: 'expired',
      [overdue?.id ?? '']: 'expired',
    })
    await bring(cora, 'cyril')
    expect(await invites(cora)).toMatchObject({ used: 1, remaining: 1 })
    expect((await invites(cora)).codes.find(({ status }) => status === 'used')?.usedBy?.username).toBe('cyril')
  })

  test.each([
    [0, 0, 5],
    [49, 13, 5],
    [50, 14, 7],
    [-500, 0, 5],
    [-60, 28, 5],
    [1200, 0, 29],
    [10_000, 3000, 30],
  ])('with a reputation of %d and an account of %d days allots %d codes', async (total, days, allotment) => {
    await database.owner`update app.accounts set total_reputation = ${total} where user_id = ${bob.id}`
    await database.owner`
      update app.users set created_at = now() - ${days} * interval '1 day' where id = ${bob.id}`
    expect(await invites(bob)).toMatchObject({ allotment })
  })

  test('computes the allotment from the reputation earned', async () => {
    const [dina] = await join('dina')
    const [row] = await database.owner`
      select private.add_reputation(${dina?.id ?? ''}, (select id from app.interests where level = 3 limit 1), 'admin.adjusted', 120)`
    expect(row).toBeDefined()
    expect(await invites(dina)).toMatchObject({ allotment: 7, remaining: 7 })
    const totals = await database.owner`
      select a.user_id from app.accounts a
      where a.total_reputation <> (select coalesce(sum(r.direct_value), 0) from app.reputation r where r.user_id = a.user_id)
        and a.user_id <> ${bob.id}`
    expect(totals).toEqual([])
  })
})

describe('POST /me/invites', () => {
  test('creates a code that can be reserved, valid for 30 days, and requires a token', async () => {
    const { status, body } = await alice.post<Code>('/me/invites')
    expect([status, body]).toMatchObject([201, { status: 'active', usedBy: null, usedAt: null, reservedUntil: null }])
    expect(body.code).toMatch(/^INV-[A-Z2-9]{6}$/)
    const days = (Date.parse((body as unknown as { expiresAt: string }).expiresAt) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
    expect(await nobody.post('/auth/reserve-invite', { code: body.code })).toMatchObject({ status: 200 })
    expect(await nobody.post('/me/invites')).toFailWith(401, 'token_missing')
  })

  test('creates no code beyond the allotment, however many requests run concurrently', async () => {
    const [emma] = await join('emma')
    const answers = await Promise.all(Array.from({ length: 12 }, () => emma?.post('/me/invites')))
    expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(5)
    expect(await emma?.post('/me/invites')).toFailWith(409, 'invites_exhausted')
    expect(await invites(emma)).toMatchObject({ remaining: 0 })
  })
})

describe('DELETE /me/invites/:id', () => {
  test('revokes an active or a reserved code, ends the reservation, and is idempotent', async () => {
    const [finn] = await join('finn')
    const [active, reserved] = [await make(finn), await make(finn)]
    const sessionId = await reserve(reserved)
    for (const code of [active, reserved, active]) {
      expect(await finn?.delete(`/me/invites/${code.id}`)).toMatchObject({ status: 204 })
      expect(await nobody.post('/auth/reserve-invite', { code: code.code })).toFailWith(410, 'invite_dead')
    }
    const late = { ...applicant('late'), sessionId }
    expect(await nobody.post('/auth/register', late)).toFailWith(410, 'reservation_over')
    expect(await invites(finn)).toMatchObject({ remaining: 3 })
  })

  test('rejects used and expired codes with 409 and other people’s codes with 404', async () => {
    const [gwen] = await join('gwen')
    const [used, expired, other] = [await make(gwen), await make(gwen), await make(gwen)]
    await nobody.post('/auth/register', { ...applicant('gus'), sessionId: await reserve(used) })
    await change(expired, { expires_at: '2020-01-01' })
    expect(await gwen?.delete(`/me/invites/${used.id}`)).toFailWith(409, 'invite_settled')
    expect(await gwen?.delete(`/me/invites/${expired.id}`)).toFailWith(409, 'invite_settled')
    expect(await alice.delete(`/me/invites/${other.id}`)).toFailWith(404, 'invite_unknown')
    expect(await alice.delete(`/me/invites/${crypto.randomUUID()}`)).toFailWith(404, 'invite_unknown')
    expect(await alice.delete('/me/invites/x')).toFailWith(422, 'validation_failed')
    expect(await nobody.delete(`/me/invites/${other.id}`)).toFailWith(401, 'token_missing')
  })
})

describe('GET /me/invite-tree', () => {
  test('shows who invited the caller and whom the caller invited, without blocked and banned people', async () => {
    const [hugo] = await join('hugo')
    expect(await tree(hugo)).toMatchObject({ invitedBy: { username: 'admin' }, items: [] })
    const ines = await bring(hugo, 'ines')
    const jack = await bring(hugo, 'jack')
    expect((await tree(hugo)).items.map(({ person }) => person.username)).toEqual(['jack', 'ines'])
    expect(await tree(ines)).toMatchObject({ invitedBy: { username: 'hugo' }, items: [] })
    expect(await tree(admin)).toMatchObject({ invitedBy: null })

    await jack.post('/users/hugo/block')
    expect((await tree(hugo)).items.map(({ person }) => person.username)).toEqual(['ines'])
    expect(await tree(jack)).toMatchObject({ invitedBy: null })
    await database.owner`update app.users set banned_at = now() where username = 'ines'`
    expect(await tree(hugo)).toMatchObject({ items: [] })
    expect((await invites(hugo)).codes.map(({ usedBy }) => usedBy)).toEqual([null, null])
  })

  test('is paginated, with each item on exactly one page', async () => {
    const walked: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await admin.get<Tree & { nextCursor: string | null }>(`/me/invite-tree?limit=3${cursor}`)
      walked.push(...body.items.map(({ person }) => person.username))
      if (!body.nextCursor) break
      cursor = `&cursor=${body.nextCursor}`
    }
    const whole = (await admin.get<Tree>('/me/invite-tree?limit=50')).body.items.map(({ person }) => person.username)
    expect(walked).toEqual(whole)
    expect(new Set(walked).size).toBe(walked.length)
    expect(await admin.get(`/me/invite-tree?cursor=${crypto.randomUUID()}`)).toFailWith(400, 'cursor_unknown')
    expect(await admin.get('/me/invite-tree?cursor=x')).toFailWith(400, 'cursor_unknown')
    expect(await admin.get('/me/invite-tree?limit=0')).toFailWith(422, 'validation_failed')
    expect(await nobody.get('/me/invite-tree')).toFailWith(401, 'token_missing')
  })
})
