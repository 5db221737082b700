// npm run stop: stops the facade of PORT, or everything of the data folder, and waits until it has ended. Succeeds if
// nothing is running. DATA_DIR selects the folder, as for npm start.
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopOrphans } from './cluster.ts'
import { chosen, folderOf, listRunning, nameOf, type Running } from './processes.ts'

const patience = 20_000
const { DATA_DIR, PORT } = process.env
const dataDir = folderOf(DATA_DIR)

/** Stops a process. @throws Error if that fails */
async function stop(one: Running): Promise<void> {
  const { kind, pid, host } = one
  if (host !== hostname()) throw new Error(`${nameOf(one)} runs on ${host}. End it there.`)
  process.kill(pid, 'SIGTERM')
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    if (!listRunning(dataDir).some((other) => other.kind === kind && other.pid === pid)) return
  }
  throw new Error(`${nameOf(one)} has not ended within ${patience / 1000} s.`)
}

const all = listRunning(dataDir)
const running = chosen(all, PORT)
for (const one of running) {
  try {
    await stop(one)
    console.log(`Stopped ${nameOf(one)}.`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

if (running.length > 0) {
  // the error has a complete message
} else if (all.length > 0) {
  console.log(
    `Nothing is running on ${dataDir} at PORT ${PORT}.${all.map((one) => `\nThis process runs: ${nameOf(one)}.`).join('')}`,
  )
} else if (await stopOrphans(dataDir)) {
  console.log(`Stopped the database that a killed instance left on ${dataDir}.`)
} else {
  console.log(`Nothing is running on ${dataDir}.`)
}
