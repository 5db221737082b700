// npm run failover: the drill of docs/operation.md, Standbys and failover. It starts its own instance.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { compare, complete, primaryIn, startInstance, startLoad, strike } from './drill.ts'

const usage = 'npm run failover -- [--failovers=<1 to 100>] [--asynchronous]'
const say = (line: string) => process.stdout.write(`${line}\n`)

const { values } = parseArgs({
  options: { failovers: { type: 'string', default: '1' }, asynchronous: { type: 'boolean', default: false } },
})
const failovers = Number(values.failovers)
if (!Number.isInteger(failovers) || failovers < 1 || failovers > 100) {
  process.stderr.write(`${usage}\n`)
  process.exit(1)
}

const instance = await startInstance(values.asynchronous ? { REPLICAS_SYNC: 'off' } : {})
try {
  const load = startLoad(instance)
  for (let turn = 0; turn < failovers; turn++) {
    await complete(instance, !values.asynchronous)
    await sleep(2000) // of load
    const signal = turn % 2 === 0 ? 'SIGKILL' : 'SIGSTOP'
    strike(instance.dataDir, primaryIn(instance.dataDir) ?? '', signal)
    const ms = await load.next()
    say(`${signal}: the first write was served after ${(ms / 1000).toFixed(1)} s.`)
  }
  await sleep(2000)
  await load.stop()
  const { lost, twice, balanced } = await compare(instance.sql, load)
  say(`acknowledged: ${load.acknowledged.length}, refused: ${load.refused}, lost: ${lost}, done twice: ${twice}`)
  say(balanced ? 'The books balance.' : 'The mana ledger does not balance.')
  if (twice > 0 || !balanced || (lost > 0 && !values.asynchronous)) process.exitCode = 1
} finally {
  await instance.stop()
}
