// A failover under load loses no acknowledged write and does none twice; effects, jobs and Realtime go on; and the former
// primary cannot serve again.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openOwner } from '../api-facade/lib/database.ts'
import { CLUSTER, FENCED } from '../supabase/embedded/cluster.ts'
import { readInstance } from '../supabase/embedded/instance.ts'
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

let instance: Instance
beforeAll(async () => {
  instance = await startInstance()
}, 120_000)
afterAll(() => instance.stop())

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
