// What staff does to invite codes, circles, reports, interests, flags and banned people over HTTP: each action happens
// once, is audited, and notifies the person concerned without naming staff. For lists see lists.test.ts, for
// permissions matrix.test.ts.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
const [mona, finn] = (await join('mona', 'finn')) as [Person, Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const moderator = await mona.login()

type Id = { id: string }
type Interest = Id & { slug: string; level: number; parentId: string | null; name: string }
const entries = async (action: string) =>
  (await owner`select l.target_id from app.audit_log l where l.action = ${action} order by l.id`).map(
    (row) => row.target_id,
  )
const told = async (who: Person) => {
  await applyEffects(owner)
  const notices = await who.inbox('moderation.actioned')
  expect(JSON.stringify(notices)).not.toMatch(/admin|mona/)
  return notices.map(({ payload }) => `${payload.targetType} ${payload.action}`)
}

test('An invite code is revoked once, and its owner is notified', async () => {
  const code = (await alice.post<Id & { code: string }>('/me/invites')).body
  const revoked = await admin.post(`/admin/invite-codes/${code.id}/revoke`)
  expect(revoked).toMatchObject({ status: 200, body: { id: code.id, status: 'revoked', ownerId: alice.id } })
  expect((await admin.post(`/admin/invite-codes/${code.id}/revoke`)).text).toBe(revoked.text)
  expect(await entries('invite_code.revoked')).toEqual([code.id])
  expect(await told(alice)).toEqual(['invite-code revoked'])
  expect(await nobody.post('/auth/reserve-invite', { code: code.code })).toFailWith(410, 'invite_dead')
  const [used] = await owner<Id[]>`select id from app.invite_codes where status = 'used' limit 1`
  expect(await admin.post(`/admin/invite-codes/${used?.id}/revoke`)).toFailWith(409, 'invite_settled')
  expect(await admin.post(`/admin/invite-codes/${UNKNOWN}/revoke`)).toFailWith(404, 'invite_unknown')
  expect(await admin.post('/admin/invite-codes/x/revoke')).toFailWith(422, 'validation_failed')
})

test('A circle is deleted, and its members lose access to posts for that circle', async () => {
  const circle = (await alice.post<Id>('/circles', { name: 'Friends' })).body.id
  await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
  const post = await publish(alice, { visibility: 'circles' })
  expect(await bob.get(`/posts/${post}`)).toMatchObject({ status: 200 })
  expect(await admin.delete(`/admin/circles/${circle}`)).toMatchObject({ status: 204 })
  expect(await bob.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
  expect(await admin.delete(`/admin/circles/${circle}`)).toFailWith(404, 'circle_unknown')
  expect(await entries('circle.deleted')).toEqual([circle])
  expect(await told(alice)).toContain('circle deleted')
})

describe('A report', () => {
  const report = async (who: Person, body: object) => (await who.post<Id>('/reports', body)).body.id

  test.each([
    ['review', 'reviewed'],
    ['dismiss', 'dismissed'],
  ])('is settled once by %s, and its reporter is notified', async (verb, status) => {
    const post = await publish(alice)
    const id = await report(carla, { targetType: 'post', targetId: post, reason: 'Spam' })
    const answers = await Promise.all([moderator, admin].map((who) => who.post(`/admin/reports/${id}/${verb}`)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    const settled = answers.find((answer) => answer.status === 200)
    expect(settled?.body).toMatchObject({
      id,
      status,
      reporterId: carla.id,
      targetId: post,
      reviewedAt: expect.any(String),
    })
    for (const other of ['review', 'dismiss'])
      expect(await moderator.post(`/admin/reports/${id}/${other}`)).toFailWith(409, 'report_settled')
    expect(await entries(`report.${status}`)).toEqual([id])
    expect(await told(carla)).toContain(`report ${status}`)
    expect(await told(alice)).not.toContain(`report ${status}`)
    expect(await moderator.post(`/admin/reports/${UNKNOWN}/${verb}`)).toFailWith(404, 'report_unknown')
  })

  test('about a message contains a copy of it, and lists do not contain the message', async () => {
    const circle = (await alice.post<Id>('/circles', { name: 'Talkers' })).body.id
    await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
    const talk = (await alice.post<Id>('/conversations', { kind: 'direct', memberIds: ['bob'] })).body.id
    const message = await alice.post<Id>(`/conversations/${talk}/messages`, {
      body: 'I hate you',
      clientId: crypto.randomUUID(),
    })
    const id = await report(bob, { targetType: 'message', targetId: message.body.id, reason: 'Hurts' })
    const { body } = await moderator.get<{ items: object[] }>('/admin/reports?targetType=message')
    expect(body.items).toMatchObject([{ id, copy: { body: 'I hate you' } }])
    for (const path of ['/admin/conversations', '/admin/posts', '/admin/media', '/admin/audit-log'])
      expect((await admin.get(path)).text).not.toContain('I hate you')
  })
})

describe('An interest', () => {
  const add = (more: object = {}) =>
    admin.post<Interest>('/admin/interests', {
      slug: 'new-one',
      name: 'New one',
      level: 1,
      accentColor: 'ink',
      ...more,
    })

  test('is created and changed, and the tree stays valid', async () => {
    const root = (await add({ slug: 'root-a' })).body
    expect(root).toMatchObject({ slug: 'root-a', level: 1, parentId: null, userCount: 0, childCount: 0 })
    const other = (await add({ slug: 'root-b' })).body
    const child = (await add({ slug: 'child', level: 2, parentId: root.id })).body
    const leaf = (await add({ slug: 'leaf', level: 3, parentId: child.id })).body
    for (const [body, status, code] of [
      [{ slug: 'leaf' }, 409, 'interest_slug_taken'],
      [{ slug: 'x', level: 2 }, 422, 'interest_parent_misplaced'],
      [{ slug: 'x', parentId: root.id }, 422, 'interest_parent_misplaced'],
      [{ slug: 'x', level: 3, parentId: root.id }, 422, 'interest_parent_unfit'],
      [{ slug: 'x', level: 2, parentId: leaf.id }, 422, 'interest_parent_unfit'],
      [{ slug: 'x', level: 2, parentId: UNKNOWN }, 404, 'interest_unknown'],
      [{ slug: 'No' }, 422, 'validation_failed'],
      [{ slug: 'x', level: 4 }, 422, 'validation_failed'],
      [{ slug: 'x', accentColor: 'red' }, 422, 'validation_failed'],
      [{ slug: 'x', name: ' ' }, 422, 'validation_failed'],
      [{ slug: 'x', name: '\u202eabc' }, 422, 'text_unfit'],
    ] as const)
      expect(await add(body)).toFailWith(status, code)

    const path = `/admin/interests/${child.id}`
    expect((await admin.patch<Interest>(path, { parentId: other.id, name: 'Moved' })).body).toMatchObject({
      parentId: other.id,
      name: 'Moved',
      slug: 'child',
      level: 2,
      childCount: 1,
    })
    await admin.patch(path, { parentId: other.id, name: 'Moved' })
    expect(await entries('interest.updated')).toEqual([child.id])
    expect(await entries('interest.created')).toEqual([root.id, other.id, child.id, leaf.id])
    // the new parent can be neither the interest itself, nor a descendant, nor an interest on another level
    for (const parentId of [child.id, leaf.id])
      expect(await admin.patch(path, { parentId })).toFailWith(422, 'interest_parent_unfit')
    expect(await admin.patch(`/admin/interests/${root.id}`, { parentId: leaf.id })).toFailWith(
      422,
      'interest_parent_misplaced',
    )
    expect(await admin.patch(path, { slug: 'leaf' })).toFailWith(409, 'interest_slug_taken')
    expect(await admin.patch(path, { parentId: UNKNOWN })).toFailWith(404, 'interest_unknown')
    expect(await admin.patch(path, { parentId: null })).toFailWith(422, 'validation_failed')
    expect(await admin.patch(`/admin/interests/${UNKNOWN}`, {})).toFailWith(404, 'interest_unknown')
    expect((await moderator.get<Interest>(path)).body).toMatchObject({ id: child.id, parentId: other.id })
    expect(await moderator.get(`/admin/interests/${UNKNOWN}`)).toFailWith(404, 'interest_unknown')
    expect((await alice.get(`/interests/catalog?parentId=${other.id}`)).text).toContain(child.id)
  })

  test('keeps a valid parent when it is changed by concurrent requests', async () => {
    await add({ slug: 'one' })
    const two = (await add({ slug: 'two' })).body
    const twig = (await add({ slug: 'twig', level: 2, parentId: two.id })).body
    await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        admin.patch(`/admin/interests/${twig.id}`, { name: `Twig ${n}`, parentId: two.id }),
      ),
    )
    const lost = await owner`select from app.interests i left join app.interests p on p.id = i.parent_id
                             where i.level > 1 and p.level is distinct from i.level - 1`
    expect(lost).toHaveLength(0)
  })
})

test('A feature flag is switched immediately, with one audit entry', async () => {
  await owner`insert into app.feature_flags (key, enabled, description) values ('kites', false, 'Kites fly')`
  expect((await moderator.get<{ items: object[] }>('/admin/feature-flags?limit=50')).body.items).toContainEqual({
    id: 'kites',
    key: 'kites',
    enabled: false,
    description: 'Kites fly',
  })
  const asked = () =>
    owner.begin(async (sql) => {
      await sql`select private.require_flag('kites')`
    })
  await expect(asked()).rejects.toThrow()
  expect((await admin.patch('/admin/feature-flags/kites', { enabled: true })).body).toEqual({
    id: 'kites',
    key: 'kites',
    enabled: true,
    description: 'Kites fly',
  })
  await asked()
  await admin.patch('/admin/feature-flags/kites', { enabled: true })
  expect(await entries('flag.switched')).toEqual(['kites'])
  expect(await admin.patch('/admin/feature-flags/none', { enabled: true })).toFailWith(404, 'flag_unknown')
  for (const body of [{}, { enabled: 'yes' }, { enabled: null }])
    expect(await admin.patch('/admin/feature-flags/kites', body)).toFailWith(422, 'validation_failed')
})

test('Metrics are counted at most once in 30 seconds', async () => {
  type Metrics = { users: number; postsTotal: number; reportsOpen: number; countedAt: string }
  const first = (await moderator.get<Metrics>('/admin/metrics')).body
  const [counted] = await owner`select (select count(*)::int from app.users where erased_at is null) as users,
    (select count(*)::int from app.posts where deleted_at is null) as posts`
  expect([first.users, first.postsTotal]).toEqual([counted?.users, counted?.posts])
  await publish(bob)
  expect((await admin.get<Metrics>('/admin/metrics')).body).toEqual(first)
  await owner`update private.staff_metrics set counted_at = now() - interval '31 seconds'`
  expect((await admin.get<Metrics>('/admin/metrics')).body.postsTotal).toBe(first.postsTotal + 1)
})

test('Metrics contain the result of the last mana audit', async () => {
  const audited = async () => {
    await owner`update private.staff_metrics set counted_at = now() - interval '31 seconds'`
    return (await moderator.get<{ manaAudit: object | null }>('/admin/metrics')).body.manaAudit
  }
  const audit = async () => {
    const [row] = await owner<{ found: number }[]>`select private.job_audit_mana() as found`
    await owner`select private.note_job_run('audit-mana', ${row?.found ?? 0}, ${row?.found !== 0})`
  }
  await owner`select private.note_job_run('audit-mana', 0, true)`
  expect(await audited()).toBeNull()
  await audit()
  expect(await audited()).toEqual({ auditedAt: expect.any(String), violations: 0 })
  await owner`insert into app.mana_transactions (kind) values ('payment')`
  expect(await audited()).toMatchObject({ violations: 0 })
  await audit()
  expect(await audited()).toMatchObject({ violations: 1 })
  await owner`select private.note_job_run('audit-mana', 0, true)`
  expect(await audited()).toMatchObject({ violations: 1 })
  expect((await nobody.get('//metrics')).text).toContain('kith_job_last_changed_rows{job="audit-mana"} 1')
})

test('Jobs and suspicious flows are listed', async () => {
  await owner`select private.note_job_run('purge', 3, false)`
  type Jobs = {
    jobs: { name: string; runs: number; lastRunAt: string | null }[]
    deadLetters: object[]
    effects: object
  }
  const { body } = await moderator.get<Jobs>('/admin/jobs')
  expect(body.jobs.find(({ name }) => name === 'purge')).toMatchObject({
    lastChanged: 3,
    failures: 0,
    lastRunAt: expect.any(String),
  })
  expect(body.effects).toEqual({ depth: expect.any(Number), lagSeconds: expect.any(Number), stuckPeople: 0 })
  const [puppet] = (await join('puppet')) as [Person]
  await owner`update app.invite_tree set inviter_id = ${bob.id} where invitee_id = ${puppet.id}`
  await puppet.post('/economy/pay', { emotion: 'joy', tier: 1, receiverId: 'bob' })
  type Signals = { items: object[]; nextCursor: string | null }
  const signals = (await moderator.get<Signals>('/admin/signals?kind=mana')).body
  expect(signals.items).toMatchObject([
    { giverId: puppet.id, receiverId: bob.id, distance: 1, flows: 1, givenShare: 1, youngerAgeDays: 0 },
  ])
  expect((await moderator.get<Signals>('/admin/signals?kind=votes')).body.items).toEqual([])
  expect((await moderator.get<Signals>('/admin/signals?since=2099-01-01T00:00:00Z')).body.items).toEqual([])
  expect(await moderator.get('/admin/signals?kind=likes')).toFailWith(422, 'validation_failed')
  expect(await moderator.get('/admin/signals?cursor=99999')).toFailWith(400, 'cursor_unknown')
})

test('Failed jobs of a queue are retried in hundreds, each once, with an audit entry', async () => {
  const failed = async (queue?: string) => {
    const path = queue ? `/admin/jobs?queue=${queue}` : '/admin/jobs'
    return (await moderator.get<{ deadLetters: { queue: string }[] }>(path)).body.deadLetters
  }
  const fail = (queue: string, count: number, since: string) => owner`
    insert into pgboss.job (name, data, source_name, source_id, source_output, source_retry_count, created_on,
                            source_created_on)
    select 'dead-letters', json_build_object('postId', gen_random_uuid()), ${queue}, gen_random_uuid(),
           '{"message": "no"}', 3, ${since}, now() from generate_series(1, ${count}::integer)`
  await fail('moved-reposts', 502, '2026-01-01')
  await fail('moved-reposts', 1, '2026-02-01')
  await fail('embeddings', 1, '2026-03-01')
  expect(await failed()).toHaveLength(50)
  expect((await failed())[0]).toMatchObject({ queue: 'embeddings', message: 'no', retries: 3 })
  expect(await failed('embeddings')).toHaveLength(1)
  const retry = (queue: string, body = {}) => admin.post(`/admin/jobs/${queue}/retry`, body)
  const did = (retried: number, more: boolean) => ({ status: 202, body: { retried, more } })
  expect(await retry('moved-reposts', { since: '2026-01-15T00:00:00Z' })).toMatchObject(did(1, false))
  expect(await retry('moved-reposts')).toMatchObject(did(500, true))
  expect(await retry('moved-reposts')).toMatchObject(did(2, false))
  expect(await retry('moved-reposts')).toMatchObject(did(0, false))
  expect(await owner`select from pgboss.job where name = 'moved-reposts'`).toHaveLength(503)
  expect((await failed()).map(({ queue }) => queue)).toEqual(['embeddings'])
  expect(await entries('jobs.retried')).toEqual(Array(3).fill('moved-reposts'))
  expect(await moderator.post('/admin/jobs/embeddings/retry', {})).toFailWith(403, 'role_required')
  expect(await retry('nothing')).toFailWith(404, 'queue_unknown')
})

test('Only a banned person can be exported and erased by an admin', async () => {
  await publish(finn, { body: 'Mine alone' })
  for (const verb of ['export', 'erase']) {
    expect(await admin.post(`/admin/users/finn/${verb}`)).toFailWith(409, 'person_free')
    expect(await admin.post(`/admin/users/zoe/${verb}`)).toFailWith(404, 'person_unknown')
  }
  await admin.post('/admin/users/finn/ban', { reason: 'Spam' })
  const { status, headers, body } = await admin.post<Record<string, unknown>>('/admin/users/finn/export')
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="kith-export.json"'])
  expect(body).toMatchObject({
    format: 'service-gdpr-export-v1',
    actorId: finn.actorId,
    posts: [{ body: 'Mine alone' }],
  })
  expect(await admin.post(`/admin/users/${finn.id}/erase`)).toMatchObject({ status: 200, body: { erased: true } })
  expect(await admin.post(`/admin/users/${finn.id}/erase`)).toFailWith(404, 'person_unknown')
  expect([await entries('user.exported'), await entries('user.erased')]).toEqual([[finn.id], [finn.id]])
  expect((await admin.get('/admin/users?status=erased')).text).not.toContain(finn.email)
  expect((await admin.get('/admin/posts')).text).not.toContain('Mine alone')
})

describe('The audit log', () => {
  type Verified = { ok: boolean; firstBroken: number | null; next: number | null; verifiedTo: number; entries: number }
  const verify = async (after = 0) => (await admin.get<Verified>(`/admin/audit-log/verify?after=${after}`)).body
  /** What verification finds after the owner of the tables tampers with them. The tampering is undone afterwards. */
  const found = (tamper: string) =>
    owner
      .begin(async (sql) => {
        await sql`alter table app.audit_log disable trigger user`
        await sql`alter table app.audit_log drop constraint audit_log_pkey cascade`
        await sql`alter table app.audit_details disable trigger user`
        await sql.unsafe(tamper)
        const [row] = await sql<{ answer: Verified }[]>`select private.verify_audit(0) as answer`
        throw row?.answer
      })
      .catch((answer: Verified) => answer)

  test('is verified as complete, and after tampering the verification names the first broken entry', async () => {
    const whole = await verify()
    expect(whole).toMatchObject({ ok: true, firstBroken: null, next: null })
    const last = whole.entries
    expect(whole.verifiedTo).toBe(last)
    expect(last).toBeGreaterThan(5)
    for (const [tamper, broken] of [
      [`update app.audit_log set action = 'x' where id = 3`, 3],
      [`update app.audit_log set actor_id = null where id = 3`, 3],
      ['delete from app.audit_log where id = 3', 3],
      ['delete from app.audit_log where id = 1', 1],
      [`delete from app.audit_log where id = ${last}`, last],
      [`delete from app.audit_log where id > ${last - 2}`, last - 1],
      ['update app.audit_log set id = case id when 3 then 4 else 3 end where id in (3, 4)', 3],
      [
        `update app.audit_log a set action = 'x' where id = ${last};
        update app.audit_log a set hash = private.audit_hash(a) where id = ${last}`,
        last,
      ],
      ['delete from app.audit_log', 1],
      ['delete from private.audit_head', 1],
      [`update app.audit_details set detail = '{"reason": "Another"}' where audit_id = 3`, 3],
      [`update app.audit_details set ip = '192.0.2.99' where audit_id = 3`, 3],
    ] as const)
      expect({ tamper, ...(await found(tamper)) }).toMatchObject({ tamper, ok: false, firstBroken: broken })
    expect(await verify(3)).toMatchObject({ ok: true, verifiedTo: last })
    expect(await admin.get('/admin/audit-log/verify?after=9999')).toFailWith(400, 'cursor_unknown')
    expect(await admin.get('/admin/audit-log/verify?after=x')).toFailWith(422, 'validation_failed')
  })

  test('is verified 10,000 entries at a time', async () => {
    const last = (await verify()).entries
    await owner`select private.audit('test.done', 'test', n::text) from generate_series(1, ${10_000 - last + 5}) n`
    expect(await verify()).toMatchObject({ ok: true, next: 10_000, verifiedTo: 10_000, entries: 10_005 })
    expect(await verify(10_000)).toMatchObject({ ok: true, next: null, verifiedTo: 10_005 })
  })
})
