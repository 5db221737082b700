// The export: it contains everything about a person, and about other people only what that person can see. The last
// part proves that no column is forgotten.
import { describe, expect, test } from 'vitest'
import { createSlots } from '../../../api-facade/lib/slots.ts'
import { columns } from '../../support/columns.ts'
import type { Person } from '../../support/person.ts'
import { rest } from '../../support/rest.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, stack, join } = await world()
const { owner } = database
type Row = Record<string, unknown>
type Dossier = Record<string, Row[]> & { profile: Row; account: Row; wallet: Row; invitedBy: Row; actorId: string }
type Id = { id: string }

const dossierOf = async (person: Person | undefined) => (await person?.get<Dossier>('/me/export'))?.body as Dossier

// Data in every section that a route can fill.
const asked = await alice.post<Id & { poll: { options: Id[] } }>('/posts', {
  body: 'By Alice.',
  poll: { options: ['Aye', 'No'] },
})
const post = asked.body.id
await alice.post(`/posts/${post}/poll/vote`, { optionId: asked.body.poll.options[0]?.id })
await bob.post(`/posts/${post}/replies`, { body: 'By Bob.' })
await bob.post(`/posts/${post}/react`, { kind: 'heart' })
const bobs = (await bob.post<Id>('/posts', { body: 'By Bob too.' })).body.id
await alice.post(`/posts/${bobs}/replies`, { body: 'By Alice too.' })
await alice.post(`/posts/${bobs}/react`, { kind: 'spark' })
await bob.post(`/posts/${bobs}/co-authors`, { userId: 'alice', splitShare: 20 })
const series = (await alice.post<Id>('/posts/series', { title: 'Letters' })).body.id
await alice.post(`/posts/series/${series}/items`, { postId: post })
await bob.post(`/series/${series}/follow`)
const circle = (await alice.post<Id>('/circles', { name: 'Close' })).body.id
await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob', bondLevel: 'inner-circle' })
await alice.post(`/circles/me/${circle}/invitations`, { inviteeId: 'carla' })
const theirs = (await bob.post<Id>('/circles', { name: 'His' })).body.id
await bob.post(`/circles/me/${theirs}/members`, { memberId: 'alice', bondLevel: 'inner-circle' })
await alice.post('/economy/pay', { emotion: 'love', tier: 1, receiverId: 'bob' })
await bob.post('/economy/pay', { emotion: 'awe', tier: 0, postId: post }, { 'idempotency-key': 'of Bob' })
await alice.post('/circles/users/bob/follow')
await bob.post('/circles/users/alice/follow')
await alice.post('/users/carla/mute')
await bob.post('/users/alice/mute')
await alice.post('/identity/me/muted-keywords', { keyword: 'noise' })
await alice.post('/reports', { targetType: 'post', targetId: bobs, reason: 'Rude.' })
await alice.post('/me/invites')
await alice.post('/me/personas', { name: 'Second' })
await alice.patch('/me', { username: 'alice_now' })
await nobody.post('/auth/forgot-password', { email: alice.email })
await nobody.post('/auth/login', { email: alice.email, password: alice.password, session: 'rotating' })
await (await alice.login()).post('/auth/logout')
const [interest] = await owner<Id[]>`select id from app.interests where level = 1 limit 1`
await alice.post('/interests/me/bulk', { interests: [{ interestId: interest?.id, depth: 2, expertise: 3 }] })
const [dora] = await join('dora')
await alice.post('/users/dora/block')
await dora?.get('/me')
await owner.begin(async (sql) => {
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: alice.id })}, true)`
  await sql`select private.audit('test.done', 'user', ${bob.id}, null)`
  await sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: bob.id })}, true)`
  await sql`select private.audit('test.suffered', 'user', ${alice.id}, null)`
})

