// A failover under load loses no acknowledged write and does none twice. Effects, jobs, Realtime and the backup
// continue. The former primary cannot serve again.
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOwner } from '../api-facade/lib/database.ts'
import { listBases, piecesOf } from '../supabase/embedded/backup/manifest.ts'
import { openPlace } from '../supabase/embedded/backup/place.ts'
import { restore } from '../supabase/embedded/backup/restore.ts'
import { CLUSTER, FENCED } from '../supabase/embedded/cluster.ts'
import { readInstance } from '../supabase/embedded/instance.ts'
import { positionOf } from '../supabase/embedded/replication.ts'
import {
  compare,
  complete,
  cutOff,
  type Instance,
  launch,
  primaryIn,
  standbysOf,
  startInstance,
  startLoad,
  strike,
} from './failover/drill.ts'
import { address } from './support/process.ts'
import { runs } from './support/runs.ts'
import { until } from './support/until.ts'

const FAILOVERS = runs(1, 5)

const folder = mkdtempSync(join(tmpdir(), 'kith-failover-backup-'))
chmodSync(folder, 0o711) // the account of the server has to reach what is restored there
const place = openPlace(join(folder, 'place'))

let instance: Instance
beforeAll(async () => {
  instance = await startInstance({ BACKUP_TO: join(folder, 'place'), BACKUP_SECONDS: '1' })
}, 120_000)
afterAll(async () => {
  await instance.stop()
  rmSync(folder, { recursive: true })
})

test(`${FAILOVERS} failovers under load lose nothing and do nothing twice`, {
  timeout: 60_000 + FAILOVERS * 60_000,
}, async () => {
  const { dataDir, stack, people, sql } = instance
  const [reader] = people
  if (!reader) throw new Error('nobody came')
  const client = createClient(stack.apiUrl, stack.anonKey, { accessToken: async () => reader.token ?? null })
  let joined = 0
  let heard = 0
  await client.realtime.setAuth()
  client
    .channel(`user:${reader.id}`, { config: { private: true } })
    .on('broadcast', { event: 'notification' }, () => heard++)
    .subscribe((status) => {
      if (status === 'SUBSCRIBED') joined++
    })
  await until(() => joined > 0)

  const load = startLoad(instance)
  for (let turn = 0; turn < FAILOVERS; turn++) {
    await complete(instance)
    const former = primaryIn(dataDir) ?? ''
    const [behind = ''] = standbysOf(dataDir)
    await cutOff(dataDir, behind)
    const goal = load.acknowledged.length + 50
    await until(() => load.acknowledged.length >= goal)
    strike(dataDir, former, turn % 2 === 0 ? 'SIGKILL' : 'SIGSTOP')
    await load.next()
    expect([former, behind], 'the standby that was behind was not promoted').not.toContain(primaryIn(dataDir))
    await until(() => joined > turn + 1)
    const heardBefore = heard
    await until(() => heard > heardBefore)
  }
  await complete(instance)
  await load.stop()
  await client.removeAllChannels()

  const payments = load.acknowledged.filter(({ kind }) => kind === 'payment').length
  const found = await compare(sql, load)
  expect(found).toEqual({ lost: 0, twice: 0, balanced: true, told: payments })

  const [first] = load.acknowledged.filter(({ kind, person }) => kind === 'post' && person === reader)
  const again = await reader.post('/posts', { body: first?.key }, { 'idempotency-key': first?.key ?? '' })
  expect(again).toMatchObject({ status: 201, body: { id: first?.id } }) // the kept answer
})

test('the backup goes on with the cluster that was promoted', async () => {
  const { sql } = instance
  const [before] = await sql<[{ posts: number; at: string }]>`
    select count(*)::int as posts, pg_current_wal_flush_lsn()::text as at from app.posts`
  const reached = async () => {
    const names = await place.list()
    const base = (await listBases(place, names)).at(-1)
    return base && base.timeline > FAILOVERS && (piecesOf(names, base.folder).at(-1)?.to ?? 0n) >= positionOf(before.at)
  }
  await until(reached, { every: 100 })
  let posts = 0
  const work = async (restored: Sql) => {
    posts = (await restored<[{ posts: number }]>`select count(*)::int as posts from app.posts`)[0].posts
  }
  await restore({ place, dataDir: join(folder, 'restored'), work })
  expect(posts).toBe(before.posts)
})

test('an instance that is killed after a failover starts with the cluster that was promoted', async () => {
  const { dataDir } = instance
  const counts = async () => {
    const sql = openOwner(readInstance(dataDir)?.stack?.dbUrl ?? '')
    const [row] = await sql`
      select (select count(*) from app.posts) as posts, (select count(*) from app.payments) as payments`
    await sql.end()
    return row
  }
  const before = await counts()
  const promoted = primaryIn(dataDir)
  const exit = once(instance.process, 'exit')
  instance.process.kill('SIGKILL')
  await exit
  expect(promoted).not.toBe(CLUSTER)
  instance.process = launch(dataDir)
  await address(instance.process)
  expect(primaryIn(dataDir)).toBe(CLUSTER)
  expect(existsSync(join(dataDir, FENCED))).toBe(false)
  expect(await counts()).toEqual(before)
})
