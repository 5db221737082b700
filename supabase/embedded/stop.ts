// npm run stop: ends the running instance and waits until its data folder is free.
// Nothing running is no failure. DATA_DIR says which instance, as it does for npm start.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopOrphan } from './cluster.ts'
import { type Instance, readInstance } from './instance.ts'
import { defaultDataDir } from './places.ts'

const patience = 20_000
const dataDir = process.env.DATA_DIR || defaultDataDir(join(import.meta.dirname, '..', '..'))

async function stop({ pid }: Instance): Promise<void> {
  process.kill(pid, 'SIGTERM')
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    if (!readInstance(dataDir)) {
      console.log(`Stopped the instance on ${dataDir} (pid ${pid}).`)
      return
    }
  }
  console.error(`The instance on ${dataDir} (pid ${pid}) has not ended within ${patience / 1000} s.`)
  process.exitCode = 1
}

const instance = readInstance(dataDir)
if (instance) await stop(instance)
else if (await stopOrphan(dataDir)) console.log(`Stopped the database that a killed instance left on ${dataDir}.`)
else console.log(`Nothing is running on ${dataDir}.`)