describe('GET /me/export', () => {
  test('returns one JSON object with its format, time and person, and requires a token', async () => {
    const { status, headers, body } = await alice.get<Dossier>('/me/export')
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/json',
      'attachment; filename="kith-export.json"',
    ])
    expect(Object.entries(body).slice(0, 3)).toEqual([
      ['format', 'service-gdpr-export-v1'],
      ['exportedAt', expect.stringMatching(/^20\d\d-/)],
      ['actorId', 'acct:alice_now@localhost'],
    ])
    expect(headers.get('x-request-id')).toBeTruthy()
    expect(await nobody.get('/me/export')).toFailWith(401, 'token_missing')
    expect(await alice.post('/me/export')).toFailWith(405, 'method_not_allowed')
  })

  test('contains what the person entered and created', async () => {
    const body = await dossierOf(alice)
    expect(body.profile).toMatchObject({ id: alice.id, username: 'alice_now', firstName: 'alice', country: 'DE' })
    expect(body.account).toMatchObject({ email: alice.email, dateOfBirth: '1990-01-31', phone: null })
    expect(body.usernames?.map(({ username }) => username).sort()).toEqual(['alice', 'alice_now'])
    expect(body.personas?.map(({ name }) => name).sort()).toEqual(['Main', 'Second'])
    expect(body.posts).toMatchObject([{ id: post, body: 'By Alice.', authorId: alice.id }])
    expect(body.replies).toMatchObject([{ postId: bobs, body: 'By Alice too.' }])
    expect(body.series).toMatchObject([{ id: series, authorId: alice.id, title: 'Letters' }])
    expect(body.seriesItems).toMatchObject([{ seriesId: series, postId: post, position: 1 }])
    expect((await dossierOf(bob)).seriesFollows).toMatchObject([{ seriesId: series, userId: bob.id }])
    expect(body.pollOptions?.map(({ text }) => text).sort()).toEqual(['Aye', 'No'])
    expect(body.pollVotes).toMatchObject([{ optionId: asked.body.poll.options[0]?.id }])
    expect(body.coAuthorships).toMatchObject([{ postId: bobs, splitShare: 20, status: 'pending' }])
    expect(body.wallet).toMatchObject({ balance: 50 - 3 + 1 })
    expect(body.manaEntries?.map(({ amount }) => amount).sort()).toEqual([-3, 1, 50])
    expect(body.interests).toMatchObject([{ interestId: interest?.id, depth: 2, expertise: 3 }])
    expect(body.inviteCodes).toMatchObject([{ status: 'active' }])
    expect(body.reports).toMatchObject([{ reason: 'Rude.' }])
    expect(body.mutedKeywords).toMatchObject([{ keyword: 'noise' }])
    expect(body.auditEntries).toMatchObject([{ action: 'test.done' }])
    expect(body.auditEntriesAboutMe).toMatchObject([{ action: 'test.suffered' }])
    expect(body.notifications?.length).toBeGreaterThan(0)
  })

  test('names other people only while the person can see them', async () => {
    const body = await dossierOf(alice)
    expect(body.circleMembers).toMatchObject([{ memberId: bob.actorId, bondLevel: 'inner-circle' }])
    expect(body.circleMemberships).toMatchObject([{ ownerId: bob.actorId, memberId: alice.id }])
    expect(body.paymentsSent).toMatchObject([{ receiverId: bob.actorId, amount: 3 }])
    expect(body.blocks).toMatchObject([{ blockedId: 'acct:dora@localhost' }])
    await bob.post('/users/alice_now/block')
    const after = await dossierOf(alice)
    expect(after.paymentsSent).toMatchObject([{ receiverId: null, amount: 3 }])
    await bob.delete('/users/alice_now/block')
  })

  test('contains no private data of others, no secrets, and no internal id of another person', async () => {
    const { text } = await alice.get('/me/export')
    const body = await dossierOf(alice)
    expect(body.circleMemberships?.[0]).not.toHaveProperty('bondLevel')
    for (const other of [bob, carla, dora]) expect(text).not.toContain(other?.id)
    for (const secret of [/argon2/, /hash/i, /reservationId/, /earnedFrom/, /Of Bob/, /of Bob/])
      expect(text).not.toMatch(secret)
    const [hashes] =
      await owner`select encode(token_hash, 'hex') as hash from app.sessions where user_id = ${alice.id} and kind = 'rotating'`
    expect(text).not.toContain(hashes?.hash)
    expect((await dossierOf(dora)).blocks).toEqual([])
    expect((await dossierOf(carla)).mutes).toEqual([])
  })

  test('returns every row exactly once, over several pages of rows', async () => {
    await owner`insert into app.posts (author_id, body) select ${carla.id}, 'Post ' || n from generate_series(1, 450) n`
    const { posts, postCounters, postInterests } = await dossierOf(carla)
    expect(new Set(posts?.map(({ body }) => body)).size).toBe(450)
    expect([posts?.length, postCounters?.length, postInterests?.length]).toEqual([450, 450, 0])
  })

  test('returns every dependent row exactly once across page boundaries', async () => {
    const [erin] = await join('erin')
    const own = erin?.id ?? ''
    // Of 120 posts the third has 450 versions, and each other post n has n % 3. So some pages end between posts, and
    // some within a post.
    await owner`insert into app.posts (author_id, body, created_at)
      select ${own}, 'Post ' || n, now() - n * interval '1 minute' from generate_series(1, 120) n`
    await owner`insert into app.post_versions (post_id, version, body, media)
      select p.id, v, p.body || ' ' || v, '[]' from app.posts p
      cross join lateral generate_series(1, case p.body when 'Post 3' then 450 else split_part(p.body, ' ', 2)::int % 3 end) v
      where p.author_id = ${own}`
    const { posts, postVersions } = await dossierOf(erin)
    const expected = await owner`select count(*)::int from app.post_versions v join app.posts p on p.id = v.post_id
      where p.author_id = ${own}`
    expect(posts).toHaveLength(120)
    expect(postVersions).toHaveLength(Number(expected[0]?.count))
    expect(new Set(postVersions?.map(({ body }) => body)).size).toBe(postVersions?.length)
  })

  test('includes rows with two people, such as orders, for both of them', async () => {
    const [fay, gil] = (await join('fay', 'gil')) as [Person, Person]
    const orders = 230
    // skips the triggers, because this test is not about holding mana
    await database.superuser.begin(async (sql) => {
      await sql`set local session_replication_role = replica`
      await sql`
        with made as (
          insert into app.orders
            (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock, state)
          select gen_random_uuid(), case n % 2 when 0 then ${fay.id}::uuid else ${alice.id}::uuid end,
                 ${gil.id}, 'x', 'x', 1, 1, false, 'completed'
          from generate_series(1, ${orders}) n returning id)
        insert into app.order_steps (order_id, position, state, actor)
        select id, 1, 'completed', 'buyer' from made`
    })
    expect((await dossierOf(gil)).orderSteps).toHaveLength(orders)
    expect((await dossierOf(fay)).orderSteps).toHaveLength(orders / 2)
  })

  test('allows one export per person at a time, and a limited number in total', () => {
    const slots = createSlots(2)
    const [one] = [slots('one'), slots('two')]
    for (const who of ['one', 'three']) expect(() => slots(who), who).toThrow('rate_limited')
    one?.()
    const three = slots('three')
    one?.() // a second call changes nothing
    expect(() => slots('one')).toThrow('rate_limited')
    three()
    slots('one')
  })

  test('rejects a second concurrent export by the same person with 429', async () => {
    // the posts exceed all buffers, so the export lasts until it is read
    await owner`insert into app.posts (author_id, body) select ${carla.id}, repeat('x', 4900) from generate_series(1, 3000) n`
    const begin = (person: Person) =>
      fetch(`${person.base}/api/v1/me/export`, { headers: { authorization: `Bearer ${person.token}` } })
    const first = await begin(carla)
    expect(await carla.get('/me/export')).toFailWith(429, 'rate_limited')
    expect((await dossierOf(bob)).actorId, 'other people can still export').toBe(bob.actorId)
    await first.body?.cancel() // an export ends when its client disconnects
    await until(() => carla.get('/me/export').then(({ status }) => status === 200))
    const head = await fetch(`${carla.base}/api/v1/me/export`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${carla.token}` },
    })
    expect([head.status, (await carla.get('/me/export')).status], 'a HEAD request leaves no export running').toEqual([
      200, 200,
    ])
  })

  test('by .rpc() has cursors that reveal neither ids of other people nor omitted columns', async () => {
    await owner`with people as (
        insert into app.users (username, first_name, last_name)
        select 'followed_' || n, 'Followed', 'Person' from generate_series(1, 450) n returning id)
      insert into app.follows (follower_id, following_id) select ${carla.id}, id from people`
    await owner`delete from app.sessions where user_id = ${carla.id}`
    await owner`insert into app.sessions (id, user_id, issued_at, token_hash)
      select gen_random_uuid(), ${carla.id}, 0, sha256('a secret') from generate_series(1, 450)`
    const secrets = await owner<Id[]>`
      select following_id::text as id from app.follows where follower_id = ${carla.id}
      union all select encode(sha256('a secret'), 'hex')`
    const client = rest(stack, carla).client(carla.token)
    for (const section of ['following', 'sessions']) {
      const rows: Row[] = []
      let pages = 0
      for (let after: unknown = null; pages === 0 || after; pages++) {
        const { data } = await client.rpc('export_me', { p_section: section, p_after: after as never })
        const { items, next } = data as unknown as { items: Row[]; next: unknown }
        for (const { id } of secrets) expect(JSON.stringify(next)).not.toContain(id)
        rows.push(...items)
        after = next
      }
      expect(pages).toBe(3)
      expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(450)
    }
  })

  test('rejects a revoked token before it sends anything', async () => {
    const other = await bob.login()
    await other.post('/auth/logout')
    expect(await other.get('/me/export')).toFailWith(401, 'token_revoked')
  })
})

describe('The registry of personal data', () => {
  const registered = async () => {
    const rows = await owner<{ place: string; relation: string }[]>`
      select relation::text || '.' || person_column as place, relation::text as relation from private.personal_data`
    return { places: new Set(rows.map(({ place }) => place)), relations: new Set(rows.map(({ relation }) => relation)) }
  }

  test('has each column that references a person, with a section or the reason why it is left out', async () => {
    const { places } = await registered()
    const references = await owner<{ place: string }[]>`
      select distinct c.conrelid::regclass::text || '.' || a.attname as place
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.contype = 'f' and c.confrelid = 'app.users'::regclass`
    expect(references.length).toBeGreaterThan(20)
    expect(references.map(({ place }) => place).filter((place) => !places.has(place))).toEqual([])
  })

  test('has an index for each section, in its order and beginning with the person or the parent', async () => {
    const unread = await owner`
      select d.section from private.personal_data d
      where d.section is not null and not private.is_single(d) and not exists (
        select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = d.relation
          and (i.indpred is null or d.whose = 't.' || btrim(pg_get_expr(i.indpred, i.indrelid), '()'))
          and case when d.within is null
                   then a.attname = d.person_column and i.indnkeyatts > 1
                        and (private.export_order(d))[1] = (select b.attname from pg_attribute b
                                                             where b.attrelid = i.indrelid and b.attnum = i.indkey[1])
                   else a.attname = d.person_column or d.whose is not null end)`
    expect(unread).toEqual([])
  })

  test('has each table that references a registered table', async () => {
    const { relations } = await registered()
    const tables = await owner<{ child: string; parent: string }[]>`
      select distinct c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent
      from pg_constraint c join pg_namespace n on n.oid = c.connamespace
      where c.contype = 'f' and n.nspname in ('app', 'private')`
    const missing = tables.filter(({ child, parent }) => relations.has(parent) && !relations.has(child))
    expect(missing).toEqual([])
  })

  test('has each column in which a person’s id is found, even without a foreign key', async () => {
    const { places } = await registered()
    const missing: string[] = []
    for (const { schema, table, column } of await columns(owner)) {
      if (!['app', 'private'].includes(schema)) continue
      const text = `select from ${schema}.${table} t where strpos(t."${column}"::text, $1) > 0 limit 1`
      const [row] = await owner.unsafe(text, [alice.id])
      if (row && !places.has(`${schema}.${table}.${column}`)) missing.push(`${schema}.${table}.${column}`)
    }
    expect(missing).toEqual([])
  })

  test('names only columns that exist, and the export contains each of its sections', async () => {
    const strays = await owner`
      select d.relation, d.person_column from private.personal_data d
      where not exists (select from pg_attribute a where a.attrelid = d.relation and a.attname = d.person_column)
         or exists (select from unnest(d.omits) o
                    where not exists (select from pg_attribute a where a.attrelid = d.relation and a.attname = o))`
    expect(strays).toEqual([])
    const body = await dossierOf(alice)
    const sections = await owner<
      { section: string }[]
    >`select section from private.personal_data where section is not null`
    expect(Object.keys(body).slice(3, -1).sort()).toEqual(sections.map(({ section }) => section).sort())
    expect(sections.filter(({ section }) => body[section] === undefined)).toEqual([])
  })
})
