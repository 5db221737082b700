// Statements of reasons: what a person can read about a decision that concerns them, and the proof that the audit log
// contains it.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createAuditKey } from '../../../api-facade/lib/audit-key.ts'
import { type Proof, verifyProof } from '../../../api-facade/lib/checkpoints.ts'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { verify } from '../../../supabase/embedded/verify.ts'
import { UNKNOWN } from '../../support/lists.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

type Statement = {
  id: string
  reason: string
  action: string
  targetId: string | null
  appealPath: string | null
  proof: Proof | null
}

const { admin, alice, bob, nobody, database, url } = await world()
const { owner } = database
const worker = database.connect('kith_worker')
const key = createAuditKey(readConfig(environment(database.url)), JWT_SECRET)
const folder = mkdtempSync(join(tmpdir(), 'kith-statement-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Makes a checkpoint, as the worker does. */
async function checkpoint(): Promise<void> {
  const [row] = await worker<{ next: { checkpoint: object; text: string } | null }[]>`
    select private.next_checkpoint(${key.publicKey}) as next`
  if (!row?.next) throw new Error('There is no new entry.')
  const [made, signature] = [JSON.stringify(row.next.checkpoint), key.sign(row.next.text)]
  await worker`select private.add_checkpoint(${made}::text::json, ${signature}::text)`
}

async function hidden(reason: string): Promise<{ post: string; path: string }> {
  const { body } = await alice.post<{ id: string }>('/posts', { body: 'Buy this.' })
  expect(await admin.post(`/admin/posts/${body.id}/hide`, { reason })).toMatchObject({ status: 200 })
  const [decision] = await owner`select id from app.decisions where target_id = ${body.id}`
  return { post: body.id, path: `/me/standing/${decision?.id}/statement` }
}

/** Runs the command of the witness with a statement. */
const witness = (statement: Statement): Promise<string> =>
  new Promise((settle) => {
    writeFileSync(join(folder, 'statement.json'), JSON.stringify(statement))
    const options = [`--of=${url}`, `--keep=${join(folder, 'kept')}`, `--statement=${join(folder, 'statement.json')}`]
    execFile(process.execPath, ['api-facade/audit-witness.ts', ...options], (_, out, err) => settle((out + err).trim()))
  })

const changed = (text = '') => `${text.startsWith('0') ? '1' : '0'}${text.slice(1)}`

test('The person reads the decision and, after a checkpoint, its proof, which a stranger can verify', async () => {
  for (const reason of ['It sells.', 'Again.', 'And again.']) await hidden(reason)
  const { post, path } = await hidden('This is an advertisement.')
  const { body: before } = await alice.get<Statement>(path)
  expect(before).toMatchObject({ action: 'hide', targetType: 'post', targetId: post, automated: false, proof: null })
  expect(before.appealPath).toBe(`/me/standing/${before.id}/appeal`)
  expect(await witness(before)).toMatch(/The statement has no proof yet/)
  await checkpoint()

  const { body, text } = await alice.get<Statement & { proof: Proof }>(path)
  const { content, detail } = verifyProof(body.proof)
  expect(content.slice(1, 5)).toEqual(['post.hidden', expect.stringMatching(/^[0-9a-f]{64}$/), 'post', post])
  expect(detail).toEqual({ reason: 'This is an advertisement.' })
  expect(await witness(body)).toMatch(/Entry \d+ \(post\.hidden\) of the audit log proves the decision \(hide\)\.$/)
  expect(await witness({ ...body, reason: 'Another.' })).toMatch(/The statement and the entry have different reasons/)

  // nothing in the statement says who decided
  const [actor] = await owner`
    select u.id, encode(l.actor_salt, 'hex') as salt from app.users u join app.audit_log l on l.actor_id = u.id
    where l.target_id = ${post}`
  for (const secret of [actor?.id, actor?.salt, 'admin']) expect(text).not.toContain(secret)
})

test('A statement in which anything was changed fails verification', async () => {
  const { path } = await hidden('A reason.')
  await checkpoint()
  const { body } = await alice.get<Statement & { proof: Proof }>(path)
  const { proof } = body
  const wrong: Partial<Proof>[] = [
    { previous: changed(proof.previous ?? '') },
    { content: proof.content.replace('post.hidden', 'post.warned') },
    { detail: '{"reason": "Another reason."}' },
    { salt: changed(proof.salt ?? '') },
    { place: proof.place + 1 },
    { size: proof.size + 1 },
    { path: [...proof.path, changed(proof.previous ?? '')] },
    { checkpoint: { ...proof.checkpoint, text: proof.checkpoint.text.replace('entries: ', 'entries: 1') } },
    { checkpoint: { ...proof.checkpoint, signature: changed(proof.checkpoint.signature) } },
  ]
  expect(() => verifyProof(proof)).not.toThrow()
  for (const one of wrong) expect(() => verifyProof({ ...proof, ...one }), Object.keys(one).join()).toThrow()
})

test('Only the person concerned gets the statement', async () => {
  const { path } = await hidden('For Alice.')
  expect(await bob.get(path)).toFailWith(404, 'statement_unknown')
  expect(await admin.get(path)).toFailWith(404, 'statement_unknown')
  expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  expect(await alice.get('/me/standing/08c3452e-0000-4000-8000-000000000000/statement')).toFailWith(
    404,
    'statement_unknown',
  )
  expect(await alice.get('/me/standing/x/statement')).toFailWith(422, 'validation_failed')
})

test('A suspended person can read the statement with their password, verify the proof, and learn how to appeal', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const { path } = await hidden('For the limits.')
  const suspended = await admin.post('/admin/users/bob/ban', { reason: 'Take a rest.', until })
  expect(suspended).toMatchObject({ status: 200 })
  expect(await bob.get('/me/standing')).toFailWith(401, 'token_revoked')
  await checkpoint()
  const { email, password } = bob
  const standing = await nobody.post<{ decisions: { id: string }[] }>('/auth/standing', { email, password })
  const decisionId = standing.body.decisions[0]?.id
  const ask = (body: object) => nobody.post<Statement>('/auth/statement', { email, password, decisionId, ...body })
  const { status, body, text } = await ask({})
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: decisionId, action: 'suspend', reason: 'Take a rest.', endsAt: until })
  expect(text).not.toMatch(new RegExp(`${admin.id}|"admin"`))
  expect(verifyProof(body.proof as Proof).detail).toEqual({ reason: 'Take a rest.', until })
  expect(await witness(body)).toMatch(/\(user\.suspended\) of the audit log proves the decision \(suspend\)\.$/)

  expect(await ask({ password: 'something else' })).toFailWith(401, 'credentials_wrong')
  expect(await ask({ email: 'nobody@example.org' })).toFailWith(401, 'credentials_wrong')
  const [, , , others] = path.split('/')
  for (const wrong of [others, UNKNOWN]) expect(await ask({ decisionId: wrong })).toFailWith(404, 'statement_unknown')
  for (const wrong of [{ decisionId: 'x' }, { decisionId: undefined }, { email: 7 }])
    expect(await ask(wrong)).toFailWith(422, 'validation_failed')

  expect(body.appealPath).toBe('/auth/appeal')
  const appeal = { email, password, decisionId, text: 'I was not there.' }
  expect(await nobody.post(body.appealPath ?? '', appeal)).toMatchObject({ status: 201 })
  expect((await ask({})).body.appealPath).toBeNull()
  expect(await admin.post('/admin/users/bob/unban')).toMatchObject({ status: 200 })
})

test('After an erasure the chain and the checkpoints still verify', async () => {
  await checkpoint()
  expect(await alice.delete('/me', { confirm: true, password: alice.password })).toMatchObject({ status: 204 })
  const left = await owner`
    select from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where l.target_type = 'post' and (d.detail is not null or d.detail_salt is not null)`
  expect(left).toHaveLength(0)
  expect((await verify(owner)).violations).toEqual([])
})
