// The audit log of an instance that was restored from a backup: the chain verifies, checkpoints continue with the same
// AUDIT_KEY, and an earlier witness accepts them. If the key is another one, the witness rejects the checkpoints and
// names that key.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import { createAuditKey } from '../api-facade/lib/audit-key.ts'
import { type Checkpoint, readCheckpoint } from '../api-facade/lib/checkpoints.ts'
import { readConfig } from '../api-facade/lib/config.ts'
import { backUp } from '../supabase/embedded/backup/base.ts'
import { openPlace } from '../supabase/embedded/backup/place.ts'
import { restore } from '../supabase/embedded/backup/restore.ts'
import { readInstance } from '../supabase/embedded/instance.ts'
import { verify } from '../supabase/embedded/verify.ts'
import { Person } from './support/person.ts'
import { address, ended } from './support/process.ts'
import { ADMIN } from './support/settings.ts'
import { until } from './support/until.ts'

const root = mkdtempSync(join(tmpdir(), 'kith-audit-'))
chmodSync(root, 0o711) // the server's account must be able to reach the data folders
const [before, after, folder] = [join(root, 'before'), join(root, 'after'), join(root, 'place')]
const [own, other] = [`${'A'.repeat(42)}E`, `${'B'.repeat(42)}A`]
const keyOf = (auditKey: string) => createAuditKey(readConfig({ AUDIT_KEY: auditKey }), '').publicKey
const passphrase = 'a passphrase of the test'

const instances: ChildProcess[] = []
afterAll(async () => {
  await Promise.all(instances.map(ended))
  rmSync(root, { recursive: true, force: true })
})

async function launch(dataDir: string, auditKey: string) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const instance = spawn(process.execPath, ['api-facade/main.ts'], {
    detached: true,
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', EMBEDDINGS: 'off' },
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, LOG_LEVEL: 'error', AUDIT_KEY: auditKey },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  instances.push(instance)
  const url = await address(instance)
  const databaseUrl = readInstance(dataDir)?.stack?.dbUrl ?? ''
  const sql = postgres(databaseUrl, { max: 1 })
  const admin = await Object.assign(new Person(url), ADMIN).login()
  const stop = async () => {
    await sql.end()
    await ended(instance)
  }
  /** Staff does something, and the worker's job makes a checkpoint of it. @returns the keys of all checkpoints */
  async function work(): Promise<string[]> {
    const { body } = await admin.post<{ id: string }>('/posts', { body: 'Words.' })
    expect(await admin.post(`/admin/posts/${body.id}/hide`, { reason: 'Because.' })).toMatchObject({ status: 200 })
    await sql`select private.job_checkpoint_audit()`
    await until(async () => {
      const [row] = await sql`
        select (private.last_checkpoint()).entries = (select entries from private.audit_head) as done`
      return row?.done
    })
    const list = await admin.get<{ checkpoints: Checkpoint[] }>('//.well-known/kith/audit')
    return list.body.checkpoints.map((one) => readCheckpoint(one).key)
  }
  return { url, databaseUrl, sql, work, stop }
}

/** Runs `npm run audit-witness`. @returns its exit code and its output */
const witness = (url: string, ...more: string[]): Promise<{ code: number; said: string }> =>
  new Promise((settle) => {
    const args = ['api-facade/audit-witness.ts', `--of=${url}`, `--keep=${join(root, 'witness')}`, ...more]
    execFile(process.execPath, args, (error, out, err) =>
      settle({ code: error ? Number(error.code) : 0, said: (out + err).trim() }),
    )
  })

test('After a restore checkpoints continue with the same key, and a witness rejects another key and names it', async () => {
  const first = await launch(before, own)
  expect(await first.work()).toEqual([keyOf(own)])
  expect(await witness(first.url)).toMatchObject({ code: 0, said: expect.stringMatching(/^1 checkpoints match, 1 of/) })
  mkdirSync(folder)
  const place = openPlace(folder)
  await backUp({ databaseUrl: first.databaseUrl, dataDir: before, place, passphrase, days: 7 })
  await first.stop()
  await restore({ place, dataDir: after, passphrase })

  const second = await launch(after, own)
  expect((await verify(second.sql)).violations).toEqual([])
  expect(await second.work()).toEqual([keyOf(own), keyOf(own)])
  expect(await witness(second.url)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^2 checkpoints match, 1 of/),
  })
  await second.stop()

  const third = await launch(after, other)
  expect(await third.work()).toEqual([keyOf(own), keyOf(own), keyOf(other)])
  expect((await verify(third.sql)).violations).toEqual([])
  expect(await witness(third.url)).toEqual({
    code: 1,
    said: `The audit log was rewritten: checkpoint 3 is signed with another key (${keyOf(other)}) than the one before it.`,
  })
  expect(await witness(third.url, `--new-key=${keyOf(other)}`)).toMatchObject({ code: 0 })
  await third.stop()
}, 300_000)
