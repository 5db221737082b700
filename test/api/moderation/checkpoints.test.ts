// The signed checkpoints of the audit log, and a witness who keeps them: through the real worker, facade and command.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createAuditKey } from '../../../api-facade/lib/audit-key.ts'
import { type Checkpoint, hashOfText, readCheckpoint, rootOf } from '../../../api-facade/lib/checkpoints.ts'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import { verify } from '../../../supabase/embedded/verify.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

type Page = { about: string; key: string; checkpoints: Checkpoint[]; next: number | null }
type Row = { number: number; entries: number }

const { admin, nobody, alice, url, database } = await world()
const { owner, superuser } = database
const PATH = '//.well-known/kith/audit'
const config = readConfig(environment(database.url))
const worker = await startWorker({ config, databaseUrl: database.url, jwtSecret: JWT_SECRET, pollSeconds: 0.1 })
afterAll(() => worker.stop())

const folder = mkdtempSync(join(tmpdir(), 'kith-witness-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the worker's daily job, until every entry has a checkpoint. */
async function checkpoint(): Promise<void> {
  await worker.send('checkpoint-audit')
  await until(async () => {
    const [row] = await owner`
      select (private.last_checkpoint()).entries = (select entries from private.audit_head) as done`
    return row?.done
  })
}

/** Runs `npm run audit-witness`. @returns its exit code and its output */
const witness = (keep: string, ...more: string[]): Promise<{ code: number; said: string }> =>
  new Promise((settle) => {
    const args = ['api-facade/audit-witness.ts', `--of=${url}`, `--keep=${join(folder, keep)}`, ...more]
    execFile(process.execPath, args, (error, out, err) =>
      settle({ code: error ? Number(error.code) : 0, said: (out + err).trim() }),
    )
  })

const kept = (file: string): Checkpoint[] =>
  readFileSync(join(folder, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const hide = async (): Promise<void> => {
  const { body } = await alice.post<{ id: string }>('/posts', { body: 'Words.' })
  expect(await admin.post(`/admin/posts/${body.id}/hide`, { reason: 'Because.' })).toMatchObject({ status: 200 })
}

test('Without checkpoints the list is empty, and a witness has nothing to keep', async () => {
  const { status, body, headers } = await nobody.get<Page>(PATH)
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300'])
  expect(body).toMatchObject({ checkpoints: [], next: null })
  expect(body.key).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
  expect(await nobody.get(`${PATH}/1`)).toFailWith(404, 'checkpoint_unknown')
  expect(await witness('none')).toEqual({ code: 0, said: '0 checkpoints match, 0 of them new. They cover 0 entries.' })
})

test('The job makes a checkpoint of all new entries, once, and none without new entries', async () => {
  await hide()
  await checkpoint()
  const [head] = await owner`select entries::int, encode(hash, 'hex') as hash from private.audit_head`
  const { body } = await nobody.get<Page>(PATH)
  const [one] = body.checkpoints.map(readCheckpoint)
  expect(one).toMatchObject({ number: 1, entries: head?.entries, head: head?.hash, previous: null })
  expect(one?.key).toBe(createAuditKey(config, JWT_SECRET).publicKey)
  await worker.send('checkpoint-audit')
  await until(async () => {
    const [row] = await owner`select runs from private.job_runs where job = 'checkpoint-audit' and runs > 1`
    return row
  })
  expect((await nobody.get<Page>(PATH)).body.checkpoints).toHaveLength(1)
})

test('A checkpoint is published with the hashes of its entries, but without their content', async () => {
  await hide()
  await checkpoint()
  const { body } = await nobody.get<{ checkpoint: Checkpoint; hashes: string[] }>(`${PATH}/2`)
  const [first, second] = (await nobody.get<Page>(PATH)).body.checkpoints
  expect(body.checkpoint).toEqual(second)
  expect(rootOf(body.hashes)).toBe(readCheckpoint(body.checkpoint).root)
  expect(readCheckpoint(body.checkpoint).previous).toBe(hashOfText(first?.text ?? ''))
  expect(Object.keys(body)).toEqual(['checkpoint', 'hashes'])
  expect((await nobody.get<Page>(`${PATH}?from=2`)).body.checkpoints).toEqual([second])
  for (const wrong of ['?from=0', '?from=x', '?from=1.5', '/0', '/x'])
    expect(await nobody.get(PATH + wrong), wrong).toFailWith(422, 'validation_failed')
  expect(await nobody.get(`${PATH}/3`)).toFailWith(404, 'checkpoint_unknown')
  expect(await nobody.post(PATH)).toFailWith(405, 'method_not_allowed')
})

test('A checkpoint covers at most 10,000 entries, and a page has at most 100 checkpoints', async () => {
  const [head] = await owner<Row[]>`select entries::int from private.audit_head`
  await owner`select private.audit('test.done', 'test', n::text) from generate_series(1, 10005) n`
  await checkpoint()
  const covered = (await nobody.get<Page>(`${PATH}?from=3`)).body.checkpoints.map((one) => readCheckpoint(one).entries)
  expect(covered).toEqual([(head?.entries ?? 0) + 10_000, (head?.entries ?? 0) + 10_005])
  expect((await nobody.get<{ hashes: string[] }>(`${PATH}/3`)).body.hashes).toHaveLength(10_000)
}, 60_000)

test('A witness keeps the checkpoints and adds new ones', async () => {
  expect(await witness('all')).toMatchObject({ code: 0, said: expect.stringMatching(/^4 checkpoints match, 4 of/) })
  expect(await witness('all')).toMatchObject({ code: 0, said: expect.stringMatching(/^4 checkpoints match, 0 of/) })
  await hide()
  await checkpoint()
  expect(await witness('all')).toMatchObject({ code: 0, said: expect.stringMatching(/^5 checkpoints match, 1 of/) })
  expect(kept('all')).toEqual((await nobody.get<Page>(PATH)).body.checkpoints)
  expect((await verify(owner)).violations).toEqual([])
})

test('A wrong command and an unknown address fail with a clear message', async () => {
  const run = (...args: string[]) =>
    new Promise<string>((settle) => {
      execFile(process.execPath, ['api-facade/audit-witness.ts', ...args], (_, __, said) => settle(said))
    })
  expect(await run('--of=x')).toMatch(/^npm run audit-witness -- --of=/)
  expect(await run('--of=http://localhost:9', `--keep=${join(folder, 'other')}`)).toMatch(
    /^http:..localhost:9 does not /,
  )
})

test('With another key the old checkpoints stay valid, and a witness accepts the new key when told to', async () => {
  const { body } = await nobody.get<Page>(PATH)
  const next = createAuditKey(config, 'the secret of another machine')
  await hide()
  const [row] = await superuser<{ next: { checkpoint: object; text: string } }[]>`
    select private.next_checkpoint(${next.publicKey}) as next`
  const [made, signature] = [JSON.stringify(row?.next.checkpoint), next.sign(row?.next.text ?? '')]
  await superuser`select private.add_checkpoint(${made}::text::json, ${signature}::text)`

  const published = (await nobody.get<Page>(PATH)).body.checkpoints
  expect(published.slice(0, -1)).toEqual(body.checkpoints)
  const own = createAuditKey(config, JWT_SECRET).publicKey
  expect(published.map((one) => readCheckpoint(one).key)).toEqual([...body.checkpoints.map(() => own), next.publicKey])
  expect((await verify(owner)).violations).toEqual([])

  writeFileSync(join(folder, 'moved'), readFileSync(join(folder, 'all')))
  const refused = {
    code: 1,
    said: `The audit log was rewritten: checkpoint 6 is signed with another key (${next.publicKey}) than the one before it.`,
  }
  expect(await witness('moved')).toEqual(refused)
  expect(await witness('moved', `--new-key=${own}`)).toEqual(refused)
  expect(kept('moved')).toEqual(kept('all'))
  expect(await witness('moved', `--new-key=${next.publicKey}`)).toMatchObject({ code: 0 })
  expect(kept('moved')).toEqual(published)
  expect(await witness('moved')).toMatchObject({ code: 0, said: expect.stringMatching(/^6 checkpoints match, 0 of/) })
  expect(await witness('late')).toMatchObject({ code: 0, said: expect.stringMatching(/^6 checkpoints match, 6 of/) })
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`delete from private.audit_checkpoints where number = 6`
  })
})

describe('A log that its owner has rewritten', () => {
  /** Changes an entry and recomputes all hashes and the head, as the owner of the tables can. */
  const rewriting = `
    update app.audit_log set action = 'test.harmless' where id = 1;
    do $$ declare v_one app.audit_log; v_hash bytea; begin
      for v_one in select * from app.audit_log order by id loop
        v_one.previous := v_hash;
        v_hash := private.audit_hash(v_one);
        update app.audit_log set previous = v_one.previous, hash = v_hash where id = v_one.id;
      end loop;
      update private.audit_head set hash = v_hash;
    end $$`
  /** A checkpoint that is signed with the attacker's key, because the attacker doesn't have the instance's key. */
  const sign = async () => {
    const key = createAuditKey(readConfig({ AUDIT_KEY: `${'B'.repeat(42)}A` }), JWT_SECRET)
    for (;;) {
      const [row] = await superuser<{ next: { checkpoint: object; text: string } | null }[]>`
        select private.next_checkpoint(${key.publicKey}) as next`
      if (!row?.next) return
      const [checkpoint, signature] = [JSON.stringify(row.next.checkpoint), key.sign(row.next.text)]
      await superuser`select private.add_checkpoint(${checkpoint}::text::json, ${signature}::text)`
    }
  }
  const withoutTriggers = (text: string) =>
    superuser.begin(async (sql) => {
      await sql`set local session_replication_role = replica`
      await sql.unsafe(text)
    })

  test('verifies as a chain, but does not fit its checkpoints', async () => {
    writeFileSync(join(folder, 'before'), readFileSync(join(folder, 'all')))
    await withoutTriggers(rewriting)
    const [row] = await owner`select private.verify_audit(0) ->> 'firstBroken' as broken`
    expect(row?.broken).toBeNull()
    const { violations } = await verify(owner)
    expect(violations).toEqual([{ rule: 'the audit log matches its checkpoints', count: 1, example: 'checkpoint 1' }])
  })

  test('is detected by the witness', async () => {
    expect(await witness('all')).toEqual({
      code: 1,
      said: 'The audit log was rewritten: its entries are no longer those of checkpoint 5.',
    })
    expect(kept('all')).toEqual(kept('before'))
  })

  test('is detected by the witness even if its checkpoints were made again', async () => {
    await withoutTriggers('delete from private.audit_checkpoints')
    expect(await witness('all')).toEqual({
      code: 1,
      said: 'The audit log was rewritten: checkpoint 5 is no longer published.',
    })
    await sign()
    const { violations } = await verify(owner)
    expect(violations).toEqual([])
    for (let n = 0; n < 3; n++) {
      await owner`select private.audit('test.done', 'test', ${String(n)})`
      await sign()
    }
    expect(await witness('all')).toEqual({
      code: 1,
      said: 'The audit log was rewritten: checkpoint 5 differs from the one published before.',
    })
    // a witness who begins now cannot detect it
    expect(await witness('new')).toMatchObject({ code: 0 })
  })

  test('is detected by the verification if a checkpoint was changed and not signed again', async () => {
    await withoutTriggers(
      `update private.audit_checkpoints set created_at = created_at - interval '1 day' where number = 1`,
    )
    expect((await verify(owner)).violations).toMatchObject([{ example: 'checkpoint 2' }])
    const last = 'number = (select max(number) from private.audit_checkpoints)'
    await withoutTriggers(`update private.audit_checkpoints set created_at = created_at + interval '1 day' where number = 1;
      update private.audit_checkpoints set created_at = created_at - interval '1 day' where ${last}`)
    const [row] = await owner<{ number: number }[]>`select max(number)::int as number from private.audit_checkpoints`
    expect((await verify(owner)).violations).toMatchObject([{ example: `checkpoint ${row?.number}` }])
    expect(await witness('new')).toEqual({ code: 1, said: `The signature of checkpoint ${row?.number} is wrong.` })
  })
})
